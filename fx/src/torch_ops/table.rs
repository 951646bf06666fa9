//! The rows: which ATen overloads stand behind a name of torch's Python surface.
//!
//! A name is written `x` for both `torch.x` and `Tensor.x`, `.x` for the method alone, `torch.x`, `F.x` for
//! `torch.nn.functional.x`, and `op.x` for `operator.x`. In-place forms (`x_`, `operator.iadd`) and `out=` need no
//! rows: they follow from these. The first overload that accepts a call is taken; one without a dot is the default.

use rustc_hash::FxHashMap;
use std::sync::OnceLock;

/// How a call's arguments become those of the overload.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Binder {
    /// By the schema's own names, but for the usual synonyms.
    Schema,
    /// As [`Binder::Schema`], after the numbers from this position on are gathered into one list: `view(2, 3)`.
    Gather(usize),
    /// By a Python signature, and what each parameter of the overload gets, in order.
    Signature {
        /// `name`, `name=default`, or `name:=default` for one that must have its default.
        params: &'static str,
        /// `name`, `name?value` for `value` where the argument is `None`, `name!reduction` for the number of a
        /// reduction, or `=value`; `key=name` for one without position.
        call: &'static str,
    },
}

/// A row of the table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Row {
    /// Candidates in order of preference, separated by spaces.
    pub(super) overloads: &'static str,
    /// How arguments are bound.
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
        let signed = SIGNED.iter().map(|&(names, params, overloads, call)| {
            (names, Row { overloads, binder: Binder::Signature { params, call } })
        });
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
const PLAIN: &[(&str, &str)] = &[
    // Element-wise, of one tensor.
    ("abs absolute op.abs", "abs"),
    ("neg negative op.neg", "neg"),
    ("positive op.pos", "positive"),
    ("sign", "sign"),
    ("sgn", "sgn"),
    ("floor", "floor"),
    ("ceil", "ceil"),
    ("trunc fix", "trunc"),
    ("round", "round round.decimals"),
    ("frac", "frac"),
    ("exp torch.special.exp", "exp"),
    ("exp2 torch.special.exp2", "exp2"),
    ("expm1 torch.special.expm1", "expm1"),
    ("log", "log"),
    ("log2", "log2"),
    ("log10", "log10"),
    ("log1p torch.special.log1p", "log1p"),
    ("sin", "sin"),
    ("cos", "cos"),
    ("tan", "tan"),
    ("asin arcsin", "asin"),
    ("acos arccos", "acos"),
    ("atan arctan", "atan"),
    ("sinh", "sinh"),
    ("cosh", "cosh"),
    ("tanh F.tanh", "tanh"),
    ("asinh arcsinh", "asinh"),
    ("acosh arccosh", "acosh"),
    ("atanh arctanh", "atanh"),
    ("sigmoid F.sigmoid torch.special.expit", "sigmoid"),
    ("erf torch.special.erf", "erf"),
    ("erfc torch.special.erfc", "erfc"),
    ("erfinv torch.special.erfinv", "erfinv"),
    ("sqrt", "sqrt"),
    ("rsqrt", "rsqrt"),
    ("reciprocal", "reciprocal"),
    ("square", "square"),
    ("relu", "relu"),
    ("logit torch.special.logit", "logit"),
    ("sinc torch.special.sinc", "sinc"),
    ("deg2rad", "deg2rad"),
    ("rad2deg", "rad2deg"),
    ("isnan", "isnan"),
    ("isinf", "isinf"),
    ("isfinite", "isfinite"),
    ("isposinf", "isposinf"),
    ("isneginf", "isneginf"),
    ("signbit", "signbit"),
    ("logical_not", "logical_not"),
    ("bitwise_not op.invert op.inv", "bitwise_not"),
    ("lgamma", "lgamma"),
    ("digamma", "digamma"),
    ("nan_to_num", "nan_to_num"),
    ("clamp clip", "clamp clamp.Tensor"),
    ("clamp_min", "clamp_min clamp_min.Tensor"),
    ("clamp_max", "clamp_max clamp_max.Tensor"),
    // Element-wise, of several.
    ("add op.add", "add.Tensor"),
    ("sub subtract op.sub", "sub.Tensor"),
    ("mul multiply op.mul", "mul.Tensor"),
    ("div divide", "div.Tensor div.Tensor_mode"),
    ("true_divide op.truediv", "div.Tensor"),
    ("floor_divide op.floordiv", "floor_divide"),
    ("remainder op.mod", "remainder.Tensor remainder.Scalar remainder.Scalar_Tensor"),
    ("fmod", "fmod.Tensor fmod.Scalar"),
    ("pow op.pow", "pow.Tensor_Tensor pow.Tensor_Scalar pow.Scalar"),
    ("rsub", "rsub.Tensor rsub.Scalar"),
    ("maximum", "maximum"),
    ("minimum", "minimum"),
    ("fmax", "fmax"),
    ("fmin", "fmin"),
    ("atan2 arctan2", "atan2"),
    ("hypot", "hypot"),
    ("copysign", "copysign.Tensor copysign.Scalar"),
    ("logaddexp", "logaddexp"),
    ("xlogy torch.special.xlogy", "xlogy.Tensor xlogy.Scalar_Other xlogy.Scalar_Self"),
    ("heaviside", "heaviside"),
    ("eq op.eq", "eq.Tensor eq.Scalar"),
    ("ne not_equal op.ne", "ne.Tensor ne.Scalar"),
    ("lt less op.lt", "lt.Tensor lt.Scalar"),
    ("le less_equal op.le", "le.Tensor le.Scalar"),
    ("gt greater op.gt", "gt.Tensor gt.Scalar"),
    ("ge greater_equal op.ge", "ge.Tensor ge.Scalar"),
    ("logical_and", "logical_and"),
    ("logical_or", "logical_or"),
    ("logical_xor", "logical_xor"),
    ("bitwise_and op.and_", "bitwise_and.Tensor bitwise_and.Scalar bitwise_and.Scalar_Tensor"),
    ("bitwise_or op.or_", "bitwise_or.Tensor bitwise_or.Scalar bitwise_or.Scalar_Tensor"),
    ("bitwise_xor op.xor", "bitwise_xor.Tensor bitwise_xor.Scalar bitwise_xor.Scalar_Tensor"),
    (
        "bitwise_left_shift op.lshift",
        "bitwise_left_shift.Tensor bitwise_left_shift.Tensor_Scalar bitwise_left_shift.Scalar_Tensor",
    ),
    (
        "bitwise_right_shift op.rshift",
        "bitwise_right_shift.Tensor bitwise_right_shift.Tensor_Scalar bitwise_right_shift.Scalar_Tensor",
    ),
    ("lerp", "lerp.Tensor lerp.Scalar"),
    ("addcmul", "addcmul"),
    ("addcdiv", "addcdiv"),
    ("masked_fill", "masked_fill.Tensor masked_fill.Scalar"),
    ("torch.where", "where.self where.ScalarOther where.ScalarSelf where.Scalar where"),
    ("masked_select", "masked_select"),
    // Reductions, scans, orderings.
    ("sum", "sum sum.dim_IntList"),
    ("mean", "mean mean.dim"),
    ("prod", "prod prod.dim_int"),
    ("amax", "amax"),
    ("amin", "amin"),
    ("any", "any any.dim any.dims"),
    ("all", "all all.dim all.dims"),
    ("max", "max max.dim max.other"),
    ("min", "min min.dim min.other"),
    ("argmax", "argmax"),
    ("argmin", "argmin"),
    ("var", "var.correction var.dim var"),
    ("std", "std.correction std.dim std"),
    ("var_mean", "var_mean.correction var_mean.dim var_mean"),
    ("std_mean", "std_mean.correction std_mean.dim std_mean"),
    ("logsumexp torch.special.logsumexp", "logsumexp"),
    ("count_nonzero", "count_nonzero.dim_IntList count_nonzero"),
    ("cumsum", "cumsum"),
    ("cumprod", "cumprod"),
    ("sort", "sort sort.stable"),
    ("argsort", "argsort argsort.stable"),
    ("topk", "topk"),
    ("nonzero", "nonzero"),
    ("median", "median median.dim"),
    ("torch.linalg.vector_norm", "linalg_vector_norm"),
    ("torch.linalg.norm", "linalg_norm"),
    ("softmax torch.special.softmax", "softmax.int"),
    ("log_softmax torch.special.log_softmax", "log_softmax.int"),
    // Products.
    ("mm", "mm"),
    ("bmm", "bmm"),
    ("mv", "mv"),
    ("dot", "dot"),
    ("matmul op.matmul torch.linalg.matmul", "matmul"),
    ("addmm", "addmm"),
    ("baddbmm", "baddbmm"),
    ("addbmm", "addbmm"),
    ("addmv", "addmv"),
    ("outer", "outer"),
    ("F.linear", "linear"),
    ("F.bilinear", "bilinear"),
    ("F.scaled_dot_product_attention", "scaled_dot_product_attention"),
    // Rearrangements.
    ("torch.cat torch.concat torch.concatenate", "cat"),
    ("torch.stack", "stack"),
    ("torch.hstack", "hstack"),
    ("torch.vstack", "vstack"),
    ("split", "split.Tensor split.sizes"),
    ("split_with_sizes", "split_with_sizes"),
    ("chunk", "chunk"),
    ("unbind", "unbind.int"),
    ("squeeze", "squeeze squeeze.dim squeeze.dims"),
    ("unsqueeze", "unsqueeze"),
    ("transpose swapaxes swapdims", "transpose.int"),
    ("t", "t"),
    ("torch.permute", "permute"),
    ("torch.reshape", "reshape"),
    (".view_as", "view_as"),
    (".reshape_as", "reshape_as"),
    (".expand_as", "expand_as"),
    ("flatten", "flatten.using_ints"),
    ("unflatten", "unflatten.int"),
    ("narrow", "narrow"),
    ("select", "select.int"),
    ("index_select", "index_select"),
    ("index_add", "index_add"),
    ("gather", "gather"),
    ("scatter", "scatter.src scatter.value scatter.reduce scatter.value_reduce"),
    ("scatter_add", "scatter_add"),
    ("take_along_dim", "take_along_dim"),
    ("roll", "roll"),
    ("rot90", "rot90"),
    ("tril", "tril"),
    ("triu", "triu"),
    ("diagonal", "diagonal"),
    ("diag", "diag"),
    ("movedim moveaxis", "movedim.int movedim.intlist"),
    ("repeat_interleave", "repeat_interleave.self_int repeat_interleave.self_Tensor"),
    (".unfold", "unfold"),
    ("torch.broadcast_to", "broadcast_to"),
    ("torch.as_strided .as_strided", "as_strided"),
    ("clone", "clone"),
    ("detach", "detach"),
    (".contiguous", "contiguous"),
    (".type_as", "type_as"),
    (".to", "to.dtype to.device to.other to.dtype_layout"),
    (".copy_", "copy_"),
    (".fill_", "fill_.Scalar fill_.Tensor"),
    (".zero_", "zero_"),
    ("torch.meshgrid", "meshgrid.indexing meshgrid"),
    ("torch.einsum", "einsum"),
    // Creation.
    ("torch.full", "full"),
    ("torch.arange", "arange arange.start arange.start_step"),
    ("torch.linspace", "linspace"),
    ("torch.eye", "eye eye.m"),
    ("torch.zeros_like", "zeros_like"),
    ("torch.ones_like", "ones_like"),
    ("torch.empty_like", "empty_like"),
    ("torch.full_like", "full_like"),
    ("torch.rand_like", "rand_like"),
    ("torch.randn_like", "randn_like"),
    ("torch.randint", "randint randint.low"),
    ("torch.randperm", "randperm"),
    ("torch.bernoulli .bernoulli", "bernoulli bernoulli.p"),
    (".bernoulli_", "bernoulli_.float bernoulli_.Tensor"),
    (".uniform_", "uniform_"),
    (".normal_", "normal_"),
    (".exponential_", "exponential_"),
    (".random_", "random_ random_.to random_.from"),
    ("torch.multinomial .multinomial", "multinomial"),
    (".index_fill", "index_fill.int_Scalar index_fill.int_Tensor"),
    (".masked_scatter", "masked_scatter"),
    (".index_put", "index_put"),
    (".new_full", "new_full"),
    ("torch.scalar_tensor", "scalar_tensor"),
    // Functions of neural networks whose parameters are ATen's.
    ("F.gelu", "gelu"),
    ("F.logsigmoid", "log_sigmoid"),
    ("F.softplus", "softplus"),
    ("F.glu", "glu"),
    ("F.prelu torch.prelu .prelu", "prelu"),
    ("F.pad", "pad"),
    ("F.layer_norm torch.layer_norm", "layer_norm"),
    ("F.rms_norm torch.rms_norm", "rms_norm"),
    ("F.group_norm torch.group_norm", "group_norm"),
    ("F.conv1d torch.conv1d", "conv1d conv1d.padding"),
    ("F.conv2d torch.conv2d", "conv2d conv2d.padding"),
    ("F.conv3d torch.conv3d", "conv3d conv3d.padding"),
    ("F.conv_transpose1d torch.conv_transpose1d", "conv_transpose1d"),
    ("F.conv_transpose2d torch.conv_transpose2d", "conv_transpose2d.input"),
    ("F.conv_transpose3d torch.conv_transpose3d", "conv_transpose3d.input"),
    ("F.adaptive_avg_pool1d torch.adaptive_avg_pool1d", "adaptive_avg_pool1d"),
    ("F.adaptive_avg_pool2d", "adaptive_avg_pool2d"),
    ("F.one_hot", "one_hot"),
    ("F.pixel_shuffle torch.pixel_shuffle", "pixel_shuffle"),
    ("F.pixel_unshuffle torch.pixel_unshuffle", "pixel_unshuffle"),
    ("F.cosine_similarity torch.cosine_similarity", "cosine_similarity"),
    ("torch.dropout", "dropout"),
    ("torch.batch_norm", "batch_norm"),
    ("torch.embedding", "embedding"),
    ("torch.native_layer_norm", "native_layer_norm"),
    ("torch.convolution", "convolution"),
];

/// Methods and functions that take a list as arguments of their own, from the position given.
const GATHERED: &[(&str, usize, &str)] = &[
    (".view", 1, "view view.dtype"),
    (".reshape", 1, "reshape"),
    (".permute", 1, "permute"),
    (".expand", 1, "expand"),
    (".repeat", 1, "repeat"),
    ("tile", 1, "tile"),
    ("flip", 1, "flip"),
    (".new_zeros", 1, "new_zeros"),
    (".new_ones", 1, "new_ones"),
    (".new_empty", 1, "new_empty"),
    ("torch.zeros", 0, "zeros"),
    ("torch.ones", 0, "ones"),
    ("torch.empty", 0, "empty.memory_format"),
    ("torch.rand", 0, "rand"),
    ("torch.randn", 0, "randn"),
];

/// Functions whose Python parameters differ from ATen's.
const SIGNED: &[(&str, &str, &str, &str)] = &[
    ("F.relu", "input inplace=False", "relu", "input"),
    ("F.relu6", "input inplace=False", "relu6", "input"),
    ("F.silu", "input inplace=False", "silu", "input"),
    ("F.mish", "input inplace=False", "mish", "input"),
    ("F.selu", "input inplace=False", "selu", "input"),
    ("F.hardswish", "input inplace=False", "hardswish", "input"),
    ("F.hardsigmoid", "input inplace=False", "hardsigmoid", "input"),
    ("F.elu", "input alpha=1.0 inplace=False", "elu", "input alpha"),
    ("F.celu", "input alpha=1.0 inplace=False", "celu", "input alpha"),
    ("F.leaky_relu", "input negative_slope=0.01 inplace=False", "leaky_relu", "input negative_slope"),
    ("F.hardtanh", "input min_val=-1.0 max_val=1.0 inplace=False", "hardtanh", "input min_val max_val"),
    ("F.threshold", "input threshold value inplace=False", "threshold", "input threshold value"),
    ("F.dropout", "input p=0.5 training=True inplace=False", "dropout", "input p training"),
    ("F.softmax", "input dim _stacklevel=3 dtype=None", "softmax.int", "input dim dtype"),
    ("F.log_softmax", "input dim _stacklevel=3 dtype=None", "log_softmax.int", "input dim dtype"),
    (
        "F.embedding",
        "input weight padding_idx=None max_norm:=None norm_type=2.0 scale_grad_by_freq=False sparse=False",
        "embedding",
        "weight input padding_idx?-1 scale_grad_by_freq sparse",
    ),
    (
        "F.batch_norm",
        "input running_mean running_var weight=None bias=None training=False momentum=0.1 eps=1e-05",
        "batch_norm",
        "input weight bias running_mean running_var training momentum eps =True",
    ),
    (
        "F.max_pool2d torch.max_pool2d",
        "input kernel_size stride=None padding=0 dilation=1 ceil_mode=False return_indices:=False",
        "max_pool2d",
        "input kernel_size stride?[] padding dilation ceil_mode",
    ),
    (
        "F.max_pool1d torch.max_pool1d",
        "input kernel_size stride=None padding=0 dilation=1 ceil_mode=False return_indices:=False",
        "max_pool1d",
        "input kernel_size stride?[] padding dilation ceil_mode",
    ),
    (
        "F.avg_pool2d",
        "input kernel_size stride=None padding=0 ceil_mode=False count_include_pad=True divisor_override=None",
        "avg_pool2d",
        "input kernel_size stride?[] padding ceil_mode count_include_pad divisor_override",
    ),
    (
        "F.avg_pool1d torch.avg_pool1d",
        "input kernel_size stride=None padding=0 ceil_mode=False count_include_pad=True",
        "avg_pool1d",
        "input kernel_size stride?[] padding ceil_mode count_include_pad",
    ),
    (
        "F.cross_entropy",
        "input target weight=None size_average:=None ignore_index=-100 reduce:=None reduction=mean label_smoothing=0.0",
        "cross_entropy_loss",
        "input target weight reduction!reduction ignore_index label_smoothing",
    ),
    (
        "F.nll_loss",
        "input target weight=None size_average:=None ignore_index=-100 reduce:=None reduction=mean",
        "nll_loss_nd",
        "input target weight reduction!reduction ignore_index",
    ),
    (
        "F.mse_loss",
        "input target size_average:=None reduce:=None reduction=mean weight:=None",
        "mse_loss",
        "input target reduction!reduction",
    ),
    (
        "F.l1_loss",
        "input target size_average:=None reduce:=None reduction=mean weight:=None",
        "l1_loss",
        "input target reduction!reduction",
    ),
    (
        "F.smooth_l1_loss",
        "input target size_average:=None reduce:=None reduction=mean beta=1.0",
        "smooth_l1_loss",
        "input target reduction!reduction beta",
    ),
    (
        "F.binary_cross_entropy_with_logits",
        "input target weight=None size_average:=None reduce:=None reduction=mean pos_weight=None",
        "binary_cross_entropy_with_logits",
        "input target weight pos_weight reduction!reduction",
    ),
    ("torch.tensor", "data dtype=None device=None requires_grad:=False", "full", "=[] data dtype=dtype device=device"),
    (".where", "self condition other", "where.self where.ScalarOther", "condition self other"),
    (".float", "self memory_format=None", "to.dtype", "self =torch.float32"),
    (".double", "self memory_format=None", "to.dtype", "self =torch.float64"),
    (".half", "self memory_format=None", "to.dtype", "self =torch.float16"),
    (".bfloat16", "self memory_format=None", "to.dtype", "self =torch.bfloat16"),
    (".long", "self memory_format=None", "to.dtype", "self =torch.int64"),
    (".int", "self memory_format=None", "to.dtype", "self =torch.int32"),
    (".bool", "self memory_format=None", "to.dtype", "self =torch.bool"),
    (".cpu", "self", "to.device", "self =cpu"),
    ("torch.numpy_T", "self", "t", "self"),
    ("torch.mT", "self", "transpose.int", "self =-2 =-1"),
    ("torch.mH torch.matrix_H", "self", "adjoint", "self"),
    (".size", "self dim", "sym_size.int", "self dim"),
    (".stride", "self dim", "sym_stride.int", "self dim"),
    ("numel", "input", "sym_numel", "input"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aten;

    #[test]
    fn every_candidate_is_published() {
        for (name, row) in index() {
            for overload in row.overloads.split(' ') {
                assert!(aten::lookup(overload).is_some(), "{name}: {overload}");
            }
        }
    }

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
