//! Values as C++ expressions.

use super::{Printer, ty_name};
use inductor::grid::{Access, Binary, Op, Ty, Unary, Val};

impl Printer<'_> {
    /// A use of a value.
    pub(super) fn val(&self, val: Val) -> String {
        let data = &self.stage.vals[val];
        match &data.op {
            Op::Const(bits) => literal(data.ty, *bits),
            Op::Arg(arg) => arg.to_string(),
            Op::Thread => "thread".to_owned(),
            Op::Group => "group".to_owned(),
            _ => val.to_string(),
        }
    }

    /// The computation of a value.
    pub(super) fn op(&self, val: Val) -> String {
        let data = &self.stage.vals[val];
        let v = |val: &Val| self.val(*val);
        let suffix = suffix(data.ty);
        match &data.op {
            Op::Const(_) | Op::Arg(_) | Op::Thread | Op::Group | Op::Counter | Op::Lane => self.val(val),
            Op::Unary(op, a) => self.unary(*op, *a),
            Op::Binary(op, a, b) => self.binary(*op, *a, *b),
            Op::Select(cond, a, b) => format!("{} ? {} : {}", v(cond), v(a), v(b)),
            Op::Fma(a, b, c) => format!("fma{suffix}({}, {}, {})", v(a), v(b), v(c)),
            Op::Call(op, args) => format!("{op}{suffix}({})", args.iter().map(v).collect::<Vec<_>>().join(", ")),
            Op::Cast(a) => format!("({}){}", ty_name(data.ty), v(a)),
            Op::Bits(a) => match (self.stage.vals[*a].ty, data.ty) {
                (Ty::F32, Ty::I32) => format!("__float_as_int({})", v(a)),
                (Ty::F32, _) => format!("__float_as_uint({})", v(a)),
                (Ty::F64, _) => format!("__double_as_longlong({})", v(a)),
                (Ty::I32, Ty::F32) => format!("__int_as_float({})", v(a)),
                (_, Ty::F32) => format!("__uint_as_float({})", v(a)),
                (_, Ty::F64) => format!("__longlong_as_double({})", v(a)),
                _ => format!("({}){}", ty_name(data.ty), v(a)),
            },
            Op::Load(binding, index) if self.stage.bindings.contains(&(*binding, Access::Atomic)) => {
                format!("((volatile {}*){binding})[{}]", ty_name(data.ty), v(index))
            }
            Op::Load(binding, index) => format!("{binding}[{}]", v(index)),
            Op::Shuffle(a, bits) => format!("__shfl_xor_sync(0xffffffffu, {}, {bits})", v(a)),
            Op::LoadShared(shared, index) => format!("{shared}[{}]", v(index)),
            Op::Get(var) => var.to_string(),
            Op::Exchange { binding, index, old, new } => {
                let (index, old, new) = (v(index), v(old), v(new));
                format!("atomicCAS(&{binding}[{index}], {old}, {new}) == {old}")
            }
        }
    }

    fn unary(&self, op: Unary, a: Val) -> String {
        let (x, ty) = (self.val(a), self.stage.vals[a].ty);
        let name = match op {
            Unary::Neg if ty.is_float() => return format!("-{x}"),
            Unary::Neg => return wrapping(ty, "0", "-", &x),
            Unary::Not if ty == Ty::Bool => return format!("!{x}"),
            Unary::Not => return format!("~{x}"),
            Unary::Abs => "fabs",
            Unary::Floor => "floor",
            Unary::Ceil => "ceil",
            Unary::Trunc => "trunc",
            Unary::Round => "rint",
            Unary::Sqrt => "sqrt",
        };
        format!("{name}{}({x})", suffix(ty))
    }

    fn binary(&self, op: Binary, a: Val, b: Val) -> String {
        let (x, y, ty) = (self.val(a), self.val(b), self.stage.vals[a].ty);
        let sign = match op {
            Binary::Add => "+",
            Binary::Sub => "-",
            Binary::Mul => "*",
            Binary::Shl => "<<",
            Binary::Div => "/",
            Binary::Rem => "%",
            Binary::And => "&",
            Binary::Or => "|",
            Binary::Xor => "^",
            Binary::Shr => ">>",
            Binary::Min => return format!("min({x}, {y})"),
            Binary::Max => return format!("max({x}, {y})"),
            Binary::Eq => "==",
            Binary::Ne => "!=",
            Binary::Lt => "<",
            Binary::Le => "<=",
            Binary::Gt => ">",
            Binary::Ge => ">=",
        };
        let overflows = matches!(op, Binary::Add | Binary::Sub | Binary::Mul | Binary::Shl);
        if overflows && matches!(ty, Ty::I32 | Ty::I64) {
            wrapping(ty, &x, sign, &y)
        } else {
            format!("{x} {sign} {y}")
        }
    }
}

/// Signed arithmetic by way of unsigned, which wraps.
fn wrapping(ty: Ty, x: &str, sign: &str, y: &str) -> String {
    let unsigned = if ty == Ty::I64 { "unsigned long long" } else { "unsigned" };
    format!("({})(({unsigned}){x} {sign} ({unsigned}){y})", ty_name(ty))
}

/// What the names of functions on floats of 32 bits end with.
fn suffix(ty: Ty) -> &'static str {
    if ty == Ty::F32 { "f" } else { "" }
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
