//! Random numbers by counters, in the place of those that eager's generator draws one after the other.
//!
//! An element is a function of a key and of its place (Philox 4x32-10, as `aten::_philox_uniform` gives it), so that
//! kernels compute it where it is used, in any order, and backward graphs compute it again instead of reading a mask.
//! The keys of a call's operators come from eager's generator: one draw for all, so that `torch.manual_seed` counts.
//!
//! Other distributions (normals, integers, `bernoulli` of a tensor, whose values eager checks) stay eager's, and so
//! does a result that does not lie row by row.

use crate::apart::take_apart;
use crate::build::{Build, Outcome};
use cranelift_entity::EntityRef;
use fx::aten::{Aten, Packet};
use fx::effects::draws;
use fx::infer::{sizes::Sizes, strides};
use fx::{Arg, Graph, Kind, NodeId};
use symshapes::{DType, Device, DeviceKind, TensorMeta};

/// Lets dropout, `bernoulli` and `rand` of a graph, on the processor, draw by counters.
pub fn draw_by_counter(graph: Graph) -> Graph {
    const COMPOSITES: &[Packet] = &[Packet::dropout, Packet::feature_dropout, Packet::scaled_dot_product_attention];
    let is_composite = |op: Aten| COMPOSITES.contains(&op.packet());
    let graph = take_apart(graph, |graph, id| graph[id].op().is_some_and(is_composite) && draws(graph, id));
    let mut build = Build { graph };
    let counted: Vec<NodeId> = build.graph.nodes().filter(|&id| can_be_counted(&build.graph, id)).collect();
    let Some(&first) = counted.first() else { return build.graph };
    let len = build.graph.len();
    let Ok(keys) = keys(&mut build, counted.len()) else { return build.graph };
    build.graph.move_appended(len, first);
    for (row, &id) in counted.iter().enumerate() {
        let (len, capacity) = (build.graph.len(), build.graph.capacity());
        match drawn(&mut build, id, keys, row) {
            Ok(results) => {
                build.graph.move_appended(len, id);
                put_in_place(&mut build.graph, id, &results);
            }
            Err(_) => build.graph.retain(|node| node.index() < capacity),
        }
    }
    let is_used = build.graph.nodes().any(|id| build.graph[id].inputs().contains(&keys));
    build.graph.retain(|id| id != keys || is_used);
    build.graph
}

/// True for a call in whose place one by counters may stand.
fn can_be_counted(graph: &Graph, id: NodeId) -> bool {
    const COUNTED: &[Aten] =
        &[Aten::bernoulli_p, Aten::native_dropout_default, Aten::rand_default, Aten::rand_like_default];
    graph[id].op().is_some_and(|op| COUNTED.contains(&op)) && draws(graph, id)
}

/// Appends the draw of a key for each of so many calls, a row each.
fn keys(build: &mut Build, calls: usize) -> Outcome<NodeId> {
    let sizes = Arg::List(vec![Arg::Int(calls as i64), Arg::Int(2)]);
    let options = [("dtype", Arg::DType(DType::I64)), ("device", Arg::Device(Device::CPU))];
    let options = options.map(|(name, value)| (name.to_owned(), value)).into();
    build.call_named(Aten::randint_low, vec![Arg::Int(i64::MIN), Arg::Int(i64::MAX), sizes], options)
}

/// Appends the results of a call, drawn by the key in this row.
fn drawn(build: &mut Build, id: NodeId, keys: NodeId, row: usize) -> Outcome<Vec<NodeId>> {
    let node = build.graph[id].clone();
    let op = node.op().ok_or("no overload")?;
    let bound = op.bind(&node.args, &node.kwargs).map_err(|error| error.to_string())?;
    // Eager refuses others.
    let p = |name| bound.get(name).as_float().filter(|p| (0.0..=1.0).contains(p)).ok_or("no probability");
    match op {
        Aten::native_dropout_default => {
            let (input, p) = (bound.node("input").ok_or("no tensor")?, p("p")?);
            let like = build.tensor(input)?.clone();
            if !like.dtype.is_float() {
                return Err("numbers that cannot be scaled".to_owned());
            }
            let uniform = uniform(build, &like, keys, row)?;
            let stays = build.call(Aten::ge_Scalar, vec![Arg::Node(uniform), Arg::Float(p)])?;
            let kept = build.call(Aten::mul_Tensor, vec![Arg::Node(input), Arg::Node(stays)])?;
            let scale = if p == 1.0 { 0.0 } else { 1.0 / (1.0 - p) };
            Ok(vec![build.call(Aten::mul_Scalar, vec![Arg::Node(kept), Arg::Float(scale)])?, stays])
        }
        Aten::bernoulli_p => {
            let (like, p) = (node.tensor_meta().ok_or("no tensor")?, p("p")?);
            let uniform = uniform(build, like, keys, row)?;
            let drawn = build.call(Aten::lt_Scalar, vec![Arg::Node(uniform), Arg::Float(p)])?;
            Ok(vec![build.call(Aten::to_dtype, vec![Arg::Node(drawn), Arg::DType(like.dtype)])?])
        }
        _ => {
            let like = node.tensor_meta().ok_or("no tensor")?;
            if like.dtype != DType::F32 {
                return Err("numbers of another precision".to_owned());
            }
            Ok(vec![uniform(build, like, keys, row)?])
        }
    }
}

/// Appends a draw of uniform numbers of single precision, as many as a tensor has, row by row.
fn uniform(build: &mut Build, like: &TensorMeta, keys: NodeId, row: usize) -> Outcome<NodeId> {
    let is_row_major = strides::is_contiguous(&mut Sizes::Proved(&mut build.graph.exprs), like) == Some(true);
    if !is_row_major || like.device.kind != DeviceKind::Cpu {
        return Err("elements in another order, or on another device".to_owned());
    }
    let sizes = Arg::List(like.sizes.iter().map(|&size| build.size_arg(size)).collect());
    let options = vec![("dtype".to_owned(), Arg::DType(DType::F32))];
    let room = build.call_named(Aten::full_default, vec![sizes, Arg::Float(0.0)], options)?;
    let key = build.call(Aten::select_int, vec![Arg::Node(keys), Arg::Int(0), Arg::Int(row as i64)])?;
    build.call(Aten::_philox_uniform_default, vec![Arg::Node(room), Arg::Node(key)])
}

/// Puts results in the place of a call's, which it drops.
fn put_in_place(graph: &mut Graph, id: NodeId, results: &[NodeId]) {
    if let &[result] = results {
        graph.replace_all_uses(id, result);
        graph.retain(|node| node != id);
        return;
    }
    let is_pick = |node: NodeId| graph[node].kind == Kind::CallFunction && graph[node].inputs().contains(&id);
    let picks: Vec<NodeId> = graph.nodes().filter(|&node| is_pick(node)).collect();
    for &pick in &picks {
        if let Some(&result) = graph[pick].args.get(1).and_then(Arg::as_int).and_then(|at| results.get(at as usize)) {
            graph.replace_all_uses(pick, result);
        }
    }
    graph.retain(|node| node != id && !picks.contains(&node));
}
