//! The opcode tables: one per version of CPython, one row per opcode.
//!
//! [`Op`] names every opcode of every version, so that a `match` on it is checked for completeness once; a
//! [`Table`] says which of them a version has and what they mean there. `generate.py` writes both from the
//! interpreters' own modules.
//!
//! Invariants: `CACHE` and `EXTENDED_ARG` have no row (no decoded instruction is one of them); pseudo-opcodes,
//! adaptive and instrumented opcodes have none either.

mod op;
mod v311;
mod v312;
mod v313;
mod v314;

use super::Version;
pub use op::Op;

/// Declares [`Op`] from the list of names.
macro_rules! ops {
    ($($variant:ident = $name:literal,)*) => {
        /// An opcode of some version of CPython, by its name.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
        #[repr(u8)]
        pub enum Op {
            $(#[doc = concat!("`", $name, "`")] $variant,)*
        }

        impl Op {
            /// All of them, by name.
            pub const ALL: &'static [Op] = &[$(Op::$variant),*];

            /// The name that `dis` prints.
            pub fn name(self) -> &'static str {
                match self { $(Op::$variant => $name,)* }
            }
        }
    };
}
use ops;

impl Op {
    /// The opcode called `name` by `dis`.
    pub fn from_name(name: &str) -> Option<Op> {
        Op::ALL.binary_search_by_key(&name, |op| op.name()).ok().map(|index| Op::ALL[index])
    }

    /// True for the conditional jumps on truth that 3.12 and later have.
    pub fn is_jump_by_truth(self) -> bool {
        matches!(self, Op::PopJumpIfTrue | Op::PopJumpIfFalse)
    }

    /// The opcode that does the same and jumps the other way, where one exists.
    pub fn reversed(self) -> Option<Op> {
        Some(match self {
            Op::JumpForward => Op::JumpBackward,
            Op::JumpBackward | Op::JumpBackwardNoInterrupt => Op::JumpForward,
            Op::PopJumpForwardIfTrue => Op::PopJumpBackwardIfTrue,
            Op::PopJumpForwardIfFalse => Op::PopJumpBackwardIfFalse,
            Op::PopJumpForwardIfNone => Op::PopJumpBackwardIfNone,
            Op::PopJumpForwardIfNotNone => Op::PopJumpBackwardIfNotNone,
            Op::PopJumpBackwardIfTrue => Op::PopJumpForwardIfTrue,
            Op::PopJumpBackwardIfFalse => Op::PopJumpForwardIfFalse,
            Op::PopJumpBackwardIfNone => Op::PopJumpForwardIfNone,
            Op::PopJumpBackwardIfNotNone => Op::PopJumpForwardIfNotNone,
            _ => return None,
        })
    }
}

impl std::fmt::Display for Op {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.name())
    }
}

/// The kinds of arguments of opcodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArgKind {
    /// It has none.
    None,
    /// A count, a flag set or whatever else the opcode alone knows.
    Int,
    /// An index into `co_consts`.
    Const,
    /// An index into `co_names`, above so many bits of flags.
    Name(u8),
    /// An index into the fast locals: arguments, locals, cells, free variables.
    Local,
    /// Two such indices of four bits each, the first one in the upper bits.
    LocalPair,
    /// A comparison, above so many bits of flags.
    Compare(u8),
    /// A distance in code units from the end of the instruction.
    Jump,
}

/// The direction in which a jump's distance counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// To a later instruction.
    Forward,
    /// To an earlier instruction or itself.
    Backward,
}

/// The kinds of control flow after an instruction that raises nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// To the next instruction.
    Next,
    /// To the label.
    Jump(Direction),
    /// To the label or to the next instruction.
    Branch(Direction),
    /// To the next instruction; the label tells `sys.monitoring` of another one.
    Refer(Direction),
    /// Out of the frame, or to a handler.
    Stop,
}

impl Flow {
    /// The direction of the label, whether execution goes there or not.
    pub fn direction(self) -> Option<Direction> {
        match self {
            Flow::Jump(to) | Flow::Branch(to) | Flow::Refer(to) => Some(to),
            Flow::Next | Flow::Stop => None,
        }
    }

    /// Whether the next instruction may be reached.
    pub fn falls_through(self) -> bool {
        matches!(self, Flow::Next | Flow::Branch(_) | Flow::Refer(_))
    }

    /// Whether execution may go to the label.
    pub fn jumps(self) -> bool {
        matches!(self, Flow::Jump(_) | Flow::Branch(_))
    }
}

/// The quantities of an argument on which an effect on the stack's height depends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// The argument itself.
    Arg,
    /// Its lowest bit.
    LowBit,
    /// Bit 2: `FORMAT_VALUE` with a format on the stack.
    FormatSpec,
    /// The number of its four lowest bits that are set: `MAKE_FUNCTION`.
    FourFlags,
    /// Whether it is 3: `BUILD_SLICE` with a step.
    SliceStep,
    /// Its low byte plus the rest: `UNPACK_EX` before and after the star.
    StarredTargets,
}

impl Measure {
    /// The measure of `arg`.
    fn of(self, arg: u32) -> u32 {
        match self {
            Measure::Arg => arg,
            Measure::LowBit => arg & 1,
            Measure::FormatSpec => u32::from(arg & 4 != 0),
            Measure::FourFlags => (arg & 15).count_ones(),
            Measure::SliceStep => u32::from(arg == 3),
            Measure::StarredTargets => (arg & 255).saturating_add(arg >> 8),
        }
    }
}

/// By how much an instruction changes the height of the stack: a constant and a multiple of a measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effect {
    base: i8,
    scale: i8,
    measure: Measure,
}

impl Effect {
    const fn fixed(base: i8) -> Effect {
        Effect { base, scale: 0, measure: Measure::Arg }
    }

    const fn per(base: i8, scale: i8, measure: Measure) -> Effect {
        Effect { base, scale, measure }
    }

    /// The effect with this argument.
    pub fn of(self, arg: u32) -> i64 {
        i64::from(self.base) + i64::from(self.scale) * i64::from(self.measure.of(arg))
    }
}

/// The definition of one opcode in one version.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The opcode.
    pub op: Op,
    /// Its number in this version.
    pub number: u8,
    /// The kind of its argument.
    pub arg: ArgKind,
    /// Its control flow.
    pub flow: Flow,
    /// The number of code units of inline cache that follow it.
    pub caches: u8,
    /// Its effect on the stack when it does not jump.
    pub effect: Effect,
    /// Its effect on the stack when it jumps.
    pub jump_effect: Effect,
}

impl Row {
    const fn new(op: Op, number: u8, arg: ArgKind, flow: Flow, caches: u8, effect: Effect) -> Row {
        Row { op, number, arg, flow, caches, effect, jump_effect: effect }
    }

    const fn jumping(self, jump_effect: Effect) -> Row {
        Row { jump_effect, ..self }
    }
}

/// The opcodes of one version.
pub struct Table {
    /// The number of `EXTENDED_ARG`.
    pub extended_arg: u8,
    /// The rows, by number.
    pub rows: &'static [Row],
    by_number: [u8; 256],
    by_op: [u8; Op::ALL.len()],
}

/// The mark for "no row" in the tables of indices.
const ABSENT: u8 = u8::MAX;

impl Table {
    const fn new(extended_arg: u8, rows: &'static [Row]) -> Table {
        assert!(rows.len() < ABSENT as usize);
        let mut by_number = [ABSENT; 256];
        let mut by_op = [ABSENT; Op::ALL.len()];
        let mut index = 0;
        while index < rows.len() {
            by_number[rows[index].number as usize] = index as u8;
            by_op[rows[index].op as usize] = index as u8;
            index += 1;
        }
        Table { extended_arg, rows, by_number, by_op }
    }

    /// The table of a version.
    pub fn of(version: Version) -> &'static Table {
        match version {
            Version::V311 => &v311::TABLE,
            Version::V312 => &v312::TABLE,
            Version::V313 => &v313::TABLE,
            Version::V314 => &v314::TABLE,
        }
    }

    /// The row of the opcode with this number.
    pub fn by_number(&self, number: u8) -> Option<&'static Row> {
        self.rows.get(usize::from(self.by_number[usize::from(number)]))
    }

    /// The row of `op`, if this version has it.
    pub fn by_op(&self, op: Op) -> Option<&'static Row> {
        self.rows.get(usize::from(self.by_op[op as usize]))
    }
}
