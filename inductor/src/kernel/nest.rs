//! Loop nests: splitting and merging a domain's axes, and choosing which is parallel and which goes over lanes.

use rustc_hash::FxHashMap;
use symshapes::{Expr, Node, Pool, Range, Sym};

use super::frame::{Frame, Reads, flat_index};
use crate::schedule::{Domain, Root, RootKind, Roots, stored_layout};
use crate::tensor_ir::{Dims, TensorGraph};

/// Rounds of splitting; views of views rarely need more than two.
const MAX_SPLITS: usize = 6;
/// Pieces that the parallel loop should have at least, so that threads share the work evenly.
const MIN_PIECES: i64 = 32;

/// One loop.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct LoopAxis {
    /// Its variable.
    pub(super) sym: Sym,
    /// Iterations.
    pub(super) extent: i64,
    /// Over vector lanes.
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
    /// Each axis of the frame in terms of loop variables; valid for expressions in which merged axes occur together.
    pub(super) axes: FxHashMap<Sym, Expr>,
    /// Neighbouring axes that have been merged, with their extents, outer before inner.
    merged: Vec<[(Sym, i64); 2]>,
}

impl Nest {
    /// True if an expression treats every pair of merged axes as one.
    pub(super) fn can_express(&self, exprs: &mut Pool, e: Expr) -> bool {
        self.merged.iter().all(|&[outer, inner]| acts_as_one(exprs, outer, inner, &[e]))
    }
}

/// The index expressions of a group in a frame.
struct Indices {
    /// Of memory.
    addresses: Vec<Expr>,
    /// Used as values.
    values: Vec<Expr>,
}

fn collect(graph: &TensorGraph, roots: &Roots, group: &[&Root], frame: &mut Frame) -> Indices {
    let stops = |t| roots.is_stop(graph, t);
    let mut indices = Indices { addresses: Vec::new(), values: Vec::new() };
    for root in group {
        let mut reads = Reads::new(graph, frame, &stops);
        reads.root(root);
        let (found, values) = (reads.found, reads.indices);
        indices.values.extend(values);
        for (t, index) in found {
            let layout = stored_layout(graph, t);
            indices.addresses.push(flat_index(&mut frame.exprs, &index, &layout.strides, 0));
        }
        let point = frame.point(root);
        indices.addresses.push(flat_index(&mut frame.exprs, &point, &root.layout.strides, 0));
    }
    indices
}

/// A frame whose axes are as fine as the group's views need, and the nest to run them in.
pub(super) fn settle(graph: &TensorGraph, roots: &Roots, group: &[&Root], domain: &Domain) -> (Frame, Nest) {
    let mut domain = domain.clone();
    for _ in 0..MAX_SPLITS {
        let mut frame = Frame::new(&domain);
        let indices = collect(graph, roots, group, &mut frame);
        let finer = split(&frame, &indices);
        if finer == domain {
            break;
        }
        domain = finer;
    }
    let mut frame = Frame::new(&domain);
    let indices = collect(graph, roots, group, &mut frame);
    let scans = group.iter().any(|root| matches!(root.kind, RootKind::Scan { .. }));
    let nest = choose(&mut frame, &indices, scans);
    (frame, nest)
}

/// Splits axes where an index divides by something that divides their extent.
fn split(frame: &Frame, indices: &Indices) -> Domain {
    let mut cuts: FxHashMap<Sym, i64> = FxHashMap::default();
    let extents: FxHashMap<Sym, i64> = frame
        .outer
        .iter()
        .chain(&frame.red)
        .copied()
        .zip(frame.domain.outer.iter().chain(&frame.domain.red).copied())
        .collect();
    let mut stack: Vec<Expr> = indices.addresses.iter().chain(&indices.values).copied().collect();
    while let Some(e) = stack.pop() {
        let node = frame.exprs.node(e);
        if let Node::FloorDiv(a, b) | Node::Mod(a, b) = node
            && let Some(divisor) = frame.exprs.as_int(*b)
        {
            find_cuts(&frame.exprs, *a, divisor, &extents, &mut cuts);
        }
        node.children(|c| stack.push(c));
    }
    let cut = |syms: &[Sym], extents: &[i64]| -> Dims {
        let pieces = syms.iter().zip(extents).flat_map(|(sym, &n)| match cuts.get(sym) {
            Some(&inner) => vec![n / inner, inner],
            None => vec![n],
        });
        pieces.collect()
    };
    Domain { outer: cut(&frame.outer, &frame.domain.outer), red: cut(&frame.red, &frame.domain.red) }
}

fn find_cuts(
    exprs: &Pool,
    dividend: Expr,
    divisor: i64,
    extents: &FxHashMap<Sym, i64>,
    cuts: &mut FxHashMap<Sym, i64>,
) {
    let Some((_, terms)) = exprs.affine(dividend) else { return };
    for (sym, coeff) in terms {
        let Some(&extent) = extents.get(&sym) else { continue };
        if coeff <= 0 || divisor % coeff != 0 {
            continue;
        }
        let inner = divisor / coeff;
        if inner > 1 && inner < extent && extent % inner == 0 {
            cuts.entry(sym).or_insert(inner);
        }
    }
}

/// Chooses the loops. Where a dimension is scanned it is the innermost one, and stays serial.
fn choose(frame: &mut Frame, indices: &Indices, scans: bool) -> Nest {
    let all: Vec<Expr> = indices.addresses.iter().chain(&indices.values).copied().collect();
    let mut axes = FxHashMap::default();
    let outer_axes: Vec<(Sym, i64)> = frame.outer.iter().copied().zip(frame.domain.outer.iter().copied()).collect();
    let red_axes: Vec<(Sym, i64)> = frame.red.iter().copied().zip(frame.domain.red.iter().copied()).collect();
    let mut merged = Vec::new();
    let mut outer = merge(&mut frame.exprs, "m", &outer_axes, &all, &mut axes, &mut merged);
    let mut red = merge(&mut frame.exprs, "n", &red_axes, &all, &mut axes, &mut merged);
    if scans {
        let scanned = outer.pop();
        let root = parallel(&mut frame.exprs, &mut outer, None, &mut axes);
        outer.extend(scanned);
        return Nest { root, outer, red, axes, merged };
    }
    let is_inside = prefers_inside(frame, indices);
    let vector = match red.last_mut() {
        Some(last) if is_inside || outer.is_empty() => {
            last.vector = true;
            None
        }
        _ => outer.pop().map(|last| LoopAxis { vector: true, ..last }),
    };
    let across = vector.and_then(|vector| across(&mut frame.exprs, &indices.addresses, &axes, vector, &outer));
    let across = across.map(|k| outer.remove(k));
    let root = parallel(&mut frame.exprs, &mut outer, vector, &mut axes);
    outer.extend(vector.filter(|vector| root.sym != vector.sym));
    outer.extend(across);
    Nest { root, outer, red, axes, merged }
}

/// Where some memory is read across the lanes (a transposed copy): the axis along which that memory is contiguous. Run
/// inside the vector loop, it finds the lines that one step has fetched still in cache at the next.
fn across(
    exprs: &mut Pool,
    addresses: &[Expr],
    axes: &FxHashMap<Sym, Expr>,
    vector: LoopAxis,
    outer: &[LoopAxis],
) -> Option<usize> {
    addresses.iter().find_map(|&e| {
        let e = exprs.subst(e, axes);
        let (stride, _) = exprs.split_linear(e, vector.sym)?;
        if stride.abs() <= 1 {
            return None;
        }
        outer.iter().position(|axis| matches!(exprs.split_linear(e, axis.sym), Some((1, _))))
    })
}

/// Merges neighbouring axes that every index treats as one. In the expressions of all axes the outer ones of a merged
/// run become 0 and the innermost the whole: `n*a + b` with `a < m, b < n` becomes one variable below `m*n`.
fn merge(
    exprs: &mut Pool,
    prefix: &str,
    axes: &[(Sym, i64)],
    indices: &[Expr],
    map: &mut FxHashMap<Sym, Expr>,
    merged: &mut Vec<[(Sym, i64); 2]>,
) -> Vec<LoopAxis> {
    let mut loops = Vec::new();
    let mut end = axes.len();
    while end > 0 {
        let mut start = end - 1;
        let mut extent = axes[start].1;
        while start > 0 && acts_as_one(exprs, axes[start - 1], axes[start], indices) {
            merged.push([axes[start - 1], axes[start]]);
            start -= 1;
            extent *= axes[start].1;
        }
        let sym = exprs.symbol(&format!("{prefix}{}", loops.len()), Range::new(0, extent - 1));
        let whole = exprs.sym(sym);
        let zero = exprs.int(0);
        for &(axis, _) in &axes[start..end - 1] {
            map.insert(axis, zero);
        }
        map.insert(axes[end - 1].0, whole);
        loops.push(LoopAxis { sym, extent, vector: false });
        end = start;
    }
    loops.reverse();
    loops
}

fn acts_as_one(exprs: &mut Pool, outer: (Sym, i64), inner: (Sym, i64), indices: &[Expr]) -> bool {
    indices.iter().all(|&e| {
        let coeffs = (exprs.split_linear(e, outer.0), exprs.split_linear(e, inner.0));
        let (Some((a, _)), Some((b, _))) = coeffs else { return false };
        b.checked_mul(inner.1) == Some(a)
    })
}

/// True if more of what is read or written for each element of a row is contiguous along the row than across rows.
fn prefers_inside(frame: &mut Frame, indices: &Indices) -> bool {
    let Frame { exprs, outer, red, .. } = frame;
    let each_element: Vec<Expr> =
        indices.addresses.iter().copied().filter(|&e| red.iter().any(|&sym| exprs.mentions(e, sym))).collect();
    let mut unit_strides = |sym: Option<&Sym>| {
        let Some(&sym) = sym else { return 0 };
        each_element.iter().filter(|&&e| matches!(exprs.split_linear(e, sym), Some((1, _)))).count()
    };
    let (inside, across) = (unit_strides(red.last()), unit_strides(outer.last()));
    !red.is_empty() && inside >= across
}

/// Takes axes from the outside into one parallel loop until it has pieces enough. A vector axis alone is parallel too.
fn parallel(
    exprs: &mut Pool,
    outer: &mut Vec<LoopAxis>,
    vector: Option<LoopAxis>,
    axes: &mut FxHashMap<Sym, Expr>,
) -> LoopAxis {
    if outer.is_empty() {
        return vector.unwrap_or_else(|| LoopAxis {
            sym: exprs.symbol("p", Range::new(0, 0)),
            extent: 1,
            vector: false,
        });
    }
    let mut pieces = 1;
    let mut count = 0;
    while count < outer.len() && pieces < MIN_PIECES {
        pieces *= outer[count].extent;
        count += 1;
    }
    if count == 1 {
        return outer.remove(0);
    }
    let sym = exprs.symbol("p", Range::new(0, pieces - 1));
    let whole = exprs.sym(sym);
    let mut below = pieces;
    let mut digits = FxHashMap::default();
    for axis in outer.drain(..count) {
        below /= axis.extent;
        let below = exprs.int(below);
        let quotient = exprs.floor_div(whole, below);
        let extent = exprs.int(axis.extent);
        digits.insert(axis.sym, exprs.modulo(quotient, extent));
    }
    for value in axes.values_mut() {
        *value = exprs.subst(*value, &digits);
    }
    LoopAxis { sym, extent: pieces, vector: false }
}
