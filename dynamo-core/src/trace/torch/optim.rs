//! Optimisers of `torch.optim`, whose Python code is traced: what it asks, and where it differs while it is compiled.
//!
//! Source: `torch/_dynamo/variables/optimizer.py`. As there, the step counts of Adam and its like stay tensors
//! (`capturable=True`), so that a step reads nothing back; bias corrections are rounded as tensors round.

use crate::{
    host::Lookup,
    trace::{
        Traced, Tracer,
        core::value::{Function, Keywords, Value, ValueId},
    },
};
use fx::Kind as NodeKind;
use guards::Constant;
use symshapes::{DType, DTypeClass};

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

/// `tensor.addcdiv_(a, b, value=tensor)`, which eager reads the number from: as torch's Dynamo has it, what is added is
/// computed apart. `None` for any other call.
pub(in crate::trace) fn add_quotient(
    t: &mut Tracer<'_>,
    this: ValueId,
    args: &[ValueId],
    keywords: &Keywords,
) -> Traced<Option<ValueId>> {
    let (&[_, _], [(name, value)]) = (args, &keywords[..]) else { return Ok(None) };
    if name != "value" || number_in(t, *value)?.is_none() {
        return Ok(None);
    }
    let quotient = t.call_torch(NodeKind::CallFunction, "torch.div", None, args, vec![])?;
    let scaled = t.call_torch(NodeKind::CallFunction, "torch.mul", None, &[quotient, *value], vec![])?;
    t.call_method(this, "add_", &[scaled], vec![]).map(Some)
}

/// `tensor.add_(a, alpha=tensor)`, and its like, which eager reads the number from: the multiple is computed apart, for
/// floats of one type. `None` for any other call.
pub(in crate::trace) fn add_multiple(
    t: &mut Tracer<'_>,
    this: ValueId,
    method: &str,
    args: &[ValueId],
    keywords: &Keywords,
) -> Traced<Option<ValueId>> {
    let (&[other], [(name, alpha)]) = (args, &keywords[..]) else { return Ok(None) };
    if name != "alpha" || number_in(t, *alpha)?.map(DType::class) != Some(DTypeClass::Float) {
        return Ok(None);
    }
    let mut float_of = |value| match t.get(value)? {
        Value::Tensor(node) => {
            let dtype = t.graph.torch[node].tensor_meta().map(|meta| meta.dtype);
            Traced::Ok(dtype.filter(|dtype| dtype.class() == DTypeClass::Float))
        }
        _ => Ok(None),
    };
    let (Some(one), Some(added)) = (float_of(this)?, float_of(other)?) else { return Ok(None) };
    if one != added {
        return Ok(None);
    }
    let multiple = t.call_torch(NodeKind::CallFunction, "torch.mul", None, &[other, *alpha], vec![])?;
    t.call_method(this, method, &[multiple], vec![]).map(Some)
}

/// The element type of a tensor without dimensions that autograd does not follow: a number that a call would read.
fn number_in(t: &mut Tracer<'_>, value: ValueId) -> Traced<Option<DType>> {
    let Value::Tensor(node) = t.get(value)? else { return Ok(None) };
    let meta = t.graph.torch[node].tensor_meta().filter(|meta| meta.sizes.is_empty() && !meta.requires_grad);
    Ok(meta.map(|meta| meta.dtype))
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
