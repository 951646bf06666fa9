//! The rules for functions, classes and methods without bytecode, found by their dotted names.
//!
//! Here alone the interpreter meets the tables of Python's and torch's libraries.

use super::{
    objects, python,
    signature::{Row, Signature},
    torch,
};
use rustc_hash::FxHashMap;
use std::sync::LazyLock;

/// Every row, found by the owner and the name of what it describes.
struct Table {
    signatures: Vec<Signature>,
    places: FxHashMap<(&'static str, &'static str), usize>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let signatures: Vec<Signature> = rows().map(Signature::parse).collect();
    let named = |(place, signature): (usize, &Signature)| {
        signature.names.iter().map(|name| (split(name), place)).collect::<Vec<_>>()
    };
    let places = signatures.iter().enumerate().flat_map(named).collect();
    Table { signatures, places }
});

fn rows() -> impl Iterator<Item = &'static Row> {
    python::ROWS.iter().chain(torch::ROWS).chain(objects::ROWS).copied().flatten()
}

/// The texts of all signatures.
pub fn signatures() -> impl Iterator<Item = &'static str> {
    rows().map(|row| row.text)
}

/// True if a row says what a call of the function of this dotted name does.
pub fn has_row(function_name: &str) -> bool {
    Signature::of_function(function_name).is_some()
}

/// The owner and the name of `owner.name`.
fn split(name: &str) -> (&str, &str) {
    name.rsplit_once('.').unwrap_or(("", name))
}

fn find(owner: &str, name: &str) -> Option<&'static Signature> {
    let table = &*TABLE;
    table.places.get(&(owner, name)).and_then(|&place| table.signatures.get(place))
}

impl Signature {
    /// The signature of a function or class of this dotted name.
    pub(in crate::trace) fn of_function(name: &str) -> Option<&'static Signature> {
        let (owner, name) = split(name);
        find(owner, name).filter(|signature| !signature.is_method())
    }

    /// The signature of a method of a class.
    pub(in crate::trace) fn of_method(class: &str, name: &str) -> Option<&'static Signature> {
        find(class, name).filter(|signature| signature.is_method())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_one_row() {
        let names: Vec<_> = TABLE.signatures.iter().flat_map(|signature| &signature.names).collect();
        assert_eq!(names.len(), TABLE.places.len());
    }
}
