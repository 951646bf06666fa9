//! The whole middle of the compiler: golden files for each stage, and plans run against the graph's interpreter.

mod broken;
mod compare;
mod dynamic;
mod fuzz;
mod generate;
mod golden;
mod reference;
mod saved;
mod shrink;
mod sizes;
