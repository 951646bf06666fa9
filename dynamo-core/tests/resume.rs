//! Live locals, and functions made of what is left of others: golden listings, and what is refused.

use dynamo_core::bytecode::code::flags;
use dynamo_core::bytecode::flow::ControlFlow;
use dynamo_core::bytecode::{
    Body, CodeObject, Const, Continuation, Inst, Listing, LiveListing, Liveness, LocalId, Obstacle, Op, ResumeError,
    Slot, Split, Splitter, Version, decode, resume,
};
use expect_test::{ExpectFile, expect, expect_file};

const SAMPLES: [(Version, &str); 4] = [
    (Version::V311, include_str!("data/sample_311.json")),
    (Version::V312, include_str!("data/sample_312.json")),
    (Version::V313, include_str!("data/sample_313.json")),
    (Version::V314, include_str!("data/sample_314.json")),
];

fn sample(version: Version) -> Vec<CodeObject> {
    let (_, recorded) = SAMPLES.into_iter().find(|&(of, _)| of == version).expect("recorded");
    serde_json::from_str(recorded).expect("code objects")
}

fn golden(kind: &str, version: Version) -> ExpectFile {
    let name = format!("{}/tests/data/{kind}_{}.txt", env!("CARGO_MANIFEST_DIR"), version.name().replace('.', ""));
    expect_file![name]
}

#[test]
fn live_locals() {
    for version in Version::ALL {
        let list = |code: &CodeObject| {
            let body = decode(version, code).expect("decodes");
            let flow = ControlFlow::new(&body).expect("labels are bound");
            let liveness = Liveness::new(code, &body, &flow);
            format!("== {} ==\n{}", code.qualname, LiveListing { body: &body, code, liveness: &liveness })
        };
        let text: String = sample(version).iter().map(list).collect();
        golden("live", version).assert_eq(&text);
    }
}

/// The instruction after the last call of the first so many.
fn after_call(body: &Body, calls: usize) -> Option<Inst> {
    let is_call = |&&inst: &&Inst| matches!(body.inst(inst).op, Op::Call | Op::CallKw | Op::CallFunctionEx);
    let call = body.order().iter().filter(is_call).take(calls).last()?;
    body.order().iter().skip_while(|&inst| inst != call).nth(1).copied()
}

fn header(code: &CodeObject) -> String {
    let arguments = &code.varnames[..code.argument_slots()];
    let free = if code.freevars.is_empty() { String::new() } else { format!(" free {}", code.freevars.join(" ")) };
    format!("== {}({}){free} ==\n", code.qualname, arguments.join(", "))
}

fn list(version: Version, split: &Split) -> String {
    let codes = std::iter::once(&split.prefix).chain(split.resumes.iter().map(|resume| &resume.code));
    let one = |code| format!("{}{}", header(code), Listing { body: &decode(version, code).expect("decodes"), code });
    codes.map(one).collect()
}

#[test]
fn halves() {
    for version in Version::ALL {
        let split = |code: &CodeObject| {
            let body = decode(version, code).expect("decodes");
            let at = after_call(&body, 2).or_else(|| after_call(&body, 1))?;
            let split = Splitter::new(code, &body).expect("stacks add up").split(&[at]);
            Some(
                split.map_or_else(|error| format!("== {} ==\n{error}\n", code.qualname), |split| list(version, &split)),
            )
        };
        let text: String = sample(version).iter().filter_map(split).collect();
        golden("split", version).assert_eq(&text);
    }
}

/// A function of two locals, `a` and `b`, with one argument.
fn function(body: &Body) -> CodeObject {
    let code = CodeObject {
        argcount: 1,
        flags: flags::OPTIMIZED | flags::NEWLOCALS | flags::VARARGS,
        firstlineno: 1,
        name: "f".to_owned(),
        qualname: "C.f".to_owned(),
        varnames: vec!["a".to_owned(), "args".to_owned(), "b".to_owned()],
        names: vec!["g".to_owned()],
        consts: vec![Const::None],
        ..CodeObject::default()
    };
    code.with_body(body).expect("encodes")
}

fn read(text: &str) -> Body {
    text.parse().expect("a body")
}

const BRANCH: &str = "python 3.12
    RESUME 0 @1
    LOAD_FAST 0 @2
    POP_JUMP_IF_FALSE L0 @2
    LOAD_GLOBAL 1 @3
    CALL 0 @3
    STORE_FAST 2 @3
    LOAD_FAST 0 @4
    RETURN_VALUE @4
L0:
    LOAD_FAST_CHECK 2 @5
    RETURN_VALUE @5";

fn split_at(body: &Body, cuts: &[usize]) -> Result<Split, ResumeError> {
    let code = function(body);
    let cuts: Vec<Inst> = cuts.iter().map(|&cut| body.order()[cut]).collect();
    Splitter::new(&code, body).expect("stacks add up").split(&cuts)
}

#[test]
fn both_ways_of_a_jump() {
    let split = split_at(&read(BRANCH), &[3, 8]).expect("splits");
    expect![[r#"
        == C.f(a, args) ==
        python 3.12
            RESUME 0 @1
            LOAD_FAST 0 @2 ; a
            POP_JUMP_IF_FALSE L0 @2
            PUSH_NULL @3
            LOAD_CONST 1 @3 ; <code C.torch_dynamo_resume_in_f_at_2>
            MAKE_FUNCTION 0 @3
            LOAD_FAST 0 @3 ; a
            DELETE_FAST 0 @3 ; a
            CALL 1 @3
            RETURN_VALUE @3
        L0:
            PUSH_NULL @5
            LOAD_CONST 2 @5 ; <code C.torch_dynamo_resume_in_f_at_4>
            MAKE_FUNCTION 0 @5
            CALL 0 @5
            RETURN_VALUE @5
        == C.torch_dynamo_resume_in_f_at_2(a) ==
        python 3.12
            RESUME 0 @1
            LOAD_GLOBAL 1 @3 ; g, flags 1
            CALL 0 @3
            STORE_FAST 1 @3 ; b
            LOAD_FAST 0 @4 ; a
            RETURN_VALUE @4
        == C.torch_dynamo_resume_in_f_at_4() ==
        python 3.12
            RESUME 0 @1
            LOAD_FAST_CHECK 0 @5 ; b
            RETURN_VALUE @5
    "#]]
    .assert_eq(&list(Version::V312, &split));
}

#[test]
fn docstrings_stay_behind() {
    let body = read(BRANCH);
    let code = CodeObject { flags: function(&body).flags | flags::HAS_DOCSTRING, ..function(&body) };
    let split = Splitter::new(&code, &body).expect("stacks add up").split(&[body.order()[5]]).expect("splits");
    assert_eq!(split.prefix.flags & flags::HAS_DOCSTRING, flags::HAS_DOCSTRING);
    assert_eq!((split.resumes[0].code.flags & flags::HAS_DOCSTRING, split.resumes[0].code.consts.len()), (0, 0));
}

#[test]
fn names_do_not_grow() {
    let body = read(BRANCH);
    let first = split_at(&body, &[5]).expect("splits").resumes.remove(0).code;
    let body = decode(Version::V312, &first).expect("decodes");
    let last = *body.order().last().expect("not empty");
    let second = Splitter::new(&first, &body).expect("stacks add up").split(&[last]).expect("splits");
    assert_eq!(first.name, "torch_dynamo_resume_in_f_at_3");
    assert_eq!(second.resumes[0].code.name, "torch_dynamo_resume_in_f_at_4");
    assert_eq!(second.resumes[0].code.qualname, "C.torch_dynamo_resume_in_f_at_4");
}

fn refused(text: &str, cut: usize) -> String {
    split_at(&read(text), &[cut]).expect_err("is refused").to_string()
}

#[test]
fn what_is_refused() {
    let handled = "python 3.13
h0 = L0 depth 0
    LOAD_FAST 0 !h0
    RETURN_VALUE !h0
L0:
    PUSH_EXC_INFO
    POP_TOP
    POP_EXCEPT
    RETURN_CONST 0";
    expect!["i3: an exception is being handled"].assert_eq(&refused(handled, 3));
    let looped = "python 3.13
    LOAD_FAST 0
    GET_ITER
L1:
    FOR_ITER L0
    POP_TOP
    JUMP_BACKWARD L1
L0:
    END_FOR
    POP_TOP
    RETURN_CONST 0
    NOP
    RETURN_CONST 0";
    expect!["i5: the end of a loop is skipped, not executed"].assert_eq(&refused(looped, 5));
    expect!["i6: the end of a loop is skipped, not executed"].assert_eq(&refused(looped, 6));
    expect!["i8: never reached"].assert_eq(&refused(looped, 8));
    let called = "python 3.11
    LOAD_GLOBAL 1
    PRECALL 0
    CALL 0
    RETURN_VALUE";
    expect!["i2: between the instructions of a call"].assert_eq(&refused(called, 2));
}

/// The error of a resume function for one place of [`BRANCH`].
fn error(at: usize, stack: &[Slot], live: &[(LocalId, Slot)], flags: u32) -> ResumeError {
    let body = read(BRANCH);
    let code = CodeObject { flags, ..function(&body) };
    let from = Continuation { at: body.order()[at], line: 1, stack, live, dead: &[] };
    resume(&code, &body, &from).expect_err("is refused")
}

#[test]
fn what_does_not_fit() {
    let function = flags::OPTIMIZED | flags::NEWLOCALS;
    let a = (LocalId::from_u32(0), Slot::Value);
    let errors = [
        error(5, &[], &[a], function),
        error(5, &[Slot::Value], &[], function),
        error(5, &[Slot::Value], &[a], flags::OPTIMIZED),
        error(5, &[Slot::Value], &[a], function | flags::SUSPENDS),
    ];
    let text: Vec<String> = errors.iter().map(ToString::to_string).collect();
    expect![[r#"
        i5: 0 values for a stack of 1
        i5: local0 is live and not passed
        i5: the code is not that of a function
        i5: generators and coroutines go on in their own frames"#]]
    .assert_eq(&text.join("\n"));
    assert!(matches!(errors[3], ResumeError::Unsupported { what: Obstacle::Suspends, .. }));
}

/// A method whose one statement is `return super()`.
fn method() -> (CodeObject, Body) {
    let body = read(
        "python 3.11
    COPY_FREE_VARS 1
    RESUME 0 @1
    LOAD_GLOBAL 1 @2
    PRECALL 0 @2
    CALL 0 @2
    RETURN_VALUE @2",
    );
    let code = CodeObject {
        argcount: 1,
        flags: flags::OPTIMIZED | flags::NEWLOCALS,
        firstlineno: 1,
        name: "method".to_owned(),
        qualname: "method".to_owned(),
        varnames: vec!["self".to_owned()],
        freevars: vec!["__class__".to_owned()],
        names: vec!["super".to_owned()],
        ..CodeObject::default()
    };
    (code.with_body(&body).expect("encodes"), body)
}

#[test]
fn super_looks_at_the_first_argument() {
    let (code, body) = method();
    for (at, stack) in [(2, &[][..]), (3, &[Slot::Empty, Slot::Value])] {
        let from = Continuation { at: body.order()[at], line: 1, stack, live: &[], dead: &[] };
        let error = resume(&code, &body, &from).expect_err("is refused");
        assert!(matches!(error, ResumeError::Unsupported { what: Obstacle::BareSuper, .. }), "{error}");
    }
    let split = Splitter::new(&code, &body).expect("stacks add up").split(&[body.order()[2]]).expect("splits");
    expect![[r#"
        == method(self) free __class__ ==
        python 3.11
            COPY_FREE_VARS 1
            RESUME 0 @1
            PUSH_NULL @2
            LOAD_CLOSURE 1 @2 ; __class__
            BUILD_TUPLE 1 @2
            LOAD_CONST 0 @2 ; <code torch_dynamo_resume_in_method_at_1>
            MAKE_FUNCTION 8 @2
            LOAD_FAST 0 @2 ; self
            DELETE_FAST 0 @2 ; self
            PRECALL 1 @2
            CALL 1 @2
            RETURN_VALUE @2
        == torch_dynamo_resume_in_method_at_1(self) free __class__ ==
        python 3.11
            COPY_FREE_VARS 1 @1
            RESUME 0 @1
            LOAD_GLOBAL 1 @2 ; super, flags 1
            LOAD_DEREF 1 @2 ; __class__
            LOAD_FAST 0 @2 ; self
            PRECALL 2 @2
            CALL 2 @2
            RETURN_VALUE @2
    "#]]
    .assert_eq(&list(Version::V311, &split));
}
