//! Sets and frozen sets: their operators, and the order in which they give their items.
//!
//! A set's order depends on all that was done with it. It is known of the caller's sets, under a guard for each item;
//! of those that a program makes of constants, the interpreter says it, which does the same again, and so does the code
//! that builds them. Of what is made of the caller's sets and of objects, the trace does not know the order, but the
//! code repeats the calls. All others are asked for their items by what needs no order alone, and never leave the
//! trace.

use crate::{
    bytecode::Comparison,
    host::{SetOperand, SetStep},
    reason::{Kind, Reason, raised},
    trace::{
        Traced, Tracer,
        core::{
            state::{CallOperand, Iter, IterCall, Key, Made, SetCall, SetCalls, Sort, State, StateId, Table},
            value::{Value, ValueId},
        },
    },
};
use guards::{Constant, GuardKind, SourceId, Step};
use indexmap::IndexMap;
use std::rc::Rc;

/// The items of a set, each under its key.
pub(in crate::trace) type Items = IndexMap<Key, ValueId>;

/// Steps of a history at most.
const MOST_STEPS: usize = 2000;

/// Calls at most that code repeats.
const MOST_CALLS: usize = 200;

/// The methods that give a new set.
const MAKING: [&str; 5] = ["copy", "union", "intersection", "difference", "symmetric_difference"];

/// An operand of a method of sets.
pub(in crate::trace) struct Operand {
    /// The operand without values of the trace, if it is all constants.
    known: Option<SetOperand>,
    /// The operand as code gives it again.
    again: CallOperand,
}

impl SetCall {
    /// True if the method gives a new set.
    pub(in crate::trace) fn makes(&self) -> bool {
        MAKING.contains(&self.method)
    }
}

impl SetCalls {
    /// True if the calls change a set of the caller's.
    fn change_callers(&self) -> bool {
        let SetCalls::Then(call) = self else { return false };
        let (mut first, mut on) = (call, &call.on);
        while let SetCalls::Then(earlier) = on {
            (first, on) = (earlier, &earlier.on);
        }
        matches!(on, SetCalls::Callers(_)) && !first.makes()
    }

    /// After one more call; `None` if the code for it would be too long, or would come too late: a set of the caller's
    /// changes after what was made of it before.
    fn then(self, method: &'static str, operands: Vec<CallOperand>) -> Option<SetCalls> {
        let changed = |operand: &CallOperand| matches!(operand, CallOperand::Set(calls) if calls.change_callers());
        let late = MAKING.contains(&method) && self.change_callers() || operands.iter().any(changed);
        let lengths = |calls: &SetCalls| if let SetCalls::Then(call) = calls { call.count } else { 0 };
        let given = |operand: &CallOperand| if let CallOperand::Set(calls) = operand { lengths(calls) } else { 0 };
        let count = 1 + lengths(&self) + operands.iter().map(given).sum::<usize>();
        (!late && count <= MOST_CALLS).then(|| SetCalls::Then(Rc::new(SetCall { on: self, method, operands, count })))
    }
}

impl Made {
    /// The empty set.
    pub(in crate::trace) const EMPTY: Made = Made::By(None);

    /// After a method was called with operands, if it is known how to give them again.
    pub(in crate::trace) fn then(&self, method: &'static str, operands: Option<Vec<Operand>>) -> Made {
        let Some(operands) = operands else { return Made::Otherwise };
        let known: Option<Vec<SetOperand>> = operands.iter().map(|operand| operand.known.clone()).collect();
        let calls = match (self, known) {
            (Made::By(before), Some(operands)) => {
                let count = before.as_ref().map_or(0, |step| step.count) + 1;
                if count > MOST_STEPS {
                    return Made::Otherwise;
                }
                return Made::By(Some(Rc::new(SetStep { before: before.clone(), method, operands, count })));
            }
            (Made::By(before), None) => SetCalls::Known(before.clone()),
            (Made::Again(calls), _) => calls.clone(),
            (Made::Found | Made::Otherwise, _) => return Made::Otherwise,
        };
        let operands = operands.into_iter().map(|operand| operand.again).collect();
        calls.then(method, operands).map_or(Made::Otherwise, Made::Again)
    }

    /// After a method was called with an item.
    pub(in crate::trace) fn with_item(&self, t: &mut Tracer<'_>, method: &'static str, item: ValueId) -> Traced<Made> {
        let item = t.force(item)?;
        let known = t.as_constant(item)?.map(SetOperand::Item);
        Ok(self.then(method, Some(vec![Operand { known, again: CallOperand::Item(item) }])))
    }
}

/// Items one by one.
fn each(t: &mut Tracer<'_>, items: &[ValueId]) -> Traced<Operand> {
    let constants = items.iter().map(|&item| t.as_constant(item)).collect::<Traced<Option<Vec<_>>>>()?;
    Ok(Operand { known: constants.map(SetOperand::Items), again: CallOperand::Items(items.to_vec()) })
}

/// A set of these items.
pub(in crate::trace) fn of_items(t: &mut Tracer<'_>, items: Vec<ValueId>) -> Traced<(Items, Made)> {
    let operand = each(t, &items)?;
    Ok((keyed(t, items)?, Made::EMPTY.then("update", Some(vec![operand]))))
}

/// The operand of a method of sets: its items, and how to give them again.
pub(in crate::trace) fn operand(t: &mut Tracer<'_>, value: ValueId) -> Traced<(Items, Option<Operand>)> {
    if let Some(items) = of_set(t, value)? {
        let value = t.force(value)?;
        let operand = match t.made(value) {
            Made::Otherwise | Made::Found => None,
            Made::By(history) => {
                let again = CallOperand::Set(SetCalls::Known(history.clone()));
                Some(Operand { known: Some(SetOperand::Set(history)), again })
            }
            Made::Again(calls) => {
                let known = t.frozen_constant(value)?.map(SetOperand::Frozen);
                Some(Operand { known, again: CallOperand::Set(calls) })
            }
        };
        return Ok((items, operand));
    }
    let is_dict = match t.get(value)? {
        Value::State(state) => t.heap.sort(state) == Sort::Dict && t.heap.table(state) == Table::Plain,
        _ => false,
    };
    let items = t.all_items(value)?;
    let operand = if is_dict { keys(t, &items)? } else { each(t, &items)? };
    Ok((keyed(t, items)?, Some(operand)))
}

/// The keys of a dict, for all of which room is made at once.
fn keys(t: &mut Tracer<'_>, items: &[ValueId]) -> Traced<Operand> {
    let constants = items.iter().map(|&item| t.as_constant(item)).collect::<Traced<Option<Vec<_>>>>()?;
    Ok(Operand { known: constants.map(SetOperand::Keys), again: CallOperand::Keys(items.to_vec()) })
}

/// The items that an operation on two sets keeps, by the name of the method; the operators have the same meaning.
pub(in crate::trace) fn combine(name: &str, a: &Items, b: &Items) -> Option<Items> {
    let all = |keep: &dyn Fn(&Key) -> bool, items: &Items| -> Items {
        items.iter().filter(|(key, _)| keep(key)).map(|(key, &item)| (key.clone(), item)).collect()
    };
    let (in_a, in_b) = (|key: &Key| a.contains_key(key), |key: &Key| b.contains_key(key));
    Some(match name.trim_end_matches("_update") {
        "union" | "or_" => a.iter().chain(all(&|key| !in_a(key), b).iter()).map(|(k, &v)| (k.clone(), v)).collect(),
        "intersection" | "and_" => all(&in_b, a),
        "difference" | "sub" => all(&|key| !in_b(key), a),
        "symmetric_difference" | "xor" => {
            let mut items = all(&|key| !in_b(key), a);
            items.extend(all(&|key| !in_a(key), b));
            items
        }
        _ => return None,
    })
}

/// Items, each under its key, the first of equal ones kept.
pub(in crate::trace) fn keyed(t: &mut Tracer<'_>, items: Vec<ValueId>) -> Traced<Items> {
    let mut set = Items::new();
    for item in items {
        let item = t.force(item)?;
        set.entry(t.key(item)?).or_insert(item);
    }
    Ok(set)
}

/// The items of a set or frozen set; `None` for any other value.
pub(in crate::trace) fn of_set(t: &mut Tracer<'_>, value: ValueId) -> Traced<Option<Items>> {
    let items = match t.get(value)? {
        Value::State(state) => match t.heap.get(state) {
            State::Set(items, _) => return Ok(Some(items.clone())),
            _ => return Ok(None),
        },
        Value::Const(Constant::FrozenSet(items)) => items.into_iter().map(|item| t.of_constant(item)).collect(),
        _ => return Ok(None),
    };
    keyed(t, items).map(Some)
}

/// Adds the items of any iterable; gives how the set was made, then.
pub(in crate::trace) fn update(t: &mut Tracer<'_>, items: &mut Items, made: &Made, more: ValueId) -> Traced<Made> {
    let (more, operand) = operand(t, more)?;
    for (key, item) in more {
        items.entry(key).or_insert(item);
    }
    Ok(made.then("update", operand.map(|operand| vec![operand])))
}

/// `set(items)`
pub(in crate::trace) fn make(t: &mut Tracer<'_>, from: Option<ValueId>) -> Traced {
    let (mut items, mut made) = (Items::new(), Made::EMPTY);
    if let Some(from) = from {
        made = update(t, &mut items, &made, from)?;
    }
    Ok(t.state(State::Set(items, made)))
}

/// `frozenset(items)`
pub(in crate::trace) fn make_frozen(t: &mut Tracer<'_>, from: Option<ValueId>) -> Traced {
    let (items, operand) = match from {
        None => (Items::new(), Some(each(t, &[])?)),
        Some(value) if matches!(t.get(value)?, Value::Const(Constant::FrozenSet(_))) => return t.force(value),
        Some(value) => operand(t, value)?,
    };
    let made = operand.and_then(|operand| operand.known).and_then(|known| t.host.frozenset(&known));
    if let Some(made) = made {
        return Ok(t.value(Value::Lazy(made)));
    }
    // Where it comes from a set or dict of which not all is known, its order is not known either.
    let constants = items.values().map(|&item| t.as_constant(item)).collect::<Traced<Option<Vec<_>>>>()?;
    match constants {
        Some(items) => Ok(t.constant(Constant::frozenset(items))),
        None => Err(Reason::new(Kind::Call, "`frozenset` of objects.")),
    }
}

impl Tracer<'_> {
    /// The object that a set or frozen set of constants is, if there is one and nothing has changed it. On later calls
    /// it is another one.
    fn set_object(&mut self, value: ValueId) -> Traced<Option<crate::host::Obj>> {
        let forced = self.force(value)?;
        Ok(match self.objects.values[forced] {
            Value::State(state) => match self.heap.get(state) {
                State::Set(_, Made::Found) => self.heap.origin(state),
                _ => None,
            },
            _ => self.objects.frozen.get(&forced).copied(),
        })
    }

    /// The history of a set; one of the caller's is itself what its methods are called on.
    pub(in crate::trace) fn made(&self, value: ValueId) -> Made {
        let made = match self.objects.values[value] {
            Value::State(state) => match self.heap.get(state) {
                State::Set(_, made) => made.clone(),
                _ => Made::Otherwise,
            },
            _ if self.objects.frozen.contains_key(&value) => return Made::Again(SetCalls::Callers(value)),
            _ => Made::Otherwise,
        };
        match made {
            Made::Found if self.source(value).is_some() => Made::Again(SetCalls::Callers(value)),
            Made::Found => Made::Otherwise,
            made => made,
        }
    }

    /// The object of a frozen set that is the same in each call.
    fn frozen_constant(&mut self, value: ValueId) -> Traced<Option<crate::host::Obj>> {
        let forced = self.force(value)?;
        Ok(self.objects.frozen.get(&forced).copied().filter(|_| self.source(forced).is_none()))
    }

    /// The items of a set or frozen set, in its order; `None` for any other value.
    pub(in crate::trace) fn items_in_order(&mut self, value: ValueId) -> Traced<Option<Vec<ValueId>>> {
        let forced = self.force(value)?;
        let Some(items) = of_set(self, forced)? else { return Ok(None) };
        let made = match self.objects.values[forced] {
            Value::State(state) => match self.heap.get(state) {
                State::Set(_, made) => made.clone(),
                _ => Made::Otherwise,
            },
            _ => Made::Found,
        };
        let order = match made {
            Made::Found => {
                let order = self.set_object(forced)?.and_then(|object| self.host.set_items(object));
                if let (None, Value::State(_), Some(source)) =
                    (&order, &self.objects.values[forced], self.source(forced))
                {
                    return self.order_of_found(source, &items).map(Some);
                }
                if let (Some(order), Some(source)) = (&order, self.source(forced)) {
                    self.guard_order(source, order);
                }
                order
            }
            Made::By(history) => self.host.set_order(&history),
            Made::Again(_) | Made::Otherwise => None,
        };
        let unknown = || Reason::new(Kind::Iteration, "A set, whose order is not known.");
        let mut found = Vec::new();
        for constant in order.ok_or_else(unknown)? {
            let item = self.of_constant(constant);
            let key = self.key(item)?;
            found.push(*items.get(&key).ok_or_else(unknown)?);
        }
        Ok(Some(found))
    }

    /// The items of any iterable, of which the least or greatest are wanted: those of a set need no order if they have
    /// one of their own.
    pub(in crate::trace) fn items_to_sort(&mut self, value: ValueId) -> Traced<Vec<ValueId>> {
        let Some(items) = of_set(self, value)? else { return self.all_items(value) };
        let items: Vec<ValueId> = items.into_values().collect();
        let ordered = |t: &mut Self, item: ValueId| -> Traced<Option<bool>> {
            Ok(match t.get(item)? {
                Value::Const(Constant::Int(_)) => Some(true),
                Value::Const(Constant::Str(_)) => Some(false),
                _ => None,
            })
        };
        let mut kinds = Vec::new();
        for &item in &items {
            kinds.push(ordered(self, item)?);
        }
        let one_kind = kinds.iter().all(|kind| kind.is_some() && *kind == kinds[0]);
        if one_kind { Ok(items) } else { self.all_items(value) }
    }

    /// A constant as a key.
    pub(in crate::trace) fn of_constant_key(&mut self, constant: Constant) -> Option<Key> {
        let value = self.of_constant(constant);
        self.key(value).ok()
    }

    /// The items of an unchanged set of the caller's that holds objects, in its order: the objects were found at their
    /// places, where guards ask for them again.
    fn order_of_found(&mut self, source: SourceId, items: &Items) -> Traced<Vec<ValueId>> {
        for (place, &item) in (0..).zip(items.values()) {
            if let Some(constant) = self.as_constant(item)? {
                let item = self.sources.constant(constant);
                let place = self.sources.step(source, Step::SetItem(place));
                self.guard(place, GuardKind::EqualsMatch(item));
            }
        }
        Ok(items.values().copied().collect())
    }

    /// Has the order of a set of the caller's be the same again.
    fn guard_order(&mut self, source: SourceId, order: &[Constant]) {
        for (place, item) in (0..).zip(order) {
            let item = self.sources.constant(item.clone());
            let place = self.sources.step(source, Step::SetItem(place));
            self.guard(place, GuardKind::EqualsMatch(item));
        }
    }

    /// An iterator over a set or frozen set; `None` for any other value.
    pub(in crate::trace) fn iterate_set(&mut self, value: ValueId) -> Traced<Option<Iter>> {
        let Some(items) = self.items_in_order(value)? else { return Ok(None) };
        Ok(Some(match self.get(value)? {
            Value::State(state) => Iter::Set(state, items, 0),
            _ => Iter::Call(IterCall { function: "builtins.iter", args: vec![value], items, at: 0 }),
        }))
    }

    /// Whether a set shows what it did when an iteration began.
    pub(in crate::trace) fn check_unchanged(&mut self, set: StateId, shown: &[ValueId]) -> Traced<()> {
        let State::Set(items, _) = self.heap.get(set) else { return Ok(()) };
        if items.len() != shown.len() {
            return Err(raised("RuntimeError: Set changed size during iteration"));
        }
        if !shown.iter().all(|shown| items.values().any(|item| item == shown)) {
            return Err(Reason::new(Kind::Iteration, "Over a set that changes meanwhile."));
        }
        Ok(())
    }

    /// A comparison of two sets or frozen sets; `None` if one of them is none.
    pub(in crate::trace) fn compare_sets(
        &mut self,
        comparison: Comparison,
        a: ValueId,
        b: ValueId,
    ) -> Traced<Option<bool>> {
        let (Some(a), Some(b)) = (self.set_or_keys(a)?, self.set_or_keys(b)?) else { return Ok(None) };
        let within = |a: &Items, b: &Items| a.keys().all(|key| b.contains_key(key));
        Ok(Some(match comparison {
            Comparison::Eq => a.len() == b.len() && within(&a, &b),
            Comparison::Ne => a.len() != b.len() || !within(&a, &b),
            Comparison::Le => within(&a, &b),
            Comparison::Lt => a.len() < b.len() && within(&a, &b),
            Comparison::Ge => within(&b, &a),
            Comparison::Gt => b.len() < a.len() && within(&b, &a),
        }))
    }

    /// An operator on two sets or frozen sets, by its name in `operator`; `None` if one of them is none.
    pub(in crate::trace) fn binary_sets(
        &mut self,
        name: &str,
        changes: bool,
        a: ValueId,
        b: ValueId,
    ) -> Traced<Option<ValueId>> {
        if !matches!(name, "or_" | "and_" | "sub" | "xor") {
            return Ok(None);
        }
        if let Some(combined) = self.binary_keys(name, a, b)? {
            return Ok(Some(combined));
        }
        let (Some(x), Some(_)) = (of_set(self, a)?, of_set(self, b)?) else { return Ok(None) };
        let (y, again) = operand(self, b)?;
        let Some(combined) = combine(name, &x, &y) else { return Ok(None) };
        let method = match (name, changes) {
            ("or_", true) => "update",
            ("or_", false) => "union",
            ("and_", true) => "intersection_update",
            ("and_", false) => "intersection",
            ("sub", true) => "difference_update",
            ("sub", false) => "difference",
            (_, true) => "symmetric_difference_update",
            (_, false) => "symmetric_difference",
        };
        match self.get(a)? {
            Value::State(state) => {
                let this = self.force(a)?;
                let made = self.made(this).then(method, again.map(|again| vec![again]));
                let new = State::Set(combined, made);
                if changes {
                    *self.heap.change(state) = new;
                    Ok(Some(this))
                } else {
                    Ok(Some(self.state(new)))
                }
            }
            _ => {
                let known = self.frozen_constant(a)?.zip(again.and_then(|again| again.known));
                let made = known.and_then(|(set, other)| self.host.combined_frozenset(set, method, &other));
                if let Some(made) = made {
                    return Ok(Some(self.value(Value::Lazy(made))));
                }
                let items =
                    combined.values().map(|&item| self.as_constant(item)).collect::<Traced<Option<Vec<_>>>>()?;
                Ok(items.map(|items| self.constant(Constant::frozenset(items))))
            }
        }
    }
}
