//! Symbolic sizes spelled out: Python runs a graph only if nodes compute them.

use crate::arg::Arg;
use crate::aten::Aten;
use crate::graph::{Graph, Kind, Meta, NodeId};
use crate::symbols::{Source, given};
use crate::target::Target;
use rustc_hash::FxHashMap;
use symshapes::{Expr, Node, Sym};

/// Replaces the symbolic integers among arguments by nodes that compute them from the inputs: calls of
/// `aten.sym_size.int`, and of `operator`'s functions on what they give.
///
/// # Errors
/// An expression that no input gives the symbols of, or that is no polynomial, quotient or extremum; the graph is left
/// half changed.
pub fn spell_sizes(graph: &mut Graph) -> Result<(), String> {
    let inputs: Vec<NodeId> = graph.placeholders().collect();
    let Some(first) = graph.nodes().find(|&id| graph[id].kind != Kind::Placeholder) else { return Ok(()) };
    let mut speller = Speller { sources: given(graph), inputs, first, known: FxHashMap::default() };
    for id in graph.nodes().collect::<Vec<_>>() {
        let mut exprs = Vec::new();
        graph[id].all_args().for_each(|arg| arg.for_each_expr(&mut |e| exprs.push(e)));
        for e in exprs {
            speller.spell(graph, e)?;
        }
        for arg in graph[id].all_args_mut() {
            *arg = arg.map_exprs(&mut |e| speller.known[&e].clone());
        }
    }
    Ok(())
}

struct Speller {
    sources: FxHashMap<Sym, Source>,
    inputs: Vec<NodeId>,
    /// The node before which the others are put.
    first: NodeId,
    known: FxHashMap<Expr, Arg>,
}

impl Speller {
    fn spell(&mut self, graph: &mut Graph, e: Expr) -> Result<Arg, String> {
        if let Some(known) = self.known.get(&e) {
            return Ok(known.clone());
        }
        let spelled = match graph.exprs.node(e).clone() {
            Node::Int(value) => Arg::Int(value),
            Node::Sym(sym) => self.symbol(graph, sym, e)?,
            Node::Add(sum) => {
                let mut total = (sum.constant != 0).then_some(Arg::Int(sum.constant));
                for term in &sum.terms {
                    let mut value = self.spell(graph, term.mono)?;
                    if term.coeff != 1 {
                        value = self.call(graph, "operator.mul", vec![value, Arg::Int(term.coeff)]);
                    }
                    total = Some(match total {
                        Some(total) => self.call(graph, "operator.add", vec![total, value]),
                        None => value,
                    });
                }
                total.unwrap_or(Arg::Int(0))
            }
            Node::Mul(factors) => {
                let mut product = Arg::Int(1);
                for &factor in &factors {
                    let value = self.spell(graph, factor)?;
                    product = match product {
                        Arg::Int(1) => value,
                        product => self.call(graph, "operator.mul", vec![product, value]),
                    };
                }
                product
            }
            Node::FloorDiv(a, b) => self.binary(graph, "operator.floordiv", a, b)?,
            Node::Mod(a, b) => self.binary(graph, "operator.mod", a, b)?,
            Node::Min(a, b) => self.binary(graph, "torch.sym_min", a, b)?,
            Node::Max(a, b) => self.binary(graph, "torch.sym_max", a, b)?,
            Node::Pow(..) | Node::Round(..) | Node::Overflow => {
                return Err(format!("`{}`, which is not computed from sizes", graph.exprs.display(e)));
            }
        };
        if let Arg::Node(node) = spelled
            && graph[node].meta.is_none()
        {
            graph[node].meta = Some(Meta::Int(e));
        }
        self.known.insert(e, spelled.clone());
        Ok(spelled)
    }

    fn symbol(&self, graph: &mut Graph, sym: Sym, e: Expr) -> Result<Arg, String> {
        let source = self.sources.get(&sym);
        let source = source.ok_or_else(|| format!("`{}`, which no input gives", graph.exprs.display(e)))?;
        Ok(match *source {
            Source::Int(input) => Arg::Node(self.inputs[input]),
            Source::Size(input, dim) => self.call(graph, Aten::sym_size_int, self.of_input(input, dim)),
            Source::Stride(input, dim) => self.call(graph, Aten::sym_stride_int, self.of_input(input, dim)),
        })
    }

    fn of_input(&self, input: usize, dim: usize) -> Vec<Arg> {
        vec![Arg::Node(self.inputs[input]), Arg::Int(dim as i64)]
    }

    fn binary(&mut self, graph: &mut Graph, target: &str, a: Expr, b: Expr) -> Result<Arg, String> {
        let operands = vec![self.spell(graph, a)?, self.spell(graph, b)?];
        Ok(self.call(graph, target, operands))
    }

    fn call(&self, graph: &mut Graph, target: impl Into<Target>, args: Vec<Arg>) -> Arg {
        Arg::Node(graph.insert_before(self.first, Kind::CallFunction, target, args, Vec::new(), None))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TensorMeta;
    use expect_test::expect;
    use symshapes::{DType, Device, Range};

    #[test]
    fn sizes_are_computed_from_inputs() {
        let mut g = Graph::new();
        let [a, b] = ["s0", "s1"].map(|name| {
            let sym = g.exprs.symbol(name, Range::new(2, i64::MAX));
            g.exprs.sym(sym)
        });
        let x = g.placeholder("x");
        g[x].meta = Some(Meta::Tensor(TensorMeta {
            dtype: DType::F32,
            device: Device::CPU,
            sizes: vec![a, Expr::ONE],
            strides: vec![Expr::ONE, Expr::ONE],
            offset: Expr::ZERO,
            requires_grad: false,
        }));
        let n = g.placeholder("n");
        g[n].meta = Some(Meta::Int(b));
        let product = g.exprs.mul(a, b);
        let size = g.exprs.mul_int(product, 3);
        let size = g.exprs.add_int(size, -1);
        let half = g.exprs.floor_div_int(a, 2);
        let sizes = Arg::List(vec![Arg::Sym(size), Arg::Sym(half), Arg::Int(4)]);
        let y = g.call_function("aten.expand.default", vec![Arg::Node(x), sizes], vec![]);
        g.output(Arg::Node(y));
        spell_sizes(&mut g).expect("spelled");
        for id in g.nodes().collect::<Vec<_>>() {
            g[id].meta = None;
        }
        expect![[r#"
            graph {
              %x = placeholder[x]
              %n = placeholder[n]
              %sym_size = call_function[aten.sym_size.int](%x, 0)
              %mul = call_function[operator.mul](%sym_size, %n)
              %mul_1 = call_function[operator.mul](%mul, 3)
              %add = call_function[operator.add](-1, %mul_1)
              %floordiv = call_function[operator.floordiv](%sym_size, 2)
              %expand = call_function[aten.expand.default](%x, [%add, %floordiv, 4])
              %output = output(%expand)
            }
        "#]]
        .assert_eq(&g.to_text());
    }
}
