//! Builds tensor IR: one method for each thing a decomposition says, with broadcasting.
//!
//! Invariant: operands of the arithmetic methods have one dtype; broadcasting inserts the views.

use fx::NodeId;
use fx::prim::{Pointwise, Reduction};
use smallvec::SmallVec;
use symshapes::{DType, Expr};

use super::Promise;
use crate::loop_ir::Scalar;
use crate::tensor_ir::{Dims, Op, Tensor, TensorData, TensorGraph, View, is_dense, is_injective, numel, same_strides};

/// The graph under construction and the node that it is being built for.
pub(crate) struct Builder {
    /// The tensor graph built so far.
    pub(crate) graph: TensorGraph,
    /// The node to which new tensors are attributed.
    pub(crate) origin: NodeId,
    /// Whether memory of which the program says nothing is the caller's to make.
    pub(crate) fills: bool,
    /// Whether reductions of much to little are done in parts.
    pub(crate) splits: bool,
}

impl Builder {
    /// Sizes of a tensor.
    pub(crate) fn sizes(&self, t: Tensor) -> &[Expr] {
        &self.graph.tensors[t].sizes
    }

    /// Number of dimensions.
    pub(crate) fn rank(&self, t: Tensor) -> usize {
        self.sizes(t).len()
    }

    /// Element type.
    pub(crate) fn dtype(&self, t: Tensor) -> DType {
        self.graph.tensors[t].dtype
    }

    /// A size as an expression.
    pub(crate) fn int(&mut self, n: i64) -> Expr {
        self.graph.pool.int(n)
    }

    /// The number of elements along dimensions; a scalar counts as having one.
    pub(crate) fn count(&mut self, x: Tensor, dims: &[usize]) -> Expr {
        let sizes: Dims = dims.iter().filter_map(|&d| self.sizes(x).get(d).copied()).collect();
        numel(&mut self.graph.pool, &sizes)
    }

    /// The number of elements.
    pub(crate) fn numel(&mut self, x: Tensor) -> Expr {
        let sizes = Dims::from_slice(self.sizes(x));
        numel(&mut self.graph.pool, &sizes)
    }

    /// True unless every dimension is known to have an element.
    pub(crate) fn may_be_empty(&self, x: Tensor) -> bool {
        self.sizes(x).iter().any(|&n| self.graph.pool.range(n).lo < 1)
    }

    /// True if a tensor with the promised strides can be a buffer of the plan's: it is dense, or it is proved that no
    /// two of its elements share a place.
    pub(super) fn can_store(&mut self, promise: &Promise) -> bool {
        let Promise { sizes, strides, .. } = promise;
        is_dense(&mut self.graph.pool, sizes, strides) || is_injective(&mut self.graph.pool, sizes, strides)
    }

    /// True if a tensor that is stored has the promised strides, or none yet.
    pub(super) fn lies_as(&mut self, t: Tensor, promise: &Promise) -> bool {
        let data = &self.graph.tensors[t];
        if data.sizes != promise.sizes {
            return true;
        }
        match (&data.op, &data.strides) {
            // It lies as what it is a view of, unless that does not give the dense strides of an output.
            (Op::View(..), _) => is_dense(&mut self.graph.pool, &promise.sizes, &promise.strides),
            (_, Some(strides)) => same_strides(&promise.sizes, strides, &promise.strides),
            (_, None) => true,
        }
    }

    /// Adds a tensor.
    pub(crate) fn push(&mut self, op: Op, dtype: DType, sizes: &[Expr]) -> Tensor {
        let sizes = Dims::from_slice(sizes);
        self.graph.tensors.push(TensorData { op, dtype, sizes, strides: None, origin: self.origin })
    }

    /// One value everywhere.
    pub(crate) fn full(&mut self, value: f64, dtype: DType, sizes: &[Expr]) -> Tensor {
        self.push(Op::Full(element(value, dtype)), dtype, sizes)
    }

    /// A 0-dimensional constant of a tensor's dtype: broadcasts against it.
    pub(crate) fn lit(&mut self, value: f64, like: Tensor) -> Tensor {
        self.full(value, self.dtype(like), &[])
    }

    /// A size as a 0-dimensional tensor of a dtype.
    pub(crate) fn size(&mut self, e: Expr, dtype: DType) -> Tensor {
        match self.graph.pool.as_int(e) {
            Some(value) => self.full(value as f64, dtype, &[]),
            None => {
                let size = self.push(Op::Size(e), DType::I64, &[]);
                self.convert(size, dtype)
            }
        }
    }

    /// `i` for `i` in `0..len`, along dimension `dim` of a tensor of the given rank (other sizes 1).
    pub(crate) fn iota(&mut self, len: Expr, dim: usize, rank: usize) -> Tensor {
        let iota = self.push(Op::Iota { start: Expr::ZERO, step: 1 }, DType::I64, &[len]);
        let mut sizes: Dims = (0..rank).map(|_| Expr::ONE).collect();
        sizes[dim] = len;
        self.reshape(iota, &sizes)
    }

    /// A primitive on broadcast operands.
    pub(crate) fn map(&mut self, op: Pointwise, args: &[Tensor]) -> Tensor {
        debug_assert_eq!(op.arity(), args.len());
        let sizes = self.broadcast_sizes(args);
        let args: SmallVec<[Tensor; 3]> = args.iter().map(|&a| self.expand(a, &sizes)).collect();
        let operand = self.dtype(*args.last().expect("a primitive has an operand"));
        self.push(Op::Map(op, args), op.result_dtype(operand), &sizes)
    }

    /// The common sizes of tensors under broadcasting (they agree: the graph has been traced with them).
    pub(crate) fn broadcast_sizes(&self, args: &[Tensor]) -> Dims {
        let rank = args.iter().map(|&a| self.rank(a)).max().unwrap_or(0);
        let mut sizes: Dims = (0..rank).map(|_| Expr::ONE).collect();
        for &a in args {
            let from = rank - self.rank(a);
            for (k, &n) in self.sizes(a).iter().enumerate() {
                if n != Expr::ONE {
                    sizes[from + k] = n;
                }
            }
        }
        sizes
    }

    /// Conversion; nothing if the dtype is the same.
    pub(crate) fn convert(&mut self, x: Tensor, dtype: DType) -> Tensor {
        if self.dtype(x) == dtype {
            return x;
        }
        let sizes = self.graph.tensors[x].sizes.clone();
        if let Op::Full(value) = self.graph.tensors[x].op {
            return self.push(Op::Full(fx::scalar::convert(value, self.dtype(x), dtype)), dtype, &sizes);
        }
        self.push(Op::Convert(x), dtype, &sizes)
    }

    /// The elements as a tensor of this type would hold them, in the type that they are computed in: where eager stores
    /// what it goes on to compute with.
    pub(crate) fn rounded(&mut self, x: Tensor, dtype: DType) -> Tensor {
        let stored = self.convert(x, dtype);
        let computed = self.dtype(x);
        self.convert(stored, computed)
    }

    fn view(&mut self, x: Tensor, view: View, sizes: &[Expr]) -> Tensor {
        let dtype = self.dtype(x);
        if let op @ (Op::Full(_) | Op::Size(_)) = &self.graph.tensors[x].op {
            return self.push(op.clone(), dtype, sizes);
        }
        self.push(Op::View(x, view), dtype, sizes)
    }

    /// Reshapes a tensor: its elements in the same order, under other sizes.
    pub(crate) fn reshape(&mut self, x: Tensor, sizes: &[Expr]) -> Tensor {
        if self.sizes(x) == sizes {
            return x;
        }
        self.view(x, View::Reshape, sizes)
    }

    /// Dimension `k` becomes the source's `perm[k]`.
    pub(crate) fn permute(&mut self, x: Tensor, perm: &[usize]) -> Tensor {
        if perm.iter().enumerate().all(|(k, &p)| k == p) {
            return x;
        }
        let sizes: Dims = perm.iter().map(|&p| self.sizes(x)[p]).collect();
        self.view(x, View::Permute(perm.into()), &sizes)
    }

    /// Broadcast to sizes.
    pub(crate) fn expand(&mut self, x: Tensor, sizes: &[Expr]) -> Tensor {
        if self.sizes(x) == sizes {
            return x;
        }
        self.view(x, View::Expand, sizes)
    }

    /// Along dimension `dim`, `len` elements from `start`, `step` apart.
    pub(crate) fn slice(&mut self, x: Tensor, dim: usize, start: Expr, step: i64, len: Expr) -> Tensor {
        let mut sizes = self.graph.tensors[x].sizes.clone();
        if start == Expr::ZERO && step == 1 && sizes[dim] == len {
            return x;
        }
        let mut starts: Dims = sizes.iter().map(|_| Expr::ZERO).collect();
        let mut steps: SmallVec<[i64; 5]> = sizes.iter().map(|_| 1).collect();
        (starts[dim], steps[dim], sizes[dim]) = (start, step, len);
        self.view(x, View::Slice { start: starts, step: steps }, &sizes)
    }

    /// Elements reversed along dimensions.
    pub(crate) fn flip(&mut self, x: Tensor, dims: &[usize]) -> Tensor {
        let sizes = self.graph.tensors[x].sizes.clone();
        let reversed = |k: &usize| dims.contains(k);
        let mut last = |k: usize| self.graph.pool.add_int(sizes[k], -1);
        let start = (0..sizes.len()).map(|k| if reversed(&k) { last(k) } else { Expr::ZERO }).collect();
        let step = (0..sizes.len()).map(|k| if reversed(&k) { -1 } else { 1 }).collect();
        self.view(x, View::Slice { start, step }, &sizes)
    }

    /// The elements at one position of two dimensions, as the last one: `len` of them from these positions on.
    pub(crate) fn diagonal(&mut self, x: Tensor, dims: [usize; 2], starts: [i64; 2], len: Expr) -> Tensor {
        let mut square = x;
        for (dim, start) in dims.into_iter().zip(starts) {
            let start = self.int(start);
            square = self.slice(square, dim, start, 1, len);
        }
        let rest = (0..self.rank(x)).filter(|d| !dims.contains(d)).map(|d| self.sizes(x)[d]);
        let sizes: Dims = rest.chain([len]).collect();
        self.view(square, View::Diagonal(dims), &sizes)
    }

    /// Stretches along dimension `dim`, `step` apart, as many and as long as the result's sizes say.
    pub(crate) fn windows(&mut self, x: Tensor, dim: usize, step: i64, sizes: &[Expr]) -> Tensor {
        self.view(x, View::Windows { dim, step }, sizes)
    }

    /// A dimension of size 1 in front of dimension `dim`.
    pub(crate) fn unsqueeze(&mut self, x: Tensor, dim: usize) -> Tensor {
        let mut sizes = self.graph.tensors[x].sizes.clone();
        sizes.insert(dim, Expr::ONE);
        self.reshape(x, &sizes)
    }

    /// A vector seen along dimension `dim` of a tensor of the given rank.
    pub(crate) fn along(&mut self, x: Tensor, dim: usize, rank: usize) -> Tensor {
        let mut sizes: Dims = (0..rank).map(|_| Expr::ONE).collect();
        sizes[dim] = self.numel(x);
        self.reshape(x, &sizes)
    }

    /// A reduction over dimensions, which stay with size 1 if `keep`.
    pub(crate) fn reduce(&mut self, kind: Reduction, x: Tensor, dims: &[usize], keep: bool) -> Tensor {
        let mut dims: SmallVec<[usize; 5]> = dims.into();
        // A scalar counts as having one dimension.
        dims.retain(|d| *d < self.rank(x));
        dims.sort_unstable();
        dims.dedup();
        let sizes = self.graph.tensors[x].sizes.clone();
        let left: Dims = (0..sizes.len()).filter(|k| !dims.contains(k)).map(|k| sizes[k]).collect();
        let dtype = kind.result_dtype(self.dtype(x));
        let count = self.count(x, &dims);
        let is_arg = matches!(kind, Reduction::ArgMax | Reduction::ArgMin);
        let out = match count {
            // Extrema of nothing have been refused before.
            Expr::ZERO => self.push(Op::Full(kind.identity(dtype)), dtype, &left),
            Expr::ONE if is_arg => self.full(0.0, dtype, &left),
            Expr::ONE => self.reshape(x, &left),
            _ => match self.reduce_in_parts(kind, x, &dims) {
                Some(whole) => whole,
                None => self.push(Op::Reduce(kind, x, dims.clone()), dtype, &left),
            },
        };
        if !keep {
            return out;
        }
        let kept: Dims = (0..sizes.len()).map(|k| if dims.contains(&k) { Expr::ONE } else { sizes[k] }).collect();
        self.reshape(out, &kept)
    }

    /// A value in front of and behind the source along dimension `dim`, to `len` elements with `low` in front.
    pub(crate) fn pad(&mut self, x: Tensor, dim: usize, low: Expr, len: Expr, value: f64) -> Tensor {
        self.pad_with(x, dim, low, len, element(value, self.dtype(x)))
    }

    /// Counterpart of [`Builder::pad`] that takes any scalar as the value.
    pub(crate) fn pad_with(&mut self, x: Tensor, dim: usize, low: Expr, len: Expr, value: Scalar) -> Tensor {
        let mut sizes = self.graph.tensors[x].sizes.clone();
        let mut lows: Dims = sizes.iter().map(|_| Expr::ZERO).collect();
        (lows[dim], sizes[dim]) = (low, len);
        self.push(Op::Pad { source: x, low: lows, value }, self.dtype(x), &sizes)
    }
}

/// A number as an element.
fn element(value: f64, dtype: DType) -> Scalar {
    if dtype.is_float() { Scalar::Float(value) } else { Scalar::Int(value as i64).round_to(dtype) }
}

/// Shorthands: one for each primitive that decompositions use much.
macro_rules! shorthands {
    ($($name:ident($($arg:ident),+) => $op:ident;)*) => {
        impl Builder {
            $(
                #[doc = concat!("[`Pointwise::", stringify!($op), "`]")]
                pub(crate) fn $name(&mut self, $($arg: Tensor),+) -> Tensor {
                    self.map(Pointwise::$op, &[$($arg),+])
                }
            )*
        }
    };
}

shorthands! {
    add(a, b) => Add;
    sub(a, b) => Sub;
    mul(a, b) => Mul;
    div(a, b) => Div;
    fma(a, b, c) => Fma;
    maximum(a, b) => Maximum;
    minimum(a, b) => Minimum;
    neg(a) => Neg;
    exp(a) => Exp;
    log(a) => Log;
    tanh(a) => Tanh;
    erf(a) => Erf;
    sigmoid(a) => Sigmoid;
    rsqrt(a) => Rsqrt;
    sqrt(a) => Sqrt;
    eq(a, b) => Eq;
    lt(a, b) => Lt;
    le(a, b) => Le;
    gt(a, b) => Gt;
    ge(a, b) => Ge;
    and(a, b) => And;
    select(cond, a, b) => Where;
}

impl Builder {
    /// `x * value`
    pub(crate) fn mul_lit(&mut self, x: Tensor, value: f64) -> Tensor {
        let v = self.lit(value, x);
        self.mul(x, v)
    }

    /// `x / value`
    pub(crate) fn div_lit(&mut self, x: Tensor, value: f64) -> Tensor {
        let v = self.lit(value, x);
        self.div(x, v)
    }

    /// `x / n`
    pub(crate) fn div_size(&mut self, x: Tensor, n: Expr) -> Tensor {
        let n = self.size(n, self.dtype(x));
        self.div(x, n)
    }

    /// `x + value`
    pub(crate) fn add_lit(&mut self, x: Tensor, value: f64) -> Tensor {
        let v = self.lit(value, x);
        self.add(x, v)
    }

    /// A `float32` as `float64`: for arithmetic once a row, where the rounding of each step would reach every element.
    pub(crate) fn widen(&mut self, x: Tensor) -> Tensor {
        let dtype = self.dtype(x);
        self.convert(x, if dtype == DType::F32 { DType::F64 } else { dtype })
    }

    /// Sum over dimensions, kept.
    pub(crate) fn sum_keep(&mut self, x: Tensor, dims: &[usize]) -> Tensor {
        self.reduce(Reduction::Sum, x, dims, true)
    }

    /// Mean over dimensions, kept; on floats.
    pub(crate) fn mean_keep(&mut self, x: Tensor, dims: &[usize]) -> Tensor {
        let count = self.count(x, dims);
        let sum = self.sum_keep(x, dims);
        let sum = self.widen(sum);
        let mean = self.div_size(sum, count);
        self.convert(mean, self.dtype(x))
    }
}
