//! A runtime's queries to a kernel at launch: whether it may run, its arguments, its buffers and groups.

use super::{Arg, Binding, GridKernel, NARROW_LIMIT, Op, Stage};
use symshapes::{Expr, Node, Pool, Range, Sym};

/// The most workgroups along one dimension.
const MAX_GROUPS: u64 = 65_535;

/// `groups` workgroups as a grid of three dimensions, which may have some more; `None` if there is none so large. A
/// group's number is `x + X * (y + Y * z)`; those beyond the last do nothing.
pub fn split_groups(groups: u64) -> Option<[u32; 3]> {
    let x = groups.min(MAX_GROUPS);
    let rows = groups.div_ceil(x.max(1));
    let y = rows.min(MAX_GROUPS);
    let z = rows.div_ceil(y.max(1));
    (z <= MAX_GROUPS).then_some([x as u32, y.max(1) as u32, z.max(1) as u32])
}

impl Stage {
    /// True if the stage is handed the launch arguments.
    pub fn takes_args(&self) -> bool {
        self.vals.values().any(|data| matches!(data.op, Op::Arg(_)))
    }
}

impl GridKernel {
    /// True if the kernel's 32-bit arithmetic is right for these values of its sizes.
    pub fn admits(&self, sizes: &[i64]) -> bool {
        let is_small = |range: Range| range.is_empty() || (range.lo >= -NARROW_LIMIT && range.hi < NARROW_LIMIT);
        let lens = self.bindings.values().map(|data| data.len);
        let exprs = self.limits.iter().chain(self.args.values()).copied().chain(lens);
        sizes.len() == self.sizes.len() && exprs.into_iter().all(|e| is_small(self.range(e, sizes)))
    }

    /// The values of the launch arguments; `None` if one has none.
    pub fn arguments(&self, sizes: &[i64]) -> Option<Vec<i32>> {
        self.args.values().map(|&e| self.size(e, sizes).and_then(|value| i32::try_from(value).ok())).collect()
    }

    /// The elements of a binding's dtype.
    pub fn len(&self, binding: Binding, sizes: &[i64]) -> Option<u64> {
        self.size(self.bindings[binding].len, sizes).and_then(|len| u64::try_from(len).ok())
    }

    /// The bytes of a binding's buffer: whole words.
    pub fn bytes(&self, binding: Binding, sizes: &[i64]) -> Option<u64> {
        let data = &self.bindings[binding];
        let elements = self.len(binding, sizes)?.div_ceil(u64::from(data.packing));
        Some((elements * u64::from(data.mem.bytes())).next_multiple_of(4))
    }

    /// The workgroups of a stage; `None` if there are too many, `Some([0, ..])` if there are none.
    pub fn groups(&self, stage: &Stage, sizes: &[i64]) -> Option<[u32; 3]> {
        split_groups(u64::try_from(self.size(stage.groups, sizes)?.max(0)).ok()?)
    }

    /// The value of an expression of sizes.
    pub fn size(&self, e: Expr, sizes: &[i64]) -> Option<i64> {
        let value = |sym: Sym| self.sizes.iter().position(|&size| size == sym).and_then(|at| sizes.get(at).copied());
        self.exprs.eval(e, &value)
    }

    /// The launch argument of an expression, if it is one.
    pub fn arg_of(&self, e: Expr) -> Option<Arg> {
        self.args.iter().find(|&(_, &arg)| arg == e).map(|(arg, _)| arg)
    }

    fn range(&self, e: Expr, sizes: &[i64]) -> Range {
        Ranges { pool: &self.exprs, sizes: &self.sizes, values: sizes }.of(e)
    }
}

/// Ranges of expressions, given the values of sizes.
pub(super) struct Ranges<'a> {
    pub(super) pool: &'a Pool,
    /// The sizes that have values.
    pub(super) sizes: &'a [Sym],
    /// Their values.
    pub(super) values: &'a [i64],
}

impl Ranges<'_> {
    /// A range that holds every value of an expression of sizes, loop variables and bound indices.
    pub(super) fn of(&self, e: Expr) -> Range {
        let of = |e: &Expr| self.of(*e);
        match self.pool.node(e) {
            Node::Int(n) => Range::point(*n),
            Node::Sym(sym) => self.symbol(*sym),
            Node::Add(sum) => {
                let terms = sum.terms.iter().map(|t| Range::point(t.coeff) * of(&t.mono));
                terms.fold(Range::point(sum.constant), |total, term| total + term)
            }
            Node::Mul(factors) => factors.iter().map(of).fold(Range::point(1), |product, factor| product * factor),
            Node::FloorDiv(a, b) => of(a).floor_div(of(b)),
            Node::Mod(a, b) => of(a).modulo(of(b)),
            Node::Min(a, b) => of(a).min(of(b)),
            Node::Max(a, b) => of(a).max(of(b)),
            Node::Pow(a, b) => of(a).pow(of(b)),
            Node::Round(..) | Node::Overflow => self.pool.range(e),
        }
    }

    fn symbol(&self, sym: Sym) -> Range {
        if let Some(at) = self.sizes.iter().position(|&size| size == sym) {
            return self.values.get(at).map_or(Range::ALL, |&size| Range::point(size));
        }
        match self.pool.bound(sym) {
            Some(bound) => Range::new(0, self.of(bound).hi.saturating_sub(1)),
            None => self.pool.symbol_range(sym),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::split_groups;

    #[test]
    fn groups_are_split_where_one_dimension_is_too_short() {
        assert_eq!(split_groups(0), Some([0, 1, 1]));
        assert_eq!(split_groups(65_535), Some([65_535, 1, 1]));
        assert_eq!(split_groups(65_536), Some([65_535, 2, 1]));
        let [x, y, z] = split_groups(5_000_000_000).expect("there is a grid").map(u64::from);
        assert!(x * y * z >= 5_000_000_000 && z == 2);
        assert_eq!(split_groups(u64::MAX), None);
    }
}
