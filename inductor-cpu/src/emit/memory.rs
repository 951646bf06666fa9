//! Loads and stores, by how the index runs along the lanes: constant, by ones, backwards, or any other way.
//!
//! Every second element is read with what lies between. Any other way is a gather or scatter instruction: measured on
//! AVX-512, a load for each lane takes one and a half times as long, a store for each lane twice, and both compile to
//! several times the code.

use super::index::Form;
use super::{Emitter, Many};
use crate::ir::{Elem, Val};
use fx::prim::Pointwise;
use inductor::loop_ir::{Param, StoreMode, Value};
use inkwell::values::{InstructionOpcode, IntValue};
use smallvec::SmallVec;
use symshapes::Expr;

impl<'c> Emitter<'_, 'c> {
    /// A `Load`.
    pub(super) fn load(&mut self, param: Param, index: Expr, mask: Option<Value>) -> Many<'c> {
        let mask = mask.map(|m| self.value(m).clone());
        if !self.varies(index) {
            return self.load_uniform(param, index, mask.as_ref());
        }
        self.each(|copy| {
            let mask = self.mask(mask.as_ref(), copy);
            let v = self.load_lanes(param, self.form(index, copy), mask);
            self.to_register(param, v)
        })
    }

    /// One element for every lane; read from index 0 where no lane wants it.
    fn load_uniform(&self, param: Param, index: Expr, mask: Option<&Many<'c>>) -> Many<'c> {
        let at = self.scalar_index(index);
        let read = |at: IntValue<'c>| {
            let elem = self.elem_of(param).memory();
            self.to_register(param, self.ir.load(elem, 1, self.ir.at(elem, self.buffer(param), at)))
        };
        let guarded = |any: Val<'c>| read(self.ir.select(any, at.into(), self.ir.i64(0).into()).into_int_value());
        match mask {
            None => Many::Uniform(read(at)),
            Some(Many::Uniform(m)) => {
                let v = guarded(*m);
                Many::Uniform(self.ir.select(*m, v, self.ir.like(v, 0.0)))
            }
            Some(wide @ Many::Wide(_)) => self.each(|copy| {
                let mask = self.mask(Some(wide), copy).expect("there is one");
                let v = self.ir.splat(guarded(self.ir.any(mask)), self.lanes);
                self.ir.select(mask, v, self.ir.like(v, 0.0))
            }),
        }
    }

    /// The lanes that a copy may touch; none where all may.
    pub(super) fn mask(&self, mask: Option<&Many<'c>>, copy: u32) -> Option<Val<'c>> {
        let active = self.vector.as_ref().and_then(|v| v.active);
        match (mask.map(|m| self.wide(m, copy)), active) {
            (Some(m), Some(a)) => Some(self.ir.and(m, a)),
            (one, other) => one.or(other),
        }
    }

    /// Elements as they lie in memory.
    fn load_lanes(&self, param: Param, form: Form<'c>, mask: Option<Val<'c>>) -> Val<'c> {
        let (ir, base, elem) = (&self.ir, self.buffer(param), self.elem_of(param).memory());
        match (form, mask) {
            (Form::Uniform(at), None) => ir.splat(ir.load(elem, 1, ir.at(elem, base, at)), self.lanes),
            (Form::Linear { base: at, stride: 1 }, None) => ir.load(elem, self.lanes, ir.at(elem, base, at)),
            (Form::Linear { base: at, stride: 1 }, Some(mask)) => {
                ir.masked_load(elem, self.lanes, ir.at(elem, base, at), mask)
            }
            (Form::Linear { base: at, stride: -1 }, None) => {
                let lowest = ir.add_nsw(at, ir.i64(1 - i64::from(self.lanes)));
                let forwards = ir.load(elem, self.lanes, ir.at(elem, base, lowest));
                ir.shuffle(forwards, |lane| self.lanes - 1 - lane)
            }
            (Form::Linear { base: at, stride: 2 }, mask) if elem.bytes() >= 4 && ir.host.vector_bytes >= 32 => {
                let firsts = ir.first_of_pairs(2 * self.lanes);
                let mask = mask.map_or(firsts, |mask| ir.and(ir.each_twice(mask), firsts));
                ir.every_second(ir.masked_load(elem, 2 * self.lanes, ir.at(elem, base, at), mask))
            }
            (form, mask) => {
                let mask = mask.unwrap_or_else(|| ir.first_lanes(self.lanes, self.lanes));
                ir.gather(elem, self.addresses(param, form), mask)
            }
        }
    }

    fn addresses(&self, param: Param, form: Form<'c>) -> Val<'c> {
        self.ir.at_lanes(self.elem_of(param).memory(), self.buffer(param), self.lane_indices(form))
    }

    /// From the memory type to the register type.
    pub(super) fn to_register(&self, param: Param, v: Val<'c>) -> Val<'c> {
        if self.elem_of(param) == Elem::I1 { self.ir.non_zero(v) } else { v }
    }

    /// A `Store`.
    pub(super) fn store(&mut self, param: Param, index: Expr, value: Value, mask: Option<Value>, mode: StoreMode) {
        let value = self.to_memory(param, self.value(value));
        let mask = mask.map(|m| self.value(m).clone());
        let varies = self.varies(index);
        let scalar_mask = !matches!(mask, Some(Many::Wide(_)));
        match (&value, mode) {
            (Many::Uniform(v), StoreMode::Set) if !varies && scalar_mask => {
                self.store_scalar(param, index, *v, mask.as_ref());
            }
            (Many::Uniform(v), StoreMode::Add) if self.vector.is_none() => {
                let sum = self.plus(param, self.scalar_index(index), *v);
                self.store_scalar(param, index, sum, mask.as_ref());
            }
            _ => {
                let vector = |copy| {
                    let mask = self.mask(mask.as_ref(), copy);
                    (self.form(index, copy), self.wide(&value, copy), mask)
                };
                let vectors: SmallVec<[_; 4]> = (0..self.copies()).map(vector).collect();
                match (mode, vectors[0]) {
                    (StoreMode::Set, (Form::Linear { base, stride: 1 }, _, None))
                        if self.store_past(param, base, &value) => {}
                    (StoreMode::Set, _) => {
                        vectors.into_iter().for_each(|(form, v, mask)| self.store_lanes(param, form, v, mask));
                    }
                    (StoreMode::Add, _) => {
                        vectors.into_iter().for_each(|(form, v, mask)| self.add_lanes(param, form, v, mask));
                    }
                }
            }
        }
    }

    pub(super) fn to_memory(&self, param: Param, value: &Many<'c>) -> Many<'c> {
        if self.elem_of(param) != Elem::I1 {
            return value.clone();
        }
        self.unary(value, |ir, v| ir.cast(InstructionOpcode::ZExt, v, Elem::I8))
    }

    fn store_scalar(&mut self, param: Param, index: Expr, v: Val<'c>, mask: Option<&Many<'c>>) {
        let elem = self.elem_of(param).memory();
        let to = self.ir.at(elem, self.buffer(param), self.scalar_index(index));
        match mask {
            Some(Many::Uniform(mask)) => self.ir.only_if(*mask, |ir| ir.store(to, v)),
            _ => self.ir.store(to, v),
        }
    }

    /// The last of several lanes that name one element wins.
    fn store_lanes(&self, param: Param, form: Form<'c>, v: Val<'c>, mask: Option<Val<'c>>) {
        let (ir, base, elem) = (&self.ir, self.buffer(param), self.elem_of(param).memory());
        match (form, mask) {
            (Form::Linear { base: at, stride: 1 }, None) => ir.store(ir.at(elem, base, at), v),
            (Form::Linear { base: at, stride: 1 }, Some(mask)) => ir.masked_store(v, ir.at(elem, base, at), mask),
            (Form::Linear { base: at, stride: -1 }, None) => {
                let lowest = ir.add_nsw(at, ir.i64(1 - i64::from(self.lanes)));
                ir.store(ir.at(elem, base, lowest), ir.shuffle(v, |lane| self.lanes - 1 - lane));
            }
            (form, mask) => {
                let mask = mask.unwrap_or_else(|| ir.first_lanes(self.lanes, self.lanes));
                ir.scatter(v, self.addresses(param, form), mask);
            }
        }
    }

    /// Adds lane after lane: several may name one element.
    fn add_lanes(&mut self, param: Param, form: Form<'c>, v: Val<'c>, mask: Option<Val<'c>>) {
        let index = self.lane_indices(form);
        for lane in 0..self.lanes {
            let at = |v| self.ir.extract(v, self.ir.lane(lane));
            let (position, x) = (at(index).into_int_value(), at(v));
            let elem = self.elem_of(param).memory();
            let add = |this: &Self| {
                let sum = this.plus(param, position, x);
                this.ir.store(this.ir.at(elem, this.buffer(param), position), sum);
            };
            match mask.map(at) {
                Some(bit) => self.ir.only_if(bit, |_| add(self)),
                None => add(self),
            }
        }
    }

    /// An element plus `x`, in memory's type.
    fn plus(&self, param: Param, at: IntValue<'c>, x: Val<'c>) -> Val<'c> {
        let (elem, dtype) = (self.elem_of(param).memory(), self.kernel.params[param].dtype);
        let old = self.ir.load(elem, 1, self.ir.at(elem, self.buffer(param), at));
        let wide = dtype.compute();
        let sum = match elem {
            Elem::I8 if dtype == symshapes::DType::Bool => return self.ir.or(old, x),
            _ => {
                let [old, x] = [old, x].map(|v| self.ir.convert(v, dtype, wide));
                self.ir.pointwise(Pointwise::Add, wide, &[old, x])
            }
        };
        self.ir.convert(sum, wide, dtype)
    }
}
