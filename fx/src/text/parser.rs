//! The state of a parser, and the steps that nodes and values share.

use super::cursor::{Cursor, ParseError};
use crate::graph::{Graph, NodeId};
use rustc_hash::FxHashMap;

/// The graph so far, and the text that is left.
pub(super) struct Parser<'a> {
    pub(super) cursor: Cursor<'a>,
    pub(super) graph: Graph,
    /// The nodes of the graph, by name.
    pub(super) nodes: FxHashMap<&'a str, NodeId>,
    /// The number of brackets that are open around the value that is being read.
    pub(super) depth: usize,
}

impl Parser<'_> {
    /// A `,`, or nothing if the closing bracket is next.
    pub(super) fn separator(&mut self, close: &str) -> Result<(), ParseError> {
        if self.cursor.eat(",") || self.cursor.peek().is_some_and(|c| close.starts_with(c)) {
            return Ok(());
        }
        self.cursor.error(format!("expected `,` or `{close}`"))
    }

    pub(super) fn node_named(&mut self) -> Result<NodeId, ParseError> {
        let start = self.cursor.here();
        self.cursor.expect("%")?;
        let name = self.cursor.word("a node's name")?;
        match self.nodes.get(name) {
            Some(id) => Ok(*id),
            None => self.cursor.error_at(start, format!("%{name} is not defined above")),
        }
    }
}
