//! Compiled graphs that set modes of torch's: if one fails midway, the modes are as they were before.

use crate::torch::Torch;
use guards::{ATTENTION_KERNELS, AttentionOrder};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

/// A compiled graph that sets whether autograd records, autocast, or the kernels that attention may run in.
#[pyclass(frozen, module = "rust_inductor._native")]
pub(crate) struct KeepsMode {
    graph: Py<PyAny>,
    /// Whether it sets the kernels that attention may run in.
    sets_attention: bool,
}

impl KeepsMode {
    pub(super) fn new(graph: Py<PyAny>, sets_attention: bool) -> KeepsMode {
        KeepsMode { graph, sets_attention }
    }
}

#[pymethods]
impl KeepsMode {
    #[pyo3(signature = (*args))]
    fn __call__<'py>(&self, args: &Bound<'py, PyTuple>) -> PyResult<Bound<'py, PyAny>> {
        let before = Modes::now(args.py(), self.sets_attention)?;
        // What is raised matters more than what this could raise.
        self.graph.bind(args.py()).call1(args).inspect_err(|_| before.restore().unwrap_or_default())
    }
}

/// The modes that graphs set.
pub(super) struct Modes<'py> {
    torch: Bound<'py, PyAny>,
    grad: Bound<'py, PyAny>,
    /// Autocast of each device: on or off, and the type.
    autocast: [(&'static str, Bound<'py, PyAny>, Bound<'py, PyAny>); 2],
    /// Whether autocast keeps converted weights.
    cache: Bound<'py, PyAny>,
    /// The nesting depth of autocast contexts.
    depth: i64,
    /// The kernels that attention may run in, if the graph sets them.
    attention: Option<[bool; ATTENTION_KERNELS.len()]>,
    /// The order in which they are tried, if the graph sets them.
    attention_order: Option<AttentionOrder>,
}

impl<'py> Modes<'py> {
    pub(super) fn now(py: Python<'py>, with_attention: bool) -> PyResult<Modes<'py>> {
        let torch = py.import("torch")?.into_any();
        let on = |device: &'static str| -> PyResult<_> {
            let of = |name: &str| torch.call_method1(name, (device,));
            Ok((device, of("is_autocast_enabled")?, of("get_autocast_dtype")?))
        };
        let autocast = [on("cpu")?, on("cuda")?];
        let (cache, depth) = (torch.call_method0("is_autocast_cache_enabled")?, nesting(&torch)?);
        let objects = Torch::get(py)?;
        let grad = objects.find(py, "is_grad_enabled")?.call0()?;
        let attention = if with_attention { Some(objects.attention_kernels(py)?) } else { None };
        let attention_order = if with_attention { objects.attention_order(py) } else { None };
        Ok(Modes { torch, grad, autocast, cache, depth, attention, attention_order })
    }

    pub(super) fn restore(&self) -> PyResult<()> {
        let py = self.torch.py();
        if let Some(kernels) = self.attention {
            Torch::get(py)?.choose_attention(py, kernels.map(Some), self.attention_order)?;
        }
        self.torch.getattr("_C")?.call_method1("_set_grad_enabled", (&self.grad,))?;
        for (device, enabled, dtype) in &self.autocast {
            self.torch.call_method1("set_autocast_enabled", (device, enabled))?;
            self.torch.call_method1("set_autocast_dtype", (device, dtype))?;
        }
        self.torch.call_method1("set_autocast_cache_enabled", (&self.cache,))?;
        for _ in self.depth..nesting(&self.torch)? {
            self.torch.call_method0("autocast_decrement_nesting")?;
        }
        if self.depth == 0 {
            self.torch.call_method0("clear_autocast_cache")?;
        }
        Ok(())
    }
}

/// The nesting depth of autocast contexts.
fn nesting(torch: &Bound<'_, PyAny>) -> PyResult<i64> {
    torch.call_method0("autocast_increment_nesting")?;
    torch.call_method0("autocast_decrement_nesting")?.extract()
}
