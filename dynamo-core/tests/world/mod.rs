//! A small world of objects for the tracer to look at: a [`Host`] without Python in it.
//!
//! An interpreter has described the objects (`trace_world.py`), each as a row with its view, its class and the
//! attributes that the program names; functions come with their code objects, so the bytecode is the real one of a
//! version. All that the tracer asks is answered from these rows, and what it computes on constants is computed here
//! ([`fold`]).
//!
//! Invariant: an answer never depends on when it is asked.

mod fold;

use dynamo_core::bytecode::{CodeObject, Version};
use dynamo_core::host::{
    Ask, ClassAttr, Code, FoldError, FunctionPolicy, FunctionView, Host, Lookup, Obj, RecordClass, Scope, SetHistory,
    SetOperand, TensorView, View,
};
use fx::{Arg, Graph, Meta, NodeId};
use guards::{Constant, DispatchKeys, ObjectInfo};
use serde::Deserialize;
use std::collections::HashMap;
use std::rc::Rc;
use symshapes::{DType, Device, ShapeEnv};

/// The objects that can be reached, by their handles.
#[derive(Deserialize)]
pub(crate) struct World {
    version: Version,
    objects: Vec<Row>,
    /// Classes by their dotted names.
    classes: HashMap<String, u32>,
    /// Modules by their names.
    #[serde(default)]
    modules: HashMap<String, u32>,
    /// The names of a tensor's methods.
    methods: Vec<String>,
    /// The calls that are to be traced.
    pub(crate) cases: Vec<Case>,
}

/// A call of a function.
#[derive(Clone, Deserialize)]
pub(crate) struct Case {
    /// Its name.
    pub(crate) name: String,
    function: u32,
    arguments: Vec<Option<u32>>,
}

impl Case {
    /// The function.
    pub(crate) fn function(&self) -> Obj {
        Obj::from_u32(self.function)
    }

    /// The contents of each of its argument slots.
    pub(crate) fn arguments(&self) -> Vec<Option<Obj>> {
        self.arguments.iter().map(|argument| argument.map(Obj::from_u32)).collect()
    }
}

/// An object.
#[derive(Deserialize)]
struct Row {
    view: Seen,
    class: u32,
    /// As guards print it.
    repr: String,
    /// The attributes that were asked for: an object, or `null` where only running code could tell.
    #[serde(default)]
    attrs: HashMap<String, Option<u32>>,
    /// True if attributes of instances are written as they are.
    #[serde(default)]
    plain: bool,
    /// True for a class whose attributes nobody can change.
    #[serde(default)]
    immutable: bool,
    /// True for a class of exceptions that are made as `BaseException` makes them.
    #[serde(default)]
    exception: bool,
    /// The classes that such a class comes from, itself included.
    #[serde(default)]
    bases: Vec<u32>,
    /// The items' names of a class of named tuples, and the last ones' defaults.
    #[serde(default)]
    record: Option<(Vec<String>, Vec<u32>)>,
}

/// The kinds of objects: [`View`] with numbers for handles, and objects that no view shows.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Seen {
    Constant(Constant),
    Tuple(Vec<u32>),
    List(Vec<u32>),
    Set(Vec<u32>),
    /// A named tuple: its class, its items.
    Record(u32, Vec<u32>),
    Partial(u32, Vec<u32>, Vec<(String, u32)>),
    Dict(Vec<(u32, u32)>),
    Slice([u32; 3]),
    Range([i64; 3]),
    Tensor(Vec<i64>),
    Function(Described),
    Method(u32, u32),
    BoundBuiltin(u32, String),
    Cell(Option<u32>),
    Module(String),
    Class(String),
    Builtin(String),
    Object(String),
    /// A code object, with the objects among its constants.
    Code(Box<CodeObject>, Vec<u32>),
    /// The names of a global scope: the module's own, and those among the builtins.
    Scope(HashMap<String, u32>, HashMap<String, u32>),
}

#[derive(Deserialize)]
struct Described {
    code: u32,
    globals: u32,
    defaults: Vec<u32>,
    kwdefaults: Vec<(String, u32)>,
    closure: Vec<u32>,
    name: String,
    skipped: bool,
}

fn objects(numbers: &[u32]) -> Vec<Obj> {
    numbers.iter().copied().map(Obj::from_u32).collect()
}

impl Described {
    fn view(&self) -> FunctionView {
        FunctionView {
            code: Obj::from_u32(self.code),
            globals: Obj::from_u32(self.globals),
            defaults: objects(&self.defaults),
            kwdefaults: named(&self.kwdefaults),
            closure: objects(&self.closure),
            name: self.name.clone(),
            policy: if self.skipped { FunctionPolicy::Skipped } else { FunctionPolicy::Inlined },
        }
    }
}

/// A tensor on the CPU, one element after another.
fn tensor(class: u32, sizes: &[i64]) -> TensorView {
    let stride = |dim: usize| sizes[dim + 1..].iter().product();
    TensorView {
        class: Obj::from_u32(class),
        is_parameter: false,
        dtype: DType::F32,
        device: Device::CPU,
        sizes: sizes.to_vec(),
        strides: (0..sizes.len()).map(stride).collect(),
        offset: 0,
        requires_grad: false,
        is_leaf: true,
        dispatch_keys: DispatchKeys { bits: 1, name: "DispatchKeySet(CPU)".into() },
        marks: Vec::new(),
    }
}

fn named(items: &[(String, u32)]) -> Vec<(String, Obj)> {
    items.iter().map(|(name, value)| (name.clone(), Obj::from_u32(*value))).collect()
}

impl World {
    fn row(&self, obj: Obj) -> &Row {
        &self.objects[obj.as_u32() as usize]
    }

    fn record(&self, class: Obj) -> Option<Rc<RecordClass>> {
        let row = self.row(class);
        let (Seen::Class(name), Some((fields, defaults))) = (&row.view, &row.record) else { return None };
        let (name, fields) = (name.clone(), fields.clone());
        Some(Rc::new(RecordClass { name, fields, defaults: objects(defaults), of_sequence: false }))
    }
}

impl World {
    /// Calls `f` in a world of which one object is another constant; gives nothing for one that is no constant.
    pub(crate) fn with_another_constant<T>(&mut self, obj: Obj, f: impl FnOnce(&mut World) -> T) -> Option<T> {
        let other = Seen::Constant(match self.row(obj).view {
            Seen::Constant(Constant::Int(value)) => Constant::Int(value + 1),
            Seen::Constant(Constant::Bool(value)) => Constant::Bool(!value),
            Seen::Constant(Constant::Str(ref text)) => Constant::Str(format!("{text}_")),
            _ => return None,
        });
        let at = obj.as_u32() as usize;
        let before = std::mem::replace(&mut self.objects[at].view, other);
        let result = f(self);
        self.objects[at].view = before;
        Some(result)
    }
}

impl Host for World {
    fn version(&self) -> Version {
        self.version
    }

    fn handles(&self) -> usize {
        self.objects.len()
    }

    fn view(&mut self, obj: Obj) -> View {
        let row = self.row(obj);
        match &row.view {
            Seen::Constant(constant) => View::Constant(constant.clone()),
            Seen::Tuple(items) => View::Tuple(objects(items)),
            Seen::List(items) => View::List(objects(items)),
            Seen::Set(items) => View::Set(objects(items)),
            Seen::Record(class, items) => {
                let class = Obj::from_u32(*class);
                match self.record(class) {
                    Some(record) => View::Record(class, record, objects(items)),
                    None => View::Object("builtins.tuple".to_owned()),
                }
            }
            Seen::Partial(function, args, keywords) => {
                View::Partial(Obj::from_u32(*function), objects(args), named(keywords))
            }
            Seen::Dict(items) => {
                View::Dict(items.iter().map(|&(key, value)| (Obj::from_u32(key), Obj::from_u32(value))).collect())
            }
            Seen::Slice(parts) => View::Slice(parts.map(Obj::from_u32)),
            Seen::Range(bounds) => View::Range(*bounds),
            Seen::Tensor(sizes) => View::Tensor(Box::new(tensor(row.class, sizes))),
            Seen::Function(function) => View::Function(Box::new(function.view())),
            Seen::Method(function, this) => View::Method(Obj::from_u32(*function), Obj::from_u32(*this)),
            Seen::BoundBuiltin(this, name) => View::BoundBuiltin(Obj::from_u32(*this), name.clone()),
            Seen::Cell(content) => View::Cell(content.map(Obj::from_u32)),
            Seen::Module(name) => View::Module(name.clone()),
            Seen::Class(name) => View::Class(name.clone()),
            Seen::Builtin(name) => View::Builtin(name.clone()),
            Seen::Object(class) => View::Object(class.clone()),
            Seen::Code(..) | Seen::Scope(..) => View::Object("builtins.object".to_owned()),
        }
    }

    fn class_of(&mut self, obj: Obj) -> Obj {
        Obj::from_u32(self.row(obj).class)
    }

    fn class_named(&mut self, name: &str) -> Option<Obj> {
        self.classes.get(name).copied().map(Obj::from_u32)
    }

    fn is_immutable(&mut self, class: Obj) -> bool {
        self.row(class).immutable
    }

    fn is_exception(&mut self, class: Obj) -> bool {
        self.row(class).exception
    }

    fn is_subclass(&mut self, class: Obj, of: Obj) -> Option<bool> {
        // Classes of exceptions are the only ones whose bases are described.
        let described = !self.row(of).bases.is_empty();
        described.then(|| self.row(class).bases.contains(&of.as_u32()))
    }

    fn record_class(&mut self, class: Obj) -> Option<Rc<RecordClass>> {
        self.record(class)
    }

    fn result_class(&mut self, _: &str) -> Option<Obj> {
        None
    }

    fn grad_enabled(&self) -> bool {
        true
    }

    fn assume(&mut self, _: Obj, _: &[Constant]) -> Option<Obj> {
        None
    }

    fn item(&mut self, _: Obj, _: &str) -> Option<Obj> {
        None
    }

    fn has_no_hooks(&mut self, _: Obj) -> bool {
        false
    }

    fn solid_base(&mut self, _: Obj) -> Option<String> {
        None
    }

    fn base_view(&mut self, _: Obj) -> Option<View> {
        None
    }

    fn dict_of(&mut self, _: Obj) -> Option<Obj> {
        None
    }

    fn set_items(&mut self, _: Obj) -> Option<Vec<Constant>> {
        None
    }

    fn set_order(&mut self, _: &SetHistory) -> Option<Vec<Constant>> {
        None
    }

    fn frozenset(&mut self, _: &SetOperand) -> Option<Obj> {
        None
    }

    fn combined_frozenset(&mut self, _: Obj, _: &str, _: &SetOperand) -> Option<Obj> {
        None
    }

    fn module(&mut self, name: &str) -> Option<Obj> {
        self.modules.get(name).copied().map(Obj::from_u32)
    }

    fn substitute(&mut self, _function: Obj) -> Option<Obj> {
        None
    }

    fn class_repr(&mut self, _obj: Obj) -> String {
        String::new()
    }

    fn info(&mut self, obj: Obj) -> ObjectInfo {
        // Addresses are nobody's business: the same in every version.
        ObjectInfo { repr: self.row(obj).repr.clone(), ..ObjectInfo::default() }
    }

    fn has_method(&mut self, name: &str) -> bool {
        self.methods.iter().any(|method| method == name)
    }

    fn plain_setattr(&mut self, obj: Obj, _: &str) -> bool {
        self.row(obj).plain
    }

    fn plain_delattr(&mut self, obj: Obj, _: &str) -> bool {
        self.row(obj).plain
    }

    fn attr(&mut self, obj: Obj, name: &str) -> Lookup {
        match self.row(obj).attrs.get(name) {
            Some(Some(value)) => Lookup::Found(Obj::from_u32(*value)),
            Some(None) => Lookup::Unknown,
            None => Lookup::Absent,
        }
    }

    fn class_attr(&mut self, class: Obj, name: &str, after: Option<Obj>) -> Option<(usize, ClassAttr)> {
        let unknown = ClassAttr::Descriptor { object: class, is_data: true };
        // The attributes of each base are not described, so what `super()` finds is unknown.
        if after.is_some() {
            return Some((0, unknown));
        }
        let value = self.row(class).attrs.get(name)?.map(Obj::from_u32);
        let found = value.map_or(unknown, |value| match &self.row(value).view {
            Seen::Function(_) => ClassAttr::Function(value),
            Seen::Object(class) if class == "builtins.getset_descriptor" => {
                ClassAttr::Descriptor { object: value, is_data: true }
            }
            _ => ClassAttr::Plain(value),
        });
        Some((0, found))
    }

    fn mro(&mut self, class: Obj) -> Vec<Obj> {
        vec![class]
    }

    fn has_dict(&mut self, obj: Obj) -> bool {
        self.row(obj).plain
    }

    fn instance_attr(&mut self, obj: Obj, name: &str) -> Option<Obj> {
        self.row(obj).attrs.get(name).copied().flatten().map(Obj::from_u32)
    }

    fn class_has(&mut self, class: Obj, name: &str) -> bool {
        self.row(class).attrs.contains_key(name)
    }

    fn global(&mut self, globals: Obj, name: &str) -> Option<(Obj, Scope)> {
        let Seen::Scope(module, builtins) = &self.row(globals).view else { return None };
        let found = |names: &HashMap<String, u32>| names.get(name).copied().map(Obj::from_u32);
        let own = found(module).map(|obj| (obj, Scope::Module));
        own.or_else(|| found(builtins).map(|obj| (obj, Scope::Builtins)))
    }

    fn code(&mut self, code: Obj) -> Option<Rc<Code>> {
        let Seen::Code(object, _) = &self.row(code).view else { return None };
        Code::new((**object).clone(), self.version).ok().map(Rc::new)
    }

    fn opaque(&mut self, code: Obj, index: u32) -> Option<Obj> {
        let Seen::Code(_, table) = &self.row(code).view else { return None };
        table.get(index as usize).copied().map(Obj::from_u32)
    }

    fn fold_with(
        &mut self,
        function: &str,
        args: &[Constant],
        keywords: &[(String, Constant)],
    ) -> Result<Constant, FoldError> {
        if keywords.is_empty() { fold::call(function, args) } else { Err(FoldError::NotConstant) }
    }

    fn infer(&mut self, graph: &Graph, _: &mut ShapeEnv, node: NodeId, _: Ask) -> Result<Meta, String> {
        // Operators that change their first argument give it back; all others have rules.
        let node = &graph[node];
        let first = node.args.first().and_then(Arg::as_node).and_then(|first| graph[first].meta.clone());
        let changes = node.target.starts_with("operator.") || node.target.ends_with('_');
        first.filter(|_| changes).ok_or_else(|| "there is no torch to ask".to_owned())
    }
}
