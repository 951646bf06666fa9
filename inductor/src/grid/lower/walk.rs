//! Statements: as one thread runs them, and as the threads of a group share them.
//!
//! Statements of a group are run by all its threads: values are computed by each (they come out alike), independent
//! loops are shared, stores are one thread's. A barrier stands before a statement that meets what others have done to
//! memory since the last one.

use super::{Lower, Reason, StorageClass, params_of};
use crate::grid::Val;
use crate::loop_ir::{Loop, Param, Stmt, StoreMode, Value};
use symshapes::Expr;

type Result = std::result::Result<(), Reason>;

impl<'a> Lower<'a> {
    /// Statements as one thread runs them.
    pub(super) fn thread_stmts(&mut self, stmts: &'a [Stmt]) -> Result {
        stmts.iter().try_for_each(|stmt| match stmt {
            Stmt::Let(value) if self.is_online_term(*value) => Ok(()),
            Stmt::Let(value) => self.let_(*value),
            Stmt::Loop(l) => self.serial(l),
            Stmt::Store { param, index, value, mask, mode } => self.store_stmt(*param, *index, *value, *mask, *mode),
            Stmt::Accumulate { acc, .. } if self.online.is_some() && self.add_online(*acc)? => Ok(()),
            Stmt::Accumulate { acc, value, position } => {
                let position = position.map(|e| self.exact(e)).transpose()?;
                let value = self.value(*value)?;
                self.add_to(*acc, value, position)
            }
        })
    }

    /// A loop that a thread runs alone.
    fn serial(&mut self, l: &'a Loop) -> Result {
        self.open_accs(&l.accs)?;
        self.counted(l, |this| this.thread_stmts(&l.body))?;
        self.close_accs(&l.accs)
    }

    /// A loop over the axis around what `f` builds.
    fn counted(&mut self, l: &'a Loop, f: impl FnOnce(&mut Self) -> Result) -> Result {
        let sym = self.kernel.axes[l.axis].sym;
        let end = self.exact(self.extent(l))?;
        let (zero, one) = (self.b.i32(0), self.b.i32(1));
        self.for_([zero, end, one], |this, counter| {
            this.syms.insert(sym, counter);
            let done = f(this);
            this.syms.remove(&sym);
            done
        })
    }

    fn store_stmt(&mut self, param: Param, e: Expr, value: Value, mask: Option<Value>, mode: StoreMode) -> Result {
        let mask = match mask {
            Some(mask) => self.value(mask)?,
            None => self.b.bool(true),
        };
        let (element, range) = (self.value(value)?, self.ranges[value]);
        self.if_(mask, |this| {
            let at = (this.element(param, e)?, e);
            match mode {
                StoreMode::Set => this.store(param, at, element, range),
                StoreMode::Add => this.add_in_memory(param, at, element, range),
            }
        })
    }

    /// Statements as the threads of a group share them.
    pub(super) fn group_stmts(&mut self, stmts: &'a [Stmt]) -> Result {
        let mut done = None;
        stmts.iter().enumerate().try_for_each(|(at, stmt)| {
            let one = std::slice::from_ref(stmt);
            match stmt {
                Stmt::Loop(_) if done == Some(at) => Ok(()),
                Stmt::Loop(l) if self.keeps_row_of(l) => self.row_loop(l),
                Stmt::Loop(l) => match self.online_at(stmts, at) {
                    Some((next, online)) => {
                        done = Some(next);
                        let Stmt::Loop(second) = &stmts[next] else { return Err("no loop".to_owned()) };
                        self.online_loop(online, second)
                    }
                    None => self.group_loop(l),
                },
                Stmt::Let(_) => {
                    self.meet(one);
                    self.thread_stmts(one)
                }
                Stmt::Store { .. } | Stmt::Accumulate { .. } => {
                    self.meet(one);
                    self.first_thread(|this| this.thread_stmts(one))
                }
            }
        })
    }

    fn group_loop(&mut self, l: &'a Loop) -> Result {
        if self.is_independent(l) {
            self.open_accs(&l.accs)?;
            self.meet(&l.body);
            let (items, _) = self.items(l);
            let (thread, threads) = (self.thread(), self.b.i32(self.threads.into()));
            self.elements(&items, thread, threads, None)?;
            return self.close_accs_of_group(&l.accs);
        }
        self.open_accs(&l.accs)?;
        if self.has_shareable(&l.body) {
            self.barrier();
            self.counted(l, |this| {
                this.group_stmts(&l.body)?;
                this.barrier();
                Ok(())
            })?;
        } else {
            self.meet(&l.body);
            self.first_thread(|this| this.counted(l, |this| this.thread_stmts(&l.body)))?;
        }
        self.close_accs_of_group(&l.accs)
    }

    /// Has only the group's first thread run what `f` builds.
    fn first_thread(&mut self, f: impl FnOnce(&mut Self) -> Result) -> Result {
        let is_first: Val = self.b.eq(self.thread(), self.b.i32(0));
        self.if_(is_first, f)
    }

    /// Waits, if what follows meets what some thread has done since the last barrier; and notes what it does.
    pub(super) fn meet(&mut self, stmts: &[Stmt]) {
        let (mut loads, mut stores) = params_of(self.kernel, stmts);
        for (param, place) in self.places.iter() {
            if let Some(StorageClass::Registers(..)) = place {
                loads.remove(param);
                stores.remove(param);
            }
        }
        let reads_stored = loads.keys().any(|param| self.stored.contains(param));
        let writes_known = stores.keys().any(|param| self.stored.contains(param) || self.loaded.contains(param));
        if reads_stored || writes_known {
            self.barrier();
        }
        loads.keys().for_each(|param| {
            self.loaded.insert(param);
        });
        stores.keys().for_each(|param| {
            self.stored.insert(param);
        });
    }
}
