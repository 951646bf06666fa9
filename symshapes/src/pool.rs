//! The arena of expressions: interning, symbols, and what is known of each expression.
//!
//! Invariant: `facts[e]` follows from `nodes[e]`, its children's facts and the symbols' ranges alone.

use crate::{
    arith::gcd,
    float_node::{FloatNode, Part},
    ids::{Expr, Float, Pred, Sym},
    node::{Factors, Node, Sum, remove_factors, shared_factors},
    pred_node::PredNode,
    range::Range,
};
use cranelift_entity::{EntityRef, PrimaryMap};
use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

/// The arena of hash-consed integer expressions.
///
/// Every constructor simplifies, so two expressions that the rules can prove equal get the same [`Expr`]. An
/// expression denotes a mathematical integer: a rewrite keeps its value wherever the original is defined, and may
/// give a value where the original divided by zero or overflowed on the way.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Pool {
    pub(crate) nodes: IndexSet<Node, FxBuildHasher>,
    pub(crate) facts: PrimaryMap<Expr, Facts>,
    pub(crate) preds: IndexSet<PredNode, FxBuildHasher>,
    #[serde(default)]
    pub(crate) floats: IndexSet<FloatNode, FxBuildHasher>,
    pub(crate) symbols: PrimaryMap<Sym, Symbol>,
    pub(crate) names: FxHashMap<String, SmallVec<[Sym; 1]>>,
    #[serde(skip)]
    memo: FxHashMap<(Op, Expr, Expr), Expr>,
}

/// A symbol's row.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Symbol {
    name: String,
    range: Range,
    /// Every value is below this expression's.
    #[serde(default)]
    below: Option<Expr>,
    /// The value is this expression's.
    #[serde(default)]
    meaning: Option<Expr>,
    /// A typical value.
    #[serde(default)]
    hint: Option<i64>,
    /// The values are the bits of doubles.
    #[serde(default)]
    float: bool,
}

impl Symbol {
    /// The expressions that it is described by.
    pub(crate) fn exprs(&self) -> impl Iterator<Item = Expr> {
        self.below.into_iter().chain(self.meaning)
    }

    /// A symbol of any integer.
    fn named(name: &str) -> Symbol {
        Symbol { name: name.to_owned(), range: Range::ALL, below: None, meaning: None, hint: None, float: false }
    }
}

impl Default for Pool {
    fn default() -> Pool {
        Pool::new()
    }
}

/// The facts known of one expression.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Facts {
    /// Contains every value.
    pub(crate) range: Range,
    /// Divides every value; zero for the constant zero.
    pub(crate) divisor: u64,
    /// A bit for each symbol below, modulo 64: disjoint masks prove that symbols do not occur.
    pub(crate) mask: u64,
    /// The nodes that a walk without sharing visits, saturating.
    pub(crate) size: u32,
}

/// The operations whose results are remembered.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Op {
    Add,
    Sub,
    Mul,
    FloorDiv,
    Mod,
    Min,
    Max,
    Pow,
}

impl Pool {
    /// An arena of the constants [`Expr::ZERO`] and [`Expr::ONE`].
    pub fn new() -> Pool {
        let mut pool = Pool {
            nodes: IndexSet::default(),
            facts: PrimaryMap::new(),
            preds: IndexSet::default(),
            floats: IndexSet::default(),
            symbols: PrimaryMap::new(),
            names: FxHashMap::default(),
            memo: FxHashMap::default(),
        };
        let constants = [pool.int(0), pool.int(1)];
        debug_assert_eq!(constants, [Expr::ZERO, Expr::ONE]);
        pool
    }

    /// The symbol of this name and range, made if there is none.
    ///
    /// A name may stand for several symbols with different ranges; text then refers to the newest of them.
    pub fn symbol(&mut self, name: &str, range: Range) -> Sym {
        self.find_or_push(Symbol { range, ..Symbol::named(name) })
    }

    /// The symbol like this one but for the hint, made if there is none.
    fn find_or_push(&mut self, symbol: Symbol) -> Sym {
        let facts = |symbol: &Symbol| (symbol.range, symbol.below, symbol.meaning, symbol.float);
        let is_same = |known: &Symbol| facts(known) == facts(&symbol);
        let known = self.names.get(&symbol.name).and_then(|all| all.iter().find(|&&s| is_same(&self.symbols[s])));
        if let Some(&sym) = known {
            return sym;
        }
        let name = symbol.name.clone();
        let sym = self.symbols.push(symbol);
        self.names.entry(name).or_default().push(sym);
        sym
    }

    /// The symbol of this name for the positions along a dimension of `extent` elements: its values are `0..extent`.
    /// Where the extent is a constant this is [`Pool::symbol`] of that range.
    pub fn position(&mut self, name: &str, extent: Expr) -> Sym {
        let most = self.range(extent).hi;
        if let Some(extent) = self.as_int(extent) {
            return self.symbol(name, Range::index(extent));
        }
        let range = Range::new(0, if most == i64::MAX { most } else { most.saturating_sub(1) });
        self.find_or_push(Symbol { range, below: Some(extent), ..Symbol::named(name) })
    }

    /// A symbol that stands for an expression, and has its values: for what reads integers and knows no floats.
    fn standing_for(&mut self, e: Expr) -> Sym {
        let symbol = Symbol {
            range: self.range(e),
            meaning: Some(e),
            hint: self.hint(e),
            ..Symbol::named(&format!("r{}", e.index()))
        };
        self.find_or_push(symbol)
    }

    /// The expression with each rounded float in it replaced by a symbol that stands for it.
    pub fn without_floats(&mut self, e: Expr) -> Expr {
        if !self.rounds_floats(e) {
            return e;
        }
        self.replace_parts(e, |pool, part| {
            matches!(pool.node(part), Node::Round(..)).then(|| {
                let sym = pool.standing_for(part);
                pool.sym(sym)
            })
        })
    }

    /// The expression that a symbol stands for.
    pub fn meaning(&self, sym: Sym) -> Option<Expr> {
        self.symbols[sym].meaning
    }

    /// The expression that every value of a symbol is below, if it was made as a position.
    pub fn bound(&self, sym: Sym) -> Option<Expr> {
        self.symbols[sym].below
    }

    /// States a typical value of a symbol, by which heuristics decide; nothing is proved by it.
    pub fn set_hint(&mut self, sym: Sym, value: i64) {
        self.symbols[sym].hint = Some(value);
    }

    /// The typical value of a symbol.
    pub fn symbol_hint(&self, sym: Sym) -> Option<i64> {
        self.symbols[sym].hint
    }

    /// A symbol's name.
    pub fn name(&self, sym: Sym) -> &str {
        &self.symbols[sym].name
    }

    /// The newest symbol of this name.
    pub fn find(&self, name: &str) -> Option<Sym> {
        self.names.get(name)?.last().copied()
    }

    /// The range in which a symbol's values lie.
    pub fn symbol_range(&self, sym: Sym) -> Range {
        self.symbols[sym].range
    }

    /// Replaces a symbol's range, and what follows from it.
    ///
    /// Expressions built before stay as they are: after narrowing they are right but may have a shorter form now
    /// ([`Pool::subst`] rebuilds every part with a symbol that the map names, so a map from the symbol to itself gives
    /// it); after widening, those simplified under the old range hold only in the old range.
    pub fn set_symbol_range(&mut self, sym: Sym, range: Range) {
        if self.symbols[sym].range == range {
            return;
        }
        self.symbols[sym].range = range;
        self.memo.clear();
        for index in 0..self.nodes.len() {
            self.facts[Expr::new(index)] = self.facts_of(&self.nodes[index]);
        }
    }

    /// Every symbol, in the order of making.
    pub fn all_symbols(&self) -> impl Iterator<Item = Sym> + use<> {
        self.symbols.keys()
    }

    /// The node behind an expression.
    pub fn node(&self, e: Expr) -> &Node {
        &self.nodes[e.index()]
    }

    /// The number of expressions made so far; the constants 0 and 1 are there from the start.
    #[expect(clippy::len_without_is_empty, reason = "no arena is empty")]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The value of a constant.
    pub fn as_int(&self, e: Expr) -> Option<i64> {
        match self.node(e) {
            Node::Int(n) => Some(*n),
            _ => None,
        }
    }

    /// The symbol, if the expression is just one.
    pub fn as_sym(&self, e: Expr) -> Option<Sym> {
        match self.node(e) {
            Node::Sym(s) => Some(*s),
            _ => None,
        }
    }

    /// A range that contains every value of the expression.
    pub fn range(&self, e: Expr) -> Range {
        self.facts[e].range
    }

    /// A constant.
    pub fn int(&mut self, value: i64) -> Expr {
        self.intern(Node::Int(value))
    }

    /// A symbol as an expression.
    pub fn sym(&mut self, sym: Sym) -> Expr {
        self.intern(Node::Sym(sym))
    }

    /// The expression without a value.
    pub fn overflow(&mut self) -> Expr {
        self.intern(Node::Overflow)
    }

    /// True for the expression without a value.
    pub fn is_overflow(&self, e: Expr) -> bool {
        matches!(self.node(e), Node::Overflow)
    }

    pub(crate) fn facts(&self, e: Expr) -> &Facts {
        &self.facts[e]
    }

    /// The expression of a node that already satisfies the invariants.
    pub(crate) fn intern(&mut self, node: Node) -> Expr {
        let (index, fresh) = self.nodes.insert_full(node);
        if fresh {
            let facts = self.facts_of(&self.nodes[index]);
            self.facts.push(facts);
        }
        Expr::new(index)
    }

    /// The node behind a float.
    pub fn float_node(&self, f: Float) -> &FloatNode {
        &self.floats[f.index()]
    }

    /// False where no expression can round one.
    pub(crate) fn has_floats(&self) -> bool {
        !self.floats.is_empty()
    }

    /// The float of a node that already satisfies the invariants.
    pub(crate) fn intern_float(&mut self, node: FloatNode) -> Float {
        Float::new(self.floats.insert_full(node).0)
    }

    /// True for a symbol whose values are the bits of doubles.
    pub fn is_float(&self, sym: Sym) -> bool {
        self.symbols[sym].float
    }

    pub(crate) fn mark_float(&mut self, sym: Sym) {
        self.symbols[sym].float = true;
    }

    pub(crate) fn pred_at(&self, p: Pred) -> &PredNode {
        &self.preds[p.index()]
    }

    /// The predicate of a node that already satisfies the invariants.
    pub(crate) fn intern_pred(&mut self, node: PredNode) -> Pred {
        Pred::new(self.preds.insert_full(node).0)
    }

    /// The remembered result of an operation, or `build`'s; an operand without a value has none to give.
    pub(crate) fn memo(&mut self, op: Op, a: Expr, b: Expr, build: impl FnOnce(&mut Pool) -> Expr) -> Expr {
        if let Some(&known) = self.memo.get(&(op, a, b)) {
            return known;
        }
        let built = if self.is_overflow(a) || self.is_overflow(b) { self.overflow() } else { build(self) };
        self.memo.insert((op, a, b), built);
        built
    }

    fn facts_of(&self, node: &Node) -> Facts {
        let (mut mask, mut size) = (0, 1u32);
        self.parts(node, &mut |part| match part {
            Part::Sym(sym) => mask |= symbol_mask(sym),
            Part::Int(child) => {
                mask |= self.facts[child].mask;
                size = size.saturating_add(self.facts[child].size);
            }
        });
        Facts { range: self.range_of(node), divisor: self.divisor_of(node), mask, size }
    }

    /// Calls `visit` on what a node is made of: its children, its symbol, or what the float is made of that it rounds.
    pub(crate) fn parts(&self, node: &Node, visit: &mut dyn FnMut(Part)) {
        match node {
            Node::Sym(sym) => visit(Part::Sym(*sym)),
            Node::Round(_, f) => self.float_parts(*f, visit),
            _ => node.children(|child| visit(Part::Int(child))),
        }
    }

    fn range_of(&self, node: &Node) -> Range {
        match node {
            Node::Int(n) => Range::point(*n),
            Node::Sym(sym) => self.symbols[*sym].range,
            Node::Add(sum) => self.range_of_sum(sum),
            Node::Mul(factors) => self.range_of_product(factors),
            Node::FloorDiv(a, b) => self.range(*a).floor_div(self.range(*b)),
            Node::Mod(a, b) => self.range(*a).modulo(self.range(*b)),
            Node::Min(a, b) => self.range(*a).min(self.range(*b)),
            Node::Max(a, b) => self.range(*a).max(self.range(*b)),
            Node::Pow(a, b) => self.range(*a).pow(self.range(*b)),
            Node::Round(rounding, f) => self.range_of_rounded(*rounding, *f),
            Node::Overflow => Range::ALL,
        }
    }

    /// A range that contains every value of the polynomial.
    pub(crate) fn range_of_sum(&self, sum: &Sum) -> Range {
        let terms = sum.terms.iter().map(|t| Range::point(t.coeff) * self.range(t.mono));
        let range = terms.fold(Range::point(sum.constant), |total, term| total + term);
        match self.range_of_factored(sum) {
            Some(factored) => range.intersect(factored),
            None => range,
        }
    }

    /// The range of `f*(a + b) + k` for `f*a + f*b + k`, where all terms share factors: its sign may show only so.
    fn range_of_factored(&self, sum: &Sum) -> Option<Range> {
        let [first, rest @ ..] = sum.terms.as_slice() else { return None };
        let all = Factors::from_slice(self.factors(&first.mono));
        let common = rest.iter().fold(all, |common, t| shared_factors(&common, self.factors(&t.mono)));
        if rest.is_empty() || common.is_empty() {
            return None;
        }
        let mut cofactor = Range::point(0);
        for t in &sum.terms {
            let left = remove_factors(self.factors(&t.mono), &common)?;
            cofactor = cofactor + Range::point(t.coeff) * self.range_of_product(&left);
        }
        Some(self.range_of_product(&common) * cofactor + Range::point(sum.constant))
    }

    /// The factors of a monomial.
    fn factors<'a>(&'a self, mono: &'a Expr) -> &'a [Expr] {
        match self.node(*mono) {
            Node::Mul(factors) => factors,
            _ => std::slice::from_ref(mono),
        }
    }

    /// An even power is not negative, which the product of the ranges alone would not tell.
    fn range_of_product(&self, factors: &Factors) -> Range {
        let product = factors.iter().fold(Range::point(1), |product, &f| product * self.range(f));
        let is_square = factors.len().is_multiple_of(2) && factors.chunks(2).all(|pair| pair[0] == pair[1]);
        if is_square { product.intersect(Range::new(0, i64::MAX)) } else { product }
    }

    fn divisor_of(&self, node: &Node) -> u64 {
        let divisor = |e: &Expr| self.facts[*e].divisor;
        match node {
            Node::Int(n) => n.unsigned_abs(),
            Node::Add(sum) => sum.terms.iter().fold(sum.constant.unsigned_abs(), |g, t| {
                // A product beyond `u64` still has the coefficient as a divisor.
                let term = t.coeff.unsigned_abs();
                gcd(g, term.checked_mul(divisor(&t.mono)).unwrap_or(term))
            }),
            Node::Mul(factors) => factors.iter().fold(1u64, |p, f| p.checked_mul(divisor(f)).unwrap_or(p)),
            Node::Mod(a, b) | Node::Min(a, b) | Node::Max(a, b) => gcd(divisor(a), divisor(b)),
            Node::Pow(a, b) => match u32::try_from(self.range(*b).lo) {
                Ok(least) if least > 0 => divisor(a).checked_pow(least).unwrap_or(divisor(a)),
                _ => 1,
            },
            Node::Sym(_) | Node::FloorDiv(..) | Node::Round(..) | Node::Overflow => 1,
        }
    }
}

/// The bit that stands for a symbol.
pub(crate) fn symbol_mask(sym: Sym) -> u64 {
    1 << (sym.as_u32() % 64)
}
