//! `einsum`: operands aligned by their subscripts, then multiplied and summed two at a time (`Linear.cpp`).

use super::{
    Expand,
    build::{Outcome, Parts},
};
use crate::{arg::Arg, aten::Aten, graph::NodeId};
use std::collections::VecDeque;
use symshapes::Expr;

/// The composites of this family.
pub(super) const ROWS: &[(Aten, Expand)] = &[(Aten::einsum_default, einsum)];

/// A subscript of an operand.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Subscript {
    Label(u8),
    /// Any number of dimensions.
    Ellipsis,
}

/// The subscripts of each operand, and those of the result, if the equation names them.
struct Equation {
    operands: Vec<Vec<Subscript>>,
    result: Option<Vec<Subscript>>,
}

impl Equation {
    fn parse(text: &str) -> Option<Equation> {
        let (operands, result) = match text.split_once("->") {
            Some((operands, result)) => (operands, Some(subscripts(result)?)),
            None => (text, None),
        };
        let operands = operands.split(',').map(subscripts).collect::<Option<_>>()?;
        Some(Equation { operands, result })
    }

    /// The labels of the operands, once each, in the order of the alphabet, with how often each stands there.
    fn labels(&self) -> Vec<(Subscript, usize)> {
        let mut all: Vec<Subscript> = self.operands.iter().flatten().copied().collect();
        all.retain(|&subscript| subscript != Subscript::Ellipsis);
        all.sort_unstable();
        all.chunk_by(|a, b| a == b).map(|equal| (equal[0], equal.len())).collect()
    }
}

/// The subscripts of one operand; `None` if they are not well-formed.
fn subscripts(text: &str) -> Option<Vec<Subscript>> {
    let mut found = Vec::new();
    let mut rest = text.bytes().filter(|&byte| byte != b' ');
    while let Some(byte) = rest.next() {
        found.push(match byte {
            b'.' if rest.next() == Some(b'.') && rest.next() == Some(b'.') => Subscript::Ellipsis,
            b'A'..=b'Z' | b'a'..=b'z' => Subscript::Label(byte),
            _ => return None,
        });
    }
    let ellipses = found.iter().filter(|&&subscript| subscript == Subscript::Ellipsis).count();
    (ellipses <= 1).then_some(found)
}

/// The dimensions that all operands get: first those of the result, then those that are summed.
struct Layout {
    /// Each label, and its dimension.
    places: Vec<(Subscript, usize)>,
    /// The first dimension of the ellipsis.
    ellipsis: usize,
    /// The number of dimensions that the ellipsis stands for.
    wide: usize,
    /// The number of dimensions of the result.
    kept: usize,
    /// The number of all dimensions.
    all: usize,
}

impl Layout {
    fn place(&self, label: Subscript) -> Option<usize> {
        self.places.iter().find(|&&(known, _)| known == label).map(|&(_, place)| place)
    }

    /// The layout of an equation whose ellipsis stands for so many dimensions; `None` if torch refuses the result.
    fn of(equation: &Equation, wide: usize) -> Option<Layout> {
        let labels = equation.labels();
        let once = labels.iter().filter(|&&(_, count)| count == 1).map(|&(label, _)| label);
        let result = match &equation.result {
            Some(result) => result.clone(),
            None => std::iter::once(Subscript::Ellipsis).chain(once).collect(),
        };
        let (mut places, mut ellipsis, mut next) = (Vec::new(), None, 0);
        for &subscript in &result {
            if subscript == Subscript::Ellipsis {
                ellipsis = Some(next);
                next += wide;
                continue;
            }
            let is_new = places.iter().all(|&(known, _)| known != subscript);
            if !is_new || labels.iter().all(|&(known, _)| known != subscript) {
                return None;
            }
            places.push((subscript, next));
            next += 1;
        }
        let kept = next;
        let ellipsis = ellipsis.unwrap_or_else(|| {
            next += wide;
            kept
        });
        for (label, _) in labels {
            if places.iter().all(|&(known, _)| known != label) {
                places.push((label, next));
                next += 1;
            }
        }
        Some(Layout { places, ellipsis, wide, kept, all: next })
    }
}

fn einsum(p: &mut Parts) -> Outcome {
    let equation = Equation::parse(p.bound.str("equation")?).ok_or_else(|| p.rejected("an equation in other form"))?;
    let tensors = p.nodes("tensors")?;
    p.demand(!tensors.is_empty() && tensors.len() == equation.operands.len(), "operands that are not in the equation")?;
    let path = p.bound.opt_ints("path")?;
    let mut wide = 0;
    for (&tensor, subscripts) in tensors.iter().zip(&equation.operands) {
        let (rank, has_ellipsis) = (p.rank(tensor)?, subscripts.contains(&Subscript::Ellipsis));
        let named = subscripts.len() - usize::from(has_ellipsis);
        p.demand(if has_ellipsis { named <= rank } else { named == rank }, "subscripts for other dimensions")?;
        wide = wide.max(if has_ellipsis { rank - named } else { 0 });
    }
    let layout = Layout::of(&equation, wide).ok_or_else(|| p.rejected("subscripts of the result in other form"))?;
    let mut sizes = vec![Expr::ONE; layout.all];
    let mut aligned = VecDeque::new();
    for (&tensor, subscripts) in tensors.iter().zip(&equation.operands) {
        aligned.push_back(align(p, &layout, tensor, subscripts, &mut sizes)?);
    }
    let whole = contract(p, &layout, aligned, path.as_deref())?;
    if layout.all == layout.kept {
        return Ok(whole);
    }
    if tensors.len() > 1 {
        let sizes = p.sizes_of(whole)?;
        let sizes = p.size_args(&sizes[..layout.kept]);
        return p.with(Aten::view_default, whole, sizes);
    }
    let dims = (layout.kept..layout.all).map(|dim| Arg::Int(dim as i64)).collect();
    p.with(Aten::sum_dim_IntList, whole, Arg::List(dims))
}

/// An operand in the layout: diagonals of subscripts that it has twice, ones for those that it lacks. The sizes of the
/// whole, where they are known so far, have to be its own.
fn align(p: &mut Parts, layout: &Layout, operand: NodeId, subscripts: &[Subscript], sizes: &mut [Expr]) -> Outcome {
    let mut tensor = operand;
    let mut places: Vec<Option<usize>> = vec![None; layout.all];
    let own = (p.rank(operand)? + 1).saturating_sub(subscripts.len());
    let mut dim = 0;
    for &subscript in subscripts {
        if subscript == Subscript::Ellipsis {
            for place in layout.wide - own..layout.wide {
                note_size(p, tensor, dim, &mut sizes[layout.ellipsis + place])?;
                places[layout.ellipsis + place] = Some(dim);
                dim += 1;
            }
            continue;
        }
        let place = layout.place(subscript).ok_or_else(|| p.unsupported("a subscript without a place"))?;
        if let Some(earlier) = places[place] {
            let all = p.sizes_of(tensor)?;
            if !p.are_equal(all[dim], all[earlier])? {
                return Err(p.rejected("a subscript of two sizes"));
            }
            let args = [Arg::Node(tensor), Arg::Int(0), Arg::Int(earlier as i64), Arg::Int(dim as i64)];
            let diagonal = p.call(Aten::diagonal_default, args)?;
            let last = p.rank(diagonal)? - 1;
            tensor = p.move_dims(diagonal, &[last], &[earlier])?;
            continue;
        }
        note_size(p, tensor, dim, &mut sizes[place])?;
        places[place] = Some(dim);
        dim += 1;
    }
    let mut order = Vec::new();
    for place in places {
        order.push(match place {
            Some(dim) => dim,
            None => {
                tensor = p.with(Aten::unsqueeze_default, tensor, dim as i64)?;
                dim += 1;
                dim - 1
            }
        });
    }
    p.permute(tensor, &order)
}

/// Notes the size of a dimension, which broadcasts to what is known of it.
fn note_size(p: &mut Parts, tensor: NodeId, dim: usize, known: &mut Expr) -> Outcome<()> {
    let size = p.sizes_of(tensor)?[dim];
    if p.is_one(size)? {
        return Ok(());
    }
    if *known != Expr::ONE && !p.are_equal(*known, size)? {
        return Err(p.rejected("a subscript of two sizes"));
    }
    *known = size;
    Ok(())
}

/// Multiplies operands, two at a time, and sums a dimension as soon as no other operand has it.
fn contract(p: &mut Parts, layout: &Layout, mut operands: VecDeque<NodeId>, path: Option<&[i64]>) -> Outcome {
    let mut counts = vec![0_usize; layout.all];
    for &operand in &operands {
        for (count, size) in counts.iter_mut().zip(p.sizes_of(operand)?) {
            *count += usize::from(!p.is_one(size)?);
        }
    }
    let mut pairs = path.unwrap_or_default().chunks(2);
    while operands.len() > 1 {
        let (i, j) = match (path, pairs.next()) {
            (None, _) => (0, 1),
            (Some(_), Some(&[a, b])) => (a.min(b) as usize, a.max(b) as usize),
            (Some(_), _) => return Err(p.rejected("a path that does not fit")),
        };
        p.demand(i != j, "a path that contracts an operand with itself")?;
        let (b, a) = (operands.remove(j), operands.remove(i));
        let (Some(a), Some(b)) = (a, b) else { return Err(p.rejected("a path out of range")) };
        let product = contract_pair(p, layout, a, b, &mut counts)?;
        if path.is_some() { operands.push_back(product) } else { operands.push_front(product) }
    }
    operands.pop_front().ok_or_else(|| p.rejected("no operand"))
}

fn contract_pair(p: &mut Parts, layout: &Layout, a: NodeId, b: NodeId, counts: &mut [usize]) -> Outcome {
    let (of_a, of_b) = (p.sizes_of(a)?, p.sizes_of(b)?);
    let (mut both, mut only_a, mut only_b) = (Vec::new(), Vec::new(), Vec::new());
    for dim in layout.kept..layout.all {
        let (in_a, in_b) = (!p.is_one(of_a[dim])?, !p.is_one(of_b[dim])?);
        let list = match (in_a, in_b) {
            (true, true) => {
                counts[dim] = counts[dim].saturating_sub(1);
                &mut both
            }
            (true, false) => &mut only_a,
            (false, true) => &mut only_b,
            (false, false) => continue,
        };
        if counts[dim] == 1 {
            list.push(dim);
            counts[dim] = 0;
        }
    }
    let (a, b) = (p.summed(a, &only_a)?, p.summed(b, &only_b)?);
    sum_of_products(p, a, b, &both)
}

/// Two tensors of one rank, multiplied and summed over dimensions that both have: one batched product of matrices.
fn sum_of_products(p: &mut Parts, a: NodeId, b: NodeId, summed: &[usize]) -> Outcome {
    if summed.is_empty() {
        return p.binary(Aten::mul_Tensor, a, b);
    }
    p.demand(p.dtype(a)? == p.dtype(b)?, "operands of two element types")?;
    let (of_a, of_b) = (p.sizes_of(a)?, p.sizes_of(b)?);
    let (mut batch, mut rows, mut columns) = (Vec::new(), Vec::new(), Vec::new());
    for dim in (0..of_a.len()).filter(|dim| !summed.contains(dim)) {
        let (in_a, in_b) = (!p.is_one(of_a[dim])?, !p.is_one(of_b[dim])?);
        let list = match (in_a, in_b) {
            (true, true) => &mut batch,
            (true, false) => &mut rows,
            (false, _) => &mut columns,
        };
        list.push(dim);
    }
    let sizes = |of: &[Expr], dims: &[usize]| dims.iter().map(|&dim| of[dim]).collect::<Vec<_>>();
    let [of_batch, of_rows, of_columns] = [sizes(&of_a, &batch), sizes(&of_a, &rows), sizes(&of_b, &columns)];
    let (images, height, width) = (p.product(&of_batch), p.product(&of_rows), p.product(&of_columns));
    let depth = p.product(&sizes(&of_a, summed));
    let left = p.permute(a, &[&batch[..], &rows, summed, &columns].concat())?;
    let left = p.reshape(left, &[images, height, depth])?;
    let right = p.permute(b, &[&batch[..], summed, &columns, &rows].concat())?;
    let right = p.reshape(right, &[images, depth, width])?;
    let product = p.binary(Aten::bmm_default, left, right)?;
    let ones = vec![Expr::ONE; summed.len()];
    let apart = p.size_args(&[of_batch, of_rows, ones, of_columns].concat());
    let apart = p.with(Aten::view_default, product, apart)?;
    let order = [&batch[..], &rows, summed, &columns].concat();
    let mut back = vec![0; order.len()];
    order.iter().enumerate().for_each(|(place, &dim)| back[dim] = place);
    p.permute(apart, &back)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equations() {
        let equation = Equation::parse("b i j, ...jk -> b...ik").unwrap();
        assert_eq!(equation.operands.iter().map(Vec::len).collect::<Vec<_>>(), [3, 3]);
        let layout = Layout::of(&equation, 1).unwrap();
        assert_eq!((layout.ellipsis, layout.kept, layout.all), (1, 4, 5));
        assert!(Equation::parse("i..j").is_none() && Equation::parse("i1").is_none());
        assert!(Equation::parse("......").is_none());
        let twice = Equation::parse("ij->ii").unwrap();
        assert!(Layout::of(&twice, 0).is_none());
        let implicit = Layout::of(&Equation::parse("ba,ac").unwrap(), 0).unwrap();
        assert_eq!((implicit.place(Subscript::Label(b'b')), implicit.kept), (Some(0), 2));
    }
}
