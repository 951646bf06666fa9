//! Printing; the grammar is in the [module](super).

use super::{is_bare_target, short_name};
use crate::arg::Arg;
use crate::graph::{Graph, Kind, Meta, Node};
use crate::target::is_identifier;
use pyrepr::Float;
use std::fmt::{self, Display, Formatter};
use symshapes::{Device, Expr, TensorMeta};

/// The graph as text.
pub fn print(graph: &Graph) -> String {
    let mut text = String::from("graph {\n");
    for id in graph.nodes() {
        text += &format!("  {}", Line { graph, node: &graph[id] });
        if let Some(subgraph) = graph.subgraph(id) {
            text += &format!(" of {}", print(subgraph).trim_end().replace('\n', "\n  "));
        }
        text.push('\n');
    }
    text + "}\n"
}

impl Graph {
    /// The graph in the form of [`crate::text`].
    pub fn to_text(&self) -> String {
        print(self)
    }
}

struct Line<'a> {
    graph: &'a Graph,
    node: &'a Node,
}

impl Display for Line<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Line { graph, node } = *self;
        write!(f, "%{}", node.name)?;
        if let Some(meta) = &node.meta {
            write!(f, " : {}", ShownMeta { graph, meta })?;
        }
        write!(f, " = {}", node.kind)?;
        if node.kind != Kind::Output || node.target != "output" {
            write!(f, "[{}]", Target(&node.target))?;
        }
        let is_call = matches!(node.kind, Kind::CallFunction | Kind::CallMethod | Kind::CallModule);
        if is_call || !node.args.is_empty() || !node.kwargs.is_empty() {
            let positional = node.args.iter().map(|arg| Value { graph, arg }.to_string());
            let keyword = node.kwargs.iter().map(|(k, arg)| format!("{}={}", Keyword(k), Value { graph, arg }));
            write!(f, "({})", positional.chain(keyword).collect::<Vec<_>>().join(", "))?;
        }
        if let Some(text) = &node.type_expr {
            write!(f, " as {text:?}")?;
        }
        match &node.stack_trace {
            Some(trace) => write!(f, " from {trace:?}"),
            None => Ok(()),
        }
    }
}

struct Target<'a>(&'a str);

impl Display for Target<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if !self.0.is_empty() && self.0.chars().all(is_bare_target) {
            f.write_str(self.0)
        } else {
            write!(f, "{:?}", self.0)
        }
    }
}

struct Keyword<'a>(&'a str);

impl Display for Keyword<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if is_identifier(self.0) { f.write_str(self.0) } else { write!(f, "{:?}", self.0) }
    }
}

#[derive(Clone, Copy)]
struct Value<'a> {
    graph: &'a Graph,
    arg: &'a Arg,
}

impl Value<'_> {
    fn join(self, items: &[Arg]) -> String {
        let texts: Vec<String> = items.iter().map(|arg| Value { graph: self.graph, arg }.to_string()).collect();
        texts.join(", ")
    }

    fn pairs(self, items: &[(Arg, Arg)]) -> String {
        let value = |arg| Value { graph: self.graph, arg };
        let texts: Vec<String> = items.iter().map(|(k, v)| format!("{}: {}", value(k), value(v))).collect();
        texts.join(", ")
    }
}

impl Display for Value<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.arg {
            Arg::None => f.write_str("None"),
            Arg::Node(n) => write!(f, "%{}", self.graph[*n].name),
            Arg::Bool(v) => f.write_str(if *v { "True" } else { "False" }),
            Arg::Int(v) => write!(f, "{v}"),
            Arg::Sym(e) => write!(f, "sym({})", self.graph.exprs.display(*e)),
            Arg::Float(v) => write!(f, "{}", Float(*v)),
            Arg::Complex(re, im) => write!(f, "complex({}, {})", Float(*re), Float(*im)),
            Arg::Str(s) => write!(f, "{s:?}"),
            Arg::DType(d) => write!(f, "torch.{d}"),
            Arg::Device(d) => write!(f, "device({:?})", d.to_string()),
            Arg::Layout(name) => write!(f, "layout({name:?})"),
            Arg::MemoryFormat(name) => write!(f, "memory_format({name:?})"),
            Arg::Slice(parts) => write!(f, "slice({})", self.join(&parts[..])),
            Arg::Ellipsis => f.write_str("..."),
            Arg::List(items) => write!(f, "[{}]", self.join(items)),
            Arg::Tuple(items) => write!(f, "({}{})", self.join(items), if items.len() == 1 { "," } else { "" }),
            Arg::Dict(items) => write!(f, "{{{}}}", self.pairs(items)),
            Arg::Opaque(number, repr) => write!(f, "opaque({number}, {repr:?})"),
        }
    }
}

struct ShownMeta<'a> {
    graph: &'a Graph,
    meta: &'a Meta,
}

impl ShownMeta<'_> {
    fn exprs(&self, exprs: &[Expr]) -> String {
        let texts: Vec<String> = exprs.iter().map(|&e| self.graph.exprs.display(e).to_string()).collect();
        texts.join(", ")
    }

    fn tensor(&self, f: &mut Formatter<'_>, t: &TensorMeta) -> fmt::Result {
        write!(f, "{}[{}]{{{}}}", short_name(t.dtype), self.exprs(&t.sizes), self.exprs(&t.strides))?;
        if self.graph.exprs.as_int(t.offset) != Some(0) {
            write!(f, "+({})", self.graph.exprs.display(t.offset))?;
        }
        if t.device != Device::CPU {
            write!(f, " @{:?}", t.device.to_string())?;
        }
        f.write_str(if t.requires_grad { " grad" } else { "" })
    }
}

impl Display for ShownMeta<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let graph = self.graph;
        match self.meta {
            Meta::Tensor(t) => self.tensor(f, t),
            Meta::Int(e) => write!(f, "int({})", graph.exprs.display(*e)),
            Meta::Float(float) => write!(f, "float({})", graph.exprs.display_float(*float)),
            Meta::Bool(pred) => write!(f, "bool({})", graph.exprs.display_pred(*pred)),
            Meta::Plain(arg) => write!(f, "plain({})", Value { graph, arg }),
            Meta::Tuple(items) => {
                let shown =
                    |m: &Option<Meta>| m.as_ref().map_or("_".into(), |meta| ShownMeta { graph, meta }.to_string());
                write!(f, "({})", items.iter().map(shown).collect::<Vec<_>>().join(", "))
            }
        }
    }
}
