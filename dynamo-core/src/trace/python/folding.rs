//! Constant folding: functions without effect are called on constants when the program is traced.

use crate::{
    host::FoldError,
    reason::{Kind, Reason},
    trace::{
        Traced, Tracer,
        core::{
            state::State,
            value::{Keywords, Value, ValueId},
        },
        signature::{Bound, Row, row},
    },
};
use guards::Constant;

/// Methods that give a list, which is a tuple among constants.
const GIVING_LISTS: [&str; 8] = [
    "str.split",
    "str.rsplit",
    "str.splitlines",
    "bytes.split",
    "bytes.rsplit",
    "bytes.splitlines",
    "re.split",
    "re.findall",
];

/// Functions of `re` and methods of its patterns on constants, where what finds a match gives an object, so that only
/// that there is none is known; functions of numbers that stand in iterables.
pub(in crate::trace) const ROWS: &[Row] = &[
    row("re.sub(pattern, repl, string, count=0, flags=0)", on_constants),
    row("re.subn(pattern, repl, string, count=0, flags=0)", on_constants),
    row("re.split(pattern, string, maxsplit=0, flags=0)", on_constants),
    row("re.findall(pattern, string, flags=0)", on_constants),
    row("re.escape(pattern)", on_constants),
    row("re.match(pattern, string, flags=0)", on_constants),
    row("re.search(pattern, string, flags=0)", on_constants),
    row("re.fullmatch(pattern, string, flags=0)", on_constants),
    row("posix._path_normpath(path)", on_constants),
    row("re.Pattern.sub(self, repl, string, count=0)", |t, b| of_pattern(t, b, &["repl", "string", "count"])),
    row("re.Pattern.subn(self, repl, string, count=0)", |t, b| of_pattern(t, b, &["repl", "string", "count"])),
    row("re.Pattern.split(self, string, maxsplit=0)", |t, b| of_pattern(t, b, &["string", "maxsplit"])),
    row("re.Pattern.findall(self, string, pos=0, endpos=...)", |t, b| of_pattern(t, b, &["string"])),
    row("re.Pattern.match(self, string, pos=0, endpos=...)", |t, b| of_pattern(t, b, &["string"])),
    row("re.Pattern.search(self, string, pos=0, endpos=...)", |t, b| of_pattern(t, b, &["string"])),
    row("re.Pattern.fullmatch(self, string, pos=0, endpos=...)", |t, b| of_pattern(t, b, &["string"])),
    row("math.fsum(seq, /)", on_numbers),
    row("math.dist(p, q, /)", on_numbers),
    row("math.sumprod(p, q, /)", on_numbers),
];

fn on_constants(t: &mut Tracer<'_>, b: &Bound<'_>) -> Traced {
    t.fold_call(b)
}

/// A method of a compiled regular expression, by the function of `re` of its name; the parameters that it reads.
fn of_pattern(t: &mut Tracer<'_>, b: &Bound<'_>, params: &[&str]) -> Traced {
    let this = b.arg(0)?;
    let (text, flags) = (t.get_attr(this, "pattern")?, t.get_attr(this, "flags")?);
    let given = (1..).zip(params).filter_map(|(at, &param)| Some((param.to_owned(), b.opt(at)?)));
    let keywords = given.chain([("flags".to_owned(), flags)]).collect();
    let folded = t.folded(&format!("re.{}", b.own_name()), &[text], &keywords)?;
    folded.ok_or_else(|| Reason::new(Kind::Call, format!("`{}` of objects.", b.name())))
}

/// A call whose arguments are iterables of numbers, symbolic ones as they are now.
fn on_numbers(t: &mut Tracer<'_>, b: &Bound<'_>) -> Traced {
    let mut constants = Vec::new();
    for &arg in b.call().0 {
        let mut numbers = Vec::new();
        for item in t.all_items(arg).map_err(|reason| t.uncaught(reason))? {
            let item = t.specialised(item)?;
            let number = t.as_constant(item)?;
            numbers.push(number.ok_or_else(|| Reason::new(Kind::Call, format!("`{}` of objects.", b.name())))?);
        }
        constants.push(Constant::Tuple(numbers));
    }
    t.fold(b.name(), &constants)
}

/// The classes of exceptions whose only argument, where CPython raises one for constants, is its text.
const SAYING: [&str; 5] = ["IndexError", "OverflowError", "TypeError", "ValueError", "ZeroDivisionError"];

/// True for a function of constants that has no effect.
pub(in crate::trace) fn is_pure(name: &str) -> bool {
    const PURE: &[&str] = &[
        "abs", "bin", "bool", "bytes", "chr", "complex", "divmod", "float", "format", "hex", "int", "max", "min",
        "oct", "ord", "pow", "repr", "round", "sorted", "str", "sum", "tuple", "ascii", "hash", "len",
    ];
    match name.split_once('.') {
        Some(("builtins", function)) => PURE.contains(&function),
        Some(("math" | "operator" | "str" | "cmath", _)) => true,
        // The default is guarded.
        Some(("torch", "get_default_dtype" | "promote_types" | "can_cast")) => true,
        _ => false,
    }
}

impl Tracer<'_> {
    /// Constant folding of a call of a pure function.
    pub(in crate::trace) fn fold(&mut self, function: &str, args: &[Constant]) -> Traced {
        self.fold_with(function, args, &[])
    }

    /// Constant folding of a call with keyword arguments.
    fn fold_with(&mut self, function: &str, args: &[Constant], keywords: &[(String, Constant)]) -> Traced {
        if args.len() > 1 && args.iter().all(has_nan) && args.iter().any(holds_others) {
            return Err(Reason::new(Kind::Operator, format!("`{function}` of containers of NaN.")));
        }
        match self.host.fold_with(function, args, keywords) {
            Ok(Constant::Tuple(items)) if GIVING_LISTS.contains(&function) => {
                let items = items.into_iter().map(|item| self.of_constant(item)).collect();
                Ok(self.state(State::List(items)))
            }
            Ok(constant) => Ok(self.of_constant(constant)),
            Err(FoldError::Raised(why)) => {
                let reason = Reason::raised(&why);
                let says = reason.exception.as_ref().is_some_and(|class| SAYING.contains(&class.as_str()));
                Err(if says { reason.verbatim() } else { reason })
            }
            Err(FoldError::NotConstant) => Err(Reason::new(Kind::Operator, format!("`{function}` gives an object."))),
        }
    }

    /// A call that passes its arguments to the function as they are.
    pub(in crate::trace) fn fold_call(&mut self, b: &Bound<'_>) -> Traced {
        let (args, keywords) = b.call();
        let folded = self.folded(b.name(), args, keywords)?;
        folded.ok_or_else(|| Reason::new(Kind::Call, format!("`{}` of objects.", b.name())))
    }

    /// `function(*args, **keywords)` of constants, symbolic numbers as they are now; `None` if an argument is no
    /// constant.
    pub(in crate::trace) fn folded(
        &mut self,
        function: &str,
        args: &[ValueId],
        keywords: &Keywords,
    ) -> Traced<Option<ValueId>> {
        let constant = |t: &mut Self, arg| {
            let arg = t.specialised(arg)?;
            t.as_constant(arg)
        };
        let mut constants = Vec::new();
        for &arg in args {
            let Some(arg) = constant(self, arg)? else { return Ok(None) };
            constants.push(arg);
        }
        let mut named = Vec::new();
        for (name, arg) in keywords {
            let Some(arg) = constant(self, *arg)? else { return Ok(None) };
            named.push((name.clone(), arg));
        }
        self.fold_with(function, &constants, &named).map(Some)
    }

    /// A method of a constant, on constants.
    pub(in crate::trace) fn fold_method(
        &mut self,
        this: &Constant,
        name: &str,
        args: &[ValueId],
        keywords: &Keywords,
    ) -> Traced {
        if let (Constant::Str(text), "format") = (this, name)
            && let Some(formatted) = self.format_text(text, args, keywords)?
        {
            return Ok(formatted);
        }
        let constant = |t: &mut Self, arg: ValueId| {
            let found = match name {
                // No other method takes lists for tuples.
                "join" => t.whole_constant(arg)?,
                "format" => {
                    let arg = t.specialised(arg)?;
                    t.as_constant(arg)?
                }
                _ => t.as_constant(arg)?,
            };
            found.ok_or_else(|| Reason::new(Kind::Call, format!("The method `{name}` of {this} with an object.")))
        };
        let mut constants = vec![this.clone()];
        for &arg in args {
            constants.push(constant(self, arg)?);
        }
        let mut named = Vec::new();
        for (keyword, arg) in keywords {
            named.push((keyword.clone(), constant(self, *arg)?));
        }
        self.fold_with(&format!("{}.{name}", this.type_name()), &constants, &named)
    }

    /// A constant, where a list of constants counts as a tuple.
    pub(in crate::trace) fn whole_constant(&mut self, value: ValueId) -> Traced<Option<Constant>> {
        let items = match self.get(value)? {
            Value::State(state) => match self.heap.get(state) {
                State::List(items) => items.clone(),
                State::Iter(_) => self.all_items(value)?,
                State::Set(..) => self.items_in_order(value)?.unwrap_or_default(),
                _ => return Ok(None),
            },
            Value::Const(Constant::FrozenSet(_)) => self.items_in_order(value)?.unwrap_or_default(),
            Value::Tuple(items) => items,
            Value::Object(..) | Value::Instance(_) => match self.as_constant(value)? {
                None if self.is_iterable(value)? => self.listed_items(value)?,
                known => return Ok(known),
            },
            _ => return self.as_constant(value),
        };
        let tuple = self.value(Value::Tuple(items));
        self.as_constant(tuple)
    }

    /// A value that is given and not `None`.
    pub(in crate::trace) fn unless_none(&mut self, value: Option<ValueId>) -> Traced<Option<ValueId>> {
        Ok(match value {
            Some(value) if !matches!(self.get(value)?, Value::Const(Constant::None)) => Some(value),
            _ => None,
        })
    }
}

/// True for a constant that holds others.
fn holds_others(constant: &Constant) -> bool {
    matches!(constant, Constant::Tuple(_) | Constant::FrozenSet(_))
}

/// True for NaN, and for a constant that holds one. Containers take a NaN for equal to itself and to no other, but
/// constants have lost which object they were.
pub(in crate::trace) fn has_nan(constant: &Constant) -> bool {
    match constant {
        Constant::Float(bits) => f64::from_bits(*bits).is_nan(),
        Constant::Complex(real, imaginary) => [real, imaginary].into_iter().any(|bits| f64::from_bits(*bits).is_nan()),
        Constant::Tuple(items) | Constant::FrozenSet(items) => items.iter().any(has_nan),
        _ => false,
    }
}
