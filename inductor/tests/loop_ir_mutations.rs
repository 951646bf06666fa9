//! Texts of kernels with a few tokens changed: whatever comes of it, nothing panics, and what is read prints as it
//! reads.

use inductor::loop_ir::{Kernel, verify::verify};
use proptest::prelude::*;

const TEXT: &str =
    "kernel k<s0: 2.., s1: 1..=64>(%0: f32[s0*s1] in, %1: i64[s0] in, %2: f32[s1] scratch, %3: f32[s0*s1] out) {
  parallel i0 in 0..s0 {
    v0: i64 = load %1[i0]
    v1: i64 = bind v0 as j0 in 0..s0
    v2: i64 = bind v0 as j1 in 0..=3
    for i1 in 0..s1 vector reduce(a0: max f32, a1: argmax f32) {
      v3: f32 = load %0[i1 + j0*s1]
      store %2[i1] = v3
      a0 <- v3
      a1 <- v3 at i1
    }
    v4: f32 = reduced a0
    v5: i64 = reduced a1
    v6: bool = lt v5, v2
    for i2 in 0..(s1//2) {
      v7: f32 = load %2[2*i2 + Mod(i0, 2)] if v6
      v8: f32 = sub v7, v4
      store %3[i0*s1 + i2] = v8 if v6
    }
  }
}
";

/// The replacements of a token.
const PIECES: &[&str] = &[
    "",
    " ",
    "-",
    "0",
    "1",
    "-1",
    "9223372036854775807",
    "-9223372036854775808",
    "99999999999999999999",
    "s0",
    "s1",
    "s2",
    "i0",
    "i1",
    "j0",
    "v0",
    "v9",
    "a0",
    "%0",
    "%9",
    "<",
    ">",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "..",
    "..=",
    ",",
    "//",
    "*",
    "+",
    "**2",
    "Mod(s0, 0)",
    "Min(s0, s1)",
    "=",
    "<-",
    "if v6",
    "at i1",
    "vector",
    "f16",
    "bool",
    "é",
];

/// The tokens of the text: words, and each other character by itself.
fn tokens() -> Vec<&'static str> {
    let mut tokens = Vec::new();
    let mut rest = TEXT;
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let len = if is_word(first) { rest.find(|c| !is_word(c)).unwrap_or(rest.len()) } else { first.len_utf8() };
        let (token, after) = rest.split_at(len);
        tokens.push(token);
        rest = after;
    }
    tokens
}

#[test]
fn the_text_itself_is_right() {
    let kernel: Kernel = TEXT.parse().expect("the text is a kernel");
    verify(&kernel).expect("the kernel is right");
    assert_eq!(kernel.to_string(), TEXT);
    assert_eq!(tokens().concat(), TEXT);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn changed_texts_are_read_or_refused(
        changes in prop::collection::vec((any::<prop::sample::Index>(), prop::sample::select(PIECES)), 1..4)
    ) {
        let mut tokens = tokens();
        for (at, piece) in changes {
            let at = at.index(tokens.len());
            tokens[at] = piece;
        }
        let text = tokens.concat();
        match text.parse::<Kernel>() {
            Err(error) => prop_assert!(error.line <= text.lines().count().max(1), "{error}\n{text}"),
            Ok(kernel) => {
                let printed = kernel.to_string();
                let read = printed.parse::<Kernel>();
                prop_assert_eq!(read.as_ref().map(ToString::to_string), Ok(printed));
                prop_assert_eq!(verify(&kernel).is_ok(), verify(&read.expect("just read")).is_ok());
            }
        }
    }
}
