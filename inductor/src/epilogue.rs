//! Pointwise kernels that are computed with the matrix product or convolution whose result they read.
//!
//! A call that a library makes leaves its result in memory, only for the next kernel to read it, add a bias, apply an
//! activation and write it again. Where a backend writes the product itself ([`Capabilities::epilogues`]) it can do that
//! on the way: [`fuse`] makes one [`Step::Fused`] of the call and the launch.
//!
//! Invariants:
//! - the kernel is [elementwise](is_elementwise) in the result: what it stores at a place depends, of the result, on the
//!   element at the same place alone, and it visits each place once, in order;
//! - nothing else reads the result, so that it need never be in memory (its buffer is there for whoever makes the call and
//!   the launch one after the other);
//! - the launch moves up to the call: whatever else it reads was written before.
//!
//! [`Capabilities::epilogues`]: crate::backend::Capabilities::epilogues

use symshapes::Expr;

use crate::loop_ir::{Kernel, Op, Param, Role, Stmt, StoreMode};
use crate::plan::uses::Uses;
use crate::plan::{Buf, CallKind, CallResult, Epilogue, Launch, Step, Storage, SymbolicPlan};

/// The operators whose results a kernel may be computed with.
const PRODUCTS: [&str; 9] = [
    "aten.mm.default",
    "aten.bmm.default",
    "aten.addmm.default",
    "aten.baddbmm.default",
    "aten.matmul.default",
    "aten.linear.default",
    "aten.conv1d.default",
    "aten.conv2d.default",
    "aten.convolution.default",
];

/// Fuses what can be.
pub fn fuse(plan: &mut SymbolicPlan) {
    let mut uses = Uses::of(plan);
    let mut steps: Vec<Option<Step<Expr>>> = std::mem::take(&mut plan.steps).into_iter().map(Some).collect();
    for at in 0..steps.len() {
        let Some(Step::Launch(Launch { kernel, args, sizes })) = &steps[at] else { continue };
        let Some((call, product)) = uses.product_of(plan, &steps, at, &plan.kernels[*kernel], args) else { continue };
        let epilogue = Epilogue { kernel: *kernel, args: args.clone(), sizes: sizes.clone(), product };
        if let Some(Step::Call(own)) = steps[call].take() {
            uses.moved(&plan.kernels[epilogue.kernel], &epilogue.args, at, call);
            steps[call] = Some(Step::Fused(own, epilogue));
            steps[at] = None;
        }
    }
    plan.steps = steps.into_iter().flatten().collect();
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

    /// True if what a launch reads beside a call's result is there when the call is made, and what it writes is not used
    /// before.
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
                && PRODUCTS.contains(&&*call.target)
                && call.results == [CallResult::Tensor(buf)]
        }
        Step::Launch(_) | Step::Together(_) | Step::Fused(..) | Step::Free(_) | Step::Check(_) | Step::Write { .. } => {
            false
        }
    }
}

/// True if a kernel's loops nest perfectly, run through all elements of a param in the order of memory, and load and store
/// (of this param, and of what they write) the element that they are at.
pub fn is_elementwise(kernel: &Kernel, product: Param) -> bool {
    let mut pool = kernel.exprs.clone();
    let (mut number, mut count) = (Expr::ZERO, Expr::ONE);
    let mut l = &kernel.root;
    loop {
        let axis = &kernel.axes[l.axis];
        let (row, at) = (pool.mul(number, axis.extent), pool.sym(axis.sym));
        // The only place of a loop of one iteration is 0.
        number = if axis.extent == Expr::ONE { number } else { pool.add(row, at) };
        count = pool.mul(count, axis.extent);
        if !l.accs.is_empty() {
            return false;
        }
        let mut inner = l.body.iter().filter_map(|stmt| if let Stmt::Loop(inner) = stmt { Some(inner) } else { None });
        match (inner.next(), inner.next()) {
            (None, _) => break,
            (Some(next), None) if matches!(l.body.last(), Some(Stmt::Loop(_))) => l = next,
            _ => return false,
        }
    }
    let mut holds = count == kernel.params[product].len;
    kernel.walk(&mut |stmt| holds &= is_local(kernel, product, number, stmt));
    holds
}

/// True if a statement touches the product and what is written at this place alone.
fn is_local(kernel: &Kernel, product: Param, place: Expr, stmt: &Stmt) -> bool {
    match stmt {
        Stmt::Loop(_) => true,
        Stmt::Accumulate { .. } => false,
        Stmt::Store { param, index, mask, mode, .. } => {
            let is_out = kernel.params[*param].role == Role::Out;
            is_out && *index == place && mask.is_none() && *mode == StoreMode::Set
        }
        Stmt::Let(value) => match &kernel.values[*value].op {
            Op::Load { param, index, mask } if *param == product => *index == place && mask.is_none(),
            Op::Load { param, .. } => kernel.params[*param].role == Role::In,
            Op::Bind(..) | Op::Reduced(_) => false,
            Op::Const(_) | Op::Index(_) | Op::Map(..) | Op::Convert(_) | Op::Bitcast(_) => true,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::is_elementwise;
    use crate::loop_ir::Kernel;

    fn takes(text: &str) -> bool {
        let kernel = text.parse::<Kernel>().expect("it parses");
        let (product, _) = kernel.params.iter().next().expect("it has a param");
        is_elementwise(&kernel, product)
    }

    #[test]
    fn what_runs_through_the_product_in_order_is_elementwise() {
        assert!(takes(include_str!("../tests/golden/grid/pointwise.loop")), "with rows of a bias");
        assert!(takes(include_str!("../tests/golden/grid/broadcast.loop")), "in one loop");
        assert!(!takes(include_str!("../tests/golden/grid/transpose.loop")), "it stores elsewhere");
        assert!(!takes(include_str!("../tests/golden/grid/softmax.loop")), "it reduces");
    }
}
