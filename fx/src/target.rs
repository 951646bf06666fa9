//! The targets of nodes: overloads of ATen as what they are, anything else by name; and what a name says.
//!
//! Invariant: a target that names a published overload, `aten.add.Tensor`, is that [`Aten`], however it was made.

use crate::aten::Aten;
use serde::{Deserialize, Serialize};
use std::{fmt, ops::Deref};

/// The callee of a node, or what it fetches: an overload of ATen, or anything else by its name. It reads as a string.
#[derive(Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct Target(Repr);

#[derive(Clone, PartialEq, Eq, Hash)]
enum Repr {
    Aten(Aten),
    Named(Box<str>),
}

impl Target {
    /// The overload of ATen that it is.
    pub fn op(&self) -> Option<Aten> {
        match self.0 {
            Repr::Aten(op) => Some(op),
            Repr::Named(_) => None,
        }
    }

    /// The name: `aten.add.Tensor`, `operator.add`.
    pub fn as_str(&self) -> &str {
        match &self.0 {
            Repr::Aten(op) => op.target(),
            Repr::Named(name) => name,
        }
    }

    /// The function that the name of a `call_function` node's target says.
    pub fn callee(&self) -> Callee<'_> {
        Callee::of(self)
    }
}

impl Deref for Target {
    type Target = str;

    fn deref(&self) -> &str {
        self.as_str()
    }
}

impl From<Aten> for Target {
    fn from(op: Aten) -> Target {
        Target(Repr::Aten(op))
    }
}

impl From<&str> for Target {
    fn from(name: &str) -> Target {
        Target(aten(name).map_or_else(|| Repr::Named(name.into()), Repr::Aten))
    }
}

impl From<String> for Target {
    fn from(name: String) -> Target {
        Target(aten(&name).map_or_else(|| Repr::Named(name.into()), Repr::Aten))
    }
}

impl From<&String> for Target {
    fn from(name: &String) -> Target {
        Target::from(name.as_str())
    }
}

impl From<&Target> for Target {
    fn from(target: &Target) -> Target {
        target.clone()
    }
}

impl From<Target> for String {
    fn from(target: Target) -> String {
        target.as_str().to_owned()
    }
}

impl PartialEq<str> for Target {
    fn eq(&self, name: &str) -> bool {
        self.as_str() == name
    }
}

impl PartialEq<&str> for Target {
    fn eq(&self, name: &&str) -> bool {
        self.as_str() == *name
    }
}

impl PartialEq<Aten> for Target {
    fn eq(&self, op: &Aten) -> bool {
        self.op() == Some(*op)
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self)
    }
}

impl fmt::Debug for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.as_str())
    }
}

fn aten(name: &str) -> Option<Aten> {
    name.starts_with("aten.").then(|| Aten::named(name)).flatten()
}

/// The function that a name says. The namespace decides; no table of operators is consulted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Callee<'a> {
    /// A function of Python's `operator`.
    Operator(&'a str),
    /// A Python builtin.
    Builtin(&'a str),
    /// An overload of a torch operator (`torch.ops.aten.add.Tensor`, written `aten.add.Tensor`).
    Overload {
        /// `aten`.
        namespace: &'a str,
        /// `add`.
        name: &'a str,
        /// `Tensor`.
        overload: &'a str,
    },
    /// Any other function: its module and its name.
    Function {
        /// `torch.nn.functional`; empty if there is none.
        module: &'a str,
        /// `gelu`.
        name: &'a str,
    },
}

/// Operator namespaces whose overloads need not be written with `torch.ops.`.
const NAMESPACES: &[&str] =
    &["aten", "prims", "prim", "inductor", "rngprims", "quantized", "quantized_decomposed", "torchvision", "mkldnn"];

impl<'a> Callee<'a> {
    /// Parses a target. An overload is `torch.ops.ns.name.overload`, or `ns.name.overload` where the namespace is one
    /// of torch's own or the overload is `default`.
    pub fn of(target: &'a str) -> Callee<'a> {
        let (explicit, rest) = match target.strip_prefix("torch.ops.") {
            Some(rest) => (true, rest),
            None => (false, target),
        };
        if let Some((namespace, name, overload)) = three(rest)
            && (explicit || NAMESPACES.contains(&namespace) || (overload == "default" && namespace != "torch"))
        {
            return Callee::Overload { namespace, name, overload };
        }
        match target.rsplit_once('.') {
            Some(("operator" | "_operator", name)) => Callee::Operator(name),
            Some(("builtins", name)) => Callee::Builtin(name),
            Some((module, name)) => Callee::Function { module, name },
            None => Callee::Function { module: "", name: target },
        }
    }

    /// The bare name of the function.
    pub fn name(self) -> &'a str {
        match self {
            Callee::Operator(name)
            | Callee::Builtin(name)
            | Callee::Overload { name, .. }
            | Callee::Function { name, .. } => name,
        }
    }

    /// The name by which generated Python code calls the function: `operator` functions come under `_operator`, as
    /// their own module is.
    pub fn qualified(self) -> String {
        match self {
            Callee::Operator(name) => format!("_operator.{name}"),
            Callee::Builtin(name) | Callee::Function { module: "", name } => name.to_owned(),
            Callee::Overload { namespace, name, overload } => format!("torch.ops.{namespace}.{name}.{overload}"),
            Callee::Function { module, name } => format!("{module}.{name}"),
        }
    }
}

/// The base of a node's name, from the name of what it calls: `pascalCase` to `pascal_case`, then lower case.
pub fn snake_case(s: &str) -> String {
    let mut out = String::with_capacity(s.len() + 4);
    let mut after_lower = false;
    for c in s.chars() {
        if after_lower && c.is_ascii_uppercase() {
            out.push('_');
        }
        after_lower = c.is_ascii_lowercase();
        out.extend(c.to_lowercase());
    }
    out
}

fn three(s: &str) -> Option<(&str, &str, &str)> {
    let mut parts = s.split('.');
    let three = (parts.next()?, parts.next()?, parts.next()?);
    (parts.next().is_none() && is_identifier(three.0) && is_identifier(three.1)).then_some(three)
}

/// True for ASCII identifiers, the only names that graphs use.
pub(crate) fn is_identifier(s: &str) -> bool {
    !s.is_empty()
        && !s.starts_with(|c: char| c.is_ascii_digit())
        && s.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_overloads_are_operators() {
        for name in ["aten.add.Tensor", "aten.relu", "aten.relu.default"] {
            assert_eq!(Target::from(name).op(), Aten::named(name));
            assert_eq!(
                serde_json::to_string(&Target::from(name)).ok(),
                Some(format!("{:?}", Aten::named(name).expect(name).target()))
            );
        }
        for name in ["aten.add.none", "torch.relu", "operator.add", "add.Tensor", "x"] {
            assert_eq!((Target::from(name).op(), Target::from(name).as_str()), (None, name));
        }
        assert!(
            Target::from(Aten::add_Tensor) == "aten.add.Tensor" && Target::from("aten.add.Tensor") == Aten::add_Tensor
        );
    }

    #[test]
    fn namespaces_decide() {
        assert_eq!(Callee::of("operator.add"), Callee::Operator("add"));
        assert_eq!(Callee::of("builtins.max"), Callee::Builtin("max"));
        let add = Callee::Overload { namespace: "aten", name: "add", overload: "Tensor" };
        assert_eq!(Callee::of("aten.add.Tensor"), add);
        assert_eq!(Callee::of("torch.ops.aten.add.Tensor"), add);
        assert_eq!(Callee::of("mylib.op.default").name(), "op");
        assert_eq!(Callee::of("pkg.mod.f"), Callee::Function { module: "pkg.mod", name: "f" });
        assert_eq!(Callee::of("torch._C._nn.gelu").qualified(), "torch._C._nn.gelu");
    }
}
