//! `torch._foreach_*`: one operation on each tensor of a list, written into the graph one by one.
//!
//! Semantics: lists are walked together, everything else is given to each; an in-place form gives its first argument
//! back, the others a tuple. A fused kernel computes the same element by element. Lists are grouped by device and type
//! where they make one group; of several, the order is that of a hash table.

use crate::{
    reason::{Kind, Reason},
    trace::{
        Traced, Tracer,
        core::{
            state::State,
            value::{Keywords, Value, ValueId},
        },
        signature::{Bound, Row, row},
    },
};
use fx::Kind as NodeKind;

/// The prefix of the functions' names.
const PREFIX: &str = "torch._foreach_";

/// The operations, as functions of torch and methods of tensors.
const OPS: &str = "abs add addcdiv addcmul ceil clamp_max clamp_min cos cosh copy div erf erfc exp expm1 floor frac lerp \
    lgamma log log10 log1p log2 maximum minimum mul neg norm pow reciprocal round rsqrt sigmoid sign sin sinh sqrt sub tan \
    tanh trunc zero";

pub(in crate::trace) const ROWS: &[Row] =
    &[row("torch._C._group_tensors_by_device_and_dtype(tensorlistlist, with_indices=False)", group)];

/// The one group of lists whose tensors are all of one device and type.
fn group(t: &mut Tracer<'_>, b: &Bound<'_>) -> Traced {
    let refused = |why: &str| Reason::new(Kind::Call, format!("`{}` of {why}.", b.name()));
    let lists = t.items_of(b.arg(0)?)?.ok_or_else(|| refused("no list"))?;
    let mut kinds = Vec::new();
    for list in lists {
        for tensor in t.items_of(list)?.ok_or_else(|| refused("no lists"))? {
            let Value::Tensor(node) = t.get(tensor)? else { return Err(refused("lists with no tensors in them")) };
            let meta = t.graph.torch[node].tensor_meta().ok_or_else(|| refused("lists of unknown tensors"))?;
            kinds.push((meta.device, meta.dtype));
        }
    }
    kinds.dedup();
    match kinds.len() {
        1 => t.call_ours(b, "group_tensors_by_device_and_dtype"),
        0 => Err(refused("empty lists")),
        _ => Err(refused("tensors of several devices or types")),
    }
}

impl Tracer<'_> {
    /// `torch._foreach_*`; `None` for any other function, and for one that does not go tensor by tensor.
    pub(in crate::trace) fn call_foreach(
        &mut self,
        name: &str,
        args: &[ValueId],
        keywords: &Keywords,
    ) -> Traced<Option<ValueId>> {
        let Some(op) = name.strip_prefix(PREFIX) else { return Ok(None) };
        let (op, in_place) = op.strip_suffix('_').map_or((op, false), |op| (op, true));
        if !OPS.split_whitespace().any(|known| known == op) {
            return Ok(None);
        }
        let lists = args.iter().map(|&arg| self.items_of(arg)).collect::<Traced<Vec<_>>>()?;
        let mut lengths = lists.iter().flatten().map(Vec::len);
        let uneven = || Reason::new(Kind::Call, format!("`{name}` of lists that are not of one length."));
        let len = lengths.next().filter(|&len| len > 0).ok_or_else(uneven)?;
        if !lengths.all(|other| other == len) || in_place && lists[0].is_none() {
            return Err(uneven());
        }
        for (_, &whole) in lists.iter().zip(args).filter(|(list, _)| list.is_none()) {
            if let Value::Tensor(node) = self.get(whole)?
                && !self.graph.torch[node].tensor_meta().is_some_and(|meta| meta.sizes.is_empty())
            {
                return Err(Reason::new(Kind::Call, format!("`{name}` with a tensor that is no scalar.")));
            }
        }
        let mut results = Vec::new();
        for at in 0..len {
            let pick = |(list, &whole): (&Option<Vec<ValueId>>, &ValueId)| list.as_ref().map_or(whole, |list| list[at]);
            let picked: Vec<ValueId> = lists.iter().zip(args).map(pick).collect();
            results.push(self.call_one(op, in_place, picked, keywords.clone())?);
        }
        Ok(Some(if in_place { self.force(args[0])? } else { self.value(Value::Tuple(results)) }))
    }

    /// The operation on one tensor of each list.
    fn call_one(&mut self, op: &str, in_place: bool, mut args: Vec<ValueId>, mut keywords: Keywords) -> Traced {
        if matches!(op, "addcdiv" | "addcmul") && args.len() > 3 {
            keywords.push(("value".to_owned(), args.remove(3)));
        }
        match op {
            "norm" => self.call_torch(NodeKind::CallFunction, "torch.linalg.vector_norm", None, &args, keywords),
            // `torch.maximum` and `torch.minimum` take no numbers.
            "maximum" | "minimum" if !self.is_second_tensor(&args)? => {
                let clamp = if op == "maximum" { "clamp_min" } else { "clamp_max" };
                self.call_one(clamp, in_place, args, keywords)
            }
            // Tensors have no such methods.
            "maximum" | "minimum" if in_place => {
                let result = self.call_torch(NodeKind::CallFunction, &format!("torch.{op}"), None, &args, keywords)?;
                self.call_method(args[0], "copy_", &[result], vec![])
            }
            _ if in_place => self.call_method(args[0], &format!("{op}_"), &args[1..], keywords),
            _ => self.call_torch(NodeKind::CallFunction, &format!("torch.{op}"), None, &args, keywords),
        }
    }

    /// True if the second of a call's arguments is a tensor.
    fn is_second_tensor(&mut self, args: &[ValueId]) -> Traced<bool> {
        args.get(1).map_or(Ok(false), |&second| Ok(matches!(self.get(second)?, Value::Tensor(_))))
    }

    /// The items of a list or tuple; `None` for anything else.
    pub(in crate::trace) fn items_of(&mut self, value: ValueId) -> Traced<Option<Vec<ValueId>>> {
        Ok(match self.get(value)? {
            Value::Tuple(items) => Some(items),
            Value::State(state) => match self.heap.get(state) {
                State::List(items) => Some(items.clone()),
                _ => None,
            },
            _ => None,
        })
    }
}
