//! Index arithmetic: the loop variables of a domain, and positions carried through views.

use rustc_hash::FxHashSet;
use symshapes::{Expr, Pool, Range, Sym};

use crate::schedule::{Domain, Root, RootKind, Span};
use crate::tensor_ir::{GatherDim, Op, Tensor, TensorData, TensorGraph, View};

/// The loop variables of a domain, in a pool of expressions.
#[derive(Clone, Debug)]
pub struct Frame {
    /// The expressions.
    pub exprs: Pool,
    /// The domain.
    pub domain: Domain,
    /// One symbol for each outer extent.
    pub outer: Vec<Sym>,
    /// One symbol for each reduced extent.
    pub red: Vec<Sym>,
}

impl Frame {
    /// The variables of a domain.
    pub fn new(domain: &Domain) -> Frame {
        let mut exprs = Pool::default();
        let mut symbols = |prefix: &str, extents: &[i64]| -> Vec<Sym> {
            let named = extents.iter().enumerate();
            named.map(|(k, &n)| exprs.symbol(&format!("{prefix}{k}"), Range::new(0, n - 1))).collect()
        };
        let outer = symbols("x", &domain.outer);
        let red = symbols("r", &domain.red);
        Frame { exprs, domain: domain.clone(), outer, red }
    }

    /// The variables and extents that a span runs over, outermost first.
    fn axes(&self, span: Span) -> Vec<(Sym, i64)> {
        let outer = self.outer.iter().copied().zip(self.domain.outer.iter().copied());
        match span {
            Span::Outer => outer.collect(),
            Span::Full => outer.chain(self.red.iter().copied().zip(self.domain.red.iter().copied())).collect(),
        }
    }

    /// Positions along `extents`, each a product of neighbouring axes.
    fn positions(&mut self, extents: &[i64], axes: &[(Sym, i64)]) -> Vec<Expr> {
        let mut axes = axes.iter();
        let mut positions = Vec::with_capacity(extents.len());
        for &extent in extents {
            let mut position = self.exprs.int(0);
            let mut covered = 1;
            while covered < extent {
                let &(sym, n) = axes.next().expect("the domain refines the extents");
                let sym = self.exprs.sym(sym);
                let scaled = self.exprs.mul_int(position, n);
                position = self.exprs.add(scaled, sym);
                covered *= n;
            }
            debug_assert_eq!(covered, extent, "the domain refines the extents");
            positions.push(position);
        }
        positions
    }

    /// Where a root runs.
    pub fn span(&self, root: &Root) -> Span {
        match root.kind {
            RootKind::Reduce { .. } => Span::Outer,
            RootKind::Map | RootKind::Scan { .. } => self.domain.span_of(&root.extents()),
        }
    }

    /// The position in the root's own tensor that an iteration computes.
    pub fn point(&mut self, root: &Root) -> Vec<Expr> {
        let axes = self.axes(self.span(root));
        let positions = self.positions(&root.extents(), &axes);
        self.spread(&root.walk, root.layout.sizes.len(), &positions)
    }

    /// The position in a reduction's source that an iteration reads.
    pub fn source_point(&mut self, root: &Root, graph: &TensorGraph) -> Vec<Expr> {
        let RootKind::Reduce { source, dims, .. } = &root.kind else { return self.point(root) };
        let kept = self.point(root);
        let sizes = &graph.tensors[*source].sizes;
        let reduced: Vec<usize> = dims.iter().copied().filter(|&d| sizes[d] != 1).collect();
        let extents: Vec<i64> = reduced.iter().map(|&d| sizes[d]).collect();
        let axes: Vec<(Sym, i64)> = self.red.iter().copied().zip(self.domain.red.iter().copied()).collect();
        let positions = self.positions(&extents, &axes);
        let mut index = self.spread(&reduced, sizes.len(), &positions);
        let mut kept = kept.into_iter();
        for (d, slot) in index.iter_mut().enumerate() {
            if !dims.contains(&d) {
                *slot = kept.next().expect("one for each kept dimension");
            }
        }
        index
    }

    /// The position within a row, counted in row-major order.
    pub fn row_position(&mut self) -> Expr {
        let mut position = self.exprs.int(0);
        for (&sym, &n) in self.red.iter().zip(&self.domain.red.clone()) {
            let sym = self.exprs.sym(sym);
            let scaled = self.exprs.mul_int(position, n);
            position = self.exprs.add(scaled, sym);
        }
        position
    }

    fn spread(&mut self, dims: &[usize], rank: usize, positions: &[Expr]) -> Vec<Expr> {
        let zero = self.exprs.int(0);
        let mut index = vec![zero; rank];
        for (&d, &p) in dims.iter().zip(positions) {
            index[d] = p;
        }
        index
    }
}

/// `Σ index · stride + offset`
pub(super) fn flat_index(exprs: &mut Pool, index: &[Expr], strides: &[i64], offset: i64) -> Expr {
    let mut flat = exprs.int(offset);
    for (&i, &s) in index.iter().zip(strides) {
        let term = exprs.mul_int(i, s);
        flat = exprs.add(flat, term);
    }
    flat
}

/// The position in a view's source for a position in the view.
pub(super) fn through_view(
    exprs: &mut Pool,
    view: &View,
    out: &TensorData,
    source: &TensorData,
    index: &[Expr],
) -> Vec<Expr> {
    match view {
        View::Permute(perm) => {
            let mut inner = vec![exprs.int(0); perm.len()];
            for (&p, &i) in perm.iter().zip(index) {
                inner[p] = i;
            }
            inner
        }
        View::Expand => {
            let zero = exprs.int(0);
            let own = &index[index.len() - source.sizes.len()..];
            source.sizes.iter().zip(own).map(|(&n, &i)| if n == 1 { zero } else { i }).collect()
        }
        View::Slice { start, step } => {
            let moved = index.iter().zip(start.iter().zip(step));
            moved
                .map(|(&i, (&start, &step))| {
                    let scaled = exprs.mul_int(i, step);
                    let start = exprs.int(start);
                    exprs.add(scaled, start)
                })
                .collect()
        }
        View::Reshape => unflatten(exprs, &out.sizes, &source.sizes, index),
    }
}

/// The position under `inner` sizes of the element at `index` under `outer` sizes, both row-major. Dimensions that
/// both have in common at the front are passed through, so that no division is made of them.
fn unflatten(exprs: &mut Pool, outer: &[i64], inner: &[i64], index: &[Expr]) -> Vec<Expr> {
    let shared = outer.iter().zip(inner).take_while(|(a, b)| a == b).count();
    let strides = crate::tensor_ir::contiguous_strides(&outer[shared..]);
    let flat = flat_index(exprs, &index[shared..], &strides, 0);
    let mut result = index[..shared].to_vec();
    let mut rest = flat;
    let inner_strides = crate::tensor_ir::contiguous_strides(&inner[shared..]);
    for (&n, &stride) in inner[shared..].iter().zip(&inner_strides) {
        let stride = exprs.int(stride);
        let digit = exprs.floor_div(rest, stride);
        let n = exprs.int(n);
        result.push(exprs.modulo(digit, n));
        rest = exprs.modulo(rest, stride);
    }
    result
}

/// A tensor at a position.
pub(super) type At = (Tensor, Vec<Expr>);

/// What a read-only walk over the expression of a root meets.
pub struct Reads<'a> {
    /// The graph.
    pub graph: &'a TensorGraph,
    /// The frame in which positions are expressed.
    pub frame: &'a mut Frame,
    /// True for tensors at which the walk stops: those that lie in memory or that a kernel computes as a root.
    pub stops: &'a dyn Fn(Tensor) -> bool,
    /// The tensors at which it stopped, with the positions.
    pub(crate) found: Vec<At>,
    /// Positions used as values.
    pub indices: Vec<Expr>,
    /// Every tensor visited, with the position.
    pub(super) seen: FxHashSet<At>,
    fresh: usize,
}

impl<'a> Reads<'a> {
    /// A walk that has met nothing yet.
    pub fn new(graph: &'a TensorGraph, frame: &'a mut Frame, stops: &'a dyn Fn(Tensor) -> bool) -> Reads<'a> {
        Reads { graph, frame, stops, found: Vec::new(), indices: Vec::new(), seen: FxHashSet::default(), fresh: 0 }
    }

    /// Walks the expression of a root from the position that an iteration computes.
    pub fn root(&mut self, root: &Root) {
        let index = self.frame.source_point(root, self.graph);
        match &root.kind {
            RootKind::Reduce { source, .. } => self.visit(*source, &index),
            RootKind::Scan { source, dim } => {
                self.indices.push(index[*dim]);
                self.visit(*source, &index);
            }
            RootKind::Map if root.value == root.stored => self.inner(root.value, &index),
            RootKind::Map => self.visit(root.value, &index),
        }
    }

    fn visit(&mut self, t: Tensor, index: &[Expr]) {
        if !self.seen.insert((t, index.to_vec())) {
            return;
        }
        if (self.stops)(t) {
            self.found.push((t, index.to_vec()));
        } else {
            self.inner(t, index);
        }
    }

    fn inner(&mut self, t: Tensor, index: &[Expr]) {
        let graph = self.graph;
        let data = &graph.tensors[t];
        let exprs = &mut self.frame.exprs;
        match &data.op {
            Op::Input(_) | Op::Constant(_) | Op::Result(..) => self.found.push((t, index.to_vec())),
            Op::Full(_) => {}
            Op::Iota { .. } => self.indices.push(index[0]),
            Op::Map(_, args) => args.iter().for_each(|&a| self.visit(a, index)),
            Op::Convert(x) => self.visit(*x, index),
            Op::View(x, view) => {
                let inner = through_view(exprs, view, data, &graph.tensors[*x], index);
                self.visit(*x, &inner);
            }
            Op::Gather { source, dims } => self.gather(*source, dims, index),
            Op::Pad { source, low, .. } => {
                let inner = shift(exprs, index, low);
                let sizes = data.sizes.iter().zip(&graph.tensors[*source].sizes);
                let padded = inner.iter().zip(sizes).filter(|(_, (a, b))| a != b).map(|(&e, _)| e);
                self.indices.extend(padded);
                self.visit(*source, &inner);
            }
            Op::Cat(parts, dim) => self.parts(parts, *dim, index),
            Op::Reduce(..) | Op::Cumsum(..) => self.found.push((t, index.to_vec())),
        }
    }

    fn gather(&mut self, source: Tensor, dims: &[GatherDim], index: &[Expr]) {
        let sizes = self.graph.tensors[source].sizes.clone();
        let mut inner = Vec::with_capacity(dims.len());
        for (k, dim) in dims.iter().enumerate() {
            inner.push(match dim {
                GatherDim::Out(d) => index[*d],
                GatherDim::Index(t) => {
                    self.visit(*t, index);
                    self.fresh += 1;
                    let sym = self.frame.exprs.symbol(&format!("g{}", self.fresh), Range::new(0, sizes[k] - 1));
                    self.frame.exprs.sym(sym)
                }
            });
        }
        self.visit(source, &inner);
    }

    fn parts(&mut self, parts: &[Tensor], dim: usize, index: &[Expr]) {
        let mut start = 0;
        for &part in parts {
            let mut inner = index.to_vec();
            let offset = self.frame.exprs.int(-start);
            inner[dim] = self.frame.exprs.add(index[dim], offset);
            self.indices.push(inner[dim]);
            self.visit(part, &inner);
            start += self.graph.tensors[part].sizes[dim];
        }
    }
}

/// `index - low`
pub(super) fn shift(exprs: &mut Pool, index: &[Expr], low: &[i64]) -> Vec<Expr> {
    index
        .iter()
        .zip(low)
        .map(|(&i, &low)| {
            let low = exprs.int(-low);
            exprs.add(i, low)
        })
        .collect()
}
