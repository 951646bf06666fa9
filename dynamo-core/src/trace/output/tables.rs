//! Making the containers of `collections` anew.

use super::Output;
use crate::{
    bytecode::Const,
    trace::{
        Traced,
        core::{
            state::{Deque, Key, StateId, Table},
            value::ValueId,
        },
    },
};
use indexmap::IndexMap;

impl Output<'_, '_> {
    /// Pushes a dict that is more than that; it is known before its items, which may lead back to it.
    pub(super) fn push_table(&mut self, state: StateId, items: IndexMap<Key, (ValueId, ValueId)>) -> Traced<()> {
        let table = self.t.heap.table(state);
        self.call_named(table.class_name(), 0, |_| Ok(()))?;
        self.keep_state(state);
        if let Table::Default(factory) = table {
            self.builder.copy(1);
            self.push(factory)?;
            self.builder.swap(2);
            self.builder.store_attr("default_factory");
        }
        if items.is_empty() {
            return Ok(());
        }
        self.builder.copy(1);
        self.builder.load_method("update");
        let pairs = items.len();
        for (key, value) in items.into_values() {
            self.push_key(key)?;
            self.push(value)?;
        }
        self.builder.build_map(pairs as u32);
        self.builder.call(1);
        self.builder.pop();
        Ok(())
    }

    /// Pushes a new `collections.deque`.
    pub(super) fn push_deque(&mut self, state: StateId, deque: &Deque) -> Traced<()> {
        self.call_named("collections.deque", 2, |out| {
            out.builder.build_tuple(0);
            out.builder.load_const(deque.most.map_or(Const::None, |most| Const::Int(most as i64)));
            Ok(())
        })?;
        self.keep_state(state);
        if deque.items.is_empty() {
            return Ok(());
        }
        self.builder.copy(1);
        self.builder.load_method("extend");
        self.push_all(&deque.items)?;
        self.builder.build_tuple(deque.items.len() as u32);
        self.builder.call(1);
        self.builder.pop();
        Ok(())
    }
}
