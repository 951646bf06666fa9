//! The interpreter of bytecode.
//!
//! - `root`: the traced function, from its first instruction to where its trace ends; `step`: one instruction;
//! - `variables`, `jumps`, `build`, `invoke`: what instructions do to variables and the stack;
//! - `untraced`: the instructions that end a graph; `follow`: the log of what was run;
//! - `call`: calls and inlining;
//! - `context`, `exceptions`, `exception_chain`, `unwinding`, `patterns`: what `with`, `try` and `match` need;
//! - `generators`: `send`, `throw` and `close`.

pub(in crate::trace) mod build;
pub(in crate::trace) mod call;
pub(in crate::trace) mod context;
mod exception_chain;
pub(in crate::trace) mod exceptions;
pub(in crate::trace) mod follow;
pub(in crate::trace) mod generators;
pub(in crate::trace) mod invoke;
pub(in crate::trace) mod jumps;
pub(in crate::trace) mod patterns;
pub(in crate::trace) mod root;
pub(in crate::trace) mod step;
pub(in crate::trace) mod untraced;
pub(in crate::trace) mod unwinding;
pub(in crate::trace) mod variables;
