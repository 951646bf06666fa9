//! The remaining C stack of a thread.
//!
//! Where an evaluator of ours is installed, each call of a Python function takes a part of the C stack, which calls
//! from Python to Python do not take without it. So the interpreter's limit of recursion, which a program may have
//! raised, does not keep a deep recursion from the end of the stack; and the limit that CPython 3.12 has for calls from
//! C would end a recursion that fits the program's.

use std::cell::Cell;

/// The bytes that are reserved for functions that are not Python's, which do not ask here.
#[cfg(target_os = "linux")]
const RESERVE: usize = 1 << 20;

thread_local! {
    /// The address below which a call is not begun; 0 where the stack's end is not known, or nobody has asked yet.
    static LEAST: Cell<usize> = const { Cell::new(0) };
    static ASKED: Cell<bool> = const { Cell::new(false) };
}

/// Whether one more call fits this thread's stack; `None` where the stack's end is not known.
#[inline]
pub(crate) fn fits() -> Option<bool> {
    let here = 0_u8;
    let least = match LEAST.get() {
        0 if ASKED.replace(true) => return None,
        0 => {
            LEAST.set(least().unwrap_or(0));
            LEAST.get()
        }
        known => known,
    };
    (least > 0).then(|| (&raw const here).addr() > least)
}

/// The end of this thread's stack, with room to spare.
#[cfg(target_os = "linux")]
fn least() -> Option<usize> {
    let mut attributes = std::mem::MaybeUninit::<libc::pthread_attr_t>::uninit();
    let (mut end, mut size) = (std::ptr::null_mut(), 0);
    // SAFETY: the first call writes the attributes of the thread that runs, if it gives 0; the others read and end
    // them.
    unsafe {
        if libc::pthread_getattr_np(libc::pthread_self(), attributes.as_mut_ptr()) != 0 {
            return None;
        }
        let found = libc::pthread_attr_getstack(attributes.as_ptr(), &raw mut end, &raw mut size);
        libc::pthread_attr_destroy(attributes.as_mut_ptr());
        if found != 0 {
            return None;
        }
    }
    end.addr().checked_add(RESERVE.min(size / 8))
}

/// Other systems are not asked.
#[cfg(not(target_os = "linux"))]
fn least() -> Option<usize> {
    None
}
