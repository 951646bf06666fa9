"""What `./x` runs: set-up, checks, demo and benchmarks."""
