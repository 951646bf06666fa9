//! Types that are made of types, as annotations are: `list[int]`, `Callable[[T], T]`, `Tensor | None`.
//!
//! Most of them are never looked at. They are evaluated where code needs them, and so only such are traced as are
//! certain to be evaluated without an exception and without code of the program's.

use crate::{
    host::{ClassAttr, Obj},
    reason::{Kind, Reason},
    trace::{
        Traced, Tracer,
        core::{
            state::State,
            value::{Keywords, TypeOperator, Value, ValueId},
        },
    },
};
use guards::Constant;

/// Generic classes of Python's own, by their dotted names.
const GENERIC: &[&str] = &[
    "builtins.dict",
    "builtins.frozenset",
    "builtins.list",
    "builtins.set",
    "builtins.tuple",
    "builtins.type",
    "collections.Counter",
    "collections.OrderedDict",
    "collections.abc.Callable",
    "collections.abc.Collection",
    "collections.abc.Generator",
    "collections.abc.Hashable",
    "collections.abc.ItemsView",
    "collections.abc.Iterable",
    "collections.abc.Iterator",
    "collections.abc.KeysView",
    "collections.abc.Mapping",
    "collections.abc.MutableMapping",
    "collections.abc.MutableSequence",
    "collections.abc.MutableSet",
    "collections.abc.Sequence",
    "collections.abc.Set",
    "collections.abc.ValuesView",
    "collections.defaultdict",
    "collections.deque",
];

/// The classes of what `typing` gives to be subscripted.
const FORMS: [&str; 4] =
    ["typing._SpecialGenericAlias", "typing._CallableType", "typing._TupleType", "typing._SpecialForm"];

/// The classes of what else may stand in a type.
const PARTS: [&str; 8] = [
    "typing._GenericAlias",
    "typing._UnionGenericAlias",
    "typing._CallableGenericAlias",
    "types.GenericAlias",
    "types.UnionType",
    // The same class by its name in 3.14.
    "typing.Union",
    "typing.TypeVar",
    "typing._AnyMeta",
];

impl Tracer<'_> {
    /// True for a generic class of Python's own, and for what `typing` has instead.
    pub(in crate::trace) fn is_generic(&mut self, value: ValueId) -> Traced<bool> {
        Ok(match self.get(value)? {
            Value::Class(name, _) => GENERIC.contains(&name.as_str()),
            Value::Object(class, _) => FORMS.contains(&class.as_str()),
            _ => false,
        })
    }

    /// `generic[of]`; `None` where it is not certain what that does.
    pub(in crate::trace) fn subscripted_type(&mut self, generic: ValueId, of: ValueId) -> Traced<Option<ValueId>> {
        let parts = match self.get(of)? {
            Value::Tuple(parts) => parts,
            _ => vec![of],
        };
        let takes_any = matches!(self.get(generic)?, Value::Class(name, _) if name != "collections.abc.Callable");
        let fits = if takes_any { self.are_any(&parts)? } else { self.is_well_formed(generic, &parts)? };
        Ok(fits.then(|| self.value(Value::TypeExpr(TypeOperator::Subscript, generic, of))))
    }

    /// `class[of]` of a class of the program's: a type expression, if it comes from `typing.Generic`, or what its own
    /// `__class_getitem__` gives; `None` where it is not certain what that does.
    pub(in crate::trace) fn subscripted_class(
        &mut self,
        class: ValueId,
        obj: Obj,
        of: ValueId,
    ) -> Traced<Option<ValueId>> {
        const METHOD: &str = "__class_getitem__";
        let meta = self.host.class_of(obj);
        let found = self.host.class_attr(obj, METHOD, None).map(|(_, found)| found);
        // The metaclass's own way comes first.
        if !matches!(found, Some(ClassAttr::ClassMethod(_))) || self.host.class_has(meta, "__getitem__") {
            return Ok(None);
        }
        let generic = self.host.class_named("typing.Generic");
        let of_generic = generic.and_then(|generic| self.host.class_attr(generic, METHOD, None));
        let method = self.get_attr(class, METHOD)?;
        if of_generic.map(|(_, found)| found) != found {
            return self.call(method, vec![of], vec![]).map(Some);
        }
        self.force(method)?;
        let parts = match self.get(of)? {
            Value::Tuple(parts) => parts,
            _ => vec![of],
        };
        let parameters = self.get_attr(class, "__parameters__")?;
        let Value::Tuple(parameters) = self.get(parameters)? else { return Ok(None) };
        for &parameter in &parameters {
            if !matches!(self.get(parameter)?, Value::Object(class, _) if class == "typing.TypeVar") {
                return Ok(None);
            }
        }
        let fits = parts.len() == parameters.len() && self.are_parts(&parts)?;
        Ok(fits.then(|| self.value(Value::TypeExpr(TypeOperator::Subscript, class, of))))
    }

    /// A call of `class[of]` of a class of the program's: of the class, whose object is told by its attribute
    /// `__orig_class__`, if it has a place for that.
    pub(in crate::trace) fn call_alias(
        &mut self,
        alias: ValueId,
        class: ValueId,
        args: Vec<ValueId>,
        keywords: Keywords,
    ) -> Traced {
        let made = match self.get(class)? {
            Value::Class(_, obj) if !self.host.is_immutable(obj) => self.call(class, args, keywords)?,
            _ => return Err(Reason::new(Kind::Call, format!("{}.", self.describe(alias)))),
        };
        self.tell_alias(made, alias)?;
        Ok(made)
    }

    /// True for what the classes of Python's own take, which look at nothing.
    fn are_any(&mut self, parts: &[ValueId]) -> Traced<bool> {
        for &part in parts {
            if !matches!(self.get(part)?, Value::Const(_)) && !self.is_part(part)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// `a | b` of types; `None` where it is something else.
    pub(in crate::trace) fn union_type(&mut self, a: ValueId, b: ValueId) -> Traced<Option<ValueId>> {
        let is_type = self.is_united(a)? || self.is_united(b)?;
        let fits = is_type && self.is_united_or_none(a)? && self.is_united_or_none(b)?;
        Ok(fits.then(|| self.value(Value::TypeExpr(TypeOperator::Union, a, b))))
    }

    /// The types of a union that `isinstance` is asked about; `None` for anything else.
    pub(in crate::trace) fn members_of_union(&mut self, value: ValueId) -> Traced<Option<[ValueId; 2]>> {
        Ok(match self.get(value)? {
            Value::TypeExpr(TypeOperator::Union, a, b) => Some([a, b]),
            _ => None,
        })
    }

    /// Whether what `typing` gives takes these arguments, so many and of such kinds.
    fn is_well_formed(&mut self, form: ValueId, parts: &[ValueId]) -> Traced<bool> {
        let Some(name) = self.form_name(form)? else { return Ok(false) };
        Ok(match (name.as_str(), parts) {
            ("Callable", [arguments, _]) => match self.get(*arguments)? {
                Value::Const(Constant::Ellipsis) => true,
                Value::State(state) => match self.heap.get(state).clone() {
                    State::List(items) => self.are_parts(&items)?,
                    _ => false,
                },
                _ => false,
            },
            ("Callable", _) => false,
            (
                "Optional" | "List" | "Set" | "FrozenSet" | "Type" | "Iterable" | "Iterator" | "Sequence" | "Deque",
                [_],
            )
            | ("Collection" | "MutableSequence" | "AbstractSet" | "Counter", [_])
            | ("Dict" | "Mapping" | "MutableMapping" | "DefaultDict" | "OrderedDict", [_, _])
            | ("Generator", [_, _, _]) => self.are_parts(parts)?,
            ("Tuple", [part, more]) if matches!(self.get(*more)?, Value::Const(Constant::Ellipsis)) => {
                self.is_part(*part)?
            }
            ("Union" | "Tuple", [_, ..]) => self.are_parts(parts)?,
            _ => false,
        })
    }

    fn form_name(&mut self, form: ValueId) -> Traced<Option<String>> {
        if let Value::Class(name, _) = self.get(form)? {
            return Ok(name.rsplit('.').next().map(str::to_owned));
        }
        let Value::Object(_, obj) = self.get(form)? else { return Ok(None) };
        let known = [
            "Callable",
            "Optional",
            "List",
            "Set",
            "FrozenSet",
            "Type",
            "Iterable",
            "Iterator",
            "Sequence",
            "Deque",
            "Collection",
            "MutableSequence",
            "AbstractSet",
            "Counter",
            "Dict",
            "Mapping",
            "MutableMapping",
            "DefaultDict",
            "OrderedDict",
            "Generator",
            "Union",
            "Tuple",
        ];
        let found = known.iter().find(|name| self.host.class_named(&format!("typing.{name}")) == Some(obj));
        let Some(found) = found else { return Ok(None) };
        let forced = self.force(form)?;
        if let Some(source) = self.source(forced) {
            let kind = guards::GuardKind::IdMatch(self.object(obj));
            self.guard(source, kind);
        }
        Ok(Some((*found).to_owned()))
    }

    fn are_parts(&mut self, parts: &[ValueId]) -> Traced<bool> {
        for &part in parts {
            if !self.is_part(part)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// True for what may stand within a type.
    fn is_part(&mut self, value: ValueId) -> Traced<bool> {
        Ok(match self.get(value)? {
            Value::Class(..) | Value::TypeExpr(..) => true,
            Value::Const(Constant::Str(text)) => is_dotted_name(&text),
            Value::Const(constant) => constant == Constant::None,
            Value::Object(class, _) => PARTS.contains(&class.as_str()),
            _ => false,
        })
    }

    fn is_united(&mut self, value: ValueId) -> Traced<bool> {
        Ok(match self.get(value)? {
            Value::TypeExpr(..) => true,
            Value::Class(_, obj) => {
                let meta = self.host.class_of(obj);
                let method = self.host.class_attr(meta, "__or__", None);
                matches!(method, Some((_, ClassAttr::Builtin(name, _))) if name == "builtins.type.__or__")
            }
            _ => false,
        })
    }

    fn is_united_or_none(&mut self, value: ValueId) -> Traced<bool> {
        Ok(matches!(self.get(value)?, Value::Const(Constant::None)) || self.is_united(value)?)
    }
}

/// True for a name that `typing` takes for a reference to a class: it is compiled where the type is evaluated.
fn is_dotted_name(text: &str) -> bool {
    const KEYWORDS: &str = "and as assert async await break class continue def del elif else except finally for from \
        global if import in is lambda nonlocal not or pass raise return try while with yield";
    text.split('.').all(|part| {
        let mut characters = part.chars();
        let begins = characters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_');
        let goes_on = characters.all(|next| next.is_ascii_alphanumeric() || next == '_');
        begins && goes_on && !KEYWORDS.split_whitespace().any(|keyword| keyword == part)
    })
}
