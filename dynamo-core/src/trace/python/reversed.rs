//! `reversed`: iterators that go backwards.
//!
//! Invariant: an iterator over what can change sees the change as CPython's does: lists by place, deques and dicts by
//! an error.

use crate::{
    reason::{Kind, Reason, raised},
    trace::{
        Traced, Tracer,
        core::{
            state::{Iter, IterCall, Reversed, Sort, State},
            value::{Value, ValueId, range_len},
        },
    },
};
use guards::Constant;

impl Tracer<'_> {
    /// `reversed(value)`
    pub(in crate::trace) fn reversed(&mut self, value: ValueId) -> Traced {
        let iter = match self.get(value)? {
            Value::Tuple(mut items) | Value::Size(mut items) | Value::Record(_, _, mut items) => {
                items.reverse();
                Iter::Call(IterCall { function: "builtins.reversed", args: vec![value], items, at: 0 })
            }
            Value::Const(Constant::Str(text)) => {
                let items = text.chars().rev().map(|c| self.constant(Constant::Str(c.to_string()))).collect();
                Iter::Call(IterCall { function: "builtins.reversed", args: vec![value], items, at: 0 })
            }
            Value::Range(bounds @ [start, _, step]) => {
                Iter::Range([start + (range_len(bounds) - 1) * step, start - step, -step])
            }
            // `Tensor.__reversed__` gives a tensor.
            Value::Tensor(node) if self.graph.torch[node].tensor_meta().is_some_and(|meta| meta.sizes.is_empty()) => {
                return Ok(value);
            }
            Value::Tensor(_) => {
                let flip = self.get_attr(value, "flip")?;
                let first = self.constant(Constant::Int(0));
                return self.call(flip, vec![first], vec![]);
            }
            Value::Object(..) | Value::Instance(_) => match self.call_special(value, "__reversed__", &[])? {
                Some(iterator) => return Ok(iterator),
                None if self.is_module_sequence(value)? => {
                    let mut items = self.all_items(value)?;
                    items.reverse();
                    Iter::Call(IterCall { function: "builtins.reversed", args: vec![value], items, at: 0 })
                }
                None if self.goes_by_places(value)? => {
                    let length = self.call_builtin("builtins.len", &[value], vec![])?;
                    Iter::Backwards(value, self.concrete(length)? - 1)
                }
                None => return Err(self.not_reversible(value)),
            },
            _ => match self.reversible(value)? {
                Some((_, items, stamp)) => Iter::Reversed(Reversed { of: value, left: items.len(), stamp }),
                None => return Err(raised("TypeError: object is not reversible")),
            },
        };
        Ok(self.state(State::Iter(iter)))
    }

    /// True for an object of the program's that has a length and items by place, and says nothing of going backwards.
    fn goes_by_places(&mut self, value: ValueId) -> Traced<bool> {
        let Some(instance) = self.instance(value)? else { return Ok(false) };
        for (method, is_there) in [("__getitem__", true), ("__len__", true), ("__reversed__", false), ("keys", false)] {
            if self.class_attr(instance, method)?.is_some() != is_there {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn not_reversible(&mut self, value: ValueId) -> Reason {
        Reason::new(Kind::Iteration, format!("Backwards over {}.", self.describe(value)))
    }

    /// The items of a list, a deque, a dict or a view of one, as they are now, and by what a change of it is noticed.
    pub(in crate::trace) fn reversible(&mut self, value: ValueId) -> Traced<Option<(Sort, Vec<ValueId>, usize)>> {
        Ok(match self.get(value)? {
            Value::State(state) => match self.heap.get(state).clone() {
                State::List(items) => Some((Sort::List, items, 0)),
                State::Deque(deque) => Some((Sort::Deque, deque.items, deque.moves)),
                State::Dict(items) => {
                    let keys: Vec<ValueId> = items.into_values().map(|(key, _)| key).collect();
                    let count = keys.len();
                    Some((Sort::Dict, keys, count))
                }
                _ => None,
            },
            Value::DictView(dict, part) => {
                let items = self.view_items(dict, part)?;
                let count = items.len();
                Some((Sort::Dict, items, count))
            }
            _ => None,
        })
    }

    /// The next item of an iterator that goes backwards; `None` at its end.
    pub(in crate::trace) fn next_reversed(&mut self, iter: &mut Reversed) -> Traced<Option<ValueId>> {
        let Some((sort, items, stamp)) = self.reversible(iter.of)? else { return Ok(None) };
        match sort {
            Sort::Deque if iter.left > 0 && stamp != iter.stamp => {
                return Err(raised("RuntimeError: deque mutated during iteration"));
            }
            Sort::Dict if stamp != iter.stamp => {
                return Err(raised("RuntimeError: dictionary changed size during iteration"));
            }
            _ => {}
        }
        let item = iter.left.checked_sub(1).and_then(|at| items.get(at).copied());
        iter.left = iter.left.saturating_sub(1);
        Ok(item)
    }
}
