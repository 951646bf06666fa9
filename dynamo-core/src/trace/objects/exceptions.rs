//! Exceptions as objects: how `BaseException` makes them, their arguments, their texts, and what it has of attributes.
//!
//! An exception is an instance with [`Base::Exception`], be its class Python's own or the program's. How it travels
//! to its handler is the business of `interp::exceptions`.
//!
//! Semantics: `Objects/exceptions.c`. Classes that keep more than their arguments are not traced.

use super::{Body, Instance, Tracer};
use crate::{
    bytecode::Version,
    host::{ClassAttr, Obj, View},
    reason::{ClassText, Contents, Kind, Reason, raised},
    trace::{
        Traced,
        core::{
            state::{self, Arguments, Base, Exception, Sort, State},
            value::{Keywords, Value, ValueId},
        },
        python::classes::classes,
        signature::{Row, row},
    },
};
use guards::Constant;
use indexmap::IndexMap;

/// The classes of Python's own that keep more than their arguments: the attributes that hold it, each `None` unless a
/// keyword of the call gives it.
const MEMBERS: [(&str, &[&str]); 2] =
    [("builtins.AttributeError", &["name", "obj"]), ("builtins.NameError", &["name"])];

pub(in crate::trace) const ROWS: &[Row] = &[row("sys.exc_info()", |t, _| {
    let handled = t.exceptions.handled;
    let parts = match handled {
        Some(handled) => {
            let class = t.type_of_object(handled)?.ok_or_else(|| no_information("of an unknown class"))?;
            vec![class, handled, t.value(Value::Traceback)]
        }
        None if t.is_called_outside_handlers() => vec![t.none(); 3],
        None => return Err(no_information("that a caller handles")),
    };
    Ok(t.value(Value::Tuple(parts)))
})];

fn no_information(what: &str) -> Reason {
    Reason::new(Kind::Call, format!("`sys.exc_info` of an exception {what}."))
}

impl Tracer<'_> {
    /// A new exception of one of Python's own classes.
    pub(in crate::trace) fn make_exception(&mut self, name: &str, class: Obj, contents: Exception) -> ValueId {
        let class = self.value(Value::Class(name.to_owned(), class));
        self.push_exception(class, contents)
    }

    fn push_exception(&mut self, class: ValueId, contents: Exception) -> ValueId {
        let instance = state::Instance { class, attrs: IndexMap::new(), base: Some(Base::Exception(contents)) };
        let state = self.heap.push(State::Instance(instance), None);
        self.value(Value::Instance(state))
    }

    /// The contents of an exception that is made with these arguments.
    pub(in crate::trace) fn exception_with(&mut self, args: &[ValueId]) -> Exception {
        let args = Arguments::Known(self.value(Value::Tuple(args.to_vec())));
        Exception { args, ..Exception::default() }
    }

    /// The contents of an exception that the interpreter raises.
    pub(in crate::trace) fn contents_of(&mut self, contents: Option<Contents>) -> Exception {
        match contents {
            None => Exception::default(),
            Some(Contents::Nothing) => self.exception_with(&[]),
            Some(Contents::Argument(argument)) => {
                let argument = self.of_constant(argument);
                self.exception_with(&[argument])
            }
            Some(Contents::Key(key)) => self.exception_with(&[key]),
            Some(Contents::OfClass(text)) => {
                let members = match &text {
                    ClassText::Lack { of, name } => {
                        [("name", self.constant(Constant::Str(name.clone()))), ("obj", *of)].into()
                    }
                    ClassText::Refusal { .. } => IndexMap::new(),
                };
                Exception { args: Arguments::OfClass(text), members }
            }
            Some(Contents::Variable { text, name }) => {
                let text = self.constant(Constant::Str(text));
                let mut contents = self.exception_with(&[text]);
                if let Some(name) = name {
                    contents.members.insert("name", self.constant(Constant::Str(name)));
                }
                contents
            }
        }
    }

    /// `BaseException.__new__(class, *args)`
    pub(super) fn new_exception(&mut self, class: ValueId, args: &[ValueId]) -> Traced {
        let class = self.force(class)?;
        match self.get(class)? {
            // An object with a finalizer has to die where it dies in the program.
            Value::Class(_, obj) if self.host.is_exception(obj) && !self.finalizes(obj) => {
                let contents = self.exception_with(args);
                Ok(self.push_exception(class, contents))
            }
            _ => Err(Reason::new(Kind::Call, format!("Making an exception of {}.", self.describe(class)))),
        }
    }

    /// A call of one of Python's own classes of exceptions; `None` for keywords that it does not take.
    pub(in crate::trace) fn call_exception_class(
        &mut self,
        name: &str,
        class: Obj,
        args: &[ValueId],
        keywords: &Keywords,
    ) -> Option<ValueId> {
        let mut contents = self.exception_with(args);
        contents.members = self.members_given(name, keywords)?;
        Some(self.make_exception(name, class, contents))
    }

    /// The members that keywords of a class's `__init__` give; `None` for others than it takes.
    fn members_given(&self, class: &str, keywords: &Keywords) -> Option<IndexMap<&'static str, ValueId>> {
        let members = MEMBERS.iter().find(|(owner, _)| *owner == class).map_or(&[][..], |(_, members)| members);
        let given = |(name, value): &(String, ValueId)| Some((*members.iter().find(|member| *member == name)?, *value));
        keywords.iter().map(given).collect()
    }

    /// The dotted name and the class of an exception; `None` for anything else.
    pub(in crate::trace) fn exception_class(&self, value: ValueId) -> Option<(&str, Obj)> {
        let class = self.exception_state(value)?.0;
        match &self.objects.values[class] {
            Value::Class(name, class) => Some((name, *class)),
            _ => None,
        }
    }

    /// The class and the contents of an exception that the program has made.
    fn exception_state(&self, value: ValueId) -> Option<(ValueId, &Exception)> {
        let value = self.objects.forced.get(&value).copied().unwrap_or(value);
        let Value::Instance(state) = self.objects.values[value] else { return None };
        match self.heap.get(state) {
            State::Instance(state::Instance { class, base: Some(Base::Exception(contents)), .. }) => {
                Some((*class, contents))
            }
            _ => None,
        }
    }

    /// Changes the contents of an exception that the program has made.
    fn change_exception(&mut self, exception: ValueId, change: impl FnOnce(&mut Exception)) {
        let Value::Instance(state) = self.objects.values[exception] else { return };
        if let State::Instance(state::Instance { base: Some(Base::Exception(contents)), .. }) = self.heap.change(state)
        {
            change(contents);
        }
    }

    /// The arguments of an exception, as a tuple; `None` where the text is the interpreter's and not known.
    fn exception_args(&mut self, value: ValueId) -> Traced<Option<ValueId>> {
        let value = self.force(value)?;
        if let Value::Object(_, obj) = self.objects.values[value] {
            let class = self.host.class_of(obj);
            return if self.host.is_exception(class) {
                self.object_attr(value, obj, "args").map(Some)
            } else {
                Ok(None)
            };
        }
        let text = match self.exception_state(value).map(|(_, contents)| contents.args.clone()) {
            Some(Arguments::Known(args)) => return Ok(Some(args)),
            Some(Arguments::OfClass(ClassText::Lack { of, name })) => self.text_of_lack(of, &name)?,
            Some(Arguments::OfClass(ClassText::Refusal { of, text })) => {
                let class = self.class_as_value(of)?;
                let shown = class.map_or(Ok(None), |class| self.shown_name(class))?;
                shown.map(|shown| text.replace("{}", &shown))
            }
            Some(Arguments::Unknown) | None => None,
        };
        let Some(text) = text else { return Ok(None) };
        let text = self.constant(Constant::Str(text));
        let args = self.value(Value::Tuple(vec![text]));
        self.change_exception(value, |contents| contents.args = Arguments::Known(args));
        Ok(Some(args))
    }

    /// The text of the `AttributeError` of an object without an attribute, which names its class or module; `None` if
    /// that is not known. The name is guarded.
    fn text_of_lack(&mut self, of: ValueId, name: &str) -> Traced<Option<String>> {
        let of = self.force(of)?;
        let (named, is_module) = match self.objects.values[of] {
            // Later versions say more of modules whose files hide others.
            Value::Module(..) if self.host.version() >= Version::V313 => return Ok(None),
            Value::Module(..) => (Some(of), true),
            Value::Class(..) => (Some(of), false),
            _ => (self.class_as_value(of)?, false),
        };
        let Some(named) = named else { return Ok(None) };
        Ok(self.shown_name(named)?.map(|shown| match self.objects.values[of] {
            _ if is_module => format!("module '{shown}' has no attribute '{name}'"),
            Value::Class(..) => format!("type object '{shown}' has no attribute '{name}'"),
            _ => format!("'{shown}' object has no attribute '{name}'"),
        }))
    }

    /// The name of a class or module as texts have it, under a guard; `None` for one that may be cut off there.
    fn shown_name(&mut self, named: ValueId) -> Traced<Option<String>> {
        let shown = match self.objects.values[named] {
            Value::Class(_, class) if self.host.is_immutable(class) => self.host.type_name(class),
            _ => {
                let shown = self.get_attr(named, "__name__")?;
                match self.get(shown)? {
                    Value::Const(Constant::Str(shown)) => Some(shown),
                    _ => None,
                }
            }
        };
        Ok(shown.filter(|shown| shown.len() <= 50))
    }

    /// The class of a value, as a value; `None` if it is not known, or can be reached in no way.
    fn class_as_value(&mut self, value: ValueId) -> Traced<Option<ValueId>> {
        if let Some(class) = self.type_of_object(value)? {
            return self.force(class).map(Some);
        }
        let Some([own, ..]) = classes(self, value)? else { return Ok(None) };
        let class = self.host.class_named(own);
        Ok(class.map(|class| self.value(Value::Class((*own).to_owned(), class))))
    }

    /// A method of `BaseException`, or of a class of Python's own that comes from it; `None` for any other function.
    pub(in crate::trace) fn call_on_exception(
        &mut self,
        function: &str,
        args: &[ValueId],
        keywords: &Keywords,
    ) -> Traced<Option<ValueId>> {
        let Some((owner, method)) = function.rsplit_once('.').filter(|(owner, _)| owner.starts_with("builtins."))
        else {
            return Ok(None);
        };
        let class = self.host.class_named(owner).filter(|&class| self.host.is_exception(class));
        let (Some(class), Some((&this, rest))) = (class, args.split_first()) else { return Ok(None) };
        if method == "__new__" {
            return self.new_exception(this, rest).map(Some);
        }
        let this = self.force(this)?;
        let of_class = self.exception_class(this).map(|(_, own)| own);
        let of_class = match self.objects.values[this] {
            Value::Object(_, obj) if matches!(method, "__str__" | "__repr__") => Some(self.host.class_of(obj)),
            _ => of_class,
        };
        if of_class.and_then(|own| self.host.is_subclass(own, class)) != Some(true) {
            return Ok(None);
        }
        if method == "__init__" {
            let Some(members) = self.members_given(owner, keywords) else { return Ok(None) };
            let args = self.exception_with(rest).args;
            self.change_exception(this, |contents| *contents = Exception { args, members });
            return Ok(Some(self.none()));
        }
        if !keywords.is_empty() {
            return Ok(None);
        }
        Ok(match (method, rest) {
            ("add_note", &[note]) => Some(self.add_note(this, note)?),
            ("__str__", []) => self.exception_str(this, owner == "builtins.KeyError")?,
            ("__repr__", []) => self.exception_repr(this)?,
            // Of its traceback nothing is said.
            ("with_traceback", &[traceback]) => match self.get(traceback)? {
                Value::Const(Constant::None) => Some(this),
                _ => None,
            },
            ("__getattribute__" | "__setattr__" | "__delattr__", _) => {
                Some(self.call_builtin(&format!("builtins.object.{method}"), args, vec![])?)
            }
            _ => None,
        })
    }

    /// A method that a class of exceptions has from one of Python's own, read through the class; `None` for what it has
    /// otherwise.
    pub(super) fn exception_method(&mut self, class: ValueId, obj: Obj, name: &str) -> Option<ValueId> {
        let source = self.source(class);
        if !self.host.is_exception(obj) || source.is_none() && !self.host.is_immutable(obj) {
            return None;
        }
        match self.class_method(obj, name, source)? {
            ClassAttr::Builtin(method, _) => Some(self.value(Value::Builtin(method))),
            _ => None,
        }
    }

    /// `BaseException.__str__`, or that of `KeyError`, which shows an only argument by its `repr`.
    fn exception_str(&mut self, exception: ValueId, of_keys: bool) -> Traced<Option<ValueId>> {
        let Some(all) = self.exception_args(exception)? else { return Ok(None) };
        let Value::Tuple(args) = self.get(all)? else { return Ok(None) };
        let (function, shown) = match args[..] {
            [] => return Ok(Some(self.constant(Constant::Str(String::new())))),
            [only] if of_keys => ("builtins.repr", only),
            [only] => ("builtins.str", only),
            _ => ("builtins.repr", all),
        };
        self.call_builtin(function, &[shown], vec![]).map(Some)
    }

    /// `BaseException.__repr__`
    fn exception_repr(&mut self, exception: ValueId) -> Traced<Option<ValueId>> {
        let Some(all) = self.exception_args(exception)? else { return Ok(None) };
        let Value::Tuple(args) = self.get(all)? else { return Ok(None) };
        let Some(class) = self.type_of_object(exception)? else { return Ok(None) };
        let name = self.get_attr(class, "__name__")?;
        let shown = if let [only] = args[..] { self.repr(only)? } else { self.repr(all)? };
        Ok(match (self.get(name)?, shown) {
            (Value::Const(Constant::Str(name)), Some(shown)) => {
                let shown = if args.len() == 1 { format!("({shown})") } else { shown };
                Some(self.constant(Constant::Str(format!("{name}{shown}"))))
            }
            _ => None,
        })
    }

    /// The data attribute that a class of Python's own gives an exception under a name; `None` for another name, or
    /// where the program's class has its own.
    pub(super) fn exception_get(&mut self, instance: Instance, name: &str) -> Traced<Option<ValueId>> {
        if !self.is_of_exceptions(instance, name)? {
            return Ok(None);
        }
        let this = instance.this;
        let found = match name {
            "args" => self.exception_args(this)?,
            "__cause__" | "__context__" | "__suppress_context__" => self.chain_attr(this, name)?,
            "value" if matches!(self.exception_class(this), Some(("builtins.StopIteration", _))) => {
                match self.exception_args(this)?.map(|args| self.get(args)).transpose()? {
                    Some(Value::Tuple(args)) => Some(args.first().copied().unwrap_or_else(|| self.none())),
                    _ => None,
                }
            }
            _ => self.exception_member(instance, name),
        };
        found.ok_or_else(|| self.no_attr(this, name)).map(Some)
    }

    /// A member of the struct of an exception's class; `None` for other attributes, and where it is not known.
    fn exception_member(&mut self, instance: Instance, name: &str) -> Option<ValueId> {
        let mut rows = MEMBERS.iter().filter(|(_, members)| members.contains(&name));
        let (owner, _) = rows.find(|(owner, _)| self.comes_from_builtin(instance.class, owner))?;
        let (_, contents) = self.exception_state(instance.this)?;
        match contents.members.get(name) {
            Some(&value) => Some(value),
            // A read of an attribute that ends in an exception of the program's fills both in.
            None if *owner == "builtins.AttributeError" && self.exceptions.raised.contains(&instance.this) => None,
            None => Some(self.none()),
        }
    }

    /// `exception.add_note(note)`
    fn add_note(&mut self, exception: ValueId, note: ValueId) -> Traced {
        const NOTES: &str = "__notes__";
        let refused = |t: &mut Self| Reason::new(Kind::Call, format!("`add_note` of {}.", t.describe(exception)));
        let instance = self.instance_of(exception, "add_note")?;
        let is_known = self.class_attr(instance, NOTES)?.is_none() && !self.has_fallback(instance);
        if !is_known
            || !matches!(instance.body, Body::Made(_))
            || !matches!(self.get(note)?, Value::Const(Constant::Str(_)))
        {
            return Err(refused(self));
        }
        let notes = match self.own_attr_of(instance, NOTES)? {
            Some(notes) => notes,
            None => {
                let notes = self.state(State::List(Vec::new()));
                self.write_own(instance, NOTES, notes)?;
                notes
            }
        };
        match self.get(notes)? {
            Value::State(state) if self.heap.sort(state) == Sort::List => {
                if let State::List(notes) = self.heap.change(state) {
                    notes.push(note);
                }
                Ok(self.none())
            }
            _ => Err(refused(self)),
        }
    }

    /// Writes a data attribute that a class of Python's own gives exceptions; false if it gives none of this name.
    pub(super) fn exception_set(&mut self, instance: Instance, name: &str, new: ValueId) -> Traced<bool> {
        if !self.is_of_exceptions(instance, name)? {
            return Ok(false);
        }
        // `StopIteration` keeps a value besides.
        let keeps_more = self.comes_from_builtin(instance.class, "builtins.StopIteration");
        match self.get(new)? {
            Value::Tuple(_) if name == "args" && !keeps_more => {
                let new = self.force(new)?;
                self.change_exception(instance.this, |contents| contents.args = Arguments::Known(new));
                Ok(true)
            }
            _ => Err(self.no_change(instance.this)),
        }
    }

    /// True for the name of a data attribute that a class of Python's own gives an exception that the program has
    /// made. That no class of the program's has put another in its place is guarded.
    pub(super) fn is_of_exceptions(&mut self, instance: Instance, name: &str) -> Traced<bool> {
        if !matches!(instance.body, Body::Made(_)) || self.exception_class(instance.this).is_none() {
            return Ok(false);
        }
        let Some((at, found)) = self.host.class_attr(instance.class, name, None) else { return Ok(false) };
        let is_data = matches!(found, ClassAttr::Member | ClassAttr::Descriptor { .. });
        if !is_data || !self.host.mro(instance.class).get(at).is_some_and(|&owner| self.host.is_immutable(owner)) {
            return Ok(false);
        }
        if let Some(source) = self.class_source(instance)? {
            self.class_entry(source, instance.class, name, None);
        }
        Ok(true)
    }

    /// True for a class that comes from one of Python's own, by that one's dotted name.
    pub(in crate::trace) fn comes_from_builtin(&mut self, class: Obj, name: &str) -> bool {
        let base = self.host.class_named(name);
        base.is_some_and(|base| self.host.is_subclass(class, base) == Some(true))
    }

    /// The class of Python's own that a class of exceptions comes from, by its dotted name.
    pub(in crate::trace) fn exception_base(&mut self, class: Obj) -> Traced<String> {
        let order = self.host.mro(class);
        let base = order.into_iter().find(|&base| self.host.is_immutable(base)).map(|base| self.host.view(base));
        match base {
            Some(View::Class(name)) => Ok(name),
            _ => Err(raised("SystemError: an exception without a base")),
        }
    }
}
