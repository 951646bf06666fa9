//! Division by what is no constant, and order through bounds: what each rule does, and that what is proved holds for
//! every assignment of a small box.

mod common;

use common::{Op, Tree, config, eval, pool, samples, trees};
use proptest::prelude::*;
use symshapes::{Expr, Pool, Range, Sym, division_laws, order_laws};

/// For each rule an expression that it applies to, and what that becomes. `j` is a position along `s`, `i` one along
/// `b`.
const CASES: &[(&str, &str, &str)] = &[
    ("div_beside_zero", "j // s", "0"),
    ("div_multiple", "(s*i + x) // s", "i + (x//s)"),
    ("div_cancel", "(s*x) // (s*b)", "(x//b)"),
    ("div_split", "(s*x + j) // (2*s)", "(x//2)"),
    ("div_quotient", "(x // s + 1) // b", "((s + x)//(b*s))"),
    ("div_remainder", "(x % (2*s)) // s", "Mod((x//s), 2)"),
    ("mod_beside_zero", "j % s", "j"),
    ("mod_multiple", "(s*i + x) % s", "Mod(x, s)"),
    ("mod_cancel", "(s*x) % (s*b)", "s*Mod(x, b)"),
    ("mod_remainder", "(3*(x % (2*s)) + i) % s", "Mod(i + 3*x, s)"),
    ("mod_split", "(s*x + j) % (2*s)", "j + s*Mod(x, 2)"),
    ("join_quotient", "2*s*(x // (2*s)) + x % (2*s)", "x"),
    ("join_remainder", "s*((x // s) % b) + x % s", "Mod(x, b*s)"),
];

/// For each rule of order what it proves, and what it does not.
const ORDERS: &[(&str, &str, &str, &str)] = &[
    ("less_by_ranges", "k", "s", "k"),
    ("less_of_quotient", "(s*i + j) // s", "b", "b - 1"),
    ("less_at_bounds", "s*k + j", "2*s", "2*s - 1"),
    ("less_at_bounds", "b*s*k + s*i + j", "2*b*s", "2*b*s - 1"),
    ("less_at_bounds", "s*k + x % s", "2*s", "2*s - 1"),
    ("less_at_bounds", "s*k + b*l", "s + 3*b + 1", "s + 3*b"),
];

/// A batch of `b` sequences of `s` rows, twelve heads of 64 in each row.
fn batch() -> (Pool, [Expr; 6]) {
    let mut pool = Pool::new();
    let sizes = ["s", "b"].map(|name| pool.symbol(name, Range::new(2, i64::MAX)));
    let [s, b] = sizes.map(|sym| pool.sym(sym));
    let (heads, width) = (pool.int(12), pool.int(64));
    let positions = [("i", b), ("j", s), ("h", heads), ("d", width)].map(|(name, n)| pool.position(name, n));
    pool.symbol("k", Range::index(2));
    pool.symbol("l", Range::index(4));
    pool.symbol("x", Range::ALL);
    let [i, j, h, d] = positions.map(|sym| pool.sym(sym));
    (pool, [b, s, i, j, h, d])
}

#[test]
fn each_rule_does_what_its_law_says() {
    let laws: Vec<&str> = division_laws().map(|(name, _)| name).collect();
    let cases: Vec<&str> = CASES.iter().map(|case| case.0).collect();
    assert!(laws.ends_with(&cases), "{laws:?}");
    for &(name, text, expected) in CASES {
        let (mut pool, _) = batch();
        let e = pool.parse(text).unwrap();
        assert_eq!(pool.display(e).to_string(), expected, "{name}: {text}");
    }
}

#[test]
fn each_order_is_proved() {
    assert!(order_laws().all(|(name, _)| ORDERS.iter().any(|case| case.0 == name)));
    for &(name, a, b, least) in ORDERS {
        let (mut pool, _) = batch();
        let [a, b, least] = [a, b, least].map(|text| pool.parse(text).unwrap());
        assert!(pool.is_less(a, b), "{name}: {} < {}", pool.display(a), pool.display(b));
        assert!(!pool.is_less(a, least), "{name}: {} < {}", pool.display(a), pool.display(least));
    }
}

#[test]
fn a_flattened_index_gives_its_parts_back_under_symbolic_sizes() {
    let (mut pool, [_, s, i, j, h, d]) = batch();
    let row = {
        let start = pool.mul(i, s);
        pool.add(start, j)
    };
    assert_eq!((pool.floor_div(row, s), pool.modulo(row, s)), (i, j));
    let flat = {
        let start = pool.mul_int(row, 12);
        let head = pool.add(start, h);
        let start = pool.mul_int(head, 64);
        pool.add(start, d)
    };
    let sequence = pool.mul_int(s, 768);
    assert_eq!(pool.floor_div(flat, sequence), i);
    let rest = pool.modulo(flat, sequence);
    let width = pool.int(768);
    assert_eq!(pool.floor_div(rest, width), j);
}

#[test]
fn an_index_that_was_split_under_symbolic_sizes_is_whole_again() {
    let (mut pool, _) = batch();
    let forms = [
        "s*b*(x // (s*b)) + s*((x // s) % b) + x % s",
        "s*b*((x // s) // b) + s*((x // s) % b) + x % s",
        "2*s*(x // (2*s)) + s*((x // s) % 2) + x % s",
        "768*s*(x // (768*s)) + 768*((x // 768) % s) + 64*((x // 64) % 12) + x % 64",
        "(s + 1)*(x // (s + 1)) + x % (s + 1)",
    ];
    let x = pool.parse("x").unwrap();
    for text in forms {
        let e = pool.parse(text).unwrap();
        assert_eq!(e, x, "{text} => {}", pool.display(e));
    }
}

#[test]
fn exact_quotients_and_coefficients() {
    let (mut pool, [b, s, i, j, ..]) = batch();
    let (rows, columns) = (pool.mul(b, s), pool.mul_int(s, 768));
    assert_eq!(pool.exact_div(rows, s), Some(b));
    assert_eq!(pool.exact_div(columns, rows), None);
    let start = pool.mul(i, columns);
    let e = pool.add(start, j);
    let sym = pool.as_sym(i).expect("a position is a symbol");
    assert_eq!(pool.split_term(e, sym), Some((columns, j)));
}

/// Divisors of either sign, products and sums, over the symbols of [`common::SYMBOLS`].
fn divisors() -> impl Strategy<Value = Tree> {
    let constant = prop::sample::select(vec![-3i64, -2, -1, 1, 2, 3, 4, 6]).prop_map(Tree::Int);
    let factor = prop_oneof![(2..5usize).prop_map(Tree::Sym), Just(Tree::Sym(4)), constant];
    let product = (factor.clone(), factor.clone()).prop_map(|(a, b)| binary(Op::Mul, a, b));
    let sum = (factor.clone(), factor.clone()).prop_map(|(a, b)| binary(Op::Add, a, b));
    prop_oneof![1 => factor, 3 => product, 1 => sum]
}

fn binary(op: Op, a: Tree, b: Tree) -> Tree {
    Tree::Binary(op, Box::new(a), Box::new(b))
}

/// Dividends in which multiples of the divisor, of its factors, and remainders stand together.
fn split_indices() -> impl Strategy<Value = Tree> {
    let ops = prop::sample::select(vec![Op::FloorDiv, Op::Mod, Op::FloorDiv, Op::Mod, Op::CeilDiv]);
    (trees(), divisors(), divisors(), ops.clone(), ops, trees()).prop_map(|(x, n, m, first, second, y)| {
        let product = binary(Op::Mul, n.clone(), m.clone());
        let whole = binary(Op::Add, binary(Op::Mul, x, n.clone()), y);
        let outer = binary(first, whole.clone(), product.clone());
        let inner = binary(second, binary(Op::FloorDiv, whole.clone(), n.clone()), m);
        let low = binary(Op::Mod, whole, n.clone());
        let high = binary(Op::Add, binary(Op::Mul, product, outer), binary(Op::Mul, n, inner));
        binary(Op::Add, high, low)
    })
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn splitting_by_symbols_keeps_the_value(tree in split_indices(), samples in samples()) {
        let (mut pool, symbols) = pool();
        let e = tree.build(&mut pool, &symbols);
        if pool.is_overflow(e) {
            return Ok(());
        }
        for values in &samples {
            let Some(expected) = tree.eval_within(values, 1 << 30) else { continue };
            // A joined divisor may leave 64 bits where its factors did not.
            let Some(value) = eval(&pool, e, &symbols, values) else { continue };
            prop_assert_eq!(value, expected, "{} at {:?}", pool.display(e), values);
            let range = pool.range(e);
            prop_assert!(range.contains(expected.try_into().unwrap()), "{} in {range}", pool.display(e));
        }
    }

    #[test]
    fn proved_orders_hold_for_every_position(
        terms in prop::collection::vec((-3i64..4, 0..7usize, 0..7usize), 1..5),
        bound in prop::collection::vec((-3i64..4, 0..2usize, 0..3usize), 1..3),
        modulus in 0..3usize,
    ) {
        let mut grid = Grid::new();
        let (a, b) = (grid.polynomial(&terms, modulus), grid.polynomial(&bound, modulus));
        if grid.pool.is_less(a, b) {
            for values in grid.assignments() {
                let value = |e: Expr| grid.eval(e, &values);
                if let (Some(a_value), Some(b_value)) = (value(a), value(b)) {
                    let texts = [a, b].map(|e| grid.pool.display(e).to_string());
                    prop_assert!(a_value < b_value, "{} < {} at {:?}", texts[0], texts[1], values);
                }
            }
        }
    }
}

/// Two sizes, a position along each, one along their product, and a plain integer of two values.
struct Grid {
    pool: Pool,
    symbols: Vec<Sym>,
}

impl Grid {
    fn new() -> Grid {
        let mut pool = Pool::new();
        let sizes = ["n", "m"].map(|name| pool.symbol(name, Range::new(1, i64::MAX)));
        let [n, m] = sizes.map(|sym| pool.sym(sym));
        let area = pool.mul(n, m);
        let positions = [("i", n), ("j", m), ("p", area)].map(|(name, extent)| pool.position(name, extent));
        let plain = pool.symbol("k", Range::new(-1, 1));
        let symbols = sizes.into_iter().chain(positions).chain([plain]).collect();
        Grid { pool, symbols }
    }

    /// The sum of `c*f*g`, where the factors are 1, the symbols, and a remainder of the longest position.
    fn polynomial(&mut self, terms: &[(i64, usize, usize)], modulus: usize) -> Expr {
        let pool = &mut self.pool;
        let symbols: Vec<Expr> = self.symbols.iter().map(|&sym| pool.sym(sym)).collect();
        let divisor = [symbols[0], symbols[1], pool.mul_int(symbols[0], 2)][modulus];
        let rest = pool.modulo(symbols[4], divisor);
        let factors = [&symbols[..], &[rest]].concat();
        let mut total = pool.int(0);
        for &(coeff, f, g) in terms {
            let second = if g == f { Expr::ONE } else { factors[g] };
            let product = pool.mul(factors[f], second);
            let product = pool.mul_int(product, coeff);
            total = pool.add(total, product);
        }
        total
    }

    fn assignments(&self) -> impl Iterator<Item = Vec<i64>> + use<> {
        let sizes = (1..4).flat_map(|n| (1..4).map(move |m| (n, m)));
        sizes.flat_map(|(n, m)| {
            let positions = (0..n).flat_map(move |i| (0..m).map(move |j| (i, j)));
            let points = positions.flat_map(move |(i, j)| (0..n * m).map(move |p| (i, j, p)));
            points.flat_map(move |(i, j, p)| (-1..2).map(move |k| vec![n, m, i, j, p, k]))
        })
    }

    fn eval(&self, e: Expr, values: &[i64]) -> Option<i64> {
        self.pool.eval(e, &|sym| Some(values[self.symbols.iter().position(|&s| s == sym)?]))
    }
}
