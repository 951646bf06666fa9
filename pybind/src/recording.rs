//! CUDA graphs: whether the launches of a compiled graph can be recorded, and what tells the arguments of calls apart.
//! `rust_inductor/_cuda_graphs.py` records and replays.

use crate::compiler::{Code, Compiled};
use crate::cuda::tensors;
use crate::fallback_plan::mutates;
use crate::options::Options;
use crate::torch::{Torch, data_ptr};
use fx::effects::draws;
use fx::{Graph, Kind};
use inductor::plan::{CallKind, Step};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};
use symshapes::{Device, DeviceKind};

/// The number of the device on which the launches of a graph can be recorded.
///
/// # Errors
/// Why they cannot.
pub(crate) fn device(graph: &Graph, compiled: &Compiled, options: &Options) -> Result<u16, String> {
    let Code::Cuda(_, Device { kind: DeviceKind::Cuda, index }, _) = compiled.code else {
        return Err("no kernels for a CUDA device".to_owned());
    };
    if options.freezing {
        return Err("results of weights are kept (`freezing`)".to_owned());
    }
    if mutates(graph) {
        return Err("a write to an input".to_owned());
    }
    obstacle(graph, compiled).map_or(Ok(index.unwrap_or_default()), Err)
}

/// The first node or step that cannot be recorded, in words.
fn obstacle(graph: &Graph, compiled: &Compiled) -> Option<String> {
    for id in graph.nodes() {
        let node = &graph[id];
        if node.meta.iter().flat_map(tensors).any(|meta| meta.device.kind != DeviceKind::Cuda) {
            return Some(format!("`{}` is not on the device", node.name));
        }
        if node.kind == Kind::CallFunction && draws(graph, id) {
            return Some(format!("`{}` draws random numbers", node.target));
        }
    }
    compiled.plan.steps.iter().find_map(|step| match step {
        Step::Call(call) | Step::Fused(call, _) if matches!(call.kind, CallKind::Fallback(_)) => {
            Some(format!("`{}` is called from Python", call.target))
        }
        Step::Write { .. } => Some("a write to an input".to_owned()),
        _ => None,
    })
}

/// Marks of arguments in a layout.
const TENSOR: i64 = 1;
const INTEGER: i64 = 2;

/// A key of the arguments' layouts: dtypes, devices, sizes and strides of tensors, and integers. `None` if there is
/// something else among them, such as a subclass of tensor.
#[pyfunction]
pub(crate) fn layout<'py>(args: &Bound<'py, PyList>) -> PyResult<Option<Bound<'py, PyBytes>>> {
    let py = args.py();
    let torch = Torch::get(py)?;
    let mut words: Vec<i64> = Vec::with_capacity(16 * args.len());
    for arg in args.iter() {
        if !torch.is_plain_tensor(&arg) {
            let Ok(number) = arg.extract::<i64>() else { return Ok(None) };
            words.extend([INTEGER, number]);
            continue;
        }
        let Some(info) = torch.info(&arg) else { return Ok(None) };
        let (device, index) = info.device;
        words.extend([TENSOR, info.dtype.into(), device.into(), index.into(), info.sizes.len() as i64]);
        words.extend_from_slice(info.sizes);
        words.extend_from_slice(info.strides);
    }
    let bytes: Vec<u8> = words.into_iter().flat_map(i64::to_ne_bytes).collect();
    Ok(Some(PyBytes::new(py, &bytes)))
}

/// The addresses of the first elements of some of the arguments, by number, which are tensors.
#[pyfunction]
pub(crate) fn addresses<'py>(args: &Bound<'py, PyList>, at: Vec<usize>) -> PyResult<Bound<'py, PyBytes>> {
    let py = args.py();
    let torch = Torch::get(py)?;
    let mut bytes = Vec::with_capacity(8 * at.len());
    for at in at {
        let arg = args.get_item(at)?;
        let address = match torch.borrow_raw(&arg) {
            Some(raw) => data_ptr(raw)?.addr(),
            None => arg.call_method0("data_ptr")?.extract()?,
        };
        bytes.extend_from_slice(&address.to_ne_bytes());
    }
    Ok(PyBytes::new(py, &bytes))
}
