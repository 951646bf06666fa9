//! Realization of lazy values: an object of the running program becomes a tracked value when it is first used, under
//! guards.

use crate::{
    host::{self, FunctionPolicy, FunctionView, Obj, View},
    reason::{Kind, Reason},
    trace::{
        Traced, Tracer,
        core::{
            frame,
            state::{Deque, Iter, Key, Made, State, StateId, Table},
            value::{Function, Value, ValueId},
        },
        python::operator_getters,
        values::singletons,
    },
};
use guards::{Collection, Constant, Guard, GuardKind, Source, SourceId, Sources, Step};
use indexmap::IndexMap;
use std::rc::Rc;

/// The class of sets that never change.
const FROZEN_SET: &str = "builtins.frozenset";

impl Tracer<'_> {
    /// The realized value: a lazy one is realized now.
    pub(in crate::trace) fn force(&mut self, value: ValueId) -> Traced {
        if !matches!(self.objects.values[value], Value::Lazy(_) | Value::Computed(..)) {
            return Ok(value);
        }
        if let Some(&known) = self.objects.forced.get(&value) {
            return Ok(known);
        }
        let forced = match self.objects.values[value] {
            Value::Lazy(obj) => self.look_up(obj, self.source(value))?,
            Value::Computed(operator, a, b) => {
                let (a, b) = (self.force(a)?, self.force(b)?);
                self.binary_op(operator, a, b)?
            }
            _ => value,
        };
        self.objects.forced.insert(value, forced);
        Ok(forced)
    }

    /// The value of an object: the one already known, or a new one.
    fn look_up(&mut self, obj: Obj, source: Option<SourceId>) -> Traced {
        match self.objects.known.get(&obj).copied() {
            Some(known) => {
                self.guard_same(known, source);
                self.guard_found(obj, known, source);
                Ok(known)
            }
            None => self.look(obj, source),
        }
    }

    /// Whether an integer is one of the caller's that nothing has looked at; `None` for anything but an integer.
    pub(in crate::trace) fn awaits(&mut self, value: ValueId) -> Option<bool> {
        match self.objects.values[value] {
            Value::Const(Constant::Int(_)) => Some(false),
            Value::Computed(..) => Some(!self.objects.forced.contains_key(&value)),
            Value::Lazy(obj) if !self.objects.forced.contains_key(&value) => {
                let source = self.source(value)?;
                let becomes_symbol = self.is_dynamic_int(source);
                (becomes_symbol && matches!(self.host.view(obj), View::Constant(Constant::Int(_)))).then_some(true)
            }
            _ => None,
        }
    }

    /// Guards that what nothing has looked at is of the class that it is of now.
    pub(in crate::trace) fn guard_class(&mut self, value: ValueId) {
        if let (Value::Lazy(obj), Some(source)) = (&self.objects.values[value], self.source(value)) {
            let kind = self.type_match(*obj);
            self.guard(source, kind);
        }
    }

    /// The realized form of a value.
    pub(in crate::trace) fn get(&mut self, value: ValueId) -> Traced<Value> {
        let forced = self.force(value)?;
        Ok(self.objects.values[forced].clone())
    }

    /// Guards that a second source leads to the same object.
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
            && !matches!(self.objects.values[known], Value::Const(_))
        {
            self.guard(second, GuardKind::DuplicateInput(first));
        }
    }

    /// An object that the trace has found in no variable is reached by one: it has to be so again, and is read there.
    fn guard_found(&mut self, obj: Obj, known: ValueId, second: Option<SourceId>) {
        let (None, Some(second)) = (self.source(known), second) else { return };
        let lasts = match self.objects.values[known].clone() {
            Value::Class(..) | Value::Module(..) | Value::Function(_) => true,
            Value::Object(class, _) => singletons::is_singleton(&class) || self.is_own_dtype(&class, obj),
            _ => false,
        };
        if lasts {
            let kind = GuardKind::IdMatch(self.object(obj));
            self.guard(second, kind);
            self.objects.source_of[known] = second.into();
            self.objects.found_late.push(known);
        }
    }

    pub(in crate::trace) fn guard(&mut self, source: SourceId, kind: GuardKind) {
        self.guards.emitted.push(Guard::new(source, kind).at(self.place()));
    }

    pub(in crate::trace) fn look(&mut self, obj: Obj, source: Option<SourceId>) -> Traced {
        let view = self.host.view(obj);
        self.keep_apart(obj, &view)?;
        let (shared, is_frozen) =
            (!matches!(view, View::Constant(_)), matches!(view, View::Constant(Constant::FrozenSet(_))));
        let value = self.wrap(obj, view, source)?;
        if is_frozen {
            self.objects.frozen.insert(value, obj);
        }
        if let Some(source) = source {
            self.objects.source_of[value] = source.into();
        }
        if shared {
            self.objects.known.insert(obj, value);
        }
        Ok(value)
    }

    fn wrap(&mut self, obj: Obj, view: View, source: Option<SourceId>) -> Traced {
        if let Some(source) = source {
            self.guard_view(obj, &view, source);
            match view {
                View::Constant(Constant::Int(hint)) => self.shapes.hints.push((source, hint)),
                View::Constant(Constant::Float(bits)) => self.shapes.hints.push((source, bits.cast_signed())),
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
            View::Getter(class, parts) => match operator_getters::class_named(&class) {
                Some(class) => {
                    let source = source.map(|source| self.parts_of_getter(source));
                    Value::Getter(class, self.elements(&parts, source), Vec::new())
                }
                None => Value::Object(class, obj),
            },
            View::Set(items) => self.set(obj, &items, source)?,
            View::FrozenSet(items) => {
                let items = items.iter().map(|&item| self.value(Value::Lazy(item))).collect();
                self.objects.frozen_items.insert(obj, items);
                Value::Object(FROZEN_SET.to_owned(), obj)
            }
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
            View::TupleIterator(items, at) => {
                let source = source.map(|source| self.parts_of_iterator(source)[0]);
                let items = self.elements(&items, source);
                Value::State(self.heap.push(State::Iter(Iter::Items(items, at)), Some(obj)))
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
                    self.objects.cells.push((obj, cell));
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

    /// The contents of an object as an instance of the class of Python's own that its class derives from; its type is
    /// guarded.
    pub(in crate::trace) fn wrap_base(&mut self, obj: Obj, view: View, source: Option<SourceId>) -> Traced {
        let is_proxy = self.is_read_only(obj);
        let owner = match view {
            View::Dict(_) | View::Table(..) => Some("builtins.dict"),
            View::List(_) => Some("builtins.list"),
            View::Tuple(_) => Some("builtins.tuple"),
            _ => None,
        };
        if let (Some(source), Some(owner)) = (source.filter(|_| !is_proxy), owner) {
            self.objects.raw_items.insert(source, owner);
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
            View::Tuple(items) => {
                if let Some(source) = source {
                    self.guard(source, GuardKind::SequenceLength(items.len() as u32, Collection::Sequence));
                }
                let items = self.elements(&items, source);
                return Ok(self.value(Value::Tuple(items)));
            }
            View::Constant(constant) => {
                if let Some(source) = source {
                    let source = self.plain_value_source(source);
                    let kind = GuardKind::EqualsMatch(self.sources.constant(constant.clone()));
                    self.guard(source, kind);
                }
                return Ok(self.constant(constant));
            }
            View::Set(items) => {
                if let Some(source) = source {
                    self.guard_set_items(&items, source);
                }
                let set = self.set(obj, &items, source)?;
                return Ok(self.value(set));
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

    /// The source of the tuple of arguments that a getter was made of, by its `__reduce__`.
    pub(in crate::trace) fn parts_of_getter(&mut self, getter: SourceId) -> SourceId {
        let method = self.sources.string("__reduce__");
        let told = self.sources.step(getter, Step::Call0(method));
        self.sources.item(told, Constant::Int(1))
    }

    /// The source of the plain number or text that an object holds as an instance of `int`, `float` or `str`, by its
    /// `__getnewargs__`.
    fn plain_value_source(&mut self, object: SourceId) -> SourceId {
        let method = self.sources.string("__getnewargs__");
        let told = self.sources.step(object, Step::Call0(method));
        self.sources.item(told, Constant::Int(0))
    }

    /// The sources of the tuple that an iterator goes over and of the next item's place, by its `__reduce__`.
    pub(in crate::trace) fn parts_of_iterator(&mut self, iterator: SourceId) -> [SourceId; 2] {
        let method = self.sources.string("__reduce__");
        let told = self.sources.step(iterator, Step::Call0(method));
        let args = self.sources.item(told, Constant::Int(1));
        [self.sources.item(args, Constant::Int(0)), self.sources.item(told, Constant::Int(2))]
    }

    /// A set of the caller's. Items that are no constants are found by their places, which are guarded.
    fn set(&mut self, obj: Obj, items: &[Obj], base: Option<SourceId>) -> Traced<Value> {
        let mut entries = IndexMap::new();
        let mut keys = Vec::with_capacity(items.len());
        for (place, &item) in (0..).zip(items) {
            let (value, at) = self.dict_key(item, base, place)?;
            let key = self.key(value)?;
            if !matches!((&key, at), (Key::Const(_), None) | (_, Some(_))) {
                return Err(Reason::new(Kind::Attribute, "A set of the caller's that holds objects."));
            }
            keys.push((item, value, key.clone()));
            if entries.insert(key, value).is_some() {
                return Err(Reason::new(Kind::Attribute, "A set of the caller's whose items have become equal."));
            }
        }
        self.check_stored_hashes(obj, &keys)?;
        Ok(Value::State(self.heap.push(State::Set(entries, Made::Found), Some(obj))))
    }

    fn dict(&mut self, obj: Obj, items: &[(Obj, Obj)], base: Option<SourceId>) -> Traced<StateId> {
        let mut entries = IndexMap::new();
        let mut keys = Vec::with_capacity(items.len());
        for (place, &(key, value)) in (0..).zip(items) {
            if matches!(self.host.view(key), View::Tensor(_)) {
                let (id, entry) = self.tensor_entry(place, key, value, base);
                entries.insert(id, entry);
                continue;
            }
            let (key_value, at) = self.dict_key(key, base, place)?;
            let object = key;
            let key = self.key(key_value)?;
            keys.push((object, key_value, key.clone()));
            let value = match (&key, at) {
                (Key::Const(constant), None) => {
                    let constant = constant.clone();
                    self.child(value, base, |s, base| s.item(base, constant))
                }
                (_, Some(at)) => self.child(value, base, |s, base| s.item_of(base, at)),
                _ => return Err(Reason::new(Kind::Attribute, "A dict of the caller's with keys that are objects.")),
            };
            if entries.insert(key, (key_value, value)).is_some() {
                return Err(Reason::new(Kind::Attribute, "A dict of the caller's whose keys have become equal."));
            }
        }
        // Those that were found as tensors have no other hash.
        if keys.len() == items.len() {
            self.check_stored_hashes(obj, &keys)?;
        } else if !self.objects.hashed.is_empty() {
            return Err(Reason::new(Kind::Attribute, "A dict of the caller's with tensors and objects for keys."));
        }
        let state = self.heap.push(State::Dict(entries), Some(obj));
        if let Some(source) = base {
            let keys = self.dict_keys(items);
            self.guards.asked.found(state, source, keys);
        }
        Ok(state)
    }

    fn function(&mut self, obj: Obj, view: &FunctionView, source: Option<SourceId>) -> Traced<Value> {
        let unknown = || Reason::new(Kind::Call, format!("`{}`, whose bytecode is not known.", view.name));
        let policy = match view.policy {
            FunctionPolicy::Composed if self.options.lowers => FunctionPolicy::Inlined,
            FunctionPolicy::Composed => FunctionPolicy::InGraph,
            policy => policy,
        };
        if policy == FunctionPolicy::InGraph {
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
            globals: frame::Globals { dict: view.globals, owner: source.into() },
            defaults,
            kwdefaults,
            closure,
            policy,
            annotations: None,
            annotate: None,
        })))
    }
}
