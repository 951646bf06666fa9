//! Composites in a graph that is not differentiated, as the calls that they are composed of.

use crate::build::{Build, Outcome};
use crate::composites;
use cranelift_entity::EntityRef;
use fx::{Arg, Graph, NodeId};
use symshapes::DeviceKind;

/// Takes the composites apart for which `is_apart` holds. One whose parts are not known, or that is on another device
/// than the processor, stays as it is.
pub fn take_apart(graph: Graph, is_apart: impl Fn(&Graph, NodeId) -> bool) -> Graph {
    let mut build = Build { graph };
    let is_composite = |id: NodeId| build.graph[id].op().is_some_and(composites::is_composite);
    let is_meant = |&id: &NodeId| is_composite(id) && is_apart(&build.graph, id);
    for id in build.graph.nodes().filter(is_meant).collect::<Vec<_>>() {
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
    let op = node.op().ok_or("no overload")?;
    if node.tensor_meta().is_none_or(|meta| meta.device.kind != DeviceKind::Cpu) {
        return Err("a tensor on another device, for which eager chooses other kernels".to_owned());
    }
    let read = |arg: &Arg| build.with_expressions(&build.graph, arg);
    let args: Vec<Arg> = node.args.iter().map(read).collect();
    let kwargs: Vec<(String, Arg)> = node.kwargs.iter().map(|(name, arg)| (name.clone(), read(arg))).collect();
    let before = build.graph.capacity();
    let result = composites::expand(build, op, &args, &kwargs, node.meta.as_ref())?;
    if result.index() < before { Err("one of its operands is given back".to_owned()) } else { Ok(result) }
}
