//! The operators that may fail on what tensors hold: of two calls with the same shapes and dtypes, one raises.
//!
//! The trait `raises` of an operator names the values on which it fails. What torch rejects for shapes, dtypes or
//! numbers is known when metadata is inferred, and is no such failure. Invariant: [`may_raise`] is false only of calls
//! that cannot fail: of a function that is no ATen operator nothing is known.

use crate::{
    arg::Arg,
    aten::{Aten, Failure, Packet, Param, ScalarUse, Type},
    graph::{Graph, Kind, Meta, Node, NodeId},
    markers::{CHECKPOINT, SET_GRAD},
};
use symshapes::{DType, DeviceKind};

/// True if a call, of an ATen overload or in torch's names, may raise for what the tensors hold.
pub fn may_raise(graph: &Graph, id: NodeId) -> bool {
    let node = &graph[id];
    if !matches!(node.kind, Kind::CallFunction | Kind::CallMethod | Kind::CallModule) {
        return false;
    }
    match operator(node) {
        Operator::Known(packet) => {
            overflows(graph, id) || packet.traits().raises.is_some_and(|failure| fails(graph, node, failure))
        }
        Operator::Harmless => false,
        Operator::Unknown => true,
    }
}

/// True for a call of an ATen overload with a number that is none of the element type's, which torch's kernels
/// refuse: 1e200 as a float32.
pub fn overflows(graph: &Graph, id: NodeId) -> bool {
    let node = &graph[id];
    let Some(overload) = node.op() else { return false };
    let scalar = overload.traits().scalar;
    let Some(dtype) = node.tensor_meta().map(|meta| meta.dtype) else { return false };
    let (fills, Ok(bound)) = (scalar == Some(ScalarUse::Fill), overload.bind(&node.args, &node.kwargs)) else {
        return false;
    };
    let is_narrow = |param: &&Param| scalar != Some(ScalarUse::Wide) || param.name == "alpha";
    let params = overload.schema.params.iter().filter(|param| *param.ty.required() == Type::Scalar).filter(is_narrow);
    params.map(|param| bound.get(&param.name)).any(|number| match (dtype, number) {
        (DType::F32, Arg::Float(value)) => value.is_finite() && value.abs() > f64::from(f32::MAX),
        (DType::BF16, Arg::Float(value)) => fills && value.is_finite() && value.abs() > f64::from(f32::MAX),
        (DType::F16, Arg::Float(value)) => fills && value.is_finite() && value.abs() > 65504.0,
        (DType::F16, Arg::Int(value)) => fills && value.abs() > 65504,
        (_, Arg::Int(value)) if fills => integers(dtype).is_some_and(|range| !range.contains(value)),
        _ => false,
    })
}

/// The integers that torch converts to an element type; negative ones wrap around where it has no sign.
fn integers(dtype: DType) -> Option<std::ops::RangeInclusive<i64>> {
    Some(match dtype {
        DType::U8 => -255..=255,
        DType::I8 => i64::from(i8::MIN)..=i64::from(i8::MAX),
        DType::I16 => i64::from(i16::MIN)..=i64::from(i16::MAX),
        DType::I32 => i64::from(i32::MIN)..=i64::from(i32::MAX),
        _ => return None,
    })
}

/// The kinds of target, by what is known of them.
enum Operator {
    /// An operator of ATen.
    Known(Packet),
    /// Something of Python's that does not look at elements.
    Harmless,
    /// Any other, of which nothing is known.
    Unknown,
}

fn operator(node: &Node) -> Operator {
    if let Some(overload) = node.op() {
        return Operator::Known(overload.packet());
    }
    let target = node.target.as_str();
    if let Some(name) = target.strip_prefix("operator.").or_else(|| target.strip_prefix("_operator.")) {
        return of_python(name);
    }
    if matches!(target, "builtins.getattr" | "getattr" | SET_GRAD | CHECKPOINT) {
        return Operator::Harmless;
    }
    let (owner, name) = target.rsplit_once('.').unwrap_or(("", target));
    let name = name.strip_suffix('_').filter(|name| !name.ends_with('_')).unwrap_or(name);
    match owner.rsplit('.').next() {
        Some("linalg") => known(&format!("linalg_{name}")),
        Some("functional" | "_nn") if name == "cross_entropy" => Operator::Known(Packet::cross_entropy_loss),
        _ => known(name),
    }
}

/// The operator of this name, if there is one.
fn known(name: &str) -> Operator {
    Packet::named(name).map_or(Operator::Unknown, Operator::Known)
}

/// An operator of Python's, by its name in `operator`.
fn of_python(name: &str) -> Operator {
    Operator::Known(match name {
        "getitem" => Packet::index,
        "setitem" => Packet::index_put,
        "floordiv" | "ifloordiv" => Packet::floor_divide,
        "mod" | "imod" => Packet::remainder,
        _ => return Operator::Harmless,
    })
}

/// True unless the call is one of those that nothing can make fail in this way.
fn fails(graph: &Graph, node: &Node, failure: Failure) -> bool {
    let tensor = |arg: &Arg| arg.as_node().and_then(|n| graph[n].tensor_meta());
    match failure {
        Failure::Value => true,
        Failure::Division => {
            let by_number = |arg: &Arg| match arg {
                Arg::Int(divisor) => *divisor != 0,
                Arg::Float(_) | Arg::Complex(..) => true,
                _ => false,
            };
            let known_divisor = node.args.get(1).is_some_and(by_number);
            let on_integers = match &node.meta {
                Some(Meta::Tensor(meta)) => !meta.dtype.is_float(),
                // Of sizes the environment knows.
                Some(_) => false,
                None => true,
            };
            on_integers && !known_divisor
        }
        Failure::Index => {
            let Some(base) = node.args.first() else { return true };
            if base.as_node().is_some_and(|n| matches!(graph[n].meta, Some(Meta::Tuple(_)))) {
                return false;
            }
            // An accelerator finds out when the call is long over.
            let elsewhere = tensor(base).is_some_and(|meta| meta.device.kind != DeviceKind::Cpu);
            let is_index = node.target == "operator.getitem" || node.op() == Some(Aten::index_Tensor);
            let certain = is_index && node.args.get(1).is_some_and(|index| is_certain(graph, index));
            !elsewhere && !certain
        }
    }
}

/// True for an index of which no part names places in a tensor: numbers, slices and masks, whose fit metadata tells.
fn is_certain(graph: &Graph, index: &Arg) -> bool {
    match index {
        Arg::None | Arg::Bool(_) | Arg::Int(_) | Arg::Ellipsis | Arg::Slice(_) => true,
        Arg::Node(node) => match &graph[*node].meta {
            Some(Meta::Tensor(meta)) => matches!(meta.dtype, DType::Bool | DType::U8),
            Some(Meta::Int(_)) => true,
            _ => false,
        },
        Arg::Tuple(items) => items.iter().all(|item| is_certain(graph, item)),
        // Of the overload, one tensor or nothing for each dimension; in torch's names, a list of places.
        Arg::List(items) => {
            items.iter().all(|item| matches!(item, Arg::None | Arg::Node(_)) && is_certain(graph, item))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::parse;

    #[test]
    fn calls_that_may_fail() {
        let failing = failing(
            r#"graph {
  %x : f32[2, 3]{3, 1} = placeholder[x]
  %n : i64[2, 3]{3, 1} = placeholder[n]
  %i : i64[2]{1} = placeholder[i]
  %m : b8[2]{1} = placeholder[m]
  %far : f32[2, 3]{3, 1} @"cuda:0" = placeholder[far]
  %rows : f32[2, 3]{3, 1} = call_function[aten.index.Tensor](%x, [%i])
  %masked = call_function[aten.index.Tensor](%x, [%m])
  %device = call_function[aten.index.Tensor](%far, [%i])
  %item = call_function[operator.getitem](%x, (%i, slice(None, None, None)))
  %list = call_function[operator.getitem](%x, [0, 1])
  %row = call_function[operator.getitem](%x, (0, ...))
  %put = call_function[operator.setitem](%x, %i, 1.0)
  %add_ = call_method[index_add_](%x, 0, %i, %x)
  %plain_ = call_method[add_](%x, 1)
  %mod : i64[2, 3]{3, 1} = call_function[aten.remainder.Tensor](%n, %n)
  %mod2 : i64[2, 3]{3, 1} = call_function[aten.remainder.Scalar](%n, 2)
  %floats : f32[2, 3]{3, 1} = call_function[aten.div.Tensor](%n, %n)
  %chol = call_function[torch.linalg.cholesky](%x)
  %loss = call_function[torch.nn.functional.cross_entropy](%x, %i)
  %norm = call_function[torch.linalg.vector_norm](%x)
  %new = call_function[torch.nobody.knows](%x)
  %mode = call_function[torch._C._set_grad_enabled](False)
  %output = output((%rows))
}"#,
        );
        assert_eq!(failing.join(" "), "rows item list put add_ mod chol loss new");
    }

    /// The calls of a graph that may fail.
    fn failing(text: &str) -> Vec<String> {
        let graph = parse(text).expect("parses");
        graph.nodes().filter(|&id| may_raise(&graph, id)).map(|id| graph[id].name.to_string()).collect()
    }
}
