//! Type promotion, as torch defines it for operands of unequal standing.
//!
//! Operands stand in three ranks: tensors with dimensions, tensors without, plain numbers. A lower rank counts only
//! by its class: it raises the result where its class (bool < int < float < complex) exceeds that of the ranks above.

use symshapes::{DType, DTypeClass};

/// The dtype of a floating-point number that no tensor decides (`torch.get_default_dtype()`, as torch starts).
pub const DEFAULT_FLOAT: DType = DType::F32;

/// An operand, as promotion sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operand {
    /// A tensor with dimensions.
    Tensor(DType),
    /// A tensor without dimensions.
    ZeroDim(DType),
    /// A Python number.
    Number(DTypeClass),
}

impl Operand {
    /// A tensor operand of this rank.
    pub fn tensor(dtype: DType, rank: usize) -> Operand {
        if rank == 0 { Operand::ZeroDim(dtype) } else { Operand::Tensor(dtype) }
    }
}

/// The dtype of a result, given the promoted one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Promotion {
    /// The promoted dtype.
    Default,
    /// The promoted dtype; the default float for integers and bool.
    IntToFloat,
    /// The promoted dtype; `int64` for bool.
    BoolToInt,
    /// Computes in the promoted dtype and gives bool.
    Bool,
    /// The dtype of the first operand.
    First,
    /// The promoted dtype of all operands but the first, which is a condition.
    Rest,
}

impl Promotion {
    /// The dtype in which the op computes, and the dtype that it gives; `None` without operands.
    pub fn apply(self, operands: &[Operand]) -> Option<(DType, DType)> {
        let common = match self {
            Promotion::First => result_type(operands.get(..1)?),
            Promotion::Rest => result_type(operands.get(1..)?),
            _ => result_type(operands),
        }?;
        Some(match self {
            Promotion::Bool => (common, DType::Bool),
            Promotion::IntToFloat if common.class() < DTypeClass::Float => (DEFAULT_FLOAT, DEFAULT_FLOAT),
            Promotion::BoolToInt if common == DType::Bool => (DType::I64, DType::I64),
            _ => (common, common),
        })
    }
}

/// `torch.result_type` of any number of operands.
pub fn result_type(operands: &[Operand]) -> Option<DType> {
    let mut ranks = [None; 3];
    for operand in operands {
        let (rank, dtype) = match *operand {
            Operand::Tensor(dtype) => (0, dtype),
            Operand::ZeroDim(dtype) => (1, dtype),
            Operand::Number(class) => (2, number_dtype(class)),
        };
        ranks[rank] = Some(ranks[rank].map_or(dtype, |d: DType| d.promote(dtype)));
    }
    ranks.into_iter().flatten().reduce(raise)
}

/// The dtype that a Python number has by itself.
pub fn number_dtype(class: DTypeClass) -> DType {
    match class {
        DTypeClass::Bool => DType::Bool,
        DTypeClass::Int => DType::I64,
        DTypeClass::Float => DEFAULT_FLOAT,
        DTypeClass::Complex => DType::C64,
    }
}

fn raise(higher: DType, lower: DType) -> DType {
    if lower.class() > higher.class() { higher.promote(lower) } else { higher }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lower_ranks_count_by_class_only() {
        use DType::*;
        use Operand::*;
        let cases: &[(&[Operand], DType)] = &[
            (&[Tensor(F16), ZeroDim(F64)], F16),
            (&[Tensor(I32), ZeroDim(F64)], F64),
            (&[Tensor(I32), Number(DTypeClass::Float)], F32),
            (&[Tensor(U8), Number(DTypeClass::Int)], U8),
            (&[Tensor(Bool), Number(DTypeClass::Int)], I64),
            (&[ZeroDim(BF16), Number(DTypeClass::Float)], BF16),
            (&[Tensor(I64), Tensor(F16)], F16),
            (&[Tensor(F64), Number(DTypeClass::Complex)], C128),
            (&[Number(DTypeClass::Bool), Number(DTypeClass::Int)], I64),
        ];
        for (operands, want) in cases {
            assert_eq!(result_type(operands), Some(*want), "{operands:?}");
        }
    }

    #[test]
    fn promotion_kinds() {
        let ints = [Operand::Tensor(DType::I64)];
        assert_eq!(Promotion::IntToFloat.apply(&ints), Some((DType::F32, DType::F32)));
        assert_eq!(Promotion::Bool.apply(&ints), Some((DType::I64, DType::Bool)));
        assert_eq!(Promotion::Default.apply(&[]), None);
    }
}
