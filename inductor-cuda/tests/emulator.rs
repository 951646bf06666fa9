//! The emulator itself: what it computes, and the mistakes that it finds in kernels written by hand.

mod common;

use common::device::{self, Device, Launch, Memory};
use common::emulator;
use expect_test::{Expect, expect};
use inductor::grid::lower;
use inductor::loop_ir::Param;
use inductor_cuda::Slice;
use inductor_testing::random;

/// A kernel `k` of buffers `b0`, `b1`, … of 32-bit integers.
struct Case<'a> {
    text: &'a str,
    groups: u32,
    threads: u32,
    buffers: &'a [&'a [i32]],
    args: &'a [i32],
}

impl Case<'_> {
    /// The contents of the buffers after a launch, or the mistake that was found; `None` without an emulator.
    ///
    /// # Panics
    /// If the compiler or the program's loading fails.
    fn run(&self) -> Option<Result<Vec<Vec<i32>>, String>> {
        let emulator = emulator::find()?;
        let text = format!("extern \"C\" __global__ void {}", self.text);
        let program = emulator.load(&text, &["k"]).unwrap_or_else(|log| panic!("{log}"));
        let bytes = |words: &&[i32]| words.iter().flat_map(|word| word.to_ne_bytes()).collect::<Vec<u8>>();
        let memories: Vec<_> = self.buffers.iter().map(|words| Memory::new(emulator, &bytes(words))).collect();
        let memories: Vec<_> = memories.into_iter().map(|memory| memory.expect("there is memory")).collect();
        let buffers: Vec<Slice> =
            memories.iter().enumerate().map(|(i, memory)| memory.slice(&format!("b{i}"))).collect();
        let groups = [self.groups, 1, 1];
        let launch = Launch { kernel: "k", groups, threads: self.threads, buffers: &buffers, args: self.args };
        let words = |bytes: Vec<u8>| {
            bytes.chunks_exact(4).map(|word| i32::from_ne_bytes(word.try_into().expect("four bytes"))).collect()
        };
        let done = emulator.launch(&program, &launch);
        Some(done.map(|()| memories.iter().map(|memory| words(memory.read().expect("red zones are whole"))).collect()))
    }

    /// Expects that a mistake is found, and how it is told.
    fn finds(&self, message: &Expect) {
        if let Some(done) = self.run() {
            let found = done.expect_err("it has a mistake");
            message.assert_eq(found.strip_prefix("kernel k, ").expect("it names the kernel"));
        }
    }

    /// Expects what the last buffer holds.
    fn gives(&self, wanted: &[i32]) {
        if let Some(done) = self.run() {
            let buffers = done.unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(buffers.last().expect("a buffer"), wanted);
        }
    }
}

/// A case of one block of 64 threads and one buffer of 64 elements.
fn case(text: &str) -> Case<'_> {
    Case { text, groups: 1, threads: 64, buffers: &[&[0; 64]], args: &[] }
}

#[test]
fn a_read_without_a_barrier_is_a_race() {
    case("k(int* b0) { __shared__ int w0[64]; int t = threadIdx.x; w0[t] = t; b0[t] = w0[63 - t]; }")
        .finds(&expect!["block (0, 0, 0), thread 0: uninitialised: read at index 63 of w0"]);
    case(
        "k(int* b0) {
            __shared__ int w0[64];
            int t = threadIdx.x;
            w0[t] = t;
            __syncthreads();
            int x = w0[63 - t];
            w0[t] = x;
          }",
    )
    .finds(&expect!["block (0, 0, 0), thread 0: race: read at index 63 of w0, which thread 63 of block 0 has written"]);
}

#[test]
fn barriers_order_a_block() {
    let wanted: Vec<i32> = (0..64).rev().collect();
    case(
        "k(int* b0) {
            __shared__ int w0[64];
            int t = threadIdx.x;
            w0[t] = t;
            __syncthreads();
            b0[t] = w0[63 - t];
          }",
    )
    .gives(&wanted);
}

#[test]
fn barriers_of_a_warp_order_the_warp_alone() {
    let text = |distance| {
        format!(
            "k(int* b0) {{
               __shared__ int w0[64];
               int t = threadIdx.x;
               w0[t] = t;
               __syncthreads();
               w0[t] = 2 * t;
               __syncwarp();
               b0[t] = w0[t ^ {distance}];
             }}"
        )
    };
    case(&text(1)).gives(&(0..64).map(|t| 2 * (t ^ 1)).collect::<Vec<i32>>());
    case(&text(32)).finds(&expect![
        "block (0, 0, 0), thread 0: race: write at index 0 of w0, which thread 32 of block 0 has read"
    ]);
}

#[test]
fn blocks_race_in_buffers() {
    let blocks = |text| Case { groups: 2, ..case(text) };
    blocks("k(int* b0) { b0[threadIdx.x] = blockIdx.x; }").finds(&expect![
        "block (1, 0, 0), thread 0: race: write at index 0 of b0, which thread 0 of block 0 has written otherwise"
    ]);
    blocks("k(int* b0) { b0[blockIdx.x] = b0[1 - blockIdx.x]; }").finds(&expect![
        "block (1, 0, 0), thread 0: race: read at index 0 of b0, which several threads of block 0 have written"
    ]);
    blocks("k(int* b0) { b0[threadIdx.x] = 3; }").gives(&[3; 64]);
    blocks("k(int* b0) { atomicAdd(b0, 1); atomicAdd(b0 + threadIdx.x, 1); }")
        .gives(&(0..64).map(|t| if t == 0 { 130 } else { 2 }).collect::<Vec<i32>>());
}

#[test]
fn atomics_race_with_other_accesses() {
    case("k(int* b0) { atomicAdd(b0, 1); if (threadIdx.x == 5) b0[1] = b0[0]; }").finds(&expect!["block (0, 0, 0), thread 5: race: read at index 0 of b0, which several threads of warp 0 of block 0 have written"]);
    // All threads have added when the last one reads, in the order in which they run here.
    case("k(int* b0) { atomicAdd(b0, 1); if (threadIdx.x == 63) b0[1] = *(volatile int*)b0; }")
        .gives(&(0..64).map(|t| if t < 2 { 64 } else { 0 }).collect::<Vec<i32>>());
}

#[test]
fn accesses_out_of_bounds_are_found() {
    case("k(int* b0) { b0[threadIdx.x + 1] = 0; }").finds(&expect![
        "block (0, 0, 0), thread 63: out of bounds: write of 4 bytes at index 64 of b0, which has 256 bytes"
    ]);
    case("k(int* b0) { b0[(int)threadIdx.x - 3] = 0; }").finds(&expect![
        "block (0, 0, 0), thread 0: out of bounds: write of 4 bytes at index -3 of b0, which has 256 bytes"
    ]);
    case("k(int* b0) { __shared__ int w0[16]; w0[threadIdx.x] = 0; }").finds(&expect![
        "block (0, 0, 0), thread 16: out of bounds: write of 4 bytes at index 16 of w0, which has 64 bytes"
    ]);
    case("k(int* b0) { b0[threadIdx.x * 40000000] = 0; }").finds(&expect![
        "block (0, 0, 0), thread 1: out of bounds: write of 4 bytes at index 40000000 of b0, which has 256 bytes"
    ]);
    case("k(int* b0) { b0[0] = *(int*)64; }").finds(&expect![
        "block (0, 0, 0), thread 0: out of bounds: read of 4 bytes at 0x40, which is no memory of the kernel"
    ]);
}

#[test]
fn buffers_that_are_const_are_not_written() {
    case("k(const int* b0) { ((int*)b0)[threadIdx.x] = 0; }")
        .finds(&expect!["block (0, 0, 0), thread 0: const: write at index 0 of b0"]);
}

#[test]
fn divergent_barriers_are_found() {
    case("k(int* b0) { if (threadIdx.x < 40) __syncthreads(); }").finds(&expect![
        "block (0, 0, 0), thread 0: divergent barrier: it waits at the barrier in line 1, thread 40 has ended"
    ]);
    case(
        "k(int* b0) {
            if (threadIdx.x < 40)
              __syncthreads();
            else
              __syncthreads();
          }",
    )
    .finds(&expect!["block (0, 0, 0), thread 40: divergent barrier: it waits in line 5, others in line 3"]);
    case("k(int* b0) { if (threadIdx.x == 7) __syncthreads(); else __syncwarp(); }").finds(&expect!["block (0, 0, 0), thread 0: divergent barrier: it waits in __syncwarp of lanes 0xffffffff in line 1, thread 7 waits at the barrier in line 1"]);
    case("k(int* b0) { if (threadIdx.x != 9) b0[threadIdx.x] = __shfl_sync(0xffffffffu, 1, 0); }")
        .finds(&expect!["block (0, 0, 0), thread 0: divergent barrier: it waits in __shfl_sync of lanes 0xffffffff in line 1, thread 9 has ended"]);
}

#[test]
fn misaligned_vectors_are_found() {
    case("k(int* b0) { *(int4*)&b0[threadIdx.x] = make_int4(1, 2, 3, 4); }")
        .finds(&expect!["block (0, 0, 0), thread 1: misaligned: write of 16 bytes at index 1 of b0"]);
    case("k(int* b0) { const int2 x = *(const int2*)&b0[threadIdx.x]; b0[63] = x.x; }")
        .finds(&expect!["block (0, 0, 0), thread 1: misaligned: read of 8 bytes at index 1 of b0"]);
    case("k(int* b0) { if (threadIdx.x < 16) *(int4*)&b0[4 * threadIdx.x] = make_int4(1, 2, 3, 4); }")
        .gives(&[1, 2, 3, 4].repeat(16));
}

#[test]
fn undefined_arithmetic_is_found() {
    case("k(int* b0) { b0[0] = 1 / b0[0]; }")
        .finds(&expect!["block (0, 0, 0), thread 0: undefined: a division by zero, or one that overflows in line 1"]);
    case("k(int* b0) { int x = 2147483647 - b0[0]; b0[0] = x + 1; }")
        .finds(&expect!["block (0, 0, 0), thread 0: undefined: a signed sum that overflows in line 1"]);
    case("k(int* b0) { b0[0] = (int)(1e10f + b0[0]); }").finds(&expect![
        "block (0, 0, 0), thread 0: undefined: a float that no integer of the type is near to in line 1"
    ]);
    case("k(int* b0) { b0[0] = 1 << (b0[0] + 32); }")
        .finds(&expect!["block (0, 0, 0), thread 0: undefined: a shift by the width or more in line 1"]);
}

#[test]
fn shuffles_read_the_right_lane() {
    let shuffled = |call: &str, wanted: fn(i32) -> i32| {
        let text = format!("k(int* b0) {{ int t = threadIdx.x; b0[t] = {call}; }}");
        case(&text).gives(&(0..64).map(wanted).collect::<Vec<i32>>());
    };
    shuffled("__shfl_sync(0xffffffffu, t, 3)", |t| t / 32 * 32 + 3);
    shuffled("__shfl_sync(0xffffffffu, t, 5, 4)", |t| t / 4 * 4 + 1);
    shuffled("__shfl_xor_sync(0xffffffffu, t, 16)", |t| t ^ 16);
    shuffled("__shfl_xor_sync(0xffffffffu, t, 4, 4)", |t| if t % 8 < 4 { t } else { t ^ 4 });
    shuffled("__shfl_up_sync(0xffffffffu, t, 2)", |t| if t % 32 < 2 { t } else { t - 2 });
    shuffled("__shfl_down_sync(0xffffffffu, t, 2, 8)", |t| if t % 8 >= 6 { t } else { t + 2 });
    shuffled("(int)__shfl_xor_sync(0xffffffffu, 0.5 + t, 1)", |t| t ^ 1);
    shuffled("t % 32 < 4 ? __shfl_xor_sync(0xfu, t, 1) : -1", |t| if t % 32 < 4 { t ^ 1 } else { -1 });
}

#[test]
fn votes_count_the_lanes() {
    let voted = |call: &str, wanted: fn(i32) -> i32| {
        let text = format!("k(int* b0) {{ int t = threadIdx.x; b0[t] = {call}; }}");
        case(&text).gives(&(0..64).map(wanted).collect::<Vec<i32>>());
    };
    voted("__ballot_sync(0xffffffffu, t % 32 < 4)", |_| 15);
    voted("__any_sync(0xffffffffu, t == 40)", |t| i32::from(t >= 32));
    voted("__all_sync(0xffffffffu, t < 40)", |t| i32::from(t < 32));
    voted("__reduce_max_sync(0xffffffffu, t)", |t| t / 32 * 32 + 31);
    voted("__match_any_sync(0xffffffffu, t % 2)", |t| if t % 2 == 0 { 0x5555_5555 } else { 0xaaaa_aaaau32 as i32 });
    voted("__syncthreads_count(t < 10)", |_| 10);
    voted("__syncthreads_or(t == 63) + 2 * __syncthreads_and(t < 64)", |_| 3);
}

#[test]
fn intrinsics_compute() {
    let computed = |call: &str, wanted: fn(i32) -> i32| {
        let text = format!("k(int* b0) {{ int t = threadIdx.x; b0[t] = {call}; }}");
        case(&text).gives(&(0..64).map(wanted).collect::<Vec<i32>>());
    };
    computed("(int)__fmaf_rn(t, 2.0f, 1.0f)", |t| 2 * t + 1);
    computed("(int)fmaxf(min(t, 5), 3.0f)", |t| t.clamp(3, 5));
    computed("__float2int_rn(t + 0.5f)", |t| (t + 1) / 2 * 2);
    computed("__float2int_rz(t == 0 ? -1e20f : __int_as_float(0x7fc00000))", |t| if t == 0 { i32::MIN } else { 0 });
    computed("__popc(t) + 100 * __clz(t) + 10000 * __ffs(t)", |t| {
        let first = if t == 0 { 0 } else { t.trailing_zeros() as i32 + 1 };
        t.count_ones() as i32 + 100 * t.leading_zeros() as i32 + 10000 * first
    });
    computed("(int)__brev(t)", i32::reverse_bits);
    computed("(int)__byte_perm(0x33221100, 0x77665544, 0x5210) + 0 * t", |_| 0x5522_1100);
    computed("(int)__umulhi(t << 26, 64)", |t| t);
    computed("(int)__half2float(__low2half(__floats2half2_rn(t, 0.0f)))", |t| t);
    computed("__ldg(&b0[t])", |_| 0);
    let text = "k(const int* b0, int* b1) { b1[threadIdx.x] = __ldg((const int4*)b0 + threadIdx.x).w; }";
    Case { threads: 2, buffers: &[&[1, 2, 3, 4, 5, 6, 7, 8], &[0; 2]], ..case(text) }.gives(&[4, 8]);
}

#[test]
fn places_and_arguments_are_handed_in() {
    let text = "k(const int* b0, int* b1, int n0, int n1) {
        b1[blockIdx.x * blockDim.x + threadIdx.x] = b0[blockIdx.x] + 10 * n0 + 100 * n1 + 1000 * gridDim.x;
    }";
    let case = Case { text, groups: 3, threads: 2, buffers: &[&[1, 2, 3], &[0; 6]], args: &[4, 5] };
    case.gives(&[3541, 3541, 3542, 3542, 3543, 3543]);
}

/// Halves are converted as the crate `half` does it: all of them to floats, and floats around all of them back.
#[test]
fn halves_are_converted() {
    let text = "k(int* b0) {
        const int i = blockIdx.x * blockDim.x + threadIdx.x;
        const float wide = __uint_as_float((unsigned)b0[i]);
        const unsigned short half = __half_as_ushort(__float2half(wide));
        const unsigned short bfloat = __bfloat16_as_ushort(__float2bfloat16(wide));
        b0[i] = (int)(half | (unsigned)bfloat << 16);
    }";
    let neighbours = |half: u16| {
        let bits = half::f16::from_bits(half).to_f32().to_bits();
        [bits, bits.wrapping_add(1), bits.wrapping_add(0x1000), bits.wrapping_sub(1), u32::from(half) << 16 | 0x8000]
    };
    let floats: Vec<u32> = (0..=u16::MAX).step_by(3).flat_map(neighbours).collect();
    let floats = &floats[..floats.len() / 64 * 64];
    let input: Vec<i32> = floats.iter().map(|&bits| bits as i32).collect();
    let case = Case { groups: (floats.len() / 64) as u32, buffers: &[&input], ..case(text) };
    let Some(done) = case.run() else { return };
    let ours = done.unwrap_or_else(|error| panic!("{error}")).remove(0);
    for (&bits, ours) in floats.iter().zip(ours) {
        let x = f32::from_bits(bits);
        let (half, bfloat) = (half::f16::from_bits(ours as u16), half::bf16::from_bits((ours >> 16) as u16));
        let (a, b) = (half::f16::from_f32(x), half::bf16::from_f32(x));
        assert!((half.is_nan() && x.is_nan()) || half.to_bits() == a.to_bits(), "{x}: {half}, not {a}");
        assert!((bfloat.is_nan() && x.is_nan()) || bfloat.to_bits() == b.to_bits(), "{x}: {bfloat}, not {b}");
    }
}

/// The emulator finds a race, or what was not written, in kernels of the emitter from which a barrier was taken. Not in
/// all: what follows the last use of an array needs none.
#[test]
fn missing_barriers_of_goldens_are_found() {
    let Some(emulator) = emulator::find() else { return };
    let (mut count, mut found) = (0, 0);
    for (name, kernel) in common::goldens() {
        let grid = lower(&kernel, &inductor_cuda::capabilities()).expect("goldens are lowered");
        let whole = inductor_cuda::program([&grid]);
        let sizes = vec![17; kernel.sizes.len()];
        let inputs = random::small_inputs(7, &kernel, &sizes);
        let params: Vec<Param> = kernel.arguments().map(|(param, _)| param).collect();
        let names: Vec<&str> = grid.stages.iter().map(|stage| stage.name.as_str()).collect();
        for (i, (at, barrier)) in whole.match_indices("__syncthreads();").enumerate() {
            let text = format!("{}{}", &whole[..at], &whole[at + barrier.len()..]);
            let program = emulator.load(&text, &names).unwrap_or_else(|log| panic!("{log}"));
            let error = device::run(emulator, &program, &grid, &params, &sizes, &inputs).err();
            assert!(i > 0 || error.is_some(), "{name}: the first barrier may be missing");
            count += 1;
            found += usize::from(error.is_some_and(|why| why.contains("race: ") || why.contains("uninitialised: ")));
        }
    }
    assert!(2 * found > count, "{found} of {count}");
}
