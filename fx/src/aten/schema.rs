//! Schemas: parameters, results, types, aliasing.

use crate::arg::Arg;
use std::fmt;

/// Parameters and results of an overload.
#[derive(Clone, PartialEq, Debug)]
pub struct Schema {
    /// In order; the keyword-only ones last.
    pub params: Vec<Param>,
    /// In order; none for `()`.
    pub returns: Vec<Return>,
    /// True if more arguments than the parameters may follow (`...`).
    pub vararg: bool,
}

impl Schema {
    /// The position of the parameter with this name.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.params.iter().position(|p| p.name == name)
    }
}

/// A parameter.
#[derive(Clone, PartialEq, Debug)]
pub struct Param {
    /// The name.
    pub name: String,
    /// The type.
    pub ty: Type,
    /// The default, where it has one.
    pub default: Option<Arg>,
    /// True if it has no position.
    pub kwarg_only: bool,
    /// The alias annotation: the sets with which it may share its storage.
    pub alias: Option<Alias>,
}

/// A result.
#[derive(Clone, PartialEq, Debug)]
pub struct Return {
    /// The name, where it has one.
    pub name: Option<String>,
    /// The type.
    pub ty: Type,
    /// The alias annotation: the sets with which it may share its storage.
    pub alias: Option<Alias>,
}

/// An alias annotation: `(a)`, `(a!)`, `(a -> *)`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Alias {
    /// The alias sets' names (`a`, `a|b`, `*`); what shares a name may share its storage.
    pub set: String,
    /// True if it is written to (`!`).
    pub write: bool,
}

/// A type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Type {
    /// `Tensor`
    Tensor,
    /// `Scalar`: an int, float, complex or bool.
    Scalar,
    /// `int`: never symbolic.
    Int,
    /// `SymInt`
    SymInt,
    /// `float`
    Float,
    /// `bool`
    Bool,
    /// `complex`
    Complex,
    /// `str`
    Str,
    /// `ScalarType`
    DType,
    /// `Device`
    Device,
    /// `Layout`
    Layout,
    /// `MemoryFormat`
    MemoryFormat,
    /// `Generator`
    Generator,
    /// `T?`
    Optional(Box<Type>),
    /// `T[]`; `T[n]`, which takes a single `T` for `n` equal ones.
    List(Box<Type>, Option<usize>),
    /// Another type of torch's own language, by its text.
    Other(String),
}

impl Type {
    /// The type without its outer `?`.
    pub fn required(&self) -> &Type {
        match self {
            Type::Optional(inner) => inner,
            other => other,
        }
    }

    /// True for tensors and for optional and lists of tensors.
    pub fn holds_tensors(&self) -> bool {
        match self {
            Type::Tensor => true,
            Type::Optional(inner) | Type::List(inner, _) => inner.holds_tensors(),
            _ => false,
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Tensor => f.write_str("Tensor"),
            Type::Scalar => f.write_str("Scalar"),
            Type::Int => f.write_str("int"),
            Type::SymInt => f.write_str("SymInt"),
            Type::Float => f.write_str("float"),
            Type::Bool => f.write_str("bool"),
            Type::Complex => f.write_str("complex"),
            Type::Str => f.write_str("str"),
            Type::DType => f.write_str("ScalarType"),
            Type::Device => f.write_str("Device"),
            Type::Layout => f.write_str("Layout"),
            Type::MemoryFormat => f.write_str("MemoryFormat"),
            Type::Generator => f.write_str("Generator"),
            Type::Optional(inner) => write!(f, "{inner}?"),
            Type::List(inner, None) => write!(f, "{inner}[]"),
            Type::List(inner, Some(n)) => write!(f, "{inner}[{n}]"),
            Type::Other(text) => f.write_str(text),
        }
    }
}
