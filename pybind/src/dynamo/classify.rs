//! Classification of objects: by exact types only, so that a subclass, which may mean anything, is never taken for its
//! base.

use super::members::dotted_name;
use super::policies::{is_allowed, is_disallowed, name_in_graph, policy};
use super::{arrays, constant, members};
use crate::names::{allowed_target, function_target};
use crate::torch::Torch;
use dynamo_core::host::{FunctionPolicy, FunctionView, Mark, Obj, RecordClass, Table, TensorView, Unbacked, View};
use guards::DispatchKeys;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{
    PyAnyMethods, PyDict, PyDictMethods, PyFrozenSet, PyFunction, PyList, PyModule, PyRange, PySlice, PyString,
    PyTuple, PyType,
};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The view of an object, with its parts as Python objects.
pub(super) type PyView<'py> = View<Bound<'py, PyAny>>;

/// Classifies an object.
pub(super) fn look<'py>(object: &Bound<'py, PyAny>) -> PyResult<PyView<'py>> {
    let py = object.py();
    if let Ok(items) = object.cast_exact::<PyTuple>() {
        return Ok(View::Tuple(items.iter().collect()));
    }
    if let Some(constant) = constant::read(object) {
        return Ok(View::Constant(constant));
    }
    let torch = Torch::get(py)?;
    if torch.is_plain_tensor(object) {
        if let Some(tensor) = tensor(torch, object)? {
            return Ok(View::Tensor(Box::new(tensor)));
        }
    } else if let Ok(items) = object.cast_exact::<PyList>() {
        return Ok(View::List(items.iter().collect()));
    } else if let Ok(items) = object.cast_exact::<PyDict>() {
        return Ok(View::Dict(items.iter().collect()));
    } else if let Ok(function) = object.cast_exact::<PyFunction>() {
        return self::function(function).map(|function| View::Function(Box::new(function)));
    } else if object.is_instance_of::<PyType>() {
        return Ok(View::Class(dotted_name(object)?));
    } else if let Ok(module) = object.cast_exact::<PyModule>() {
        return Ok(View::Module(module.name()?.extract()?));
    } else if object.is_exact_instance_of::<PySlice>() {
        return Ok(View::Slice([object.getattr("start")?, object.getattr("stop")?, object.getattr("step")?]));
    } else if object.is_exact_instance_of::<PyRange>() {
        let bound = |name| object.getattr(name)?.extract::<i64>();
        if let (Ok(start), Ok(stop), Ok(step)) = (bound("start"), bound("stop"), bound("step")) {
            return Ok(View::Range([start, stop, step]));
        }
    }
    by_class_name(object)
}

fn by_class_name<'py>(object: &Bound<'py, PyAny>) -> PyResult<PyView<'py>> {
    let py = object.py();
    let class = dotted_name(object.get_type().as_any())?;
    Ok(match class.as_str() {
        "numpy.ndarray" | "numpy.float64" | "numpy.float32" | "numpy.int64" | "numpy.int32" | "numpy.int8"
        | "numpy.int16" | "numpy.uint8" | "numpy.bool" => match arrays::tensor_of(object)? {
            Some(shared) => match tensor(Torch::get(py)?, &shared)? {
                Some(mut view) => {
                    view.marks = vec![Mark::Static; view.sizes.len()];
                    View::NdArray(Box::new(view), class != "numpy.ndarray")
                }
                None => View::Object(class),
            },
            None => View::Object(class),
        },
        "numpy.ufunc" | "numpy._ArrayFunctionDispatcher" => match arrays::name_of(object)? {
            Some(name) => View::Builtin(name),
            None => View::Object(class),
        },
        "functools.partial" => {
            let args = object.getattr("args")?.cast::<PyTuple>()?.iter().collect();
            let keywords = object.getattr("keywords")?;
            let keywords = keywords.cast::<PyDict>()?.iter().map(|(name, value)| Ok((name.extract()?, value)));
            View::Partial(object.getattr("func")?, args, keywords.collect::<PyResult<_>>()?)
        }
        "operator.itemgetter" | "operator.attrgetter" | "operator.methodcaller" => {
            let told = object.call_method0(intern!(py, "__reduce__"))?;
            // With keyword arguments it is more than its class.
            if told.get_item(0)?.is(object.get_type()) {
                View::Getter(class, told.get_item(1)?.cast::<PyTuple>()?.iter().collect())
            } else {
                View::Object(class)
            }
        }
        "collections.OrderedDict" => {
            // Its order is its own: that of the dict below it may differ.
            let items = object.call_method0("items")?.try_iter()?.map(|item| item?.extract());
            View::Table(Table::Ordered, items.collect::<PyResult<_>>()?)
        }
        "collections.defaultdict" => {
            let factory = object.getattr("default_factory")?;
            View::Table(Table::Default(factory), object.cast::<PyDict>()?.iter().collect())
        }
        "collections.Counter" => View::Table(Table::Counter, object.cast::<PyDict>()?.iter().collect()),
        "collections.deque" => {
            View::Deque(object.try_iter()?.collect::<PyResult<_>>()?, object.getattr("maxlen")?.extract()?)
        }
        "builtins.tuple_iterator" => {
            let told = object.call_method0(intern!(py, "__reduce__"))?;
            // At its end it has let go of the tuple.
            let items = told.get_item(1)?.get_item(0)?;
            match told.len()? {
                3 => View::TupleIterator(items.cast::<PyTuple>()?.iter().collect(), told.get_item(2)?.extract()?),
                _ => View::Object(class),
            }
        }
        "builtins.set" => View::Set(object.try_iter()?.collect::<PyResult<_>>()?),
        "builtins.frozenset" => View::FrozenSet(object.try_iter()?.collect::<PyResult<_>>()?),
        "torch.Size" => View::Size(object.cast::<PyTuple>()?.iter().collect()),
        "builtins.method" => View::Method(object.getattr("__func__")?, object.getattr("__self__")?),
        "builtins.cell" => View::Cell(object.getattr("cell_contents").ok()),
        "builtins.builtin_function_or_method" | "builtins.builtin_method" => {
            let bound = object.getattr("__self__")?;
            let of_module = bound.is_none() || bound.is_instance_of::<PyModule>();
            let name = function_target(object)?;
            if is_disallowed(object)? {
                return Ok(View::Object(class));
            }
            if is_allowed(object)? {
                return allowed_target(object).map(View::Builtin);
            }
            // A method of an object knows more than its name says, unless it is one of torch's functions.
            if of_module || name.starts_with("torch.") {
                View::Builtin(name)
            } else if bound.is_instance_of::<PyType>() {
                View::Builtin(format!("{}.{}", dotted_name(&bound)?, object.getattr("__name__")?))
            } else {
                let plain = bound.is_exact_instance_of::<PyList>()
                    || bound.is_exact_instance_of::<PyDict>()
                    || bound.is_exact_instance_of::<PyFrozenSet>()
                    || is_pattern(&bound)?;
                if plain {
                    View::BoundBuiltin(bound, object.getattr("__name__")?.extract()?)
                } else {
                    View::Object(class)
                }
            }
        }
        "torch._ops.OpOverload" => {
            let name: String = object.str()?.extract()?;
            View::Builtin(if name.starts_with("aten.") { name } else { format!("torch.ops.{name}") })
        }
        "torch._ops.OpOverloadPacket" => View::Builtin(format!("torch.ops.{}", object.str()?)),
        "builtins.method_descriptor" | "builtins.wrapper_descriptor" => {
            let owner = dotted_name(&object.getattr("__objclass__")?)?;
            let name: String = object.getattr("__name__")?.extract()?;
            match owner.as_str() {
                "torch._C.TensorBase" | "torch.Tensor" => View::Builtin(format!("Tensor.{name}")),
                "builtins.object" => View::Builtin(format!("{owner}.{name}")),
                "builtins.str" | "builtins.int" | "builtins.float" => {
                    View::Builtin(format!("{}.{name}", owner.trim_start_matches("builtins.")))
                }
                _ => View::Object(class),
            }
        }
        "builtins.getset_descriptor" => {
            let owner = dotted_name(&object.getattr("__objclass__")?)?;
            match owner.as_str() {
                "torch._C.TensorBase" => View::Builtin(format!("{owner}.{}", object.getattr("__name__")?)),
                _ => View::Object(class),
            }
        }
        // Attributes of its own would be lost, and come before methods.
        _ if is_record(&object.get_type())? && members::own_dict(object)?.is_none_or(|dict| dict.is_empty()) => {
            let items: Vec<_> = object.cast::<PyTuple>()?.iter().collect();
            match record(&object.get_type()).ok().flatten() {
                Some(record) if record.fields.len() == items.len() => {
                    View::Record(object.get_type().into_any(), Rc::new(record), items)
                }
                _ => View::Object(class),
            }
        }
        _ => View::Object(class),
    })
}

/// True for a compiled regular expression.
pub(super) fn is_pattern(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(dotted_name(object.get_type().as_any())? == "re.Pattern")
}

/// True for a class that `collections.namedtuple` makes, one that adds nothing but methods to such a class, or a struct
/// sequence: torch's results, and what `sys` tells of the interpreter. Items are read as a tuple's are.
pub(super) fn is_record(class: &Bound<'_, PyType>) -> PyResult<bool> {
    let py = class.py();
    let bases = class.bases();
    if bases.len() == 1
        && class.is_subclass_of::<PyTuple>()?
        && let Ok(base) = bases.get_item(0)?.cast_into::<PyType>()
        && !base.is(py.get_type::<PyTuple>())
    {
        return Ok(is_record(&base)? && adds_methods(class)?);
    }
    if !class.bases().get_item(0).is_ok_and(|base| base.is(py.get_type::<PyTuple>())) || class.bases().len() != 1 {
        return Ok(false);
    }
    if is_struct_sequence(class)? {
        return Ok(true);
    }
    if !class.hasattr("_fields")? {
        return Ok(false);
    }
    let dict = class.getattr("__dict__")?;
    let is_made = |name: &str| -> PyResult<bool> {
        let file = dict.get_item(name)?.getattr("__code__")?.getattr("co_filename")?;
        Ok(file.extract::<String>()?.ends_with("/collections/__init__.py"))
    };
    if !["_replace", "__repr__"].iter().all(|name| is_made(name).unwrap_or(false)) {
        return Ok(false);
    }
    // Special methods of the program's own would change what the tuple does.
    for name in dict.try_iter()? {
        let name: String = name?.extract()?;
        let is_special = name.starts_with("__") && name.ends_with("__");
        if matches!(name.as_str(), "index" | "count") || is_special && !OF_RECORDS.contains(&name.as_str()) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// True for a class of struct sequences whose items are known to be all that there is to know.
fn is_struct_sequence(class: &Bound<'_, PyType>) -> PyResult<bool> {
    let module: String = class.getattr("__module__")?.extract()?;
    Ok(matches!(&*module, "sys" | "torch.return_types") && class.hasattr("n_sequence_fields")?)
}

/// True for a class that comes from a class of named tuples and leaves to it what tuples do, and how they are made.
fn adds_methods(class: &Bound<'_, PyType>) -> PyResult<bool> {
    if !class.get_type().is(class.py().get_type::<PyType>()) {
        return Ok(false);
    }
    let fields: Vec<String> = class.getattr("_fields")?.extract()?;
    for name in class.getattr("__dict__")?.try_iter()? {
        let name: String = name?.extract()?;
        let is_special = name.starts_with("__") && name.ends_with("__");
        let is_known = match is_special {
            true => OF_DERIVED_RECORDS.contains(&name.as_str()),
            false => !OF_TUPLES.contains(&name.as_str()) && !fields.contains(&name),
        };
        if !is_known {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The special names in the dict of a class that adds methods to a class of named tuples.
const OF_DERIVED_RECORDS: [&str; 11] = [
    "__annotate_func__",
    "__annotations__",
    "__annotations_cache__",
    "__dict__",
    "__doc__",
    "__firstlineno__",
    "__module__",
    "__slotnames__",
    "__slots__",
    "__static_attributes__",
    "__weakref__",
];

/// The other names that named tuples have from their classes, whose meaning is known.
const OF_TUPLES: [&str; 7] = ["_asdict", "_field_defaults", "_fields", "_make", "_replace", "count", "index"];

/// The special names in the dicts of classes that `collections.namedtuple` and `typing.NamedTuple` make; the copying of
/// their objects leaves one more.
#[rustfmt::skip]
const OF_RECORDS: [&str; 18] = [
    "__annotate__", "__annotate_func__", "__annotations__", "__annotations_cache__", "__classcell__",
    "__classdictcell__", "__doc__", "__firstlineno__", "__getnewargs__", "__match_args__", "__module__", "__new__",
    "__orig_bases__", "__replace__", "__repr__", "__slotnames__", "__slots__", "__static_attributes__",
];

/// A class of tuples whose items have names; `None` for any other class.
pub(super) fn record<'py>(class: &Bound<'py, PyType>) -> PyResult<Option<RecordClass<Bound<'py, PyAny>>>> {
    if !is_record(class)? {
        return Ok(None);
    }
    let name = dotted_name(class.as_any())?;
    if is_struct_sequence(class)? {
        let count: usize = class.getattr("n_sequence_fields")?.extract()?;
        let fields = class.getattr("__match_args__")?.extract::<Vec<String>>()?;
        let whole = fields.len() == count;
        return Ok(whole.then_some(RecordClass { name, fields, defaults: Vec::new(), of_sequence: true }));
    }
    let fields: Vec<String> = class.getattr("_fields")?.extract()?;
    let defaults = class.getattr("_field_defaults")?;
    let defaults = fields.iter().filter_map(|field| defaults.get_item(field).ok()).collect();
    Ok(Some(RecordClass { name, fields, defaults, of_sequence: false }))
}

/// A Python function.
fn function<'py>(function: &Bound<'py, PyFunction>) -> PyResult<FunctionView<Bound<'py, PyAny>>> {
    let py = function.py();
    let get = |name: &Bound<'py, PyString>| function.getattr(name);
    let items = |value: Bound<'py, PyAny>| -> Vec<Bound<'py, PyAny>> {
        value.cast::<PyTuple>().map(|items| items.iter().collect()).unwrap_or_default()
    };
    let policy = policy(function)?;
    let name = match policy {
        FunctionPolicy::InGraph | FunctionPolicy::Composed => name_in_graph(function)?,
        FunctionPolicy::Inlined | FunctionPolicy::Constant | FunctionPolicy::Skipped | FunctionPolicy::Disabled => {
            dotted_name(function)?
        }
    };
    if name.starts_with("einops.") {
        prepare_einops(py).ok();
    }
    let kwdefaults = get(intern!(py, "__kwdefaults__"))?;
    let kwdefaults = kwdefaults.cast::<PyDict>().map(|dict| dict.iter().collect()).unwrap_or_else(|_| Vec::new());
    let kwdefaults = kwdefaults.into_iter().map(|(name, value)| Ok((name.extract()?, value)));
    Ok(FunctionView {
        kwdefaults: kwdefaults.collect::<PyResult<_>>()?,
        code: get(intern!(py, "__code__"))?,
        globals: get(intern!(py, "__globals__"))?,
        defaults: items(get(intern!(py, "__defaults__"))?),
        closure: items(get(intern!(py, "__closure__"))?),
        name,
        policy,
    })
}

/// Has einops make its backend for tensors, which imports modules, before it is first traced: as torch's Dynamo does.
fn prepare_einops(py: Python<'_>) -> PyResult<()> {
    static IS_PREPARED: AtomicBool = AtomicBool::new(false);
    if !IS_PREPARED.swap(true, Ordering::Relaxed) {
        let tensor = py.import("torch")?.call_method1("empty", (1,))?;
        py.import("einops")?.call_method1("rearrange", (tensor, "i -> i"))?;
    }
    Ok(())
}

/// A tensor of a class that comes from `torch.Tensor` and adds to it, as torch's functions see it, whatever its
/// `__torch_function__` does; `None` where the class, or the object, puts anything in the place of what tensors have:
/// functions of a graph are called on the object as it is.
pub(super) fn of_tensor_class<'py>(
    torch: &Torch,
    object: &Bound<'py, PyAny>,
) -> PyResult<Option<TensorView<Bound<'py, PyAny>>>> {
    let (py, class) = (object.py(), object.get_type());
    let (of_tensors, of_parameters) = (torch.tensor.bind(py), torch.parameter.bind(py));
    let replaces = |names: &Bound<'py, PyAny>| -> PyResult<bool> {
        for name in names.try_iter()? {
            let name = name?.cast_into::<PyString>()?;
            let text = name.to_str()?;
            let is_known = members::in_mro(of_tensors, &members::interned(py, text)).is_some();
            if text == "__getattr__" || is_known && ADDED_TO_TENSORS.binary_search(&text).is_err() {
                return Ok(true);
            }
        }
        Ok(false)
    };
    for base in class.mro().iter().take_while(|base| !base.is(of_tensors)) {
        if !base.is(of_parameters) && replaces(&base.getattr(intern!(py, "__dict__"))?)? {
            return Ok(None);
        }
    }
    match members::own_dict(object)? {
        Some(own) if replaces(own.as_any())? => Ok(None),
        _ => tensor(torch, object),
    }
}

/// The names that classes of tensors may have anew: none of them says what an operation on an object does; sorted.
const ADDED_TO_TENSORS: [&str; 19] = [
    "__annotations__",
    "__class_getitem__",
    "__deepcopy__",
    "__dict__",
    "__dir__",
    "__doc__",
    "__format__",
    "__getstate__",
    "__init__",
    "__init_subclass__",
    "__module__",
    "__new__",
    "__reduce__",
    "__reduce_ex__",
    "__repr__",
    "__setstate__",
    "__str__",
    "__torch_function__",
    "__weakref__",
];

fn tensor<'py>(torch: &Torch, object: &Bound<'py, PyAny>) -> PyResult<Option<TensorView<Bound<'py, PyAny>>>> {
    let py = object.py();
    let get = |name: &Bound<'py, PyString>| object.getattr(name);
    if !get(intern!(py, "layout"))?.is(torch.strided.bind(py)) {
        return Ok(None);
    }
    let Some(dtype) = torch.dtype_of(&get(intern!(py, "dtype"))?) else { return Ok(None) };
    let Some(guards::Constant::Device(device)) = constant::read(&get(intern!(py, "device"))?) else { return Ok(None) };
    let sizes: Vec<i64> = get(intern!(py, "shape"))?.extract()?;
    Ok(Some(TensorView {
        class: object.get_type().into_any(),
        is_parameter: torch.is_parameter(object) || object.get_type().is_subclass(torch.parameter.bind(py))?,
        dtype,
        device,
        strides: object.call_method0(intern!(py, "stride"))?.extract()?,
        offset: object.call_method0(intern!(py, "storage_offset"))?.extract()?,
        requires_grad: get(intern!(py, "requires_grad"))?.extract()?,
        is_leaf: get(intern!(py, "is_leaf"))?.extract()?,
        dispatch_keys: dispatch_keys(&torch.dispatch_keys.bind(py).call1((object,))?)?,
        marks: marks(object, sizes.len())?,
        sizes,
    }))
}

/// A set of dispatch keys. There are few, whose names are long.
fn dispatch_keys(keys: &Bound<'_, PyAny>) -> PyResult<DispatchKeys> {
    thread_local! {
        static NAMES: RefCell<FxHashMap<u64, Arc<str>>> = RefCell::default();
    }
    let bits = keys.call_method0(intern!(keys.py(), "raw_repr"))?.extract()?;
    if let Some(name) = NAMES.with_borrow(|names| names.get(&bits).cloned()) {
        return Ok(DispatchKeys { bits, name });
    }
    let name: Arc<str> = keys.str()?.to_str()?.into();
    NAMES.with_borrow_mut(|names| names.insert(bits, Arc::clone(&name)));
    Ok(DispatchKeys { bits, name })
}

/// The marks of a tensor's dimensions, as `mark_dynamic` and its like have left them in it.
fn marks(tensor: &Bound<'_, PyAny>, rank: usize) -> PyResult<Vec<Mark>> {
    if members::own_dict(tensor)?.is_none_or(|own| own.is_empty()) {
        return Ok(vec![Mark::None; rank]);
    }
    let dims = |name: &str| -> PyResult<Vec<usize>> {
        let Some(set) = tensor.getattr_opt(name)? else { return Ok(Vec::new()) };
        set.try_iter()?.map(|dim| dim?.extract()).collect()
    };
    let mut marks = vec![Mark::None; rank];
    let kinds = [
        ("_dynamo_weak_dynamic_indices", Mark::Maybe),
        // torch has it that these must not be specialised, and no more than that.
        ("_dynamo_strict_unbacked_indices", Mark::Dynamic(None, None)),
        ("_dynamo_dynamic_indices", Mark::Dynamic(None, None)),
        ("_dynamo_static_indices", Mark::Static),
    ];
    for (name, mark) in kinds {
        for dim in dims(name)? {
            if let Some(slot) = marks.get_mut(dim) {
                *slot = mark.clone();
            }
        }
    }
    for dim in dims("_dynamo_unbacked_indices")? {
        if let Some(slot) = marks.get_mut(dim) {
            *slot = Mark::Unbacked(unbacked(tensor, dim)?);
        }
    }
    // The bounds of `mark_dynamic`, one object for each dimension that has any.
    if let Some(ranges) = tensor.getattr_opt("_dynamo_dynamic_range")? {
        for range in ranges.try_iter()? {
            let range = range?;
            let bound = |name: &str| -> PyResult<Option<i64>> { range.getattr(name)?.extract() };
            let (dim, bounds): (usize, _) = (range.getattr("dim")?.extract()?, (bound("min")?, bound("max")?));
            if let Some(slot @ Mark::Dynamic(..)) = marks.get_mut(dim) {
                *slot = Mark::Dynamic(bounds.0, bounds.1);
            }
        }
    }
    Ok(marks)
}

/// The bounds and the group that `mark_unbacked` has left for a dimension.
fn unbacked(tensor: &Bound<'_, PyAny>, dim: usize) -> PyResult<Unbacked> {
    let of_dim = |name: &str| -> PyResult<Option<Bound<'_, PyAny>>> {
        let Some(all) = tensor.getattr_opt(name)? else { return Ok(None) };
        let found = all.call_method1("get", (dim,))?;
        Ok((!found.is_none()).then_some(found))
    };
    let (min, max) = of_dim("_dynamo_unbacked_bounds")?.map_or(Ok((None, None)), |bounds| bounds.extract())?;
    let group: Option<String> = of_dim("_dynamo_shape_ids")?.map(|id| id.str()?.extract()).transpose()?;
    Ok(Unbacked { min, max, group: group.map(Into::into) })
}

/// Handles for objects, each object one.
#[derive(Default)]
pub(super) struct Handles<'py> {
    objects: Vec<Bound<'py, PyAny>>,
    by_address: FxHashMap<usize, Obj>,
}

impl<'py> Handles<'py> {
    pub(super) fn of(&mut self, object: &Bound<'py, PyAny>) -> Obj {
        *self.by_address.entry(object.as_ptr() as usize).or_insert_with(|| {
            self.objects.push(object.clone());
            Obj::from_u32(self.objects.len() as u32 - 1)
        })
    }

    pub(super) fn len(&self) -> usize {
        self.objects.len()
    }

    pub(super) fn get(&self, obj: Obj) -> &Bound<'py, PyAny> {
        &self.objects[obj.as_u32() as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted() {
        assert!(ADDED_TO_TENSORS.is_sorted());
    }
}
