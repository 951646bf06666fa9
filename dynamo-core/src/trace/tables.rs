//! `collections.OrderedDict`, `defaultdict` and `Counter`: dicts, and what they do beyond that.
//!
//! Invariant: what is not spelled out here they do as dicts do.

use super::{
    Traced, Tracer,
    builtin::{self, Rule},
    call::Keywords,
    containers::pairs,
    items::raised,
    ops,
    value::{Key, Sort, State, StateId, Table, Value, ValueId},
};
use crate::reason::{Kind, Reason};
use guards::Constant;
use indexmap::IndexMap;

type Entries = IndexMap<Key, (ValueId, ValueId)>;

/// The dotted names of the classes of which such a dict is an instance, its own first.
pub(super) fn classes(table: Table) -> &'static [&'static str] {
    match table {
        Table::Plain => &["builtins.dict"],
        Table::Ordered => &["collections.OrderedDict", "builtins.dict"],
        Table::Default(_) => &["collections.defaultdict", "builtins.dict"],
        Table::Counter => &["collections.Counter", "builtins.dict"],
    }
}

/// The dotted name of the class.
pub(super) fn class_name(table: Table) -> &'static str {
    classes(table)[0]
}

pub(super) const RULES: &[(&str, Rule)] = &[
    ("collections.OrderedDict", |t, args, keywords| {
        let made = builtin::dict(t, args, keywords)?;
        t.as_table(made, Table::Ordered)
    }),
    ("collections.OrderedDict.fromkeys", |t, args, keywords| {
        let rule = builtin::rule("builtins.dict.fromkeys").ok_or_else(|| raised("TypeError: fromkeys"))?;
        let made = rule(t, args, keywords)?;
        t.as_table(made, Table::Ordered)
    }),
    ("collections.defaultdict", |t, args, keywords| {
        let (factory, rest) = match args.split_first() {
            Some((&factory, rest)) => (factory, rest),
            None => (t.none(), args),
        };
        let callable = builtin::rule("builtins.callable").ok_or_else(|| raised("TypeError: defaultdict"))?;
        let none = matches!(t.get(factory)?, Value::Const(Constant::None));
        let fits = callable(t, &[factory], &Vec::new())?;
        if !none && !t.truth(fits)? {
            return Err(raised("TypeError: first argument must be callable or None"));
        }
        let made = builtin::dict(t, rest, keywords)?;
        t.as_table(made, Table::Default(factory))
    }),
    ("collections.Counter", |t, args, keywords| {
        let mut counts = Entries::new();
        t.count(&mut counts, args, keywords, ops::ADD)?;
        let made = t.state(State::Dict(counts));
        t.as_table(made, Table::Counter)
    }),
];

/// A method that is not that of a dict, or `None`.
pub(super) fn method(
    t: &mut Tracer<'_>,
    state: StateId,
    name: &str,
    args: &[ValueId],
    keywords: &Keywords,
) -> Traced<Option<ValueId>> {
    let table = t.heap.table(state);
    match (table, name) {
        (Table::Ordered, "move_to_end") => t.move_to_end(state, args, keywords).map(Some),
        (Table::Ordered, "popitem") => t.pop_item(state, args, keywords).map(Some),
        (Table::Counter, "update" | "subtract") => {
            let State::Dict(mut counts) = t.heap.get(state).clone() else { return Ok(None) };
            t.count(&mut counts, args, keywords, if name == "update" { ops::ADD } else { ops::SUB })?;
            *t.heap.change(state) = State::Dict(counts);
            Ok(Some(t.none()))
        }
        (Table::Counter, "total") if args.is_empty() && keywords.is_empty() => {
            let State::Dict(counts) = t.heap.get(state).clone() else { return Ok(None) };
            let zero = t.constant(Constant::Int(0));
            counts.values().try_fold(zero, |total, &(_, count)| t.binary_op(ops::ADD, total, count)).map(Some)
        }
        (Table::Counter, "most_common") => t.most_common(state, args, keywords).map(Some),
        (Table::Counter, "elements" | "fromkeys" | "total") => {
            Err(Reason::new(Kind::Call, format!("The method `{name}` of a `{}`.", class_name(table))))
        }
        _ => Ok(None),
    }
}

impl Tracer<'_> {
    fn as_table(&mut self, dict: ValueId, table: Table) -> Traced {
        if let Value::State(state) = self.values[dict] {
            self.heap.set_table(state, table);
        }
        Ok(dict)
    }

    /// What a dict gives for a key that is not there, if anything.
    pub(super) fn missing(&mut self, dict: ValueId, state: StateId, key: ValueId) -> Traced<Option<ValueId>> {
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

    /// What makes a dict's missing values, and how many items a deque has at most.
    pub(super) fn attr_of_container(&mut self, state: StateId, name: &str) -> Option<ValueId> {
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

    fn move_to_end(&mut self, state: StateId, args: &[ValueId], keywords: &Keywords) -> Traced {
        let (&key, rest) = args.split_first().ok_or_else(|| raised("TypeError: move_to_end"))?;
        let last = self.is_last(rest, keywords)?;
        if self.heap.is_iterated(|value| matches!(self.values[value], Value::State(dict) if dict == state)) {
            return Err(Reason::new(Kind::Iteration, "Over an `OrderedDict` that changes meanwhile."));
        }
        let (text, key) = (self.describe(key), self.key(key)?);
        let State::Dict(mut items) = self.heap.get(state).clone() else { return Ok(self.none()) };
        let from = items.get_index_of(&key).ok_or_else(|| raised(&format!("KeyError: {text}")))?;
        items.move_index(from, if last { items.len() - 1 } else { 0 });
        *self.heap.change(state) = State::Dict(items);
        Ok(self.none())
    }

    fn pop_item(&mut self, state: StateId, args: &[ValueId], keywords: &Keywords) -> Traced {
        let last = self.is_last(args, keywords)?;
        let State::Dict(mut items) = self.heap.get(state).clone() else { return Ok(self.none()) };
        let popped = if last { items.pop() } else { items.shift_remove_index(0) };
        let (_, (key, value)) = popped.ok_or_else(|| raised("KeyError: dictionary is empty"))?;
        *self.heap.change(state) = State::Dict(items);
        Ok(self.value(Value::Tuple(vec![key, value])))
    }

    /// The parameter `last` of these methods.
    fn is_last(&mut self, args: &[ValueId], keywords: &Keywords) -> Traced<bool> {
        match (args, &keywords[..]) {
            ([], []) => Ok(true),
            (&[last], []) => self.truth(last),
            ([], [(name, last)]) if name == "last" => self.truth(*last),
            _ => Err(raised("TypeError: last")),
        }
    }

    /// Adds to counts, or takes from them, by the number of `BINARY_OP`: items one by one, or counts of another
    /// mapping.
    fn count(&mut self, counts: &mut Entries, args: &[ValueId], keywords: &Keywords, number: u32) -> Traced<()> {
        let mut more = Vec::new();
        match args {
            [] => {}
            &[from] if self.is_mapping(from)? => {
                if counts.is_empty() && number == ops::ADD {
                    for (key, count) in pairs(self, from)? {
                        counts.insert(self.key(key)?, (key, count));
                    }
                } else {
                    more = pairs(self, from)?;
                }
            }
            &[from] if !matches!(self.get(from)?, Value::Const(Constant::None)) => {
                let one = self.constant(Constant::Int(1));
                more = self.all_items(from)?.into_iter().map(|item| (item, one)).collect();
            }
            [_] => {}
            _ => return Err(raised("TypeError: Counter")),
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
            let now = if number == ops::ADD {
                self.binary_op(ops::ADD, count, before)?
            } else {
                self.binary_op(number, before, count)?
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

    /// The items and their counts, those with the greatest ones first.
    fn most_common(&mut self, state: StateId, args: &[ValueId], keywords: &Keywords) -> Traced {
        let State::Dict(counts) = self.heap.get(state).clone() else { return Ok(self.none()) };
        let most = match (args, &keywords[..]) {
            ([], []) => None,
            (&[most], []) => Some(most),
            ([], [(name, most)]) if name == "n" => Some(*most),
            _ => return Err(raised("TypeError: most_common")),
        };
        let most = match most {
            Some(most) if !matches!(self.get(most)?, Value::Const(Constant::None)) => Some(self.concrete(most)?),
            _ => None,
        };
        let items: Vec<ValueId> =
            counts.into_values().map(|(key, count)| self.value(Value::Tuple(vec![key, count]))).collect();
        let (place, reverse) = (self.constant(Constant::Int(1)), self.constant(Constant::Bool(true)));
        let by = self.value(Value::Getter("operator.itemgetter", vec![place], Vec::new()));
        let mut items = self.sorted(items, &vec![("key".to_owned(), by), ("reverse".to_owned(), reverse)])?;
        if let Some(most) = most {
            items.truncate(usize::try_from(most).unwrap_or(0));
        }
        Ok(self.state(State::List(items)))
    }
}
