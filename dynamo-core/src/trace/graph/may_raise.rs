//! Calls that may raise when the graph runs.
//!
//! The graph runs outside of the program's exception handlers, and before the effects are replayed. So an exception
//! that depends on the data is observable if a handler covers the call, or if an input object was mutated before it. In
//! both cases a graph that raises is retried in eager mode: the original code runs from its start, since nothing has
//! happened by then. If the graph has side effects that can be neither undone nor repeated, it ends before the call,
//! which then runs in the original code. Which calls may raise says the table in [`fx::aten`]; an index by known
//! numbers into known sizes is either in range, or rejected while it is traced. A graph of which nothing stands against
//! it is retried whatever its calls are: kernels refuse more than the rules do.
//!
//! Invariant: `Exceptions::watched` is true while an instruction is traced that an exception handler covers, in this
//! frame or in a caller. While `GraphEffects::retries` is true, the graph has no side effect that can be neither undone
//! nor repeated: a mutation of an input tensor that is neither small nor written in one place only, random numbers of
//! another generator than the CPU's, inference mode.

use crate::{
    bytecode::{Handler, Inst, Op},
    host::FunctionPolicy,
    reason::{Kind, Reason, raised},
    trace::{
        Traced, Tracer,
        core::{
            context::{Context, is_deaf_method},
            frame::Frame,
            modes::{sets_inference, sets_mode},
            recording::namesake,
            state::{Leaving, State},
            value::{Value, ValueId},
        },
    },
};
use fx::{Arg, Kind as NodeKind, Meta, NodeId, TensorMeta, aten::Aten, effects::SideEffect};
use indexmap::IndexMap;
use symshapes::{DType, DeviceKind, Expr};

/// Handlers that are in force at one instruction, at most: as many blocks as Python nests, with what cleans up for
/// each.
const MOST_HANDLERS: usize = 64;

/// The instructions that may stand in a handler that only puts locals in order before it raises again.
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

/// Elements of a tensor whose values are kept at each call, at most.
const MOST_KEPT: i64 = 256;

/// Whether the places of an index lead to elements of the tensor.
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
    /// Makes a call that may raise unobservable, by a retry in eager mode; if that is impossible, the graph ends here.
    pub(in crate::trace) fn retry_if_raises(&mut self, node: NodeId) -> Traced<()> {
        self.graph.effects.noticed |= self.is_noticed();
        let left = !self.modes.inference.entered.is_empty();
        if (left || self.is_noticed()) && self.may_raise(node) {
            let once =
                self.graph.effects.changes || self.graph.effects.draws_elsewhere || self.saved_for_retry().is_none();
            if left || once {
                return Err(self.may_fail_here(node));
            }
            self.graph.effects.retries = true;
        }
        Ok(())
    }

    /// True if it is observable that an exception of the graph is raised elsewhere than in the program.
    pub(in crate::trace) fn is_noticed(&self) -> bool {
        self.exceptions.watched || self.exceptions.handled.is_some() || self.heap.has_changed()
    }

    /// True for a tensor of the caller's that requires gradients, and for a view of one, perhaps: autograd may refuse
    /// to have it changed, which nothing but its history tells.
    pub(in crate::trace) fn may_be_of_leaf(&self, node: NodeId) -> bool {
        let requires = |node: NodeId| match &self.graph.torch[node].meta {
            Some(Meta::Tensor(meta)) => meta.requires_grad,
            meta => matches!(meta, Some(Meta::Tuple(_))),
        };
        let mut at = node;
        while self.modes.grad && requires(at) {
            if self.is_input(at) {
                return !self.graph.computed.contains(&self.first_name(at));
            }
            match self.base(at) {
                Some(base) => at = base,
                None => return false,
            }
        }
        false
    }

    /// True for a view of what may be a leaf. Of the tensor itself torch tells whether it may be changed; views without
    /// data know nothing of that.
    pub(in crate::trace) fn is_view_of_leaf(&self, node: NodeId) -> bool {
        !self.is_input(self.first_name(node)) && self.may_be_of_leaf(node)
    }

    /// True if autograd may refuse that a call changes a tensor, because that is one of several views that one function
    /// gave, or a view made while nothing was recorded.
    pub(in crate::trace) fn may_be_sealed_view(&self, call: NodeId, changed: NodeId) -> bool {
        let requires = |node: NodeId| self.graph.torch[node].tensor_meta().is_some_and(|meta| meta.requires_grad);
        let recorded = self.graph.torch[call].inputs().into_iter().any(requires);
        let views = std::iter::successors(Some(changed), |&view| self.base(view));
        let bases = std::iter::successors(self.base(changed), |&base| self.base(base));
        let is_sealed = |(view, base): (NodeId, NodeId)| {
            let is_of_several = matches!(self.graph.torch[base].meta, Some(Meta::Tuple(_))) && !self.is_fresh(base);
            is_of_several && recorded || self.graph.unrecorded_views[view] || requires(base) && !requires(view)
        };
        self.modes.grad && views.zip(bases).any(is_sealed)
    }

    /// The node whose result this node's result may be a view of, or is one of.
    fn base(&self, node: NodeId) -> Option<NodeId> {
        let row = &self.graph.torch[node];
        let may_share = match self.overload_of(node) {
            Some(overload) => overload.is_view() || overload.traits().alias.is_some() || overload.traits().idle,
            None => matches!(row.target.as_str(), "builtins.getattr" | "operator.getitem"),
        };
        match row.args.first() {
            Some(&Arg::Node(base)) if may_share || self.first_name(node) != node => Some(base),
            _ => None,
        }
    }

    /// True if a tensor that the call changes may lie in part where another one lies that it reads, or where elements
    /// of its own do: most operators refuse that. Of two inputs it is taken that they are whole or apart.
    pub(in crate::trace) fn may_overlap(&self, call: NodeId, changed: NodeId) -> bool {
        let of_changed = self.whole(changed);
        let shares = |node: NodeId| {
            self.first_name(node) != self.first_name(changed)
                && self.graph.torch[node].tensor_meta().is_some()
                && self.whole(node) == of_changed
        };
        let is_expanded = self.graph.torch[changed].tensor_meta().is_none_or(|meta| {
            let int = |expr| self.shapes.env.pool().as_int(expr);
            meta.sizes.iter().zip(&meta.strides).any(|(&size, &stride)| int(stride) == Some(0) && int(size) != Some(1))
        });
        is_expanded || self.graph.torch[call].inputs().into_iter().any(shares)
    }

    /// True for a new tensor, in memory that the graph itself allocates: running the program again makes it anew.
    pub(in crate::trace) fn is_fresh(&self, node: NodeId) -> bool {
        let call = self.picked(node).map_or(node, |(results, _)| results);
        self.overload_of(call).is_some_and(|overload| {
            let traits = overload.traits();
            overload.is_function() && traits.alias.is_none() && !traits.idle
        })
    }

    /// The overload whose call gives a node's result in the lowered graph.
    fn overload_of(&self, node: NodeId) -> Option<Aten> {
        let call = self.graph.lowered.calls(node).last()?;
        self.graph.lowered.graph[call].target.op()
    }

    /// The call with several results that a node picks from, and which of them.
    pub(in crate::trace) fn picked(&self, node: NodeId) -> Option<(NodeId, usize)> {
        let row = &self.graph.torch[node];
        let ("operator.getitem", &[Arg::Node(results), Arg::Int(place)]) = (row.target.as_str(), &row.args[..]) else {
            return None;
        };
        let is_several = matches!(self.graph.torch[results].meta, Some(Meta::Tuple(_)));
        is_several.then_some((results, usize::try_from(place).ok()?))
    }

    /// True if the original code runs from its start where the graph raises: a call may raise for what tensors hold, or
    /// nothing stands against it. Kernels may refuse element types and numbers of which the rules think nothing.
    pub(in crate::trace) fn retries(&self) -> bool {
        let effects = &self.graph.effects;
        let is_repeatable = || {
            let enters = self.graph.torch.nodes().any(|node| sets_inference(&self.graph.torch[node].target));
            !effects.changes && !effects.draws_elsewhere && !enters && self.saved_for_retry().is_some()
        };
        effects.retries || effects.noticed && is_repeatable()
    }

    /// The inputs whose values have to be kept so that the program may run as it is after the graph has failed; `None`
    /// if that would change a tensor of the caller's twice. What is written in one place and not read before may be
    /// written again; what is small is kept.
    pub(in crate::trace) fn saved_for_retry(&self) -> Option<Vec<NodeId>> {
        let mut writes: IndexMap<NodeId, Vec<NodeId>> = IndexMap::new();
        for &(node, first) in &self.graph.aliases {
            if self.is_fresh(first) {
                continue;
            }
            let whole = self.whole(first);
            if !self.is_input(whole) {
                return None;
            }
            writes.entry(whole).or_default().push(node);
        }
        let mut saved = Vec::new();
        for (whole, nodes) in writes {
            if self.is_small(whole) {
                saved.push(whole);
            } else if !matches!(nodes[..], [node] if self.overwrites(node) && !self.is_read_before(whole, node)) {
                return None;
            }
        }
        Some(saved)
    }

    /// The tensor that another one is a view of, or is itself.
    pub(in crate::trace) fn whole(&self, node: NodeId) -> NodeId {
        std::iter::successors(Some(node), |&node| self.base(node)).last().unwrap_or(node)
    }

    fn is_small(&self, node: NodeId) -> bool {
        let Some(meta) = self.graph.torch[node].tensor_meta() else { return false };
        let sizes = meta.sizes.iter().map(|&size| self.shapes.env.pool().as_int(size)).collect::<Option<Vec<i64>>>();
        let elements = sizes.and_then(|sizes| sizes.into_iter().try_fold(1_i64, i64::checked_mul));
        elements.is_some_and(|elements| elements <= MOST_KEPT)
    }

    /// True if what a call writes does not depend on what it writes over.
    fn overwrites(&self, node: NodeId) -> bool {
        let row = &self.graph.torch[node];
        let overwrites = || namesake(row).is_some_and(|packet| packet.traits().overwrites);
        (row.target == "operator.setitem" || overwrites()) && row.kwargs.is_empty()
    }

    /// True if anything reads a tensor, or a view of it, before a call.
    fn is_read_before(&self, whole: NodeId, call: NodeId) -> bool {
        let of_whole = |node: NodeId| self.graph.torch[node].tensor_meta().is_some() && self.whole(node) == whole;
        let earlier = self.graph.torch.nodes().take_while(|&node| node != call);
        let mut reading = earlier.filter(|&node| !of_whole(node));
        let is_read = reading.any(|node| self.graph.torch[node].inputs().into_iter().any(of_whole));
        // The written tensor itself comes first.
        is_read || self.graph.torch[call].inputs().into_iter().skip(1).any(of_whole)
    }

    /// Notes that a call leaves something behind, which must not happen if the program may run as it is afterwards.
    pub(in crate::trace) fn note_traces(&mut self, node: NodeId) -> Traced<()> {
        let changes = |call| fx::effects::side_effect(&self.graph.lowered.graph, call) == Some(SideEffect::Changes);
        let (mut changes, mut draws) = (self.graph.lowered.calls(node).any(changes), self.draws(node));
        if changes && self.host.is_functional(&self.graph.torch[node].target) {
            // A custom operator, which may draw random numbers.
            (changes, draws) = (false, true);
        }
        let draws_elsewhere = draws && !self.is_on_cpu(node);
        if self.graph.effects.retries && (changes || draws_elsewhere) {
            return Err(self.may_fail_here(node));
        }
        self.graph.effects.changes |= changes;
        self.graph.effects.draws |= draws && !draws_elsewhere;
        self.graph.effects.draws_elsewhere |= draws_elsewhere;
        Ok(())
    }

    /// Notes that a call that changes a tensor draws random numbers, if it does.
    pub(in crate::trace) fn note_draws(&mut self, node: NodeId) {
        if self.draws(node) {
            let on_cpu = self.is_on_cpu(node);
            self.graph.effects.draws |= on_cpu;
            self.graph.effects.draws_elsewhere |= !on_cpu;
        }
    }

    fn draws(&self, node: NodeId) -> bool {
        self.graph.lowered.calls(node).any(|call| fx::effects::draws(&self.graph.lowered.graph, call))
    }

    /// True if a call has to do with tensors on the CPU alone.
    fn is_on_cpu(&self, node: NodeId) -> bool {
        fn within(meta: &Meta) -> bool {
            match meta {
                Meta::Tensor(meta) => meta.device.kind == DeviceKind::Cpu,
                Meta::Tuple(items) => items.iter().flatten().all(within),
                _ => true,
            }
        }
        let inputs = self.graph.torch[node].inputs();
        let mut nodes = inputs.into_iter().chain([node]);
        nodes.all(|node| self.graph.torch[node].meta.as_ref().is_none_or(within))
    }

    pub(in crate::trace) fn may_fail_here(&self, node: NodeId) -> Reason {
        Reason::new(Kind::MayFail, format!("`{}`.", self.graph.torch[node].target))
    }

    /// True if the call may raise when the graph runs.
    pub(in crate::trace) fn may_raise(&self, node: NodeId) -> bool {
        // Numbers are guarded where they could fail.
        let is_number = matches!(self.graph.torch[node].meta, Some(Meta::Int(_) | Meta::Float(_) | Meta::Bool(_)));
        let is_harmless = is_number || sets_mode(&self.graph.torch[node].target);
        !is_harmless
            && self.graph.lowered.calls(node).any(|call| fx::effects::may_raise(&self.graph.lowered.graph, call))
    }

    /// The calls of the graph that may raise when it runs. Those that change tensors in place are tried while they are
    /// traced, but autograd has more to say of some than their shapes tell.
    pub(in crate::trace) fn fallible(&self) -> Vec<NodeId> {
        let changes = |node| self.graph.aliases.iter().any(|&(changed, _)| changed == node);
        self.graph.torch.nodes().filter(|&node| self.may_raise(node) || changes(node)).collect()
    }

    /// `tensor[index]`
    pub(in crate::trace) fn tensor_item(&mut self, tensor: ValueId, key: ValueId) -> Traced {
        let args = vec![self.arg(tensor)?, self.arg(key)?];
        let places = self.where_it_leads_now(&args);
        let node = self.put_call(None, NodeKind::CallFunction, "operator.getitem", args, vec![])?;
        match places {
            Places::Within => {}
            Places::Outside => {
                self.drop_from(node);
                return Err(raised("IndexError: an index out of range"));
            }
            Places::Unknown => self.retry_if_raises(node)?,
        }
        self.of_node(node)
    }

    /// True if shapes alone tell that an item is there, of a tensor or among several results.
    pub(in crate::trace) fn leads_somewhere(&self, item: &fx::Node) -> bool {
        let is_tensor = |&node: &NodeId| matches!(self.graph.torch[node].meta, Some(Meta::Tensor(_)));
        let inputs = item.inputs();
        let is_of_tensor = inputs.first().is_some_and(is_tensor);
        let by_tensors = inputs.iter().skip(1).any(is_tensor);
        let mut asked = Vec::new();
        !by_tensors
            && (!is_of_tensor || self.where_it_leads(&item.args, &mut asked) == Places::Within && asked.is_empty())
    }

    /// Whether the places of an index that torch takes lead to elements, by its shapes; symbolic sizes are guarded to
    /// be as large as they are asked to be, or not.
    fn where_it_leads_now(&mut self, args: &[Arg]) -> Places {
        let mut asked = Vec::new();
        let mut places = self.where_it_leads(args, &mut asked);
        let at = self.place();
        for asked in asked {
            let least = self.shapes.env.pool_mut().int(asked.least);
            let enough = self.shapes.env.pool_mut().le(least, asked.size);
            match self.shapes.env.evaluate(enough, &at) {
                Ok(true) => {}
                Ok(false) if asked.raises && places != Places::Unknown => places = Places::Outside,
                _ => places = Places::Unknown,
            }
        }
        places
    }

    /// Whether the places of an index that torch takes lead to elements, by its shapes, if sizes that are symbols are
    /// as large as `asked` says.
    fn where_it_leads(&self, args: &[Arg], asked: &mut Vec<Asked>) -> Places {
        let [Arg::Node(tensor), index] = args else { return Places::Unknown };
        let Some(meta) = self.graph.torch[*tensor].tensor_meta() else { return Places::Unknown };
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

    /// The number of dimensions that a part of an index stands for; `None` where that is not known here.
    fn dims_taken(&self, item: &Arg) -> Option<usize> {
        match item {
            Arg::None | Arg::Bool(_) | Arg::Ellipsis => Some(0),
            Arg::Int(_) | Arg::Slice(_) => Some(1),
            Arg::List(items) if items.iter().all(|item| matches!(item, Arg::Int(_) | Arg::Bool(_))) => Some(1),
            Arg::Node(node) => match &self.graph.torch[*node].meta {
                Some(Meta::Int(_)) => Some(1),
                Some(Meta::Tensor(meta)) if is_mask(meta) => Some(meta.sizes.len()),
                Some(Meta::Tensor(_)) => Some(1),
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether a list or tensor leads to elements along one dimension.
    fn places_along(&self, meta: &TensorMeta, dim: usize, item: &Arg, asked: &mut Vec<Asked>) -> Places {
        let given = match item {
            Arg::Node(node) => match &self.graph.torch[*node].meta {
                Some(Meta::Int(at)) if self.shapes.env.depends_on_data(*at) => return Places::Unknown,
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
        match self.shapes.env.pool().as_int(size) {
            Some(size) if least <= size => Places::Within,
            Some(_) if raises => Places::Outside,
            Some(_) => Places::Unknown,
            None => {
                asked.push(Asked { size, least, raises });
                Places::Within
            }
        }
    }

    /// The number that a tensor holds as its only element, if it is an integer of the program's.
    pub(in crate::trace) fn constant_index(&self, node: NodeId) -> Option<i64> {
        let made = &self.graph.torch[node];
        let is_index = made.kwargs.is_empty() && made.tensor_meta().is_some_and(|meta| meta.dtype == DType::I64);
        match self.constant_places(node).filter(|_| is_index)?[..] {
            [index] => Some(index),
            _ => None,
        }
    }

    /// The numbers of which `torch.tensor` makes a tensor, if nothing in the graph changes it, or may.
    fn constant_places(&self, node: NodeId) -> Option<Vec<i64>> {
        let made = &self.graph.torch[node];
        let makes = ["torch.tensor", "torch.as_tensor"].contains(&made.target.as_str());
        let mut changed = self.graph.aliases.iter().map(|&(_, first)| self.whole(first));
        let is_constant = makes && !self.graph.effects.changes && !changed.any(|changed| changed == node);
        made.args.first().filter(|_| is_constant).and_then(numbers)
    }

    /// True if a handler sees what the frame's next instruction raises.
    pub(in crate::trace) fn is_watched(&mut self, f: &Frame) -> bool {
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
            let leaves = ops.next() == Some(Op::WithExceptStart);
            let Some(place) = (handler.depth as usize).checked_sub(1).filter(|_| leaves) else { return false };
            let is_deaf = self.block_exit(f, place).and_then(|exit| self.is_deaf(exit));
            return is_deaf.unwrap_or(false);
        }
        ops.find(|op| !TIDYING.contains(op)) == Some(Op::Reraise)
    }

    /// True for the way out of a context manager that does the same whether an exception comes by or not.
    fn is_deaf(&mut self, exit: ValueId) -> Traced<bool> {
        let function = match self.get(exit)? {
            Value::Exit(Context::Stack(stack), _) => {
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
            Value::Exit(context, _) => {
                return Ok(!matches!(context, Context::Suppress(_) | Context::Closing(_) | Context::Generator(_)));
            }
            Value::Method { function, .. } => function,
            _ => return Ok(false),
        };
        Ok(match self.get(function)? {
            Value::Function(function) => function.policy == FunctionPolicy::Skipped && is_deaf_method(&function.name),
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
