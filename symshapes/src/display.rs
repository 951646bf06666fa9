//! Printing, as torch and sympy print: `2*s0`, `s0 + 1`, `(s0//2)`, `Mod(s0, 2)`, `Min(a, b)`.
//!
//! Terms stand in lexicographic order of their factors, symbols before calls, the constant last: the text does not
//! depend on the order in which expressions were made. Unlike torch we put no second pair of parentheses around a
//! quotient or a remainder within a sum or a product.

use crate::{
    ids::Expr,
    node::{Node, Sum, Term},
    pool::Pool,
};
use std::{
    cmp::Ordering,
    fmt::{self, Display, Write},
};

/// The precedence levels of a text, the loosest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Binding {
    Sum,
    Product,
    Power,
    Atom,
}

/// An expression with the arena that it is printed from.
struct Printed<'a> {
    pool: &'a Pool,
    expr: Expr,
    /// The context's binding: a text that binds less is put in parentheses.
    context: Binding,
}

impl Pool {
    /// The expression's text, which [`Pool::parse`] reads back.
    pub fn display(&self, e: Expr) -> impl Display + '_ {
        self.within(e, Binding::Sum)
    }

    fn within(&self, expr: Expr, context: Binding) -> Printed<'_> {
        Printed { pool: self, expr, context }
    }

    /// The precedence of the expression's text.
    fn binding(&self, e: Expr) -> Binding {
        match self.node(e) {
            Node::Int(n) if *n < 0 => Binding::Sum,
            Node::Add(sum) => match sum.terms.as_slice() {
                [term] if sum.constant == 0 && term.coeff >= 0 => Binding::Product,
                _ => Binding::Sum,
            },
            Node::Mul(factors) if factors.iter().all(|f| *f == factors[0]) => Binding::Power,
            Node::Mul(_) => Binding::Product,
            Node::Pow(_, n) if self.as_int(*n).is_some() => Binding::Power,
            _ => Binding::Atom,
        }
    }

    /// The factors' text with their exponents, in order.
    fn powers(&self, mono: Expr) -> Vec<(String, usize)> {
        let mut texts: Vec<String> =
            self.factors_of(mono).iter().map(|&f| self.within(f, Binding::Atom).to_string()).collect();
        texts.sort_unstable_by(|a, b| factor_order(a, b));
        let mut powers: Vec<(String, usize)> = Vec::new();
        for text in texts {
            match powers.last_mut() {
                Some((last, exponent)) if *last == text => *exponent += 1,
                _ => powers.push((text, 1)),
            }
        }
        powers
    }

    /// Prints a chain of `Min` or `Max` as one call, its leaves in order.
    fn fmt_chain(&self, f: &mut fmt::Formatter<'_>, name: &str, e: Expr) -> fmt::Result {
        let mut leaves = Vec::new();
        let mut rest = e;
        loop {
            match (name, self.node(rest)) {
                ("Min", Node::Min(leaf, next)) | ("Max", Node::Max(leaf, next)) => {
                    leaves.push(self.display(*leaf).to_string());
                    rest = *next;
                }
                _ => break leaves.push(self.display(rest).to_string()),
            }
        }
        leaves.sort_unstable();
        write!(f, "{name}({})", leaves.join(", "))
    }
}

impl Display for Printed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Printed { pool, expr, context } = *self;
        let parenthesised = pool.binding(expr) < context;
        if parenthesised {
            f.write_char('(')?;
        }
        match pool.node(expr) {
            Node::Int(n) => write!(f, "{n}"),
            Node::Sym(sym) => f.write_str(pool.name(*sym)),
            Node::Add(sum) => fmt_sum(f, pool, sum),
            Node::Mul(_) => fmt_term(f, 1, &pool.powers(expr)),
            Node::FloorDiv(a, b) => {
                write!(f, "({}//{})", pool.within(*a, Binding::Atom), pool.within(*b, Binding::Atom))
            }
            Node::Mod(a, b) => write!(f, "Mod({}, {})", pool.display(*a), pool.display(*b)),
            Node::Min(..) => pool.fmt_chain(f, "Min", expr),
            Node::Max(..) => pool.fmt_chain(f, "Max", expr),
            Node::Pow(a, b) if pool.as_int(*b).is_some() => {
                write!(f, "{}**{}", pool.within(*a, Binding::Atom), pool.display(*b))
            }
            Node::Pow(a, b) => write!(f, "PowByNatural({}, {})", pool.display(*a), pool.display(*b)),
            Node::Round(rounding, x) => write!(f, "{}({})", rounding.name(), pool.display_float(*x)),
            Node::Overflow => f.write_str("Overflow"),
        }?;
        if parenthesised { f.write_char(')') } else { Ok(()) }
    }
}

/// Prints the terms, then the constant; `3 - x` is the one sum that starts with its constant.
pub(crate) fn fmt_sum(f: &mut fmt::Formatter<'_>, pool: &Pool, sum: &Sum) -> fmt::Result {
    if sum.terms.is_empty() {
        return write!(f, "{}", sum.constant);
    }
    if let &[Term { coeff, mono }] = sum.terms.as_slice()
        && (i64::MIN + 1..0).contains(&coeff)
        && sum.constant > 0
        && !matches!(pool.node(mono), Node::Mul(_))
    {
        write!(f, "{} - ", sum.constant)?;
        return fmt_term(f, coeff.unsigned_abs(), &pool.powers(mono));
    }
    let mut terms: Vec<_> = sum.terms.iter().map(|t| (t.coeff, pool.powers(t.mono))).collect();
    terms.sort_by(|a, b| lexicographic(&a.1, &b.1));
    for (i, (coeff, powers)) in terms.iter().enumerate() {
        f.write_str(sign(*coeff, i == 0))?;
        fmt_term(f, coeff.unsigned_abs(), powers)?;
    }
    match sum.constant {
        0 => Ok(()),
        n => write!(f, "{}{}", sign(n, false), n.unsigned_abs()),
    }
}

fn fmt_term(f: &mut fmt::Formatter<'_>, coeff: u64, powers: &[(String, usize)]) -> fmt::Result {
    if coeff != 1 {
        write!(f, "{coeff}*")?;
    }
    for (i, (text, exponent)) in powers.iter().enumerate() {
        let separator = if i == 0 { "" } else { "*" };
        write!(f, "{separator}{text}")?;
        if *exponent > 1 {
            write!(f, "**{exponent}")?;
        }
    }
    Ok(())
}

/// The text before a number of this sign in a sum. The least number reads back only with its own minus.
fn sign(n: i64, first: bool) -> &'static str {
    match (n < 0, first) {
        (true, true) => "-",
        (true, false) if n == i64::MIN => " + -",
        (true, false) => " - ",
        (false, true) => "",
        (false, false) => " + ",
    }
}

/// Symbols stand before calls, each in the order of their text.
fn factor_order(a: &str, b: &str) -> Ordering {
    a.contains('(').cmp(&b.contains('(')).then_with(|| a.cmp(b))
}

/// The order of monomials: the higher power of the first factor in which they differ comes first.
fn lexicographic(a: &[(String, usize)], b: &[(String, usize)]) -> Ordering {
    for (x, y) in a.iter().zip(b) {
        let order = factor_order(&x.0, &y.0).then(y.1.cmp(&x.1));
        if order.is_ne() {
            return order;
        }
    }
    b.len().cmp(&a.len())
}
