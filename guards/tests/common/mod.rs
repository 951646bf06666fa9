//! Plain values that stand for Python's objects, and a frame that gives them.
#![allow(dead_code, reason = "each test uses its part")]

mod frame;
mod tags;

#[allow(unused_imports, reason = "each test uses its part")]
pub(crate) use frame::Frame;

use cranelift_entity::EntityRef;
use guards::{Constant, DispatchKeys, Layout, ObjectId, ObjectInfo, Sources, TensorFacts, TensorGuard};
use std::rc::Rc;
use symshapes::{DType, Device};

/// The types; the number of one is its index.
const TYPES: [&str; 26] = [
    "type",
    "NoneType",
    "bool",
    "int",
    "float",
    "str",
    "tuple",
    "list",
    "dict",
    "mappingproxy",
    "set",
    "frozenset",
    "tuple_iterator",
    "range_iterator",
    "function",
    "code",
    "builtin_function_or_method",
    "module",
    "weakref",
    "torch.Tensor",
    "torch.nn.parameter.Parameter",
    "__main__.Model",
    "__main__.A",
    "torch.dtype",
    "slice",
    "complex",
];

/// The objects with identity that are no types: their names and types. Their numbers follow those of the types.
const OBJECTS: [(&str, &str); 8] = [
    ("<built-in function sin>", "builtin_function_or_method"),
    ("<built-in function cos>", "builtin_function_or_method"),
    ("<function f at 0x7f>", "function"),
    ("<code object f>", "code"),
    ("<code object g>", "code"),
    ("<module 'torch'>", "module"),
    ("Model()", "__main__.Model"),
    ("is_small", "function"),
];

/// The number of a type or of another object.
pub(crate) fn object(name: &str) -> ObjectId {
    let types = TYPES.iter().position(|ty| *ty == name);
    let index = types.or_else(|| OBJECTS.iter().position(|(object, _)| *object == name).map(|at| at + TYPES.len()));
    ObjectId::new(index.unwrap_or_else(|| panic!("no object {name}")))
}

/// Sources that know the names of all objects.
pub(crate) fn sources() -> Sources {
    let mut sources = Sources::new();
    for name in TYPES {
        let repr = format!("<class '{name}'>");
        let id = object(name);
        let (address, ty) = (1000 + u64::from(id.as_u32()), Some(object("type")));
        sources.describe(id, ObjectInfo { repr, address, ty, ..ObjectInfo::default() });
    }
    for (name, ty) in OBJECTS {
        let (id, ty) = (object(name), Some(object(ty)));
        let (repr, address) = (name.into(), 1000 + u64::from(id.as_u32()));
        sources.describe(id, ObjectInfo { repr, address, ty, ..ObjectInfo::default() });
    }
    sources
}

/// A Python object.
#[derive(Clone, Debug)]
pub(crate) struct Value(Rc<Body>);

#[derive(Debug)]
pub(crate) struct Body {
    pub(crate) ty: ObjectId,
    /// The number, if it is one of the known objects.
    pub(crate) id: Option<ObjectId>,
    pub(crate) data: Data,
    /// The entries of its `__dict__`, if it has one.
    pub(crate) attrs: Option<Vec<(String, Value)>>,
    /// The address of the object that this one was before it, or a part of it, changed.
    was: Option<u64>,
}

/// The kinds of content that an object has.
#[derive(Clone, Debug)]
pub(crate) enum Data {
    Plain,
    Constant(Constant),
    /// A list, tuple, set or tuple iterator.
    Items(Vec<Value>),
    /// A dict or a read-only mapping.
    Pairs(Vec<(Value, Value)>),
    Range([i64; 3]),
    Tensor(TensorFacts, Option<Value>),
    Function {
        code: Value,
        closure: Vec<Value>,
        defaults: Vec<Value>,
        kw_defaults: Vec<(String, Value)>,
    },
    Weak(Option<Value>),
}

impl std::ops::Deref for Value {
    type Target = Body;

    fn deref(&self) -> &Body {
        &self.0
    }
}

impl Value {
    pub(crate) fn new(ty: &str, data: Data) -> Value {
        Value(Rc::new(Body { ty: object(ty), id: None, data, attrs: None, was: None }))
    }

    /// An object that is the same wherever it is met by its number.
    pub(crate) fn known(name: &str) -> Value {
        Value::by_id(object(name))
    }

    pub(crate) fn by_id(id: ObjectId) -> Value {
        let ty = OBJECTS.get(id.index().wrapping_sub(TYPES.len())).map_or("type", |(_, ty)| ty);
        Value(Rc::new(Body { ty: object(ty), id: Some(id), data: Data::Plain, attrs: None, was: None }))
    }

    /// A known object with attributes.
    pub(crate) fn known_with(name: &str, attrs: impl IntoIterator<Item = (&'static str, Value)>) -> Value {
        let (id, known) = (object(name), Value::known(name));
        let attrs = Value::instance(type_name(known.ty), attrs).attrs.clone();
        Value(Rc::new(Body { ty: known.ty, id: Some(id), data: Data::Plain, attrs, was: None }))
    }

    pub(crate) fn constant(value: impl Into<Constant>) -> Value {
        let value = value.into();
        Value::new(value.type_name(), Data::Constant(value))
    }

    pub(crate) fn none() -> Value {
        Value::constant(Constant::None)
    }

    pub(crate) fn list(items: impl IntoIterator<Item = Value>) -> Value {
        Value::new("list", Data::Items(items.into_iter().collect()))
    }

    pub(crate) fn dict<K: Into<Constant>>(pairs: impl IntoIterator<Item = (K, Value)>) -> Value {
        let pairs = pairs.into_iter().map(|(key, value)| (Value::constant(key), value));
        Value::new("dict", Data::Pairs(pairs.collect()))
    }

    pub(crate) fn instance(ty: &str, attrs: impl IntoIterator<Item = (&'static str, Value)>) -> Value {
        let attrs = attrs.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        Value(Rc::new(Body { ty: object(ty), id: None, data: Data::Plain, attrs: Some(attrs), was: None }))
    }

    pub(crate) fn tensor(sizes: &[i64]) -> Value {
        Value::tensor_of(facts(sizes))
    }

    pub(crate) fn tensor_of(facts: TensorFacts) -> Value {
        Value(Rc::new(Body {
            ty: facts.python_type,
            id: None,
            data: Data::Tensor(facts, None),
            attrs: None,
            was: None,
        }))
    }

    /// A number that only this object has.
    pub(crate) fn address(&self) -> u64 {
        match self.id {
            Some(id) => u64::from(id.as_u32()),
            None => self.was.unwrap_or(Rc::as_ptr(&self.0) as u64),
        }
    }

    /// The objects that can be reached from this one, itself first; keys of dicts never change.
    pub(crate) fn parts(&self) -> Vec<Value> {
        let own: Vec<&Value> = match &self.data {
            Data::Items(items) => items.iter().collect(),
            Data::Pairs(pairs) => pairs.iter().map(|(_, value)| value).collect(),
            _ => Vec::new(),
        };
        let attrs = self.attrs.iter().flatten().map(|(_, value)| value);
        let below = own.into_iter().chain(attrs).flat_map(Value::parts);
        std::iter::once(self.clone()).chain(below).collect()
    }

    /// A copy of the object after the one at an address, itself or a part, has become like another one.
    pub(crate) fn after(&self, address: u64, like: &Value) -> Value {
        let is_changed = self.address() == address && self.id.is_none();
        let body = if is_changed { &like.0 } else { &self.0 };
        let below = |value: &Value| if is_changed { value.clone() } else { value.after(address, like) };
        let data = match &body.data {
            Data::Items(items) => Data::Items(items.iter().map(below).collect()),
            Data::Pairs(pairs) => Data::Pairs(pairs.iter().map(|(key, value)| (key.clone(), below(value))).collect()),
            data => data.clone(),
        };
        let attrs =
            body.attrs.as_ref().map(|all| all.iter().map(|(name, value)| (name.clone(), below(value))).collect());
        Value(Rc::new(Body { ty: body.ty, id: self.id, data, attrs, was: Some(self.address()) }))
    }

    pub(crate) fn is(&self, other: &Value) -> bool {
        self.address() == other.address()
    }

    pub(crate) fn as_constant(&self) -> Option<&Constant> {
        match &self.data {
            Data::Constant(constant) => Some(constant),
            _ => None,
        }
    }

    pub(crate) fn items(&self) -> Option<&[Value]> {
        match &self.data {
            Data::Items(items) => Some(items),
            _ => None,
        }
    }

    pub(crate) fn pairs(&self) -> Option<&[(Value, Value)]> {
        match &self.data {
            Data::Pairs(pairs) => Some(pairs),
            _ => None,
        }
    }

    pub(crate) fn own_attr(&self, name: &str) -> Option<Value> {
        self.attrs.iter().flatten().find(|(known, _)| known == name).map(|(_, value)| value.clone())
    }

    pub(crate) fn is_a(&self, ty: &str) -> bool {
        self.ty == object(ty)
    }

    /// Something like `repr`.
    pub(crate) fn repr(&self) -> String {
        let list = |items: &[Value]| items.iter().map(Value::repr).collect::<Vec<_>>().join(", ");
        match &self.data {
            Data::Constant(constant) => constant.to_string(),
            Data::Items(items) => format!("[{}]", list(items)),
            Data::Pairs(pairs) => {
                let pairs: Vec<String> = pairs.iter().map(|(k, v)| format!("{}: {}", k.repr(), v.repr())).collect();
                format!("{{{}}}", pairs.join(", "))
            }
            Data::Range(range) => format!("range{range:?}"),
            Data::Tensor(facts, _) => format!("tensor{:?}", facts.sizes),
            _ => self.id.map_or_else(|| format!("<{}>", type_name(self.ty)), |id| format!("<{id}>")),
        }
    }
}

pub(crate) fn type_name(ty: ObjectId) -> &'static str {
    TYPES[ty.index()]
}

/// A dense tensor of floats.
pub(crate) fn facts(sizes: &[i64]) -> TensorFacts {
    let mut strides: Vec<i64> =
        sizes.iter().rev().scan(1, |next, size| Some(std::mem::replace(next, *next * size))).collect();
    strides.reverse();
    TensorFacts {
        python_type: object("torch.Tensor"),
        dispatch_keys: cpu_keys(),
        dtype: DType::F32,
        device: Device::CPU,
        layout: Layout::Strided,
        requires_grad: false,
        sizes: sizes.to_vec(),
        strides,
    }
}

pub(crate) fn cpu_keys() -> DispatchKeys {
    let name = "DispatchKeySet(CPU, BackendSelect, ADInplaceOrView, AutogradCPU)";
    DispatchKeys { bits: 0b1011, name: name.into() }
}

/// The guard for a dense tensor of floats.
pub(crate) fn tensor_guard(sizes: &[i64]) -> TensorGuard {
    let facts = facts(sizes);
    TensorGuard {
        python_type: facts.python_type,
        dispatch_keys: facts.dispatch_keys,
        dtype: facts.dtype,
        device: facts.device,
        layout: facts.layout,
        requires_grad: facts.requires_grad,
        sizes: facts.sizes.into_iter().map(Some).collect(),
        strides: facts.strides.into_iter().map(Some).collect(),
    }
}
