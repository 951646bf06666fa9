//! Steps of a program that a device with memory of its own runs a part of.
//!
//! A step of the host stands between a `Fetch` of what it reads and a `Wrote` of what it writes. The flags of kernels
//! that ran on the device are looked at when the outputs have come, all at once.

use crate::activation::Activation;
use crate::library::TensorLibrary;
use crate::program::Program;
use crate::run::Stop;
use inductor::backend::Capabilities;
use inductor::device::{Content, Counters, Device, DeviceError, Refusal, Stream, Task};
use inductor::loop_ir::Kernel;
use inductor::offload::Session;
use inductor::plan::{Buf, Call, Epilogue, ObjectId, Plan};
use std::convert::Infallible;
use symshapes::DType;

impl<L: TensorLibrary> Program<L> {
    /// Opens the run's session on its device: flags are down; no buffer has a value yet but what the caller
    /// [adds](Session::host_wrote).
    ///
    /// # Errors
    /// A device that cannot be opened.
    pub fn open(&self, mut session: Session<L::Device>, activation: &mut Activation<L>) -> Result<(), DeviceError> {
        activation.assert_is_of(&self.buffers);
        for flag in self.device.iter().flat_map(|device| &device.flags) {
            session.lower_flag(*flag)?;
        }
        activation.session = Some(session);
        Ok(())
    }

    /// The results of calls which the device makes and that are no tensors: they have no value in any language.
    pub fn absent_objects(&self) -> &[ObjectId] {
        self.device.as_ref().map_or(&[], |device| &device.absent)
    }

    pub(crate) fn run_task(
        &self,
        task: &Task<<L::Device as Device>::Work>,
        activation: &mut Activation<L>,
    ) -> Result<(), Stop<L>> {
        with_session(activation, |session, activation| {
            session.run(task, &|buf| self.bytes(activation, buf), &|buf| self.content(buf))
        })
    }

    pub(crate) fn fetch(&self, bufs: &[Buf], activation: &mut Activation<L>) -> Result<(), Stop<L>> {
        with_session(activation, |session, activation| {
            let mut sink = |buf: Buf, bytes: &[u8]| {
                let data = activation.data(buf);
                if !data.is_null() {
                    // SAFETY: the buffer was allocated before the step that fetches it, with the plan's layout.
                    unsafe { data.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
                }
            };
            session.fetch(bufs, &|buf| self.content(buf), &mut sink)
        })
    }
}

/// Takes the session out of the activation, so that both can be used.
fn with_session<L: TensorLibrary>(
    activation: &mut Activation<L>,
    f: impl FnOnce(&mut Session<L::Device>, &mut Activation<L>) -> Result<(), DeviceError>,
) -> Result<(), Stop<L>> {
    let Some(mut session) = activation.session.take() else { return Ok(()) };
    let done = f(&mut session, activation);
    activation.session = Some(session);
    done.map_err(Stop::Device)
}

/// The device of libraries that run all of a plan themselves: there is none.
pub enum NoDevice {}

/// A run on a device that does not exist.
pub enum NoStream {}

impl Device for NoDevice {
    type Memory = Infallible;
    type Kernel = Infallible;
    type Work = Infallible;
    type Stream = NoStream;

    fn name(&self) -> &str {
        match *self {}
    }

    fn capabilities(&self) -> &Capabilities {
        match *self {}
    }

    fn compile(&self, _kernel: &Kernel) -> Result<Infallible, Refusal> {
        match *self {}
    }

    fn launch(&self, _kernel: &Infallible, _sizes: &[i64]) -> Result<Infallible, Refusal> {
        match *self {}
    }

    fn library(&self, _call: &Call, _epilogue: Option<&Epilogue>, _plan: &Plan) -> Result<Task<Infallible>, Refusal> {
        match *self {}
    }

    fn largest_buffer(&self) -> usize {
        match *self {}
    }

    fn stream(&self) -> Result<NoStream, DeviceError> {
        match *self {}
    }

    fn counters(&self) -> &Counters {
        match *self {}
    }

    fn listing(&self, _kernel: &Infallible) -> String {
        match *self {}
    }
}

impl Stream for NoStream {
    type Memory = Infallible;
    type Work = Infallible;

    fn allocate(&mut self, _content: Content) -> Result<Infallible, DeviceError> {
        match *self {}
    }

    fn zeros(&mut self, _content: Content) -> Result<Infallible, DeviceError> {
        match *self {}
    }

    fn upload(&mut self, _bytes: &[u8], _dtype: DType) -> Result<Infallible, DeviceError> {
        match *self {}
    }

    fn release(&mut self, memory: Infallible) {
        match memory {}
    }

    fn keeps(&self, memory: &Infallible) -> bool {
        match *memory {}
    }

    fn run(&mut self, work: &Infallible, _args: &[&Infallible]) -> Result<(), DeviceError> {
        match *work {}
    }

    fn download(
        &mut self,
        _blocks: &[(&Infallible, Content)],
        _sink: &mut dyn FnMut(usize, &[u8]),
    ) -> Result<(), DeviceError> {
        match *self {}
    }
}
