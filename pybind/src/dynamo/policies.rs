//! Policies for calls of Python functions, by whose code they are and what the user has said: whether they are inlined,
//! put into the graph, or never traced.

use super::members::{self, dotted_name};
use crate::names::{allowed_target, function_target};
use dynamo_core::host::FunctionPolicy;
use dynamo_core::trace::has_row;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyFunction;
use std::sync::OnceLock;

/// The policy for calls of a function.
pub(super) fn policy(function: &Bound<'_, PyAny>) -> PyResult<FunctionPolicy> {
    let py = function.py();
    if function.getattr_opt(intern!(py, "_torchdynamo_disable"))?.is_some_and(|v| v.is_truthy().unwrap_or(true)) {
        return Ok(FunctionPolicy::Disabled);
    }
    if is_disallowed(function)? {
        return Ok(FunctionPolicy::Disabled);
    }
    let code = function.getattr(intern!(py, "__code__"))?;
    let file: String = code.getattr(intern!(py, "co_filename"))?.extract()?;
    if is_allowed(function)? {
        return Ok(FunctionPolicy::InGraph);
    }
    if is_torch(py, &file) {
        let name = function_target(function)?;
        let known = fx::torch_ops::knows(&name) || is_in_graph(&name);
        if known && is_composed(&name) {
            return Ok(FunctionPolicy::Composed);
        }
        if known || has_row(&name) || !(is_inlined_torch(&file) || HELPERS.contains(&&*name)) {
            return Ok(if known { FunctionPolicy::InGraph } else { FunctionPolicy::Skipped });
        }
    } else if is_skipped(py, &file)
        && (!is_inlined_library(&file) || makes_manager(&code, &file)? || has_row(&dotted_name(function)?))
    {
        return Ok(FunctionPolicy::Skipped);
    }
    let marked = function.getattr_opt(intern!(py, "_dynamo_marked_constant"))?;
    let is_constant = marked.is_some_and(|marked| marked.is_truthy().unwrap_or(false));
    Ok(if is_constant { FunctionPolicy::Constant } else { FunctionPolicy::Inlined })
}

/// The name that a function has in graphs.
pub(super) fn name_in_graph(function: &Bound<'_, PyAny>) -> PyResult<String> {
    if is_allowed(function)? { allowed_target(function) } else { function_target(function) }
}

/// True for what `torch._dynamo.allow_in_graph` was told of, unless it is a function that tensors have too.
pub(super) fn is_allowed(function: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(is_among(function, "_allowed_callable_ids")? && !fx::torch_ops::knows(&function_target(function)?))
}

/// True for what `torch._dynamo.disallow_in_graph` was told of.
pub(super) fn is_disallowed(function: &Bound<'_, PyAny>) -> PyResult<bool> {
    is_among(function, "_disallowed_callable_ids")
}

/// True for what is in one of torch's tables of functions; torch's Dynamo is not imported for it.
fn is_among(function: &Bound<'_, PyAny>, table: &str) -> PyResult<bool> {
    let py = function.py();
    let Some(rules) = members::loaded(py, "torch._dynamo.trace_rules") else { return Ok(false) };
    let Some(ids) = rules.getattr_opt(table)? else { return Ok(false) };
    match ids.getattr_opt(intern!(py, "function_ids"))? {
        Some(known) if !known.is_none() => known.contains(function.as_ptr() as usize),
        _ => Ok(false),
    }
}

/// Functions of `torch.nn.functional` that torch's Dynamo puts into the graph as they are, beyond those that have
/// rules; sorted.
#[rustfmt::skip]
const IN_GRAPH: &[&str] = &[
    "_threshold",
    "adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_avg_pool3d", "adaptive_max_pool1d", "adaptive_max_pool2d",
    "adaptive_max_pool3d", "affine_grid", "alpha_dropout", "bilinear", "binary_cross_entropy", "celu",
    "channel_shuffle", "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d",
    "cosine_similarity", "ctc_loss", "embedding_bag", "feature_alpha_dropout",
    "gaussian_nll_loss", "glu", "grid_sample", "group_norm", "gumbel_softmax", "hardshrink", "hardsigmoid", "hardswish",
    "huber_loss", "interpolate", "kl_div", "local_response_norm", "logsigmoid", "lp_pool1d", "lp_pool2d",
    "margin_ranking_loss", "max_pool3d", "mish",
    "multi_margin_loss", "multilabel_margin_loss", "multilabel_soft_margin_loss",
    "normalize", "one_hot", "pairwise_distance", "pdist", "pixel_shuffle", "pixel_unshuffle", "poisson_nll_loss",
    "prelu", "relu6", "rrelu", "selu", "softmin", "softplus", "softshrink", "softsign",
    "tanhshrink", "triplet_margin_loss", "upsample",
];

/// Counterpart of [`IN_GRAPH`] for `torch.functional`.
#[rustfmt::skip]
const IN_GRAPH_TOO: &[&str] = &[
    "atleast_1d", "atleast_2d", "atleast_3d", "block_diag", "broadcast_tensors", "cartesian_prod", "cdist",
    "chain_matmul", "istft", "meshgrid", "norm", "pca_lowrank", "stft", "svd_lowrank", "tensordot",
];

/// Functions of both whose Python code is not traced: it warns, draws, or looks at what tensors hold.
#[rustfmt::skip]
const KEPT: &[&str] = &[
    "torch.functional.block_diag", "torch.functional.istft", "torch.functional.pca_lowrank",
    "torch.functional.svd_lowrank", "torch.nn.functional.affine_grid", "torch.nn.functional.gaussian_nll_loss",
    "torch.nn.functional.gumbel_softmax", "torch.nn.functional.kl_div",
];

/// Functions of torch's that others of these call, and that are traced as they are.
const HELPERS: [&str; 1] = ["torch.functional._meshgrid"];

/// True for functions in Python whose parameters no overload has, and that call operators alone.
fn is_composed(name: &str) -> bool {
    let is_listed = match name.rsplit_once('.') {
        Some(("torch.nn.functional", function)) => {
            IN_GRAPH.binary_search(&function).is_ok() && !fx::torch_ops::knows(name)
        }
        Some(("torch.functional", function)) => function == "einsum" || IN_GRAPH_TOO.binary_search(&function).is_ok(),
        _ => false,
    };
    is_listed && KEPT.binary_search(&name).is_err()
}

fn is_in_graph(name: &str) -> bool {
    match name.rsplit_once('.') {
        Some(("torch.nn.functional", function)) => IN_GRAPH.binary_search(&function).is_ok(),
        Some(("torch.functional", function)) => IN_GRAPH_TOO.binary_search(&function).is_ok(),
        _ => false,
    }
}

/// The extents to which `torch.compiler.disable` keeps a function from being compiled.
pub(super) enum Disabled {
    /// Nothing that it calls is compiled either.
    Throughout,
    /// The function of this code is not compiled; what it calls is.
    Alone(Py<PyAny>),
}

/// The extent that is stated by the wrapper which `torch.compiler.disable` puts around a function; `None` for any other
/// function.
pub(super) fn disabled(function: &Bound<'_, PyAny>, file: &str) -> PyResult<Option<Disabled>> {
    let py = function.py();
    if !file.ends_with("/torch/_dynamo/eval_frame.py") && !file.ends_with("/torch/_dynamo/external_utils.py") {
        return Ok(None);
    }
    let Some(throughout) = function.getattr_opt(intern!(py, "_torchdynamo_disable_recursive"))? else {
        return Ok(None);
    };
    if throughout.is_truthy()? {
        return Ok(Some(Disabled::Throughout));
    }
    let within = function.getattr_opt(intern!(py, "_torchdynamo_orig_callable"))?;
    let code = within.map(|within| within.getattr_opt(intern!(py, "__code__"))).transpose()?.flatten();
    Ok(code.map(|code| Disabled::Alone(code.unbind())))
}

fn folder(py: Python<'_>, module: &str) -> Option<String> {
    let file: String = py.import(module).ok()?.getattr("__file__").ok()?.extract().ok()?;
    Some(file.rsplit_once('/')?.0.to_owned() + "/")
}

/// True for torch's own files.
fn is_torch(py: Python<'_>, file: &str) -> bool {
    static TORCH: OnceLock<Option<String>> = OnceLock::new();
    let torch = TORCH.get_or_init(|| folder(py, "torch"));
    torch.as_deref().is_some_and(|torch| file.starts_with(torch))
}

/// Files and folders of torch's own whose functions are inlined, where they are called from what is traced.
const INLINED: [&str; 29] = [
    "/torch/_VF.py",
    "/torch/_prims_common/__init__.py",
    "/torch/backends/__init__.py",
    "/torch/backends/mha/__init__.py",
    "/torch/nn/modules/",
    "/torch/nn/functional.py",
    "/torch/nn/init.py",
    "/torch/nn/_reduction.py",
    "/torch/nn/utils/_named_member_accessor.py",
    "/torch/nn/utils/clip_grad.py",
    "/torch/nn/utils/convert_parameters.py",
    "/torch/nn/utils/parametrize.py",
    "/torch/nn/utils/parametrizations.py",
    "/torch/nn/utils/rnn.py",
    "/torch/nn/utils/spectral_norm.py",
    "/torch/nn/utils/stateless.py",
    "/torch/nn/utils/weight_norm.py",
    "/torch/nn/attention/",
    "/torch/_functorch/apis.py",
    "/torch/_functorch/functional_call.py",
    "/torch/_functorch/vmap.py",
    "/torch/_higher_order_ops/associative_scan.py",
    "/torch/_higher_order_ops/utils.py",
    "/torch/_jit_internal.py",
    "/torch/autograd/function.py",
    "/torch/distributions/",
    "/torch/optim/",
    "/torch/utils/_foreach_utils.py",
    "/torch/utils/_pytree.py",
];

/// True for code of the standard library that is traced where it is called: containers, data classes, managers, paths,
/// texts, what makes functions of functions and what tells of them, as far as no row says what they do. So are our own
/// transforms.
fn is_inlined_library(file: &str) -> bool {
    const LIBRARY: [&str; 18] = [
        "/_weakrefset.py",
        "/bisect.py",
        "/collections/__init__.py",
        "/contextlib.py",
        "/dataclasses.py",
        "/enum.py",
        "/fnmatch.py",
        "/fractions.py",
        "/functools.py",
        "/genericpath.py",
        "/heapq.py",
        "/inspect.py",
        "/numbers.py",
        "/posixpath.py",
        "/string.py",
        "/textwrap.py",
        "/typing.py",
        "/weakref.py",
    ];
    matches!(file, "<frozen _collections_abc>" | "<frozen genericpath>" | "<frozen os>" | "<frozen posixpath>")
        || file.ends_with("/rust_inductor/_library.py")
        || file.ends_with("/rust_inductor/_transforms.py")
        || !file.contains("/site-packages/") && LIBRARY.iter().any(|part| file.ends_with(part))
}

/// True for what `contextlib.contextmanager` has made, which the tracer knows: it has the name of a function that may
/// have a rule of its own.
fn makes_manager(code: &Bound<'_, PyAny>, file: &str) -> PyResult<bool> {
    let free: Vec<String> = code.getattr(intern!(code.py(), "co_freevars"))?.extract()?;
    Ok(file.ends_with("/contextlib.py") && free == ["func"])
}

/// True for torch's own code that is written as a program would be, and traced like one.
fn is_inlined_torch(file: &str) -> bool {
    INLINED.iter().any(|part| file.contains(part)) && !file.ends_with("/torch/optim/lr_scheduler.py")
}

/// True for torch's own code that is traced also where no traced code calls it: `forward` of its modules, and the
/// wrapper around `step` of its optimisers with what goes on after its graph breaks.
pub(super) fn is_entry(code: &Bound<'_, PyAny>, file: &str) -> PyResult<bool> {
    let name = code.getattr(intern!(code.py(), "co_name"))?;
    let name: &str = name.extract()?;
    Ok(match name {
        "forward" => file.contains("/torch/nn/modules/"),
        name => file.ends_with("/torch/optim/optimizer.py") && name.contains("_use_grad"),
    })
}

/// True for code all of whose calls are no part of the program: imports, what lazy modules do before their first call,
/// and the ways into torch's own compilers and tracers.
pub(super) fn is_apart(file: &str) -> bool {
    const APART: [&str; 8] = [
        "/torch/nn/modules/lazy.py",
        "/torch/_dynamo/eval_frame.py",
        "/torch/_dynamo/convert_frame.py",
        "/torch/_functorch/_aot_autograd/",
        "/torch/_inductor/",
        "/torch/fx/_symbolic_trace.py",
        "/torch/fx/experimental/proxy_tensor.py",
        "/torch/jit/_trace.py",
    ];
    file.starts_with("<frozen importlib") || APART.iter().any(|entry| file.contains(entry))
}

/// True for files whose code is never traced: the standard library's, torch's, NumPy's, ours. Other packages that are
/// installed beside the standard library are traced.
pub(super) fn is_skipped(py: Python<'_>, file: &str) -> bool {
    static OURS: OnceLock<Option<String>> = OnceLock::new();
    static LIBRARY: OnceLock<Option<String>> = OnceLock::new();
    let ours = OURS.get_or_init(|| folder(py, "rust_inductor"));
    let library = LIBRARY.get_or_init(|| folder(py, "os"));
    let within = |folder: &Option<String>| folder.as_deref().is_some_and(|folder| file.starts_with(folder));
    let installed = file.contains("/site-packages/") || file.contains("/dist-packages/");
    let is_library = file.ends_with("-packages/typing_extensions.py");
    // What NumPy's functions do is known by their names.
    let of_numpy = installed && file.contains("-packages/numpy/");
    let is_library = is_library || of_numpy || within(library) && !installed;
    file.starts_with("<frozen") || is_library || is_torch(py, file) || within(ours)
}

/// True for code of a library whose frames are not captured where the program calls them.
#[pyfunction]
pub(crate) fn is_library(code: &Bound<'_, PyAny>) -> PyResult<bool> {
    let file: String = code.getattr(intern!(code.py(), "co_filename"))?.extract()?;
    Ok(is_skipped(code.py(), &file) && !is_entry(code, &file)?)
}

/// True for a Python function of torch's.
pub(super) fn is_of_torch(function: &Bound<'_, PyAny>) -> bool {
    let py = function.py();
    let file = || function.getattr(intern!(py, "__code__"))?.getattr(intern!(py, "co_filename"))?.extract::<String>();
    function.is_instance_of::<PyFunction>() && file().is_ok_and(|file| is_torch(py, &file))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted() {
        assert!(IN_GRAPH.is_sorted() && IN_GRAPH_TOO.is_sorted() && KEPT.is_sorted());
    }
}
