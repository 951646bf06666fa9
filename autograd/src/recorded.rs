//! Calls that torch's autograd records and differentiates itself: those without a derivative here.
//!
//! In the place of such a call stands one of [`FORWARD`]. Its arguments are the overload, the numbers of the tensors
//! among the operands that gradients are asked for, the inputs of the graph in whose memory operands may be, and the
//! arguments of the call. It gives the results, and after them a token: a tensor without elements, through which the
//! backward finds autograd's node. A call of [`BACKWARD`] gives the gradients by those operands, of the token, their
//! strides (`None` for those of `torch.empty_like`) and the gradients by the results. It reads nothing else, so that
//! what eager saves is saved, and each random number drawn once.

use crate::build::{Build, Outcome};
use crate::formulas;
use fx::aten::Aten;
use fx::infer::{sizes::Sizes, strides};
use fx::{Arg, Graph, Kind, Meta, NodeId, Target, TensorMeta};
use rustc_hash::FxHashSet;
use symshapes::{DType, Device, Expr};

/// The target of calls that autograd records.
pub const FORWARD: &str = "rust_inductor._recorded.forward";

/// The number of arguments of a call of [`FORWARD`] before those of the call that is recorded.
const BEFORE: usize = 3;

/// The target of calls that give their gradients.
pub const BACKWARD: &str = "rust_inductor._recorded.backward";

/// Answers of torch about the calls that it differentiates.
pub trait Torch {
    /// Whether autograd follows each result of a call of [`FORWARD`]; `None` where torch cannot tell.
    fn follows(&self, graph: &Graph, call: NodeId) -> Option<Vec<bool>>;

    /// The strides that torch gives the gradients by the operands of a call of [`FORWARD`], for those gradients by its
    /// results that there are; `None` for an operand without a gradient. `None` where torch cannot tell.
    fn strides(&self, graph: &Graph, call: NodeId, grads: &[Option<NodeId>]) -> Option<Vec<Option<Vec<i64>>>>;
}

/// Nobody to be asked: autograd follows all results, and gradients are laid out as their operands.
#[derive(Clone, Copy, Debug)]
pub struct LikeOperands;

impl Torch for LikeOperands {
    fn follows(&self, graph: &Graph, call: NodeId) -> Option<Vec<bool>> {
        match &graph[call].meta {
            Some(Meta::Tuple(items)) => Some(vec![true; items.len()]),
            _ => None,
        }
    }

    fn strides(&self, _: &Graph, _: NodeId, _: &[Option<NodeId>]) -> Option<Vec<Option<Vec<i64>>>> {
        None
    }
}

/// The kernels that eager chooses in the place of others where gradients are asked for.
const RECORDED_AS: &[(Aten, Aten)] = &[(Aten::_embedding_bag_forward_only_default, Aten::_embedding_bag_default)];

/// True for a call that autograd may record on its own: its results are tensors with memory of their own, and so are
/// the gradients, which are not sparse.
pub(crate) fn is_recordable(graph: &Graph, call: NodeId) -> bool {
    let node = &graph[call];
    let are_tensors = match &node.meta {
        Some(Meta::Tensor(_)) => true,
        Some(Meta::Tuple(items)) => items.iter().all(|item| matches!(item, Some(Meta::Tensor(_)))),
        _ => false,
    };
    let is_known = node.inputs().iter().all(|&input| is_tensor(graph, input));
    let is_function = match node.op() {
        Some(op) => {
            let has_own_memory = op.is_function() && !op.is_view() && op.traits().alias.is_none();
            let is_dense = op.bind(&node.args, &node.kwargs).is_ok_and(|bound| !formulas::has_sparse_gradient(&bound));
            has_own_memory && is_dense && !op.traits().detached
        }
        None => node.is_custom_op(),
    };
    is_function && are_tensors && is_known
}

fn is_tensor(graph: &Graph, node: NodeId) -> bool {
    matches!(graph[node].meta, Some(Meta::Tensor(_) | Meta::Int(_)))
}

/// Appends the call that autograd records in the place of one of `target`, whose results `meta` tells: a tuple, also
/// where that gives one tensor.
pub(crate) fn push_forward(
    build: &mut Build,
    target: &Target,
    (args, kwargs): (Vec<Arg>, Vec<(String, Arg)>),
    meta: &Meta,
    follows: &FxHashSet<NodeId>,
) -> Outcome<NodeId> {
    let tensors = tensors(args.iter().chain(kwargs.iter().map(|(_, arg)| arg)));
    let is_followed = |tensor: NodeId| follows.contains(&tensor) && is_differentiable(build, tensor);
    let followed = tensors.iter().enumerate().filter(|&(_, &tensor)| is_followed(tensor));
    let followed = Arg::List(followed.map(|(number, _)| Arg::Int(number as i64)).collect());
    let mut inputs: Vec<NodeId> = tensors.iter().filter_map(|&tensor| input_of(&build.graph, tensor)).collect();
    inputs.sort_unstable();
    inputs.dedup();
    let inputs = Arg::List(inputs.into_iter().map(Arg::Node).collect());
    let mut results = match meta {
        Meta::Tensor(_) => vec![Some(meta.clone())],
        Meta::Tuple(items) => items.clone(),
        _ => return Err("a result that is no tensor".to_owned()),
    };
    let recorded_as = RECORDED_AS.iter().find(|(known, _)| target.op() == Some(*known));
    let recorded_as = recorded_as.map(|(_, recorded)| recorded.to_string());
    if recorded_as.is_some() {
        // Its other results have other sizes, and no use.
        results[1..].fill(None);
    }
    results.push(Some(Meta::Tensor(TensorMeta {
        dtype: DType::U8,
        device: Device::CPU,
        sizes: vec![Expr::ZERO],
        strides: vec![Expr::ONE],
        offset: Expr::ZERO,
        requires_grad: false,
    })));
    let args = [vec![Arg::Str(recorded_as.unwrap_or_else(|| target.to_string())), followed, inputs], args].concat();
    let call = build.graph.push(Kind::CallFunction, FORWARD, args, kwargs, None);
    build.graph[call].meta = Some(Meta::Tuple(results));
    Ok(call)
}

/// The call that autograd records in a call of [`FORWARD`].
pub(crate) fn recorded(graph: &Graph, call: NodeId) -> Option<Target> {
    let node = &graph[call];
    match node.args.first() {
        Some(Arg::Str(target)) if node.target == FORWARD => Some(Target::from(target.as_str())),
        _ => None,
    }
}

/// Appends the call that gives the gradients of a call that autograd has recorded, whose last result, `token`, tells
/// which; gives the gradients by its operands, each with the operand.
pub(crate) fn derive_recorded(
    build: &mut Build,
    (call, token): (NodeId, NodeId),
    grads: &[Option<NodeId>],
    torch: &dyn Torch,
) -> Outcome<Vec<(NodeId, NodeId)>> {
    let node = &build.graph[call];
    let Some(Arg::List(followed)) = node.args.get(1) else { return Err("a call that was not recorded".to_owned()) };
    let tensors = tensors(node.args[BEFORE..].iter().chain(node.kwargs.iter().map(|(_, arg)| arg)));
    let operand = |number: &Arg| tensors.get(usize::try_from(number.as_int()?).ok()?).copied();
    let operands: Vec<NodeId> =
        followed.iter().map(operand).collect::<Option<_>>().ok_or("an operand that is not there")?;
    let grads = &grads[..grads.len() - 1];
    let told = torch.strides(&build.graph, call, grads);
    let has_gradient = |place: usize| told.as_ref().is_none_or(|told| told.get(place).is_none_or(Option::is_some));
    let (mut metas, mut layouts) = (Vec::new(), Vec::new());
    for (place, &operand) in operands.iter().enumerate() {
        let meta = build.tensor(operand)?.clone();
        let told = told.as_ref().and_then(|told| told.get(place).cloned().flatten());
        let told = told.filter(|strides| strides.len() == meta.sizes.len());
        let pool = &mut build.graph.exprs;
        let strides = match &told {
            Some(told) => told.iter().map(|&stride| pool.int(stride)).collect(),
            None => strides::preserved(&mut Sizes::Proved(pool), &meta).ok_or("the layout of a gradient")?,
        };
        layouts.push(told.map_or(Arg::None, |told| Arg::List(told.into_iter().map(Arg::Int).collect())));
        metas.push(Some(Meta::Tensor(TensorMeta { strides, offset: Expr::ZERO, requires_grad: false, ..meta })));
    }
    let grads = grads.iter().map(|grad| grad.map_or(Arg::None, Arg::Node));
    let args = [Arg::Node(token), Arg::List(layouts)].into_iter().chain(grads).collect();
    let backward = build.graph.push(Kind::CallFunction, BACKWARD, args, Vec::new(), None);
    build.graph[backward].meta = Some(Meta::Tuple(metas));
    let picks = operands.into_iter().enumerate().filter(|&(place, _)| has_gradient(place));
    picks.map(|(place, operand)| Ok((operand, build.pick(backward, place)?))).collect()
}

fn is_differentiable(build: &Build, tensor: NodeId) -> bool {
    build.tensor(tensor).is_ok_and(|meta| meta.dtype.class() >= symshapes::DTypeClass::Float)
}

/// The input of a graph that a tensor is, or is a view of.
fn input_of(graph: &Graph, tensor: NodeId) -> Option<NodeId> {
    let mut at = tensor;
    loop {
        let node = &graph[at];
        if node.kind == Kind::Placeholder {
            return Some(at);
        }
        let first = node.args.first().and_then(Arg::as_node)?;
        let call = if node.target == "operator.getitem" { &graph[first] } else { node };
        at = first;
        call.op().filter(|op| op.is_view() || op.traits().alias.is_some())?;
    }
}

/// The tensors among arguments, in order.
fn tensors<'a>(args: impl Iterator<Item = &'a Arg>) -> Vec<NodeId> {
    let mut tensors = Vec::new();
    args.for_each(|arg| arg.for_each_node(&mut |node| tensors.push(node)));
    tensors
}
