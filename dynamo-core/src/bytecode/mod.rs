//! CPython bytecode, in and out.
//!
//! [`decode`] turns a [`CodeObject`] into a [`Body`]: instructions with labels, source positions and exception
//! handlers. [`encode`] sees only those and computes everything else anew: code bytes with caches and
//! `EXTENDED_ARG`, jump offsets, the line table, the exception table and the stack depth.
//!
//! - [`opcodes`]: one table per version, one row per opcode;
//! - [`body`]: what is edited, and its text form (`display`, `parse`);
//! - [`depth`]: the height of the stack before each instruction;
//! - [`location`], [`exceptions`]: the two packed tables of a code object;
//! - [`flow`], [`access`]: where execution goes, which slots are read and written;
//! - [`liveness`], [`frames`]: which locals are still needed, which slots hold values;
//! - [`operands`]: what numbers and flags among arguments stand for;
//! - [`builder`]: code for every version by one set of calls;
//! - [`mod@resume`], [`split`]: a function that goes on in the middle of another, and the two made of one;
//! - `with_entry`: the instructions that enter a `with` block;
//! - [`renumber`], [`mod@unreachable`], [`call_pads`], [`super_calls`], `borrowed`: what is done to bodies on the way.
//!
//! ```
//! use dynamo_core::bytecode::{Body, encode};
//!
//! let body: Body = "python 3.12
//! L0:
//!     RESUME 0 @1
//!     JUMP_BACKWARD L0 @2".parse()?;
//! assert_eq!(encode(&body, 1)?.code, [151, 0, 140, 2]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Invariant: code bytes are de-specialised (what the attribute `co_code` gives): adaptive and instrumented
//! opcodes are unknown opcodes here.

pub mod access;
pub mod body;
mod borrowed;
pub mod builder;
pub mod call_pads;
pub mod code;
mod decode;
pub mod depth;
mod dialect;
mod display;
mod encode;
pub mod exceptions;
pub mod flow;
pub mod frames;
pub mod liveness;
pub mod location;
pub mod opcodes;
pub mod operands;
mod parse;
pub mod renumber;
pub mod resume;
pub mod split;
pub mod super_calls;
pub mod unreachable;
mod unused;
mod varint;
pub(crate) mod with_entry;

pub use body::{Arg, Body, Comparison, ConstId, Handler, HandlerId, Inst, InstData, Label, LocalId, NameId, Operand};
pub use builder::Builder;
pub use code::{CodeObject, Const, Version};
pub use decode::{DecodeError, decode, offsets};
pub use depth::{Depths, stack_depths};
pub use dialect::Condition;
pub use display::Listing;
pub use encode::{EncodeError, Encoded, encode};
pub use flow::DepthError;
pub use frames::{FrameState, FrameStates, Slot};
pub use liveness::{LiveListing, Liveness};
pub use location::Span;
pub use opcodes::Op;
pub use parse::ParseError;
pub use resume::{
    Continuation, Form, Obstacle, Parameter, Resume, ResumeError, STACK, Source, resume, resume_generator,
};
pub use split::{Split, Splitter};
