//! Stages of grid kernels as CUDA C++: printing, with no decisions left.
//!
//! - A stage is an `extern "C"` kernel of the stage's name. Its parameters are pointers to the buffers of
//!   [`Stage::bindings`], in order, then the kernel's launch arguments as `int`s, where the stage takes any.
//! - Integers wrap: what may overflow is computed unsigned.
//! - No header is included: floats of 16 bits are bits, converted by the instructions in [`PRELUDE`].
//!
//! Absent: what a kernel may contain and the walk over it (`inductor::grid`).

mod words;

use inductor::grid::print::Printer;
use inductor::grid::{Access, GridKernel, Mem, Stage, Ty};
use words::Cuda;

/// The functions that a program may call beside those of CUDA: conversions of floats of 16 bits, by their bits, and the
/// extremes that are NaN where an operand is.
const PRELUDE: &str = r#"#ifdef __CUDACC_RTC__
static __device__ __forceinline__ unsigned f16_bits(float x) {
  unsigned short bits;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(x));
  return bits;
}
static __device__ __forceinline__ unsigned bf16_bits(float x) {
  unsigned short bits;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(x));
  return bits;
}
static __device__ __forceinline__ float f16_value(unsigned bits) {
  float x;
  asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"((unsigned short)bits));
  return x;
}
static __device__ __forceinline__ float bf16_value(unsigned bits) { return __uint_as_float(bits << 16); }
static __device__ __forceinline__ float maximumf(float x, float y) {
  float z;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(z) : "f"(x), "f"(y));
  return z;
}
static __device__ __forceinline__ float minimumf(float x, float y) {
  float z;
  asm("min.NaN.f32 %0, %1, %2;" : "=f"(z) : "f"(x), "f"(y));
  return z;
}
#endif
"#;

/// A program of kernels, as it is compiled: the functions of all stages.
pub fn program<'k>(kernels: impl IntoIterator<Item = &'k GridKernel>) -> String {
    std::iter::once(PRELUDE.to_owned()).chain(kernels.into_iter().map(print)).collect()
}

/// The text of a kernel: a function for each stage.
pub fn print(kernel: &GridKernel) -> String {
    kernel.stages.iter().map(|stage| function(kernel, stage)).collect::<Vec<String>>().join("\n")
}

fn function(kernel: &GridKernel, stage: &Stage) -> String {
    let pointer = |&(binding, access): &(_, Access)| {
        let constant = if access == Access::Read { "const " } else { "" };
        format!("{constant}{}* __restrict__ {binding}", mem_name(kernel.bindings[binding].mem))
    };
    let mut params: Vec<String> = stage.bindings.iter().map(pointer).collect();
    if stage.takes_args() {
        params.extend(kernel.args.keys().map(|arg| format!("int {arg}")));
    }
    let mut printer = Printer::new(kernel, stage, Cuda);
    printer.line(&format!("extern \"C\" __global__ void __launch_bounds__({})", stage.threads));
    printer.line(&format!("{}({}) {{", stage.name, params.join(", ")));
    printer.depth = 1;
    printer.shared(|shared, data| format!("__shared__ __align__(16) {} {shared}[{}];", ty_name(data.ty), data.len));
    printer.locals(|local, data| format!("{} {local}[{}];", ty_name(data.ty), data.len));
    printer.line("const int thread = threadIdx.x;");
    printer.line("const int group = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);");
    printer.body(|var, ty| format!("{} {var} = 0;", ty_name(ty)));
    printer.out
}

/// The name of a register type.
fn ty_name(ty: Ty) -> &'static str {
    match ty {
        Ty::Bool => "bool",
        Ty::I32 => "int",
        Ty::U32 => "unsigned",
        Ty::I64 => "long long",
        Ty::F32 => "float",
        Ty::F64 => "double",
    }
}

/// The name of an array's element type.
fn mem_name(mem: Mem) -> &'static str {
    match mem {
        Mem::I8 => "signed char",
        Mem::U8 => "unsigned char",
        Mem::I16 => "short",
        Mem::U16 => "unsigned short",
        Mem::I32 => "int",
        Mem::U32 => "unsigned",
        Mem::I64 => "long long",
        Mem::F32 => "float",
        Mem::F64 => "double",
    }
}

/// The fields of a vector.
const FIELDS: [&str; 4] = ["x", "y", "z", "w"];

/// The name of a vector of four of an array's elements.
fn vector_name(mem: Mem) -> &'static str {
    match mem {
        Mem::I8 => "char4",
        Mem::U8 => "uchar4",
        Mem::I16 => "short4",
        Mem::U16 => "ushort4",
        Mem::I32 => "int4",
        Mem::U32 => "uint4",
        Mem::I64 => "longlong4",
        Mem::F32 => "float4",
        Mem::F64 => "double4",
    }
}
