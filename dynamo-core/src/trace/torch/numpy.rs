//! NumPy's arrays and functions: arrays are tensors of the graph, and calls of NumPy are nodes that compute them by way
//! of `torch._numpy`, as torch's Dynamo has it.
//!
//! Source: `torch/_dynamo/variables/misc.py` (`NumpyVariable`), `variables/tensor.py` (`NumpyNdarrayVariable`).
//!
//! Invariants:
//! - an array of the caller's is writable, and guarded as the tensor that shares its memory; its sizes are constants;
//! - a node is put into the graph only where NumPy gives the same shape, element type, kind of object and values for
//!   samples ([`Host::numpy_agrees`](crate::host::Host::numpy_agrees)); everything else ends the graph;
//! - nothing here changes an array.

use crate::{
    host::{Obj, TensorView},
    reason::{Kind, Reason},
    trace::{
        Traced, Tracer,
        core::{
            state::State,
            value::{Keywords, Value, ValueId},
        },
    },
};
use fx::{Arg, Kind as NodeKind, Meta, NodeId};
use guards::{Constant, SourceId, Step};
use symshapes::{DType, DeviceKind};

/// The class of arrays.
pub(in crate::trace) const CLASS: &str = "numpy.ndarray";

/// Functions that are elementwise or reduce, which take NumPy's scalars as they take arrays.
const ELEMENTWISE: &str = "abs absolute add all any arccos arccosh arcsin arcsinh arctan arctan2 arctanh cbrt ceil copysign \
    cos cosh deg2rad degrees divide equal exp exp2 expm1 fabs float_power floor floor_divide fmax fmin fmod greater \
    greater_equal hypot isfinite isinf isnan less less_equal log log10 log1p log2 logaddexp logical_and logical_not \
    logical_or logical_xor max maximum mean min minimum mod multiply negative not_equal positive power prod rad2deg radians \
    reciprocal remainder rint sign sin sinh sqrt square subtract sum tan tanh true_divide trunc";

/// Functions of arrays.
const OTHERS: &str = "amax amin arange argmax argmin around array asarray atleast_1d atleast_2d atleast_3d broadcast_to clip \
    column_stack concatenate cumprod cumsum diag diagonal diff dot dstack expand_dims eye flip fliplr flipud full full_like \
    hstack identity inner kron linspace matmul moveaxis ones ones_like outer ravel repeat reshape roll round sort squeeze \
    stack std swapaxes take tensordot tile trace transpose tril triu var vdot vstack where zeros zeros_like linalg.norm";

/// Methods of arrays.
pub(in crate::trace) const METHODS: &str = "all any argmax argmin astype clip conj copy cumprod cumsum diagonal dot flatten max mean \
    min prod ravel repeat reshape round squeeze std sum swapaxes take trace transpose var";

fn is_among(names: &str, name: &str) -> bool {
    names.split_whitespace().any(|known| known == name)
}

impl Tracer<'_> {
    /// An array of the caller's: the tensor that shares its memory is an input of the graph. That of a scalar holds it.
    fn array_input(&mut self, view: &TensorView, is_scalar: bool, source: Option<SourceId>) -> Traced {
        let source = source.map(|source| self.sources.step(source, Step::FromNumpy));
        let tensor = self.tensor_input(view, source)?;
        match self.objects.values[tensor] {
            Value::Tensor(node) => Ok(self.value(Value::NdArray { node, is_scalar })),
            _ => Err(Reason::new(Kind::Attribute, "An array that is no tensor.")),
        }
    }

    /// A call of one of NumPy's functions; `None` for any other.
    pub(in crate::trace) fn call_numpy(
        &mut self,
        name: &str,
        args: &[ValueId],
        keywords: &Keywords,
    ) -> Traced<Option<ValueId>> {
        if matches!(name, "torch.from_numpy" | "torch.as_tensor") {
            return self.tensor_of_array(args, keywords);
        }
        let Some(name) = name.strip_prefix("numpy.") else { return Ok(None) };
        if let ("asarray" | "asanyarray", &[only], true) = (name, args, keywords.is_empty()) {
            match self.get(only)? {
                Value::Tensor(_) => return self.array_of_tensor(only).map(Some),
                // It is the same object.
                Value::NdArray { is_scalar: false, .. } => return self.force(only).map(Some),
                _ => {}
            }
        }
        let elementwise = is_among(ELEMENTWISE, name);
        if !elementwise && !is_among(OTHERS, name) {
            return Ok(None);
        }
        let target = format!("call_{}", name.replace('.', "_"));
        self.emit_numpy(&target, args, keywords, elementwise).map(Some)
    }

    /// `array.name(*args, **keywords)`
    pub(in crate::trace) fn call_array_method(
        &mut self,
        array: ValueId,
        name: &str,
        args: &[ValueId],
        keywords: &Keywords,
    ) -> Traced {
        if !is_among(METHODS, name) {
            return Err(Reason::new(Kind::Call, format!("`{CLASS}.{name}`.")));
        }
        self.emit_numpy(&format!("method_{name}"), &[&[array], args].concat(), keywords, false)
    }

    /// An operator of which an operand is an array; `None` if none is.
    pub(in crate::trace) fn array_operator(&mut self, name: &str, operands: &[ValueId]) -> Traced<Option<ValueId>> {
        let mut any = false;
        for &operand in operands {
            any |= matches!(self.get(operand)?, Value::NdArray { .. });
        }
        if !any {
            return Ok(None);
        }
        let elementwise = name != "getitem";
        self.emit_numpy(&format!("operator_{name}"), operands, &vec![], elementwise).map(Some)
    }

    /// `array.name`
    pub(in crate::trace) fn array_attr(&mut self, array: ValueId, node: NodeId, is_scalar: bool, name: &str) -> Traced {
        let sizes = self.array_sizes(node)?;
        let number = |value: i64| Constant::Int(value);
        match name {
            "shape" => Ok(self.of_constant(Constant::Tuple(sizes.into_iter().map(number).collect()))),
            "ndim" => Ok(self.constant(number(sizes.len() as i64))),
            "size" => Ok(self.constant(number(sizes.iter().product()))),
            "T" | "real" | "imag" if !is_scalar => {
                self.emit_numpy(&format!("attribute_{name}"), &[array], &vec![], false)
            }
            _ if is_among(METHODS, name) => Ok(self.value(Value::BoundBuiltin { this: array, name: name.to_owned() })),
            _ => Err(self.no_attr(array, name)),
        }
    }

    /// The sizes of an array.
    pub(in crate::trace) fn array_sizes(&mut self, node: NodeId) -> Traced<Vec<i64>> {
        let unknown = || Reason::new(Kind::Shape, "An array whose sizes are not known.");
        let meta = self.graph.torch[node].tensor_meta().cloned().ok_or_else(unknown)?;
        meta.sizes.iter().map(|&size| self.shapes.env.pool().as_int(size)).collect::<Option<_>>().ok_or_else(unknown)
    }

    /// The rows of an array, one by one.
    pub(in crate::trace) fn array_rows(&mut self, array: ValueId, node: NodeId) -> Traced<Vec<ValueId>> {
        const MOST_ROWS: i64 = 256;
        let rows = self.array_sizes(node)?.first().copied().filter(|&rows| rows <= MOST_ROWS);
        let rows = rows.ok_or_else(|| Reason::new(Kind::Iteration, "Over an array."))?;
        let mut found = Vec::new();
        for row in 0..rows {
            let at = self.constant(Constant::Int(row));
            found.push(self.get_item(array, at)?);
        }
        Ok(found)
    }

    /// `tensor.numpy()`: the same memory as an array.
    pub(in crate::trace) fn array_of_tensor(&mut self, tensor: ValueId) -> Traced {
        let unknown = || Reason::new(Kind::TensorToPython, "`Tensor.numpy`.");
        let Value::Tensor(node) = self.get(tensor)? else { return Err(unknown()) };
        let meta = self.graph.torch[node].tensor_meta().cloned().ok_or_else(unknown)?;
        let may_record = meta.requires_grad || !self.is_input(node) && !self.modes.grad && self.anything_recorded();
        if may_record || meta.device.kind != DeviceKind::Cpu || !has_counterpart(meta.dtype) {
            return Err(unknown());
        }
        self.array_sizes(node).map_err(|_| unknown())?;
        Ok(self.value(Value::NdArray { node, is_scalar: false }))
    }

    /// `torch.from_numpy(array)`: the same memory as a tensor; `None` for what is no array.
    fn tensor_of_array(&mut self, args: &[ValueId], keywords: &Keywords) -> Traced<Option<ValueId>> {
        let (&[array], true) = (args, keywords.is_empty()) else { return Ok(None) };
        Ok(match self.get(array)? {
            Value::NdArray { node, is_scalar: false } => Some(self.value(Value::Tensor(node))),
            _ => None,
        })
    }

    /// Puts a call of NumPy's into the graph, if `torch._numpy` gives what NumPy gives.
    fn emit_numpy(&mut self, name: &str, args: &[ValueId], keywords: &Keywords, takes_scalars: bool) -> Traced {
        let args = args.iter().map(|&arg| self.numpy_arg(arg, takes_scalars)).collect::<Traced<Vec<_>>>()?;
        let named = keywords.iter().map(|(key, value)| Ok((key.clone(), self.numpy_arg(*value, takes_scalars)?)));
        let named = named.collect::<Traced<Vec<_>>>()?;
        let target = format!("rust_inductor._numpy.{name}");
        let node = self.put_call(None, NodeKind::CallFunction, &target, args, named)?;
        let agrees = match self.graph.torch[node].meta {
            Some(Meta::Tensor(_)) => self.host.numpy_agrees(&self.graph.torch, &self.shapes.env, node),
            _ => None,
        };
        let Some(is_scalar) = agrees else {
            self.drop_from(node);
            let text = format!("NumPy's `{}`, for which torch has no equal.", name.replacen('_', " ", 1));
            return Err(Reason::new(Kind::Call, text));
        };
        self.settle(node)?;
        let tensor = self.of_node(node)?;
        match self.get(tensor)? {
            Value::Tensor(node) => Ok(self.value(Value::NdArray { node, is_scalar })),
            _ => Err(Reason::new(Kind::Call, format!("NumPy's `{name}` gives no array."))),
        }
    }

    /// A value as an argument of a node that computes arrays.
    fn numpy_arg(&mut self, value: ValueId, takes_scalars: bool) -> Traced<Arg> {
        let refused = |t: &mut Self| Reason::new(Kind::Call, format!("NumPy is given {}.", t.describe(value)));
        let known = self.specialised(value)?;
        let all = |t: &mut Self, items: &[ValueId]| {
            items.iter().map(|&item| t.numpy_arg(item, takes_scalars)).collect::<Traced<Vec<_>>>()
        };
        match self.get(known)? {
            Value::NdArray { is_scalar: true, .. } if !takes_scalars => Err(refused(self)),
            Value::NdArray { node, .. } => Ok(Arg::Node(node)),
            Value::Const(constant) if !matches!(constant, Constant::DType(_) | Constant::Device(_)) => self.arg(known),
            Value::Tuple(items) => Ok(Arg::Tuple(all(self, &items)?)),
            Value::State(state) => match self.heap.get(state).clone() {
                State::List(items) => Ok(Arg::List(all(self, &items)?)),
                _ => Err(refused(self)),
            },
            Value::Slice(parts) => match &all(self, &parts)?[..] {
                [start, stop, step] => Ok(Arg::Slice(Box::new([start.clone(), stop.clone(), step.clone()]))),
                _ => Err(refused(self)),
            },
            Value::Class(name, _) => dtype_named(&name).ok_or_else(|| refused(self)),
            _ => Err(refused(self)),
        }
    }

    /// The view of an array as the tensor that it is: none of its sizes becomes a symbol.
    pub(in crate::trace) fn wrap_array(
        &mut self,
        obj: Obj,
        view: &TensorView,
        is_scalar: bool,
        source: Option<SourceId>,
    ) -> Traced {
        if let Some(source) = source {
            let kind = self.type_match(obj);
            self.guard(source, kind);
        }
        self.array_input(view, is_scalar, source)
    }
}

/// The name of an element type that a class stands for.
fn dtype_named(class: &str) -> Option<Arg> {
    let name = match class {
        "builtins.float" => "float64",
        "builtins.int" => "int64",
        "builtins.bool" => "bool",
        "builtins.complex" => "complex128",
        class => class.strip_prefix("numpy.").filter(|name| {
            is_among("float32 float64 int8 int16 int32 int64 uint8 complex64 complex128 bool bool_", name)
        })?,
    };
    Some(Arg::Str(name.trim_end_matches('_').to_owned()))
}

/// True for element types that NumPy has, too.
fn has_counterpart(dtype: DType) -> bool {
    // Complex tensors may be conjugates that are not computed yet, of which torch makes no array.
    use DType::{Bool, F32, F64, I8, I16, I32, I64, U8};
    matches!(dtype, Bool | U8 | I8 | I16 | I32 | I64 | F32 | F64)
}
