//! The calls in a graph that are no ATen overloads: picking from tuples, arithmetic on sizes.

use crate::{
    arg::Arg,
    graph::{Meta, Nodes},
};
use symshapes::{Expr, Pool};

/// The metadata of a call of `target`; `None` if that is not known.
pub(super) fn call(pool: &mut Pool, nodes: &Nodes, target: &str, args: &[Arg]) -> Option<Meta> {
    if target == "operator.getitem" {
        let (Some(Arg::Node(node)), Some(Arg::Int(i))) = (args.first(), args.get(1)) else { return None };
        let Meta::Tuple(items) = nodes[*node].meta.as_ref()? else { return None };
        let at = if *i < 0 { *i + items.len() as i64 } else { *i };
        return items.get(usize::try_from(at).ok()?)?.clone();
    }
    let meta_of = |arg: &Arg| nodes[arg.as_node()?].meta.as_ref();
    let operands = args.iter().map(|arg| int_of(pool, arg, meta_of(arg))).collect::<Option<Vec<_>>>()?;
    int_op(pool, target, &operands).map(Meta::Int)
}

/// The result of a function of integers; `None` if it is not known, or no expression says it.
pub fn int_op(pool: &mut Pool, target: &str, operands: &[Expr]) -> Option<Expr> {
    Some(match (target, operands) {
        ("operator.neg", &[a]) => pool.neg(a),
        ("operator.pos", &[a]) => a,
        ("operator.abs", &[a]) => pool.abs(a),
        ("operator.invert", &[a]) => {
            let negative = pool.neg(a);
            pool.add_int(negative, -1)
        }
        ("operator.add", &[a, b]) => pool.add(a, b),
        ("operator.sub", &[a, b]) => pool.sub(a, b),
        ("operator.mul", &[a, b]) => pool.mul(a, b),
        ("operator.floordiv", &[a, b]) => pool.floor_div(a, b),
        ("operator.mod", &[a, b]) => pool.modulo(a, b),
        // A negative exponent gives a float, a negative shift is an error.
        ("operator.pow" | "operator.lshift" | "operator.rshift", &[_, n]) if pool.range(n).lo < 0 => return None,
        ("operator.pow", &[a, n]) => pool.pow(a, n),
        ("operator.lshift", &[a, k]) => pool.shift_left(a, k),
        ("operator.rshift", &[a, k]) => pool.shift_right(a, k),
        ("operator.and_" | "operator.or_" | "operator.xor", &[a, b]) => bit_op(pool, target, a, b)?,
        ("torch.sym_min", &[a, b]) => pool.min(a, b),
        ("torch.sym_max", &[a, b]) => pool.max(a, b),
        _ => return None,
    })
}

/// `&`, `|` and `^` by a constant: `a | m == a + m - (a & m)` and `a ^ m == a + m - 2*(a & m)`.
fn bit_op(pool: &mut Pool, target: &str, a: Expr, b: Expr) -> Option<Expr> {
    let (x, mask) = match (pool.as_int(a), pool.as_int(b)) {
        (_, Some(mask)) => (a, mask),
        (Some(mask), None) => (b, mask),
        (None, None) => return None,
    };
    let common = pool.bit_and(x, mask);
    if target == "operator.and_" {
        return Some(common);
    }
    let common = pool.mul_int(common, if target == "operator.or_" { 1 } else { 2 });
    let both = pool.add_int(x, mask);
    Some(pool.sub(both, common))
}

/// An integer argument as an expression, given the metadata of the node that it is; `None` if it is no integer.
pub(crate) fn int_of(pool: &mut Pool, arg: &Arg, meta: Option<&Meta>) -> Option<Expr> {
    match arg {
        Arg::Int(i) => Some(pool.int(*i)),
        Arg::Sym(e) => Some(*e),
        Arg::Node(_) => match meta? {
            Meta::Int(e) => Some(*e),
            Meta::Plain(Arg::Int(i)) => Some(pool.int(*i)),
            _ => None,
        },
        _ => None,
    }
}
