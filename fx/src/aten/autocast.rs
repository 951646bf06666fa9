//! The cast policies of automatic mixed precision (autocast): what it does with the arguments of an operator.
//!
//! A table for each kind of device, after the registrations for the dispatch keys `AutocastCPU` and `AutocastCUDA` in
//! `aten/src/ATen/autocast_mode.cpp`. A row names operators without overloads. Of those in no row, the CPU's take their
//! arguments as they are, a GPU's are [`Cast::Unknown`]: many there are composed of others that are registered.
//! Invariant: an operator of [`Cast::Keep`] calls none that converts. Modes are the caller's to know.

use symshapes::{DType, DeviceKind};

/// What a call does with its arguments.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cast {
    /// They become the chosen type (`lower_precision_fp`).
    Lower,
    /// They become 32 bits wide (`fp32`).
    Full,
    /// The first becomes 32 bits wide, unless the call names the element type of its result (`fp32_set_opt_dtype`).
    FullResult,
    /// They become the widest type among them (`promote`).
    Widest,
    /// They stay what they are.
    Keep,
    /// It calls others that widen: what has 32 bits stays, the rest is not known.
    Composed,
    /// It calls others, which do one thing or another.
    Unknown,
}

impl Cast {
    /// The types that arguments of these types become, if `chosen` is the mode's; `None` where that is not known, or is
    /// an error.
    pub fn converted(self, dtypes: &[DType], chosen: DType) -> Option<Vec<DType>> {
        // Doubles are left alone.
        let is_eligible = |dtype: DType| dtype.is_float() && dtype != DType::F64;
        let all_are = |known: &[DType]| dtypes.iter().all(|dtype| !is_eligible(*dtype) || known.contains(dtype));
        let to = match self {
            Cast::Lower => chosen,
            Cast::Full | Cast::FullResult => DType::F32,
            Cast::Widest if !all_are(&[DType::F32, chosen]) => return None,
            Cast::Widest if dtypes.contains(&DType::F32) => DType::F32,
            Cast::Widest => chosen,
            Cast::Composed if !all_are(&[DType::F32]) => return None,
            Cast::Composed | Cast::Keep => return Some(dtypes.to_vec()),
            Cast::Unknown => return None,
        };
        let is_cast = |place: usize| self != Cast::FullResult || place == 0;
        let one = |(place, &dtype)| if is_cast(place) && is_eligible(dtype) { to } else { dtype };
        Some(dtypes.iter().enumerate().map(one).collect())
    }
}

/// The rows of the CPU: operators without overload.
const CPU: &[(Cast, &str)] = &[
    (
        Cast::Lower,
        "conv1d conv2d conv3d bmm mm baddbmm addmm addbmm linear matmul conv_tbc conv_transpose1d conv_transpose2d \
         conv_transpose3d prelu scaled_dot_product_attention linalg_vecdot convolution _convolution",
    ),
    (
        Cast::Full,
        "avg_pool3d binary_cross_entropy grid_sampler polar prod quantile nanquantile stft cdist trace view_as_complex \
         cholesky cholesky_inverse cholesky_solve inverse lu_solve orgqr ormqr pinverse max_pool3d max_unpool2d \
         max_unpool3d adaptive_avg_pool3d reflection_pad1d reflection_pad2d replication_pad1d replication_pad2d \
         replication_pad3d mse_loss cosine_embedding_loss nll_loss nll_loss2d hinge_embedding_loss poisson_nll_loss \
         smooth_l1_loss cross_entropy_loss l1_loss huber_loss margin_ranking_loss soft_margin_loss \
         triplet_margin_loss multi_margin_loss ctc_loss kl_div multilabel_margin_loss \
         binary_cross_entropy_with_logits geqrf _lu_with_info qr svd triangular_solve multilabel_margin_loss_forward \
         adaptive_max_pool3d fractional_max_pool2d fractional_max_pool3d grid_sampler_2d grid_sampler_3d \
         _grid_sampler_2d_cpu_fallback",
    ),
    (Cast::Widest, "stack cat index_copy"),
    (
        Cast::Unknown,
        "einsum tensordot bilinear chain_matmul inner kron lstm gru rnn_tanh rnn_relu lstm_cell gru_cell \
         cosine_similarity pairwise_distance multi_head_attention_forward _scaled_dot_product_attention_math \
         nll_loss_nd mv addmv concat concatenate hstack vstack dstack column_stack row_stack block_diag matrix_exp \
         matrix_power outer cov corrcoef pad _pad_enum istft gradient diff cartesian_prod combinations det logdet \
         slogdet rnn_relu_cell rnn_tanh_cell _convolution_mode thnn_conv2d flatten_dense_tensors _addmm_activation \
         _native_multi_head_attention mkldnn_rnn_layer fake_quantize_per_tensor_affine",
    ),
];

/// The rows of a GPU: operators without overload, and in-place forms that differ from theirs.
const CUDA: &[(Cast, &str)] = &[
    (
        Cast::Lower,
        "_convolution conv1d conv2d conv3d conv_tbc conv_transpose1d conv_transpose2d conv_transpose3d convolution \
         cudnn_convolution cudnn_convolution_transpose prelu addmm addmv addr matmul einsum mm mv linalg_vecdot linear \
         addbmm baddbmm bmm chain_matmul linalg_multi_dot lstm_cell gru_cell rnn_tanh_cell rnn_relu_cell \
         scaled_dot_product_attention",
    ),
    (
        Cast::Full,
        "acos asin cosh erfinv exp expm1 log log10 log2 log1p reciprocal rsqrt sinh tan pow softplus layer_norm \
         native_layer_norm rms_norm group_norm cosine_similarity poisson_nll_loss cosine_embedding_loss nll_loss \
         nll_loss2d nll_loss_nd hinge_embedding_loss kl_div l1_loss smooth_l1_loss huber_loss mse_loss \
         margin_ranking_loss multilabel_margin_loss soft_margin_loss triplet_margin_loss multi_margin_loss \
         binary_cross_entropy_with_logits dist pdist cdist renorm logsumexp upsample_nearest1d \
         _upsample_nearest_exact1d upsample_nearest2d _upsample_nearest_exact2d upsample_nearest3d \
         _upsample_nearest_exact3d upsample_linear1d upsample_bilinear2d _upsample_bilinear2d_aa upsample_trilinear3d \
         upsample_bicubic2d _upsample_bicubic2d_aa",
    ),
    (Cast::FullResult, "prod softmax log_softmax cumprod cumsum linalg_vector_norm sum"),
    (Cast::Widest, "addcdiv addcmul atan2 bilinear cross dot vdot grid_sampler index_put tensordot scatter_add"),
    (Cast::Composed, "cross_entropy_loss square float_power"),
    (
        // `binary_cross_entropy` is refused. Others are registered in ways of their own.
        Cast::Unknown,
        "binary_cross_entropy norm frobenius_norm nuclear_norm linalg_matrix_norm linalg_matrix_sqrth _cudnn_rnn \
         _thnn_fused_gru_cell _thnn_fused_lstm_cell _scaled_dot_product_flash_attention",
    ),
    // One kernel for each element, or one that computes in a type of its own.
    (
        Cast::Keep,
        "abs absolute acosh add all amax amin any argmax argmin asinh atan atanh bitwise_and bitwise_left_shift \
         bitwise_not bitwise_or bitwise_right_shift bitwise_xor ceil celu clamp clamp_max clamp_min clip copysign cos \
         count_nonzero deg2rad digamma div divide elu eq erf erfc exp2 fix floor floor_divide fmax fmin fmod frac ge \
         gelu glu greater greater_equal gt hardshrink hardsigmoid hardswish hardtanh heaviside hypot isfinite isinf isnan \
         isneginf isposinf le leaky_relu lerp less less_equal lgamma log_sigmoid logaddexp logit logical_and logical_not \
         logical_or logical_xor lt max maximum mean median min minimum mish mul multiply nan_to_num ne neg negative \
         not_equal positive rad2deg relu relu6 remainder round rsub selu sgn sigmoid sign signbit silu sin sinc softshrink sqrt std \
         std_mean sub subtract tanh threshold true_divide trunc var var_mean where xlogy",
    ),
    // Elements are moved, found or made.
    (
        Cast::Keep,
        "adjoint alias arange argsort as_strided bernoulli bernoulli_ broadcast_tensors broadcast_to cat channel_shuffle chunk clone \
         constant_pad_nd contiguous copy_ detach diag diagonal dropout embedding empty empty_like expand expand_as \
         exponential_ eye fill_ flatten flip full full_like gather hstack index index_add index_copy index_fill index_select \
         lift_fresh_copy linspace masked_fill masked_scatter masked_select meshgrid moveaxis movedim narrow new_empty \
         new_full new_ones new_zeros nonzero normal_ numel one_hot ones ones_like outer pad permute pixel_shuffle \
         pixel_unshuffle rand rand_like randint randn randn_like random_ randperm repeat repeat_interleave reshape \
         reshape_as roll rot90 scalar_tensor scatter select slice sort split split_with_sizes squeeze stack swapaxes \
         swapdims sym_numel sym_size sym_stride t take take_along_dim tile to _to_copy topk transpose tril triu \
         type_as unbind unflatten unfold uniform_ unsqueeze view view_as vstack zero_ zeros zeros_like",
    ),
    // Normalization and pooling with kernels of their own.
    (
        Cast::Keep,
        "adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool2d avg_pool1d avg_pool2d \
         avg_pool3d batch_norm instance_norm max_pool1d max_pool2d max_pool2d_with_indices max_pool3d \
         native_batch_norm native_dropout",
    ),
    // In-place forms are not registered.
    (
        Cast::Keep,
        "addcdiv_ addcmul_ cumprod_ cumsum_ exp_ expm1_ index_put_ log10_ log1p_ log2_ log_ pow_ reciprocal_ rsqrt_ \
         scatter_add_",
    ),
];

/// The cast policy of an overload, such as `aten.mm.default`, for its arguments on a kind of device.
pub fn cast(target: &str, device: DeviceKind) -> Cast {
    let Some(name) = target.strip_prefix("aten.") else { return Cast::Keep };
    let (base, overload) = name.split_once('.').unwrap_or((name, ""));
    let rows = match device {
        DeviceKind::Cpu => CPU,
        DeviceKind::Cuda => CUDA,
        DeviceKind::Meta | DeviceKind::Other => return Cast::Unknown,
    };
    let row = |base: &str| {
        rows.iter().find(|(_, names)| names.split_whitespace().any(|name| name == base)).map(|&(cast, _)| cast)
    };
    match (row(base), device) {
        (Some(Cast::Keep), _) => Cast::Keep,
        // Forms that write to `out` are not registered.
        (Some(_), _) if overload.ends_with("out") => Cast::Unknown,
        (Some(cast), _) => cast,
        (None, DeviceKind::Cpu) if base.starts_with("linalg_") || base.starts_with("fft_") => Cast::Unknown,
        (None, DeviceKind::Cpu) => Cast::Keep,
        (None, _) if base.strip_suffix('_').and_then(row) == Some(Cast::Keep) => Cast::Keep,
        (None, _) => Cast::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn casts<const N: usize>(device: DeviceKind, targets: [&str; N]) -> [Cast; N] {
        targets.map(|target| cast(target, device))
    }

    #[test]
    fn an_operator_has_one_row() {
        for rows in [CPU, CUDA] {
            let mut names: Vec<&str> = rows.iter().flat_map(|(_, names)| names.split_whitespace()).collect();
            names.sort_unstable();
            let twice: Vec<&[&str]> = names.windows(2).filter(|pair| pair[0] == pair[1]).collect();
            assert!(twice.is_empty(), "{twice:?}");
        }
    }

    #[test]
    fn rows_name_published_operators() {
        let base = |name: &'static str| name.split_once('.').map_or(name, |(base, _)| base);
        let bases: rustc_hash::FxHashSet<&str> = crate::aten::names().map(base).collect();
        for name in CUDA.iter().flat_map(|(_, names)| names.split_whitespace()) {
            assert!(bases.contains(name), "{name}");
        }
    }

    #[test]
    fn overloads_do_what_their_operator_does() {
        let targets = ["aten.mm.default", "aten.cat.out", "aten.prod.int", "aten.cov.default", "aten.add.Tensor"];
        let found = casts(DeviceKind::Cpu, targets);
        assert_eq!(found, [Cast::Lower, Cast::Unknown, Cast::Full, Cast::Unknown, Cast::Keep]);
        assert_eq!(casts(DeviceKind::Cpu, ["aten.linalg_qr.default", "torch.mm"]), [Cast::Unknown, Cast::Keep]);
    }

    #[test]
    fn devices_differ() {
        let targets = ["aten.exp.default", "aten.cat.default", "aten.sum.dim_IntList", "aten.stft.default"];
        assert_eq!(casts(DeviceKind::Cpu, targets), [Cast::Keep, Cast::Widest, Cast::Keep, Cast::Full]);
        assert_eq!(casts(DeviceKind::Cuda, targets), [Cast::Full, Cast::Keep, Cast::FullResult, Cast::Unknown]);
        assert_eq!(casts(DeviceKind::Other, targets), [Cast::Unknown; 4]);
    }

    #[test]
    fn in_place_forms_are_not_registered() {
        let targets = ["aten.add_.Tensor", "aten.exp_.default", "aten.square_.default", "aten.addmm_.default"];
        assert_eq!(casts(DeviceKind::Cuda, targets), [Cast::Keep, Cast::Keep, Cast::Unknown, Cast::Unknown]);
    }

    #[test]
    fn doubles_and_integers_stay() {
        let others = [DType::F64, DType::I64, DType::Bool];
        for cast in [Cast::Lower, Cast::Full, Cast::FullResult, Cast::Widest, Cast::Composed] {
            assert_eq!(cast.converted(&others, DType::BF16), Some(others.to_vec()));
        }
    }

    #[test]
    fn what_becomes_of_element_types() {
        use DType::{BF16, F16, F32};
        let rows = [
            (Cast::Lower, [F16, F32], Some([BF16, BF16])),
            (Cast::Full, [F16, BF16], Some([F32, F32])),
            (Cast::FullResult, [BF16, BF16], Some([F32, BF16])),
            (Cast::Widest, [BF16, F32], Some([F32, F32])),
            // `at::autocast::prioritize` knows two types.
            (Cast::Widest, [F16, F32], None),
            (Cast::Composed, [F32, F32], Some([F32, F32])),
            (Cast::Composed, [F32, BF16], None),
            (Cast::Unknown, [F32, F32], None),
        ];
        for (cast, dtypes, expected) in rows {
            assert_eq!(cast.converted(&dtypes, BF16), expected.map(|types| types.to_vec()), "{cast:?} {dtypes:?}");
        }
    }
}
