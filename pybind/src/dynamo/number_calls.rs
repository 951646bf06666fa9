//! Calls of torch that take numbers, written with tensors without dimensions in the numbers' place.
//!
//! Invariant: the new calls give what the old one gives, and their gradients are the same. Where a product is rounded
//! before it is used and the old call would not round it, only types as wide as the computation are taken.

use fx::{Arg, Graph, Kind, Meta, NodeId, TensorMeta};
use symshapes::{DType, Device, Expr};

/// The forms in which a call is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    /// As it is, with tensors.
    Same,
    /// As it is, with tensors of the other operand's type.
    Compared,
    /// As a choice for each bound.
    Bounded,
    /// Without the number: the operand of this name is multiplied by it before.
    Scaled(&'static str),
    /// As so many copies of the number.
    Filled,
    /// The elements that are not positive are multiplied by the number.
    Leaky,
}

/// The rows: functions of torch and of `operator`, and methods of tensors, with the names of their parameters.
const ROWS: &[(Form, &str, &str)] = &[
    (
        Form::Same,
        "mul truediv true_divide multiply pow rsub floordiv floor_divide remainder fmod mod iadd isub imul itruediv \
         mul_ div_",
        "input other",
    ),
    (Form::Same, "div divide", "input other rounding_mode"),
    (Form::Scaled("other"), "add sub subtract add_ sub_", "input other alpha"),
    (Form::Compared, "eq ne lt le gt ge", "input other"),
    (Form::Bounded, "clamp clip", "input min max"),
    (Form::Bounded, "clamp_min", "input min"),
    (Form::Bounded, "clamp_max", "input max"),
    (Form::Same, "where", "condition input other"),
    (Form::Same, "masked_fill masked_fill_", "input mask value"),
    (Form::Same, "fill fill_", "input value"),
    (Form::Same, "lerp", "input end weight"),
    (Form::Scaled("tensor1"), "addcmul addcdiv", "input tensor1 tensor2 value"),
    (Form::Filled, "full", "size fill_value"),
    (Form::Filled, "tensor scalar_tensor", "fill_value"),
    (Form::Leaky, "leaky_relu", "input negative_slope"),
];

/// Makes the tensor that stands for a number, of this type, before this node.
pub(super) type Tensors<'a> = dyn FnMut(&mut Graph, NodeId, DType, NodeId) -> NodeId + 'a;

/// A scalar tensor's metadata.
pub(super) fn scalar(dtype: DType) -> Meta {
    let (sizes, strides, offset, requires_grad) = (Vec::new(), Vec::new(), Expr::ZERO, false);
    Meta::Tensor(TensorMeta { dtype, device: Device::CPU, sizes, strides, offset, requires_grad })
}

/// Writes a call without the floats among its arguments; `None` if it cannot be done.
pub(super) fn write(graph: &mut Graph, id: NodeId, tensor_of: &mut Tensors<'_>) -> Option<()> {
    let mut call = Call::new(graph, id)?;
    match call.form {
        Form::Scaled(operand) => call.scaled(graph, operand, tensor_of)?,
        Form::Bounded => return call.bounded(graph, tensor_of),
        Form::Filled => return call.filled(graph, tensor_of),
        Form::Leaky => return call.leaky(graph, tensor_of),
        Form::Same | Form::Compared => {}
    }
    let dtype = call.dtype(graph)?;
    let floats = call.floats(graph);
    let mut known = Vec::new();
    for number in floats {
        known.push((number, tensor_of(graph, number, dtype, id)));
    }
    let mut renamed = |node| Arg::Node(known.iter().find(|(number, _)| *number == node).map_or(node, |&(_, t)| t));
    let node = &mut graph[id];
    node.args = node.args.iter().map(|arg| arg.map_nodes(&mut renamed)).collect();
    for (_, arg) in &mut node.kwargs {
        *arg = arg.map_nodes(&mut renamed);
    }
    Some(())
}

/// A call that has a row.
struct Call {
    id: NodeId,
    form: Form,
    params: &'static str,
    result: TensorMeta,
}

impl Call {
    fn new(graph: &Graph, id: NodeId) -> Option<Call> {
        let node = &graph[id];
        let name = node.target.rsplit('.').next()?;
        let named = |names: &str| names.split_whitespace().any(|known| known == name);
        let &(form, _, params) = ROWS.iter().find(|(_, names, _)| named(names))?;
        let result = node.tensor_meta()?.clone();
        Some(Call { id, form, params, result })
    }

    /// The argument of a parameter.
    fn arg(&self, graph: &Graph, name: &str) -> Option<Arg> {
        let node = &graph[self.id];
        let place = self.params.split(' ').position(|param| param == name)?;
        let named = || node.kwargs.iter().find(|(given, _)| given == name).map(|(_, arg)| arg);
        node.args.get(place).or_else(named).cloned()
    }

    /// A parameter's argument that is a float.
    fn float(&self, graph: &Graph, name: &str) -> Option<NodeId> {
        let node = self.arg(graph, name)?.as_node()?;
        matches!(graph[node].meta, Some(Meta::Float(_))).then_some(node)
    }

    /// All arguments that are floats; no float is hidden in another argument.
    fn floats(&self, graph: &Graph) -> Vec<NodeId> {
        self.params.split(' ').filter_map(|param| self.float(graph, param)).collect()
    }

    /// The metadata of the arguments that are tensors.
    fn operands<'a>(&self, graph: &'a Graph) -> impl Iterator<Item = &'a TensorMeta> {
        graph[self.id].inputs().into_iter().filter_map(|node| graph[node].tensor_meta())
    }

    /// The type that the call takes its numbers in.
    fn dtype(&self, graph: &Graph) -> Option<DType> {
        let floats = self.operands(graph).filter(|meta| meta.dtype.is_float());
        let rank = floats.map(|meta| meta.sizes.len()).max().unwrap_or(0);
        let dtype = match self.form {
            Form::Compared => self.operands(graph).next()?.dtype,
            _ => self.result.dtype,
        };
        match dtype {
            // Numbers are not rounded to these before they are used.
            DType::F16 | DType::BF16 if rank == 0 => Some(dtype),
            DType::F16 | DType::BF16 => Some(DType::F32),
            dtype => dtype.is_float().then_some(dtype),
        }
    }

    /// True if products are as exact as the call is.
    fn is_wide(&self, graph: &Graph) -> bool {
        let wide = |dtype| matches!(dtype, DType::F32 | DType::F64);
        wide(self.result.dtype) && self.operands(graph).all(|meta| meta.dtype == self.result.dtype)
    }

    /// A call before this one.
    fn before(&self, graph: &mut Graph, target: &str, args: Vec<Arg>, meta: TensorMeta) -> NodeId {
        let made = graph.insert_before(self.id, Kind::CallFunction, target, args, vec![], None);
        graph[made].meta = Some(Meta::Tensor(meta));
        made
    }

    /// Makes this call another one.
    fn become_call(&self, graph: &mut Graph, target: &str, args: Vec<Arg>, kwargs: Vec<(String, Arg)>) {
        let node = &mut graph[self.id];
        node.kind = Kind::CallFunction;
        node.target = target.into();
        (node.args, node.kwargs) = (args, kwargs);
    }

    /// Multiplies an operand by the last parameter, if that is a float.
    fn scaled(&mut self, graph: &mut Graph, operand: &str, tensor_of: &mut Tensors<'_>) -> Option<()> {
        let factor = self.params.rsplit(' ').next()?;
        let Some(number) = self.float(graph, factor) else { return Some(()) };
        let scaled = self.arg(graph, operand)?.as_node()?;
        let meta = graph[scaled].tensor_meta()?.clone();
        if !self.is_wide(graph) {
            return None;
        }
        let number = tensor_of(graph, number, meta.dtype, self.id);
        let product = self.before(graph, "operator.mul", vec![Arg::Node(scaled), Arg::Node(number)], meta);
        let mut args = Vec::new();
        for param in self.params.split(' ').filter(|param| *param != factor) {
            args.push(if param == operand { Arg::Node(product) } else { self.arg(graph, param)? });
        }
        let node = &mut graph[self.id];
        (node.args, node.kwargs) = (args, Vec::new());
        Some(())
    }

    /// One bound after the other. Gradients pass where an element lies within both, and not on one of them.
    fn bounded(&self, graph: &mut Graph, tensor_of: &mut Tensors<'_>) -> Option<()> {
        let dtype = self.dtype(graph)?;
        let mut clamped = self.arg(graph, "input")?;
        for (name, within, nearest) in
            [("min", "operator.gt", "torch.maximum"), ("max", "operator.lt", "torch.minimum")]
        {
            let bound = self.arg(graph, name).filter(|bound| *bound != Arg::None);
            let made = match (bound, self.float(graph, name)) {
                (None, _) => continue,
                (Some(_), Some(number)) => {
                    let bound = Arg::Node(tensor_of(graph, number, dtype, self.id));
                    let meta = TensorMeta { requires_grad: false, ..self.result.clone() };
                    let mask = TensorMeta { dtype: DType::Bool, ..meta.clone() };
                    let inside = self.before(graph, within, vec![clamped.clone(), bound.clone()], mask);
                    let still = self.before(graph, "torch.detach", vec![clamped.clone()], meta.clone());
                    // What is no number stays that.
                    let outside = self.before(graph, nearest, vec![Arg::Node(still), bound], meta);
                    let args = vec![Arg::Node(inside), clamped, Arg::Node(outside)];
                    self.before(graph, "torch.where", args, self.result.clone())
                }
                (Some(bound), None) => {
                    let made = self.before(graph, "torch.clamp", vec![clamped], self.result.clone());
                    graph[made].kwargs = vec![(name.to_owned(), bound)];
                    made
                }
            };
            clamped = Arg::Node(made);
        }
        self.become_call(graph, "torch.clone", vec![clamped], vec![]);
        Some(())
    }

    fn filled(&self, graph: &mut Graph, tensor_of: &mut Tensors<'_>) -> Option<()> {
        let (size, number) = (self.arg(graph, "size"), self.float(graph, "fill_value")?);
        let dtype = self.result.dtype;
        if !dtype.is_float() || self.result.device != Device::CPU {
            return None;
        }
        let number = tensor_of(graph, number, dtype, self.id);
        let Some(size) = size else {
            self.become_call(graph, "torch.clone", vec![Arg::Node(number)], vec![]);
            return Some(());
        };
        let meta = TensorMeta { strides: vec![Expr::ZERO; self.result.strides.len()], ..self.result.clone() };
        let expanded = self.before(graph, "expand", vec![Arg::Node(number), size], meta);
        graph[expanded].kind = Kind::CallMethod;
        self.become_call(graph, "torch.clone", vec![Arg::Node(expanded)], vec![]);
        Some(())
    }

    fn leaky(&self, graph: &mut Graph, tensor_of: &mut Tensors<'_>) -> Option<()> {
        let (input, number) = (self.arg(graph, "input")?, self.float(graph, "negative_slope")?);
        if !self.is_wide(graph) || self.arg(graph, "inplace").is_some() {
            return None;
        }
        let number = tensor_of(graph, number, self.result.dtype, self.id);
        let scaled = self.before(graph, "operator.mul", vec![input.clone(), Arg::Node(number)], self.result.clone());
        let meta = TensorMeta { dtype: DType::Bool, requires_grad: false, ..self.result.clone() };
        let positive = self.before(graph, "operator.gt", vec![input.clone(), Arg::Int(0)], meta);
        let args = vec![Arg::Node(positive), input, Arg::Node(scaled)];
        self.become_call(graph, "torch.where", args, vec![]);
        Some(())
    }
}
