//! The state of one call.

use super::arena::Arena;
use super::frozen::Kept;
use super::pages::{LARGE, WIDE, ask_for_large, mend_holes};
use super::{Program, ViewId};
use crate::device::State;
use crate::torch::shim::ShimError;
use crate::torch::{RawTensor, Tensor, tensor};
use cranelift_entity::EntityRef;
use inductor::offload::Session;
use inductor::plan::{Buf, Storage};
use inductor_cuda::Stream;
use inductor_wgpu::Gpu;
use pyo3::prelude::*;
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::ptr;
use std::sync::Arc;

/// The tensor behind a buffer at the moment, by its ownership.
#[derive(Default)]
pub(crate) enum Slot {
    /// Nothing: not yet written, or freed, or in the arena.
    #[default]
    Empty,
    /// A tensor that somebody else keeps alive during the call.
    Borrowed(RawTensor),
    /// A tensor that somebody else keeps alive during the call, held by a reference of ours.
    Shared(Tensor),
    /// A tensor of ours.
    Owned(Tensor),
}

impl Slot {
    /// True for a tensor as the caller has given it.
    pub(crate) fn is_given(&self) -> bool {
        matches!(self, Slot::Borrowed(_) | Slot::Shared(_))
    }

    pub(crate) fn raw(&self) -> Option<RawTensor> {
        match self {
            Slot::Empty => None,
            Slot::Borrowed(raw) => Some(*raw),
            Slot::Shared(tensor) | Slot::Owned(tensor) => Some(tensor.raw()),
        }
    }
}

/// The state of one call; kept for the next one, which finds most addresses unchanged.
pub(crate) struct Frame {
    slots: Vec<Slot>,
    /// Addresses of first elements; null until known.
    data: Vec<*mut u8>,
    /// Tensors over parts of the arena, made when first asked for.
    arena_views: Vec<Option<Tensor>>,
    /// Tensors that live for one step.
    temporaries: Vec<Tensor>,
    /// Values that are no tensors.
    pub(crate) objects: Vec<Option<Py<PyAny>>>,
    /// Where values are, in a program with a device.
    pub(super) session: Option<Session<Gpu>>,
    /// The states of the inputs when the call began, where a device may keep copies of them.
    pub(super) states: FxHashMap<Buf, State>,
    /// The frozen results of an earlier call, if this one uses them.
    pub(super) kept: Option<Arc<Kept>>,
    /// PyTorch's current stream, in a program with a CUDA device.
    pub(super) stream: Stream,
    /// True once the call has written to a tensor of the caller's.
    pub(super) has_written: bool,
    /// The lender's memory, once it is allocated.
    lent: Range<*mut u8>,
    /// Where the arena lies that the addresses and views of its buffers are made for.
    made_for: *mut u8,
    /// Empty between calls. Last, since tensors above lie in it; only its addresses are used.
    arena: Arena,
}

// SAFETY: the addresses are used by the thread that owns the frame, and between calls by nobody.
unsafe impl Send for Frame {}

impl Frame {
    /// The state before the first call.
    pub(crate) fn new(program: &Program) -> Frame {
        Frame {
            data: vec![ptr::null_mut(); program.bufs.len()],
            slots: program.bufs.values().map(|_| Slot::Empty).collect(),
            arena_views: program.views.keys().map(|_| None).collect(),
            temporaries: Vec::new(),
            objects: (0..program.objects).map(|_| None).collect(),
            session: None,
            states: FxHashMap::default(),
            kept: None,
            stream: Stream::default(),
            has_written: false,
            lent: ptr::null_mut()..ptr::null_mut(),
            made_for: ptr::null_mut(),
            arena: Arena::EMPTY,
        }
    }

    /// Begins a call in an arena, where all flags are down.
    pub(crate) fn enter(&mut self, py: Python<'_>, program: &Program, arena: Arena) {
        if arena.at(0) != self.made_for {
            self.made_for = arena.at(0);
            self.arena_views.fill_with(|| None);
            for (data, buf) in self.data.iter_mut().zip(program.bufs.values()) {
                if let Storage::Arena(offset) = buf.storage {
                    *data = arena.at(offset);
                }
            }
        }
        for (number, &flag) in program.flags.iter().enumerate() {
            match &program.cuda {
                Some(cuda) => self.data[flag.index()] = cuda.flag(py, number),
                // SAFETY: a flag is a byte of the arena that nothing else shares.
                None => unsafe { self.data(flag).write(0) },
            }
        }
        self.arena = arena;
    }

    /// Ends the call: forgets its values, and gives the arena back.
    pub(crate) fn leave(&mut self) -> Arena {
        self.slots.fill_with(Slot::default);
        self.temporaries.clear();
        self.objects.fill_with(|| None);
        self.session = None;
        self.kept = None;
        self.states.clear();
        self.has_written = false;
        self.lent = ptr::null_mut()..ptr::null_mut();
        std::mem::replace(&mut self.arena, Arena::EMPTY)
    }

    pub(crate) fn slot(&self, buf: Buf) -> &Slot {
        &self.slots[buf.index()]
    }

    /// The address of a buffer's first element.
    pub(crate) fn data(&self, buf: Buf) -> *mut u8 {
        self.data[buf.index()]
    }

    /// The memory that each launch of a CUDA program may use, behind that of the buffers.
    pub(super) fn scratch(&self, program: &Program) -> *mut u8 {
        self.arena.at(program.scratch)
    }

    /// True for a tensor that a call has given back as it got it, from memory that the next steps use again.
    pub(crate) fn lends(&self, tensor: RawTensor) -> Result<bool, ShimError> {
        let data = tensor::data_ptr(tensor)?;
        Ok(self.arena.holds(data) || self.lent.contains(&data))
    }

    /// Puts a tensor behind a buffer.
    pub(crate) fn put(&mut self, buf: Buf, slot: Slot) -> Result<(), ShimError> {
        self.data[buf.index()] = match slot.raw() {
            Some(raw) => tensor::data_ptr(raw)?,
            None => ptr::null_mut(),
        };
        self.slots[buf.index()] = slot;
        Ok(())
    }

    /// Allocates a buffer as the plan lays it out.
    pub(crate) fn allocate(&mut self, program: &Program, buf: Buf) -> Result<(), ShimError> {
        let spec = &program.bufs[buf];
        let is_host = program.cuda.is_none();
        if is_host && spec.bytes >= WIDE {
            mend_holes();
        }
        let tensor = Tensor::empty(&spec.sizes, &spec.strides, spec.dtype, program.memory())?;
        self.put(buf, Slot::Owned(tensor))?;
        if is_host && spec.bytes >= LARGE {
            ask_for_large(self.data(buf), spec.bytes);
        }
        if program.lender == Some(buf) {
            self.lend(program, self.data(buf), spec.bytes);
        }
        Ok(())
    }

    /// Lays buffers into the memory of the lender.
    fn lend(&mut self, program: &Program, memory: *mut u8, bytes: usize) {
        self.lent = memory..memory.wrapping_add(bytes);
        for (data, buf) in self.data.iter_mut().zip(program.bufs.values()) {
            if let Storage::Lent(offset) = buf.storage {
                *data = memory.wrapping_add(offset);
            }
        }
    }

    /// Drops what is behind a buffer.
    pub(crate) fn free(&mut self, buf: Buf) {
        self.slots[buf.index()] = Slot::Empty;
    }

    /// Takes a tensor of ours from behind a buffer.
    pub(crate) fn take(&mut self, buf: Buf) -> Option<Tensor> {
        match std::mem::take(&mut self.slots[buf.index()]) {
            Slot::Owned(tensor) => Some(tensor),
            Slot::Empty | Slot::Borrowed(_) | Slot::Shared(_) => None,
        }
    }

    /// The handle of a view, valid until the end of the step.
    pub(crate) fn handle(&mut self, program: &Program, view: ViewId) -> Result<RawTensor, ShimError> {
        let spec = &program.views[view];
        let buf = &program.bufs[spec.buf];
        let arena = matches!(buf.storage, Storage::Arena(_));
        if arena && let Some(tensor) = &self.arena_views[view.index()] {
            return Ok(tensor.raw());
        }
        let base = self.slot(spec.buf).raw();
        let tensor = match base {
            Some(raw) if spec.whole => return Ok(raw),
            Some(raw) if spec.dtype == buf.dtype => Tensor::reinterpret(raw, &spec.sizes, &spec.strides, spec.offset)?,
            None if !buf.storage.is_shared() => {
                let reason = format!("{} has no memory yet", spec.buf);
                return Err(ShimError::Call { call: "view", reason });
            }
            _ => {
                let data = self.data(spec.buf).wrapping_offset(spec.offset as isize * buf.size as isize);
                let device = base.map(|raw| tensor::info(raw).map(|info| info.device)).transpose()?;
                let device = device.unwrap_or(program.memory());
                // SAFETY: the plan keeps views inside their buffers; the arena outlives the frame's tensors, and other
                // buffers, the lender among them, outlive the step.
                unsafe { Tensor::over(data, &spec.sizes, &spec.strides, spec.dtype, device) }?
            }
        };
        let raw = tensor.raw();
        if arena {
            self.arena_views[view.index()] = Some(tensor);
        } else {
            self.temporaries.push(tensor);
        }
        Ok(raw)
    }

    /// Drops the tensors that [`Frame::handle`] made.
    pub(crate) fn end_step(&mut self) {
        self.temporaries.clear();
    }
}
