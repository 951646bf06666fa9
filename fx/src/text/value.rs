//! Parsing arguments and metadata.

use super::{ParseError, by_short_name, parser::Parser};
use crate::arg::Arg;
use crate::graph::Meta;
use symshapes::{DType, Device, Expr, Float, Pred, TensorMeta};

/// The depth to which brackets may nest: deeper text would overflow the stack.
pub(super) const MAX_DEPTH: usize = 100;

/// An argument.
pub(super) fn arg(p: &mut Parser<'_>) -> Result<Arg, ParseError> {
    let start = p.cursor.here();
    match p.cursor.peek() {
        Some('%') => p.node_named().map(Arg::Node),
        Some('"') => Ok(Arg::Str(p.cursor.string()?)),
        Some('[') => Ok(Arg::List(items(p, "[", "]", arg)?)),
        Some('(') => Ok(Arg::Tuple(items(p, "(", ")", arg)?)),
        Some('{') => Ok(Arg::Dict(items(p, "{", "}", pair)?)),
        Some('.') => p.cursor.expect("...").map(|()| Arg::Ellipsis),
        Some(c) if c == '-' || c.is_ascii_digit() => number(p),
        Some(c) if c.is_ascii_alphabetic() => {
            let word = p.cursor.word("an argument")?;
            named(p, start, word)
        }
        _ => p.cursor.error("expected an argument"),
    }
}

/// An argument that starts with a word.
fn named(p: &mut Parser<'_>, start: usize, word: &str) -> Result<Arg, ParseError> {
    match word {
        "None" => Ok(Arg::None),
        "True" => Ok(Arg::Bool(true)),
        "False" => Ok(Arg::Bool(false)),
        "inf" => Ok(Arg::Float(f64::INFINITY)),
        "nan" => Ok(Arg::Float(f64::NAN)),
        "torch" => dtype(p).map(Arg::DType),
        "sym" => inside(p, expr).map(Arg::Sym),
        "device" => inside(p, device).map(Arg::Device),
        "layout" => inside(p, |p| p.cursor.string()).map(Arg::Layout),
        "memory_format" => inside(p, |p| p.cursor.string()).map(Arg::MemoryFormat),
        "opaque" => inside(p, opaque),
        "slice" => slice(p, start),
        "complex" => complex(p, start),
        _ => p.cursor.error_at(start, format!("`{word}` is no argument")),
    }
}

/// Parses the contents of round brackets.
fn inside<T>(p: &mut Parser<'_>, f: impl Fn(&mut Parser<'_>) -> Result<T, ParseError>) -> Result<T, ParseError> {
    p.cursor.expect("(")?;
    let value = f(p)?;
    p.cursor.expect(")")?;
    Ok(value)
}

/// Items between brackets, with a comma after each but the last, where it may stand too.
fn items<T>(
    p: &mut Parser<'_>,
    open: &str,
    close: &str,
    item: impl Fn(&mut Parser<'_>) -> Result<T, ParseError>,
) -> Result<Vec<T>, ParseError> {
    p.cursor.expect(open)?;
    if p.depth == MAX_DEPTH {
        return p.cursor.error(format!("more than {MAX_DEPTH} brackets inside each other"));
    }
    p.depth += 1;
    let mut list = vec![];
    while !p.cursor.eat(close) {
        list.push(item(p)?);
        p.separator(close)?;
    }
    p.depth -= 1;
    Ok(list)
}

fn pair(p: &mut Parser<'_>) -> Result<(Arg, Arg), ParseError> {
    let key = arg(p)?;
    p.cursor.expect(":")?;
    Ok((key, arg(p)?))
}

fn number(p: &mut Parser<'_>) -> Result<Arg, ParseError> {
    let start = p.cursor.here();
    let text = p.cursor.number();
    if let Ok(v) = text.parse() {
        return Ok(Arg::Int(v));
    }
    match text.parse() {
        // Digits alone are an integer, however many.
        Ok(v) if text.contains(['.', 'e', 'E', 'n', 'N']) => Ok(Arg::Float(v)),
        _ => p.cursor.error_at(start, format!("`{text}` is no number")),
    }
}

fn opaque(p: &mut Parser<'_>) -> Result<Arg, ParseError> {
    let start = p.cursor.here();
    let text = p.cursor.number();
    let Ok(number) = text.parse() else {
        return p.cursor.error_at(start, format!("`{text}` is no number of an object"));
    };
    p.cursor.expect(",")?;
    Ok(Arg::Opaque(number, p.cursor.string()?))
}

fn slice(p: &mut Parser<'_>, start: usize) -> Result<Arg, ParseError> {
    let parts = items(p, "(", ")", arg)?;
    match <[Arg; 3]>::try_from(parts) {
        Ok(parts) => Ok(Arg::Slice(Box::new(parts))),
        Err(parts) => p.cursor.error_at(start, format!("a slice has 3 parts, not {}", parts.len())),
    }
}

fn complex(p: &mut Parser<'_>, start: usize) -> Result<Arg, ParseError> {
    let parts = items(p, "(", ")", arg)?;
    match parts.iter().map(Arg::as_float).collect::<Option<Vec<f64>>>().as_deref() {
        Some(&[re, im]) => Ok(Arg::Complex(re, im)),
        _ => p.cursor.error_at(start, "a complex number has 2 floats"),
    }
}

fn dtype(p: &mut Parser<'_>) -> Result<DType, ParseError> {
    p.cursor.expect(".")?;
    let start = p.cursor.here();
    let name = p.cursor.word("a dtype")?;
    name.parse::<DType>().or_else(|e| p.cursor.error_at(start, e.to_string()))
}

fn device(p: &mut Parser<'_>) -> Result<Device, ParseError> {
    let start = p.cursor.here();
    let name = p.cursor.string()?;
    name.parse().or_else(|_| p.cursor.error_at(start, format!("`{name}` is no device")))
}

fn expr(p: &mut Parser<'_>) -> Result<Expr, ParseError> {
    let start = p.cursor.here();
    let text = p.cursor.expression();
    p.graph.exprs.parse(text).or_else(|e| p.cursor.error_at(start, e.to_string()))
}

fn float(p: &mut Parser<'_>) -> Result<Float, ParseError> {
    let start = p.cursor.here();
    let text = p.cursor.expression();
    p.graph.exprs.parse_float(text).or_else(|e| p.cursor.error_at(start, e.to_string()))
}

fn pred(p: &mut Parser<'_>) -> Result<Pred, ParseError> {
    let start = p.cursor.here();
    let text = p.cursor.expression();
    p.graph.exprs.parse_pred(text).or_else(|e| p.cursor.error_at(start, e.to_string()))
}

/// Metadata.
pub(super) fn meta(p: &mut Parser<'_>) -> Result<Meta, ParseError> {
    let start = p.cursor.here();
    if p.cursor.peek() == Some('(') {
        return Ok(Meta::Tuple(items(p, "(", ")", element)?));
    }
    match p.cursor.word("metadata")? {
        "int" => inside(p, expr).map(Meta::Int),
        "float" => inside(p, float).map(Meta::Float),
        "bool" => inside(p, pred).map(Meta::Bool),
        "plain" => inside(p, arg).map(Meta::Plain),
        word => match by_short_name(word) {
            Some(dtype) => tensor(p, dtype).map(Meta::Tensor),
            None => p.cursor.error_at(start, format!("`{word}` is no dtype")),
        },
    }
}

fn element(p: &mut Parser<'_>) -> Result<Option<Meta>, ParseError> {
    if p.cursor.eat_word("_") { Ok(None) } else { meta(p).map(Some) }
}

fn tensor(p: &mut Parser<'_>, dtype: DType) -> Result<TensorMeta, ParseError> {
    let sizes = items(p, "[", "]", expr)?;
    let strides = items(p, "{", "}", expr)?;
    let offset = if p.cursor.eat("+") { inside(p, expr)? } else { p.graph.exprs.int(0) };
    let device = if p.cursor.eat("@") { device(p)? } else { Device::CPU };
    let requires_grad = p.cursor.eat_word("grad");
    Ok(TensorMeta { dtype, device, sizes, strides, offset, requires_grad })
}
