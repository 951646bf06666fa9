"""Checks of the repository: `./x test`."""
