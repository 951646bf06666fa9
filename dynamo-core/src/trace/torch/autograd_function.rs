//! `torch.autograd.Function.apply`.
//!
//! Where autograd records nothing, `forward` is traced as any function. Where it does, the call goes into the graph as
//! it is, so that its backward is the program's own. `forward` and `backward` are then traced for what they depend on:
//! guards stay, nodes do not. In the graph of overloads both stay, where all of it has counterparts there: the calls of
//! `forward`, and those of `backward` as a graph of [`fx::custom_gradient`].
//!
//! Invariant: a call in the graph depends on its arguments and on what is guarded: functions that read other tensors,
//! or change anything, end the graph.

use crate::{
    host::{ClassAttr, Obj},
    reason::{Kind, Reason},
    trace::{
        Traced, Tracer,
        core::{
            checkpoint::Speculative,
            context::{Class, Context, Grad},
            recording::GraphEffects,
            value::{Value, ValueId},
        },
        signature::{Bound, Row, row},
    },
};
use cranelift_entity::EntityRef;
use fx::{Kind as NodeKind, Meta, NodeId, TensorMeta, custom_gradient::CustomGradient};
use guards::Constant;
use symshapes::DTypeClass;

/// The method that all such classes have from torch.
pub(in crate::trace) const APPLY: &str = "torch._C._FunctionBase.apply";

/// The class that all of them come from.
const FUNCTION: &str = "torch.autograd.function.Function";

pub(in crate::trace) const ROWS: &[Row] = &[row("torch._C._FunctionBase.apply(cls, *args)", apply)];

fn apply(t: &mut Tracer<'_>, b: &Bound<'_>) -> Traced {
    let class = t.force(b.arg(0)?)?;
    let Value::Class(name, obj) = t.objects.values[class].clone() else {
        return Err(Reason::new(Kind::Call, "`autograd.Function.apply` of something that is no class."));
    };
    let function = AutogradFunction { class, obj, name };
    let mut recorded = Vec::new();
    for &arg in b.rest() {
        recorded.push(t.modes.grad && t.requires_grad(arg)?);
    }
    if recorded.contains(&true) {
        function.put(t, b.rest(), &recorded)
    } else {
        let (_, result) = function.forward(t, b.rest(), &recorded)?;
        function.check_results(t, b.rest(), result)?;
        Ok(result)
    }
}

/// A class of the program's that comes from `torch.autograd.Function`.
struct AutogradFunction {
    class: ValueId,
    obj: Obj,
    name: String,
}

impl AutogradFunction {
    fn refused(&self, why: &str) -> Reason {
        Reason::new(Kind::Call, format!("`{}.apply`, {why}.", self.name))
    }

    /// Calls `forward` with a new context, and `setup_context` if the class has one; gives the context and the result.
    fn forward(&self, t: &mut Tracer<'_>, args: &[ValueId], recorded: &[bool]) -> Traced<(ValueId, ValueId)> {
        let context = t.new_function_context()?;
        let flags = recorded.iter().map(|&on| t.constant(Constant::Bool(on))).collect();
        let flags = t.value(Value::Tuple(flags));
        t.set_attr(context, "needs_input_grad", flags)?;
        let forward = t.get_attr(self.class, "forward")?;
        if !self.has_own(t, "setup_context") {
            let result = t.without_grad(forward, [&[context], args].concat())?;
            return Ok((context, result));
        }
        let result = t.without_grad(forward, args.to_vec())?;
        let setup = t.get_attr(self.class, "setup_context")?;
        let inputs = t.value(Value::Tuple(args.to_vec()));
        t.without_grad(setup, vec![context, inputs, result])?;
        Ok((context, result))
    }

    /// Calls `backward` with gradients of the results that could be any; gives those, and what it returns.
    fn backward(&self, t: &mut Tracer<'_>, context: ValueId, result: ValueId) -> Traced<(Vec<ValueId>, ValueId)> {
        let mut args = vec![context];
        for result in t.one_or_more(result)? {
            args.push(match t.get(result)? {
                Value::Tensor(_) => t.call_torch(NodeKind::CallFunction, "torch.ones_like", None, &[result], vec![])?,
                _ => t.none(),
            });
        }
        let saved = t.attr_if_set(context, "to_save")?.unwrap_or_else(|| t.value(Value::Tuple(Vec::new())));
        t.set_attr(context, "saved_tensors", saved)?;
        let backward = t.get_attr(self.class, "backward")?;
        let given = args[1..].to_vec();
        Ok((given, t.without_grad(backward, args)?))
    }

    /// Puts the call into the graph.
    fn put(&self, t: &mut Tracer<'_>, args: &[ValueId], recorded: &[bool]) -> Traced {
        let target = t.host.autograd_target(self.obj).ok_or_else(|| self.refused("of a class that is gone"))?;
        let (graph, heap, inputs) = (t.graph.checkpoint(), t.heap.checkpoint(), t.graph.inputs.len());
        let effects = t.graph.effects;
        // A number that the function reads is no argument of the call: it has to be what it is now.
        let outside = std::mem::replace(&mut t.shapes.specialises, true);
        let begin = t.graph.lowered.graph.capacity();
        let traced = self.forward(t, args, recorded).and_then(|(context, result)| {
            self.check_results(t, args, result)?;
            let end = t.graph.lowered.graph.capacity();
            let (grads, returned) = self.backward(t, context, result)?;
            let custom = t.custom_gradient(args, recorded, &Calls { context, result, end, grads, returned })?;
            Ok(custom.map(|(custom, meta)| (end, custom, meta)))
        });
        t.shapes.specialises = outside;
        let custom = traced?;
        if t.graph.inputs.len() != inputs {
            return Err(self.refused("which reads a tensor that it is not given"));
        }
        let mut written = t.graph.aliases.iter().filter(|(node, _)| node.index() >= graph.nodes);
        let writes = written.any(|&(_, first)| t.whole(first).index() < graph.nodes);
        if t.heap.has_changed_since(heap) || writes || t.graph.effects.changes && !effects.changes {
            return Err(self.refused("which changes something"));
        }
        // The call does what its nodes would have done, drawing numbers for one.
        let effects = GraphEffects { writes: effects.writes, ..t.graph.effects };
        match custom {
            Some((end, custom, meta)) => {
                let lowered = std::mem::take(&mut t.graph.lowered);
                t.graph.rollback(graph);
                t.graph.lowered = lowered;
                t.graph.lowered.graph.retain(|node| node.index() < end);
                t.graph.lowered.custom = Some((target.clone(), custom, meta));
            }
            None => t.graph.rollback(graph),
        }
        t.graph.effects = effects;
        t.objects.forget_results(graph.nodes);
        let result = t.call_torch(NodeKind::CallFunction, &target, None, args, vec![]);
        if t.graph.lowered.custom.take().is_some() || result.is_err() {
            t.graph.lowered.graph.retain(|node| node.index() < begin);
            t.graph.lowered.lacks(&target);
        }
        result
    }

    /// A result that is an argument comes out as a view of it.
    fn check_results(&self, t: &mut Tracer<'_>, args: &[ValueId], result: ValueId) -> Traced<()> {
        for result in t.one_or_more(result)? {
            if let Value::Tensor(node) = t.get(result)? {
                let node = t.first_name(node);
                for &arg in args {
                    if t.is_input(node) || matches!(t.get(arg)?, Value::Tensor(arg) if t.first_name(arg) == node) {
                        return Err(self.refused("which gives back a tensor that it was given"));
                    }
                }
            }
        }
        Ok(())
    }

    /// True if the class does not have torch's own method.
    fn has_own(&self, t: &mut Tracer<'_>, name: &str) -> bool {
        let own = t.host.class_attr(self.obj, name, None).map(|(_, found)| found);
        let base = t.host.class_named(FUNCTION);
        let of_torch = base.and_then(|base| t.host.class_attr(base, name, None)).map(|(_, found)| found);
        matches!(own, Some(ClassAttr::StaticMethod(_))) && own != of_torch
    }
}

/// Calls of `forward` and of `backward` that were traced.
struct Calls {
    context: ValueId,
    /// The result of `forward`.
    result: ValueId,
    /// The number of nodes of the graph of overloads before those of `backward`.
    end: usize,
    /// The gradients that `backward` was given.
    grads: Vec<ValueId>,
    /// The result of `backward`.
    returned: ValueId,
}

impl Tracer<'_> {
    /// The gradients of a call as a graph of overloads, and the metadata of its results; `None` where forward or
    /// backward has no counterpart there as a whole, or says more of the results than which tensors they are.
    fn custom_gradient(
        &mut self,
        args: &[ValueId],
        recorded: &[bool],
        calls: &Calls,
    ) -> Traced<Option<(CustomGradient, Meta)>> {
        let is_whole = self.options.lowers && self.graph.lowered.is_whole() && self.modes.autocast.current.is_empty();
        for mark in ["non_differentiable", "dirty_tensors"] {
            if !is_whole || self.attr_if_set(calls.context, mark)?.is_some() {
                return Ok(None);
            }
        }
        let (results, returned) = (self.one_or_more(calls.result)?, self.one_or_more(calls.returned)?);
        let materializes = match self.attr_if_set(calls.context, "materialize_grads")? {
            Some(value) => matches!(self.get(value)?, Value::Const(Constant::Bool(true))),
            None => true,
        };
        if results.len() > 1 && !materializes {
            // Each set of gradients that are there is another trace of `backward`.
            return Ok(None);
        }
        let (Some(results), Some(grads)) = (self.lowered(&results)?, self.lowered(&calls.grads)?) else {
            return Ok(None);
        };
        let (Some(operands), Some(returned)) = (self.lowered(args)?, self.lowered(&returned)?) else { return Ok(None) };
        let all = |nodes: Vec<Option<NodeId>>| nodes.into_iter().collect::<Option<Vec<NodeId>>>();
        let (Some(results), Some(grads)) = (all(results), all(grads)) else { return Ok(None) };
        let mut metas = Vec::new();
        for &result in &results {
            match self.graph.lowered.graph[result].tensor_meta() {
                Some(meta) if meta.dtype.class() >= DTypeClass::Float => {
                    metas.push(Some(Meta::Tensor(TensorMeta { requires_grad: true, ..meta.clone() })));
                }
                _ => return Ok(None),
            }
        }
        let operands: Vec<Option<NodeId>> =
            operands.into_iter().zip(recorded).map(|(node, &on)| node.filter(|_| on)).collect();
        if returned.len() != operands.len() {
            return Ok(None);
        }
        let meta = match (self.get(calls.result)?, &metas[..]) {
            (Value::Tensor(_), [Some(meta)]) => meta.clone(),
            _ => Meta::Tuple(metas),
        };
        let backward = self.graph.lowered.subgraph_from(calls.end, &grads, &returned);
        Ok(backward.map(|(backward, saved)| (CustomGradient { backward, results, operands, saved }, meta)))
    }

    /// The counterparts of tensors in the graph of overloads, none of other values; `None` if a tensor has none.
    fn lowered(&mut self, values: &[ValueId]) -> Traced<Option<Vec<Option<NodeId>>>> {
        let mut nodes = Vec::new();
        for &value in values {
            let Value::Tensor(node) = self.get(value)? else {
                nodes.push(None);
                continue;
            };
            let Some(node) = self.graph.lowered.of[self.first_name(node)].expand() else { return Ok(None) };
            nodes.push(Some(node));
        }
        Ok(Some(nodes))
    }

    /// The items of a tuple, or another value alone.
    fn one_or_more(&mut self, value: ValueId) -> Traced<Vec<ValueId>> {
        Ok(match self.get(value)? {
            Value::Tuple(items) => items,
            _ => vec![value],
        })
    }

    /// An attribute of an object that `forward` may have set.
    fn attr_if_set(&mut self, object: ValueId, name: &str) -> Traced<Option<ValueId>> {
        match self.get_attr(object, name) {
            Ok(value) => Ok(Some(value)),
            Err(reason) if self.lacks_attr(&reason) => {
                self.exceptions.raising = None;
                Ok(None)
            }
            Err(reason) => Err(reason),
        }
    }

    /// A new context object, in which `forward` leaves something for `backward`.
    fn new_function_context(&mut self) -> Traced {
        let unknown = || Reason::new(Kind::Call, "`torch.autograd.function.FunctionCtx`.");
        let class = self.host.class_named("torch.autograd.function.FunctionCtx").ok_or_else(unknown)?;
        let module = self.sources.module("torch.autograd.function");
        let source = self.sources.attr(module, "FunctionCtx");
        let class = self.lazy(class, source);
        self.call(class, vec![], vec![])
    }

    /// A call while autograd does not record.
    fn without_grad(&mut self, function: ValueId, args: Vec<ValueId>) -> Traced {
        if !self.modes.grad {
            return self.call(function, args, vec![]);
        }
        let off = Grad { inside: false, after: true, class: Class::Never };
        self.call_within(Context::Grad(off), function, args, vec![])
    }

    /// True for a tensor that requires gradients.
    pub(in crate::trace) fn requires_grad(&mut self, value: ValueId) -> Traced<bool> {
        Ok(match self.get(value)? {
            Value::Tensor(node) => self.graph.torch[node].tensor_meta().is_some_and(|meta| meta.requires_grad),
            _ => false,
        })
    }
}
