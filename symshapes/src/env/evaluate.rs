//! Questions about shapes: decided by what is known, by the hints under a guard, or left to the running program.

use super::{Assertion, EnvError, Guard, ShapeEnv};
use crate::{
    float_node::FloatBinary,
    ids::{Expr, Float, Pred, Sym},
    range::Range,
};
use rustc_hash::FxHashMap;

/// The kinds of results of a power of integers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Power {
    /// The exponent is not negative.
    Int(Expr),
    /// The exponent is negative.
    Float(Float),
}

impl ShapeEnv {
    /// The truth of a predicate for every input that the guards accept; `None` if it differs, or is not proved.
    pub fn statically_known(&mut self, p: Pred) -> Option<bool> {
        let p = self.normal_pred(p);
        self.pool.as_bool(p).or_else(|| self.decided_by_axioms(p))
    }

    /// The truth of a predicate. Where it is not known for every input, the hints decide and a guard is recorded.
    ///
    /// `at` is the user's stack.
    pub fn evaluate(&mut self, p: Pred, at: &str) -> Result<bool, EnvError> {
        if let Some(known) = self.statically_known(p) {
            return Ok(known);
        }
        let normal = self.normal_pred(p);
        if self.pred_is_unbacked(normal) {
            return Err(self.data_dependent(normal, at));
        }
        let truth = self.pool.eval_pred(normal, &|sym| self.symbol_hint(sym));
        let Some(truth) = truth else {
            let pred = self.pool.display_pred(p).to_string();
            return Err(self.undefined(pred, &self.pool.pred_symbols(p), at));
        };
        let held = if truth { normal } else { self.pool.not(normal) };
        self.guards.push(Guard { pred: held, at: at.to_owned() });
        self.learn(held, at)?;
        Ok(truth)
    }

    /// As [`ShapeEnv::evaluate`], but unbacked sizes are taken to be 2 or more where that decides the question.
    pub fn guard_size_oblivious(&mut self, p: Pred, at: &str) -> Result<bool, EnvError> {
        let p = self.normal_pred(p);
        match self.statically_known(p).or_else(|| self.known_of_large_sizes(p)) {
            Some(known) => Ok(known),
            None => self.evaluate(p, at),
        }
    }

    /// As [`ShapeEnv::evaluate`], but false where the answer depends on data: for questions whose "no" is always safe.
    pub fn guard_or_false(&mut self, p: Pred, at: &str) -> Result<bool, EnvError> {
        self.guard_or(p, false, at)
    }

    /// As [`ShapeEnv::evaluate`], but true where the answer depends on data: for questions whose "yes" is always safe.
    pub fn guard_or_true(&mut self, p: Pred, at: &str) -> Result<bool, EnvError> {
        self.guard_or(p, true, at)
    }

    fn guard_or(&mut self, p: Pred, fallback: bool, at: &str) -> Result<bool, EnvError> {
        match self.evaluate(p, at) {
            Err(EnvError::DataDependent { .. }) => Ok(fallback),
            answer => answer,
        }
    }

    /// The truth for every input, or for the hints where it differs; no guard is recorded. `None` if it depends on
    /// data, or has no value.
    pub fn guess(&mut self, p: Pred) -> Option<bool> {
        self.statically_known(p).or_else(|| {
            let normal = self.normal_pred(p);
            self.pool.eval_pred(normal, &|sym| self.symbol_hint(sym))
        })
    }

    /// The value of an integer for the hints, guarded.
    pub fn evaluate_int(&mut self, e: Expr, at: &str) -> Result<i64, EnvError> {
        let e = self.normal(e);
        if let Some(value) = self.pool.as_int(e) {
            return Ok(value);
        }
        if self.pool.symbols(e).iter().any(|&sym| self.is_unbacked(sym)) {
            let zero = self.pool.int(0);
            let p = self.pool.eq(e, zero);
            return Err(self.data_dependent(p, at));
        }
        let Some(value) = self.hint(e) else {
            let text = self.pool.display(e).to_string();
            return Err(self.undefined(text, &self.pool.symbols(e), at));
        };
        let constant = self.pool.int(value);
        let p = self.pool.eq(e, constant);
        self.evaluate(p, at)?;
        Ok(value)
    }

    /// `base ** exponent` as Python has it, whose kind depends on the exponent's sign; that is guarded.
    pub fn power(&mut self, base: Expr, exponent: Expr, at: &str) -> Result<Power, EnvError> {
        let natural = self.pool.le(Expr::ZERO, exponent);
        if self.evaluate(natural, at)? {
            return Ok(Power::Int(self.pool.pow(base, exponent)));
        }
        let (base, exponent) = (self.pool.to_float(base), self.pool.to_float(exponent));
        Ok(Power::Float(self.pool.float_binary(FloatBinary::Pow, base, exponent)))
    }

    /// States that a predicate holds: a guard if the hints can tell, an assertion for the running program otherwise.
    pub fn check(&mut self, p: Pred, message: &str, at: &str) -> Result<(), EnvError> {
        let normal = self.normal_pred(p);
        match self.statically_known(normal) {
            Some(true) => return Ok(()),
            Some(false) => return Err(self.check_failed(p, message, at)),
            None => {}
        }
        if !self.pred_is_unbacked(normal) {
            let holds = self.evaluate(normal, at)?;
            return if holds { Ok(()) } else { Err(self.check_failed(p, message, at)) };
        }
        self.assertions.push(Assertion { pred: p, message: message.to_owned(), at: at.to_owned() });
        self.learn(normal, at)
    }

    fn data_dependent(&self, p: Pred, at: &str) -> EnvError {
        let symbols = self.pool.pred_symbols(p);
        let unbacked = symbols.iter().filter(|&&sym| self.is_unbacked(sym)).map(|&sym| self.pool.name(sym));
        EnvError::DataDependent {
            symbols: self.sources_of(&symbols),
            pred: self.pool.display_pred(p).to_string(),
            unknown: unbacked.collect::<Vec<_>>().join(", "),
            at: at.to_owned(),
        }
    }

    /// The truth where every unbacked size is at least 2.
    fn known_of_large_sizes(&mut self, p: Pred) -> Option<bool> {
        let symbols = self.pool.pred_symbols(p);
        let small = |sym: &Sym| self.symbols.get(sym).is_some_and(|row| row.size_like) && self.is_unbacked(*sym);
        let sizes: Vec<Sym> = symbols.into_iter().filter(small).collect();
        let mut map = FxHashMap::default();
        for sym in sizes {
            let range = self.pool.symbol_range(sym).intersect(Range::new(2, i64::MAX));
            if range.is_empty() {
                return None;
            }
            let large = self.pool.symbol(&format!("{}_large", self.pool.name(sym)), range);
            map.insert(sym, self.pool.sym(large));
        }
        let p = self.pool.subst_pred(p, &map);
        self.pool.as_bool(p)
    }
}
