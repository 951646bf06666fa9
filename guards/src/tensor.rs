//! Assumptions of a compiled program about a tensor, and where another tensor differs.

use crate::object::ObjectId;
use cranelift_entity::entity_impl;
use serde::{Deserialize, Serialize};
use std::{
    fmt::{self, Display, Formatter},
    sync::Arc,
};
use symshapes::{DType, Device};

/// A [`TensorGuard`] by its number among the sources: tensors that are alike share one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct TensorGuardId(u32);
entity_impl!(TensorGuardId, "tensor");

/// The assumptions about a tensor.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct TensorGuard {
    /// The Python type, exactly.
    pub python_type: ObjectId,
    /// The dispatch keys.
    pub dispatch_keys: DispatchKeys,
    /// The element type.
    pub dtype: DType,
    /// The device.
    pub device: Device,
    /// The storage layout of the elements.
    pub layout: Layout,
    /// Whether gradients are wanted.
    pub requires_grad: bool,
    /// The sizes; `None` where any will do.
    pub sizes: Vec<Option<i64>>,
    /// The strides; `None` where any will do.
    pub strides: Vec<Option<i64>>,
}

/// A set of dispatch keys: torch's bits, and the name that torch prints for them.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct DispatchKeys {
    /// The bits of the set.
    pub bits: u64,
    /// As in `DispatchKeySet(CPU, AutogradCPU)`.
    pub name: Arc<str>,
}

/// The storage layouts of a tensor's elements.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub enum Layout {
    /// At an offset from the start, a multiple of the stride for each dimension.
    Strided,
    /// Sparse, by coordinates or by compressed rows, columns or blocks.
    Sparse,
    /// In a form that only oneDNN knows.
    Mkldnn,
    /// Rows of several lengths.
    Jagged,
}

/// The metadata of a tensor, for comparison with what was assumed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TensorFacts {
    /// The Python type.
    pub python_type: ObjectId,
    /// The dispatch keys.
    pub dispatch_keys: DispatchKeys,
    /// The element type.
    pub dtype: DType,
    /// The device.
    pub device: Device,
    /// The storage layout of the elements.
    pub layout: Layout,
    /// Whether gradients are wanted.
    pub requires_grad: bool,
    /// The sizes.
    pub sizes: Vec<i64>,
    /// The strides.
    pub strides: Vec<i64>,
}

/// The first difference of a tensor from what was assumed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Mismatch {
    /// Another Python type.
    PythonType,
    /// Other dispatch keys.
    DispatchKeys(Arc<str>, Arc<str>),
    /// Another element type.
    DType(DType, DType),
    /// Another device.
    Device(Device, Device),
    /// Another layout.
    Layout(Layout, Layout),
    /// The other choice of gradients.
    RequiresGrad(bool),
    /// Another number of dimensions.
    Rank(usize, usize),
    /// Another size of a dimension.
    Size(usize, i64, i64),
    /// Another stride of a dimension.
    Stride(usize, i64, i64),
}

impl TensorGuard {
    /// The first difference of a tensor, in torch's order; `None` if it is as assumed.
    pub fn mismatch(&self, found: &TensorFacts) -> Option<Mismatch> {
        if self.python_type != found.python_type {
            return Some(Mismatch::PythonType);
        }
        if self.dispatch_keys.bits != found.dispatch_keys.bits {
            return Some(Mismatch::DispatchKeys(self.dispatch_keys.name.clone(), found.dispatch_keys.name.clone()));
        }
        if self.dtype != found.dtype {
            return Some(Mismatch::DType(self.dtype, found.dtype));
        }
        if self.device != found.device {
            return Some(Mismatch::Device(self.device, found.device));
        }
        if self.layout != found.layout {
            return Some(Mismatch::Layout(self.layout, found.layout));
        }
        if self.requires_grad != found.requires_grad {
            return Some(Mismatch::RequiresGrad(self.requires_grad));
        }
        self.shape_mismatch(&found.sizes, &found.strides)
    }

    fn shape_mismatch(&self, sizes: &[i64], strides: &[i64]) -> Option<Mismatch> {
        if self.sizes.len() != sizes.len() {
            return Some(Mismatch::Rank(self.sizes.len(), sizes.len()));
        }
        let size = first_difference(&self.sizes, sizes).map(|(at, a, b)| Mismatch::Size(at, a, b));
        size.or_else(|| first_difference(&self.strides, strides).map(|(at, a, b)| Mismatch::Stride(at, a, b)))
    }
}

fn first_difference(expected: &[Option<i64>], found: &[i64]) -> Option<(usize, i64, i64)> {
    let pairs = expected.iter().zip(found).enumerate();
    pairs.filter_map(|(at, (a, &b))| a.map(|a| (at, a, b))).find(|&(_, a, b)| a != b)
}

impl Mismatch {
    /// The expected and the found value, as text; empty for the Python type, which has a number alone.
    pub fn values(&self) -> (String, String) {
        match self {
            Mismatch::PythonType => (String::new(), String::new()),
            Mismatch::DispatchKeys(a, b) => (a.to_string(), b.to_string()),
            Mismatch::DType(a, b) => (format!("torch.{a}"), format!("torch.{b}")),
            Mismatch::Device(a, b) => (a.to_string(), b.to_string()),
            Mismatch::Layout(a, b) => (format!("{a:?}"), format!("{b:?}")),
            Mismatch::RequiresGrad(a) => {
                (format!("requires_grad={}", pyrepr::boolean(*a)), format!("requires_grad={}", pyrepr::boolean(!a)))
            }
            Mismatch::Rank(a, b) => (format!("rank {a}"), format!("rank {b}")),
            Mismatch::Size(at, a, b) => (format!("size()[{at}] == {a}"), format!("size()[{at}] == {b}")),
            Mismatch::Stride(at, a, b) => (format!("stride()[{at}] == {a}"), format!("stride()[{at}] == {b}")),
        }
    }
}

/// In torch's words. The Python type has no words here: see [`Mismatch::PythonType`].
impl Display for Mismatch {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Mismatch::PythonType => f.write_str("type mismatch"),
            Mismatch::DispatchKeys(a, b) => write!(f, "dispatch key set mismatch. expected {a}, actual {b}"),
            Mismatch::DType(a, b) => {
                write!(f, "dtype mismatch. expected {}, actual {}", scalar_type(*a), scalar_type(*b))
            }
            Mismatch::Device(a, b) if a.kind == b.kind => write!(
                f,
                "Tensor device index mismatch. Expected device index to be {}, but got {}",
                index(*a),
                index(*b)
            ),
            Mismatch::Device(a, b) => write!(f, "device mismatch. expected {a}, actual {b}"),
            Mismatch::Layout(a, b) => write!(f, "layout mismatch. expected {a:?}, actual {b:?}"),
            Mismatch::RequiresGrad(a) => {
                write!(f, "requires_grad mismatch. expected requires_grad={}", u8::from(*a))
            }
            Mismatch::Rank(a, b) => write!(f, "rank mismatch. expected {a}, actual {b}"),
            Mismatch::Size(at, a, b) => write!(f, "size mismatch at index {at}. expected {a}, actual {b}"),
            Mismatch::Stride(at, a, b) => write!(f, "stride mismatch at index {at}. expected {a}, actual {b}"),
        }
    }
}

/// The index of a device, as Python writes it.
pub(crate) fn index(device: Device) -> String {
    device.index.map_or_else(|| "None".to_owned(), |index| index.to_string())
}

/// The name of an element type in torch's C++.
fn scalar_type(dtype: DType) -> &'static str {
    match dtype {
        DType::Bool => "Bool",
        DType::U8 => "Byte",
        DType::I8 => "Char",
        DType::I16 => "Short",
        DType::I32 => "Int",
        DType::I64 => "Long",
        DType::F16 => "Half",
        DType::BF16 => "BFloat16",
        DType::F32 => "Float",
        DType::F64 => "Double",
        DType::C64 => "ComplexFloat",
        DType::C128 => "ComplexDouble",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use symshapes::DeviceKind;

    fn keys(bits: u64, name: &str) -> DispatchKeys {
        DispatchKeys { bits, name: name.into() }
    }

    fn facts() -> TensorFacts {
        TensorFacts {
            python_type: ObjectId::from_u32(0),
            dispatch_keys: keys(1, "DispatchKeySet(CPU)"),
            dtype: DType::F32,
            device: Device::CPU,
            layout: Layout::Strided,
            requires_grad: false,
            sizes: vec![4, 3],
            strides: vec![3, 1],
        }
    }

    fn difference(change: impl FnOnce(&mut TensorFacts)) -> Option<String> {
        let guard = TensorGuard {
            python_type: ObjectId::from_u32(0),
            dispatch_keys: keys(1, "DispatchKeySet(CPU)"),
            dtype: DType::F32,
            device: Device::CPU,
            layout: Layout::Strided,
            requires_grad: false,
            sizes: vec![Some(4), None],
            strides: vec![None, Some(1)],
        };
        let mut found = facts();
        change(&mut found);
        guard.mismatch(&found).map(|m| m.to_string())
    }

    #[test]
    fn the_first_difference_in_torchs_words() {
        assert_eq!(difference(|_| ()), None);
        assert_eq!(difference(|t| t.sizes = vec![4, 7]), None);
        let words = |change: fn(&mut TensorFacts)| difference(change).expect("a difference");
        assert_eq!(words(|t| t.python_type = ObjectId::from_u32(1)), "type mismatch");
        assert_eq!(
            words(|t| t.dispatch_keys = keys(2, "?")),
            "dispatch key set mismatch. expected DispatchKeySet(CPU), actual ?"
        );
        assert_eq!(words(|t| t.dtype = DType::F64), "dtype mismatch. expected Float, actual Double");
        assert_eq!(words(|t| t.device.kind = DeviceKind::Meta), "device mismatch. expected cpu, actual meta");
        let other_index = "Tensor device index mismatch. Expected device index to be None, but got 1";
        assert_eq!(words(|t| t.device.index = Some(1)), other_index);
        assert_eq!(words(|t| t.layout = Layout::Sparse), "layout mismatch. expected Strided, actual Sparse");
        assert_eq!(words(|t| t.requires_grad = true), "requires_grad mismatch. expected requires_grad=0");
        assert_eq!(words(|t| t.sizes.push(1)), "rank mismatch. expected 2, actual 3");
        assert_eq!(words(|t| t.sizes[0] = 8), "size mismatch at index 0. expected 4, actual 8");
        assert_eq!(words(|t| t.strides[1] = 2), "stride mismatch at index 1. expected 1, actual 2");
    }
}
