//! Assertions, which give nothing.

use super::{
    Rule,
    call::{Call, Result},
    strides,
};
use crate::{arg::Arg, aten::Packet, graph::Meta};
use symshapes::Expr;

/// The rules of this family.
pub(super) const RULES: &[(Packet, Rule)] = &[
    (Packet::_assert_async, |c| {
        let x = c.tensor("self")?;
        let count = strides::numel(&mut c.pool, &x.sizes);
        c.demand_equal(count, Expr::ONE)?;
        nothing(c)
    }),
    (Packet::_assert_scalar, |c| {
        let fails = match c.get("self") {
            Arg::Bool(holds) => !holds,
            Arg::Int(number) => *number == 0,
            Arg::Float(number) => *number == 0.0,
            _ => false,
        };
        if fails { Err(c.rejected("an assertion that does not hold")) } else { nothing(c) }
    }),
];

fn nothing(_: &mut Call) -> Result {
    Ok(Meta::Plain(Arg::None))
}
