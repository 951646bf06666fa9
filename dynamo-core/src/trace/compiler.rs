//! What a program asks of the compiler, and tells it: whether it is being compiled, and where to break the graph.

use super::builtin::Rule;
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
];
