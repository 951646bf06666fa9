//! Every opcode of every version is traced, or has a row that says why it is not.
//!
//! Each is probed: a function runs it on a stack that suits it, and is traced. What the tracer says tells whether it
//! knows the instruction.

use dynamo_core::bytecode::opcodes::{ArgKind, Direction, Op, Row, Table};
use dynamo_core::bytecode::{Body, CodeObject, Const, Version};
use dynamo_core::reason::{Kind, Reason};
use dynamo_core::trace::{INTRINSICS, Options, UNTRACED, trace};
use serde_json::json;
use world::World;

#[expect(dead_code, reason = "the names of calls are for the golden files")]
mod world;

/// The stack for each instruction that wants operands of a certain kind; constants do for all others.
const STACKS: &[(Op, &str)] = &[
    (Op::ListAppend, "BUILD_LIST 0\nLOAD_CONST 0"),
    (Op::ListExtend, "BUILD_LIST 0\nBUILD_LIST 0"),
    (Op::SetAdd, "BUILD_SET 0\nLOAD_CONST 0"),
    (Op::SetUpdate, "BUILD_SET 0\nBUILD_LIST 0"),
    (Op::MapAdd, "BUILD_MAP 0\nLOAD_CONST 0\nLOAD_CONST 0"),
    (Op::DictUpdate, "BUILD_MAP 0\nBUILD_MAP 0"),
    (Op::DictMerge, "BUILD_MAP 0\nBUILD_MAP 0"),
    (Op::MakeFunction, "LOAD_CONST 2"),
    (Op::SetFunctionAttribute, "BUILD_TUPLE 0\nLOAD_CONST 2\nMAKE_FUNCTION"),
];

/// A function's body that runs an instruction.
fn probe(version: Version, row: &Row, arg: u32) -> Body {
    let stack = STACKS
        .iter()
        .find(|&&(op, _)| op == row.op)
        .map_or(["LOAD_CONST 0"; 8].join("\n"), |&(_, stack)| stack.to_owned());
    let (before, arg, after) = match (row.flow.direction(), row.arg) {
        (Some(Direction::Forward), _) => ("", "L0".to_owned(), "LOAD_CONST 0\nRETURN_VALUE\nL0:\n"),
        (Some(Direction::Backward), _) => {
            ("JUMP_FORWARD L1\nL0:\nLOAD_CONST 0\nRETURN_VALUE\nL1:\n", "L0".to_owned(), "")
        }
        (None, ArgKind::None) => ("", String::new(), ""),
        (None, ArgKind::Const) => ("", "1".to_owned(), ""),
        (None, ArgKind::Local | ArgKind::LocalPair | ArgKind::Compare(_)) => ("", "0".to_owned(), ""),
        (None, _) => ("", arg.to_string(), ""),
    };
    let op = row.op;
    let text = format!("python {version}\nRESUME 0\n{before}{stack}\n{op} {arg}\n{after}LOAD_CONST 0\nRETURN_VALUE");
    text.parse().unwrap_or_else(|error| panic!("{error} in\n{text}"))
}

/// The function `f` around a body, in a world of its own.
fn world(version: Version, body: &Body) -> World {
    let plain = || CodeObject { flags: 3, firstlineno: 1, name: "f".to_owned(), ..CodeObject::default() };
    let nested: Body = format!("python {version}\nRESUME 0\nLOAD_CONST 0\nRETURN_VALUE").parse().expect("a body");
    let nested = CodeObject { consts: vec![Const::None], ..plain() }.with_body(&nested).expect("encodes");
    let names = Const::Tuple(vec![Const::Str("name".to_owned())]);
    let code = CodeObject {
        varnames: vec!["a".to_owned(), "b".to_owned()],
        names: vec!["name".to_owned(), "other".to_owned()],
        consts: vec![Const::None, names, Const::Code(Box::new(nested))],
        ..plain()
    };
    let code = code.with_body(body).unwrap_or_else(|error| panic!("{error} in\n{body}"));
    let function = json!({"code": 1, "globals": 2, "defaults": [], "kwdefaults": [], "closure": [], "name": "f", "skipped": false});
    let row = |view| json!({"view": view, "class": 3, "repr": ""});
    let said = json!({
        "version": version,
        "objects": [
            row(json!({"function": function})),
            row(json!({"code": [code, []]})),
            row(json!({"scope": [{}, {}]})),
            row(json!({"class": "builtins.object"})),
        ],
        "classes": {},
        "methods": [],
        "cases": [{"name": "f", "function": 0, "arguments": []}],
    });
    serde_json::from_value(said).expect("a world")
}

/// Whether the tracer knows the instruction.
fn is_traced(version: Version, row: &Row, arg: u32) -> bool {
    let mut world = world(version, &probe(version, row, arg));
    let case = world.cases[0].clone();
    let options = Options { steps: 100, ..Options::default() };
    let reason: Option<Reason> = match trace(&mut world, case.function(), &case.arguments(), &options) {
        Ok(capture) => capture.ended.map(|ended| ended.reason),
        Err(refused) => Some(refused.reason),
    };
    !reason.is_some_and(|reason| reason.kind == Kind::Opcode && reason.text.starts_with(&format!("{}.", row.op)))
}

#[test]
fn every_opcode_is_traced_or_has_a_reason() {
    let mut wrong = String::new();
    for version in Version::ALL {
        for row in Table::of(version).rows.iter().filter(|row| !is_intrinsic(row.op)) {
            let listed = UNTRACED.iter().any(|&(op, _)| op == row.op);
            let arg = if row.op == Op::BuildSlice { 2 } else { 1 };
            match (is_traced(version, row, arg), listed) {
                (false, false) => {
                    wrong += &format!("{version} {} is not traced, and has no row that says why\n", row.op);
                }
                (true, true) => wrong += &format!("{version} {} is traced: its row is stale\n", row.op),
                _ => {}
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

fn is_intrinsic(op: Op) -> bool {
    matches!(op, Op::CallIntrinsic1 | Op::CallIntrinsic2)
}

#[test]
fn every_intrinsic_is_traced_or_has_a_reason() {
    let mut wrong = String::new();
    for version in Version::ALL {
        for row in Table::of(version).rows.iter().filter(|row| is_intrinsic(row.op)) {
            for arg in 1..=intrinsics(version, row.op) {
                let listed = INTRINSICS.iter().any(|&(op, number, _)| (op, number) == (row.op, arg));
                if is_traced(version, row, arg) == listed {
                    wrong += &format!("{version} {} {arg}: traced {}, has a row {listed}\n", row.op, !listed);
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// The number of functions behind an intrinsic call.
fn intrinsics(version: Version, op: Op) -> u32 {
    match (op, version) {
        (Op::CallIntrinsic1, _) => 11,
        (_, Version::V313 | Version::V314) => 5,
        _ => 4,
    }
}

#[test]
fn rows_are_in_order() {
    assert!(UNTRACED.is_sorted_by_key(|(op, _)| op.name()));
    assert!(INTRINSICS.is_sorted_by_key(|(op, number, _)| (op.name(), number)));
    assert!(UNTRACED.iter().all(|&(op, _)| Version::ALL.iter().any(|&v| Table::of(v).by_op(op).is_some())));
}
