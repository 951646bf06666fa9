//! Objects whose classes come from `tuple`, `int`, `float`, `str`, `frozenset` or `set`: how they are made, and what
//! the methods and operators of those classes do with what the objects hold.
//!
//! Invariants:
//! - operators of these classes give plain values, never an object of the subclass;
//! - where a class has a method in Python in the place of the base's, that one is asked.

use super::{Body, Instance, Tracer, operators::Answer};
use crate::{
    bytecode::{Comparison, operands::BinaryOperator},
    host::{ClassAttr, Obj, View},
    reason::{Kind, Reason},
    trace::{
        Traced,
        core::{
            state::{self, Base, State},
            value::{Keywords, Value, ValueId},
        },
        python::{builtins, operators},
    },
};
use guards::Constant;
use indexmap::IndexMap;

/// The classes whose objects are given what they hold when they are made, and keep it.
const VALUES: [&str; 5] = ["builtins.float", "builtins.frozenset", "builtins.int", "builtins.str", "builtins.tuple"];

/// The classes whose operators are called on what objects hold.
const CONTAINERS: [&str; 3] = ["builtins.frozenset", "builtins.set", "builtins.tuple"];

/// The classes of numbers and texts.
const SCALARS: [&str; 3] = ["builtins.float", "builtins.int", "builtins.str"];

/// The classes whose `__new__` makes an empty object, whatever it is given.
const EMPTY: [&str; 4] = ["builtins.dict", "builtins.list", "builtins.set", "collections.OrderedDict"];

/// True for a class whose objects are given what they hold when they are made.
pub(in crate::trace) fn is_of_values(class: &str) -> bool {
    VALUES.contains(&class)
}

/// A method by its dotted name, if one of `classes` has it: the class, and the name without underscores of a special
/// method.
fn special_of<'a>(function: &'a str, classes: &[&str]) -> Option<(&'a str, &'a str)> {
    let (class, method) = function.rsplit_once('.')?;
    let name = method.strip_prefix("__")?.strip_suffix("__")?;
    classes.contains(&class).then_some((class, name))
}

/// The method of `operator` of a special method's name, and whether the operands are the other way round.
pub(super) fn operator_of(name: &str) -> Option<(&str, bool)> {
    let is_operator = |name: &str| BinaryOperator::named(name).is_some() || Comparison::named(name).is_some();
    match name {
        "and" => Some(("and_", false)),
        "or" => Some(("or_", false)),
        "rand" => Some(("and_", true)),
        "ror" => Some(("or_", true)),
        _ if is_operator(name) => Some((name, false)),
        _ => name.strip_prefix('r').filter(|name| is_operator(name)).map(|name| (name, true)),
    }
}

impl Tracer<'_> {
    /// True for what the trace reads of an object of the caller's that holds a value: its class has the methods of its
    /// base by which guards read it again.
    pub(super) fn shows_value(&mut self, instance: Instance, view: &View) -> Traced<bool> {
        let asked: &[&str] = match view {
            View::Tuple(_) => &["__len__"],
            View::Set(_) => &["__len__", "__iter__", "__contains__"],
            View::Constant(Constant::Int(_) | Constant::BigInt(_) | Constant::Float(_) | Constant::Str(_)) => {
                &["__getnewargs__"]
            }
            _ => return Ok(false),
        };
        if self.has_own_getattribute(instance.this)? {
            return Ok(false);
        }
        for name in asked {
            if !matches!(self.class_attr(instance, name)?, Some((ClassAttr::Builtin(..), _))) {
                return Ok(false);
            }
            if let Body::Found(obj) = instance.body
                && self.host.instance_attr(obj, name).is_some()
            {
                return Ok(false);
            }
            self.guard_not_own(instance, name);
        }
        Ok(true)
    }

    /// The tuple, set, number or text that an object of the program's holds; `None` for what holds another thing, or
    /// nothing.
    pub(super) fn held_value(&mut self, value: ValueId) -> Traced<Option<ValueId>> {
        if let Some(value) = self.enum_value(value)? {
            return Ok(Some(value));
        }
        let Some(instance) = self.instance(value)? else { return Ok(None) };
        let base = self.host.solid_base(instance.class);
        match base.as_deref() {
            Some(base) if VALUES.contains(&base) || CONTAINERS.contains(&base) => self.held(value),
            _ => Ok(None),
        }
    }

    /// The number or text that an object holds whose class comes from `int`, `float` or `str`.
    pub(super) fn held_scalar(&mut self, value: ValueId) -> Traced<Option<ValueId>> {
        let Some(held) = self.held_value(value)? else { return Ok(None) };
        let known = self.get(held)?;
        let is_scalar = known.is_number() || matches!(known, Value::Const(Constant::Str(_) | Constant::BigInt(_)));
        Ok(is_scalar.then_some(held))
    }

    /// An object as torch takes it for an argument: the tensor that it is, or the number, text or tuple that it holds,
    /// whatever its class's methods do.
    pub(in crate::trace) fn value_as_argument(&mut self, value: ValueId) -> Traced<Option<ValueId>> {
        if let Some(tensor) = self.tensor_of_subclass(value)? {
            return Ok(Some(tensor));
        }
        Ok(match self.held_value(value)? {
            Some(held) if matches!(self.get(held)?, Value::State(_) | Value::Const(Constant::FrozenSet(_))) => None,
            held => held,
        })
    }

    /// The items of an object whose class comes from `tuple`; nothing for any other object.
    pub(in crate::trace) fn held_items(&mut self, value: ValueId) -> Traced<Vec<ValueId>> {
        let Some(instance) = self.instance(value)? else { return Ok(Vec::new()) };
        if self.host.solid_base(instance.class).as_deref() != Some("builtins.tuple") {
            return Ok(Vec::new());
        }
        let Some(held) = self.held(value)? else { return Ok(Vec::new()) };
        Ok(match self.get(held)? {
            Value::Tuple(items) => items,
            _ => Vec::new(),
        })
    }

    /// An object that is taken for an index: the integer that it holds, whatever its class's `__index__` gives, or what
    /// that gives; `None` for an object without such a method, and for what is no object.
    pub(in crate::trace) fn object_as_index(&mut self, value: ValueId) -> Traced<Option<ValueId>> {
        match self.held_scalar(value)? {
            Some(held) if self.is_integer(held)? => Ok(Some(held)),
            _ => self.call_special(value, "__index__", &[]),
        }
    }

    pub(super) fn is_integer(&mut self, value: ValueId) -> Traced<bool> {
        Ok(matches!(self.get(value)?, Value::SymInt { .. } | Value::Const(Constant::Int(_) | Constant::BigInt(_))))
    }

    /// The number that an object holds whose class comes from `int` or `float`.
    pub(in crate::trace) fn held_number(&mut self, value: ValueId) -> Traced<Option<ValueId>> {
        let Some(held) = self.held_scalar(value)? else { return Ok(None) };
        let is_text = matches!(self.get(held)?, Value::Const(Constant::Str(_)));
        Ok((!is_text).then_some(held))
    }

    /// True for an object that is the only operand of `%` of a text, and is not asked first.
    pub(in crate::trace) fn is_lone_operand(&mut self, value: ValueId) -> Traced<bool> {
        let (Some(instance), Some(held)) = (self.instance(value)?, self.held_value(value)?) else { return Ok(true) };
        Ok(match self.get(held)? {
            Value::Const(Constant::Str(_)) => self.leaves_to_base(instance, &["__rmod__"])?,
            Value::Tuple(_) => false,
            _ => true,
        })
    }

    /// The value that an object is equal to, and as which it is hashed, by the methods of its base.
    pub(super) fn value_as_key(&mut self, value: ValueId) -> Traced<Option<ValueId>> {
        if let Some(value) = self.enum_value(value)? {
            return Ok(Some(value));
        }
        let Some(instance) = self.instance(value)? else { return Ok(None) };
        let Some(held) = self.held_value(value)? else { return Ok(None) };
        if matches!(self.get(held)?, Value::State(_)) {
            return Ok(None);
        }
        Ok(self.leaves_to_base(instance, &["__eq__", "__hash__"])?.then_some(held))
    }

    /// True if the class of an object has no method in Python of these names.
    fn leaves_to_base(&mut self, instance: Instance, methods: &[&str]) -> Traced<bool> {
        for method in methods {
            if !matches!(self.class_attr(instance, method)?, None | Some((ClassAttr::Builtin(..), _))) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// An operand of an operator without its class: what an object holds, where that has none of these methods in
    /// Python, and what is no object of the program's; `None` for any other object.
    fn plain_operand(&mut self, value: ValueId, methods: &[&str]) -> Traced<Option<ValueId>> {
        let Some(instance) = self.instance(value)? else { return Ok(Some(value)) };
        match self.held_value(value)? {
            Some(held) if self.enum_value(value)?.is_none() && self.leaves_to_base(instance, methods)? => {
                Ok(Some(held))
            }
            _ => Ok(None),
        }
    }

    /// A binary operator on objects whose classes leave it to their base; `None` if another operand takes part.
    pub(super) fn binary_of_held(
        &mut self,
        name: &str,
        changes: bool,
        a: ValueId,
        b: ValueId,
    ) -> Traced<Option<ValueId>> {
        let Some((operator, _)) = BinaryOperator::named(name) else { return Ok(None) };
        let plain = name.trim_end_matches('_');
        if let Some(result) = self.plain_and_held_number(operator, a, b)? {
            return Ok(Some(result));
        }
        let methods = ["", "r", "i"].map(|prefix| format!("__{prefix}{plain}__"));
        let methods: Vec<&str> = methods.iter().map(String::as_str).take(if changes { 3 } else { 2 }).collect();
        let (Some(x), Some(y)) = (self.plain_operand(a, &methods)?, self.plain_operand(b, &methods)?) else {
            return Ok(None);
        };
        // Errors name the classes of the objects.
        let result = self.changes_held(a, x, changes)?;
        let combined = self.binary(operator, result, x, y).map_err(|reason| self.uncaught(reason))?;
        Ok(Some(if result { a } else { combined }))
    }

    /// A binary operator on a plain number and an object that holds one which the plain number's class knows: that
    /// class is asked first, unless the object's comes from it.
    fn plain_and_held_number(&mut self, operator: BinaryOperator, a: ValueId, b: ValueId) -> Traced<Option<ValueId>> {
        let (None, Some(held)) = (self.instance(a)?, self.held_scalar(b)?) else { return Ok(None) };
        let knows = match self.get(a)? {
            Value::SymFloat { .. } | Value::Const(Constant::Float(_)) => self.is_integer(held)?,
            Value::SymBool { .. } | Value::Const(Constant::Bool(_)) => self.is_integer(held)?,
            _ => false,
        };
        if !knows {
            return Ok(None);
        }
        self.binary(operator, false, a, held).map(Some).map_err(|reason| self.uncaught(reason))
    }

    /// Whether an operator in place changes what an object holds.
    ///
    /// # Errors
    /// If it would change an object of the caller's.
    fn changes_held(&mut self, object: ValueId, held: ValueId, changes: bool) -> Traced<bool> {
        let is_set = matches!(self.get(held)?, Value::State(_));
        match self.instance(object)? {
            Some(Instance { body: Body::Found(_), .. }) if changes && is_set => {
                Err(Reason::new(Kind::Mutation, format!("A change of {}.", self.describe(object))))
            }
            Some(_) => Ok(changes && is_set),
            None => Ok(changes),
        }
    }

    /// A comparison of objects whose classes leave it to their base; `None` if another operand takes part.
    pub(super) fn compare_held(
        &mut self,
        comparison: Comparison,
        methods: [&str; 2],
        a: ValueId,
        b: ValueId,
    ) -> Traced<Option<ValueId>> {
        let (Some(x), Some(y)) = (self.plain_operand(a, &methods)?, self.plain_operand(b, &methods)?) else {
            return Ok(None);
        };
        self.compare(comparison, x, y).map(Some).map_err(|reason| self.uncaught(reason))
    }

    /// The operands of an operator on a tensor and an object that holds a number, which a tensor takes for the number.
    pub(in crate::trace) fn tensor_and_held_number(
        &mut self,
        name: &str,
        a: ValueId,
        b: ValueId,
    ) -> Traced<Option<(ValueId, ValueId)>> {
        Ok(match (self.get(a)?, self.get(b)?) {
            (Value::Tensor(_), Value::Object(..) | Value::Instance(_)) => self.held_scalar(b)?.map(|b| (a, b)),
            (Value::Object(..) | Value::Instance(_), Value::Tensor(_)) => {
                let method = format!("__{}__", name.trim_end_matches('_'));
                let Some(instance) = self.instance(a)? else { return Ok(None) };
                match self.held_scalar(a)? {
                    Some(held) if self.leaves_to_base(instance, &[&method])? => Some((held, b)),
                    _ => None,
                }
            }
            _ => None,
        })
    }

    /// An operator or comparison by a method of one of Python's own classes on an object that holds a value of it;
    /// `None` for any other method or object.
    pub(super) fn ask_held(&mut self, this: Instance, method: &str, other: ValueId) -> Traced<Option<Answer>> {
        if let Some((_, name)) = special_of(method, &SCALARS) {
            let Some(value) = self.held_scalar(this.this)? else { return Ok(None) };
            return self.ask_scalar(name, value, other);
        }
        match special_of(method, &CONTAINERS) {
            Some((class, name)) if operator_of(name).is_some() => {
                let result = self.operator_of_container(class, name, this.this, other)?;
                let unknown = || Reason::new(Kind::Operator, format!("`{method}` of an object."));
                result.map(|result| Some(Answer::Given(result))).ok_or_else(unknown)
            }
            _ => Ok(None),
        }
    }

    fn ask_scalar(&mut self, name: &str, value: ValueId, other: ValueId) -> Traced<Option<Answer>> {
        let other = self.held_scalar(other)?.unwrap_or(other);
        let is_text = |value: &Value| matches!(value, Value::Const(Constant::Str(_)));
        let (own, known) = (self.get(value)?, self.get(other)?);
        if is_text(&own) != is_text(&known) || !is_text(&own) && !known.is_number() {
            return Ok(Some(Answer::Pass));
        }
        let Some((operator, is_reflected)) = operator_of(name) else { return Ok(None) };
        let (a, b) = if is_reflected { (other, value) } else { (value, other) };
        Ok(operators::call_binary(self, operator, a, b)?.map(Answer::Given))
    }

    /// An operator or comparison by a method of `tuple`, `set` or `frozenset`; `None` for an operand that it knows
    /// nothing of.
    fn operator_of_container(
        &mut self,
        class: &str,
        name: &str,
        this: ValueId,
        other: ValueId,
    ) -> Traced<Option<ValueId>> {
        let Some((operator, is_reflected)) = operator_of(name) else { return Ok(None) };
        let (value, operand) = (self.container_of(this)?, self.container_of(other)?);
        let knows = match (self.get(value)?, self.get(operand)?, class, operator) {
            (Value::Tuple(_), Value::Const(Constant::Int(_)) | Value::SymInt { .. }, "builtins.tuple", "mul") => true,
            (Value::Tuple(_), Value::Tuple(_) | Value::Record(..), "builtins.tuple", operator) => operator != "mul",
            (
                Value::State(_) | Value::Const(Constant::FrozenSet(_)),
                Value::State(_) | Value::Const(Constant::FrozenSet(_)),
                "builtins.set" | "builtins.frozenset",
                _,
            ) => self.is_set(value)? && self.is_set(operand)?,
            _ => false,
        };
        if !knows {
            return Ok(None);
        }
        let (a, b) = if is_reflected { (operand, value) } else { (value, operand) };
        let changes = matches!(BinaryOperator::named(operator), Some((_, true)));
        if changes && !self.changes_held(this, value, true)? {
            return Ok(None);
        }
        let result = operators::call_binary(self, operator, a, b)?;
        Ok(if changes { result.map(|_| this) } else { result })
    }

    fn container_of(&mut self, value: ValueId) -> Traced {
        Ok(self.held_value(value)?.unwrap_or(value))
    }

    fn is_set(&mut self, value: ValueId) -> Traced<bool> {
        Ok(match self.get(value)? {
            Value::State(state) => self.heap.sort(state) == state::Sort::Set,
            value => matches!(value, Value::Const(Constant::FrozenSet(_))),
        })
    }

    /// A special method of `tuple`, `set` or `frozenset` beside those that all containers have; `None` for any other
    /// function.
    pub(super) fn call_special_of_container(&mut self, function: &str, args: &[ValueId]) -> Traced<Option<ValueId>> {
        let Some((class, name)) = special_of(function, &CONTAINERS) else { return Ok(None) };
        match (name, args) {
            ("repr", &[this]) if class == "builtins.tuple" => {
                let held = self.container_of(this)?;
                Ok(self.repr(held)?.map(|text| self.constant(Constant::Str(text))))
            }
            ("hash", &[this]) => {
                let held = self.container_of(this)?;
                self.call_builtin("builtins.hash", &[held], vec![]).map(Some)
            }
            (_, &[this, other]) => self.operator_of_container(class, name, this, other),
            _ => Ok(None),
        }
    }

    /// A method of `int`, `float` or `str` on an object that holds one; `None` for any other function or object.
    pub(in crate::trace) fn call_on_held_scalar(
        &mut self,
        function: &str,
        args: &[ValueId],
        keywords: &Keywords,
    ) -> Traced<Option<ValueId>> {
        let (Some((class, method)), Some((&this, rest))) = (function.rsplit_once('.'), args.split_first()) else {
            return Ok(None);
        };
        if !SCALARS.contains(&class) {
            return Ok(None);
        }
        let Some(value) = self.held_scalar(this)? else { return Ok(None) };
        Ok(Some(match (special_of(function, &SCALARS).map(|(_, name)| name), rest) {
            (Some("index" | "int" | "pos" | "trunc"), []) if class == "builtins.int" => value,
            (Some("float"), []) if class == "builtins.float" => value,
            (Some("str"), []) if class == "builtins.str" => value,
            (Some("bool"), []) => {
                let truth = self.truth(value)?;
                self.constant(Constant::Bool(truth))
            }
            (Some("len"), []) => builtins::length(self, value)?,
            (Some("iter"), []) => self.iterate(value)?,
            (Some("contains"), &[item]) => {
                let item = self.held_scalar(item)?.unwrap_or(item);
                let found = self.contains(value, item)?;
                self.constant(Constant::Bool(found))
            }
            (Some("getitem"), &[key]) => self.get_item(value, key)?,
            (Some(name), &[other]) if operator_of(name).is_some() && !self.suits(class, value, other)? => {
                return Err(Reason::new(Kind::Operator, format!("`{function}` of {}.", self.describe(other))));
            }
            (Some(name), &[other]) if operator_of(name).is_some() => match self.ask_scalar(name, value, other)? {
                Some(Answer::Given(result)) => result,
                _ => return Ok(None),
            },
            _ => self.call_method(value, method, rest, keywords.clone())?,
        }))
    }

    /// True for an operand of which a method of `int`, `float` or `str` gives something else than `NotImplemented`.
    fn suits(&mut self, class: &str, value: ValueId, other: ValueId) -> Traced<bool> {
        let other = self.held_scalar(other)?.unwrap_or(other);
        let (own, other) = (self.get(value)?, self.get(other)?);
        Ok(match class {
            "builtins.str" => matches!((own, other), (Value::Const(Constant::Str(_)), Value::Const(Constant::Str(_)))),
            "builtins.int" => matches!(other, Value::Const(Constant::Int(_)) | Value::SymInt { .. }),
            _ => other.is_number() && !matches!(other, Value::SymBool { .. }),
        })
    }

    /// `__new__` of one of Python's own classes, called by the name of that class; `None` for any other function.
    pub(in crate::trace) fn call_new(
        &mut self,
        function: &str,
        args: &[ValueId],
        keywords: &Keywords,
    ) -> Traced<Option<ValueId>> {
        let Some(base) = function.strip_suffix(".__new__") else { return Ok(None) };
        let Some((&class, rest)) = args.split_first() else { return Ok(None) };
        let Value::Class(_, obj) = self.get(class)? else { return Ok(None) };
        if EMPTY.contains(&base) && self.host.solid_base(obj).as_deref() == Some(base) && !self.host.is_immutable(obj) {
            return self.new_instance(class).map(Some);
        }
        self.new_value(function, class, rest, keywords)
    }

    /// A new object that holds a value, made by `__new__` of the class of Python's own that its class comes from;
    /// `None` for any other function.
    pub(super) fn new_value(
        &mut self,
        function: &str,
        class: ValueId,
        args: &[ValueId],
        keywords: &Keywords,
    ) -> Traced<Option<ValueId>> {
        let Some(base) = function.strip_suffix(".__new__").filter(|base| is_of_values(base)) else { return Ok(None) };
        let class = self.force(class)?;
        let Value::Class(name, obj) = self.objects.values[class].clone() else { return Ok(None) };
        let refused = || Reason::new(Kind::Call, format!("Making a `{name}`."));
        if self.host.record_class(obj).is_some() {
            return Ok(None);
        }
        if self.host.solid_base(obj).as_deref() != Some(base) || !self.can_be_made(obj) {
            return Err(refused());
        }
        let held = self.call_builtin(base, args, keywords.clone())?;
        let held = self.force(held)?;
        let fits = match (base, &self.objects.values[held]) {
            ("builtins.tuple", Value::Tuple(_))
            | ("builtins.int", Value::SymInt { .. } | Value::Const(Constant::Int(_) | Constant::BigInt(_)))
            | ("builtins.float", Value::SymFloat { .. } | Value::Const(Constant::Float(_)))
            | ("builtins.str", Value::Const(Constant::Str(_))) => true,
            ("builtins.frozenset", Value::Const(Constant::FrozenSet(items))) => items.len() <= MOST_FROZEN,
            _ => false,
        };
        if !fits {
            return Err(refused());
        }
        let base = Some(Base::Container(base.to_owned(), held));
        let state = self.heap.push(State::Instance(state::Instance { class, attrs: IndexMap::new(), base }), None);
        Ok(Some(self.value(Value::Instance(state))))
    }

    /// True for a class of the program's whose objects do nothing when they are dropped.
    fn can_be_made(&mut self, class: Obj) -> bool {
        !self.host.is_immutable(class) && !self.finalizes(class)
    }
}

/// The number of items of a frozen set up to which a copy of it gives them in the same order: its table never grows.
const MOST_FROZEN: usize = 4;
