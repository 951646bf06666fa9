//! Plain values as CPython's `repr` writes them: strings, bytes, floats, complex numbers.
//!
//! Characters that CPython escapes because its Unicode tables call them unprintable, controls apart, stay as they are.

use std::fmt::{self, Display, Formatter};

/// `repr` of a `str`.
#[derive(Clone, Copy, Debug)]
pub struct Str<'a>(pub &'a str);

/// `repr` of `bytes`.
#[derive(Clone, Copy, Debug)]
pub struct Bytes<'a>(pub &'a [u8]);

/// `repr` of a `float`: the fewest digits that read back, an exponent below 1e-4 and from 1e16 on.
#[derive(Clone, Copy, Debug)]
pub struct Float(pub f64);

/// `repr` of a `complex`.
#[derive(Clone, Copy, Debug)]
pub struct Complex(pub f64, pub f64);

/// `repr` of a `bool`.
pub fn boolean(value: bool) -> &'static str {
    if value { "True" } else { "False" }
}

/// Items with commas between them.
pub fn comma_separated<T: Display>(items: impl IntoIterator<Item = T>) -> String {
    items.into_iter().map(|item| item.to_string()).collect::<Vec<_>>().join(", ")
}

/// Single quotes, unless only they occur in the text.
fn quote_for(single: bool, double: bool) -> char {
    if single && !double { '"' } else { '\'' }
}

impl Display for Str<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let quote = quote_for(self.0.contains('\''), self.0.contains('"'));
        write!(f, "{quote}")?;
        for c in self.0.chars() {
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
}

impl Display for Bytes<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let quote = quote_for(self.0.contains(&b'\''), self.0.contains(&b'"'));
        write!(f, "b{quote}")?;
        for &byte in self.0 {
            match byte {
                b'\\' => f.write_str("\\\\"),
                b'\n' => f.write_str("\\n"),
                b'\r' => f.write_str("\\r"),
                b'\t' => f.write_str("\\t"),
                _ if char::from(byte) == quote => write!(f, "\\{quote}"),
                b' '..=b'~' => write!(f, "{}", char::from(byte)),
                _ => write!(f, "\\x{byte:02x}"),
            }?;
        }
        write!(f, "{quote}")
    }
}

impl Display for Float {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let value = self.0;
        if value.is_nan() {
            return f.write_str("nan");
        }
        let digits = format!("{value:e}");
        let Some((mantissa, exponent)) = digits.split_once('e') else { return f.write_str(&digits) };
        let exponent: i32 = exponent.parse().unwrap_or_default();
        if value == 0.0 || (-4..16).contains(&exponent) {
            let plain = value.to_string();
            return write!(f, "{plain}{}", if plain.contains('.') { "" } else { ".0" });
        }
        write!(f, "{mantissa}e{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.abs())
    }
}

impl Display for Complex {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let (re, im) = (self.0, self.1);
        let part = |value: f64| {
            let text = Float(value).to_string();
            text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
        };
        if re == 0.0 && re.is_sign_positive() {
            return write!(f, "{}j", part(im));
        }
        let plus = if im.is_nan() || im.is_sign_positive() { "+" } else { "" };
        write!(f, "({}{plus}{}j)", part(re), part(im))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_as_python_writes_them() {
        let floats = [1.0, -0.0, 0.1, 1e-4, 1e-5, 1.5e-7, 1e15, 1e16, 1.2345e22, 123456789.125];
        let python = ["1.0", "-0.0", "0.1", "0.0001", "1e-05", "1.5e-07", "1000000000000000.0", "1e+16", "1.2345e+22"];
        assert_eq!(floats.map(|v| Float(v).to_string())[..9], python);
        assert_eq!(Float(floats[9]).to_string(), "123456789.125");
        assert_eq!([f64::NEG_INFINITY, f64::NAN].map(|v| Float(v).to_string()), ["-inf", "nan"]);
        assert_eq!(Str("it's").to_string(), "\"it's\"");
        assert_eq!(Str("a'\"\n\u{7f}é").to_string(), "'a\\'\"\\n\\x7fé'");
        assert_eq!(Bytes(b"a'\x00\xff").to_string(), "b\"a'\\x00\\xff\"");
        assert_eq!(Complex(0.0, 1.0).to_string(), "1j");
        assert_eq!(Complex(1.5, -2.0).to_string(), "(1.5-2j)");
    }
}
