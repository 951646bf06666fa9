//! A tensor of the interpreter: an n-dimensional array of [`Scalar`]s, each already rounded to the dtype.
//!
//! Invariant: the array is in standard (row-major) layout. Strides are no business of the oracle.

use fx::scalar::Scalar;
use ndarray::{ArrayD, IxDyn};
use symshapes::DType;

/// A tensor.
#[derive(Clone, PartialEq, Debug)]
pub struct Tensor {
    dtype: DType,
    data: ArrayD<Scalar>,
}

impl Tensor {
    /// The array with its elements rounded to `dtype`.
    pub fn new(dtype: DType, data: &ArrayD<Scalar>) -> Tensor {
        let values = data.iter().map(|v| v.round_to(dtype)).collect();
        let data = ArrayD::from_shape_vec(data.raw_dim(), values).expect("as many elements as before");
        Tensor { dtype, data }
    }

    /// A tensor of `sizes` from its elements in row-major order; `None` if their number is another.
    pub fn from_values<S: Into<Scalar>>(
        dtype: DType,
        sizes: &[usize],
        values: impl IntoIterator<Item = S>,
    ) -> Option<Tensor> {
        let values = values.into_iter().map(|v| v.into().round_to(dtype)).collect();
        Some(Tensor { dtype, data: ArrayD::from_shape_vec(IxDyn(sizes), values).ok()? })
    }

    /// A tensor whose element at `index` is `f(index)`.
    pub fn from_fn(dtype: DType, sizes: &[usize], mut f: impl FnMut(&[usize]) -> Scalar) -> Tensor {
        let data = ArrayD::from_shape_fn(IxDyn(sizes), |i| f(ndarray::Dimension::slice(&i)).round_to(dtype));
        Tensor { dtype, data }
    }

    /// A tensor of equal elements.
    pub fn full(dtype: DType, sizes: &[usize], value: Scalar) -> Tensor {
        Tensor { dtype, data: ArrayD::from_elem(IxDyn(sizes), value.round_to(dtype)) }
    }

    /// The element type.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// The elements.
    pub fn data(&self) -> &ArrayD<Scalar> {
        &self.data
    }

    /// The sizes.
    pub fn sizes(&self) -> &[usize] {
        self.data.shape()
    }

    /// The number of dimensions.
    pub fn rank(&self) -> usize {
        self.data.ndim()
    }

    /// The number of elements.
    pub fn numel(&self) -> usize {
        self.data.len()
    }

    /// The element at `index`.
    pub fn at(&self, index: &[usize]) -> Scalar {
        self.data[IxDyn(index)]
    }

    /// The element at `index` as a float.
    pub fn float_at(&self, index: &[usize]) -> f64 {
        self.at(index).as_f64()
    }

    /// Puts `value` at `index`.
    pub fn set(&mut self, index: &[usize], value: Scalar) {
        self.data[IxDyn(index)] = value.round_to(self.dtype);
    }

    /// Adds `value` at `index`, rounding the sum.
    pub fn accumulate(&mut self, index: &[usize], value: Scalar) {
        let sum = match (self.at(index), value) {
            (Scalar::Int(a), Scalar::Int(b)) => Scalar::Int(a.wrapping_add(b)),
            (a, b) => Scalar::Float(a.as_f64() + b.as_f64()),
        };
        self.set(index, sum);
    }

    /// The elements in row-major order.
    pub fn values(&self) -> impl Iterator<Item = Scalar> + '_ {
        self.data.iter().copied()
    }

    /// The elements as floats in row-major order.
    pub fn floats(&self) -> Vec<f64> {
        self.values().map(Scalar::as_f64).collect()
    }

    /// The values converted to another dtype.
    pub fn to(&self, dtype: DType) -> Tensor {
        Tensor::new(dtype, &self.data)
    }

    /// The tensor repeated along dimensions of size 1 (and new leading ones) to `sizes`; `None` if they do not fit.
    pub fn broadcast(&self, sizes: &[usize]) -> Option<Tensor> {
        let data = self.data.broadcast(IxDyn(sizes))?.as_standard_layout().into_owned();
        Some(Tensor { dtype: self.dtype, data })
    }

    /// The elements reshaped to other sizes; `None` if their number differs.
    pub fn reshape(&self, sizes: &[usize]) -> Option<Tensor> {
        let data = self.data.clone().into_shape_with_order(IxDyn(sizes)).ok()?;
        Some(Tensor { dtype: self.dtype, data })
    }

    /// The dimensions in the order `dims`, which names each once.
    pub fn permute(&self, dims: &[usize]) -> Tensor {
        let data = self.data.view().permuted_axes(IxDyn(dims)).as_standard_layout().into_owned();
        Tensor { dtype: self.dtype, data }
    }

    /// The tensor whose element at `index` is this one's at `from(index)`.
    pub fn gather(&self, sizes: &[usize], mut from: impl FnMut(&[usize]) -> Vec<usize>) -> Tensor {
        Tensor::from_fn(self.dtype, sizes, |i| self.at(&from(i)))
    }
}

/// The sizes to which all of `shapes` broadcast; `None` if they do not.
pub fn broadcast_sizes<'a>(shapes: impl IntoIterator<Item = &'a [usize]>) -> Option<Vec<usize>> {
    let mut result: Vec<usize> = Vec::new();
    for shape in shapes {
        if shape.len() > result.len() {
            result.splice(0..0, std::iter::repeat_n(1, shape.len() - result.len()));
        }
        let skip = result.len() - shape.len();
        for (r, &s) in result[skip..].iter_mut().zip(shape) {
            match (*r, s) {
                (a, b) if a == b => {}
                (1, b) => *r = b,
                (_, 1) => {}
                _ => return None,
            }
        }
    }
    Some(result)
}

/// Every index of a tensor of `sizes`, in row-major order.
pub(super) fn indices(sizes: &[usize]) -> impl Iterator<Item = Vec<usize>> {
    ndarray::indices(IxDyn(sizes)).into_iter().map(|i| ndarray::Dimension::slice(&i).to_vec())
}
