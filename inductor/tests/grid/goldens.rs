//! Kernels in text beside what they are lowered to.
