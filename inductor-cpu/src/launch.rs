//! Running a kernel: on the calling thread if there is little to do, else in pieces over a pool of threads.
//!
//! The calling thread takes part: it and the others draw pieces from one counter until none is left.
//!
//! Invariants: our own pool belongs to this process (a forked child makes its own); pieces begin at multiples of the
//! kernel's grain; each thread's scratch is its own.

use crate::Facts;
use crate::emit::{SCRATCH_ALIGN, Work};
use crate::heuristics;
use crate::jit::Entry;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::cell::RefCell;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Stack of a worker: LLVM's passes recurse.
const STACK: usize = 8 << 20;

/// Threads that a launch may use besides the caller's.
///
/// A program whose other operators run on a pool of their own should lend it: two pools on the same cores wait for each
/// other's idle threads, which spin.
pub trait Pool: Send + Sync {
    /// Calls `work` on up to `threads` threads at once, the caller's among them, and returns when the caller's call
    /// has. A call that starts late finds nothing left to do.
    fn broadcast(&self, threads: usize, work: &Arc<dyn Fn() + Send + Sync>);

    /// A piece of work should last at least so long (in nanoseconds): about what it takes another thread to begin. Less
    /// than two of them run alone.
    fn piece_ns(&self) -> f64;
}

/// Our own pool, on rayon.
#[derive(Clone, Copy, Default, Debug)]
pub struct OwnPool;

impl Pool for OwnPool {
    fn broadcast(&self, threads: usize, work: &Arc<dyn Fn() + Send + Sync>) {
        let pool = pool(threads - 1);
        for _ in 1..threads {
            let work = Arc::clone(work);
            pool.spawn(move || work());
        }
        work();
    }

    /// Its idle threads sleep.
    fn piece_ns(&self) -> f64 {
        12_000.0
    }
}

/// A range of iterations that several threads run piece by piece.
struct Pieces<'a> {
    /// Runs the iterations from one number up to another.
    run: &'a (dyn Fn(i64, i64) + Sync),
    extent: i64,
    /// Iterations of a piece.
    length: i64,
    /// The iteration at which the next piece begins.
    next: AtomicI64,
    /// Iterations that are done.
    done: AtomicI64,
}

impl Pieces<'_> {
    /// Runs pieces until none is left.
    fn work(&self) {
        loop {
            let begin = self.next.fetch_add(self.length, Ordering::Relaxed);
            if begin >= self.extent {
                return;
            }
            let end = (begin + self.length).min(self.extent);
            (self.run)(begin, end);
            self.done.fetch_add(end - begin, Ordering::Release);
        }
    }

    /// Waits for the pieces that others took. A helper that has not started by now need not.
    fn wait(&self) {
        let mut spins = 0;
        while self.done.load(Ordering::Acquire) < self.extent {
            spins += 1;
            if spins < heuristics::launch_spins() {
                std::hint::spin_loop();
            } else {
                std::thread::yield_now();
            }
        }
    }
}

/// Calls `run` on pieces of `0..extent` that have `length` iterations, on up to `threads` threads, and returns when all
/// are done. `run` must not panic.
pub(crate) fn in_pieces(extent: i64, length: i64, threads: usize, pool: &dyn Pool, run: &(dyn Fn(i64, i64) + Sync)) {
    if extent <= length || threads <= 1 {
        return (0..extent).step_by(length.max(1) as usize).for_each(|begin| run(begin, (begin + length).min(extent)));
    }
    // SAFETY: `run` is called only for a piece, and all pieces are done before this function returns: a helper that
    // starts later finds none.
    let run = unsafe { std::mem::transmute::<&(dyn Fn(i64, i64) + Sync), &'static (dyn Fn(i64, i64) + Sync)>(run) };
    let pieces = Arc::new(Pieces { run, extent, length, next: AtomicI64::new(0), done: AtomicI64::new(0) });
    let shared = Arc::clone(&pieces);
    let work: Arc<dyn Fn() + Send + Sync> = Arc::new(move || shared.work());
    let count = (extent + length - 1) / length;
    pool.broadcast(threads.min(count as usize), &work);
    pieces.wait();
}

/// The addresses of a launch, for all its threads.
struct Args<'a>(&'a [*mut u8]);

// SAFETY: the pieces of one launch write disjoint elements, which loop IR's parallel axis states.
unsafe impl Sync for Args<'_> {}

impl Args<'_> {
    fn start(&self) -> *const *mut u8 {
        self.0.as_ptr()
    }
}

/// Runs a kernel over its whole root axis.
///
/// # Safety
/// As [`inductor::backend::CompiledKernel::launch`]; `entry` lives through the call.
pub(crate) unsafe fn run(entry: Entry, args: &[*mut u8], sizes: &[i64], facts: Facts, threads: usize, pool: &dyn Pool) {
    let Facts { work, scratch_bytes, extent } = facts;
    let pieces = pieces(extent, work, threads, pool);
    let length = ((extent + pieces - 1) / pieces).min(work.longest);
    let length = (length + work.grain - 1) / work.grain * work.grain;
    let args = Args(args);
    in_pieces(extent, length, threads, pool, &|begin, end| {
        with_scratch(scratch_bytes, |scratch| {
            // SAFETY: the caller promises the arguments; scratch is large enough and this thread's own.
            unsafe { entry(args.start(), scratch, sizes.as_ptr(), begin, end) }
        });
    });
}

/// Into how many pieces to cut the root axis.
fn pieces(extent: i64, work: Work, threads: usize, pool: &dyn Pool) -> i64 {
    if threads <= 1 {
        return 1;
    }
    let by_time = (work.ns * extent as f64 / pool.piece_ns()) as i64;
    let by_grain = (extent + work.grain - 1) / work.grain;
    let most = threads as i64 * heuristics::launch_pieces_per_thread();
    by_time.min(by_grain).min(most).max(1)
}

/// The pool of a process.
struct Workers {
    process: u32,
    count: usize,
    pool: Arc<ThreadPool>,
}

/// A pool of at least `count` workers that belongs to this process.
pub(crate) fn pool(count: usize) -> Arc<ThreadPool> {
    static POOL: Mutex<Option<Workers>> = Mutex::new(None);
    let mut held = POOL.lock().unwrap_or_else(PoisonError::into_inner);
    let process = std::process::id();
    if let Some(workers) = &*held {
        if workers.process == process && workers.count >= count {
            return Arc::clone(&workers.pool);
        }
        if workers.process != process {
            // The parent's threads do not exist here: waiting for them to end would never end.
            std::mem::forget(held.take());
        }
    }
    let name = |at| format!("inductor-cpu-{at}");
    let built = ThreadPoolBuilder::new().num_threads(count).thread_name(name).stack_size(STACK).build();
    let pool = Arc::new(built.expect("the system grants worker threads"));
    *held = Some(Workers { process, count, pool: Arc::clone(&pool) });
    pool
}

/// Calls `f` with this thread's scratch, grown to `bytes`.
pub(crate) fn with_scratch(bytes: usize, f: impl FnOnce(*mut u8)) {
    /// A cache line, as unit of aligned storage.
    #[derive(Clone, Copy)]
    #[repr(align(64))]
    struct Line(#[allow(dead_code, reason = "storage")] [u8; SCRATCH_ALIGN]);

    thread_local! { static SCRATCH: RefCell<Vec<Line>> = const { RefCell::new(Vec::new()) }; }
    if bytes == 0 {
        return f(std::ptr::null_mut());
    }
    SCRATCH.with_borrow_mut(|lines| {
        let wanted = bytes.div_ceil(SCRATCH_ALIGN);
        if lines.len() < wanted {
            lines.resize(wanted, Line([0; SCRATCH_ALIGN]));
        }
        f(lines.as_mut_ptr().cast());
    });
}
