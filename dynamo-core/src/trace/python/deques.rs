//! `collections.deque`

use crate::{
    reason::{Kind, Reason, raised},
    trace::{
        Traced, Tracer,
        core::{
            state::{Deque, State, StateId},
            value::{Value, ValueId},
        },
        python::lists::{count, find, index, place},
        signature::{Bound, Row, row},
    },
};

pub(in crate::trace) const ROWS: &[Row] = &[
    row("collections.deque(iterable=(), maxlen=None)", |t, b| {
        let most = match t.unless_none(b.opt(1))? {
            Some(most) => {
                let most = usize::try_from(t.concrete(most)?);
                Some(most.map_err(|_| raised("ValueError: maxlen must be non-negative"))?)
            }
            None => None,
        };
        let items = b.opt(0).map_or(Ok(Vec::new()), |items| t.all_items(items))?;
        let mut deque = Deque { items, most, moves: 0 };
        deque.keep_last();
        Ok(t.state(State::Deque(deque)))
    }),
    row("collections.deque.append(self, item, /)", |t, b| {
        let item = b.arg(1)?;
        change(t, b, |deque| {
            deque.items.push(item);
            deque.keep_last();
        })
    }),
    row("collections.deque.appendleft(self, item, /)", |t, b| {
        let item = b.arg(1)?;
        change(t, b, |deque| {
            deque.items.insert(0, item);
            deque.keep_first();
        })
    }),
    row("collections.deque.extend(self, iterable, /)", |t, b| extend(t, b.arg(0)?, b.arg(1)?)),
    row("collections.deque.extendleft(self, iterable, /)", |t, b| {
        let ((state, _), items) = (this(t, b.arg(0)?)?, b.arg(1)?);
        let items = t.taken_in(state, items, |t| t.all_items(items))?;
        change(t, b, |deque| {
            deque.items.splice(0..0, items.into_iter().rev());
            deque.keep_first();
        })
    }),
    row("collections.deque.pop(self, /)", |t, b| {
        let (state, mut deque) = this(t, b.arg(0)?)?;
        let item = deque.items.pop().ok_or_else(empty)?;
        store(t, state, deque)?;
        Ok(item)
    }),
    row("collections.deque.popleft(self, /)", |t, b| {
        let (state, mut deque) = this(t, b.arg(0)?)?;
        if deque.items.is_empty() {
            return Err(empty());
        }
        let item = deque.items.remove(0);
        store(t, state, deque)?;
        Ok(item)
    }),
    row("collections.deque.insert(self, index, value, /)", |t, b| {
        let (state, mut deque) = this(t, b.arg(0)?)?;
        let (at, item) = (t.concrete(b.arg(1)?)?, b.arg(2)?);
        if deque.is_full() {
            return Err(raised("IndexError: deque already at its maximum size"));
        }
        deque.items.insert(place(at, deque.items.len()), item);
        store(t, state, deque)
    }),
    row("collections.deque.remove(self, value, /)", |t, b| {
        let (state, mut deque) = this(t, b.arg(0)?)?;
        let found = find(t, &deque.items, b.arg(1)?)?;
        deque.items.remove(found.ok_or_else(|| raised("ValueError: deque.remove(x): x not in deque"))?);
        store(t, state, deque)
    }),
    row("collections.deque.clear(self, /)", |t, b| change(t, b, |deque| deque.items.clear())),
    row("collections.deque.rotate(self, n=1, /)", |t, b| {
        let steps = b.opt(1).map_or(Ok(1), |steps| t.concrete(steps))?;
        change(t, b, |deque| deque.rotate(steps))
    }),
    row("collections.deque.reverse(self, /)", |t, b| {
        let (state, mut deque) = this(t, b.arg(0)?)?;
        deque.items.reverse();
        *t.heap.change(state) = State::Deque(deque);
        Ok(t.none())
    }),
    row("collections.deque.copy(self, /)", |t, b| {
        let (_, deque) = this(t, b.arg(0)?)?;
        Ok(t.state(State::Deque(Deque { moves: 0, ..deque })))
    }),
    row("collections.deque.index(self, value, start=0, stop=..., /)", index),
    row("collections.deque.count(self, value, /)", count),
];

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

fn empty() -> Reason {
    raised("IndexError: pop from an empty deque").verbatim()
}

/// The deque whose method is called.
fn this(t: &mut Tracer<'_>, this: ValueId) -> Traced<(StateId, Deque)> {
    if let Value::State(state) = t.get(this)?
        && let State::Deque(deque) = t.heap.get(state)
    {
        return Ok((state, deque.clone()));
    }
    Err(Reason::new(Kind::Call, format!("A method of a deque, of {}.", t.describe(this))))
}

/// Changes a deque: who goes through it sees other items then, and no error.
fn store(t: &mut Tracer<'_>, state: StateId, mut deque: Deque) -> Traced {
    deque.moves += 1;
    *t.heap.change(state) = State::Deque(deque);
    Ok(t.none())
}

fn change(t: &mut Tracer<'_>, b: &Bound<'_>, change: impl FnOnce(&mut Deque)) -> Traced {
    let (state, mut deque) = this(t, b.arg(0)?)?;
    change(&mut deque);
    store(t, state, deque)
}

/// `deque.extend(items)`
pub(in crate::trace) fn extend(t: &mut Tracer<'_>, deque: ValueId, items: ValueId) -> Traced {
    let (state, mut deque) = this(t, deque)?;
    deque.items.extend(t.taken_in(state, items, |t| t.all_items(items))?);
    deque.keep_last();
    store(t, state, deque)
}
