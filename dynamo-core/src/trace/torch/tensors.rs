//! Questions about tensors.

use crate::trace::{
    Traced, Tracer,
    items::raised,
    signature::{Bound, Row, row},
    value::Value,
};
use fx::Kind as NodeKind;
use guards::Constant;

pub(in crate::trace) const ROWS: &[Row] = &[
    row("torch.is_tensor(obj, /)", |t, b| {
        let is = matches!(t.get(b.arg(0)?)?, Value::Tensor(_));
        Ok(t.constant(Constant::Bool(is)))
    }),
    row("torch.is_floating_point(input)", |t, b| of_dtype(t, b, "is_floating_point")),
    row("torch.is_complex(input)", |t, b| of_dtype(t, b, "is_complex")),
    row("torch.Tensor.size(self, dim=...)", size),
    row("torch.Tensor.storage_offset(self, /)", |t, b| {
        let tensor = b.arg(0)?;
        match t.storage_offset(tensor)? {
            Some(offset) => Ok(offset),
            None => in_graph(t, b),
        }
    }),
    row("torch.Tensor.stride(self, dim=...)", in_graph),
    row("torch.Tensor.is_contiguous(self, memory_format=...)", |t, b| {
        let (tensor, format) = (b.arg(0)?, b.opt(1));
        let Value::Tensor(node) = t.get(tensor)? else { return Err(raised("TypeError: a tensor is expected")) };
        let known = match (t.graph[node].tensor_meta().cloned(), format) {
            (Some(meta), Some(format)) => t.is_contiguous_in(&meta, format)?,
            _ => None,
        };
        match known {
            Some(known) => Ok(t.constant(Constant::Bool(known))),
            None => in_graph(t, b),
        }
    }),
];

/// A method that goes into the graph as it is called.
fn in_graph(t: &mut Tracer<'_>, b: &Bound<'_>) -> Traced {
    let (args, keywords) = b.call();
    let (&this, args) = args.split_first().ok_or_else(|| raised("TypeError: a tensor is expected"))?;
    t.call_torch(NodeKind::CallMethod, b.own_name(), Some(this), args, keywords.clone())
}

/// A question about a tensor's element type.
fn of_dtype(t: &mut Tracer<'_>, b: &Bound<'_>, question: &str) -> Traced {
    let tensor = b.arg(0)?;
    if !matches!(t.get(tensor)?, Value::Tensor(_)) {
        return Err(raised("TypeError: a tensor is expected"));
    }
    let dtype = t.get_attr(tensor, "dtype")?;
    t.get_attr(dtype, question)
}

fn size(t: &mut Tracer<'_>, b: &Bound<'_>) -> Traced {
    let (tensor, dim) = (b.arg(0)?, b.opt(1));
    let Value::Tensor(node) = t.get(tensor)? else { return Err(raised("TypeError: a tensor is expected")) };
    let Some(meta) = t.graph[node].tensor_meta().cloned() else { return in_graph(t, b) };
    match dim {
        None => t.shape(node, &meta),
        Some(dim) => {
            let dim = t.dim_of(dim, meta.sizes.len())?;
            t.size(tensor, node, &meta, dim)
        }
    }
}
