//! What the target of a `call_function` node names.
//!
//! Invariant: the namespace decides; no table of operators is consulted.

use crate::names::is_identifier;

/// A parsed target of a `call_function` node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target<'a> {
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

impl<'a> Target<'a> {
    /// Parses a target. An overload is `torch.ops.ns.name.overload`, or `ns.name.overload` where the namespace is one
    /// of torch's own or the overload is `default`.
    pub fn of(target: &'a str) -> Target<'a> {
        let (explicit, rest) = match target.strip_prefix("torch.ops.") {
            Some(rest) => (true, rest),
            None => (false, target),
        };
        if let Some((namespace, name, overload)) = three(rest)
            && (explicit || NAMESPACES.contains(&namespace) || (overload == "default" && namespace != "torch"))
        {
            return Target::Overload { namespace, name, overload };
        }
        match target.rsplit_once('.') {
            Some(("operator" | "_operator", name)) => Target::Operator(name),
            Some(("builtins", name)) => Target::Builtin(name),
            Some((module, name)) => Target::Function { module, name },
            None => Target::Function { module: "", name: target },
        }
    }

    /// The bare name of the function.
    pub fn name(self) -> &'a str {
        match self {
            Target::Operator(name)
            | Target::Builtin(name)
            | Target::Overload { name, .. }
            | Target::Function { name, .. } => name,
        }
    }

    /// The name by which generated Python code calls the function: `operator` functions come under `_operator`, as
    /// their own module is.
    pub fn qualified(self) -> String {
        match self {
            Target::Operator(name) => format!("_operator.{name}"),
            Target::Builtin(name) | Target::Function { module: "", name } => name.to_owned(),
            Target::Overload { namespace, name, overload } => format!("torch.ops.{namespace}.{name}.{overload}"),
            Target::Function { module, name } => format!("{module}.{name}"),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn namespaces_decide() {
        assert_eq!(Target::of("operator.add"), Target::Operator("add"));
        assert_eq!(Target::of("builtins.max"), Target::Builtin("max"));
        let add = Target::Overload { namespace: "aten", name: "add", overload: "Tensor" };
        assert_eq!(Target::of("aten.add.Tensor"), add);
        assert_eq!(Target::of("torch.ops.aten.add.Tensor"), add);
        assert_eq!(Target::of("mylib.op.default").name(), "op");
        assert_eq!(Target::of("pkg.mod.f"), Target::Function { module: "pkg.mod", name: "f" });
        assert_eq!(Target::of("torch._C._nn.gelu").qualified(), "torch._C._nn.gelu");
    }
}
