//! The executor of plans: runs them over any library of tensors, without Python.
//!
//! [`prepare`] turns a plan into a [`Program`] once: calls are bound to the library, kernels resolved, views numbered.
//! Each call then [takes](Program::enter) an [`Activation`] (buffer table) from the program's pool and memory of those
//! blocks that all graphs share, [binds](Program::bind) its arguments and [runs](Program::run) the steps in them. Steps
//! that need the language in which the program is embedded go to a [`Host`]; all others run in stretches without it.
//! A device with memory of its own may run a part of the plan: the steps between say what moves ([`Code::Device`]). Of
//! tensors on a device whose kernels are launched on streams, all memory of the program's is there, too, and calls
//! return before the device is done ([`Code::Stream`]).
//!
//! A [`TensorLibrary`] is libtorch in the Python package, and a heap of bytes with the reference interpreter's
//! operators in tests. This crate names neither, nor a device.
//!
//! Invariants: arguments are checked against the plan's promise before any step reads them; an activation is used by
//! one thread at a time; what is borrowed from an argument lives as long as the call holds it: to its end, or until the
//! [`Host`] is told to forget it.

mod activation;
mod arena;
mod buffers;
mod device;
mod frozen;
mod library;
mod pages;
mod prepare;
mod program;
mod run;
mod stream;

pub use activation::{Activation, NoMemory, Slot};
pub use arena::Arenas;
pub use buffers::ViewId;
pub use device::{NoDevice, NoStream};
pub use frozen::Latest;
pub use library::{Info, Made, Strided, TensorLibrary};
pub use pages::LARGE;
pub use prepare::{Binder, Code, FindKernel, Parts, PrepareError, StreamCode, prepare};
pub use program::{InputSpec, Keep, Output, Program};
pub use run::{Failure, Host, Misfit, Stop};
pub use stream::{Stream, StreamDevice, StreamKernel};
