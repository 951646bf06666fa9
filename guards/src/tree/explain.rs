//! The reason why a check failed, in the words of torch's log of recompilations.

use super::{
    GuardTree, JointCheck, NodeId, Span,
    check::{Registers, Stop},
};
use crate::{
    guard::{Guard, GuardKind},
    objects::Objects,
    source::{Root, Source, Step},
    state::GlobalState,
    tensor::{Mismatch, TensorFacts, TensorGuard},
};
use cranelift_entity::EntityRef;
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, fmt, sync::Arc};

/// The first guard that failed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Failure {
    /// The guard as printed; where there was nothing to look at, the source.
    pub guard: String,
    /// The expected value, as text.
    pub expected: String,
    /// The value that was found, as text.
    pub found: String,
    /// One line for people, in which local variables have their names alone.
    pub reason: String,
    /// The lines of the user's program that asked for the guard.
    pub user_stack: Option<Arc<str>>,
    /// True for a check of numbers, which comes of all lines that its symbols have passed.
    pub of_shapes: bool,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)?;
        match &self.user_stack {
            Some(stack) => write!(f, "  # {stack}"),
            None => Ok(()),
        }
    }
}

/// The words of a failure, but for the guard's.
struct Words {
    expected: String,
    found: String,
    /// `None` if the guard says it.
    reason: Option<String>,
}

impl Words {
    fn new(expected: impl Into<String>, found: impl Into<String>) -> Words {
        Words { expected: expected.into(), found: found.into(), reason: None }
    }

    fn because(self, reason: String) -> Words {
        Words { reason: Some(reason), ..self }
    }
}

impl GuardTree {
    /// The first guard that fails; `None` exactly if [`GuardTree::check`] is true.
    pub fn explain<O: Objects>(&self, objects: &mut O) -> Option<Failure> {
        let mut registers = Registers::new();
        let stop = self.walk(objects, &mut registers).err()?;
        Some(match stop {
            Stop::Missing(node) => self.missing(node),
            Stop::State(at) => self.failure(&self.guards[at], self.state_words(objects, at)),
            Stop::Object(node, at) => match self.object(objects, &self.nodes[node], &registers) {
                Some(object) => self.failure(&self.guards[at], self.object_words(objects, &self.guards[at], &object)),
                None => self.missing(node),
            },
            Stop::Joint(at) => self.joint_failure(objects, at, &registers),
        })
    }

    fn failure(&self, guard: &Guard, words: Words) -> Failure {
        let text = guard.text(&self.sources);
        Failure {
            reason: words.reason.unwrap_or_else(|| without_scopes(&text)),
            guard: text,
            expected: words.expected,
            found: words.found,
            user_stack: guard.user_stack.clone(),
            of_shapes: false,
        }
    }

    /// There is nothing at a node.
    fn missing(&self, node: NodeId) -> Failure {
        let node = &self.nodes[node];
        let name = self.sources.display(node.source).to_string();
        // The node's first guard, or the first of what is read from it.
        let is_below = |id| std::iter::successors(Some(id), |&id| self.sources.base(id)).any(|id| id == node.source);
        let guard = self.guards.get(node.guards.range().start).filter(|guard| is_below(guard.source));
        Failure {
            reason: format!("{} on source {}", lookup(self.sources[node.source]), without_scopes(&name)),
            guard: name,
            expected: "a value".to_owned(),
            found: "nothing".to_owned(),
            user_stack: guard.and_then(|guard| guard.user_stack.clone()),
            of_shapes: false,
        }
    }

    fn state_words<O: Objects>(&self, objects: &mut O, at: usize) -> Words {
        let GuardKind::Global(state) = &self.guards[at].kind else { return Words::new("", "") };
        let words = Words::new(state.value(), objects.describe_state(state));
        match state {
            GlobalState::DefaultDevice(_)
            | GlobalState::DualLevel(_)
            | GlobalState::FunctorchStack(_)
            | GlobalState::TorchFunction(_) => words,
            _ => words.because(format!("GLOBAL_STATE changed: {}", state.field())),
        }
    }

    fn object_words<O: Objects>(&self, objects: &mut O, guard: &Guard, object: &O::Handle) -> Words {
        let table = self.sources.objects();
        match &guard.kind {
            GuardKind::TensorMatch(tensor) => {
                self.tensor_words(objects, guard, &self.sources.tensors()[*tensor], object)
            }
            GuardKind::TypeMatch(ty) => Words::new(table.repr(*ty), objects.describe_type(object)),
            GuardKind::SequenceLength(len, _) => Words::new(count(*len), length(objects.len(object))),
            GuardKind::TupleIteratorLen(len) => Words::new(count(*len), length(objects.tuple_iterator_len(object))),
            kind => Words::new(self.expected(kind), objects.describe(object)),
        }
    }

    /// The text of the value that a guard on one object expects.
    fn expected(&self, kind: &GuardKind) -> String {
        let table = self.sources.objects();
        let list =
            |items: &[crate::Element]| pyrepr::comma_separated(items.iter().map(|item| item.text(&self.sources)));
        match kind {
            GuardKind::Present => "something".to_owned(),
            GuardKind::NoneMatch => "None".to_owned(),
            GuardKind::NotNoneMatch | GuardKind::WeakrefAlive => "not None".to_owned(),
            GuardKind::EmptyModuleHooks => "no hooks".to_owned(),
            GuardKind::BoolMatch(value) => pyrepr::boolean(*value).to_owned(),
            GuardKind::ClosureMatch(code) => format!("a function of {}", table.repr(*code)),
            GuardKind::RangeIteratorMatch([start, stop, step]) => format!("range({start}, {stop}, {step})"),
            GuardKind::ConstantMatch(id) | GuardKind::EqualsMatch(id) => self.sources.constants()[*id].to_string(),
            GuardKind::DictContains(key) | GuardKind::SetContains(key) => format!("with {}", key.text(&self.sources)),
            GuardKind::DictNotContains(key) | GuardKind::SetNotContains(key) => {
                format!("without {}", key.text(&self.sources))
            }
            GuardKind::NotPresentInGenericDict(id)
            | GuardKind::SlotUnset(id)
            | GuardKind::ClassAttr(id, None)
            | GuardKind::HasAttr(id, false) => {
                format!("without attribute {}", self.sources.strings()[*id])
            }
            GuardKind::ClassAttr(id, Some(object)) => {
                format!("with attribute {}: {}", self.sources.strings()[*id], table.repr(*object))
            }
            GuardKind::ClassVersion(_) => "unchanged".to_owned(),
            GuardKind::HasAttr(id, true) => format!("with attribute {}", self.sources.strings()[*id]),
            GuardKind::DictKeysMatch(keys) | GuardKind::MappingKeysCheck(keys) => format!("keys [{}]", list(keys)),
            GuardKind::User(check) => format!("what {} accepts", table.repr(*check)),
            _ => kind.identity().map_or_else(String::new, |object| table.repr(object)),
        }
    }

    fn tensor_words<O: Objects>(
        &self,
        objects: &mut O,
        guard: &Guard,
        tensor: &TensorGuard,
        object: &O::Handle,
    ) -> Words {
        let name = without_scopes(&self.sources.display(guard.source).to_string());
        // Objects know types by identity; what number a type has in the table may not be known to them.
        let of_type = objects.type_is(object, tensor.python_type);
        let mismatch = match objects.tensor(object) {
            Some(facts) if of_type => tensor.mismatch(&TensorFacts { python_type: tensor.python_type, ..facts }),
            _ => Some(Mismatch::PythonType),
        };
        match mismatch {
            None => Words::new("the tensor as it was", "another"),
            Some(Mismatch::PythonType) => {
                let (expected, found) =
                    (self.sources.objects().repr(tensor.python_type), objects.describe_type(object));
                let reason = format!("expected type of '{name}' to be {expected}, but found {found}");
                Words::new(expected, found).because(reason)
            }
            Some(mismatch) => {
                let (expected, found) = mismatch.values();
                Words::new(expected, found).because(format!("tensor '{name}' {mismatch}"))
            }
        }
    }

    fn joint_failure<O: Objects>(&self, objects: &mut O, at: usize, registers: &Registers<O::Handle>) -> Failure {
        let joint = self.joints[at];
        let guard = &self.guards[joint.guard as usize];
        match joint.check {
            JointCheck::Same(..) => self.failure(guard, Words::new("one object", "two objects")),
            JointCheck::Distinct(span) => self.failure(guard, self.alias_words(objects, guard, span, registers)),
            JointCheck::Shapes(span) => self.shape_failure(objects, guard, span, registers),
        }
    }

    fn alias_words<O: Objects>(
        &self,
        objects: &mut O,
        guard: &Guard,
        span: Span,
        registers: &Registers<O::Handle>,
    ) -> Words {
        let mut by_identity: BTreeMap<u64, Vec<String>> = BTreeMap::new();
        let GuardKind::NoTensorAliasing(sources) = &guard.kind else { return Words::new("different tensors", "") };
        // Each source has a register of its own.
        let mut seen = FxHashSet::default();
        let compared = sources.iter().filter(|source| seen.insert(**source));
        for (&register, &source) in self.compared[span.range()].iter().zip(compared) {
            let identity = objects.identity(&registers[register.index()]);
            let name = without_scopes(&self.sources.display(source).to_string());
            by_identity.entry(identity).or_default().push(format!("\"{name}\""));
        }
        let shared: Vec<String> = by_identity.into_values().filter(|names| names.len() > 1).flatten().collect();
        let shared = shared.join(", ");
        Words::new("different tensors", format!("one tensor at {shared}"))
            .because(format!("Duplicate tensors found: [{shared}]"))
    }

    /// The check that failed, and the numbers that were read.
    fn shape_failure<O: Objects>(
        &self,
        objects: &mut O,
        guard: &Guard,
        span: Span,
        registers: &Registers<O::Handle>,
    ) -> Failure {
        let numbers = &self.numbers[span.range()];
        let values: Vec<Option<i64>> = numbers.iter().map(|number| number.read(objects, registers)).collect();
        let known: Option<Vec<i64>> = values.iter().copied().collect();
        let GuardKind::ShapeEnv(shapes) = &guard.kind else { return self.failure(guard, Words::new("", "")) };
        let failing = known.and_then(|values| shapes.program.first_failure(&values));
        let text = failing.and_then(|at| shapes.text.get(at)).cloned().unwrap_or_else(|| shapes.all_text());
        let line = failing.and_then(|at| shapes.lines.get(at)?.as_deref());
        let shown = numbers.iter().zip(&values).filter_map(|(number, value)| {
            let name = self.sources.display(number.source).to_string();
            let value = value.map_or_else(|| "no number".to_owned(), |value| number.show(value));
            text.contains(&name).then(|| format!("{name} = {value}"))
        });
        let found = pyrepr::comma_separated(shown);
        let words = Words::new(text.clone(), found).because(without_scopes(&text));
        Failure { guard: text, user_stack: line.map(Into::into), of_shapes: true, ..self.failure(guard, words) }
    }
}

/// The name of the lookup that failed, where a source has no value.
fn lookup(source: Source) -> &'static str {
    match source {
        Source::Step { step: Step::Item(_) | Step::Param(_) | Step::Buffer(_) | Step::Submodule(_), .. } => "KeyError",
        Source::Root(Root::Local(_) | Root::Global(_) | Root::Cell(_)) => "NameError",
        Source::Step { step: Step::Attr(_) | Step::GenericAttr(_), .. } => "getattr failed",
        _ => "nothing",
    }
}

fn count(len: u32) -> String {
    format!("length {len}")
}

fn length(len: Option<u64>) -> String {
    len.map_or_else(|| "no length".to_owned(), |len| format!("length {len}"))
}

/// A text in which local variables have their names alone: `n == 3` for `L['n'] == 3`.
fn without_scopes(text: &str) -> String {
    let (mut short, mut rest) = (String::new(), text);
    while let Some((before, after)) = rest.split_once("L['") {
        short.push_str(before);
        match after.split_once("']") {
            Some((name, after)) => {
                short.push_str(name);
                rest = after;
            }
            None => {
                short.push_str("L['");
                rest = after;
            }
        }
    }
    short + rest
}
