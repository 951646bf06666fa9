//! Activation functions and their derivatives.

pub(super) mod gated;
pub(super) mod piecewise;
pub(super) mod smooth;

use super::formula::{Formula, Term};
use super::{Args, Builder, Rewrite};

/// A formula of the gradient and the input.
fn backward(
    b: &mut Builder,
    a: &Args,
    formula: impl for<'f, 'b> FnOnce(Term<'f, 'b>, Term<'f, 'b>) -> Term<'f, 'b>,
) -> Rewrite {
    let f = Formula::new(b);
    let grad = f.operand(a, if a.has("grad_output") { "grad_output" } else { "grad_out" })?;
    Ok(formula(grad, f.operand(a, "self")?).tensor)
}
