//! A decoded body: instructions, labels, handlers.
//!
//! Instructions live in an arena and never move; [`Body::order`] is the list of those that are part of the code,
//! in their order. So an [`Inst`] stays valid while others are put in or taken out around it, and a [`Label`]
//! stands before the instruction to which it is bound, wherever that goes.
//!
//! Invariants, checked when a body is encoded, not before:
//! - an instruction's op exists in the body's version, and its [`Arg`] is of the kind that the op takes;
//! - every label in use is bound to an instruction in the order;
//! - a handler covers exactly the instructions that name it. An instruction names the innermost one;
//!   where regions nest, the inner handler's own instructions name the outer one.

use cranelift_entity::packed_option::PackedOption;
use cranelift_entity::{PrimaryMap, entity_impl};

use super::opcodes::{ArgKind, Op, Row, Table};
use super::{Span, Version};

/// An instruction of a [`Body`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Inst(u32);
entity_impl!(Inst, "i");

/// A place that jumps and handlers name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Label(u32);
entity_impl!(Label, "L");

/// An exception handler of a [`Body`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct HandlerId(u32);
entity_impl!(HandlerId, "h");

/// An index into `co_consts`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ConstId(u32);
entity_impl!(ConstId, "const");

/// An index into `co_names`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NameId(u32);
entity_impl!(NameId, "name");

/// An index into the fast locals.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LocalId(u32);
entity_impl!(LocalId, "local");

/// An instruction's argument as it is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Arg {
    /// The op takes none.
    None,
    /// Any number, `EXTENDED_ARG` folded in.
    Int(u32),
    /// The target of the op's jump.
    Jump(Label),
}

/// The comparison operators of `COMPARE_OP`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Comparison {
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `>`
    Gt,
    /// `>=`
    Ge,
}

impl Comparison {
    /// The comparison of this number.
    pub fn from_number(number: u32) -> Option<Comparison> {
        use Comparison::{Eq, Ge, Gt, Le, Lt, Ne};
        [Lt, Le, Eq, Ne, Gt, Ge].get(usize::try_from(number).ok()?).copied()
    }

    /// The name of its function in `operator`.
    pub fn name(self) -> &'static str {
        match self {
            Comparison::Lt => "lt",
            Comparison::Le => "le",
            Comparison::Eq => "eq",
            Comparison::Ne => "ne",
            Comparison::Gt => "gt",
            Comparison::Ge => "ge",
        }
    }

    /// The comparison of this name in `operator`.
    pub fn named(name: &str) -> Option<Comparison> {
        use Comparison::{Eq, Ge, Gt, Le, Lt, Ne};
        [Lt, Le, Eq, Ne, Gt, Ge].into_iter().find(|comparison| comparison.name() == name)
    }

    /// `b > a` for `a < b`.
    pub fn reflected(self) -> Comparison {
        match self {
            Comparison::Lt => Comparison::Gt,
            Comparison::Le => Comparison::Ge,
            Comparison::Gt => Comparison::Lt,
            Comparison::Ge => Comparison::Le,
            same @ (Comparison::Eq | Comparison::Ne) => same,
        }
    }

    /// The outcomes for which it is true, as bits: unordered, less, greater, equal. From 3.12 on they stand below the
    /// comparison in the argument of `COMPARE_OP`, and its specialised forms look at nothing else.
    pub(super) fn outcomes(self) -> u32 {
        match self {
            Comparison::Lt => 0b0010,
            Comparison::Le => 0b1010,
            Comparison::Eq => 0b1000,
            Comparison::Ne => 0b0111,
            Comparison::Gt => 0b0100,
            Comparison::Ge => 0b1100,
        }
    }

    /// Its symbol in Python.
    pub fn symbol(self) -> &'static str {
        match self {
            Comparison::Lt => "<",
            Comparison::Le => "<=",
            Comparison::Eq => "==",
            Comparison::Ne => "!=",
            Comparison::Gt => ">",
            Comparison::Ge => ">=",
        }
    }
}

/// An instruction's argument as its op means it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operand {
    /// The op takes none.
    None,
    /// A count or flags.
    Int(u32),
    /// A constant.
    Const(ConstId),
    /// A name, and the flags below it.
    Name(NameId, u32),
    /// A fast local.
    Local(LocalId),
    /// Two fast locals.
    LocalPair(LocalId, LocalId),
    /// A comparison, and the flags below it (3.13: bit 4 asks for a bool).
    Compare(Comparison, u32),
    /// A label.
    Jump(Label),
}

/// One instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InstData {
    /// The operation.
    pub op: Op,
    /// Its argument.
    pub arg: Arg,
    /// The span of the source that it comes from, if any.
    pub span: Option<Span>,
    /// The handler of exceptions that it raises; none if they leave the frame.
    pub handler: PackedOption<HandlerId>,
}

impl InstData {
    /// An instruction with no position and no handler.
    pub fn new(op: Op, arg: Arg) -> InstData {
        InstData { op, arg, span: None, handler: None.into() }
    }
}

/// An exception handler: its target, and the state of the stack there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Handler {
    /// The label at which execution goes on.
    pub target: Label,
    /// To what height the stack is popped before the exception is pushed.
    pub depth: u32,
    /// Whether the offset of the raising instruction is pushed below the exception.
    pub lasti: bool,
}

impl Handler {
    /// The height of the stack at the handler's first instruction.
    pub fn entry_depth(&self) -> u32 {
        self.depth + u32::from(self.lasti) + 1
    }
}

/// The instructions of one code object.
#[derive(Clone, Debug)]
pub struct Body {
    version: Version,
    insts: PrimaryMap<Inst, InstData>,
    order: Vec<Inst>,
    labels: PrimaryMap<Label, PackedOption<Inst>>,
    handlers: PrimaryMap<HandlerId, Handler>,
}

impl Body {
    /// An empty body.
    pub fn new(version: Version) -> Body {
        Body {
            version,
            insts: PrimaryMap::new(),
            order: Vec::new(),
            labels: PrimaryMap::new(),
            handlers: PrimaryMap::new(),
        }
    }

    /// The version whose opcodes it uses.
    pub fn version(&self) -> Version {
        self.version
    }

    /// The version's table.
    pub fn table(&self) -> &'static Table {
        Table::of(self.version)
    }

    /// The row of an instruction's op; none if the version lacks it.
    pub fn row(&self, inst: Inst) -> Option<&'static Row> {
        self.table().by_op(self.insts[inst].op)
    }

    /// The instructions in their order.
    pub fn order(&self) -> &[Inst] {
        &self.order
    }

    /// One instruction.
    pub fn inst(&self, inst: Inst) -> &InstData {
        &self.insts[inst]
    }

    /// One instruction, to be changed in place.
    pub fn inst_mut(&mut self, inst: Inst) -> &mut InstData {
        &mut self.insts[inst]
    }

    /// The number of instructions that were ever made; ids are below it.
    pub fn inst_bound(&self) -> usize {
        self.insts.len()
    }

    /// Appends an instruction.
    pub fn push(&mut self, data: InstData) -> Inst {
        let inst = self.insts.push(data);
        self.order.push(inst);
        inst
    }

    /// Puts instructions into the order at `index`. Labels go on naming what they named: a jump to the instruction
    /// that was there skips the new ones.
    pub fn insert(&mut self, index: usize, data: impl IntoIterator<Item = InstData>) -> Vec<Inst> {
        let new: Vec<Inst> = data.into_iter().map(|data| self.insts.push(data)).collect();
        self.order.splice(index..index, new.iter().copied());
        new
    }

    /// Moves the instructions from `tail` on, which must be no earlier than `index`, to `index`.
    pub fn move_tail(&mut self, tail: usize, index: usize) {
        let count = self.order.len() - tail;
        self.order[index..].rotate_right(count);
    }

    /// Takes the instructions for which `keep` is false out of the order. Labels bound to them are an error on
    /// encoding if they are still used.
    pub fn retain(&mut self, mut keep: impl FnMut(Inst, &InstData) -> bool) {
        let insts = &self.insts;
        self.order.retain(|&inst| keep(inst, &insts[inst]));
    }

    /// A label that is not bound yet.
    pub fn new_label(&mut self) -> Label {
        self.labels.push(None.into())
    }

    /// A new label that stands before `inst`.
    pub fn label_at(&mut self, inst: Inst) -> Label {
        self.labels.push(inst.into())
    }

    /// Puts a label before `inst`, wherever it stood.
    pub fn bind(&mut self, label: Label, inst: Inst) {
        self.labels[label] = inst.into();
    }

    /// The instruction before which a label stands.
    pub fn target(&self, label: Label) -> Option<Inst> {
        self.labels[label].expand()
    }

    /// All labels, bound or not.
    pub fn labels(&self) -> impl Iterator<Item = (Label, Option<Inst>)> + '_ {
        self.labels.iter().map(|(label, inst)| (label, inst.expand()))
    }

    /// Adds a handler, which covers nothing yet.
    pub fn push_handler(&mut self, handler: Handler) -> HandlerId {
        self.handlers.push(handler)
    }

    /// One handler.
    pub fn handler(&self, handler: HandlerId) -> &Handler {
        &self.handlers[handler]
    }

    /// All handlers.
    pub fn handlers(&self) -> impl Iterator<Item = (HandlerId, &Handler)> {
        self.handlers.iter()
    }

    /// The number of flag bits below the number of a name in an instruction's argument.
    pub(super) fn name_bits(&self, inst: Inst) -> u8 {
        match self.row(inst).map(|row| row.arg) {
            Some(ArgKind::Name(bits)) => bits,
            _ => 0,
        }
    }

    /// The operand that an instruction's argument encodes; none if the version lacks its op or the argument is none
    /// that it takes.
    pub fn operand(&self, inst: Inst) -> Option<Operand> {
        Some(match (self.row(inst)?.arg, self.insts[inst].arg) {
            (ArgKind::None, Arg::None) => Operand::None,
            (ArgKind::Jump, Arg::Jump(label)) => Operand::Jump(label),
            (ArgKind::Int, Arg::Int(arg)) => Operand::Int(arg),
            (ArgKind::Const, Arg::Int(arg)) => Operand::Const(ConstId(arg)),
            (ArgKind::Name(bits), Arg::Int(arg)) => Operand::Name(NameId(arg >> bits), low_bits(arg, bits)),
            (ArgKind::Local, Arg::Int(arg)) => Operand::Local(LocalId(arg)),
            (ArgKind::LocalPair, Arg::Int(arg)) => Operand::LocalPair(LocalId(arg >> 4), LocalId(arg & 15)),
            (ArgKind::Compare(bits), Arg::Int(arg)) => {
                Operand::Compare(Comparison::from_number(arg >> bits)?, low_bits(arg, bits))
            }
            _ => return None,
        })
    }
}

/// The lowest `bits` bits of `arg`.
fn low_bits(arg: u32, bits: u8) -> u32 {
    arg & ((1 << bits) - 1)
}
