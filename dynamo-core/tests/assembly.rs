//! Bodies made by hand or at random: layout, `EXTENDED_ARG`, jumps, tables, depths, and what is refused.

use dynamo_core::bytecode::{
    Arg, Body, CodeObject, DecodeError, DepthError, EncodeError, Handler, Inst, InstData, Label, Op, Span, Version,
    decode, encode, exceptions, location, stack_depths,
};
use expect_test::expect;
use proptest::prelude::*;

/// A code object of nothing but this body.
fn code_object(body: &Body) -> Result<CodeObject, EncodeError> {
    CodeObject { firstlineno: 1, ..CodeObject::default() }.with_body(body)
}

fn read(text: &str) -> Body {
    text.parse().expect("a body")
}

fn decoded(body: &Body) -> Body {
    decode(body.version(), &code_object(body).expect("encodes")).expect("decodes")
}

/// An instruction: what it does, its argument or its target, its span, its handler's target, depth and flag.
type Shape = (Op, Result<u32, usize>, Option<Span>, Option<(usize, u32, bool)>);

/// A body's instructions with the index of each target, so that numbers of labels do not matter.
fn shape(body: &Body) -> Vec<Shape> {
    let index = |label: Label| {
        let inst: Inst = body.target(label).expect("bound");
        body.order().iter().position(|&other| other == inst).expect("placed")
    };
    let one = |&inst: &Inst| {
        let data = body.inst(inst);
        let arg = match data.arg {
            Arg::None => Ok(0),
            Arg::Int(arg) => Ok(arg),
            Arg::Jump(label) => Err(index(label)),
        };
        let handler = data.handler.expand().map(|id| *body.handler(id));
        (data.op, arg, data.span, handler.map(|handler| (index(handler.target), handler.depth, handler.lasti)))
    };
    body.order().iter().map(one).collect()
}

/// An instruction of a random body, which keeps the stack as it was.
#[derive(Clone, Debug)]
enum Step {
    /// So many constants loaded and dropped, which moves everything after it.
    Filler(usize),
    /// A constant of this index, dropped.
    Load(u32),
    /// A conditional jump over the next so many steps.
    Skip(usize),
    /// A jump back over the last so many steps, under a condition.
    Back(usize),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (0usize..200).prop_map(Step::Filler),
        2 => any::<u32>().prop_map(Step::Load),
        2 => (0usize..12).prop_map(Step::Skip),
        2 => (0usize..12).prop_map(Step::Back),
    ]
}

fn span() -> impl Strategy<Value = Option<Span>> {
    let columns = prop_oneof![(0u32..90, 0u32..20).prop_map(|(start, width)| (start, start + width)), any_columns()];
    let full = (1i32..100_000, 0i32..300, proptest::option::of(columns));
    let span = full.prop_map(|(line, more, columns)| Span { line, end_line: line + more, columns });
    proptest::option::of(prop_oneof![(1i32..40).prop_map(Span::line), span])
}

fn any_columns() -> impl Strategy<Value = (u32, u32)> {
    (0u32..1 << 30, 0u32..1 << 30)
}

fn version() -> impl Strategy<Value = Version> {
    proptest::sample::select(&Version::ALL[..])
}

/// The body of random steps; step n stands at label n.
fn build(version: Version, steps: &[(Step, Option<Span>)]) -> Body {
    let mut body = Body::new(version);
    let labels: Vec<Label> = (0..=steps.len()).map(|_| body.new_label()).collect();
    for (index, (step, span)) in steps.iter().enumerate() {
        let mut first = None;
        for data in expand(version, step, index, &labels) {
            let inst = body.push(InstData { span: *span, ..data });
            first.get_or_insert(inst);
        }
        body.bind(labels[index], first.expect("steps are not empty"));
    }
    let end = body.push(InstData::new(Op::LoadConst, Arg::Int(0)));
    body.bind(labels[steps.len()], end);
    body.push(InstData::new(Op::ReturnValue, Arg::None));
    body
}

fn expand(version: Version, step: &Step, index: usize, labels: &[Label]) -> Vec<InstData> {
    let load = |arg| [InstData::new(Op::LoadConst, Arg::Int(arg)), InstData::new(Op::PopTop, Arg::None)];
    let branch = |label: Label| {
        let op = if version == Version::V311 { Op::PopJumpForwardIfTrue } else { Op::PopJumpIfTrue };
        vec![InstData::new(Op::LoadConst, Arg::Int(0)), InstData::new(op, Arg::Jump(label))]
    };
    match *step {
        Step::Filler(count) => (0..=count).flat_map(|arg| load(arg as u32)).collect(),
        Step::Load(arg) => load(arg).to_vec(),
        Step::Skip(count) => branch(labels[(index + 1 + count).min(labels.len() - 1)]),
        Step::Back(count) => {
            let mut insts = branch(labels[index + 1]);
            insts.push(InstData::new(Op::JumpForward, Arg::Jump(labels[index.saturating_sub(count)])));
            insts
        }
    }
}

/// The body as it decodes from its encoding: jumps have the opcode of their direction.
fn turned(body: &Body) -> Body {
    let mut turned = body.clone();
    let position = |inst: Inst| body.order().iter().position(|&other| other == inst);
    for &inst in body.order() {
        if let (Op::JumpForward, Arg::Jump(label)) = (body.inst(inst).op, body.inst(inst).arg)
            && position(body.target(label).expect("bound")) <= position(inst)
        {
            turned.inst_mut(inst).op = Op::JumpBackward;
        }
    }
    turned
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn random_bodies_come_back(version in version(), steps in proptest::collection::vec((step(), span()), 0..40)) {
        let body = build(version, &steps);
        let again = decoded(&body);
        prop_assert_eq!(shape(&turned(&body)), shape(&again));
        prop_assert_eq!(encode(&body, 1), encode(&again, 1));
        let text = body.to_string();
        prop_assert_eq!(read(&text).to_string(), text);
    }

    #[test]
    fn location_tables_come_back(runs in proptest::collection::vec((1u32..30, span()), 0..40), first in 0i32..50_000) {
        let units: Vec<Option<Span>> =
            runs.iter().flat_map(|&(units, span)| std::iter::repeat_n(span, units as usize)).collect();
        prop_assert_eq!(location::decode(&location::encode(runs, first), first), Some(units));
    }

    #[test]
    fn exception_tables_come_back(parts in proptest::collection::vec((any::<[u16; 4]>(), any::<bool>()), 0..20)) {
        let mut at = 0;
        let entries: Vec<_> = parts.iter().map(|&([gap, length, target, depth], lasti)| {
            let start = at + u32::from(gap);
            at = start + u32::from(length);
            let (target, depth) = (u32::from(target) << 8, u32::from(depth));
            exceptions::Entry { start, end: at, target, depth, lasti }
        }).collect();
        prop_assert_eq!(exceptions::decode(&exceptions::encode(&entries)), Some(entries));
    }

    #[test]
    fn any_bytes_are_decoded_or_refused(
        version in version(),
        code in proptest::collection::vec(any::<u8>(), 0..80),
        linetable in proptest::collection::vec(any::<u8>(), 0..40),
        exceptiontable in proptest::collection::vec(any::<u8>(), 0..40),
    ) {
        let empty = code_object(&Body::new(version)).expect("encodes");
        if let Ok(body) = decode(version, &CodeObject { code, linetable, exceptiontable, ..empty }) {
            let _ = encode(&body, 1);
        }
    }
}

#[test]
fn a_jump_grows_with_what_it_skips() {
    for (count, extended) in [(127, 0), (128, 1), (32_767, 1), (32_768, 2)] {
        let mut body = read("python 3.12\n    LOAD_CONST 0\n    POP_JUMP_IF_TRUE L0\nL0:\n    RETURN_CONST 0\n");
        let filler = [InstData::new(Op::LoadConst, Arg::Int(0)), InstData::new(Op::PopTop, Arg::None)];
        body.insert(2, filler.into_iter().cycle().take(2 * count));
        let code = code_object(&body).expect("encodes").code;
        assert_eq!(code.len(), 2 * (2 * count + 3 + extended), "{count}");
        assert_eq!(shape(&decoded(&body)), shape(&body));
    }
}

#[test]
fn jumps_turn_round_where_they_can() {
    let body = read("python 3.11\nL0:\n    LOAD_CONST 0\n    POP_JUMP_FORWARD_IF_TRUE L0\n    JUMP_FORWARD L0\n");
    expect![[r#"
        python 3.11
        L0:
            LOAD_CONST 0
            POP_JUMP_BACKWARD_IF_TRUE L0
            JUMP_BACKWARD L0
    "#]]
    .assert_eq(&decoded(&body).to_string());
    let body = read("python 3.12\nL0:\n    LOAD_CONST 0\n    POP_JUMP_IF_TRUE L0\n    RETURN_CONST 0\n");
    let error = encode(&body, 1).expect_err("3.12 has no such jump");
    assert_eq!(error.to_string(), "i1: POP_JUMP_IF_TRUE cannot jump to L0, which is the other way");
}

/// A prologue put in front of a function: what a resumed function looks like.
#[test]
fn a_prologue_moves_everything() {
    let mut body = read(
        "python 3.11
h0 = L1 depth 0
    RESUME 0
    LOAD_FAST 0 !h0 @2:4-2:5
    RETURN_VALUE
L1:
    PUSH_EXC_INFO
    RERAISE 0
",
    );
    let resume = body.label_at(body.order()[2]);
    let jump = InstData::new(Op::JumpForward, Arg::Jump(resume));
    let new = body.insert(1, [InstData::new(Op::LoadFast, Arg::Int(1)), jump]);
    assert_eq!(new.len(), 2);
    expect![[r#"
        python 3.11
        h0 = L1 depth 0
            RESUME 0
            LOAD_FAST 1
            JUMP_FORWARD L0
            LOAD_FAST 0 !h0 @2:4-2:5
        L0:
            RETURN_VALUE
        L1:
            PUSH_EXC_INFO
            RERAISE 0
    "#]]
    .assert_eq(&decoded(&body).to_string());
}

#[test]
fn depths_are_told_where_code_is_reached() {
    let body = read(
        "python 3.11
h0 = L1 depth 1 lasti
    LOAD_CONST 0
    LOAD_CONST 1 !h0
    RETURN_VALUE
    POP_TOP
L1:
    PUSH_EXC_INFO
    RERAISE 1
",
    );
    let depths = stack_depths(&body).expect("adds up");
    let before: Vec<Option<u32>> = body.order().iter().map(|&inst| depths.before(inst)).collect();
    assert_eq!(before, [Some(0), Some(1), Some(2), None, Some(3), Some(4)]);
    assert_eq!(depths.max(), 4);
}

#[test]
fn stacks_that_do_not_add_up_are_refused() {
    let refused = |text: &str| stack_depths(&read(text)).expect_err("is refused").to_string();
    expect!["i1: POP_TOP pops more than the 0 values on the stack"]
        .assert_eq(&refused("python 3.11\nRESUME 0\nPOP_TOP\nRETURN_VALUE\n"));
    expect!["i0: reached with 0 and with 1 values on the stack"]
        .assert_eq(&refused("python 3.11\nL0:\nLOAD_CONST 0\nJUMP_BACKWARD L0\n"));
    expect!["i0: execution runs off the end"].assert_eq(&refused("python 3.11\nRESUME 0\n"));
    expect!["i0: its handler keeps 1 of 0 values"]
        .assert_eq(&refused("python 3.11\nh0 = L0 depth 1\nL0:\nRESUME 0 !h0\n"));
    expect!["i0: this version has no PRECALL"].assert_eq(&refused("python 3.12\nPRECALL 0\n"));
}

#[test]
fn bodies_that_cannot_be_encoded_are_refused() {
    let mut body = read("python 3.12\n    RETURN_CONST 0\n");
    let label = body.new_label();
    let inst = body.insert(0, [InstData::new(Op::JumpForward, Arg::Jump(label))])[0];
    assert_eq!(encode(&body, 1), Err(EncodeError::Unbound { inst, label }));
    assert_eq!(stack_depths(&body).err(), Some(DepthError::Unbound(label)));
    body.inst_mut(inst).arg = Arg::Int(3);
    assert_eq!(encode(&body, 1).err(), Some(EncodeError::WrongArg { inst, op: Op::JumpForward, arg: Arg::Int(3) }));
    body.retain(|other, _| other != inst);
    let handler = body.push_handler(Handler { target: label, depth: 0, lasti: false });
    let first = body.order()[0];
    body.inst_mut(first).handler = handler.into();
    assert_eq!(encode(&body, 1), Err(EncodeError::Unbound { inst: first, label }));
}

#[test]
fn bytes_that_are_no_code_are_refused() {
    let empty = code_object(&Body::new(Version::V311)).expect("encodes");
    let refused = |code: &[u8]| {
        let code = CodeObject { code: code.to_vec(), ..empty.clone() };
        decode(Version::V311, &code).expect_err("is refused").to_string()
    };
    expect!["unit 0: 255 is no opcode of 3.11"].assert_eq(&refused(&[255, 0]));
    expect!["unit 0: the code ends within this instruction"].assert_eq(&refused(&[100]));
    expect!["unit 1: the code ends within this instruction"].assert_eq(&refused(&[9, 0, 116, 0]));
    expect!["unit 0: the code ends within this instruction"].assert_eq(&refused(&[144, 1]));
    expect!["unit 0: 6 is no start of an instruction"].assert_eq(&refused(&[110, 5]));
    let long = CodeObject { code: vec![144, 1, 144, 1, 144, 1, 144, 1, 100, 0], ..empty.clone() };
    assert_eq!(decode(Version::V311, &long).err(), Some(DecodeError::LongArgument { offset: 0 }));
}
