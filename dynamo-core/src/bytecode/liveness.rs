//! Liveness: the locals that may still be read.
//!
//! A local is live before an instruction if some way from there reads its slot before writing it. A handler's first
//! instruction follows every instruction that it covers, whether that has written its slot or not.
//!
//! Slots are what counts: see `access`. What looks at a frame from outside (`locals()`, tracebacks) is not known here.

use std::fmt::{self, Display, Formatter};

use cranelift_entity::{EntityRef, SecondaryMap};
use fixedbitset::FixedBitSet;

use super::access::{Access, accesses, free_slots};
use super::display::{write_body, write_note};
use super::flow::ControlFlow;
use super::{Body, CodeObject, Inst, LocalId};

/// The live locals before each instruction.
#[derive(Clone)]
pub struct Liveness {
    before: SecondaryMap<Inst, FixedBitSet>,
}

impl Liveness {
    /// Goes backwards through the body until nothing changes.
    pub fn new(code: &CodeObject, body: &Body, flow: &ControlFlow) -> Liveness {
        let free = free_slots(code);
        let backwards = body.order().iter().rev();
        let backwards: Vec<_> = backwards.map(|&inst| (inst, accesses(body, inst, free.clone()))).collect();
        let mut before: SecondaryMap<Inst, FixedBitSet> = SecondaryMap::with_capacity(body.inst_bound());
        let accessed = backwards.iter().flat_map(|(_, accesses)| accesses).map(|access| access.local().index());
        let mut live = FixedBitSet::with_capacity(accessed.max().map_or(0, |last| last + 1));
        let mut changed = true;
        while changed {
            changed = false;
            for (inst, accesses) in &backwards {
                let ways = flow.ways(*inst);
                live.clear();
                for way in [ways.next(), ways.jump()].into_iter().flatten() {
                    live.union_with(&before[way]);
                }
                for access in accesses.iter().rev() {
                    match *access {
                        Access::Read(local) => live.insert(local.index()),
                        Access::Store(local) | Access::Cell(local) | Access::Clear(local) => live.remove(local.index()),
                    }
                }
                if let Some(handler) = ways.handler() {
                    live.union_with(&before[handler]);
                }
                if before[*inst] != live {
                    before[*inst].clone_from(&live);
                    changed = true;
                }
            }
        }
        Liveness { before }
    }

    /// The locals that are live before an instruction, in order.
    pub fn before(&self, inst: Inst) -> impl Iterator<Item = LocalId> + '_ {
        self.before[inst].ones().map(LocalId::new)
    }
}

/// A body's listing with the live locals before each instruction.
pub struct LiveListing<'a> {
    /// The body to print.
    pub body: &'a Body,
    /// The code object whose names and constants the arguments are.
    pub code: &'a CodeObject,
    /// The live locals.
    pub liveness: &'a Liveness,
}

impl Display for LiveListing<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.code.local_names().collect();
        write_body(f, self.body, |f, inst| {
            if let Some(operand) = self.body.operand(inst) {
                write_note(f, operand, self.code, &names)?;
            }
            let live = self.liveness.before(inst);
            let live: Vec<&str> =
                live.map(|local| names.get(local.as_u32() as usize).copied().unwrap_or("?")).collect();
            write!(f, " ; live: {}", if live.is_empty() { "-".to_owned() } else { live.join(" ") })
        })
    }
}
