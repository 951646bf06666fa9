//! Our own Dynamo, as Python sees it: the frame hook's handler, the interpreter that the tracer asks, the objects that
//! guards look at.
//!
//! - [`optimized`]: the classes by which functions are compiled;
//! - [`handler`]: traces a call that no entry fits, has its graph compiled, installs guards and code; [`not_captured`]:
//!   why one is not;
//! - [`call_guard`]: those guards, as the hook evaluates them, with [`check`]s of Python's own; [`promises`]:
//!   errors for broken promises of `mark_dynamic`;
//! - [`guard_filter`]: the program's filter, by which some of them are dropped;
//! - [`declared`]: the declarations of `dynamic_shapes` for a function's parameters;
//! - [`stance`]: the stance that `torch.compiler.set_stance` sets;
//! - [`others`]: keeps torch's compiler off while ours is on;
//! - [`history`]: sizes and integers that earlier calls have shown to change; [`retired`]: entries of functions that
//!   ended, kept for the next;
//! - [`backend`]: the input and the answer of a backend, [`lift`]: the graph in torch's form, [`facts`]: the facts for
//!   torch's tools; [`numbers`] takes floats out of a graph for our own compiler, [`number_calls`] out of its calls;
//! - [`keeps_mode`]: restores autograd's mode and autocast if a graph that sets them fails;
//! - [`failures`]: the callback for an exception that a graph raises;
//! - [`host`]: the tracer's questions, answered by looking at objects without running the user's code;
//! - [`objects`]: a call's objects, as guards read them; apart from these [`tensors`], [`keys`] of dicts, and
//!   [`states`], the global state, of which [`tensor_class`] is a part;
//! - [`snapshots`]: the last check that passed; [`stability`]: its dependencies; [`version_tags`] and [`watchers`], by
//!   which these are known to be unchanged; [`seal`]: their verification;
//! - [`members`]: attributes of classes and instances, bound to nothing; [`weakrefs`]: callbacks of weak references;
//! - [`symbolic`]: asks torch about calls on symbolic sizes;
//! - [`tell`]: the events that listeners and the log are told of;
//! - [`warm_start`]: traces that are kept on disk for other processes;
//! - [`code`], [`constant`]: code objects and constants, read and written; [`graph_code`]: code objects of graphs.

mod arrays;
mod backend;
mod call_guard;
mod check;
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
mod listeners;
mod members;
mod named;
mod not_captured;
mod number_calls;
mod numbers;
mod objects;
mod optimized;
mod others;
mod policies;
mod promises;
mod retired;
mod seal;
mod snapshots;
mod stability;
mod stance;
mod states;
mod substitutes;
mod symbolic;
mod tensor_class;
mod tensors;
mod version_tags;
mod warm_start;
mod watchers;
mod weakrefs;

pub(crate) use graph_code::bytecode_of;
pub(crate) use numbers::{Parts, changes_tensors, has_symbols, take_numbers_out};
pub(crate) use optimized::{Dynamo, Optimized, call_as_it_is, reset};
pub(crate) use policies::is_library;
