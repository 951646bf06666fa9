//! Questions of torch's about values, and about what the process can do.

use crate::{
    reason::{Kind, Reason, raised},
    trace::{
        Traced, Tracer,
        core::value::{Value, ValueId},
        signature::{Bound, Row, row},
    },
};
use guards::{Constant, GuardKind, Step};

pub(in crate::trace) const ROWS: &[Row] = &[
    row("torch.overrides.is_tensor_like(inp)", |t, b| {
        let is = is_tensor_like(t, b.arg(0)?)?;
        Ok(t.constant(Constant::Bool(is)))
    }),
    row("torch.nn.parameter.is_lazy(param)", |t, b| match t.get(b.arg(0)?)? {
        // A parameter without a shape is of a class that is not traced.
        Value::Tensor(_) | Value::Const(_) => Ok(t.constant(Constant::Bool(false))),
        _ => Err(Reason::new(Kind::Call, format!("`{}` of an object.", b.name()))),
    }),
    row("torch.fx.experimental.symbolic_shapes.has_free_unbacked_symbols(x)", |t, b| {
        let tensor = b.arg(0)?;
        let known = match t.get(tensor)? {
            Value::Tensor(node) => t.graph.torch[node].meta.as_ref().is_some_and(|meta| {
                let mut known = true;
                meta.for_each_expr(&mut |expr| known &= t.shapes.env.hint(expr).is_some());
                known
            }),
            _ => false,
        };
        match known {
            true => Ok(t.constant(Constant::Bool(false))),
            false => Err(Reason::new(Kind::Call, format!("`{}` of what may have some.", b.name()))),
        }
    }),
    row("torch.jit.annotate(the_type, the_value)", |_, b| {
        b.call();
        b.arg(1)
    }),
    row("torch.backends.cuda.cuBLASModule.__getattr__(module, /, name)", |t, b| match t.get(b.arg(1)?)? {
        Value::Const(Constant::Str(name)) if name == "allow_tf32" => {
            b.arg(0)?;
            answer(t, "torch._C._get_cublas_allow_tf32", "torch._C", "_get_cublas_allow_tf32")
        }
        _ => Err(Reason::new(Kind::SkippedFunction, format!("`{}`.", b.name()))),
    }),
    row("torch.cuda.is_available()", |t, b| asked(t, b, "torch.cuda")),
    row("torch.jit._script._unwrap_optional(x)", |t, b| match t.get(b.arg(0)?)? {
        Value::Const(Constant::None) => Err(raised("AssertionError: Unwrapping null optional")),
        _ => b.arg(0),
    }),
    row("torch.distributed.is_available()", |t, b| asked(t, b, "torch.distributed")),
    row("torch.distributed.distributed_c10d.is_initialized()", |t, b| {
        asked(t, b, "torch.distributed.distributed_c10d")
    }),
    // Attention is to be seen as what it is composed of, not as the one operator that it is in inference.
    row("torch.nn.modules.activation._is_make_fx_tracing()", |t, _| Ok(t.constant(Constant::Bool(true)))),
    row("torch.fx._symbolic_trace.is_fx_tracing()", |t, b| asked(t, b, "torch.fx._symbolic_trace")),
    row("torch._C._get_cudnn_enabled()", |t, b| asked(t, b, "torch._C")),
    row("torch._C._get_cudnn_benchmark()", |t, b| asked(t, b, "torch._C")),
    row("torch._C._get_cudnn_deterministic()", |t, b| asked(t, b, "torch._C")),
    row("torch._C._get_cudnn_allow_tf32()", |t, b| asked(t, b, "torch._C")),
    row("torch._C._get_privateuse1_backend_name()", |t, b| asked(t, b, "torch._C")),
    row("torch.get_autocast_gpu_dtype()", autocast_dtype),
    row("torch.get_autocast_cpu_dtype()", autocast_dtype),
];

/// True for a tensor, and for an object whose class has `__torch_function__`.
fn is_tensor_like(t: &mut Tracer<'_>, value: ValueId) -> Traced<bool> {
    let value = t.force(value)?;
    Ok(match t.objects.values[value] {
        Value::Tensor(_) => true,
        Value::Object(..) | Value::Instance(_) => match t.instance(value)? {
            Some(instance) => t.class_attr(instance, "__torch_function__")?.is_some(),
            None => return Err(Reason::new(Kind::Call, "`torch.overrides.is_tensor_like` of an object.")),
        },
        Value::Function(_) | Value::Builtin(_) | Value::Method { .. } | Value::Const(_) => false,
        Value::Tuple(_) | Value::Size(_) | Value::State(_) | Value::Range(_) => false,
        _ => return Err(Reason::new(Kind::Call, "`torch.overrides.is_tensor_like` of an object.")),
    })
}

/// A function without arguments that gives a constant, which is asked now; a guard has it give the same again.
pub(super) fn asked(t: &mut Tracer<'_>, b: &Bound<'_>, module: &str) -> Traced {
    answer(t, b.name(), module, b.own_name())
}

/// The answer of a function of a module, by its dotted name and by its own.
pub(super) fn answer(t: &mut Tracer<'_>, name: &str, module: &str, function: &str) -> Traced {
    let answer = t.fold(name, &[])?;
    let object = || Reason::new(Kind::Call, format!("`{name}` gives an object."));
    let constant = t.as_constant(answer)?.ok_or_else(object)?;
    let module = t.sources.module(module);
    let function = t.sources.string(function);
    let source = t.sources.step(module, Step::Call0(function));
    let constant = t.sources.constant(constant);
    t.guard(source, GuardKind::EqualsMatch(constant));
    Ok(answer)
}

/// The element type that autocast chooses, where the program has entered no autocast of its own.
fn autocast_dtype(t: &mut Tracer<'_>, b: &Bound<'_>) -> Traced {
    if !t.modes.autocast.entered.is_empty() {
        return Err(Reason::new(Kind::Call, format!("`{}` within autocast.", b.name())));
    }
    asked(t, b, "torch")
}
