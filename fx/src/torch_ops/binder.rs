//! Chooses the overload that accepts a call, and arranges the arguments by its schema.

use super::signature::Given;
use super::table::{Binder, Row};
use crate::{
    arg::Arg,
    aten::{Aten, Packet, Type},
    graph::{Graph, Kind, Meta, NodeId},
};

/// A call in ATen's terms.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Lowered {
    /// The overload.
    pub(super) overload: Aten,
    /// Positional arguments, up to the last that differs from its default.
    pub(super) args: Vec<Arg>,
    /// Keyword-only arguments that were given.
    pub(super) kwargs: Vec<(String, Arg)>,
}

type Kwargs = Vec<(String, Arg)>;

/// Binds a call by the row; `in_place` asks for the overload that writes to its first argument.
pub(super) fn bind(graph: &Graph, row: Row, args: &[Arg], kwargs: &[(String, Arg)], in_place: bool) -> Option<Lowered> {
    let (args, kwargs, in_place) = match row.binder {
        Binder::Schema => (args.to_vec(), kwargs.to_vec(), in_place),
        Binder::Gather(first) => (gather(graph, args, first), kwargs.to_vec(), in_place),
        Binder::Signature(signature) => {
            let mut given = Given::new(args, kwargs);
            let signed = signature(&mut given)?;
            (signed.args, signed.kwargs, in_place || given.in_place)
        }
    };
    choose(graph, &candidates(row.overloads, in_place, &kwargs), &args, &kwargs)
}

/// Binds a call of an operator by the one of its overloads that accepts the arguments.
pub(super) fn bind_packet(graph: &Graph, packet: Packet, args: &[Arg], kwargs: &[(String, Arg)]) -> Option<Lowered> {
    let candidates: Vec<Aten> = packet.overloads().filter(|overload| !overload.mutates()).collect();
    choose(graph, &candidates, args, kwargs)
}

/// The in-place or `out=` forms of overloads, or these themselves.
fn candidates(overloads: &[Aten], in_place: bool, kwargs: &[(String, Arg)]) -> Vec<Aten> {
    let has_out = kwargs.iter().any(|(name, value)| name == "out" && !value.is_none());
    overloads.iter().flat_map(|&op| variants(op, in_place, has_out)).collect()
}

fn choose(graph: &Graph, candidates: &[Aten], args: &[Arg], kwargs: &[(String, Arg)]) -> Option<Lowered> {
    // A number for a tensor is torch's last resort: the overloads that take numbers come first.
    let strict = candidates.iter().find_map(|&op| accept(graph, op, args, kwargs, false));
    strict.or_else(|| candidates.iter().find_map(|&op| accept(graph, op, args, kwargs, true)))
}

/// The in-place or `out=` form of an overload, by the names under which it may be published.
fn variants(op: Aten, in_place: bool, has_out: bool) -> Vec<Aten> {
    let (packet, overload) = (op.packet(), op.overload_name());
    let names = match (in_place, has_out) {
        (true, _) if !packet.name().ends_with('_') => vec![format!("{packet}_.{overload}")],
        (false, true) => vec![format!("{packet}.{overload}_out"), format!("{packet}.out")],
        _ => return vec![op],
    };
    names.iter().filter_map(|name| Aten::named(name)).collect()
}

/// The numbers from position `first` on as one list, if they are not one already.
fn gather(graph: &Graph, args: &[Arg], first: usize) -> Vec<Arg> {
    let Some((before, after)) = args.split_at_checked(first) else { return args.to_vec() };
    if after.is_empty() || !after.iter().all(|a| is_int(graph, a)) {
        return args.to_vec();
    }
    before.iter().cloned().chain([Arg::List(after.to_vec())]).collect()
}

/// The call arranged by the overload's schema, if its types accept the arguments. `lenient` lets numbers stand for
/// tensors, but for the first.
fn accept(graph: &Graph, overload: Aten, args: &[Arg], kwargs: &[(String, Arg)], lenient: bool) -> Option<Lowered> {
    let kwargs = renamed(overload, kwargs)?;
    let bound = overload.bind(args, &kwargs).ok()?;
    let params = &overload.schema.params;
    let mut values: Vec<Arg> = bound.values().iter().map(|v| (*v).clone()).collect();
    for (i, (param, value)) in params.iter().zip(&mut values).enumerate() {
        let by_default = param.default.as_ref() == Some(value);
        if !by_default {
            convert(graph, &param.ty, value);
        }
        if !by_default && !accepts(graph, &param.ty, value, lenient && i > 0) {
            return None;
        }
    }
    let positional = params.iter().take_while(|p| !p.kwarg_only).count();
    let differs = |i: &usize| params[*i].default.as_ref() != Some(&values[*i]);
    let given = (0..positional).rev().find(differs).map_or(0, |last| last + 1);
    let named = (positional..params.len()).filter(differs).map(|i| (params[i].name.clone(), values[i].clone()));
    let kwargs: Kwargs = named.collect();
    values.truncate(given);
    Some(Lowered { overload, args: values, kwargs })
}

/// Synonyms of parameter names: the Python surface's, each with ATen's.
const SYNONYMS: &[(&str, &str)] = &[
    ("input", "self"),
    ("tensor", "self"),
    ("axis", "dim"),
    ("keepdims", "keepdim"),
    ("axis0", "dim0"),
    ("axis1", "dim1"),
    ("size", "shape"),
    ("shape", "size"),
    ("sizes", "size"),
    ("x", "self"),
    ("operands", "tensors"),
    ("split_size_or_sections", "split_size"),
    ("num_classes", "num_classes"),
];

/// The keyword arguments under the schema's names, without those that say nothing.
fn renamed(overload: Aten, kwargs: &[(String, Arg)]) -> Option<Kwargs> {
    let mut result = Kwargs::new();
    for (name, value) in kwargs {
        let known = |name: &str| overload.schema.position(name).is_some();
        let silent = match name.as_str() {
            "requires_grad" => *value == Arg::Bool(false),
            "out" | "dtype" | "layout" | "device" | "pin_memory" => value.is_none(),
            _ => false,
        };
        let synonym = SYNONYMS.iter().find(|(python, aten)| *python == *name && known(aten));
        match (known(name), synonym) {
            (true, _) => result.push((name.clone(), value.clone())),
            (false, Some((_, aten))) => result.push(((*aten).to_owned(), value.clone())),
            (false, None) if silent => {}
            (false, None) => return None,
        }
    }
    Some(result)
}

/// Devices may be given by name, and one value for a list of known length.
fn convert(graph: &Graph, ty: &Type, value: &mut Arg) {
    match (ty.required(), &*value) {
        (Type::Device, Arg::Str(name)) => {
            if let Ok(device) = name.parse() {
                *value = Arg::Device(device);
            }
        }
        (Type::List(inner, Some(length)), one) if accepts(graph, inner, one, false) => {
            *value = Arg::List(vec![one.clone(); *length]);
        }
        _ => {}
    }
}

/// True if a parameter of type `ty` takes `arg`.
fn accepts(graph: &Graph, ty: &Type, arg: &Arg, lenient: bool) -> bool {
    match (ty, arg) {
        (Type::Optional(_), Arg::None) => true,
        (Type::Optional(inner), _) => accepts(graph, inner, arg, lenient),
        (Type::List(inner, _), Arg::List(items) | Arg::Tuple(items)) => {
            items.iter().all(|a| accepts(graph, inner, a, lenient))
        }
        (Type::List(inner, Some(_)), one) => accepts(graph, inner, one, lenient),
        (Type::Tensor, Arg::Node(node)) if is_tensor(graph, *node) => true,
        (Type::Tensor, _) => lenient && is_number(graph, arg),
        (Type::Scalar, _) => is_number(graph, arg),
        (Type::Int | Type::SymInt, _) => is_int(graph, arg),
        (Type::Float, Arg::Float(_)) => true,
        (Type::Float, _) => is_int(graph, arg),
        (Type::Bool, Arg::Bool(_)) => true,
        (Type::Str, Arg::Str(_)) | (Type::DType, Arg::DType(_)) | (Type::Device, Arg::Device(_)) => true,
        (Type::Layout, Arg::Layout(_)) | (Type::MemoryFormat, Arg::MemoryFormat(_)) => true,
        (Type::Generator, Arg::Opaque(..)) => true,
        _ => false,
    }
}

/// True for an integer, also one that a node computes.
pub(super) fn is_int(graph: &Graph, arg: &Arg) -> bool {
    match arg {
        Arg::Int(_) | Arg::Sym(_) => true,
        Arg::Node(node) => computes_int(graph, *node),
        _ => false,
    }
}

/// True for anything that Python has as a number.
pub(super) fn is_number(graph: &Graph, arg: &Arg) -> bool {
    matches!(arg, Arg::Bool(_) | Arg::Float(_) | Arg::Complex(..)) || is_int(graph, arg)
}

/// True if the node's value is a size: by its metadata, or by what it calls.
fn computes_int(graph: &Graph, node: NodeId) -> bool {
    let node = &graph[node];
    match &node.meta {
        Some(Meta::Int(_)) | Some(Meta::Plain(Arg::Int(_))) => true,
        Some(_) => false,
        None if node.kind != Kind::CallFunction => false,
        None if node.target.starts_with("operator.") && node.target != "operator.getitem" => {
            !node.args.is_empty() && node.args.iter().all(|a| is_int(graph, a))
        }
        None => node.op().is_some_and(
            |op| matches!(op.schema.returns.as_slice(), [result] if matches!(result.ty, Type::SymInt | Type::Int)),
        ),
    }
}

/// True if the node's value is a tuple or list.
pub(super) fn is_tuple(graph: &Graph, node: NodeId) -> bool {
    let node = &graph[node];
    match (&node.meta, node.op()) {
        (Some(meta), _) => matches!(meta, Meta::Tuple(_)),
        (None, Some(overload)) if node.kind == Kind::CallFunction => {
            let returns = &overload.schema.returns;
            returns.len() > 1 || returns.iter().any(|r| matches!(r.ty, Type::List(..)))
        }
        _ => false,
    }
}

/// True unless the node's value is known to be something else.
pub(super) fn is_tensor(graph: &Graph, node: NodeId) -> bool {
    match &graph[node].meta {
        Some(meta) => matches!(meta, Meta::Tensor(_)),
        None => !computes_int(graph, node) && !is_tuple(graph, node),
    }
}
