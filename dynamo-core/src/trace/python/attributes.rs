//! Attributes by name: `getattr`, `hasattr`, `setattr`, `delattr`, `vars`.

use crate::{
    reason::{Kind, Reason, raised},
    trace::{
        Traced, Tracer,
        core::value::{Value, ValueId},
        signature::{Row, row},
    },
};
use guards::Constant;

/// Attributes that every tensor has, and that no graph reads.
pub(in crate::trace) const UNREAD: &[&str] = &["is_leaf", "grad_fn", "grad", "_version", "names"];

pub(in crate::trace) const ROWS: &[Row] = &[
    row("builtins.getattr(object, name, default=..., /)", |t, b| {
        let (value, name, default) = (b.arg(0)?, name_of(t, b.arg(1)?)?, b.opt(2));
        match (t.get_attr(value, &name), default) {
            (Err(reason), Some(default)) if t.lacks_attr(&reason) => {
                t.forget_raised();
                Ok(default)
            }
            (Ok(found), Some(_)) => {
                t.guard_attr(value, &name, found)?;
                Ok(found)
            }
            (found, _) => found,
        }
    }),
    row("builtins.hasattr(obj, name, /)", |t, b| {
        let (value, name) = (b.arg(0)?, name_of(t, b.arg(1)?)?);
        if let Some(present) = t.has_attr_of_partial(value, &name)? {
            return Ok(t.constant(Constant::Bool(present)));
        }
        let present = match t.get_attr(value, &name) {
            _ if UNREAD.contains(&name.as_str()) && matches!(t.get(value)?, Value::Tensor(_)) => true,
            Ok(found) => {
                t.guard_attr(value, &name, found)?;
                true
            }
            Err(reason) if t.lacks_attr(&reason) => {
                t.forget_raised();
                false
            }
            Err(reason) => return Err(reason),
        };
        Ok(t.constant(Constant::Bool(present)))
    }),
    row("builtins.vars(object=..., /)", |t, b| {
        let Some(object) = b.opt(0) else { return Err(Reason::new(Kind::Call, "`vars` of the caller.")) };
        match t.get_attr(object, "__dict__") {
            Err(reason) if t.lacks_attr(&reason) => {
                t.forget_raised();
                Err(raised("TypeError: vars() argument must have __dict__ attribute"))
            }
            found => found,
        }
    }),
    row("builtins.delattr(obj, name, /)", |t, b| {
        let name = name_of(t, b.arg(1)?)?;
        t.delete_attr(b.arg(0)?, &name)?;
        Ok(t.none())
    }),
    row("builtins.setattr(obj, name, value, /)", |t, b| {
        let name = name_of(t, b.arg(1)?)?;
        t.set_attr(b.arg(0)?, &name, b.arg(2)?)?;
        Ok(t.none())
    }),
];

fn name_of(t: &mut Tracer<'_>, name: ValueId) -> Traced<String> {
    match t.get(name)? {
        Value::Const(Constant::Str(name)) => Ok(name),
        _ => Err(raised("TypeError: attribute name must be string")),
    }
}
