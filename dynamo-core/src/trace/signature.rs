//! Signatures of functions, classes and methods without bytecode, and how calls bind their arguments.
//!
//! A [`Row`] is the text of a signature, as `inspect.signature` prints it, and the rule that computes a call. Before
//! the parameters stand the dotted names by which it is found, separated by spaces:
//!
//! ```text
//! row("itertools.combinations(iterable, r)", combinations)
//! row("_functools.reduce functools.reduce(function, iterable, initial=..., /)", reduce)
//! row("list.pop(self, index=-1, /)", pop)
//! ```
//!
//! The default `...` is that of a parameter without a default value, whose argument may be absent all the same. A row
//! whose first parameter is `self` is a method, found by its class and its name.
//!
//! Invariants:
//! - a call whose arguments do not fit ends the graph, and no traced handler sees an exception: CPython then raises its
//!   own;
//! - an argument that is given and that the rule does not read ends the graph.

use crate::{
    reason::{Kind, Reason, raised},
    trace::{
        Traced, Tracer,
        core::value::{Keywords, ValueId},
    },
};
use std::cell::Cell;

/// Computes a call.
pub(in crate::trace) type Rule = fn(&mut Tracer<'_>, &Bound<'_>) -> Traced;

/// A signature and its rule.
pub(in crate::trace) struct Row {
    /// The names, and the parameters in parentheses.
    pub(in crate::trace) text: &'static str,
    /// The rule that computes a call.
    pub(in crate::trace) rule: Rule,
}

/// A row of a table.
pub(in crate::trace) const fn row(text: &'static str, rule: Rule) -> Row {
    Row { text, rule }
}

/// The ways in which an argument is passed to a parameter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Passing {
    PositionalOnly,
    PositionalOrKeyword,
    KeywordOnly,
}

/// A parameter that takes one argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Param {
    name: &'static str,
    passing: Passing,
    is_required: bool,
}

/// The parameters of a function, and the rule that computes its calls.
pub(in crate::trace) struct Signature {
    /// The dotted names by which it is found.
    pub(in crate::trace) names: Vec<&'static str>,
    /// The parameters that take one argument: positional ones first.
    params: Vec<Param>,
    /// The number of parameters that can be filled by position.
    positional: usize,
    /// Whether there is `*args`.
    has_rest: bool,
    /// Whether there is `**kwargs`.
    has_extra: bool,
    rule: Rule,
}

/// The arguments of one call, bound to parameters. It records what the rule reads.
pub(in crate::trace) struct Bound<'a> {
    signature: &'static Signature,
    /// As the caller passes them.
    args: &'a [ValueId],
    keywords: &'a Keywords,
    /// By parameter.
    slots: Vec<Option<ValueId>>,
    rest: &'a [ValueId],
    extra: Keywords,
    /// A bit for each parameter that was read, and those of `*args` and `**kwargs`.
    read: Cell<u64>,
}

/// The bit of `*args` in [`Bound::read`].
const REST: u32 = 62;
/// The bit of `**kwargs`.
const EXTRA: u32 = 63;

impl Signature {
    /// Reads a row.
    pub(in crate::trace) fn parse(row: &Row) -> Signature {
        let (names, params) = row.text.split_once('(').unwrap_or((row.text, ")"));
        let mut signature = Signature {
            names: names.split_whitespace().collect(),
            params: Vec::new(),
            positional: 0,
            has_rest: false,
            has_extra: false,
            rule: row.rule,
        };
        let mut passing = Passing::PositionalOrKeyword;
        for param in fields(params.strip_suffix(')').unwrap_or(params)) {
            match param {
                "/" => signature.params.iter_mut().for_each(|before| before.passing = Passing::PositionalOnly),
                "*" => passing = Passing::KeywordOnly,
                _ if param.starts_with("**") => signature.has_extra = true,
                _ if param.starts_with('*') => {
                    signature.has_rest = true;
                    passing = Passing::KeywordOnly;
                }
                _ => {
                    let name = param.split('=').next().unwrap_or(param);
                    signature.params.push(Param { name, passing, is_required: name == param });
                }
            }
        }
        signature.positional = signature.params.iter().filter(|param| param.passing != Passing::KeywordOnly).count();
        signature
    }

    /// The dotted name.
    fn name(&self) -> &'static str {
        self.names.first().copied().unwrap_or_default()
    }

    pub(in crate::trace) fn is_method(&self) -> bool {
        self.params.first().is_some_and(|param| param.name == "self")
    }

    /// Computes a call.
    pub(in crate::trace) fn call(&'static self, t: &mut Tracer<'_>, args: &[ValueId], keywords: &Keywords) -> Traced {
        let bound = self.bind(args, keywords)?;
        match ((self.rule)(t, &bound), bound.unread()) {
            (result, None) => result,
            (Ok(_), Some(param)) => Err(Reason::new(Kind::Call, format!("`{}` with `{param}`.", self.name()))),
            // The argument may make it another exception.
            (Err(reason), Some(_)) => Err(t.uncaught(reason)),
        }
    }

    /// Binds arguments to parameters as CPython does.
    fn bind<'a>(&'static self, args: &'a [ValueId], keywords: &'a Keywords) -> Traced<Bound<'a>> {
        let refused = |what: &str| raised(&format!("TypeError: {}() {what}", self.name()));
        let (by_position, rest) = args.split_at(args.len().min(self.positional));
        if !rest.is_empty() && !self.has_rest {
            return Err(refused("takes fewer positional arguments"));
        }
        let mut slots = vec![None; self.params.len()];
        for (slot, &arg) in slots.iter_mut().zip(by_position) {
            *slot = Some(arg);
        }
        let mut extra = Keywords::new();
        for (name, value) in keywords {
            let named = |param: &Param| param.passing != Passing::PositionalOnly && param.name == name;
            match self.params.iter().position(named) {
                Some(at) if slots[at].is_none() => slots[at] = Some(*value),
                Some(_) => return Err(refused(&format!("got multiple values for `{name}`"))),
                None if self.has_extra => extra.push((name.clone(), *value)),
                None => return Err(refused(&format!("got an unexpected keyword argument `{name}`"))),
            }
        }
        if let Some((param, _)) =
            self.params.iter().zip(&slots).find(|(param, slot)| param.is_required && slot.is_none())
        {
            return Err(refused(&format!("misses the argument `{}`", param.name)));
        }
        Ok(Bound { signature: self, args, keywords, slots, rest, extra, read: Cell::new(0) })
    }
}

impl<'a> Bound<'a> {
    /// The dotted name of what is called.
    pub(in crate::trace) fn name(&self) -> &'static str {
        self.signature.name()
    }

    /// The name without its owner.
    pub(in crate::trace) fn own_name(&self) -> &'static str {
        self.name().rsplit_once('.').map_or(self.name(), |(_, name)| name)
    }

    /// The argument of a parameter that has no default.
    pub(in crate::trace) fn arg(&self, place: usize) -> Traced {
        self.opt(place).ok_or_else(|| raised(&format!("TypeError: {}() misses an argument", self.name())))
    }

    /// The argument of a parameter, if it is given.
    pub(in crate::trace) fn opt(&self, place: usize) -> Option<ValueId> {
        self.mark(place as u32);
        self.slots.get(place).copied().flatten()
    }

    /// The arguments that `*args` takes.
    pub(in crate::trace) fn rest(&self) -> &'a [ValueId] {
        self.mark(REST);
        self.rest
    }

    /// The arguments that `**kwargs` takes.
    pub(in crate::trace) fn extra(&self) -> &Keywords {
        self.mark(EXTRA);
        &self.extra
    }

    /// All arguments as the caller passes them.
    pub(in crate::trace) fn call(&self) -> (&'a [ValueId], &'a Keywords) {
        self.read.set(u64::MAX);
        (self.args, self.keywords)
    }

    fn mark(&self, bit: u32) {
        self.read.set(self.read.get() | 1 << bit);
    }

    /// A parameter that was given an argument which nothing has read.
    fn unread(&self) -> Option<&'static str> {
        let is_unread = |bit: u32| self.read.get() & (1 << bit) == 0;
        let given = self.signature.params.iter().zip(&self.slots).zip(0..);
        let param =
            given.filter(|((_, slot), bit)| slot.is_some() && is_unread(*bit)).map(|((param, _), _)| param.name);
        let rest = (!self.rest.is_empty() && is_unread(REST)).then_some("*args");
        let extra = (!self.extra.is_empty() && is_unread(EXTRA)).then_some("**kwargs");
        param.chain(rest).chain(extra).next()
    }
}

/// The parts between the commas that stand outside of brackets and quotes.
fn fields(text: &'static str) -> Vec<&'static str> {
    let (mut parts, mut start, mut depth, mut quoted) = (Vec::new(), 0, 0, false);
    for (at, character) in text.char_indices() {
        match character {
            '\'' => quoted = !quoted,
            '(' | '[' if !quoted => depth += 1,
            ')' | ']' if !quoted => depth -= 1,
            ',' if !quoted && depth == 0 => {
                parts.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(text[start..].trim());
    parts.retain(|part| !part.is_empty());
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &'static str) -> Signature {
        Signature::parse(&row(text, |t, _| Ok(t.none())))
    }

    fn bound(text: &'static str, args: &[u32], keywords: &[(&str, u32)]) -> Option<Vec<Option<u32>>> {
        let args: Vec<ValueId> = args.iter().map(|&arg| ValueId::from_u32(arg)).collect();
        let keywords: Keywords =
            keywords.iter().map(|&(name, value)| (name.to_owned(), ValueId::from_u32(value))).collect();
        let signature: &'static Signature = Box::leak(Box::new(parsed(text)));
        let bound = signature.bind(&args, &keywords).ok()?;
        Some(bound.slots.iter().map(|slot| slot.map(ValueId::as_u32)).collect())
    }

    #[test]
    fn parameters_have_their_kinds() {
        let signature = parsed("a.f b.f(x, y=(1, ','), /, z=..., *, w, **rest)");
        assert_eq!(signature.names, ["a.f", "b.f"]);
        let params: Vec<_> =
            signature.params.iter().map(|param| (param.name, param.passing, param.is_required)).collect();
        let expected = [
            ("x", Passing::PositionalOnly, true),
            ("y", Passing::PositionalOnly, false),
            ("z", Passing::PositionalOrKeyword, false),
            ("w", Passing::KeywordOnly, true),
        ];
        assert_eq!(params, expected);
        assert_eq!((signature.positional, signature.has_rest, signature.has_extra), (3, false, true));
    }

    #[test]
    fn arguments_bind_as_in_python() {
        let text = "f(x, /, y, z=0, *, w=1)";
        assert_eq!(bound(text, &[1, 2], &[]), Some(vec![Some(1), Some(2), None, None]));
        assert_eq!(bound(text, &[1], &[("w", 4), ("y", 2)]), Some(vec![Some(1), Some(2), None, Some(4)]));
        assert_eq!(bound(text, &[1], &[]), None, "`y` is missing");
        assert_eq!(bound(text, &[1, 2, 3, 4], &[]), None, "there is one too many");
        assert_eq!(bound(text, &[1, 2], &[("y", 2)]), None, "`y` is given twice");
        assert_eq!(bound(text, &[2], &[("x", 1), ("y", 2)]), None, "`x` has no name");
        assert_eq!(bound("f(x, /, **rest)", &[1], &[("x", 1)]), Some(vec![Some(1)]), "it is one of the rest");
    }

    #[test]
    fn what_is_not_read_is_known() {
        let signature: &'static Signature = Box::leak(Box::new(parsed("f(x, *rest, y=1)")));
        let (args, keywords) =
            ([ValueId::from_u32(1), ValueId::from_u32(2)], vec![("y".to_owned(), ValueId::from_u32(3))]);
        let bound = signature.bind(&args, &keywords).expect("it fits");
        assert_eq!(bound.unread(), Some("x"));
        assert!(bound.arg(0).is_ok() && bound.opt(1).is_some());
        assert_eq!(bound.unread(), Some("*args"));
        assert_eq!(bound.rest().len(), 1);
        assert_eq!(bound.unread(), None);
    }
}
