//! The frame hook's handler: traces a call, has its graph compiled, and installs guards and code.
//!
//! Invariant: whatever fails inside, the function runs as it is; only `fullgraph` makes that an error.

use super::{
    backend::{self, Answer, Backend, Compiled},
    call_guard::{CallGuard, why_not},
    code,
    config::{Config, exception},
    constant,
    declared::Declared,
    failures,
    guard_filter::GuardFilter,
    history::{Histories, History},
    host::PyHost,
    listeners::{Event, Listeners, Spent},
    not_captured::NotCaptured,
    policies::{self, Disabled},
    promises::keeps_statements,
    stance::{Stance, forbidden, stance},
    warm_start,
};
use crate::compiler::panic_text;
use crate::names;
use crate::torch::{Overrides, Torch};
use dynamo_core::host::Host as _;
use dynamo_core::reason::Kind;
use dynamo_core::trace::{self, Break, Capture, Dynamic, OPAQUE_BASE, Opaque};
use frame_hook::{Call, Fit, Guard, Handler, Verdict};
use pyo3::exceptions::{PyException, PyRuntimeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The prefix of the names of resume functions, which go on after a graph break.
const RESUMED: &str = "torch_dynamo_resume_in_";

/// A backend, a set of options, and what was compiled with them.
pub(super) struct Tracing {
    pub(super) backend: Backend,
    pub(super) listeners: Listeners,
    pub(super) dynamic: Dynamic,
    pub(super) limit: usize,
    pub(super) fullgraph: bool,
    pub(super) declared: Option<Declared>,
    pub(super) filter: Option<GuardFilter>,
    /// The printed sources of sizes and integers that are symbols from the first call on.
    pub(super) symbolic: Vec<String>,
    /// Whether traces are kept for other processes.
    pub(super) caches: bool,
    /// The key of its entries: handlers with an equal one share theirs.
    pub(super) group: Option<Py<PyAny>>,
    pub(super) history: Histories,
    /// The code of functions that are not to be compiled, though what they call is.
    pub(super) disabled: Mutex<Vec<Py<PyAny>>>,
}

impl Tracing {
    /// The key that it has in common with those that share its entries.
    pub(super) fn group(&self) -> Option<&Py<PyAny>> {
        self.group.as_ref()
    }

    /// True if it has entries that others can use.
    pub(super) fn has_entries(&self) -> bool {
        self.listeners.listener.is_none() && self.history.captures() > 0
    }

    /// True if one more entry may be made for the code.
    pub(super) fn has_room(&self, code: &Bound<'_, PyAny>) -> bool {
        self.history.with(code, |history| history.captures) < self.limit
    }
}

impl Handler for Tracing {
    fn compile(&self, call: &Call<'_>, failed: &[Rc<dyn Guard>]) -> PyResult<Verdict> {
        let file = file_of(call)?;
        match policies::disabled(&call.function(), &file)? {
            Some(Disabled::Throughout) => return Ok(Verdict::SkipAll),
            Some(Disabled::Alone(code)) => self.disabled.lock().unwrap_or_else(PoisonError::into_inner).push(code),
            None => {}
        }
        if self.is_disabled(&call.code()) {
            return Ok(Verdict::Skip);
        }
        if policies::is_apart(&file) {
            return Ok(Verdict::SkipAll);
        }
        // What other compilers have written: graphs of torch.fx, and Inductor's modules.
        let written = file.starts_with('<') && file.contains("eval_with_key") || file.contains("/torchinductor_");
        let skipped = policies::is_skipped(call.py(), &file) && !policies::is_entry(&call.code(), &file)?;
        if written || skipped || backend::is_at_work(call.py()).unwrap_or(false) {
            return Ok(Verdict::Skip);
        }
        let overrides = Torch::get(call.py())?.override_state(call.py())?;
        if overrides == Overrides::Other {
            // Modes of the program's see each call of torch's functions.
            return Ok(Verdict::NotNow);
        }
        if let Some(shared) = self.shared(call)? {
            return Ok(shared);
        }
        if stance(call.py()) == Stance::FailOnRecompile {
            let reasons: Vec<String> = why_not(call, failed)?.into_iter().map(|why| why.failure.reason).collect();
            return Err(forbidden(&call.code(), &reasons)?);
        }
        if !failed.is_empty() && Config::new(call.py()).forbids_recompiles() {
            let reasons: String =
                why_not(call, failed)?.iter().map(|why| format!("\n- {}", why.failure.reason)).collect();
            let text = format!("Recompiling {}\ntriggered by the following guard failure(s):{reasons}", call.code());
            return Err(exception(call.py(), "RecompileError", text));
        }
        if self.fullgraph && is_within_replacement(call).unwrap_or(false) {
            return Ok(Verdict::NotNow);
        }
        let delay = self.delays(call)?;
        if delay == Delay::Eager {
            // What it is given is to be compared with what the next call is given.
            let look = || self.trace(call, &mut PyHost::new(call.py()), self.dynamic, true).is_ok();
            catch_unwind(AssertUnwindSafe(look)).unwrap_or(false);
            return Ok(Verdict::NotNow);
        }
        let event = self.event(call, failed)?;
        let aot = (delay == Delay::AotEager).then(|| aot_eager(call.py())).transpose()?;
        match catch_unwind(AssertUnwindSafe(|| self.capture(&event, aot.as_ref().unwrap_or(&self.backend)))) {
            Ok(Ok(verdict)) => Ok(verdict),
            Ok(Err(NotCaptured::Backend(error))) => Err(error),
            Ok(Err(failure)) if self.fullgraph || failure.is_error(call.py()) => Err(failure.into()),
            Ok(Err(NotCaptured::Ended(ended))) => {
                tracing::warn!(target: "rust_inductor", "{}; `{file}` runs as it is", ended.reason);
                self.listeners.skipped(&event, &ended)?;
                Ok(Verdict::Skip)
            }
            // Ctrl-C, and what else is no error of ours.
            Ok(Err(NotCaptured::Failed(error))) if !error.is_instance_of::<PyException>(call.py()) => Err(error),
            Ok(Err(NotCaptured::Failed(error))) => {
                tracing::warn!(target: "rust_inductor", "{error}; `{file}` runs as it is");
                self.listeners.failed(&event, &error.to_string())?;
                Ok(Verdict::Skip)
            }
            Err(panic) => {
                let why = format!("internal error of the tracer: {}", panic_text(panic.as_ref()));
                tracing::error!(target: "rust_inductor", "{why}");
                self.listeners.failed(&event, &why)?;
                Ok(Verdict::Skip)
            }
        }
    }

    fn limit(&self) -> usize {
        let stance = Python::attach(stance);
        if stance == Stance::EagerOnRecompile { 0 } else { self.limit }
    }

    fn at_limit(&self, call: &Call<'_>, failed: &[Rc<dyn Guard>], first: bool) -> PyResult<()> {
        if stance(call.py()) == Stance::EagerOnRecompile {
            return Ok(());
        }
        if first {
            let frame = self.history.with(&call.code(), |history| (history.frame, history.captures));
            let event = Event { call, frame, recompiles: why_not(call, failed)? };
            self.listeners.limit(&event, self.limit)?;
        }
        if Config::new(call.py()).fails_at_limit() {
            let text = format!("`{}` was compiled {} times already", call.code(), self.limit);
            return Err(exception(call.py(), "FailOnRecompileLimitHit", text));
        }
        if self.fullgraph && !is_within_replacement(call).unwrap_or(false) {
            let text = format!("fullgraph: `{}` was compiled {} times already", call.code(), self.limit);
            return Err(PyRuntimeError::new_err(text));
        }
        Ok(())
    }
}

/// The ways to run the first call of a function, where compilation is to wait.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Delay {
    None,
    Eager,
    AotEager,
}

/// The file of the code that is called; of what was compiled from a string, such as the methods of data classes, that
/// of the module for which it was.
fn file_of(call: &Call<'_>) -> PyResult<String> {
    let file: String = call.code().getattr(intern!(call.py(), "co_filename"))?.extract()?;
    if file != "<string>" {
        return Ok(file);
    }
    let globals = call.globals();
    let module = globals.cast::<PyDict>().ok().map(|globals| globals.get_item(intern!(call.py(), "__file__")));
    Ok(module.transpose()?.flatten().and_then(|module| module.extract().ok()).unwrap_or(file))
}

/// True if code of ours is on the way to the call. With `fullgraph`, such code has no calls but what its graph runs,
/// and those of the program where its graph has failed and it runs as it is: none of them is to be one graph.
fn is_within_replacement(call: &Call<'_>) -> PyResult<bool> {
    let py = call.py();
    let mut frame = py.import(intern!(py, "sys"))?.getattr(intern!(py, "_getframe"))?.call0()?;
    while !frame.is_none() {
        if frame_hook::is_replacement(&frame.getattr(intern!(py, "f_code"))?) {
            return Ok(true);
        }
        frame = frame.getattr(intern!(py, "f_back"))?;
    }
    Ok(false)
}

/// The compiler that runs the graph as AOTAutograd gives it.
fn aot_eager(py: Python<'_>) -> PyResult<Backend> {
    Backend::new(&py.import("rust_inductor._backends")?.call_method1("resolve", ("aot_eager",))?)
}

impl Tracing {
    fn is_disabled(&self, code: &Bound<'_, PyAny>) -> bool {
        self.disabled.lock().unwrap_or_else(PoisonError::into_inner).iter().any(|known| code.is(known))
    }

    /// An entry that fits the call, of another function of the same code that was compiled in the same way: layers of
    /// a model that are compiled one by one are traced once.
    fn shared(&self, call: &Call<'_>) -> PyResult<Option<Verdict>> {
        let Some(group) = &self.group else { return Ok(None) };
        let shares = |other: &dyn Handler| {
            let other = (other as &dyn Any).downcast_ref::<Tracing>().filter(|other| !std::ptr::eq(*other, self));
            let other = other.and_then(|other| other.group.as_ref());
            other.is_some_and(|other| group.bind(call.py()).eq(other).unwrap_or(false))
        };
        for (guard, code) in frame_hook::shared(&call.code(), shares) {
            let Some(guard) = (&*guard as &dyn Any).downcast_ref::<CallGuard>() else { continue };
            if let Fit::Yes(_) = guard.fits(call)? {
                let entries = self.history.with(&call.code(), History::count_entry);
                return Ok(Some(Verdict::Replace { guard: Box::new(guard.shared(entries)), code }));
            }
        }
        Ok(None)
    }

    /// Whether compilation waits for the next call.
    fn delays(&self, call: &Call<'_>) -> PyResult<Delay> {
        let delay = match stance(call.py()) {
            Stance::EagerThenCompile => Delay::Eager,
            Stance::AotEagerThenCompile => Delay::AotEager,
            _ => return Ok(Delay::None),
        };
        let delayed = self.history.with(&call.code(), |history| std::mem::replace(&mut history.delayed, true));
        Ok(if delayed { Delay::None } else { delay })
    }

    fn capture(&self, event: &Event<'_, '_>, backend: &Backend) -> Result<Verdict, NotCaptured> {
        let call = event.call;
        let (start, mut in_backend) = (Instant::now(), Duration::ZERO);
        // Symbols that a backend cannot take are constants, floats first.
        let mut has_floats = true;
        for (dynamic, floats) in [(self.dynamic, true), (self.dynamic, false), (Dynamic::Never, false)] {
            if !floats && !std::mem::replace(&mut has_floats, true) {
                continue;
            }
            let (mut host, capture) = self.trace_anew(call, dynamic, floats).map_err(NotCaptured::Ended)?;
            has_floats = capture.has_floats();
            if let Some(ended) = &capture.ended
                && (self.fullgraph || ended.is_refused || ended.reason.kind == Kind::Promise)
            {
                return Err(NotCaptured::Ended(ended.clone()));
            }
            keeps_statements(&capture).map_err(NotCaptured::Backend)?;
            let given = Instant::now();
            let answer = backend.compile(call, &capture)?;
            in_backend += given.elapsed();
            match answer {
                Answer::Compiled(compiled) => {
                    return self.install(event, &mut host, &capture, *compiled, (start, in_backend));
                }
                Answer::Declined => return Ok(Verdict::Skip),
                Answer::Unguarded => {}
            }
        }
        Err(PyRuntimeError::new_err("the backend assumes what cannot be checked").into())
    }

    /// The verdict on a call that was compiled.
    fn install<'py>(
        &self,
        event: &Event<'_, 'py>,
        host: &mut PyHost<'py>,
        capture: &Capture,
        compiled: Compiled<'py>,
        (start, in_backend): (Instant, Duration),
    ) -> Result<Verdict, NotCaptured> {
        let call = event.call;
        let graph = compiled.function.clone();
        let code = self.write(call.py(), call, host, capture, graph.as_ref())?;
        let entries = self.history.with(&call.code(), |history| Arc::clone(&history.entries));
        let guard = CallGuard::new(call, host, capture, (compiled, self.filter.as_ref()), (event.frame, entries))?;
        let marked = self.history.with(&call.code(), |history| {
            history.count_entry();
            std::mem::take(&mut history.news)
        });
        let spent = Spent { capture: start.elapsed().saturating_sub(in_backend), backend: in_backend };
        self.listeners.capture(event, capture, &guard, (&code, graph.as_ref()), &marked, spent)?;
        Ok(Verdict::Replace { guard: Box::new(guard), code: code.unbind() })
    }

    /// Traces; anew each time that a lazy module was initialised.
    fn trace_anew<'py>(
        &self,
        call: &Call<'py>,
        dynamic: Dynamic,
        floats: bool,
    ) -> Result<(PyHost<'py>, Capture), Break> {
        loop {
            let mut host = PyHost::new(call.py());
            let capture = self.trace(call, &mut host, dynamic, floats);
            if !host.is_stale() {
                return Ok((host, capture?));
            }
        }
    }

    /// Traces; a second time with symbols where values have changed since an earlier call.
    fn trace<'py>(
        &self,
        call: &Call<'py>,
        host: &mut PyHost<'py>,
        dynamic: Dynamic,
        floats: bool,
    ) -> Result<Capture, Break> {
        let code = call.code();
        let changed = || [&self.symbolic[..], &self.history.with(&code, |history| history.changed.clone())].concat();
        let follow = self.listeners.follows(call.py()).unwrap_or(false);
        let declared = self.declared.as_ref().and_then(|declared| declared.of(&code));
        let dynamic = if declared.is_some() { Dynamic::Never } else { dynamic };
        let declared = declared.map(<[_]>::to_vec).unwrap_or_default();
        let inference = self.backend.runs_modes();
        // What makes a tensor of a float asks modes where.
        let floats = floats && host.default_device().is_none();
        let lowers = !inference;
        let mut options = trace::Options {
            dynamic,
            changed: changed(),
            declared,
            floats,
            inference,
            lowers,
            follow,
            ..trace::Options::default()
        };
        Config::new(call.py()).apply(&mut options);
        let dynamic = options.dynamic;
        let capture = warm_start::trace(call, host, &options, self.caches)?;
        let automatic = dynamic == Dynamic::Automatic;
        if !self.history.with(&code, |history| history.learn(&capture)) || !automatic {
            return Ok(capture);
        }
        options.changed = changed();
        warm_start::trace(call, host, &options, self.caches)
    }

    fn write<'py>(
        &self,
        py: Python<'py>,
        call: &Call<'py>,
        host: &mut PyHost<'py>,
        capture: &Capture,
        graph: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let original = host.handle(&call.code());
        let missing = || PyValueError::new_err("the code names an object that is not there");
        let opaque = |index: u32| -> PyResult<Bound<'py, PyAny>> {
            let Some(place) = index.checked_sub(OPAQUE_BASE) else {
                return host.constant(original, index).ok_or_else(missing);
            };
            match capture.opaque.get(place as usize).ok_or_else(missing)? {
                Opaque::Graph => graph.cloned().ok_or_else(missing),
                Opaque::Failure => failures::teller(py, capture),
                Opaque::Object(obj) => Ok(host.object(*obj)),
                Opaque::Held(obj) => Ok(PyList::new(py, [host.object(*obj)])?.into_any()),
                Opaque::Named(name) => named(py, name),
                Opaque::Constant(value) => constant::write(py, value),
                Opaque::Set(history) => host.set_maker(history),
            }
        };
        let nested = |made: Bound<'py, PyAny>| -> PyResult<Bound<'py, PyAny>> {
            let name: String = made.getattr(intern!(py, "co_name"))?.extract()?;
            if !name.starts_with(RESUMED) {
                return Ok(made);
            }
            let made = self.history.join(made, &call.code())?;
            frame_hook::mark_resume(&made)?;
            Ok(made)
        };
        code::write(py, &capture.code, &opaque, &nested)
    }

    /// The event of this call, with the entries whose guards did not hold if anybody is to be told.
    fn event<'a, 'py>(&self, call: &'a Call<'py>, failed: &[Rc<dyn Guard>]) -> PyResult<Event<'a, 'py>> {
        let frame = self.history.with(&call.code(), |history| (history.frame, history.captures));
        let recompiles = if self.listeners.wanted(call.py())? { why_not(call, failed)? } else { Vec::new() };
        Ok(Event { call, frame, recompiles })
    }
}

/// A builtin, a class of `types`, or something of torch's, by its dotted name.
fn named<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    if let Some(method) = name.strip_prefix("Tensor.") {
        return Torch::get(py)?.tensor.bind(py).getattr(method);
    }
    if let Some(path) = name.strip_prefix("builtins.") {
        return path.split('.').try_fold(py.import("builtins")?.into_any(), |owner, part| owner.getattr(part));
    }
    match name.rsplit_once('.') {
        Some((owner @ ("str" | "int" | "float"), method)) => py.import("builtins")?.getattr(owner)?.getattr(method),
        Some((owner, member)) if owner == "types" || owner.starts_with("rust_inductor.") => {
            py.import(owner)?.getattr(member)
        }
        _ => names::function(py, name),
    }
}
