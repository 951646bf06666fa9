//! Arguments and results of calls, as both forms of a program with calls have them: in [tensor IR](crate::tensor_ir)
//! they are tensors, in the [plan](crate::plan) views of buffers.

use std::fmt::{self, Display, Formatter};

use cranelift_entity::entity_impl;
use serde::{Deserialize, Serialize};

/// A value that is no tensor, handed from one opaque call to another.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ObjectId(u32);
entity_impl!(ObjectId, "o");

/// The reason why an operator is called rather than compiled.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum CallKind {
    /// A library does it best (matmul, convolution, attention, pooling, random numbers).
    Extern,
    /// No rule covers it; the text says what is missing.
    Fallback(String),
}

/// An argument of a call: as in the graph, with `T` for tensors.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum CallArg<T> {
    /// A tensor.
    Tensor(T),
    /// The value of an earlier call that is no tensor, such as an integer or a generator.
    Object(ObjectId),
    /// A list of arguments.
    List(Vec<CallArg<T>>),
    /// Anything without tensors.
    Plain(fx::Arg),
}

impl<T> CallArg<T> {
    /// Calls `f` on every tensor inside.
    pub fn for_each_tensor(&self, f: &mut impl FnMut(&T)) {
        match self {
            CallArg::Tensor(tensor) => f(tensor),
            CallArg::List(items) => items.iter().for_each(|item| item.for_each_tensor(f)),
            CallArg::Object(_) | CallArg::Plain(_) => {}
        }
    }

    /// Calls `f` on every tensor inside, to change it.
    pub fn for_each_tensor_mut(&mut self, f: &mut impl FnMut(&mut T)) {
        match self {
            CallArg::Tensor(tensor) => f(tensor),
            CallArg::List(items) => items.iter_mut().for_each(|item| item.for_each_tensor_mut(f)),
            CallArg::Object(_) | CallArg::Plain(_) => {}
        }
    }

    /// The argument with each tensor replaced.
    pub fn map<U>(&self, f: &mut impl FnMut(&T) -> U) -> CallArg<U> {
        match self {
            CallArg::Tensor(tensor) => CallArg::Tensor(f(tensor)),
            CallArg::Object(object) => CallArg::Object(*object),
            CallArg::List(items) => CallArg::List(items.iter().map(|item| item.map(f)).collect()),
            CallArg::Plain(plain) => CallArg::Plain(plain.clone()),
        }
    }
}

/// A result of a call, with `T` for tensors.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub enum CallResult<T> {
    /// Absent, or nothing uses it.
    Unused,
    /// A tensor.
    Tensor(T),
    /// Anything else.
    Object(ObjectId),
}

impl<T: Copy> CallResult<T> {
    /// The result with its tensor replaced.
    pub fn map<U>(self, f: &mut impl FnMut(T) -> U) -> CallResult<U> {
        match self {
            CallResult::Unused => CallResult::Unused,
            CallResult::Tensor(tensor) => CallResult::Tensor(f(tensor)),
            CallResult::Object(object) => CallResult::Object(object),
        }
    }
}

/// Items with commas between them.
pub(crate) struct Joined<'a, T>(pub(crate) &'a [T]);

impl<T: Display> Display for Joined<'_, T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (k, item) in self.0.iter().enumerate() {
            write!(f, "{}{item}", if k == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}

impl<T: Display> Display for CallArg<T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            CallArg::Tensor(tensor) => write!(f, "{tensor}"),
            CallArg::Object(object) => write!(f, "{object}"),
            CallArg::List(items) => write!(f, "[{}]", Joined(items)),
            CallArg::Plain(arg) => write!(f, "{arg:?}"),
        }
    }
}

impl<T: Display> Display for CallResult<T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            CallResult::Unused => f.write_str("_"),
            CallResult::Tensor(tensor) => write!(f, "{tensor}"),
            CallResult::Object(object) => write!(f, "{object}"),
        }
    }
}
