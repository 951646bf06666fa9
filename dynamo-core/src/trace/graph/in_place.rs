//! Calls that change a tensor and of which it is known without asking torch what they give: that tensor.

use crate::trace::Tracer;
use fx::{
    Arg, Meta, NodeId,
    aten::{Aten, Packet},
    torch_ops,
};
use symshapes::{DType, DTypeClass, TensorMeta};

/// The element types on which all of them are defined.
const FLOATS: [DType; 4] = [DType::F16, DType::BF16, DType::F32, DType::F64];

impl Tracer<'_> {
    /// The tensor that a call changes and gives back, where nothing keeps torch from that: floats, with constants or
    /// with another tensor of the same shape. `None` for what torch has to be asked about. A function comes with the
    /// overload that it has been lowered to.
    pub(super) fn changed_in_place(&self, call: NodeId, lowered: Option<Aten>) -> Option<TensorMeta> {
        let node = &self.graph.torch[call];
        let written = match lowered {
            // That it has been lowered tells that torch takes the arguments.
            Some(overload) => Some(overload).filter(|overload| overload.packet().out_of_place().is_some()),
            None if node.target.starts_with("operator.") => torch_ops::written_in_place(&node.target).first().copied(),
            None => None,
        };
        // Autocast converts nothing for what changes its operand.
        let packet = written.filter(|overload| overload.traits().accepts_floats).map(Aten::packet)?;
        let (&Arg::Node(changed), operands) = node.args.split_first()? else { return None };
        if packet == Packet::hardtanh_ {
            let bounds = &operands[..operands.len().min(2)];
            if !bounds_are_ordered(bounds) || node.kwargs.iter().any(|(name, _)| name != "inplace") {
                return None;
            }
        }
        let meta = |node: NodeId| self.graph.torch[node].tensor_meta();
        let mut result = meta(changed).filter(|meta| FLOATS.contains(&meta.dtype))?.clone();
        for operand in operands.iter().chain(node.kwargs.iter().map(|(_, arg)| arg)) {
            match operand {
                &Arg::Node(other) => {
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
        torch_ops::written_in_place(&node.target).iter().any(|overload| overload.traits().late_cast_error)
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
