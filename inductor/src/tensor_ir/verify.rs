//! The verifier of tensor IR.
//!
//! - A tensor uses only tensors before it; a call's arguments stand before its results, which name the call in turn.
//! - The operands of a `Map` have the node's sizes; their dtypes and the node's are as [`fx::prim`] has them.
//! - Reductions name dimensions in ascending order; their result has those that are left.
//! - A view has as many elements as it can see: a reshape all of them, a slice none outside its source.
//! - A gather has an `int64` index of the result's sizes or a result's dimension for each dimension of the source, no
//!   longer than the source's; the parts of a concatenation and the source of a pad fit into the result.
//! - Strides, where promised, are as many as sizes.
//!
//! Of symbolic sizes only what cannot hold for any value is an error.

use fx::prim::{Pointwise, Reduction};
use symshapes::{DType, Expr, Pool};

use super::{CallId, CallResult, GatherDim, Op, Output, Tensor, TensorData, TensorGraph, View, Write, numel};

/// The violated invariant, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VerifyError {
    /// A use of a tensor that does not stand before.
    #[error("{tensor} uses {operand}, which does not stand before it")]
    Order {
        /// The user.
        tensor: Tensor,
        /// The operand.
        operand: Tensor,
    },
    /// An argument of a call that stands after its results, or an output that does not exist.
    #[error("{tensor} is used before it is there")]
    Missing {
        /// The tensor.
        tensor: Tensor,
    },
    /// A result that its call does not give.
    #[error("{tensor} is no result of {call}")]
    Result {
        /// The tensor.
        tensor: Tensor,
        /// The call that it names.
        call: CallId,
    },
    /// An input beyond those that the graph takes.
    #[error("{tensor}: there is no input {number}")]
    Input {
        /// The tensor.
        tensor: Tensor,
        /// The input's number.
        number: usize,
    },
    /// A dtype that the operation does not give or take.
    #[error("{tensor}: {got} where {want} should be")]
    DType {
        /// The tensor.
        tensor: Tensor,
        /// The dtype there.
        got: DType,
        /// The dtype demanded.
        want: DType,
    },
    /// A primitive with too few or too many operands.
    #[error("{tensor}: {op} takes {want} operands, not {got}")]
    Arity {
        /// The tensor.
        tensor: Tensor,
        /// The primitive.
        op: Pointwise,
        /// Its operands.
        want: usize,
        /// The number of operands given.
        got: usize,
    },
    /// Sizes, dimensions or positions that do not fit.
    #[error("{tensor}: {what}")]
    Shape {
        /// The tensor.
        tensor: Tensor,
        /// The mismatch.
        what: &'static str,
    },
}

type Result = std::result::Result<(), VerifyError>;

/// Checks every invariant of a graph.
///
/// # Errors
/// The first that does not hold.
pub fn verify(graph: &TensorGraph) -> Result {
    let mut pool = graph.pool.clone();
    for (t, data) in graph.tensors.iter() {
        let mut late = None;
        data.op.for_each_operand(|x| late = late.or((x >= t).then_some(x)));
        if let Some(operand) = late {
            return Err(VerifyError::Order { tensor: t, operand });
        }
        Check { graph, pool: &mut pool, t, data }.run()?;
    }
    for (id, call) in graph.calls.iter() {
        let results = call.results.iter().filter_map(|r| if let CallResult::Tensor(t) = r { Some(*t) } else { None });
        for (number, result) in call.results.iter().enumerate() {
            if let CallResult::Tensor(t) = *result
                && graph.tensors.get(t).is_none_or(|data| data.op != Op::Result(id, number))
            {
                return Err(VerifyError::Result { tensor: t, call: id });
            }
        }
        let first = results.min().unwrap_or(graph.tensors.next_key());
        let mut late = None;
        call.for_each_tensor(&mut |&t| late = late.or((t >= first).then_some(t)));
        late.map_or(Ok(()), |tensor| Err(VerifyError::Missing { tensor }))?;
    }
    graph.writes.iter().enumerate().try_for_each(|(at, write)| verify_write(graph, at, *write))?;
    let missing = graph.outputs.iter().find_map(|output| match *output {
        Output::Tensor(t) if !graph.tensors.is_valid(t) => Some(t),
        _ => None,
    });
    missing.map_or(Ok(()), |tensor| Err(VerifyError::Missing { tensor }))
}

fn verify_write(graph: &TensorGraph, at: usize, Write { input, value }: Write) -> Result {
    let (Some(to), Some(from)) = (graph.tensors.get(input), graph.tensors.get(value)) else {
        return Err(VerifyError::Missing { tensor: value });
    };
    let is_first = graph.writes[..at].iter().all(|earlier| earlier.input != input);
    let is_apart = !matches!(graph.tensors[graph.viewed(value)].op, Op::Input(_));
    let fits = matches!(to.op, Op::Input(_)) && to.dtype == from.dtype && to.sizes == from.sizes;
    if fits && is_first && is_apart {
        Ok(())
    } else {
        Err(VerifyError::Shape { tensor: value, what: "is written where it does not fit" })
    }
}

/// One tensor under examination; its operands stand before it.
struct Check<'a> {
    graph: &'a TensorGraph,
    pool: &'a mut Pool,
    t: Tensor,
    data: &'a TensorData,
}

impl<'a> Check<'a> {
    fn run(&mut self) -> Result {
        let TensorData { op, sizes, strides, .. } = self.data;
        self.require(sizes.iter().all(|&n| self.pool.range(n).hi >= 0), "a negative size")?;
        self.require(strides.as_ref().is_none_or(|s| s.len() == sizes.len()), "as many strides as sizes are wanted")?;
        match op {
            Op::Input(number) => self.input(*number),
            Op::Constant(_) | Op::Full(_) => Ok(()),
            Op::Size(_) => self.dtype(self.t, DType::I64),
            Op::Result(call, number) => self.result(*call, *number),
            Op::Iota { .. } => {
                self.require(sizes.len() == 1, "positions have one dimension")?;
                self.dtype(self.t, DType::I64)
            }
            Op::Map(op, args) => self.map(*op, args),
            Op::Convert(x) => self.same_sizes(*x),
            Op::View(x, view) => {
                self.dtype(self.t, self.of(*x).dtype)?;
                self.view(self.of(*x), view)
            }
            Op::Reduce(kind, x, dims) => self.reduce(*kind, self.of(*x), dims),
            Op::Gather { source, dims } => self.gather(self.of(*source), dims),
            Op::Cat(parts, dim) => self.cat(parts, *dim),
            Op::Pad { source, low, .. } => self.pad(self.of(*source), low),
            Op::Cumsum(x, dim) => {
                self.require(*dim < sizes.len(), "a dimension that is not there")?;
                self.dtype(*x, self.data.dtype)?;
                self.same_sizes(*x)
            }
        }
    }

    fn of(&self, t: Tensor) -> &'a TensorData {
        &self.graph.tensors[t]
    }

    /// False only if `a` exceeds `b` certainly.
    fn may_reach(&mut self, a: Expr, b: Expr) -> bool {
        !self.pool.is_less(b, a)
    }

    /// False only if they certainly differ: one size has several forms that no rule brings together.
    fn may_equal(&mut self, a: Expr, b: Expr) -> bool {
        a == b || self.may_reach(a, b) && self.may_reach(b, a)
    }

    fn require(&self, holds: bool, what: &'static str) -> Result {
        if holds { Ok(()) } else { Err(VerifyError::Shape { tensor: self.t, what }) }
    }

    fn dtype(&self, tensor: Tensor, want: DType) -> Result {
        let got = self.of(tensor).dtype;
        if got == want { Ok(()) } else { Err(VerifyError::DType { tensor: self.t, got, want }) }
    }

    fn same_sizes(&self, x: Tensor) -> Result {
        self.require(self.of(x).sizes == self.data.sizes, "an operand of other sizes")
    }

    fn input(&self, number: usize) -> Result {
        let exists = number < self.graph.inputs;
        if exists { Ok(()) } else { Err(VerifyError::Input { tensor: self.t, number }) }
    }

    fn result(&self, call: CallId, number: usize) -> Result {
        let given = self.graph.calls.get(call).and_then(|c| c.results.get(number));
        let is_given = given == Some(&CallResult::Tensor(self.t));
        if is_given { Ok(()) } else { Err(VerifyError::Result { tensor: self.t, call }) }
    }

    fn map(&self, op: Pointwise, args: &[Tensor]) -> Result {
        if op.arity() != args.len() {
            return Err(VerifyError::Arity { tensor: self.t, op, want: op.arity(), got: args.len() });
        }
        args.iter().try_for_each(|&a| self.same_sizes(a))?;
        let Some((&last, others)) = args.split_last() else { return Ok(()) };
        let operand = self.of(last).dtype;
        for (k, &a) in others.iter().enumerate() {
            let is_condition = op == Pointwise::Where && k == 0;
            self.dtype(a, if is_condition { DType::Bool } else { operand })?;
        }
        self.dtype(self.t, op.result_dtype(operand))
    }

    fn view(&mut self, source: &TensorData, view: &View) -> Result {
        let (sizes, from) = (&self.data.sizes, &source.sizes);
        match view {
            View::Reshape => {
                let (count, own) = (numel(self.pool, sizes), numel(self.pool, from));
                let fits = self.may_equal(count, own);
                self.require(fits, "a reshape to another number of elements")
            }
            View::Permute(perm) => {
                let mut sorted = perm.clone();
                sorted.sort_unstable();
                self.require(sorted.iter().copied().eq(0..from.len()), "not a permutation of the dimensions")?;
                self.require(perm.iter().map(|&p| from[p]).eq(sizes.iter().copied()), "sizes that are not permuted")
            }
            View::Expand => {
                let rest = sizes.len().checked_sub(from.len()).map(|skip| &sizes[skip..]);
                let fits = |rest: &[Expr]| from.iter().zip(rest).all(|(&a, &b)| a == b || a == Expr::ONE);
                self.require(rest.is_some_and(fits), "sizes that do not broadcast")
            }
            View::Slice { start, step } => {
                let ranks = [start.len(), step.len(), from.len()];
                self.require(ranks.iter().all(|&r| r == sizes.len()), "a slice of another rank")?;
                let is_empty = sizes.iter().any(|&n| self.pool.range(n).lo <= 0);
                let inside = is_empty
                    || (0..sizes.len()).all(|k| {
                        let steps = self.pool.add_int(sizes[k], -1);
                        let moved = self.pool.mul_int(steps, step[k]);
                        let last = self.pool.add(start[k], moved);
                        [start[k], last].into_iter().all(|at| {
                            self.pool.range(at).hi >= 0 && {
                                let next = self.pool.add_int(at, 1);
                                self.may_reach(next, from[k])
                            }
                        })
                    });
                self.require(inside, "a slice that leaves its source")
            }
            View::Diagonal([one, other]) => {
                let is_known = one != other && [one, other].iter().all(|&&d| d < from.len());
                self.require(is_known, "a diagonal of dimensions that are not there")?;
                let rest = (0..from.len()).filter(|d| d != one && d != other).map(|d| from[d]);
                let is_square = self.may_equal(from[*one], from[*other]);
                let fits = is_square && rest.chain([from[*one]]).eq(sizes.iter().copied());
                self.require(fits, "a diagonal of other sizes")
            }
            View::Windows { dim, step } => {
                let is_known = *step > 0 && *dim < from.len() && sizes.len() == from.len() + 1;
                self.require(is_known, "windows of another rank")?;
                let same = (0..from.len()).all(|d| d == *dim || sizes[d] == from[d]);
                let steps = self.pool.add_int(sizes[*dim], -1);
                let last = self.pool.mul_int(steps, *step);
                let end = self.pool.add(last, sizes[from.len()]);
                let inside = same && self.may_reach(end, from[*dim]);
                self.require(inside, "windows that leave their source")
            }
        }
    }

    fn reduce(&self, kind: Reduction, source: &TensorData, dims: &[usize]) -> Result {
        self.require(dims.windows(2).all(|w| w[0] < w[1]), "dimensions that do not ascend")?;
        self.require(dims.iter().all(|&d| d < source.sizes.len()), "a dimension that is not there")?;
        let left = (0..source.sizes.len()).filter(|d| !dims.contains(d)).map(|d| source.sizes[d]);
        self.require(left.eq(self.data.sizes.iter().copied()), "other sizes than those that are left")?;
        self.dtype(self.t, kind.result_dtype(source.dtype))
    }

    fn gather(&mut self, source: &TensorData, dims: &[GatherDim]) -> Result {
        self.dtype(self.t, source.dtype)?;
        self.require(dims.len() == source.sizes.len(), "an index for each dimension of the source is wanted")?;
        for (dim, &len) in dims.iter().zip(&source.sizes) {
            match *dim {
                GatherDim::Out(k) => {
                    let size = self.data.sizes.get(k);
                    let fits = size.is_some_and(|&n| self.may_reach(n, len));
                    self.require(fits, "positions outside the source")?;
                }
                GatherDim::Index(index) => {
                    self.dtype(index, DType::I64)?;
                    self.same_sizes(index)?;
                }
            }
        }
        Ok(())
    }

    fn cat(&mut self, parts: &[Tensor], dim: usize) -> Result {
        let sizes = &self.data.sizes;
        self.require(!parts.is_empty() && dim < sizes.len(), "nothing to put together")?;
        let mut total = Expr::ZERO;
        for &part in parts {
            self.dtype(part, self.data.dtype)?;
            let own = &self.of(part).sizes;
            let fits = own.len() == sizes.len() && (0..sizes.len()).all(|k| k == dim || own[k] == sizes[k]);
            self.require(fits, "a part that does not fit")?;
            total = self.pool.add(total, own[dim]);
        }
        let fits = self.may_equal(total, sizes[dim]);
        self.require(fits, "parts that do not add up")
    }

    fn pad(&mut self, source: &TensorData, low: &[Expr]) -> Result {
        self.dtype(self.t, source.dtype)?;
        let sizes = &self.data.sizes;
        self.require(low.len() == sizes.len() && source.sizes.len() == sizes.len(), "a pad of another rank")?;
        let fits = (0..sizes.len()).all(|k| {
            let end = self.pool.add(low[k], source.sizes[k]);
            self.pool.range(low[k]).hi >= 0 && self.may_reach(end, sizes[k])
        });
        self.require(fits, "a source that does not fit into its pad")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tensor_ir::Dims;
    use fx::NodeId;

    fn graph(rows: Vec<(Op, DType, &[i64])>) -> TensorGraph {
        let mut graph = TensorGraph { inputs: 1, ..TensorGraph::default() };
        for (op, dtype, sizes) in rows {
            let sizes = sizes.iter().map(|&n| graph.pool.int(n)).collect();
            let origin = NodeId::from_u32(0);
            graph.tensors.push(TensorData { op, dtype, sizes, strides: None, origin });
        }
        graph
    }

    fn error_of(op: Op, dtype: DType, sizes: &[i64]) -> Option<String> {
        let x = (Op::Input(0), DType::F32, &[2, 3][..]);
        verify(&graph(vec![x, (op, dtype, sizes)])).err().map(|e| e.to_string())
    }

    #[test]
    fn each_violation_names_the_tensor() {
        let x = Tensor::from_u32(0);
        let own = Tensor::from_u32(1);
        let ones = Dims::from_slice(&[Expr::ONE, Expr::ONE]);
        let slice = View::Slice { start: Dims::from_slice(&[Expr::ONE, Expr::ZERO]), step: [1, 1].as_slice().into() };
        let errors = [
            error_of(Op::Convert(own), DType::F32, &[2, 3]),
            error_of(Op::Input(1), DType::F32, &[2, 3]),
            error_of(Op::Map(Pointwise::Add, [x].as_slice().into()), DType::F32, &[2, 3]),
            error_of(Op::Map(Pointwise::Lt, [x, x].as_slice().into()), DType::F32, &[2, 3]),
            error_of(Op::Map(Pointwise::Neg, [x].as_slice().into()), DType::F32, &[3]),
            error_of(Op::View(x, View::Reshape), DType::F32, &[5]),
            error_of(Op::View(x, View::Permute([0, 0].as_slice().into())), DType::F32, &[2, 2]),
            error_of(Op::View(x, View::Expand), DType::F32, &[4, 3]),
            error_of(Op::View(x, slice), DType::F32, &[2, 3]),
            error_of(Op::View(x, View::Diagonal([0, 1])), DType::F32, &[2]),
            error_of(Op::View(x, View::Windows { dim: 1, step: 2 }), DType::F32, &[2, 2, 2]),
            error_of(Op::Reduce(Reduction::Sum, x, [1].as_slice().into()), DType::F32, &[3]),
            error_of(Op::Cat(vec![x, x], 0), DType::F32, &[5, 3]),
            error_of(Op::Pad { source: x, low: ones, value: fx::Scalar::Float(0.0) }, DType::F32, &[3, 3]),
        ];
        let printed: Vec<String> = errors.into_iter().map(|e| e.unwrap_or_else(|| "accepted".to_owned())).collect();
        expect_test::expect![[r#"
            t1 uses t1, which does not stand before it
            t1: there is no input 1
            t1: add takes 2 operands, not 1
            t1: float32 where bool should be
            t1: an operand of other sizes
            t1: a reshape to another number of elements
            t1: not a permutation of the dimensions
            t1: sizes that do not broadcast
            t1: a slice that leaves its source
            t1: a diagonal of other sizes
            t1: windows that leave their source
            t1: other sizes than those that are left
            t1: parts that do not add up
            t1: a source that does not fit into its pad"#]]
        .assert_eq(&printed.join("\n"));
    }

    #[test]
    fn a_right_graph_is_accepted() {
        let x = Tensor::from_u32(0);
        assert_eq!(error_of(Op::View(x, View::Expand), DType::F32, &[4, 2, 3]), None);
        assert_eq!(error_of(Op::View(x, View::Windows { dim: 1, step: 1 }), DType::F32, &[2, 2, 2]), None);
        assert_eq!(error_of(Op::Reduce(Reduction::ArgMax, x, [0].as_slice().into()), DType::I64, &[3]), None);
        assert_eq!(error_of(Op::Cat(vec![x, x], 0), DType::F32, &[4, 3]), None);
    }
}
