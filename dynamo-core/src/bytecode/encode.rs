//! From a [`Body`] to the bytes of a code object.
//!
//! Jumps that point the other way than their opcode are turned round where the version has the opposite opcode.
//! `EXTENDED_ARG`s and jump distances depend on each other: instructions start at their smallest and grow until
//! every distance fits. They never shrink, so this ends.

use cranelift_entity::SecondaryMap;

use super::exceptions::{self, Entry};
use super::opcodes::{ArgKind, Direction, Op, Row, Table};
use super::{Arg, Body, CodeObject, DepthError, HandlerId, Inst, Label, Span, Version, location, stack_depths};

/// The reason why a body could not be encoded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EncodeError {
    /// An op that the body's version lacks.
    #[error("{inst}: {version} has no {op}")]
    UnknownOp {
        /// The instruction.
        inst: Inst,
        /// Its opcode.
        op: Op,
        /// The body's version.
        version: Version,
    },
    /// An argument of the wrong kind.
    #[error("{inst}: {op} does not take {arg:?}")]
    WrongArg {
        /// The instruction.
        inst: Inst,
        /// Its opcode.
        op: Op,
        /// The argument that it was given.
        arg: Arg,
    },
    /// A label bound to nothing in the order.
    #[error("{inst}: {label} is not bound")]
    Unbound {
        /// The instruction that names the label, itself or through its handler.
        inst: Inst,
        /// The label.
        label: Label,
    },
    /// A jump the wrong way, with an op that has no opposite.
    #[error("{inst}: {op} cannot jump to {label}, which is the other way")]
    WrongWay {
        /// The instruction.
        inst: Inst,
        /// Its opcode.
        op: Op,
        /// The label that it should jump to.
        label: Label,
    },
    /// The stack does not add up.
    #[error(transparent)]
    Depth(#[from] DepthError),
}

/// The result of [`encode`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Encoded {
    /// `co_code`.
    pub code: Vec<u8>,
    /// `co_linetable`.
    pub linetable: Vec<u8>,
    /// `co_exceptiontable`.
    pub exceptiontable: Vec<u8>,
    /// `co_stacksize`.
    pub stacksize: u32,
}

impl CodeObject {
    /// A copy of this code object with another body.
    pub fn with_body(&self, body: &Body) -> Result<CodeObject, EncodeError> {
        let Encoded { code, linetable, exceptiontable, stacksize } = encode(body, self.firstlineno)?;
        Ok(CodeObject { code, linetable, exceptiontable, stacksize, ..self.clone() })
    }
}

/// Encodes a body. Lines in the location table count from `firstlineno`.
pub fn encode(body: &Body, firstlineno: i32) -> Result<Encoded, EncodeError> {
    let layout = Layout::new(body)?;
    Ok(Encoded {
        code: layout.code(),
        linetable: location::encode(layout.runs(body), firstlineno),
        exceptiontable: exceptions::encode(&layout.entries(body)),
        stacksize: stack_depths(body)?.max().max(least_stack(body.version())),
    })
}

/// The least `co_stacksize` that a version's own compiler gives.
fn least_stack(version: Version) -> u32 {
    match version {
        Version::V311 | Version::V312 => 0,
        Version::V313 | Version::V314 => 1,
    }
}

/// The target of a jump, by the index of its slot, and the direction in which its distance counts.
#[derive(Clone, Copy)]
struct Jump {
    slot: usize,
    direction: Direction,
}

/// An instruction with its place.
struct Slot {
    inst: Inst,
    row: &'static Row,
    arg: u32,
    jump: Option<Jump>,
    extended: u32,
    /// The unit where it starts, `EXTENDED_ARG` included.
    start: u32,
}

impl Slot {
    /// Its length in code units.
    fn units(&self) -> u32 {
        self.extended + 1 + u32::from(self.row.caches)
    }

    fn end(&self) -> u32 {
        self.start + self.units()
    }
}

/// The instructions laid out.
struct Layout {
    extended_arg: u8,
    slots: Vec<Slot>,
    /// The slot of each exception handler's first instruction.
    handlers: SecondaryMap<HandlerId, usize>,
}

impl Layout {
    fn new(body: &Body) -> Result<Layout, EncodeError> {
        let linker = Linker::new(body);
        let slots = body.order().iter().enumerate().map(|(index, &inst)| linker.slot(index, inst));
        let slots = slots.collect::<Result<Vec<_>, _>>()?;
        let mut layout = Layout { extended_arg: body.table().extended_arg, slots, handlers: linker.handlers()? };
        while layout.place() {}
        Ok(layout)
    }

    /// Computes starts and distances; whether an instruction had to grow for it.
    fn place(&mut self) -> bool {
        let mut start = 0;
        for slot in &mut self.slots {
            slot.start = start;
            start = slot.end();
        }
        let mut grown = false;
        for index in 0..self.slots.len() {
            if let Some(Jump { slot, direction }) = self.slots[index].jump {
                let (end, target) = (self.slots[index].end(), self.slots[slot].start);
                self.slots[index].arg = if direction == Direction::Forward { target - end } else { end - target };
            }
            let slot = &mut self.slots[index];
            let needed = extended_args(slot.arg);
            if needed > slot.extended {
                slot.extended = needed;
                grown = true;
            }
        }
        grown
    }

    fn code(&self) -> Vec<u8> {
        let mut code = Vec::new();
        for slot in &self.slots {
            for byte in (1..=slot.extended).rev() {
                code.extend([self.extended_arg, (slot.arg >> (8 * byte)) as u8]);
            }
            code.extend([slot.row.number, slot.arg as u8]);
            code.resize(code.len() + 2 * usize::from(slot.row.caches), 0);
        }
        code
    }

    /// The spans with their lengths in code units. Neighbours of one span share an entry from 3.12 on, as the
    /// interpreters' own compilers have it.
    fn runs(&self, body: &Body) -> Vec<(u32, Option<Span>)> {
        let span = |slot: &Slot| body.inst(slot.inst).span;
        let merge = body.version() > Version::V311;
        let runs = self.slots.chunk_by(|a, b| merge && span(a) == span(b));
        runs.map(|run| (run.iter().map(Slot::units).sum(), span(&run[0]))).collect()
    }

    /// One entry per run of instructions with the same handler.
    fn entries(&self, body: &Body) -> Vec<Entry> {
        let handler = |slot: &Slot| body.inst(slot.inst).handler;
        let runs = self.slots.chunk_by(|a, b| handler(a) == handler(b));
        let entries = runs.filter_map(|run| {
            let (first, last) = (run.first()?, run.last()?);
            let id = handler(first).expand()?;
            let target = self.slots[self.handlers[id]].start;
            let handler = body.handler(id);
            Some(Entry { start: first.start, end: last.end(), target, depth: handler.depth, lasti: handler.lasti })
        });
        entries.collect()
    }
}

/// The number of `EXTENDED_ARG`s that an argument needs.
fn extended_args(arg: u32) -> u32 {
    (32 - arg.leading_zeros()).div_ceil(8).saturating_sub(1)
}

/// Resolves labels and checks arguments.
struct Linker<'a> {
    body: &'a Body,
    table: &'static Table,
    /// The index in the order of each instruction that is there.
    index: SecondaryMap<Inst, Option<usize>>,
}

impl<'a> Linker<'a> {
    fn new(body: &'a Body) -> Linker<'a> {
        let mut index = SecondaryMap::with_capacity(body.inst_bound());
        for (at, &inst) in body.order().iter().enumerate() {
            index[inst] = Some(at);
        }
        Linker { body, table: body.table(), index }
    }

    fn resolve(&self, inst: Inst, label: Label) -> Result<usize, EncodeError> {
        let target = self.body.target(label).and_then(|target| self.index[target]);
        target.ok_or(EncodeError::Unbound { inst, label })
    }

    fn row(&self, inst: Inst, op: Op) -> Result<&'static Row, EncodeError> {
        self.table.by_op(op).ok_or(EncodeError::UnknownOp { inst, op, version: self.body.version() })
    }

    /// The instruction at `index`, not placed yet.
    fn slot(&self, index: usize, inst: Inst) -> Result<Slot, EncodeError> {
        let data = self.body.inst(inst);
        let row = self.row(inst, data.op)?;
        let plain = |arg| Slot { inst, row, arg, jump: None, extended: 0, start: 0 };
        match (row.arg, data.arg) {
            (ArgKind::None, Arg::None) => Ok(plain(0)),
            (ArgKind::Jump, Arg::Jump(label)) => self.jump_slot(index, inst, row, label),
            (ArgKind::None | ArgKind::Jump, arg) | (_, arg @ (Arg::None | Arg::Jump(_))) => {
                Err(EncodeError::WrongArg { inst, op: data.op, arg })
            }
            (_, Arg::Int(arg)) => Ok(plain(arg)),
        }
    }

    /// A jump, by the opcode that goes the way where its label is.
    fn jump_slot(&self, index: usize, inst: Inst, row: &'static Row, label: Label) -> Result<Slot, EncodeError> {
        let slot = self.resolve(inst, label)?;
        let direction = if slot > index { Direction::Forward } else { Direction::Backward };
        let row = if row.flow.direction() == Some(direction) {
            row
        } else {
            let wrong_way = EncodeError::WrongWay { inst, op: row.op, label };
            row.op.reversed().and_then(|op| self.table.by_op(op)).ok_or(wrong_way)?
        };
        Ok(Slot { inst, row, arg: 0, jump: Some(Jump { slot, direction }), extended: 0, start: 0 })
    }

    /// The places of all handlers that cover something.
    fn handlers(&self) -> Result<SecondaryMap<HandlerId, usize>, EncodeError> {
        let mut handlers = SecondaryMap::new();
        for &inst in self.body.order() {
            if let Some(id) = self.body.inst(inst).handler.expand() {
                handlers[id] = self.resolve(inst, self.body.handler(id).target)?;
            }
        }
        Ok(handlers)
    }
}
