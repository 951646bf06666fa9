//! Names of nodes, unique and legal in Python, by the rule of `torch.fx`.
//!
//! Invariants: no name is given out twice in a graph's life, even after its node is erased; no given name is a Python
//! keyword, a builtin, or one of the globals that generated code relies on.

use crate::node::Kind;
use crate::target::{Callee, is_identifier, snake_case};
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;
use std::sync::Arc;

/// The names of one graph.
#[derive(Clone, Default, Debug)]
pub(crate) struct Names {
    used: FxHashSet<Arc<str>>,
    /// For each base name, the suffix that was given out last.
    suffixes: FxHashMap<Arc<str>, u64>,
}

impl Names {
    /// Makes a name from a candidate: illegal characters become `_`, and a suffix `_1`, `_2`, … makes it unique.
    pub(crate) fn create(&mut self, candidate: &str) -> Arc<str> {
        let candidate = legal(candidate);
        let (base, suffix) = split(&candidate);
        let is_free = suffix.is_some() && !self.used.contains(&*candidate);
        let mut number = match suffix {
            Some(n) if is_free => n,
            _ => self.suffixes.get(base).copied().unwrap_or(0),
        };
        let numbered = |number: u64| -> Arc<str> { format!("{base}_{number}").into() };
        let mut name: Arc<str> = match suffix {
            None if is_reserved(&candidate) => {
                number += 1;
                numbered(number)
            }
            _ => Arc::from(&*candidate),
        };
        while self.used.contains(&name) {
            number += 1;
            name = numbered(number);
        }
        match self.suffixes.get_mut(base) {
            Some(last) => *last = number,
            None => drop(self.suffixes.insert(base.into(), number)),
        }
        self.used.insert(Arc::clone(&name));
        name
    }

    /// Every name that was given out, in no order.
    pub(crate) fn used(&self) -> impl Iterator<Item = &str> {
        self.used.iter().map(|name| &**name)
    }

    /// The suffix that was given out last, for each base name, in no order.
    pub(crate) fn suffixes(&self) -> impl Iterator<Item = (&str, u64)> {
        self.suffixes.iter().map(|(base, &suffix)| (&**base, suffix))
    }

    /// A free name made from `name`, which is legal: `name` itself if possible. It is not taken yet.
    pub(crate) fn propose(&self, name: &str) -> Arc<str> {
        if self.used.contains(name) { self.clone().create(name) } else { name.into() }
    }

    /// Takes a name as it is; false if it is in use.
    pub(crate) fn reserve(&mut self, name: &str) -> bool {
        let (base, suffix) = split(name);
        let last = self.suffixes.entry(base.into()).or_default();
        *last = (*last).max(suffix.unwrap_or(0));
        self.used.insert(name.into())
    }
}

/// The base name for a node with this target.
pub(crate) fn base_of(kind: Kind, target: &str) -> String {
    if kind == Kind::CallFunction {
        return snake_case(Callee::of(target).name());
    }
    let inner = target.strip_prefix("__").and_then(|t| t.strip_suffix("__")).unwrap_or(target);
    snake_case(inner)
}

fn legal(candidate: &str) -> Cow<'_, str> {
    if is_identifier(candidate) {
        return Cow::Borrowed(candidate);
    }
    let mut out = String::with_capacity(candidate.len() + 1);
    let mut in_run = false;
    for c in candidate.chars() {
        let ok = c.is_ascii_alphanumeric() || c == '_';
        if ok || !in_run {
            out.push(if ok { c } else { '_' });
        }
        in_run = !ok;
    }
    match out.chars().next() {
        None => "_unnamed".into(),
        Some(c) if c.is_ascii_digit() => format!("_{out}").into(),
        _ => out.into(),
    }
}

/// Splits `add_12` into `add` and 12.
fn split(name: &str) -> (&str, Option<u64>) {
    match name.rsplit_once('_') {
        Some((base, digits)) if !base.is_empty() && !digits.is_empty() => {
            match digits.bytes().all(|b| b.is_ascii_digit()).then(|| digits.parse().ok()).flatten() {
                Some(n) => (base, Some(n)),
                None => (name, None),
            }
        }
        _ => (name, None),
    }
}

/// Keywords of Python, its builtins, and the globals of generated code.
fn is_reserved(name: &str) -> bool {
    RESERVED.binary_search(&name).is_ok()
}

/// Sorted, for [`is_reserved`].
#[rustfmt::skip]
const RESERVED: &[&str] = &[
    "ArithmeticError", "AssertionError", "AttributeError", "BaseException", "BaseExceptionGroup", "BlockingIOError",
    "BrokenPipeError", "BufferError", "BytesWarning", "ChildProcessError", "ConnectionAbortedError",
    "ConnectionError", "ConnectionRefusedError", "ConnectionResetError", "DeprecationWarning", "EOFError",
    "Ellipsis", "EncodingWarning", "EnvironmentError", "Exception", "ExceptionGroup", "False", "FileExistsError",
    "FileNotFoundError", "FloatingPointError", "FutureWarning", "GeneratorExit", "IOError", "ImportError",
    "ImportWarning", "IndentationError", "IndexError", "InterruptedError", "IsADirectoryError", "KeyError",
    "KeyboardInterrupt", "LookupError", "MemoryError", "ModuleNotFoundError", "NameError", "None", "NoneType",
    "NotADirectoryError", "NotImplemented", "NotImplementedError", "OSError", "OverflowError",
    "PendingDeprecationWarning", "PermissionError", "ProcessLookupError", "RecursionError", "ReferenceError",
    "ResourceWarning", "RuntimeError", "RuntimeWarning", "StopAsyncIteration", "StopIteration", "SyntaxError",
    "SyntaxWarning", "SystemError", "SystemExit", "TabError", "TimeoutError", "True", "TypeError",
    "UnboundLocalError", "UnicodeDecodeError", "UnicodeEncodeError", "UnicodeError", "UnicodeTranslateError",
    "UnicodeWarning", "UserWarning", "ValueError", "Warning", "ZeroDivisionError", "__build_class__", "__debug__",
    "__doc__", "__import__", "__loader__", "__name__", "__package__", "__spec__", "abs", "aiter", "all", "and",
    "anext", "any", "as", "ascii", "assert", "async", "await", "bin", "bool", "break", "breakpoint", "bytearray",
    "bytes", "callable", "chr", "class", "classmethod", "compile", "complex", "continue", "copyright", "credits",
    "def", "del", "delattr", "device", "dict", "dir", "divmod", "elif", "else", "enumerate", "eval", "except",
    "exec", "exit", "filter", "finally", "float", "for", "format", "from", "frozenset", "fx_pytree", "getattr",
    "global", "globals", "hasattr", "hash", "help", "hex", "id", "if", "import", "in", "inf", "input", "int", "is",
    "isinstance", "issubclass", "iter", "lambda", "len", "license", "list", "locals", "map", "max", "memoryview",
    "min", "nan", "next", "nonlocal", "not", "object", "oct", "open", "or", "ord", "pass", "pow", "print",
    "property", "pytree", "quit", "raise", "range", "repr", "return", "reversed", "round", "set", "setattr",
    "slice", "sorted", "staticmethod", "str", "sum", "super", "torch", "try", "tuple", "type", "vars", "while",
    "with", "yield", "zip",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reserved_names_are_sorted() {
        assert!(RESERVED.is_sorted());
    }

    #[test]
    fn names_are_legal_and_unique() {
        let mut names = Names::default();
        let mut give = |s: &str| names.create(s).to_string();
        assert_eq!(["add", "add", "add_1", "add"].map(&mut give), ["add", "add_1", "add_2", "add_3"]);
        assert_eq!(["0", "layers.0.w", "max", "x_7", "x"].map(&mut give), ["_0", "layers_0_w", "max_1", "x_7", "x"]);
    }

    #[test]
    fn bases_come_from_targets() {
        let base = |t: &str| base_of(Kind::CallFunction, t);
        assert_eq!(base("operator.add"), "add");
        assert_eq!(base("torch.nn.functional.gelu"), "gelu");
        assert_eq!(base("aten.add.Tensor"), "add");
        assert_eq!(base("aten._softmax.default"), "_softmax");
        assert_eq!(base_of(Kind::CallMethod, "__add__"), "add");
        assert_eq!(base_of(Kind::CallModule, "myLayer.0"), "my_layer.0");
    }
}
