//! The questions of a trace and their answers: recorded, and asked again in another process.
//!
//! A trace is a function of its options and of what its host answers. So where every question that it asked is answered
//! as it was then, it would give what it gave: the same graph, guards and code.
//!
//! Invariants: handles are numbered in the order in which objects are first seen, on both sides, so that equal answers
//! name corresponding objects; a question is asked again only after all before it were answered as they were, since it
//! may name objects that those have shown.
//!
//! Not asked again is what follows from the graph, the versions of torch and NumPy and their global state alone: what
//! torch says of calls on tensors without data, and NumPy of calls on arrays. Whoever keeps a journal keys it by those.
//! A program's own operator may say something else: a trace that has asked about one has no journal. The address of a
//! described object, and the version tags of classes, differ between processes: [`Present`] has those of the new one.

use super::{
    Ask, ClassAttr, Code, EnumMember, FoldError, Host, Lookup, NumpyResult, Obj, Parts, RecordClass, Scope, SetHistory,
    SetOperand, View,
};
use crate::bytecode::Version;
use cranelift_entity::EntityRef;
use fx::target::Callee;
use fx::{Arg, Graph, Kind, Meta, Node, NodeId};
use guards::{Constant, ObjectInfo};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize, Serializer};
use std::rc::Rc;
use symshapes::{DType, Device, DeviceKind, ShapeEnv};
use xxhash_rust::xxh3::xxh3_128;

/// A hash of an answer: of different answers it differs, but for chance.
type Digest = [u8; 16];

/// The questions of a trace, in order, each once, with hashes of their answers.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Journal {
    /// A hash of the answers to questions about no object.
    state: Digest,
    asked: Vec<(Question, Digest)>,
}

/// The facts about a trace's objects that differ between processes.
#[derive(Debug, Default)]
pub struct Present {
    /// The descriptions of objects.
    pub infos: Vec<(Obj, ObjectInfo)>,
    /// The version tag of a class now, by the one it had.
    pub tags: FxHashMap<u32, u32>,
}

impl Journal {
    /// The objects whose description was asked for.
    pub(crate) fn described(&self) -> impl Iterator<Item = Obj> {
        self.asked.iter().filter_map(|(question, _)| match question {
            Question::Info(obj) => Some(*obj),
            _ => None,
        })
    }

    /// Asks everything again; `None` at the first answer that is another.
    pub fn replay(&self, host: &mut dyn Host) -> Option<Present> {
        let (mut present, mut scratch) = (Present::default(), Vec::new());
        if self.state != digest(&state(host), &mut scratch) {
            return None;
        }
        let mut asked = self.asked.iter();
        asked
            .all(|(question, answer)| question.ask(host, &mut present, &mut scratch).is_some_and(|now| now == *answer))
            .then_some(present)
    }
}

/// A host that keeps a [`Journal`] of what another one is asked.
pub struct Recorder<'h> {
    host: &'h mut dyn Host,
    journal: Journal,
    known: FxHashSet<Question>,
    can_replay: bool,
    scratch: Vec<u8>,
}

impl<'h> Recorder<'h> {
    /// Records what this host is asked.
    pub fn new(host: &'h mut dyn Host) -> Recorder<'h> {
        let mut scratch = Vec::new();
        let journal = Journal { state: digest(&state(host), &mut scratch), asked: Vec::new() };
        Recorder { host, journal, known: FxHashSet::default(), can_replay: true, scratch }
    }

    /// The journal; `None` if something was asked that cannot be asked again.
    pub fn finish(self) -> Option<Journal> {
        self.can_replay.then_some(self.journal)
    }

    /// Notes a question that was asked when there were so many handles. The same one is noted again only where its
    /// answer names an object that it did not name before: objects do not change while a trace looks at them.
    fn note<T: Serialize>(&mut self, handles: usize, question: Question, answer: &T) {
        if self.known.insert(question.clone()) || self.host.handles() > handles {
            let answer = digest(answer, &mut self.scratch);
            self.journal.asked.push((question, answer));
        }
    }
}

/// A hash of a value; `scratch` is overwritten.
fn digest<T: Serialize + ?Sized>(value: &T, scratch: &mut Vec<u8>) -> Digest {
    scratch.clear();
    rmp_serde::encode::write(scratch, value).expect("questions and answers are plain data");
    xxh3_128(scratch).to_le_bytes()
}

/// The answers of a host to questions about no object.
fn state(host: &dyn Host) -> impl Serialize + use<> {
    (
        host.version(),
        host.default_dtype(),
        (host.grad_enabled(), host.inference_mode(), host.refuses_breaks(), host.handles_exception()),
        (host.default_device(), host.autocast()),
    )
}

/// True for a call of torch's own, and of Python's on its results: what a program has added may answer otherwise.
fn is_of_torch(node: &Node) -> bool {
    let is_torch = |module: &str| module == "torch" || module.starts_with("torch.");
    node.kind == Kind::CallMethod
        || match Callee::of(&node.target) {
            Callee::Operator(_) | Callee::Builtin(_) => true,
            Callee::Overload { namespace, .. } => namespace == "aten",
            Callee::Function { module, .. } => {
                let is_higher_order = module.starts_with("torch.ops.higher_order");
                is_torch(module) && !is_higher_order && !node.is_custom_op() || module == "math"
            }
        }
}

/// The parts of a description that are those of any process.
fn described(info: &ObjectInfo) -> impl Serialize + '_ {
    (&info.repr, info.ty, &info.class)
}

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.object.serialize(serializer)
    }
}

/// An argument of a question: kept in the journal, and lent to the host.
pub trait Argument {
    /// The form in which the host takes it.
    type Lent<'a>: Copy
    where
        Self: 'a;

    /// A copy.
    fn kept(lent: Self::Lent<'_>) -> Self;

    /// The copy, lent.
    fn lent(&self) -> Self::Lent<'_>;

    /// True if it names none but the first so many objects.
    fn is_among(&self, handles: usize) -> bool;
}

/// Declares types of arguments that are copied.
macro_rules! copied {
    ($($kept:ty: $is_among:expr;)*) => {$(
        impl Argument for $kept {
            type Lent<'a> = $kept;

            fn kept(lent: $kept) -> $kept {
                lent
            }

            fn lent(&self) -> $kept {
                *self
            }

            fn is_among(&self, handles: usize) -> bool {
                $is_among(*self, handles)
            }
        }
    )*};
}

copied! {
    Obj: |obj: Obj, handles| obj.index() < handles;
    Option<Obj>: |obj: Option<Obj>, handles| obj.is_none_or(|obj| obj.is_among(handles));
    bool: |_, _| true;
    u32: |_, _| true;
}

/// Declares types of arguments that are borrowed as another.
macro_rules! borrowed {
    ($($kept:ty as $lent:ty: $is_among:expr;)*) => {$(
        impl Argument for $kept {
            type Lent<'a> = &'a $lent;

            fn kept(lent: &$lent) -> $kept {
                lent.to_owned()
            }

            fn lent(&self) -> &$lent {
                self
            }

            fn is_among(&self, handles: usize) -> bool {
                $is_among(self, handles)
            }
        }
    )*};
}

borrowed! {
    String as str: |_, _| true;
    Constant as Constant: |_, _| true;
    Vec<Constant> as [Constant]: |_, _| true;
    Vec<(String, Constant)> as [(String, Constant)]: |_, _| true;
    Vec<(Obj, Option<i64>)> as [(Obj, Option<i64>)]:
        |keys: &[(Obj, Option<i64>)], handles| keys.iter().all(|(key, _)| key.is_among(handles));
}

/// Declares the questions that are asked again: a row each. The methods of the host behind the table are those that
/// are not, or not in the same words.
macro_rules! questions {
    (
        asked again {
            $($variant:ident $method:ident($($arg:ident: $of:ty),*) $(-> $answer:ty)?;)*
        }
        not asked again { $($rest:tt)* }
    ) => {
        #[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
        enum Question {
            $($variant($($of),*),)*
            /// The description of an object, whose address is another in each process.
            Info(Obj),
            /// The version tag of a class, which was this.
            ClassVersion(Obj, u32),
        }

        impl Question {
            /// Asks it, and gives the hash of the answer; `None` if that is certain to be another.
            fn ask(&self, host: &mut dyn Host, present: &mut Present, scratch: &mut Vec<u8>) -> Option<Digest> {
                let handles = host.handles();
                Some(match self {
                    $(Question::$variant($($arg),*) if true $(&& $arg.is_among(handles))* => {
                        digest(&host.$method($(<$of as Argument>::lent($arg)),*), scratch)
                    })*
                    Question::Info(obj) if obj.is_among(handles) => {
                        let info = host.info(*obj);
                        let answer = digest(&described(&info), scratch);
                        present.infos.push((*obj, info));
                        answer
                    }
                    Question::ClassVersion(class, tag) if class.is_among(handles) => {
                        let now = host.class_version(*class);
                        // Classes of one tag are one class.
                        let is_same = present.tags.insert(*tag, now).is_none_or(|other| other == now);
                        is_same.then(|| digest(&(now == 0), scratch))?
                    }
                    // It names an object that no answer has shown.
                    _ => return None,
                })
            }
        }

        impl Host for Recorder<'_> {
            $(fn $method(&mut self, $($arg: <$of as Argument>::Lent<'_>),*) $(-> $answer)? {
                let handles = self.host.handles();
                let answer = self.host.$method($($arg),*);
                self.note(handles, Question::$variant($(<$of as Argument>::kept($arg)),*), &answer);
                answer
            })*

            fn info(&mut self, obj: Obj) -> ObjectInfo {
                let handles = self.host.handles();
                let info = self.host.info(obj);
                self.note(handles, Question::Info(obj), &described(&info));
                info
            }

            fn class_version(&mut self, class: Obj) -> u32 {
                let handles = self.host.handles();
                let tag = self.host.class_version(class);
                self.note(handles, Question::ClassVersion(class, tag), &(tag == 0));
                tag
            }

            $($rest)*
        }
    };
}

questions! {
    asked again {
        View view(obj: Obj) -> View;
        ClassOf class_of(obj: Obj) -> Obj;
        ClassNamed class_named(name: String) -> Option<Obj>;
        TypeName type_name(class: Obj) -> Option<String>;
        IsImmutable is_immutable(class: Obj) -> bool;
        Address address(obj: Obj) -> u64;
        HasWeakrefCallback has_weakref_callback(obj: Obj) -> bool;
        Substitute substitute(function: Obj) -> Option<Obj>;
        ClassRepr class_repr(obj: Obj) -> String;
        SetItems set_items(set: Obj) -> Option<Vec<Constant>>;
        HoldsUnder holds_under(container: Obj, keys: Vec<(Obj, Option<i64>)>) -> bool;
        HasMethod has_method(name: String) -> bool;
        ReplacedMethod replaced_method(of_parameter: bool, name: String) -> Option<Obj>;
        IsOfTorch is_of_torch(function: Obj) -> bool;
        AutogradTarget autograd_target(class: Obj) -> Option<String>;
        IsFunctional is_functional(operator: String) -> bool;
        GivesNothing gives_nothing(operator: String) -> bool;
        HasOperator has_operator(operator: String) -> bool;
        Protocols protocols(class: Obj) -> (bool, bool);
        EnumMember enum_member(obj: Obj) -> Option<EnumMember>;
        EnumMembers enum_members(class: Obj) -> Option<Vec<String>>;
        EnumByValue enum_by_value(class: Obj, value: Constant) -> Option<Obj>;
        PlainSetattr plain_setattr(obj: Obj, name: String) -> bool;
        PlainDelattr plain_delattr(obj: Obj, name: String) -> bool;
        Attr attr(obj: Obj, name: String) -> Lookup;
        ClassAttr class_attr(class: Obj, name: String, after: Option<Obj>) -> Option<(usize, ClassAttr)>;
        Item item(dict: Obj, key: String) -> Option<Obj>;
        HasNoHooks has_no_hooks(module: Obj) -> bool;
        SolidBase solid_base(class: Obj) -> Option<String>;
        BaseView base_view(obj: Obj) -> Option<View>;
        DictOf dict_of(object: Obj) -> Option<Obj>;
        Subclasses subclasses(class: Obj) -> Option<Vec<Obj>>;
        Mro mro(class: Obj) -> Vec<Obj>;
        HasDict has_dict(obj: Obj) -> bool;
        InstanceAttr instance_attr(obj: Obj, name: String) -> Option<Obj>;
        ClassHas class_has(class: Obj, name: String) -> bool;
        IsException is_exception(class: Obj) -> bool;
        IsSubclass is_subclass(class: Obj, of: Obj) -> Option<bool>;
        AbstractToken abstract_token(class: Obj) -> Option<i64>;
        RecordClass record_class(class: Obj) -> Option<Rc<RecordClass>>;
        ResultClass result_class(target: String) -> Option<Obj>;
        Module module(name: String) -> Option<Obj>;
        Global global(globals: Obj, name: String) -> Option<(Obj, Scope)>;
        Code code(code: Obj) -> Option<Rc<Code>>;
        Opaque opaque(code: Obj, index: u32) -> Option<Obj>;
        Referent referent(reference: Obj) -> Option<Obj>;
        Bound bound(function: Obj, object: Obj) -> Option<Obj>;
        Cached cached(function: Obj, arguments: Constant, kept: bool) -> Option<Obj>;
        KeepChoice keep_choice(function: Obj, class: Obj);
        Assume assume(function: Obj, args: Vec<Constant>) -> Option<Obj>;
        Fold fold_with(
            function: String, args: Vec<Constant>, keywords: Vec<(String, Constant)>
        ) -> Result<Constant, FoldError>;
        NamedTuple named_tuple(args: Vec<Constant>, keywords: Vec<(String, Constant)>) -> Result<Obj, FoldError>;
    }
    not asked again {
        fn version(&self) -> Version {
            self.host.version()
        }

        fn handles(&self) -> usize {
            self.host.handles()
        }

        fn default_dtype(&self) -> DType {
            self.host.default_dtype()
        }

        fn grad_enabled(&self) -> bool {
            self.host.grad_enabled()
        }

        fn inference_mode(&self) -> bool {
            self.host.inference_mode()
        }

        fn refuses_breaks(&self) -> bool {
            self.host.refuses_breaks()
        }

        fn handles_exception(&self) -> bool {
            self.host.handles_exception()
        }

        fn default_device(&self) -> Option<Device> {
            self.host.default_device()
        }

        fn autocast(&self) -> Vec<(DeviceKind, DType)> {
            self.host.autocast()
        }

        fn set_order(&mut self, history: &SetHistory) -> Option<Vec<Constant>> {
            self.can_replay = false;
            self.host.set_order(history)
        }

        fn frozenset(&mut self, of: &SetOperand) -> Option<Obj> {
            self.can_replay = false;
            self.host.frozenset(of)
        }

        fn combined_frozenset(&mut self, set: Obj, method: &str, other: &SetOperand) -> Option<Obj> {
            self.can_replay = false;
            self.host.combined_frozenset(set, method, other)
        }

        fn initialize_lazy(&mut self, module: Obj, graph: &Graph, env: &ShapeEnv, args: &[Arg]) -> bool {
            self.can_replay = false;
            self.host.initialize_lazy(module, graph, env, args)
        }

        fn numpy_agrees(
            &mut self,
            graph: &Graph,
            env: &ShapeEnv,
            node: NodeId,
            scalars: &[NodeId],
        ) -> Option<NumpyResult> {
            self.host.numpy_agrees(graph, env, node, scalars)
        }

        fn infer(&mut self, graph: &Graph, env: &mut ShapeEnv, node: NodeId, ask: Ask) -> Result<Meta, String> {
            self.can_replay &= is_of_torch(&graph[node]);
            self.host.infer(graph, env, node, ask)
        }

        fn parts(&mut self, graph: &Graph, env: &mut ShapeEnv, node: NodeId) -> Option<Parts> {
            self.can_replay &= is_of_torch(&graph[node]);
            self.host.parts(graph, env, node)
        }
    }
}
