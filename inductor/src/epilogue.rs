//! Pointwise kernels that are computed with the matrix product or convolution whose result they read.
//!
//! A call that a library makes leaves its result in memory, only for the next kernel to read it, add a bias, apply an
//! activation and write it again. Where a backend writes the product itself ([`Capabilities::epilogues`]) it can do
//! that on the way: [`fuse`] makes one [`Step::Fused`] of the call and the launch.
//!
//! Invariants:
//! - the kernel is [elementwise](is_elementwise) in the result: what it stores at a place depends, of the result, on
//!   the element at the same place alone, and it visits each place once, in order;
//! - nothing else reads the result, so that it need never be in memory (its buffer is there for whoever makes the call
//!   and the launch one after the other);
//! - the launch moves up to the call: whatever else it reads was written before.
//!
//! Whether a device computes a fused step at once may depend on sizes ([`EpilogueMode`]): what it does not is taken
//! apart when they are known. A device that finishes a product part by part launches the kernel's [`rectangle`] on
//! each.
//!
//! [`Capabilities::epilogues`]: crate::backend::Capabilities::epilogues

use rustc_hash::FxHashMap;
use symshapes::{Expr, Range, Sym};

use crate::backend::EpilogueMode;
use crate::loop_ir::access::{is_elementwise, reads_first};
use crate::loop_ir::{AxisData, Kernel, Loop, Op, Param, Role, Stmt};
use crate::plan::SizeError;
use crate::plan::uses::Uses;
use crate::plan::{Buf, Call, CallKind, CallResult, Epilogue, Launch, Plan, Step, Storage, SymbolicPlan};

/// Fuses what can be.
pub fn fuse(plan: &mut SymbolicPlan) {
    let mut uses = Uses::of(plan);
    let mut steps: Vec<Option<Step<Expr>>> = std::mem::take(&mut plan.steps).into_iter().map(Some).collect();
    for at in 0..steps.len() {
        let Some(Step::Launch(Launch { kernel, args, sizes })) = &steps[at] else { continue };
        let Some((call, product)) = uses.product_of(plan, &steps, at, &plan.kernels[*kernel], args) else { continue };
        let epilogue = Epilogue { kernel: *kernel, args: args.clone(), sizes: sizes.clone(), product, into: None };
        if let Some(Step::Call(own)) = steps[call].take() {
            uses.moved(&plan.kernels[epilogue.kernel], &epilogue.args, at, call);
            steps[call] = Some(Step::Fused(own, epilogue));
            steps[at] = None;
        }
    }
    plan.steps = steps.into_iter().flatten().collect();
}

/// A device's choice of the [`EpilogueMode`] for a call and its epilogue.
pub type EpilogueModes<'a> = dyn Fn(&Plan, &Call, &Epilogue) -> EpilogueMode + 'a;

impl SymbolicPlan {
    /// The plan for these values of the symbols, and for a device that computes fused steps in these modes.
    ///
    /// # Errors
    /// As [`SymbolicPlan::at`].
    pub fn fused_at(&self, value: &dyn Fn(Sym) -> Option<i64>, modes: &EpilogueModes<'_>) -> Result<Plan, SizeError> {
        self.rewritten_at(value, |plan| resolve_epilogues(plan, modes))
    }
}

/// Rewrites fused steps to the mode in which the device computes them. The arena is not laid out yet.
fn resolve_epilogues(plan: &mut Plan, modes: &EpilogueModes<'_>) {
    let frozen = plan.frozen;
    for (at, step) in std::mem::take(&mut plan.steps).into_iter().enumerate() {
        let how =
            if let Step::Fused(call, epilogue) = &step { modes(plan, call, epilogue) } else { EpilogueMode::Fused };
        match step {
            Step::Fused(..) if how == EpilogueMode::Apart => plan.steps.extend(step.apart()),
            Step::Fused(call, epilogue) if how == EpilogueMode::InPlace => {
                let into = room(plan, &epilogue);
                plan.steps.push(Step::Fused(call, Epilogue { into, ..epilogue }));
            }
            step => plan.steps.push(step),
        }
        if at + 1 == frozen {
            plan.frozen = plan.steps.len();
        }
    }
}

/// The argument of an epilogue in whose memory the product can be until it is read.
fn room(plan: &Plan, epilogue: &Epilogue) -> Option<usize> {
    let kernel = &plan.kernels[epilogue.kernel];
    let (product, _) = kernel.arguments().nth(epilogue.product)?;
    let own = &plan.bufs[epilogue.args[epilogue.product]];
    kernel.arguments().zip(&epilogue.args).position(|((param, data), buf)| {
        let other = &plan.bufs[*buf];
        data.role == Role::Out
            && other.dtype == own.dtype
            && other.bytes() == own.bytes()
            && !other.storage.is_given()
            && reads_first(kernel, product, param)
    })
}

/// An [elementwise](crate::loop_ir::access::is_elementwise) kernel for a rectangle of its elements, as which a part of
/// the product lies in memory: some columns, side by side, of some rows.
///
/// The root's range says which rows. Behind the kernel's own sizes come the first column and the number of columns;
/// and, where the kernel has one loop ([`has_rows`]), the number of elements from one row to the next, as if each began
/// with the first column: then the root's range begins with 0.
///
/// `None` if the kernel has more loops than two, or its last one is not spread over lanes.
pub fn rectangle(kernel: &Kernel) -> Option<Kernel> {
    let mut part = kernel.clone();
    let sizes = Range::new(0, LARGEST);
    let mut size = |name: &str| {
        let sym = part.exprs.symbol(name, sizes);
        part.sizes.push(sym);
        part.exprs.sym(sym)
    };
    let [first, columns] = [size("first"), size("columns")];
    let pitch = if has_rows(kernel) { None } else { Some(size("pitch")) };
    let column = AxisData { sym: part.exprs.position("column", columns), extent: columns };
    let at = part.exprs.sym(column.sym);
    let at = part.exprs.add(first, at);
    let (whole, at) = match pitch {
        Some(pitch) if kernel.root.vector => {
            let whole = kernel.axes[kernel.root.axis].clone();
            let row = AxisData { sym: part.exprs.position("row", whole.extent), extent: whole.extent };
            let before = part.exprs.sym(row.sym);
            let before = part.exprs.mul(before, pitch);
            let Loop { vector, body, .. } = part.root;
            let inner = Loop { axis: part.axes.push(column), vector, accs: Vec::new(), body };
            let (axis, body) = (part.axes.push(row), vec![Stmt::Loop(inner)]);
            part.root = Loop { axis, vector: false, accs: Vec::new(), body };
            (whole.sym, part.exprs.add(before, at))
        }
        None => {
            let Some(Stmt::Loop(inner)) = kernel.root.body.last() else { return None };
            let has_more = inner.body.iter().any(|stmt| matches!(stmt, Stmt::Loop(_)));
            if has_more || !inner.vector {
                return None;
            }
            let whole = std::mem::replace(&mut part.axes[inner.axis], column);
            (whole.sym, at)
        }
        Some(_) => return None,
    };
    part.place(&FxHashMap::from_iter([(whole, at)]));
    Some(part)
}

/// Products of more elements have no [rectangles](rectangle): places in them, and multiples of those, are numbers.
pub const LARGEST: i64 = 1 << 31;

/// True if a kernel has more loops than one: its root runs over rows.
pub fn has_rows(kernel: &Kernel) -> bool {
    kernel.root.body.iter().any(|stmt| matches!(stmt, Stmt::Loop(_)))
}

impl Kernel {
    /// Replaces symbols wherever elements are loaded and stored.
    fn place(&mut self, map: &FxHashMap<Sym, Expr>) {
        let exprs = &mut self.exprs;
        for data in self.values.values_mut() {
            if let Op::Index(index) | Op::Load { index, .. } = &mut data.op {
                *index = exprs.subst(*index, map);
            }
        }
        self.root.for_each_mut(&mut |stmt| {
            if let Stmt::Store { index, .. } = stmt {
                *index = exprs.subst(*index, map);
            }
        });
    }
}

impl Loop {
    /// Calls `f` on every statement inside, to change it.
    fn for_each_mut(&mut self, f: &mut impl FnMut(&mut Stmt)) {
        for stmt in &mut self.body {
            f(stmt);
            if let Stmt::Loop(inner) = stmt {
                inner.for_each_mut(f);
            }
        }
    }
}

impl Uses {
    /// The latest call that a launch can be made with, and the place of its result among the launch's arguments.
    fn product_of(
        &self,
        plan: &SymbolicPlan,
        steps: &[Option<Step<Expr>>],
        at: usize,
        kernel: &Kernel,
        args: &[Buf],
    ) -> Option<(usize, usize)> {
        let fits = |(place, (param, data)): (usize, (Param, &crate::loop_ir::ParamData))| {
            let (&call, []) = self.writes[args[place]].split_first()? else { return None };
            let is_product = call < at
                && data.role == Role::In
                && steps[call].as_ref().is_some_and(|step| gives(step, args[place]))
                && self.is_temporary(plan, args[place], at)
                && self.is_ready(kernel, args, place, call, at)
                && is_elementwise(kernel, param);
            is_product.then_some((call, place))
        };
        kernel.arguments().enumerate().filter_map(fits).max()
    }

    /// True if a step is the only reader of a buffer, and may be spared it.
    fn is_temporary(&self, plan: &SymbolicPlan, buf: Buf, reader: usize) -> bool {
        let is_own = matches!(plan.bufs[buf].storage, Storage::Arena(_) | Storage::Result);
        is_own && self.reads[buf] == [reader] && !self.returned.contains(&buf)
    }

    /// True if what a launch reads beside a call's result is there when the call is made, and what it writes is not
    /// used before.
    fn is_ready(&self, kernel: &Kernel, args: &[Buf], product: usize, call: usize, at: usize) -> bool {
        kernel.arguments().zip(args).enumerate().all(|(place, ((_, param), buf))| match param.role {
            Role::In => place == product || self.writes[*buf].iter().all(|&write| write < call),
            Role::Out => {
                self.reads[*buf].iter().all(|&read| read > at) && self.writes[*buf].iter().all(|&write| write >= at)
            }
            Role::InOut | Role::Scratch => false,
        })
    }
}

/// True if a step is a product that gives this buffer and nothing else.
fn gives(step: &Step<Expr>, buf: Buf) -> bool {
    match step {
        Step::Call(call) => {
            call.kind == CallKind::Extern
                && call.target.op().is_some_and(|op| op.traits().product)
                && call.results == [CallResult::Tensor(buf)]
        }
        Step::Launch(_) | Step::Group(_) | Step::Fused(..) | Step::Free(_) | Step::Check(_) | Step::Write { .. } => {
            false
        }
    }
}
