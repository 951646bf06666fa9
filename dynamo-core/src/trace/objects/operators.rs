//! Binary operators and comparisons of objects, by the special methods of both operands.
//!
//! Invariant: methods are asked in CPython's order: the right operand first if its class comes from the left one's and
//! has a method of its own; a method that gives `NotImplemented` is passed over.

use super::{Instance, Tracer};
use crate::{
    bytecode::{Comparison, operands::BinaryOperator},
    host::{ClassAttr, EnumMember},
    reason::Reason,
    trace::{
        Traced,
        core::{
            state,
            value::{Value, ValueId},
        },
        values::singletons::is_singleton,
    },
};
use guards::Constant;

/// The outcomes of asking a special method of an operand.
pub(super) enum Answer {
    /// The class has no such method, or it knows nothing of the other operand.
    Pass,
    /// A result.
    Given(ValueId),
}

impl Tracer<'_> {
    /// `a + b`, or `a += b`, by the name in `operator`, where an operand is an object; `None` if neither is.
    pub(in crate::trace) fn binary_objects(
        &mut self,
        name: &str,
        changes: bool,
        a: ValueId,
        b: ValueId,
    ) -> Traced<Option<ValueId>> {
        let (left, right) = (self.instance(a)?, self.instance(b)?);
        if left.is_none() && right.is_none() {
            return Ok(None);
        }
        if let Some(result) = self.binary_of_held(name, changes, a, b)? {
            return Ok(Some(result));
        }
        // A list takes in what an iterable gives that has no operator of its own.
        if let (None, Some(right), true) = (left, right, changes && name == "add")
            && let Value::State(state) = self.get(a)?
            && self.heap.sort(state) == state::Sort::List
            && self.class_attr(right, "__radd__")?.is_none()
        {
            return Ok(None);
        }
        let plain = name.trim_end_matches('_');
        let [method, reflected, in_place] = ["", "r", "i"].map(|prefix| format!("__{prefix}{plain}__"));
        if let (Some(left), true) = (left, changes)
            && let Answer::Given(result) = self.ask(left, &in_place, b)?
        {
            return Ok(Some(result));
        }
        let mut order = Vec::new();
        if let Some(left) = left {
            order.push((left, &method, b));
        } else if !self.passes_on_objects(name, a)? && !self.is_tensor_beside(a, right)? {
            return Err(self.no_operator(name, a, b));
        }
        if let Some(right) = right.filter(|right| left.is_none_or(|left| left.class != right.class)) {
            let first = self.comes_first(left, a, right, Some(&reflected))?;
            order.insert(if first { 0 } else { order.len() }, (right, &reflected, a));
        }
        if right.is_none() && !self.passes_on_objects(name, b)? && !self.is_tensor_beside(b, left)? {
            // What the other operand would do is asked last.
            order.truncate(1);
            if let Some(&(this, method, other)) = order.first()
                && let Answer::Given(result) = self.ask(this, method, other)?
            {
                return Ok(Some(result));
            }
            return Err(self.no_operator(name, a, b));
        }
        for (this, method, other) in order {
            if let Answer::Given(result) = self.ask(this, method, other)? {
                return Ok(Some(result));
            }
        }
        let symbol = match (BinaryOperator::named(name), name) {
            (Some((BinaryOperator::Power, _)), _) if !changes => "** or pow()".to_owned(),
            (Some((operator, _)), _) => format!("{}{}", operator.symbol(), if changes { "=" } else { "" }),
            (None, _) => format!("{name}()"),
        };
        match (self.operand_class(a)?, self.operand_class(b)?) {
            (Some(a), Some(b)) => {
                Err(Reason::raised(&format!("TypeError: unsupported operand type(s) for {symbol}: '{a}' and '{b}'"))
                    .verbatim())
            }
            _ => Err(self.no_operator(name, a, b)),
        }
    }

    /// True for a tensor whose operators give `NotImplemented` for the object on the other side: torch takes no object
    /// for a number, whatever methods it has, and asks only those with `__torch_function__`.
    fn is_tensor_beside(&mut self, tensor: ValueId, other: Option<Instance>) -> Traced<bool> {
        let (Value::Tensor(_), Some(other)) = (self.get(tensor)?, other) else { return Ok(false) };
        let base = self.host.solid_base(other.class);
        let is_plain = matches!(base.as_deref(), Some("builtins.object" | "builtins.dict" | "builtins.list"));
        Ok(is_plain && !self.host.is_immutable(other.class) && self.class_attr(other, "__torch_function__")?.is_none())
    }

    /// `__name__` of the class of an operand, as errors tell it; `None` for what has other errors, or other methods.
    fn operand_class(&mut self, value: ValueId) -> Traced<Option<String>> {
        Ok(match self.get(value)? {
            Value::Object(..) | Value::Instance(_) => self.class_name_of(value),
            Value::Const(Constant::Int(_)) => Some("int".to_owned()),
            Value::Const(Constant::Float(_)) => Some("float".to_owned()),
            Value::Const(Constant::None) => Some("NoneType".to_owned()),
            _ => None,
        })
    }

    /// The `TypeError` of a unary operator that an object does not have; `None` for what is no object.
    pub(in crate::trace) fn no_unary(&mut self, symbol: &str, value: ValueId, method: &str) -> Traced<Option<Reason>> {
        let Some(instance) = self.instance(value)? else { return Ok(None) };
        if self.class_attr(instance, method)?.is_some() {
            return Ok(None);
        }
        let class = self.class_name_of(value);
        Ok(class
            .map(|class| Reason::raised(&format!("TypeError: bad operand type for {symbol}: '{class}'")).verbatim()))
    }

    /// A comparison where an operand is an object; `None` if neither is.
    pub(in crate::trace) fn compare_objects(
        &mut self,
        comparison: Comparison,
        a: ValueId,
        b: ValueId,
    ) -> Traced<Option<ValueId>> {
        let (left, right) = (self.instance(a)?, self.instance(b)?);
        if left.is_none() && right.is_none() || self.has_own_equality(left, right)? {
            return Ok(None);
        }
        let method = |comparison: Comparison| format!("__{}__", comparison.name());
        let (direct, reflected) = (method(comparison), method(comparison.reflected()));
        if let Some(result) = self.compare_held(comparison, [&direct, &reflected], a, b)? {
            return Ok(Some(result));
        }
        let mut order = Vec::new();
        if let Some(left) = left {
            order.push((left, direct, b));
        } else if !self.passes_on_objects("eq", a)? && !self.is_tensor_beside(a, right)? {
            return Err(self.no_operator(comparison.name(), a, b));
        }
        if right.is_none() && matches!(self.get(b)?, Value::Tensor(_)) && !self.is_tensor_beside(b, left)? {
            return Err(self.no_operator(comparison.name(), a, b));
        }
        if let Some(right) = right {
            let first = self.comes_first(left, a, right, None)?;
            order.insert(if first { 0 } else { order.len() }, (right, reflected, a));
        }
        for (this, method, other) in order {
            if let Answer::Given(result) = self.ask_comparison(this, &method, other)? {
                return Ok(Some(result));
            }
        }
        let equal = match comparison {
            Comparison::Eq => self.is_same(a, b)?,
            Comparison::Ne => !self.is_same(a, b)?,
            _ => {
                return match (self.operand_class(a)?, self.operand_class(b)?) {
                    (Some(a), Some(b)) => {
                        let text =
                            format!("'{}' not supported between instances of '{a}' and '{b}'", comparison.symbol());
                        Err(Reason::raised(&format!("TypeError: {text}")).verbatim())
                    }
                    _ => Err(self.no_operator(comparison.name(), a, b)),
                };
            }
        };
        Ok(Some(self.constant(Constant::Bool(equal))))
    }

    /// True for members of enumerations and layouts, which are compared otherwise.
    fn has_own_equality(&mut self, left: Option<Instance>, right: Option<Instance>) -> Traced<bool> {
        for instance in [left, right].into_iter().flatten() {
            if let Value::Object(class, obj) = self.objects.values[instance.this].clone()
                && (is_singleton(&class) || self.host.enum_member(obj) == Some(EnumMember::Itself))
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// True if the right operand's method is asked before the left one's: its class comes from the left one's, and for
    /// operators the method is not the one that the left one's class has.
    fn comes_first(
        &mut self,
        left: Option<Instance>,
        a: ValueId,
        right: Instance,
        reflected: Option<&str>,
    ) -> Traced<bool> {
        let left_class = match left {
            Some(left) => Some(left.class),
            None => self.class_of(a)?,
        };
        let Some(left_class) = left_class else { return Ok(false) };
        if left_class == right.class || self.host.is_subclass(right.class, left_class) != Some(true) {
            return Ok(false);
        }
        let Some(reflected) = reflected else { return Ok(true) };
        for operand in left.into_iter().chain([right]) {
            self.guard_class_attr(operand, reflected)?;
        }
        let inherited = self.host.class_attr(left_class, reflected, None).map(|(_, found)| found);
        let own = self.host.class_attr(right.class, reflected, None).map(|(_, found)| found);
        Ok(own.is_some() && own != inherited)
    }

    /// True for what is no object of the program's and gives `NotImplemented` for those.
    fn passes_on_objects(&mut self, name: &str, value: ValueId) -> Traced<bool> {
        Ok(match self.get(value)? {
            Value::Const(Constant::Str(_) | Constant::Bytes(_)) => name != "mod",
            Value::Const(_)
            | Value::SymInt { .. }
            | Value::SymFloat { .. }
            | Value::SymBool { .. }
            | Value::Tuple(_)
            | Value::Size(_)
            | Value::Class(..)
            | Value::Function(_) => true,
            Value::State(state) => {
                !matches!(self.heap.sort(state), state::Sort::Iter | state::Sort::Cell | state::Sort::Stack)
            }
            _ => false,
        })
    }

    fn ask(&mut self, this: Instance, method: &str, other: ValueId) -> Traced<Answer> {
        match self.class_attr(this, method)? {
            None => Ok(Answer::Pass),
            Some((ClassAttr::Builtin(function, _), _))
                if let Some(answer) = self.ask_held(this, &function, other)? =>
            {
                Ok(answer)
            }
            Some((ClassAttr::Function(_) | ClassAttr::Builtin(..), _)) => {
                let result = self.call_special(this.this, method, &[other])?;
                let result = result.ok_or_else(|| self.no_method(this, method))?;
                self.answer(result)
            }
            Some(_) => Err(self.no_method(this, method)),
        }
    }

    /// As [`Tracer::ask`], where `object` has a method that knows nothing but identity.
    fn ask_comparison(&mut self, this: Instance, method: &str, other: ValueId) -> Traced<Answer> {
        match self.class_attr(this, method)? {
            Some((ClassAttr::Builtin(name, _), _)) if name.starts_with("builtins.object.") => {
                if method != "__ne__" {
                    return Ok(Answer::Pass);
                }
                match self.ask_comparison(this, "__eq__", other)? {
                    Answer::Pass => Ok(Answer::Pass),
                    Answer::Given(equal) => self.negation(equal).map(Answer::Given),
                }
            }
            _ => self.ask(this, method, other),
        }
    }

    fn answer(&mut self, result: ValueId) -> Traced<Answer> {
        let result = self.force(result)?;
        Ok(if self.is_not_implemented(result) { Answer::Pass } else { Answer::Given(result) })
    }

    /// True for `NotImplemented`.
    pub(super) fn is_not_implemented(&self, value: ValueId) -> bool {
        let value = self.objects.forced.get(&value).copied().unwrap_or(value);
        matches!(&self.objects.values[value], Value::Object(class, _) if class == "builtins.NotImplementedType")
    }

    fn no_method(&mut self, this: Instance, method: &str) -> Reason {
        Reason::new(crate::reason::Kind::Operator, format!("`{method}` of {}.", self.describe(this.this)))
    }
}
