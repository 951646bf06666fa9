//! The part of a program that a device runs: the run's session, the weights that the device keeps, the host's memory as
//! the session sees it.
//!
//! A step of the host stands between a `Fetch` of what it reads and a `Wrote` of what it writes. The flags of kernels
//! that ran on the device are looked at when the outputs have come, all at once.

use super::frame::Frame;
use super::run::Stop;
use super::{InputSpec, Program};
use crate::device::{Copy, Demand, State, Wgpu, hash_all};
use crate::import::Imported;
use crate::torch::Torch;
use inductor::device::{Content, Counters, Device, DeviceError, Task};
use inductor::offload::Session;
use inductor::plan::{Buf, ObjectId, Output, Plan, Storage, View};
use inductor_wgpu::{Gpu, Work};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use rustc_hash::FxHashMap;
use std::slice;
use std::sync::Arc;

/// The part of a program that concerns its device.
pub(crate) struct DevicePart {
    device: Arc<Wgpu>,
    /// The inputs that are known to be weights, by number.
    weights: Vec<usize>,
    /// Outputs that another graph may read, each with a buffer of its own.
    results: Vec<(usize, Buf, Arc<Demand>)>,
    /// Flags that kernels set on the device.
    pub(super) flags: Vec<Buf>,
    /// Results of calls that the device makes which are no tensors: they are `None`.
    pub(super) nones: Vec<ObjectId>,
    /// The steps that the host does, and why.
    pub(super) refused: Vec<(String, String)>,
}

impl DevicePart {
    pub(super) fn new(device: Arc<Wgpu>, plan: &Plan, imported: &Imported) -> DevicePart {
        let (weights, results) = (imported.roles.weights.clone(), results(plan, imported.roles.saved_from));
        DevicePart { device, weights, results, flags: Vec::new(), nones: Vec::new(), refused: Vec::new() }
    }

    /// Opens the run's session: the inputs have their values, the flags are down. With `freezing`, nothing writes to a
    /// weight that torch does not count.
    pub(super) fn begin(
        &self,
        py: Python<'_>,
        program: &Program,
        args: &[Bound<'_, PyAny>],
        freezing: bool,
        frame: &mut Frame,
    ) -> PyResult<()> {
        let gpu = &self.device.gpu;
        let failed = |error: DeviceError| PyRuntimeError::new_err(error.to_string());
        let mut session = py.detach(|| Session::new(gpu)).map_err(failed)?;
        Counters::add(&gpu.counters().host_steps, self.refused.len());
        frame.states = self.states(py, program, args, frame, freezing);
        program.given(py, args).for_each(|(buf, _)| session.host_wrote(buf));
        for (buf, tensor) in program.given(py, args) {
            if let Some(state) = frame.states.get(&buf)
                && let Some(memory) = self.device.copies.find(&tensor, state)
            {
                session.kept(buf, &memory);
            }
        }
        for object in &self.nones {
            frame.objects[object.as_u32() as usize] = Some(py.None());
        }
        self.flags.iter().try_for_each(|&flag| session.lower_flag(flag)).map_err(failed)?;
        frame.session = Some(session);
        Ok(())
    }

    /// Keeps the weights that the run has uploaded.
    pub(super) fn end(
        &self,
        py: Python<'_>,
        program: &Program,
        args: &[Bound<'_, PyAny>],
        frame: &mut Frame,
    ) -> PyResult<()> {
        let Some(session) = &frame.session else { return Ok(()) };
        let mut copies = Vec::new();
        for (buf, tensor) in program.given(py, args) {
            if let Some(&state) = frame.states.get(&buf)
                && self.is_weight(py, program, buf, &tensor)
                && self.device.copies.find(&tensor, &state).is_none()
                && let Some(memory) = session.keep(buf)
            {
                copies.push(Copy { tensor, state, memory, demand: None });
            }
        }
        self.device.copies.keep(py, copies)
    }

    /// Keeps the results that another graph may read.
    pub(super) fn keep_results(
        &self,
        py: Python<'_>,
        program: &Program,
        outputs: &[Bound<'_, PyAny>],
        frame: &Frame,
    ) -> PyResult<()> {
        let Some(session) = &frame.session else { return Ok(()) };
        let copies = self.results.iter().filter_map(|(at, buf, demand)| {
            let (tensor, data, memory) = (&outputs[*at], bytes_of(program, frame, *buf), session.keep(*buf)?);
            if data.is_empty() || !demand.wants() {
                return None;
            }
            let state = State::of(tensor, data, program.bufs[*buf].element).hashed(data);
            Some(Copy { tensor: tensor.clone(), state, memory, demand: Some(Arc::clone(demand)) })
        });
        self.device.copies.keep(py, copies.collect())
    }

    /// The states, before the run, of weights and of what there may be a copy of; not of copies that the call has made.
    fn states(
        &self,
        py: Python<'_>,
        program: &Program,
        args: &[Bound<'_, PyAny>],
        frame: &Frame,
        freezing: bool,
    ) -> FxHashMap<Buf, State> {
        let (mut states, mut hashed, mut bufs) = (FxHashMap::default(), Vec::new(), Vec::new());
        for (buf, tensor) in program.given(py, args) {
            let data = bytes_of(program, frame, buf);
            if data.is_empty() || !frame.slot(buf).is_given() {
                continue;
            }
            let state = State::of(&tensor, data, program.bufs[buf].element);
            if !self.device.copies.may_have(&state) && !self.is_weight(py, program, buf, &tensor) {
                continue;
            }
            if freezing && state.is_counted() {
                states.insert(buf, state);
            } else {
                hashed.push((state, data));
                bufs.push(buf);
            }
        }
        py.detach(|| hash_all(&mut hashed));
        states.extend(bufs.into_iter().zip(hashed.into_iter().map(|(state, _)| state)));
        states
    }

    /// True for what is likely to be read again as it is.
    fn is_weight(&self, py: Python<'_>, program: &Program, buf: Buf, tensor: &Bound<'_, PyAny>) -> bool {
        let is_known = match program.bufs[buf].storage {
            Storage::Constant(_) => true,
            Storage::Input(number) => self.weights.contains(&number),
            Storage::Arena(_) | Storage::Lent(_) | Storage::Owned | Storage::Result => false,
        };
        is_known || Torch::get(py).is_ok_and(|torch| torch.is_parameter(tensor))
    }
}

/// The outputs that are whole buffers which no other output shares; those from `saved_from` on are for a backward
/// graph.
fn results(plan: &Plan, saved_from: Option<usize>) -> Vec<(usize, Buf, Arc<Demand>)> {
    let views = plan.outputs.iter().map(|output| if let Output::Tensor(view) = output { Some(view) } else { None });
    let views: Vec<Option<&View>> = views.collect();
    let is_alone = |view: &View| views.iter().flatten().filter(|other| other.buf == view.buf).count() == 1;
    let is_own = |view: &View| matches!(plan.bufs[view.buf].storage, Storage::Owned | Storage::Result);
    let is_whole = |view: &View| view.layout == plan.bufs[view.buf].layout;
    let fits = |view: &&View| is_alone(view) && is_own(view) && is_whole(view);
    let demand = |at| if saved_from.is_some_and(|from| at >= from) { Demand::certain() } else { Demand::default() };
    let found = views.iter().enumerate();
    found.filter_map(|(at, view)| Some((at, view.filter(fits)?.buf, Arc::new(demand(at))))).collect()
}

impl Program {
    /// The tensors that the run was given, with their buffers.
    pub(super) fn given<'py>(
        &self,
        py: Python<'py>,
        args: &[Bound<'py, PyAny>],
    ) -> impl Iterator<Item = (Buf, Bound<'py, PyAny>)> {
        let inputs = self.inputs.iter().map(|&InputSpec { index, buf, .. }| (buf, args[index].clone()));
        inputs.chain(self.constants.iter().map(move |(buf, object)| (*buf, object.bind(py).clone())))
    }

    /// True if a device runs a part of it.
    pub(crate) fn has_device(&self) -> bool {
        self.device.is_some()
    }

    /// The steps that the host does though there is a device, and why.
    pub(crate) fn refused(&self) -> &[(String, String)] {
        self.device.as_ref().map_or(&[], |device| &device.refused)
    }

    fn content(&self, buf: Buf) -> Content {
        let spec = &self.bufs[buf];
        Content { dtype: spec.element, bytes: spec.bytes }
    }
}

/// Takes the session out of the frame, so that both can be used.
fn with_session(
    frame: &mut Frame,
    f: impl FnOnce(&mut Session<Gpu>, &mut Frame) -> Result<(), DeviceError>,
) -> Result<(), Stop> {
    let Some(mut session) = frame.session.take() else { return Ok(()) };
    let done = f(&mut session, frame);
    frame.session = Some(session);
    done.map_err(Stop::Device)
}

/// The host's memory of a buffer whose value it has.
pub(super) fn bytes_of<'a>(program: &Program, frame: &'a Frame, buf: Buf) -> &'a [u8] {
    let (data, length) = (frame.data(buf), program.bufs[buf].bytes);
    if data.is_null() || length == 0 {
        return &[];
    }
    // SAFETY: inputs were checked against the plan's layout, other buffers were allocated by it; nothing writes to the
    // buffer while the step reads it.
    unsafe { slice::from_raw_parts(data, length) }
}

pub(super) fn run(program: &Program, task: &Task<Work>, frame: &mut Frame) -> Result<(), Stop> {
    with_session(frame, |session, frame| {
        session.run(task, &|buf| bytes_of(program, frame, buf), &|buf| program.content(buf))
    })
}

pub(super) fn fetch(program: &Program, bufs: &[Buf], frame: &mut Frame) -> Result<(), Stop> {
    with_session(frame, |session, frame| {
        let mut sink = |buf: Buf, bytes: &[u8]| {
            let data = frame.data(buf);
            if !data.is_null() {
                // SAFETY: the buffer was allocated before the step that fetches it, with the plan's layout.
                unsafe { data.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
            }
        };
        session.fetch(bufs, &|buf| program.content(buf), &mut sink)
    })
}

pub(super) fn wrote(bufs: &[Buf], frame: &mut Frame) {
    if let Some(session) = &mut frame.session {
        bufs.iter().for_each(|&buf| session.host_wrote(buf));
    }
}

pub(super) fn release(bufs: &[Buf], frame: &mut Frame) {
    if let Some(session) = &mut frame.session {
        bufs.iter().for_each(|&buf| session.release(buf));
    }
}
