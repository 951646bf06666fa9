//! Our own Dynamo, as Python sees it: the frame hook's handler, the interpreter that the tracer asks, the objects that
//! guards look at.
//!
//! - [`handler`]: a call that no entry fits is traced, its graph compiled, its guards and code installed;
//! - [`call_guard`]: those guards, as the hook asks them; [`promises`]: what `mark_dynamic` says is kept;
//! - [`history`]: what earlier calls have shown to change;
//! - [`backend`]: what a backend is given and gives back, [`lift`] the graph in torch's form, [`facts`] what torch's tools
//!   have to know;
//! - [`host`]: the tracer's questions, answered by looking at objects without running the user's code;
//! - [`objects`]: the guards' questions;
//! - [`tell`]: what listeners and the log are told;
//! - [`code`], [`constant`]: code objects and constants, in and out.

mod backend;
mod call_guard;
mod classify;
mod code;
mod constant;
mod facts;
mod handler;
mod history;
mod host;
mod lift;
mod objects;
mod promises;
mod tell;

pub(crate) use handler::{Dynamo, Optimized, call_as_it_is, reset};
