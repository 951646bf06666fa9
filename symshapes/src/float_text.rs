//! Floats as text: `ToFloat(s0)`, `IntTrueDiv(s0, 2)`, `2.0*zf0`, `OpaqueUnaryFn_sqrt(zf0)`, as torch's printers have
//! them. Every operation within another is in parentheses, since floats are not regrouped.

use crate::{
    float_node::{FloatBinary, FloatNode, FloatUnary},
    ids::{Expr, Float, Pred},
    parse::{ParseError, Parser, Token},
    pool::Pool,
    pred_node::{Comparison, FloatRelation},
    range::Range,
};
use std::fmt::{self, Display};

/// A float with the arena that it is printed from.
struct Printed<'a> {
    pool: &'a Pool,
    float: Float,
    /// True for an operand of an operator.
    nested: bool,
}

impl Pool {
    /// The float's text, which [`Pool::parse_float`] reads back.
    pub fn display_float(&self, f: Float) -> impl Display + '_ {
        Printed { pool: self, float: f, nested: false }
    }

    /// Reads a float; unknown names become float symbols where a float stands, integers of any value elsewhere.
    pub fn parse_float(&mut self, text: &str) -> Result<Float, ParseError> {
        Parser::read(self, text, Range::ALL, Parser::float_sum)
    }

    /// Prints a comparison of floats.
    pub(crate) fn fmt_float_relation(&self, f: &mut fmt::Formatter<'_>, relation: FloatRelation) -> fmt::Result {
        let (left, right) = (self.display_float(relation.left), self.display_float(relation.right));
        match (relation.comparison, relation.holds) {
            (Comparison::Eq, true) => write!(f, "Eq({left}, {right})"),
            (Comparison::Eq, false) => write!(f, "Ne({left}, {right})"),
            (Comparison::Le, true) => write!(f, "{left} <= {right}"),
            (Comparison::Lt, true) => write!(f, "{left} < {right}"),
            (Comparison::Le, false) => write!(f, "Not({left} <= {right})"),
            (Comparison::Lt, false) => write!(f, "Not({left} < {right})"),
        }
    }
}

impl Display for Printed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Printed { pool, float, nested } = *self;
        let operand = |float| Printed { pool, float, nested: true };
        match *pool.float_node(float) {
            FloatNode::Const(bits) => fmt_constant(f, f64::from_bits(bits), nested),
            FloatNode::Sym(sym) => f.write_str(pool.name(sym)),
            FloatNode::Int(e) => write!(f, "ToFloat({})", pool.display(e)),
            FloatNode::IntTrueDiv(a, b) => write!(f, "IntTrueDiv({}, {})", pool.display(a), pool.display(b)),
            FloatNode::Unary(FloatUnary::Neg, x) => write!(f, "(-{})", operand(x)),
            FloatNode::Unary(op, x) => write!(f, "{}({})", op.name(), pool.display_float(x)),
            FloatNode::Binary(op, x, y) => {
                let Some(mark) = operator(op) else {
                    return write!(f, "{}({}, {})", op.name(), pool.display_float(x), pool.display_float(y));
                };
                let text = format!("{}{mark}{}", operand(x), operand(y));
                if nested { write!(f, "({text})") } else { f.write_str(&text) }
            }
            FloatNode::RoundDecimal(x, digits) => write!(f, "RoundDecimal({}, {digits})", pool.display_float(x)),
        }
    }
}

fn operator(op: FloatBinary) -> Option<&'static str> {
    match op {
        FloatBinary::Add => Some(" + "),
        FloatBinary::Sub => Some(" - "),
        FloatBinary::Mul => Some("*"),
        FloatBinary::TrueDiv
        | FloatBinary::Pow
        | FloatBinary::Min
        | FloatBinary::Max
        | FloatBinary::FloorDiv
        | FloatBinary::Mod => None,
    }
}

fn fmt_constant(f: &mut fmt::Formatter<'_>, value: f64, nested: bool) -> fmt::Result {
    let sign = if value.is_sign_negative() { "-" } else { "" };
    let size = value.abs();
    let text = match size {
        _ if size.is_nan() => "nan".to_owned(),
        f64::INFINITY => format!("{sign}oo"),
        _ => format!("{sign}{size:?}"),
    };
    if nested && text.starts_with('-') { write!(f, "({text})") } else { f.write_str(&text) }
}

impl Parser<'_, '_> {
    /// A relation of floats, if that is what stands here.
    pub(crate) fn float_comparison(&mut self) -> Option<Pred> {
        let left = self.float_sum().ok()?;
        let Token::Mark(mark @ ("==" | "!=" | "<=" | "<" | ">=" | ">")) = self.peek() else { return None };
        self.next();
        let right = self.float_sum().ok()?;
        Some(self.relate_floats(mark, left, right))
    }

    pub(crate) fn relate_floats(&mut self, mark: &str, a: Float, b: Float) -> Pred {
        match mark {
            "==" => self.pool.compare_floats(Comparison::Eq, a, b),
            "!=" => {
                let equal = self.pool.compare_floats(Comparison::Eq, a, b);
                self.pool.not(equal)
            }
            "<=" => self.pool.compare_floats(Comparison::Le, a, b),
            "<" => self.pool.compare_floats(Comparison::Lt, a, b),
            ">=" => self.pool.compare_floats(Comparison::Le, b, a),
            _ => self.pool.compare_floats(Comparison::Lt, b, a),
        }
    }

    pub(crate) fn float_sum(&mut self) -> Result<Float, ParseError> {
        let mut total = self.float_product()?;
        loop {
            let op = match self.peek() {
                Token::Mark("+") => FloatBinary::Add,
                Token::Mark("-") => FloatBinary::Sub,
                _ => return Ok(total),
            };
            self.next();
            let term = self.float_product()?;
            total = self.pool.float_binary(op, total, term);
        }
    }

    fn float_product(&mut self) -> Result<Float, ParseError> {
        let mut total = self.float_unary()?;
        loop {
            let op = match self.peek() {
                Token::Mark("*") => FloatBinary::Mul,
                Token::Mark("/") => FloatBinary::TrueDiv,
                _ => return Ok(total),
            };
            self.next();
            let factor = self.float_unary()?;
            total = self.pool.float_binary(op, total, factor);
        }
    }

    fn float_unary(&mut self) -> Result<Float, ParseError> {
        if !self.eat("-") {
            return self.float_power();
        }
        let operand = self.nested(Self::float_unary)?;
        Ok(self.pool.float_unary(FloatUnary::Neg, operand))
    }

    fn float_power(&mut self) -> Result<Float, ParseError> {
        let base = self.float_atom()?;
        if !self.eat("**") {
            return Ok(base);
        }
        let exponent = self.nested(Self::float_unary)?;
        Ok(self.pool.float_binary(FloatBinary::Pow, base, exponent))
    }

    fn float_atom(&mut self) -> Result<Float, ParseError> {
        match self.peek() {
            Token::Number(digits) => {
                let value: f64 = digits.parse().map_err(|_| self.expected("a float"))?;
                self.next();
                Ok(self.pool.float(value))
            }
            Token::Mark("(") => {
                self.next();
                let inner = self.nested(Self::float_sum)?;
                self.expect(")")?;
                Ok(inner)
            }
            Token::Name(name) => self.float_named(name),
            _ => Err(self.expected("a float")),
        }
    }

    fn float_named(&mut self, name: &str) -> Result<Float, ParseError> {
        match name {
            "oo" => self.float_constant(f64::INFINITY),
            "nan" => self.float_constant(f64::NAN),
            "ToFloat" | "IntTrueDiv" => self.float_of_ints(name),
            "RoundDecimal" => self.rounded_decimal(),
            _ if self.tokens.get(self.at + 1) == Some(&Token::Mark("(")) => self.float_call(name),
            _ => {
                // `zf` is how torch names the symbols of floats.
                let known = self.pool.find(name);
                if !known.map_or(name.starts_with("zf"), |sym| self.pool.is_float(sym)) {
                    return Err(self.expected("a float"));
                }
                self.next();
                let sym = self.pool.float_symbol(name);
                Ok(self.pool.float_sym(sym))
            }
        }
    }

    fn float_constant(&mut self, value: f64) -> Result<Float, ParseError> {
        self.next();
        Ok(self.pool.float(value))
    }

    fn float_of_ints(&mut self, name: &str) -> Result<Float, ParseError> {
        self.next();
        let args: Vec<Expr> = self.arguments(Self::sum)?;
        match (name, args.as_slice()) {
            ("ToFloat", &[e]) => Ok(self.pool.to_float(e)),
            ("IntTrueDiv", &[a, b]) => Ok(self.pool.int_true_div(a, b)),
            _ => Err(self.arity(name, args.len())),
        }
    }

    /// `RoundDecimal(x, digits)`
    fn rounded_decimal(&mut self) -> Result<Float, ParseError> {
        self.next();
        self.expect("(")?;
        let x = self.nested(Self::float_sum)?;
        self.expect(",")?;
        let sign = if self.eat("-") { -1 } else { 1 };
        let Token::Number(digits) = self.next() else { return Err(self.expected("a number of digits")) };
        let digits: i16 = digits.parse().map_err(|_| self.expected("a number of digits"))?;
        self.expect(")")?;
        Ok(self.pool.round_decimal(x, sign * digits))
    }

    fn float_call(&mut self, name: &str) -> Result<Float, ParseError> {
        let unary = FloatUnary::ALL.iter().find(|op| op.name() == name);
        let binary = FloatBinary::ALL.iter().find(|op| op.name() == name);
        if unary.is_none() && binary.is_none() {
            return Err(self.expected("a function of floats"));
        }
        self.next();
        let args = self.arguments(Self::float_sum)?;
        match (unary, binary, args.as_slice()) {
            (Some(&op), _, &[x]) => Ok(self.pool.float_unary(op, x)),
            (_, Some(&op), &[x, y]) => Ok(self.pool.float_binary(op, x, y)),
            _ => Err(self.arity(name, args.len())),
        }
    }
}
