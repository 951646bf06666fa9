//! Capabilities of a device with a grid of workgroups: all that the lowering knows of one.

use fx::prim::Pointwise;

/// The kinds of support for `float64` values.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum WideFloats {
    /// The device computes with them and stores them.
    Native,
    /// Intermediate values are `float32`; a kernel with a `float64` buffer is refused.
    AsF32,
}

/// The weight of an item that only the threads of one group share, where another item counts 1.
pub const GROUP_SHARE: u32 = 64;

/// The functions of floats that are not exact: a device has them, or they are spelled out.
pub const FUNCTIONS: &[Pointwise] = &[
    Pointwise::Exp,
    Pointwise::Exp2,
    Pointwise::Expm1,
    Pointwise::Log,
    Pointwise::Log2,
    Pointwise::Log10,
    Pointwise::Log1p,
    Pointwise::Sin,
    Pointwise::Cos,
    Pointwise::Tan,
    Pointwise::Asin,
    Pointwise::Acos,
    Pointwise::Atan,
    Pointwise::Atan2,
    Pointwise::Sinh,
    Pointwise::Cosh,
    Pointwise::Tanh,
    Pointwise::Erf,
    Pointwise::Erfc,
    Pointwise::Pow,
    Pointwise::Fmod,
];

/// The capabilities of a device.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Capabilities {
    /// Threads of a workgroup, at most; a power of two of at least 32.
    pub threads: u32,
    /// Bytes of workgroup memory that a kernel may use.
    pub shared_bytes: u32,
    /// Buffers of one stage, at most.
    pub bindings: u32,
    /// Whether elements of 8 and 16 bits can be loaded and stored; else they are packed into 32-bit words.
    pub narrow_memory: bool,
    /// Whether 64-bit integers can be computed with and stored; else `int64` buffers are narrowed.
    pub wide_ints: bool,
    /// Whether floats of 32 bits can be added to atomically; else their bits are exchanged until nobody interferes.
    pub atomic_floats: bool,
    /// The number of items from which on neighbouring elements should be loaded and stored at once; none where the
    /// device cannot. Items that the threads of a group share count [`GROUP_SHARE`] times as much.
    pub vectors: Option<u32>,
    /// Threads that keep the device busy: of so many each may have more to do, and fewer should share what there is.
    pub busy_threads: u32,
    /// Whether floats are rounded to 16 bits, and widened, by instructions; else by arithmetic on integers.
    pub halves: bool,
    /// The registers of a group, of 32 bits, in which its threads may keep the elements of a row; 0 where arrays of a
    /// thread are no registers.
    pub row_registers: u32,
    /// Whether groups have squares of two loops where memory is contiguous along one or the other.
    pub tiles: bool,
    /// Whether a reduction of few columns is done in pieces, for want of threads.
    pub columns: bool,
    /// Threads of a subgroup, where they can exchange values and are always as many: a power of two.
    pub subgroup: Option<u32>,
    /// Whether they exchange values of 64 bits, too.
    pub wide_exchanges: bool,
    /// The support for `float64`.
    pub wide_floats: WideFloats,
    /// Whether comparisons of floats are false for NaN. Compilers of WGSL may assume that there is none; NaN is told by
    /// its bits, then.
    pub sees_nan: bool,
    /// The most threads of a workgroup that has a long row to itself; a power of two, at least
    /// [`Capabilities::threads`].
    pub row_threads: u32,
    /// The functions of floats that the device computes well, NaN and infinities included; others are spelled out.
    pub functions: Vec<Pointwise>,
}

impl Capabilities {
    /// The least that WebGPU promises, with 64-bit integers where `wide_ints`.
    pub fn web(wide_ints: bool) -> Capabilities {
        Capabilities {
            threads: 256,
            shared_bytes: 16 << 10,
            bindings: 8,
            narrow_memory: false,
            wide_ints,
            atomic_floats: false,
            vectors: None,
            busy_threads: 1 << 17,
            halves: false,
            row_registers: 0,
            tiles: false,
            columns: false,
            subgroup: None,
            wide_exchanges: false,
            wide_floats: WideFloats::AsF32,
            sees_nan: false,
            row_threads: 256,
            functions: Vec::new(),
        }
    }

    /// A device that has C's types and its mathematical library.
    pub fn full() -> Capabilities {
        Capabilities {
            threads: 256,
            shared_bytes: 48 << 10,
            bindings: 128,
            narrow_memory: true,
            wide_ints: true,
            atomic_floats: true,
            vectors: Some(1 << 16),
            busy_threads: 1 << 17,
            halves: true,
            row_registers: 1 << 15,
            tiles: true,
            columns: true,
            subgroup: Some(32),
            wide_exchanges: true,
            wide_floats: WideFloats::Native,
            sees_nan: true,
            row_threads: 1024,
            functions: FUNCTIONS.to_vec(),
        }
    }
}
