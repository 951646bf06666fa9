//! Calls that change a tensor and of which it is known without asking torch what they give: that tensor.

use crate::trace::Tracer;
use fx::{Arg, Meta, NodeId};
use symshapes::{DType, DTypeClass, TensorMeta};

/// Functions that, with `inplace=True`, change each element of their first argument, whatever it is, and the place of
/// that parameter. They take any number, but for `hardtanh`, whose bounds have to be in order.
const ACTIVATIONS: [(&str, usize); 10] = [
    ("torch.nn.functional.elu", 2),
    ("torch.nn.functional.hardsigmoid", 1),
    ("torch.nn.functional.hardswish", 1),
    ("torch.nn.functional.hardtanh", 3),
    ("torch.nn.functional.leaky_relu", 2),
    ("torch.nn.functional.mish", 1),
    ("torch.nn.functional.relu", 1),
    ("torch.nn.functional.relu6", 1),
    ("torch.nn.functional.selu", 1),
    ("torch.nn.functional.silu", 1),
];

/// Operators that change their first operand, element by element.
const OPERATORS: [&str; 4] = ["operator.iadd", "operator.imul", "operator.isub", "operator.itruediv"];

/// The element types on which all of them are defined.
const FLOATS: [DType; 4] = [DType::F16, DType::BF16, DType::F32, DType::F64];

impl Tracer<'_> {
    /// The tensor that a call changes and gives back, where nothing keeps torch from that: floats, with constants or
    /// with another tensor of the same shape. `None` for what torch has to be asked about.
    pub(super) fn changed_in_place(&self, call: NodeId) -> Option<TensorMeta> {
        let node = &self.graph.torch[call];
        let target = node.target.as_str();
        let is_lowered = |copied: NodeId| self.graph.lowered.graph[copied].op().is_some();
        // That it has been lowered tells that torch takes the arguments.
        let by_name = node.kwargs.iter().find(|(name, _)| name == "inplace").map(|(_, arg)| arg);
        let place = ACTIVATIONS.iter().find(|(name, _)| *name == target).map(|&(_, place)| place);
        let is_activation = place.is_some_and(|place| by_name.or(node.args.get(place)) == Some(&Arg::Bool(true)))
            && self.graph.lowered.of[call].expand().is_some_and(is_lowered);
        // Autocast converts nothing for what changes its operand.
        if !is_activation && !OPERATORS.contains(&target) {
            return None;
        }
        let (&Arg::Node(changed), operands) = node.args.split_first()? else { return None };
        if target == "torch.nn.functional.hardtanh" {
            let bounds = &operands[..operands.len().min(2)];
            if !bounds_are_ordered(bounds) || node.kwargs.iter().any(|(name, _)| name != "inplace") {
                return None;
            }
        }
        let meta = |node: NodeId| self.graph.torch[node].tensor_meta();
        let mut result = meta(changed).filter(|meta| FLOATS.contains(&meta.dtype))?.clone();
        for operand in operands.iter().chain(node.kwargs.iter().map(|(_, arg)| arg)) {
            match operand {
                &Arg::Node(other) if !is_activation => {
                    let other = meta(other)?;
                    if (&other.sizes, other.dtype, other.device) != (&result.sizes, result.dtype, result.device) {
                        return None;
                    }
                    result.requires_grad |= other.requires_grad && self.modes.grad;
                }
                Arg::Int(_) | Arg::Float(_) | Arg::Bool(_) => {}
                _ => return None,
            }
        }
        (!self.may_be_of_leaf(changed) && !self.may_overlap(call, changed)).then_some(result)
    }
}

/// Products, of which torch does not tell without data that their result does not fit the element type.
const PRODUCTS: [&str; 3] = ["mul_", "multiply_", "operator.imul"];

impl Tracer<'_> {
    /// True for a call that torch refuses, since it would write floats among integers, or complex numbers among floats.
    pub(super) fn writes_wider_class(&self, call: NodeId) -> bool {
        let node = &self.graph.torch[call];
        let class = |arg: &Arg| match arg {
            Arg::Float(_) => Some(DTypeClass::Float),
            Arg::Complex(..) => Some(DTypeClass::Complex),
            &Arg::Node(node) => match &self.graph.torch[node].meta {
                Some(Meta::Tensor(meta)) => Some(meta.dtype.class()),
                Some(Meta::Float(_)) => Some(DTypeClass::Float),
                _ => None,
            },
            _ => None,
        };
        let [changed, by] = [0, 1].map(|place| node.args.get(place).and_then(class));
        PRODUCTS.contains(&&*node.target)
            && changed.zip(by).is_some_and(|(changed, by)| by > changed.max(DTypeClass::Int))
    }
}

/// True for a least and a greatest value that are constants, or for neither.
fn bounds_are_ordered(bounds: &[Arg]) -> bool {
    let number = |arg: &Arg| match *arg {
        Arg::Int(value) => Some(value as f64),
        Arg::Float(value) => Some(value),
        _ => None,
    };
    match bounds {
        [] => true,
        [least, greatest] => number(least).zip(number(greatest)).is_some_and(|(least, greatest)| least <= greatest),
        _ => false,
    }
}
