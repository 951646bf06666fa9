//! Making a tree of guards.

use super::{
    GuardTree, Joint, JointCheck, Leaf, Node, Number, NumberSource, Pass, Read, Reg, Span,
    entries::{Entries, entries},
    index,
    order::Needed,
    redundant::{reduced, simplest},
};
use crate::{
    guard::{Element, Guard, GuardKind, Scope},
    objects::DictId,
    shape::NumberRead,
    source::{Key, Reach, Source, SourceId, Step},
    sources::Sources,
};
use cranelift_entity::{EntityRef, PrimaryMap, packed_option::PackedOption};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// The reason why guards make no tree.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum GuardError {
    /// The source is of another arena.
    #[error("{kind}: {source_id} is no source")]
    UnknownSource {
        /// The source.
        source_id: SourceId,
        /// torch's name of the guard.
        kind: &'static str,
    },
    /// Nothing is there when guards are checked.
    #[error("{kind}: `{name}` exists only while tracing")]
    Unreadable {
        /// The source as printed.
        name: String,
        /// torch's name of the guard.
        kind: &'static str,
    },
    /// The guard needs an object, and there is a number.
    #[error("{kind}: `{name}` is a number of a tensor, which only SHAPE_ENV reads")]
    NotAnObject {
        /// The source as printed.
        name: String,
        /// torch's name of the guard.
        kind: &'static str,
    },
    /// The guard mentions a constant, a tensor or a name of another arena.
    #[error("{kind} of `{name}` mentions what is not there")]
    UnknownValue {
        /// The source as printed.
        name: String,
        /// torch's name of the guard.
        kind: &'static str,
    },
    /// The program of a guard on shapes takes another number of values than are read.
    #[error("SHAPE_ENV: the program takes {takes} numbers, and {reads} are read")]
    Numbers {
        /// The number of values that the program takes.
        takes: usize,
        /// The number of values that are read.
        reads: usize,
    },
}

impl GuardTree {
    /// Arranges guards. Those that others make needless are left out.
    pub fn new(sources: impl Into<Arc<Sources>>, guards: Vec<Guard>) -> Result<GuardTree, GuardError> {
        let sources = sources.into();
        let mut sorted = Sorted::default();
        for guard in guards {
            verify(&guard, &sources)?;
            sorted.add(simplest(guard, &sources));
        }
        Ok(Builder::new(&sources).build(sorted, &sources))
    }
}

/// Guards by what they look at, each kind in the order in which they came.
#[derive(Default)]
struct Sorted {
    states: Vec<Guard>,
    looked_at: Vec<SourceId>,
    objects: FxHashMap<SourceId, Vec<Guard>>,
    joints: Vec<Guard>,
}

impl Sorted {
    fn add(&mut self, guard: Guard) {
        match guard.kind.scope() {
            Scope::State if self.states.iter().all(|known| known.kind != guard.kind) => self.states.push(guard),
            Scope::Joint if self.joints.iter().all(|known| !same_joint(known, &guard)) => self.joints.push(guard),
            Scope::State | Scope::Joint => {}
            Scope::Object => {
                let guards = self.objects.entry(guard.source).or_default();
                if guards.is_empty() {
                    self.looked_at.push(guard.source);
                }
                guards.push(guard);
            }
        }
    }
}

/// True if two guards on several sources check the same.
fn same_joint(a: &Guard, b: &Guard) -> bool {
    match (&a.kind, &b.kind) {
        (GuardKind::DuplicateInput(x), GuardKind::DuplicateInput(y)) => {
            (a.source, *x) == (b.source, *y) || (a.source, *x) == (*y, b.source)
        }
        // The source of these is one of those that they name.
        (x, y) => x == y,
    }
}

/// The sources that a guard looks at, each with what it needs to find there.
fn looks_at(guard: &Guard) -> Vec<(SourceId, Reach)> {
    let object = |&id: &SourceId| (id, Reach::Object);
    match &guard.kind {
        GuardKind::Global(_) => Vec::new(),
        GuardKind::DuplicateInput(other) => vec![object(&guard.source), object(other)],
        GuardKind::NoTensorAliasing(all) => all.iter().map(object).collect(),
        GuardKind::ShapeEnv(shapes) => shapes.reads.iter().map(|read| (read.source, Reach::Number)).collect(),
        _ => vec![object(&guard.source)],
    }
}

fn verify(guard: &Guard, sources: &Sources) -> Result<(), GuardError> {
    let kind = guard.kind.row().name;
    for (source_id, wanted) in looks_at(guard) {
        if sources.get(source_id).is_none() {
            return Err(GuardError::UnknownSource { source_id, kind });
        }
        let name = || sources.display(source_id).to_string();
        match sources.reach(source_id) {
            Reach::Nothing => return Err(GuardError::Unreadable { name: name(), kind }),
            Reach::Number if wanted == Reach::Object => return Err(GuardError::NotAnObject { name: name(), kind }),
            Reach::Number | Reach::Object => {}
        }
    }
    match &guard.kind {
        _ if mentions_unknown(&guard.kind, sources) => {
            Err(GuardError::UnknownValue { name: sources.display(guard.source).to_string(), kind })
        }
        GuardKind::ShapeEnv(shapes) if shapes.reads.len() != shapes.program.sources().len() => {
            Err(GuardError::Numbers { takes: shapes.program.sources().len(), reads: shapes.reads.len() })
        }
        _ => Ok(()),
    }
}

/// True if a guard on one object mentions a constant, a tensor or a name that the arena has not.
fn mentions_unknown(kind: &GuardKind, sources: &Sources) -> bool {
    let no_constant = |id| sources.constants().get(id).is_none();
    let no_element = |element: &Element| matches!(element, Element::Constant(id) if no_constant(*id));
    match kind {
        GuardKind::ConstantMatch(id) | GuardKind::EqualsMatch(id) => no_constant(*id),
        GuardKind::TensorMatch(id) => sources.tensors().get(*id).is_none(),
        GuardKind::DictContains(element)
        | GuardKind::DictNotContains(element)
        | GuardKind::SetContains(element)
        | GuardKind::SetNotContains(element) => no_element(element),
        GuardKind::DictKeysMatch(keys) | GuardKind::MappingKeysCheck(keys) => keys.iter().any(no_element),
        GuardKind::NotPresentInGenericDict(name)
        | GuardKind::SlotUnset(name)
        | GuardKind::ClassAttr(name, _)
        | GuardKind::HasAttr(name, _) => sources.strings().get(*name).is_none(),
        _ => false,
    }
}

struct Builder<'a> {
    sources: &'a Sources,
    needed: Needed<'a>,
    guards: Vec<Guard>,
    nodes: PrimaryMap<super::NodeId, Node>,
    passes: PrimaryMap<DictId, Pass>,
    leaves: Vec<Leaf>,
    /// The sources whose nodes are leaves.
    done: FxHashSet<SourceId>,
    registers: FxHashMap<SourceId, Reg>,
    /// The number of registers that the nodes fill so far.
    filled: usize,
    compared: Vec<Reg>,
    numbers: Vec<NumberSource>,
}

impl<'a> Builder<'a> {
    fn new(sources: &'a Sources) -> Builder<'a> {
        Builder {
            sources,
            needed: Needed::new(sources),
            guards: Vec::new(),
            nodes: PrimaryMap::new(),
            passes: PrimaryMap::new(),
            leaves: Vec::new(),
            done: FxHashSet::default(),
            registers: FxHashMap::default(),
            filled: 0,
            compared: Vec::new(),
            numbers: Vec::new(),
        }
    }

    fn build(mut self, sorted: Sorted, shared: &Arc<Sources>) -> GuardTree {
        let Sorted { states, looked_at, mut objects, joints } = sorted;
        looked_at.iter().for_each(|&id| self.needed.add(id));
        joints.iter().for_each(|guard| self.need_objects(guard));
        let states = self.push(states);
        for source in self.needed.order() {
            if !self.done.contains(&source) {
                self.node(source, &mut objects);
            }
        }
        let joints = joints.into_iter().map(|guard| self.joint(guard)).collect();
        GuardTree {
            sources: Arc::clone(shared),
            guards: self.guards.into(),
            states,
            nodes: self.nodes,
            passes: self.passes,
            leaves: self.leaves,
            registers: self.filled,
            joints,
            compared: self.compared,
            numbers: self.numbers,
        }
    }

    /// The objects that a guard on several sources needs after the tree.
    fn need_objects(&mut self, guard: &Guard) {
        for (source, _) in looks_at(guard) {
            self.needed.keep(object_of(source, self.sources));
        }
    }

    fn push(&mut self, guards: Vec<Guard>) -> Span {
        let first = self.guards.len();
        self.guards.extend(guards);
        Span::new(first, self.guards.len())
    }

    /// The node of a source, and with that of a dict the nodes of its leaves.
    fn node(&mut self, source: SourceId, objects: &mut FxHashMap<SourceId, Vec<Guard>>) {
        let guards = self.guards_of(source, objects);
        let known = self.registers.get(&source).copied();
        let read = match (known, self.sources[source]) {
            (Some(entry), _) => Read::Entry(entry),
            (None, Source::Root(root)) => Read::Root(root),
            (None, Source::Step { base, step: Step::Item(Key::Object(key)) }) => {
                Read::ItemOf(self.registers[&base], self.registers[&key])
            }
            (None, Source::Step { base, step }) => Read::Step(self.registers[&base], step),
        };
        let entries = entries(&guards, self.needed.children(source), self.sources);
        let keeps_values = entries.as_ref().is_some_and(|entries| self.give_registers(entries));
        let keep = known.is_none() && self.needed.is_kept(source);
        if keep {
            let register = self.fill(1);
            self.registers.insert(source, register);
        }
        let guards = self.push(guards);
        let mut leaves = Vec::new();
        let pass = entries.map(|entries| {
            leaves = self.leaves(&entries, objects);
            let last = self.leaves.len();
            let span = Span::new(last - leaves.len(), last);
            self.passes.push(Pass { keys: guards.first + index(entries.keys), keep: keeps_values, leaves: span })
        });
        self.nodes.push(Node { source, read, keep, pass: PackedOption::from(pass), guards });
        for leaf in leaves {
            self.nodes.push(leaf);
        }
    }

    fn guards_of(&self, source: SourceId, objects: &mut FxHashMap<SourceId, Vec<Guard>>) -> Vec<Guard> {
        let guards = objects.remove(&source).unwrap_or_default();
        reduced(guards, self.sources, |step| self.needed.reads(source, step))
    }

    /// Numbers the registers that a pass fills. If all values are leaves, these are free again behind the pass: false.
    fn give_registers(&mut self, entries: &Entries) -> bool {
        for &(child, place) in &entries.wanted {
            self.registers.insert(child, Reg::new(self.filled + place));
        }
        let keep = entries.wanted.iter().any(|&(child, _)| self.needed.is_kept(child));
        if keep {
            self.fill(entries.count);
        }
        keep
    }

    /// Enters the leaves among the values of a dict; their nodes.
    fn leaves(&mut self, entries: &Entries, objects: &mut FxHashMap<SourceId, Vec<Guard>>) -> Vec<Node> {
        let mut nodes = Vec::new();
        for &(source, place) in &entries.wanted {
            if self.needed.is_kept(source) {
                continue;
            }
            let guards = self.guards_of(source, objects);
            let tensor = match &guards[..] {
                [Guard { kind: GuardKind::TensorMatch(tensor), .. }] => Some(*tensor),
                _ => None,
            };
            self.leaves.push(Leaf { place: index(place), tensor: PackedOption::from(tensor) });
            self.done.insert(source);
            let (read, guards) = (Read::Entry(self.registers[&source]), self.push(guards));
            nodes.push(Node { source, read, keep: false, pass: PackedOption::default(), guards });
        }
        nodes
    }

    /// The first of the next registers.
    fn fill(&mut self, count: usize) -> Reg {
        let first = Reg::from_u32(index(self.filled));
        self.filled += count;
        first
    }

    fn joint(&mut self, guard: Guard) -> Joint {
        let check = match &guard.kind {
            GuardKind::DuplicateInput(other) => JointCheck::Same(self.registers[&guard.source], self.registers[other]),
            GuardKind::ShapeEnv(shapes) => {
                let first = self.numbers.len();
                let numbers = shapes.reads.iter().map(|&read| self.number(read));
                self.numbers.extend(numbers.collect::<Vec<_>>());
                JointCheck::Shapes(Span::new(first, self.numbers.len()))
            }
            _ => {
                let first = self.compared.len();
                for (source, _) in looks_at(&guard) {
                    let register = self.registers[&source];
                    if !self.compared[first..].contains(&register) {
                        self.compared.push(register);
                    }
                }
                JointCheck::Distinct(Span::new(first, self.compared.len()))
            }
        };
        Joint { guard: self.push(vec![guard]).first, check }
    }

    fn number(&self, read: NumberRead) -> NumberSource {
        let number = match self.sources[read.source] {
            Source::Step { step: Step::Tensor(property), .. } => Number::Property(property),
            _ if read.is_float => Number::Float,
            _ => Number::Int,
        };
        NumberSource { source: read.source, from: self.registers[&object_of(read.source, self.sources)], number }
    }
}

/// The object at a source, or the tensor that has the number there.
fn object_of(source: SourceId, sources: &Sources) -> SourceId {
    match sources[source] {
        Source::Step { base, step: Step::Tensor(_) } => base,
        _ => source,
    }
}
