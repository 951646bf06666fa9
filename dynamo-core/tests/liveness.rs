//! Live locals of random bodies against a search for a way that reads them.

use std::collections::HashSet;

use dynamo_core::bytecode::access::{Access, accesses};
use dynamo_core::bytecode::flow::ControlFlow;
use dynamo_core::bytecode::{Arg, Body, CodeObject, Handler, Inst, InstData, Label, Liveness, LocalId, Op, Version};
use proptest::prelude::*;

/// The number of locals of the bodies; the last is a free variable.
const LOCALS: u32 = 4;

/// An instruction: what it does, to which locals, where it jumps, which handler it has.
#[derive(Clone, Debug)]
struct Step {
    op: Op,
    locals: (u32, u32),
    target: prop::sample::Index,
    handler: Option<prop::sample::Index>,
}

fn step() -> impl Strategy<Value = Step> {
    let ops = prop::sample::select(&[
        Op::LoadFast,
        Op::LoadFastCheck,
        Op::LoadFastAndClear,
        Op::LoadFastLoadFast,
        Op::StoreFast,
        Op::StoreFastLoadFast,
        Op::StoreFastStoreFast,
        Op::DeleteFast,
        Op::MakeCell,
        Op::LoadDeref,
        Op::StoreDeref,
        Op::CopyFreeVars,
        Op::Nop,
        Op::PopJumpIfTrue,
        Op::JumpForward,
        Op::ReturnConst,
    ] as &[Op]);
    let handler = proptest::option::weighted(0.3, any::<prop::sample::Index>());
    (ops, (0..LOCALS, 0..LOCALS), any::<prop::sample::Index>(), handler)
        .prop_map(|(op, locals, target, handler)| Step { op, locals, target, handler })
}

fn build(steps: &[Step]) -> (CodeObject, Body) {
    let mut body = Body::new(Version::V313);
    let labels: Vec<Label> = steps.iter().map(|_| body.new_label()).collect();
    for (step, &label) in steps.iter().zip(&labels) {
        let arg = match step.op {
            Op::Nop => Arg::None,
            Op::PopJumpIfTrue | Op::JumpForward => Arg::Jump(*step.target.get(&labels)),
            Op::LoadFastLoadFast | Op::StoreFastLoadFast | Op::StoreFastStoreFast => {
                Arg::Int((step.locals.0 << 4) | step.locals.1)
            }
            _ => Arg::Int(step.locals.0),
        };
        let handler = step.handler.map(|index| Handler { target: *index.get(&labels), depth: 0, lasti: false });
        let handler = handler.map(|handler| body.push_handler(handler));
        let inst = body.push(InstData { handler: handler.into(), ..InstData::new(step.op, arg) });
        body.bind(label, inst);
    }
    let names = |range: std::ops::Range<u32>| range.map(|number| format!("v{number}")).collect();
    let code =
        CodeObject { varnames: names(0..LOCALS - 1), freevars: names(LOCALS - 1..LOCALS), ..CodeObject::default() };
    (code, body)
}

/// Whether some way from `start` reads the local before it writes it.
fn is_read(body: &Body, flow: &ControlFlow, start: Inst, local: LocalId) -> bool {
    let free = LOCALS as usize - 1..LOCALS as usize;
    let (mut seen, mut pending) = (HashSet::new(), vec![start]);
    while let Some(inst) = pending.pop() {
        if !seen.insert(inst) {
            continue;
        }
        pending.extend(flow.ways(inst).handler());
        match accesses(body, inst, free.clone()).into_iter().find(|access| access.local() == local) {
            Some(Access::Read(_)) => return true,
            Some(_) => {}
            None => pending.extend(flow.ways(inst).next().into_iter().chain(flow.ways(inst).jump())),
        }
    }
    false
}

proptest! {
    #[test]
    fn live_is_what_some_way_reads(steps in proptest::collection::vec(step(), 1..40)) {
        let (code, body) = build(&steps);
        let flow = ControlFlow::new(&body).expect("labels are bound");
        let liveness = Liveness::new(&code, &body, &flow);
        for &inst in body.order() {
            for local in (0..LOCALS).map(LocalId::from_u32) {
                let expected = is_read(&body, &flow, inst, local);
                prop_assert_eq!(liveness.before(inst).any(|live| live == local), expected, "{} {}\n{}", inst, local, body);
            }
        }
    }
}
