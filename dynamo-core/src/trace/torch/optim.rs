//! Optimisers of `torch.optim`, whose Python code is traced: what it asks, and where it differs while it is compiled.
//!
//! Source: `torch/_dynamo/variables/optimizer.py`. As there, the step counts of Adam and its like stay tensors
//! (`capturable=True`), so that a step reads nothing back; bias corrections are rounded as tensors round.

use crate::{
    host::Lookup,
    trace::{
        Traced, Tracer,
        core::value::{Function, Keywords, ValueId},
    },
};
use guards::Constant;

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
