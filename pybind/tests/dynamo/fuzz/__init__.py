"""Random Python functions, run as they are and compiled."""
