//! Random numbers by counters, in the place of those that eager's generator draws one after the other.
//!
//! An element is a function of a key and of its place (Philox 4x32-10, as `aten::_philox_uniform` gives it), so that
//! kernels compute it where it is used, in any order, and backward graphs compute it again instead of reading a mask.
//! The keys of a call's operators come from eager's generator: one draw for all, so that `torch.manual_seed` counts.
//!
//! What draws anything else (normals, integers, samples of distributions) stays eager's.

use crate::apart::take_apart;
use crate::build::{Build, Outcome};
use cranelift_entity::EntityRef;
use fx::aten::{Aten, Packet};
use fx::{Arg, Graph, Kind, NodeId};
use symshapes::{DType, Device, DeviceKind, TensorMeta};

/// Lets dropout, `bernoulli` and `rand` of a graph, on the processor, draw by counters.
pub fn draw_by_counter(graph: Graph) -> Graph {
    let composites = [Packet::dropout, Packet::feature_dropout, Packet::scaled_dot_product_attention];
    let mut build = Build { graph: take_apart(graph, |op| composites.contains(&op.packet())) };
    let draws: Vec<NodeId> = build.graph.nodes().filter(|&id| draws(&build.graph, id)).collect();
    let Some(&first) = draws.first() else { return build.graph };
    let len = build.graph.len();
    let Ok(keys) = keys(&mut build, draws.len()) else { return build.graph };
    build.graph.move_appended(len, first);
    for (number, &id) in draws.iter().enumerate() {
        let (len, capacity) = (build.graph.len(), build.graph.capacity());
        match drawn(&mut build, id, keys, number) {
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
fn draws(graph: &Graph, id: NodeId) -> bool {
    const DRAWS: &[Aten] = &[
        Aten::bernoulli_default,
        Aten::bernoulli_p,
        Aten::native_dropout_default,
        Aten::rand_default,
        Aten::rand_like_default,
    ];
    graph[id].op().is_some_and(|op| DRAWS.contains(&op))
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
    let like = |build: &Build, name: &str| -> Outcome<(NodeId, TensorMeta)> {
        let of = bound.node(name).ok_or("no tensor")?;
        Ok((of, build.tensor(of)?.clone()))
    };
    match op {
        Aten::native_dropout_default => {
            let (input, meta) = like(build, "input")?;
            let p = bound.get("p").as_float().ok_or("a probability that is no number")?;
            if *bound.get("train") == Arg::Bool(false) {
                return Err("nothing to draw".to_owned());
            }
            let uniform = uniform(build, &meta, keys, row)?;
            let stays = build.call(Aten::ge_Scalar, vec![Arg::Node(uniform), Arg::Float(p)])?;
            let kept = build.call(Aten::mul_Tensor, vec![Arg::Node(input), Arg::Node(stays)])?;
            let scale = if p == 1.0 { 0.0 } else { 1.0 / (1.0 - p) };
            Ok(vec![build.call(Aten::mul_Scalar, vec![Arg::Node(kept), Arg::Float(scale)])?, stays])
        }
        Aten::bernoulli_default | Aten::bernoulli_p => {
            let (given, meta) = like(build, "self")?;
            let uniform = uniform(build, &meta, keys, row)?;
            let (below, p) = match op {
                Aten::bernoulli_p => (Aten::lt_Scalar, bound.get("p").clone()),
                _ => (Aten::lt_Tensor, Arg::Node(given)),
            };
            let drawn = build.call(below, vec![Arg::Node(uniform), p])?;
            Ok(vec![build.call(Aten::to_dtype, vec![Arg::Node(drawn), Arg::DType(meta.dtype)])?])
        }
        _ => {
            let meta = node.tensor_meta().ok_or("no tensor")?.clone();
            if meta.dtype != DType::F32 {
                return Err("numbers of another precision".to_owned());
            }
            Ok(vec![uniform(build, &meta, keys, row)?])
        }
    }
}

/// Appends a draw of uniform numbers of single precision, as many as a tensor has.
fn uniform(build: &mut Build, like: &TensorMeta, keys: NodeId, row: usize) -> Outcome<NodeId> {
    if like.device.kind != DeviceKind::Cpu {
        return Err("another device".to_owned());
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
