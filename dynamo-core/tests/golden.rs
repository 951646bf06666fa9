//! Recorded code objects as text, and back.

use dynamo_core::bytecode::{Body, CodeObject, Const, Listing, Version, decode};
use expect_test::{ExpectFile, expect_file};

/// The code objects and everything nested in them, in the listing's form.
fn listing(version: Version, codes: &[CodeObject]) -> String {
    codes.iter().map(|code| list_one(version, code)).collect()
}

fn list_one(version: Version, code: &CodeObject) -> String {
    let body = decode(version, code).expect("decodes");
    let again = code.with_body(&body).expect("encodes");
    assert_eq!(&again, code, "{}", code.qualname);
    let read: Body = body.to_string().parse().expect("reads");
    assert_eq!(read.to_string(), body.to_string(), "{}", code.qualname);
    let nested = code.consts.iter().filter_map(|value| match value {
        Const::Code(code) => Some(list_one(version, code)),
        _ => None,
    });
    let text = format!("== {} ==\n{}", code.qualname, Listing { body: &body, code });
    std::iter::once(text).chain(nested).collect()
}

#[expect(clippy::needless_pass_by_value, reason = "that is how `expect_file!` gives it")]
fn check(version: Version, recorded: &str, expected: ExpectFile) {
    let codes: Vec<CodeObject> = serde_json::from_str(recorded).expect("recorded code objects");
    expected.assert_eq(&listing(version, &codes));
}

#[test]
fn listing_311() {
    check(Version::V311, include_str!("data/sample_311.json"), expect_file!["data/sample_311.txt"]);
}

#[test]
fn listing_312() {
    check(Version::V312, include_str!("data/sample_312.json"), expect_file!["data/sample_312.txt"]);
}

#[test]
fn listing_313() {
    check(Version::V313, include_str!("data/sample_313.json"), expect_file!["data/sample_313.txt"]);
}

#[test]
fn listing_314() {
    check(Version::V314, include_str!("data/sample_314.json"), expect_file!["data/sample_314.txt"]);
}
