//! `x[...]`: a chain of selections, slices and new dimensions, and at its end the index tensors together.

use super::{
    LowerError,
    binder::{is_int, is_tensor, is_tuple},
    call, is_shape_read, literal,
};
use crate::aten::Aten;
use crate::{
    arg::Arg,
    graph::{Graph, Kind, NodeId},
};
use symshapes::DType;

/// Lowers `operator.getitem`. Picks from tuples stay; picks from shapes become reads of one size.
pub(super) fn lower(graph: &mut Graph, id: NodeId) -> Result<(), LowerError> {
    let [Arg::Node(source), index] = &graph[id].args[..] else {
        return Err(error(graph, id, "something other than a node"));
    };
    let (source, index) = (*source, index.clone());
    if let Some(tensor) = shape_of(graph, source) {
        if !matches!(index, Arg::Int(_)) {
            return Err(error(graph, id, "a shape by something other than a number"));
        }
        call(graph, id, Aten::sym_size_int, vec![tensor, index]);
        return Ok(());
    }
    if is_tuple(graph, source) || !is_tensor(graph, source) {
        return Ok(());
    }
    let items = items(graph, id, index);
    let steps = plan(graph, id, source, &items)?;
    emit(graph, id, source, steps);
    Ok(())
}

/// The items of an index. A list of numbers is an index tensor.
fn items(graph: &mut Graph, id: NodeId, index: Arg) -> Vec<Arg> {
    let items = match index {
        Arg::Tuple(items) => items,
        // A list of other sequences is read as a tuple, or is not, by its length.
        Arg::List(list) if list.iter().any(|item| matches!(item, Arg::List(_) | Arg::Tuple(_))) => {
            return vec![Arg::List(list)];
        }
        index => vec![index],
    };
    let one = |item: Arg| match &item {
        Arg::List(_) => literal::index(graph, id, &item).unwrap_or(item),
        _ => item,
    };
    items.into_iter().map(one).collect()
}

/// Lowers `operator.setitem` of a tensor: a write into the view that the index gives, or to where index tensors lead.
pub(super) fn lower_write(graph: &mut Graph, id: NodeId) -> Result<(), LowerError> {
    let [Arg::Node(source), index, value] = &graph[id].args[..] else {
        return Err(error(graph, id, "something other than a node"));
    };
    let (source, index, value) = (*source, index.clone(), value.clone());
    if !is_tensor(graph, source) || is_tuple(graph, source) {
        return Err(error(graph, id, "something other than a tensor"));
    }
    let items = items(graph, id, index);
    let mut steps = plan(graph, id, source, &items)?;
    let is_tensor_value = value.as_node().is_some_and(|node| is_tensor(graph, node));
    if steps.last().is_some_and(|(target, _)| *target == Aten::index_Tensor) {
        let value = match (is_tensor_value, graph[source].tensor_meta().map(|meta| meta.dtype)) {
            (true, _) => value,
            (false, Some(dtype)) => {
                let args = vec![Arg::List(Vec::new()), value];
                let kwargs = vec![("dtype".to_owned(), Arg::DType(dtype))];
                Arg::Node(graph.insert_before(id, Kind::CallFunction, Aten::full_default, args, kwargs, None))
            }
            (false, None) => return Err(error(graph, id, "a tensor of unknown type")),
        };
        let (_, indices) = steps.pop().expect("there is a last step");
        steps.push((Aten::index_put__default, [indices, vec![value]].concat()));
    } else {
        let target = if is_tensor_value { Aten::copy__default } else { Aten::fill__Scalar };
        steps.retain(|(target, _)| *target != Aten::alias_default);
        steps.push((target, vec![value]));
    }
    emit(graph, id, source, steps);
    Ok(())
}

fn error(graph: &Graph, id: NodeId, what: &'static str) -> LowerError {
    LowerError::Index { node: graph[id].name.to_string(), what }
}

/// The tensor whose shape the node reads.
fn shape_of(graph: &Graph, id: NodeId) -> Option<Arg> {
    let node = &graph[id];
    let name = if node.kind == Kind::CallMethod { format!("Tensor.{}", node.target) } else { node.target.to_string() };
    is_shape_read(&name, node).then(|| node.args[0].clone())
}

/// One call of the chain: the overload and its arguments after the tensor.
type Step = (Aten, Vec<Arg>);

fn plan(graph: &Graph, id: NodeId, source: NodeId, items: &[Arg]) -> Result<Vec<Step>, LowerError> {
    let (mut steps, mut tensors, mut dim) = (Vec::new(), Vec::new(), 0i64);
    for item in items {
        let at = Arg::Int(dim);
        match item {
            Arg::None => steps.push((Aten::unsqueeze_default, vec![at])),
            Arg::Ellipsis => {
                dim +=
                    skipped(graph, source, items).ok_or_else(|| error(graph, id, "by `...` without a known rank"))?;
                continue;
            }
            Arg::Slice(parts) => steps.extend(slice(at, parts).ok_or_else(|| error(graph, id, "by a negative step"))?),
            Arg::Node(node) if is_tensor(graph, *node) => {
                tensors.resize(dim as usize, Arg::None);
                tensors.push(item.clone());
            }
            _ if is_int(graph, item) => {
                steps.push((Aten::select_int, vec![at, item.clone()]));
                continue;
            }
            _ => return Err(error(graph, id, "by this kind of object")),
        }
        dim += 1;
    }
    // torch selects by a number at once: its place is not among those of index tensors that stand apart.
    let is_number = |item: &Arg| item.as_node().is_some_and(|node| selects_by_value(graph, node));
    let mut given = tensors.iter().skip_while(|item| item.is_none());
    if tensors.iter().any(is_number) && given.any(Arg::is_none) {
        return Err(error(graph, id, "by a number that a tensor holds, and by tensors apart from it"));
    }
    if !tensors.is_empty() {
        steps.push((Aten::index_Tensor, vec![Arg::List(tensors)]));
    }
    if steps.is_empty() {
        steps.push((Aten::alias_default, vec![]));
    }
    Ok(steps)
}

/// True for a tensor of one integer without dimensions: torch reads it, and gives a view of what is at that place.
pub fn selects_by_value(graph: &Graph, index: NodeId) -> bool {
    let meta = graph[index].tensor_meta();
    meta.is_some_and(|meta| meta.sizes.is_empty() && !matches!(meta.dtype, DType::Bool | DType::U8))
}

/// The number of dimensions that `...` stands for.
fn skipped(graph: &Graph, source: NodeId, items: &[Arg]) -> Option<i64> {
    let rank = graph[source].tensor_meta()?.sizes.len() as i64;
    let consumed = |a: &Arg| match a {
        Arg::None | Arg::Ellipsis => Some(0),
        // A mask takes as many dimensions as it has.
        Arg::Node(n) => match graph[*n].tensor_meta() {
            Some(t) if t.dtype == DType::Bool => Some(t.sizes.len() as i64),
            Some(_) => Some(1),
            // The tensor of a list that is an index has no metadata yet.
            None => Some(1),
        },
        _ => Some(1),
    };
    let taken: i64 = items.iter().map(consumed).sum::<Option<i64>>()?;
    (rank >= taken).then_some(rank - taken)
}

/// The step of a slice, none where it takes everything; `None` for steps that torch rejects.
fn slice(dim: Arg, [start, stop, step]: &[Arg; 3]) -> Option<Option<Step>> {
    let or = |arg: &Arg, none: i64| if arg.is_none() { Arg::Int(none) } else { arg.clone() };
    let (start, stop, step) = (or(start, 0), or(stop, i64::MAX), or(step, 1));
    match (&start, &stop, &step) {
        (_, _, Arg::Int(n)) if *n <= 0 => None,
        (Arg::Int(0), Arg::Int(i64::MAX), Arg::Int(1)) => Some(None),
        (_, _, Arg::Int(1)) => Some(Some((Aten::slice_Tensor, vec![dim, start, stop]))),
        _ => Some(Some((Aten::slice_Tensor, vec![dim, start, stop, step]))),
    }
}

/// Puts the chain in the node's place; the node itself becomes its last call.
fn emit(graph: &mut Graph, id: NodeId, source: NodeId, steps: Vec<Step>) {
    let mut current = source;
    let last = steps.len() - 1;
    for (i, (op, rest)) in steps.into_iter().enumerate() {
        let args = [vec![Arg::Node(current)], rest].concat();
        if i == last {
            call(graph, id, op, args);
        } else {
            current = graph.insert_before(id, Kind::CallFunction, op, args, vec![], None);
        }
    }
}
