//! Products of matrices as composites: `linear` and `matmul` as calls of `mm`, `addmm` and `bmm`.

use crate::build::{Build, Outcome, node};
use fx::aten::Aten;
use fx::aten::Bound;
use fx::{Arg, NodeId};

fn transposed(b: &mut Build, matrix: NodeId) -> Outcome<NodeId> {
    b.call(Aten::t_default, vec![Arg::Node(matrix)])
}

/// A tensor as a matrix of its last dimension.
fn as_matrix(b: &mut Build, tensor: NodeId) -> Outcome<NodeId> {
    let Arg::List(sizes) = b.sizes(tensor)? else { return Err("sizes that are no list".to_owned()) };
    if sizes.is_empty() {
        return Err("a product with a number".to_owned());
    }
    let rows = product_of(b, &sizes[..sizes.len() - 1])?;
    b.reshape(tensor, Arg::List(vec![rows, sizes[sizes.len() - 1].clone()]))
}

/// The product of sizes as an argument.
fn product_of(b: &mut Build, sizes: &[Arg]) -> Outcome<Arg> {
    let sizes = sizes.iter().map(|size| b.expr(size)).collect::<Option<Vec<_>>>();
    let product = b.product(sizes.ok_or_else(|| "a size that is no number".to_owned())?);
    Ok(b.size_arg(product))
}

/// `addmm` or `mm` of the input as a matrix.
pub(crate) fn linear(b: &mut Build, a: &Bound) -> Outcome<NodeId> {
    let (input, weight) = (node(a, "input")?, node(a, "weight")?);
    if b.rank(weight)? != 2 {
        return Err("`linear` by a vector".to_owned());
    }
    let (matrix, weight) = (as_matrix(b, input)?, transposed(b, weight)?);
    let product = match a.node("bias") {
        Some(bias) => b.call(Aten::addmm_default, vec![Arg::Node(bias), Arg::Node(matrix), Arg::Node(weight)])?,
        None => b.call(Aten::mm_default, vec![Arg::Node(matrix), Arg::Node(weight)])?,
    };
    let (Arg::List(mut sizes), Arg::List(of_product)) = (b.sizes(input)?, b.sizes(product)?) else {
        return Err("sizes that are no list".to_owned());
    };
    sizes.pop();
    sizes.push(of_product[1].clone());
    b.reshape(product, Arg::List(sizes))
}

/// `mm` where the right operand is a matrix, else `bmm` of what both broadcast to; vectors count as matrices.
pub(crate) fn matmul(b: &mut Build, a: &Bound) -> Outcome<NodeId> {
    let (left, right) = (node(a, "self")?, node(a, "other")?);
    let ranks = (b.rank(left)?, b.rank(right)?);
    if ranks.0 == 1 || ranks.1 == 1 {
        return matmul_of_vectors(b, left, right);
    }
    let (Arg::List(of_left), Arg::List(of_right)) = (b.sizes(left)?, b.sizes(right)?) else {
        return Err("sizes that are no list".to_owned());
    };
    let columns = of_right[ranks.1 - 1].clone();
    if ranks.1 == 2 {
        let matrix = as_matrix(b, left)?;
        let product = b.call(Aten::mm_default, vec![Arg::Node(matrix), Arg::Node(right)])?;
        return b.reshape(product, Arg::List([&of_left[..ranks.0 - 1], &[columns]].concat()));
    }
    let (left_batch, right_batch) = (&of_left[..ranks.0 - 2], &of_right[..ranks.1 - 2]);
    let rank = left_batch.len().max(right_batch.len());
    let padded = |batch: &[Arg]| [vec![Arg::Int(1); rank - batch.len()], batch.to_vec()].concat();
    let wider = |(left, right): (Arg, Arg)| if left == Arg::Int(1) { right } else { left };
    let batch: Vec<Arg> = padded(left_batch).into_iter().zip(padded(right_batch)).map(wider).collect();
    let count = product_of(b, &batch)?;
    let mut batched = |tensor: NodeId, of: &[Arg]| {
        let whole = [&batch[..], of].concat();
        let expanded = b.call(Aten::expand_default, vec![Arg::Node(tensor), Arg::List(whole)])?;
        b.reshape(expanded, Arg::List([std::slice::from_ref(&count), of].concat()))
    };
    let left = batched(left, &of_left[ranks.0 - 2..])?;
    let right = batched(right, &of_right[ranks.1 - 2..])?;
    let product = b.call(Aten::bmm_default, vec![Arg::Node(left), Arg::Node(right)])?;
    b.reshape(product, Arg::List([&batch[..], &[of_left[ranks.0 - 2].clone(), columns]].concat()))
}

/// `matmul` of vectors: a vector is a matrix of one row on the left, of one column on the right.
fn matmul_of_vectors(b: &mut Build, left: NodeId, right: NodeId) -> Outcome<NodeId> {
    let [is_row, is_column] = [b.rank(left)? == 1, b.rank(right)? == 1];
    let mut as_matrix = |of: NodeId, is_vector: bool, dim: i64| {
        if is_vector { b.call(Aten::unsqueeze_default, vec![Arg::Node(of), Arg::Int(dim)]) } else { Ok(of) }
    };
    let (left, right) = (as_matrix(left, is_row, 0)?, as_matrix(right, is_column, 1)?);
    let product = product(b, left, right)?;
    let Arg::List(mut sizes) = b.sizes(product)? else { return Err("sizes that are no list".to_owned()) };
    if is_column {
        sizes.pop();
    }
    if is_row {
        sizes.remove(sizes.len() - usize::from(!is_column) - 1);
    }
    b.reshape(product, Arg::List(sizes))
}

/// The product of two batches of matrices.
pub(crate) fn product(b: &mut Build, left: NodeId, right: NodeId) -> Outcome<NodeId> {
    let args = [Arg::Node(left), Arg::Node(right)];
    let bound = Aten::matmul_default.bind(&args, &[]).map_err(|error| error.to_string())?;
    matmul(b, &bound)
}
