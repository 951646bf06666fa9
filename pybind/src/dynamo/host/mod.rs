//! The tracer's questions, answered without running the user's code.
//!
//! - `look`: the kinds of objects; `attributes`: the attributes of objects and their classes;
//! - `sets`: sets and their order; `without_data`: the results of torch's functions, run on tensors without data;
//! - `parts`: composite calls of torch, decomposed; `attention`: the layout of attention's result on the CPU.

use super::{
    classify, classify::Handles, code, constant, members, members::dotted_name, named, policies, states, substitutes,
    weakrefs,
};
use crate::names::allowed_target;
use crate::torch::{Overrides, Torch};
use dynamo_core::bytecode::Version;
use dynamo_core::host::{
    Ask, ClassAttr, Code, EnumMember, FoldError, Host, Lookup, NumpyResult, Obj, Parts, RecordClass, Scope, SetHistory,
    SetOperand, Table, View,
};
use fx::{Arg, Graph, Meta, NodeId};
use guards::{Constant, ObjectInfo};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{
    PyDict, PyFrozenSet, PyFunction, PyList, PyMappingProxy, PyModule, PyString, PyTuple, PyType, PyWeakrefReference,
};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use symshapes::{DType, Device, DeviceKind, ShapeEnv};

mod attention;
mod attributes;
mod look;
mod parts;
mod sets;
mod without_data;

use attributes::{in_mro, inherits_plainly, is_abstract, is_property, is_runtime_protocol};

/// The interpreter's version, whose bytecode is read and written.
pub(in crate::dynamo) const VERSION: Version = if cfg!(not(Py_3_12)) {
    Version::V311
} else if cfg!(not(Py_3_13)) {
    Version::V312
} else if cfg!(not(Py_3_14)) {
    Version::V313
} else {
    Version::V314
};

/// The interpreter for the length of a capture.
pub(in crate::dynamo) struct PyHost<'py> {
    py: Python<'py>,
    handles: Handles<'py>,
    codes: FxHashMap<Obj, Option<Rc<Code>>>,
    /// The objects among the constants of code objects.
    opaque: FxHashMap<Obj, Vec<Bound<'py, PyAny>>>,
    /// The objects with which guards compare.
    named: Vec<Obj>,
    /// Whether autograd records.
    grad: bool,
    /// Classes that the tracer has asked for, by their dotted names.
    classes: FxHashMap<String, Obj>,
    /// True if a lazy module was initialised, which is seen as it was before.
    is_stale: bool,
}

impl<'py> PyHost<'py> {
    pub(in crate::dynamo) fn new(py: Python<'py>) -> PyHost<'py> {
        PyHost {
            py,
            handles: Handles::default(),
            codes: FxHashMap::default(),
            opaque: FxHashMap::default(),
            named: Vec::new(),
            grad: Torch::get(py)
                .and_then(|torch| torch.find(py, "is_grad_enabled")?.call0()?.is_truthy())
                .unwrap_or(true),
            classes: FxHashMap::default(),
            is_stale: false,
        }
    }

    /// True if something that was seen is another by now.
    pub(in crate::dynamo) fn is_stale(&self) -> bool {
        self.is_stale
    }

    pub(in crate::dynamo) fn handle(&mut self, object: &Bound<'py, PyAny>) -> Obj {
        self.handles.of(object)
    }

    pub(in crate::dynamo) fn object(&self, obj: Obj) -> Bound<'py, PyAny> {
        self.handles.get(obj).clone()
    }

    /// An object among the constants of a code object.
    pub(in crate::dynamo) fn constant(&self, code: Obj, index: u32) -> Option<Bound<'py, PyAny>> {
        self.opaque.get(&code)?.get(index as usize).cloned()
    }

    /// The objects with which guards compare, by their numbers.
    pub(in crate::dynamo) fn named(&self) -> impl Iterator<Item = (usize, Bound<'py, PyAny>)> {
        self.named.iter().map(|&obj| (obj.as_u32() as usize, self.object(obj)))
    }

    fn all(&mut self, objects: &[Bound<'py, PyAny>]) -> Vec<Obj> {
        objects.iter().map(|object| self.handle(object)).collect()
    }

    /// The class in `torch.return_types` whose name says that it is what a function or method gives.
    fn return_type(&self, target: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
        // Overloads and packets of overloads give plain tuples.
        if target.starts_with("torch.ops.") || target.starts_with("aten.") {
            return Ok(None);
        }
        let types = self.py.import("torch")?.getattr("return_types")?;
        let name = target.trim_start_matches("torch.").trim_start_matches("Tensor.").trim_start_matches("_C._");
        // `torch._C._linalg.linalg_qr` names its class itself.
        let last = match name.rsplit('.').next().unwrap_or(name) {
            "lu" => "_lu_with_info",
            last => last,
        };
        Ok(types.getattr_opt(name.replace('.', "_"))?.or(types.getattr_opt(last)?))
    }

    fn call_constants(
        &self,
        function: &str,
        args: &[Constant],
        keywords: &[(String, Constant)],
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = self.py;
        let (owner, name) = function.rsplit_once('.').unwrap_or(("builtins", function));
        let callable = match owner {
            "operator" | "math" | "cmath" | "builtins" | "collections" | "posix" | "re" | "torch" => {
                py.import(owner)?.getattr(name)?
            }
            ours if ours.starts_with("rust_inductor.") => py.import(ours)?.getattr(name)?,
            _ if let Some(path) = function.strip_prefix("torch.") => Torch::get(py)?.find(py, path)?,
            class => py.import("builtins")?.getattr(class)?.getattr(name)?,
        };
        let args = args.iter().map(|arg| constant::write(py, arg)).collect::<PyResult<Vec<_>>>()?;
        let named = PyDict::new(py);
        for (name, value) in keywords {
            named.set_item(name, constant::write(py, value)?)?;
        }
        callable.call(PyTuple::new(py, args)?, Some(&named))
    }
}

/// The schemas of an operator's overloads, or of the one that is named.
fn schemas<'py>(py: Python<'py>, operator: &str) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let parts = operator.strip_prefix("torch.ops.").unwrap_or(operator);
    if parts.starts_with("torch.") {
        // Of the functions of the module there are none.
        return Ok(Vec::new());
    }
    let mut parts = parts.split('.');
    let (Some(namespace), Some(name)) = (parts.next(), parts.next()) else { return Ok(Vec::new()) };
    let packet = py.import("torch")?.getattr("ops")?.getattr(namespace)?.getattr(name)?;
    let overloads: Vec<String> = match parts.next() {
        Some(overload) => vec![overload.to_owned()],
        None => packet.call_method0("overloads")?.extract()?,
    };
    overloads.iter().map(|overload| packet.getattr(overload.as_str())?.getattr("_schema")).collect()
}

/// Whether every overload of an operator has a schema without aliases.
fn is_functional(py: Python<'_>, operator: &str) -> PyResult<bool> {
    let schemas = schemas(py, operator)?;
    for schema in &schemas {
        for part in ["arguments", "returns"] {
            for value in schema.getattr(part)?.try_iter()? {
                if !value?.getattr("alias_info")?.is_none() {
                    return Ok(false);
                }
            }
        }
    }
    Ok(!schemas.is_empty())
}

/// Whether no overload of an operator gives anything.
fn gives_nothing(py: Python<'_>, operator: &str) -> PyResult<bool> {
    let schemas = schemas(py, operator)?;
    for schema in &schemas {
        if schema.getattr("returns")?.len()? > 0 {
            return Ok(false);
        }
    }
    Ok(!schemas.is_empty())
}

impl Host for PyHost<'_> {
    fn version(&self) -> Version {
        VERSION
    }

    fn handles(&self) -> usize {
        self.handles.len()
    }

    fn view(&mut self, obj: Obj) -> View {
        let object = self.object(obj);
        self.see(&object).unwrap_or_else(|_| View::Object("?".to_owned()))
    }

    fn class_of(&mut self, obj: Obj) -> Obj {
        let class = self.object(obj).get_type();
        self.handle(class.as_any())
    }

    fn class_named(&mut self, name: &str) -> Option<Obj> {
        // Those that `builtins` does not name.
        match name {
            "builtins.NoneType" => return Some(self.handle(self.py.None().bind(self.py).get_type().as_any())),
            "builtins.function" => return Some(self.handle(self.py.get_type::<PyFunction>().as_any())),
            "builtins.module" => return Some(self.handle(self.py.get_type::<PyModule>().as_any())),
            "builtins.method" => return self.class_named("types.MethodType"),
            _ => {}
        }
        if let Some(&known) = self.classes.get(name) {
            return Some(known);
        }
        let (module, class) = name.rsplit_once('.')?;
        let class = self.py.import(module).ok()?.getattr(class).ok()?;
        let class = self.handle(&class);
        self.classes.insert(name.to_owned(), class);
        Some(class)
    }

    fn is_exception(&mut self, class: Obj) -> bool {
        let object = self.object(class);
        object.cast::<PyType>().is_ok_and(|class| self.stores_arguments(class).unwrap_or(false))
    }

    fn is_subclass(&mut self, class: Obj, of: Obj) -> Option<bool> {
        let (class, of) = (self.object(class), self.object(of));
        let (class, of) = (class.cast::<PyType>().ok()?, of.cast::<PyType>().ok()?);
        let is_told =
            self.is_plain_class(of) || inherits_plainly(of).unwrap_or(false) || is_abstract(of).unwrap_or(false);
        if !is_told && !is_runtime_protocol(of).unwrap_or(false) {
            return None;
        }
        // Which instances do not fit a protocol by their class is looked up at each.
        class.is_subclass(of).ok().filter(|&is| is || is_told)
    }

    fn abstract_token(&mut self, class: Obj) -> Option<i64> {
        let class = self.object(class);
        let class = class.cast::<PyType>().ok()?;
        if !is_abstract(class).unwrap_or(false) {
            return None;
        }
        self.py.import("abc").ok()?.call_method0("get_cache_token").ok()?.extract().ok()
    }

    fn type_name(&mut self, class: Obj) -> Option<String> {
        let class = self.object(class);
        members::type_name(class.cast::<PyType>().ok()?)
    }

    fn is_immutable(&mut self, class: Obj) -> bool {
        let class = self.object(class);
        class.cast::<PyType>().is_ok_and(|class| members::flags(class) & ffi::Py_TPFLAGS_IMMUTABLETYPE != 0)
    }

    fn class_version(&mut self, class: Obj) -> u32 {
        self.object(class).cast::<PyType>().map_or(0, members::version_tag)
    }

    fn has_weakref_callback(&mut self, obj: Obj) -> bool {
        weakrefs::has_callback(&self.object(obj)).unwrap_or(true)
    }

    fn record_class(&mut self, class: Obj) -> Option<Rc<RecordClass>> {
        let object = self.object(class);
        self.record(&object).ok().flatten().map(Rc::new)
    }

    fn result_class(&mut self, target: &str) -> Option<Obj> {
        let class = self.return_type(target).ok().flatten()?;
        Some(self.handle(&class))
    }

    fn grad_enabled(&self) -> bool {
        self.grad
    }

    fn inference_mode(&self) -> bool {
        Torch::get(self.py).and_then(|torch| torch.inference_mode(self.py)).unwrap_or(false)
    }

    fn refuses_breaks(&self) -> bool {
        // Nobody has entered it before torch's Dynamo is there.
        let flag = members::loaded(self.py, "torch._dynamo.utils")
            .and_then(|module| module.getattr("_error_on_graph_break").ok());
        flag.is_some_and(|flag| flag.is_truthy().unwrap_or(false))
    }

    fn default_device(&self) -> Option<Device> {
        match Torch::get(self.py).and_then(|torch| torch.override_state(self.py)) {
            Ok(Overrides::Device(device)) => Some(device),
            _ => None,
        }
    }

    fn autocast(&self) -> Vec<(DeviceKind, DType)> {
        let on = Torch::get(self.py).and_then(|torch| torch.autocast(self.py));
        // A type that is not ours: what it does to calls is not known on any device.
        on.ok().flatten().unwrap_or_else(|| vec![(DeviceKind::Other, DType::F32)])
    }

    fn handles_exception(&self) -> bool {
        states::handles_exception(self.py)
    }

    fn module(&mut self, name: &str) -> Option<Obj> {
        // Our own are imported when they are asked for.
        let module = match name.starts_with("rust_inductor.") {
            true => self.py.import(name).ok()?.into_any(),
            false => members::loaded(self.py, name)?,
        };
        module.is_instance_of::<PyModule>().then(|| self.handle(&module))
    }

    fn substitute(&mut self, function: Obj) -> Option<Obj> {
        let substitute = substitutes::find(&self.object(function)).ok()??;
        Some(self.handle(&substitute))
    }

    fn class_repr(&mut self, obj: Obj) -> String {
        let class = self.object(obj).get_type();
        class_repr(&dotted_name(&class).unwrap_or_else(|_| class.to_string()))
    }

    fn info(&mut self, obj: Obj) -> ObjectInfo {
        self.named.push(obj);
        let object = self.object(obj);
        let name = dotted_name(&object).unwrap_or_else(|_| object.get_type().to_string());
        let is_class = object.is_instance_of::<PyType>();
        ObjectInfo {
            repr: if is_class { class_repr(&name) } else { name },
            address: object.as_ptr() as u64,
            ty: None,
            class: self.class_repr(obj),
        }
    }

    fn keep_choice(&mut self, function: Obj, class: Obj) {
        // What it raises, the trace has raised before.
        let _ = self.object(function).call1((self.object(class),));
    }

    fn assume(&mut self, function: Obj, args: &[Constant]) -> Option<Obj> {
        let args = args.iter().map(|arg| constant::write(self.py, arg)).collect::<PyResult<Vec<_>>>().ok()?;
        let result = self.object(function).call1(PyTuple::new(self.py, args).ok()?).ok()?;
        Some(self.handle(&result))
    }

    fn referent(&mut self, reference: Obj) -> Option<Obj> {
        let reference = self.object(reference);
        let class = reference.get_type();
        let keyed = || self.py.import("weakref").and_then(|module| module.getattr("KeyedRef"));
        if !class.is(self.py.get_type::<PyWeakrefReference>()) && !keyed().is_ok_and(|keyed| class.is(&keyed)) {
            return None;
        }
        let referent = reference.call0().ok()?;
        Some(self.handle(&referent))
    }

    fn bound(&mut self, function: Obj, object: Obj) -> Option<Obj> {
        let (function, object) = (self.object(function), self.object(object));
        let bound = function.call_method1("__get__", (&object, object.get_type())).ok()?;
        Some(self.handle(&bound))
    }

    fn cached(&mut self, function: Obj, arguments: &Constant, kept: bool) -> Option<Obj> {
        let function = self.object(function);
        let arguments = constant::write(self.py, arguments).ok()?;
        if !members::is_cached(&function) || kept && !members::has_kept(&function, &arguments).unwrap_or(false) {
            return None;
        }
        let found = members::call_kept(&function, &arguments).ok()?;
        Some(self.handle(&found))
    }

    fn set_items(&mut self, set: Obj) -> Option<Vec<Constant>> {
        constants(&self.object(set))
    }

    fn holds_under(&mut self, container: Obj, keys: &[(Obj, Option<i64>)]) -> bool {
        self.have_hashes(container, keys).unwrap_or(false)
    }

    fn set_order(&mut self, history: &SetHistory) -> Option<Vec<Constant>> {
        constants(&self.set_maker(history).ok()?.call0().ok()?)
    }

    fn frozenset(&mut self, of: &SetOperand) -> Option<Obj> {
        let class = self.py.get_type::<PyFrozenSet>();
        let made = class.call1((self.set_operand(of).ok()?,)).ok()?;
        Some(self.handle(&made))
    }

    fn combined_frozenset(&mut self, set: Obj, method: &str, other: &SetOperand) -> Option<Obj> {
        let made = self.object(set).call_method1(method, (self.set_operand(other).ok()?,)).ok()?;
        Some(self.handle(&made))
    }

    fn has_method(&mut self, name: &str) -> bool {
        let tensor = Torch::get(self.py).map(|torch| torch.tensor.bind(self.py));
        let attr = tensor.ok().and_then(|tensor| tensor.getattr(name).ok());
        attr.is_some_and(|attr| attr.is_callable())
    }

    fn replaced_method(&mut self, of_parameter: bool, name: &str) -> Option<Obj> {
        let torch = Torch::get(self.py).ok()?;
        let class = if of_parameter { &torch.parameter } else { &torch.tensor };
        let found = members::in_mro(class.bind(self.py), &PyString::intern(self.py, name))?;
        let is_own = named::is_descriptor(&found) || policies::is_of_torch(&found);
        (!is_own).then(|| self.handle(&found))
    }

    fn is_of_torch(&mut self, function: Obj) -> bool {
        let function = self.object(function);
        !function.is_instance_of::<PyFunction>() || policies::is_of_torch(&function)
    }

    fn autograd_target(&mut self, class: Obj) -> Option<String> {
        let applied = self.py.import("rust_inductor._autograd").ok()?.getattr("applied").ok()?;
        allowed_target(&applied.call1((self.object(class),)).ok()?).ok()
    }

    fn is_functional(&mut self, operator: &str) -> bool {
        is_functional(self.py, operator).unwrap_or(false)
    }

    fn gives_nothing(&mut self, operator: &str) -> bool {
        gives_nothing(self.py, operator).unwrap_or(false)
    }

    fn has_operator(&mut self, operator: &str) -> bool {
        schemas(self.py, operator).is_ok_and(|schemas| !schemas.is_empty())
    }

    fn protocols(&mut self, class: Obj) -> (bool, bool) {
        let flags = self.object(class).cast::<PyType>().map_or(0, members::flags);
        (flags & ffi::Py_TPFLAGS_SEQUENCE != 0, flags & ffi::Py_TPFLAGS_MAPPING != 0)
    }

    fn enum_member(&mut self, obj: Obj) -> Option<EnumMember> {
        members::enum_member(&self.object(obj)).unwrap_or(None)
    }

    fn enum_members(&mut self, class: Obj) -> Option<Vec<String>> {
        members::enum_members(&self.object(class)).unwrap_or(None)
    }

    fn enum_by_value(&mut self, class: Obj, value: &Constant) -> Option<Obj> {
        let value = constant::write(self.py, value).ok()?;
        let member = members::enum_by_value(&self.object(class), &value).ok()??;
        Some(self.handle(&member))
    }

    fn plain_setattr(&mut self, obj: Obj, name: &str) -> bool {
        let object = self.object(obj);
        let class = object.get_type();
        let plain = || -> PyResult<bool> {
            if class.is(&self.py.import("_thread")?.getattr("_local")?) {
                return Ok(in_mro(&class, name).is_none());
            }
            if object.is_exact_instance_of::<PyModule>() {
                return Ok(in_mro(&class, name).is_none());
            }
            let described = in_mro(&class, name).is_some_and(|value| is_property(&value));
            Ok(members::has_generic(&class, "__setattr__")? && !described && members::own_dict(&object)?.is_some())
        };
        plain().unwrap_or(false)
    }

    fn plain_delattr(&mut self, obj: Obj, name: &str) -> bool {
        let class = self.object(obj).get_type();
        let plain = || -> PyResult<bool> {
            let absent_after = in_mro(&class, name).is_none() && in_mro(&class, "__getattr__").is_none();
            Ok(absent_after && members::has_generic(&class, "__delattr__")?)
        };
        plain().unwrap_or(false) && self.plain_setattr(obj, name)
    }

    fn attr(&mut self, obj: Obj, name: &str) -> Lookup {
        let object = self.object(obj);
        self.lookup(&object, name).unwrap_or(Lookup::Unknown)
    }

    fn class_attr(&mut self, class: Obj, name: &str, after: Option<Obj>) -> Option<(usize, ClassAttr)> {
        let class = self.object(class);
        let after = after.map(|after| self.object(after));
        let (at, found) = members::in_mro_after(class.cast::<PyType>().ok()?, name, after.as_ref()).ok()??;
        let kind = members::kind(&found, name);
        Some((at, self.class_member(&found, kind)))
    }

    fn mro(&mut self, class: Obj) -> Vec<Obj> {
        let class = self.object(class);
        let Ok(class) = class.cast::<PyType>() else { return Vec::new() };
        class.mro().iter().map(|base| self.handle(&base)).collect()
    }

    fn subclasses(&mut self, class: Obj) -> Option<Vec<Obj>> {
        let class = self.object(class);
        let listed = self.py.get_type::<PyType>().call_method1("__subclasses__", (class,)).ok()?;
        Some(listed.cast::<PyList>().ok()?.iter().map(|class| self.handle(&class)).collect())
    }

    fn has_dict(&mut self, obj: Obj) -> bool {
        members::own_dict(&self.object(obj)).is_ok_and(|dict| dict.is_some())
    }

    fn instance_attr(&mut self, obj: Obj, name: &str) -> Option<Obj> {
        let object = self.object(obj);
        let found = members::of_instance(&object, name).ok()??;
        Some(self.handle(&found))
    }

    fn class_has(&mut self, class: Obj, name: &str) -> bool {
        self.object(class).hasattr(name).unwrap_or(true)
    }

    fn default_dtype(&self) -> DType {
        let known = Torch::get(self.py).and_then(|torch| torch.default_dtype(self.py)).ok().flatten();
        // One that is not ours: no rule knows what calls give.
        known.unwrap_or(DType::Bool)
    }

    fn item(&mut self, dict: Obj, key: &str) -> Option<Obj> {
        let dict = self.object(dict);
        let found = dict.cast::<PyDict>().ok()?.get_item(key).ok()??;
        Some(self.handle(&found))
    }

    fn has_no_hooks(&mut self, module: Obj) -> bool {
        members::has_no_hooks(&self.object(module)).unwrap_or(false)
    }

    fn solid_base(&mut self, class: Obj) -> Option<String> {
        let class = self.object(class);
        members::solid_base(class.cast::<PyType>().ok()?).ok()?
    }

    fn base_view(&mut self, obj: Obj) -> Option<View> {
        let object = self.object(obj);
        if object.is_exact_instance_of::<PyMappingProxy>() {
            let items = object.call_method0("items").ok()?;
            let pairs: PyResult<Vec<(Bound<'_, PyAny>, Bound<'_, PyAny>)>> =
                items.try_iter().ok()?.map(|item| item?.extract()).collect();
            let pairs = pairs.ok()?;
            return Some(View::Dict(pairs.iter().map(|(key, value)| (self.handle(key), self.handle(value))).collect()));
        }
        let torch = Torch::get(self.py).ok()?;
        if torch.is_tensor(&object) {
            let tensor = classify::of_tensor_class(torch, &object).ok()??;
            return Some(View::Tensor(Box::new(tensor)).map(&mut |part| self.handle(&part)));
        }
        let base = members::solid_base(&object.get_type()).ok()??;
        // The base's own ways, whatever the class has put in their place.
        let builtins = self.py.import("builtins").ok()?;
        Some(match base.as_str() {
            "builtins.dict" => {
                let items = builtins.getattr("dict").ok()?.call_method1("items", (&object,)).ok()?;
                let pairs: PyResult<Vec<(Bound<'_, PyAny>, Bound<'_, PyAny>)>> =
                    items.try_iter().ok()?.map(|item| item?.extract()).collect();
                View::Dict(pairs.ok()?.iter().map(|(key, value)| (self.handle(key), self.handle(value))).collect())
            }
            "collections.OrderedDict" => {
                let class = self.py.import("collections").ok()?.getattr("OrderedDict").ok()?;
                let items = class.call_method1("items", (&object,)).ok()?;
                let pairs: PyResult<Vec<(Bound<'_, PyAny>, Bound<'_, PyAny>)>> =
                    items.try_iter().ok()?.map(|item| item?.extract()).collect();
                let pairs = pairs.ok()?;
                let pairs = pairs.iter().map(|(key, value)| (self.handle(key), self.handle(value)));
                View::Table(Table::Ordered, pairs.collect())
            }
            "builtins.list" => {
                let items: Vec<_> = object.cast::<PyList>().ok()?.iter().collect();
                View::List(self.all(&items))
            }
            "builtins.tuple" => {
                let items: Vec<_> = object.cast::<PyTuple>().ok()?.iter().collect();
                View::Tuple(self.all(&items))
            }
            "builtins.int" | "builtins.float" | "builtins.str" => {
                // They give what they hold as an exact instance of themselves.
                let (_, class) = base.rsplit_once('.')?;
                let told = builtins.getattr(class).ok()?.call_method1("__getnewargs__", (&object,)).ok()?;
                View::Constant(constant::read(&told.get_item(0).ok()?)?)
            }
            "builtins.set" => {
                let items = builtins.getattr("set").ok()?.call_method1("__iter__", (&object,)).ok()?;
                let items: Vec<_> = items.try_iter().ok()?.collect::<PyResult<_>>().ok()?;
                View::Set(self.all(&items))
            }
            _ => return None,
        })
    }

    fn dict_of(&mut self, object: Obj) -> Option<Obj> {
        let object = self.object(object);
        let dict = match object.cast_exact::<PyModule>() {
            Ok(module) => module.dict(),
            Err(_) => members::own_dict(&object).ok()??,
        };
        Some(self.handle(dict.as_any()))
    }

    fn global(&mut self, globals: Obj, name: &str) -> Option<(Obj, Scope)> {
        let globals = self.object(globals);
        let globals = globals.cast::<PyDict>().ok()?;
        if let Some(value) = globals.get_item(name).ok()? {
            return Some((self.handle(&value), Scope::Module));
        }
        let builtins = globals.get_item("__builtins__").ok().flatten();
        let builtins = builtins.or_else(|| Some(self.py.import("builtins").ok()?.into_any()))?;
        let found = match builtins.cast::<PyDict>() {
            Ok(dict) => dict.get_item(name).ok()??,
            Err(_) => builtins.getattr(name).ok()?,
        };
        Some((self.handle(&found), Scope::Builtins))
    }

    fn code(&mut self, code: Obj) -> Option<Rc<Code>> {
        if let Some(known) = self.codes.get(&code) {
            return known.clone();
        }
        let mut table = Vec::new();
        let object = code::read(&self.object(code), &mut table).ok()?;
        self.opaque.insert(code, table);
        let read = Code::new(object, self.version()).ok().map(Rc::new);
        self.codes.insert(code, read.clone());
        read
    }

    fn opaque(&mut self, code: Obj, index: u32) -> Option<Obj> {
        let constant = self.opaque.get(&code)?.get(index as usize)?.clone();
        Some(self.handle(&constant))
    }

    fn fold_with(
        &mut self,
        function: &str,
        args: &[Constant],
        keywords: &[(String, Constant)],
    ) -> Result<Constant, FoldError> {
        let value = self.call_constants(function, args, keywords);
        let mut value = value.map_err(|error| FoldError::Raised(error.to_string()))?;
        if let (true, Ok(list)) =
            (["str.", "bytes.", "re."].iter().any(|owner| function.starts_with(owner)), value.cast::<PyList>())
        {
            value = list.to_tuple().into_any();
        }
        constant::read(&value).ok_or(FoldError::NotConstant)
    }

    fn named_tuple(&mut self, args: &[Constant], keywords: &[(String, Constant)]) -> Result<Obj, FoldError> {
        let class = self.call_constants("collections.namedtuple", args, keywords);
        let class = class.map_err(|error| FoldError::Raised(error.to_string()))?;
        Ok(self.handle(&class))
    }

    fn initialize_lazy(&mut self, module: Obj, graph: &Graph, env: &ShapeEnv, args: &[Arg]) -> bool {
        let made = self.infer_parameters(&self.object(module), graph, env, args).unwrap_or(false);
        self.is_stale |= made;
        made
    }

    fn numpy_agrees(&mut self, graph: &Graph, env: &ShapeEnv, node: NodeId, scalars: &[NodeId]) -> Option<NumpyResult> {
        self.compare_with_numpy(graph, env, node, scalars).ok().flatten()
    }

    fn infer(&mut self, graph: &Graph, env: &mut ShapeEnv, node: NodeId, ask: Ask) -> Result<Meta, String> {
        self.run_without_data(graph, env, node, ask).unwrap_or_else(|error| Err(error.to_string()))
    }

    fn parts(&mut self, graph: &Graph, env: &mut ShapeEnv, node: NodeId) -> Option<Parts> {
        // What cannot be told apart is no failure of the program's.
        self.record_parts(graph, env, node).ok().flatten()
    }
}

/// The `repr` of a class of this dotted name.
fn class_repr(name: &str) -> String {
    format!("<class '{}'>", name.trim_start_matches("builtins."))
}

/// The items of an iterable that are all constants.
fn constants(items: &Bound<'_, PyAny>) -> Option<Vec<Constant>> {
    items.try_iter().ok()?.map(|item| constant::read(&item.ok()?)).collect()
}
