//! From a code object to a [`Body`].

use std::collections::HashMap;

use super::exceptions::{self, Entry};
use super::opcodes::{ArgKind, Direction, Row, Table};
use super::varint::Reader;
use super::{Arg, Body, CodeObject, Handler, HandlerId, Inst, InstData, Label, Span, Version, location};

/// The reason why a code object could not be decoded. Offsets are in code units.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// A number that is no opcode of this version.
    #[error("unit {offset}: {number} is no opcode of {version}")]
    UnknownOpcode {
        /// The place of the instruction.
        offset: u32,
        /// The number.
        number: u8,
        /// The version whose table was asked.
        version: Version,
    },
    /// The code ends within an instruction.
    #[error("unit {offset}: the code ends within this instruction")]
    Truncated {
        /// The code unit at which the instruction starts.
        offset: u32,
    },
    /// An argument of more than 32 bits.
    #[error("unit {offset}: the argument does not fit 32 bits")]
    LongArgument {
        /// The place of the instruction.
        offset: u32,
    },
    /// A jump or a handler whose target is not the start of an instruction.
    #[error("unit {offset}: {target} is no start of an instruction")]
    BadTarget {
        /// The code unit of the jump, or the first one that the handler covers.
        offset: u32,
        /// The code unit that it leads to.
        target: i64,
    },
    /// A malformed location table.
    #[error("malformed location table")]
    Locations,
    /// A malformed exception table.
    #[error("malformed exception table")]
    Exceptions,
}

/// An instruction as it stands in the code bytes.
struct Raw {
    row: &'static Row,
    arg: u32,
    /// The unit where it starts, `EXTENDED_ARG` included.
    start: u32,
    /// The unit of the opcode itself.
    at: u32,
    /// The unit after its caches.
    end: u32,
}

impl Raw {
    /// The unit to which it jumps.
    fn target(&self) -> Option<i64> {
        let distance = i64::from(self.arg);
        Some(match self.row.flow.direction()? {
            Direction::Forward => i64::from(self.end) + distance,
            Direction::Backward => i64::from(self.end) - distance,
        })
    }
}

/// Decodes the instructions of a code object.
pub fn decode(version: Version, code: &CodeObject) -> Result<Body, DecodeError> {
    let raw = scan(version, &code.code)?;
    let spans = location::decode(&code.linetable, code.firstlineno).ok_or(DecodeError::Locations)?;
    let entries = exceptions::decode(&code.exceptiontable).ok_or(DecodeError::Exceptions)?;
    let mut decoder = Decoder::new(version, &raw, &spans);
    decoder.link_jumps(&raw)?;
    decoder.link_handlers(&raw, &entries)?;
    Ok(decoder.body)
}

/// The offset of each instruction, in bytes, as the disassembler counts them.
///
/// # Errors
/// The bytecode is none of this version.
pub fn offsets(version: Version, code: &CodeObject) -> Result<Vec<u32>, DecodeError> {
    Ok(scan(version, &code.code)?.iter().map(|raw| 2 * raw.start).collect())
}

/// Splits code bytes into instructions.
fn scan(version: Version, code: &[u8]) -> Result<Vec<Raw>, DecodeError> {
    let table = Table::of(version);
    let mut reader = Reader::new(code);
    let mut raw = Vec::new();
    let (mut start, mut high) = (0, 0u32);
    while !reader.is_empty() {
        let at = (reader.position() / 2) as u32;
        let (number, low) = reader.byte().zip(reader.byte()).ok_or(DecodeError::Truncated { offset: start })?;
        let arg = high | u32::from(low);
        if number == table.extended_arg {
            high = arg.checked_mul(256).ok_or(DecodeError::LongArgument { offset: start })?;
            continue;
        }
        let row = table.by_number(number).ok_or(DecodeError::UnknownOpcode { offset: at, number, version })?;
        for _ in 0..2 * row.caches {
            reader.byte().ok_or(DecodeError::Truncated { offset: start })?;
        }
        let end = at + 1 + u32::from(row.caches);
        raw.push(Raw { row, arg, start, at, end });
        (start, high) = (end, 0);
    }
    if reader.position() as u32 == 2 * start { Ok(raw) } else { Err(DecodeError::Truncated { offset: start }) }
}

/// A body in the making.
struct Decoder {
    body: Body,
    /// The instruction that starts at a code unit.
    starts: HashMap<i64, Inst>,
    labels: HashMap<Inst, Label>,
}

impl Decoder {
    fn new(version: Version, raw: &[Raw], spans: &[Option<Span>]) -> Decoder {
        let mut body = Body::new(version);
        let mut starts = HashMap::with_capacity(raw.len());
        for raw in raw {
            let arg = if raw.row.arg == ArgKind::None { Arg::None } else { Arg::Int(raw.arg) };
            let span = spans.get(raw.at as usize).copied().flatten();
            let inst = body.push(InstData { span, ..InstData::new(raw.row.op, arg) });
            starts.insert(i64::from(raw.start), inst);
        }
        Decoder { body, starts, labels: HashMap::new() }
    }

    /// The label before the instruction that starts at `target`.
    fn label(&mut self, offset: u32, target: i64) -> Result<Label, DecodeError> {
        let inst = *self.starts.get(&target).ok_or(DecodeError::BadTarget { offset, target })?;
        Ok(*self.labels.entry(inst).or_insert_with(|| self.body.label_at(inst)))
    }

    fn link_jumps(&mut self, raw: &[Raw]) -> Result<(), DecodeError> {
        for (index, raw) in raw.iter().enumerate() {
            if let Some(target) = raw.target() {
                let label = self.label(raw.start, target)?;
                let inst = self.body.order()[index];
                self.body.inst_mut(inst).arg = Arg::Jump(label);
            }
        }
        Ok(())
    }

    /// Gives each instruction the handler whose entry covers it. Equal entries share one handler.
    fn link_handlers(&mut self, raw: &[Raw], entries: &[Entry]) -> Result<(), DecodeError> {
        let mut known: HashMap<Handler, HandlerId> = HashMap::new();
        for entry in entries {
            let target = self.label(entry.start, i64::from(entry.target))?;
            let handler = Handler { target, depth: entry.depth, lasti: entry.lasti };
            let id = *known.entry(handler).or_insert_with(|| self.body.push_handler(handler));
            let first = raw.partition_point(|raw| raw.start < entry.start);
            let last = raw.partition_point(|raw| raw.start < entry.end);
            for index in first..last {
                let inst = self.body.order()[index];
                self.body.inst_mut(inst).handler = id.into();
            }
        }
        Ok(())
    }
}
