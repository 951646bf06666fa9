//! Facts about functions that their names alone tell.

use crate::reason::Kind;

/// Functions of torch that make tensors of no tensor.
pub(in crate::trace) fn is_factory(name: &str) -> bool {
    const FACTORIES: &[&str] = &[
        "zeros",
        "ones",
        "empty",
        "full",
        "arange",
        "linspace",
        "logspace",
        "eye",
        "tensor",
        "rand",
        "randn",
        "randint",
        "randperm",
        "tril_indices",
        "triu_indices",
        "scalar_tensor",
        "as_tensor",
    ];
    name.strip_prefix("torch.").is_some_and(|function| FACTORIES.contains(&function))
}

/// True for functions that may be operators of torch's, by their dotted names. In `torch._C` only some modules have
/// such; all else there belongs to torch's own machinery.
pub(in crate::trace) fn may_be_operator(name: &str) -> bool {
    const MODULES: &[&str] = &["_VariableFunctions", "_fft", "_linalg", "_nested", "_nn", "_sparse", "_special"];
    match name.strip_prefix("torch._C.") {
        Some(rest) => rest.split_once('.').is_some_and(|(module, _)| MODULES.contains(&module)),
        None => name.starts_with("torch.") || name.starts_with("aten."),
    }
}

/// Methods that give a tensor's values to Python.
pub(in crate::trace) fn tensor_to_python(name: &str) -> Option<Kind> {
    const READS: &[&str] = &["item", "tolist", "numpy", "__bool__", "__int__", "__float__", "__index__", "data_ptr"];
    const ACTS: &[&str] = &[
        "backward",
        "register_hook",
        "requires_grad_",
        "retain_grad",
        "share_memory_",
        "set_",
        "detach_",
        "resize_",
        "resize_as_",
    ];
    if READS.contains(&name) { Some(Kind::TensorToPython) } else { ACTS.contains(&name).then_some(Kind::Call) }
}

/// True for managers of a state that no graph holds.
pub(in crate::trace) fn is_manager(name: &str) -> bool {
    const MANAGERS: &str = "warnings.catch_warnings torch.random.fork_rng torch.nn.attention.sdpa_kernel \
        torch.autograd.grad_mode.set_multithreading_enabled torch.autograd.anomaly_mode.set_detect_anomaly \
        torch.autograd.anomaly_mode.detect_anomaly torch.autograd.graph.saved_tensors_hooks \
        torch.autograd.profiler.profile torch.profiler.profiler.profile";
    MANAGERS.split_whitespace().any(|known| known == name)
}

/// The reason why a call without a rule ends the graph.
pub(in crate::trace) fn why_not(name: &str) -> Kind {
    match name {
        "builtins.print" => Kind::Print,
        _ if is_manager(name) => Kind::Context,
        _ if name.ends_with(".__enter__") || name.ends_with(".__exit__") => Kind::Context,
        _ => Kind::Call,
    }
}
