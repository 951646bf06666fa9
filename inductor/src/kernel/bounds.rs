//! Value range analysis: the bounds of values, as far as the kernel itself tells, so that places computed from
//! positions need no check.
//!
//! Invariant: a float with bounds is neither infinite nor `NaN`, and an integer with finite ones has not overflowed.

use crate::heuristics;
use fx::prim::Pointwise;
use symshapes::DType;

use super::scope::Scopes;
use crate::loop_ir::{Op, Scalar, Value};

/// Integers up to this are exact as `f64`.
const EXACT: f64 = (1_i64 << 52) as f64;

/// More than what rounding changes in one step, on any device.
const SLACK: f64 = 1e-5;

/// A value's least and greatest number.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Bounds {
    pub(super) lo: f64,
    pub(super) hi: f64,
}

impl Bounds {
    const ANY: Bounds = Bounds { lo: f64::NEG_INFINITY, hi: f64::INFINITY };

    fn point(v: f64) -> Bounds {
        Bounds { lo: v, hi: v }
    }

    fn of(ends: &[f64]) -> Bounds {
        let least = |a: f64, b: f64| a.min(b);
        Bounds {
            lo: ends.iter().copied().fold(f64::INFINITY, least),
            hi: ends.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        }
    }

    fn each(self, f: impl Fn(f64) -> f64) -> Bounds {
        Bounds { lo: f(self.lo), hi: f(self.hi) }
    }

    fn is_within(self, most: f64) -> bool {
        self.lo >= -most && self.hi <= most
    }

    /// The bounds that are left once the result is of this type.
    fn rounded(self, dtype: DType) -> Option<Bounds> {
        let slack = |v: f64| v.abs() * SLACK + f64::from(f32::MIN_POSITIVE);
        match dtype {
            DType::F32 | DType::F64 => {
                let Bounds { lo, hi } = self;
                self.is_within(EXACT).then(|| Bounds { lo: lo - slack(lo), hi: hi + slack(hi) })
            }
            DType::I64 => Some(if self.is_within(EXACT) { self } else { Bounds::ANY }),
            DType::I32 => Some(if self.is_within(f64::from(i32::MAX)) { self } else { Bounds::ANY }),
            _ => None,
        }
    }
}

impl Scopes<'_> {
    /// A value's bounds, if it has any.
    pub(super) fn bounds(&self, v: Value) -> Option<Bounds> {
        self.bounds_within(v, &mut heuristics::bounds_most_values())
    }

    fn bounds_within(&self, v: Value, left: &mut u32) -> Option<Bounds> {
        *left = left.checked_sub(1)?;
        let data = &self.values[v];
        let unknown = || matches!(data.dtype, DType::I64 | DType::I32).then_some(Bounds::ANY);
        let found = match &data.op {
            Op::Const(Scalar::Int(n)) => Bounds::point(*n as f64).rounded(data.dtype),
            Op::Const(Scalar::Float(x)) => Bounds::point(*x).rounded(data.dtype),
            Op::Index(e) => {
                let range = self.exprs.range(*e);
                Bounds { lo: range.lo as f64, hi: range.hi as f64 }.rounded(data.dtype)
            }
            Op::Convert(of) => {
                let from = self.bounds_within(*of, left)?;
                let kept = if data.dtype.is_float() { from } else { from.each(f64::trunc) };
                let is_sure = from.is_within(EXACT) || self.values[*of].dtype == data.dtype;
                if is_sure { kept.rounded(data.dtype) } else { None }
            }
            Op::Map(op, args) => {
                let args: Option<Vec<Bounds>> = args.iter().map(|&a| self.bounds_within(a, left)).collect();
                args.and_then(|args| mapped(*op, &args)).and_then(|bounds| bounds.rounded(data.dtype))
            }
            _ => None,
        };
        found.or_else(unknown)
    }
}

/// The bounds of a primitive's exact result.
fn mapped(op: Pointwise, args: &[Bounds]) -> Option<Bounds> {
    Some(match (op, args) {
        (Pointwise::Maximum, [a, b]) => Bounds { lo: a.lo.max(b.lo), hi: a.hi.max(b.hi) },
        (Pointwise::Minimum, [a, b]) => Bounds { lo: a.lo.min(b.lo), hi: a.hi.min(b.hi) },
        _ if !args.iter().all(|a| a.is_within(EXACT)) => return None,
        (Pointwise::Neg, [a]) => Bounds { lo: -a.hi, hi: -a.lo },
        (Pointwise::Floor, [a]) => a.each(f64::floor),
        (Pointwise::Ceil, [a]) => a.each(f64::ceil),
        (Pointwise::Trunc, [a]) => a.each(f64::trunc),
        (Pointwise::Add, [a, b]) => Bounds { lo: a.lo + b.lo, hi: a.hi + b.hi },
        (Pointwise::Sub, [a, b]) => Bounds { lo: a.lo - b.hi, hi: a.hi - b.lo },
        (Pointwise::Mul, [a, b]) => Bounds::of(&[a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi]),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_hold_what_is_computed() {
        let (a, b) = (Bounds { lo: -2.0, hi: 3.0 }, Bounds { lo: -5.0, hi: 1.0 });
        assert_eq!(mapped(Pointwise::Mul, &[a, b]), Some(Bounds { lo: -15.0, hi: 10.0 }));
        assert_eq!(mapped(Pointwise::Sub, &[a, b]), Some(Bounds { lo: -3.0, hi: 8.0 }));
        assert_eq!(mapped(Pointwise::Maximum, &[a, Bounds::ANY]), Some(Bounds { lo: -2.0, hi: f64::INFINITY }));
        assert_eq!(mapped(Pointwise::Add, &[a, Bounds::ANY]), None);
        assert_eq!(mapped(Pointwise::Exp, &[a]), None);
    }

    #[test]
    fn what_may_overflow_is_not_bounded() {
        let wide = Bounds { lo: 0.0, hi: f64::from(i32::MAX) + 1.0 };
        assert_eq!(wide.rounded(DType::I32), Some(Bounds::ANY));
        assert_eq!(wide.rounded(DType::I64), Some(wide));
        assert_eq!(Bounds::point(f64::INFINITY).rounded(DType::F32), None);
        assert_eq!(wide.rounded(DType::F16), None);
        let one = Bounds::point(1.0).rounded(DType::F32).expect("it is finite");
        assert!(one.lo < 1.0 && one.hi > 1.0);
    }
}
