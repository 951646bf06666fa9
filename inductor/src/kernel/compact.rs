//! A kernel leaves the pool that it was written in: it takes along the expressions that it uses, and no others.

use std::mem;

use rustc_hash::{FxHashMap, FxHashSet};
use symshapes::{Expr, Pool, Sym};

use crate::loop_ir::{Kernel, Loop, Op, Stmt};

/// Gives a kernel whose expressions belong to `pool` a pool of its own, and lists the symbols of sizes among them: the
/// kernel's sizes, in order.
pub(super) fn compact(mut kernel: Kernel, pool: &mut Pool) -> (Kernel, Vec<Sym>) {
    let sizes = sizes(&mut kernel, pool);
    let mut into = mem::take(&mut kernel.exprs);
    let mut map = FxHashMap::default();
    let mut moved = |e: Expr| into.import(pool, e, &mut map);
    kernel.for_each_expr(&mut |e| *e = moved(*e));
    let mut own = |sym: Sym| {
        let e = pool.sym(sym);
        let e = into.import(pool, e, &mut map);
        into.as_sym(e).expect("a symbol stays one")
    };
    kernel.sizes = sizes.iter().map(|&sym| own(sym)).collect();
    kernel.axes.values_mut().for_each(|axis| axis.sym = own(axis.sym));
    for value in kernel.values.values_mut() {
        if let Op::Bind(sym, _) = &mut value.op {
            *sym = own(*sym);
        }
    }
    kernel.exprs = into;
    (kernel, sizes)
}

/// The symbols that are neither axes nor bound to values, in the order of their making.
fn sizes(kernel: &mut Kernel, pool: &Pool) -> Vec<Sym> {
    let mut inner: FxHashSet<Sym> = kernel.axes.values().map(|axis| axis.sym).collect();
    inner.extend(kernel.values.values().filter_map(|v| if let Op::Bind(sym, _) = v.op { Some(sym) } else { None }));
    let mut sizes = Vec::new();
    kernel.for_each_expr(&mut |e| sizes.extend(pool.symbols(*e).into_iter().filter(|sym| !inner.contains(sym))));
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}

impl Kernel {
    /// Calls `f` on every expression.
    fn for_each_expr(&mut self, f: &mut impl FnMut(&mut Expr)) {
        self.params.values_mut().for_each(|param| f(&mut param.len));
        self.axes.values_mut().for_each(|axis| f(&mut axis.extent));
        for value in self.values.values_mut() {
            if let Op::Index(e) | Op::Load { index: e, .. } = &mut value.op {
                f(e);
            }
        }
        self.root.for_each_expr(f);
    }
}

impl Loop {
    fn for_each_expr(&mut self, f: &mut impl FnMut(&mut Expr)) {
        for stmt in &mut self.body {
            match stmt {
                Stmt::Let(_) => {}
                Stmt::Loop(inner) => inner.for_each_expr(f),
                Stmt::Store { index, .. } => f(index),
                Stmt::Accumulate { position, .. } => position.iter_mut().for_each(&mut *f),
            }
        }
    }
}
