//! The expressions of sizes, together with who answers questions about them.
//!
//! Rules build expressions and ask; they do not know whether an answer is proved or rests on a guard.

use std::{
    cmp::Ordering,
    ops::{Deref, DerefMut},
};
use symshapes::{Expr, Pool, Pred, ShapeEnv};

/// A pool and its oracle. It dereferences to the pool.
pub enum Sizes<'a> {
    /// Answers hold for every input; there is none where that is not proved.
    Proved(&'a mut Pool),
    /// Questions without a proof are decided by the example inputs, under a guard of the environment.
    Guarded {
        /// The environment.
        env: &'a mut ShapeEnv,
        /// The user's stack.
        at: &'a str,
    },
}

impl Deref for Sizes<'_> {
    type Target = Pool;

    fn deref(&self) -> &Pool {
        match self {
            Sizes::Proved(pool) => pool,
            Sizes::Guarded { env, .. } => env.pool(),
        }
    }
}

impl DerefMut for Sizes<'_> {
    fn deref_mut(&mut self) -> &mut Pool {
        match self {
            Sizes::Proved(pool) => pool,
            Sizes::Guarded { env, .. } => env.pool_mut(),
        }
    }
}

impl Sizes<'_> {
    /// The truth of a predicate, if somebody knows.
    pub fn decide(&mut self, p: Pred) -> Option<bool> {
        match self {
            Sizes::Proved(pool) => pool.as_bool(p),
            Sizes::Guarded { env, at } => env.evaluate(p, at).ok(),
        }
    }

    /// The value of an expression, if it is a constant or may be made one.
    pub fn value(&mut self, e: Expr) -> Option<i64> {
        match self {
            Sizes::Proved(pool) => pool.as_int(e),
            Sizes::Guarded { env, at } => env.evaluate_int(e, at).ok(),
        }
    }

    /// True if two expressions have the same value.
    pub fn is_equal(&mut self, a: Expr, b: Expr) -> Option<bool> {
        if a == b {
            return Some(true);
        }
        let p = self.eq(a, b);
        self.decide(p)
    }

    /// True if two expressions have the same value. Where that depends on data it is stated, to be checked when the
    /// data are known: for sizes that have to be equal.
    pub fn has_to_equal(&mut self, a: Expr, b: Expr) -> Option<bool> {
        if let Some(known) = self.is_equal(a, b) {
            return Some(known);
        }
        let p = self.eq(a, b);
        self.state(p, "sizes have to be equal")
    }

    /// Counterpart of [`Sizes::has_to_equal`] for a size that is at most the other.
    pub fn has_to_be_at_most(&mut self, a: Expr, b: Expr) -> Option<bool> {
        let p = self.le(a, b);
        self.decide(p).or_else(|| self.state(p, "a size is too large"))
    }

    fn state(&mut self, p: Pred, message: &str) -> Option<bool> {
        match self {
            Sizes::Proved(_) => None,
            Sizes::Guarded { env, at } => env.check(p, message, at).is_ok().then_some(true),
        }
    }

    /// True if the value is 1.
    pub fn is_one(&mut self, e: Expr) -> Option<bool> {
        self.is_equal(e, Expr::ONE)
    }

    /// The sizes to which all of several broadcast; `Some(None)` if they do not.
    pub fn broadcast(&mut self, shapes: &[&[Expr]]) -> Option<Option<Vec<Expr>>> {
        let rank = shapes.iter().map(|shape| shape.len()).max().unwrap_or(0);
        let mut sizes = vec![Expr::ONE; rank];
        for shape in shapes {
            for (size, &other) in sizes[rank - shape.len()..].iter_mut().zip(*shape) {
                match self.wider(*size, other)? {
                    Some(wider) => *size = wider,
                    None => return Some(None),
                }
            }
        }
        Some(Some(sizes))
    }

    /// The size to which two broadcast; `Some(None)` if they do not.
    fn wider(&mut self, a: Expr, b: Expr) -> Option<Option<Expr>> {
        if a == b || b == Expr::ONE {
            return Some(Some(a));
        }
        if a == Expr::ONE || self.is_one(a) == Some(true) {
            return Some(Some(b));
        }
        if self.is_one(b) == Some(true) {
            return Some(Some(a));
        }
        let is_equal = self.has_to_equal(a, b)?;
        Some(is_equal.then(|| if self.as_int(b).is_some() { b } else { a }))
    }

    /// The order of two values. What may also be equal, and is not known to be, counts as different.
    pub fn compare(&mut self, a: Expr, b: Expr) -> Option<Ordering> {
        if let (Some(a), Some(b)) = (self.as_int(a), self.as_int(b)) {
            return Some(a.cmp(&b));
        }
        if a == b {
            return Some(Ordering::Equal);
        }
        if self.is_multiple(b, a) {
            return Some(Ordering::Less);
        }
        if self.is_multiple(a, b) {
            return Some(Ordering::Greater);
        }
        let (less, at_most, at_least) = (self.lt(a, b), self.le(a, b), self.le(b, a));
        match self.decide(less) {
            Some(true) => Some(Ordering::Less),
            Some(false) => Some(if self.is_equal(a, b)? { Ordering::Equal } else { Ordering::Greater }),
            None if self.as_bool(at_most) == Some(true) => Some(Ordering::Less),
            None if self.as_bool(at_least) == Some(true) => Some(Ordering::Greater),
            None => None,
        }
    }

    /// True if `a` is proved to be at least twice the positive `b`.
    fn is_multiple(&mut self, a: Expr, b: Expr) -> bool {
        let times = self.exact_div(a, b);
        times.is_some_and(|times| self.range(times).lo >= 2) && self.range(b).lo >= 1
    }
}
