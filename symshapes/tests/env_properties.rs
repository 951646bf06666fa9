//! The shape environment against enumeration: what is kept accepts exactly the inputs that give every question its
//! answer.

use proptest::prelude::*;
use symshapes::{Dim, EnvOptions, Expr, Policy, Pool, Pred, Program, ShapeEnv, SourceId};

const INPUTS: usize = 3;
type Values = [i64; INPUTS];

/// A relation of an expression with zero.
#[derive(Clone, Copy, Debug)]
enum Relation {
    Eq,
    Ne,
    Le,
}

/// An expression with its own evaluation.
#[derive(Clone, Debug)]
enum Term {
    Linear(Values, i64),
    Rest(Values, i64, i64),
    Quotient(Values, i64, i64),
    Product(usize, usize, i64),
    Greater(usize, usize, i64),
    Power(usize, usize, i64),
    PowerOf(i64, usize, i64),
}

#[derive(Clone, Debug)]
struct Atom {
    term: Term,
    relation: Relation,
}

/// A question: one of the atoms holds.
#[derive(Clone, Debug)]
struct Question(Vec<Atom>);

fn linear(coeffs: &Values, values: &Values) -> i64 {
    coeffs.iter().zip(values).map(|(c, v)| c * v).sum()
}

/// Sizes are below 13, so that every power fits.
fn power(base: i64, exponent: i64) -> i64 {
    base.pow(u32::try_from(exponent).expect("a size"))
}

fn build_linear(pool: &mut Pool, coeffs: &Values, sizes: &[Expr]) -> Expr {
    let zero = pool.int(0);
    coeffs.iter().zip(sizes).fold(zero, |sum, (&c, &size)| {
        let scaled = pool.mul_int(size, c);
        pool.add(sum, scaled)
    })
}

impl Term {
    fn eval(&self, values: &Values) -> i64 {
        match self {
            Term::Linear(c, k) => linear(c, values) + k,
            Term::Rest(c, n, k) => linear(c, values).rem_euclid(*n) - k,
            Term::Quotient(c, n, k) => linear(c, values).div_euclid(*n) - k,
            Term::Product(a, b, k) => values[*a] * values[*b] - k,
            Term::Greater(a, b, k) => values[*a].max(values[*b]) - k,
            Term::Power(a, b, k) => power(values[*a], values[*b]) - k,
            Term::PowerOf(base, b, k) => power(*base, values[*b]) - k,
        }
    }

    fn build(&self, pool: &mut Pool, sizes: &[Expr]) -> Expr {
        let (e, k) = match self {
            Term::Linear(c, k) => (build_linear(pool, c, sizes), -k),
            Term::Rest(c, n, k) => {
                let e = build_linear(pool, c, sizes);
                (pool.modulo_int(e, *n), *k)
            }
            Term::Quotient(c, n, k) => {
                let e = build_linear(pool, c, sizes);
                (pool.floor_div_int(e, *n), *k)
            }
            Term::Product(a, b, k) => (pool.mul(sizes[*a], sizes[*b]), *k),
            Term::Greater(a, b, k) => (pool.max(sizes[*a], sizes[*b]), *k),
            Term::Power(a, b, k) => (pool.pow(sizes[*a], sizes[*b]), *k),
            Term::PowerOf(base, b, k) => {
                let base = pool.int(*base);
                (pool.pow(base, sizes[*b]), *k)
            }
        };
        pool.add_int(e, -k)
    }
}

impl Question {
    fn eval(&self, values: &Values) -> bool {
        self.0.iter().any(|atom| {
            let value = atom.term.eval(values);
            match atom.relation {
                Relation::Eq => value == 0,
                Relation::Ne => value != 0,
                Relation::Le => value <= 0,
            }
        })
    }

    fn build(&self, pool: &mut Pool, sizes: &[Expr]) -> Pred {
        let mut atoms = Vec::new();
        for atom in &self.0 {
            let (e, zero) = (atom.term.build(pool, sizes), pool.int(0));
            atoms.push(match atom.relation {
                Relation::Eq => pool.eq(e, zero),
                Relation::Ne => pool.ne(e, zero),
                Relation::Le => pool.le(e, zero),
            });
        }
        pool.any(atoms)
    }
}

fn terms() -> impl Strategy<Value = Term> {
    let coeffs = || [-2i64..3, -2i64..3, -2i64..3];
    prop_oneof![
        4 => (coeffs(), -9i64..10).prop_map(|(c, k)| Term::Linear(c, k)),
        2 => (0..INPUTS, 2i64..6).prop_map(|(i, n)| {
            let mut c = [0; INPUTS];
            c[i] = 1;
            Term::Rest(c, n, 0)
        }),
        1 => (coeffs(), 2i64..5, 0i64..3).prop_map(|(c, n, k)| Term::Rest(c, n, k)),
        1 => (coeffs(), 2i64..5, -2i64..6).prop_map(|(c, n, k)| Term::Quotient(c, n, k)),
        1 => (0..INPUTS, 0..INPUTS, 4i64..60).prop_map(|(a, b, k)| Term::Product(a, b, k)),
        1 => (0..INPUTS, 0..INPUTS, 2i64..12).prop_map(|(a, b, k)| Term::Greater(a, b, k)),
        1 => (0..INPUTS, 0..INPUTS, 1i64..300).prop_map(|(a, b, k)| Term::Power(a, b, k)),
        1 => (-3i64..4, 0..INPUTS, -9i64..70).prop_map(|(base, b, k)| Term::PowerOf(base, b, k)),
    ]
}

fn questions() -> impl Strategy<Value = Vec<Question>> {
    let relation = prop_oneof![1 => Just(Relation::Eq), 1 => Just(Relation::Ne), 2 => Just(Relation::Le)];
    let atom = (terms(), relation).prop_map(|(term, relation)| Atom { term, relation }).boxed();
    let question = prop_oneof![
        5 => prop::collection::vec(atom.clone(), 1),
        1 => prop::collection::vec(atom, 2..3),
    ];
    prop::collection::vec(question.prop_map(Question), 0..7)
}

fn boxed() -> impl Iterator<Item = Values> {
    (0..13).flat_map(|a| (0..13).flat_map(move |b| (0..13).map(move |c| [a, b, c])))
}

/// True if the inputs satisfy what the policy alone demands.
fn admitted(policy: Policy, hints: &Values, values: &Values) -> bool {
    let fits = |(&hint, &value): (&i64, &i64)| if hint < 2 { value == hint } else { value >= 2 };
    let same = |i: usize, j: usize| policy != Policy::Duck || hints[i] != hints[j] || values[i] == values[j];
    hints.iter().zip(values).all(fits) && same(0, 1) && same(0, 2) && same(1, 2)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn kept_guards_accept_exactly_the_right_inputs(
        hints in [0i64..13, 2i64..13, 2i64..13],
        policy in prop_oneof![Just(Policy::Duck), Just(Policy::Dynamic)],
        questions in questions(),
    ) {
        let mut env = ShapeEnv::new(EnvOptions::default());
        let sizes: Vec<Expr> = hints
            .iter()
            .zip(0..)
            .map(|(&hint, id)| env.size(SourceId::from_u32(id), hint, &Dim::from(policy), "m.py:1").expect("a size"))
            .collect();
        for question in &questions {
            let pred = question.build(env.pool_mut(), &sizes);
            prop_assert_eq!(env.evaluate(pred, "m.py:2"), Ok(question.eval(&hints)));
        }
        let guards = env.solve().expect("the hints satisfy the guards");
        let program = Program::new(&env, &guards);
        let parts: Vec<(Expr, Expr, &Term)> = questions
            .iter()
            .flat_map(|question| &question.0)
            .map(|atom| {
                let e = atom.term.build(env.pool_mut(), &sizes);
                (e, env.simplify(e), &atom.term)
            })
            .collect();
        let owners: Vec<_> = env.inputs().map(|input| input.owned).collect();
        for values in boxed() {
            let right = admitted(policy, &hints, &values)
                && questions.iter().all(|question| question.eval(&values) == question.eval(&hints));
            let read: Vec<i64> = program.sources().iter().map(|id| values[id.as_u32() as usize]).collect();
            let source = |id: SourceId| values.get(id.as_u32() as usize).copied();
            let slow = guards.checks.iter().all(|kept| env.eval_check(&kept.check, &source) == Some(true));
            prop_assert_eq!(program.accepts(&read), right, "{:?}", values);
            prop_assert_eq!(slow, right, "{:?}", values);
            if right {
                let symbol = |sym| owners.iter().position(|&owner| owner == Some(sym)).map(|i| values[i]);
                for (e, simple, term) in &parts {
                    prop_assert_eq!(env.pool().eval(*e, &symbol), Some(term.eval(&values)));
                    prop_assert_eq!(env.pool().eval(*simple, &symbol), Some(term.eval(&values)));
                }
            }
        }
    }
}
