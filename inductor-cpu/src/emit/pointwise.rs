//! The pointwise primitives: one arm per row of the table.

use crate::ir::{Elem, Ir, Val, elem, lanes};
use crate::math;
use fx::prim::Pointwise;
use inkwell::{FloatPredicate, IntPredicate};
use symshapes::{DType, DTypeClass};

impl<'c> Ir<'c> {
    /// Applies a primitive to operands of dtype `dtype` (that of the last operand), all of one shape.
    pub(super) fn pointwise(&self, op: Pointwise, dtype: DType, args: &[Val<'c>]) -> Val<'c> {
        let typed = Typed { ir: self, dtype };
        let a = args[0];
        let b = args.get(1).copied().unwrap_or(a);
        let c = args.get(2).copied().unwrap_or(b);
        match op {
            Pointwise::Neg => typed.neg(a),
            Pointwise::Abs => typed.abs(a),
            Pointwise::Sign => typed.sign(a),
            Pointwise::Add => typed.pick([Ir::fadd, Ir::add, Ir::or])(self, a, b),
            Pointwise::Sub => typed.pick([Ir::fsub, Ir::sub, Ir::xor])(self, a, b),
            Pointwise::Mul => typed.pick([Ir::fmul, Ir::mul, Ir::and])(self, a, b),
            Pointwise::Div => typed.div(a, b),
            Pointwise::FloorDiv => typed.floor_div(a, b),
            Pointwise::Remainder => typed.remainder(a, b),
            Pointwise::Fmod => typed.fmod(a, b),
            Pointwise::Maximum => typed.maximum(a, b),
            Pointwise::Minimum => typed.minimum(a, b),
            Pointwise::Pow => typed.pow(a, b),
            Pointwise::Fma => typed.fma(a, b, c),
            Pointwise::Eq => typed.compare(FloatPredicate::OEQ, IntPredicate::EQ, a, b),
            Pointwise::Ne => typed.compare(FloatPredicate::UNE, IntPredicate::NE, a, b),
            Pointwise::Lt => typed.compare(FloatPredicate::OLT, IntPredicate::SLT, a, b),
            Pointwise::Le => typed.compare(FloatPredicate::OLE, IntPredicate::SLE, a, b),
            Pointwise::Gt => typed.compare(FloatPredicate::OGT, IntPredicate::SGT, a, b),
            Pointwise::Ge => typed.compare(FloatPredicate::OGE, IntPredicate::SGE, a, b),
            Pointwise::Where => self.select(a, b, c),
            Pointwise::And => self.and(a, b),
            Pointwise::Or => self.or(a, b),
            Pointwise::Xor => self.xor(a, b),
            Pointwise::Not => self.not(a),
            Pointwise::Shl => typed.shift_left(a, b),
            Pointwise::Shr => typed.shift_right(a, b),
            Pointwise::Floor => typed.rounded(a, Ir::floor),
            Pointwise::Ceil => typed.rounded(a, Ir::ceil),
            Pointwise::Trunc => typed.rounded(a, Ir::trunc),
            Pointwise::Round => typed.rounded(a, Ir::rint),
            Pointwise::IsNan => typed.float_test(a, Ir::is_nan),
            Pointwise::IsInf => typed.float_test(a, Ir::is_inf),
            Pointwise::Signbit => typed.signbit(a),
            Pointwise::Copysign => self.intrinsic("llvm.copysign", &[a, b]),
            Pointwise::Sqrt => self.sqrt(a),
            Pointwise::Rsqrt => self.fdiv(self.like(a, 1.0), self.sqrt(a)),
            Pointwise::Reciprocal => self.fdiv(self.like(a, 1.0), a),
            Pointwise::Exp => math::exp(self, a),
            Pointwise::Exp2 => math::exp2(self, a),
            Pointwise::Expm1 => math::expm1(self, a),
            Pointwise::Log => math::log(self, a),
            Pointwise::Log2 => math::log2(self, a),
            Pointwise::Log10 => math::log10(self, a),
            Pointwise::Log1p => math::log1p(self, a),
            Pointwise::Sin => math::sin(self, a),
            Pointwise::Cos => math::cos(self, a),
            Pointwise::Tan => math::tan(self, a),
            Pointwise::Asin => math::asin(self, a),
            Pointwise::Acos => math::acos(self, a),
            Pointwise::Atan => math::atan(self, a),
            Pointwise::Atan2 => math::atan2(self, a, b),
            Pointwise::Sinh => math::sinh(self, a),
            Pointwise::Cosh => math::cosh(self, a),
            Pointwise::Tanh => math::tanh(self, a),
            Pointwise::Sigmoid => math::sigmoid(self, a),
            Pointwise::Erf => math::erf(self, a),
            Pointwise::Erfc => math::erfc(self, a),
        }
    }

    /// True on ±∞.
    fn is_inf(&self, a: Val<'c>) -> Val<'c> {
        self.fcmp(FloatPredicate::OEQ, self.fabs(a), self.like(a, f64::INFINITY))
    }
}

/// A builder that knows the dtype of its operands.
pub(super) struct Typed<'i, 'c> {
    pub(super) ir: &'i Ir<'c>,
    pub(super) dtype: DType,
}

/// A binary operation of the builder.
type Binary<'c> = fn(&Ir<'c>, Val<'c>, Val<'c>) -> Val<'c>;

impl<'c> Typed<'_, 'c> {
    fn is_float(&self) -> bool {
        self.dtype.is_float()
    }

    /// The operation for floats, integers or bools.
    fn pick(&self, [float, int, bool]: [Binary<'c>; 3]) -> Binary<'c> {
        match self.dtype.class() {
            DTypeClass::Float | DTypeClass::Complex => float,
            DTypeClass::Int => int,
            DTypeClass::Bool => bool,
        }
    }

    fn neg(&self, a: Val<'c>) -> Val<'c> {
        if self.is_float() { self.ir.fneg(a) } else { self.ir.sub(self.ir.like(a, 0.0), a) }
    }

    fn abs(&self, a: Val<'c>) -> Val<'c> {
        match self.dtype.class() {
            DTypeClass::Float => self.ir.fabs(a),
            _ if !self.dtype.is_signed() => a,
            _ => self.ir.select(self.less(a, self.ir.like(a, 0.0)), self.neg(a), a),
        }
    }

    fn sign(&self, a: Val<'c>) -> Val<'c> {
        if self.dtype == DType::Bool {
            return a;
        }
        let (zero, one) = (self.ir.like(a, 0.0), self.ir.like(a, 1.0));
        let negative = self.ir.select(self.less(a, zero), self.ir.like(a, -1.0), zero);
        self.ir.select(self.less(zero, a), one, negative)
    }

    fn less(&self, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        self.compare(FloatPredicate::OLT, IntPredicate::SLT, a, b)
    }

    /// Compares; `int` is the signed predicate.
    pub(super) fn compare(&self, float: FloatPredicate, int: IntPredicate, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        match self.dtype.class() {
            DTypeClass::Float | DTypeClass::Complex => self.ir.fcmp(float, a, b),
            _ if self.dtype.is_signed() => self.ir.icmp(int, a, b),
            _ => self.ir.icmp(unsigned(int), a, b),
        }
    }

    /// The greater, or NaN.
    pub(super) fn maximum(&self, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        self.extreme(self.less(a, b), a, b)
    }

    /// The lesser, or NaN.
    pub(super) fn minimum(&self, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        self.extreme(self.less(b, a), a, b)
    }

    /// `replaces ? b : a`, and NaN where `b` is; a NaN in `a` is never replaced. In this shape it is one instruction
    /// and a blend that a loop does not wait for, if `a` is the accumulator.
    fn extreme(&self, replaces: Val<'c>, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        let best = self.ir.select(replaces, b, a);
        if self.is_float() { self.ir.select(self.ir.is_nan(b), self.ir.like(b, f64::NAN), best) } else { best }
    }

    fn fma(&self, a: Val<'c>, b: Val<'c>, c: Val<'c>) -> Val<'c> {
        if self.is_float() { self.ir.fma(a, b, c) } else { self.ir.add(self.ir.mul(a, b), c) }
    }

    /// 0 where the amount is not in `0..width`.
    fn shift_left(&self, a: Val<'c>, by: Val<'c>) -> Val<'c> {
        let width = self.ir.like(a, f64::from(elem(a).width()));
        let zero = self.ir.like(a, 0.0);
        let inside = self.ir.icmp(IntPredicate::ULT, by, width);
        let shifted = self.ir.shl(a, self.ir.select(inside, by, zero));
        self.ir.select(inside, shifted, zero)
    }

    /// The sign in every bit where the amount is not in `0..width`.
    fn shift_right(&self, a: Val<'c>, by: Val<'c>) -> Val<'c> {
        let width = self.ir.like(a, f64::from(elem(a).width()));
        let zero = self.ir.like(a, 0.0);
        let inside = self.ir.icmp(IntPredicate::ULT, by, width);
        if self.dtype.is_signed() {
            let most = self.ir.like(a, f64::from(elem(a).width() - 1));
            return self.ir.ashr(a, self.ir.select(inside, by, most));
        }
        self.ir.select(inside, self.ir.lshr(a, self.ir.select(inside, by, zero)), zero)
    }

    /// Integers are whole already.
    fn rounded(&self, a: Val<'c>, float: fn(&Ir<'c>, Val<'c>) -> Val<'c>) -> Val<'c> {
        if self.is_float() { float(self.ir, a) } else { a }
    }

    /// No integer is NaN or infinite.
    fn float_test(&self, a: Val<'c>, float: fn(&Ir<'c>, Val<'c>) -> Val<'c>) -> Val<'c> {
        if self.is_float() { float(self.ir, a) } else { self.ir.int(Elem::I1, lanes(a), 0) }
    }

    fn signbit(&self, a: Val<'c>) -> Val<'c> {
        if !self.dtype.is_signed() {
            return self.ir.int(Elem::I1, lanes(a), 0);
        }
        let bits = self.ir.bitcast(a, elem(a).bits());
        self.ir.icmp(IntPredicate::SLT, bits, self.ir.like(bits, 0.0))
    }
}

/// The unsigned counterpart of a predicate.
fn unsigned(p: IntPredicate) -> IntPredicate {
    match p {
        IntPredicate::SLT => IntPredicate::ULT,
        IntPredicate::SLE => IntPredicate::ULE,
        IntPredicate::SGT => IntPredicate::UGT,
        IntPredicate::SGE => IntPredicate::UGE,
        other => other,
    }
}
