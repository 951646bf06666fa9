//! Tracked values: what the symbolic interpreter has on its stack and in its locals.
//!
//! Invariants: values live in an append-only arena and do not change. What Python can change (a list, a cell, an
//! iterator's place) is a [`StateId`], whose current [`State`] stands in [`Heap`]; each change is logged, so that a
//! failed speculation is undone by walking the log back.

use super::{
    context::Context,
    frame::{Frame, Globals},
    python::lazy::Lazy,
};
use crate::host::{Code, Obj, Place, RecordClass, SetHistory};
use cranelift_entity::{PrimaryMap, entity_impl};
use fx::NodeId;
use guards::Constant;
use indexmap::IndexMap;
use rustc_hash::FxHashMap;
use std::{cell::RefCell, rc::Rc};
use symshapes::{Expr, Float, Pred};

/// A tracked value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct ValueId(u32);
entity_impl!(ValueId, "v");

/// A thing that Python can change.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct StateId(u32);
entity_impl!(StateId, "state");

/// What a value is.
#[derive(Clone, Debug)]
pub(super) enum Value {
    /// The interpreter's NULL, which calls expect below a function without `self`.
    Null,
    /// An object at which nobody has looked.
    Lazy(Obj),
    /// Arithmetic on integers of the caller's that nothing has needed yet: the number of `BINARY_OP`, the operands.
    Computed(u32, ValueId, ValueId),
    /// A constant.
    Const(Constant),
    /// A tensor: what a node of the graph gives.
    Tensor(NodeId),
    /// A NumPy array, or one of NumPy's scalars: what a node of the graph gives, as a tensor.
    NdArray {
        /// The node.
        node: NodeId,
        /// True for a scalar, of a class of its own.
        is_scalar: bool,
    },
    /// An integer that the graph computes or takes as input.
    SymInt {
        /// Its value over the environment's symbols.
        expr: Expr,
        /// The node that gives it.
        node: NodeId,
    },
    /// A float that the graph computes or takes as input.
    SymFloat {
        /// Its value over the environment's symbols.
        float: Float,
        /// The node that gives it.
        node: NodeId,
    },
    /// A bool that the graph computes.
    SymBool {
        /// Its value over the environment's symbols.
        pred: Pred,
        /// The node that gives it.
        node: NodeId,
    },
    /// A tuple.
    Tuple(Vec<ValueId>),
    /// A `torch.Size`.
    Size(Vec<ValueId>),
    /// A tuple whose items have names.
    Record(Obj, Rc<RecordClass>, Vec<ValueId>),
    /// A slice: start, stop, step.
    Slice([ValueId; 3]),
    /// A range of known bounds: start, stop, step.
    Range([i64; 3]),
    /// A list, dict, set, cell or iterator.
    State(StateId),
    /// The keys, values or items of a dict, by the name of the method that gives them.
    DictView(ValueId, &'static str),
    /// A Python function.
    Function(Rc<Function>),
    /// A code object among the constants, about to become a function.
    Code(Rc<Code>),
    /// A class of containers with the class of its items, as annotations have it: `list[int]`.
    GenericAlias(ValueId, ValueId),
    /// The traceback of an exception, of which nothing is known.
    Traceback,
    /// A Python function with its first argument.
    Method {
        /// The function.
        function: ValueId,
        /// The argument.
        this: ValueId,
    },
    /// A `functools.partial`: the function, its first arguments, its keyword arguments.
    Partial(ValueId, Vec<ValueId>, Vec<(String, ValueId)>),
    /// An `itemgetter`, `attrgetter` or `methodcaller`, by the name of its class, with what it was made of.
    Getter(&'static str, Vec<ValueId>, Vec<(String, ValueId)>),
    /// A context manager of torch's, made and not yet entered.
    Context(Context),
    /// A function that runs within a context manager of torch's.
    Decorated(Context, ValueId),
    /// The method that leaves a context which was entered.
    Exit(Context),
    /// A function without Python code, or one that goes into the graph as it is, by its dotted name.
    Builtin(String),
    /// A method without Python code, by its name, with its object.
    BoundBuiltin {
        /// The object.
        this: ValueId,
        /// The method.
        name: String,
    },
    /// An exception.
    Exception {
        /// The dotted name of its class.
        name: String,
        /// Its class.
        class: Obj,
        /// What its class was called with; nothing if the interpreter made it.
        args: Option<Vec<ValueId>>,
    },
    /// A module.
    Module(String, Obj),
    /// A class, by its dotted name.
    Class(String, Obj),
    /// Another object, by the dotted name of its class.
    Object(String, Obj),
    /// An object of a class of the program's that the program has made.
    Instance(StateId),
    /// `__dict__` of an object of a class of the program's.
    InstanceDict(ValueId),
    /// `super()`: the class whose place in the method resolution order is left behind, and the object or class.
    Super(ValueId, ValueId),
}

impl Value {
    /// True for a number that is no constant.
    pub(super) fn is_symbolic(&self) -> bool {
        matches!(self, Value::SymInt { .. } | Value::SymFloat { .. } | Value::SymBool { .. })
    }

    /// True for an integer or a float, symbolic or not, and a symbolic bool.
    pub(super) fn is_number(&self) -> bool {
        self.is_symbolic() || matches!(self, Value::Const(Constant::Int(_) | Constant::Float(_)))
    }

    /// True for a tensor.
    pub(super) fn is_tensor(&self) -> bool {
        matches!(self, Value::Tensor(_))
    }
}

/// A Python function, found or made.
#[derive(Clone, Debug)]
pub(super) struct Function {
    /// Its dotted name.
    pub(super) name: String,
    /// Its code.
    pub(super) code: Rc<Code>,
    /// The function, if it was found.
    pub(super) object: Option<Obj>,
    /// The handle of the code, if it has one.
    pub(super) code_obj: Option<Obj>,
    /// The handle of the code among whose constants its own are.
    pub(super) constants: Option<Obj>,
    /// The scope of its globals.
    pub(super) globals: Globals,
    /// Defaults of the last positional parameters.
    pub(super) defaults: Vec<ValueId>,
    /// Defaults of keyword-only parameters.
    pub(super) kwdefaults: Vec<(String, ValueId)>,
    /// A cell for each free variable.
    pub(super) closure: Vec<ValueId>,
    /// Whose code it is.
    pub(super) place: Place,
    /// True if it has annotations, which generated code does not build again.
    pub(super) annotated: bool,
}

/// A key of a dict, equal as Python's keys are equal.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Key {
    /// A constant; numbers of equal value are one key.
    Const(Constant),
    /// An object that is equal to itself only.
    Obj(Obj),
    /// One that the program has made.
    Made(StateId),
    /// A tuple of keys.
    Tuple(Vec<Key>),
}

/// The current state of what can change.
#[derive(Clone, Debug)]
pub(super) enum State {
    /// A list.
    List(Vec<ValueId>),
    /// A dict: keys and values by key, in order.
    Dict(IndexMap<Key, (ValueId, ValueId)>),
    /// A `collections.deque`
    Deque(Deque),
    /// A set: its items by key, in the order in which they came.
    Set(IndexMap<Key, ValueId>, Made),
    /// A closure's cell; `None` before the variable is set.
    Cell(Option<ValueId>),
    /// An iterator.
    Iter(Iter),
    /// A stack of what is to be left.
    Stack(Vec<Leaving>),
    /// What an object of a class of the program's holds.
    Instance(Instance),
    /// An attribute of an object, or a global variable of the traced function, that the program writes.
    Slot {
        /// The object; none for a global variable.
        object: Option<ValueId>,
        /// The attribute or variable.
        name: String,
        /// What was written, if anything; NULL if it was deleted.
        value: Option<ValueId>,
    },
}

/// An object of a class of the program's that the program has made, as it is now.
#[derive(Clone, Debug)]
pub(super) struct Instance {
    /// Its class.
    pub(super) class: ValueId,
    /// Its attributes, in its `__dict__` or in members of `__slots__`, in the order in which they came.
    pub(super) attrs: IndexMap<String, ValueId>,
    /// What it holds as an instance of a class of Python's own that its class comes from: that class, by its dotted
    /// name, and a dict or list.
    pub(super) base: Option<(String, ValueId)>,
}

/// A `collections.deque`, as it is now.
#[derive(Clone, Debug)]
pub(super) struct Deque {
    pub(super) items: Vec<ValueId>,
    /// How many items it has at most.
    pub(super) most: Option<usize>,
    /// How often items came or went: an iterator over it ends then.
    pub(super) moves: usize,
}

/// What a dict does beyond being one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Table {
    /// Nothing.
    Plain,
    /// `collections.OrderedDict`
    Ordered,
    /// `collections.defaultdict`, with what makes the values that are missing.
    Default(ValueId),
    /// `collections.Counter`
    Counter,
}

/// What is in a `contextlib.ExitStack`.
#[derive(Clone, Debug)]
pub(super) enum Leaving {
    /// What is told of an exception or of none.
    Exit(ValueId),
    /// A function with its arguments.
    Callback(ValueId, Vec<ValueId>, Vec<(String, ValueId)>),
}

impl Leaving {
    /// The values that it is made of.
    pub(super) fn parts(&self) -> Vec<ValueId> {
        match self {
            Leaving::Exit(exit) => vec![*exit],
            Leaving::Callback(function, args, keywords) => {
                let keywords = keywords.iter().map(|(_, value)| value);
                [function].into_iter().chain(args).chain(keywords).copied().collect()
            }
        }
    }
}

/// How a set came to be, on which the order depends in which it gives its items.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Made {
    /// It is the caller's, and as it was: its items stand in its order.
    Found,
    /// The program has made it of constants.
    By(SetHistory),
    /// By calls that code repeats, of which only the running program tells the order.
    Again(SetCalls),
    /// In a way that cannot be gone again.
    Otherwise,
}

/// Calls of a set's methods, on what came before them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum SetCalls {
    /// A set of the caller's, or a frozen one, as the trace found it.
    Callers(ValueId),
    /// A set that the program has made of constants.
    Known(SetHistory),
    /// After one more call.
    Then(Rc<SetCall>),
}

/// A call of a method of a set that code repeats.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct SetCall {
    /// What it is called on.
    pub(super) on: SetCalls,
    /// The method. Those that give a set give the one that goes on.
    pub(super) method: &'static str,
    /// What it is given.
    pub(super) operands: Vec<CallOperand>,
    /// How many calls there are up to this one.
    pub(super) count: usize,
}

/// What a repeated call is given.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum CallOperand {
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
pub(super) enum Iter {
    /// Over a tuple: its items, the next one's place.
    Items(Vec<ValueId>, usize),
    /// What a call gives whose items are all known.
    Call(IterCall),
    /// Over a dict, by the view of it: what it showed at first, the next one's place.
    Dict(ValueId, &'static str, Vec<ValueId>, usize),
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
pub(super) struct IterCall {
    /// The function, by its dotted name.
    pub(super) function: &'static str,
    /// Its arguments, which cannot change.
    pub(super) args: Vec<ValueId>,
    /// What it gives, one by one.
    pub(super) items: Vec<ValueId>,
    /// The next one's place.
    pub(super) at: usize,
}

/// `reversed` of a list, a deque, a dict or a view of one, and where it stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Reversed {
    /// What it goes over.
    pub(super) of: ValueId,
    /// How many items are left, if nothing is removed.
    pub(super) left: usize,
    /// By which a change is noticed: how often items of a deque had come or gone, how many a dict had.
    pub(super) stamp: usize,
}

/// An iterator at its end: what another one of its type is made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Exhausted {
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
    pub(super) fn exhausted(self) -> Iter {
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
            Iter::Lazy(_) | Iter::Reversed(_) => Exhausted::Other,
            // What it gives after its end is its own business.
            Iter::Object(_) => return self,
        })
    }
}

/// A state with where it came from.
#[derive(Clone, Debug)]
pub(super) struct Row {
    /// As it is now.
    pub(super) state: State,
    /// The object that has it, if the program did not make it itself.
    pub(super) origin: Option<Obj>,
    /// True once it differs from what the origin holds.
    pub(super) changed: bool,
}

/// Items that are copied at most.
const MOST_COPIED: usize = 1 << 27;

/// What sort of thing a state is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Sort {
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

/// Everything that can change, with the way back.
#[derive(Default)]
pub(super) struct Heap {
    rows: PrimaryMap<StateId, Row>,
    /// The dicts that are more than that.
    tables: FxHashMap<StateId, Table>,
    /// The dicts of the caller's that were read as a whole, until somebody takes note of it.
    read: RefCell<Vec<StateId>>,
    /// What was changed, and how it was before, as long as that may be asked for.
    log: Vec<(StateId, Option<Row>)>,
    /// How many items were copied for the log.
    copied: usize,
}

impl State {
    /// How many items have to be copied with it, those of tables counted for as many as their copying takes.
    fn weight(&self) -> usize {
        match self {
            State::List(items) => items.len(),
            State::Deque(deque) => deque.items.len(),
            State::Dict(items) => 16 * items.len(),
            State::Set(items, _) => 16 * items.len(),
            State::Iter(
                Iter::Items(items, _)
                | Iter::Call(IterCall { items, .. })
                | Iter::Dict(_, _, items, _)
                | Iter::Set(_, items, _),
            ) => items.len() / 8,
            State::Stack(entries) => entries.len(),
            State::Instance(instance) => 16 * instance.attrs.len(),
            State::Iter(Iter::Lazy(lazy)) => lazy.parts().len() / 8,
            State::Cell(_) | State::Iter(_) | State::Slot { .. } => 1,
        }
    }
}

impl Heap {
    /// Adds a state that the program made, or that an object holds.
    pub(super) fn push(&mut self, state: State, origin: Option<Obj>) -> StateId {
        self.rows.push(Row { state, origin, changed: false })
    }

    /// The current state. Of a dict of the caller's all keys are guarded then.
    pub(super) fn get(&self, id: StateId) -> &State {
        self.note_read(id);
        &self.rows[id].state
    }

    /// What sort of thing it is, of which nothing is guarded.
    pub(super) fn sort(&self, id: StateId) -> Sort {
        match self.rows[id].state {
            State::List(_) => Sort::List,
            State::Dict(_) => Sort::Dict,
            State::Deque(_) => Sort::Deque,
            State::Set(..) => Sort::Set,
            State::Cell(_) => Sort::Cell,
            State::Iter(_) => Sort::Iter,
            State::Stack(_) => Sort::Stack,
            State::Instance(_) => Sort::Instance,
            State::Slot { .. } => Sort::Slot,
        }
    }

    /// What a dict is beyond that.
    pub(super) fn table(&self, dict: StateId) -> Table {
        self.tables.get(&dict).copied().unwrap_or(Table::Plain)
    }

    /// Makes a dict more than that.
    pub(super) fn set_table(&mut self, dict: StateId, table: Table) {
        self.tables.insert(dict, table);
    }

    /// True if an iterator over a dict has begun that has not ended. `is_it` tells whether a value is the dict.
    pub(super) fn is_iterated(&self, is_it: impl Fn(ValueId) -> bool) -> bool {
        self.rows.values().any(|row| matches!(&row.state, State::Iter(Iter::Dict(dict, ..)) if is_it(*dict)))
    }

    /// The object that has it, if the program did not make it itself.
    pub(super) fn origin(&self, id: StateId) -> Option<Obj> {
        self.rows[id].origin
    }

    /// What a dict has for a key, which the caller guards.
    pub(super) fn value_at(&self, dict: StateId, key: &Key) -> Option<ValueId> {
        match &self.rows[dict].state {
            State::Dict(items) => items.get(key).map(|&(_, value)| value),
            _ => None,
        }
    }

    /// The dicts of the caller's that were read as a whole since somebody asked.
    pub(super) fn take_read(&mut self) -> Vec<StateId> {
        std::mem::take(self.read.get_mut())
    }

    fn note_read(&self, id: StateId) {
        let row = &self.rows[id];
        if row.origin.is_some() && matches!(row.state, State::Dict(_)) {
            self.read.borrow_mut().push(id);
        }
    }

    /// The state, to be changed; what it was is logged.
    pub(super) fn change(&mut self, id: StateId) -> &mut State {
        self.note_read(id);
        self.copied += self.rows[id].state.weight();
        self.log.push((id, Some(self.rows[id].clone())));
        self.rows[id].changed = true;
        &mut self.rows[id].state
    }

    /// A point to return to.
    pub(super) fn checkpoint(&self) -> usize {
        self.log.len()
    }

    /// Forgets how things were: nobody returns to a point before this one.
    pub(super) fn commit(&mut self) {
        for (_, row) in self.log.iter_mut().rev() {
            if row.take().is_none() {
                break;
            }
        }
    }

    /// True once so much was copied that more would take seconds: containers that grow item by item are copied each
    /// time.
    pub(super) fn is_overworked(&self) -> bool {
        self.copied > MOST_COPIED
    }

    /// Undoes every change since the checkpoint.
    pub(super) fn undo(&mut self, mark: usize) {
        for (id, row) in self.log.drain(mark..).rev() {
            if let Some(row) = row {
                self.rows[id] = row;
            }
        }
    }

    /// All states as they are now, without a note that they were read.
    pub(super) fn states(&self) -> impl Iterator<Item = &State> {
        self.rows.values().map(|row| &row.state)
    }

    /// True if a state was changed that an object of the caller holds.
    pub(super) fn has_changed(&self) -> bool {
        self.log.iter().any(|&(id, _)| self.rows[id].origin.is_some())
    }

    /// How often such states were changed.
    pub(super) fn change_count(&self) -> usize {
        self.log.iter().filter(|&&(id, _)| self.rows[id].origin.is_some()).count()
    }

    /// The states that objects of the caller hold and that were changed, in the order of their first change.
    pub(super) fn changed(&self) -> Vec<StateId> {
        let mut seen = Vec::new();
        for &(id, _) in &self.log {
            if self.rows[id].origin.is_some() && !seen.contains(&id) {
                seen.push(id);
            }
        }
        seen
    }
}
