//! Library kernels, run: halves and windows change how elements are got at, and nothing else.

#[path = "common/cases.rs"]
mod cases;
mod common;

use cases::{Case, cases, others};
use common::gpu;
use half::{bf16, f16};
use inductor::device::{Access, Content, Device, Stream, Task};
use inductor::plan::{Buf, Plan};
use inductor_wgpu::{Gpu, Work};
use symshapes::DType;

/// Numbers that halves hold, too.
fn numbers(buf: Buf, count: usize) -> Vec<f32> {
    (0..count as u32).map(|i| (((i + 7 * buf.as_u32()) * 37 % 101) as f32 - 50.0) / 32.0).collect()
}

fn as_bytes(values: &[f32], dtype: DType) -> Vec<u8> {
    match dtype {
        DType::F16 => values.iter().flat_map(|&x| f16::from_f32(x).to_ne_bytes()).collect(),
        DType::BF16 => values.iter().flat_map(|&x| bf16::from_f32(x).to_ne_bytes()).collect(),
        _ => bytemuck::cast_slice(values).to_vec(),
    }
}

/// The results of a case on a device: the bytes of each buffer that it writes, which hold something else before.
fn run(gpu: &Gpu, case: Case) -> Vec<(Content, Vec<u8>)> {
    let name = case.name;
    let (call, epilogue, plan) = case.planned();
    let task = gpu.library(&call, epilogue.as_ref(), &plan).unwrap_or_else(|error| panic!("{name}: {error}"));
    results(gpu, &plan, &task)
}

fn results(gpu: &Gpu, plan: &Plan, task: &Task<Work>) -> Vec<(Content, Vec<u8>)> {
    let mut stream = gpu.stream().expect("the device is there");
    let mut held = Vec::new();
    for &(buf, access) in &task.args {
        let dtype = plan.bufs[buf].dtype;
        let content = Content { dtype, bytes: plan.bufs[buf].bytes().expect("it is short") };
        let values = numbers(buf, content.bytes / dtype.size());
        let bytes = if dtype == DType::I64 { vec![0; content.bytes] } else { as_bytes(&values, dtype) };
        held.push((stream.upload(&bytes, dtype).expect("there is memory"), content, access));
    }
    let args: Vec<_> = held.iter().map(|(memory, ..)| memory).collect();
    stream.run(&task.work, &args).expect("the work is right");
    let written = held.iter().filter(|(.., access)| *access != Access::Read);
    let written: Vec<_> = written.map(|(memory, content, _)| (memory, *content)).collect();
    let mut got: Vec<Vec<u8>> = vec![Vec::new(); written.len()];
    stream.download(&written, &mut |number, bytes| got[number] = bytes.to_vec()).expect("the device answers");
    written.into_iter().map(|(_, content)| content).zip(got).collect()
}

fn all() -> impl Iterator<Item = [Case; 2]> {
    let pairs = |list: fn() -> Vec<Case>| list().into_iter().zip(list()).map(|(a, b)| [a, b]);
    pairs(cases).chain(pairs(others))
}

#[test]
fn windows_change_nothing() {
    let Some(whole) = gpu() else { return };
    let mut seen = 0;
    for bytes in [1024, 2048] {
        let narrow = gpu().expect("the device is there").with_longest_binding(bytes);
        for [case, same] in all() {
            let name = case.name;
            let (call, epilogue, plan) = case.planned();
            match narrow.library(&call, epilogue.as_ref(), &plan) {
                Ok(task) => {
                    assert_eq!(results(&narrow, &plan, &task), run(&whole, same), "{name} in {bytes} bytes");
                    seen += 1;
                }
                // A kernel on the result binds its own buffers; a device binds so many and no more.
                Err(refusal) => {
                    eprintln!("{name} in {bytes} bytes: {refusal}");
                    let text = refusal.to_string();
                    assert!(text.contains("the device binds"), "{name}: {refusal}");
                }
            }
        }
    }
    assert!(seen >= 20, "{seen} cases were cut");
}

#[test]
fn halves_are_rounded_once() {
    let Some(gpu) = gpu() else { return };
    for dtype in [DType::F16, DType::BF16] {
        for [case, same] in all().filter(|[case, _]| !case.has_kernel()) {
            let name = case.name;
            let [singles, halves] = [case, same.of_dtype(dtype)].map(|case| run(&gpu, case));
            assert_eq!(singles.len(), halves.len(), "{name}");
            for ((content, single), (_, half)) in singles.into_iter().zip(halves) {
                if content.dtype != DType::F32 {
                    assert_eq!(half, single, "{name} of {dtype}");
                    continue;
                }
                let singles = bytemuck::pod_collect_to_vec::<u8, f32>(&single);
                let [got, wanted] = [half, as_bytes(&singles, dtype)].map(|bytes| ordered(&bytes));
                assert_eq!(got.len(), wanted.len());
                // The driver may contract other sums to fused products, which moves a few over the middle of two
                // halves.
                let apart = |(a, b): (&i32, &i32)| (a - b).abs();
                let far = got.iter().zip(&wanted).map(apart).max().unwrap_or(0);
                let moved = got.iter().zip(&wanted).filter(|pair| apart(*pair) > 0).count();
                assert!(far <= 1 && moved <= got.len() / 20, "{name} of {dtype}: {moved} of {}, by {far}", got.len());
            }
        }
    }
}

/// Halves as numbers of which neighbours are one apart.
fn ordered(bytes: &[u8]) -> Vec<i32> {
    let number = |bits: u16| if bits < 0x8000 { i32::from(bits) } else { 0x8000 - i32::from(bits) };
    bytemuck::pod_collect_to_vec::<u8, u16>(bytes).into_iter().map(number).collect()
}
