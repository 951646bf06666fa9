//! The residual of a snapshot: the part of a tree that is checked again, as a tree of its own.

use super::{GuardTree, Joint, JointCheck, Node, NodeId, NumberSource, Read, Reg, Span, index, stability::Stability};
use crate::guard::GuardKind;
use cranelift_entity::{EntityRef, PrimaryMap, SecondaryMap};
use rustc_hash::FxHashMap;

/// The part of a tree that is checked again, in the making: its volatile nodes, with registers numbered anew.
pub(super) struct Residual<'a, F> {
    tree: &'a GuardTree,
    stability: &'a SecondaryMap<NodeId, Stability>,
    first_register: &'a SecondaryMap<NodeId, u32>,
    /// The node that fills a register of the tree.
    filler: F,
    renumbered: FxHashMap<Reg, Reg>,
    /// The registers of the tree that stable nodes fill and the residual reads.
    preloaded: Vec<Reg>,
}

impl<'a, F: Fn(Reg) -> NodeId> Residual<'a, F> {
    pub(super) fn new(
        tree: &'a GuardTree,
        stability: &'a SecondaryMap<NodeId, Stability>,
        first_register: &'a SecondaryMap<NodeId, u32>,
        filler: F,
    ) -> Residual<'a, F> {
        Residual { tree, stability, first_register, filler, renumbered: FxHashMap::default(), preloaded: Vec::new() }
    }

    fn is_volatile(&self, id: NodeId) -> bool {
        self.stability[id] == Stability::Volatile
    }

    /// The nodes that are read again, without their leaves.
    fn volatile(&self) -> Vec<NodeId> {
        let (mut all, mut next) = (Vec::new(), 0);
        while let Some(node) = self.tree.nodes.get(NodeId::from_u32(next)) {
            let id = NodeId::from_u32(next);
            if self.is_volatile(id) {
                all.push(id);
            }
            next += 1 + self.leaves(node);
        }
        all
    }

    fn leaves(&self, node: &Node) -> u32 {
        node.pass.expand().map_or(0, |dict| self.tree.passes[dict].leaves.len())
    }

    /// The joints that look at anything volatile, or at numbers.
    fn joints(&self) -> Vec<Joint> {
        let is_volatile = |reg: Reg| self.is_volatile((self.filler)(reg));
        let is_needed = |check: &JointCheck| match *check {
            JointCheck::Same(a, b) => is_volatile(a) || is_volatile(b),
            JointCheck::Distinct(span) => self.tree.compared[span.range()].iter().any(|&reg| is_volatile(reg)),
            JointCheck::Shapes(_) => true,
        };
        self.tree.joints.iter().filter(|joint| is_needed(&joint.check)).copied().collect()
    }

    /// Notes that the residual reads a register.
    fn read(&mut self, reg: Reg) {
        if !self.is_volatile((self.filler)(reg)) && !self.renumbered.contains_key(&reg) {
            self.renumbered.insert(reg, Reg::new(self.preloaded.len()));
            self.preloaded.push(reg);
        }
    }

    /// Numbers the registers: first those that are preloaded, then those that volatile nodes fill, in their order.
    fn number(&mut self, nodes: &[NodeId], joints: &[Joint]) -> usize {
        let tree = self.tree;
        for &id in nodes {
            match tree.nodes[id].read {
                Read::Root(_) => {}
                Read::Entry(reg) | Read::Step(reg, _) => self.read(reg),
                Read::ItemOf(base, key) => [base, key].into_iter().for_each(|reg| self.read(reg)),
            }
        }
        for joint in joints {
            match joint.check {
                JointCheck::Same(a, b) => [a, b].into_iter().for_each(|reg| self.read(reg)),
                JointCheck::Distinct(span) => tree.compared[span.range()].iter().for_each(|&reg| self.read(reg)),
                JointCheck::Shapes(span) => {
                    tree.numbers[span.range()].iter().for_each(|number| self.read(number.from));
                }
            }
        }
        let mut next = self.preloaded.len();
        for &id in nodes {
            let first = self.first_register[id];
            for old in first..first + self.fills(&tree.nodes[id]) {
                self.renumbered.insert(Reg::from_u32(old), Reg::new(next));
                next += 1;
            }
        }
        next
    }

    /// The number of registers that a node fills.
    fn fills(&self, node: &Node) -> u32 {
        let values = node.pass.expand().map(|dict| self.tree.passes[dict]).filter(|pass| pass.keep);
        let values = values.map_or(0, |pass| match &self.tree.guards[pass.keys as usize].kind {
            GuardKind::DictKeysMatch(keys) => index(keys.len()),
            _ => 0,
        });
        values + u32::from(node.keep && !matches!(node.read, Read::Entry(_)))
    }

    fn renumber(&self, read: Read) -> Read {
        let to = |reg: Reg| self.renumbered[&reg];
        match read {
            Read::Root(root) => Read::Root(root),
            Read::Entry(reg) => Read::Entry(to(reg)),
            Read::Step(reg, step) => Read::Step(to(reg), step),
            Read::ItemOf(base, key) => Read::ItemOf(to(base), to(key)),
        }
    }

    /// The residual, and the registers of the tree that are to be filled before it is walked.
    pub(super) fn build(mut self) -> (GuardTree, Vec<Reg>) {
        let (volatile, joints) = (self.volatile(), self.joints());
        let registers = self.number(&volatile, &joints);
        let tree = self.tree;
        let mut nodes = PrimaryMap::new();
        for id in volatile {
            let node = &tree.nodes[id];
            nodes.push(Node { read: self.renumber(node.read), ..node.clone() });
            // Leaves are checked in the pass of their dict, and have no register of their own.
            let leaves = id.as_u32() + 1..=id.as_u32() + self.leaves(node);
            for leaf in leaves {
                nodes.push(tree.nodes[NodeId::from_u32(leaf)].clone());
            }
        }
        let (mut compared, mut numbers) = (Vec::new(), Vec::new());
        let to = |reg: Reg| self.renumbered[&reg];
        let renumbered = joints.into_iter().map(|joint| {
            let check = match joint.check {
                JointCheck::Same(a, b) => JointCheck::Same(to(a), to(b)),
                JointCheck::Distinct(span) => {
                    let first = compared.len();
                    compared.extend(tree.compared[span.range()].iter().map(|&reg| to(reg)));
                    JointCheck::Distinct(Span::new(first, compared.len()))
                }
                JointCheck::Shapes(span) => {
                    let first = numbers.len();
                    let all = tree.numbers[span.range()].iter();
                    numbers.extend(all.map(|number| NumberSource { from: to(number.from), ..*number }));
                    JointCheck::Shapes(Span::new(first, numbers.len()))
                }
            };
            Joint { check, ..joint }
        });
        let joints = renumbered.collect();
        let residual = GuardTree {
            sources: tree.sources.clone(),
            guards: tree.guards.clone(),
            states: tree.states,
            nodes,
            passes: tree.passes.clone(),
            leaves: tree.leaves.clone(),
            registers,
            joints,
            compared,
            numbers,
        };
        (residual, self.preloaded)
    }
}
