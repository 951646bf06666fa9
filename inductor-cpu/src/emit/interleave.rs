//! Interleaved stores: elements of several stores that alternate in memory, written together.
//!
//! Each part of a stack along the last dimension writes to every second element of the result, or every fourth. Two or
//! four such stores of one iteration are whole vectors once their lanes are interleaved.

use super::index::Form;
use super::{Emitter, Many};
use crate::ir::{Ir, Val, lanes};
use inductor::loop_ir::{Op, Param, Stmt, StoreMode, Value};
use smallvec::SmallVec;
use symshapes::{Expr, Sym};

/// The values of one element each of a run, in their order, and the place of the first.
pub(super) struct Interleaved {
    param: Param,
    index: Expr,
    values: SmallVec<[Value; 4]>,
}

/// The point at which a store of such a group is written.
pub(super) enum Turn {
    /// It is written with a later one.
    Later,
    /// It is written with those before it.
    Now(Interleaved),
}

impl<'c> Emitter<'_, 'c> {
    /// The part of statement `at` in a group of stores that are written together, if it has one.
    pub(super) fn turn(&self, body: &[Stmt], at: usize) -> Option<Turn> {
        let whole = self.vector.as_ref().is_some_and(|vector| vector.active.is_none());
        let (param, index) = plain_store(&body[at]).filter(|_| whole)?;
        let count = self.axis_stride(index).filter(|count| [2, 4].contains(count))?;
        let (_, steps) = self.kernel.exprs.affine(index)?;
        // All whose places differ in the constant alone, so that each of them finds the same group.
        let mut group: SmallVec<[(i64, usize, Expr, Value); 4]> = SmallVec::new();
        for (k, stmt) in body.iter().enumerate() {
            let Stmt::Store { value, .. } = *stmt else { continue };
            let Some((_, other)) = plain_store(stmt).filter(|&(p, _)| p == param) else { continue };
            let (constant, other_steps) = self.kernel.exprs.affine(other)?;
            if other_steps == steps {
                group.push((constant, k, other, value));
            }
        }
        group.sort_by_key(|&(constant, ..)| constant);
        let is_run = group.windows(2).all(|pair| pair[1].0 == pair[0].0 + 1);
        let (first, last) = (group.iter().map(|g| g.1).min()?, group.iter().map(|g| g.1).max()?);
        let is_free = body[first..=last].iter().all(|stmt| self.keeps_off(stmt, param, steps.as_slice()));
        if group.len() as i64 != count || !is_run || !is_free {
            return None;
        }
        if at < last {
            return Some(Turn::Later);
        }
        Some(Turn::Now(Interleaved { param, index: group[0].2, values: group.iter().map(|g| g.3).collect() }))
    }

    /// True if a statement neither reads the buffer nor writes places of it that may be the same.
    fn keeps_off(&self, stmt: &Stmt, param: Param, steps: &[(Sym, i64)]) -> bool {
        match *stmt {
            Stmt::Let(value) => !matches!(self.kernel.values[value].op, Op::Load { param: read, .. } if read == param),
            Stmt::Store { param: written, index, .. } => {
                written != param || self.kernel.exprs.affine(index).is_some_and(|(_, own)| own == steps)
            }
            Stmt::Accumulate { .. } => true,
            Stmt::Loop(_) => false,
        }
    }

    /// Writes the elements of a group.
    pub(super) fn store_interleaved(&mut self, interleaved: &Interleaved) {
        let Interleaved { param, index, values } = interleaved;
        let values: SmallVec<[Many<'c>; 4]> =
            values.iter().map(|&value| self.to_memory(*param, self.value(value))).collect();
        let (elem, buffer) = (self.elem_of(*param).memory(), self.buffer(*param));
        for copy in 0..self.copies() {
            let Form::Linear { base, .. } = self.form(*index, copy) else { unreachable!("it runs along the lanes") };
            let vectors = self.ir.by_turns(values.iter().map(|many| self.wide(many, copy)).collect());
            for (k, vector) in (0..).zip(vectors) {
                let place = self.ir.add_nsw(base, self.ir.i64(k * i64::from(self.lanes)));
                self.ir.store(self.ir.at(elem, buffer, place), vector);
            }
        }
    }
}

/// The param and index of a store without mask that replaces its elements; `None` for any other statement.
fn plain_store(stmt: &Stmt) -> Option<(Param, Expr)> {
    match *stmt {
        Stmt::Store { param, index, mask: None, mode: StoreMode::Set, .. } => Some((param, index)),
        _ => None,
    }
}

impl<'c> Ir<'c> {
    /// The lanes of so many vectors by turns, a power of two: as many vectors end to end.
    fn by_turns(&self, vectors: SmallVec<[Val<'c>; 4]>) -> SmallVec<[Val<'c>; 4]> {
        if vectors.len() == 1 {
            return vectors;
        }
        let every_second = |from: usize| self.by_turns(vectors.iter().copied().skip(from).step_by(2).collect());
        let (even, odd) = (every_second(0), every_second(1));
        let count = lanes(vectors[0]);
        let half = |a, b, from: u32| self.merge(a, b, count, |lane| (from + lane) / 2 + lane % 2 * count);
        even.into_iter().zip(odd).flat_map(|(a, b)| [half(a, b, 0), half(a, b, count)]).collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::compile::{Listing, listing};
    use crate::target::host;
    use inductor::loop_ir::Kernel;

    /// The number of scatters (each lane is written to a place of its own) in the code of a kernel with these stores.
    fn scatters(stores: &str) -> usize {
        let text = format!(
            "kernel stack(%0: f32[64] in, %1: f32[256] out) {{
               parallel i0 in 0..64 vector {{
                 v0: f32 = load %0[i0]
                 {stores}
               }}
             }}"
        );
        let kernel: Kernel = text.parse().expect("the text is a kernel");
        let listing = listing(&kernel, host(), Listing::Optimised).expect("compiles");
        listing.lines().filter(|line| line.contains("call void @llvm.masked.scatter")).count()
    }

    #[test]
    fn stores_by_turns_are_whole_vectors() {
        assert!(scatters("store %1[2*i0] = v0") > 0);
        assert_eq!(scatters("store %1[2*i0] = v0\nstore %1[2*i0 + 1] = v0"), 0);
        assert_eq!(scatters("store %1[2*i0 + 1] = v0\nstore %1[2*i0] = v0"), 0);
        let four = [3, 0, 2, 1].map(|k| format!("store %1[4*i0 + {k}] = v0"));
        assert_eq!(scatters(&four.join("\n")), 0);
    }

    #[test]
    fn what_lies_between_keeps_them_apart() {
        assert!(scatters("store %1[2*i0] = v0\nv1: f32 = load %1[2*i0]\nstore %1[2*i0 + 1] = v1") > 0);
        assert!(scatters("store %1[2*i0] = v0\nstore %1[2*i0 + 1] = v0\nstore %1[2*i0 + 2] = v0") > 0);
        assert!(scatters("store %1[2*i0] = v0\nstore %1[i0] = v0\nstore %1[2*i0 + 1] = v0") > 0);
    }
}
