//! Grid kernels: lowered from loop IR, run by their interpreter, held against the loop IR's.

mod accuracy;
mod goldens;
mod items;
mod mutations;
mod online;
mod pieces;
mod plans;
mod random;
mod support;
