//! Scalar functions that kernels call per lane where no vector algorithm exists: each maps a short array in place.
//!
//! One row per function: its symbol in generated code and what it computes. A kernel stores its lanes on the stack,
//! calls the row with their number, and loads the results.

/// Declares the tables of in-place maps: unary and binary, in `f32` and `f64`.
macro_rules! maps {
    (unary { $($u:ident $u32:literal $u64:literal $uf:expr, $uf64:expr;)* }
     binary { $($b:ident $b32:literal $b64:literal $bf:expr, $bf64:expr;)* }) => {
        mod f32_maps { $(map1!($u, f32, $uf);)* $(map2!($b, f32, $bf);)* }
        mod f64_maps { $(map1!($u, f64, $uf64);)* $(map2!($b, f64, $bf64);)* }

        /// Every symbol that kernels may refer to, with its address.
        pub(crate) fn symbols() -> Vec<(&'static str, usize)> {
            vec![
                $(($u32, f32_maps::$u as *const () as usize), ($u64, f64_maps::$u as *const () as usize),)*
                $(($b32, f32_maps::$b as *const () as usize), ($b64, f64_maps::$b as *const () as usize),)*
                ("ri_powi", powi as *const () as usize),
            ]
            .into_iter()
            .chain(implied())
            .collect()
        }
    };
}

/// Gives a closure its type.
fn apply1<T>(f: fn(T) -> T, x: T) -> T {
    f(x)
}

/// Gives a closure its type.
fn apply2<T>(f: fn(T, T) -> T, x: T, y: T) -> T {
    f(x, y)
}

macro_rules! map1 {
    ($name:ident, $t:ty, $f:expr) => {
        pub(super) unsafe extern "C" fn $name(x: *mut $t, lanes: usize) {
            // SAFETY: generated code passes an array of `lanes` elements on its own stack.
            for x in unsafe { std::slice::from_raw_parts_mut(x, lanes) } {
                *x = super::apply1($f, *x);
            }
        }
    };
}

macro_rules! map2 {
    ($name:ident, $t:ty, $f:expr) => {
        pub(super) unsafe extern "C" fn $name(x: *mut $t, y: *const $t, lanes: usize) {
            // SAFETY: generated code passes two distinct arrays of `lanes` elements on its own stack.
            let (x, y) = unsafe { (std::slice::from_raw_parts_mut(x, lanes), std::slice::from_raw_parts(y, lanes)) };
            for (x, &y) in x.iter_mut().zip(y) {
                *x = super::apply2($f, *x, y);
            }
        }
    };
}

maps! {
    unary {
        exp "ri_exp_f32" "ri_exp_f64" f32::exp, f64::exp;
        exp2 "ri_exp2_f32" "ri_exp2_f64" f32::exp2, f64::exp2;
        expm1 "ri_expm1_f32" "ri_expm1_f64" f32::exp_m1, f64::exp_m1;
        log "ri_log_f32" "ri_log_f64" f32::ln, f64::ln;
        log2 "ri_log2_f32" "ri_log2_f64" f32::log2, f64::log2;
        log10 "ri_log10_f32" "ri_log10_f64" f32::log10, f64::log10;
        log1p "ri_log1p_f32" "ri_log1p_f64" f32::ln_1p, f64::ln_1p;
        sin "ri_sin_f32" "ri_sin_f64" f32::sin, f64::sin;
        cos "ri_cos_f32" "ri_cos_f64" f32::cos, f64::cos;
        tan "ri_tan_f32" "ri_tan_f64" f32::tan, f64::tan;
        asin "ri_asin_f32" "ri_asin_f64" f32::asin, f64::asin;
        acos "ri_acos_f32" "ri_acos_f64" f32::acos, f64::acos;
        atan "ri_atan_f32" "ri_atan_f64" f32::atan, f64::atan;
        sinh "ri_sinh_f32" "ri_sinh_f64" f32::sinh, f64::sinh;
        cosh "ri_cosh_f32" "ri_cosh_f64" f32::cosh, f64::cosh;
        tanh "ri_tanh_f32" "ri_tanh_f64" f32::tanh, f64::tanh;
        erf "ri_erf_f32" "ri_erf_f64" |x| super::erf64(x.into()) as f32, super::erf64;
        erfc "ri_erfc_f32" "ri_erfc_f64" |x| super::erfc64(x.into()) as f32, super::erfc64;
    }
    binary {
        pow "ri_pow_f32" "ri_pow_f64" f32::powf, f64::powf;
        fmod "ri_fmod_f32" "ri_fmod_f64" |a, b| a % b, |a, b| a % b;
        atan2 "ri_atan2_f32" "ri_atan2_f64" f32::atan2, f64::atan2;
    }
}

/// The C library's functions that Rust's standard library does not name.
mod c {
    unsafe extern "C" {
        pub(super) safe fn erf(x: f64) -> f64;
        pub(super) safe fn erfc(x: f64) -> f64;
    }
}

fn erf64(x: f64) -> f64 {
    c::erf(x)
}

fn erfc64(x: f64) -> f64 {
    c::erfc(x)
}

unsafe extern "C" fn powi(x: *mut i64, y: *const i64, lanes: usize) {
    // SAFETY: generated code passes two distinct arrays of `lanes` elements on its own stack.
    let (x, y) = unsafe { (std::slice::from_raw_parts_mut(x, lanes), std::slice::from_raw_parts(y, lanes)) };
    for (x, &y) in x.iter_mut().zip(y) {
        *x = int_pow(*x, y);
    }
}

/// Wrapping power; a negative exponent gives 0 but for the bases 1 and −1.
fn int_pow(mut base: i64, mut exponent: i64) -> i64 {
    if exponent < 0 {
        return match base {
            1 => 1,
            -1 if exponent % 2 == 0 => 1,
            -1 => -1,
            _ => 0,
        };
    }
    let mut result = 1i64;
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = result.wrapping_mul(base);
        }
        base = base.wrapping_mul(base);
        exponent >>= 1;
    }
    result
}

/// The functions that LLVM calls by itself where the host lacks an instruction, with their addresses.
fn implied() -> [(&'static str, usize); 12] {
    [
        ("fmaf", fmaf as *const () as usize),
        ("fma", fma as *const () as usize),
        ("floorf", floorf as *const () as usize),
        ("floor", floor as *const () as usize),
        ("ceilf", ceilf as *const () as usize),
        ("ceil", ceil as *const () as usize),
        ("truncf", truncf as *const () as usize),
        ("trunc", trunc as *const () as usize),
        ("rintf", rintf as *const () as usize),
        ("rint", rint as *const () as usize),
        ("memcpy", memcpy as *const () as usize),
        ("memset", memset as *const () as usize),
    ]
}

macro_rules! implied {
    ($($name:ident($($arg:ident),+): $t:ty = $f:expr;)*) => {
        $(extern "C" fn $name($($arg: $t),+) -> $t { $f($($arg),+) })*
    };
}

implied! {
    fmaf(a, b, c): f32 = f32::mul_add;
    fma(a, b, c): f64 = f64::mul_add;
    floorf(a): f32 = f32::floor;
    floor(a): f64 = f64::floor;
    ceilf(a): f32 = f32::ceil;
    ceil(a): f64 = f64::ceil;
    truncf(a): f32 = f32::trunc;
    trunc(a): f64 = f64::trunc;
    rintf(a): f32 = f32::round_ties_even;
    rint(a): f64 = f64::round_ties_even;
}

unsafe extern "C" fn memcpy(to: *mut u8, from: *const u8, bytes: usize) -> *mut u8 {
    // SAFETY: LLVM calls this with C's contract for `memcpy`.
    unsafe { std::ptr::copy_nonoverlapping(from, to, bytes) };
    to
}

unsafe extern "C" fn memset(to: *mut u8, byte: i32, bytes: usize) -> *mut u8 {
    // SAFETY: LLVM calls this with C's contract for `memset`.
    unsafe { std::ptr::write_bytes(to, byte as u8, bytes) };
    to
}

#[cfg(test)]
mod tests {
    use super::int_pow;

    #[test]
    fn integer_powers_wrap_and_truncate() {
        assert_eq!(int_pow(3, 4), 81);
        assert_eq!(int_pow(-2, 3), -8);
        assert_eq!(int_pow(2, 64), 0);
        assert_eq!(int_pow(2, -1), 0);
        assert_eq!(int_pow(-1, -3), -1);
        assert_eq!(int_pow(7, 0), 1);
    }
}
