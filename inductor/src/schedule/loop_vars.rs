//! Index arithmetic: the loop variables of a domain, and positions carried through views.
//!
//! Positions and sizes are expressions of one pool, which every function is handed.

use rustc_hash::FxHashSet;
use symshapes::{Expr, Pool, Sym};

use super::{IterationDomain, Root, RootKind, Span};
use crate::tensor_ir::{GatherDim, Op, Tensor, TensorData, TensorGraph, View, contiguous_strides};

/// The loop variables of a domain.
#[derive(Clone, Debug)]
pub struct LoopVars {
    /// The domain.
    pub domain: IterationDomain,
    /// One symbol for each outer extent.
    pub outer: Vec<Sym>,
    /// One symbol for each reduced extent.
    pub red: Vec<Sym>,
}

impl LoopVars {
    /// The variables of a domain.
    pub fn new(pool: &mut Pool, domain: &IterationDomain) -> LoopVars {
        let mut symbols = |prefix: &str, extents: &[Expr]| -> Vec<Sym> {
            extents.iter().enumerate().map(|(k, &n)| pool.position(&format!("{prefix}{k}"), n)).collect()
        };
        let outer = symbols("x", &domain.outer);
        let red = symbols("r", &domain.red);
        LoopVars { domain: domain.clone(), outer, red }
    }

    /// The outer variables and their extents.
    pub(crate) fn outer_axes(&self) -> impl Iterator<Item = (Sym, Expr)> {
        self.outer.iter().copied().zip(self.domain.outer.iter().copied())
    }

    /// The reduced variables and their extents.
    pub(crate) fn red_axes(&self) -> impl Iterator<Item = (Sym, Expr)> {
        self.red.iter().copied().zip(self.domain.red.iter().copied())
    }

    /// The variables and extents that a span runs over, outermost first.
    fn axes(&self, span: Span) -> Vec<(Sym, Expr)> {
        match span {
            Span::Outer => self.outer_axes().collect(),
            Span::Full => self.outer_axes().chain(self.red_axes()).collect(),
        }
    }

    /// The loops that a root runs in.
    pub fn span(&self, pool: &mut Pool, root: &Root) -> Span {
        match root.kind {
            RootKind::Reduce { .. } => Span::Outer,
            RootKind::Map | RootKind::Scan { .. } => self.domain.span_of(pool, &root.extents()),
        }
    }

    /// The position in the root's own tensor that an iteration computes.
    pub fn point(&self, pool: &mut Pool, root: &Root) -> Vec<Expr> {
        let axes = self.axes(self.span(pool, root));
        let positions = positions(pool, &root.extents(), &axes);
        spread(&root.walk, root.layout.sizes.len(), &positions)
    }

    /// The position in a reduction's source that an iteration reads.
    pub fn source_point(&self, pool: &mut Pool, root: &Root, graph: &TensorGraph) -> Vec<Expr> {
        let RootKind::Reduce { source, dims, .. } = &root.kind else { return self.point(pool, root) };
        let kept = self.point(pool, root);
        let sizes = &graph.tensors[*source].sizes;
        let reduced: Vec<usize> = dims.iter().copied().filter(|&d| sizes[d] != Expr::ONE).collect();
        let extents: Vec<Expr> = reduced.iter().map(|&d| sizes[d]).collect();
        let axes: Vec<(Sym, Expr)> = self.red_axes().collect();
        let positions = positions(pool, &extents, &axes);
        let mut index = spread(&reduced, sizes.len(), &positions);
        let mut kept = kept.into_iter();
        for (d, slot) in index.iter_mut().enumerate() {
            if !dims.contains(&d) {
                *slot = kept.next().expect("one for each kept dimension");
            }
        }
        index
    }

    /// The position within a row, counted in row-major order.
    pub fn row_position(&self, pool: &mut Pool) -> Expr {
        self.red_axes().fold(Expr::ZERO, |position, axis| onward(pool, position, axis))
    }
}

/// `position * extent + axis`
fn onward(pool: &mut Pool, position: Expr, (sym, extent): (Sym, Expr)) -> Expr {
    let scaled = pool.mul(position, extent);
    let sym = pool.sym(sym);
    pool.add(scaled, sym)
}

/// Positions along `extents`, each a product of neighbouring axes.
fn positions(pool: &mut Pool, extents: &[Expr], axes: &[(Sym, Expr)]) -> Vec<Expr> {
    let mut axes = axes.iter();
    let mut positions = Vec::with_capacity(extents.len());
    for &extent in extents {
        let (mut position, mut covered) = (Expr::ZERO, Expr::ONE);
        while covered != extent {
            let &axis = axes.next().expect("the domain refines the extents");
            position = onward(pool, position, axis);
            covered = pool.mul(covered, axis.1);
        }
        positions.push(position);
    }
    positions
}

fn spread(dims: &[usize], rank: usize, positions: &[Expr]) -> Vec<Expr> {
    let mut index = vec![Expr::ZERO; rank];
    for (&d, &p) in dims.iter().zip(positions) {
        index[d] = p;
    }
    index
}

/// `Σ index · stride + offset`
pub(crate) fn flat_index(pool: &mut Pool, index: &[Expr], strides: &[Expr], offset: Expr) -> Expr {
    index.iter().zip(strides).fold(offset, |flat, (&i, &s)| {
        let term = pool.mul(i, s);
        pool.add(flat, term)
    })
}

/// The position in a view's source for a position in the view.
pub(crate) fn through_view(
    pool: &mut Pool,
    view: &View,
    out: &TensorData,
    source: &TensorData,
    index: &[Expr],
) -> Vec<Expr> {
    match view {
        View::Permute(perm) => {
            let mut inner = vec![Expr::ZERO; perm.len()];
            for (&p, &i) in perm.iter().zip(index) {
                inner[p] = i;
            }
            inner
        }
        View::Expand => {
            let own = &index[index.len() - source.sizes.len()..];
            source.sizes.iter().zip(own).map(|(&n, &i)| if n == Expr::ONE { Expr::ZERO } else { i }).collect()
        }
        View::Slice { start, step } => {
            let moved = index.iter().zip(start.iter().zip(step));
            moved
                .map(|(&i, (&start, &step))| {
                    let scaled = pool.mul_int(i, step);
                    pool.add(scaled, start)
                })
                .collect()
        }
        View::Diagonal(dims) => {
            let (along, mut rest) = (index[index.len() - 1], index.iter());
            let own = |d| if dims.contains(&d) { along } else { *rest.next().expect("a dimension") };
            (0..source.sizes.len()).map(own).collect()
        }
        View::Windows { dim, step } => {
            let (within, mut own) = (index[index.len() - 1], index[..index.len() - 1].to_vec());
            let first = pool.mul_int(own[*dim], *step);
            own[*dim] = pool.add(first, within);
            own
        }
        View::Reshape => unflatten(pool, &out.sizes, &source.sizes, index),
    }
}

/// The position under `inner` sizes of the element at `index` under `outer` sizes, both row-major. Dimensions that
/// both have in common at the front are passed through, so that no division is made of them.
fn unflatten(pool: &mut Pool, outer: &[Expr], inner: &[Expr], index: &[Expr]) -> Vec<Expr> {
    let shared = outer.iter().zip(inner).take_while(|(a, b)| a == b).count();
    let strides = contiguous_strides(pool, &outer[shared..]);
    let flat = flat_index(pool, &index[shared..], &strides, Expr::ZERO);
    let mut result = index[..shared].to_vec();
    let mut rest = flat;
    let inner_strides = contiguous_strides(pool, &inner[shared..]);
    for (&n, &stride) in inner[shared..].iter().zip(&inner_strides) {
        let digit = pool.floor_div(rest, stride);
        result.push(pool.modulo(digit, n));
        rest = pool.modulo(rest, stride);
    }
    result
}

/// A tensor at a position.
pub(crate) type At = (Tensor, Vec<Expr>);

/// A read-only walk over the expression of a root, and what it meets.
pub struct Reads<'a> {
    /// The graph.
    pub graph: &'a TensorGraph,
    /// The expressions.
    pub pool: &'a mut Pool,
    /// The variables in which positions are expressed.
    pub vars: &'a LoopVars,
    /// True for tensors at which the walk stops: those that lie in memory or that a kernel computes as a root.
    pub stops: &'a dyn Fn(Tensor) -> bool,
    /// The tensors at which it stopped, with the positions.
    pub(crate) found: Vec<At>,
    /// Positions used as values.
    pub indices: Vec<Expr>,
    /// Every tensor visited, with the position.
    pub(crate) seen: FxHashSet<At>,
    fresh: usize,
}

impl<'a> Reads<'a> {
    /// A walk that has met nothing yet.
    pub fn new(
        graph: &'a TensorGraph,
        pool: &'a mut Pool,
        vars: &'a LoopVars,
        stops: &'a dyn Fn(Tensor) -> bool,
    ) -> Reads<'a> {
        let (found, indices, seen) = (Vec::new(), Vec::new(), FxHashSet::default());
        Reads { graph, pool, vars, stops, found, indices, seen, fresh: 0 }
    }

    /// Walks the expression of a root from the position that an iteration computes.
    pub fn root(&mut self, root: &Root) {
        let index = self.vars.source_point(self.pool, root, self.graph);
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
        match &data.op {
            Op::Input(_) | Op::Constant(_) | Op::Result(..) => self.found.push((t, index.to_vec())),
            Op::Full(_) | Op::Size(_) => {}
            Op::Iota { .. } => self.indices.push(index[0]),
            Op::Map(_, args) => args.iter().for_each(|&a| self.visit(a, index)),
            Op::Convert(x) => self.visit(*x, index),
            Op::View(x, view) => {
                let inner = through_view(self.pool, view, data, &graph.tensors[*x], index);
                self.visit(*x, &inner);
            }
            Op::Gather { source, dims } => self.gather(*source, dims, index),
            Op::Pad { source, low, .. } => {
                let inner = shift(self.pool, index, low);
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
        let inner = looked_up(dims, index, |k, positions| {
            self.visit(positions, index);
            self.fresh += 1;
            let sym = self.pool.position(&format!("g{}", self.fresh), sizes[k]);
            self.pool.sym(sym)
        });
        self.visit(source, &inner);
    }

    fn parts(&mut self, parts: &[Tensor], dim: usize, index: &[Expr]) {
        let mut inner = index.to_vec();
        for &part in parts {
            self.indices.push(inner[dim]);
            self.visit(part, &inner);
            inner[dim] = self.pool.sub(inner[dim], self.graph.tensors[part].sizes[dim]);
        }
    }
}

/// The place in the source of a gather: `find` gives that along a dimension which a tensor of positions tells.
pub(crate) fn looked_up(dims: &[GatherDim], index: &[Expr], mut find: impl FnMut(usize, Tensor) -> Expr) -> Vec<Expr> {
    let place = |(k, dim): (usize, &GatherDim)| match dim {
        GatherDim::Out(d) => index[*d],
        GatherDim::Index(positions) => find(k, *positions),
    };
    dims.iter().enumerate().map(place).collect()
}

/// `index - low`
pub(crate) fn shift(pool: &mut Pool, index: &[Expr], low: &[Expr]) -> Vec<Expr> {
    index.iter().zip(low).map(|(&i, &low)| pool.sub(i, low)).collect()
}
