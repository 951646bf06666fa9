//! One run: commands are recorded and submitted together, before the host waits for a result.
//!
//! Uploads happen before all commands that are submitted after them, so they only go into blocks that no recorded
//! command uses: fresh ones, or the pool's. What a run releases itself it uses again for results of later commands.
//!
//! Shaders that look things up say in a word of the run's that an index was out of bounds. Each download brings it
//! along.

use std::num::NonZeroU64;
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use inductor::device::{Content, Counters, DeviceError, Stream};
use inductor::grid::NARROW_LIMIT;
use smallvec::SmallVec;
use symshapes::DType;
use wgpu::{
    BindGroupDescriptor, BindGroupEntry, BindingResource, Buffer, BufferBinding, CommandEncoderDescriptor, ComputePass,
    ComputePassDescriptor, ErrorFilter, MapMode, PollType, SubmissionIndex,
};

use crate::memory::{Memory, NoMemory, block_bytes, whole_words};
use crate::opened::{Opened, Shared};
use crate::pipeline::Pipeline;
use crate::work::{Dispatch, Operand, Work};

/// Bytes of the word that tells of an index out of bounds.
const FAULT_BYTES: usize = 4;

/// The time that a run waits for word from another thread before it polls the device itself.
const ANOTHER_LOOK: Duration = Duration::from_millis(5);

/// A run on a [`Gpu`](crate::Gpu).
pub struct GpuStream {
    shared: Arc<Shared>,
    opened: Arc<Opened>,
    commands: Vec<Command>,
    /// The numbers of all recorded dispatches, each at a multiple of the device's alignment.
    params: Vec<u8>,
    /// Blocks that this run has released.
    free: Vec<Memory>,
    /// The word of [`Operand::Fault`], from when a command first binds it.
    fault: Option<Memory>,
}

/// A recorded dispatch.
struct Command {
    pipeline: Arc<Pipeline>,
    bound: SmallVec<[Bound; 8]>,
    groups: [u32; 3],
}

/// The resources that a recorded dispatch binds.
enum Bound {
    /// So many bytes of a block, from here on.
    Memory(Memory, u64, u64),
    /// So many bytes of the numbers, from here on.
    Params(usize, usize),
}

impl GpuStream {
    pub(crate) fn new(shared: Arc<Shared>, opened: Arc<Opened>) -> GpuStream {
        opened.pool.run();
        GpuStream { shared, opened, commands: Vec::new(), params: Vec::new(), free: Vec::new(), fault: None }
    }

    fn out_of_memory(&self, error: NoMemory) -> DeviceError {
        let _ = self.opened.device.poll(PollType::Poll);
        self.lost().unwrap_or_else(|| DeviceError::OutOfMemory { device: self.shared.name.clone(), bytes: error.bytes })
    }

    /// The error of a device that is lost.
    fn lost(&self) -> Option<DeviceError> {
        let reason = self.opened.lost.get()?.clone();
        Some(DeviceError::Lost { device: self.shared.name.clone(), reason })
    }

    fn invalid(&self, reason: String) -> DeviceError {
        // A loss is told of by a callback, which somebody has to call.
        let _ = self.opened.device.poll(PollType::Poll);
        self.lost().unwrap_or_else(|| DeviceError::Invalid { device: self.shared.name.clone(), reason })
    }

    /// True for elements that the device holds in 32 bits instead of 64.
    fn narrows(&self, dtype: DType) -> bool {
        dtype == DType::I64 && !self.shared.wide_ints
    }

    /// Bytes of a value on the device.
    fn held(&self, content: Content) -> usize {
        if self.narrows(content.dtype) { content.bytes / 2 } else { content.bytes }
    }

    /// A block for a result of later commands: one that the run has released, or a fresh one.
    fn room(&mut self, bytes: usize) -> Result<Memory, DeviceError> {
        let wanted = block_bytes(whole_words(bytes));
        let same = self.free.iter().rposition(|memory| memory.block_bytes() == wanted);
        match same.and_then(|at| self.free.swap_remove(at).reused(bytes)) {
            Some(memory) => Ok(memory),
            None => self.fresh(bytes),
        }
    }

    /// A block that holds these bytes.
    fn send(&mut self, bytes: &[u8]) -> Result<Memory, DeviceError> {
        let memory = self.fresh(bytes.len())?;
        let (words, rest) = bytes.split_at(bytes.len() / 4 * 4);
        let queue = &self.opened.queue;
        if !words.is_empty() {
            queue.write_buffer(memory.buffer(), 0, words);
        }
        if !rest.is_empty() {
            let mut last = [0; 4];
            last[..rest.len()].copy_from_slice(rest);
            queue.write_buffer(memory.buffer(), words.len() as u64, &last);
        }
        Counters::add(&self.shared.counters.bytes_up, bytes.len());
        Ok(memory)
    }

    fn fresh(&self, bytes: usize) -> Result<Memory, DeviceError> {
        self.opened.pool.take(bytes).map_err(|error| self.out_of_memory(error))
    }

    fn record(&mut self, dispatch: &Dispatch, args: &[&Memory], temporaries: &[Memory]) -> Result<(), DeviceError> {
        if dispatch.groups.contains(&0) {
            return Ok(());
        }
        let Shared { shaders, counters, .. } = &*self.shared;
        let pipeline = self.opened.pipelines.get(&self.opened.device, shaders, dispatch.shader, counters);
        let pipeline = pipeline.map_err(|reason| self.invalid(reason))?;
        let mut bound = SmallVec::with_capacity(dispatch.operands.len());
        for operand in &dispatch.operands {
            bound.push(match *operand {
                Operand::Arg(at) => Bound::whole(args[at as usize]),
                Operand::Window(at, offset, bytes) => Bound::Memory(args[at as usize].clone(), offset, bytes),
                Operand::Temporary(at) => Bound::whole(&temporaries[at as usize]),
                Operand::Fault => Bound::whole(&self.fault()?),
                Operand::Params => self.numbers(&dispatch.params),
            });
        }
        self.commands.push(Command { pipeline, bound, groups: dispatch.groups });
        Ok(())
    }

    /// The word that tells of an index out of bounds, 0 at first.
    fn fault(&mut self) -> Result<Memory, DeviceError> {
        if let Some(fault) = &self.fault {
            return Ok(fault.clone());
        }
        let fault = self.send(&[0; FAULT_BYTES])?;
        self.fault = Some(fault.clone());
        Ok(fault)
    }

    fn numbers(&mut self, params: &[u32]) -> Bound {
        let start = self.params.len().next_multiple_of(self.shared.uniform_alignment);
        self.params.resize(start, 0);
        self.params.extend_from_slice(bytemuck::cast_slice(params));
        // A uniform buffer has a multiple of 16 bytes.
        let end = self.params.len().next_multiple_of(16).max(start + 16);
        self.params.resize(end, 0);
        Bound::Params(start, end - start)
    }

    /// Submits what is recorded, and after it copies of values into a block to read them through.
    fn submit(&mut self, copies: &[Copy<'_>], into: &Buffer) -> Result<SubmissionIndex, DeviceError> {
        let params = if self.params.is_empty() { None } else { Some(self.fresh(self.params.len())?) };
        let opened = Arc::clone(&self.opened);
        let scope = opened.device.push_error_scope(ErrorFilter::Validation);
        if let Some(params) = &params {
            opened.queue.write_buffer(params.buffer(), 0, &self.params);
        }
        let mut encoder = opened.device.create_command_encoder(&CommandEncoderDescriptor::default());
        if !self.commands.is_empty() {
            let mut pass = encoder.begin_compute_pass(&ComputePassDescriptor::default());
            self.commands.iter().for_each(|command| command.encode(&opened, &mut pass, params.as_ref()));
        }
        for copy in copies {
            encoder.copy_buffer_to_buffer(copy.from, 0, into, copy.at, copy.bytes);
        }
        let index = opened.queue.submit([encoder.finish()]);
        let counters = &self.shared.counters;
        Counters::add(&counters.submissions, 1);
        Counters::add(&counters.dispatches, self.commands.len());
        self.commands.clear();
        self.params.clear();
        match pollster::block_on(scope.pop()) {
            Some(error) => Err(self.invalid(error.to_string())),
            None => opened.failure().map_or(Ok(index), |reason| Err(self.invalid(reason))),
        }
    }

    /// Waits for a submission and for the block that it has filled.
    fn wait(&self, index: SubmissionIndex, from: &Buffer, bytes: u64) -> Result<(), DeviceError> {
        let (done, mapped) = mpsc::channel();
        from.map_async(MapMode::Read, ..bytes, move |result| {
            // Nobody waits for it any more if the receiver is gone.
            let _ = done.send(result);
        });
        Counters::add(&self.shared.counters.waits, 1);
        let wait = PollType::Wait { submission_index: Some(index), timeout: None };
        self.opened.device.poll(wait).map_err(|error| self.invalid(error.to_string()))?;
        loop {
            match mapped.recv_timeout(ANOTHER_LOOK) {
                Ok(Ok(())) => return Ok(()),
                Ok(Err(error)) => return Err(self.invalid(error.to_string())),
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(self.invalid("the device has dropped what it was waited for".to_owned()));
                }
                // Another thread that waits may have taken our callback along, and is about to call it.
                Err(RecvTimeoutError::Timeout) => {
                    if let Some(reason) = self.opened.failure() {
                        return Err(self.invalid(reason));
                    }
                    let _ = self.opened.device.poll(PollType::Poll);
                }
            }
        }
    }
}

/// The elements of an `int64` buffer in 32 bits; `None` if one is too far from 0.
fn narrowed(bytes: &[u8]) -> Option<Vec<i32>> {
    let fits = |value: i64| if value.abs() <= NARROW_LIMIT { i32::try_from(value).ok() } else { None };
    bytes.chunks_exact(8).map(|chunk| fits(bytemuck::pod_read_unaligned(chunk))).collect()
}

/// The inverse of [`narrowed`].
fn widened(bytes: &[u8]) -> Vec<u8> {
    let wide = |chunk| i64::from(bytemuck::pod_read_unaligned::<i32>(chunk)).to_ne_bytes();
    bytes.chunks_exact(4).flat_map(wide).collect()
}

/// A value on its way to the host.
struct Copy<'a> {
    from: &'a Buffer,
    /// The offset of the value in the block to read through, in bytes.
    at: u64,
    bytes: u64,
}

impl Bound {
    fn whole(memory: &Memory) -> Bound {
        Bound::Memory(memory.clone(), 0, whole_words(memory.bytes()))
    }

    fn resource<'a>(&'a self, params: Option<&'a Memory>) -> Option<BindingResource<'a>> {
        let (buffer, offset, bytes) = match self {
            Bound::Memory(memory, offset, bytes) => (memory.buffer(), *offset, *bytes),
            Bound::Params(start, bytes) => (params?.buffer(), *start as u64, *bytes as u64),
        };
        Some(BindingResource::Buffer(BufferBinding { buffer, offset, size: NonZeroU64::new(bytes) }))
    }
}

impl Command {
    fn encode(&self, opened: &Opened, pass: &mut ComputePass<'_>, params: Option<&Memory>) {
        let mut entries: SmallVec<[BindGroupEntry<'_>; 8]> = SmallVec::new();
        for (binding, bound) in (0..).zip(&self.bound) {
            entries.extend(bound.resource(params).map(|resource| BindGroupEntry { binding, resource }));
        }
        let layout = &self.pipeline.layout;
        let group = opened.device.create_bind_group(&BindGroupDescriptor { label: None, layout, entries: &entries });
        pass.set_pipeline(&self.pipeline.pipeline);
        pass.set_bind_group(0, &group, &[]);
        let [x, y, z] = self.groups;
        pass.dispatch_workgroups(x, y, z);
    }
}

impl Stream for GpuStream {
    type Memory = Memory;
    type Work = Work;

    fn allocate(&mut self, content: Content) -> Result<Memory, DeviceError> {
        self.room(self.held(content))
    }

    fn zeros(&mut self, content: Content) -> Result<Memory, DeviceError> {
        self.send(&vec![0; self.held(content)])
    }

    fn upload(&mut self, bytes: &[u8], dtype: DType) -> Result<Memory, DeviceError> {
        if !self.narrows(dtype) {
            return self.send(bytes);
        }
        let device = || self.shared.name.clone();
        let narrow = narrowed(bytes).ok_or_else(|| DeviceError::TooWide { device: device() })?;
        self.send(bytemuck::cast_slice(&narrow))
    }

    fn release(&mut self, memory: Memory) {
        self.free.push(memory);
    }

    fn keeps(&self, memory: &Memory) -> bool {
        memory.is_of(&self.opened.pool)
    }

    fn run(&mut self, work: &Work, args: &[&Memory]) -> Result<(), DeviceError> {
        let temporaries: Result<Vec<Memory>, _> = work.temporaries.iter().map(|&bytes| self.room(bytes)).collect();
        let temporaries = temporaries?;
        for dispatch in &work.dispatches {
            self.record(dispatch, args, &temporaries)?;
        }
        temporaries.into_iter().for_each(|memory| self.release(memory));
        Ok(())
    }

    fn download(
        &mut self,
        blocks: &[(&Memory, Content)],
        sink: &mut dyn FnMut(usize, &[u8]),
    ) -> Result<(), DeviceError> {
        let mut total = 0;
        let copies = blocks.iter().map(|&(memory, content)| {
            let copy = Copy { from: memory.buffer(), at: total, bytes: whole_words(self.held(content)) };
            total += copy.bytes;
            copy
        });
        let mut copies: Vec<Copy<'_>> = copies.collect();
        let fault = self.fault.clone();
        if let Some(fault) = &fault {
            copies.push(Copy { from: fault.buffer(), at: total, bytes: FAULT_BYTES as u64 });
            total += FAULT_BYTES as u64;
        }
        let into = self.opened.pool.lend(total as usize).map_err(|error| self.out_of_memory(error))?;
        let index = self.submit(&copies, &into)?;
        self.wait(index, &into, total)?;
        let mapped = into.get_mapped_range(..total).map_err(|error| self.invalid(error.to_string()))?;
        let is_out = fault.is_some() && mapped[mapped.len() - FAULT_BYTES..] != [0; FAULT_BYTES];
        let told = if is_out { &[] } else { blocks };
        for (number, (copy, &(_, content))) in copies.iter().zip(told).enumerate() {
            let held = &mapped[copy.at as usize..][..self.held(content)];
            if self.narrows(content.dtype) {
                sink(number, &widened(held));
            } else {
                sink(number, held);
            }
        }
        drop(mapped);
        into.unmap();
        self.opened.pool.give_back(&into);
        Counters::add(&self.shared.counters.bytes_down, total as usize);
        if is_out { Err(DeviceError::OutOfBounds { device: self.shared.name.clone() }) } else { Ok(()) }
    }
}
