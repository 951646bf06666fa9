//! The text form of a kernel: printed by `Display`, read by `FromStr`.
//!
//! ```text
//! kernel centre(%0: f32[4096] in, %1: f32[4096] out) {
//!   parallel i0 in 0..4 {
//!     for i1 in 0..1024 vector reduce(a0: sum f32) {
//!       v0: f32 = load %0[1024*i0 + i1]
//!       a0 <- v0
//!     }
//!     v1: f32 = reduced a0
//!     v2: f32 = const 0.0009765625
//!     v3: f32 = mul v1, v2
//!     for i2 in 0..1024 vector {
//!       v4: f32 = load %0[1024*i0 + i2]
//!       v5: f32 = sub v4, v3
//!       store %1[1024*i0 + i2] = v5
//!     }
//!   }
//! }
//! ```
//!
//! One statement a line; `#` starts a comment. What can stand there:
//!
//! | line | meaning |
//! |---|---|
//! | `for i1 in 0..8 vector reduce(a0: max f32) {` … `}` | a loop; `vector` and `reduce(…)` only where they apply |
//! | `v0: f32 = const 1.5` | a constant |
//! | `v0: i64 = index 8*i0 + i1` | an index expression as a value |
//! | `v1: i64 = bind v0 as j0 in 0..=99` | from here on index expressions may use `j0`, which lies in that range |
//! | `v0: f32 = load %0[8*i0 + j0] if v1` | an element, or 0 where the mask is false |
//! | `v2: f32 = add v0, v1` | a primitive, by its name in [`fx::prim`] |
//! | `v2: f32 = convert v0`, `v2: i32 = bitcast v0` | conversion of the value, of the bits |
//! | `v2: f32 = reduced a0` | an accumulator's final value |
//! | `store %1[i0] = v2 if v1`, `store %1[i0] += v2` | write an element, add to one |
//! | `a0 <- v0`, `a0 <- v0 at i1` | accumulate an element; `argmax` and `argmin` take its position |
//!
//! A kernel of symbolic sizes lists them after its name, with what is promised of their values: `softmax<s0: 2..,
//! s1: 1..=512>(%0: f32[s0*s1] in, …)`. Lengths and extents are expressions of them, and so is the end of a bound
//! symbol's range: `bind v1 as j0 in 0..s1`.
//!
//! Index expressions print as [`symshapes::Pool::display`] has them. A loop variable prints as its axis whatever its
//! symbol is called, and bound symbols are numbered in the order of their `bind`s: the text does not depend on names.
//!
//! Laws: `print(parse(text)) == text` for printed text; `parse(print(kernel)) == kernel`. Numbers of values, axes and
//! accumulators are kept, so that an error about `v7` is about the line that says `v7`.
//!
//! # Identity
//! Two kernels are equal if they do the same steps on the same buffers: the kernel's name, the numbering of values,
//! axes and accumulators, and the names of symbols and sizes do not count. [`Kernel::fingerprint`] hashes just that, so
//! equal layers of a model are compiled once.

mod parse;
mod print;

use super::Kernel;
use print::{Numbering, Printer};
use std::{
    fmt, fs, io,
    path::{Path, PathBuf},
    str::FromStr,
};
use symshapes::{DType, Range};

/// The reason why a text is no kernel.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{line}:{column}: {reason}")]
pub struct TextError {
    /// The line, from 1.
    pub line: usize,
    /// The column in bytes, from 1.
    pub column: usize,
    /// The kind of error.
    pub reason: Reason,
}

/// The kinds of errors in a text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Reason {
    /// Something else should stand here.
    #[error("expected {0}")]
    Expected(&'static str),
    /// A word that is no operation.
    #[error("unknown operation `{0}`")]
    Operation(String),
    /// A word that is no element type.
    #[error("unknown element type `{0}`")]
    DType(String),
    /// An entity used before the line that defines it.
    #[error("`{0}` is not defined")]
    Undefined(String),
    /// An entity defined twice.
    #[error("`{0}` is defined twice")]
    Twice(String),
    /// An entity's number that is larger than the text could need.
    #[error("the number of `{0}` is out of proportion")]
    Number(String),
    /// A range of no values.
    #[error("no integer lies in {0}")]
    Empty(Range),
    /// An index expression that does not parse.
    #[error("{0}")]
    Index(#[from] symshapes::ParseError),
    /// The text ends inside a kernel.
    #[error("the text ends here, within the kernel")]
    Unfinished,
    /// Text after the kernel.
    #[error("text after the kernel")]
    Trailing,
}

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Printer::new(self, Numbering::Kept, f).kernel()
    }
}

impl FromStr for Kernel {
    type Err = TextError;

    fn from_str(text: &str) -> Result<Kernel, TextError> {
        parse::kernel(text)
    }
}

impl Kernel {
    /// Kernels of the `.loop` files in a folder, by the files' names without extension, in order.
    ///
    /// # Errors
    /// The folder or a file cannot be read, or is no kernel.
    pub fn read_folder(folder: &Path) -> io::Result<Vec<(String, Kernel)>> {
        let mut paths = fs::read_dir(folder)?.map(|file| Ok(file?.path())).collect::<io::Result<Vec<_>>>()?;
        paths.retain(|path| path.extension().is_some_and(|extension| extension == "loop"));
        paths.sort();
        let read = |path: PathBuf| {
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let kernel = fs::read_to_string(path)?.parse();
            let because = |error: TextError| io::Error::new(io::ErrorKind::InvalidData, format!("{name}: {error}"));
            Ok((name.clone(), kernel.map_err(because)?))
        };
        paths.into_iter().map(read).collect()
    }

    /// A 128-bit hash of what the kernel does: equal kernels have equal fingerprints, others differ but by an
    /// accident of probability 2⁻¹²⁸ (no defence against an adversary). See the [module](self) for what counts.
    pub fn fingerprint(&self) -> u128 {
        let mut hash = Fnv::default();
        let printed = Printer::new(self, Numbering::Canonical, &mut hash).kernel();
        debug_assert!(printed.is_ok(), "hashing does not fail");
        hash.0
    }

    /// The text with everything that does not count replaced by a number in order of appearance: equal kernels have
    /// equal texts.
    pub fn canonical_text(&self) -> String {
        let mut text = String::new();
        let printed = Printer::new(self, Numbering::Canonical, &mut text).kernel();
        debug_assert!(printed.is_ok(), "writing to a string does not fail");
        text
    }
}

impl PartialEq for Kernel {
    fn eq(&self, other: &Kernel) -> bool {
        self.canonical_text() == other.canonical_text()
    }
}

impl Eq for Kernel {}

/// The FNV-1a hash in 128 bits of the text written to it.
struct Fnv(u128);

impl Default for Fnv {
    fn default() -> Fnv {
        Fnv(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d)
    }
}

impl fmt::Write for Fnv {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        const PRIME: u128 = (1 << 88) + 0x13b;
        self.0 = text.bytes().fold(self.0, |hash, byte| (hash ^ u128::from(byte)).wrapping_mul(PRIME));
        Ok(())
    }
}

/// The name of an element type in kernels.
pub fn dtype_name(dtype: DType) -> &'static str {
    match dtype {
        DType::Bool => "bool",
        DType::U8 => "u8",
        DType::I8 => "i8",
        DType::I16 => "i16",
        DType::I32 => "i32",
        DType::I64 => "i64",
        DType::F16 => "f16",
        DType::BF16 => "bf16",
        DType::F32 => "f32",
        DType::F64 => "f64",
        DType::C64 => "c64",
        DType::C128 => "c128",
    }
}
