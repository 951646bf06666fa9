//! Objects of `types.SimpleNamespace`, and of classes that come from it: attributes, and no more.

use super::Tracer;
use crate::{
    bytecode::Comparison,
    reason::{Kind, Reason},
    trace::{
        Traced,
        core::{
            state::State,
            value::{Value, ValueId},
        },
        signature::{Bound, Row, row},
    },
};
use guards::Constant;
use indexmap::IndexMap;

/// The class, by its dotted name.
pub(super) const NAMESPACE: &str = "types.SimpleNamespace";

pub(super) const ROWS: &[Row] = &[
    row("types.SimpleNamespace.__init__(instance, /, *args, **kwargs)", |t, b| {
        if !b.rest().is_empty() {
            // An error before 3.13, a mapping from then on.
            return Err(Reason::new(Kind::Call, "A namespace of an argument without a keyword."));
        }
        let this = t.instance_of(b.arg(0)?, "SimpleNamespace.__init__")?;
        for (name, value) in b.extra() {
            // Into its `__dict__`, whatever its class says of such an attribute.
            t.write_own(this, name, *value)?;
        }
        Ok(t.none())
    }),
    row("types.SimpleNamespace.__repr__(instance, /)", |t, b| {
        let this = b.arg(0)?;
        let text = t.nested(|t| t.namespace_repr(this))?;
        Ok(t.constant(Constant::Str(text)))
    }),
    row("types.SimpleNamespace.__eq__(instance, value, /)", |t, b| t.compare_namespaces(Comparison::Eq, b)),
    row("types.SimpleNamespace.__ne__(instance, value, /)", |t, b| t.compare_namespaces(Comparison::Ne, b)),
];

impl Tracer<'_> {
    fn namespace_repr(&mut self, value: ValueId) -> Traced<String> {
        let this = self.instance_of(value, "SimpleNamespace.__repr__")?;
        let name = match self.class_value(this)? {
            Some(class) if !self.host.is_immutable(this.class) => self.get_attr(class, "__name__")?,
            _ => self.constant(Constant::Str("namespace".to_owned())),
        };
        let Value::Const(Constant::Str(name)) = self.get(name)? else {
            return Err(Reason::new(Kind::Call, format!("`repr` of {}.", self.describe(value))));
        };
        let mut shown = Vec::new();
        for (key, value) in self.entries_of_dict(this)? {
            let Some(text) = self.repr(value)? else {
                let text = format!("`repr` of {} in a namespace.", self.describe(value));
                return Err(Reason::new(Kind::Call, text));
            };
            shown.push(format!("{key}={text}"));
        }
        Ok(format!("{name}({})", shown.join(", ")))
    }

    fn compare_namespaces(&mut self, comparison: Comparison, b: &Bound<'_>) -> Traced {
        let (Some(this), Some(other)) = (self.namespace_dict(b.arg(0)?)?, self.namespace_dict(b.arg(1)?)?) else {
            return Err(Reason::new(Kind::Operator, "A namespace beside an object of another class."));
        };
        self.compare(comparison, this, other)
    }

    /// The attributes of a namespace, in a new dict; `None` for anything else.
    fn namespace_dict(&mut self, value: ValueId) -> Traced<Option<ValueId>> {
        let Some(instance) = self.instance(value)? else { return Ok(None) };
        if self.host.solid_base(instance.class).as_deref() != Some(NAMESPACE) {
            return Ok(None);
        }
        let dict = self.state(State::Dict(IndexMap::new()));
        for (name, value) in self.entries_of_dict(instance)? {
            let name = self.constant(Constant::Str(name));
            self.set_item(dict, name, value)?;
        }
        Ok(Some(dict))
    }
}
