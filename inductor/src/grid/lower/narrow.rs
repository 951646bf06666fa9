//! Sums of 64-bit integers on a device that has none: as long as the values and their number show that they fit.

use super::Lower;
use super::integer::range_of;
use super::ranges::{NARROWED, is_short, range_of_dtype};
use super::reduce::has_position;
use crate::grid::NARROW_LIMIT;
use crate::loop_ir::{Acc, Loop, Op, Stmt, Value};
use fx::prim::{Pointwise, Reduction};
use symshapes::{DType, Range};

impl Lower<'_> {
    /// The range of a sum and of all its partial sums, if it is known.
    pub(super) fn range_of_sum(&self, acc: Acc) -> Option<Range> {
        let mut owner = None;
        self.kernel.walk(&mut |stmt| {
            if let Stmt::Loop(l) = stmt
                && l.accs.contains(&acc)
            {
                owner = Some(l);
            }
        });
        let is_sum = self.kernel.accs[acc].kind == Reduction::Sum;
        let range = owner.filter(|_| is_sum).and_then(|l| self.range_added(l, acc))?;
        Some(range.union(Range::point(0)))
    }

    /// The range of all that a loop adds.
    fn range_added(&self, l: &Loop, acc: Acc) -> Option<Range> {
        let none = Range::point(0);
        let each = l.body.iter().try_fold(none, |total, stmt| match stmt {
            Stmt::Accumulate { acc: this, value, .. } if *this == acc => Some(total + self.known_range(*value)?),
            Stmt::Loop(inner) => Some(total + self.range_added(inner, acc)?),
            _ => Some(total),
        })?;
        if each == none { Some(none) } else { Some(each * Range::point(self.pool.as_int(self.extent(l))?)) }
    }

    /// The range of an integer, wherever it is computed.
    fn known_range(&self, value: Value) -> Option<Range> {
        let data = &self.kernel.values[value];
        match &data.op {
            Op::Const(scalar) => Some(Range::point(scalar.round_to(data.dtype).as_i64())),
            Op::Index(e) => Some(Some(self.pool.range(*e)).filter(|&range| is_short(range)).unwrap_or(NARROWED)),
            Op::Bind(_, bound) => self.known_range(*bound),
            Op::Convert(from) => match self.kernel.values[*from].dtype {
                DType::I64 => self.known_range(*from),
                from => range_of_dtype(from),
            },
            Op::Map(Pointwise::Where, args) => Some(self.known_range(args[1])?.union(self.known_range(args[2])?)),
            Op::Map(op, args) => {
                let ranges = args.iter().map(|&arg| self.known_range(arg)).collect::<Option<Vec<Range>>>()?;
                range_of(*op, &ranges)
            }
            Op::Reduced(acc) if has_position(self.kernel.accs[*acc].kind) => Some(Range::new(0, NARROW_LIMIT)),
            Op::Reduced(acc) => self.range_of_sum(*acc),
            Op::Load { .. } if data.dtype == DType::I64 => Some(NARROWED),
            Op::Load { .. } | Op::Bitcast(_) => range_of_dtype(data.dtype),
        }
    }
}
