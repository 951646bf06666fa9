//! An adapter that is open, until it is lost.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use inductor::device::Counters;
use wgpu::{DeviceDescriptor, Features, Queue};

use crate::adapter::{AdapterChoice, OpenError, choose};
use crate::memory::Pool;
use crate::pipeline::{Pipelines, Shaders};

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
    /// The reason why it was lost, if it was.
    pub(crate) lost: Arc<OnceLock<String>>,
    /// The process that opened it: in a forked one the driver's threads are missing.
    pub(crate) process: u32,
    /// Errors that no scope has caught.
    failures: Arc<Mutex<Vec<String>>>,
}

impl Opened {
    /// Opens an adapter; gives that, too.
    pub(crate) fn new(
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
