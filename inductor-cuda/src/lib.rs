//! The CUDA backend: kernels on a grid of blocks as CUDA C++.
