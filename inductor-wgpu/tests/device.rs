//! The device layer, with shaders written by hand.

mod common;

use common::gpu;
use inductor::device::{Content, Device, DeviceError, Stream};
use inductor_wgpu::{AdapterChoice, BindingKind, Dispatch, Gpu, GpuStream, Memory, OpenError, Operand, Shader, Work};
use smallvec::smallvec;
use symshapes::DType;

/// The bytes of numbers.
fn bytes(values: &[f32]) -> Vec<u8> {
    bytemuck::cast_slice(values).to_vec()
}

/// So many floats.
fn floats(count: usize) -> Content {
    Content { dtype: DType::F32, bytes: 4 * count }
}

const SCALE: &str = "
struct Params { factor: f32 }
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> a: array<f32>;
@group(0) @binding(2) var<storage, read_write> b: array<f32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) at: vec3<u32>) {
    if (at.x < arrayLength(&b)) { b[at.x] = a[at.x] * params.factor; }
}
";

fn scale(gpu: &Gpu, factor: f32) -> Work {
    let bindings = vec![BindingKind::Uniform, BindingKind::Read, BindingKind::ReadWrite];
    let shader = gpu.shader(Shader { text: SCALE.to_owned(), bindings }).expect("the shader is right");
    let operands = smallvec![Operand::Params, Operand::Arg(0), Operand::Arg(1)];
    Work::of(Dispatch { shader, operands, params: vec![factor.to_bits()], groups: [1, 1, 1] })
}

fn read(stream: &mut GpuStream, memory: &Memory, count: usize) -> Result<Vec<f32>, DeviceError> {
    let mut values = Vec::new();
    stream.download(&[(memory, floats(count))], &mut |_, bytes| values = bytemuck::pod_collect_to_vec(bytes))?;
    Ok(values)
}

#[test]
fn a_chain_of_dispatches_is_one_submission() {
    let Some(gpu) = gpu() else { return };
    let double = scale(&gpu, 2.0);
    let mut stream = gpu.stream().expect("the device is there");
    let mut at = stream.upload(&bytes(&[1.0, -2.0, 0.5]), DType::F32).expect("there is memory");
    for _ in 0..10 {
        let next = stream.allocate(floats(3)).expect("there is memory");
        stream.run(&double, &[&at, &next]).expect("the dispatch is right");
        stream.release(std::mem::replace(&mut at, next));
    }
    assert_eq!(read(&mut stream, &at, 3).expect("the device answers"), [1024.0, -2048.0, 512.0]);
    let counted = gpu.counters().values();
    let count = |name: &str| counted.iter().find(|(n, _)| *n == name).expect("it is counted").1;
    assert_eq!((count("dispatches"), count("submissions"), count("pipelines")), (10, 1, 1));
    assert_eq!((count("bytes_up"), count("bytes_down")), (12, 12));
    assert!(count("allocations") <= 14, "blocks are used again: {counted:?}");
}

#[test]
fn memory_that_nobody_uses_goes_back() {
    let Some(gpu) = gpu() else { return };
    let run = |count: usize| {
        let mut stream = gpu.stream().expect("the device is there");
        let block = stream.upload(&vec![1; 4 * count], DType::F32).expect("there is memory");
        assert_eq!(read(&mut stream, &block, 1).map(|values| values.len()), Ok(1));
    };
    run(16 << 20);
    assert!(gpu.memory()[1] >= 64 << 20, "the next run may want it");
    gpu.trim();
    assert_eq!(gpu.memory(), [0, 0]);
    run(16 << 20);
    for _ in 0..100 {
        run(16);
    }
    assert!(gpu.memory()[1] < 1 << 20, "{:?}: the runs of late did not", gpu.memory());
}

#[test]
fn an_upload_never_reaches_a_block_that_recorded_work_still_reads() {
    let Some(gpu) = gpu() else { return };
    let double = scale(&gpu, 2.0);
    let mut stream = gpu.stream().expect("the device is there");
    let a = stream.upload(&bytes(&[1.0]), DType::F32).expect("there is memory");
    let b = stream.allocate(floats(1)).expect("there is memory");
    stream.run(&double, &[&a, &b]).expect("the dispatch is right");
    stream.release(a);
    let c = stream.upload(&bytes(&[100.0]), DType::F32).expect("there is memory");
    assert_eq!(read(&mut stream, &b, 1).expect("the device answers"), [2.0]);
    assert_eq!(read(&mut stream, &c, 1).expect("the device answers"), [100.0]);
}

const LOOK_UP: &str = "
struct Params { index: u32 }
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> a: array<f32>;
@group(0) @binding(2) var<storage, read_write> b: array<f32>;
@group(0) @binding(3) var<storage, read_write> fault: array<atomic<u32>>;
@compute @workgroup_size(1) fn main() {
    if (params.index >= arrayLength(&a)) { atomicStore(&fault[0], 1u); return; }
    b[0] = a[params.index];
}
";

#[test]
fn an_index_out_of_bounds_is_told_by_the_next_download_of_its_run() {
    let Some(gpu) = gpu() else { return };
    let bindings = vec![BindingKind::Uniform, BindingKind::Read, BindingKind::ReadWrite, BindingKind::ReadWrite];
    let shader = gpu.shader(Shader { text: LOOK_UP.to_owned(), bindings }).expect("the shader is right");
    let operands = smallvec![Operand::Params, Operand::Arg(0), Operand::Arg(1), Operand::Fault];
    let look_up = |index| Dispatch { shader, operands: operands.clone(), params: vec![index], groups: [1, 1, 1] };
    for wrong in [None, Some(3), None] {
        let mut stream = gpu.stream().expect("the device is there");
        let a = stream.upload(&bytes(&[5.0, 6.0, 7.0]), DType::F32).expect("there is memory");
        let b = stream.allocate(floats(1)).expect("there is memory");
        let dispatches = [Some(2), wrong, Some(1)].into_iter().flatten().map(look_up).collect();
        let work = Work { dispatches, temporaries: Vec::new() };
        stream.run(&work, &[&a, &b]).expect("the dispatches are right");
        match (wrong, read(&mut stream, &b, 1)) {
            (None, got) => assert_eq!(got, Ok(vec![6.0])),
            (Some(_), got) => assert!(matches!(got, Err(DeviceError::OutOfBounds { .. })), "{got:?}"),
        }
    }
}

#[test]
fn odd_numbers_of_bytes_come_back_as_they_went() {
    let Some(gpu) = gpu() else { return };
    let mut stream = gpu.stream().expect("the device is there");
    for length in [1usize, 2, 3, 4, 5, 255, 257, 1000] {
        let sent: Vec<u8> = (0..length).map(|i| i as u8).collect();
        let memory = stream.upload(&sent, DType::U8).expect("there is memory");
        let mut got = Vec::new();
        stream
            .download(&[(&memory, Content { dtype: DType::U8, bytes: length })], &mut |_, bytes| got = bytes.to_vec())
            .expect("the device answers");
        assert_eq!(got, sent);
    }
}

#[test]
fn a_wrong_shader_is_refused_with_the_reason() {
    let Some(gpu) = gpu() else { return };
    let wrong = Shader { text: "@compute fn main() { let x: f32 = 1u; }".to_owned(), bindings: Vec::new() };
    let refusal = gpu.shader(wrong).expect_err("the types do not agree");
    assert!(refusal.to_string().contains("f32"), "{refusal}");
}

#[test]
fn too_much_memory_is_an_error_and_the_device_goes_on() {
    let Some(gpu) = gpu() else { return };
    let mut stream = gpu.stream().expect("the device is there");
    let error = stream.allocate(floats(1 << 48)).expect_err("nobody has a petabyte");
    assert!(matches!(error, DeviceError::OutOfMemory { bytes, .. } if bytes == 1 << 50), "{error}");
    let memory = stream.upload(&bytes(&[3.0]), DType::F32).expect("there is memory for a word");
    assert_eq!(read(&mut stream, &memory, 1).expect("the device answers"), [3.0]);
}

#[test]
fn a_lost_device_is_an_error_and_the_next_run_opens_it_anew() {
    let Some(gpu) = gpu() else { return };
    let triple = scale(&gpu, 3.0);
    let run = |stream: &mut GpuStream| {
        let a = stream.upload(&bytes(&[2.0]), DType::F32)?;
        let b = stream.allocate(floats(1))?;
        stream.run(&triple, &[&a, &b])?;
        let value = read(stream, &b, 1)?[0];
        Ok::<_, DeviceError>((value, a))
    };
    let (value, kept) = run(&mut gpu.stream().expect("the device is there")).expect("it runs");
    assert_eq!(value, 6.0);
    let mut stream = gpu.stream().expect("the device is there");
    assert!(stream.keeps(&kept));
    gpu.lose();
    let error = run(&mut stream).expect_err("the device is gone");
    assert!(matches!(error, DeviceError::Lost { .. }), "{error:?}");
    let mut stream = gpu.stream().expect("it is opened again");
    assert!(!stream.keeps(&kept));
    assert_eq!(run(&mut stream).expect("it runs again").0, 6.0);
}

#[test]
fn several_threads_run_at_once() {
    let Some(gpu) = gpu() else { return };
    std::thread::scope(|scope| {
        for thread in 0..4u8 {
            let gpu = &gpu;
            scope.spawn(move || {
                let work = scale(gpu, f32::from(thread));
                for _ in 0..20 {
                    let mut stream = gpu.stream().expect("the device is there");
                    let a = stream.upload(&bytes(&[1.0; 100]), DType::F32).expect("there is memory");
                    let b = stream.allocate(floats(100)).expect("there is memory");
                    stream.run(&work, &[&a, &b]).expect("the dispatch is right");
                    let got = read(&mut stream, &b, 64).expect("the device answers");
                    assert!(got.iter().all(|&x| x == f32::from(thread)), "{got:?}");
                }
            });
        }
    });
}

#[test]
fn an_adapter_that_is_not_there_is_named_beside_those_that_are() {
    let Some(gpu) = gpu() else { return };
    let choice = AdapterChoice::Named("no such thing".to_owned());
    let error = Gpu::open(&choice).err().expect("nothing has that name");
    assert!(matches!(&error, OpenError::NoSuchAdapter { found, .. } if !found.is_empty()), "{error}");
    let named = AdapterChoice::Named(gpu.name().to_uppercase());
    assert!(Gpu::open(&named).is_ok());
}

#[test]
fn without_64_bits_small_integers_go_and_come_in_32_and_large_ones_are_refused() {
    if gpu().is_none() {
        return;
    }
    let plain = Gpu::open_plain(&AdapterChoice::Software).expect("the adapter is there");
    assert!(!plain.has_wide_ints());
    let mut stream = plain.stream().expect("the device is there");
    let sent: [i64; 4] = [0, -5, 1 << 30, -(1 << 30)];
    let content = Content { dtype: DType::I64, bytes: 32 };
    let memory = stream.upload(bytemuck::cast_slice(&sent), DType::I64).expect("they fit");
    let mut got = Vec::new();
    stream.download(&[(&memory, content)], &mut |_, bytes| got = bytes.to_vec()).expect("the device answers");
    assert_eq!(bytemuck::pod_collect_to_vec::<u8, i64>(&got), sent);
    let error = stream.upload(bytemuck::cast_slice(&[(1i64 << 30) + 1]), DType::I64).expect_err("it does not fit");
    assert!(matches!(error, DeviceError::TooWide { .. }), "{error}");
}
