//! Operators as others that do the same: those that take a number as those that take a tensor, which is what the
//! library can be handed without Python; assignment by a mask as a choice.

use fx::aten::Aten;
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
        Ok(self.made_by(id, Aten::index_fill_int_Tensor, args, promise, false))
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
        // The other operator would take a source of other sizes.
        let mut sizes = Dims::from_slice(self.b.sizes(x));
        sizes[dim] = self.b.sizes(index)[0];
        if sizes[..] != *self.b.sizes(source) {
            return unsupported("a source of other sizes");
        }
        let source = if a.float("alpha")? == 1.0 { source } else { self.scaled(source, a, "alpha")? };
        let index = self.b.convert(index, DType::I64);
        let mut shape: Dims = (0..rank).map(|_| Expr::ONE).collect();
        shape[dim] = self.b.sizes(index)[0];
        let index = self.b.reshape(index, &shape);
        let index = self.b.expand(index, &sizes);
        let args = vec![
            tir::Arg::Tensor(x),
            tir::Arg::Plain(Arg::Int(dim as i64)),
            tir::Arg::Tensor(index),
            tir::Arg::Tensor(source),
        ];
        Ok(self.made_by(id, Aten::scatter_add_default, args, promise, false))
    }

    /// `index_put` by a mask, where the values are the same for every element that it selects: a choice between old and
    /// new.
    pub(super) fn index_put(&mut self, _: NodeId, a: &Args, _: &Promise) -> Rewrite {
        let (x, value) = (a.tensor("self")?, a.tensor("values")?);
        let indices: Vec<Option<Tensor>> = a.tensors("indices")?;
        let [Some(mask), rest @ ..] = &indices[..] else { return unsupported("indexing by tensors") };
        let own = Dims::from_slice(self.b.sizes(x));
        let masked = self.b.rank(*mask);
        let fits = self.b.dtype(*mask) == DType::Bool && rest.iter().all(Option::is_none);
        if !fits || masked == 0 || own.get(..masked) != Some(self.b.sizes(*mask)) {
            return unsupported("indexing by tensors");
        }
        if self.b.dtype(value) != self.b.dtype(x) || self.b.dtype(x) == DType::Bool && a.bool("accumulate")? {
            return unsupported("values of another dtype");
        }
        let mut sizes = Dims::from_slice(self.b.sizes(value));
        let within = own.len() - masked;
        if sizes.len() == within + 1 && sizes[0] == Expr::ONE {
            sizes.remove(0);
        }
        let missing = within.checked_sub(sizes.len());
        let spreads = |skip: usize| sizes.iter().zip(&own[masked + skip..]).all(|(&n, &m)| n == Expr::ONE || n == m);
        if !missing.is_some_and(spreads) {
            return unsupported("values for each element that a mask selects");
        }
        let value = self.b.reshape(value, &sizes);
        let value = self.b.expand(value, &own);
        let shape: Dims = own[..masked].iter().copied().chain((0..within).map(|_| Expr::ONE)).collect();
        let mask = self.b.reshape(*mask, &shape);
        let mask = self.b.expand(mask, &own);
        if !a.bool("accumulate")? {
            return Ok(self.b.select(mask, value, x));
        }
        let compute = a.compute()?;
        let (old, more) = (self.b.convert(x, compute), self.b.convert(value, compute));
        let sum = self.b.add(old, more);
        let sum = self.b.convert(sum, self.b.dtype(x));
        Ok(self.b.select(mask, sum, x))
    }

    /// A tensor times a number, in its own dtype.
    fn scaled(&mut self, x: Tensor, a: &Args, name: &str) -> Rewrite<Tensor> {
        let dtype = self.b.dtype(x);
        let (wide, factor) = (self.b.convert(x, dtype.compute()), self.number(a, name, dtype.compute())?);
        let product = self.b.mul(wide, factor);
        Ok(self.b.convert(product, dtype))
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
