/// CUDA C++ for the processor: what a kernel may use, for a C++17 compiler.
///
/// The text of a program follows this header as it is. It is compiled with `-fsanitize=thread`, which calls the
/// emulator before each access to memory; what stands here checks its own accesses (`EMULATOR`).
///
/// A function is added as a row in the file that it belongs to: `mathematics.h`, `vectors.h`, `warps.h`, `atomics.h`,
/// `halves.h`.
///
/// Absent: dynamic shared memory, blocks of two and three dimensions, textures, streams, PTX, tensor cores.
#pragma once

#include "runtime.h"

/// Marks the emulator's own functions, whose accesses are not looked at.
#define EMULATOR inline __attribute__((no_sanitize("thread")))

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __restrict__ __restrict
#define __launch_bounds__(...)
#define __grid_constant__
#define __align__(bytes) __attribute__((aligned(bytes)))
/// Blocks run one after another, so that one copy is enough. What lies beside an array is of no other.
#define __shared__ static __attribute__((aligned(1 << 16)))

struct dim3 {
  unsigned x, y, z;
  EMULATOR dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};
typedef emulator::Index uint3;

#define threadIdx (emulator_thread())
#define blockIdx (emulator_block())
#define blockDim (emulator_block_dim())
#define gridDim (emulator_grid_dim())
#define warpSize 32

EMULATOR void __syncthreads(int line = __builtin_LINE()) { emulator_barrier(false, line); }
EMULATOR int __syncthreads_count(int holds, int line = __builtin_LINE()) { return emulator_barrier(holds != 0, line); }
EMULATOR int __syncthreads_or(int holds, int line = __builtin_LINE()) {
  return emulator_barrier(holds != 0, line) != 0;
}
EMULATOR int __syncthreads_and(int holds, int line = __builtin_LINE()) {
  return emulator_barrier(holds == 0, line) == 0;
}
/// What an assertion that does not hold calls.
EMULATOR void __assertfail(const char* message, const char*, unsigned, const char*, size_t) {
  emulator_fail("assertion: %s", message);
}
/// Order memory, but wait for nobody: what races without them races with them.
EMULATOR void __threadfence() {}
EMULATOR void __threadfence_block() {}

#include "mathematics.h"
#include "vectors.h"

#include "atomics.h"
#include "halves.h"
#include "warps.h"

namespace emulator {

template <class T>
struct Pointee {
  static constexpr Param param = {0, false};
};
template <class T>
struct Pointee<T*> {
  static constexpr Param param = {sizeof(T), false};
};
template <class T>
struct Pointee<const T*> {
  static constexpr Param param = {sizeof(T), true};
};

/// Reads parameters one after another.
struct Params {
  void** next;
  template <class P>
  EMULATOR P read() {
    return *static_cast<P*>(*next++);
  }
};

/// Calls a function as it is made: the elements of a list in braces are computed in order.
template <class... P>
struct Call {
  EMULATOR Call(void (*function)(P...), P... args) { function(args...); }
};

template <auto function>
struct Entry;
template <class... P, void (*function)(P...)>
struct Entry<function> {
  EMULATOR static void call(void** at) {
    Params all = {at};
    Call<P...>{function, all.template read<P>()...};
  }
  static constexpr Param params[] = {Pointee<P>::param..., {0, false}};
  static constexpr Kernel kernel = {call, params, sizeof...(P)};
};

}  // namespace emulator

/// Makes a kernel known to the host.
#define EMULATOR_KERNEL(name)                                                                           \
  extern "C" __attribute__((visibility("default"))) const emulator::Kernel* emulator_kernel_##name() { \
    return &emulator::Entry<name>::kernel;                                                              \
  }
