//! Memory accesses of a kernel: the queries that passes make before they let buffers share memory.

use super::{Kernel, Op, Param, Role, Stmt, StoreMode};
use symshapes::Expr;

/// True if no load of one param follows a store to the other.
pub(crate) fn reads_first(kernel: &Kernel, read: Param, written: Param) -> bool {
    let (mut stored, mut holds) = (false, true);
    kernel.walk(&mut |stmt| match stmt {
        Stmt::Store { param, .. } => stored |= *param == written,
        Stmt::Let(value) => {
            let loads = matches!(kernel.values[*value].op, Op::Load { param, .. } if param == read);
            holds &= !(loads && stored);
        }
        Stmt::Loop(_) | Stmt::Accumulate { .. } => {}
    });
    holds
}

/// True if a kernel's loops nest perfectly, run through all elements of a param in the order of memory, and load and
/// store (of this param, and of what they write) the element that they are at.
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
    use super::{Kernel, is_elementwise};

    fn takes(text: &str) -> bool {
        let kernel = text.parse::<Kernel>().expect("it parses");
        let (product, _) = kernel.params.iter().next().expect("it has a param");
        is_elementwise(&kernel, product)
    }

    #[test]
    fn what_runs_through_the_product_in_order_is_elementwise() {
        assert!(takes(include_str!("../../tests/golden/grid/pointwise.loop")), "with rows of a bias");
        assert!(takes(include_str!("../../tests/golden/grid/broadcast.loop")), "in one loop");
        assert!(!takes(include_str!("../../tests/golden/grid/transpose.loop")), "it stores elsewhere");
        assert!(!takes(include_str!("../../tests/golden/grid/softmax.loop")), "it reduces");
    }
}
