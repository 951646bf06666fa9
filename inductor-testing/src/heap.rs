//! A library of tensors on the heap, whose operators are the reference interpreter's: what runs plans without Python.
//!
//! Memory that nothing has written yet holds rubbish, so that a read of it shows.

use crate::loops::Buffer;
use fx::{Arg, Target};
use fx_interp::Value;
use inductor::backend::{Backend, CompiledKernel};
use inductor::plan::{Call, CallArg, CallResult, KernelId, ObjectId, Plan, Storage, View};
use runtime::{
    Activation, Arenas, Binder, Code, Failure, Host, Info, InputSpec, Keep, Made, Misfit, NoDevice, NoMemory, Output,
    Parts, PrepareError, Program, Slot, Strided, TensorLibrary, ViewId, prepare,
};
use std::convert::Infallible;
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use symshapes::{DType, Device};

/// A byte that is no likely part of an answer.
const RUBBISH: u8 = 0xc5;

/// Memory for elements, aligned as the widest of them.
struct Block {
    start: NonNull<u64>,
    words: usize,
}

// SAFETY: the block owns its memory.
unsafe impl Send for Block {}
// SAFETY: it is only accessed through addresses that the executor orders.
unsafe impl Sync for Block {}

impl Block {
    fn new(bytes: usize) -> Block {
        let words = bytes.div_ceil(8).max(1);
        let filled = vec![u64::from_ne_bytes([RUBBISH; 8]); words].into_boxed_slice();
        let start = NonNull::from(Box::leak(filled)).cast();
        Block { start, words }
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        let words = NonNull::slice_from_raw_parts(self.start, self.words);
        // SAFETY: the box was leaked when the block was made.
        drop(unsafe { Box::from_raw(words.as_ptr()) });
    }
}

/// A tensor's metadata, and the memory that it keeps alive if that is its own.
pub struct Header {
    block: Option<Arc<Block>>,
    data: *mut u8,
    dtype: DType,
    sizes: Box<[i64]>,
    strides: Box<[i64]>,
}

// SAFETY: the address is used as the executor orders it.
unsafe impl Send for Header {}
// SAFETY: as above.
unsafe impl Sync for Header {}

impl Header {
    fn new(layout: Strided<'_>) -> Header {
        let block = Arc::new(Block::new(span(layout.sizes, layout.strides) * layout.dtype.size()));
        let data = block.start.as_ptr().cast();
        Header { block: Some(block), data, ..Header::at(std::ptr::null_mut(), layout) }
    }

    fn at(data: *mut u8, Strided { dtype, sizes, strides }: Strided<'_>) -> Header {
        Header { block: None, data, dtype, sizes: sizes.into(), strides: strides.into() }
    }

    /// The elements, as values of the interpreter.
    fn read(&self) -> fx_interp::Tensor {
        let elements = self.elements();
        let sizes: Vec<usize> = self.sizes.iter().map(|&size| size as usize).collect();
        fx_interp::Tensor::from_fn(self.dtype, &sizes, |index| elements.get(self.position(index)))
    }

    /// Writes elements, converted and broadcast.
    fn write(&self, from: &fx_interp::Tensor) -> Result<(), HeapError> {
        let sizes: Vec<usize> = self.sizes.iter().map(|&size| size as usize).collect();
        let from =
            from.to(self.dtype).broadcast(&sizes).ok_or_else(|| HeapError("sizes that do not fit".to_owned()))?;
        let mut elements = self.elements();
        for (index, value) in from.data().indexed_iter() {
            let index: Vec<usize> = (0..from.rank()).map(|dim| index[dim]).collect();
            elements.set(self.position(&index), *value);
        }
        // SAFETY: the memory has all elements that the layout names.
        unsafe { std::ptr::copy_nonoverlapping(elements.as_mut_ptr(), self.data, self.bytes()) };
        Ok(())
    }

    fn bytes(&self) -> usize {
        span(&self.sizes, &self.strides) * self.dtype.size()
    }

    fn elements(&self) -> Buffer {
        let mut elements = Buffer::zeroed(self.dtype, span(&self.sizes, &self.strides));
        // SAFETY: as in `write`.
        unsafe { std::ptr::copy_nonoverlapping(self.data, elements.as_mut_ptr(), self.bytes()) };
        elements
    }

    fn position(&self, index: &[usize]) -> usize {
        index.iter().zip(&self.strides).map(|(&at, &stride)| at * stride as usize).sum()
    }
}

/// The number of elements from the first to the last.
fn span(sizes: &[i64], strides: &[i64]) -> usize {
    if sizes.contains(&0) {
        return 0;
    }
    1 + sizes.iter().zip(strides).map(|(size, stride)| ((size - 1) * stride) as usize).sum::<usize>()
}

/// A tensor that somebody keeps alive.
#[derive(Clone, Copy)]
pub struct Handle(*const Header);

impl Handle {
    fn header<'a>(self) -> &'a Header {
        // SAFETY: the executor uses a handle only while its tensor lives.
        unsafe { &*self.0 }
    }
}

/// The library.
#[derive(Clone, Copy, Default, Debug)]
pub struct Heap;

/// An exception of the library's.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct HeapError(String);

/// A call of the interpreter's, bound to its arguments.
pub struct Bound<T> {
    target: Target,
    args: Vec<Given<T>>,
    kwargs: Vec<(String, Given<T>)>,
    results: Vec<Keep>,
}

/// An argument of a call; `T` is what stands for a tensor or another value of the plan's.
enum Given<T> {
    Value(T),
    List(Vec<Given<T>>),
    Plain(Arg),
}

/// A value of a plan's that is handed to a call which the library leaves to its host: one with an object.
pub enum Named {
    /// A tensor.
    Tensor(ViewId),
    /// Another value.
    Object(ObjectId),
}

impl<T> Given<T> {
    fn of<E>(arg: &CallArg, value: &mut impl FnMut(&CallArg) -> Result<T, E>) -> Result<Given<T>, E> {
        Ok(match arg {
            CallArg::Tensor(_) | CallArg::Object(_) => Given::Value(value(arg)?),
            CallArg::List(items) => {
                Given::List(items.iter().map(|item| Given::of(item, value)).collect::<Result<_, _>>()?)
            }
            CallArg::Plain(arg) => Given::Plain(arg.clone()),
        })
    }

    fn value(&self, find: &mut impl FnMut(&T) -> Result<Value, HeapError>) -> Result<Value, HeapError> {
        Ok(match self {
            Given::Value(value) => find(value)?,
            Given::List(items) => Value::Tuple(items.iter().map(|item| item.value(find)).collect::<Result<_, _>>()?),
            Given::Plain(arg) => Value::Plain(arg.clone()),
        })
    }
}

impl<T> Bound<T> {
    fn of<E>(call: &Call, results: &[Keep], mut value: impl FnMut(&CallArg) -> Result<T, E>) -> Result<Bound<T>, E> {
        let args = call.args.iter().map(|arg| Given::of(arg, &mut value)).collect::<Result<_, _>>()?;
        let kwargs = call.kwargs.iter().map(|(name, arg)| Ok((name.clone(), Given::of(arg, &mut value)?)));
        Ok(Bound {
            target: call.target.clone(),
            args,
            kwargs: kwargs.collect::<Result<_, _>>()?,
            results: results.into(),
        })
    }

    fn call(&self, mut find: impl FnMut(&T) -> Result<Value, HeapError>) -> Result<Vec<Value>, HeapError> {
        let args = self.args.iter().map(|arg| arg.value(&mut find)).collect::<Result<Vec<_>, _>>()?;
        let kwargs = self.kwargs.iter().map(|(name, arg)| Ok((name.as_str(), arg.value(&mut find)?)));
        let kwargs = kwargs.collect::<Result<Vec<_>, _>>()?;
        match fx_interp::call(&self.target, &args, &kwargs) {
            Ok(Value::Tuple(values)) => Ok(values),
            Ok(value) => Ok(vec![value]),
            Err(error) => Err(HeapError(error.to_string())),
        }
    }
}

// SAFETY: a header keeps its memory alive and in place; it has as many elements as its layout spans.
unsafe impl TensorLibrary for Heap {
    type Tensor = Arc<Header>;
    type Handle = Handle;
    type Call = Bound<usize>;
    type Foreign = Bound<Named>;
    type Object = Value;
    type Weights = Vec<Value>;
    type Device = NoDevice;
    type Error = HeapError;

    fn release(&self) -> &str {
        "heap"
    }

    fn handle(tensor: &Arc<Header>) -> Handle {
        Handle(Arc::as_ptr(tensor))
    }

    fn share(&self, of: Handle) -> Result<Arc<Header>, HeapError> {
        // SAFETY: the handle is that of an `Arc`, which lives.
        unsafe {
            Arc::increment_strong_count(of.0);
            Ok(Arc::from_raw(of.0))
        }
    }

    fn info<'a>(&self, of: Handle) -> Result<Info<'a>, HeapError> {
        let Header { dtype, sizes, strides, .. } = of.header();
        Ok(Info { dtype: Some(*dtype), sizes, strides, device: Device::CPU })
    }

    fn data(&self, of: Handle) -> Result<*mut u8, HeapError> {
        Ok(of.header().data)
    }

    fn empty(&self, layout: Strided<'_>, _device: Device) -> Result<Arc<Header>, HeapError> {
        Ok(Arc::new(Header::new(layout)))
    }

    unsafe fn over(&self, data: *mut u8, layout: Strided<'_>, _device: Device) -> Result<Arc<Header>, HeapError> {
        Ok(Arc::new(Header::at(data, layout)))
    }

    fn view(&self, of: Handle, sizes: &[i64], strides: &[i64], offset: i64) -> Result<Arc<Header>, HeapError> {
        let Header { block, data, dtype, .. } = of.header();
        let data = data.wrapping_offset(offset as isize * dtype.size() as isize);
        let view = Header::at(data, Strided { dtype: *dtype, sizes, strides });
        Ok(Arc::new(Header { block: block.clone(), ..view }))
    }

    fn copy(&self, to: Handle, from: Handle) -> Result<(), HeapError> {
        to.header().write(&from.header().read())
    }

    fn writes_result(_call: &Bound<usize>) -> bool {
        false
    }

    fn call(&self, call: &Bound<usize>, tensors: &[Handle]) -> Result<Made<Heap>, HeapError> {
        let values = call.call(|&number| Ok(Value::Tensor(tensors[number].header().read())))?;
        values.iter().map(made).collect()
    }

    fn call_into(&self, _call: &Bound<usize>, _tensors: &[Handle], _out: Handle) -> Result<(), HeapError> {
        Err(HeapError("no call writes into its result".to_owned()))
    }

    fn error(&self, reason: String) -> HeapError {
        HeapError(reason)
    }
}

/// A new tensor in row-major order, if the value is one.
fn made(value: &Value) -> Result<Option<Arc<Header>>, HeapError> {
    match value {
        Value::Tensor(tensor) => tensor_of(tensor, &row_major(tensor.sizes())).map(Some),
        Value::Tuple(_) | Value::Plain(_) => Ok(None),
    }
}

/// A tensor of the heap's with these elements and strides.
fn tensor_of(tensor: &fx_interp::Tensor, strides: &[i64]) -> Result<Arc<Header>, HeapError> {
    let sizes: Vec<i64> = tensor.sizes().iter().map(|&size| size as i64).collect();
    let header = Header::new(Strided { dtype: tensor.dtype(), sizes: &sizes, strides });
    header.write(tensor)?;
    Ok(Arc::new(header))
}

fn row_major(sizes: &[usize]) -> Vec<i64> {
    let mut strides: Vec<i64> = sizes
        .iter()
        .rev()
        .scan(1, |stride, &size| Some(std::mem::replace(stride, *stride * size.max(1) as i64)))
        .collect();
    strides.reverse();
    strides
}

/// Binds calls to the interpreter; those with objects to the host.
struct HeapBinder;

impl Binder<Heap> for HeapBinder {
    type Error = Infallible;

    fn bind(&mut self, call: &Call, take: &mut dyn FnMut(&View)) -> Result<Bound<usize>, String> {
        if call.results.iter().any(|result| matches!(result, CallResult::Object(_))) {
            return Err("a result that is no tensor".to_owned());
        }
        let mut views = Vec::new();
        let bound = Bound::of(call, &[], |arg| match arg {
            CallArg::Tensor(view) => {
                views.push(view.clone());
                Ok(views.len() - 1)
            }
            _ => Err("an object".to_owned()),
        })?;
        views.iter().for_each(take);
        Ok(bound)
    }

    fn foreign(
        &mut self,
        call: &Call,
        results: &[Keep],
        view: &mut dyn FnMut(&View) -> ViewId,
    ) -> Result<Option<Bound<Named>>, Infallible> {
        let named = |arg: &CallArg| match arg {
            CallArg::Tensor(tensor) => Ok(Named::Tensor(view(tensor))),
            CallArg::Object(object) => Ok(Named::Object(*object)),
            CallArg::List(_) | CallArg::Plain(_) => unreachable!("no value of the plan's"),
        };
        Bound::of(call, results, named).map(Some)
    }

    fn constant(&mut self, value: &Arg) -> Result<Value, Infallible> {
        Ok(Value::Plain(value.clone()))
    }

    fn is_same_output(&self, _one: usize, _other: usize) -> bool {
        true
    }
}

/// Calls the interpreter with values that are no tensors.
struct Calls;

impl Host<Heap> for Calls {
    type Error = HeapError;

    fn call(
        &mut self,
        call: &Bound<Named>,
        program: &Program<Heap>,
        activation: &mut Activation<Heap>,
    ) -> Result<(), HeapError> {
        let values = call.call(|named| match named {
            Named::Tensor(view) => Ok(Value::Tensor(program.handle(*view, activation)?.header().read())),
            Named::Object(object) => {
                activation.object(*object).cloned().ok_or_else(|| HeapError(format!("{object} was never given")))
            }
        })?;
        for (value, &keep) in values.into_iter().zip(&call.results) {
            match (keep, made(&value)?) {
                (Keep::Object(object), _) => activation.set_object(object, value),
                (_, Some(tensor)) => program.keep(keep, tensor, activation)?,
                (_, None) => {}
            }
        }
        Ok(())
    }

    fn forget(&mut self, _index: usize) {}
}

/// The reason why a plan did not run to its end.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum PlanError {
    /// A kernel met an index out of bounds.
    #[error("index out of bounds")]
    Index,
    /// Anything else.
    #[error("{0}")]
    Other(String),
}

impl From<HeapError> for PlanError {
    fn from(error: HeapError) -> PlanError {
        PlanError::Other(error.0)
    }
}

/// A plan over the heap.
pub struct HeapProgram {
    program: Program<Heap>,
    /// The strides with which each input is expected.
    strides: Vec<Option<Vec<i64>>>,
    /// The tensors of the graph's constants, by number.
    constants: Vec<Value>,
    reused: AtomicUsize,
}

impl HeapProgram {
    /// Prepares a plan whose kernels are compiled.
    ///
    /// # Errors
    /// A plan that cannot run.
    pub fn new(
        backend: &dyn Backend,
        plan: &Plan,
        kernels: &dyn Fn(KernelId) -> Option<Arc<dyn CompiledKernel>>,
    ) -> Result<HeapProgram, PrepareError<Infallible>> {
        let mut strides: Vec<Option<Vec<i64>>> = vec![None; plan.inputs];
        for data in plan.bufs.values() {
            if let Storage::Input(index) = data.storage {
                strides[index] = Some(data.layout.strides.clone());
            }
        }
        let parts = Parts {
            plan,
            kernels,
            backend,
            code: Code::Host,
            devices: strides.iter().map(|strides| strides.as_ref().map(|_| Device::CPU)).collect(),
            spends: false,
            weights: &[],
            arenas: Arc::new(Arenas::filled_with(RUBBISH)),
            latest: Arc::default(),
        };
        Ok(HeapProgram {
            program: prepare(Heap, &mut HeapBinder, parts)?,
            strides,
            constants: Vec::new(),
            reused: AtomicUsize::new(0),
        })
    }

    /// Sets the graph's constants, by number.
    pub fn with_constants(self, constants: Vec<Value>) -> HeapProgram {
        HeapProgram { constants, ..self }
    }

    /// The plan, made ready.
    pub fn program(&self) -> &Program<Heap> {
        &self.program
    }

    /// The number of calls that used frozen results of an earlier one.
    pub fn reused(&self) -> usize {
        self.reused.load(Ordering::Relaxed)
    }

    /// Runs the plan on values, with kernels on so many threads, and gives its outputs.
    ///
    /// # Errors
    /// An input that the plan was not made for, an index out of bounds, a call that the interpreter refuses.
    pub fn run(&self, inputs: &[Value], threads: usize) -> Result<Vec<Value>, PlanError> {
        let tensors = inputs.iter().zip(&self.strides).map(|(value, strides)| match (value, strides) {
            (Value::Tensor(tensor), Some(strides)) => tensor_of(tensor, strides).map(Some),
            _ => Ok(None),
        });
        let tensors = tensors.collect::<Result<Vec<_>, _>>()?;
        let no_memory = |error: NoMemory<Heap>| match error {
            NoMemory::Host(bytes) => PlanError::Other(format!("no memory for {bytes} bytes")),
            NoMemory::Device(error) => error.into(),
        };
        let mut activation = self.program.enter().map_err(no_memory)?;
        let outputs = self.run_in(&mut activation, inputs, &tensors, threads);
        self.program.leave(activation);
        outputs
    }

    fn run_in(
        &self,
        activation: &mut Activation<Heap>,
        inputs: &[Value],
        tensors: &[Option<Arc<Header>>],
        threads: usize,
    ) -> Result<Vec<Value>, PlanError> {
        let program = &self.program;
        for spec in program.inputs() {
            let InputSpec { index, .. } = *spec;
            let given = tensors[index].as_ref().map_or(Slot::Empty, |tensor| Slot::Borrowed(Heap::handle(tensor)));
            // SAFETY: the tensors live until the activation is left.
            unsafe { program.bind(spec, given, activation) }.map_err(|misfit| match misfit {
                Misfit::Foreign => PlanError::Other(format!("argument {index} is no tensor that fits")),
                Misfit::Mismatch(text) => PlanError::Other(text),
            })?;
        }
        for &(buf, index) in program.constants() {
            let Some(Value::Tensor(constant)) = self.constants.get(index) else {
                return Err(PlanError::Other(format!("no constant {index}")));
            };
            let constant = tensor_of(constant, &row_major(constant.sizes()))?;
            // SAFETY: the activation owns it; its layout is that of the graph's constant.
            unsafe { program.bind_constant(buf, Slot::Owned(constant), activation) }?;
        }
        let weights = self.weights(inputs);
        let frozen = program.use_frozen(activation, |kept| weights.as_ref() == Some(kept))?;
        self.reused.fetch_add(frozen.into(), Ordering::Relaxed);
        program.run(&mut Calls, activation, threads).map_err(|(failure, _)| match failure {
            Failure::Index => PlanError::Index,
            Failure::Library(error) | Failure::Host(error) => error.into(),
            Failure::Device(error) => PlanError::Other(error.to_string()),
        })?;
        let mut outputs: Vec<Value> = Vec::new();
        for output in program.outputs() {
            let value = match output {
                Output::Input(index) => match &tensors[*index] {
                    Some(tensor) => Value::Tensor(tensor.read()),
                    None => inputs[*index].clone(),
                },
                Output::View(view) => Value::Tensor(program.handle(*view, activation)?.header().read()),
                Output::Constant(value) => value.clone(),
                Output::Object(object) => match activation.object(*object) {
                    Some(value) => value.clone(),
                    None => return Err(PlanError::Other(format!("{object} was never given"))),
                },
                Output::Same(earlier) | Output::Alias(earlier) => outputs[*earlier].clone(),
            };
            outputs.push(value);
        }
        if let (false, Some(weights)) = (frozen, weights) {
            program.keep_frozen(weights, activation);
        }
        Ok(outputs)
    }

    /// The weights that frozen steps read, if there are such steps.
    fn weights(&self, inputs: &[Value]) -> Option<Vec<Value>> {
        let weights = self.program.frozen_weights()?;
        let is_weight = |spec: &&InputSpec| weights.contains(&spec.buf);
        Some(self.program.inputs().iter().filter(is_weight).map(|spec| inputs[spec.index].clone()).collect())
    }
}
