//! A backend whose kernels run in the loop-IR interpreter: a slow, obvious oracle.

use inductor::backend::{Backend, BackendError, Capabilities, CompiledKernel, Member};
use inductor::loop_ir::Kernel;
use inductor_testing::loops::{self, Buffer};
use std::sync::Arc;
use symshapes::DType;

/// The backend.
pub(crate) struct InterpBackend {
    capabilities: Capabilities,
}

impl InterpBackend {
    /// One with vectors of 64 bytes and 64 KiB of scratch, which golden files show.
    pub(crate) fn new() -> InterpBackend {
        let dtypes = DType::ALL.iter().copied().filter(|d| d.size() <= 8 && *d != DType::C64).collect();
        let capabilities = Capabilities {
            vector_bytes: 64,
            dtypes,
            scratch_bytes: 64 << 10,
            channels_last: true,
            epilogues: true,
            in_place: true,
            splits: true,
            groups_launches: true,
            plans_calls: true,
            ..Default::default()
        };
        InterpBackend { capabilities }
    }
}

impl Backend for InterpBackend {
    fn name(&self) -> &'static str {
        "interp"
    }

    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    fn compile(&self, kernels: &[Kernel]) -> Result<Vec<Arc<dyn CompiledKernel>>, BackendError> {
        Ok(kernels.iter().map(|k| Arc::new(Interpreted(k.clone())) as Arc<dyn CompiledKernel>).collect())
    }

    fn group_launches(&self, members: Vec<Member>, _side_by_side: bool) -> Arc<dyn CompiledKernel> {
        Arc::new(Backwards(members))
    }
}

/// Kernels that have nothing to do with each other, the last one first: the order is none that the plan has.
struct Backwards(Vec<Member>);

impl CompiledKernel for Backwards {
    unsafe fn launch(&self, mut args: &[*mut u8], _sizes: &[i64], threads: usize) {
        for member in self.0.iter().rev() {
            let (rest, own) = args.split_at(args.len() - member.args);
            // SAFETY: the caller promises the arguments of each.
            unsafe { member.kernel.launch(own, &member.sizes, threads) };
            args = rest;
        }
    }

    fn listing(&self) -> String {
        "in any order".to_owned()
    }
}

struct Interpreted(Kernel);

impl CompiledKernel for Interpreted {
    unsafe fn launch(&self, args: &[*mut u8], sizes: &[i64], _threads: usize) {
        let size = |e| self.0.size(e, sizes).expect("a size has a value");
        if self.0.axes.values().any(|axis| size(axis.extent) == 0) {
            return;
        }
        let params = self.0.arguments().zip(args);
        let buffers = params.map(|((_, data), &address)| {
            let mut buffer = Buffer::zeroed(data.dtype, size(data.len) as usize);
            let bytes = buffer.len() * data.dtype.size();
            // SAFETY: the caller promises `len` elements at the address; the buffer has as many.
            unsafe { std::ptr::copy_nonoverlapping(address, buffer.as_mut_ptr(), bytes) };
            buffer
        });
        let mut buffers: Vec<Buffer> = buffers.collect();
        if let Err(error) = loops::run(&self.0, sizes, &mut buffers) {
            panic!("{error} in {}", self.0);
        }
        for (buffer, &address) in buffers.iter_mut().zip(args) {
            let bytes = buffer.len() * buffer.dtype().size();
            // SAFETY: as above.
            unsafe { std::ptr::copy_nonoverlapping(buffer.as_mut_ptr(), address, bytes) };
        }
    }

    fn listing(&self) -> String {
        self.0.to_string()
    }
}
