//! The verifiers of roots and of schedules.
//!
//! Roots:
//! - Every tensor has a place, of its own rank, in a tensor that stands no later and is its own place.
//! - A root is its stored tensor, or a part of it where that is a concatenation; it is computed as its operation says,
//!   and walks each of its dimensions but those of size 1, once. Roots stand in dependency order.
//! - The roots of a tensor are those that write its buffer. What is required has roots (unless it has no elements), and
//!   so has each reduction and running sum in the expression of another root.
//!
//! Schedules, of roots that are right:
//! - Every root is in one kernel, every call is there once; calls that keep their order stand in that of the program.
//! - Each unit stands after what it reads, which is noted with it; in a kernel, each root after those that it reads.
//! - The loops of a kernel are as fine as those of each of its roots. What a root reads of another one of its kernel,
//!   the same iteration has computed.

use cranelift_entity::SecondaryMap;
use rustc_hash::FxHashSet;
use symshapes::{Expr, Pool};

use super::fuse::reads_own_points;
use super::{Group, Root, RootKind, Roots, Schedule, Unit};
use crate::calls::CallArg;
use crate::tensor_ir::{Arg, Call, CallId, Op, Output, Tensor, TensorGraph, numel};

/// The violated invariant, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VerifyError {
    /// A tensor whose place is none.
    #[error("{0} has no place in a tensor that is stored")]
    Place(Tensor),
    /// A root that is not computed as its operation says, or is no part of what it is stored in.
    #[error("the root of {0} is not computed as its operation says")]
    Kind(Tensor),
    /// A root that does not walk all of its dimensions once.
    #[error("the root of {0} does not walk each of its dimensions once")]
    Walk(Tensor),
    /// A root before one that it may depend on.
    #[error("the root of {0} stands after later ones")]
    RootOrder(Tensor),
    /// Roots of a tensor that are not those which write its buffer.
    #[error("the roots of {0} are not those that write it")]
    Writers(Tensor),
    /// A tensor that is needed in memory, and that nothing writes there.
    #[error("{0} is needed, but no root writes it")]
    Unstored(Tensor),
    /// An expression with something in it that needs loops of its own.
    #[error("the root of {root} computes {inner} on the way, which needs loops of its own")]
    Nested {
        /// The value of the root.
        root: Tensor,
        /// The tensor in its expression.
        inner: Tensor,
    },
    /// A root that is in no kernel or in several.
    #[error("the root of {0} is not in one kernel")]
    Root(Tensor),
    /// A call that is not there, or there several times.
    #[error("{0} is not there once")]
    Call(CallId),
    /// A call before one that the program has before it.
    #[error("{0} stands after a later one")]
    CallOrder(CallId),
    /// A unit whose noted reads are not those of its roots or of its call.
    #[error("unit {0} reads something else than is noted")]
    Reads(usize),
    /// A unit that reads what no unit before it has written.
    #[error("unit {unit} reads {tensor} before it is written")]
    Early {
        /// The unit.
        unit: usize,
        /// The tensor.
        tensor: Tensor,
    },
    /// A call that takes a value before the call which gives it.
    #[error("unit {unit} takes a value of {call} before it is there")]
    Object {
        /// The unit.
        unit: usize,
        /// The call that gives the value.
        call: CallId,
    },
    /// A kernel whose loops a root cannot run in.
    #[error("unit {unit}: the root of {root} does not run in its loops")]
    Loops {
        /// The unit.
        unit: usize,
        /// The value of the root.
        root: Tensor,
    },
    /// A root that reads of another one of its kernel what a different iteration computes.
    #[error("unit {unit}: the root of {root} reads what another iteration computes")]
    Iteration {
        /// The unit.
        unit: usize,
        /// The value of the root.
        root: Tensor,
    },
}

type Result<T = ()> = std::result::Result<T, VerifyError>;

/// Checks the invariants of a graph's roots.
///
/// # Errors
/// The first that does not hold.
pub fn verify_roots(graph: &TensorGraph, pool: &Pool, roots: &Roots) -> Result {
    let mut pool = pool.clone();
    graph.tensors.keys().try_for_each(|t| place(graph, roots, t))?;
    let mut latest = None;
    for (index, root) in roots.roots.iter().enumerate() {
        kind(graph, root)?;
        walk(graph, root)?;
        if latest.replace(root.stored) > Some(root.stored) {
            return Err(VerifyError::RootOrder(root.value));
        }
        if !roots.of[root.stored].contains(&index) {
            return Err(VerifyError::Writers(root.stored));
        }
    }
    for t in graph.tensors.keys() {
        let is_writer = |&root: &usize| roots.roots.get(root).is_some_and(|root| root.stored == t);
        if !roots.of[t].iter().all(is_writer) {
            return Err(VerifyError::Writers(t));
        }
        if roots.required[t] && roots.place(t).stored == t {
            stored(graph, &mut pool, roots, t)?;
        }
    }
    let returned =
        graph.outputs.iter().filter_map(|output| if let Output::Tensor(t) = output { Some(*t) } else { None });
    let mut needed: Vec<Tensor> = returned.chain(graph.writes.iter().map(|write| write.value)).collect();
    graph.calls.values().for_each(|call| call.for_each_tensor(&mut |&t| needed.push(t)));
    needed.into_iter().try_for_each(|t| stored(graph, &mut pool, roots, roots.place(t).stored))?;
    roots.roots.iter().try_for_each(|root| expression(graph, &mut pool, roots, root))
}

fn place(graph: &TensorGraph, roots: &Roots, t: Tensor) -> Result {
    let rank = graph.tensors[t].sizes.len();
    let is_right = roots.places[t].as_ref().is_some_and(|place| {
        let base = roots.places[place.stored].as_ref().map(|base| base.stored);
        place.stored <= t
            && base == Some(place.stored)
            && [&place.layout.sizes, &place.layout.strides].iter().all(|dims| dims.len() == rank)
    });
    if is_right { Ok(()) } else { Err(VerifyError::Place(t)) }
}

/// Checks that a root is computed as its operation says.
fn kind(graph: &TensorGraph, root: &Root) -> Result {
    let is_right = match (&graph.tensors[root.value].op, &root.kind) {
        (_, RootKind::Map) if root.value != root.stored => {
            matches!(&graph.tensors[root.stored].op, Op::Cat(parts, _) if parts.contains(&root.value))
        }
        _ if root.value != root.stored => false,
        (Op::Reduce(reduction, from, over), RootKind::Reduce { kind, source, dims }) => {
            (reduction, from, over) == (kind, source, dims)
        }
        (Op::Cumsum(from, along), RootKind::Scan { source, dim }) => (from, along) == (source, dim),
        (Op::Reduce(..) | Op::Cumsum(..), _) => false,
        (op, kind) => !op.is_leaf() && *kind == RootKind::Map,
    };
    if is_right { Ok(()) } else { Err(VerifyError::Kind(root.value)) }
}

/// Checks that a root walks each of its dimensions once, but those of size 1.
fn walk(graph: &TensorGraph, root: &Root) -> Result {
    let sizes = &graph.tensors[root.value].sizes;
    let mut walked = root.walk.clone();
    walked.sort_unstable();
    let wanted = (0..sizes.len()).filter(|&d| sizes[d] != Expr::ONE);
    let is_right = root.layout.sizes == sizes.as_slice() && wanted.eq(walked);
    if is_right { Ok(()) } else { Err(VerifyError::Walk(root.value)) }
}

/// Checks that a tensor is there, or that a root writes it.
fn stored(graph: &TensorGraph, pool: &mut Pool, roots: &Roots, t: Tensor) -> Result {
    let is_there = roots.is_stop(graph, t) || numel(pool, &graph.tensors[t].sizes) == Expr::ZERO;
    if is_there { Ok(()) } else { Err(VerifyError::Unstored(t)) }
}

/// Checks that the expression of a root can be computed in its own loops, down to where it ends.
fn expression(graph: &TensorGraph, pool: &mut Pool, roots: &Roots, root: &Root) -> Result {
    let mut seen = FxHashSet::default();
    let mut open = Vec::new();
    match root.value == root.stored {
        true => graph.tensors[root.value].op.for_each_operand(|x| open.push(x)),
        false => open.push(root.value),
    }
    while let Some(t) = open.pop() {
        if !seen.insert(t) || roots.is_stop(graph, t) || numel(pool, &graph.tensors[t].sizes) == Expr::ZERO {
            continue;
        }
        let op = &graph.tensors[t].op;
        if matches!(op, Op::Reduce(..) | Op::Cumsum(..)) {
            return Err(VerifyError::Nested { root: root.value, inner: t });
        }
        op.for_each_operand(|x| open.push(x));
    }
    Ok(())
}

/// Checks the invariants of a schedule, and those of its roots.
///
/// # Errors
/// The first that does not hold.
pub fn verify(graph: &TensorGraph, pool: &Pool, schedule: &Schedule) -> Result {
    verify_roots(graph, pool, &schedule.roots)?;
    let order = Order::new(graph, schedule)?;
    let mut pool = pool.clone();
    let mut last_ordered = None;
    for (unit, what) in schedule.units.iter().enumerate() {
        let reads = match what {
            Unit::Kernel(group) => order.kernel(&mut pool, unit, group)?,
            &Unit::Call(id) => {
                let call = &graph.calls[id];
                if call.ordered && last_ordered.replace(id) > Some(id) {
                    return Err(VerifyError::CallOrder(id));
                }
                order.call(unit, call)?
            }
        };
        if schedule.reads.get(unit) != Some(&reads) {
            return Err(VerifyError::Reads(unit));
        }
    }
    Ok(())
}

/// The unit of each root and of each call.
struct Order<'a> {
    graph: &'a TensorGraph,
    roots: &'a Roots,
    /// For each root, its unit and its number in it.
    of_root: Vec<(usize, usize)>,
    of_call: SecondaryMap<CallId, Option<usize>>,
}

impl<'a> Order<'a> {
    fn new(graph: &'a TensorGraph, schedule: &'a Schedule) -> Result<Order<'a>> {
        let roots = &schedule.roots;
        let mut of_root = vec![None; roots.roots.len()];
        let mut of_call: SecondaryMap<CallId, Option<usize>> = SecondaryMap::new();
        for (unit, what) in schedule.units.iter().enumerate() {
            match what {
                Unit::Kernel(group) => {
                    for (number, &root) in group.roots.iter().enumerate() {
                        if of_root[root].replace((unit, number)).is_some() {
                            return Err(VerifyError::Root(roots.roots[root].value));
                        }
                    }
                }
                &Unit::Call(call) if of_call[call].replace(unit).is_some() => return Err(VerifyError::Call(call)),
                Unit::Call(_) => {}
            }
        }
        if let Some(call) = graph.calls.keys().find(|&call| of_call[call].is_none()) {
            return Err(VerifyError::Call(call));
        }
        let at = |(place, root): (Option<(usize, usize)>, &Root)| place.ok_or(VerifyError::Root(root.value));
        let of_root = of_root.into_iter().zip(&roots.roots).map(at).collect::<Result<_>>()?;
        Ok(Order { graph, roots, of_root, of_call })
    }

    /// Checks that a tensor is in memory, or computed, before this root of a unit reads it; `number` is the root's.
    fn is_written(&self, tensor: Tensor, unit: usize, number: usize) -> Result {
        let early = || Err(VerifyError::Early { unit, tensor });
        if let Op::Result(call, _) = self.graph.tensors[tensor].op
            && self.of_call[call].is_none_or(|giver| giver >= unit)
        {
            return early();
        }
        let is_before = |&writer: &usize| self.of_root[writer] < (unit, number);
        if self.roots.of[tensor].iter().all(is_before) { Ok(()) } else { early() }
    }

    /// Checks a kernel; gives what it reads.
    fn kernel(&self, pool: &mut Pool, unit: usize, group: &Group) -> Result<FxHashSet<Tensor>> {
        let mut all = FxHashSet::default();
        for (number, &root) in group.roots.iter().enumerate() {
            let root = &self.roots.roots[root];
            let reads = self.roots.reads(self.graph, root);
            reads.iter().try_for_each(|&t| self.is_written(t, unit, number))?;
            all.extend(reads);
            let own = root.domain(self.graph);
            if group.domain.join(pool, &own).as_ref() != Some(&group.domain) {
                return Err(VerifyError::Loops { unit, root: root.value });
            }
            if !reads_own_points(self.graph, pool, self.roots, &group.roots, root, &group.domain) {
                return Err(VerifyError::Iteration { unit, root: root.value });
            }
        }
        Ok(all)
    }

    /// Checks a call; gives what it reads.
    fn call(&self, unit: usize, call: &Call) -> Result<FxHashSet<Tensor>> {
        let mut all = FxHashSet::default();
        call.for_each_tensor(&mut |&t| {
            all.insert(self.roots.place(t).stored);
        });
        all.iter().try_for_each(|&t| self.is_written(t, unit, 0))?;
        call.arguments().try_for_each(|arg| self.objects(unit, arg))?;
        Ok(all)
    }

    /// Checks that the values in an argument which are no tensors are there.
    fn objects(&self, unit: usize, arg: &Arg) -> Result {
        match arg {
            CallArg::Object(object) => {
                let call = self.graph.objects[*object];
                let is_there = self.of_call[call].is_some_and(|giver| giver < unit);
                if is_there { Ok(()) } else { Err(VerifyError::Object { unit, call }) }
            }
            CallArg::List(items) => items.iter().try_for_each(|item| self.objects(unit, item)),
            CallArg::Tensor(_) | CallArg::Plain(_) => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;
    use smallvec::SmallVec;

    use super::*;
    use crate::backend::Capabilities;
    use crate::decompose::decompose;
    use crate::schedule::{materialize, schedule};
    use crate::{Config, Options};

    const GRAPH: &str = "graph {
      %x : f32[8, 8]{8, 1} = placeholder[x]
      %w : f32[8, 8]{8, 1} = placeholder[w]
      %sum = call_function[aten.sum.dim_IntList](%x, [1], True)
      %div = call_function[aten.div.Tensor](%x, %sum)
      %mm = call_function[aten.mm.default](%div, %w)
      %exp = call_function[aten.exp.default](%mm)
      %t = call_function[aten.t.default](%exp)
      %add = call_function[aten.add.Tensor](%t, %x)
      %cat = call_function[aten.cat.default]([%exp, %add])
      %a = call_function[aten.bernoulli.p](%x, 0.5)
      %b = call_function[aten.bernoulli.p](%x, 0.5)
      %output = output((%exp, %cat, %add, %a, %b))
    }";

    fn scheduled() -> (TensorGraph, Pool, Schedule) {
        let mut graph = fx::text::parse(GRAPH).expect("it is a graph");
        fx::infer::fill(&mut graph).expect("every node has a rule");
        let config = Config::new(Options::default(), &Capabilities::default());
        let graph = decompose(&graph, &config).expect("it decomposes");
        let mut pool = graph.pool.clone();
        let roots = materialize(&graph, &mut pool).expect("no call sees memory");
        let schedule = schedule(&graph, &mut pool, roots);
        (graph, pool, schedule)
    }

    /// The error of a schedule that is changed.
    fn error_of(change: impl FnOnce(&mut TensorGraph, &mut Schedule)) -> String {
        let (mut graph, pool, mut schedule) = scheduled();
        change(&mut graph, &mut schedule);
        verify(&graph, &pool, &schedule).err().map_or("accepted".to_owned(), |error| error.to_string())
    }

    /// Takes a root out, wherever it is named among the roots.
    fn forget(roots: &mut Roots, index: usize) {
        roots.roots.remove(index);
        for of in roots.of.values_mut() {
            of.retain(|root| *root != index);
            of.iter_mut().filter(|root| **root > index).for_each(|root| *root -= 1);
        }
    }

    fn root(roots: &Roots, is_meant: impl Fn(&Root) -> bool) -> usize {
        roots.roots.iter().position(is_meant).expect("there is such a root")
    }

    fn is_reduction(root: &Root) -> bool {
        matches!(root.kind, RootKind::Reduce { .. })
    }

    #[test]
    fn a_right_schedule_is_accepted() {
        assert_eq!(error_of(|_, _| ()), "accepted");
    }

    #[test]
    fn wrong_roots_are_refused() {
        let errors = [
            error_of(|_, s| s.roots.places[Tensor::from_u32(1)] = None),
            error_of(|_, s| s.roots.places[Tensor::from_u32(1)] = s.roots.places[Tensor::from_u32(2)].clone()),
            error_of(|_, s| {
                let reduction = root(&s.roots, is_reduction);
                s.roots.roots[reduction].kind = RootKind::Map;
            }),
            error_of(|_, s| {
                let part = root(&s.roots, |root| root.value != root.stored);
                s.roots.roots[part].value = Tensor::from_u32(0);
            }),
            error_of(|_, s| s.roots.roots[0].walk.clear()),
            error_of(|_, s| s.roots.roots[1].walk[0] = s.roots.roots[1].walk[1]),
            error_of(|_, s| s.roots.roots.swap(0, 1)),
            error_of(|_, s| {
                s.roots.roots.swap(0, 1);
                let stored = [0, 1].map(|root| s.roots.roots[root].stored);
                stored.into_iter().enumerate().for_each(|(root, t)| s.roots.of[t] = [root].as_slice().into());
            }),
            error_of(|_, s| s.roots.of.values_mut().for_each(SmallVec::clear)),
            error_of(|_, s| s.roots.of[Tensor::from_u32(0)].push(0)),
            error_of(|_, s| {
                let reduction = root(&s.roots, is_reduction);
                forget(&mut s.roots, reduction);
            }),
            error_of(|graph, s| {
                let stored = root(&s.roots, |root| matches!(graph.tensors[root.value].op, Op::Map(..)));
                forget(&mut s.roots, stored);
            }),
        ];
        expect![[r#"
            t1 has no place in a tensor that is stored
            t1 has no place in a tensor that is stored
            the root of t2 is not computed as its operation says
            the root of t0 is not computed as its operation says
            the root of t2 does not walk each of its dimensions once
            the root of t5 does not walk each of its dimensions once
            the roots of t5 are not those that write it
            the root of t2 stands after later ones
            the roots of t2 are not those that write it
            the roots of t0 are not those that write it
            the root of t5 computes t2 on the way, which needs loops of its own
            t5 is needed, but no root writes it"#]]
        .assert_eq(&errors.join("\n"));
    }

    #[test]
    fn wrong_schedules_are_refused() {
        let call = |s: &Schedule| s.units.iter().position(|unit| matches!(unit, Unit::Call(_))).expect("a call");
        let errors = [
            error_of(|_, s| drop(s.units.remove(0))),
            error_of(|_, s| s.units.push(s.units[0].clone())),
            error_of(|_, s| drop(s.units.remove(call(s)))),
            error_of(|_, s| s.units.push(s.units[call(s)].clone())),
            error_of(|graph, s| {
                let is_ordered = |unit: &Unit| matches!(unit, Unit::Call(call) if graph.calls[*call].ordered);
                let drawn: Vec<usize> = (0..s.units.len()).filter(|&unit| is_ordered(&s.units[unit])).collect();
                s.units.swap(drawn[0], drawn[1]);
            }),
            error_of(|graph, s| {
                let (first, later) = (call(s), graph.calls.keys().next_back().expect("a call"));
                let Unit::Call(first) = s.units[first] else { return };
                let object = graph.objects.push(later);
                graph.calls[first].args.push(CallArg::Object(object));
            }),
            error_of(|_, s| s.reads[0].clear()),
            error_of(|_, s| {
                let call = call(s);
                let unit = s.units.remove(call);
                s.units.insert(0, unit);
            }),
            error_of(|_, s| {
                let Unit::Kernel(group) = &mut s.units[0] else { return };
                group.roots.reverse();
            }),
            error_of(|_, s| {
                let Unit::Kernel(group) = &mut s.units[0] else { return };
                group.domain.outer.push(Expr::ONE);
            }),
            // Sums over rows and what follows from them, in one kernel with what reads a transposed tensor.
            error_of(|_, s| {
                let kernels = (0..s.units.len()).filter(|&unit| matches!(s.units[unit], Unit::Kernel(_)));
                let last: Vec<usize> = kernels.collect();
                let [.., first, second] = last[..] else { return };
                let Unit::Kernel(other) = s.units.remove(second) else { return };
                let Unit::Kernel(group) = &mut s.units[first] else { return };
                group.roots.extend(other.roots);
                let reads = s.reads.remove(second);
                s.reads[first].extend(reads);
            }),
        ];
        expect![[r#"
            the root of t2 is not in one kernel
            the root of t2 is not in one kernel
            c0 is not there once
            c0 is not there once
            c1 stands after a later one
            unit 1 takes a value of c2 before it is there
            unit 0 reads something else than is noted
            unit 0 reads t5 before it is written
            unit 0 reads t2 before it is written
            unit 0: the root of t2 does not run in its loops
            unit 2: the root of t9 reads what another iteration computes"#]]
        .assert_eq(&errors.join("\n"));
    }
}
