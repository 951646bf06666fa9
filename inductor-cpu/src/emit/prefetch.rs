//! Software prefetch: columns of many rows, asked for before they are read.
//!
//! A vector loop around one over rows reads a few elements of each row, far apart: the processor sees no run that it
//! could look ahead along, and every line is waited for. So each visit to a row asks for what the next iteration of the
//! vector loop reads there. Measured, batch norms in training over 10,000 rows of 768 floats take two thirds of the
//! time, sums of as many `bfloat16` three fifths; where all that is done is to add floats, a twentieth is saved.
//!
//! Invariant: what is asked for only has an effect on time.

use super::Emitter;
use super::cost::{lies_past, typical_bytes};
use super::index::Form;
use crate::heuristics;
use crate::machine::MachineModel;
use inductor::loop_ir::{Kernel, Loop, Op, Role, Stmt, Value};
use rustc_hash::FxHashSet;

/// The loads that ask for what the next iteration of the vector loop around reads.
pub(super) fn prefetched_loads(kernel: &Kernel, machine: MachineModel) -> FxHashSet<Value> {
    let mut loads = FxHashSet::default();
    let is_large = typical_bytes(kernel).is_some_and(|bytes| bytes > machine.prefetched_from() as i64);
    if is_large {
        find(kernel, &kernel.root, &mut loads);
    }
    loads
}

fn find(kernel: &Kernel, of: &Loop, loads: &mut FxHashSet<Value>) {
    for stmt in &of.body {
        let Stmt::Loop(inner) = stmt else { continue };
        find(kernel, inner, loads);
        let rows = &kernel.axes[inner.axis];
        if of.vector && kernel.exprs.hint(rows.extent).is_some_and(|rows| rows >= heuristics::prefetch_least_rows()) {
            let far = |stmt: &Stmt| match *stmt {
                Stmt::Let(value) => match kernel.values[value].op {
                    Op::Load { param, index, mask: None } => {
                        let is_read = kernel.params[param].role == Role::In;
                        (is_read && lies_past(kernel, param, index, rows.sym, heuristics::prefetch_row_bytes()))
                            .then_some(value)
                    }
                    _ => None,
                },
                Stmt::Loop(_) | Stmt::Store { .. } | Stmt::Accumulate { .. } => None,
            };
            loads.extend(inner.body.iter().filter_map(far));
        }
    }
}

impl Emitter<'_, '_> {
    /// Asks for what the next iteration of the vector loop reads by a load, if it is one of those.
    pub(super) fn ask_ahead(&self, load: Value) {
        let Op::Load { param, index, .. } = self.kernel.values[load].op else { return };
        if !self.prefetched.contains(&load) || self.vector.as_ref().is_none_or(|vector| vector.active.is_some()) {
            return;
        }
        let (elem, copies) = (self.elem_of(param).memory(), self.copies());
        for copy in copies..2 * copies {
            if let Form::Linear { base, stride: 1 } = self.form(index, copy) {
                self.ir.prefetch(self.ir.at(elem, self.buffer(param), base));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::compile::{Listing, listing};
    use crate::target::{Host, host};
    use inductor::loop_ir::Kernel;

    /// The number of prefetches in the code of a sum over so many rows.
    fn asks(host: &'static Host, rows: i64) -> usize {
        let text = format!(
            "kernel sum(%0: f32[{}] in, %1: f32[1024] out) {{
               parallel i0 in 0..1024 vector {{
                 for i1 in 0..{rows} reduce(a0: sum f32) {{
                   v0: f32 = load %0[i0 + 1024*i1]
                   a0 <- v0
                 }}
                 v1: f32 = reduced a0
                 store %1[i0] = v1
               }}
             }}",
            1024 * rows
        );
        let kernel: Kernel = text.parse().expect("the text is a kernel");
        let listing = listing(&kernel, host, Listing::Optimised).expect("compiles");
        listing.lines().filter(|line| line.contains("call void @llvm.prefetch")).count()
    }

    #[test]
    fn many_rows_that_no_near_cache_holds_are_asked_for() {
        assert!(asks(Host::without_caches(), 64) > 0);
        assert_eq!(asks(host(), 64), 0);
        assert_eq!(asks(Host::without_caches(), 8), 0);
    }
}
