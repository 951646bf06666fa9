//! The reference interpreter: slow and obvious, the oracle for every compiled path.
//!
//! It runs graphs of functional ATen calls. Integers are exact; floats are computed in `float64` and rounded to the
//! result's dtype once per op. There is no autograd, no aliasing and no mutation: an overload that writes to an
//! argument is an error, as is every op without a rule; nothing is guessed.

mod activation;
mod call;
mod conv;
mod create;
mod index;
mod matmul;
mod norm;
mod plain;
mod pointwise;
mod pool;
mod reduce;
pub mod scalar;
mod tensor;
mod view;

pub use tensor::{Tensor, broadcast_sizes};

use call::{Call, Env, Result};
use fx::{
    arg::Arg,
    aten::{Aten, BindError, Packet},
    graph::{Graph, Kind, Node, NodeId},
};
use rustc_hash::FxHashMap;
use std::sync::OnceLock;

/// The value of a node.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    /// A tensor.
    Tensor(Tensor),
    /// A tuple or list.
    Tuple(Vec<Value>),
    /// A value without tensors.
    Plain(Arg),
}

/// The reason why a graph could not be run.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum InterpError {
    /// An error at a node.
    #[error("{node}: {error}")]
    At {
        /// The node's name.
        node: String,
        /// The error there.
        error: Box<InterpError>,
    },
    /// A target without a rule.
    #[error("no rule for `{0}`")]
    NoRule(String),
    /// A call that does not fit its schema.
    #[error(transparent)]
    Bind(#[from] BindError),
    /// A case of an op that the rule does not cover, or that torch rejects.
    #[error("{op}: {what}")]
    Unsupported {
        /// The op.
        op: String,
        /// The case.
        what: String,
    },
    /// A size that is not a number.
    #[error("a symbol without a value")]
    Symbol,
    /// Fewer inputs than placeholders.
    #[error("no input for this placeholder")]
    MissingInput,
}

/// Runs the graph on `inputs`, one for each placeholder in order, and gives the outputs (one value for a graph that
/// returns no tuple).
pub fn run(graph: &Graph, inputs: &[Value]) -> Result<Vec<Value>> {
    run_with(graph, inputs, |_| None)
}

/// As [`run`]; `attribute` gives the values of `get_attr` nodes by their path.
pub fn run_with(graph: &Graph, inputs: &[Value], attribute: impl Fn(&str) -> Option<Value>) -> Result<Vec<Value>> {
    let mut env = Env::default();
    let mut inputs = inputs.iter();
    for id in graph.nodes() {
        let node = &graph[id];
        let at = |error| InterpError::At { node: node.name.to_string(), error: Box::new(error) };
        let value = match node.kind {
            Kind::Placeholder => inputs.next().cloned().ok_or(InterpError::MissingInput),
            Kind::GetAttr => {
                attribute(&node.target).ok_or_else(|| InterpError::NoRule(node.target.as_str().to_owned()))
            }
            Kind::Output => return outputs(graph, &env, node).map_err(at),
            _ => evaluate(graph, &env, node),
        };
        env.insert(id, value.map_err(at)?);
    }
    Ok(Vec::new())
}

fn outputs(graph: &Graph, env: &Env, node: &Node) -> Result<Vec<Value>> {
    match resolve(graph, env, node.args.first().unwrap_or(&Arg::None))? {
        Value::Tuple(values) => Ok(values),
        value => Ok(vec![value]),
    }
}

/// The value of a node that calls something.
fn evaluate(graph: &Graph, env: &Env, node: &Node) -> Result {
    let no_rule = || InterpError::NoRule(node.target.as_str().to_owned());
    if node.kind != Kind::CallFunction {
        return Err(no_rule());
    }
    let Some(op) = node.op() else {
        let args: Vec<Value> = node.args.iter().map(|a| resolve(graph, env, a)).collect::<Result<_>>()?;
        return plain::call(&node.target, &args).ok_or_else(no_rule);
    };
    let args = node.args.iter().map(|a| substitute(graph, env, a)).collect::<Result<Vec<Arg>>>()?;
    let kwargs = node.kwargs.iter().map(|(k, v)| Ok((k.clone(), substitute(graph, env, v)?)));
    let kwargs = kwargs.collect::<Result<Vec<_>>>()?;
    apply(op, &args, &kwargs, env)
}

/// Applies an overload to arguments whose nodes are tensors in `env`.
fn apply(op: Aten, args: &[Arg], kwargs: &[(String, Arg)], env: &Env) -> Result {
    let rule = rule(op).ok_or_else(|| InterpError::NoRule(op.name().to_owned()))?;
    rule(&Call::new(op.bind(args, kwargs)?, env))
}

/// Calls one overload on values, without a graph.
pub fn call(target: &str, args: &[Value], kwargs: &[(&str, Value)]) -> Result {
    let op = Aten::named(target).ok_or_else(|| InterpError::NoRule(target.to_owned()))?;
    let mut env = Env::default();
    let args: Vec<Arg> = args.iter().map(|v| bind_value(&mut env, v)).collect();
    let kwargs: Vec<_> = kwargs.iter().map(|(k, v)| ((*k).to_owned(), bind_value(&mut env, v))).collect();
    apply(op, &args, &kwargs, &env)
}

/// True for an overload that is interpreted.
pub fn has_rule(op: Aten) -> bool {
    rule(op).is_some()
}

/// The argument that stands for `value`, whose tensors get fresh ids.
fn bind_value(env: &mut Env, value: &Value) -> Arg {
    match value {
        Value::Plain(arg) => arg.clone(),
        Value::Tuple(items) => Arg::List(items.iter().map(|v| bind_value(env, v)).collect()),
        Value::Tensor(_) => {
            let id = NodeId::from_u32(env.len() as u32);
            env.insert(id, value.clone());
            Arg::Node(id)
        }
    }
}

/// A rule: computes the result of a call.
type Rule = fn(&Call) -> Result;

/// The rule of an overload, by its operator. Of what writes into its arguments only
/// `copy_` has one: it gives the value that the argument has then, and who asks for the argument gets the old one (in a
/// graph that changes its inputs nobody does).
fn rule(op: Aten) -> Option<Rule> {
    static INDEX: OnceLock<FxHashMap<Packet, Rule>> = OnceLock::new();
    if op.mutates() && op.packet() != Packet::copy_ {
        return None;
    }
    let families =
        [view::RULES, create::RULES, reduce::RULES, matmul::RULES, norm::RULES, conv::RULES, pool::RULES, index::RULES];
    let index = INDEX.get_or_init(|| families.into_iter().flatten().copied().collect());
    let named = index.get(&op.packet()).copied();
    let is_computed = fx::infer::pointwise::row(op).is_some() && pointwise::computes(op.packet());
    named.or_else(|| is_computed.then_some(pointwise::rule as Rule))
}

/// The argument with its nodes' values put in.
fn resolve(graph: &Graph, env: &Env, arg: &Arg) -> Result {
    let all = |items: &[Arg]| items.iter().map(|a| resolve(graph, env, a)).collect::<Result<Vec<Value>>>();
    match arg {
        Arg::Node(node) => Ok(env.get(node).expect("a node uses only nodes before it").clone()),
        Arg::List(items) | Arg::Tuple(items) => Ok(Value::Tuple(all(items)?)),
        other => Ok(Value::Plain(substitute(graph, env, other)?)),
    }
}

/// The argument with plain values put in for the nodes that have them, and numbers for expressions.
fn substitute(graph: &Graph, env: &Env, arg: &Arg) -> Result<Arg> {
    let all = |items: &[Arg]| items.iter().map(|a| substitute(graph, env, a)).collect::<Result<Vec<Arg>>>();
    Ok(match arg {
        Arg::Node(node) => match env.get(node) {
            Some(Value::Plain(plain)) => plain.clone(),
            _ => arg.clone(),
        },
        Arg::Sym(expr) => Arg::Int(graph.exprs.as_int(*expr).ok_or(InterpError::Symbol)?),
        Arg::List(items) => Arg::List(all(items)?),
        Arg::Tuple(items) => Arg::Tuple(all(items)?),
        other => other.clone(),
    })
}
