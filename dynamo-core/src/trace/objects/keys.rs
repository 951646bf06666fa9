//! Objects as keys of dicts and items of sets, and `hash`.
//!
//! An object whose class has the hash of `object` is a key by its identity, whatever its class's `__eq__` does: no two
//! objects have one such hash. Of those that a `__hash__` of the program's hashes, the first one of several equal
//! ones is the key of all.
//!
//! Invariants:
//! - `__eq__` is asked of keys of one hash only, and only where it changes nothing.
//! - An object that was hashed by a method of the program's is not written to afterwards: containers keep the hash
//!   that it had.

use super::{Body, Instance, Tracer};
use crate::{
    bytecode::{Comparison, Version},
    host::{ClassAttr, EnumMember, FoldError, Obj, View},
    reason::{Kind, Reason},
    trace::{
        Traced,
        core::{
            object_table::Hashed,
            state::{Key, Sort, State, Table},
            value::{Value, ValueId},
        },
        signature::{Row, row},
    },
};
use guards::{Constant, GuardKind};
use rustc_hash::FxHashSet;

pub(in crate::trace) const ROWS: &[Row] = &[row("builtins.hash(obj, /)", |t, b| {
    let value = b.arg(0)?;
    match t.hash_of(value)? {
        Some(hash) => Ok(t.constant(Constant::Int(hash))),
        None => Err(Reason::new(Kind::Call, format!("`hash` of {}, which is its address.", t.describe(value)))),
    }
})];

impl Tracer<'_> {
    /// `hash` of a value; `None` if it comes from an address.
    ///
    /// # Errors
    /// A `TypeError` for what has no hash.
    fn hash_of(&mut self, value: ValueId) -> Traced<Option<i64>> {
        let value = self.specialised(value)?;
        let value = self.force(value)?;
        match self.objects.values[value].clone() {
            Value::Const(constant) => Ok(self.hash_of_constant(&constant)),
            Value::Tuple(items) | Value::Size(items) => {
                let hashes = items.into_iter().map(|item| self.hash_of(item)).collect::<Traced<Option<Vec<_>>>>()?;
                Ok(hashes.map(|hashes| hash_of_tuple(&hashes)))
            }
            Value::Object(..) | Value::Instance(_) => {
                let Some(instance) = self.instance(value)? else { return Ok(None) };
                if let Some(value) = self.value_as_key(value)? {
                    return self.hash_of(value);
                }
                match (self.own_hash(instance)?, instance.body) {
                    (None, Body::Found(obj)) => Ok(self.hash_of_address(value, obj)),
                    (hash, _) => Ok(hash),
                }
            }
            Value::State(_) => Err(self.no_hash(value)),
            Value::Class(_, class) if self.has_hash_of_object(class) => Ok(self.hash_of_address(value, class)),
            Value::Function(function) => Ok(function.object.and_then(|found| self.hash_of_address(value, found))),
            _ => Ok(None),
        }
    }

    /// True for a class that is hashed as `object` is.
    fn has_hash_of_object(&mut self, class: Obj) -> bool {
        let meta = self.host.class_of(class);
        let found = self.host.class_attr(meta, "__hash__", None).map(|(_, found)| found);
        let is_plain = matches!(found, Some(ClassAttr::Builtin(method, _)) if method == "builtins.object.__hash__");
        is_plain && self.host.is_immutable(meta)
    }

    /// `hash` of an object of the caller's by its address (`_Py_HashPointer`), under a guard that it is the same one.
    fn hash_of_address(&mut self, value: ValueId, obj: Obj) -> Option<i64> {
        let source = self.source(value)?;
        let kind = GuardKind::IdMatch(self.object(obj));
        self.guard(source, kind);
        let address = self.host.address(obj);
        Some(address.rotate_right(4).cast_signed())
    }

    /// `hash` of a constant.
    fn hash_of_constant(&mut self, constant: &Constant) -> Option<i64> {
        match self.host.fold("builtins.hash", std::slice::from_ref(constant)) {
            Ok(Constant::Int(hash)) => Some(hash),
            Ok(_) | Err(FoldError::Raised(_) | FoldError::NotConstant) => None,
        }
    }

    /// The hash that a method of the program's gives for an object; `None` where its class has that of `object`.
    fn own_hash(&mut self, instance: Instance) -> Traced<Option<i64>> {
        if let Some(hashed) = self.hashed(instance.this) {
            return Ok(Some(hashed.hash));
        }
        let refused = |t: &mut Self| Reason::new(Kind::Operator, format!("{} as a key.", t.describe(instance.this)));
        match self.class_attr(instance, "__hash__")? {
            Some((ClassAttr::Builtin(method, _), _)) if method == "builtins.object.__hash__" => Ok(None),
            Some((ClassAttr::Plain(found), source)) if self.host.view(found) == View::Constant(Constant::None) => {
                let none = self.member(found, source);
                self.force(none)?;
                Err(self.no_hash(instance.this))
            }
            Some((ClassAttr::Function(_), _)) => {
                let changes = self.heap.changes();
                let hash = self.call_special(instance.this, "__hash__", &[])?.ok_or_else(|| refused(self))?;
                let hash = self.specialised(hash)?;
                let hash = match self.get(hash)? {
                    Value::Const(Constant::Bool(hash)) => i64::from(hash),
                    // It says that a hash failed.
                    Value::Const(Constant::Int(-1)) => -2,
                    Value::Const(Constant::Int(hash)) => hash,
                    _ => return Err(refused(self)),
                };
                if self.heap.changes() == changes { Ok(Some(hash)) } else { Err(refused(self)) }
            }
            _ => Err(refused(self)),
        }
    }

    /// The `TypeError` of a value without a hash.
    pub(in crate::trace) fn no_hash(&mut self, value: ValueId) -> Reason {
        let class = match self.objects.values[value] {
            // Later versions tell what the hash was needed for.
            _ if self.host.version() >= Version::V314 => None,
            Value::State(state) => match self.heap.sort(state) {
                Sort::List => Some("list".to_owned()),
                Sort::Set => Some("set".to_owned()),
                Sort::Dict if self.heap.table(state) == Table::Plain => Some("dict".to_owned()),
                _ => None,
            },
            _ => self.class_name_of(value),
        };
        match class {
            Some(class) => Reason::raised(&format!("TypeError: unhashable type: '{class}'")).verbatim(),
            None => Reason::new(Kind::Operator, format!("{} as a key.", self.describe(value))),
        }
    }

    /// `__name__` of the class of an object.
    pub(super) fn class_name_of(&mut self, value: ValueId) -> Option<String> {
        let instance = self.instance(value).ok()??;
        let View::Class(name) = self.host.view(instance.class) else { return None };
        name.rsplit('.').next().map(str::to_owned)
    }

    /// An object as a key.
    pub(in crate::trace) fn key_of_object(&mut self, value: ValueId) -> Traced<Key> {
        let refused = |t: &mut Self| Reason::new(Kind::Operator, format!("{} as a key.", t.describe(value)));
        let Some(instance) = self.instance(value)? else { return Err(refused(self)) };
        if let Some(value) = self.value_as_key(value)? {
            return self.key(value);
        }
        if let Some(hashed) = self.hashed(instance.this) {
            return Ok(hashed.key.clone());
        }
        let is_member = matches!(instance.body, Body::Found(obj)
            if self.host.enum_member(obj) == Some(EnumMember::Itself));
        let hash = if is_member { None } else { self.own_hash(instance)? };
        match (instance.body, hash) {
            (Body::Made(state), None) => Ok(Key::Made(state)),
            (Body::Found(obj), None) => {
                // Objects of the caller's that are two have to be so again.
                let source = self.source(instance.this).ok_or_else(|| refused(self))?;
                self.keep_key(source);
                Ok(Key::Obj(obj))
            }
            // The change and the use as a key come in another order where they are replayed.
            (Body::Found(obj), Some(_)) if self.has_written(obj) => Err(refused(self)),
            (_, Some(hash)) => self.key_by_hash(instance, hash),
        }
    }

    /// The key of an object with a hash of its own: that of the first one that is its equal.
    fn key_by_hash(&mut self, instance: Instance, hash: i64) -> Traced<Key> {
        let this = instance.this;
        let earlier = self.objects.hashed.iter().filter(|earlier| earlier.hash == hash);
        let mut candidates: Vec<(ValueId, Key)> = earlier.map(|e| (e.value, e.key.clone())).collect();
        candidates.extend(self.plain_keys_of_hash(hash));
        let own = match instance.body {
            Body::Made(state) => Key::Made(state),
            Body::Found(obj) => Key::Obj(obj),
        };
        let key = self.equal_key(this, candidates)?.unwrap_or(own);
        self.objects.hashed.push(Hashed { value: this, hash, key: key.clone() });
        Ok(key)
    }

    /// The keys in containers that are neither objects nor classes and have this hash.
    fn plain_keys_of_hash(&mut self, hash: i64) -> Vec<(ValueId, Key)> {
        let mut plain = Vec::new();
        for (_, state) in self.heap.states() {
            match state {
                State::Dict(entries) => plain.extend(entries.iter().map(|(key, &(value, _))| (value, key.clone()))),
                State::Set(items, _) => plain.extend(items.iter().map(|(key, &value)| (value, key.clone()))),
                _ => {}
            }
        }
        plain.retain(|(_, key)| matches!(key, Key::Const(_) | Key::Tuple(_)) && self.hash_of_key(key) == Some(hash));
        plain
    }

    /// The hash of a key; `None` if it comes from an address.
    fn hash_of_key(&mut self, key: &Key) -> Option<i64> {
        match key {
            Key::Const(constant) => self.hash_of_constant(constant),
            Key::Tuple(items) => {
                let hashes: Option<Vec<i64>> = items.iter().map(|item| self.hash_of_key(item)).collect();
                hashes.map(|hashes| hash_of_tuple(&hashes))
            }
            Key::Obj(_) | Key::Made(_) => {
                self.objects.hashed.iter().find(|hashed| hashed.key == *key).map(|hashed| hashed.hash)
            }
            Key::Tensor(_) | Key::Builtin(_) => None,
        }
    }

    /// The key of an object with a hash of its own that is the equal of a constant or tuple; `key` if there is none.
    pub(in crate::trace) fn key_among_hashed(&mut self, value: ValueId, key: Key) -> Traced<Key> {
        if self.objects.hashed.is_empty() {
            return Ok(key);
        }
        let Some(hash) = self.hash_of_key(&key) else { return Ok(key) };
        let same = self.objects.hashed.iter().filter(|hashed| hashed.hash == hash);
        let candidates: Vec<_> = same.map(|hashed| (hashed.value, hashed.key.clone())).collect();
        Ok(self.equal_key(value, candidates)?.unwrap_or(key))
    }

    /// The first of these keys whose object is equal to a value.
    fn equal_key(&mut self, value: ValueId, candidates: Vec<(ValueId, Key)>) -> Traced<Option<Key>> {
        let changes = self.heap.changes();
        for (candidate, key) in candidates {
            let equal = self.compare(Comparison::Eq, candidate, value).and_then(|equal| self.truth(equal));
            // The program may never compare these two: it holds them in different containers.
            let is_equal = equal.map_err(|reason| self.uncaught(reason))?;
            if self.heap.changes() != changes {
                return Err(Reason::new(Kind::Operator, "`__eq__` of a key changes something."));
            }
            if is_equal {
                return Ok(Some(key));
            }
        }
        Ok(None)
    }

    /// Checks that a container of the caller's holds its keys under the hashes that they have now: one that has
    /// changed since is found no more.
    pub(in crate::trace) fn check_stored_hashes(&mut self, container: Obj, keys: &[(Obj, ValueId, Key)]) -> Traced<()> {
        if self.objects.hashed.is_empty() {
            return Ok(());
        }
        let refused = || Reason::new(Kind::Attribute, "A container of the caller's whose keys may have changed.");
        let mut hashes = Vec::with_capacity(keys.len());
        let mut seen = FxHashSet::default();
        for (obj, value, key) in keys {
            let value = self.force(*value)?;
            let hash = match (self.hashed(value), key) {
                (Some(hashed), _) => Some(hashed.hash),
                (None, Key::Tuple(_)) => Some(self.hash_of_key(key).ok_or_else(refused)?),
                (None, _) => None,
            };
            if hash.is_some_and(|hash| !seen.insert(hash)) {
                return Err(refused());
            }
            hashes.push((*obj, hash));
        }
        if self.host.holds_under(container, &hashes) { Ok(()) } else { Err(refused()) }
    }

    /// The record of an object that was hashed by a method of the program's.
    fn hashed(&self, value: ValueId) -> Option<&Hashed> {
        self.objects.hashed.iter().find(|hashed| hashed.value == value)
    }

    /// Refuses a change of an object that was hashed by a method of the program's.
    pub(super) fn check_not_hashed(&mut self, instance: Instance) -> Traced<()> {
        if self.hashed(instance.this).is_some() { Err(self.no_change(instance.this)) } else { Ok(()) }
    }
}

/// `hash` of a tuple of items with these hashes: CPython's simplified xxHash, on 64 bits.
fn hash_of_tuple(items: &[i64]) -> i64 {
    const PRIMES: [u64; 3] = [11_400_714_785_074_694_791, 14_029_467_366_897_019_727, 2_870_177_450_012_600_261];
    let round = |hash: u64, &item: &i64| {
        let hash = hash.wrapping_add((item as u64).wrapping_mul(PRIMES[1]));
        hash.rotate_left(31).wrapping_mul(PRIMES[0])
    };
    let hash = items.iter().fold(PRIMES[2], round);
    match hash.wrapping_add(items.len() as u64 ^ PRIMES[2] ^ 3_527_539) {
        u64::MAX => 1_546_275_796,
        hash => hash as i64,
    }
}
