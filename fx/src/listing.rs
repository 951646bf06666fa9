//! The listing of a graph, as `str` of a `torch.fx.Graph` gives it.

use crate::arg::Arg;
use crate::graph::{Graph, Kind, Node, NodeId};
use crate::shown::{Shown, Style};
use crate::target::Callee;
use std::fmt::{self, Display, Formatter};

impl Display for Graph {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let users = self.users();
        f.write_str("graph():")?;
        for id in self.nodes() {
            f.write_str("\n    ")?;
            self.list_node(f, id, users[id].len())?;
        }
        Ok(())
    }
}

impl Graph {
    fn list_node(&self, f: &mut Formatter<'_>, id: NodeId, users: usize) -> fmt::Result {
        let node = &self[id];
        let shown = |arg, style| Shown { graph: self, arg, style };
        if node.kind == Kind::Output {
            return match node.args.first() {
                Some(Arg::Str(s)) => write!(f, "return {s}"),
                Some(arg) => write!(f, "return {}", shown(arg, Style::Repr)),
                None => f.write_str("return"),
            };
        }
        write!(f, "%{} : ", node.name)?;
        if let Some(text) = &node.type_expr {
            write!(f, "{text} ")?;
        }
        write!(f, "[num_users={users}] = {}[target={}]", node.kind, listed_target(node))?;
        match (node.kind, node.args.first()) {
            (Kind::Placeholder, Some(Arg::Str(s))) => write!(f, "(default={s})"),
            (Kind::Placeholder, Some(default)) => write!(f, "(default={})", shown(default, Style::Repr)),
            (Kind::Placeholder | Kind::GetAttr, _) => Ok(()),
            _ => {
                let args = Arg::Tuple(node.args.clone());
                write!(f, "(args = {}, kwargs = {{", shown(&args, Style::Listing))?;
                for (i, (k, v)) in node.kwargs.iter().enumerate() {
                    write!(f, "{}{k}: {}", if i == 0 { "" } else { ", " }, shown(v, Style::Listing))?;
                }
                f.write_str("})")
            }
        }
    }
}

fn listed_target(node: &Node) -> String {
    if node.kind != Kind::CallFunction {
        return node.target.to_string();
    }
    match node.target.callee() {
        Callee::Operator(name) => format!("operator.{name}"),
        Callee::Builtin(name) => format!("builtins.{name}"),
        other => other.qualified(),
    }
}
