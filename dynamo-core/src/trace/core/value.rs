//! Tracked values: what the symbolic interpreter has on its stack and in its locals.
//!
//! Invariant: values live in an append-only arena and do not change. What Python can change (a list, a cell, an
//! iterator's place) is a [`StateId`], whose current state stands in the heap.

pub(in crate::trace) use super::ids::ValueId;
use super::{context::Context, frame::Globals, ids::StateId};
use crate::{
    bytecode::operands::BinaryOperator,
    host::{Code, FunctionPolicy, Obj, RecordClass},
};
use fx::NodeId;
use guards::Constant;
use std::rc::Rc;
use symshapes::{Expr, Float, Pred};

/// A kind of value.
#[derive(Clone, Debug)]
pub(in crate::trace) enum Value {
    /// NULL on the stack: the `self` slot of a call of a plain function.
    Null,
    /// An object of the running program that has not been realized (torch: `LazyVariableTracker`).
    Lazy(Obj),
    /// Deferred arithmetic on input integers: the operator, the operands.
    Computed(BinaryOperator, ValueId, ValueId),
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
    /// A named tuple.
    Record(Obj, Rc<RecordClass>, Vec<ValueId>),
    /// A slice: start, stop, step.
    Slice([ValueId; 3]),
    /// A range of known bounds: start, stop, step.
    Range([i64; 3]),
    /// A list, dict, set, cell or iterator.
    State(StateId),
    /// The view `keys`, `values` or `items` of a dict, by that name.
    DictView(ValueId, &'static str),
    /// A Python function.
    Function(Rc<Function>),
    /// A code object, the operand of `MAKE_FUNCTION`.
    Code(Rc<Code>),
    /// The traceback of an exception, which is opaque.
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
    /// The `KeyWrapper` of `functools.cmp_to_key`: the function that compares, and what it compares, if it was called.
    SortKey(ValueId, Option<ValueId>),
    /// A context manager that was not entered.
    Context(Context),
    /// A function decorated with a context manager.
    Decorated(Context, ValueId),
    /// `__exit__` of a context manager that was entered, and that manager.
    Exit(Context, ValueId),
    /// A function without bytecode, or one that is a node of the graph, by its dotted name.
    Builtin(String),
    /// A method without Python code, by its name, with its object.
    BoundBuiltin {
        /// The object.
        this: ValueId,
        /// The method.
        name: String,
    },
    /// A module.
    Module(String, Obj),
    /// A class, by its dotted name.
    Class(String, Obj),
    /// Another object, by the dotted name of its class.
    Object(String, Obj),
    /// An object of a class of the program's that the program has made, or an exception.
    Instance(StateId),
    /// `__dict__` of an object of a class of the program's.
    InstanceDict(ValueId),
    /// A weak reference to an object of the caller's that the program has made, without a callback.
    WeakRef(ValueId),
    /// A type expression that is not evaluated yet: `list[int]`, or `int | None`.
    TypeExpr(TypeOperator, ValueId, ValueId),
    /// `super()`: the class after which the MRO is searched, and the object or class.
    Super(ValueId, ValueId),
    /// The part of `torch.func.vjp` that takes cotangents. It lives in the graph, and is no value outside of it.
    Pullback(Rc<Pullback>),
}

/// A differentiated call of a function in the graph.
#[derive(Debug)]
pub(in crate::trace) struct Pullback {
    /// The operator's call, which gives the outputs.
    pub(in crate::trace) call: NodeId,
    /// The arguments of the function, by all of which it is differentiated.
    pub(in crate::trace) args: Vec<ValueId>,
    /// Their tensors at the call: a list among them may change.
    pub(in crate::trace) leaves: Vec<NodeId>,
    /// The output: a tensor, or tuples of tensors.
    pub(in crate::trace) output: ValueId,
}

impl Value {
    /// True for a symbolic number.
    pub(in crate::trace) fn is_symbolic(&self) -> bool {
        matches!(self, Value::SymInt { .. } | Value::SymFloat { .. } | Value::SymBool { .. })
    }

    /// True for an integer or a float, symbolic or not, and a symbolic bool.
    pub(in crate::trace) fn is_number(&self) -> bool {
        self.is_symbolic() || matches!(self, Value::Const(Constant::Int(_) | Constant::Float(_)))
    }

    /// The node that gives it, if one does.
    pub(in crate::trace) fn node(&self) -> Option<NodeId> {
        match *self {
            Value::Tensor(node)
            | Value::SymInt { node, .. }
            | Value::SymFloat { node, .. }
            | Value::SymBool { node, .. } => Some(node),
            _ => None,
        }
    }

    /// True for a tensor.
    pub(in crate::trace) fn is_tensor(&self) -> bool {
        matches!(self, Value::Tensor(_))
    }
}

/// An operator that makes a type of types.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::trace) enum TypeOperator {
    /// `a[b]`
    Subscript,
    /// `a | b`
    Union,
}

/// A Python function, found or made.
#[derive(Clone, Debug)]
pub(in crate::trace) struct Function {
    /// Its dotted name.
    pub(in crate::trace) name: String,
    /// Its code.
    pub(in crate::trace) code: Rc<Code>,
    /// The function, if it was found.
    pub(in crate::trace) object: Option<Obj>,
    /// The handle of the code, if it has one.
    pub(in crate::trace) code_obj: Option<Obj>,
    /// The handle of the code among whose constants its own are.
    pub(in crate::trace) constants: Option<Obj>,
    /// The scope of its globals.
    pub(in crate::trace) globals: Globals,
    /// Defaults of the last positional parameters.
    pub(in crate::trace) defaults: Vec<ValueId>,
    /// Defaults of keyword-only parameters.
    pub(in crate::trace) kwdefaults: Vec<(String, ValueId)>,
    /// A cell for each free variable.
    pub(in crate::trace) closure: Vec<ValueId>,
    /// The policy for calls of it.
    pub(in crate::trace) policy: FunctionPolicy,
    /// Its annotations, where the program makes it: a tuple of names and annotations in turn.
    pub(in crate::trace) annotations: Option<ValueId>,
    /// The function that evaluates its annotations (`__annotate__`), where the program makes it (3.14).
    pub(in crate::trace) annotate: Option<ValueId>,
}

/// Keyword arguments in the order given.
pub(in crate::trace) type Keywords = Vec<(String, ValueId)>;

/// The number of integers in a range.
pub(in crate::trace) fn range_len([start, stop, step]: [i64; 3]) -> i64 {
    let span = if step > 0 { stop.saturating_sub(start) } else { start.saturating_sub(stop) };
    let step = step.saturating_abs().max(1);
    if span <= 0 { 0 } else { (span - 1) / step + 1 }
}
