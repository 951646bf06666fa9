//! Symbolic sizes: read from the graph, and found among the arguments of a call.

use crate::torch::{Torch, tensor};
use fx::Graph;
use inductor::sizes::{Source, given};
use pyo3::prelude::*;
use smallvec::SmallVec;
use symshapes::{Pool, Sym};

/// The values of a graph's symbols in one call.
pub(crate) type Values = SmallVec<[i64; 6]>;

/// The symbols that inputs give, each with the place of its value.
#[derive(Debug)]
pub(crate) struct Symbols {
    given: Vec<(Sym, Source)>,
}

impl Symbols {
    /// The symbols of a graph; none for one of constant shapes.
    pub(crate) fn of(graph: &Graph) -> Symbols {
        let mut given: Vec<_> = given(graph).into_iter().collect();
        given.sort_unstable();
        Symbols { given }
    }

    /// True if all shapes are constant.
    pub(crate) fn is_empty(&self) -> bool {
        self.given.is_empty()
    }

    /// The values in a call; `None` if an argument that gives one is no plain tensor or number.
    pub(crate) fn read(&self, torch: &Torch, args: &[Bound<'_, PyAny>]) -> Option<Values> {
        self.given.iter().map(|&(_, source)| read(torch, source, args)).collect()
    }

    /// The value of a symbol, given those of all.
    pub(crate) fn find(&self, sym: Sym, values: &Values) -> Option<i64> {
        let at = self.given.binary_search_by_key(&sym, |&(sym, _)| sym).ok()?;
        values.get(at).copied()
    }

    /// The first value that the graph was not traced for.
    pub(crate) fn unexpected(&self, pool: &Pool, values: &Values) -> Option<String> {
        let outside =
            self.given.iter().zip(values).find(|((sym, _), value)| !pool.symbol_range(*sym).contains(**value));
        outside.map(|((sym, _), value)| format!("{} = {value} is not in {}", pool.name(*sym), pool.symbol_range(*sym)))
    }
}

fn read(torch: &Torch, source: Source, args: &[Bound<'_, PyAny>]) -> Option<i64> {
    let (index, dim) = match source {
        Source::Int(index) => return args.get(index)?.extract().ok(),
        Source::Size(index, dim) | Source::Stride(index, dim) => (index, dim),
    };
    let arg = args.get(index).filter(|a| torch.is_plain_tensor(a))?;
    let shared = torch.borrow_raw(arg).is_none().then(|| torch.share(arg)).transpose().ok()?;
    let raw = torch.borrow_raw(arg).or_else(|| shared.as_ref().map(tensor::Tensor::raw))?;
    let info = tensor::info(raw).ok()?;
    let dims = if matches!(source, Source::Size(..)) { info.sizes } else { info.strides };
    dims.get(dim).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use fx::{Meta, TensorMeta};
    use symshapes::{DType, Device, Expr, Range};

    #[test]
    fn values_are_found_by_symbol_and_checked_against_what_was_traced() {
        let mut g = Graph::new();
        let s0 = g.exprs.symbol("s0", Range::new(2, i64::MAX));
        let size = g.exprs.sym(s0);
        let double = g.exprs.mul_int(size, 2);
        let x = g.placeholder("x");
        g[x].meta = Some(Meta::Tensor(TensorMeta {
            dtype: DType::F32,
            device: Device::CPU,
            sizes: vec![double, size],
            strides: vec![size, Expr::ONE],
            offset: Expr::ZERO,
            requires_grad: false,
        }));
        let symbols = Symbols::of(&g);
        assert_eq!(symbols.given, [(s0, Source::Size(0, 1))]);
        let values: Values = [5].as_slice().into();
        assert_eq!(symbols.find(s0, &values), Some(5));
        assert_eq!(symbols.unexpected(&g.exprs, &values), None);
        let one: Values = [1].as_slice().into();
        assert_eq!(symbols.unexpected(&g.exprs, &one).as_deref(), Some("s0 = 1 is not in [2, int_oo]"));
    }
}
