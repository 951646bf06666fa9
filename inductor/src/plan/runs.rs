//! Equal layers of a saved plan, written once: rows that come again and again, with numbers that go on by equal steps
//! from each time to the next (buffers, inputs, nodes).
//!
//! In the list of rows stands `{"repeat":{"times":95,"rows":[…],"by":[[22,22,0],…]}}`: for each row, by how much each
//! of its integers goes on, in the order of the text. Of what a row is, this module knows nothing.
//!
//! Invariant: what is read again is what was written; a damaged text is an error.

use rustc_hash::FxHashMap;
use serde::de::{DeserializeOwned, Error as _};
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

/// The least number of times for which rows are written once.
const LEAST_TIMES: usize = 3;
/// The most rows that are looked at as one layer.
const LONGEST: usize = 1024;
/// The most rows that are read.
const MOST_ROWS: usize = 1 << 24;

/// A list of rows that is written as runs.
pub(super) struct Runs<T>(pub(super) Vec<T>);

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Item {
    Repeat { repeat: Repeat },
    Row(Value),
}

#[derive(Serialize, Deserialize)]
struct Repeat {
    times: usize,
    rows: Vec<Value>,
    by: Vec<Vec<i64>>,
}

impl<T: Serialize> Serialize for Runs<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let rows: Result<Vec<Value>, _> = self.0.iter().map(serde_json::to_value).collect();
        folded(&rows.map_err(S::Error::custom)?).serialize(serializer)
    }
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for Runs<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Runs<T>, D::Error> {
        let rows = unfolded(Vec::deserialize(deserializer)?).map_err(D::Error::custom)?;
        let rows = rows.into_iter().map(serde_json::from_value).collect::<Result<_, _>>();
        rows.map(Runs).map_err(D::Error::custom)
    }
}

/// Calls `f` on each integer of a row, in the order of its text.
fn for_each_int(row: &mut Value, f: &mut impl FnMut(&mut Value, i64)) {
    match row {
        Value::Number(number) => {
            if let Some(int) = number.as_i64() {
                f(row, int);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| for_each_int(item, f)),
        Value::Object(items) => items.values_mut().for_each(|item| for_each_int(item, f)),
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}

/// A row's integers, and the number of what it is without them.
struct Parts {
    form: usize,
    ints: Vec<i64>,
}

/// The integers of a row less those of another one of its form.
fn steps(row: &Parts, before: &Parts) -> Option<Vec<i64>> {
    let pairs = row.ints.iter().zip(&before.ints);
    if row.form == before.form { pairs.map(|(&now, &then)| now.checked_sub(then)).collect() } else { None }
}

/// The number of times for which the `len` rows from `at` on come one after the other, and their steps.
fn repeats(parts: &[Parts], at: usize, len: usize) -> Option<(usize, Vec<Vec<i64>>)> {
    let of = |time: usize| {
        let from = at + time * len;
        let rows = parts.get(from..from + len)?;
        rows.iter().zip(&parts[from - len..from]).map(|(row, before)| steps(row, before)).collect::<Option<Vec<_>>>()
    };
    let by = of(1)?;
    let again = (2..).take_while(|&time| of(time).as_ref() == Some(&by)).count();
    Some((2 + again, by))
}

/// Rows with those that come again written once.
fn folded(rows: &[Value]) -> Vec<Item> {
    let mut forms: FxHashMap<String, usize> = FxHashMap::default();
    let parts: Vec<Parts> = rows
        .iter()
        .map(|row| {
            let (mut form, mut ints) = (row.clone(), Vec::new());
            for_each_int(&mut form, &mut |place, int| {
                ints.push(int);
                *place = Value::from(0);
            });
            let next = forms.len();
            Parts { form: *forms.entry(form.to_string()).or_insert(next), ints }
        })
        .collect();
    let mut items = Vec::new();
    let mut at = 0;
    while at < rows.len() {
        let longest = LONGEST.min((rows.len() - at) / LEAST_TIMES);
        let is_alike = |len: &usize| (1..LEAST_TIMES).all(|time| parts[at + time * len].form == parts[at].form);
        let runs = (1..=longest).filter(is_alike).filter_map(|len| {
            let (times, by) = repeats(&parts, at, len).filter(|&(times, _)| times >= LEAST_TIMES)?;
            Some((len, times, by))
        });
        // Of those that say the same, the shortest.
        let longest = runs.max_by_key(|&(len, times, _)| (len * (times - 1), std::cmp::Reverse(len)));
        match longest {
            Some((len, times, by)) => {
                let repeat = Repeat { times, rows: rows[at..at + len].to_vec(), by };
                items.push(Item::Repeat { repeat });
                at += len * times;
            }
            None => {
                items.push(Item::Row(rows[at].clone()));
                at += 1;
            }
        }
    }
    items
}

/// The rows that were folded.
///
/// # Errors
/// Steps that do not fit the rows, or lead out of the integers; more rows than any plan has.
fn unfolded(items: Vec<Item>) -> Result<Vec<Value>, &'static str> {
    let mut rows = Vec::new();
    for item in items {
        let Repeat { times, rows: layer, by } = match item {
            Item::Row(row) => {
                rows.push(row);
                continue;
            }
            Item::Repeat { repeat } => repeat,
        };
        let count = layer.len().checked_mul(times).and_then(|count| count.checked_add(rows.len()));
        if count.is_none_or(|count| count > MOST_ROWS) || by.len() != layer.len() {
            return Err("rows that come again too often, or otherwise than they are");
        }
        for time in 0..times as i64 {
            for (row, by) in layer.iter().zip(&by) {
                let (mut row, mut by) = (row.clone(), by.iter());
                let mut is_told = true;
                for_each_int(&mut row, &mut |place, int| {
                    let on = by.next().and_then(|step| step.checked_mul(time)?.checked_add(int));
                    is_told &= on.is_some();
                    *place = Value::from(on.unwrap_or(int));
                });
                if !is_told || by.next().is_some() {
                    return Err("steps that are not those of the row's integers");
                }
                rows.push(row);
            }
        }
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;
    use proptest::prelude::*;
    use serde_json::json;

    fn written(rows: &[Value]) -> String {
        serde_json::to_string(&Runs(rows.to_vec())).expect("values are written")
    }

    fn layers(count: i64) -> Vec<Value> {
        let layer = |n: i64| [json!({"launch": 3, "args": [n, 10 * n + 7], "p": 0.5}), json!(["free", 5 - n])];
        [json!("first")].into_iter().chain((0..count).flat_map(layer)).chain([json!(["free", 9])]).collect()
    }

    #[test]
    fn layers_are_written_once() {
        expect![[r#"["first",{"repeat":{"times":96,"rows":[{"args":[0,7],"launch":3,"p":0.5},["free",5]],"by":[[1,10,0],[-1]]}},["free",9]]"#]]
        .assert_eq(&written(&layers(96)));
        assert_eq!(written(&layers(96)).len(), written(&layers(12)).len());
    }

    #[test]
    fn what_is_damaged_is_refused() {
        let read = |text: &str| serde_json::from_str::<Runs<Value>>(text).map(|runs| runs.0);
        assert_eq!(
            read(r#"[{"repeat":{"times":2,"rows":[[1]],"by":[[3]]}}]"#).expect("it is whole"),
            [json!([1]), json!([4])]
        );
        for text in [
            r#"[{"repeat":{"times":2,"rows":[[1]],"by":[[]]}}]"#,
            r#"[{"repeat":{"times":2,"rows":[[1]],"by":[[1,2]]}}]"#,
            r#"[{"repeat":{"times":2,"rows":[[1]],"by":[]}}]"#,
            r#"[{"repeat":{"times":3,"rows":[[1]],"by":[[9223372036854775807]]}}]"#,
            r#"[{"repeat":{"times":18446744073709551615,"rows":[[1]],"by":[[1]]}}]"#,
        ] {
            assert!(read(text).is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn rows_are_read_as_they_were(
            rows in prop::collection::vec((0i64..3, 0i64..4, any::<bool>()), 0..60),
            count in 0i64..6,
        ) {
            let mut all: Vec<Value> = rows.iter().map(|&(a, b, c)| if c { json!([a, b]) } else { json!({"a": a}) }).collect();
            all.extend(layers(count));
            let read: Runs<Value> = serde_json::from_str(&written(&all)).expect("what was written is read");
            prop_assert_eq!(read.0, all);
        }
    }
}
