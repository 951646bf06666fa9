//! Predicates: what they simplify to, and a naive evaluation beside it.

mod common;

use common::{Assignment, Tree, config, pool, samples, trees};
use expect_test::expect;
use proptest::prelude::*;
use rustc_hash::FxHashMap;
use symshapes::{Pool, Pred, Range, Sym};

/// The syntax tree of a predicate.
#[derive(Clone, Debug)]
enum Formula {
    Eq(Tree, Tree),
    Ne(Tree, Tree),
    Le(Tree, Tree),
    Lt(Tree, Tree),
    Not(Box<Formula>),
    And(Vec<Formula>),
    Or(Vec<Formula>),
}

impl Formula {
    /// The truth, if every part has a value.
    fn eval(&self, values: &Assignment) -> Option<bool> {
        Some(match self {
            Formula::Eq(a, b) => a.eval(values)? == b.eval(values)?,
            Formula::Ne(a, b) => a.eval(values)? != b.eval(values)?,
            Formula::Le(a, b) => a.eval(values)? <= b.eval(values)?,
            Formula::Lt(a, b) => a.eval(values)? < b.eval(values)?,
            Formula::Not(inner) => !inner.eval(values)?,
            Formula::And(all) => all.iter().map(|f| f.eval(values)).collect::<Option<Vec<_>>>()?.into_iter().all(|b| b),
            Formula::Or(any) => any.iter().map(|f| f.eval(values)).collect::<Option<Vec<_>>>()?.into_iter().any(|b| b),
        })
    }

    fn build(&self, pool: &mut Pool, symbols: &[Sym]) -> Pred {
        match self {
            Formula::Eq(a, b) => {
                let (a, b) = (a.build(pool, symbols), b.build(pool, symbols));
                pool.eq(a, b)
            }
            Formula::Ne(a, b) => {
                let (a, b) = (a.build(pool, symbols), b.build(pool, symbols));
                pool.ne(a, b)
            }
            Formula::Le(a, b) => {
                let (a, b) = (a.build(pool, symbols), b.build(pool, symbols));
                pool.le(a, b)
            }
            Formula::Lt(a, b) => {
                let (a, b) = (a.build(pool, symbols), b.build(pool, symbols));
                pool.lt(a, b)
            }
            Formula::Not(inner) => {
                let inner = inner.build(pool, symbols);
                pool.not(inner)
            }
            Formula::And(all) => {
                let all: Vec<Pred> = all.iter().map(|f| f.build(pool, symbols)).collect();
                pool.all(all)
            }
            Formula::Or(any) => {
                let any: Vec<Pred> = any.iter().map(|f| f.build(pool, symbols)).collect();
                pool.any(any)
            }
        }
    }
}

/// Sums of few symbols, so that relations often follow from each other.
fn sides() -> impl Strategy<Value = Tree> {
    let small = (0usize..6, -3i64..4).prop_map(|(sym, k)| {
        let shifted = (Box::new(Tree::Sym(sym)), Box::new(Tree::Int(k)));
        Tree::Binary(common::Op::Add, shifted.0, shifted.1)
    });
    prop_oneof![4 => small, 2 => (-3i64..4).prop_map(Tree::Int), 1 => trees()]
}

fn formulas() -> impl Strategy<Value = Formula> {
    let leaf = prop_oneof![
        (sides(), sides()).prop_map(|(a, b)| Formula::Eq(a, b)),
        (sides(), sides()).prop_map(|(a, b)| Formula::Ne(a, b)),
        (sides(), sides()).prop_map(|(a, b)| Formula::Le(a, b)),
        (sides(), sides()).prop_map(|(a, b)| Formula::Lt(a, b)),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            inner.clone().prop_map(|f| Formula::Not(Box::new(f))),
            prop::collection::vec(inner.clone(), 1..4).prop_map(Formula::And),
            prop::collection::vec(inner, 1..4).prop_map(Formula::Or),
        ]
    })
}

fn truth(pool: &Pool, p: Pred, symbols: &[Sym], values: &Assignment) -> Option<bool> {
    pool.eval_pred(p, &|s| Some(values[symbols.iter().position(|&known| known == s)?]))
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn simplifying_keeps_the_truth(formula in formulas(), samples in samples()) {
        let (mut pool, symbols) = pool();
        let p = formula.build(&mut pool, &symbols);
        let opposite = pool.not(p);
        prop_assert_eq!(pool.not(opposite), p);
        let identity: FxHashMap<_, _> = symbols.iter().map(|&s| (s, pool.sym(s))).collect();
        let again = pool.subst_pred(p, &identity);
        for values in &samples {
            let Some(expected) = formula.eval(values) else { continue };
            for (p, expected) in [(p, expected), (opposite, !expected), (again, expected)] {
                if let Some(actual) = truth(&pool, p, &symbols, values) {
                    prop_assert_eq!(actual, expected, "{} at {:?}", pool.display_pred(p), values);
                }
            }
        }
    }

    #[test]
    fn text_reads_back_as_the_same_predicate(formula in formulas()) {
        let (mut pool, symbols) = pool();
        let p = formula.build(&mut pool, &symbols);
        let text = pool.display_pred(p).to_string();
        let back = pool.parse_pred(&text).unwrap();
        prop_assert_eq!(back, p, "{} read as {}", text, pool.display_pred(back));
    }

    #[test]
    fn what_is_implied_follows(p in formulas(), q in formulas(), samples in samples()) {
        let (mut pool, symbols) = pool();
        let (left, right) = (p.build(&mut pool, &symbols), q.build(&mut pool, &symbols));
        if pool.implies(left, right) {
            for (p, q) in samples.iter().filter_map(|values| p.eval(values).zip(q.eval(values))) {
                prop_assert!(!p || q, "{} => {}", pool.display_pred(left), pool.display_pred(right));
            }
        }
    }
}

#[test]
fn golden_predicates() {
    let mut pool = Pool::new();
    for name in ["n", "m"] {
        pool.symbol(name, Range::new(2, i64::MAX));
    }
    let texts = "
        n > 1
        n < 2
        n < 3
        2*n <= 9
        n <= m
        n < m
        n >= m + 3
        Eq(2*n, 4*m)
        Eq(2*n, 4*m + 1)
        Ne(n, 0)
        Eq(s0, 2)
        Eq(Mod(n, 2), 0)
        n <= n*m
        Ne(n, n*m)
        n*m <= n*n*m
        s0 >= 4
        ~(s0 >= 4)
        n < 5 & n < 7
        n < 5 | n < 7
        n < 5 & n > 7
        n < 5 | n >= 5
        Eq(s0, 2) & s0 < 7
        Eq(s0, 2) & Ne(s0, 3)
        Eq(s0, 2) & Ne(s0, 2)
        And(Eq(s0, 2), Or(s1 < 3, Not(Eq(s2, s1))))
        not (Eq(s0, 2) and s1 < 3)
        (s0 + 1) < 3 & (s0 < s1)
        ((s0)) < 3
        True & s0 < s1
        s0 <= 9223372036854775807
        s0 < -9223372036854775808
        s0
        s0 <
        Eq(s0)
    ";
    let mut actual = String::new();
    for text in texts.lines().map(str::trim).filter(|line| !line.is_empty()) {
        match pool.parse_pred(text) {
            Ok(p) => actual += &format!("{text} => {}\n", pool.display_pred(p)),
            Err(error) => actual += &format!("{error}\n"),
        }
    }
    expect![[r#"
        n > 1 => True
        n < 2 => False
        n < 3 => n <= 2
        2*n <= 9 => n <= 4
        n <= m => n <= m
        n < m => n < m
        n >= m + 3 => m <= n - 3
        Eq(2*n, 4*m) => Eq(n, 2*m)
        Eq(2*n, 4*m + 1) => False
        Ne(n, 0) => True
        Eq(s0, 2) => Eq(s0, 2)
        Eq(Mod(n, 2), 0) => Eq(Mod(n, 2), 0)
        n <= n*m => True
        Ne(n, n*m) => True
        n*m <= n*n*m => True
        s0 >= 4 => s0 >= 4
        ~(s0 >= 4) => s0 <= 3
        n < 5 & n < 7 => n <= 4
        n < 5 | n < 7 => n <= 6
        n < 5 & n > 7 => False
        n < 5 | n >= 5 => True
        Eq(s0, 2) & s0 < 7 => Eq(s0, 2)
        Eq(s0, 2) & Ne(s0, 3) => Eq(s0, 2)
        Eq(s0, 2) & Ne(s0, 2) => False
        And(Eq(s0, 2), Or(s1 < 3, Not(Eq(s2, s1)))) => ((s1 <= 2) | Ne(s1, s2)) & Eq(s0, 2)
        not (Eq(s0, 2) and s1 < 3) => (s1 >= 3) | Ne(s0, 2)
        (s0 + 1) < 3 & (s0 < s1) => (s0 < s1) & (s0 <= 1)
        ((s0)) < 3 => s0 <= 2
        True & s0 < s1 => s0 < s1
        s0 <= 9223372036854775807 => s0 <= 9223372036854775807
        s0 < -9223372036854775808 => Unknown
        `s0`: expected a relation, found the end
        `s0 <`: expected a number, a name or `(`, found the end
        `Eq(s0)`: `Eq` with 1 arguments
    "#]]
    .assert_eq(&actual);
}
