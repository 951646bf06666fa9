//! The derivative of each operator: one row each, as `derivatives.yaml` has it.
//!
//! A part of a formula names the parameters that it gives gradients by. Names in it are arguments, `grad` (`grad1` by
//! the second result), `result` (`result1`), and `mask`, the list of whether each of the part's gradients is asked for.
//! A gradient is summed over what was broadcast and takes the operand's element type by itself.

use crate::build::Outcome;
use crate::derivative::Derivative;
use crate::expression::{Formula, formula};
use crate::products;
use crate::rules::{self, Rule};
use fx::aten::{Aten, Bound};
use fx::{Arg, ops};
use rustc_hash::FxHashMap;
use std::sync::OnceLock;

/// A derivative.
enum Row {
    Formula(Formula),
    Rule(Rule),
}

/// Overloads and their formula.
const FORMULAS: &[(&[Aten], &str)] = &[
    // Sums and products.
    (ops![add_Tensor add_Scalar], "self: grad; other: grad * alpha"),
    (ops![sub_Tensor sub_Scalar], "self: grad; other: -grad * alpha"),
    (ops![rsub_Tensor rsub_Scalar], "self: -grad * alpha; other: grad"),
    (ops![mul_Tensor mul_Scalar], "self: grad * other; other: grad * self"),
    (ops![div_Tensor div_Scalar], "self: grad / other; other: -grad * ((self / other) / other)"),
    (ops![remainder_Scalar fmod_Scalar], "self: grad"),
    (ops![addcmul_default], "self: grad; tensor1: grad * (tensor2 * value); tensor2: grad * (tensor1 * value)"),
    (
        ops![addcdiv_default],
        "self: grad; tensor1: grad * (value / tensor2); tensor2: -grad * ((value * tensor1) / (tensor2 * tensor2))",
    ),
    (ops![remainder_Tensor], "self: grad; other: -grad * floor_div(self, other)"),
    (ops![fmod_Tensor], "self: grad; other: -grad * trunc_div(self, other)"),
    (ops![copysign_Tensor], "self: grad * masked_fill.Scalar(result / self, self == 0, 0); other: zeros_like(grad)"),
    (ops![copysign_Scalar], "self: grad * masked_fill.Scalar(result / self, self == 0, 0)"),
    (ops![lerp_Scalar], "self: grad * (1 - weight); end: grad * weight"),
    (ops![lerp_Tensor], "self: grad * (1 - weight); end: grad * weight; weight: grad * (end - self)"),
    (ops![neg_default], "self: -grad"),
    (ops![abs_default], "self: grad * sgn(self)"),
    (ops![reciprocal_default], "self: -grad * (result * result)"),
    (
        ops![ceil_default floor_default round_default round_decimals trunc_default sign_default sgn_default],
        "self: zeros_like(grad)",
    ),
    (ops![frac_default], "self: grad"),
    (ops![deg2rad_default], "self: grad * 0.017453292519943295"),
    (ops![rad2deg_default], "self: grad * 57.29577951308232"),
    (ops![nan_to_num_default], "self: grad * isfinite(self)"),
    (ops![take_default], "self: put(zeros(self), index, grad, True)"),
    // Powers, exponentials, logarithms.
    (ops![pow_Scalar], "exponent: grad * (result * ln(self))"),
    (
        ops![pow_Tensor_Tensor],
        "self: grad * where.ScalarSelf(exponent == 0, 0, exponent * self ** (exponent - 1)); \
         exponent: grad * where.ScalarSelf(logical_and(self == 0, exponent >= 0), 0, result * log(self))",
    ),
    (ops![sqrt_default], "self: grad / (2 * result)"),
    (ops![rsqrt_default], "self: -0.5 * grad * result ** 3"),
    (ops![exp_default], "self: grad * result"),
    (ops![exp2_default], "self: grad * result * 0.6931471805599453"),
    (ops![expm1_default], "self: grad * (result + 1)"),
    (ops![log_default], "self: grad / self"),
    (ops![log2_default], "self: grad / (self * 0.6931471805599453)"),
    (ops![log10_default], "self: grad / (self * 2.302585092994046)"),
    (ops![log1p_default], "self: grad / (self + 1)"),
    (ops![logaddexp_default], "self: grad / (1 + exp(other - self)); other: grad / (1 + exp(self - other))"),
    (ops![logaddexp2_default], "self: grad / (1 + exp2(other - self)); other: grad / (1 + exp2(self - other))"),
    (
        ops![xlogy_Tensor],
        "self: masked_fill.Scalar(xlogy.Tensor(grad, other), logical_and(self == 0, other <= 0), 0); \
         other: grad * self / other",
    ),
    (ops![logit_default], "self: logit_backward(grad, self, eps)"),
    (ops![erfinv_default], "self: 0.8862269254527579 * exp(result ** 2) * grad"),
    (ops![erf_default], "self: 1.1283791670955126 * exp(-(self ** 2)) * grad"),
    (ops![erfc_default], "self: -1.1283791670955126 * exp(-(self ** 2)) * grad"),
    (ops![lgamma_default], "self: grad * digamma(self)"),
    (ops![digamma_default], "self: grad * polygamma(1, self)"),
    (ops![i0_default], "self: grad * i1(self)"),
    (ops![special_i0e_default], "self: grad * (i1e(self) - sgn(self) * result)"),
    (ops![special_entr_default], "self: grad * -(log(self) + 1)"),
    (ops![special_erfcx_default], "self: (2 * self * result - 1.1283791670955126) * grad"),
    (ops![special_log_ndtr_default], "self: grad / erfcx(self * -0.7071067811865476) * 0.7978845608028654"),
    (ops![special_ndtri_default], "self: grad * 2.5066282746310002 * exp(result * result / 2)"),
    (
        ops![special_xlog1py_default],
        "self: masked_fill.Scalar(grad * log1p(other), logical_and(self == 0, other <= -1), 0); \
         other: grad * self / (other + 1)",
    ),
    // Trigonometry.
    (ops![sin_default], "self: grad * cos(self)"),
    (ops![cos_default], "self: grad * -sin(self)"),
    (ops![tan_default], "self: grad * (1 + result ** 2)"),
    (ops![sinh_default], "self: grad * cosh(self)"),
    (ops![cosh_default], "self: grad * sinh(self)"),
    (ops![tanh_default], "self: tanh_backward(grad, result)"),
    (ops![asin_default], "self: grad * rsqrt(1 - self * self)"),
    (ops![acos_default], "self: grad * -rsqrt(1 - self * self)"),
    (ops![atan_default], "self: grad / (self * self + 1)"),
    (ops![asinh_default], "self: grad * rsqrt(self * self + 1)"),
    (ops![acosh_default], "self: grad * rsqrt(self * self - 1)"),
    (ops![atanh_default], "self: grad * (1 / (1 - self * self))"),
    (
        ops![atan2_default],
        "self: grad * (other * reciprocal(self * self + other * other)); \
         other: grad * -(self * reciprocal(self * self + other * other))",
    ),
    (ops![hypot_default], "self: grad * (self / result); other: grad * (other / result)"),
    (
        ops![sinc_default],
        "self: where.ScalarSelf(self * self == 0, 0, grad * ((self * 3.141592653589793 * cos(self * 3.141592653589793) \
         - sin(self * 3.141592653589793)) / (self * self * 3.141592653589793)))",
    ),
    // Activations.
    (ops![sigmoid_default], "self: sigmoid_backward(grad, result)"),
    (ops![relu_default], "self: threshold_backward(grad, result, 0)"),
    (ops![relu6_default], "self: hardtanh_backward(grad, self, 0, 6)"),
    (ops![leaky_relu_default], "self: leaky_relu_backward(grad, self, negative_slope, False)"),
    (ops![elu_default], "self: elu_backward(grad, alpha, scale, input_scale, False, self)"),
    (ops![celu_default], "self: elu_backward(grad, alpha, 1, 1 / alpha, False, self)"),
    (ops![selu_default], "self: elu_backward(grad, 1.6732632423543772, 1.0507009873554805, 1, False, self)"),
    (ops![gelu_default], "self: gelu_backward(grad, self, approximate=approximate)"),
    (ops![silu_default], "self: silu_backward(grad, self)"),
    (ops![mish_default], "self: mish_backward(grad, self)"),
    (ops![hardsigmoid_default], "self: hardsigmoid_backward(grad, self)"),
    (ops![hardswish_default], "self: hardswish_backward(grad, self)"),
    (ops![hardtanh_default], "self: hardtanh_backward(grad, self, min_val, max_val)"),
    (ops![softplus_default], "self: softplus_backward(grad, self, beta, threshold)"),
    (ops![log_sigmoid_forward_default], "self: log_sigmoid_backward(grad, self, result1)"),
    (ops![threshold_default], "self: threshold_backward(grad, self, threshold)"),
    (
        ops![hardshrink_default softshrink_default],
        "self: where.ScalarSelf(logical_and(self >= -lambd, self <= lambd), 0, grad)",
    ),
    (
        ops![_prelu_kernel_default],
        "self: where.self(self > 0, grad, grad * weight); weight: where.ScalarSelf(self > 0, 0, grad * self)",
    ),
    (ops![glu_default], "self: glu_backward(grad, self, dim)"),
    (ops![native_dropout_default], "input: native_dropout_backward(grad, result1, dropout_scale(p, train))"),
    // Choices.
    (ops![where_self], "self: where.ScalarOther(condition, grad, 0); other: where.ScalarSelf(condition, 0, grad)"),
    (ops![where_ScalarOther], "self: where.ScalarOther(condition, grad, 0)"),
    (ops![where_ScalarSelf], "other: where.ScalarSelf(condition, 0, grad)"),
    (
        ops![fmax_default],
        "self: where.ScalarOther(logical_or(self >= other, isnan(other)), where.self(self == other, grad / 2, grad), 0); \
         other: where.ScalarSelf(logical_or(self > other, isnan(other)), 0, where.self(self == other, grad / 2, grad))",
    ),
    (
        ops![fmin_default],
        "self: where.ScalarOther(logical_or(self <= other, isnan(other)), where.self(self == other, grad / 2, grad), 0); \
         other: where.ScalarSelf(logical_or(self < other, isnan(other)), 0, where.self(self == other, grad / 2, grad))",
    ),
    (ops![clamp_min_default], "self: where.ScalarOther(self > min, grad, 0)"),
    (ops![clamp_max_default], "self: where.ScalarOther(self < max, grad, 0)"),
    // Reductions.
    (ops![sum_default], "self: expand(grad, sizes(self))"),
    (ops![sum_dim_IntList], "self: restore(grad, self, dim, keepdim)"),
    (ops![mean_default], "self: expand(grad, sizes(self)) / numel(self)"),
    (ops![mean_dim], "self: restore(grad, self, dim, keepdim) / count(self, dim)"),
    (
        ops![amax_default amin_default],
        "self: unreduced(grad, self, dim, keepdim) * (self == unreduced(result, self, dim, keepdim)) \
         / sum.dim_IntList(self == unreduced(result, self, dim, keepdim), dim, True)",
    ),
    (ops![max_default min_default median_default nanmedian_default], "self: evenly(grad, self, result)"),
    (ops![nansum_default], "self: restore(grad, self, dim, keepdim) * logical_not(isnan(self))"),
    (ops![trace_default], "self: by_trace(grad, self)"),
    (ops![norm_ScalarOpt_dim], "self: by_norm(grad, self, result, p, dim, keepdim)"),
    (ops![linalg_vector_norm_default], "self: by_norm(grad, self, result, ord, dim, keepdim)"),
    (
        ops![logsumexp_default],
        "self: unreduced(grad, self, dim, keepdim) * exp(self - unreduced(result, self, dim, keepdim))",
    ),
    (ops![cummax_default cummin_default], "self: scatter_add(zeros(self), dim, result1, grad)"),
    (ops![cumsum_default], "self: flip(cumsum(flip(grad, [dim]), dim), [dim])"),
    (
        ops![logcumsumexp_default],
        "self: exp(summed_from_end(where.ScalarOther(grad > 0, log(abs(grad)), lowest(grad)) - result, dim) + self) \
         - exp(summed_from_end(where.ScalarOther(grad < 0, log(abs(grad)), lowest(grad)) - result, dim) + self)",
    ),
    (ops![renorm_default], "self: by_renorm(grad, self, p, dim, maxnorm)"),
    (ops![_softmax_default], "self: _softmax_backward_data(grad, result, dim, dtype(self))"),
    (ops![_safe_softmax_default], "self: _softmax_backward_data(grad, result, dim, dtype(self))"),
    (ops![_log_softmax_default], "self: _log_softmax_backward_data(grad, result, dim, dtype(self))"),
    // Products of matrices.
    (ops![mm_default], "self: by_left(grad, self, mat2); mat2: by_right(grad, self, mat2)"),
    (ops![bmm_default], "self: bmm(grad, swapped(mat2)); mat2: bmm(swapped(self), grad)"),
    (
        ops![addmm_default],
        "self: grad * beta; mat1: by_left(grad, mat1, mat2) * alpha; mat2: by_right(grad, mat1, mat2) * alpha",
    ),
    (
        ops![baddbmm_default],
        "self: grad * beta; batch1: bmm(grad, swapped(batch2)) * alpha; batch2: bmm(swapped(batch1), grad) * alpha",
    ),
    (
        ops![addbmm_default],
        "self: grad * beta; batch1: bmm(like_each(grad, batch1), swapped(batch2)) * alpha; \
         batch2: bmm(swapped(batch1), like_each(grad, batch1)) * alpha",
    ),
    (ops![mv_default], "self: unsqueeze(grad, 1) * unsqueeze(vec, 0); vec: mv(t(self), grad)"),
    (
        ops![addmv_default],
        "self: grad * beta; mat: unsqueeze(grad, 1) * unsqueeze(vec, 0) * alpha; vec: mv(t(mat), grad) * alpha",
    ),
    (ops![addr_default], "self: grad * beta; vec1: mv(grad, vec2) * alpha; vec2: mv(t(grad), vec1) * alpha"),
    (ops![vdot_default], "self: grad * other; other: grad * self"),
    (ops![dot_default], "self: grad * tensor; tensor: grad * self"),
    (
        ops![_scaled_dot_product_flash_attention_for_cpu_default],
        "query, key, value: _scaled_dot_product_flash_attention_for_cpu_backward(grad, query, key, value, result, \
         result1, dropout_p, is_causal, attn_mask=attn_mask, scale=scale)",
    ),
    // Views and copies.
    (ops![alias_copy_default expand_copy_default], "self: grad"),
    (
        ops![view_copy_default squeeze_copy_default squeeze_copy_dim squeeze_copy_dims],
        "self: reshape(grad, sizes(self))",
    ),
    (ops![unsqueeze_copy_default], "self: reshape(grad, sizes(self))"),
    (ops![t_copy_default], "self: t(grad)"),
    (ops![transpose_copy_int], "self: transpose.int(grad, dim0, dim1)"),
    (ops![permute_copy_default], "self: permute(grad, inverse(dims))"),
    (ops![alias_default clone_default contiguous_default lift_fresh_copy_default positive_default], "self: grad"),
    (ops![_to_copy_default to_dtype to_dtype_layout to_device to_other type_as_default], "self: grad"),
    (ops![view_default reshape_default flatten_using_ints unflatten_int], "self: reshape(grad, sizes(self))"),
    (ops![view_as_default reshape_as_default _reshape_alias_default], "self: reshape(grad, sizes(self))"),
    (ops![squeeze_default squeeze_dim squeeze_dims unsqueeze_default], "self: reshape(grad, sizes(self))"),
    (ops![expand_default expand_as_default broadcast_to_default], "self: grad"),
    (ops![t_default], "self: t(grad)"),
    (ops![view_as_real_default], "self: view_as_complex(contiguous(grad))"),
    (ops![view_as_complex_default], "self: view_as_real(contiguous(grad))"),
    (ops![transpose_int], "self: transpose.int(grad, dim0, dim1)"),
    (ops![permute_default], "self: permute(grad, inverse(dims))"),
    (ops![flip_default], "self: flip(grad, dims)"),
    (ops![roll_default], "self: roll(grad, negated(shifts), dims)"),
    (ops![rot90_default], "self: rot90(grad, -k, dims)"),
    (ops![diagonal_default diagonal_copy_default], "self: diagonal_scatter(zeros(self), grad, offset, dim1, dim2)"),
    (
        ops![diagonal_scatter_default],
        "self: diagonal_scatter(grad, zeros(src), offset, dim1, dim2); src: diagonal(grad, offset, dim1, dim2)",
    ),
    (ops![diag_embed_default], "self: diagonal(grad, offset, dim1, dim2)"),
    (ops![tril_default], "self: tril(grad, diagonal)"),
    (ops![triu_default], "self: triu(grad, diagonal)"),
    (ops![constant_pad_nd_default], "self: constant_pad_nd(grad, negated(pad), 0)"),
    (ops![select_int], "self: select_backward(grad, sizes(self), dim, index)"),
    (ops![unfold_default unfold_copy_default], "self: unfold_backward(grad, sizes(self), dimension, size, step)"),
    (
        ops![slice_Tensor],
        "self: slice_backward(grad, sizes(self), dim, or(start, 0), or(end, 9223372036854775807), step)",
    ),
    (ops![copy_default], "self: zeros_like(grad); src: grad"),
    (ops![fill_Scalar bernoulli_default bernoulli_p], "self: zeros_like(grad)"),
    (
        ops![slice_scatter_default],
        "self: slice_scatter(grad, zeros(src), dim, start, end, step); src: slice.Tensor(grad, dim, start, end, step)",
    ),
    (
        ops![select_scatter_default],
        "self: select_scatter(grad, zeros(src), dim, index); src: select.int(grad, dim, index)",
    ),
    // Looking up and writing at places.
    (
        ops![embedding_default],
        "weight: embedding_dense_backward(grad, indices, size(weight, 0), padding_idx, scale_grad_by_freq)",
    ),
    (ops![index_select_default], "self: index_add(zeros(self), dim, index, grad)"),
    (ops![gather_default], "self: scatter_add(zeros(self), dim, index, grad)"),
    (ops![scatter_src], "self: scatter.value(grad, dim, index, 0); src: gather(grad, dim, index)"),
    (ops![scatter_value], "self: scatter.value(grad, dim, index, 0)"),
    (ops![index_fill_int_Scalar], "self: index_fill.int_Scalar(grad, dim, index, 0)"),
    (
        ops![index_copy_default],
        "self: index_fill.int_Scalar(grad, dim, index, 0); source: index_select(grad, dim, index)",
    ),
    (ops![scatter_add_default], "self: grad; src: gather(grad, dim, index)"),
    (ops![index_add_default], "self: grad; source: index_select(grad, dim, index) * alpha"),
    // Normalisations.
    (
        ops![native_layer_norm_default],
        "input, weight, bias: \
         native_layer_norm_backward(grad, input, normalized_shape, result1, result2, weight, bias, mask)",
    ),
    (
        ops![native_group_norm_default],
        "input, weight, bias: \
         native_group_norm_backward(grad, input, result1, result2, weight, N, C, HxW, group, mask)",
    ),
    // Pooling.
    (
        ops![max_pool2d_with_indices_default],
        "self: max_pool2d_with_indices_backward(grad, self, kernel_size, stride, padding, dilation, ceil_mode, result1)",
    ),
    (
        ops![avg_pool2d_default],
        "self: avg_pool2d_backward(grad, self, kernel_size, stride, padding, ceil_mode, count_include_pad, \
         divisor_override)",
    ),
    (
        ops![upsample_bilinear2d_default],
        "self: upsample_bilinear2d_backward(grad, output_size, sizes(self), align_corners, scales_h, scales_w)",
    ),
    (
        ops![upsample_nearest2d_default],
        "self: upsample_nearest2d_backward(grad, output_size, sizes(self), scales_h, scales_w)",
    ),
    (
        ops![max_pool3d_with_indices_default],
        "self: max_pool3d_with_indices_backward(grad, self, kernel_size, stride, padding, dilation, ceil_mode, result1)",
    ),
    (
        ops![avg_pool3d_default],
        "self: avg_pool3d_backward(grad, self, kernel_size, stride, padding, ceil_mode, count_include_pad, \
         divisor_override)",
    ),
    (ops![max_unpool2d_default], "self: gathered(grad, indices, 2)"),
    (ops![max_unpool3d_default], "self: gathered(grad, indices, 3)"),
    (ops![_adaptive_avg_pool3d_default], "self: _adaptive_avg_pool3d_backward(grad, self)"),
    (ops![adaptive_max_pool2d_default], "self: adaptive_max_pool2d_backward(grad, self, result1)"),
    (ops![adaptive_max_pool3d_default], "self: adaptive_max_pool3d_backward(grad, self, result1)"),
    (ops![reflection_pad1d_default], "self: reflection_pad1d_backward(grad, self, padding)"),
    (ops![reflection_pad2d_default], "self: reflection_pad2d_backward(grad, self, padding)"),
    (ops![reflection_pad3d_default], "self: reflection_pad3d_backward(grad, self, padding)"),
    (ops![replication_pad1d_default], "self: replication_pad1d_backward(grad, self, padding)"),
    (ops![replication_pad2d_default], "self: replication_pad2d_backward(grad, self, padding)"),
    (ops![replication_pad3d_default], "self: replication_pad3d_backward(grad, self, padding)"),
    (ops![upsample_nearest1d_default], "self: upsample_nearest1d_backward(grad, output_size, sizes(self), scales)"),
    (
        ops![upsample_nearest3d_default],
        "self: upsample_nearest3d_backward(grad, output_size, sizes(self), scales_d, scales_h, scales_w)",
    ),
    (
        ops![upsample_linear1d_default],
        "self: upsample_linear1d_backward(grad, output_size, sizes(self), align_corners, scales)",
    ),
    (
        ops![upsample_bicubic2d_default],
        "self: upsample_bicubic2d_backward(grad, output_size, sizes(self), align_corners, scales_h, scales_w)",
    ),
    (
        ops![upsample_trilinear3d_default],
        "self: upsample_trilinear3d_backward(grad, output_size, sizes(self), align_corners, scales_d, scales_h, scales_w)",
    ),
    (
        ops![grid_sampler_2d_default],
        "input, grid: \
         grid_sampler_2d_backward(grad, input, grid, interpolation_mode, padding_mode, align_corners, mask)",
    ),
    (
        ops![grid_sampler_3d_default],
        "input, grid: \
         grid_sampler_3d_backward(grad, input, grid, interpolation_mode, padding_mode, align_corners, mask)",
    ),
    (ops![_adaptive_avg_pool2d_default], "self: _adaptive_avg_pool2d_backward(grad, self)"),
    (ops![im2col_default], "self: col2im(grad, image_size(self), kernel_size, dilation, padding, stride)"),
    (ops![col2im_default], "self: im2col(grad, kernel_size, dilation, padding, stride)"),
    (
        ops![_weight_norm_interface_default],
        "v, g: _weight_norm_interface_backward(contiguous(grad), v, g, result1, dim)",
    ),
    (
        ops![_cdist_forward_default],
        "x1: _cdist_backward(contiguous(grad), x1, x2, p, result); \
         x2: _cdist_backward(contiguous(transpose.int(grad, -2, -1)), x2, x1, p, contiguous(transpose.int(result, -2, -1)))",
    ),
    // Losses.
    (
        ops![nll_loss_forward_default],
        "self: nll_loss_backward(grad, self, target, weight, reduction, ignore_index, result1)",
    ),
    (
        ops![nll_loss2d_forward_default],
        "self: nll_loss2d_backward(grad, self, target, weight, reduction, ignore_index, result1)",
    ),
    (ops![soft_margin_loss_default], "self: soft_margin_loss_backward(grad, self, target, reduction)"),
    (
        ops![mse_loss_default],
        "self: mse_loss_backward(grad, self, target, reduction); target: mse_loss_backward(grad, target, self, reduction)",
    ),
    (
        ops![smooth_l1_loss_default],
        "self: smooth_l1_loss_backward(grad, self, target, reduction, beta); \
         target: smooth_l1_loss_backward(grad, target, self, reduction, beta)",
    ),
    (
        ops![huber_loss_default],
        "self: huber_loss_backward(grad, self, target, reduction, delta); \
         target: huber_loss_backward(grad, target, self, reduction, delta)",
    ),
];

/// Overloads whose derivative takes more than an expression.
const RULES: &[(&[Aten], Rule)] = &[
    (
        ops![_native_batch_norm_legit_functional_default _native_batch_norm_legit_no_training_default
            _native_batch_norm_legit_no_stats],
        rules::batch_norm,
    ),
    (ops![binary_cross_entropy_default], rules::cross_entropy_of_chances),
    (ops![binary_cross_entropy_with_logits_default], rules::cross_entropy_of_logits),
    (ops![cat_default], rules::cat),
    (ops![clamp_default clamp_Tensor], rules::clamp),
    (ops![convolution_default], rules::convolution),
    (ops![cumprod_default], products::cumprod),
    (ops![div_Tensor_mode div_Scalar_mode], rules::rounded_quotient),
    (ops![index_Tensor], rules::index),
    (ops![index_put_default], rules::index_put),
    (ops![masked_fill_Scalar masked_fill_Tensor], rules::masked_fill),
    (ops![masked_scatter_default], rules::masked_scatter),
    (
        ops![max_dim min_dim median_dim nanmedian_dim mode_default kthvalue_default sort_default sort_stable
            topk_default],
        rules::selected,
    ),
    (ops![maximum_default max_other], rules::maximum),
    (ops![clamp_min_Tensor], rules::clamp_min),
    (ops![clamp_max_Tensor], rules::clamp_max),
    (ops![minimum_default min_other], rules::minimum),
    (ops![pow_Tensor_Scalar], rules::pow),
    (ops![prod_default prod_dim_int], products::prod),
    (ops![repeat_default], rules::repeat),
    (ops![split_Tensor split_sizes split_with_sizes_default chunk_default], rules::split),
    (ops![scatter_reduce_two], rules::scatter_reduce),
    (ops![stack_default], rules::stack),
    (ops![unbind_int], rules::unbind),
    (
        ops![var_correction var_dim var_default std_correction std_dim std_default var_mean_correction var_mean_dim
            var_mean_default std_mean_correction std_mean_dim std_mean_default],
        rules::var,
    ),
];

/// The arguments by which a call asks for a gradient that is a sparse tensor.
const SPARSE: [&str; 2] = ["sparse", "sparse_grad"];

/// True for a call that asks for a gradient that is a sparse tensor.
pub(crate) fn has_sparse_gradient(bound: &Bound) -> bool {
    SPARSE.iter().any(|name| bound.has(name) && *bound.get(name) == Arg::Bool(true))
}

/// Gives the gradients by the operands of a call.
pub(crate) fn derive(call: &mut Derivative) -> Outcome {
    let op = call.bound.op();
    if has_sparse_gradient(call.bound) {
        return Err(format!("a sparse gradient of `{op}`"));
    }
    match row(op).ok_or_else(|| format!("no derivative of `{op}`"))? {
        Row::Rule(rule) => rule(call),
        Row::Formula(formula) => formula.iter().try_for_each(|(names, expression)| call.apply(names, expression)),
    }
}

/// The row of an overload.
fn row(op: Aten) -> Option<&'static Row> {
    static INDEX: OnceLock<FxHashMap<Aten, Row>> = OnceLock::new();
    INDEX.get_or_init(|| rows().collect()).get(&op)
}

/// True for an overload whose derivative, where operands are equal, is another in releases before 2.15.
pub fn is_of_latest_release(op: Aten) -> bool {
    const SHARED: &[Aten] = ops![clamp_default clamp_Tensor clamp_min_default clamp_min_Tensor clamp_max_default
        clamp_max_Tensor fmax_default fmin_default];
    SHARED.contains(&op)
}

/// True for an overload with a derivative.
pub fn has_derivative(op: Aten) -> bool {
    row(op).is_some()
}

fn rows() -> impl Iterator<Item = (Aten, Row)> {
    let formulas = FORMULAS.iter().flat_map(|&(ops, text)| ops.iter().map(move |&op| (op, text)));
    let rules = RULES.iter().flat_map(|&(ops, rule)| ops.iter().map(move |&op| (op, Row::Rule(rule))));
    formulas.map(|(op, text)| (op, Row::Formula(formula(text)))).chain(rules)
}

#[cfg(test)]
mod tests {
    use super::{Row, rows};
    use crate::composites;
    use std::collections::HashSet;

    #[test]
    fn every_row_reads_and_names_parameters_of_its_overload() {
        let mut known = HashSet::new();
        for (op, row) in rows() {
            assert!(known.insert(op), "`{op}` has two rows");
            let Row::Formula(parts) = row else { continue };
            let has = |parameter: &&str| op.schema.params.iter().any(|param| param.name == **parameter);
            assert!(parts.iter().flat_map(|(names, _)| names).any(has), "{op}: no parameter gets a gradient");
        }
        for op in composites::ops() {
            assert!(!known.contains(&op), "`{op}` is a composite and has a derivative");
        }
    }
}
