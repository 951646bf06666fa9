//! The simplified forms of expressions, and their printed text.

use expect_test::{Expect, expect};
use rustc_hash::FxHashMap;
use symshapes::{Node, ParseError, Pool, Range, division_laws, power_laws};

/// A pool with the indices of a multi-head attention and some sizes.
fn pool() -> Pool {
    let mut pool = Pool::new();
    for (name, range) in [
        ("b", Range::index(8)),
        ("d", Range::index(64)),
        ("h", Range::index(12)),
        ("i", Range::index(128)),
        ("n", Range::new(2, i64::MAX)),
        ("m", Range::new(2, i64::MAX)),
    ] {
        pool.symbol(name, range);
    }
    pool
}

/// Checks `text => simplified : range`, one a line.
fn check(lines: &str, expected: &Expect) {
    let mut pool = pool();
    let mut actual = String::new();
    for text in lines.lines().map(str::trim).filter(|line| !line.is_empty()) {
        match pool.parse(text) {
            Ok(e) => actual += &format!("{text} => {} : {}\n", pool.display(e), pool.range(e)),
            Err(error) => actual += &format!("{error}\n"),
        }
    }
    expected.assert_eq(&actual);
}

#[test]
fn indices_of_views() {
    check(
        "
        (64*h + d) // 64
        (64*h + d) % 64
        (768*i + 64*h + d) // 64
        (768*i + 64*h + d) % 768
        (768*i + 64*h + d) // 768
        ((768*i + 64*h + d) // 64) % 12
        ModularIndexing(768*i + 64*h + d, 64, 12)
        (64*h + d) // 128
        (64*h + d) % 128
        (64*h + d + 640) // 64
        (64*h + d - 1) // 64
        128*(i // 16) + 8*(i % 16)
        16*(i // 16) + i % 16
        (64*i + d) // 64 * 64 + (64*i + d) % 64
        12*(x // 12) + 4*((x // 4) % 3) + x % 4
        ",
        &expect![[r#"
            (64*h + d) // 64 => h : [0, 11]
            (64*h + d) % 64 => d : [0, 63]
            (768*i + 64*h + d) // 64 => h + 12*i : [0, 1535]
            (768*i + 64*h + d) % 768 => d + 64*h : [0, 767]
            (768*i + 64*h + d) // 768 => i : [0, 127]
            ((768*i + 64*h + d) // 64) % 12 => h : [0, 11]
            ModularIndexing(768*i + 64*h + d, 64, 12) => h : [0, 11]
            (64*h + d) // 128 => (h//2) : [0, 5]
            (64*h + d) % 128 => d + 64*Mod(h, 2) : [0, 127]
            (64*h + d + 640) // 64 => h + 10 : [10, 21]
            (64*h + d - 1) // 64 => h + ((d + 63)//64) - 1 : [-1, 11]
            128*(i // 16) + 8*(i % 16) => 8*i : [0, 1016]
            16*(i // 16) + i % 16 => i : [0, 127]
            (64*i + d) // 64 * 64 + (64*i + d) % 64 => d + 64*i : [0, 8191]
            12*(x // 12) + 4*((x // 4) % 3) + x % 4 => x : [-int_oo, int_oo]
        "#]],
    );
}

#[test]
fn sizes() {
    check(
        "
        2*s0
        s0 + 1
        1 + s0*2 - 3*s1
        3 - s0
        s0 - 3
        3 - s0*s1
        -s0
        (s0 + 1)*(s0 - 1)
        s0**2 * s1
        (s0 // 2) * 2
        ((s0 - 1)//2 + 1 - 1)//2 + 1
        (n*m) // m
        (n*m + m) // (n + 1)
        (n*m + 3) % m
        (64*n) // (16*n)
        (6*n) // (4*m*n)
        (6*n) % (4*m*n)
        (-s0) // 4
        s0 // -4
        s0 % -4
        CeilDiv(s0, 4)
        Mod(4*s0 + 6, 2)
        CleanDiv(12*s0, 4)
        FloorDiv(FloorDiv(s0, 3), 5)
        PythonMod(-7, 3)
        -7 // 2
        ",
        &expect![[r#"
            2*s0 => 2*s0 : [-int_oo, int_oo]
            s0 + 1 => s0 + 1 : [-int_oo, int_oo]
            1 + s0*2 - 3*s1 => 2*s0 - 3*s1 + 1 : [-int_oo, int_oo]
            3 - s0 => 3 - s0 : [-int_oo, int_oo]
            s0 - 3 => s0 - 3 : [-int_oo, int_oo]
            3 - s0*s1 => -s0*s1 + 3 : [-int_oo, int_oo]
            -s0 => -s0 : [-int_oo, int_oo]
            (s0 + 1)*(s0 - 1) => s0**2 - 1 : [-1, int_oo]
            s0**2 * s1 => s0**2*s1 : [-int_oo, int_oo]
            (s0 // 2) * 2 => 2*(s0//2) : [-int_oo, int_oo]
            ((s0 - 1)//2 + 1 - 1)//2 + 1 => ((s0 + 3)//4) : [-int_oo, int_oo]
            (n*m) // m => n : [2, int_oo]
            (n*m + m) // (n + 1) => m : [2, int_oo]
            (n*m + 3) % m => Mod(3, m) : [0, 3]
            (64*n) // (16*n) => 4 : [4, 4]
            (6*n) // (4*m*n) => 0 : [0, 0]
            (6*n) % (4*m*n) => 6*n : [12, int_oo]
            (-s0) // 4 => ((-s0)//4) : [-int_oo, int_oo]
            s0 // -4 => ((-s0)//4) : [-int_oo, int_oo]
            s0 % -4 => -Mod(-s0, 4) : [-3, 0]
            CeilDiv(s0, 4) => ((s0 + 3)//4) : [-int_oo, int_oo]
            Mod(4*s0 + 6, 2) => 0 : [0, 0]
            CleanDiv(12*s0, 4) => 3*s0 : [-int_oo, int_oo]
            FloorDiv(FloorDiv(s0, 3), 5) => (s0//15) : [-int_oo, int_oo]
            PythonMod(-7, 3) => 2 : [2, 2]
            -7 // 2 => -4 : [-4, -4]
        "#]],
    );
}

#[test]
fn extremes() {
    check(
        "
        Min(i, 200)
        Max(i, -1)
        Min(n, n + 1)
        Min(Max(s0, s1), s0)
        Max(s0, Min(s1, s2), s0)
        Min(s2, s0, s1)
        Min(3, s0, 2)
        Max(1, n)
        ",
        &expect![[r#"
            Min(i, 200) => i : [0, 127]
            Max(i, -1) => i : [0, 127]
            Min(n, n + 1) => n : [2, int_oo]
            Min(Max(s0, s1), s0) => s0 : [-int_oo, int_oo]
            Max(s0, Min(s1, s2), s0) => Max(Min(s1, s2), s0) : [-int_oo, int_oo]
            Min(s2, s0, s1) => Min(s0, s1, s2) : [-int_oo, int_oo]
            Min(3, s0, 2) => Min(2, s0) : [-int_oo, 2]
            Max(1, n) => n : [2, int_oo]
        "#]],
    );
}

#[test]
fn powers() {
    check(
        "
        2**n
        PowByNatural(2, n + 3)
        Pow(n, 2)
        n**m * n**m
        (n + 1)**2
        (n + m)**9
        n**20 // n**18
        (2**n) % 2
        (2*n)**m % 4
        (-1)**n
        (-3)**i
        x**i
        LShift(d, h)
        RShift(d, h)
        2**63
        (-2)**63
        x**64
        (x**40)**40
        0**n
        0**x
        ",
        &expect![[r#"
            2**n => PowByNatural(2, n) : [4, int_oo]
            PowByNatural(2, n + 3) => 8*PowByNatural(2, n) : [32, int_oo]
            Pow(n, 2) => n**2 : [4, int_oo]
            n**m * n**m => PowByNatural(n, m)**2 : [16, int_oo]
            (n + 1)**2 => n**2 + 2*n + 1 : [9, int_oo]
            (n + m)**9 => (m + n)**9 : [262144, int_oo]
            n**20 // n**18 => n**2 : [4, int_oo]
            (2**n) % 2 => 0 : [0, 0]
            (2*n)**m % 4 => 0 : [0, 0]
            (-1)**n => PowByNatural(-1, n) : [-1, 1]
            (-3)**i => PowByNatural(-3, i) : [-int_oo, int_oo]
            x**i => PowByNatural(x, i) : [-int_oo, int_oo]
            LShift(d, h) => d*PowByNatural(2, h) : [0, 129024]
            RShift(d, h) => (d//PowByNatural(2, h)) : [0, 63]
            2**63 => Overflow : [-int_oo, int_oo]
            (-2)**63 => -9223372036854775808 : [-int_oo, -9223372036854775808]
            x**64 => x**64 : [0, int_oo]
            (x**40)**40 => (x**80)**20 : [0, int_oo]
            0**n => 0 : [0, 0]
            0**x => PowByNatural(0, x) : [0, 1]
        "#]],
    );
}

#[test]
fn what_is_not_read() {
    check(
        "
        s0 +
        s0 $ 2
        Sin(s0)
        Mod(s0)
        9223372036854775808
        -9223372036854775808
        s0 ** -1
        (s0
        9223372036854775807 + 1
        s0 // 0
        ",
        &expect![[r#"
            `s0 +`: expected a number, a name or `(`, found the end
            `s0 $ 2`: unexpected `$` at byte 3
            `Sin(s0)`: unknown function `Sin`
            `Mod(s0)`: `Mod` with 1 arguments
            `9223372036854775808`: 9223372036854775808 does not fit in 64 bits
            -9223372036854775808 => -9223372036854775808 : [-int_oo, -9223372036854775808]
            `s0 ** -1`: a power by a negative exponent is no integer
            `(s0`: expected ), found the end
            9223372036854775807 + 1 => Overflow : [-int_oo, int_oo]
            s0 // 0 => Overflow : [-int_oo, int_oo]
        "#]],
    );
    let deep = "(".repeat(100_000);
    assert!(matches!(pool().parse(&deep), Err(ParseError::Depth { .. })));
}

#[test]
fn the_laws() {
    let laws: String = division_laws().chain(power_laws()).map(|(name, law)| format!("{name}: {law}\n")).collect();
    expect![[r#"
        div_block: x // n => q if q*n <= x < (q + 1)*n
        div_multiples: (n*a + b) // n => a + b // n
        div_constant: (b + n*q + r) // n => q + (b + r) // n if 0 <= r < n
        div_coarse: (k*a + r) // (k*m) => a // m if 0 <= r < k
        div_nested: (x // a + c) // b => (x + a*c) // (a*b)
        div_of_mod: (x % (n*m)) // n => (x // n) % m
        mod_block: x % n => x - q*n if q*n <= x < (q + 1)*n
        mod_multiples: (n*a + b) % n => b % n
        mod_of_mod: (c*(x % m) + b) % n => (c*x + b) % n if n divides c*m
        mod_constant: (b + n*q + r) % n => (b + r) % n if 0 <= r < n
        mod_divisible: x % n => 0 if n divides x
        mod_coarse: (k*a + r) % (k*m) => k*(a % m) + r if 0 <= r < k
        div_beside_zero: x // y => 0 if 0 <= x < y, x // y => -1 if -y <= x < 0
        div_multiple: (a*y + b) // y => a + b // y
        div_cancel: (g*a) // (g*b) => a // b
        div_split: (k*a + r) // (k*m) => a // m if 0 <= r < k and m >= 0
        div_quotient: (x // a + c) // b => (x + a*c) // (a*b) if b >= 0
        div_remainder: (x % (n*m)) // n => (x // n) % m if m >= 0
        mod_beside_zero: x % y => x if 0 <= x < y, x % y => x + y if -y <= x < 0
        mod_multiple: (a*y + b) % y => b % y
        mod_cancel: (g*a) % (g*b) => g*(a % b)
        mod_remainder: (c*(x % (n*m)) + b) % n => (c*x + b) % n
        mod_split: (k*a + r) % (k*m) => k*(a % m) + r if 0 <= r < k and m >= 0
        join_quotient: d*(x // d) + x % d => x
        join_remainder: d*((x // d) % m) + x % d => x % (d*m) if m >= 0
        pow_trivial: b ** 0 => 1, b ** 1 => b, 1 ** n => 1
        pow_zero: 0 ** n => 0 if n >= 1
        pow_constant: b ** n is computed if both are constants
        pow_product: b ** k => b*b*...*b for a small k
        pow_sum: b ** (k*m + n) => (b ** m) ** k * b ** n if each part of the exponent is proved not to be negative
        pow_nested: (b ** m) ** n => b ** (m*n) if m*n is bounded
    "#]]
    .assert_eq(&laws);
}

#[test]
fn equal_expressions_are_one() {
    let mut pool = pool();
    let forms = ["2*(n + m) - n", "m + n + m", "n*1 + m*2 + 0*d"];
    let [a, b, c] = forms.map(|text| pool.parse(text).unwrap());
    assert_eq!(a, b);
    assert_eq!(b, c);
    let Node::Add(sum) = pool.node(a) else { panic!("a sum") };
    assert_eq!((sum.constant, sum.terms.len()), (0, 2));
}

#[test]
fn a_name_with_another_range_is_another_symbol() {
    let mut pool = Pool::new();
    let first = pool.symbol("i", Range::index(4));
    let second = pool.symbol("i", Range::index(8));
    assert_ne!(first, second);
    assert_eq!(pool.symbol("i", Range::index(4)), first);
    assert_eq!(pool.find("i"), Some(second));
    assert_eq!(pool.find("j"), None);
}

#[test]
fn narrowing_a_symbol_narrows_what_is_built_from_it() {
    let mut pool = Pool::new();
    let sym = pool.symbol("s0", Range::ALL);
    let e = pool.parse("s0 % 8").unwrap();
    assert_eq!(pool.range(e), Range::index(8));
    pool.set_symbol_range(sym, Range::index(4));
    assert_eq!(pool.range(e), Range::index(4));
    let again = pool.parse("s0 % 8").unwrap();
    assert_eq!(pool.display(again).to_string(), "s0");
    let sym_again = pool.sym(sym);
    assert_eq!(pool.subst(e, &FxHashMap::from_iter([(sym, sym_again)])), again);
}

#[test]
fn no_operation_wraps_or_panics_at_the_edges() {
    let mut pool = Pool::new();
    let x = pool.parse("x").unwrap();
    let edges = [i64::MIN, i64::MIN + 1, -1, 0, 1, i64::MAX - 1, i64::MAX];
    for a in edges {
        for b in edges {
            let scaled = pool.mul_int(x, a);
            let shifted = pool.add_int(scaled, b);
            for k in edges {
                let k = pool.int(k);
                let results = [
                    pool.floor_div(shifted, k),
                    pool.modulo(shifted, k),
                    pool.mul(shifted, k),
                    pool.floor_div(k, shifted),
                    pool.modulo(k, shifted),
                    pool.min(shifted, k),
                    pool.max(shifted, k),
                    pool.pow(shifted, k),
                    pool.pow(k, shifted),
                ];
                for e in results {
                    let text = pool.display(e).to_string();
                    assert_eq!(pool.parse(&text), Ok(e), "{text}");
                }
            }
        }
    }
}

#[test]
fn deep_expressions_need_no_stack() {
    let mut pool = Pool::new();
    let sym = pool.symbol("n", Range::ALL);
    let mut e = pool.sym(sym);
    for k in 0..20_000 {
        let symbol = pool.symbol(&format!("x{}", k % 7), Range::ALL);
        let x = pool.sym(symbol);
        e = pool.floor_div(e, x);
    }
    assert_eq!(pool.symbols(e).len(), 8);
    assert_eq!(pool.eval(e, &|_| Some(1)), Some(1));
    let one = pool.int(1);
    let image = pool.subst(e, &FxHashMap::from_iter([(sym, one)]));
    assert_eq!(pool.symbols(image).len(), 7);
}
