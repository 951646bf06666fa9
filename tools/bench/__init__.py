"""Benchmarks: `./x bench`, and the programs and models that they time."""
