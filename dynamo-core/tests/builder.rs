//! Code made for every version by the same calls, and what is done to bodies that were moved about.

use dynamo_core::bytecode::call_pads::pad_calls;
use dynamo_core::bytecode::renumber::renumber_locals;
use dynamo_core::bytecode::unreachable::{remove_idle_jumps, remove_unreachable};
use dynamo_core::bytecode::{
    Body, Builder, CodeObject, Comparison, Condition, Const, Listing, LocalId, Op, Span, Version, decode,
};
use expect_test::{expect, expect_file};

fn local(number: u32) -> LocalId {
    LocalId::from_u32(number)
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

/// Every call of a builder at least once.
fn everything(version: Version) -> CodeObject {
    let code =
        CodeObject { varnames: names(&["a", "b"]), cellvars: names(&["c"]), firstlineno: 1, ..CodeObject::default() };
    let mut b = Builder::new(version, code);
    b.set_span(Some(Span::line(1)));
    b.emit(Op::MakeCell, 2);
    b.emit(Op::Resume, 0);
    calls(&mut b);
    values(&mut b);
    jumps(&mut b);
    b.finish().expect("encodes")
}

fn calls(b: &mut Builder) {
    b.set_span(Some(Span::line(2)));
    b.callee(|b| b.load_global("print"));
    b.load_local(local(0));
    b.load_const(Const::Float(0.0));
    b.call(2);
    b.load_method("strip");
    b.load_const(Const::Float(-0.0));
    b.load_const(Const::Float(0.0));
    b.call_with_names(2, &["end"]);
    b.store_local(local(1));
    b.callee(|b| b.make_function(CodeObject { qualname: "inner".to_owned(), ..CodeObject::default() }, &[local(2)]));
    b.build_tuple(0);
    b.build_map(0);
    b.call_unpacked(true);
    b.store_deref(local(2));
    b.callee(|b| b.make_function(CodeObject { qualname: "plain".to_owned(), ..CodeObject::default() }, &[]));
    b.load_deref(local(2));
    b.call(1);
    b.store_global("result");
}

fn values(b: &mut Builder) {
    b.set_span(Some(Span::line(3)));
    b.load_checked(local(1));
    b.load_attr("shape");
    b.unpack_sequence(3);
    b.lift(3);
    b.sink(3);
    b.swap(1);
    b.copy(2);
    b.build_list(4);
    b.load_local(local(0));
    b.store_attr("shape");
    b.load_local(local(0));
    b.load_local(local(0));
    b.load_const(Const::Int(1));
    b.store_subscript();
    b.delete_local(local(0));
}

fn jumps(b: &mut Builder) {
    b.set_span(Some(Span::line(4)));
    let (again, end) = (b.label(), b.label());
    b.bind(again);
    for condition in [Condition::True, Condition::None] {
        b.load_local(local(1));
        b.load_const(Const::Int(1));
        b.subscript();
        b.jump_if(condition, again);
        b.load_local(local(1));
        b.load_local(local(1));
        b.compare(Comparison::Le);
        b.jump_if(condition.inverse(), end);
    }
    b.jump(again);
    b.bind(end);
    b.load_const(Const::None);
    b.return_value();
}

#[test]
fn the_same_calls_in_every_version() {
    let list = |version| {
        let code = everything(version);
        let body = decode(version, &code).expect("decodes");
        Listing { body: &body, code: &code }.to_string()
    };
    let text: String = Version::ALL.into_iter().map(list).collect();
    expect_file!["data/builder.txt"].assert_eq(&text);
}

fn read(text: &str) -> Body {
    text.parse().expect("a body")
}

#[test]
fn unreachable_code_goes_with_its_handlers() {
    let mut body = read(
        "python 3.12
h0 = L1 depth 0
    RESUME 0
    JUMP_FORWARD L0
    NOP !h0
L1:
    POP_TOP
L0:
    RETURN_CONST 0",
    );
    remove_unreachable(&mut body).expect("labels are bound");
    remove_idle_jumps(&mut body);
    let ops: Vec<&str> = body.order().iter().map(|&inst| body.inst(inst).op.name()).collect();
    assert_eq!(ops, ["RESUME", "RETURN_CONST"]);
}

#[test]
fn idle_jumps_lead_on() {
    let mut body = read(
        "python 3.12
    LOAD_FAST 0
    POP_JUMP_IF_TRUE L0
    RETURN_CONST 0
L0:
    JUMP_FORWARD L1
L1:
    JUMP_FORWARD L2
L2:
    RETURN_CONST 0",
    );
    remove_idle_jumps(&mut body);
    expect![[r#"
        python 3.12
            LOAD_FAST 0
            POP_JUMP_IF_TRUE L0
            RETURN_CONST 0
        L0:
        L1:
        L2:
            RETURN_CONST 0
    "#]]
    .assert_eq(&body.to_string());
}

#[test]
fn pairs_of_locals_come_apart_where_they_must() {
    let mut body = read(
        "python 3.13
    LOAD_FAST_LOAD_FAST 1
    STORE_FAST_STORE_FAST 1
    LOAD_FAST 1
    STORE_FAST_LOAD_FAST 17
    RETURN_VALUE",
    );
    renumber_locals(&mut body, |id| local(15 * id.as_u32() + 1));
    expect![[r#"
        python 3.13
            LOAD_FAST 1
            LOAD_FAST 16
            STORE_FAST 1
            STORE_FAST 16
            LOAD_FAST 16
            STORE_FAST 16
            LOAD_FAST 16
            RETURN_VALUE
    "#]]
    .assert_eq(&body.to_string());
}

#[test]
fn calls_have_their_handler_before_them() {
    let text = "python 3.13
h0 = L0 depth 0
    PUSH_NULL
    CALL 0 !h0
    CALL 0 !h0
    RETURN_VALUE
L0:
    RETURN_VALUE";
    let mut body = read(text);
    pad_calls(&mut body);
    expect![[r#"
        python 3.13
        h0 = L0 depth 0
            PUSH_NULL
            NOP !h0
            CALL 0 !h0
            CALL 0 !h0
            RETURN_VALUE
        L0:
            RETURN_VALUE
    "#]]
    .assert_eq(&body.to_string());
    let mut older = read(&text.replace("3.13", "3.12"));
    pad_calls(&mut older);
    assert_eq!(older.order().len(), 5);
}

#[test]
fn bound_arguments_are_plain_parameters() {
    let code = CodeObject { argcount: 2, posonlyargcount: 1, kwonlyargcount: 1, flags: 0xf, ..CodeObject::default() };
    let bound = code.with_bound_arguments();
    assert_eq!((bound.argcount, bound.posonlyargcount, bound.kwonlyargcount, bound.flags), (5, 0, 0, 3));
}
