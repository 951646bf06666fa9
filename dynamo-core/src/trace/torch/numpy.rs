//! NumPy's arrays and functions: arrays are tensors of the graph, and calls of NumPy are nodes that compute them by way
//! of `torch._numpy`, as torch's Dynamo has it.
//!
//! Source: `torch/_dynamo/variables/misc.py` (`NumpyVariable`), `variables/tensor.py` (`NumpyNdarrayVariable`).
//!
//! Invariants:
//! - an array of the caller's is writable, and guarded as the tensor that shares its memory; its sizes are constants;
//! - a node is put into the graph only where NumPy gives the same shape, element type, kind of object and values for
//!   samples ([`Host::numpy_agrees`](crate::host::Host::numpy_agrees)); everything else ends the graph;
//! - nothing here changes an array: `numpy_writes` does.

use crate::{
    host::{NumpyResult, Obj, TensorView},
    reason::{Kind, Reason},
    trace::{
        Traced, Tracer,
        core::{
            state::State,
            value::{Keywords, Value, ValueId},
        },
    },
};
use fx::{Arg, Kind as NodeKind, Meta, NodeId, TensorMeta};
use guards::{Constant, SourceId, Step};
use symshapes::{DType, DTypeClass, DeviceKind};

/// The class of arrays.
pub(in crate::trace) const CLASS: &str = "numpy.ndarray";

/// Functions of arrays and scalars, and the classes of scalars, which convert what they are given.
const FUNCTIONS: &str = "\
    abs absolute add all allclose amax amin any append arange arccos arccosh arcsin arcsinh arctan arctan2 \
    arctanh argmax argmin argsort around array array_split asarray atleast_1d atleast_2d atleast_3d average cbrt \
    ceil clip column_stack concatenate copy copysign corrcoef cos cosh cov cross cumprod cumsum \
    deg2rad degrees diag diff divide divmod dot dsplit dstack einsum empty empty_like exp exp2 expand_dims expm1 eye \
    fabs flip fliplr flipud float_power floor floor_divide fmax fmin fmod full full_like greater greater_equal \
    heaviside hsplit hstack hypot identity inner isclose isfinite isinf isnan isneginf isposinf kron less \
    less_equal linspace log log10 log1p log2 logaddexp logaddexp2 logical_and logical_not logical_or logical_xor \
    logspace matmul max maximum mean median meshgrid min minimum mod moveaxis multiply nan_to_num negative \
    not_equal ones ones_like outer percentile positive power prod ptp quantile rad2deg radians ravel \
    real_if_close reciprocal remainder repeat reshape rint roll rollaxis rot90 round sign signbit sin sinc sinh \
    sort split sqrt square squeeze stack std subtract sum swapaxes take tan tanh tensordot tile trace transpose \
    tri tril triu true_divide trunc vander var vdot vsplit vstack where zeros zeros_like \
    fft.fft fft.fft2 fft.fftfreq fft.fftn fft.fftshift fft.hfft fft.ifft fft.ifft2 fft.ifftn fft.ifftshift \
    fft.ihfft fft.irfft fft.irfft2 fft.irfftn fft.rfft fft.rfft2 fft.rfftfreq fft.rfftn linalg.cond linalg.det \
    linalg.eigvalsh linalg.inv linalg.matrix_power linalg.multi_dot linalg.norm linalg.pinv linalg.solve \
    bool float32 float64 int8 int16 int32 int64 uint8";

/// The functions that take a tensor for the array that shares its memory; what others give for one is a tensor, or an
/// error.
const TAKING_TENSORS: &str = "array empty_like full_like ones_like zeros_like";

/// Methods of arrays.
pub(in crate::trace) const METHODS: &str = "all any argmax argmin argsort astype clip conj copy cumprod cumsum dot fill flatten max \
    mean min prod ravel repeat reshape round squeeze std sum swapaxes take tolist trace transpose var";

/// Calls with integer operands that decide neither the shape nor the element type of the result.
const OF_ANY_INTEGER: &str = "call_add call_equal call_greater call_greater_equal call_less call_less_equal call_maximum \
    call_minimum call_multiply call_not_equal call_subtract call_where operator_add operator_eq operator_ge operator_gt \
    operator_le operator_lt operator_mul operator_ne operator_sub";

/// The scalars and integers among the arguments of a call.
struct Given {
    /// The nodes that are NumPy's scalars, or integers.
    scalars: Vec<NodeId>,
    /// Whether integers that are symbols are nodes.
    kept: bool,
    /// The number of these.
    integers: usize,
}

pub(super) fn is_among(names: &str, name: &str) -> bool {
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
        match name {
            "torch.from_numpy" | "torch.as_tensor" => return self.tensor_of_array(args, keywords),
            "torch.tensor" => return self.tensor_like_array(args, keywords),
            _ => {}
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
        if let (Some(dtype), true) = (self.made_dtype(&format!("numpy.{name}"), args)?, keywords.is_empty()) {
            return Ok(Some(dtype));
        }
        if !self.options.numpy || !is_among(FUNCTIONS, name) {
            return Ok(None);
        }
        let mut args = args.to_vec();
        if is_among(TAKING_TENSORS, name)
            && let Some(first) = args.first_mut()
            && let Value::Tensor(_) = self.get(*first)?
        {
            *first = self.array_of_tensor(*first)?;
        }
        if let Some(written) = self.call_numpy_into(name, &args, keywords)? {
            return Ok(Some(written));
        }
        // What memory holds that nobody has written is anything.
        let name = match name {
            "empty" => "zeros",
            "empty_like" => "zeros_like",
            name => name,
        };
        let target = format!("call_{}", name.replace('.', "_"));
        self.emit_numpy(&target, &args, keywords).map(Some)
    }

    /// `array.name(*args, **keywords)`
    pub(in crate::trace) fn call_array_method(
        &mut self,
        array: ValueId,
        name: &str,
        args: &[ValueId],
        keywords: &Keywords,
    ) -> Traced {
        if let ("tolist", [], true, Value::NdArray { node, .. }) = (name, args, keywords.is_empty(), self.get(array)?)
            && let Some(list) = self.listed_integers(node)?
        {
            return Ok(list);
        }
        if let ("fill", &[value], true) = (name, args, keywords.is_empty()) {
            return self.fill_array(array, value);
        }
        if !is_among(METHODS, name) || matches!(name, "fill" | "tolist") {
            return Err(Reason::new(Kind::Call, format!("`{CLASS}.{name}`.")));
        }
        self.emit_numpy(&format!("method_{name}"), &[&[array], args].concat(), keywords)
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
        self.emit_numpy(&format!("operator_{name}"), operands, &vec![]).map(Some)
    }

    /// `tensor + scalar`, where torch takes one of NumPy's scalars for the number that it is. A tensor without
    /// dimensions gives the same, unless it decided the element type. `None` for other operands.
    pub(in crate::trace) fn tensor_and_scalar(
        &mut self,
        name: &str,
        a: ValueId,
        b: ValueId,
    ) -> Traced<Option<ValueId>> {
        let (Value::Tensor(tensor), Value::NdArray { node, is_scalar: true }) = (self.get(a)?, self.get(b)?) else {
            return Ok(None);
        };
        let (Some(of), Some(scalar)) =
            (self.graph.torch[tensor].tensor_meta().cloned(), self.graph.torch[node].tensor_meta())
        else {
            return Ok(None);
        };
        let class = scalar.dtype.class();
        let is_weaker =
            class == DTypeClass::Int && of.dtype.class() == DTypeClass::Int || of.dtype.class() == DTypeClass::Float;
        if of.sizes.is_empty() || class == DTypeClass::Bool || !is_weaker || !["add", "sub", "mul"].contains(&name) {
            return Ok(None);
        }
        let operands = vec![self.arg(a)?, Arg::Node(node)];
        self.emit(NodeKind::CallFunction, &format!("operator.{name}"), operands, vec![]).map(Some)
    }

    /// `array.name`
    pub(in crate::trace) fn array_attr(&mut self, array: ValueId, node: NodeId, is_scalar: bool, name: &str) -> Traced {
        let (sizes, meta) = (self.array_sizes(node)?, self.array_meta(node)?);
        let number = |value: i64| Constant::Int(value);
        match name {
            "shape" => Ok(self.of_constant(Constant::Tuple(sizes.into_iter().map(number).collect()))),
            "dtype" => self.dtype_of_array(node)?.ok_or_else(|| self.no_attr(array, name)),
            "ndim" => Ok(self.constant(number(sizes.len() as i64))),
            "size" => Ok(self.constant(number(sizes.iter().product()))),
            "itemsize" => Ok(self.constant(number(meta.dtype.size() as i64))),
            "nbytes" => Ok(self.constant(number(sizes.iter().product::<i64>() * meta.dtype.size() as i64))),
            "strides" => {
                let strides = self.known(&meta.strides).ok_or_else(unknown_sizes)?.into_iter();
                let strides = strides.map(|stride| number(stride * meta.dtype.size() as i64)).collect();
                Ok(self.of_constant(Constant::Tuple(strides)))
            }
            // It is the same object.
            "real" if !is_scalar && meta.dtype.class() != DTypeClass::Complex => self.force(array),
            "T" | "real" | "imag" if !is_scalar => self.emit_numpy(&format!("attribute_{name}"), &[array], &vec![]),
            _ if is_among(METHODS, name) => Ok(self.value(Value::BoundBuiltin { this: array, name: name.to_owned() })),
            _ => Err(self.no_attr(array, name)),
        }
    }

    /// The sizes of an array.
    pub(in crate::trace) fn array_sizes(&mut self, node: NodeId) -> Traced<Vec<i64>> {
        let meta = self.array_meta(node)?;
        self.known(&meta.sizes).ok_or_else(unknown_sizes)
    }

    /// The element type of an array.
    pub(super) fn array_dtype(&mut self, node: NodeId) -> Traced<DType> {
        Ok(self.array_meta(node)?.dtype)
    }

    fn array_meta(&mut self, node: NodeId) -> Traced<TensorMeta> {
        self.graph.torch[node].tensor_meta().cloned().ok_or_else(unknown_sizes)
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
        if !self.options.numpy || may_record || meta.device.kind != DeviceKind::Cpu || !has_counterpart(meta.dtype) {
            return Err(unknown());
        }
        self.array_sizes(node).map_err(|_| unknown())?;
        self.graph.as_tensor[node] = true;
        Ok(self.value(Value::NdArray { node, is_scalar: false }))
    }

    /// The caller's tensor whose memory an array shares.
    pub(in crate::trace) fn callers_tensor(&self, array: NodeId) -> Option<ValueId> {
        let first = self.first_name(array);
        let is_it = |value: &ValueId| matches!(self.objects.values[*value], Value::Tensor(node) if node == first);
        self.objects.known.values().copied().find(is_it).filter(|&tensor| self.source(tensor).is_some())
    }

    /// `torch.from_numpy(array)`: the same memory as a tensor; `None` for what is no array.
    fn tensor_of_array(&mut self, args: &[ValueId], keywords: &Keywords) -> Traced<Option<ValueId>> {
        let (&[array], true) = (args, keywords.is_empty()) else { return Ok(None) };
        Ok(match self.get(array)? {
            Value::NdArray { node, is_scalar: false } => {
                let tensor = self.value(Value::Tensor(node));
                let is_known = std::mem::replace(&mut self.graph.as_tensor[node], true);
                // Each call makes an object of its own.
                Some(if is_known { self.call_method(tensor, "detach", &[], vec![])? } else { tensor })
            }
            _ => None,
        })
    }

    /// `torch.tensor(array, dtype=None)`: a copy; `None` for what is no array.
    fn tensor_like_array(&mut self, args: &[ValueId], keywords: &Keywords) -> Traced<Option<ValueId>> {
        let &[array] = args else { return Ok(None) };
        let Value::NdArray { node, .. } = self.get(array)? else { return Ok(None) };
        let tensor = self.value(Value::Tensor(node));
        let copy = self.call_method(tensor, "clone", &[], vec![])?;
        match &keywords[..] {
            [] => Ok(Some(copy)),
            [(name, dtype)] if name == "dtype" => self.call_method(copy, "to", &[*dtype], vec![]).map(Some),
            _ => Ok(None),
        }
    }

    /// Puts a call of NumPy's into the graph, if `torch._numpy` gives what NumPy gives.
    pub(super) fn emit_numpy(&mut self, name: &str, args: &[ValueId], keywords: &Keywords) -> Traced {
        let symbolic = match self.options.inference && is_among(OF_ANY_INTEGER, name) {
            true => self.numpy_call(name, args, keywords, true)?,
            false => None,
        };
        let found = match symbolic {
            None => self.numpy_call(name, args, keywords, false)?,
            found => found,
        };
        let Some((node, result)) = found else {
            let text = format!("NumPy's `{}`, for which torch has no equal.", name.replacen('_', " ", 1));
            return Err(Reason::new(Kind::Call, text));
        };
        self.retry_if_raises(node)?;
        let given = self.of_node(node)?;
        let arrays = match self.get(given)? {
            Value::Tensor(_) => vec![given],
            Value::Tuple(items) => items,
            _ => return Err(no_array(name)),
        };
        match result {
            NumpyResult::One { is_scalar } if arrays.len() == 1 => self.as_array(name, given, is_scalar),
            NumpyResult::Tuple(scalars) => {
                let items = self.as_arrays(name, &arrays, &scalars)?;
                Ok(self.value(Value::Tuple(items)))
            }
            NumpyResult::List(scalars) => {
                let items = self.as_arrays(name, &arrays, &scalars)?;
                Ok(self.state(State::List(items)))
            }
            NumpyResult::One { .. } => Err(no_array(name)),
        }
    }

    /// The node of a call of NumPy's, with what NumPy gives, if `torch._numpy` gives the same; else there is none.
    /// Integers that are symbols are arguments if they are `kept`, and constants otherwise.
    pub(super) fn numpy_call(
        &mut self,
        name: &str,
        args: &[ValueId],
        keywords: &Keywords,
        kept: bool,
    ) -> Traced<Option<(NodeId, NumpyResult)>> {
        let mut given = Given { scalars: Vec::new(), kept, integers: 0 };
        let args = args.iter().map(|&arg| self.numpy_arg(arg, &mut given)).collect::<Traced<Vec<_>>>()?;
        let named = keywords.iter().map(|(key, value)| Ok((key.clone(), self.numpy_arg(*value, &mut given)?)));
        let named = named.collect::<Traced<Vec<_>>>()?;
        if kept && given.integers == 0 {
            return Ok(None);
        }
        let target = format!("rust_inductor._numpy.{name}");
        let node = match kept {
            false => self.put_call(None, NodeKind::CallFunction, &target, args, named)?,
            true => {
                let node = self.graph.torch.push(NodeKind::CallFunction, &target, args, named, None);
                self.place_node(node);
                // What it gives depends on no integer, as the comparison tells.
                let ask = self.modes.ask(true);
                let meta = self.host.infer(&self.graph.torch, &mut self.shapes.env, node, ask).ok();
                self.graph.torch[node].meta = meta;
                self.graph.lowered.copy(&self.graph.torch, node);
                self.graph.lowered.lacks(&target);
                node
            }
        };
        let agrees = match self.graph.torch[node].meta {
            Some(Meta::Tensor(_) | Meta::Tuple(_)) => {
                self.host.numpy_agrees(&self.graph.torch, &self.shapes.env, node, &given.scalars)
            }
            _ => None,
        };
        if agrees.is_none() {
            self.drop_from(node);
        }
        Ok(agrees.map(|result| (node, result)))
    }

    fn as_arrays(&mut self, name: &str, tensors: &[ValueId], scalars: &[bool]) -> Traced<Vec<ValueId>> {
        if tensors.len() != scalars.len() {
            return Err(no_array(name));
        }
        tensors.iter().zip(scalars).map(|(&tensor, &is_scalar)| self.as_array(name, tensor, is_scalar)).collect()
    }

    fn as_array(&mut self, name: &str, tensor: ValueId, is_scalar: bool) -> Traced {
        match self.get(tensor)? {
            Value::Tensor(node) => Ok(self.value(Value::NdArray { node, is_scalar })),
            _ => Err(no_array(name)),
        }
    }

    /// A value as an argument of a node that computes arrays, where integers are as they are now.
    pub(super) fn array_arg(&mut self, value: ValueId) -> Traced<Arg> {
        self.numpy_arg(value, &mut Given { scalars: Vec::new(), kept: false, integers: 0 })
    }

    /// A value as an argument of a node that computes arrays.
    fn numpy_arg(&mut self, value: ValueId, given: &mut Given) -> Traced<Arg> {
        let refused = |t: &mut Self| Reason::new(Kind::Call, format!("NumPy is given {}.", t.describe(value)));
        if let (true, Value::SymInt { expr, node }) = (given.kept, self.get(value)?)
            && !self.shapes.env.depends_on_data(expr)
        {
            given.integers += 1;
            given.scalars.push(node);
            return Ok(Arg::Node(node));
        }
        let known = self.specialised(value)?;
        let mut all = |t: &mut Self, items: &[ValueId]| {
            items.iter().map(|&item| t.numpy_arg(item, given)).collect::<Traced<Vec<_>>>()
        };
        match self.get(known)? {
            Value::NdArray { node, is_scalar } => {
                if is_scalar {
                    given.scalars.push(node);
                }
                Ok(Arg::Node(node))
            }
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
            Value::Object(..) => self.dtype_as_argument(known),
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
        if !self.options.numpy {
            return Err(Reason::new(Kind::Attribute, "An array: NumPy is not traced."));
        }
        if let Some(source) = source {
            let kind = self.type_match(obj);
            self.guard(source, kind);
        }
        self.array_input(view, is_scalar, source)
    }
}

fn unknown_sizes() -> Reason {
    Reason::new(Kind::Shape, "An array whose sizes are not known.")
}

fn no_array(name: &str) -> Reason {
    Reason::new(Kind::Call, format!("NumPy's `{name}` gives no array."))
}

/// The name of an element type that a class stands for.
pub(super) fn dtype_named(class: &str) -> Option<Arg> {
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
