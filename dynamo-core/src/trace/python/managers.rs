//! Managers of `contextlib`.

use crate::{
    reason::{Kind, Reason},
    trace::{
        core::{context::Context, value::Value},
        signature::{Row, row},
    },
};

pub(in crate::trace) const ROWS: &[Row] = &[
    row("contextlib.nullcontext(enter_result=None)", |t, b| Ok(t.value(Value::Context(Context::Null(b.opt(0)))))),
    row("contextlib.closing(thing)", |t, b| {
        let thing = b.arg(0)?;
        Ok(t.value(Value::Context(Context::Closing(thing))))
    }),
    row("contextlib.suppress(*exceptions)", |t, b| {
        let classes = b.rest().to_vec();
        Ok(t.value(Value::Context(Context::Suppress(classes))))
    }),
    row("contextlib._GeneratorContextManager(func, args, kwds)", |t, b| {
        let (function, args, named) = (b.arg(0)?, t.listed_items(b.arg(1)?)?, t.keywords_of(b.arg(2)?)?);
        match t.generator_manager(function, args, named)? {
            Some(manager) => Ok(manager),
            None => Err(Reason::new(Kind::Context, "A manager of what is no generator.")),
        }
    }),
    row("contextlib.nullcontext.__exit__(self, *excinfo)", |t, b| {
        b.call();
        Ok(t.none())
    }),
];
