//! Builtin functions that ask an object for a number or a text: `int(object)`, `round(object)`, `divmod(object, 2)`.

use super::Tracer;
use crate::{
    host::ClassAttr,
    reason::{Kind, Reason},
    trace::{
        Traced,
        core::value::{Keywords, Value, ValueId},
    },
};
use guards::Constant;

/// The class of the result that CPython takes from a special method.
#[derive(Clone, Copy)]
enum Gives {
    Int,
    Float,
    Complex,
    /// Whatever the method gives.
    Anything,
}

/// A function, and the special methods that it asks one after the other, each with the class of the result. A
/// result of another class than the last function's own is converted by it.
struct Conversion {
    function: &'static str,
    methods: &'static [(&'static str, Gives)],
    /// The number of arguments beside the object that the method gets, at most.
    most: usize,
}

const fn conversion(function: &'static str, methods: &'static [(&'static str, Gives)], most: usize) -> Conversion {
    Conversion { function, methods, most }
}

const CONVERSIONS: &[Conversion] = &[
    conversion("builtins.int", &[("__int__", Gives::Int), ("__index__", Gives::Int)], 0),
    conversion("builtins.float", &[("__float__", Gives::Float), ("__index__", Gives::Int)], 0),
    conversion(
        "builtins.complex",
        &[("__complex__", Gives::Complex), ("__float__", Gives::Float), ("__index__", Gives::Int)],
        0,
    ),
    conversion("operator.index", &[("__index__", Gives::Int)], 0),
    conversion("builtins.bin", &[("__index__", Gives::Int)], 0),
    conversion("builtins.hex", &[("__index__", Gives::Int)], 0),
    conversion("builtins.oct", &[("__index__", Gives::Int)], 0),
    conversion("builtins.chr", &[("__index__", Gives::Int)], 0),
    conversion("builtins.round", &[("__round__", Gives::Anything)], 1),
    conversion("math.floor", &[("__floor__", Gives::Anything), ("__float__", Gives::Float)], 0),
    conversion("math.ceil", &[("__ceil__", Gives::Anything), ("__float__", Gives::Float)], 0),
    conversion("math.trunc", &[("__trunc__", Gives::Anything)], 0),
    conversion("math.sqrt", &[("__float__", Gives::Float), ("__index__", Gives::Int)], 0),
    conversion("math.exp", &[("__float__", Gives::Float), ("__index__", Gives::Int)], 0),
    conversion("math.isnan", &[("__float__", Gives::Float), ("__index__", Gives::Int)], 0),
    conversion("math.isinf", &[("__float__", Gives::Float), ("__index__", Gives::Int)], 0),
    conversion("math.isfinite", &[("__float__", Gives::Float), ("__index__", Gives::Int)], 0),
];

impl Gives {
    /// True for a value that is exactly of the class: others are errors, or taken with a warning.
    fn admits(self, value: &Value) -> bool {
        match self {
            Gives::Int => {
                matches!(value, Value::SymInt { .. } | Value::Const(Constant::Int(_) | Constant::BigInt(_)))
            }
            Gives::Float => matches!(value, Value::SymFloat { .. } | Value::Const(Constant::Float(_))),
            Gives::Complex => matches!(value, Value::Const(Constant::Complex(..))),
            Gives::Anything => true,
        }
    }
}

impl Tracer<'_> {
    /// A call of a builtin function that asks its first argument, an object, for what it gives; `None` for any other
    /// function, and for an object that has no method in Python for it.
    pub(in crate::trace) fn ask_object(
        &mut self,
        function: &str,
        args: &[ValueId],
        keywords: &Keywords,
    ) -> Traced<Option<ValueId>> {
        if !keywords.is_empty() {
            return Ok(None);
        }
        match (function, args) {
            ("builtins.divmod", &[a, b]) => return self.binary_objects("divmod", false, a, b),
            ("builtins.pow", &[a, b]) => return self.binary_objects("pow", false, a, b),
            ("builtins.pow", &[a, b, modulus]) => return self.power_of_object(a, b, modulus),
            ("builtins.format", &[value]) => {
                let spec = self.constant(Constant::Str(String::new()));
                return self.own_format(value, spec);
            }
            ("builtins.format", &[value, spec]) => return self.own_format(value, spec),
            _ => {}
        }
        let Some(row) = CONVERSIONS.iter().find(|row| row.function == function) else { return Ok(None) };
        let Some((&value, mut rest)) = args.split_first() else { return Ok(None) };
        let Some(instance) = self.instance(value)? else { return Ok(None) };
        if rest.len() > row.most {
            return Ok(None);
        }
        if let [digits] = rest
            && matches!(self.get(*digits)?, Value::Const(Constant::None))
        {
            rest = &[];
        }
        for &(method, gives) in row.methods {
            // An integer of any class is its own index, and a text is read where it may be.
            let held = match (method, function) {
                ("__index__", "builtins.int" | "builtins.float" | "builtins.complex") => self.held_scalar(value)?,
                ("__index__", _) => match self.held_scalar(value)? {
                    Some(held) if self.is_integer(held)? => Some(held),
                    _ => None,
                },
                _ => None,
            };
            if let Some(held) = held {
                let result = self.call_builtin(function, &[&[held], rest].concat(), vec![]);
                // Errors name the class of the object.
                return result.map(Some).map_err(|reason| self.uncaught(reason));
            }
            match self.class_attr(instance, method)? {
                None => {}
                Some((ClassAttr::Function(_), _)) => {
                    let result = self.call_special(value, method, rest)?;
                    let unknown = || Reason::new(Kind::Call, format!("`{function}` of an object."));
                    let result = result.ok_or_else(unknown)?;
                    if !gives.admits(&self.get(result)?) {
                        return Err(Reason::new(Kind::Call, format!("`{function}` of {}.", self.describe(value))));
                    }
                    let is_result = match function {
                        "builtins.int" | "operator.index" => true,
                        "builtins.float" => matches!(gives, Gives::Float),
                        "builtins.complex" => matches!(gives, Gives::Complex),
                        _ => matches!(gives, Gives::Anything),
                    };
                    return match is_result {
                        true => Ok(Some(result)),
                        false => self.call_builtin(function, &[result], vec![]).map(Some),
                    };
                }
                Some((ClassAttr::Builtin(..), _)) if let Some(number) = self.held_scalar(value)? => {
                    return self.call_builtin(function, &[&[number], rest].concat(), vec![]).map(Some);
                }
                Some(_) => return Ok(None),
            }
        }
        Ok(None)
    }

    /// `pow(a, b, modulus)` by the method of `a`, which alone is asked.
    fn power_of_object(&mut self, a: ValueId, b: ValueId, modulus: ValueId) -> Traced<Option<ValueId>> {
        let Some(instance) = self.instance(a)? else { return Ok(None) };
        if !matches!(self.class_attr(instance, "__pow__")?, Some((ClassAttr::Function(_), _))) {
            return Ok(None);
        }
        let Some(result) = self.call_special(a, "__pow__", &[b, modulus])? else { return Ok(None) };
        Ok(Some(result).filter(|_| !self.is_not_implemented(result)))
    }
}
