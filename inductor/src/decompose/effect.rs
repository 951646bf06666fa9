//! Checks that torch keeps in order by tokens: `with_effects(token, operator, ...)` gives a token and the results.
//!
//! A check is a call without results, and such calls keep their order anyway. So a token is nothing: torch hands `None`
//! to the graph in its place, and drops what comes back.

use fx::aten::Aten;
use fx::{Arg, NodeId};

use super::{Decompose, Value};
use crate::calls::{self, CallKind};
use crate::tensor_ir::Call;

const WITH_EFFECTS: &str = "torch.ops.higher_order.with_effects";

/// The operators that only check, as torch prints them, and their targets.
const CHECKS: &[(&str, Aten)] =
    &[("<OpOverload(op='aten._linalg_check_errors', overload='default')>", Aten::_linalg_check_errors_default)];

impl Decompose<'_> {
    /// True for an input that is the token of checks and of nothing else.
    pub(super) fn is_token(&self, placeholder: NodeId) -> bool {
        let uses = |&user: &NodeId| {
            let user = &self.graph[user];
            user.target == WITH_EFFECTS && user.args.first().and_then(Arg::as_node) == Some(placeholder)
        };
        let effects = || self.graph.nodes().filter(|&node| self.graph[node].target == WITH_EFFECTS);
        let users = &self.users[placeholder];
        !users.is_empty() && users.iter().all(uses) && effects().all(|node| self.check(node).is_some())
    }

    /// The operator by which a node checks; `None` if the node is no check.
    fn check(&self, node: NodeId) -> Option<Aten> {
        let node = &self.graph[node];
        let [_, Arg::Opaque(_, operator), ..] = node.args.as_slice() else { return None };
        let check = CHECKS.iter().find(|(printed, _)| printed == operator)?;
        (node.target == WITH_EFFECTS).then_some(check.1)
    }

    /// A check as a call of its operator; the token goes through.
    pub(super) fn effect(&mut self, id: NodeId) -> Option<Value> {
        let op = self.check(id)?;
        let node = &self.graph[id];
        let token = self.values[node.args.first()?.as_node()?].clone()?;
        if !matches!(token, Value::Plain(Arg::None)) {
            return None;
        }
        let args = node.args[2..].iter().map(|arg| self.call_arg(id, arg)).collect::<Result<_, _>>().ok()?;
        let kwargs = node.kwargs.iter().map(|(name, arg)| Some((name.clone(), self.call_arg(id, arg).ok()?)));
        let kwargs = kwargs.collect::<Option<_>>()?;
        let (target, kind) = (op.into(), CallKind::Extern);
        let call = calls::Call { target, node: id, args, kwargs, results: Vec::new(), tuple: true, kind };
        self.b.graph.calls.push(Call { call, planned: false, ordered: true });
        Some(Value::Tuple(vec![Some(token), Some(Value::Plain(Arg::None))]))
    }
}
