//! Functionalisation: a graph of ATen overloads that writes into tensors becomes one that computes new tensors.
//!
//! Each tensor is a chain of views of a root, the tensor whose memory it is in. A write to it computes the root's next
//! value: that of the view is put into that of the root, view by view (`slice` by `slice_scatter`, `permute` by its
//! inverse). Views that were made before are made again from the new value when they are next read. An input that was
//! written to takes its last value at the end of the graph, by `copy_`.
//!
//! [`views`] knows which calls give views and how a view is undone, [`writes`] how a write is computed instead.
//!
//! Invariant: what is not understood is an error, and the caller keeps the graph that it has.

mod views;
mod writes;

#[cfg(test)]
mod tests;

use crate::{
    arg::Arg,
    aten::Aten,
    custom_gradient::CustomGradient,
    effects::{SideEffect, idle_dropout, side_effect},
    graph::{Graph, Kind, Meta, NodeId, stem},
    infer,
    target::Target,
};
use rustc_hash::FxHashMap;
use symshapes::Pool;
pub use views::View;

/// A graph without writes, but for those at its end into inputs.
#[derive(Debug)]
pub struct Functional {
    /// The graph. After its last call of another kind come `copy_` into each input that the original wrote to.
    pub graph: Graph,
    /// The inputs, by number, that are written to, and how many of the writes their version counters see: those of what
    /// shares their memory alone may see the others.
    pub written: Vec<(usize, u32)>,
    /// The outputs of the graph, by number, whose version counters see writes, and how many.
    pub rewritten: Vec<(usize, u32)>,
    /// The results of the original, in order.
    pub results: Vec<Given>,
}

/// A result of the original graph: an output of the new one, or a view of a tensor.
#[derive(Clone, PartialEq, Debug)]
pub enum Given {
    /// It is this output of the new graph.
    Output(usize),
    /// It is a view of a tensor that the caller has, too.
    View {
        /// The tensor whose memory it is in.
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

/// The reason why a graph cannot be made functional.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("%{node}: {why}")]
pub struct NotFunctional {
    /// The name of the node.
    pub node: String,
    /// The obstacle.
    pub why: String,
    /// True if only eager gives what it gives: of places in a storage (`as_strided`) AOTAutograd knows no more.
    pub eager_only: bool,
}

/// Makes a graph of ATen overloads functional. Every tensor has metadata.
///
/// # Errors
/// A write that cannot be expressed without one.
pub fn functionalize(graph: &Graph) -> Result<Functional, NotFunctional> {
    let pass = Functionalize::run(graph, graph.exprs.clone(), false)?;
    let roots = pass.inputs.iter().enumerate().filter_map(|(at, &root)| Some((at, &pass.roots[root?])));
    let written = roots.filter(|(_, root)| root.writes > 0).map(|(at, root)| (at, root.versions)).collect();
    Ok(Functional { written, rewritten: pass.rewritten, results: pass.results, graph: pass.to })
}

/// The number of a root.
type RootId = usize;

/// A tensor that is a view of none.
struct Root {
    /// Its latest value, in the new graph.
    value: NodeId,
    /// The number of writes so far.
    writes: u32,
    /// The number of writes that its version counter sees.
    versions: u32,
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

impl Alias {
    /// True for a view of places in a storage, or of such a view: its value is a copy, which lies otherwise.
    fn is_strided(&self) -> bool {
        self.path.iter().any(|view| view.overload == Aten::as_strided_default)
    }
}

struct Functionalize<'a> {
    from: &'a Graph,
    to: Graph,
    /// The counterparts of nodes that are no tensors.
    copies: FxHashMap<NodeId, NodeId>,
    tensors: FxHashMap<NodeId, Alias>,
    roots: Vec<Root>,
    /// The picks from calls with several results that are tensors of their own, by call and place.
    picks: FxHashMap<(NodeId, usize), NodeId>,
    /// Lists of tensors of the old graph that a call gives back, by the call and by the pick of the list.
    lists: FxHashMap<NodeId, Vec<NodeId>>,
    /// The root of each input that is a tensor.
    inputs: Vec<Option<RootId>>,
    results: Vec<Given>,
    /// The outputs that were written to, and how many of the writes their version counters see.
    rewritten: Vec<(usize, u32)>,
    /// Whether the graph is a subgraph, which gives values, wherever they lie.
    is_body: bool,
}

type Outcome<T = ()> = Result<T, String>;

impl Functionalize<'_> {
    /// Goes over a graph, whose expressions are those of a pool.
    fn run(graph: &Graph, exprs: Pool, is_body: bool) -> Result<Functionalize<'_>, NotFunctional> {
        let mut to = Graph::new();
        to.exprs = exprs;
        let mut pass = Functionalize {
            from: graph,
            to,
            copies: FxHashMap::default(),
            tensors: FxHashMap::default(),
            roots: Vec::new(),
            picks: FxHashMap::default(),
            lists: FxHashMap::default(),
            inputs: Vec::new(),
            results: Vec::new(),
            rewritten: Vec::new(),
            is_body,
        };
        for id in graph.nodes() {
            pass.node(id).map_err(|why| {
                let eager_only = graph.nodes().any(|node| graph[node].op() == Some(Aten::as_strided_default));
                NotFunctional { node: graph[id].name.to_string(), why, eager_only }
            })?;
        }
        Ok(pass)
    }

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
            Kind::GetAttr => {
                let body = self.from.subgraph(id).expect("others are constants");
                // Where the body is copied, its expressions are this graph's.
                let exprs = std::mem::take(&mut self.to.exprs);
                let body = Functionalize::run(body, exprs, true).map_err(|error| error.to_string())?;
                self.to.exprs = body.to.exprs.clone();
                if body.roots.iter().any(|root| root.origin == Origin::Input && root.writes > 0) {
                    return Err("a subgraph that writes to its inputs".to_owned());
                }
                let fetch = self.to.fetch_subgraph(stem(&self.from[id].target), body.to);
                self.copies.insert(id, fetch);
            }
            Kind::CallModule => return Err("a module".to_owned()),
            Kind::Output if self.is_body => drop(self.copy(id)?),
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
        self.roots.push(Root { value, writes: 0, versions: 0, origin });
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

    /// A number of the new graph as an expression; another node as it is.
    fn number(&self, node: NodeId) -> Arg {
        match self.to[node].meta {
            Some(Meta::Int(expr)) => self.to.exprs.as_int(expr).map_or(Arg::Sym(expr), Arg::Int),
            _ => Arg::Node(node),
        }
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

    /// Appends a call to the new graph and infers what it gives.
    fn push(&mut self, target: impl Into<Target>, args: Vec<Arg>, kwargs: Vec<(String, Arg)>) -> Outcome<NodeId> {
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
        let overload = node.op();
        match overload {
            Some(overload) if keeps_statistics(self.from, id, overload) => self.normalize(id, overload),
            Some(overload) if overload.mutates() => self.write(id, overload),
            _ if let Some(alias) = idle_dropout(self.from, id).and_then(|of| self.tensors.get(&of)).cloned() => {
                self.tensors.insert(id, alias);
                Ok(())
            }
            Some(overload) if overload == Aten::as_strided_default => self.as_strided(id, overload),
            Some(overload) if overload == Aten::histogramdd_TensorList_bins => self.histogram(id, overload),
            Some(overload) => {
                if side_effect(self.from, id) == Some(SideEffect::Changes) && !keeps_no_statistics(self.from, id) {
                    return Err("an operator that changes what its schema does not say".to_owned());
                }
                let view = self.view(id, overload)?;
                if let Some((of, view)) = &view
                    && view.is_certain
                    && views::gives_back(self.from, id, overload)
                {
                    let alias = self.tensors[of].clone();
                    self.tensors.insert(id, alias);
                    return Ok(());
                }
                let value = match &view {
                    Some((of, view)) if self.is_strided(*of) => {
                        let of = self.read(*of)?;
                        self.call_view(view, of)?
                    }
                    _ => self.copy(id)?,
                };
                match view {
                    Some((of, view)) => self.look(id, value, of, view),
                    None => {
                        self.leaf(id, value, Origin::Call);
                    }
                }
                Ok(())
            }
            None if let Some(custom) = CustomGradient::of(self.from, id) => {
                self.gives_own_tensors(&custom.results)?;
                self.copy(id).map(drop)
            }
            // The tracer has looked at its schema.
            None if node.is_custom_op() => {
                let value = self.copy(id)?;
                self.leaf(id, value, Origin::Call);
                Ok(())
            }
            None if gives_tensors => Err(format!("`{}`, of which is not known what it shares", node.target)),
            None if side_effect(self.from, id).is_some() => Err(format!("`{}`, which may write", node.target)),
            None => self.copy(id).map(drop),
        }
    }

    /// True for a tensor whose value is a copy that lies otherwise.
    fn is_strided(&self, tensor: NodeId) -> bool {
        self.tensors.get(&tensor).is_some_and(Alias::is_strided)
    }

    /// Refuses tensors that are not, each as a whole, what a call gives alone.
    fn gives_own_tensors(&self, tensors: &[NodeId]) -> Outcome {
        let mut seen = Vec::new();
        for tensor in tensors {
            let alias = self.tensors.get(tensor).ok_or("an operand of unknown kind")?;
            let is_own = alias.path.is_empty() && self.roots[alias.root].origin == Origin::Call;
            if !is_own || seen.contains(&alias.root) {
                return Err("a result in the memory of another tensor".to_owned());
            }
            seen.push(alias.root);
        }
        Ok(())
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
        match self.lists.get(&whole) {
            Some(edges) if self.from[whole].op() == Some(Aten::histogramdd_TensorList_bins) => {
                match pick {
                    0 => drop(self.leaf(id, self.copies[&whole], Origin::Call)),
                    _ => drop(self.lists.insert(id, edges.clone())),
                }
                return Ok(());
            }
            Some(edges) => {
                let given = edges.get(pick).and_then(|edge| self.tensors.get(edge)).ok_or("no such item")?.clone();
                self.tensors.insert(id, given);
                return Ok(());
            }
            None => {}
        }
        match self.tensors.get(&whole).cloned() {
            // The views of a split.
            Some(mut alias) => {
                if alias.writes != self.roots[alias.root].writes {
                    alias.value = self.read(whole)?;
                    alias.writes = self.roots[alias.root].writes;
                }
                let args = vec![Arg::Node(alias.value), Arg::Int(at)];
                let value = if self.is_strided(whole) {
                    self.push(node.target.clone(), args, Vec::new())?
                } else {
                    let value = self.to.push(node.kind, node.target.clone(), args, Vec::new(), Some(&node.name));
                    self.to[value].meta = node.meta.clone();
                    value
                };
                alias.path.last_mut().expect("a split is a view").pick = Some(pick);
                self.tensors.insert(id, Alias { value, ..alias });
            }
            None => {
                // A result that is picked twice is one tensor.
                let first = *self.picks.entry((whole, pick)).or_insert(id);
                if let Some(alias) = self.tensors.get(&first).cloned() {
                    self.tensors.insert(id, alias);
                } else {
                    let value = self.copy(id)?;
                    self.leaf(id, value, Origin::Call);
                }
            }
        }
        Ok(())
    }

    /// Counts in bins of which the edges are given, and given back.
    fn histogram(&mut self, id: NodeId, overload: Aten) -> Outcome {
        let node = &self.from[id];
        let Some(Meta::Tuple(items)) = &node.meta else { return Err("counts of which nothing is known".to_owned()) };
        let bound = overload.bind(&node.args, &node.kwargs).map_err(|error| error.to_string())?;
        let args = ["self", "bins"].map(|name| self.read_arg(bound.get(name)));
        let args = args.into_iter().collect::<Outcome<_>>()?;
        let kwargs = ["weight", "density"].map(|name| Ok((name.to_owned(), self.read_arg(bound.get(name))?)));
        let kwargs = kwargs.into_iter().collect::<Outcome<_>>()?;
        let target = Aten::_histogramdd_from_bin_tensors_default;
        let counts = self.to.push(Kind::CallFunction, target, args, kwargs, None);
        self.to[counts].meta = items.first().cloned().flatten();
        self.copies.insert(id, counts);
        let mut edges = Vec::new();
        bound.get("bins").for_each_node(&mut |edge| edges.push(edge));
        self.lists.insert(id, edges);
        Ok(())
    }

    /// True for a tensor that does not share the version counter of its root.
    fn has_own_version(&self, tensor: &Arg) -> bool {
        let alias = tensor.as_node().and_then(|node| self.tensors.get(&node));
        alias.is_some_and(|alias| alias.path.iter().any(|view| view.overload.has_own_version()))
    }

    /// Writes back what inputs have become, and gives the results.
    fn output(&mut self, id: NodeId) -> Outcome {
        let node = &self.from[id];
        let Some(Arg::Tuple(results) | Arg::List(results)) = node.args.first() else {
            return Err("a result that is no tuple".to_owned());
        };
        let is_shared = |root: RootId| {
            let of_root = results.iter().filter_map(Arg::as_node).filter_map(|node| self.tensors.get(&node));
            let mut of_root = of_root.filter(|alias| alias.root == root);
            // The value of a view of places is a copy, which need not lie as the view does.
            self.roots[root].origin != Origin::Call
                || of_root.next().is_some_and(Alias::is_strided)
                || of_root.next().is_some()
        };
        let is_shared: Vec<bool> = (0..self.roots.len()).map(is_shared).collect();
        let mut outputs = Vec::new();
        let mut bases: FxHashMap<RootId, Base> = FxHashMap::default();
        for result in results {
            let alias = result.as_node().and_then(|node| self.tensors.get(&node)).cloned();
            let versions = alias.as_ref().map_or(0, |alias| self.roots[alias.root].versions);
            let Some(mut alias) = alias.filter(|alias| is_shared[alias.root]) else {
                let is_apart = self.has_own_version(result);
                self.rewritten.push((outputs.len(), if is_apart { 0 } else { versions }));
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
                    self.rewritten.push((outputs.len(), versions));
                    outputs.push(Arg::Node(self.roots[alias.root].value));
                    Base::Output(outputs.len() - 1)
                }
            };
            bases.insert(alias.root, base);
            for view in &mut alias.path {
                for arg in view.args.iter_mut().chain(view.kwargs.iter_mut().map(|(_, arg)| arg)) {
                    *arg = arg.map_nodes(&mut |node| self.number(node));
                }
            }
            let depends = |view: &View| {
                let mut depends = false;
                let args = view.args.iter().chain(view.kwargs.iter().map(|(_, arg)| arg));
                args.for_each(|arg| arg.for_each_node(&mut |_| depends = true));
                depends
            };
            if let Some(view) = alias.path.iter().find(|view| !view.is_certain || depends(view)) {
                return Err(format!("`{}` of memory that another result or an input is in", view.overload.name()));
            }
            self.results.push(Given::View { base, path: alias.path });
        }
        self.rewritten.retain(|&(_, versions)| versions > 0);
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

/// True for a normalisation that moves running statistics along, or that by its schema may.
fn keeps_statistics(graph: &Graph, id: NodeId, overload: Aten) -> bool {
    writes::WITH_STATISTICS.contains(&overload) && (overload.mutates() || !keeps_no_statistics(graph, id))
}

/// True for a normalisation that changes no running statistics.
fn keeps_no_statistics(graph: &Graph, id: NodeId) -> bool {
    let node = &graph[id];
    let Some(Ok(bound)) = node.op().map(|overload| overload.bind(&node.args, &node.kwargs)) else {
        return false;
    };
    let switch = ["training", "train", "use_input_stats"].into_iter().find(|name| bound.has(name));
    let is_off = switch.is_some_and(|name| *bound.get(name) == Arg::Bool(false));
    is_off || !bound.has("running_mean") || bound.get("running_mean").is_none()
}
