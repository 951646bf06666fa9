//! A frame over plain values.

use super::{Data, Value, object, type_name};
use guards::{
    Constant, ConstantId, DictKeys, Element, GlobalState, Name, ObjectId, Objects, Sources, TensorFacts, TensorGuard,
    TensorGuardId, TensorProperty,
};

/// The variables and the global state of a frame; it notes what is read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Frame {
    pub(crate) locals: Vec<(String, Value)>,
    pub(crate) globals: Vec<(String, Value)>,
    pub(crate) cells: Vec<(String, Value)>,
    pub(crate) defaults: Vec<Value>,
    pub(crate) kw_defaults: Vec<(String, Value)>,
    pub(crate) states: Vec<GlobalState>,
    /// The constants of the tree, by number.
    pub(crate) constants: Vec<Constant>,
    /// The reads, in order.
    pub(crate) reads: Vec<String>,
    /// The seed of the choice of reads and guards that a snapshot may rely on.
    pub(crate) seed: u64,
    /// The addresses of the objects that have changed since a snapshot was taken.
    pub(crate) touched: Vec<u64>,
    /// The objects that a snapshot has prefetched.
    pub(crate) prefetched: Vec<Value>,
}

fn find(pairs: &[(String, Value)], name: &str) -> Option<Value> {
    pairs.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone())
}

impl Frame {
    /// A frame with one local variable, `x`.
    pub(crate) fn of(x: Value) -> Frame {
        Frame::empty().with("x", x)
    }

    /// A frame with nothing in it.
    pub(crate) fn empty() -> Frame {
        Frame::default()
    }

    pub(crate) fn with(mut self, name: &str, value: Value) -> Frame {
        self.locals.push((name.to_owned(), value));
        self
    }

    pub(crate) fn global_of(mut self, name: &str, value: Value) -> Frame {
        self.globals.push((name.to_owned(), value));
        self
    }

    pub(crate) fn state(mut self, state: GlobalState) -> Frame {
        self.states.push(state);
        self
    }

    /// Makes the constants of a tree known.
    pub(crate) fn prepared(mut self, sources: &Sources) -> Frame {
        self.constants = sources.constants().iter().map(|(_, constant)| constant.clone()).collect();
        self
    }

    fn note(&mut self, what: impl Into<String>) {
        self.reads.push(what.into());
    }

    fn is_element(&self, value: &Value, element: Element) -> bool {
        match element {
            Element::Constant(id) => value.as_constant() == self.constants.get(id.as_u32() as usize),
            Element::Object(id) => value.id == Some(id),
        }
    }

    fn keys_match(&self, object: &Value, ty: &str, keys: &[Element]) -> bool {
        let Some(pairs) = object.pairs().filter(|_| object.is_a(ty)) else { return false };
        pairs.len() == keys.len() && pairs.iter().zip(keys).all(|((key, _), &expected)| self.is_element(key, expected))
    }

    /// An entry of one of the dicts of a module.
    fn member(&mut self, base: &Value, dict: &str, name: Name<'_>) -> Option<Value> {
        self.note(format!("{dict} {}", name.text));
        lookup(&base.own_attr(dict)?, &Constant::from(name.text))
    }
}

fn lookup(base: &Value, key: &Constant) -> Option<Value> {
    base.pairs()?.iter().find(|(known, _)| known.as_constant() == Some(key)).map(|(_, value)| value.clone())
}

impl Objects for Frame {
    type Handle = Value;

    fn local(&mut self, name: Name<'_>) -> Option<Value> {
        self.note(format!("local {}", name.text));
        find(&self.locals, name.text)
    }

    fn global(&mut self, name: Name<'_>) -> Option<Value> {
        self.note(format!("global {}", name.text));
        find(&self.globals, name.text)
    }

    fn cell(&mut self, name: Name<'_>) -> Option<Value> {
        self.note(format!("cell {}", name.text));
        find(&self.cells, name.text)
    }

    fn frame_default(&mut self, index: u32) -> Option<Value> {
        self.note(format!("frame default {index}"));
        self.defaults.get(index as usize).cloned()
    }

    fn frame_kw_default(&mut self, name: Name<'_>) -> Option<Value> {
        self.note(format!("frame keyword default {}", name.text));
        find(&self.kw_defaults, name.text)
    }

    fn attr(&mut self, base: &Value, name: Name<'_>) -> Option<Value> {
        self.note(format!("attr {}", name.text));
        base.own_attr(name.text)
    }

    fn generic_attr(&mut self, base: &Value, name: Name<'_>) -> Option<Value> {
        self.note(format!("generic attr {}", name.text));
        base.own_attr(name.text)
    }

    fn item_int(&mut self, base: &Value, key: i64) -> Option<Value> {
        self.note(format!("item {key}"));
        let Some(items) = base.items() else { return lookup(base, &Constant::Int(key)) };
        let index =
            if key < 0 { usize::try_from(key + i64::try_from(items.len()).ok()?) } else { usize::try_from(key) };
        items.get(index.ok()?).cloned()
    }

    fn item_str(&mut self, base: &Value, key: Name<'_>) -> Option<Value> {
        self.note(format!("item {:?}", key.text));
        lookup(base, &Constant::from(key.text))
    }

    fn item_constant(&mut self, base: &Value, key: &Constant, id: ConstantId) -> Option<Value> {
        self.note(format!("item {key}"));
        assert_eq!(self.constants.get(id.as_u32() as usize), Some(key));
        lookup(base, key)
    }

    fn item_object(&mut self, base: &Value, key: &Value) -> Option<Value> {
        self.note("item by object");
        let same = |known: &Value| {
            known.is(key) || (known.as_constant().is_some() && known.as_constant() == key.as_constant())
        };
        base.pairs()?.iter().find(|(known, _)| same(known)).map(|(_, value)| value.clone())
    }

    fn dict_key(&mut self, base: &Value, index: u32) -> Option<Value> {
        self.note(format!("dict key {index}"));
        base.pairs()?.get(index as usize).map(|(key, _)| key.clone())
    }

    fn dict_value(&mut self, base: &Value, index: u32) -> Option<Value> {
        self.note(format!("dict value {index}"));
        base.pairs()?.get(index as usize).map(|(_, value)| value.clone())
    }

    fn set_item(&mut self, base: &Value, index: u32) -> Option<Value> {
        self.note(format!("set item {index}"));
        base.items().filter(|_| base.is_a("set"))?.get(index as usize).cloned()
    }

    fn tuple_iterator_item(&mut self, base: &Value, index: u32) -> Option<Value> {
        self.note(format!("tuple iterator item {index}"));
        base.items().filter(|_| base.is_a("tuple_iterator"))?.get(index as usize).cloned()
    }

    fn slice(&mut self, base: &Value, bounds: &Constant, _id: ConstantId) -> Option<Value> {
        self.note(format!("{bounds}"));
        let Constant::Slice([start, stop, None]) = bounds else { return None };
        let items = base.items()?;
        let bound = |at: Option<i64>, or: usize| at.map_or(Some(or), |at| usize::try_from(at).ok());
        let part = items.get(bound(*start, 0)?..bound(*stop, items.len())?)?;
        Some(Value::list(part.iter().cloned()))
    }

    fn type_of(&mut self, base: &Value) -> Option<Value> {
        self.note("type");
        Some(Value::by_id(base.ty))
    }

    fn type_dict(&mut self, base: &Value) -> Option<Value> {
        self.note("type dict");
        (base.ty == object("type")).then(|| Value::dict([("forward", Value::known("<function f at 0x7f>"))]))
    }

    fn weak_ref(&mut self, base: &Value) -> Option<Value> {
        self.note("weak reference");
        match &base.data {
            Data::Weak(target) => Some(target.clone().unwrap_or_else(Value::none)),
            _ => None,
        }
    }

    fn closure(&mut self, base: &Value, index: u32) -> Option<Value> {
        self.note(format!("closure {index}"));
        match &base.data {
            Data::Function { closure, .. } => closure.get(index as usize).cloned(),
            _ => None,
        }
    }

    fn function_default(&mut self, base: &Value, index: u32) -> Option<Value> {
        self.note(format!("default {index}"));
        match &base.data {
            Data::Function { defaults, .. } => defaults.get(index as usize).cloned(),
            _ => None,
        }
    }

    fn function_kw_default(&mut self, base: &Value, name: Name<'_>) -> Option<Value> {
        self.note(format!("keyword default {}", name.text));
        match &base.data {
            Data::Function { kw_defaults, .. } => find(kw_defaults, name.text),
            _ => None,
        }
    }

    fn code(&mut self, base: &Value) -> Option<Value> {
        self.note("code");
        match &base.data {
            Data::Function { code, .. } => Some(code.clone()),
            _ => None,
        }
    }

    fn param(&mut self, base: &Value, name: Name<'_>) -> Option<Value> {
        self.member(base, "_parameters", name)
    }

    fn buffer(&mut self, base: &Value, name: Name<'_>) -> Option<Value> {
        self.member(base, "_buffers", name)
    }

    fn submodule(&mut self, base: &Value, name: Name<'_>) -> Option<Value> {
        self.member(base, "_modules", name)
    }

    fn grad(&mut self, base: &Value) -> Option<Value> {
        self.note("grad");
        match &base.data {
            Data::Tensor(_, grad) => Some(grad.clone().unwrap_or_else(Value::none)),
            _ => None,
        }
    }

    fn call0(&mut self, base: &Value, method: Name<'_>) -> Option<Value> {
        self.note(format!("call {}", method.text));
        (method.text == "__len__").then_some(())?;
        self.len(base).and_then(|len| i64::try_from(len).ok()).map(Value::constant)
    }

    fn cached(&mut self, _: &Value, arguments: &Constant, _: ConstantId) -> Option<Value> {
        self.note(format!("call with {arguments}"));
        None
    }

    fn int(&mut self, object: &Value) -> Option<i64> {
        match object.as_constant() {
            Some(Constant::Int(value)) => Some(*value),
            _ => None,
        }
    }

    fn float(&mut self, object: &Value) -> Option<f64> {
        match object.as_constant() {
            Some(Constant::Float(bits)) => Some(f64::from_bits(*bits)),
            _ => None,
        }
    }

    fn tensor_property(&mut self, object: &Value, property: TensorProperty) -> Option<i64> {
        let Data::Tensor(facts, _) = &object.data else { return None };
        match property {
            TensorProperty::Size(dim) => facts.sizes.get(dim as usize).copied(),
            TensorProperty::Stride(dim) => facts.strides.get(dim as usize).copied(),
            TensorProperty::StorageOffset => Some(0),
        }
    }

    fn is_none(&mut self, object: &Value) -> bool {
        object.as_constant() == Some(&Constant::None)
    }

    fn is_bool(&mut self, object: &Value, value: bool) -> bool {
        object.as_constant() == Some(&Constant::Bool(value))
    }

    fn type_is(&mut self, object: &Value, ty: ObjectId) -> bool {
        object.ty == ty
    }

    fn is(&mut self, object: &Value, expected: ObjectId) -> bool {
        object.id == Some(expected)
    }

    fn code_is(&mut self, object: &Value, expected: ObjectId) -> bool {
        matches!(&object.data, Data::Function { code, .. } if code.id == Some(expected))
    }

    fn len(&mut self, object: &Value) -> Option<u64> {
        let len = object.items().map(<[_]>::len).or_else(|| object.pairs().map(<[_]>::len))?;
        (!object.is_a("tuple_iterator")).then_some(len as u64)
    }

    fn tuple_iterator_len(&mut self, object: &Value) -> Option<u64> {
        object.items().filter(|_| object.is_a("tuple_iterator")).map(|items| items.len() as u64)
    }

    fn range_iterator(&mut self, object: &Value) -> Option<[i64; 3]> {
        match object.data {
            Data::Range(range) => Some(range),
            _ => None,
        }
    }

    fn equals(&mut self, object: &Value, value: &Constant, id: ConstantId) -> bool {
        assert_eq!(self.constants.get(id.as_u32() as usize), Some(value));
        object.as_constant() == Some(value)
    }

    fn tensor_matches(&mut self, object: &Value, guard: &TensorGuard, _: TensorGuardId) -> bool {
        matches!(&object.data, Data::Tensor(facts, _) if guard.mismatch(facts).is_none())
    }

    fn dict_contains(&mut self, object: &Value, key: Element) -> Option<bool> {
        Some(object.pairs()?.iter().any(|(known, _)| self.is_element(known, key)))
    }

    fn set_contains(&mut self, object: &Value, item: Element) -> Option<bool> {
        Some(object.items().filter(|_| object.is_a("set"))?.iter().any(|known| self.is_element(known, item)))
    }

    fn in_instance_dict(&mut self, object: &Value, name: Name<'_>) -> Option<bool> {
        object.attrs.as_ref().map(|attrs| attrs.iter().any(|(known, _)| known == name.text))
    }

    fn is_slot_unset(&mut self, object: &Value, name: Name<'_>) -> bool {
        object.attrs.is_some() && object.own_attr(name.text).is_none()
    }

    fn class_attr_is(&mut self, class: &Value, name: Name<'_>, expected: Option<ObjectId>) -> bool {
        let found = class.own_attr(name.text);
        match (found, expected) {
            (Some(found), Some(expected)) => self.is(&found, expected),
            (found, expected) => found.is_none() && expected.is_none(),
        }
    }

    fn class_version(&mut self, class: &Value) -> Option<u32> {
        match class.own_attr("__version__")?.as_constant()? {
            Constant::Int(tag) => u32::try_from(*tag).ok(),
            _ => None,
        }
    }

    fn has_attr(&mut self, object: &Value, name: Name<'_>) -> bool {
        object.own_attr(name.text).is_some()
    }

    fn dict_keys_match(&mut self, object: &Value, keys: &[Element]) -> bool {
        self.keys_match(object, "dict", keys)
    }

    fn dict_entries_match(&mut self, object: &Value, keys: DictKeys<'_>, each: &mut impl FnMut(Value)) -> bool {
        let keys = keys.keys;
        let matches = self.keys_match(object, "dict", keys);
        if matches {
            self.note(format!("{} values", keys.len()));
            object.pairs().into_iter().flatten().for_each(|(_, value)| each(value.clone()));
        }
        matches
    }

    fn mapping_keys_match(&mut self, object: &Value, keys: &[Element]) -> bool {
        self.keys_match(object, "mappingproxy", keys)
    }

    fn has_no_hooks(&mut self, object: &Value) -> bool {
        matches!(object.as_constant(), Some(Constant::Str(text)) if text == "no hooks")
    }

    /// The one check of a user's own: `is_small`.
    fn user(&mut self, object: &Value, check: ObjectId) -> bool {
        check == super::object("is_small") && matches!(object.as_constant(), Some(Constant::Int(..10)))
    }

    fn identity(&mut self, object: &Value) -> u64 {
        object.address()
    }

    fn state_is(&mut self, state: &GlobalState) -> bool {
        self.states.contains(state)
    }

    fn describe(&mut self, object: &Value) -> String {
        object.repr()
    }

    fn describe_type(&mut self, object: &Value) -> String {
        format!("<class '{}'>", type_name(object.ty))
    }

    fn tensor(&mut self, object: &Value) -> Option<TensorFacts> {
        match &object.data {
            Data::Tensor(facts, _) => Some(facts.clone()),
            _ => None,
        }
    }

    fn describe_state(&mut self, expected: &GlobalState) -> String {
        let found = self.states.iter().find(|state| state.row() == expected.row());
        found.map_or_else(|| "unknown".to_owned(), GlobalState::value)
    }
}
