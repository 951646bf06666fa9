//! The operators of ATen with the schemas that torch publishes, and what the compiler knows of each.
//!
//! Two tables say it: `schemas.txt`, one row for each overload, written by `schemas.py`, and `operators.txt`, one row
//! for each operator. [`Aten`] and [`Packet`] enumerate them; a schema is parsed when it is first asked for. Which
//! calls may fail on what tensors hold is decided in `may_raise.rs`, the side effects of calls in `side_effects.rs`.

pub mod autocast;
mod bind;
mod ops;
mod parse;
pub mod rules;
mod schema;
mod traits;

pub use bind::{BindError, Bound, wrap_dim};
pub use ops::{Aten, Packet};
pub use parse::ParseError;
pub use rules::Composite;
pub use schema::{Alias, Param, Return, Schema, Type};
pub use traits::{Aliasing, Failure, ScalarUse, Traits};

use crate::{arg::Arg, node::NodeId};

/// A list of operators by their names: `packets![add sub]`.
#[macro_export]
macro_rules! packets {
    ($($name:ident)*) => { &[$($crate::aten::Packet::$name),*] };
}

/// A list of overloads: `ops![add_Tensor sub_Tensor]`.
#[macro_export]
macro_rules! ops {
    ($($name:ident)*) => { &[$($crate::aten::Aten::$name),*] };
}

/// An overload with its parameters and results.
#[derive(Clone, PartialEq, Debug)]
pub struct Overload {
    /// The overload.
    pub op: Aten,
    /// Parameters and results.
    pub schema: Schema,
}

impl Overload {
    /// True if a release of torch that prints the operator's schema as `text` has the table's.
    pub fn is_declared_as(&self, text: &str) -> bool {
        parse::schema(text).is_ok_and(|schema| schema == self.schema)
    }

    /// True if a result may share its storage with an argument that is not written to.
    pub fn is_view(&self) -> bool {
        self.schema.returns.iter().any(|r| r.alias.as_ref().is_some_and(|a| !a.write))
    }

    /// True if its results share memory with an operand, but not that one's version counter: what the schema says
    /// nothing of.
    pub fn has_own_version(&self) -> bool {
        self.op.traits().alias == Some(Aliasing::Shares)
    }

    /// True if an argument is written to.
    pub fn mutates(&self) -> bool {
        self.schema.params.iter().any(|p| p.alias.as_ref().is_some_and(|a| a.write))
    }

    /// The position of the one parameter that is written to.
    pub fn written_param(&self) -> Option<usize> {
        let params = self.schema.params.iter().enumerate();
        let mut written = params.filter(|(_, param)| param.alias.as_ref().is_some_and(|alias| alias.write));
        let ((at, _), None) = (written.next()?, written.next()) else { return None };
        Some(at)
    }

    /// The one argument of a call that is written to.
    pub fn written(&self, args: &[Arg], kwargs: &[(String, Arg)]) -> Option<NodeId> {
        let at = self.written_param()?;
        let named = || kwargs.iter().find(|(name, _)| *name == self.schema.params[at].name).map(|(_, arg)| arg);
        args.get(at).or_else(named)?.as_node()
    }

    /// True if all that a call does is to give tensors of their own memory: it writes to no argument, and no result is
    /// a view of one.
    pub fn is_function(&self) -> bool {
        let is_tensor = |ty: &Type| match ty {
            Type::Tensor => true,
            Type::List(inner, _) => **inner == Type::Tensor,
            _ => false,
        };
        let returns = &self.schema.returns;
        !self.schema.vararg
            && !returns.is_empty()
            && returns.iter().all(|result| is_tensor(&result.ty) && result.alias.is_none())
            && self.schema.params.iter().all(|param| param.alias.is_none())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes() {
        let class = |name: &str| {
            let o = Aten::named(name).expect(name);
            (o.is_view(), o.mutates(), o.traits().random)
        };
        assert_eq!(class("view.default"), (true, false, false));
        assert_eq!(class("split.Tensor"), (true, false, false));
        assert_eq!(class("add_.Tensor"), (false, true, false));
        assert_eq!(class("add.out"), (false, true, false));
        assert_eq!(class("bernoulli_.float"), (false, true, true));
        assert_eq!(class("native_dropout.default"), (false, false, true));
        let function = |name: &str| Aten::named(name).expect(name).is_function();
        assert!(function("topk.default") && function("_foreach_add.List"));
        assert!(!function("view.default") && !function("add.out") && !function("_local_scalar_dense.default"));
    }
}
