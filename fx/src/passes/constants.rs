//! Constant folding of Python's arithmetic on plain numbers.
//!
//! Only `operator.*` calls whose operands are all `int` or `float` are folded, and only where the result is what
//! Python gives: not where an `int` would outgrow 64 bits, not where Python raises (division by zero).

use crate::arg::Arg;
use crate::graph::{Graph, Kind, Node, NodeId};
use cranelift_entity::SecondaryMap;

/// Replaces each use of a foldable node by its value and erases the node. Returns how many were erased.
pub fn fold_constants(graph: &mut Graph) -> usize {
    let mut values: SecondaryMap<NodeId, Option<Arg>> = SecondaryMap::with_capacity(graph.capacity());
    let order: Vec<NodeId> = graph.nodes().collect();
    for id in order {
        let node = &mut graph[id];
        for arg in node.all_args_mut() {
            *arg = arg.map_nodes(&mut |n| values[n].clone().unwrap_or(Arg::Node(n)));
        }
        values[id] = fold(node);
    }
    let before = graph.len();
    graph.retain(|id| values[id].is_none());
    before - graph.len()
}

fn fold(node: &Node) -> Option<Arg> {
    if node.kind != Kind::CallFunction || !node.kwargs.is_empty() {
        return None;
    }
    let name = node.target.strip_prefix("operator.")?;
    match node.args.as_slice() {
        [a] => unary(name, number(a)?),
        [a, b] => match (number(a)?, number(b)?) {
            (Number::Int(a), Number::Int(b)) => ints(name, a, b),
            (a, b) => floats(name, a.float()?, b.float()?),
        },
        _ => None,
    }
}

/// A plain number. A `bool` is none: some operators give a `bool` for two of them.
#[derive(Clone, Copy)]
enum Number {
    Int(i64),
    Float(f64),
}

impl Number {
    /// The number as a float, if it is one exactly: Python compares and converts large `int`s with care.
    fn float(self) -> Option<f64> {
        match self {
            Number::Float(v) => Some(v),
            Number::Int(v) => (v.unsigned_abs() <= 1 << 53).then_some(v as f64),
        }
    }
}

fn number(arg: &Arg) -> Option<Number> {
    match arg {
        Arg::Int(v) => Some(Number::Int(*v)),
        Arg::Float(v) => Some(Number::Float(*v)),
        _ => None,
    }
}

fn unary(name: &str, v: Number) -> Option<Arg> {
    match (name, v) {
        ("neg", Number::Int(v)) => v.checked_neg().map(Arg::Int),
        ("neg", Number::Float(v)) => Some(Arg::Float(-v)),
        ("pos", Number::Int(v)) => Some(Arg::Int(v)),
        ("pos", Number::Float(v)) => Some(Arg::Float(v)),
        ("abs", Number::Int(v)) => v.checked_abs().map(Arg::Int),
        ("abs", Number::Float(v)) => Some(Arg::Float(v.abs())),
        ("invert", Number::Int(v)) => Some(Arg::Int(!v)),
        _ => None,
    }
}

fn ints(name: &str, a: i64, b: i64) -> Option<Arg> {
    let int = match name {
        "add" => a.checked_add(b),
        "sub" => a.checked_sub(b),
        "mul" => a.checked_mul(b),
        "floordiv" => floor_div(a, b),
        "mod" => floor_div(a, b).and_then(|q| q.checked_mul(b)).map(|qb| a - qb),
        "pow" => u32::try_from(b).ok().and_then(|b| a.checked_pow(b)),
        "and_" => Some(a & b),
        "or_" => Some(a | b),
        "xor" => Some(a ^ b),
        "lshift" => u32::try_from(b).ok().filter(|&b| b < 63).and_then(|b| a.checked_mul(1 << b)),
        "rshift" => u32::try_from(b).ok().map(|b| a >> b.min(63)),
        "truediv" => {
            let (x, y) = (Number::Int(a).float()?, Number::Int(b).float()?);
            return (b != 0).then(|| Arg::Float(x / y));
        }
        _ => return compare(name, &a, &b),
    };
    int.map(Arg::Int)
}

/// Division towards −∞.
fn floor_div(a: i64, b: i64) -> Option<i64> {
    let q = a.checked_div(b)?;
    Some(if a % b != 0 && (a < 0) != (b < 0) { q - 1 } else { q })
}

/// `floordiv`, `mod` and `pow` of floats have cases of their own in Python; they are left alone.
fn floats(name: &str, a: f64, b: f64) -> Option<Arg> {
    let float = match name {
        "add" => a + b,
        "sub" => a - b,
        "mul" => a * b,
        "truediv" if b != 0.0 => a / b,
        "truediv" => return None,
        _ => return compare(name, &a, &b),
    };
    Some(Arg::Float(float))
}

fn compare<T: PartialOrd>(name: &str, a: &T, b: &T) -> Option<Arg> {
    let truth = match name {
        "eq" => a == b,
        "ne" => a != b,
        "lt" => a < b,
        "le" => a <= b,
        "gt" => a > b,
        "ge" => a >= b,
        _ => return None,
    };
    Some(Arg::Bool(truth))
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    fn value(name: &str, args: &[Arg]) -> Option<Arg> {
        let mut g = Graph::new();
        let id = g.call_function(format!("operator.{name}"), args.to_vec(), vec![]);
        fold(&g[id])
    }

    #[test]
    fn chains_fold() {
        let mut g: Graph = "graph {
            %x = placeholder[x]
            %a = call_function[operator.mul](6, 7)
            %b = call_function[operator.truediv](%a, 4)
            %c = call_method[view](%x, (%a, -1), scale=%b)
            %d = call_function[operator.floordiv](%a, 0)
            %output = output((%c, %d))
        }"
        .parse()
        .expect("test graph");
        assert_eq!(fold_constants(&mut g), 2);
        expect![[r"
            graph {
              %x = placeholder[x]
              %c = call_method[view](%x, (42, -1), scale=10.5)
              %d = call_function[operator.floordiv](42, 0)
              %output = output((%c, %d))
            }
        "]]
        .assert_eq(&g.to_text());
    }

    #[test]
    fn division_is_python_s() {
        let cases = [(7, 2, 3, 1), (-7, 2, -4, 1), (7, -2, -4, -1), (-7, -2, 3, -1), (6, -3, -2, 0)];
        for (a, b, q, r) in cases {
            assert_eq!(value("floordiv", &[a.into(), b.into()]), Some(q.into()), "{a} // {b}");
            assert_eq!(value("mod", &[a.into(), b.into()]), Some(r.into()), "{a} % {b}");
        }
        assert_eq!(value("floordiv", &[i64::MIN.into(), (-1).into()]), None);
        assert_eq!(value("mod", &[1.into(), 0.into()]), None);
    }

    #[test]
    fn what_python_would_grow_or_refuse_stays() {
        assert_eq!(value("mul", &[i64::MAX.into(), 2.into()]), None);
        assert_eq!(value("pow", &[2.into(), (-1).into()]), None);
        assert_eq!(value("lshift", &[1.into(), 62.into()]), Some((1i64 << 62).into()));
        assert_eq!(value("lshift", &[1.into(), 63.into()]), None);
        assert_eq!(value("truediv", &[1.0.into(), 0.0.into()]), None);
        assert_eq!(value("add", &[Arg::Bool(true), 1.into()]), None);
        assert_eq!(value("lt", &[1.into(), 1.5.into()]), Some(true.into()));
    }
}
