//! Operators that take a number as others that take a tensor, which is what the library can be handed without Python.

use fx::{Arg, NodeId};
use symshapes::{DType, Expr};

use super::{Args, Decompose, Promise, Rewrite, unsupported};
use crate::tensor_ir::{self as tir, Dims, Tensor};

impl Decompose<'_> {
    /// `index_fill` with a number, as with a tensor that holds it.
    pub(super) fn index_fill(&mut self, id: NodeId, a: &Args, promise: &Promise) -> Rewrite {
        let (x, index) = (a.tensor("self")?, a.tensor("index")?);
        let value = self.number(a, "value", self.b.dtype(x))?;
        let args = vec![
            tir::Arg::Tensor(x),
            tir::Arg::Plain(Arg::Int(a.int("dim")?)),
            tir::Arg::Tensor(index),
            tir::Arg::Tensor(value),
        ];
        Ok(self.made_by(id, "aten.index_fill.int_Tensor", args, promise, false))
    }

    /// `index_add` as `scatter_add`, whose places are the index's along the dimension.
    pub(super) fn index_add(&mut self, id: NodeId, a: &Args, promise: &Promise) -> Rewrite {
        let (x, index, source) = (a.tensor("self")?, a.tensor("index")?, a.tensor("source")?);
        let rank = self.b.rank(x);
        let ranks = [self.b.rank(index), self.b.rank(source)];
        if rank == 0 || ranks != [1, rank] || self.b.dtype(source) != self.b.dtype(x) {
            return unsupported("an index of another form");
        }
        let dim = a.dim("dim", rank)?;
        let alpha = self.number(a, "alpha", self.b.dtype(x))?;
        let source = if a.float("alpha")? == 1.0 { source } else { self.b.mul(source, alpha) };
        let index = self.b.convert(index, DType::I64);
        let mut shape: Dims = (0..rank).map(|_| Expr::ONE).collect();
        shape[dim] = self.b.sizes(index)[0];
        let index = self.b.reshape(index, &shape);
        let sizes = Dims::from_slice(self.b.sizes(source));
        let index = self.b.expand(index, &sizes);
        let args = vec![
            tir::Arg::Tensor(x),
            tir::Arg::Plain(Arg::Int(dim as i64)),
            tir::Arg::Tensor(index),
            tir::Arg::Tensor(source),
        ];
        Ok(self.made_by(id, "aten.scatter_add.default", args, promise, false))
    }

    /// A number as a tensor without dimensions, if the dtype holds it.
    fn number(&mut self, a: &Args, name: &str, dtype: DType) -> Rewrite<Tensor> {
        let value = a.float(name)?;
        if !dtype.is_float() && value.fract() != 0.0 {
            return unsupported("a number that the dtype does not hold");
        }
        Ok(self.b.full(value, dtype, &[]))
    }
}
