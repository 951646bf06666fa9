//! Guards as a flat program over the inputs' values, to be run before each use of what was compiled.
//!
//! Invariants:
//! - An instruction reads only registers of instructions before it; register `i` is what instruction `i` gives.
//! - A value outside `i64`, or a division by zero, is no value; a test of no value fails. So the program accepts
//!   nothing that the checks leave undefined.
//! - The value of a float input is the bits of a double; so is what a register of a float holds.

use crate::{
    arith::{floor_div, modulo, pow},
    env::{ShapeEnv, SourceId},
    float,
    float_node::{FloatBinary, FloatNode, FloatUnary, Rounding, nearest},
    ids::{Expr, Float, Pred, Sym},
    node::Node,
    pred_node::{FloatRelation, PredNode},
    solver::{Check, GuardSet},
};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

/// The number of an instruction.
type Reg = u32;

/// The number of an input of the program.
type Slot = u32;

/// The checks of a [`GuardSet`], ready to run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    sources: Vec<SourceId>,
    tests: Vec<Test>,
    code: Vec<Instr>,
    terms: Vec<(i64, Reg)>,
}

/// A condition; those of one instruction's worth stand before the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Test {
    /// `slot == value`
    Constant(Slot, i64),
    /// `a == b`
    Same(Slot, Slot),
    /// `lo <= slot <= hi`
    Within(Slot, i64, i64),
    /// `slot % by == 0`
    Divisible(Slot, i64),
    /// `slot == register`, of the code up to it.
    Equal(Slot, Reg),
    /// The register is true, of the code up to it.
    True(Reg),
}

/// The instructions, each of which computes one register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Instr {
    Int(i64),
    Input(Slot),
    /// `constant + sum(coeff * register)` over `terms[first..last]`.
    Sum {
        constant: i64,
        first: u32,
        last: u32,
    },
    Mul(Reg, Reg),
    FloorDiv(Reg, Reg),
    Mod(Reg, Reg),
    Min(Reg, Reg),
    Max(Reg, Reg),
    Pow(Reg, Reg),
    IsZero(Reg),
    IsNotZero(Reg),
    IsNotPositive(Reg),
    And(Reg, Reg),
    Or(Reg, Reg),
    /// The bits of the nearest double.
    ToFloat(Reg),
    IntTrueDiv(Reg, Reg),
    Unary(FloatUnary, Reg),
    Binary(FloatBinary, Reg, Reg),
    Compare(FloatRelation, Reg, Reg),
    Round(Rounding, Reg),
    RoundDecimal(Reg, i16),
    None,
}

impl Program {
    /// The program of an environment's checks.
    pub fn new(env: &ShapeEnv, guards: &GuardSet) -> Program {
        let mut builder = Builder::of(env);
        for kept in &guards.checks {
            builder.test(&kept.check);
        }
        builder.program
    }

    /// The sources that the program reads, in the order in which [`Program::accepts`] takes the values.
    pub fn sources(&self) -> &[SourceId] {
        &self.sources
    }

    /// True if there is nothing to check.
    pub fn is_empty(&self) -> bool {
        self.tests.is_empty()
    }

    /// True if the values, one for each of [`Program::sources`], pass every check.
    pub fn accepts(&self, values: &[i64]) -> bool {
        if values.len() != self.sources.len() {
            return false;
        }
        let mut registers: SmallVec<[Option<i64>; 32]> = SmallVec::new();
        self.tests.iter().all(|test| self.passes(*test, values, &mut registers))
    }

    /// The number of the first check that the values fail, as the [`GuardSet`] numbers them; `None` if they pass all.
    /// A wrong number of values fails the first check.
    pub fn first_failure(&self, values: &[i64]) -> Option<usize> {
        if values.len() != self.sources.len() {
            return Some(0);
        }
        let mut registers: SmallVec<[Option<i64>; 32]> = SmallVec::new();
        self.tests.iter().position(|test| !self.passes(*test, values, &mut registers))
    }

    fn passes(&self, test: Test, values: &[i64], registers: &mut SmallVec<[Option<i64>; 32]>) -> bool {
        let value = |slot: Slot| values[slot as usize];
        match test {
            Test::Constant(slot, constant) => value(slot) == constant,
            Test::Same(a, b) => value(a) == value(b),
            Test::Within(slot, lo, hi) => lo <= value(slot) && value(slot) <= hi,
            Test::Divisible(slot, by) => value(slot) % by == 0,
            Test::Equal(slot, reg) => self.run(reg, values, registers) == Some(value(slot)),
            Test::True(reg) => self.run(reg, values, registers) == Some(1),
        }
    }

    /// The value of a register; those up to it are computed once.
    fn run(&self, reg: Reg, values: &[i64], registers: &mut SmallVec<[Option<i64>; 32]>) -> Option<i64> {
        let wanted = reg as usize;
        while registers.len() <= wanted {
            let next = self.step(self.code[registers.len()], values, registers);
            registers.push(next);
        }
        registers[wanted]
    }

    fn step(&self, instr: Instr, values: &[i64], registers: &[Option<i64>]) -> Option<i64> {
        let get = |reg: Reg| registers[reg as usize];
        match instr {
            Instr::Int(n) => Some(n),
            Instr::Input(slot) => Some(values[slot as usize]),
            Instr::Sum { constant, first, last } => {
                self.sum(constant, &self.terms[first as usize..last as usize], registers)
            }
            Instr::Mul(a, b) => get(a)?.checked_mul(get(b)?),
            Instr::FloorDiv(a, b) => floor_div(get(a)?, get(b)?),
            Instr::Mod(a, b) => modulo(get(a)?, get(b)?),
            Instr::Min(a, b) => Some(get(a)?.min(get(b)?)),
            Instr::Max(a, b) => Some(get(a)?.max(get(b)?)),
            Instr::Pow(a, b) => pow(get(a)?, get(b)?),
            Instr::IsZero(a) => Some(i64::from(get(a)? == 0)),
            Instr::IsNotZero(a) => Some(i64::from(get(a)? != 0)),
            Instr::IsNotPositive(a) => Some(i64::from(get(a)? <= 0)),
            Instr::And(a, b) => junction(0, get(a), get(b)),
            Instr::Or(a, b) => junction(1, get(a), get(b)),
            Instr::ToFloat(a) => get(a).map(|n| bits(nearest(n))),
            Instr::IntTrueDiv(a, b) => float::quotient(get(a)?, get(b)?).map(bits),
            Instr::Unary(op, a) => float::unary(op, double(get(a)?)).map(bits),
            Instr::Binary(op, a, b) => float::binary(op, double(get(a)?), double(get(b)?)).map(bits),
            Instr::Compare(relation, a, b) => Some(i64::from(relation.compare(double(get(a)?), double(get(b)?)))),
            Instr::RoundDecimal(a, digits) => float::round_decimal(double(get(a)?), digits).map(bits),
            Instr::Round(rounding, a) => rounding.apply(double(get(a)?)),
            Instr::None => None,
        }
    }

    fn sum(&self, constant: i64, terms: &[(i64, Reg)], registers: &[Option<i64>]) -> Option<i64> {
        let mut total = i128::from(constant);
        for &(coeff, reg) in terms {
            total = total.checked_add(i128::from(coeff) * i128::from(registers[reg as usize]?))?;
        }
        i64::try_from(total).ok()
    }
}

/// The value that decides, if one operand has it, even where the other has none.
fn junction(decisive: i64, a: Option<i64>, b: Option<i64>) -> Option<i64> {
    match (a, b) {
        (Some(x), _) | (_, Some(x)) if x == decisive => Some(decisive),
        (Some(_), Some(_)) => Some(1 - decisive),
        _ => None,
    }
}

/// A double as a register holds it.
const fn bits(value: f64) -> i64 {
    value.to_bits().cast_signed()
}

const fn double(bits: i64) -> f64 {
    f64::from_bits(bits.cast_unsigned())
}

/// A program under construction.
struct Builder<'a> {
    env: &'a ShapeEnv,
    program: Program,
    slots: FxHashMap<SourceId, Slot>,
    registers: FxHashMap<Expr, Reg>,
}

impl<'a> Builder<'a> {
    fn of(env: &'a ShapeEnv) -> Builder<'a> {
        Builder { env, program: Program::default(), slots: FxHashMap::default(), registers: FxHashMap::default() }
    }

    fn test(&mut self, check: &Check) {
        let test = match *check {
            Check::Equal { source, expr } => self.equality(source, expr),
            Check::Within { source, range, .. } => Test::Within(self.slot(source), range.lo, range.hi),
            Check::Divisible { source, by } => Test::Divisible(self.slot(source), by),
            Check::Holds(pred) => Test::True(self.pred(pred)),
        };
        self.program.tests.push(test);
    }

    fn equality(&mut self, source: SourceId, expr: Expr) -> Test {
        let slot = self.slot(source);
        let pool = self.env.pool();
        if let Some(value) = pool.as_int(expr) {
            return Test::Constant(slot, value);
        }
        match pool.as_sym(expr).and_then(|sym| self.source_of(sym)) {
            Some(other) => Test::Same(slot, self.slot(other)),
            None => Test::Equal(slot, self.expr(expr)),
        }
    }

    fn source_of(&self, sym: Sym) -> Option<SourceId> {
        self.env.input_of(sym).map(|input| self.env.inputs[input].source)
    }

    fn slot(&mut self, source: SourceId) -> Slot {
        let next = index(self.program.sources.len());
        let slot = *self.slots.entry(source).or_insert(next);
        if slot == next {
            self.program.sources.push(source);
        }
        slot
    }

    fn push(&mut self, instr: Instr) -> Reg {
        self.program.code.push(instr);
        index(self.program.code.len() - 1)
    }

    fn expr(&mut self, e: Expr) -> Reg {
        if let Some(&known) = self.registers.get(&e) {
            return known;
        }
        let instr = self.instr(e);
        let reg = self.push(instr);
        self.registers.insert(e, reg);
        reg
    }

    fn instr(&mut self, e: Expr) -> Instr {
        match self.env.pool().node(e).clone() {
            Node::Int(n) => Instr::Int(n),
            Node::Sym(sym) => match self.source_of(sym) {
                Some(source) => Instr::Input(self.slot(source)),
                None => Instr::None,
            },
            Node::Add(sum) => {
                let terms: Vec<(i64, Reg)> = sum.terms.iter().map(|t| (t.coeff, self.expr(t.mono))).collect();
                let first = index(self.program.terms.len());
                self.program.terms.extend(terms);
                Instr::Sum { constant: sum.constant, first, last: index(self.program.terms.len()) }
            }
            Node::Mul(factors) => self.product(&factors),
            Node::FloorDiv(a, b) => Instr::FloorDiv(self.expr(a), self.expr(b)),
            Node::Mod(a, b) => Instr::Mod(self.expr(a), self.expr(b)),
            Node::Min(a, b) => Instr::Min(self.expr(a), self.expr(b)),
            Node::Max(a, b) => Instr::Max(self.expr(a), self.expr(b)),
            Node::Pow(a, b) => Instr::Pow(self.expr(a), self.expr(b)),
            Node::Round(rounding, f) => Instr::Round(rounding, self.float(f)),
            Node::Overflow => Instr::None,
        }
    }

    fn float(&mut self, f: Float) -> Reg {
        let instr = match *self.env.pool().float_node(f) {
            FloatNode::Const(bits) => Instr::Int(bits.cast_signed()),
            FloatNode::Sym(sym) => match self.source_of(sym) {
                Some(source) => Instr::Input(self.slot(source)),
                None => Instr::None,
            },
            FloatNode::Int(e) => Instr::ToFloat(self.expr(e)),
            FloatNode::IntTrueDiv(a, b) => Instr::IntTrueDiv(self.expr(a), self.expr(b)),
            FloatNode::Unary(op, x) => Instr::Unary(op, self.float(x)),
            FloatNode::Binary(op, x, y) => Instr::Binary(op, self.float(x), self.float(y)),
            FloatNode::RoundDecimal(x, digits) => Instr::RoundDecimal(self.float(x), digits),
        };
        self.push(instr)
    }

    fn product(&mut self, factors: &[Expr]) -> Instr {
        let [first, middle @ .., last] = factors else { return Instr::None };
        let mut product = self.expr(*first);
        for &factor in middle {
            let factor = self.expr(factor);
            product = self.push(Instr::Mul(product, factor));
        }
        Instr::Mul(product, self.expr(*last))
    }

    fn pred(&mut self, p: Pred) -> Reg {
        let instr = match self.env.pool().pred_node(p).clone() {
            PredNode::Bool(value) => Instr::Int(i64::from(value)),
            PredNode::Eq(e) => Instr::IsZero(self.expr(e)),
            PredNode::Ne(e) => Instr::IsNotZero(self.expr(e)),
            PredNode::Le(e) => Instr::IsNotPositive(self.expr(e)),
            PredNode::And(parts) => return self.junction(&parts, Instr::And),
            PredNode::Or(parts) => return self.junction(&parts, Instr::Or),
            PredNode::Float(relation) => {
                Instr::Compare(relation, self.float(relation.left), self.float(relation.right))
            }
            PredNode::Unknown => Instr::None,
        };
        self.push(instr)
    }

    fn junction(&mut self, parts: &[Pred], join: fn(Reg, Reg) -> Instr) -> Reg {
        let registers: Vec<Reg> = parts.iter().map(|&part| self.pred(part)).collect();
        let joined = registers.into_iter().reduce(|a, b| self.push(join(a, b)));
        joined.expect("a junction has two operands or more")
    }
}

fn index(n: usize) -> u32 {
    u32::try_from(n).expect("a program has fewer than 2**32 parts")
}
