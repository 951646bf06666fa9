//! One call as a rule sees it: its arguments by name, tensors looked up.

use super::{InterpError, Tensor, Value, tensor::broadcast_sizes};
use fx::{arg::Arg, aten::Bound, graph::NodeId, scalar::Scalar};
use rustc_hash::FxHashMap;
use std::ops::Deref;
use symshapes::DType;

/// The values computed so far.
pub(super) type Env = FxHashMap<NodeId, Value>;

/// The result of a rule.
pub(super) type Result<T = Value> = std::result::Result<T, InterpError>;

/// The function that is computed of one element of each operand that is present.
pub(super) type Kernel<'a> = Box<dyn Fn(&[Scalar]) -> Scalar + 'a>;

/// A call with bound arguments; plain values of other nodes are already put in.
pub(super) struct Call<'a> {
    bound: Bound<'a>,
    env: &'a Env,
}

impl<'a> Deref for Call<'a> {
    type Target = Bound<'a>;

    fn deref(&self) -> &Bound<'a> {
        &self.bound
    }
}

impl<'a> Call<'a> {
    pub(super) fn new(bound: Bound<'a>, env: &'a Env) -> Call<'a> {
        Call { bound, env }
    }

    /// An error that says what of this call is not covered.
    pub(super) fn unsupported(&self, what: impl Into<String>) -> InterpError {
        InterpError::Unsupported { op: self.op().name().to_owned(), what: what.into() }
    }

    /// The value of an option, or the error that the shapes of this call do not fit.
    pub(super) fn fits<T>(&self, value: Option<T>) -> Result<T> {
        value.ok_or_else(|| self.unsupported("shapes that do not fit"))
    }

    fn of(&self, node: NodeId) -> Option<&'a Tensor> {
        match self.env.get(&node) {
            Some(Value::Tensor(tensor)) => Some(tensor),
            _ => None,
        }
    }

    pub(super) fn tensor(&self, name: &str) -> Result<&'a Tensor> {
        self.opt_tensor(name).ok_or_else(|| self.unsupported(format!("`{name}` that is no tensor")))
    }

    /// The tensor, if the overload has the parameter and the call gives one.
    pub(super) fn opt_tensor(&self, name: &str) -> Option<&'a Tensor> {
        if self.has(name) { self.of(self.node(name)?) } else { None }
    }

    pub(super) fn tensors(&self, name: &str) -> Result<Vec<&'a Tensor>> {
        let tensors: Option<Vec<_>> = self.opt_tensors(name)?.into_iter().collect();
        tensors.ok_or_else(|| self.unsupported(format!("`{name}` with an absent tensor")))
    }

    pub(super) fn opt_tensors(&self, name: &str) -> Result<Vec<Option<&'a Tensor>>> {
        Ok(self.nodes(name)?.into_iter().map(|n| n.and_then(|n| self.of(n))).collect())
    }

    /// A number.
    pub(super) fn scalar(&self, name: &str) -> Result<Scalar> {
        self.opt_scalar(name).ok_or_else(|| self.unsupported(format!("`{name}` that is no number")))
    }

    /// The number, if the overload has the parameter and the call gives one.
    pub(super) fn opt_scalar(&self, name: &str) -> Option<Scalar> {
        if !self.has(name) {
            return None;
        }
        match self.get(name) {
            Arg::Int(i) => Some(Scalar::Int(*i)),
            Arg::Bool(b) => Some((*b).into()),
            Arg::Float(x) => Some(Scalar::Float(*x)),
            _ => None,
        }
    }

    /// A list of sizes, none of them negative.
    pub(super) fn sizes(&self, name: &str) -> Result<Vec<usize>> {
        let sizes = self.ints(name)?.into_iter().map(|s| usize::try_from(s).ok()).collect::<Option<Vec<_>>>();
        self.fits(sizes)
    }

    /// A parameter's dtype, if the overload has it and the call gives it.
    pub(super) fn dtype(&self) -> Result<Option<DType>> {
        if self.has("dtype") { Ok(self.opt_dtype("dtype")?) } else { Ok(None) }
    }

    /// The tensors' common sizes.
    pub(super) fn broadcast(&self, tensors: &[&Tensor]) -> Result<Vec<usize>> {
        self.fits(broadcast_sizes(tensors.iter().map(|t| t.sizes())))
    }
}

impl From<Tensor> for Value {
    fn from(tensor: Tensor) -> Value {
        Value::Tensor(tensor)
    }
}

/// A tuple of tensors.
pub(super) fn tuple(tensors: impl IntoIterator<Item = Tensor>) -> Value {
    Value::Tuple(tensors.into_iter().map(Value::Tensor).collect())
}
