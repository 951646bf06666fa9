//! Non-temporal stores: results that go past the caches.
//!
//! A store to memory that no cache holds reads its line first, and what it writes drives out what the kernel has still
//! to read. Where the buffers of a kernel do not fit into the last-level cache together, little of its results is left
//! there for whoever reads them next; so their whole vectors are written by stores that leave the caches alone.
//! Measured on a cache of 32 MiB, a kernel that reads and writes 64 MiB takes half of the time.
//!
//! Invariant: only what the kernel does not read goes past the caches; a fence at its end orders such stores before all
//! that follows.

use super::{Emitter, Many, cost};
use crate::heuristics;
use crate::ir::{Ir, Val};
use crate::machine::LINE_BYTES;
use inductor::loop_ir::{Op, Param, Role};
use inkwell::IntPredicate;
use inkwell::values::{IntValue, PointerValue};

impl<'c> Emitter<'_, 'c> {
    /// Finds out whether results go past the caches. Where sizes are symbols, typical ones decide on whether that is
    /// asked at run time.
    pub(super) fn find_streams(&mut self) {
        let kernel = self.kernel;
        let limit = self.ir.host.machine.streamed_from(cost::reads_rows(kernel, self.lanes)) as i64;
        if limit == 0 || cost::typical_bytes(kernel).is_none_or(|bytes| bytes < limit) {
            return;
        }
        let bytes = kernel.arguments().fold(self.ir.i64(0), |sum, (_, data)| {
            self.ir.add_nsw(sum, self.ir.mul_nsw(self.scalar_index(data.len), data.dtype.size() as i64))
        });
        self.nontemporal = Some(self.ir.icmp(IntPredicate::SGE, bytes.into(), self.ir.i64(limit).into()));
    }

    /// Writes whole vectors, side by side from element `base` on, past the caches if they may go there. False if they
    /// never may, and nothing is emitted.
    pub(super) fn store_past(&self, param: Param, base: IntValue<'c>, value: &Many<'c>) -> bool {
        let Some(streams) = self.nontemporal.filter(|_| self.is_only_written(param)) else { return false };
        let (elem, buffer) = (self.elem_of(param).memory(), self.buffer(param));
        let bytes = self.lanes * elem.bytes();
        if bytes < heuristics::nontemporal_least_bytes() {
            return false;
        }
        let each = |ir: &Ir<'c>, store: fn(&Ir<'c>, PointerValue<'c>, Val<'c>)| {
            for copy in 0..self.copies() {
                let at = ir.add_nsw(base, ir.i64(i64::from(copy * self.lanes)));
                store(ir, ir.at(elem, buffer, at), self.wide(value, copy));
            }
        };
        let is_aligned = self.ir.is_aligned(self.ir.at(elem, buffer, base), bytes.min(LINE_BYTES));
        let past = self.ir.and(streams, is_aligned);
        self.ir.one_of(past, |ir| each(ir, Ir::store_past), |ir| each(ir, Ir::store));
        true
    }

    fn is_only_written(&self, param: Param) -> bool {
        let reads = |op: &Op| matches!(op, Op::Load { param: read, .. } if *read == param);
        self.kernel.params[param].role == Role::Out && !self.kernel.values.values().any(|data| reads(&data.op))
    }

    /// Orders the stores past the caches before what follows the kernel.
    pub(super) fn end_streams(&self) {
        if self.nontemporal.is_some() && cfg!(target_arch = "x86_64") {
            self.ir.call_intrinsic("llvm.x86.sse.sfence", &[], &[]);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::compile::{Listing, listing};
    use crate::target::{Host, host};
    use inductor::loop_ir::Kernel;

    /// The stores past the caches of a kernel, and its fences.
    fn streams(host: &'static Host, text: &str) -> (usize, usize) {
        let kernel: Kernel = text.parse().expect("the text is a kernel");
        let listing = listing(&kernel, host, Listing::Optimised).expect("compiles");
        let lines = |what: &str| listing.lines().filter(|line| line.contains(what)).count();
        (lines("!nontemporal"), lines("call void @llvm.x86.sse.sfence"))
    }

    const COPY: &str = "kernel copy(%0: f32[64] in, %1: f32[64] out) {
        parallel i0 in 0..64 vector {
          v0: f32 = load %0[i0]
          store %1[i0] = v0
        }
      }";

    const READ_AGAIN: &str = "kernel twice(%0: f32[64] in, %1: f32[64] out) {
        parallel i0 in 0..64 vector {
          v0: f32 = load %0[i0]
          store %1[i0] = v0
          v1: f32 = load %1[i0]
          store %1[i0] = v1
        }
      }";

    #[test]
    fn only_what_no_cache_holds_goes_past_them() {
        assert_eq!(streams(host(), COPY), (0, 0));
        let (stores, fences) = streams(Host::without_caches(), COPY);
        assert!(stores > 0);
        assert_eq!(fences, usize::from(cfg!(target_arch = "x86_64")));
    }

    #[test]
    fn what_is_read_again_stays() {
        let (stores, _) = streams(Host::without_caches(), READ_AGAIN);
        assert_eq!(stores, 0);
    }
}
