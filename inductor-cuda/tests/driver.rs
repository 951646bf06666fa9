//! Kernels by way of a driver: what is compiled, loaded and launched, with which streams, sizes and arguments; and what
//! comes of a driver that fails.

mod common;

use common::emulator;
use expect_test::expect;
use inductor::loop_ir::Kernel;
use inductor::store::{Key, Nowhere, Store};
use inductor_cuda::{Cuda, CudaError, Driver, Emulator, Function, Launch, Stream};
use std::ffi::c_void;
use std::sync::{Arc, Mutex};

/// Adds a number to each element, of which there are any number.
const ADD: &str = "kernel add<s0: 0..>(%0: f32[4*s0] in, %1: f32[4*s0] out) {
  parallel i0 in 0..4*s0 vector {
    v0: f32 = load %0[i0]
    v1: f32 = const 1.5
    v2: f32 = add v0, v1
    store %1[i0] = v2
  }
}";

/// Does so to so many elements that threads take vectors of them.
const WIDE: &str = "kernel add(%0: f32[524288] in, %1: f32[524288] out) {
  parallel i0 in 0..524288 vector {
    v0: f32 = load %0[i0]
    v1: f32 = const 1.5
    v2: f32 = add v0, v1
    store %1[i0] = v2
  }
}";
const MANY: usize = 524288;

/// Sums all elements: in two stages where there are many, with memory between them.
const SUM: &str = "kernel sum(%0: f32[65536] in, %1: f32[1] out) {
  parallel i0 in 0..1 {
    for i1 in 0..65536 vector reduce(a0: sum f32) {
      v0: f32 = load %0[i1]
      a0 <- v0
    }
    v1: f32 = reduced a0
    store %1[0] = v1
  }
}";

/// The places in which a driver can fail.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Place {
    Compile,
    Load,
    Launch,
}

/// The emulator, with a record of what it was asked for, and failures on demand.
struct Recorder {
    emulator: &'static Emulator,
    log: Mutex<Vec<String>>,
    fails: Mutex<Option<Place>>,
}

impl Recorder {
    fn new() -> Option<Arc<Recorder>> {
        let emulator = emulator::find()?;
        Some(Arc::new(Recorder { emulator, log: Mutex::default(), fails: Mutex::default() }))
    }

    fn note(&self, line: String) {
        self.log.lock().expect("no test panics with it").push(line);
    }

    /// The record since the last call.
    fn seen(&self) -> String {
        let lines: Vec<String> = self.log.lock().expect("no test panics with it").drain(..).collect();
        lines.iter().map(|line| format!("{line}\n")).collect()
    }

    /// Fails at this place once.
    fn fail_at(&self, place: Place) {
        *self.fails.lock().expect("no test panics with it") = Some(place);
    }

    fn fail(&self, place: Place) -> Result<(), CudaError> {
        let mut fails = self.fails.lock().expect("no test panics with it");
        if *fails != Some(place) {
            return Ok(());
        }
        *fails = None;
        Err(CudaError(format!("no luck: {place:?}")))
    }
}

impl Driver for Recorder {
    fn name(&self) -> &str {
        "recorder"
    }

    fn architecture(&self) -> &str {
        self.emulator.architecture()
    }

    fn fingerprint(&self) -> String {
        self.emulator.fingerprint()
    }

    fn compile(&self, text: &str, names: &[&str]) -> Result<Vec<u8>, CudaError> {
        self.note(format!("compile {}", names.join(" ")));
        self.fail(Place::Compile)?;
        self.emulator.compile(text, names)
    }

    fn load(&self, code: &[u8], names: &[&str]) -> Result<Vec<Function>, CudaError> {
        self.note(format!("load {}", names.join(" ")));
        self.fail(Place::Load)?;
        Driver::load(self.emulator, code, names)
    }

    unsafe fn launch(&self, stream: Stream, launch: Launch<'_>) -> Result<(), CudaError> {
        let Launch { groups, threads, ref params, buffers, .. } = launch;
        // SAFETY: behind the pointers there are integers of 32 bits.
        let int = |param: &*mut c_void| unsafe { param.cast::<i32>().read() }.to_string();
        let ints: Vec<String> = params[buffers.len()..].iter().map(int).collect();
        self.note(format!("launch on stream {}: {groups:?} of {threads}, {buffers:?} bytes, {ints:?}", stream.0));
        self.fail(Place::Launch)?;
        // SAFETY: as the caller says.
        unsafe { Driver::launch(self.emulator, stream, launch) }
    }
}

fn kernel(text: &str) -> Kernel {
    text.parse().unwrap_or_else(|error| panic!("{error}"))
}

/// Runs a kernel of one input and one output on a stream.
fn run(cuda: &Cuda, text: &str, sizes: &[i64], input: &[f32], output: &mut [f32]) -> Result<(), String> {
    let compiled = cuda.compile(&[&kernel(text)]).pop().expect("a result for each kernel");
    let work = compiled.and_then(|kernel| kernel.launch(cuda, sizes)).map_err(|error| error.to_string())?;
    let mut scratch = vec![0u64; work.scratch_bytes.div_ceil(8)];
    let args = [input.as_ptr().expose_provenance() as u64, output.as_mut_ptr().expose_provenance() as u64];
    let scratch = scratch.as_mut_ptr().expose_provenance() as u64;
    // SAFETY: the buffers have as many elements as the kernel says, and nobody else has them.
    unsafe { work.run(cuda, Stream(7), &args, scratch) }.map_err(|error| error.to_string())
}

#[test]
fn launches_have_the_sizes_the_arguments_and_the_stream() {
    let Some(driver) = Recorder::new() else { return };
    let cuda = Cuda::new(Arc::clone(&driver) as Arc<dyn Driver>, Arc::new(Nowhere));
    let input: Vec<f32> = (0..MANY + 1).map(|i| i as f32).collect();
    let mut output = vec![0.0; MANY];
    // The second finds what was loaded; the last lies askew of vectors, and goes without.
    for (text, sizes, start, len) in
        [(ADD, &[25][..], 0, 100), (ADD, &[30], 0, 120), (WIDE, &[], 0, MANY), (WIDE, &[], 1, MANY)]
    {
        let output = &mut output[..len];
        run(&cuda, text, sizes, &input[start..], output).unwrap_or_else(|error| panic!("{error}"));
        assert!(output.iter().zip(&input[start..]).all(|(sum, x)| *sum == x + 1.5));
    }
    expect![[r#"
        compile k_add_0
        load k_add_0
        launch on stream 7: [1, 1, 1] of 256, [400, 400] bytes, ["100"]
        launch on stream 7: [1, 1, 1] of 256, [480, 480] bytes, ["120"]
        compile k_add_0
        load k_add_0
        launch on stream 7: [512, 1, 1] of 256, [2097152, 2097152] bytes, []
        compile k_add_0
        load k_add_0
        launch on stream 7: [2048, 1, 1] of 256, [2097152, 2097152] bytes, []
    "#]]
    .assert_eq(&driver.seen());
}

#[test]
fn stages_share_scratch_memory() {
    let Some(driver) = Recorder::new() else { return };
    let cuda = Cuda::new(Arc::clone(&driver) as Arc<dyn Driver>, Arc::new(Nowhere));
    let (input, mut output) = (vec![0.5; 65536], [0.0]);
    run(&cuda, SUM, &[], &input, &mut output).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(output, [32768.0]);
    expect![[r#"
        compile k_sum_pieces_0 k_sum_rest_0
        load k_sum_pieces_0 k_sum_rest_0
        launch on stream 7: [16, 1, 1] of 256, [262144, 64] bytes, []
        launch on stream 7: [1, 1, 1] of 32, [4, 64] bytes, []
    "#]]
    .assert_eq(&driver.seen());
}

#[test]
fn a_failure_is_told_and_the_next_call_works() {
    let Some(driver) = Recorder::new() else { return };
    let cuda = Cuda::new(Arc::clone(&driver) as Arc<dyn Driver>, Arc::new(Nowhere));
    let (input, mut output) = (vec![1.0; 100], vec![0.0; 100]);
    for place in [Place::Compile, Place::Load, Place::Launch] {
        driver.fail_at(place);
        let error = run(&cuda, ADD, &[25], &input, &mut output).expect_err("the driver fails");
        assert_eq!(error, format!("CUDA: no luck: {place:?}"));
        assert_eq!(output, vec![0.0; 100], "nothing ran");
    }
    run(&cuda, ADD, &[25], &input, &mut output).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(output, vec![2.5; 100]);
}

/// A store of one entry, which may be damaged.
#[derive(Default)]
struct Kept(Mutex<Option<Vec<u8>>>);

impl Store for Kept {
    fn get(&self, _: &Key) -> Option<Vec<u8>> {
        self.0.lock().expect("no test panics with it").clone()
    }

    fn put(&self, _: &Key, _: &str, bytes: &[u8]) {
        *self.0.lock().expect("no test panics with it") = Some(bytes.to_vec());
    }
}

#[test]
fn machine_code_is_found_in_the_store_and_made_again_if_it_is_damaged() {
    let Some(driver) = Recorder::new() else { return };
    let store = Arc::new(Kept::default());
    let (input, mut output) = (vec![1.0; 8], vec![0.0; 8]);
    let mut seen = || {
        let cuda = Cuda::new(Arc::clone(&driver) as Arc<dyn Driver>, Arc::clone(&store) as Arc<dyn Store>);
        run(&cuda, ADD, &[2], &input, &mut output).unwrap_or_else(|error| panic!("{error}"));
        driver.seen().matches("compile").count()
    };
    assert_eq!([seen(), seen()], [1, 0]);
    store.put(&Key::new("", []), "", b"no machine code");
    assert_eq!([seen(), seen()], [1, 0]);
}
