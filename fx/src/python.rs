//! Graphs as Python source, as `torch.fx.Graph.python_code` prints them.
//!
//! Invariant: executing the source with [`PythonCode::globals`] bound gives a function equal to the graph.

use crate::arg::Arg;
use crate::graph::{Graph, Kind, Node, NodeId};
use crate::names::Names;
use crate::shown::{Shown, Style};
use crate::target::{Callee, is_identifier};
use cranelift_entity::SecondaryMap;
use std::fmt::Write;

/// A graph's source and what it needs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PythonCode {
    /// The definition of `forward`.
    pub src: String,
    /// Names in the source that stand for functions and types outside torch, each with its qualified name.
    pub globals: Vec<(String, String)>,
}

/// Operators that are written as such: the function's name, and its form with `{}` for each operand.
const INFIX: &[(&str, &str)] = &[
    ("add", "{} + {}"),
    ("and_", "{} & {}"),
    ("div", "{} / {}"),
    ("eq", "{} == {}"),
    ("floordiv", "{} // {}"),
    ("ge", "{} >= {}"),
    ("getitem", "{}[{}]"),
    ("gt", "{} > {}"),
    ("invert", "~{}"),
    ("le", "{} <= {}"),
    ("lshift", "{} << {}"),
    ("lt", "{} < {}"),
    ("matmul", "{} @ {}"),
    ("mod", "{} % {}"),
    ("mul", "{} * {}"),
    ("ne", "{} != {}"),
    ("neg", "-{}"),
    ("or_", "{} | {}"),
    ("pos", "+{}"),
    ("pow", "{} ** {}"),
    ("rshift", "{} >> {}"),
    ("sub", "{} - {}"),
    ("truediv", "{} / {}"),
    ("xor", "{} ^ {}"),
];

/// Operators that write to their first operand.
const IN_PLACE: &[(&str, &str)] = &[
    ("iadd", "{} += {}"),
    ("iand", "{} &= {}"),
    ("ifloordiv", "{} //= {}"),
    ("ilshift", "{} <<= {}"),
    ("imatmul", "{} @= {}"),
    ("imod", "{} %= {}"),
    ("imul", "{} *= {}"),
    ("ior", "{} |= {}"),
    ("ipow", "{} **= {}"),
    ("irshift", "{} >>= {}"),
    ("isub", "{} -= {}"),
    ("itruediv", "{} /= {}"),
    ("ixor", "{} ^= {}"),
    ("setitem", "{}[{}] = {}"),
];

/// Names that generated code always has: a node or function must not take them.
const BUNDLED: &[&str] = &["inf", "nan", "NoneType", "torch", "device", "fx_pytree", "pytree"];

impl Graph {
    /// The graph as the source of a `forward` whose module is called `root` (`self`).
    pub fn python_code(&self, root: &str) -> PythonCode {
        let mut writer = Writer::new(self, root);
        let last_uses = self.last_uses();
        let users = self.users();
        for id in self.nodes() {
            writer.statement(id);
            writer.deletions(id, &last_uses[id], users[id].is_empty());
        }
        writer.finish()
    }

    /// For each node, the nodes that no later node uses.
    pub fn last_uses(&self) -> SecondaryMap<NodeId, Vec<NodeId>> {
        let mut seen: SecondaryMap<NodeId, bool> = SecondaryMap::with_capacity(self.capacity());
        let mut last: SecondaryMap<NodeId, Vec<NodeId>> = SecondaryMap::with_capacity(self.capacity());
        for user in self.nodes().rev() {
            for input in self[user].inputs() {
                if !std::mem::replace(&mut seen[input], true) {
                    last[user].push(input);
                }
            }
        }
        last
    }
}

/// True for a call of an operator that writes to its first operand, which is written as a statement.
pub fn is_in_place(node: &Node) -> bool {
    let operator = match node.target.callee() {
        Callee::Operator(operator) if node.kind == Kind::CallFunction => operator,
        _ => return false,
    };
    IN_PLACE.iter().any(|&(name, form)| name == operator && node.args.len() >= form.matches("{}").count())
}

struct Writer<'a> {
    graph: &'a Graph,
    root: &'a str,
    names: Names,
    params: Vec<String>,
    body: String,
    globals: Vec<(String, String)>,
    /// The return annotation of the function, from the type of the output.
    returns: String,
}

impl<'a> Writer<'a> {
    fn new(graph: &'a Graph, root: &'a str) -> Writer<'a> {
        let mut names = Names::default();
        for name in BUNDLED.iter().copied().chain(graph.nodes().map(|n| graph[n].name.as_ref())) {
            names.reserve(name);
        }
        Writer { graph, root, names, params: vec![], body: String::new(), globals: vec![], returns: String::new() }
    }

    fn repr(&self, arg: &Arg) -> String {
        Shown { graph: self.graph, arg, style: Style::Code }.to_string()
    }

    fn call_args(&self, args: &[Arg], kwargs: &[(String, Arg)]) -> String {
        let positional = args.iter().map(|a| self.repr(a));
        let keyword = kwargs.iter().map(|(k, v)| format!("{k} = {}", self.repr(v)));
        positional.chain(keyword).collect::<Vec<_>>().join(", ")
    }

    fn statement(&mut self, id: NodeId) {
        let node = &self.graph[id];
        let annotation = self.annotation(node).map(|t| format!(" : {t}")).unwrap_or_default();
        let name = format!("{}{annotation}", node.name);
        let text = match node.kind {
            Kind::Placeholder => return self.parameter(node, &annotation),
            Kind::Output => {
                self.returns = annotation.replacen(" :", " ->", 1);
                format!("return {}", node.args.first().map_or("None".to_owned(), |a| self.repr(a)))
            }
            Kind::GetAttr => format!("{name} = {}", attribute(self.root, &node.target)),
            Kind::CallModule => {
                let callee = attribute(self.root, &node.target);
                format!("{name} = {callee}({})", self.call_args(&node.args, &node.kwargs))
            }
            Kind::CallMethod => self.method(node, &name),
            Kind::CallFunction => self.function(node, &name),
        };
        self.body.push_str(&text);
    }

    /// The name of a node's type in the source. A type that is more than a name is left out.
    fn annotation(&mut self, node: &Node) -> Option<String> {
        let text = node.type_expr.as_ref()?;
        let path = text.split('.').all(is_identifier);
        let quoted = text.starts_with(['\'', '"']);
        match text.rsplit_once('.') {
            Some((module, _)) if path && is_torch(module) => Some(text.clone()),
            None if path => Some(text.clone()),
            _ if path || quoted => Some(self.global(text, text)),
            _ => None,
        }
    }

    fn parameter(&mut self, node: &Node, annotation: &str) {
        let default = node.args.first().map(|a| format!(" = {}", self.repr(a))).unwrap_or_default();
        self.params.push(format!("{}{annotation}{default}", node.target));
        let bare = node.target.replace('*', "");
        if *bare != *node.name {
            let _ = writeln!(self.body, "{} = {bare}", node.name);
        }
    }

    fn method(&self, node: &Node, name: &str) -> String {
        let Some((receiver, rest)) = node.args.split_first() else {
            return format!("{name} = {}()", node.target);
        };
        let callee = attribute(&self.repr(receiver), &node.target);
        format!("{name} = {callee}({})", self.call_args(rest, &node.kwargs))
    }

    fn function(&mut self, node: &Node, name: &str) -> String {
        let target = node.target.callee();
        if let Callee::Operator(operator) = target {
            if let Some(infix) = self.operator(INFIX, operator, &node.args) {
                return format!("{name} = {infix}");
            }
            if let Some(statement) = self.operator(IN_PLACE, operator, &node.args) {
                return format!("{statement};  {name} = {}", self.repr(&node.args[0]));
            }
        }
        if let (Callee::Builtin("getattr"), [object, Arg::Str(field)]) = (target, node.args.as_slice())
            && is_identifier(field)
        {
            return format!("{name} = {}.{field}", self.repr(object));
        }
        let callee = self.callee(target, &node.target);
        format!("{name} = {callee}({})", self.call_args(&node.args, &node.kwargs))
    }

    /// The operator's form filled in, if it is in the table and there are operands enough.
    fn operator(&self, table: &[(&str, &str)], name: &str, args: &[Arg]) -> Option<String> {
        let (_, form) = table.iter().find(|(n, _)| *n == name)?;
        let mut operands = args.iter();
        let mut pieces = form.split("{}");
        let mut text = pieces.next()?.to_owned();
        for piece in pieces {
            text.push_str(&self.repr(operands.next()?));
            text.push_str(piece);
        }
        Some(text)
    }

    /// The name by which a function is called: torch's own by their full names, others through a global.
    fn callee(&mut self, target: Callee<'_>, written: &str) -> String {
        let qualified = target.qualified();
        match target {
            Callee::Builtin(_) | Callee::Overload { .. } => qualified,
            Callee::Function { module, .. } if is_torch(module) => qualified,
            _ => self.global(&qualified, written),
        }
    }

    /// The global that stands for a Python object, given the object's name.
    fn global(&mut self, qualified: &str, written: &str) -> String {
        if let Some((name, _)) = self.globals.iter().find(|(_, t)| t == written) {
            return name.clone();
        }
        let name = self.names.create(qualified).to_string();
        self.globals.push((name.clone(), written.to_owned()));
        name
    }

    /// Ends a statement by dropping the values that nothing uses any more.
    fn deletions(&mut self, id: NodeId, last: &[NodeId], unused: bool) {
        let node = &self.graph[id];
        if node.kind == Kind::Placeholder {
            return;
        }
        let mut dead: Vec<&str> = last.iter().map(|&n| self.graph[n].name.as_ref()).collect();
        if unused {
            dead.push(&node.name);
        }
        if node.kind != Kind::Output && !dead.is_empty() {
            let _ = write!(self.body, ";  {} = None", dead.join(" = "));
        }
        self.body.push('\n');
    }

    fn finish(mut self) -> PythonCode {
        if self.graph.is_empty() {
            self.body.push_str("pass\n");
        }
        if self.params.first().is_none_or(|p| p != "self") {
            self.params.insert(0, "self".to_owned());
        }
        let body: Vec<String> = self.body.split('\n').map(|line| format!("    {line}")).collect();
        let src = format!("\n\n\ndef forward({}){}:\n{}", self.params.join(", "), self.returns, body.join("\n"));
        PythonCode { src, globals: self.globals }
    }
}

/// `base.a.b`, with `getattr` for the parts that are no identifiers.
fn attribute(base: &str, path: &str) -> String {
    path.split('.').fold(base.to_owned(), |object, part| match is_identifier(part) {
        true => format!("{object}.{part}"),
        false => format!("getattr({object}, \"{part}\")"),
    })
}

/// True for torch's modules, but not those of its compiler.
fn is_torch(module: &str) -> bool {
    let compiler = ["torch._dynamo.", "torch._inductor."].iter().any(|p| module.starts_with(p));
    (module == "torch" || module.starts_with("torch.")) && !compiler
}
