//! Loads of locals that take a reference of their own, in the place of borrowed ones (3.14).
//!
//! The compiler has `LOAD_FAST_BORROW` push a local without counting the reference where the local outlives what is
//! pushed. It proves that for the code as it stands. Code that was cut or moved about may store what is pushed into
//! another local, or unbind the local first.

use super::{Body, Op};

/// Replaces the loads that borrow by those that count.
pub(super) fn own_loads(body: &mut Body) {
    for index in 0..body.order().len() {
        let inst = body.order()[index];
        let data = body.inst_mut(inst);
        data.op = owned(data.op);
    }
}

/// The load that counts, of one that borrows; any other op as it is.
pub(super) fn owned(op: Op) -> Op {
    match op {
        Op::LoadFastBorrow => Op::LoadFast,
        Op::LoadFastBorrowLoadFastBorrow => Op::LoadFastLoadFast,
        op => op,
    }
}
