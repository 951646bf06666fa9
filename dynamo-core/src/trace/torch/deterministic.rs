//! Deterministic algorithms: whether torch's operators may give different results for the same operands.
//!
//! Setting the mode is a node of the graph, as in torch's own: the operators before it run in the mode of the call,
//! those after it in the new one, which outlasts the call. Only graphs that run as they are may have one.

use crate::{
    reason::{Kind, Reason},
    trace::{
        Traced, Tracer,
        core::{
            modes::Deterministic,
            value::{Value, ValueId},
        },
        signature::{Bound, Row, row},
        torch::questions::asked,
    },
};
use fx::Arg;
use guards::Constant;

const SET: &str = "torch.use_deterministic_algorithms";

pub(in crate::trace) const ROWS: &[Row] = &[
    row("torch.use_deterministic_algorithms(mode, *, warn_only=False)", set),
    row("torch.are_deterministic_algorithms_enabled()", |t, b| question(t, b, |mode| mode.enabled)),
    row("torch.is_deterministic_algorithms_warn_only_enabled()", |t, b| question(t, b, |mode| mode.warn_only)),
];

fn set(t: &mut Tracer<'_>, b: &Bound<'_>) -> Traced {
    let enabled = flag(t, b.arg(0)?)?;
    let warn_only = b.opt(1).map_or(Ok(false), |warn_only| flag(t, warn_only))?;
    if !t.options.inference {
        return Err(Reason::new(Kind::Context, format!("`{SET}`, of which the backend makes no graph.")));
    }
    if t.graph.effects.retries {
        return Err(Reason::new(Kind::MayFail, format!("`{SET}`.")));
    }
    let node = t.emit_effect(SET, vec![Arg::Bool(enabled)]);
    t.graph.torch[node].kwargs = vec![("warn_only".to_owned(), Arg::Bool(warn_only))];
    t.graph.lowered.lacks(SET);
    t.graph.effects.changes = true;
    t.modes.deterministic = Some(Deterministic { enabled, warn_only });
    Ok(t.none())
}

fn flag(t: &mut Tracer<'_>, value: ValueId) -> Traced<bool> {
    match t.get(value)? {
        Value::Const(Constant::Bool(flag)) => Ok(flag),
        _ => Err(Reason::new(Kind::Call, format!("`{SET}` of something that is no bool."))),
    }
}

/// A question about the mode: it is what the program has set, or as it was at the call, under a guard.
fn question(t: &mut Tracer<'_>, b: &Bound<'_>, of: fn(Deterministic) -> bool) -> Traced {
    match t.modes.deterministic {
        Some(mode) => Ok(t.constant(Constant::Bool(of(mode)))),
        None => asked(t, b, "torch"),
    }
}
