//! The symbolic interpreter: runs a function's bytecode on tracked values, and writes what it does with tensors into a
//! graph, what it assumed into guards, and what it changed into effects.
//!
//! In layers, the lowest first; none names another above it:
//! - `core`: tracked values, the heap, the graph, guards and modes, each with its checkpoint;
//! - `signature`: how calls of functions without bytecode bind arguments;
//! - `python`: rules for Python's functions, classes and methods, a row each;
//! - `values`: operators, attributes and items by the kind of value;
//! - `graph`: what goes into the graph, and what may raise when it runs;
//! - `inputs`: objects of the running program, tracked and guarded when they are first used;
//! - `torch`: rules for torch's functions and classes; `objects`: the program's objects and classes;
//! - `library`: finds the rules;
//! - `output`: the code that runs in the function's place;
//! - `interp`: instructions, calls, exceptions, `with`.
//!
//! Methods of `Tracer` are the one way from a layer to those above it.
//!
//! `options` says how to trace, `capture` what a trace gives.
//!
//! **Speculation.** Before each instruction of the traced function a checkpoint is taken: lengths and copies of a few
//! small vectors, by `Speculative`. An instruction that cannot be traced, however deep in inlined calls, gives a
//! `Reason`; everything since the checkpoint is dropped, and the graph ends before that instruction. Nothing is traced
//! twice.
//!
//! Invariant: no step runs the user's code or changes an object of the running program.

mod capture;
mod core;
mod graph;
mod inputs;
mod interp;
mod library;
mod memo;
mod objects;
mod options;
mod output;
mod python;
mod signature;
mod torch;
mod values;

pub use self::core::{
    call_stack::Followed,
    recording::{Origin, Origins},
};
pub use capture::{Break, Capture};
pub use inputs::symbolic::input_name;
pub use interp::{
    root::trace,
    untraced::{INTRINSICS, UNTRACED},
};
pub use library::{has_row, signatures};
pub use memo::Memo;
pub use options::{Dynamic, Options};
pub use output::{OPAQUE_BASE, Opaque};

use self::core::{ids::Traced, tracer::Tracer};
