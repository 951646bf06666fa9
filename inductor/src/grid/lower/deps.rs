//! Whether the iterations of a loop may run at the same time, in any order.
//!
//! They may if what one stores no other one stores or loads. That is known where
//! - every iteration stores the same constant at the same place (a flag) and none loads it; or
//! - the element is added to atomically, and none loads the buffer; or
//! - the index gives each iteration an element of its own: it is linear in the variables of the loop and of those
//!   inside, with strides so far apart that no two combinations meet; loads of the buffer are of the same element.
//!
//! The analysis is conservative: a condition that is not known to hold counts as false. Enclosing loops are not looked
//! at: their variables are constants here.

use super::Lower;
use crate::heuristics;
use crate::loop_ir::{Axis, Loop, Op, Param, Role, Stmt, StoreMode, Value};
use rustc_hash::FxHashSet;
use symshapes::{DType, Expr, Sym};

/// A store inside a loop.
struct StoreAt {
    param: Param,
    index: Expr,
    value: Value,
    mode: StoreMode,
    /// The loops around it, from the one that is asked about.
    path: Vec<Axis>,
}

/// The memory accesses of a loop.
#[derive(Default)]
struct Accesses {
    stores: Vec<StoreAt>,
    loads: Vec<(Param, Expr)>,
    /// Symbols that iterations bind.
    bound: FxHashSet<Sym>,
}

impl Lower<'_> {
    /// True if the iterations of a loop are known to be independent.
    pub(super) fn is_independent(&mut self, l: &Loop) -> bool {
        let mut found = Accesses::default();
        self.collect(l, &mut Vec::new(), &mut found);
        let stores = std::mem::take(&mut found.stores);
        stores.iter().enumerate().all(|(i, store)| {
            let mut others = stores[..i].iter().filter(|other| other.param == store.param);
            let same_element = others.all(|other| other.index == store.index && other.path == store.path);
            self.is_own(store, &found) && (same_element || self.is_flag(store, &found))
        })
    }

    fn collect(&self, l: &Loop, path: &mut Vec<Axis>, found: &mut Accesses) {
        path.push(l.axis);
        for stmt in &l.body {
            match stmt {
                Stmt::Let(value) => match self.kernel.values[*value].op {
                    Op::Load { param, index, .. } => found.loads.push((param, index)),
                    Op::Bind(sym, _) => {
                        found.bound.insert(sym);
                    }
                    _ => {}
                },
                Stmt::Store { param, index, value, mode, .. } => {
                    let (param, index, value, mode) = (*param, *index, *value, *mode);
                    found.stores.push(StoreAt { param, index, value, mode, path: path.clone() });
                }
                Stmt::Loop(inner) => self.collect(inner, path, found),
                Stmt::Accumulate { .. } => {}
            }
        }
        path.pop();
    }

    /// True if no other iteration accesses what the store writes, or it makes no difference.
    fn is_own(&mut self, store: &StoreAt, found: &Accesses) -> bool {
        let mut loads = found.loads.iter().filter(|(param, _)| *param == store.param);
        if store.mode == StoreMode::Add {
            return self.adds_atomically(store.param) && loads.next().is_none();
        }
        if self.is_flag(store, found) {
            return true;
        }
        let same_element = loads.all(|&(_, index)| index == store.index);
        same_element && self.is_injective(store.index, &store.path, &found.bound)
    }

    /// True if every iteration stores one constant at one place, and none loads it.
    fn is_flag(&self, store: &StoreAt, found: &Accesses) -> bool {
        let varies =
            |sym: &Sym| found.bound.contains(sym) || store.path.iter().any(|&axis| self.kernel.axes[axis].sym == *sym);
        store.mode == StoreMode::Set
            && matches!(self.kernel.values[store.value].op, Op::Const(_))
            && !self.pool.symbols(store.index).iter().any(varies)
            && found.loads.iter().all(|(param, _)| *param != store.param)
    }

    /// True if elements of the param can be added to by atomic instructions.
    pub(super) fn adds_atomically(&self, param: Param) -> bool {
        let data = &self.kernel.params[param];
        data.role != Role::Scratch && matches!(data.dtype, DType::F32 | DType::I32)
    }

    /// True if different values of the axes give different indices.
    fn is_injective(&mut self, index: Expr, axes: &[Axis], bound: &FxHashSet<Sym>) -> bool {
        if axes.len() > heuristics::grid_most_axes() {
            return false;
        }
        let (mut rest, mut terms) = (index, Vec::new());
        for &axis in axes {
            let data = self.kernel.axes[axis].clone();
            let Some((stride, without)) = self.pool.split_term(rest, data.sym) else { return false };
            let stride = if self.pool.range(stride).hi < 0 { self.pool.neg(stride) } else { stride };
            terms.push((stride, data.extent));
            rest = without;
        }
        let syms: Vec<Sym> = axes.iter().map(|&axis| self.kernel.axes[axis].sym).collect();
        let is_fixed =
            |this: &Self, e: Expr| this.pool.symbols(e).iter().all(|sym| !syms.contains(sym) && !bound.contains(sym));
        is_fixed(self, rest)
            && terms.iter().all(|&(stride, _)| is_fixed(self, stride))
            && self.strides_are_apart(Expr::ONE, &mut terms)
    }

    /// True if, in some order, each stride is at least what all smaller ones span together.
    fn strides_are_apart(&mut self, span: Expr, terms: &mut Vec<(Expr, Expr)>) -> bool {
        if terms.is_empty() {
            return true;
        }
        for i in 0..terms.len() {
            let (stride, extent) = terms.swap_remove(i);
            let single = extent == Expr::ONE;
            if single || self.pool.proves_le(span, stride) {
                let last = self.pool.add_int(extent, -1);
                let reach = self.pool.mul(stride, last);
                let span = if single { span } else { self.pool.add(span, reach) };
                if self.strides_are_apart(span, terms) {
                    return true;
                }
            }
            terms.push((stride, extent));
            let end = terms.len() - 1;
            terms.swap(i, end);
        }
        false
    }

    /// True if any iteration of a loop further in may compute the statement anew: a value that no store changes.
    pub(super) fn may_repeat(&self, stmt: &Stmt) -> bool {
        let Stmt::Let(value) = stmt else { return false };
        match self.kernel.values[*value].op {
            Op::Load { param, .. } => self.kernel.params[param].role == Role::In,
            Op::Reduced(_) => false,
            _ => true,
        }
    }
}
