//! Loop nests: splitting and merging a domain's axes, and choosing which is parallel and which goes over lanes.

use crate::heuristics;
use rustc_hash::FxHashMap;
use symshapes::{Expr, Node, Pool, Sym};

use crate::schedule::{IterationDomain, Root, RootKind, Roots};
use crate::schedule::{LoopVars, Reads, flat_index};
use crate::tensor_ir::{Dims, TensorGraph, typical};

/// A variable and its extent.
type AxisOf = (Sym, Expr);

/// One loop.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct LoopAxis {
    /// Its variable.
    pub(super) sym: Sym,
    /// The number of iterations.
    pub(super) extent: Expr,
    /// True if it runs over vector lanes.
    pub(super) vector: bool,
}

/// The loops of a kernel and how the domain's axes are expressed by them.
#[derive(Clone, Debug)]
pub(super) struct Nest {
    /// The parallel loop.
    pub(super) root: LoopAxis,
    /// Serial loops inside it, once for each row.
    pub(super) outer: Vec<LoopAxis>,
    /// The loops over a row.
    pub(super) red: Vec<LoopAxis>,
    /// Each variable in terms of loop variables; valid for expressions in which merged axes occur together.
    pub(super) axes: FxHashMap<Sym, Expr>,
    /// Neighbouring axes that have been merged, with their extents, outer before inner.
    merged: Vec<[AxisOf; 2]>,
}

impl Nest {
    /// True if an expression treats every pair of merged axes as one.
    pub(super) fn can_express(&self, pool: &mut Pool, e: Expr) -> bool {
        self.merged.iter().all(|&[outer, inner]| acts_as_one(pool, outer, inner, &[e]))
    }
}

/// The index expressions of a group over such variables.
struct Indices {
    /// Addresses in memory.
    addresses: Vec<Expr>,
    /// Positions used as values.
    values: Vec<Expr>,
}

fn collect(graph: &TensorGraph, pool: &mut Pool, roots: &Roots, group: &[&Root], vars: &LoopVars) -> Indices {
    let stops = |t| roots.is_stop(graph, t);
    let mut indices = Indices { addresses: Vec::new(), values: Vec::new() };
    for root in group {
        let mut reads = Reads::new(graph, pool, vars, &stops);
        reads.root(root);
        let (found, values) = (reads.found, reads.indices);
        indices.values.extend(values);
        for (t, index) in found {
            indices.addresses.push(flat_index(pool, &index, &roots.stored[t].strides, Expr::ZERO));
        }
        let point = vars.point(pool, root);
        indices.addresses.push(flat_index(pool, &point, &root.layout.strides, Expr::ZERO));
    }
    indices
}

/// Variables as fine as the group's views need, and the nest to run them in.
pub(super) fn loop_nest(
    graph: &TensorGraph,
    pool: &mut Pool,
    roots: &Roots,
    group: &[&Root],
    domain: &IterationDomain,
) -> (LoopVars, Nest) {
    let mut domain = domain.clone();
    for _ in 0..heuristics::nest_most_splits() {
        let vars = LoopVars::new(pool, &domain);
        let indices = collect(graph, pool, roots, group, &vars);
        let finer = split(pool, &vars, &indices);
        if finer == domain || !reads_own_points(graph, pool, roots, group, &finer) {
            break;
        }
        domain = finer;
    }
    let vars = LoopVars::new(pool, &domain);
    let indices = collect(graph, pool, roots, group, &vars);
    let scans = group.iter().any(|root| matches!(root.kind, RootKind::Scan { .. }));
    let nest = choose(pool, &vars, &indices, scans);
    (vars, nest)
}

/// True if what the group's roots read of each other is known to be computed by the same iteration, as it was when the
/// group was made: positions in finer loops may be expressions that cannot be told to be equal any more.
fn reads_own_points(
    graph: &TensorGraph,
    pool: &mut Pool,
    roots: &Roots,
    group: &[&Root],
    domain: &IterationDomain,
) -> bool {
    let vars = LoopVars::new(pool, domain);
    let stops = |t| roots.is_stop(graph, t);
    group.iter().all(|root| {
        let mut reads = Reads::new(graph, pool, &vars, &stops);
        reads.root(root);
        let found = reads.found;
        found.iter().all(|(t, index)| {
            let mut writers = group.iter().filter(|writer| writer.value == *t && writer.stored == *t);
            writers.all(|writer| vars.point(pool, writer) == *index)
        })
    })
}

/// Splits axes where an index divides by something that divides their extent.
fn split(pool: &mut Pool, vars: &LoopVars, indices: &Indices) -> IterationDomain {
    let mut cuts: FxHashMap<Sym, [Expr; 2]> = FxHashMap::default();
    let axes: Vec<AxisOf> = vars.outer_axes().chain(vars.red_axes()).collect();
    let mut stack: Vec<Expr> = indices.addresses.iter().chain(&indices.values).copied().collect();
    while let Some(e) = stack.pop() {
        let node = pool.node(e).clone();
        node.children(|c| stack.push(c));
        if let Node::FloorDiv(a, b) | Node::Mod(a, b) = node {
            find_cuts(pool, a, b, &axes, &mut cuts);
        }
    }
    let cut = |axes: &mut dyn Iterator<Item = AxisOf>| -> Dims {
        let mut pieces = Dims::new();
        for (sym, n) in axes {
            match cuts.get(&sym) {
                Some(parts) => pieces.extend(*parts),
                None => pieces.push(n),
            }
        }
        pieces
    };
    IterationDomain { outer: cut(&mut vars.outer_axes()), red: cut(&mut vars.red_axes()) }
}

/// Finds the axes to cut: the dividend is linear in them, and the divisor is a multiple of their coefficient.
fn find_cuts(pool: &mut Pool, dividend: Expr, divisor: Expr, axes: &[AxisOf], cuts: &mut FxHashMap<Sym, [Expr; 2]>) {
    for &(sym, extent) in axes {
        if !pool.mentions(dividend, sym) {
            continue;
        }
        let Some((coefficient, _)) = pool.split_term(dividend, sym) else { return };
        let Some(inner) = pool.exact_div(divisor, coefficient) else { continue };
        if inner == Expr::ONE || inner == extent || pool.range(inner).lo < 1 {
            continue;
        }
        if let Some(outer) = pool.exact_div(extent, inner) {
            cuts.entry(sym).or_insert([outer, inner]);
        }
    }
}

/// Chooses the loops. Where a dimension is scanned it is the innermost one, and stays serial.
fn choose(pool: &mut Pool, vars: &LoopVars, indices: &Indices, scans: bool) -> Nest {
    let all: Vec<Expr> = indices.addresses.iter().chain(&indices.values).copied().collect();
    let mut axes = FxHashMap::default();
    let (outer_axes, red_axes) = (vars.outer_axes().collect::<Vec<_>>(), vars.red_axes().collect::<Vec<_>>());
    let mut merged = Vec::new();
    let mut outer = merge(pool, "m", &outer_axes, &all, &mut axes, &mut merged);
    let mut red = merge(pool, "n", &red_axes, &all, &mut axes, &mut merged);
    if scans {
        let scanned = outer.pop();
        let root = parallel(pool, &mut outer, None, &mut axes);
        outer.extend(scanned);
        return Nest { root, outer, red, axes, merged };
    }
    let vector = match vector_inside(pool, vars, indices, &axes, &red, outer.last()) {
        Some(inside) => {
            let inside = red.remove(inside);
            red.push(LoopAxis { vector: true, ..inside });
            None
        }
        None => outer.pop().map(|last| LoopAxis { vector: true, ..last }),
    };
    let across = vector.and_then(|vector| across(pool, &indices.addresses, &axes, vector, &outer));
    let across = across.map(|k| outer.remove(k));
    let root = parallel(pool, &mut outer, vector, &mut axes);
    outer.extend(vector.filter(|vector| root.sym != vector.sym));
    outer.extend(across);
    Nest { root, outer, red, axes, merged }
}

/// The axis along which some memory is contiguous that is read across the lanes (a transposed copy). Run inside the
/// vector loop, it finds the lines that one step has fetched still in cache at the next.
fn across(
    pool: &mut Pool,
    addresses: &[Expr],
    axes: &FxHashMap<Sym, Expr>,
    vector: LoopAxis,
    outer: &[LoopAxis],
) -> Option<usize> {
    addresses.iter().find_map(|&e| {
        let e = pool.subst(e, axes);
        let (stride, _) = pool.split_term(e, vector.sym)?;
        if pool.as_int(stride).is_some_and(|stride| stride.abs() <= 1) {
            return None;
        }
        outer.iter().position(|axis| has_unit_stride(pool, e, axis.sym))
    })
}

fn has_unit_stride(pool: &mut Pool, e: Expr, sym: Sym) -> bool {
    matches!(pool.split_term(e, sym), Some((Expr::ONE, _)))
}

/// Merges neighbouring axes that every index treats as one. In the expressions of all axes the outer ones of a merged
/// run become 0 and the innermost the whole: `n*a + b` with `a < m, b < n` becomes one variable below `m*n`.
fn merge(
    pool: &mut Pool,
    prefix: &str,
    axes: &[AxisOf],
    indices: &[Expr],
    map: &mut FxHashMap<Sym, Expr>,
    merged: &mut Vec<[AxisOf; 2]>,
) -> Vec<LoopAxis> {
    let mut loops = Vec::new();
    let mut end = axes.len();
    while end > 0 {
        let mut start = end - 1;
        let mut extent = axes[start].1;
        while start > 0 && acts_as_one(pool, axes[start - 1], axes[start], indices) {
            merged.push([axes[start - 1], axes[start]]);
            start -= 1;
            extent = pool.mul(extent, axes[start].1);
        }
        let sym = pool.position(&format!("{prefix}{}", loops.len()), extent);
        for &(axis, _) in &axes[start..end - 1] {
            map.insert(axis, Expr::ZERO);
        }
        map.insert(axes[end - 1].0, pool.sym(sym));
        loops.push(LoopAxis { sym, extent, vector: false });
        end = start;
    }
    loops.reverse();
    loops
}

fn acts_as_one(pool: &mut Pool, outer: AxisOf, inner: AxisOf, indices: &[Expr]) -> bool {
    indices.iter().all(|&e| {
        let (Some((a, _)), Some((b, _))) = (pool.split_term(e, outer.0), pool.split_term(e, inner.0)) else {
            return false;
        };
        pool.mul(b, inner.1) == a
    })
}

/// The loop over a row that had better be the one over lanes, rather than that over rows, given what is read or written
/// for each element.
fn vector_inside(
    pool: &mut Pool,
    vars: &LoopVars,
    indices: &Indices,
    axes: &FxHashMap<Sym, Expr>,
    red: &[LoopAxis],
    across: Option<&LoopAxis>,
) -> Option<usize> {
    let each_element: Vec<Expr> =
        indices.addresses.iter().copied().filter(|&e| vars.red.iter().any(|&sym| pool.mentions(e, sym))).collect();
    let each_element: Vec<Expr> = each_element.into_iter().map(|e| pool.subst(e, axes)).collect();
    let mut cost = |axis: &LoopAxis| {
        let count = typical(pool, axis.extent).max(1) as u64;
        let vector: u64 = each_element.iter().map(|&e| access(pool, e, axis.sym)).sum();
        // A vector that is not full costs as much as one that is.
        let lanes = heuristics::nest_vector_lanes();
        vector.saturating_mul(count.next_multiple_of(lanes)) * lanes / count
    };
    // Of those alike the last.
    let (inside, least) = red.iter().map(&mut cost).enumerate().rev().min_by_key(|&(_, cost)| cost)?;
    across.is_none_or(|across| least <= cost(across)).then_some(inside)
}

/// The cost of reading a vector whose lanes are steps along an axis: about 2 where they lie side by side.
fn access(pool: &mut Pool, address: Expr, axis: Sym) -> u64 {
    let Some((stride, _)) = pool.split_term(address, axis) else { return 6 };
    match pool.as_int(stride).map(i64::unsigned_abs) {
        Some(0) => 0,
        Some(1) => 2,
        // Few lines of memory, all of which is used by whoever reads what lies between.
        Some(2..=4) => 4,
        _ => 6,
    }
}

/// Takes axes from the outside into one parallel loop until it has pieces enough. A vector axis alone is parallel too.
fn parallel(
    pool: &mut Pool,
    outer: &mut Vec<LoopAxis>,
    vector: Option<LoopAxis>,
    axes: &mut FxHashMap<Sym, Expr>,
) -> LoopAxis {
    if outer.is_empty() {
        return vector.unwrap_or_else(|| LoopAxis {
            sym: pool.position("p", Expr::ONE),
            extent: Expr::ONE,
            vector: false,
        });
    }
    let (mut pieces, mut many) = (Expr::ONE, 1);
    let mut count = 0;
    while count < outer.len() && many < heuristics::parallel_least_pieces() {
        many *= typical(pool, outer[count].extent);
        pieces = pool.mul(pieces, outer[count].extent);
        count += 1;
    }
    if count == 1 {
        return outer.remove(0);
    }
    let sym = pool.position("p", pieces);
    let mut rest = pool.sym(sym);
    let mut digits = FxHashMap::default();
    for axis in outer.drain(..count).rev() {
        digits.insert(axis.sym, pool.modulo(rest, axis.extent));
        rest = pool.floor_div(rest, axis.extent);
    }
    for value in axes.values_mut() {
        *value = pool.subst(*value, &digits);
    }
    LoopAxis { sym, extent: pieces, vector: false }
}
