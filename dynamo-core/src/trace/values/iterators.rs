//! Iterators: what `iter` makes of each kind of value, and the next item of each kind of iterator.

use crate::{
    bytecode::Version,
    reason::{Kind, Reason, raised},
    trace::{
        Traced, Tracer,
        core::{
            checkpoint::Speculative,
            frame::{Frame, Next},
            state::{Iter, IterCall, Sort, State, StateId, Table},
            value::{Value, ValueId},
        },
        python::dict_methods,
    },
};
use guards::Constant;

/// Iterations that are unrolled at most where all items are asked for at once.
const MOST_ITEMS: usize = 1 << 16;

impl Tracer<'_> {
    /// `iter(value)`
    pub(in crate::trace) fn iterate(&mut self, value: ValueId) -> Traced {
        let iter = match self.get(value)? {
            Value::Tuple(items) | Value::Size(items) | Value::Record(_, _, items) => Iter::Items(items, 0),
            Value::Range([start, stop, step]) => Iter::Range([start, stop, step]),
            Value::DictView(dict, part) => Iter::Dict(dict, part, dict_methods::pairs(self, dict)?.len(), 0),
            Value::Const(Constant::Str(text)) => {
                let items = text.chars().map(|c| self.constant(Constant::Str(c.to_string()))).collect();
                Iter::Call(IterCall { function: "builtins.iter", args: vec![value], items, at: 0 })
            }
            Value::Const(Constant::FrozenSet(_)) => match self.iterate_set(value)? {
                Some(iter) => iter,
                None => return Err(self.no_iteration(value)),
            },
            Value::Tensor(_) => Iter::Items(self.rows(value)?, 0),
            Value::NdArray { node, .. } => Iter::Items(self.array_rows(value, node)?, 0),
            Value::State(state) => match self.heap.get(state) {
                State::Iter(_) => return self.force(value),
                State::List(_) => Iter::List(state, 0),
                State::Deque(deque) => Iter::Deque(state, deque.moves, 0),
                State::Dict(_) => {
                    let dict = self.force(value)?;
                    Iter::Dict(dict, "keys", dict_methods::pairs(self, dict)?.len(), 0)
                }
                State::Set(..) => match self.iterate_set(value)? {
                    Some(iter) => iter,
                    None => return Err(self.no_iteration(value)),
                },
                _ => return Err(self.no_iteration(value)),
            },
            Value::Class(_, obj) if let Some(members) = self.enum_members(value, obj)? => Iter::Items(members, 0),
            Value::Object(..) | Value::Instance(_) | Value::Class(..) => {
                match self.call_special(value, "__iter__", &[])? {
                    Some(iterator) if matches!(self.get(iterator)?, Value::State(_)) => return Ok(iterator),
                    Some(iterator) if self.special(iterator, "__next__")?.is_some() => Iter::Object(iterator),
                    None if self.is_sequence(value)? => Iter::Sequence(value, 0),
                    _ => return Err(self.no_iteration(value)),
                }
            }
            Value::InstanceDict(object) => {
                let entries = self.dict_shown(object)?;
                return self.iterate(entries);
            }
            _ => return Err(self.no_iteration(value)),
        };
        Ok(self.state(State::Iter(iter)))
    }

    pub(in crate::trace) fn no_iteration(&mut self, value: ValueId) -> Reason {
        Reason::new(Kind::Iteration, format!("Over {}.", self.describe(value)))
    }

    /// The entry at a place of a dict that had `len` of them when the iteration began, by the view of it.
    fn iterated_entry(&mut self, dict: ValueId, part: &str, len: usize, at: usize) -> Traced<Option<ValueId>> {
        let (now, entry, is_ordered) = match self.get(dict)? {
            Value::State(state) => match self.heap.get(state) {
                State::Dict(items) => {
                    let entry = items.get_index(at).map(|(_, &entry)| entry);
                    (items.len(), entry, self.heap.table(state) == Table::Ordered)
                }
                _ => return Err(self.no_iteration(dict)),
            },
            _ => {
                let pairs = dict_methods::pairs(self, dict)?;
                (pairs.len(), pairs.get(at).copied(), false)
            }
        };
        if now != len {
            return match is_ordered {
                // Which entry is the next one is known by then.
                true if at >= len => Ok(None),
                true => Err(raised("RuntimeError: OrderedDict mutated during iteration")),
                false => Err(raised("RuntimeError: dictionary changed size during iteration")),
            };
        }
        Ok(entry.map(|entry| self.shown(part, entry)))
    }

    /// An entry as a view of its dict shows it.
    fn shown(&mut self, part: &str, (key, value): (ValueId, ValueId)) -> ValueId {
        match part {
            "keys" => key,
            "values" => value,
            _ => self.value(Value::Tuple(vec![key, value])),
        }
    }

    /// The items that a view of a dict shows.
    pub(in crate::trace) fn view_items(&mut self, dict: ValueId, part: &str) -> Traced<Vec<ValueId>> {
        let pairs = dict_methods::pairs(self, dict)?;
        Ok(pairs.into_iter().map(|entry| self.shown(part, entry)).collect())
    }

    /// The next item; `None` at the end.
    pub(in crate::trace) fn next_item(&mut self, iterator: ValueId) -> Traced<Option<ValueId>> {
        match self.get(iterator)? {
            Value::State(state) => self.advance(state),
            Value::Object(..) | Value::Instance(_) => self.next_of_object(iterator),
            _ => Err(self.no_iteration(iterator)),
        }
    }

    /// The result of `__next__` of an object; `None` if it raises `StopIteration`.
    fn next_of_object(&mut self, object: ValueId) -> Traced<Option<ValueId>> {
        match self.call_special(object, "__next__", &[]) {
            Ok(Some(item)) => Ok(Some(item)),
            Ok(None) => Err(self.no_iteration(object)),
            Err(reason) if self.stops_iteration(&reason) => Ok(self.ended()),
            Err(reason) => Err(reason),
        }
    }

    /// The result of a function, unless it equals the sentinel; `None` if it does, or if the call raises
    /// `StopIteration`.
    fn result_before(&mut self, function: ValueId, sentinel: ValueId) -> Traced<Option<ValueId>> {
        match self.call(function, vec![], vec![]) {
            Ok(result) => Ok((!self.is_same_or_equal(sentinel, result)?).then_some(result)),
            Err(reason) if self.stops_iteration(&reason) => Ok(self.ended()),
            Err(reason) => Err(reason),
        }
    }

    /// The end of an iterator, which an exception has told.
    fn ended(&mut self) -> Option<ValueId> {
        if let Some(stop) = self.exceptions.raising.take() {
            self.caught(stop);
        }
        None
    }

    /// True for an object whose class has `__getitem__`, and no `__iter__`: it is iterated over by places.
    pub(in crate::trace) fn is_sequence(&mut self, value: ValueId) -> Traced<bool> {
        let Some(instance) = self.instance(value)? else { return Ok(false) };
        Ok(self.class_attr(instance, "__iter__")?.is_none() && self.class_attr(instance, "__getitem__")?.is_some())
    }

    /// True for an object of the program's that can be iterated over.
    pub(in crate::trace) fn is_iterable(&mut self, value: ValueId) -> Traced<bool> {
        let Some(instance) = self.instance(value)? else { return Ok(false) };
        Ok(self.class_attr(instance, "__iter__")?.is_some() || self.is_sequence(value)?)
    }

    /// The item at a place of such a sequence; `None` behind the last one, where it raises `IndexError`.
    fn item_of_sequence(&mut self, object: ValueId, at: i64) -> Traced<Option<ValueId>> {
        let place = self.constant(Constant::Int(at));
        match self.call_special(object, "__getitem__", &[place]) {
            Err(reason) if self.stops_iteration(&reason) || self.is_raising(&reason, "IndexError") => Ok(self.ended()),
            item => item,
        }
    }

    /// True if a `StopIteration` is propagating.
    pub(in crate::trace) fn stops_iteration(&self, reason: &Reason) -> bool {
        self.is_raising(reason, "StopIteration")
    }

    /// True if an exception of this builtin class is propagating.
    fn is_raising(&self, reason: &Reason, class: &str) -> bool {
        match self.exceptions.raising.and_then(|raising| self.exception_class(raising)) {
            Some((name, _)) => name.strip_prefix("builtins.") == Some(class),
            None => reason.exception.as_deref() == Some(class),
        }
    }

    /// The next item, or what the iterator returns at its end.
    pub(in crate::trace) fn resume(&mut self, iterator: ValueId) -> Traced<Next> {
        let Value::State(state) = self.get(iterator)? else { return Err(self.no_iteration(iterator)) };
        if let State::Iter(Iter::Generator(frame)) = self.heap.get(state) {
            let (frame, none) = ((**frame).clone(), self.none());
            return self.resume_generator(state, frame, none);
        }
        Ok(match self.advance(state)? {
            Some(item) => Next::Yield(item),
            None => Next::Return(self.none()),
        })
    }

    fn advance(&mut self, state: StateId) -> Traced<Option<ValueId>> {
        let State::Iter(iter) = self.heap.get(state).clone() else {
            return Err(Reason::new(Kind::Iteration, "Over something that is no iterator."));
        };
        let (item, iter) = match iter {
            Iter::Items(items, at) => (items.get(at).copied(), Iter::Items(items, at + 1)),
            Iter::Call(mut call) => {
                let item = call.items.get(call.at).copied();
                call.at += usize::from(item.is_some());
                (item, Iter::Call(call))
            }
            Iter::Dict(dict, part, len, at) => {
                let item = self.iterated_entry(dict, part, len, at)?;
                (item, Iter::Dict(dict, part, len, at + 1))
            }
            Iter::Lost => return Err(Reason::new(Kind::Iteration, "Over a dict from which a key was deleted.")),
            Iter::Set(set, items, at) => {
                self.check_unchanged(set, &items)?;
                (items.get(at).copied(), Iter::Set(set, items, at + 1))
            }
            Iter::List(list, at) => {
                let State::List(items) = self.heap.get(list) else { return Ok(None) };
                (items.get(at).copied(), Iter::List(list, at + 1))
            }
            Iter::Deque(state, moves, at) => {
                let State::Deque(deque) = self.heap.get(state) else { return Ok(None) };
                if deque.moves != moves {
                    return Err(raised("RuntimeError: deque mutated during iteration"));
                }
                (deque.items.get(at).copied(), Iter::Deque(state, moves, at + 1))
            }
            Iter::Range([next, stop, step]) => {
                let more = if step > 0 { next < stop } else { next > stop };
                let item = more.then(|| self.constant(Constant::Int(next)));
                (item, Iter::Range([if more { next + step } else { next }, stop, step]))
            }
            Iter::Object(object) => (self.next_of_object(object)?, Iter::Object(object)),
            Iter::Sequence(object, at) => (self.item_of_sequence(object, at)?, Iter::Sequence(object, at + 1)),
            Iter::Backwards(object, at) => {
                let item = if at < 0 { Ok(None) } else { self.item_of_sequence(object, at) };
                (item.map_err(|reason| self.uncaught(reason))?, Iter::Backwards(object, at - 1))
            }
            Iter::Results(function, sentinel) => {
                (self.result_before(function, sentinel)?, Iter::Results(function, sentinel))
            }
            Iter::Reversed(mut iter) => {
                let item = self.next_reversed(&mut iter)?;
                (item, Iter::Reversed(iter))
            }
            Iter::Enumerate(inner, count) => match self.advance(inner)? {
                None => (None, Iter::Enumerate(inner, count)),
                Some(item) => {
                    let number = self.constant(Constant::Int(count));
                    (Some(self.value(Value::Tuple(vec![number, item]))), Iter::Enumerate(inner, count + 1))
                }
            },
            Iter::Zip(inners, strict) => {
                let items = self.zipped(&inners, strict)?;
                (items.map(|items| self.value(Value::Tuple(items))), Iter::Zip(inners, strict))
            }
            Iter::Lazy(mut lazy) => (self.next_lazy(state, &mut lazy)?, Iter::Lazy(lazy)),
            Iter::Map(function, inners) => match self.zipped(&inners, false)? {
                None => (None, Iter::Map(function, inners)),
                Some(items) => (Some(self.call(function, items, vec![])?), Iter::Map(function, inners)),
            },
            Iter::Filter(function, inner) => {
                let none = matches!(self.get(function)?, Value::Const(Constant::None));
                let mut found = None;
                while let Some(item) = self.advance(inner)? {
                    let kept = if none { item } else { self.call(function, vec![item], vec![])? };
                    if self.truth(kept)? {
                        found = Some(item);
                        break;
                    }
                }
                (found, Iter::Filter(function, inner))
            }
            Iter::Generator(frame) => {
                let none = self.none();
                return Ok(match self.resume_generator(state, *frame, none)? {
                    Next::Yield(item) => Some(item),
                    Next::Return(_) | Next::Go => None,
                });
            }
            Iter::Running => return Err(Reason::new(Kind::Iteration, "A generator that asks itself.")),
            Iter::Done(of) => (None, Iter::Done(of)),
        };
        let iter = if item.is_none() { iter.exhausted() } else { iter };
        *self.heap.change(state) = State::Iter(iter);
        Ok(item)
    }

    fn zipped(&mut self, inners: &[StateId], strict: bool) -> Traced<Option<Vec<ValueId>>> {
        let mut items = Vec::new();
        for &inner in inners {
            match self.advance(inner)? {
                Some(item) => items.push(item),
                None if strict && !items.is_empty() => return Err(raised("ValueError: zip() argument is shorter")),
                None if strict => {
                    for &other in &inners[1..] {
                        if self.advance(other)?.is_some() {
                            return Err(raised("ValueError: zip() argument is longer"));
                        }
                    }
                    return Ok(None);
                }
                None => return Ok(None),
            }
        }
        Ok((!inners.is_empty()).then_some(items))
    }

    pub(in crate::trace) fn resume_generator(
        &mut self,
        state: StateId,
        mut frame: Frame,
        sent: ValueId,
    ) -> Traced<Next> {
        if frame.at > 0 {
            frame.push(sent);
        }
        self.run_generator(state, frame, None)
    }

    /// Every item that is left.
    pub(in crate::trace) fn all_items(&mut self, value: ValueId) -> Traced<Vec<ValueId>> {
        match self.get(value)? {
            Value::Tuple(items) | Value::Size(items) | Value::Record(_, _, items) => return Ok(items),
            Value::State(state) => {
                if let State::List(items) = self.heap.get(state) {
                    return Ok(items.clone());
                }
            }
            _ => {}
        }
        let items = self.first_items(value, MOST_ITEMS + 1)?;
        match items.len() {
            0..=MOST_ITEMS => Ok(items),
            _ => Err(Reason::new(Kind::TooLong, "More items than a trace may have.")),
        }
    }

    /// The first items, so many at most.
    fn first_items(&mut self, value: ValueId, most: usize) -> Traced<Vec<ValueId>> {
        let iterator = self.iterate(value)?;
        let mut items = Vec::new();
        while items.len() < most {
            // Some of them may have been used before one fails.
            match self.next_item(iterator).map_err(|reason| self.uncaught(reason))? {
                Some(item) => items.push(item),
                None => break,
            }
        }
        Ok(items)
    }

    /// True for tuples and lists.
    fn has_listed_items(&mut self, value: ValueId) -> Traced<bool> {
        Ok(match self.get(value)? {
            Value::Tuple(_) | Value::Size(_) | Value::Record(..) => true,
            Value::State(state) => self.heap.sort(state) == Sort::List,
            _ => false,
        })
    }

    /// Whether something holds of an item; nothing is read of what comes after the first of which it does.
    pub(in crate::trace) fn any_item(
        &mut self,
        value: ValueId,
        mut holds: impl FnMut(&mut Self, ValueId) -> Traced<bool>,
    ) -> Traced<bool> {
        if self.has_listed_items(value)? {
            for item in self.all_items(value)? {
                if holds(self, item)? {
                    return Ok(true);
                }
            }
            return Ok(false);
        }
        let iterator = self.iterate(value)?;
        for _ in 0..MOST_ITEMS {
            let Some(item) = self.next_item(iterator)? else { return Ok(false) };
            if holds(self, item)? {
                return Ok(true);
            }
        }
        Err(Reason::new(Kind::TooLong, "More items than a trace may have."))
    }

    /// The items of what a list or tuple is made of.
    pub(in crate::trace) fn listed_items(&mut self, value: ValueId) -> Traced<Vec<ValueId>> {
        self.ask_length(value)?;
        self.all_items(value)
    }

    /// The result of what goes over the items that a container takes in. CPython puts in one after the other, and code
    /// of the program's among it may look at the container: that ends the graph.
    pub(in crate::trace) fn taken_in<R>(
        &mut self,
        container: StateId,
        items: ValueId,
        list: impl FnOnce(&mut Self) -> Traced<R>,
    ) -> Traced<R> {
        let runs_code = match self.get(items)? {
            Value::State(state) => self.heap.sort(state) == Sort::Iter,
            value => matches!(value, Value::Object(..) | Value::Instance(_)),
        };
        if runs_code { self.unseen(container, list) } else { list(self) }
    }

    /// The result of what must not look at a container meanwhile.
    pub(in crate::trace) fn unseen<R>(
        &mut self,
        container: StateId,
        run: impl FnOnce(&mut Self) -> Traced<R>,
    ) -> Traced<R> {
        self.heap.watch(container);
        let result = run(self);
        if self.heap.unwatch() {
            let reason = Reason::new(Kind::Iteration, "Over what looks at the container that it is put into.");
            return Err(self.uncaught(reason));
        }
        result
    }

    /// Asks an object for its length, as Python does before it lists the items (`PyObject_LengthHint`).
    pub(in crate::trace) fn ask_length(&mut self, value: ValueId) -> Traced<()> {
        let Some(instance) = self.instance(value)? else { return Ok(()) };
        let before = self.heap.checkpoint();
        if self.class_attr(instance, "__len__")?.is_some() {
            self.object_len(value).map_err(|reason| self.uncaught(reason))?;
        } else if self.class_attr(instance, "__length_hint__")?.is_some() {
            self.call_special(value, "__length_hint__", &[]).map_err(|reason| self.uncaught(reason))?;
        } else {
            return Ok(());
        }
        // How often it is asked depends on the version of Python.
        if self.heap.has_changed_since(before) { Err(self.no_iteration(value)) } else { Ok(()) }
    }

    /// The items of a sequence of known length.
    pub(in crate::trace) fn unpack(&mut self, value: ValueId, count: usize) -> Traced<Vec<ValueId>> {
        // Of an iterator one item more is taken, to see that it is at its end.
        let items =
            if self.has_listed_items(value)? { self.all_items(value)? } else { self.first_items(value, count + 1)? };
        if items.len() == count {
            Ok(items)
        } else if items.len() < count {
            let text = format!("not enough values to unpack (expected {count}, got {})", items.len());
            Err(raised(&format!("ValueError: {text}")).verbatim())
        } else {
            let reason = raised(&format!("ValueError: too many values to unpack (expected {count})"));
            // Later versions count them, if they can.
            Err(if self.host.version() < Version::V314 { reason.verbatim() } else { reason })
        }
    }
}
