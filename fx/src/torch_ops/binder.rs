//! Chooses the overload that accepts a call, and arranges the arguments by its schema.

use super::table::{Binder, Row};
use crate::{
    arg::Arg,
    aten::{self, Overload, Type},
    graph::{Graph, Kind, Meta, NodeId},
};
use symshapes::DType;

/// A call in ATen's terms.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Lowered {
    /// The overload.
    pub(super) overload: &'static Overload,
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
        Binder::Signature { params, call } => {
            let call = by_signature(params, call, args, kwargs)?;
            (call.args, call.kwargs, in_place || call.in_place)
        }
    };
    choose(graph, &candidates(row.overloads.split(' '), in_place, &kwargs), &args, &kwargs)
}

/// Binds a call of an operator by the one of its overloads that accepts the arguments.
pub(super) fn bind_packet(graph: &Graph, packet: &str, args: &[Arg], kwargs: &[(String, Arg)]) -> Option<Lowered> {
    let candidates: Vec<&'static Overload> = aten::overloads(packet).filter(|overload| !overload.mutates()).collect();
    choose(graph, &candidates, args, kwargs)
}

fn candidates<'a>(
    names: impl Iterator<Item = &'a str>,
    in_place: bool,
    kwargs: &[(String, Arg)],
) -> Vec<&'static Overload> {
    let has_out = kwargs.iter().any(|(name, value)| name == "out" && !value.is_none());
    names.flat_map(|name| variants(name, in_place, has_out)).filter_map(|name| aten::lookup(&name)).collect()
}

fn choose(graph: &Graph, candidates: &[&'static Overload], args: &[Arg], kwargs: &[(String, Arg)]) -> Option<Lowered> {
    // A number for a tensor is torch's last resort: the overloads that take numbers come first.
    let strict = candidates.iter().find_map(|o| accept(graph, o, args, kwargs, false));
    strict.or_else(|| candidates.iter().find_map(|o| accept(graph, o, args, kwargs, true)))
}

/// The names under which the in-place or `out=` form of an overload may be published.
fn variants(name: &str, in_place: bool, has_out: bool) -> Vec<String> {
    let (base, overload) = name.split_once('.').unwrap_or((name, "default"));
    match (in_place, has_out) {
        (true, _) if base.ends_with('_') => vec![name.to_owned()],
        (true, _) => vec![format!("{base}_.{overload}")],
        (_, true) => vec![format!("{base}.{overload}_out"), format!("{base}.out")],
        _ => vec![name.to_owned()],
    }
}

/// The numbers from position `first` on as one list, if they are not one already.
fn gather(graph: &Graph, args: &[Arg], first: usize) -> Vec<Arg> {
    let Some((before, after)) = args.split_at_checked(first) else { return args.to_vec() };
    if after.is_empty() || !after.iter().all(|a| is_int(graph, a)) {
        return args.to_vec();
    }
    before.iter().cloned().chain([Arg::List(after.to_vec())]).collect()
}

/// What a row with a signature makes of a call.
struct Signed {
    args: Vec<Arg>,
    kwargs: Kwargs,
    /// True if the call has `inplace=True`.
    in_place: bool,
}

/// The overload's arguments from those of a Python signature.
fn by_signature(params: &str, call: &str, args: &[Arg], kwargs: &[(String, Arg)]) -> Option<Signed> {
    let mut positional = args.iter();
    let mut used = 0;
    let mut values: Vec<(&str, Arg)> = Vec::new();
    for param in params.split(' ') {
        let (name, default) = param.split_once('=').map_or((param, None), |(name, text)| (name, Some(literal(text))));
        let (name, fixed) = name.strip_suffix(':').map_or((name, false), |name| (name, true));
        let keyword = kwargs.iter().find(|(k, _)| k == name).map(|(_, v)| v);
        used += usize::from(keyword.is_some());
        let given = positional.next().or(keyword).cloned();
        let value = given.or(default.clone())?;
        if fixed && Some(&value) != default.as_ref() {
            return None;
        }
        values.push((name, value));
    }
    if positional.next().is_some() || used != kwargs.len() {
        return None;
    }
    let of = |name: &str| values.iter().find(|(n, _)| *n == name).map(|(_, v)| v.clone());
    let in_place = of("inplace") == Some(Arg::Bool(true));
    let mut signed = Signed { args: Vec::new(), kwargs: Kwargs::new(), in_place };
    for word in call.split(' ') {
        match word.split_once('=') {
            Some((key, name)) if !key.is_empty() => signed.kwargs.push((key.to_owned(), argument(name, &of)?)),
            _ => signed.args.push(argument(word, &of)?),
        }
    }
    Some(signed)
}

/// What a word of a row's call stands for.
fn argument(word: &str, of: &dyn Fn(&str) -> Option<Arg>) -> Option<Arg> {
    if let Some(text) = word.strip_prefix('=') {
        return Some(literal(text));
    }
    if let Some((name, _)) = word.split_once('!') {
        return match of(name)? {
            Arg::Str(s) => ["none", "mean", "sum"].iter().position(|r| *r == s).map(|i| Arg::Int(i as i64)),
            _ => None,
        };
    }
    match word.split_once('?') {
        Some((name, none)) => of(name).map(|value| if value.is_none() { literal(none) } else { value }),
        None => of(word),
    }
}

/// A value as the rows write it.
fn literal(text: &str) -> Arg {
    match text {
        "None" => Arg::None,
        "True" => Arg::Bool(true),
        "False" => Arg::Bool(false),
        "[]" => Arg::List(Vec::new()),
        "cpu" => Arg::Device(symshapes::Device::CPU),
        _ => {
            let dtype = || text.strip_prefix("torch.").and_then(|name| name.parse::<DType>().ok()).map(Arg::DType);
            let number = || text.parse().map(Arg::Int).or_else(|_| text.parse().map(Arg::Float)).ok();
            dtype().or_else(number).unwrap_or_else(|| Arg::Str(text.to_owned()))
        }
    }
}

/// The call arranged by the overload's schema, if its types accept the arguments. `lenient` lets numbers stand for
/// tensors, but for the first.
fn accept(
    graph: &Graph,
    overload: &'static Overload,
    args: &[Arg],
    kwargs: &[(String, Arg)],
    lenient: bool,
) -> Option<Lowered> {
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

/// What the Python surface calls a parameter and what ATen calls it.
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
fn renamed(overload: &Overload, kwargs: &[(String, Arg)]) -> Option<Kwargs> {
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
        None => node.target.starts_with("aten.sym_"),
    }
}

/// True if the node's value is a tuple or list.
pub(super) fn is_tuple(graph: &Graph, node: NodeId) -> bool {
    let node = &graph[node];
    match (&node.meta, aten::lookup(&node.target)) {
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
