//! Classes of values: `type`, `isinstance`, `issubclass`, `callable`.

use crate::{
    reason::{Kind, Reason},
    trace::{
        Traced, Tracer,
        core::{
            context::EXIT_STACK,
            state::{Exhausted, Iter, Sort, State},
            value::{Value, ValueId},
        },
        signature::{Row, row},
    },
};
use guards::Constant;

/// The class of modules' parameters.
const PARAMETER: &str = "torch.nn.parameter.Parameter";

pub(in crate::trace) const ROWS: &[Row] = &[
    row("builtins.isinstance(obj, class_or_tuple, /)", |t, b| {
        let is = is_instance(t, b.arg(0)?, b.arg(1)?)?;
        Ok(t.constant(Constant::Bool(is)))
    }),
    row("builtins.issubclass(cls, class_or_tuple, /)", |t, b| {
        let is = t.is_subclass(b.arg(0)?, b.arg(1)?)?;
        Ok(t.constant(Constant::Bool(is)))
    }),
    row("builtins.type(object, bases=..., dict=..., /, **kwds)", |t, b| type_of(t, b.arg(0)?)),
    row("builtins.callable(obj, /)", |t, b| {
        let is = is_callable(t, b.arg(0)?)?;
        Ok(t.constant(Constant::Bool(is)))
    }),
];

/// `callable(value)`
pub(in crate::trace) fn is_callable(t: &mut Tracer<'_>, value: ValueId) -> Traced<bool> {
    Ok(match t.get(value)? {
        Value::Function(_)
        | Value::Method { .. }
        | Value::Partial(..)
        | Value::Getter(..)
        | Value::SortKey(..)
        | Value::Decorated(..)
        | Value::Exit(..)
        | Value::Builtin(_)
        | Value::BoundBuiltin { .. }
        | Value::Class(..) => true,
        Value::NdArray { .. } => false,
        Value::Object(..) | Value::Instance(_) => return t.is_callable_object(value),
        Value::TypeExpr(..) => return Err(Reason::new(Kind::Call, "`callable` of a type that is made of others.")),
        Value::Context(_) => return Err(Reason::new(Kind::Call, "`callable` of a context manager.")),
        _ => false,
    })
}

/// `isinstance(value, class)`
pub(in crate::trace) fn is_instance(t: &mut Tracer<'_>, value: ValueId, class: ValueId) -> Traced<bool> {
    let options = match t.get(class)? {
        Value::Tuple(items) => items,
        _ => vec![class],
    };
    let unknown = |t: &mut Tracer<'_>| Reason::new(Kind::Call, format!("`isinstance` of {}.", t.describe(value)));
    let own = classes(t, value)?;
    for option in options {
        if let Value::Tuple(_) = t.get(option)? {
            if is_instance(t, value, option)? {
                return Ok(true);
            }
            continue;
        }
        if let Some([a, b]) = t.members_of_union(option)? {
            if is_instance(t, value, a)? || is_instance(t, value, b)? {
                return Ok(true);
            }
            continue;
        }
        let Value::Class(name, class) = t.get(option)? else { return Err(unknown(t)) };
        t.keep_check(option, "__instancecheck__")?;
        let is = match own {
            Some(_) if name == PARAMETER && t.may_be_parameter(value)? => return Err(unknown(t)),
            Some(own) if own.contains(&name.as_str()) => true,
            Some(_) if PLAIN_CLASSES.contains(&name.as_str()) => false,
            // A buffer is a tensor with a mark, of which the class's metaclass knows.
            Some(own) if t.is_tensor_class(class) => {
                let is_marked = name != PARAMETER && own.contains(&"torch.Tensor");
                is_marked && t.checked_by_metaclass(value, option)?.unwrap_or(false)
            }
            None if t.is_of_tensor_class(value, class)? => true,
            _ => match t.is_of_class(value, class)? {
                Some(is) => is,
                None => t.checked_by_metaclass(value, option)?.ok_or_else(|| unknown(t))?,
            },
        };
        if is {
            return Ok(true);
        }
    }
    Ok(false)
}

/// `type(value)`
pub(in crate::trace) fn type_of(t: &mut Tracer<'_>, value: ValueId) -> Traced {
    if let Some(class) = t.type_of_object(value)? {
        return Ok(class);
    }
    if t.may_be_parameter(value)? {
        return Err(Reason::new(Kind::Call, "`type` of what may be a parameter."));
    }
    let Some([own, ..]) = classes(t, value)? else {
        return Err(Reason::new(Kind::Call, format!("`type` of {}.", t.describe(value))));
    };
    match t.host.class_named(own) {
        Some(class) => Ok(t.value(Value::Class((*own).to_owned(), class))),
        None => Err(Reason::new(Kind::Call, format!("`type` of {}.", t.describe(value)))),
    }
}

/// The names of the classes of which a value is an instance, its own first; `None` if they are not all known.
pub(in crate::trace) fn classes(t: &mut Tracer<'_>, value: ValueId) -> Traced<Option<&'static [&'static str]>> {
    Ok(match t.get(value)? {
        Value::Const(constant) => match constant {
            Constant::None => Some(&["builtins.NoneType"]),
            Constant::Bool(_) => Some(&["builtins.bool", "builtins.int"]),
            Constant::Int(_) | Constant::BigInt(_) => Some(&["builtins.int"]),
            Constant::Float(_) => Some(&["builtins.float"]),
            Constant::Complex(..) => Some(&["builtins.complex"]),
            Constant::Str(_) => Some(&["builtins.str"]),
            Constant::Bytes(_) => Some(&["builtins.bytes"]),
            Constant::FrozenSet(_) => Some(&["builtins.frozenset"]),
            Constant::DType(_) => Some(&["torch.dtype"]),
            Constant::Device(_) => Some(&["torch.device"]),
            _ => None,
        },
        Value::SymInt { .. } => Some(&["builtins.int"]),
        Value::SymFloat { .. } => Some(&["builtins.float"]),
        Value::SymBool { .. } => Some(&["builtins.bool", "builtins.int"]),
        Value::Tensor(node) if t.is_parameter(node) => Some(&[PARAMETER, "torch.Tensor"]),
        Value::Tensor(_) => Some(&["torch.Tensor"]),
        Value::NdArray { is_scalar: false, .. } => Some(&["numpy.ndarray"]),
        Value::Tuple(_) => Some(&["builtins.tuple"]),
        Value::Size(_) => Some(&["torch.Size", "builtins.tuple"]),
        Value::Range(_) => Some(&["builtins.range"]),
        Value::Slice(_) => Some(&["builtins.slice"]),
        Value::Partial(..) => Some(&["functools.partial"]),
        Value::Getter("operator.itemgetter", ..) => Some(&["operator.itemgetter"]),
        Value::Getter("operator.attrgetter", ..) => Some(&["operator.attrgetter"]),
        Value::Getter(..) => Some(&["operator.methodcaller"]),
        Value::Function(_) => Some(&["builtins.function"]),
        Value::Method { function, .. } if matches!(t.get(function)?, Value::Function(_)) => Some(&["builtins.method"]),
        Value::Module(..) => Some(&["builtins.module"]),
        Value::WeakRef(_) => Some(&["weakref.ReferenceType"]),
        Value::Builtin(_) => match t.class_of_builtin(value)? {
            class if class.is_some() && class == t.host.class_named("types.BuiltinFunctionType") => {
                Some(&["types.BuiltinFunctionType"])
            }
            _ => None,
        },
        Value::State(state) => match t.heap.sort(state) {
            Sort::List => Some(&["builtins.list"]),
            Sort::Dict => Some(t.heap.table(state).classes()),
            Sort::Deque => Some(&["collections.deque"]),
            Sort::Set => Some(&["builtins.set"]),
            Sort::Stack => Some(&[EXIT_STACK]),
            Sort::Iter => match t.heap.get(state) {
                State::Iter(iter) => class_of_iterator(iter),
                _ => None,
            },
            Sort::Cell | Sort::Instance | Sort::Slot => None,
        },
        _ => None,
    })
}

/// The name of the class of an iterator that is a class of its own among the builtins, or a generator.
fn class_of_iterator(iter: &Iter) -> Option<&'static [&'static str]> {
    Some(match iter {
        Iter::Map(..) | Iter::Done(Exhausted::Map) => &["builtins.map"],
        Iter::Filter(..) | Iter::Done(Exhausted::Filter) => &["builtins.filter"],
        Iter::Zip(..) | Iter::Done(Exhausted::Zip) => &["builtins.zip"],
        Iter::Enumerate(..) | Iter::Done(Exhausted::Enumerate) => &["builtins.enumerate"],
        Iter::Generator(_) | Iter::Running => &["builtins.generator"],
        _ => return None,
    })
}

/// Classes that know nothing of instances beyond inheritance.
const PLAIN_CLASSES: &[&str] = &[
    "builtins.bool",
    "builtins.int",
    "builtins.float",
    "builtins.complex",
    "builtins.str",
    "builtins.bytes",
    "builtins.tuple",
    "builtins.list",
    "builtins.dict",
    "builtins.set",
    "builtins.frozenset",
    "builtins.range",
    "builtins.slice",
    "builtins.NoneType",
    "builtins.function",
    "builtins.method",
    "builtins.module",
    "torch.Size",
    "torch.dtype",
    "torch.device",
    "numpy.ndarray",
    "torch.Tensor",
    "torch.nn.Parameter",
    "torch.nn.parameter.Parameter",
    "torch.nn.modules.module.Module",
];
