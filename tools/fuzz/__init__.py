"""Random inputs against oracles: `./x bench fuzz`, and sequences of operations on shapes."""
