//! The verifier: every invariant of a grid kernel, checked in one walk over each stage.
//!
//! - A value is used where it is given, or after its definition in the same or an enclosing block.
//! - Operands and results have the types that [`Op`] states.
//! - Loads and stores are of bindings that the stage lists with that access.
//! - A barrier stands only where the loops and conditions around it do not depend on the thread, as far as values that
//!   come from the thread's number, from memory or from variables are taken to depend on it.
//! - Workgroup memory and bindings are within what the device has.

use super::{Access, ArrayData, Binary, Binding, Capabilities, GridKernel, Op, Stage, Stmt, Ty, VECTOR_BYTES, Val};
use cranelift_entity::EntitySet;

/// The invariants that may not hold, with their places.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VerifyError {
    /// A value used where it is not defined.
    #[error("{stage}: {val} is used where it is not defined")]
    NotInScope {
        /// The stage.
        stage: String,
        /// The value.
        val: Val,
    },
    /// A value with two definitions.
    #[error("{stage}: {val} is defined twice")]
    DefinedTwice {
        /// The stage.
        stage: String,
        /// The value.
        val: Val,
    },
    /// A value of another type than its definition or use demands.
    #[error("{stage}: {val} has the wrong type")]
    Type {
        /// The stage.
        stage: String,
        /// The value.
        val: Val,
    },
    /// An access that the stage's list does not have.
    #[error("{stage}: {binding} is not listed for this access")]
    Access {
        /// The stage.
        stage: String,
        /// The buffer.
        binding: Binding,
    },
    /// A barrier that some threads may not reach.
    #[error("{stage}: a barrier that depends on the thread")]
    Barrier {
        /// The stage.
        stage: String,
    },
    /// More than the device has.
    #[error("{stage}: more {what} than the device has")]
    Limit {
        /// The stage.
        stage: String,
        /// Of what.
        what: &'static str,
    },
}

type Result = std::result::Result<(), VerifyError>;

/// Checks every invariant of the [module](self)'s list.
///
/// # Errors
/// The first that does not hold.
pub fn verify(kernel: &GridKernel, caps: &Capabilities) -> Result {
    kernel.stages.iter().try_for_each(|stage| {
        let mut verifier = Verifier {
            kernel,
            stage,
            defined: EntitySet::new(),
            in_scope: EntitySet::new(),
            varying: EntitySet::new(),
            divergent: false,
        };
        verifier.limits(caps)?;
        verifier.block(&stage.body)
    })
}

struct Verifier<'a> {
    kernel: &'a GridKernel,
    stage: &'a Stage,
    defined: EntitySet<Val>,
    in_scope: EntitySet<Val>,
    /// Values that may differ between the threads of a group.
    varying: EntitySet<Val>,
    /// Whether some threads may not be here.
    divergent: bool,
}

impl Verifier<'_> {
    fn name(&self) -> String {
        self.stage.name.clone()
    }

    fn limits(&self, caps: &Capabilities) -> Result {
        let shared: u32 = self.stage.shared.values().map(ArrayData::bytes).sum();
        let locals: u32 = self.stage.locals.values().map(|data| data.bytes() / 4).sum();
        let over = [
            ("threads", self.stage.threads > caps.threads.max(caps.row_threads)),
            ("workgroup memory", shared > caps.shared_bytes),
            ("registers", locals > 0 && caps.row_registers == 0),
            ("bindings", self.stage.bindings.len() > caps.bindings as usize),
        ];
        match over.into_iter().find(|(_, is_over)| *is_over) {
            Some((what, _)) => Err(VerifyError::Limit { stage: self.name(), what }),
            None => Ok(()),
        }
    }

    fn block(&mut self, stmts: &[Stmt]) -> Result {
        let mut here = Vec::new();
        for stmt in stmts {
            self.stmt(stmt, &mut here)?;
        }
        here.into_iter().for_each(|val| {
            self.in_scope.remove(val);
        });
        Ok(())
    }

    fn stmt(&mut self, stmt: &Stmt, here: &mut Vec<Val>) -> Result {
        match stmt {
            Stmt::Let(val) => {
                self.op(*val)?;
                self.define(*val, here)
            }
            Stmt::Set(var, val) => self.typed(*val, self.stage.vars[*var]),
            Stmt::Store { binding, index, value } => {
                self.access(*binding, Access::Write)?;
                self.typed(*index, Ty::I32)?;
                self.typed(*value, self.kernel.bindings[*binding].mem.register())
            }
            Stmt::LoadVector { binding, index, lanes } => {
                self.access(*binding, Access::Read)?;
                self.typed(*index, Ty::I32)?;
                let mem = self.kernel.bindings[*binding].mem;
                let fits = self.is_vector(*binding, lanes);
                lanes.iter().try_for_each(|&lane| {
                    self.gives(lane, self.ty(lane) == mem.register() && fits)?;
                    self.define(lane, here)
                })
            }
            Stmt::StoreVector { binding, index, lanes } => {
                self.access(*binding, Access::Write)?;
                self.typed(*index, Ty::I32)?;
                let mem = self.kernel.bindings[*binding].mem;
                let fits = self.is_vector(*binding, lanes);
                lanes.iter().try_for_each(|&lane| {
                    self.typed(lane, mem.register())?;
                    self.gives(lane, fits)
                })
            }
            Stmt::StoreShared { shared, index, value } => {
                self.typed(*index, Ty::I32)?;
                self.typed(*value, self.stage.shared[*shared].ty)
            }
            Stmt::StoreLocal { local, index, value } => {
                self.typed(*index, Ty::I32)?;
                self.typed(*value, self.stage.locals[*local].ty)
            }
            Stmt::Atomic { binding, index, value, .. } => {
                self.access(*binding, Access::Atomic)?;
                self.typed(*index, Ty::I32)?;
                self.typed(*value, self.kernel.bindings[*binding].mem.register())
            }
            Stmt::If { cond, then } => {
                self.typed(*cond, Ty::Bool)?;
                self.inside(*cond, |this| this.block(then))
            }
            Stmt::For { counter, start, end, step, body, .. } => {
                [start, end, step].into_iter().try_for_each(|&val| self.typed(val, Ty::I32))?;
                let varies = [start, end, step].into_iter().any(|&val| self.varies(val));
                let mut inner = Vec::new();
                self.define(*counter, &mut inner)?;
                if varies {
                    self.varying.insert(*counter);
                }
                self.inside(*counter, |this| this.block(body))?;
                self.in_scope.remove(*counter);
                Ok(())
            }
            Stmt::While { head, cond, body } => {
                let before = std::mem::replace(&mut self.divergent, true);
                let mut inner = Vec::new();
                head.iter().try_for_each(|stmt| self.stmt(stmt, &mut inner))?;
                self.typed(*cond, Ty::Bool)?;
                self.block(body)?;
                inner.into_iter().for_each(|val| {
                    self.in_scope.remove(val);
                });
                self.divergent = before;
                Ok(())
            }
            Stmt::Barrier if self.divergent => Err(VerifyError::Barrier { stage: self.name() }),
            Stmt::Barrier => Ok(()),
        }
    }

    /// True if a statement may access so many elements of a buffer at once.
    fn is_vector(&self, binding: Binding, lanes: &[Val]) -> bool {
        let data = &self.kernel.bindings[binding];
        let count = lanes.len() as u32;
        count.is_power_of_two()
            && data.packing == 1
            && count * data.mem.bytes() <= VECTOR_BYTES
            && data.alignment.is_multiple_of(count)
    }

    /// Checks what runs only as `decider` has it.
    fn inside(&mut self, decider: Val, check: impl FnOnce(&mut Self) -> Result) -> Result {
        let before = self.divergent;
        self.divergent |= self.varies(decider);
        check(self)?;
        self.divergent = before;
        Ok(())
    }

    fn define(&mut self, val: Val, here: &mut Vec<Val>) -> Result {
        if !self.defined.insert(val) {
            return Err(VerifyError::DefinedTwice { stage: self.name(), val });
        }
        let op = &self.stage.vals[val].op;
        let mut varies = !(op.is_pure() || matches!(op, Op::Counter));
        op.operands(|operand| varies |= self.varies(operand));
        if varies {
            self.varying.insert(val);
        }
        self.in_scope.insert(val);
        here.push(val);
        Ok(())
    }

    fn varies(&self, val: Val) -> bool {
        self.varying.contains(val) || matches!(self.stage.vals[val].op, Op::Thread)
    }

    fn used(&self, val: Val) -> Result {
        let known = self.in_scope.contains(val) || self.stage.vals[val].op.is_given();
        if known { Ok(()) } else { Err(VerifyError::NotInScope { stage: self.name(), val }) }
    }

    fn typed(&self, val: Val, ty: Ty) -> Result {
        self.used(val)?;
        self.gives(val, self.ty(val) == ty)
    }

    fn ty(&self, val: Val) -> Ty {
        self.stage.vals[val].ty
    }

    fn gives(&self, val: Val, fits: bool) -> Result {
        if fits { Ok(()) } else { Err(VerifyError::Type { stage: self.name(), val }) }
    }

    fn access(&self, binding: Binding, wanted: Access) -> Result {
        let is_listed = self.stage.bindings.iter().any(|&(known, access)| known == binding && access >= wanted);
        if is_listed { Ok(()) } else { Err(VerifyError::Access { stage: self.name(), binding }) }
    }

    fn op(&self, val: Val) -> Result {
        let data = &self.stage.vals[val];
        let ty = data.ty;
        match &data.op {
            Op::Const(_) | Op::Counter | Op::Lane => Ok(()),
            Op::Arg(_) | Op::Thread | Op::Group => self.gives(val, ty == Ty::I32),
            Op::Unary(_, a) => self.typed(*a, ty),
            Op::Binary(op, a, b) => {
                self.used(*a)?;
                self.typed(*b, self.ty(*a))?;
                self.gives(val, ty == if op.compares() { Ty::Bool } else { self.ty(*a) })?;
                let (float, shifts) = (self.ty(*a).is_float(), self.ty(*a) == Ty::Bool);
                self.gives(val, domain(*op, float, shifts))
            }
            Op::Select(a, b, c) => {
                self.typed(*a, Ty::Bool)?;
                self.typed(*b, ty)?;
                self.typed(*c, ty)
            }
            Op::Fma(a, b, c) => {
                self.gives(val, ty.is_float())?;
                [a, b, c].into_iter().try_for_each(|&v| self.typed(v, ty))
            }
            Op::Call(_, args) => {
                self.gives(val, ty.is_float())?;
                args.iter().try_for_each(|&v| self.typed(v, ty))
            }
            Op::Cast(a) => {
                self.used(*a)?;
                self.gives(val, ty != Ty::Bool)
            }
            Op::Bits(a) => {
                self.used(*a)?;
                self.gives(val, ty.bits() == self.ty(*a).bits() && ty != Ty::Bool)
            }
            Op::Load(binding, index) => {
                self.typed(*index, Ty::I32)?;
                let is_listed = self.stage.bindings.iter().any(|(known, _)| known == binding);
                self.gives(val, ty == self.kernel.bindings[*binding].mem.register() && is_listed)
            }
            Op::Shuffle(a, _) if self.divergent => Err(VerifyError::Type { stage: self.name(), val: *a }),
            Op::Shuffle(a, _) => {
                self.typed(*a, ty)?;
                self.gives(val, ty != Ty::Bool)
            }
            Op::LoadShared(shared, index) => {
                self.typed(*index, Ty::I32)?;
                self.gives(val, ty == self.stage.shared[*shared].ty)
            }
            Op::LoadLocal(local, index) => {
                self.typed(*index, Ty::I32)?;
                self.gives(val, ty == self.stage.locals[*local].ty)
            }
            Op::Narrow(_, a) => {
                self.typed(*a, Ty::F32)?;
                self.gives(val, ty == Ty::U32)
            }
            Op::Widen(_, a) => {
                self.typed(*a, Ty::U32)?;
                self.gives(val, ty == Ty::F32)
            }
            Op::Get(var) => self.gives(val, ty == self.stage.vars[*var]),
            Op::Exchange { binding, index, old, new } => {
                self.access(*binding, Access::Atomic)?;
                self.typed(*index, Ty::I32)?;
                self.typed(*old, self.kernel.bindings[*binding].mem.register())?;
                self.typed(*new, self.ty(*old))?;
                self.gives(val, ty == Ty::Bool)
            }
        }
    }
}

/// True if the operation is defined on floats (`float`), on `bool` (`bool`), or on integers.
fn domain(op: Binary, float: bool, bool: bool) -> bool {
    use Binary as B;
    match op {
        B::Eq | B::Ne => true,
        B::Lt | B::Le | B::Gt | B::Ge | B::Add | B::Sub | B::Mul | B::Div => !bool,
        B::And | B::Or | B::Xor => !float,
        B::Rem | B::Shl | B::Shr | B::Min | B::Max => !float && !bool,
    }
}
