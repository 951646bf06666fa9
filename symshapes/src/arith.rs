//! Machine arithmetic with Python's rounding: checked, never wrapping.

/// `a // b` rounded down; `None` for a zero divisor or an overflow.
pub(crate) fn floor_div(a: i64, b: i64) -> Option<i64> {
    let quotient = a.checked_div(b)?;
    let inexact = quotient * b != a;
    Some(if inexact && (a < 0) != (b < 0) { quotient - 1 } else { quotient })
}

/// `a % b` with the sign of `b`; `None` for a zero divisor.
pub(crate) fn modulo(a: i64, b: i64) -> Option<i64> {
    match b {
        0 => None,
        -1 => Some(0),
        _ => {
            let rest = a % b;
            Some(if rest != 0 && (rest < 0) != (b < 0) { rest + b } else { rest })
        }
    }
}

/// `a ** n`; `None` for a negative exponent or an overflow.
pub(crate) fn pow(a: i64, n: i64) -> Option<i64> {
    let n = u64::try_from(n).ok()?;
    match a {
        0 => Some(i64::from(n == 0)),
        1 => Some(1),
        -1 => Some(if n.is_multiple_of(2) { 1 } else { -1 }),
        _ => a.checked_pow(u32::try_from(n).ok()?),
    }
}

/// `a // b` rounded down, for a divisor known not to be zero.
pub(crate) fn floor_div_wide(a: i128, b: i128) -> i128 {
    let quotient = a / b;
    let inexact = a % b != 0;
    if inexact && (a < 0) != (b < 0) { quotient - 1 } else { quotient }
}

/// The greatest common divisor; zero is its identity.
pub(crate) fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// The greatest common divisor of two factors of a positive `n`, which is itself a factor of `n`.
pub(crate) fn gcd_with(n: i64, coeff: i64) -> i64 {
    debug_assert!(n > 0, "a divisor is positive");
    i64::try_from(gcd(n.unsigned_abs(), coeff.unsigned_abs())).expect("a factor of an i64 fits in i64")
}
