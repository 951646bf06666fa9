//! Index expressions: scalar `i64` arithmetic where the lanes allow it, vectors only where they must be.
//!
//! Invariant used throughout: the vector axis in lane 0 of any copy is a multiple of the lane count. So a division of
//! the axis by a multiple of the lane count is the same in every lane, and a remainder runs on by ones.

use super::{Emitter, Many};
use crate::ir::{Elem, Val};
use inkwell::IntPredicate;
use inkwell::values::{InstructionOpcode, IntValue};
use smallvec::SmallVec;
use symshapes::{Expr, Node, Sum, Sym};

/// The value that an index symbol stands for.
#[derive(Clone, Debug)]
pub(super) enum SymValue<'c> {
    /// The axis of a serial loop.
    Scalar(IntValue<'c>),
    /// The axis of the vector loop: its value in lane 0 of copy 0.
    Lanes(IntValue<'c>),
    /// A computed value.
    Bound(Many<'c>),
}

/// A quotient and a remainder.
type Pair<'c> = (Val<'c>, Val<'c>);

/// The forms that an index can have along the lanes.
#[derive(Clone, Copy)]
pub(super) enum Form<'c> {
    /// Equal in every lane.
    Uniform(IntValue<'c>),
    /// `base + stride * lane`.
    Linear { base: IntValue<'c>, stride: i64 },
    /// Anything else.
    Vector(Val<'c>),
}

impl<'c> Emitter<'_, 'c> {
    /// True if the index may differ between lanes or copies.
    pub(super) fn varies(&self, e: Expr) -> bool {
        self.vector.is_some() && self.kernel.exprs.symbols(e).iter().any(|&s| self.sym_varies(s))
    }

    pub(super) fn sym_varies(&self, sym: Sym) -> bool {
        matches!(self.sym(sym), SymValue::Lanes(_) | SymValue::Bound(Many::Wide(_)))
    }

    fn sym(&self, sym: Sym) -> &SymValue<'c> {
        self.syms.get(&sym).expect("an index uses symbols in scope")
    }

    /// An index expression as a value.
    pub(super) fn index_value(&self, e: Expr) -> Many<'c> {
        if !self.varies(e) {
            return Many::Uniform(self.scalar_index(e).into());
        }
        self.each(|copy| self.lane_indices(self.form(e, copy)))
    }

    /// One index for each lane.
    pub(super) fn lane_indices(&self, form: Form<'c>) -> Val<'c> {
        match form {
            Form::Uniform(at) => self.ir.splat(at.into(), self.lanes),
            Form::Linear { base, stride } => {
                self.ir.add(self.ir.splat(base.into(), self.lanes), self.ir.ramp(self.lanes, stride))
            }
            Form::Vector(v) => v,
        }
    }

    /// The index in lane 0 of copy 0 (in every lane, if it does not vary).
    pub(super) fn scalar_index(&self, e: Expr) -> IntValue<'c> {
        match self.kernel.exprs.node(e) {
            Node::Int(n) => self.ir.i64(*n),
            Node::Sym(sym) => match self.sym(*sym) {
                SymValue::Scalar(v) | SymValue::Lanes(v) => *v,
                SymValue::Bound(Many::Uniform(v)) => v.into_int_value(),
                SymValue::Bound(Many::Wide(vs)) => self.ir.extract(vs[0], self.ir.lane(0)).into_int_value(),
            },
            Node::Add(sum) => self.scalar_sum(sum),
            Node::Mul(factors) => self.product(factors.iter().map(|&f| self.scalar_index(f).into())).into_int_value(),
            Node::FloorDiv(a, b) => {
                self.divide(*a, *b, self.scalar_index(*a).into(), self.scalar_index(*b).into()).0.into_int_value()
            }
            Node::Mod(a, b) => {
                self.divide(*a, *b, self.scalar_index(*a).into(), self.scalar_index(*b).into()).1.into_int_value()
            }
            Node::Min(a, b) => self
                .extreme(IntPredicate::SLT, self.scalar_index(*a).into(), self.scalar_index(*b).into())
                .into_int_value(),
            Node::Max(a, b) => self
                .extreme(IntPredicate::SGT, self.scalar_index(*a).into(), self.scalar_index(*b).into())
                .into_int_value(),
            Node::Pow(a, b) => self.power(self.scalar_index(*a).into(), self.scalar_index(*b).into()).into_int_value(),
            Node::Round(..) | Node::Overflow => unreachable!("a verified kernel's indices have integer values"),
        }
    }

    fn scalar_sum(&self, sum: &Sum) -> IntValue<'c> {
        let mut total = None;
        for term in &sum.terms {
            let mono = self.scalar_index(term.mono);
            let part = self.ir.mul_nsw(mono, term.coeff);
            total = Some(total.map_or(part, |t| self.ir.add_nsw(t, part)));
        }
        match total {
            None => self.ir.i64(sum.constant),
            Some(total) if sum.constant == 0 => total,
            Some(total) => self.ir.add_nsw(total, self.ir.i64(sum.constant)),
        }
    }

    /// The form of an index along the lanes of one copy.
    pub(super) fn form(&self, e: Expr, copy: u32) -> Form<'c> {
        if let Some(stride) = self.axis_stride(e) {
            let ahead = stride * i64::from(self.lanes) * i64::from(copy);
            let base = self.scalar_index(e);
            let base = if ahead == 0 { base } else { self.ir.add_nsw(base, self.ir.i64(ahead)) };
            return if stride == 0 { Form::Uniform(base) } else { Form::Linear { base, stride } };
        }
        match self.kernel.exprs.node(e) {
            Node::Int(_) | Node::Round(..) | Node::Overflow => Form::Uniform(self.scalar_index(e)),
            Node::Sym(sym) => match self.sym(*sym) {
                SymValue::Bound(many) => Form::Vector(self.wide(many, copy)),
                SymValue::Scalar(v) | SymValue::Lanes(v) => Form::Uniform(*v),
            },
            Node::Add(sum) => self.sum_form(sum, copy),
            Node::Mul(factors) => self.product_form(e, factors, copy),
            Node::FloorDiv(a, b) => self.quotient_form(*a, *b, copy),
            Node::Mod(a, b) => self.remainder_form(*a, *b, copy),
            Node::Min(a, b) => Form::Vector(self.extreme_lanes(IntPredicate::SLT, *a, *b, copy)),
            Node::Max(a, b) => Form::Vector(self.extreme_lanes(IntPredicate::SGT, *a, *b, copy)),
            Node::Pow(a, b) => {
                Form::Vector(self.power(self.lane_indices(self.form(*a, copy)), self.lane_indices(self.form(*b, copy))))
            }
        }
    }

    /// The coefficient of the vector axis, if the expression is linear in it and varies with nothing else.
    pub(super) fn axis_stride(&self, e: Expr) -> Option<i64> {
        let stride = |mono: Expr, coeff: i64| match self.kernel.exprs.as_sym(mono) {
            Some(sym) if matches!(self.sym(sym), SymValue::Lanes(_)) => Some(coeff),
            _ if self.varies(mono) => None,
            _ => Some(0),
        };
        match self.kernel.exprs.node(e) {
            Node::Add(sum) => sum.terms.iter().try_fold(0, |total, t| Some(total + stride(t.mono, t.coeff)?)),
            _ => stride(e, 1),
        }
    }

    fn sum_form(&self, sum: &Sum, copy: u32) -> Form<'c> {
        let (mut base, mut stride, mut vector) = (self.ir.i64(sum.constant), 0, None);
        for term in &sum.terms {
            match self.form(term.mono, copy) {
                Form::Uniform(v) => base = self.ir.add_nsw(base, self.ir.mul_nsw(v, term.coeff)),
                Form::Linear { base: from, stride: by } => {
                    base = self.ir.add_nsw(base, self.ir.mul_nsw(from, term.coeff));
                    stride += by * term.coeff;
                }
                Form::Vector(v) => {
                    let part = self.ir.mul(v, self.ir.int(Elem::I64, self.lanes, term.coeff));
                    vector = Some(vector.map_or(part, |v| self.ir.add(v, part)));
                }
            }
        }
        let rest = if stride == 0 { Form::Uniform(base) } else { Form::Linear { base, stride } };
        match vector {
            None => rest,
            Some(v) => Form::Vector(self.ir.add(v, self.lane_indices(rest))),
        }
    }

    /// A product with the vector axis once runs by the product of the other factors, which a loop need not compute
    /// anew.
    fn product_form(&self, e: Expr, factors: &[Expr], copy: u32) -> Form<'c> {
        let (lanes, others): (SmallVec<[Expr; 4]>, SmallVec<[Expr; 4]>) =
            factors.iter().copied().partition(|&f| self.axis_stride(f) == Some(1));
        if lanes.len() > 1 || others.iter().any(|&f| self.varies(f)) {
            return Form::Vector(self.product(factors.iter().map(|&f| self.lane_indices(self.form(f, copy)))));
        }
        let stride = self.product(others.iter().map(|&f| self.scalar_index(f).into())).into_int_value();
        let ahead = self.ir.mul_nsw(stride, i64::from(self.lanes) * i64::from(copy));
        let base = self.ir.add_nsw(self.scalar_index(e), ahead);
        let run = self.ir.mul(self.ir.splat(stride.into(), self.lanes), self.ir.ramp(self.lanes, 1));
        Form::Vector(self.ir.add(self.ir.splat(base.into(), self.lanes), run))
    }

    /// `a // b`: one quotient for all lanes where they lie between two multiples of `b`.
    fn quotient_form(&self, a: Expr, b: Expr, copy: u32) -> Form<'c> {
        match (self.form(a, copy), self.kernel.exprs.as_int(b)) {
            (Form::Uniform(at), Some(n)) => {
                Form::Uniform(self.divide(a, b, at.into(), self.ir.i64(n).into()).0.into_int_value())
            }
            (Form::Linear { base, stride }, Some(n)) if self.same_block(a, stride, n) => {
                Form::Uniform(self.divide(a, b, base.into(), self.ir.i64(n).into()).0.into_int_value())
            }
            (form, _) => Form::Vector(self.divide_lanes(a, b, form, copy, |(quotient, _)| quotient)),
        }
    }

    /// `a % b`: runs on along the lanes where they lie between two multiples of `b`.
    fn remainder_form(&self, a: Expr, b: Expr, copy: u32) -> Form<'c> {
        match (self.form(a, copy), self.kernel.exprs.as_int(b)) {
            (Form::Uniform(at), Some(n)) => {
                Form::Uniform(self.divide(a, b, at.into(), self.ir.i64(n).into()).1.into_int_value())
            }
            (Form::Linear { base, stride }, Some(n)) if self.same_block(a, stride, n) => {
                let base = self.divide(a, b, base.into(), self.ir.i64(n).into()).1.into_int_value();
                Form::Linear { base, stride }
            }
            (form, _) => Form::Vector(self.divide_lanes(a, b, form, copy, |(_, rest)| rest)),
        }
    }

    /// Quotients or remainders, as `pick` wants, lane by lane.
    fn divide_lanes(&self, a: Expr, b: Expr, form: Form<'c>, copy: u32, pick: fn(Pair<'c>) -> Val<'c>) -> Val<'c> {
        let (pool, lanes, by) = (&self.kernel.exprs, i64::from(self.lanes), self.form(b, copy));
        let each = || pick(self.divide(a, b, self.lane_indices(form), self.lane_indices(by)));
        let (Form::Linear { base, stride: 1 }, Form::Uniform(n)) = (form, by) else { return each() };
        match pool.range(b) {
            _ if pool.range(a).lo < 0 => each(),
            divisor if divisor.lo >= lanes => pick(self.divide_run(a, b, base, n)),
            divisor if divisor.lo < 1 || divisor.hi < lanes => each(),
            _ => {
                let is_long = self.ir.icmp(IntPredicate::SGE, n.into(), self.ir.i64(lanes).into());
                self.ir.either(is_long, |_| pick(self.divide_run(a, b, base, n)), |_| each())
            }
        }
    }

    /// The quotients and remainders of lanes that run by ones from `base`, by no less than the lane count: past one
    /// multiple of it at most.
    fn divide_run(&self, a: Expr, b: Expr, base: IntValue<'c>, n: IntValue<'c>) -> Pair<'c> {
        let (ir, wide) = (&self.ir, |v: Val<'c>| self.ir.splat(v, self.lanes));
        let (quotient, rest) = self.divide(a, b, base.into(), n.into());
        let (run, n) = (ir.add(wide(rest), ir.ramp(self.lanes, 1)), wide(n.into()));
        let is_past = ir.icmp(IntPredicate::SGE, run, n);
        let next = ir.add(quotient, ir.i64(1).into());
        (ir.select(is_past, wide(next), wide(quotient)), ir.select(is_past, ir.sub(run, n), run))
    }

    /// True if all lanes of `e`, which runs by `stride`, have one quotient by `n`: `e` in lane 0 is a multiple of
    /// `stride * lanes` plus less than `stride`, and `stride * lanes` divides `n`.
    fn same_block(&self, e: Expr, stride: i64, n: i64) -> bool {
        let block = stride * i64::from(self.lanes);
        if stride <= 0 || n <= 0 || n % block != 0 {
            return false;
        }
        let pool = &self.kernel.exprs;
        let aligned = |mono: Expr, coeff: i64| match pool.as_sym(mono) {
            Some(sym) if matches!(self.sym(sym), SymValue::Lanes(_)) => coeff * i64::from(self.lanes) % block == 0,
            _ => !self.varies(mono) && pool.divisible_by(mono, block / gcd(block, coeff)),
        };
        match pool.node(e) {
            Node::Add(sum) => {
                (0..stride).contains(&sum.constant.rem_euclid(block))
                    && sum.terms.iter().all(|t| aligned(t.mono, t.coeff))
            }
            _ => aligned(e, 1),
        }
    }

    fn product(&self, factors: impl Iterator<Item = Val<'c>>) -> Val<'c> {
        factors.reduce(|a, b| self.ir.mul(a, b)).expect("a product has factors")
    }

    pub(super) fn extreme(&self, p: IntPredicate, a: Val<'c>, b: Val<'c>) -> Val<'c> {
        self.ir.select(self.ir.icmp(p, a, b), a, b)
    }

    fn extreme_lanes(&self, p: IntPredicate, a: Expr, b: Expr, copy: u32) -> Val<'c> {
        self.extreme(p, self.lane_indices(self.form(a, copy)), self.lane_indices(self.form(b, copy)))
    }

    /// `base ** exponent` of scalars or vectors, by squaring: an exponent whose power fits has six bits, or its base is
    /// -1, 0 or 1, of which the power by a larger exponent is that by 62 or 63.
    fn power(&self, base: Val<'c>, exponent: Val<'c>) -> Val<'c> {
        let (ir, one, zero) = (&self.ir, self.ir.like(base, 1.0), self.ir.like(exponent, 0.0));
        let step = ir.like(exponent, 1.0);
        let is_large = ir.icmp(IntPredicate::SGT, exponent, ir.like(exponent, 63.0));
        let reduced = ir.add(ir.and(exponent, step), ir.like(exponent, 62.0));
        let (mut result, mut square, mut left) = (one, base, ir.select(is_large, reduced, exponent));
        for _ in 0..6 {
            let is_odd = ir.icmp(IntPredicate::NE, ir.and(left, step), zero);
            result = ir.select(is_odd, ir.mul(result, square), result);
            square = ir.mul(square, square);
            left = ir.lshr(left, step);
        }
        result
    }

    /// Quotient and remainder, rounded down, of scalars or vectors `x` and `y`, the values of `a` and `b`.
    fn divide(&self, a: Expr, b: Expr, x: Val<'c>, y: Val<'c>) -> (Val<'c>, Val<'c>) {
        let (pool, ir) = (&self.kernel.exprs, &self.ir);
        let (over, under) = (pool.range(a), pool.range(b));
        if over.lo < 0 || under.lo <= 0 {
            return self.divide_signed(x, y);
        }
        if crate::ir::lanes(x) > 1 && over.hi <= i64::from(i32::MAX) && under.hi <= i64::from(i32::MAX) {
            let [x, y] = [x, y].map(|v| ir.cast(InstructionOpcode::Trunc, v, Elem::I32));
            let quotient = ir.udiv(x, y);
            let rest = ir.sub(x, ir.mul(quotient, y));
            return (
                ir.cast(InstructionOpcode::ZExt, quotient, Elem::I64),
                ir.cast(InstructionOpcode::ZExt, rest, Elem::I64),
            );
        }
        (ir.udiv(x, y), ir.urem(x, y))
    }

    fn divide_signed(&self, x: Val<'c>, y: Val<'c>) -> (Val<'c>, Val<'c>) {
        let ir = &self.ir;
        let zero = ir.like(y, 0.0);
        let y = ir.select(ir.icmp(IntPredicate::EQ, y, zero), ir.like(y, 1.0), y);
        let (quotient, rest) = (ir.sdiv(x, y), ir.srem(x, y));
        let below = ir.icmp(IntPredicate::SLT, ir.xor(rest, y), zero);
        let floors = ir.and(below, ir.icmp(IntPredicate::NE, rest, zero));
        let quotient_down = ir.sub(quotient, ir.like(y, 1.0));
        (ir.select(floors, quotient_down, quotient), ir.select(floors, ir.add(rest, y), rest))
    }
}

fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a.abs() } else { gcd(b, a % b) }
}
