//! The verifier of plans.
//!
//! - A step reads only what is there: inputs, constants, and what an earlier step wrote and none has freed. (Buffers
//!   without elements are never written.)
//! - Constants are not written, nor inputs but those that the graph changes, which are written once; a result is
//!   written by a call, and only calls and outputs hold objects that an earlier call gave.
//! - A launch has a buffer for each param of its kernel, of its dtype and at least its length.
//! - Of kernels that are launched together, none touches what another writes.
//! - A kernel that is fused with a call has the call's only result among its buffers.
//! - A view lies within its buffer and has its dtype.
//! - Arena buffers lie in the arena, aligned; those that live at the same time do not overlap, and a flag lives for
//!   ever. Fallback calls and outputs see none of them.
//! - Owned buffers and results alone are freed, once, and not if they are returned.

use cranelift_entity::EntitySet;

use super::{
    Buf, BufData, Call, CallArg, CallKind, CallResult, Epilogue, KernelId, Launch, ObjectId, Output, Plan, Step,
    Storage, View,
};
use crate::loop_ir::{Param, Role};
use crate::memory::ALIGN;

/// The violated invariant, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VerifyError {
    /// A use of a buffer that nothing has written, or that is free.
    #[error("step {step}: {buf} is not there")]
    Absent {
        /// The step; the number of steps for an output.
        step: usize,
        /// The buffer.
        buf: Buf,
    },
    /// A use of an object that no call has given.
    #[error("step {step}: {object} is not there")]
    Object {
        /// The step; the number of steps for an output.
        step: usize,
        /// The object.
        object: ObjectId,
    },
    /// A buffer used as its storage forbids.
    #[error("step {step}: {buf} {what}")]
    Storage {
        /// The step; the number of steps for an output.
        step: usize,
        /// The buffer.
        buf: Buf,
        /// The forbidden use.
        what: &'static str,
    },
    /// A launch with too few or too many buffers.
    #[error("step {step}: {kernel} takes {want} buffers, not {got}")]
    Count {
        /// The step.
        step: usize,
        /// The kernel.
        kernel: KernelId,
        /// Its params.
        want: usize,
        /// The buffers.
        got: usize,
    },
    /// A buffer that does not suit its param.
    #[error("step {step}: {buf} does not suit {param} of {kernel}")]
    Param {
        /// The step.
        step: usize,
        /// The kernel.
        kernel: KernelId,
        /// The param.
        param: Param,
        /// The buffer.
        buf: Buf,
    },
    /// A kernel that is computed with what is not the call's only result.
    #[error("step {step}: the kernel does not read the call's only result")]
    Product {
        /// The step.
        step: usize,
    },
    /// A view that leaves its buffer or has another dtype.
    #[error("step {step}: a view that {buf} does not hold")]
    View {
        /// The step; the number of steps for an output.
        step: usize,
        /// The buffer.
        buf: Buf,
    },
    /// An arena buffer outside the arena, or not aligned.
    #[error("{0}: not within the arena")]
    Arena(Buf),
    /// Arena buffers that live at the same time in the same place.
    #[error("{0} and {1} overlap while both live")]
    Overlap(Buf, Buf),
}

type Result<T = ()> = std::result::Result<T, VerifyError>;

/// Checks every invariant of a plan but those of its kernels.
///
/// # Errors
/// The first that does not hold.
pub fn verify(plan: &Plan) -> Result {
    let mut walk =
        Walk { plan, step: 0, written: EntitySet::new(), freed: EntitySet::new(), objects: EntitySet::new() };
    for step in &plan.steps {
        walk.step(step)?;
        walk.step += 1;
    }
    for output in &plan.outputs {
        walk.output(output)?;
    }
    verify_arena(plan)
}

/// The buffers and objects that are there at a point of the plan.
struct Walk<'a> {
    plan: &'a Plan,
    step: usize,
    written: EntitySet<Buf>,
    freed: EntitySet<Buf>,
    objects: EntitySet<ObjectId>,
}

impl Walk<'_> {
    fn step(&mut self, step: &Step) -> Result {
        match step {
            Step::Launch(Launch { kernel, args, sizes }) => self.launch(*kernel, args, sizes),
            Step::Group(launches) => self.group(launches),
            Step::Call(call) => self.call(call),
            Step::Fused(call, Epilogue { kernel, args, sizes, product, .. }) => {
                self.call(call)?;
                let result = args.get(*product).map(|&buf| CallResult::Tensor(buf));
                if result.as_slice() != call.results {
                    return Err(VerifyError::Product { step: self.step });
                }
                self.launch(*kernel, args, sizes)
            }
            Step::Free(buf) => self.free(*buf),
            Step::Check(buf) => {
                let is_arena = matches!(self.plan.bufs[*buf].storage, Storage::Arena(_));
                self.require(is_arena, *buf, "is checked, but no byte of the arena")?;
                self.read(*buf)
            }
            Step::Write { into, from } => {
                self.view(from)?;
                let (to, layout) = (&self.plan.bufs[*into], &from.layout);
                let fits = to.dtype == from.dtype && to.layout.sizes == layout.sizes;
                self.require(fits, *into, "is written with other elements")?;
                self.write(*into)
            }
        }
    }

    fn require(&self, holds: bool, buf: Buf, what: &'static str) -> Result {
        if holds { Ok(()) } else { Err(VerifyError::Storage { step: self.step, buf, what }) }
    }

    fn read(&self, buf: Buf) -> Result {
        let data = &self.plan.bufs[buf];
        let is_there = data.storage.is_given() || self.written.contains(buf) || data.layout.span() == Some(0);
        if is_there && !self.freed.contains(buf) { Ok(()) } else { Err(VerifyError::Absent { step: self.step, buf }) }
    }

    fn write(&mut self, buf: Buf) -> Result {
        match self.plan.bufs[buf].storage {
            Storage::Input(_) => {
                self.require(self.plan.written.contains(&buf), buf, "is written, but the graph does not change it")?;
                self.require(!self.written.contains(buf), buf, "is an input that is written twice")?;
            }
            Storage::Constant(_) => self.require(false, buf, "is written, but not the plan's own")?,
            Storage::Arena(_) | Storage::Lent(_) | Storage::Owned | Storage::Result => {}
        }
        self.require(!self.freed.contains(buf), buf, "is written after it was freed")?;
        self.written.insert(buf);
        Ok(())
    }

    fn group(&mut self, launches: &[Launch]) -> Result {
        for (at, launch) in launches.iter().enumerate() {
            for (buf, role) in self.plan.roles(launch) {
                let mut others = launches.iter().enumerate().filter(|&(other, _)| other != at);
                let is_free = role == Role::In || !others.any(|(_, other)| other.args.contains(&buf));
                self.require(is_free, buf, "is written, but also used by a kernel that runs at the same time")?;
            }
        }
        launches.iter().try_for_each(|Launch { kernel, args, sizes }| self.launch(*kernel, args, sizes))
    }

    fn launch(&mut self, id: KernelId, args: &[Buf], sizes: &[i64]) -> Result {
        let kernel = &self.plan.kernels[id];
        let want = kernel.arguments().count();
        if want != args.len() {
            return Err(VerifyError::Count { step: self.step, kernel: id, want, got: args.len() });
        }
        // Where a loop is empty nothing is touched.
        let is_empty = kernel.axes.values().any(|axis| kernel.size(axis.extent, sizes) == Some(0));
        let length = |len| if is_empty { 0 } else { kernel.size(len, sizes).unwrap_or(i64::MAX) };
        for ((param, data), &buf) in kernel.arguments().zip(args) {
            let own = &self.plan.bufs[buf];
            if own.dtype != data.dtype || own.layout.span().is_none_or(|span| span < length(data.len)) {
                return Err(VerifyError::Param { step: self.step, kernel: id, param, buf });
            }
            if data.role != Role::Out {
                self.read(buf)?;
            }
            self.require(
                own.storage != Storage::Result || data.role == Role::In,
                buf,
                "is a result, but a kernel writes it",
            )?;
        }
        let written = kernel.arguments().zip(args).filter(|((_, data), _)| data.role != Role::In);
        written.map(|(_, &buf)| buf).try_for_each(|buf| self.write(buf))
    }

    fn call(&mut self, call: &Call) -> Result {
        for arg in call.arguments() {
            self.argument(arg, call.kind != CallKind::Extern)?;
        }
        for result in &call.results {
            match *result {
                CallResult::Unused => {}
                CallResult::Object(object) => {
                    self.objects.insert(object);
                }
                CallResult::Tensor(buf) => self.write(buf)?,
            }
        }
        Ok(())
    }

    fn argument(&self, arg: &CallArg, is_fallback: bool) -> Result {
        match arg {
            CallArg::Tensor(view) => {
                let is_shared = self.plan.bufs[view.buf].storage.is_shared();
                self.require(!(is_shared && is_fallback), view.buf, "is seen by a fallback call, but in the arena")?;
                self.view(view)
            }
            CallArg::Object(object) => self.object(*object),
            CallArg::List(items) => items.iter().try_for_each(|a| self.argument(a, is_fallback)),
            CallArg::Plain(_) => Ok(()),
        }
    }

    fn object(&self, object: ObjectId) -> Result {
        let is_there = self.objects.contains(object);
        if is_there { Ok(()) } else { Err(VerifyError::Object { step: self.step, object }) }
    }

    fn view(&self, view: &View) -> Result {
        let data = &self.plan.bufs[view.buf];
        let spans = view.layout.span().zip(data.layout.span());
        let inside = view.layout.offset >= 0 && spans.is_some_and(|(own, all)| own <= all);
        if view.dtype != data.dtype || !inside {
            return Err(VerifyError::View { step: self.step, buf: view.buf });
        }
        self.read(view.buf)
    }

    fn free(&mut self, buf: Buf) -> Result {
        let is_own = matches!(self.plan.bufs[buf].storage, Storage::Owned | Storage::Result);
        self.require(is_own, buf, "is freed, but not the plan's own tensor")?;
        self.require(!self.freed.contains(buf), buf, "is freed twice")?;
        self.freed.insert(buf);
        Ok(())
    }

    fn output(&self, output: &Output) -> Result {
        match output {
            Output::Tensor(view) => {
                let is_shared = self.plan.bufs[view.buf].storage.is_shared();
                self.require(!is_shared, view.buf, "is returned, but in the arena")?;
                self.view(view)
            }
            Output::Plain(_) => Ok(()),
            Output::Object(object) => self.object(*object),
        }
    }
}

/// A buffer in the arena or in the lender: where it lies there and when it lives.
struct Room {
    buf: Buf,
    is_lent: bool,
    bytes: std::ops::Range<usize>,
    life: (usize, usize),
}

fn verify_arena(plan: &Plan) -> Result {
    let rooms = rooms(plan);
    let lent = plan.lender.filter(|&lender| plan.bufs[lender].storage == Storage::Owned);
    let lent = lent.and_then(|lender| Some((plan.bufs[lender].bytes()?, plan.lives()[lender]?.0)));
    for (k, a) in rooms.iter().enumerate() {
        let (bytes, end) = if a.is_lent { lent.unwrap_or((0, 0)) } else { (plan.arena_bytes, usize::MAX) };
        if a.bytes.start % ALIGN != 0 || a.bytes.end > bytes || (a.is_lent && a.life.1 >= end) {
            return Err(VerifyError::Arena(a.buf));
        }
        let meets = |b: &&Room| {
            let in_time = a.is_lent == b.is_lent && a.life.0 <= b.life.1 && b.life.0 <= a.life.1;
            in_time && a.bytes.start < b.bytes.end && b.bytes.start < a.bytes.end
        };
        if let Some(b) = rooms[k + 1..].iter().find(meets) {
            return Err(VerifyError::Overlap(a.buf, b.buf));
        }
    }
    Ok(())
}

fn rooms(plan: &Plan) -> Vec<Room> {
    let mut lives = plan.lives();
    for step in &plan.steps {
        if let Step::Check(flag) = step {
            lives[*flag] = Some((0, usize::MAX));
        }
    }
    let room = |(buf, data): (Buf, &BufData)| match (&data.storage, lives[buf]) {
        (Storage::Arena(offset) | Storage::Lent(offset), Some(life)) => {
            let end = data.bytes().and_then(|bytes| offset.checked_add(bytes)).unwrap_or(usize::MAX);
            let is_lent = matches!(data.storage, Storage::Lent(_));
            Some(Room { buf, is_lent, bytes: *offset..end, life })
        }
        _ => None,
    };
    plan.bufs.iter().filter_map(room).collect()
}
