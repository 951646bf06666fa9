//! The signatures of what the tracer spells out. `test_published_signatures.py` compares them with Python's own.

use dynamo_core::trace::signatures;
use expect_test::expect_file;

#[test]
fn all_rows() {
    let mut rows: Vec<&str> = signatures().collect();
    rows.sort_unstable();
    expect_file!["data/signatures.txt"].assert_eq(&(rows.join("\n") + "\n"));
}
