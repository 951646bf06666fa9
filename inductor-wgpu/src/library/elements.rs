//! How a shader gets at the elements of a tensor: by functions `NAME_get` and `NAME_put` of an element's number.
//!
//! Computed is with `float32` and integers; a half float is a part of a word of its buffer, read and rounded on the way as
//! the grid's kernels do it (`inductor::grid::lower`), so that no adapter needs to know of it. Its two neighbours in a word
//! may be written by two threads, which is why words are then atomic. A buffer that is too long to be bound is bound in
//! windows, among which the functions choose.

use std::fmt::Write;

use inductor::device::Refusal;
use symshapes::DType;

use crate::Gpu;

/// What a tensor is made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Element {
    /// A type of WGSL, with its bytes.
    Plain(&'static str, u64),
    /// Half a word, converted by the functions `NAME_value` and `NAME_bits`.
    Half(&'static str),
}

impl Element {
    /// The elements of a dtype.
    ///
    /// # Errors
    /// One that library kernels do not compute with.
    pub(super) fn of(gpu: &Gpu, dtype: DType) -> Result<Element, Refusal> {
        Ok(match dtype {
            DType::F32 => Element::Plain("f32", 4),
            DType::F16 => Element::Half("f16"),
            DType::BF16 => Element::Half("bf16"),
            DType::I64 if gpu.has_wide_ints() => Element::Plain("i64", 8),
            DType::I64 => Element::Plain("i32", 4),
            other => return Refusal::because(format!("a library kernel on elements of {other}")),
        })
    }

    /// Bytes of an element.
    pub(super) fn bytes(self) -> u64 {
        match self {
            Element::Plain(_, bytes) => bytes,
            Element::Half(_) => 2,
        }
    }

    /// The type that it is computed with.
    fn value(self) -> &'static str {
        match self {
            Element::Plain(name, _) => name,
            Element::Half(_) => "f32",
        }
    }

    /// The type of the array that holds it.
    pub(super) fn memory(self, is_written: bool) -> &'static str {
        match self {
            Element::Plain(name, _) => name,
            Element::Half(_) if is_written => "atomic<u32>",
            Element::Half(_) => "u32",
        }
    }

    /// The functions that it is converted by.
    pub(super) fn conversions(self) -> &'static str {
        match self {
            Element::Plain(..) => "",
            Element::Half("f16") => F16,
            Element::Half(_) => BF16,
        }
    }

    /// A value as a word that has the element's bits in every place: what a kernel that is computed on it is handed.
    pub(super) fn as_loaded(self, value: &str) -> String {
        match self {
            Element::Plain(..) => value.to_owned(),
            Element::Half(name) => format!("{name}_bits({value}) * 0x10001u"),
        }
    }

    /// `NAME_get`, of a tensor in windows of so many elements.
    pub(super) fn getter(self, name: &str, is_written: bool, windows: &Windows) -> String {
        let read = |array: &str, place: &str| match self {
            Element::Plain(..) => format!("return {array}[{place}];"),
            Element::Half(half) => {
                let word = format!("{array}[({place}) >> 1u]");
                let word = if is_written { format!("atomicLoad(&{word})") } else { word };
                format!("return {half}_value({word} >> ((({place}) & 1u) << 4u));")
            }
        };
        format!("fn {name}_get(at: u32) -> {} {{\n{}}}\n", self.value(), windows.choose(name, read))
    }

    /// `NAME_put`.
    pub(super) fn setter(self, name: &str, windows: &Windows) -> String {
        let write = |array: &str, place: &str| match self {
            Element::Plain(..) => format!("{array}[{place}] = value; return;"),
            Element::Half(half) => format!(
                "let bits = {half}_bits(value); let shift = (({place}) & 1u) << 4u; \
                 atomicAnd(&{array}[({place}) >> 1u], ~(0xffffu << shift)); \
                 atomicOr(&{array}[({place}) >> 1u], bits << shift); return;"
            ),
        };
        format!("fn {name}_put(at: u32, value: {}) {{\n{}}}\n", self.value(), windows.choose(name, write))
    }
}

/// The windows that a tensor's buffer is bound in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Windows {
    /// How many.
    pub(super) count: u64,
    /// The elements of each but the last.
    pub(super) each: u64,
}

impl Windows {
    /// The whole buffer.
    pub(super) const WHOLE: Windows = Windows { count: 1, each: 0 };

    /// The name of a window's array.
    pub(super) fn array(&self, name: &str, number: u64) -> String {
        if number == 0 { name.to_owned() } else { format!("{name}_{number}") }
    }

    /// The statement for element `at`, in the window where it lies.
    fn choose(&self, name: &str, statement: impl Fn(&str, &str) -> String) -> String {
        let mut text = String::new();
        for number in 0..self.count {
            let (array, start, end) = (self.array(name, number), number * self.each, (number + 1) * self.each);
            let place = if number == 0 { "at".to_owned() } else { format!("at - {start}u") };
            let done = statement(&array, &place);
            // Writing to a string does not fail.
            let _ = if number + 1 == self.count {
                writeln!(text, "    {}", done.strip_suffix(" return;").unwrap_or(&done))
            } else {
                writeln!(text, "    if (at < {end}u) {{ {done} }}")
            };
        }
        text
    }
}

/// As the grid converts them; denormals count their smallest unit.
const F16: &str = "fn f16_value(word: u32) -> f32 {
    let magnitude = word & 0x7fffu;
    var bits = (magnitude << 13u) + 0x38000000u;
    if (magnitude >= 0x7c00u) { bits += 0x38000000u; }
    if (magnitude < 0x0400u) { bits = bitcast<u32>(f32(magnitude) * 5.9604645e-8); }
    return bitcast<f32>(bits | ((word & 0x8000u) << 16u));
}
fn f16_bits(x: f32) -> u32 {
    let bits = bitcast<u32>(x);
    let magnitude = bits & 0x7fffffffu;
    var half = ((magnitude + 0x0fffu + ((magnitude >> 13u) & 1u)) >> 13u) - 0x1c000u;
    if (magnitude < 0x38800000u) { half = bitcast<u32>(abs(x) + 0.5) - 0x3f000000u; }
    if (magnitude >= 0x477ff000u) { half = 0x7c00u; }
    if (magnitude > 0x7f800000u) { half = 0x7e00u; }
    return half | ((bits >> 16u) & 0x8000u);
}
";

/// The high half of a `float32`; rounded to nearest, ties to even, NaN to NaN.
const BF16: &str = "fn bf16_value(word: u32) -> f32 { return bitcast<f32>(word << 16u); }
fn bf16_bits(x: f32) -> u32 {
    let bits = bitcast<u32>(x);
    if ((bits & 0x7fffffffu) > 0x7f800000u) { return 0x7fc0u; }
    return (bits + 0x7fffu + ((bits >> 16u) & 1u)) >> 16u;
}
";
