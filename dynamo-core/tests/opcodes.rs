//! The opcode tables against what each interpreter's `dis.stack_effect` answers.

use dynamo_core::bytecode::Version;
use dynamo_core::bytecode::opcodes::{Direction, Flow, Op, Table};

const RECORDED: [(Version, &str); 4] = [
    (Version::V311, include_str!("data/effects_311.txt")),
    (Version::V312, include_str!("data/effects_312.txt")),
    (Version::V313, include_str!("data/effects_313.txt")),
    (Version::V314, include_str!("data/effects_314.txt")),
];

#[test]
fn stack_effects_are_those_of_the_interpreter() {
    for (version, recorded) in RECORDED {
        let mut lines = recorded.lines();
        let header = lines.next().and_then(|line| line.strip_prefix("# ")).expect("a header");
        let args: Vec<u32> = header.split(' ').map(|arg| arg.parse().expect("a number")).collect();
        let count = lines.map(|line| check_line(version, &args, line)).count();
        assert_eq!(count, 2 * Table::of(version).rows.len());
    }
}

/// One line: an opcode, `stay` or `jump`, and its effect at each of `args`.
fn check_line(version: Version, args: &[u32], line: &str) {
    let mut words = line.split(' ');
    let op = words.next().and_then(Op::from_name).expect("an opcode");
    let row = Table::of(version).by_op(op).expect("a row");
    let effect = if words.next() == Some("jump") { row.jump_effect } else { row.effect };
    for (&arg, expected) in args.iter().zip(words) {
        if expected != "?" {
            assert_eq!(effect.of(arg).to_string(), expected, "{version} {op} {arg}");
        }
    }
}

#[test]
fn tables_agree_with_themselves() {
    for version in Version::ALL {
        let table = Table::of(version);
        assert!(table.by_number(table.extended_arg).is_none());
        assert!(table.by_number(0).is_none(), "caches are no instructions");
        for row in table.rows {
            assert_eq!(table.by_number(row.number).map(|row| row.op), Some(row.op));
            assert_eq!(table.by_op(row.op).map(|row| row.number), Some(row.number));
        }
    }
}

#[test]
fn reversed_jumps_differ_in_their_way_only() {
    for version in Version::ALL {
        let table = Table::of(version);
        for row in table.rows {
            let Some(other) = row.op.reversed().and_then(|op| table.by_op(op)) else { continue };
            assert_eq!(other.flow, opposite(row.flow), "{version} {}", row.op);
            assert_eq!((other.effect, other.jump_effect), (row.effect, row.jump_effect));
        }
    }
}

fn opposite(flow: Flow) -> Flow {
    match flow {
        Flow::Jump(Direction::Forward) => Flow::Jump(Direction::Backward),
        Flow::Jump(Direction::Backward) => Flow::Jump(Direction::Forward),
        Flow::Branch(Direction::Forward) => Flow::Branch(Direction::Backward),
        Flow::Branch(Direction::Backward) => Flow::Branch(Direction::Forward),
        flow @ (Flow::Next | Flow::Stop | Flow::Refer(_)) => flow,
    }
}

#[test]
fn names_are_sorted_and_found() {
    assert!(Op::ALL.is_sorted_by_key(|op| op.name()));
    assert!(Op::ALL.iter().all(|&op| Op::from_name(op.name()) == Some(op)));
    assert_eq!(Op::from_name("EXTENDED_ARG"), None);
}
