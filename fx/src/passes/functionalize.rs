//! Functionalisation: a graph of ATen overloads that writes into tensors becomes one that computes new tensors.
//!
//! Each tensor is a chain of views of a root, the tensor whose memory it is in. A write to it computes the root's next
//! value: that of the view is put into that of the root, view by view (`slice` by `slice_scatter`, `permute` by its
//! inverse). Views that were made before are made again from the new value when they are next read. An input that was
//! written to takes its last value at the end of the graph, by `copy_`.
//!
//! Invariant: what is not understood is an error, and the caller keeps the graph that it has. A graph without writes is
//! given back as it is, whatever it calls.

use crate::{
    arg::Arg,
    aten::{self, Overload, SideEffect, side_effect},
    graph::{Graph, Kind, Meta, NodeId},
    infer,
};
use rustc_hash::FxHashMap;
use symshapes::TensorMeta;

/// A graph without writes, but for those at its end into inputs.
#[derive(Debug)]
pub struct Functional {
    /// The graph. After its last call of another kind come `copy_` into each input that the original wrote to.
    pub graph: Graph,
    /// The inputs, by number, that are written to.
    pub written: Vec<usize>,
    /// How the results of the original come about, in order.
    pub results: Vec<Given>,
}

/// Where a result of the original graph is found.
#[derive(Clone, PartialEq, Debug)]
pub enum Given {
    /// It is this output of the new graph.
    Output(usize),
    /// It is a view of a tensor that the caller has, too.
    View {
        /// Whose memory it is in.
        base: Base,
        /// The views that lead there.
        path: Vec<View>,
    },
}

/// A tensor that results are views of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Base {
    /// An input, by number.
    Input(usize),
    /// An output of the new graph, by number.
    Output(usize),
}

/// A call that gives another look at the memory of its first argument.
#[derive(Clone, PartialEq, Debug)]
pub struct View {
    /// What is called.
    pub overload: &'static Overload,
    /// The arguments after the tensor.
    pub args: Vec<Arg>,
    /// Those by name.
    pub kwargs: Vec<(String, Arg)>,
    /// Which of its results it is, if there are several.
    pub pick: Option<usize>,
    /// False if it may be a copy instead.
    is_certain: bool,
}

/// Why a graph cannot be made functional.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("%{node}: {why}")]
pub struct NotFunctional {
    /// The name of the node.
    pub node: String,
    /// The obstacle.
    pub why: String,
}

/// Makes a graph of ATen overloads functional. Every tensor has metadata.
///
/// # Errors
/// A write that cannot be expressed without one.
pub fn functionalize(graph: &Graph) -> Result<Functional, NotFunctional> {
    let mut to = Graph::new();
    to.exprs = graph.exprs.clone();
    let mut pass = Functionalize {
        from: graph,
        to,
        copies: FxHashMap::default(),
        tensors: FxHashMap::default(),
        roots: Vec::new(),
        inputs: Vec::new(),
        results: Vec::new(),
    };
    for id in graph.nodes() {
        pass.node(id).map_err(|why| NotFunctional { node: graph[id].name.clone(), why })?;
    }
    let written = (0..pass.inputs.len()).filter(|&at| pass.inputs[at].is_some_and(|root| pass.is_written(root)));
    Ok(Functional { written: written.collect(), results: pass.results, graph: pass.to })
}

/// The number of a root.
type RootId = usize;

/// A tensor that is a view of none.
struct Root {
    /// Its latest value, in the new graph.
    value: NodeId,
    /// How many writes there have been.
    writes: u32,
    origin: Origin,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Origin {
    Input,
    /// A constant of the module.
    Constant,
    /// A call of the graph.
    Call,
}

/// A tensor of the old graph.
#[derive(Clone)]
struct Alias {
    root: RootId,
    /// The views that lead there from the root.
    path: Vec<View>,
    /// Its value, in the new graph, after this many writes to the root.
    value: NodeId,
    writes: u32,
}

struct Functionalize<'a> {
    from: &'a Graph,
    to: Graph,
    /// The counterparts of nodes that are no tensors.
    copies: FxHashMap<NodeId, NodeId>,
    tensors: FxHashMap<NodeId, Alias>,
    roots: Vec<Root>,
    /// The root of each input that is a tensor.
    inputs: Vec<Option<RootId>>,
    results: Vec<Given>,
}

type Outcome<T = ()> = Result<T, String>;

impl Functionalize<'_> {
    fn node(&mut self, id: NodeId) -> Outcome {
        let node = &self.from[id];
        match node.kind {
            Kind::Placeholder => {
                let copy = self.to.placeholder_named(node.target.clone(), &node.name);
                self.to[copy].meta = node.meta.clone();
                let root = self.leaf(id, copy, Origin::Input);
                self.inputs.push(root);
            }
            Kind::GetAttr if self.from.subgraph(id).is_none() => {
                let copy = self.copy(id)?;
                self.leaf(id, copy, Origin::Constant);
            }
            Kind::GetAttr | Kind::CallModule => return Err("a module".to_owned()),
            Kind::Output => self.output(id)?,
            Kind::CallFunction | Kind::CallMethod => self.call(id)?,
        }
        Ok(())
    }

    /// Copies a node, with the present values of its operands.
    fn copy(&mut self, id: NodeId) -> Outcome<NodeId> {
        let node = &self.from[id];
        let args = node.args.iter().map(|arg| self.read_arg(arg)).collect::<Outcome<_>>()?;
        let kwargs = node.kwargs.iter().map(|(name, arg)| Ok((name.clone(), self.read_arg(arg)?)));
        let kwargs = kwargs.collect::<Outcome<_>>()?;
        let copy = self.to.push(node.kind, node.target.clone(), args, kwargs, Some(&node.name));
        self.to[copy].meta = node.meta.clone();
        self.to[copy].stack_trace = node.stack_trace.clone();
        self.copies.insert(id, copy);
        Ok(copy)
    }

    /// Makes a node that is a tensor a root.
    fn leaf(&mut self, id: NodeId, value: NodeId, origin: Origin) -> Option<RootId> {
        self.copies.insert(id, value);
        self.from[id].tensor_meta()?;
        let root = self.roots.len();
        self.roots.push(Root { value, writes: 0, origin });
        self.tensors.insert(id, Alias { root, path: Vec::new(), value, writes: 0 });
        Some(root)
    }

    fn is_written(&self, root: RootId) -> bool {
        self.roots[root].writes > 0
    }

    fn read_arg(&mut self, arg: &Arg) -> Outcome<Arg> {
        let mut failed = None;
        let read = arg.map_nodes(&mut |node| match self.read(node) {
            Ok(value) => Arg::Node(value),
            Err(why) => {
                failed.get_or_insert(why);
                Arg::None
            }
        });
        failed.map_or(Ok(read), Err)
    }

    /// The present value of a node of the old graph.
    fn read(&mut self, node: NodeId) -> Outcome<NodeId> {
        let Some(alias) = self.tensors.get(&node) else {
            return self.copies.get(&node).copied().ok_or_else(|| "an operand of unknown kind".to_owned());
        };
        let root = &self.roots[alias.root];
        if alias.writes == root.writes {
            return Ok(alias.value);
        }
        let (path, writes) = (alias.path.clone(), root.writes);
        let value = *self.along(alias.root, &path)?.last().expect("a path begins with its root");
        let alias = self.tensors.get_mut(&node).expect("it was there");
        (alias.value, alias.writes) = (value, writes);
        Ok(value)
    }

    /// Makes the views of a path anew: the root's value and each view's.
    fn along(&mut self, root: RootId, path: &[View]) -> Outcome<Vec<NodeId>> {
        let mut values = vec![self.roots[root].value];
        for view in path {
            if !view.is_certain {
                return Err(format!("`{}`, which may be a view, is read after a write", view.overload.name));
            }
            let mut value = self.call_view(view, values[values.len() - 1])?;
            if let Some(pick) = view.pick {
                value = self.push("operator.getitem", vec![Arg::Node(value), Arg::Int(pick as i64)], Vec::new())?;
            }
            values.push(value);
        }
        Ok(values)
    }

    /// Appends a view of a tensor, or the sequence of views of which it is one.
    fn call_view(&mut self, view: &View, of: NodeId) -> Outcome<NodeId> {
        let args = [vec![Arg::Node(of)], view.args.clone()].concat();
        self.push(&view.overload.target(), args, view.kwargs.clone())
    }

    /// Appends a call to the new graph and infers what it gives.
    fn push(&mut self, target: &str, args: Vec<Arg>, kwargs: Vec<(String, Arg)>) -> Outcome<NodeId> {
        let call = self.to.push(Kind::CallFunction, target, args, kwargs, None);
        let meta = infer::node(&mut self.to, call).map_err(|error| error.to_string())?;
        self.to[call].meta = Some(meta);
        Ok(call)
    }

    fn call(&mut self, id: NodeId) -> Outcome {
        let node = &self.from[id];
        let gives_tensors = matches!(node.meta, Some(Meta::Tensor(_) | Meta::Tuple(_)) | None);
        if node.target == "operator.getitem" && gives_tensors {
            return self.pick(id);
        }
        let overload = aten::lookup(&node.target).filter(|_| node.target.starts_with("aten."));
        match overload {
            Some(overload) if overload.mutates() => self.write(id, overload),
            _ if let Some(alias) = aten::idle_dropout(self.from, id).and_then(|of| self.tensors.get(&of)).cloned() => {
                self.tensors.insert(id, alias);
                Ok(())
            }
            Some(overload) => {
                if side_effect(self.from, id) == Some(SideEffect::Changes) && !keeps_no_statistics(self.from, id) {
                    return Err("an operator that changes what its schema does not say".to_owned());
                }
                let view = self.view(id, overload)?;
                let value = self.copy(id)?;
                match view {
                    Some((of, view)) => self.look(id, value, of, view),
                    None => {
                        self.leaf(id, value, Origin::Call);
                    }
                }
                Ok(())
            }
            None if gives_tensors => Err(format!("`{}`, of which is not known what it shares", node.target)),
            None if side_effect(self.from, id).is_some() => Err(format!("`{}`, which may write", node.target)),
            None => self.copy(id).map(drop),
        }
    }

    /// The view that a call is of one of its arguments, and of which.
    fn view(&mut self, id: NodeId, overload: &'static Overload) -> Outcome<Option<(NodeId, View)>> {
        if !overload.is_view() && !MAY_SHARE.contains(&overload.base()) {
            return Ok(None);
        }
        if overload.base() == "as_strided" {
            return Err("places in a storage, of which only the tensors' own are known".to_owned());
        }
        let node = &self.from[id];
        let args = node.args.iter().skip(1).map(|arg| self.read_arg(arg)).collect::<Outcome<_>>()?;
        let kwargs = node.kwargs.iter().map(|(name, arg)| Ok((name.clone(), self.read_arg(arg)?)));
        let kwargs = kwargs.collect::<Outcome<_>>()?;
        let of = match node.args.first() {
            Some(&Arg::Node(of)) if self.tensors.contains_key(&of) => of,
            // A list of tensors, of which each may be shared.
            _ => return Err(format!("`{}`, of which is not known what it shares", overload.name)),
        };
        let is_certain = match (self.from[of].tensor_meta(), node.tensor_meta()) {
            _ if !MAY_SHARE.contains(&overload.base()) && !MAY_COPY.contains(&overload.base()) => Some(true),
            (Some(x), Some(result)) => self.is_same_memory(id, overload, x, result),
            _ => Some(false),
        };
        Ok(is_certain.map(|is_certain| (of, View { overload, args, kwargs, pick: None, is_certain })))
    }

    /// Whether what an operator gives that copies where it cannot or need not give a view is one; `None` for a copy,
    /// false if that is not known.
    fn is_same_memory(&mut self, id: NodeId, overload: &Overload, x: &TensorMeta, result: &TensorMeta) -> Option<bool> {
        let node = &self.from[id];
        let bound = overload.bind(&node.args, &node.kwargs).ok();
        let is_given =
            |name| bound.as_ref().is_some_and(|b| b.has(name) && !matches!(b.get(name), Arg::None | Arg::Bool(false)));
        match overload.base() {
            _ if x.dtype != result.dtype => None,
            "to" if is_given("copy") => None,
            "to" | "type_as" => Some(x.device == result.device && !is_given("memory_format")),
            // A tensor that lies as is asked for is given back.
            "contiguous" => lies_as(x, result).then_some(true),
            "flatten" | "ravel" | "reshape" | "reshape_as" => {
                match infer::strides::viewed(&mut infer::sizes::Sizes::Proved(&mut self.to.exprs), x, &result.sizes) {
                    Some(strides) => strides.map(|_| true),
                    None => Some(false),
                }
            }
            _ => Some(false),
        }
    }

    /// Makes a node the view of a tensor.
    fn look(&mut self, id: NodeId, value: NodeId, of: NodeId, view: View) {
        let alias = &self.tensors[&of];
        let path = alias.path.iter().cloned().chain([view]).collect();
        let (root, writes) = (alias.root, self.roots[alias.root].writes);
        self.tensors.insert(id, Alias { root, path, value, writes });
    }

    /// One of several results.
    fn pick(&mut self, id: NodeId) -> Outcome {
        let node = &self.from[id];
        let (Some(&Arg::Node(whole)), Some(&Arg::Int(at))) = (node.args.first(), node.args.get(1)) else {
            return Err("a pick from something other than a call".to_owned());
        };
        let items = match &self.from[whole].meta {
            Some(Meta::Tuple(items)) => items.len() as i64,
            _ => return Err("a pick from something other than a tuple".to_owned()),
        };
        let pick = usize::try_from(if at < 0 { at + items } else { at }).map_err(|_| "no such item".to_owned())?;
        match self.tensors.get(&whole).cloned() {
            // The views of a split.
            Some(mut alias) => {
                if alias.writes != self.roots[alias.root].writes {
                    alias.value = self.read(whole)?;
                    alias.writes = self.roots[alias.root].writes;
                }
                let args = vec![Arg::Node(alias.value), Arg::Int(at)];
                let value = self.to.push(node.kind, node.target.clone(), args, Vec::new(), Some(&node.name));
                self.to[value].meta = node.meta.clone();
                alias.path.last_mut().expect("a split is a view").pick = Some(pick);
                self.tensors.insert(id, Alias { value, ..alias });
            }
            None => {
                // A result that is picked twice is one tensor.
                let twin = self.from.nodes().take_while(|&other| other != id).find(|&other| {
                    let other = &self.from[other];
                    other.target == node.target && other.args == node.args
                });
                if let Some(alias) = twin.and_then(|twin| self.tensors.get(&twin)).cloned() {
                    self.tensors.insert(id, alias);
                } else {
                    let value = self.copy(id)?;
                    self.leaf(id, value, Origin::Call);
                }
            }
        }
        Ok(())
    }

    /// A call that writes to one of its arguments: its functional twin gives that one's next value.
    fn write(&mut self, id: NodeId, overload: &'static Overload) -> Outcome {
        let node = &self.from[id];
        let (twin, at) = twin(overload).ok_or_else(|| format!("`{}` has no functional form", overload.name))?;
        let param = &overload.schema.params[at];
        let target = overload.written(&node.args, &node.kwargs);
        let alias = target.and_then(|target| self.tensors.get(&target)).cloned();
        let (Some(target), Some(alias)) = (target, alias) else {
            return Err("a write to something other than a tensor".to_owned());
        };
        if self.roots[alias.root].origin == Origin::Constant {
            return Err("a write to a constant".to_owned());
        }
        let before = self.read(target)?;
        let mut args = node.args.iter().map(|arg| self.read_arg(arg)).collect::<Outcome<Vec<_>>>()?;
        let kwargs = node.kwargs.iter().filter(|(name, _)| !param.kwarg_only || *name != param.name);
        let kwargs = kwargs.map(|(name, arg)| Ok((name.clone(), self.read_arg(arg)?)));
        let kwargs: Vec<(String, Arg)> = kwargs.collect::<Outcome<_>>()?;
        if overload.base() == "zero_" {
            args.push(Arg::Int(0));
        }
        if !checks_sizes(&twin) && self.is_symbolic(id) {
            return Err(format!("`{}` of tensors whose sizes differ between calls", overload.name));
        }
        let value = self.push(&format!("aten.{twin}"), args, kwargs)?;
        let value = self.settled(before, value, alias.path.is_empty())?;
        self.to[value].stack_trace = node.stack_trace.clone();
        self.put(&alias, value)?;
        let writes = self.roots[alias.root].writes;
        // What a write gives is the tensor that it wrote to.
        let written = self.tensors.get_mut(&target).expect("it was there");
        if written.path.is_empty() {
            (written.value, written.writes) = (value, writes);
        }
        let written = written.clone();
        self.tensors.insert(id, written);
        Ok(())
    }

    /// True if a size of an operand differs between calls.
    fn is_symbolic(&self, id: NodeId) -> bool {
        let inputs = self.from[id].inputs();
        let metas = inputs.iter().filter_map(|&input| self.from[input].tensor_meta());
        metas.flat_map(|meta| &meta.sizes).any(|&size| self.from.exprs.as_int(size).is_none())
    }

    /// The value as the tensor in whose place it comes: of its element type, and if that is a root, in its layout.
    fn settled(&mut self, before: NodeId, value: NodeId, is_root: bool) -> Outcome<NodeId> {
        let meta = |pass: &Self, node: NodeId| pass.to[node].tensor_meta().cloned().ok_or("no tensor".to_owned());
        let fits = |old: &TensorMeta, new: &TensorMeta| match is_root {
            true => lies_as(old, new),
            false => (old.dtype, &old.sizes) == (new.dtype, &new.sizes),
        };
        let (old, new) = (meta(self, before)?, meta(self, value)?);
        if fits(&old, &new) {
            return Ok(value);
        }
        let value = self.push("aten.copy.default", vec![Arg::Node(before), Arg::Node(value)], Vec::new())?;
        if !fits(&old, &meta(self, value)?) {
            return Err("a write to a tensor whose elements do not lie side by side".to_owned());
        }
        Ok(value)
    }

    /// Puts the value of a tensor into its root.
    fn put(&mut self, alias: &Alias, value: NodeId) -> Outcome {
        let mut value = value;
        if let Some(view) = alias.path.iter().find(|view| !view.is_certain) {
            return Err(format!("a write through `{}`, which may be a copy", view.overload.name));
        }
        // The tensors whose part each view is.
        let values = self.along(alias.root, &alias.path[..alias.path.len().saturating_sub(1)])?;
        for (at, (view, &whole)) in alias.path.iter().zip(&values).enumerate().rev() {
            let put = self.inverse(view, whole, value)?;
            value = self.settled(whole, put, at == 0)?;
        }
        let root = &mut self.roots[alias.root];
        root.value = value;
        root.writes += 1;
        Ok(())
    }

    /// The tensor with one of its views replaced.
    fn inverse(&mut self, view: &View, whole: NodeId, part: NodeId) -> Outcome<NodeId> {
        let no = || format!("a write through `{}`", view.overload.name);
        let meta = self.to[whole].tensor_meta().ok_or_else(no)?.clone();
        let rank = meta.sizes.len() as i64;
        let args = [vec![Arg::Node(whole)], view.args.clone()].concat();
        let bound = view.overload.bind(&args, &view.kwargs).map_err(|error| error.to_string())?;
        let of = |name: &str| bound.get(name).clone();
        let dim = |name: &str| bound.int(name).map(|dim| if dim < 0 { dim + rank } else { dim }).map_err(|_| no());
        let known: Vec<Option<i64>> = meta.sizes.iter().map(|&size| self.to.exprs.as_int(size)).collect();
        let scatter = |rest: Vec<Arg>| [vec![Arg::Node(whole), Arg::Node(part)], rest].concat();
        let (target, args) = match (&*view.overload.name, view.pick) {
            ("select.int", None) => ("aten.select_scatter.default", scatter(vec![of("dim"), of("index")])),
            ("slice.Tensor", None) => {
                ("aten.slice_scatter.default", scatter(vec![of("dim"), of("start"), of("end"), of("step")]))
            }
            ("narrow.default", None) => {
                let (Arg::Int(start), Arg::Int(length)) = (of("start"), of("length")) else { return Err(no()) };
                let length_of_all = known[dim("dim")? as usize];
                let start = if start < 0 { start + length_of_all.ok_or_else(no)? } else { start };
                let rest = vec![of("dim"), Arg::Int(start), Arg::Int(start + length), Arg::Int(1)];
                ("aten.slice_scatter.default", scatter(rest))
            }
            ("unbind.int", Some(pick)) => {
                ("aten.select_scatter.default", scatter(vec![of("dim"), Arg::Int(pick as i64)]))
            }
            ("split.Tensor" | "split_with_sizes.default" | "split.sizes" | "chunk.default", Some(pick)) => {
                let dim = dim("dim")? as usize;
                let start = self.start(view, whole, pick, dim).ok_or_else(no)?;
                let length = self.to[part].tensor_meta().and_then(|part| self.to.exprs.as_int(part.sizes[dim]));
                let end = start + length.ok_or_else(no)?;
                let rest = vec![of("dim"), Arg::Int(start), Arg::Int(end), Arg::Int(1)];
                ("aten.slice_scatter.default", scatter(rest))
            }
            ("diagonal.default", None) => {
                ("aten.diagonal_scatter.default", scatter(vec![of("offset"), of("dim1"), of("dim2")]))
            }
            ("alias.default" | "detach.default" | "contiguous.default", None) => return Ok(part),
            ("t.default", None) => ("aten.t.default", vec![Arg::Node(part)]),
            ("transpose.int", None) => ("aten.transpose.int", vec![Arg::Node(part), of("dim0"), of("dim1")]),
            ("permute.default", None) => {
                let dims = bound.ints("dims").map_err(|_| no())?;
                let mut inverse = vec![Arg::None; dims.len()];
                for (at, dim) in dims.into_iter().enumerate() {
                    let dim = if dim < 0 { dim + rank } else { dim };
                    *inverse.get_mut(dim as usize).ok_or_else(no)? = Arg::Int(at as i64);
                }
                ("aten.permute.default", vec![Arg::Node(part), Arg::List(inverse)])
            }
            ("unsqueeze.default", None) => {
                let dim = bound.int("dim").map_err(|_| no())?;
                let dim = if dim < 0 { dim + rank + 1 } else { dim };
                ("aten.squeeze.dim", vec![Arg::Node(part), Arg::Int(dim)])
            }
            (name, None) if RESHAPING.contains(&name) => {
                let sizes: Option<Vec<Arg>> = known.iter().map(|size| size.map(Arg::Int)).collect();
                ("aten.reshape.default", vec![Arg::Node(part), Arg::List(sizes.ok_or_else(no)?)])
            }
            _ => return Err(no()),
        };
        self.push(target, args, Vec::new())
    }

    /// Where a part of a split begins.
    fn start(&mut self, view: &View, whole: NodeId, pick: usize, dim: usize) -> Option<i64> {
        let split = self.call_view(view, whole).ok()?;
        let meta = self.to[split].meta.take();
        self.to.erase(split).ok()?;
        let Some(Meta::Tuple(parts)) = meta else { return None };
        let length = |part: &Option<Meta>| match part {
            Some(Meta::Tensor(part)) => self.to.exprs.as_int(part.sizes[dim]),
            _ => None,
        };
        parts[..pick].iter().map(length).sum()
    }

    /// Writes back what inputs have become, and gives the results.
    fn output(&mut self, id: NodeId) -> Outcome {
        let node = &self.from[id];
        let Some(Arg::Tuple(results) | Arg::List(results)) = node.args.first() else {
            return Err("a result that is no tuple".to_owned());
        };
        let is_shared = |root: RootId| {
            let of_root = results.iter().filter_map(Arg::as_node).filter_map(|node| self.tensors.get(&node));
            self.roots[root].origin != Origin::Call || of_root.filter(|alias| alias.root == root).count() > 1
        };
        let is_shared: Vec<bool> = (0..self.roots.len()).map(is_shared).collect();
        let mut outputs = Vec::new();
        let mut bases: FxHashMap<RootId, Base> = FxHashMap::default();
        for result in results {
            let alias = result.as_node().and_then(|node| self.tensors.get(&node)).cloned();
            let Some(alias) = alias.filter(|alias| is_shared[alias.root]) else {
                self.results.push(Given::Output(outputs.len()));
                outputs.push(self.read_arg(result)?);
                continue;
            };
            let base = match (bases.get(&alias.root), self.inputs.iter().position(|&root| root == Some(alias.root))) {
                (Some(&base), _) => base,
                (None, Some(number)) => Base::Input(number),
                (None, None) if self.roots[alias.root].origin == Origin::Constant => {
                    return Err("a result in a constant's memory".to_owned());
                }
                (None, None) => {
                    outputs.push(Arg::Node(self.roots[alias.root].value));
                    Base::Output(outputs.len() - 1)
                }
            };
            bases.insert(alias.root, base);
            let depends = |view: &View| {
                let mut depends = false;
                let args = view.args.iter().chain(view.kwargs.iter().map(|(_, arg)| arg));
                args.for_each(|arg| arg.for_each_node(&mut |_| depends = true));
                depends
            };
            if let Some(view) = alias.path.iter().find(|view| !view.is_certain || depends(view)) {
                return Err(format!("`{}` of memory that another result or an input is in", view.overload.name));
            }
            self.results.push(Given::View { base, path: alias.path });
        }
        for number in 0..self.inputs.len() {
            let Some(root) = self.inputs[number].filter(|&root| self.is_written(root)) else { continue };
            let input = self.to.placeholders().nth(number).ok_or("an input that is not there")?;
            let args = vec![Arg::Node(input), Arg::Node(self.roots[root].value)];
            let write = self.to.push(Kind::CallFunction, "aten.copy_.default", args, Vec::new(), None);
            self.to[write].meta = self.to[input].meta.clone();
        }
        let output = self.to.push(Kind::Output, "output", vec![Arg::Tuple(outputs)], Vec::new(), Some(&node.name));
        self.to[output].meta = node.meta.clone();
        Ok(())
    }
}

/// Operators whose result may share memory with the first argument, though their schemas say nothing of it.
const MAY_SHARE: &[&str] = &[
    "_unsafe_view",
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "broadcast_tensors",
    "cartesian_prod",
    "einsum",
    "meshgrid",
    "type_as",
    "unsafe_chunk",
    "unsafe_split",
    "unsafe_split_with_sizes",
];

/// Operators whose schemas say that they give views, and that copy where they cannot or need not.
const MAY_COPY: &[&str] =
    &["contiguous", "flatten", "ravel", "reshape", "reshape_as", "resolve_conj", "resolve_neg", "to", "to_dense"];

/// Views that keep the order of the elements.
const RESHAPING: &[&str] = &[
    "flatten.using_ints",
    "ravel.default",
    "reshape.default",
    "reshape_as.default",
    "squeeze.default",
    "squeeze.dim",
    "squeeze.dims",
    "unflatten.int",
    "view.default",
    "view_as.default",
];

/// The functional form of an overload that writes to one argument, and the position of that parameter.
fn twin(overload: &Overload) -> Option<(String, usize)> {
    let (params, at) = (&overload.schema.params, overload.written_param()?);
    let is_function =
        |name: &str| aten::lookup(name).is_some_and(|twin| twin.is_function() && twin.schema.returns.len() == 1);
    if overload.is_random() && !overload.base().contains("dropout") {
        // The functional form of a distribution might draw other numbers.
        return None;
    }
    if params[at].kwarg_only {
        let (base, _) = overload.name.split_once('.')?;
        let rest: Vec<_> = params.iter().filter(|param| !param.kwarg_only).collect();
        let fits = |name: &&str| {
            (name.strip_prefix(base).is_some_and(|rest| rest.is_empty() || rest.starts_with('.')))
                && is_function(name)
                && aten::lookup(name).is_some_and(|twin| {
                    let own = || twin.schema.params.iter().filter(|param| !param.kwarg_only);
                    own().count() == rest.len() && own().zip(&rest).all(|(a, b)| a.name == b.name && a.ty == b.ty)
                })
        };
        return aten::names().find(fits).map(|name| (name.to_owned(), at));
    }
    let (base, rest) = overload.name.split_once('.')?;
    let twin = match base {
        "copy_" => "copy.default".to_owned(),
        "zero_" => "fill.Scalar".to_owned(),
        _ => format!("{}.{rest}", base.strip_suffix('_')?),
    };
    is_function(&twin).then_some((twin, at))
}

/// True if the rule of an operator refuses operands whose sizes do not fit each other, which others leave to kernels.
fn checks_sizes(name: &str) -> bool {
    aten::lookup(name)
        .is_some_and(|overload| infer::pointwise::row(overload).is_some() || matches!(overload.base(), "copy" | "fill"))
}

/// True for a normalisation that changes no running statistics.
fn keeps_no_statistics(graph: &Graph, id: NodeId) -> bool {
    let node = &graph[id];
    let Some(Ok(bound)) = aten::lookup(&node.target).map(|overload| overload.bind(&node.args, &node.kwargs)) else {
        return false;
    };
    let switch = ["training", "train", "use_input_stats"].into_iter().find(|name| bound.has(name));
    let is_off = switch.is_some_and(|name| *bound.get(name) == Arg::Bool(false));
    is_off || bound.has("running_mean") && bound.get("running_mean").is_none()
}

/// True if two tensors have the same elements in the same places.
fn lies_as(a: &TensorMeta, b: &TensorMeta) -> bool {
    (a.dtype, &a.sizes, &a.strides) == (b.dtype, &b.sizes, &b.strides)
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    /// Makes a graph functional whose inputs are float32 of size 4 by 3.
    fn functional(text: &str) -> Result<Functional, NotFunctional> {
        let mut graph: Graph = text.parse().expect("test graph");
        for input in graph.placeholders().collect::<Vec<_>>() {
            let sizes: Vec<_> = [4, 3].map(|n| graph.exprs.int(n)).into();
            let strides: Vec<_> = [3, 1].map(|n| graph.exprs.int(n)).into();
            let (dtype, device) = (symshapes::DType::F32, symshapes::Device::CPU);
            let (offset, requires_grad) = (graph.exprs.int(0), false);
            graph[input].meta = Some(Meta::Tensor(TensorMeta { dtype, device, sizes, strides, offset, requires_grad }));
        }
        for id in graph.nodes().collect::<Vec<_>>() {
            // What a write gives is its first argument.
            let written = aten::lookup(&graph[id].target).filter(|overload| overload.mutates());
            graph[id].meta = match written.and_then(|_| graph[id].args.first()?.as_node()) {
                Some(of) if graph[id].kind == Kind::CallFunction => graph[of].meta.clone(),
                _ if graph[id].kind == Kind::CallFunction => Some(infer::node(&mut graph, id).expect("a rule")),
                _ => continue,
            };
        }
        functionalize(&graph)
    }

    fn check(text: &str, expected: &Expect) {
        let Functional { mut graph, .. } = functional(text).expect("a functional graph");
        for node in graph.nodes().collect::<Vec<_>>() {
            graph[node].meta = None;
        }
        expected.assert_eq(&graph.to_text());
    }

    #[test]
    fn a_write_to_a_view_is_seen_through_the_others() {
        check(
            "graph {
                %x = placeholder[x]
                %y = call_function[aten.neg.default](%x)
                %row = call_function[aten.select.int](%y, 0, 1)
                %t = call_function[aten.t.default](%y)
                %w = call_function[aten.mul_.Scalar](%row, 2)
                %s = call_function[aten.sum.default](%t)
                %output = output((%w, %s))
            }",
            &expect![[r#"
                graph {
                  %x = placeholder[x]
                  %y = call_function[aten.neg.default](%x)
                  %row = call_function[aten.select.int](%y, 0, 1)
                  %t = call_function[aten.t.default](%y)
                  %mul = call_function[aten.mul.Scalar](%row, 2)
                  %select_scatter = call_function[aten.select_scatter.default](%y, %mul, 0, 1)
                  %t_1 = call_function[aten.t.default](%select_scatter)
                  %s = call_function[aten.sum.default](%t_1)
                  %select = call_function[aten.select.int](%select_scatter, 0, 1)
                  %output = output((%select, %s))
                }
            "#]],
        );
    }

    #[test]
    fn an_input_takes_its_last_value_at_the_end() {
        check(
            "graph {
                %x = placeholder[x]
                %a = call_function[aten.add_.Tensor](%x, 1)
                %b = call_function[aten.relu_.default](%a)
                %y = call_function[aten.neg.default](%x)
                %output = output((%y,))
            }",
            &expect![[r#"
                graph {
                  %x = placeholder[x]
                  %add = call_function[aten.add.Tensor](%x, 1)
                  %relu = call_function[aten.relu.default](%add)
                  %y = call_function[aten.neg.default](%relu)
                  %copy_ = call_function[aten.copy_.default](%x, %relu)
                  %output = output((%y,))
                }
            "#]],
        );
    }

    #[test]
    fn parts_of_a_split_are_written_by_position() {
        check(
            "graph {
                %x = placeholder[x]
                %y = call_function[aten.neg.default](%x)
                %parts = call_function[aten.split.Tensor](%y, 3)
                %part = call_function[operator.getitem](%parts, 1)
                %w = call_function[aten.zero_.default](%part)
                %output = output((%y,))
            }",
            &expect![[r#"
                graph {
                  %x = placeholder[x]
                  %y = call_function[aten.neg.default](%x)
                  %parts = call_function[aten.split.Tensor](%y, 3)
                  %part = call_function[operator.getitem](%parts, 1)
                  %fill = call_function[aten.fill.Scalar](%part, 0)
                  %slice_scatter = call_function[aten.slice_scatter.default](%y, %fill, 0, 3, 4, 1)
                  %output = output((%slice_scatter,))
                }
            "#]],
        );
    }

    #[test]
    fn results_that_share_memory_are_views_of_one_output() {
        let of = |first: &str, second: &str| {
            let text = format!(
                "graph {{
                    %x = placeholder[x]
                    %y = call_function[aten.neg.default](%x)
                    %a = call_function[aten.{first}
                    %b = call_function[aten.{second}
                    %output = output((%a, %b))
                }}"
            );
            let results = functional(&text).expect("a functional graph").results;
            let told = results.into_iter().map(|result| match result {
                Given::Output(number) => format!("output {number}"),
                Given::View { base, path } => {
                    let names: Vec<&str> = path.iter().map(|view| view.overload.base()).collect();
                    format!("{base:?} {}", names.join(" "))
                }
            });
            told.collect::<Vec<_>>()
        };
        assert_eq!(of("t.default](%y)", "neg.default](%y)"), ["output 0", "output 1"]);
        assert_eq!(of("t.default](%y)", "select.int](%y, 0, 1)"), ["Output(0) t", "Output(0) select"]);
        assert_eq!(of("t.default](%x)", "neg.default](%y)"), ["Input(0) t", "output 0"]);
        assert_eq!(of("reshape.default](%x, [12])", "reshape.default](%y, [12])"), ["Input(0) reshape", "output 0"]);
    }

    #[test]
    fn not_understood_is_refused() {
        let why = |calls: &str| {
            let text = format!("graph {{\n%x = placeholder[x]\n{calls}\n%output = output((%x,))\n}}");
            functional(&text).expect_err("no functional graph").to_string()
        };
        expect!["%u: `uniform_.default` has no functional form"]
            .assert_eq(&why("%u = call_function[aten.uniform_.default](%x)"));
        expect!["%t: `t_.default` has no functional form"].assert_eq(&why("%t = call_function[aten.t_.default](%x)"));
        let unfolded = "%e = call_function[aten.unfold.default](%x, 0, 2, 1)";
        expect!["%w: a write through `unfold.default`"]
            .assert_eq(&why(&format!("{unfolded}\n%w = call_function[aten.zero_.default](%e)")));
    }
}
