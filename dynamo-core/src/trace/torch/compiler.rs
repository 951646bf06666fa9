//! What a program asks of the compiler, and tells it: whether it is being compiled, and where to break the graph.

use crate::{
    reason::{Kind, Reason},
    trace::signature::{Row, row},
};
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
    row("torch._C._get_tracing_state()", |t, _| Ok(t.none())),
];
