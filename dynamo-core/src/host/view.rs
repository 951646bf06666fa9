//! Views: what objects of the running program are, as far as the tracer tells objects apart.
//!
//! Each is generic over the handles of its parts: whoever looks at an object and the tracer, which knows objects by
//! number, share one declaration of the kinds of objects.

use super::Obj;
use guards::Constant;
use serde::Serialize;
use std::{rc::Rc, sync::Arc};
use symshapes::{DType, Device, NamedSize};

/// A tensor as it stands when the capture begins.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct TensorView<H = Obj> {
    /// Its class.
    pub class: H,
    /// True for a `torch.nn.Parameter`.
    pub is_parameter: bool,
    /// Element type.
    pub dtype: DType,
    /// The device of its storage.
    pub device: Device,
    /// Elements along each dimension.
    pub sizes: Vec<i64>,
    /// Elements between neighbours along each dimension.
    pub strides: Vec<i64>,
    /// Elements before the first one in its storage.
    pub offset: i64,
    /// True if autograd follows it.
    pub requires_grad: bool,
    /// True if no operation made it.
    pub is_leaf: bool,
    /// Its dispatch keys.
    pub dispatch_keys: guards::DispatchKeys,
    /// The user's marks on its dimensions, one each.
    pub marks: Vec<Mark>,
}

/// The user's mark on a dimension, beyond `dynamic=`.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub enum Mark {
    /// Nothing.
    #[default]
    None,
    /// `mark_static`
    Static,
    /// `mark_dynamic`, with the bounds that were given.
    Dynamic(Option<i64>, Option<i64>),
    /// `maybe_mark_dynamic`
    Maybe,
    /// `mark_unbacked`
    Unbacked(Unbacked),
    /// `dynamic_shapes`: the size is declared by name.
    Named(NamedSize),
    /// `dynamic_shapes`: this size and no other.
    Pinned(i64),
}

/// The bounds and group that `mark_unbacked` gives a dimension, whose size decides nothing.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Unbacked {
    /// The least size.
    pub min: Option<i64>,
    /// The greatest size.
    pub max: Option<i64>,
    /// Dimensions of one group have one size.
    pub group: Option<Arc<str>>,
}

/// A Python function.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct FunctionView<H = Obj> {
    /// `__code__`
    pub code: H,
    /// `__globals__`
    pub globals: H,
    /// `__defaults__`
    pub defaults: Vec<H>,
    /// `__kwdefaults__`
    pub kwdefaults: Vec<(String, H)>,
    /// `__closure__`
    pub closure: Vec<H>,
    /// The dotted name, module first.
    pub name: String,
    /// The policy for calls of it.
    pub policy: FunctionPolicy,
}

/// A class of tuples whose items have names.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct RecordClass<H = Obj> {
    /// Its dotted name.
    pub name: String,
    /// The names of the items.
    pub fields: Vec<String>,
    /// The defaults of the last items.
    pub defaults: Vec<H>,
    /// True if calling the class takes one sequence, as torch's results do, and not the items.
    pub of_sequence: bool,
}

/// The policy for calls of a function: whether they are inlined, by whose code it is and what the user has said.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub enum FunctionPolicy {
    /// The user's, or a library's that may be traced into.
    Inlined,
    /// One that goes into the graph as it is.
    InGraph,
    /// One of torch's that goes into the graph as it is, but where calls are lowered: there it is inlined, since no
    /// overload takes its arguments.
    Composed,
    /// One of which the user has said that it gives the same each time.
    Constant,
    /// One that is never traced: the standard library's, torch's own.
    Skipped,
    /// One of which the user has said that it is not to be traced.
    Disabled,
}

/// The kinds of objects that the tracer tells apart. The parts of an object are handles `H`: numbers for the tracer,
/// the interpreter's own objects for whoever looks at the object.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub enum View<H = Obj> {
    /// A value without identity that matters: `None`, numbers, strings, bytes, dtypes, devices.
    Constant(Constant),
    /// Exactly `tuple`.
    Tuple(Vec<H>),
    /// `torch.Size`
    Size(Vec<H>),
    /// A named tuple, or one of torch's, of exactly this class.
    Record(H, Rc<RecordClass<H>>, Vec<H>),
    /// A `functools.partial`: the function, its first arguments, its keyword arguments.
    Partial(H, Vec<H>, Vec<(String, H)>),
    /// An `itemgetter`, `attrgetter` or `methodcaller` of `operator`, by the name of its class: what it was made of.
    Getter(String, Vec<H>),
    /// Exactly `set`, in the order in which it gives its items.
    Set(Vec<H>),
    /// Exactly `frozenset`, of other items than constants, in the order in which it gives them.
    FrozenSet(Vec<H>),
    /// Exactly `list`.
    List(Vec<H>),
    /// Exactly `dict`, in its order.
    Dict(Vec<(H, H)>),
    /// Another class of dicts, in its order.
    Table(Table<H>, Vec<(H, H)>),
    /// Exactly `collections.deque`, and how many items it has at most.
    Deque(Vec<H>, Option<usize>),
    /// An iterator over a tuple: the tuple's items, and the next one's place.
    TupleIterator(Vec<H>, usize),
    /// Exactly `slice`: start, stop, step.
    Slice([H; 3]),
    /// Exactly `range`: start, stop, step.
    Range([i64; 3]),
    /// A tensor of a class that the tracer knows.
    Tensor(Box<TensorView<H>>),
    /// Exactly `numpy.ndarray`, writable, as the tensor that shares its memory; or one of NumPy's scalars.
    NdArray(Box<TensorView<H>>, bool),
    /// A Python function.
    Function(Box<FunctionView<H>>),
    /// A bound method: the function and its first argument.
    Method(H, H),
    /// A cell of a closure, and what it holds.
    Cell(Option<H>),
    /// A module, by name.
    Module(String),
    /// A class, by its dotted name.
    Class(String),
    /// A function or method without Python code, by its dotted name: `builtins.len`, `torch.relu`, `Tensor.add`.
    Builtin(String),
    /// A method without Python code of an object: the object, the method's name.
    BoundBuiltin(H, String),
    /// Anything else, by the dotted name of its class.
    Object(String),
}

impl<H: Clone> View<H> {
    /// The view with other handles of its parts.
    pub fn map<G>(self, handle: &mut impl FnMut(H) -> G) -> View<G> {
        fn all<H, G>(items: Vec<H>, handle: &mut impl FnMut(H) -> G) -> Vec<G> {
            items.into_iter().map(handle).collect()
        }
        fn pairs<H, G>(items: Vec<(H, H)>, handle: &mut impl FnMut(H) -> G) -> Vec<(G, G)> {
            items.into_iter().map(|(key, value)| (handle(key), handle(value))).collect()
        }
        match self {
            View::Constant(constant) => View::Constant(constant),
            View::Tuple(items) => View::Tuple(all(items, handle)),
            View::Size(items) => View::Size(all(items, handle)),
            View::Record(class, record, items) => {
                let (class, RecordClass { name, fields, defaults, of_sequence }) =
                    (handle(class), Rc::unwrap_or_clone(record));
                let record = RecordClass { name, fields, defaults: all(defaults, handle), of_sequence };
                View::Record(class, Rc::new(record), all(items, handle))
            }
            View::Partial(function, args, keywords) => {
                let keywords = keywords.into_iter().map(|(name, value)| (name, handle(value))).collect();
                View::Partial(handle(function), all(args, handle), keywords)
            }
            View::Getter(class, parts) => View::Getter(class, all(parts, handle)),
            View::Set(items) => View::Set(all(items, handle)),
            View::FrozenSet(items) => View::FrozenSet(all(items, handle)),
            View::List(items) => View::List(all(items, handle)),
            View::Dict(items) => View::Dict(pairs(items, handle)),
            View::Table(table, items) => {
                let table = match table {
                    Table::Ordered => Table::Ordered,
                    Table::Default(factory) => Table::Default(handle(factory)),
                    Table::Counter => Table::Counter,
                };
                View::Table(table, pairs(items, handle))
            }
            View::Deque(items, most) => View::Deque(all(items, handle), most),
            View::TupleIterator(items, at) => View::TupleIterator(all(items, handle), at),
            View::Slice(parts) => View::Slice(parts.map(handle)),
            View::Range(bounds) => View::Range(bounds),
            View::Tensor(tensor) => View::Tensor(Box::new(tensor.map(handle))),
            View::NdArray(array, is_scalar) => View::NdArray(Box::new(array.map(handle)), is_scalar),
            View::Function(function) => View::Function(Box::new(function.map(handle))),
            View::Method(function, this) => View::Method(handle(function), handle(this)),
            View::Cell(content) => View::Cell(content.map(handle)),
            View::Module(name) => View::Module(name),
            View::Class(name) => View::Class(name),
            View::Builtin(name) => View::Builtin(name),
            View::BoundBuiltin(this, name) => View::BoundBuiltin(handle(this), name),
            View::Object(class) => View::Object(class),
        }
    }
}

impl<H> TensorView<H> {
    fn map<G>(self, handle: &mut impl FnMut(H) -> G) -> TensorView<G> {
        let TensorView {
            class,
            is_parameter,
            dtype,
            device,
            sizes,
            strides,
            offset,
            requires_grad,
            is_leaf,
            dispatch_keys,
            marks,
        } = self;
        let class = handle(class);
        TensorView {
            class,
            is_parameter,
            dtype,
            device,
            sizes,
            strides,
            offset,
            requires_grad,
            is_leaf,
            dispatch_keys,
            marks,
        }
    }
}

impl<H> FunctionView<H> {
    fn map<G>(self, handle: &mut impl FnMut(H) -> G) -> FunctionView<G> {
        let FunctionView { code, globals, defaults, kwdefaults, closure, name, policy } = self;
        FunctionView {
            kwdefaults: kwdefaults.into_iter().map(|(name, value)| (name, handle(value))).collect(),
            code: handle(code),
            globals: handle(globals),
            defaults: defaults.into_iter().map(&mut *handle).collect(),
            closure: closure.into_iter().map(&mut *handle).collect(),
            name,
            policy,
        }
    }
}

/// A class of dicts that do more than `dict`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub enum Table<H = Obj> {
    /// Exactly `collections.OrderedDict`.
    Ordered,
    /// Exactly `collections.defaultdict`, and what makes the values that are missing.
    Default(H),
    /// Exactly `collections.Counter`.
    Counter,
}
