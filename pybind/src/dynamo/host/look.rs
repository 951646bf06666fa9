//! What objects are, as far as the tracer tells them apart.

use super::PyHost;
use crate::dynamo::classify::{self, Seen, SeenTensor, dotted_name};
use crate::torch::Torch;
use dynamo_core::host::{FunctionView, Host as _, RecordClass, Table, TensorView, View};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFunction, PyString, PyTuple, PyType};

impl<'py> PyHost<'py> {
    pub(super) fn see(&mut self, object: &Bound<'py, PyAny>) -> PyResult<View> {
        Ok(match classify::look(object)? {
            Seen::Constant(constant) => View::Constant(constant),
            Seen::Tuple(items) => View::Tuple(self.all(&items)),
            Seen::Size(items) => View::Size(self.all(&items)),
            Seen::Record(class, items) => {
                let class = self.handle(class.as_any());
                match self.record_class(class) {
                    Some(record) if record.fields.len() == items.len() => View::Record(class, record, self.all(&items)),
                    _ => View::Object(dotted_name(object.get_type().as_any())?),
                }
            }
            Seen::Partial(function, args, keywords) => {
                let keywords = keywords.into_iter().map(|(name, value)| (name, self.handle(&value))).collect();
                View::Partial(self.handle(&function), self.all(&args), keywords)
            }
            Seen::Getter(class, parts) => View::Getter(class, self.all(&parts)),
            Seen::Set(items) => View::Set(self.all(&items)),
            Seen::List(items) => View::List(self.all(&items)),
            Seen::Dict(items) => {
                View::Dict(items.iter().map(|(key, value)| (self.handle(key), self.handle(value))).collect())
            }
            Seen::Table(class, factory, items) => {
                let table = match (class, factory) {
                    (_, Some(factory)) => Table::Default(self.handle(&factory)),
                    ("OrderedDict", _) => Table::Ordered,
                    _ => Table::Counter,
                };
                let items = items.iter().map(|(key, value)| (self.handle(key), self.handle(value)));
                View::Table(table, items.collect())
            }
            Seen::Deque(items, most) => View::Deque(self.all(&items), most),
            Seen::Slice(parts) => View::Slice(parts.each_ref().map(|part| self.handle(part))),
            Seen::Range(bounds) => View::Range(bounds),
            Seen::NdArray(tensor, is_scalar) => View::NdArray(Box::new(self.tensor_view(object, tensor)?), is_scalar),
            Seen::Tensor(tensor) => View::Tensor(Box::new(self.tensor_view(object, tensor)?)),
            Seen::Function(function) => View::Function(Box::new(self.function(&function)?)),
            Seen::Method(function, this) => View::Method(self.handle(&function), self.handle(&this)),
            Seen::Cell(content) => View::Cell(content.map(|content| self.handle(&content))),
            Seen::Module(name) => View::Module(name),
            Seen::Class(name) => View::Class(name),
            Seen::Builtin(name) => View::Builtin(name),
            Seen::BoundBuiltin(this, name) => View::BoundBuiltin(self.handle(&this), name),
            Seen::Object(class) => View::Object(class),
        })
    }

    fn tensor_view(&mut self, object: &Bound<'py, PyAny>, tensor: SeenTensor) -> PyResult<TensorView> {
        let torch = Torch::get(self.py)?;
        let is_array = !torch.is_plain_tensor(object);
        let class = if is_array { torch.tensor.bind(self.py).clone().into_any() } else { object.get_type().into_any() };
        Ok(TensorView {
            is_parameter: !class.is(&torch.tensor),
            class: self.handle(&class),
            dtype: tensor.dtype,
            device: tensor.device,
            sizes: tensor.sizes,
            strides: tensor.strides,
            offset: tensor.offset,
            requires_grad: tensor.requires_grad,
            is_leaf: tensor.is_leaf,
            dispatch_keys: tensor.dispatch_keys,
            marks: tensor.marks,
        })
    }

    pub(super) fn function(&mut self, function: &Bound<'py, PyFunction>) -> PyResult<FunctionView> {
        let py = self.py;
        let get = |name: &Bound<'py, PyString>| function.getattr(name);
        let items = |value: Bound<'py, PyAny>| -> Vec<Bound<'py, PyAny>> {
            value.cast::<PyTuple>().map(|items| items.iter().collect()).unwrap_or_default()
        };
        let place = classify::place(function)?;
        let name = match place {
            dynamo_core::host::Place::InGraph => classify::name_in_graph(function)?,
            _ => dotted_name(function)?,
        };
        let kwdefaults = get(intern!(py, "__kwdefaults__"))?;
        let kwdefaults = kwdefaults.cast::<PyDict>().map(|dict| dict.iter().collect()).unwrap_or_else(|_| Vec::new());
        let kwdefaults = kwdefaults.iter().map(|(name, value)| Ok((name.extract()?, self.handle(value))));
        Ok(FunctionView {
            kwdefaults: kwdefaults.collect::<PyResult<_>>()?,
            code: self.handle(&get(intern!(py, "__code__"))?),
            globals: self.handle(&get(intern!(py, "__globals__"))?),
            defaults: self.all(&items(get(intern!(py, "__defaults__"))?)),
            closure: self.all(&items(get(intern!(py, "__closure__"))?)),
            name,
            place,
        })
    }

    pub(super) fn record(&mut self, class: &Bound<'py, PyAny>) -> PyResult<Option<RecordClass>> {
        let Ok(class) = class.cast::<PyType>() else { return Ok(None) };
        if !classify::is_record(class)? {
            return Ok(None);
        }
        let name = dotted_name(class.as_any())?;
        if name.starts_with("torch.return_types.") {
            let count: usize = class.getattr("n_sequence_fields")?.extract()?;
            let fields = class.getattr("__match_args__")?.extract::<Vec<String>>()?;
            return Ok((fields.len() == count).then_some(RecordClass {
                name,
                fields,
                defaults: Vec::new(),
                of_sequence: true,
            }));
        }
        let fields: Vec<String> = class.getattr("_fields")?.extract()?;
        let defaults = class.getattr("_field_defaults")?;
        let defaults = fields.iter().filter_map(|field| defaults.get_item(field).ok()).collect::<Vec<_>>();
        Ok(Some(RecordClass { name, fields, defaults: self.all(&defaults), of_sequence: false }))
    }
}
