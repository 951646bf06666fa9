//! Compiled graphs that set modes of torch's: if one fails midway, the modes are as they were before.

use crate::torch::Torch;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// A compiled graph that sets whether autograd records, or autocast.
#[pyclass(frozen, module = "rust_inductor._native")]
pub(crate) struct KeepsMode(Py<PyAny>);

impl KeepsMode {
    pub(super) fn new(graph: Py<PyAny>) -> KeepsMode {
        KeepsMode(graph)
    }
}

#[pymethods]
impl KeepsMode {
    #[pyo3(signature = (*args))]
    fn __call__<'py>(&self, args: &Bound<'py, PyTuple>) -> PyResult<Bound<'py, PyAny>> {
        let before = Modes::now(args.py())?;
        // What is raised matters more than what this could raise.
        self.0.bind(args.py()).call1(args).inspect_err(|_| before.restore().unwrap_or_default())
    }
}

/// The modes that graphs set.
struct Modes<'py> {
    torch: Bound<'py, PyAny>,
    grad: Bound<'py, PyAny>,
    /// On or off, the type, whether converted weights are kept, and how many contexts there are.
    autocast: (Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyAny>, i64),
}

impl<'py> Modes<'py> {
    fn now(py: Python<'py>) -> PyResult<Modes<'py>> {
        let torch = py.import("torch")?.into_any();
        let on_cpu = |name: &str| torch.call_method1(name, ("cpu",));
        let cache = torch.call_method0("is_autocast_cache_enabled")?;
        let autocast = (on_cpu("is_autocast_enabled")?, on_cpu("get_autocast_dtype")?, cache, nesting(&torch)?);
        let grad = Torch::get(py)?.find(py, "is_grad_enabled")?.call0()?;
        Ok(Modes { torch, grad, autocast })
    }

    fn restore(&self) -> PyResult<()> {
        let (enabled, dtype, cache, depth) = &self.autocast;
        self.torch.getattr("_C")?.call_method1("_set_grad_enabled", (&self.grad,))?;
        self.torch.call_method1("set_autocast_enabled", ("cpu", enabled))?;
        self.torch.call_method1("set_autocast_dtype", ("cpu", dtype))?;
        self.torch.call_method1("set_autocast_cache_enabled", (cache,))?;
        for _ in *depth..nesting(&self.torch)? {
            self.torch.call_method0("autocast_decrement_nesting")?;
        }
        if *depth == 0 {
            self.torch.call_method0("clear_autocast_cache")?;
        }
        Ok(())
    }
}

/// How many autocast contexts there are, one in the other.
fn nesting(torch: &Bound<'_, PyAny>) -> PyResult<i64> {
    torch.call_method0("autocast_increment_nesting")?;
    torch.call_method0("autocast_decrement_nesting")?.extract()
}
