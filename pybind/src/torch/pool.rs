//! torch's threads, lent to kernels, and how wide the vectors of its matrix products are.
//!
//! Matrix products and convolutions run on them already; their idle threads spin, and a second pool on the same cores
//! would wait behind them.

use super::Shim;
use inductor_cpu::{LibraryReach, OwnPool, Pool};
use std::ffi::c_void;
use std::sync::Arc;

/// `torch_parallel_for`: begin, end, grain, what is called for each range, its context.
type ParallelFor = unsafe extern "C" fn(i64, i64, i64, extern "C" fn(i64, i64, *mut c_void), *mut c_void) -> i32;

/// The pool behind `at::parallel_for`.
#[derive(Clone, Copy)]
struct TorchPool(ParallelFor);

/// torch's threads, or our own where torch (before 2.10) does not lend them.
pub(crate) fn pool() -> Arc<dyn Pool> {
    match Shim::get().find("torch_parallel_for\0") {
        // SAFETY: the symbol has the type that torch's header declares for it.
        Some(address) => Arc::new(TorchPool(unsafe { std::mem::transmute::<*const c_void, ParallelFor>(address) })),
        None => Arc::new(OwnPool),
    }
}

/// The vectors that torch's products use: MKL, if that is its library, says which instructions it has chosen
/// (`mkl_cbwr_get_auto_branch`).
pub(crate) fn library_reach() -> LibraryReach {
    /// `MKL_CBWR_AVX2`; the numbers after it stand for kinds of AVX-512.
    const AVX2: i32 = 10;
    match Shim::get().find("mkl_serv_cbwr_get_auto_branch\0") {
        Some(address) => {
            // SAFETY: the symbol is what MKL's header declares as `int mkl_cbwr_get_auto_branch(void)`.
            let branch = unsafe { std::mem::transmute::<*const c_void, unsafe extern "C" fn() -> i32>(address)() };
            if branch > AVX2 { LibraryReach::Full } else { LibraryReach::Narrow }
        }
        None => LibraryReach::Unknown,
    }
}

type Work = Arc<dyn Fn() + Send + Sync>;

impl Pool for TorchPool {
    fn broadcast(&self, threads: usize, work: &Work) {
        let context = std::ptr::from_ref(work).cast_mut().cast::<c_void>();
        // SAFETY: `call` takes a `Work` by this address, which outlives the call: it returns when every range is done.
        let code = unsafe { (self.0)(0, threads as i64, 1, call, context) };
        if code != 0 {
            // Whatever was not begun is still to be done.
            work();
        }
    }

    /// Its idle threads spin for milliseconds.
    fn piece_ns(&self) -> f64 {
        4_000.0
    }
}

extern "C" fn call(_begin: i64, _end: i64, work: *mut c_void) {
    // SAFETY: `broadcast` passes the address of a living `Work`.
    let work = unsafe { &*work.cast::<Work>() };
    work();
}
