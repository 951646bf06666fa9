//! Arguments as Python writes them: `repr` and `str` of what they may hold.

use crate::arg::Arg;
use crate::graph::Graph;
use pyrepr::{Complex, Float, Str, boolean};
use std::fmt::{self, Display, Formatter};
use symshapes::Device;

/// Python's ways to write a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Style {
    /// `repr`: what a table of nodes shows.
    Repr,
    /// As `Repr`, but complex numbers that Python could not read back are written as calls: what generated code has.
    Code,
    /// Nodes as `%name`, strings bare: what the listing of a graph shows.
    Listing,
}

/// An argument, written in a style. Nodes go by the name that `name` gives them.
pub(crate) struct Shown<'a> {
    pub(crate) graph: &'a Graph,
    pub(crate) arg: &'a Arg,
    pub(crate) style: Style,
}

impl Shown<'_> {
    fn with<'b>(&'b self, arg: &'b Arg, style: Style) -> Shown<'b> {
        Shown { graph: self.graph, arg, style }
    }

    fn items(&self, f: &mut Formatter<'_>, items: &[Arg], style: Style) -> fmt::Result {
        for (i, arg) in items.iter().enumerate() {
            let comma = if i == 0 { "" } else { ", " };
            write!(f, "{comma}{}", self.with(arg, style))?;
        }
        Ok(())
    }

    fn tuple(&self, f: &mut Formatter<'_>, items: &[Arg]) -> fmt::Result {
        f.write_str("(")?;
        self.items(f, items, self.style)?;
        f.write_str(if items.len() == 1 { ",)" } else { ")" })
    }

    fn dict(&self, f: &mut Formatter<'_>, items: &[(Arg, Arg)]) -> fmt::Result {
        let style = if self.style == Style::Code { Style::Repr } else { self.style };
        f.write_str("{")?;
        for (i, (k, v)) in items.iter().enumerate() {
            let comma = if i == 0 { "" } else { ", " };
            write!(f, "{comma}{}: {}", self.with(k, style), self.with(v, style))?;
        }
        f.write_str("}")
    }
}

impl Display for Shown<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let listing = self.style == Style::Listing;
        match self.arg {
            Arg::None => f.write_str("None"),
            Arg::Node(n) => write!(f, "{}{}", if listing { "%" } else { "" }, self.graph[*n].name),
            Arg::Bool(v) => f.write_str(boolean(*v)),
            Arg::Int(v) => write!(f, "{v}"),
            Arg::Sym(e) => write!(f, "{}", self.graph.exprs.display(*e)),
            Arg::Float(v) => write!(f, "{}", Float(*v)),
            Arg::Complex(re, im) if self.style == Style::Code && !reads_back(*re, *im) => {
                write!(f, "complex({}, {})", Float(*re), Float(*im))
            }
            Arg::Complex(re, im) => write!(f, "{}", Complex(*re, *im)),
            Arg::Str(s) if listing => f.write_str(s),
            Arg::Str(s) => write!(f, "{}", Str(s)),
            Arg::DType(d) => write!(f, "torch.{d}"),
            Arg::Device(d) if listing => write!(f, "{d}"),
            Arg::Device(d) => device(f, *d),
            Arg::Layout(name) | Arg::MemoryFormat(name) => write!(f, "torch.{name}"),
            Arg::Slice(parts) => {
                f.write_str("slice(")?;
                self.items(f, &parts[..], if listing { Style::Repr } else { self.style })?;
                f.write_str(")")
            }
            Arg::Ellipsis => f.write_str("Ellipsis"),
            Arg::List(items) => {
                f.write_str("[")?;
                self.items(f, items, self.style)?;
                f.write_str("]")
            }
            Arg::Tuple(items) => self.tuple(f, items),
            Arg::Dict(items) => self.dict(f, items),
            Arg::Opaque(_, repr) => f.write_str(repr),
        }
    }
}

/// True if the `repr` of a complex number evaluates to that number for certain, signs of zeros included.
fn reads_back(re: f64, im: f64) -> bool {
    re != 0.0 && im != 0.0 && re.is_finite() && im.is_finite()
}

fn device(f: &mut Formatter<'_>, d: Device) -> fmt::Result {
    write!(f, "device(type='{}'", Device { index: None, ..d })?;
    match d.index {
        Some(i) => write!(f, ", index={i})"),
        None => f.write_str(")"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repr(arg: &Arg, style: Style) -> String {
        Shown { graph: &Graph::new(), arg, style }.to_string()
    }

    #[test]
    fn arguments_as_python_writes_them() {
        assert_eq!(repr(&"it's".into(), Style::Repr), "\"it's\"");
        assert_eq!(repr(&Arg::Complex(0.0, 1.0), Style::Repr), "1j");
        assert_eq!(repr(&Arg::Complex(0.0, 1.0), Style::Code), "complex(0.0, 1.0)");
        assert_eq!(repr(&Arg::Complex(1.5, -2.0), Style::Code), "(1.5-2j)");
        assert_eq!(repr(&Arg::Device(Device::CPU), Style::Code), "device(type='cpu')");
        assert_eq!(repr(&Arg::Tuple(vec![1.into()]), Style::Listing), "(1,)");
    }
}
