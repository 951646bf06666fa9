//! Pending conjugations and negations: tensors whose elements are the conjugates, or the negatives, of what their
//! memory holds (PyTorch's conjugate and negative bits, `aten/src/ATen/ConjugateFallback.cpp`, `NegateFallback.cpp`).
//!
//! `conj` and `_neg_view` set a bit, views keep it, `imag` of a conjugate is a negative; what computes carries out what
//! is pending, and has none itself. Few composites end in a view of the former kind (`ENDS_IN_VIEW`).

use crate::{
    arg::Arg,
    aten::{Aten, Packet, rules::Rule},
    custom_gradient::CUSTOM_GRADIENT,
    graph::{Graph, Kind, Meta, Node, NodeId},
};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use symshapes::DTypeClass;

/// The operations that have yet to be applied to the elements of a tensor's memory: PyTorch's conjugate and negative
/// bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Pending {
    /// They are conjugated.
    pub conj: bool,
    /// They are negated.
    pub neg: bool,
}

impl Pending {
    /// Nothing.
    pub const NONE: Pending = Pending { conj: false, neg: false };
}

/// Operators that end in `conj` for some arguments without anything pending.
const ENDS_IN_VIEW: &[Packet] = &[
    Packet::fft_ifft,
    Packet::fft_ihfft,
    Packet::fft_ihfft2,
    Packet::fft_ihfftn,
    Packet::linalg_lu_solve,
    Packet::svd,
    Packet::vdot,
];

/// Operators of libraries that carry out what is pending in any argument.
const CARRIES_OUT: &[Packet] = &[Packet::addmm, Packet::baddbmm, Packet::bmm, Packet::cat, Packet::mm, Packet::stack];

/// The pending operations of the tensors of a graph of ATen overloads, found when they are asked for. A call with
/// several results is one node for all of them.
pub struct PendingOps<'g, F> {
    graph: &'g Graph,
    of_input: F,
    found: FxHashMap<NodeId, Option<Pending>>,
}

impl<'g, F: FnMut(NodeId) -> Option<Pending>> PendingOps<'g, F> {
    /// Of a graph of whose inputs `of_input` tells, as far as it knows.
    pub fn new(graph: &'g Graph, of_input: F) -> PendingOps<'g, F> {
        PendingOps { graph, of_input, found: FxHashMap::default() }
    }

    /// The pending operations of a tensor; `None` if they are not known. No more operands are looked at than the answer
    /// depends on.
    pub fn of(&mut self, tensor: NodeId) -> Option<Pending> {
        let mut open = vec![(tensor, false)];
        while let Some((node, is_ready)) = open.pop() {
            if is_ready {
                let found = self.find(node);
                self.found.insert(node, found);
            } else if !self.found.contains_key(&node) {
                open.push((node, true));
                open.extend(operands(self.graph, node).into_iter().map(|operand| (operand, false)));
            }
        }
        self.found[&tensor]
    }

    /// The pending operations of a tensor, whose operands have theirs.
    fn find(&mut self, id: NodeId) -> Option<Pending> {
        let node = &self.graph[id];
        match node.kind {
            Kind::Placeholder => (self.of_input)(id),
            Kind::GetAttr => (is_complex(node) == Some(false)).then_some(Pending::NONE),
            Kind::CallFunction if node.target == "operator.getitem" => self.known(node.args.first()?.as_node()?),
            // Tensors of their own, as the forward gives them.
            Kind::CallFunction if node.target == CUSTOM_GRADIENT => {
                let given = node.args.get(1)?.as_list()?;
                let has_nothing =
                    |result: &Arg| result.as_node().and_then(|node| self.known(node)) == Some(Pending::NONE);
                given.iter().all(has_nothing).then_some(Pending::NONE)
            }
            Kind::CallFunction if node.is_custom_op() => {
                let is_plain = |operand: &NodeId| self.known(*operand) == Some(Pending::NONE);
                node.inputs().iter().all(is_plain).then_some(Pending::NONE)
            }
            Kind::CallFunction if computes(self.graph, id) => Some(Pending::NONE),
            Kind::CallFunction => node.op().and_then(|op| self.of_call(node, op)),
            Kind::CallMethod | Kind::CallModule | Kind::Output => None,
        }
    }

    fn known(&self, id: NodeId) -> Option<Pending> {
        self.found.get(&id).copied().flatten()
    }

    fn of_call(&self, node: &Node, op: Aten) -> Option<Pending> {
        if op.mutates() {
            return op.written(&node.args, &node.kwargs).and_then(|written| self.known(written));
        }
        let packet = op.packet();
        let is_tensor = |&id: &NodeId| matches!(self.graph[id].meta, Some(Meta::Tensor(_) | Meta::Tuple(_)) | None);
        let operands = node.inputs();
        let mut pending = operands.iter().filter(|id| is_tensor(id)).map(|id| self.known(*id));
        let first = node.args.first().and_then(Arg::as_node);
        let (x, of_complex) = match first {
            Some(first) => (self.known(first), is_complex(&self.graph[first])),
            None => (None, None),
        };
        match packet {
            Packet::conj | Packet::_conj | Packet::adjoint | Packet::mH | Packet::matrix_H => {
                x.zip(of_complex).map(|(x, of_complex)| Pending { conj: x.conj ^ of_complex, ..x })
            }
            Packet::_neg_view => x.map(|x| Pending { neg: !x.neg, ..x }),
            // Whatever else is pending may be carried out with it.
            Packet::resolve_conj => x.filter(|x| !(x.conj && x.neg)).map(|x| Pending { conj: false, ..x }),
            Packet::resolve_neg => x.filter(|x| !(x.conj && x.neg)).map(|x| Pending { neg: false, ..x }),
            Packet::conj_physical | Packet::real | Packet::imag if of_complex == Some(false) => x,
            Packet::conj_physical | Packet::real | Packet::imag if of_complex.is_none() => None,
            Packet::conj_physical | Packet::real => x.filter(|x| !x.neg).map(|_| Pending::NONE),
            Packet::imag => x.filter(|x| !x.neg).map(|x| Pending { neg: x.conj, conj: false }),
            _ if op.is_view() && op.traits().alias.is_none() && first.is_some() => x,
            // Real numbers are their own conjugates.
            _ if ENDS_IN_VIEW.contains(&packet) && !is_real(node.meta.as_ref()) => None,
            // A call without a schema of ATen's, or of what is pending, may do one thing or the other.
            _ => pending.all(|pending| pending == Some(Pending::NONE)).then_some(Pending::NONE),
        }
    }
}

/// The nodes that a tensor's pending operations may depend on.
fn operands(graph: &Graph, id: NodeId) -> SmallVec<[NodeId; 4]> {
    if computes(graph, id) { SmallVec::new() } else { graph[id].inputs() }
}

/// True for a call in whose results nothing is pending, whatever is in its operands.
fn computes(graph: &Graph, id: NodeId) -> bool {
    let node = &graph[id];
    let Some(op) = node.op() else { return false };
    // What computes real numbers of real ones has memory of its own for them.
    let is_real = |id: NodeId| matches!(graph[id].meta, Some(Meta::Int(_))) || is_real(graph[id].meta.as_ref());
    let gives_back = matches!(op.packet(), Packet::conj_physical | Packet::positive);
    let has_own_memory = op.is_function() && !op.is_view() && op.traits().alias.is_none() && !gives_back;
    carries_out(op) || has_own_memory && is_real(id) && node.inputs().into_iter().all(is_real)
}

/// True for operators that compute, so that nothing is pending in their results.
fn carries_out(op: Aten) -> bool {
    // Dot products of conjugates are conjugates of dot products.
    let may_keep = op.is_view() || op.traits().alias.is_some() || matches!(op.packet(), Packet::dot | Packet::vdot);
    let is_written_out = matches!(op.rule(), Some(Rule::Map(_) | Rule::Reduce(_) | Rule::Compose(_)));
    !op.mutates() && (is_written_out && !may_keep || CARRIES_OUT.contains(&op.packet()))
}

/// Lets a graph, in whose inputs nothing is pending, give the memory of its outputs, and tells what is pending there.
///
/// # Errors
/// The name of an output of which this is not known.
pub fn carry_out(graph: &mut Graph) -> Result<Vec<Pending>, String> {
    let Some(end) = graph.output_node() else { return Ok(Vec::new()) };
    let Some(Arg::Tuple(outputs) | Arg::List(outputs)) = graph[end].args.first().cloned() else {
        return Ok(Vec::new());
    };
    let mut pending = PendingOps::new(graph, |_| Some(Pending::NONE));
    let mut found = Vec::new();
    for output in &outputs {
        let tensor = output.as_node().filter(|&id| graph[id].tensor_meta().is_some());
        found.push(match tensor {
            Some(id) => {
                let of = pending.of(id).ok_or_else(|| graph[id].name.to_string())?;
                (of, plain_base(graph, id, &mut pending, &outputs))
            }
            None => (Pending::NONE, None),
        });
    }
    let told: Vec<Pending> = found.iter().map(|&(of, _)| of).collect();
    if told.iter().any(|&of| of != Pending::NONE) {
        let memory = outputs.iter().zip(found).map(|(output, (of, base))| match output.as_node() {
            Some(id) => Arg::Node(memory_of(graph, id, of, end, base)),
            None => output.clone(),
        });
        let memory = memory.collect();
        graph[end].args[0] = Arg::Tuple(memory);
    }
    Ok(told)
}

/// The tensor that an output conjugates, if nothing is pending in it and nobody else has its memory.
fn plain_base<F: FnMut(NodeId) -> Option<Pending>>(
    graph: &Graph,
    id: NodeId,
    pending: &mut PendingOps<'_, F>,
    outputs: &[Arg],
) -> Option<NodeId> {
    let is_conj = graph[id].op().is_some_and(|op| matches!(op.packet(), Packet::conj | Packet::_conj));
    let of = graph[id].args.first().and_then(Arg::as_node).filter(|_| is_conj)?;
    let is_own = graph[of].kind == Kind::CallFunction && !outputs.contains(&Arg::Node(of));
    (is_own && pending.of(of) == Some(Pending::NONE)).then_some(of)
}

/// The tensor as its memory is: what it was made of if that is nobody else's, or a copy.
fn memory_of(graph: &mut Graph, id: NodeId, found: Pending, end: NodeId, base: Option<NodeId>) -> NodeId {
    if let Some(base) = base.filter(|_| found == Pending { conj: true, neg: false }) {
        return base;
    }
    let undo = [(found.conj, Aten::conj_physical_default), (found.neg, Aten::neg_default)];
    undo.into_iter().filter(|(is_pending, _)| *is_pending).fold(id, |of, (_, op)| {
        let call = graph.insert_before(end, Kind::CallFunction, op, vec![Arg::Node(of)], Vec::new(), None);
        graph[call].meta = graph[id].meta.clone();
        call
    })
}

/// True for tensors of which none has complex elements.
fn is_real(meta: Option<&Meta>) -> bool {
    match meta {
        Some(Meta::Tensor(tensor)) => tensor.dtype.class() != DTypeClass::Complex,
        Some(Meta::Tuple(items)) => items.iter().flatten().all(|item| is_real(Some(item))),
        _ => false,
    }
}

fn is_complex(node: &Node) -> Option<bool> {
    node.tensor_meta().map(|meta| meta.dtype.class() == DTypeClass::Complex)
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;
    use symshapes::{DType, Device, TensorMeta};

    /// A graph of complex tensors, but for nodes of these names.
    fn graph(text: &str, real: &[&str]) -> Graph {
        let mut graph: Graph = text.parse().expect("a graph");
        let (size, one, offset) = (graph.exprs.int(2), graph.exprs.int(1), graph.exprs.int(0));
        for id in graph.nodes().filter(|&id| graph[id].kind != Kind::Output).collect::<Vec<_>>() {
            let dtype = if real.contains(&&*graph[id].name) { DType::F32 } else { DType::C64 };
            let (sizes, strides) = (vec![size], vec![one]);
            let device = Device::CPU;
            let meta = TensorMeta { dtype, device, sizes, strides, offset, requires_grad: false };
            graph[id].meta = Some(Meta::Tensor(meta));
        }
        graph
    }

    #[test]
    fn bits_follow_views_and_end_in_computations() {
        let text = "graph {
            %x = placeholder[x]
            %r = placeholder[r]
            %conj = call_function[aten._conj.default](%x)
            %row = call_function[aten.select.int](%conj, 0, 0)
            %twice = call_function[aten._conj.default](%row)
            %imag = call_function[aten.imag.default](%row)
            %again = call_function[aten._neg_view.default](%imag)
            %real = call_function[aten.real.default](%row)
            %resolved = call_function[aten.resolve_conj.default](%conj)
            %sum = call_function[aten.add.Tensor](%row, 1)
            %whole = call_function[aten.contiguous.default](%row)
            %product = call_function[aten.mm.default](%conj, %x)
            %dot = call_function[aten.dot.default](%row, %row)
            %of_others = call_function[aten.dot.default](%x, %x)
            %written = call_function[aten.mul_.Tensor](%row, 2)
            %plain = call_function[aten._conj.default](%r)
            %ihfft = call_function[aten.fft_ihfft.default](%r)
            %parts = call_function[aten.split.Tensor](%conj, 1)
            %part = call_function[operator.getitem](%parts, 0)
            %output = output((%ihfft,))
        }";
        let graph = graph(text, &["r", "imag", "again", "real", "plain"]);
        let mut pending = PendingOps::new(&graph, |_| Some(Pending::NONE));
        let line = |id: NodeId| match pending.of(id) {
            Some(Pending { conj, neg }) => {
                let bits = [(conj, " conj"), (neg, " neg")].map(|(is, name)| if is { name } else { "" });
                format!("{}:{}\n", graph[id].name, bits.concat())
            }
            None => format!("{}: unknown\n", graph[id].name),
        };
        let calls = graph.nodes().filter(|&id| graph[id].kind == Kind::CallFunction);
        expect![[r"
            conj: conj
            row: conj
            twice:
            imag: neg
            again:
            real:
            resolved:
            sum:
            whole: unknown
            product:
            dot: unknown
            of_others:
            written: conj
            plain:
            ihfft: unknown
            parts: conj
            part: conj
        "]]
        .assert_eq(&calls.map(line).collect::<String>());
    }

    #[test]
    fn outputs_are_memory() {
        let text = "graph {
            %x = placeholder[x]
            %of_input = call_function[aten._conj.default](%x)
            %y = call_function[aten.mul.Tensor](%x, 2)
            %of_call = call_function[aten._conj.default](%y)
            %z = call_function[aten.mul.Tensor](%x, 3)
            %of_output = call_function[aten._conj.default](%z)
            %imag = call_function[aten.imag.default](%of_call)
            %output = output((%of_input, %of_call, %z, %of_output, %imag))
        }";
        let mut graph = graph(text, &["imag"]);
        let told = carry_out(&mut graph).expect("known");
        assert_eq!(
            told.iter().map(|found| (found.conj, found.neg)).collect::<Vec<_>>(),
            [(true, false), (true, false), (false, false), (true, false), (false, true)]
        );
        expect![[r"
            graph {
              %x : c64[2]{1} = placeholder[x]
              %of_input : c64[2]{1} = call_function[aten._conj.default](%x)
              %y : c64[2]{1} = call_function[aten.mul.Tensor](%x, 2)
              %of_call : c64[2]{1} = call_function[aten._conj.default](%y)
              %z : c64[2]{1} = call_function[aten.mul.Tensor](%x, 3)
              %of_output : c64[2]{1} = call_function[aten._conj.default](%z)
              %imag : f32[2]{1} = call_function[aten.imag.default](%of_call)
              %conj_physical : c64[2]{1} = call_function[aten.conj_physical.default](%of_input)
              %conj_physical_1 : c64[2]{1} = call_function[aten.conj_physical.default](%of_output)
              %neg : f32[2]{1} = call_function[aten.neg.default](%imag)
              %output = output((%conj_physical, %y, %z, %conj_physical_1, %neg))
            }
        "]]
        .assert_eq(&graph.to_text());
    }
}
