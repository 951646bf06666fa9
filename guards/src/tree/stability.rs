//! Stability of the values that guards read, by version tags.

/// The stability of a value that is read: how far version tags vouch for it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Stability {
    /// It is read again at each check.
    #[default]
    Volatile,
    /// While the tags are current, it has the same address.
    Address,
    /// While the tags are current, it is the same object, which something that they vouch for keeps alive.
    Object,
    /// As [`Stability::Object`], but each read makes the object anew.
    Transient,
}
