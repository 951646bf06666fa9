//! `functools`, and what `inspect` tells of functions.

use crate::{
    bytecode::Version,
    reason::{Kind, Reason},
    trace::{
        Traced, Tracer,
        core::{
            state::State,
            value::{Function, Value, ValueId},
        },
        python::sums,
        signature::{Row, row},
    },
};
use indexmap::IndexMap;

/// The number of wrappers around a function up to which they are taken off.
const MOST_WRAPPERS: usize = 64;

pub(in crate::trace) const ROWS: &[Row] = &[
    row("inspect.unwrap(func, *, stop=None)", |t, b| {
        let (mut function, stop) = (b.arg(0)?, t.unless_none(b.opt(1))?);
        for _ in 0..MOST_WRAPPERS {
            let is_class = matches!(t.get(function)?, Value::Class(..));
            if is_class && t.host.version() >= Version::V312 {
                return Ok(function);
            }
            let wrapped = match t.get_attr(function, "__wrapped__") {
                Err(reason) if t.lacks_attr(&reason) => {
                    t.forget_raised();
                    return Ok(function);
                }
                wrapped => wrapped?,
            };
            if let Some(stop) = stop {
                let stops = t.call(stop, vec![function], vec![])?;
                if t.truth(stops)? {
                    return Ok(function);
                }
            }
            function = wrapped;
        }
        Err(Reason::new(Kind::Call, "`inspect.unwrap` of too many wrappers."))
    }),
    row("builtins.mappingproxy(mapping)", |t, b| t.read_only(b.arg(0)?)),
    row("functools.partial(func, /, *args, **keywords)", |t, b| {
        let (function, rest, keywords) = (b.arg(0)?, b.rest(), b.extra());
        // One of another one takes that one's arguments over.
        Ok(match t.get(function)? {
            Value::Partial(inner, first, _) if t.is_taken_over(function)? => {
                let mut all: IndexMap<String, ValueId> = t.keywords_of_partial(function)?.into_iter().collect();
                all.extend(keywords.clone());
                t.value(Value::Partial(inner, [&first, rest].concat(), all.into_iter().collect()))
            }
            _ => t.value(Value::Partial(function, rest.to_vec(), keywords.clone())),
        })
    }),
    row("_functools.reduce functools.reduce(function, iterable, initial=..., /)", |t, b| {
        let function = b.arg(0)?;
        sums::accumulate(t, b.arg(1)?, b.opt(2), |t, total, item| t.call(function, vec![total, item], vec![]))
    }),
];

/// The function within `functools.singledispatch` that chooses by a class, and its variable that holds the choices.
const DISPATCH: (&str, &str) = ("functools.singledispatch.<locals>.dispatch", "registry");

impl Tracer<'_> {
    /// The function that `functools.singledispatch` chooses for a class, as Python of our own finds it; `None` for any
    /// other call.
    pub(in crate::trace) fn dispatch_by_class(
        &mut self,
        called: &Function,
        args: &[ValueId],
    ) -> Traced<Option<ValueId>> {
        let (function, variable) = DISPATCH;
        let (true, &[class]) = (called.name == function, args) else { return Ok(None) };
        let at = called.code.object.freevars.iter().position(|name| name == variable);
        let Some(&cell) = at.and_then(|at| called.closure.get(at)) else { return Ok(None) };
        let State::Cell(Some(registry)) = *self.cell(cell)? else { return Ok(None) };
        let dispatch = self.of_module("rust_inductor._library", "dispatch")?;
        let chosen = self.call(dispatch, vec![class, registry], vec![])?;
        if let (Some(function), Value::Class(_, class)) = (called.object, self.get(class)?) {
            self.host.keep_choice(function, class);
        }
        Ok(Some(chosen))
    }
}
