//! Constants, local and global variables, cells, and imports.

use crate::{
    bytecode::{Const, ConstId, LocalId, NameId, Version, operands},
    constant::plain_constant,
    host::{Code, Scope},
    reason::{Kind, Reason},
    trace::{
        Traced, Tracer,
        core::{
            frame::{Frame, Globals},
            state::{Entries, State},
            value::{Value, ValueId},
        },
        python::dict_methods,
    },
};
use guards::{Constant, Element, GuardKind};
use std::rc::Rc;

impl Tracer<'_> {
    /// A constant of the code object.
    pub(in crate::trace) fn load_const(&mut self, f: &Frame, id: ConstId) -> Traced {
        match f.constant(id)? {
            Const::Code(code) => {
                let code = Code::new((**code).clone(), self.host.version());
                let code = code.map_err(|error| Reason::new(Kind::Opcode, error.to_string()))?;
                Ok(self.value(Value::Code(Rc::new(code))))
            }
            Const::Opaque(index) => {
                let obj = f.code_obj.and_then(|code| self.host.opaque(code, *index));
                Ok(self.value(Value::Lazy(obj.ok_or_else(opaque_constant)?)))
            }
            constant => self.of_code_constant(constant),
        }
    }

    /// A constant of a code object that is neither code nor an object.
    fn of_code_constant(&mut self, constant: &Const) -> Traced {
        let mut all =
            |items: &[Const]| items.iter().map(|item| self.of_code_constant(item)).collect::<Traced<Vec<_>>>();
        match (plain_constant(constant), constant) {
            (Some(plain), _) => Ok(self.of_constant(plain)),
            (None, Const::Tuple(items)) => {
                let items = all(items)?;
                Ok(self.value(Value::Tuple(items)))
            }
            (None, Const::Slice(parts)) => {
                let parts = all(&parts[..])?;
                let &[start, stop, step] = &parts[..] else { return Err(opaque_constant()) };
                Ok(self.value(Value::Slice([start, stop, step])))
            }
            (None, _) => Err(opaque_constant()),
        }
    }

    /// `LOAD_FAST_AND_CLEAR`: a local that is not bound is NULL on the stack.
    pub(in crate::trace) fn load_and_clear(&mut self, f: &mut Frame, id: LocalId) -> Traced<()> {
        let value = f.local_mut(id)?.take();
        let value = value.unwrap_or_else(|| self.value(Value::Null));
        f.push(value);
        Ok(())
    }

    /// Pops into a local, which is not bound if what is popped is NULL. A tensor's node is named after it.
    pub(in crate::trace) fn store_local(&mut self, f: &mut Frame, id: LocalId) -> Traced<()> {
        let value = f.pop()?;
        let is_null = matches!(self.objects.values[value], Value::Null);
        self.name_after(value, f.local_name(id));
        let before = std::mem::replace(f.local_mut(id)?, (!is_null).then_some(value));
        f.finalizes |= before.is_some_and(|before| self.drops_finalizer(f, before));
        Ok(())
    }

    /// `locals()`: a dict of the frame's bound variables. Before 3.13 each frame has one dict, which a call brings up
    /// to date.
    pub(in crate::trace) fn local_variables(&mut self, f: &mut Frame) -> Traced {
        if f.code.object.is_generator() {
            return Err(Reason::new(Kind::Call, "`locals` in a generator."));
        }
        let before = f.variables.filter(|_| self.host.version() < Version::V313);
        let dict = before.unwrap_or_else(|| self.state(State::Dict(Entries::new())));
        let Value::State(state) = self.objects.values[dict] else { return Ok(dict) };
        let State::Dict(mut entries) = self.heap.get(state).clone() else { return Ok(dict) };
        let names: Vec<String> = f.code.object.local_names().map(str::to_owned).collect();
        for (name, &local) in names.into_iter().zip(&f.locals) {
            let name = self.constant(Constant::Str(name));
            let key = self.key(name)?;
            match local.and_then(|local| self.bound_to(local)) {
                Some(value) => entries.entry(key).or_insert((name, value)).1 = value,
                None => drop(entries.shift_remove(&key)),
            }
        }
        dict_methods::store(self, state, entries)?;
        f.variables = Some(dict);
        Ok(dict)
    }

    /// The value of a variable, which may lie in a cell; `None` if it is unbound.
    fn bound_to(&self, local: ValueId) -> Option<ValueId> {
        match self.objects.values[local] {
            Value::Null => None,
            Value::State(state) => match self.heap.get(state) {
                State::Cell(content) => *content,
                _ => Some(local),
            },
            _ => Some(local),
        }
    }

    /// `MAKE_CELL`
    pub(in crate::trace) fn make_cell(&mut self, f: &mut Frame, id: LocalId) -> Traced<()> {
        let content = f.local_mut(id)?.take();
        *f.local_mut(id)? = Some(self.state(State::Cell(content)));
        Ok(())
    }

    /// `LOAD_DEREF`
    pub(in crate::trace) fn load_deref(&mut self, f: &mut Frame, id: LocalId) -> Traced<()> {
        let cell = f.local(id)?;
        let content = match self.cell(cell)? {
            State::Cell(Some(content)) => *content,
            _ => return Err(self.empty_cell(f, id, cell)),
        };
        if let Some(place) = self.source(content) {
            self.found_variable(place);
        }
        f.push(content);
        Ok(())
    }

    /// The exception that an empty cell raises. Nothing guards that one of the caller's is empty.
    fn empty_cell(&mut self, f: &Frame, id: LocalId, cell: ValueId) -> Reason {
        let name = f.local_name(id);
        let is_free = f.code.object.freevars.iter().any(|free| free == name);
        let reason = match is_free {
            true => {
                let place = "where it is not associated with a value in enclosing scope";
                Reason::undefined(format!("cannot access free variable '{name}' {place}"), name)
            }
            false => Reason::unbound(name),
        };
        let is_made = |state| self.heap.origin(state).is_none();
        let forced = self.objects.forced.get(&cell).copied().unwrap_or(cell);
        match self.objects.values[forced] {
            Value::State(state) if is_made(state) => reason,
            _ => reason.uncaught(),
        }
    }

    /// Takes off the stack what comes into a cell. A tensor's node is named after the variable.
    pub(in crate::trace) fn content_of_cell(&mut self, f: &mut Frame, id: LocalId) -> Traced {
        let cell = f.local(id)?;
        self.cell(cell)?;
        let content = f.pop()?;
        if self.call_stack.lines.len() == 1 {
            self.name_after(content, f.local_name(id));
        }
        Ok(content)
    }

    /// Sets what is in the cell of a variable; `None` deletes it.
    pub(in crate::trace) fn set_cell(&mut self, f: &Frame, id: LocalId, content: Option<ValueId>) -> Traced<()> {
        let cell = f.local(id)?;
        self.cell(cell)?;
        if let Value::State(state) = self.get(cell)? {
            *self.heap.change(state) = State::Cell(content);
        }
        Ok(())
    }

    /// The state of a cell.
    pub(in crate::trace) fn cell(&mut self, value: ValueId) -> Traced<&State> {
        match self.get(value)? {
            Value::State(state) => Ok(self.heap.get(state)),
            _ => Err(Reason::new(Kind::Opcode, "A closure's variable without a cell.")),
        }
    }

    /// `LOAD_GLOBAL`, with the empty slot of a call if the flags ask for it: below the callable until 3.12, above it
    /// later.
    pub(in crate::trace) fn load_global_for(&mut self, f: &mut Frame, (id, flags): (NameId, u32)) -> Traced<()> {
        let name = f.name(id)?;
        let value = self.load_global(f.globals, &name)?;
        self.push_callable(f, value, flags);
        Ok(())
    }

    /// Pushes a value, with the empty slot of a call if the flags ask for it.
    pub(in crate::trace) fn push_callable(&mut self, f: &mut Frame, value: ValueId, flags: u32) {
        let null = (flags & operands::FOR_CALL != 0).then(|| self.value(Value::Null));
        let below = self.host.version() < Version::V313;
        f.stack.extend(null.filter(|_| below));
        f.push(value);
        f.stack.extend(null.filter(|_| !below));
    }

    /// `LOAD_ATTR`, `LOAD_METHOD`
    pub(in crate::trace) fn load_attr(&mut self, f: &mut Frame, (id, flags): (NameId, u32)) -> Traced<()> {
        let name = f.name(id)?;
        let object = f.pop()?;
        let value = self.holding(f, |t| t.get_attr(object, &name))?;
        self.push_callable(f, value, flags);
        Ok(())
    }

    /// `IMPORT_NAME` of a module that is loaded: itself where names of it are wanted, else the outermost package.
    pub(in crate::trace) fn import(&mut self, f: &mut Frame, name: &str) -> Traced<()> {
        let (names, level) = (f.pop()?, f.pop()?);
        let unknown = || Reason::new(Kind::Opcode, format!("IMPORT_NAME of `{name}`."));
        if self.concrete(level)? != 0 {
            return Err(unknown());
        }
        let whole = !self.is_none(names)?;
        self.host.module(name).ok_or_else(unknown)?;
        let wanted = if whole { name } else { name.split('.').next().unwrap_or(name) };
        let module = self.host.module(wanted).ok_or_else(unknown)?;
        let source = self.sources.module(wanted);
        let value = self.lazy(module, source);
        f.push(value);
        Ok(())
    }

    /// The exception of a name that is neither a global variable nor a builtin, which is guarded.
    fn undefined(&mut self, globals: Globals, name: &str) -> Reason {
        let function = globals.owner.expand().unwrap_or_else(|| self.sources.function());
        let key = Element::Constant(self.sources.constant(Constant::Str(name.to_owned())));
        for scope in ["__globals__", "__builtins__"] {
            let dict = self.sources.attr(function, scope);
            self.guard(dict, GuardKind::DictNotContains(key));
        }
        Reason::undefined(format!("name '{name}' is not defined"), name)
    }

    /// A global variable or builtin.
    pub(in crate::trace) fn load_global(&mut self, globals: Globals, name: &str) -> Traced {
        match self.written_global(globals, name) {
            Some(deleted) if matches!(self.objects.values[deleted], Value::Null) => {
                return Err(Reason::new(Kind::Attribute, format!("The variable `{name}`, which was deleted.")));
            }
            Some(written) => return Ok(written),
            None => {}
        }
        let Some((obj, scope)) = self.host.global(globals.dict, name) else {
            return Err(self.undefined(globals, name));
        };
        let source = match (globals.owner.expand(), scope) {
            (Some(owner), Scope::Module) => {
                let dict = self.sources.attr(owner, "__globals__");
                self.sources.item(dict, Constant::Str(name.to_owned()))
            }
            // Builtins are the same everywhere, unless a module hides one: then it is found as the module's own.
            (None, _) | (Some(_), Scope::Builtins) => self.sources.global(name),
        };
        self.found_variable(source);
        Ok(self.lazy(obj, source))
    }
}

/// Binds the free variables to the cells of the closure.
pub(in crate::trace) fn copy_free_vars(f: &mut Frame) {
    let first = f.locals.len() - f.closure.len();
    for (slot, &cell) in f.locals[first..].iter_mut().zip(&f.closure) {
        *slot = Some(cell);
    }
}

fn opaque_constant() -> Reason {
    Reason::new(Kind::Opcode, "A constant that is an object.")
}
