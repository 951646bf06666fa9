//! Functions that the wheel brings along, so that it runs with glibc 2.34: the C library has them, or their newest
//! version, only since 2.35 and 2.36. The linker prefers these.
//!
//! Invariant: each does what the C standard, or the manual of BSD, says of its name.

use std::ffi::c_uint;

/// A random number, for the names of LLVM's temporary files; one that follows from the place of the stack, if the
/// kernel has none.
#[unsafe(no_mangle)]
extern "C" fn arc4random() -> c_uint {
    let mut number: c_uint = 0;
    let at = (&raw mut number).cast();
    // SAFETY: there is room for as many bytes.
    let written = unsafe { libc::getrandom(at, size_of::<c_uint>(), 0) };
    if written == size_of::<c_uint>() as isize { number } else { at.addr() as c_uint }
}

/// The length of a hypotenuse.
#[unsafe(no_mangle)]
extern "C" fn hypot(x: f64, y: f64) -> f64 {
    libm::hypot(x, y)
}

/// The length of a hypotenuse, in single precision.
#[unsafe(no_mangle)]
extern "C" fn hypotf(x: f32, y: f32) -> f32 {
    libm::hypotf(x, y)
}
