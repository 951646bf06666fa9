//! Symbolic sizes: read from the graph, bound at call time, replaced by their values.
//!
//! A graph with symbols is compiled once for each set of values. Invariant: after [`Symbols::specialise`] every
//! expression of the graph is a constant, and a node whose value is an `int` is no argument of any other.

use crate::import::Imported;
use fx::{Arg, Graph, Meta, NodeId, TensorMeta};
use rustc_hash::{FxHashMap, FxHashSet};
use symshapes::{Expr, Pool, Sym};

/// Reads a symbolic size from sympy's text.
pub(crate) fn parse(pool: &mut Pool, text: &str) -> Result<Expr, String> {
    pool.parse(text).map_err(|error| format!("symbolic size: {error}"))
}

/// Where a symbol's value is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Source {
    /// The argument is the value.
    Int(usize),
    /// A size of a tensor argument.
    Size(usize, usize),
    /// A stride of a tensor argument.
    Stride(usize, usize),
}

/// The symbols of a graph, each with the place of its value.
#[derive(Debug)]
pub(crate) struct Symbols {
    bound: Vec<(Sym, Source)>,
}

impl Symbols {
    /// The symbols that the graph uses; none for a graph of constant shapes.
    ///
    /// # Errors
    /// A symbol that no argument gives.
    pub(crate) fn of(graph: &Graph) -> Result<Symbols, String> {
        let sources = sources(graph);
        let mut bound = Vec::new();
        for sym in used(graph) {
            let source = sources.get(&sym);
            let source = source.ok_or_else(|| format!("no argument gives the value of `{}`", graph.exprs.name(sym)))?;
            bound.push((sym, *source));
        }
        Ok(Symbols { bound })
    }

    /// True if all shapes are constant.
    pub(crate) fn is_empty(&self) -> bool {
        self.bound.is_empty()
    }

    /// Where the values are read, in the order of the key for [`Symbols::specialise`].
    pub(crate) fn sources(&self) -> impl Iterator<Item = Source> {
        self.bound.iter().map(|&(_, source)| source)
    }

    /// The graph for these values of the symbols.
    ///
    /// # Errors
    /// An expression that has no value.
    pub(crate) fn specialise(&self, graph: &Graph, values: &[i64]) -> Result<Graph, String> {
        let values: FxHashMap<Sym, i64> = self.bound.iter().map(|&(s, _)| s).zip(values.iter().copied()).collect();
        let mut into = graph.clone();
        let mut ints = FxHashMap::default();
        for node in graph.nodes() {
            if let Some(meta) = &graph[node].meta {
                let meta = Substitution { from: &graph.exprs, into: &mut into.exprs, values: &values }.meta(meta)?;
                if let Meta::Int(e) = meta
                    && let Some(value) = into.exprs.as_int(e)
                {
                    ints.insert(node, value);
                }
                into[node].meta = Some(meta);
            }
            let mut failed = None;
            for arg in into[node].all_args_mut() {
                let done = replace(arg, &ints, &graph.exprs, &values);
                failed = failed.or(done.err());
            }
            if let Some(why) = failed {
                return Err(format!("{}: {why}", graph[node].name));
            }
        }
        Ok(into)
    }
}

/// The symbols of every expression in the graph.
fn used(graph: &Graph) -> Vec<Sym> {
    let mut exprs: FxHashSet<Expr> = FxHashSet::default();
    for node in graph.nodes() {
        if let Some(meta) = &graph[node].meta {
            meta_exprs(meta, &mut |e| {
                exprs.insert(e);
            });
        }
        graph[node].all_args().for_each(|arg| {
            arg_exprs(arg, &mut |e| {
                exprs.insert(e);
            });
        });
    }
    let mut syms: Vec<_> = exprs.into_iter().flat_map(|e| graph.exprs.symbols(e)).collect();
    syms.sort_unstable();
    syms.dedup();
    syms
}

/// Where placeholders give a symbol as it is. An integer argument comes before a size, a size before a stride.
fn sources(graph: &Graph) -> FxHashMap<Sym, Source> {
    let mut found = Vec::new();
    for (index, node) in graph.placeholders().enumerate() {
        match &graph[node].meta {
            Some(Meta::Int(e)) => found.push((*e, Source::Int(index))),
            Some(Meta::Tensor(tensor)) => {
                found.extend(tensor.sizes.iter().enumerate().map(|(d, &e)| (e, Source::Size(index, d))));
                found.extend(tensor.strides.iter().enumerate().map(|(d, &e)| (e, Source::Stride(index, d))));
            }
            _ => {}
        }
    }
    let rank = |source: &Source| match source {
        Source::Int(_) => 0,
        Source::Size(..) => 1,
        Source::Stride(..) => 2,
    };
    found.sort_by_key(|(_, source)| rank(source));
    let mut sources = FxHashMap::default();
    for (e, source) in found {
        if let Some(sym) = graph.exprs.as_sym(e) {
            sources.entry(sym).or_insert(source);
        }
    }
    sources
}

fn meta_exprs(meta: &Meta, f: &mut impl FnMut(Expr)) {
    match meta {
        Meta::Tensor(t) => t.sizes.iter().chain(&t.strides).chain([&t.offset]).copied().for_each(f),
        Meta::Int(e) => f(*e),
        Meta::Plain(arg) => arg_exprs(arg, f),
        Meta::Tuple(parts) => parts.iter().flatten().for_each(|m| meta_exprs(m, f)),
    }
}

fn arg_exprs(arg: &Arg, f: &mut impl FnMut(Expr)) {
    match arg {
        Arg::Sym(e) => f(*e),
        Arg::Slice(parts) => parts.iter().for_each(|a| arg_exprs(a, f)),
        Arg::List(items) | Arg::Tuple(items) => items.iter().for_each(|a| arg_exprs(a, f)),
        Arg::Dict(items) => items.iter().for_each(|(k, v)| {
            arg_exprs(k, f);
            arg_exprs(v, f);
        }),
        _ => {}
    }
}

/// Symbols replaced by their values.
struct Substitution<'a> {
    from: &'a Pool,
    into: &'a mut Pool,
    values: &'a FxHashMap<Sym, i64>,
}

impl Substitution<'_> {
    fn expr(&mut self, e: Expr) -> Result<Expr, String> {
        let value = eval(self.from, e, self.values)?;
        Ok(self.into.int(value))
    }

    fn meta(&mut self, meta: &Meta) -> Result<Meta, String> {
        Ok(match meta {
            Meta::Tensor(tensor) => Meta::Tensor(self.tensor(tensor)?),
            Meta::Int(e) => Meta::Int(self.expr(*e)?),
            Meta::Plain(arg) => Meta::Plain(arg.clone()),
            Meta::Tuple(parts) => {
                let parts = parts.iter().map(|part| part.as_ref().map(|m| self.meta(m)).transpose());
                Meta::Tuple(parts.collect::<Result<_, _>>()?)
            }
        })
    }

    fn tensor(&mut self, tensor: &TensorMeta) -> Result<TensorMeta, String> {
        let sizes = tensor.sizes.iter().map(|&e| self.expr(e)).collect::<Result<_, _>>()?;
        let strides = tensor.strides.iter().map(|&e| self.expr(e)).collect::<Result<_, _>>()?;
        let offset = self.expr(tensor.offset)?;
        Ok(TensorMeta { sizes, strides, offset, ..tensor.clone() })
    }
}

fn eval(pool: &Pool, e: Expr, values: &FxHashMap<Sym, i64>) -> Result<i64, String> {
    let value = pool.eval(e, &|sym| values.get(&sym).copied());
    value.ok_or_else(|| format!("`{}` has no value", pool.display(e)))
}

/// Replaces symbols and the nodes of known ints inside an argument.
fn replace(
    arg: &mut Arg,
    ints: &FxHashMap<NodeId, i64>,
    pool: &Pool,
    values: &FxHashMap<Sym, i64>,
) -> Result<(), String> {
    match arg {
        Arg::Node(node) => {
            if let Some(&value) = ints.get(node) {
                *arg = Arg::Int(value);
            }
            Ok(())
        }
        Arg::Sym(e) => {
            *arg = Arg::Int(eval(pool, *e, values)?);
            Ok(())
        }
        Arg::Slice(parts) => parts.iter_mut().try_for_each(|a| replace(a, ints, pool, values)),
        Arg::List(items) | Arg::Tuple(items) => items.iter_mut().try_for_each(|a| replace(a, ints, pool, values)),
        Arg::Dict(items) => items.iter_mut().try_for_each(|(k, v)| {
            replace(k, ints, pool, values)?;
            replace(v, ints, pool, values)
        }),
        _ => Ok(()),
    }
}

/// The graph of an import with another one in its place.
pub(crate) fn with_graph(imported: &Imported, graph: Graph, py: pyo3::Python<'_>) -> Imported {
    Imported {
        graph,
        callables: imported.callables.iter().map(|(node, f)| (*node, f.clone_ref(py))).collect(),
        constants: imported.constants.iter().map(|(node, t)| (*node, t.clone_ref(py))).collect(),
        opaques: imported.opaques.iter().map(|o| o.clone_ref(py)).collect(),
        types: FxHashMap::default(),
        obstacle: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use symshapes::{DType, Device};

    /// `x: (s0, 2*s0)`, `y = view(x, [s0*s0*2])`, and `n = s0 + 1` handed to a call.
    fn graph() -> Graph {
        let mut g = Graph::new();
        let s0 = parse(&mut g.exprs, "s0").expect("a symbol");
        let double = parse(&mut g.exprs, "2*s0").expect("a product");
        let (zero, one) = (g.exprs.int(0), g.exprs.int(1));
        let x = g.placeholder("x");
        g[x].meta = Some(Meta::Tensor(TensorMeta {
            dtype: DType::F32,
            device: Device::CPU,
            sizes: vec![s0, double],
            strides: vec![double, one],
            offset: zero,
            requires_grad: false,
        }));
        let n = g.call_function("operator.add", vec![Arg::Sym(s0), Arg::Int(1)], vec![]);
        g[n].meta = Some(Meta::Int(parse(&mut g.exprs, "s0 + 1").expect("a sum")));
        let y = g.call_function("aten.expand.default", vec![x.into(), Arg::List(vec![n.into(), Arg::Int(3)])], vec![]);
        g.output(Arg::Tuple(vec![y.into()]));
        g
    }

    #[test]
    fn a_symbol_is_bound_to_the_size_that_is_it_and_replaced_everywhere() {
        let graph = graph();
        let symbols = Symbols::of(&graph).expect("s0 is a size of x");
        assert_eq!(symbols.sources().collect::<Vec<_>>(), [Source::Size(0, 0)]);
        let special = symbols.specialise(&graph, &[5]).expect("every expression has a value");
        let x = special.placeholders().next().expect("one input");
        let sizes: Vec<_> = special[x].tensor_meta().expect("a tensor").sizes.clone();
        assert_eq!(sizes.iter().map(|&e| special.exprs.as_int(e)).collect::<Vec<_>>(), [Some(5), Some(10)]);
        let expand = special.nodes().nth(2).expect("three nodes before the output");
        assert_eq!(special[expand].args[1], Arg::List(vec![Arg::Int(6), Arg::Int(3)]));
    }

    #[test]
    fn a_symbol_that_no_argument_gives_is_an_error() {
        let mut graph = graph();
        let u0 = parse(&mut graph.exprs, "u0").expect("a symbol");
        let node = graph.nodes().nth(1).expect("a call");
        graph[node].args[1] = Arg::Sym(u0);
        assert_eq!(Symbols::of(&graph).expect_err("u0 is unbacked"), "no argument gives the value of `u0`");
    }
}
