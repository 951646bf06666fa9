//! Errors of the parser and the verifier for kernels that are wrong.

use expect_test::{Expect, expect};
use inductor::loop_ir::{Kernel, verify::verify};

/// A kernel with these statements in its serial loop.
fn with_body(body: &str) -> String {
    format!(
        "kernel k(%0: f32[32] in, %1: f32[32] out, %2: f16[8] scratch, %3: i64[4] in) {{
  parallel i0 in 0..4 {{
    v0: f32 = const 1.0
    v1: bool = const 1
    v2: i64 = load %3[i0]
    for i1 in 0..8 vector reduce(a0: sum f32) {{
{body}
    }}
    v9: f32 = reduced a0
  }}
}}
"
    )
}

/// Checks the error, of whichever of the two, for each body on a line of its own.
fn check(bodies: &[&str], expected: &Expect) {
    let mut report = String::new();
    for body in bodies {
        let outcome = match with_body(body).parse::<Kernel>() {
            Err(error) => format!("text: {error}"),
            Ok(kernel) => verify(&kernel).map_or_else(|error| error.to_string(), |()| "right".to_owned()),
        };
        report.push_str(&format!("{}\n    {outcome}\n", body.replace('\n', "; ")));
    }
    expected.assert_eq(&report);
}

#[test]
fn texts_that_do_not_parse() {
    check(
        &[
            "v3: f32 = frobnicate v0",
            "v3: f31 = neg v0",
            "v3: f32 = neg v7",
            "v0: f32 = neg v0",
            "v3 = neg v0",
            "v3: f32 = load %0[8*i0 + ]",
            "v3: f32 = load %0[8*i7]",
            "v3: f32 = load %9[i0]",
            "v3: f32 = load %0[i0",
            "v3: f32 = const pi",
            "v99999: f32 = neg v0",
            "v3: f32 = neg v0 v0",
            "store %1[i0] v0",
            "a1 <- v0",
            "for i0 in 0..3 {",
            "for i2 in 1..3 {",
            "for i2 in 0..3 {",
        ],
        &expect![[r#"
            v3: f32 = frobnicate v0
                text: 7:10: unknown operation `frobnicate`
            v3: f31 = neg v0
                text: 7:5: unknown element type `f31`
            v3: f32 = neg v7
                text: 7:15: `v7` is not defined
            v0: f32 = neg v0
                text: 7:1: `v0` is defined twice
            v3 = neg v0
                text: 7:4: expected `:`
            v3: f32 = load %0[8*i0 + ]
                text: 7:19: `8*i0 + `: expected a number, a name or `(`, found the end
            v3: f32 = load %0[8*i7]
                text: 7:19: `i7` is not defined
            v3: f32 = load %9[i0]
                text: 7:16: `%9` is not defined
            v3: f32 = load %0[i0
                text: 7:19: expected `]`
            v3: f32 = const pi
                text: 7:17: expected a number
            v99999: f32 = neg v0
                text: 7:1: the number of `v99999` is out of proportion
            v3: f32 = neg v0 v0
                text: 7:18: expected the end of the line
            store %1[i0] v0
                text: 7:14: expected `=` or `+=`
            a1 <- v0
                text: 7:1: `a1` is not defined
            for i0 in 0..3 {
                text: 7:5: `i0` is defined twice
            for i2 in 1..3 {
                text: 7:11: expected `0..`
            for i2 in 0..3 {
                text: 11:1: the text ends here, within the kernel
        "#]],
    );
}

#[test]
fn kernels_that_are_wrong() {
    check(
        &[
            "store %1[8*i0 + i1] = v0 if v1",
            "store %1[8*i0 + i1 + 1] = v0",
            "store %1[8*i0 + i1 - 1] = v0",
            "v3: f32 = load %0[8*i0 - i1 + 7]",
            "v3: f32 = load %0[40*i0 + i1] if v1",
            "v3: f32 = load %1[i1]",
            "v3: f16 = load %2[i1]",
            "store %0[i1] = v0",
            "store %1[i1] += v0",
            "store %1[i1] = v1",
            "store %1[i1] = v0 if v0",
            "v3: f32 = add v0",
            "v3: f32 = add v0, v1",
            "v3: i64 = add v2, v2\nv4: i64 = sqrt v3",
            "v3: f32 = and v0, v0",
            "v3: f32 = gt v0, v0",
            "v3: f32 = where v0, v0, v0",
            "v3: f16 = const 1.0",
            "v3: f16 = convert v0\nv4: f16 = neg v3",
            "v3: f16 = convert v0\nstore %2[i1] = v3",
            "v3: i16 = bitcast v0",
            "v3: i64 = bind v0 as j0 in 0..=3",
            "v3: i64 = bind v2 as j0 in 0..=3\nv4: f32 = load %0[8*j0 + i1]",
            "v3: i64 = bind v2 as j0 in 40..=50\nv4: f32 = load %0[j0]",
            "for i2 in 0..3 vector {\n}",
            "for i2 in 0..0 {\n}",
            "for i2 in 0..3 {\nv3: f32 = const 1.0\n}\nstore %1[i1] = v3",
            "for i2 in 0..3 reduce(a1: argmax f32) {\na1 <- v0\n}",
            "for i2 in 0..3 reduce(a1: any f32) {\na1 <- v0\n}",
            "for i2 in 0..3 reduce(a1: sum f32) {\na1 <- v1\n}",
            "for i2 in 0..3 reduce(a1: sum f32) {\na1 <- v0\nv3: f32 = reduced a1\n}",
            "for i2 in 0..3 reduce(a1: sum f32) {\na0 <- v0\na1 <- v0\n}\na1 <- v0",
        ],
        &expect![[r#"
            store %1[8*i0 + i1] = v0 if v1
                right
            store %1[8*i0 + i1 + 1] = v0
                %1: the index `8*i0 + i1 + 1` has values [1, 32], the buffer 32 elements
            store %1[8*i0 + i1 - 1] = v0
                %1: the index `8*i0 + i1 - 1` has values [-1, 30], the buffer 32 elements
            v3: f32 = load %0[8*i0 - i1 + 7]
                right
            v3: f32 = load %0[40*i0 + i1] if v1
                right
            v3: f32 = load %1[i1]
                %1: v3 loads what no statement before has stored
            v3: f16 = load %2[i1]
                %2: v3 loads what no statement before has stored
            store %0[i1] = v0
                %0: a store to an input
            store %1[i1] += v0
                %1: additions need a parallel extent of 1
            store %1[i1] = v1
                v1 is bool, not float32
            store %1[i1] = v0 if v0
                v0 is float32, not bool
            v3: f32 = add v0
                v3: add takes 2 operands, not 1
            v3: f32 = add v0, v1
                v0 is float32, not bool
            v3: i64 = add v2, v2; v4: i64 = sqrt v3
                v4: sqrt of int64
            v3: f32 = and v0, v0
                v3: and of float32
            v3: f32 = gt v0, v0
                v3 is float32, not bool
            v3: f32 = where v0, v0, v0
                v0 is float32, not bool
            v3: f16 = const 1.0
                v3: float16 is not computed with
            v3: f16 = convert v0; v4: f16 = neg v3
                v3: float16 is not computed with
            v3: f16 = convert v0; store %2[i1] = v3
                right
            v3: i16 = bitcast v0
                v3: float32 and int16 differ in width
            v3: i64 = bind v0 as j0 in 0..=3
                v0 is float32, not int64
            v3: i64 = bind v2 as j0 in 0..=3; v4: f32 = load %0[8*j0 + i1]
                right
            v3: i64 = bind v2 as j0 in 40..=50; v4: f32 = load %0[j0]
                %0: the index `j0` has values [40, 50], the buffer 32 elements
            for i2 in 0..3 vector {; }
                i2: a vector loop inside of another
            for i2 in 0..0 {; }
                i2: extent 0 is not positive
            for i2 in 0..3 {; v3: f32 = const 1.0; }; store %1[i1] = v3
                v3 is used where it is not defined
            for i2 in 0..3 reduce(a1: argmax f32) {; a1 <- v0; }
                a1: exactly argmax and argmin take a position
            for i2 in 0..3 reduce(a1: any f32) {; a1 <- v0; }
                a1: any of float32
            for i2 in 0..3 reduce(a1: sum f32) {; a1 <- v1; }
                v1 is bool, not float32
            for i2 in 0..3 reduce(a1: sum f32) {; a1 <- v0; v3: f32 = reduced a1; }
                a1: v3 does not stand after its loop in the same block
            for i2 in 0..3 reduce(a1: sum f32) {; a0 <- v0; a1 <- v0; }; a1 <- v0
                a1: accumulated outside of its loop
        "#]],
    );
}

#[test]
fn a_text_must_be_whole() {
    let text = with_body("");
    let error = |text: &str| text.parse::<Kernel>().expect_err("the text is wrong").to_string();
    expect!["10:1: the text ends here, within the kernel"].assert_eq(&error(&text[..text.len() - 3]));
    expect!["12:1: text after the kernel"].assert_eq(&error(&format!("{text}}}\n")));
    expect!["1:1: expected `kernel`"].assert_eq(&error("colonel"));
    expect!["1:1: the text ends here, within the kernel"].assert_eq(&error("# nothing"));
}

/// A copy of `len` elements for these sizes, with this extent and index.
fn copy(sizes: &str, len: &str, extent: &str, index: &str) -> String {
    format!(
        "kernel k{sizes}(%0: f32[{len}] in, %1: f32[s0] out) {{
  parallel i0 in 0..{extent} {{
    v0: f32 = load %0[{index}]
    store %1[i0] = v0
  }}
}}
"
    )
}

/// The error of the parser or else of the verifier for a text; `right` if there is none.
fn outcome(text: &str) -> String {
    match text.parse::<Kernel>() {
        Err(error) => format!("text: {error}"),
        Ok(kernel) => verify(&kernel).map_or_else(|error| error.to_string(), |()| "right".to_owned()),
    }
}

#[test]
fn headers_of_sizes_that_do_not_parse() {
    let headers = [
        "",
        "<s0: 2..>",
        "<s0: 2..=64, s1: ..>",
        "<>",
        "<s0>",
        "<s0: >",
        "<: 2..>",
        "<s0: 2>",
        "<s0: 2..64>",
        "<s0: 2..=>",
        "<s0: two..>",
        "<s0: 2..=-->",
        "<s0: 9223372036854775808..>",
        "<s0: 5..=4>",
        "<s0: ..=-9223372036854775808>",
        "<s0: 2.. s1: 2..>",
        "<s0: 2.., >",
        "<s0: 2..",
        "<s0: 2.., s1: 2.., s0: 2..>",
        "<s0: 2.., 7: 2..>",
        "<s0: 2.., i0: 2..>",
    ];
    let report: String = headers.map(|h| format!("{h}\n    {}\n", outcome(&copy(h, "s0", "s0", "i0")))).concat();
    expect![[r#"

            text: 1:18: `s0` is not defined
        <s0: 2..>
            right
        <s0: 2..=64, s1: ..>
            right
        <>
            text: 1:10: expected a size
        <s0>
            text: 1:12: expected `:`
        <s0: >
            text: 1:14: expected the least value
        <: 2..>
            text: 1:10: expected a size
        <s0: 2>
            text: 1:15: expected `..`
        <s0: 2..64>
            text: 1:17: expected `,` or `>`
        <s0: 2..=>
            text: 1:18: expected the greatest value
        <s0: two..>
            text: 1:14: expected the least value
        <s0: 2..=-->
            text: 1:18: expected the greatest value
        <s0: 9223372036854775808..>
            text: 1:14: expected the least value
        <s0: 5..=4>
            text: 1:14: no integer lies in [5, 4]
        <s0: ..=-9223372036854775808>
            %0: not a buffer that kernels can have
        <s0: 2.. s1: 2..>
            text: 1:18: expected `,` or `>`
        <s0: 2.., >
            text: 1:19: expected a size
        <s0: 2..
            text: 1:17: expected `,` or `>`
        <s0: 2.., s1: 2.., s0: 2..>
            text: 1:28: `s0` is defined twice
        <s0: 2.., 7: 2..>
            text: 1:19: expected a size
        <s0: 2.., i0: 2..>
            text: 2:12: `i0` is defined twice
    "#]]
    .assert_eq(&report);
}

#[test]
fn expressions_of_sizes_that_are_wrong() {
    let cases = [
        ("s0", "s0", "i0"),
        ("s1", "s0", "i0"),
        ("s0", "s1", "i0"),
        ("s0", "s0", "i0 + s1"),
        ("i0", "s0", "i0"),
        ("s0", "i0", "i0"),
        ("s0", "s0 +", "i0"),
        ("s0//", "s0", "i0"),
        ("s0", "", "i0"),
        ("", "s0", "i0"),
        ("s0", "s0", ""),
        ("s0", "s0", "i0 + 1"),
        ("s0", "s0 + 1", "i0"),
        ("s0", "s0", "i0 - 1"),
        ("-s0", "s0", "i0"),
        ("s0", "-s0", "i0"),
        ("s0", "0", "i0"),
        ("s0*s0", "s0", "s0*i0 + s0"),
    ];
    let report = |(len, extent, index): (&str, &str, &str)| {
        format!("[{len}] 0..{extent} [{index}]\n    {}\n", outcome(&copy("<s0: 2..>", len, extent, index)))
    };
    expect![[r#"
        [s0] 0..s0 [i0]
            right
        [s1] 0..s0 [i0]
            text: 1:27: `s1` is not defined
        [s0] 0..s1 [i0]
            text: 2:21: `s1` is not defined
        [s0] 0..s0 [i0 + s1]
            text: 3:23: `s1` is not defined
        [i0] 0..s0 [i0]
            text: 1:27: `i0` is not defined
        [s0] 0..i0 [i0]
            text: 2:21: `i0` is not defined
        [s0] 0..s0 + [i0]
            text: 2:21: `s0 +`: expected a number, a name or `(`, found the end
        [s0//] 0..s0 [i0]
            text: 1:27: `s0//`: expected a number, a name or `(`, found the end
        [s0] 0.. [i0]
            text: 2:22: `{`: unexpected `{` at byte 0
        [] 0..s0 [i0]
            text: 1:27: ``: expected a number, a name or `(`, found the end
        [s0] 0..s0 []
            text: 3:23: ``: expected a number, a name or `(`, found the end
        [s0] 0..s0 [i0 + 1]
            %0: the index `i0 + 1` has values [1, int_oo], the buffer s0 elements
        [s0] 0..s0 + 1 [i0]
            %0: the index `i0` has values [0, int_oo], the buffer s0 elements
        [s0] 0..s0 [i0 - 1]
            %0: the index `i0 - 1` has values [-1, int_oo], the buffer s0 elements
        [-s0] 0..s0 [i0]
            %0: not a buffer that kernels can have
        [s0] 0..-s0 [i0]
            %0: the index `i0` has values [0, -3], the buffer s0 elements
        [s0] 0..0 [i0]
            i0: extent 0 is not positive
        [s0*s0] 0..s0 [s0*i0 + s0]
            %0: the index `i0*s0 + s0` has values [2, int_oo], the buffer s0**2 elements
    "#]]
    .assert_eq(&cases.map(report).concat());
}

#[test]
fn bound_symbols_that_are_wrong() {
    let binds = [
        "bind v0 as j0 in 0..s0",
        "bind v0 as j0 in 0..=3",
        "bind v0 as j0 in 0..s9",
        "bind v0 as j0 in 0..i0",
        "bind v0 as j0 in 1..s0",
        "bind v0 as j0 in 0..",
        "bind v0 as j0 in 3..=2",
        "bind v0 as j0 in 0..0",
        "bind v0 as j0 in 0..-s0",
        "bind v0 as j0 in ..s0",
        "bind v0 as s0 in 0..=3",
        "bind v0 as i0 in 0..=3",
        "bind v0 as in 0..=3",
        "bind v0 as 0 in 0..=3",
    ];
    let text = |bind: &str| {
        format!(
            "kernel k<s0: 2..>(%0: i64[s0] in, %1: i64[s0] out) {{
  parallel i0 in 0..s0 {{
    v0: i64 = load %0[i0]
    v1: i64 = {bind}
    store %1[i0] = v1
  }}
}}
"
        )
    };
    expect![[r#"
        bind v0 as j0 in 0..s0
            right
        bind v0 as j0 in 0..=3
            right
        bind v0 as j0 in 0..s9
            text: 4:35: `s9` is not defined
        bind v0 as j0 in 0..i0
            text: 4:35: `i0` is not defined
        bind v0 as j0 in 1..s0
            text: 4:32: expected `0..`
        bind v0 as j0 in 0..
            text: 4:35: ``: expected a number, a name or `(`, found the end
        bind v0 as j0 in 3..=2
            text: 4:32: no integer lies in [3, 2]
        bind v0 as j0 in 0..0
            text: 4:32: no integer lies in [0, -1]
        bind v0 as j0 in 0..-s0
            text: 4:32: no integer lies in [0, -3]
        bind v0 as j0 in ..s0
            text: 4:32: expected the least value
        bind v0 as s0 in 0..=3
            text: 4:26: `s0` is defined twice
        bind v0 as i0 in 0..=3
            text: 4:26: `i0` is defined twice
        bind v0 as in 0..=3
            text: 4:29: expected `in`
        bind v0 as 0 in 0..=3
            text: 4:26: expected a symbol
    "#]]
    .assert_eq(&binds.map(|b| format!("{b}\n    {}\n", outcome(&text(b)))).concat());
}
