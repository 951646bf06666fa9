//! Gives the fast locals of a body other numbers.

use super::access::{local_arg, unfused};
use super::{Arg, Body, Inst, InstData, LocalId, Operand};

/// The greatest number that fits one half of a fused instruction's argument.
const MAX_IN_PAIR: u32 = 15;

/// Replaces each local that an instruction names. Fused instructions whose locals no longer fit become two.
///
/// The number of free variables that `COPY_FREE_VARS` copies is not touched.
pub fn renumber_locals(body: &mut Body, number: impl Fn(LocalId) -> LocalId) {
    let mut index = 0;
    while let Some(&inst) = body.order().get(index) {
        match body.operand(inst) {
            Some(Operand::Local(local)) => body.inst_mut(inst).arg = local_arg(number(local)),
            Some(Operand::LocalPair(first, second)) => {
                index += renumber_pair(body, inst, index, number(first), number(second));
            }
            _ => {}
        }
        index += 1;
    }
}

/// Renumbers the locals of a fused instruction, which stands at `index`; returns the number of instructions inserted
/// after it.
fn renumber_pair(body: &mut Body, inst: Inst, index: usize, first: LocalId, second: LocalId) -> usize {
    let data = *body.inst(inst);
    if first.as_u32() <= MAX_IN_PAIR && second.as_u32() <= MAX_IN_PAIR {
        body.inst_mut(inst).arg = Arg::Int((first.as_u32() << 4) | second.as_u32());
        return 0;
    }
    let Some([(one, first), (other, second)]) = unfused(data.op, first, second) else { return 0 };
    *body.inst_mut(inst) = InstData { op: one, arg: local_arg(first), ..data };
    body.insert(index + 1, [InstData { op: other, arg: local_arg(second), ..data }]).len()
}
