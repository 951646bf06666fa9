//! Mutations of a kernel that the verifier or the interpreter must find: barriers left out, values used before they are
//! defined, types that do not fit.

use crate::support::devices;
use inductor::grid::{GridKernel, Op, Stmt, Ty, lower, verify};
use inductor::loop_ir::{Kernel, Param};
use inductor_testing::grid as interp;
use inductor_testing::random::small_inputs;

const SOFTMAX: &str = include_str!("../golden/grid/softmax.loop");

/// The softmax on a device that packs words.
fn softmax() -> (Kernel, GridKernel) {
    let [(_, caps), ..] = devices();
    let kernel: Kernel = SOFTMAX.parse().expect("a kernel");
    let grid = lower(&kernel, &caps).expect("it is lowered");
    (kernel, grid)
}

fn run(kernel: &Kernel, grid: &GridKernel) -> Result<(), interp::InterpError> {
    let params: Vec<Param> = kernel.arguments().map(|(param, _)| param).collect();
    interp::run(grid, &params, &[], &mut small_inputs(1, kernel, &[]))
}

#[test]
fn a_missing_barrier_is_a_race() {
    let (kernel, grid) = softmax();
    assert_eq!(run(&kernel, &grid), Ok(()));
    let body = &grid.stages[0].body;
    let barriers: Vec<usize> = (0..body.len()).filter(|&i| body[i] == Stmt::Barrier).collect();
    let races = barriers.iter().filter(|&&at| {
        let mut grid = grid.clone();
        grid.stages[0].body.remove(at);
        matches!(run(&kernel, &grid), Err(interp::InterpError::Race { .. }))
    });
    // The last one keeps a result from being overwritten that no thread writes any more.
    assert_eq!(races.count(), barriers.len() - 1);
}

#[test]
fn a_barrier_that_only_some_threads_reach_is_found() {
    let (kernel, mut grid) = softmax();
    let in_condition = grid.stages[0].body.iter_mut().find_map(|stmt| match stmt {
        Stmt::If { then, .. } => Some(then),
        _ => None,
    });
    in_condition.expect("there is one").push(Stmt::Barrier);
    let [(_, caps), ..] = devices();
    assert!(matches!(verify::verify(&grid, &caps), Err(verify::VerifyError::Barrier { .. })));
    assert!(matches!(run(&kernel, &grid), Err(interp::InterpError::Barrier(_))));
}

#[test]
fn values_are_defined_before_they_are_used() {
    let [(_, caps), ..] = devices();
    let (_, grid) = softmax();
    let lets = (0..grid.stages[0].body.len()).filter(|&i| matches!(grid.stages[0].body[i], Stmt::Let(_)));
    for at in lets {
        let mut grid = grid.clone();
        let moved = grid.stages[0].body.remove(at);
        grid.stages[0].body.push(moved);
        assert!(matches!(verify::verify(&grid, &caps), Err(verify::VerifyError::NotInScope { .. })), "{at}");
    }
}

#[test]
fn types_are_those_of_the_operations() {
    let [(_, caps), ..] = devices();
    let (_, grid) = softmax();
    for (val, data) in grid.stages[0].vals.iter().filter(|(_, data)| !matches!(data.op, Op::Const(_) | Op::Cast(_))) {
        let mut grid = grid.clone();
        grid.stages[0].vals[val].ty = if data.ty == Ty::I64 { Ty::Bool } else { Ty::I64 };
        assert!(verify::verify(&grid, &caps).is_err(), "{val} of {:?}\n{grid}", data.op);
    }
}

#[test]
fn what_the_device_does_not_have_is_found() {
    let [(_, caps), ..] = devices();
    let (_, mut grid) = softmax();
    grid.stages[0].threads *= 8;
    assert!(matches!(verify::verify(&grid, &caps), Err(verify::VerifyError::Limit { what: "threads", .. })));
    grid.stages[0].threads /= 8;
    grid.stages[0].bindings.clear();
    assert!(verify::verify(&grid, &caps).is_err());
}
