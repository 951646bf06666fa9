//! Integer expressions for symbolic shapes.

mod dtype;
pub use dtype::{DType, DTypeClass, Device, DeviceKind, UnknownDType};
