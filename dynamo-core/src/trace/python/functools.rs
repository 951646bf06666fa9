//! `functools`, and what `inspect` tells of functions.

use crate::{
    host::Lookup,
    reason::{Kind, Reason},
    trace::{
        Traced, Tracer,
        core::value::{Value, ValueId},
        python::sums,
        signature::{Row, row},
    },
};
use indexmap::IndexMap;

pub(in crate::trace) const ROWS: &[Row] = &[
    row("inspect.signature(obj, *, follow_wrapped=True, globals=None, locals=None, eval_str=False)", |t, b| {
        let (function, bound) = match t.get(b.arg(0)?)? {
            Value::Method { function, .. } => (function, true),
            _ => (b.arg(0)?, false),
        };
        let found = match t.get(function)? {
            Value::Function(function) => function.object,
            _ => None,
        };
        let signature = found.and_then(|function| t.host.signature(function, bound));
        let signature = signature.ok_or_else(|| Reason::new(Kind::Call, "`inspect.signature` of such an object."))?;
        Ok(t.value(Value::Lazy(signature)))
    }),
    row("functools.partial(func, /, *args, **keywords)", |t, b| {
        let (function, rest, keywords) = (b.arg(0)?, b.rest(), b.extra());
        // One of another one takes that one's arguments over.
        Ok(match t.get(function)? {
            Value::Partial(inner, first, named) => {
                t.keeps_keywords(function)?;
                let mut all: IndexMap<String, ValueId> = named.into_iter().collect();
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

impl Tracer<'_> {
    /// Ends the graph where the program has changed the keyword arguments of a `functools.partial`, which the trace has
    /// read before.
    pub(in crate::trace) fn keeps_keywords(&mut self, partial: ValueId) -> Traced<()> {
        let partial = self.force(partial)?;
        let Some(found) = self.found_object(partial) else { return Ok(()) };
        if let Lookup::Found(keywords) = self.host.attr(found, "keywords")
            && let Some(&known) = self.objects.known.get(&keywords)
            && let Value::State(state) = self.objects.values[known]
            && self.heap.changed().contains(&state)
        {
            return Err(Reason::new(Kind::Mutation, "The keyword arguments of a `functools.partial`."));
        }
        Ok(())
    }
}
