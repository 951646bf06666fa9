//! The walk over a stage that prints it in a language: statements, and values as expressions.
//!
//! A [`Language`] has the words; which of them stand where is decided here, once for all emitters. Signatures,
//! declarations and what a language does before a body are the emitters' own.

use super::{
    Access, Arg, ArrayData, AtomicOp, Binary, Binding, GridKernel, Half, Mem, Op, Stage, Stmt, Ty, Unary, Val, Var,
};
use fx::prim::Pointwise;

/// A buffer as a statement uses it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Buffer {
    /// Its name.
    pub binding: Binding,
    /// Its elements.
    pub mem: Mem,
    /// Whether the stage accesses it by atomic instructions alone.
    pub is_atomic: bool,
}

/// A value as an operation uses it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Operand {
    /// The expression: a name or a literal.
    pub text: String,
    /// Its type.
    pub ty: Ty,
    /// The bits of a constant.
    pub bits: Option<u64>,
}

/// The words of a language. Operands are names or literals, so that no parentheses are missing around them.
pub trait Language {
    /// Defines a value.
    fn define(&self, val: Val, ty: Ty, value: &str) -> String;
    /// A constant; `None` where it has a name instead, that of its value.
    fn literal(&self, ty: Ty, bits: u64) -> Option<String>;
    /// A launch argument.
    fn argument(&self, arg: Arg) -> String;
    /// An operation of one operand.
    fn unary(&self, op: Unary, x: &Operand) -> String;
    /// An operation of two operands.
    fn binary(&self, op: Binary, x: &Operand, y: &Operand) -> String;
    /// `a` where `cond`, else `b`.
    fn select(&self, cond: &str, a: &str, b: &str) -> String;
    /// A function of floats, `fma` among them.
    fn call(&self, name: &str, ty: Ty, args: &str) -> String;
    /// A number as another type.
    fn cast(&self, x: &Operand, to: Ty) -> String;
    /// The bits as another type.
    fn bits(&self, x: &Operand, to: Ty) -> String;
    /// An element of a buffer, as a register of this type.
    fn load(&self, buffer: Buffer, index: &str, ty: Ty) -> String;
    /// The value of the thread whose number differs in these bits.
    fn shuffle(&self, x: &str, bits: u32) -> String;
    /// An atomic exchange of the element at a place; true if it was done.
    fn exchange(&self, place: &str, old: &str, new: &str) -> String;
    /// Writes an element of a buffer.
    fn store(&self, buffer: Buffer, index: &str, value: &str) -> String;
    /// Reads neighbouring elements; a line each.
    fn load_vector(&self, buffer: Buffer, index: &str, lanes: &[Val], ty: Ty) -> Vec<String>;
    /// Writes neighbouring elements; a line each.
    fn store_vector(&self, buffer: Buffer, index: &str, values: &[String]) -> Vec<String>;
    /// Changes the element at a place.
    fn atomic(&self, op: AtomicOp, place: &str, value: &str) -> String;
    /// The head of a condition, with its brace.
    fn if_(&self, cond: &str) -> String;
    /// The head of a counted loop, with its brace.
    fn for_(&self, counter: Val, start: &str, end: &str, step: &str) -> String;
    /// The line before a loop of which so many copies should be made.
    fn unroll(&self, _copies: u32) -> Option<String> {
        None
    }
    /// The head of a loop without end, with its brace, and its end where a condition does not hold.
    fn while_(&self, cond: &str) -> [String; 2];
    /// Waits for the group; a line each.
    fn barrier(&self, stage: &Stage) -> Vec<String>;
}

/// Prints one stage.
pub struct Printer<'a, L> {
    /// The kernel.
    pub kernel: &'a GridKernel,
    /// The stage of it.
    pub stage: &'a Stage,
    /// The words.
    pub language: L,
    /// The text printed so far.
    pub out: String,
    /// Blocks that are open.
    pub depth: usize,
}

impl<'a, L: Language> Printer<'a, L> {
    /// A printer that has printed nothing.
    pub fn new(kernel: &'a GridKernel, stage: &'a Stage, language: L) -> Printer<'a, L> {
        Printer { kernel, stage, language, out: String::new(), depth: 0 }
    }

    /// A line.
    pub fn line(&mut self, text: &str) {
        (0..self.depth).for_each(|_| self.out.push_str("  "));
        self.out.push_str(text);
        self.out.push('\n');
    }

    /// Lines, with `declare` for each array in workgroup memory.
    pub fn shared(&mut self, declare: impl Fn(super::Shared, &ArrayData) -> String) {
        let stage = self.stage;
        stage.shared.iter().for_each(|(shared, data)| self.line(&declare(shared, data)));
    }

    /// Lines, with `declare` for each array of a thread.
    pub fn locals(&mut self, declare: impl Fn(super::Local, &ArrayData) -> String) {
        let stage = self.stage;
        stage.locals.iter().for_each(|(local, data)| self.line(&declare(local, data)));
    }

    /// The variables, each by `declare`, the statements, and the brace that ends the function.
    pub fn body(&mut self, declare: impl Fn(Var, Ty) -> String) {
        let stage = self.stage;
        stage.vars.iter().for_each(|(var, &ty)| self.line(&declare(var, ty)));
        self.block(&stage.body);
        self.depth = 0;
        self.line("}");
    }

    fn block(&mut self, stmts: &[Stmt]) {
        stmts.iter().for_each(|stmt| self.stmt(stmt));
    }

    fn nested(&mut self, head: &str, stmts: &[Stmt]) {
        self.line(head);
        self.depth += 1;
        self.block(stmts);
        self.depth -= 1;
        self.line("}");
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Let(val) => self.line(&self.language.define(*val, self.stage.vals[*val].ty, &self.op(*val))),
            Stmt::Set(var, val) => self.line(&format!("{var} = {};", self.val(*val))),
            Stmt::Store { binding, index, value } => {
                self.line(&self.language.store(self.buffer(*binding), &self.val(*index), &self.val(*value)));
            }
            Stmt::LoadVector { binding, index, lanes } => {
                let (buffer, ty) = (self.buffer(*binding), self.stage.vals[lanes[0]].ty);
                self.lines(&self.language.load_vector(buffer, &self.val(*index), lanes, ty));
            }
            Stmt::StoreVector { binding, index, lanes } => {
                let values: Vec<String> = lanes.iter().map(|&lane| self.val(lane)).collect();
                self.lines(&self.language.store_vector(self.buffer(*binding), &self.val(*index), &values));
            }
            Stmt::StoreShared { shared, index, value } => {
                self.line(&format!("{shared}[{}] = {};", self.val(*index), self.val(*value)));
            }
            Stmt::StoreLocal { local, index, value } => {
                self.line(&format!("{local}[{}] = {};", self.val(*index), self.val(*value)));
            }
            Stmt::Atomic { op, binding, index, value } => {
                let place = format!("{binding}[{}]", self.val(*index));
                self.line(&self.language.atomic(*op, &place, &self.val(*value)));
            }
            Stmt::If { cond, then } => self.nested(&self.language.if_(&self.val(*cond)), then),
            Stmt::For { counter, start, end, step, copies, body } => {
                if let Some(line) = self.language.unroll(*copies).filter(|_| *copies > 1) {
                    self.line(&line);
                }
                let [start, end, step] = [start, end, step].map(|&val| self.val(val));
                self.nested(&self.language.for_(*counter, &start, &end, &step), body);
            }
            Stmt::While { head, cond, body } => {
                let [start, end] = self.language.while_(&self.val(*cond));
                self.line(&start);
                self.depth += 1;
                self.block(head);
                self.line(&end);
                self.block(body);
                self.depth -= 1;
                self.line("}");
            }
            Stmt::Barrier => self.lines(&self.language.barrier(self.stage)),
        }
    }

    fn lines(&mut self, lines: &[String]) {
        lines.iter().for_each(|line| self.line(line));
    }

    fn buffer(&self, binding: Binding) -> Buffer {
        let is_atomic = self.stage.bindings.contains(&(binding, Access::Atomic));
        Buffer { binding, mem: self.kernel.bindings[binding].mem, is_atomic }
    }

    /// A use of a value.
    fn val(&self, val: Val) -> String {
        let data = &self.stage.vals[val];
        match &data.op {
            Op::Const(bits) => self.language.literal(data.ty, *bits).unwrap_or_else(|| val.to_string()),
            Op::Arg(arg) => self.language.argument(*arg),
            Op::Thread => "thread".to_owned(),
            Op::Group => "group".to_owned(),
            _ => val.to_string(),
        }
    }

    fn operand(&self, val: Val) -> Operand {
        let data = &self.stage.vals[val];
        let bits = if let Op::Const(bits) = data.op { Some(bits) } else { None };
        Operand { text: self.val(val), ty: data.ty, bits }
    }

    /// The computation of a value.
    fn op(&self, val: Val) -> String {
        let data = &self.stage.vals[val];
        let v = |val: &Val| self.val(*val);
        let language = &self.language;
        match &data.op {
            Op::Const(_) | Op::Arg(_) | Op::Thread | Op::Group | Op::Counter | Op::Lane => self.val(val),
            Op::Unary(op, a) => language.unary(*op, &self.operand(*a)),
            Op::Binary(op, a, b) => language.binary(*op, &self.operand(*a), &self.operand(*b)),
            Op::Select(cond, a, b) => language.select(&v(cond), &v(a), &v(b)),
            Op::Fma(a, b, c) => language.call("fma", data.ty, &[a, b, c].map(v).join(", ")),
            Op::Call(op, args) => self.function(*op, data.ty, args),
            Op::Cast(a) => language.cast(&self.operand(*a), data.ty),
            Op::Bits(a) => language.bits(&self.operand(*a), data.ty),
            Op::Load(binding, index) => language.load(self.buffer(*binding), &v(index), data.ty),
            Op::Shuffle(a, bits) => language.shuffle(&v(a), *bits),
            Op::LoadShared(shared, index) => format!("{shared}[{}]", v(index)),
            Op::LoadLocal(local, index) => format!("{local}[{}]", v(index)),
            Op::Narrow(Half::F16, a) => format!("f16_bits({})", v(a)),
            Op::Narrow(Half::BF16, a) => format!("bf16_bits({})", v(a)),
            Op::Widen(Half::F16, a) => format!("f16_value({})", v(a)),
            Op::Widen(Half::BF16, a) => format!("bf16_value({})", v(a)),
            Op::Get(var) => var.to_string(),
            Op::Exchange { binding, index, old, new } => {
                language.exchange(&format!("{binding}[{}]", v(index)), &v(old), &v(new))
            }
        }
    }

    fn function(&self, op: Pointwise, ty: Ty, args: &[Val]) -> String {
        let args: Vec<String> = args.iter().map(|&arg| self.val(arg)).collect();
        self.language.call(&op.to_string(), ty, &args.join(", "))
    }
}

impl Binary {
    /// The sign that it has in languages of C's kind; the least and the greatest have a name.
    pub const fn sign(self) -> &'static str {
        match self {
            Binary::Add => "+",
            Binary::Sub => "-",
            Binary::Mul => "*",
            Binary::Div => "/",
            Binary::Rem => "%",
            Binary::And => "&",
            Binary::Or => "|",
            Binary::Xor => "^",
            Binary::Shl => "<<",
            Binary::Shr => ">>",
            Binary::Min => "min",
            Binary::Max => "max",
            Binary::Eq => "==",
            Binary::Ne => "!=",
            Binary::Lt => "<",
            Binary::Le => "<=",
            Binary::Gt => ">",
            Binary::Ge => ">=",
        }
    }

    /// The operation in languages of C's kind.
    pub fn plainly(self, x: &str, y: &str) -> String {
        match self {
            Binary::Min | Binary::Max => format!("{}({x}, {y})", self.sign()),
            _ => format!("{x} {} {y}", self.sign()),
        }
    }
}

impl AtomicOp {
    /// The function that does it, by the name that languages agree on.
    pub const fn function(self) -> &'static str {
        match self {
            AtomicOp::Add => "atomicAdd",
            AtomicOp::And => "atomicAnd",
            AtomicOp::Or => "atomicOr",
        }
    }
}
