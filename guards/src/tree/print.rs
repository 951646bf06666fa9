//! The tree as torch's log lays it out.

use super::{GuardTree, Node, Span};
use crate::{guard::Guard, source::SourceId};
use rustc_hash::FxHashMap;
use std::fmt::{self, Display, Formatter};

impl Display for GuardTree {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "TREE_GUARD_MANAGER:")?;
        writeln!(f, "+- RootGuardManager")?;
        self.write_guards(f, 1, self.states)?;
        let mut children: FxHashMap<Option<SourceId>, Vec<&Node>> = FxHashMap::default();
        for node in self.nodes.values() {
            children.entry(self.sources.base(node.source)).or_default().push(node);
        }
        let below = |id| children.get(&id).into_iter().flatten().rev();
        let mut pending: Vec<(usize, &Node)> = below(None).map(|&node| (1, node)).collect();
        while let Some((depth, node)) = pending.pop() {
            self.write_node(f, depth, node)?;
            pending.extend(below(Some(node.source)).map(|&node| (depth + 1, node)));
        }
        self.joints.iter().try_for_each(|joint| self.write_guard(f, 1, &self.guards[joint.guard as usize]))
    }
}

impl GuardTree {
    fn write_node(&self, f: &mut Formatter<'_>, depth: usize, node: &Node) -> fmt::Result {
        let (name, accessor) = (self.sources.display(node.source), self.sources[node.source].row().variant);
        writeln!(f, "{}+- GuardManager: source={name}, accessed_by={accessor}", "| ".repeat(depth))?;
        self.write_guards(f, depth + 1, node.guards)
    }

    fn write_guards(&self, f: &mut Formatter<'_>, depth: usize, span: Span) -> fmt::Result {
        self.guards[span.range()].iter().try_for_each(|guard| self.write_guard(f, depth, guard))
    }

    fn write_guard(&self, f: &mut Formatter<'_>, depth: usize, guard: &Guard) -> fmt::Result {
        let (name, text) = (guard.kind.row().name, guard.text(&self.sources));
        write!(f, "{}+- {name}: {text}", "| ".repeat(depth))?;
        match &guard.user_stack {
            Some(stack) => writeln!(f, "  # {stack}"),
            None => writeln!(f),
        }
    }
}
