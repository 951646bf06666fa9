//! What a program asks of the compiler, and tells it: whether it is being compiled, and where to break the graph.

use super::{
    Traced, Tracer,
    builtin::Rule,
    value::{Value, ValueId},
};
use crate::reason::{Kind, Reason};
use guards::Constant;

/// The functions, by the names of the modules that define them.
pub(super) const RULES: &[(&str, Rule)] = &[
    ("torch._dynamo.decorators.graph_break torch._dynamo.graph_break rust_inductor.graph_break", |_, _, _| {
        Err(Reason::new(Kind::Asked, "`graph_break()`."))
    }),
    (
        "torch.compiler.is_compiling torch.compiler.is_dynamo_compiling torch._utils.is_compiling \
         torch._dynamo.external_utils.is_compiling",
        |t, _, _| Ok(t.constant(Constant::Bool(true))),
    ),
    (
        "torch.compiler.is_exporting torch._jit_internal.is_scripting torch.jit._trace.is_tracing \
         torch.onnx.is_in_onnx_export",
        |t, _, _| Ok(t.constant(Constant::Bool(false))),
    ),
    ("torch._C._get_tracing_state", |t, _, _| Ok(t.none())),
    // Tensors of classes that override torch's functions are not traced, nor is anything under modes that do.
    (
        "torch._C._has_torch_function torch._C._has_torch_function_unary torch._C._has_torch_function_variadic \
         torch.overrides.has_torch_function torch.overrides.has_torch_function_unary \
         torch.overrides.has_torch_function_variadic",
        |t, args, _| {
            for &arg in args {
                t.has_no_override(arg)?;
            }
            Ok(t.constant(Constant::Bool(false)))
        },
    ),
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
            _ => {
                let text = format!("Whether {} overrides torch's functions.", self.describe(value));
                Err(Reason::new(Kind::Call, text))
            }
        }
    }
}
