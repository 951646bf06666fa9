//! Memory as the builder sees it: stack slots, elements, runs of elements, and lanes at addresses of their own.
//!
//! Invariant: no access assumes more than the alignment of one element.

use crate::ir::{Elem, Ir, TYPED, Val, elem, lanes};
use crate::machine::LINE_BYTES;
use inkwell::types::{AsTypeRef, BasicMetadataTypeEnum, BasicTypeEnum};
use inkwell::values::{AsValueRef, BasicMetadataValueEnum, BasicValue, IntValue, PointerValue};
use inkwell::{AddressSpace, IntPredicate};
use llvm_sys::core::LLVMBuildGEP2;

impl<'c> Ir<'c> {
    /// A stack slot.
    pub(crate) fn slot(&self, ty: BasicTypeEnum<'c>) -> PointerValue<'c> {
        self.slots.build_alloca(ty, "").expect(TYPED)
    }

    /// Reads a stack slot.
    pub(crate) fn get(&self, ty: BasicTypeEnum<'c>, slot: PointerValue<'c>) -> Val<'c> {
        self.b.build_load(ty, slot, "").expect(TYPED)
    }

    /// Writes a stack slot.
    pub(crate) fn set(&self, slot: PointerValue<'c>, v: Val<'c>) {
        self.b.build_store(slot, v).expect(TYPED);
    }

    /// The address of element `index` from `base`.
    pub(crate) fn at(&self, elem: Elem, base: PointerValue<'c>, index: IntValue<'c>) -> PointerValue<'c> {
        // SAFETY: loop IR keeps every index within the buffer (or masks the access), so the address is in bounds
        // wherever it is used.
        unsafe { self.b.build_gep(self.ty(elem, 1), base, &[index], "") }.expect(TYPED)
    }

    /// Reads elements from an address aligned to one element.
    pub(crate) fn load(&self, elem: Elem, lanes: u32, from: PointerValue<'c>) -> Val<'c> {
        let v = self.b.build_load(self.ty(elem, lanes), from, "").expect(TYPED);
        // A constant address cannot occur: the bases are loaded from the argument array.
        v.as_instruction_value().expect("a load is an instruction").set_alignment(elem.bytes()).expect(TYPED);
        v
    }

    /// Asks for the line at an address, which need not be that of a buffer.
    pub(super) fn prefetch(&self, from: PointerValue<'c>) {
        let [read, near, data] = [0, 2, 1].map(|v| self.int(Elem::I32, 1, v));
        self.call_intrinsic("llvm.prefetch", &[from.get_type().into()], &[from.into(), read, near, data]);
    }

    /// Reads the `at`-th pointer of an array.
    pub(crate) fn load_pointer(&self, array: PointerValue<'c>, at: i64) -> PointerValue<'c> {
        let pointer = self.context.ptr_type(AddressSpace::default());
        // SAFETY: the launch passes as many addresses as the kernel has buffers.
        let entry = unsafe { self.b.build_gep(pointer, array, &[self.i64(at)], "") }.expect(TYPED);
        self.b.build_load(pointer, entry, "").expect(TYPED).into_pointer_value()
    }

    /// Reads the `at`-th integer of an array.
    pub(crate) fn load_int(&self, array: PointerValue<'c>, at: i64) -> IntValue<'c> {
        let int = self.context.i64_type();
        // SAFETY: the launch passes as many values as the kernel has sizes.
        let entry = unsafe { self.b.build_gep(int, array, &[self.i64(at)], "") }.expect(TYPED);
        self.b.build_load(int, entry, "").expect(TYPED).into_int_value()
    }

    /// The addresses of the elements that a vector of indices names.
    pub(crate) fn at_lanes(&self, elem: Elem, base: PointerValue<'c>, index: Val<'c>) -> Val<'c> {
        let (mut index, ty) = (index.as_value_ref(), self.ty(elem, 1).as_type_ref());
        // SAFETY: an LLVM value of this builder, of vector type since the index is one; as for `at`, the addresses
        // are in bounds wherever the access is not masked off.
        unsafe {
            let gep = LLVMBuildGEP2(self.b.as_mut_ptr(), ty, base.as_value_ref(), &raw mut index, 1, c"".as_ptr());
            Val::new(gep)
        }
    }

    /// The sum of two `i64` that does not overflow.
    pub(crate) fn add_nsw(&self, a: IntValue<'c>, b: IntValue<'c>) -> IntValue<'c> {
        self.b.build_int_nsw_add(a, b, "").expect(TYPED)
    }

    /// An `i64` times a constant, without overflow.
    pub(crate) fn mul_nsw(&self, a: IntValue<'c>, k: i64) -> IntValue<'c> {
        if k == 1 { a } else { self.b.build_int_nsw_mul(a, self.i64(k), "").expect(TYPED) }
    }

    /// Writes elements to an address aligned to one element.
    pub(crate) fn store(&self, to: PointerValue<'c>, v: Val<'c>) {
        self.b.build_store(to, v).expect(TYPED).set_alignment(elem(v).bytes()).expect(TYPED);
    }

    /// Writes a vector past the caches, to an address aligned to as many bytes as it has, or to a line.
    pub(super) fn store_past(&self, to: PointerValue<'c>, v: Val<'c>) {
        let bytes = lanes(v) * elem(v).bytes();
        let store = self.b.build_store(to, v).expect(TYPED);
        store.set_alignment(bytes.min(LINE_BYTES)).expect(TYPED);
        let one = self.context.metadata_node(&[self.context.i32_type().const_int(1, false).into()]);
        store.set_metadata(one, self.context.get_kind_id("nontemporal")).expect("a store is an instruction");
    }

    /// True if the address is a multiple of `bytes`, a power of two.
    pub(super) fn is_aligned(&self, address: PointerValue<'c>, bytes: u32) -> Val<'c> {
        let address = self.b.build_ptr_to_int(address, self.context.i64_type(), "").expect(TYPED);
        let rest = self.and(address.into(), self.i64(i64::from(bytes) - 1).into());
        self.icmp(IntPredicate::EQ, rest, self.i64(0).into())
    }

    /// Calls a row of [`crate::libm`]: maps the lanes of the first argument in place.
    pub(crate) fn map_lanes(&self, symbol: &str, args: &[Val<'c>]) -> Val<'c> {
        let ty = args[0].get_type();
        let slots: Vec<_> = args.iter().map(|_| self.slot(ty)).collect();
        for (&slot, &arg) in slots.iter().zip(args) {
            self.set(slot, arg);
        }
        let pointer: BasicMetadataTypeEnum = self.context.ptr_type(AddressSpace::default()).into();
        let mut params = vec![pointer; args.len()];
        params.push(self.context.i64_type().into());
        let signature = self.context.void_type().fn_type(&params, false);
        let callee =
            self.module.get_function(symbol).unwrap_or_else(|| self.module.add_function(symbol, signature, None));
        let mut call: Vec<BasicMetadataValueEnum<'c>> = slots.iter().map(|&s| s.into()).collect();
        call.push(self.i64(i64::from(lanes(args[0]))).into());
        self.b.build_call(callee, &call, "").expect(TYPED);
        self.get(ty, slots[0])
    }

    fn alignment(&self, elem: Elem) -> Val<'c> {
        self.int(Elem::I32, 1, i64::from(elem.bytes()))
    }

    /// Reads the lanes that the mask has; the others are 0.
    pub(crate) fn masked_load(&self, elem: Elem, lanes: u32, from: PointerValue<'c>, mask: Val<'c>) -> Val<'c> {
        let ty = self.ty(elem, lanes);
        let zero = ty.const_zero();
        let args = [from.into(), self.alignment(elem), mask, zero];
        self.intrinsic_on("llvm.masked.load", &[ty, from.get_type().into()], &args)
    }

    /// Writes the lanes that the mask has.
    pub(crate) fn masked_store(&self, v: Val<'c>, to: PointerValue<'c>, mask: Val<'c>) {
        let args = [v, to.into(), self.alignment(elem(v)), mask];
        self.call_intrinsic("llvm.masked.store", &[v.get_type(), to.get_type().into()], &args);
    }

    /// Reads each lane from its own address.
    pub(crate) fn gather(&self, elem: Elem, from: Val<'c>, mask: Val<'c>) -> Val<'c> {
        let ty = self.ty(elem, lanes(mask));
        let args = [from, self.alignment(elem), mask, ty.const_zero()];
        self.intrinsic_on("llvm.masked.gather", &[ty, from.get_type()], &args)
    }

    /// Writes each lane to its own address, the first first.
    pub(super) fn scatter(&self, v: Val<'c>, to: Val<'c>, mask: Val<'c>) {
        let args = [v, to, self.alignment(elem(v)), mask];
        self.call_intrinsic("llvm.masked.scatter", &[v.get_type(), to.get_type()], &args);
    }
}
