//! `collections.deque`

use super::{
    Traced, Tracer,
    builtin::Rule,
    call::Keywords,
    containers::position,
    items::raised,
    value::{Deque, State, StateId, Value, ValueId},
};
use guards::Constant;

pub(super) const RULES: &[(&str, Rule)] = &[("collections.deque", |t, args, keywords| {
    let (items, most) = match (args, &keywords[..]) {
        ([], []) => (None, None),
        (&[items], []) => (Some(items), None),
        (&[items, most], []) => (Some(items), Some(most)),
        ([], [(name, most)]) if name == "maxlen" => (None, Some(*most)),
        (&[items], [(name, most)]) if name == "maxlen" => (Some(items), Some(*most)),
        _ => return Err(raised("TypeError: deque")),
    };
    let most = match most {
        Some(most) if !matches!(t.get(most)?, Value::Const(Constant::None)) => {
            let most = t.concrete(most)?;
            Some(usize::try_from(most).map_err(|_| raised("ValueError: maxlen must be non-negative"))?)
        }
        _ => None,
    };
    let items = items.map_or(Ok(Vec::new()), |items| t.all_items(items))?;
    let mut deque = Deque { items, most, moves: 0 };
    deque.keep_last();
    Ok(t.state(State::Deque(deque)))
})];

impl Deque {
    /// Drops what is too much, at the beginning.
    fn keep_last(&mut self) {
        let excess = self.most.map_or(0, |most| self.items.len().saturating_sub(most));
        self.items.drain(..excess);
    }

    /// Drops what is too much, at the end.
    fn keep_first(&mut self) {
        if let Some(most) = self.most {
            self.items.truncate(most);
        }
    }

    fn is_full(&self) -> bool {
        self.most.is_some_and(|most| self.items.len() >= most)
    }

    /// Moves items from the end to the beginning, or back.
    fn rotate(&mut self, steps: i64) {
        if !self.items.is_empty() {
            let len = self.items.len() as i64;
            self.items.rotate_right(usize::try_from(steps.rem_euclid(len)).unwrap_or(0));
        }
    }
}

/// A method of a deque, or `None` if it is not known.
pub(super) fn method(
    t: &mut Tracer<'_>,
    this: ValueId,
    state: StateId,
    name: &str,
    args: &[ValueId],
    keywords: &Keywords,
) -> Traced<Option<ValueId>> {
    let State::Deque(mut deque) = t.heap.get(state).clone() else { return Ok(None) };
    if !keywords.is_empty() {
        return Ok(None);
    }
    let mut result = t.none();
    let empty = || raised("IndexError: pop from an empty deque");
    match (name, args) {
        ("append", &[item]) => {
            deque.items.push(item);
            deque.keep_last();
        }
        ("appendleft", &[item]) => {
            deque.items.insert(0, item);
            deque.keep_first();
        }
        ("extend", &[items]) => {
            deque.items.extend(t.all_items(items)?);
            deque.keep_last();
        }
        ("extendleft", &[items]) => {
            let items = t.all_items(items)?;
            deque.items.splice(0..0, items.into_iter().rev());
            deque.keep_first();
        }
        ("pop", []) => result = deque.items.pop().ok_or_else(empty)?,
        ("popleft", []) if deque.items.is_empty() => return Err(empty()),
        ("popleft", []) => result = deque.items.remove(0),
        ("insert", &[at, item]) => {
            if deque.is_full() {
                return Err(raised("IndexError: deque already at its maximum size"));
            }
            let (at, len) = (t.concrete(at)?, deque.items.len() as i64);
            let at = (if at < 0 { at + len } else { at }).clamp(0, len);
            deque.items.insert(usize::try_from(at).unwrap_or(0), item);
        }
        ("remove", &[item]) => {
            let at = position(t, this, "index", item)?;
            let at = usize::try_from(t.concrete(at)?).unwrap_or(0);
            deque.items.remove(at);
        }
        ("clear", []) => deque.items.clear(),
        ("rotate", []) => deque.rotate(1),
        ("rotate", &[steps]) => deque.rotate(t.concrete(steps)?),
        ("reverse", []) => deque.items.reverse(),
        ("copy", []) => return Ok(Some(t.state(State::Deque(Deque { moves: 0, ..deque })))),
        ("index" | "count", &[item]) => return position(t, this, name, item).map(Some),
        _ => return Ok(None),
    }
    // Who goes through it sees other items then, and no error.
    deque.moves += usize::from(name != "reverse");
    *t.heap.change(state) = State::Deque(deque);
    Ok(Some(result))
}
