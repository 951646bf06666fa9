//! Goldens of the shape environment: what is guarded, how it prints, and what errors say.

use expect_test::{Expect, expect};
use symshapes::{
    Constraint, Dim, EnvError, EnvOptions, Expr, Policy, Power, Program, Range, ShapeEnv, SourceId, StrideInputs,
};

/// Sources of the tests: `L['a'].size()[0]`, `L['b'].size()[0]`, ….
fn name(id: SourceId) -> String {
    let letter = char::from(b'a' + u8::try_from(id.as_u32()).expect("a test has few inputs"));
    format!("L['{letter}'].size()[0]")
}

/// An environment with one dynamic size per hint, named `s0`, `s1`, ….
fn sizes(hints: &[i64]) -> (ShapeEnv, Vec<Expr>) {
    let mut env = ShapeEnv::new(EnvOptions::default());
    let dim = Dim::from(Policy::Dynamic);
    let exprs = hints.iter().zip(0..).map(|(&hint, id)| env.size(SourceId::from_u32(id), hint, &dim, "m.py:1"));
    let exprs = exprs.collect::<Result<Vec<_>, _>>().expect("hints are sizes");
    (env, exprs)
}

fn ask(env: &mut ShapeEnv, text: &str, line: usize) -> Result<bool, EnvError> {
    let pred = env.pool_mut().parse_pred(text).expect("a test's predicate parses");
    env.evaluate(pred, &format!("m.py:{line}"))
}

/// Asks each line, prints the answers and what is left to check.
fn check(hints: &[i64], questions: &[&str], expected: &Expect) {
    let (mut env, _) = sizes(hints);
    let mut text = String::new();
    for (line, question) in questions.iter().enumerate() {
        let before = env.guards().len();
        let answer = ask(&mut env, question, line + 10);
        let how = if env.guards().len() > before { "guarded" } else { "known" };
        text += &match answer {
            Ok(answer) => format!("{question}: {answer}, {how}\n"),
            Err(error) => format!("{question}: {error}\n"),
        };
    }
    let guards = env.solve().expect("the hints satisfy the guards");
    for line in env.print_guards(&guards, &name) {
        text += &format!("  {line}\n");
    }
    expected.assert_eq(&text);
}

#[test]
fn powers_are_guarded_by_the_sign_of_the_exponent() {
    let mut env = ShapeEnv::new(EnvOptions::default());
    let base = env.int(SourceId::from_u32(0), 3, Policy::Dynamic);
    let exponent = env.int(SourceId::from_u32(1), -2, Policy::Dynamic);
    let Ok(Power::Float(float)) = env.power(base, exponent, "m.py:7") else { panic!("a float") };
    assert_eq!(env.pool().display_float(float).to_string(), "FloatPow(ToFloat(s0), ToFloat(s1))");
    let (below, opposite) = (env.pool_mut().int(-2), env.pool_mut().neg(exponent));
    let nine = env.pool_mut().int(9);
    let Ok(Power::Int(int)) = env.power(base, opposite, "m.py:8") else { panic!("an integer") };
    let question = env.pool_mut().eq(int, nine);
    assert_eq!(env.evaluate(question, "m.py:9"), Ok(true));
    assert!(matches!(env.power(base, below, "m.py:10"), Ok(Power::Float(_))));
    let guards = env.solve().expect("the hints satisfy the guards");
    expect![[r#"
        [
            "L['b'].size()[0] <= -1",
            "(L['a'].size()[0] ** (-L['b'].size()[0])) == 9",
        ]
    "#]]
    .assert_debug_eq(&env.print_guards(&guards, &name));
    let program = Program::new(&env, &guards);
    let kept: Program = serde_json::from_str(&serde_json::to_string(&program).expect("serialises")).expect("reads");
    for (values, accepted) in [([3, -2], true), ([-3, -2], true), ([3, -1], false), ([3, 2], false), ([9, -1], true)] {
        let read: Vec<i64> = kept.sources().iter().map(|id| values[id.as_u32() as usize]).collect();
        assert_eq!(kept.accepts(&read), accepted, "{values:?}");
    }
}

#[test]
fn ranges() {
    check(
        &[9],
        &["2*s0 >= 16", "s0 > 3", "s0 <= 64", "s0 == 1"],
        &expect![[r#"
        2*s0 >= 16: true, guarded
        s0 > 3: true, known
        s0 <= 64: true, guarded
        s0 == 1: false, known
          8 <= L['a'].size()[0] <= 64
    "#]],
    );
}

#[test]
fn replacements() {
    check(
        &[4, 8, 8],
        &["s1 == 2*s0", "s2 == s1", "s2 == 2*s0", "s1 > 6", "s1 % 2 == 0"],
        &expect![[r#"
        s1 == 2*s0: true, guarded
        s2 == s1: true, guarded
        s2 == 2*s0: true, known
        s1 > 6: true, guarded
        s1 % 2 == 0: true, known
          L['b'].size()[0] == 2*L['a'].size()[0]
          L['c'].size()[0] == 2*L['a'].size()[0]
          4 <= L['a'].size()[0]
    "#]],
    );
}

#[test]
fn divisibility() {
    check(
        &[16, 5],
        &["s0 % 4 == 0", "4*(s0 // 4) == s0", "s0 % 2 == 0", "s0 % 8 == 0", "s0 // 8 == 2"],
        &expect![[r#"
        s0 % 4 == 0: true, guarded
        4*(s0 // 4) == s0: true, known
        s0 % 2 == 0: true, known
        s0 % 8 == 0: true, guarded
        s0 // 8 == 2: true, guarded
          L['a'].size()[0] == 16
          2 <= L['b'].size()[0]
    "#]],
    );
}

#[test]
fn redundant_relations() {
    check(
        &[3, 5, 9],
        &["s0 < s1", "s1 < s2", "s0 < s2", "s0 + s1 < 2*s2", "s0 != s2"],
        &expect![[r#"
        s0 < s1: true, guarded
        s1 < s2: true, guarded
        s0 < s2: true, guarded
        s0 + s1 < 2*s2: true, guarded
        s0 != s2: true, known
          2 <= L['a'].size()[0]
          2 <= L['b'].size()[0]
          2 <= L['c'].size()[0]
          L['a'].size()[0] < L['b'].size()[0]
          L['b'].size()[0] < L['c'].size()[0]
    "#]],
    );
}

#[test]
fn specialisation() {
    check(
        &[7, 7],
        &["s0 == 7", "s1 != 2", "s0*s1 == 49"],
        &expect![[r#"
        s0 == 7: true, guarded
        s1 != 2: true, guarded
        s0*s1 == 49: true, guarded
          L['a'].size()[0] == 7
          L['b'].size()[0] == 7
    "#]],
    );
}

#[test]
fn duck_shapes_share_symbols() {
    let mut env = ShapeEnv::new(EnvOptions::default());
    for (id, hint) in [(0, 8), (1, 8), (2, 1), (3, 0), (4, 5)] {
        env.size(SourceId::from_u32(id), hint, &Dim::default(), "m.py:1").expect("a size");
    }
    let guards = env.solve().expect("satisfiable");
    expect![[r#"
        L['b'].size()[0] == L['a'].size()[0]
        L['c'].size()[0] == 1
        L['d'].size()[0] == 0
        2 <= L['a'].size()[0]
        2 <= L['e'].size()[0]"#]]
    .assert_eq(&env.print_guards(&guards, &name).join("\n"));

    let mut env = ShapeEnv::new(EnvOptions { duck_shape: false, ..EnvOptions::default() });
    for id in 0..2 {
        env.size(SourceId::from_u32(id), 8, &Dim::default(), "m.py:1").expect("a size");
    }
    let guards = env.solve().expect("satisfiable");
    expect![[r#"
        2 <= L['a'].size()[0]
        2 <= L['b'].size()[0]"#]]
    .assert_eq(&env.print_guards(&guards, &name).join("\n"));
}

#[test]
fn strides_are_products() {
    let strides = |size_hints: &[i64], stride_hints: &[i64]| {
        let (mut env, sizes) = sizes(size_hints);
        let sources: Vec<SourceId> = (20..).take(sizes.len()).map(SourceId::from_u32).collect();
        let tensor = StrideInputs { sources: &sources, sizes: &sizes, size_hints, stride_hints };
        let strides = env.strides(tensor, "m.py:1").expect("small products");
        strides.iter().map(|&e| env.pool().display(e).to_string()).collect::<Vec<_>>().join(", ")
    };
    let text = [
        strides(&[2, 3, 4, 5], &[60, 20, 5, 1]),
        strides(&[2, 3, 4, 5], &[60, 1, 15, 3]),
        strides(&[2, 3, 4], &[0, 4, 1]),
        strides(&[6, 4], &[9, 1]),
    ];
    expect![[r#"
        s1*s2*s3, s2*s3, s3, 1
        s1*s2*s3, 1, s1*s3, s1
        0, s2, 1
        s2, 1"#]]
    .assert_eq(&text.join("\n"));
}

#[test]
fn unbacked_symbols_are_asserted() {
    let (mut env, sizes) = sizes(&[8]);
    let u0 = env.unbacked_size();
    let u0 = env.pool_mut().sym(u0);
    let mut text = String::new();
    text += &format!("{}\n", ask(&mut env, "u0 == 8", 2).expect_err("it depends on data"));
    let one = env.pool_mut().int(1);
    let is_one = env.pool_mut().eq(u0, one);
    text += &format!("oblivious: {:?}\n", env.guard_size_oblivious(is_one, "m.py:3"));
    let bounded = env.pool_mut().le(u0, sizes[0]);
    env.check(bounded, "too many", "m.py:4").expect("it may hold");
    text += &format!("u0 <= s0: {:?}\n", env.statically_known(bounded));
    let equal = env.pool_mut().eq(u0, sizes[0]);
    env.check(equal, "not all", "m.py:5").expect("it may hold");
    let simple = env.simplify(u0);
    text += &format!("u0 is {}\n", env.pool().display(simple));
    let failing = env.pool_mut().lt(sizes[0], one);
    text += &format!("{}\n", env.check(failing, "empty", "m.py:6").expect_err("sizes are 2 or more"));
    for assertion in env.assertions() {
        text += &format!("{}: {} ({})\n", assertion.message, env.pool().display_pred(assertion.pred), assertion.at);
    }
    expect![[r#"
        Eq(u0, 8) depends on data: u0 is known only when the program runs (m.py:2); torch._check may state it
        oblivious: Ok(false)
        u0 <= s0: Some(true)
        u0 is s0
        empty: False does not hold (m.py:6)
        too many: u0 <= s0 (m.py:4)
        not all: Eq(s0, u0) (m.py:5)
    "#]]
    .assert_eq(&text);
}

#[test]
fn violated_promises() {
    let mut env = ShapeEnv::new(EnvOptions::default());
    for (id, hint) in [(0, 8), (1, 16), (2, 9), (3, 12)] {
        let constraint = Constraint::marked(Range::new(2, 64), format!("train.py:{}", id + 1));
        let dim = Dim { policy: Policy::Dynamic, constraint: Some(constraint) };
        env.size(SourceId::from_u32(id), hint, &dim, "m.py:1").expect("a size");
    }
    for (line, question) in ["s0 == 8", "s1 <= 32", "s3 % 4 == 0", "s2 < s1"].iter().enumerate() {
        assert!(ask(&mut env, question, line + 10).expect("backed"));
    }
    let guards = env.solve().expect("satisfiable");
    let violations = env.violations(&guards);
    let text: Vec<String> = violations.iter().map(|v| env.describe(v, &name)).collect();
    expect![[r#"
        L['a'].size()[0]: train.py:1 promises every size in [2, 64], but it was specialised to 8, because of m.py:10
          Suggested fix: mark_static L['a'].size()[0] = 8, or remove what depends on its value
        L['b'].size()[0]: train.py:2 promises every size in [2, 64], but it must lie in [2, 32], because of m.py:11
          Suggested fix: mark_dynamic L['b'].size()[0] with min=2, max=32
        L['b'].size()[0]: train.py:2 promises every size in [2, 64], but L['c'].size()[0] < L['b'].size()[0] must hold, because of m.py:13
          Suggested fix: use maybe_mark_dynamic for L['b'].size()[0], or remove the comparison
        L['c'].size()[0]: train.py:3 promises every size in [2, 64], but L['c'].size()[0] < L['b'].size()[0] must hold, because of m.py:13
          Suggested fix: use maybe_mark_dynamic for L['c'].size()[0], or remove the comparison
        L['d'].size()[0]: train.py:4 promises every size in [2, 64], but 4 must divide L['d'].size()[0], because of m.py:12
          Suggested fix: declare L['d'].size()[0] = 4*dim, or use maybe_mark_dynamic"#]].assert_eq(&text.join("\n"));
}

/// Checks the reports on sizes with promises once the questions, from line 10 on, are answered.
fn promised(hints: &[(i64, Option<Range>)], questions: &[&str], expected: &Expect) {
    let mut env = ShapeEnv::new(EnvOptions::default());
    for (&(hint, range), id) in hints.iter().zip(0..) {
        let constraint = range.map(|range| Constraint::marked(range, format!("train.py:{}", id + 1)));
        let dim = Dim { policy: Policy::Dynamic, constraint };
        env.size(SourceId::from_u32(id), hint, &dim, "m.py:1").expect("a size");
    }
    for (line, question) in questions.iter().enumerate() {
        assert!(ask(&mut env, question, line + 10).expect("backed"));
    }
    let guards = env.solve().expect("satisfiable");
    let violations = env.violations(&guards);
    let text: Vec<String> = violations.iter().map(|v| env.describe(v, &name)).collect();
    expected.assert_eq(&text.join("\n"));
}

#[test]
fn promises_linked_by_equality() {
    let range = Some(Range::new(2, 64));
    // What is demanded of the other input is demanded of this one; the equality alone breaks nothing.
    promised(&[(8, None), (8, range)], &["s0 == s1"], &expect![[""]]);
    promised(
        &[(8, None), (8, range)],
        &["s0 == s1", "s0 <= 32"],
        &expect![[r#"
        L['b'].size()[0]: train.py:2 promises every size in [2, 64], but it must lie in [2, 32], because of m.py:11
          Suggested fix: mark_dynamic L['b'].size()[0] with min=2, max=32"#]],
    );
    promised(
        &[(8, range), (8, None)],
        &["s0 == s1", "s1 % 4 == 0"],
        &expect![[r#"
        L['a'].size()[0]: train.py:1 promises every size in [2, 64], but 4 must divide L['a'].size()[0], because of m.py:11
          Suggested fix: declare L['a'].size()[0] = 4*dim, or use maybe_mark_dynamic"#]],
    );
    // Two promises of independent sizes cannot both be kept.
    promised(
        &[(8, range), (8, range)],
        &["s0 == s1"],
        &expect![[r#"
        L['b'].size()[0]: train.py:2 promises every size in [2, 64], but it must equal L['a'].size()[0], because of m.py:10
          Suggested fix: declare L['b'].size()[0] = L['a'].size()[0], or use maybe_mark_dynamic"#]],
    );
}

#[test]
fn a_promise_of_all_values_is_broken_by_a_constant_alone() {
    let all = Some(Range::ALL);
    promised(&[(8, all), (8, all)], &["s0 == s1", "s0 <= 512", "s0 % 2 == 0"], &expect![[""]]);
    promised(
        &[(8, all)],
        &["s0 == 8"],
        &expect![[r#"
            L['a'].size()[0]: train.py:1 promises a dynamic size, but it was specialised to 8, because of m.py:10
              Suggested fix: mark_static L['a'].size()[0] = 8, or remove what depends on its value"#]],
    );
}

#[test]
fn contradictions_name_inputs_and_lines() {
    let mut env = ShapeEnv::new(EnvOptions::default());
    let [a, b] =
        [0, 1].map(|id| env.size(SourceId::from_u32(id), 8, &Dim::from(Policy::Unbacked), "m.py:1").expect("a size"));
    let pool = env.pool_mut();
    let [three, five] = [3, 5].map(|n| pool.int(n));
    let [few_rows, many_rows, many_columns] = [pool.le(a, three), pool.le(five, a), pool.le(five, b)];
    let square = pool.eq(a, b);
    env.check(few_rows, "at most three rows", "m.py:2").expect("it may hold");
    let mut text = vec![env.check(many_rows, "five rows", "m.py:3").expect_err("three at most").explain(&name)];
    env.check(many_columns, "five columns", "m.py:4").expect("it may hold");
    text.push(env.check(square, "a square", "m.py:5").expect_err("no number is both").explain(&name));

    let mut env = ShapeEnv::new(EnvOptions { specialize_zero_one: false, ..EnvOptions::default() });
    let [a, b] =
        [0, 1].map(|id| env.size(SourceId::from_u32(id), 0, &Dim::from(Policy::Dynamic), "m.py:1").expect("a size"));
    let pool = env.pool_mut();
    let (quotient, zero) = (pool.floor_div(a, b), pool.int(0));
    let question = pool.eq(quotient, zero);
    text.push(env.evaluate(question, "m.py:6").expect_err("a division by zero").explain(&name));
    expect![[r#"
        five rows: u0 >= 5 does not hold (m.py:3); u0 lies in [0, 3], because of m.py:2; u0 is L['a'].size()[0]
        a square: Eq(u0, u1) does not hold (m.py:5); u0 lies in [0, 3], because of m.py:2; u1 lies in [5, int_oo], because of m.py:4; u0 is L['a'].size()[0]; u1 is L['b'].size()[0]
        Eq((s0//s1), 0) has no value: it divides by zero or exceeds 64 bits (m.py:6); s0 is L['a'].size()[0]; s1 is L['b'].size()[0]"#]].assert_eq(&text.join("\n"));
}

#[test]
fn a_program_says_which_check_fails_first() {
    let (mut env, _) = sizes(&[4, 8]);
    assert!(ask(&mut env, "s1 == 2*s0", 1).expect("backed"));
    let guards = env.solve().expect("satisfiable");
    let program = Program::new(&env, &guards);
    let texts = env.print_guards(&guards, &|id| format!("{id}"));
    let first = |values: &[i64]| program.first_failure(values).map(|at| texts[at].as_str());
    assert_eq!(first(&[8, 4]), None);
    assert_eq!(first(&[9, 4]), Some("input1 == 2*input0"));
    assert_eq!(first(&[2, 1]), Some("2 <= input0"));
    assert_eq!(first(&[8]), Some("input1 == 2*input0"));
}

#[test]
fn environments_may_cross_threads() {
    fn shared<T: Send + Sync + 'static>() {}
    shared::<ShapeEnv>();
    shared::<symshapes::Pool>();
    shared::<symshapes::GuardSet>();
    shared::<Program>();
    shared::<EnvError>();
    let (mut env, _) = sizes(&[4, 8]);
    assert!(ask(&mut env, "s1 == 2*s0", 1).expect("backed"));
    let guards = env.solve().expect("satisfiable");
    let program = &Program::new(&env, &guards);
    let accepted = std::thread::scope(|scope| {
        let threads: Vec<_> = (3..7).map(|n| scope.spawn(move || program.accepts(&[2 * n, n]))).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).collect::<Vec<bool>>()
    });
    assert_eq!(accepted, [true; 4]);
}

#[test]
fn errors_name_the_input_and_the_line() {
    let mut env = ShapeEnv::new(EnvOptions::default());
    let a = SourceId::from_u32(0);
    let promise = Constraint::marked(Range::new(2, 4), "train.py:3");
    let dim = Dim { policy: Policy::Dynamic, constraint: Some(promise) };
    let negative = env.size(a, -1, &Dim::default(), "m.py:1").expect_err("negative");
    let outside = env.size(a, 9, &dim, "m.py:2").expect_err("outside");
    let huge = env.size(a, i64::MAX / 2, &Dim::default(), "m.py:3").expect("a size");
    let overflow = env.numel(a, &[huge, huge], "m.py:4").expect_err("too large");
    let text: Vec<String> = [negative, outside, overflow].iter().map(|e| e.explain(&name)).collect();
    expect![[r#"
        L['a'].size()[0]: the size is -1, which is negative (m.py:1)
        L['a'].size()[0]: the value 9 lies outside the promised [2, 4] (train.py:3)
        L['a'].size()[0]: the product of sizes up to this one exceeds 64 bits (m.py:4)"#]]
    .assert_eq(&text.join("\n"));
}

#[test]
fn guards_serialise() {
    let (mut env, _) = sizes(&[4, 8]);
    assert!(ask(&mut env, "s1 == 2*s0", 1).expect("backed"));
    let guards = env.solve().expect("satisfiable");
    let program = Program::new(&env, &guards);
    let text = serde_json::to_string(&(&env, &guards, &program)).expect("serialises");
    let (copy, copied, again): (ShapeEnv, symshapes::GuardSet, Program) = serde_json::from_str(&text).expect("reads");
    assert_eq!(copied, guards);
    assert_eq!(again, program);
    assert_eq!(copy.print_guards(&copied, &name), env.print_guards(&guards, &name));
    // The copy goes on as the original does.
    let after = [env, copy].map(|mut env| {
        let (fresh, known) = (ask(&mut env, "s0 >= 3", 2), ask(&mut env, "s1 == 2*s0", 3));
        let third = env.size(SourceId::from_u32(2), 12, &Dim::from(Policy::Dynamic), "m.py:4").expect("a size");
        let guards = env.solve().expect("satisfiable");
        (fresh, known, env.pool().display(third).to_string(), env.print_guards(&guards, &name))
    });
    assert_eq!(after[0], after[1]);
}
