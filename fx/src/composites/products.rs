//! Products over chosen dimensions, chains of matrices and powers (`Linear.cpp`, `LinearAlgebra.cpp`).

use super::{
    Expand,
    build::{Outcome, Parts},
};
use crate::{arg::Arg, aten::Aten, graph::NodeId};
use symshapes::{DTypeClass, Expr};

/// The composites of this family.
pub(super) const ROWS: &[(Aten, Expand)] = &[
    (Aten::outer_default, outer),
    (Aten::inner_default, |p| {
        let (this, other) = (p.node("self")?, p.node("other")?);
        if p.rank(this)? == 0 || p.rank(other)? == 0 {
            return p.binary(Aten::mul_Tensor, this, other);
        }
        let last = [p.rank(this)? - 1, p.rank(other)? - 1];
        let sizes = [p.sizes_of(this)?[last[0]], p.sizes_of(other)?[last[1]]];
        if !p.are_equal(sizes[0], sizes[1])? {
            return Err(p.rejected("last dimensions of other sizes"));
        }
        contracted(p, [this, other], &[vec![last[0]], vec![last[1]]])
    }),
    (Aten::tensordot_default, |p| {
        let both = [p.node("self")?, p.node("other")?];
        let mut dims = [Vec::new(), Vec::new()];
        for ((dims, name), tensor) in dims.iter_mut().zip(["dims_self", "dims_other"]).zip(both) {
            let rank = p.rank(tensor)?;
            *dims = p.bound.ints(name)?.into_iter().map(|dim| p.wrap(dim, rank)).collect::<Outcome<_>>()?;
            let mut distinct = dims.clone();
            distinct.sort_unstable();
            distinct.dedup();
            p.demand(distinct.len() == dims.len(), "a dimension that is named twice")?;
            p.demand(dims.iter().all(|&dim| dim < rank), "a dimension out of range")?;
        }
        p.demand(dims[0].len() == dims[1].len(), "lists of dimensions of two lengths")?;
        contracted(p, both, &dims)
    }),
    (Aten::kron_default, kron),
    (Aten::chain_matmul_default, |p| {
        let matrices = p.nodes("matrices")?;
        for &matrix in &matrices {
            p.demand(p.rank(matrix)? == 2, "a tensor that is no matrix")?;
        }
        match matrices[..] {
            [] => Err(p.rejected("no matrix")),
            [only] => Ok(only),
            _ => chain(p, &matrices),
        }
    }),
    (Aten::linalg_multi_dot_default, |p| {
        let tensors = p.nodes("tensors")?;
        chain(p, &tensors)
    }),
    (Aten::linalg_vecdot_default, |p| {
        let (x, y) = (p.node("x")?, p.node("y")?);
        is_field(p, x)?;
        p.demand(p.dtype(x)? == p.dtype(y)?, "vectors of two element types")?;
        if p.is_complex(x)? {
            return Err(p.unsupported("complex numbers"));
        }
        if (p.rank(x)?, p.rank(y)?) == (1, 1) {
            return p.binary(Aten::vdot_default, x, y);
        }
        let product = p.binary(Aten::mul_Tensor, x, y)?;
        let dim = Arg::List(vec![p.arg("dim")]);
        p.with(Aten::sum_dim_IntList, product, dim)
    }),
    (Aten::matrix_power_default, power),
    (Aten::linalg_matrix_power_default, power),
    (Aten::linalg_vander_default, vandermonde),
    (Aten::bilinear_default, bilinear),
    (Aten::cross_default, |p| {
        let (this, other) = (p.node("self")?, p.node("other")?);
        let Some(dim) = p.bound.opt_int("dim")? else { return Err(p.unsupported("a dimension that is looked for")) };
        p.call_named(Aten::linalg_cross_default, vec![Arg::Node(this), Arg::Node(other)], &[("dim", Arg::Int(dim))])
    }),
];

/// Demands floating-point or complex elements.
fn is_field(p: &Parts, of: NodeId) -> Outcome<()> {
    p.demand(p.dtype(of)?.class() >= DTypeClass::Float, "elements that are no floats")
}

fn outer(p: &mut Parts) -> Outcome {
    let (this, other) = (p.node("self")?, p.node("vec2")?);
    p.demand((p.rank(this)?, p.rank(other)?) == (1, 1), "a tensor that is no vector")?;
    let count = p.sizes_of(this)?[0];
    let column = p.reshape(this, &[count, Expr::ONE])?;
    p.binary(Aten::mul_Tensor, column, other)
}

/// Two tensors contracted over a dimension of each, pair by pair.
fn contracted(p: &mut Parts, both: [NodeId; 2], dims: &[Vec<usize>; 2]) -> Outcome {
    p.demand(p.dtype(both[0])? == p.dtype(both[1])?, "tensors of two element types")?;
    let [mut left, mut right] = both;
    let mut common = Expr::ONE;
    for (&a, &b) in dims[0].iter().zip(&dims[1]) {
        let (of_left, of_right) = (p.sizes_of(both[0])?[a], p.sizes_of(both[1])?[b]);
        if p.is_one(of_right)? {
            left = p.summed(left, &[a])?;
        } else if p.is_one(of_left)? {
            right = p.summed(right, &[b])?;
        } else if p.are_equal(of_left, of_right)? {
            common = p.pool().mul(common, of_left);
        } else {
            return Err(p.rejected("contracted dimensions of two sizes"));
        }
    }
    let [kept, others] = [(left, &dims[0]), (right, &dims[1])].map(|(tensor, dims)| kept(p, tensor, dims));
    let ((kept, rows), (others, columns)) = (kept?, others?);
    let (height, width) = (p.product(&rows), p.product(&columns));
    let left = p.permute(left, &[kept, dims[0].clone()].concat())?;
    let left = p.reshape(left, &[height, common])?;
    let right = p.permute(right, &[dims[1].clone(), others].concat())?;
    let right = p.reshape(right, &[common, width])?;
    let product = p.binary(Aten::mm_default, left, right)?;
    p.reshape(product, &[rows, columns].concat())
}

/// The dimensions that are not contracted, with their sizes.
fn kept(p: &Parts, tensor: NodeId, contracted: &[usize]) -> Outcome<(Vec<usize>, Vec<Expr>)> {
    let sizes = p.sizes_of(tensor)?;
    let dims: Vec<usize> = (0..sizes.len()).filter(|dim| !contracted.contains(dim)).collect();
    let sizes = dims.iter().map(|&dim| sizes[dim]).collect();
    Ok((dims, sizes))
}

fn kron(p: &mut Parts) -> Outcome {
    let both = [p.node("self")?, p.node("other")?];
    let rank = p.rank(both[0])?.max(p.rank(both[1])?);
    let mut wide = [Vec::new(), Vec::new()];
    for (wide, tensor) in wide.iter_mut().zip(both) {
        let own = p.sizes_of(tensor)?;
        *wide = [vec![Expr::ONE; rank - own.len()], own].concat();
    }
    let [left, right] = &wide;
    let apart = |size: &Expr, is_left: bool| if is_left { [*size, Expr::ONE] } else { [Expr::ONE, *size] };
    let (of_left, of_right): (Vec<Expr>, Vec<Expr>) = (
        left.iter().flat_map(|size| apart(size, true)).collect(),
        right.iter().flat_map(|size| apart(size, false)).collect(),
    );
    let sizes: Vec<Expr> = left.iter().zip(right).map(|(&a, &b)| p.pool().mul(a, b)).collect();
    let (left, right) = (p.reshape(both[0], &of_left)?, p.reshape(both[1], &of_right)?);
    let product = p.binary(Aten::mul_Tensor, left, right)?;
    p.reshape(product, &sizes)
}

/// The product of matrices, the first and last of which may be vectors, in the order that costs least.
fn chain(p: &mut Parts, tensors: &[NodeId]) -> Outcome {
    let &[first, .., last] = tensors else { return Err(p.rejected("fewer than two tensors")) };
    let (mut matrices, mut sizes) = (tensors.to_vec(), Vec::new());
    let dtype = p.dtype(first)?;
    for &tensor in tensors {
        p.demand(p.dtype(tensor)? == dtype, "tensors of several element types")?;
    }
    match p.rank(first)? {
        1 => matrices[0] = p.with(Aten::unsqueeze_default, first, 0)?,
        _ => sizes.push(p.sizes_of(first)?.first().copied().unwrap_or(Expr::ONE)),
    }
    match p.rank(last)? {
        1 => matrices[tensors.len() - 1] = p.with(Aten::unsqueeze_default, last, -1)?,
        _ => sizes.extend(p.sizes_of(last)?.get(1).copied()),
    }
    for &matrix in &matrices {
        p.demand(p.rank(matrix)? == 2, "a tensor that is no matrix")?;
    }
    let product = match matrices[..] {
        [a, b] => p.binary(Aten::mm_default, a, b)?,
        _ => {
            let extents = extents(p, &matrices)?;
            let splits = cheapest_splits(&extents);
            product_of(p, &matrices, &splits, 0, matrices.len() - 1)?
        }
    };
    let sizes = p.size_args(&sizes);
    p.with(Aten::view_default, product, sizes)
}

/// The number of rows of each matrix, and of columns of the last.
fn extents(p: &mut Parts, matrices: &[NodeId]) -> Outcome<Vec<i64>> {
    let mut extents = Vec::new();
    for (place, &matrix) in matrices.iter().enumerate() {
        let sizes = p.sizes_of(matrix)?;
        extents.push(p.value(sizes[0])?);
        if place + 1 == matrices.len() {
            extents.push(p.value(sizes[1])?);
        }
    }
    Ok(extents)
}

/// For each run of matrices, where to split it so that its product costs least: dynamic programming over the lengths
/// of runs, as in Cormen et al., "Introduction to Algorithms", 15.2. Of three, torch compares the two orders.
fn cheapest_splits(extents: &[i64]) -> Vec<Vec<usize>> {
    let count = extents.len() - 1;
    let mut splits = vec![vec![0; count]; count];
    if count == 3 {
        let [a, b, c, d] = [0, 1, 2, 3].map(|place| i128::from(extents[place]));
        // The first two, where that is not dearer.
        splits[0][2] = usize::from(a * b * c + a * c * d <= b * c * d + a * b * d);
        splits[1][2] = 1;
        return splits;
    }
    let mut costs = vec![vec![0_i128; count]; count];
    for length in 1..count {
        for from in 0..count - length {
            let to = from + length;
            costs[from][to] = i128::MAX;
            for at in from..to {
                let outer = [from, at + 1, to + 1].iter().map(|&place| i128::from(extents[place])).product::<i128>();
                let cost = costs[from][at] + costs[at + 1][to] + outer;
                if cost < costs[from][to] {
                    (costs[from][to], splits[from][to]) = (cost, at);
                }
            }
        }
    }
    splits
}

fn product_of(p: &mut Parts, matrices: &[NodeId], splits: &[Vec<usize>], from: usize, to: usize) -> Outcome {
    if from == to {
        return Ok(matrices[from]);
    }
    let at = splits[from][to];
    let (left, right) = (product_of(p, matrices, splits, from, at)?, product_of(p, matrices, splits, at + 1, to)?);
    p.binary(Aten::mm_default, left, right)
}

/// A positive power of square matrices, by squaring.
fn power(p: &mut Parts) -> Outcome {
    let (this, n) = (p.node("self")?, p.int("n")?);
    is_field(p, this)?;
    let sizes = p.sizes_of(this)?;
    let [.., rows, columns] = sizes[..] else { return Err(p.rejected("a tensor that holds no matrices")) };
    if !p.are_equal(rows, columns)? {
        return Err(p.rejected("matrices that are not square"));
    }
    let times = |p: &mut Parts, a, b| p.binary(Aten::matmul_default, a, b);
    match n {
        1 => p.unary(Aten::clone_default, this),
        2 => times(p, this, this),
        3 => {
            let square = times(p, this, this)?;
            times(p, square, this)
        }
        4.. => {
            let (mut power, mut result, mut rest) = (this, None, n);
            loop {
                if rest % 2 == 1 {
                    result = Some(match result {
                        Some(result) => times(p, result, power)?,
                        None => power,
                    });
                }
                rest /= 2;
                match result {
                    Some(result) if rest == 0 => return Ok(result),
                    _ => power = times(p, power, power)?,
                }
            }
        }
        _ => Err(p.unsupported("a power that is not positive")),
    }
}

/// The powers of elements, from the zeroth on, along a new last dimension.
fn vandermonde(p: &mut Parts) -> Outcome {
    let x = p.node("x")?;
    let sizes = p.sizes_of(x)?;
    let last = sizes.last().copied().ok_or_else(|| p.rejected("a number"))?;
    let count = if p.bound.get("N").is_none() { last } else { p.exprs("N")?[0] };
    if p.dtype(x)?.class() < DTypeClass::Float {
        return Err(p.unsupported("integers"));
    }
    let count = p.value(count)?;
    if count <= 1 {
        return Err(p.unsupported("a single power"));
    }
    let powers = p.pool().int(count - 1);
    let wide = p.size_args(&[&sizes[..], &[powers]].concat());
    let ones = p.size_args(&[&sizes[..], &[Expr::ONE]].concat());
    let column = p.with(Aten::unsqueeze_default, x, -1)?;
    let repeated = p.with(Aten::expand_default, column, wide)?;
    let powers = p.with(Aten::cumprod_default, repeated, -1)?;
    let ones = p.with(Aten::new_ones_default, powers, ones)?;
    let columns = Arg::List(vec![Arg::Node(ones), Arg::Node(powers)]);
    p.call(Aten::cat_default, [columns, Arg::Int(-1)])
}

fn bilinear(p: &mut Parts) -> Outcome {
    let (left, right, weight) = (p.node("input1")?, p.node("input2")?, p.node("weight")?);
    let (of_left, of_right, of_weight) = (p.sizes_of(left)?, p.sizes_of(right)?, p.sizes_of(weight)?);
    let ([batch @ .., wide], [other, other_wide], [out, a, b]) = (&of_left[..], rest(&of_right), &of_weight[..]) else {
        return Err(p.rejected("operands of other ranks"));
    };
    p.demand(of_left.len() == of_right.len(), "inputs of two ranks")?;
    let pairs = batch.iter().copied().zip(other.iter().copied()).chain([(*wide, *a), (other_wide[0], *b)]);
    for (one, other) in pairs.collect::<Vec<_>>() {
        if !p.are_equal(one, other)? {
            return Err(p.rejected("sizes that do not fit"));
        }
    }
    let dtype = p.dtype(left)?;
    p.demand(dtype == p.dtype(right)? && dtype == p.dtype(weight)?, "operands of several element types")?;
    let rows = p.product(batch);
    let (sizes, [left_rows, right_rows]) = ([batch, &[*out]].concat(), [[rows, *wide], [rows, other_wide[0]]]);
    let (left, right) = (p.reshape(left, &left_rows)?, p.reshape(right, &right_rows)?);
    let list = |dims: &[i64]| Arg::List(dims.iter().map(|&dim| Arg::Int(dim)).collect());
    let args =
        [Arg::Node(left), Arg::Node(weight), Arg::Node(right), list(&[1, 3]), list(&[0]), list(&[1, 2]), list(&[2, 3])];
    let product = p.call(Aten::_trilinear_default, args)?;
    let product = p.reshape(product, &sizes)?;
    let Some(bias) = p.bound.node("bias") else { return Ok(product) };
    let of_bias = p.sizes_of(bias)?;
    p.demand(of_bias.len() == 1 && p.dtype(bias)? == dtype, "a bias that is no vector of the same elements")?;
    if !p.are_equal(of_bias[0], *out)? {
        return Err(p.rejected("a bias of other features"));
    }
    p.binary(Aten::add_Tensor, product, bias)
}

/// Sizes without the last one, and that.
fn rest(sizes: &[Expr]) -> [&[Expr]; 2] {
    let (rest, last) = sizes.split_at(sizes.len().saturating_sub(1));
    [rest, last]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cheapest_order_of_a_chain() {
        assert_eq!(cheapest_splits(&[10, 100, 5, 50])[0][2], 1);
        assert_eq!(cheapest_splits(&[100, 5, 50, 10])[0][2], 0);
        let splits = cheapest_splits(&[30, 35, 15, 5, 10, 20, 25]);
        assert_eq!((splits[0][5], splits[0][2], splits[3][5]), (2, 0, 4));
    }
}
