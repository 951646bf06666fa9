//! Pure functions of constants, as Python computes them: as many as the cases need. What is not known here is no
//! constant, and ends the graph.

use dynamo_core::host::FoldError;
use guards::Constant::{self, Bool, Float, Int, Str, Tuple};
use std::cmp::Ordering;

type Folded = Result<Constant, FoldError>;

/// `function(*args)`
pub(super) fn call(function: &str, args: &[Constant]) -> Folded {
    let (owner, name) = function.rsplit_once('.').unwrap_or(("builtins", function));
    match (owner, args) {
        ("operator", [a]) => unary(name, a),
        ("operator", [a, b]) => binary(name, a, b),
        ("str", [Str(this), rest @ ..]) => method(name, this, rest),
        ("builtins", _) => builtin(name, args),
        _ => Err(FoldError::NotConstant),
    }
}

fn raised(what: &str) -> FoldError {
    FoldError::Raised(what.to_owned())
}

/// A number as an integer.
fn int(value: &Constant) -> Option<i64> {
    match value {
        Int(value) => Some(*value),
        Bool(value) => Some(i64::from(*value)),
        _ => None,
    }
}

/// A number as a float.
fn float(value: &Constant) -> Option<f64> {
    match value {
        Float(bits) => Some(f64::from_bits(*bits)),
        _ => int(value).map(|value| value as f64),
    }
}

fn truth(value: &Constant) -> bool {
    match value {
        Constant::None => false,
        Str(text) => !text.is_empty(),
        Tuple(items) => !items.is_empty(),
        Constant::Bytes(bytes) => !bytes.is_empty(),
        value => float(value).is_none_or(|value| value != 0.0),
    }
}

fn unary(name: &str, a: &Constant) -> Folded {
    Ok(match (name, int(a), float(a)) {
        ("not_", ..) => Bool(!truth(a)),
        ("truth", ..) => Bool(truth(a)),
        ("neg", Some(a), _) => Int(-a),
        ("pos", Some(a), _) => Int(a),
        ("invert", Some(a), _) => Int(!a),
        ("abs", Some(a), _) => Int(a.abs()),
        ("neg", None, Some(a)) => Constant::float(-a),
        ("pos", None, Some(a)) => Constant::float(a),
        ("abs", None, Some(a)) => Constant::float(a.abs()),
        _ => return Err(FoldError::NotConstant),
    })
}

fn binary(name: &str, a: &Constant, b: &Constant) -> Folded {
    if let Some(truth) = comparison(name, a, b) {
        return truth.map(Bool);
    }
    match (a, b) {
        (Str(a), Str(b)) if name == "add" => Ok(Str(format!("{a}{b}"))),
        (Str(a), Str(b)) if name == "contains" => Ok(Bool(a.contains(b.as_str()))),
        (Str(a), Int(n)) | (Int(n), Str(a)) if name == "mul" => Ok(Str(a.repeat(usize::try_from(*n).unwrap_or(0)))),
        (Str(a), Int(at)) if name == "getitem" => {
            let letters: Vec<char> = a.chars().collect();
            let place = if *at < 0 { at + letters.len() as i64 } else { *at };
            let letter = usize::try_from(place).ok().and_then(|place| letters.get(place));
            letter.map(|letter| Str(letter.to_string())).ok_or_else(|| raised("IndexError"))
        }
        (Tuple(a), Tuple(b)) if name == "add" => Ok(Tuple([&a[..], &b[..]].concat())),
        _ => match (int(a), int(b), float(a), float(b)) {
            (Some(a), Some(b), ..) => of_ints(name, a, b),
            (.., Some(a), Some(b)) => of_floats(name, a, b),
            _ => Err(FoldError::NotConstant),
        },
    }
}

/// A comparison's truth; `None` if the name is no comparison's.
fn comparison(name: &str, a: &Constant, b: &Constant) -> Option<Result<bool, FoldError>> {
    let order = order(a, b);
    let ordered = |holds: fn(Ordering) -> bool| order.map(holds).ok_or_else(|| raised("TypeError"));
    Some(match name {
        "eq" => Ok(order == Some(Ordering::Equal)),
        "ne" => Ok(order != Some(Ordering::Equal)),
        "lt" => ordered(Ordering::is_lt),
        "le" => ordered(Ordering::is_le),
        "gt" => ordered(Ordering::is_gt),
        "ge" => ordered(Ordering::is_ge),
        _ => return None,
    })
}

/// The order of two values; `None` if they do not compare. There are no NaNs here.
fn order(a: &Constant, b: &Constant) -> Option<Ordering> {
    match (a, b) {
        (Str(a), Str(b)) => Some(a.cmp(b)),
        (Tuple(a), Tuple(b)) => {
            let unequal = a.iter().zip(b).map(|(a, b)| order(a, b)).find(|order| *order != Some(Ordering::Equal));
            unequal.unwrap_or_else(|| Some(a.len().cmp(&b.len())))
        }
        (Constant::None, Constant::None) => Some(Ordering::Equal),
        _ => match (int(a), int(b)) {
            (Some(a), Some(b)) => Some(a.cmp(&b)),
            _ => float(a)?.partial_cmp(&float(b)?),
        },
    }
}

fn of_ints(name: &str, a: i64, b: i64) -> Folded {
    let floored = |a: i64, b: i64| if (a % b != 0) && ((a < 0) != (b < 0)) { a / b - 1 } else { a / b };
    let result = match name {
        "add" => a.checked_add(b),
        "sub" => a.checked_sub(b),
        "mul" => a.checked_mul(b),
        "floordiv" | "mod" | "truediv" if b == 0 => return Err(raised("ZeroDivisionError: division by zero")),
        "floordiv" => Some(floored(a, b)),
        "mod" => Some(a - floored(a, b) * b),
        "truediv" => return Ok(Constant::float(a as f64 / b as f64)),
        "pow" if b >= 0 => u32::try_from(b).ok().and_then(|b| a.checked_pow(b)),
        "and_" => Some(a & b),
        "or_" => Some(a | b),
        "xor" => Some(a ^ b),
        "lshift" => u32::try_from(b).ok().and_then(|b| a.checked_shl(b)),
        "rshift" => u32::try_from(b).ok().and_then(|b| a.checked_shr(b)),
        _ => None,
    };
    result.map(Int).ok_or(FoldError::NotConstant)
}

fn of_floats(name: &str, a: f64, b: f64) -> Folded {
    Ok(Constant::float(match name {
        "add" => a + b,
        "sub" => a - b,
        "mul" => a * b,
        "truediv" | "floordiv" | "mod" if b == 0.0 => return Err(raised("ZeroDivisionError: division by zero")),
        "truediv" => a / b,
        "floordiv" => (a / b).floor(),
        "mod" => a - (a / b).floor() * b,
        "pow" => a.powf(b),
        _ => return Err(FoldError::NotConstant),
    }))
}

/// `str(value)`
fn text(value: &Constant) -> String {
    match value {
        Str(text) => text.clone(),
        value => value.to_string(),
    }
}

fn builtin(name: &str, args: &[Constant]) -> Folded {
    Ok(match (name, args) {
        ("bool", [a]) => Bool(truth(a)),
        ("abs", [a]) => return unary("abs", a),
        ("len", [Str(text)]) => Int(text.chars().count() as i64),
        ("str", [a]) => Str(text(a)),
        ("repr" | "ascii", [a]) => Str(a.to_string()),
        ("int", [a]) => match (int(a), float(a)) {
            (Some(a), _) => Int(a),
            (None, Some(a)) => Int(a as i64),
            _ => return Err(FoldError::NotConstant),
        },
        ("float", [a]) => Constant::float(float(a).ok_or(FoldError::NotConstant)?),
        ("format", [a]) => Str(text(a)),
        ("format", [a, Str(spec)]) => return format(a, spec),
        _ => return Err(FoldError::NotConstant),
    })
}

/// `format(value, spec)` where the spec is empty, a width with `<` or `>`, or digits after the point.
fn format(value: &Constant, spec: &str) -> Folded {
    let width = |digits: &str| digits.parse::<usize>().map_err(|_| FoldError::NotConstant);
    let digits = spec.strip_prefix('.').and_then(|spec| spec.strip_suffix('f'));
    Ok(Str(match (spec.chars().next(), digits, float(value)) {
        (None, ..) => text(value),
        (Some('>'), ..) => format!("{:>1$}", text(value), width(&spec[1..])?),
        (Some('<'), ..) => format!("{:<1$}", text(value), width(&spec[1..])?),
        (_, Some(digits), Some(value)) => format!("{value:.0$}", width(digits)?),
        _ => return Err(FoldError::NotConstant),
    }))
}

/// A method of a string.
fn method(name: &str, this: &str, args: &[Constant]) -> Folded {
    Ok(match (name, args) {
        ("upper", []) => Str(this.to_uppercase()),
        ("lower", []) => Str(this.to_lowercase()),
        ("strip", []) => Str(this.trim().to_owned()),
        ("startswith", [Str(start)]) => Bool(this.starts_with(start.as_str())),
        ("endswith", [Str(end)]) => Bool(this.ends_with(end.as_str())),
        ("replace", [Str(from), Str(to)]) => Str(this.replace(from.as_str(), to)),
        ("join", [Tuple(items)]) => {
            let items: Option<Vec<String>> = items.iter().map(as_str).collect();
            Str(items.ok_or_else(|| raised("TypeError: sequence item: expected str instance"))?.join(this))
        }
        _ => return Err(FoldError::NotConstant),
    })
}

fn as_str(value: &Constant) -> Option<String> {
    if let Str(text) = value { Some(text.clone()) } else { None }
}
