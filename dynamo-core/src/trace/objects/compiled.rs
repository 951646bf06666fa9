//! Nested compilation: functions and modules that `rust_inductor.compile` or `torch.compile` has made, called within a
//! compiled function. Such a call is traced as one of the original.
//!
//! Invariant: where the original cannot be traced, the graph ends before the call, which then runs what was compiled.

use super::{Body, Instance, Tracer};
use crate::trace::{
    Traced,
    core::value::{Keywords, Value, ValueId},
};
use guards::{Constant, GuardKind};

/// The class of functions that `rust_inductor.compile` has made.
const FUNCTION: &str = "rust_inductor._native.Optimized";

/// The classes of modules that either has made.
const MODULES: [&str; 2] = ["rust_inductor._module.OptimizedModule", "torch._dynamo.eval_frame.OptimizedModule"];

/// The name of the original among the submodules.
const ORIGINAL: &str = "_orig_mod";

impl Tracer<'_> {
    /// A call of the original of what is compiled; `None` for any other object.
    pub(in crate::trace) fn call_compiled(
        &mut self,
        value: ValueId,
        args: &[ValueId],
        keywords: &Keywords,
    ) -> Traced<Option<ValueId>> {
        let original = match self.objects.values[value].clone() {
            Value::Object(class, obj) if class == FUNCTION => {
                self.object_attr(value, obj, "_torchdynamo_orig_callable")?
            }
            Value::Object(_, obj) => {
                let Some(instance) = self.instance(value)? else { return Ok(None) };
                let (Some(original), Some(source)) = (self.original_module(instance), self.source(value)) else {
                    return Ok(None);
                };
                if !self.host.has_no_hooks(obj) || self.has_written_hooks(instance) || self.has_global_hooks()? {
                    return Ok(None);
                }
                self.guard(source, GuardKind::EmptyModuleHooks);
                original
            }
            _ => return Ok(None),
        };
        self.call(original, args.to_vec(), keywords.clone()).map(Some)
    }

    /// True for a function that `rust_inductor.compile` has made.
    pub(super) fn is_compiled_function(&self, value: ValueId) -> bool {
        matches!(&self.objects.values[value], Value::Object(class, _) if class == FUNCTION)
    }

    /// The module that a compiled one was made of; `None` for any other object.
    fn original_module(&mut self, instance: Instance) -> Option<ValueId> {
        let Body::Found(obj) = instance.body else { return None };
        let (Value::Object(class, _), Some(source)) = (&self.objects.values[instance.this], self.source(instance.this))
        else {
            return None;
        };
        if !MODULES.contains(&class.as_str()) {
            return None;
        }
        let modules = self.host.instance_attr(obj, "_modules")?;
        let original = self.host.item(modules, ORIGINAL)?;
        let modules = self.sources.attr(source, "_modules");
        let source = self.sources.item(modules, Constant::Str(ORIGINAL.to_owned()));
        Some(self.lazy(original, source))
    }

    /// An attribute of a compiled module that is its original's; `None` for its own ones, and for any other object.
    pub(super) fn attr_of_original(&mut self, instance: Instance, name: &str) -> Traced<Option<ValueId>> {
        let Body::Found(obj) = instance.body else { return Ok(None) };
        let Some(original) = self.original_module(instance) else { return Ok(None) };
        if name == ORIGINAL {
            return Ok(Some(original));
        }
        let is_shared = matches!(name, "training" | "forward");
        let is_own = self.host.instance_attr(obj, name).is_some() || self.host.class_has(instance.class, name);
        if is_own && !is_shared { Ok(None) } else { self.get_attr(original, name).map(Some) }
    }
}
