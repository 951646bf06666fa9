//! The copies of weights and results that a device keeps, for a program of which it runs a part.

use super::given::Given;
use super::{Activation, Prepared};
use crate::device::{Copy, Demand, State, Wgpu, hash_all};
use crate::import::Imported;
use crate::torch::Torch;
use inductor::device::{Counters, Device, DeviceError};
use inductor::offload::Session;
use inductor::plan::{Buf, Output, Plan, Storage, View};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The part of a program that concerns its device.
pub(crate) struct DevicePart {
    device: Arc<Wgpu>,
    /// The inputs that are known to be weights, by number.
    weights: Vec<usize>,
    /// Outputs that another graph may read, each with a buffer of its own.
    results: Vec<(usize, Buf, Arc<Demand>)>,
}

/// The states of a call's inputs when it began, where the device may keep copies of them.
pub(super) type States = FxHashMap<Buf, State>;

impl DevicePart {
    pub(super) fn new(device: Arc<Wgpu>, plan: &Plan, imported: &Imported) -> DevicePart {
        let (weights, results) = (imported.roles.weights.clone(), results(plan, imported.roles.saved_from));
        DevicePart { device, weights, results }
    }

    /// Opens the run's session: the inputs have their values, the flags are down. With `freezing`, nothing writes to a
    /// weight that torch does not count.
    pub(super) fn begin(&self, given: &Given<'_, '_>, freezing: bool, activation: &mut Activation) -> PyResult<States> {
        let (py, prepared) = (given.py, given.prepared);
        let gpu = &self.device.gpu;
        let failed = |error: DeviceError| PyRuntimeError::new_err(error.to_string());
        let mut session = py.detach(|| Session::new(gpu)).map_err(failed)?;
        Counters::add(&gpu.counters().host_steps, prepared.refused().len());
        let states = self.states(given, activation, freezing);
        given.tensors().for_each(|(buf, _)| session.host_wrote(buf));
        for (buf, tensor) in given.tensors() {
            if let Some(state) = states.get(&buf)
                && let Some(memory) = self.device.copies.find(&tensor, state)
            {
                session.kept(buf, &memory);
            }
        }
        for &object in prepared.absent_objects() {
            activation.set_object(object, py.None());
        }
        prepared.open(session, activation).map_err(failed)?;
        Ok(states)
    }

    /// Keeps the weights that the run has uploaded.
    pub(super) fn end(&self, given: &Given<'_, '_>, states: &States, activation: &Activation) -> PyResult<()> {
        let Some(session) = activation.session() else { return Ok(()) };
        let mut copies = Vec::new();
        for (buf, tensor) in given.tensors() {
            if let Some(&state) = states.get(&buf)
                && self.is_weight(given, buf, &tensor)
                && self.device.copies.find(&tensor, &state).is_none()
                && let Some(memory) = session.keep(buf)
            {
                copies.push(Copy { tensor, state, memory, demand: None });
            }
        }
        self.device.copies.keep(given.py, copies)
    }

    /// Keeps the results that another graph may read.
    pub(super) fn keep_results(
        &self,
        py: Python<'_>,
        prepared: &Prepared,
        outputs: &[Bound<'_, PyAny>],
        activation: &Activation,
    ) -> PyResult<()> {
        let Some(session) = activation.session() else { return Ok(()) };
        let copies = self.results.iter().filter_map(|(at, buf, demand)| {
            let (tensor, data, memory) = (&outputs[*at], prepared.bytes(activation, *buf), session.keep(*buf)?);
            if data.is_empty() || !demand.wants() {
                return None;
            }
            let state = State::of(tensor, data, prepared.content(*buf).dtype).hashed(data);
            Some(Copy { tensor: tensor.clone(), state, memory, demand: Some(Arc::clone(demand)) })
        });
        self.device.copies.keep(py, copies.collect())
    }

    /// The states, before the run, of weights and of what there may be a copy of; not of copies that the call has made.
    fn states(&self, given: &Given<'_, '_>, activation: &Activation, freezing: bool) -> States {
        let (py, prepared) = (given.py, given.prepared);
        let (mut states, mut hashed, mut bufs) = (FxHashMap::default(), Vec::new(), Vec::new());
        for (buf, tensor) in given.tensors() {
            let data = prepared.bytes(activation, buf);
            if data.is_empty() || !activation.slot(buf).is_given() {
                continue;
            }
            let state = State::of(&tensor, data, prepared.content(buf).dtype);
            if !self.device.copies.may_have(&state) && !self.is_weight(given, buf, &tensor) {
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
    fn is_weight(&self, given: &Given<'_, '_>, buf: Buf, tensor: &Bound<'_, PyAny>) -> bool {
        let is_known = match *given.prepared.storage(buf) {
            Storage::Constant(_) => true,
            Storage::Input(number) => self.weights.contains(&number),
            Storage::Arena(_) | Storage::Lent(_) | Storage::Owned | Storage::Result => false,
        };
        is_known || Torch::get(given.py).is_ok_and(|torch| torch.is_parameter(tensor))
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
