//! Functions and classes of torch's that do not go into the graph as they are: a row for each, with its signature.
//!
//! - `compiler`, `conditions`: what a program asks of the compiler, and says of its sizes;
//! - `modes`: managers of modes, and questions about them; `tensors`: questions about tensors;
//! - `functional`: what torch's Dynamo traces; `names`: what is known of all other functions.

mod compiler;
pub(in crate::trace) mod conditions;
pub(in crate::trace) mod functional;
mod modes;
pub(in crate::trace) mod names;
mod tensors;

use super::signature::Row;

/// The rows of all modules.
pub(in crate::trace) const ROWS: &[&[Row]] =
    &[compiler::ROWS, conditions::ROWS, functional::ROWS, modes::ROWS, tensors::ROWS];
