//! Simplified expressions against a naive evaluation of what they were built from.

mod common;

use common::{Op, SYMBOLS, Tree, config, eval, pool, samples, trees};
use proptest::prelude::*;
use rustc_hash::FxHashMap;
use symshapes::{Pool, Sym};

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
    fn nothing_wraps(tree in trees(), samples in samples()) {
        let tree = tree.stretched();
        let (mut pool, symbols) = pool();
        let e = tree.build(&mut pool, &symbols);
        let text = pool.display(e).to_string();
        prop_assert_eq!(pool.parse(&text), Ok(e), "{}", text);
        for values in &samples {
            // Far beyond `i64`, and far enough from the edges of `i128` for a sum.
            let Some(expected) = tree.eval_within(values, 1 << 120) else { continue };
            if let Some(value) = eval(&pool, e, &symbols, values) {
                prop_assert_eq!(value, expected, "{} at {:?}", text, values);
                let range = pool.range(e);
                prop_assert!(range.contains(value.try_into().unwrap()), "{} in {range}", text);
            }
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
