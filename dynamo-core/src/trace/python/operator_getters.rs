//! `itemgetter`, `attrgetter` and `methodcaller` of the module `operator`.

use crate::{
    reason::raised,
    trace::{
        Traced, Tracer,
        core::value::{Keywords, Value, ValueId},
        signature::{Bound, Row, row},
    },
};
use guards::Constant;

const ITEM: &str = "operator.itemgetter";
const ATTR: &str = "operator.attrgetter";
const METHOD: &str = "operator.methodcaller";

/// The class of this name.
pub(in crate::trace) fn class_named(name: &str) -> Option<&'static str> {
    [ITEM, ATTR, METHOD].into_iter().find(|&class| class == name)
}

pub(in crate::trace) const ROWS: &[Row] = &[
    row("operator.itemgetter(item, /, *items)", |t, b| made(t, ITEM, b)),
    row("operator.attrgetter(attr, /, *attrs)", |t, b| {
        for name in [&[b.arg(0)?], b.rest()].concat() {
            name_of(t, name)?;
        }
        made(t, ATTR, b)
    }),
    row("operator.methodcaller(name, /, *args, **kwargs)", |t, b| {
        name_of(t, b.arg(0)?)?;
        made(t, METHOD, b)
    }),
];

fn made(t: &mut Tracer<'_>, class: &'static str, b: &Bound<'_>) -> Traced {
    let (args, keywords) = b.call();
    Ok(t.value(Value::Getter(class, args.to_vec(), keywords.clone())))
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
    pub(in crate::trace) fn call_getter(
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
