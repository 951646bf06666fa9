//! Exception chaining: `__cause__`, `__context__` and `__suppress_context__`.
//!
//! Semantics: `_PyErr_SetObject` in `Python/errors.c`. A `raise` statement with an operand sets the context to the
//! exception that is being handled, and `from` sets the cause; raising again sets nothing. So does an instruction or a
//! function of the interpreter's that raises one.
//!
//! Invariant: of exceptions that were not raised, nothing is said of their context. That the context is `None` holds
//! only where the function is called outside of handlers, which is guarded.

use crate::{
    reason::{Kind, Reason},
    trace::{
        Traced, Tracer,
        core::{
            exceptions::Link,
            value::{Value, ValueId},
        },
    },
};
use guards::{Constant, GlobalState, GuardKind};

impl Tracer<'_> {
    fn link(&self, exception: ValueId) -> Option<Link> {
        self.exceptions.chain.iter().rev().find(|link| link.exception == exception).copied()
    }

    /// Notes that a statement raises an exception, perhaps `from` another one.
    pub(in crate::trace) fn chain(&mut self, exception: ValueId, cause: Option<ValueId>) -> Traced<()> {
        let cause = cause.map(|cause| self.cause(cause)).transpose()?;
        let before = self.link(exception);
        let context = match self.exceptions.handled {
            Some(handled) if handled != exception => Some(handled),
            _ => before.and_then(|link| link.context),
        };
        let mut next = context;
        while let Some(at) = next {
            if at == exception {
                return Err(Reason::new(Kind::Call, "An exception in its own context."));
            }
            next = self.link(at).and_then(|link| link.context);
        }
        let cause = cause.or_else(|| before.and_then(|link| link.cause));
        self.exceptions.chain.push(Link { exception, cause, context });
        Ok(())
    }

    /// The cause that the operand of `from` gives; the operand is an exception, a class of exceptions, or `None`.
    fn cause(&mut self, cause: ValueId) -> Traced {
        let cause = self.raisable(cause)?;
        match self.objects.values[cause] {
            Value::Const(Constant::None) => Ok(cause),
            _ if self.exception_class(cause).is_some() => Ok(cause),
            _ => Err(Reason::new(Kind::Call, format!("Raising from {}.", self.describe(cause)))),
        }
    }

    /// True if the caller handles no exception, which is guarded.
    pub(in crate::trace) fn is_called_outside_handlers(&mut self) -> bool {
        let is_so = !self.host.handles_exception();
        if is_so {
            let kind = GuardKind::Global(GlobalState::HandledException(false));
            if self.guards.emitted.iter().all(|guard| guard.kind != kind) {
                let state = self.sources.global_state();
                self.guard(state, kind);
            }
        }
        is_so
    }

    /// `exception.name`, where the name is one of the chain's; `None` for any other.
    pub(in crate::trace) fn chain_attr(&mut self, exception: ValueId, name: &str) -> Traced<Option<ValueId>> {
        let link = self.link(exception);
        let cause = link.and_then(|link| link.cause);
        Ok(match (name, link) {
            ("__cause__", _) => Some(cause.unwrap_or_else(|| self.none())),
            ("__suppress_context__", _) => Some(self.constant(Constant::Bool(cause.is_some()))),
            ("__context__", Some(link)) => match link.context {
                None if self.is_called_outside_handlers() => Some(self.none()),
                context => context,
            },
            _ => None,
        })
    }
}
