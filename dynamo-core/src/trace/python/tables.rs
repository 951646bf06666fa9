//! `collections.OrderedDict`, `defaultdict` and `Counter`: dicts, and what they do beyond that.
//!
//! Invariant: what is not spelled out here they do as dicts do.

use crate::{
    bytecode::operands::BinaryOperator,
    host::ClassAttr,
    reason::{Kind, Reason, raised},
    trace::{
        Traced, Tracer,
        core::{
            state::{Entries, Sort, State, StateId, Table},
            value::{Keywords, Value, ValueId},
        },
        python::{
            builtins, classes,
            dict_methods::{mapping_entries, ordered_pairs, pairs, store, this},
        },
        signature::{Bound, Row, row},
    },
};
use guards::Constant;

pub(in crate::trace) const ROWS: &[Row] = &[
    row("collections.OrderedDict(iterable=..., /, **kwargs)", |t, b| {
        let entries = b.opt(0).map_or(Ok(Vec::new()), |from| ordered_pairs(t, from))?;
        let made = builtins::dict(t, entries, b)?;
        t.as_table(made, Table::Ordered)
    }),
    row("collections.OrderedDict.fromkeys(iterable, value=None)", |t, b| {
        let made = builtins::from_keys(t, b)?;
        t.as_table(made, Table::Ordered)
    }),
    row("collections.defaultdict(default_factory=None, iterable=..., /, **kwargs)", |t, b| {
        let factory = b.opt(0).unwrap_or_else(|| t.none());
        let none = matches!(t.get(factory)?, Value::Const(Constant::None));
        if !none && !classes::is_callable(t, factory)? {
            return Err(raised("TypeError: first argument must be callable or None"));
        }
        let entries = b.opt(1).map_or(Ok(Vec::new()), |from| pairs(t, from))?;
        let made = builtins::dict(t, entries, b)?;
        t.as_table(made, Table::Default(factory))
    }),
    row("collections.defaultdict.fromkeys(iterable, value=None, /)", |t, b| {
        let (made, none) = (builtins::from_keys(t, b)?, t.none());
        t.as_table(made, Table::Default(none))
    }),
    row("collections.Counter(iterable=None, /, **kwds)", |t, b| {
        let mut counts = Entries::new();
        t.count(&mut counts, b.opt(0), b.extra(), BinaryOperator::Add)?;
        let made = t.state(State::Dict(counts));
        t.as_table(made, Table::Counter)
    }),
    row("collections.OrderedDict.move_to_end(self, /, key, last=True)", move_to_end),
    row("collections.OrderedDict.popitem(self, /, last=True)", |t, b| {
        let (state, mut items) = this(t, b)?;
        let last = b.opt(1).map_or(Ok(true), |last| t.truth(last))?;
        let popped = if last { items.pop() } else { items.shift_remove_index(0) };
        let (_, (key, value)) = popped.ok_or_else(|| raised("KeyError: dictionary is empty").verbatim())?;
        store(t, state, items)?;
        Ok(t.value(Value::Tuple(vec![key, value])))
    }),
    row("collections.Counter.update(self, iterable=None, /, **kwds)", |t, b| change_counts(t, b, BinaryOperator::Add)),
    row("collections.Counter.subtract(self, iterable=None, /, **kwds)", |t, b| {
        change_counts(t, b, BinaryOperator::Subtract)
    }),
    row("collections.Counter.total(self)", |t, b| {
        let (_, counts) = this(t, b)?;
        let zero = t.constant(Constant::Int(0));
        counts.values().try_fold(zero, |total, &(_, count)| t.binary_op(BinaryOperator::Add, total, count))
    }),
    row("collections.Counter.most_common(self, n=None)", most_common),
];

/// True for a `collections.Counter`.
fn is_counter(t: &mut Tracer<'_>, value: ValueId) -> Traced<bool> {
    Ok(matches!(t.get(value)?, Value::State(state) if t.heap.table(state) == Table::Counter))
}

/// A method that `collections.Counter` has in Python, which its dict part has not; `None` for another name or value.
pub(in crate::trace) fn method_of_counters(t: &mut Tracer<'_>, value: ValueId, name: &str) -> Traced<Option<ValueId>> {
    if !is_counter(t, value)? {
        return Ok(None);
    }
    let Some(class) = t.host.class_named("collections.Counter") else { return Ok(None) };
    let Some((0, ClassAttr::Function(function))) = t.host.class_attr(class, name, None) else { return Ok(None) };
    let module = t.sources.module("collections");
    let class = t.sources.attr(module, "Counter");
    let method = t.sources.attr(class, name);
    Ok(Some(t.lazy(function, method)))
}

/// An operator by its name in `operator`, `i` before it in place, with counts on both sides or on its only one; `None`
/// for other operands.
pub(in crate::trace) fn operator_of_counters(
    t: &mut Tracer<'_>,
    in_place: &str,
    name: &str,
    operands: &[ValueId],
) -> Traced<Option<ValueId>> {
    for &operand in operands {
        if !is_counter(t, operand)? {
            return Ok(None);
        }
    }
    let method = format!("__{in_place}{}__", name.trim_end_matches('_'));
    let method = method_of_counters(t, operands[0], &method)?;
    method.map(|method| t.call(method, operands.to_vec(), vec![])).transpose()
}

fn move_to_end(t: &mut Tracer<'_>, b: &Bound<'_>) -> Traced {
    let (state, mut items) = this(t, b)?;
    let (key, last) = (b.arg(1)?, b.opt(2).map_or(Ok(true), |last| t.truth(last))?);
    if t.heap.is_iterated(|value| matches!(t.objects.values[value], Value::State(dict) if dict == state)) {
        return Err(Reason::new(Kind::Iteration, "Over an `OrderedDict` that changes meanwhile."));
    }
    let found = items.get_index_of(&t.key(key)?);
    let Some(from) = found else { return Err(t.missing_key(key)?) };
    items.move_index(from, if last { items.len() - 1 } else { 0 });
    store(t, state, items)
}

fn change_counts(t: &mut Tracer<'_>, b: &Bound<'_>, operator: BinaryOperator) -> Traced {
    let (state, mut counts) = this(t, b)?;
    match b.opt(1) {
        Some(from) => t.taken_in(state, from, |t| t.count(&mut counts, Some(from), b.extra(), operator))?,
        None => t.count(&mut counts, None, b.extra(), operator)?,
    }
    store(t, state, counts)
}

/// The items and their counts, those with the greatest ones first.
fn most_common(t: &mut Tracer<'_>, b: &Bound<'_>) -> Traced {
    let (_, counts) = this(t, b)?;
    let most = t.unless_none(b.opt(1))?.map(|most| t.concrete(most)).transpose()?;
    let items = counts.into_values().map(|(key, count)| t.value(Value::Tuple(vec![key, count]))).collect();
    let (place, reverse) = (t.constant(Constant::Int(1)), t.constant(Constant::Bool(true)));
    let by = t.value(Value::Getter("operator.itemgetter", vec![place], Vec::new()));
    let mut items = t.sorted(items, Some(by), Some(reverse))?;
    if let Some(most) = most {
        items.truncate(usize::try_from(most).unwrap_or(0));
    }
    Ok(t.state(State::List(items)))
}

impl Tracer<'_> {
    fn as_table(&mut self, dict: ValueId, table: Table) -> Traced {
        if let Value::State(state) = self.objects.values[dict] {
            self.heap.set_table(state, table);
        }
        Ok(dict)
    }

    /// The value that a dict gives for a key that is not there, if any.
    pub(in crate::trace) fn missing(&mut self, dict: ValueId, state: StateId, key: ValueId) -> Traced<Option<ValueId>> {
        match self.heap.table(state) {
            Table::Counter => Ok(Some(self.constant(Constant::Int(0)))),
            Table::Default(factory) if !matches!(self.get(factory)?, Value::Const(Constant::None)) => {
                let value = self.call(factory, vec![], vec![])?;
                self.set_item(dict, key, value)?;
                Ok(Some(value))
            }
            _ => Ok(None),
        }
    }

    /// The default factory of a dict, or the maximum length of a deque, by the name of the attribute.
    pub(in crate::trace) fn attr_of_container(&mut self, state: StateId, name: &str) -> Option<ValueId> {
        match (name, self.heap.sort(state)) {
            ("default_factory", Sort::Dict) => match self.heap.table(state) {
                Table::Default(factory) => Some(factory),
                _ => None,
            },
            ("maxlen", Sort::Deque) => {
                let State::Deque(deque) = self.heap.get(state) else { return None };
                let most = deque.most.map_or(Constant::None, |most| Constant::Int(most as i64));
                Some(self.constant(most))
            }
            _ => None,
        }
    }

    /// Adds to counts, or takes from them, by an operator: items one by one, or counts of another
    /// mapping.
    fn count(
        &mut self,
        counts: &mut Entries,
        from: Option<ValueId>,
        keywords: &Keywords,
        operator: BinaryOperator,
    ) -> Traced<()> {
        let mut more = Vec::new();
        match self.unless_none(from)? {
            Some(from) if self.is_mapping(from)? => {
                if counts.is_empty() && operator == BinaryOperator::Add {
                    for (key, count) in pairs(self, from)? {
                        counts.insert(self.key(key)?, (key, count));
                    }
                } else {
                    more = pairs(self, from)?;
                }
            }
            // Whether it is a `collections.abc.Mapping`, its class decides.
            Some(from) if mapping_entries(self, from)?.is_some() => {
                return Err(Reason::new(Kind::Call, format!("Counts of {}.", self.describe(from))));
            }
            Some(from) => {
                let one = self.constant(Constant::Int(1));
                more = self.all_items(from)?.into_iter().map(|item| (item, one)).collect();
            }
            None => {}
        }
        for (name, count) in keywords {
            more.push((self.constant(Constant::Str(name.clone())), *count));
        }
        for (item, count) in more {
            let (item, key) = (self.force(item)?, self.key(item)?);
            let (item, before) = match counts.get(&key) {
                Some(&known) => known,
                None => (item, self.constant(Constant::Int(0))),
            };
            // What is added comes first, and what it is taken from.
            let now = if operator == BinaryOperator::Add {
                self.binary_op(BinaryOperator::Add, count, before)?
            } else {
                self.binary_op(operator, before, count)?
            };
            counts.insert(key, (item, now));
        }
        Ok(())
    }

    fn is_mapping(&mut self, value: ValueId) -> Traced<bool> {
        Ok(match self.get(value)? {
            Value::State(state) => self.heap.sort(state) == Sort::Dict,
            _ => false,
        })
    }
}
