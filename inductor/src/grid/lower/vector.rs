//! Neighbouring elements loaded and stored at once: a thread takes [`VECTOR`] items, which are written out one after
//! the other.
//!
//! That needs no more than that the items are many, that their number is a multiple of that, and an access whose index
//! runs by ones along the innermost loop from such a multiple on. Buffers are then aligned: whoever launches the kernel
//! sees to it, or lowers it for a device without vectors.

use super::lanes::Lane;
use super::mapping::Items;
use super::{Lower, Reason, StorageClass};
use crate::grid::capabilities::GROUP_SHARE;
use crate::grid::{Access, Binding, Stmt as GridStmt, VECTOR, Val};
use crate::loop_ir::{Op, Param, Stmt, StoreMode, Value};
use fx::prim::Pointwise;
use rustc_hash::FxHashMap;
use symshapes::{DType, Expr, Sym};

type Result<T = ()> = std::result::Result<T, Reason>;

/// The loads and stores that a stage does in vectors.
pub(super) struct Plan {
    loads: Vec<VectorLoad>,
    stores: Vec<(Param, Binding, Expr)>,
}

/// A load of whole vectors.
struct VectorLoad {
    value: Value,
    binding: Binding,
    index: Expr,
    /// Read only where this is true, which is the same for all lanes.
    mask: Option<Value>,
}

/// The vectors of the items at hand.
#[derive(Default)]
pub(super) struct Vectors {
    lane: usize,
    loads: FxHashMap<Value, [Val; VECTOR]>,
    stores: FxHashMap<Param, Vec<Val>>,
}

impl<'a> Lower<'a> {
    /// The loads and stores that the items can do in vectors, if that helps; `shared` where the threads of a group
    /// share the items.
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
                    let Op::Load { param, index, mask } = self.kernel.values[value].op else { continue };
                    if !mask.is_none_or(|mask| self.is_uniform(items, mask)) {
                        continue;
                    }
                    let stored =
                        items.leaf.iter().any(|stmt| matches!(stmt, Stmt::Store { param: p, .. } if *p == param));
                    if let Some(binding) = self.vector_of(items, param, index).filter(|_| !stored) {
                        plan.loads.push(VectorLoad { value, binding, index, mask });
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
        let Some(StorageClass::Buffer(binding, None)) = self.places[param] else { return None };
        let data = &self.bindings[binding];
        if data.packing != 1 || data.mem.bytes() > 4 {
            return None;
        }
        let innermost = self.innermost(items)?;
        let extent =
            items.chain.iter().map(|link| &self.kernel.axes[link.axis]).find(|axis| axis.sym == innermost)?.extent;
        let lanes = VECTOR as i64;
        let runs = self.step(index, innermost) == Some(1) && self.is_aligned(index, innermost);
        (runs && self.pool.divisible_by(extent, lanes) && !self.binds_in(items, index)).then_some(binding)
    }

    /// The variable of the innermost loop that has more than one iteration.
    fn innermost(&self, items: &Items<'a>) -> Option<Sym> {
        let axes = items.chain.iter().map(|link| &self.kernel.axes[link.axis]);
        axes.rev().find(|axis| axis.extent != Expr::ONE).map(|axis| axis.sym)
    }

    /// The items from `base` on that make a vector.
    pub(super) fn items_in_vectors(&mut self, items: &Items<'a>, base: Val, plan: &Plan) -> Result {
        self.number(&items.chain, base);
        let mut vectors = Vectors::default();
        for load in &plan.loads {
            let lanes = self.load_vector(load)?;
            vectors.loads.insert(load.value, lanes);
        }
        let places = plan.stores.iter().map(|&(_, _, index)| self.index(index)).collect::<Result<Vec<Val>>>()?;
        // A vector lies within one row: only the innermost variable differs from item to item.
        let axes = items.chain.iter().map(|link| self.kernel.axes[link.axis].sym).collect::<Vec<Sym>>();
        let values = axes.iter().map(|&sym| self.symbol(sym)).collect::<Result<Vec<Val>>>()?;
        let Some(innermost) = self.innermost(items) else { return Err("a vector without a loop".to_owned()) };
        let first = self.symbol(innermost)?;
        // What stands before the innermost loop is the same for all lanes.
        let is_last = items.chain.last().is_some_and(|link| self.kernel.axes[link.axis].sym == innermost);
        if is_last {
            items.chain.iter().try_for_each(|link| self.thread_stmts(link.before))?;
        }
        self.leave(&items.chain);
        vectors.stores.extend(plan.stores.iter().map(|&(param, ..)| (param, Vec::new())));
        for lane in 0..VECTOR {
            vectors.lane = lane;
            self.vectors = Some(std::mem::take(&mut vectors));
            let number = self.b.i32(lane as i64);
            let at = self.b.add(base, number);
            self.number(&items.chain, at);
            for (&sym, &value) in axes.iter().zip(&values) {
                let value = if innermost == sym { self.b.add(value, number) } else { value };
                self.syms.insert(sym, value);
            }
            self.lane = Some(Lane { innermost, first, base, number: lane as i64 });
            let done = if is_last { self.thread_stmts(items.leaf) } else { self.stmts_of_item(items) };
            self.lane = None;
            vectors = self.vectors.take().unwrap_or_default();
            done?;
            self.leave(&items.chain);
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

    /// Loads a vector: under its mask, if it has one.
    fn load_vector(&mut self, load: &VectorLoad) -> Result<[Val; VECTOR]> {
        let &VectorLoad { binding, index, mask, .. } = load;
        self.touch(binding, Access::Read);
        self.bindings[binding].aligned = true;
        let ty = self.bindings[binding].mem.register();
        let index = self.index(index)?;
        let Some(mask) = mask else {
            let lanes = self.b.lanes(ty);
            self.b.push(GridStmt::LoadVector { binding, index, lanes });
            return Ok(lanes);
        };
        self.let_with_operands(mask)?;
        let cond = self.value(mask)?;
        let vars = [(); VECTOR].map(|()| self.b.var_with(self.b.number(ty, 0.0)));
        self.if_(cond, |this| {
            let lanes = this.b.lanes(ty);
            this.b.push(GridStmt::LoadVector { binding, index, lanes });
            vars.iter().zip(lanes).for_each(|(&var, lane)| this.b.set(var, lane));
            Ok(())
        })?;
        Ok(vars.map(|var| self.b.get(var)))
    }

    /// Computes a [uniform](Lower::is_uniform) value, which may stand further down, in the first lane.
    fn let_with_operands(&mut self, value: Value) -> Result {
        if let Op::Map(_, args) = &self.kernel.values[value].op {
            args.iter().try_for_each(|&arg| self.let_with_operands(arg))?;
        }
        self.let_(value)
    }

    /// True if a value is known to be the same for all lanes of a vector: it follows from constants and from indices
    /// that are, or says whether an index lies below a multiple of [`VECTOR`].
    fn is_uniform(&self, items: &Items<'a>, value: Value) -> bool {
        let Some(innermost) = self.innermost(items) else { return false };
        let values = &self.kernel.values;
        let runs = |value: Value| match values[value].op {
            Op::Index(e) => {
                self.step(e, innermost) == Some(1) && self.is_aligned(e, innermost) && !self.binds_in(items, e)
            }
            _ => false,
        };
        let is_multiple = |value: Value| match values[value].op {
            Op::Const(scalar) => values[value].dtype == DType::I64 && scalar.as_i64() % VECTOR as i64 == 0,
            _ => false,
        };
        match &values[value].op {
            Op::Const(_) => true,
            Op::Index(e) => self.step(*e, innermost) == Some(0) && !self.binds_in(items, *e),
            Op::Map(Pointwise::Lt | Pointwise::Ge, args) if runs(args[0]) && is_multiple(args[1]) => true,
            Op::Map(_, args) => args.iter().all(|&arg| self.is_uniform(items, arg)),
            _ => false,
        }
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
