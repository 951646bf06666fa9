//! Questions about tensors.

use crate::{
    host::View,
    reason::{Kind, Reason, raised},
    trace::{
        Traced, Tracer,
        core::{
            state::State,
            value::{Keywords, Value, ValueId},
        },
        python::builtins,
        signature::{Bound, Row, row},
    },
};
use fx::{
    Kind as NodeKind, NodeId,
    pending::{Pending, PendingOps},
};
use guards::Constant;
use symshapes::{DType, Device, DeviceKind};

pub(in crate::trace) const ROWS: &[Row] = &[
    row("torch.is_tensor(obj, /)", |t, b| {
        let is = matches!(t.get(b.arg(0)?)?, Value::Tensor(_));
        Ok(t.constant(Constant::Bool(is)))
    }),
    row("torch.is_floating_point(input)", |t, b| of_dtype(t, b, "is_floating_point")),
    row("torch.is_complex(input)", |t, b| of_dtype(t, b, "is_complex")),
    row("torch.is_conj(input)", |t, b| of_tensor(t, b, "is_conj")),
    row("torch.is_neg(input)", |t, b| of_tensor(t, b, "is_neg")),
    row("torch.Tensor.size(self, dim=...)", size),
    row("torch.Tensor.__len__(self)", |t, b| builtins::length(t, b.arg(0)?)),
    row("torch.Tensor.new(self, *args, **kwargs)", new),
    row("torch.Tensor.type(self, dtype=None, non_blocking=False, **kwargs)", change_type),
    row("torch.Tensor.storage_offset(self, /)", |t, b| {
        let tensor = b.arg(0)?;
        match t.storage_offset(tensor)? {
            Some(offset) => Ok(offset),
            None => in_graph(t, b),
        }
    }),
    row("torch.Tensor.stride(self, dim=...)", in_graph),
    row("torch.FloatTensor(*args)", |t, b| legacy_tensor(t, b, DType::F32)),
    row("torch.DoubleTensor(*args)", |t, b| legacy_tensor(t, b, DType::F64)),
    row("torch.HalfTensor(*args)", |t, b| legacy_tensor(t, b, DType::F16)),
    row("torch.BFloat16Tensor(*args)", |t, b| legacy_tensor(t, b, DType::BF16)),
    row("torch.ByteTensor(*args)", |t, b| legacy_tensor(t, b, DType::U8)),
    row("torch.CharTensor(*args)", |t, b| legacy_tensor(t, b, DType::I8)),
    row("torch.ShortTensor(*args)", |t, b| legacy_tensor(t, b, DType::I16)),
    row("torch.IntTensor(*args)", |t, b| legacy_tensor(t, b, DType::I32)),
    row("torch.LongTensor(*args)", |t, b| legacy_tensor(t, b, DType::I64)),
    row("torch.BoolTensor(*args)", |t, b| legacy_tensor(t, b, DType::Bool)),
    row("torch.Tensor.is_contiguous(self, memory_format=...)", |t, b| {
        let (tensor, format) = (b.arg(0)?, b.opt(1));
        let Value::Tensor(node) = t.get(tensor)? else { return Err(raised("TypeError: a tensor is expected")) };
        let known = match (t.graph.torch[node].tensor_meta().cloned(), format) {
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

/// An uninitialised tensor of this type: of one size, or of sizes one by one. What else may be given are its items.
fn new(t: &mut Tracer<'_>, b: &Bound<'_>) -> Traced {
    let (this, sizes) = (b.arg(0)?, b.rest());
    let size = match sizes {
        [size] if matches!(t.get(*size)?, Value::Size(_)) => *size,
        _ => {
            for &size in sizes {
                if !matches!(t.get(size)?, Value::Const(Constant::Int(_)) | Value::SymInt { .. }) {
                    return Err(Reason::new(Kind::Call, "`Tensor.new` of items."));
                }
            }
            if sizes.is_empty() { t.constant(Constant::Int(0)) } else { t.value(Value::Tuple(sizes.to_vec())) }
        }
    };
    t.call_torch(NodeKind::CallMethod, "new_empty", Some(this), &[size], vec![])
}

/// The legacy names of the tensor types on the processor, by element type.
const TYPES: [(DType, &str); 10] = [
    (DType::F32, "Float"),
    (DType::F64, "Double"),
    (DType::F16, "Half"),
    (DType::BF16, "BFloat16"),
    (DType::U8, "Byte"),
    (DType::I8, "Char"),
    (DType::I16, "Short"),
    (DType::I32, "Int"),
    (DType::I64, "Long"),
    (DType::Bool, "Bool"),
];

/// The name of a tensor's type, or the tensor as one of another element type on the same device.
fn change_type(t: &mut Tracer<'_>, b: &Bound<'_>) -> Traced {
    let unknown = || Reason::new(Kind::Call, "`Tensor.type` of another device or kind.");
    let (tensor, wanted) = (b.arg(0)?, t.unless_none(b.opt(1))?);
    let Value::Tensor(node) = t.get(tensor)? else { return Err(raised("TypeError: a tensor is expected")) };
    let meta = t.graph.torch[node].tensor_meta().cloned().ok_or_else(unknown)?;
    let on_cpu = meta.device.kind == DeviceKind::Cpu;
    let full = |name: &str| format!("torch.{name}Tensor");
    let Some(wanted) = wanted else {
        let named = TYPES.iter().find(|&&(dtype, _)| on_cpu && dtype == meta.dtype).ok_or_else(unknown)?;
        return Ok(t.constant(Constant::Str(full(named.1))));
    };
    let name = match t.get(wanted)? {
        Value::Const(Constant::DType(_)) => {
            return t.call_torch(NodeKind::CallMethod, "type", Some(tensor), &[wanted], vec![]);
        }
        Value::Const(Constant::Str(name)) => name,
        Value::Class(name, _) => name,
        _ => return Err(unknown()),
    };
    let dtype = TYPES.iter().find(|(_, known)| on_cpu && full(known) == name).ok_or_else(unknown)?.0;
    let dtype = t.constant(Constant::DType(dtype));
    t.call_torch(NodeKind::CallMethod, "type", Some(tensor), &[dtype], vec![])
}

/// A tensor on the processor from a legacy class: one with these items, or an uninitialised one of these sizes.
fn legacy_tensor(t: &mut Tracer<'_>, b: &Bound<'_>, dtype: DType) -> Traced {
    let unknown = || Reason::new(Kind::Call, format!("`{}` of sizes or items that are not known.", b.name()));
    let is_size =
        |t: &mut Tracer<'_>, size| Ok(matches!(t.get(size)?, Value::Const(Constant::Int(_)) | Value::SymInt { .. }));
    let (factory, given) = match b.rest() {
        [] => ("torch.empty", t.constant(Constant::Int(0))),
        &[given] => match t.get(given)? {
            Value::Tuple(items) => return of_items(t, given, &items, dtype),
            Value::State(state) => match t.heap.get(state).clone() {
                State::List(items) => return of_items(t, given, &items, dtype),
                _ => return Err(unknown()),
            },
            Value::Size(_) => ("torch.empty", given),
            _ if is_size(t, given)? => ("torch.empty", given),
            _ => return Err(unknown()),
        },
        sizes if sizes.iter().try_fold(true, |all, &size| Traced::Ok(all && is_size(t, size)?))? => {
            ("torch.empty", t.value(Value::Tuple(sizes.to_vec())))
        }
        _ => return Err(unknown()),
    };
    let keywords = on_processor(t, dtype);
    t.call_torch(NodeKind::CallFunction, factory, None, &[given], keywords)
}

/// A tensor on the processor with the items of a list or tuple. NumPy's scalars are tensors already.
fn of_items(t: &mut Tracer<'_>, given: ValueId, items: &[ValueId], dtype: DType) -> Traced {
    let mut tensors = Vec::new();
    for &item in items {
        if let Value::NdArray { node, is_scalar: true } = t.get(item)?
            && t.graph.torch[node].tensor_meta().is_some_and(|meta| meta.dtype == dtype)
        {
            tensors.push(t.value(Value::Tensor(node)));
        }
    }
    if !tensors.is_empty() && tensors.len() == items.len() {
        let tensors = t.value(Value::Tuple(tensors));
        return t.call_torch(NodeKind::CallFunction, "torch.stack", None, &[tensors], vec![]);
    }
    let keywords = on_processor(t, dtype);
    t.call_torch(NodeKind::CallFunction, "torch.tensor", None, &[given], keywords)
}

/// The keyword arguments of a factory that makes a tensor of this element type on the processor.
fn on_processor(t: &mut Tracer<'_>, dtype: DType) -> Keywords {
    let keywords = [("dtype", Constant::DType(dtype)), ("device", Constant::Device(Device::CPU))];
    keywords.map(|(name, constant)| (name.to_owned(), t.constant(constant))).to_vec()
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

/// A question that a method of the tensor answers.
fn of_tensor(t: &mut Tracer<'_>, b: &Bound<'_>, method: &str) -> Traced {
    let tensor = b.arg(0)?;
    if !matches!(t.get(tensor)?, Value::Tensor(_)) {
        return Err(raised("TypeError: a tensor is expected"));
    }
    t.call_method(tensor, method, &[], vec![])
}

impl Tracer<'_> {
    /// The conjugations and negations that are pending in a tensor of the graph in torch's names, as far as they are
    /// known. Guards on tensors of the caller's include their dispatch keys, two of which say it.
    pub(in crate::trace) fn pending(&mut self, node: NodeId) -> Option<Pending> {
        let (objects, host, lowered) = (&self.objects, &mut self.host, &self.graph.lowered);
        let of_input = |input: NodeId| {
            let is_input = |value: ValueId| matches!(objects.values[value], Value::Tensor(node) if lowered.of[node].expand() == Some(input));
            let obj = objects.known.iter().find_map(|(&obj, &value)| is_input(value).then_some(obj))?;
            let View::Tensor(view) = host.view(obj) else { return None };
            let has = |key| view.dispatch_keys.name.split(&['(', ' ', ',', ')']).any(|name| name == key);
            Some(Pending { conj: has("Conjugate"), neg: has("Negative") })
        };
        PendingOps::new(&lowered.graph, of_input).of(lowered.of[node].expand()?)
    }
}

fn size(t: &mut Tracer<'_>, b: &Bound<'_>) -> Traced {
    let (tensor, dim) = (b.arg(0)?, b.opt(1));
    let Value::Tensor(node) = t.get(tensor)? else { return Err(raised("TypeError: a tensor is expected")) };
    let Some(meta) = t.graph.torch[node].tensor_meta().cloned() else { return in_graph(t, b) };
    match dim {
        None => t.shape(node, &meta),
        Some(dim) => {
            let dim = t.dim_of(dim, meta.sizes.len())?;
            t.size(tensor, node, &meta, dim)
        }
    }
}
