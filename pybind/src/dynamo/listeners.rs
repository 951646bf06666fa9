//! Events that listeners are told of: one dict per capture, per function that runs as it is, and per limit reached.
//!
//! Every event has `original`, the code object that was called, and `frame`, its number and how often it had been
//! captured; then, as the event is:
//!
//! - a capture: `graph`, `compiled`, `guards`, `guard_kinds`, `guard_lines`, `guard_paths`, `shape_guards`, `code`,
//!   `symbols`, `symbol_guards`, `marked`, `promised`, `asked`, `not_lowered`, `followed`, `recompile_reasons`,
//!   `seconds` (of the capture, and of the backend), and `break_reason`, `break`, `line`, `stack`, all `None` if
//!   nothing ended the graph; where the log shows them, `described`, of which a module like torch's can be made, and
//!   `microseconds`, which the guards take;
//! - a function that runs as it is: `skipped`, the reason, with `break` and `stack` where the tracer gave it, else
//!   `failed`, true where it is not the tracer who could not go on;
//! - a limit: `limit`, and `recompile_reasons`.
//!
//! Invariant: telling reads what is there and changes nothing.

use super::{
    backend,
    call_guard::{CallGuard, FrameId, Recompile},
};
use crate::fx_module;
use dynamo_core::bytecode::location::Span;
use dynamo_core::trace::{Break, Capture, Followed};
use frame_hook::{Call, Guard as _};
use guards::{GlobalState, GuardKind, Root, Source, SourceId, Sources};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};
use std::collections::HashMap;
use std::iter::successors;
use std::time::{Duration, Instant};
use symshapes::{InputKind, ShapeEnv};

/// The time that an entry took to make.
#[derive(Clone, Copy)]
pub(super) struct Spent {
    /// Tracing, guards and code.
    pub(super) capture: Duration,
    /// The backend.
    pub(super) backend: Duration,
}

/// The receivers of events.
pub(super) struct Listeners {
    /// Is called with every event.
    pub(super) listener: Option<Py<PyAny>>,
    /// The module with `wanted()`, which says whether anything is to be logged, and `tell(event)`.
    pub(super) logs: Option<Py<PyAny>>,
}

impl Listeners {
    /// Visits the objects that they refer to, for the garbage collector.
    pub(super) fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.listener)?;
        visit.call(&self.logs)
    }

    /// True if anybody is there to be told.
    pub(super) fn wanted(&self, py: Python<'_>) -> PyResult<bool> {
        Ok(self.listener.is_some() || self.logs_wanted(py)?)
    }

    /// True if what a trace runs is to be logged, instruction by instruction.
    pub(super) fn follows(&self, py: Python<'_>) -> PyResult<bool> {
        self.logs.as_ref().map_or(Ok(false), |logs| logs.bind(py).call_method0("follows")?.is_truthy())
    }

    fn logs_wanted(&self, py: Python<'_>) -> PyResult<bool> {
        self.logs.as_ref().map_or(Ok(false), |logs| logs.bind(py).call_method0("wanted")?.is_truthy())
    }

    /// True if graphs are to be logged as torch has them.
    fn shows_graphs(&self, py: Python<'_>) -> PyResult<bool> {
        self.logs.as_ref().map_or(Ok(false), |logs| logs.bind(py).call_method0("shows_graphs")?.is_truthy())
    }

    /// Tells of a capture.
    pub(super) fn capture<'py>(
        &self,
        event: &Event<'_, 'py>,
        capture: &Capture,
        guard: &CallGuard,
        (code, compiled): (&Bound<'py, PyAny>, Option<&Bound<'py, PyAny>>),
        marked: &[String],
        spent: Spent,
    ) -> PyResult<()> {
        if !self.wanted(event.call.py())? {
            return Ok(());
        }
        let dict = event.dict()?;
        dict.set_item("graph", capture.computes.then(|| fx_module::Graph::from(capture.graph.clone())))?;
        dict.set_item("compiled", compiled)?;
        if capture.computes && self.shows_graphs(event.call.py())? {
            dict.set_item("described", backend::described(event.call, capture)?)?;
        }
        set_guards(&dict, guard)?;
        if self.logs_wanted(event.call.py())? {
            dict.set_item("microseconds", microseconds(event.call, guard)?)?;
        }
        dict.set_item("seconds", (spent.capture.as_secs_f64(), spent.backend.as_secs_f64()))?;
        dict.set_item("code", code)?;
        dict.set_item("symbols", symbols(&capture.env, capture))?;
        dict.set_item("symbol_guards", symbol_guards(&capture.env))?;
        dict.set_item("marked", marked)?;
        dict.set_item("promised", promised(&capture.env, capture))?;
        let asked: Vec<&str> = capture.asked.iter().map(|&node| capture.graph[node].target.as_str()).collect();
        dict.set_item("asked", asked)?;
        dict.set_item("not_lowered", capture.not_lowered.iter().map(|what| &**what).collect::<Vec<_>>())?;
        set_break(&dict, capture.ended.as_ref())?;
        set_followed(&dict, &capture.followed)?;
        self.send(&dict, false)
    }

    /// Tells of a function that runs as it is, since nothing of it can be captured.
    pub(super) fn skipped(&self, event: &Event<'_, '_>, ended: &Break) -> PyResult<()> {
        if !self.wanted(event.call.py())? {
            return Ok(());
        }
        let dict = event.dict()?;
        set_break(&dict, Some(ended))?;
        dict.set_item("skipped", ended.reason.to_string())?;
        dict.set_item("code", event.call.code())?;
        self.send(&dict, false)
    }

    /// Tells of a function that runs as it is, since compiling it failed; the log always says so.
    pub(super) fn failed(&self, event: &Event<'_, '_>, why: &str) -> PyResult<()> {
        let dict = event.dict()?;
        set_break(&dict, None)?;
        dict.set_item("skipped", why)?;
        dict.set_item("failed", true)?;
        dict.set_item("code", event.call.code())?;
        self.send(&dict, true)
    }

    /// Tells of a limit that was reached; the log always says so.
    pub(super) fn limit(&self, event: &Event<'_, '_>, limit: usize) -> PyResult<()> {
        let dict = event.dict()?;
        dict.set_item("limit", limit)?;
        self.send(&dict, true)
    }

    fn send(&self, dict: &Bound<'_, PyDict>, always: bool) -> PyResult<()> {
        let py = dict.py();
        if let (Some(logs), true) = (&self.logs, always || self.logs_wanted(py)?) {
            logs.bind(py).call_method1("tell", (dict,))?;
        }
        self.listener.as_ref().map_or(Ok(()), |listener| listener.bind(py).call1((dict,)).map(drop))
    }
}

/// The part that all events have in common.
pub(super) struct Event<'a, 'py> {
    pub(super) call: &'a Call<'py>,
    pub(super) frame: FrameId,
    pub(super) recompiles: Vec<Recompile>,
}

impl<'py> Event<'_, 'py> {
    fn dict(&self) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(self.call.py());
        dict.set_item("original", self.call.code())?;
        dict.set_item("frame", self.frame)?;
        let reasons = self.recompiles.iter().map(|recompile| recompile.dict(self.call.py()));
        dict.set_item("recompile_reasons", PyList::new(self.call.py(), reasons.collect::<PyResult<Vec<_>>>()?)?)?;
        Ok(dict)
    }
}

impl Recompile {
    fn dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        dict.set_item("frame", self.frame)?;
        dict.set_item("guard", &self.failure.guard)?;
        dict.set_item("expected", &self.failure.expected)?;
        dict.set_item("found", &self.failure.found)?;
        dict.set_item("reason", &self.failure.reason)?;
        dict.set_item("line", self.failure.user_stack.as_deref())?;
        dict.set_item("of_shapes", self.failure.of_shapes)?;
        Ok(dict)
    }
}

/// Sets the guards of the trace, then the checks that the backend wants besides, which have no source.
fn set_guards(dict: &Bound<'_, PyDict>, guard: &CallGuard) -> PyResult<()> {
    let conditions = &guard.conditions;
    let (sources, all, checks) = (conditions.tree.sources(), conditions.tree.guards(), &conditions.checks);
    // That nothing is chosen goes without saying, and so do the methods of tensors.
    let told = |guard: &&guards::Guard| {
        !matches!(guard.kind, GuardKind::Global(GlobalState::DefaultDevice(None) | GlobalState::TensorClass(_)))
    };
    let all: Vec<&guards::Guard> = all.iter().filter(told).collect();
    let texts = all.iter().map(|guard| guard.text(sources)).chain(checks.iter().map(|check| check.text.clone()));
    let kinds = all.iter().map(|guard| guard.kind.row().name).chain(checks.iter().map(|_| "LAMBDA_GUARD"));
    let mut names = Names { py: dict.py(), sources, known: HashMap::new() };
    let paths = all.iter().map(|guard| names.path(guard.source)).chain(checks.iter().map(|_| Vec::new()));
    let lines = all.iter().map(|guard| guard.user_stack.as_deref()).chain(checks.iter().map(|_| None));
    let shapes = all.iter().filter_map(|guard| match &guard.kind {
        GuardKind::ShapeEnv(shapes) => Some(shapes.text.iter().cloned().zip(shapes.lines.iter().cloned())),
        _ => None,
    });
    dict.set_item("shape_guards", shapes.flatten().collect::<Vec<_>>())?;
    dict.set_item("guards", texts.collect::<Vec<_>>())?;
    dict.set_item("guard_kinds", kinds.collect::<Vec<_>>())?;
    dict.set_item("guard_paths", paths.collect::<Vec<_>>())?;
    dict.set_item("guard_lines", lines.collect::<Vec<_>>())
}

/// The time in microseconds that the guards take on the call that was traced.
fn microseconds(call: &Call<'_>, guard: &CallGuard) -> PyResult<f64> {
    let start = Instant::now();
    guard.fit(call)?;
    Ok(start.elapsed().as_secs_f64() * 1e6)
}

/// The names of sources as Python strings: most sources lie on the way to many others.
struct Names<'a, 'py> {
    py: Python<'py>,
    sources: &'a Sources,
    known: HashMap<SourceId, Bound<'py, PyString>>,
}

impl<'py> Names<'_, 'py> {
    /// The objects on the way to a source, as printed, the outermost first; none for what is global.
    fn path(&mut self, source: SourceId) -> Vec<Bound<'py, PyString>> {
        if matches!(self.sources[source], Source::Root(Root::GlobalState)) {
            return Vec::new();
        }
        let (py, sources) = (self.py, self.sources);
        let upwards = successors(Some(source), |&source| sources.base(source));
        let name = |source| PyString::new(py, &sources.display(source).to_string());
        let mut path: Vec<_> =
            upwards.map(|source| self.known.entry(source).or_insert_with(|| name(source)).clone()).collect();
        path.reverse();
        path
    }
}

/// Sets the instructions that were run: place, depth, opcode, argument and stack of each.
fn set_followed(dict: &Bound<'_, PyDict>, followed: &[Followed]) -> PyResult<()> {
    let row = |step: &Followed| {
        let place = (step.place.0.clone(), step.place.1, step.place.2.clone());
        (place, step.depth, step.opcode.clone(), step.arg.clone(), step.stack.clone())
    };
    dict.set_item("followed", followed.iter().map(row).collect::<Vec<_>>())
}

fn set_break(dict: &Bound<'_, PyDict>, ended: Option<&Break>) -> PyResult<()> {
    dict.set_item("break_reason", ended.map(|ended| ended.reason.to_string()))?;
    dict.set_item("line", ended.map(|ended| ended.line))?;
    dict.set_item("stack", ended.map(|ended| ended.stack.clone()))?;
    let Some(ended) = ended else { return dict.set_item("break", dict.py().None()) };
    let columns = |span: &Option<Span>| span.map(|span| (span.end_line, span.columns));
    dict.set_item("stack_spans", ended.spans.iter().map(columns).collect::<Vec<_>>())?;
    let reason = PyDict::new(dict.py());
    reason.set_item("code", ended.reason.kind.code())?;
    reason.set_item("what", ended.reason.kind.what())?;
    reason.set_item("text", &ended.reason.text)?;
    reason.set_item("hint", ended.reason.kind.hint())?;
    reason.set_item("opcode", ended.opcode.map(|op| op.to_string()))?;
    dict.set_item("break", reason)
}

/// Each symbol that reads an input: name, value, source, and the range that it starts with.
fn symbols(env: &ShapeEnv, capture: &Capture) -> Vec<(String, Option<i64>, String, &'static str)> {
    let owned = env.inputs().filter_map(|input| Some((input.owned?, input)));
    let named = owned.map(|(symbol, input)| {
        let range = if input.kind == InputKind::Size { "[2, int_oo]" } else { "[-int_oo, int_oo]" };
        let source = capture.sources.display(input.source.into()).to_string();
        (env.pool().name(symbol).to_owned(), env.symbol_hint(symbol), source, range)
    });
    named.collect()
}

/// The sizes of which the user has said something with `mark_dynamic`.
fn promised(env: &ShapeEnv, capture: &Capture) -> Vec<String> {
    let promised = env.inputs().filter(|input| input.constraint.is_some());
    promised.map(|input| capture.sources.display(input.source.into()).to_string()).collect()
}

/// Each decision about symbols, and the line that asked for it.
fn symbol_guards(env: &ShapeEnv) -> Vec<(String, String)> {
    env.guards().iter().map(|guard| (env.pool().display_pred(guard.pred).to_string(), guard.at.clone())).collect()
}
