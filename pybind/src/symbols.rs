//! Symbolic sizes: read from the graph, and found among the arguments of a call.

use crate::torch::{Torch, tensor};
use fx::symbols::{Source, given};
use fx::{Graph, TensorMeta};
use inductor::plan::SizeError;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use smallvec::SmallVec;
use symshapes::Sym;

/// The values of a graph's symbols in one call.
pub(crate) type Values = SmallVec<[i64; 6]>;

/// The symbols that inputs give, each with the place of its value.
#[derive(Debug)]
pub(crate) struct Symbols {
    given: Vec<(Sym, Source)>,
    /// The inputs' names.
    names: Vec<String>,
}

impl Symbols {
    /// The symbols of a graph; none for one of constant shapes.
    pub(crate) fn of(graph: &Graph) -> Symbols {
        let mut given: Vec<_> = given(graph).into_iter().collect();
        given.sort_unstable();
        Symbols { given, names: graph.placeholders().map(|node| graph[node].name.to_string()).collect() }
    }

    /// True if all shapes are constant.
    pub(crate) fn is_empty(&self) -> bool {
        self.given.is_empty()
    }

    /// The values in a call; `None` if an argument that gives one is no plain tensor or number.
    pub(crate) fn read(&self, torch: &Torch, args: &[Bound<'_, PyAny>]) -> Option<Values> {
        self.given.iter().map(|&(_, source)| read(torch, source, args)).collect()
    }

    /// The symbols, in the order of their values.
    pub(crate) fn list(&self) -> impl Iterator<Item = Sym> {
        self.given.iter().map(|&(sym, _)| sym)
    }

    /// The value of a symbol, given those of all.
    pub(crate) fn find(&self, sym: Sym, values: &Values) -> Option<i64> {
        let at = self.given.binary_search_by_key(&sym, |&(sym, _)| sym).ok()?;
        values.get(at).copied()
    }

    /// The exception for sizes that the graph was not compiled for, which names the inputs that have them, and the
    /// user's lines that ask for a tensor of such a size.
    pub(crate) fn exception(&self, error: &SizeError, values: &Values, graph: &Graph) -> PyErr {
        match *error {
            SizeError::Range { symbol, value, range, .. } => {
                let source =
                    self.given.iter().find(|&&(sym, _)| sym == symbol).map(|&(_, source)| self.describe(source));
                let source = source.unwrap_or_else(|| "a size".to_owned());
                PyValueError::new_err(format!("{source} is {value}, but the graph was compiled for {range}"))
            }
            _ => {
                let source =
                    |(&(_, source), value): (&(Sym, Source), &i64)| format!("{} is {value}", self.describe(source));
                let sources: Vec<String> = self.given.iter().zip(values).map(source).collect();
                let lines = self.asking(error, values, graph).map(|lines| format!("\nfrom user code:\n{lines}"));
                PyRuntimeError::new_err(format!("{error}; {}{}", sources.join(", "), lines.unwrap_or_default()))
            }
        }
    }

    /// The user's lines of the first node that gives a tensor of the sizes at fault.
    fn asking<'g>(&self, error: &SizeError, values: &Values, graph: &'g Graph) -> Option<&'g str> {
        let pool = &graph.exprs;
        let of_value = |e| pool.eval(e, &|sym| self.find(sym, values));
        let is_asked = |meta: &TensorMeta| match error {
            SizeError::NoValue { size, .. } | SizeError::Negative { size, .. } => {
                meta.exprs().any(|e| pool.display(e).to_string() == *size)
            }
            SizeError::Memory { data, .. } => {
                let sizes: Vec<Option<i64>> = meta.sizes.iter().map(|&e| of_value(e)).collect();
                data.layout.sizes.iter().copied().map(Some).eq(sizes)
            }
            SizeError::Range { .. } | SizeError::Arena => false,
        };
        let mut nodes = graph.nodes().map(|id| &graph[id]).filter(|node| node.tensor_meta().is_some_and(is_asked));
        nodes.find_map(|node| node.stack_trace.as_deref()).map(str::trim_end)
    }

    /// A source in words.
    fn describe(&self, source: Source) -> String {
        let name = |input: usize| self.names.get(input).map_or("?", String::as_str);
        match source {
            Source::Int(input) => format!("the input `{}`", name(input)),
            Source::Size(input, dim) => format!("size {dim} of the input `{}`", name(input)),
            Source::Stride(input, dim) => format!("stride {dim} of the input `{}`", name(input)),
        }
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
    use fx::Meta;
    use symshapes::{DType, Device, Expr, Range};

    #[test]
    fn values_are_found_by_symbol_and_sources_are_named() {
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
        assert_eq!(symbols.describe(Source::Size(0, 1)), "size 1 of the input `x`");
    }
}
