//! The derivative of each operator: one row each, as `derivatives.yaml` has it.
//!
//! A part of a formula names the parameters that it gives gradients by. Names in it are arguments, `grad` (`grad1` by
//! the second result), `result` (`result1`), and `mask`, the list of whether each of the part's gradients is asked for.
//! A gradient is summed over what was broadcast and takes the operand's element type by itself.

use crate::expression::{Formula, formula};
use crate::products;
use crate::rules::{self, Rule};
use rustc_hash::FxHashMap;
use std::sync::OnceLock;

/// A derivative.
pub(crate) enum Row {
    Formula(Formula),
    Rule(Rule),
}

/// Overloads, separated by spaces, and their formula.
const FORMULAS: &[(&str, &str)] = &[
    // Sums and products.
    ("add.Tensor add.Scalar", "self: grad; other: grad * alpha"),
    ("sub.Tensor sub.Scalar", "self: grad; other: -grad * alpha"),
    ("rsub.Tensor rsub.Scalar", "self: -grad * alpha; other: grad"),
    ("mul.Tensor mul.Scalar", "self: grad * other; other: grad * self"),
    ("div.Tensor div.Scalar", "self: grad / other; other: -grad * ((self / other) / other)"),
    ("remainder.Scalar fmod.Scalar", "self: grad"),
    ("addcmul.default", "self: grad; tensor1: grad * (tensor2 * value); tensor2: grad * (tensor1 * value)"),
    (
        "addcdiv.default",
        "self: grad; tensor1: grad * (value / tensor2); tensor2: -grad * ((value * tensor1) / (tensor2 * tensor2))",
    ),
    ("remainder.Tensor", "self: grad; other: -grad * floor_div(self, other)"),
    ("fmod.Tensor", "self: grad; other: -grad * trunc_div(self, other)"),
    ("copysign.Tensor", "self: grad * masked_fill.Scalar(result / self, self == 0, 0); other: zeros_like(grad)"),
    ("copysign.Scalar", "self: grad * masked_fill.Scalar(result / self, self == 0, 0)"),
    ("lerp.Scalar", "self: grad * (1 - weight); end: grad * weight"),
    ("lerp.Tensor", "self: grad * (1 - weight); end: grad * weight; weight: grad * (end - self)"),
    ("neg.default", "self: -grad"),
    ("abs.default", "self: grad * sgn(self)"),
    ("reciprocal.default", "self: -grad * (result * result)"),
    (
        "ceil.default floor.default round.default round.decimals trunc.default sign.default sgn.default",
        "self: zeros_like(grad)",
    ),
    ("frac.default", "self: grad"),
    ("deg2rad.default", "self: grad * 0.017453292519943295"),
    ("rad2deg.default", "self: grad * 57.29577951308232"),
    ("nan_to_num.default", "self: grad * isfinite(self)"),
    // Powers, exponentials, logarithms.
    ("pow.Scalar", "exponent: grad * (result * ln(self))"),
    (
        "pow.Tensor_Tensor",
        "self: grad * where.ScalarSelf(exponent == 0, 0, exponent * self ** (exponent - 1)); \
         exponent: grad * where.ScalarSelf(logical_and(self == 0, exponent >= 0), 0, result * log(self))",
    ),
    ("sqrt.default", "self: grad / (2 * result)"),
    ("rsqrt.default", "self: -0.5 * grad * result ** 3"),
    ("exp.default", "self: grad * result"),
    ("exp2.default", "self: grad * result * 0.6931471805599453"),
    ("expm1.default", "self: grad * (result + 1)"),
    ("log.default", "self: grad / self"),
    ("log2.default", "self: grad / (self * 0.6931471805599453)"),
    ("log10.default", "self: grad / (self * 2.302585092994046)"),
    ("log1p.default", "self: grad / (self + 1)"),
    ("logaddexp.default", "self: grad / (1 + exp(other - self)); other: grad / (1 + exp(self - other))"),
    ("logaddexp2.default", "self: grad / (1 + exp2(other - self)); other: grad / (1 + exp2(self - other))"),
    (
        "xlogy.Tensor",
        "self: masked_fill.Scalar(xlogy.Tensor(grad, other), logical_and(self == 0, other <= 0), 0); \
         other: grad * self / other",
    ),
    ("logit.default", "self: logit_backward(grad, self, eps)"),
    ("erfinv.default", "self: 0.8862269254527579 * exp(result ** 2) * grad"),
    ("erf.default", "self: 1.1283791670955126 * exp(-(self ** 2)) * grad"),
    ("erfc.default", "self: -1.1283791670955126 * exp(-(self ** 2)) * grad"),
    ("lgamma.default", "self: grad * digamma(self)"),
    ("digamma.default", "self: grad * polygamma(1, self)"),
    ("i0.default", "self: grad * i1(self)"),
    ("special_i0e.default", "self: grad * (i1e(self) - sgn(self) * result)"),
    ("special_entr.default", "self: grad * -(log(self) + 1)"),
    ("special_erfcx.default", "self: (2 * self * result - 1.1283791670955126) * grad"),
    ("special_log_ndtr.default", "self: grad / erfcx(self * -0.7071067811865476) * 0.7978845608028654"),
    ("special_ndtri.default", "self: grad * 2.5066282746310002 * exp(result * result / 2)"),
    (
        "special_xlog1py.default",
        "self: masked_fill.Scalar(grad * log1p(other), logical_and(self == 0, other <= -1), 0); \
         other: grad * self / (other + 1)",
    ),
    // Trigonometry.
    ("sin.default", "self: grad * cos(self)"),
    ("cos.default", "self: grad * -sin(self)"),
    ("tan.default", "self: grad * (1 + result ** 2)"),
    ("sinh.default", "self: grad * cosh(self)"),
    ("cosh.default", "self: grad * sinh(self)"),
    ("tanh.default", "self: tanh_backward(grad, result)"),
    ("asin.default", "self: grad * rsqrt(1 - self * self)"),
    ("acos.default", "self: grad * -rsqrt(1 - self * self)"),
    ("atan.default", "self: grad / (self * self + 1)"),
    ("asinh.default", "self: grad * rsqrt(self * self + 1)"),
    ("acosh.default", "self: grad * rsqrt(self * self - 1)"),
    ("atanh.default", "self: grad * (1 / (1 - self * self))"),
    (
        "atan2.default",
        "self: grad * (other * reciprocal(self * self + other * other)); \
         other: grad * -(self * reciprocal(self * self + other * other))",
    ),
    ("hypot.default", "self: grad * (self / result); other: grad * (other / result)"),
    (
        "sinc.default",
        "self: where.ScalarSelf(self * self == 0, 0, grad * ((self * 3.141592653589793 * cos(self * 3.141592653589793) \
         - sin(self * 3.141592653589793)) / (self * self * 3.141592653589793)))",
    ),
    // Activations.
    ("sigmoid.default", "self: sigmoid_backward(grad, result)"),
    ("relu.default", "self: threshold_backward(grad, result, 0)"),
    ("relu6.default", "self: hardtanh_backward(grad, self, 0, 6)"),
    ("leaky_relu.default", "self: leaky_relu_backward(grad, self, negative_slope, False)"),
    ("elu.default", "self: elu_backward(grad, alpha, scale, input_scale, False, self)"),
    ("celu.default", "self: elu_backward(grad, alpha, 1, 1 / alpha, False, self)"),
    ("selu.default", "self: elu_backward(grad, 1.6732632423543772, 1.0507009873554805, 1, False, self)"),
    ("gelu.default", "self: gelu_backward(grad, self, approximate=approximate)"),
    ("silu.default", "self: silu_backward(grad, self)"),
    ("mish.default", "self: mish_backward(grad, self)"),
    ("hardsigmoid.default", "self: hardsigmoid_backward(grad, self)"),
    ("hardswish.default", "self: hardswish_backward(grad, self)"),
    ("hardtanh.default", "self: hardtanh_backward(grad, self, min_val, max_val)"),
    ("softplus.default", "self: softplus_backward(grad, self, beta, threshold)"),
    ("log_sigmoid_forward.default", "self: log_sigmoid_backward(grad, self, result1)"),
    ("threshold.default", "self: threshold_backward(grad, self, threshold)"),
    (
        "hardshrink.default softshrink.default",
        "self: where.ScalarSelf(logical_and(self >= -lambd, self <= lambd), 0, grad)",
    ),
    (
        "_prelu_kernel.default",
        "self: where.self(self > 0, grad, grad * weight); weight: where.ScalarSelf(self > 0, 0, grad * self)",
    ),
    ("glu.default", "self: glu_backward(grad, self, dim)"),
    ("native_dropout.default", "input: native_dropout_backward(grad, result1, dropout_scale(p, train))"),
    // Choices.
    ("where.self", "self: where.ScalarOther(condition, grad, 0); other: where.ScalarSelf(condition, 0, grad)"),
    ("where.ScalarOther", "self: where.ScalarOther(condition, grad, 0)"),
    ("where.ScalarSelf", "other: where.ScalarSelf(condition, 0, grad)"),
    (
        "fmax.default",
        "self: where.ScalarOther(logical_or(self >= other, isnan(other)), grad, 0); \
         other: where.ScalarSelf(logical_or(self >= other, isnan(other)), 0, grad)",
    ),
    (
        "fmin.default",
        "self: where.ScalarOther(logical_or(self <= other, isnan(other)), grad, 0); \
         other: where.ScalarSelf(logical_or(self <= other, isnan(other)), 0, grad)",
    ),
    ("clamp_min.default", "self: where.ScalarOther(self >= min, grad, 0)"),
    ("clamp_min.Tensor", "self: where.ScalarOther(self >= min, grad, 0); min: where.ScalarOther(self < min, grad, 0)"),
    ("clamp_max.Tensor", "self: where.ScalarOther(self <= max, grad, 0); max: where.ScalarOther(self > max, grad, 0)"),
    ("clamp_max.default", "self: where.ScalarOther(self <= max, grad, 0)"),
    // Reductions.
    ("sum.default", "self: expand(grad, sizes(self))"),
    ("sum.dim_IntList", "self: restore(grad, self, dim, keepdim)"),
    ("mean.default", "self: expand(grad, sizes(self)) / numel(self)"),
    ("mean.dim", "self: restore(grad, self, dim, keepdim) / count(self, dim)"),
    (
        "amax.default amin.default",
        "self: unreduced(grad, self, dim, keepdim) * (self == unreduced(result, self, dim, keepdim)) \
         / sum.dim_IntList(self == unreduced(result, self, dim, keepdim), dim, True)",
    ),
    ("max.default min.default median.default nanmedian.default", "self: evenly(grad, self, result)"),
    ("nansum.default", "self: restore(grad, self, dim, keepdim) * logical_not(isnan(self))"),
    ("trace.default", "self: by_trace(grad, self)"),
    ("norm.ScalarOpt_dim", "self: by_norm(grad, self, result, p, dim, keepdim)"),
    ("linalg_vector_norm.default", "self: by_norm(grad, self, result, ord, dim, keepdim)"),
    (
        "logsumexp.default",
        "self: unreduced(grad, self, dim, keepdim) * exp(self - unreduced(result, self, dim, keepdim))",
    ),
    ("cummax.default cummin.default", "self: scatter_add(zeros(self), dim, result1, grad)"),
    ("cumsum.default", "self: flip(cumsum(flip(grad, [dim]), dim), [dim])"),
    ("_softmax.default", "self: _softmax_backward_data(grad, result, dim, dtype(self))"),
    ("_safe_softmax.default", "self: _softmax_backward_data(grad, result, dim, dtype(self))"),
    ("_log_softmax.default", "self: _log_softmax_backward_data(grad, result, dim, dtype(self))"),
    // Products of matrices.
    ("mm.default", "self: by_left(grad, self, mat2); mat2: by_right(grad, self, mat2)"),
    ("bmm.default", "self: bmm(grad, swapped(mat2)); mat2: bmm(swapped(self), grad)"),
    (
        "addmm.default",
        "self: grad * beta; mat1: by_left(grad, mat1, mat2) * alpha; mat2: by_right(grad, mat1, mat2) * alpha",
    ),
    (
        "baddbmm.default",
        "self: grad * beta; batch1: bmm(grad, swapped(batch2)) * alpha; batch2: bmm(swapped(batch1), grad) * alpha",
    ),
    (
        "addbmm.default",
        "self: grad * beta; batch1: bmm(like_each(grad, batch1), swapped(batch2)) * alpha; \
         batch2: bmm(swapped(batch1), like_each(grad, batch1)) * alpha",
    ),
    ("mv.default", "self: unsqueeze(grad, 1) * unsqueeze(vec, 0); vec: mv(t(self), grad)"),
    (
        "addmv.default",
        "self: grad * beta; mat: unsqueeze(grad, 1) * unsqueeze(vec, 0) * alpha; vec: mv(t(mat), grad) * alpha",
    ),
    ("addr.default", "self: grad * beta; vec1: mv(grad, vec2) * alpha; vec2: mv(t(grad), vec1) * alpha"),
    ("vdot.default", "self: grad * other; other: grad * self"),
    ("dot.default", "self: grad * tensor; tensor: grad * self"),
    (
        "_scaled_dot_product_flash_attention_for_cpu.default",
        "query, key, value: _scaled_dot_product_flash_attention_for_cpu_backward(grad, query, key, value, result, \
         result1, dropout_p, is_causal, attn_mask=attn_mask, scale=scale)",
    ),
    // Views and copies.
    ("alias_copy.default expand_copy.default", "self: grad"),
    ("view_copy.default squeeze_copy.default squeeze_copy.dim squeeze_copy.dims", "self: reshape(grad, sizes(self))"),
    ("unsqueeze_copy.default", "self: reshape(grad, sizes(self))"),
    ("t_copy.default", "self: t(grad)"),
    ("transpose_copy.int", "self: transpose.int(grad, dim0, dim1)"),
    ("permute_copy.default", "self: permute(grad, inverse(dims))"),
    ("alias.default clone.default contiguous.default lift_fresh_copy.default positive.default", "self: grad"),
    ("_to_copy.default to.dtype to.dtype_layout to.device to.other type_as.default", "self: grad"),
    ("view.default reshape.default flatten.using_ints unflatten.int", "self: reshape(grad, sizes(self))"),
    ("view_as.default reshape_as.default _reshape_alias.default", "self: reshape(grad, sizes(self))"),
    ("squeeze.default squeeze.dim squeeze.dims unsqueeze.default", "self: reshape(grad, sizes(self))"),
    ("expand.default expand_as.default broadcast_to.default", "self: grad"),
    ("t.default", "self: t(grad)"),
    ("transpose.int", "self: transpose.int(grad, dim0, dim1)"),
    ("permute.default", "self: permute(grad, inverse(dims))"),
    ("flip.default", "self: flip(grad, dims)"),
    ("roll.default", "self: roll(grad, negated(shifts), dims)"),
    ("rot90.default", "self: rot90(grad, -k, dims)"),
    ("diagonal.default diagonal_copy.default", "self: diagonal_scatter(zeros(self), grad, offset, dim1, dim2)"),
    (
        "diagonal_scatter.default",
        "self: diagonal_scatter(grad, zeros(src), offset, dim1, dim2); src: diagonal(grad, offset, dim1, dim2)",
    ),
    ("diag_embed.default", "self: diagonal(grad, offset, dim1, dim2)"),
    ("tril.default", "self: tril(grad, diagonal)"),
    ("triu.default", "self: triu(grad, diagonal)"),
    ("constant_pad_nd.default", "self: constant_pad_nd(grad, negated(pad), 0)"),
    ("select.int", "self: select_backward(grad, sizes(self), dim, index)"),
    ("unfold.default unfold_copy.default", "self: unfold_backward(grad, sizes(self), dimension, size, step)"),
    ("slice.Tensor", "self: slice_backward(grad, sizes(self), dim, or(start, 0), or(end, 9223372036854775807), step)"),
    ("copy.default", "self: zeros_like(grad); src: grad"),
    ("fill.Scalar bernoulli.default bernoulli.p", "self: zeros_like(grad)"),
    (
        "slice_scatter.default",
        "self: slice_scatter(grad, zeros(src), dim, start, end, step); src: slice.Tensor(grad, dim, start, end, step)",
    ),
    ("select_scatter.default", "self: select_scatter(grad, zeros(src), dim, index); src: select.int(grad, dim, index)"),
    // Looking up and writing at places.
    (
        "embedding.default",
        "weight: embedding_dense_backward(grad, indices, size(weight, 0), padding_idx, scale_grad_by_freq)",
    ),
    ("index_select.default", "self: index_add(zeros(self), dim, index, grad)"),
    ("gather.default", "self: scatter_add(zeros(self), dim, index, grad)"),
    ("scatter.src", "self: scatter.value(grad, dim, index, 0); src: gather(grad, dim, index)"),
    ("scatter.value", "self: scatter.value(grad, dim, index, 0)"),
    ("index_fill.int_Scalar", "self: index_fill.int_Scalar(grad, dim, index, 0)"),
    ("index_copy.default", "self: index_fill.int_Scalar(grad, dim, index, 0); source: index_select(grad, dim, index)"),
    ("scatter_add.default", "self: grad; src: gather(grad, dim, index)"),
    ("index_add.default", "self: grad; source: index_select(grad, dim, index) * alpha"),
    // Normalisations.
    (
        "native_layer_norm.default",
        "input, weight, bias: \
         native_layer_norm_backward(grad, input, normalized_shape, result1, result2, weight, bias, mask)",
    ),
    (
        "native_group_norm.default",
        "input, weight, bias: \
         native_group_norm_backward(grad, input, result1, result2, weight, N, C, HxW, group, mask)",
    ),
    // Pooling.
    (
        "max_pool2d_with_indices.default",
        "self: max_pool2d_with_indices_backward(grad, self, kernel_size, stride, padding, dilation, ceil_mode, result1)",
    ),
    (
        "avg_pool2d.default",
        "self: avg_pool2d_backward(grad, self, kernel_size, stride, padding, ceil_mode, count_include_pad, \
         divisor_override)",
    ),
    (
        "upsample_bilinear2d.default",
        "self: upsample_bilinear2d_backward(grad, output_size, sizes(self), align_corners, scales_h, scales_w)",
    ),
    (
        "upsample_nearest2d.default",
        "self: upsample_nearest2d_backward(grad, output_size, sizes(self), scales_h, scales_w)",
    ),
    (
        "max_pool3d_with_indices.default",
        "self: max_pool3d_with_indices_backward(grad, self, kernel_size, stride, padding, dilation, ceil_mode, result1)",
    ),
    (
        "avg_pool3d.default",
        "self: avg_pool3d_backward(grad, self, kernel_size, stride, padding, ceil_mode, count_include_pad, \
         divisor_override)",
    ),
    ("_adaptive_avg_pool3d.default", "self: _adaptive_avg_pool3d_backward(grad, self)"),
    ("adaptive_max_pool2d.default", "self: adaptive_max_pool2d_backward(grad, self, result1)"),
    ("adaptive_max_pool3d.default", "self: adaptive_max_pool3d_backward(grad, self, result1)"),
    ("reflection_pad1d.default", "self: reflection_pad1d_backward(grad, self, padding)"),
    ("reflection_pad2d.default", "self: reflection_pad2d_backward(grad, self, padding)"),
    ("reflection_pad3d.default", "self: reflection_pad3d_backward(grad, self, padding)"),
    ("replication_pad1d.default", "self: replication_pad1d_backward(grad, self, padding)"),
    ("replication_pad2d.default", "self: replication_pad2d_backward(grad, self, padding)"),
    ("replication_pad3d.default", "self: replication_pad3d_backward(grad, self, padding)"),
    ("upsample_nearest1d.default", "self: upsample_nearest1d_backward(grad, output_size, sizes(self), scales)"),
    (
        "upsample_nearest3d.default",
        "self: upsample_nearest3d_backward(grad, output_size, sizes(self), scales_d, scales_h, scales_w)",
    ),
    (
        "upsample_linear1d.default",
        "self: upsample_linear1d_backward(grad, output_size, sizes(self), align_corners, scales)",
    ),
    (
        "upsample_bicubic2d.default",
        "self: upsample_bicubic2d_backward(grad, output_size, sizes(self), align_corners, scales_h, scales_w)",
    ),
    (
        "upsample_trilinear3d.default",
        "self: upsample_trilinear3d_backward(grad, output_size, sizes(self), align_corners, scales_d, scales_h, scales_w)",
    ),
    (
        "grid_sampler_2d.default",
        "input, grid: \
         grid_sampler_2d_backward(grad, input, grid, interpolation_mode, padding_mode, align_corners, mask)",
    ),
    (
        "grid_sampler_3d.default",
        "input, grid: \
         grid_sampler_3d_backward(grad, input, grid, interpolation_mode, padding_mode, align_corners, mask)",
    ),
    ("_adaptive_avg_pool2d.default", "self: _adaptive_avg_pool2d_backward(grad, self)"),
    // Losses.
    (
        "nll_loss_forward.default",
        "self: nll_loss_backward(grad, self, target, weight, reduction, ignore_index, result1)",
    ),
    (
        "nll_loss2d_forward.default",
        "self: nll_loss2d_backward(grad, self, target, weight, reduction, ignore_index, result1)",
    ),
    (
        "mse_loss.default",
        "self: mse_loss_backward(grad, self, target, reduction); target: mse_loss_backward(grad, target, self, reduction)",
    ),
    (
        "smooth_l1_loss.default",
        "self: smooth_l1_loss_backward(grad, self, target, reduction, beta); \
         target: smooth_l1_loss_backward(grad, target, self, reduction, beta)",
    ),
    (
        "huber_loss.default",
        "self: huber_loss_backward(grad, self, target, reduction, delta); \
         target: huber_loss_backward(grad, target, self, reduction, delta)",
    ),
];

/// Overloads, separated by spaces, whose derivative takes more than an expression.
const RULES: &[(&str, Rule)] = &[
    ("_native_batch_norm_legit_functional.default _native_batch_norm_legit_no_training.default", rules::batch_norm),
    ("binary_cross_entropy.default", rules::cross_entropy_of_chances),
    ("binary_cross_entropy_with_logits.default", rules::cross_entropy_of_logits),
    ("cat.default", rules::cat),
    ("clamp.default clamp.Tensor", rules::clamp),
    ("convolution.default", rules::convolution),
    ("cumprod.default", products::cumprod),
    ("div.Tensor_mode div.Scalar_mode", rules::rounded_quotient),
    ("index.Tensor", rules::index),
    ("index_put.default", rules::index_put),
    ("masked_fill.Scalar masked_fill.Tensor", rules::masked_fill),
    (
        "max.dim min.dim median.dim nanmedian.dim mode.default kthvalue.default sort.default sort.stable topk.default",
        rules::selected,
    ),
    ("maximum.default max.other", rules::maximum),
    ("minimum.default min.other", rules::minimum),
    ("pow.Tensor_Scalar", rules::pow),
    ("prod.default prod.dim_int", products::prod),
    ("repeat.default", rules::repeat),
    ("split.Tensor split.sizes split_with_sizes.default chunk.default", rules::split),
    ("scatter_reduce.two", rules::scatter_reduce),
    ("stack.default", rules::stack),
    ("unbind.int", rules::unbind),
    (
        "var.correction var.dim var.default std.correction std.dim std.default var_mean.correction var_mean.dim \
         var_mean.default std_mean.correction std_mean.dim std_mean.default",
        rules::var,
    ),
];

/// Operators whose results do not depend on what their operands hold, or that autograd does not follow.
const CONSTANT: &[&str] = &[
    "detach",
    "empty_like",
    "full_like",
    "new_empty",
    "new_empty_strided",
    "new_full",
    "new_ones",
    "new_zeros",
    "normal_functional",
    "ones_like",
    "rand_like",
    "randint_like",
    "randn_like",
    "zeros_like",
];

/// Overloads of whose results autograd follows the first alone.
const FIRST_ALONE: &[&str] =
    &["_native_batch_norm_legit_functional.default", "_native_batch_norm_legit_no_training.default"];

/// True for a target whose results autograd does not follow.
pub(crate) fn is_constant(target: &str) -> bool {
    let base = target.strip_prefix("aten.").and_then(|name| name.split('.').next());
    base.is_some_and(|base| CONSTANT.contains(&base))
}

/// True if autograd does not follow the result of a target at this place.
pub(crate) fn is_constant_at(target: &str, place: usize) -> bool {
    place > 0 && target.strip_prefix("aten.").is_some_and(|name| FIRST_ALONE.contains(&name))
}

/// The row of an overload.
pub(crate) fn row(name: &str) -> Option<&'static Row> {
    static INDEX: OnceLock<FxHashMap<&'static str, Row>> = OnceLock::new();
    INDEX.get_or_init(|| rows().collect()).get(name)
}

fn rows() -> impl Iterator<Item = (&'static str, Row)> {
    let formulas = FORMULAS.iter().flat_map(|&(names, text)| names.split(' ').map(move |name| (name, text)));
    let rules = RULES.iter().flat_map(|&(names, rule)| names.split(' ').map(move |name| (name, Row::Rule(rule))));
    formulas.map(|(name, text)| (name, Row::Formula(formula(text)))).chain(rules)
}

#[cfg(test)]
mod tests {
    use super::{FORMULAS, Row, rows};
    use crate::composites;
    use fx::aten;
    use std::collections::HashSet;

    #[test]
    fn every_row_reads_and_names_parameters_of_its_overload() {
        let mut known = HashSet::new();
        for (name, row) in rows() {
            let overload = aten::lookup(name).unwrap_or_else(|| panic!("no overload `{name}`"));
            assert_eq!(overload.name, name);
            assert!(known.insert(name), "`{name}` has two rows");
            let Row::Formula(parts) = row else { continue };
            let has = |parameter: &&str| overload.schema.params.iter().any(|param| param.name == **parameter);
            assert!(parts.iter().flat_map(|(names, _)| names).any(has), "{name}: no parameter gets a gradient");
        }
        for name in composites::names() {
            assert_eq!(aten::lookup(name).map(|overload| overload.name.as_str()), Some(name));
            assert!(!known.contains(name), "`{name}` is a composite and has a derivative");
        }
        assert!(FORMULAS.iter().all(|(names, _)| !names.contains("  ")));
    }
}
