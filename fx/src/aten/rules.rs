//! What the compiler does with each ATen overload: one row each.
//!
//! An overload without a row is called as eager would call it (a fallback). The schemas stand in `schemas.txt`; this
//! table says only how an overload comes down to primitives.

use crate::prim::{Pointwise, Reduction};
use rustc_hash::FxHashMap;
use std::sync::OnceLock;

/// What the compiler does with an overload.
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
    /// Random numbers: drawn by eager's own generator, in program order.
    Random,
    /// Sorting and selection.
    Sort,
    /// An embedding's or index's backward, which adds into rows.
    Scatter,
}

impl Extern {
    /// True if the result lies with channels last where the first argument does.
    pub fn keeps_format(self) -> bool {
        matches!(self, Extern::Convolution | Extern::Pooling | Extern::Resampling)
    }
}

macro_rules! rules {
    (
        maps { $($map_name:literal => $map:ident,)* }
        reductions { $($red_name:literal => $red:ident,)* }
        composites { $($($comp_name:literal)|+ => $comp:ident,)* }
        externs { $($ext_name:literal => $ext:ident,)* }
    ) => {
        /// The compositions, one for each row of the table.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Composite {
            $(
                #[doc = concat!($("`aten.", $comp_name, "` ",)+)]
                $comp,
            )*
        }

        /// Every row: the overload's name without the namespace, and the rule.
        pub const RULES: &[(&str, Rule)] = &[
            $(($map_name, Rule::Map(Pointwise::$map)),)*
            $(($red_name, Rule::Reduce(Reduction::$red)),)*
            $($(($comp_name, Rule::Compose(Composite::$comp)),)+)*
            $(($ext_name, Rule::Extern(Extern::$ext)),)*
        ];
    };
}

rules! {
    maps {
        "neg.default" => Neg,
        "abs.default" => Abs,
        "sign.default" => Sign,
        "mul.Tensor" => Mul,
        "mul.Scalar" => Mul,
        "div.Tensor" => Div,
        "div.Scalar" => Div,
        "true_divide.Tensor" => Div,
        "floor_divide.default" => FloorDiv,
        "remainder.Tensor" => Remainder,
        "remainder.Scalar" => Remainder,
        "fmod.Tensor" => Fmod,
        "fmod.Scalar" => Fmod,
        "maximum.default" => Maximum,
        "minimum.default" => Minimum,
        "pow.Tensor_Tensor" => Pow,
        "pow.Scalar" => Pow,
        "eq.Tensor" => Eq,
        "eq.Scalar" => Eq,
        "ne.Tensor" => Ne,
        "ne.Scalar" => Ne,
        "lt.Tensor" => Lt,
        "lt.Scalar" => Lt,
        "le.Tensor" => Le,
        "le.Scalar" => Le,
        "gt.Tensor" => Gt,
        "gt.Scalar" => Gt,
        "ge.Tensor" => Ge,
        "ge.Scalar" => Ge,
        "where.self" => Where,
        "where.ScalarSelf" => Where,
        "where.ScalarOther" => Where,
        "bitwise_and.Tensor" => And,
        "bitwise_and.Scalar" => And,
        "bitwise_or.Tensor" => Or,
        "bitwise_or.Scalar" => Or,
        "bitwise_xor.Tensor" => Xor,
        "bitwise_xor.Scalar" => Xor,
        "bitwise_not.default" => Not,
        "bitwise_left_shift.Tensor" => Shl,
        "bitwise_left_shift.Tensor_Scalar" => Shl,
        "bitwise_right_shift.Tensor" => Shr,
        "bitwise_right_shift.Tensor_Scalar" => Shr,
        "floor.default" => Floor,
        "ceil.default" => Ceil,
        "trunc.default" => Trunc,
        "round.default" => Round,
        "isnan.default" => IsNan,
        "isinf.default" => IsInf,
        "signbit.default" => Signbit,
        "copysign.Tensor" => Copysign,
        "copysign.Scalar" => Copysign,
        "sqrt.default" => Sqrt,
        "rsqrt.default" => Rsqrt,
        "reciprocal.default" => Reciprocal,
        "exp.default" => Exp,
        "exp2.default" => Exp2,
        "expm1.default" => Expm1,
        "log.default" => Log,
        "log2.default" => Log2,
        "log10.default" => Log10,
        "log1p.default" => Log1p,
        "sin.default" => Sin,
        "cos.default" => Cos,
        "tan.default" => Tan,
        "asin.default" => Asin,
        "acos.default" => Acos,
        "atan.default" => Atan,
        "atan2.default" => Atan2,
        "sinh.default" => Sinh,
        "cosh.default" => Cosh,
        "tanh.default" => Tanh,
        "sigmoid.default" => Sigmoid,
        "erf.default" => Erf,
        "erfc.default" => Erfc,
    }
    reductions {
        "sum.default" => Sum,
        "sum.dim_IntList" => Sum,
        "prod.default" => Prod,
        "prod.dim_int" => Prod,
        "amax.default" => Max,
        "amin.default" => Min,
        "max.default" => Max,
        "min.default" => Min,
        "any.default" => Any,
        "any.dim" => Any,
        "any.dims" => Any,
        "all.default" => All,
        "all.dim" => All,
        "all.dims" => All,
        "argmax.default" => ArgMax,
        "argmin.default" => ArgMin,
    }
    composites {
        // Arithmetic with an extra.
        "add.Tensor" | "add.Scalar" => Add,
        "sub.Tensor" | "sub.Scalar" => Sub,
        "rsub.Tensor" | "rsub.Scalar" => Rsub,
        "pow.Tensor_Scalar" => PowScalar,
        "square.default" => Square,
        "div.Tensor_mode" | "div.Scalar_mode" => DivMode,
        "addcmul.default" => Addcmul,
        "addcdiv.default" => Addcdiv,
        "lerp.Scalar" | "lerp.Tensor" => Lerp,
        "clamp.default" | "clamp.Tensor" => Clamp,
        "clamp_min.default" | "clamp_min.Tensor" => ClampMin,
        "clamp_max.default" | "clamp_max.Tensor" => ClampMax,
        "logical_not.default" => LogicalNot,
        "logical_and.default" => LogicalAnd,
        "logical_or.default" => LogicalOr,
        "logical_xor.default" => LogicalXor,
        "nan_to_num.default" => NanToNum,
        "masked_fill.Scalar" | "masked_fill.Tensor" => MaskedFill,
        // Activations and their backward.
        "relu.default" => Relu,
        "relu6.default" => Relu6,
        "gelu.default" => Gelu,
        "gelu_backward.default" => GeluBackward,
        "silu.default" => Silu,
        "silu_backward.default" => SiluBackward,
        "mish.default" => Mish,
        "elu.default" => Elu,
        "softplus.default" => Softplus,
        "leaky_relu.default" => LeakyRelu,
        "leaky_relu_backward.default" => LeakyReluBackward,
        "hardtanh.default" => Hardtanh,
        "hardtanh_backward.default" => HardtanhBackward,
        "hardsigmoid.default" => Hardsigmoid,
        "hardsigmoid_backward.default" => HardsigmoidBackward,
        "hardswish.default" => Hardswish,
        "hardswish_backward.default" => HardswishBackward,
        "threshold.default" => Threshold,
        "threshold_backward.default" => ThresholdBackward,
        "tanh_backward.default" => TanhBackward,
        "sigmoid_backward.default" => SigmoidBackward,
        "log_sigmoid_forward.default" => LogSigmoidForward,
        "native_dropout_backward.default" => DropoutBackward,
        // Reductions and norms.
        "mean.default" | "mean.dim" => Mean,
        "var.correction" => Var,
        "var_mean.correction" => VarMean,
        "max.dim" => MaxDim,
        "min.dim" => MinDim,
        "logsumexp.default" => Logsumexp,
        "_softmax.default" => Softmax,
        "_safe_softmax.default" => SafeSoftmax,
        "_log_softmax.default" => LogSoftmax,
        "_softmax_backward_data.default" => SoftmaxBackward,
        "_log_softmax_backward_data.default" => LogSoftmaxBackward,
        "native_layer_norm.default" => LayerNorm,
        "native_layer_norm_backward.default" => LayerNormBackward,
        "_fused_rms_norm.default" => RmsNorm,
        "native_group_norm.default" => GroupNorm,
        "_native_batch_norm_legit_no_training.default" => BatchNormInference,
        "_native_batch_norm_legit_functional.default" => BatchNormTraining,
        "native_batch_norm_backward.default" => BatchNormBackward,
        "mse_loss.default" => MseLoss,
        "nll_loss_forward.default" => NllLossForward,
        "nll_loss_backward.default" => NllLossBackward,
        // Views and copies.
        "view.default" | "_unsafe_view.default" | "reshape.default" => Reshape,
        "t.default" => T,
        "transpose.int" => Transpose,
        "permute.default" => Permute,
        "expand.default" => Expand,
        "squeeze.default" | "squeeze.dim" | "squeeze.dims" => Squeeze,
        "unsqueeze.default" => Unsqueeze,
        "select.int" => Select,
        "slice.Tensor" => Slice,
        "split.Tensor" | "split_with_sizes.default" => Split,
        "unbind.int" => Unbind,
        "flip.default" => Flip,
        "alias.default" | "detach.default" | "lift_fresh_copy.default" => Alias,
        "clone.default" => Clone,
        "_to_copy.default" => ToCopy,
        "cat.default" => Cat,
        "stack.default" => Stack,
        "constant_pad_nd.default" => ConstantPad,
        "repeat.default" => Repeat,
        "select_backward.default" => SelectBackward,
        "slice_backward.default" => SliceBackward,
        "tril.default" => Tril,
        "triu.default" => Triu,
        // Creation.
        "arange.default" | "arange.start" | "arange.start_step" => Arange,
        "full.default" => Full,
        "full_like.default" => FullLike,
        "zeros.default" => Zeros,
        "zeros_like.default" | "new_zeros.default" => ZerosLike,
        "ones.default" => Ones,
        "ones_like.default" | "new_ones.default" => OnesLike,
        "new_full.default" => NewFull,
        "scalar_tensor.default" => ScalarTensor,
        "empty.memory_format" | "empty_like.default" | "new_empty.default" | "empty_strided.default" => Empty,
        // Indexing.
        "embedding.default" => Embedding,
        "index.Tensor" => Index,
        "index_select.default" => IndexSelect,
        "gather.default" => Gather,
        "cumsum.default" => Cumsum,
    }
    externs {
        "mm.default" => MatMul,
        "addmm.default" => MatMul,
        "bmm.default" => MatMul,
        "baddbmm.default" => MatMul,
        "convolution.default" => Convolution,
        "convolution_backward.default" => ConvolutionBackward,
        "_scaled_dot_product_flash_attention_for_cpu.default" => Attention,
        "_scaled_dot_product_flash_attention_for_cpu_backward.default" => Attention,
        "max_pool2d_with_indices.default" => Pooling,
        "max_pool2d_with_indices_backward.default" => PoolingBackward,
        "avg_pool2d.default" => Pooling,
        "avg_pool2d_backward.default" => PoolingBackward,
        "_adaptive_avg_pool2d.default" => Pooling,
        "_adaptive_avg_pool2d_backward.default" => PoolingBackward,
        "upsample_nearest2d.vec" => Resampling,
        "upsample_bilinear2d.vec" => Resampling,
        "native_dropout.default" => Random,
        "bernoulli.p" => Random,
        "bernoulli.default" => Random,
        "rand.default" => Random,
        "rand_like.default" => Random,
        "randn.default" => Random,
        "randn_like.default" => Random,
        "randint.default" => Random,
        "randint.low" => Random,
        "randperm.default" => Random,
        "multinomial.default" => Random,
        "sort.default" => Sort,
        "sort.stable" => Sort,
        "topk.default" => Sort,
        "embedding_dense_backward.default" => Scatter,
        "index_put.default" => Scatter,
        "_index_put.default" => Scatter,
        "scatter_add.default" => Scatter,
    }
}

/// The rule for an overload, given by its name without the namespace (`add.Tensor`).
pub fn rule(name: &str) -> Option<Rule> {
    static INDEX: OnceLock<FxHashMap<&'static str, Rule>> = OnceLock::new();
    INDEX.get_or_init(|| RULES.iter().copied().collect()).get(name).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_overload_has_one_row() {
        let mut names: Vec<&str> = RULES.iter().map(|(name, _)| *name).collect();
        names.sort_unstable();
        let total = names.len();
        names.dedup();
        assert_eq!(names.len(), total);
    }
}
