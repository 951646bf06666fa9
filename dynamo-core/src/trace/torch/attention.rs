//! The switches that say which kernels attention may run in.
//!
//! Setting one is a node of the graph, as in torch's own, and the calls after it are inferred under it. The graph ends
//! as it began, and the code behind it sets the switches as the program has. So it is with the order in which the
//! kernels are tried (`set_priority`).
//!
//! A compiler that takes attention apart does so while these nodes run; our own leaves such graphs to AOTAutograd.
//!
//! `torch.nn.attention.sdpa_kernel` is traced as Python of our own that sets them (`rust_inductor._transforms`).

use crate::{
    host::{Lookup, Obj},
    reason::{Kind, Reason},
    trace::{
        Traced, Tracer,
        core::{
            modes::{SET_ATTENTION_ORDER, Switch, attention_setter},
            state::State,
            value::{Value, ValueId},
        },
        signature::{Bound, Row, row},
        torch::questions::answer,
    },
};
use fx::Arg;
use guards::{ATTENTION_KERNELS, AttentionOrder, Constant, GuardKind};

/// The module of `sdpa_kernel`.
const MODULE: &str = "torch.nn.attention";

/// The class of the kernels' names, as it names itself.
const BACKEND: &str = "torch.nn.attention._SDPBackend";

/// The kernels as `torch.nn.attention.SDPBackend` names them, in the order of [`ATTENTION_KERNELS`].
const BACKENDS: [&str; ATTENTION_KERNELS.len()] =
    ["FLASH_ATTENTION", "EFFICIENT_ATTENTION", "MATH", "CUDNN_ATTENTION", "OVERRIDEABLE"];

pub(in crate::trace) const ROWS: &[Row] = &[
    row("torch.nn.attention.sdpa_kernel(backends, set_priority=False)", sdpa_kernel),
    row("torch._C._get_flash_sdp_enabled torch.backends.cuda.flash_sdp_enabled()", |t, _| is_on(t, 0)),
    row("torch._C._get_mem_efficient_sdp_enabled torch.backends.cuda.mem_efficient_sdp_enabled()", |t, _| is_on(t, 1)),
    row("torch._C._get_math_sdp_enabled torch.backends.cuda.math_sdp_enabled()", |t, _| is_on(t, 2)),
    row("torch._C._get_cudnn_sdp_enabled torch.backends.cuda.cudnn_sdp_enabled()", |t, _| is_on(t, 3)),
    row("torch._C._get_overrideable_sdp_enabled()", |t, _| is_on(t, 4)),
    row("torch._C._set_sdp_use_flash(enabled, /)", |t, b| set(t, b, 0)),
    row("torch._C._set_sdp_use_mem_efficient(enabled, /)", |t, b| set(t, b, 1)),
    row("torch._C._set_sdp_use_math(enabled, /)", |t, b| set(t, b, 2)),
    row("torch._C._set_sdp_use_cudnn(enabled, /)", |t, b| set(t, b, 3)),
    row("torch._C._set_sdp_use_overrideable(enabled, /)", |t, b| set(t, b, 4)),
    row("torch._C._get_sdp_priority_order()", |t, _| {
        let order = current_order(t)?.map(|kernel| t.constant(Constant::Int(kernel)));
        Ok(t.state(State::List(order.to_vec())))
    }),
    row("torch._C._set_sdp_priority_order(order, /)", set_order),
    row("torch.backends.cuda.enable_flash_sdp(enabled)", |t, b| set(t, b, 0)),
    row("torch.backends.cuda.enable_mem_efficient_sdp(enabled)", |t, b| set(t, b, 1)),
    row("torch.backends.cuda.enable_math_sdp(enabled)", |t, b| set(t, b, 2)),
    row("torch.backends.cuda.enable_cudnn_sdp(enabled)", |t, b| set(t, b, 3)),
];

/// `sdpa_kernel(backends)`: a manager under which attention runs in these kernels alone.
fn sdpa_kernel(t: &mut Tracer<'_>, b: &Bound<'_>) -> Traced {
    let refused = |why: &str| Reason::new(Kind::Context, format!("`{}`{why}.", b.name()));
    let ordered = match b.opt(1) {
        None => t.constant(Constant::Bool(false)),
        Some(ordered) if matches!(t.get(ordered)?, Value::Const(Constant::Bool(_))) => ordered,
        Some(_) => return Err(refused(" with an order that is no bool")),
    };
    let given = b.arg(0)?;
    let chosen = match t.get(given)? {
        Value::Object(..) => vec![given],
        Value::State(_) => t.items_of(given)?.ok_or_else(|| refused(" of something that is no list"))?,
        _ => return Err(refused(" of something that is no list")),
    };
    let mut args = vec![ordered];
    for backend in chosen {
        let kernel = t.attention_kernel(backend)?.ok_or_else(|| refused(" of an unknown kernel"))?;
        args.push(t.constant(Constant::Str(ATTENTION_KERNELS[kernel].to_owned())));
    }
    let manager = t.of_module("rust_inductor._transforms", "sdpa_kernel")?;
    t.call(manager, args, vec![])
}

/// Whether a kernel may run: as the program has set it, or as it was at the call, under a guard.
fn is_on(t: &mut Tracer<'_>, kernel: usize) -> Traced {
    match t.modes.attention[kernel] {
        Some(switch) => Ok(t.constant(Constant::Bool(switch.now))),
        None => {
            let function = format!("_get_{}_sdp_enabled", ATTENTION_KERNELS[kernel]);
            answer(t, &format!("torch._C.{function}"), "torch._C", &function)
        }
    }
}

fn set(t: &mut Tracer<'_>, b: &Bound<'_>, kernel: usize) -> Traced {
    let refused = |why: &str| Reason::new(Kind::Context, format!("`{}`{why}.", b.name()));
    let enabled = b.arg(0)?;
    let Value::Const(Constant::Bool(now)) = t.get(enabled)? else {
        return Err(refused(" of something that is no bool"));
    };
    let before = match t.modes.attention[kernel] {
        Some(switch) => switch.before,
        None => {
            let before = is_on(t, kernel)?;
            matches!(t.get(before)?, Value::Const(Constant::Bool(true)))
        }
    };
    t.put_attention(kernel, now);
    t.modes.attention[kernel] = Some(Switch { before, now });
    Ok(t.none())
}

/// The order in which kernels are tried: as the program has set it, or as it was at the call, under a guard.
fn current_order(t: &mut Tracer<'_>) -> Traced<AttentionOrder> {
    if let Some(order) = t.modes.attention_order {
        return Ok(order.now);
    }
    let module = "rust_inductor._transforms";
    let order = answer(t, &format!("{module}.attention_order"), module, "attention_order")?;
    let order = t.items_of(order)?.unwrap_or_default();
    order_of(t, &order)?.ok_or_else(|| Reason::new(Kind::Context, "An order of other kernels of attention."))
}

/// The numbers of kernels, if there are as many as there are kernels.
fn order_of(t: &mut Tracer<'_>, kernels: &[ValueId]) -> Traced<Option<AttentionOrder>> {
    let mut order = Vec::new();
    for &kernel in kernels {
        let Value::Const(Constant::Int(kernel)) = t.get(kernel)? else { return Ok(None) };
        order.push(kernel);
    }
    Ok(order.try_into().ok())
}

/// Sets the order in which kernels are tried. What is no order of all of them ends the graph, and torch judges it.
fn set_order(t: &mut Tracer<'_>, b: &Bound<'_>) -> Traced {
    let refused = || Reason::new(Kind::Context, format!("`{}` of something that is no order of kernels.", b.name()));
    let kernels = t.items_of(b.arg(0)?)?.ok_or_else(refused)?;
    let now = order_of(t, &kernels)?.ok_or_else(refused)?;
    let sorted = |mut order: AttentionOrder| {
        order.sort_unstable();
        order
    };
    let current = current_order(t)?;
    if sorted(now) != sorted(current) {
        return Err(refused());
    }
    let before = t.modes.attention_order.map_or(current, |order| order.before);
    t.put_attention_order(now);
    t.modes.attention_order = Some(Switch { before, now });
    Ok(t.none())
}

impl Tracer<'_> {
    /// The kernel that a member of `SDPBackend` names, under a guard on its identity; `None` for anything else.
    fn attention_kernel(&mut self, backend: ValueId) -> Traced<Option<usize>> {
        let Value::Object(class, obj) = self.get(backend)? else { return Ok(None) };
        if class != BACKEND {
            return Ok(None);
        }
        let found = BACKENDS.iter().position(|name| self.attention_backend(name) == Some(obj));
        let backend = self.force(backend)?;
        if let Some(source) = self.source(backend) {
            let kind = GuardKind::IdMatch(self.object(obj));
            self.guard(source, kind);
        }
        Ok(found)
    }

    fn attention_backend(&mut self, name: &str) -> Option<Obj> {
        let module = self.host.module(MODULE)?;
        let Lookup::Found(class) = self.host.attr(module, "SDPBackend") else { return None };
        let Lookup::Found(member) = self.host.attr(class, name) else { return None };
        Some(member)
    }

    /// Ends the graph with the switches and the order as they were when it began.
    pub(in crate::trace) fn restore_attention(&mut self) {
        for (kernel, switch) in self.modes.attention.into_iter().enumerate() {
            if let Some(Switch { before, now }) = switch
                && before != now
            {
                self.put_attention(kernel, before);
            }
        }
        if let Some(Switch { before, now }) = self.modes.attention_order
            && before != now
        {
            self.put_attention_order(before);
        }
    }

    fn put_attention(&mut self, kernel: usize, enabled: bool) {
        let setter = attention_setter(kernel);
        self.emit_effect(&setter, vec![Arg::Bool(enabled)]);
        self.graph.lowered.lacks(&setter);
    }

    fn put_attention_order(&mut self, order: AttentionOrder) {
        self.emit_effect(SET_ATTENTION_ORDER, vec![Arg::List(order.into_iter().map(Arg::Int).collect())]);
        self.graph.lowered.lacks(SET_ATTENTION_ORDER);
    }
}
