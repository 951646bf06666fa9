//! Kernels of loop IR: lowered to a grid by the middle, printed as WGSL, built once for all sizes.

use inductor::device::Refusal;
use inductor::grid::pieces::{self, Binds, Piece, Window};
use inductor::grid::{self, Access, GridKernel, Source, Stage, WideFloats};
use inductor::loop_ir::Kernel;
use smallvec::SmallVec;

use symshapes::DType;

use crate::Gpu;
use crate::pipeline::{BindingKind, Shader};
use crate::wgsl;
use crate::work::{Dispatch, Operand, Work};

/// A kernel of loop IR as shaders, for all sizes.
pub struct GpuKernel {
    /// As it was given, to be cut where a buffer is too long.
    kernel: Kernel,
    grid: GridKernel,
    /// One for each stage. They are built with the first launch: a kernel may never have one of its own.
    shaders: Vec<Shader>,
    /// The operand at each binding of the kernel.
    operands: Vec<Operand>,
    /// The bindings that are temporaries, in the order of their numbers.
    temporaries: Vec<grid::Binding>,
}

impl GpuKernel {
    /// Compiles a kernel.
    ///
    /// # Errors
    /// A construct that cannot be lowered to a grid.
    pub(crate) fn new(gpu: &Gpu, kernel: &Kernel) -> Result<GpuKernel, Refusal> {
        let grid = grid::lower(kernel, &capabilities(gpu)).map_err(|error| Refusal(error.to_string()))?;
        let shader = |stage: &Stage| {
            let mut bindings: Vec<BindingKind> = stage.bindings.iter().map(|&(_, access)| kind(access)).collect();
            bindings.extend(stage.takes_args().then_some(BindingKind::Uniform));
            Shader { text: wgsl::print(&grid, stage), bindings }
        };
        let shaders = grid.stages.iter().map(shader).collect();
        let mut temporaries = Vec::new();
        let mut operands = Vec::new();
        for (binding, data) in grid.bindings.iter() {
            operands.push(match data.source {
                Source::Param(param) => {
                    let at = kernel.arguments().position(|(argument, _)| argument == param);
                    Operand::Arg(at.ok_or_else(|| Refusal(format!("{param} is no argument")))? as u32)
                }
                Source::Temp => {
                    temporaries.push(binding);
                    Operand::Temporary(temporaries.len() as u32 - 1)
                }
            });
        }
        Ok(GpuKernel { kernel: kernel.clone(), shaders, operands, temporaries, grid })
    }

    /// The dispatches for these sizes.
    ///
    /// # Errors
    /// Sizes that the kernel's arithmetic does not hold for, more groups than the device starts, or what the device
    /// says against a shader.
    pub(crate) fn launch(&self, gpu: &Gpu, sizes: &[i64]) -> Result<Work, Refusal> {
        let grid = &self.grid;
        let is_long = |binding| grid.bytes(binding, sizes).is_none_or(|bytes| bytes > gpu.longest_binding());
        let params = grid.bindings.iter().filter(|(_, data)| data.source != Source::Temp);
        if params.map(|(binding, _)| binding).any(is_long) {
            return self.in_pieces(gpu, sizes);
        }
        let too_large = || Refusal(format!("kernel {}: {sizes:?} is too large for 32 bits", grid.name));
        let args = grid.arguments(sizes).filter(|_| grid.admits(sizes)).ok_or_else(too_large)?;
        let params: Vec<u32> = args.into_iter().map(i32::cast_unsigned).collect();
        let mut work = Work::default();
        for &binding in &self.temporaries {
            let bytes = grid.bytes(binding, sizes).and_then(|bytes| usize::try_from(bytes).ok());
            let fits = bytes.filter(|&bytes| bytes as u64 <= gpu.longest_binding());
            work.temporaries.push(fits.ok_or_else(too_large)?);
        }
        for (stage, shader) in grid.stages.iter().zip(&self.shaders) {
            let shader = gpu.shader(shader.clone())?;
            let groups = grid.groups(stage, sizes).ok_or_else(too_large)?;
            let buffers = stage.bindings.iter().map(|&(binding, _)| self.operands[binding.as_u32() as usize]);
            let mut operands: SmallVec<[Operand; 8]> = buffers.collect();
            operands.extend(stage.takes_args().then_some(Operand::Params));
            work.dispatches.push(Dispatch { shader, operands, params: params.clone(), groups });
        }
        Ok(work)
    }

    /// The dispatches of the kernel's pieces, each on windows of the buffers.
    fn in_pieces(&self, gpu: &Gpu, sizes: &[i64]) -> Result<Work, Refusal> {
        let alignment = u64::from(gpu.limits().min_storage_buffer_offset_alignment);
        let wide_int = if gpu.has_wide_ints() { 8 } else { 4 };
        let binds = Binds { most: gpu.longest_binding(), alignment, wide_int };
        let because = |reason| Refusal(format!("kernel {}: a buffer is too long to bind: {reason}", self.grid.name));
        let mut all = Work::default();
        for piece in pieces::cut(&self.kernel, sizes, binds).map_err(because)? {
            let kernel = GpuKernel::new(gpu, &piece.kernel)?;
            let Work { mut dispatches, temporaries } = kernel.launch(gpu, sizes)?;
            for operand in dispatches.iter_mut().flat_map(|dispatch| &mut dispatch.operands) {
                *operand = match *operand {
                    Operand::Arg(at) => window(&piece, at, wide_int),
                    Operand::Temporary(at) => Operand::Temporary(at + all.temporaries.len() as u32),
                    other => other,
                };
            }
            all.dispatches.extend(dispatches);
            all.temporaries.extend(temporaries);
        }
        Ok(all)
    }

    /// The WGSL of its stages.
    pub(crate) fn listing(&self) -> String {
        let stages: Vec<String> = self.grid.stages.iter().map(|stage| wgsl::print(&self.grid, stage)).collect();
        stages.join("\n")
    }
}

/// The window of an argument of a piece.
fn window(piece: &Piece, at: u32, wide_int: u64) -> Operand {
    let Window { offset, len } = piece.windows[at as usize];
    let dtype = piece.kernel.arguments().nth(at as usize).map(|(_, data)| data.dtype);
    let size = dtype.map_or(1, |dtype| if dtype == DType::I64 { wide_int } else { dtype.size() as u64 });
    Operand::Window(at, offset * size, (len * size).next_multiple_of(4))
}

fn kind(access: Access) -> BindingKind {
    match access {
        Access::Read => BindingKind::Read,
        Access::Write | Access::Atomic => BindingKind::ReadWrite,
    }
}

/// The capabilities of the device that a kernel may use.
pub(crate) fn capabilities(gpu: &Gpu) -> grid::Capabilities {
    let limits = gpu.limits();
    let most = limits.max_compute_invocations_per_workgroup.min(limits.max_compute_workgroup_size_x).clamp(32, 256);
    grid::Capabilities {
        threads: 1 << most.ilog2(),
        row_threads: 1 << most.ilog2(),
        shared_bytes: limits.max_compute_workgroup_storage_size,
        // One is left for the arguments.
        bindings: limits.max_storage_buffers_per_shader_stage,
        subgroup: gpu.subgroup(),
        wide_floats: WideFloats::AsF32,
        ..grid::Capabilities::web(gpu.has_wide_ints())
    }
}
