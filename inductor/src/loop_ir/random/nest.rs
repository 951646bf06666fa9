//! Random loop nests: the forms that the compiler's own kernels have.

use super::build::{Block, Builder};
use crate::loop_ir::{Acc, Axis, Loop, Op, Param, Role, Stmt, StoreMode, Value};
use fx::prim::{Pointwise, Reduction};
use symshapes::{DType, DTypeClass};

/// Extents: one, below, at and above the lanes of a vector, and odd ones.
const EXTENTS: &[i64] = &[1, 3, 7, 16, 33, 100];

/// The parallel loop of a random kernel.
pub(super) fn root(b: &mut Builder<'_>) -> Loop {
    match b.rng.below(8) {
        0..3 => pointwise(b),
        3 | 4 => rows(b),
        5 => columns(b),
        6 => blocks(b),
        _ if b.loads_indices() => scatter(b),
        _ => rows(b),
    }
}

/// Extents whose product stays within the bound.
fn extents(b: &mut Builder<'_>, count: usize) -> Vec<i64> {
    let mut left = b.options.iterations.max(1);
    let mut extents = Vec::new();
    for _ in 0..count {
        let extent = b.rng.pick(EXTENTS).min(left);
        left /= extent;
        extents.push(extent);
    }
    extents
}

/// A block of the parallel loop.
fn start(axis: Axis) -> Block {
    Block::default().inside(axis)
}

fn close(axis: Axis, vector: bool, accs: Vec<Acc>, block: Block) -> Loop {
    Loop { axis, vector, accs, body: block.stmts }
}

/// Loads and operations.
fn compute(b: &mut Builder<'_>, block: &mut Block) {
    (0..b.rng.between(1, 3)).for_each(|_| b.load(block));
    (0..b.rng.below(b.options.ops + 1)).for_each(|_| b.step(block));
}

/// Loops over one to three axes around operations and stores. The vector axis is the innermost one, or another.
fn pointwise(b: &mut Builder<'_>) -> Loop {
    let count = b.rng.between(1, 3) as usize;
    let extents = extents(b, count);
    let vector = if b.rng.one_in(4) { b.rng.below(count) } else { count - 1 };
    let axis = b.axis(extents[0]);
    let mut block = start(axis);
    nest(b, &mut block, &extents[1..], vector.checked_sub(1));
    close(axis, vector == 0, Vec::new(), block)
}

/// The loops inside, the `vector`th of them over lanes.
fn nest(b: &mut Builder<'_>, block: &mut Block, extents: &[i64], vector: Option<usize>) {
    let Some((&extent, inner)) = extents.split_first() else {
        compute(b, block);
        if b.rng.one_in(4) {
            b.update(block);
        }
        return (0..b.rng.between(1, 2)).for_each(|_| b.output(block));
    };
    if b.rng.one_in(3) {
        compute(b, block);
    }
    let axis = b.axis(extent);
    let mut body = block.inside(axis);
    nest(b, &mut body, inner, vector.and_then(|v| v.checked_sub(1)));
    block.stmts.push(Stmt::Loop(close(axis, vector == Some(0), Vec::new(), body)));
}

/// Several loops over the elements of each row, with reductions, and with scratch rows between them.
fn rows(b: &mut Builder<'_>) -> Loop {
    let extents = extents(b, 3);
    let axis = b.axis(extents[0]);
    let mut block = start(axis);
    if b.rng.one_in(3) {
        let serial = b.axis(extents[1]);
        let mut body = block.inside(serial);
        stages(b, &mut body, extents[2]);
        block.stmts.push(Stmt::Loop(close(serial, false, Vec::new(), body)));
    } else {
        stages(b, &mut block, extents[2]);
    }
    close(axis, false, Vec::new(), block)
}

fn stages(b: &mut Builder<'_>, block: &mut Block, extent: i64) {
    let mut scratch: Vec<Param> = Vec::new();
    let count = b.rng.between(1, 3);
    for last in (0..count).map(|i| i + 1 == count) {
        let axis = b.axis(extent);
        let mut body = block.inside(axis);
        let position = b.axis_expr(axis);
        for &row in &scratch {
            let value = b.load_from(&mut body, row, position, None);
            body.values.push(value);
        }
        compute(b, &mut body);
        if !last && b.rng.one_in(2) {
            scratch.push(keep_row(b, &mut body, axis));
        }
        let reduces = !last || b.rng.one_in(2);
        let accs = if reduces { accumulate(b, &mut body, &[axis]) } else { Vec::new() };
        if last {
            b.output(&mut body);
        }
        let vector = !b.rng.one_in(6);
        block.stmts.push(Stmt::Loop(close(axis, vector, accs.clone(), body)));
        reduced(b, block, &accs);
        if reduces && last {
            b.output(block);
        }
    }
}

/// Stores a value in a new scratch row.
fn keep_row(b: &mut Builder<'_>, body: &mut Block, axis: Axis) -> Param {
    let (value, dtype) = (b.rng.pick(&body.values), b.memory_dtype());
    let value = b.convert(body, value, dtype);
    let row = b.param(dtype, b.extent(axis), Role::Scratch);
    let position = b.axis_expr(axis);
    b.store(body, (row, position), value, None);
    row
}

/// Reductions down the columns: a serial loop inside of the vector loop.
fn columns(b: &mut Builder<'_>) -> Loop {
    let extents = extents(b, 3);
    let axis = b.axis(extents[0]);
    let mut block = start(axis);
    let vector_is_root = b.rng.one_in(2);
    if vector_is_root {
        column(b, &mut block, extents[1]);
    } else {
        let lanes = b.axis(extents[1]);
        let mut body = block.inside(lanes);
        column(b, &mut body, extents[2]);
        block.stmts.push(Stmt::Loop(close(lanes, true, Vec::new(), body)));
    }
    close(axis, vector_is_root, Vec::new(), block)
}

fn column(b: &mut Builder<'_>, block: &mut Block, extent: i64) {
    if b.rng.one_in(2) {
        compute(b, block);
    }
    let axis = b.axis(extent);
    let mut body = block.inside(axis);
    compute(b, &mut body);
    let accs = accumulate(b, &mut body, &[axis]);
    block.stmts.push(Stmt::Loop(close(axis, false, accs.clone(), body)));
    reduced(b, block, &accs);
    b.step(block);
    b.output(block);
}

/// Reductions over two axes at once: a vector loop in the loop that owns the accumulators.
fn blocks(b: &mut Builder<'_>) -> Loop {
    let extents = extents(b, 3);
    let axis = b.axis(extents[0]);
    let mut block = start(axis);
    let outer = b.axis(extents[1]);
    let mut body = block.inside(outer);
    let inner = b.axis(extents[2]);
    let mut innermost = body.inside(inner);
    compute(b, &mut innermost);
    let accs = accumulate(b, &mut innermost, &[outer, inner]);
    body.stmts.push(Stmt::Loop(close(inner, true, Vec::new(), innermost)));
    block.stmts.push(Stmt::Loop(close(outer, false, accs.clone(), body)));
    reduced(b, &mut block, &accs);
    b.output(&mut block);
    close(axis, false, Vec::new(), block)
}

/// Additions to elements that several iterations may hit.
fn scatter(b: &mut Builder<'_>) -> Loop {
    let extents = extents(b, 2);
    let axis = b.axis(1);
    let mut block = start(axis);
    let inner = b.axis(extents[1]);
    let mut body = block.inside(inner);
    compute(b, &mut body);
    let rows = b.rng.between(1, 20);
    let index = b.index_from_memory(&mut body, rows);
    let value = b.operand(&mut body, DType::I64);
    let param = b.param(DType::I64, rows, Role::InOut);
    let mask = if b.rng.one_in(3) { Some(b.operand(&mut body, DType::Bool)) } else { None };
    body.stmts.push(Stmt::Store { param, index, value, mask, mode: StoreMode::Add });
    let vector = b.rng.one_in(2);
    block.stmts.push(Stmt::Loop(close(inner, vector, Vec::new(), body)));
    close(axis, false, Vec::new(), block)
}

/// Accumulates into one or two new accumulators; `axes` are those reduced over, from outside in.
fn accumulate(b: &mut Builder<'_>, body: &mut Block, axes: &[Axis]) -> Vec<Acc> {
    (0..b.rng.between(1, 2)).map(|_| accumulate_one(b, body, axes)).collect()
}

fn accumulate_one(b: &mut Builder<'_>, body: &mut Block, axes: &[Axis]) -> Acc {
    let kind = b.rng.pick(Reduction::ALL);
    let sample = b.rng.pick(&body.values);
    let value = element(b, body, kind, sample);
    let dtype = b.dtype(value);
    let acc = b.acc(kind, dtype);
    let takes_position = matches!(kind, Reduction::ArgMax | Reduction::ArgMin);
    let position = takes_position.then(|| {
        axes.iter().fold(b.exprs.int(0), |position, &axis| {
            let (extent, i) = (b.extent(axis), b.axis_expr(axis));
            let row = b.exprs.mul_int(position, extent);
            b.exprs.add(row, i)
        })
    });
    body.stmts.push(Stmt::Accumulate { acc, value, position });
    acc
}

/// The value in a form whose reduction does not depend on the order of elements.
fn element(b: &mut Builder<'_>, body: &mut Block, kind: Reduction, value: Value) -> Value {
    let dtype = b.dtype(value);
    let bound = match kind {
        Reduction::Any | Reduction::All => return b.convert(body, value, DType::Bool),
        _ if dtype.class() == DTypeClass::Bool => return b.convert(body, value, DType::I64),
        Reduction::Sum => 8.0,
        Reduction::Prod => 1.0,
        Reduction::Max | Reduction::Min | Reduction::ArgMax | Reduction::ArgMin => return value,
    };
    if !dtype.is_float() {
        return value;
    }
    let whole = b.map(body, Pointwise::Round, &[value]);
    b.clamp(body, whole, -bound, bound)
}

/// Offers the results of accumulators to later steps.
fn reduced(b: &mut Builder<'_>, block: &mut Block, accs: &[Acc]) {
    for &acc in accs {
        let data = b.acc_data(acc);
        let dtype = data.kind.result_dtype(data.dtype);
        let value = b.let_(block, Op::Reduced(acc), dtype);
        let value = b.plus_zero(block, value);
        block.values.push(value);
    }
}
