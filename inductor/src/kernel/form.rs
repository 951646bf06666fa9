//! Groups that differ in nothing but the tensors that they are of, as those of equal layers do: they have one kernel.
//!
//! Invariant: a form has all of a group that `build` reads. In debug builds the planner checks that.

use crate::plan::Layout;
use crate::schedule::{Group, IterationDomain, Root, RootKind, Roots};
use crate::tensor_ir::{Dims, Op, Tensor, TensorGraph};
use cranelift_entity::PrimaryMap;
use rustc_hash::FxHashMap;
use symshapes::{DType, Expr};

/// A group, in which tensors are numbered in the order in which they are met.
#[derive(PartialEq, Debug)]
pub struct Form {
    name: String,
    domain: IterationDomain,
    /// Each root, and whether its values are needed outside.
    roots: Vec<(Root, bool)>,
    tensors: PrimaryMap<Tensor, TensorForm>,
}

/// A tensor of a group.
#[derive(PartialEq, Debug)]
struct TensorForm {
    /// The operation that the group computes it by; `None` for what it reads.
    op: Option<Op>,
    dtype: DType,
    sizes: Dims,
    /// The layout in which it is stored, where a root's expression ends at it, or a root is a part of it.
    stored: Option<Layout<Expr>>,
}

/// The tensors of a group, by their numbers in its form.
pub type Tensors = PrimaryMap<Tensor, Tensor>;

impl Form {
    /// The form of a group, and its tensors.
    pub fn of(
        graph: &TensorGraph,
        roots: &Roots,
        group: &Group,
        is_stored: &dyn Fn(usize) -> bool,
        name: String,
    ) -> (Form, Tensors) {
        let mut walk = Walk { numbers: FxHashMap::default(), tensors: PrimaryMap::new() };
        let members = group.roots.iter().map(|&r| {
            let mut root = roots.roots[r].clone();
            root.value = walk.number(root.value);
            root.stored = walk.number(root.stored);
            if let RootKind::Reduce { source, .. } | RootKind::Scan { source, .. } = &mut root.kind {
                *source = walk.number(*source);
            }
            (root, is_stored(r))
        });
        let members: Vec<(Root, bool)> = members.collect();
        let is_computed = |t: Tensor| group.roots.iter().any(|&r| roots.roots[r].value == t);
        let is_part_of = |t: Tensor| group.roots.iter().any(|&r| roots.roots[r].stored == t);
        let mut forms = PrimaryMap::new();
        // Operands are numbered while the walk goes on.
        while let Some(&t) = walk.tensors.get(forms.next_key()) {
            let data = &graph.tensors[t];
            let is_stop = roots.is_stop(graph, t);
            let op = (!is_stop || is_computed(t)).then(|| {
                let mut op = data.op.clone();
                op.for_each_operand_mut(|operand| *operand = walk.number(*operand));
                op
            });
            let stored = (is_stop || is_part_of(t)).then(|| roots.stored[t].clone());
            forms.push(TensorForm { op, dtype: data.dtype, sizes: data.sizes.clone(), stored });
        }
        (Form { name, domain: group.domain.clone(), roots: members, tensors: forms }, walk.tensors)
    }

    /// The numbers of roots and tensors.
    pub fn counts(&self) -> (usize, usize) {
        (self.roots.len(), self.tensors.len())
    }
}

struct Walk {
    numbers: FxHashMap<Tensor, Tensor>,
    tensors: Tensors,
}

impl Walk {
    fn number(&mut self, t: Tensor) -> Tensor {
        *self.numbers.entry(t).or_insert_with(|| self.tensors.push(t))
    }
}
