//! Grouping: which roots share a kernel.

use crate::heuristics;
use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};
use symshapes::{Expr, Pool};

use super::loop_vars::{LoopVars, Reads};
use super::{IterationDomain, Root, RootKind, Roots, Span};
use crate::tensor_ir::{CallId, Op, Tensor, TensorGraph};

/// Roots that one kernel computes.
#[derive(Clone, Debug)]
pub struct Group {
    /// Indices of roots, in dependency order.
    pub roots: Vec<usize>,
    /// The loops that they share.
    pub domain: IterationDomain,
}

/// One thing that happens.
#[derive(Clone, Debug)]
pub enum Unit {
    /// A kernel.
    Kernel(Group),
    /// A call.
    Call(CallId),
}

/// Everything that happens, in order.
#[derive(Clone, Debug)]
pub struct Schedule {
    /// The roots and places.
    pub roots: Roots,
    /// Kernels and calls, each after what it needs.
    pub units: Vec<Unit>,
    /// For each unit, the stored tensors that it reads.
    pub reads: Vec<FxHashSet<Tensor>>,
}

/// Groups the roots of a graph and puts kernels and calls in order.
pub fn schedule(graph: &TensorGraph, pool: &mut Pool, roots: Roots) -> Schedule {
    let mut fuser = Fuser {
        graph,
        pool,
        roots: &roots,
        nodes: Vec::new(),
        calls: FxHashMap::default(),
        writer: FxHashMap::default(),
        reads: Vec::new(),
        readers: FxHashMap::default(),
    };
    fuser.run();
    let (units, reads) = fuser.order();
    Schedule { roots, units, reads }
}

/// A kernel or call under construction, with what it depends on.
struct Node {
    unit: Unit,
    needs: FxHashSet<usize>,
    /// The nodes that need it.
    needed_by: Vec<usize>,
}

struct Fuser<'a> {
    graph: &'a TensorGraph,
    pool: &'a mut Pool,
    roots: &'a Roots,
    nodes: Vec<Node>,
    /// The node of each call.
    calls: FxHashMap<CallId, usize>,
    /// For each root and each tensor that a call gives: the node that writes it.
    writer: FxHashMap<Written, usize>,
    /// For each node, the tensors that it reads from memory.
    reads: Vec<FxHashSet<Tensor>>,
    /// For each tensor, the nodes that read it from memory.
    readers: FxHashMap<Tensor, BTreeSet<usize>>,
}

/// A walk over nodes, each once.
struct Search {
    open: Vec<usize>,
    seen: FxHashSet<usize>,
}

impl Search {
    fn from(node: usize) -> Search {
        Search { open: vec![node], seen: FxHashSet::default() }
    }

    /// The next node, whose neighbours are to be opened.
    fn next(&mut self) -> Option<usize> {
        while let Some(node) = self.open.pop() {
            if self.seen.insert(node) {
                return Some(node);
            }
        }
        None
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Written {
    Root(usize),
    Result(Tensor),
}

/// The place of an item in program order: roots at their value, calls just before their results.
fn call_time(graph: &TensorGraph, call: CallId) -> u32 {
    let call = &graph.calls[call];
    let results = call.result_tensors().map(|t| t.as_u32());
    let mut after = 0;
    call.for_each_tensor(&mut |&t| after = after.max(t.as_u32() + 1));
    results.min().unwrap_or(after)
}

/// The tensors that a root reads, with the positions.
fn positions(
    graph: &TensorGraph,
    pool: &mut Pool,
    roots: &Roots,
    root: &Root,
    vars: &LoopVars,
) -> Vec<(Tensor, Vec<Expr>)> {
    let stops = |t: Tensor| roots.is_stop(graph, t);
    let mut reads = Reads::new(graph, pool, vars, &stops);
    reads.root(root);
    reads.found
}

/// True if every value that a root reads from a group is computed by the same iteration of the domain.
pub(super) fn reads_own_points(
    graph: &TensorGraph,
    pool: &mut Pool,
    roots: &Roots,
    group: &[usize],
    root: &Root,
    domain: &IterationDomain,
) -> bool {
    let vars = LoopVars::new(pool, domain);
    let found = positions(graph, pool, roots, root, &vars);
    let span = vars.span(pool, root);
    found.iter().all(|(t, index)| {
        let writers = &roots.of[*t];
        let in_group = writers.iter().find(|r| group.contains(r));
        let Some(&writer) = in_group else { return true };
        let writer = &roots.roots[writer];
        let is_row_level = span == Span::Outer && root.kind == RootKind::Map;
        let reads_elements = vars.span(pool, writer) == Span::Full && is_row_level;
        writers.len() == 1 && writer.value == *t && !reads_elements && vars.point(pool, writer) == *index
    })
}

impl Fuser<'_> {
    fn run(&mut self) {
        let mut calls: Vec<(u32, CallId)> = self.graph.calls.keys().map(|c| (call_time(self.graph, c), c)).collect();
        // Calls keep their order: one without tensor results still stands after those before it.
        let mut latest = 0;
        for (time, _) in &mut calls {
            latest = latest.max(*time);
            *time = latest;
        }
        let mut calls = calls.into_iter().peekable();
        let mut last_ordered = None;
        for index in 0..self.roots.roots.len() {
            let time = self.roots.roots[index].stored.as_u32();
            while let Some((_, call)) = calls.next_if(|(t, _)| *t <= time) {
                self.add_call(call, &mut last_ordered);
            }
            self.add_root(index);
        }
        for (_, call) in calls {
            self.add_call(call, &mut last_ordered);
        }
    }

    fn add_call(&mut self, id: CallId, last_ordered: &mut Option<usize>) {
        let call = &self.graph.calls[id];
        let mut needs = FxHashSet::default();
        let mut reads = FxHashSet::default();
        call.for_each_tensor(&mut |&t| {
            let stored = self.roots.place(t).stored;
            reads.insert(stored);
            self.writers(stored, &mut needs);
        });
        for arg in call.arguments() {
            self.object_writers(arg, &mut needs);
        }
        let node = self.nodes.len();
        if call.ordered {
            needs.extend(*last_ordered);
            *last_ordered = Some(node);
        }
        for &t in call.result_tensors() {
            self.writer.insert(Written::Result(t), node);
        }
        self.calls.insert(id, node);
        self.add(Unit::Call(id), needs);
        self.note_reads(node, reads);
    }

    /// Adds a node that reads nothing yet.
    fn add(&mut self, unit: Unit, needs: FxHashSet<usize>) -> usize {
        let node = self.nodes.len();
        self.nodes.push(Node { unit, needs: FxHashSet::default(), needed_by: Vec::new() });
        self.reads.push(FxHashSet::default());
        self.add_needs(node, needs);
        node
    }

    /// Has a node need others, beside those that it does.
    fn add_needs(&mut self, node: usize, needs: FxHashSet<usize>) {
        for other in needs {
            if self.nodes[node].needs.insert(other) {
                self.nodes[other].needed_by.push(node);
            }
        }
    }

    /// Notes the tensors that a node reads, beside those known.
    fn note_reads(&mut self, node: usize, reads: FxHashSet<Tensor>) {
        for &tensor in &reads {
            self.readers.entry(tensor).or_default().insert(node);
        }
        self.reads[node].extend(reads);
    }

    /// Objects come from earlier calls.
    fn object_writers(&self, arg: &crate::tensor_ir::Arg, needs: &mut FxHashSet<usize>) {
        match arg {
            crate::tensor_ir::Arg::Object(o) => {
                needs.extend(self.calls.get(&self.graph.objects[*o]));
            }
            crate::tensor_ir::Arg::List(items) => items.iter().for_each(|a| self.object_writers(a, needs)),
            crate::tensor_ir::Arg::Tensor(_) | crate::tensor_ir::Arg::Plain(_) => {}
        }
    }

    /// The nodes that write a stored tensor.
    fn writers(&self, stored: Tensor, needs: &mut FxHashSet<usize>) {
        if let Op::Result(..) = self.graph.tensors[stored].op {
            needs.extend(self.writer.get(&Written::Result(stored)).copied());
        }
        needs.extend(self.roots.of[stored].iter().filter_map(|&r| self.writer.get(&Written::Root(r)).copied()));
    }

    fn add_root(&mut self, index: usize) {
        let root = &self.roots.roots[index];
        let domain = root.domain(self.graph);
        let reads = self.roots.reads(self.graph, root);
        let mut needs = FxHashSet::default();
        for &t in &reads {
            self.writers(t, &mut needs);
        }
        let mut candidates = self.candidates(&needs, &reads);
        let turns = self.takes_turns_with(root);
        candidates.extend(turns);
        let chosen = candidates.into_iter().find_map(|node| {
            let pays = turns == Some(node) || needs.contains(&node);
            let joined = self.try_join(node, root, &domain, &needs, pays)?;
            Some((node, joined))
        });
        let node = match chosen {
            Some((node, joined)) => {
                let Unit::Kernel(group) = &mut self.nodes[node].unit else { unreachable!("only kernels are joined") };
                group.roots.push(index);
                group.domain = joined;
                needs.remove(&node);
                self.add_needs(node, needs);
                node
            }
            None => self.add(Unit::Kernel(Group { roots: vec![index], domain }), needs),
        };
        self.note_reads(node, reads);
        self.writer.insert(Written::Root(index), node);
    }

    /// Kernels worth joining: the producers, latest first, then those that read the same memory.
    fn candidates(&self, needs: &FxHashSet<usize>, reads: &FxHashSet<Tensor>) -> Vec<usize> {
        let mut producers: Vec<usize> = needs.iter().copied().collect();
        producers.sort_unstable_by(|a, b| b.cmp(a));
        let latest = |t| {
            let nodes = self.readers.get(t).into_iter().flatten().rev();
            nodes.copied().filter(|n| !needs.contains(n)).take(heuristics::fuse_most_siblings())
        };
        let mut sharing: Vec<usize> = reads.iter().flat_map(latest).collect();
        sharing.sort_unstable_by(|a, b| b.cmp(a));
        sharing.dedup();
        sharing.truncate(heuristics::fuse_most_siblings());
        producers.extend(sharing);
        producers.retain(|&n| matches!(self.nodes[n].unit, Unit::Kernel(_)));
        producers
    }

    /// The loops of a kernel with the root in it, where that is sound and pays: unless it is known to, what both read
    /// decides.
    fn try_join(
        &mut self,
        node: usize,
        root: &Root,
        domain: &IterationDomain,
        needs: &FxHashSet<usize>,
        pays: bool,
    ) -> Option<IterationDomain> {
        let Unit::Kernel(group) = &self.nodes[node].unit else { return None };
        let scans = |r: &Root| matches!(r.kind, RootKind::Scan { .. });
        if group.roots.len() >= heuristics::fuse_most_roots()
            || scans(root)
            || group.roots.iter().any(|&r| scans(&self.roots.roots[r]))
        {
            return None;
        }
        let joined = group.domain.join(self.pool, domain)?;
        let is_finer = joined != group.domain;
        // Nothing that the root needs from elsewhere may wait for the group.
        if needs.iter().any(|&other| other != node && self.waits_for(other, node)) {
            return None;
        }
        let (members, roots) = (group.roots.clone(), self.roots);
        let mut fits = |root: &Root| reads_own_points(self.graph, self.pool, roots, &members, root, &joined);
        // Positions in finer loops may be expressions that cannot be told to be equal any more.
        let all_fit = fits(root) && (!is_finer || members.iter().all(|&r| fits(&roots.roots[r])));
        (all_fit && (pays || self.reads_in_step(&members, root, &joined))).then_some(joined)
    }

    /// The kernel that writes elements between those that the root does.
    fn takes_turns_with(&self, root: &Root) -> Option<usize> {
        let alternates = root.value != root.stored && self.roots.takes_turns(self.graph, self.pool, root.stored);
        let mut parts = self.roots.of[root.stored].iter().filter(|_| alternates);
        let other = parts.find_map(|&part| self.writer.get(&Written::Root(part)).copied());
        other.filter(|&node| matches!(self.nodes[node].unit, Unit::Kernel(_)))
    }

    /// True if an iteration reads, for the root, some memory at a fixed distance from where it does for the group. What
    /// one of them walks by rows and the other by columns had better be walked twice.
    fn reads_in_step(&mut self, group: &[usize], root: &Root, domain: &IterationDomain) -> bool {
        let (vars, roots) = (LoopVars::new(self.pool, domain), self.roots);
        let own = positions(self.graph, self.pool, roots, root, &vars);
        group.iter().any(|&member| {
            let others = positions(self.graph, self.pool, roots, &roots.roots[member], &vars);
            own.iter().any(|(t, index)| {
                let mut others = others.iter().filter(|(other, _)| other == t);
                others.any(|(_, other)| {
                    index.iter().zip(other).all(|(&a, &b)| {
                        let distance = self.pool.sub(a, b);
                        !vars.outer.iter().chain(&vars.red).any(|&axis| self.pool.mentions(distance, axis))
                    })
                })
            })
        })
    }

    /// True if node `a` needs node `b`, directly or not. The search goes from both ends by turns: mostly, little is
    /// reached from one of them.
    fn waits_for(&self, a: usize, b: usize) -> bool {
        let (mut needs, mut needed_by) = (Search::from(a), Search::from(b));
        loop {
            match needs.next() {
                None => return false,
                Some(node) if node == b => return true,
                Some(node) => needs.open.extend(&self.nodes[node].needs),
            }
            match needed_by.next() {
                None => return false,
                Some(node) if node == a => return true,
                Some(node) => needed_by.open.extend(&self.nodes[node].needed_by),
            }
        }
    }

    /// The nodes in an order that respects their needs and otherwise keeps the program's.
    fn order(self) -> (Vec<Unit>, Vec<FxHashSet<Tensor>>) {
        let mut done = vec![false; self.nodes.len()];
        let mut sequence = Vec::with_capacity(self.nodes.len());
        for start in 0..self.nodes.len() {
            let mut stack = vec![(start, false)];
            while let Some((n, expanded)) = stack.pop() {
                if done[n] {
                    continue;
                }
                if expanded {
                    done[n] = true;
                    sequence.push(n);
                    continue;
                }
                stack.push((n, true));
                let mut needs: Vec<usize> = self.nodes[n].needs.iter().copied().filter(|&m| !done[m]).collect();
                needs.sort_unstable_by(|a, b| b.cmp(a));
                stack.extend(needs.into_iter().map(|m| (m, false)));
            }
        }
        let mut slots: Vec<_> =
            self.nodes.into_iter().zip(self.reads).map(|(n, reads)| Some((n.unit, reads))).collect();
        sequence.into_iter().map(|n| slots[n].take().expect("each node stands once")).unzip()
    }
}
