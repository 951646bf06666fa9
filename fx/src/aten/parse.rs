//! Parses one published schema: `aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor`.

use super::schema::{Alias, Param, Return, Schema, Type};
use crate::arg::Arg;
use symshapes::DType;

/// A schema that does not parse.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("at byte {at}: expected {expected}")]
pub struct ParseError {
    /// The position in the line, in bytes.
    pub at: usize,
    /// The syntax that is expected there.
    pub expected: &'static str,
}

type Result<T> = std::result::Result<T, ParseError>;

/// Parses a whole line; the name before the parameters is skipped.
pub(super) fn schema(line: &str) -> Result<Schema> {
    let mut p = Parser { line, at: line.find('(').unwrap_or(line.len()) };
    let (params, vararg) = p.params()?;
    p.expect("->", "`->`")?;
    let returns = p.returns()?;
    if p.at == line.len() { Ok(Schema { params, returns, vararg }) } else { p.fail("the end") }
}

/// A cursor in a line.
struct Parser<'a> {
    line: &'a str,
    at: usize,
}

impl<'a> Parser<'a> {
    fn rest(&self) -> &'a str {
        &self.line[self.at..]
    }

    fn fail<T>(&self, expected: &'static str) -> Result<T> {
        Err(ParseError { at: self.at, expected })
    }

    fn skip_spaces(&mut self) {
        self.at = self.line.len() - self.rest().trim_start().len();
    }

    /// Takes `token` if it comes next, with the spaces before it.
    fn eat(&mut self, token: &str) -> bool {
        let spaces = self.rest().len() - self.rest().trim_start().len();
        let found = self.rest()[spaces..].starts_with(token);
        if found {
            self.at += spaces + token.len();
        }
        found
    }

    fn expect(&mut self, token: &str, expected: &'static str) -> Result<()> {
        if self.eat(token) { Ok(()) } else { self.fail(expected) }
    }

    /// The longest run of bytes that satisfy `accept`; may be empty.
    fn run(&mut self, accept: impl Fn(u8) -> bool) -> &'a str {
        let rest = self.rest();
        let end = rest.bytes().position(|b| !accept(b)).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    fn word(&mut self) -> Result<&'a str> {
        self.skip_spaces();
        let word = self.run(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.'));
        if word.is_empty() { self.fail("a name") } else { Ok(word) }
    }

    fn params(&mut self) -> Result<(Vec<Param>, bool)> {
        self.expect("(", "`(`")?;
        let (mut params, mut kwarg_only, mut vararg) = (Vec::new(), false, false);
        while !self.eat(")") {
            if self.eat("...") {
                vararg = true;
            } else if self.eat("*") {
                kwarg_only = true;
            } else {
                params.push(self.param(kwarg_only)?);
            }
            self.eat(",");
        }
        Ok((params, vararg))
    }

    fn param(&mut self, kwarg_only: bool) -> Result<Param> {
        let (ty, alias) = self.ty()?;
        let name = self.word()?.to_owned();
        let default = if self.eat("=") { Some(self.default(ty.required())?) } else { None };
        Ok(Param { name, ty, default, kwarg_only, alias })
    }

    fn returns(&mut self) -> Result<Vec<Return>> {
        if !self.eat("(") {
            let ret = self.ret()?;
            return Ok(vec![ret]);
        }
        let mut returns = Vec::new();
        while !self.eat(")") {
            if !self.eat("...") {
                returns.push(self.ret()?);
            }
            self.eat(",");
        }
        Ok(returns)
    }

    fn ret(&mut self) -> Result<Return> {
        let (ty, alias) = self.ty()?;
        self.skip_spaces();
        let named = self.rest().starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        let name = if named { Some(self.word()?.to_owned()) } else { None };
        Ok(Return { name, ty, alias })
    }

    /// A type and the first alias annotation in it.
    fn ty(&mut self) -> Result<(Type, Option<Alias>)> {
        let mut ty = self.atom()?;
        let mut alias = None;
        loop {
            if self.rest().starts_with('(') {
                alias = alias.or(Some(self.alias()?));
            } else if self.eat("?") {
                ty = Type::Optional(Box::new(ty));
            } else if self.rest().starts_with('[') {
                self.at += 1;
                let length = self.run(|b| b.is_ascii_digit()).parse().ok();
                self.expect("]", "`]`")?;
                ty = Type::List(Box::new(ty), length);
            } else {
                return Ok((ty, alias));
            }
        }
    }

    fn atom(&mut self) -> Result<Type> {
        self.skip_spaces();
        let start = self.at;
        if self.rest().starts_with('(') {
            self.group()?;
            return Ok(Type::Other(self.line[start..self.at].to_owned()));
        }
        Ok(match self.word()? {
            "Tensor" => Type::Tensor,
            "Scalar" => Type::Scalar,
            "int" => Type::Int,
            "SymInt" => Type::SymInt,
            "float" => Type::Float,
            "bool" => Type::Bool,
            "complex" => Type::Complex,
            "str" => Type::Str,
            "ScalarType" => Type::DType,
            "Device" => Type::Device,
            "Layout" => Type::Layout,
            "MemoryFormat" => Type::MemoryFormat,
            "Generator" => Type::Generator,
            "Dict" | "Future" | "RRef" | "Await" => {
                self.group()?;
                Type::Other(self.line[start..self.at].to_owned())
            }
            other => Type::Other(other.to_owned()),
        })
    }

    /// Skips a parenthesised group.
    fn group(&mut self) -> Result<()> {
        let mut depth = 0usize;
        for (i, b) in self.rest().bytes().enumerate() {
            match b {
                b'(' => depth += 1,
                b')' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                self.at += i + 1;
                return Ok(());
            }
        }
        self.fail("`)`")
    }

    /// `(a)`, `(a!)`, `(a|b)`, `(a -> *)`.
    fn alias(&mut self) -> Result<Alias> {
        let start = self.at + 1;
        self.group()?;
        let text = &self.line[start..self.at - 1];
        let set = text.split_once(" ->").map_or(text, |(before, _)| before);
        Ok(Alias { set: set.replace('!', ""), write: set.contains('!') })
    }

    fn default(&mut self, ty: &Type) -> Result<Arg> {
        self.skip_spaces();
        if self.rest().starts_with('"') {
            return self.string().map(Arg::Str);
        }
        if self.eat("[") {
            let element = if let Type::List(element, _) = ty { element } else { ty };
            let mut items = Vec::new();
            while !self.eat("]") {
                items.push(self.default(element)?);
                self.eat(",");
            }
            return Ok(Arg::List(items));
        }
        self.skip_spaces();
        let text = self.run(|b| !matches!(b, b',' | b')' | b']'));
        let element = if let Type::List(element, _) = ty { element } else { ty };
        literal(text, element).ok_or(ParseError { at: self.at, expected: "a default" })
    }

    fn string(&mut self) -> Result<String> {
        let mut chars = self.rest().char_indices().skip(1);
        let mut text = String::new();
        while let Some((i, c)) = chars.next() {
            match c {
                '"' => {
                    self.at += i + 1;
                    return Ok(text);
                }
                '\\' => text.push(match chars.next() {
                    Some((_, 'n')) => '\n',
                    Some((_, 't')) => '\t',
                    Some((_, 'f')) => '\x0c',
                    Some((_, 'v')) => '\x0b',
                    Some((_, other)) => other,
                    None => return self.fail("an escape"),
                }),
                other => text.push(other),
            }
        }
        self.fail("`\"`")
    }
}

/// A default that is one word. Dtypes and memory formats are published by their number.
fn literal(text: &str, ty: &Type) -> Option<Arg> {
    match text {
        "None" => return Some(Arg::None),
        "True" => return Some(Arg::Bool(true)),
        "False" => return Some(Arg::Bool(false)),
        _ => {}
    }
    match ty {
        Type::DType => DType::from_torch_code(text.parse().ok()?).map(Arg::DType),
        Type::MemoryFormat => memory_format(text.parse().ok()?),
        Type::Float => text.parse().ok().map(Arg::Float),
        _ => text.parse().map(Arg::Int).or_else(|_| text.parse().map(Arg::Float)).ok(),
    }
}

/// `c10::MemoryFormat` by its number.
fn memory_format(code: usize) -> Option<Arg> {
    let names = ["contiguous_format", "preserve_format", "channels_last", "channels_last_3d"];
    names.get(code).map(|&name| Arg::MemoryFormat(name.to_owned()))
}
