//! The element-wise overloads: which arguments are operands, and how their dtypes combine.
//!
//! A row is keyed by the operator's name and holds for all its overloads, or by that of one overload. The interpreter
//! computes by the same rows.

use super::{
    Rule,
    call::{Call, Result},
    promote::{
        Operand,
        Promotion::{self, *},
    },
    strides,
};
use crate::{
    arg::Arg,
    aten::{Bound, Overload, Return, Type},
    graph::Meta,
};
use rustc_hash::FxHashMap;
use std::sync::OnceLock;
use symshapes::{DTypeClass, TensorMeta};

/// An element-wise operator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Row {
    /// The operator's name, without overload where the row holds for all of them.
    pub name: &'static str,
    /// The parameters that are read element by element, broadcast against each other; those that an overload lacks
    /// or a call leaves out are skipped.
    pub operands: &'static [&'static str],
    /// How the dtypes of the operands combine.
    pub promotion: Promotion,
}

/// The row of an overload, if it is element-wise: that of its full name, else that of its operator, unless it
/// gives something else than a tensor, as `where` of a condition alone does.
pub fn row(overload: &Overload) -> Option<&'static Row> {
    let gives_tensor = matches!(&overload.schema.returns[..], [Return { ty: Type::Tensor, .. }]);
    exact(overload).or_else(|| index().get(overload.base()).filter(|_| gives_tensor))
}

/// The row that stands under the overload's full name.
pub(super) fn exact(overload: &Overload) -> Option<&'static Row> {
    index().get(overload.name.as_str())
}

fn index() -> &'static FxHashMap<&'static str, Row> {
    static INDEX: OnceLock<FxHashMap<&'static str, Row>> = OnceLock::new();
    let rows = || {
        ROWS.iter().flat_map(|(names, operands, promotion)| {
            names.split(' ').map(|name| (name, Row { name, operands, promotion: *promotion }))
        })
    };
    INDEX.get_or_init(|| rows().collect())
}

/// The operators whose result is row-major whatever its operands are.
const ROW_MAJOR: &[&str] = &["masked_fill", "log_sigmoid"];

/// The operators whose kernels look at their operands in the reverse order when they choose strides.
const LAID_OUT_BY_LAST: &[&str] = &["rsub", "threshold_backward", "leaky_relu_backward"];

/// The rule of every element-wise overload: broadcast sizes, promoted dtype, strides in the operands' order.
pub(super) fn rule(c: &mut Call) -> Result {
    let row = row(c.overload()).ok_or_else(|| c.unsupported("an op that is not element-wise"))?;
    let (mut standings, mut tensors): (Vec<Operand>, Vec<&TensorMeta>) = (Vec::new(), Vec::new());
    for name in row.operands {
        if let Some(tensor) = c.opt_tensor(name)? {
            standings.push(Operand::tensor(tensor.dtype, tensor.sizes.len()));
            tensors.push(tensor);
        } else if c.given(name) {
            standings.push(Operand::Number(number_class(c, name)?));
        }
    }
    let (_, dtype) = c.fits(row.promotion(c).apply(&standings))?;
    let sizes = c.broadcast(&tensors.iter().map(|t| &t.sizes[..]).collect::<Vec<_>>())?;
    let like = *c.fits(tensors.iter().find(|t| !t.sizes.is_empty()).or(tensors.first()))?;
    let requires_grad = tensors.iter().any(|t| t.requires_grad) && dtype.is_float();
    if LAID_OUT_BY_LAST.contains(&row.name) {
        tensors.reverse();
    }
    let beside_number = tensors.len() < standings.len() && NUMBERS_AS_TENSORS.contains(&row.operands);
    let strides = match (ROW_MAJOR.contains(&row.name), beside_number) {
        (true, _) => Some(strides::contiguous(&mut c.pool, &sizes)),
        (false, true) => strides::beside_number(&mut c.pool, &sizes, &tensors),
        (false, false) => strides::elementwise(&mut c.pool, &sizes, &tensors),
    };
    let strides = strides.ok_or_else(|| c.undecided("the order of strides"))?;
    Ok(Meta::Tensor(TensorMeta { requires_grad, ..c.strided(like, dtype, sizes, strides) }))
}

/// The overloads whose other arguments are looked at first.
pub(super) const RULES: &[(&str, Rule)] = &[("hardtanh", |c| {
    // `torch.nn.functional` refuses it, the operator does not.
    if c.get("min_val").as_float() > c.get("max_val").as_float() {
        return Err(c.unsupported("bounds that are not in order"));
    }
    rule(c)
})];

/// The class of a number among the operands.
pub(super) fn number_class(c: &Call, name: &str) -> Result<DTypeClass> {
    Ok(match c.get(name) {
        Arg::Bool(_) => DTypeClass::Bool,
        Arg::Int(_) | Arg::Sym(_) | Arg::Node(_) => DTypeClass::Int,
        Arg::Float(_) => DTypeClass::Float,
        Arg::Complex(..) => DTypeClass::Complex,
        _ => return Err(c.unsupported(format!("`{name}` that is neither tensor nor number"))),
    })
}

impl Row {
    /// How the dtypes combine in this call: a division that rounds stays among the integers.
    pub fn promotion(&self, call: &Bound) -> Promotion {
        let rounds = call.has("rounding_mode") && *call.get("rounding_mode") != Arg::None;
        if rounds { Default } else { self.promotion }
    }
}

const SELF: &[&str] = &["self"];
const BINARY: &[&str] = &["self", "other"];
const WHERE: &[&str] = &["condition", "self", "other"];
const GRAD_SELF: &[&str] = &["grad_output", "self"];
const GRAD_OUTPUT: &[&str] = &["grad_output", "output"];

/// The operands of operators that make a tensor without dimensions of a number.
const NUMBERS_AS_TENSORS: [&[&str]; 2] = [BINARY, WHERE];

/// Names that share their operands and promotion stand in one row.
const ROWS: &[(&str, &[&str], Promotion)] = &[
    ("neg abs sign sgn floor ceil trunc round frac positive bitwise_not relu", SELF, Default),
    ("square", SELF, BoolToInt),
    ("gelu silu mish elu celu selu leaky_relu relu6 hardtanh hardswish hardsigmoid softplus", SELF, Default),
    ("log_sigmoid threshold nan_to_num", SELF, Default),
    ("exp exp2 expm1 log log2 log10 log1p sqrt rsqrt reciprocal sigmoid tanh erf erfc", SELF, IntToFloat),
    ("sin cos tan asin acos atan sinh cosh asinh acosh atanh sinc logit deg2rad rad2deg", SELF, IntToFloat),
    ("isnan isinf isfinite signbit logical_not isposinf isneginf", SELF, Bool),
    ("add sub mul rsub subtract multiply maximum minimum fmax fmin fmod remainder floor_divide", BINARY, Default),
    ("bitwise_and bitwise_or bitwise_xor bitwise_left_shift bitwise_right_shift", BINARY, Default),
    ("__and__ __or__ __xor__ __lshift__ __rshift__ hypot logaddexp", BINARY, Default),
    ("div divide true_divide atan2 copysign xlogy", BINARY, IntToFloat),
    ("eq ne lt le gt ge logical_and logical_or logical_xor", BINARY, Bool),
    ("max.other min.other", BINARY, Default),
    ("pow", &["self", "exponent"], Default),
    ("heaviside", &["self", "values"], Default),
    ("where", WHERE, Rest),
    ("masked_fill", &["self", "mask", "value"], First),
    ("clamp clip", &["self", "min", "max"], Default),
    ("clamp_min", &["self", "min"], Default),
    ("clamp_max", &["self", "max"], Default),
    ("lerp", &["self", "end", "weight"], Default),
    ("addcmul addcdiv", &["self", "tensor1", "tensor2"], Default),
    ("threshold_backward gelu_backward silu_backward mish_backward leaky_relu_backward", GRAD_SELF, Default),
    ("hardswish_backward hardsigmoid_backward hardtanh_backward softplus_backward", GRAD_SELF, Default),
    ("log_sigmoid_backward logit_backward", GRAD_SELF, Default),
    ("tanh_backward sigmoid_backward", GRAD_OUTPUT, Default),
    ("elu_backward", &["grad_output", "self_or_result"], Default),
    ("native_dropout_backward", &["grad_output", "mask"], First),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aten;

    #[test]
    fn every_operand_is_a_parameter_of_some_overload() {
        let mut schemas: FxHashMap<&str, Vec<&aten::Overload>> = FxHashMap::default();
        for overload in aten::names().filter_map(aten::lookup) {
            schemas.entry(overload.base()).or_default().push(overload);
            schemas.entry(&overload.name).or_default().push(overload);
        }
        for (names, operands, _) in ROWS {
            for name in names.split(' ') {
                let overloads = schemas.get(name).unwrap_or_else(|| panic!("torch has no {name}"));
                for operand in *operands {
                    assert!(overloads.iter().any(|o| o.schema.position(operand).is_some()), "{name}: {operand}");
                }
            }
        }
    }

    #[test]
    fn an_overload_that_gives_a_list_has_no_row() {
        let found = |name| aten::lookup(name).map(row);
        assert_eq!(found("aten.where.default"), Some(None));
        assert!(matches!(found("aten.where.self"), Some(Some(_))));
    }
}
