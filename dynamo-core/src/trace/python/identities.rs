//! Object identity as Python and torch tell it, and values that are made of others as they are.

use crate::{
    reason::{Kind, Reason, raised},
    trace::{
        Traced, Tracer,
        core::value::Value,
        signature::{Bound, Row, row},
    },
};
use guards::{Constant, GuardKind};

pub(in crate::trace) const ROWS: &[Row] = &[
    row("builtins.id(obj, /)", identity),
    row("sys.intern(string, /)", |t, b| match t.get(b.arg(0)?)? {
        Value::Const(Constant::Str(_)) => b.arg(0),
        _ => Err(raised("TypeError: intern() argument must be str")),
    }),
    row("torch.Size(iterable=(), /)", size),
];

/// `id` of an object that the caller keeps alive, under a guard that it is the same one.
fn identity(t: &mut Tracer<'_>, b: &Bound<'_>) -> Traced {
    let value = t.force(b.arg(0)?)?;
    let obj = match &t.objects.values[value] {
        Value::Object(_, obj) | Value::Class(_, obj) | Value::Module(_, obj) => Some(*obj),
        Value::Function(function) => function.object,
        _ => None,
    };
    let (Some(obj), Some(source)) = (obj, t.source(value)) else {
        return Err(Reason::new(Kind::Call, format!("`id` of {}.", t.describe(value))));
    };
    let kind = GuardKind::IdMatch(t.object(obj));
    t.guard(source, kind);
    let address = t.host.address(obj);
    match i64::try_from(address) {
        Ok(address) => Ok(t.constant(Constant::Int(address))),
        Err(_) => Err(Reason::new(Kind::Call, "`id` of an object at a high address.")),
    }
}

/// `torch.Size` of integers.
fn size(t: &mut Tracer<'_>, b: &Bound<'_>) -> Traced {
    let items = b.opt(0).map_or(Ok(Vec::new()), |items| t.listed_items(items))?;
    for &item in &items {
        match t.get(item)? {
            Value::Const(Constant::Int(_)) | Value::SymInt { .. } => {}
            _ => return Err(Reason::new(Kind::Call, format!("`torch.Size` of {}.", t.describe(item)))),
        }
    }
    Ok(t.value(Value::Size(items)))
}
