//! The functions of formulas that are no operators: lists, numbers, and gradients of a few forms that recur.

use crate::arithmetic::Operation;
use crate::arithmetic::{binary, numbers};
use crate::build::{Build, Outcome};
use fx::aten::Aten;
use fx::{Arg, NodeId};
use symshapes::{DType, Expr};

/// A function of formulas that is no operator.
type Helper = fn(&mut Build, &[Arg]) -> Outcome<Arg>;

/// The functions of formulas that are no operators.
pub(crate) fn helper(name: &str) -> Option<Helper> {
    Some(match name {
        // `sizes(x)`
        "sizes" => |b, args| b.sizes(tensor(args, 0)?),
        // `size(x, dim)`
        "size" => |b, args| {
            let dim = b.dim(tensor(args, 0)?, int(args, 1)?)?;
            b.size(tensor(args, 0)?, dim).map(|size| b.size_arg(size))
        },
        // `image_size(x)`: height and width.
        "image_size" => |b, args| {
            let Arg::List(sizes) = b.sizes(tensor(args, 0)?)? else { return Err("sizes that are no list".to_owned()) };
            let inner = sizes.len().checked_sub(2).ok_or("an image of less than two dimensions")?;
            Ok(Arg::List(sizes[inner..].to_vec()))
        },
        // `numel(x)`
        "numel" => |b, args| count(b, tensor(args, 0)?, &Arg::None).map(|count| b.size_arg(count)),
        // `count(x, dims)`: how many elements each reduction over these dimensions takes.
        "count" => |b, args| count(b, tensor(args, 0)?, arg(args, 1)?).map(|count| b.size_arg(count)),
        // `zeros(x)`: zeros of its sizes, whatever it holds.
        "zeros" => |b, args| b.zeros(tensor(args, 0)?).map(Arg::Node),
        // `dtype(x)`
        "dtype" => |b, args| Ok(Arg::DType(b.tensor(tensor(args, 0)?)?.dtype)),
        // `or(x, default)`: the default for an argument that is `None`.
        "or" => |_, args| Ok(if arg(args, 0)?.is_none() { arg(args, 1)?.clone() } else { arg(args, 0)?.clone() }),
        // `negated(numbers)`
        "negated" => |b, args| {
            let negate = |item: &Arg| numbers(b, Operation::Sub, &Arg::Int(0), item);
            Ok(Arg::List(items(arg(args, 0)?).iter().map(negate).collect::<Outcome<_>>()?))
        },
        // `inverse(permutation)`
        "inverse" => |_, args| {
            let dims = items(arg(args, 0)?);
            let mut inverse = vec![Arg::Int(0); dims.len()];
            for (place, dim) in dims.iter().enumerate() {
                let dim = dim.as_int().ok_or_else(|| "a symbolic dimension".to_owned())?;
                inverse[dim.rem_euclid(dims.len() as i64) as usize] = Arg::Int(place as i64);
            }
            Ok(Arg::List(inverse))
        },
        // `restore(grad, x, dims, keepdim)`: what was reduced over dimensions, broadcast to the operand.
        "restore" => |b, args| {
            let (grad, of) = (tensor(args, 0)?, tensor(args, 1)?);
            let grad = unreduced(b, grad, of, arg(args, 2)?, *arg(args, 3)? == Arg::Bool(true))?;
            let sizes = b.sizes(of)?;
            b.call(Aten::expand_default, vec![Arg::Node(grad), sizes]).map(Arg::Node)
        },
        // `unreduced(grad, x, dims, keepdim)`: what was reduced over dimensions, with these kept, of one element each.
        "unreduced" => |b, args| {
            let keeps = *arg(args, 3)? == Arg::Bool(true);
            unreduced(b, tensor(args, 0)?, tensor(args, 1)?, arg(args, 2)?, keeps).map(Arg::Node)
        },
        // `by_left(grad, x, y)` and `by_right(grad, x, y)`: by the operands of the matrix product `x @ y`.
        "by_left" => |b, args| by_left(b, tensor(args, 0)?, tensor(args, 1)?, tensor(args, 2)?).map(Arg::Node),
        "by_right" => |b, args| by_right(b, tensor(args, 0)?, tensor(args, 1)?, tensor(args, 2)?).map(Arg::Node),
        // `by_norm(grad, x, norm, ord, dims, keepdim)`: by what a norm is of.
        "by_norm" => |b, args| {
            let (of, named, keeps) = (tensor(args, 1)?, arg(args, 4)?, *arg(args, 5)? == Arg::Bool(true));
            let order = arg(args, 3)?.as_float().ok_or_else(|| "a norm of unknown order".to_owned())?;
            let grad = unreduced(b, tensor(args, 0)?, of, named, keeps)?;
            let norm = unreduced(b, tensor(args, 2)?, of, named, keeps)?;
            by_norm(b, grad, of, norm, (order, named))
        },
        // `by_renorm(grad, x, ord, dim, most)`: by what is scaled where its norm is greater than that.
        "by_renorm" => |b, args| {
            let order = arg(args, 2)?.as_float().ok_or_else(|| "a norm of unknown order".to_owned())?;
            by_renorm(b, tensor(args, 0)?, tensor(args, 1)?, (order, int(args, 3)?), arg(args, 4)?)
        },
        // `summed_from_end(x, dim)`: the logarithms of sums of exponentials from each place to the end.
        "summed_from_end" => |b, args| {
            let dim = Arg::List(vec![arg(args, 1)?.clone()]);
            let backwards = b.call(Aten::flip_default, vec![arg(args, 0)?.clone(), dim.clone()])?;
            let sums = b.call(Aten::logcumsumexp_default, vec![Arg::Node(backwards), arg(args, 1)?.clone()])?;
            b.call(Aten::flip_default, vec![Arg::Node(sums), dim]).map(Arg::Node)
        },
        // `lowest(x)`: the least number of its element type.
        "lowest" => |b, args| match b.tensor(tensor(args, 0)?)?.dtype {
            DType::F32 => Ok(Arg::Float(f64::from(f32::MIN))),
            DType::F64 => Ok(Arg::Float(f64::MIN)),
            _ => Err("the least number of a narrow element type".to_owned()),
        },
        // `gathered(grad, indices, dims)`: taken from places in planes or volumes of so many dimensions.
        "gathered" => |b, args| {
            let (grad, indices) = (tensor(args, 0)?, tensor(args, 1)?);
            let Arg::List(sizes) = b.sizes(indices)? else { return Err("sizes that are no list".to_owned()) };
            let leading = sizes.len().checked_sub(int(args, 2)? as usize).ok_or("places in no plane")?;
            let flat = |b: &mut Build, of: NodeId| {
                b.call(Aten::flatten_using_ints, vec![Arg::Node(of), Arg::Int(leading as i64)]).map(Arg::Node)
            };
            let (grad, indices) = (flat(b, grad)?, flat(b, indices)?);
            let taken = b.call(Aten::gather_default, vec![grad, Arg::Int(-1), indices])?;
            b.reshape(taken, Arg::List(sizes)).map(Arg::Node)
        },
        // `swapped(x)`: the last two dimensions swapped.
        "swapped" => |b, args| {
            b.call(Aten::transpose_int, vec![arg(args, 0)?.clone(), Arg::Int(-2), Arg::Int(-1)]).map(Arg::Node)
        },
        // `dropout_scale(p, train)`
        "dropout_scale" => |_, args| {
            let p = arg(args, 0)?.as_float().ok_or_else(|| "a probability that is no number".to_owned())?;
            let scale = if p == 1.0 { 0.0 } else { 1.0 / (1.0 - p) };
            Ok(Arg::Float(if *arg(args, 1)? == Arg::Bool(true) { scale } else { 1.0 }))
        },
        // `floor_div(x, y)` and `trunc_div(x, y)`: quotients that are rounded.
        "floor_div" => |b, args| rounded_quotient(b, args, "floor"),
        "trunc_div" => |b, args| rounded_quotient(b, args, "trunc"),
        // Element-wise functions that only libraries compute.
        "digamma" => |b, args| special(b, args, Aten::digamma_default),
        "erfcx" => |b, args| special(b, args, Aten::special_erfcx_default),
        "i1" => |b, args| special(b, args, Aten::special_i1_default),
        "i1e" => |b, args| special(b, args, Aten::special_i1e_default),
        // `polygamma(n, x)`
        "polygamma" => |b, args| {
            let of = tensor(args, 1)?;
            b.elementwise(Aten::polygamma_default, vec![arg(args, 0)?.clone(), Arg::Node(of)], of).map(Arg::Node)
        },
        // `evenly(grad, x, result)`: shared by the elements that equal the result.
        "evenly" => |b, args| {
            let (grad, of, result) = (arg(args, 0)?.clone(), arg(args, 1)?.clone(), arg(args, 2)?.clone());
            let is_equal = binary(b, Operation::Eq, of.clone(), result.clone())?;
            let [of, result] = [of, result].map(|value| b.call(Aten::isnan_default, vec![value]));
            let are_none = b.call(Aten::logical_and_default, vec![Arg::Node(of?), Arg::Node(result?)])?;
            let mask = Arg::Node(b.call(Aten::logical_or_default, vec![is_equal, Arg::Node(are_none)])?);
            let count = b.call(Aten::sum_default, vec![mask.clone()])?;
            let share = binary(b, Operation::Div, grad, Arg::Node(count))?;
            binary(b, Operation::Mul, share, mask)
        },
        // `like_each(grad, batch)`: a matrix for each of a batch.
        "like_each" => |b, args| {
            let grad = tensor(args, 0)?;
            let batch = b.size(tensor(args, 1)?, 0)?;
            let sizes = [0, 1].map(|dim| b.size(grad, dim));
            let [rows, columns] = sizes;
            let sizes = [batch, rows?, columns?].map(|size| b.size_arg(size));
            b.call(Aten::expand_default, vec![Arg::Node(grad), Arg::List(sizes.to_vec())]).map(Arg::Node)
        },
        // `by_trace(grad, x)`: the gradient on the diagonal.
        "by_trace" => |b, args| {
            let (grad, of) = (tensor(args, 0)?, tensor(args, 1)?);
            let meta = b.tensor(of)?.clone();
            let sizes = meta.sizes.iter().map(|&size| b.size_arg(size)).collect();
            let kwargs =
                vec![("dtype".to_owned(), Arg::DType(DType::Bool)), ("device".to_owned(), Arg::Device(meta.device))];
            let is_diagonal = Arg::Node(b.call_named(Aten::eye_m, sizes, kwargs)?);
            b.call(Aten::where_ScalarOther, vec![is_diagonal, Arg::Node(grad), Arg::Int(0)]).map(Arg::Node)
        },
        // `ln(x)` of a positive number.
        "ln" => |_, args| match arg(args, 0)?.as_float() {
            Some(number) if number > 0.0 => Ok(Arg::Float(number.ln())),
            _ => Err("the logarithm of a number that is not positive".to_owned()),
        },
        _ => return None,
    })
}

fn rounded_quotient(b: &mut Build, args: &[Arg], mode: &str) -> Outcome<Arg> {
    let operands = vec![arg(args, 0)?.clone(), Arg::Node(tensor(args, 1)?)];
    let mode = ("rounding_mode".to_owned(), Arg::Str(mode.to_owned()));
    b.call_named(Aten::div_Tensor_mode, operands, vec![mode]).map(Arg::Node)
}

fn special(b: &mut Build, args: &[Arg], op: Aten) -> Outcome<Arg> {
    let of = tensor(args, 0)?;
    b.elementwise(op, vec![Arg::Node(of)], of).map(Arg::Node)
}

fn arg(args: &[Arg], place: usize) -> Outcome<&Arg> {
    args.get(place).ok_or_else(|| "a formula with too few arguments".to_owned())
}

fn tensor(args: &[Arg], place: usize) -> Outcome<NodeId> {
    arg(args, place)?.as_node().ok_or_else(|| "an operand that is no tensor".to_owned())
}

fn int(args: &[Arg], place: usize) -> Outcome<i64> {
    arg(args, place)?.as_int().ok_or_else(|| "a number that is not constant".to_owned())
}

/// The items of a list, none of `None`, else the argument itself.
fn items(arg: &Arg) -> &[Arg] {
    if arg.is_none() { &[] } else { arg.as_list().unwrap_or(std::slice::from_ref(arg)) }
}

/// The dimensions that an argument names, all of them where it names none, counted from the front.
pub(crate) fn dims(b: &Build, of: NodeId, named: &Arg) -> Outcome<Vec<usize>> {
    let named = items(named);
    if named.is_empty() {
        return Ok((0..b.rank(of)?).collect());
    }
    let dim = |dim: &Arg| b.dim(of, dim.as_int().ok_or_else(|| "a symbolic dimension".to_owned())?);
    named.iter().map(dim).collect()
}

/// The gradient by what a norm of an order is of; nothing where the norm is zero.
fn by_norm(b: &mut Build, grad: NodeId, of: NodeId, norm: NodeId, (order, dims): (f64, &Arg)) -> Outcome<Arg> {
    if order == 0.0 {
        return Err("a norm that counts, which gives no gradient".to_owned());
    }
    let sign = |b: &mut Build| b.call(Aten::sgn_default, vec![Arg::Node(of)]).map(Arg::Node);
    if order.is_infinite() {
        // The magnitudes that the norm is, or that are NaN, share it.
        let magnitude = Arg::Node(b.call(Aten::abs_default, vec![Arg::Node(of)])?);
        let is_nan = Arg::Node(b.call(Aten::isnan_default, vec![magnitude.clone()])?);
        let is_norm = binary(b, Operation::Eq, magnitude, Arg::Node(norm))?;
        let mask = Arg::Node(b.call(Aten::logical_or_default, vec![is_norm, is_nan])?);
        let count = b.call(Aten::sum_dim_IntList, vec![mask.clone(), dims.clone(), Arg::Bool(true)])?;
        let share = binary(b, Operation::Div, Arg::Node(grad), Arg::Node(count))?;
        let share = binary(b, Operation::Mul, share, mask)?;
        return sign(b).and_then(|sign| binary(b, Operation::Mul, sign, share));
    }
    if order == 1.0 {
        return sign(b).and_then(|sign| binary(b, Operation::Mul, sign, Arg::Node(grad)));
    }
    let power = |b: &mut Build, exponent: f64| {
        let magnitude = Arg::Node(b.call(Aten::abs_default, vec![Arg::Node(of)])?);
        binary(b, Operation::Pow, magnitude, Arg::Float(exponent))
    };
    let of_zeros = |b: &mut Build, value: Arg, of: NodeId| {
        let is_zero = binary(b, Operation::Eq, Arg::Node(of), Arg::Int(0))?;
        b.call(Aten::masked_fill_Scalar, vec![value, is_zero, Arg::Int(0)]).map(Arg::Node)
    };
    let slope = match order {
        2.0 => Arg::Node(of),
        2.0.. => {
            let power = power(b, order - 2.0)?;
            binary(b, Operation::Mul, Arg::Node(of), power)?
        }
        _ => {
            let (sign, power) = (sign(b)?, power(b, order - 1.0)?);
            let slope = binary(b, Operation::Mul, sign, power)?;
            if order < 1.0 { of_zeros(b, slope, of)? } else { slope }
        }
    };
    if order < 1.0 {
        let scale = binary(b, Operation::Pow, Arg::Node(norm), Arg::Float(1.0 - order))?;
        let scale = binary(b, Operation::Mul, Arg::Node(grad), scale)?;
        return binary(b, Operation::Mul, slope, scale);
    }
    let length = match order {
        2.0 => Arg::Node(norm),
        _ => binary(b, Operation::Pow, Arg::Node(norm), Arg::Float(order - 1.0))?,
    };
    let scale = binary(b, Operation::Div, Arg::Node(grad), length)?;
    let scale = of_zeros(b, scale, norm)?;
    binary(b, Operation::Mul, slope, scale)
}

/// The gradient by what `renorm` scales along a dimension.
fn by_renorm(b: &mut Build, grad: NodeId, of: NodeId, (order, along): (f64, i64), most: &Arg) -> Outcome<Arg> {
    if !matches!(b.tensor(of)?.dtype, DType::F32 | DType::F64) {
        return Err("`renorm` of narrow numbers".to_owned());
    }
    let (rank, along) = (b.rank(of)?, b.dim(of, along)?);
    let dims = Arg::List((0..rank).filter(|&dim| dim != along).map(|dim| Arg::Int(dim as i64)).collect());
    let args = vec![Arg::Node(of), Arg::Float(order), dims.clone(), Arg::Bool(true)];
    let norm = b.call(Aten::linalg_vector_norm_default, args)?;
    let share = binary(b, Operation::Mul, Arg::Node(of), Arg::Node(grad))?;
    let share = b.call(Aten::sum_dim_IntList, vec![share, dims.clone(), Arg::Bool(true)])?;
    let by_norm = by_norm(b, share, of, norm, (order, &dims))?;
    let inverse = binary(b, Operation::Add, Arg::Node(norm), Arg::Float(1e-7))?;
    let inverse = Arg::Node(b.call(Aten::reciprocal_default, vec![inverse])?);
    let scaled = binary(b, Operation::Mul, inverse.clone(), by_norm)?;
    let scaled = binary(b, Operation::Sub, Arg::Node(grad), scaled)?;
    let scale = binary(b, Operation::Mul, most.clone(), inverse)?;
    let scaled = binary(b, Operation::Mul, scale, scaled)?;
    let is_scaled = binary(b, Operation::Gt, Arg::Node(norm), most.clone())?;
    b.call(Aten::where_self, vec![is_scaled, scaled, Arg::Node(grad)]).map(Arg::Node)
}

/// The number of elements that each reduction over these dimensions takes.
pub(crate) fn count(b: &mut Build, of: NodeId, named: &Arg) -> Outcome<Expr> {
    if b.rank(of)? == 0 {
        return Ok(Expr::ONE);
    }
    let sizes = dims(b, of, named)?.into_iter().map(|dim| b.size(of, dim)).collect::<Outcome<Vec<_>>>()?;
    Ok(b.product(sizes))
}

/// A reduction over dimensions with these kept, of one element each.
pub(crate) fn unreduced(b: &mut Build, reduced: NodeId, of: NodeId, named: &Arg, keeps: bool) -> Outcome<NodeId> {
    if keeps || b.rank(of)? == 0 {
        return Ok(reduced);
    }
    let dims = dims(b, of, named)?;
    let Arg::List(mut sizes) = b.sizes(of)? else { return Err("sizes that are no list".to_owned()) };
    dims.into_iter().for_each(|dim| sizes[dim] = Arg::Int(1));
    b.reshape(reduced, Arg::List(sizes))
}

/// True for a matrix whose columns lie side by side.
fn is_column_major(b: &Build, matrix: NodeId) -> Outcome<bool> {
    let meta = b.tensor(matrix)?;
    Ok(meta.strides[0] == Expr::ONE && meta.strides[1] == meta.sizes[0])
}

/// The gradient by the left operand of a product of matrices, laid out as that is.
fn by_left(b: &mut Build, grad: NodeId, left: NodeId, right: NodeId) -> Outcome<NodeId> {
    let transposed = |b: &mut Build, node| b.call(Aten::t_default, vec![Arg::Node(node)]);
    if is_column_major(b, left)? {
        let grad = transposed(b, grad)?;
        let product = b.call(Aten::mm_default, vec![Arg::Node(right), Arg::Node(grad)])?;
        return transposed(b, product);
    }
    let right = transposed(b, right)?;
    b.call(Aten::mm_default, vec![Arg::Node(grad), Arg::Node(right)])
}

/// The gradient by the right operand of a product of matrices, laid out as that is.
fn by_right(b: &mut Build, grad: NodeId, left: NodeId, right: NodeId) -> Outcome<NodeId> {
    let transposed = |b: &mut Build, node| b.call(Aten::t_default, vec![Arg::Node(node)]);
    if is_column_major(b, right)? {
        let grad = transposed(b, grad)?;
        let product = b.call(Aten::mm_default, vec![Arg::Node(grad), Arg::Node(left)])?;
        return transposed(b, product);
    }
    let left = transposed(b, left)?;
    b.call(Aten::mm_default, vec![Arg::Node(left), Arg::Node(grad)])
}
