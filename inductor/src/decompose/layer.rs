//! Layers as products and convolutions, as AOTAutograd's graphs have them: one kind of call for the planner and
//! backends.
//!
//! Only the forms that these take: matrices and stacks of matrices, images with a batch. Others stay the call that they
//! are.

use fx::aten::Aten;
use fx::{Arg, NodeId};
use symshapes::{DType, Expr};

use super::{Args, Decompose, Promise, Rewrite, Value, unsupported};
use crate::calls::{self, CallKind};
use crate::tensor_ir::{self as tir, Call, CallResult, Dims, Op, Tensor, contiguous_strides, numel};

/// A rule that turns a layer into a call.
type Layer<'g> = fn(&mut Decompose<'g>, NodeId, &Args, &Promise) -> Rewrite;

impl<'g> Decompose<'g> {
    /// The layer as a call of what computes it.
    pub(super) fn layer(&mut self, id: NodeId, overload: Aten) -> Rewrite<Value> {
        let rule: Layer<'g> = match overload {
            Aten::linear_default => Self::linear,
            Aten::matmul_default => Self::matmul,
            Aten::conv1d_default | Aten::conv2d_default | Aten::conv3d_default => Self::convolution,
            Aten::conv_transpose1d_default | Aten::conv_transpose2d_input | Aten::conv_transpose3d_input => {
                Self::convolution
            }
            Aten::scaled_dot_product_attention_default => Self::attention,
            Aten::index_fill_int_Scalar => Self::index_fill,
            Aten::index_add_default => Self::index_add,
            Aten::index_put_default => Self::index_put,
            _ => return unsupported("a library's own"),
        };
        let Ok(Some(promises)) = self.promises(id) else { return unsupported("results of unknown shape") };
        let [Some(promise)] = promises.as_slice() else { return unsupported("several results") };
        let node = &self.graph[id];
        let Ok(bound) = overload.bind(&node.args, &node.kwargs) else { return unsupported("other arguments") };
        // The arguments refer to the values while the graph grows.
        let values = std::mem::take(&mut self.values);
        let args = Args { bound: &bound, values: &values, results: &promises };
        let result = args.check(&self.b).and_then(|()| rule(self, id, &args, promise));
        self.values = values;
        result.map(Value::Tensor)
    }

    fn linear(&mut self, id: NodeId, a: &Args, promise: &Promise) -> Rewrite {
        let (x, weight, bias) = (a.tensor("input")?, a.tensor("weight")?, a.opt_tensor("bias")?);
        let is_usual =
            self.b.rank(x) >= 2 && self.b.rank(weight) == 2 && bias.is_none_or(|bias| self.b.rank(bias) == 1);
        if !is_usual || [Some(weight), bias].iter().flatten().any(|&t| self.b.dtype(t) != self.b.dtype(x)) {
            return unsupported("a linear layer of another form");
        }
        let weight = self.b.permute(weight, &[1, 0]);
        self.rows_times(id, x, weight, bias, promise)
    }

    fn matmul(&mut self, id: NodeId, a: &Args, promise: &Promise) -> Rewrite {
        let (x, y) = (a.tensor("self")?, a.tensor("other")?);
        match [self.b.rank(x), self.b.rank(y)] {
            [0 | 1, _] | [_, 0 | 1] => unsupported("a product with a vector"),
            _ if self.b.dtype(x) != self.b.dtype(y) => unsupported("a product of two dtypes"),
            [_, 2] => self.rows_times(id, x, y, None, promise),
            _ => {
                let (batch, matrix) = promise.sizes.split_at(promise.sizes.len() - 2);
                let count = numel(&mut self.b.graph.pool, batch);
                let inner = self.b.sizes(x)[self.b.rank(x) - 1];
                let mut stack = |t: Tensor, [rows, columns]: [Expr; 2]| {
                    let sizes: Dims = batch.iter().copied().chain([rows, columns]).collect();
                    let t = self.b.expand(t, &sizes);
                    tir::Arg::Tensor(self.b.reshape(t, &[count, rows, columns]))
                };
                let args = vec![stack(x, [matrix[0], inner]), stack(y, [inner, matrix[1]])];
                let t = self.product(id, Aten::bmm_default, args, promise, &[count, matrix[0], matrix[1]]);
                Ok(self.b.reshape(t, &promise.sizes))
            }
        }
    }

    /// The product of all rows of a tensor with a matrix.
    fn rows_times(&mut self, id: NodeId, x: Tensor, y: Tensor, bias: Option<Tensor>, promise: &Promise) -> Rewrite {
        let (inner, columns) = (self.b.sizes(y)[0], self.b.sizes(y)[1]);
        let rows = numel(&mut self.b.graph.pool, &promise.sizes[..promise.sizes.len() - 1]);
        let x = self.b.reshape(x, &[rows, inner]);
        let factors = [x, y].map(tir::Arg::Tensor);
        let target = if bias.is_some() { Aten::addmm_default } else { Aten::mm_default };
        let args = bias.map(tir::Arg::Tensor).into_iter().chain(factors).collect();
        let t = self.product(id, target, args, promise, &[rows, columns]);
        Ok(self.b.reshape(t, &promise.sizes))
    }

    fn convolution(&mut self, id: NodeId, a: &Args, promise: &Promise) -> Rewrite {
        let (image, weight, bias) = (a.tensor("input")?, a.tensor("weight")?, a.opt_tensor("bias")?);
        let dims = self.b.rank(weight).saturating_sub(2);
        if self.b.rank(image) != dims + 2 {
            return unsupported("an image without a batch");
        }
        let list = |name: &str| -> Rewrite<tir::Arg> {
            match a.opt_ints(name)?.as_deref() {
                Some(items) => Ok(tir::Arg::Plain(Arg::List(items.iter().map(|&n| Arg::Int(n)).collect()))),
                None => unsupported("a list that is missing"),
            }
        };
        let transposed = a.has("output_padding");
        let output_padding = match transposed {
            true => list("output_padding")?,
            false => tir::Arg::Plain(Arg::List(vec![Arg::Int(0); dims])),
        };
        let args = vec![
            tir::Arg::Tensor(image),
            tir::Arg::Tensor(weight),
            bias.map_or(tir::Arg::Plain(Arg::None), tir::Arg::Tensor),
            list("stride")?,
            list("padding")?,
            list("dilation")?,
            tir::Arg::Plain(Arg::Bool(transposed)),
            output_padding,
            tir::Arg::Plain(Arg::Int(a.int("groups")?)),
        ];
        Ok(self.made_by(id, Aten::convolution_default, args, promise, false))
    }

    /// Attention with what a mask of bools adds to the scores, as torch has it before it chooses a kernel.
    fn attention(&mut self, id: NodeId, a: &Args, promise: &Promise) -> Rewrite {
        let mask = a.opt_tensor("attn_mask")?.filter(|&mask| self.b.dtype(mask) == DType::Bool);
        let Some(mask) = mask else { return unsupported("a mask that is added") };
        if a.float("dropout_p")? != 0.0 {
            return unsupported("dropout");
        }
        let sizes = Dims::from_slice(self.b.sizes(mask));
        let [shown, hidden] = [0.0, f64::NEG_INFINITY].map(|value| self.b.full(value, promise.dtype, &sizes));
        let added = self.b.select(mask, shown, hidden);
        let [query, key, value] = [a.tensor("query")?, a.tensor("key")?, a.tensor("value")?];
        let mut args: Vec<tir::Arg> = [query, key, value, added].map(tir::Arg::Tensor).into();
        args.push(tir::Arg::Plain(Arg::Float(0.0)));
        args.push(tir::Arg::Plain(Arg::Bool(a.bool("is_causal")?)));
        let kwargs = vec![
            ("scale".to_owned(), tir::Arg::Plain(a.opt_float("scale")?.map_or(Arg::None, Arg::Float))),
            ("enable_gqa".to_owned(), tir::Arg::Plain(Arg::Bool(a.bool("enable_gqa")?))),
        ];
        let result = self.made_by(id, Aten::scaled_dot_product_attention_default, args, promise, false);
        let call = self.b.graph.calls.last_mut().map(|(_, call)| call);
        call.expect("the call was made above").kwargs = kwargs;
        Ok(result)
    }

    /// The result of a matrix product, contiguous (row-major).
    fn product(&mut self, id: NodeId, op: Aten, args: Vec<tir::Arg>, promise: &Promise, sizes: &[Expr]) -> Tensor {
        let strides = contiguous_strides(&mut self.b.graph.pool, sizes);
        let promise = Promise { dtype: promise.dtype, sizes: Dims::from_slice(sizes), strides };
        self.made_by(id, op, args, &promise, true)
    }

    /// The result of a library's call.
    pub(super) fn made_by(
        &mut self,
        id: NodeId,
        op: Aten,
        args: Vec<tir::Arg>,
        promise: &Promise,
        planned: bool,
    ) -> Tensor {
        let call = self.b.graph.calls.next_key();
        let t = self.b.push(Op::Result(call, 0), promise.dtype, &promise.sizes);
        self.b.graph.tensors[t].strides = Some(promise.strides.clone());
        let call = calls::Call {
            target: op.into(),
            node: id,
            args,
            kwargs: Vec::new(),
            results: vec![CallResult::Tensor(t)],
            tuple: false,
            kind: CallKind::Extern,
        };
        self.b.graph.calls.push(Call { call, planned, ordered: false });
        t
    }
}
