//! A program's statements about its sizes to compilers: `torch._check`, and the functions that ask without deciding.
//!
//! A condition that the sizes of this call decide is guarded. One that depends on data is stated: it is checked when
//! the data are known, and what follows from it is known from here on.

use crate::{
    reason::{Kind, Reason},
    trace::{
        Traced, Tracer,
        core::value::{Value, ValueId},
        signature::{Bound, Row, Signature, row},
        values::numbers::Number,
    },
};
use guards::Constant;
use symshapes::{EnvError, Expr, Pred, ShapeEnv};

/// The functions, by their dotted names. A message is read where the condition fails, which ends the graph.
pub(in crate::trace) const ROWS: &[Row] = &[
    row("torch._check torch._check_value torch._check_index torch._check_type(cond, message=None)", |t, b| {
        let (condition, _) = (b.arg(0)?, b.opt(1));
        let p = t.predicate(condition)?;
        t.stated(p)
    }),
    row("torch._check_is_size(i, message=None, *, max=None)", |t, b| {
        let (size, _, max) = (b.arg(0)?, b.opt(1), t.unless_none(b.opt(2))?);
        let expr = t.size_of(size)?;
        let mut p = t.shapes.env.pool_mut().le(Expr::ZERO, expr);
        if let Some(max) = max {
            let max = t.size_of(max)?;
            let pool = t.shapes.env.pool_mut();
            let below = pool.le(expr, max);
            p = pool.and(p, below);
        }
        t.stated(p)
    }),
    row("torch.fx.experimental.symbolic_shapes.guard_size_oblivious(expr)", |t, b| {
        t.answered(b, ShapeEnv::guard_size_oblivious)
    }),
    row("torch.fx.experimental.symbolic_shapes.guard_or_false(a)", |t, b| t.answered(b, ShapeEnv::guard_or_false)),
    row("torch.fx.experimental.symbolic_shapes.guard_or_true(a)", |t, b| t.answered(b, ShapeEnv::guard_or_true)),
    row("torch.fx.experimental.symbolic_shapes.statically_known_true(x)", |t, b| {
        let p = t.predicate(b.arg(0)?)?;
        let known = t.shapes.env.statically_known(p) == Some(true);
        Ok(t.constant(Constant::Bool(known)))
    }),
];

/// The row of a function, whatever wraps its code: some of them warn that they will go.
pub(in crate::trace) fn condition(name: &str) -> Option<&'static Signature> {
    let modules = ["torch._check", "torch.fx.experimental.symbolic_shapes."];
    if modules.iter().any(|module| name.starts_with(module)) { Signature::of_function(name) } else { None }
}

impl Tracer<'_> {
    /// The condition that a value is.
    fn predicate(&mut self, condition: ValueId) -> Traced<Pred> {
        match self.get(condition)? {
            Value::Const(Constant::Bool(truth)) => Ok(self.shapes.env.pool_mut().bool(truth)),
            Value::SymBool { pred, .. } => Ok(pred),
            _ => Err(Reason::new(Kind::Call, format!("A condition that is {}.", self.describe(condition)))),
        }
    }

    fn size_of(&mut self, value: ValueId) -> Traced<Expr> {
        match self.number(value)? {
            Some(Number::Int(expr)) => Ok(expr),
            _ => Err(Reason::new(Kind::Call, format!("A size that is {}.", self.describe(value)))),
        }
    }

    /// States that a condition holds.
    fn stated(&mut self, p: Pred) -> Traced {
        let at = self.place();
        match self.shapes.env.check(p, "torch._check", &at) {
            Ok(()) => Ok(self.none()),
            Err(error @ EnvError::CheckFailed { .. }) => Err(Reason::new(Kind::Raised, format!("{error}."))),
            Err(error) => Err(self.shape_error(&error)),
        }
    }

    /// The environment's answer to the condition that is the first argument.
    fn answered(&mut self, b: &Bound<'_>, ask: fn(&mut ShapeEnv, Pred, &str) -> Result<bool, EnvError>) -> Traced {
        let (p, at) = (self.predicate(b.arg(0)?)?, self.place());
        let truth = ask(&mut self.shapes.env, p, &at).map_err(|error| self.shape_error(&error))?;
        Ok(self.constant(Constant::Bool(truth)))
    }
}
