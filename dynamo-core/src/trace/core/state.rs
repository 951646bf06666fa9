//! The mutable state of lists, dicts, sets, cells, iterators and instances.
//!
//! Invariant: a state refers to values and other states by id, so that a clone of it is a snapshot.

pub(in crate::trace) use super::ids::StateId;
use super::{frame::Frame, ids::ValueId, lazy::Lazy};
use crate::host::{Obj, SetHistory};
use crate::reason::ClassText;
use cranelift_entity::packed_option::PackedOption;
use fx::NodeId;
use guards::{Constant, SourceId};
use indexmap::IndexMap;
use std::rc::Rc;

/// A key of a dict, equal as Python's keys are equal.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(in crate::trace) enum Key {
    /// A constant; numbers of equal value are one key.
    Const(Constant),
    /// An object that is equal to itself only.
    Obj(Obj),
    /// One that the program has made.
    Made(StateId),
    /// A tensor, which is equal to itself only: the node that gave it first.
    Tensor(NodeId),
    /// A function without Python code, by its dotted name.
    Builtin(String),
    /// A tuple of keys.
    Tuple(Vec<Key>),
}

/// The entries of a dict: keys and values by key, in order.
pub(in crate::trace) type Entries = IndexMap<Key, (ValueId, ValueId)>;

/// The current state of what can change.
#[derive(Clone, Debug)]
pub(in crate::trace) enum State {
    /// A list.
    List(Vec<ValueId>),
    /// A dict.
    Dict(Entries),
    /// A `collections.deque`
    Deque(Deque),
    /// A set: its items by key, in the order in which they came.
    Set(IndexMap<Key, ValueId>, Made),
    /// A closure's cell; `None` before the variable is set.
    Cell(Option<ValueId>),
    /// An iterator.
    Iter(Iter),
    /// The callbacks of a `contextlib.ExitStack`.
    Stack(Vec<Leaving>),
    /// The contents of an object of a class of the program's.
    Instance(Instance),
    /// An attribute of an object, or a global variable, that the program writes.
    Slot {
        /// The object or scope that has it.
        of: SlotOf,
        /// The attribute or variable.
        name: String,
        /// The value that was written, if any; NULL if it was deleted.
        value: Option<ValueId>,
    },
}

/// The owner of an attribute or variable that the program writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::trace) enum SlotOf {
    /// An object.
    Object(ValueId),
    /// `__dict__` of an object, by which its class has no say.
    Entry(ValueId),
    /// A scope of global variables, whose dict is at this source; without one it is the root function's.
    Globals(PackedOption<SourceId>),
}

/// An object of a class of the program's that the program has made, as it is now.
#[derive(Clone, Debug)]
pub(in crate::trace) struct Instance {
    /// Its class.
    pub(in crate::trace) class: ValueId,
    /// Its attributes, in its `__dict__` or in members of `__slots__`, in the order in which they came.
    pub(in crate::trace) attrs: IndexMap<String, ValueId>,
    /// Its contents as an instance of a class of Python's own that its class comes from, or is.
    pub(in crate::trace) base: Option<Base>,
}

/// The contents of an instance beside its attributes.
#[derive(Clone, Debug)]
pub(in crate::trace) enum Base {
    /// A dict or list, with the dotted name of the class.
    Container(String, ValueId),
    /// Nothing: it is a `types.SimpleNamespace`.
    Namespace,
    /// That of an exception.
    Exception(Exception),
}

/// The contents of an exception beside its attributes: `PyBaseExceptionObject` and the structs that begin with it.
#[derive(Clone, Debug, Default)]
pub(in crate::trace) struct Exception {
    /// `args`
    pub(in crate::trace) args: Arguments,
    /// The members of the struct of its class that were set, by name.
    pub(in crate::trace) members: IndexMap<&'static str, ValueId>,
}

/// The arguments of an exception.
#[derive(Clone, Debug, Default)]
pub(in crate::trace) enum Arguments {
    /// A tuple.
    Known(ValueId),
    /// A text that is not made yet.
    OfClass(ClassText),
    /// A text of the interpreter's that is not known.
    #[default]
    Unknown,
}

impl Base {
    /// The values that are held.
    pub(in crate::trace) fn held(&self) -> Vec<ValueId> {
        match self {
            Base::Container(_, held) => vec![*held],
            Base::Namespace => Vec::new(),
            Base::Exception(Exception { args: Arguments::Known(args), members }) => {
                std::iter::once(args).chain(members.values()).copied().collect()
            }
            Base::Exception(Exception { members, .. }) => members.values().copied().collect(),
        }
    }
}

/// A `collections.deque`, as it is now.
#[derive(Clone, Debug)]
pub(in crate::trace) struct Deque {
    pub(in crate::trace) items: Vec<ValueId>,
    /// Its maximum number of items.
    pub(in crate::trace) most: Option<usize>,
    /// The number of changes in which items came or went: each one ends an iterator over it.
    pub(in crate::trace) moves: usize,
}

/// The class of a dict.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::trace) enum Table {
    /// `dict`
    Plain,
    /// `collections.OrderedDict`
    Ordered,
    /// `collections.defaultdict`, with what makes the values that are missing.
    Default(ValueId),
    /// `collections.Counter`
    Counter,
}

impl Table {
    /// The dotted names of the classes of which such a dict is an instance, its own first.
    pub(in crate::trace) fn classes(self) -> &'static [&'static str] {
        match self {
            Table::Plain => &["builtins.dict"],
            Table::Ordered => &["collections.OrderedDict", "builtins.dict"],
            Table::Default(_) => &["collections.defaultdict", "builtins.dict"],
            Table::Counter => &["collections.Counter", "builtins.dict"],
        }
    }

    /// The dotted name of the class.
    pub(in crate::trace) fn class_name(self) -> &'static str {
        self.classes()[0]
    }
}

/// An entry of a `contextlib.ExitStack`.
#[derive(Clone, Debug)]
pub(in crate::trace) enum Leaving {
    /// A callable that is called as `__exit__` is: with an exception or with none.
    Exit(ValueId),
    /// A function with its arguments.
    Callback(ValueId, Vec<ValueId>, Vec<(String, ValueId)>),
}

impl Leaving {
    /// The values that it is made of.
    pub(in crate::trace) fn parts(&self) -> Vec<ValueId> {
        match self {
            Leaving::Exit(exit) => vec![*exit],
            Leaving::Callback(function, args, keywords) => {
                let keywords = keywords.iter().map(|(_, value)| value);
                [function].into_iter().chain(args).chain(keywords).copied().collect()
            }
        }
    }
}

/// The history of a set, which determines its iteration order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::trace) enum Made {
    /// It is an input and unchanged: its items are in iteration order.
    Found,
    /// The program has made it of constants.
    By(SetHistory),
    /// By calls that code repeats, of which only the running program tells the order.
    Again(SetCalls),
    /// In a way that generated code cannot repeat.
    Otherwise,
}

/// Calls of a set's methods, on what came before them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::trace) enum SetCalls {
    /// A set of the caller's, or a frozen one, as the trace found it.
    Callers(ValueId),
    /// A set that the program has made of constants.
    Known(SetHistory),
    /// After one more call.
    Then(Rc<SetCall>),
}

/// A call of a method of a set that code repeats.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::trace) struct SetCall {
    /// The set that it is called on.
    pub(in crate::trace) on: SetCalls,
    /// The method. Those that give a set give the one that goes on.
    pub(in crate::trace) method: &'static str,
    /// Its operands.
    pub(in crate::trace) operands: Vec<CallOperand>,
    /// The number of calls up to this one.
    pub(in crate::trace) count: usize,
}

/// An operand of a repeated call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::trace) enum CallOperand {
    /// An item.
    Item(ValueId),
    /// Items one by one.
    Items(Vec<ValueId>),
    /// A dict of these keys.
    Keys(Vec<ValueId>),
    /// Another set.
    Set(SetCalls),
}

/// An iterator and where it stands.
#[derive(Clone, Debug)]
pub(in crate::trace) enum Iter {
    /// Over a tuple: its items, the next one's place.
    Items(Vec<ValueId>, usize),
    /// Over the result of a call whose items are all known.
    Call(IterCall),
    /// Over a dict, by the view of it: how many entries there were at first, the next one's place.
    Dict(ValueId, &'static str, usize, usize),
    /// Over a dict from which a key was deleted meanwhile: only the dict's table tells which entry is the next.
    Lost,
    /// Over a set, by what it showed at first, the next one's place.
    Set(StateId, Vec<ValueId>, usize),
    /// Over a list, which may change meanwhile.
    List(StateId, usize),
    /// Over a deque, how often items had come or gone when it began, the next one's place.
    Deque(StateId, usize, usize),
    /// Over numbers: next, stop, step.
    Range([i64; 3]),
    /// Backwards over what may change meanwhile.
    Reversed(Reversed),
    /// `enumerate`
    Enumerate(StateId, i64),
    /// `zip`, and whether all have to be of one length.
    Zip(Vec<StateId>, bool),
    /// One of `itertools`.
    Lazy(Box<Lazy>),
    /// An object of the program's whose class has `__next__`.
    Object(ValueId),
    /// Over an object of the program's by `__getitem__`, the next one's place.
    Sequence(ValueId, i64),
    /// Backwards over an object of the program's by `__getitem__`, the next one's place.
    Backwards(ValueId, i64),
    /// Over what a function gives, up to a result that equals this value: `iter(callable, sentinel)`.
    Results(ValueId, ValueId),
    /// `map`
    Map(ValueId, Vec<StateId>),
    /// `filter`
    Filter(ValueId, StateId),
    /// A generator, where it stands.
    Generator(Box<Frame>),
    /// A generator while it runs.
    Running,
    /// At its end, where it stays.
    Done(Exhausted),
}

/// An iterator whose items are all known from the beginning, and the call that makes another one like it.
#[derive(Clone, Debug)]
pub(in crate::trace) struct IterCall {
    /// The function, by its dotted name.
    pub(in crate::trace) function: &'static str,
    /// Its arguments, which cannot change.
    pub(in crate::trace) args: Vec<ValueId>,
    /// The items that it gives, one by one.
    pub(in crate::trace) items: Vec<ValueId>,
    /// The next one's place.
    pub(in crate::trace) at: usize,
}

/// `reversed` of a list, a deque, a dict or a view of one, and where it stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::trace) struct Reversed {
    /// The object that it iterates over.
    pub(in crate::trace) of: ValueId,
    /// The number of items that are left, if nothing is removed.
    pub(in crate::trace) left: usize,
    /// By which a change is noticed: how often items of a deque had come or gone, how many a dict had.
    pub(in crate::trace) stamp: usize,
}

/// An iterator at its end: what another one of its type is made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::trace) enum Exhausted {
    List,
    /// The keys, values or items of a dict, by the name of the method that gives them.
    Dict(&'static str),
    Set,
    Deque,
    Enumerate,
    Zip,
    Map,
    Filter,
    Generator,
    /// Another one, of which nothing is made again.
    Other,
}

impl Iter {
    /// The iterator once it has given its last item.
    pub(in crate::trace) fn exhausted(self) -> Iter {
        Iter::Done(match self {
            // They are at their end, and what they go over cannot change.
            Iter::Items(..) | Iter::Call(_) | Iter::Range(_) | Iter::Done(_) => return self,
            Iter::List(..) => Exhausted::List,
            Iter::Dict(_, part, ..) => Exhausted::Dict(part),
            Iter::Set(..) => Exhausted::Set,
            Iter::Deque(..) => Exhausted::Deque,
            Iter::Enumerate(..) => Exhausted::Enumerate,
            Iter::Zip(..) => Exhausted::Zip,
            Iter::Map(..) => Exhausted::Map,
            Iter::Filter(..) => Exhausted::Filter,
            Iter::Generator(_) | Iter::Running => Exhausted::Generator,
            Iter::Lazy(_)
            | Iter::Reversed(_)
            | Iter::Sequence(..)
            | Iter::Backwards(..)
            | Iter::Results(..)
            | Iter::Lost => Exhausted::Other,
            // What it gives after its end is its own business.
            Iter::Object(_) => return self,
        })
    }
}

/// The sort of a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::trace) enum Sort {
    List,
    Dict,
    Deque,
    Set,
    Cell,
    Iter,
    Stack,
    Instance,
    Slot,
}
