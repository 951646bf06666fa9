//! Tensors whose classes come from `torch.Tensor` or `torch.nn.Parameter` and have `__torch_function__` switched off,
//! as parameters have: to torch's functions they are plain tensors, and so is what these give.
//!
//! Such an object has the attributes and methods of its class. Where that class has torch's own, and where the object
//! is an operand or an argument, the tensor that it is stands in its place: an input of the graph.
//!
//! Invariant: an object whose class, or that itself, has anything of its own in the place of what tensors have is never
//! taken for a tensor, nor is one with a `__torch_function__` or `__torch_dispatch__`. Each name by which the graph
//! finds a method of the object is guarded.

use super::{Instance, Tracer, held_values::operator_of};
use crate::{
    host::{ClassAttr, Obj, View},
    trace::{
        Traced,
        core::value::{Keywords, Value, ValueId},
    },
};
use guards::GuardKind;

/// The `__torch_function__` of classes whose objects torch takes for plain tensors.
const DISABLED: &str = "torch._C._disabled_torch_function_impl";

/// The classes without Python code, and in Python, from which tensors have their methods, as functions name them.
const OF_TENSORS: [&str; 3] = ["torch._C.TensorBase.", "torch._tensor.Tensor.", "Tensor."];

/// The name of a method of tensors, by that of the function.
fn method_of(function: &str) -> Option<&str> {
    OF_TENSORS.iter().find_map(|class| function.strip_prefix(class))
}

impl Tracer<'_> {
    /// The plain tensor that an object is to torch's functions; `None` for any other value.
    pub(in crate::trace) fn tensor_of_subclass(&mut self, value: ValueId) -> Traced<Option<ValueId>> {
        let value = self.force(value)?;
        let Value::Object(_, obj) = self.objects.values[value] else { return Ok(None) };
        if let Some(&held) = self.objects.bases.get(&obj) {
            return Ok(matches!(self.objects.values[held], Value::Tensor(_)).then_some(held));
        }
        let (Some(instance), Some(source)) = (self.instance(value)?, self.source(value)) else { return Ok(None) };
        if !self.is_tensor_class(instance.class) {
            return Ok(None);
        }
        let Some(View::Tensor(view)) = self.host.base_view(obj) else { return Ok(None) };
        let overrides = self.class_attr(instance, "__torch_function__")?;
        let (Some((ClassAttr::Plain(found), Some(place))), Some(disabled)) =
            (overrides, self.host.class_named(DISABLED))
        else {
            return Ok(None);
        };
        if found != disabled {
            return Ok(None);
        }
        let kind = GuardKind::IdMatch(self.object(found));
        self.guard(place, kind);
        let tensor = self.tensor_input(&view, Some(source))?;
        self.objects.source_of[tensor] = source.into();
        self.objects.bases.insert(obj, tensor);
        Ok(Some(tensor))
    }

    /// The operands of an operator where one is such an object, with the tensors that they are, if their classes have
    /// torch's own methods of these names; else `None`.
    pub(in crate::trace) fn operands_as_tensors(
        &mut self,
        methods: &[String],
        a: ValueId,
        b: ValueId,
    ) -> Traced<Option<(ValueId, ValueId)>> {
        let (one, other) = (self.operand_as_tensor(methods, a)?, self.operand_as_tensor(methods, b)?);
        Ok((one.is_some() || other.is_some()).then(|| (one.unwrap_or(a), other.unwrap_or(b))))
    }

    fn operand_as_tensor(&mut self, methods: &[String], value: ValueId) -> Traced<Option<ValueId>> {
        let (Some(tensor), Some(instance)) = (self.tensor_of_subclass(value)?, self.instance(value)?) else {
            return Ok(None);
        };
        for method in methods {
            if !self.has_method_of_tensors(instance, method)? {
                return Ok(None);
            }
        }
        Ok(Some(tensor))
    }

    /// Whether an object's class has the same method as `torch.Tensor`, under a guard that it has; or neither has one.
    fn has_method_of_tensors(&mut self, instance: Instance, method: &str) -> Traced<bool> {
        let of_tensors =
            self.host.class_named("torch.Tensor").and_then(|class| self.host.class_attr(class, method, None));
        let (own, of_tensors) = (self.class_attr(instance, method)?, of_tensors.map(|(_, found)| found));
        Ok(match (own, of_tensors) {
            (None, None) => true,
            (Some((ClassAttr::Builtin(_, own), _)), Some(ClassAttr::Builtin(_, found))) => own == found,
            (Some((ClassAttr::Function(own), Some(place))), Some(ClassAttr::Function(found))) if own == found => {
                let kind = GuardKind::IdMatch(self.object(own));
                self.guard(place, kind);
                true
            }
            _ => false,
        })
    }

    /// A call of a method of torch's own on such an object; `None` for any other call.
    pub(in crate::trace) fn call_on_tensor(
        &mut self,
        function: &str,
        args: &[ValueId],
        keywords: &Keywords,
    ) -> Traced<Option<ValueId>> {
        let (Some(method), Some((&this, rest))) = (method_of(function), args.split_first()) else { return Ok(None) };
        let (Some(tensor), Some(instance)) = (self.tensor_of_subclass(this)?, self.instance(this)?) else {
            return Ok(None);
        };
        // The graph finds the method by its name.
        if !self.has_method_of_tensors(instance, method)? {
            return Ok(None);
        }
        self.guard_not_own(instance, method);
        let Some(special) = method.strip_prefix("__").and_then(|name| name.strip_suffix("__")) else {
            return self.call_method(tensor, method, rest, keywords.clone()).map(Some);
        };
        if !keywords.is_empty() {
            return Ok(None);
        }
        match (special, rest) {
            ("abs" | "len", []) => self.call_builtin(&format!("builtins.{special}"), &[tensor], vec![]).map(Some),
            (_, &[other]) if let Some((operator, is_reflected)) = operator_of(special) => {
                let operands = if is_reflected { [other, tensor] } else { [tensor, other] };
                self.call_operator(operator, &operands)
            }
            _ => self.call_operator(special, &[&[tensor], rest].concat()),
        }
    }

    /// True for an object of a class that comes from another class of tensors, whose metaclass is torch's: the check of
    /// instances then says so too.
    pub(in crate::trace) fn is_of_tensor_class(&mut self, value: ValueId, class: Obj) -> Traced<bool> {
        let Some(instance) = self.instance(value)? else { return Ok(false) };
        let metas = ["torch.Tensor", "torch.nn.Parameter"].map(|known| self.host.class_named(known));
        let meta = self.host.class_of(class);
        let is_torchs = metas.into_iter().flatten().any(|known| self.host.class_of(known) == meta);
        Ok(is_torchs && self.is_tensor_class(class) && self.host.mro(instance.class).contains(&class))
    }

    /// An attribute that a descriptor of torch's own computes for such an object; `None` for any other.
    pub(super) fn computed_for_tensor(&mut self, instance: Instance, name: &str) -> Traced<Option<ValueId>> {
        let Some((ClassAttr::Descriptor { object, .. }, Some(place))) = self.class_attr(instance, name)? else {
            return Ok(None);
        };
        let View::Builtin(descriptor) = self.host.view(object) else { return Ok(None) };
        let Some(tensor) = method_of(&descriptor).map_or(Ok(None), |_| self.tensor_of_subclass(instance.this))? else {
            return Ok(None);
        };
        let kind = GuardKind::IdMatch(self.object(object));
        self.guard(place, kind);
        self.get_attr(tensor, name).map(Some)
    }

    /// A method of torch's own that such an object has from its class; `None` for any other.
    pub(super) fn method_for_tensor(
        &mut self,
        instance: Instance,
        name: &str,
        method: &str,
    ) -> Traced<Option<ValueId>> {
        if method_of(method).is_none() || self.tensor_of_subclass(instance.this)?.is_none() {
            return Ok(None);
        }
        self.guard_not_own(instance, name);
        self.class_attr(instance, name)?;
        let function = self.value(Value::Builtin(method.to_owned()));
        Ok(Some(self.value(Value::Method { function, this: instance.this })))
    }
}
