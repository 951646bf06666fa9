//! Kernels cut into pieces for devices whose bindings are small.

use inductor::grid::pieces::{Binds, Window, cut};
use inductor::loop_ir::Kernel;
use inductor_testing::loops::{self, Buffer};
use inductor_testing::random::small_inputs;

const BINDS: Binds = Binds { most: 4096, alignment: 256, wide_int: 8 };

/// Runs the pieces one after another on windows of the buffers.
fn run(kernel: &Kernel, inputs: &mut [Buffer]) -> Result<usize, String> {
    let pieces = cut(kernel, &[], BINDS)?;
    for piece in &pieces {
        let part = |(buffer, window): (&Buffer, &Window)| {
            let range = window.offset as usize..(window.offset + window.len) as usize;
            assert!(range.len() * buffer.dtype().size() <= BINDS.most as usize);
            assert_eq!(range.start * buffer.dtype().size() % BINDS.alignment as usize, 0);
            let elements: Vec<_> = range.map(|i| buffer.get(i)).collect();
            Buffer::from_scalars(buffer.dtype(), &elements)
        };
        let mut parts: Vec<Buffer> = inputs.iter().zip(&piece.windows).map(part).collect();
        loops::run(&piece.kernel, &[], &mut parts).expect("a piece runs");
        for ((buffer, part), window) in inputs.iter_mut().zip(&parts).zip(&piece.windows) {
            (0..part.len()).for_each(|i| buffer.set_bits(window.offset as usize + i, part.bits(i)));
        }
    }
    Ok(pieces.len())
}

fn pieces(text: &str) -> Result<usize, String> {
    let kernel: Kernel = text.parse().expect("a kernel");
    let (mut ours, mut wanted) = (small_inputs(3, &kernel, &[]), small_inputs(3, &kernel, &[]));
    let count = run(&kernel, &mut ours)?;
    loops::run(&kernel, &[], &mut wanted).expect("the kernel runs");
    for (ours, wanted) in ours.iter().zip(&wanted) {
        assert!((0..ours.len()).all(|i| ours.bits(i) == wanted.bits(i)), "{kernel}");
    }
    Ok(count)
}

#[test]
fn pieces_do_what_the_kernel_does() {
    assert_eq!(pieces(include_str!("../golden/grid/pointwise.loop")), Err("rows that are too long".into()));
    let scaled = "kernel scaled(%0: f32[5000] in, %1: bool[5000] out) {
       parallel i0 in 0..5000 vector {
         v0: f32 = load %0[i0]
         v1: f32 = const 0.5
         v2: bool = gt v0, v1
         store %1[i0] = v2
       }
     }";
    assert_eq!(pieces(scaled), Ok(5));
    let sums = "kernel sums(%0: f32[6400] in, %1: f32[100] out) {
       parallel i0 in 0..100 {
         for i1 in 0..64 vector reduce(a0: sum f32) {
           v0: f32 = load %0[64*i0 + i1]
           a0 <- v0
         }
         v1: f32 = reduced a0
         store %1[i0] = v1
       }
     }";
    assert_eq!(pieces(sums), Err("rows that are too long".into()), "64 sums make a window, 16 rows fit one");
    assert!(pieces(include_str!("../golden/grid/broadcast.loop")).is_err(), "a column is read by turns");
}
