//! Values as WGSL expressions.

use super::{Printer, ty_name};
use inductor::grid::{Access, Binary, Binding, Op, Ty, Unary, Val, eval};

impl Printer<'_> {
    /// True if the buffer is accessed by atomic instructions.
    pub(super) fn is_atomic(&self, binding: Binding) -> bool {
        self.stage.bindings.contains(&(binding, Access::Atomic))
    }

    /// A use of a value.
    pub(super) fn val(&self, val: Val) -> String {
        let data = &self.stage.vals[val];
        match &data.op {
            Op::Const(bits) => literal(data.ty, *bits).unwrap_or_else(|| val.to_string()),
            Op::Arg(arg) => format!("args.{arg}"),
            Op::Thread => "thread".to_owned(),
            Op::Group => "group".to_owned(),
            _ => val.to_string(),
        }
    }

    /// The computation of a value.
    pub(super) fn op(&self, val: Val) -> String {
        let data = &self.stage.vals[val];
        let v = |val: &Val| self.val(*val);
        let ty = ty_name(data.ty);
        match &data.op {
            Op::Const(_) | Op::Arg(_) | Op::Thread | Op::Group | Op::Counter | Op::Lane => self.val(val),
            Op::Unary(op, a) => self.unary(*op, *a),
            Op::Binary(op, a, b) => self.binary(*op, *a, *b),
            Op::Select(cond, a, b) => format!("select({}, {}, {})", v(b), v(a), v(cond)),
            Op::Fma(a, b, c) => format!("fma({}, {}, {})", v(a), v(b), v(c)),
            Op::Call(op, args) => format!("{op}({})", args.iter().map(v).collect::<Vec<_>>().join(", ")),
            Op::Cast(a) if self.stage.vals[*a].ty == Ty::Bool => {
                let [zero, one] = [0.0, 1.0].map(|x| number(data.ty, x));
                format!("select({zero}, {one}, {})", v(a))
            }
            Op::Cast(a) => format!("{ty}({})", v(a)),
            Op::Bits(a) => format!("bitcast<{ty}>({})", v(a)),
            Op::Load(binding, index) if self.is_atomic(*binding) => format!("atomicLoad(&{binding}[{}])", v(index)),
            Op::Load(binding, index) => format!("{binding}[{}]", v(index)),
            Op::Shuffle(a, bits) => format!("subgroupShuffleXor({}, {bits}u)", v(a)),
            Op::LoadShared(shared, index) => format!("{shared}[{}]", v(index)),
            Op::Get(var) => var.to_string(),
            Op::Exchange { binding, index, old, new } => {
                let (index, old, new) = (v(index), v(old), v(new));
                format!("atomicCompareExchangeWeak(&{binding}[{index}], {old}, {new}).exchanged")
            }
        }
    }

    fn unary(&self, op: Unary, a: Val) -> String {
        let x = self.val(a);
        let name = match op {
            Unary::Neg => return format!("-{x}"),
            Unary::Not if self.stage.vals[a].ty == Ty::Bool => return format!("!{x}"),
            Unary::Not => return format!("~{x}"),
            Unary::Abs => "abs",
            Unary::Floor => "floor",
            Unary::Ceil => "ceil",
            Unary::Trunc => "trunc",
            Unary::Round => "round",
            Unary::Sqrt => "sqrt",
        };
        format!("{name}({x})")
    }

    fn binary(&self, op: Binary, a: Val, b: Val) -> String {
        let (x, y) = (self.val(a), self.val(b));
        let sign = match op {
            Binary::Add => "+",
            Binary::Sub => "-",
            Binary::Mul => "*",
            Binary::Div => "/",
            Binary::Rem => "%",
            Binary::And => "&",
            Binary::Or => "|",
            Binary::Xor if self.stage.vals[a].ty == Ty::Bool => "!=",
            Binary::Xor => "^",
            Binary::Shl => return format!("{x} << {}", self.amount(b)),
            Binary::Shr => return format!("{x} >> {}", self.amount(b)),
            Binary::Min => return format!("min({x}, {y})"),
            Binary::Max => return format!("max({x}, {y})"),
            Binary::Eq => "==",
            Binary::Ne => "!=",
            Binary::Lt => "<",
            Binary::Le => "<=",
            Binary::Gt => ">",
            Binary::Ge => ">=",
        };
        format!("{x} {sign} {y}")
    }

    /// The amount of a shift, which is unsigned.
    fn amount(&self, val: Val) -> String {
        let data = &self.stage.vals[val];
        match (&data.op, data.ty) {
            (Op::Const(bits), _) => format!("{}u", *bits as u32),
            (_, Ty::U32) => self.val(val),
            _ => format!("u32({})", self.val(val)),
        }
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
