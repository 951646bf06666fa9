//! Floats, bit operations and choices against naive evaluation; booleans that depend on data.

mod common;

use common::{SYMBOLS, config, eval, pool, samples, trees};
use expect_test::expect;
use proptest::prelude::*;
use rustc_hash::FxHashMap;
use symshapes::{
    Comparison, Dim, EnvOptions, Float, FloatBinary, FloatUnary, Policy, Pool, Program, Range, Rounding, ShapeEnv,
    SourceId, Sym,
};

/// The syntax tree of a float.
#[derive(Clone, Debug)]
enum Tree {
    Const(f64),
    Sym,
    Int(usize),
    Quotient(usize, i64),
    Unary(FloatUnary, Box<Tree>),
    Binary(FloatBinary, Box<Tree>, Box<Tree>),
    /// An integer that a float rounds to, as a float again.
    Rounded(Rounding, Box<Tree>),
    Decimal(Box<Tree>),
}

impl Tree {
    /// The value by IEEE arithmetic, step by step; `None` where Python raises an error.
    fn eval(&self, ints: &[i64], float: f64) -> Option<f64> {
        match self {
            Tree::Const(value) => Some(*value),
            Tree::Sym => Some(float),
            Tree::Int(which) => Some(ints[*which] as f64),
            Tree::Quotient(which, by) => Some(ints[*which] as f64 / *by as f64),
            Tree::Unary(op, x) => {
                let x = x.eval(ints, float)?;
                let value = op.apply(x);
                let fails = if x.is_finite() { !value.is_finite() } else { value.is_nan() && !x.is_nan() };
                (!fails).then_some(value)
            }
            Tree::Binary(op, x, y) => {
                let (x, y) = (x.eval(ints, float)?, y.eval(ints, float)?);
                let fails = match op {
                    FloatBinary::TrueDiv | FloatBinary::FloorDiv | FloatBinary::Mod => y == 0.0,
                    FloatBinary::Pow if x == 0.0 => y < 0.0,
                    FloatBinary::Pow if x < 0.0 && y.fract() != 0.0 => true,
                    FloatBinary::Pow => x.is_finite() && y.is_finite() && op.apply(x, y).is_infinite(),
                    _ => false,
                };
                (!fails).then(|| op.apply(x, y))
            }
            Tree::Rounded(how, x) => {
                let whole = rounded(*how, x.eval(ints, float)?)?;
                Some(i64::try_from(whole).ok()? as f64)
            }
            Tree::Decimal(x) => Some(format!("{:.1}", x.eval(ints, float)?).parse().expect("a number")),
        }
    }

    fn build(&self, pool: &mut Pool, ints: &[Sym], float: Sym) -> Float {
        match self {
            Tree::Const(value) => pool.float(*value),
            Tree::Sym => pool.float_sym(float),
            Tree::Int(which) => {
                let e = pool.sym(ints[*which]);
                pool.to_float(e)
            }
            Tree::Quotient(which, by) => {
                let (a, b) = (pool.sym(ints[*which]), pool.int(*by));
                pool.int_true_div(a, b)
            }
            Tree::Unary(op, x) => {
                let x = x.build(pool, ints, float);
                pool.float_unary(*op, x)
            }
            Tree::Binary(op, x, y) => {
                let (x, y) = (x.build(pool, ints, float), y.build(pool, ints, float));
                pool.float_binary(*op, x, y)
            }
            Tree::Rounded(how, x) => {
                let x = x.build(pool, ints, float);
                let e = pool.round(*how, x);
                pool.to_float(e)
            }
            Tree::Decimal(x) => {
                let x = x.build(pool, ints, float);
                pool.round_decimal(x, 1)
            }
        }
    }
}

/// The integer that a float rounds to; `None` for what is not finite.
fn rounded(how: Rounding, x: f64) -> Option<i128> {
    let whole = match how {
        Rounding::Floor => x.floor(),
        Rounding::Ceil => x.ceil(),
        Rounding::Trunc => x.trunc(),
        Rounding::Nearest => x.round_ties_even(),
    };
    whole.is_finite().then_some(whole as i128)
}

fn float_trees() -> impl Strategy<Value = Tree> {
    let constant = prop::sample::select(vec![0.0, -0.0, 1.0, -1.0, 0.5, 2.0, 0.1, 1e300, 3.75]);
    let leaf = prop_oneof![
        2 => constant.prop_map(Tree::Const),
        1 => Just(Tree::Sym),
        3 => (0..SYMBOLS.len()).prop_map(Tree::Int),
        2 => (0..SYMBOLS.len(), 1i64..9).prop_map(|(which, by)| Tree::Quotient(which, by)),
    ];
    leaf.prop_recursive(4, 16, 2, |inner| {
        let unary = (prop::sample::select(FloatUnary::ALL), inner.clone());
        let rounded = (prop::sample::select(Rounding::ALL.to_vec()), inner.clone());
        let decimal = inner.clone();
        let binary = (prop::sample::select(FloatBinary::ALL), inner.clone(), inner);
        prop_oneof![
            1 => unary.prop_map(|(op, x)| Tree::Unary(op, Box::new(x))),
            4 => binary.prop_map(|(op, x, y)| Tree::Binary(op, Box::new(x), Box::new(y))),
            2 => rounded.prop_map(|(how, x)| Tree::Rounded(how, Box::new(x))),
            1 => decimal.prop_map(|x| Tree::Decimal(Box::new(x))),
        ]
    })
}

fn float_pool() -> (Pool, Vec<Sym>, Sym) {
    let (mut pool, symbols) = pool();
    let float = pool.float_symbol("zf0");
    (pool, symbols, float)
}

fn same(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn floats_keep_every_bit(tree in float_trees(), samples in samples(), float in any::<f64>()) {
        let (mut pool, symbols, sym) = float_pool();
        let f = tree.build(&mut pool, &symbols, sym);
        let text = pool.display_float(f).to_string();
        prop_assert_eq!(pool.parse_float(&text), Ok(f), "{}", text);
        for values in &samples {
            let get = |s: Sym| match symbols.iter().position(|&known| known == s) {
                Some(i) => Some(values[i]),
                None => Some(float.to_bits() as i64),
            };
            let (expected, actual) = (tree.eval(values, float), pool.eval_float(f, &get));
            // A rule may give a value where Python raises an error on the way, never another value.
            if let Some(expected) = expected {
                let actual = actual.expect("defined");
                prop_assert!(same(actual, expected), "{text}: {actual} is not {expected}");
            }
        }
    }

    #[test]
    fn comparisons_and_integer_parts(a in float_trees(), b in float_trees(), samples in samples()) {
        let (mut pool, symbols, sym) = float_pool();
        let (x, y) = (a.build(&mut pool, &symbols, sym), b.build(&mut pool, &symbols, sym));
        let parts = Rounding::ALL.map(|how| (how, pool.round(how, x)));
        for (_, part) in parts {
            let text = pool.display(part).to_string();
            prop_assert_eq!(pool.parse(&text), Ok(part), "{}", text);
        }
        let relations = [Comparison::Eq, Comparison::Le, Comparison::Lt].map(|c| (c, pool.compare_floats(c, x, y)));
        let opposites = relations.map(|(_, p)| pool.not(p));
        for p in opposites {
            let text = pool.display_pred(p).to_string();
            prop_assert_eq!(pool.parse_pred(&text), Ok(p), "{}", text);
        }
        for (values, float) in samples.iter().zip([0.0, -2.5, f64::NAN, f64::INFINITY, 3.0].into_iter().cycle()) {
            let get = |s: Sym| match symbols.iter().position(|&known| known == s) {
                Some(i) => Some(values[i]),
                None => Some(float.to_bits() as i64),
            };
            let (Some(left), Some(right)) = (a.eval(values, float), b.eval(values, float)) else { continue };
            for (&(how, p), q) in relations.iter().zip(opposites) {
                let expected = match how {
                    Comparison::Eq => left == right,
                    Comparison::Le => left <= right,
                    Comparison::Lt => left < right,
                };
                prop_assert_eq!(pool.eval_pred(p, &get), Some(expected), "{}", pool.display_pred(p));
                prop_assert_eq!(pool.eval_pred(q, &get), Some(!expected), "{}", pool.display_pred(q));
            }
            for (how, part) in parts {
                let expected = rounded(how, left).and_then(|whole| i64::try_from(whole).ok());
                prop_assert_eq!(pool.eval(part, &get), expected, "{}", pool.display(part));
                prop_assert!(expected.is_none_or(|value| pool.range(part).contains(value)), "{}", pool.display(part));
                // Every integer made known changes no value.
                let known = symbols.iter().zip(values).map(|(&s, &value)| (s, pool.int(value))).collect();
                let fixed = pool.subst(part, &known);
                prop_assert!(symbols.iter().all(|&s| !pool.mentions(fixed, s)), "{}", pool.display(fixed));
                prop_assert_eq!(pool.eval(fixed, &get), expected, "{}", pool.display(fixed));
            }
        }
    }

    #[test]
    fn bits_and_choices(tree in trees(), other in trees(), mask in any::<i64>(), k in 0i64..70, samples in samples()) {
        let (mut pool, symbols) = pool();
        let (x, y) = (tree.build(&mut pool, &symbols), other.build(&mut pool, &symbols));
        if pool.is_overflow(x) || pool.is_overflow(y) {
            return Ok(());
        }
        let (masked, low) = (pool.bit_and(x, mask), pool.bit_and(x, mask & 0xff));
        let (far, near) = (pool.int(k), pool.int(k % 8));
        let (right, left) = (pool.shift_right(x, far), pool.shift_left(x, near));
        let relations = [pool.le(x, y), pool.eq(x, y), pool.ne(x, y)];
        let chosen = relations.map(|p| pool.select(p, x, y));
        for values in &samples {
            let (Some(a), Some(b)) = (tree.eval(values), other.eval(values)) else { continue };
            let value = |e| eval(&pool, e, &symbols, values);
            prop_assert_eq!(value(low), Some(a & i128::from(mask & 0xff)));
            prop_assert_eq!(value(right), Some(a >> k));
            prop_assert_eq!(value(left), Some(a << (k % 8)));
            if let Some(value) = value(masked) {
                prop_assert_eq!(value, a & i128::from(mask));
            }
            let expected = [a.min(b), if a == b { a } else { b }, if a == b { b } else { a }];
            for (e, expected) in chosen.into_iter().zip(expected) {
                prop_assert_eq!(value(e), Some(expected), "{}", pool.display(e));
            }
        }
    }
}

#[test]
fn golden_floats() {
    let mut pool = Pool::new();
    pool.symbol("n", Range::new(2, 1 << 20));
    let texts = "
        ToFloat(3) + 1
        1.0*zf0
        zf0 + 2.5*zf0
        IntTrueDiv(n, 1)
        FloatTrueDiv(1.0, ToFloat(n))
        OpaqueUnaryFn_sqrt(ToFloat(s0)) - 1e-05
        -zf0
        2**zf0
        OpaqueUnaryFn_gamma(zf0)
        n
    ";
    let mut actual = String::new();
    for text in texts.lines().map(str::trim).filter(|line| !line.is_empty()) {
        match pool.parse_float(text) {
            Ok(f) => actual += &format!("{text} => {}\n", pool.display_float(f)),
            Err(error) => actual += &format!("{error}\n"),
        }
    }
    let preds = "
        zf0 > 1.5
        ~(zf0 > 1.5)
        Eq(zf0, 2.0) & n < 4
        0.5*ToFloat(n) >= 3.25
        IntTrueDiv(n, 3) < 2.0
        zf0 < n
        TruncToInt(2.5*zf0) < n
        ToFloat(TruncToInt(zf0)) < zf0
    ";
    for text in preds.lines().map(str::trim).filter(|line| !line.is_empty()) {
        match pool.parse_pred(text) {
            Ok(p) => actual += &format!("{text} => {}\n", pool.display_pred(p)),
            Err(error) => actual += &format!("{error}\n"),
        }
    }
    let ints = "
        FloorToInt(0.5*ToFloat(n))
        TruncToInt(IntTrueDiv(n, 3))
        CeilToInt(2.0*ToFloat(n))
        FloorToInt(0.1*ToFloat(n))
        FloorToInt(2.0*ToFloat(s0))
        RoundToInt(zf0) + 2*RoundToInt(zf0)
        RoundToInt(IntTrueDiv(n, 2))
        CeilToInt(RoundDecimal(zf0, 2))
        CeilToInt(RoundDecimal(zf0, -1))
        TruncToInt(2.5)
        TruncToInt(1e300)
        LShift(s0, 3)
        RShift(s0, 3)
        BitwiseFn_bitwise_and(s0, 6)
        LShift(s0, n)
        Piecewise((s0, s0 > 4), (4, True))
        zf0 + 1
    ";
    for text in ints.lines().map(str::trim).filter(|line| !line.is_empty()) {
        match pool.parse(text) {
            Ok(e) => actual += &format!("{text} => {}\n", pool.display(e)),
            Err(error) => actual += &format!("{error}\n"),
        }
    }
    expect![[r#"
        ToFloat(3) + 1 => 4.0
        1.0*zf0 => zf0
        zf0 + 2.5*zf0 => zf0 + (zf0*2.5)
        IntTrueDiv(n, 1) => ToFloat(n)
        FloatTrueDiv(1.0, ToFloat(n)) => FloatTrueDiv(1.0, ToFloat(n))
        OpaqueUnaryFn_sqrt(ToFloat(s0)) - 1e-05 => OpaqueUnaryFn_sqrt(ToFloat(s0)) - 1e-5
        -zf0 => (-zf0)
        2**zf0 => FloatPow(2.0, zf0)
        `OpaqueUnaryFn_gamma(zf0)`: expected a function of floats, found `OpaqueUnaryFn_gamma`
        `n`: expected a float, found `n`
        zf0 > 1.5 => 1.5 < zf0
        ~(zf0 > 1.5) => Not(1.5 < zf0)
        Eq(zf0, 2.0) & n < 4 => (n <= 3) & Eq(zf0, 2.0)
        0.5*ToFloat(n) >= 3.25 => n >= 7
        IntTrueDiv(n, 3) < 2.0 => IntTrueDiv(n, 3) < 2.0
        `zf0 < n`: expected an integer, found `<`
        TruncToInt(2.5*zf0) < n => TruncToInt(zf0*2.5) < n
        ToFloat(TruncToInt(zf0)) < zf0 => ToFloat(TruncToInt(zf0)) < zf0
        FloorToInt(0.5*ToFloat(n)) => (n//2)
        TruncToInt(IntTrueDiv(n, 3)) => (n//3)
        CeilToInt(2.0*ToFloat(n)) => 2*n
        FloorToInt(0.1*ToFloat(n)) => FloorToInt(ToFloat(n)*0.1)
        FloorToInt(2.0*ToFloat(s0)) => FloorToInt(ToFloat(s0)*2.0)
        RoundToInt(zf0) + 2*RoundToInt(zf0) => 3*RoundToInt(zf0)
        RoundToInt(IntTrueDiv(n, 2)) => RoundToInt(IntTrueDiv(n, 2))
        CeilToInt(RoundDecimal(zf0, 2)) => CeilToInt(RoundDecimal(zf0, 2))
        CeilToInt(RoundDecimal(zf0, -1)) => CeilToInt(RoundDecimal(zf0, -1))
        TruncToInt(2.5) => 2
        TruncToInt(1e300) => Overflow
        LShift(s0, 3) => 8*s0
        RShift(s0, 3) => (s0//8)
        BitwiseFn_bitwise_and(s0, 6) => -Mod(s0, 2) + Mod(s0, 8)
        LShift(s0, n) => s0*PowByNatural(2, n)
        Piecewise((s0, s0 > 4), (4, True)) => s0*Max(0, Min(1, s0 - 4)) - 4*Max(0, Min(1, s0 - 4)) + 4
        `zf0 + 1`: expected an integer, found `+`
    "#]]
    .assert_eq(&actual);
}

#[test]
fn another_pool_compares_alike() {
    let mut pool = Pool::new();
    let text = "(zf0 < 2.5*ToFloat(s0)) & Ne(IntTrueDiv(s1, 3), OpaqueUnaryFn_exp(zf0))";
    let p = pool.parse_pred(text).expect("a predicate");
    let mut other = Pool::new();
    let imported = other.import_pred(&pool, p, &mut FxHashMap::default());
    assert_eq!(other.display_pred(imported).to_string(), pool.display_pred(p).to_string());
    let copy: Pool = serde_json::from_str(&serde_json::to_string(&pool).expect("serialises")).expect("reads");
    assert_eq!(copy.display_pred(p).to_string(), pool.display_pred(p).to_string());
}

#[test]
fn static_floats_are_checked_by_value() {
    let mut env = ShapeEnv::new(EnvOptions::default());
    for (id, value) in [(0, 0.5), (1, f64::NAN)] {
        env.float(SourceId::from_u32(id), value, Policy::Static);
    }
    let guards = env.solve().expect("satisfiable");
    let name = |id: SourceId| format!("L['f{}']", id.as_u32());
    assert_eq!(env.print_guards(&guards, &name), ["L['f0'] == 0.5", "math.isnan(L['f1'])"]);
}

#[test]
fn float_guards() {
    let mut env = ShapeEnv::new(EnvOptions::default());
    let name = |id: SourceId| ["L['x'].size()[0]", "L['scale']"][id.as_u32() as usize].to_owned();
    let size = env.size(SourceId::from_u32(0), 9, &Dim::from(Policy::Dynamic), "m.py:1").expect("a size");
    let scale = env.float(SourceId::from_u32(1), 0.5, Policy::Dynamic);
    let pool = env.pool_mut();
    let rows = pool.to_float(size);
    let scaled = pool.float_binary(FloatBinary::Mul, rows, scale);
    let limit = pool.float(4.0);
    let question = pool.compare_floats(Comparison::Lt, limit, scaled);
    assert_eq!(env.evaluate(question, "m.py:2"), Ok(true));
    assert_eq!(env.statically_known(question), Some(true));
    let guards = env.solve().expect("satisfiable");
    expect![[r#"
        2 <= L['x'].size()[0]
        4.0 < (L['scale'] * float(L['x'].size()[0]))"#]]
    .assert_eq(&env.print_guards(&guards, &name).join("\n"));
    let program = Program::new(&env, &guards);
    let bits = |x: f64| x.to_bits().cast_signed();
    assert!(program.accepts(&[9, bits(0.5)]));
    assert!(!program.accepts(&[8, bits(0.5)]));
    assert!(!program.accepts(&[8, bits(f64::NAN)]));
}

#[test]
fn questions_with_a_safe_answer() {
    let mut env = ShapeEnv::new(EnvOptions::default());
    let size = env.size(SourceId::from_u32(0), 9, &Dim::from(Policy::Dynamic), "m.py:1").expect("a size");
    let u0 = env.unbacked_size();
    let pool = env.pool_mut();
    let (u0, nine) = (pool.sym(u0), pool.int(9));
    let (on_data, on_hint) = (pool.eq(u0, nine), pool.eq(size, nine));
    assert_eq!(env.guard_or_false(on_data, "m.py:2"), Ok(false));
    assert_eq!(env.guard_or_true(on_data, "m.py:2"), Ok(true));
    assert!(env.guards().is_empty());
    assert_eq!((env.guess(on_hint), env.guess(on_data)), (Some(true), None));
    assert!(env.guards().is_empty());
    assert_eq!(env.guard_or_false(on_hint, "m.py:3"), Ok(true));
    assert_eq!(env.guards().len(), 1);
}

/// `divmod` as Python has it, also where signs differ and where a quotient is zero.
#[test]
fn quotients_are_rounded_down() {
    let rows = [
        (7.5, 2.0, 3.0, 1.5),
        (-7.5, 2.0, -4.0, 0.5),
        (7.5, -2.0, -4.0, -0.5),
        (-7.5, -2.0, 3.0, -1.5),
        (6.0, 3.0, 2.0, 0.0),
        (-6.0, 3.0, -2.0, 0.0),
        (6.0, -3.0, -2.0, -0.0),
        (0.5, 2.0, 0.0, 0.5),
        (-0.0, 2.0, -0.0, 0.0),
        (1.0, 0.1, 9.0, 0.099_999_999_999_999_95),
        (1.0, f64::INFINITY, 0.0, 1.0),
        (-1.0, f64::INFINITY, -1.0, f64::INFINITY),
    ];
    for (x, y, quotient, rest) in rows {
        let found = [FloatBinary::FloorDiv, FloatBinary::Mod].map(|op| op.apply(x, y));
        assert!(same(found[0], quotient) && same(found[1], rest), "divmod({x}, {y}) is {found:?}");
    }
}

/// Python's `round(x, digits)`, ties and doubles beside ties among them.
#[test]
fn decimals_are_rounded_as_python_does() {
    let rows = [
        (2.675, 2, 2.67),
        (0.125, 2, 0.12),
        (0.375, 2, 0.38),
        (2.5, 0, 2.0),
        (3.5, 0, 4.0),
        (-0.5, 0, -0.0),
        (-1.05, 1, -1.1),
        (1e300, 5, 1e300),
        (5e-324, 323, 0.0),
        (1234.5, -2, 1200.0),
        (15.0, -1, 20.0),
        (25.0, -1, 20.0),
        (25.000_000_000_000_004, -1, 30.0),
        (-996.0, -1, -1000.0),
        (5.0, -1, 0.0),
        (5.5, -1, 10.0),
        (-3.0, -1, -0.0),
        (99.0, -2, 100.0),
        (49.0, -2, 0.0),
        (-70.0, -3, -0.0),
        (1e300, -290, 1e300),
        (1.2e308, -308, 1e308),
        (1.2e308, -309, 0.0),
        (f64::INFINITY, -1, f64::INFINITY),
        (f64::NEG_INFINITY, 3, f64::NEG_INFINITY),
        (f64::NAN, 3, f64::NAN),
    ];
    let mut pool = Pool::new();
    let sym = pool.float_symbol("zf0");
    let zf0 = pool.float_sym(sym);
    for (x, digits, expected) in rows {
        let constant = pool.float(x);
        let (folded, symbolic) = (pool.round_decimal(constant, digits), pool.round_decimal(zf0, digits));
        let found = [pool.as_float(folded), pool.eval_float(symbolic, &|_| Some(x.to_bits().cast_signed()))];
        for found in found.map(|found| found.expect("a value")) {
            assert!(same(found, expected), "round({x}, {digits}) is {found}");
        }
    }
}

#[test]
fn rounded_floats_are_guarded_and_replace_symbols() {
    let mut env = ShapeEnv::new(EnvOptions::default());
    let name = |id: SourceId| ["L['x'].size()[0]", "L['f']"][id.as_u32() as usize].to_owned();
    let size = env.size(SourceId::from_u32(0), 5, &Dim::from(Policy::Dynamic), "m.py:1").expect("a size");
    let f = env.float(SourceId::from_u32(1), 2.6, Policy::Dynamic);
    let pool = env.pool_mut();
    let two = pool.float(2.0);
    let doubled = pool.float_binary(FloatBinary::Mul, f, two);
    let length = pool.round(Rounding::Trunc, doubled);
    let (same, zero) = (pool.eq(length, size), pool.int(0));
    let positive = pool.lt(zero, length);
    assert_eq!(env.hint(length), Some(5));
    assert_eq!(env.evaluate(same, "m.py:2"), Ok(true));
    assert_eq!(env.statically_known(same), Some(true));
    assert_eq!(env.evaluate(positive, "m.py:3"), Ok(true));
    let guards = env.solve().expect("satisfiable");
    expect![[r#"
        L['x'].size()[0] == math.trunc((L['f'] * 2.0))
        math.trunc((L['f'] * 2.0)) >= 2"#]]
    .assert_eq(&env.print_guards(&guards, &name).join("\n"));
    let program = Program::new(&env, &guards);
    let accepts = |size: i64, f: f64| {
        let value = |source: &SourceId| if source.as_u32() == 0 { size } else { f.to_bits().cast_signed() };
        program.accepts(&program.sources().iter().map(value).collect::<Vec<_>>())
    };
    assert!(accepts(5, 2.6) && accepts(8, 4.0));
    assert!(!accepts(5, 3.0) && !accepts(5, f64::NAN) && !accepts(5, f64::INFINITY));
}
