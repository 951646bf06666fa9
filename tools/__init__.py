"""The commands that `./x` runs: set-up, checks, demo and benchmarks."""
