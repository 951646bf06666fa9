//! `torch.nn.Module`: parameters, buffers and modules as attributes, and calls.
//!
//! A call is one of `forward` where a module has no hooks, which one guard says of each; else `Module._call_impl` is
//! traced like any other function. Parameters and buffers are inputs of the graph, found by their way through the
//! modules.
//!
//! Invariant: `Module.__getattr__` and `__setattr__` are replaced by what they do only where the class has exactly
//! those.

use super::{Body, Instance, Tracer};
use crate::{
    host::ClassAttr,
    reason::{Kind, Reason},
    trace::{
        Traced,
        core::{
            state::Key,
            value::{Keywords, Value, ValueId},
        },
        signature::{Bound, Row, row},
    },
};
use guards::{Constant, GuardKind};

/// The class of all modules.
const MODULE: &str = "torch.nn.modules.module.Module";

/// The function that calls a module's hooks and its `forward`.
const CALL_IMPL: &str = "torch.nn.modules.module.Module._call_impl";

/// The classes of modules that are sequences, in `torch.nn.modules.container`.
const SEQUENCES: [&str; 3] = ["ModuleList", "ParameterList", "Sequential"];

/// The dicts in which a module keeps what `__getattr__` finds, in its order.
pub(super) const TABLES: [&str; 3] = ["_parameters", "_buffers", "_modules"];

pub(super) const ROWS: &[Row] = &[row(
    "torch.fx.graph_module.GraphModule.recompile.<locals>.call_wrapped(module, *args, **kwargs)",
    call_graph_module,
)];

/// `__call__` of a `torch.fx.GraphModule`, which adds to the tracebacks of `torch.nn.Module.__call__`.
fn call_graph_module(t: &mut Tracer<'_>, b: &Bound<'_>) -> Traced {
    let module = b.arg(0)?;
    let wrapped = t.get_attr(module, "_wrapped_call")?;
    let own = t.get_attr(wrapped, "cls_call")?;
    if !matches!(t.get(own)?, Value::Const(Constant::None)) {
        return Err(Reason::new(Kind::Call, "A graph module with `__call__` of its own."));
    }
    let call = t.get_attr(module, "_wrapped_call_impl")?;
    t.call(call, b.rest().to_vec(), b.extra().clone())
}

/// The hooks that concern all modules, in the module that defines the class.
const GLOBAL_HOOKS: [&str; 4] =
    ["_global_backward_hooks", "_global_backward_pre_hooks", "_global_forward_hooks", "_global_forward_pre_hooks"];

/// The forward pre-hook of lazy modules.
const LAZY_HOOK: &str = "torch.nn.modules.lazy.LazyModuleMixin._infer_parameters";

impl Tracer<'_> {
    /// True if the class has the method of `torch.nn.Module`.
    fn has_method_of_module(&mut self, instance: Instance, method: &str) -> bool {
        self.has_method_of(MODULE, instance, method)
    }

    /// True if an object's class has a method of another class, one of torch's, by the name of that.
    fn has_method_of(&mut self, base: &str, instance: Instance, method: &str) -> bool {
        let Some((_, ClassAttr::Function(own))) = self.host.class_attr(instance.class, method, None) else {
            return false;
        };
        let base = self.host.class_named(base).and_then(|base| self.host.class_attr(base, method, None));
        matches!(base, Some((_, ClassAttr::Function(base))) if base == own) && self.host.is_of_torch(own)
    }

    /// True for a module whose items, by their places, are those that an iterator over it gives.
    pub(in crate::trace) fn is_module_sequence(&mut self, value: ValueId) -> Traced<bool> {
        let Some(instance) = self.instance(value)? else { return Ok(false) };
        let is_one = |t: &mut Self, class: &&str| {
            let class = format!("torch.nn.modules.container.{class}");
            ["__getitem__", "__iter__", "__len__"].iter().all(|method| t.has_method_of(&class, instance, method))
        };
        Ok(self.is_nn_module(instance) && SEQUENCES.iter().any(|class| is_one(self, class)))
    }

    /// True for a module whose parameters, buffers and modules are read as `torch.nn.Module` reads them.
    pub(super) fn is_nn_module(&mut self, instance: Instance) -> bool {
        matches!(instance.body, Body::Found(_)) && self.has_method_of_module(instance, "__getattr__")
    }

    /// True for a module whose attributes are written as `torch.nn.Module` writes them.
    pub(super) fn has_module_setattr(&mut self, instance: Instance) -> bool {
        matches!(instance.body, Body::Found(_)) && self.has_method_of_module(instance, "__setattr__")
    }

    /// A parameter, buffer or module of a module; `None` if it has none of this name.
    pub(super) fn module_member(&mut self, instance: Instance, name: &str) -> Traced<Option<ValueId>> {
        let Body::Found(obj) = instance.body else { return Ok(None) };
        let source = self.source(instance.this);
        for table in TABLES {
            let Some(dict) = self.host.instance_attr(obj, table) else { continue };
            if let Some(&known) = self.objects.known.get(&dict) {
                // The program may have changed it.
                if let Value::State(state) = self.objects.values[known]
                    && let Some(found) = self.value_at(state, &Key::Const(Constant::Str(name.to_owned())))
                {
                    return Ok(Some(found));
                }
                continue;
            }
            let Some(found) = self.host.item(dict, name) else { continue };
            let Some(source) = source else { return Ok(Some(self.member(found, None))) };
            self.guard_not_own(instance, name);
            let table = self.sources.attr(source, table);
            let place = self.sources.item(table, Constant::Str(name.to_owned()));
            self.found_attr(source, name, place);
            return Ok(Some(self.lazy(found, place)));
        }
        if let Some(source) = source {
            let name = self.sources.string(name);
            self.guard(source, GuardKind::HasAttr(name, false));
        }
        Ok(None)
    }

    /// `module(*args, **keywords)` where nothing but `forward` would be called; `None` for any other object.
    pub(in crate::trace) fn call_module(
        &mut self,
        value: ValueId,
        args: &[ValueId],
        keywords: &Keywords,
    ) -> Traced<Option<ValueId>> {
        let Some(instance) = self.instance(value)? else { return Ok(None) };
        let Body::Found(obj) = instance.body else { return Ok(None) };
        let plain = self.is_nn_module(instance)
            && ["__call__", "_call_impl"].iter().all(|method| self.has_method_of_module(instance, method))
            && self.host.has_no_hooks(obj)
            && !self.has_written_hooks(instance);
        let Some(source) = self.source(instance.this).filter(|_| plain) else { return Ok(None) };
        if self.has_global_hooks()? {
            return Ok(None);
        }
        self.guard(source, GuardKind::EmptyModuleHooks);
        for method in ["__call__", "_call_impl"] {
            self.guard_class_attr(instance, method)?;
        }
        let forward = self.get_attr(instance.this, "forward")?;
        self.call(forward, args.to_vec(), keywords.clone()).map(Some)
    }

    /// Has a lazy module make its parameters now, for tensors without data, as torch's Dynamo does, if the function is
    /// the hook that makes them before its first call; what was traced is stale then.
    pub(in crate::trace) fn initialize_lazy(&mut self, function: &str, args: &[ValueId]) -> Traced<()> {
        if function != LAZY_HOOK {
            return Ok(());
        }
        let Some((&this, given)) = args.split_first() else { return Ok(()) };
        let Value::Object(class, obj) = self.get(this)? else { return Ok(()) };
        // The module again, its arguments as a tuple, and keyword arguments as a dict.
        let given = given.iter().skip(1).map(|&arg| self.arg(arg)).collect::<Traced<Vec<_>>>()?;
        let made = self.host.initialize_lazy(obj, &self.graph.torch, &self.shapes.env, &given);
        let what = if made { "has made its parameters" } else { "cannot make its parameters" };
        Err(Reason::new(Kind::Call, format!("A lazy `{class}` {what}.")))
    }

    /// True if the program has looked at the hooks of a module, and may have changed them.
    pub(super) fn has_written_hooks(&mut self, instance: Instance) -> bool {
        let Body::Found(obj) = instance.body else { return true };
        let hooks = ["_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks"];
        hooks.iter().any(|hooks| {
            let dict = self.host.instance_attr(obj, hooks);
            self.written(obj, hooks).is_some() || dict.is_some_and(|dict| self.objects.known.contains_key(&dict))
        })
    }

    pub(super) fn has_global_hooks(&mut self) -> Traced<bool> {
        self.has_global(&GLOBAL_HOOKS)
    }

    /// True if one of the dicts of hooks that concern all modules is not empty.
    fn has_global(&mut self, dicts: &[&str]) -> Traced<bool> {
        let name = "torch.nn.modules.module";
        let Some(module) = self.host.module(name) else { return Ok(true) };
        let source = self.sources.module(name);
        let module = self.lazy(module, source);
        for hooks in dicts {
            let hooks = self.get_attr(module, hooks)?;
            if self.truth(hooks)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// True for a call of a module that has hooks which are called also where it raises (`always_call`): torch's code
    /// leaves that out while it is compiled.
    pub(in crate::trace) fn calls_hooks_of_failed(&mut self, function: &str, module: Option<ValueId>) -> bool {
        let (CALL_IMPL, Some(module)) = (function, module) else { return false };
        let raising = self.exceptions.raising.take();
        let own = self.get_attr(module, "_forward_hooks_always_called").and_then(|hooks| self.truth(hooks));
        let are_called = own.and_then(|own| Ok(own || self.has_global(&["_global_forward_hooks_always_called"])?));
        self.exceptions.raising = raising;
        are_called.unwrap_or(true)
    }

    /// `module.name = new`, for a name and a value with which `Module.__setattr__` does no more than to keep it.
    pub(super) fn module_set(&mut self, instance: Instance, name: &str, new: ValueId) -> Traced<()> {
        let Body::Found(obj) = instance.body else { return Err(self.no_change(instance.this)) };
        let refused = |t: &mut Self, what: &str| {
            let text = format!("The {what} `{name}` of {}.", t.describe(instance.this));
            Err(Reason::new(Kind::Mutation, text))
        };
        let registers = match self.get(new)? {
            Value::Tensor(node) => self.graph.parameters.contains(&self.first_name(node)),
            Value::Object(..) | Value::Instance(_) => match self.instance(new)? {
                Some(value) => self.is_nn_module(value),
                None => false,
            },
            _ => false,
        };
        if registers {
            return refused(self, "parameter or module");
        }
        for table in TABLES {
            let Some(dict) = self.host.instance_attr(obj, table) else { continue };
            if self.host.item(dict, name).is_none() && !self.objects.known.contains_key(&dict) {
                continue;
            }
            if table != "_buffers" || self.objects.known.contains_key(&dict) {
                return refused(self, "parameter or module");
            }
            // The dict shows the buffer that is replaced: nobody may look at it from now on.
            self.objects.scopes.push(dict);
            let is_buffer = matches!(self.get(new)?, Value::Tensor(_) | Value::Const(Constant::None));
            if !is_buffer {
                return refused(self, "buffer");
            }
            self.write_attr(instance.this, obj, name, new);
            return Ok(());
        }
        self.generic_set(instance, name, new)
    }
}
