//! Blocks and branches.

use crate::ir::{Ir, TYPED, Val};
use inkwell::basic_block::BasicBlock;
use inkwell::types::BasicTypeEnum;
use inkwell::values::PhiValue;

impl<'c> Ir<'c> {
    /// A new block at the end of the function.
    pub(crate) fn block(&self, name: &str) -> BasicBlock<'c> {
        self.context.append_basic_block(self.function, name)
    }

    /// The block that code is being added to.
    pub(crate) fn here(&self) -> BasicBlock<'c> {
        self.b.get_insert_block().expect("the builder stands in a block")
    }

    /// Goes on in `block`.
    pub(crate) fn jump(&self, block: BasicBlock<'c>) {
        self.b.build_unconditional_branch(block).expect(TYPED);
    }

    /// Goes on in one of two blocks.
    pub(crate) fn branch(&self, cond: Val<'c>, yes: BasicBlock<'c>, no: BasicBlock<'c>) {
        self.b.build_conditional_branch(cond.into_int_value(), yes, no).expect(TYPED);
    }

    /// A value that depends on where control came from.
    pub(crate) fn phi(&self, ty: BasicTypeEnum<'c>) -> PhiValue<'c> {
        self.b.build_phi(ty, "").expect(TYPED)
    }

    /// Emits `body` under a branch.
    pub(super) fn only_if(&self, cond: Val<'c>, body: impl FnOnce(&Self)) {
        let (inside, after) = (self.block("masked"), self.block("after"));
        self.branch(cond, inside, after);
        self.b.position_at_end(inside);
        body(self);
        self.jump(after);
        self.b.position_at_end(after);
    }

    /// Emits one or the other under a branch.
    pub(super) fn one_of(&self, cond: Val<'c>, yes: impl FnOnce(&Self), no: impl FnOnce(&Self)) {
        let (first, second, after) = (self.block("yes"), self.block("no"), self.block("after"));
        self.branch(cond, first, second);
        self.b.position_at_end(first);
        yes(self);
        self.jump(after);
        self.b.position_at_end(second);
        no(self);
        self.jump(after);
        self.b.position_at_end(after);
    }

    /// One of two values, each computed only where it is wanted.
    pub(crate) fn either(
        &self,
        cond: Val<'c>,
        yes: impl FnOnce(&Self) -> Val<'c>,
        no: impl FnOnce(&Self) -> Val<'c>,
    ) -> Val<'c> {
        let (first, second, after) = (self.block("yes"), self.block("no"), self.block("after"));
        self.branch(cond, first, second);
        self.b.position_at_end(first);
        let a = yes(self);
        let from_first = self.here();
        self.jump(after);
        self.b.position_at_end(second);
        let b = no(self);
        let from_second = self.here();
        self.jump(after);
        self.b.position_at_end(after);
        let phi = self.phi(a.get_type());
        phi.add_incoming(&[(&a, from_first), (&b, from_second)]);
        phi.as_basic_value()
    }
}
