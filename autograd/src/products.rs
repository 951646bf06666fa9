//! Derivatives of products over dimensions, which a zero among the factors takes apart.
//!
//! By a factor that is not zero a product has the derivative `product / factor`. By the first zero it is the product of
//! the others; all other derivatives are zero then. So it is computed with one in the first zero's place.

use crate::arithmetic::Operation;
use crate::arithmetic::binary;
use crate::build::{Build, Outcome};
use crate::derivative::Derivative;
use crate::helpers::unreduced;
use fx::aten::Aten;
use fx::{Arg, NodeId};

/// The factors along a dimension.
struct Factors {
    of: NodeId,
    dim: Arg,
    is_zero: Arg,
    is_first_zero: Arg,
    /// The factors with one in the first zero's place.
    others: NodeId,
}

impl Factors {
    fn new(b: &mut Build, of: NodeId, dim: Arg) -> Outcome<Factors> {
        let is_zero = binary(b, Operation::Eq, Arg::Node(of), Arg::Int(0))?;
        let zeros = b.call(Aten::cumsum_default, vec![is_zero.clone(), dim.clone()])?;
        let is_one = binary(b, Operation::Eq, Arg::Node(zeros), Arg::Int(1))?;
        let is_first_zero = Arg::Node(b.call(Aten::logical_and_default, vec![is_zero.clone(), is_one])?);
        let others = b.call(Aten::masked_fill_Scalar, vec![Arg::Node(of), is_first_zero.clone(), Arg::Int(1)])?;
        Ok(Factors { of, dim, is_zero, is_first_zero, others })
    }

    /// The gradient by each factor: a quotient by it, but by the first zero what it is by that.
    fn gradient(&self, b: &mut Build, whole: Arg, by_first_zero: NodeId) -> Outcome<NodeId> {
        let quotient = binary(b, Operation::Div, whole, Arg::Node(self.of))?;
        let quotient = b.call(Aten::masked_fill_Scalar, vec![quotient, self.is_zero.clone(), Arg::Int(0)])?;
        b.call(Aten::where_self, vec![self.is_first_zero.clone(), Arg::Node(by_first_zero), Arg::Node(quotient)])
    }
}

/// `prod` over a dimension, or over all.
pub(crate) fn prod(d: &mut Derivative) -> Outcome {
    let (grad, this, result) = (d.grad()?, d.node("self")?, d.result(0)?);
    let dtype = d.build.tensor(grad)?.dtype;
    let mut factors = d.build.cast(this, dtype)?;
    let (mut grad, mut result) = (grad, result);
    let dim = if d.bound.has("dim") {
        let (dim, keeps) = (d.arg("dim").clone(), *d.arg("keepdim") == Arg::Bool(true));
        grad = unreduced(d.build, grad, this, &dim, keeps)?;
        result = unreduced(d.build, result, this, &dim, keeps)?;
        dim
    } else {
        factors = d.build.reshape(factors, Arg::List(vec![Arg::Int(-1)]))?;
        Arg::Int(0)
    };
    let factors = Factors::new(d.build, factors, dim)?;
    let args = vec![Arg::Node(factors.others), factors.dim.clone(), Arg::Bool(true)];
    let others = d.build.call(Aten::prod_dim_int, args)?;
    let by_first_zero = d.build.call(Aten::mul_Tensor, vec![Arg::Node(grad), Arg::Node(others)])?;
    let whole = binary(d.build, Operation::Mul, Arg::Node(grad), Arg::Node(result))?;
    let gradient = factors.gradient(d.build, whole, by_first_zero)?;
    let sizes = d.build.sizes(this)?;
    let gradient = d.build.reshape(gradient, sizes)?;
    d.give(this, gradient)
}

/// `cumprod`: each factor is in the products from its place on.
pub(crate) fn cumprod(d: &mut Derivative) -> Outcome {
    let (grad, this, result, dim) = (d.grad()?, d.node("self")?, d.result(0)?, d.arg("dim").clone());
    if d.build.rank(this)? == 0 {
        return d.give(this, grad);
    }
    let dtype = d.build.tensor(grad)?.dtype;
    let factors = d.build.cast(this, dtype)?;
    let factors = Factors::new(d.build, factors, dim.clone())?;
    let others = d.build.call(Aten::cumprod_default, vec![Arg::Node(factors.others), dim.clone()])?;
    let mut sum_from = |products: NodeId| {
        let terms = d.build.call(Aten::mul_Tensor, vec![Arg::Node(products), Arg::Node(grad)])?;
        let dims = Arg::List(vec![dim.clone()]);
        let terms = d.build.call(Aten::flip_default, vec![Arg::Node(terms), dims.clone()])?;
        let sums = d.build.call(Aten::cumsum_default, vec![Arg::Node(terms), dim.clone()])?;
        d.build.call(Aten::flip_default, vec![Arg::Node(sums), dims])
    };
    let (whole, by_first_zero) = (sum_from(result)?, sum_from(others)?);
    let gradient = factors.gradient(d.build, Arg::Node(whole), by_first_zero)?;
    d.give(this, gradient)
}
