//! What a program says of its sizes to compilers: `torch._check` and the functions that ask without deciding.
//!
//! A condition that the sizes of this call decide is guarded. One that depends on data is stated: it is checked when
//! the data are known, and what follows from it is known from here on.

use super::{
    Traced, Tracer,
    builtin::Rule,
    items::raised,
    numbers::Number,
    value::{Value, ValueId},
};
use crate::reason::{Kind, Reason};
use guards::Constant;
use symshapes::{EnvError, Expr, Pred, ShapeEnv};

/// The functions, by their dotted names.
pub(super) const RULES: &[(&str, Rule)] = &[
    ("torch._check torch._check_value torch._check_index torch._check_type", |t, args, _| {
        let p = t.predicate(args)?;
        t.stated(p)
    }),
    ("torch._check_is_size", |t, args, keywords| {
        let &size = args.first().ok_or_else(|| raised("TypeError: _check_is_size"))?;
        let expr = t.size_of(size)?;
        let mut p = t.env.pool_mut().le(Expr::ZERO, expr);
        if let Some(&(_, max)) = keywords.iter().find(|(name, _)| name == "max") {
            let max = t.size_of(max)?;
            let pool = t.env.pool_mut();
            let below = pool.le(expr, max);
            p = pool.and(p, below);
        }
        t.stated(p)
    }),
    ("torch.fx.experimental.symbolic_shapes.guard_size_oblivious", |t, args, _| {
        t.answered(args, ShapeEnv::guard_size_oblivious)
    }),
    ("torch.fx.experimental.symbolic_shapes.guard_or_false", |t, args, _| t.answered(args, ShapeEnv::guard_or_false)),
    ("torch.fx.experimental.symbolic_shapes.guard_or_true", |t, args, _| t.answered(args, ShapeEnv::guard_or_true)),
    ("torch.fx.experimental.symbolic_shapes.statically_known_true", |t, args, _| {
        let p = t.predicate(args)?;
        let known = t.env.statically_known(p) == Some(true);
        Ok(t.constant(Constant::Bool(known)))
    }),
];

/// The rule of a function, whatever wraps its code: some of them warn that they will go.
pub(super) fn rule(name: &str) -> Option<Rule> {
    RULES.iter().find(|(names, _)| names.split(' ').any(|each| each == name)).map(|&(_, rule)| rule)
}

impl Tracer<'_> {
    /// The condition that is the first argument.
    fn predicate(&mut self, args: &[ValueId]) -> Traced<Pred> {
        let &condition = args.first().ok_or_else(|| raised("TypeError: a condition is missing"))?;
        match self.get(condition)? {
            Value::Const(Constant::Bool(truth)) => Ok(self.env.pool_mut().bool(truth)),
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
        match self.env.check(p, "torch._check", &at) {
            Ok(()) => Ok(self.none()),
            Err(error @ EnvError::CheckFailed { .. }) => Err(Reason::new(Kind::Raised, format!("{error}."))),
            Err(error) => Err(self.shape_error(&error)),
        }
    }

    /// What the environment answers to the condition that is the first argument.
    fn answered(&mut self, args: &[ValueId], ask: fn(&mut ShapeEnv, Pred, &str) -> Result<bool, EnvError>) -> Traced {
        let (p, at) = (self.predicate(args)?, self.place());
        let truth = ask(&mut self.env, p, &at).map_err(|error| self.shape_error(&error))?;
        Ok(self.constant(Constant::Bool(truth)))
    }
}
