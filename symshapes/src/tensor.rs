//! Metadata of tensors: the facts known of a tensor without its values.

use crate::{
    dtype::{DType, Device},
    ids::Expr,
};
use serde::{Deserialize, Serialize};

/// A tensor's metadata. Sizes are in elements; the expressions live in a pool that the reader has to know.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TensorMeta {
    /// Element type.
    pub dtype: DType,
    /// The device that it lives on.
    pub device: Device,
    /// Elements along each dimension.
    pub sizes: Vec<Expr>,
    /// Elements between neighbours along each dimension.
    pub strides: Vec<Expr>,
    /// Elements before the first one in its storage.
    pub offset: Expr,
    /// True if autograd follows it.
    pub requires_grad: bool,
}

impl TensorMeta {
    /// Every expression: sizes, strides, offset.
    pub fn exprs(&self) -> impl Iterator<Item = Expr> {
        self.sizes.iter().chain(&self.strides).copied().chain([self.offset])
    }

    /// Every size, then every stride, then the offset, to be changed.
    pub fn exprs_mut(&mut self) -> impl Iterator<Item = &mut Expr> {
        self.sizes.iter_mut().chain(&mut self.strides).chain([&mut self.offset])
    }
}
