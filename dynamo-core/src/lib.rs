//! Capture: from a Python function's bytecode to a graph, guards, and code that runs in the function's place.
//!
//! - [`bytecode`]: CPython's code objects, taken apart and put together again;
//! - [`trace`]: the symbolic interpreter; [`host`]: what it asks of the interpreter;
//! - [`constant`]: constants of guards and of code objects; [`reason`]: why graphs end.
//!
//! Invariant: this crate never calls CPython. Code objects come in and go out as plain data, objects are handles.

pub mod bytecode;
pub mod constant;
pub mod host;
pub mod reason;
pub mod trace;
mod value_id;
