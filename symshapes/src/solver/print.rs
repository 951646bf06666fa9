//! Checks as text over the inputs, as torch writes its guards: Python that evaluates to their truth.

use super::{Check, GuardSet};
use crate::{
    env::{InputKind, Names, ShapeEnv, SourceId},
    float_node::{FloatBinary, FloatNode, FloatUnary},
    ids::{Expr, Float, Pred, Sym},
    node::{Node, Sum, Term},
    pred_node::{Comparison, FloatRelation, PredNode},
};

/// The precedence levels of an expression's surroundings, the loosest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Context {
    Sum,
    Product,
    Atom,
}

/// An environment, and how to name its inputs.
struct Printer<'a> {
    env: &'a ShapeEnv,
    names: Names<'a>,
}

impl ShapeEnv {
    /// The text of a check.
    pub fn print_check(&self, check: &Check, names: Names<'_>) -> String {
        let printer = Printer { env: self, names };
        match *check {
            Check::Equal { source, expr } => match self.float_constant(source, expr) {
                Some(value) if value.is_nan() => format!("math.isnan({})", names(source)),
                Some(value) => format!("{} == {}", names(source), constant(value)),
                None => format!("{} == {}", names(source), printer.expr(expr, Context::Sum)),
            },
            Check::Divisible { source, by } => format!("({} % {by}) == 0", names(source)),
            Check::Within { source, range, domain } => {
                let lower = if range.lo > domain.lo { format!("{} <= ", range.lo) } else { String::new() };
                let upper = if range.hi < domain.hi { format!(" <= {}", range.hi) } else { String::new() };
                format!("{lower}{}{upper}", names(source))
            }
            Check::Holds(pred) => printer.pred(pred, false),
        }
    }

    /// The value that a float input has to have, which is given by its bits.
    fn float_constant(&self, source: SourceId, expr: Expr) -> Option<f64> {
        let is_float = self.inputs().any(|input| input.source == source && input.kind == InputKind::Float);
        let bits = self.pool().as_int(expr).filter(|_| is_float)?;
        Some(f64::from_bits(bits.cast_unsigned()))
    }

    /// The text of every check, in order.
    pub fn print_guards(&self, guards: &GuardSet, names: Names<'_>) -> Vec<String> {
        guards.checks.iter().map(|kept| self.print_check(&kept.check, names)).collect()
    }

    /// The text of an expression over the inputs.
    pub fn print_expr(&self, e: Expr, names: Names<'_>) -> String {
        Printer { env: self, names }.expr(e, Context::Sum)
    }

    /// The text of a predicate over the inputs.
    pub fn print_pred(&self, p: Pred, names: Names<'_>) -> String {
        Printer { env: self, names }.pred(p, false)
    }
}

impl Printer<'_> {
    fn expr(&self, e: Expr, context: Context) -> String {
        let pool = self.env.pool();
        match pool.node(e) {
            Node::Int(n) if *n < 0 && context > Context::Sum => format!("({n})"),
            Node::Int(n) => n.to_string(),
            Node::Sym(sym) => self.symbol(*sym),
            Node::Add(sum) => self.sum(sum, context),
            Node::Mul(factors) => {
                let texts: Vec<String> = factors.iter().map(|&f| self.expr(f, Context::Atom)).collect();
                parenthesised(texts.join("*"), context > Context::Product)
            }
            Node::FloorDiv(a, b) => {
                format!("({} // {})", self.expr(*a, Context::Atom), self.expr(*b, Context::Atom))
            }
            Node::Mod(a, b) => format!("({} % {})", self.expr(*a, Context::Atom), self.expr(*b, Context::Atom)),
            Node::Min(a, b) => format!("min({}, {})", self.expr(*a, Context::Sum), self.expr(*b, Context::Sum)),
            Node::Max(a, b) => format!("max({}, {})", self.expr(*a, Context::Sum), self.expr(*b, Context::Sum)),
            Node::Pow(a, b) => {
                let text = format!("{} ** {}", self.expr(*a, Context::Atom), self.expr(*b, Context::Atom));
                parenthesised(text, context > Context::Sum)
            }
            Node::Round(rounding, f) => format!("{}({})", rounding.python(), self.float(*f)),
            Node::Overflow => "(1 // 0)".to_owned(),
        }
    }

    fn symbol(&self, sym: Sym) -> String {
        match self.env.input_of(sym) {
            Some(input) => (self.names)(self.env.inputs[input].source),
            None => self.env.pool().name(sym).to_owned(),
        }
    }

    fn sum(&self, sum: &Sum, context: Context) -> String {
        let mut text = String::new();
        for term in &sum.terms {
            match (text.is_empty(), term.coeff < 0) {
                (true, false) => {}
                (true, true) => text.push('-'),
                (false, false) => text.push_str(" + "),
                (false, true) => text.push_str(" - "),
            }
            text.push_str(&self.term(*term));
        }
        match sum.constant {
            n if text.is_empty() => text = n.to_string(),
            0 => {}
            n if n < 0 => text += &format!(" - {}", n.unsigned_abs()),
            n => text += &format!(" + {n}"),
        }
        let single = sum.constant == 0 && matches!(sum.terms.as_slice(), [term] if term.coeff > 0);
        let binding = if single { Context::Product } else { Context::Sum };
        parenthesised(text, context > binding)
    }

    /// A term without its sign.
    fn term(&self, term: Term) -> String {
        let mono = self.expr(term.mono, Context::Product);
        match term.coeff.unsigned_abs() {
            1 => mono,
            coeff => format!("{coeff}*{mono}"),
        }
    }

    fn pred(&self, p: Pred, nested: bool) -> String {
        match self.env.pool().pred_node(p) {
            PredNode::Bool(true) => "True".to_owned(),
            PredNode::Bool(false) => "False".to_owned(),
            PredNode::Eq(e) => parenthesised(self.relation(*e, "=="), nested),
            PredNode::Ne(e) => parenthesised(self.relation(*e, "!="), nested),
            PredNode::Le(e) => parenthesised(self.at_most(*e), nested),
            PredNode::And(parts) => parenthesised(self.junction(parts, " and "), nested),
            PredNode::Or(parts) => parenthesised(self.junction(parts, " or "), nested),
            PredNode::Float(relation) => self.comparison(*relation, nested),
            PredNode::Unknown => "False".to_owned(),
        }
    }

    fn comparison(&self, relation: FloatRelation, nested: bool) -> String {
        let mark = match relation.comparison {
            Comparison::Eq => "==",
            Comparison::Le => "<=",
            Comparison::Lt => "<",
        };
        let (left, right) = (self.float(relation.left), self.float(relation.right));
        let text = format!("{left} {mark} {right}");
        if relation.holds { parenthesised(text, nested) } else { format!("not ({text})") }
    }

    fn float(&self, f: Float) -> String {
        match *self.env.pool().float_node(f) {
            FloatNode::Const(bits) => constant(f64::from_bits(bits)),
            FloatNode::Sym(sym) => self.symbol(sym),
            FloatNode::Int(e) => format!("float({})", self.expr(e, Context::Sum)),
            FloatNode::IntTrueDiv(a, b) => {
                format!("({} / {})", self.expr(a, Context::Atom), self.expr(b, Context::Atom))
            }
            FloatNode::Unary(FloatUnary::Neg, x) => format!("(-{})", self.float(x)),
            FloatNode::Unary(op, x) => format!("{}({})", op.python(), self.float(x)),
            FloatNode::RoundDecimal(x, digits) => format!("round({}, {digits})", self.float(x)),
            FloatNode::Binary(op, x, y) => {
                let (x, y) = (self.float(x), self.float(y));
                match op {
                    FloatBinary::Add => format!("({x} + {y})"),
                    FloatBinary::Sub => format!("({x} - {y})"),
                    FloatBinary::Mul => format!("({x} * {y})"),
                    FloatBinary::TrueDiv => format!("({x} / {y})"),
                    FloatBinary::Pow => format!("({x} ** {y})"),
                    FloatBinary::FloorDiv => format!("({x} // {y})"),
                    FloatBinary::Mod => format!("({x} % {y})"),
                    FloatBinary::Min | FloatBinary::Max => format!("{}({x}, {y})", op.python()),
                }
            }
        }
    }

    fn junction(&self, parts: &[Pred], word: &str) -> String {
        parts.iter().map(|&part| self.pred(part, true)).collect::<Vec<_>>().join(word)
    }

    fn relation(&self, e: Expr, mark: &str) -> String {
        let (left, right) = self.env.pool().sides(e);
        format!("{} {mark} {}", self.sum(&left, Context::Sum), self.sum(&right, Context::Sum))
    }

    /// `e <= 0` with every term on the side where it is positive.
    fn at_most(&self, e: Expr) -> String {
        let (left, mut right) = self.env.pool().sides(e);
        if left.terms.is_empty() && left.constant == 0 {
            let least = right.constant.wrapping_neg();
            right.constant = 0;
            return format!("{} >= {least}", self.sum(&right, Context::Sum));
        }
        let mark = if right.constant == -1 && !right.terms.is_empty() { "<" } else { "<=" };
        if mark == "<" {
            right.constant = 0;
        }
        format!("{} {mark} {}", self.sum(&left, Context::Sum), self.sum(&right, Context::Sum))
    }
}

/// A double as Python reads it.
fn constant(value: f64) -> String {
    let text = pyrepr::Float(value);
    if value.is_finite() { text.to_string() } else { format!("float('{text}')") }
}

fn parenthesised(text: String, needed: bool) -> String {
    if needed { format!("({text})") } else { text }
}
