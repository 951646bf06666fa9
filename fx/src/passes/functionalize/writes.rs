//! Writes: the functional form of a call that writes, and the next value of the tensor that is written to.

use super::{Alias, Functionalize, Origin, Outcome, views::lies_as};
use crate::{
    arg::Arg,
    aten::{Aten, Packet, Type},
    graph::NodeId,
    infer,
};
use symshapes::TensorMeta;

impl Functionalize<'_> {
    /// A call that writes to one of its arguments: its functional form gives that one's next value.
    pub(super) fn write(&mut self, id: NodeId, overload: Aten) -> Outcome {
        let node = &self.from[id];
        let (function, at) =
            functional_form(overload).ok_or_else(|| format!("`{}` has no functional form", overload.name()))?;
        let param = &overload.schema.params[at];
        let target = overload.written(&node.args, &node.kwargs);
        let alias = target.and_then(|target| self.tensors.get(&target)).cloned();
        let (Some(target), Some(alias)) = (target, alias) else {
            return Err("a write to something other than a tensor".to_owned());
        };
        if self.roots[alias.root].origin == Origin::Constant {
            return Err("a write to a constant".to_owned());
        }
        let before = self.read(target)?;
        let mut args = node.args.iter().map(|arg| self.read_arg(arg)).collect::<Outcome<Vec<_>>>()?;
        let kwargs = node.kwargs.iter().filter(|(name, _)| !param.kwarg_only || *name != param.name);
        let kwargs = kwargs.map(|(name, arg)| Ok((name.clone(), self.read_arg(arg)?)));
        let kwargs: Vec<(String, Arg)> = kwargs.collect::<Outcome<_>>()?;
        if overload.packet() == Packet::zero_ {
            args.push(Arg::Int(0));
        }
        if !checks_sizes(function) && self.is_symbolic(id) {
            return Err(format!("`{}` of tensors whose sizes differ between calls", overload.name()));
        }
        let value = self.push(function, args, kwargs)?;
        let value = self.like(before, value, alias.path.is_empty())?;
        self.to[value].stack_trace = node.stack_trace.clone();
        self.put(&alias, value, true)?;
        let writes = self.roots[alias.root].writes;
        // What a write gives is the tensor that it wrote to.
        let written = self.tensors.get_mut(&target).expect("it was there");
        if written.path.is_empty() {
            (written.value, written.writes) = (value, writes);
        }
        let written = written.clone();
        self.tensors.insert(id, written);
        Ok(())
    }

    /// A normalisation by the statistics of its batch, which moves the running ones along: writes to both.
    pub(super) fn normalize(&mut self, id: NodeId, overload: Aten) -> Outcome {
        let node = &self.from[id];
        let bound = overload.bind(&node.args, &node.kwargs).map_err(|error| error.to_string())?;
        let statistics = ["running_mean", "running_var"].map(|name| bound.node(name));
        let alias = |node: Option<NodeId>| node.and_then(|node| self.tensors.get(&node)).cloned();
        let [Some(mean), Some(var)] = statistics.map(alias) else {
            return Err("running statistics that are no tensors".to_owned());
        };
        let names = ["input", "weight", "bias", "running_mean", "running_var"];
        let operands = names.map(|name| self.read_arg(bound.get(name)));
        let mut operands = operands.into_iter().collect::<Outcome<Vec<_>>>()?;
        let scalars = ["momentum", "eps"].map(|name| bound.get(name).clone());
        if bound.has("training") && *bound.get("training") == Arg::Bool(false) {
            let args = operands.into_iter().chain(scalars).collect();
            let call = self.push(Aten::_native_batch_norm_legit_no_training_default, args, Vec::new())?;
            self.copies.insert(id, call);
            return Ok(());
        }
        if [&mean, &var].into_iter().any(|alias| self.roots[alias.root].origin == Origin::Constant) {
            return Err("a write to a constant".to_owned());
        }
        let before = [operands[3].clone(), operands[4].clone()];
        let is_each = overload == Aten::instance_norm_default;
        let each = if is_each { Some(self.join_instances(&mut operands)?) } else { None };
        let args = operands.into_iter().chain([Arg::Bool(true)]).chain(scalars).collect();
        let call = self.push(Aten::_native_batch_norm_legit_functional_default, args, Vec::new())?;
        self.to[call].stack_trace = node.stack_trace.clone();
        let mut pick = |place| {
            let args = vec![Arg::Node(call), Arg::Int(place)];
            self.push("operator.getitem", args, Vec::new())
        };
        let [mut result, next_mean, next_var] = [pick(0)?, pick(3)?, pick(4)?];
        for ((alias, mut next), before) in [(mean, next_mean), (var, next_var)].into_iter().zip(before) {
            let before = before.as_node().ok_or("running statistics that are no tensors")?;
            if let Some((sizes, _)) = &each {
                let apart = self.push(Aten::view_default, vec![Arg::Node(next), sizes.clone()], Vec::new())?;
                let args = vec![Arg::Node(apart), Arg::List(vec![Arg::Int(0)])];
                next = self.push(Aten::mean_dim, args, Vec::new())?;
            }
            let next = self.like(before, next, alias.path.is_empty())?;
            // Of these writes, version counters see those of `copy_` alone.
            self.put(&alias, next, is_each)?;
        }
        if overload.schema.returns.len() > 1 {
            self.copies.insert(id, call);
            return Ok(());
        }
        if let Some((_, sizes)) = each {
            result = self.push(Aten::view_default, vec![Arg::Node(result), sizes], Vec::new())?;
        }
        self.leaf(id, result, Origin::Call);
        Ok(())
    }

    /// Turns the operands of a normalisation of images, each by itself, into those of one image that has the channels
    /// of all; gives the numbers of images and channels, and the sizes of the images.
    fn join_instances(&mut self, operands: &mut [Arg]) -> Outcome<(Arg, Arg)> {
        let images = operands[0].as_node().ok_or("images that are no tensor")?;
        let sizes = self.to[images].tensor_meta().ok_or("images that are no tensor")?.sizes.clone();
        let &[batch, channels, ref rest @ ..] = &sizes[..] else {
            return Err("images without channels".to_owned());
        };
        let all = self.to.exprs.mul(batch, channels);
        let joined = [Arg::Int(1), self.size(all)].into_iter().chain(rest.iter().map(|&size| self.size(size)));
        let joined = Arg::List(joined.collect());
        let contiguous = self.push(Aten::contiguous_default, vec![Arg::Node(images)], Vec::new())?;
        operands[0] = Arg::Node(self.push(Aten::view_default, vec![Arg::Node(contiguous), joined], Vec::new())?);
        let [batch, channels] = [batch, channels].map(|size| self.size(size));
        for operand in operands[1..].iter_mut().filter(|operand| !operand.is_none()) {
            let args = vec![operand.clone(), Arg::List(vec![batch.clone()])];
            *operand = Arg::Node(self.push(Aten::repeat_default, args, Vec::new())?);
        }
        let sizes = sizes.into_iter().map(|size| self.size(size)).collect();
        Ok((Arg::List(vec![batch, channels]), Arg::List(sizes)))
    }

    /// True if a size of an operand differs between calls.
    pub(super) fn is_symbolic(&self, id: NodeId) -> bool {
        let inputs = self.from[id].inputs();
        let metas = inputs.iter().filter_map(|&input| self.from[input].tensor_meta());
        metas.flat_map(|meta| &meta.sizes).any(|&size| self.from.exprs.as_int(size).is_none())
    }

    /// The value as the tensor in whose place it comes: of its element type, and if that is a root, in its layout.
    pub(super) fn like(&mut self, before: NodeId, value: NodeId, is_root: bool) -> Outcome<NodeId> {
        let meta = |pass: &Self, node: NodeId| pass.to[node].tensor_meta().cloned().ok_or("no tensor".to_owned());
        let fits = |old: &TensorMeta, new: &TensorMeta| match is_root {
            true => lies_as(old, new),
            false => (old.dtype, &old.sizes) == (new.dtype, &new.sizes),
        };
        let (old, new) = (meta(self, before)?, meta(self, value)?);
        if fits(&old, &new) {
            return Ok(value);
        }
        let value = self.push(Aten::copy_default, vec![Arg::Node(before), Arg::Node(value)], Vec::new())?;
        if !fits(&old, &meta(self, value)?) {
            return Err("a write to a tensor whose elements do not lie side by side".to_owned());
        }
        Ok(value)
    }

    /// Puts the value of a tensor into its root, by a write that version counters see or not.
    fn put(&mut self, alias: &Alias, value: NodeId, is_counted: bool) -> Outcome {
        let mut value = value;
        if let Some(view) = alias.path.iter().find(|view| !view.is_certain) {
            return Err(format!("a write through `{}`, which may be a copy", view.overload.name()));
        }
        if alias.is_strided() && self.roots[alias.root].origin != Origin::Call {
            return Err("a write through `as_strided`, which may lead out of a tensor".to_owned());
        }
        // The tensors whose part each view is.
        let values = self.along(alias.root, &alias.path[..alias.path.len().saturating_sub(1)])?;
        for (at, (view, &whole)) in alias.path.iter().zip(&values).enumerate().rev() {
            let put = self.inverse(view, whole, value)?;
            value = self.like(whole, put, at == 0)?;
        }
        let root = &mut self.roots[alias.root];
        root.value = value;
        root.writes += 1;
        root.versions += u32::from(is_counted && !alias.path.iter().any(|view| view.overload.has_own_version()));
        Ok(())
    }
}

/// The functional form of an overload that writes to one argument, and the position of that parameter.
fn functional_form(overload: Aten) -> Option<(Aten, usize)> {
    let (params, at) = (&overload.schema.params, overload.written_param()?);
    if overload == Aten::bernoulli__float {
        // It fills a tensor like its first argument, in the same way.
        return Some((Aten::bernoulli_p, at));
    }
    if overload.traits().random && !overload.traits().idle {
        // The functional form of a distribution might draw other numbers.
        return None;
    }
    let is_function = |function: &Aten| function.is_function() && function.schema.returns.len() == 1;
    if params[at].kwarg_only {
        // The `out=` form has the functional one's parameters, and that.
        let plain = |overload: Aten| -> Vec<(String, Type)> {
            let params = overload.overload().schema.params.iter().filter(|param| !param.kwarg_only);
            params.map(|param| (param.name.clone(), param.ty.clone())).collect()
        };
        let mut overloads = overload.packet().overloads();
        return Some((overloads.find(|function| is_function(function) && plain(*function) == plain(overload))?, at));
    }
    let function = match overload.packet() {
        Packet::copy_ => Aten::copy_default,
        Packet::zero_ => Aten::fill_Scalar,
        packet => packet.out_of_place()?.overloads().find(|op| op.overload_name() == overload.overload_name())?,
    };
    is_function(&function).then_some((function, at))
}

/// Normalisations that move running statistics along.
pub(super) const WITH_STATISTICS: &[Aten] = &[
    Aten::_native_batch_norm_legit_default,
    Aten::batch_norm_default,
    Aten::instance_norm_default,
    Aten::native_batch_norm_default,
];

/// True if the rule of an operator refuses operands whose sizes do not fit each other, which others leave to kernels.
fn checks_sizes(overload: Aten) -> bool {
    infer::pointwise::row(overload).is_some() || matches!(overload.packet(), Packet::copy | Packet::fill)
}
