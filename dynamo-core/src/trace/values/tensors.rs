//! Tensors: their attributes and sizes, by a table or by nodes of the graph, and their rows.

use crate::{
    host::{Lookup, View},
    reason::{Kind, Reason, raised},
    trace::{
        Traced, Tracer,
        core::value::{Value, ValueId},
        python::{attributes, classes},
    },
};
use fx::{Arg, Kind as NodeKind, Meta, TensorMeta, torch_ops};
use guards::{Constant, GuardKind};
use symshapes::DeviceKind;

/// Attributes of a tensor that are views or computations, and the functions that give them.
const COMPUTED: &[(&str, &str)] = &[
    ("T", "torch.ops.aten.numpy_T"),
    ("mT", "torch.ops.aten.mT"),
    ("H", "torch.ops.aten.matrix_H"),
    ("mH", "torch.ops.aten.mH"),
    // As `detach`, but with a version of its own.
    ("data", "torch._C._autograd._get_data_attr"),
];

/// Attributes of a tensor that are computed, and that the graph reads by name as well.
const READ: &[&str] = &["real", "imag"];

impl Tracer<'_> {
    /// `tensor.name`
    pub(in crate::trace) fn tensor_attr(&mut self, tensor: ValueId, node: fx::NodeId, name: &str) -> Traced {
        let Some(Meta::Tensor(meta)) = self.graph.torch[node].meta.clone() else {
            return Err(self.no_attr(tensor, name));
        };
        let is_of_history = matches!(name, "requires_grad" | "grad_fn" | "is_leaf");
        if is_of_history && !self.is_input(node) && !self.modes.grad && self.anything_recorded() {
            // An operation may give its argument back, which still requires what it did before.
            return Err(self.no_attr(tensor, name));
        }
        if let Some(constant) = plain_attr(&meta, name) {
            return Ok(self.constant(constant));
        }
        if let Some((_, target)) = COMPUTED.iter().find(|(computed, _)| *computed == name) {
            return self.emit(NodeKind::CallFunction, target, vec![Arg::Node(node)], vec![]);
        }
        match name {
            "__class__" => classes::type_of(self, tensor).map_err(|_| self.no_attr(tensor, name)),
            "shape" => {
                let shape = self.shape(node, &meta)?;
                if let Some(source) = self.source(tensor) {
                    self.objects.source_of[shape] = self.sources.attr(source, name).into();
                }
                Ok(shape)
            }
            _ if READ.contains(&name) => {
                let args = vec![Arg::Node(node), Arg::Str(name.to_owned())];
                self.emit(NodeKind::CallFunction, "builtins.getattr", args, vec![])
            }
            "layout" => match self.host.class_named("torch.strided") {
                Some(layout) => Ok(self.value(Value::Lazy(layout))),
                None => Err(self.no_attr(tensor, name)),
            },
            "grad" => self.gradient(tensor),
            // What requires no gradients has no history.
            "grad_fn" if !meta.requires_grad => Ok(self.none()),
            "is_leaf" if !meta.requires_grad => Ok(self.constant(Constant::Bool(true))),
            _ if attributes::UNREAD.contains(&name) => Err(self.no_attr(tensor, name)),
            "nbytes" => {
                match meta.sizes.iter().map(|&size| self.shapes.env.pool().as_int(size)).product::<Option<i64>>() {
                    Some(count) => Ok(self.constant(Constant::Int(count * meta.dtype.size() as i64))),
                    None => Err(self.no_attr(tensor, name)),
                }
            }
            _ if self.host.has_method(name) || torch_ops::knows(&format!("Tensor.{name}")) => {
                Ok(self.value(Value::BoundBuiltin { this: tensor, name: name.to_owned() }))
            }
            _ => self.own_attr(tensor, node, name),
        }
    }

    /// The program's own function that has taken the place of a method of tensors, if one has. Guards on the state of
    /// the process say that none has since.
    pub(in crate::trace) fn replaced_tensor_method(&mut self, this: ValueId, name: &str) -> Traced<Option<ValueId>> {
        let Value::Tensor(node) = self.get(this)? else { return Ok(None) };
        let is_parameter = self.is_parameter(node);
        let Some(found) = self.host.replaced_method(is_parameter, name) else { return Ok(None) };
        if !matches!(self.host.view(found), View::Function(_)) {
            return Err(self.no_attr(this, name));
        }
        let (module, class) = if is_parameter { ("torch.nn", "Parameter") } else { ("torch", "Tensor") };
        let module = self.sources.module(module);
        let class = self.sources.attr(module, class);
        let place = self.sources.attr(class, name);
        Ok(Some(self.lazy(found, place)))
    }

    /// An attribute that the program has given to a tensor, or that no tensor has. One that is computed may be any of
    /// the inputs, of which it has the attributes then.
    fn own_attr(&mut self, tensor: ValueId, node: fx::NodeId, name: &str) -> Traced {
        let is_input = self.is_input(node);
        let first = self.first_name(node);
        let mut absent = Vec::new();
        for (obj, known) in self.objects.known.clone() {
            let Value::Tensor(other) = self.objects.values[known] else { continue };
            if is_input && self.first_name(other) != first {
                continue;
            }
            match (self.host.attr(obj, name), self.source(known)) {
                (Lookup::Absent, Some(source)) => absent.push(source),
                (Lookup::Found(found), Some(source)) if is_input => {
                    let source = self.sources.attr(source, name);
                    return Ok(self.lazy(found, source));
                }
                _ => return Err(self.no_attr(tensor, name)),
            }
        }
        if absent.is_empty() {
            return Err(self.no_attr(tensor, name));
        }
        let id = self.sources.string(name);
        absent.into_iter().for_each(|source| self.guard(source, GuardKind::HasAttr(id, false)));
        Err(Reason::lacks(tensor, name))
    }

    /// A tensor's sizes; each that is a symbol is read by a node of its own.
    pub(in crate::trace) fn shape(&mut self, node: fx::NodeId, meta: &TensorMeta) -> Traced {
        let symbolic = meta.sizes.iter().any(|&size| self.shapes.env.pool().as_int(size).is_none());
        let whole = symbolic.then(|| self.whole_size(NodeKind::CallMethod, "size", Arg::Node(node), &meta.sizes));
        let mut sizes = Vec::new();
        for dim in 0..meta.sizes.len() {
            if symbolic {
                // torch asks for all sizes at once, and picks each of them.
                self.graph.torch.spend_name("getitem");
            }
            sizes.push(match self.shapes.env.pool().as_int(meta.sizes[dim]) {
                Some(size) => self.constant(Constant::Int(size)),
                None => {
                    let args = vec![Arg::Node(node), Arg::Int(dim as i64)];
                    self.emit_named(Some("sym_size"), NodeKind::CallMethod, "size", args, vec![])?
                }
            });
        }
        let size = self.value(Value::Size(sizes.clone()));
        if let Some(whole) = whole {
            let parts = sizes.into_iter().map(|part| self.arg(part)).collect::<Traced<_>>()?;
            self.graph.lowered.sequences.insert(whole, parts);
            self.graph.sizes.insert(size, whole);
        }
        Ok(size)
    }

    /// One size.
    pub(in crate::trace) fn size(
        &mut self,
        _tensor: ValueId,
        node: fx::NodeId,
        meta: &TensorMeta,
        dim: usize,
    ) -> Traced {
        match self.shapes.env.pool().as_int(meta.sizes[dim]) {
            Some(size) => Ok(self.constant(Constant::Int(size))),
            None => {
                let args = vec![Arg::Node(node), Arg::Int(dim as i64)];
                self.emit(NodeKind::CallMethod, "size", args, vec![])
            }
        }
    }

    /// A tensor's rows.
    pub(in crate::trace) fn rows(&mut self, tensor: ValueId) -> Traced<Vec<ValueId>> {
        let Arg::Node(node) = self.arg(tensor)? else { return Err(self.no_iteration(tensor)) };
        let Some(Meta::Tensor(meta)) = self.graph.torch[node].meta.clone() else {
            return Err(self.no_iteration(tensor));
        };
        let Some(&size) = meta.sizes.first() else { return Err(raised("TypeError: iteration over a 0-d tensor")) };
        if meta.sizes.iter().any(|&size| self.shapes.env.pool().as_int(size).is_none()) {
            // torch asks for all sizes.
            self.graph.torch.spend_name("size");
            meta.sizes.iter().for_each(|_| self.graph.torch.spend_name("getitem"));
        }
        let at = self.place();
        let count = self.shapes.env.evaluate_int(size, &at).map_err(|e| Reason::new(Kind::Shape, e.to_string()))?;
        if self.modes.grad && meta.requires_grad {
            // Autograd knows that they are views of one call, and refuses to have them changed.
            let all = self.emit(NodeKind::CallMethod, "unbind", vec![Arg::Node(node)], vec![])?;
            return self.all_items(all);
        }
        let row = |i| self.emit(NodeKind::CallFunction, "operator.getitem", vec![Arg::Node(node), Arg::Int(i)], vec![]);
        (0..count).map(row).collect()
    }
}

/// The attributes of a tensor that are plain values.
fn plain_attr(meta: &TensorMeta, name: &str) -> Option<Constant> {
    Some(match name {
        "dtype" => Constant::DType(meta.dtype),
        "device" => Constant::Device(meta.device),
        "ndim" => Constant::Int(meta.sizes.len() as i64),
        "itemsize" => Constant::Int(meta.dtype.size() as i64),
        "requires_grad" => Constant::Bool(meta.requires_grad),
        "is_cuda" => Constant::Bool(meta.device.kind == DeviceKind::Cuda),
        "is_cpu" => Constant::Bool(meta.device.kind == DeviceKind::Cpu),
        "is_meta" => Constant::Bool(meta.device.kind == DeviceKind::Meta),
        // Tensors of other layouts, and those that are quantised or nested, have no metadata here.
        "is_sparse" | "is_sparse_csr" | "is_quantized" | "is_nested" | "is_mkldnn" => Constant::Bool(false),
        _ => return None,
    })
}
