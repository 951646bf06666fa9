//! Tuples whose items have names: the user's named tuples and the results of torch's functions.

use crate::{
    bytecode::Version,
    host::{ClassAttr, FoldError, Obj, RecordClass, View},
    reason::{Kind, Reason, raised},
    trace::{
        Traced, Tracer,
        core::{
            object_table::MadeClass,
            state::State,
            value::{Keywords, Value, ValueId},
        },
        signature::{Bound, Row, row},
    },
};
use guards::{Constant, GuardKind, SourceId, Step};
use indexmap::IndexMap;
use std::rc::Rc;

/// The function that makes classes of named tuples.
const NAMED_TUPLE: &str = "collections.namedtuple";

/// The maker of classes, and methods of the classes that `collections.namedtuple` makes.
pub(in crate::trace) const ROWS: &[Row] = &[
    row("collections.namedtuple(typename, field_names, *, rename=False, defaults=None, module=None)", make_class),
    row("namedtuple._replace(self, /, **kwds)", |t, b| {
        let (obj, class, mut items) = this(t, b)?;
        for (name, value) in b.extra() {
            match class.fields.iter().position(|field| field == name) {
                Some(at) => items[at] = *value,
                None => {
                    let class = if t.host.version() < Version::V313 { "ValueError" } else { "TypeError" };
                    return Err(Reason::raised(&format!("{class}: Got unexpected field names: ['{name}']")));
                }
            }
        }
        Ok(t.value(Value::Record(obj, class, items)))
    }),
    row("namedtuple._asdict(self)", |t, b| {
        let (_, class, items) = this(t, b)?;
        let mut entries = IndexMap::new();
        for (field, item) in class.fields.iter().zip(items) {
            let name = t.constant(Constant::Str(field.clone()));
            entries.insert(t.key(name)?, (name, item));
        }
        Ok(t.state(State::Dict(entries)))
    }),
    row("namedtuple._make(self, iterable)", |t, b| {
        let Value::Class(_, obj) = t.get(b.arg(0)?)? else { return Err(raised("TypeError: _make")) };
        let class = t.record_class(obj).ok_or_else(|| raised("TypeError: _make"))?;
        let items = t.listed_items(b.arg(1)?)?;
        if items.len() != class.fields.len() {
            return Err(raised(&format!("TypeError: Expected {} arguments", class.fields.len())));
        }
        Ok(t.value(Value::Record(obj, class, items)))
    }),
];

/// A call of `collections.namedtuple`, which makes a class of its own each time.
fn make_class(t: &mut Tracer<'_>, b: &Bound<'_>) -> Traced {
    let mut given = |value| {
        let constant = t.whole_constant(value)?;
        constant.ok_or_else(|| Reason::new(Kind::Call, format!("`{NAMED_TUPLE}` of what is no constant.")))
    };
    let args = vec![given(b.arg(0)?)?, given(b.arg(1)?)?];
    let mut keywords = Vec::new();
    for (place, name) in [(2, "rename"), (3, "defaults"), (4, "module")] {
        if let Some(value) = b.opt(place) {
            keywords.push((name.to_owned(), given(value)?));
        }
    }
    if keywords.iter().all(|(name, module)| name != "module" || *module == Constant::None) {
        keywords.retain(|(name, _)| name != "module");
        keywords.push(("module".to_owned(), callers_module(t)?));
    }
    let made = t.host.named_tuple(&args, &keywords);
    let obj = made.map_err(|error| match error {
        FoldError::Raised(error) => raised(&error),
        FoldError::NotConstant => Reason::new(Kind::Call, format!("`{NAMED_TUPLE}`.")),
    })?;
    let View::Class(name) = t.host.view(obj) else { return Err(raised("TypeError: a class is expected")) };
    let class = t.value(Value::Class(name, obj));
    t.objects.known.insert(obj, class);
    t.objects.made_classes.insert(obj, MadeClass { class, function: NAMED_TUPLE, args, keywords });
    Ok(class)
}

/// The module that a class gets whose maker says of none: the caller's. From 3.12 on, the function says it, whatever
/// its global variables do.
fn callers_module(t: &mut Tracer<'_>) -> Traced<Constant> {
    let unknown = || Reason::new(Kind::Call, format!("`{NAMED_TUPLE}` in a module that is not known."));
    let globals = t.call_stack.globals.last().copied().filter(|_| t.host.version() < Version::V312);
    let name = t.load_global(globals.ok_or_else(unknown)?, "__name__")?;
    match t.get(name)? {
        Value::Const(name @ Constant::Str(_)) => Ok(name),
        _ => Err(unknown()),
    }
}

/// The named tuple whose method is called: its class, and its items.
fn this(t: &mut Tracer<'_>, b: &Bound<'_>) -> Traced<(Obj, Rc<RecordClass>, Vec<ValueId>)> {
    let this = b.arg(0)?;
    match t.get(this)? {
        Value::Record(obj, class, items) => Ok((obj, class, items)),
        _ => Err(Reason::new(Kind::Call, format!("`{}` of {}.", b.name(), t.describe(this)))),
    }
}

impl Tracer<'_> {
    /// The fields of a class of named tuples, under a guard that it stays as it is; `None` for any other class.
    pub(in crate::trace) fn record_class(&mut self, class: Obj) -> Option<Rc<RecordClass>> {
        let record = self.host.record_class(class)?;
        if let Some(source) = self.objects.known.get(&class).and_then(|&known| self.source(known)) {
            self.guard_record_class(class, source);
        }
        Some(record)
    }

    /// Guards that a class of named tuples does not change, whose objects are taken for tuples with names.
    pub(in crate::trace) fn guard_record_class(&mut self, class: Obj, source: SourceId) {
        if !self.host.is_immutable(class) {
            let version = self.host.class_version(class);
            self.guard(source, GuardKind::ClassVersion(version));
        }
    }

    /// A call of the class of a named tuple.
    pub(in crate::trace) fn make_record(
        &mut self,
        obj: Obj,
        class: Rc<RecordClass>,
        args: &[ValueId],
        keywords: Keywords,
    ) -> Traced {
        let mut items: Vec<Option<ValueId>> = args.iter().copied().map(Some).collect();
        if items.len() > class.fields.len() {
            return Err(raised(&format!("TypeError: {} takes fewer arguments", class.name)));
        }
        items.resize(class.fields.len(), None);
        for (name, value) in keywords {
            match class.fields.iter().position(|field| *field == name) {
                Some(at) if items[at].is_none() => items[at] = Some(value),
                _ => return Err(raised(&format!("TypeError: {} got an unexpected argument `{name}`", class.name))),
            }
        }
        let first = class.fields.len().saturating_sub(class.defaults.len());
        for (item, &default) in items[first..].iter_mut().zip(&class.defaults) {
            if item.is_none() {
                *item = Some(self.value(Value::Lazy(default)));
            }
        }
        let items: Option<Vec<ValueId>> = items.into_iter().collect();
        let items = items.ok_or_else(|| raised(&format!("TypeError: {} misses an argument", class.name)))?;
        Ok(self.value(Value::Record(obj, class, items)))
    }

    /// An attribute that the class of a named tuple gives, which the program has written.
    pub(in crate::trace) fn record_method(&mut self, record: ValueId, class: Obj, name: &str) -> Traced {
        let found = self.host.class_attr(class, name, None).map(|(_, found)| found);
        let owner = self.class_of_record(record, class)?;
        let source = owner.and_then(|owner| self.source(owner)).map(|source| self.sources.attr(source, name));
        let (Some(found), Some(owner), Some(source)) = (found, owner, source) else {
            return Err(self.no_attr(record, name));
        };
        match found {
            ClassAttr::Function(function) => {
                let function = self.lazy(function, source);
                Ok(self.value(Value::Method { function, this: record }))
            }
            ClassAttr::Property([Some(getter), ..]) => {
                let source = self.sources.attr(source, "fget");
                let getter = self.lazy(getter, source);
                self.call(getter, vec![record], vec![])
            }
            ClassAttr::StaticMethod(_) | ClassAttr::ClassMethod(_) | ClassAttr::Plain(_) => self.get_attr(owner, name),
            _ => Err(self.no_attr(record, name)),
        }
    }

    /// The class of a named tuple, where it is reached in some way.
    fn class_of_record(&mut self, record: ValueId, class: Obj) -> Traced<Option<ValueId>> {
        if let Some(&known) = self.objects.known.get(&class) {
            return Ok(Some(known));
        }
        let Some(source) = self.source(record) else { return Ok(None) };
        let source = self.sources.step(source, Step::Type);
        let class = self.lazy(class, source);
        self.force(class).map(Some)
    }

    /// The result of a call of torch that gives a tuple: one with names, if torch's has them.
    pub(in crate::trace) fn result_tuple(&mut self, target: &str, items: Vec<ValueId>) -> Value {
        let class = self.host.result_class(target).and_then(|obj| Some((obj, self.host.record_class(obj)?)));
        match class {
            Some((obj, class)) if class.fields.len() == items.len() => Value::Record(obj, class, items),
            _ => Value::Tuple(items),
        }
    }
}
