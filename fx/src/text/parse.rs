//! Parsing; the grammar is in the [module](super).

use super::{
    cursor::{Cursor, ParseError},
    is_bare_target,
    parser::Parser,
    value,
};
use crate::arg::Arg;
use crate::graph::{Graph, Kind, Node};
use crate::verify;
use rustc_hash::FxHashMap;
use std::str::FromStr;

/// Parses a graph and verifies it. What breaks an invariant is reported at the closing brace.
pub fn parse(text: &str) -> Result<Graph, ParseError> {
    let mut parser = Parser { cursor: Cursor::new(text), graph: Graph::new(), nodes: FxHashMap::default(), depth: 0 };
    parser.cursor.skip(true);
    parser.graph()?;
    parser.cursor.skip(true);
    if parser.cursor.peek().is_some() { parser.cursor.error("text after the graph") } else { Ok(parser.graph) }
}

impl FromStr for Graph {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Graph, ParseError> {
        parse(text)
    }
}

/// Positional and keyword arguments.
type Args = (Vec<Arg>, Vec<(String, Arg)>);

impl Parser<'_> {
    fn graph(&mut self) -> Result<(), ParseError> {
        self.cursor.expect("graph")?;
        self.cursor.expect("{")?;
        loop {
            self.cursor.skip(true);
            let end = self.cursor.here();
            if self.cursor.eat("}") {
                if let Err(invalid) = verify::verify(&self.graph) {
                    return self.cursor.error_at(end, invalid.to_string());
                }
                return Ok(());
            }
            self.node()?;
            if !matches!(self.cursor.peek(), None | Some('\n' | '\r' | '}')) {
                return self.cursor.error("expected the end of the line");
            }
        }
    }

    fn node(&mut self) -> Result<(), ParseError> {
        let start = self.cursor.here();
        self.cursor.expect("%")?;
        let name = self.cursor.word("a node's name")?;
        let meta = if self.cursor.eat(":") { Some(value::meta(self)?) } else { None };
        self.cursor.expect("=")?;
        let kind = self.kind()?;
        let target = self.target(kind, name)?;
        let (args, kwargs) = if self.cursor.eat("(") { self.args()? } else { (vec![], vec![]) };
        let type_expr = if self.cursor.eat_word("as") { Some(self.cursor.string()?) } else { None };
        let stack_trace = if self.cursor.eat_word("from") { Some(self.cursor.string()?.into()) } else { None };
        let node = Node { name: name.into(), kind, target: target.into(), args, kwargs, type_expr, meta, stack_trace };
        let Some(id) = self.graph.push_named(node) else {
            return self.cursor.error_at(start, format!("%{name} is defined twice"));
        };
        self.nodes.insert(name, id);
        if self.cursor.eat_word("of") {
            let subgraph = self.subgraph()?;
            self.graph.set_subgraph(id, subgraph);
        }
        Ok(())
    }

    /// A graph within this one, with names and expressions of its own.
    fn subgraph(&mut self) -> Result<Graph, ParseError> {
        if self.depth >= value::MAX_DEPTH {
            return self.cursor.error("too deeply nested");
        }
        let (cursor, depth) = (self.cursor.fork(), self.depth + 1);
        let mut inner = Parser { cursor, graph: Graph::new(), nodes: FxHashMap::default(), depth };
        inner.graph()?;
        self.cursor = inner.cursor;
        Ok(inner.graph)
    }

    fn kind(&mut self) -> Result<Kind, ParseError> {
        let start = self.cursor.here();
        let word = self.cursor.word("a kind of node")?;
        match Kind::ALL.iter().find(|k| k.name() == word) {
            Some(kind) => Ok(*kind),
            None => self.cursor.error_at(start, format!("`{word}` is no kind of node")),
        }
    }

    fn target(&mut self, kind: Kind, name: &str) -> Result<String, ParseError> {
        if !self.cursor.eat("[") {
            return Ok(if kind == Kind::Output { "output" } else { name }.to_owned());
        }
        let target = match self.cursor.peek() {
            Some('"') => self.cursor.string()?,
            _ => self.cursor.take_while(is_bare_target).to_owned(),
        };
        self.cursor.expect("]")?;
        Ok(target)
    }

    /// The arguments of a call, up to and with the closing bracket.
    fn args(&mut self) -> Result<Args, ParseError> {
        let (mut args, mut kwargs) = (vec![], vec![]);
        while !self.cursor.eat(")") {
            let start = self.cursor.here();
            match self.keyword() {
                Some(keyword) => kwargs.push((keyword, value::arg(self)?)),
                None if kwargs.is_empty() => args.push(value::arg(self)?),
                None => return self.cursor.error_at(start, "a positional argument after a keyword argument"),
            }
            self.separator(")")?;
        }
        Ok((args, kwargs))
    }

    /// A keyword and its `=`, if that is what comes next.
    fn keyword(&mut self) -> Option<String> {
        let mut ahead = self.cursor.fork();
        let keyword = match ahead.peek()? {
            '"' => ahead.string().ok()?,
            c if c.is_ascii_alphabetic() || c == '_' => ahead.word("a keyword").ok()?.to_owned(),
            _ => return None,
        };
        ahead.eat("=").then(|| {
            self.cursor = ahead;
            keyword
        })
    }
}
