//! Tensor IR: a functional graph of primitives on whole tensors, which decomposition gives and the scheduler takes.
//!
//! Invariants: nodes stand in dependency order; sizes are expressions of the graph's pool; the operands of a `Map` have
//! the node's sizes (a broadcast is an explicit view) and dtypes as [`fx::prim`] demands; views hold no arithmetic.
//! This module knows neither loops nor memory.

mod text;
pub mod verify;

use std::ops::{Deref, DerefMut};

use crate::heuristics;
use cranelift_entity::{PrimaryMap, entity_impl};
use fx::NodeId;
use fx::aten::{Aten, Packet};
use fx::prim::{Pointwise, Reduction};
use smallvec::SmallVec;
use symshapes::{DType, Expr, Pool};

pub use crate::calls::CallResult;
use crate::calls::{self, CallArg, ObjectId};
use crate::loop_ir::Scalar;

/// A tensor value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Tensor(u32);
entity_impl!(Tensor, "t");

/// A call of an operator.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CallId(u32);
entity_impl!(CallId, "c");

/// Sizes or strides, in elements: expressions of the graph's pool.
pub type Dims = SmallVec<[Expr; 5]>;

/// One tensor.
#[derive(Clone, Debug)]
pub struct TensorData {
    /// The operation that defines it.
    pub op: Op,
    /// Element type.
    pub dtype: DType,
    /// Elements along each dimension.
    pub sizes: Dims,
    /// The strides it should have if it is stored, where the graph promises some.
    pub strides: Option<Dims>,
    /// The graph node that it was made for.
    pub origin: NodeId,
}

/// The operations that define a tensor.
#[derive(Clone, PartialEq, Debug)]
pub enum Op {
    /// The graph's input with this number.
    Input(usize),
    /// A tensor attribute of the module.
    Constant(usize),
    /// A result of a call.
    Result(CallId, usize),
    /// One value everywhere.
    Full(Scalar),
    /// The value of an expression of sizes everywhere; `int64`.
    Size(Expr),
    /// `start + step * i` along the only dimension; `int64`.
    Iota {
        /// The first element.
        start: Expr,
        /// The difference of neighbours.
        step: i64,
    },
    /// A primitive on each element.
    Map(Pointwise, SmallVec<[Tensor; 3]>),
    /// Conversion to this tensor's dtype.
    Convert(Tensor),
    /// A view of another tensor's elements.
    View(Tensor, View),
    /// A combination along some dimensions, which vanish; `dims` ascending.
    Reduce(Reduction, Tensor, SmallVec<[usize; 5]>),
    /// Elements of a source at computed positions.
    Gather {
        /// The tensor that is read.
        source: Tensor,
        /// For each dimension of the source, where the index along it comes from.
        dims: SmallVec<[GatherDim; 5]>,
    },
    /// Tensors one after the other along a dimension.
    Cat(Vec<Tensor>, usize),
    /// The source inside, a value around it.
    Pad {
        /// The tensor that is padded.
        source: Tensor,
        /// For each dimension, the elements in front.
        low: Dims,
        /// The value around.
        value: Scalar,
    },
    /// Running sum along a dimension.
    Cumsum(Tensor, usize),
}

/// The sources of a gather's index along one dimension.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum GatherDim {
    /// The position along this dimension of the result.
    Out(usize),
    /// The element of this `int64` tensor (of the result's sizes), which counts from the end where it is negative.
    Index(Tensor),
}

/// The kinds of views, each of which maps its positions to its source's.
#[derive(Clone, PartialEq, Debug)]
pub enum View {
    /// All elements in row-major order under other sizes.
    Reshape,
    /// Dimension `k` is the source's dimension `perm[k]`.
    Permute(SmallVec<[usize; 5]>),
    /// Leading dimensions added, size-1 dimensions repeated.
    Expand,
    /// Along each dimension every `step`-th element from `start`; steps may be negative.
    Slice {
        /// First position.
        start: Dims,
        /// Distance of neighbours.
        step: SmallVec<[i64; 5]>,
    },
    /// The elements at one position of two dimensions of one size, as the last dimension.
    Diagonal([usize; 2]),
    /// Stretches of dimension `dim`, the first elements of neighbours `step` apart; their elements are the last
    /// dimension.
    Windows {
        /// The dimension, then that of the stretches.
        dim: usize,
        /// Distance of neighbours; positive.
        step: i64,
    },
}

/// An argument of a call.
pub type Arg = CallArg<Tensor>;

/// A call of an operator in the graph.
#[derive(Clone, Debug)]
pub struct Call {
    /// The operator with its arguments and results.
    pub call: calls::Call<Tensor, Tensor>,
    /// True if it may write into the plan's own memory and keeps no reference to its arguments.
    pub planned: bool,
    /// True if calls with this mark must keep their order (random numbers, effects).
    pub ordered: bool,
}

impl Deref for Call {
    type Target = calls::Call<Tensor, Tensor>;

    fn deref(&self) -> &Self::Target {
        &self.call
    }
}

impl DerefMut for Call {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.call
    }
}

impl Call {
    /// True if it may read elements of its first argument's memory that are not the argument's.
    pub fn sees_memory(&self) -> bool {
        matches!(
            self.target.op().map(Aten::packet),
            Some(Packet::as_strided | Packet::as_strided_ | Packet::as_strided_copy | Packet::as_strided_scatter)
        )
    }
}

/// An output of the graph.
#[derive(Clone, PartialEq, Debug)]
pub enum Output {
    /// A tensor.
    Tensor(Tensor),
    /// Something else.
    Plain(fx::Arg),
    /// A value from a call.
    Object(ObjectId),
}

/// The value that an input is to hold when everything is computed. Until then it has the one that it came with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Write {
    /// The input.
    pub input: Tensor,
    /// The new value, of the input's dtype and sizes; no view of an input.
    pub value: Tensor,
}

/// A graph of tensors.
#[derive(Clone, Default, Debug)]
pub struct TensorGraph {
    /// The expressions of sizes and strides.
    pub pool: Pool,
    /// The tensors, in dependency order.
    pub tensors: PrimaryMap<Tensor, TensorData>,
    /// The calls, in program order.
    pub calls: PrimaryMap<CallId, Call>,
    /// Values that are no tensors: which call gives each.
    pub objects: PrimaryMap<ObjectId, CallId>,
    /// Number of inputs.
    pub inputs: usize,
    /// The inputs that change, each once.
    pub writes: Vec<Write>,
    /// The outputs that are returned.
    pub outputs: Vec<Output>,
}

impl TensorGraph {
    /// The base of a tensor: the one under all of its views, itself if it is no view.
    pub fn viewed(&self, mut t: Tensor) -> Tensor {
        while let Op::View(source, _) = self.tensors[t].op {
            t = source;
        }
        t
    }

    /// A copy of the graph with other tensors. `add` is handed each tensor, with its number here and its operands as
    /// they are in the copy; it adds the tensor and whatever else is wanted, and says which tensor takes its place.
    pub fn rebuilt(
        &self,
        mut add: impl FnMut(&mut PrimaryMap<Tensor, TensorData>, Tensor, TensorData) -> Tensor,
    ) -> TensorGraph {
        let mut new = TensorGraph { tensors: PrimaryMap::with_capacity(self.tensors.len()), ..self.clone() };
        let mut now: PrimaryMap<Tensor, Tensor> = PrimaryMap::with_capacity(self.tensors.len());
        for (t, data) in self.tensors.iter() {
            let mut data = data.clone();
            data.op.for_each_operand_mut(|x| *x = now[*x]);
            now.push(add(&mut new.tensors, t, data));
        }
        for call in new.calls.values_mut() {
            call.for_each_tensor_mut(&mut |t| *t = now[*t]);
            call.result_tensors_mut().for_each(|t| *t = now[*t]);
        }
        for write in &mut new.writes {
            *write = Write { input: now[write.input], value: now[write.value] };
        }
        for output in &mut new.outputs {
            if let Output::Tensor(t) = output {
                *t = now[*t];
            }
        }
        new
    }
}

impl Op {
    /// Calls `f` on every operand.
    pub fn for_each_operand(&self, mut f: impl FnMut(Tensor)) {
        match self {
            Op::Input(_) | Op::Constant(_) | Op::Result(..) => {}
            Op::Full(_) | Op::Size(_) | Op::Iota { .. } => {}
            Op::Map(_, args) => args.iter().copied().for_each(f),
            Op::Convert(x) | Op::View(x, _) | Op::Reduce(_, x, _) | Op::Cumsum(x, _) | Op::Pad { source: x, .. } => {
                f(*x);
            }
            Op::Cat(parts, _) => parts.iter().copied().for_each(f),
            Op::Gather { source, dims } => {
                f(*source);
                for dim in dims {
                    if let GatherDim::Index(index) = dim {
                        f(*index);
                    }
                }
            }
        }
    }

    /// Calls `f` on every operand, to change it.
    pub fn for_each_operand_mut(&mut self, mut f: impl FnMut(&mut Tensor)) {
        match self {
            Op::Input(_) | Op::Constant(_) | Op::Result(..) => {}
            Op::Full(_) | Op::Size(_) | Op::Iota { .. } => {}
            Op::Map(_, args) => args.iter_mut().for_each(f),
            Op::Convert(x) | Op::View(x, _) | Op::Reduce(_, x, _) | Op::Cumsum(x, _) | Op::Pad { source: x, .. } => {
                f(x);
            }
            Op::Cat(parts, _) => parts.iter_mut().for_each(f),
            Op::Gather { source, dims } => {
                f(source);
                for dim in dims {
                    if let GatherDim::Index(index) = dim {
                        f(index);
                    }
                }
            }
        }
    }

    /// True for what already lies in memory.
    pub fn is_leaf(&self) -> bool {
        matches!(self, Op::Input(_) | Op::Constant(_) | Op::Result(..))
    }

    /// True for what costs nothing to compute: constants and positions.
    pub fn is_free(&self) -> bool {
        matches!(self, Op::Full(_) | Op::Size(_) | Op::Iota { .. })
    }
}

/// A typical value of a size.
pub fn typical(pool: &Pool, e: Expr) -> i64 {
    let value = |sym| {
        let range = pool.symbol_range(sym);
        Some(pool.symbol_hint(sym).unwrap_or(heuristics::unknown_size().clamp(range.lo, range.hi)))
    };
    pool.as_int(e).or_else(|| pool.eval(e, &value)).unwrap_or(heuristics::unknown_size())
}

/// The product of sizes.
pub fn numel(pool: &mut Pool, sizes: &[Expr]) -> Expr {
    sizes.iter().fold(Expr::ONE, |product, &n| pool.mul(product, n))
}

/// The product of sizes as they typically are.
pub fn typical_numel(pool: &Pool, sizes: &[Expr]) -> i64 {
    sizes.iter().fold(1, |product: i64, &n| product.saturating_mul(typical(pool, n)))
}

/// True if two layouts are known to address the same elements (strides of dimensions of size 1 do not matter).
pub fn same_strides(sizes: &[Expr], a: &[Expr], b: &[Expr]) -> bool {
    sizes.contains(&Expr::ZERO) || (0..sizes.len()).all(|k| sizes[k] == Expr::ONE || a[k] == b[k])
}

/// Row-major strides. A dimension without elements counts as one.
pub fn contiguous_strides(pool: &mut Pool, sizes: &[Expr]) -> Dims {
    let mut strides: Dims = sizes.iter().map(|_| Expr::ONE).collect();
    for k in (0..sizes.len().saturating_sub(1)).rev() {
        let extent = if sizes[k + 1] == Expr::ZERO { Expr::ONE } else { sizes[k + 1] };
        strides[k] = pool.mul(strides[k + 1], extent);
    }
    strides
}

/// Dimensions by descending stride (outermost first), as strides typically are; ties keep their order.
pub fn stride_order(pool: &Pool, sizes: &[Expr], strides: &[Expr]) -> SmallVec<[usize; 5]> {
    let mut order: SmallVec<[usize; 5]> = (0..sizes.len()).collect();
    order.sort_by_key(|&k| std::cmp::Reverse(typical(pool, strides[k])));
    order
}

/// True if the elements are known to fill memory without gaps or overlap.
pub fn is_dense(pool: &mut Pool, sizes: &[Expr], strides: &[Expr]) -> bool {
    let mut expected = Expr::ONE;
    for &k in stride_order(pool, sizes, strides).iter().rev() {
        if sizes[k] == Expr::ONE {
            continue;
        }
        if strides[k] != expected {
            return false;
        }
        expected = pool.mul(expected, sizes[k]);
    }
    true
}

/// True if no two elements are known to share a place; there may be gaps between them.
pub fn is_injective(pool: &mut Pool, sizes: &[Expr], strides: &[Expr]) -> bool {
    if sizes.contains(&Expr::ZERO) {
        return true;
    }
    // The place of the last element of the dimensions seen so far.
    let mut last = Expr::ZERO;
    for &k in stride_order(pool, sizes, strides).iter().rev() {
        if sizes[k] == Expr::ONE {
            continue;
        }
        if !pool.is_less(last, strides[k]) {
            return false;
        }
        let steps = pool.add_int(sizes[k], -1);
        let reach = pool.mul(steps, strides[k]);
        last = pool.add(last, reach);
    }
    true
}
