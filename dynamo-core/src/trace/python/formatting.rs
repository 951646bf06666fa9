//! Texts made of values: f-strings, `str.format`, and `%` of a text.
//!
//! Objects are asked for their texts by the methods of their classes, in the order in which the interpreter asks them;
//! constants are left to the interpreter.

use crate::{
    bytecode::operands::Conversion,
    reason::{Kind, Reason},
    trace::{
        Traced, Tracer,
        core::{
            state::State,
            value::{Keywords, Value, ValueId},
        },
    },
};
use guards::Constant;
use std::{iter::Peekable, str::Chars};

/// A conversion in the left operand of `%`.
struct Percent {
    /// The key in a mapping: `%(key)s`.
    key: Option<String>,
    /// Flags, width and precision.
    spec: String,
    /// The conversion type.
    conversion: char,
}

/// A part of a text to format.
enum Part<T> {
    /// Characters that stand for themselves.
    Text(char),
    /// A place for a value.
    Field(T),
}

/// The parts of the left operand of `%`; `None` for one that takes widths from arguments, or is not valid.
fn percent_parts(text: &str) -> Option<Vec<Part<Percent>>> {
    let (mut parts, mut chars) = (Vec::new(), text.chars().peekable());
    while let Some(char) = chars.next() {
        if char != '%' {
            parts.push(Part::Text(char));
            continue;
        }
        let mut key = None;
        if chars.next_if_eq(&'(').is_some() {
            let name: String = chars.by_ref().take_while(|&char| char != ')').collect();
            // Parentheses may be nested in a key.
            key = Some(name).filter(|name| !name.contains('('));
            key.as_ref()?;
        }
        let mut spec = String::new();
        while let Some(char) = chars.next_if(|char| "#0- +.123456789".contains(*char)) {
            spec.push(char);
        }
        match chars.next()? {
            '%' if key.is_none() && spec.is_empty() => parts.push(Part::Text('%')),
            conversion if "diouxXeEfFgGcrsa".contains(conversion) => {
                parts.push(Part::Field(Percent { key, spec, conversion }));
            }
            _ => return None,
        }
    }
    Some(parts)
}

/// A replacement field of `str.format`.
struct Field {
    /// The argument: its name or number, or nothing for the next one.
    argument: String,
    /// The attributes and items that are read of it.
    steps: Vec<FieldStep>,
    /// The conversion.
    conversion: Option<Conversion>,
    /// The format specification.
    spec: String,
}

/// A step from an argument of `str.format` to what is formatted.
enum FieldStep {
    /// `.name`
    Attr(String),
    /// `[key]`
    Item(String),
}

/// The parts of a text of `str.format`; `None` for one with fields in a format specification, or that is not valid.
fn format_parts(text: &str) -> Option<Vec<Part<Field>>> {
    let (mut parts, mut chars) = (Vec::new(), text.chars().peekable());
    while let Some(char) = chars.next() {
        match char {
            '{' if chars.next_if_eq(&'{').is_some() => parts.push(Part::Text('{')),
            '{' => parts.push(Part::Field(format_field(&mut chars)?)),
            '}' => {
                chars.next_if_eq(&'}')?;
                parts.push(Part::Text('}'));
            }
            char => parts.push(Part::Text(char)),
        }
    }
    Some(parts)
}

fn format_field(chars: &mut Peekable<Chars<'_>>) -> Option<Field> {
    let word = |chars: &mut Peekable<Chars<'_>>| -> String {
        std::iter::from_fn(|| chars.next_if(|char| !".[]!:{}".contains(*char))).collect()
    };
    let (argument, mut steps) = (word(chars), Vec::new());
    loop {
        match chars.next()? {
            '.' => steps.push(FieldStep::Attr(word(chars)).filled()?),
            '[' => {
                steps.push(FieldStep::Item(word(chars)).filled()?);
                chars.next_if_eq(&']')?;
            }
            '}' => return Some(Field { argument, steps, conversion: None, spec: String::new() }),
            ':' => return Some(Field { argument, steps, conversion: None, spec: format_spec(chars)? }),
            '!' => {
                let conversion = match chars.next()? {
                    's' => Conversion::Str,
                    'r' => Conversion::Repr,
                    'a' => Conversion::Ascii,
                    _ => return None,
                };
                let spec = match chars.next()? {
                    ':' => format_spec(chars)?,
                    '}' => String::new(),
                    _ => return None,
                };
                return Some(Field { argument, steps, conversion: Some(conversion), spec });
            }
            _ => return None,
        }
    }
}

/// The format specification up to the end of a field; `None` if there are fields in it.
fn format_spec(chars: &mut Peekable<Chars<'_>>) -> Option<String> {
    let mut spec = String::new();
    loop {
        match chars.next()? {
            '}' => return Some(spec),
            '{' => return None,
            char => spec.push(char),
        }
    }
}

impl FieldStep {
    /// The step, unless it is empty, which is an error.
    fn filled(self) -> Option<FieldStep> {
        let (FieldStep::Attr(name) | FieldStep::Item(name)) = &self;
        (!name.is_empty()).then_some(self)
    }
}

impl Tracer<'_> {
    /// `format` of a value after a conversion, as f-strings have it.
    pub(in crate::trace) fn formatted(
        &mut self,
        value: ValueId,
        conversion: Option<Conversion>,
        spec: ValueId,
    ) -> Traced {
        let value = self.specialised(value)?;
        if conversion.is_none()
            && self.as_constant(value)?.is_none()
            && let Some(text) = self.own_format(value, spec)?
        {
            return Ok(text);
        }
        let spec = self.as_constant(spec)?;
        // Without a conversion, `format` of what is no constant is its `str`, if the format specification is empty.
        let conversion = match conversion {
            None if spec == Some(Constant::Str(String::new())) && self.as_constant(value)?.is_none() => {
                Some(Conversion::Str)
            }
            conversion => conversion,
        };
        let known = match conversion {
            Some(conversion) => self.converted(value, conversion)?,
            None => self.as_constant(value)?,
        };
        match (known, spec) {
            (Some(constant), Some(spec)) => self.fold("builtins.format", &[constant, spec]),
            _ => Err(self.no_text(value)),
        }
    }

    /// `str`, `repr` or `ascii` of a value; `None` if only the interpreter can tell.
    pub(in crate::trace) fn converted(&mut self, value: ValueId, conversion: Conversion) -> Traced<Option<Constant>> {
        if let Some(constant) = self.as_constant(value)? {
            let text = self.fold(conversion.function(), &[constant])?;
            return self.as_constant(text);
        }
        let text = match conversion {
            Conversion::Str => match self.text_of(value)? {
                Some(text) => Some(text),
                None => self.repr(value)?,
            },
            Conversion::Repr => self.repr(value)?,
            // Characters outside of ASCII would have to be escaped.
            Conversion::Ascii => self.repr(value)?.filter(|text| text.is_ascii()),
        };
        Ok(text.map(Constant::Str))
    }

    /// The reason for a value whose text only the interpreter can tell.
    pub(in crate::trace) fn no_text(&mut self, value: ValueId) -> Reason {
        Reason::new(Kind::Operator, format!("A string of {}.", self.describe(value)))
    }

    /// `text % operand`, where the operand is, or holds, what is no constant; `None` for a text or an operand that is
    /// left to the interpreter.
    pub(in crate::trace) fn percent(&mut self, text: &str, operand: ValueId) -> Traced<Option<ValueId>> {
        let Some(parts) = percent_parts(text) else { return Ok(None) };
        let fields = parts.iter().filter(|part| matches!(part, Part::Field(_))).count();
        let is_by_key = |part: &Part<Percent>| matches!(part, Part::Field(field) if field.key.is_some());
        let operand = self.specialised(operand)?;
        let mut values = match self.get(operand)? {
            Value::Tuple(items) if !parts.iter().any(is_by_key) && items.len() == fields => items.into_iter(),
            Value::State(state)
                if matches!(self.heap.get(state), State::Dict(_))
                    && parts.iter().all(|part| matches!(part, Part::Text(_)) || is_by_key(part)) =>
            {
                let mut found = Vec::new();
                for part in &parts {
                    if let Part::Field(Percent { key: Some(key), .. }) = part {
                        let key = self.constant(Constant::Str(key.clone()));
                        found.push(self.get_item(operand, key)?);
                    }
                }
                found.into_iter()
            }
            Value::Tuple(_) | Value::Size(_) | Value::Record(..) => return Ok(None),
            _ if fields != 1 || parts.iter().any(is_by_key) => return Ok(None),
            // A tuple of a class of the program's is no single operand, and a text of one may be asked first.
            _ if !self.is_lone_operand(operand)? => return Ok(None),
            _ => vec![operand].into_iter(),
        };
        let (mut plain, mut constants) = (String::new(), Vec::new());
        for part in parts {
            match part {
                Part::Text('%') => plain.push_str("%%"),
                Part::Text(char) => plain.push(char),
                Part::Field(field) => {
                    let Some(value) = values.next() else { return Ok(None) };
                    let value = self.specialised(value)?;
                    let conversion = match field.conversion {
                        's' => Some(Conversion::Str),
                        'r' => Some(Conversion::Repr),
                        'a' => Some(Conversion::Ascii),
                        _ => None,
                    };
                    let value = self.number_of_conversion(field.conversion, value)?;
                    let (constant, kind) = match (self.as_constant(value)?, conversion) {
                        (Some(constant), _) => (Some(constant), field.conversion),
                        (None, Some(conversion)) => (self.converted(value, conversion)?, 's'),
                        (None, None) => (None, field.conversion),
                    };
                    constants.push(constant.ok_or_else(|| self.no_text(value))?);
                    plain.push('%');
                    plain.push_str(&field.spec);
                    plain.push(kind);
                }
            }
        }
        self.fold("operator.mod", &[Constant::Str(plain), Constant::Tuple(constants)]).map(Some)
    }

    /// The number that a numeric conversion of `%` takes from an object whose class comes from `int` or `float`; of
    /// anything else, the value itself.
    fn number_of_conversion(&mut self, conversion: char, value: ValueId) -> Traced {
        let Some(held) = self.held_number(value)? else { return Ok(value) };
        let takes = match self.get(held)? {
            Value::Const(Constant::Float(_)) => "eEfFgG",
            _ => "diuoxX",
        };
        if takes.contains(conversion) { self.specialised(held) } else { Ok(value) }
    }

    /// `text.format(*args, **keywords)`; `None` for a text that is left to the interpreter.
    pub(in crate::trace) fn format_text(
        &mut self,
        text: &str,
        args: &[ValueId],
        keywords: &Keywords,
    ) -> Traced<Option<ValueId>> {
        let Some(parts) = format_parts(text) else { return Ok(None) };
        let numbers = parts.iter().filter_map(|part| match part {
            Part::Field(field) => Some(&field.argument),
            Part::Text(_) => None,
        });
        let is_number = |name: &String| name.bytes().all(|byte| byte.is_ascii_digit());
        let (automatic, numbered): (Vec<&String>, Vec<&String>) =
            numbers.filter(|name| is_number(name)).partition(|name| name.is_empty());
        if !automatic.is_empty() && !numbered.is_empty() {
            return Ok(None);
        }
        let (mut next, mut formatted) = (0, String::new());
        for part in parts {
            let field = match part {
                Part::Text(char) => {
                    formatted.push(char);
                    continue;
                }
                Part::Field(field) => field,
            };
            let found = if field.argument.is_empty() {
                next += 1;
                args.get(next - 1).copied()
            } else if is_number(&field.argument) {
                field.argument.parse::<usize>().ok().and_then(|at| args.get(at).copied())
            } else {
                keywords.iter().find(|(name, _)| *name == field.argument).map(|&(_, value)| value)
            };
            let Some(mut value) = found else { return Ok(None) };
            for step in field.steps {
                value = match step {
                    FieldStep::Attr(name) => self.get_attr(value, &name)?,
                    FieldStep::Item(key) => {
                        let number = key.parse().ok().filter(|_| is_number(&key));
                        let key = number.map_or(Constant::Str(key), Constant::Int);
                        let key = self.constant(key);
                        self.get_item(value, key)?
                    }
                };
            }
            let spec = self.constant(Constant::Str(field.spec));
            let text = self.formatted(value, field.conversion, spec)?;
            match self.get(text)? {
                Value::Const(Constant::Str(text)) => formatted.push_str(&text),
                _ => return Err(self.no_text(value)),
            }
        }
        Ok(Some(self.constant(Constant::Str(formatted))))
    }
}
