//! How Python writes values: `repr` and `str` of what arguments may hold.

use crate::arg::Arg;
use crate::graph::Graph;
use std::fmt::{self, Display, Formatter};
use symshapes::Device;

/// Which of Python's ways to write a value.
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
            Arg::Bool(v) => f.write_str(if *v { "True" } else { "False" }),
            Arg::Int(v) => write!(f, "{v}"),
            Arg::Sym(e) => write!(f, "{}", self.graph.exprs.display(*e)),
            Arg::Float(v) => float(f, *v),
            Arg::Complex(re, im) => complex(f, *re, *im, self.style == Style::Code),
            Arg::Str(s) if listing => f.write_str(s),
            Arg::Str(s) => string(f, s),
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

/// `repr` of a float: the fewest digits that read back, an exponent below 1e-4 and from 1e16 on.
pub(crate) fn float(f: &mut Formatter<'_>, v: f64) -> fmt::Result {
    if v.is_nan() {
        return f.write_str("nan");
    }
    let digits = format!("{v:e}");
    let Some((mantissa, exponent)) = digits.split_once('e') else { return f.write_str(&digits) };
    let exponent: i32 = exponent.parse().unwrap_or_default();
    if v == 0.0 || (-4..16).contains(&exponent) {
        let plain = format!("{v}");
        return write!(f, "{plain}{}", if plain.contains('.') { "" } else { ".0" });
    }
    write!(f, "{mantissa}e{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.abs())
}

/// A float as text; see [`float`].
pub(crate) struct Float(pub(crate) f64);

impl Display for Float {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        float(f, self.0)
    }
}

fn complex(f: &mut Formatter<'_>, re: f64, im: f64, code: bool) -> fmt::Result {
    let unreadable = re == 0.0 || im == 0.0 || !re.is_finite() || !im.is_finite();
    if code && unreadable {
        return write!(f, "complex({}, {})", Float(re), Float(im));
    }
    let part = |v: f64| {
        let text = Float(v).to_string();
        text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
    };
    if re == 0.0 && re.is_sign_positive() {
        return write!(f, "{}j", part(im));
    }
    let plus = if im.is_nan() || im.is_sign_positive() { "+" } else { "" };
    write!(f, "({}{plus}{}j)", part(re), part(im))
}

fn device(f: &mut Formatter<'_>, d: Device) -> fmt::Result {
    write!(f, "device(type='{}'", Device { index: None, ..d })?;
    match d.index {
        Some(i) => write!(f, ", index={i})"),
        None => f.write_str(")"),
    }
}

/// `repr` of a `str`: single quotes, unless only they occur in it.
fn string(f: &mut Formatter<'_>, s: &str) -> fmt::Result {
    let quote = if s.contains('\'') && !s.contains('"') { '"' } else { '\'' };
    write!(f, "{quote}")?;
    for c in s.chars() {
        match c {
            '\\' => f.write_str("\\\\"),
            '\n' => f.write_str("\\n"),
            '\r' => f.write_str("\\r"),
            '\t' => f.write_str("\\t"),
            _ if c == quote => write!(f, "\\{c}"),
            _ if c.is_control() => write!(f, "\\x{:02x}", u32::from(c)),
            _ => write!(f, "{c}"),
        }?;
    }
    write!(f, "{quote}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repr(arg: &Arg, style: Style) -> String {
        Shown { graph: &Graph::new(), arg, style }.to_string()
    }

    #[test]
    fn floats_as_python_writes_them() {
        let cases = [1.0, -0.0, 0.1, 1e-4, 1e-5, 1.5e-7, 1e15, 1e16, 1.2345e22, 123456789.125, f64::INFINITY, f64::NAN];
        let texts = cases.map(|v| Float(v).to_string());
        let python = ["1.0", "-0.0", "0.1", "0.0001", "1e-05", "1.5e-07", "1000000000000000.0", "1e+16", "1.2345e+22"];
        assert_eq!(texts[..9], python);
        assert_eq!(texts[9..], ["123456789.125", "inf", "nan"]);
    }

    #[test]
    fn strings_and_complex_as_python_writes_them() {
        assert_eq!(repr(&"it's".into(), Style::Repr), "\"it's\"");
        assert_eq!(repr(&"a'\"\n\u{7f}é".into(), Style::Repr), "'a\\'\"\\n\\x7fé'");
        assert_eq!(repr(&Arg::Complex(0.0, 1.0), Style::Repr), "1j");
        assert_eq!(repr(&Arg::Complex(0.0, 1.0), Style::Code), "complex(0.0, 1.0)");
        assert_eq!(repr(&Arg::Complex(1.5, -2.0), Style::Code), "(1.5-2j)");
        assert_eq!(repr(&Arg::Device(Device::CPU), Style::Code), "device(type='cpu')");
        assert_eq!(repr(&Arg::Tuple(vec![1.into()]), Style::Listing), "(1,)");
    }
}
