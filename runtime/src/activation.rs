//! The state of one call.

use crate::arena::Arena;
use crate::buffers::{Buffers, ViewId};
use crate::frozen::Kept;
use crate::library::{Strided, TensorLibrary};
use crate::pages::{LARGE, ask_for_large, mend_holes};

use crate::stream::Stream;
use cranelift_entity::EntityRef;
use inductor::heuristics;
use inductor::offload::Session;
use inductor::plan::{Buf, ObjectId, Storage};
use std::ops::Range;
use std::ptr;
use std::sync::Arc;

/// The tensor behind a buffer at the moment, by its ownership.
pub enum Slot<L: TensorLibrary> {
    /// Nothing: not yet written, or freed, or in the arena.
    Empty,
    /// A tensor that somebody else keeps alive during the call.
    Borrowed(L::Handle),
    /// A tensor of somebody else's, held by a reference of ours.
    Shared(L::Tensor),
    /// A tensor of ours.
    Owned(L::Tensor),
}

impl<L: TensorLibrary> Slot<L> {
    /// True for a tensor as the caller has given it.
    pub fn is_given(&self) -> bool {
        matches!(self, Slot::Borrowed(_) | Slot::Shared(_))
    }

    /// The tensor, if there is one.
    pub fn handle(&self) -> Option<L::Handle> {
        match self {
            Slot::Empty => None,
            Slot::Borrowed(handle) => Some(*handle),
            Slot::Shared(tensor) | Slot::Owned(tensor) => Some(L::handle(tensor)),
        }
    }
}

/// The state of one call; kept for the next one, which finds most addresses unchanged.
pub struct Activation<L: TensorLibrary> {
    /// The [number](Buffers::id) of the program that it is an activation of.
    of: u64,
    slots: Vec<Slot<L>>,
    /// Addresses of first elements; null until known.
    data: Vec<*mut u8>,
    /// Tensors over parts of the arena, made when first asked for.
    arena_views: Vec<Option<L::Tensor>>,
    /// Tensors that live for one step.
    temporaries: Vec<L::Tensor>,
    /// Values that are no tensors.
    objects: Vec<Option<L::Object>>,
    /// The places of values, in a program with a device.
    pub(crate) session: Option<Session<L::Device>>,
    /// The frozen results of an earlier call, if this one uses them.
    pub(crate) kept: Option<Arc<Kept<L>>>,
    /// The first step to run.
    pub(crate) first: usize,
    /// The stream that kernels are launched on, in a program of a [`StreamDevice`](crate::StreamDevice)'s.
    pub stream: Stream,
    /// True once the call has written to a tensor of the caller's.
    pub(crate) has_written: bool,
    /// The lender's memory, once it is allocated.
    lent: Range<*mut u8>,
    /// The address of the arena for which the addresses and views of its buffers are made.
    made_for: *mut u8,
    /// Empty between calls. Last, since tensors above lie in it; only its addresses are used.
    arena: Arena<L>,
}

// SAFETY: the addresses and handles are used by the thread that owns the activation, and between calls by nobody.
unsafe impl<L: TensorLibrary> Send for Activation<L> {}

/// There is no memory for what lies between kernels.
pub enum NoMemory<L: TensorLibrary> {
    /// So many bytes of the host's.
    Host(usize),
    /// Of a device's, as the library says.
    Device(L::Error),
}

impl<L: TensorLibrary> Activation<L> {
    /// The state before the first call.
    pub(crate) fn new(buffers: &Buffers<L>) -> Activation<L> {
        Activation {
            of: buffers.id,
            data: vec![ptr::null_mut(); buffers.bufs.len()],
            slots: buffers.bufs.values().map(|_| Slot::Empty).collect(),
            arena_views: buffers.views.keys().map(|_| None).collect(),
            temporaries: Vec::new(),
            objects: (0..buffers.objects).map(|_| None).collect(),
            session: None,
            kept: None,
            first: 0,
            stream: Stream::default(),
            has_written: false,
            lent: ptr::null_mut()..ptr::null_mut(),
            made_for: ptr::null_mut(),
            arena: Arena::Nothing,
        }
    }

    /// Begins a call in an arena, where all flags are down.
    pub(crate) fn begin(&mut self, buffers: &Buffers<L>, arena: Arena<L>) {
        if arena.at(0) != self.made_for {
            self.made_for = arena.at(0);
            self.arena_views.fill_with(|| None);
            for (data, buf) in self.data.iter_mut().zip(buffers.bufs.values()) {
                if let Storage::Arena(offset) = buf.storage {
                    *data = arena.at(offset);
                }
            }
        }
        for (number, &flag) in buffers.flags.iter().enumerate() {
            match &buffers.stream {
                Some(stream) => self.data[flag.index()] = stream.flag(number),
                // SAFETY: a flag is a byte of the arena that nothing else shares.
                None => unsafe { self.data(flag).write(0) },
            }
        }
        self.arena = arena;
    }

    /// Ends the call: forgets its values, and gives the arena back.
    pub(crate) fn end(&mut self) -> Arena<L> {
        self.slots.fill_with(|| Slot::Empty);
        self.temporaries.clear();
        self.objects.fill_with(|| None);
        self.session = None;
        self.kept = None;
        self.first = 0;
        self.has_written = false;
        self.lent = ptr::null_mut()..ptr::null_mut();
        std::mem::replace(&mut self.arena, Arena::Nothing)
    }

    /// Checks that this is an activation of a program: in another's, buffers are other buffers.
    ///
    /// # Panics
    /// It is not.
    pub(crate) fn assert_is_of(&self, buffers: &Buffers<L>) {
        assert_eq!(self.of, buffers.id, "an activation of another program");
    }

    /// The tensor behind a buffer.
    pub fn slot(&self, buf: Buf) -> &Slot<L> {
        &self.slots[buf.index()]
    }

    /// The address of a buffer's first element.
    pub fn data(&self, buf: Buf) -> *mut u8 {
        self.data[buf.index()]
    }

    /// A value that is no tensor, once it is there.
    pub fn object(&self, object: ObjectId) -> Option<&L::Object> {
        self.objects.get(object.index())?.as_ref()
    }

    /// Keeps a value that is no tensor.
    pub fn set_object(&mut self, object: ObjectId, value: L::Object) {
        self.objects[object.index()] = Some(value);
    }

    /// The run's session, in a program with a device.
    pub fn session(&self) -> Option<&Session<L::Device>> {
        self.session.as_ref()
    }

    /// The memory that each launch on a stream may use, behind that of the buffers.
    pub(crate) fn scratch(&self, buffers: &Buffers<L>) -> *mut u8 {
        self.arena.at(buffers.scratch)
    }

    /// True for a tensor that a call has given back as it got it, from memory that the next steps use again.
    pub(crate) fn lends(&self, library: &L, tensor: L::Handle) -> Result<bool, L::Error> {
        let data = library.data(tensor)?;
        Ok(self.arena.holds(data) || self.lent.contains(&data))
    }

    /// Puts a tensor behind a buffer.
    pub(crate) fn put(&mut self, library: &L, buf: Buf, slot: Slot<L>) -> Result<(), L::Error> {
        self.data[buf.index()] = match slot.handle() {
            Some(handle) => library.data(handle)?,
            None => ptr::null_mut(),
        };
        self.slots[buf.index()] = slot;
        Ok(())
    }

    /// Allocates a buffer as the plan lays it out.
    pub(crate) fn allocate(&mut self, buffers: &Buffers<L>, buf: Buf) -> Result<(), L::Error> {
        let spec = &buffers.bufs[buf];
        let is_host = buffers.stream.is_none();
        if is_host && spec.bytes >= heuristics::holes_least_bytes() {
            mend_holes();
        }
        let layout = Strided { dtype: spec.dtype, sizes: &spec.sizes, strides: &spec.strides };
        let tensor = buffers.library.empty(layout, buffers.memory())?;
        self.put(&buffers.library, buf, Slot::Owned(tensor))?;
        if is_host && spec.bytes >= LARGE {
            ask_for_large(self.data(buf), spec.bytes);
        }
        if buffers.lender == Some(buf) {
            self.lend(buffers, self.data(buf), spec.bytes);
        }
        Ok(())
    }

    /// Lays buffers into the memory of the lender.
    fn lend(&mut self, buffers: &Buffers<L>, memory: *mut u8, bytes: usize) {
        self.lent = memory..memory.wrapping_add(bytes);
        for (data, buf) in self.data.iter_mut().zip(buffers.bufs.values()) {
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
    pub(crate) fn take(&mut self, buf: Buf) -> Option<L::Tensor> {
        match std::mem::replace(&mut self.slots[buf.index()], Slot::Empty) {
            Slot::Owned(tensor) => Some(tensor),
            Slot::Empty | Slot::Borrowed(_) | Slot::Shared(_) => None,
        }
    }

    /// The argument that a view is, as it was given; `None` for any other view.
    pub(crate) fn argument(&self, buffers: &Buffers<L>, view: ViewId) -> Option<usize> {
        let spec = &buffers.views[view];
        match buffers.bufs[spec.buf].storage {
            Storage::Input(index) if spec.whole && matches!(self.slot(spec.buf), Slot::Borrowed(_)) => Some(index),
            _ => None,
        }
    }

    /// The handle of a view, valid until the end of the step.
    ///
    /// # Errors
    /// The library's.
    pub(crate) fn handle(&mut self, buffers: &Buffers<L>, view: ViewId) -> Result<L::Handle, L::Error> {
        let (library, spec) = (&buffers.library, &buffers.views[view]);
        let buf = &buffers.bufs[spec.buf];
        let arena = matches!(buf.storage, Storage::Arena(_));
        if arena && let Some(tensor) = &self.arena_views[view.index()] {
            return Ok(L::handle(tensor));
        }
        let base = self.slot(spec.buf).handle();
        let tensor = match base {
            Some(base) if spec.whole => return Ok(base),
            Some(base) if spec.dtype == buf.dtype => library.view(base, &spec.sizes, &spec.strides, spec.offset)?,
            None if !buf.storage.is_shared() => {
                return Err(library.error(format!("{} has no memory yet", spec.buf)));
            }
            _ => {
                let data = self.data(spec.buf).wrapping_offset(spec.offset as isize * buf.dtype.size() as isize);
                let device = base.map(|base| library.info(base).map(|info| info.device)).transpose()?;
                let layout = Strided { dtype: spec.dtype, sizes: &spec.sizes, strides: &spec.strides };
                // SAFETY: the plan keeps views inside their buffers; the arena outlives the tensors of the activation,
                // and other buffers, the lender among them, outlive the step.
                unsafe { library.over(data, layout, device.unwrap_or(buffers.memory())) }?
            }
        };
        let handle = L::handle(&tensor);
        if arena {
            self.arena_views[view.index()] = Some(tensor);
        } else {
            self.temporaries.push(tensor);
        }
        Ok(handle)
    }

    /// Drops the tensors that were made for handles of views.
    pub fn end_step(&mut self) {
        self.temporaries.clear();
    }
}
