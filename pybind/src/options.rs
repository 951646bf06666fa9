//! The options of `torch.compile(..., options={...})`.

use crate::cuda;
use crate::device::{TargetDevice, Wgpu};
use crate::torch::Torch;
use autograd::draw_by_counter;
use fx::Graph;
use inductor_wgpu::AdapterChoice;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::Arc;

/// The options that a user may set; immutable once parsed.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Options {
    /// The part of the bytes that forward graphs may save for backward graphs, in thousandths: beyond it, even what is
    /// dear is computed again.
    pub(crate) activation_memory_budget: u16,
    /// True if compiled code is kept on disk, and looked for there.
    pub(crate) cache: bool,
    /// True if what calls launch on a CUDA device is recorded and replayed.
    pub(crate) cuda_graphs: bool,
    /// True if an operator that would be called for want of a rule is an error.
    pub(crate) fallback_error: bool,
    /// True if random numbers come from eager's generator, one after the other; false if kernels draw them by counters.
    pub(crate) fallback_random: bool,
    /// True if nothing writes to a weight that torch does not count: not through `.data`, not through NumPy.
    pub(crate) freezing: bool,
    /// True if measurement chooses between several ways to compute the same.
    pub(crate) max_autotune: bool,
    /// The number of threads; torch's own at the time of the call where it is `None`.
    pub(crate) threads: Option<usize>,
    /// True if memory of which the program says nothing is filled, as torch does it where results have to be the same.
    pub(crate) fills: bool,
    /// The device that graphs run on.
    pub(crate) target: TargetDevice,
    /// The choice among the machine's adapters, where it is no processor.
    adapter: Option<AdapterChoice>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            activation_memory_budget: 1000,
            cache: true,
            cuda_graphs: false,
            fallback_error: false,
            fallback_random: true,
            freezing: false,
            max_autotune: false,
            threads: None,
            fills: false,
            target: TargetDevice::default(),
            adapter: None,
        }
    }
}

/// An option: its name, what it takes, and how it is set (false: a value that it does not take).
struct Row {
    name: &'static str,
    takes: &'static str,
    set: fn(&mut Options, &Bound<'_, PyAny>) -> bool,
}

static ROWS: &[Row] = &[
    Row { name: "activation_memory_budget", takes: "a number from 0 to 1", set: set_activation_memory_budget },
    Row { name: "adapter", takes: "\"best\", \"software\" or a part of an adapter's name", set: set_adapter },
    Row { name: "cache", takes: "True or False", set: set_cache },
    Row { name: "cudagraphs", takes: "True or False", set: set_cuda_graphs },
    Row { name: "device", takes: "\"cpu\", \"wgpu\" or \"cuda\"", set: set_device },
    Row { name: "fallback", takes: "\"allow\" or \"error\"", set: set_fallback },
    Row { name: "fallback_random", takes: "True or False", set: set_fallback_random },
    Row { name: "freezing", takes: "True or False", set: set_freezing },
    Row { name: "max_autotune", takes: "True or False", set: set_max_autotune },
    Row { name: "threads", takes: "a positive int or None", set: set_threads },
];

fn set_activation_memory_budget(options: &mut Options, value: &Bound<'_, PyAny>) -> bool {
    let Ok(value) = value.extract::<f64>() else { return false };
    options.activation_memory_budget = (value * 1000.0).round() as u16;
    (0.0..=1.0).contains(&value)
}

fn set_cache(options: &mut Options, value: &Bound<'_, PyAny>) -> bool {
    let Ok(value) = value.extract::<bool>() else { return false };
    options.cache = value;
    true
}

fn set_cuda_graphs(options: &mut Options, value: &Bound<'_, PyAny>) -> bool {
    let Ok(value) = value.extract::<bool>() else { return false };
    options.cuda_graphs = value;
    true
}

fn set_fallback(options: &mut Options, value: &Bound<'_, PyAny>) -> bool {
    let Ok(value) = value.extract::<String>() else { return false };
    options.fallback_error = value == "error";
    matches!(value.as_str(), "allow" | "error")
}

fn set_fallback_random(options: &mut Options, value: &Bound<'_, PyAny>) -> bool {
    let Ok(value) = value.extract::<bool>() else { return false };
    options.fallback_random = value;
    true
}

fn set_freezing(options: &mut Options, value: &Bound<'_, PyAny>) -> bool {
    let Ok(value) = value.extract::<bool>() else { return false };
    options.freezing = value;
    true
}

fn set_max_autotune(options: &mut Options, value: &Bound<'_, PyAny>) -> bool {
    let Ok(value) = value.extract::<bool>() else { return false };
    options.max_autotune = value;
    true
}

fn set_threads(options: &mut Options, value: &Bound<'_, PyAny>) -> bool {
    let Ok(value) = value.extract::<Option<usize>>() else { return false };
    options.threads = value;
    value != Some(0)
}

fn set_device(options: &mut Options, value: &Bound<'_, PyAny>) -> bool {
    match value.extract::<String>().as_deref() {
        Ok("cpu") => options.target = TargetDevice::Cpu,
        Ok("wgpu") => options.target = TargetDevice::Wgpu,
        Ok("cuda") => options.target = TargetDevice::EmulatedCuda,
        _ => return false,
    }
    true
}

fn set_adapter(options: &mut Options, value: &Bound<'_, PyAny>) -> bool {
    let Ok(value) = value.extract::<String>() else { return false };
    options.adapter = value.parse().ok();
    true
}

impl Options {
    /// The options with `fills` replaced: whether memory of which the program says nothing is filled.
    pub(crate) fn filling(self, fills: bool) -> Options {
        Options { fills, ..self }
    }

    /// True if a failure of the compiler, or of what it has made, is an error rather than a warning and eager's result:
    /// the user wants it so, or the device is there to find failures.
    pub(crate) fn is_strict(&self) -> bool {
        self.fallback_error || self.target == TargetDevice::EmulatedCuda
    }

    /// A graph that draws its random numbers as these options say.
    pub(crate) fn drawn(&self, graph: Graph) -> Graph {
        let is_counted = !self.fallback_random && self.target == TargetDevice::Cpu;
        if is_counted { draw_by_counter(graph) } else { graph }
    }

    /// The WebGPU device that graphs run on, opened; `None` where they run on that of their tensors.
    ///
    /// # Errors
    /// There is none.
    pub(crate) fn device(&self) -> PyResult<Option<Arc<Wgpu>>> {
        match self.target {
            TargetDevice::Cpu | TargetDevice::EmulatedCuda => Ok(None),
            TargetDevice::Wgpu => Wgpu::get(&self.adapter.clone().unwrap_or_default()).map(Some),
        }
    }

    /// The options in a dict.
    ///
    /// # Errors
    /// An option that does not exist, with the list of those that do; a value that an option does not take.
    pub(crate) fn parse(dict: Option<&Bound<'_, PyDict>>) -> PyResult<Options> {
        let mut options = Options::default();
        for (key, value) in dict.into_iter().flat_map(PyDictMethods::iter) {
            let key = key.str()?;
            let key = key.to_str()?;
            let Some(row) = ROWS.iter().find(|row| row.name == key) else {
                let valid: Vec<_> = ROWS.iter().map(|row| format!("`{}` ({})", row.name, row.takes)).collect();
                let message = format!("rust_inductor has no option `{key}`; its options are {}", valid.join(", "));
                return Err(PyValueError::new_err(message));
            };
            if !(row.set)(&mut options, &value) {
                let message = format!("option `{key}` takes {}, not {}", row.takes, value.repr()?);
                return Err(PyValueError::new_err(message));
            }
        }
        if options.adapter.is_some() && options.target != TargetDevice::Wgpu {
            return Err(PyValueError::new_err("option `adapter` goes with the option `device`: \"wgpu\""));
        }
        Ok(options)
    }
}

/// Raises for options that `torch.compile` should not have been given.
#[pyfunction]
#[pyo3(signature = (options=None))]
pub(crate) fn check_options(py: Python<'_>, options: Option<&Bound<'_, PyDict>>) -> PyResult<()> {
    let options = Options::parse(options)?;
    options.device()?;
    let emulates = options.target == TargetDevice::EmulatedCuda;
    if emulates && !Torch::get(py)?.find(py, "cuda.is_available")?.call0()?.is_truthy()? {
        cuda::emulated(options.cache).map_err(PyRuntimeError::new_err)?;
    }
    Ok(())
}
