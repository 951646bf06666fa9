//! Shapes, strides and dtypes of ATen calls.

pub mod pointwise;
pub mod promote;
