//! Simplified expressions against a naive evaluation of what they were built from.

use proptest::prelude::*;
use rustc_hash::FxHashMap;
use symshapes::{Expr, Pool, Range, Sym};

/// What an expression is built from, before any simplification.
#[derive(Clone, Debug)]
enum Tree {
    Int(i64),
    Sym(usize),
    Binary(Op, Box<Tree>, Box<Tree>),
}

#[derive(Clone, Copy, Debug)]
enum Op {
    Add,
    Sub,
    Mul,
    FloorDiv,
    CeilDiv,
    Mod,
    Min,
    Max,
}

/// The symbols' names and ranges: indices of dimensions, an offset, a size, and one of any value.
const SYMBOLS: [(&str, Range); 6] = [
    ("d", Range::new(0, 63)),
    ("h", Range::new(0, 11)),
    ("i", Range::new(0, 127)),
    ("o", Range::new(-5, 5)),
    ("s0", Range::new(1, 40)),
    ("u0", Range::ALL),
];

/// Values beyond this are no part of the tests, so that nothing overflows on the way.
const LIMIT: i128 = 1 << 40;

type Assignment = [i64; SYMBOLS.len()];

impl Tree {
    fn eval(&self, values: &Assignment) -> Option<i128> {
        let value = match self {
            Tree::Int(n) => i128::from(*n),
            Tree::Sym(s) => i128::from(values[*s]),
            Tree::Binary(op, a, b) => op.eval(a.eval(values)?, b.eval(values)?)?,
        };
        (value.abs() < LIMIT).then_some(value)
    }

    fn build(&self, pool: &mut Pool, symbols: &[Sym]) -> Expr {
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
    fn eval(self, a: i128, b: i128) -> Option<i128> {
        let quotient = |a: i128| (b != 0).then(|| (a - (a % b + b) % b) / b);
        Some(match self {
            Op::Add => a + b,
            Op::Sub => a - b,
            Op::Mul => a * b,
            Op::FloorDiv => quotient(a)?,
            Op::CeilDiv => -quotient(-a)?,
            Op::Mod => a - b * quotient(a)?,
            Op::Min => a.min(b),
            Op::Max => a.max(b),
        })
    }

    fn build(self, pool: &mut Pool, a: Expr, b: Expr) -> Expr {
        match self {
            Op::Add => pool.add(a, b),
            Op::Sub => pool.sub(a, b),
            Op::Mul => pool.mul(a, b),
            Op::FloorDiv => pool.floor_div(a, b),
            Op::CeilDiv => pool.ceil_div(a, b),
            Op::Mod => pool.modulo(a, b),
            Op::Min => pool.min(a, b),
            Op::Max => pool.max(a, b),
        }
    }
}

/// A pool with the test's symbols.
fn pool() -> (Pool, Vec<Sym>) {
    let mut pool = Pool::new();
    let symbols = SYMBOLS.map(|(name, range)| pool.symbol(name, range)).to_vec();
    (pool, symbols)
}

fn eval(pool: &Pool, e: Expr, symbols: &[Sym], values: &Assignment) -> Option<i128> {
    let value = pool.eval(e, &|s| Some(values[symbols.iter().position(|&known| known == s)?]));
    value.map(i128::from)
}

fn constants() -> impl Strategy<Value = i64> {
    prop_oneof![prop::sample::select(vec![2, 3, 4, 6, 8, 12, 16, 32, 64, 128, 768, -1, -2, -12]), -9i64..10]
}

fn trees() -> impl Strategy<Value = Tree> {
    let leaf = prop_oneof![constants().prop_map(Tree::Int), (0..SYMBOLS.len()).prop_map(Tree::Sym)];
    let op = prop_oneof![
        3 => Just(Op::Add), 1 => Just(Op::Sub), 1 => Just(Op::Mul), 3 => Just(Op::FloorDiv), 1 => Just(Op::CeilDiv),
        3 => Just(Op::Mod), 1 => Just(Op::Min), 1 => Just(Op::Max),
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

fn assignments() -> impl Strategy<Value = Assignment> {
    let any = prop_oneof![-20i64..20, -5000i64..5000];
    (0i64..64, 0i64..12, 0i64..128, -5i64..6, 1i64..41, any).prop_map(|(d, h, i, o, s, u)| [d, h, i, o, s, u])
}

fn samples() -> impl Strategy<Value = Vec<Assignment>> {
    prop::collection::vec(assignments(), 12)
}

/// More cases than proptest's own number, unless `PROPTEST_CASES` says how many.
fn config() -> ProptestConfig {
    let config = ProptestConfig::default();
    let cases = if std::env::var_os("PROPTEST_CASES").is_some() { config.cases } else { 2000 };
    ProptestConfig { cases, failure_persistence: None, ..config }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn simplifying_keeps_the_value_and_the_range_holds_it(tree in trees(), samples in samples()) {
        let (mut pool, symbols) = pool();
        let e = tree.build(&mut pool, &symbols);
        if pool.is_overflow(e) {
            return Ok(());
        }
        for values in &samples {
            let Some(expected) = tree.eval(values) else { continue };
            prop_assert_eq!(eval(&pool, e, &symbols, values), Some(expected), "{} at {:?}", pool.display(e), values);
            let range = pool.range(e);
            prop_assert!(range.contains(expected.try_into().unwrap()), "{} in {range}", pool.display(e));
        }
    }

    #[test]
    fn text_reads_back_as_the_same_expression(tree in trees()) {
        let (mut pool, symbols) = pool();
        let e = tree.build(&mut pool, &symbols);
        let text = pool.display(e).to_string();
        let back = pool.parse(&text).unwrap();
        prop_assert_eq!(back, e, "{} read as {}", text, pool.display(back));
    }

    #[test]
    fn another_pool_keeps_the_value(tree in trees(), samples in samples()) {
        let (mut pool, symbols) = pool();
        let e = tree.build(&mut pool, &symbols);
        let mut other = Pool::new();
        let imported = other.import(&pool, e, &mut FxHashMap::default());
        if pool.is_overflow(e) {
            return Ok(());
        }
        let theirs: Vec<Option<Sym>> = SYMBOLS.iter().map(|(name, _)| other.find(name)).collect();
        for values in &samples {
            let Some(expected) = tree.eval(values) else { continue };
            let value = other.eval(imported, &|s| Some(values[theirs.iter().position(|&t| t == Some(s))?]));
            prop_assert_eq!(value.map(i128::from), Some(expected));
        }
        let kept: Pool = serde_json::from_str(&serde_json::to_string(&pool).unwrap()).unwrap();
        prop_assert_eq!(kept.display(e).to_string(), pool.display(e).to_string());
    }

    #[test]
    fn proved_divisors_divide(tree in trees(), k in 2i64..13, samples in samples()) {
        let (mut pool, symbols) = pool();
        let e = tree.build(&mut pool, &symbols);
        if pool.divisible_by(e, k) {
            for value in samples.iter().filter_map(|values| tree.eval(values)) {
                prop_assert_eq!(value % i128::from(k), 0, "{} by {}", pool.display(e), k);
            }
        }
    }

    #[test]
    fn linear_parts_add_up(tree in trees(), which in 0..SYMBOLS.len(), samples in samples()) {
        let (mut pool, symbols) = pool();
        let e = tree.build(&mut pool, &symbols);
        let Some((coeff, rest)) = pool.split_linear(e, symbols[which]) else { return Ok(()) };
        prop_assert!(!pool.symbols(rest).contains(&symbols[which]));
        for values in &samples {
            let (Some(whole), Some(rest)) = (tree.eval(values), eval(&pool, rest, &symbols, values)) else { continue };
            prop_assert_eq!(i128::from(coeff) * i128::from(values[which]) + rest, whole, "{}", pool.display(e));
        }
        if let Some((constant, coeffs)) = pool.affine(e) {
            for values in &samples {
                let value = |s: Sym| i128::from(values[symbols.iter().position(|&known| known == s).unwrap()]);
                let total: i128 = coeffs.iter().map(|&(s, c)| i128::from(c) * value(s)).sum();
                prop_assert_eq!(Some(total + i128::from(constant)), eval(&pool, e, &symbols, values));
            }
        }
    }

    #[test]
    fn substitution_is_evaluation_in_two_steps(tree in trees(), image in trees(), samples in samples()) {
        let (mut pool, symbols) = pool();
        let e = tree.build(&mut pool, &symbols);
        if pool.is_overflow(e) {
            return Ok(());
        }
        // The image stays in the range of the symbol that it replaces.
        let image = Tree::Binary(Op::Mod, Box::new(image), Box::new(Tree::Int(64)));
        let replacement = image.build(&mut pool, &symbols);
        let result = pool.subst(e, &FxHashMap::from_iter([(symbols[0], replacement)]));
        if pool.is_overflow(result) {
            return Ok(());
        }
        for values in &samples {
            let Some(inner) = image.eval(values) else { continue };
            let mut shifted = *values;
            shifted[0] = inner.try_into().unwrap();
            let Some(expected) = tree.eval(&shifted) else { continue };
            prop_assert_eq!(eval(&pool, result, &symbols, values), Some(expected), "{}", pool.display(result));
        }
    }

    #[test]
    fn proved_orders_hold(a in trees(), b in trees(), samples in samples()) {
        let (mut pool, symbols) = pool();
        let (left, right) = (a.build(&mut pool, &symbols), b.build(&mut pool, &symbols));
        if pool.proves_le(left, right) {
            for (a, b) in samples.iter().filter_map(|values| a.eval(values).zip(b.eval(values))) {
                prop_assert!(a <= b, "{} <= {}", pool.display(left), pool.display(right));
            }
        }
    }
}
