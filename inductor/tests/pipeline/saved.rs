//! Plans written to JSON and read again, damaged ones among them.

use crate::broken::symbolic;
use fx::json::FormError;
use inductor::plan::SymbolicPlan;
use inductor::plan::json::Error;
use inductor::plan::verify::verify;
use inductor_testing::rng::Rng;

/// Checks that a plan that is written is read as it was.
pub(crate) fn is_read_again(plan: &SymbolicPlan) {
    let json = plan.to_json();
    let read = SymbolicPlan::from_json(&json).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(read.to_json(), json);
    let typical = |plan: &SymbolicPlan| plan.typical().expect("every size has a typical value").to_string();
    assert_eq!(typical(&read), typical(plan));
}

#[test]
fn a_plan_for_all_sizes_is_read_again() {
    is_read_again(&symbolic());
}

#[test]
fn what_is_damaged_is_an_error_or_another_plan_and_never_a_panic() {
    let json = symbolic().to_json();
    let mut rng = Rng::new(7);
    let (mut refused, mut read) = (0, 0);
    for _ in 0..4000 {
        let mut damaged = json.clone().into_bytes();
        for _ in 0..=rng.below(3) {
            let at = rng.below(damaged.len());
            // Numbers make the most plans that are read.
            let byte = if rng.one_in(3) { b"[]{},:\"\\n-e."[rng.below(12)] } else { b'0' + rng.below(10) as u8 };
            damaged[at] = byte;
        }
        let text = String::from_utf8(damaged).expect("the text is ASCII");
        match SymbolicPlan::from_json(&text) {
            Ok(plan) => {
                read += 1;
                if let Ok(plan) = plan.typical() {
                    let _ = (verify(&plan), plan.to_string());
                }
            }
            Err(_) => refused += 1,
        }
    }
    assert!(refused > 1000 && read > 50, "{refused} refused, {read} read");
}

#[test]
fn other_versions_and_parts_that_are_not_there_are_told() {
    let json = symbolic().to_json();
    let refused = |from: &str, to: &str| {
        assert!(json.contains(from), "{from} is in {json}");
        SymbolicPlan::from_json(&json.replacen(from, to, 1)).expect_err("it is refused").to_string()
    };
    assert_eq!(refused("{\"version\":2", "{\"version\":3"), "version 3 of the JSON form; this library reads version 2");
    assert_eq!(refused("\"Check\":", "\"Check\":9"), "b90 is not in the plan".replace("b90", &flag(&json)));
    assert!(matches!(SymbolicPlan::from_json("[]"), Err(Error::Form(FormError::Json(_)))));
}

/// The name of the plan's flag, were its number one with a 9 before it.
fn flag(json: &str) -> String {
    let digits = json.split("\"Check\":").nth(1).expect("the plan checks a flag");
    let digits: String = digits.chars().take_while(char::is_ascii_digit).collect();
    format!("b9{digits}")
}
