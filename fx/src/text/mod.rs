//! The text form of graphs: complete, one line a node; what is printed parses back to the same graph.
//!
//! ```text
//! graph {
//!   %x : f32[2, s0]{s0, 1} = placeholder[x]
//!   %add : f32[2, s0]{s0, 1} = call_function[aten.add.Tensor](%x, 1.5, alpha=2)
//!   %output = output((%add, None))
//! }
//! ```
//!
//! The grammar; spaces separate tokens, a node ends with its line, `#` starts a comment that runs to the end of a line:
//!
//! ```text
//! graph  := "graph" "{" node* "}"
//! node   := "%" name [":" meta] "=" kind ["[" target "]"] ["(" args ")"] ["as" string] ["from" string] ["of" graph]
//! kind   := "placeholder" | "get_attr" | "call_function" | "call_method" | "call_module" | "output"
//! target := what has only letters, digits and "_.*:<>-" | string
//! args   := [item {"," item}] [","]          positional items before keyword items
//! item   := arg | name "=" arg | string "=" arg
//! arg    := "%" name | "None" | "True" | "False" | int | float | string | "..."
//!         | "torch." dtype | "[" args "]" | "(" args ")" | "{" {arg ":" arg ","} "}"
//!         | "slice" "(" arg "," arg "," arg ")" | "complex" "(" float "," float ")"
//!         | "sym" "(" expr ")" | "device" "(" string ")" | "layout" "(" string ")"
//!         | "memory_format" "(" string ")" | "opaque" "(" int "," string ")"
//! meta   := dtype "[" exprs "]" "{" exprs "}" ["+" "(" expr ")"] ["@" string] ["grad"]
//!         | "int" "(" expr ")" | "plain" "(" arg ")" | "(" {(meta | "_") ","} ")"
//! ```
//!
//! A tensor's metadata has sizes, strides, the offset where it is not 0, the device where it is not the CPU, and
//! `grad` where autograd follows it. One item in round brackets is a tuple of one, with or without a comma. A `float`
//! has a point, an exponent, or is `inf` or `nan`. Expressions are those of [`symshapes::Pool`]. `as` gives the type
//! that the user states, `from` the stack trace, `of` the subgraph that a `get_attr` fetches. A missing target is
//! `output`, or the node's name. Strings are in double quotes, with Rust's escapes. The ranges of symbols are no part
//! of the text: those that are read may have any value.

mod cursor;
mod parse;
mod parser;
mod print;
mod value;

pub use cursor::ParseError;
pub use parse::parse;
pub use print::print;

use symshapes::DType;

/// Short names of dtypes in metadata.
const DTYPES: &[(DType, &str)] = &[
    (DType::Bool, "b8"),
    (DType::U8, "u8"),
    (DType::I8, "i8"),
    (DType::I16, "i16"),
    (DType::I32, "i32"),
    (DType::I64, "i64"),
    (DType::F16, "f16"),
    (DType::BF16, "bf16"),
    (DType::F32, "f32"),
    (DType::F64, "f64"),
    (DType::C64, "c64"),
    (DType::C128, "c128"),
];

fn short_name(dtype: DType) -> &'static str {
    DTYPES.iter().find(|(d, _)| *d == dtype).map_or(dtype.name(), |(_, name)| name)
}

fn by_short_name(name: &str) -> Option<DType> {
    DTYPES.iter().find(|(_, n)| *n == name).map(|(d, _)| *d).or_else(|| name.parse().ok())
}

fn is_bare_target(c: char) -> bool {
    c.is_ascii_alphanumeric() || "_.*:<>-".contains(c)
}
