//! The rules of `operators.txt`, by which the compiler lowers an overload.
//!
//! An overload without a rule is called: as a library's function ([`Extern::Function`]) if its schema says that it is
//! one, else as eager would call it (a fallback).

use crate::prim::{Pointwise, Reduction};

include!(concat!(env!("OUT_DIR"), "/composites.rs"));

/// The rules by which the compiler lowers an overload.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rule {
    /// One primitive on the leading operands, after type promotion and broadcasting.
    Map(Pointwise),
    /// One reduction over the parameter `dim` (all dimensions where the overload has none), keeping them if `keepdim`.
    Reduce(Reduction),
    /// A composition of primitives, written out in the compiler.
    Compose(Composite),
    /// A library does it best.
    Extern(Extern),
}

/// Operators whose kernel is a library's.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Extern {
    /// A matrix product that can write into planned memory (it has an `out=` form and keeps no reference).
    MatMul,
    /// Convolution.
    Convolution,
    /// The backward of convolution.
    ConvolutionBackward,
    /// Scaled dot product attention and its backward.
    Attention,
    /// Pooling.
    Pooling,
    /// The backward of pooling.
    PoolingBackward,
    /// Images in another size.
    Resampling,
    /// The backward of images in another size.
    ResamplingBackward,
    /// Random numbers: drawn by eager's own generator, in program order.
    Random,
    /// Sorting and selection.
    Sort,
    /// Writing at places that a tensor says, and the backward of looking up.
    Scatter,
    /// Linear algebra.
    Linear,
    /// Fourier transforms.
    Fourier,
    /// Functions on elements that take a series or a recurrence.
    Special,
    /// Running combinations along a dimension.
    Scan,
    /// Padding with what is inside.
    Padding,
    /// Losses that look up or check what they are given.
    Loss,
    /// A layer as torch's functional interface has it: its own operators are found by the library.
    Layer,
    /// Statistics of a batch, where they are not the batch's own.
    Statistics,
    /// Any other function of its arguments; no rule says so, but the operator's schema
    /// ([`Overload::is_function`](super::Overload::is_function)).
    Function,
}
