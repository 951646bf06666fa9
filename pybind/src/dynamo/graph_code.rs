//! Code objects that compute graphs: bytecode in place of the source that `fx::Graph::python_code` prints, which
//! CPython would take ten times as long to parse and compile.
//!
//! Invariant: the code does, node by node, what the source does, and says that it comes from there: a node's
//! instructions are those of its line.

use super::code;
use super::host::VERSION;
use crate::fx_module;
use cranelift_entity::{EntityRef, SecondaryMap};
use dynamo_core::bytecode::{Builder, CodeObject, Const, LocalId, Op, Span};
use fx::{Arg, Graph, Kind, Node, NodeId};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// The line of `def` in the source; the first node's is the next.
const FIRST_LINE: usize = 4;

/// `CO_OPTIMIZED | CO_NEWLOCALS`: the flags of every function.
const FLAGS: u32 = 0x1 | 0x2;

/// The code object of a graph's `forward`; `None` if the graph has an argument that only the source can say.
///
/// `callables` are the callees of the nodes that call functions, in program order; `filename` is where the source is
/// kept.
#[pyfunction]
pub(crate) fn bytecode_of<'py>(
    graph: &Bound<'py, fx_module::Graph>,
    callables: Vec<Bound<'py, PyAny>>,
    filename: &str,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let (py, owner) = (graph.py(), graph.get());
    let mut writer = Writer::new(&owner.graph, filename, callables);
    if writer.body().is_none() {
        return Ok(None);
    }
    let Writer { builder, objects, .. } = writer;
    let written = builder.finish().map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
    let object = |at: u32| match &objects[at as usize] {
        Object::Callable(callable) => Ok(callable.clone()),
        Object::Plain(arg) => owner.constant(py, arg),
    };
    code::write(py, &written, &object, &Ok).map(Some)
}

/// A constant that the bytecode knows by its place alone.
enum Object<'a, 'py> {
    Callable(Bound<'py, PyAny>),
    Plain(&'a Arg),
}

struct Writer<'a, 'py> {
    graph: &'a Graph,
    builder: Builder,
    callables: std::vec::IntoIter<Bound<'py, PyAny>>,
    objects: Vec<Object<'a, 'py>>,
    locals: SecondaryMap<NodeId, LocalId>,
}

impl<'a, 'py> Writer<'a, 'py> {
    fn new(graph: &'a Graph, filename: &str, callables: Vec<Bound<'py, PyAny>>) -> Writer<'a, 'py> {
        let mut varnames = vec!["self".to_owned()];
        let params = graph.nodes().filter(|&id| graph[id].kind == Kind::Placeholder);
        varnames.extend(params.map(|id| graph[id].target.replace('*', "")));
        let argcount = varnames.len() as u32;
        let mut locals = SecondaryMap::with_default(LocalId::new(0));
        for id in graph.nodes() {
            locals[id] = LocalId::new(varnames.len());
            varnames.push(graph[id].name.to_string());
        }
        let code = CodeObject {
            argcount,
            flags: FLAGS,
            firstlineno: FIRST_LINE as i32,
            name: "forward".to_owned(),
            qualname: "forward".to_owned(),
            filename: filename.to_owned(),
            varnames,
            // A string in the first place would be the documentation.
            consts: vec![Const::None],
            ..CodeObject::default()
        };
        let builder = Builder::new(VERSION, code);
        Writer { graph, builder, callables: callables.into_iter(), objects: Vec::new(), locals }
    }

    fn body(&mut self) -> Option<()> {
        self.builder.set_span(Some(Span::line(FIRST_LINE as i32)));
        self.builder.emit(Op::Resume, 0);
        let (last_uses, users) = (self.graph.last_uses(), self.graph.users());
        let mut param = 0;
        for (at, id) in self.graph.nodes().enumerate() {
            let node = &self.graph[id];
            self.builder.set_span(Some(Span::line((FIRST_LINE + 1 + at) as i32)));
            match node.kind {
                Kind::Placeholder => {
                    param += 1;
                    self.builder.load_local(LocalId::new(param));
                    self.builder.store_local(self.locals[id]);
                    continue;
                }
                Kind::Output => {
                    match node.args.first() {
                        Some(result) => self.arg(result)?,
                        None => self.builder.load_const(Const::None),
                    }
                    self.builder.return_value();
                    return Some(());
                }
                Kind::GetAttr => {
                    self.builder.load_local(LocalId::new(0));
                    node.target.split('.').for_each(|part| self.builder.load_attr(part));
                }
                Kind::CallModule => {
                    self.builder.callee(|builder| {
                        builder.load_local(LocalId::new(0));
                        node.target.split('.').for_each(|part| builder.load_attr(part));
                    });
                    self.call(&node.args, node)?;
                }
                Kind::CallMethod => {
                    let (receiver, rest) = node.args.split_first()?;
                    self.arg(receiver)?;
                    self.builder.load_method(&node.target);
                    self.call(rest, node)?;
                }
                Kind::CallFunction => self.function(node)?,
            }
            self.builder.store_local(self.locals[id]);
            let unused = users[id].is_empty().then_some(id);
            for dead in last_uses[id].iter().copied().chain(unused) {
                self.builder.load_const(Const::None);
                self.builder.store_local(self.locals[dead]);
            }
        }
        None
    }

    /// Pushes the result of a function. An operator that writes to its first operand gives that, under both names.
    fn function(&mut self, node: &'a Node) -> Option<()> {
        let callable = self.callables.next()?;
        let callable = self.object(Object::Callable(callable));
        self.builder.callee(|builder| builder.load_const(callable));
        self.call(&node.args, node)?;
        if fx::is_in_place(node) {
            let &Arg::Node(written) = node.args.first()? else { return None };
            if node.target == "operator.setitem" {
                self.builder.pop();
            } else {
                self.builder.store_local(self.locals[written]);
            }
            self.builder.load_local(self.locals[written]);
        }
        Some(())
    }

    /// Pushes the arguments of the callee on the stack, and calls it.
    fn call(&mut self, args: &'a [Arg], node: &'a Node) -> Option<()> {
        args.iter().chain(node.kwargs.iter().map(|(_, value)| value)).try_for_each(|arg| self.arg(arg))?;
        let count = (args.len() + node.kwargs.len()) as u32;
        if node.kwargs.is_empty() {
            self.builder.call(count);
        } else {
            let names: Vec<&str> = node.kwargs.iter().map(|(name, _)| name.as_str()).collect();
            self.builder.call_with_names(count, &names);
        }
        Some(())
    }

    fn arg(&mut self, arg: &'a Arg) -> Option<()> {
        let constant = match arg {
            Arg::Node(id) => {
                self.builder.load_local(self.locals[*id]);
                return Some(());
            }
            Arg::List(items) => {
                items.iter().try_for_each(|item| self.arg(item))?;
                self.builder.build_list(items.len() as u32);
                return Some(());
            }
            Arg::Tuple(items) => {
                items.iter().try_for_each(|item| self.arg(item))?;
                self.builder.build_tuple(items.len() as u32);
                return Some(());
            }
            Arg::Slice(parts) => {
                parts.iter().try_for_each(|part| self.arg(part))?;
                self.builder.emit(Op::BuildSlice, 3);
                return Some(());
            }
            Arg::Dict(items) => {
                items.iter().flat_map(|(key, value)| [key, value]).try_for_each(|part| self.arg(part))?;
                self.builder.build_map(items.len() as u32);
                return Some(());
            }
            // The size has no value before the graph runs.
            Arg::Sym(_) => return None,
            Arg::None => Const::None,
            Arg::Ellipsis => Const::Ellipsis,
            Arg::Bool(value) => Const::Bool(*value),
            Arg::Int(value) => Const::Int(*value),
            Arg::Float(value) => Const::Float(*value),
            Arg::Complex(re, im) => Const::Complex(*re, *im),
            Arg::Str(text) => Const::Str(text.clone()),
            Arg::DType(_) | Arg::Device(_) | Arg::Layout(_) | Arg::MemoryFormat(_) | Arg::Opaque(..) => {
                self.object(Object::Plain(arg))
            }
        };
        self.builder.load_const(constant);
        Some(())
    }

    fn object(&mut self, object: Object<'a, 'py>) -> Const {
        self.objects.push(object);
        Const::Opaque(self.objects.len() as u32 - 1)
    }
}
