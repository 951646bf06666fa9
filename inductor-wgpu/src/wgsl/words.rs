//! The words of WGSL.

use super::ty_name;
use inductor::grid::print::{Buffer, Language, Operand};
use inductor::grid::{Access, Arg, AtomicOp, Binary, Binding, Stage, Ty, Unary, Val, eval};

/// The language, in a module or in a function.
pub(super) struct Wgsl {
    /// The variable that has the launch arguments as fields.
    pub(super) args: &'static str,
    /// The buffer whose element the function is handed.
    pub(super) given: Option<Binding>,
}

impl Language for Wgsl {
    fn define(&self, val: Val, ty: Ty, value: &str) -> String {
        format!("let {val}: {} = {value};", ty_name(ty))
    }

    fn literal(&self, ty: Ty, bits: u64) -> Option<String> {
        literal(ty, bits)
    }

    fn argument(&self, arg: Arg) -> String {
        format!("{}.{arg}", self.args)
    }

    fn unary(&self, op: Unary, x: &Operand) -> String {
        let Operand { text, ty, .. } = x;
        let name = match op {
            Unary::Neg => return format!("-{text}"),
            Unary::Not if *ty == Ty::Bool => return format!("!{text}"),
            Unary::Not => return format!("~{text}"),
            Unary::Abs => "abs",
            Unary::Floor => "floor",
            Unary::Ceil => "ceil",
            Unary::Trunc => "trunc",
            Unary::Round => "round",
            Unary::Sqrt => "sqrt",
        };
        format!("{name}({text})")
    }

    fn binary(&self, op: Binary, x: &Operand, y: &Operand) -> String {
        match op {
            Binary::Xor if x.ty == Ty::Bool => Binary::Ne.plainly(&x.text, &y.text),
            Binary::Shl | Binary::Shr => op.plainly(&x.text, &amount(y)),
            _ => op.plainly(&x.text, &y.text),
        }
    }

    fn select(&self, cond: &str, a: &str, b: &str) -> String {
        format!("select({b}, {a}, {cond})")
    }

    fn call(&self, name: &str, _ty: Ty, args: &str) -> String {
        format!("{name}({args})")
    }

    fn cast(&self, x: &Operand, to: Ty) -> String {
        if x.ty == Ty::Bool {
            let [zero, one] = [0.0, 1.0].map(|x| number(to, x));
            return format!("select({zero}, {one}, {})", x.text);
        }
        format!("{}({})", ty_name(to), x.text)
    }

    fn bits(&self, x: &Operand, to: Ty) -> String {
        format!("bitcast<{}>({})", ty_name(to), x.text)
    }

    fn load(&self, buffer: Buffer, index: &str, _ty: Ty) -> String {
        let Buffer { binding, is_atomic, .. } = buffer;
        match (self.given == Some(binding), is_atomic) {
            (true, _) => "given".to_owned(),
            (false, true) => format!("atomicLoad(&{binding}[{index}])"),
            (false, false) => format!("{binding}[{index}]"),
        }
    }

    fn shuffle(&self, x: &str, bits: u32) -> String {
        format!("subgroupShuffleXor({x}, {bits}u)")
    }

    fn exchange(&self, place: &str, old: &str, new: &str) -> String {
        format!("atomicCompareExchangeWeak(&{place}, {old}, {new}).exchanged")
    }

    fn store(&self, buffer: Buffer, index: &str, value: &str) -> String {
        let Buffer { binding, is_atomic, .. } = buffer;
        if is_atomic {
            format!("atomicStore(&{binding}[{index}], {value});")
        } else {
            format!("{binding}[{index}] = {value};")
        }
    }

    // The language has no way to see an array of numbers as one of vectors.
    fn load_vector(&self, buffer: Buffer, index: &str, lanes: &[Val], ty: Ty) -> Vec<String> {
        let line = |(k, lane): (usize, &Val)| self.define(*lane, ty, &format!("{}[{index} + {k}i]", buffer.binding));
        lanes.iter().enumerate().map(line).collect()
    }

    fn store_vector(&self, buffer: Buffer, index: &str, values: &[String]) -> Vec<String> {
        let line = |(k, value): (usize, &String)| format!("{}[{index} + {k}i] = {value};", buffer.binding);
        values.iter().enumerate().map(line).collect()
    }

    fn atomic(&self, op: AtomicOp, place: &str, value: &str) -> String {
        format!("{}(&{place}, {value});", op.function())
    }

    fn if_(&self, cond: &str) -> String {
        format!("if {cond} {{")
    }

    fn for_(&self, counter: Val, start: &str, end: &str, step: &str) -> String {
        format!("for (var {counter}: i32 = {start}; {counter} < {end}; {counter} += {step}) {{")
    }

    fn while_(&self, cond: &str) -> [String; 2] {
        ["loop {".to_owned(), format!("if !{cond} {{ break; }}")]
    }

    fn barrier(&self, stage: &Stage) -> Vec<String> {
        let writes = stage.bindings.iter().any(|&(_, access)| access != Access::Read);
        let storage = writes.then(|| "storageBarrier();".to_owned());
        storage.into_iter().chain(["workgroupBarrier();".to_owned()]).collect()
    }
}

/// The amount of a shift, which is unsigned.
fn amount(by: &Operand) -> String {
    match (by.bits, by.ty) {
        (Some(bits), _) => format!("{}u", bits as u32),
        (None, Ty::U32) => by.text.clone(),
        (None, _) => format!("u32({})", by.text),
    }
}

/// A number as a literal.
fn number(ty: Ty, x: f64) -> String {
    let bits = if ty.is_float() { eval::float_bits(ty, x) } else { eval::int_bits(ty, x as i64) };
    literal(ty, bits).unwrap_or_default()
}

/// A constant as a literal; NaN and infinities have none. The least integers are no literals, but sums of some.
fn literal(ty: Ty, bits: u64) -> Option<String> {
    Some(match ty {
        Ty::Bool => (bits != 0).to_string(),
        Ty::I32 if bits as i32 == i32::MIN => "(-2147483647i - 1i)".to_owned(),
        Ty::I32 => format!("{}i", bits as i32),
        Ty::U32 => format!("{bits:#x}u"),
        Ty::I64 if bits as i64 == i64::MIN => "(-9223372036854775807li - 1li)".to_owned(),
        Ty::I64 => format!("{}li", bits as i64),
        Ty::F32 => return Some(f32::from_bits(bits as u32)).filter(|x| x.is_finite()).map(|x| format!("{x:?}f")),
        Ty::F64 => return Some(f64::from_bits(bits)).filter(|x| x.is_finite()).map(|x| format!("{x:?}lf")),
    })
}
