//! Reads the text form of a body (see `display`). Labels and handlers keep their numbers.

use std::str::FromStr;

use super::{Arg, Body, Handler, HandlerId, InstData, Label, Op, Span, Version};

/// Labels and handlers beyond this number are taken for typing errors.
const MAX_INDEX: u32 = 1 << 20;

/// The line that could not be read, and the reason.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct ParseError {
    /// The line, from 1.
    pub line: usize,
    /// The error in it.
    pub message: String,
}

impl FromStr for Body {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Body, ParseError> {
        let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let (number, first) = lines.next().unwrap_or((0, ""));
        let version = first.strip_prefix("python ").and_then(|name| Version::from_name(name.trim()));
        let version = version.ok_or_else(|| at(number)(format!("{first:?} is no `python <version>`")))?;
        let mut parser = Parser { body: Body::new(version), waiting: Vec::new() };
        for (number, line) in lines {
            parser.line(line).map_err(at(number))?;
        }
        match parser.waiting.first() {
            Some(label) => Err(at(text.lines().count())(format!("{label} stands before no instruction"))),
            None => Ok(parser.body),
        }
    }
}

/// Makes messages errors on the line of this index.
fn at(index: usize) -> impl Fn(String) -> ParseError {
    move |message| ParseError { line: index + 1, message }
}

/// A body in the making.
struct Parser {
    body: Body,
    /// Labels that stand before the next instruction.
    waiting: Vec<Label>,
}

impl Parser {
    /// One line: a handler, a label or an instruction.
    fn line(&mut self, line: &str) -> Result<(), String> {
        let line = line.split_once(';').map_or(line, |(line, _)| line).trim();
        if let Some((id, handler)) = line.split_once(" = ") {
            return self.handler_line(id, handler);
        }
        if let Some(label) = line.strip_suffix(':') {
            let label = self.label(label)?;
            self.waiting.push(label);
            return Ok(());
        }
        let data = self.inst_line(line)?;
        let inst = self.body.push(data);
        for label in self.waiting.drain(..) {
            self.body.bind(label, inst);
        }
        Ok(())
    }

    /// `h0 = L1 depth 2 lasti`
    fn handler_line(&mut self, id: &str, handler: &str) -> Result<(), String> {
        let words: Vec<&str> = handler.split_whitespace().collect();
        let (target, depth, lasti) = match *words.as_slice() {
            [target, "depth", depth] => (target, depth, false),
            [target, "depth", depth, "lasti"] => (target, depth, true),
            _ => return Err(format!("{handler:?} is no `<label> depth <number> [lasti]`")),
        };
        let handler = Handler { target: self.label(target)?, depth: number(depth)?, lasti };
        let next = self.body.push_handler(handler);
        if next.to_string() == id { Ok(()) } else { Err(format!("{id} stands where {next} should")) }
    }

    /// `NAME [argument] [!handler] [@span]`
    fn inst_line(&mut self, line: &str) -> Result<InstData, String> {
        let mut words = line.split_whitespace();
        let name = words.next().unwrap_or_default();
        let op = Op::from_name(name).ok_or_else(|| format!("{name:?} is no opcode"))?;
        let mut data = InstData::new(op, Arg::None);
        for word in words {
            match word.as_bytes()[0] {
                b'!' => data.handler = self.handler(&word[1..])?.into(),
                b'@' => data.span = Some(span(&word[1..])?),
                b'L' => data.arg = Arg::Jump(self.label(word)?),
                _ => data.arg = Arg::Int(number(word)?),
            }
        }
        Ok(data)
    }

    /// The label of this name, made if it is new.
    fn label(&mut self, name: &str) -> Result<Label, String> {
        let wanted = index(name, "L")?;
        let mut count = self.body.labels().count() as u32;
        while count <= wanted {
            self.body.new_label();
            count += 1;
        }
        Ok(Label::from_u32(wanted))
    }

    fn handler(&self, name: &str) -> Result<HandlerId, String> {
        let wanted = index(name, "h")?;
        let known = self.body.handlers().any(|(id, _)| id.as_u32() == wanted);
        if known { Ok(HandlerId::from_u32(wanted)) } else { Err(format!("no handler {name}")) }
    }
}

/// The number after the prefix of a label or handler.
fn index(name: &str, prefix: &str) -> Result<u32, String> {
    let index = name.strip_prefix(prefix).and_then(|digits| digits.parse().ok());
    index.filter(|&index| index <= MAX_INDEX).ok_or_else(|| format!("{name:?} is no `{prefix}<number>`"))
}

fn number<T: FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("{text:?} is no number"))
}

/// `line`, `line-line` or `line:column-line:column`.
fn span(text: &str) -> Result<Span, String> {
    let (start, end) = text.split_once('-').unwrap_or((text, text));
    match (start.split_once(':'), end.split_once(':')) {
        (Some((line, column)), Some((end_line, end_column))) => Ok(Span {
            line: number(line)?,
            end_line: number(end_line)?,
            columns: Some((number(column)?, number(end_column)?)),
        }),
        (None, None) => Ok(Span { line: number(start)?, end_line: number(end)?, columns: None }),
        _ => Err(format!("{text:?} is no span")),
    }
}
