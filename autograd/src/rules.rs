//! Derivatives in Rust, where they take more than an expression.

use crate::arithmetic::Operation;
use crate::arithmetic::{binary, numbers, of_tensors};
use crate::build::Outcome;
use crate::derivative::Derivative;
use crate::helpers::{count, dims, unreduced};
use fx::aten::{Aten, Packet};
use fx::{Arg, NodeId};
use symshapes::Expr;

/// A derivative that takes more than an expression.
pub(crate) type Rule = fn(&mut Derivative) -> Outcome;

/// `clamp` between bounds of which one may be missing. The gradient passes where the operand is between numbers; it is
/// shared with a tensor that the operand is equal to.
pub(crate) fn clamp(d: &mut Derivative) -> Outcome {
    let (grad, this) = (d.grad()?, d.node("self")?);
    let bound = |(name, operation)| {
        let given = d.bound.has(name).then(|| d.arg(name)).filter(|given| !given.is_none());
        given.map(|given| (name, operation, given.clone()))
    };
    let bounds: Vec<_> = [("min", Operation::Gt), ("max", Operation::Lt)].into_iter().filter_map(bound).collect();
    match &bounds[..] {
        [("min", _, Arg::Node(_))] => return clamp_min(d),
        [("max", _, Arg::Node(_))] => return clamp_max(d),
        [(.., Arg::Node(_)), (.., Arg::Node(_))] => return clamp_between(d),
        _ => {}
    }
    let mut within: Option<Arg> = None;
    for (_, operation, bound) in bounds {
        let inside = binary(d.build, operation, Arg::Node(this), bound)?;
        within = Some(match within {
            Some(other) => Arg::Node(d.build.call(Aten::logical_and_default, vec![other, inside])?),
            None => inside,
        });
    }
    let within = within.ok_or_else(|| "`clamp` without bounds".to_owned())?;
    let gradient = d.build.call(Aten::where_ScalarOther, vec![within, Arg::Node(grad), Arg::Int(0)])?;
    d.give(this, gradient)
}

/// `clamp` between two tensors. The gradient goes to the one that the result is, in halves where the operand equals a
/// bound, and to the upper bound where that is below the lower one; equal bounds share nothing.
fn clamp_between(d: &mut Derivative) -> Outcome {
    let grad = d.grad()?;
    let [this, min, max] = ["self", "min", "max"].map(|name| d.arg(name).clone());
    let build = &mut *d.build;
    let mut both = |op: Aten, x: &Arg, y: &Arg| build.call(op, vec![x.clone(), y.clone()]).map(Arg::Node);
    let (below, above) = (both(Aten::lt_Tensor, &this, &min)?, both(Aten::gt_Tensor, &this, &max)?);
    let (apart, ordered) = (both(Aten::lt_Tensor, &min, &max)?, both(Aten::le_Tensor, &min, &max)?);
    let at_min = both(Aten::eq_Tensor, &this, &min)?;
    let at_min = both(Aten::logical_and_default, &at_min, &apart)?;
    let at_max = both(Aten::eq_Tensor, &this, &max)?;
    let at_max = both(Aten::logical_and_default, &at_max, &apart)?;
    let outside = both(Aten::logical_or_default, &below, &above)?;
    let at_either = both(Aten::logical_or_default, &at_min, &at_max)?;
    let is_min = both(Aten::logical_and_default, &below, &ordered)?;
    let crossed = both(Aten::gt_Tensor, &min, &max)?;
    let is_max = both(Aten::logical_and_default, &above, &ordered)?;
    let is_max = both(Aten::logical_or_default, &crossed, &is_max)?;
    let inside = Arg::Node(build.call(Aten::logical_not_default, vec![outside])?);
    for (name, whole, shared) in [("self", inside, at_either), ("min", is_min, at_min), ("max", is_max, at_max)] {
        if d.wants(name) {
            let half = binary(d.build, Operation::Div, Arg::Node(grad), Arg::Int(2))?;
            let whole = d.build.call(Aten::where_ScalarOther, vec![whole, Arg::Node(grad), Arg::Int(0)])?;
            let gradient = d.build.call(Aten::where_self, vec![shared, half, Arg::Node(whole)])?;
            d.give_to(name, gradient)?;
        }
    }
    Ok(())
}

/// A quotient, which does not change with its operands where it is rounded.
pub(crate) fn rounded_quotient(d: &mut Derivative) -> Outcome {
    if d.arg("rounding_mode").is_none() {
        return Err("`div` that may be rounded and is not".to_owned());
    }
    for name in ["self", "other"] {
        if d.wants(name) {
            let operand = d.node(name)?;
            let zeros = d.build.zeros(operand)?;
            d.give(operand, zeros)?;
        }
    }
    Ok(())
}

/// The larger (`max`) or smaller one of two tensors: the gradient goes to it, and in halves where they are equal.
fn larger(d: &mut Derivative, names: [&str; 2], loses: [Operation; 2]) -> Outcome {
    let grad = d.grad()?;
    let (this, other) = (d.node(names[0])?, d.node(names[1])?);
    for (name, operation) in names.into_iter().zip(loses) {
        if d.wants(name) {
            let equal = binary(d.build, Operation::Eq, Arg::Node(this), Arg::Node(other))?;
            let half = binary(d.build, Operation::Div, Arg::Node(grad), Arg::Int(2))?;
            let shared = d.build.call(Aten::where_self, vec![equal, half, Arg::Node(grad)])?;
            let lost = binary(d.build, operation, Arg::Node(this), Arg::Node(other))?;
            let gradient = d.build.call(Aten::masked_fill_Scalar, vec![Arg::Node(shared), lost, Arg::Int(0)])?;
            d.give_to(name, gradient)?;
        }
    }
    Ok(())
}

pub(crate) fn maximum(d: &mut Derivative) -> Outcome {
    larger(d, ["self", "other"], [Operation::Lt, Operation::Gt])
}

pub(crate) fn minimum(d: &mut Derivative) -> Outcome {
    larger(d, ["self", "other"], [Operation::Gt, Operation::Lt])
}

pub(crate) fn clamp_min(d: &mut Derivative) -> Outcome {
    larger(d, ["self", "min"], [Operation::Lt, Operation::Gt])
}

pub(crate) fn clamp_max(d: &mut Derivative) -> Outcome {
    larger(d, ["self", "max"], [Operation::Gt, Operation::Lt])
}

/// `masked_fill`: nothing goes to what was filled, and what was filled in gets the sum of that.
pub(crate) fn masked_fill(d: &mut Derivative) -> Outcome {
    let (grad, mask) = (Arg::Node(d.grad()?), d.arg("mask").clone());
    if d.wants("value") {
        let filled = d.build.call(Aten::where_ScalarOther, vec![mask.clone(), grad.clone(), Arg::Int(0)])?;
        d.give_to("value", filled)?;
    }
    if d.wants("self") {
        let gradient = d.build.call(Aten::masked_fill_Scalar, vec![grad, mask, Arg::Int(0)])?;
        d.give_to("self", gradient)?;
    }
    Ok(())
}

/// `masked_scatter`: nothing goes to what was replaced, and what replaces it gets that in order.
pub(crate) fn masked_scatter(d: &mut Derivative) -> Outcome {
    let (grad, mask) = (Arg::Node(d.grad()?), d.arg("mask").clone());
    if d.wants("source") {
        let source = d.node("source")?;
        let sizes = d.build.sizes(source)?;
        let gradient = d.build.call(Aten::masked_scatter_backward_default, vec![grad.clone(), mask.clone(), sizes])?;
        d.give_to("source", gradient)?;
    }
    if d.wants("self") {
        let gradient = d.build.call(Aten::masked_fill_Scalar, vec![grad, mask, Arg::Int(0)])?;
        d.give_to("self", gradient)?;
    }
    Ok(())
}

/// `cat`: each operand gets its part.
pub(crate) fn cat(d: &mut Derivative) -> Outcome {
    let grad = d.grad()?;
    let (dim, mut from) = (d.build.dim(grad, d.int("dim")?)?, Expr::ZERO);
    for operand in d.bound.nodes("tensors").map_err(|error| error.to_string())? {
        let operand = operand.ok_or_else(|| "an operand that is no tensor".to_owned())?;
        if d.build.rank(operand)? != d.build.rank(grad)? {
            // An empty tensor of one dimension is left out.
            if d.is_followed(operand) {
                let nothing = d.build.zeros(operand)?;
                d.give(operand, nothing)?;
            }
            continue;
        }
        let size = d.build.size(operand, dim)?;
        let to = d.build.graph.exprs.add(from, size);
        if d.is_followed(operand) {
            let [start, end] = [from, to].map(|place| d.build.size_arg(place));
            let args = vec![Arg::Node(grad), Arg::Int(dim as i64), start, end];
            let part = d.build.call(Aten::slice_Tensor, args)?;
            d.give(operand, part)?;
        }
        from = to;
    }
    Ok(())
}

/// `stack`: each operand gets its part.
pub(crate) fn stack(d: &mut Derivative) -> Outcome {
    let grad = d.grad()?;
    let dim = d.build.dim(grad, d.int("dim")?)?;
    for (place, operand) in d.bound.nodes("tensors").map_err(|error| error.to_string())?.into_iter().enumerate() {
        let operand = operand.ok_or_else(|| "an operand that is no tensor".to_owned())?;
        if d.is_followed(operand) {
            let args = vec![Arg::Node(grad), Arg::Int(dim as i64), Arg::Int(place as i64)];
            let part = d.build.call(Aten::select_int, args)?;
            d.give(operand, part)?;
        }
    }
    Ok(())
}

/// The gradients by all results, zeros where there is none.
fn all_grads(d: &mut Derivative) -> Outcome<Vec<Arg>> {
    let mut grads = Vec::new();
    for place in 0..d.grads.len() {
        grads.push(Arg::Node(match d.grads[place] {
            Some(grad) => grad,
            None => {
                let result = d.result(place)?;
                d.build.zeros(result)?
            }
        }));
    }
    Ok(grads)
}

/// `split` and `chunk`: the gradients one after another.
pub(crate) fn split(d: &mut Derivative) -> Outcome {
    let dim = d.arg("dim").clone();
    let grads = all_grads(d)?;
    let whole = d.build.call(Aten::cat_default, vec![Arg::List(grads), dim])?;
    d.give_to("self", whole)
}

/// `unbind`: the gradients as a new dimension.
pub(crate) fn unbind(d: &mut Derivative) -> Outcome {
    let dim = d.arg("dim").clone();
    let grads = all_grads(d)?;
    let whole = d.build.call(Aten::stack_default, vec![Arg::List(grads), dim])?;
    d.give_to("self", whole)
}

/// `repeat`: the gradients of the copies are added.
pub(crate) fn repeat(d: &mut Derivative) -> Outcome {
    let (grad, this) = (d.grad()?, d.node("self")?);
    let repeats = d.arg("repeats").as_list().ok_or("`repeat` by what is no list")?;
    let leading = repeats.len() - d.build.rank(this)?;
    let (mut sizes, mut summed) = (Vec::new(), Vec::new());
    for (place, times) in repeats.iter().enumerate() {
        if place < leading || *times != Arg::Int(1) {
            summed.push(Arg::Int(sizes.len() as i64));
            sizes.push(times.clone());
        }
        if place >= leading {
            sizes.push(d.build.size_arg(d.build.size(this, place - leading)?));
        }
    }
    let mut gradient = d.build.reshape(grad, Arg::List(sizes))?;
    if !summed.is_empty() {
        gradient = d.build.call(Aten::sum_dim_IntList, vec![Arg::Node(gradient), Arg::List(summed)])?;
    }
    d.give(this, gradient)
}

/// `scatter_reduce` by sums, which may include what was there.
pub(crate) fn scatter_reduce(d: &mut Derivative) -> Outcome {
    if d.arg("reduce").as_str() != Some("sum") {
        return Err("`scatter_reduce` by other than sums".to_owned());
    }
    let grad = Arg::Node(d.grad()?);
    let [dim, index] = ["dim", "index"].map(|name| d.arg(name).clone());
    if d.wants("self") {
        let args = vec![grad.clone(), dim.clone(), index.clone(), Arg::Int(0)];
        let gradient = match *d.arg("include_self") {
            Arg::Bool(true) => d.grad()?,
            _ => d.build.call(Aten::scatter_value, args)?,
        };
        d.give_to("self", gradient)?;
    }
    if d.wants("src") {
        let gradient = d.build.call(Aten::gather_default, vec![grad, dim, index])?;
        d.give_to("src", gradient)?;
    }
    Ok(())
}

/// `index`: each element of the gradient is added where it was read.
pub(crate) fn index(d: &mut Derivative) -> Outcome {
    let (grad, this, indices) = (d.grad()?, d.node("self")?, d.arg("indices").clone());
    let zeros = d.build.zeros(this)?;
    let args = vec![Arg::Node(zeros), indices, Arg::Node(grad), Arg::Bool(true)];
    let gradient = d.build.call(Aten::index_put_default, args)?;
    d.give(this, gradient)
}

/// `index_put`: what was overwritten gets none, what was written the gradient of its place.
pub(crate) fn index_put(d: &mut Derivative) -> Outcome {
    let grad = d.grad()?;
    let (indices, accumulates) = (d.arg("indices").clone(), *d.arg("accumulate") == Arg::Bool(true));
    if d.wants("self") {
        let mut gradient = grad;
        if !accumulates {
            let values = d.node("values")?;
            let zeros = d.build.zeros(values)?;
            gradient =
                d.build.call(Aten::index_put_default, vec![Arg::Node(grad), indices.clone(), Arg::Node(zeros)])?;
        }
        d.give_to("self", gradient)?;
    }
    if d.wants("values") {
        let gradient = d.build.call(Aten::index_Tensor, vec![Arg::Node(grad), indices])?;
        d.give_to("values", gradient)?;
    }
    Ok(())
}

/// A selection along a dimension (`max`, `sort`, `topk`): each element of the gradient goes where its value was.
pub(crate) fn selected(d: &mut Derivative) -> Outcome {
    let (mut grad, this, mut places) = (d.grad()?, d.node("self")?, d.result(1)?);
    let (dim, rank) = (d.int("dim")?, d.build.rank(this)?);
    if rank == 0 {
        return d.give(this, grad);
    }
    if d.bound.has("keepdim") && *d.arg("keepdim") == Arg::Bool(false) {
        let dim = Arg::Int(d.build.dim(this, dim)? as i64);
        grad = d.build.call(Aten::unsqueeze_default, vec![Arg::Node(grad), dim.clone()])?;
        places = d.build.call(Aten::unsqueeze_default, vec![Arg::Node(places), dim])?;
    }
    let zeros = d.build.zeros(this)?;
    let args = vec![Arg::Node(zeros), Arg::Int(dim), Arg::Node(places), Arg::Node(grad)];
    let gradient = d.build.call(Aten::scatter_src, args)?;
    d.give(this, gradient)
}

/// `pow` by a number: nothing by the exponent zero.
pub(crate) fn pow(d: &mut Derivative) -> Outcome {
    let (grad, this, exponent) = (d.grad()?, d.node("self")?, d.arg("exponent").clone());
    if exponent.as_float() == Some(0.0) {
        let zeros = d.build.zeros(this)?;
        return d.give(this, zeros);
    }
    if let Arg::Sym(_) = exponent {
        return Err("a power whose exponent is a size".to_owned());
    }
    let less = numbers(d.build, Operation::Sub, &exponent, &Arg::Int(1))?;
    let power = match less.as_float() {
        Some(1.0) => Arg::Node(this),
        _ => binary(d.build, Operation::Pow, Arg::Node(this), less)?,
    };
    let slope = binary(d.build, Operation::Mul, power, exponent)?;
    let gradient = of_tensors(d.build, Operation::Mul, Arg::Node(grad), slope)?;
    d.give(this, gradient)
}

/// The mean of squares about the mean: `var`, `std` and the pairs with the mean.
pub(crate) fn var(d: &mut Derivative) -> Outcome {
    let this = d.node("self")?;
    let packet = d.bound.op().packet();
    let given = |name: &str| if d.bound.has(name) { d.arg(name).clone() } else { Arg::None };
    let (named, keeps) = (given("dim"), given("keepdim") == Arg::Bool(true));
    let correction = if d.bound.has("correction") {
        d.arg("correction").clone()
    } else {
        Arg::Int(i64::from(*d.arg("unbiased") == Arg::Bool(true)))
    };
    let freedom = freedom(d, this, &named, &correction)?;
    if let Some(grad) = d.grads[0] {
        let mut grad = grad;
        if matches!(packet, Packet::std | Packet::std_mean) {
            let result = d.result(0)?;
            let twice = binary(d.build, Operation::Mul, Arg::Node(result), Arg::Int(2))?;
            let ratio = binary(d.build, Operation::Div, Arg::Node(grad), twice)?;
            let none = binary(d.build, Operation::Eq, Arg::Node(result), Arg::Int(0))?;
            grad = d.build.call(Aten::masked_fill_Scalar, vec![ratio, none, Arg::Int(0)])?;
        }
        let grad = unreduced(d.build, grad, this, &named, keeps)?;
        let all: Vec<Arg> = dims(d.build, this, &named)?.into_iter().map(|dim| Arg::Int(dim as i64)).collect();
        let mean = d.build.call(Aten::mean_dim, vec![Arg::Node(this), Arg::List(all), Arg::Bool(true)])?;
        let centred = binary(d.build, Operation::Sub, Arg::Node(this), Arg::Node(mean))?;
        let scaled = match freedom.as_float() {
            Some(freedom) => binary(d.build, Operation::Mul, Arg::Node(grad), Arg::Float(2.0 / freedom))?,
            None => {
                let twice = binary(d.build, Operation::Mul, Arg::Node(grad), Arg::Int(2))?;
                binary(d.build, Operation::Div, twice, freedom)?
            }
        };
        let gradient = d.build.call(Aten::mul_Tensor, vec![scaled, centred])?;
        d.give(this, gradient)?;
    }
    if let Some(&Some(grad)) = d.grads.get(1) {
        let grad = unreduced(d.build, grad, this, &named, keeps)?;
        let sizes = d.build.sizes(this)?;
        let whole = d.build.call(Aten::expand_default, vec![Arg::Node(grad), sizes])?;
        let share = count(d.build, this, &named)?;
        let share = d.build.size_arg(share);
        let gradient = d.build.call(Aten::div_Tensor, vec![Arg::Node(whole), share])?;
        d.give(this, gradient)?;
    }
    Ok(())
}

/// The number of elements of each mean less a correction, not below zero.
fn freedom(d: &mut Derivative, of: NodeId, named: &Arg, correction: &Arg) -> Outcome<Arg> {
    let correction = if correction.is_none() { &Arg::Int(1) } else { correction };
    let count = count(d.build, of, named)?;
    if let Some(count) = d.build.graph.exprs.as_int(count) {
        let correction = correction.as_float().ok_or("a symbolic correction")?;
        return Ok(Arg::Float((count as f64 - correction).max(0.0)));
    }
    let correction = correction.as_float().filter(|by| by.fract() == 0.0).ok_or("a correction of a symbolic count")?;
    let freedom = d.build.graph.exprs.add_int(count, -(correction as i64));
    if d.build.graph.exprs.range(freedom).lo < 1 {
        return Err("a variance of perhaps a single element".to_owned());
    }
    Ok(d.build.size_arg(freedom))
}

/// A normalisation with statistics of its own batch (`training`) or kept ones.
pub(crate) fn batch_norm(d: &mut Derivative) -> Outcome {
    const PARAMETERS: [&str; 3] = ["input", "weight", "bias"];
    let (grad, training) = (d.grads[0].ok_or("a gradient by statistics")?, *d.arg("training") == Arg::Bool(true));
    if d.grads[1..].iter().any(Option::is_some) {
        return Err("a gradient by statistics".to_owned());
    }
    let mask = d.mask(&PARAMETERS);
    let kept = |name: &str| if training { Arg::None } else { d.arg(name).clone() };
    let (mean, var) = (kept("running_mean"), kept("running_var"));
    let (save_mean, save_rstd) =
        if training { (Arg::Node(d.result(1)?), Arg::Node(d.result(2)?)) } else { (Arg::None, Arg::None) };
    let [input, weight, eps] = ["input", "weight", "eps"].map(|name| d.arg(name).clone());
    let args = vec![Arg::Node(grad), input, weight, mean, var, save_mean, save_rstd, Arg::Bool(training), eps, mask];
    let call = d.build.call(Aten::native_batch_norm_backward_default, args)?;
    d.give_all(&PARAMETERS, call)
}

/// Convolution, whose bias may be missing.
pub(crate) fn convolution(d: &mut Derivative) -> Outcome {
    const OPERANDS: [&str; 3] = ["input", "weight", "bias"];
    let grad = d.grad()?;
    let mask = d.mask(&OPERANDS);
    let bias = match d.bound.node("bias") {
        Some(bias) => d.build.sizes(bias)?,
        None => Arg::None,
    };
    let options =
        ["stride", "padding", "dilation", "transposed", "output_padding", "groups"].map(|name| d.arg(name).clone());
    let operands = [Arg::Node(grad), d.arg("input").clone(), d.arg("weight").clone(), bias];
    let args = operands.into_iter().chain(options).chain([mask]).collect();
    let call = d.build.call(Aten::convolution_backward_default, args)?;
    d.give_all(&OPERANDS, call)
}

/// The binary cross entropy of logits.
pub(crate) fn cross_entropy_of_logits(d: &mut Derivative) -> Outcome {
    let (this, target) = (d.node("self")?, d.node("target")?);
    if !d.arg("pos_weight").is_none() || d.wants("weight") {
        return Err("`binary_cross_entropy_with_logits` with weights of positives".to_owned());
    }
    let chance = d.build.call(Aten::sigmoid_default, vec![Arg::Node(this)])?;
    let slope = binary(d.build, Operation::Sub, Arg::Node(chance), Arg::Node(target))?;
    cross_entropy(d, slope)
}

/// The binary cross entropy of chances, whose slope is bounded at the ends.
pub(crate) fn cross_entropy_of_chances(d: &mut Derivative) -> Outcome {
    let (this, target) = (d.node("self")?, d.node("target")?);
    let off = binary(d.build, Operation::Sub, Arg::Node(this), Arg::Node(target))?;
    let other = binary(d.build, Operation::Sub, Arg::Int(1), Arg::Node(this))?;
    let spread = binary(d.build, Operation::Mul, other, Arg::Node(this))?;
    let spread = d.build.call(Aten::clamp_min_default, vec![spread, Arg::Float(1e-12)])?;
    let slope = binary(d.build, Operation::Div, off, Arg::Node(spread))?;
    cross_entropy(d, slope)
}

/// A binary cross entropy whose terms have this slope.
fn cross_entropy(d: &mut Derivative, slope: Arg) -> Outcome {
    let (grad, this, weight) = (d.grad()?, d.node("self")?, d.arg("weight").clone());
    if !d.wants("self") || d.wants("target") || d.wants("weight") {
        return Err("a binary cross entropy by its targets or weights".to_owned());
    }
    let mut gradient = of_tensors(d.build, Operation::Mul, slope, Arg::Node(grad))?;
    if !weight.is_none() {
        gradient = of_tensors(d.build, Operation::Mul, Arg::Node(gradient), weight)?;
    }
    if d.int("reduction")? == 1 {
        let count = count(d.build, this, &Arg::None)?;
        let count = d.build.size_arg(count);
        gradient = of_tensors(d.build, Operation::Div, Arg::Node(gradient), count)?;
    }
    d.give(this, gradient)
}
