//! The text form of a grid kernel, for people and goldens.
//!
//! ```text
//! grid copy(b0: f32[100] = %0, b1: f32[100] = %1)
//!   stage copy: 1 groups of 256, reads b0, writes b1 {
//!     v1: i32 = mul group, 256
//!     v3: i32 = add v1, thread
//!     v5: bool = lt v3, 100
//!     if v5 {
//!       v6: f32 = load b0[v3]
//!       store b1[v3] = v6
//!     }
//!   }
//! ```
//!
//! Constants and arguments stand where they are used; a value's type is that of its line.

use super::{Access, AtomicOp, Binary, GridKernel, Half, Mem, Op, Source, Stage, Stmt, Ty, Unary, Val, eval};
use crate::loop_ir::text::dtype_name;
use std::fmt;

impl fmt::Display for GridKernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "grid {}(", self.name)?;
        for (i, (binding, data)) in self.bindings.iter().enumerate() {
            let separator = if i == 0 { "" } else { ", " };
            let len = self.exprs.display(data.len);
            write!(f, "{separator}{binding}: {}[{len}]", dtype_name(data.dtype))?;
            match (data.packing, data.narrowed) {
                (1, false) => {}
                (1, true) => f.write_str(" narrowed")?,
                (packing, _) => write!(f, " {packing} to a {}", data.mem)?,
            }
            match data.source {
                Source::Param(param) => write!(f, " = {param}")?,
                Source::Temp => f.write_str(" temp")?,
            }
        }
        f.write_str(")\n")?;
        for (arg, &e) in self.args.iter() {
            writeln!(f, "  {arg} = {}", self.exprs.display(e))?;
        }
        self.stages.iter().try_for_each(|stage| Printer { kernel: self, stage }.stage(f))
    }
}

/// Prints one stage.
struct Printer<'a> {
    kernel: &'a GridKernel,
    stage: &'a Stage,
}

impl Printer<'_> {
    fn stage(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Stage { name, threads, groups, .. } = self.stage;
        write!(f, "  stage {name}: {} groups of {threads}", self.kernel.exprs.display(*groups))?;
        for (binding, access) in &self.stage.bindings {
            let verb = match access {
                Access::Read => "reads",
                Access::Write => "writes",
                Access::Atomic => "changes",
            };
            write!(f, ", {verb} {binding}")?;
        }
        f.write_str(" {\n")?;
        for (shared, data) in self.stage.shared.iter() {
            writeln!(f, "    shared {shared}: {}[{}]", data.ty, data.len)?;
        }
        for (local, data) in self.stage.locals.iter() {
            writeln!(f, "    local {local}: {}[{}]", data.ty, data.len)?;
        }
        for (var, ty) in self.stage.vars.iter() {
            writeln!(f, "    var {var}: {ty}")?;
        }
        self.block(f, &self.stage.body, 2)?;
        f.write_str("  }\n")
    }

    fn block(&self, f: &mut fmt::Formatter<'_>, stmts: &[Stmt], depth: usize) -> fmt::Result {
        stmts.iter().try_for_each(|stmt| self.stmt(f, stmt, depth))
    }

    fn stmt(&self, f: &mut fmt::Formatter<'_>, stmt: &Stmt, depth: usize) -> fmt::Result {
        let indent = "  ".repeat(depth);
        f.write_str(&indent)?;
        match stmt {
            Stmt::Let(val) => writeln!(f, "{val}: {} = {}", self.stage.vals[*val].ty, self.op(*val)),
            Stmt::Set(var, val) => writeln!(f, "{var} = {}", self.val(*val)),
            Stmt::Store { binding, index, value } => {
                writeln!(f, "store {binding}[{}] = {}", self.val(*index), self.val(*value))
            }
            Stmt::LoadVector { binding, index, lanes } => {
                let names: Vec<String> = lanes.iter().map(ToString::to_string).collect();
                let names = names.join(", ");
                writeln!(f, "{names}: {} = load {binding}[{}..]", self.stage.vals[lanes[0]].ty, self.val(*index))
            }
            Stmt::StoreVector { binding, index, lanes } => {
                let values: Vec<String> = lanes.iter().map(|&lane| self.val(lane)).collect();
                let values = values.join(", ");
                writeln!(f, "store {binding}[{}..] = {values}", self.val(*index))
            }
            Stmt::StoreShared { shared, index, value } => {
                writeln!(f, "store {shared}[{}] = {}", self.val(*index), self.val(*value))
            }
            Stmt::StoreLocal { local, index, value } => {
                writeln!(f, "store {local}[{}] = {}", self.val(*index), self.val(*value))
            }
            Stmt::Atomic { op, binding, index, value } => {
                writeln!(f, "atomic {op} {binding}[{}], {}", self.val(*index), self.val(*value))
            }
            Stmt::If { cond, then } => {
                writeln!(f, "if {} {{", self.val(*cond))?;
                self.block(f, then, depth + 1)?;
                writeln!(f, "{indent}}}")
            }
            Stmt::For { counter, start, end, step, copies, body } => {
                let [start, end, step] = [start, end, step].map(|&val| self.val(val));
                let copies = if *copies > 1 { format!("unrolled {copies} ") } else { String::new() };
                writeln!(f, "{copies}for {counter} in {start}..{end} by {step} {{")?;
                self.block(f, body, depth + 1)?;
                writeln!(f, "{indent}}}")
            }
            Stmt::While { head, cond, body } => {
                f.write_str("while {\n")?;
                self.block(f, head, depth + 1)?;
                writeln!(f, "{indent}}} {} {{", self.val(*cond))?;
                self.block(f, body, depth + 1)?;
                writeln!(f, "{indent}}}")
            }
            Stmt::Barrier => f.write_str("barrier\n"),
        }
    }

    fn op(&self, val: Val) -> String {
        let v = |val: &Val| self.val(*val);
        match &self.stage.vals[val].op {
            Op::Const(_) | Op::Arg(_) | Op::Thread | Op::Group => self.val(val),
            Op::Counter => "counter".to_owned(),
            Op::Lane => "lane".to_owned(),
            Op::Unary(op, a) => format!("{op} {}", v(a)),
            Op::Binary(op, a, b) => format!("{op} {}, {}", v(a), v(b)),
            Op::Select(a, b, c) => format!("select {}, {}, {}", v(a), v(b), v(c)),
            Op::Fma(a, b, c) => format!("fma {}, {}, {}", v(a), v(b), v(c)),
            Op::Call(op, args) => format!("{op} {}", args.iter().map(v).collect::<Vec<_>>().join(", ")),
            Op::Cast(a) => format!("cast {}", v(a)),
            Op::Bits(a) => format!("bits {}", v(a)),
            Op::Load(binding, index) => format!("load {binding}[{}]", v(index)),
            Op::Shuffle(a, bits) => format!("shuffle {}, {bits}", v(a)),
            Op::LoadShared(shared, index) => format!("load {shared}[{}]", v(index)),
            Op::LoadLocal(local, index) => format!("load {local}[{}]", v(index)),
            Op::Narrow(half, a) => format!("narrow {half} {}", v(a)),
            Op::Widen(half, a) => format!("widen {half} {}", v(a)),
            Op::Get(var) => var.to_string(),
            Op::Exchange { binding, index, old, new } => {
                format!("exchange {binding}[{}] from {} to {}", v(index), v(old), v(new))
            }
        }
    }

    /// A use of a value.
    fn val(&self, val: Val) -> String {
        let data = &self.stage.vals[val];
        match &data.op {
            Op::Const(bits) => constant(data.ty, *bits),
            Op::Arg(arg) => arg.to_string(),
            Op::Thread => "thread".to_owned(),
            Op::Group => "group".to_owned(),
            _ => val.to_string(),
        }
    }
}

/// A constant as text: floats have a point.
fn constant(ty: Ty, bits: u64) -> String {
    match ty {
        Ty::Bool => (bits != 0).to_string(),
        Ty::F32 => format!("{:?}", f32::from_bits(bits as u32)),
        Ty::F64 => format!("{:?}", f64::from_bits(bits)),
        Ty::I32 | Ty::I64 => eval::int(ty, bits).to_string(),
        Ty::U32 => format!("{bits:#x}"),
    }
}

macro_rules! names {
    ($($enum:ident { $($variant:ident $name:literal),* })*) => {
        $(impl fmt::Display for $enum {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(match self { $($enum::$variant => $name),* })
            }
        })*
    };
}

names! {
    Ty { Bool "bool", I32 "i32", U32 "u32", I64 "i64", F32 "f32", F64 "f64" }
    Mem { I8 "i8", U8 "u8", I16 "i16", U16 "u16", I32 "i32", U32 "u32", I64 "i64", F32 "f32", F64 "f64" }
    Unary {
        Neg "neg", Not "not", Abs "abs", Floor "floor", Ceil "ceil", Trunc "trunc", Round "round", Sqrt "sqrt"
    }
    Binary {
        Add "add", Sub "sub", Mul "mul", Div "div", Rem "rem", And "and", Or "or", Xor "xor", Shl "shl", Shr "shr",
        Min "min", Max "max", Eq "eq", Ne "ne", Lt "lt", Le "le", Gt "gt", Ge "ge"
    }
    Half { F16 "f16", BF16 "bf16" }
    AtomicOp { Add "add", And "and", Or "or" }
}
