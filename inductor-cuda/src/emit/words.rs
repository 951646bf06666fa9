//! The words of CUDA C++.

use super::{FIELDS, mem_name, ty_name, vector_name};
use inductor::grid::print::{Buffer, Language, Operand};
use inductor::grid::{Arg, AtomicOp, Binary, Mem, Stage, Ty, Unary, Val};

/// The language.
pub(super) struct Cuda;

impl Language for Cuda {
    fn define(&self, val: Val, ty: Ty, value: &str) -> String {
        format!("const {} {val} = {value};", ty_name(ty))
    }

    fn literal(&self, ty: Ty, bits: u64) -> Option<String> {
        Some(literal(ty, bits))
    }

    fn argument(&self, arg: Arg) -> String {
        arg.to_string()
    }

    fn unary(&self, op: Unary, x: &Operand) -> String {
        let (text, ty) = (&x.text, x.ty);
        let name = match op {
            Unary::Neg if ty.is_float() => return format!("-{text}"),
            Unary::Neg => return wrapping(ty, "0", "-", text),
            Unary::Not if ty == Ty::Bool => return format!("!{text}"),
            Unary::Not => return format!("~{text}"),
            Unary::Abs => "fabs",
            Unary::Floor => "floor",
            Unary::Ceil => "ceil",
            Unary::Trunc => "trunc",
            Unary::Round => "rint",
            Unary::Sqrt => "sqrt",
        };
        self.call(name, ty, text)
    }

    fn binary(&self, op: Binary, x: &Operand, y: &Operand) -> String {
        let overflows = matches!(op, Binary::Add | Binary::Sub | Binary::Mul | Binary::Shl);
        if overflows && matches!(x.ty, Ty::I32 | Ty::I64) {
            wrapping(x.ty, &x.text, op.sign(), &y.text)
        } else {
            op.plainly(&x.text, &y.text)
        }
    }

    fn select(&self, cond: &str, a: &str, b: &str) -> String {
        format!("{cond} ? {a} : {b}")
    }

    fn call(&self, name: &str, ty: Ty, args: &str) -> String {
        // Functions on floats of 32 bits have names of their own.
        let suffix = if ty == Ty::F32 { "f" } else { "" };
        format!("{name}{suffix}({args})")
    }

    fn cast(&self, x: &Operand, to: Ty) -> String {
        // C++ gives no meaning to floats that no integer is near to. These functions do: that of the instruction.
        let name = match (x.ty, to) {
            (Ty::F32, Ty::I32) => "__float2int_rz",
            (Ty::F32, Ty::U32) => "__float2uint_rz",
            (Ty::F32, Ty::I64) => "__float2ll_rz",
            (Ty::F64, Ty::I32) => "__double2int_rz",
            (Ty::F64, Ty::U32) => "__double2uint_rz",
            (Ty::F64, Ty::I64) => "__double2ll_rz",
            _ => return format!("({}){}", ty_name(to), x.text),
        };
        format!("{name}({})", x.text)
    }

    fn bits(&self, x: &Operand, to: Ty) -> String {
        let name = match (x.ty, to) {
            (Ty::F32, Ty::I32) => "__float_as_int",
            (Ty::F32, _) => "__float_as_uint",
            (Ty::F64, _) => "__double_as_longlong",
            (Ty::I32, Ty::F32) => "__int_as_float",
            (_, Ty::F32) => "__uint_as_float",
            (_, Ty::F64) => "__longlong_as_double",
            _ => return self.cast(x, to),
        };
        format!("{name}({})", x.text)
    }

    fn load(&self, buffer: Buffer, index: &str, ty: Ty) -> String {
        let Buffer { binding, is_atomic, .. } = buffer;
        if is_atomic {
            format!("((volatile {}*){binding})[{index}]", ty_name(ty))
        } else {
            format!("{binding}[{index}]")
        }
    }

    fn shuffle(&self, x: &str, bits: u32) -> String {
        format!("__shfl_xor_sync(0xffffffffu, {x}, {bits})")
    }

    fn exchange(&self, place: &str, old: &str, new: &str) -> String {
        format!("atomicCAS(&{place}, {old}, {new}) == {old}")
    }

    fn store(&self, buffer: Buffer, index: &str, value: &str) -> String {
        format!("{}[{index}] = ({}){value};", buffer.binding, mem_name(buffer.mem))
    }

    fn load_vector(&self, buffer: Buffer, index: &str, lanes: &[Val], ty: Ty) -> Vec<String> {
        if lanes.len() > FIELDS.len() {
            return self.load_words(buffer, index, lanes, ty);
        }
        let vector = vector_name(buffer.mem);
        let whole = format!("{}_all", lanes[0]);
        let load = format!("const {vector} {whole} = *(const {vector}*)&{}[{index}];", buffer.binding);
        let fields = lanes.iter().zip(FIELDS).map(|(lane, field)| self.define(*lane, ty, &format!("{whole}.{field}")));
        std::iter::once(load).chain(fields).collect()
    }

    fn store_vector(&self, buffer: Buffer, index: &str, values: &[String]) -> Vec<String> {
        if values.len() > FIELDS.len() {
            return store_words(buffer, index, values);
        }
        let (vector, ty) = (vector_name(buffer.mem), mem_name(buffer.mem));
        let values: Vec<String> = values.iter().map(|value| format!("({ty}){value}")).collect();
        let values = values.join(", ");
        vec![format!("*({vector}*)&{}[{index}] = make_{vector}({values});", buffer.binding)]
    }

    fn atomic(&self, op: AtomicOp, place: &str, value: &str) -> String {
        format!("{}(&{place}, {value});", op.function())
    }

    fn if_(&self, cond: &str) -> String {
        format!("if ({cond}) {{")
    }

    fn for_(&self, counter: Val, start: &str, end: &str, step: &str) -> String {
        format!("for (int {counter} = {start}; {counter} < {end}; {counter} += {step}) {{")
    }

    fn unroll(&self, copies: u32) -> Option<String> {
        Some(format!("#pragma unroll {copies}"))
    }

    fn while_(&self, cond: &str) -> [String; 2] {
        ["for (;;) {".to_owned(), format!("if (!{cond}) break;")]
    }

    fn barrier(&self, _stage: &Stage) -> Vec<String> {
        vec!["__syncthreads();".to_owned()]
    }
}

impl Cuda {
    /// Reads elements of less than a word, more than a vector has fields: several from each word.
    fn load_words(&self, Buffer { binding, mem, .. }: Buffer, index: &str, lanes: &[Val], ty: Ty) -> Vec<String> {
        let (vector, per_word) = words_of(mem, lanes.len());
        let whole = format!("{}_all", lanes[0]);
        let load = format!("const {vector} {whole} = *(const {vector}*)&{binding}[{index}];");
        let bits = 8 * mem.bytes();
        let element = |(at, &lane): (usize, &Val)| {
            let word = format!("{whole}.{}", FIELDS[at / per_word]);
            let first = bits * (at % per_word) as u32;
            let value = match mem {
                Mem::I8 | Mem::I16 => format!("(int)({word} << {}) >> {}", 32 - bits - first, 32 - bits),
                _ => format!("{word} >> {first} & {:#x}u", (1u32 << bits) - 1),
            };
            let value = if ty == Ty::I32 && mem == Mem::U8 { format!("(int)({value})") } else { value };
            self.define(lane, ty, &value)
        };
        std::iter::once(load).chain(lanes.iter().enumerate().map(element)).collect()
    }
}

/// Writes elements of less than a word, more than a vector has fields: several to each word.
fn store_words(Buffer { binding, mem, .. }: Buffer, index: &str, values: &[String]) -> Vec<String> {
    let (vector, per_word) = words_of(mem, values.len());
    let bits = 8 * mem.bytes();
    let mask = (1u32 << bits) - 1;
    let word = |values: &[String]| {
        let part = |(at, value): (usize, &String)| format!("((unsigned){value} & {mask:#x}u) << {}", bits * at as u32);
        values.iter().enumerate().map(part).collect::<Vec<String>>().join(" | ")
    };
    let words: Vec<String> = values.chunks(per_word).map(word).collect();
    vec![format!("*({vector}*)&{binding}[{index}] = make_{vector}({});", words.join(", "))]
}

/// The vector of words that holds so many elements, and the elements of a word.
fn words_of(mem: Mem, elements: usize) -> (&'static str, usize) {
    let per_word = 4 / mem.bytes() as usize;
    (if elements > 2 * per_word { "uint4" } else { "uint2" }, per_word)
}

/// Signed arithmetic by way of unsigned, which wraps.
fn wrapping(ty: Ty, x: &str, sign: &str, y: &str) -> String {
    let unsigned = if ty == Ty::I64 { "unsigned long long" } else { "unsigned" };
    format!("({})(({unsigned}){x} {sign} ({unsigned}){y})", ty_name(ty))
}

/// A constant as an expression. NaN, infinities and the least integers are no literals.
fn literal(ty: Ty, bits: u64) -> String {
    match ty {
        Ty::Bool => (bits != 0).to_string(),
        Ty::I32 if bits as i32 == i32::MIN => "(-2147483647 - 1)".to_owned(),
        Ty::I32 => (bits as i32).to_string(),
        Ty::U32 => format!("{bits:#x}u"),
        Ty::I64 if bits as i64 == i64::MIN => "(-9223372036854775807LL - 1)".to_owned(),
        Ty::I64 => format!("{}LL", bits as i64),
        Ty::F32 if f32::from_bits(bits as u32).is_finite() => format!("{:?}f", f32::from_bits(bits as u32)),
        Ty::F32 => format!("__uint_as_float({bits:#x}u)"),
        Ty::F64 if f64::from_bits(bits).is_finite() => format!("{:?}", f64::from_bits(bits)),
        Ty::F64 => format!("__longlong_as_double({bits:#x}LL)"),
    }
}
