//! Functions of `torch.nn.functional` that torch's Dynamo does not put into the graph but traces: each calls one other
//! function of torch, with all arguments in their order.

use crate::{
    reason::{Kind, Reason},
    trace::{
        core::value::Value,
        signature::{Row, row},
    },
};
use fx::Kind as NodeKind;
use guards::Constant;

pub(in crate::trace) const ROWS: &[Row] = &[
    row("torch.nn.functional.pad(input, pad, mode='constant', value=None)", |t, b| {
        let mode = b.opt(2).unwrap_or_else(|| t.constant(Constant::Str("constant".to_owned())));
        let args = [b.arg(0)?, b.arg(1)?, mode, b.opt(3).unwrap_or_else(|| t.none())];
        t.call_torch(NodeKind::CallFunction, "torch._C._nn.pad", None, &args, vec![])
    }),
    row("torch.nn.functional.rms_norm(input, normalized_shape, weight=None, eps=None)", |t, b| {
        let none = t.none();
        let args = [b.arg(0)?, b.arg(1)?, b.opt(2).unwrap_or(none), b.opt(3).unwrap_or(none)];
        t.call_torch(NodeKind::CallFunction, "torch.rms_norm", None, &args, vec![])
    }),
    row("torch.nn.functional._threshold(input, threshold, value, inplace=False)", |t, b| {
        let in_place = b.opt(3).map(|value| t.get(value)).transpose()?;
        if !matches!(in_place, None | Some(Value::Const(Constant::Bool(false)))) {
            return Err(Reason::new(Kind::Mutation, "`torch.threshold_`."));
        }
        let args = [b.arg(0)?, b.arg(1)?, b.arg(2)?];
        let result = t.call_torch(NodeKind::CallFunction, "torch.threshold", None, &args, vec![])?;
        t.name_after(result, "result");
        Ok(result)
    }),
];

/// The function's own name, if a node's `stack_trace` ends in its line.
pub(in crate::trace) fn traced(name: &str) -> Option<&'static str> {
    let names = ROWS.iter().filter_map(|row| row.text.split('(').next());
    names.into_iter().find(|&known| known == name)
}
