//! Values that are stored once and known by a typed index.
//!
//! Invariants:
//! - Equal values have equal indices; an index never changes.
//! - Only the values are stored on disk; what is read back with a value twice is refused.

use cranelift_entity::{EntityRef, PrimaryMap, entity_impl};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};
use std::{hash::Hash, ops::Index, sync::Arc};

/// A string in a [`Strings`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct StrId(u32);
entity_impl!(StrId, "str");

/// The names that sources and guards mention: attributes, keys, variables.
pub type Strings = Interner<StrId, Arc<str>>;

/// A name, by its number and its text: who has prepared an object of his own for each number needs no text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Name<'a> {
    /// The number in the tree's [`Strings`].
    pub id: StrId,
    /// The text.
    pub text: &'a str,
}

/// Interned values, by index.
#[derive(Clone, Debug)]
pub struct Interner<K: EntityRef, V: Eq + Hash> {
    values: PrimaryMap<K, V>,
    ids: FxHashMap<V, K>,
}

impl<K: EntityRef, V: Eq + Hash + Clone> Interner<K, V> {
    /// The index of a value; a new one if the value is new.
    pub fn intern(&mut self, value: V) -> K {
        if let Some(&id) = self.ids.get(&value) {
            return id;
        }
        let id = self.values.push(value.clone());
        self.ids.insert(value, id);
        id
    }

    /// The value with an index, if there is one.
    pub fn get(&self, id: K) -> Option<&V> {
        self.values.get(id)
    }

    /// The values in the order of their indices.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (K, &V)> {
        self.values.iter()
    }

    /// The number of values.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }
}

impl Strings {
    /// The index of a string; a new one if the string is new.
    pub fn add(&mut self, text: &str) -> StrId {
        match self.ids.get(text) {
            Some(&id) => id,
            None => self.intern(Arc::from(text)),
        }
    }

    /// A string with its number.
    pub fn name(&self, id: StrId) -> Name<'_> {
        Name { id, text: &self.values[id] }
    }
}

impl<K: EntityRef, V: Eq + Hash> Default for Interner<K, V> {
    fn default() -> Interner<K, V> {
        Interner { values: PrimaryMap::new(), ids: FxHashMap::default() }
    }
}

impl<K: EntityRef, V: Eq + Hash> Index<K> for Interner<K, V> {
    type Output = V;

    fn index(&self, id: K) -> &V {
        &self.values[id]
    }
}

impl<K: EntityRef, V: Eq + Hash> PartialEq for Interner<K, V> {
    fn eq(&self, other: &Interner<K, V>) -> bool {
        self.values.values().eq(other.values.values())
    }
}

impl<K: EntityRef, V: Eq + Hash> Eq for Interner<K, V> {}

impl<K: EntityRef, V: Eq + Hash + Serialize> Serialize for Interner<K, V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.values.values())
    }
}

impl<'de, K: EntityRef, V: Eq + Hash + Clone + Deserialize<'de>> Deserialize<'de> for Interner<K, V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Interner<K, V>, D::Error> {
        let values = Vec::<V>::deserialize(deserializer)?;
        let mut interner: Interner<K, V> = Interner::default();
        for (at, value) in values.into_iter().enumerate() {
            if interner.intern(value).index() != at {
                return Err(D::Error::custom(format_args!("value {at} is there twice")));
            }
        }
        Ok(interner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_have_equal_indices() {
        let mut strings = Strings::default();
        let x = strings.add("x");
        let y = strings.add("y");
        assert_ne!(x, y);
        assert_eq!(strings.add("x"), x);
        assert_eq!(strings.name(y), Name { id: y, text: "y" });
    }

    #[test]
    fn what_is_stored_twice_is_refused() {
        let back: Strings = serde_json::from_str(r#"["x", "y"]"#).expect("two strings");
        assert_eq!(back.len(), 2);
        let error = serde_json::from_str::<Strings>(r#"["x", "x"]"#).expect_err("a duplicate");
        assert_eq!(error.to_string(), "value 1 is there twice");
    }
}
