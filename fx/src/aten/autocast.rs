//! The cast policies of automatic mixed precision (autocast): what it does with the arguments of an operator.
//!
//! The traits `cpu` and `cuda` of an operator follow the registrations for the dispatch keys `AutocastCPU` and
//! `AutocastCUDA` in `aten/src/ATen/autocast_mode.cpp`. Operators without one take their arguments on the CPU as they
//! are; on a GPU they are [`Cast::Unknown`]: many there are composed of others that are registered.
//! Invariant: an operator of [`Cast::Keep`] calls none that converts. Modes are the caller's to know.

pub use super::traits::Cast;
use super::{Aten, Packet};
use symshapes::{DType, DeviceKind};

impl Cast {
    /// The types that arguments of these types become, if `chosen` is the mode's; `None` where that is not known, or is
    /// an error.
    pub fn converted(self, dtypes: &[DType], chosen: DType) -> Option<Vec<DType>> {
        // Doubles are left alone.
        let is_eligible = |dtype: DType| dtype.is_float() && dtype != DType::F64;
        let all_are = |known: &[DType]| dtypes.iter().all(|dtype| !is_eligible(*dtype) || known.contains(dtype));
        let to = match self {
            Cast::Lower => chosen,
            Cast::Full | Cast::FullResult => DType::F32,
            Cast::Widest if !all_are(&[DType::F32, chosen]) => return None,
            Cast::Widest if dtypes.contains(&DType::F32) => DType::F32,
            Cast::Widest => chosen,
            Cast::Composed if !all_are(&[DType::F32]) => return None,
            Cast::Composed | Cast::Keep => return Some(dtypes.to_vec()),
            Cast::Unknown => return None,
        };
        let is_cast = |place: usize| self != Cast::FullResult || place == 0;
        let one = |(place, &dtype)| if is_cast(place) && is_eligible(dtype) { to } else { dtype };
        Some(dtypes.iter().enumerate().map(one).collect())
    }
}

/// The cast policy of an overload for its arguments on a kind of device.
pub fn cast(op: Aten, device: DeviceKind) -> Cast {
    let row = |packet: Packet| match device {
        DeviceKind::Cpu => packet.traits().cpu,
        DeviceKind::Cuda => packet.traits().cuda,
        DeviceKind::Meta | DeviceKind::Other => Some(Cast::Unknown),
    };
    let packet = op.packet();
    match (row(packet), device) {
        (Some(Cast::Keep), _) => Cast::Keep,
        // Forms that write to `out` are not registered.
        (Some(_), _) if op.overload_name().ends_with("out") => Cast::Unknown,
        (Some(cast), _) => cast,
        (None, DeviceKind::Cpu) => Cast::Keep,
        (None, _) if packet.out_of_place().and_then(row) == Some(Cast::Keep) => Cast::Keep,
        (None, _) => Cast::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn casts<const N: usize>(device: DeviceKind, ops: [Aten; N]) -> [Cast; N] {
        ops.map(|op| cast(op, device))
    }

    #[test]
    fn overloads_do_what_their_operator_does() {
        let ops = [Aten::mm_default, Aten::cat_out, Aten::prod_dim_int, Aten::cov_default, Aten::add_Tensor];
        let found = casts(DeviceKind::Cpu, ops);
        assert_eq!(found, [Cast::Lower, Cast::Unknown, Cast::Full, Cast::Unknown, Cast::Keep]);
        assert_eq!(cast(Aten::linalg_qr_default, DeviceKind::Cpu), Cast::Unknown);
    }

    #[test]
    fn devices_differ() {
        let ops = [Aten::exp_default, Aten::cat_default, Aten::sum_dim_IntList, Aten::stft_default];
        assert_eq!(casts(DeviceKind::Cpu, ops), [Cast::Keep, Cast::Widest, Cast::Keep, Cast::Full]);
        assert_eq!(casts(DeviceKind::Cuda, ops), [Cast::Full, Cast::Keep, Cast::FullResult, Cast::Unknown]);
        assert_eq!(casts(DeviceKind::Other, ops), [Cast::Unknown; 4]);
    }

    #[test]
    fn in_place_forms_are_not_registered() {
        let ops = [Aten::add__Tensor, Aten::exp__default, Aten::square__default, Aten::addmm__default];
        assert_eq!(casts(DeviceKind::Cuda, ops), [Cast::Keep, Cast::Keep, Cast::Unknown, Cast::Unknown]);
    }

    #[test]
    fn doubles_and_integers_stay() {
        let others = [DType::F64, DType::I64, DType::Bool];
        for cast in [Cast::Lower, Cast::Full, Cast::FullResult, Cast::Widest, Cast::Composed] {
            assert_eq!(cast.converted(&others, DType::BF16), Some(others.to_vec()));
        }
    }

    #[test]
    fn what_becomes_of_element_types() {
        use DType::{BF16, F16, F32};
        let rows = [
            (Cast::Lower, [F16, F32], Some([BF16, BF16])),
            (Cast::Full, [F16, BF16], Some([F32, F32])),
            (Cast::FullResult, [BF16, BF16], Some([F32, BF16])),
            (Cast::Widest, [BF16, F32], Some([F32, F32])),
            // `at::autocast::prioritize` knows two types.
            (Cast::Widest, [F16, F32], None),
            (Cast::Composed, [F32, F32], Some([F32, F32])),
            (Cast::Composed, [F32, BF16], None),
            (Cast::Unknown, [F32, F32], None),
        ];
        for (cast, dtypes, expected) in rows {
            assert_eq!(cast.converted(&dtypes, BF16), expected.map(|types| types.to_vec()), "{cast:?} {dtypes:?}");
        }
    }
}
