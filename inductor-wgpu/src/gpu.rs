//! The device: an adapter, opened, and opened again when it is lost.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use inductor::backend::Capabilities;
use inductor::device::{Counters, Device, DeviceError, Refusal, Task};
use inductor::loop_ir::Kernel;
use inductor::plan::{Call, Epilogue, Plan};
use symshapes::DType;
use wgpu::{DeviceDescriptor, Features, Limits, Queue};

use crate::adapter::{AdapterChoice, OpenError, choose};
use crate::kernel::GpuKernel;
use crate::library;
use crate::memory::Pool;
use crate::pipeline::{BindingKind, Pipelines, Shader, ShaderId, Shaders};
use crate::stream::GpuStream;
use crate::subgroup;
use crate::work::Work;

/// Features that are used where the adapter has them.
const WANTED: Features = Features::SHADER_INT64.union(Features::SUBGROUP);

/// A device that speaks WebGPU.
pub struct Gpu {
    shared: Arc<Shared>,
    choice: AdapterChoice,
    wanted: Features,
    capabilities: Capabilities,
    limits: Limits,
    features: Features,
    /// Threads of a subgroup, where the middle can use them.
    subgroup: Option<u32>,
    opened: Mutex<Arc<Opened>>,
}

/// The state that all runs share, whether or not the device was lost in between.
pub(crate) struct Shared {
    pub(crate) name: String,
    pub(crate) counters: Arc<Counters>,
    pub(crate) shaders: Shaders,
    /// Whether shaders compute with integers of 64 bits.
    pub(crate) wide_ints: bool,
    /// The numbers of a dispatch begin at multiples of this.
    pub(crate) uniform_alignment: usize,
}

/// A device from when it was opened until it is lost.
pub(crate) struct Opened {
    pub(crate) device: wgpu::Device,
    pub(crate) queue: Queue,
    pub(crate) pool: Arc<Pool>,
    pub(crate) pipelines: Pipelines,
    /// Why it was lost, if it was.
    pub(crate) lost: Arc<OnceLock<String>>,
    /// The process that opened it: in a forked one the driver's threads are missing.
    process: u32,
    /// Errors that no scope has caught.
    failures: Arc<Mutex<Vec<String>>>,
}

impl Opened {
    fn new(
        choice: &AdapterChoice,
        wanted: Features,
        counters: &Arc<Counters>,
    ) -> Result<(Opened, wgpu::Adapter), OpenError> {
        let adapter = choose(choice)?;
        let info = adapter.get_info();
        let descriptor = DeviceDescriptor {
            label: None,
            required_features: adapter.features() & wanted,
            required_limits: adapter.limits(),
            ..DeviceDescriptor::default()
        };
        let requested = pollster::block_on(adapter.request_device(&descriptor));
        let (device, queue) =
            requested.map_err(|error| OpenError::Refused { adapter: info.name.clone(), reason: error.to_string() })?;
        let lost = Arc::new(OnceLock::new());
        let noted = Arc::clone(&lost);
        device.set_device_lost_callback(move |reason, message| {
            let _ = noted.set(format!("{reason:?}: {message}"));
        });
        let failures = Arc::new(Mutex::new(Vec::new()));
        let heard = Arc::clone(&failures);
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
            heard.lock().unwrap_or_else(PoisonError::into_inner).push(error.to_string());
        }));
        let pool = Pool::new(device.clone(), Arc::clone(counters));
        tracing::info!(target: "inductor_wgpu", adapter = info.name, driver = info.driver, "opened");
        let (pipelines, process) = (Pipelines::default(), std::process::id());
        Ok((Opened { device, queue, pool, pipelines, lost, process, failures }, adapter))
    }

    /// The first error that no scope has caught, and that nobody was told of yet.
    pub(crate) fn failure(&self) -> Option<String> {
        let mut failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        failures.drain(..).next()
    }
}

impl Gpu {
    /// Opens an adapter.
    ///
    /// # Errors
    /// None is there, none is as chosen, or it gives no device.
    pub fn open(choice: &AdapterChoice) -> Result<Gpu, OpenError> {
        Gpu::open_with(choice, WANTED)
    }

    /// Opens an adapter as one that has none of the optional features: what the least of devices does.
    ///
    /// # Errors
    /// As [`Gpu::open`].
    pub fn open_plain(choice: &AdapterChoice) -> Result<Gpu, OpenError> {
        Gpu::open_with(choice, Features::empty())
    }

    fn open_with(choice: &AdapterChoice, wanted: Features) -> Result<Gpu, OpenError> {
        let counters = Arc::new(Counters::default());
        let (opened, adapter) = Opened::new(choice, wanted, &counters)?;
        let (limits, features) = (opened.device.limits(), opened.device.features());
        let shared = Shared {
            name: adapter.get_info().name,
            counters,
            shaders: Shaders::default(),
            wide_ints: features.contains(Features::SHADER_INT64),
            uniform_alignment: limits.min_uniform_buffer_offset_alignment as usize,
        };
        let capabilities = Capabilities {
            vector_bytes: 16,
            dtypes: DType::ALL.iter().copied().filter(|&d| !matches!(d, DType::C64 | DType::C128)).collect(),
            scratch_bytes: limits.max_compute_workgroup_storage_size as usize / 2,
            epilogues: true,
            plans_calls: true,
            ..Default::default()
        };
        let opened = Mutex::new(Arc::new(opened));
        let (shared, choice) = (Arc::new(shared), choice.clone());
        let mut gpu = Gpu { shared, choice, wanted, capabilities, limits, features, subgroup: None, opened };
        gpu.subgroup = subgroup::size(&gpu, &adapter.get_info());
        gpu.trim();
        gpu.counters().reset();
        Ok(gpu)
    }

    /// The limits that the device guarantees.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The optional features that it has.
    pub fn features(&self) -> Features {
        self.features
    }

    /// Whether shaders compute with integers of 64 bits.
    pub fn has_wide_ints(&self) -> bool {
        self.shared.wide_ints
    }

    /// The bytes of a buffer that a shader can bind at once. Longer ones are bound in windows.
    pub fn longest_binding(&self) -> u64 {
        self.limits.max_storage_buffer_binding_size
    }

    /// The device as one that binds so many bytes at once, at most: for tests.
    #[must_use]
    pub fn with_longest_binding(mut self, bytes: u64) -> Gpu {
        self.limits.max_storage_buffer_binding_size = bytes;
        self
    }

    /// Threads of a subgroup, where all are as large and threads are in them by their numbers.
    pub fn subgroup(&self) -> Option<u32> {
        self.subgroup
    }

    /// Gives memory that lies unused back to the driver.
    pub fn trim(&self) {
        self.current().pool.trim();
    }

    /// Bytes of memory in use, and of memory that lies unused.
    pub fn memory(&self) -> [u64; 2] {
        self.current().pool.held()
    }

    /// The text of a shader.
    pub fn shader_text(&self, id: ShaderId) -> String {
        self.shared.shaders.get(id).text.clone()
    }

    /// The device as one with so much memory, until it is lost: for tests.
    pub fn limit_memory(&self, bytes: u64) {
        self.current().pool.limit(bytes);
    }

    /// Has the driver give the device up, as a fault in it would: for tests.
    pub fn lose(&self) {
        self.current().device.destroy();
    }

    /// A shader, built now so that what the device says against it is known.
    ///
    /// # Errors
    /// The device's error, or more buffers than it binds.
    pub fn shader(&self, shader: Shader) -> Result<ShaderId, Refusal> {
        let most = self.limits.max_storage_buffers_per_shader_stage as usize;
        let buffers = shader.bindings.iter().filter(|&&kind| kind != BindingKind::Uniform).count();
        if buffers > most {
            return Refusal::because(format!("{buffers} buffers, and the device binds {most}"));
        }
        let id = self.shared.shaders.intern(shader);
        let opened = self.current();
        let Shared { shaders, counters, .. } = &*self.shared;
        opened.pipelines.get(&opened.device, shaders, id, counters).map_err(Refusal)?;
        Ok(id)
    }

    fn current(&self) -> Arc<Opened> {
        Arc::clone(&self.opened.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The device as it is, or opened anew if it was lost or belongs to the process that this one was forked from.
    fn usable(&self) -> Result<Arc<Opened>, DeviceError> {
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if opened.process != std::process::id() {
            let parents = std::mem::replace(&mut *opened, self.again("it belongs to another process")?);
            // Giving it back would wait for threads that are not here.
            std::mem::forget(parents);
        } else if let Some(reason) = opened.lost.get() {
            tracing::warn!(target: "inductor_wgpu", "{} was lost ({reason}) and is opened anew", self.shared.name);
            let again = self.again(reason)?;
            *opened = again;
        }
        Ok(Arc::clone(&opened))
    }

    fn again(&self, reason: &str) -> Result<Arc<Opened>, DeviceError> {
        let again = Opened::new(&self.choice, self.wanted, &self.shared.counters);
        let (device, because) = (&self.shared.name, |error| format!("{reason}; opening it again: {error}"));
        let lost = |error| DeviceError::Lost { device: device.clone(), reason: because(error) };
        Ok(Arc::new(again.map_err(lost)?.0))
    }
}

impl Device for Gpu {
    type Memory = crate::memory::Memory;
    type Kernel = GpuKernel;
    type Work = Work;
    type Stream = GpuStream;

    fn name(&self) -> &str {
        &self.shared.name
    }

    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    fn compile(&self, kernel: &Kernel) -> Result<GpuKernel, Refusal> {
        GpuKernel::new(self, kernel)
    }

    fn launch(&self, kernel: &GpuKernel, sizes: &[i64]) -> Result<Work, Refusal> {
        kernel.launch(self, sizes)
    }

    fn library(&self, call: &Call, epilogue: Option<&Epilogue>, plan: &Plan) -> Result<Task<Work>, Refusal> {
        library::find(self, call, epilogue, plan)
    }

    fn largest_buffer(&self) -> usize {
        usize::try_from(self.limits.max_buffer_size).unwrap_or(usize::MAX)
    }

    fn stream(&self) -> Result<GpuStream, DeviceError> {
        Ok(GpuStream::new(Arc::clone(&self.shared), self.usable()?))
    }

    fn counters(&self) -> &Counters {
        &self.shared.counters
    }

    fn listing(&self, kernel: &GpuKernel) -> String {
        kernel.listing()
    }
}
