//! Queries and directives to the compiler: whether a program is being compiled, where to break the graph, and operators
//! of the program's own.

use crate::{
    reason::{Kind, Reason},
    trace::{
        Traced, Tracer,
        core::{
            state::State,
            value::{Value, ValueId},
        },
        signature::{Row, row},
    },
};
use fx::Kind as NodeKind;
use guards::Constant;

/// The functions, by the names of the modules that define them.
pub(in crate::trace) const ROWS: &[Row] = &[
    row("torch._dynamo.decorators.graph_break torch._dynamo.graph_break rust_inductor.graph_break(msg='')", |_, _| {
        Err(Reason::new(Kind::Asked, "`graph_break()`."))
    }),
    row(
        "torch.compiler.is_compiling torch.compiler.is_dynamo_compiling torch._utils.is_compiling \
         torch._dynamo.external_utils.is_compiling()",
        |t, _| Ok(t.constant(Constant::Bool(true))),
    ),
    row(
        "torch.compiler.is_exporting torch._jit_internal.is_scripting torch.jit._trace.is_tracing \
         torch.onnx.is_in_onnx_export()",
        |t, _| Ok(t.constant(Constant::Bool(false))),
    ),
    row("torch._dynamo.decorators.mark_static torch._dynamo.mark_static(t, index=None)", |t, b| {
        let (tensor, index) = (b.arg(0)?, b.opt(1));
        let (Value::Tensor(_), Some(index)) = (t.get(tensor)?, index) else {
            return Err(Reason::new(Kind::Call, "`torch._dynamo.mark_static` of something other than one size."));
        };
        let shape = t.get_attr(tensor, "shape")?;
        let size = t.get_item(shape, index)?;
        t.specialised(size)?;
        Ok(t.none())
    }),
    row("torch._library.custom_ops.CustomOpDef.__call__(operator, /, *args, **kwargs)", |t, b| {
        let operator = b.arg(0)?;
        let overload = t.get_attr(operator, "_opoverload")?;
        t.call(overload, b.rest().to_vec(), b.extra().clone())
    }),
    row("torch._C._get_tracing_state()", |t, _| Ok(t.none())),
    row("torch._C._is_tracing()", |t, _| Ok(t.constant(Constant::Bool(false)))),
    row("torch._C._log_api_usage_once torchvision.utils._log_api_usage_once(*args)", |t, b| {
        // It counts for the library's authors.
        b.rest();
        Ok(t.none())
    }),
    row("torch._assert(condition, message)", |t, b| {
        let (condition, message) = (b.arg(0)?, b.arg(1)?);
        if let Value::Tensor(_) = t.get(condition)? {
            return t.call_torch(NodeKind::CallFunction, "torch._assert", None, &[condition, message], vec![]);
        }
        match t.truth(condition)? {
            true => Ok(t.none()),
            false => Err(Reason::new(Kind::Raised, "`torch._assert`.")),
        }
    }),
    // Tensors of classes that override torch's functions are not traced, nor is anything under modes that do.
    row(
        "torch._C._has_torch_function torch._C._has_torch_function_unary torch._C._has_torch_function_variadic \
         torch.overrides.has_torch_function torch.overrides.has_torch_function_unary \
         torch.overrides.has_torch_function_variadic(*args)",
        |t, b| {
            b.rest().iter().try_for_each(|&arg| t.has_no_override(arg))?;
            Ok(t.constant(Constant::Bool(false)))
        },
    ),
    row(
        "torch.utils._python_dispatch._get_current_dispatch_mode_stack torch.overrides._get_current_function_mode_stack()",
        |t, _| Ok(t.state(State::List(Vec::new()))),
    ),
    row("torch._C._len_torch_dispatch_stack torch._C._len_torch_function_stack()", |t, _| {
        Ok(t.constant(Constant::Int(0)))
    }),
];

impl Tracer<'_> {
    /// Ends the graph for a value whose class may override torch's functions.
    fn has_no_override(&mut self, value: ValueId) -> Traced<()> {
        match self.get(value)? {
            Value::Const(_) | Value::Tensor(_) | Value::SymInt { .. } | Value::SymFloat { .. } => Ok(()),
            Value::Tuple(items) | Value::Size(items) => {
                items.into_iter().try_for_each(|item| self.has_no_override(item))
            }
            Value::State(_) => self.all_items(value)?.into_iter().try_for_each(|item| self.has_no_override(item)),
            Value::Object(..) if self.tensor_of_subclass(value)?.is_some() => Ok(()),
            _ => {
                let text = format!("Whether {} overrides torch's functions.", self.describe(value));
                Err(Reason::new(Kind::Call, text))
            }
        }
    }
}
