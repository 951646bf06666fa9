//! Containers and iterators: items read, written and deleted, iteration, unpacking.

use super::{
    Traced, Tracer,
    frame::Frame,
    step::Next,
    value::{Iter, IterCall, Key, Sort, State, StateId, Table, Value, ValueId},
};
use crate::reason::{Kind, Reason};
use fx::{Arg, Kind as NodeKind, Meta};
use guards::Constant;

/// Iterations that are unrolled at most where all items are asked for at once.
const MOST_ITEMS: usize = 1 << 16;

/// Classes of Python's own whose items annotations name.
const GENERIC: [&str; 5] = ["builtins.dict", "builtins.frozenset", "builtins.list", "builtins.set", "builtins.tuple"];

impl Tracer<'_> {
    /// `container[key]`
    pub(super) fn get_item(&mut self, container: ValueId, key: ValueId) -> Traced {
        match self.get(container)? {
            Value::Tensor(_) => self.tensor_item(container, key),
            Value::NdArray { .. } => match self.array_operator("getitem", &[container, key])? {
                Some(item) => Ok(item),
                None => Err(self.no_item(container)),
            },
            Value::Tuple(items) | Value::Record(_, _, items) => self.get_of_sequence(&items, key, Value::Tuple),
            Value::Size(items) => self.get_of_sequence(&items, key, Value::Size),
            Value::Range([start, _, step]) if matches!(self.get(key)?, Value::Slice(_)) => {
                let Value::Range(bounds) = self.get(container)? else { return Err(self.no_item(container)) };
                let [from, to, by] = self.slice_of(range_len(bounds), key)?;
                Ok(self.value(Value::Range([start + from * step, start + to * step, step * by])))
            }
            Value::Range(bounds) => {
                let at = self.concrete(key)?;
                let len = range_len(bounds);
                let at = if at < 0 { at + len } else { at };
                if (0..len).contains(&at) {
                    Ok(self.constant(Constant::Int(bounds[0] + at * bounds[2])))
                } else {
                    Err(raised("range object index out of range"))
                }
            }
            Value::Const(constant) => match self.as_constant(key)? {
                Some(key) => self.fold("operator.getitem", &[constant, key]),
                None => Err(Reason::new(Kind::Operator, "A constant's item at a place that is computed.")),
            },
            Value::State(state) if self.heap.sort(state) == Sort::Dict => {
                let (text, given) = (self.describe(key), key);
                let key = self.key(key)?;
                match self.value_at(state, &key) {
                    Some(value) => Ok(value),
                    None => match self.missing(container, state, given)? {
                        Some(value) => Ok(value),
                        None => Err(raised(&format!("KeyError: {text}"))),
                    },
                }
            }
            Value::State(state) => match self.heap.get(state).clone() {
                State::List(items) if matches!(self.get(key)?, Value::Slice(_)) => {
                    let picked = self.slice(&items, key)?;
                    Ok(self.state(State::List(picked)))
                }
                State::List(items) => self.get_of_sequence(&items, key, Value::Tuple),
                State::Deque(deque) if !matches!(self.get(key)?, Value::Slice(_)) => {
                    self.get_of_sequence(&deque.items, key, Value::Tuple)
                }
                _ => Err(self.no_item(container)),
            },
            Value::InstanceDict(object) => self.get_dict_entry(object, key),
            Value::Class(name, _) if GENERIC.contains(&name.as_str()) => {
                Ok(self.value(Value::GenericAlias(container, key)))
            }
            Value::Object(..) | Value::Instance(_) => match self.call_special(container, "__getitem__", &[key])? {
                Some(item) => Ok(item),
                None => Err(self.no_item(container)),
            },
            _ => Err(self.no_item(container)),
        }
    }

    fn no_item(&mut self, container: ValueId) -> Reason {
        Reason::new(Kind::Operator, format!("An item of {}.", self.describe(container)))
    }

    fn get_of_sequence(&mut self, items: &[ValueId], key: ValueId, make: fn(Vec<ValueId>) -> Value) -> Traced {
        if let Value::Slice(_) = self.get(key)? {
            let picked = self.slice(items, key)?;
            return Ok(self.value(make(picked)));
        }
        let at = self.index(items.len(), key)?;
        Ok(items[at])
    }

    /// A place among so many items.
    fn index(&mut self, len: usize, key: ValueId) -> Traced<usize> {
        let at = self.concrete(key)?;
        let place = if at < 0 { at + len as i64 } else { at };
        usize::try_from(place).ok().filter(|&place| place < len).ok_or_else(|| raised("IndexError: index out of range"))
    }

    /// The places that a slice picks of so many items.
    fn places(&mut self, len: usize, slice: ValueId) -> Traced<Vec<usize>> {
        let [mut at, stop, step] = self.slice_of(len as i64, slice)?;
        let mut places = Vec::new();
        while if step > 0 { at < stop } else { at > stop } {
            places.push(usize::try_from(at).unwrap_or(0));
            at += step;
        }
        Ok(places)
    }

    /// Start, stop and step of a slice of so many items.
    pub(super) fn slice_of(&mut self, len: i64, slice: ValueId) -> Traced<[i64; 3]> {
        let Value::Slice(parts) = self.get(slice)? else { return Err(raised("TypeError: no slice")) };
        let mut bounds = Vec::new();
        for part in parts {
            let absent = matches!(self.get(part)?, Value::Const(Constant::None));
            bounds.push(if absent { None } else { Some(self.concrete(part)?) });
        }
        let step = bounds[2].unwrap_or(1);
        if step == 0 {
            return Err(raised("ValueError: slice step cannot be zero"));
        }
        let (low, high) = if step > 0 { (0, len) } else { (-1, len - 1) };
        let clamp = |bound: Option<i64>, absent: i64| match bound {
            None => absent,
            Some(at) => (if at < 0 { at + len } else { at }).clamp(low, high),
        };
        let (first, last) = if step > 0 { (low, high) } else { (high, low) };
        Ok([clamp(bounds[0], first), clamp(bounds[1], last), step])
    }

    /// Where a slice of step 1 begins, which is a place also if it is empty.
    fn slice_start(&mut self, len: usize, slice: ValueId) -> Traced<usize> {
        let Value::Slice([start, ..]) = self.get(slice)? else { return Err(raised("TypeError: no slice")) };
        if matches!(self.get(start)?, Value::Const(Constant::None)) {
            return Ok(0);
        }
        let start = self.concrete(start)?;
        let len = len as i64;
        Ok(usize::try_from((if start < 0 { start + len } else { start }).clamp(0, len)).unwrap_or(0))
    }

    pub(super) fn slice(&mut self, items: &[ValueId], slice: ValueId) -> Traced<Vec<ValueId>> {
        Ok(self.places(items.len(), slice)?.into_iter().map(|place| items[place]).collect())
    }

    /// `container[key] = value`
    pub(super) fn set_item(&mut self, container: ValueId, key: ValueId, value: ValueId) -> Traced<()> {
        match self.get(container)? {
            Value::Tensor(_) => {
                let args = vec![self.arg(container)?, self.arg(key)?, self.arg(value)?];
                let this = self.force(container)?;
                self.emit_in_place(NodeKind::CallFunction, "operator.setitem", this, args, vec![])?;
                Ok(())
            }
            Value::State(state) => match self.heap.get(state).clone() {
                State::List(items) if !matches!(self.get(key)?, Value::Slice(_)) => {
                    let at = self.index(items.len(), key)?;
                    if let State::List(items) = self.heap.change(state) {
                        items[at] = value;
                    }
                    Ok(())
                }
                State::List(mut items) => {
                    let more = self.all_items(value)?;
                    let places = self.places(items.len(), key)?;
                    let Value::Slice([_, _, step]) = self.get(key)? else { return Err(self.no_change(container)) };
                    if matches!(self.get(step)?, Value::Const(Constant::None | Constant::Int(1))) {
                        let start = self.slice_start(items.len(), key)?;
                        items.splice(start..start + places.len(), more);
                    } else if places.len() == more.len() {
                        places.into_iter().zip(more).for_each(|(place, item)| items[place] = item);
                    } else {
                        return Err(raised("ValueError: attempt to assign sequence to extended slice"));
                    }
                    *self.heap.change(state) = State::List(items);
                    Ok(())
                }
                State::Deque(deque) if !matches!(self.get(key)?, Value::Slice(_)) => {
                    let at = self.index(deque.items.len(), key)?;
                    if let State::Deque(deque) = self.heap.change(state) {
                        deque.items[at] = value;
                    }
                    Ok(())
                }
                State::Dict(_) => {
                    let (forced, key) = (self.force(key)?, self.key(key)?);
                    if let State::Dict(items) = self.heap.change(state) {
                        let kept = items.get(&key).map_or(forced, |&(kept, _)| kept);
                        items.insert(key, (kept, value));
                    }
                    Ok(())
                }
                _ => Err(self.no_change(container)),
            },
            Value::InstanceDict(object) => self.set_dict_entry(object, key, value),
            Value::Object(..) | Value::Instance(_) => {
                match self.call_special(container, "__setitem__", &[key, value])? {
                    Some(_) => Ok(()),
                    None => Err(self.no_change(container)),
                }
            }
            _ => Err(self.no_change(container)),
        }
    }

    pub(super) fn no_change(&mut self, container: ValueId) -> Reason {
        Reason::new(Kind::Mutation, format!("A change of {}.", self.describe(container)))
    }

    /// `del container[key]`
    pub(super) fn delete_item(&mut self, container: ValueId, key: ValueId) -> Traced<()> {
        if self.instance(container)?.is_some() {
            let deleted = self.call_special(container, "__delitem__", &[key])?;
            return deleted.map(|_| ()).ok_or_else(|| self.no_change(container));
        }
        let Value::State(state) = self.get(container)? else { return Err(self.no_change(container)) };
        match self.heap.get(state).clone() {
            State::List(items) => {
                let at = if let Value::Slice(_) = self.get(key)? {
                    self.places(items.len(), key)?
                } else {
                    vec![self.index(items.len(), key)?]
                };
                if let State::List(items) = self.heap.change(state) {
                    let mut place = 0..;
                    items.retain(|_| !place.next().is_some_and(|place| at.contains(&place)));
                }
                Ok(())
            }
            State::Deque(deque) if !matches!(self.get(key)?, Value::Slice(_)) => {
                let at = self.index(deque.items.len(), key)?;
                if let State::Deque(deque) = self.heap.change(state) {
                    deque.items.remove(at);
                    deque.moves += 1;
                }
                Ok(())
            }
            State::Dict(_) => {
                let key = self.key(key)?;
                let State::Dict(items) = self.heap.change(state) else { return Ok(()) };
                let gone = items.shift_remove(&key).is_some();
                // A counter has every key.
                if gone || self.heap.table(state) == Table::Counter { Ok(()) } else { Err(raised("KeyError")) }
            }
            _ => Err(self.no_change(container)),
        }
    }

    /// A value as a key of a dict.
    pub(super) fn key(&mut self, value: ValueId) -> Traced<Key> {
        let forced = self.force(value)?;
        Ok(match self.values[forced].clone() {
            Value::Const(constant) => Key::Const(plain_number(constant)),
            Value::Tuple(items) => Key::Tuple(items.into_iter().map(|item| self.key(item)).collect::<Traced<_>>()?),
            Value::Class(_, obj) | Value::Module(_, obj) => Key::Obj(obj),
            Value::Object(..) | Value::Instance(_) => self.key_of_object(forced)?,
            Value::Tensor(_) => self.key_of_tensor(forced)?,
            value if value.is_symbolic() => {
                let known = self.specialised(forced)?;
                self.key(known)?
            }
            _ => return Err(Reason::new(Kind::Operator, format!("{} as a key.", self.describe(forced)))),
        })
    }

    /// `iter(value)`
    pub(super) fn iterate(&mut self, value: ValueId) -> Traced {
        let iter = match self.get(value)? {
            Value::Tuple(items) | Value::Size(items) | Value::Record(_, _, items) => Iter::Items(items, 0),
            Value::Range([start, stop, step]) => Iter::Range([start, stop, step]),
            Value::DictView(dict, part) => Iter::Dict(dict, part, self.view_items(dict, part)?, 0),
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
                    Iter::Dict(dict, "keys", self.view_items(dict, "keys")?, 0)
                }
                State::Set(..) => match self.iterate_set(value)? {
                    Some(iter) => iter,
                    None => return Err(self.no_iteration(value)),
                },
                _ => return Err(self.no_iteration(value)),
            },
            Value::Object(..) | Value::Instance(_) => match self.call_special(value, "__iter__", &[])? {
                Some(iterator) if matches!(self.get(iterator)?, Value::State(_)) => return Ok(iterator),
                Some(iterator) if self.special(iterator, "__next__")?.is_some() => Iter::Object(iterator),
                _ => return Err(self.no_iteration(value)),
            },
            Value::InstanceDict(object) => {
                let entries = self.dict_copy(object)?;
                return self.iterate(entries);
            }
            _ => return Err(self.no_iteration(value)),
        };
        Ok(self.state(State::Iter(iter)))
    }

    fn no_iteration(&mut self, value: ValueId) -> Reason {
        Reason::new(Kind::Iteration, format!("Over {}.", self.describe(value)))
    }

    /// What a view of a dict shows.
    pub(super) fn view_items(&mut self, dict: ValueId, part: &str) -> Traced<Vec<ValueId>> {
        let pairs = super::python::containers::pairs(self, dict)?;
        let item = |(key, value): (ValueId, ValueId)| match part {
            "keys" => key,
            "values" => value,
            _ => self.value(Value::Tuple(vec![key, value])),
        };
        Ok(pairs.into_iter().map(item).collect())
    }

    /// A tensor's rows.
    fn rows(&mut self, tensor: ValueId) -> Traced<Vec<ValueId>> {
        let Arg::Node(node) = self.arg(tensor)? else { return Err(self.no_iteration(tensor)) };
        let Some(Meta::Tensor(meta)) = self.graph[node].meta.clone() else { return Err(self.no_iteration(tensor)) };
        let Some(&size) = meta.sizes.first() else { return Err(raised("TypeError: iteration over a 0-d tensor")) };
        if meta.sizes.iter().any(|&size| self.env.pool().as_int(size).is_none()) {
            // torch asks for all sizes.
            self.graph.spend_name("size");
            meta.sizes.iter().for_each(|_| self.graph.spend_name("getitem"));
        }
        let at = self.place();
        let count = self.env.evaluate_int(size, &at).map_err(|e| Reason::new(Kind::Shape, e.to_string()))?;
        if self.grad && meta.requires_grad {
            // Autograd knows that they are views of one call, and refuses to have them changed.
            let all = self.emit(NodeKind::CallMethod, "unbind", vec![Arg::Node(node)], vec![])?;
            return self.all_items(all);
        }
        let row = |i| self.emit(NodeKind::CallFunction, "operator.getitem", vec![Arg::Node(node), Arg::Int(i)], vec![]);
        (0..count).map(row).collect()
    }

    /// The next item; `None` at the end.
    pub(super) fn next_item(&mut self, iterator: ValueId) -> Traced<Option<ValueId>> {
        match self.get(iterator)? {
            Value::State(state) => self.advance(state),
            Value::Object(..) | Value::Instance(_) => self.next_of_object(iterator),
            _ => Err(self.no_iteration(iterator)),
        }
    }

    /// What `__next__` of an object gives; `None` if it raises `StopIteration`.
    fn next_of_object(&mut self, object: ValueId) -> Traced<Option<ValueId>> {
        match self.call_special(object, "__next__", &[]) {
            Ok(Some(item)) => Ok(Some(item)),
            Ok(None) => Err(self.no_iteration(object)),
            Err(reason) if self.stops_iteration(&reason) => {
                if let Some(stop) = self.raising.take() {
                    self.caught(stop);
                }
                Ok(None)
            }
            Err(reason) => Err(reason),
        }
    }

    /// True for a `StopIteration` on its way.
    pub(super) fn stops_iteration(&self, reason: &Reason) -> bool {
        let raised = self.raising.map(|raising| &self.values[raising]);
        match raised {
            Some(Value::Exception { name, .. }) => name == "builtins.StopIteration",
            _ => reason.exception.as_deref() == Some("StopIteration"),
        }
    }

    /// The next item, or what the iterator returns at its end.
    pub(super) fn resume(&mut self, iterator: ValueId) -> Traced<Next> {
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
            Iter::Dict(dict, part, items, at) => {
                if super::python::containers::pairs(self, dict)?.len() != items.len() {
                    return Err(raised("RuntimeError: dictionary changed size during iteration"));
                }
                (items.get(at).copied(), Iter::Dict(dict, part, items, at + 1))
            }
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

    pub(super) fn resume_generator(&mut self, state: StateId, mut frame: Frame, sent: ValueId) -> Traced<Next> {
        if frame.at > 0 {
            frame.push(sent);
        }
        self.run_generator(state, frame, None)
    }

    /// Every item that is left.
    pub(super) fn all_items(&mut self, value: ValueId) -> Traced<Vec<ValueId>> {
        match self.get(value)? {
            Value::Tuple(items) | Value::Size(items) | Value::Record(_, _, items) => return Ok(items),
            Value::State(state) => {
                if let State::List(items) = self.heap.get(state) {
                    return Ok(items.clone());
                }
            }
            _ => {}
        }
        let iterator = self.iterate(value)?;
        let mut items = Vec::new();
        // What takes all items may have used some of them before one fails.
        while let Some(item) = self.next_item(iterator).map_err(|reason| self.uncaught(reason))? {
            items.push(item);
            if items.len() > MOST_ITEMS {
                return Err(Reason::new(Kind::TooLong, "More items than a trace may have."));
            }
        }
        Ok(items)
    }

    /// The items of a sequence of known length.
    pub(super) fn unpack(&mut self, value: ValueId, count: usize) -> Traced<Vec<ValueId>> {
        let items = self.all_items(value)?;
        if items.len() == count {
            Ok(items)
        } else {
            Err(raised(&format!("ValueError: {} values to unpack", items.len())))
        }
    }
}

/// Numbers that are equal as keys are one constant.
fn plain_number(constant: Constant) -> Constant {
    match constant {
        Constant::Bool(truth) => Constant::Int(i64::from(truth)),
        Constant::Float(bits) => {
            let value = f64::from_bits(bits);
            // Exact up to 2^53, which is as far as floats count.
            if value.fract() == 0.0 && value.abs() < 9e15 { Constant::Int(value as i64) } else { Constant::Float(bits) }
        }
        constant => constant,
    }
}

/// How many numbers a range has.
pub(super) fn range_len([start, stop, step]: [i64; 3]) -> i64 {
    let span = if step > 0 { stop.saturating_sub(start) } else { start.saturating_sub(stop) };
    let step = step.saturating_abs().max(1);
    if span <= 0 { 0 } else { (span - 1) / step + 1 }
}

/// An exception of one of the classes that are raised only where Python raises them too; others end the graph.
pub(super) fn raised(what: &str) -> Reason {
    const CERTAIN: &[&str] = &["KeyError", "IndexError", "StopIteration", "ValueError"];
    let reason = Reason::raised(what);
    let certain = reason.exception.as_ref().is_some_and(|class| CERTAIN.contains(&class.as_str()));
    if certain { reason } else { reason.uncaught() }
}
