//! Functions and classes of torch's that do not go into the graph as they are: a row for each, with its signature.
//!
//! - `compiler`, `torch_check`: what a program asks of the compiler, and says of its sizes;
//! - `modes`: managers of modes, and questions about them; `tensors`: questions about tensors; `optim`, `foreach`:
//!   optimisers, and operations on lists of tensors;
//! - `autograd_function`: functions with a backward of their own;
//! - `functional`: what torch's Dynamo traces; `names`: what is known of all other functions.

pub(in crate::trace) mod autograd_function;
mod compiler;
mod foreach;
pub(in crate::trace) mod functional;
mod modes;
pub(in crate::trace) mod names;
pub(in crate::trace) mod optim;
mod tensors;
pub(in crate::trace) mod torch_check;

use super::signature::Row;

/// The rows of all modules.
pub(in crate::trace) const ROWS: &[&[Row]] = &[
    autograd_function::ROWS,
    compiler::ROWS,
    torch_check::ROWS,
    functional::ROWS,
    modes::ROWS,
    optim::ROWS,
    tensors::ROWS,
];
