//! Functions of `torch.nn.functional` that torch's Dynamo does not put into the graph but traces: each calls one other
//! function of torch, with all arguments in their order.

use super::{
    Traced,
    builtin::Rule,
    call::Keywords,
    items::raised,
    value::{Value, ValueId},
};
use crate::reason::{Kind, Reason};
use fx::Kind as NodeKind;
use guards::Constant;

pub(super) const RULES: &[(&str, Rule)] = &[
    ("torch.nn.functional.pad", |t, args, keywords| {
        let (mode, none) = (t.constant(Constant::Str("constant".to_owned())), t.none());
        let rest = [("mode", mode), ("value", none)];
        let bound = bind(["input", "pad"], rest, args, keywords)?;
        t.call_torch(NodeKind::CallFunction, "torch._C._nn.pad", None, &bound, vec![])
    }),
    ("torch.nn.functional.rms_norm", |t, args, keywords| {
        let none = t.none();
        let bound = bind(["input", "normalized_shape"], [("weight", none), ("eps", none)], args, keywords)?;
        t.call_torch(NodeKind::CallFunction, "torch.rms_norm", None, &bound, vec![])
    }),
    ("torch.nn.functional._threshold", |t, args, keywords| {
        let no = t.constant(Constant::Bool(false));
        let mut bound = bind(["input", "threshold", "value"], [("inplace", no)], args, keywords)?;
        let in_place = bound.pop().map(|value| t.get(value)).transpose()?;
        if !matches!(in_place, Some(Value::Const(Constant::Bool(false)))) {
            return Err(Reason::new(Kind::Mutation, "`torch.threshold_`."));
        }
        let result = t.call_torch(NodeKind::CallFunction, "torch.threshold", None, &bound, vec![])?;
        t.name_after(result, "result");
        Ok(result)
    }),
];

/// The arguments in the order of the parameters: those without a default, then those with one.
fn bind<const N: usize, const M: usize>(
    required: [&str; N],
    optional: [(&str, ValueId); M],
    args: &[ValueId],
    keywords: &Keywords,
) -> Traced<Vec<ValueId>> {
    let params = required.into_iter().map(|name| (name, None));
    let params: Vec<_> = params.chain(optional.into_iter().map(|(name, default)| (name, Some(default)))).collect();
    let wrong = |what: &str| raised(&format!("TypeError: {what}"));
    if args.len() > params.len() || keywords.iter().any(|(given, _)| params.iter().all(|(name, _)| given != name)) {
        return Err(wrong("an argument too many"));
    }
    let place = |(i, (name, default)): (usize, (&str, Option<ValueId>))| {
        let named = keywords.iter().find(|(given, _)| given == name).map(|&(_, value)| value);
        args.get(i).copied().or(named).or(default)
    };
    params.into_iter().enumerate().map(place).collect::<Option<_>>().ok_or_else(|| wrong("an argument is missing"))
}
