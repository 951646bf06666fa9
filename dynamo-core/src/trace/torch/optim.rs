//! Optimisers of `torch.optim`, whose Python code is traced: what it asks, and where it differs while it is compiled.
//!
//! Source: `torch/_dynamo/variables/optimizer.py`. As there, the step counts of Adam and its like stay tensors
//! (`capturable=True`), so that a step reads nothing back; bias corrections are rounded as tensors round.

use crate::{
    host::Lookup,
    trace::{
        Traced, Tracer,
        call::Keywords,
        signature::{Row, row},
        value::{Function, Value, ValueId},
    },
};
use guards::{Constant, GuardKind, Step};

/// What the code asks of torch.
pub(in crate::trace) const ROWS: &[Row] = &[row("torch._C._get_privateuse1_backend_name()", |t, _| {
    let folded = t.fold("torch._C._get_privateuse1_backend_name", &[])?;
    if let Value::Const(name) = t.get(folded)? {
        let module = t.sources.module("torch._C");
        let method = t.sources.string("_get_privateuse1_backend_name");
        let source = t.sources.step(module, Step::Call0(method));
        let name = t.sources.constant(name);
        t.guard(source, GuardKind::EqualsMatch(name));
    }
    Ok(folded)
})];

/// The arguments of a call of one of torch's functional optimisers, which compute step counts by tensors.
pub(in crate::trace) fn capturable(t: &mut Tracer<'_>, function: &str, mut keywords: Keywords) -> Traced<Keywords> {
    if function.starts_with("torch.optim.") {
        for (name, value) in &mut keywords {
            if name == "capturable" {
                *value = t.constant(Constant::Bool(true));
            }
        }
    }
    Ok(keywords)
}

/// The function that prepares an optimiser's state, which torch's Dynamo, once it is there, has wrapped so that nobody
/// traces it.
pub(in crate::trace) fn prepares_state(t: &mut Tracer<'_>, function: &Function) -> Option<ValueId> {
    let own = function.name.starts_with("torch.optim.") && function.name.ends_with("._init_group");
    let (true, Some(obj), Some(source)) = (own, function.object, function.globals.owner.expand()) else { return None };
    match t.host.attr(obj, "_torchdynamo_orig_callable") {
        Lookup::Found(wrapped) => {
            let source = t.sources.attr(source, "_torchdynamo_orig_callable");
            Some(t.lazy(wrapped, source))
        }
        _ => None,
    }
}
