//! Guards on symbolic numbers: that what is computed of them has a value, and that they are what they are now.

use crate::{
    bytecode::Comparison,
    reason::{Kind, Reason},
    trace::{
        Traced, Tracer,
        core::value::{Value, ValueId},
    },
};
use fx::{Arg, Meta, NodeId};
use guards::{Constant, GuardKind, SourceId};
use symshapes::{Expr, Float, FloatBinary, FloatUnary, InputKind, Pred, Sym};

/// Integers up to this are multiplied and divided without rounding, where the other numbers are small as well.
const SMALL: i64 = 1 << 40;

impl Tracer<'_> {
    /// The symbolic number that the graph has already taken from a source: an attribute may be read twice.
    pub(in crate::trace) fn number_input(&mut self, source: SourceId) -> Option<ValueId> {
        let input = *self.graph.inputs.iter().find(|input| input.source == source)?;
        let number = match self.graph.torch[input.node].meta {
            Some(Meta::Int(expr)) => Value::SymInt { expr, node: input.node },
            _ if input.is_float => {
                let reads = |&node: &NodeId| {
                    self.graph.torch[node].target == "item" && self.graph.torch[node].args == [Arg::Node(input.node)]
                };
                let node = self.graph.torch.nodes().find(reads)?;
                let Some(Meta::Float(float)) = self.graph.torch[node].meta else { return None };
                Value::SymFloat { float, node }
            }
            _ => return None,
        };
        Some(self.sourced(number, source))
    }

    /// Under guards, that a float is made of integers so small that doubles hold what is computed of them.
    pub(in crate::trace) fn is_of_small(&mut self, x: Float) -> Traced<bool> {
        for sym in self.shapes.env.pool().float_symbols(x) {
            if self.shapes.env.pool().is_float(sym) {
                return Ok(false);
            }
            let pool = self.shapes.env.pool_mut();
            let (int, least, most) = (pool.sym(sym), pool.int(-SMALL), pool.int(SMALL));
            let bounds = [pool.le(least, int), pool.le(int, most)];
            for bound in bounds {
                if !self.holds(bound)? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Under guards, that `x ** y` is a float.
    pub(in crate::trace) fn is_power(&mut self, x: Float, y: Float) -> Traced<bool> {
        let power = self.shapes.env.pool_mut().float_binary(FloatBinary::Pow, x, y);
        Ok(self.has_power(x, y)? && self.is_within(power, f64::MAX)?)
    }

    fn has_power(&mut self, x: Float, y: Float) -> Traced<bool> {
        match self.shapes.env.pool().as_float(y) {
            Some(y) if y.fract() == 0.0 && y >= 0.0 => Ok(true),
            Some(y) if y.fract() == 0.0 => self.is_not_zero(x),
            Some(y) if y > 0.0 => self.is_beyond(x, 0.0, false),
            _ => self.is_beyond(x, 0.0, true),
        }
    }

    /// Under a guard, that an integer is not 0. What depends on data raises when the program runs.
    pub(in crate::trace) fn is_divisor(&mut self, y: Expr) -> Traced<bool> {
        if self.shapes.env.depends_on_data(y) {
            return Ok(true);
        }
        let divides = self.shapes.env.pool_mut().ne(y, Expr::ZERO);
        self.holds(divides)
    }

    pub(in crate::trace) fn is_not_zero(&mut self, x: Float) -> Traced<bool> {
        let zero = self.shapes.env.pool_mut().float(0.0);
        let pred = self.float_relation(Comparison::Ne, x, zero);
        self.holds(pred)
    }

    /// Under a guard, that `x >= bound`, or `x > bound`.
    pub(in crate::trace) fn is_beyond(&mut self, x: Float, bound: f64, strictly: bool) -> Traced<bool> {
        let bound = self.shapes.env.pool_mut().float(bound);
        let pred = self.float_relation(if strictly { Comparison::Gt } else { Comparison::Ge }, x, bound);
        self.holds(pred)
    }

    /// Under a guard, that a float lies no further from 0. What depends on data raises when the program runs.
    pub(in crate::trace) fn is_within(&mut self, x: Float, most: f64) -> Traced<bool> {
        let symbols = self.shapes.env.pool().float_symbols(x);
        if self.shapes.env.pool().lies_within(x, most) || symbols.iter().any(|&sym| self.shapes.env.is_unbacked(sym)) {
            return Ok(true);
        }
        let size = self.shapes.env.pool_mut().float_unary(FloatUnary::Abs, x);
        let most = self.shapes.env.pool_mut().float(most);
        let pred = self.float_relation(Comparison::Le, size, most);
        self.holds(pred)
    }

    /// True if a predicate holds now, and then so under a guard.
    pub(in crate::trace) fn holds(&mut self, pred: Pred) -> Traced<bool> {
        Ok(self.shapes.env.guess(pred) == Some(true) && self.decide(pred)?)
    }

    /// A float as the constant that it is now: each number that it is computed from has to be the same again.
    pub(in crate::trace) fn constant_float(&mut self, float: Float) -> Traced<f64> {
        let hint = |sym| self.shapes.env.symbol_hint(sym);
        let value = self.shapes.env.pool().eval_float(float, &hint);
        let value = value.ok_or_else(|| Reason::raised("ValueError"))?;
        for sym in self.shapes.env.pool().float_symbols(float) {
            self.constant_symbol(sym)?;
        }
        Ok(value)
    }

    pub(in crate::trace) fn constant_symbol(&mut self, sym: Sym) -> Traced<()> {
        let of = |input: &&symshapes::Input| input.owned == Some(sym) && input.kind == InputKind::Float;
        let source = self.shapes.env.inputs().find(of).map(|input| input.source);
        match (source, self.shapes.env.symbol_hint(sym)) {
            (Some(source), Some(bits)) => {
                let constant = Constant::Float(bits.cast_unsigned());
                let kind = GuardKind::EqualsMatch(self.sources.constant(constant));
                self.guard(source.into(), kind);
                Ok(())
            }
            _ => {
                let expr = self.shapes.env.pool_mut().sym(sym);
                let at = self.place();
                let fixed = self.shapes.env.evaluate_int(expr, &at);
                fixed.map(drop).map_err(|error| Reason::new(Kind::Shape, error.to_string()))
            }
        }
    }
}
