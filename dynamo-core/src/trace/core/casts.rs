//! Conversions that autocast makes, as calls of the graph in ATen overloads.

use super::{lowered::Lowered, modes::AutocastState, tracer::Traced};
use crate::reason::{Kind, Reason};
use fx::{
    Arg, Kind as NodeKind, Meta, NodeId, TensorMeta,
    aten::{self, autocast::Cast},
    infer,
};
use rustc_hash::FxHashMap;
use symshapes::{DType, DeviceKind, ShapeEnv};

impl Lowered {
    /// Converts the arguments of a call as autocast does: each conversion is a call before it.
    ///
    /// # Errors
    /// It is not known what autocast does with the arguments.
    pub(super) fn convert(&mut self, id: NodeId, autocast: &AutocastState, env: &mut ShapeEnv, at: &str) -> Traced<()> {
        let target = self.graph[id].target.clone();
        let cast = aten::autocast::cast(&target);
        let tensor = |node: &NodeId| self.graph[*node].tensor_meta().map(|meta| (*node, meta.clone()));
        let tensors: Vec<(NodeId, TensorMeta)> = self.graph[id].inputs().iter().filter_map(tensor).collect();
        let chosen = |kind| autocast.iter().find(|(known, _)| *known == kind).map(|&(_, dtype)| dtype);
        let elsewhere = tensors.iter().any(|(_, meta)| meta.device.kind != DeviceKind::Cpu);
        let Some(dtype) = chosen(DeviceKind::Cpu).filter(|_| !elsewhere) else {
            let concerned = tensors.iter().any(|(_, meta)| chosen(meta.device.kind).is_some());
            return if concerned { Err(unknown_cast(&target)) } else { Ok(()) };
        };
        if cast == Cast::Unknown {
            return Err(unknown_cast(&target));
        }
        let wide = tensors.iter().any(|(_, meta)| meta.dtype == DType::F32);
        let mut renamed = FxHashMap::default();
        for (node, meta) in tensors {
            let to = cast.converted(meta.dtype, dtype, if wide { DType::F32 } else { dtype });
            if to != meta.dtype {
                renamed.insert(node, self.converted(id, node, to, env, at));
            }
        }
        let mut known = |node| Arg::Node(renamed.get(&node).copied().unwrap_or(node));
        let node = &mut self.graph[id];
        node.args = node.args.iter().map(|arg| arg.map_nodes(&mut known)).collect();
        for (_, arg) in &mut node.kwargs {
            *arg = arg.map_nodes(&mut known);
        }
        Ok(())
    }

    /// A tensor in another element type, as a call before this one. Parameters are converted once: autocast keeps what
    /// they have become until they are written to.
    fn converted(&mut self, before: NodeId, of: NodeId, to: DType, env: &mut ShapeEnv, at: &str) -> NodeId {
        let is_kept = self.is_kept(of);
        let known = self.casts.iter().find(|&&(known, dtype, _)| is_kept && (known, dtype) == (of, to));
        if let Some(&(_, _, known)) = known {
            return known;
        }
        let kwargs = vec![("dtype".to_owned(), Arg::DType(to))];
        let args = vec![Arg::Node(of)];
        let cast =
            self.graph.insert_before(before, NodeKind::CallFunction, "aten._to_copy.default", args, kwargs, None);
        self.graph[cast].meta = infer::guarded(&self.graph, cast, env, at).ok();
        if self.graph[cast].meta.is_none() {
            // Its result is only told in type.
            self.lacks("autocast");
            let meta = self.graph[of].tensor_meta().cloned();
            self.graph[cast].meta = meta.map(|meta| Meta::Tensor(TensorMeta { dtype: to, ..meta }));
        }
        if is_kept {
            self.casts.push((of, to, cast));
        }
        cast
    }

    /// True for a call whose arguments are those that the operator gets under autocast: of all of them it is known what
    /// they are, and what autocast does with them.
    pub(in crate::trace) fn is_converted(&self, call: NodeId) -> bool {
        let node = &self.graph[call];
        let is_known = node.inputs().iter().all(|&input| self.graph[input].meta.is_some());
        let overload = aten::lookup(&node.target).filter(|_| node.target.starts_with("aten."));
        is_known
            && overload.is_some_and(|overload| !overload.mutates())
            && aten::autocast::cast(&node.target) != Cast::Unknown
    }

    /// Converts inputs anew from here on: what was converted while autograd did not record it does not follow.
    pub(in crate::trace) fn forget_casts(&mut self) {
        self.casts.clear();
    }

    /// True for an input that autocast may keep converted.
    fn is_kept(&self, node: NodeId) -> bool {
        let is_single = self.graph[node].tensor_meta().is_some_and(|meta| meta.dtype == DType::F32);
        self.graph[node].kind == NodeKind::Placeholder && is_single
    }

    /// True for a call that may write to the memory of an input which autocast keeps converted: it would go on with
    /// what that was.
    pub(super) fn writes_to_kept(&self, call: NodeId) -> bool {
        let node = &self.graph[call];
        let overload = aten::lookup(&node.target);
        let Some(mut root) = overload.and_then(|overload| overload.written(&node.args, &node.kwargs)) else {
            return true;
        };
        loop {
            let node = &self.graph[root];
            let is_of_another = node.target == "operator.getitem"
                || aten::lookup(&node.target).is_none_or(|overload| overload.is_view() || overload.mutates());
            match node.inputs().first() {
                Some(&base) if is_of_another => root = base,
                _ => return self.is_kept(root) && node.tensor_meta().is_some_and(|meta| meta.requires_grad),
            }
        }
    }
}

/// A call of which it is not known what autocast does with its arguments.
pub(in crate::trace) fn unknown_cast(target: &str) -> Reason {
    Reason::new(Kind::TorchOp, format!("`{target}` under autocast."))
}
