//! Neighbouring elements loaded and stored at once: a thread takes several items, which are written out one after the
//! other. They are as many as let the accesses of the narrowest elements take [`VECTOR_BYTES`]; those of wider ones are
//! several.
//!
//! That needs no more than that the items are many, that their number is a multiple of that, and an access whose index
//! runs by ones along the innermost loop from such a multiple on. Buffers are then aligned: whoever launches the kernel
//! sees to it, or lowers it for a device without vectors.

use super::lanes::{Lane, Neighbours};
use super::mapping::Items;
use super::{Lower, Reason, StorageClass};
use crate::grid::capabilities::GROUP_SHARE;
use crate::grid::{Access, Binding, Lanes, Local, Stmt as GridStmt, VECTOR_BYTES, Val, Var};
use crate::heuristics;
use crate::loop_ir::{Op, Param, Stmt, StoreMode, Value};
use fx::prim::Pointwise;
use rustc_hash::FxHashMap;
use symshapes::{DType, Expr, Sym};

type Result<T = ()> = std::result::Result<T, Reason>;

/// The numbers of items that a thread may take at once, the best first.
pub(super) const WIDTHS: [i64; 2] = [8, 4];

/// The most items that a thread takes at once.
pub(super) const MOST_LANES: i64 = WIDTHS[0];

/// The items that a thread takes at once, and the loads and stores that it does in vectors.
pub(super) struct Plan {
    pub(super) width: i64,
    loads: Vec<VectorLoad>,
    stores: Vec<(Param, Binding, Expr)>,
}

/// The arrays of loads that were done before, by value: all that a thread takes is on its way before it waits for any.
pub(super) type Ahead = FxHashMap<Value, Local>;

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
    loads: FxHashMap<Value, Lanes>,
    stores: FxHashMap<Param, Vec<Val>>,
}

impl<'a> Lower<'a> {
    /// The loads and stores that the items can do in vectors, if that helps; `shared` where the threads of a group
    /// share the items.
    pub(super) fn vectors(&mut self, items: &Items<'a>, count: Expr, shared: bool) -> Option<Plan> {
        if !self.has_work_for_vectors(count, shared) {
            return None;
        }
        WIDTHS.iter().find_map(|&width| {
            let plan = self.vectors_of(items, count, width)?;
            (self.widest(&plan)? >= width).then_some(plan)
        })
    }

    /// True if there are so many items that threads should take several at once.
    pub(super) fn has_work_for_vectors(&self, count: Expr, shared: bool) -> bool {
        let many = |least: u32| i64::from(if shared { least.div_ceil(GROUP_SHARE) } else { least });
        self.caps.vectors.is_some_and(|least| self.typical(count, 0) >= many(least))
    }

    /// The number of elements of the narrowest access of a plan that [`VECTOR_BYTES`] hold; `None` without accesses.
    pub(super) fn widest(&self, plan: &Plan) -> Option<i64> {
        let loads = plan.loads.iter().map(|load| load.binding);
        let bindings = loads.chain(plan.stores.iter().map(|&(_, binding, _)| binding));
        bindings.map(|binding| i64::from(VECTOR_BYTES / self.bindings[binding].mem.bytes())).max()
    }

    /// The loads and stores of the items that are done in vectors if a thread takes so many items at once; `None` if it
    /// cannot.
    pub(super) fn vectors_of(&mut self, items: &Items<'a>, count: Expr, width: i64) -> Option<Plan> {
        let plain = items.leaf.iter().all(|stmt| !matches!(stmt, Stmt::Loop(_)));
        let neighbours = Neighbours { innermost: self.innermost(items)?, count: width };
        let extent = self.extent_of(items, neighbours.innermost)?;
        if !(plain && self.pool.divisible_by(count, width) && self.pool.divisible_by(extent, width)) {
            return None;
        }
        let mut plan = Plan { width, loads: Vec::new(), stores: Vec::new() };
        for stmt in items.leaf {
            match *stmt {
                Stmt::Let(value) => {
                    let Op::Load { param, index, mask } = self.kernel.values[value].op else { continue };
                    let is_known = self.is_in_registers(value);
                    if is_known || !mask.is_none_or(|mask| self.is_uniform(items, mask, neighbours)) {
                        continue;
                    }
                    let stored =
                        items.leaf.iter().any(|stmt| matches!(stmt, Stmt::Store { param: p, .. } if *p == param));
                    if let Some(binding) = self.vector_of(items, (param, index), neighbours).filter(|_| !stored) {
                        plan.loads.push(VectorLoad { value, binding, index, mask });
                    }
                }
                Stmt::Store { param, index, mask: None, mode: StoreMode::Set, .. } => {
                    let twice = self.is_accessed_twice(items, param) || self.is_loaded(items, param);
                    if let Some(binding) = self.vector_of(items, (param, index), neighbours).filter(|_| !twice) {
                        plan.stores.push((param, binding, index));
                    }
                }
                _ => {}
            }
        }
        Some(plan)
    }

    /// The extent of the loop of this variable.
    fn extent_of(&self, items: &Items<'a>, sym: Sym) -> Option<Expr> {
        items.chain.iter().map(|link| &self.kernel.axes[link.axis]).find(|axis| axis.sym == sym).map(|axis| axis.extent)
    }

    fn is_loaded(&self, items: &Items<'a>, param: Param) -> bool {
        let mut loads = items.leaf.iter().filter_map(|stmt| match stmt {
            Stmt::Let(value) => Some(&self.kernel.values[*value].op),
            _ => None,
        });
        loads.any(|op| matches!(op, Op::Load { param: this, .. } if *this == param))
    }

    /// The buffer of an access that vectors can do.
    fn vector_of(
        &mut self,
        items: &Items<'a>,
        (param, index): (Param, Expr),
        neighbours: Neighbours,
    ) -> Option<Binding> {
        let Some(StorageClass::Buffer(binding, None)) = self.places[param] else { return None };
        let data = &self.bindings[binding];
        if data.packing != 1 || data.mem.bytes() > 4 {
            return None;
        }
        let runs = self.step(index, neighbours) == Some(1) && self.is_aligned(index, neighbours);
        (runs && !self.binds_in(items, index)).then_some(binding)
    }

    /// The variable of the innermost loop that has more than one iteration.
    fn innermost(&self, items: &Items<'a>) -> Option<Sym> {
        let axes = items.chain.iter().map(|link| &self.kernel.axes[link.axis]);
        axes.rev().find(|axis| axis.extent != Expr::ONE).map(|axis| axis.sym)
    }

    /// The items from `base` on that make a vector.
    pub(super) fn items_in_vectors(
        &mut self,
        items: &Items<'a>,
        base: Val,
        plan: &Plan,
        ahead: Option<(&Ahead, Val)>,
    ) -> Result {
        self.number(&items.chain, base);
        let mut vectors = Vectors::default();
        for load in &plan.loads {
            let known = ahead.and_then(|(ahead, at)| Some((*ahead.get(&load.value)?, at)));
            let lanes = match known {
                Some((local, at)) => self.lanes_ahead(at, plan.width).map(|at| self.b.load_local(local, at)).collect(),
                None => self.load_vector(load, plan.width)?,
            };
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
        let neighbours = Neighbours { innermost, count: plan.width };
        for lane in 0..plan.width {
            vectors.lane = lane as usize;
            self.vectors = Some(std::mem::take(&mut vectors));
            let number = self.b.i32(lane);
            let at = self.b.add(base, number);
            self.number(&items.chain, at);
            for (&sym, &value) in axes.iter().zip(&values) {
                let value = if innermost == sym { self.b.add(value, number) } else { value };
                self.syms.insert(sym, value);
            }
            self.lane = Some(Lane { items: neighbours, first, base, number: lane });
            let done = if is_last { self.thread_stmts(items.leaf) } else { self.stmts_of_item(items) };
            self.lane = None;
            vectors = self.vectors.take().unwrap_or_default();
            done?;
            self.leave(&items.chain);
        }
        for (&(param, binding, _), index) in plan.stores.iter().zip(places) {
            let values = vectors.stores.remove(&param).unwrap_or_default();
            if values.len() as i64 != plan.width {
                return Err("a vector without all of its elements".to_owned());
            }
            self.touch(binding, Access::Write);
            let each = self.elements_at_once(binding, plan.width);
            for (part, lanes) in values.chunks(each).enumerate() {
                let index = self.b.add(index, self.b.i32((part * each) as i64));
                self.b.push(GridStmt::StoreVector { binding, index, lanes: lanes.into() });
            }
        }
        Ok(())
    }

    /// Arrays for the loads that can be done ahead, so many times over.
    pub(super) fn loads_ahead(&mut self, plan: &Plan, turns: u32) -> Ahead {
        let elements = turns * plan.width as u32;
        let fit =
            if turns == 1 || self.caps.row_registers == 0 { 0 } else { heuristics::grid_most_registers() / elements };
        let loads = plan.loads.iter().filter(|load| load.mask.is_none()).take(fit as usize);
        let local =
            |load: &VectorLoad| (load.value, self.b.local(self.bindings[load.binding].mem.register(), elements));
        loads.map(local).collect()
    }

    /// Loads the vectors of the items from `base` on into arrays, from this place on.
    pub(super) fn load_ahead(
        &mut self,
        items: &Items<'a>,
        base: Val,
        plan: &Plan,
        (ahead, at): (&Ahead, Val),
    ) -> Result {
        self.number(&items.chain, base);
        for load in &plan.loads {
            let Some(&local) = ahead.get(&load.value) else { continue };
            let lanes = self.load_vector(load, plan.width)?;
            let places: Vec<Val> = self.lanes_ahead(at, plan.width).collect();
            places.into_iter().zip(lanes).for_each(|(at, lane)| self.b.store_local(local, at, lane));
        }
        self.leave(&items.chain);
        Ok(())
    }

    /// The places of so many neighbours in an array.
    fn lanes_ahead(&self, at: Val, width: i64) -> impl Iterator<Item = Val> {
        (0..width).map(move |lane| self.b.add(at, self.b.i32(lane)))
    }

    /// The elements of a buffer that one access takes of so many, for which the buffer is aligned from now on.
    fn elements_at_once(&mut self, binding: Binding, width: i64) -> usize {
        let data = &mut self.bindings[binding];
        let each = (VECTOR_BYTES / data.mem.bytes()).min(width as u32);
        data.alignment = data.alignment.max(each);
        each as usize
    }

    /// Loads so many elements: under the mask, if there is one.
    fn load_vector(&mut self, load: &VectorLoad, width: i64) -> Result<Lanes> {
        let &VectorLoad { binding, index, mask, .. } = load;
        self.touch(binding, Access::Read);
        let ty = self.bindings[binding].mem.register();
        let index = self.index(index)?;
        let Some(mask) = mask else { return Ok(self.load_lanes(binding, index, width)) };
        self.let_with_operands(mask)?;
        let cond = self.value(mask)?;
        let vars: Vec<Var> = (0..width).map(|_| self.b.var_with(self.b.number(ty, 0.0))).collect();
        self.if_(cond, |this| {
            let lanes = this.load_lanes(binding, index, width);
            vars.iter().zip(lanes).for_each(|(&var, lane)| this.b.set(var, lane));
            Ok(())
        })?;
        Ok(vars.iter().map(|&var| self.b.get(var)).collect())
    }

    /// Loads so many elements, from this one on.
    fn load_lanes(&mut self, binding: Binding, index: Val, width: i64) -> Lanes {
        let (each, ty) = (self.elements_at_once(binding, width), self.bindings[binding].mem.register());
        let mut all = Lanes::new();
        for part in (0..width as usize).step_by(each) {
            let (lanes, index) = (self.b.lanes(ty, each), self.b.add(index, self.b.i32(part as i64)));
            all.extend_from_slice(&lanes);
            self.b.push(GridStmt::LoadVector { binding, index, lanes });
        }
        all
    }

    /// Computes a [uniform](Lower::is_uniform) value, which may stand further down, in the first lane.
    fn let_with_operands(&mut self, value: Value) -> Result {
        if let Op::Map(_, args) = &self.kernel.values[value].op {
            args.iter().try_for_each(|&arg| self.let_with_operands(arg))?;
        }
        self.let_(value)
    }

    /// True if a value is known to be the same for all lanes of a vector: it follows from constants and from indices
    /// that are, or says whether an index lies below a multiple of their number.
    fn is_uniform(&self, items: &Items<'a>, value: Value, neighbours: Neighbours) -> bool {
        let values = &self.kernel.values;
        let runs = |value: Value| match values[value].op {
            Op::Index(e) => {
                self.step(e, neighbours) == Some(1) && self.is_aligned(e, neighbours) && !self.binds_in(items, e)
            }
            _ => false,
        };
        let is_multiple = |value: Value| match values[value].op {
            Op::Const(scalar) => values[value].dtype == DType::I64 && scalar.as_i64() % neighbours.count == 0,
            _ => false,
        };
        match &values[value].op {
            Op::Const(_) => true,
            Op::Index(e) => self.step(*e, neighbours) == Some(0) && !self.binds_in(items, *e),
            Op::Map(Pointwise::Lt | Pointwise::Ge, args) if runs(args[0]) && is_multiple(args[1]) => true,
            Op::Map(_, args) => args.iter().all(|&arg| self.is_uniform(items, arg, neighbours)),
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
