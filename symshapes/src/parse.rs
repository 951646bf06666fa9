//! Reading expressions: our own text, and what sympy prints for the shapes that torch makes.
//!
//! Precedence is Python's: `**`, unary minus, `* // %`, `+ -`.

use crate::{float_node::Rounding, ids::Expr, pool::Pool, range::Range};

/// Nesting beyond this is refused rather than recursed into.
const DEPTH_LIMIT: usize = 200;

/// The reason why a text is no expression.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseError {
    /// A character that starts no token.
    #[error("`{text}`: unexpected `{found}` at byte {at}")]
    Character {
        /// The whole text.
        text: String,
        /// The character.
        found: char,
        /// The offset of the character in the text, in bytes.
        at: usize,
    },
    /// A token where another was wanted.
    #[error("`{text}`: expected {wanted}, found {found}")]
    Token {
        /// The whole text.
        text: String,
        /// The expected token.
        wanted: &'static str,
        /// The token that stands there.
        found: String,
    },
    /// A function that is not known.
    #[error("`{text}`: unknown function `{name}`")]
    Function {
        /// The whole text.
        text: String,
        /// The function.
        name: String,
    },
    /// A function with the wrong number of arguments.
    #[error("`{text}`: `{name}` with {count} arguments")]
    Arity {
        /// The whole text.
        text: String,
        /// The function.
        name: String,
        /// The arguments given.
        count: usize,
    },
    /// A number outside `i64`.
    #[error("`{text}`: {number} does not fit in 64 bits")]
    Number {
        /// The whole text.
        text: String,
        /// The digits.
        number: String,
    },
    /// An exponent below zero, which gives no integer.
    #[error("`{text}`: a power by a negative exponent is no integer")]
    Exponent {
        /// The whole text.
        text: String,
    },
    /// A function whose second operand has to be a constant.
    #[error("`{text}`: `{name}` by what is not constant")]
    Constant {
        /// The whole text.
        text: String,
        /// The function.
        name: String,
    },
    /// Too many parentheses within each other.
    #[error("`{text}`: nested too deeply")]
    Depth {
        /// The whole text.
        text: String,
    },
}

impl Pool {
    /// Reads an expression; unknown names become symbols of any value.
    pub fn parse(&mut self, text: &str) -> Result<Expr, ParseError> {
        self.parse_with(text, Range::ALL)
    }

    /// Reads an expression; unknown names become symbols of the given range.
    pub fn parse_with(&mut self, text: &str, default_range: Range) -> Result<Expr, ParseError> {
        Parser::read(self, text, default_range, Parser::sum)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Token<'t> {
    Number(&'t str),
    Name(&'t str),
    /// An operator or punctuation.
    Mark(&'static str),
    End,
}

/// The marks, longer ones before their beginnings.
const MARKS: [&str; 19] =
    ["**", "//", "/", "==", "!=", "<=", ">=", "<", ">", "+", "-", "*", "%", "(", ")", ",", "&", "|", "~"];

fn tokenize(text: &str) -> Result<Vec<Token<'_>>, ParseError> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let word = word_length(rest);
        let mark = MARKS.into_iter().find(|mark| rest.starts_with(mark));
        let (token, length) = match mark {
            Some(mark) => (Token::Mark(mark), mark.len()),
            None if word == 0 => {
                let at = text.len() - rest.len();
                return Err(ParseError::Character { text: text.to_owned(), found: first, at });
            }
            None if first.is_ascii_digit() => (Token::Number(&rest[..word]), word),
            None => (Token::Name(&rest[..word]), word),
        };
        tokens.push(token);
        rest = rest[length..].trim_start();
    }
    tokens.push(Token::End);
    Ok(tokens)
}

/// The bytes of the number or name that a text starts with.
fn word_length(text: &str) -> usize {
    let word = |text: &str| text.len() - text.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_').len();
    let mut length = word(text);
    if !text.starts_with(|c: char| c.is_ascii_digit()) {
        return length;
    }
    if text[length..].starts_with('.') {
        length += 1 + word(&text[length + 1..]);
    }
    let digits = text[length..].strip_prefix(['+', '-']).map(word);
    match digits {
        Some(digits) if digits > 0 && text[..length].ends_with(['e', 'E']) => length + 1 + digits,
        _ => length,
    }
}

/// A text on its way into an arena.
pub(crate) struct Parser<'p, 't> {
    pub(crate) pool: &'p mut Pool,
    text: &'t str,
    default_range: Range,
    pub(crate) tokens: Vec<Token<'t>>,
    pub(crate) at: usize,
    depth: usize,
}

impl<'p, 't> Parser<'p, 't> {
    /// Parses the whole text.
    pub(crate) fn read<T>(
        pool: &'p mut Pool,
        text: &'t str,
        default_range: Range,
        parse: fn(&mut Self) -> Result<T, ParseError>,
    ) -> Result<T, ParseError> {
        let tokens = tokenize(text)?;
        let mut parser = Parser { pool, text, default_range, tokens, at: 0, depth: 0 };
        let result = parse(&mut parser)?;
        match parser.peek() {
            Token::End => Ok(result),
            _ => Err(parser.expected("an operator or the end")),
        }
    }

    pub(crate) fn peek(&self) -> Token<'t> {
        self.tokens[self.at]
    }

    /// The next token; the end is never passed.
    pub(crate) fn next(&mut self) -> Token<'t> {
        let token = self.peek();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    pub(crate) fn eat(&mut self, mark: &'static str) -> bool {
        let found = self.peek() == Token::Mark(mark);
        if found {
            self.next();
        }
        found
    }

    pub(crate) fn expect(&mut self, mark: &'static str) -> Result<(), ParseError> {
        if self.eat(mark) { Ok(()) } else { Err(self.expected(mark)) }
    }

    pub(crate) fn expected(&self, wanted: &'static str) -> ParseError {
        let found = match self.peek() {
            Token::End => "the end".to_owned(),
            Token::Number(s) | Token::Name(s) | Token::Mark(s) => format!("`{s}`"),
        };
        ParseError::Token { text: self.text.to_owned(), wanted, found }
    }

    pub(crate) fn sum(&mut self) -> Result<Expr, ParseError> {
        let mut total = self.product()?;
        loop {
            if self.eat("+") {
                let term = self.product()?;
                total = self.pool.add(total, term);
            } else if self.eat("-") {
                let term = self.product()?;
                total = self.pool.sub(total, term);
            } else {
                return Ok(total);
            }
        }
    }

    fn product(&mut self) -> Result<Expr, ParseError> {
        let mut total = self.unary()?;
        loop {
            let Token::Mark(mark @ ("*" | "//" | "%")) = self.peek() else { return Ok(total) };
            self.next();
            let operand = self.unary()?;
            total = match mark {
                "*" => self.pool.mul(total, operand),
                "//" => self.pool.floor_div(total, operand),
                _ => self.pool.modulo(total, operand),
            };
        }
    }

    fn unary(&mut self) -> Result<Expr, ParseError> {
        let mut negative = false;
        while let Token::Mark(mark @ ("-" | "+")) = self.peek() {
            self.next();
            negative ^= mark == "-";
        }
        if !negative {
            return self.power();
        }
        // The least number has no positive counterpart to negate.
        if let Token::Number(digits) = self.peek()
            && self.tokens.get(self.at + 1) != Some(&Token::Mark("**"))
        {
            self.next();
            return self.number(&format!("-{digits}"));
        }
        let operand = self.power()?;
        Ok(self.pool.neg(operand))
    }

    fn power(&mut self) -> Result<Expr, ParseError> {
        let base = self.atom()?;
        if !self.eat("**") {
            return Ok(base);
        }
        let exponent = self.nested(Self::unary)?;
        self.natural_power(base, exponent)
    }

    fn natural_power(&mut self, base: Expr, exponent: Expr) -> Result<Expr, ParseError> {
        if self.pool.range(exponent).hi < 0 {
            return Err(ParseError::Exponent { text: self.text.to_owned() });
        }
        Ok(self.pool.pow(base, exponent))
    }

    fn atom(&mut self) -> Result<Expr, ParseError> {
        match self.peek() {
            Token::Number(digits) => {
                self.next();
                self.number(digits)
            }
            Token::Name(name) => {
                self.next();
                if self.eat("(") { self.call(name) } else { self.name(name) }
            }
            Token::Mark("(") => {
                self.next();
                let inner = self.nested(Self::sum)?;
                self.expect(")")?;
                Ok(inner)
            }
            _ => Err(self.expected("a number, a name or `(`")),
        }
    }

    /// Parses one level deeper.
    pub(crate) fn nested<T>(&mut self, parse: fn(&mut Self) -> Result<T, ParseError>) -> Result<T, ParseError> {
        self.depth += 1;
        if self.depth > DEPTH_LIMIT {
            return Err(ParseError::Depth { text: self.text.to_owned() });
        }
        let result = parse(self)?;
        self.depth -= 1;
        Ok(result)
    }

    fn number(&mut self, digits: &str) -> Result<Expr, ParseError> {
        let value =
            digits.parse().map_err(|_| ParseError::Number { text: self.text.to_owned(), number: digits.to_owned() })?;
        Ok(self.pool.int(value))
    }

    fn name(&mut self, name: &str) -> Result<Expr, ParseError> {
        if name == "Overflow" {
            return Ok(self.pool.overflow());
        }
        let sym = self.pool.find(name);
        if sym.map_or(name.starts_with("zf"), |sym| self.pool.is_float(sym)) {
            return Err(self.expected("an integer"));
        }
        let sym = sym.unwrap_or_else(|| self.pool.symbol(name, self.default_range));
        Ok(self.pool.sym(sym))
    }

    fn call(&mut self, name: &str) -> Result<Expr, ParseError> {
        if name == "Piecewise" {
            return self.piecewise();
        }
        if let Some(rounding) = Rounding::ALL.into_iter().find(|rounding| rounding.name() == name) {
            return self.rounded(rounding);
        }
        let mut args = vec![self.nested(Self::sum)?];
        while self.eat(",") {
            args.push(self.nested(Self::sum)?);
        }
        self.expect(")")?;
        let pool = &mut *self.pool;
        match (name, args.as_slice()) {
            ("FloorDiv" | "CleanDiv", &[a, b]) => Ok(pool.floor_div(a, b)),
            ("CeilDiv", &[a, b]) => Ok(pool.ceil_div(a, b)),
            ("Mod" | "PythonMod", &[a, b]) => Ok(pool.modulo(a, b)),
            ("ModularIndexing", &[x, a, b]) => {
                let quotient = pool.floor_div(x, a);
                Ok(pool.modulo(quotient, b))
            }
            ("Min", &[first, ref rest @ ..]) => Ok(rest.iter().fold(first, |a, &b| pool.min(a, b))),
            ("Max", &[first, ref rest @ ..]) => Ok(rest.iter().fold(first, |a, &b| pool.max(a, b))),
            ("Abs", &[a]) => Ok(pool.abs(a)),
            ("PowByNatural" | "Pow", &[base, exponent]) => self.natural_power(base, exponent),
            ("LShift" | "RShift" | "BitwiseFn_bitwise_and", &[x, k]) => self.bits(name, x, k),
            (
                "FloorDiv" | "CleanDiv" | "CeilDiv" | "Mod" | "PythonMod" | "ModularIndexing" | "Abs" | "PowByNatural"
                | "Pow" | "LShift" | "RShift",
                _,
            ) => Err(self.arity(name, args.len())),
            _ => Err(ParseError::Function { text: self.text.to_owned(), name: name.to_owned() }),
        }
    }

    /// A bit operation; a mask is a constant.
    fn bits(&mut self, name: &str, x: Expr, k: Expr) -> Result<Expr, ParseError> {
        Ok(match (name, self.pool.as_int(k)) {
            ("LShift", _) => self.pool.shift_left(x, k),
            ("RShift", _) => self.pool.shift_right(x, k),
            (_, Some(mask)) => self.pool.bit_and(x, mask),
            (_, None) => return Err(ParseError::Constant { text: self.text.to_owned(), name: name.to_owned() }),
        })
    }

    /// `Piecewise((a, p), (b, q), …)`: the first value whose predicate holds; no value where none does.
    fn piecewise(&mut self) -> Result<Expr, ParseError> {
        let mut cases = Vec::new();
        loop {
            self.expect("(")?;
            let value = self.nested(Self::sum)?;
            self.expect(",")?;
            let condition = self.nested(Self::disjunction)?;
            self.expect(")")?;
            cases.push((condition, value));
            if !self.eat(",") {
                break;
            }
        }
        self.expect(")")?;
        let none = self.pool.overflow();
        let first = |pool: &mut Pool, rest, (condition, value)| match pool.as_bool(condition) {
            Some(true) => value,
            _ => pool.select(condition, value, rest),
        };
        Ok(cases.into_iter().rev().fold(none, |rest, case| first(self.pool, rest, case)))
    }

    /// The integer that a float rounds to.
    fn rounded(&mut self, rounding: Rounding) -> Result<Expr, ParseError> {
        let float = self.nested(Self::float_sum)?;
        self.expect(")")?;
        Ok(self.pool.round(rounding, float))
    }

    pub(crate) fn arity(&self, name: &str, count: usize) -> ParseError {
        ParseError::Arity { text: self.text.to_owned(), name: name.to_owned(), count }
    }
}
