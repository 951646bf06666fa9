//! The CPU backend: loop IR to vectorised LLVM IR, compiled in process.
//!
//! A kernel becomes one function over a range of its root axis (module `emit`), with vectors at the host's width
//! written out, elementary functions as polynomials, and tails under masks. A launch cuts the range into pieces and
//! runs them on a pool of its own.
//!
//! Absent: fusion, loop order, placement of buffers. All of that is decided when a kernel exists.

mod compile;
mod emit;
mod gemm;
pub mod heuristics;
mod ir;
mod jit;
mod launch;
mod launch_group;
mod libm;
mod machine;
mod math;
mod scatter;
mod target;
mod tuned;

pub use gemm::{Convolve, Gemm, Product};
pub use launch::{OwnPool, Pool};
pub use machine::LibraryReach;

use compile::Listing;
use emit::Work;
use gemm::{Ending, Multiplier};
use inductor::autotune::Autotuner;
use inductor::backend::EpilogueMode;
use inductor::backend::{Backend, BackendError, Capabilities, CompiledKernel, Library, Member, in_turn};
use inductor::epilogue::{LARGEST, rectangle};
use inductor::loop_ir::{Kernel, Role};
use inductor::plan::{Call, Epilogue, Plan, Storage, View};
use inductor::store::{Key, Nowhere, Store};
use jit::Code;
use launch_group::LaunchGroup;
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use scatter::Scatters;
use smallvec::SmallVec;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use symshapes::{DType, Expr};
use target::Host;
use tuned::Tuned;

/// The backend's name.
const NAME: &str = "cpu";

/// The host's processor as a device.
pub struct Cpu {
    host: &'static Host,
    capabilities: Capabilities,
    pool: Arc<dyn Pool>,
    store: Arc<dyn Store>,
    multiplier: Arc<Multiplier>,
    /// True if kernels are compiled in several versions, of which the first launch keeps the fastest.
    tunes: bool,
    /// The kernels in use, by fingerprint: what is compiled once is not compiled again.
    compiled: Mutex<FxHashMap<u128, Weak<dyn CompiledKernel>>>,
}

/// The capabilities of a host beside a tensor library.
fn capabilities(host: &Host, library: LibraryReach) -> Capabilities {
    let every = DType::ALL.iter().copied().filter(|&d| !matches!(d, DType::C64 | DType::C128));
    let multiplies = host.multiplies_faster(library);
    Capabilities {
        vector_bytes: host.vector_bytes,
        dtypes: every.filter(|&d| d != DType::F16 || host.f16).collect(),
        scratch_bytes: host.machine.scratch_bytes(),
        channels_last: !multiplies,
        multiplies,
        scatters: true,
        epilogues: multiplies,
        in_place: true,
        splits: true,
        groups_launches: true,
        plans_calls: true,
    }
}

impl Cpu {
    /// The host, as it is found.
    pub fn new() -> Cpu {
        Cpu::on(target::host())
    }

    /// The host, with vectors of at most `bytes` bytes (x86-64 only): 32 or 16.
    pub fn with_vector_bytes(bytes: usize) -> Cpu {
        Cpu::on(Host::at_most(bytes))
    }

    /// The host, as if hardly anything fitted into its caches.
    pub fn without_caches() -> Cpu {
        Cpu::on(Host::without_caches())
    }

    fn on(host: &'static Host) -> Cpu {
        let capabilities = capabilities(host, LibraryReach::Unknown);
        let multiplier = Arc::new(Multiplier::new(host));
        let (pool, store) = (Arc::new(OwnPool), Arc::new(Nowhere));
        Cpu { host, capabilities, pool, store, multiplier, tunes: false, compiled: Mutex::default() }
    }

    /// Sets how wide the vectors are that the products of the tensor library use: the device computes products itself
    /// where ours are wider.
    pub fn with_library(self, library: LibraryReach) -> Cpu {
        Cpu { capabilities: capabilities(self.host, library), ..self }
    }

    /// Sets the pool of threads that kernels run on.
    pub fn with_pool(self, pool: Arc<dyn Pool>) -> Cpu {
        Cpu { pool, ..self }
    }

    /// The label of the machine code that the device keeps in its store.
    pub fn label(&self) -> String {
        self.host.label()
    }

    /// Sets the store in which the device keeps machine code and finds it again.
    pub fn with_store(self, store: Arc<dyn Store>) -> Cpu {
        Cpu { store, ..self }
    }

    /// Enables tuning: where there are several ways to compute the same, the device measures them, and remembers in its
    /// store which was the fastest.
    pub fn with_tuning(self) -> Cpu {
        Cpu { tunes: true, ..self }
    }

    /// A kernel for matrix products; its arguments are `a` or the weight, `b` or the image, what is added (if anything
    /// is) and the result.
    ///
    /// # Errors
    /// LLVM's, if it rejects the code.
    pub fn product(&self, product: Product) -> Result<Arc<dyn CompiledKernel>, BackendError> {
        self.product_and(product, None)
    }

    fn product_and(&self, product: Product, epilogue: Option<Ending>) -> Result<Arc<dyn CompiledKernel>, BackendError> {
        let error = |reason| BackendError { backend: NAME, kernel: "product".to_owned(), reason };
        let multiplier = Arc::clone(&self.multiplier);
        let micro = multiplier.micro(&*self.store).map_err(error)?;
        let pool = Arc::clone(&self.pool);
        Ok(Arc::new(gemm::Products { product, micro, multiplier, pool, epilogue }))
    }

    /// The fusion of a call with its epilogue; `None` if they cannot be computed at once.
    fn fusion(&self, plan: &Plan, call: &Call, epilogue: &Epilogue) -> Option<Fusion> {
        let Epilogue { kernel, args, sizes, product, into } = epilogue;
        let result = plan.whole(args[*product]);
        let is_planned = plan.bufs[result.buf].storage != Storage::Result;
        if !self.capabilities.epilogues || !is_planned || result.layout.span()? > LARGEST {
            return None;
        }
        let out = View { buf: args[into.unwrap_or(*product)], ..result };
        let (product, args) = gemm::of_call(call, &out)?;
        let whole = &plan.kernels[*kernel];
        let row = gemm::row(whole, sizes)?;
        let kernel = rectangle(whole).filter(|_| gemm::fits(&product, row))?;
        self.multiplier.micro(&*self.store).ok()?;
        Some(Fusion { product, args, kernel, row })
    }
}

/// A product with an epilogue.
struct Fusion {
    product: Product,
    /// The arguments of the product.
    args: Vec<View>,
    /// The epilogue for a rectangle of the result.
    kernel: Kernel,
    /// The length of the whole kernel's rows, if it has any.
    row: Option<usize>,
}

impl Default for Cpu {
    fn default() -> Cpu {
        Cpu::new()
    }
}

impl Backend for Cpu {
    fn name(&self) -> &'static str {
        NAME
    }

    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    fn compile(&self, kernels: &[Kernel]) -> Result<Vec<Arc<dyn CompiledKernel>>, BackendError> {
        let heuristics = inductor::heuristics::fingerprint();
        let prints: Vec<u128> = kernels.iter().map(|kernel| kernel.fingerprint() ^ heuristics).collect();
        let mut known = self.in_use(&prints);
        let mut missing: FxHashMap<u128, &Kernel> = prints.iter().copied().zip(kernels).collect();
        missing.retain(|print, _| !known.contains_key(print));
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let one = |(print, kernel)| Ok((print, self.versions(kernel)?));
        let fresh: Vec<(u128, Arc<dyn CompiledKernel>)> =
            launch::pool(threads).install(|| missing.into_par_iter().map(one).collect::<Result<_, BackendError>>())?;
        self.remember(&fresh);
        known.extend(fresh);
        Ok(prints.iter().map(|print| Arc::clone(&known[print])).collect())
    }

    fn group_launches(&self, members: Vec<Member>, side_by_side: bool) -> Arc<dyn CompiledKernel> {
        match LaunchGroup::new(&members, side_by_side, &self.pool) {
            Some(together) => Arc::new(together),
            None => in_turn(members),
        }
    }

    fn epilogue_mode(&self, plan: &Plan, call: &Call, epilogue: &Epilogue) -> EpilogueMode {
        match self.fusion(plan, call, epilogue) {
            None => EpilogueMode::Apart,
            Some(_) if self.tunes => EpilogueMode::Fused,
            Some(_) => EpilogueMode::InPlace,
        }
    }

    fn part(&self, kernel: &Kernel) -> Option<Kernel> {
        rectangle(kernel)
    }

    fn fused(&self, plan: &Plan, call: &Call, epilogue: &Epilogue) -> Option<Library> {
        let Fusion { product, mut args, kernel, row } = self.fusion(plan, call, epilogue)?;
        let refused = |error: &BackendError| tracing::warn!(%error, "computed after the product");
        let kernel = launch_group::own(self.compile(&[kernel]).inspect_err(refused).ok()?.first()?)?;
        let ending = Ending { kernel, sizes: epilogue.sizes.as_slice().into(), row, product: epilogue.product };
        let kernel = self.product_and(product, Some(ending)).inspect_err(refused).ok()?;
        let product = epilogue.into.unwrap_or(epilogue.product);
        let at = |place| if place == epilogue.product { epilogue.args[product] } else { epilogue.args[place] };
        args.extend((0..epilogue.args.len()).map(|place| plan.whole(at(place))));
        Some(Library { kernel, args, refuses: false })
    }

    fn library(&self, call: &Call, out: &View) -> Option<Library> {
        if let Some((scatter, args)) = scatter::of_call(call, out) {
            let kernel = Arc::new(Scatters { scatter, pool: Arc::clone(&self.pool) });
            return Some(Library { kernel, args, refuses: true });
        }
        if !self.capabilities.multiplies && !self.tunes {
            return None;
        }
        let (product, args) = gemm::of_call(call, out)?;
        let kernel = self.product(product).inspect_err(|error| tracing::warn!(%error, "left to the library")).ok()?;
        Some(Library { kernel, args, refuses: false })
    }

    fn autotuner(&self, ways: usize, what: &[&str]) -> Option<Autotuner> {
        let host = format!("{:?}", self.host);
        let parts = what.iter().copied().chain([host.as_str()]).map(str::as_bytes);
        self.tunes.then(|| Autotuner::new(Key::new("cpu autotune", parts), ways, Arc::clone(&self.store)))
    }
}

impl Cpu {
    /// A kernel, in all its versions if one of them is to be chosen.
    fn versions(&self, kernel: &Kernel) -> Result<Arc<dyn CompiledKernel>, BackendError> {
        let usual = self.kernel(kernel, self.host)?;
        if !self.tunes {
            return Ok(Arc::new(usual));
        }
        let others = Host::variants().par_iter().filter_map(|host| self.kernel(kernel, host).ok()).collect();
        Ok(Arc::new(Tuned::new(usual, others, Arc::clone(&self.store))))
    }

    fn kernel(&self, kernel: &Kernel, host: &'static Host) -> Result<CpuKernel, BackendError> {
        let code = compile::compile(kernel, host, &*self.store).map_err(|reason| BackendError {
            backend: NAME,
            kernel: kernel.name.clone(),
            reason,
        })?;
        let facts = Mutex::default();
        let args = kernel.params.values().filter(|p| p.role != Role::Scratch).count();
        let pool = Arc::clone(&self.pool);
        Ok(CpuKernel { kernel: kernel.clone(), host, code, pool, facts, args })
    }

    /// The kernels among these that are compiled and in use.
    fn in_use(&self, prints: &[u128]) -> FxHashMap<u128, Arc<dyn CompiledKernel>> {
        let compiled = self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        prints.iter().filter_map(|print| Some((*print, compiled.get(print)?.upgrade()?))).collect()
    }

    /// Notes kernels as compiled, and forgets those that nobody uses.
    fn remember(&self, fresh: &[(u128, Arc<dyn CompiledKernel>)]) {
        let mut compiled = self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        compiled.retain(|_, kernel| kernel.strong_count() > 0);
        compiled.extend(fresh.iter().map(|(print, kernel)| (*print, Arc::downgrade(kernel))));
    }
}

/// Values of a kernel's sizes.
type Sizes = SmallVec<[i64; 4]>;

/// For how many sets of sizes a kernel remembers what a launch must know.
const RECENT: usize = 4;

/// A kernel with its code.
pub struct CpuKernel {
    kernel: Kernel,
    host: &'static Host,
    code: Code,
    pool: Arc<dyn Pool>,
    /// Of the latest launches' sizes, the latest first.
    facts: Mutex<SmallVec<[(Sizes, Facts); RECENT]>>,
    args: usize,
}

/// The facts about a kernel that a launch needs besides its code; they depend on the sizes.
#[derive(Clone, Copy)]
struct Facts {
    work: Work,
    scratch_bytes: usize,
    /// Iterations of the root axis.
    extent: i64,
}

impl Facts {
    fn of(kernel: &Kernel, host: &Host, sizes: &[i64]) -> Facts {
        let value = |sym| kernel.sizes.iter().position(|&s| s == sym).and_then(|at| sizes.get(at).copied());
        let value = |e: Expr| kernel.exprs.eval(e, &value).unwrap_or(0);
        Facts {
            work: emit::work(kernel, host, &value),
            scratch_bytes: emit::scratch_bytes(kernel, &value),
            extent: value(kernel.axes[kernel.root.axis].extent),
        }
    }

    /// Nanoseconds on one thread.
    fn ns(&self) -> f64 {
        self.work.ns * self.extent as f64
    }
}

impl CpuKernel {
    /// Compiles a kernel for the host.
    ///
    /// # Errors
    /// A kernel that this backend cannot express, or that LLVM rejects.
    pub fn new(kernel: &Kernel) -> Result<CpuKernel, BackendError> {
        Cpu::new().kernel(kernel, target::host())
    }

    /// The LLVM IR after optimisation.
    pub fn optimised(&self) -> String {
        self.text(Listing::Optimised)
    }

    /// The assembly of the host.
    pub fn assembly(&self) -> String {
        self.text(Listing::Assembly)
    }

    fn facts(&self, sizes: &[i64]) -> Facts {
        let mut recent = self.facts.lock().unwrap_or_else(PoisonError::into_inner);
        match recent.iter().position(|(known, _)| known[..] == *sizes) {
            Some(at) => recent[..=at].rotate_right(1),
            None => {
                recent.truncate(RECENT - 1);
                recent.insert(0, (sizes.into(), Facts::of(&self.kernel, self.host, sizes)));
            }
        }
        recent[0].1
    }

    fn check(&self, args: usize, sizes: &[i64]) {
        assert_eq!(args, self.args, "{}: arguments", self.kernel.name);
        assert_eq!(sizes.len(), self.kernel.sizes.len(), "{}: sizes", self.kernel.name);
    }

    fn text(&self, what: Listing) -> String {
        compile::listing(&self.kernel, self.host, what).unwrap_or_else(|reason| reason)
    }
}

impl CompiledKernel for CpuKernel {
    unsafe fn launch(&self, args: &[*mut u8], sizes: &[i64], threads: usize) {
        self.check(args.len(), sizes);
        // SAFETY: the caller promises the addresses; the code lives as long as `self`.
        unsafe { launch::run(self.code.entry(), args, sizes, self.facts(sizes), threads, &*self.pool) };
    }

    fn listing(&self) -> String {
        self.text(Listing::Emitted)
    }
}
