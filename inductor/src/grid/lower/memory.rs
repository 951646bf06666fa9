//! Loads and stores: where params are, and how their elements are packed.

use super::{Lower, Reason, StorageClass};
use crate::grid::{Access, AtomicOp, Binding, BindingData, Mem, NARROW_LIMIT, Op, Source, Stmt, Ty, Val, WideFloats};
use crate::loop_ir::{Param, Role, Stmt as LoopStmt, StoreMode};
use cranelift_entity::EntitySet;
use symshapes::{DType, Expr, Range};

type Result<T = ()> = std::result::Result<T, Reason>;

/// The dtype and memory type in which registers of a type are kept unpacked.
pub(super) fn whole(ty: Ty) -> (DType, Mem) {
    match ty {
        Ty::Bool | Ty::U32 => (DType::I32, Mem::U32),
        Ty::I32 => (DType::I32, Mem::I32),
        Ty::I64 => (DType::I64, Mem::I64),
        Ty::F32 => (DType::F32, Mem::F32),
        Ty::F64 => (DType::F64, Mem::F64),
    }
}

impl Lower<'_> {
    /// Makes the bindings of the caller's buffers.
    pub(super) fn bind_params(&mut self) -> Result {
        let mut added = EntitySet::new();
        self.kernel.walk(&mut |stmt| {
            if let LoopStmt::Store { param, mode: StoreMode::Add, .. } = stmt {
                added.insert(*param);
            }
        });
        for (param, data) in self.kernel.arguments() {
            let (mut mem, packing) = self.memory_type(data.dtype)?;
            if added.contains(param) && !self.caps.atomic_floats && mem == Mem::F32 {
                // Floats are added to by exchanging their bits.
                mem = Mem::U32;
            }
            let narrowed = data.dtype == DType::I64 && mem == Mem::I32;
            let source = Source::Param(param);
            let binding = self.bindings.push(BindingData {
                source,
                dtype: data.dtype,
                mem,
                packing,
                narrowed,
                alignment: 1,
                len: data.len,
            });
            self.params[param] = Some(binding);
        }
        self.place_params();
        Ok(())
    }

    /// The caller's buffers are where they are in every stage.
    pub(super) fn place_params(&mut self) {
        for (param, _) in self.kernel.arguments() {
            self.places[param] = self.params[param].map(|binding| StorageClass::Buffer(binding, None));
        }
    }

    /// The representation of a dtype's elements in memory: the array's element, and how many it holds.
    fn memory_type(&self, dtype: DType) -> Result<(Mem, u32)> {
        let narrow = |mem: Mem| if self.caps.narrow_memory { (mem, 1) } else { (Mem::U32, 4 / mem.bytes()) };
        Ok(match dtype {
            DType::Bool | DType::U8 => narrow(Mem::U8),
            DType::I8 => narrow(Mem::I8),
            DType::I16 => narrow(Mem::I16),
            DType::F16 | DType::BF16 => narrow(Mem::U16),
            DType::I32 => (Mem::I32, 1),
            DType::I64 if self.caps.wide_ints => (Mem::I64, 1),
            DType::I64 => (Mem::I32, 1),
            DType::F32 => (Mem::F32, 1),
            DType::F64 if self.caps.wide_floats == WideFloats::Native => (Mem::F64, 1),
            DType::F64 | DType::C64 | DType::C128 => return Err(format!("a buffer of {dtype}")),
        })
    }

    /// The packing of a param: the number of its elements in a word.
    pub(super) fn packing(&self, param: Param) -> i64 {
        match self.places[param] {
            Some(StorageClass::Buffer(binding, _)) => self.bindings[binding].packing.into(),
            _ => 1,
        }
    }

    /// The workgroup memory that reductions take: an array for each type of their values, and one for positions.
    fn bytes_of_trees(&self) -> i64 {
        let mut types: Vec<Ty> = self.kernel.accs.values().map(|acc| self.register(acc.dtype)).collect();
        types.sort_unstable();
        types.dedup();
        let values: i64 = types.iter().map(|ty| i64::from(ty.bits().max(32) / 8)).sum();
        let has_position = self.kernel.accs.values().any(|acc| super::reduce::has_position(acc.kind));
        i64::from(self.threads) * (values + if has_position { 4 } else { 0 })
    }

    /// Puts the scratch rows of a group into workgroup memory, or else into buffers with a slice for each group.
    pub(super) fn place_scratch(&mut self, groups: Expr) -> Result {
        let mut left = i64::from(self.caps.shared_bytes) - self.bytes_of_trees();
        for (param, data) in self.kernel.params.iter().filter(|(_, data)| data.role == Role::Scratch) {
            if self.places[param].is_some() {
                continue;
            }
            let ty = self.register(data.dtype);
            let bytes = self.pool.as_int(data.len).map(|len| len * i64::from(ty.bits().max(32) / 8));
            match bytes.filter(|&bytes| bytes <= left) {
                Some(bytes) => {
                    left -= bytes;
                    let len = self.pool.as_int(data.len).and_then(|len| u32::try_from(len.max(1)).ok()).unwrap_or(1);
                    self.places[param] = Some(StorageClass::Shared(self.b.shared(ty, len), ty));
                }
                None => {
                    let len = self.pool.mul(groups, data.len);
                    let binding = self.temp(ty, len);
                    let row = self.exact(data.len)?;
                    let from = self.b.mul(self.group(), row);
                    self.places[param] = Some(StorageClass::Buffer(binding, Some(from)));
                }
            }
        }
        Ok(())
    }

    /// The index of an element of a param. A constant one below 0 is that of an access that no mask lets through;
    /// languages refuse it all the same.
    pub(super) fn element(&mut self, param: Param, e: Expr) -> Result<Val> {
        if let Some(StorageClass::Registers(..)) = self.places[param] {
            return self.register_index();
        }
        let index = self.index(e)?;
        let is_below = self.b.as_const(index).is_some_and(|bits| (bits as i32) < 0);
        Ok(if is_below { self.b.i32(0) } else { index })
    }

    fn place(&self, param: Param) -> Result<StorageClass> {
        self.places[param].ok_or_else(|| format!("{param} has no place"))
    }

    /// An element in the register of its dtype.
    pub(super) fn load(&mut self, param: Param, index: Val) -> Result<Val> {
        let dtype = self.kernel.params[param].dtype;
        match self.place(param)? {
            StorageClass::Shared(shared, ty) => Ok(self.b.here(Op::LoadShared(shared, index), ty)),
            StorageClass::Registers(local, _) => Ok(self.b.load_local(local, index)),
            StorageClass::Buffer(binding, from) => {
                self.touch(binding, Access::Read);
                let index = from.map_or(index, |from| self.b.add(from, index));
                let data = self.bindings[binding].clone();
                if data.packing == 1 {
                    let value = self.b.load(binding, data.mem.register(), index);
                    return Ok(self.loaded(dtype, value));
                }
                let (word, shift) = self.place_in_word(index, data.packing);
                let word = self.b.load(binding, Ty::U32, word);
                Ok(self.extract(dtype, word, shift, 32 / data.packing))
            }
        }
    }

    /// A loaded value in the register of its dtype.
    pub(super) fn loaded(&self, dtype: DType, value: Val) -> Val {
        match self.register(dtype) {
            Ty::Bool => self.b.ne(value, self.b.like(value, 0.0)),
            ty if self.b.ty(value).bits() == ty.bits() => self.b.bits(ty, value),
            ty => self.b.cast(ty, value),
        }
    }

    /// The word of an element, and its first bit there (a `u32`).
    fn place_in_word(&self, index: Val, packing: u32) -> (Val, Val) {
        let b = &self.b;
        let word = b.shr(index, b.i32(packing.trailing_zeros().into()));
        let place = b.and(index, b.i32(i64::from(packing) - 1));
        (word, b.cast(Ty::U32, b.mul(place, b.i32((32 / packing).into()))))
    }

    /// An element of a word.
    fn extract(&self, dtype: DType, word: Val, shift: Val, width: u32) -> Val {
        let b = &self.b;
        let mask = b.u32((1 << width) - 1);
        let bits = b.and(b.shr(word, shift), mask);
        match dtype {
            DType::Bool => b.ne(bits, b.u32(0)),
            DType::I8 | DType::I16 => self.sign_extend(b.cast(Ty::I32, bits), width),
            DType::U8 => b.cast(Ty::I32, bits),
            _ => bits,
        }
    }

    /// The low bits of an `i32` as a signed number.
    pub(super) fn sign_extend(&self, value: Val, width: u32) -> Val {
        let shift = self.b.i32((32 - width).into());
        self.b.shr(self.b.shl(value, shift), shift)
    }

    /// Writes an element, given in the register of its dtype; `range` is that of an `int64`.
    pub(super) fn store(&mut self, param: Param, at: (Val, Expr), value: Val, range: Option<Range>) -> Result {
        let dtype = self.kernel.params[param].dtype;
        match self.place(param)? {
            StorageClass::Shared(shared, ty) => {
                let value = self.b.cast(ty, value);
                self.b.push(Stmt::StoreShared { shared, index: at.0, value });
                Ok(())
            }
            StorageClass::Registers(local, ty) => {
                let value = self.b.cast(ty, value);
                self.b.store_local(local, at.0, value);
                Ok(())
            }
            StorageClass::Buffer(binding, from) => {
                let data = self.bindings[binding].clone();
                let index = from.map_or(at.0, |from| self.b.add(from, at.0));
                if data.narrowed && !range.is_some_and(|r| r.lo >= -NARROW_LIMIT && r.hi <= NARROW_LIMIT) {
                    return Err("64-bit integers that may not fit 32 bits".to_owned());
                }
                if data.packing == 1 {
                    let value = self.as_stored(data.mem, value);
                    if !self.keep_lane(param, value) {
                        self.touch(binding, Access::Write);
                        self.b.push(Stmt::Store { binding, index, value });
                    }
                    return Ok(());
                }
                let bits = self.low_bits(dtype, value, 32 / data.packing);
                match self.gather.get(&param).copied() {
                    Some(gather) => self.gather(param, gather, bits),
                    None => {
                        self.store_in_word(binding, index, bits, data.packing);
                        Ok(())
                    }
                }
            }
        }
    }

    /// A register as memory takes it.
    fn as_stored(&self, mem: Mem, value: Val) -> Val {
        let (from, to) = (self.b.ty(value), mem.register());
        let same_bits = from.bits() == to.bits() && (from.is_float() != to.is_float());
        if same_bits { self.b.bits(to, value) } else { self.b.cast(to, value) }
    }

    /// The bits of an element of fewer bits than a word.
    fn low_bits(&self, dtype: DType, value: Val, width: u32) -> Val {
        let bits = self.b.cast(Ty::U32, value);
        match dtype {
            DType::I8 | DType::I16 => self.b.and(bits, self.b.u32((1 << width) - 1)),
            _ => bits,
        }
    }

    /// Replaces an element in its word: clears it and sets it, both atomically. Other threads may do so with the other
    /// elements of the word.
    fn store_in_word(&mut self, binding: Binding, index: Val, bits: Val, packing: u32) {
        self.touch(binding, Access::Atomic);
        let b = &self.b;
        let (word, shift) = self.place_in_word(index, packing);
        let mask = b.u32((1 << (32 / packing)) - 1);
        let is_true = self.bindings[binding].dtype == DType::Bool && b.as_const(bits) == Some(1);
        if !is_true {
            let others = b.unary(crate::grid::Unary::Not, b.shl(mask, shift));
            b.push(Stmt::Atomic { op: AtomicOp::And, binding, index: word, value: others });
        }
        if b.as_const(bits) != Some(0) {
            let value = b.shl(bits, shift);
            b.push(Stmt::Atomic { op: AtomicOp::Or, binding, index: word, value });
        }
    }

    /// Writes a whole word of packed elements.
    pub(super) fn store_word(&mut self, param: Param, index: Val, value: Val) {
        if let Some(StorageClass::Buffer(binding, _)) = self.places[param] {
            self.touch(binding, Access::Write);
            self.b.push(Stmt::Store { binding, index, value });
        }
    }

    /// Adds to an element: atomically where memory allows it, else as the only thread that does.
    pub(super) fn add_in_memory(&mut self, param: Param, at: (Val, Expr), value: Val, range: Option<Range>) -> Result {
        let StorageClass::Buffer(binding, None) = self.place(param)? else {
            return Err("an addition to a row".to_owned());
        };
        if !self.adds_atomically(param) {
            let dtype = self.kernel.params[param].dtype;
            let old = self.load(param, at.0)?;
            let sum = self.sum_of_elements(dtype, old, value)?;
            // No range is known of what was there.
            let range = if self.bindings[binding].narrowed { None } else { range };
            return self.store(param, at, sum, range);
        }
        self.touch(binding, Access::Atomic);
        let index = at.0;
        if matches!(self.bindings[binding].mem, Mem::I32 | Mem::F32) {
            self.b.push(Stmt::Atomic { op: AtomicOp::Add, binding, index, value });
            return Ok(());
        }
        self.b.open();
        let old = self.b.load(binding, Ty::U32, index);
        let sum = self.b.add(self.b.bits(Ty::F32, old), value);
        let new = self.b.bits(Ty::U32, sum);
        let done = self.b.here(Op::Exchange { binding, index, old, new }, Ty::Bool);
        let cond = self.b.unary(crate::grid::Unary::Not, done);
        let head = self.b.close();
        self.b.push(Stmt::While { head, cond, body: Vec::new() });
        Ok(())
    }
}
