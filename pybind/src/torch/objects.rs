//! torch's Python objects that the binding compares with or calls, looked up once.

use super::private::{Look, Private, TensorWords};
use super::shim::{RawTensor, Shim};
use super::tensor::{self, Info, Tensor};
use fx::aten::Aten;
use guards::{ATTENTION_KERNELS, AttentionOrder};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{IntoPyDict, PyDict, PyType};
use pyo3::{ffi, intern};
use rustc_hash::FxHashMap;
use std::env::consts::{DLL_PREFIX, DLL_SUFFIX};
use std::path::Path;
use std::{mem, ptr};
use symshapes::{DType, Device, DeviceKind};

/// The releases of torch whose private layouts and generated shims were tried.
const TRIED: &[(u32, u32)] = &[(2, 11), (2, 12), (2, 13), (2, 14), (2, 15)];

/// The release whose schemas our table of operators has.
const TABLE: (u32, u32) = (2, 15);

/// With this variable in the environment only those interfaces of torch are used that every release has, and only those
/// features of a device that every one has: for tests, and to find out whether a fault lies there.
pub(crate) const PORTABLE: &str = "RUST_INDUCTOR_PORTABLE";

/// The kinds of overrides of torch's functions in a thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Overrides {
    /// Nothing.
    Nothing,
    /// Nothing but the choice of a device for what is made: `torch.device` as a context, `torch.set_default_device`.
    Device(Device),
    /// Any other override, which may do anything.
    Other,
}

/// torch, as seen from here.
pub(crate) struct Torch {
    /// `torch`
    pub(crate) module: Py<PyModule>,
    /// `torch.Tensor`
    pub(crate) tensor: Py<PyType>,
    /// `torch.nn.Parameter`
    pub(crate) parameter: Py<PyType>,
    /// `torch._subclasses.FakeTensor`
    pub(crate) fake_tensor: Py<PyType>,
    /// `torch.SymInt`, `torch.SymFloat`, `torch.SymBool`
    pub(crate) sym_int: Py<PyType>,
    pub(crate) sym_float: Py<PyType>,
    pub(crate) sym_bool: Py<PyType>,
    /// `torch.dtype`, `torch.device`, `torch.layout`, `torch.memory_format`
    pub(crate) dtype: Py<PyType>,
    pub(crate) device: Py<PyType>,
    pub(crate) layout: Py<PyType>,
    pub(crate) memory_format: Py<PyType>,
    /// `torch._ops.OpOverload`
    pub(crate) overload: Py<PyType>,
    /// `torch.strided`
    pub(crate) strided: Py<PyAny>,
    /// `torch._C._dispatch_keys`
    pub(crate) dispatch_keys: Py<PyAny>,
    dtypes: FxHashMap<usize, DType>,
    dtype_objects: Vec<(DType, Py<PyAny>)>,
    /// `torch.__version__`.
    pub(crate) version: String,
    /// True if this release of torch was tried.
    pub(crate) tried: bool,
    /// True if this release has the schemas of our table.
    has_table: bool,
    /// True if only what every release has is to be used.
    pub(super) portable: bool,
    /// True if the address of a tensor's `cdata` field is known.
    cdata: bool,
    /// libtorch's own answers, where it is known how to ask it.
    private: Option<Private>,
    /// `torch.is_grad_enabled`, `torch.is_inference_mode_enabled`, `torch.get_default_dtype`
    is_grad_enabled: Py<PyAny>,
    is_inference_mode: Py<PyAny>,
    default_dtype: Py<PyAny>,
    /// Wraps a tensor for Python where the shim has no function for it.
    wrap: Option<Py<PyAny>>,
}

impl Torch {
    /// torch's objects; the first call imports torch.
    pub(crate) fn get(py: Python<'_>) -> PyResult<&'static Torch> {
        static TORCH: PyOnceLock<Torch> = PyOnceLock::new();
        TORCH.get_or_try_init(py, || Torch::load(py))
    }

    fn load(py: Python<'_>) -> PyResult<Torch> {
        let module = py.import("torch")?;
        load_shim(&module)?;
        let class = |path: &str| -> PyResult<Py<PyType>> { Ok(find(&module, path)?.cast_into::<PyType>()?.unbind()) };
        let dtype_objects =
            DType::ALL.iter().map(|&d| Ok((d, module.getattr(d.name())?.unbind()))).collect::<PyResult<Vec<_>>>()?;
        let portable = std::env::var_os(PORTABLE).is_some();
        let release = version(&module)?;
        let tried = !portable && TRIED.contains(&release);
        let (cdata, private) = if tried { look_inside(&module)? } else { (false, None) };
        Ok(Torch {
            tensor: class("Tensor")?,
            parameter: class("nn.Parameter")?,
            fake_tensor: class("_subclasses.fake_tensor.FakeTensor")?,
            sym_int: class("SymInt")?,
            sym_float: class("SymFloat")?,
            sym_bool: class("SymBool")?,
            dtype: class("dtype")?,
            device: class("device")?,
            layout: class("layout")?,
            memory_format: class("memory_format")?,
            overload: class("_ops.OpOverload")?,
            strided: module.getattr("strided")?.unbind(),
            dispatch_keys: find(&module, "_C._dispatch_keys")?.unbind(),
            dtypes: dtype_objects.iter().map(|(d, object)| (object.as_ptr() as usize, *d)).collect(),
            dtype_objects,
            cdata,
            private,
            is_grad_enabled: module.getattr("is_grad_enabled")?.unbind(),
            is_inference_mode: module.getattr("is_inference_mode_enabled")?.unbind(),
            default_dtype: module.getattr("get_default_dtype")?.unbind(),
            version: module.getattr("__version__")?.to_string(),
            tried,
            has_table: release == TABLE,
            portable,
            wrap: find(&module, "_C._aoti.alloc_tensors_by_stealing_from_void_ptrs").ok().map(Bound::unbind),
            module: module.unbind(),
        })
    }

    /// The dtype, if it is one of ours.
    pub(crate) fn dtype_of(&self, object: &Bound<'_, PyAny>) -> Option<DType> {
        self.dtypes.get(&(object.as_ptr() as usize)).copied()
    }

    /// `torch.float32` and so on.
    pub(crate) fn dtype_object<'py>(&self, py: Python<'py>, dtype: DType) -> Option<&Bound<'py, PyAny>> {
        self.dtype_objects.iter().find(|(d, _)| *d == dtype).map(|(_, object)| object.bind(py))
    }

    /// A tensor on the device `meta`: what a tensor of this layout is, without its elements.
    pub(crate) fn without_data<'py>(
        &self,
        py: Python<'py>,
        dtype: DType,
        (sizes, strides): (Vec<i64>, Vec<i64>),
        requires_grad: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let options = PyDict::new(py);
        options.set_item("dtype", self.dtype_object(py, dtype))?;
        options.set_item("device", "meta")?;
        options.set_item("requires_grad", requires_grad)?;
        self.find(py, "empty_strided")?.call((sizes, strides), Some(&options))
    }

    /// The bits of a tensor's dispatch keys.
    #[inline]
    pub(crate) fn dispatch_keys(&self, tensor: &Bound<'_, PyAny>) -> PyResult<u64> {
        if let Some(private) = &self.private {
            return Ok(private.dispatch_keys(cdata(tensor)));
        }
        let py = tensor.py();
        self.dispatch_keys.bind(py).call1((tensor,))?.call_method0(intern!(py, "raw_repr"))?.extract()
    }

    /// The metadata of a tensor of torch's own classes without symbolic sizes; `None` where Python has to be asked.
    #[inline]
    pub(crate) fn info<'a>(&self, tensor: &'a Bound<'_, PyAny>) -> Option<Info<'a>> {
        match &self.private {
            Some(private) => Some(private.info(cdata(tensor))),
            None => tensor::info(self.borrow_raw(tensor)?).ok(),
        }
    }

    /// Whether autograd follows a tensor.
    #[inline]
    pub(crate) fn requires_grad(&self, tensor: &Bound<'_, PyAny>) -> PyResult<bool> {
        match &self.private {
            Some(private) => Ok(private.requires_grad(cdata(tensor))),
            None => tensor.getattr(intern!(tensor.py(), "requires_grad"))?.is_truthy(),
        }
    }

    /// The guarded properties of a tensor whose sizes are its own, and the address that they are read from; `None` if
    /// they cannot be read as words.
    pub(crate) fn words(&self, tensor: &Bound<'_, PyAny>) -> Option<(TensorWords, usize)> {
        self.private.as_ref()?.words(tensor.get_type_ptr() as usize, cdata(tensor))
    }

    /// True if a tensor has the words that it had, at the same address; false tells nothing.
    #[inline]
    pub(crate) fn has_words(&self, tensor: &Bound<'_, PyAny>, words: &TensorWords, address: usize) -> bool {
        let class = tensor.get_type_ptr() as usize;
        self.private.as_ref().is_some_and(|private| private.has_words(class, cdata(tensor), words, address))
    }

    /// Access to the properties that every tensor guard checks; `None` where Python has to be asked.
    #[inline]
    pub(crate) fn look<'a>(&'a self, tensor: &'a Bound<'_, PyAny>) -> Option<Look<'a>> {
        self.private.as_ref().map(|private| private.look(cdata(tensor)))
    }

    /// Whether operations record gradients.
    pub(crate) fn grad_mode(&self, py: Python<'_>) -> PyResult<bool> {
        match &self.private {
            Some(private) => Ok(private.grad_mode()),
            None => self.is_grad_enabled.bind(py).call0()?.is_truthy(),
        }
    }

    /// Whether memory of which a program says nothing is filled, so that results are the same each time.
    pub(crate) fn fills_memory(&self, py: Python<'_>) -> PyResult<bool> {
        let ask = |name| self.find(py, name)?.call0()?.is_truthy();
        Ok(ask("_C._get_deterministic_algorithms")? && ask("_C._get_deterministic_fill_uninitialized_memory")?)
    }

    /// The flags of [`guards::ATTENTION_KERNELS`]: those that attention may run in. Releases without one of them never
    /// run in it.
    pub(crate) fn attention_kernels(&self, py: Python<'_>) -> PyResult<[bool; ATTENTION_KERNELS.len()]> {
        let mut enabled = [false; ATTENTION_KERNELS.len()];
        for (on, kernel) in enabled.iter_mut().zip(ATTENTION_KERNELS) {
            let getter = self.find(py, &format!("_C._get_{kernel}_sdp_enabled"));
            *on = getter.map_or(Ok(false), |getter| getter.call0()?.is_truthy())?;
        }
        Ok(enabled)
    }

    /// Has attention run in these of [`guards::ATTENTION_KERNELS`], tried in this order; what nothing is said of stays
    /// as it is.
    pub(crate) fn choose_attention(
        &self,
        py: Python<'_>,
        chosen: [Option<bool>; ATTENTION_KERNELS.len()],
        order: Option<AttentionOrder>,
    ) -> PyResult<()> {
        for (on, kernel) in chosen.into_iter().zip(ATTENTION_KERNELS) {
            if let (Some(on), Ok(setter)) = (on, self.find(py, &format!("_C._set_sdp_use_{kernel}"))) {
                setter.call1((on,))?;
            }
        }
        match order {
            Some(order) => self.find(py, "_C._set_sdp_priority_order")?.call1((order.to_vec(),)).map(drop),
            None => Ok(()),
        }
    }

    /// The order in which attention's kernels are tried; `None` in releases that know no order, or other kernels.
    pub(crate) fn attention_order(&self, py: Python<'_>) -> Option<AttentionOrder> {
        let order: Vec<i64> = self.find(py, "_C._get_sdp_priority_order").ok()?.call0().ok()?.extract().ok()?;
        order.try_into().ok()
    }

    /// True if this release's fused attention for CPUs takes keys and values with fewer heads than the query.
    pub(crate) fn fused_attention_groups(&self, py: Python<'_>) -> PyResult<bool> {
        static GROUPS: PyOnceLock<bool> = PyOnceLock::new();
        let probe = || {
            let cpu = [("device", "cpu")].into_py_dict(py)?;
            let empty = |heads| self.find(py, "empty")?.call(((1, heads, 1, 1),), Some(&cpu));
            let (query, key) = (empty(2)?, empty(1)?);
            let kernel = self.find(py, "_fused_sdp_choice")?.call1((query, &key, &key))?;
            PyResult::Ok(kernel.extract::<i64>()? != 0)
        };
        GROUPS.get_or_try_init(py, probe).copied()
    }

    /// Whether tensors are made that can never record gradients.
    pub(crate) fn inference_mode(&self, py: Python<'_>) -> PyResult<bool> {
        match &self.private {
            Some(private) => Ok(private.inference_mode()),
            None => self.is_inference_mode.bind(py).call0()?.is_truthy(),
        }
    }

    /// The devices for which autocast is on, with the element type that it chooses; `None` for one that is not ours.
    pub(crate) fn autocast(&self, py: Python<'_>) -> PyResult<Option<Vec<(DeviceKind, DType)>>> {
        let mut on = Vec::new();
        for (kind, code, name) in [(DeviceKind::Cpu, 0, "cpu"), (DeviceKind::Cuda, 1, "cuda")] {
            let chosen = match &self.private {
                Some(private) => private.autocast(code).map(DType::from_torch_code),
                None if self.find(py, "is_autocast_enabled")?.call1((name,))?.is_truthy()? => {
                    Some(self.dtype_of(&self.find(py, "get_autocast_dtype")?.call1((name,))?))
                }
                None => None,
            };
            match chosen {
                Some(Some(dtype)) => on.push((kind, dtype)),
                Some(None) => return Ok(None),
                None => {}
            }
        }
        Ok(Some(on))
    }

    /// The element type that is made of Python floats, if it is one of ours.
    pub(crate) fn default_dtype(&self, py: Python<'_>) -> PyResult<Option<DType>> {
        match &self.private {
            Some(private) => Ok(DType::from_torch_code(private.default_dtype())),
            None => Ok(self.dtype_of(&self.default_dtype.bind(py).call0()?)),
        }
    }

    /// The overrides of torch's functions in this thread.
    pub(crate) fn override_state(&self, py: Python<'_>) -> PyResult<Overrides> {
        let (functions, dispatch, transforms) = match &self.private {
            Some(private) => {
                let transforms = private.is_transforming() || private.has_dual_level() || private.is_jit_tracing();
                (private.function_modes(), private.dispatch_modes(), transforms)
            }
            None => {
                let count = |name: &str| self.find(py, name)?.call0()?.extract::<i64>();
                let transform = self.find(py, "_C._functorch.peek_interpreter_stack")?.call0()?;
                let (functions, dispatch) = ("_C._len_torch_function_stack", "_C._len_torch_dispatch_stack");
                let level: i64 = self.find(py, "autograd.forward_ad")?.getattr("_current_level")?.extract()?;
                let traced = self.find(py, "_C._is_tracing")?.call0()?.is_truthy()?;
                let transforms = !transform.is_none() || level >= 0 || traced;
                (count(functions)?, count(dispatch)?, transforms)
            }
        };
        if transforms {
            return Ok(Overrides::Other);
        }
        if (functions, dispatch) == (0, 0) {
            return Ok(Overrides::Nothing);
        }
        if (functions, dispatch) != (1, 0) {
            return Ok(Overrides::Other);
        }
        let mode = self.find(py, "_C._get_function_stack_at")?.call1((0,))?;
        if !mode.get_type().is(&self.find(py, "utils._device.DeviceContext")?) {
            return Ok(Overrides::Other);
        }
        match mode.getattr("device")?.str()?.to_str()?.parse::<Device>() {
            Ok(device) if device.kind != DeviceKind::Other => Ok(Overrides::Device(device)),
            _ => Ok(Overrides::Other),
        }
    }

    /// `torch.device(...)`
    pub(crate) fn device_object<'py>(&self, py: Python<'py>, device: Device) -> PyResult<Bound<'py, PyAny>> {
        self.device.bind(py).call1((device.to_string(),))
    }

    /// An attribute of `torch`, by its path.
    pub(crate) fn find<'py>(&self, py: Python<'py>, path: &str) -> PyResult<Bound<'py, PyAny>> {
        find(self.module.bind(py), path)
    }

    /// True if this is the release that our tables follow.
    pub(crate) fn is_of_tables(&self) -> bool {
        self.has_table
    }

    /// True if this release declares an operator as our table does.
    pub(crate) fn declares(&self, py: Python<'_>, op: Aten) -> bool {
        let declared = || -> PyResult<bool> {
            let operator = self.find(py, &format!("ops.{op}"))?;
            Ok(op.is_declared_as(operator.getattr("_schema")?.str()?.to_str()?))
        };
        self.has_table || declared().unwrap_or(false)
    }

    /// True for the class `torch.Tensor` and its parameters'.
    pub(crate) fn is_tensor_class(&self, object: &Bound<'_, PyAny>) -> bool {
        object.is(&self.tensor) || object.is(&self.parameter)
    }

    /// True for an instance of `torch.Tensor` or of a subclass.
    pub(crate) fn is_tensor(&self, object: &Bound<'_, PyAny>) -> bool {
        // SAFETY: both are live; `tensor` is a class.
        self.is_plain_tensor(object)
            || unsafe { ffi::PyObject_TypeCheck(object.as_ptr(), self.tensor.as_ptr().cast()) != 0 }
    }

    /// True for a `torch.Tensor` or `torch.nn.Parameter` themselves: subclasses may mean anything by their operations.
    #[inline]
    pub(crate) fn is_plain_tensor(&self, object: &Bound<'_, PyAny>) -> bool {
        let class = object.get_type_ptr();
        class == self.tensor.as_ptr().cast() || class == self.parameter.as_ptr().cast()
    }

    /// True for a `torch.nn.Parameter` itself.
    #[inline]
    pub(crate) fn is_parameter(&self, object: &Bound<'_, PyAny>) -> bool {
        object.get_type_ptr() == self.parameter.as_ptr().cast()
    }

    /// The address of the `at::Tensor` inside a Python tensor, valid as long as the object; `None` where the layout of
    /// Python tensors is not known.
    #[inline]
    pub(crate) fn borrow_raw(&self, tensor: &Bound<'_, PyAny>) -> Option<RawTensor> {
        self.cdata.then(|| cdata(tensor))
    }

    /// A reference of our own to the tensor inside a Python tensor.
    pub(crate) fn share(&self, tensor: &Bound<'_, PyAny>) -> PyResult<Tensor> {
        if let Some(raw) = self.borrow_raw(tensor) {
            return Ok(Tensor::share(raw)?);
        }
        let capsule = self.find(tensor.py(), "_C._aoti.unsafe_alloc_void_ptr_from_tensor")?.call1((tensor,))?;
        // SAFETY: the capsule has no name and holds a new handle, which we take over.
        let raw = unsafe { ffi::PyCapsule_GetPointer(capsule.as_ptr(), ptr::null()) };
        // SAFETY: as above.
        unsafe { Tensor::from_raw(raw) }.ok_or_else(|| PyErr::fetch(tensor.py()))
    }

    /// The Python object of a tensor.
    pub(crate) fn wrap<'py>(&self, py: Python<'py>, raw: RawTensor) -> PyResult<Bound<'py, PyAny>> {
        let shim = Shim::get();
        let Some(wrap) = shim.to_python.filter(|_| !self.portable) else {
            return self.wrap_stolen(py, Tensor::share(raw)?);
        };
        let mut object = ptr::null_mut();
        // SAFETY: we are attached; `raw` is live; a null type asks for `torch.Tensor`.
        let code = unsafe { wrap(raw, ptr::null_mut(), &raw mut object) };
        shim.check("torch_tensor_to_pyobject", code)?;
        // SAFETY: on success the result is a new reference.
        Ok(unsafe { Bound::from_owned_ptr(py, object) })
    }

    /// The Python object of a tensor, by way of torch's Python interface.
    fn wrap_stolen<'py>(&self, py: Python<'py>, tensor: Tensor) -> PyResult<Bound<'py, PyAny>> {
        let wrap = self.wrap.as_ref().ok_or_else(|| PyRuntimeError::new_err("this torch cannot wrap a handle"))?;
        // SAFETY: we are attached; the pointer is not null; the capsule has neither name nor destructor.
        let capsule = unsafe { Bound::from_owned_ptr_or_err(py, ffi::PyCapsule_New(tensor.raw(), ptr::null(), None)) }?;
        // The callee takes the reference over. (The function for a single tensor says so, too, but keeps it for ever.)
        mem::forget(tensor);
        wrap.bind(py).call1(([capsule],))?.get_item(0)
    }
}

/// Follows a dotted path, importing submodules where need be.
fn find<'py>(module: &Bound<'py, PyModule>, path: &str) -> PyResult<Bound<'py, PyAny>> {
    let mut at = module.as_any().clone();
    for name in path.split('.') {
        at = match at.getattr(name) {
            Ok(next) => next,
            Err(error) => {
                let Ok(parent) = at.getattr(intern!(at.py(), "__name__")) else { return Err(error) };
                at.py().import(format!("{parent}.{name}").as_str()).map_err(|_| error)?.into_any()
            }
        };
    }
    Ok(at)
}

fn load_shim(torch: &Bound<'_, PyModule>) -> PyResult<()> {
    let file: String = torch.getattr("__file__")?.extract()?;
    let name = format!("{DLL_PREFIX}torch_cpu{DLL_SUFFIX}");
    let lib = Path::new(&file).with_file_name("lib").join(name);
    Shim::init(&lib).map(|_| ()).map_err(PyRuntimeError::new_err)
}

/// Major and minor version.
fn version(torch: &Bound<'_, PyModule>) -> PyResult<(u32, u32)> {
    let text: String = torch.getattr("__version__")?.str()?.extract()?;
    let mut parts = text.split('.').map(|p| p.parse().unwrap_or(0));
    Ok((parts.next().unwrap_or(0), parts.next().unwrap_or(0)))
}

/// The address of the field behind the object's header: `THPVariable.cdata`, an `at::Tensor`.
#[inline]
fn cdata(tensor: &Bound<'_, PyAny>) -> RawTensor {
    tensor.as_ptr().wrapping_add(1).cast()
}

/// Whether tensors are where we think, and what else is where we think; found on real tensors whatever mode is on and
/// whatever transform is in force.
fn look_inside(torch: &Bound<'_, PyModule>) -> PyResult<(bool, Option<Private>)> {
    let mut without = vec!["utils._python_dispatch._disable_current_modes"];
    if !find(torch, "_C._functorch.peek_interpreter_stack")?.call0()?.is_none() {
        without.push("_functorch.pyfunctorch.temporarily_clear_interpreter_stack");
    }
    let without = without.into_iter().map(|context| find(torch, context)?.call0()).collect::<PyResult<Vec<_>>>()?;
    without.iter().try_for_each(|context| context.call_method0("__enter__").map(drop))?;
    let seen = cdata_agrees(torch).and_then(|agrees| {
        let private = if agrees { Private::checked(torch, cdata)? } else { None };
        Ok((agrees, private))
    });
    let none = torch.py().None();
    without.iter().rev().try_for_each(|context| context.call_method1("__exit__", (&none, &none, &none)).map(drop))?;
    seen
}

/// Compares what the shim reads at [`cdata`] with the Python attributes.
fn cdata_agrees(torch: &Bound<'_, PyModule>) -> PyResult<bool> {
    let base = torch.call_method1("arange", (24,))?;
    let tensor = base.call_method1("view", (2, 3, 4))?.call_method1("transpose", (0, 2))?.get_item(1)?;
    let Ok(info) = tensor::info(cdata(&tensor)) else { return Ok(false) };
    let data = tensor::data_ptr(cdata(&tensor)).unwrap_or(ptr::null_mut());
    Ok(data as usize == tensor.call_method0("data_ptr")?.extract::<usize>()?
        && info.dtype == DType::I64.torch_code()
        && info.sizes == tensor.getattr("shape")?.extract::<Vec<i64>>()?
        && info.strides == tensor.call_method0("stride")?.extract::<Vec<i64>>()?)
}
