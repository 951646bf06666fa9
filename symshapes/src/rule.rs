//! A row of a table of rules.

/// A law that the simplifier or a proof may use.
pub(crate) struct Rule<F> {
    /// The name of the rule.
    pub(crate) name: &'static str,
    /// The law that it applies, read from left to right.
    pub(crate) law: &'static str,
    /// The function that rewrites or proves by the law, where it applies.
    pub(crate) apply: F,
}

impl<F> Rule<F> {
    /// Its name and its law.
    pub(crate) fn describe(&self) -> (&'static str, &'static str) {
        (self.name, self.law)
    }
}

/// Declares a table of rules: the function, whose name is the rule's, and its law.
macro_rules! rules {
    ($($name:ident: $law:literal;)*) => {
        &[$($crate::rule::Rule { name: stringify!($name), law: $law, apply: $name }),*]
    };
}
pub(crate) use rules;
