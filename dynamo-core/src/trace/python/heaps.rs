//! `heapq` and `bisect`: lists whose order the program keeps.
//!
//! Invariant: items are compared as CPython's C functions compare them, in their order, and what a comparison sees of
//! the list is what it would see there.

use crate::{
    reason::{Kind, Reason, raised},
    trace::{
        Traced, Tracer,
        core::{
            state::{State, StateId},
            value::{Value, ValueId},
        },
        signature::{Bound, Row, row},
    },
};
use guards::Constant;

/// The longest list that CPython makes a heap of from its last parent to its first.
const LONGEST_SIMPLE: usize = 2500;

pub(in crate::trace) const ROWS: &[Row] = &[
    row("_heapq.heappush(heap, item, /)", |t, b| push(t, b, Order::Least)),
    row("_heapq.heappop(heap, /)", |t, b| pop(t, b, Order::Least)),
    row("_heapq.heapreplace(heap, item, /)", |t, b| replace(t, b, Order::Least)),
    row("_heapq.heappushpop(heap, item, /)", |t, b| push_and_pop(t, b, Order::Least)),
    row("_heapq.heapify(heap, /)", |t, b| heapify(t, b, Order::Least)),
    row("_heapq.heappush_max(heap, item, /)", |t, b| push(t, b, Order::Greatest)),
    row("_heapq._heappop_max _heapq.heappop_max(heap, /)", |t, b| pop(t, b, Order::Greatest)),
    row("_heapq._heapreplace_max _heapq.heapreplace_max(heap, item, /)", |t, b| replace(t, b, Order::Greatest)),
    row("_heapq.heappushpop_max(heap, item, /)", |t, b| push_and_pop(t, b, Order::Greatest)),
    row("_heapq._heapify_max _heapq.heapify_max(heap, /)", |t, b| heapify(t, b, Order::Greatest)),
    row("_bisect.bisect_left(a, x, lo=0, hi=None, *, key=None)", |t, b| {
        let key = t.unless_none(b.opt(4))?;
        bisect(t, b, Side::Left, b.arg(1)?, key)
    }),
    row("_bisect.bisect_right(a, x, lo=0, hi=None, *, key=None)", |t, b| {
        let key = t.unless_none(b.opt(4))?;
        bisect(t, b, Side::Right, b.arg(1)?, key)
    }),
    row("_bisect.insort_left(a, x, lo=0, hi=None, *, key=None)", |t, b| insort(t, b, Side::Left)),
    row("_bisect.insort_right(a, x, lo=0, hi=None, *, key=None)", |t, b| insort(t, b, Side::Right)),
];

/// The item that a heap begins with.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    Least,
    Greatest,
}

/// The side of equal items on which a new one belongs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Left,
    Right,
}

/// A list that the program keeps as a heap.
struct Heap {
    list: StateId,
    order: Order,
}

impl Heap {
    fn of(t: &mut Tracer<'_>, b: &Bound<'_>, order: Order) -> Traced<Heap> {
        let list = b.arg(0)?;
        match t.get(list)? {
            Value::State(state) if matches!(t.heap.get(state), State::List(_)) => Ok(Heap { list: state, order }),
            _ => Err(Reason::new(Kind::Call, format!("`{}` of {}.", b.name(), t.describe(list)))),
        }
    }

    fn items<'t>(&self, t: &'t Tracer<'_>) -> &'t [ValueId] {
        match t.heap.get(self.list) {
            State::List(items) => items,
            _ => &[],
        }
    }

    fn items_mut<'t>(&self, t: &'t mut Tracer<'_>) -> Traced<&'t mut Vec<ValueId>> {
        match t.heap.change(self.list) {
            State::List(items) => Ok(items),
            _ => Err(Reason::new(Kind::Call, "A heap that is no list.")),
        }
    }

    /// True if the first of two items belongs before the other. A comparison that changes the heap's length raises in
    /// CPython.
    fn is_before(&self, t: &mut Tracer<'_>, a: ValueId, b: ValueId) -> Traced<bool> {
        let length = self.items(t).len();
        let is_before = match self.order {
            Order::Least => t.is_less(a, b),
            Order::Greatest => t.is_less(b, a),
        }?;
        match self.items(t).len() == length {
            true => Ok(is_before),
            false => Err(t.uncaught(raised("RuntimeError: list changed size during iteration"))),
        }
    }

    /// Moves the item at a place towards the start, up to its place below a parent that belongs before it.
    fn sift_down(&self, t: &mut Tracer<'_>, start: usize, mut at: usize) -> Traced<()> {
        let item = self.items(t)[at];
        while at > start {
            let parent = (at - 1) / 2;
            if !self.is_before(t, item, self.items(t)[parent])? {
                break;
            }
            self.items_mut(t)?.swap(parent, at);
            at = parent;
        }
        Ok(())
    }

    /// Moves the item at a place to a leaf, past the children that belong before the others, and from there to its
    /// place.
    fn sift_up(&self, t: &mut Tracer<'_>, start: usize) -> Traced<()> {
        let (end, mut at) = (self.items(t).len(), start);
        while at < end / 2 {
            let mut child = 2 * at + 1;
            if child + 1 < end && !self.is_before(t, self.items(t)[child], self.items(t)[child + 1])? {
                child += 1;
            }
            self.items_mut(t)?.swap(child, at);
            at = child;
        }
        self.sift_down(t, start, at)
    }

    /// Puts an item in the place of the first, which it gives.
    fn replace_first(&self, t: &mut Tracer<'_>, item: ValueId) -> Traced {
        let first = std::mem::replace(&mut self.items_mut(t)?[0], item);
        self.sift_up(t, 0)?;
        Ok(first)
    }
}

fn push(t: &mut Tracer<'_>, b: &Bound<'_>, order: Order) -> Traced {
    let (heap, item) = (Heap::of(t, b, order)?, b.arg(1)?);
    heap.items_mut(t)?.push(item);
    heap.sift_down(t, 0, heap.items(t).len() - 1).map_err(|reason| t.uncaught(reason))?;
    Ok(t.none())
}

fn pop(t: &mut Tracer<'_>, b: &Bound<'_>, order: Order) -> Traced {
    let heap = Heap::of(t, b, order)?;
    let Some(last) = heap.items_mut(t)?.pop() else {
        return Err(raised("IndexError: index out of range").verbatim());
    };
    if heap.items(t).is_empty() {
        return Ok(last);
    }
    heap.replace_first(t, last).map_err(|reason| t.uncaught(reason))
}

fn replace(t: &mut Tracer<'_>, b: &Bound<'_>, order: Order) -> Traced {
    let (heap, item) = (Heap::of(t, b, order)?, b.arg(1)?);
    if heap.items(t).is_empty() {
        return Err(raised("IndexError: index out of range").verbatim());
    }
    heap.replace_first(t, item).map_err(|reason| t.uncaught(reason))
}

fn push_and_pop(t: &mut Tracer<'_>, b: &Bound<'_>, order: Order) -> Traced {
    let (heap, item) = (Heap::of(t, b, order)?, b.arg(1)?);
    let Some(&first) = heap.items(t).first() else { return Ok(item) };
    let is_before = heap.is_before(t, first, item).map_err(|reason| t.uncaught(reason))?;
    if !is_before {
        return Ok(item);
    }
    heap.replace_first(t, item).map_err(|reason| t.uncaught(reason))
}

fn heapify(t: &mut Tracer<'_>, b: &Bound<'_>, order: Order) -> Traced {
    let heap = Heap::of(t, b, order)?;
    let length = heap.items(t).len();
    if length > LONGEST_SIMPLE {
        return Err(Reason::new(Kind::Call, "A long list that becomes a heap."));
    }
    for at in (0..length / 2).rev() {
        heap.sift_up(t, at).map_err(|reason| t.uncaught(reason))?;
    }
    Ok(t.none())
}

/// The place of a value among sorted items, which have keys of their own if a function gives them.
fn bisect(t: &mut Tracer<'_>, b: &Bound<'_>, side: Side, value: ValueId, key: Option<ValueId>) -> Traced {
    let sequence = b.arg(0)?;
    let mut low = b.opt(2).map_or(Ok(0), |low| t.concrete(low))?;
    if low < 0 {
        return Err(raised("ValueError: lo must be non-negative").verbatim());
    }
    let high = t.unless_none(b.opt(3))?.map(|high| t.concrete(high)).transpose()?;
    let mut high = match high {
        // CPython takes it for one that is not given.
        None | Some(-1) => {
            let length = t.call_builtin("builtins.len", &[sequence], vec![])?;
            t.concrete(length)?
        }
        Some(high) => high,
    };
    while low < high {
        let middle = i64::midpoint(low, high);
        let is_before = compare_at(t, sequence, middle, side, value, key).map_err(|reason| t.uncaught(reason))?;
        match (side, is_before) {
            (Side::Left, true) | (Side::Right, false) => low = middle + 1,
            (Side::Left, false) | (Side::Right, true) => high = middle,
        }
    }
    Ok(t.constant(Constant::Int(low)))
}

/// Compares a value with an item of a sequence: `item < value` on the left, `value < item` on the right.
fn compare_at(
    t: &mut Tracer<'_>,
    sequence: ValueId,
    at: i64,
    side: Side,
    value: ValueId,
    key: Option<ValueId>,
) -> Traced<bool> {
    let at = t.constant(Constant::Int(at));
    let mut item = t.get_item(sequence, at)?;
    if let Some(key) = key {
        item = t.call(key, vec![item], vec![])?;
    }
    match side {
        Side::Left => t.is_less(item, value),
        Side::Right => t.is_less(value, item),
    }
}

fn insort(t: &mut Tracer<'_>, b: &Bound<'_>, side: Side) -> Traced {
    let (sequence, item, key) = (b.arg(0)?, b.arg(1)?, t.unless_none(b.opt(4))?);
    let by = match key {
        Some(key) => t.call(key, vec![item], vec![])?,
        None => item,
    };
    let at = bisect(t, b, side, by, key)?;
    t.call_method(sequence, "insert", &[at, item], vec![])?;
    Ok(t.none())
}
