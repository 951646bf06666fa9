//! Neighbouring elements loaded and stored at once: a thread takes [`VECTOR`] items, which are written out one after
//! the other.
//!
//! That needs no more than that the items are many, that their number is a multiple of that, and an access whose index
//! runs by ones along the innermost loop from such a multiple on. Buffers are then aligned: whoever launches the kernel
//! sees to it, or lowers it for a device without vectors.

use super::mapping::Items;
use super::{Lower, Place, Refusal};
use crate::grid::capabilities::GROUP_SHARE;
use crate::grid::{Access, Binding, Stmt as GridStmt, VECTOR, Val};
use crate::loop_ir::{Op, Param, Stmt, StoreMode, Value};
use rustc_hash::FxHashMap;
use symshapes::Expr;

type Result<T = ()> = std::result::Result<T, Refusal>;

/// What a stage loads and stores in vectors.
pub(super) struct Plan {
    loads: Vec<(Value, Binding, Expr)>,
    stores: Vec<(Param, Binding, Expr)>,
}

/// The vectors of the items at hand.
#[derive(Default)]
pub(super) struct Vectors {
    lane: usize,
    loads: FxHashMap<Value, [Val; VECTOR]>,
    stores: FxHashMap<Param, Vec<Val>>,
}

impl<'a> Lower<'a> {
    /// What the items can load and store in vectors, if that helps; `shared` where the threads of a group share them.
    pub(super) fn vectors(&mut self, items: &Items<'a>, count: Expr, shared: bool) -> Option<Plan> {
        let least = self.caps.vectors?;
        let many = i64::from(if shared { least.div_ceil(GROUP_SHARE) } else { least });
        let plain = items.leaf.iter().all(|stmt| !matches!(stmt, Stmt::Loop(_)));
        let whole = self.pool.divisible_by(count, VECTOR as i64);
        if !(plain && whole && self.typical(count, 0) >= many) {
            return None;
        }
        let mut plan = Plan { loads: Vec::new(), stores: Vec::new() };
        for stmt in items.leaf {
            match *stmt {
                Stmt::Let(value) => {
                    let Op::Load { param, index, mask: None } = self.kernel.values[value].op else { continue };
                    let stored =
                        items.leaf.iter().any(|stmt| matches!(stmt, Stmt::Store { param: p, .. } if *p == param));
                    if let Some(binding) = self.vector_of(items, param, index).filter(|_| !stored) {
                        plan.loads.push((value, binding, index));
                    }
                }
                Stmt::Store { param, index, mask: None, mode: StoreMode::Set, .. } => {
                    let twice = self.is_accessed_twice(items, param) || self.is_loaded(items, param);
                    if let Some(binding) = self.vector_of(items, param, index).filter(|_| !twice) {
                        plan.stores.push((param, binding, index));
                    }
                }
                _ => {}
            }
        }
        (!plan.loads.is_empty() || !plan.stores.is_empty()).then_some(plan)
    }

    fn is_loaded(&self, items: &Items<'a>, param: Param) -> bool {
        let mut loads = items.leaf.iter().filter_map(|stmt| match stmt {
            Stmt::Let(value) => Some(&self.kernel.values[*value].op),
            _ => None,
        });
        loads.any(|op| matches!(op, Op::Load { param: this, .. } if *this == param))
    }

    /// The buffer of an access that vectors can do.
    fn vector_of(&mut self, items: &Items<'a>, param: Param, index: Expr) -> Option<Binding> {
        let Some(Place::Buffer(binding, None)) = self.places[param] else { return None };
        let data = &self.bindings[binding];
        if data.packing != 1 || data.mem.bytes() > 4 {
            return None;
        }
        let axes = items.chain.iter().map(|link| &self.kernel.axes[link.axis]);
        let innermost = axes.rev().find(|axis| axis.extent != Expr::ONE)?;
        let lanes = VECTOR as i64;
        let (stride, rest) = self.pool.split_term(index, innermost.sym)?;
        let runs = stride == Expr::ONE && self.pool.divisible_by(innermost.extent, lanes);
        (runs && self.pool.divisible_by(rest, lanes) && !self.binds_in(items, rest)).then_some(binding)
    }

    /// The items from `base` on that make a vector.
    pub(super) fn items_in_vectors(&mut self, items: &Items<'a>, base: Val, plan: &Plan) -> Result {
        self.number(&items.chain, base);
        let mut vectors = Vectors::default();
        for &(value, binding, index) in &plan.loads {
            self.touch(binding, Access::Read);
            self.bindings[binding].aligned = true;
            let lanes = self.b.lanes(self.bindings[binding].mem.register());
            let index = self.index(index)?;
            self.b.push(GridStmt::LoadVector { binding, index, lanes });
            vectors.loads.insert(value, lanes);
        }
        let places = plan.stores.iter().map(|&(_, _, index)| self.index(index)).collect::<Result<Vec<Val>>>()?;
        self.leave(&items.chain);
        vectors.stores.extend(plan.stores.iter().map(|&(param, ..)| (param, Vec::new())));
        for lane in 0..VECTOR {
            vectors.lane = lane;
            self.vectors = Some(std::mem::take(&mut vectors));
            let at = self.b.add(base, self.b.i32(lane as i64));
            let done = self.item(items, at);
            vectors = self.vectors.take().unwrap_or_default();
            done?;
        }
        for (&(param, binding, _), index) in plan.stores.iter().zip(places) {
            let values = vectors.stores.remove(&param).unwrap_or_default();
            let lanes = values.try_into().map_err(|_| "a vector without all of its elements".to_owned())?;
            self.touch(binding, Access::Write);
            self.bindings[binding].aligned = true;
            self.b.push(GridStmt::StoreVector { binding, index, lanes });
        }
        Ok(())
    }

    /// The element of a load that was done for all items at hand.
    pub(super) fn lane_of(&self, value: Value) -> Option<Val> {
        let vectors = self.vectors.as_ref()?;
        vectors.loads.get(&value).map(|lanes| lanes[vectors.lane])
    }

    /// Keeps an element for a store of all items at hand; false if there is none of this buffer.
    pub(super) fn keep_lane(&mut self, param: Param, value: Val) -> bool {
        let Some(lanes) = self.vectors.as_mut().and_then(|vectors| vectors.stores.get_mut(&param)) else {
            return false;
        };
        lanes.push(value);
        true
    }
}
