//! Traces that are kept on disk: a process that calls a function which another one has traced does not trace it.
//!
//! A trace is found by all that it follows from but the objects that it has looked at: the function's bytecode, the
//! options, the tensors that are arguments, the state and the versions of Python and its libraries. Of several under
//! one key, that one is taken whose questions about objects are answered as they were ([`Memo`]).
//!
//! Invariant: whatever a store holds, the capture is the one that tracing would make now.

use super::{code, host::PyHost, members, states::states};
use crate::cache::{self, Cache};
use crate::torch::Torch;
use dynamo_core::host::{Host as _, Obj, Recorder};
use dynamo_core::trace::{self, Break, Capture, Memo, Options};
use frame_hook::Call;
use inductor::store::{Key, Store as _};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Traces under one key, at most: functions of one code that see different objects.
const MOST: u8 = 8;

/// Gives the capture of a call: with `caches` one that is kept, or else a new one, which is kept then.
///
/// # Errors
/// As tracing has them; those are not kept.
pub(super) fn trace<'py>(
    call: &Call<'py>,
    host: &mut PyHost<'py>,
    options: &Options,
    caches: bool,
) -> Result<Capture, Break> {
    let py = call.py();
    cache::refresh(py);
    // The log of instructions is that of a trace.
    let keys = if caches && Cache::is_on() && !options.follow { keys(call, options).ok() } else { None };
    let Some(keys) = keys else {
        let (function, arguments) = handles(call, host);
        return trace::trace(host, function, &arguments, options);
    };
    let mut vacant = None;
    for key in &keys {
        let Some(bytes) = Cache.get(key) else {
            vacant = Some(key);
            break;
        };
        let Some(memo) = Memo::decode(&bytes) else { continue };
        *host = PyHost::new(py);
        handles(call, host);
        if let Some(capture) = memo.recall(host) {
            tracing::debug!(target: "rust_inductor::trace", "recalled: {}", label(&capture));
            return Ok(capture);
        }
    }
    *host = PyHost::new(py);
    let (function, arguments) = handles(call, host);
    let mut recorder = Recorder::new(host);
    let capture = trace::trace(&mut recorder, function, &arguments, options)?;
    let label = label(&capture);
    tracing::debug!(target: "rust_inductor::trace", "traced: {label}");
    let Some(journal) = recorder.finish() else { return Ok(capture) };
    let memo = Memo::new(journal, capture);
    if let Some(bytes) = memo.encode() {
        // Where all are taken, any of them goes.
        let at = bytes.len() % keys.len();
        Cache.put(vacant.unwrap_or(&keys[at]), &label, &bytes);
    }
    Ok(memo.into_capture())
}

/// The function of a capture, in words.
fn label(capture: &Capture) -> String {
    format!("trace of {} in {}", capture.code.qualname, capture.code.filename)
}

/// The handles of the function and the arguments, the first that a host gives.
fn handles<'py>(call: &Call<'py>, host: &mut PyHost<'py>) -> (Obj, Vec<Option<Obj>>) {
    let function = host.handle(&call.function());
    (function, (0..call.slots()).map(|slot| call.argument(slot).map(|object| host.handle(&object))).collect())
}

/// The keys under which traces of the call may be, in the order in which they are taken.
fn keys(call: &Call<'_>, options: &Options) -> PyResult<Vec<Key>> {
    let py = call.py();
    let torch = Torch::get(py)?;
    let function = code::read(&call.code(), &mut Vec::new())?;
    let mut host = PyHost::new(py);
    let tensors = (0..call.slots()).map(|slot| {
        let tensor = call.argument(slot).filter(|object| torch.is_tensor(object))?.to_owned();
        let tensor = host.handle(&tensor);
        Some(host.view(tensor))
    });
    let tensors: Vec<_> = tensors.collect();
    let parts = (function, options, tensors, states(py, torch, |_| true), versions(py)?);
    let bytes = rmp_serde::to_vec(&parts).map_err(|error| PyValueError::new_err(error.to_string()))?;
    Ok((0..MOST).map(|at| Key::new("trace", [&bytes[..], &[at]])).collect())
}

/// The versions that answers of Python's library, of torch and of NumPy follow from, and the kernels that torch has.
fn versions(py: Python<'_>) -> PyResult<(String, [String; 4], bool)> {
    let text = |object: &Bound<'_, PyAny>, name: &str| object.getattr(name)?.str()?.extract::<String>();
    let torch = py.import("torch")?;
    let numpy = members::loaded(py, "numpy").map(|numpy| text(&numpy, "__version__")).transpose()?;
    let built = text(torch.getattr("version")?.as_any(), "git_version")?;
    let native = torch.getattr("_C")?;
    let capability = native.call_method0("_get_cpu_capability")?.extract()?;
    let versions = [text(&torch, "__version__")?, built, numpy.unwrap_or_default(), capability];
    Ok((
        text(py.import("sys")?.as_any(), "version")?,
        versions,
        native.call_method0("_get_mkldnn_enabled")?.is_truthy()?,
    ))
}
