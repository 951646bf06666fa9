//! Drops constants and names that no instruction of a body uses, and numbers those that are left by their first use.
//!
//! So code that is reached in two ways and is the same from there on is equal.

use super::body::{Body, ConstId, NameId, Operand};
use super::{Arg, CodeObject};
use cranelift_entity::EntityRef;

/// Leaves out what `body` does not use.
pub(super) fn drop_unused(code: &mut CodeObject, body: &mut Body) {
    let (mut consts, mut names): (Vec<ConstId>, Vec<NameId>) = (Vec::new(), Vec::new());
    for inst in body.order().to_vec() {
        let number = match body.operand(inst) {
            Some(Operand::Const(id)) => place_of(&mut consts, id),
            Some(Operand::Name(id, low)) => {
                let place = place_of(&mut names, id);
                (place << body.name_bits(inst)) | low
            }
            _ => continue,
        };
        body.inst_mut(inst).arg = Arg::Int(number);
    }
    code.consts = consts.into_iter().filter_map(|id| code.consts.get(id.index()).cloned()).collect();
    code.names = names.into_iter().filter_map(|id| code.names.get(id.index()).cloned()).collect();
}

/// The place of an item, which is added if it is new.
fn place_of<T: PartialEq>(known: &mut Vec<T>, item: T) -> u32 {
    let place = known.iter().position(|known| *known == item).unwrap_or_else(|| {
        known.push(item);
        known.len() - 1
    });
    place as u32
}
