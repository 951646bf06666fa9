//! Dropout: eager's generator draws which elements stay, and that is all that it needs to do.
//!
//! The numbers are drawn without the input being at hand, so that a device need not give it back for them, and the rest
//! is a kernel's, which fuses with what is around it. Only where memory has the elements in order: the generator fills
//! memory, not places.

use fx::aten::Aten;
use fx::{Arg, NodeId, Scalar};
use symshapes::{DType, DeviceKind};

use super::{Args, Builder, Decompose, Promise, Rewrite, Value, unsupported};
use crate::calls::{self, CallKind};
use crate::tensor_ir::{self as tir, Call, CallResult, Op, Tensor, contiguous_strides};

impl Decompose<'_> {
    /// `dropout` and `native_dropout` in training, each with its own roundings.
    pub(super) fn dropout(&mut self, id: NodeId, overload: Aten) -> Rewrite<Value> {
        let is_native = match overload {
            Aten::native_dropout_default => true,
            Aten::dropout_default => false,
            _ => return unsupported("another operator"),
        };
        if self.config.options.device.kind != DeviceKind::Cpu {
            return unsupported("a device whose generator draws in the operator's own kernel");
        }
        let Ok(Some(promises)) = self.promises(id) else { return unsupported("results of unknown shape") };
        let Some(Some(result)) = promises.first() else { return unsupported("another result") };
        let dense = contiguous_strides(&mut self.b.graph.pool, &result.sizes);
        if !result.dtype.is_float() || promises.iter().flatten().any(|promise| promise.strides != dense) {
            return unsupported("elements in another order");
        }
        if self.check_dtypes(id, &promises).is_err() {
            return unsupported("what no kernel computes with");
        }
        let node = &self.graph[id];
        let Ok(bound) = overload.bind(&node.args, &node.kwargs) else { return unsupported("other arguments") };
        let args = Args { bound: &bound, values: &self.values, results: &promises };
        let (x, stays) = (args.operand(&mut self.b, "input")?, 1.0 - args.float("p")?);
        let is_plain = is_native || (stays > 0.0 && stays < 1.0 && !self.b.may_be_empty(x));
        if !args.bool("train")? || !is_plain {
            return unsupported("nothing to draw");
        }
        let kept = Promise { dtype: DType::Bool, ..result.clone() };
        let mask = self.mask(id, &kept, stays);
        let computed = self.b.dtype(x);
        let kept = self.b.convert(mask, computed);
        let factor = self.b.mul_lit(kept, factor(stays, is_native, result.dtype));
        let scaled = self.b.mul(x, factor);
        let scaled = self.b.convert(scaled, result.dtype);
        self.b.graph.tensors[scaled].strides = Some(dense);
        let [scaled, mask] = [scaled, mask].map(Value::Tensor);
        Ok(if is_native { Value::Tuple(vec![Some(scaled), Some(mask)]) } else { scaled })
    }

    /// The mask of the elements that stay: drawn into memory that nobody has written to.
    fn mask(&mut self, id: NodeId, kept: &Promise, stays: f64) -> Tensor {
        let sizes = kept.sizes.iter().map(|&e| self.b.graph.pool.as_int(e).map_or(Arg::Sym(e), Arg::Int));
        let sizes = tir::Arg::Plain(Arg::List(sizes.collect()));
        let of_bools = [("dtype", Arg::DType(kept.dtype)), ("device", Arg::Device(self.config.options.device))];
        let of_bools = of_bools.map(|(name, value)| (name.to_owned(), tir::Arg::Plain(value)));
        let room = self.drawn(id, Aten::empty_memory_format, (vec![sizes], of_bools.to_vec()), kept, false);
        let drawn = vec![tir::Arg::Tensor(room), tir::Arg::Plain(Arg::Float(stays))];
        self.drawn(id, Aten::bernoulli_p, (drawn, Vec::new()), kept, true)
    }

    /// The result of a call of eager's, which comes in program order where it draws.
    fn drawn(
        &mut self,
        id: NodeId,
        op: Aten,
        (args, kwargs): (Vec<tir::Arg>, Vec<(String, tir::Arg)>),
        promise: &Promise,
        ordered: bool,
    ) -> Tensor {
        let call = self.b.graph.calls.next_key();
        let t = self.b.push(Op::Result(call, 0), promise.dtype, &promise.sizes);
        self.b.graph.tensors[t].strides = Some(promise.strides.clone());
        let (target, results) = (op.into(), vec![CallResult::Tensor(t)]);
        let (kind, tuple) = (CallKind::Extern, false);
        let call = calls::Call { target, node: id, args, kwargs, results, tuple, kind };
        self.b.graph.calls.push(Call { call, planned: false, ordered });
        t
    }
}

/// The factor by which elements that stay are scaled: eager divides 1 in the dtype, or (in `native_dropout`) rounds a
/// quotient to it.
fn factor(stays: f64, is_native: bool, dtype: DType) -> f64 {
    let quotient = match dtype {
        _ if stays == 0.0 => 0.0,
        _ if is_native || dtype == DType::F64 => 1.0 / stays,
        _ => f64::from(1.0 / stays as f32),
    };
    Scalar::Float(quotient).round_to(dtype).as_f64()
}

/// `grad * mask * scale`
pub(crate) fn backward(b: &mut Builder, a: &Args) -> Rewrite {
    let grad = a.operand(b, "grad_output")?;
    let mask = a.operand(b, "mask")?;
    let scaled = b.mul_lit(mask, a.float("scale")?);
    Ok(b.mul(grad, scaled))
}
