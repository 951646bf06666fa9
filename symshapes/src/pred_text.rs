//! Predicates as text: `Eq(s0, 2)`, `s0 <= 4`, `(s0 < s1) & Ne(s2, 1)`, as sympy prints them.
//!
//! Read are these, the functions `Le`, `Lt`, `Ge`, `Gt`, `And`, `Or`, `Not`, the operators `== != <= < >= > & | ~`
//! (where `&` and `|` bind less than relations, unlike in Python), and the words `and`, `or`, `not`.

use crate::{
    display::fmt_sum,
    ids::{Expr, Pred},
    node::{Sum, Term},
    parse::{ParseError, Parser, Token},
    pool::Pool,
    pred_node::{Comparison, Operands, PredNode},
    range::Range,
};
use std::fmt::{self, Display};

/// A predicate with the arena that it is printed from.
struct Printed<'a> {
    pool: &'a Pool,
    pred: Pred,
    /// True for an operand of a junction.
    nested: bool,
}

/// A side of a relation.
struct Side<'a>(&'a Pool, Sum);

impl Pool {
    /// The predicate's text, which [`Pool::parse_pred`] reads back.
    pub fn display_pred(&self, p: Pred) -> impl Display + '_ {
        Printed { pool: self, pred: p, nested: false }
    }

    /// Reads a predicate; unknown names become symbols of any value.
    pub fn parse_pred(&mut self, text: &str) -> Result<Pred, ParseError> {
        Parser::read(self, text, Range::ALL, Parser::disjunction)
    }

    /// `e` as the difference of two sums without negative coefficients; the constant goes to the second where it can.
    pub(crate) fn sides(&self, e: Expr) -> (Sum, Sum) {
        let (mut left, mut right) = (Sum::default(), Sum::default());
        let sum = self.sum_of(e);
        for &term in &sum.terms {
            match term.coeff.checked_neg() {
                Some(coeff) if coeff > 0 => right.terms.push(Term { coeff, mono: term.mono }),
                _ => left.terms.push(term),
            }
        }
        match sum.constant.checked_neg() {
            Some(constant) => right.constant = constant,
            None => left.constant = sum.constant,
        }
        (left, right)
    }

    /// Prints `e <= 0`: a lone negative term turns the relation around, a difference of one makes it strict.
    fn fmt_le(&self, f: &mut fmt::Formatter<'_>, e: Expr) -> fmt::Result {
        let (mut left, mut right) = self.sides(e);
        let relation = match (left.terms.is_empty() && left.constant == 0, right.terms.is_empty(), right.constant) {
            (true, false, constant) if constant != i64::MIN => {
                left.constant = -constant;
                right.constant = 0;
                std::mem::swap(&mut left, &mut right);
                ">="
            }
            (false, false, -1) => {
                right.constant = 0;
                "<"
            }
            _ => "<=",
        };
        write!(f, "{} {relation} {}", Side(self, left), Side(self, right))
    }

    fn fmt_equation(&self, f: &mut fmt::Formatter<'_>, name: &str, e: Expr) -> fmt::Result {
        let (left, right) = self.sides(e);
        write!(f, "{name}({}, {})", Side(self, left), Side(self, right))
    }

    fn fmt_junction(&self, f: &mut fmt::Formatter<'_>, mark: &str, operands: &Operands) -> fmt::Result {
        let text = |&pred: &Pred| Printed { pool: self, pred, nested: true }.to_string();
        let mut texts: Vec<String> = operands.iter().map(text).collect();
        texts.sort_unstable();
        f.write_str(&texts.join(mark))
    }
}

impl Display for Side<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt_sum(f, self.0, &self.1)
    }
}

impl Display for Printed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let node = self.pool.pred_node(self.pred);
        let compound = match node {
            PredNode::Le(_) | PredNode::And(_) | PredNode::Or(_) => true,
            PredNode::Float(relation) => relation.holds && relation.comparison != Comparison::Eq,
            PredNode::Bool(_) | PredNode::Eq(_) | PredNode::Ne(_) | PredNode::Unknown => false,
        };
        let parenthesised = self.nested && compound;
        if parenthesised {
            f.write_str("(")?;
        }
        match node {
            PredNode::Bool(true) => f.write_str("True"),
            PredNode::Bool(false) => f.write_str("False"),
            PredNode::Eq(e) => self.pool.fmt_equation(f, "Eq", *e),
            PredNode::Ne(e) => self.pool.fmt_equation(f, "Ne", *e),
            PredNode::Le(e) => self.pool.fmt_le(f, *e),
            PredNode::And(operands) => self.pool.fmt_junction(f, " & ", operands),
            PredNode::Or(operands) => self.pool.fmt_junction(f, " | ", operands),
            PredNode::Float(relation) => self.pool.fmt_float_relation(f, *relation),
            PredNode::Unknown => f.write_str("Unknown"),
        }?;
        if parenthesised { f.write_str(")") } else { Ok(()) }
    }
}

/// The comparison operator that a predicate's function name stands for.
fn relation(name: &str) -> Option<&'static str> {
    Some(match name {
        "Eq" => "==",
        "Ne" => "!=",
        "Le" => "<=",
        "Lt" => "<",
        "Ge" => ">=",
        "Gt" => ">",
        _ => return None,
    })
}

impl Parser<'_, '_> {
    pub(crate) fn disjunction(&mut self) -> Result<Pred, ParseError> {
        let mut operands = vec![self.conjunction()?];
        while self.eat("|") || self.eat_word("or") {
            operands.push(self.conjunction()?);
        }
        Ok(self.pool.any(operands))
    }

    fn conjunction(&mut self) -> Result<Pred, ParseError> {
        let mut operands = vec![self.negation()?];
        while self.eat("&") || self.eat_word("and") {
            operands.push(self.negation()?);
        }
        Ok(self.pool.all(operands))
    }

    fn negation(&mut self) -> Result<Pred, ParseError> {
        if self.eat("~") || self.eat_word("not") {
            let inner = self.nested(Self::negation)?;
            return Ok(self.pool.not(inner));
        }
        match self.peek() {
            Token::Mark("(") if self.parenthesis_is_predicate() => {
                self.next();
                let inner = self.nested(Self::disjunction)?;
                self.expect(")")?;
                Ok(inner)
            }
            Token::Name(name) => match self.named(name)? {
                Some(pred) => Ok(pred),
                None => self.comparison(),
            },
            _ => self.comparison(),
        }
    }

    /// A constant or a function that gives a predicate, if the name is one of these.
    fn named(&mut self, name: &str) -> Result<Option<Pred>, ParseError> {
        let pred = match name {
            "True" => self.pool.bool(true),
            "False" => self.pool.bool(false),
            "Unknown" => self.pool.intern_pred(PredNode::Unknown),
            "And" | "Or" | "Not" => return self.junction_call(name).map(Some),
            _ => match relation(name) {
                Some(mark) => return self.relation_call(name, mark).map(Some),
                None => return Ok(None),
            },
        };
        self.next();
        Ok(Some(pred))
    }

    fn junction_call(&mut self, name: &str) -> Result<Pred, ParseError> {
        self.next();
        let args = self.arguments(Self::disjunction)?;
        match (name, args.as_slice()) {
            ("And", _) => Ok(self.pool.all(args)),
            ("Or", _) => Ok(self.pool.any(args)),
            (_, &[single]) => Ok(self.pool.not(single)),
            _ => Err(self.arity(name, args.len())),
        }
    }

    fn relation_call(&mut self, name: &str, mark: &str) -> Result<Pred, ParseError> {
        self.next();
        let start = self.at;
        // Sides that are no integers are floats.
        let Ok(args) = self.arguments(Self::sum) else {
            self.at = start;
            let args = self.arguments(Self::float_sum)?;
            return match args.as_slice() {
                &[a, b] => Ok(self.relate_floats(mark, a, b)),
                _ => Err(self.arity(name, args.len())),
            };
        };
        match args.as_slice() {
            &[a, b] => Ok(self.relate(mark, a, b)),
            _ => Err(self.arity(name, args.len())),
        }
    }

    pub(crate) fn arguments<T>(&mut self, parse: fn(&mut Self) -> Result<T, ParseError>) -> Result<Vec<T>, ParseError> {
        self.expect("(")?;
        let mut args = vec![self.nested(parse)?];
        while self.eat(",") {
            args.push(self.nested(parse)?);
        }
        self.expect(")")?;
        Ok(args)
    }

    /// A relation of integers, or of floats.
    fn comparison(&mut self) -> Result<Pred, ParseError> {
        let start = self.at;
        self.int_comparison().or_else(|error| {
            self.at = start;
            self.float_comparison().ok_or(error)
        })
    }

    fn int_comparison(&mut self) -> Result<Pred, ParseError> {
        let left = self.sum()?;
        let Token::Mark(mark @ ("==" | "!=" | "<=" | "<" | ">=" | ">")) = self.peek() else {
            return Err(self.expected("a relation"));
        };
        self.next();
        let right = self.sum()?;
        Ok(self.relate(mark, left, right))
    }

    fn relate(&mut self, mark: &str, a: Expr, b: Expr) -> Pred {
        match mark {
            "==" => self.pool.eq(a, b),
            "!=" => self.pool.ne(a, b),
            "<=" => self.pool.le(a, b),
            "<" => self.pool.lt(a, b),
            ">=" => self.pool.le(b, a),
            _ => self.pool.lt(b, a),
        }
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let found = self.peek() == Token::Name(word);
        if found {
            self.next();
        }
        found
    }

    /// Tells a predicate in parentheses from an expression: an operator follows only the latter.
    fn parenthesis_is_predicate(&self) -> bool {
        let mut depth = 0usize;
        for (i, token) in self.tokens.iter().enumerate().skip(self.at) {
            match token {
                Token::Mark("(") => depth += 1,
                Token::Mark(")") => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 {
                let next = self.tokens.get(i + 1).unwrap_or(&Token::End);
                return matches!(next, Token::End | Token::Name(_) | Token::Mark(")" | "&" | "|" | ","));
            }
        }
        false
    }
}
