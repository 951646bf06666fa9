//! Managers of modes, and questions about them.

use crate::{
    reason::{Kind, Reason},
    trace::{
        Traced, Tracer,
        core::{
            context::{Class, Context},
            value::{Value, ValueId},
        },
        signature::{Bound, Row, row},
    },
};
use guards::Constant;
use symshapes::{DType, DeviceKind};

pub(in crate::trace) const ROWS: &[Row] = &[
    row("torch.autograd.grad_mode.no_grad(orig_func=...)", |t, b| no_param(t, b, Class::Never)),
    row("torch.autograd.grad_mode.enable_grad(orig_func=...)", |t, b| no_param(t, b, Class::Always)),
    row("torch.autograd.grad_mode.set_grad_enabled(mode)", |t, b| {
        let grad = t.make_grad(Class::Given, Some(b.arg(0)?))?;
        Ok(t.value(Value::Context(Context::Grad(grad))))
    }),
    row("torch.autograd.grad_mode.inference_mode(mode=True)", |t, b| {
        let mode = b.opt(0);
        decorating(t, mode, |t, mode| t.make_inference(mode).map(Context::Inference))
    }),
    row("torch.amp.autocast_mode.autocast(device_type, dtype=None, enabled=True, cache_enabled=None)", |t, b| {
        let autocast = t.autocast_of(Some(b.arg(0)?), b.opt(1), b.opt(2), b.opt(3))?;
        Ok(t.value(Value::Context(Context::Autocast(autocast))))
    }),
    row("torch.cpu.amp.autocast_mode.autocast(enabled=True, dtype=..., cache_enabled=True)", |t, b| {
        autocast_on(t, b, "cpu", DType::BF16)
    }),
    row("torch.cuda.amp.autocast_mode.autocast(enabled=True, dtype=..., cache_enabled=True)", |t, b| {
        autocast_on(t, b, "cuda", DType::F16)
    }),
    row("torch.autograd.profiler.record_function(name, args=None)", |t, b| {
        // Only profilers see them.
        b.call();
        Ok(t.value(Value::Context(Context::Null(None))))
    }),
    row(
        "torch.autograd.profiler.profile(enabled=True, *, use_device=None, record_shapes=False, with_flops=False, \
         profile_memory=False, with_stack=False, with_modules=False, use_kineto=False, use_cpu=True, \
         experimental_config=None, acc_events=False, custom_trace_id_callback=None, post_processing_timeout_s=None, \
         activity_filters=None, _profiler_extensions=None)",
        profiler,
    ),
    row(
        "torch.profiler.profiler.profile(*, activities=None, schedule=None, on_trace_ready=None, record_shapes=False, \
         profile_memory=False, with_stack=False, with_flops=False, with_modules=False, experimental_config=None, \
         execution_trace_observer=None, acc_events=False, custom_trace_id_callback=None, \
         post_processing_timeout_s=None)",
        profiler,
    ),
    // It has `vmap` read tensors by indices in tensors, as our operator for `vmap` does on its own.
    row("torch._dynamo._trace_wrapped_higher_order_op.TransformGetItemToIndex()", |t, _| {
        Ok(t.value(Value::Context(Context::Null(None))))
    }),
    row("torch._dynamo.decorators.error_on_graph_break(error_on_graph_break)", |t, b| {
        let context = t.make_breaks(b.arg(0)?)?;
        Ok(t.value(Value::Context(context)))
    }),
    row(
        "torch._dynamo.decorators.ErrorOnGraphBreakDecoratorContextManager.__exit__(self, exc_type, exc_val, exc_tb)",
        |t, b| {
            // The graph ends here for one that was entered before it began, and may do so.
            t.modes.refuses_breaks = false;
            Err(Reason::new(Kind::Context, format!("`{}`.", b.name())))
        },
    ),
    row("torch.fx.traceback.annotate(annotation_dict)", |t, b| {
        // Only compilers see what it says of the calls within.
        b.call();
        Ok(t.value(Value::Context(Context::Null(None))))
    }),
    row("torch.autograd.grad_mode.no_grad.__exit__(self, exc_type, exc_value, traceback)", |t, b| {
        leave(t, b, Class::Never)
    }),
    row("torch.autograd.grad_mode.enable_grad.__exit__(self, exc_type, exc_value, traceback)", |t, b| {
        leave(t, b, Class::Always)
    }),
    row("torch.autograd.grad_mode.set_grad_enabled.__exit__(self, exc_type, exc_value, traceback)", |t, b| {
        leave(t, b, Class::Given)
    }),
    row("torch.amp.autocast_mode.autocast.__exit__(self, exc_type, exc_val, exc_tb)", |t, b| {
        let this = b.arg(0)?;
        for place in 1..4 {
            // What is told of an exception goes on behind the manager, where no graph is.
            let told = b.arg(place)?;
            if !matches!(t.get(told)?, Value::Const(Constant::None)) {
                return Err(Reason::new(Kind::Context, format!("`{}` for an exception.", b.name())));
            }
        }
        t.leave_autocast_object(this)
    }),
    row("torch.is_grad_enabled torch._C.is_grad_enabled()", |t, _| {
        let grad = t.modes.grad;
        Ok(t.constant(Constant::Bool(grad)))
    }),
    row("torch._C._set_grad_enabled(enabled, /)", |t, b| {
        let mode = b.arg(0)?;
        let Value::Const(Constant::Bool(mode)) = t.get(mode)? else {
            return Err(Reason::new(Kind::Call, "`torch._C._set_grad_enabled` of something that is no bool."));
        };
        t.put_grad(mode);
        Ok(t.none())
    }),
    row("torch.is_inference_mode_enabled torch._C.is_inference_mode_enabled()", |t, _| {
        let inference = t.modes.inference.current;
        Ok(t.constant(Constant::Bool(inference)))
    }),
    row("torch.is_autocast_enabled torch._C.is_autocast_enabled(device_type=...)", |t, b| {
        let on = t.autocast_for(b.opt(0))?.is_some();
        Ok(t.constant(Constant::Bool(on)))
    }),
    row("torch.is_autocast_cpu_enabled()", |t, _| {
        let on = t.chosen(DeviceKind::Cpu).is_some();
        Ok(t.constant(Constant::Bool(on)))
    }),
    row("torch.device(*args, **kwargs)", device),
];

/// The autocast of one kind of device, whose class has a default element type of its own.
fn autocast_on(t: &mut Tracer<'_>, b: &Bound<'_>, device: &str, default: DType) -> Traced {
    let device = t.constant(Constant::Str(device.to_owned()));
    let dtype = b.opt(1).unwrap_or_else(|| t.constant(Constant::DType(default)));
    let cache = b.opt(2).unwrap_or_else(|| t.constant(Constant::Bool(true)));
    let autocast = t.autocast_of(Some(device), Some(dtype), b.opt(0), Some(cache))?;
    Ok(t.value(Value::Context(Context::Autocast(autocast))))
}

/// A profiler. One with arguments (handlers, schedules, devices) is the program's to run: nothing reads them here, so
/// that they end the graph.
fn profiler(t: &mut Tracer<'_>, b: &Bound<'_>) -> Traced {
    Ok(t.value(Value::Context(Context::Profiler(b.name()))))
}

/// torch's own parser, which knows several signatures, reads the arguments.
fn device(t: &mut Tracer<'_>, b: &Bound<'_>) -> Traced {
    t.fold_call(b)
}

/// A class whose only argument is the function that it decorates.
fn no_param(t: &mut Tracer<'_>, b: &Bound<'_>, class: Class) -> Traced {
    decorating(t, b.opt(0), |t, function| match function {
        None => t.make_grad(class, None).map(Context::Grad),
        Some(_) => Err(Reason::new(Kind::Call, format!("`{}` of no function.", b.name()))),
    })
}

/// A manager, or a function within a manager if the class is given one in place of its own argument.
fn decorating(
    t: &mut Tracer<'_>,
    given: Option<ValueId>,
    make: impl Fn(&mut Tracer<'_>, Option<ValueId>) -> Traced<Context>,
) -> Traced {
    let function = match given {
        Some(given) if matches!(t.get(given)?, Value::Function(_)) => Some(given),
        _ => None,
    };
    let context = make(t, given.filter(|_| function.is_none()))?;
    let manager = t.value(Value::Context(context));
    function.map_or(Ok(manager), |function| t.decorate(manager, function))
}

/// `__exit__` of a manager that was entered before the trace began. What it is told of exceptions changes nothing.
fn leave(t: &mut Tracer<'_>, b: &Bound<'_>, class: Class) -> Traced {
    b.call();
    t.leave_grad_object(class, b.arg(0)?)
}
