//! `torch.autograd.Function.apply`.
//!
//! Where autograd records nothing, `forward` is traced as any function. Where it does, the call goes into the graph as
//! it is, so that its backward is the program's own. `forward` and `backward` are then traced for what they depend on
//! alone: guards stay, nodes do not.
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
            value::{Value, ValueId},
        },
        signature::{Bound, Row, row},
    },
};
use fx::Kind as NodeKind;
use guards::Constant;

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

    /// Calls `backward` with gradients of the results that could be any.
    fn backward(&self, t: &mut Tracer<'_>, context: ValueId, result: ValueId) -> Traced<()> {
        let results = match t.get(result)? {
            Value::Tuple(items) => items,
            _ => vec![result],
        };
        let mut args = vec![context];
        for result in results {
            args.push(match t.get(result)? {
                Value::Tensor(_) => t.call_torch(NodeKind::CallFunction, "torch.ones_like", None, &[result], vec![])?,
                _ => t.none(),
            });
        }
        let saved = match t.get_attr(context, "to_save") {
            Ok(saved) => saved,
            Err(reason) if t.lacks_attr(&reason) => {
                t.exceptions.raising = None;
                t.value(Value::Tuple(Vec::new()))
            }
            Err(reason) => return Err(reason),
        };
        t.set_attr(context, "saved_tensors", saved)?;
        let backward = t.get_attr(self.class, "backward")?;
        t.without_grad(backward, args).map(|_| ())
    }

    /// Puts the call into the graph.
    fn put(&self, t: &mut Tracer<'_>, args: &[ValueId], recorded: &[bool]) -> Traced {
        let target = t.host.autograd_target(self.obj).ok_or_else(|| self.refused("of a class that is gone"))?;
        let (graph, heap, inputs) = (t.graph.checkpoint(), t.heap.checkpoint(), t.graph.inputs.len());
        let effects = t.graph.effects;
        // A number that the function reads is no argument of the call: it has to be what it is now.
        let outside = std::mem::replace(&mut t.shapes.specialises, true);
        let traced = self.forward(t, args, recorded).and_then(|(context, result)| {
            self.check_results(t, args, result)?;
            self.backward(t, context, result)
        });
        t.shapes.specialises = outside;
        traced?;
        if t.graph.inputs.len() != inputs {
            return Err(self.refused("which reads a tensor that it is not given"));
        }
        let leaves_something = t.graph.effects.writes && !effects.writes || t.graph.effects.changes && !effects.changes;
        if t.heap.has_changed_since(heap) || leaves_something {
            return Err(self.refused("which changes something"));
        }
        // The call does what its nodes would have done, drawing numbers for one.
        let effects = t.graph.effects;
        t.graph.rollback(graph);
        t.graph.effects = effects;
        t.objects.forget_results(graph.nodes);
        t.call_torch(NodeKind::CallFunction, &target, None, args, vec![])
    }

    /// A result that is an argument comes out as a view of it.
    fn check_results(&self, t: &mut Tracer<'_>, args: &[ValueId], result: ValueId) -> Traced<()> {
        let results = match t.get(result)? {
            Value::Tuple(items) => items,
            _ => vec![result],
        };
        for result in results {
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

impl Tracer<'_> {
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
