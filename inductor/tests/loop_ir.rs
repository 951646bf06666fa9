//! Hand-written kernels through text, verifier and interpreter.

use expect_test::expect;
use fx::Scalar;
use inductor::loop_ir::{Kernel, verify::verify};
use inductor_testing::loops::{self, Buffer, InterpError};
use symshapes::DType;

const SOFTMAX: &str = include_str!("golden/loop_ir/softmax.txt");
const LAYER_NORM: &str = include_str!("golden/loop_ir/layer_norm.txt");

/// The kernel of a text that is right, and prints as it was read.
fn kernel(text: &str) -> Kernel {
    let kernel: Kernel = text.parse().expect("the text is a kernel");
    verify(&kernel).expect("the kernel is right");
    assert_eq!(kernel.to_string(), text);
    kernel
}

/// A smooth but irregular row of floats.
fn wave(len: usize) -> Buffer {
    let elements: Vec<Scalar> = (0..len).map(|i| Scalar::Float((i as f64 * 0.7).sin() * 3.0 + 0.5)).collect();
    Buffer::from_scalars(DType::F32, &elements)
}

fn floats(buffer: &Buffer) -> Vec<f64> {
    buffer.scalars().map(Scalar::as_f64).collect()
}

#[test]
fn softmax_gives_probabilities() {
    let x = wave(3 * 16);
    let mut buffers = [x.clone(), Buffer::zeroed(DType::F32, 48)];
    loops::run(&kernel(SOFTMAX), &[], &mut buffers).expect("it runs");
    for (row, got) in floats(&x).chunks(16).zip(floats(&buffers[1]).chunks(16)) {
        let total: f64 = row.iter().map(|v| v.exp()).sum();
        for (v, got) in row.iter().zip(got) {
            assert!((v.exp() / total - got).abs() < 1e-6, "{v} gives {got}");
        }
    }
}

#[test]
fn layer_norm_centres_and_scales() {
    let (x, weight, bias) = (wave(3 * 16), wave(16), wave(16));
    let mut buffers = [x.clone(), weight.clone(), bias.clone(), Buffer::zeroed(DType::F32, 48)];
    loops::run(&kernel(LAYER_NORM), &[], &mut buffers).expect("it runs");
    let (weight, bias) = (floats(&weight), floats(&bias));
    for (row, got) in floats(&x).chunks(16).zip(floats(&buffers[3]).chunks(16)) {
        let mean = row.iter().sum::<f64>() / 16.0;
        let variance = row.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / 16.0;
        for i in 0..16 {
            let want = (row[i] - mean) / (variance + 1e-5).sqrt() * weight[i] + bias[i];
            assert!((want - got[i]).abs() < 1e-5, "{want} {}", got[i]);
        }
    }
}

#[test]
fn an_access_outside_is_an_error() {
    let text = "kernel k(%0: i64[1] in, %1: f32[4] in, %2: f32[1] out) {
  parallel i0 in 0..1 {
    v0: i64 = load %0[0]
    v1: i64 = bind v0 as j0 in 0..=9
    v2: f32 = load %1[j0]
    store %2[0] = v2
  }
}
";
    let kernel = kernel(text);
    let run = |index: i64| {
        let index = Buffer::from_scalars(DType::I64, &[Scalar::Int(index)]);
        loops::run(&kernel, &[], &mut [index, wave(4), Buffer::zeroed(DType::F32, 1)])
    };
    assert_eq!(run(3), Ok(()));
    assert!(matches!(run(4), Err(InterpError::Bounds { index: 4, len: 4, .. })));
    assert!(matches!(run(-1), Err(InterpError::Bounds { .. })));
}

#[test]
fn a_call_has_the_sizes_and_buffers_that_the_kernel_takes() {
    let text = "kernel k<s0: 2.., s1: 2..=8>(%0: f32[s0*s1] in, %1: f32[s0] out) {
  parallel i0 in 0..s0 {
    v0: f32 = load %0[i0*s1]
    store %1[i0] = v0
  }
}
";
    let kernel = kernel(text);
    let run = |sizes: &[i64], lens: &[usize]| {
        let mut buffers: Vec<Buffer> = lens.iter().map(|&len| wave(len)).collect();
        loops::run(&kernel, sizes, &mut buffers).map_err(|error| error.to_string())
    };
    assert_eq!(run(&[3, 4], &[12, 3]), Ok(()));
    assert_eq!(run(&[3, 4], &[20, 9]), Ok(()), "longer buffers are as good");
    let wrong: [(&[i64], &[usize]); 6] = [
        (&[3], &[12, 3]),
        (&[], &[12, 3]),
        (&[3, 4, 5], &[12, 3]),
        (&[3, 4], &[12]),
        (&[3, 4], &[11, 3]),
        (&[4, 3], &[12, 3]),
    ];
    let errors =
        wrong.map(|(sizes, lens)| format!("{sizes:?} {lens:?}: {}", run(sizes, lens).expect_err("it is wrong")));
    expect![[r#"
        [3] [12, 3]: 1 sizes, not 2
        [] [12, 3]: 0 sizes, not 2
        [3, 4, 5] [12, 3]: 3 sizes, not 2
        [3, 4] [12]: 1 buffers for 2 params
        [3, 4] [11, 3]: %0: the buffer does not fit
        [4, 3] [12, 3]: %1: the buffer does not fit"#]]
    .assert_eq(&errors.join("\n"));
}

#[test]
fn extrema_find_the_first_and_nan_wins() {
    let text = "kernel k(%0: f32[5] in, %1: i64[1] out, %2: f32[1] out) {
  parallel i0 in 0..1 {
    for i1 in 0..5 vector reduce(a0: argmax f32, a1: min f32) {
      v0: f32 = load %0[i1]
      a0 <- v0 at i1
      a1 <- v0
    }
    v1: i64 = reduced a0
    v2: f32 = reduced a1
    store %1[0] = v1
    store %2[0] = v2
  }
}
";
    let kernel = kernel(text);
    let run = |row: [f64; 5]| {
        let row = Buffer::from_scalars(DType::F32, &row.map(Scalar::Float));
        let mut buffers = [row, Buffer::zeroed(DType::I64, 1), Buffer::zeroed(DType::F32, 1)];
        loops::run(&kernel, &[], &mut buffers).expect("it runs");
        (buffers[1].get(0).as_i64(), buffers[2].get(0).as_f64())
    };
    assert_eq!(run([1.0, 7.0, 7.0, -2.0, 0.0]), (1, -2.0));
    let (position, least) = run([1.0, f64::NAN, 7.0, f64::NAN, 0.0]);
    assert!(position == 1 && least.is_nan());
}

#[test]
fn numbering_and_names_are_no_part_of_identity() {
    let text = |name: &str, v: u32, i: u32, kind: &str| {
        format!(
            "kernel {name}(%0: f32[8] in, %1: f32[8] out) {{
               parallel i{i} in 0..8 {{
                 v{v}: f32 = load %0[i{i}]
                 v{w}: f32 = {kind} v{v}
                 store %1[i{i}] = v{w}
               }}
             }}",
            w = v + 1
        )
        .parse::<Kernel>()
        .expect("the text is a kernel")
    };
    let (a, b, c) = (text("a", 0, 0, "exp"), text("b", 7, 3, "exp"), text("a", 0, 0, "log"));
    assert_eq!((a.fingerprint(), &a), (b.fingerprint(), &b));
    assert!(a != c && a.fingerprint() != c.fingerprint());
}

#[test]
fn buffers_keep_the_bits_of_their_neighbours() {
    for dtype in [DType::Bool, DType::I8, DType::I16, DType::I32, DType::I64] {
        let mut buffer = Buffer::zeroed(dtype, 11);
        (0..11).for_each(|i| buffer.set(i, Scalar::Int(i as i64 % 2)));
        buffer.set(5, Scalar::Int(0));
        let want: Vec<i64> = (0..11).map(|i| if i == 5 { 0 } else { i % 2 }).collect();
        assert_eq!(buffer.scalars().map(Scalar::as_i64).collect::<Vec<_>>(), want, "{dtype}");
    }
}
