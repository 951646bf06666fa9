//! Objects of the running program, looked at when they are first used, under the guards that make the look hold.

use super::{
    Dynamic, Traced, Tracer,
    attr::{LAYOUT, MEMORY_FORMAT},
    value::{Deque, Function, Key, Made, State, StateId, Table, Value, ValueId},
};
use crate::{
    host::{self, FunctionView, Mark, Obj, Place, TensorView, Unbacked, View},
    reason::{Kind, Reason},
};
use fx::{Meta, TensorMeta};
use guards::{
    Collection, Constant, Element, Guard, GuardKind, Layout, ObjectId, Root, Source, SourceId, Sources, Step,
    TensorGuard,
};
use indexmap::IndexMap;
use std::{rc::Rc, sync::Arc};
use symshapes::{Constraint, Dim, EnvError, Expr, InputKind, Policy, Range, StrideInputs};

impl Tracer<'_> {
    /// A value as it is used: an object is looked at now.
    pub(super) fn force(&mut self, value: ValueId) -> Traced {
        if !matches!(self.values[value], Value::Lazy(_) | Value::Computed(..)) {
            return Ok(value);
        }
        if let Some(&known) = self.forced.get(&value) {
            return Ok(known);
        }
        let forced = match self.values[value] {
            Value::Lazy(obj) => self.look_up(obj, self.source(value))?,
            Value::Computed(number, a, b) => {
                let (a, b) = (self.force(a)?, self.force(b)?);
                self.binary_op(number, a, b)?
            }
            _ => value,
        };
        self.forced.insert(value, forced);
        self.forced_log.push(value);
        Ok(forced)
    }

    /// What an object turns out to be.
    fn look_up(&mut self, obj: Obj, source: Option<SourceId>) -> Traced {
        match self.known.get(&obj).copied() {
            Some(known) => {
                self.guard_same(known, source);
                self.guard_found(obj, known, source);
                Ok(known)
            }
            None => self.look(obj, source),
        }
    }

    /// Whether an integer is one of the caller's that nothing has looked at; `None` for anything but an integer.
    pub(super) fn awaits(&mut self, value: ValueId) -> Option<bool> {
        match self.values[value] {
            Value::Const(Constant::Int(_)) => Some(false),
            Value::Computed(..) => Some(!self.forced.contains_key(&value)),
            Value::Lazy(obj) if !self.forced.contains_key(&value) => {
                let source = self.source(value)?;
                let becomes_symbol = self.is_dynamic_int(source);
                (becomes_symbol && matches!(self.host.view(obj), View::Constant(Constant::Int(_)))).then_some(true)
            }
            _ => None,
        }
    }

    /// Guards that what nothing has looked at is of the class that it is of now.
    pub(super) fn guard_class(&mut self, value: ValueId) {
        if let (Value::Lazy(obj), Some(source)) = (&self.values[value], self.source(value)) {
            let kind = self.type_match(*obj);
            self.guard(source, kind);
        }
    }

    /// The value itself, forced.
    pub(super) fn get(&mut self, value: ValueId) -> Traced<Value> {
        let forced = self.force(value)?;
        Ok(self.values[forced].clone())
    }

    /// The same object is reached in a second way: it has to be so again.
    fn guard_same(&mut self, known: ValueId, second: Option<SourceId>) {
        if let (Some(first), Some(second)) = (self.cell_of(known), second) {
            let second = self.cell_at(second);
            if first != second {
                self.guard(second, GuardKind::DuplicateInput(first));
            }
            return;
        }
        if let (Some(first), Some(second)) = (self.source(known), second)
            && first != second
            && !matches!(self.values[known], Value::Const(_))
        {
            self.guard(second, GuardKind::DuplicateInput(first));
        }
    }

    /// An object that the trace has found in no variable is reached by one: it has to be so again.
    fn guard_found(&mut self, obj: Obj, known: ValueId, second: Option<SourceId>) {
        let (None, Some(second)) = (self.source(known), second) else { return };
        let lasts = match &self.values[known] {
            Value::Class(..) | Value::Module(..) | Value::Function(_) => true,
            Value::Object(class, _) => class == LAYOUT || class == MEMORY_FORMAT,
            _ => false,
        };
        if lasts {
            let kind = GuardKind::IdMatch(self.object(obj));
            self.guard(second, kind);
        }
    }

    pub(super) fn guard(&mut self, source: SourceId, kind: GuardKind) {
        self.guards.push(Guard::new(source, kind).at(self.place()));
    }

    fn look(&mut self, obj: Obj, source: Option<SourceId>) -> Traced {
        let view = self.host.view(obj);
        self.keep_apart(obj, &view)?;
        let (shared, is_frozen) =
            (!matches!(view, View::Constant(_)), matches!(view, View::Constant(Constant::FrozenSet(_))));
        let value = self.wrap(obj, view, source)?;
        if is_frozen {
            self.frozen.insert(value, obj);
        }
        if let Some(source) = source {
            self.source_of[value] = source.into();
        }
        if shared {
            self.known.insert(obj, value);
            self.known_log.push(obj);
        }
        Ok(value)
    }

    fn wrap(&mut self, obj: Obj, view: View, source: Option<SourceId>) -> Traced {
        if let Some(source) = source {
            self.guard_view(obj, &view, source);
            match view {
                View::Constant(Constant::Int(hint)) => self.hints.push((source, hint)),
                View::Constant(Constant::Float(bits)) => self.hints.push((source, bits.cast_signed())),
                _ => {}
            }
        }
        let value = match view {
            View::Constant(Constant::Int(hint)) if source.is_some_and(|s| self.is_dynamic_int(s)) => {
                return self.symbolic_input(hint, source);
            }
            View::Constant(Constant::Float(bits)) if source.is_some_and(|s| self.is_dynamic_float(bits, s)) => {
                return self.float_input(f64::from_bits(bits), source);
            }
            View::Constant(constant) => Value::Const(constant),
            View::Tuple(items) => Value::Tuple(self.elements(&items, source)),
            View::Size(items) => Value::Size(self.elements(&items, source)),
            View::Record(class, record, items) => Value::Record(class, record, self.elements(&items, source)),
            View::Partial(function, args, keywords) => self.partial(function, &args, &keywords, source),
            View::Getter(class, parts) => match super::python::operator_getters::class_named(&class) {
                Some(class) => {
                    let source = source.map(|source| self.parts_of_getter(source));
                    Value::Getter(class, self.elements(&parts, source), Vec::new())
                }
                None => Value::Object(class, obj),
            },
            View::Set(items) => self.set(obj, &items)?,
            View::List(items) => {
                let items = self.elements(&items, source);
                Value::State(self.heap.push(State::List(items), Some(obj)))
            }
            View::Dict(items) => Value::State(self.dict(obj, &items, source)?),
            View::Table(table, items) => {
                let state = self.dict(obj, &items, source)?;
                let table = match table {
                    host::Table::Ordered => Table::Ordered,
                    host::Table::Counter => Table::Counter,
                    host::Table::Default(factory) => {
                        Table::Default(self.child(factory, source, |s, base| s.attr(base, "default_factory")))
                    }
                };
                self.heap.set_table(state, table);
                Value::State(state)
            }
            View::Deque(items, most) => {
                let items = self.elements(&items, source);
                Value::State(self.heap.push(State::Deque(Deque { items, most, moves: 0 }), Some(obj)))
            }
            View::Slice(parts) => {
                let names = ["start", "stop", "step"];
                Value::Slice(std::array::from_fn(|i| self.child(parts[i], source, |s, base| s.attr(base, names[i]))))
            }
            View::Range(bounds) => Value::Range(bounds),
            View::Tensor(tensor) => return self.tensor_input(&tensor, source),
            View::NdArray(array, is_scalar) => return self.wrap_array(obj, &array, is_scalar, source),
            View::Function(function) => self.function(obj, &function, source)?,
            View::Method(function, this) => Value::Method {
                function: self.child(function, source, |s, base| s.attr(base, "__func__")),
                this: self.child(this, source, |s, base| s.attr(base, "__self__")),
            },
            View::Cell(content) => {
                if let Some(source) = source {
                    let cell = self.cell_at(source);
                    self.cells.push((obj, cell));
                }
                // The source of a function's cell is already that of what it holds.
                let content = content.map(|obj| {
                    self.child(obj, source, |s, base| match s.get(base) {
                        Some(Source::Step { step: Step::Closure(_), .. }) => base,
                        _ => s.attr(base, "cell_contents"),
                    })
                });
                Value::State(self.heap.push(State::Cell(content), Some(obj)))
            }
            View::Module(name) => Value::Module(name, obj),
            View::Class(name) => Value::Class(name, obj),
            View::Builtin(name) => Value::Builtin(name),
            View::BoundBuiltin(this, name) => {
                Value::BoundBuiltin { this: self.child(this, source, |s, base| s.attr(base, "__self__")), name }
            }
            View::Object(class) => Value::Object(class, obj),
        };
        Ok(self.value(value))
    }

    /// What an object holds as an instance of a class of Python's own that its class comes from; its type is guarded.
    pub(super) fn wrap_base(&mut self, obj: Obj, view: View, source: Option<SourceId>) -> Traced {
        if let Some(source) = source {
            let owner = if matches!(view, View::List(_)) { "builtins.list" } else { "builtins.dict" };
            self.raw_items.insert(source, owner);
        }
        let state = match view {
            View::Dict(items) => self.dict(obj, &items, source)?,
            View::Table(host::Table::Ordered, items) => {
                let state = self.dict(obj, &items, source)?;
                self.heap.set_table(state, Table::Ordered);
                state
            }
            View::List(items) => {
                if let Some(source) = source {
                    self.guard(source, GuardKind::SequenceLength(items.len() as u32, Collection::Sequence));
                }
                let items = self.elements(&items, source);
                self.heap.push(State::List(items), Some(obj))
            }
            _ => return Err(Reason::new(Kind::Attribute, "An object of a class that comes from one of Python's.")),
        };
        Ok(self.value(Value::State(state)))
    }

    /// A part of an object, not looked at yet.
    fn child(
        &mut self,
        obj: Obj,
        base: Option<SourceId>,
        step: impl FnOnce(&mut Sources, SourceId) -> SourceId,
    ) -> ValueId {
        match base {
            Some(base) => {
                let source = step(&mut self.sources, base);
                self.lazy(obj, source)
            }
            None => self.value(Value::Lazy(obj)),
        }
    }

    fn elements(&mut self, items: &[Obj], base: Option<SourceId>) -> Vec<ValueId> {
        let items = items.iter().enumerate();
        items.map(|(i, &item)| self.child(item, base, |s, base| s.item(base, Constant::Int(i as i64)))).collect()
    }

    fn partial(&mut self, function: Obj, args: &[Obj], keywords: &[(String, Obj)], base: Option<SourceId>) -> Value {
        let function = self.child(function, base, |s, base| s.attr(base, "func"));
        let args = args.iter().enumerate().map(|(i, &arg)| {
            self.child(arg, base, |s, base| {
                let args = s.attr(base, "args");
                s.item(args, Constant::Int(i as i64))
            })
        });
        let args = args.collect();
        let keywords = keywords.iter().map(|(name, arg)| {
            let value = self.child(*arg, base, |s, base| {
                let keywords = s.attr(base, "keywords");
                s.item(keywords, Constant::Str(name.clone()))
            });
            (name.clone(), value)
        });
        Value::Partial(function, args, keywords.collect())
    }

    /// Where a getter tells what it was made of.
    fn parts_of_getter(&mut self, getter: SourceId) -> SourceId {
        let method = self.sources.string("__reduce__");
        let told = self.sources.step(getter, Step::Call0(method));
        self.sources.item(told, Constant::Int(1))
    }

    /// A set of the caller's, whose items are constants.
    fn set(&mut self, obj: Obj, items: &[Obj]) -> Traced<Value> {
        let mut entries = IndexMap::new();
        for &item in items {
            let value = self.look(item, None)?;
            match self.key(value)? {
                key @ Key::Const(_) => entries.insert(key, value),
                _ => return Err(Reason::new(Kind::Attribute, "A set of the caller's that holds objects.")),
            };
        }
        Ok(Value::State(self.heap.push(State::Set(entries, Made::Found), Some(obj))))
    }

    fn dict(&mut self, obj: Obj, items: &[(Obj, Obj)], base: Option<SourceId>) -> Traced<StateId> {
        let mut entries = IndexMap::new();
        for (place, &(key, value)) in (0..).zip(items) {
            if matches!(self.host.view(key), View::Tensor(_)) {
                let (id, entry) = self.tensor_entry(place, key, value, base);
                entries.insert(id, entry);
                continue;
            }
            let key_value = self.look(key, None)?;
            let key = self.key(key_value)?;
            let Key::Const(constant) = &key else {
                return Err(Reason::new(Kind::Attribute, "A dict of the caller's with keys that are objects."));
            };
            let constant = constant.clone();
            let value = self.child(value, base, |s, base| s.item(base, constant));
            entries.insert(key, (key_value, value));
        }
        let state = self.heap.push(State::Dict(entries), Some(obj));
        if let Some(source) = base {
            let keys = self.dict_keys(items);
            self.asked.found(state, source, keys);
        }
        Ok(state)
    }

    fn function(&mut self, obj: Obj, view: &FunctionView, source: Option<SourceId>) -> Traced<Value> {
        let unknown = || Reason::new(Kind::Call, format!("`{}`, whose bytecode is not known.", view.name));
        if view.place == Place::InGraph {
            return Ok(Value::Builtin(view.name.clone()));
        }
        let code = self.host.code(view.code).ok_or_else(unknown)?;
        let mut each = |items: &[Obj], step: fn(u32) -> Step| -> Vec<ValueId> {
            let items = items.iter().zip(0..);
            items.map(|(&item, i)| self.child(item, source, |s, base| s.step(base, step(i)))).collect()
        };
        let (defaults, closure) = (each(&view.defaults, Step::Defaults), each(&view.closure, Step::Closure));
        let mut kwdefaults = Vec::new();
        for (name, obj) in &view.kwdefaults {
            let id = self.sources.string(name);
            kwdefaults.push((name.clone(), self.child(*obj, source, |s, base| s.step(base, Step::KwDefaults(id)))));
        }
        Ok(Value::Function(Rc::new(Function {
            name: view.name.clone(),
            code,
            object: Some(obj),
            code_obj: Some(view.code),
            constants: Some(view.code),
            globals: super::frame::Globals { dict: view.globals, owner: source.into() },
            defaults,
            kwdefaults,
            closure,
            place: view.place,
            annotated: false,
        })))
    }

    /// What has to hold for an object to look the same again; its parts have guards of their own.
    fn guard_view(&mut self, obj: Obj, view: &View, source: SourceId) {
        let kind = match view {
            View::Constant(Constant::None) => GuardKind::NoneMatch,
            View::Constant(Constant::Bool(value)) => GuardKind::BoolMatch(*value),
            View::Constant(Constant::Int(_)) if self.is_dynamic_int(source) => self.type_match(obj),
            View::Constant(Constant::Float(bits)) if self.is_dynamic_float(*bits, source) => self.type_match(obj),
            View::Constant(constant) => GuardKind::EqualsMatch(self.sources.constant(constant.clone())),
            View::Tuple(items) | View::Size(items) | View::List(items) | View::Record(_, _, items) => {
                self.guard(source, GuardKind::SequenceLength(items.len() as u32, Collection::Sequence));
                self.type_match(obj)
            }
            View::Deque(items, most) => {
                let kind = self.type_match(obj);
                self.guard(source, kind);
                self.guard(source, GuardKind::SequenceLength(items.len() as u32, Collection::Sequence));
                let most = most.map_or(Constant::None, |most| Constant::Int(most as i64));
                let most = self.sources.constant(most);
                let part = self.sources.attr(source, "maxlen");
                self.guard(part, GuardKind::EqualsMatch(most));
                return;
            }
            View::Range(bounds) => {
                for (name, bound) in ["start", "stop", "step"].into_iter().zip(bounds) {
                    let bound = self.sources.constant(Constant::Int(*bound));
                    let part = self.sources.attr(source, name);
                    self.guard(part, GuardKind::EqualsMatch(bound));
                }
                self.type_match(obj)
            }
            View::Partial(_, args, keywords) => {
                let kind = self.type_match(obj);
                self.guard(source, kind);
                let given = self.sources.attr(source, "args");
                self.guard(given, GuardKind::SequenceLength(args.len() as u32, Collection::Sequence));
                let named = self.sources.attr(source, "keywords");
                let keys = keywords
                    .iter()
                    .map(|(name, _)| Element::Constant(self.sources.constant(Constant::Str(name.clone()))));
                let keys = GuardKind::DictKeysMatch(keys.collect());
                self.guard(named, keys);
                return;
            }
            View::Getter(_, parts) => {
                let kind = self.type_match(obj);
                self.guard(source, kind);
                let all = self.parts_of_getter(source);
                self.guard(all, GuardKind::SequenceLength(parts.len() as u32, Collection::Sequence));
                return;
            }
            View::Set(items) => {
                let kind = self.type_match(obj);
                self.guard(source, kind);
                self.guard(source, GuardKind::SequenceLength(items.len() as u32, Collection::Set));
                for &item in items {
                    if let View::Constant(constant) = self.host.view(item) {
                        let element = Element::Constant(self.sources.constant(constant));
                        self.guard(source, GuardKind::SetContains(element));
                    }
                }
                return;
            }
            View::BoundBuiltin(_, name) => {
                let part = self.sources.attr(source, "__name__");
                let name = self.sources.constant(Constant::Str(name.clone()));
                self.guard(part, GuardKind::EqualsMatch(name));
                self.type_match(obj)
            }
            View::Object(class) if class == MEMORY_FORMAT => GuardKind::IdMatch(self.object(obj)),
            // The keys are guarded where they are read.
            View::Dict(_) | View::Table(..) | View::Slice(_) | View::Method(..) | View::Object(_) => {
                self.type_match(obj)
            }
            // A tensor's guard needs its symbols; a cell is as good as what it holds.
            View::Tensor(_) | View::NdArray(..) | View::Cell(_) => return,
            View::Function(function) if function.place == Place::Inlined => {
                GuardKind::ClosureMatch(self.object(function.code))
            }
            View::Function(_) => GuardKind::FunctionMatch(self.object(obj)),
            View::Module(_) => GuardKind::ModuleMatch(self.object(obj)),
            View::Class(_) => GuardKind::ClassMatch(self.object(obj)),
            View::Builtin(_) => GuardKind::BuiltinMatch(self.object(obj)),
        };
        self.guard(source, kind);
    }

    pub(super) fn type_match(&mut self, obj: Obj) -> GuardKind {
        let class = self.host.class_of(obj);
        GuardKind::TypeMatch(self.object(class))
    }

    fn dict_keys(&mut self, items: &[(Obj, Obj)]) -> Vec<Element> {
        let key = |&(key, _): &(Obj, Obj)| match self.host.view(key) {
            View::Constant(constant) => Element::Constant(self.sources.constant(constant)),
            _ => Element::Object(self.object(key)),
        };
        items.iter().map(key).collect()
    }

    /// The number that guards have for an object.
    pub(super) fn object(&mut self, obj: Obj) -> ObjectId {
        let id = ObjectId::from_u32(obj.as_u32());
        let info = self.host.info(obj);
        self.sources.describe(id, info);
        id
    }

    /// True if a number of the caller's is to be a symbol: never one that is global or a default.
    fn is_dynamic_int(&self, source: SourceId) -> bool {
        match self.declared(source) {
            Some(Mark::Named(_) | Mark::Dynamic(..) | Mark::Maybe) => return true,
            Some(_) => return false,
            None => {}
        }
        match self.options.dynamic {
            _ if self.specialises => false,
            Dynamic::Never => false,
            Dynamic::Always => self.is_passed(source),
            Dynamic::Automatic => {
                self.options.changed.contains(&self.sources.display(source).to_string()) && self.is_passed(source)
            }
        }
    }

    /// True for what is reached through an argument or a variable of the function.
    fn is_passed(&self, source: SourceId) -> bool {
        match self.sources.get(source) {
            Some(Source::Root(root)) => matches!(root, Root::Local(_) | Root::Cell(_)),
            Some(Source::Step { step: Step::Defaults(_) | Step::KwDefaults(_), .. }) | None => false,
            Some(Source::Step { base, .. }) => self.is_passed(base),
        }
    }

    /// True if a float of the caller's is to be a symbol. Unlike an integer, it may be one that is global or a default.
    /// What is not finite stays what it is: guards compare numbers.
    fn is_dynamic_float(&self, bits: u64, source: SourceId) -> bool {
        let wherever_it_is = || match self.options.dynamic {
            _ if self.specialises => false,
            Dynamic::Never => false,
            Dynamic::Always => true,
            Dynamic::Automatic => self.options.changed.contains(&self.sources.display(source).to_string()),
        };
        let finite = f64::from_bits(bits).is_finite();
        let undeclared = || self.declared(source).is_none();
        self.options.floats && finite && (self.is_dynamic_int(source) || undeclared() && wherever_it_is())
    }

    fn float_input(&mut self, hint: f64, source: Option<SourceId>) -> Traced {
        let Some(source) = source else { return Ok(self.constant(Constant::float(hint))) };
        let float = self.env.float(source.into(), hint, Policy::Dynamic);
        let name = input_name(&self.sources.display(source).to_string());
        let number = self.float_placeholder(&name, float, source)?;
        self.source_of[number] = source.into();
        Ok(number)
    }

    fn symbolic_input(&mut self, hint: i64, source: Option<SourceId>) -> Traced {
        let Some(source) = source else { return Ok(self.constant(Constant::Int(hint))) };
        let expr = match self.declared(source) {
            Some(Mark::Named(named)) => self
                .env
                .named_input(source.into(), InputKind::Int, hint, &named, "")
                .map_err(|error| self.shape_error(&error))?,
            _ => self.env.int(source.into(), hint, Policy::Dynamic),
        };
        let name = self.env.pool().display(expr).to_string();
        let node = self.placeholder(&name, Meta::Int(expr), source);
        Ok(self.sourced(Value::SymInt { expr, node }, source))
    }

    pub(super) fn tensor_input(&mut self, view: &TensorView, source: Option<SourceId>) -> Traced {
        let Some(source) = source else {
            return Err(Reason::new(Kind::Attribute, "A tensor that can be reached through no variable."));
        };
        let (sizes, strides, offset) = self.tensor_shape(view, source).map_err(|error| self.shape_error(&error))?;
        let guard = TensorGuard {
            python_type: self.object(view.class),
            dispatch_keys: view.dispatch_keys.clone(),
            dtype: view.dtype,
            device: view.device,
            layout: Layout::Strided,
            requires_grad: view.requires_grad,
            sizes: self.fixed(&sizes),
            strides: self.fixed(&strides),
        };
        let guard = self.sources.tensor(guard);
        self.guard(source, GuardKind::TensorMatch(guard));
        let name = input_name(&self.sources.display(source).to_string());
        let requires_grad = view.requires_grad;
        let meta = TensorMeta { dtype: view.dtype, device: view.device, sizes, strides, offset, requires_grad };
        let node = self.placeholder(&name, Meta::Tensor(meta), source);
        if view.is_parameter {
            self.parameters.push(node);
        }
        Ok(self.value(Value::Tensor(node)))
    }

    fn tensor_shape(&mut self, view: &TensorView, source: SourceId) -> Result<(Vec<Expr>, Vec<Expr>, Expr), EnvError> {
        let mut dims = Vec::new();
        for (d, &hint) in (0..).zip(&view.sizes) {
            let size = self.sources.size(source, d);
            if view.is_parameter {
                // It may be replaced by one of another shape, but that is no reason for a symbol.
                dims.push((size, Dim { policy: Policy::Static, constraint: None }, Mark::default()));
                continue;
            }
            self.hints.push((size, hint));
            let mark = self.declared(size).or_else(|| view.marks.get(d as usize).cloned()).unwrap_or_default();
            dims.push((size, self.dim(&mark, size), mark));
        }
        // Where a tensor starts is guarded by nothing, and so is nothing that the trace may know.
        let offset = Expr::ZERO;
        if dims.iter().all(|(_, dim, mark)| dim.policy == Policy::Static && !matches!(mark, Mark::Pinned(_))) {
            // Its own guard says all there is to say.
            let mut ints = |values: &[i64]| values.iter().map(|&value| self.env.pool_mut().int(value)).collect();
            return Ok((ints(&view.sizes), ints(&view.strides), offset));
        }
        let mut sizes = Vec::new();
        for ((size, dim, mark), &hint) in dims.into_iter().zip(&view.sizes) {
            sizes.push(match &mark {
                Mark::Named(named) => self.env.named_input(size.into(), InputKind::Size, hint, named, "")?,
                Mark::Pinned(value) if *value != hint => return Err(not_pinned(size, hint, *value)),
                _ => self.env.size(size.into(), hint, &dim, "")?,
            });
            if let (Mark::Unbacked(said), Some(&size)) = (mark, sizes.last()) {
                self.believe(size, &said)?;
            }
        }
        let dims = 0..view.strides.len() as u32;
        let stride_sources: Vec<_> = dims.map(|d| self.sources.stride(source, d).into()).collect();
        let inputs = StrideInputs {
            sources: &stride_sources,
            sizes: &sizes,
            size_hints: &view.sizes,
            stride_hints: &view.strides,
        };
        let strides = self.env.strides(inputs, "")?;
        Ok((sizes, strides, offset))
    }

    /// What `dynamic_shapes` says of a size or an integer.
    fn declared(&self, source: SourceId) -> Option<Mark> {
        if self.options.declared.is_empty() {
            return None;
        }
        let printed = self.sources.display(source).to_string();
        self.options.declared.iter().find(|(source, _)| *source == printed).map(|(_, mark)| mark.clone())
    }

    /// States what the user says of a size that decides nothing.
    fn believe(&mut self, size: Expr, said: &Unbacked) -> Result<(), EnvError> {
        let place = self.place();
        let (pool, mut stated) = (self.env.pool_mut(), Vec::new());
        if let Some(min) = said.min {
            let min = pool.int(min);
            stated.push(pool.le(min, size));
        }
        if let Some(max) = said.max {
            let max = pool.int(max);
            stated.push(pool.le(size, max));
        }
        if let Some(group) = &said.group {
            let first = *self.groups.entry(Arc::clone(group)).or_insert(size);
            stated.push(pool.eq(size, first));
        }
        stated.into_iter().try_for_each(|p| self.env.check(p, "mark_unbacked", &place))
    }

    /// Why the environment has no answer.
    pub(super) fn shape_error(&self, error: &EnvError) -> Reason {
        let names = |source: symshapes::SourceId| self.sources.display(source.into()).to_string();
        let promised = matches!(error, EnvError::HintOutOfRange { .. } | EnvError::NotAsNamed { .. });
        let kind = if promised { Kind::Promise } else { Kind::Shape };
        Reason::new(kind, format!("{}.", error.explain(&names)))
    }

    /// The values of those that are constants.
    fn fixed(&self, exprs: &[Expr]) -> Vec<Option<i64>> {
        exprs.iter().map(|&e| self.env.pool().as_int(e)).collect()
    }

    /// How a dimension is treated.
    fn dim(&self, mark: &Mark, printed: SourceId) -> Dim {
        let changed = || self.options.changed.contains(&self.sources.display(printed).to_string());
        let policy = match (mark, self.options.dynamic) {
            (Mark::Static, _) => Policy::Static,
            (Mark::Unbacked(_), _) => Policy::Unbacked,
            (Mark::Pinned(_), _) => Policy::Static,
            (Mark::Named(_), _) => Policy::Dynamic,
            (Mark::Dynamic(..), _) => Policy::Dynamic,
            (Mark::Maybe, _) | (Mark::None, Dynamic::Always) => Policy::Duck,
            (Mark::None, Dynamic::Never) => Policy::Static,
            (Mark::None, Dynamic::Automatic) if changed() => Policy::Duck,
            (Mark::None, Dynamic::Automatic) => Policy::Static,
        };
        let promised = match *mark {
            Mark::Dynamic(None, None) => Some(Range::ALL),
            Mark::Dynamic(low, high) => Some(Range::new(low.unwrap_or(0), high.unwrap_or(i64::MAX))),
            Mark::None | Mark::Static | Mark::Maybe | Mark::Unbacked(_) | Mark::Named(_) | Mark::Pinned(_) => None,
        };
        let constraint = promised.map(|range| Constraint::marked(range, ""));
        Dim { policy, constraint }
    }
}

/// The error of a size that `dynamic_shapes` says to be another.
fn not_pinned(source: SourceId, size: i64, value: i64) -> EnvError {
    let (named, at) = (value.to_string(), "dynamic_shapes".to_owned());
    EnvError::NotAsNamed { input: source.into(), size, named, expected: None, at }
}

/// A printed source as the name of a graph's input: `L['x'].y` is `L_x_y`.
pub fn input_name(source: &str) -> String {
    let mut name = String::new();
    for c in source.chars() {
        if c.is_ascii_alphanumeric() {
            name.push(c);
        } else if !name.ends_with('_') {
            name.push('_');
        }
    }
    name
}
