//! Attributes: of tensors by a table, of objects by asking the interpreter, of what the program changed by what it
//! wrote.

use crate::{
    host::{Lookup, Obj},
    reason::{Kind, Reason},
    trace::{
        Traced, Tracer,
        core::{
            context::EXIT_STACK,
            state::{Sort, State},
            value::{Value, ValueId},
        },
        python::{classes, containers, exit_stack, generators},
        values::numbers,
    },
};
use fx::torch_ops;
use guards::{Constant, GuardKind};

/// Attributes of element types and devices that are constants.
const PLAIN: &[&str] = &["is_floating_point", "is_complex", "is_signed", "itemsize", "type", "index"];

/// The class of bound methods.
pub(in crate::trace) const METHOD: &str = "builtins.method";

/// The prefix of the dotted names of descriptors that compute attributes of tensors, such as `torch.Tensor.shape`.
const TENSOR_ATTRS: &str = "torch._C.TensorBase.";

impl Tracer<'_> {
    /// `descriptor.__get__(tensor, owner=None)` of a tensor's attribute; `None` for any other descriptor, or one that
    /// is given no tensor.
    pub(in crate::trace) fn call_descriptor(&mut self, descriptor: &str, args: &[ValueId]) -> Traced<Option<ValueId>> {
        let (Some(name), Some(&tensor)) = (descriptor.strip_prefix(TENSOR_ATTRS), args.first()) else {
            return Ok(None);
        };
        if args.len() > 2 || !self.get(tensor)?.is_tensor() {
            return Ok(None);
        }
        self.get_attr(tensor, name).map(Some)
    }

    /// `value.name`
    pub(in crate::trace) fn get_attr(&mut self, value: ValueId, name: &str) -> Traced {
        let forced = self.force(value)?;
        if let Some(written) = self.written_of_class(forced, name)? {
            return Ok(written);
        }
        match self.objects.values[forced].clone() {
            Value::Tensor(node) => self.tensor_attr(forced, node, name),
            Value::NdArray { node, is_scalar } => self.array_attr(forced, node, is_scalar, name),
            // One of the caller's may be renamed.
            Value::Class(class, _) if name == "__name__" && self.source(forced).is_none() => {
                let name = class.rsplit('.').next().unwrap_or(&class).to_owned();
                Ok(self.constant(Constant::Str(name)))
            }
            Value::Class(class, _)
                if class == "torch.Tensor"
                    && torch_ops::knows(&format!("Tensor.{name}"))
                    && self.host.has_method(name) =>
            {
                let source = self.source(forced).map(|source| self.sources.attr(source, name));
                let method = self.value(Value::Builtin(format!("Tensor.{name}")));
                self.objects.source_of[method] = source.into();
                Ok(method)
            }
            Value::Function(_) if name == "__get__" => {
                Ok(self.value(Value::BoundBuiltin { this: forced, name: name.to_owned() }))
            }
            Value::Class(_, obj) if name == "__mro__" => self.mro_of(forced, obj),
            Value::Class(_, obj) if name == "__subclasses__" && self.has_from_type(obj, name) => {
                Ok(self.value(Value::BoundBuiltin { this: forced, name: name.to_owned() }))
            }
            Value::Class(_, obj)
                if name == "_make" && self.host.record_class(obj).is_some_and(|class| !class.of_sequence) =>
            {
                Ok(self.value(Value::BoundBuiltin { this: forced, name: name.to_owned() }))
            }
            Value::Function(_)
            | Value::Const(_)
            | Value::SymInt { .. }
            | Value::SymFloat { .. }
            | Value::Tuple(_)
            | Value::Size(_)
            | Value::Record(..)
            | Value::State(_)
                if name == "__class__" =>
            {
                let class = classes::type_of(self, forced);
                class.map_err(|_| self.no_attr(forced, name))
            }
            // The graph ends where it is called.
            Value::Object(class, _) if class == "builtins.generator" && generators::METHODS.contains(&name) => {
                Ok(self.value(Value::BoundBuiltin { this: forced, name: name.to_owned() }))
            }
            Value::Object(..) | Value::Instance(_) => match self.instance(forced)? {
                Some(instance) => self.instance_get(instance, name),
                None => Err(self.no_attr(forced, name)),
            },
            Value::Super(class, this) => self.super_get(class, this, name),
            Value::InstanceDict(_) if !name.starts_with("__") || containers::SLOTS.contains(&name) => {
                Ok(self.value(Value::BoundBuiltin { this: forced, name: name.to_owned() }))
            }
            Value::Class(_, obj) if name == "__dict__" && self.has_written(obj) => Err(self.no_attr(forced, name)),
            Value::Class(_, obj) => match self.class_get(forced, obj, name)? {
                Some(found) => Ok(found),
                None => self.object_attr(forced, obj, name),
            },
            Value::Module(..) if name == "__dict__" => Ok(self.value(Value::InstanceDict(forced))),
            Value::Module(_, obj) => self.object_attr(forced, obj, name),
            Value::Record(obj, class, items) => match class.fields.iter().position(|field| field == name) {
                Some(at) => Ok(items[at]),
                None if name == "_fields" && !class.of_sequence => {
                    let names = class.fields.iter().map(|field| self.constant(Constant::Str(field.clone()))).collect();
                    Ok(self.value(Value::Tuple(names)))
                }
                None if matches!(name, "index" | "count")
                    || matches!(name, "_replace" | "_asdict") && !class.of_sequence =>
                {
                    Ok(self.value(Value::BoundBuiltin { this: forced, name: name.to_owned() }))
                }
                None => self.record_method(forced, obj, name),
            },
            Value::Builtin(descriptor) if name == "__get__" && descriptor.starts_with(TENSOR_ATTRS) => {
                Ok(self.value(Value::BoundBuiltin { this: forced, name: name.to_owned() }))
            }
            Value::Builtin(packet) => {
                let overload = packet.strip_prefix("torch.ops.").map(|packet| match packet.strip_prefix("aten.") {
                    Some(_) => format!("{packet}.{name}"),
                    None => format!("torch.ops.{packet}.{name}"),
                });
                match overload {
                    Some(overload)
                        if fx::aten::Aten::named(&overload).is_some() || self.host.has_operator(&overload) =>
                    {
                        let source = self.source(forced).map(|source| self.sources.attr(source, name));
                        let overload = self.value(Value::Builtin(overload));
                        self.objects.source_of[overload] = source.into();
                        Ok(overload)
                    }
                    _ => Err(self.absent_attr(forced, name)?),
                }
            }
            Value::Partial(..) => self.partial_attr(forced, name),
            Value::SortKey(_, Some(of)) if name == "obj" => Ok(of),
            Value::Method { function, .. } if name == "__func__" => Ok(function),
            Value::Method { this, .. } | Value::BoundBuiltin { this, .. } if name == "__self__" => Ok(this),
            // What methods do not have themselves is read of the function.
            Value::Method { function, .. }
                if matches!(self.get(function)?, Value::Function(_)) && !self.is_of_methods(name) =>
            {
                self.get_attr(function, name)
            }

            Value::Function(function) if function.object.is_some_and(|found| self.knows_itself(found, name)) => {
                match function.object {
                    Some(found) => self.object_attr(forced, found, name),
                    None => Err(self.no_attr(forced, name)),
                }
            }
            Value::Function(function) => self.made_function_attr(forced, &function, name),
            Value::Code(code) => self.code_attr(forced, &code, name),
            Value::DictView(_, "keys") if name == "isdisjoint" => {
                Ok(self.value(Value::BoundBuiltin { this: forced, name: name.to_owned() }))
            }
            Value::Slice(_) if name == "indices" => {
                Ok(self.value(Value::BoundBuiltin { this: forced, name: name.to_owned() }))
            }
            Value::Slice(parts) => match ["start", "stop", "step"].iter().position(|&part| part == name) {
                Some(part) => Ok(parts[part]),
                None => Err(self.no_attr(forced, name)),
            },
            Value::Const(constant @ (Constant::Complex(..) | Constant::Float(_)))
                if matches!(name, "real" | "imag") =>
            {
                self.fold("builtins.getattr", &[constant, Constant::Str(name.to_owned())])
            }
            Value::Const(constant @ (Constant::Bool(_) | Constant::Int(_) | Constant::BigInt(_)))
                if matches!(name, "real" | "imag" | "numerator" | "denominator") =>
            {
                self.fold("builtins.getattr", &[constant, Constant::Str(name.to_owned())])
            }
            Value::Const(constant @ (Constant::DType(_) | Constant::Device(_))) if PLAIN.contains(&name) => {
                self.fold("builtins.getattr", &[constant, Constant::Str(name.to_owned())])
            }
            number if number.is_number() && numbers::function_of_method(name).is_some() => {
                Ok(self.value(Value::BoundBuiltin { this: forced, name: name.to_owned() }))
            }
            number if number.is_symbolic() => {
                let known = self.specialised(forced)?;
                self.get_attr(known, name)
            }
            Value::State(state) if matches!(name, "default_factory" | "maxlen") => {
                match self.attr_of_container(state, name) {
                    Some(found) => Ok(found),
                    None => Err(self.no_attr(forced, name)),
                }
            }
            Value::State(state) if generators::METHODS.contains(&name) && self.is_generator(state) => {
                Ok(self.value(Value::BoundBuiltin { this: forced, name: name.to_owned() }))
            }
            Value::State(state) if containers::OF_ITERATORS.contains(&name) && self.heap.sort(state) == Sort::Iter => {
                Ok(self.value(Value::BoundBuiltin { this: forced, name: name.to_owned() }))
            }
            Value::Const(_) | Value::Tuple(_) | Value::Size(_) | Value::State(_) | Value::Range(_) => {
                let is_special = name.starts_with("__") && !containers::SLOTS.contains(&name);
                if is_special || !self.has_method(forced, name)? {
                    return Err(self.absent_attr(forced, name)?);
                }
                Ok(self.value(Value::BoundBuiltin { this: forced, name: name.to_owned() }))
            }
            _ => Err(self.no_attr(forced, name)),
        }
    }

    /// True for the name of an attribute that methods have themselves, beside their functions'.
    fn is_of_methods(&mut self, name: &str) -> bool {
        let class = self.host.class_named(METHOD);
        class.is_none_or(|class| self.host.class_attr(class, name, None).is_some())
    }

    /// The reason why a constant or container has no attribute that could be read: for certain, if its class has none.
    pub(in crate::trace) fn absent_attr(&mut self, value: ValueId, name: &str) -> Traced<Reason> {
        let own = classes::classes(self, value)?.and_then(|classes| classes.first());
        let class = own.and_then(|own| self.host.class_named(own));
        Ok(match class {
            Some(class) if self.host.is_immutable(class) && self.host.class_attr(class, name, None).is_none() => {
                Reason::lacks(value, name)
            }
            _ => self.no_attr(value, name),
        })
    }

    /// True if the class of a constant or container has a method of this name.
    fn has_method(&mut self, value: ValueId, name: &str) -> Traced<bool> {
        let Some([own, ..]) = classes::classes(self, value)? else { return Ok(false) };
        if *own == EXIT_STACK {
            return Ok(exit_stack::METHODS.contains(&name));
        }
        let class = self.host.class_named(own);
        Ok(class.is_some_and(|class| matches!(self.host.attr(class, name), Lookup::Found(_))))
    }

    pub(in crate::trace) fn no_attr(&mut self, value: ValueId, name: &str) -> Reason {
        Reason::new(Kind::Attribute, format!("`{name}` of {}.", self.describe(value)))
    }

    /// Guards that an attribute is there, if nothing else is guarded of it.
    pub(in crate::trace) fn guard_attr(&mut self, value: ValueId, name: &str, found: ValueId) -> Traced<()> {
        let forced = self.force(value)?;
        if let (Some(source), Value::Lazy(_), Some(place)) =
            (self.source(forced), &self.objects.values[found], self.source(found))
            && !self.is_written(forced, name)
        {
            self.found_attr(source, name, place);
        }
        Ok(())
    }

    pub(in crate::trace) fn object_attr(&mut self, value: ValueId, obj: Obj, name: &str) -> Traced {
        let written = self.written(obj, name);
        if let Some(state) = written.map_or_else(|| self.written_in_module(value, name), |state| Ok(Some(state)))? {
            return match self.heap.get(state) {
                // A module may have a way of its own to make up what is not there.
                _ if self.is_deleted(state) && matches!(self.objects.values[value], Value::Module(..)) => {
                    Err(self.no_attr(value, name))
                }
                _ if self.is_deleted(state) => Err(Reason::lacks(value, name)),
                State::Slot { value: Some(value), .. } => Ok(*value),
                _ => Err(self.no_attr(value, name)),
            };
        }
        // Classes of the interpreter cannot be changed, and make some of their attributes anew at each read.
        let fixed = matches!(self.objects.values[value], Value::Class(..)) && self.host.is_immutable(obj);
        let source = self.source(value).filter(|_| !fixed);
        match self.host.attr(obj, name) {
            Lookup::Found(found) => match source {
                Some(source) => {
                    let place = self.sources.attr(source, name);
                    self.found_attr(source, name, place);
                    Ok(self.lazy(found, place))
                }
                None => {
                    let found = self.value(Value::Lazy(found));
                    // What a class has that the program has made is found in no other way.
                    if self.objects.made_classes.contains_key(&obj) { self.force(found) } else { Ok(found) }
                }
            },
            Lookup::Absent if !fixed && source.is_none() && matches!(self.objects.values[value], Value::Class(..)) => {
                Err(self.no_attr(value, name))
            }
            Lookup::Absent => {
                if let Some(source) = source {
                    let name = self.sources.string(name);
                    self.guard(source, GuardKind::HasAttr(name, false));
                }
                Err(Reason::lacks(value, name))
            }
            Lookup::Property(_) | Lookup::Unknown => Err(self.no_attr(value, name)),
        }
    }

    /// True if a function that was found is asked: it may have been given another name than its code has, or
    /// attributes.
    fn knows_itself(&mut self, function: Obj, name: &str) -> bool {
        let is_name = matches!(name, "__name__" | "__qualname__");
        !is_name || matches!(self.host.attr(function, name), Lookup::Found(_))
    }

    /// `value.name = new`
    pub(in crate::trace) fn set_attr(&mut self, value: ValueId, name: &str, new: ValueId) -> Traced<()> {
        match self.instance(value)? {
            Some(instance) => self.instance_set(instance, name, new),
            None if name == "grad" && matches!(self.get(value)?, Value::Tensor(_)) => self.set_gradient(value, new),
            None if self.set_function_attr(value, name, new)? || self.set_partial_attr(value, name, new)? => Ok(()),
            None if self.class_set(value, name, new)? || self.module_attr_set(value, name, new)? => Ok(()),
            None => Err(self.no_change(value)),
        }
    }

    /// `del value.name`
    pub(in crate::trace) fn delete_attr(&mut self, value: ValueId, name: &str) -> Traced<()> {
        match self.instance(value)? {
            Some(instance) => self.instance_delete(instance, name),
            None => Err(self.no_change(value)),
        }
    }
}
