//! The tracer's questions, answered without running the user's code.

use super::{
    classify::{self, Handles, Seen, dotted_name},
    code, constant, members, substitutes,
};
use crate::fx_module::function;
use crate::torch::{Overrides, Torch};
use dynamo_core::bytecode::Version;
use dynamo_core::host::{
    Ask, ClassAttr, Code, FoldError, FunctionView, Host, Lookup, Obj, RecordClass, Scope, SetHistory, SetOperand,
    Table, TensorView, View,
};
use fx::{Arg, Graph, Kind, Meta, NodeId, TensorMeta};
use guards::{Constant, ObjectInfo};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{
    PyCFunction, PyDict, PyFrozenSet, PyFunction, PyList, PyMappingProxy, PyModule, PySlice, PyString, PyTuple, PyType,
};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use symshapes::{DType, Device, DeviceKind, Expr, Float, Pool, ShapeEnv};

/// The attributes that every function has.
const FUNCTION_ATTRS: [&str; 8] =
    ["__code__", "__defaults__", "__doc__", "__globals__", "__kwdefaults__", "__module__", "__name__", "__qualname__"];

/// What is known of the numbers in a graph.
struct Known<'a> {
    env: &'a ShapeEnv,
    /// Whether they are what they are now.
    by_hints: bool,
}

impl Known<'_> {
    fn int(&self, e: Expr) -> Option<i64> {
        if self.by_hints { self.env.hint(e) } else { self.env.pool().as_int(e) }
    }

    /// A float as it is now: the tracer asks only of calls of which it decides no more than values.
    fn float(&self, float: Float) -> Option<f64> {
        self.env.pool().eval_float(float, &|sym| self.env.symbol_hint(sym))
    }
}

/// The interpreter for the length of a capture.
pub(super) struct PyHost<'py> {
    py: Python<'py>,
    handles: Handles<'py>,
    codes: FxHashMap<Obj, Option<Rc<Code>>>,
    /// The objects among the constants of code objects.
    opaque: FxHashMap<Obj, Vec<Bound<'py, PyAny>>>,
    /// The objects with which guards compare.
    named: Vec<Obj>,
    /// Whether autograd records.
    grad: bool,
}

impl<'py> PyHost<'py> {
    pub(super) fn new(py: Python<'py>) -> PyHost<'py> {
        PyHost {
            py,
            handles: Handles::default(),
            codes: FxHashMap::default(),
            opaque: FxHashMap::default(),
            named: Vec::new(),
            grad: Torch::get(py)
                .and_then(|torch| torch.find(py, "is_grad_enabled")?.call0()?.is_truthy())
                .unwrap_or(true),
        }
    }

    pub(super) fn handle(&mut self, object: &Bound<'py, PyAny>) -> Obj {
        self.handles.of(object)
    }

    /// What makes a set in this way when it is called.
    pub(super) fn set_maker(&self, history: &SetHistory) -> PyResult<Bound<'py, PyAny>> {
        let remake = self.py.import("rust_inductor._sets")?.getattr("remake")?;
        self.py.import("functools")?.getattr("partial")?.call1((remake, self.steps(history)?))
    }

    /// A history as Python has it, the first step first.
    fn steps(&self, history: &SetHistory) -> PyResult<Bound<'py, PyList>> {
        let py = self.py;
        let mut steps = Vec::new();
        let mut at = history.as_ref();
        while let Some(step) = at {
            let operands = step.operands.iter().map(|operand| match operand {
                SetOperand::Set(history) => Ok((true, self.steps(history)?.into_any())),
                operand => Ok((false, self.set_operand(operand)?)),
            });
            steps.push((step.method, operands.collect::<PyResult<Vec<_>>>()?));
            at = step.before.as_ref();
        }
        steps.reverse();
        PyList::new(py, steps)
    }

    /// What a method of a set is given.
    fn set_operand(&self, operand: &SetOperand) -> PyResult<Bound<'py, PyAny>> {
        let py = self.py;
        match operand {
            SetOperand::Item(item) => constant::write(py, item),
            SetOperand::Items(items) => {
                let items = items.iter().map(|item| constant::write(py, item)).collect::<PyResult<Vec<_>>>()?;
                Ok(PyTuple::new(py, items)?.into_any())
            }
            SetOperand::Keys(keys) => {
                let dict = PyDict::new(py);
                for key in keys {
                    dict.set_item(constant::write(py, key)?, py.None())?;
                }
                Ok(dict.into_any())
            }
            SetOperand::Set(history) => self.set_maker(history)?.call0(),
            SetOperand::Frozen(obj) => Ok(self.object(*obj)),
        }
    }

    pub(super) fn object(&self, obj: Obj) -> Bound<'py, PyAny> {
        self.handles.get(obj).clone()
    }

    /// An object among the constants of a code object.
    pub(super) fn constant(&self, code: Obj, index: u32) -> Option<Bound<'py, PyAny>> {
        self.opaque.get(&code)?.get(index as usize).cloned()
    }

    /// The objects with which guards compare, by their numbers.
    pub(super) fn named(&self) -> impl Iterator<Item = (usize, Bound<'py, PyAny>)> {
        self.named.iter().map(|&obj| (obj.as_u32() as usize, self.object(obj)))
    }

    fn all(&mut self, objects: &[Bound<'py, PyAny>]) -> Vec<Obj> {
        objects.iter().map(|object| self.handle(object)).collect()
    }

    fn see(&mut self, object: &Bound<'py, PyAny>) -> PyResult<View> {
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
            Seen::Tensor(tensor) => View::Tensor(Box::new(TensorView {
                class: self.handle(object.get_type().as_any()),
                is_parameter: !object.get_type().is(&Torch::get(self.py)?.tensor),
                dtype: tensor.dtype,
                device: tensor.device,
                sizes: tensor.sizes,
                strides: tensor.strides,
                offset: tensor.offset,
                requires_grad: tensor.requires_grad,
                is_leaf: tensor.is_leaf,
                dispatch_keys: tensor.dispatch_keys,
                marks: tensor.marks,
            })),
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

    fn function(&mut self, function: &Bound<'py, PyFunction>) -> PyResult<FunctionView> {
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

    /// An attribute as `object.__getattribute__` finds it.
    fn lookup(&mut self, object: &Bound<'py, PyAny>, name: &str) -> PyResult<Lookup> {
        if let Ok(module) = object.cast_exact::<PyModule>() {
            return Ok(match module.dict().get_item(name)? {
                Some(value) => Lookup::Found(self.handle(&value)),
                None if module.dict().contains("__getattr__")? => Lookup::Unknown,
                None => Lookup::Absent,
            });
        }
        let class = object.get_type();
        let class_name = dotted_name(class.as_any())?;
        if matches!(&*class_name, "torch.finfo" | "torch.iinfo") {
            return Ok(object.getattr_opt(name)?.map_or(Lookup::Unknown, |found| Lookup::Found(self.handle(&found))));
        }
        if matches!(&*class_name, "torch._ops._Ops" | "torch._ops._OpNamespace") {
            // They look their operators up when they are first asked for them.
            return Ok(object.getattr_opt(name)?.map_or(Lookup::Unknown, |found| Lookup::Found(self.handle(&found))));
        }
        if (&*class_name, name) == ("inspect.Signature", "parameters") {
            return Ok(Lookup::Found(self.handle(&object.getattr(name)?)));
        }
        let builtin_type = self.py.get_type::<PyType>();
        if object.is_exact_instance_of::<PyFunction>() && FUNCTION_ATTRS.contains(&name) {
            return Ok(Lookup::Found(self.handle(&object.getattr(name)?)));
        }
        if &*class_name == "builtins.code" && name.starts_with("co_") {
            return Ok(Lookup::Found(self.handle(&object.getattr(name)?)));
        }
        let enums = self.py.import("enum")?;
        let of_enums = enums.getattr("EnumMeta")?;
        if class.is(&of_enums) && object.getattr("_member_map_")?.contains(name)? {
            return Ok(Lookup::Found(self.handle(&object.getattr(name)?)));
        }
        if let ("name" | "value", true) = (name, class.get_type().is(&of_enums)) {
            let base = enums.getattr("Enum")?.cast_into::<PyType>()?;
            let known = in_mro(&class, name)?.zip(in_mro(&base, name)?);
            let plain = known.is_some_and(|(own, known)| own.is(&known));
            let found = if plain { Some(object.getattr(format!("_{name}_"))?) } else { None };
            return Ok(found.map_or(Lookup::Unknown, |found| Lookup::Found(self.handle(&found))));
        }
        if object.is_instance_of::<PyType>() {
            // A class's own attributes, where its metaclass adds nothing.
            let found = in_mro(object.cast::<PyType>()?, name)?;
            let plain = class.is(&builtin_type) && found.as_ref().is_some_and(|value| !is_property(value));
            return Ok(if plain { Lookup::Found(self.handle(&object.getattr(name)?)) } else { Lookup::Unknown });
        }
        let generic = self.py.import("builtins")?.getattr("object")?.getattr("__getattribute__")?;
        if !class.getattr("__getattribute__")?.is(&generic) {
            return Ok(Lookup::Unknown);
        }
        let of_class = in_mro(&class, name)?;
        if let Some(value) = of_class.as_ref().filter(|value| is_property(value)) {
            let is_plain = value.get_type().is(self.py.import("builtins")?.getattr("property")?);
            let getter = if is_plain { Some(value.getattr("fget")?) } else { None };
            let getter = getter.filter(pyo3::types::PyAnyMethods::is_exact_instance_of::<PyFunction>);
            return Ok(getter.map_or(Lookup::Unknown, |getter| Lookup::Property(self.handle(&getter))));
        }
        let own = match object.getattr_opt("__dict__")? {
            Some(dict) => dict.cast::<PyDict>().ok().map(|dict| dict.get_item(name)).transpose()?.flatten(),
            None => None,
        };
        if let Some(value) = own {
            return Ok(Lookup::Found(self.handle(&value)));
        }
        match of_class {
            Some(value) if is_plain(&value) => Ok(Lookup::Found(self.handle(&object.getattr(name)?))),
            Some(_) => Ok(Lookup::Unknown),
            None if class.hasattr("__getattr__")? => Ok(Lookup::Unknown),
            None => Ok(Lookup::Absent),
        }
    }

    fn class_member(&mut self, found: &Bound<'py, PyAny>, kind: members::Member<'py>) -> ClassAttr {
        use members::Member;
        match kind {
            Member::Function => ClassAttr::Function(self.handle(found)),
            Member::StaticMethod(inner) => ClassAttr::StaticMethod(self.handle(&inner)),
            Member::ClassMethod(inner) => ClassAttr::ClassMethod(self.handle(&inner)),
            Member::Property(functions) => {
                ClassAttr::Property(functions.each_ref().map(|function| function.as_ref().map(|f| self.handle(f))))
            }
            Member::CachedProperty(function, name) => ClassAttr::CachedProperty(self.handle(&function), name),
            Member::Slot => ClassAttr::Member,
            Member::Builtin(name) => ClassAttr::Builtin(name, self.handle(found)),
            Member::Descriptor { is_data } => ClassAttr::Descriptor { object: self.handle(found), is_data },
            Member::Plain => ClassAttr::Plain(self.handle(found)),
        }
    }

    /// True for a class of exceptions that do no more with their arguments than to keep them.
    fn stores_arguments(&self, class: &Bound<'py, PyType>) -> PyResult<bool> {
        let builtins = self.py.import("builtins")?;
        if !self.is_plain_class(class) || !class.is_subclass(&builtins.getattr("BaseException")?)? {
            return Ok(false);
        }
        for special in ["OSError", "UnicodeError", "ImportError", "SyntaxError", "SystemExit", "BaseExceptionGroup"] {
            if class.is_subclass(&builtins.getattr(special)?)? {
                return Ok(false);
            }
        }
        let own =
            |base: &Bound<'py, PyAny>| Ok::<_, PyErr>(base.getattr("__flags__")?.extract::<u64>()? & (1 << 8) == 0);
        for base in class.mro().iter() {
            let dict = base.getattr("__dict__")?;
            if own(&base)? && (dict.contains("__init__")? || dict.contains("__new__")?) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// True for a class whose metaclass is `type`.
    fn is_plain_class(&self, class: &Bound<'py, PyType>) -> bool {
        class.get_type().is(self.py.get_type::<PyType>())
    }

    fn record(&mut self, class: &Bound<'py, PyAny>) -> PyResult<Option<RecordClass>> {
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
            "operator" | "math" | "cmath" | "builtins" | "torch" => py.import(owner)?.getattr(name)?,
            class => py.import("builtins")?.getattr(class)?.getattr(name)?,
        };
        let args = args.iter().map(|arg| constant::write(py, arg)).collect::<PyResult<Vec<_>>>()?;
        let named = PyDict::new(py);
        for (name, value) in keywords {
            named.set_item(name, constant::write(py, value)?)?;
        }
        callable.call(PyTuple::new(py, args)?, Some(&named))
    }

    /// Runs a node on tensors without data.
    fn run_without_data(
        &self,
        graph: &Graph,
        env: &mut ShapeEnv,
        id: NodeId,
        ask: Ask,
    ) -> PyResult<Result<Meta, String>> {
        let mode = Torch::get(self.py)?.find(self.py, "set_grad_enabled")?.call1((ask.grad,))?;
        let result = self.run_node(graph, env, id, ask);
        mode.call_method1("__exit__", (self.py.None(), self.py.None(), self.py.None()))?;
        result
    }

    fn run_node(&self, graph: &Graph, env: &mut ShapeEnv, id: NodeId, ask: Ask) -> PyResult<Result<Meta, String>> {
        let node = &graph[id];
        if computes(graph, id) {
            return self.with_symbols(graph, env, id, ask);
        }
        let known = Known { env, by_hints: ask.by_hints };
        let Some(args) =
            node.args.iter().map(|arg| self.value(graph, &known, arg).transpose()).collect::<Option<Vec<_>>>()
        else {
            return self.with_symbols(graph, env, id, ask);
        };
        let args = args.into_iter().collect::<PyResult<Vec<_>>>()?;
        let kwargs = PyDict::new(self.py);
        for (name, arg) in &node.kwargs {
            let Some(value) = self.value(graph, &known, arg)? else {
                return self.with_symbols(graph, env, id, ask);
            };
            kwargs.set_item(name, value)?;
        }
        let result = match (node.kind, args.split_first()) {
            (Kind::CallMethod, Some((this, rest))) => {
                this.call_method(node.target.as_str(), PyTuple::new(self.py, rest)?, Some(&kwargs))
            }
            _ => function(self.py, &node.target)?.call(PyTuple::new(self.py, args)?, Some(&kwargs)),
        };
        let device = node.inputs().iter().find_map(|&n| Some(graph[n].tensor_meta()?.device));
        Ok(match result {
            Ok(value) => {
                self.meta(env.pool_mut(), &value, device)?.ok_or_else(|| "what it gives is not known".to_owned())
            }
            // Tensors without data cannot be copied elsewhere; fakes that know their device can.
            Err(error) if !ask.by_hints && error.to_string().contains("Cannot copy out of meta tensor") => {
                return self.with_symbols(graph, env, id, ask);
            }
            Err(error) => Err(error.to_string()),
        })
    }

    /// torch's own fakes are asked, which know the devices that they stand for.
    fn with_symbols(&self, graph: &Graph, env: &mut ShapeEnv, id: NodeId, ask: Ask) -> PyResult<Result<Meta, String>> {
        if ask.by_hints {
            return Ok(Err("its sizes have no values".to_owned()));
        }
        super::symbolic::infer(self.py, graph, env, id, ask)
    }

    /// An argument with tensors on the device `meta`; `None` if a size is symbolic.
    fn value(&self, graph: &Graph, known: &Known<'_>, arg: &Arg) -> PyResult<Option<Bound<'py, PyAny>>> {
        let py = self.py;
        let all = |items: &[Arg]| -> PyResult<Option<Vec<_>>> {
            let items = items.iter().map(|item| self.value(graph, known, item).transpose()).collect::<Option<Vec<_>>>();
            items.map(|items| items.into_iter().collect()).transpose()
        };
        Ok(Some(match arg {
            Arg::Node(id) => match &graph[*id].meta {
                Some(Meta::Tensor(meta)) => match self.without_data(known, meta)? {
                    // Only inputs may be leaves of the autograd graph.
                    Some(tensor) if meta.requires_grad && graph[*id].kind != Kind::Placeholder => {
                        tensor.call_method0("clone")?
                    }
                    Some(tensor) => tensor,
                    None => return Ok(None),
                },
                Some(Meta::Int(expr)) => match known.int(*expr) {
                    Some(value) => value.into_pyobject(py)?.into_any(),
                    None => return Ok(None),
                },
                Some(Meta::Float(float)) => match known.float(*float) {
                    Some(value) => value.into_pyobject(py)?.into_any(),
                    None => return Ok(None),
                },
                _ => return Ok(None),
            },
            Arg::List(items) => match all(items)? {
                Some(items) => PyList::new(py, items)?.into_any(),
                None => return Ok(None),
            },
            Arg::Tuple(items) => match all(items)? {
                Some(items) => PyTuple::new(py, items)?.into_any(),
                None => return Ok(None),
            },
            Arg::Slice(parts) => match all(&parts[..])? {
                Some(parts) => py.get_type::<PySlice>().call1(PyTuple::new(py, parts)?)?,
                None => return Ok(None),
            },
            plain => crate::import::to_python(py, plain, &[])?,
        }))
    }

    fn without_data(&self, known: &Known<'_>, meta: &TensorMeta) -> PyResult<Option<Bound<'py, PyAny>>> {
        let py = self.py;
        let fixed = |exprs: &[Expr]| exprs.iter().map(|&e| known.int(e)).collect::<Option<Vec<i64>>>();
        let (Some(sizes), Some(strides)) = (fixed(&meta.sizes), fixed(&meta.strides)) else { return Ok(None) };
        let torch = Torch::get(py)?;
        let options = PyDict::new(py);
        options.set_item("dtype", torch.dtype_object(py, meta.dtype))?;
        options.set_item("device", "meta")?;
        options.set_item("requires_grad", meta.requires_grad)?;
        Ok(Some(torch.find(py, "empty_strided")?.call((sizes, strides), Some(&options))?))
    }

    fn meta(
        &self,
        pool: &mut Pool,
        value: &Bound<'py, PyAny>,
        device: Option<symshapes::Device>,
    ) -> PyResult<Option<Meta>> {
        Ok(match classify::look(value)? {
            Seen::Tensor(tensor) => {
                let mut exprs = |values: &[i64]| values.iter().map(|&value| pool.int(value)).collect();
                Some(Meta::Tensor(TensorMeta {
                    dtype: tensor.dtype,
                    device: device.unwrap_or(tensor.device),
                    sizes: exprs(&tensor.sizes),
                    strides: exprs(&tensor.strides),
                    offset: pool.int(tensor.offset),
                    requires_grad: tensor.requires_grad,
                }))
            }
            Seen::Tuple(items) | Seen::List(items) | Seen::Record(_, items) => {
                let items = items.iter().map(|item| self.meta(pool, item, device)).collect::<PyResult<Vec<_>>>()?;
                items.iter().all(Option::is_some).then_some(Meta::Tuple(items))
            }
            Seen::Constant(Constant::None) => Some(Meta::Plain(Arg::None)),
            _ => None,
        })
    }
}

impl Host for PyHost<'_> {
    fn version(&self) -> Version {
        match self.py.version_info().minor {
            11 => Version::V311,
            12 => Version::V312,
            _ => Version::V313,
        }
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
        // Two that `builtins` does not name.
        match name {
            "builtins.NoneType" => return Some(self.handle(self.py.None().bind(self.py).get_type().as_any())),
            "builtins.function" => return Some(self.handle(self.py.get_type::<PyFunction>().as_any())),
            _ => {}
        }
        let (module, class) = name.rsplit_once('.')?;
        let class = self.py.import(module).ok()?.getattr(class).ok()?;
        Some(self.handle(&class))
    }

    fn is_exception(&mut self, class: Obj) -> bool {
        let object = self.object(class);
        object.cast::<PyType>().is_ok_and(|class| self.stores_arguments(class).unwrap_or(false))
    }

    fn is_subclass(&mut self, class: Obj, of: Obj) -> Option<bool> {
        let (class, of) = (self.object(class), self.object(of));
        let (class, of) = (class.cast::<PyType>().ok()?, of.cast::<PyType>().ok()?);
        if !self.is_plain_class(of) && !inherits_plainly(of).unwrap_or(false) && !is_abstract(of).unwrap_or(false) {
            return None;
        }
        class.is_subclass(of).ok()
    }

    fn abstract_token(&mut self, class: Obj) -> Option<i64> {
        let class = self.object(class);
        let class = class.cast::<PyType>().ok()?;
        if !is_abstract(class).unwrap_or(false) {
            return None;
        }
        self.py.import("abc").ok()?.call_method0("get_cache_token").ok()?.extract().ok()
    }

    fn is_immutable(&mut self, class: Obj) -> bool {
        // Py_TPFLAGS_IMMUTABLETYPE
        let flags = self.object(class).getattr("__flags__").and_then(|flags| flags.extract::<u64>());
        flags.is_ok_and(|flags| flags & (1 << 8) != 0)
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

    fn module(&mut self, name: &str) -> Option<Obj> {
        let module = self.py.import("sys").ok()?.getattr("modules").ok()?.get_item(name).ok()?;
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

    fn assume(&mut self, function: Obj, args: &[Constant]) -> Option<Obj> {
        let args = args.iter().map(|arg| constant::write(self.py, arg)).collect::<PyResult<Vec<_>>>().ok()?;
        let result = self.object(function).call1(PyTuple::new(self.py, args).ok()?).ok()?;
        Some(self.handle(&result))
    }

    fn set_items(&mut self, set: Obj) -> Option<Vec<Constant>> {
        constants(&self.object(set))
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

    fn is_enum_member(&mut self, obj: Obj) -> bool {
        let class = self.object(obj).get_type();
        let by_identity = || -> PyResult<bool> {
            let of_enums = self.py.import("enum")?.getattr("EnumMeta")?;
            let base = self.py.import("builtins")?.getattr("object")?.cast_into::<PyType>()?;
            let known = in_mro(&class, "__eq__")?.zip(in_mro(&base, "__eq__")?);
            Ok(class.get_type().is(&of_enums) && known.is_some_and(|(own, known)| own.is(&known)))
        };
        by_identity().unwrap_or(false)
    }

    fn plain_setattr(&mut self, obj: Obj, name: &str) -> bool {
        let object = self.object(obj);
        let class = object.get_type();
        let plain = || -> PyResult<bool> {
            let generic = self.py.import("builtins")?.getattr("object")?.getattr("__setattr__")?;
            let described = in_mro(&class, name)?.is_some_and(|value| is_property(&value));
            Ok(class.getattr("__setattr__")?.is(&generic) && !described && object.hasattr("__dict__")?)
        };
        plain().unwrap_or(false)
    }

    fn plain_delattr(&mut self, obj: Obj, name: &str) -> bool {
        let class = self.object(obj).get_type();
        let plain = || -> PyResult<bool> {
            let generic = self.py.import("builtins")?.getattr("object")?.getattr("__delattr__")?;
            let absent_after = in_mro(&class, name)?.is_none() && in_mro(&class, "__getattr__")?.is_none();
            Ok(absent_after && class.getattr("__delattr__")?.is(&generic))
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

    fn signature(&mut self, function: Obj, bound: bool) -> Option<Obj> {
        let function = self.object(function);
        let method = || self.py.import("types")?.getattr("MethodType")?.call1((&function, self.py.Ellipsis()));
        let callable = if bound { method().ok()? } else { function.clone() };
        let signature = self.py.import("inspect").ok()?.call_method1("signature", (callable,)).ok()?;
        Some(self.handle(&signature))
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
            (function.starts_with("str.") || function.starts_with("bytes."), value.cast::<PyList>())
        {
            value = list.to_tuple().into_any();
        }
        constant::read(&value).ok_or(FoldError::NotConstant)
    }

    fn infer(&mut self, graph: &Graph, env: &mut ShapeEnv, node: NodeId, ask: Ask) -> Result<Meta, String> {
        self.run_without_data(graph, env, node, ask).unwrap_or_else(|error| Err(error.to_string()))
    }
}

/// True for a class of `abc.ABCMeta`'s whose idea of subclasses is inheritance, registration, or the standard library's.
fn is_abstract(class: &Bound<'_, PyType>) -> PyResult<bool> {
    let py = class.py();
    if !class.get_type().is(&py.import("abc")?.getattr("ABCMeta")?) {
        return Ok(false);
    }
    for base in class.mro().iter() {
        let own = base.getattr("__dict__")?.contains("__subclasshook__")?;
        let module: String = base.getattr("__module__")?.extract().unwrap_or_default();
        if own && !matches!(module.as_str(), "builtins" | "collections.abc" | "typing" | "contextlib" | "os" | "io") {
            return Ok(false);
        }
    }
    // Protocols look at what instances have.
    Ok(!class.getattr_opt("_is_protocol")?.is_some_and(|is| is.is_truthy().unwrap_or(true)))
}

/// True for a class that knows nothing of instances and subclasses beyond inheritance, though its metaclass is not
/// `type`.
fn inherits_plainly(class: &Bound<'_, PyType>) -> PyResult<bool> {
    let (meta, builtin) = (class.get_type(), class.py().get_type::<PyType>());
    for name in ["__instancecheck__", "__subclasscheck__"] {
        let own = in_mro(&meta, name)?;
        let plain = in_mro(&builtin, name)?;
        if !matches!((own, plain), (Some(own), Some(plain)) if own.is(&plain)) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// True for a call that would compute, and draw random numbers, though its tensors are without data: it is given no
/// tensor, or names the device of what it makes.
fn computes(graph: &Graph, id: NodeId) -> bool {
    let node = &graph[id];
    let on_device = node.args.iter().any(|arg| matches!(arg, Arg::Device(_)))
        || node.kwargs.iter().any(|(name, arg)| name == "device" && !matches!(arg, Arg::None));
    on_device || !node.inputs().iter().any(|&input| graph[input].tensor_meta().is_some())
}

/// The items of an iterable that are all constants.
/// As `repr` writes a class of this dotted name.
fn class_repr(name: &str) -> String {
    format!("<class '{}'>", name.trim_start_matches("builtins."))
}

fn constants(items: &Bound<'_, PyAny>) -> Option<Vec<Constant>> {
    items.try_iter().ok()?.map(|item| constant::read(&item.ok()?)).collect()
}

/// What the classes of the method resolution order have under a name.
fn in_mro<'py>(class: &Bound<'py, PyType>, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
    for base in class.mro().iter() {
        if let Some(dict) = base.getattr_opt("__dict__")?
            && dict.contains(name)?
        {
            return dict.get_item(name).map(Some);
        }
    }
    Ok(None)
}

/// True for what computes when it is read or written: properties and other data descriptors.
fn is_property(value: &Bound<'_, PyAny>) -> bool {
    let class = value.get_type();
    class.hasattr("__set__").unwrap_or(true) && class.hasattr("__get__").unwrap_or(true)
}

/// True for what a class gives to its instances as it is, or as a bound method.
fn is_plain(value: &Bound<'_, PyAny>) -> bool {
    let binds = value.get_type().hasattr("__get__").unwrap_or(true);
    let known = value.is_exact_instance_of::<PyFunction>() || value.is_instance_of::<PyCFunction>();
    let name = value.get_type().name().map(|name| name.to_string()).unwrap_or_default();
    !binds || known || matches!(name.as_str(), "staticmethod" | "classmethod" | "method_descriptor")
}
