//! Functions and classes of torch's that do not go into the graph as they are: a row for each, with its signature.
//!
//! - `compiler`, `torch_check`: what a program asks of the compiler, and says of its sizes;
//! - `autocast`, `grad`, `inference`, `devices`, `deterministic`: torch's modes and their managers; `modes`: the rows
//!   of those, and of questions about them;
//! - `attention`: the switches of the kernels that attention may run in;
//! - `tensors`, `questions`: questions about tensors, and others; `tolist`: their elements;
//! - `optim`, `foreach`: optimisers, and operations on lists of tensors; `numpy`: NumPy's arrays and functions, and
//!   `numpy_writes`: what changes them; `numpy_dtypes`: their element types;
//! - `autograd_function`: functions with a backward of their own;
//! - `higher_order`: operators that take functions, whose bodies become subgraphs; `loops`: those that are loops;
//!   `transforms`: those of `torch.func`;
//! - `functional`: what torch's Dynamo traces; `names`: what is known of all other functions.

pub(in crate::trace) mod attention;
pub(in crate::trace) mod autocast;
pub(in crate::trace) mod autograd_function;
mod compiler;
pub(in crate::trace) mod deterministic;
mod devices;
mod foreach;
pub(in crate::trace) mod functional;
pub(in crate::trace) mod grad;
pub(in crate::trace) mod higher_order;
pub(in crate::trace) mod inference;
mod loops;
mod modes;
pub(in crate::trace) mod names;
pub(in crate::trace) mod numpy;
mod numpy_dtypes;
mod numpy_writes;
pub(in crate::trace) mod optim;
mod questions;
mod recurrent;
mod tensors;
mod tolist;
pub(in crate::trace) mod torch_check;
mod transforms;

use crate::trace::signature::Row;

/// The rows of all modules.
pub(in crate::trace) const ROWS: &[&[Row]] = &[
    attention::ROWS,
    autograd_function::ROWS,
    compiler::ROWS,
    deterministic::ROWS,
    foreach::ROWS,
    torch_check::ROWS,
    functional::ROWS,
    higher_order::ROWS,
    loops::ROWS,
    modes::ROWS,
    questions::ROWS,
    recurrent::ROWS,
    tensors::ROWS,
    transforms::ROWS,
];
