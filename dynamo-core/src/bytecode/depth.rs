//! The height of the stack before each instruction.

use cranelift_entity::SecondaryMap;

use super::flow::{ControlFlow, DepthError, Ways};
use super::opcodes::{Op, Row};
use super::{Arg, Body, Inst};

/// The heights of the stack.
#[derive(Clone, Debug)]
pub struct Depths {
    before: SecondaryMap<Inst, Option<u32>>,
    max: u32,
}

impl Depths {
    /// The height before an instruction; none if it is never reached.
    pub fn before(&self, inst: Inst) -> Option<u32> {
        self.before[inst]
    }

    /// The greatest height: what a frame must have room for.
    pub fn max(&self) -> u32 {
        self.max
    }
}

/// Follows every way through a body from its first instruction with an empty stack.
pub fn stack_depths(body: &Body) -> Result<Depths, DepthError> {
    let mut walk = Walk::new(body)?;
    if let Some(&first) = body.order().first() {
        walk.reach(first, 0)?;
    }
    while let Some(inst) = walk.pending.pop() {
        walk.step(inst)?;
    }
    Ok(walk.depths)
}

/// The state of [`stack_depths`].
struct Walk<'a> {
    body: &'a Body,
    flow: ControlFlow,
    depths: Depths,
    pending: Vec<Inst>,
}

impl<'a> Walk<'a> {
    fn new(body: &'a Body) -> Result<Walk<'a>, DepthError> {
        let before = SecondaryMap::with_capacity(body.inst_bound());
        let depths = Depths { before, max: 0 };
        Ok(Walk { body, flow: ControlFlow::new(body)?, depths, pending: Vec::new() })
    }

    /// Notes that `inst` is reached with `depth` values on the stack.
    fn reach(&mut self, inst: Inst, depth: u32) -> Result<(), DepthError> {
        self.depths.max = self.depths.max.max(depth);
        match self.depths.before[inst] {
            Some(first) if first != depth => Err(DepthError::Mismatch { inst, first, second: depth }),
            Some(_) => Ok(()),
            None => {
                self.depths.before[inst] = Some(depth);
                self.pending.push(inst);
                Ok(())
            }
        }
    }

    /// Follows one instruction to its successors.
    fn step(&mut self, inst: Inst) -> Result<(), DepthError> {
        let data = self.body.inst(inst);
        let row = self.body.row(inst).ok_or(DepthError::UnknownOp { inst, op: data.op })?;
        let depth = self.depths.before[inst].expect("pending instructions are reached");
        let ways = self.flow.ways(inst);
        self.raise(inst, ways, depth)?;
        let arg = if let Arg::Int(arg) = data.arg { arg } else { 0 };
        let after = moved(inst, row.op, depth, effect(row, arg))?;
        self.depths.max = self.depths.max.max(after);
        if let Some(target) = ways.jump() {
            self.reach(target, moved(inst, row.op, depth, row.jump_effect.of(arg))?)?;
        }
        match ways.next() {
            Some(next) => self.reach(next, after),
            None if row.flow.falls_through() => Err(DepthError::NoEnd(inst)),
            None => Ok(()),
        }
    }

    /// Follows an exception raised by `inst` to its handler.
    fn raise(&mut self, inst: Inst, ways: Ways, depth: u32) -> Result<(), DepthError> {
        let (Some(id), Some(target)) = (self.body.inst(inst).handler.expand(), ways.handler()) else {
            return Ok(());
        };
        let handler = *self.body.handler(id);
        if handler.depth > depth {
            return Err(DepthError::Handler { inst, kept: handler.depth, depth });
        }
        self.reach(target, handler.entry_depth())
    }
}

/// The effect of an instruction that does not jump.
///
/// `RETURN_GENERATOR` leaves a value for the generator's first `POP_TOP`. The interpreters before 3.13 do not count
/// it: they let generators start with a stack of one.
fn effect(row: &Row, arg: u32) -> i64 {
    if row.op == Op::ReturnGenerator { 1 } else { row.effect.of(arg) }
}

/// The height after an effect.
fn moved(inst: Inst, op: Op, depth: u32, effect: i64) -> Result<u32, DepthError> {
    u32::try_from(i64::from(depth) + effect).map_err(|_| DepthError::Underflow { inst, op, depth })
}
