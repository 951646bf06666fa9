//! Comparison of tensors with guards.
//!
//! Most calls bring the tensors that were guarded, or ones just like them: these are recognised by a comparison of
//! plain numbers with what was prepared, which many guards share. All else is decided by the guard itself.
//!
//! Law: [`Wanted::accepts`] says what [`fits`] does.

use super::classify;
use crate::torch::{Info, Torch};
use dynamo_core::host::View;
use guards::{Layout, ObjectId, TensorFacts, TensorGuard};
use pyo3::prelude::*;

/// A guard in the form in which it is compared first.
pub(super) struct Wanted {
    /// The address of the Python type, which lasts.
    class: usize,
    keys: u64,
    requires_grad: bool,
    dtype: i32,
    device_index: Option<i32>,
    /// The sizes and strides. A stride is observable where no address depends on it, too: `stride()` gives it, and so
    /// do views among the results.
    sizes: Box<[Extent]>,
    strides: Box<[Extent]>,
}

/// A size or a stride; any will do if the mask is 0.
struct Extent {
    value: i64,
    mask: i64,
}

impl Extent {
    fn new(wanted: Option<i64>) -> Extent {
        Extent { value: wanted.unwrap_or(0), mask: if wanted.is_some() { -1 } else { 0 } }
    }

    fn is(&self, found: i64) -> bool {
        (self.value ^ found) & self.mask == 0
    }
}

impl Wanted {
    /// The form of a guard on tensors of the class at an address.
    pub(super) fn new(guard: &TensorGuard, class: usize) -> Wanted {
        let extents = |wanted: &[Option<i64>]| wanted.iter().copied().map(Extent::new).collect();
        Wanted {
            class,
            keys: guard.dispatch_keys.bits,
            requires_grad: guard.requires_grad,
            dtype: guard.dtype.torch_code(),
            device_index: guard.device.index.map(i32::from),
            sizes: extents(&guard.sizes),
            strides: extents(&guard.strides),
        }
    }

    /// True if the object is a tensor as wanted; if it is false, the guard may hold nevertheless.
    #[inline]
    pub(super) fn recognises(&self, object: &Bound<'_, PyAny>, torch: &Torch) -> bool {
        if object.get_type_ptr() as usize != self.class {
            return false;
        }
        // Only tensors of other keys have sizes that are not their own.
        torch.look(object).is_some_and(|look| {
            look.keys == self.keys && look.requires_grad() == self.requires_grad && self.accepts(&look.info())
        })
    }

    #[inline]
    fn accepts(&self, info: &Info<'_>) -> bool {
        let all = |wanted: &[Extent], found: &[i64]| {
            wanted.len() == found.len() && wanted.iter().zip(found).all(|(wanted, &found)| wanted.is(found))
        };
        info.dtype == self.dtype
            && self.device_index.is_none_or(|index| index == info.device.1)
            && all(&self.sizes, info.sizes)
            && all(&self.strides, info.strides)
    }
}

/// Whether a tensor of the class that the guard wants is as it wants.
pub(super) fn matches(guard: &TensorGuard, object: &Bound<'_, PyAny>, torch: &Torch) -> PyResult<bool> {
    // Only tensors of other keys have sizes that are not their own.
    if torch.dispatch_keys(object)? != guard.dispatch_keys.bits || torch.requires_grad(object)? != guard.requires_grad {
        return Ok(false);
    }
    Ok(match torch.info(object) {
        Some(info) => fits(guard, &info),
        None => facts(object).is_some_and(|facts| differs(guard, facts).is_none()),
    })
}

/// Whether element type, device and layout in memory are as assumed; the dispatch keys say the kind of device.
fn fits(guard: &TensorGuard, info: &Info<'_>) -> bool {
    let same = |wanted: &[Option<i64>], found: &[i64]| {
        wanted.len() == found.len() && wanted.iter().zip(found).all(|(w, f)| w.is_none_or(|w| w == *f))
    };
    info.dtype == guard.dtype.torch_code()
        && guard.device.index.is_none_or(|index| i32::from(index) == info.device.1)
        && same(&guard.sizes, info.sizes)
        && same(&guard.strides, info.strides)
}

/// The mismatch of a tensor with a guard, but for its class, which was compared before.
fn differs(guard: &TensorGuard, mut facts: TensorFacts) -> Option<guards::Mismatch> {
    facts.python_type = guard.python_type;
    guard.mismatch(&facts)
}

/// The facts that guards check of a tensor; `None` if the object is none.
pub(super) fn facts(object: &Bound<'_, PyAny>) -> Option<TensorFacts> {
    let View::Tensor(tensor) = classify::look(object).ok()? else { return None };
    Some(TensorFacts {
        python_type: ObjectId::from_u32(u32::MAX - 1),
        dispatch_keys: tensor.dispatch_keys,
        dtype: tensor.dtype,
        device: tensor.device,
        layout: Layout::Strided,
        requires_grad: tensor.requires_grad,
        sizes: tensor.sizes,
        strides: tensor.strides,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use guards::DispatchKeys;
    use symshapes::{DType, Device};

    fn guard(extents: &[(Option<i64>, Option<i64>)]) -> TensorGuard {
        TensorGuard {
            python_type: ObjectId::from_u32(0),
            dispatch_keys: DispatchKeys { bits: 1, name: "".into() },
            dtype: DType::F32,
            device: Device::CPU,
            layout: Layout::Strided,
            requires_grad: false,
            sizes: extents.iter().map(|&(size, _)| size).collect(),
            strides: extents.iter().map(|&(_, stride)| stride).collect(),
        }
    }

    /// Every pair of numbers from `values`.
    fn pairs<T: Copy>(values: &[T]) -> Vec<(T, T)> {
        values.iter().flat_map(|&a| values.iter().map(move |&b| (a, b))).collect()
    }

    #[test]
    fn what_is_accepted_fits() {
        let wanted = pairs(&[None, Some(0), Some(1), Some(2)]);
        let found = pairs(&[0, 1, 2]);
        for (first, second) in pairs(&wanted) {
            let guard = guard(&[first, second]);
            let form = Wanted::new(&guard, 0);
            for (one, other) in pairs(&found) {
                let (sizes, strides) = ([one.0, other.0], [one.1, other.1]);
                for (rank, dtype) in [(2, DType::F32), (2, DType::F64), (1, DType::F32)] {
                    let (sizes, strides) = (&sizes[..rank], &strides[..rank]);
                    let info = Info { dtype: dtype.torch_code(), sizes, strides, device: (0, -1) };
                    assert_eq!(form.accepts(&info), fits(&guard, &info), "{guard:?} {info:?}");
                }
            }
        }
    }
}
