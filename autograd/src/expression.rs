//! The language of formulas: expressions over the arguments, results and gradients of a call.
//!
//! `a + b`, `-a`, `a * b`, `a / b`, `a ** b` and comparisons are element-wise on tensors and plain arithmetic on
//! numbers; `name(…)` and `name.overload(…)` call an ATen overload, `name=value` among the arguments is one by keyword.
//! Helpers, which give lists and numbers, stand in [`super::rules`].

use crate::arithmetic::Operation;
use crate::helpers::helper;
use fx::aten::Aten;

/// An expression.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Expression {
    Int(i64),
    Float(f64),
    Bool(bool),
    None,
    Name(&'static str),
    List(Vec<Expression>),
    Negated(Box<Expression>),
    Binary(Operation, Box<[Expression; 2]>),
    Call { function: &'static str, args: Vec<Expression>, kwargs: Vec<(&'static str, Expression)> },
}

/// The operators by how tightly they bind, the loosest first.
const LEVELS: [&[(&str, Operation)]; 4] = [
    &[("<=", Operation::Le), (">=", Operation::Ge), ("==", Operation::Eq), ("<", Operation::Lt), (">", Operation::Gt)],
    &[("+", Operation::Add), ("-", Operation::Sub)],
    &[("*", Operation::Mul), ("/", Operation::Div)],
    &[("**", Operation::Pow)],
];

/// The gradients of an operator: each part by the parameters that it is for.
pub(crate) type Formula = Vec<(Vec<&'static str>, Expression)>;

/// Reads `self: grad * other; other: grad * self`.
///
/// # Panics
/// If the text is no formula; a test reads all of the table's.
pub(crate) fn formula(text: &'static str) -> Formula {
    let part = |part: &'static str| {
        let (names, expression) = part.split_once(':').unwrap_or_else(|| panic!("no colon in `{part}`"));
        let mut parser = Parser { rest: expression.trim() };
        let parsed = parser.level(0);
        assert!(parser.rest.is_empty(), "`{}` is left of `{expression}`", parser.rest);
        (names.split(',').map(str::trim).collect(), parsed)
    };
    text.split(';').map(part).collect()
}

struct Parser {
    rest: &'static str,
}

impl Parser {
    /// Takes a token off the rest, if it begins with that.
    fn take(&mut self, token: &str) -> bool {
        match self.rest.strip_prefix(token) {
            Some(rest) => {
                self.rest = rest.trim_start();
                true
            }
            None => false,
        }
    }

    fn expect(&mut self, token: &str) {
        assert!(self.take(token), "`{token}` is missing before `{}`", self.rest);
    }

    fn operation(&mut self, level: usize) -> Option<Operation> {
        if level == 2 && self.rest.starts_with("**") {
            return None;
        }
        LEVELS[level].iter().find(|(token, _)| self.take(token)).map(|&(_, operation)| operation)
    }

    fn level(&mut self, level: usize) -> Expression {
        if level == LEVELS.len() {
            return self.operand();
        }
        let mut left = self.level(level + 1);
        while let Some(operation) = self.operation(level) {
            left = Expression::Binary(operation, Box::new([left, self.level(level + 1)]));
        }
        left
    }

    fn operand(&mut self) -> Expression {
        if self.take("-") {
            return Expression::Negated(Box::new(self.level(3)));
        }
        if self.take("(") {
            let inner = self.level(0);
            self.expect(")");
            return inner;
        }
        if self.take("[") {
            return Expression::List(self.list("]"));
        }
        let word = self.word();
        if let Ok(int) = word.parse() {
            return Expression::Int(int);
        }
        if let Ok(float) = word.parse() {
            return Expression::Float(float);
        }
        match word {
            "True" => Expression::Bool(true),
            "False" => Expression::Bool(false),
            "None" => Expression::None,
            function if self.take("(") => self.call(function),
            name => Expression::Name(name),
        }
    }

    /// A number, a name, or an overload with its name.
    fn word(&mut self) -> &'static str {
        let is_in = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
        let end = self.rest.find(|c| !is_in(c)).unwrap_or(self.rest.len());
        assert!(end > 0, "an operand is missing before `{}`", self.rest);
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest.trim_start();
        word
    }

    fn list(&mut self, end: &str) -> Vec<Expression> {
        let mut items = Vec::new();
        while !self.take(end) {
            items.push(self.level(0));
            if !self.take(",") {
                self.expect(end);
                break;
            }
        }
        items
    }

    fn call(&mut self, function: &'static str) -> Expression {
        assert!(helper(function).is_some() || Aten::named(function).is_some(), "no operator `{function}`");
        let (mut args, mut kwargs) = (Vec::new(), Vec::new());
        while !self.take(")") {
            let value = self.level(0);
            match value {
                Expression::Name(name) if self.take("=") => kwargs.push((name, self.level(0))),
                value => args.push(value),
            }
            if !self.take(",") {
                self.expect(")");
                break;
            }
        }
        Expression::Call { function, args, kwargs }
    }
}

#[cfg(test)]
mod tests {
    use super::{Expression as E, Operation, formula};

    #[test]
    fn operators_bind_as_in_python() {
        let [(names, expression)] = &formula("self, other: -a * b ** 2 + add.Tensor(a, alpha=1)")[..] else { panic!() };
        assert_eq!(names, &["self", "other"]);
        let E::Binary(Operation::Add, sum) = expression else { panic!("{expression:?}") };
        let [E::Binary(Operation::Mul, product), E::Call { function, args, kwargs }] = &**sum else { panic!() };
        assert!(matches!(&**product, [E::Negated(_), E::Binary(Operation::Pow, _)]));
        assert_eq!((*function, args.len(), kwargs.len()), ("add.Tensor", 1, 1));
    }
}
