//! Symbols for inputs: policies, duck shaping, 0/1 specialisation, and strides inferred as products.

use super::{EnvError, EnvOptions, Guard, Input, InputId, InputKind, Origin, ShapeEnv, SourceId, SymbolRow};
use crate::{
    ids::{Expr, Float, Sym},
    pool::Pool,
    range::Range,
};
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

/// A size as the user declares it: `factor*name + offset`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct NamedSize {
    /// The name.
    pub name: String,
    /// The factor of the name, 1 or more.
    pub factor: i64,
    /// The constant that is added.
    pub offset: i64,
    /// The values of what is named.
    pub range: Range,
    /// True if the size of the example decides nothing.
    pub unbacked: bool,
    /// The line of the declaration.
    pub at: String,
}

impl NamedSize {
    /// The name itself.
    pub fn plain(name: &str, range: Range) -> NamedSize {
        NamedSize { name: name.to_owned(), factor: 1, offset: 0, range, unbacked: false, at: String::new() }
    }

    /// As the user writes it.
    pub fn text(&self) -> String {
        let product = if self.factor == 1 { self.name.clone() } else { format!("{}*{}", self.factor, self.name) };
        match self.offset {
            0 => product,
            n if n < 0 => format!("{product} - {}", n.unsigned_abs()),
            n => format!("{product} + {n}"),
        }
    }

    pub(super) fn is_plain(&self) -> bool {
        (self.factor, self.offset) == (1, 0)
    }

    /// The values of such an input.
    pub(crate) fn image(&self, kind: InputKind) -> Range {
        let image = Range::point(self.factor) * self.range + Range::point(self.offset);
        image.intersect(kind.domain())
    }
}

/// The policies by which a dimension becomes a constant or a symbol.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub enum Policy {
    /// The hint is a constant.
    Static,
    /// A symbol, shared by sizes of equal hints where duck shaping is on.
    #[default]
    Duck,
    /// A symbol of its own.
    Dynamic,
    /// A symbol of its own whose hint decides nothing.
    Unbacked,
}

/// The user's promise about a dimension: every value in the range is to be accepted. Where these are all values
/// ([`Range::ALL`], `mark_dynamic` without bounds) only this is promised: that the dimension is no constant.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Constraint {
    /// The values.
    pub range: Range,
    /// The line of the promise.
    pub at: String,
    /// The declaration of the dimension, if it was by name.
    #[serde(default)]
    pub name: Option<NamedSize>,
}

impl Constraint {
    /// A promise of `mark_dynamic`.
    pub fn marked(range: Range, at: impl Into<String>) -> Constraint {
        Constraint { range, at: at.into(), name: None }
    }
}

/// The policy for a dimension, and the user's promise about it.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Dim {
    /// The policy.
    pub policy: Policy,
    /// The promise.
    pub constraint: Option<Constraint>,
}

/// A tensor's strides and what they are read from, one entry per dimension.
#[derive(Clone, Copy, Debug)]
pub struct StrideInputs<'a> {
    /// The source that each stride is read from.
    pub sources: &'a [SourceId],
    /// The sizes, as [`ShapeEnv::size`] gave them.
    pub sizes: &'a [Expr],
    /// The example's sizes.
    pub size_hints: &'a [i64],
    /// The example's strides.
    pub stride_hints: &'a [i64],
}

impl From<Policy> for Dim {
    fn from(policy: Policy) -> Dim {
        Dim { policy, constraint: None }
    }
}

impl ShapeEnv {
    /// The size of an input's dimension.
    pub fn size(&mut self, source: SourceId, hint: i64, dim: &Dim, at: &str) -> Result<Expr, EnvError> {
        if hint < 0 {
            return Err(EnvError::NegativeSize { input: source, size: hint, at: at.to_owned() });
        }
        if let Some(c) = dim.constraint.as_ref().filter(|c| !c.range.contains(hint)) {
            let (range, at) = (c.range.to_string(), c.at.clone());
            return Err(EnvError::HintOutOfRange { input: source, hint, range, at });
        }
        let constraint = dim.constraint.clone().map(Box::new);
        let special = self.options.specialize_zero_one && hint < 2;
        let ducks = self.options.duck_shape && dim.policy == Policy::Duck && dim.constraint.is_none();
        match dim.policy {
            Policy::Unbacked => Ok(self.unbacked_input(source, InputKind::Size, constraint)),
            Policy::Static => Ok(self.constant_input(source, InputKind::Size, hint, constraint)),
            Policy::Duck | Policy::Dynamic if special => {
                Ok(self.constant_input(source, InputKind::Size, hint, constraint))
            }
            Policy::Duck | Policy::Dynamic => {
                if let Some(&sym) = self.ducks.get(&hint).filter(|_| ducks) {
                    let expr = self.pool.sym(sym);
                    self.inputs.push(Input { source, kind: InputKind::Size, expr, owned: None, constraint });
                    return Ok(expr);
                }
                let (sym, expr) = self.fresh_input(source, InputKind::Size, hint, constraint);
                if ducks {
                    self.ducks.insert(hint, sym);
                }
                Ok(expr)
            }
        }
    }

    /// A plain integer; 0 and 1 are not special.
    pub fn int(&mut self, source: SourceId, hint: i64, policy: Policy) -> Expr {
        match policy {
            Policy::Static => self.constant_input(source, InputKind::Int, hint, None),
            Policy::Unbacked => self.unbacked_input(source, InputKind::Int, None),
            Policy::Duck | Policy::Dynamic => self.fresh_input(source, InputKind::Int, hint, None).1,
        }
    }

    /// A plain float: a symbol `zf0`, `zf1`, …, whose value is the bits of a double, or a constant if it is static.
    pub fn float(&mut self, source: SourceId, hint: f64, policy: Policy) -> Float {
        if policy == Policy::Static {
            self.constant_input(source, InputKind::Float, hint.to_bits().cast_signed(), None);
            return self.pool.float(hint);
        }
        let sym = self.pool.float_symbol(&format!("zf{}", self.floats));
        self.floats += 1;
        let expr = self.pool.sym(sym);
        let input =
            self.inputs.push(Input { source, kind: InputKind::Float, expr, owned: Some(sym), constraint: None });
        let hint = (policy != Policy::Unbacked).then(|| hint.to_bits().cast_signed());
        self.symbols.insert(sym, SymbolRow { origin: Origin::Input(input), hint, size_like: false, cause: None });
        self.pool.float_sym(sym)
    }

    /// The offset of a tensor in its storage: a constant if it is 0, or if its policy is static.
    pub fn storage_offset(&mut self, source: SourceId, hint: i64, policy: Policy) -> Expr {
        match (hint, policy) {
            (0, _) | (_, Policy::Static) => self.constant_input(source, InputKind::Offset, hint, None),
            _ => self.fresh_input(source, InputKind::Offset, hint, None).1,
        }
    }

    /// The strides of a tensor: 0 and 1 are constants; one that equals the product of another dimension's size and
    /// stride is that product; any other is a symbol of its own, or a constant if all sizes are.
    pub fn strides(&mut self, tensor: StrideInputs<'_>, at: &str) -> Result<Vec<Expr>, EnvError> {
        if self.is_row_major_whatever_its_sizes(&tensor) {
            return self.row_major_strides(&tensor, at);
        }
        let fixed = tensor.sizes.iter().all(|&size| self.pool.as_int(size).is_some());
        let mut order: SmallVec<[usize; 8]> = (0..tensor.sources.len()).collect();
        order.sort_by_key(|&d| (tensor.stride_hints[d], std::cmp::Reverse(d)));
        // The products of a size and its stride so far, by their hints.
        let mut products: SmallVec<[(i64, Expr); 8]> = SmallVec::new();
        let mut strides = vec![Expr::ZERO; order.len()];
        for d in order {
            let (source, hint) = (tensor.sources[d], tensor.stride_hints[d]);
            let overflow = || EnvError::Overflow { input: source, at: at.to_owned() };
            let key = tensor.size_hints[d].checked_mul(hint).ok_or_else(overflow)?;
            if fixed {
                strides[d] = self.constant_input(source, InputKind::Stride, hint, None);
                continue;
            }
            strides[d] = match products.iter().find(|(product, _)| *product == hint) {
                _ if (0..2).contains(&hint) => self.constant_input(source, InputKind::Stride, hint, None),
                Some(&(_, expr)) => {
                    self.inputs.push(Input { source, kind: InputKind::Stride, expr, owned: None, constraint: None });
                    expr
                }
                None => self.fresh_input(source, InputKind::Stride, hint, None).1,
            };
            let next = self.pool.mul(tensor.sizes[d], strides[d]);
            if self.pool.is_overflow(next) {
                return Err(overflow());
            }
            products.push((key, next));
        }
        Ok(strides)
    }

    /// True for a row-major tensor with an unbacked size, whose strides must not be told apart by what its sizes are
    /// now.
    fn is_row_major_whatever_its_sizes(&self, tensor: &StrideInputs<'_>) -> bool {
        let symbols = tensor.sizes.iter().flat_map(|&size| self.pool.symbols(size));
        let mut expected: i64 = 1;
        symbols.into_iter().any(|sym| self.is_unbacked(sym))
            && tensor.size_hints.iter().zip(tensor.stride_hints).rev().all(|(&size, &stride)| {
                let fits = stride == expected;
                expected = expected.saturating_mul(size.max(1));
                fits
            })
    }

    /// Strides as products of the inner sizes, which an empty tensor's need not be.
    fn row_major_strides(&mut self, tensor: &StrideInputs<'_>, at: &str) -> Result<Vec<Expr>, EnvError> {
        let mut is_empty = self.pool.bool(false);
        for &size in tensor.sizes {
            let zero = self.pool.eq(size, Expr::ZERO);
            is_empty = self.pool.or(is_empty, zero);
        }
        let (mut strides, mut next) = (vec![Expr::ONE; tensor.sizes.len()], Expr::ONE);
        for d in (0..tensor.sizes.len()).rev() {
            strides[d] = next;
            let (source, hint) = (tensor.sources[d], tensor.stride_hints[d]);
            if self.pool.as_int(next).is_some() || self.pool.as_bool(is_empty) == Some(false) {
                self.inputs.push(Input { source, kind: InputKind::Stride, expr: next, owned: None, constraint: None });
            } else {
                let (_, stride) = self.fresh_input(source, InputKind::Stride, hint, None);
                let equal = self.pool.eq(stride, next);
                let pred = self.pool.or(equal, is_empty);
                self.guards.push(Guard { pred, at: at.to_owned() });
            }
            next = self.pool.mul(next, tensor.sizes[d]);
            if self.pool.is_overflow(next) {
                return Err(EnvError::Overflow { input: source, at: at.to_owned() });
            }
        }
        Ok(strides)
    }

    /// The number of elements of a tensor.
    pub fn numel(&mut self, source: SourceId, sizes: &[Expr], at: &str) -> Result<Expr, EnvError> {
        let one = self.pool.int(1);
        let product = sizes.iter().fold(one, |product, &size| self.pool.mul(product, size));
        let unbacked = self.pool.symbols(product).iter().any(|&sym| self.is_unbacked(sym));
        if self.pool.is_overflow(product) || (!unbacked && self.hint(product).is_none()) {
            return Err(EnvError::Overflow { input: source, at: at.to_owned() });
        }
        Ok(product)
    }

    /// A symbol that the program computes, of any value.
    pub fn unbacked_int(&mut self) -> Sym {
        self.unbacked_symbol(Range::ALL, false, Origin::Unbacked)
    }

    /// A symbol that the program computes and uses as a size.
    pub fn unbacked_size(&mut self) -> Sym {
        self.unbacked_symbol(Range::new(0, i64::MAX), true, Origin::Unbacked)
    }

    /// States that an unbacked symbol is used as a size.
    pub fn mark_size_like(&mut self, sym: Sym) {
        if let Some(row) = self.symbols.get_mut(&sym) {
            row.size_like = true;
        }
    }

    /// An environment over the symbols that a pool has, in their order: those with a typical value are sizes, each read
    /// from an input of its own, with that value as hint; the others are computed by the program.
    pub fn over(pool: Pool, options: EnvOptions) -> ShapeEnv {
        let mut env = ShapeEnv { pool, ..ShapeEnv::new(options) };
        for sym in env.pool.all_symbols().collect::<Vec<_>>() {
            let hint = env.pool.symbol_hint(sym);
            let origin = match hint {
                Some(_) => Origin::Input(env.read_input(sym)),
                None => Origin::Unbacked,
            };
            env.symbols.insert(sym, SymbolRow { origin, hint, size_like: hint.is_none(), cause: None });
        }
        env
    }

    fn read_input(&mut self, sym: Sym) -> InputId {
        let (expr, source) = (self.pool.sym(sym), SourceId::from_u32(self.backed));
        self.backed += 1;
        self.inputs.push(Input { source, kind: InputKind::Size, expr, owned: Some(sym), constraint: None })
    }

    fn constant_input(
        &mut self,
        source: SourceId,
        kind: InputKind,
        hint: i64,
        constraint: Option<Box<Constraint>>,
    ) -> Expr {
        let expr = self.pool.int(hint);
        self.inputs.push(Input { source, kind, expr, owned: None, constraint });
        expr
    }

    pub(super) fn fresh_input(
        &mut self,
        source: SourceId,
        kind: InputKind,
        hint: i64,
        constraint: Option<Box<Constraint>>,
    ) -> (Sym, Expr) {
        let promised = constraint.as_ref().map_or(Range::ALL, |c| c.range);
        let range = self.default_range(kind).intersect(promised);
        let sym = self.pool.symbol(&format!("s{}", self.backed), range);
        self.backed += 1;
        let expr = self.pool.sym(sym);
        let input = self.inputs.push(Input { source, kind, expr, owned: Some(sym), constraint });
        let row = SymbolRow { origin: Origin::Input(input), hint: Some(hint), size_like: false, cause: None };
        self.symbols.insert(sym, row);
        (sym, expr)
    }

    pub(super) fn unbacked_input(
        &mut self,
        source: SourceId,
        kind: InputKind,
        constraint: Option<Box<Constraint>>,
    ) -> Expr {
        let promised = constraint.as_ref().map_or(Range::ALL, |c| c.range);
        let range = kind.domain().intersect(promised);
        let origin = Origin::Input(self.inputs.next_key());
        let sym = self.unbacked_symbol(range, kind == InputKind::Size, origin);
        let expr = self.pool.sym(sym);
        self.inputs.push(Input { source, kind, expr, owned: Some(sym), constraint });
        expr
    }

    fn unbacked_symbol(&mut self, range: Range, size_like: bool, origin: Origin) -> Sym {
        let sym = self.pool.symbol(&format!("u{}", self.unbacked), range);
        self.unbacked += 1;
        self.symbols.insert(sym, SymbolRow { origin, hint: None, size_like, cause: None });
        sym
    }

    fn default_range(&self, kind: InputKind) -> Range {
        match kind {
            InputKind::Size if self.options.specialize_zero_one => Range::new(2, i64::MAX),
            _ => kind.domain(),
        }
    }
}

impl InputKind {
    /// The values that such an input can have at all.
    pub const fn domain(self) -> Range {
        match self {
            InputKind::Size | InputKind::Stride | InputKind::Offset => Range::new(0, i64::MAX),
            InputKind::Int | InputKind::Float => Range::ALL,
        }
    }
}

impl ShapeEnv {
    /// The input whose value a symbol is, or is computed from.
    pub(crate) fn input_of(&self, sym: Sym) -> Option<InputId> {
        match self.symbols.get(&sym)?.origin {
            Origin::Input(input) => Some(input),
            Origin::Unbacked => None,
            Origin::Quotient { of, .. } => self.input_of(of),
        }
    }
}
