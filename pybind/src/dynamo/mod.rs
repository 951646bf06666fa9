//! Our own Dynamo, as Python sees it: the frame hook's handler, the interpreter that the tracer asks, the objects that
//! guards look at.
//!
//! - [`handler`]: a call that no entry fits is traced, its graph compiled, its guards and code installed;
//! - [`call_guard`]: those guards, as the hook asks them; [`promises`]: what `mark_dynamic` says is kept;
//! - [`guard_filter`]: which of them the program drops;
//! - [`declared`]: what `dynamic_shapes` says of a function's parameters;
//! - [`stance`]: what `torch.compiler.set_stance` asks for;
//! - [`others`]: torch's compiler is off while ours is on;
//! - [`history`]: what earlier calls have shown to change; [`retired`]: what functions that ended leave to the next;
//! - [`backend`]: what a backend is given and gives back, [`lift`] the graph in torch's form, [`facts`] what torch's
//!   tools have to know; [`numbers`] takes floats out of a graph for our own compiler, [`number_calls`] out of its
//!   calls;
//! - [`keeps_mode`]: what a graph does to autograd's mode or autocast is undone if it fails;
//! - [`failures`]: what is told of an exception that a graph raises;
//! - [`host`]: the tracer's questions, answered by looking at objects without running the user's code;
//! - [`objects`]: the guards' questions, [`tensors`] of tensors, [`keys`] of the keys of dicts and
//!   [`states`] of the global state;
//! - [`snapshots`]: the last check that passed, [`stability`] what it depends on, [`version_tags`] by which that is
//!   known to be unchanged, or [`watchers`], and [`seal`] how it is verified;
//! - [`members`]: what classes and instances have under a name, bound to nothing;
//! - [`symbolic`]: torch is asked about calls on symbolic sizes;
//! - [`tell`]: what listeners and the log are told;
//! - [`code`], [`constant`]: code objects and constants, in and out; [`graph_code`] makes those of graphs.

mod arrays;
mod backend;
mod call_guard;
mod classify;
mod code;
mod config;
mod constant;
mod declared;
mod facts;
mod failures;
mod graph_code;
mod guard_filter;
mod handler;
mod history;
mod host;
mod keeps_mode;
mod keys;
mod lift;
mod members;
mod number_calls;
mod numbers;
mod objects;
mod others;
mod promises;
mod retired;
mod seal;
mod snapshots;
mod stability;
mod stance;
mod states;
mod substitutes;
mod symbolic;
mod tell;
mod tensors;
mod version_tags;
mod watchers;

pub(crate) use classify::is_library;
pub(crate) use graph_code::bytecode_of;
pub(crate) use handler::{Dynamo, Optimized, call_as_it_is, reset};
pub(crate) use numbers::{Parts, changes_tensors, has_symbols, take_numbers_out};
