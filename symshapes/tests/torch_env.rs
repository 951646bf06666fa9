//! Comparison with torch's ShapeEnv (`record_shape_env.py`), asked the same questions: ours accepts every input that
//! torch's guards accept, and none for which an answer would differ.

use serde::Deserialize;
use symshapes::{Dim, EnvOptions, Policy, Pool, Pred, Program, ShapeEnv, SourceId};

/// One recorded environment of three sizes.
#[derive(Deserialize)]
struct Case {
    hints: [i64; 3],
    asked: Vec<(String, bool)>,
    guards: Option<String>,
    accepted: String,
}

/// The inputs that were recorded, in order.
fn boxed() -> impl Iterator<Item = [i64; 3]> {
    (2..11).flat_map(|a| (2..11).flat_map(move |b| (2..11).map(move |c| [a, b, c])))
}

fn program(case: &Case) -> Program {
    let mut env = ShapeEnv::new(EnvOptions::default());
    for (&hint, id) in case.hints.iter().zip(0..) {
        env.size(SourceId::from_u32(id), hint, &Dim::from(Policy::Dynamic), "m.py:1").expect("a size");
    }
    for (text, answer) in &case.asked {
        let pred = env.pool_mut().parse_pred(text).expect("recorded questions parse");
        assert_eq!(env.evaluate(pred, "m.py:2"), Ok(*answer), "{text} of {:?}", case.hints);
    }
    let guards = env.solve().expect("the hints satisfy the guards");
    Program::new(&env, &guards)
}

/// True if every question has the recorded answer for these sizes.
fn right(pool: &Pool, asked: &[(Pred, bool)], values: [i64; 3]) -> bool {
    let value = |sym| ["s0", "s1", "s2"].iter().position(|&name| name == pool.name(sym)).map(|i| values[i]);
    asked.iter().all(|&(pred, answer)| pool.eval_pred(pred, &value) == Some(answer))
}

#[test]
fn accepts_what_torch_accepts_and_nothing_wrong() {
    let cases: Vec<Case> = serde_json::from_str(include_str!("data/shape_env.json")).expect("the recording reads");
    for case in &cases {
        let program = program(case);
        let mut pool = Pool::new();
        let asked: Vec<(Pred, bool)> =
            case.asked.iter().map(|(text, answer)| (pool.parse_pred(text).expect("parses"), *answer)).collect();
        for (values, mark) in boxed().zip(case.accepted.chars()) {
            let read: Vec<i64> = program.sources().iter().map(|id| values[id.as_u32() as usize]).collect();
            let ours = program.accepts(&read);
            assert!(ours || mark == '0', "torch accepts {values:?}: {:?} {:?}", case.asked, case.guards);
            assert_eq!(ours, right(&pool, &asked, values), "{values:?}: {:?}", case.asked);
        }
    }
}
