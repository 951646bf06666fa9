//! The calls in a graph that are no ATen overloads: picking from tuples, arithmetic on sizes.

use crate::{
    arg::Arg,
    graph::{Meta, Nodes},
};
use symshapes::{Expr, Pool};

/// What `target` gives; `None` if that is not known.
pub(super) fn call(pool: &mut Pool, nodes: &Nodes, target: &str, args: &[Arg]) -> Option<Meta> {
    if target == "operator.getitem" {
        let (Some(Arg::Node(node)), Some(Arg::Int(i))) = (args.first(), args.get(1)) else { return None };
        let Meta::Tuple(items) = nodes[*node].meta.as_ref()? else { return None };
        let at = if *i < 0 { *i + items.len() as i64 } else { *i };
        return items.get(usize::try_from(at).ok()?)?.clone();
    }
    let operands = args.iter().map(|a| int(pool, nodes, a)).collect::<Option<Vec<_>>>()?;
    let value = match (target, operands[..].as_ref()) {
        ("operator.neg", &[a]) => pool.neg(a),
        ("operator.add", &[a, b]) => pool.add(a, b),
        ("operator.sub", &[a, b]) => pool.sub(a, b),
        ("operator.mul", &[a, b]) => pool.mul(a, b),
        ("operator.floordiv", &[a, b]) => pool.floor_div(a, b),
        ("operator.mod", &[a, b]) => pool.modulo(a, b),
        ("torch.sym_min", &[a, b]) => pool.min(a, b),
        ("torch.sym_max", &[a, b]) => pool.max(a, b),
        _ => return None,
    };
    Some(Meta::Int(value))
}

fn int(pool: &mut Pool, nodes: &Nodes, arg: &Arg) -> Option<Expr> {
    match arg {
        Arg::Int(i) => Some(pool.int(*i)),
        Arg::Sym(e) => Some(*e),
        Arg::Node(node) => match nodes[*node].meta.as_ref()? {
            Meta::Int(e) => Some(*e),
            Meta::Plain(Arg::Int(i)) => Some(pool.int(*i)),
            _ => None,
        },
        _ => None,
    }
}
