//! Attributes: of tensors by a table, of objects by asking the interpreter, of what the program changed by what it
//! wrote.

use super::{
    Traced, Tracer,
    frame::Globals,
    generators,
    items::raised,
    python::exit_stack,
    value::{State, StateId, Value, ValueId},
};
use crate::{
    host::{Lookup, Obj, Scope},
    reason::{Kind, Reason},
};
use fx::{Arg, Kind as NodeKind, Meta, TensorMeta, torch_ops};
use guards::{Constant, Element, GuardKind};
use symshapes::DeviceKind;

/// Attributes of a tensor that are views or computations, and the functions that give them.
const COMPUTED: &[(&str, &str)] = &[
    ("T", "torch.ops.aten.numpy_T"),
    ("mT", "torch.ops.aten.mT"),
    ("H", "torch.ops.aten.matrix_H"),
    ("mH", "torch.ops.aten.mH"),
];

/// The class of a tensor's `layout`.
pub(super) const LAYOUT: &str = "torch.layout";

/// The class of memory formats: objects that last as long as torch.
pub(super) const MEMORY_FORMAT: &str = "torch.memory_format";

/// Those that are read by name in the graph too.
const READ: &[&str] = &["real", "imag"];

/// Those that every tensor has, and that no graph reads.
pub(super) const UNREAD: &[&str] = &["is_leaf", "grad_fn", "grad", "data", "_version", "names"];

/// Attributes of element types and devices that are constants.
const PLAIN: &[&str] = &["is_floating_point", "is_complex", "is_signed", "itemsize", "type", "index"];

impl Tracer<'_> {
    /// `value.name`
    pub(super) fn get_attr(&mut self, value: ValueId, name: &str) -> Traced {
        let forced = self.force(value)?;
        match self.values[forced].clone() {
            Value::Tensor(node) => self.tensor_attr(forced, node, name),
            Value::NdArray { node, is_scalar } => self.array_attr(forced, node, is_scalar, name),
            Value::Class(class, _) if name == "__name__" => {
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
                self.source_of[method] = source.into();
                Ok(method)
            }
            Value::Class(_, obj)
                if name == "_make" && self.host.record_class(obj).is_some_and(|class| !class.of_sequence) =>
            {
                Ok(self.value(Value::BoundBuiltin { this: forced, name: name.to_owned() }))
            }
            Value::Exception { name: class, args: Some(args), .. }
                if name == "value" && class == "builtins.StopIteration" =>
            {
                Ok(args.first().copied().unwrap_or_else(|| self.none()))
            }
            Value::Exception { args: Some(_), .. }
                if matches!(name, "__cause__" | "__context__" | "__suppress_context__") =>
            {
                let found = self.chain_attr(forced, name)?;
                found.ok_or_else(|| self.no_attr(forced, name))
            }
            Value::Exception { args: Some(args), .. } if name == "args" => Ok(self.value(Value::Tuple(args))),
            Value::Exception { .. } | Value::Function(_) if name == "__class__" => {
                let class = super::python::classes::type_of(self, forced);
                class.map_err(|_| self.no_attr(forced, name))
            }
            Value::Object(..) | Value::Instance(_) => match self.instance(forced)? {
                Some(instance) => self.instance_get(instance, name),
                None => Err(self.no_attr(forced, name)),
            },
            Value::Super(class, this) => self.super_get(class, this, name),
            Value::InstanceDict(_) if !name.starts_with("__") => {
                Ok(self.value(Value::BoundBuiltin { this: forced, name: name.to_owned() }))
            }
            Value::Class(_, obj) => match self.class_get(forced, obj, name)? {
                Some(found) => Ok(found),
                None => self.object_attr(forced, obj, name),
            },
            Value::Module(_, obj) => self.object_attr(forced, obj, name),
            Value::Record(_, class, items) => match class.fields.iter().position(|field| field == name) {
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
                None => Err(self.no_attr(forced, name)),
            },
            Value::Builtin(packet) => {
                match packet.strip_prefix("torch.ops.").map(|packet| format!("{packet}.{name}")) {
                    Some(overload) if fx::aten::lookup(&overload).is_some() => {
                        let source = self.source(forced).map(|source| self.sources.attr(source, name));
                        let overload = self.value(Value::Builtin(overload));
                        self.source_of[overload] = source.into();
                        Ok(overload)
                    }
                    _ => Err(self.no_attr(forced, name)),
                }
            }
            Value::Partial(function, args, _) => match name {
                "func" => Ok(function),
                "args" => Ok(self.value(Value::Tuple(args))),
                _ => Err(self.no_attr(forced, name)),
            },
            Value::Function(function) if function.object.is_some_and(|found| self.knows_itself(found, name)) => {
                match function.object {
                    Some(found) => self.object_attr(forced, found, name),
                    None => Err(self.no_attr(forced, name)),
                }
            }
            Value::Function(function) => match name {
                "__name__" => Ok(self.constant(Constant::Str(function.code.object.name.clone()))),
                "__qualname__" => Ok(self.constant(Constant::Str(function.code.object.qualname.clone()))),
                _ => Err(self.no_attr(forced, name)),
            },
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
            Value::Const(constant @ Constant::Complex(..)) if matches!(name, "real" | "imag") => {
                self.fold("builtins.getattr", &[constant, Constant::Str(name.to_owned())])
            }
            Value::Const(constant @ (Constant::DType(_) | Constant::Device(_))) if PLAIN.contains(&name) => {
                self.fold("builtins.getattr", &[constant, Constant::Str(name.to_owned())])
            }
            number if number.is_number() && super::numbers::function_of_method(name).is_some() => {
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
            Value::Const(_) | Value::Tuple(_) | Value::Size(_) | Value::State(_) | Value::Range(_) => {
                if name.starts_with("__") || !self.has_method(forced, name)? {
                    return Err(self.absent_attr(forced, name)?);
                }
                Ok(self.value(Value::BoundBuiltin { this: forced, name: name.to_owned() }))
            }
            _ => Err(self.no_attr(forced, name)),
        }
    }

    /// Why a constant or container has no attribute that could be read: for certain, if its class has none.
    fn absent_attr(&mut self, value: ValueId, name: &str) -> Traced<Reason> {
        let own = super::python::classes::classes(self, value)?.and_then(|classes| classes.first());
        let class = own.and_then(|own| self.host.class_named(own));
        Ok(match class {
            Some(class) if self.host.is_immutable(class) && !self.host.class_has(class, name) => {
                Reason::raised(&format!("AttributeError: {name}"))
            }
            _ => self.no_attr(value, name),
        })
    }

    /// True if the class of a constant or container has a method of this name.
    fn has_method(&mut self, value: ValueId, name: &str) -> Traced<bool> {
        let Some([own, ..]) = super::python::classes::classes(self, value)? else { return Ok(false) };
        if *own == exit_stack::CLASS {
            return Ok(exit_stack::METHODS.contains(&name));
        }
        let class = self.host.class_named(own);
        Ok(class.is_some_and(|class| matches!(self.host.attr(class, name), Lookup::Found(_))))
    }

    pub(super) fn no_attr(&mut self, value: ValueId, name: &str) -> Reason {
        Reason::new(Kind::Attribute, format!("`{name}` of {}.", self.describe(value)))
    }

    fn tensor_attr(&mut self, tensor: ValueId, node: fx::NodeId, name: &str) -> Traced {
        let Some(Meta::Tensor(meta)) = self.graph[node].meta.clone() else { return Err(self.no_attr(tensor, name)) };
        if name == "requires_grad" && !self.is_input(node) && !self.grad && self.anything_recorded() {
            // An operation may give its argument back, which still requires what it did before.
            return Err(self.no_attr(tensor, name));
        }
        if let Some(constant) = plain_attr(&meta, name) {
            return Ok(self.constant(constant));
        }
        if let Some((_, target)) = COMPUTED.iter().find(|(computed, _)| *computed == name) {
            return self.emit(NodeKind::CallFunction, target, vec![Arg::Node(node)], vec![]);
        }
        match name {
            "shape" => {
                let shape = self.shape(node, &meta)?;
                if let Some(source) = self.source(tensor) {
                    self.source_of[shape] = self.sources.attr(source, name).into();
                }
                Ok(shape)
            }
            _ if READ.contains(&name) => {
                let args = vec![Arg::Node(node), Arg::Str(name.to_owned())];
                self.emit(NodeKind::CallFunction, "builtins.getattr", args, vec![])
            }
            "layout" => match self.host.class_named("torch.strided") {
                Some(layout) => Ok(self.value(Value::Lazy(layout))),
                None => Err(self.no_attr(tensor, name)),
            },
            "grad" => self.gradient(tensor),
            _ if UNREAD.contains(&name) => Err(self.no_attr(tensor, name)),
            "nbytes" => match meta.sizes.iter().map(|&size| self.env.pool().as_int(size)).product::<Option<i64>>() {
                Some(count) => Ok(self.constant(Constant::Int(count * meta.dtype.size() as i64))),
                None => Err(self.no_attr(tensor, name)),
            },
            _ if self.host.has_method(name) || torch_ops::knows(&format!("Tensor.{name}")) => {
                Ok(self.value(Value::BoundBuiltin { this: tensor, name: name.to_owned() }))
            }
            _ => self.own_attr(tensor, node, name),
        }
    }

    /// Guards that an attribute is there, if nothing else is guarded of it.
    pub(super) fn guard_attr(&mut self, value: ValueId, name: &str, found: ValueId) -> Traced<()> {
        let forced = self.force(value)?;
        if let (Some(source), Value::Lazy(_), Some(place)) =
            (self.source(forced), &self.values[found], self.source(found))
        {
            self.found_attr(source, name, place);
        }
        Ok(())
    }

    /// An attribute that the program has given to a tensor, or that no tensor has. One that is computed may be any of
    /// the inputs, of which it has the attributes then.
    fn own_attr(&mut self, tensor: ValueId, node: fx::NodeId, name: &str) -> Traced {
        let is_input = self.is_input(node);
        let first = self.first_name(node);
        let mut absent = Vec::new();
        for obj in self.known_log.clone() {
            let Some(&known) = self.known.get(&obj) else { continue };
            let Value::Tensor(other) = self.values[known] else { continue };
            if is_input && self.first_name(other) != first {
                continue;
            }
            match (self.host.attr(obj, name), self.source(known)) {
                (Lookup::Absent, Some(source)) => absent.push(source),
                (Lookup::Found(found), Some(source)) if is_input => {
                    let source = self.sources.attr(source, name);
                    return Ok(self.lazy(found, source));
                }
                _ => return Err(self.no_attr(tensor, name)),
            }
        }
        if absent.is_empty() {
            return Err(self.no_attr(tensor, name));
        }
        let id = self.sources.string(name);
        absent.into_iter().for_each(|source| self.guard(source, GuardKind::HasAttr(id, false)));
        Err(Reason::raised(&format!("AttributeError: {name}")))
    }

    /// A tensor's sizes; each that is a symbol is read by a node of its own.
    pub(super) fn shape(&mut self, node: fx::NodeId, meta: &TensorMeta) -> Traced {
        let symbolic = meta.sizes.iter().any(|&size| self.env.pool().as_int(size).is_none());
        let whole = symbolic.then(|| self.whole_size(NodeKind::CallMethod, "size", Arg::Node(node), &meta.sizes));
        let mut sizes = Vec::new();
        for dim in 0..meta.sizes.len() {
            if symbolic {
                // torch asks for all sizes at once, and picks each of them.
                self.graph.spend_name("getitem");
            }
            sizes.push(match self.env.pool().as_int(meta.sizes[dim]) {
                Some(size) => self.constant(Constant::Int(size)),
                None => {
                    let args = vec![Arg::Node(node), Arg::Int(dim as i64)];
                    self.emit_named(Some("sym_size"), NodeKind::CallMethod, "size", args, vec![])?
                }
            });
        }
        let size = self.value(Value::Size(sizes.clone()));
        if let Some(whole) = whole {
            let parts = sizes.into_iter().map(|part| self.arg(part)).collect::<Traced<_>>()?;
            self.lowered.sequences.insert(whole, parts);
            self.sizes.insert(size, whole);
        }
        Ok(size)
    }

    /// One size.
    pub(super) fn size(&mut self, _tensor: ValueId, node: fx::NodeId, meta: &TensorMeta, dim: usize) -> Traced {
        match self.env.pool().as_int(meta.sizes[dim]) {
            Some(size) => Ok(self.constant(Constant::Int(size))),
            None => {
                let args = vec![Arg::Node(node), Arg::Int(dim as i64)];
                self.emit(NodeKind::CallMethod, "size", args, vec![])
            }
        }
    }

    pub(super) fn object_attr(&mut self, value: ValueId, obj: Obj, name: &str) -> Traced {
        if let Some(state) = self.written(obj, name) {
            return match self.heap.get(state) {
                _ if self.is_deleted(state) => Err(Reason::raised(&format!("AttributeError: {name}"))),
                State::Slot { value: Some(value), .. } => Ok(*value),
                _ => Err(self.no_attr(value, name)),
            };
        }
        if matches!(self.values[value], Value::Module(..)) && self.globals_written() {
            return Err(self.no_attr(value, name));
        }
        // Classes of the interpreter cannot be changed, and make some of their attributes anew at each read.
        let fixed = matches!(self.values[value], Value::Class(..)) && self.host.is_immutable(obj);
        let source = self.source(value).filter(|_| !fixed);
        match self.host.attr(obj, name) {
            Lookup::Found(found) => match source {
                Some(source) => {
                    let place = self.sources.attr(source, name);
                    if self.watched {
                        // A handler would see that it is not there.
                        self.found_attr(source, name, place);
                    }
                    Ok(self.lazy(found, place))
                }
                None => Ok(self.value(Value::Lazy(found))),
            },
            Lookup::Absent => {
                if let Some(source) = source {
                    let name = self.sources.string(name);
                    self.guard(source, GuardKind::HasAttr(name, false));
                }
                Err(Reason::raised(&format!("AttributeError: {name}")))
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
    pub(super) fn set_attr(&mut self, value: ValueId, name: &str, new: ValueId) -> Traced<()> {
        match self.instance(value)? {
            Some(instance) => self.instance_set(instance, name, new),
            None => Err(self.no_change(value)),
        }
    }

    /// `del value.name`
    pub(super) fn delete_attr(&mut self, value: ValueId, name: &str) -> Traced<()> {
        match self.instance(value)? {
            Some(instance) => self.instance_delete(instance, name),
            None => Err(self.no_change(value)),
        }
    }

    /// `del value.name` of an object of the caller's.
    pub(super) fn delete_found(&mut self, forced: ValueId, obj: Obj, name: &str) -> Traced<()> {
        if !self.host.plain_delattr(obj, name) {
            return Err(self.no_change(forced));
        }
        self.object_attr(forced, obj, name)?;
        if self.written(obj, name).is_none() {
            // That it is there, and the object's own, has to hold on later calls as well.
            let source = self.source(forced).ok_or_else(|| self.no_change(forced))?;
            let own = self.sources.attr(source, "__dict__");
            let key = Element::Constant(self.sources.constant(Constant::Str(name.to_owned())));
            self.guard(own, GuardKind::DictContains(key));
        }
        let deleted = self.value(Value::Null);
        self.write_attr(forced, obj, name, deleted);
        Ok(())
    }

    /// True for an attribute that the program has deleted.
    pub(super) fn was_deleted(&self, obj: Obj, name: &str) -> bool {
        self.written(obj, name).is_some_and(|state| self.is_deleted(state))
    }

    fn is_deleted(&self, state: StateId) -> bool {
        matches!(self.heap.get(state), State::Slot { value: Some(value), .. } if matches!(self.values[*value], Value::Null))
    }

    pub(super) fn write_attr(&mut self, object: ValueId, obj: Obj, name: &str, new: ValueId) {
        let state = self.written(obj, name).unwrap_or_else(|| {
            let slot = State::Slot { object: Some(object), name: name.to_owned(), value: None };
            self.slot(obj, name, slot)
        });
        self.write(state, new);
    }

    /// A global variable of the traced function is written.
    pub(super) fn set_global(&mut self, globals: Globals, name: &str, new: ValueId) -> Traced<()> {
        if globals.owner.is_some() {
            return Err(Reason::new(Kind::Mutation, format!("The variable `{name}` of another module.")));
        }
        let state = match self.written(globals.dict, name) {
            Some(state) => state,
            None => self.slot(globals.dict, name, State::Slot { object: None, name: name.to_owned(), value: None }),
        };
        self.write(state, new);
        Ok(())
    }

    /// A global variable of the traced function is deleted.
    pub(super) fn delete_global(&mut self, globals: Globals, name: &str) -> Traced<()> {
        let written = self.written_global(globals, name).is_some();
        if !written && self.host.global(globals.dict, name).is_none_or(|(_, scope)| scope != Scope::Module) {
            return Err(raised(&format!("NameError: `{name}`")));
        }
        // That it is there has to hold on later calls as well.
        let value = self.load_global(globals, name)?;
        self.force(value)?;
        let deleted = self.value(Value::Null);
        self.set_global(globals, name, deleted)
    }

    /// What the program has written into a global variable.
    pub(super) fn written_global(&self, globals: Globals, name: &str) -> Option<ValueId> {
        match self.heap.get(self.written(globals.dict, name)?) {
            State::Slot { value, .. } => *value,
            _ => None,
        }
    }

    fn slot(&mut self, of: Obj, name: &str, slot: State) -> StateId {
        let state = self.heap.push(slot, Some(of));
        self.slots.push((of, name.to_owned(), state));
        state
    }

    fn write(&mut self, state: StateId, new: ValueId) {
        if let State::Slot { value, .. } = self.heap.change(state) {
            *value = Some(new);
        }
    }

    /// True if the program has written global variables, which are attributes of a module as well.
    fn globals_written(&self) -> bool {
        let global = |&(_, _, state): &(Obj, String, StateId)| {
            matches!(self.heap.get(state), State::Slot { object: None, value: Some(_), .. })
        };
        self.slots.iter().any(global)
    }

    /// The state of an attribute that the program has written.
    pub(super) fn written(&self, obj: Obj, name: &str) -> Option<StateId> {
        let slot = self.slots.iter().find(|(object, attr, _)| *object == obj && attr == name);
        let state = slot.map(|&(_, _, state)| state)?;
        // One whose writing was undone is as if it had never been.
        matches!(self.heap.get(state), State::Slot { value: Some(_), .. }).then_some(state)
    }
}

/// The attributes of a tensor that are plain values.
fn plain_attr(meta: &TensorMeta, name: &str) -> Option<Constant> {
    Some(match name {
        "dtype" => Constant::DType(meta.dtype),
        "device" => Constant::Device(meta.device),
        "ndim" => Constant::Int(meta.sizes.len() as i64),
        "itemsize" => Constant::Int(meta.dtype.size() as i64),
        "requires_grad" => Constant::Bool(meta.requires_grad),
        "is_cuda" => Constant::Bool(meta.device.kind == DeviceKind::Cuda),
        "is_cpu" => Constant::Bool(meta.device.kind == DeviceKind::Cpu),
        "is_meta" => Constant::Bool(meta.device.kind == DeviceKind::Meta),
        // Tensors of other layouts, and those that are quantised or nested, have no metadata here.
        "is_sparse" | "is_sparse_csr" | "is_quantized" | "is_nested" | "is_mkldnn" => Constant::Bool(false),
        _ => return None,
    })
}
