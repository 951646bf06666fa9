//! The element-wise overloads: which arguments are operands, and how their dtypes combine.
//!
//! A row is an operator's and holds for all its overloads, or that of one overload. The interpreter computes by these
//! rows, too.

use super::{
    call::{Call, Result},
    promote::{
        Operand,
        Promotion::{self, *},
    },
    strides,
};
use crate::{
    arg::Arg,
    aten::{Aten, Bound, Packet, Return, Type},
    graph::Meta,
    packets,
};
use rustc_hash::FxHashMap;
use std::sync::OnceLock;
use symshapes::{DType, DTypeClass, TensorMeta};

/// An element-wise operator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Row {
    /// The operator.
    pub packet: Packet,
    /// The parameters that are read element by element, broadcast against each other; those that an overload lacks
    /// or a call leaves out are skipped.
    pub operands: &'static [&'static str],
    /// The type promotion of the operands.
    pub promotion: Promotion,
}

/// The row of an overload, if it is element-wise: its own, else that of its operator, unless it gives something else
/// than a tensor, as `where` of a condition alone does.
pub fn row(op: Aten) -> Option<Row> {
    static INDEX: OnceLock<FxHashMap<Packet, Row>> = OnceLock::new();
    let rows = || {
        ROWS.iter().flat_map(|&(packets, operands, promotion)| {
            packets.iter().map(move |&packet| (packet, Row { packet, operands, promotion }))
        })
    };
    let gives_tensor = || matches!(&op.schema.returns[..], [Return { ty: Type::Tensor, .. }]);
    exact(op).or_else(|| INDEX.get_or_init(|| rows().collect()).get(&op.packet()).copied().filter(|_| gives_tensor()))
}

/// The row of an overload whose operator has none.
pub(super) fn exact(op: Aten) -> Option<Row> {
    matches!(op, Aten::max_other | Aten::min_other).then_some(Row {
        packet: op.packet(),
        operands: BINARY,
        promotion: Default,
    })
}

/// The operators whose result is row-major whatever its operands are.
const ROW_MAJOR: &[Packet] = packets![masked_fill log_sigmoid];

/// The operators whose kernels look at their operands in the reverse order when they choose strides.
const LAID_OUT_BY_LAST: &[Packet] = packets![rsub threshold_backward leaky_relu_backward];

/// The rule of every element-wise overload: broadcast sizes, promoted dtype, strides in the operands' order.
pub(super) fn rule(c: &mut Call) -> Result {
    let row = row(c.op()).ok_or_else(|| c.unsupported("an op that is not element-wise"))?;
    accepts(c, &row)?;
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
    let requires_grad = tensors.iter().any(|t| t.requires_grad) && dtype.class() >= DTypeClass::Float;
    if LAID_OUT_BY_LAST.contains(&row.packet) {
        tensors.reverse();
    }
    let beside_number = tensors.len() < standings.len() && NUMBERS_AS_TENSORS.contains(&row.operands);
    let strides = match (ROW_MAJOR.contains(&row.packet), beside_number) {
        (true, _) => Some(strides::contiguous(&mut c.pool, &sizes)),
        (false, true) => strides::beside_number(&mut c.pool, &sizes, &tensors),
        (false, false) => strides::elementwise(&mut c.pool, &sizes, &tensors),
    };
    let strides = strides.ok_or_else(|| c.undecided("the order of strides"))?;
    Ok(Meta::Tensor(TensorMeta { requires_grad, ..c.strided(like, dtype, sizes, strides) }))
}

/// Refuses the operands that torch refuses though they could be promoted.
fn accepts(c: &Call, row: &Row) -> Result<()> {
    match row.packet {
        Packet::hardtanh if c.get("min_val").as_float() > c.get("max_val").as_float() => {
            // `torch.nn.functional` refuses it, the operator does not.
            Err(c.unsupported("bounds that are not in order"))
        }
        Packet::clamp if !c.given("min") && !c.given("max") => Err(c.rejected("neither a least nor a greatest value")),
        Packet::r#where if !matches!(c.tensor("condition")?.dtype, DType::Bool | DType::U8) => {
            Err(c.rejected("a condition that is not boolean"))
        }
        Packet::masked_fill if c.tensor("mask")?.dtype != DType::Bool => Err(c.rejected("a mask that is not boolean")),
        Packet::heaviside | Packet::lerp => {
            let tensors = row.operands.iter().map(|name| c.opt_tensor(name)).collect::<Result<Vec<_>>>()?;
            let mut dtypes = tensors.into_iter().flatten().map(|tensor| tensor.dtype);
            let first = dtypes.next();
            match dtypes.all(|dtype| Some(dtype) == first) {
                true => Ok(()),
                false => Err(c.rejected("tensors of several element types")),
            }
        }
        _ => Ok(()),
    }
}

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
    /// The type promotion of this call: a division that rounds stays among the integers.
    pub fn promotion(&self, call: &Bound) -> Promotion {
        let rounds = call.has("rounding_mode") && *call.get("rounding_mode") != Arg::None;
        if rounds { Default } else { self.promotion }
    }
}

const SELF: &[&str] = &["self"];
/// A polynomial, and its degree.
const OF_DEGREE: &[&str] = &["x", "n"];
const BINARY: &[&str] = &["self", "other"];
const WHERE: &[&str] = &["condition", "self", "other"];
const GRAD_SELF: &[&str] = &["grad_output", "self"];
const GRAD_OUTPUT: &[&str] = &["grad_output", "output"];

/// The operands of operators that make a tensor without dimensions of a number.
const NUMBERS_AS_TENSORS: [&[&str]; 2] = [BINARY, WHERE];

/// Names that share their operands and promotion stand in one row.
const ROWS: &[(&[Packet], &[&str], Promotion)] = &[
    (packets![neg abs sign sgn floor ceil trunc round frac positive bitwise_not relu], SELF, Default),
    (packets![square], SELF, BoolToInt),
    (packets![gelu silu mish elu celu selu leaky_relu relu6 hardtanh hardswish hardsigmoid softplus], SELF, Default),
    (packets![log_sigmoid threshold nan_to_num hardshrink softshrink], SELF, Default),
    (packets![exp exp2 expm1 log log2 log10 log1p sqrt rsqrt reciprocal sigmoid tanh erf erfc], SELF, IntToFloat),
    (packets![sin cos tan asin acos atan sinh cosh asinh acosh atanh sinc logit deg2rad rad2deg], SELF, IntToFloat),
    (packets![digamma erfinv i0 lgamma polygamma angle special_bessel_j0 special_bessel_j1], SELF, IntToFloat),
    (
        packets![special_bessel_y0 special_bessel_y1 special_entr special_erfcx special_i0e special_i1 special_i1e],
        SELF,
        IntToFloat,
    ),
    (
        packets![special_log_ndtr special_modified_bessel_i0 special_modified_bessel_i1 special_modified_bessel_k0],
        SELF,
        IntToFloat,
    ),
    (packets![special_modified_bessel_k1 special_ndtr special_ndtri], SELF, IntToFloat),
    (packets![special_airy_ai special_scaled_modified_bessel_k0 special_scaled_modified_bessel_k1], &["x"], IntToFloat),
    (packets![special_spherical_bessel_j0], &["x"], IntToFloat),
    (
        packets![special_chebyshev_polynomial_t special_chebyshev_polynomial_u special_chebyshev_polynomial_v],
        OF_DEGREE,
        IntToFloat,
    ),
    (
        packets![special_chebyshev_polynomial_w special_hermite_polynomial_h special_hermite_polynomial_he],
        OF_DEGREE,
        IntToFloat,
    ),
    (
        packets![special_laguerre_polynomial_l special_legendre_polynomial_p special_shifted_chebyshev_polynomial_t],
        OF_DEGREE,
        IntToFloat,
    ),
    (packets![special_shifted_chebyshev_polynomial_u special_shifted_chebyshev_polynomial_v], OF_DEGREE, IntToFloat),
    (packets![special_shifted_chebyshev_polynomial_w], OF_DEGREE, IntToFloat),
    (packets![isnan isinf isfinite signbit logical_not isposinf isneginf], SELF, Bool),
    (
        packets![add sub mul rsub subtract multiply maximum minimum fmax fmin fmod remainder floor_divide],
        BINARY,
        Default,
    ),
    (packets![bitwise_and bitwise_or bitwise_xor bitwise_left_shift bitwise_right_shift], BINARY, Default),
    (packets![__and__ __or__ __xor__ __lshift__ __rshift__ hypot logaddexp logaddexp2 nextafter], BINARY, Default),
    (packets![gcd lcm igamma igammac], BINARY, Default),
    (packets![div divide true_divide atan2 copysign xlogy special_xlog1py special_zeta], BINARY, IntToFloat),
    (packets![eq ne lt le gt ge logical_and logical_or logical_xor], BINARY, Bool),
    (packets![pow], &["self", "exponent"], Default),
    (packets![heaviside], &["self", "values"], Default),
    (packets![r#where], WHERE, Rest),
    (packets![masked_fill], &["self", "mask", "value"], First),
    (packets![clamp clip], &["self", "min", "max"], Default),
    (packets![clamp_min], &["self", "min"], Default),
    (packets![clamp_max], &["self", "max"], Default),
    (packets![lerp], &["self", "end", "weight"], Default),
    (packets![addcmul addcdiv], &["self", "tensor1", "tensor2"], Default),
    (packets![threshold_backward gelu_backward silu_backward mish_backward leaky_relu_backward], GRAD_SELF, Default),
    (packets![hardswish_backward hardsigmoid_backward hardtanh_backward softplus_backward], GRAD_SELF, Default),
    (packets![softshrink_backward log_sigmoid_backward logit_backward], GRAD_SELF, Default),
    (packets![tanh_backward sigmoid_backward], GRAD_OUTPUT, Default),
    (packets![hardshrink_backward], &["grad_out", "self"], Default),
    (packets![_prelu_kernel], &["self", "weight"], Default),
    (packets![elu_backward], &["grad_output", "self_or_result"], Default),
    (packets![native_dropout_backward], &["grad_output", "mask"], IntToFloat),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operand_is_a_parameter_of_some_overload() {
        for &(packets, operands, _) in ROWS {
            for packet in packets {
                for operand in operands {
                    let has = |op: Aten| op.schema.position(operand).is_some();
                    assert!(packet.overloads().any(has), "{packet}: {operand}");
                }
            }
        }
    }

    #[test]
    fn an_overload_that_gives_a_list_has_no_row() {
        assert_eq!(row(Aten::where_default), None);
        assert!(row(Aten::where_self).is_some() && row(Aten::max_other).is_some() && row(Aten::max_default).is_none());
    }
}
