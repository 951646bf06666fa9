//! The interface of the tracer to the interpreter: questions about objects, by handle.
//!
//! Invariants: an object has one handle for the length of a capture, so that handles are equal exactly if objects are
//! identical; no answer runs the user's code. Where only that could answer, the answer is [`Lookup::Unknown`] or
//! [`View::Object`], and the tracer breaks the graph.

mod replay;
mod view;

pub use replay::{Journal, Present, Recorder};
pub use view::{FunctionPolicy, FunctionView, Mark, RecordClass, Table, TensorView, Unbacked, View};

use crate::bytecode::{Body, CodeObject, DecodeError, Inst, Version, decode};
use cranelift_entity::{SecondaryMap, entity_impl};
use fx::{Arg, Graph, Meta, NodeId};
use guards::{Constant, ObjectInfo};
use serde::{Deserialize, Serialize};
use std::rc::Rc;
use symshapes::{DType, Device, DeviceKind, ShapeEnv};

/// The prefix of the names of functions that the program allows in graphs.
pub const ALLOWED: &str = "allowed.";

/// An object of the interpreter, alive at least as long as the capture.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Obj(u32);
entity_impl!(Obj, "obj");

/// A code object, taken apart once.
#[derive(Debug)]
pub struct Code {
    /// As the interpreter has it.
    pub object: CodeObject,
    /// Its instructions.
    pub body: Body,
    /// The place of each instruction in the body's order.
    pub places: SecondaryMap<Inst, u32>,
}

impl Code {
    /// Takes a code object apart.
    ///
    /// # Errors
    /// Its bytecode is none of this version.
    pub fn new(object: CodeObject, version: Version) -> Result<Code, DecodeError> {
        let body = decode(version, &object)?;
        let mut places = SecondaryMap::new();
        for (place, &inst) in (0..).zip(body.order()) {
            places[inst] = place;
        }
        Ok(Code { object, body, places })
    }
}

/// The answer to a read of an attribute.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub enum Lookup {
    /// It is there.
    Found(Obj),
    /// A property, which this function reads.
    Property(Obj),
    /// It is not there.
    Absent,
    /// Only running code could tell.
    Unknown,
}

/// The ways to read attributes that are `object.__getattribute__`, by whatever class has them.
pub const READ_GENERICALLY: [&str; 13] = [
    "builtins.BaseException.__getattribute__",
    "builtins.object.__getattribute__",
    "builtins.dict.__getattribute__",
    "builtins.float.__getattribute__",
    "builtins.frozenset.__getattribute__",
    "builtins.int.__getattribute__",
    "builtins.list.__getattribute__",
    "builtins.module.__getattribute__",
    "builtins.set.__getattribute__",
    "builtins.str.__getattribute__",
    "builtins.tuple.__getattribute__",
    "collections.OrderedDict.__getattribute__",
    "types.SimpleNamespace.__getattribute__",
];

/// The kinds of equality of the members of enumerations.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub enum EnumMember {
    /// Equal to nothing but itself.
    Itself,
    /// Equal to its `_value_` too: the class also comes from `int`, `float` or `str`, and defines no equality itself.
    Value,
    /// Equal to whatever its class says.
    Other,
}

/// The kinds of attributes of a class, found along its method resolution order and bound to nothing.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub enum ClassAttr {
    /// A Python function: a method.
    Function(Obj),
    /// `staticmethod` of this.
    StaticMethod(Obj),
    /// `classmethod` of this.
    ClassMethod(Obj),
    /// A property: the functions that read, write and delete it.
    Property([Option<Obj>; 3]),
    /// `functools.cached_property`: the function, and the name under which instances keep the value.
    CachedProperty(Obj, String),
    /// A member of `__slots__`.
    Member,
    /// A method without Python code, by its dotted name: `builtins.object.__init__`.
    Builtin(String, Obj),
    /// Another descriptor, whose class says by Python functions what reading and writing it does, if it says so.
    Descriptor {
        /// The descriptor.
        object: Obj,
        /// True if it takes part in writing, and so comes before what an instance has of the same name.
        is_data: bool,
    },
    /// An object that instances see as it is.
    Plain(Obj),
}

/// The steps by which a set was made, the last one first; nothing is the empty set.
pub type SetHistory = Option<Rc<SetStep>>;

/// A method that was called on a set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SetStep {
    /// The steps before it.
    pub before: SetHistory,
    /// The method. Those that give a set give the one that goes on.
    pub method: &'static str,
    /// Its operands.
    pub operands: Vec<SetOperand>,
    /// The number of steps up to this one.
    pub count: usize,
}

/// The kinds of operands of a method of a set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SetOperand {
    /// An item.
    Item(Constant),
    /// Items one by one.
    Items(Vec<Constant>),
    /// A dict of these keys.
    Keys(Vec<Constant>),
    /// Another set.
    Set(SetHistory),
    /// A frozen set that is the same in each call.
    Frozen(Obj),
}

/// The scope in which a global name was found.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub enum Scope {
    /// Among the module's own.
    Module,
    /// Among the builtins.
    Builtins,
}

/// The kind of object that NumPy gives for a call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NumpyResult {
    /// An array, or a scalar.
    One {
        /// True for a scalar.
        is_scalar: bool,
    },
    /// A tuple of arrays and scalars: which are scalars.
    Tuple(Vec<bool>),
    /// A list of them.
    List(Vec<bool>),
}

/// The conditions under which torch is asked for the result of a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ask {
    /// Whether autograd records.
    pub grad: bool,
    /// Whether symbolic sizes are what they are now, so that the answer holds for this call alone.
    pub by_hints: bool,
    /// Whether inputs that require gradients are leaves of the autograd graph, rather than results of recorded calls.
    pub leaves: bool,
    /// The switches of [`guards::ATTENTION_KERNELS`] that the program has set.
    pub attention: [Option<bool>; guards::ATTENTION_KERNELS.len()],
    /// The order in which torch tries them, if the program has set one.
    pub attention_order: Option<guards::AttentionOrder>,
}

/// The calls of ATen overloads that one call comes down to.
#[derive(Clone, Debug)]
pub struct Parts {
    /// The calls, whose metadata is over the expressions of the environment, and what they give: a tensor or a tuple.
    pub graph: Graph,
    /// The nodes that its placeholders stand for, in order.
    pub operands: Vec<NodeId>,
}

/// The reason why a pure call on constants gave nothing.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub enum FoldError {
    /// It raised: the exception's class and text.
    Raised(String),
    /// The result is no constant.
    NotConstant,
}

/// The interpreter, as the tracer sees it.
pub trait Host {
    /// The version whose bytecode runs.
    fn version(&self) -> Version;

    /// The number of handles that it has given out: they are numbered from zero.
    fn handles(&self) -> usize;

    /// The view of an object.
    fn view(&mut self, obj: Obj) -> View;

    /// The type of an object.
    fn class_of(&mut self, obj: Obj) -> Obj;

    /// The class of this dotted name.
    fn class_named(&mut self, name: &str) -> Option<Obj>;

    /// The name of a class as the interpreter's texts have it (`tp_name`): of some of Python's own with the module.
    fn type_name(&mut self, _class: Obj) -> Option<String> {
        None
    }

    /// True for a class whose attributes nobody can change.
    fn is_immutable(&mut self, class: Obj) -> bool;

    /// The version tag of a class, which a change of it or of a base changes; zero if it can have none.
    fn class_version(&mut self, _class: Obj) -> u32 {
        0
    }

    /// True for an object whose weak references call something once it is gone, and for such a reference.
    fn has_weakref_callback(&mut self, _obj: Obj) -> bool {
        false
    }

    /// The function that is to be traced where this one is called, if the program has said so.
    fn substitute(&mut self, function: Obj) -> Option<Obj>;

    /// The text that is printed for an object's type: `<class 'int'>`. Nothing is assumed of the object.
    fn class_repr(&mut self, obj: Obj) -> String;

    /// The text that is printed for an object, and its address.
    fn info(&mut self, obj: Obj) -> ObjectInfo;

    /// The address of an object, for a program that sees it.
    fn address(&mut self, obj: Obj) -> u64 {
        self.info(obj).address
    }

    /// The items of a set or frozen set of constants, in its order.
    fn set_items(&mut self, set: Obj) -> Option<Vec<Constant>>;

    /// The items of a set that is made in this way, in its order.
    fn set_order(&mut self, history: &SetHistory) -> Option<Vec<Constant>>;

    /// True if a dict or set holds these keys, which are all of its own, under the hashes given, and under that of the
    /// object where none is given. No code of the program's runs.
    fn holds_under(&mut self, _container: Obj, _keys: &[(Obj, Option<i64>)]) -> bool {
        false
    }

    /// A frozen set of these items.
    fn frozenset(&mut self, of: &SetOperand) -> Option<Obj>;

    /// The result of a method of a frozen set that combines it with another set.
    fn combined_frozenset(&mut self, set: Obj, method: &str, other: &SetOperand) -> Option<Obj>;

    /// True if tensors have a method of this name.
    fn has_method(&mut self, name: &str) -> bool;

    /// The program's replacement of a method of `torch.Tensor`, or of `torch.nn.Parameter`, if there is one.
    fn replaced_method(&mut self, _of_parameter: bool, _name: &str) -> Option<Obj> {
        None
    }

    /// True for a function of torch's own, with Python code or without.
    fn is_of_torch(&mut self, _function: Obj) -> bool {
        true
    }

    /// The target of calls of `apply` of a class that comes from `torch.autograd.Function`.
    fn autograd_target(&mut self, _class: Obj) -> Option<String> {
        None
    }

    /// True for an operator of a library, by its name in `torch.ops`, whose schema says that it changes no argument and
    /// gives none back.
    fn is_functional(&mut self, _operator: &str) -> bool {
        false
    }

    /// True for an operator, by its name in `torch.ops`, that gives nothing.
    fn gives_nothing(&mut self, _operator: &str) -> bool {
        false
    }

    /// True for an operator of this name in `torch.ops`.
    fn has_operator(&mut self, _operator: &str) -> bool {
        false
    }

    /// Whether `match` takes the objects of a class for sequences, and for mappings.
    fn protocols(&mut self, _class: Obj) -> (bool, bool) {
        (false, false)
    }

    /// The kind of equality of a member of an enumeration; `None` for an object that is no such member.
    fn enum_member(&mut self, _obj: Obj) -> Option<EnumMember> {
        None
    }

    /// The names of the members of an enumeration, in their order; `None` for any other class.
    fn enum_members(&mut self, _class: Obj) -> Option<Vec<String>> {
        None
    }

    /// The member of an enumeration that has a value, or the combination of flags; `None` if there is none, or if its
    /// class decides.
    fn enum_by_value(&mut self, _class: Obj, _value: &Constant) -> Option<Obj> {
        None
    }

    /// True if writing this attribute does no more than that.
    fn plain_setattr(&mut self, obj: Obj, name: &str) -> bool;

    /// True if deleting an attribute of the object's own does no more than that, and its class has none of this name.
    fn plain_delattr(&mut self, obj: Obj, name: &str) -> bool;

    /// Reads an attribute.
    fn attr(&mut self, obj: Obj, name: &str) -> Lookup;

    /// The attribute of a class under a name, along its method resolution order, and the place there of the class that
    /// has it. With `after`, the classes up to that one are left out, as `super` does. `None` if there is nothing.
    fn class_attr(&mut self, class: Obj, name: &str, after: Option<Obj>) -> Option<(usize, ClassAttr)>;

    /// The value for a key in a dict whose keys are strings.
    fn item(&mut self, dict: Obj, key: &str) -> Option<Obj>;

    /// True for a `torch.nn.Module` without hooks of its own, and whose call is not compiled by `Module.compile`.
    fn has_no_hooks(&mut self, module: Obj) -> bool;

    /// The class of Python's own that a class of the program's comes from, by its dotted name, which decides what its
    /// instances hold beside attributes: `builtins.object` if that is nothing. `None` for a class with abstract
    /// methods, or one that comes from other classes without Python code.
    fn solid_base(&mut self, class: Obj) -> Option<String>;

    /// The view of an object as an instance of the class of Python's own that its class comes from.
    fn base_view(&mut self, obj: Obj) -> Option<View>;

    /// The dict in which an object or a module keeps its attributes.
    fn dict_of(&mut self, object: Obj) -> Option<Obj>;

    /// The direct subclasses that `type.__subclasses__` lists of a class.
    fn subclasses(&mut self, _class: Obj) -> Option<Vec<Obj>> {
        None
    }

    /// The method resolution order of a class.
    fn mro(&mut self, class: Obj) -> Vec<Obj>;

    /// True if an object has a `__dict__`.
    fn has_dict(&mut self, obj: Obj) -> bool;

    /// The attribute that an object itself has under a name, in its `__dict__` or in a member of `__slots__`.
    fn instance_attr(&mut self, obj: Obj, name: &str) -> Option<Obj>;

    /// True for an attribute that `hasattr` finds in a class, be it that of its metaclass.
    fn class_has(&mut self, class: Obj, name: &str) -> bool;

    /// The element type of floating-point tensors of which nothing is said.
    fn default_dtype(&self) -> DType {
        DType::F32
    }

    /// True for a class of exceptions that keep nothing but their arguments, whatever its own `__init__` does.
    fn is_exception(&mut self, class: Obj) -> bool;

    /// Whether a class is, or comes from, another one; `None` if that one has its own idea of it.
    fn is_subclass(&mut self, class: Obj, of: Obj) -> Option<bool>;

    /// For a class with which others can be registered, the number that changes when any class is registered with one.
    fn abstract_token(&mut self, _class: Obj) -> Option<i64> {
        None
    }

    /// The description of a class of tuples with named items; `None` for every other class.
    fn record_class(&mut self, class: Obj) -> Option<Rc<RecordClass>>;

    /// The class of what a function or method of torch gives, if it gives a tuple with named items.
    fn result_class(&mut self, target: &str) -> Option<Obj>;

    /// True if autograd records when the capture begins.
    fn grad_enabled(&self) -> bool;

    /// True if tensors that can never record gradients are made when the capture begins.
    fn inference_mode(&self) -> bool {
        false
    }

    /// True if the program is within `torch._dynamo.error_on_graph_break(True)` when the capture begins.
    fn refuses_breaks(&self) -> bool {
        false
    }

    /// The default device of new tensors, if a mode sets one when the capture begins.
    fn default_device(&self) -> Option<Device> {
        None
    }

    /// The devices for which autocast is on when the capture begins, and the element type that it chooses there.
    fn autocast(&self) -> Vec<(DeviceKind, DType)> {
        Vec::new()
    }

    /// True if the function is called where an exception is handled.
    fn handles_exception(&self) -> bool {
        false
    }

    /// A module that is loaded, by its whole name.
    fn module(&mut self, name: &str) -> Option<Obj>;

    /// Looks a name up in a module's scope, then among the builtins.
    fn global(&mut self, globals: Obj, name: &str) -> Option<(Obj, Scope)>;

    /// A code object, taken apart; `None` if its bytecode is none that we know.
    fn code(&mut self, code: Obj) -> Option<Rc<Code>>;

    /// A constant that a code object holds and that has no plain counterpart.
    fn opaque(&mut self, code: Obj, index: u32) -> Option<Obj>;

    /// The object that a weak reference of exactly `weakref.ref` or `weakref.KeyedRef` refers to, or `None` of Python's
    /// once that is gone; no handle for any other object.
    fn referent(&mut self, _reference: Obj) -> Option<Obj> {
        None
    }

    /// A function without Python code bound to an object, as a method is.
    fn bound(&mut self, _function: Obj, _object: Obj) -> Option<Obj> {
        None
    }

    /// The result of a function that `functools.lru_cache` has made, or of one bound to an object, for a pair:
    /// positional arguments, and pairs of keywords and arguments. With `kept` only a result that it has cached in an
    /// earlier call. `None` for any other object, and where the call raises.
    fn cached(&mut self, _function: Obj, _arguments: &Constant, _kept: bool) -> Option<Obj> {
        None
    }

    /// Calls the function within one of `functools.singledispatch` that chooses by a class, so that it keeps its choice
    /// as a call by the program would have it.
    fn keep_choice(&mut self, _function: Obj, _class: Obj) {}

    /// The result for constants of a function of which the user has said that it gives the same each time.
    fn assume(&mut self, function: Obj, args: &[Constant]) -> Option<Obj>;

    /// Calls a function that has no effect, named as [`View::Builtin`] names it, on constants. A list that a method of
    /// strings or bytes gives is a tuple here.
    ///
    /// # Errors
    /// If it raises, or gives no constant.
    fn fold(&mut self, function: &str, args: &[Constant]) -> Result<Constant, FoldError> {
        self.fold_with(function, args, &[])
    }

    /// Counterpart of [`Host::fold`] with keyword arguments.
    ///
    /// # Errors
    /// If it raises, or gives no constant.
    fn fold_with(
        &mut self,
        function: &str,
        args: &[Constant],
        keywords: &[(String, Constant)],
    ) -> Result<Constant, FoldError>;

    /// A new class of named tuples: what `collections.namedtuple` gives for constants.
    ///
    /// # Errors
    /// If it raises.
    fn named_tuple(&mut self, _args: &[Constant], _keywords: &[(String, Constant)]) -> Result<Obj, FoldError> {
        Err(FoldError::NotConstant)
    }

    /// Has a lazy module make its parameters for these arguments of its hook; true if it did. It is another module
    /// then, and all that was traced is stale: the capture begins anew.
    fn initialize_lazy(&mut self, _module: Obj, _graph: &Graph, _env: &ShapeEnv, _args: &[Arg]) -> bool {
        false
    }

    /// The kind of object that NumPy gives for the call of NumPy that a node stands for; `None` where values, element
    /// type or memory differ from the node's. `scalars` are the arguments that are NumPy's scalars.
    fn numpy_agrees(
        &mut self,
        _graph: &Graph,
        _env: &ShapeEnv,
        _node: NodeId,
        _scalars: &[NodeId],
    ) -> Option<NumpyResult> {
        None
    }

    /// The metadata of a node's result, found by letting torch run it on tensors without data: for calls that have no
    /// rule. The metadata of its arguments, and of its result, is over the expressions of `env`.
    ///
    /// # Errors
    /// Torch's own message, or that sizes are symbolic.
    fn infer(&mut self, graph: &Graph, env: &mut ShapeEnv, node: NodeId, ask: Ask) -> Result<Meta, String>;

    /// The ATen calls that a node comes down to where autograd records nothing, found in the same way; `None` if that
    /// is not known, or differs between calls.
    fn parts(&mut self, _graph: &Graph, _env: &mut ShapeEnv, _node: NodeId) -> Option<Parts> {
        None
    }
}
