//! Drops constants and names that no instruction of a body uses, and numbers those that are left by their first use.
//!
//! So code that is reached in two ways and is the same from there on is equal.

use super::body::{Body, ConstId, NameId, Operand};
use super::{Arg, CodeObject};
use cranelift_entity::EntityRef;
use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

type FxIndexSet<T> = IndexSet<T, FxBuildHasher>;

/// Leaves out what `body` does not use.
pub(super) fn drop_unused(code: &mut CodeObject, body: &mut Body) {
    let (mut consts, mut names): (FxIndexSet<ConstId>, FxIndexSet<NameId>) = Default::default();
    for inst in body.order().to_vec() {
        let number = match body.operand(inst) {
            Some(Operand::Const(id)) => consts.insert_full(id).0 as u32,
            Some(Operand::Name(id, low)) => {
                let place = names.insert_full(id).0 as u32;
                (place << body.name_bits(inst)) | low
            }
            _ => continue,
        };
        body.inst_mut(inst).arg = Arg::Int(number);
    }
    code.consts = consts.into_iter().filter_map(|id| code.consts.get(id.index()).cloned()).collect();
    code.names = names.into_iter().filter_map(|id| code.names.get(id.index()).cloned()).collect();
}
