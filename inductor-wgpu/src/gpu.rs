//! The device: an adapter, opened, and opened again when it is lost.

use std::sync::{Arc, Mutex, PoisonError};

use inductor::backend::Capabilities;
use inductor::device::{Counters, DeviceError, Refusal};
use symshapes::DType;
use wgpu::{AdapterInfo, Features, Limits};

use crate::adapter::{AdapterChoice, OpenError};
use crate::opened::{Opened, Shared};
use crate::pipeline::{BindingKind, Shader, ShaderId, Shaders};

/// A device that speaks WebGPU.
pub struct Gpu {
    pub(crate) shared: Arc<Shared>,
    choice: AdapterChoice,
    wanted: Features,
    pub(crate) capabilities: Capabilities,
    pub(crate) limits: Limits,
    features: Features,
    /// Threads of a subgroup, where the middle can use them.
    pub(crate) subgroup: Option<u32>,
    opened: Mutex<Arc<Opened>>,
}

impl Gpu {
    /// Opens an adapter, with what it has of some features, and without subgroups.
    pub(crate) fn without_subgroups(choice: &AdapterChoice, wanted: Features) -> Result<(Gpu, AdapterInfo), OpenError> {
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
        let gpu = Gpu { shared, choice, wanted, capabilities, limits, features, subgroup: None, opened };
        Ok((gpu, adapter.get_info()))
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
    pub(crate) fn usable(&self) -> Result<Arc<Opened>, DeviceError> {
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
