//! The interface of a tensor library: all that the executor knows of one.

use inductor::device;
use smallvec::SmallVec;
use symshapes::{DType, Device};

/// Tensors that a call has made; `None` where a result is no tensor.
pub type Made<L> = SmallVec<[Option<<L as TensorLibrary>::Tensor>; 4]>;

/// The layout of a tensor to be made: sizes and strides in elements, of the same rank.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Strided<'a> {
    /// Type of the elements.
    pub dtype: DType,
    /// Elements along each dimension.
    pub sizes: &'a [i64],
    /// Elements between neighbours.
    pub strides: &'a [i64],
}

/// The metadata of a tensor; the slices belong to the tensor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Info<'a> {
    /// Type of the elements; `None` for one that plans do not know.
    pub dtype: Option<DType>,
    /// Elements along each dimension.
    pub sizes: &'a [i64],
    /// Elements between neighbours.
    pub strides: &'a [i64],
    /// The device that the elements are on.
    pub device: Device,
}

impl Info<'_> {
    /// True if `strides` say the same: those of dimensions of size 1 do not matter, nor do any if there is no element.
    pub fn has_strides(&self, strides: &[i64]) -> bool {
        let same = |((&size, &a), &b): ((&i64, &i64), &i64)| a == b || size <= 1;
        self.sizes.contains(&0) || self.sizes.iter().zip(self.strides).zip(strides).all(same)
    }
}

/// A library that owns tensors and calls operators on them.
///
/// # Safety
/// Compiled kernels read and write what lies at the addresses that the library gives. So a tensor has all elements
/// that its [metadata](TensorLibrary::info) names, from the address [`TensorLibrary::data`] on, on its device, for as
/// long as it lives; and it does not move.
pub unsafe trait TensorLibrary: Send + Sync + Sized + 'static {
    /// A reference to a tensor; the tensor lives as long.
    type Tensor: Send + Sync;
    /// A tensor that somebody else keeps alive for as long as the handle is used.
    type Handle: Copy;
    /// A call of an operator, bound to all of its arguments but the tensors.
    type Call: Send + Sync;
    /// A call that the language makes in which the program is embedded, since the library cannot.
    type Foreign: Send + Sync;
    /// A value that is no tensor.
    type Object: Send + Sync;
    /// The weights that frozen results were computed from, as they were then.
    type Weights: Send + Sync;
    /// The kind of device with memory of its own that may run parts of plans; [`NoDevice`](crate::NoDevice) for none.
    type Device: device::Device;
    /// The library's exception.
    type Error: std::error::Error + Send;

    /// The library's name and release, by which measurements of it are kept.
    fn release(&self) -> &str;

    /// The handle of a tensor, valid as long as that lives.
    fn handle(tensor: &Self::Tensor) -> Self::Handle;

    /// Another reference to a tensor.
    ///
    /// # Errors
    /// The library's.
    fn share(&self, of: Self::Handle) -> Result<Self::Tensor, Self::Error>;

    /// A tensor's metadata.
    ///
    /// # Errors
    /// A tensor without any, such as a sparse one.
    fn info<'a>(&self, of: Self::Handle) -> Result<Info<'a>, Self::Error>;

    /// The address of the first element.
    ///
    /// # Errors
    /// A tensor without memory.
    fn data(&self, of: Self::Handle) -> Result<*mut u8, Self::Error>;

    /// A new tensor of any content.
    ///
    /// # Errors
    /// There is not so much memory.
    fn empty(&self, layout: Strided<'_>, device: Device) -> Result<Self::Tensor, Self::Error>;

    /// A tensor over memory of a device that somebody else owns.
    ///
    /// # Safety
    /// `data` holds the elements that the layout names and outlives the tensor and everything that shares its memory.
    ///
    /// # Errors
    /// The library's.
    unsafe fn over(&self, data: *mut u8, layout: Strided<'_>, device: Device) -> Result<Self::Tensor, Self::Error>;

    /// Another layout of a tensor's memory; `offset` counts elements from the tensor's first.
    ///
    /// # Errors
    /// The library's.
    fn view(&self, of: Self::Handle, sizes: &[i64], strides: &[i64], offset: i64) -> Result<Self::Tensor, Self::Error>;

    /// Copies the elements of `from` into `to`, converted and broadcast as `Tensor.copy_` does.
    ///
    /// # Errors
    /// The library's.
    fn copy(&self, to: Self::Handle, from: Self::Handle) -> Result<(), Self::Error>;

    /// True if a call writes its only result into a tensor that it is given ([`TensorLibrary::call_into`]).
    fn writes_result(call: &Self::Call) -> bool;

    /// Makes a call with these tensors, in the order in which it was bound to them. Results that are kept are tensors
    /// whose memory may be read as it lies, and no operand's own unless the operator is a view.
    ///
    /// # Errors
    /// The library's.
    fn call(&self, call: &Self::Call, tensors: &[Self::Handle]) -> Result<Made<Self>, Self::Error>;

    /// Makes a call that writes its result into `out`.
    ///
    /// # Errors
    /// The library's.
    fn call_into(&self, call: &Self::Call, tensors: &[Self::Handle], out: Self::Handle) -> Result<(), Self::Error>;

    /// An exception for a result that is not what the plan was promised, or the like.
    fn error(&self, reason: String) -> Self::Error;

    /// A copy of a tensor with other strides.
    ///
    /// # Errors
    /// The library's.
    fn restrided(&self, of: Self::Handle, dtype: DType, strides: &[i64]) -> Result<Self::Tensor, Self::Error> {
        let from = self.info(of)?;
        let to = self.empty(Strided { dtype, sizes: from.sizes, strides }, from.device)?;
        self.copy(Self::handle(&to), of)?;
        Ok(to)
    }
}
