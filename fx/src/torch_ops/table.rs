//! The rows: which ATen overloads stand behind a name of torch's Python surface.
//!
//! A name is written `x` for both `torch.x` and `Tensor.x`, `.x` for the method alone, `torch.x`, `F.x` for
//! `torch.nn.functional.x`, and `op.x` for `operator.x`. In-place forms (`x_`, `operator.iadd`) and `out=` need no
//! rows: they follow from these. The first overload that accepts a call is taken.

use super::signature::{Literal, Signature, empty, int, one_or_more, or, reduction_of, signature, vector_order};
use crate::{arg::Arg, aten::Aten, ops};
use rustc_hash::FxHashMap;
use std::sync::OnceLock;
use symshapes::{DType, Device};

/// The ways of binding a call's arguments to the overload's parameters.
#[derive(Clone, Copy, Debug)]
pub(super) enum Binder {
    /// By the schema's own names, but for the usual synonyms.
    Schema,
    /// As [`Binder::Schema`], after the numbers from this position on are gathered into one list: `view(2, 3)`.
    Gather(usize),
    /// By a Python signature, which says what the parameters of the overload get.
    Signature(Signature),
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    /// Candidates in order of preference.
    pub(super) overloads: &'static [Aten],
    /// The way of binding arguments.
    pub(super) binder: Binder,
}

/// The row of a name: `torch.add`, `Tensor.add`, `operator.add`, `torch.nn.functional.gelu`.
pub(super) fn row(name: &str) -> Option<Row> {
    index().get(name).copied()
}

/// Every name with its row.
pub(super) fn index() -> &'static FxHashMap<String, Row> {
    static INDEX: OnceLock<FxHashMap<String, Row>> = OnceLock::new();
    INDEX.get_or_init(|| {
        let plain = PLAIN.iter().map(|&(names, overloads)| (names, Row { overloads, binder: Binder::Schema }));
        let gathered =
            GATHERED.iter().map(|&(names, first, overloads)| (names, Row { overloads, binder: Binder::Gather(first) }));
        let signed = SIGNED
            .iter()
            .map(|&(names, overloads, signature)| (names, Row { overloads, binder: Binder::Signature(signature) }));
        let rows = plain.chain(gathered).chain(signed);
        rows.flat_map(|(names, row)| names.split(' ').flat_map(full_names).map(move |name| (name, row))).collect()
    })
}

/// The full names that a short one stands for.
fn full_names(short: &str) -> Vec<String> {
    match short.split_once('.') {
        None => vec![format!("torch.{short}"), format!("Tensor.{short}")],
        Some(("", method)) => vec![format!("Tensor.{method}")],
        Some(("F", function)) => vec![format!("torch.nn.functional.{function}")],
        Some(("op", operator)) => vec![format!("operator.{operator}")],
        Some(_) => vec![short.to_owned()],
    }
}

/// Names and overloads that share their parameters.
const PLAIN: &[(&str, &[Aten])] = &[
    // Element-wise, of one tensor.
    ("abs absolute op.abs", ops![abs_default]),
    ("neg negative op.neg", ops![neg_default]),
    ("positive op.pos", ops![positive_default]),
    ("sign", ops![sign_default]),
    ("sgn", ops![sgn_default]),
    ("floor", ops![floor_default]),
    ("ceil", ops![ceil_default]),
    ("trunc fix", ops![trunc_default]),
    ("round", ops![round_default round_decimals]),
    ("frac", ops![frac_default]),
    ("exp torch.special.exp", ops![exp_default]),
    ("exp2 torch.special.exp2", ops![exp2_default]),
    ("expm1 torch.special.expm1", ops![expm1_default]),
    ("log", ops![log_default]),
    ("log2", ops![log2_default]),
    ("log10", ops![log10_default]),
    ("log1p torch.special.log1p", ops![log1p_default]),
    ("sin", ops![sin_default]),
    ("cos", ops![cos_default]),
    ("tan", ops![tan_default]),
    ("asin arcsin", ops![asin_default]),
    ("acos arccos", ops![acos_default]),
    ("atan arctan", ops![atan_default]),
    ("sinh", ops![sinh_default]),
    ("cosh", ops![cosh_default]),
    ("tanh F.tanh", ops![tanh_default]),
    ("asinh arcsinh", ops![asinh_default]),
    ("acosh arccosh", ops![acosh_default]),
    ("atanh arctanh", ops![atanh_default]),
    ("sigmoid F.sigmoid torch.special.expit", ops![sigmoid_default]),
    ("erf torch.special.erf", ops![erf_default]),
    ("erfc torch.special.erfc", ops![erfc_default]),
    ("erfinv torch.special.erfinv", ops![erfinv_default]),
    ("sqrt", ops![sqrt_default]),
    ("rsqrt", ops![rsqrt_default]),
    ("reciprocal", ops![reciprocal_default]),
    ("square", ops![square_default]),
    ("relu", ops![relu_default]),
    ("logit torch.special.logit", ops![logit_default]),
    ("sinc torch.special.sinc", ops![sinc_default]),
    ("deg2rad", ops![deg2rad_default]),
    ("rad2deg", ops![rad2deg_default]),
    ("isnan", ops![isnan_default]),
    ("isinf", ops![isinf_default]),
    ("isfinite", ops![isfinite_default]),
    ("isposinf", ops![isposinf_default]),
    ("isneginf", ops![isneginf_default]),
    ("signbit", ops![signbit_default]),
    ("logical_not", ops![logical_not_default]),
    ("bitwise_not op.invert op.inv", ops![bitwise_not_default]),
    ("lgamma", ops![lgamma_default]),
    ("digamma", ops![digamma_default]),
    ("nan_to_num", ops![nan_to_num_default]),
    ("clamp clip", ops![clamp_default clamp_Tensor]),
    ("clamp_min", ops![clamp_min_default clamp_min_Tensor]),
    ("clamp_max", ops![clamp_max_default clamp_max_Tensor]),
    // Element-wise, of several.
    ("add op.add", ops![add_Tensor]),
    ("sub subtract op.sub", ops![sub_Tensor]),
    ("mul multiply op.mul", ops![mul_Tensor]),
    ("div divide", ops![div_Tensor div_Tensor_mode]),
    ("true_divide op.truediv", ops![div_Tensor]),
    ("floor_divide op.floordiv", ops![floor_divide_default]),
    ("remainder op.mod", ops![remainder_Tensor remainder_Scalar remainder_Scalar_Tensor]),
    ("fmod", ops![fmod_Tensor fmod_Scalar]),
    ("pow op.pow", ops![pow_Tensor_Tensor pow_Tensor_Scalar pow_Scalar]),
    ("rsub", ops![rsub_Tensor rsub_Scalar]),
    ("maximum", ops![maximum_default]),
    ("minimum", ops![minimum_default]),
    ("fmax", ops![fmax_default]),
    ("fmin", ops![fmin_default]),
    ("atan2 arctan2", ops![atan2_default]),
    ("hypot", ops![hypot_default]),
    ("nextafter", ops![nextafter_default]),
    ("copysign", ops![copysign_Tensor copysign_Scalar]),
    ("logaddexp", ops![logaddexp_default]),
    ("xlogy torch.special.xlogy", ops![xlogy_Tensor xlogy_Scalar_Other xlogy_Scalar_Self]),
    ("heaviside", ops![heaviside_default]),
    ("eq op.eq", ops![eq_Tensor eq_Scalar]),
    ("ne not_equal op.ne", ops![ne_Tensor ne_Scalar]),
    ("lt less op.lt", ops![lt_Tensor lt_Scalar]),
    ("le less_equal op.le", ops![le_Tensor le_Scalar]),
    ("gt greater op.gt", ops![gt_Tensor gt_Scalar]),
    ("ge greater_equal op.ge", ops![ge_Tensor ge_Scalar]),
    ("logical_and", ops![logical_and_default]),
    ("logical_or", ops![logical_or_default]),
    ("logical_xor", ops![logical_xor_default]),
    ("bitwise_and op.and_", ops![bitwise_and_Tensor bitwise_and_Scalar bitwise_and_Scalar_Tensor]),
    ("bitwise_or op.or_", ops![bitwise_or_Tensor bitwise_or_Scalar bitwise_or_Scalar_Tensor]),
    ("bitwise_xor op.xor", ops![bitwise_xor_Tensor bitwise_xor_Scalar bitwise_xor_Scalar_Tensor]),
    (
        "bitwise_left_shift op.lshift",
        ops![bitwise_left_shift_Tensor bitwise_left_shift_Tensor_Scalar bitwise_left_shift_Scalar_Tensor],
    ),
    (
        "bitwise_right_shift op.rshift",
        ops![bitwise_right_shift_Tensor bitwise_right_shift_Tensor_Scalar bitwise_right_shift_Scalar_Tensor],
    ),
    ("lerp", ops![lerp_Tensor lerp_Scalar]),
    ("addcmul", ops![addcmul_default]),
    ("addcdiv", ops![addcdiv_default]),
    ("masked_fill", ops![masked_fill_Tensor masked_fill_Scalar]),
    ("torch.where", ops![where_self where_ScalarOther where_ScalarSelf where_Scalar where_default]),
    ("masked_select", ops![masked_select_default]),
    // Reductions, scans, orderings.
    ("sum", ops![sum_default sum_dim_IntList]),
    ("mean", ops![mean_default mean_dim]),
    ("prod", ops![prod_default prod_dim_int]),
    ("amax", ops![amax_default]),
    ("amin", ops![amin_default]),
    ("any", ops![any_default any_dim any_dims]),
    ("all", ops![all_default all_dim all_dims]),
    ("max", ops![max_default max_dim max_other]),
    ("min", ops![min_default min_dim min_other]),
    ("argmax", ops![argmax_default]),
    ("argmin", ops![argmin_default]),
    ("var", ops![var_correction var_dim var_default]),
    ("std", ops![std_correction std_dim std_default]),
    ("var_mean", ops![var_mean_correction var_mean_dim var_mean_default]),
    ("std_mean", ops![std_mean_correction std_mean_dim std_mean_default]),
    ("logsumexp torch.special.logsumexp", ops![logsumexp_default]),
    ("count_nonzero", ops![count_nonzero_dim_IntList count_nonzero_default]),
    ("cumsum", ops![cumsum_default]),
    ("cumprod", ops![cumprod_default]),
    ("sort", ops![sort_default sort_stable]),
    ("argsort", ops![argsort_default argsort_stable]),
    ("topk", ops![topk_default]),
    ("nonzero", ops![nonzero_default]),
    ("median", ops![median_default median_dim]),
    ("torch.linalg.vector_norm", ops![linalg_vector_norm_default]),
    ("torch.linalg.norm", ops![linalg_norm_default linalg_norm_ord_str]),
    ("softmax torch.special.softmax", ops![softmax_int]),
    ("log_softmax torch.special.log_softmax", ops![log_softmax_int]),
    // Products.
    ("mm", ops![mm_default]),
    ("bmm", ops![bmm_default]),
    ("mv", ops![mv_default]),
    ("dot", ops![dot_default]),
    ("matmul op.matmul torch.linalg.matmul", ops![matmul_default]),
    ("addmm", ops![addmm_default]),
    ("baddbmm", ops![baddbmm_default]),
    ("addbmm", ops![addbmm_default]),
    ("addmv", ops![addmv_default]),
    ("outer ger", ops![outer_default]),
    ("torch.pdist F.pdist", ops![pdist_default]),
    ("F.linear", ops![linear_default]),
    ("F.bilinear", ops![bilinear_default]),
    ("F.scaled_dot_product_attention", ops![scaled_dot_product_attention_default]),
    // Rearrangements.
    ("torch.cat torch.concat torch.concatenate", ops![cat_default]),
    ("torch.stack", ops![stack_default]),
    ("torch.hstack", ops![hstack_default]),
    ("torch.vstack", ops![vstack_default]),
    ("split", ops![split_Tensor split_sizes]),
    ("split_with_sizes", ops![split_with_sizes_default]),
    ("chunk", ops![chunk_default]),
    ("unbind", ops![unbind_int]),
    ("squeeze", ops![squeeze_default squeeze_dim squeeze_dims]),
    ("unsqueeze", ops![unsqueeze_default]),
    ("transpose swapaxes swapdims", ops![transpose_int]),
    ("t", ops![t_default]),
    ("torch.permute", ops![permute_default]),
    ("torch.reshape", ops![reshape_default]),
    (".view_as", ops![view_as_default]),
    (".reshape_as", ops![reshape_as_default]),
    (".expand_as", ops![expand_as_default]),
    ("flatten", ops![flatten_using_ints]),
    ("unflatten", ops![unflatten_int]),
    ("narrow", ops![narrow_default]),
    ("select", ops![select_int]),
    ("index_select", ops![index_select_default]),
    ("index_add", ops![index_add_default]),
    ("gather", ops![gather_default]),
    ("scatter", ops![scatter_src scatter_value scatter_reduce scatter_value_reduce]),
    ("scatter_add", ops![scatter_add_default]),
    ("take_along_dim", ops![take_along_dim_default]),
    ("roll", ops![roll_default]),
    ("rot90", ops![rot90_default]),
    ("tril", ops![tril_default]),
    ("triu", ops![triu_default]),
    ("diagonal", ops![diagonal_default]),
    ("diag", ops![diag_default]),
    ("movedim moveaxis", ops![movedim_int movedim_intlist]),
    ("repeat_interleave", ops![repeat_interleave_self_int repeat_interleave_self_Tensor]),
    (".unfold", ops![unfold_default]),
    ("torch.broadcast_to", ops![broadcast_to_default]),
    ("torch.as_strided .as_strided", ops![as_strided_default]),
    ("clone", ops![clone_default]),
    ("detach", ops![detach_default]),
    ("torch._C._autograd._get_data_attr", ops![data_default]),
    ("conj", ops![conj_default]),
    ("resolve_conj", ops![resolve_conj_default]),
    ("resolve_neg", ops![resolve_neg_default]),
    ("conj_physical", ops![conj_physical_default]),
    ("adjoint", ops![adjoint_default]),
    (".contiguous", ops![contiguous_default]),
    (".type_as", ops![type_as_default]),
    (".to", ops![to_dtype to_device to_other to_dtype_layout]),
    (".copy_", ops![copy__default]),
    (".fill_", ops![fill__Scalar fill__Tensor]),
    (".zero_", ops![zero__default]),
    ("torch.meshgrid", ops![meshgrid_indexing meshgrid_default]),
    ("torch.einsum", ops![einsum_default]),
    // Creation.
    ("torch.full", ops![full_default]),
    ("torch.arange", ops![arange_default arange_start arange_start_step]),
    ("torch.linspace", ops![linspace_default]),
    ("torch.eye", ops![eye_default eye_m]),
    ("torch.zeros_like", ops![zeros_like_default]),
    ("torch.ones_like", ops![ones_like_default]),
    ("torch.empty_like", ops![empty_like_default]),
    ("torch.full_like", ops![full_like_default]),
    ("torch.rand_like", ops![rand_like_default]),
    ("torch.randn_like", ops![randn_like_default]),
    ("torch.randint", ops![randint_default randint_low]),
    ("torch.randperm", ops![randperm_default]),
    ("torch.bernoulli .bernoulli", ops![bernoulli_default bernoulli_p]),
    (".bernoulli_", ops![bernoulli__float bernoulli__Tensor]),
    (".uniform_", ops![uniform__default]),
    (".normal_", ops![normal__default]),
    (".exponential_", ops![exponential__default]),
    (".random_", ops![random__default random__to random__from]),
    ("torch.multinomial .multinomial", ops![multinomial_default]),
    (".index_fill", ops![index_fill_int_Scalar index_fill_int_Tensor]),
    (".masked_scatter", ops![masked_scatter_default]),
    (".index_put", ops![index_put_default]),
    (".new_full", ops![new_full_default]),
    ("torch.scalar_tensor", ops![scalar_tensor_default]),
    // Functions of neural networks whose parameters are ATen's.
    ("F.gelu", ops![gelu_default]),
    ("F.logsigmoid", ops![log_sigmoid_default]),
    ("F.softplus", ops![softplus_default]),
    ("F.glu", ops![glu_default]),
    ("F.prelu torch.prelu .prelu", ops![prelu_default]),
    ("F.pad", ops![pad_default]),
    ("F.layer_norm torch.layer_norm", ops![layer_norm_default]),
    ("F.rms_norm torch.rms_norm", ops![rms_norm_default]),
    ("F.group_norm torch.group_norm", ops![group_norm_default]),
    ("F.conv1d torch.conv1d", ops![conv1d_default conv1d_padding]),
    ("F.conv2d torch.conv2d", ops![conv2d_default conv2d_padding]),
    ("F.conv3d torch.conv3d", ops![conv3d_default conv3d_padding]),
    ("F.conv_transpose1d torch.conv_transpose1d", ops![conv_transpose1d_default]),
    ("F.conv_transpose2d torch.conv_transpose2d", ops![conv_transpose2d_input]),
    ("F.conv_transpose3d torch.conv_transpose3d", ops![conv_transpose3d_input]),
    ("F.adaptive_avg_pool1d torch.adaptive_avg_pool1d", ops![adaptive_avg_pool1d_default]),
    ("F.adaptive_avg_pool2d", ops![adaptive_avg_pool2d_default]),
    ("F.one_hot", ops![one_hot_default]),
    ("F.pixel_shuffle torch.pixel_shuffle", ops![pixel_shuffle_default]),
    ("F.pixel_unshuffle torch.pixel_unshuffle", ops![pixel_unshuffle_default]),
    ("F.cosine_similarity torch.cosine_similarity", ops![cosine_similarity_default]),
    ("torch.dropout", ops![dropout_default]),
    ("torch.batch_norm", ops![batch_norm_default]),
    ("torch.instance_norm", ops![instance_norm_default]),
    ("torch.feature_dropout", ops![feature_dropout_default]),
    ("torch.embedding", ops![embedding_default]),
    ("torch._weight_norm", ops![_weight_norm_default]),
    ("torch.lstm", ops![lstm_input]),
    ("torch.gru", ops![gru_input]),
    ("torch.rnn_tanh", ops![rnn_tanh_input]),
    ("torch.rnn_relu", ops![rnn_relu_input]),
    ("torch.native_layer_norm", ops![native_layer_norm_default]),
    ("torch.convolution", ops![convolution_default]),
    // Others whose parameters are those of the overload.
    ("as_strided_scatter", ops![as_strided_scatter_default]),
    ("diagonal_scatter", ops![diagonal_scatter_default]),
    ("select_scatter", ops![select_scatter_default]),
    ("slice_scatter", ops![slice_scatter_default]),
    ("aminmax", ops![aminmax_default]),
    ("angle", ops![angle_default]),
    ("torch.bucketize", ops![bucketize_Tensor]),
    ("torch.celu", ops![celu_default]),
    ("cummax", ops![cummax_default]),
    ("cummin", ops![cummin_default]),
    ("diag_embed", ops![diag_embed_default]),
    ("dist", ops![dist_default]),
    ("torch.fill", ops![fill_Scalar fill_Tensor]),
    ("gcd", ops![gcd_default]),
    ("hardshrink F.hardshrink", ops![hardshrink_default]),
    ("histc", ops![histc_default]),
    ("i0", ops![i0_default]),
    ("igamma", ops![igamma_default]),
    ("igammac", ops![igammac_default]),
    ("torch.index_fill", ops![index_fill_int_Scalar index_fill_int_Tensor]),
    ("index_reduce", ops![index_reduce_default]),
    ("kthvalue", ops![kthvalue_default]),
    ("lcm", ops![lcm_default]),
    ("F.log_sigmoid", ops![log_sigmoid_default]),
    ("logaddexp2", ops![logaddexp2_default]),
    ("logcumsumexp", ops![logcumsumexp_default]),
    ("renorm", ops![renorm_default]),
    ("inverse", ops![inverse_default]),
    ("det", ops![det_default]),
    ("logdet", ops![logdet_default]),
    ("slogdet", ops![slogdet_default]),
    ("torch.linalg.inv", ops![linalg_inv_default]),
    ("torch.linalg.cholesky", ops![linalg_cholesky_default]),
    ("torch.linalg.det", ops![linalg_det_default]),
    ("torch.linalg.slogdet", ops![linalg_slogdet_default]),
    ("torch.linalg.eigh", ops![linalg_eigh_default]),
    ("torch.linalg.eigvalsh", ops![linalg_eigvalsh_default]),
    ("torch.linalg.svd", ops![linalg_svd_default]),
    ("torch.linalg.svdvals", ops![linalg_svdvals_default]),
    ("torch.linalg.qr", ops![linalg_qr_default]),
    ("torch.linalg.solve", ops![linalg_solve_default]),
    ("torch.masked_scatter", ops![masked_scatter_default]),
    ("mode", ops![mode_default]),
    ("nanmedian", ops![nanmedian_default nanmedian_dim]),
    ("nansum", ops![nansum_default]),
    ("nonzero_static", ops![nonzero_static_default]),
    ("polygamma", ops![polygamma_default]),
    ("put", ops![put_default]),
    ("ravel", ops![ravel_default]),
    ("scatter_reduce", ops![scatter_reduce_two]),
    ("torch.searchsorted", ops![searchsorted_Tensor]),
    ("torch.selu", ops![selu_default]),
    ("F.softshrink", ops![softshrink_default]),
    ("take", ops![take_default]),
    ("torch.threshold", ops![threshold_default]),
    ("trace", ops![trace_default]),
    ("unsafe_chunk", ops![unsafe_chunk_default]),
    ("unsafe_split", ops![unsafe_split_Tensor]),
    ("unsafe_split_with_sizes", ops![unsafe_split_with_sizes_default]),
    ("vdot", ops![vdot_default]),
    // Images.
    ("F.avg_pool3d", ops![avg_pool3d_default]),
    ("torch.constant_pad_nd", ops![constant_pad_nd_default]),
    ("F.im2col", ops![im2col_default]),
    ("F.reflection_pad1d", ops![reflection_pad1d_default]),
    ("F.reflection_pad2d", ops![reflection_pad2d_default]),
    ("F.reflection_pad3d", ops![reflection_pad3d_default]),
    ("F.replication_pad1d", ops![replication_pad1d_default]),
    ("F.replication_pad2d", ops![replication_pad2d_default]),
    ("F.replication_pad3d", ops![replication_pad3d_default]),
    ("F.upsample_bicubic2d", ops![upsample_bicubic2d_vec upsample_bicubic2d_default]),
    ("F.upsample_bilinear2d", ops![upsample_bilinear2d_vec upsample_bilinear2d_default]),
    ("F.upsample_linear1d", ops![upsample_linear1d_vec upsample_linear1d_default]),
    ("F.upsample_nearest1d", ops![upsample_nearest1d_vec upsample_nearest1d_default]),
    ("torch._C._nn.max_unpool2d", ops![max_unpool2d_default]),
    ("torch._C._nn.max_unpool3d", ops![max_unpool3d_default]),
    ("F.upsample_nearest2d", ops![upsample_nearest2d_vec upsample_nearest2d_default]),
    ("F.upsample_nearest3d", ops![upsample_nearest3d_vec upsample_nearest3d_default]),
    ("F.upsample_trilinear3d", ops![upsample_trilinear3d_vec upsample_trilinear3d_default]),
    // Special functions.
    ("torch.special.airy_ai", ops![special_airy_ai_default]),
    ("torch.special.bessel_j0", ops![special_bessel_j0_default]),
    ("torch.special.bessel_j1", ops![special_bessel_j1_default]),
    ("torch.special.bessel_y0", ops![special_bessel_y0_default]),
    ("torch.special.bessel_y1", ops![special_bessel_y1_default]),
    (
        "torch.special.chebyshev_polynomial_t",
        ops![special_chebyshev_polynomial_t_default special_chebyshev_polynomial_t_n_scalar special_chebyshev_polynomial_t_x_scalar],
    ),
    (
        "torch.special.chebyshev_polynomial_u",
        ops![special_chebyshev_polynomial_u_default special_chebyshev_polynomial_u_n_scalar special_chebyshev_polynomial_u_x_scalar],
    ),
    (
        "torch.special.chebyshev_polynomial_v",
        ops![special_chebyshev_polynomial_v_default special_chebyshev_polynomial_v_n_scalar special_chebyshev_polynomial_v_x_scalar],
    ),
    (
        "torch.special.chebyshev_polynomial_w",
        ops![special_chebyshev_polynomial_w_default special_chebyshev_polynomial_w_n_scalar special_chebyshev_polynomial_w_x_scalar],
    ),
    ("torch.special.entr", ops![special_entr_default]),
    ("torch.special.erfcx", ops![special_erfcx_default]),
    (
        "torch.special.hermite_polynomial_h",
        ops![special_hermite_polynomial_h_default special_hermite_polynomial_h_n_scalar special_hermite_polynomial_h_x_scalar],
    ),
    (
        "torch.special.hermite_polynomial_he",
        ops![special_hermite_polynomial_he_default special_hermite_polynomial_he_n_scalar special_hermite_polynomial_he_x_scalar],
    ),
    ("torch.special.i0e", ops![special_i0e_default]),
    ("torch.special.i1", ops![special_i1_default]),
    ("torch.special.i1e", ops![special_i1e_default]),
    (
        "torch.special.laguerre_polynomial_l",
        ops![special_laguerre_polynomial_l_default special_laguerre_polynomial_l_n_scalar special_laguerre_polynomial_l_x_scalar],
    ),
    (
        "torch.special.legendre_polynomial_p",
        ops![special_legendre_polynomial_p_default special_legendre_polynomial_p_n_scalar special_legendre_polynomial_p_x_scalar],
    ),
    ("torch.special.log_ndtr", ops![special_log_ndtr_default]),
    ("torch.special.modified_bessel_i0", ops![special_modified_bessel_i0_default]),
    ("torch.special.modified_bessel_i1", ops![special_modified_bessel_i1_default]),
    ("torch.special.modified_bessel_k0", ops![special_modified_bessel_k0_default]),
    ("torch.special.modified_bessel_k1", ops![special_modified_bessel_k1_default]),
    ("torch.special.ndtri", ops![special_ndtri_default]),
    ("torch.special.scaled_modified_bessel_k0", ops![special_scaled_modified_bessel_k0_default]),
    ("torch.special.scaled_modified_bessel_k1", ops![special_scaled_modified_bessel_k1_default]),
    (
        "torch.special.shifted_chebyshev_polynomial_t",
        ops![special_shifted_chebyshev_polynomial_t_default special_shifted_chebyshev_polynomial_t_n_scalar special_shifted_chebyshev_polynomial_t_x_scalar],
    ),
    (
        "torch.special.shifted_chebyshev_polynomial_u",
        ops![special_shifted_chebyshev_polynomial_u_default special_shifted_chebyshev_polynomial_u_n_scalar special_shifted_chebyshev_polynomial_u_x_scalar],
    ),
    (
        "torch.special.shifted_chebyshev_polynomial_v",
        ops![special_shifted_chebyshev_polynomial_v_default special_shifted_chebyshev_polynomial_v_n_scalar special_shifted_chebyshev_polynomial_v_x_scalar],
    ),
    (
        "torch.special.shifted_chebyshev_polynomial_w",
        ops![special_shifted_chebyshev_polynomial_w_default special_shifted_chebyshev_polynomial_w_n_scalar special_shifted_chebyshev_polynomial_w_x_scalar],
    ),
    ("torch.special.spherical_bessel_j0", ops![special_spherical_bessel_j0_default]),
    ("torch.special.xlog1py", ops![special_xlog1py_default special_xlog1py_other_scalar special_xlog1py_self_scalar]),
    ("torch.special.zeta", ops![special_zeta_default special_zeta_other_scalar special_zeta_self_scalar]),
];

/// Methods and functions that take a list as arguments of their own, from the position given.
const GATHERED: &[(&str, usize, &[Aten])] = &[
    (".view", 1, ops![view_default view_dtype]),
    (".reshape", 1, ops![reshape_default]),
    (".permute", 1, ops![permute_default]),
    (".expand", 1, ops![expand_default]),
    (".repeat", 1, ops![repeat_default]),
    ("tile", 1, ops![tile_default]),
    (".sum_to_size", 1, ops![sum_to_size_default]),
    ("flip", 1, ops![flip_default]),
    (".new_zeros", 1, ops![new_zeros_default]),
    (".new_ones", 1, ops![new_ones_default]),
    (".new_empty", 1, ops![new_empty_default]),
    ("torch.zeros", 0, ops![zeros_default]),
    ("torch.ones", 0, ops![ones_default]),
    ("torch.empty", 0, ops![empty_memory_format]),
    ("torch.rand", 0, ops![rand_default]),
    ("torch.randn", 0, ops![randn_default]),
];

/// Functions whose Python parameters differ from ATen's.
const SIGNED: &[(&str, &[Aten], Signature)] = &[
    ("F.relu", ops![relu_default], signature!((input, inplace = false) => input)),
    ("F.relu6", ops![relu6_default], signature!((input, inplace = false) => input)),
    ("F.silu", ops![silu_default], signature!((input, inplace = false) => input)),
    ("F.mish", ops![mish_default], signature!((input, inplace = false) => input)),
    ("F.selu", ops![selu_default], signature!((input, inplace = false) => input)),
    ("F.hardswish", ops![hardswish_default], signature!((input, inplace = false) => input)),
    ("F.hardsigmoid", ops![hardsigmoid_default], signature!((input, inplace = false) => input)),
    ("F.elu", ops![elu_default], signature!((input, alpha = 1.0, inplace = false) => input, alpha)),
    ("F.celu", ops![celu_default], signature!((input, alpha = 1.0, inplace = false) => input, alpha)),
    (
        "F.leaky_relu",
        ops![leaky_relu_default],
        signature!(
            (input, negative_slope = 0.01, inplace = false)
            => input, negative_slope
        ),
    ),
    (
        "F.hardtanh",
        ops![hardtanh_default],
        signature!(
            (input, min_val = -1.0, max_val = 1.0, inplace = false)
            => input, min_val, max_val
        ),
    ),
    (
        "F.threshold",
        ops![threshold_default],
        signature!(
            (input, threshold, value, inplace = false)
            => input, threshold, value
        ),
    ),
    (
        "F.dropout",
        ops![dropout_default],
        signature!(
            (input, p = 0.5, training = true, inplace = false)
            => input, p, training
        ),
    ),
    (
        "F.dropout2d",
        ops![feature_dropout_default],
        signature!(
            (input, p = 0.5, training = true, inplace: fixed = false)
            => input, p, training
        ),
    ),
    (
        "F.alpha_dropout",
        ops![alpha_dropout_default],
        signature!(
            (input, p = 0.5, training = false, inplace: fixed = false)
            => input, p, training
        ),
    ),
    (
        "F.feature_alpha_dropout",
        ops![feature_alpha_dropout_default],
        signature!(
            (input, p = 0.5, training = false, inplace: fixed = false)
            => input, p, training
        ),
    ),
    (
        "F.rrelu",
        ops![rrelu_default],
        signature!(
            (input, lower = 0.125, upper = 0.3333333333333333, training = false, inplace: fixed = false)
            => input, lower, upper, training
        ),
    ),
    ("F.softmax", ops![softmax_int], signature!((input, dim, _stacklevel = 3, dtype = None) => input, dim, dtype)),
    (
        "F.log_softmax",
        ops![log_softmax_int],
        signature!(
            (input, dim, _stacklevel = 3, dtype = None)
            => input, dim, dtype
        ),
    ),
    (
        "F.embedding",
        ops![embedding_default],
        signature!(
            (input, weight, padding_idx = None, max_norm: fixed = None, norm_type = 2.0, scale_grad_by_freq = false, sparse = false)
            => weight, input, or(padding_idx, int(-1)), scale_grad_by_freq, sparse
        ),
    ),
    (
        "F.batch_norm",
        ops![batch_norm_default],
        signature!(
            (input, running_mean, running_var, weight = None, bias = None, training = false, momentum = 0.1, eps = 1e-05)
            => input, weight, bias, running_mean, running_var, training, momentum, eps, true.arg()
        ),
    ),
    (
        "F.max_pool2d torch.max_pool2d",
        ops![max_pool2d_default],
        signature!(
            (input, kernel_size, stride = None, padding = 0, dilation = 1, ceil_mode = false, return_indices: fixed = false)
            => input, kernel_size, or(stride, empty()), padding, dilation, ceil_mode
        ),
    ),
    (
        "F.max_pool1d torch.max_pool1d",
        ops![max_pool1d_default],
        signature!(
            (input, kernel_size, stride = None, padding = 0, dilation = 1, ceil_mode = false, return_indices: fixed = false)
            => input, kernel_size, or(stride, empty()), padding, dilation, ceil_mode
        ),
    ),
    (
        "F.avg_pool2d",
        ops![avg_pool2d_default],
        signature!(
            (input, kernel_size, stride = None, padding = 0, ceil_mode = false, count_include_pad = true, divisor_override = None)
            => input, kernel_size, or(stride, empty()), padding, ceil_mode, count_include_pad, divisor_override
        ),
    ),
    (
        "F.avg_pool1d torch.avg_pool1d",
        ops![avg_pool1d_default],
        signature!(
            (input, kernel_size, stride = None, padding = 0, ceil_mode = false, count_include_pad = true)
            => input, kernel_size, or(stride, empty()), padding, ceil_mode, count_include_pad
        ),
    ),
    (
        "F.cross_entropy",
        ops![cross_entropy_loss_default],
        signature!(
            (input, target, weight = None, size_average: fixed = None, ignore_index = -100, reduce: fixed = None, reduction = "mean", label_smoothing = 0.0)
            => input, target, weight, reduction_of(&reduction)?, ignore_index, label_smoothing
        ),
    ),
    (
        "F.nll_loss",
        ops![nll_loss_nd_default],
        signature!(
            (input, target, weight = None, size_average: fixed = None, ignore_index = -100, reduce: fixed = None, reduction = "mean")
            => input, target, weight, reduction_of(&reduction)?, ignore_index
        ),
    ),
    // The mean warns that it is not over the batch; the mean over the batch is a division more.
    (
        "F.kl_div",
        ops![kl_div_default],
        signature!(
            (input, target, size_average: fixed = None, reduce: fixed = None, reduction = "mean", log_target = false)
            => input, target, reduction_of(&reduction).filter(|number| *number != int(1))?; log_target
        ),
    ),
    (
        ".norm",
        ops![linalg_vector_norm_default],
        signature!(
            (input, p = "fro", dim = None, keepdim = false, dtype = None)
            => input, vector_order(&p, &dim)?, one_or_more(dim), keepdim; dtype
        ),
    ),
    (
        "F.mse_loss",
        ops![mse_loss_default],
        signature!(
            (input, target, size_average: fixed = None, reduce: fixed = None, reduction = "mean", weight: fixed = None)
            => input, target, reduction_of(&reduction)?
        ),
    ),
    (
        "F.unfold",
        ops![im2col_default],
        signature!(
            (input, kernel_size, dilation = 1, padding = 0, stride = 1)
            => input, kernel_size, dilation, padding, stride
        ),
    ),
    (
        "F.fold",
        ops![col2im_default],
        signature!(
            (input, output_size, kernel_size, dilation = 1, padding = 0, stride = 1)
            => input, output_size, kernel_size, dilation, padding, stride
        ),
    ),
    (
        "F.l1_loss",
        ops![l1_loss_default],
        signature!(
            (input, target, size_average: fixed = None, reduce: fixed = None, reduction = "mean", weight: fixed = None)
            => input, target, reduction_of(&reduction)?
        ),
    ),
    (
        "F.soft_margin_loss",
        ops![soft_margin_loss_default],
        signature!(
            (input, target, size_average: fixed = None, reduce: fixed = None, reduction = "mean")
            => input, target, reduction_of(&reduction)?
        ),
    ),
    (
        "F.hinge_embedding_loss",
        ops![hinge_embedding_loss_default],
        signature!(
            (input, target, margin = 1.0, size_average: fixed = None, reduce: fixed = None, reduction = "mean")
            => input, target, margin, reduction_of(&reduction)?
        ),
    ),
    (
        "F.cosine_embedding_loss",
        ops![cosine_embedding_loss_default],
        signature!(
            (input1, input2, target, margin = 0.0, size_average: fixed = None, reduce: fixed = None, reduction = "mean")
            => input1, input2, target, margin, reduction_of(&reduction)?
        ),
    ),
    (
        "F.smooth_l1_loss",
        ops![smooth_l1_loss_default],
        signature!(
            (input, target, size_average: fixed = None, reduce: fixed = None, reduction = "mean", beta = 1.0)
            => input, target, reduction_of(&reduction)?, beta
        ),
    ),
    (
        "F.binary_cross_entropy_with_logits",
        ops![binary_cross_entropy_with_logits_default],
        signature!(
            (input, target, weight = None, size_average: fixed = None, reduce: fixed = None, reduction = "mean", pos_weight = None)
            => input, target, weight, pos_weight, reduction_of(&reduction)?
        ),
    ),
    (
        "torch.tensor",
        ops![full_default],
        signature!(
            (data, dtype = None, device = None, requires_grad: fixed = false)
            => empty(), data; dtype, device
        ),
    ),
    (".where", ops![where_self where_ScalarOther], signature!((this, condition, other) => condition, this, other)),
    (".float", ops![to_dtype], signature!((this, memory_format = None) => this, Arg::DType(DType::F32))),
    (".double", ops![to_dtype], signature!((this, memory_format = None) => this, Arg::DType(DType::F64))),
    (".half", ops![to_dtype], signature!((this, memory_format = None) => this, Arg::DType(DType::F16))),
    (".bfloat16", ops![to_dtype], signature!((this, memory_format = None) => this, Arg::DType(DType::BF16))),
    (".long", ops![to_dtype], signature!((this, memory_format = None) => this, Arg::DType(DType::I64))),
    (".int", ops![to_dtype], signature!((this, memory_format = None) => this, Arg::DType(DType::I32))),
    (".bool", ops![to_dtype], signature!((this, memory_format = None) => this, Arg::DType(DType::Bool))),
    (".cpu", ops![to_device], signature!((this) => this, Arg::Device(Device::CPU))),
    ("torch.numpy_T", ops![t_default], signature!((this) => this)),
    ("torch.mT", ops![transpose_int], signature!((this) => this, int(-2), int(-1))),
    ("torch.mH torch.matrix_H", ops![adjoint_default], signature!((this) => this)),
    (".size", ops![sym_size_int], signature!((this, dim) => this, dim)),
    (".stride", ops![sym_stride_int], signature!((this, dim) => this, dim)),
    ("numel", ops![sym_numel_default], signature!((input) => input)),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_stands_in_two_rows() {
        let mut names: Vec<&str> = PLAIN.iter().map(|r| r.0).chain(GATHERED.iter().map(|r| r.0)).collect();
        names.extend(SIGNED.iter().map(|r| r.0));
        let mut full: Vec<String> = names.iter().flat_map(|n| n.split(' ').flat_map(full_names)).collect();
        full.sort();
        let twice: Vec<&[String]> = full.windows(2).filter(|w| w[0] == w[1]).collect();
        assert!(twice.is_empty(), "{twice:?}");
    }
}
