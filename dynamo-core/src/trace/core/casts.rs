//! Conversions that autocast makes, as calls of the graph in ATen overloads.

use super::{ids::Traced, lowered::Lowered, modes::AutocastState};
use crate::reason::{Kind, Reason};
use fx::{
    Arg, Kind as NodeKind, Meta, NodeId, TensorMeta,
    aten::{
        Aten,
        autocast::{self, Cast},
    },
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
        if autocast.iter().any(|&(device, _)| device == DeviceKind::Cuda) {
            self.take_loss_apart(id, env, at);
        }
        let mut renamed = FxHashMap::default();
        // The dispatcher passes the modes one after the other, each of which converts the tensors of its own device.
        for &(device, chosen) in autocast {
            let tensors = self.tensors_on(id, device);
            if tensors.is_empty() {
                continue;
            }
            let (nodes, dtypes): (Vec<NodeId>, Vec<DType>) = tensors.into_iter().unzip();
            let cast = self.cast_of(id, device);
            let converted = cast.converted(&dtypes, chosen).ok_or_else(|| unknown_cast(&self.graph[id].target))?;
            for ((node, from), to) in nodes.into_iter().zip(dtypes).zip(converted) {
                if to != from {
                    renamed.insert(node, self.converted(id, node, to, env, at));
                }
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
        let cast = self.graph.insert_before(before, NodeKind::CallFunction, Aten::_to_copy_default, args, kwargs, None);
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

    /// Makes a cross entropy of classes on CUDA the calls that it is composed of, if it is of less than 32 bits:
    /// `log_softmax` is asked for a result of its argument's type, `nll_loss` becomes 32 bits wide
    /// (`cross_entropy_loss_symint` in `aten/src/ATen/native/LossNLL.cpp`).
    fn take_loss_apart(&mut self, call: NodeId, env: &mut ShapeEnv, at: &str) {
        let node = &self.graph[call];
        if node.target != Aten::cross_entropy_loss_default || !node.kwargs.is_empty() {
            return;
        }
        let given = |place: usize| node.args.get(place).filter(|arg| !arg.is_none());
        let tensor = |place: usize| {
            let node = given(place).and_then(Arg::as_node)?;
            self.graph[node].tensor_meta().map(|meta| (node, meta))
        };
        let (Some((logits, meta)), Some((_, target)), weight) = (tensor(0), tensor(1), tensor(2)) else { return };
        let (rank, dtype) = (meta.sizes.len(), meta.dtype);
        let is_covered = [meta, target].iter().all(|meta| meta.device.kind == DeviceKind::Cuda)
            && matches!(dtype, DType::F16 | DType::BF16)
            && matches!(rank, 1 | 2)
            && (target.dtype, target.sizes.len() + 1) == (DType::I64, rank)
            && weight.is_none_or(|(_, meta)| meta.dtype == DType::F32)
            && matches!(given(5), None | Some(Arg::Float(0.0) | Arg::Int(0)));
        if !is_covered {
            return;
        }
        let (mut rest, last) = (node.args.clone(), [Arg::Int(1), Arg::Int(-100)]);
        rest.truncate(5);
        rest.resize(3.max(rest.len()), Arg::None);
        rest.extend_from_slice(&last[rest.len() - 3..]);
        let shares = vec![Arg::Node(logits), Arg::Int(rank as i64 - 1), Arg::DType(dtype)];
        let shares = self.before(call, Aten::log_softmax_int, shares, env, at);
        rest[0] = Arg::Node(self.converted(call, shares, DType::F32, env, at));
        let loss = self.before(call, Aten::nll_loss_forward_default, rest, env, at);
        let node = &mut self.graph[call];
        node.target = "operator.getitem".into();
        node.args = vec![Arg::Node(loss), Arg::Int(0)];
    }

    /// A call before another one.
    fn before(&mut self, call: NodeId, op: Aten, args: Vec<Arg>, env: &mut ShapeEnv, at: &str) -> NodeId {
        let made = self.graph.insert_before(call, NodeKind::CallFunction, op, args, vec![], None);
        self.graph[made].meta = infer::guarded(&self.graph, made, env, at).ok();
        made
    }

    /// The cast policy of autocast for the arguments of a call that are on a kind of device.
    pub(super) fn cast_of(&self, call: NodeId, device: DeviceKind) -> Cast {
        let node = &self.graph[call];
        let Some(overload) = node.op() else {
            // An operator that a release of torch has beside those of the table.
            return if node.target.starts_with("aten.") { Cast::Unknown } else { Cast::Keep };
        };
        let cast = autocast::cast(overload, device);
        let names_result = || {
            let place = overload.schema.params.iter().position(|param| param.name == "dtype")?;
            node.args.get(place).or_else(|| node.kwarg("dtype")).filter(|dtype| !dtype.is_none())
        };
        if cast == Cast::FullResult && names_result().is_some() { Cast::Keep } else { cast }
    }

    /// The tensors among a call's arguments that are on a kind of device, with their element types; on any, for the
    /// kind that stands for all others, of which nothing is known.
    pub(super) fn tensors_on(&self, call: NodeId, device: DeviceKind) -> Vec<(NodeId, DType)> {
        let tensor = |&node: &NodeId| self.graph[node].tensor_meta().map(|meta| (node, meta));
        let is_there = |meta: &TensorMeta| device == DeviceKind::Other || meta.device.kind == device;
        let inputs = self.graph[call].inputs();
        let tensors = inputs.iter().filter_map(tensor).filter(|(_, meta)| is_there(meta));
        tensors.map(|(node, meta)| (node, meta.dtype)).collect()
    }

    /// True for a call with arguments that autocast may convert.
    pub(super) fn is_cast(&self, call: NodeId, autocast: &AutocastState) -> bool {
        autocast
            .iter()
            .any(|&(device, _)| self.cast_of(call, device) != Cast::Keep && !self.tensors_on(call, device).is_empty())
    }

    /// True for a call whose arguments are those that the operator gets under autocast: of all of them it is known what
    /// they are, and what autocast does with them.
    pub(in crate::trace) fn is_converted(&self, call: NodeId, autocast: &AutocastState) -> bool {
        let node = &self.graph[call];
        let is_known = node.inputs().iter().all(|&input| self.graph[input].meta.is_some());
        let overload = node.op();
        let is_listed = |&(device, _): &(DeviceKind, DType)| {
            self.cast_of(call, device) != Cast::Unknown || self.tensors_on(call, device).is_empty()
        };
        is_known && overload.is_some_and(|overload| !overload.mutates()) && autocast.iter().all(is_listed)
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
        let overload = node.op();
        let Some(mut root) = overload.and_then(|overload| overload.written(&node.args, &node.kwargs)) else {
            return true;
        };
        loop {
            let node = &self.graph[root];
            let is_of_another = node.target == "operator.getitem"
                || node.op().is_none_or(|overload| overload.is_view() || overload.mutates());
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

#[cfg(test)]
mod tests {
    use super::*;
    use fx::Graph;
    use symshapes::{Device, EnvOptions};

    const ON_CUDA: Device = Device { kind: DeviceKind::Cuda, index: Some(0) };
    const HALF: &[(DeviceKind, DType)] = &[(DeviceKind::Cuda, DType::F16)];
    const BOTH: &[(DeviceKind, DType)] = &[(DeviceKind::Cpu, DType::BF16), (DeviceKind::Cuda, DType::F16)];

    /// A tensor: its sizes, element type and device.
    type Of = (&'static [i64], DType, Device);

    const MATRIX: Of = (&[4, 4], DType::F32, ON_CUDA);
    const NARROW: Of = (&[4, 4], DType::F16, ON_CUDA);

    /// The overloads that a call of torch's becomes, and the type of what it gives; why it is refused.
    fn lowered(autocast: &[(DeviceKind, DType)], target: &str, tensors: &[Of], rest: &[Arg]) -> String {
        let (mut torch, mut lowered, mut env) =
            (Graph::new(), Lowered::default(), ShapeEnv::new(EnvOptions::default()));
        let mut args = Vec::new();
        for (number, &(sizes, dtype, device)) in tensors.iter().enumerate() {
            let input = torch.placeholder(format!("x{number}"));
            let mut ints = |ints: &[i64]| ints.iter().map(|&int| env.pool_mut().int(int)).collect::<Vec<_>>();
            let strides: Vec<i64> = (1..=sizes.len()).map(|dim| sizes[dim..].iter().product()).collect();
            let (sizes, strides, offset) = (ints(sizes), ints(&strides), ints(&[0])[0]);
            torch[input].meta =
                Some(Meta::Tensor(TensorMeta { dtype, device, sizes, strides, offset, requires_grad: false }));
            lowered.copy(&torch, input);
            args.push(Arg::Node(input));
        }
        args.extend(rest.iter().cloned());
        let call = torch.call_function(target, args, vec![]);
        match lowered.infer(&torch, call, &mut env, &autocast.to_vec(), "") {
            Err(why) => format!("refused: {}", why.text),
            Ok(meta) => {
                let dtype = match meta {
                    Some(Meta::Tensor(meta)) => meta.dtype.name(),
                    _ => "?",
                };
                let calls = lowered.graph.nodes().filter(|node| lowered.graph[*node].kind == NodeKind::CallFunction);
                let calls: Vec<&str> =
                    calls.map(|node| lowered.graph[node].target.trim_start_matches("aten.")).collect();
                format!("{}: {dtype}", calls.join(" "))
            }
        }
    }

    #[test]
    fn each_device_has_its_own_rules() {
        let on_cpu = |(sizes, dtype, _): Of| (sizes, dtype, Device::CPU);
        let rows = [
            (HALF, "torch.mm", [MATRIX, MATRIX], "_to_copy.default _to_copy.default mm.default: float16"),
            (BOTH, "torch.mm", [MATRIX, MATRIX], "_to_copy.default _to_copy.default mm.default: float16"),
            (BOTH, "torch.mm", [MATRIX, MATRIX].map(on_cpu), "_to_copy.default _to_copy.default mm.default: bfloat16"),
            (HALF, "torch.mm", [MATRIX, MATRIX].map(on_cpu), "mm.default: float32"),
            (HALF, "torch.add", [NARROW, MATRIX], "add.Tensor: float32"),
            (HALF, "torch.atan2", [NARROW, MATRIX], "_to_copy.default atan2.default: float32"),
        ];
        for (autocast, target, tensors, expected) in rows {
            assert_eq!(lowered(autocast, target, &tensors, &[]), expected, "{target}");
        }
    }

    #[test]
    fn a_number_on_the_cpu_stays_what_it_is() {
        let number: Of = (&[], DType::F16, Device::CPU);
        assert_eq!(lowered(HALF, "torch.pow", &[NARROW, number], &[]), "_to_copy.default pow.Tensor_Tensor: float32");
    }

    #[test]
    fn results_of_32_bits() {
        let rows = [
            (NARROW, "torch.exp", vec![], "_to_copy.default exp.default: float32"),
            (NARROW, "torch.sum", vec![], "_to_copy.default sum.default: float32"),
            (NARROW, "torch.softmax", vec![Arg::Int(1)], "_to_copy.default softmax.int: float32"),
            (NARROW, "torch.softmax", vec![Arg::Int(1), Arg::DType(DType::F16)], "softmax.int: float16"),
            (MATRIX, "torch.softmax", vec![Arg::Int(1)], "softmax.int: float32"),
            ((&[4], DType::I64, ON_CUDA), "torch.sum", vec![], "sum.default: int64"),
            ((&[4], DType::F64, ON_CUDA), "torch.sum", vec![], "sum.default: float64"),
            (MATRIX, "torch.square", vec![], "square.default: float32"),
            (NARROW, "torch.square", vec![], "refused: `aten.square.default` under autocast."),
        ];
        for (tensor, target, rest, expected) in rows {
            assert_eq!(lowered(HALF, target, &[tensor], &rest), expected, "{target}");
        }
    }

    #[test]
    fn types_that_cannot_be_promoted_are_refused() {
        let other: Of = (&[4, 4], DType::BF16, ON_CUDA);
        let expected = "refused: `aten.atan2.default` under autocast.";
        assert_eq!(lowered(HALF, "torch.atan2", &[NARROW, other], &[]), expected);
    }

    #[test]
    fn a_loss_of_classes_is_taken_apart() {
        let loss = "torch.nn.functional.cross_entropy";
        let classes: Of = (&[4], DType::I64, ON_CUDA);
        let apart = "log_softmax.int _to_copy.default nll_loss_forward.default operator.getitem: float32";
        assert_eq!(lowered(HALF, loss, &[NARROW, classes], &[]), apart);
        assert_eq!(lowered(HALF, loss, &[MATRIX, classes], &[]), "cross_entropy_loss.default: float32");
        let refused = "refused: `aten.cross_entropy_loss.default` under autocast.";
        assert_eq!(lowered(HALF, loss, &[NARROW, NARROW], &[]), refused);
        let smoothed = [Arg::None, Arg::None, Arg::Int(-100), Arg::None, Arg::Str("mean".to_owned()), Arg::Float(0.1)];
        assert_eq!(lowered(HALF, loss, &[NARROW, classes], &smoothed), refused);
    }

    #[test]
    fn a_mode_of_which_nothing_is_known() {
        let unknown = &[(DeviceKind::Other, DType::F32)];
        assert_eq!(lowered(unknown, "torch.mm", &[MATRIX, MATRIX], &[]), "refused: `aten.mm.default` under autocast.");
    }
}
