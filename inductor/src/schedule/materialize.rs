//! The choice of roots: tensors that are computed by loops of their own rather than wherever they are used.

use crate::heuristics;
use cranelift_entity::{PrimaryMap, SecondaryMap};
use fx::prim::{Cost, Reduction};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use symshapes::{Expr, Pool};

use super::place::{Layout, Place, places, stored_layouts, walk};
use crate::Error;
use crate::tensor_ir::{
    Arg, Call, Dims, GatherDim, Op, Output, Tensor, TensorGraph, View, numel, same_strides, stride_order, typical_numel,
};
use fx::NodeId;

/// A tensor that a kernel computes element by element.
#[derive(Clone, PartialEq, Debug)]
pub struct Root {
    /// The computed tensor.
    pub value: Tensor,
    /// The tensor whose buffer it belongs to: the value itself, or the concatenation that it is a part of.
    pub stored: Tensor,
    /// Its layout in that buffer.
    pub layout: Layout,
    /// The way in which it is computed.
    pub kind: RootKind,
    /// Its dimensions in the order in which memory is walked, outermost first, without those of size 1.
    pub walk: Vec<usize>,
}

/// The ways in which a root is computed.
#[derive(Clone, PartialEq, Debug)]
pub enum RootKind {
    /// Each element from its own position.
    Map,
    /// Each element from a row of the source.
    Reduce {
        /// The reduction of a row.
        kind: Reduction,
        /// The tensor that is reduced.
        source: Tensor,
        /// The dimensions of the source that vanish.
        dims: SmallVec<[usize; 5]>,
    },
    /// Each element from the one before it along a dimension.
    Scan {
        /// The tensor that is summed.
        source: Tensor,
        /// The dimension along which it is summed.
        dim: usize,
    },
}

impl Root {
    fn new(graph: &TensorGraph, pool: &Pool, value: Tensor, stored: Tensor, layout: Layout) -> Root {
        let kind = match &graph.tensors[value].op {
            Op::Reduce(kind, source, dims) => RootKind::Reduce { kind: *kind, source: *source, dims: dims.clone() },
            Op::Cumsum(source, dim) => RootKind::Scan { source: *source, dim: *dim },
            _ => RootKind::Map,
        };
        let mut walk = walk(pool, &layout);
        if let RootKind::Scan { dim, .. } = kind {
            // The running dimension is the innermost loop, so that it stays in order.
            walk.retain(|&d| d != dim);
            walk.extend((layout.sizes[dim] != Expr::ONE).then_some(dim));
        }
        Root { value, stored, layout, kind, walk }
    }

    /// The extents of its outer loops.
    pub fn extents(&self) -> Dims {
        self.walk.iter().map(|&d| self.layout.sizes[d]).collect()
    }

    /// Its iteration space.
    pub fn domain(&self, graph: &TensorGraph) -> super::IterationDomain {
        let red = match &self.kind {
            RootKind::Reduce { source, dims, .. } => {
                let sizes = &graph.tensors[*source].sizes;
                dims.iter().map(|&d| sizes[d]).filter(|&n| n != Expr::ONE).collect()
            }
            RootKind::Map | RootKind::Scan { .. } => SmallVec::new(),
        };
        super::IterationDomain { outer: self.extents(), red }
    }
}

/// The roots of a graph and where everything lies.
#[derive(Clone, Debug)]
pub struct Roots {
    /// The roots, in dependency order.
    pub roots: Vec<Root>,
    /// For each tensor, the roots that write its buffer.
    pub of: SecondaryMap<Tensor, SmallVec<[usize; 1]>>,
    /// For each tensor the layout in which it is stored if it is.
    pub stored: PrimaryMap<Tensor, Layout>,
    /// The place of each tensor.
    pub places: SecondaryMap<Tensor, Option<Place>>,
    /// Tensors whose buffers are needed whoever reads them: outputs, arguments of calls, sources of gathers.
    pub required: SecondaryMap<Tensor, bool>,
}

impl Roots {
    /// True for tensors at which the expression of a root ends: leaves and roots.
    pub fn is_stop(&self, graph: &TensorGraph, t: Tensor) -> bool {
        graph.tensors[t].op.is_leaf() || !self.of[t].is_empty()
    }

    /// The stored tensors that a root's expression ends at.
    pub fn reads(&self, graph: &TensorGraph, root: &Root) -> FxHashSet<Tensor> {
        let (mut found, mut seen) = (FxHashSet::default(), FxHashSet::default());
        let mut stack = Vec::new();
        let is_part = root.value != root.stored;
        if is_part && self.is_stop(graph, root.value) {
            found.insert(root.value);
        } else {
            graph.tensors[root.value].op.for_each_operand(|x| stack.push(x));
        }
        while let Some(t) = stack.pop() {
            if !seen.insert(t) {
                continue;
            }
            if self.is_stop(graph, t) {
                found.insert(t);
            } else {
                graph.tensors[t].op.for_each_operand(|x| stack.push(x));
            }
        }
        found
    }

    /// True if a tensor's parts alternate in memory after few elements: stores by turns make whole vectors of them,
    /// which loops over so few elements cannot fill.
    pub fn takes_turns(&self, graph: &TensorGraph, pool: &Pool, t: Tensor) -> bool {
        let Op::Cat(_, dim) = graph.tensors[t].op else { return false };
        let Layout { sizes, strides, .. } = &self.stored[t];
        strides[dim] == Expr::ONE
            && pool.as_int(sizes[dim]).is_some_and(|turns| turns <= heuristics::interleave_most_parts())
    }

    /// A tensor's place.
    pub fn place(&self, t: Tensor) -> &Place {
        self.places[t].as_ref().expect("every tensor has a place")
    }

    /// The first call that sees memory around its argument which is not that of the program: a view that strides cannot
    /// express is stored as a tensor of its own, and what strides are promised for may be stored with others.
    fn misplaced(&self, graph: &TensorGraph) -> Option<NodeId> {
        let is_program = |t: Tensor| {
            let (whole, data) = (graph.viewed(t), &graph.tensors[graph.viewed(t)]);
            let stored = &self.stored[whole].strides;
            let is_promised = data.strides.as_ref().is_none_or(|promised| same_strides(&data.sizes, promised, stored));
            self.place(t).stored == whole && is_promised
        };
        let is_misplaced = |call: &&Call| {
            let seen = if let Some(Arg::Tensor(t)) = call.args.first() { Some(*t) } else { None };
            call.sees_memory() && seen.is_some_and(|t| !is_program(t))
        };
        graph.calls.values().find(is_misplaced).map(|call| call.node)
    }
}

/// Chooses the roots, and where they lie.
///
/// # Errors
/// A call that would see memory around its argument that is laid out otherwise than the program has it.
pub fn materialize(graph: &TensorGraph, pool: &mut Pool) -> Result<Roots, Error> {
    let stored = stored_layouts(graph, pool);
    let places = places(graph, pool, &stored);
    let mut finder = Finder {
        graph,
        pool,
        roots: Roots { roots: Vec::new(), of: SecondaryMap::new(), stored, places, required: SecondaryMap::new() },
        live: SecondaryMap::new(),
        users: SecondaryMap::new(),
        spread: SecondaryMap::new(),
        reader: SecondaryMap::new(),
    };
    finder.require();
    finder.count_users();
    finder.choose();
    let roots = finder.roots;
    match roots.misplaced(graph) {
        Some(node) => Err(Error::Memory { node }),
        None => Ok(roots),
    }
}

struct Finder<'a> {
    graph: &'a TensorGraph,
    pool: &'a mut Pool,
    roots: Roots,
    live: SecondaryMap<Tensor, bool>,
    users: SecondaryMap<Tensor, u32>,
    spread: SecondaryMap<Tensor, Spread>,
    /// For each tensor, one that is computed from it element by element, if there is any.
    reader: SecondaryMap<Tensor, Option<Tensor>>,
}

impl Finder<'_> {
    fn require(&mut self) {
        for output in &self.graph.outputs {
            if let Output::Tensor(t) = *output {
                self.pin_output(t);
            }
        }
        for write in &self.graph.writes {
            self.pin_output(write.value);
        }
        for call in self.graph.calls.values() {
            call.for_each_tensor(&mut |&t| {
                let stored = self.roots.place(t).stored;
                self.roots.required[stored] = true;
            });
        }
    }

    /// An output has the promised strides: if its place has others, it is stored on its own.
    fn pin_output(&mut self, t: Tensor) {
        let place = self.roots.place(t);
        let promised = self.roots.stored[t].clone();
        let data = &self.graph.tensors[t];
        let dense = data.strides.as_ref().is_some_and(|s| same_strides(&data.sizes, s, &promised.strides));
        if place.stored != t && dense && !same_strides(&data.sizes, &place.layout.strides, &promised.strides) {
            self.roots.places[t] = Some(Place { stored: t, layout: promised });
        }
        let stored = self.roots.place(t).stored;
        self.roots.required[stored] = true;
    }

    /// Marks what is needed and counts its users, from the ends backwards.
    fn count_users(&mut self) {
        let tensors: Vec<Tensor> = self.graph.tensors.keys().collect();
        for &t in tensors.iter().rev() {
            let place = self.roots.place(t);
            let is_required = self.roots.required[t] && place.stored == t;
            if !is_required && self.users[t] == 0 {
                continue;
            }
            self.live[t] = true;
            let op = &self.graph.tensors[t].op;
            op.for_each_operand(|x| {
                self.users[x] += 1;
                let spread = self.spread_by(x, t);
                self.spread[x] = self.spread[x].max(spread);
                if matches!(op, Op::Map(..) | Op::Convert(_)) {
                    self.reader[x] = Some(t);
                }
            });
            if let Op::Gather { source, .. } = op {
                let stored = self.roots.place(*source).stored;
                if !self.graph.tensors[stored].op.is_free() && !self.picks_few(t, *source) {
                    self.roots.required[stored] = true;
                    self.users[stored] += 1;
                }
            }
        }
    }

    /// True if a gather takes so few of its source's elements that these are computed where they are wanted: the source
    /// follows element by element from others. (A loss picks one of the logarithms of each row.)
    fn picks_few(&self, gather: Tensor, source: Tensor) -> bool {
        self.elements(gather).saturating_mul(heuristics::gather_factor()) <= self.elements(source)
            && matches!(self.graph.tensors[source].op, Op::Map(..) | Op::Convert(_))
            && self.follows_elementwise(source)
    }

    /// True if each element of a tensor follows from single elements of tensors that are stored, a few operations on.
    fn follows_elementwise(&self, t: Tensor) -> bool {
        let (mut open, mut seen): (SmallVec<[Tensor; 16]>, SmallVec<[Tensor; 16]>) = (SmallVec::new(), SmallVec::new());
        open.push(t);
        while let Some(t) = open.pop() {
            if seen.contains(&t) {
                continue;
            }
            seen.push(t);
            match &self.graph.tensors[t].op {
                op @ (Op::Map(..) | Op::Convert(_) | Op::View(..)) => op.for_each_operand(|x| open.push(x)),
                op if op.is_leaf() => {}
                Op::Reduce(..) | Op::Cumsum(..) | Op::Full(_) | Op::Size(_) => {}
                _ => return false,
            }
            if seen.len() > heuristics::gather_most_recomputed() {
                return false;
            }
        }
        true
    }

    /// The way in which `t` broadcasts its operand `x`.
    fn spread_by(&self, x: Tensor, t: Tensor) -> Spread {
        let (narrow, wide) = (&self.graph.tensors[x].sizes, &self.graph.tensors[t].sizes);
        match &self.graph.tensors[t].op {
            Op::View(_, View::Expand) if self.elements(t) >= heuristics::broadcast_factor() * self.elements(x) => {
                let new = wide.len() - narrow.len();
                let size = |d: usize| if d < new { Expr::ONE } else { narrow[d - new] };
                let order = stride_order(self.pool, wide, &self.roots.stored[self.reader[t].unwrap_or(t)].strides);
                let outermost = order.iter().position(|&d| size(d) != wide[d]);
                let innermost = order.iter().rposition(|&d| size(d) != Expr::ONE);
                if outermost < innermost { Spread::Again } else { Spread::Rows }
            }
            Op::View(_, View::Windows { .. }) if self.elements(t) > self.elements(x) => Spread::Again,
            // What comes again is stored as the last step leaves it, not as one on the way does.
            Op::Map(..) | Op::Convert(_) if self.spread[t] == Spread::Again => Spread::None,
            Op::Map(..) | Op::Convert(_) | Op::View(..) if self.elements(t) == self.elements(x) => self.spread[t],
            _ => Spread::None,
        }
    }

    /// Elements of a tensor, typically.
    fn elements(&self, t: Tensor) -> i64 {
        typical_numel(self.pool, &self.graph.tensors[t].sizes)
    }

    fn choose(&mut self) {
        let graph = self.graph;
        for (t, data) in graph.tensors.iter() {
            if !self.live[t] || data.op.is_leaf() || numel(self.pool, &data.sizes) == Expr::ZERO {
                continue;
            }
            if self.is_root(t) {
                self.add(t);
            }
        }
    }

    fn add(&mut self, t: Tensor) {
        let graph = self.graph;
        let layout = self.roots.stored[t].clone();
        if let Op::Cat(parts, dim) = &graph.tensors[t].op {
            let mut offset = layout.offset;
            for &part in parts {
                let sizes = graph.tensors[part].sizes.to_vec();
                let length = self.pool.mul(sizes[*dim], layout.strides[*dim]);
                let piece = Layout { sizes, strides: layout.strides.clone(), offset };
                offset = self.pool.add(offset, length);
                let mut root = Root::new(graph, self.pool, part, t, piece);
                root.kind = RootKind::Map;
                self.push(root);
            }
        } else {
            self.push(Root::new(graph, self.pool, t, t, layout));
        }
    }

    fn push(&mut self, root: Root) {
        self.roots.of[root.stored].push(self.roots.roots.len());
        self.roots.roots.push(root);
    }

    fn is_root(&self, t: Tensor) -> bool {
        let data = &self.graph.tensors[t];
        let is_stored = self.roots.required[t] && self.roots.place(t).stored == t;
        match &data.op {
            _ if is_stored => true,
            Op::Reduce(..) | Op::Cumsum(..) => true,
            // A view is never computed for itself; what it spreads may be.
            Op::View(..) => false,
            Op::Cat(parts, _) => {
                parts.len() > heuristics::concat_most_inlined()
                    || self.users[t] > 1
                    || self.roots.takes_turns(self.graph, self.pool, t)
            }
            Op::Map(..) | Op::Convert(_) | Op::Gather { .. } | Op::Pad { .. } => {
                let cost = self.inline_cost(t);
                match self.spread[t] {
                    // Hoisting cannot save the repetition.
                    Spread::Again => cost.dearest >= Cost::Medium || self.joins(t),
                    // Computed once for each row, wherever that row's loop is.
                    Spread::Rows => false,
                    Spread::None => self.users[t] > 1 && cost.is_worth_storing(),
                }
            }
            Op::Full(_) | Op::Size(_) | Op::Iota { .. } => false,
            Op::Input(_) | Op::Constant(_) | Op::Result(..) => false,
        }
    }

    /// True if a tensor is put together from others of which one is repeated: which of its elements is wanted is a
    /// division at each place where it is used.
    fn joins(&self, t: Tensor) -> bool {
        let mut joins = false;
        self.graph.tensors[t].op.for_each_operand(|x| {
            if let Op::View(source, View::Expand) = self.graph.tensors[x].op {
                let is_computed = !self.graph.tensors[self.graph.viewed(source)].op.is_free();
                joins |= is_computed && (2..self.elements(t)).contains(&self.elements(source));
            }
        });
        joins
    }

    fn inline_cost(&self, t: Tensor) -> InlineCost {
        let mut cost = InlineCost { ops: 0, loads: 0, dearest: Cost::Cheap };
        let mut seen = SmallVec::new();
        self.add_cost(t, self.elements(t), true, &mut seen, &mut cost);
        cost
    }

    fn add_cost(
        &self,
        t: Tensor,
        elements: i64,
        is_top: bool,
        seen: &mut SmallVec<[Tensor; 16]>,
        cost: &mut InlineCost,
    ) {
        if seen.contains(&t) || cost.ops > heuristics::inline_most_counted() {
            return;
        }
        seen.push(t);
        let data = &self.graph.tensors[t];
        if !is_top && (data.op.is_leaf() || !self.roots.of[t].is_empty()) {
            let is_large = self.elements(t).saturating_mul(heuristics::inline_small_factor()) >= elements;
            cost.loads += u32::from(is_large);
            return;
        }
        match &data.op {
            Op::Map(op, _) => {
                cost.ops += 1;
                cost.dearest = cost.dearest.max(op.cost());
            }
            Op::Gather { dims, .. } => {
                cost.ops += 4;
                cost.loads += dims.iter().filter(|d| matches!(d, GatherDim::Index(_))).count() as u32;
            }
            Op::Pad { .. } | Op::Cat(..) => cost.ops += 3,
            _ => {}
        }
        data.op.for_each_operand(|x| self.add_cost(x, elements, false, seen, cost));
    }
}

/// The ways in which a tensor is broadcast, itself or through what is computed from it at the same size.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
enum Spread {
    /// Not at all, or little.
    #[default]
    None,
    /// Along inner dimensions only: each of its elements serves a whole row.
    Rows,
    /// Along a dimension outside of one of its own: a channel's value comes again with each image of a batch.
    Again,
}

/// The cost of computing one element from leaves and roots.
struct InlineCost {
    ops: u32,
    /// Loads of tensors that are not much smaller.
    loads: u32,
    dearest: Cost,
}

impl InlineCost {
    /// Storing once costs a write and a read for each use; computing again costs the operations and their loads.
    fn is_worth_storing(&self) -> bool {
        self.dearest >= Cost::Dear
            || self.loads > heuristics::inline_most_loads()
            || self.ops > heuristics::inline_most_operations()
    }
}
