//! Methods of generators.

use crate::trace::signature::{Row, row};

/// The methods that are traced.
pub(in crate::trace) const METHODS: [&str; 3] = ["send", "throw", "close"];

pub(in crate::trace) const ROWS: &[Row] = &[
    row("generator.send(self, arg, /)", |t, b| {
        let generator = t.generator(b.arg(0)?)?;
        let next = t.send_to(generator, b.arg(1)?)?;
        t.item_or_stop(next)
    }),
    row("generator.throw(self, exception, /)", |t, b| {
        let generator = t.generator(b.arg(0)?)?;
        let reason = t.raise(b.arg(1)?)?;
        if let Some(raising) = t.exceptions.raising {
            t.chain(raising, None).map_err(|refused| t.uncaught(refused))?;
        }
        let next = t.throw_into(generator, reason)?;
        t.item_or_stop(next)
    }),
    row("generator.close(self, /)", |t, b| {
        let generator = t.generator(b.arg(0)?)?;
        t.close(generator)?;
        Ok(t.none())
    }),
];
