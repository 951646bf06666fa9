//! Composites in a graph that is not differentiated, as the calls that they are composed of.

use crate::build::{Build, Outcome};
use crate::composites;
use cranelift_entity::EntityRef;
use fx::aten::Aten;
use fx::{Arg, Graph, Meta, NodeId, infer};

/// Takes the composites apart for which `is_apart` holds. One whose parts are not known, or give a tensor unlike its
/// own, stays as it is.
pub fn take_apart(graph: Graph, is_apart: impl Fn(Aten) -> bool) -> Graph {
    let mut build = Build { graph };
    let is_meant = |op: Aten| composites::is_composite(op) && is_apart(op);
    for id in build.graph.nodes().filter(|&id| build.graph[id].op().is_some_and(is_meant)).collect::<Vec<_>>() {
        let (len, capacity) = (build.graph.len(), build.graph.capacity());
        match parts(&mut build, id) {
            Ok(result) => {
                build.graph.move_appended(len, id);
                build.graph.replace_all_uses(id, result);
                build.graph.retain(|node| node != id);
            }
            Err(_) => build.graph.retain(|node| node.index() < capacity),
        }
    }
    build.graph
}

/// Appends the parts of a composite; their result.
fn parts(build: &mut Build, id: NodeId) -> Outcome<NodeId> {
    let node = build.graph[id].clone();
    let int = |node: NodeId| match build.graph[node].meta {
        Some(Meta::Int(expr)) => build.size_arg(expr),
        _ => Arg::Node(node),
    };
    let args: Vec<Arg> = node.args.iter().map(|arg| arg.map_nodes(&mut { int })).collect();
    let kwargs = node.kwargs.iter().map(|(name, arg)| (name.clone(), arg.map_nodes(&mut { int })));
    let kwargs: Vec<(String, Arg)> = kwargs.collect();
    let op = node.op().ok_or("no overload")?;
    let bound = op.bind(&args, &kwargs).map_err(|error| error.to_string())?;
    let expand = composites::row(op).ok_or("no composite")?;
    let before = build.graph.capacity();
    let result = expand(build, &bound)?;
    match (&node.meta, &build.graph[result].meta) {
        (Some(whole), Some(parts)) if result.index() >= before && infer::agree(&build.graph.exprs, whole, parts) => {
            Ok(result)
        }
        _ => Err("parts that give another tensor".to_owned()),
    }
}
