//! Derivatives of arithmetic on complex numbers.
//!
//! A gradient is the conjugate Wirtinger derivative, as PyTorch has it: a product's is that by the other factor's
//! conjugate. Where an operand is real and the result is not, only a part of it counts; such calls are left to torch.

use crate::build::Outcome;
use crate::derivative::Derivative;
use crate::formulas;
use fx::aten::Aten;
use fx::{Arg, Graph, NodeId};
use symshapes::DTypeClass;

/// True for a node that is a complex tensor.
pub(crate) fn is_complex(graph: &Graph, node: NodeId) -> bool {
    graph[node].tensor_meta().is_some_and(|meta| meta.dtype.class() == DTypeClass::Complex)
}

/// True for a call on complex tensors alone whose derivative is here.
pub(crate) fn has_derivative(graph: &Graph, call: NodeId) -> bool {
    let node = &graph[call];
    let is_known =
        matches!(node.op(), Some(Aten::add_Tensor | Aten::sub_Tensor | Aten::neg_default | Aten::mul_Tensor));
    let has_complex_factor = node.all_args().any(|arg| matches!(arg, Arg::Complex(..)));
    is_known && !has_complex_factor && node.inputs().into_iter().all(|input| is_complex(graph, input))
}

/// Gives the gradients by the operands of such a call.
pub(crate) fn derive(call: &mut Derivative) -> Outcome {
    match call.bound.op() {
        Aten::mul_Tensor => {
            for (factor, other) in [("self", "other"), ("other", "self")] {
                if call.wants(factor) {
                    let (grad, other) = (call.grad()?, call.node(other)?);
                    let conjugate = conjugate(call, other)?;
                    let product = call.build.call(Aten::mul_Tensor, vec![Arg::Node(grad), Arg::Node(conjugate)])?;
                    call.give_to(factor, product)?;
                }
            }
            Ok(())
        }
        _ => formulas::derive(call),
    }
}

/// Appends the conjugate of a tensor.
fn conjugate(call: &mut Derivative, of: NodeId) -> Outcome<NodeId> {
    call.build.elementwise(Aten::conj_physical_default, vec![Arg::Node(of)], of)
}
