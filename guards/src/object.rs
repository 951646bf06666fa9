//! Objects with identity: types, functions, modules. They are the caller's; here they have a number and a printed name.

use cranelift_entity::{SecondaryMap, entity_impl};
use serde::{Deserialize, Serialize};

/// The caller's number for an object that guards compare with.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ObjectId(u32);
entity_impl!(ObjectId, "obj");

/// The printed form, the address and the type of an object.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct ObjectInfo {
    /// `repr`, as in `<class 'int'>`.
    pub repr: String,
    /// The result of Python's `id`.
    pub address: u64,
    /// The type, where it is one of the objects.
    pub ty: Option<ObjectId>,
    /// `repr` of a type that is none of them; empty where nobody said.
    pub class: String,
}

/// The table of object descriptions, by number. An object without one prints as its number.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct ObjectTable {
    rows: SecondaryMap<ObjectId, ObjectInfo>,
}

impl ObjectTable {
    /// Describes an object.
    pub fn describe(&mut self, id: ObjectId, info: ObjectInfo) {
        self.rows[id] = info;
    }

    /// The description of an object; empty if it has none.
    pub fn info(&self, id: ObjectId) -> &ObjectInfo {
        &self.rows[id]
    }

    /// The printed name.
    pub fn repr(&self, id: ObjectId) -> String {
        let repr = &self.rows[id].repr;
        if repr.is_empty() { format!("<{id}>") } else { repr.clone() }
    }

    /// The name as in a program: `Tensor` of `<class 'torch.Tensor'>`.
    pub fn short_name(&self, id: ObjectId) -> String {
        let repr = self.repr(id);
        let path = repr.strip_prefix("<class '").and_then(|rest| rest.strip_suffix("'>"));
        match path {
            Some(path) => path.rsplit('.').next().unwrap_or(path).to_owned(),
            None => repr,
        }
    }

    /// The printed name of an object's type; of a type itself, if that is what the object is.
    pub fn type_repr(&self, id: ObjectId) -> String {
        let info = &self.rows[id];
        if info.repr.starts_with("<class ") {
            return info.repr.clone();
        }
        let otherwise = || if info.class.is_empty() { "?".to_owned() } else { info.class.clone() };
        info.ty.map_or_else(otherwise, |ty| self.repr(ty))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_print_by_name() {
        let mut table = ObjectTable::default();
        let (tensor, torch) = (ObjectId::from_u32(0), ObjectId::from_u32(7));
        table.describe(
            tensor,
            ObjectInfo { repr: "<class 'torch.Tensor'>".into(), address: 16, ..ObjectInfo::default() },
        );
        assert_eq!(table.short_name(tensor), "Tensor");
        assert_eq!(table.type_repr(tensor), "<class 'torch.Tensor'>");
        assert_eq!(table.repr(torch), "<obj7>");
        assert_eq!(table.type_repr(torch), "?");
    }
}
