//! Our own Dynamo, as Python sees it: the frame hook's handler, the interpreter that the tracer asks, the objects that
//! guards look at.
//!
//! - [`handler`]: a call that no entry fits is traced, its graph compiled, its guards and code installed;
//! - [`host`]: the tracer's questions, answered by looking at objects without running the user's code;
//! - [`objects`]: the guards' questions;
//! - [`tell`]: what listeners and the log are told;
//! - [`code`], [`constant`]: code objects and constants, in and out.

mod classify;
mod code;
mod constant;
mod handler;
mod host;
mod objects;
mod tell;

pub(crate) use handler::{Dynamo, Optimized, call_as_it_is, reset};
