//! Random kernels and inputs, to hold backends against the [interpreter](crate::loops).
//!
//! Everything is a function of the seed. Kernels are right (they pass [`verify`]), and their results are determined to
//! the bit, but for what no backend should have to share:
//! - the sign and payload of a NaN (no kernel looks at them);
//! - the sign of a zero that `maximum` or `minimum` chose between two zeros (kernels add 0 to it before they go on);
//! - the last places of primitives that are not correctly rounded, where [`GenOptions::inexact`] lets them occur:
//!   their results are stored and used for nothing else.
//!
//! To this end sums and products of floats run over small integers, so that every order of accumulation gives the
//! same, divisors of integers are positive, and floats are brought into range before they become integers.
//!
//! [`verify`]: inductor::loop_ir::verify::verify

mod build;
mod inputs;
mod nest;
mod shrink;
mod step;

pub use inputs::{inputs, inputs_with, sizes, small_inputs};
pub use shrink::smallest;

use build::Builder;
use inductor::loop_ir::Kernel;
use symshapes::DType;

/// The options of the generator of random kernels.
#[derive(Clone, PartialEq, Debug)]
pub struct GenOptions {
    /// Types that buffers may have. `bool` and `int64` values may occur in between all the same.
    pub dtypes: Vec<DType>,
    /// At most this many random operations in one block.
    pub ops: usize,
    /// At most this many iterations of the innermost statement.
    pub iterations: i64,
    /// Indirect loads and scattered additions, where `dtypes` has `int64`.
    pub indirect: bool,
    /// Primitives that are not correctly rounded (`exp`, `pow`, …), stored and not used further.
    pub inexact: bool,
    /// At most this many symbolic sizes; with any, at least one.
    pub sizes: usize,
}

impl Default for GenOptions {
    fn default() -> GenOptions {
        let dtypes = DType::ALL.iter().copied().filter(|d| !matches!(d, DType::C64 | DType::C128)).collect();
        GenOptions { dtypes, ops: 6, iterations: 4000, indirect: true, inexact: true, sizes: 0 }
    }
}

/// A random kernel, a function of its arguments.
///
/// # Panics
/// If `options.dtypes` is empty or has complex types.
pub fn kernel(seed: u64, options: &GenOptions) -> Kernel {
    let mut builder = Builder::new(seed, options);
    let root = nest::root(&mut builder);
    builder.finish(format!("random_{seed}"), root)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loops;
    use inductor::loop_ir::verify::verify;
    use proptest::prelude::*;

    /// Checks what is promised of a kernel, and runs it.
    fn check(seed: u64, options: &GenOptions) {
        let kernel = kernel(seed, options);
        let text = kernel.to_string();
        if let Err(error) = verify(&kernel) {
            panic!("seed {seed}: {error}\n{text}");
        }
        let read: Kernel = text.parse().unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
        assert_eq!(read.to_string(), text, "seed {seed}");
        assert_eq!(read, kernel, "seed {seed}");
        assert_eq!(read.fingerprint(), kernel.fingerprint(), "seed {seed}");
        for seed in seed..=seed.saturating_add(options.sizes as u64) {
            let sizes = sizes(seed, &kernel, options.iterations);
            let mut buffers = inputs(seed, &kernel, &sizes);
            let done = loops::run(&kernel, &sizes, &mut buffers);
            done.unwrap_or_else(|error| panic!("seed {seed}, sizes {sizes:?}: {error}\n{text}"));
            let mut again = inputs(seed, &read, &sizes);
            loops::run(&read, &sizes, &mut again).expect("it ran before");
            assert!(buffers == again, "seed {seed}: parsing changed what the kernel does\n{text}");
        }
    }

    /// Kernels of up to three sizes.
    fn symbolic() -> GenOptions {
        GenOptions { sizes: 3, iterations: 2000, ..GenOptions::default() }
    }

    #[test]
    fn the_first_hundred_of_symbolic_sizes_are_right() {
        (0..100).for_each(|seed| check(seed, &symbolic()));
    }

    #[test]
    fn symbolic_kernels_have_every_form() {
        let all: String = (0..50).map(|seed| kernel(seed, &symbolic()).to_string()).collect();
        for what in ["<s0: 0..", "i0*s", "//s", "Mod(", "Max(", "in 0..s0", "in 0..16*s", "index s", "s0] scratch"] {
            assert!(all.contains(what), "no `{what}` in 50 kernels");
        }
    }

    #[test]
    fn the_first_hundred_are_right() {
        (0..100).for_each(|seed| check(seed, &GenOptions::default()));
    }

    #[test]
    fn one_dtype_is_enough() {
        for &dtype in &GenOptions::default().dtypes {
            let options = GenOptions { dtypes: vec![dtype], ..GenOptions::default() };
            (0..8).for_each(|seed| check(seed, &options));
        }
    }

    #[test]
    fn equal_seeds_give_equal_kernels() {
        let options = GenOptions::default();
        let texts: Vec<String> = (0..50).map(|seed| kernel(seed, &options).to_string()).collect();
        assert!((0..50).all(|seed| kernel(seed, &options).to_string() == texts[seed as usize]));
        let all = texts.concat();
        for what in ["bind", "scratch", "argmax", " if ", "+=", "vector reduce", "bitcast", "//", "Mod("] {
            assert!(all.contains(what), "no `{what}` in 50 kernels");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn any_seed_is_right(seed: u64) {
            check(seed, &GenOptions { iterations: 500, ..GenOptions::default() });
        }

        #[test]
        fn any_seed_of_symbolic_sizes_is_right(seed: u64) {
            check(seed, &GenOptions { iterations: 500, ..symbolic() });
        }
    }
}
