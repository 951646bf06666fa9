//! The names of torch's Python surface (functions, methods, operators, in-place forms, `out=`), and the pass that
//! lowers calls of them to ATen overloads.
//!
//! A node without metadata counts as a tensor unless what it calls gives something else. A call without a row, or that
//! no overload accepts, is an error that names the node; nothing is guessed.

mod binder;
mod indexing;
mod literal;
mod signature;
mod table;

use crate::{
    arg::Arg,
    aten::{Aten, Packet},
    effects::BOUND,
    graph::{Graph, Kind, Node, NodeId},
};
use binder::{Lowered, is_number, is_tensor};
pub use indexing::selects_by_value;

/// A node that cannot be lowered.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum LowerError {
    /// A target that the table lacks.
    #[error("%{node}: no row for `{target}`")]
    NoRow {
        /// The node's name.
        node: String,
        /// The callee.
        target: String,
    },
    /// Arguments that none of the row's overloads takes.
    #[error("%{node}: no overload of `{target}` takes these arguments")]
    NoOverload {
        /// The node's name.
        node: String,
        /// The callee.
        target: String,
    },
    /// An index that the pass does not cover.
    #[error("%{node}: indexing {what}")]
    Index {
        /// The node's name.
        node: String,
        /// The case that is not covered.
        what: &'static str,
    },
}

/// Rewrites the calls of torch's functions, methods and operators into calls of ATen overloads. Nodes keep their ids,
/// names and metadata; arithmetic on sizes and picking from tuples stay as they are.
pub fn lower_torch(graph: &Graph) -> Result<Graph, LowerError> {
    let mut graph = graph.clone();
    for id in graph.nodes().collect::<Vec<_>>() {
        match graph[id].kind {
            Kind::CallFunction | Kind::CallMethod => lower_call(&mut graph, id)?,
            Kind::CallModule => return Err(no_row(&graph[id])),
            Kind::Placeholder | Kind::GetAttr | Kind::Output => {}
        }
    }
    drop_shape_reads(&mut graph)?;
    Ok(graph)
}

/// True if the table has a row for this name: `torch.add`, `Tensor.add_`, `operator.iadd`.
pub fn knows(name: &str) -> bool {
    find(&canonical(name)).is_some()
}

/// Every name in the table, in no order; in-place forms come on top.
pub fn names() -> impl Iterator<Item = &'static str> {
    table::index().keys().map(String::as_str)
}

/// True for a function, an operator or the name of a method whose float arguments may be inputs of the graph.
pub fn takes_floats(target: &str) -> bool {
    behind(target).is_some_and(|(row, _)| row.overloads.iter().any(|overload| overload.traits().float_input))
}

/// The overloads of which a function, an operator or the name of a method is the in-place form; none if it is no such
/// form: those of `mul` for `mul_`, `multiply_` and `operator.imul`.
pub fn written_in_place(target: &str) -> &'static [Aten] {
    behind(target).filter(|&(_, in_place)| in_place).map_or(&[], |(row, _)| row.overloads)
}

/// The row of a function, an operator or the name of a method, and whether it is the in-place form.
fn behind(target: &str) -> Option<(table::Row, bool)> {
    let name = canonical(target);
    find(&name).or_else(|| find(&format!("Tensor.{name}")))
}

fn no_row(node: &Node) -> LowerError {
    LowerError::NoRow { node: node.name.to_string(), target: node.target.to_string() }
}

/// Rewrites one call as [`lower_torch`] does. What it puts before the call has no metadata yet.
///
/// # Errors
/// As [`lower_torch`].
pub fn lower_call(graph: &mut Graph, id: NodeId) -> Result<(), LowerError> {
    let node = graph[id].clone();
    let name = match node.kind {
        Kind::CallMethod => format!("Tensor.{}", node.target),
        _ if node.op().is_some() => return Ok(()),
        _ => canonical(&node.target),
    };
    if is_shape_read(&name, &node) {
        return Ok(());
    }
    if name == "operator.getitem" || name == "Tensor.__getitem__" {
        return indexing::lower(graph, id);
    }
    if name == "operator.setitem" || name == "Tensor.__setitem__" {
        return indexing::lower_write(graph, id);
    }
    let arithmetic = name.starts_with("operator.") || matches!(&*name, "torch.sym_min" | "torch.sym_max");
    let on_numbers = arithmetic && !node.args.iter().any(|a| is_a_tensor(graph, a));
    if on_numbers {
        return Ok(());
    }
    if number_first(graph, id, &name) {
        return Ok(());
    }
    if literal::lower(graph, id, &name) || constant_pad(graph, id, &name) {
        return Ok(());
    }
    let lowered = match find(&name) {
        Some((row, in_place)) => {
            let called = moved(&name, &node);
            let called = called.as_ref().unwrap_or(&node);
            binder::bind(graph, row, &called.args, &called.kwargs, in_place)
        }
        None => {
            let packet = published(&node).ok_or_else(|| no_row(&node))?;
            binder::bind_packet(graph, packet, &node.args, &node.kwargs)
        }
    };
    let refused = || LowerError::NoOverload { node: node.name.to_string(), target: node.target.to_string() };
    replace(graph, id, lowered.ok_or_else(refused)?);
    Ok(())
}

fn is_a_tensor(graph: &Graph, arg: &Arg) -> bool {
    arg.as_node().is_some_and(|n| is_tensor(graph, n))
}

fn replace(graph: &mut Graph, id: NodeId, lowered: Lowered) {
    let node = &mut graph[id];
    node.kind = Kind::CallFunction;
    node.target = lowered.overload.into();
    (node.args, node.kwargs) = (lowered.args, lowered.kwargs);
}

/// Turns the node into a call of an overload.
fn call(graph: &mut Graph, id: NodeId, op: Aten, args: Vec<Arg>) {
    let node = &mut graph[id];
    node.kind = Kind::CallFunction;
    node.target = op.into();
    (node.args, node.kwargs) = (args, Vec::new());
}

/// The operator that a function or method without a row calls with the arguments that it is given.
fn published(node: &Node) -> Option<Packet> {
    let is_out_of_place = |name: &str| !name.ends_with('_');
    if node.kind == Kind::CallMethod {
        let name = node.target.as_str();
        return Packet::named(name).filter(|_| is_out_of_place(name) && !METHODS_IN_PYTHON.contains(&name));
    }
    let (owner, name) = node.target.rsplit_once('.')?;
    let is_bound = owner == "torch.ops.aten" || BOUND.contains(&owner);
    Packet::named(name).filter(|_| is_bound && is_out_of_place(name))
}

/// Methods of tensors in Python, whose parameters are not those of the operators of these names.
const METHODS_IN_PYTHON: [&str; 13] = [
    "align_to",
    "backward",
    "dim_order",
    "istft",
    "lu",
    "module_load",
    "norm",
    "refine_names",
    "split",
    "stft",
    "unflatten",
    "unique",
    "unique_consecutive",
];

/// The one name under which the table has a function that torch shows under several.
fn canonical(target: &str) -> String {
    const PREFIXES: &[(&str, &str)] = &[
        // `torch.nn.functional` has functions of other parameters under these names.
        ("torch._C._nn.max_unpool", "torch._C._nn.max_unpool"),
        ("torch._C._nn.", "torch.nn.functional."),
        ("torch._C._special.special_", "torch.special."),
        ("torch._C._linalg.linalg_", "torch.linalg."),
        ("torch._C._TensorBase.", "Tensor."),
        ("torch._C._VariableFunctions.", "torch."),
        ("torch.Tensor.", "Tensor."),
        ("torch.functional.", "torch."),
        ("torch.ops.aten.", "torch."),
        ("_operator.", "operator."),
    ];
    let renamed = PREFIXES.iter().find_map(|(from, to)| Some(format!("{to}{}", target.strip_prefix(from)?)));
    renamed.unwrap_or_else(|| target.to_owned())
}

/// The row of a name, and whether it is the in-place form.
fn find(name: &str) -> Option<(table::Row, bool)> {
    if let Some(row) = table::row(name) {
        return Some((row, name.ends_with('_') && name.starts_with("Tensor.")));
    }
    if let Some(operator) = name.strip_prefix("operator.i") {
        let plain =
            table::row(&format!("operator.{operator}")).or_else(|| table::row(&format!("operator.{operator}_")));
        return plain.map(|row| (row, true));
    }
    let dunder = |name: &str| Some(format!("operator.{}", name.strip_prefix("Tensor.__")?.strip_suffix("__")?));
    if let Some(operator) = dunder(name) {
        return table::row(&operator).or_else(|| table::row(&format!("{operator}_"))).map(|row| (row, false));
    }
    let plain = name.strip_suffix('_')?;
    let functional = plain.strip_prefix("torch.nn.functional.").map(|f| format!("torch.{f}"));
    let row = table::row(plain).or_else(|| functional.and_then(|name| table::row(&name)))?;
    Some((row, true))
}

/// Operators with a number on the left and a tensor on the right, where ATen wants the tensor first.
fn number_first(graph: &mut Graph, id: NodeId, name: &str) -> bool {
    let [number, tensor] = &graph[id].args[..] else { return false };
    if !name.starts_with("operator.") || !is_number(graph, number) || !is_a_tensor(graph, tensor) {
        return false;
    }
    let (number, tensor) = (number.clone(), tensor.clone());
    let target = match name {
        "operator.add" => Aten::add_Tensor,
        "operator.mul" => Aten::mul_Tensor,
        "operator.sub" => Aten::rsub_Scalar,
        "operator.eq" => Aten::eq_Scalar,
        "operator.ne" => Aten::ne_Scalar,
        "operator.lt" => Aten::gt_Scalar,
        "operator.le" => Aten::ge_Scalar,
        "operator.gt" => Aten::lt_Scalar,
        "operator.ge" => Aten::le_Scalar,
        "operator.truediv" => {
            let args = vec![tensor];
            let inverse =
                graph.insert_before(id, Kind::CallFunction, Aten::reciprocal_default, args, vec![], Some("reciprocal"));
            call(graph, id, Aten::mul_Tensor, vec![Arg::Node(inverse), number]);
            return true;
        }
        _ => return false,
    };
    call(graph, id, target, vec![tensor, number]);
    true
}

/// `pad` with a constant, which is an operator of its own.
fn constant_pad(graph: &mut Graph, id: NodeId, name: &str) -> bool {
    const PARAMETERS: [&str; 4] = ["input", "pad", "mode", "value"];
    let node = &graph[id];
    let is_known = node.args.len() <= 4 && node.kwargs.iter().all(|(name, _)| PARAMETERS.contains(&name.as_str()));
    if name != "torch.nn.functional.pad" || !is_known {
        return false;
    }
    let given =
        |place: usize| node.args.get(place).or_else(|| node.kwarg(PARAMETERS[place])).filter(|arg| !arg.is_none());
    let is_constant = given(2).is_none_or(|mode| mode.as_str() == Some("constant"));
    let (Some(this), Some(pad @ (Arg::List(_) | Arg::Tuple(_))), true) = (given(0), given(1), is_constant) else {
        return false;
    };
    let value = given(3).cloned().unwrap_or(Arg::Int(0));
    // The function hands a float on, which element types without one may refuse where they would take the integer.
    let is_float = this.as_node().and_then(|node| graph[node].tensor_meta()).is_some_and(|meta| meta.dtype.is_float());
    if !is_float && !matches!(value, Arg::Int(0..=127)) {
        return false;
    }
    let args = vec![this.clone(), pad.clone(), value];
    call(graph, id, Aten::constant_pad_nd_default, args);
    true
}

/// `x.to(device)` as `x.to(device=device)`: ATen takes it by name where no element type comes with it.
fn moved(name: &str, node: &Node) -> Option<Node> {
    let [this, device @ (Arg::Device(_) | Arg::Str(_))] = &node.args[..] else { return None };
    if name != "Tensor.to" || node.kwarg("dtype").is_some_and(|dtype| !dtype.is_none()) {
        return None;
    }
    let device = ("device".to_owned(), device.clone());
    let kwargs = [vec![device], node.kwargs.clone()].concat();
    Some(Node { args: vec![this.clone()], kwargs, ..node.clone() })
}

/// `x.size()` and `getattr(x, "shape")`: read by the picks from them, which become reads of one size.
fn is_shape_read(name: &str, node: &Node) -> bool {
    let attribute = || node.args.get(1).and_then(Arg::as_str) == Some("shape");
    (name == "Tensor.size" && node.args.len() == 1 && node.kwargs.is_empty())
        || (matches!(name, "builtins.getattr" | "getattr") && attribute())
}

/// Takes out the reads of whole shapes that nothing uses any more.
fn drop_shape_reads(graph: &mut Graph) -> Result<(), LowerError> {
    for id in graph.nodes().rev().collect::<Vec<_>>() {
        let node = &graph[id];
        let name =
            if node.kind == Kind::CallMethod { format!("Tensor.{}", node.target) } else { node.target.to_string() };
        let calls = matches!(node.kind, Kind::CallFunction | Kind::CallMethod);
        if calls && is_shape_read(&name, node) {
            let unread = no_row(node);
            graph.erase(id).map_err(|_| unread)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
