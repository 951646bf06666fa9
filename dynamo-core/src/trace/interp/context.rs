//! `with` statements and decorators: context managers of torch, of `contextlib`, and of the program.
//!
//! - `grad`, `inference`: whether autograd records; `autocast`: which element types are chosen; `devices`: where
//!   tensors are made.
//!
//! A manager is a [`Context`] from its construction to its `__exit__`, also if it is an input. A resume function within
//! its block constructs it anew and enters it.

use crate::{
    bytecode::{Op, Version, code::flags, with_entry::end_of_entry},
    reason::{Kind, Reason, raised},
    trace::{
        Traced, Tracer,
        core::{
            context::{AUTOCAST, Breaks, Class, Context, Grad, INFERENCE, Placed},
            frame::Frame,
            state::{Iter, State},
            value::{Function, Keywords, Value, ValueId},
        },
        signature::Signature,
        torch::names,
    },
};
use guards::Constant;

/// The class of what `torch._dynamo.error_on_graph_break` gives.
const BREAKS_CLASS: &str = "torch._dynamo.decorators.ErrorOnGraphBreakDecoratorContextManager";

/// Functions of the library that are made of a function of the program: how to tell them, by the end of their file's
/// name and by their free variables.
const WRAPPERS: [(Wrapper, &str, &[&str]); 8] = [
    (Wrapper::Manager, "/contextlib.py", &["func"]),
    (Wrapper::Decorated, "/torch/utils/_contextlib.py", &["ctx_factory", "func"]),
    (Wrapper::Decorated, "/torch/amp/autocast_mode.py", &["autocast_instance", "func"]),
    (Wrapper::Within, "/torch/_dynamo/external_utils.py", &["func", "self"]),
    // What torch's Dynamo puts around `Module.__init__` to count modules.
    (Wrapper::Plain, "/torch/_dynamo/mutation_guard.py", &["init"]),
    (
        Wrapper::Compiled,
        "/torch/_dynamo/eval_frame.py",
        &["callback", "fn", "is_fx_symbolic_tracing", "is_jit_tracing", "self"],
    ),
    // `torch.jit.script_if_tracing`; nothing is traced by `torch.jit.trace` here.
    (Wrapper::Plain, "/torch/jit/_trace.py", &["fn", "wrapper"]),
    // `torch.compiler.nested_compile_region`, which asks only that the function be compiled once.
    (Wrapper::Plain, "/torch/_higher_order_ops/invoke_subgraph.py", &["func"]),
];

/// The kinds of functions that the library makes of a function of the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Wrapper {
    /// It makes a manager of a generator.
    Manager,
    /// It calls the function within a manager.
    Decorated,
    /// It calls the function, which it has first, within a manager.
    Within,
    /// It calls the function.
    Plain,
    /// `torch.compile` has made it.
    Compiled,
}

/// The text of `with` for an object whose class has no `__enter__`.
const NO_MANAGER: &str = "'{}' object does not support the context manager protocol";
/// Its text for an object whose class has no `__exit__`.
const NO_EXIT: &str = "'{}' object does not support the context manager protocol (missed __exit__ method)";

impl Tracer<'_> {
    /// The manager that a value is; `None` for one of the program's own.
    fn context_of(&mut self, value: ValueId) -> Traced<Option<Context>> {
        if self.exit_stack(value)?.is_some() {
            return Ok(Some(Context::Stack(value)));
        }
        let class = match self.get(value)? {
            Value::Context(context) => return Ok(Some(context)),
            Value::Const(Constant::Device(device)) => {
                return Ok(Some(Context::Device(Placed { device, after: self.modes.device })));
            }
            Value::Object(class, _) => class,
            _ => return Ok(None),
        };
        Ok(match (class.as_str(), Class::named(&class)) {
            (AUTOCAST, _) => Some(Context::Autocast(self.autocast_object(value)?)),
            ("contextlib.nullcontext", _) => Some(Context::Null(Some(self.get_attr(value, "enter_result")?))),
            ("contextlib.closing", _) => Some(Context::Closing(self.get_attr(value, "thing")?)),
            (BREAKS_CLASS, _) => {
                let refused = self.get_attr(value, "error_on_graph_break")?;
                Some(self.make_breaks(refused)?)
            }
            (INFERENCE, _) => {
                let mode = self.get_attr(value, "mode")?;
                Some(Context::Inference(self.make_inference(Some(mode))?))
            }
            (_, Some(Class::Given)) => {
                // It has set the mode when it was made, and knows the one before.
                let [mode, previous] = ["mode", "prev"].map(|name| self.get_attr(value, name));
                let (inside, after) = (self.truth(mode?)?, self.truth(previous?)?);
                Some(Context::Grad(Grad { inside, after, class: Class::Given }))
            }
            (_, Some(class)) => {
                Some(Context::Grad(Grad { inside: class == Class::Always, after: self.modes.grad, class }))
            }
            _ => None,
        })
    }

    /// `torch._dynamo.error_on_graph_break(refused)`
    pub(in crate::trace) fn make_breaks(&mut self, refused: ValueId) -> Traced<Context> {
        let refused = self.truth(refused)?;
        Ok(Context::Breaks(Breaks { refused, after: self.modes.refuses_breaks }))
    }

    /// `BEFORE_WITH`: the way out, and what `as` binds, take the manager's place.
    pub(in crate::trace) fn enter(&mut self, f: &mut Frame) -> Traced<()> {
        let manager = f.pop()?;
        let (exit, bound) = self.entered_by(f, manager, f.at)?;
        f.stack.extend([exit, bound]);
        Ok(())
    }

    /// `LOAD_SPECIAL` with the instructions after it that enter a `with` block: the way out, an empty slot, and what
    /// `as` binds, take the place of the manager, which lies there twice.
    pub(in crate::trace) fn enter_by_parts(&mut self, f: &mut Frame) -> Traced<()> {
        let unknown = || Reason::new(Kind::Context, "A special method that is looked up.");
        let end = f.at.checked_sub(1).and_then(|at| end_of_entry(f.body(), at)).ok_or_else(unknown)?;
        let (manager, other) = (f.pop()?, f.pop()?);
        if manager != other {
            return Err(unknown());
        }
        let (exit, bound) = self.entered_by(f, manager, end + 1)?;
        let null = self.value(Value::Null);
        f.stack.extend([exit, null, bound]);
        f.at = end + 1;
        Ok(())
    }

    /// The way out of a `with` block, whose upper end lies at a place of the stack. From 3.14 on it is a callable, and
    /// above that its first argument or an empty slot.
    pub(in crate::trace) fn block_exit(&mut self, f: &Frame, place: usize) -> Traced {
        let lacking = || Reason::new(Kind::Context, "There is no way out.");
        let top = *f.stack.get(place).ok_or_else(lacking)?;
        if self.host.version() < Version::V314 {
            return Ok(top);
        }
        let function = place.checked_sub(1).and_then(|place| f.stack.get(place).copied()).ok_or_else(lacking)?;
        Ok(match self.objects.values[top] {
            Value::Null => function,
            _ => self.value(Value::Method { function, this: top }),
        })
    }

    /// Enters a manager by a `with` statement, whose instructions go on at `next`. A profiler without `as` has nobody
    /// who could look at its events, and does nothing.
    fn entered_by(&mut self, f: &Frame, manager: ValueId, next: usize) -> Traced<(ValueId, ValueId)> {
        let body = f.body();
        let is_bound = body.order().get(next).is_none_or(|&inst| body.inst(inst).op != Op::PopTop);
        match self.get(manager)? {
            Value::Context(Context::Profiler(_)) if !is_bound => {
                let (none, nothing) = (self.none(), self.value(Value::Context(Context::Null(None))));
                Ok((self.value(Value::Exit(Context::Null(None), nothing)), none))
            }
            _ => self.entered(manager),
        }
    }

    /// Enters a manager; gives the way out, and what `as` binds.
    pub(in crate::trace) fn entered(&mut self, manager: ValueId) -> Traced<(ValueId, ValueId)> {
        let manager = self.force(manager)?;
        match self.context_of(manager)? {
            Some(Context::Grad(grad))
                if grad.class != Class::Given && matches!(self.objects.values[manager], Value::Object(..)) =>
            {
                self.enter_grad_object(manager, grad)
            }
            Some(context) if self.may_be_entered(manager, &context) => {
                let text = format!("`{}` that may be entered already.", context.name());
                Err(Reason::new(Kind::Context, text))
            }
            Some(context) => {
                let (context, bound) = self.enter_context(context)?;
                self.modes.entered.push(manager);
                Ok((self.value(Value::Exit(context, manager)), bound))
            }
            None => self.enter_object(manager),
        }
    }

    /// True for a manager that keeps the mode before in a field, which a second entry overwrites, if it may have been
    /// entered.
    fn may_be_entered(&self, manager: ValueId, context: &Context) -> bool {
        let entered_before = match context {
            Context::Grad(_) => false,
            Context::Autocast(autocast) => self.chosen(autocast.device).is_some(),
            Context::Inference(_) => self.modes.inference.current,
            _ => return false,
        };
        let is_found = matches!(self.objects.values[manager], Value::Object(..));
        is_found && entered_before || self.modes.entered.contains(&manager)
    }

    /// Enters a manager; gives what `as` binds.
    fn enter_context(&mut self, context: Context) -> Traced<(Context, ValueId)> {
        let none = self.none();
        Ok(match context {
            Context::Grad(grad) => (Context::Grad(self.enter_grad(grad)), none),
            Context::Autocast(autocast) => {
                self.enter_autocast(autocast);
                (context, none)
            }
            Context::Inference(inference) => (Context::Inference(self.enter_inference(inference)?), none),
            Context::Device(placed) => {
                let entered = Placed { after: self.modes.device, ..placed };
                self.modes.device = Some(placed.device);
                // As eager has it.
                (Context::Device(entered), self.constant(Constant::Device(placed.device)))
            }
            Context::Breaks(Breaks { refused, .. }) => {
                let after = std::mem::replace(&mut self.modes.refuses_breaks, refused);
                (Context::Breaks(Breaks { refused, after }), none)
            }
            Context::Closing(thing) => (context, thing),
            Context::Profiler(class) => return Err(Reason::new(Kind::Context, format!("`{class}`."))),
            Context::Null(value) => (context, value.unwrap_or(none)),
            Context::Suppress(_) => (context, none),
            Context::Stack(stack) => (context, stack),
            Context::Generator(generator) => match self.next_item(generator)? {
                Some(value) => (context, value),
                None => return Err(raised("RuntimeError: generator didn't yield").uncaught()),
            },
        })
    }

    /// A manager of the program's own: the methods of its class are called.
    fn enter_object(&mut self, manager: ValueId) -> Traced<(ValueId, ValueId)> {
        if !matches!(self.get(manager)?, Value::Object(..) | Value::Instance(_)) {
            return Err(Reason::new(Kind::Context, format!("{}.", self.describe(manager))));
        }
        let enter = self.method_of_manager(manager, "__enter__", NO_MANAGER)?;
        let exit = self.method_of_manager(manager, "__exit__", NO_EXIT)?;
        let bound = self.call(enter, vec![], vec![])?;
        Ok((exit, bound))
    }

    /// A special method of a manager, whose class may lack it.
    fn method_of_manager(&mut self, manager: ValueId, name: &str, error: &'static str) -> Traced {
        if self.lacks_specials(manager, &[name])? {
            let reason = Reason::refused(manager, error);
            // Later versions say it otherwise.
            return Err(if self.host.version() < Version::V314 { reason } else { self.uncaught(reason) });
        }
        let method = self.special(manager, name)?;
        method.ok_or_else(|| Reason::new(Kind::Context, format!("{}.", self.describe(manager))))
    }

    /// A call of the way out.
    pub(in crate::trace) fn leave(&mut self, context: &Context, args: &[ValueId]) -> Traced {
        if args.len() != 3 {
            return Err(raised("TypeError: __exit__"));
        }
        match *context {
            Context::Grad(grad) => self.set_grad(grad.after),
            Context::Autocast(_) => self.leave_autocast()?,
            Context::Inference(_) => self.leave_inference()?,
            Context::Device(placed) => self.modes.device = placed.after,
            Context::Breaks(breaks) => self.modes.refuses_breaks = breaks.after,
            Context::Closing(thing) => {
                let close = self.get_attr(thing, "close")?;
                self.call(close, vec![], vec![])?;
            }
            Context::Stack(stack) => return self.leave_stack(stack),
            Context::Null(_) | Context::Profiler(_) | Context::Suppress(_) => {}
            Context::Generator(generator) => {
                if self.next_item(generator)?.is_some() {
                    return Err(raised("RuntimeError: generator didn't stop").uncaught());
                }
            }
        }
        Ok(self.none())
    }

    /// `__exit__` of a manager that was entered before the trace began, by the method's dotted name.
    pub(in crate::trace) fn leave_object(
        &mut self,
        method: &str,
        args: &[ValueId],
        keywords: &Keywords,
    ) -> Traced<Option<ValueId>> {
        let class = method.strip_suffix(".__exit__");
        let exit = class.and_then(|class| Signature::of_method(class, "__exit__"));
        exit.map(|exit| exit.call(self, args, keywords)).transpose()
    }

    /// A call of a function that the library has made of one of the program's; `None` if it is another one.
    pub(in crate::trace) fn call_wrapper(
        &mut self,
        function: &Function,
        args: &[ValueId],
        keywords: &Keywords,
    ) -> Traced<Option<ValueId>> {
        let object = &function.code.object;
        let row = WRAPPERS.iter().find(|(_, file, free)| object.filename.ends_with(file) && object.freevars == *free);
        let Some(&(wrapper, ..)) = row else { return Ok(None) };
        let mut inner = Vec::new();
        for &cell in &function.closure {
            match self.get(cell)? {
                Value::State(state) if let State::Cell(Some(content)) = self.heap.get(state) => inner.push(*content),
                _ => return Ok(None),
            }
        }
        match (wrapper, &inner[..]) {
            (Wrapper::Manager, _) if names::is_manager(&function.name) => Ok(None),
            (Wrapper::Manager, &[function]) => self.generator_manager(function, args.to_vec(), keywords.clone()),
            (Wrapper::Plain, &[function, ..]) | (Wrapper::Compiled, &[_, function, ..]) => {
                self.call(function, args.to_vec(), keywords.clone()).map(Some)
            }
            (Wrapper::Within, &[function, manager]) => {
                let Some(context) = self.context_of(manager)? else { return Ok(None) };
                self.call_within(context, function, args.to_vec(), keywords.clone()).map(Some)
            }
            (Wrapper::Decorated, &[manager, function]) => {
                let Some(context) = self.decorating(manager)? else { return Ok(None) };
                if object.is_generator() {
                    let generator = self.call(function, args.to_vec(), keywords.clone())?;
                    self.put_within(generator, context)?;
                    return Ok(Some(generator));
                }
                self.call_within(context, function, args.to_vec(), keywords.clone()).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// A manager of the generator that a function gives; `None` if it gives another thing.
    pub(in crate::trace) fn generator_manager(
        &mut self,
        function: ValueId,
        args: Vec<ValueId>,
        keywords: Keywords,
    ) -> Traced<Option<ValueId>> {
        // A generator of torch's is what the function that it makes a manager for is.
        let row = match self.get(function)? {
            Value::Function(function) if function.name.starts_with("torch.") => Signature::of_function(&function.name),
            _ => None,
        };
        let made = match row {
            Some(row) => row.call(self, &args, &keywords)?,
            None => self.call(function, args, keywords)?,
        };
        Ok(match self.get(made)? {
            Value::State(state) if matches!(self.heap.get(state), State::Iter(Iter::Generator(_))) => {
                Some(self.value(Value::Context(Context::Generator(made))))
            }
            _ => self.context_of(made)?.map(|_| made),
        })
    }

    /// A call within a manager.
    pub(in crate::trace) fn call_within(
        &mut self,
        context: Context,
        function: ValueId,
        args: Vec<ValueId>,
        keywords: Keywords,
    ) -> Traced {
        self.run_within(context, |t| t.call(function, args, keywords))
    }

    /// A call of a function that is decorated with a manager, of which each call has one of its own.
    pub(in crate::trace) fn call_decorated(
        &mut self,
        context: Context,
        function: ValueId,
        args: Vec<ValueId>,
        keywords: Keywords,
    ) -> Traced {
        let Context::Generator(generator) = context else { return self.call_within(context, function, args, keywords) };
        let Some(frame) = self.begins(generator) else {
            return Err(Reason::new(Kind::Context, format!("`{}` that was entered.", context.name())));
        };
        let generator = self.state(State::Iter(Iter::Generator(Box::new(frame))));
        let (context, _) = self.enter_context(Context::Generator(generator))?;
        let reason = match self.call(function, args, keywords) {
            Ok(result) => {
                let none = self.none();
                self.leave(&context, &[none; 3])?;
                return Ok(result);
            }
            Err(reason) if reason.kind == Kind::Raised => reason,
            Err(reason) => return Err(reason),
        };
        let Some(exception) = self.exception_of(&reason) else { return Err(reason) };
        self.caught(exception);
        let handled = self.exceptions.handled.replace(exception);
        let ends = self.throw(generator, exception);
        self.exceptions.handled = handled;
        if ends? { Ok(self.none()) } else { Err(self.raise(exception)?) }
    }

    /// The frame of a generator that has not begun.
    fn begins(&mut self, generator: ValueId) -> Option<Frame> {
        let Value::State(state) = self.objects.values[generator] else { return None };
        match self.heap.get(state) {
            State::Iter(Iter::Generator(frame)) if frame.at == 0 => Some((**frame).clone()),
            _ => None,
        }
    }

    /// Has a generator that has not begun run within a manager.
    fn put_within(&mut self, generator: ValueId, context: Context) -> Traced<()> {
        if let Value::State(state) = self.get(generator)?
            && let State::Iter(Iter::Generator(frame)) = self.heap.get(state)
            && frame.within.is_none()
        {
            let frame = Frame { within: Some(context), ..(**frame).clone() };
            *self.heap.change(state) = State::Iter(Iter::Generator(Box::new(frame)));
            return Ok(());
        }
        Err(Reason::new(Kind::Context, format!("A generator within `{}`.", context.name())))
    }

    /// Traces what runs within a manager, which is entered before and left afterwards.
    pub(in crate::trace) fn run_within<R>(
        &mut self,
        context: Context,
        run: impl FnOnce(&mut Self) -> Traced<R>,
    ) -> Traced<R> {
        let context = match context {
            Context::Grad(grad) => Context::Grad(Grad { after: self.modes.grad, ..grad }),
            context => context,
        };
        let (context, _) = self.enter_context(context)?;
        let result = run(self);
        // An exception goes on behind the manager.
        if result.is_ok() || self.exceptions.raising.is_some() {
            let none = self.none();
            let raising = self.exceptions.raising.take();
            self.leave(&context, &[none; 3])?;
            self.exceptions.raising = raising;
        }
        result
    }

    /// A manager of torch's as a decorator of a function.
    pub(in crate::trace) fn decorate(&mut self, manager: ValueId, function: ValueId) -> Traced {
        let refused = |t: &mut Self| Reason::new(Kind::Context, format!("{} as a decorator.", t.describe(manager)));
        let is_plain = match self.get(function)? {
            Value::Function(function) => function.code.object.flags & flags::SUSPENDS == 0,
            Value::Decorated(..) => true,
            _ => false,
        };
        match self.get(manager)? {
            Value::Context(Context::Grad(grad)) if is_plain => {
                if grad.class == Class::Given {
                    // It has set the mode when it was made.
                    self.set_grad(grad.after);
                }
                Ok(self.value(Value::Decorated(Context::Grad(grad), function)))
            }
            Value::Context(context @ (Context::Inference(_) | Context::Autocast(_))) if is_plain => {
                Ok(self.value(Value::Decorated(context, function)))
            }
            Value::Context(context @ Context::Generator(generator)) if is_plain && self.begins(generator).is_some() => {
                Ok(self.value(Value::Decorated(context, function)))
            }
            _ => Err(refused(self)),
        }
    }

    /// The manager that a decorator enters: made by a method of another one, or itself.
    fn decorating(&mut self, manager: ValueId) -> Traced<Option<Context>> {
        match self.get(manager)? {
            Value::Method { function, this } => match self.get(function)? {
                Value::Function(function) if function.code.object.name == "clone" => match self.context_of(this)? {
                    Some(context @ (Context::Grad(_) | Context::Inference(_))) => Ok(Some(context)),
                    _ => Ok(None),
                },
                _ => Ok(None),
            },
            _ if self.is_autocast(manager)? => self.context_of(manager),
            _ => Ok(None),
        }
    }
}
