//! Random loop nests: the forms that the compiler's own kernels have.

use super::build::{Block, Builder, Position};
use fx::prim::{Pointwise, Reduction};
use inductor::loop_ir::{Acc, Axis, Loop, Op, Param, Role, Stmt, StoreMode, Value};
use symshapes::{DType, DTypeClass, Expr};

/// Extents: one, below, at and above the lanes of a vector, and odd ones.
const EXTENTS: &[i64] = &[1, 3, 7, 16, 33, 100];

/// Reductions of which no elements give a number.
const WITH_IDENTITY: &[Reduction] = &[Reduction::Sum, Reduction::Prod, Reduction::Any, Reduction::All];

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

/// Extents: constants whose product stays within the bound, and expressions of sizes.
fn extents(b: &mut Builder<'_>, count: usize) -> Vec<Expr> {
    let mut left = b.options.iterations.max(1);
    let mut extents = Vec::new();
    for _ in 0..count {
        let is_symbolic = b.options.sizes > 0 && !b.rng.one_in(3);
        if let Some(extent) = is_symbolic.then(|| b.symbolic_extent()).flatten() {
            extents.push(extent);
            continue;
        }
        let extent = b.rng.pick(EXTENTS).min(left);
        left /= extent;
        extents.push(b.exprs.int(extent));
    }
    extents
}

/// The block of a serial parallel loop. Its axis may stand for two, which were merged.
fn start(b: &mut Builder<'_>, extent: Expr) -> (Axis, Block) {
    let inner = if b.options.sizes > 0 && b.rng.one_in(4) { b.symbolic_extent() } else { None };
    let Some(inner) = inner.filter(|&inner| b.exprs.range(inner).lo >= 1) else { return start_with(b, extent) };
    let both = b.exprs.mul(extent, inner);
    let axis = b.axis(both);
    let at = b.position(axis).at;
    let row = Position { at: b.exprs.floor_div(at, inner), extent };
    let column = Position { at: b.exprs.modulo(at, inner), extent: inner };
    (axis, Block::default().inside(row).inside(column))
}

/// The block of a parallel loop over one axis.
fn start_with(b: &mut Builder<'_>, extent: Expr) -> (Axis, Block) {
    let axis = b.axis(extent);
    (axis, Block::default().inside(b.position(axis)))
}

/// The axis of an inner loop, and its block.
fn inner(b: &mut Builder<'_>, block: &Block, extent: Expr) -> (Axis, Block) {
    let axis = b.axis(extent);
    (axis, block.inside(b.position(axis)))
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
    let (axis, mut block) = if vector == 0 { start_with(b, extents[0]) } else { start(b, extents[0]) };
    nest(b, &mut block, &extents[1..], vector.checked_sub(1));
    close(axis, vector == 0, Vec::new(), block)
}

/// The loops inside, the `vector`th of them over lanes.
fn nest(b: &mut Builder<'_>, block: &mut Block, extents: &[Expr], vector: Option<usize>) {
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
    let (axis, mut body) = self::inner(b, block, extent);
    nest(b, &mut body, inner, vector.and_then(|v| v.checked_sub(1)));
    block.stmts.push(Stmt::Loop(close(axis, vector == Some(0), Vec::new(), body)));
}

/// Several loops over the elements of each row, with reductions, and with scratch rows between them.
fn rows(b: &mut Builder<'_>) -> Loop {
    let extents = extents(b, 3);
    let (axis, mut block) = start(b, extents[0]);
    if b.rng.one_in(3) {
        let (serial, mut body) = inner(b, &block, extents[1]);
        stages(b, &mut body, extents[2]);
        block.stmts.push(Stmt::Loop(close(serial, false, Vec::new(), body)));
    } else {
        stages(b, &mut block, extents[2]);
    }
    close(axis, false, Vec::new(), block)
}

fn stages(b: &mut Builder<'_>, block: &mut Block, extent: Expr) {
    let mut scratch: Vec<Param> = Vec::new();
    let count = b.rng.between(1, 3);
    for last in (0..count).map(|i| i + 1 == count) {
        let (axis, mut body) = inner(b, block, extent);
        let position = b.position(axis);
        for &row in &scratch {
            let value = b.load_from(&mut body, row, position.at, None);
            body.values.push(value);
        }
        compute(b, &mut body);
        if !last && b.rng.one_in(2) {
            scratch.push(keep_row(b, &mut body, position));
        }
        let reduces = !last || b.rng.one_in(2);
        let accs = if reduces { accumulate(b, &mut body, 1) } else { Vec::new() };
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
fn keep_row(b: &mut Builder<'_>, body: &mut Block, Position { at, extent }: Position) -> Param {
    let (value, dtype) = (b.rng.pick(&body.values), b.memory_dtype());
    let value = b.convert(body, value, dtype);
    let row = b.param(dtype, extent, Role::Scratch);
    b.store(body, (row, at), value, None);
    row
}

/// Reductions down the columns: a serial loop inside of the vector loop.
fn columns(b: &mut Builder<'_>) -> Loop {
    let extents = extents(b, 3);
    let vector_is_root = b.rng.one_in(2);
    let (axis, mut block) = if vector_is_root { start_with(b, extents[0]) } else { start(b, extents[0]) };
    if vector_is_root {
        column(b, &mut block, extents[1]);
    } else {
        let (lanes, mut body) = inner(b, &block, extents[1]);
        column(b, &mut body, extents[2]);
        block.stmts.push(Stmt::Loop(close(lanes, true, Vec::new(), body)));
    }
    close(axis, vector_is_root, Vec::new(), block)
}

fn column(b: &mut Builder<'_>, block: &mut Block, extent: Expr) {
    if b.rng.one_in(2) {
        compute(b, block);
    }
    let (axis, mut body) = inner(b, block, extent);
    compute(b, &mut body);
    let accs = accumulate(b, &mut body, 1);
    block.stmts.push(Stmt::Loop(close(axis, false, accs.clone(), body)));
    reduced(b, block, &accs);
    b.step(block);
    b.output(block);
}

/// Reductions over two axes at once: a vector loop in the loop that owns the accumulators.
fn blocks(b: &mut Builder<'_>) -> Loop {
    let extents = extents(b, 3);
    let (axis, mut block) = start(b, extents[0]);
    let (outer, mut body) = inner(b, &block, extents[1]);
    let (inner, mut innermost) = inner(b, &body, extents[2]);
    compute(b, &mut innermost);
    let accs = accumulate(b, &mut innermost, 2);
    body.stmts.push(Stmt::Loop(close(inner, true, Vec::new(), innermost)));
    block.stmts.push(Stmt::Loop(close(outer, false, accs.clone(), body)));
    reduced(b, &mut block, &accs);
    b.output(&mut block);
    close(axis, false, Vec::new(), block)
}

/// Additions to elements that several iterations may hit.
fn scatter(b: &mut Builder<'_>) -> Loop {
    let extents = extents(b, 2);
    let (axis, mut block) = start_with(b, Expr::ONE);
    let (inner, mut body) = inner(b, &block, extents[1]);
    compute(b, &mut body);
    let rows = b.rng.between(1, 20);
    let rows = b.rows(rows);
    let index = b.index_from_memory(&mut body, rows);
    let value = b.operand(&mut body, DType::I64);
    let param = b.param(DType::I64, rows, Role::InOut);
    let mask = if b.rng.one_in(3) { Some(b.operand(&mut body, DType::Bool)) } else { None };
    body.stmts.push(Stmt::Store { param, index, value, mask, mode: StoreMode::Add });
    let vector = b.rng.one_in(2);
    block.stmts.push(Stmt::Loop(close(inner, vector, Vec::new(), body)));
    close(axis, false, Vec::new(), block)
}

/// Accumulates into one or two new accumulators, over the innermost `count` axes.
fn accumulate(b: &mut Builder<'_>, body: &mut Block, count: usize) -> Vec<Acc> {
    let axes = body.axes[body.axes.len() - count..].to_vec();
    (0..b.rng.between(1, 2)).map(|_| accumulate_one(b, body, &axes)).collect()
}

fn accumulate_one(b: &mut Builder<'_>, body: &mut Block, axes: &[Position]) -> Acc {
    let may_be_empty = axes.iter().any(|axis| b.exprs.range(axis.extent).lo < 1);
    let kind = b.rng.pick(if may_be_empty { WITH_IDENTITY } else { Reduction::ALL });
    let sample = b.rng.pick(&body.values);
    let value = element(b, body, kind, sample);
    let dtype = b.dtype(value);
    let acc = b.acc(kind, dtype);
    let takes_position = matches!(kind, Reduction::ArgMax | Reduction::ArgMin);
    let position = takes_position.then(|| {
        axes.iter().fold(Expr::ZERO, |position, axis| {
            let row = b.exprs.mul(position, axis.extent);
            b.exprs.add(row, axis.at)
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
