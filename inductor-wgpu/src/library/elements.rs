//! Access of a shader to the elements of a tensor: functions `NAME_get` and `NAME_put` of an element's number.
//!
//! Arithmetic is in `float32` and integers of 32 or 64 bits; a narrower element is a [part](Part) of a word of its
//! buffer, converted on the way as the grid's kernels do it (`inductor::grid::lower`), so that no adapter needs to know
//! of it. The neighbours in a word may be written by several threads, which is why words are then atomic. A buffer that
//! is too long to be bound is bound in windows, among which the functions choose.

use std::fmt::Write;

use inductor::device::Refusal;
use symshapes::DType;

use crate::Gpu;

/// The kinds of elements of a tensor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Element {
    /// A type of WGSL, with its bytes.
    Plain(&'static str, u64),
    /// A part of a word.
    Part(&'static Part),
}

/// An element that is narrower than a word.
#[derive(PartialEq, Eq, Debug)]
pub(super) struct Part {
    name: &'static str,
    bytes: u64,
    /// The type that it is computed with.
    value: &'static str,
    /// Functions `NAME_value` of a word that begins with the element, and `NAME_bits` of a value.
    conversions: &'static str,
}

static F16: Part = Part { name: "f16", bytes: 2, value: "f32", conversions: OF_F16 };
static BF16: Part = Part { name: "bf16", bytes: 2, value: "f32", conversions: OF_BF16 };
static I16: Part = Part { name: "i16", bytes: 2, value: "i32", conversions: OF_I16 };
static I8: Part = Part { name: "i8", bytes: 1, value: "i32", conversions: OF_I8 };
static U8: Part = Part { name: "u8", bytes: 1, value: "i32", conversions: OF_U8 };
static BOOL: Part = Part { name: "bool8", bytes: 1, value: "i32", conversions: OF_BOOL };

impl Part {
    /// The word of element `place`, and how far in it the element begins.
    fn at(&self, place: &str) -> (String, String) {
        let each = 4 / self.bytes;
        let shift = format!("(({place}) & {}u) << {}u", each - 1, (8 * self.bytes).ilog2());
        (format!("({place}) >> {}u", each.ilog2()), shift)
    }

    fn mask(&self) -> u32 {
        u32::MAX >> (32 - 8 * self.bytes)
    }
}

impl Element {
    /// The elements of a dtype.
    ///
    /// # Errors
    /// One that library kernels do not compute with.
    pub(super) fn of(gpu: &Gpu, dtype: DType) -> Result<Element, Refusal> {
        Ok(match dtype {
            DType::F32 => Element::Plain("f32", 4),
            DType::F16 => Element::Part(&F16),
            DType::BF16 => Element::Part(&BF16),
            DType::I64 if gpu.has_wide_ints() => Element::Plain("i64", 8),
            DType::I64 | DType::I32 => Element::Plain("i32", 4),
            DType::I16 => Element::Part(&I16),
            DType::I8 => Element::Part(&I8),
            DType::U8 => Element::Part(&U8),
            DType::Bool => Element::Part(&BOOL),
            other => return Refusal::because(format!("a library kernel on elements of {other}")),
        })
    }

    /// Bytes of an element.
    pub(super) fn bytes(self) -> u64 {
        match self {
            Element::Plain(_, bytes) => bytes,
            Element::Part(part) => part.bytes,
        }
    }

    /// The type that it is computed with.
    pub(super) fn value(self) -> &'static str {
        match self {
            Element::Plain(name, _) => name,
            Element::Part(part) => part.value,
        }
    }

    /// The type of the array that holds it.
    pub(super) fn memory(self, is_written: bool) -> &'static str {
        match self {
            Element::Plain(name, _) => name,
            Element::Part(_) if is_written => "atomic<u32>",
            Element::Part(_) => "u32",
        }
    }

    /// The functions that it is converted by.
    pub(super) fn conversions(self) -> &'static str {
        match self {
            Element::Plain(..) => "",
            Element::Part(part) => part.conversions,
        }
    }

    /// A value as a word that has the element's bits in every place: what a kernel that is computed on it is handed.
    pub(super) fn as_loaded(self, value: &str) -> String {
        match self {
            Element::Plain(..) => value.to_owned(),
            Element::Part(part) => format!("{}_bits({value}) * {:#x}u", part.name, u32::MAX / part.mask()),
        }
    }

    /// `NAME_get`, of a tensor in windows of so many elements.
    pub(super) fn getter(self, name: &str, is_written: bool, windows: &Windows) -> String {
        let read = |array: &str, place: &str| match self {
            Element::Plain(..) => format!("return {array}[{place}];"),
            Element::Part(part) => {
                let (at, shift) = part.at(place);
                let word = format!("{array}[{at}]");
                let word = if is_written { format!("atomicLoad(&{word})") } else { word };
                format!("return {}_value({word} >> ({shift}));", part.name)
            }
        };
        format!("fn {name}_get(at: u32) -> {} {{\n{}}}\n", self.value(), windows.choose(name, read))
    }

    /// `NAME_put`.
    pub(super) fn setter(self, name: &str, windows: &Windows) -> String {
        let write = |array: &str, place: &str| match self {
            Element::Plain(..) => format!("{array}[{place}] = value; return;"),
            Element::Part(part) => {
                let ((at, shift), part_name, mask) = (part.at(place), part.name, part.mask());
                format!(
                    "let bits = {part_name}_bits(value); let shift = {shift}; \
                     atomicAnd(&{array}[{at}], ~({mask:#x}u << shift)); atomicOr(&{array}[{at}], bits << shift); return;"
                )
            }
        };
        format!("fn {name}_put(at: u32, value: {}) {{\n{}}}\n", self.value(), windows.choose(name, write))
    }
}

/// The windows that a tensor's buffer is bound in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Windows {
    /// The number of windows.
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
const OF_F16: &str = "fn f16_value(word: u32) -> f32 {
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
const OF_BF16: &str = "fn bf16_value(word: u32) -> f32 { return bitcast<f32>(word << 16u); }
fn bf16_bits(x: f32) -> u32 {
    let bits = bitcast<u32>(x);
    if ((bits & 0x7fffffffu) > 0x7f800000u) { return 0x7fc0u; }
    return (bits + 0x7fffu + ((bits >> 16u) & 1u)) >> 16u;
}
";

const OF_I16: &str = "fn i16_value(word: u32) -> i32 { return extractBits(bitcast<i32>(word), 0u, 16u); }
fn i16_bits(x: i32) -> u32 { return bitcast<u32>(x) & 0xffffu; }
";

const OF_I8: &str = "fn i8_value(word: u32) -> i32 { return extractBits(bitcast<i32>(word), 0u, 8u); }
fn i8_bits(x: i32) -> u32 { return bitcast<u32>(x) & 0xffu; }
";

const OF_U8: &str = "fn u8_value(word: u32) -> i32 { return bitcast<i32>(word & 0xffu); }
fn u8_bits(x: i32) -> u32 { return bitcast<u32>(x) & 0xffu; }
";

/// 0 or 1; what is not 0 is true.
const OF_BOOL: &str = "fn bool8_value(word: u32) -> i32 { return select(0, 1, (word & 0xffu) != 0u); }
fn bool8_bits(x: i32) -> u32 { return select(0u, 1u, x != 0); }
";
