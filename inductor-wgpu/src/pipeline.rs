//! Shaders by their text, and the pipelines made of them.
//!
//! A [`ShaderId`] outlives the device: after a loss the same shaders are built anew when they are used.

use std::sync::{Arc, Mutex, PoisonError, RwLock};

use cranelift_entity::{EntityRef, PrimaryMap, SecondaryMap, entity_impl};
use inductor::device::Counters;
use rustc_hash::FxHashMap;
use wgpu::{
    BindGroupLayout, BindGroupLayoutDescriptor, BindGroupLayoutEntry, BindingType, BufferBindingType, ComputePipeline,
    ComputePipelineDescriptor, ErrorFilter, PipelineCompilationOptions, PipelineLayoutDescriptor,
    ShaderModuleDescriptor, ShaderSource, ShaderStages,
};

/// A shader.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ShaderId(u32);
entity_impl!(ShaderId, "shader");

/// The kinds of buffer bindings of a shader.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BindingKind {
    /// `var<uniform>`
    Uniform,
    /// `var<storage, read>`
    Read,
    /// `var<storage, read_write>`
    ReadWrite,
}

/// A program for the device: its text, with an entry point `main`, and what it binds in group 0, from 0 on.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Shader {
    /// WGSL.
    pub text: String,
    /// The bindings.
    pub bindings: Vec<BindingKind>,
}

/// All shaders that were ever asked for.
#[derive(Default, Debug)]
pub(crate) struct Shaders(Mutex<Known>);

#[derive(Default, Debug)]
struct Known {
    ids: FxHashMap<Arc<Shader>, ShaderId>,
    shaders: PrimaryMap<ShaderId, Arc<Shader>>,
}

impl Shaders {
    pub(crate) fn intern(&self, shader: Shader) -> ShaderId {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(&id) = known.ids.get(&shader) {
            return id;
        }
        let shader = Arc::new(shader);
        let id = known.shaders.push(Arc::clone(&shader));
        known.ids.insert(shader, id);
        id
    }

    pub(crate) fn get(&self, id: ShaderId) -> Arc<Shader> {
        Arc::clone(&self.0.lock().unwrap_or_else(PoisonError::into_inner).shaders[id])
    }
}

/// A shader, built.
#[derive(Debug)]
pub(crate) struct Pipeline {
    pub(crate) layout: BindGroupLayout,
    pub(crate) pipeline: ComputePipeline,
}

/// The pipelines of a device.
#[derive(Default, Debug)]
pub(crate) struct Pipelines(RwLock<SecondaryMap<ShaderId, Option<Arc<Pipeline>>>>);

impl Pipelines {
    /// The pipeline of a shader, built when it is first asked for.
    ///
    /// # Errors
    /// The device's error for the shader.
    pub(crate) fn get(
        &self,
        device: &wgpu::Device,
        shaders: &Shaders,
        id: ShaderId,
        counters: &Counters,
    ) -> Result<Arc<Pipeline>, String> {
        if let Some(pipeline) = &self.0.read().unwrap_or_else(PoisonError::into_inner)[id] {
            return Ok(Arc::clone(pipeline));
        }
        let shader = shaders.get(id);
        let pipeline = Arc::new(build(device, &shader)?);
        Counters::add(&counters.pipelines, 1);
        tracing::debug!(target: "inductor_wgpu::pipeline", number = id.index(), "{}", shader.text);
        self.0.write().unwrap_or_else(PoisonError::into_inner)[id] = Some(Arc::clone(&pipeline));
        Ok(pipeline)
    }
}

fn build(device: &wgpu::Device, shader: &Shader) -> Result<Pipeline, String> {
    let internal = device.push_error_scope(ErrorFilter::Internal);
    let validation = device.push_error_scope(ErrorFilter::Validation);
    let source = ShaderSource::Wgsl(shader.text.as_str().into());
    let module = device.create_shader_module(ShaderModuleDescriptor { label: None, source });
    let entries: Vec<BindGroupLayoutEntry> = (0..).zip(&shader.bindings).map(|(at, kind)| entry(at, *kind)).collect();
    let layout = device.create_bind_group_layout(&BindGroupLayoutDescriptor { label: None, entries: &entries });
    let bind_group_layouts = &[Some(&layout)];
    let whole =
        device.create_pipeline_layout(&PipelineLayoutDescriptor { label: None, bind_group_layouts, immediate_size: 0 });
    let pipeline = device.create_compute_pipeline(&ComputePipelineDescriptor {
        label: None,
        layout: Some(&whole),
        module: &module,
        entry_point: Some("main"),
        // What is read of a workgroup's memory was written before.
        compilation_options: PipelineCompilationOptions {
            zero_initialize_workgroup_memory: false,
            ..PipelineCompilationOptions::default()
        },
        cache: None,
    });
    let failed = [pollster::block_on(validation.pop()), pollster::block_on(internal.pop())];
    match failed.into_iter().flatten().next() {
        Some(error) => Err(error.to_string()),
        None => Ok(Pipeline { layout, pipeline }),
    }
}

fn entry(binding: u32, kind: BindingKind) -> BindGroupLayoutEntry {
    let ty = match kind {
        BindingKind::Uniform => BufferBindingType::Uniform,
        BindingKind::Read => BufferBindingType::Storage { read_only: true },
        BindingKind::ReadWrite => BufferBindingType::Storage { read_only: false },
    };
    let ty = BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None };
    BindGroupLayoutEntry { binding, visibility: ShaderStages::COMPUTE, ty, count: None }
}
