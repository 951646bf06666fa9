//! Online softmax: the greatest element of a row, and the sum of exponentials less it, by one pass over the row.
//!
//! A thread keeps the greatest element `m` so far and the sum `s` of `exp(x - m)`. An element `x` above `m` scales the
//! sum by `exp(m - x)`. `m` starts at the least finite number, so that elements of −∞ add nothing to the sum: a sum of
//! 0 tells that there were no others. Where the row's own maximum is infinite or NaN, the sum is NaN, as by two passes.

use super::{Lower, Reason, Running, params_of};
use crate::grid::{Unary, Val};
use crate::loop_ir::{Acc, Loop, Op, Stmt, Value};
use fx::prim::{Pointwise, Reduction};
use rustc_hash::FxHashMap;
use symshapes::{DType, Expr, Sym};

type Result<T = ()> = std::result::Result<T, Reason>;

/// Two loops that are done as one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Online {
    /// The accumulator of the first loop.
    max: Acc,
    /// The accumulator of the second one.
    sum: Acc,
    /// The element, in the second loop.
    x: Value,
    /// `x - max` and its exponential.
    terms: [Value; 2],
}

impl<'a> Lower<'a> {
    /// The loop at or behind a place that sums exponentials less the maximum that the loop at the place finds, if both
    /// can be done as one: the place of that loop.
    pub(super) fn online_at(&mut self, stmts: &'a [Stmt], at: usize) -> Option<(usize, Online)> {
        let Stmt::Loop(first) = &stmts[at] else { return None };
        if !self.caps.sees_nan {
            return None;
        }
        let (max, greatest) = self.only_accumulation(first, Reduction::Max)?;
        let next = at + 1 + stmts[at + 1..].iter().position(|stmt| matches!(stmt, Stmt::Loop(_)))?;
        let Stmt::Loop(second) = &stmts[next] else { return None };
        let (sum, exponential) = self.only_accumulation(second, Reduction::Sum)?;
        let values = &self.kernel.values;
        let (&Op::Map(Pointwise::Exp, ref args), DType::F32) = (&values[exponential].op, values[exponential].dtype)
        else {
            return None;
        };
        let less = args[0];
        let Op::Map(Pointwise::Sub, args) = &values[less].op else { return None };
        let (x, subtrahend) = (args[0], args[1]);
        if !matches!(values[subtrahend].op, Op::Reduced(acc) if acc == max) {
            return None;
        }
        let ((one, _), (two, _)) = (self.items(first), self.items(second));
        let syms = self.renaming(&two, &one)?;
        let is_same = self.is_same_value(greatest, x, &syms);
        let between = &stmts[at + 1..next];
        (is_same && self.stands_alone(second, between, [less, exponential]))
            .then_some((next, Online { max, sum, x, terms: [less, exponential] }))
    }

    /// The accumulator of a loop that does nothing but one reduction of floats by independent iterations, and what is
    /// accumulated.
    fn only_accumulation(&mut self, l: &'a Loop, kind: Reduction) -> Option<(Acc, Value)> {
        let [acc] = l.accs[..] else { return None };
        let data = &self.kernel.accs[acc];
        if data.kind != kind || data.dtype != DType::F32 || !self.is_independent(l) {
            return None;
        }
        let (items, _) = self.items(l);
        let (last, values) = items.leaf.split_last()?;
        let Stmt::Accumulate { acc: this, value, position: None } = *last else { return None };
        let is_plain = values.iter().all(|stmt| matches!(stmt, Stmt::Let(_)));
        let is_flat = items.chain.iter().all(|link| link.before.is_empty());
        (this == acc && is_plain && is_flat).then_some((acc, value))
    }

    /// True if a value of one loop is that of another one, whose variables are `syms` in terms of the first one's.
    fn is_same_value(&mut self, one: Value, two: Value, syms: &FxHashMap<Sym, Expr>) -> bool {
        let (a, b) = (&self.kernel.values[one], &self.kernel.values[two]);
        if one == two {
            return true;
        }
        if a.dtype != b.dtype {
            return false;
        }
        match (&a.op, &b.op) {
            (Op::Const(a), Op::Const(b)) => a == b,
            (Op::Load { param: a, index: i, mask: None }, Op::Load { param: b, index: j, mask: None }) => {
                a == b && self.pool.subst(*j, syms) == *i
            }
            (Op::Index(i), Op::Index(j)) => self.pool.subst(*j, syms) == *i,
            (Op::Convert(a), Op::Convert(b)) => self.is_same_value(*a, *b, syms),
            (Op::Map(a, args), Op::Map(b, others)) => {
                a == b && args.iter().zip(others).all(|(&one, &two)| self.is_same_value(one, two, syms))
            }
            _ => false,
        }
    }

    /// True if a loop can be run before the statements between it and the one before: but for its `terms`, which
    /// nothing else uses, it needs none of them.
    fn stands_alone(&mut self, l: &'a Loop, between: &[Stmt], terms: [Value; 2]) -> bool {
        let kernel = self.kernel;
        let (items, _) = self.items(l);
        let is_given_between = |value: Value| between.iter().any(|stmt| matches!(stmt, Stmt::Let(v) if *v == value));
        let mut uses = [0; 2];
        for stmt in items.leaf {
            let Stmt::Let(value) = stmt else { continue };
            let mut fits = true;
            let mut visit = |operand: Value| {
                fits &= !is_given_between(operand) || *value == terms[0];
                terms.iter().zip(&mut uses).for_each(|(&term, uses)| *uses += usize::from(term == operand));
            };
            match &kernel.values[*value].op {
                Op::Map(_, args) => args.iter().for_each(|&arg| visit(arg)),
                Op::Convert(x) | Op::Bitcast(x) | Op::Bind(_, x) => visit(*x),
                Op::Load { mask, .. } => mask.iter().for_each(|&mask| visit(mask)),
                Op::Const(_) | Op::Index(_) => {}
                Op::Reduced(_) => return false,
            }
            if !fits {
                return false;
            }
        }
        let (loads, _) = params_of(kernel, &l.body);
        let may_wait = |stmt: &Stmt| match stmt {
            Stmt::Let(_) => true,
            Stmt::Store { param, .. } => !loads.contains(*param),
            Stmt::Loop(_) | Stmt::Accumulate { .. } => false,
        };
        // The difference is used by the exponential alone, and that by the sum.
        uses == [1, 0] && between.iter().all(may_wait)
    }

    /// Both loops as one, shared by the threads of a group: the second one's iterations.
    pub(super) fn online_loop(&mut self, online: Online, second: &'a Loop) -> Result {
        let least = self.b.number(crate::grid::Ty::F32, f64::from(f32::MIN));
        self.running[online.max] = Some(Running { value: self.b.var_with(least), position: None });
        self.open_accs(&second.accs)?;
        self.meet(&second.body);
        let (items, _) = self.items(second);
        let (thread, threads) = (self.thread(), self.b.i32(self.threads.into()));
        self.online = Some(online);
        let done = self.elements(&items, thread, threads, None);
        self.online = None;
        done?;
        let (Some(max), Some(sum)) = (self.running[online.max], self.running[online.sum]) else {
            return Err("an online softmax without accumulators".to_owned());
        };
        let (mine, part) = (self.b.get(max.value), self.b.get(sum.value));
        let is_empty = self.b.eq(part, self.b.like(part, 0.0));
        let mine = self.b.select(is_empty, self.b.like(mine, f64::NEG_INFINITY), mine);
        self.b.set(max.value, mine);
        let (all, _) = self.across_group(online.max)?;
        self.reduced[online.max] = Some(all);
        let scale = self.exponential(self.b.sub(mine, all))?;
        self.b.set(sum.value, self.b.mul(part, scale));
        self.close_accs_of_group(&second.accs)
    }

    /// True for a value that the loop at hand does not compute as it stands.
    pub(super) fn is_online_term(&self, value: Value) -> bool {
        self.online.is_some_and(|online| online.terms.contains(&value))
    }

    /// Adds an element to the sum of an online softmax; false if the accumulator is none of one.
    pub(super) fn add_online(&mut self, acc: Acc) -> Result<bool> {
        let Some(online) = self.online.filter(|online| online.sum == acc) else { return Ok(false) };
        let (Some(max), Some(sum)) = (self.running[online.max], self.running[online.sum]) else {
            return Err("an online softmax without accumulators".to_owned());
        };
        let x = self.value(online.x)?;
        let (m, s) = (self.b.get(max.value), self.b.get(sum.value));
        let distance = self.b.unary(Unary::Abs, self.b.sub(x, m));
        let term = self.exponential(self.b.unary(Unary::Neg, distance))?;
        let is_above = self.b.gt(x, m);
        let scaled = self.b.fma(s, term, self.b.like(s, 1.0));
        let sum_here = self.b.select(is_above, scaled, self.b.add(s, term));
        let greatest = self.maximum(m, x);
        self.b.set(max.value, greatest);
        self.b.set(sum.value, sum_here);
        Ok(true)
    }

    fn exponential(&self, x: Val) -> Result<Val> {
        self.function(Pointwise::Exp, &[x])
    }
}
