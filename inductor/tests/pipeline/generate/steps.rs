//! The steps of which random graphs are made: each adds one call, or a few that belong together.

use super::Make;
use fx::{Arg, Meta, NodeId};
use symshapes::{DType, Expr};

/// A step; nothing where what it needs is not there.
type Step = fn(&mut Make) -> Option<NodeId>;

/// Every kind of step; one that stands here twice is taken twice as often.
const STEPS: &[Step] = &[
    unary, binary, binary, permute, copy, unsqueeze, merge, split, expand, slice, select, flip, cat, pad, sum, mean,
    amax, logsumexp, any_true, cumsum, softmax, layer_norm, choose, triangle, less, to_float, matmul, positions, full,
    by_size, lookup, gradient, measure,
];

const UNARY: &[&str] = &["neg", "abs", "relu", "sigmoid", "tanh", "gelu", "sin", "silu"];
const BINARY: &[&str] = &["add.Tensor", "sub.Tensor", "mul.Tensor", "maximum.default", "minimum.default"];
/// Operators with gradients, and whether these take the result rather than the operand.
const GRADIENTS: &[(&str, bool)] = &[("tanh", true), ("sigmoid", true), ("gelu", false), ("silu", false)];

/// Any step.
pub(super) fn any(make: &mut Make) {
    let step = make.rng.pick(STEPS);
    step(make);
}

/// A tensor with its sizes and one of its dimensions.
struct Along {
    x: NodeId,
    sizes: Vec<Expr>,
    dim: usize,
}

impl Along {
    /// A tensor of floats, or now and then of integers.
    fn number(make: &mut Make) -> Along {
        let dtype = if make.rng.one_in(4) { DType::I64 } else { DType::F32 };
        Along::of(make, dtype)
    }

    fn float(make: &mut Make) -> Along {
        Along::of(make, DType::F32)
    }

    /// A tensor that may be a scalar, whose dimension is then 0.
    fn of(make: &mut Make, dtype: DType) -> Along {
        let x = make.value(dtype);
        let sizes = make.sizes(x);
        let dim = make.rng.below(sizes.len().max(1));
        Along { x, sizes, dim }
    }

    /// The size of the dimension; none of a scalar.
    fn size(&self) -> Option<Expr> {
        self.sizes.get(self.dim).copied()
    }

    fn dim(&self) -> Arg {
        Arg::Int(self.dim as i64)
    }
}

fn unary(make: &mut Make) -> Option<NodeId> {
    let (op, x) = (make.rng.pick(UNARY), make.value(DType::F32));
    make.call(&format!("{op}.default"), vec![x.into()], vec![])
}

fn binary(make: &mut Make) -> Option<NodeId> {
    let (op, x) = (make.rng.pick(BINARY), Along::number(make).x);
    let y = make.dtype(x).map(|dtype| make.value(dtype))?;
    make.call(op, vec![x.into(), y.into()], vec![])
}

fn permute(make: &mut Make) -> Option<NodeId> {
    let Along { x, sizes, dim } = Along::number(make);
    let mut dims: Vec<i64> = (0..sizes.len() as i64).collect();
    dims.rotate_left(dim);
    make.call("permute.default", vec![x.into(), ints(&dims)], vec![])
}

/// A row-major copy.
fn copy(make: &mut Make) -> Option<NodeId> {
    let x = Along::number(make).x;
    let format = ("memory_format".to_owned(), Arg::MemoryFormat("contiguous_format".to_owned()));
    make.call("clone.default", vec![x.into()], vec![format])
}

fn unsqueeze(make: &mut Make) -> Option<NodeId> {
    let along = Along::number(make);
    make.call("unsqueeze.default", vec![along.x.into(), along.dim()], vec![])
}

/// The first two dimensions as one, whose size is stated or left open.
fn merge(make: &mut Make) -> Option<NodeId> {
    let Along { x, sizes, .. } = Along::number(make);
    let product = sizes.iter().take(2).fold(Expr::ONE, |product, &size| make.graph.exprs.mul(product, size));
    let open = make.graph.exprs.int(-1);
    let first = if make.rng.one_in(2) { open } else { product };
    let merged = [&[first], sizes.get(2..).unwrap_or_default()].concat();
    let merged = make.args(&merged);
    make.call("reshape.default", vec![x.into(), merged], vec![])
}

/// A dimension as two: 2, 3 or one of the sizes to choose from, where it divides.
fn split(make: &mut Make) -> Option<NodeId> {
    let along = Along::number(make);
    let size = along.size()?;
    let factors = [make.graph.exprs.int(2), make.graph.exprs.int(3)].into_iter().chain(make.dims.clone());
    let pairs = factors.filter_map(|f| Some((f, make.graph.exprs.exact_div(size, f)?)));
    let pairs: Vec<(Expr, Expr)> = pairs.filter(|pair| pair.0 != Expr::ONE && pair.1 != Expr::ONE).collect();
    let &(outer, inner) = pairs.get(make.rng.below(pairs.len().max(1)))?;
    let mut sizes = along.sizes;
    sizes.splice(along.dim..=along.dim, if make.rng.one_in(2) { [outer, inner] } else { [inner, outer] });
    let sizes = make.args(&sizes);
    make.call("reshape.default", vec![along.x.into(), sizes], vec![])
}

/// A new first dimension, and other sizes in place of 1.
fn expand(make: &mut Make) -> Option<NodeId> {
    let Along { x, mut sizes, .. } = Along::number(make);
    for size in &mut sizes {
        if *size == Expr::ONE && make.rng.one_in(2) {
            *size = make.size();
        }
    }
    let first = if make.rng.one_in(2) { make.graph.exprs.int(2) } else { make.size() };
    sizes.insert(0, first);
    let sizes = make.args(&sizes);
    make.call("expand.default", vec![x.into(), sizes], vec![])
}

/// A part of a dimension, and now and then the gradient of that.
fn slice(make: &mut Make) -> Option<NodeId> {
    let along = Along::number(make);
    let size = along.size()?;
    let least = make.graph.exprs.range(size).lo;
    let start = make.rng.between(0, (least - 1).clamp(0, 4));
    let end = match make.rng.below(4) {
        0 if start == 0 && least >= 2 => make.graph.exprs.floor_div_int(size, 2),
        1 if least >= start + 2 => make.graph.exprs.int(-1),
        2 => make.graph.exprs.int(i64::MAX),
        _ => size,
    };
    let bounds = [start.into(), make.arg(end), make.rng.between(1, 2).into()];
    let part = [vec![along.x.into(), along.dim()], bounds.to_vec()].concat();
    let part = make.call("slice.Tensor", part, vec![])?;
    if make.rng.one_in(3) && make.dtype(part) == Some(DType::F32) {
        let whole = [vec![part.into(), make.args(&along.sizes), along.dim()], bounds.to_vec()].concat();
        make.call("slice_backward.default", whole, vec![]);
    }
    Some(part)
}

fn select(make: &mut Make) -> Option<NodeId> {
    let along = Along::number(make);
    let least = along.size().map(|size| make.graph.exprs.range(size).lo)?;
    let at = make.rng.between(-1, (least - 1).min(2));
    make.call("select.int", vec![along.x.into(), along.dim(), at.into()], vec![])
}

fn flip(make: &mut Make) -> Option<NodeId> {
    let along = Along::number(make);
    along.size()?;
    make.call("flip.default", vec![along.x.into(), ints(&[along.dim as i64])], vec![])
}

/// Three parts, the middle one perhaps of another size.
fn cat(make: &mut Make) -> Option<NodeId> {
    let along = Along::number(make);
    along.size()?;
    let without = |mut sizes: Vec<Expr>| {
        sizes.get_mut(along.dim).map(|size| *size = Expr::ONE)?;
        Some(sizes)
    };
    // The shape rules leave it to eager to refuse parts that do not fit.
    let rest = without(along.sizes.clone());
    let y = make.find(|make, n| make.dtype(n) == make.dtype(along.x) && without(make.sizes(n)) == rest)?;
    let parts = Arg::List(vec![along.x.into(), y.into(), along.x.into()]);
    make.call("cat.default", vec![parts, along.dim()], vec![])
}

/// Padding at the ends of the last dimension: of a few elements, of a size, or of one less than none.
fn pad(make: &mut Make) -> Option<NodeId> {
    let along = Along::number(make);
    along.size()?;
    let before = make.rng.between(0, 2);
    let after = match make.rng.below(3) {
        0 => make.size(),
        _ => {
            let after = make.rng.between(-1, 2);
            make.graph.exprs.int(after)
        }
    };
    let pad = Arg::List(vec![before.into(), make.arg(after)]);
    make.call("constant_pad_nd.default", vec![along.x.into(), pad, 1.into()], vec![])
}

/// Sums over one dimension, or over that and the first.
fn sum(make: &mut Make) -> Option<NodeId> {
    let along = Along::number(make);
    let (dims, keep) = (reduced(make, &along), make.rng.one_in(2));
    make.call("sum.dim_IntList", vec![along.x.into(), dims, keep.into()], vec![])
}

fn mean(make: &mut Make) -> Option<NodeId> {
    let along = Along::float(make);
    let (dims, keep) = (reduced(make, &along), make.rng.one_in(2));
    make.call("mean.dim", vec![along.x.into(), dims, keep.into()], vec![])
}

fn amax(make: &mut Make) -> Option<NodeId> {
    let along = Along::float(make);
    let dims = reduced(make, &along);
    make.call("amax.default", vec![along.x.into(), dims], vec![])
}

fn logsumexp(make: &mut Make) -> Option<NodeId> {
    let along = Along::float(make);
    let (dims, keep) = (reduced(make, &along), make.rng.one_in(2));
    make.call("logsumexp.default", vec![along.x.into(), dims, keep.into()], vec![])
}

fn any_true(make: &mut Make) -> Option<NodeId> {
    let (along, keep) = (Along::of(make, DType::Bool), make.rng.one_in(2));
    make.call("any.dim", vec![along.x.into(), along.dim(), keep.into()], vec![])
}

fn reduced(make: &mut Make, along: &Along) -> Arg {
    let dim = along.dim as i64;
    if dim > 0 && make.rng.one_in(3) { ints(&[0, dim]) } else { ints(&[dim]) }
}

/// Running sums of integers; those of floats are left to the library, and add up to many times the last bit.
fn cumsum(make: &mut Make) -> Option<NodeId> {
    let along = Along::of(make, DType::I64);
    make.call("cumsum.default", vec![along.x.into(), along.dim()], vec![])
}

/// Softmax, and now and then its gradient.
fn softmax(make: &mut Make) -> Option<NodeId> {
    let along = Along::float(make);
    let softmax = make.call("_softmax.default", vec![along.x.into(), along.dim(), false.into()], vec![])?;
    if make.rng.one_in(3) {
        let grad = make.like(along.x);
        let args = vec![grad.into(), softmax.into(), along.dim(), DType::F32.into()];
        make.call("_softmax_backward_data.default", args, vec![]);
    }
    Some(softmax)
}

/// Layer norm over the last dimension, with a weight where one fits, and now and then its gradients.
fn layer_norm(make: &mut Make) -> Option<NodeId> {
    let Along { x, sizes, .. } = Along::float(make);
    let shape = [*sizes.last()?];
    // An input: what has passed through such a norm already magnifies the last bits of the mean.
    let weight =
        make.find(|make, n| make.inputs().contains(&n) && make.dtype(n) == Some(DType::F32) && make.sizes(n) == shape);
    let (shape, weight) = (make.args(&shape), weight.map_or(Arg::None, Arg::Node));
    let args = vec![x.into(), shape.clone(), weight.clone(), Arg::None, 0.1.into()];
    let norm = make.call("native_layer_norm.default", args, vec![])?;
    if make.rng.one_in(3) {
        let tuple = make.graph[norm].args[0].as_node()?;
        let [mean, scale] = [make.part(tuple, 1)?, make.part(tuple, 2)?];
        let (grad, mask) =
            (make.like(x), Arg::List(vec![true.into(), weight.as_node().is_some().into(), false.into()]));
        let args = vec![grad.into(), x.into(), shape, mean.into(), scale.into(), weight, Arg::None, mask];
        make.call("native_layer_norm_backward.default", args, vec![]);
    }
    Some(norm)
}

fn choose(make: &mut Make) -> Option<NodeId> {
    let (c, x, y) = (make.value(DType::Bool), make.value(DType::F32), make.value(DType::F32));
    make.call("where.self", vec![c.into(), x.into(), y.into()], vec![])
}

/// The lower triangle: the elements on and below a diagonal.
fn triangle(make: &mut Make) -> Option<NodeId> {
    let (Along { x, sizes, .. }, diagonal) = (Along::number(make), make.rng.between(-2, 2));
    if sizes.len() < 2 {
        return None;
    }
    make.call("tril.default", vec![x.into(), diagonal.into()], vec![])
}

fn less(make: &mut Make) -> Option<NodeId> {
    let (x, y) = (make.value(DType::I64), make.value(DType::I64));
    make.call("lt.Tensor", vec![x.into(), y.into()], vec![])
}

fn to_float(make: &mut Make) -> Option<NodeId> {
    let x = make.value(DType::I64);
    make.call("_to_copy.default", vec![x.into()], vec![("dtype".to_owned(), DType::F32.into())])
}

/// A matrix by another that fits, or by its own transpose.
fn matmul(make: &mut Make) -> Option<NodeId> {
    let x = make.find(|make, n| make.dtype(n) == Some(DType::F32) && make.sizes(n).len() == 2)?;
    let [rows, inner] = *make.sizes(x) else { return None };
    let fits = |make: &Make, n| make.dtype(n) == Some(DType::F32) && matches!(*make.sizes(n), [k, _] if k == inner);
    let y = match make.find(fits) {
        Some(y) => y,
        None => make.call("permute.default", vec![x.into(), ints(&[1, 0])], vec![])?,
    };
    let columns = make.sizes(y)[1];
    if !make.is_small(&[rows, inner, columns]) {
        return None;
    }
    make.call("mm.default", vec![x.into(), y.into()], vec![])
}

/// The positions along a dimension of some tensor.
fn positions(make: &mut Make) -> Option<NodeId> {
    let size = Along::number(make).size()?;
    let size = make.arg(size);
    make.call("arange.default", vec![size], vec![])
}

/// A tensor of equal elements, of sizes to choose from.
fn full(make: &mut Make) -> Option<NodeId> {
    let sizes = [make.size(), make.size()];
    let sizes = make.args(&sizes);
    make.call("full.default", vec![sizes, 0.5.into()], vec![])
}

/// Arithmetic with a size as a number.
fn by_size(make: &mut Make) -> Option<NodeId> {
    let (x, size, op) = (Along::number(make).x, make.size(), make.rng.pick(&BINARY[..3]));
    let size = make.arg(size);
    make.call(op, vec![x.into(), size], vec![])
}

/// Elements along a dimension at integers that are brought into bounds.
fn lookup(make: &mut Make) -> Option<NodeId> {
    let (along, at) = (Along::float(make), make.value(DType::I64));
    let size = along.size()?;
    let size = make.arg(size);
    let at = make.call("remainder.Scalar", vec![at.into(), size], vec![])?;
    let mut indices = vec![Arg::None; along.dim];
    indices.push(at.into());
    make.call("index.Tensor", vec![along.x.into(), Arg::List(indices)], vec![])
}

fn gradient(make: &mut Make) -> Option<NodeId> {
    let ((op, of_result), x) = (make.rng.pick(GRADIENTS), make.value(DType::F32));
    let of = if of_result { make.call(&format!("{op}.default"), vec![x.into()], vec![])? } else { x };
    let grad = make.like(x);
    make.call(&format!("{op}_backward.default"), vec![grad.into(), of.into()], vec![])
}

/// A node that gives a size, which later calls use.
fn measure(make: &mut Make) -> Option<NodeId> {
    let along = Along::number(make);
    along.size()?;
    let node = make.node("aten.sym_size.int", vec![along.x.into(), along.dim()], vec![])?;
    if let Some(Meta::Int(e)) = make.graph[node].meta {
        make.ints.push((e, node));
    }
    Some(node)
}

fn ints(values: &[i64]) -> Arg {
    Arg::List(values.iter().map(|&v| Arg::Int(v)).collect())
}
