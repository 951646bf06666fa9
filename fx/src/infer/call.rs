//! One call as a rule sees it: its arguments by name, the tensors' metadata looked up, sizes as expressions.

use super::{InferError, plain::int_of, sizes::Sizes, strides};
use crate::{
    arg::Arg,
    aten::Bound,
    graph::{Meta, Nodes},
};
use std::ops::Deref;
use symshapes::{DType, DTypeClass, Device, Expr, TensorMeta};

/// The outcome of a rule.
pub(super) type Result<T = Meta> = std::result::Result<T, InferError>;

/// A call with bound arguments.
pub(super) struct Call<'a> {
    bound: Bound<'a>,
    nodes: &'a Nodes,
    /// The expressions, and who answers questions about them.
    pub(super) pool: Sizes<'a>,
}

impl<'a> Deref for Call<'a> {
    type Target = Bound<'a>;

    fn deref(&self) -> &Bound<'a> {
        &self.bound
    }
}

impl<'a> Call<'a> {
    pub(super) fn new(bound: Bound<'a>, nodes: &'a Nodes, pool: Sizes<'a>) -> Call<'a> {
        Call { bound, nodes, pool }
    }

    fn name(&self) -> String {
        self.op().name().to_owned()
    }

    /// An error that says what of this call is not covered.
    pub(super) fn unsupported(&self, what: impl Into<String>) -> InferError {
        InferError::Unsupported { op: self.name(), what: what.into() }
    }

    pub(super) fn undecided(&self, what: &'static str) -> InferError {
        InferError::Undecided { op: self.name(), what }
    }

    /// The value of an option, or the error that the shapes of this call do not fit.
    pub(super) fn fits<T>(&self, value: Option<T>) -> Result<T> {
        value.ok_or_else(|| self.rejected("shapes that do not fit"))
    }

    /// An error that says why torch rejects this call.
    pub(super) fn out_of_range(&self) -> InferError {
        InferError::OutOfRange { op: self.name() }
    }

    pub(super) fn rejected(&self, what: &'static str) -> InferError {
        InferError::Rejected { op: self.name(), what }
    }

    /// The error of operands that torch wants to be of one dtype.
    pub(super) fn one_dtype(&self, a: &TensorMeta, b: &TensorMeta) -> Result<()> {
        if a.dtype == b.dtype { Ok(()) } else { Err(self.rejected("operands of two dtypes")) }
    }

    fn meta_of(&self, arg: &Arg) -> Option<&'a Meta> {
        match arg {
            Arg::Node(node) => self.nodes[*node].meta.as_ref(),
            _ => None,
        }
    }

    pub(super) fn tensor(&self, name: &str) -> Result<&'a TensorMeta> {
        let tensor = self.opt_tensor(name)?;
        tensor.ok_or_else(|| self.unsupported(format!("`{name}` that is no tensor")))
    }

    /// The tensor, if the overload has the parameter and the call gives one.
    pub(super) fn opt_tensor(&self, name: &str) -> Result<Option<&'a TensorMeta>> {
        if !self.has(name) {
            return Ok(None);
        }
        let arg = self.get(name);
        match (self.meta_of(arg), arg) {
            (Some(Meta::Tensor(tensor)), _) => Ok(Some(tensor)),
            (Some(_), _) => Ok(None),
            (None, Arg::Node(_)) => Err(InferError::Unknown { op: self.name(), name: name.to_owned() }),
            (None, _) => Ok(None),
        }
    }

    /// The elements of a list of tensors, `None` for those that are absent.
    pub(super) fn opt_tensors(&self, name: &str) -> Result<Vec<Option<&'a TensorMeta>>> {
        let unknown = || InferError::Unknown { op: self.name(), name: name.to_owned() };
        let items = self.list(name).ok_or_else(unknown)?;
        let tensor = |arg: &Arg| match (self.meta_of(arg), arg) {
            (Some(Meta::Tensor(tensor)), _) => Ok(Some(tensor)),
            (None, Arg::None) => Ok(None),
            _ => Err(unknown()),
        };
        items.iter().map(tensor).collect()
    }

    pub(super) fn tensors(&self, name: &str) -> Result<Vec<&'a TensorMeta>> {
        let tensors: Option<Vec<_>> = self.opt_tensors(name)?.into_iter().collect();
        tensors.ok_or_else(|| self.unsupported(format!("`{name}` with an absent tensor")))
    }

    /// True if the overload has the parameter and the call gives something other than `None`.
    pub(super) fn given(&self, name: &str) -> bool {
        self.has(name) && *self.get(name) != Arg::None
    }

    /// An integer argument as an expression.
    pub(super) fn expr_of(&mut self, arg: &Arg) -> Option<Expr> {
        let meta = self.meta_of(arg);
        int_of(&mut self.pool, arg, meta)
    }

    pub(super) fn expr(&mut self, name: &str) -> Result<Expr> {
        let value = self.expr_of(self.bound.get(name));
        value.ok_or_else(|| self.unsupported(format!("`{name}` that is no int")))
    }

    pub(super) fn exprs(&mut self, name: &str) -> Result<Vec<Expr>> {
        let items: &'a [Arg] = self.bound.list(name).unwrap_or(std::slice::from_ref(self.bound.get(name)));
        let values = items.iter().map(|a| self.expr_of(a)).collect::<Option<Vec<_>>>();
        values.ok_or_else(|| self.unsupported(format!("`{name}` that is no list of ints")))
    }

    /// The parameter `dtype`, if the overload has it and the call gives it.
    pub(super) fn dtype(&self) -> Result<Option<DType>> {
        if self.has("dtype") { Ok(self.opt_dtype("dtype")?) } else { Ok(None) }
    }

    /// The sizes to which all of `shapes` broadcast.
    pub(super) fn broadcast(&mut self, shapes: &[&[Expr]]) -> Result<Vec<Expr>> {
        let sizes = self.pool.broadcast(shapes);
        self.fits(sizes.ok_or_else(|| self.undecided("whether two sizes are equal"))?)
    }

    /// Demands that two sizes are equal, as torch does. Where only proofs count it was seen to before.
    pub(super) fn demand_equal(&mut self, a: Expr, b: Expr) -> Result<()> {
        let refused = self.pool.has_to_equal(a, b) == Some(false);
        self.fits((!refused).then_some(()))
    }

    /// Demands that a size is at most another one.
    pub(super) fn demand_at_most(&mut self, a: Expr, b: Expr) -> Result<()> {
        let refused = self.pool.has_to_be_at_most(a, b) == Some(false);
        self.fits((!refused).then_some(()))
    }

    /// Demands that a tensor, if it is given, has these sizes.
    pub(super) fn demand_sizes(&mut self, name: &str, sizes: &[Expr]) -> Result<()> {
        let Some(given) = self.opt_tensor(name)? else { return Ok(()) };
        self.fits((given.sizes.len() == sizes.len()).then_some(()))?;
        given.sizes.iter().zip(sizes).try_for_each(|(&a, &b)| self.demand_equal(a, b))
    }

    /// Demands that some sizes broadcast to others.
    pub(super) fn demand_broadcast(&mut self, from: &[Expr], to: &[Expr]) -> Result<()> {
        let skip = self.fits(to.len().checked_sub(from.len()))?;
        for (&a, &b) in from.iter().zip(&to[skip..]) {
            if self.pool.is_one(a) != Some(true) {
                self.demand_equal(a, b)?;
            }
        }
        Ok(())
    }

    /// A new row-major tensor on the device of `like`.
    pub(super) fn contiguous(&mut self, like: &TensorMeta, dtype: DType, sizes: Vec<Expr>) -> TensorMeta {
        let strides = strides::contiguous(&mut self.pool, &sizes);
        self.strided(like, dtype, sizes, strides)
    }

    /// True if autograd follows one of the tensors that the call is given.
    fn is_recorded(&self) -> bool {
        let requires_grad = |arg: &Arg| match self.meta_of(arg) {
            Some(Meta::Tensor(tensor)) => tensor.requires_grad,
            _ => false,
        };
        self.values().iter().any(|arg| match arg {
            Arg::List(items) | Arg::Tuple(items) => items.iter().any(requires_grad),
            arg => requires_grad(arg),
        })
    }

    /// A new tensor on the device of `like`; autograd follows it if it follows one of the call's tensors.
    pub(super) fn strided(
        &mut self,
        like: &TensorMeta,
        dtype: DType,
        sizes: Vec<Expr>,
        strides: Vec<Expr>,
    ) -> TensorMeta {
        let requires_grad = dtype.class() >= DTypeClass::Float && self.is_recorded();
        TensorMeta { dtype, device: like.device, sizes, strides, offset: Expr::ZERO, requires_grad }
    }

    /// A new tensor of which nothing is given but what the call says.
    pub(super) fn fresh(&mut self, dtype: DType, device: Device, sizes: Vec<Expr>) -> TensorMeta {
        let strides = strides::contiguous(&mut self.pool, &sizes);
        TensorMeta { dtype, device, sizes, strides, offset: Expr::ZERO, requires_grad: false }
    }

    /// A new tensor with the sizes of `like` and, as `preserve_format` has it, the order of its strides.
    pub(super) fn preserved(&mut self, like: &TensorMeta, dtype: DType) -> Result<TensorMeta> {
        let strides = strides::preserved(&mut self.pool, like).ok_or_else(|| self.undecided("the order of strides"))?;
        Ok(self.strided(like, dtype, like.sizes.clone(), strides))
    }

    /// A new tensor of `sizes`, channels last where `last` says so, else row-major.
    pub(super) fn in_format(&mut self, like: &TensorMeta, dtype: DType, sizes: Vec<Expr>, last: bool) -> TensorMeta {
        if last && matches!(sizes.len(), 4 | 5) {
            let strides = strides::channels_last(&mut self.pool, &sizes);
            return self.strided(like, dtype, sizes, strides);
        }
        self.contiguous(like, dtype, sizes)
    }

    /// True if the strides of a tensor suggest channels last for results.
    pub(super) fn suggests_channels_last(&mut self, image: &TensorMeta) -> Result<bool> {
        strides::suggests_channels_last(&mut self.pool, image).ok_or_else(|| self.undecided("the memory format"))
    }

    /// A new tensor of `sizes`, channels last where the strides of `image` suggest it.
    pub(super) fn in_format_of(&mut self, image: &TensorMeta, sizes: Vec<Expr>) -> Result<TensorMeta> {
        let last = self.suggests_channels_last(image)?;
        Ok(self.in_format(image, image.dtype, sizes, last))
    }

    /// The memory format that the call names, if any: applied to `like`'s sizes, else its own order is kept.
    pub(super) fn formatted(&mut self, like: &TensorMeta, dtype: DType) -> Result<TensorMeta> {
        let format = if self.has("memory_format") { self.opt_memory_format("memory_format")? } else { None };
        match format {
            None | Some("preserve_format") => self.preserved(like, dtype),
            Some("contiguous_format") => Ok(self.contiguous(like, dtype, like.sizes.clone())),
            Some("channels_last" | "channels_last_3d") => Ok(self.in_format(like, dtype, like.sizes.clone(), true)),
            Some(other) => Err(self.unsupported(format!("memory format {other}"))),
        }
    }
}

/// A tuple of tensors.
pub(super) fn tuple(tensors: impl IntoIterator<Item = TensorMeta>) -> Meta {
    Meta::Tuple(tensors.into_iter().map(|t| Some(Meta::Tensor(t))).collect())
}

impl From<TensorMeta> for Meta {
    fn from(tensor: TensorMeta) -> Meta {
        Meta::Tensor(tensor)
    }
}
