//! The values of a plan's expressions, and what is wrong with those that it was not made for.
//!
//! Invariant: nothing wraps. A size that leaves 64 bits is an error that names it.

use std::cell::Cell;

use symshapes::{Expr, Pool, Range, Sym};

use super::{Buf, BufData, Layout};

/// The reason why there is no plan for some values of the symbols.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum SizeError {
    /// The plan holds for other values.
    #[error("{name} = {value} is not in {range}, for which this was compiled")]
    Range {
        /// The symbol.
        symbol: Sym,
        /// Its name.
        name: String,
        /// Its value.
        value: i64,
        /// The values that it may have.
        range: Range,
    },
    /// A symbol without a value, a division by zero, a product or a sum beyond 64 bits.
    #[error("the size `{size}` has no value in 64 bits{}", given(.values))]
    NoValue {
        /// The expression.
        size: String,
        /// Its symbols' names and values.
        values: Vec<(String, Option<i64>)>,
    },
    /// A dimension of less than no elements.
    #[error("the size `{size}` is {value}, which is negative{}", given(.values))]
    Negative {
        /// The expression.
        size: String,
        /// Its value.
        value: i64,
        /// Its symbols' names and values.
        values: Vec<(String, Option<i64>)>,
    },
    /// A buffer that spans more bytes than there are addresses.
    #[error("{buf}: {} do not fit in memory", elements(.data))]
    Memory {
        /// The buffer.
        buf: Buf,
        /// Its sizes and strides.
        data: Box<BufData>,
    },
    /// Buffers that together span more bytes than there are addresses.
    #[error("the buffers between the kernels do not fit in memory together")]
    Arena,
}

pub(super) type Result<T> = std::result::Result<T, SizeError>;

/// `, where s0 = 4`; nothing for a size without symbols.
fn given(values: &[(String, Option<i64>)]) -> String {
    let value = |value: &Option<i64>| value.map_or_else(|| "unknown".to_owned(), |value| value.to_string());
    let texts: Vec<String> = values.iter().map(|(name, of)| format!("{name} = {}", value(of))).collect();
    if texts.is_empty() { String::new() } else { format!(", where {}", texts.join(", ")) }
}

/// The number of elements as a product, their type, and how they lie.
fn elements(data: &BufData) -> String {
    let texts = |ints: &[i64], mark: &str| ints.iter().map(ToString::to_string).collect::<Vec<_>>().join(mark);
    let Layout { sizes, strides, offset } = &data.layout;
    let (count, strides) = (texts(sizes, "*"), texts(strides, ", "));
    format!("{count} elements of {}, with strides ({strides}) from {offset},", data.dtype)
}

/// The values of expressions.
pub(super) struct Values<'a> {
    pool: &'a Pool,
    value: &'a dyn Fn(Sym) -> Option<i64>,
}

impl<'a> Values<'a> {
    /// The expressions' values where the symbols have these.
    pub(super) fn new(pool: &'a Pool, value: &'a dyn Fn(Sym) -> Option<i64>) -> Values<'a> {
        Values { pool, value }
    }

    pub(super) fn int(&self, e: Expr) -> Result<i64> {
        if let Some(constant) = self.pool.as_int(e) {
            return Ok(constant);
        }
        let outside = Cell::new(None);
        let lookup = |sym| {
            let value = (self.value)(sym)?;
            if !self.pool.symbol_range(sym).contains(value) {
                outside.set(Some((sym, value)));
            }
            Some(value)
        };
        let value = self.pool.eval(e, &lookup);
        match (outside.get(), value) {
            (Some((symbol, value)), _) => {
                let (name, range) = (self.pool.name(symbol).to_owned(), self.pool.symbol_range(symbol));
                Err(SizeError::Range { symbol, name, value, range })
            }
            (None, Some(value)) => Ok(value),
            (None, None) => Err(SizeError::NoValue { size: self.pool.display(e).to_string(), values: self.given(e) }),
        }
    }

    pub(super) fn ints(&self, exprs: &[Expr]) -> Result<Vec<i64>> {
        exprs.iter().map(|&e| self.int(e)).collect()
    }

    pub(super) fn layout(&self, layout: &Layout<Expr>) -> Result<Layout> {
        let Layout { sizes, strides, offset } = layout;
        let sizes = sizes.iter().map(|&e| self.size(e)).collect::<Result<_>>()?;
        Ok(Layout { sizes, strides: self.ints(strides)?, offset: self.int(*offset)? })
    }

    /// The length of a dimension.
    fn size(&self, e: Expr) -> Result<i64> {
        match self.int(e)? {
            value @ 0.. => Ok(value),
            value => Err(SizeError::Negative { size: self.pool.display(e).to_string(), value, values: self.given(e) }),
        }
    }

    fn given(&self, e: Expr) -> Vec<(String, Option<i64>)> {
        let symbols = self.pool.symbols(e);
        let of = |sym| match self.pool.meaning(sym) {
            Some(meaning) => (self.pool.display(meaning).to_string(), self.pool.eval(meaning, self.value)),
            None => (self.pool.name(sym).to_owned(), (self.value)(sym)),
        };
        symbols.into_iter().map(of).collect()
    }
}
