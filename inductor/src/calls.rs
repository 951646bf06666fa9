//! Calls of operators, as both forms of a program with calls have them: in [tensor IR](crate::tensor_ir) arguments and
//! results are tensors, in the [plan](crate::plan) views of buffers and buffers.

use std::fmt::{self, Display, Formatter};

use cranelift_entity::entity_impl;
use fx::{NodeId, Target};
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

/// A call of an operator, with `T` for tensors among its arguments and `R` for those among its results.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Call<T, R> {
    /// `aten.mm.default`: namespace, name and overload; or, for a target that is no such overload, its printed name,
    /// and the executor calls the node's original Python target.
    pub target: Target,
    /// The node in the graph that was compiled.
    pub node: NodeId,
    /// Positional arguments.
    pub args: Vec<CallArg<T>>,
    /// Keyword arguments.
    pub kwargs: Vec<(String, CallArg<T>)>,
    /// One for each result of the operator; an operator with a single (non-tuple) result has one.
    pub results: Vec<CallResult<R>>,
    /// True if the operator returns a tuple or list even when `results` has one element.
    pub tuple: bool,
    /// The reason why it is a call.
    pub kind: CallKind,
}

impl<T, R> Call<T, R> {
    /// All arguments, positional ones first.
    pub fn arguments(&self) -> impl Iterator<Item = &CallArg<T>> {
        self.args.iter().chain(self.kwargs.iter().map(|(_, arg)| arg))
    }

    /// All arguments, positional ones first, to change them.
    pub fn arguments_mut(&mut self) -> impl Iterator<Item = &mut CallArg<T>> {
        self.args.iter_mut().chain(self.kwargs.iter_mut().map(|(_, arg)| arg))
    }

    /// Calls `f` on every tensor among the arguments, positional ones first.
    pub fn for_each_tensor(&self, f: &mut impl FnMut(&T)) {
        self.arguments().for_each(|arg| arg.for_each_tensor(f));
    }

    /// Calls `f` on every tensor among the arguments, positional ones first, to change it.
    pub fn for_each_tensor_mut(&mut self, f: &mut impl FnMut(&mut T)) {
        self.arguments_mut().for_each(|arg| arg.for_each_tensor_mut(f));
    }

    /// The tensors among its results.
    pub fn result_tensors(&self) -> impl Iterator<Item = &R> {
        self.results.iter().filter_map(CallResult::tensor)
    }

    /// The tensors among its results, to change them.
    pub fn result_tensors_mut(&mut self) -> impl Iterator<Item = &mut R> {
        self.results.iter_mut().filter_map(CallResult::tensor_mut)
    }
}

impl<T: Display, R> Call<T, R> {
    /// Writes the call without its results, with a mark behind the arguments.
    pub(crate) fn write(&self, f: &mut Formatter<'_>, mark: &str) -> fmt::Result {
        let word = if self.kind == CallKind::Extern { "extern" } else { "fallback" };
        write!(f, "{word} {}({}", self.target, Joined(&self.args))?;
        for (name, value) in &self.kwargs {
            write!(f, ", {name}={value}")?;
        }
        write!(f, "){mark}")?;
        match &self.kind {
            CallKind::Extern => Ok(()),
            CallKind::Fallback(reason) => write!(f, "  # {reason}"),
        }
    }
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

impl<T> CallResult<T> {
    /// The tensor that it is.
    pub fn tensor(&self) -> Option<&T> {
        if let CallResult::Tensor(tensor) = self { Some(tensor) } else { None }
    }

    /// The tensor that it is, to change it.
    pub fn tensor_mut(&mut self) -> Option<&mut T> {
        if let CallResult::Tensor(tensor) = self { Some(tensor) } else { None }
    }
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
