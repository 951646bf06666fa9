//! Calls of the program's classes: `type.__call__`, and what `object` itself does.

use super::{Instance, Tracer, held_values::is_of_values, namespaces::NAMESPACE};
use crate::{
    host::{ClassAttr, Obj},
    reason::{Kind, Reason, raised},
    trace::{
        Traced,
        core::{
            state::{self, Base, Made, State, Table},
            value::{Keywords, Value, ValueId},
        },
        signature::{Row, row},
    },
};
use guards::{Constant, SourceId, Step};
use indexmap::IndexMap;

/// The method by which a class is called whose metaclass has none of its own.
const BY_TYPE: &str = "builtins.type.__call__";

/// The methods of `object` and `type` that a program calls by name, and `super`.
pub(in crate::trace) const ROWS: &[Row] = &[
    row("builtins.object.__new__(cls, /, *args, **kwargs)", |t, b| {
        // Whether it takes them is the class's business, which has checked them when it calls this.
        b.rest();
        b.extra();
        t.new_instance(b.arg(0)?)
    }),
    row("builtins.object.__init__(instance, /)", |t, b| {
        b.arg(0)?;
        Ok(t.none())
    }),
    row("builtins.object.__init_subclass__()", |t, _| Ok(t.none())),
    row("builtins.object.__setattr__ types.SimpleNamespace.__setattr__(instance, name, value, /)", |t, b| {
        let (instance, name) = (t.instance_of(b.arg(0)?, "object.__setattr__")?, t.name_of_attr(b.arg(1)?)?);
        t.generic_set(instance, &name, b.arg(2)?)?;
        Ok(t.none())
    }),
    row("builtins.object.__getattribute__ types.SimpleNamespace.__getattribute__(instance, name, /)", |t, b| {
        let (instance, name) = (t.instance_of(b.arg(0)?, "object.__getattribute__")?, t.name_of_attr(b.arg(1)?)?);
        t.generic_get(instance, &name)
    }),
    row("builtins.object.__delattr__ types.SimpleNamespace.__delattr__(instance, name, /)", |t, b| {
        let (instance, name) = (t.instance_of(b.arg(0)?, "object.__delattr__")?, t.name_of_attr(b.arg(1)?)?);
        t.generic_delete(instance, &name)?;
        Ok(t.none())
    }),
    row("builtins.type.__call__(cls, /, *args, **kwargs)", |t, b| {
        let class = t.force(b.arg(0)?)?;
        let made = match t.objects.values[class] {
            Value::Class(_, obj) => t.construct_by_type(class, obj, b.rest(), b.extra())?,
            _ => None,
        };
        made.ok_or_else(|| Reason::new(Kind::Call, format!("{}.", t.describe(class))))
    }),
    row("builtins.super(type, object, /)", |t, b| t.make_super(b.arg(0)?, b.arg(1)?)),
];

impl Tracer<'_> {
    fn name_of_attr(&mut self, name: ValueId) -> Traced<String> {
        match self.get(name)? {
            Value::Const(Constant::Str(name)) => Ok(name),
            _ => Err(raised("TypeError: attribute name must be string")),
        }
    }

    /// A new object of a class, as `object.__new__` makes it.
    pub(super) fn new_instance(&mut self, class: ValueId) -> Traced {
        let class = self.force(class)?;
        let Value::Class(name, obj) = self.objects.values[class].clone() else {
            return Err(raised("TypeError: object.__new__(X): X is not a type object"));
        };
        let base = self.host.solid_base(obj).filter(|base| self.is_made(obj, base));
        // An object with a finalizer has to die where it dies in the program.
        let Some(base) = base.filter(|base| !is_of_values(base) && !self.finalizes(obj)) else {
            return Err(Reason::new(Kind::Call, format!("Making a `{name}`.")));
        };
        let base = self.empty_base(base);
        let instance = state::Instance { class, attrs: IndexMap::new(), base };
        let state = self.heap.push(State::Instance(instance), None);
        Ok(self.value(Value::Instance(state)))
    }

    /// The empty contents of a new instance of a class that derives from one of Python's own.
    fn empty_base(&mut self, base: String) -> Option<Base> {
        let held = match base.as_str() {
            "builtins.dict" => self.state(State::Dict(IndexMap::new())),
            "builtins.list" => self.state(State::List(Vec::new())),
            "builtins.set" => self.state(State::Set(IndexMap::new(), Made::EMPTY)),
            "collections.OrderedDict" => {
                let state = self.heap.push(State::Dict(IndexMap::new()), None);
                self.heap.set_table(state, Table::Ordered);
                self.value(Value::State(state))
            }
            NAMESPACE => return Some(Base::Namespace),
            _ => return None,
        };
        Some(Base::Container(base, held))
    }

    /// True for a class of the program's, and for those of Python's own whose instances are made as theirs are.
    fn is_made(&mut self, class: Obj, base: &str) -> bool {
        base == NAMESPACE || !self.host.is_immutable(class) || self.host.class_named("builtins.object") == Some(class)
    }

    /// A call of a class of the program's; `None` for a class whose instances the trace does not make.
    pub(in crate::trace) fn construct(
        &mut self,
        class: ValueId,
        obj: Obj,
        args: &[ValueId],
        keywords: &Keywords,
    ) -> Traced<Option<ValueId>> {
        let Some(source) = self.source(class) else { return Ok(None) };
        match self.call_of_metaclass(obj, source) {
            Some(ClassAttr::Builtin(method, _)) if method == BY_TYPE => {}
            Some(ClassAttr::Function(_)) => return self.call_special_with(class, "__call__", args, keywords),
            _ => return Ok(None),
        }
        self.construct_by_type(class, obj, args, keywords)
    }

    /// A call of a class of the program's as `type` calls it, whatever its metaclass has in the place of that.
    fn construct_by_type(
        &mut self,
        class: ValueId,
        obj: Obj,
        args: &[ValueId],
        keywords: &Keywords,
    ) -> Traced<Option<ValueId>> {
        let is_exception = self.host.is_exception(obj);
        let is_made = match self.host.solid_base(obj) {
            Some(base) => self.is_made(obj, &base),
            None => is_exception && !self.host.is_immutable(obj),
        };
        if !is_made || self.host.record_class(obj).is_some() {
            return Ok(None);
        }
        let Some(source) = self.source(class) else { return Ok(None) };
        let new = self.class_method(obj, "__new__", Some(source));
        let (made, by_object) = match new {
            Some(ClassAttr::Builtin(..)) if is_exception => (self.new_exception(class, args)?, false),
            Some(ClassAttr::Builtin(method, _))
                if let Some(made) = self.new_value(&method, class, args, keywords)? =>
            {
                (made, false)
            }
            Some(ClassAttr::Builtin(method, _)) if method.ends_with(".__new__") => (self.new_instance(class)?, true),
            Some(ClassAttr::Function(function) | ClassAttr::StaticMethod(function)) => {
                let source = self.sources.attr(source, "__new__");
                let function = self.lazy(function, source);
                (self.call(function, [&[class], args].concat(), keywords.clone())?, false)
            }
            _ => return Ok(None),
        };
        let made = self.force(made)?;
        match self.instance(made)? {
            Some(instance) if instance.class == obj || self.host.is_subclass(instance.class, obj) == Some(true) => {
                self.initialize(instance, args, keywords, by_object)?;
            }
            // What is none of its instances is not initialised.
            _ => {}
        }
        Ok(Some(made))
    }

    /// Calls `__init__` of an object that was just made.
    fn initialize(&mut self, instance: Instance, args: &[ValueId], keywords: &Keywords, by_object: bool) -> Traced<()> {
        let refused = || raised("TypeError: __init__");
        match self.class_attr(instance, "__init__")? {
            Some((ClassAttr::Function(function), source)) => {
                let function = self.member(function, source);
                let all = [&[instance.this], args].concat();
                let result = self.call(function, all, keywords.clone())?;
                match self.get(result)? {
                    Value::Const(Constant::None) => Ok(()),
                    _ => Err(raised("TypeError: __init__() should return None")),
                }
            }
            Some((ClassAttr::Builtin(method, _), _)) if method == "builtins.object.__init__" => {
                // With `__new__` of its own the class has used the arguments.
                if by_object && !(args.is_empty() && keywords.is_empty()) { Err(refused()) } else { Ok(()) }
            }
            Some((ClassAttr::Builtin(method, _), _)) => {
                let all = [&[instance.this], args].concat();
                self.call_builtin(&method, &all, keywords.clone())?;
                Ok(())
            }
            _ => Err(Reason::new(Kind::Call, format!("`__init__` of {}.", self.describe(instance.this)))),
        }
    }

    /// The method by which a class's metaclass calls it.
    fn call_of_metaclass(&mut self, class: Obj, source: SourceId) -> Option<ClassAttr> {
        let meta = self.host.class_of(class);
        let source = self.sources.step(source, Step::Type);
        self.class_method(meta, "__call__", Some(source))
    }
}
