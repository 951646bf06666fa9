//! Plans that are broken by hand, one rule at a time: what the verifier says of each.

use crate::compare;
use expect_test::expect;
use fx::text;
use inductor::backend::EpilogueMode;
use inductor::plan::verify::verify;
use inductor::plan::{
    Buf, BufData, Call, CallArg, CallKind, CallResult, Launch, ObjectId, Output, Plan, Step, Storage, SymbolicPlan,
    View,
};
use symshapes::{DType, Expr, Range};

const GRAPH: &str = "graph {
  %x : f32[s0, s1]{s1, 1} = placeholder[x]
  %w : f32[s1, s0]{s0, 1} = placeholder[w]
  %k : i64[s0]{1} = placeholder[k]
  %relu = call_function[aten.relu.default](%x)
  %mm = call_function[aten.mm.default](%relu, %w)
  %neg : f32[s0, s0]{s0, 1} = call_function[aten.neg.default](%mm)
  %cumsum = call_function[aten.cumsum.default](%neg, 0)
  %rows = call_function[aten.index.Tensor](%cumsum, [%k])
  %sum = call_function[aten.sum.dim_IntList](%rows, [1])
  %output = output((%sum,))
}";

/// The plan of the graph, for all sizes.
pub(crate) fn symbolic() -> SymbolicPlan {
    let mut graph = text::parse(GRAPH).expect("the text is a graph");
    for name in ["s0", "s1"] {
        let sym = graph.exprs.find(name).expect("the graph has the symbol");
        graph.exprs.set_symbol_range(sym, Range::new(2, i64::MAX));
        graph.exprs.set_hint(sym, 8);
    }
    fx::infer::fill(&mut graph).expect("every node has a rule");
    compare::compiled(&graph).expect("the graph compiles").plan
}

/// The plan with every kernel a step of its own.
fn unfused() -> SymbolicPlan {
    let plan = symbolic();
    SymbolicPlan { steps: plan.steps.iter().flat_map(Step::apart).collect(), ..plan }
}

fn at(plan: &SymbolicPlan, s0: i64, s1: i64) -> Plan {
    let value = |sym| match plan.pool.name(sym) {
        "s0" => Some(s0),
        "s1" => Some(s1),
        _ => None,
    };
    plan.at(&value).expect("every size has a value")
}

/// The verifier's error for a plan; `right` if there is none.
fn verdict(plan: &Plan) -> String {
    verify(plan).map_or_else(|error| error.to_string(), |()| "right".to_owned())
}

/// A way to break a plan, and what it is called.
type Break<P> = (&'static str, fn(&mut P));

/// The buffers of a launch.
fn args<D>(step: &mut Step<D>) -> &mut Vec<Buf> {
    match step {
        Step::Launch(Launch { args, .. }) => args,
        _ => panic!("a step that launches no kernel"),
    }
}

/// The values of a launch's sizes.
fn sizes<D>(step: &mut Step<D>) -> &mut Vec<D> {
    match step {
        Step::Launch(Launch { sizes, .. }) => sizes,
        _ => panic!("a step that launches no kernel"),
    }
}

fn call<D>(step: &mut Step<D>) -> &mut Call<D> {
    match step {
        Step::Call(call) => call,
        _ => panic!("a step that calls nothing"),
    }
}

/// The view that is returned.
fn output<D>(outputs: &mut [Output<D>]) -> &mut View<D> {
    match outputs {
        [Output::Tensor(view)] => view,
        _ => panic!("the graph returns one tensor"),
    }
}

fn buf(number: u32) -> Buf {
    Buf::from_u32(number)
}

/// Has the graph change its first input, so many times, to what its first kernel makes of it.
fn write_input(plan: &mut SymbolicPlan, times: usize) {
    plan.written.push(buf(0));
    let BufData { dtype, layout, .. } = plan.bufs[buf(1)].clone();
    let from = View { buf: buf(1), dtype, layout };
    plan.steps.extend(std::iter::repeat_n(Step::Write { into: buf(0), from }, times));
}

/// Has the first step launch the kernels of these steps together.
fn grouped(plan: &mut SymbolicPlan, steps: [usize; 2]) {
    let launches = steps.map(|at| plan.steps[at].launches().to_vec()).concat();
    plan.steps[0] = Step::Group(launches);
}

fn object() -> ObjectId {
    ObjectId::from_u32(0)
}

/// In the order of the errors that they are to give.
const BROKEN_FOR_ALL_SIZES: &[Break<SymbolicPlan>] = &[
    ("nothing", |_| {}),
    ("no step writes b1", |plan| {
        plan.steps.remove(0);
    }),
    ("an object is returned that no call gives", |plan| plan.outputs.push(Output::Object(object()))),
    ("an object is passed that no call gives", |plan| call(&mut plan.steps[1]).args.push(CallArg::Object(object()))),
    ("an object is passed that a call gives", |plan| {
        call(&mut plan.steps[1]).results.push(CallResult::Object(object()));
        call(&mut plan.steps[3]).args.push(CallArg::List(vec![CallArg::Object(object())]));
    }),
    ("an output is checked", |plan| plan.steps.push(Step::Check(buf(8)))),
    ("a kernel writes an input", |plan| args(&mut plan.steps[0])[1] = buf(0)),
    ("a call writes an input", |plan| call(&mut plan.steps[1]).results = vec![CallResult::Tensor(buf(0))]),
    ("a graph writes an input", |plan| write_input(plan, 1)),
    ("a graph writes an input twice", |plan| write_input(plan, 2)),
    ("a graph writes an input with other sizes", |plan| {
        write_input(plan, 1);
        let Some(Step::Write { from, .. }) = plan.steps.last_mut() else { panic!("it was just put there") };
        from.layout.sizes[0] = plan.pool.add_int(from.layout.sizes[0], -1);
    }),
    ("a kernel writes a result", |plan| plan.bufs[buf(4)].storage = Storage::Result),
    ("a fallback call sees the arena", |plan| plan.bufs[buf(4)].storage = Storage::Arena(0)),
    ("an extern call sees the arena", |plan| {
        plan.bufs[buf(4)].storage = Storage::Arena(0);
        call(&mut plan.steps[3]).kind = CallKind::Extern;
    }),
    ("the arena is returned", |plan| plan.bufs[buf(8)].storage = Storage::Arena(0)),
    ("a launch lacks a buffer", |plan| {
        args(&mut plan.steps[2]).pop();
    }),
    ("a launch has one too many", |plan| args(&mut plan.steps[2]).push(buf(0))),
    ("buffers in the wrong order", |plan| args(&mut plan.steps[4]).swap(0, 1)),
    ("a buffer lacks its last row", |plan| {
        let rows = plan.bufs[buf(4)].layout.sizes[0];
        plan.bufs[buf(4)].layout.sizes[0] = plan.pool.add_int(rows, -1);
    }),
    ("a launch with a size that is too large", |plan| {
        let size = sizes(&mut plan.steps[2])[0];
        sizes(&mut plan.steps[2])[0] = plan.pool.add_int(size, 1);
    }),
    ("a launch lacks the value of a size", |plan| {
        sizes(&mut plan.steps[0]).pop();
    }),
    ("kernels together of which one reads what the other writes", |plan| {
        args(&mut plan.steps[2])[0] = buf(1);
        grouped(plan, [0, 2]);
    }),
    ("kernels together that write the same buffer", |plan| grouped(plan, [0, 0])),
    ("a view begins late", |plan| output(&mut plan.outputs).layout.offset = Expr::ONE),
    ("a view begins before its buffer", |plan| output(&mut plan.outputs).layout.offset = plan.pool.int(-1)),
    ("a view of another type", |plan| output(&mut plan.outputs).dtype = DType::I64),
];

#[test]
fn plans_that_are_broken_for_all_sizes() {
    let right = unfused();
    let mut report = String::new();
    for (what, change) in BROKEN_FOR_ALL_SIZES {
        let mut plan = right.clone();
        change(&mut plan);
        let verdicts: Vec<String> = [(4, 6), (6, 4), (5, 5)].map(|(s0, s1)| verdict(&at(&plan, s0, s1))).into();
        assert!(verdicts.iter().all(|v| *v == verdicts[0]), "{what}: {verdicts:?}");
        report.push_str(&format!("{what}\n    {}\n", verdicts[0]));
    }
    expect![[r#"
        nothing
            right
        no step writes b1
            step 0: b1 is not there
        an object is returned that no call gives
            step 7: o0 is not there
        an object is passed that no call gives
            step 1: o0 is not there
        an object is passed that a call gives
            right
        an output is checked
            step 7: b8 is checked, but no byte of the arena
        a kernel writes an input
            step 0: b0 is written, but the graph does not change it
        a call writes an input
            step 1: b0 is written, but the graph does not change it
        a graph writes an input
            right
        a graph writes an input twice
            step 8: b0 is an input that is written twice
        a graph writes an input with other sizes
            step 7: b0 is written with other elements
        a kernel writes a result
            step 2: b4 is a result, but a kernel writes it
        a fallback call sees the arena
            right
        an extern call sees the arena
            right
        the arena is returned
            step 7: b8 is returned, but in the arena
        a launch lacks a buffer
            step 2: k1 takes 2 buffers, not 1
        a launch has one too many
            step 2: k1 takes 2 buffers, not 3
        buffers in the wrong order
            step 4: b7 does not suit %0 of k2
        a buffer lacks its last row
            step 2: b4 does not suit %1 of k1
        a launch with a size that is too large
            step 2: b3 does not suit %0 of k1
        a launch lacks the value of a size
            step 0: b0 does not suit %0 of k0
        kernels together of which one reads what the other writes
            step 0: b1 is written, but also used by a kernel that runs at the same time
        kernels together that write the same buffer
            step 0: b1 is written, but also used by a kernel that runs at the same time
        a view begins late
            step 7: a view that b8 does not hold
        a view begins before its buffer
            step 7: a view that b8 does not hold
        a view of another type
            step 7: a view that b8 does not hold
    "#]]
    .assert_eq(&report);
}

/// Steps of the placed plan: 4 frees b4, 6 frees b5.
const BROKEN_WHEN_PLACED: &[Break<Plan>] = &[
    ("nothing", |_| {}),
    ("a buffer is freed before its last use", |plan| plan.steps.swap(3, 4)),
    ("a buffer is written after it was freed", |plan| plan.steps.insert(0, Step::Free(buf(4)))),
    ("a buffer is freed twice", |plan| plan.steps.push(Step::Free(buf(5)))),
    ("what is returned is freed", |plan| plan.steps.push(Step::Free(buf(8)))),
    ("an input is freed", |plan| plan.steps.push(Step::Free(buf(0)))),
    ("the arena is too small", |plan| plan.arena_bytes = 64),
    ("a buffer is not aligned", |plan| plan.bufs[buf(1)].storage = Storage::Arena(1)),
    ("two buffers in one place", |plan| plan.bufs[buf(3)].storage = plan.bufs[buf(1)].storage.clone()),
    ("a buffer in memory that nobody lends", |plan| plan.bufs[buf(1)].storage = Storage::Lent(0)),
    ("a buffer in memory that is written while it lives", |plan| {
        plan.lender = Some(buf(4));
        plan.bufs[buf(3)].storage = Storage::Lent(0);
    }),
    ("a flag in the place of a buffer", |plan| plan.bufs[buf(7)].storage = plan.bufs[buf(3)].storage.clone()),
];

#[test]
fn plans_that_are_broken_when_placed() {
    let right = at(&unfused(), 4, 6);
    let mut report = String::new();
    for (what, change) in BROKEN_WHEN_PLACED {
        let mut plan = right.clone();
        change(&mut plan);
        report.push_str(&format!("{what}\n    {}\n", verdict(&plan)));
    }
    expect![[r#"
        nothing
            right
        a buffer is freed before its last use
            step 3: b5 is not there
        a buffer is written after it was freed
            step 0: b4 is freed, but not the plan's own tensor
        a buffer is freed twice
            step 7: b5 is freed twice
        what is returned is freed
            step 8: b8 is not there
        an input is freed
            step 7: b0 is freed, but not the plan's own tensor
        the arena is too small
            b1: not within the arena
        a buffer is not aligned
            b1: not within the arena
        two buffers in one place
            b1 and b3 overlap while both live
        a buffer in memory that nobody lends
            b1: not within the arena
        a buffer in memory that is written while it lives
            b3: not within the arena
        a flag in the place of a buffer
            b3 and b7 overlap while both live
    "#]]
    .assert_eq(&report);
}

#[test]
fn a_size_without_a_value_is_named() {
    let plan = symbolic();
    let only = |known: &'static str| plan.at(&|sym| (plan.pool.name(sym) == known).then_some(5)).map(drop);
    expect!["the size `s1` has no value in 64 bits, where s1 = unknown"]
        .assert_eq(&only("s0").expect_err("s1 has no value").to_string());
    expect!["the size `s0` has no value in 64 bits, where s0 = unknown"]
        .assert_eq(&only("s1").expect_err("s0 has no value").to_string());
}

#[test]
fn a_kernel_that_is_fused_reads_the_calls_result() {
    let mut plan = at(&symbolic(), 4, 6);
    let fused = plan.steps.iter_mut().find_map(|step| match step {
        Step::Fused(_, epilogue) => Some(epilogue),
        _ => None,
    });
    let epilogue = fused.expect("a kernel reads a product");
    epilogue.product = epilogue.args.len() - 1;
    assert!(verdict(&plan).ends_with("the kernel does not read the call's only result"));
}

#[test]
fn fused_steps_are_as_the_device_computes_them() {
    let plan = symbolic();
    let made = |way| plan.fused_at(&|_| Some(40), &|_, _, _| way).expect("every size has a value");
    let epilogue = |plan: &Plan| {
        plan.steps
            .iter()
            .find_map(|step| if let Step::Fused(_, epilogue) = step { Some(epilogue.clone()) } else { None })
    };
    let [apart, fused, in_place] = [EpilogueMode::Apart, EpilogueMode::Fused, EpilogueMode::InPlace].map(made);
    for plan in [&apart, &fused, &in_place] {
        assert_eq!(verdict(plan), "right");
    }
    assert_eq!((epilogue(&apart), apart.steps.len()), (None, fused.steps.len() + 1));
    assert_eq!(epilogue(&fused).map(|epilogue| epilogue.into), Some(None));
    let epilogue = epilogue(&in_place).expect("it is one step");
    assert!(epilogue.into.is_some_and(|into| into != epilogue.product));
    assert_eq!(in_place.lives()[epilogue.args[epilogue.product]], None, "nothing touches the product's own memory");
    assert!(in_place.arena_bytes < fused.arena_bytes);
}
