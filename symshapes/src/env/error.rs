//! Errors of shapes. Every message about an input starts with that input.

use super::{Names, ShapeEnv, SourceId};
use crate::{
    ids::{Pred, Sym},
    range::Range,
};

/// Symbols by name, each with the input that it reads.
type SymbolSources = Vec<(String, SourceId)>;

/// A shape that cannot be, or a question without an answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EnvError {
    /// A size below zero.
    #[error("{input}: the size is {size}, which is negative{}", place(.at))]
    NegativeSize {
        /// The dimension.
        input: SourceId,
        /// Its size.
        size: i64,
        /// The user's line.
        at: String,
    },
    /// A promise that the example input itself breaks.
    #[error("{input}: the value {hint} lies outside the promised {range}{}", place(.at))]
    HintOutOfRange {
        /// The dimension.
        input: SourceId,
        /// Its size.
        hint: i64,
        /// The promised range.
        range: String,
        /// The line of the promise.
        at: String,
    },
    /// A size that is not what its declaration by name says.
    #[error("{input}: the size is {size}, but it is declared as {named}{}{}", wanted(*.expected), place(.at))]
    NotAsNamed {
        /// The dimension.
        input: SourceId,
        /// Its size.
        size: i64,
        /// The declaration.
        named: String,
        /// The size that it gives, if the name has a value.
        expected: Option<i64>,
        /// The line of the declaration.
        at: String,
    },
    /// A product of sizes beyond 64 bits.
    #[error("{input}: the product of sizes up to this one exceeds 64 bits{}", place(.at))]
    Overflow {
        /// The dimension.
        input: SourceId,
        /// The user's line.
        at: String,
    },
    /// An expression without a value for the example inputs.
    #[error("{pred} has no value: it divides by zero or exceeds 64 bits ({at})")]
    Undefined {
        /// The inputs that the symbols read.
        symbols: SymbolSources,
        /// The question.
        pred: String,
        /// The user's line.
        at: String,
    },
    /// A decision that depends on a value which only the running program knows.
    #[error("{pred} depends on data: {unknown} is known only when the program runs ({at}); torch._check may state it")]
    DataDependent {
        /// The inputs that the symbols read.
        symbols: SymbolSources,
        /// The question.
        pred: String,
        /// The unbacked symbols.
        unknown: String,
        /// The user's line.
        at: String,
    },
    /// A `torch._check` that fails.
    #[error("{message}: {pred} does not hold ({at}){because}")]
    CheckFailed {
        /// The inputs that the symbols read.
        symbols: SymbolSources,
        /// The facts known of the symbols, each with the line that it comes from.
        because: String,
        /// The condition.
        pred: String,
        /// The message of the check.
        message: String,
        /// The user's line.
        at: String,
    },
    /// A guard that no input can satisfy together with those before.
    #[error("{pred} contradicts what was guarded before ({at}){because}")]
    Unsatisfiable {
        /// The inputs that the symbols read.
        symbols: SymbolSources,
        /// The facts known of the symbols, each with the line that it comes from.
        because: String,
        /// The guard.
        pred: String,
        /// The user's line.
        at: String,
    },
}

/// `, which is 4`; nothing where there is no such number.
fn wanted(expected: Option<i64>) -> String {
    expected.map_or_else(String::new, |value| format!(", which is {value}"))
}

/// ` (at)`; nothing where the line is not known.
fn place(at: &str) -> String {
    if at.is_empty() { String::new() } else { format!(" ({at})") }
}

impl EnvError {
    /// The input at fault, if there is one.
    pub fn input(&self) -> Option<SourceId> {
        match self {
            EnvError::NegativeSize { input, .. }
            | EnvError::HintOutOfRange { input, .. }
            | EnvError::NotAsNamed { input, .. }
            | EnvError::Overflow { input, .. } => Some(*input),
            EnvError::Undefined { symbols, .. }
            | EnvError::DataDependent { symbols, .. }
            | EnvError::CheckFailed { symbols, .. }
            | EnvError::Unsatisfiable { symbols, .. } => symbols.first().map(|symbol| symbol.1),
        }
    }

    fn symbols(&self) -> &[(String, SourceId)] {
        match self {
            EnvError::Undefined { symbols, .. }
            | EnvError::DataDependent { symbols, .. }
            | EnvError::CheckFailed { symbols, .. }
            | EnvError::Unsatisfiable { symbols, .. } => symbols,
            EnvError::NegativeSize { .. }
            | EnvError::HintOutOfRange { .. }
            | EnvError::NotAsNamed { .. }
            | EnvError::Overflow { .. } => &[],
        }
    }

    /// The message with the input as the user writes it.
    pub fn explain(&self, names: Names<'_>) -> String {
        let mut text = self.to_string();
        if let Some(input) = self.input()
            && let Some(rest) = text.strip_prefix(&input.to_string())
        {
            return names(input) + rest;
        }
        for (symbol, source) in self.symbols() {
            text += &format!("; {symbol} is {}", names(*source));
        }
        text
    }
}

impl ShapeEnv {
    pub(super) fn undefined(&self, pred: String, symbols: &[Sym], at: &str) -> EnvError {
        EnvError::Undefined { symbols: self.sources_of(symbols), pred, at: at.to_owned() }
    }

    pub(super) fn check_failed(&self, p: Pred, message: &str, at: &str) -> EnvError {
        let symbols = self.pool.pred_symbols(p);
        EnvError::CheckFailed {
            symbols: self.sources_of(&symbols),
            because: self.known_of(&symbols),
            pred: self.pool.display_pred(p).to_string(),
            message: message.to_owned(),
            at: at.to_owned(),
        }
    }

    pub(crate) fn unsatisfiable(&self, p: Pred, at: &str) -> EnvError {
        let symbols = self.pool.pred_symbols(p);
        EnvError::Unsatisfiable {
            symbols: self.sources_of(&symbols),
            because: self.known_of(&symbols),
            pred: self.pool.display_pred(p).to_string(),
            at: at.to_owned(),
        }
    }

    pub(super) fn sources_of(&self, symbols: &[Sym]) -> SymbolSources {
        let source = |&sym: &Sym| {
            let input = self.input_of(sym)?;
            Some((self.pool.name(sym).to_owned(), self.inputs[input].source))
        };
        symbols.iter().filter_map(source).collect()
    }

    /// The facts known of each symbol, for a message's end.
    fn known_of(&self, symbols: &[Sym]) -> String {
        let mut text = String::new();
        for &sym in symbols {
            let (name, range) = (self.pool.name(sym), self.pool.symbol_range(sym));
            match self.replaced.get(&sym) {
                Some(&image) => text += &format!("; {name} equals {}", self.pool.display(image)),
                None if range != Range::ALL => text += &format!("; {name} lies in {range}"),
                None => {}
            }
            if let Some(cause) = self.symbols.get(&sym).and_then(|row| row.cause.as_ref()) {
                text += &format!(", because of {cause}");
            }
        }
        text
    }
}
