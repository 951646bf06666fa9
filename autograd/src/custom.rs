//! Gradients that the program computes itself, by a graph that comes with the call.

use crate::build::{Build, Outcome};
use fx::aten::Aten;
use fx::custom_gradient::CustomGradient;
use fx::markers::marker;
use fx::{Arg, Kind, Meta, NodeId, TensorMeta, infer};
use rustc_hash::FxHashMap;

/// Copies the backward graph of a call with the gradients by its results; gives the gradients by its operands, each
/// with the operand.
pub(crate) fn derive_custom(
    build: &mut Build,
    call: &CustomGradient,
    grads: &[Option<NodeId>],
) -> Outcome<Vec<(NodeId, NodeId)>> {
    let CustomGradient { backward, results, operands, saved } = call;
    let mut copies: FxHashMap<NodeId, Arg> = FxHashMap::default();
    let inputs: Vec<NodeId> = backward.placeholders().collect();
    if inputs.len() != results.len() + saved.len() {
        return Err("a backward graph of other inputs".to_owned());
    }
    for ((&input, &grad), &result) in inputs.iter().zip(grads).zip(results) {
        let expected = backward[input].tensor_meta().ok_or("a gradient that is no tensor")?;
        let grad = laid_out(build, grad, result, expected)?;
        copies.insert(input, Arg::Node(grad));
    }
    copies.extend(inputs[results.len()..].iter().copied().zip(saved.iter().copied().map(Arg::Node)));
    for id in backward.nodes() {
        let node = &backward[id];
        let mut read = |node: NodeId| copies[&node].clone();
        match (node.kind, &node.meta) {
            (Kind::CallFunction, _) if marker(backward, id).is_some() => {}
            // As in the forward graph.
            (Kind::CallFunction, Some(Meta::Int(expr))) => {
                let int = build.size_arg(*expr);
                copies.insert(id, int);
            }
            (Kind::CallFunction, _) => {
                let args = node.args.iter().map(|arg| arg.map_nodes(&mut read)).collect();
                let kwargs = node.kwargs.iter().map(|(name, arg)| (name.clone(), arg.map_nodes(&mut read))).collect();
                let copy = build.graph.push(node.kind, node.target.clone(), args, kwargs, Some(&node.name));
                build.graph[copy].meta = node.meta.clone();
                build.graph[copy].stack_trace = node.stack_trace.clone();
                copies.insert(id, Arg::Node(copy));
            }
            (Kind::Output, _) => {
                let given: Vec<Arg> = match node.args.first() {
                    Some(Arg::Tuple(given)) => given.iter().map(|arg| arg.map_nodes(&mut read)).collect(),
                    _ => return Err("gradients that are no tuple".to_owned()),
                };
                return by_operand(build, operands, &given);
            }
            (Kind::Placeholder, _) => {}
            (Kind::GetAttr | Kind::CallMethod | Kind::CallModule, _) => {
                return Err(format!("`{}` in a backward of the program's", node.target));
            }
        }
    }
    Err("a backward graph without a result".to_owned())
}

/// The gradient by a result as the backward graph expects it: zeros where there is none, and row-major where it lies
/// otherwise, as an expanded one does.
fn laid_out(build: &mut Build, grad: Option<NodeId>, result: NodeId, expected: &TensorMeta) -> Outcome<NodeId> {
    let expected = Meta::Tensor(expected.clone());
    let fits = |build: &Build, grad: NodeId| {
        let meta = build.graph[grad].meta.as_ref();
        meta.is_some_and(|meta| infer::agree(&build.graph.exprs, meta, &expected))
    };
    let grad = match grad {
        Some(grad) if fits(build, grad) => return Ok(grad),
        Some(grad) => {
            let format = Arg::MemoryFormat("contiguous_format".to_owned());
            build.call_named(Aten::clone_default, vec![Arg::Node(grad)], vec![("memory_format".to_owned(), format)])?
        }
        None => build.zeros(result)?,
    };
    if fits(build, grad) { Ok(grad) } else { Err("a gradient that lies otherwise than its tensor".to_owned()) }
}

/// The gradients that a backward graph gives, each with the operand that it is for: in its element type, and summed
/// where it is broadcast, as autograd's engine does (`validate_outputs` in `torch/csrc/autograd/engine.cpp`).
fn by_operand(build: &mut Build, operands: &[Option<NodeId>], given: &[Arg]) -> Outcome<Vec<(NodeId, NodeId)>> {
    let pairs = operands.iter().zip(given);
    let mut found = Vec::new();
    for (operand, gradient) in pairs.filter_map(|(&operand, gradient)| Some((operand?, gradient.as_node()?))) {
        let (sizes, dtype) = (build.tensor(operand)?.sizes.clone(), build.tensor(operand)?.dtype);
        let gradient = build.sum_to(gradient, &sizes)?;
        found.push((operand, build.cast(gradient, dtype)?));
    }
    Ok(found)
}
