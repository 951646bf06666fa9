//! Operations that may fail when the graph runs.
//!
//! A graph runs outside of the program's handlers, and before its effects are replayed. So where a call may raise for
//! what its tensors hold, and somebody could tell, since a handler of the frames that are traced sees the exception, or
//! something was changed before it that the caller has, the program runs as it is from its beginning if the graph
//! fails: nothing has happened by then. If a graph would leave something behind, it ends before the call, which then
//! runs where it stands. What a call may fail on says the table in [`fx::aten`]; an index by numbers that are known
//! into sizes that are known is either certain, or rejected while it is traced.
//!
//! Invariant: [`Tracer::watched`] is true while an instruction is traced of which a handler sees the exceptions, in
//! this frame or in one that called it. While [`Tracer::retries`] is, no call goes into the graph that changes a
//! tensor, draws random numbers, or enters inference mode, nor has one before.

use super::{
    Traced, Tracer,
    context::{Context, is_deaf_method, sets_mode},
    frame::Frame,
    items::raised,
    value::{Leaving, State, Value, ValueId},
};
use crate::{
    bytecode::{Handler, Inst, Op},
    host::Place,
    reason::{Kind, Reason},
};
use fx::{Arg, Kind as NodeKind, Meta, NodeId, TensorMeta, aten::Trace};
use symshapes::{DType, DeviceKind, Expr};

/// Handlers that are in force at one instruction, at most: as many blocks as Python nests, with what cleans up for
/// each.
const MOST_HANDLERS: usize = 64;

/// What may stand in a handler that only puts locals in order before it raises again.
const TIDYING: &[Op] = &[
    Op::Copy,
    Op::DeleteDeref,
    Op::DeleteFast,
    Op::LoadConst,
    Op::Nop,
    Op::PopExcept,
    Op::PopTop,
    Op::StoreDeref,
    Op::StoreFast,
    Op::Swap,
];

/// Functions and methods that may give a view of their first argument.
const VIEWS: &str = "H T adjoint as_strided broadcast_to chunk contiguous diagonal expand expand_as flatten getattr \
    getitem mH mT matrix_H movedim moveaxis narrow numpy_T permute ravel reshape reshape_as select split squeeze \
    swapaxes swapdims t tensor_split to transpose unbind unflatten unfold unsqueeze view view_as";

/// Operators that give a new tensor.
const FRESH: [&str; 16] = [
    "add", "eq", "floordiv", "ge", "gt", "invert", "le", "lt", "matmul", "mod", "mul", "ne", "neg", "pow", "sub",
    "truediv",
];

/// Functions of torch that make a new tensor of what is no tensor, or like one.
const MAKING: [&str; 12] = [
    "arange",
    "empty",
    "empty_like",
    "eye",
    "full",
    "full_like",
    "linspace",
    "ones",
    "ones_like",
    "where",
    "zeros",
    "zeros_like",
];

/// Where the places of an index lead.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Places {
    /// To elements that are there.
    Within,
    /// Some of them nowhere.
    Outside,
    /// Only the values of tensors tell.
    Unknown,
}

/// A symbolic size that has to be large enough for an index.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Asked {
    size: Expr,
    least: i64,
    /// Whether an index beyond it raises an error.
    raises: bool,
}

impl Tracer<'_> {
    /// Sees to it that nobody notices where the call fails, or ends the graph.
    pub(super) fn settle(&mut self, node: NodeId) -> Traced<()> {
        let left = !self.inferring.is_empty();
        if (left || self.is_noticed()) && self.may_fail(node) {
            if left || self.mutates || self.draws {
                return Err(self.may_fail_here(node));
            }
            self.retries = true;
        }
        Ok(())
    }

    /// True if somebody would notice that a call does not fail where it stands.
    pub(super) fn is_noticed(&self) -> bool {
        self.watched || self.handled.is_some() || self.heap.has_changed()
    }

    /// True for a tensor of the caller's that requires gradients, and for a view of one, perhaps: autograd may refuse
    /// to have it changed, which nothing but its history tells.
    pub(super) fn may_be_of_leaf(&self, node: NodeId) -> bool {
        let requires = |node: NodeId| match &self.graph[node].meta {
            Some(Meta::Tensor(meta)) => meta.requires_grad,
            meta => matches!(meta, Some(Meta::Tuple(_))),
        };
        let mut at = node;
        while self.grad && requires(at) {
            if self.is_input(at) {
                return true;
            }
            match self.base(at) {
                Some(base) => at = base,
                None => return false,
            }
        }
        false
    }

    /// What a node may give a view of.
    fn base(&self, node: NodeId) -> Option<NodeId> {
        let name = self.graph[node].target.rsplit('.').next().unwrap_or_default();
        match self.graph[node].args.first() {
            Some(&Arg::Node(base))
                if VIEWS.split_whitespace().any(|view| view == name) || self.first_name(node) != node =>
            {
                Some(base)
            }
            _ => None,
        }
    }

    /// True if a tensor that the call changes may lie in part where another one lies that it reads, or where elements
    /// of its own do: most operators refuse that. Of two inputs it is taken that they are whole or apart.
    pub(super) fn may_overlap(&self, call: NodeId, changed: NodeId) -> bool {
        let whole = |node: NodeId| std::iter::successors(Some(node), |&node| self.base(node)).last().unwrap_or(node);
        let of_changed = whole(changed);
        let shares =
            |node: NodeId| node != changed && self.graph[node].tensor_meta().is_some() && whole(node) == of_changed;
        let is_expanded = self.graph[changed].tensor_meta().is_none_or(|meta| {
            let int = |expr| self.env.pool().as_int(expr);
            meta.sizes.iter().zip(&meta.strides).any(|(&size, &stride)| int(stride) == Some(0) && int(size) != Some(1))
        });
        is_expanded || self.graph[call].inputs().into_iter().any(shares)
    }

    /// True for a tensor that the graph itself has made, of memory of its own: who runs the program again makes it anew.
    pub(super) fn is_fresh(&self, node: NodeId) -> bool {
        let row = &self.graph[node];
        let target = row.target.as_str();
        match row.kind {
            NodeKind::CallFunction => {
                let operator = target.strip_prefix("operator.").is_some_and(|name| FRESH.contains(&name));
                let factory = target.strip_prefix("torch.").is_some_and(|name| MAKING.contains(&name));
                operator || factory
            }
            NodeKind::CallMethod => target == "clone" || target.starts_with("new_") && target != "new_tensor",
            _ => false,
        }
    }

    /// Notes that a call leaves something behind, which must not happen if the program may run as it is afterwards.
    pub(super) fn note_traces(&mut self, node: NodeId) -> Traced<()> {
        let leaves =
            |left| self.lowered.calls(node).any(|call| fx::aten::trace(&self.lowered.graph, call) == Some(left));
        let (changes, draws) = (leaves(Trace::Changes), leaves(Trace::Draws));
        if self.retries && (changes || draws) {
            return Err(self.may_fail_here(node));
        }
        self.mutates |= changes;
        self.draws |= draws;
        Ok(())
    }

    pub(super) fn may_fail_here(&self, node: NodeId) -> Reason {
        Reason::new(Kind::MayFail, format!("`{}`.", self.graph[node].target))
    }

    /// True if the call may raise when the graph runs.
    pub(super) fn may_fail(&self, node: NodeId) -> bool {
        // Numbers are guarded where they could fail.
        let is_number = matches!(self.graph[node].meta, Some(Meta::Int(_) | Meta::Float(_) | Meta::Bool(_)));
        let is_harmless = is_number || sets_mode(&self.graph[node].target);
        !is_harmless && self.lowered.calls(node).any(|call| fx::aten::may_fail(&self.lowered.graph, call))
    }

    /// The calls of the graph that may raise when it runs. Those that change tensors in place are tried while they are
    /// traced, but autograd has more to say of some than their shapes tell.
    pub(super) fn fallible(&self) -> Vec<NodeId> {
        let changes = |node| self.same.iter().any(|&(changed, _)| changed == node);
        self.graph.nodes().filter(|&node| self.may_fail(node) || changes(node)).collect()
    }

    /// `tensor[index]`
    pub(super) fn tensor_item(&mut self, tensor: ValueId, key: ValueId) -> Traced {
        let args = vec![self.arg(tensor)?, self.arg(key)?];
        let places = self.where_it_leads_now(&args);
        let node = self.put_call(None, NodeKind::CallFunction, "operator.getitem", args, vec![])?;
        match places {
            Places::Within => {}
            Places::Outside => {
                self.drop_from(node);
                return Err(raised("IndexError: an index out of range"));
            }
            Places::Unknown => self.settle(node)?,
        }
        self.of_node(node)
    }

    /// True if shapes alone tell that an item is there, of a tensor or among several results.
    pub(super) fn leads_somewhere(&self, item: &fx::Node) -> bool {
        let is_tensor = |&node: &NodeId| matches!(self.graph[node].meta, Some(Meta::Tensor(_)));
        let inputs = item.inputs();
        let is_of_tensor = inputs.first().is_some_and(is_tensor);
        let by_tensors = inputs.iter().skip(1).any(is_tensor);
        let mut asked = Vec::new();
        !by_tensors
            && (!is_of_tensor || self.where_it_leads(&item.args, &mut asked) == Places::Within && asked.is_empty())
    }

    /// Where an index leads that torch takes, by its shapes; symbolic sizes are guarded to be as large as they are
    /// asked to be, or not.
    fn where_it_leads_now(&mut self, args: &[Arg]) -> Places {
        let mut asked = Vec::new();
        let mut places = self.where_it_leads(args, &mut asked);
        let at = self.place();
        for asked in asked {
            let least = self.env.pool_mut().int(asked.least);
            let enough = self.env.pool_mut().le(least, asked.size);
            match self.env.evaluate(enough, &at) {
                Ok(true) => {}
                Ok(false) if asked.raises && places != Places::Unknown => places = Places::Outside,
                _ => places = Places::Unknown,
            }
        }
        places
    }

    /// Where an index leads that torch takes, by its shapes, if sizes that are symbols are as large as `asked` says.
    fn where_it_leads(&self, args: &[Arg], asked: &mut Vec<Asked>) -> Places {
        let [Arg::Node(tensor), index] = args else { return Places::Unknown };
        let Some(meta) = self.graph[*tensor].tensor_meta() else { return Places::Unknown };
        let items = if let Arg::Tuple(items) = index { &items[..] } else { std::slice::from_ref(index) };
        let (mut dim, mut places) = (0, Places::Within);
        for (at, item) in items.iter().enumerate() {
            let Some(taken) = self.dims_taken(item) else { return Places::Unknown };
            match item {
                Arg::Ellipsis => {
                    let rest = items[at + 1..].iter().map(|item| self.dims_taken(item)).sum::<Option<usize>>();
                    let Some(next) = rest.and_then(|rest| meta.sizes.len().checked_sub(rest)) else {
                        return Places::Unknown;
                    };
                    dim = next;
                }
                Arg::List(_) | Arg::Node(_) => match self.places_along(meta, dim, item, asked) {
                    Places::Within => {}
                    Places::Outside => places = Places::Outside,
                    Places::Unknown => return Places::Unknown,
                },
                _ => {}
            }
            dim += taken;
        }
        places
    }

    /// How many dimensions a part of an index stands for; `None` for one of which that is not known here.
    fn dims_taken(&self, item: &Arg) -> Option<usize> {
        match item {
            Arg::None | Arg::Bool(_) | Arg::Ellipsis => Some(0),
            Arg::Int(_) | Arg::Slice(_) => Some(1),
            Arg::List(items) if items.iter().all(|item| matches!(item, Arg::Int(_) | Arg::Bool(_))) => Some(1),
            Arg::Node(node) => match &self.graph[*node].meta {
                Some(Meta::Int(_)) => Some(1),
                Some(Meta::Tensor(meta)) if is_mask(meta) => Some(meta.sizes.len()),
                Some(Meta::Tensor(_)) => Some(1),
                _ => None,
            },
            _ => None,
        }
    }

    /// Where a list or tensor leads along one dimension.
    fn places_along(&self, meta: &TensorMeta, dim: usize, item: &Arg, asked: &mut Vec<Asked>) -> Places {
        let given = match item {
            Arg::Node(node) => match &self.graph[*node].meta {
                Some(Meta::Int(_)) => return Places::Within,
                Some(Meta::Tensor(meta)) if is_mask(meta) => return Places::Within,
                _ => self.constant_places(*node),
            },
            Arg::List(items) if items.iter().any(|item| matches!(item, Arg::Bool(_))) => return Places::Within,
            item => numbers(item),
        };
        let Some((given, &size)) = given.zip(meta.sizes.get(dim)) else { return Places::Unknown };
        let least = given.iter().map(|&at| if at < 0 { at.saturating_neg() } else { at.saturating_add(1) }).max();
        let least = least.unwrap_or(0);
        // An accelerator raises nothing.
        let raises = meta.device.kind == DeviceKind::Cpu;
        match self.env.pool().as_int(size) {
            Some(size) if least <= size => Places::Within,
            Some(_) if raises => Places::Outside,
            Some(_) => Places::Unknown,
            None => {
                asked.push(Asked { size, least, raises });
                Places::Within
            }
        }
    }

    /// The numbers of which `torch.tensor` makes a tensor, if nothing in the graph changes a tensor.
    fn constant_places(&self, node: NodeId) -> Option<Vec<i64>> {
        let made = &self.graph[node];
        let is_constant = made.target == "torch.tensor" && !self.mutates;
        made.args.first().filter(|_| is_constant).and_then(numbers)
    }

    /// True if a handler sees what the frame's next instruction raises.
    pub(super) fn is_watched(&mut self, f: &Frame) -> bool {
        let mut at = f.inst();
        for _ in 0..MOST_HANDLERS {
            let handler = at.and_then(|inst| f.body().inst(inst).handler.expand());
            let Some(handler) = handler.map(|id| *f.body().handler(id)) else { return false };
            match f.body().target(handler.target) {
                Some(target) if self.passes_on(f, handler, target) => at = Some(target),
                _ => return true,
            }
        }
        true
    }

    /// True if a handler raises again what it is given, and does nothing that could be told apart.
    fn passes_on(&mut self, f: &Frame, handler: Handler, target: Inst) -> bool {
        let place = f.code.places[target] as usize;
        let mut ops = f.body().order()[place..].iter().map(|&inst| f.body().inst(inst).op).peekable();
        if ops.next_if_eq(&Op::PushExcInfo).is_some() {
            let exit = (handler.depth as usize).checked_sub(1).and_then(|place| f.stack.get(place).copied());
            let leaves = ops.next() == Some(Op::WithExceptStart);
            return leaves && exit.is_some_and(|exit| self.is_deaf(exit).unwrap_or(false));
        }
        ops.find(|op| !TIDYING.contains(op)) == Some(Op::Reraise)
    }

    /// True for the way out of a context manager that does the same whether an exception comes by or not.
    fn is_deaf(&mut self, exit: ValueId) -> Traced<bool> {
        let function = match self.get(exit)? {
            Value::Exit(Context::Stack(stack)) => {
                let Some(state) = self.exit_stack(stack)? else { return Ok(false) };
                let State::Stack(entries) = self.heap.get(state).clone() else { return Ok(false) };
                for entry in entries {
                    match entry {
                        Leaving::Exit(exit) if self.is_deaf(exit)? => {}
                        _ => return Ok(false),
                    }
                }
                return Ok(true);
            }
            Value::Exit(context) => {
                return Ok(!matches!(context, Context::Suppress(_) | Context::Closing(_) | Context::Generator(_)));
            }
            Value::Method { function, .. } => function,
            _ => return Ok(false),
        };
        Ok(match self.get(function)? {
            Value::Function(function) => function.place == Place::Skipped && is_deaf_method(&function.name),
            _ => false,
        })
    }
}

fn is_mask(meta: &TensorMeta) -> bool {
    matches!(meta.dtype, DType::Bool | DType::U8)
}

/// The integers in lists of lists.
fn numbers(arg: &Arg) -> Option<Vec<i64>> {
    match arg {
        Arg::Int(number) => Some(vec![*number]),
        Arg::List(items) | Arg::Tuple(items) => {
            let all: Option<Vec<Vec<i64>>> = items.iter().map(numbers).collect();
            all.map(|all| all.concat())
        }
        _ => None,
    }
}
