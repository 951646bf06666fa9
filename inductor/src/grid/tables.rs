//! Coefficients of polynomials that stand for functions: one table for all that spell them out, the host's backend too.

/// `(atan(x) - x) / x³` in `x²`, up to 1.
pub const ATAN: [f64; 9] = [
    -0.0018271847,
    0.011064315,
    -0.03145547,
    0.05823432,
    -0.08419446,
    0.10957572,
    -0.14265245,
    0.19998638,
    -0.33333302,
];

/// `(asin(x) - x) / x³` in `x²`, up to [`ASIN_SMALL`].
pub const ASIN: [f64; 6] = [0.044358324, 0.009336471, 0.033216547, 0.044341434, 0.07501451, 0.16666643];

/// A little above `cos(1)`: beyond, `acos` is below 1 and its doubling costs no accuracy.
pub const ASIN_SMALL: f64 = 0.5404;

/// π in two parts.
pub const PI: [f64; 2] = [3.1415927410125732, -8.742277657347586e-8];

/// π/2 in two parts.
pub const HALF_PI: [f64; 2] = [1.5707963705062866, -4.371138828673793e-8];
