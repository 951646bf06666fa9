//! Random numbers that are functions of a key and of their places: Philox 4x32-10 (Salmon and others, "Parallel random
//! numbers: as easy as 1, 2, 3", 2011), with the counters and bits that PyTorch's `_philox_uniform` has.
//!
//! Four elements in a row share a counter, of whose four words each takes one. Words of 32 bits are computed as
//! integers of 64, in which a product has all its bits.

use fx::prim::Pointwise;
use symshapes::{DType, Expr};

use super::{Args, Builder, Rewrite, unsupported};
use crate::tensor_ir::{Op, Tensor};

/// The rounds of a word.
const ROUNDS: usize = 10;
/// The factors of the first and the third word.
const FACTORS: [f64; 2] = [0xD251_1F53_u32 as f64, 0xCD9E_8D57_u32 as f64];
/// The steps of the keys from one round to the next.
const WEYL: [f64; 2] = [0x9E37_79B9_u32 as f64, 0xBB67_AE85_u32 as f64];
/// The bits of a word.
const WORD: f64 = u32::MAX as f64;

/// Numbers from 0 to 1, of which 24 bits are drawn, or the interval that is given.
pub(crate) fn philox_uniform(b: &mut Builder, a: &Args) -> Rewrite {
    let promise = a.result()?;
    if promise.dtype != DType::F32 {
        return unsupported("numbers of another precision");
    }
    let key = a.tensor("key")?;
    if b.dtype(key) != DType::I64 {
        return unsupported("a key of another type");
    }
    let sizes = promise.sizes.clone();
    let word = words(b, key, &sizes);
    // Three bytes are a float.
    let bits = bit(b, Pointwise::And, word, f64::from((1 << 24) - 1));
    let bits = b.convert(bits, DType::I32);
    let number = b.convert(bits, DType::F32);
    let (low, high) = (a.float("low")?, a.float("high")?);
    let number = b.mul_lit(number, (high - low) / f64::from(1 << 24));
    Ok(if low == 0.0 { number } else { b.add_lit(number, low) })
}

/// The word of each element of a tensor of these sizes, by a key of two numbers: a seed, and the first counter.
fn words(b: &mut Builder, key: Tensor, sizes: &[Expr]) -> Tensor {
    let [seed, first] = [Expr::ZERO, Expr::ONE].map(|at| {
        let one = b.slice(key, 0, at, 1, Expr::ONE);
        b.reshape(one, &[])
    });
    let count = sizes.iter().fold(Expr::ONE, |count, &size| b.graph.pool.mul(count, size));
    let place = b.push(Op::Iota { start: Expr::ZERO, step: 1 }, DType::I64, &[count]);
    let place = b.reshape(place, sizes);
    let counter = bit(b, Pointwise::Shr, place, 2.0);
    let counter = b.add(counter, first);
    let halves = |b: &mut Builder, of: Tensor| {
        let high = bit(b, Pointwise::Shr, of, 32.0);
        [of, high].map(|half| bit(b, Pointwise::And, half, WORD))
    };
    let ([low, high], mut keys) = (halves(b, counter), halves(b, seed));
    // The last words of the counter are zero.
    let mut state = [Some(low), Some(high), None, None];
    for round in 0..ROUNDS {
        if round > 0 {
            for (key, step) in keys.iter_mut().zip(WEYL) {
                let next = b.add_lit(*key, step);
                *key = bit(b, Pointwise::And, next, WORD);
            }
        }
        let products = [0, 1].map(|which| {
            let product = state[2 * which].map(|word| b.mul_lit(word, FACTORS[which]));
            product.map(|product| halves(b, product))
        });
        let [first, second] = [0, 1].map(|which| {
            let mixed = [products[1 - which].map(|[_, high]| high), state[2 * which + 1]].into_iter().flatten();
            mixed.fold(keys[which], |mixed, word| b.map(Pointwise::Xor, &[word, mixed]))
        });
        let low = |which: usize| products[which].map(|[low, _]| low);
        state = [Some(first), low(1), Some(second), low(0)];
    }
    let which = bit(b, Pointwise::And, place, 3.0);
    let mut words = state.into_iter().flatten();
    let first = words.next().expect("a state has words");
    words.zip(1..).fold(first, |chosen, (word, number)| {
        let number = b.lit(f64::from(number), which);
        let is_it = b.eq(which, number);
        b.select(is_it, word, chosen)
    })
}

/// An operation on the bits of a number, with one that is known.
fn bit(b: &mut Builder, op: Pointwise, x: Tensor, with: f64) -> Tensor {
    let with = b.lit(with, x);
    b.map(op, &[x, with])
}
