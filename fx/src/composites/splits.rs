//! Splits into views by their number or by places (`TensorShape.cpp`).

use super::{
    ExpandSeveral,
    build::{Outcome, Parts},
};
use crate::{aten::Aten, graph::NodeId};
use symshapes::Expr;

/// The composites of this family.
pub(super) const ROWS: &[(Aten, ExpandSeveral)] = &[
    (Aten::tensor_split_sections, |p| {
        let this = p.node("self")?;
        let dim = along(p, this)?;
        by_number(p, this, dim, p.int("sections")?)
    }),
    (Aten::tensor_split_indices, |p| {
        let this = p.node("self")?;
        let dim = along(p, this)?;
        by_places(p, this, dim)
    }),
    (Aten::hsplit_int, |p| equally(p, 1)),
    (Aten::hsplit_array, |p| at_places(p, 1)),
    (Aten::vsplit_int, |p| equally(p, 0)),
    (Aten::vsplit_array, |p| at_places(p, 0)),
    (Aten::dsplit_int, |p| equally(p, 2)),
    (Aten::dsplit_array, |p| at_places(p, 2)),
];

/// The dimension of a tensor that the call names.
fn along(p: &mut Parts, tensor: NodeId) -> Outcome<usize> {
    let rank = p.rank(tensor)?;
    p.demand(rank > 0, "a tensor without dimensions")?;
    p.wrap(p.int("dim")?, rank)
}

/// The dimension that an operator splits by its name; vectors have but one.
fn named(p: &Parts, this: NodeId, dim: usize) -> Outcome<usize> {
    let rank = p.rank(this)?;
    let least = if dim == 1 { 1 } else { dim.max(1) + 1 };
    p.demand(rank >= least, "a tensor of too few dimensions")?;
    Ok(if rank == 1 { 0 } else { dim })
}

/// Parts of one size.
fn equally(p: &mut Parts, dim: usize) -> Outcome<Vec<NodeId>> {
    let (this, sections) = (p.node("self")?, p.int("sections")?);
    let dim = named(p, this, dim)?;
    p.demand(sections > 0, "a number of parts that is not positive")?;
    let size = p.sizes_of(this)?[dim];
    let rest = p.pool().modulo_int(size, sections);
    if !p.are_equal(rest, Expr::ZERO)? {
        return Err(p.rejected("parts that would have several sizes"));
    }
    by_number(p, this, dim, sections)
}

fn at_places(p: &mut Parts, dim: usize) -> Outcome<Vec<NodeId>> {
    let this = p.node("self")?;
    let dim = named(p, this, dim)?;
    by_places(p, this, dim)
}

/// Parts by their number, the first of which may be longer by one.
fn by_number(p: &mut Parts, this: NodeId, dim: usize, sections: i64) -> Outcome<Vec<NodeId>> {
    p.demand(sections > 0, "a number of parts that is not positive")?;
    let size = p.sizes_of(this)?[dim];
    let mut pool = p.pool();
    let parts = pool.int(sections);
    let (least, longer) = (pool.floor_div(size, parts), pool.modulo(size, parts));
    let start = |part: i64| {
        let (taken, number) = (pool.mul_int(least, part), pool.int(part));
        let more = pool.min(number, longer);
        pool.add(taken, more)
    };
    let places: Vec<Expr> = (0..=sections).map(start).collect();
    between(p, this, dim, &places)
}

/// Parts that end at the places that the call names.
fn by_places(p: &mut Parts, this: NodeId, dim: usize) -> Outcome<Vec<NodeId>> {
    let places = [vec![Expr::ZERO], p.exprs("indices")?, vec![p.sizes_of(this)?[dim]]].concat();
    between(p, this, dim, &places)
}

fn between(p: &mut Parts, this: NodeId, dim: usize, places: &[Expr]) -> Outcome<Vec<NodeId>> {
    let part = |ends: &[Expr]| {
        let (start, end) = (p.size_arg(ends[0]), p.size_arg(ends[1]));
        p.slice(this, dim, start, end)
    };
    places.windows(2).map(part).collect()
}
