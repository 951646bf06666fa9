//! Instructions that call: what lies on the stack is taken off, and the result is pushed.
//!
//! Below the arguments lie two slots: a callable and an empty slot, or a method and its object. Until 3.12 the empty
//! slot is the lower one, later the upper one.

use crate::{
    bytecode::{NameId, Version, operands::HAS_KEYWORDS},
    reason::{Kind, Reason, raised},
    trace::{
        Traced, Tracer,
        core::{
            frame::Frame,
            value::{Keywords, Value, ValueId},
        },
        objects::SUPER,
        python::dict_methods,
    },
};
use guards::Constant;

impl Tracer<'_> {
    /// `CALL`, `CALL_KW`: the last arguments are those of the keywords.
    pub(in crate::trace) fn call_op(&mut self, f: &mut Frame, count: usize, keywords: Vec<String>) -> Traced<()> {
        let mut args = f.pop_many(count)?;
        let (second, first) = (f.pop()?, f.pop()?);
        let (callable, this) = if self.host.version() >= Version::V313 {
            (first, Some(second))
        } else {
            match self.objects.values[first] {
                Value::Null => (second, None),
                _ => (first, Some(second)),
            }
        };
        let named = args.split_off(args.len() - keywords.len().min(args.len()));
        if let Some(this) = this.filter(|&this| !matches!(self.objects.values[this], Value::Null)) {
            args.insert(0, this);
        }
        let of_frame = if args.is_empty() && named.is_empty() { self.call_of_frame(callable, f)? } else { None };
        let value = match of_frame {
            Some(value) => value,
            None => self.holding(f, |t| t.call(callable, args, keywords.into_iter().zip(named).collect()))?,
        };
        f.push(value);
        Ok(())
    }

    /// Takes the names of keyword arguments off the stack (`CALL_KW`).
    pub(in crate::trace) fn pop_keyword_names(&mut self, f: &mut Frame) -> Traced<Vec<String>> {
        let names = f.pop()?;
        let mut keywords = Vec::new();
        for name in self.all_items(names)? {
            if let Value::Const(Constant::Str(name)) = self.get(name)? {
                keywords.push(name);
            }
        }
        Ok(keywords)
    }

    /// A call without arguments of what looks into its caller's frame then; `None` for anything else.
    fn call_of_frame(&mut self, callable: ValueId, f: &mut Frame) -> Traced<Option<ValueId>> {
        Ok(match self.get(callable)? {
            Value::Class(name, _) if name == SUPER => Some(self.bare_super(f)?),
            Value::Builtin(name) => match name.strip_prefix("builtins.") {
                Some("locals" | "vars") => Some(self.local_variables(f)?),
                Some("dir") => {
                    let variables = self.local_variables(f)?;
                    Some(self.call_builtin("builtins.sorted", &[variables], vec![])?)
                }
                _ => None,
            },
            _ => None,
        })
    }

    fn is_super(&mut self, callable: ValueId) -> Traced<bool> {
        Ok(matches!(self.get(callable)?, Value::Class(name, _) if name == SUPER))
    }

    /// `LOAD_SUPER_ATTR`: `super`, the class and the object lie on the stack.
    pub(in crate::trace) fn load_super_attr(&mut self, f: &mut Frame, (id, flags): (NameId, u32)) -> Traced<()> {
        let name = f.name(id)?;
        let (this, class, callable) = (f.pop()?, f.pop()?, f.pop()?);
        if !self.is_super(callable)? {
            return Err(Reason::new(Kind::Call, "A variable `super` that is not the builtin."));
        }
        let found = self.make_super(class, this)?;
        let found = self.get_attr(found, &name)?;
        self.push_callable(f, found, flags);
        Ok(())
    }

    /// `CALL_FUNCTION_EX`: the arguments lie in a sequence, those by name in a dict above it. That there is none, the
    /// flags say until 3.13, and an empty slot later.
    pub(in crate::trace) fn call_unpacked(&mut self, f: &mut Frame, flags: u32) -> Traced<()> {
        let above =
            if self.host.version() >= Version::V314 || flags & HAS_KEYWORDS != 0 { Some(f.pop()?) } else { None };
        let keywords = match above.filter(|&above| !matches!(self.objects.values[above], Value::Null)) {
            Some(dict) => self.keywords_of(dict)?,
            None => Vec::new(),
        };
        let args = f.pop()?;
        let args = self.listed_items(args)?;
        let (second, first) = (f.pop()?, f.pop()?);
        let callable = if self.host.version() >= Version::V313 { first } else { second };
        let value = self.holding(f, |t| t.call(callable, args, keywords))?;
        f.push(value);
        Ok(())
    }

    /// The keyword arguments that a dict stands for in a call.
    pub(in crate::trace) fn keywords_of(&mut self, dict: ValueId) -> Traced<Keywords> {
        let mut keywords = Vec::new();
        for (key, value) in dict_methods::pairs(self, dict)? {
            match self.get(key)? {
                Value::Const(Constant::Str(name)) => keywords.push((name, value)),
                _ => return Err(raised("TypeError: keywords must be strings")),
            }
        }
        Ok(keywords)
    }
}
