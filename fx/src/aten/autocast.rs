//! What automatic mixed precision on the CPU does with the arguments of an operator.
//!
//! A row names operators without overloads; those in no row take their arguments as they are. Invariant: an operator
//! that is in no row, or in one other than [`Cast::Unknown`], calls none that converts otherwise. Modes and devices are
//! the caller's to know.

use symshapes::DType;

/// What a call does with its arguments.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cast {
    /// They become the chosen type.
    Lower,
    /// They become 32 bits wide.
    Full,
    /// They become the widest type among them.
    Widest,
    /// They stay what they are.
    Keep,
    /// It calls others, which do one thing or another.
    Unknown,
}

impl Cast {
    /// The type that an argument of type `dtype` becomes, if `chosen` is the mode's and `widest` that of the arguments.
    pub fn converted(self, dtype: DType, chosen: DType, widest: DType) -> DType {
        // Doubles are left alone.
        let eligible = dtype.is_float() && dtype != DType::F64;
        match self {
            Cast::Lower if eligible => chosen,
            Cast::Full if eligible => DType::F32,
            Cast::Widest if eligible => widest,
            _ => dtype,
        }
    }
}

/// The rows: operators without overload.
const ROWS: [(Cast, &str); 4] = [
    (
        Cast::Lower,
        "conv1d conv2d conv3d bmm mm baddbmm addmm addbmm linear matmul conv_tbc conv_transpose1d conv_transpose2d \
         conv_transpose3d prelu scaled_dot_product_attention linalg_vecdot convolution _convolution",
    ),
    (
        Cast::Full,
        "avg_pool3d binary_cross_entropy grid_sampler polar prod quantile nanquantile stft cdist trace view_as_complex \
         cholesky cholesky_inverse cholesky_solve inverse lu_solve orgqr ormqr pinverse max_pool3d max_unpool2d \
         max_unpool3d adaptive_avg_pool3d reflection_pad1d reflection_pad2d replication_pad1d replication_pad2d \
         replication_pad3d mse_loss cosine_embedding_loss nll_loss nll_loss2d hinge_embedding_loss poisson_nll_loss \
         smooth_l1_loss cross_entropy_loss l1_loss huber_loss margin_ranking_loss soft_margin_loss \
         triplet_margin_loss multi_margin_loss ctc_loss kl_div multilabel_margin_loss \
         binary_cross_entropy_with_logits geqrf _lu_with_info qr svd triangular_solve multilabel_margin_loss_forward \
         adaptive_max_pool3d fractional_max_pool2d fractional_max_pool3d grid_sampler_2d grid_sampler_3d \
         _grid_sampler_2d_cpu_fallback",
    ),
    (Cast::Widest, "stack cat index_copy"),
    (
        Cast::Unknown,
        "einsum tensordot bilinear chain_matmul inner kron lstm gru rnn_tanh rnn_relu lstm_cell gru_cell \
         cosine_similarity pairwise_distance multi_head_attention_forward _scaled_dot_product_attention_math \
         nll_loss_nd mv addmv concat concatenate hstack vstack dstack column_stack row_stack block_diag matrix_exp \
         matrix_power outer cov corrcoef pad _pad_enum istft gradient diff cartesian_prod combinations det logdet \
         slogdet rnn_relu_cell rnn_tanh_cell _convolution_mode thnn_conv2d flatten_dense_tensors _addmm_activation \
         _native_multi_head_attention mkldnn_rnn_layer fake_quantize_per_tensor_affine",
    ),
];

/// What the overload of this name does: `aten.mm.default`.
pub fn cast(target: &str) -> Cast {
    let Some(name) = target.strip_prefix("aten.") else { return Cast::Keep };
    let base = name.split('.').next().unwrap_or(name);
    let listed = ROWS.iter().find(|(_, names)| names.split_whitespace().any(|name| name == base));
    match listed {
        Some(&(cast, _)) => cast,
        None if base.starts_with("linalg_") || base.starts_with("fft_") => Cast::Unknown,
        None => Cast::Keep,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operator_has_one_row() {
        let mut names: Vec<&str> = ROWS.iter().flat_map(|(_, names)| names.split_whitespace()).collect();
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all);
    }

    #[test]
    fn overloads_do_what_their_operator_does() {
        let found =
            ["aten.mm.default", "aten.cat.out", "aten.prod.int", "aten.cov.default", "aten.add.Tensor"].map(cast);
        assert_eq!(found, [Cast::Lower, Cast::Widest, Cast::Full, Cast::Unknown, Cast::Keep]);
        assert_eq!([cast("aten.linalg_qr.default"), cast("torch.mm")], [Cast::Unknown, Cast::Keep]);
    }

    #[test]
    fn doubles_and_integers_stay() {
        for dtype in [DType::F64, DType::I64, DType::Bool] {
            assert_eq!(Cast::Lower.converted(dtype, DType::BF16, DType::F32), dtype);
        }
        assert_eq!(Cast::Full.converted(DType::F16, DType::BF16, DType::F16), DType::F32);
    }
}
