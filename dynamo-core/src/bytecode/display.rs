//! The text form of a body.
//!
//! ```text
//! python 3.11
//! h0 = L1 depth 1 lasti
//!     RESUME 0 @1:0-1:0
//!     LOAD_FAST 0 !h0 @2:4-2:7 ; arg
//! L1:
//!     PUSH_EXC_INFO
//! ```
//!
//! After an instruction: `!` its handler, `@` its span (`@line`, `@line-end`, or with columns), and after `;` what
//! the argument means, which is for readers only.

use std::collections::HashMap;
use std::fmt::{self, Display, Formatter};

use cranelift_entity::EntityRef;

use super::{Arg, Body, CodeObject, Const, Inst, Label, Operand, Span};

/// A body with the meaning of its arguments.
pub struct Listing<'a> {
    /// The body to print.
    pub body: &'a Body,
    /// The code object whose names and constants the arguments are.
    pub code: &'a CodeObject,
}

impl Display for Listing<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let locals: Vec<&str> = self.code.local_names().collect();
        write_body(f, self.body, |f, inst| match self.body.operand(inst) {
            Some(operand) => write_note(f, operand, self.code, &locals),
            None => Ok(()),
        })
    }
}

impl Display for Body {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write_body(f, self, |_, _| Ok(()))
    }
}

/// All lines of a body; `note` ends the line of an instruction.
pub(super) fn write_body(
    f: &mut Formatter<'_>,
    body: &Body,
    note: impl Fn(&mut Formatter<'_>, Inst) -> fmt::Result,
) -> fmt::Result {
    writeln!(f, "python {}", body.version())?;
    for (id, handler) in body.handlers() {
        let lasti = if handler.lasti { " lasti" } else { "" };
        writeln!(f, "{id} = {} depth {}{lasti}", handler.target, handler.depth)?;
    }
    let mut labels: HashMap<Inst, Vec<Label>> = HashMap::new();
    for (label, inst) in body.labels() {
        if let Some(inst) = inst {
            labels.entry(inst).or_default().push(label);
        }
    }
    for &inst in body.order() {
        for label in labels.get(&inst).into_iter().flatten() {
            writeln!(f, "{label}:")?;
        }
        write_inst(f, body, inst)?;
        note(f, inst)?;
        writeln!(f)?;
    }
    Ok(())
}

/// An instruction without its note and line end.
fn write_inst(f: &mut Formatter<'_>, body: &Body, inst: Inst) -> fmt::Result {
    let data = body.inst(inst);
    write!(f, "    {}", data.op)?;
    match data.arg {
        Arg::None => {}
        Arg::Int(arg) => write!(f, " {arg}")?,
        Arg::Jump(label) => write!(f, " {label}")?,
    }
    if let Some(handler) = data.handler.expand() {
        write!(f, " !{handler}")?;
    }
    match data.span {
        Some(span) => write!(f, " @{span}"),
        None => Ok(()),
    }
}

impl Display for Span {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.columns {
            Some((start, end)) => write!(f, "{}:{start}-{}:{end}", self.line, self.end_line),
            None if self.line == self.end_line => write!(f, "{}", self.line),
            None => write!(f, "{}-{}", self.line, self.end_line),
        }
    }
}

/// Writes the meaning of an operand.
pub(super) fn write_note(f: &mut Formatter<'_>, operand: Operand, code: &CodeObject, locals: &[&str]) -> fmt::Result {
    let local = |id: super::LocalId| locals.get(id.index()).copied().unwrap_or("?");
    match operand {
        Operand::None | Operand::Int(_) | Operand::Jump(_) => Ok(()),
        Operand::Const(id) => match code.consts.get(id.index()) {
            Some(value) => write!(f, " ; {value}"),
            None => f.write_str(" ; ?"),
        },
        Operand::Name(id, flags) => {
            let name = code.names.get(id.index()).map_or("?", String::as_str);
            if flags == 0 { write!(f, " ; {name}") } else { write!(f, " ; {name}, flags {flags}") }
        }
        Operand::Local(id) => write!(f, " ; {}", local(id)),
        Operand::LocalPair(first, second) => write!(f, " ; {}, {}", local(first), local(second)),
        Operand::Compare(comparison, _) => write!(f, " ; {}", comparison.symbol()),
    }
}

impl Display for Const {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Const::None => f.write_str("None"),
            Const::Ellipsis => f.write_str("..."),
            Const::Bool(value) => f.write_str(if *value { "True" } else { "False" }),
            Const::Int(value) => write!(f, "{value}"),
            Const::BigInt(digits) => f.write_str(digits),
            Const::Float(value) => write!(f, "{value:?}"),
            Const::Complex(real, imaginary) => write!(f, "({real:?}{imaginary:+?}j)"),
            Const::Str(text) => write!(f, "{text:?}"),
            Const::Bytes(bytes) => write!(f, "b\"{}\"", bytes.escape_ascii()),
            Const::Tuple(items) => write_items(f, "(", items, if items.len() == 1 { ",)" } else { ")" }),
            Const::FrozenSet(items) => write_items(f, "frozenset({", items, "})"),
            Const::Slice(parts) => write_items(f, "slice(", &parts[..], ")"),
            Const::Code(code) => write!(f, "<code {}>", code.qualname),
            Const::Opaque(index) => write!(f, "<object {index}>"),
        }
    }
}

fn write_items(f: &mut Formatter<'_>, open: &str, items: &[Const], close: &str) -> fmt::Result {
    f.write_str(open)?;
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            f.write_str(", ")?;
        }
        item.fmt(f)?;
    }
    f.write_str(close)
}
