//! What can be wrong with shapes. Every message about an input starts with it.

use super::{Names, SourceId};

/// A shape that cannot be, or a question without an answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EnvError {
    /// A size below zero.
    #[error("{input}: the size is {size}, which is negative ({at})")]
    NegativeSize {
        /// The dimension.
        input: SourceId,
        /// Its size.
        size: i64,
        /// The user's line.
        at: String,
    },
    /// A promise that the example input itself breaks.
    #[error("{input}: the value {hint} lies outside the promised {range} ({at})")]
    HintOutOfRange {
        /// The dimension.
        input: SourceId,
        /// Its size.
        hint: i64,
        /// What was promised.
        range: String,
        /// The line of the promise.
        at: String,
    },
    /// A product of sizes beyond 64 bits.
    #[error("{input}: the product of sizes up to this one exceeds 64 bits ({at})")]
    Overflow {
        /// The dimension.
        input: SourceId,
        /// The user's line.
        at: String,
    },
    /// An expression without a value for the example inputs.
    #[error("{pred} has no value: it divides by zero or exceeds 64 bits ({at})")]
    Undefined {
        /// The question.
        pred: String,
        /// The user's line.
        at: String,
    },
    /// A decision that depends on a value which only the running program knows.
    #[error("{pred} depends on data: {symbols} is known only when the program runs ({at}); torch._check may state it")]
    DataDependent {
        /// The question.
        pred: String,
        /// The unbacked symbols.
        symbols: String,
        /// The user's line.
        at: String,
    },
    /// A `torch._check` that fails.
    #[error("{message}: {pred} does not hold ({at})")]
    CheckFailed {
        /// The condition.
        pred: String,
        /// What the user says of it.
        message: String,
        /// The user's line.
        at: String,
    },
    /// A guard that no input can satisfy together with those before.
    #[error("{pred} contradicts what was guarded before ({at})")]
    Unsatisfiable {
        /// The guard.
        pred: String,
        /// The user's line.
        at: String,
    },
}

impl EnvError {
    /// The input at fault, if there is one.
    pub fn input(&self) -> Option<SourceId> {
        match self {
            EnvError::NegativeSize { input, .. }
            | EnvError::HintOutOfRange { input, .. }
            | EnvError::Overflow { input, .. } => Some(*input),
            EnvError::Undefined { .. }
            | EnvError::DataDependent { .. }
            | EnvError::CheckFailed { .. }
            | EnvError::Unsatisfiable { .. } => None,
        }
    }

    /// The message with the input as the user writes it.
    pub fn explain(&self, names: Names<'_>) -> String {
        let text = self.to_string();
        match self.input() {
            Some(input) => {
                let rest = text.strip_prefix(&input.to_string()).unwrap_or(&text);
                names(input) + rest
            }
            None => text,
        }
    }
}
