//! Floats that are computed from shapes, as torch's `SymFloat` has them: `ToFloat(s0)`, `IntTrueDiv(s0, 2)`, `2.0*zf0`.
//!
//! Invariants:
//! - A float denotes what IEEE double arithmetic gives for the operations as they stand. Sums are not reordered:
//!   only rules that keep every bit (but a NaN's payload) are applied.
//! - A symbol of a float is a [`Sym`] whose value is the bits of a double, seen as an `i64`: so it has a source, a hint
//!   and a place in a program like any other. An integer expression mentions it only within a float that it rounds.
//! - An operand was interned before the node that reads it.

use crate::{
    float_node::{EXACT, FloatBinary, FloatNode, FloatUnary, Part, nearest},
    ids::{Expr, Float, Sym},
    pool::Pool,
    range::Range,
};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// A float that is exactly `numerator / 2**shift`.
struct Dyadic {
    numerator: Expr,
    shift: u32,
}

impl Pool {
    /// A symbol of a float; its values are the bits of doubles.
    pub fn float_symbol(&mut self, name: &str) -> Sym {
        if let Some(sym) = self.find(name).filter(|&sym| self.is_float(sym)) {
            return sym;
        }
        let sym = self.symbol(name, Range::ALL);
        self.mark_float(sym);
        sym
    }

    /// A symbol as a float.
    pub fn float_sym(&mut self, sym: Sym) -> Float {
        self.intern_float(FloatNode::Sym(sym))
    }

    /// A constant; there is one NaN.
    pub fn float(&mut self, value: f64) -> Float {
        let value = if value.is_nan() { f64::NAN } else { value };
        self.intern_float(FloatNode::Const(value.to_bits()))
    }

    /// The value of a constant.
    pub fn as_float(&self, f: Float) -> Option<f64> {
        match *self.float_node(f) {
            FloatNode::Const(bits) => Some(f64::from_bits(bits)),
            _ => None,
        }
    }

    /// `float(e)`
    pub fn to_float(&mut self, e: Expr) -> Float {
        match self.as_int(e) {
            Some(value) => self.float(nearest(value)),
            None => self.intern_float(FloatNode::Int(e)),
        }
    }

    /// `a / b` of integers, rounded once.
    pub fn int_true_div(&mut self, a: Expr, b: Expr) -> Float {
        match (self.as_int(a), self.as_int(b)) {
            (_, Some(1)) => self.to_float(a),
            (Some(x), Some(y)) => match quotient(x, y) {
                Some(value) => self.float(value),
                None => self.intern_float(FloatNode::IntTrueDiv(a, b)),
            },
            _ => self.intern_float(FloatNode::IntTrueDiv(a, b)),
        }
    }

    /// A function of one float.
    pub fn float_unary(&mut self, op: FloatUnary, x: Float) -> Float {
        if let Some(value) = self.as_float(x).and_then(|x| unary(op, x)) {
            return self.float(value);
        }
        match (op, *self.float_node(x)) {
            (FloatUnary::Neg, FloatNode::Unary(FloatUnary::Neg, inner)) => inner,
            (FloatUnary::Abs, FloatNode::Unary(FloatUnary::Abs, _)) => x,
            (FloatUnary::Abs, FloatNode::Unary(FloatUnary::Neg, inner)) => self.float_unary(op, inner),
            _ => self.intern_float(FloatNode::Unary(op, x)),
        }
    }

    /// A function of two floats.
    ///
    /// Rules: constants are folded; `1.0*x => x`, `x/1.0 => x`, `x**1.0 => x`, `x - 0.0 => x`; the operands of `+` and
    /// `*` are sorted.
    pub fn float_binary(&mut self, op: FloatBinary, x: Float, y: Float) -> Float {
        use FloatBinary::{Add, Mul, Pow, Sub, TrueDiv};
        let (a, b) = (self.as_float(x), self.as_float(y));
        let is = |value: Option<f64>, wanted: f64| value.is_some_and(|v| v.to_bits() == wanted.to_bits());
        match op {
            _ if let (Some(a), Some(b)) = (a, b)
                && let Some(value) = binary(op, a, b) =>
            {
                self.float(value)
            }
            Mul if is(a, 1.0) => y,
            Mul | TrueDiv | Pow if is(b, 1.0) => x,
            Sub if is(b, 0.0) => x,
            Add if is(b, -0.0) => x,
            Add if is(a, -0.0) => y,
            Add | Mul => self.intern_float(FloatNode::Binary(op, x.min(y), x.max(y))),
            _ => self.intern_float(FloatNode::Binary(op, x, y)),
        }
    }

    /// The nearest decimal fraction of so many digits after the point, or multiple of a power of ten.
    pub fn round_decimal(&mut self, x: Float, digits: i16) -> Float {
        match self.as_float(x).and_then(|value| round_decimal(value, digits)) {
            Some(value) => self.float(value),
            None => self.intern_float(FloatNode::RoundDecimal(x, digits)),
        }
    }

    /// The numerator and the divisor of a float that is a dyadic fraction.
    pub(crate) fn dyadic_parts(&mut self, f: Float) -> Option<(Expr, Expr)> {
        let Dyadic { numerator, shift } = self.dyadic(f)?;
        Some((numerator, self.int(1 << shift)))
    }

    /// Both as integers of the same scale, where they are exactly that: a relation of them is one of integers.
    pub(crate) fn same_scale(&mut self, a: Float, b: Float) -> Option<(Expr, Expr)> {
        let (a, b) = (self.dyadic(a)?, self.dyadic(b)?);
        let shift = a.shift.max(b.shift);
        let sides = [a, b].map(|side| self.mul_int(side.numerator, 1 << (shift - side.shift)));
        (!self.is_overflow(sides[0]) && !self.is_overflow(sides[1])).then_some((sides[0], sides[1]))
    }

    /// The float as a dyadic fraction, if its range proves that no operation on the way rounds.
    fn dyadic(&mut self, f: Float) -> Option<Dyadic> {
        self.dyadic_where(f, Pool::is_exact)
    }

    /// True if a float were a dyadic fraction, were its integers small enough.
    pub(crate) fn is_dyadic(&mut self, f: Float) -> bool {
        self.dyadic_where(f, |pool, e| !pool.is_overflow(e)).is_some()
    }

    /// The float as a dyadic fraction, where each integer on the way is a double.
    fn dyadic_where(&mut self, f: Float, is_exact: fn(&Pool, Expr) -> bool) -> Option<Dyadic> {
        let found = match *self.float_node(f) {
            FloatNode::Const(bits) => self.dyadic_constant(f64::from_bits(bits))?,
            FloatNode::Int(numerator) => Dyadic { numerator, shift: 0 },
            FloatNode::IntTrueDiv(numerator, b) => {
                let divisor = self.as_int(b).and_then(|b| u64::try_from(b).ok()).filter(|b| b.is_power_of_two())?;
                Dyadic { numerator, shift: divisor.trailing_zeros() }
            }
            FloatNode::Binary(FloatBinary::Mul, a, b) => {
                let (a, b) = (self.dyadic_where(a, is_exact)?, self.dyadic_where(b, is_exact)?);
                Dyadic { numerator: self.mul(a.numerator, b.numerator), shift: a.shift + b.shift }
            }
            FloatNode::Binary(op @ (FloatBinary::Add | FloatBinary::Sub), a, b) => {
                let (a, b) = (self.dyadic_where(a, is_exact)?, self.dyadic_where(b, is_exact)?);
                let shift = a.shift.max(b.shift);
                let a = self.mul_int(a.numerator, 1 << (shift - a.shift));
                let b = self.mul_int(b.numerator, 1 << (shift - b.shift));
                let numerator = if op == FloatBinary::Add { self.add(a, b) } else { self.sub(a, b) };
                Dyadic { numerator, shift }
            }
            FloatNode::Sym(_) | FloatNode::Unary(..) | FloatNode::Binary(..) | FloatNode::RoundDecimal(..) => {
                return None;
            }
        };
        (found.shift <= 52 && is_exact(self, found.numerator)).then_some(found)
    }

    fn dyadic_constant(&mut self, value: f64) -> Option<Dyadic> {
        // Zero has two signs, and a sum or product may show which.
        if value == 0.0 && value.is_sign_negative() {
            return None;
        }
        let shift = (0..=52u32).find(|&shift| (value * f64::from(shift).exp2()).fract() == 0.0)?;
        let scaled = value * f64::from(shift).exp2();
        #[expect(clippy::cast_possible_truncation, reason = "an integer below 2**53")]
        let numerator = (scaled.abs() <= nearest(EXACT)).then_some(scaled as i64)?;
        Some(Dyadic { numerator: self.int(numerator), shift })
    }

    /// The value under an assignment, where a float symbol's value is given by its bits. `None` for an unknown symbol,
    /// a division by zero (an error in Python) or an integer without a value.
    pub fn eval_float(&self, f: Float, values: &dyn Fn(Sym) -> Option<i64>) -> Option<f64> {
        match *self.float_node(f) {
            FloatNode::Const(bits) => Some(f64::from_bits(bits)),
            FloatNode::Sym(sym) => values(sym).map(|bits| f64::from_bits(bits.cast_unsigned())),
            FloatNode::Int(e) => self.eval(e, values).map(nearest),
            FloatNode::IntTrueDiv(a, b) => quotient(self.eval(a, values)?, self.eval(b, values)?),
            FloatNode::Unary(op, x) => unary(op, self.eval_float(x, values)?),
            FloatNode::Binary(op, x, y) => binary(op, self.eval_float(x, values)?, self.eval_float(y, values)?),
            FloatNode::RoundDecimal(x, digits) => round_decimal(self.eval_float(x, values)?, digits),
        }
    }

    /// Replaces integer symbols, as [`Pool::subst`] does.
    pub fn subst_float(&mut self, f: Float, map: &FxHashMap<Sym, Expr>) -> Float {
        match *self.float_node(f) {
            FloatNode::Const(_) | FloatNode::Sym(_) => f,
            FloatNode::Int(e) => {
                let e = self.subst(e, map);
                self.to_float(e)
            }
            FloatNode::IntTrueDiv(a, b) => {
                let (a, b) = (self.subst(a, map), self.subst(b, map));
                self.int_true_div(a, b)
            }
            FloatNode::Unary(op, x) => {
                let x = self.subst_float(x, map);
                self.float_unary(op, x)
            }
            FloatNode::Binary(op, x, y) => {
                let (x, y) = (self.subst_float(x, map), self.subst_float(y, map));
                self.float_binary(op, x, y)
            }
            FloatNode::RoundDecimal(x, digits) => {
                let x = self.subst_float(x, map);
                self.round_decimal(x, digits)
            }
        }
    }

    /// Copies a float into this arena, as [`Pool::import`] does an expression.
    pub fn import_float(&mut self, other: &Pool, f: Float, map: &mut FxHashMap<Sym, Sym>) -> Float {
        match *other.float_node(f) {
            FloatNode::Const(bits) => self.float(f64::from_bits(bits)),
            FloatNode::Sym(sym) => {
                let ours = *map.entry(sym).or_insert_with(|| self.float_symbol(other.name(sym)));
                self.float_sym(ours)
            }
            FloatNode::Int(e) => {
                let e = self.import(other, e, map);
                self.to_float(e)
            }
            FloatNode::IntTrueDiv(a, b) => {
                let (a, b) = (self.import(other, a, map), self.import(other, b, map));
                self.int_true_div(a, b)
            }
            FloatNode::Unary(op, x) => {
                let x = self.import_float(other, x, map);
                self.float_unary(op, x)
            }
            FloatNode::Binary(op, x, y) => {
                let (x, y) = (self.import_float(other, x, map), self.import_float(other, y, map));
                self.float_binary(op, x, y)
            }
            FloatNode::RoundDecimal(x, digits) => {
                let x = self.import_float(other, x, map);
                self.round_decimal(x, digits)
            }
        }
    }

    /// The symbols that occur, in no order, perhaps more than once.
    pub fn float_symbols(&self, f: Float) -> SmallVec<[Sym; 4]> {
        let mut found = SmallVec::new();
        self.float_parts(f, &mut |part| match part {
            Part::Sym(sym) => found.push(sym),
            Part::Int(e) => found.extend(self.symbols(e)),
        });
        found
    }

    /// Calls `visit` on each symbol of a float, and on each integer that a float is made of.
    pub(crate) fn float_parts(&self, f: Float, visit: &mut dyn FnMut(Part)) {
        match *self.float_node(f) {
            FloatNode::Const(_) => {}
            FloatNode::Sym(sym) => visit(Part::Sym(sym)),
            FloatNode::Int(e) => visit(Part::Int(e)),
            FloatNode::IntTrueDiv(a, b) => {
                visit(Part::Int(a));
                visit(Part::Int(b));
            }
            FloatNode::Unary(_, x) | FloatNode::RoundDecimal(x, _) => self.float_parts(x, visit),
            FloatNode::Binary(_, x, y) => {
                self.float_parts(x, visit);
                self.float_parts(y, visit);
            }
        }
    }
}

/// `a / b` as Python divides integers, with one rounding; `None` for a zero divisor, and beyond what doubles hold
/// exactly, where one division of doubles would round twice.
pub(crate) fn quotient(a: i64, b: i64) -> Option<f64> {
    let exact = |n: i64| n.unsigned_abs() <= EXACT.unsigned_abs();
    (b != 0 && exact(a) && exact(b)).then(|| nearest(a) / nearest(b))
}

/// Python's `round(x, digits)`: the decimal is found from all of the double's digits, a tie goes to the even one.
/// `None` where Python raises an error, since no double is so large.
pub(crate) fn round_decimal(x: f64, digits: i16) -> Option<f64> {
    if digits >= 0 || !x.is_finite() {
        return format!("{x:.*}", usize::from(digits.unsigned_abs())).parse().ok();
    }
    let zeros = usize::from(digits.unsigned_abs());
    let whole = format!("{:.0}", x.abs().trunc());
    let rounded: f64 = match whole.len().checked_sub(zeros) {
        None => 0.0,
        // All digits go, and a half is nearer to 0, which is even.
        Some(0) => {
            let half = format!("5{}", "0".repeat(zeros - 1));
            let up = whole > half || whole == half && x.fract() != 0.0;
            if up { format!("1e{zeros}").parse().ok()? } else { 0.0 }
        }
        Some(kept) => format!("{:.*e}", kept - 1, x.abs()).parse().ok()?,
    };
    rounded.is_finite().then(|| rounded.copysign(x))
}

/// The value of a function of one; `None` where Python raises an error instead: out of its domain, or infinite.
pub(crate) fn unary(op: FloatUnary, x: f64) -> Option<f64> {
    let value = op.apply(x);
    let is_error = value.is_nan() && !x.is_nan() || value.is_infinite() && x.is_finite();
    (!is_error).then_some(value)
}

/// The value of a function of two; `None` where Python raises an error instead.
pub(crate) fn binary(op: FloatBinary, x: f64, y: f64) -> Option<f64> {
    let divides_by_zero = match op {
        FloatBinary::TrueDiv | FloatBinary::FloorDiv | FloatBinary::Mod => y == 0.0,
        FloatBinary::Pow => (x == 0.0 && y < 0.0) || (x < 0.0 && y.fract() != 0.0),
        _ => false,
    };
    let value = op.apply(x, y);
    let overflows = op == FloatBinary::Pow && x.is_finite() && y.is_finite() && value.is_infinite();
    (!divides_by_zero && !overflows).then_some(value)
}
