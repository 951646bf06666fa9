//! Traces of recorded functions, in every version: graphs and guards are the same, the code is each version's.
//!
//! `trace_world.py` records the worlds, of the first call of each function in `trace_cases.py`.

use cranelift_entity::EntityRef;
use dynamo_core::bytecode::{CodeObject, Const, Listing, Version, decode};
use dynamo_core::host::{Host as _, Obj, Recorder};
use dynamo_core::trace::{Break, Capture, Memo, Options, trace};
use expect_test::{ExpectFile, expect_file};
use std::fmt::Write;
use world::World;

mod world;

/// Functions of which versions trace more or less, since they compile them otherwise.
const UNLIKE: &[(&str, &str)] = &[("break_in_a_comprehension", "inlined from 3.12 on, a call before")];

/// A call, traced.
struct Traced {
    name: String,
    outcome: Result<Capture, Break>,
}

impl Traced {
    /// Graph, guards, and where the graph ends.
    fn meaning(&self) -> String {
        let mut text = format!("== {} ==\n", self.name);
        self.write_meaning(&mut text).expect("strings take what is written");
        text
    }

    fn write_meaning(&self, text: &mut String) -> std::fmt::Result {
        let capture = match &self.outcome {
            Ok(capture) => capture,
            Err(refused) => return writeln!(text, "refused: {}", refused.reason),
        };
        if capture.computes {
            writeln!(text, "{}", capture.graph)?;
        }
        let inputs = capture.inputs.iter().map(|&source| capture.sources.display(source).to_string());
        writeln!(text, "inputs: {}", inputs.collect::<Vec<_>>().join(", "))?;
        for guard in &capture.guards {
            writeln!(text, "guard: {}", guard.text(&capture.sources))?;
        }
        if let Some(ended) = &capture.ended {
            let line = ended.line;
            writeln!(text, "ends at line {line}: [{}] {}", ended.reason.kind.code(), ended.reason.text)?;
        }
        Ok(())
    }

    /// The code that runs in the function's place, with the functions in which it goes on.
    fn code(&self, version: Version) -> String {
        let code = self.outcome.as_ref().map(|capture| listing(version, &capture.code));
        format!("== {} ==\n{}", self.name, code.unwrap_or_default())
    }
}

fn listing(version: Version, code: &CodeObject) -> String {
    let body = decode(version, code).expect("decodes");
    let mut text = format!("{}({})\n{}", code.name, arguments(code), Listing { body: &body, code });
    for value in &code.consts {
        if let Const::Code(nested) = value {
            text += &listing(version, nested);
        }
    }
    text
}

fn arguments(code: &CodeObject) -> String {
    code.varnames[..code.argument_slots()].join(", ")
}

fn recorded(version: Version) -> &'static str {
    match version {
        Version::V311 => include_str!("data/trace_311.json"),
        Version::V312 => include_str!("data/trace_312.json"),
        Version::V313 => include_str!("data/trace_313.json"),
        Version::V314 => include_str!("data/trace_314.json"),
    }
}

fn traced(version: Version) -> Vec<Traced> {
    let mut world: World = serde_json::from_str(recorded(version)).expect("a recorded world");
    let cases = world.cases.clone();
    let run = |case: &world::Case| Traced {
        name: case.name.clone(),
        outcome: trace(&mut world, case.function(), &case.arguments(), &Options::default()),
    };
    cases.iter().map(run).collect()
}

#[test]
fn graphs_and_guards_are_those_of_every_version() {
    let meanings = |version| traced(version).iter().map(Traced::meaning).collect::<Vec<_>>();
    let newest = meanings(Version::V314);
    let mut different = String::new();
    for version in [Version::V311, Version::V312, Version::V313] {
        for (one, other) in meanings(version).iter().zip(&newest) {
            let name = one.split(' ').nth(1).unwrap_or_default();
            if one != other && UNLIKE.iter().all(|&(known, _)| known != name) {
                different += &format!("{version}:\n{one}\n{}:\n{other}\n", Version::V314);
            }
        }
    }
    assert!(different.is_empty(), "{different}");
    expect_file!["data/trace.txt"].assert_eq(&newest.join("\n"));
}

/// A capture in words, its code included.
fn described(version: Version, name: &str, outcome: Result<Capture, Break>) -> String {
    let traced = Traced { name: name.to_owned(), outcome };
    traced.meaning() + &traced.code(version)
}

#[test]
fn a_trace_is_recalled_exactly_where_it_would_be_the_same() {
    let (mut recalled, mut refused) = (0, 0);
    for version in Version::ALL {
        let mut world: World = serde_json::from_str(recorded(version)).expect("a recorded world");
        for case in world.cases.clone() {
            let (function, arguments) = (case.function(), case.arguments());
            let now = |world: &mut World| trace(world, function, &arguments, &Options::default());
            let mut recorder = Recorder::new(&mut world);
            let Ok(capture) = trace(&mut recorder, function, &arguments, &Options::default()) else { continue };
            let Some(journal) = recorder.finish() else { continue };
            // What makes a set again has no form in bytes.
            let Some(bytes) = Memo::new(journal, capture).encode() else { continue };
            let recall = |world: &mut World| Memo::decode(&bytes).expect("what was written").recall(world);
            let expected = described(version, &case.name, now(&mut world));
            let found = recall(&mut world).expect("nothing has changed");
            assert_eq!(described(version, &case.name, Ok(found)), expected);
            for obj in (0..world.handles()).map(Obj::new) {
                world.with_another_constant(obj, |world| match recall(world) {
                    Some(found) => {
                        recalled += 1;
                        let expected = described(version, &case.name, now(world));
                        assert_eq!(described(version, &case.name, Ok(found)), expected, "{obj} is another");
                    }
                    None => refused += 1,
                });
            }
        }
    }
    assert!(recalled > 1000 && refused > 100, "{recalled} recalled, {refused} refused");
}

#[expect(clippy::needless_pass_by_value, reason = "that is how `expect_file!` gives it")]
fn check_code(version: Version, expected: ExpectFile) {
    let text: Vec<String> = traced(version).iter().map(|traced| traced.code(version)).collect();
    expected.assert_eq(&text.join("\n"));
}

#[test]
fn code_311() {
    check_code(Version::V311, expect_file!["data/trace_311.txt"]);
}

#[test]
fn code_312() {
    check_code(Version::V312, expect_file!["data/trace_312.txt"]);
}

#[test]
fn code_313() {
    check_code(Version::V313, expect_file!["data/trace_313.txt"]);
}

#[test]
fn code_314() {
    check_code(Version::V314, expect_file!["data/trace_314.txt"]);
}
