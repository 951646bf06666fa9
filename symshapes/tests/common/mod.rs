//! Random expressions, built without any simplification, and their naive evaluation.
#![allow(dead_code, unreachable_pub, missing_docs, reason = "each test binary uses its share")]

use proptest::prelude::*;
use symshapes::{Expr, Pool, Range, Sym};

/// The syntax tree of an expression, before any simplification.
#[derive(Clone, Debug)]
pub enum Tree {
    Int(i64),
    Sym(usize),
    Binary(Op, Box<Tree>, Box<Tree>),
}

#[derive(Clone, Copy, Debug)]
pub enum Op {
    Add,
    Sub,
    Mul,
    FloorDiv,
    CeilDiv,
    Mod,
    Min,
    Max,
    Pow,
}

/// The symbols' names and ranges: indices of dimensions, an offset, a size, and one of any value.
pub const SYMBOLS: [(&str, Range); 6] = [
    ("d", Range::new(0, 63)),
    ("h", Range::new(0, 11)),
    ("i", Range::new(0, 127)),
    ("o", Range::new(-5, 5)),
    ("s0", Range::new(1, 40)),
    ("u0", Range::ALL),
];

/// Values beyond this are no part of the tests, so that nothing overflows on the way.
const LIMIT: i128 = 1 << 40;

pub type Assignment = [i64; SYMBOLS.len()];

impl Tree {
    pub fn eval(&self, values: &Assignment) -> Option<i128> {
        self.eval_within(values, LIMIT)
    }

    /// The value, if it and all values on the way stay below the limit.
    pub fn eval_within(&self, values: &Assignment, limit: i128) -> Option<i128> {
        let value = match self {
            Tree::Int(n) => i128::from(*n),
            Tree::Sym(s) => i128::from(values[*s]),
            Tree::Binary(op, a, b) => op.eval(a.eval_within(values, limit)?, b.eval_within(values, limit)?)?,
        };
        (value.unsigned_abs() < limit.unsigned_abs()).then_some(value)
    }

    /// A copy with each constant of 5 to 9, or of -9 to -5, moved to the edges of `i64`.
    pub fn stretched(&self) -> Tree {
        match self {
            Tree::Int(n @ -9..=-5) => Tree::Int(i64::MIN - (n + 5)),
            Tree::Int(n @ 5..=9) => Tree::Int(i64::MAX - n + 5),
            Tree::Int(n) => Tree::Int(*n),
            Tree::Sym(s) => Tree::Sym(*s),
            Tree::Binary(op, a, b) => Tree::Binary(*op, Box::new(a.stretched()), Box::new(b.stretched())),
        }
    }

    pub fn build(&self, pool: &mut Pool, symbols: &[Sym]) -> Expr {
        match self {
            Tree::Int(n) => pool.int(*n),
            Tree::Sym(s) => pool.sym(symbols[*s]),
            Tree::Binary(op, a, b) => {
                let (a, b) = (a.build(pool, symbols), b.build(pool, symbols));
                op.build(pool, a, b)
            }
        }
    }
}

impl Op {
    pub fn eval(self, a: i128, b: i128) -> Option<i128> {
        let quotient = |a: i128| (b != 0).then(|| (a - (a % b + b) % b) / b);
        Some(match self {
            Op::Add => a + b,
            Op::Sub => a - b,
            Op::Mul => a.checked_mul(b)?,
            Op::FloorDiv => quotient(a)?,
            Op::CeilDiv => -quotient(-a)?,
            Op::Mod => a - b * quotient(a)?,
            Op::Min => a.min(b),
            Op::Max => a.max(b),
            Op::Pow => a.checked_pow(u32::try_from(b).ok()?)?,
        })
    }

    pub fn build(self, pool: &mut Pool, a: Expr, b: Expr) -> Expr {
        match self {
            Op::Add => pool.add(a, b),
            Op::Sub => pool.sub(a, b),
            Op::Mul => pool.mul(a, b),
            Op::FloorDiv => pool.floor_div(a, b),
            Op::CeilDiv => pool.ceil_div(a, b),
            Op::Mod => pool.modulo(a, b),
            Op::Min => pool.min(a, b),
            Op::Max => pool.max(a, b),
            Op::Pow => pool.pow(a, b),
        }
    }
}

/// A pool with the test's symbols.
pub fn pool() -> (Pool, Vec<Sym>) {
    let mut pool = Pool::new();
    let symbols = SYMBOLS.map(|(name, range)| pool.symbol(name, range)).to_vec();
    (pool, symbols)
}

pub fn eval(pool: &Pool, e: Expr, symbols: &[Sym], values: &Assignment) -> Option<i128> {
    let value = pool.eval(e, &|s| Some(values[symbols.iter().position(|&known| known == s)?]));
    value.map(i128::from)
}

pub fn constants() -> impl Strategy<Value = i64> {
    prop_oneof![prop::sample::select(vec![2, 3, 4, 6, 8, 12, 16, 32, 64, 128, 768, -1, -2, -12]), -9i64..10]
}

pub fn trees() -> impl Strategy<Value = Tree> {
    let leaf = prop_oneof![constants().prop_map(Tree::Int), (0..SYMBOLS.len()).prop_map(Tree::Sym)];
    let op = prop_oneof![
        3 => Just(Op::Add), 1 => Just(Op::Sub), 1 => Just(Op::Mul), 3 => Just(Op::FloorDiv), 1 => Just(Op::CeilDiv),
        3 => Just(Op::Mod), 1 => Just(Op::Min), 1 => Just(Op::Max), 1 => Just(Op::Pow),
    ];
    leaf.prop_recursive(8, 64, 2, move |inner| {
        let divided = (op.clone(), inner.clone(), constants().prop_map(Tree::Int));
        let scaled = (inner.clone(), constants(), inner.clone()).prop_map(|(a, k, b)| {
            let product = Tree::Binary(Op::Mul, Box::new(a), Box::new(Tree::Int(k)));
            Tree::Binary(Op::Add, Box::new(product), Box::new(b))
        });
        let binary = |(op, a, b)| Tree::Binary(op, Box::new(a), Box::new(b));
        prop_oneof![2 => divided.prop_map(binary), 2 => (op.clone(), inner.clone(), inner).prop_map(binary), 1 => scaled]
    })
}

pub fn assignments() -> impl Strategy<Value = Assignment> {
    let any = prop_oneof![-20i64..20, -5000i64..5000];
    (0i64..64, 0i64..12, 0i64..128, -5i64..6, 1i64..41, any).prop_map(|(d, h, i, o, s, u)| [d, h, i, o, s, u])
}

pub fn samples() -> impl Strategy<Value = Vec<Assignment>> {
    prop::collection::vec(assignments(), 12)
}

/// More cases than proptest's own number, unless `PROPTEST_CASES` says how many.
pub fn config() -> ProptestConfig {
    let config = ProptestConfig::default();
    let cases = if std::env::var_os("PROPTEST_CASES").is_some() { config.cases } else { 2000 };
    ProptestConfig { cases, failure_persistence: None, ..config }
}
