//! Operators that are others under a second name, with the same parameters.

use crate::aten::Aten;

/// Overloads, and those that they call.
pub(super) const ROWS: &[(Aten, Aten)] = &[
    (Aten::absolute_default, Aten::abs_default),
    (Aten::broadcast_to_default, Aten::expand_default),
    (Aten::concat_default, Aten::cat_default),
    (Aten::concatenate_default, Aten::cat_default),
    (Aten::fix_default, Aten::trunc_default),
    (Aten::greater_Scalar, Aten::gt_Scalar),
    (Aten::greater_Tensor, Aten::gt_Tensor),
    (Aten::greater_equal_Scalar, Aten::ge_Scalar),
    (Aten::greater_equal_Tensor, Aten::ge_Tensor),
    (Aten::less_Scalar, Aten::lt_Scalar),
    (Aten::less_Tensor, Aten::lt_Tensor),
    (Aten::less_equal_Scalar, Aten::le_Scalar),
    (Aten::less_equal_Tensor, Aten::le_Tensor),
    (Aten::linalg_matmul_default, Aten::matmul_default),
    (Aten::negative_default, Aten::neg_default),
    (Aten::not_equal_Scalar, Aten::ne_Scalar),
    (Aten::not_equal_Tensor, Aten::ne_Tensor),
    (Aten::orgqr_default, Aten::linalg_householder_product_default),
    (Aten::swapaxes_default, Aten::transpose_int),
    (Aten::swapdims_default, Aten::transpose_int),
    (Aten::matrix_exp_default, Aten::linalg_matrix_exp_default),
];
