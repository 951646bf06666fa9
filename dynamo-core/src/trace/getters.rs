//! `itemgetter`, `attrgetter` and `methodcaller` of the module `operator`.

use super::{
    Traced, Tracer,
    builtin::Rule,
    call::Keywords,
    items::raised,
    value::{Value, ValueId},
};
use guards::Constant;

const ITEM: &str = "operator.itemgetter";
const ATTR: &str = "operator.attrgetter";
const METHOD: &str = "operator.methodcaller";

/// The class of this name.
pub(super) fn class_named(name: &str) -> Option<&'static str> {
    [ITEM, ATTR, METHOD].into_iter().find(|&class| class == name)
}

pub(super) const RULES: &[(&str, Rule)] = &[
    (ITEM, |t, args, keywords| made(t, ITEM, args, keywords)),
    (ATTR, |t, args, keywords| {
        for &arg in args {
            name_of(t, arg)?;
        }
        made(t, ATTR, args, keywords)
    }),
    (METHOD, |t, args, keywords| {
        name_of(t, *args.first().ok_or_else(|| raised("TypeError: methodcaller"))?)?;
        Ok(t.value(Value::Getter(METHOD, args.to_vec(), keywords.clone())))
    }),
];

fn made(t: &mut Tracer<'_>, class: &'static str, args: &[ValueId], keywords: &Keywords) -> Traced {
    match (args, &keywords[..]) {
        ([_, ..], []) => Ok(t.value(Value::Getter(class, args.to_vec(), Vec::new()))),
        _ => Err(raised("TypeError: operator")),
    }
}

/// The text of a name.
fn name_of(t: &mut Tracer<'_>, name: ValueId) -> Traced<String> {
    match t.get(name)? {
        Value::Const(Constant::Str(name)) => Ok(name),
        _ => Err(raised("TypeError: attribute name must be a string")),
    }
}

impl Tracer<'_> {
    /// A call of such a getter.
    pub(super) fn call_getter(
        &mut self,
        class: &str,
        parts: &[ValueId],
        named: Keywords,
        args: &[ValueId],
        keywords: &Keywords,
    ) -> Traced {
        let (&[of], []) = (args, &keywords[..]) else { return Err(raised("TypeError: one argument is expected")) };
        if class == METHOD {
            let (&name, given) = parts.split_first().ok_or_else(|| raised("TypeError: methodcaller"))?;
            let name = name_of(self, name)?;
            let method = self.get_attr(of, &name)?;
            return self.call(method, given.to_vec(), named);
        }
        let get = |t: &mut Self, part: ValueId| {
            if class == ITEM {
                return t.get_item(of, part);
            }
            // As torch's own Python does it, whose variable gives the node its name.
            name_of(t, part)?.split('.').try_fold(of, |owner, name| {
                let found = t.get_attr(owner, name)?;
                t.name_after(found, "obj");
                Ok(found)
            })
        };
        match parts {
            &[part] => get(self, part),
            _ => {
                let found = parts.iter().map(|&part| get(self, part)).collect::<Traced<_>>()?;
                Ok(self.value(Value::Tuple(found)))
            }
        }
    }
}
