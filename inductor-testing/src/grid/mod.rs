//! The interpreter of grid kernels: all threads of a group in step, slow and obvious.
//!
//! - A statement is run for every thread that is there before the next one starts; a barrier is then nothing to wait
//!   for, but ends an interval.
//! - Every access is checked, and so are races: an element that one thread writes and another one accesses in the same
//!   interval (in the same stage, for threads of different groups) is an error, but where both write the same bits or
//!   both are atomic.

mod memory;

use crate::loops::Buffer;
use cranelift_entity::SecondaryMap;
use fx::{Scalar, prim::Pointwise};
use fx_interp::scalar;
use inductor::grid::{
    Access, AtomicOp, Binary, Binding, GridKernel, Half, Local, Mem, Op, Shared, Source, Stage, Stmt, Ty, Val, eval,
};
use inductor::loop_ir::Param;
use memory::{Array, Toucher};
use rustc_hash::FxHashMap;
use symshapes::DType;

/// The reason why a kernel could not be run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InterpError {
    /// The sizes are not those that the kernel is for.
    #[error("the sizes are not admitted")]
    Sizes,
    /// The call lacks a buffer.
    #[error("{0} has no buffer")]
    Buffer(Binding),
    /// An access outside a buffer.
    #[error("{stage}: {binding}: index {index} of {len}")]
    Bounds {
        /// The stage.
        stage: String,
        /// The buffer.
        binding: Binding,
        /// The index.
        index: i64,
        /// The elements of the array.
        len: usize,
    },
    /// An access outside an array of workgroup memory.
    #[error("{stage}: {shared}: index {index}")]
    SharedBounds {
        /// The stage.
        stage: String,
        /// The array.
        shared: Shared,
        /// The index.
        index: i64,
    },
    /// An access outside an array of a thread.
    #[error("{stage}: {local}: index {index}")]
    LocalBounds {
        /// The stage.
        stage: String,
        /// The array.
        local: Local,
        /// The index.
        index: i64,
    },
    /// Two threads that should not meet.
    #[error("{stage}: a race at element {index} of {what}")]
    Race {
        /// The stage.
        stage: String,
        /// The array.
        what: String,
        /// The element.
        index: usize,
    },
    /// A barrier that not all threads of the group reach.
    #[error("{0}: a barrier that not all threads reach")]
    Barrier(String),
}

type Result<T = ()> = std::result::Result<T, InterpError>;

/// Runs a kernel on `buffers`, one for each param of the loop-IR kernel other than scratch, in the order of `params`.
///
/// # Errors
/// Those of [`InterpError`]. Buffers may have been written by then.
pub fn run(kernel: &GridKernel, params: &[Param], sizes: &[i64], buffers: &mut [Buffer]) -> Result {
    if !kernel.admits(sizes) {
        return Err(InterpError::Sizes);
    }
    let args = kernel.arguments(sizes).ok_or(InterpError::Sizes)?;
    let mut memory: SecondaryMap<Binding, Array> = SecondaryMap::new();
    for (binding, data) in kernel.bindings.iter() {
        let bytes = kernel.bytes(binding, sizes).ok_or(InterpError::Sizes)? as usize;
        let mut array =
            Array { mem_bytes: data.mem.bytes() as usize, bytes: vec![0; bytes], cells: FxHashMap::default() };
        if let Source::Param(param) = data.source {
            let at = params.iter().position(|&p| p == param).ok_or(InterpError::Buffer(binding))?;
            array.take(&buffers[at], data.narrowed);
        }
        memory[binding] = array;
    }
    for stage in &kernel.stages {
        let groups = kernel.groups(stage, sizes).ok_or(InterpError::Sizes)?;
        let count: i64 = groups.iter().map(|&n| i64::from(n)).product();
        memory.values_mut().for_each(|array| array.cells.clear());
        for group in 0..count {
            Machine::new(kernel, stage, &args, &mut memory, group).run()?;
        }
    }
    for (binding, data) in kernel.bindings.iter() {
        if let Source::Param(param) = data.source
            && let Some(at) = params.iter().position(|&p| p == param)
        {
            memory[binding].give(&mut buffers[at], data.narrowed);
        }
    }
    Ok(())
}

/// One group that runs.
struct Machine<'a> {
    kernel: &'a GridKernel,
    stage: &'a Stage,
    args: &'a [i32],
    memory: &'a mut SecondaryMap<Binding, Array>,
    group: i64,
    threads: usize,
    interval: usize,
    /// Each value's bits, one for each thread.
    vals: SecondaryMap<Val, Vec<u64>>,
    vars: Vec<Vec<u64>>,
    shared: SecondaryMap<Shared, Array>,
    /// The elements of each array, for each thread.
    locals: SecondaryMap<Local, Vec<Vec<u64>>>,
}

/// The threads that are active.
type Mask = Vec<bool>;

impl<'a> Machine<'a> {
    fn new(
        kernel: &'a GridKernel,
        stage: &'a Stage,
        args: &'a [i32],
        memory: &'a mut SecondaryMap<Binding, Array>,
        group: i64,
    ) -> Machine<'a> {
        let threads = stage.threads as usize;
        let mut shared = SecondaryMap::new();
        for (array, data) in stage.shared.iter() {
            // Garbage, to be seen where it is read.
            let bytes = vec![0xa5; data.len as usize * 8];
            shared[array] = Array { mem_bytes: 8, bytes, cells: FxHashMap::default() };
        }
        let mut locals: SecondaryMap<Local, Vec<Vec<u64>>> = SecondaryMap::new();
        for (local, data) in stage.locals.iter() {
            locals[local] = vec![vec![0xa5a5_a5a5_a5a5_a5a5; data.len as usize]; threads];
        }
        let mut vals: SecondaryMap<Val, Vec<u64>> = SecondaryMap::new();
        for (val, data) in stage.vals.iter() {
            vals[val] = match data.op {
                Op::Const(bits) => vec![bits; threads],
                Op::Arg(arg) => vec![eval::int_bits(Ty::I32, args[arg.as_u32() as usize].into()); threads],
                Op::Thread => (0..threads as u64).collect(),
                Op::Group => vec![eval::int_bits(Ty::I32, group); threads],
                _ => vec![0; threads],
            };
        }
        let vars = vec![vec![0; threads]; stage.vars.len()];
        Machine { kernel, stage, args, memory, group, threads, interval: 0, vals, vars, shared, locals }
    }

    fn run(mut self) -> Result {
        debug_assert_eq!(self.args.len(), self.kernel.args.len());
        let stage = self.stage;
        self.block(&stage.body, &vec![true; self.threads])
    }

    fn block(&mut self, stmts: &[Stmt], mask: &Mask) -> Result {
        stmts.iter().try_for_each(|stmt| self.stmt(stmt, mask))
    }

    fn each(&mut self, mask: &Mask, mut f: impl FnMut(&mut Self, usize) -> Result) -> Result {
        (0..self.threads).filter(|&t| mask[t]).try_for_each(|t| f(self, t))
    }

    fn stmt(&mut self, stmt: &Stmt, mask: &Mask) -> Result {
        match stmt {
            Stmt::Let(val) => self.each(mask, |this, t| {
                this.vals[*val][t] = this.op(*val, t)?;
                Ok(())
            }),
            Stmt::Set(var, val) => self.each(mask, |this, t| {
                this.vars[var.as_u32() as usize][t] = this.vals[*val][t];
                Ok(())
            }),
            Stmt::Store { binding, index, value } => self.each(mask, |this, t| {
                let bits = this.vals[*value][t];
                let i = this.element(*binding, *index, t, Some(bits), this.is_atomic(*binding))?;
                this.memory[*binding].set(i, bits);
                Ok(())
            }),
            Stmt::LoadVector { binding, index, lanes } => self.each(mask, |this, t| {
                let mem = this.kernel.bindings[*binding].mem;
                for (k, lane) in lanes.iter().enumerate() {
                    let i = this.element_of_vector(*binding, *index, (k, lanes.len()), t, None)?;
                    this.vals[*lane][t] = loaded(mem, this.memory[*binding].bits(i));
                }
                Ok(())
            }),
            Stmt::StoreVector { binding, index, lanes } => self.each(mask, |this, t| {
                for (k, lane) in lanes.iter().enumerate() {
                    let bits = this.vals[*lane][t];
                    let i = this.element_of_vector(*binding, *index, (k, lanes.len()), t, Some(bits))?;
                    this.memory[*binding].set(i, bits);
                }
                Ok(())
            }),
            Stmt::StoreShared { shared, index, value } => self.each(mask, |this, t| {
                let bits = this.vals[*value][t];
                let i = this.shared_element(*shared, *index, t, Some(bits))?;
                this.shared[*shared].set(i, bits);
                Ok(())
            }),
            Stmt::StoreLocal { local, index, value } => self.each(mask, |this, t| {
                let i = this.local_element(*local, *index, t)?;
                this.locals[*local][t][i] = this.vals[*value][t];
                Ok(())
            }),
            Stmt::Atomic { op, binding, index, value } => self.each(mask, |this, t| {
                let i = this.element(*binding, *index, t, Some(u64::MAX), true)?;
                let (old, with) = (this.memory[*binding].bits(i), this.vals[*value][t]);
                let new = match op {
                    AtomicOp::Add => eval::binary(Binary::Add, this.stage.vals[*value].ty, old, with),
                    AtomicOp::And => old & with,
                    AtomicOp::Or => old | with,
                };
                this.memory[*binding].set(i, new);
                Ok(())
            }),
            Stmt::If { cond, then } => {
                let mask = self.holds(*cond, mask);
                if mask.contains(&true) { self.block(then, &mask) } else { Ok(()) }
            }
            Stmt::For { counter, start, end, step, body, .. } => {
                let mut mask = mask.clone();
                self.vals[*counter] = self.vals[*start].clone();
                loop {
                    for (t, there) in mask.iter_mut().enumerate() {
                        let [at, end] = [*counter, *end].map(|val| self.vals[val][t] as i32);
                        *there &= at < end;
                    }
                    if !mask.contains(&true) {
                        return Ok(());
                    }
                    self.block(body, &mask)?;
                    for t in 0..self.threads {
                        let step = self.vals[*step][t] as i32;
                        let next = (self.vals[*counter][t] as i32).wrapping_add(step);
                        self.vals[*counter][t] = u64::from(next as u32);
                    }
                }
            }
            Stmt::While { head, cond, body } => {
                let mut mask = mask.clone();
                loop {
                    self.block(head, &mask)?;
                    mask = self.holds(*cond, &mask);
                    if !mask.contains(&true) {
                        return Ok(());
                    }
                    self.block(body, &mask)?;
                }
            }
            Stmt::Barrier => {
                self.interval += 1;
                if mask.contains(&false) { Err(InterpError::Barrier(self.stage.name.clone())) } else { Ok(()) }
            }
        }
    }

    fn holds(&self, cond: Val, mask: &Mask) -> Mask {
        mask.iter().zip(&self.vals[cond]).map(|(&there, &bits)| there && bits != 0).collect()
    }

    fn op(&mut self, val: Val, t: usize) -> Result<u64> {
        let stage = self.stage;
        let data = &stage.vals[val];
        let bits = |this: &Self, v: &Val| this.vals[*v][t];
        let ty = |v: &Val| stage.vals[*v].ty;
        Ok(match &data.op {
            Op::Const(_) | Op::Arg(_) | Op::Thread | Op::Group | Op::Counter | Op::Lane => self.vals[val][t],
            Op::Unary(op, a) => eval::unary(*op, data.ty, bits(self, a)),
            Op::Binary(op, a, b) => eval::binary(*op, ty(a), bits(self, a), bits(self, b)),
            Op::Select(a, b, c) => bits(self, if bits(self, a) != 0 { b } else { c }),
            Op::Fma(a, b, c) => eval::fma(data.ty, bits(self, a), bits(self, b), bits(self, c)),
            Op::Call(op, args) => {
                let args: Vec<u64> = args.iter().map(|v| bits(self, v)).collect();
                call(*op, data.ty, &args)
            }
            Op::Cast(a) => eval::cast(ty(a), data.ty, bits(self, a)),
            Op::Bits(a) => bits(self, a),
            Op::Load(binding, index) => {
                let i = self.element(*binding, *index, t, None, self.is_atomic(*binding))?;
                let mem: Mem = self.kernel.bindings[*binding].mem;
                loaded(mem, self.memory[*binding].bits(i))
            }
            Op::Shuffle(a, bits) => self.vals[*a][t ^ *bits as usize],
            Op::LoadShared(shared, index) => {
                let i = self.shared_element(*shared, *index, t, None)?;
                self.shared[*shared].bits(i)
            }
            Op::LoadLocal(local, index) => {
                let i = self.local_element(*local, *index, t)?;
                self.locals[*local][t][i]
            }
            Op::Narrow(half, a) => {
                let x = f32::from_bits(bits(self, a) as u32);
                match half {
                    Half::F16 => half::f16::from_f32(x).to_bits().into(),
                    Half::BF16 => half::bf16::from_f32(x).to_bits().into(),
                }
            }
            Op::Widen(half, a) => {
                let bits = bits(self, a) as u16;
                let x = match half {
                    Half::F16 => half::f16::from_bits(bits).to_f32(),
                    Half::BF16 => half::bf16::from_bits(bits).to_f32(),
                };
                x.to_bits().into()
            }
            Op::Get(var) => self.vars[var.as_u32() as usize][t],
            Op::Exchange { binding, index, old, new } => {
                let i = self.element(*binding, *index, t, Some(u64::MAX), true)?;
                let is_old = self.memory[*binding].bits(i) == bits(self, old);
                if is_old {
                    let new = bits(self, new);
                    self.memory[*binding].set(i, new);
                }
                u64::from(is_old)
            }
        })
    }

    fn is_atomic(&self, binding: Binding) -> bool {
        self.stage.bindings.contains(&(binding, Access::Atomic))
    }

    fn toucher(&self, thread: usize, atomic: bool) -> Toucher {
        Toucher { group: self.group, thread, interval: self.interval, atomic }
    }

    /// An element of a vector, which must start at a multiple of its length.
    fn element_of_vector(
        &mut self,
        binding: Binding,
        index: Val,
        (k, lanes): (usize, usize),
        t: usize,
        write: Option<u64>,
    ) -> Result<usize> {
        let (first, atomic) = (i64::from(self.vals[index][t] as i32), self.is_atomic(binding));
        if first % lanes as i64 != 0 {
            let len = self.memory[binding].len();
            return Err(InterpError::Bounds { stage: self.stage.name.clone(), binding, index: first, len });
        }
        self.element_at(binding, first + k as i64, t, write, atomic)
    }

    fn element(&mut self, binding: Binding, index: Val, t: usize, write: Option<u64>, atomic: bool) -> Result<usize> {
        let index = i64::from(self.vals[index][t] as i32);
        self.element_at(binding, index, t, write, atomic)
    }

    fn element_at(
        &mut self,
        binding: Binding,
        index: i64,
        t: usize,
        write: Option<u64>,
        atomic: bool,
    ) -> Result<usize> {
        let len = self.memory[binding].len();
        let stage = || self.stage.name.clone();
        let Some(i) = usize::try_from(index).ok().filter(|&i| i < len) else {
            return Err(InterpError::Bounds { stage: stage(), binding, index, len });
        };
        let who = self.toucher(t, atomic);
        if self.memory[binding].touch(i, who, write) {
            return Ok(i);
        }
        Err(InterpError::Race { stage: stage(), what: binding.to_string(), index: i })
    }

    fn local_element(&self, local: Local, index: Val, t: usize) -> Result<usize> {
        let index = self.vals[index][t] as i32;
        let len = self.stage.locals[local].len as usize;
        usize::try_from(index).ok().filter(|&i| i < len).ok_or_else(|| InterpError::LocalBounds {
            stage: self.stage.name.clone(),
            local,
            index: index.into(),
        })
    }

    fn shared_element(&mut self, shared: Shared, index: Val, t: usize, write: Option<u64>) -> Result<usize> {
        let index = self.vals[index][t] as i32;
        let len = self.stage.shared[shared].len as usize;
        let stage = || self.stage.name.clone();
        let Some(i) = usize::try_from(index).ok().filter(|&i| i < len) else {
            return Err(InterpError::SharedBounds { stage: stage(), shared, index: index.into() });
        };
        let who = self.toucher(t, false);
        if self.shared[shared].touch(i, who, write) {
            return Ok(i);
        }
        Err(InterpError::Race { stage: stage(), what: shared.to_string(), index: i })
    }
}

/// A function of floats that a device computes.
fn call(op: Pointwise, ty: Ty, args: &[u64]) -> u64 {
    let args: Vec<Scalar> = args.iter().map(|&bits| Scalar::Float(eval::float(ty, bits))).collect();
    let dtype = if ty == Ty::F64 { DType::F64 } else { DType::F32 };
    match scalar::pointwise(op, dtype, &args) {
        Scalar::Float(x) => eval::float_bits(ty, x),
        Scalar::Int(i) => i as u64,
    }
}

/// The bits of a register after a load of these bits of memory.
fn loaded(mem: Mem, bits: u64) -> u64 {
    match mem {
        Mem::I8 => eval::int_bits(Ty::I32, i64::from(bits as i8)),
        Mem::U8 => bits & 0xff,
        Mem::I16 => eval::int_bits(Ty::I32, i64::from(bits as i16)),
        Mem::U16 => bits & 0xffff,
        Mem::I32 | Mem::U32 | Mem::F32 => bits & 0xffff_ffff,
        Mem::I64 | Mem::F64 => bits,
    }
}
