//! Calls: Python functions are inlined, torch's go into the graph, builtins have rows of their own.

use crate::{
    bytecode::code::flags,
    host::{ALLOWED, FunctionPolicy, Obj, View},
    reason::{Kind, Reason, raised},
    trace::{
        Traced, Tracer,
        core::{
            checkpoint::Speculative,
            frame::{Frame, Next, line_of},
            state::{Iter, State},
            value::{Function, Keywords, TypeOperator, Value, ValueId},
        },
        objects::{CACHED, METHOD},
        python::{containers, folding, operators},
        signature::Signature,
        torch::{functional, names, optim, torch_check},
        values::{
            numbers,
            singletons::{LIMITS, is_contiguous},
        },
    },
};
use fx::{Arg, Kind as NodeKind, torch_ops};
use guards::{Constant, GuardKind, Step};
use indexmap::IndexMap;
use std::rc::Rc;
use symshapes::DTypeClass;

/// Functions under `functools.lru_cache` that compute their results from their arguments alone, and whose results
/// nobody changes: those of einops (0.8), as torch's Dynamo knows them.
const PURE_CACHED: [&str; 4] = [
    "einops.einops._compactify_pattern_for_einsum",
    "einops.einops._prepare_transformation_recipe",
    "einops.einops._reconstruct_from_shape_uncached",
    "einops.packing.analyze_pattern",
];

impl Tracer<'_> {
    /// `function(*args, **keywords)`
    pub(in crate::trace) fn call(&mut self, function: ValueId, mut args: Vec<ValueId>, keywords: Keywords) -> Traced {
        let forced = self.force(function)?;
        if let Some(substitute) = self.substitute(function, forced) {
            return self.call(substitute, args, keywords);
        }
        match self.objects.values[forced].clone() {
            Value::Function(function) => self.call_function(&function, args, keywords),
            Value::Method { function, this } => {
                args.insert(0, this);
                self.call(function, args, keywords)
            }
            Value::Class(name, obj) => self.call_class(forced, &name, obj, &args, keywords),
            Value::Builtin(name) => self.call_builtin(&name, &args, keywords),
            Value::Partial(function, first, _) => {
                let mut all: IndexMap<String, ValueId> = self.keywords_of_partial(forced)?.into_iter().collect();
                let args = [first, args].concat();
                all.extend(keywords);
                self.call(function, args, all.into_iter().collect())
            }
            Value::Getter(class, parts, named) => self.call_getter(class, &parts, named, &args, &keywords),
            Value::SortKey(compare, _) => self.wrap_for_sort(compare, &args, &keywords),
            Value::Decorated(context, function) => self.call_decorated(context, function, args, keywords),
            Value::Context(_) if args.len() == 1 && keywords.is_empty() => self.decorate(forced, args[0]),
            Value::Exit(context, manager) if keywords.is_empty() => {
                self.modes.entered.retain(|&entered| entered != manager);
                self.leave(&context, &args)
            }
            Value::BoundBuiltin { this, name } => self.call_method(this, &name, &args, keywords),
            Value::WeakRef(referent) if args.is_empty() && keywords.is_empty() => self.referent_held(referent),
            Value::TypeExpr(TypeOperator::Subscript, class, _) => self.call_alias(forced, class, args, keywords),
            Value::Object(..) | Value::Instance(_) => self.call_object(forced, args, keywords),
            _ => Err(Reason::new(Kind::Call, format!("{}.", self.describe(forced)))),
        }
    }

    /// The function to trace in the place of one that is found, where the program has named one: `substitute_in_graph`.
    fn substitute(&mut self, function: ValueId, forced: ValueId) -> Option<ValueId> {
        let (&Value::Lazy(obj), Value::Builtin(_) | Value::Function(_)) =
            (&self.objects.values[function], &self.objects.values[forced])
        else {
            return None;
        };
        let source = self.source(function)?;
        let substitute = self.host.substitute(obj)?;
        let owner = self.sources.module("torch._dynamo.variables.functions");
        let owner = self.sources.attr(owner, "PolyfilledFunctionVariable");
        let method = self.sources.string("_get_polyfill_handlers");
        let table = self.sources.step(owner, Step::Call0(method));
        let entry = self.sources.item_of(table, source);
        let source = self.sources.attr(entry, "__torch_dynamo_polyfill__");
        Some(self.lazy(substitute, source))
    }

    /// `object(*args, **keywords)`: a module's `forward`, or `__call__` of the class.
    fn call_object(&mut self, object: ValueId, args: Vec<ValueId>, keywords: Keywords) -> Traced {
        if let Some(result) = self.call_module(object, &args, &keywords)? {
            return Ok(result);
        }
        if let Some(result) = self.call_compiled(object, &args, &keywords)? {
            return Ok(result);
        }
        if let Some(result) = self.call_cached(object, &args, &keywords)? {
            return Ok(result);
        }
        if let Some(referent) = self.referent(object, &args, &keywords) {
            return Ok(referent);
        }
        match self.special(object, "__call__")? {
            Some(method) => self.call(method, args, keywords),
            None => Err(Reason::new(Kind::Call, format!("{}.", self.describe(object)))),
        }
    }

    /// The object that a weak reference of the caller's gives, which is read as the program reads it; `None` for any
    /// other object.
    fn referent(&mut self, reference: ValueId, args: &[ValueId], keywords: &Keywords) -> Option<ValueId> {
        let (&Value::Object(_, obj), Some(source), [], []) =
            (&self.objects.values[reference], self.source(reference), args, &keywords[..])
        else {
            return None;
        };
        let referent = self.host.referent(obj).filter(|&referent| self.is_alive(referent))?;
        let method = self.sources.string("__call__");
        let source = self.sources.step(source, Step::Call0(method));
        Some(self.lazy(referent, source))
    }

    /// A call of a function of `functools.lru_cache` with constants: it is called now, and its result is read as the
    /// program would read it. `None` for any other object or arguments.
    fn call_cached(&mut self, function: ValueId, args: &[ValueId], keywords: &Keywords) -> Traced<Option<ValueId>> {
        let (Value::Object(class, obj), Some(source)) = (self.objects.values[function].clone(), self.source(function))
        else {
            return Ok(None);
        };
        if !matches!(class.as_str(), CACHED | METHOD) {
            return Ok(None);
        }
        let (mut positional, mut named) = (Vec::new(), Vec::new());
        for &arg in args {
            let arg = self.specialised(arg)?;
            let Some(constant) = self.as_constant(arg)? else { return self.call_pure_cached(function, args, keywords) };
            positional.push(constant);
        }
        for (name, arg) in keywords {
            let arg = self.specialised(*arg)?;
            let Some(constant) = self.as_constant(arg)? else { return self.call_pure_cached(function, args, keywords) };
            named.push(Constant::Tuple(vec![Constant::Str(name.clone()), constant]));
        }
        let arguments = Constant::Tuple(vec![Constant::Tuple(positional), Constant::Tuple(named)]);
        let kept = self.host.cached(obj, &arguments, true);
        // A function that is called now does not see what the program has changed before.
        let is_called =
            kept.is_none() && !self.heap.has_changed() && !self.raises_uncached(function, args, keywords)?;
        let found = if is_called { self.host.cached(obj, &arguments, false) } else { kept };
        let Some(found) = found else { return Ok(None) };
        let arguments = self.sources.constant(arguments);
        let source = self.sources.step(source, Step::Cached(arguments));
        let result = self.lazy(found, source);
        // Guarded even if nothing reads it, so that later calls leave it in the cache as well.
        self.force(result)?;
        Ok(Some(result))
    }

    /// A call of a function of `functools.lru_cache` that computes its result from its arguments, of which nobody
    /// changes anything: one of [`PURE_CACHED`] is traced. `None` for any other object.
    fn call_pure_cached(
        &mut self,
        function: ValueId,
        args: &[ValueId],
        keywords: &Keywords,
    ) -> Traced<Option<ValueId>> {
        let wrapped = self.get_attr(function, "__wrapped__")?;
        match self.get(wrapped)? {
            Value::Function(of) if PURE_CACHED.contains(&&*of.name) => {
                self.call(wrapped, args.to_vec(), keywords.clone()).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// True if the function within one of `functools.lru_cache` raises an exception for these arguments, as far as a
    /// trace of it can tell: its result is kept nowhere, so that the program alone may call it.
    fn raises_uncached(&mut self, function: ValueId, args: &[ValueId], keywords: &Keywords) -> Traced<bool> {
        let Value::Object(class, _) = self.objects.values[function].clone() else { return Ok(false) };
        let before = self.checkpoint();
        let mut trial = || {
            let (cached, first) = match class.as_str() {
                METHOD => (self.get_attr(function, "__func__")?, vec![self.get_attr(function, "__self__")?]),
                _ => (function, Vec::new()),
            };
            let wrapped = self.get_attr(cached, "__wrapped__")?;
            self.call(wrapped, [&first[..], args].concat(), keywords.clone())
        };
        let raises = matches!(trial(), Err(reason) if reason.kind == Kind::Raised);
        self.rollback(before);
        Ok(raises)
    }

    fn call_function(&mut self, function: &Rc<Function>, args: Vec<ValueId>, keywords: Keywords) -> Traced {
        if let Some(condition) = torch_check::condition(&function.name) {
            return condition.call(self, &args, &keywords);
        }
        self.initialize_lazy(&function.name, &args)?;
        if let Some(wrapper) = self.update_wrapper(function, &args, &keywords)? {
            return Ok(wrapper);
        }
        if let Some(found) = self.dispatch_by_class(function, &args)? {
            return Ok(found);
        }
        if function.policy == FunctionPolicy::Skipped {
            if let Some(left) = self.leave_object(&function.name, &args, &keywords)? {
                return Ok(left);
            }
            if let Some(result) = self.call_wrapper(function, &args, &keywords)? {
                return Ok(result);
            }
            if let Some(signature) = Signature::of_function(&function.name) {
                return signature.call(self, &args, &keywords);
            }
            if let Some(result) = self.call_on_tensor(&function.name, &args, &keywords)? {
                return Ok(result);
            }
            if let Some(result) = self.call_numpy(&function.name, &args, &keywords)? {
                return Ok(result);
            }
            let kind = match names::why_not(&function.name) {
                Kind::Call => Kind::SkippedFunction,
                kind => kind,
            };
            return Err(Reason::new(kind, format!("`{}`.", function.name)));
        }
        if function.policy == FunctionPolicy::Disabled {
            if let Some(wrapped) = optim::prepares_state(self, function) {
                return self.call(wrapped, args, keywords);
            }
            return Err(Reason::new(Kind::Asked, format!("`{}`.", function.name)));
        }
        if let (FunctionPolicy::Constant, Some(object), true) = (function.policy, function.object, keywords.is_empty())
            && let Some(result) = self.assumed(object, &args)?
        {
            return Ok(result);
        }
        let keywords = optim::capturable(self, &function.name, keywords)?;
        let this = args.first().copied();
        let mut frame = self.bind(function, args, keywords)?;
        if function.code.object.is_generator() {
            return Ok(self.state(State::Iter(Iter::Generator(Box::new(frame)))));
        }
        if function.code.object.flags & flags::SUSPENDS != 0 {
            return Err(Reason::new(Kind::Call, format!("`{}` is a coroutine.", function.name)));
        }
        match self.run(&mut frame) {
            Ok(Next::Return(value)) => Ok(value),
            Ok(_) => Err(Reason::new(Kind::Opcode, "A function yields that is no generator.")),
            Err(reason) if self.calls_hooks_of_failed(&function.name, this) => Err(self.uncaught(reason)),
            Err(reason) => Err(reason),
        }
    }

    /// The result of a function that the user has declared to give the same each time; `None` where an argument or the
    /// result is not a constant, or the call raises.
    fn assumed(&mut self, function: Obj, args: &[ValueId]) -> Traced<Option<ValueId>> {
        let constants = args.iter().map(|&arg| self.as_constant(arg)).collect::<Traced<Option<Vec<_>>>>()?;
        let result = constants.and_then(|constants| self.host.assume(function, &constants));
        let Some(result) = result else { return Ok(None) };
        let is_constant = match self.host.view(result) {
            View::Constant(_) | View::Tuple(_) => true,
            View::Object(class) => LIMITS.contains(&class.as_str()),
            _ => false,
        };
        Ok(is_constant.then(|| self.value(Value::Lazy(result))))
    }

    /// Runs a frame that is inlined until it returns or yields.
    pub(in crate::trace) fn run(&mut self, frame: &mut Frame) -> Traced<Next> {
        if self.call_stack.lines.len() >= self.options.depth {
            return Err(Reason::new(Kind::TooDeep, format!("`{}`.", frame.code.object.name)));
        }
        let within = self.call_stack.within.take();
        self.call_stack.lines.push(line_of(frame));
        self.call_stack.globals.push(frame.globals);
        self.call_stack.spans.push(frame.span());
        let depth = self.call_stack.lines.len();
        let handled = self.exceptions.handled;
        let next = loop {
            self.call_stack.lines[depth - 1].1 = frame.line();
            self.call_stack.spans[depth - 1] = frame.span();
            let at = frame.at;
            match self.step(frame) {
                Ok(Next::Go) => {}
                Ok(next) => break Ok(next),
                Err(reason) if self.catch(frame, at, &reason) => {}
                Err(reason) => {
                    self.call_stack
                        .failed_at
                        .get_or_insert_with(|| (self.call_stack.lines.clone(), self.call_stack.spans.clone()));
                    self.exceptions.handled = handled;
                    break Err(reason);
                }
            }
        };
        self.call_stack.lines.pop();
        self.call_stack.globals.pop();
        self.call_stack.spans.pop();
        self.call_stack.within = within;
        next
    }

    /// The frame of a call, its parameters bound as Python binds them.
    fn bind(&mut self, function: &Rc<Function>, args: Vec<ValueId>, keywords: Keywords) -> Traced<Frame> {
        let object = &function.code.object;
        let mut frame =
            Frame::new(Rc::clone(&function.code), function.constants, function.globals, function.closure.clone());
        let (positional, keyword_only) = (object.argcount as usize, object.kwonlyargcount as usize);
        let named = positional + keyword_only;
        let refused = |what: &str| Reason::new(Kind::Raised, format!("TypeError: {}() {what}.", object.name));
        let mut args = args.into_iter();
        for (slot, arg) in frame.locals[..positional].iter_mut().zip(args.by_ref()) {
            *slot = Some(arg);
        }
        let rest: Vec<ValueId> = args.collect();
        if object.flags & flags::VARARGS != 0 {
            frame.locals[named] = Some(self.value(Value::Tuple(rest)));
        } else if !rest.is_empty() {
            return Err(refused("takes fewer arguments"));
        }
        let mut extra = IndexMap::new();
        for (name, value) in keywords {
            let from = object.posonlyargcount as usize;
            match object.varnames[from..named].iter().position(|param| *param == name) {
                Some(at) if frame.locals[from + at].is_some() => return Err(refused("got an argument twice")),
                Some(at) => frame.locals[from + at] = Some(value),
                None => {
                    let key = self.constant(Constant::Str(name));
                    extra.insert(self.key(key)?, (key, value));
                }
            }
        }
        if object.flags & flags::VARKEYWORDS != 0 {
            let at = named + usize::from(object.flags & flags::VARARGS != 0);
            frame.locals[at] = Some(self.state(State::Dict(extra)));
        } else if !extra.is_empty() {
            return Err(refused("got an unexpected keyword argument"));
        }
        let first = positional.saturating_sub(function.defaults.len());
        for (slot, &default) in frame.locals[first..positional].iter_mut().zip(&function.defaults) {
            slot.get_or_insert(default);
        }
        for (name, default) in &function.kwdefaults {
            if let Some(at) = object.varnames[positional..named].iter().position(|param| param == name) {
                frame.locals[positional + at].get_or_insert(*default);
            }
        }
        if frame.locals[..named].iter().any(Option::is_none) {
            return Err(refused("is missing an argument"));
        }
        Ok(frame)
    }

    fn call_class(&mut self, class: ValueId, name: &str, obj: Obj, args: &[ValueId], keywords: Keywords) -> Traced {
        if keywords.is_empty()
            && LIMITS.contains(&name)
            && let Some(limits) = self.assumed(obj, args)?
        {
            return Ok(limits);
        }
        if self.host.is_immutable(obj)
            && self.host.is_exception(obj)
            && let Some(made) = self.call_exception_class(name, obj, args, &keywords)
        {
            return Ok(made);
        }
        if let (&[value], true) = (args, keywords.is_empty())
            && let Some(member) = self.enum_by_value(class, obj, value)?
        {
            return Ok(member);
        }
        let has_row = Signature::of_function(name).is_some();
        if !has_row && let Some(made) = self.construct(class, obj, args, &keywords)? {
            return Ok(made);
        }
        match self.record_class(obj) {
            Some(class) if !class.of_sequence => self.make_record(obj, class, args, keywords),
            _ => self.call_builtin(name, args, keywords),
        }
    }

    /// A call of a function without Python code, or of a class.
    pub(in crate::trace) fn call_builtin(&mut self, name: &str, args: &[ValueId], keywords: Keywords) -> Traced {
        let outside = std::mem::replace(
            &mut self.call_stack.within,
            operators::traced_by_torch(name).or_else(|| functional::traced(name)),
        );
        let result = self.call_named(name, args, keywords);
        self.call_stack.within = outside;
        result
    }

    fn call_named(&mut self, name: &str, args: &[ValueId], keywords: Keywords) -> Traced {
        if let Some(operator) = name.strip_prefix("operator.").filter(|_| keywords.is_empty())
            && let Some(value) = self.call_operator(operator, args)?
        {
            return Ok(value);
        }
        if let Some(value) = self.ask_object(name, args, &keywords)? {
            return Ok(value);
        }
        if let Some(signature) = Signature::of_function(name) {
            return signature.call(self, args, &keywords);
        }
        if let Some(value) = self.call_new(name, args, &keywords)? {
            return Ok(value);
        }
        if let Some(value) = self.call_on_tensor(name, args, &keywords)? {
            return Ok(value);
        }
        if let Some(value) = self.call_on_base(name, args, &keywords)? {
            return Ok(value);
        }
        if let Some(value) = self.call_on_exception(name, args, &keywords)? {
            return Ok(value);
        }
        if let Some(value) = self.call_on_held_scalar(name, args, &keywords)? {
            return Ok(value);
        }
        if let Some(value) = self.call_foreach(name, args, &keywords)? {
            return Ok(value);
        }
        if let Some(value) = self.call_numpy(name, args, &keywords)? {
            return Ok(value);
        }
        if name.starts_with("operator.") && name != "operator.call" && !keywords.is_empty() {
            return Err(crate::reason::raised(&format!("TypeError: {name}() takes no keyword arguments")));
        }
        let mut on_tensors = false;
        for &value in args.iter().chain(keywords.iter().map(|(_, value)| value)) {
            on_tensors |= self.holds_tensor(value)?;
        }
        if name.starts_with(ALLOWED) {
            return self.call_torch(NodeKind::CallFunction, name, None, args, keywords);
        }
        let torch = torch_ops::knows(name) || names::may_be_operator(name);
        if let (Some(method), true) = (name.strip_prefix("Tensor."), on_tensors) {
            let (this, rest) = args.split_first().ok_or_else(|| crate::reason::raised("TypeError"))?;
            return self.call_tensor_method(*this, method, rest, keywords);
        }
        if torch && (on_tensors || names::is_factory(name)) {
            return self.call_torch(NodeKind::CallFunction, name, None, args, keywords);
        }
        if !on_tensors && folding::is_pure(name) {
            if keywords.is_empty()
                && let Some(number) = self.number_call(name, args)?
            {
                return Ok(number);
            }
            if let Some(folded) = self.folded(name, args, &keywords)? {
                return Ok(folded);
            }
        }
        Err(Reason::new(names::why_not(name), format!("`{name}`.")))
    }

    /// Puts a call of torch into the graph.
    pub(in crate::trace) fn call_torch(
        &mut self,
        kind: NodeKind,
        target: &str,
        this: Option<ValueId>,
        args: &[ValueId],
        keywords: Keywords,
    ) -> Traced {
        self.makes_no_leaf(target, &keywords)?;
        let keywords = if this.is_none() { self.placed(target, keywords)? } else { keywords };
        let out = keywords.iter().find(|(name, _)| name == "out").map(|&(_, out)| out);
        let is_torch = kind == NodeKind::CallMethod || target.starts_with("torch.");
        let one = if is_torch { Tracer::arg_of_torch } else { Tracer::arg };
        let args = this.iter().chain(args).map(|&arg| one(self, arg)).collect::<Traced<Vec<Arg>>>()?;
        let keywords = keywords.into_iter().map(|(name, value)| Ok((name, one(self, value)?)));
        let keywords = keywords.collect::<Traced<Vec<_>>>()?;
        let last = target.rsplit('.').next().unwrap_or(target);
        if let Some(out) = out {
            return self.emit_in_place(kind, target, out, args, keywords);
        }
        match this {
            Some(this) if last.ends_with('_') && !last.ends_with("__") => {
                self.emit_in_place(kind, target, this, args, keywords)
            }
            None if last.ends_with('_') && !self.host.gives_nothing(target) => {
                Err(Reason::new(Kind::Mutation, format!("`{target}`.")))
            }
            // torch names a node after the whole of an overload.
            None if target.starts_with("aten.") => {
                let name = target.trim_start_matches("aten.").replace('.', "_").to_lowercase();
                self.emit_named(Some(&name), kind, target, args, keywords)
            }
            _ => self.emit(kind, target, args, keywords),
        }
    }

    /// `this.name(*args, **keywords)` where `this` is no object with Python methods.
    pub(in crate::trace) fn call_method(
        &mut self,
        this: ValueId,
        name: &str,
        args: &[ValueId],
        keywords: Keywords,
    ) -> Traced {
        match self.get(this)? {
            Value::InstanceDict(object) => self.call_dict_of(object, name, args, &keywords),
            Value::Tensor(_) => self.call_tensor_method(this, name, args, keywords),
            Value::NdArray { .. } => self.call_array_method(this, name, args, &keywords),
            Value::Builtin(descriptor) if name == "__get__" && keywords.is_empty() => {
                match self.call_descriptor(&descriptor, args)? {
                    Some(found) => Ok(found),
                    None => Err(Reason::new(Kind::Call, format!("`{descriptor}.__get__`."))),
                }
            }
            Value::Function(_) if name == "__get__" && keywords.is_empty() => self.bind_function(this, args),
            number if number.is_number() => self.call_number_method(this, name, args, &keywords),
            Value::Const(constant) => self.fold_method(&constant, name, args, &keywords),
            _ => containers::call_method(self, this, name, args, &keywords),
        }
    }

    /// `function.__get__(this, owner=None)`
    fn bind_function(&mut self, function: ValueId, args: &[ValueId]) -> Traced {
        let (this, owner) = match *args {
            [this] => (this, None),
            [this, owner] => (this, self.unless_none(Some(owner))?),
            _ => return Err(raised("TypeError: __get__")),
        };
        match (self.get(this)?, owner) {
            (Value::Const(Constant::None), None) => Err(raised("TypeError: __get__(None, None) is invalid")),
            (Value::Const(Constant::None), Some(_)) => Ok(function),
            _ => Ok(self.value(Value::Method { function, this })),
        }
    }

    fn call_number_method(&mut self, this: ValueId, name: &str, args: &[ValueId], keywords: &Keywords) -> Traced {
        if let Some(function) = numbers::function_of_method(name)
            && keywords.is_empty()
        {
            let args: Vec<ValueId> = std::iter::once(this).chain(args.iter().copied()).collect();
            if let Some(number) = self.number_call(function, &args)? {
                return Ok(number);
            }
        }
        let known = self.specialised(this)?;
        match self.get(known)? {
            Value::Const(constant) => self.fold_method(&constant, name, args, keywords),
            _ => Err(Reason::new(Kind::Call, format!("The method `{name}` of {}.", self.describe(this)))),
        }
    }

    fn call_tensor_method(&mut self, this: ValueId, name: &str, args: &[ValueId], keywords: Keywords) -> Traced {
        if let Some(method) = self.replaced_tensor_method(this, name)? {
            return self.call(method, [&[this], args].concat(), keywords);
        }
        if name == "numpy" && args.is_empty() && keywords.is_empty() {
            return self.array_of_tensor(this);
        }
        if name == "requires_grad_"
            && keywords.is_empty()
            && matches!(args, [] | [_])
            && let wanted = args.first().map_or(Ok(true), |&arg| self.truth(arg))?
            && self.requires_as(this, wanted)?
        {
            // It does already, or does not.
            return Ok(this);
        }
        if let ("tolist", [], true, Value::Tensor(node)) = (name, args, keywords.is_empty(), self.get(this)?)
            && let Some(list) = self.listed_integers(node)?
        {
            return Ok(list);
        }
        if name == "addcdiv_"
            && let Some(sum) = optim::add_quotient(self, this, args, &keywords)?
        {
            return Ok(sum);
        }
        if matches!(name, "add" | "add_" | "sub" | "sub_")
            && let Some(sum) = optim::add_multiple(self, this, name, args, &keywords)?
        {
            return Ok(sum);
        }
        if let Some(kind) = names::tensor_to_python(name) {
            return Err(Reason::new(kind, format!("`Tensor.{name}`.")));
        }
        let Value::Tensor(node) = self.get(this)? else {
            return Err(Reason::new(Kind::Call, format!("`Tensor.{name}` of {}.", self.describe(this))));
        };
        let meta = self.graph.torch[node].tensor_meta().cloned();
        if let Some(meta) = &meta
            && keywords.is_empty()
            && let Some(known) = self.question(node, name, args, meta)?
        {
            return Ok(known);
        }
        if let Some(method) = Signature::of_method("torch.Tensor", name) {
            return method.call(self, &[&[this], args].concat(), &keywords);
        }
        match (name, args, meta) {
            ("new_tensor", [data], Some(meta)) => self.new_tensor(*data, &meta, keywords),
            _ => self.call_torch(NodeKind::CallMethod, name, Some(this), args, keywords),
        }
    }

    /// True for a tensor of which it is known that it requires gradients, or that it does not, as is wanted.
    fn requires_as(&mut self, tensor: ValueId, wanted: bool) -> Traced<bool> {
        if self.requires_grad(tensor)? {
            return Ok(wanted);
        }
        let Ok(known) = self.get_attr(tensor, "requires_grad") else { return Ok(false) };
        Ok(!wanted && matches!(self.get(known)?, Value::Const(Constant::Bool(false))))
    }

    /// The offset of a tensor of the caller's in its storage, under a guard.
    pub(in crate::trace) fn storage_offset(&mut self, tensor: ValueId) -> Traced<Option<ValueId>> {
        let tensor = self.force(tensor)?;
        let found = self.objects.known.iter().find(|&(_, &known)| known == tensor).map(|(&obj, _)| obj);
        let (Some(obj), Some(source), false) =
            (found, self.source(tensor), self.graph.effects.changes || self.graph.effects.writes)
        else {
            return Ok(None);
        };
        let View::Tensor(view) = self.host.view(obj) else { return Ok(None) };
        let method = self.sources.string("storage_offset");
        let asked = self.sources.step(source, Step::Call0(method));
        let offset = self.sources.constant(Constant::Int(view.offset));
        self.guard(asked, GuardKind::EqualsMatch(offset));
        Ok(Some(self.constant(Constant::Int(view.offset))))
    }

    /// `this.new_tensor(data)`, which torch writes as a call of `torch.tensor`.
    fn new_tensor(&mut self, data: ValueId, like: &fx::TensorMeta, given: Keywords) -> Traced {
        let defaults = [("dtype", Constant::DType(like.dtype)), ("device", Constant::Device(like.device))];
        let mut keywords: IndexMap<String, ValueId> = IndexMap::new();
        for (name, default) in defaults {
            let default = self.constant(default);
            keywords.insert(name.to_owned(), default);
        }
        keywords.extend(given);
        self.call_torch(NodeKind::CallFunction, "torch.tensor", None, &[data], keywords.into_iter().collect())
    }

    /// The answer of a method that only asks for metadata which is constant.
    fn question(
        &mut self,
        node: fx::NodeId,
        name: &str,
        args: &[ValueId],
        meta: &fx::TensorMeta,
    ) -> Traced<Option<ValueId>> {
        let sizes = self.known(&meta.sizes);
        let strides = self.known(&meta.strides);
        let answer = match (name, args) {
            ("dim" | "ndimension", []) => Constant::Int(meta.sizes.len() as i64),
            ("is_floating_point", []) => Constant::Bool(meta.dtype.is_float()),
            ("is_complex", []) => Constant::Bool(meta.dtype.class() == DTypeClass::Complex),
            ("is_conj" | "is_neg", []) => match self.pending(node) {
                Some(pending) => Constant::Bool(if name == "is_conj" { pending.conj } else { pending.neg }),
                None => return Ok(None),
            },
            ("element_size", []) => Constant::Int(meta.dtype.size() as i64),
            ("numel" | "nelement", []) => match sizes {
                Some(sizes) => Constant::Int(sizes.iter().product()),
                None => return Ok(None),
            },
            ("stride", []) => match strides {
                Some(strides) => Constant::Tuple(strides.into_iter().map(Constant::Int).collect()),
                None => return Ok(None),
            },
            ("stride", [dim]) => match strides {
                Some(strides) => Constant::Int(strides[self.dim_of(*dim, strides.len())?]),
                None => return Ok(None),
            },
            ("is_contiguous", []) => match (sizes, strides) {
                (Some(sizes), Some(strides)) => Constant::Bool(is_contiguous(&sizes, &strides)),
                _ => return Ok(None),
            },
            _ => return Ok(None),
        };
        Ok(Some(self.of_constant(answer)))
    }

    /// Sizes or strides, where none is a symbol.
    pub(in crate::trace) fn known(&self, exprs: &[symshapes::Expr]) -> Option<Vec<i64>> {
        exprs.iter().map(|&e| self.shapes.env.pool().as_int(e)).collect()
    }

    /// The place of a dimension, counted from the end if it is negative.
    pub(in crate::trace) fn dim_of(&mut self, dim: ValueId, rank: usize) -> Traced<usize> {
        let at = self.concrete(dim)?;
        let place = if at < 0 { at + rank as i64 } else { at };
        let place = usize::try_from(place).ok().filter(|&place| place < rank);
        place.ok_or_else(|| crate::reason::raised("IndexError: dimension out of range"))
    }
}
