//! Composite calls of torch, decomposed by torch itself: `_parts.py` notes the operators that run below autograd while
//! the call runs on tensors without data.
//!
//! Invariant: what is noted for some sizes holds for these alone, so calls with symbolic sizes are not decomposed. Nor
//! are those whose parts depend on the device, which tensors without data do not have.

use super::PyHost;
use super::without_data::{Known, Made, is_chosen_by_device};
use crate::dynamo::host::without_data::computes;
use crate::import::plain_constant;
use crate::names::function;
use dynamo_core::host::Parts;
use fx::{Arg, Graph, Kind, Meta, NodeId};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use symshapes::{Device, ShapeEnv};

/// A part as `_parts.py` has it: overload, arguments, and result.
type Row<'py> = (String, Bound<'py, PyTuple>, Bound<'py, PyDict>, Bound<'py, PyAny>);

impl<'py> PyHost<'py> {
    /// The calls of overloads that a node comes down to.
    pub(super) fn record_parts(&self, graph: &Graph, env: &mut ShapeEnv, id: NodeId) -> PyResult<Option<Parts>> {
        let node = &graph[id];
        // Only of torch's own functions is it certain that their derivative is that of their parts.
        if node.kind == Kind::CallFunction && !node.target.starts_with("torch.") {
            return Ok(None);
        }
        if computes(graph, id) || is_chosen_by_device(&node.target) || node.target.ends_with("attention_forward") {
            return Ok(None);
        }
        let mut devices = node.inputs().into_iter().filter_map(|input| Some(graph[input].tensor_meta()?.device));
        let Some(device) = devices.next().filter(|&first| devices.all(|device| device == first)) else {
            return Ok(None);
        };
        let made = RefCell::new(Vec::new());
        let known = Known { made: Some(&made), ..Known::of(env, false) };
        let Some(args) = self.values(graph, &known, &node.args)? else { return Ok(None) };
        let kwargs = PyDict::new(self.py);
        for (name, arg) in &node.kwargs {
            let Some(value) = self.value(graph, &known, arg)? else { return Ok(None) };
            kwargs.set_item(name, value)?;
        }
        let (call, args) = match (node.kind, args.split_first()) {
            (Kind::CallMethod, Some((this, rest))) => (this.getattr(node.target.as_str())?, rest),
            _ => (function(self.py, &node.target)?, &args[..]),
        };
        let module = self.py.import("rust_inductor._parts")?;
        let told = module.call_method1("parts", (call, PyTuple::new(self.py, args)?, kwargs))?;
        let Some((rows, result)) = told.extract::<Option<(Vec<Row<'py>>, Bound<'py, PyAny>)>>()? else {
            return Ok(None);
        };
        let mut reader = Reader::new(made.into_inner(), graph, device);
        for row in &rows {
            if !reader.row(self, env, row)? {
                return Ok(None);
            }
        }
        Ok(reader.end(&result))
    }
}

/// Reads the rows of `_parts.py` into a graph.
struct Reader<'py> {
    graph: Graph,
    operands: Vec<NodeId>,
    /// The nodes of tensors, by address. The rows keep the tensors alive.
    nodes: FxHashMap<usize, NodeId>,
    /// The device of all of the call's tensors.
    device: Device,
    _operands: Made<'py>,
}

impl<'py> Reader<'py> {
    fn new(made: Made<'py>, of: &Graph, device: Device) -> Reader<'py> {
        let (mut graph, mut operands, mut nodes) = (Graph::new(), Vec::new(), FxHashMap::default());
        for (tensor, operand) in &made {
            let known = operands.iter().position(|known| known == operand);
            let number = known.unwrap_or_else(|| {
                let placeholder = graph.placeholder(format!("operand_{}", operands.len()));
                graph[placeholder].meta = of[*operand].meta.clone();
                operands.push(*operand);
                operands.len() - 1
            });
            let placeholder = graph.placeholders().nth(number).expect("it was made above");
            nodes.insert(tensor.as_ptr() as usize, placeholder);
        }
        Reader { graph, operands, nodes, device, _operands: made }
    }

    /// Appends a call; false if something in it is not understood.
    fn row(
        &mut self,
        host: &PyHost<'py>,
        env: &mut ShapeEnv,
        (target, args, kwargs, result): &Row<'py>,
    ) -> PyResult<bool> {
        // What is written there is perhaps the content of a list, which a tensor without data does not take.
        if target.contains("empty") {
            return Ok(false);
        }
        let Some(args) = self.all(args.iter())? else { return Ok(false) };
        let mut named = Vec::new();
        for (name, value) in kwargs {
            let Some(value) = self.arg(&value)? else { return Ok(false) };
            named.push((name.extract()?, value));
        }
        let Some(meta) = host.meta(env.pool_mut(), result, Some(self.device))? else { return Ok(false) };
        let items = match &meta {
            Meta::Tuple(items) => Some(items.clone()),
            _ => None,
        };
        let call = self.graph.push(Kind::CallFunction, target.as_str(), args, named, None);
        self.graph[call].meta = Some(meta);
        let Some(items) = items else {
            // What was written to stays the tensor that it was, whose node the write follows.
            self.nodes.insert(result.as_ptr() as usize, call);
            return Ok(true);
        };
        for (number, (item, meta)) in result.try_iter()?.zip(items).enumerate() {
            let args = vec![Arg::Node(call), Arg::Int(number as i64)];
            let pick = self.graph.push(Kind::CallFunction, "operator.getitem", args, Vec::new(), None);
            self.graph[pick].meta = meta;
            self.nodes.insert(item?.as_ptr() as usize, pick);
        }
        Ok(true)
    }

    fn all(&self, values: impl Iterator<Item = Bound<'py, PyAny>>) -> PyResult<Option<Vec<Arg>>> {
        values.map(|value| self.arg(&value)).collect()
    }

    /// An argument; `None` if it is not understood.
    fn arg(&self, value: &Bound<'py, PyAny>) -> PyResult<Option<Arg>> {
        if let Some(&node) = self.nodes.get(&(value.as_ptr() as usize)) {
            return Ok(Some(Arg::Node(node)));
        }
        if let Ok(list) = value.cast::<PyList>() {
            return Ok(self.all(list.iter())?.map(Arg::List));
        }
        if let Ok(tuple) = value.cast::<PyTuple>() {
            return Ok(self.all(tuple.iter())?.map(Arg::Tuple));
        }
        if let Ok(text) = value.extract::<String>() {
            return Ok(Some(Arg::Str(text)));
        }
        if value.str()?.to_str()? == "meta" {
            return Ok(Some(Arg::Device(self.device)));
        }
        plain_constant(value)
    }

    /// Ends the graph with the result of the whole call.
    fn end(mut self, result: &Bound<'py, PyAny>) -> Option<Parts> {
        let node = |value: &Bound<'py, PyAny>| self.nodes.get(&(value.as_ptr() as usize)).copied();
        let results = match node(result) {
            Some(node) => Arg::Node(node),
            None => {
                let items = result.try_iter().ok()?.map(|item| node(&item.ok()?).map(Arg::Node));
                Arg::Tuple(items.collect::<Option<_>>()?)
            }
        };
        self.graph.output(results);
        Some(Parts { graph: self.graph, operands: self.operands })
    }
}
