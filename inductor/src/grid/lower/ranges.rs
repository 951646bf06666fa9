//! Ranges of integers, and how wide a register they need.

use crate::grid::NARROW_LIMIT;
use symshapes::{DType, Range};

/// Values of an `i32`.
pub(super) const SHORT: Range = Range::new(i32::MIN as i64, i32::MAX as i64);

/// Values of a narrowed buffer, and of index expressions.
pub(super) const NARROWED: Range = Range::new(-NARROW_LIMIT, NARROW_LIMIT);

/// True if all values fit an `i32`.
pub(super) fn is_short(range: Range) -> bool {
    range.intersect(SHORT) == range
}

/// The values of a dtype, if it is of integers of 32 bits at most.
pub(super) fn range_of_dtype(dtype: DType) -> Option<Range> {
    Some(match dtype {
        DType::Bool => Range::new(0, 1),
        DType::U8 => Range::new(0, 255),
        DType::I8 => Range::new(-128, 127),
        DType::I16 => Range::new(-32_768, 32_767),
        DType::I32 => SHORT,
        _ => return None,
    })
}
