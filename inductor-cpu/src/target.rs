//! The host: its CPU, what its vector unit can do, and a target machine per thread.
//!
//! Invariant: code is generated for the machine that this process runs on, and for no other.

use crate::machine::{LibraryReach, MachineModel};
use inkwell::OptimizationLevel;
use inkwell::targets::{CodeModel, InitializationConfig, RelocMode, Target, TargetMachine};
use std::cell::RefCell;
use std::sync::OnceLock;

/// The target host: the properties that the emitter must know, and the way in which it is to be used.
#[derive(Clone, Debug)]
pub(crate) struct Host {
    /// LLVM's name of the CPU.
    pub(crate) cpu: String,
    /// LLVM's feature string.
    pub(crate) features: String,
    /// Bytes of one vector register.
    pub(crate) vector_bytes: usize,
    /// Whether a multiply-add rounded once is one instruction.
    pub(crate) fma: bool,
    /// Whether half floats convert in hardware.
    pub(crate) f16: bool,
    /// Whether the AVX-512 foundation instructions may be named.
    pub(crate) avx512: bool,
    /// Its caches.
    pub(crate) machine: MachineModel,
    /// The unroll factor of vector loops (copies of the body side by side), where the cost model does not decide it.
    pub(crate) copies: Option<u32>,
}

/// The host, found once.
pub(crate) fn host() -> &'static Host {
    static HOST: OnceLock<Host> = OnceLock::new();
    HOST.get_or_init(|| {
        // Not the native target: whatever names all of them would have all of them linked.
        let initialize =
            if cfg!(target_arch = "aarch64") { Target::initialize_aarch64 } else { Target::initialize_x86 };
        initialize(&InitializationConfig::default());
        Host::new(TargetMachine::get_host_cpu_name().to_string(), TargetMachine::get_host_cpu_features().to_string())
    })
}

impl Host {
    fn new(cpu: String, features: String) -> Host {
        let has = |name: &str| features.split(',').any(|f| f.strip_prefix('+') == Some(name));
        let neon = cfg!(target_arch = "aarch64");
        let avx512 = ["avx512f", "avx512dq", "avx512bw", "avx512vl"].iter().all(|f| has(f));
        let vector_bytes = match () {
            () if avx512 => 64,
            () if has("avx2") => 32,
            () => 16,
        };
        let (fma, f16) = (has("fma") || neon, has("f16c") || neon);
        Host { cpu, features, vector_bytes, fma, f16, avx512, machine: MachineModel::read(), copies: None }
    }

    /// The host as if its vectors had at most `bytes` bytes: 32 stands for AVX2, 16 for SSE4.2 without fused
    /// multiply-add. Hosts other than x86-64, and those no wider, are what they are.
    pub(crate) fn at_most(bytes: usize) -> &'static Host {
        static LEVELS: [OnceLock<Host>; 2] = [OnceLock::new(), OnceLock::new()];
        let real = host();
        if bytes >= real.vector_bytes || !cfg!(target_arch = "x86_64") {
            return real;
        }
        let level = |cpu: &str, features: &str| Host::new(cpu.to_owned(), features.to_owned());
        match bytes {
            32.. => LEVELS[0].get_or_init(|| level("x86-64-v3", "+avx2,+fma,+f16c")),
            _ => LEVELS[1].get_or_init(|| level("x86-64-v2", "+sse4.2")),
        }
    }

    /// The host as if its largest cache had one line.
    pub(crate) fn without_caches() -> &'static Host {
        static HOST: OnceLock<Host> = OnceLock::new();
        HOST.get_or_init(|| Host { machine: MachineModel { last: 64, ..host().machine }, ..host().clone() })
    }

    /// Other ways to use the real host, which may be faster than the usual one: vectors of half the width, other
    /// numbers of copies of loops' bodies.
    pub(crate) fn variants() -> &'static [Host] {
        static VARIANTS: OnceLock<Vec<Host>> = OnceLock::new();
        VARIANTS.get_or_init(|| {
            let usual = host();
            let copies = [1, 2, 4].map(|copies| Host { copies: Some(copies), ..usual.clone() });
            let narrow =
                (usual.vector_bytes > 16).then(|| Host { vector_bytes: usual.vector_bytes / 2, ..usual.clone() });
            copies.into_iter().chain(narrow).collect()
        })
    }

    /// True if our matrix products are faster than those of a tensor library with this reach. MKL, the one of most
    /// builds, uses AVX-512 on Intel's processors only.
    pub(crate) fn multiplies_faster(&self, library: LibraryReach) -> bool {
        self.avx512
            && match library {
                LibraryReach::Full => false,
                LibraryReach::Narrow => true,
                LibraryReach::Unknown => self.cpu.starts_with("znver"),
            }
    }

    /// The label of machine code for the host: code is found again on hosts of the same label alone.
    pub(crate) fn label(&self) -> String {
        let (cpu, bits, cache) = (&self.cpu, self.vector_bytes * 8, self.machine.last >> 10);
        format!("CPU code for {cpu}, vectors of {bits} bits, {cache} KiB of cache")
    }

    /// The function attributes that make LLVM use the host's instructions.
    pub(crate) fn attributes(&self) -> [(&'static str, String); 3] {
        [
            ("target-cpu", self.cpu.clone()),
            ("target-features", self.features.clone()),
            ("prefer-vector-width", (self.vector_bytes * 8).to_string()),
        ]
    }
}

/// Runs `f` with this thread's target machine for `host`.
pub(crate) fn with_machine<R>(host: &Host, f: impl FnOnce(&TargetMachine) -> R) -> Result<R, String> {
    thread_local! { static MACHINES: RefCell<Vec<(String, TargetMachine)>> = const { RefCell::new(Vec::new()) }; }
    MACHINES.with_borrow_mut(|machines| {
        if !machines.iter().any(|(cpu, _)| *cpu == host.cpu) {
            machines.push((host.cpu.clone(), machine(host)?));
        }
        let (_, machine) = machines.iter().find(|(cpu, _)| *cpu == host.cpu).expect("pushed above");
        Ok(f(machine))
    })
}

fn machine(host: &Host) -> Result<TargetMachine, String> {
    let triple = TargetMachine::get_default_triple();
    let target = Target::from_triple(&triple).map_err(|e| e.to_string())?;
    let level = OptimizationLevel::Default;
    target
        .create_target_machine(&triple, &host.cpu, &host.features, level, RelocMode::PIC, CodeModel::Small)
        .ok_or_else(|| format!("no target machine for {triple}"))
}
