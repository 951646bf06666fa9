/// What kernels and hosts see of the emulator's runtime.
///
/// Kernels reach it through `cuda_emulator.h`, and through the calls that the compiler's thread sanitizer puts before
/// every access to memory (`__tsan_read4` and the like, defined in `memory.cpp`); hosts allocate and launch.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace emulator {

/// How memory is accessed: flags.
enum Access : unsigned { READ = 1, WRITE = 2, ATOMIC = 4 };

/// What a parameter of a kernel points to.
struct Param {
  /// Bytes of what it points to; 0 where it is no pointer.
  size_t size;
  /// True for pointers through which nothing may be written.
  bool is_const;
};

/// A kernel: how it is called, and its parameters.
struct Kernel {
  void (*call)(void** params);
  const Param* params;
  size_t param_count;
};

/// Memory with a name: a buffer, or an array of shared memory.
struct Range {
  const char* name;
  uintptr_t at;
  size_t bytes;
};

/// A launch, as `cuLaunchKernel` has it, with what its checks need.
struct Launch {
  const char* name;
  const Kernel* kernel;
  void** params;
  size_t param_count;
  unsigned grid[3];
  unsigned threads;
  /// What each of the kernel's pointers points to.
  const Range* buffers;
  size_t buffer_count;
  /// The arrays of shared memory of the kernel's program, sorted.
  const Range* shared;
  size_t shared_count;
  /// Room for the first error.
  char* message;
  size_t message_bytes;
};

/// Three numbers.
struct Index {
  unsigned x, y, z;
};

/// The operands of the lanes that take part in a warp's operation.
struct Lanes {
  const uint64_t* values;
  unsigned mask;
};

}  // namespace emulator

extern "C" {

/// Memory of its own 64 GiB of address space, so that no 32-bit index leads from one buffer to another; null where
/// there is none.
void* emulator_allocate(size_t bytes);
/// Frees what `emulator_allocate` gave.
void emulator_free(void* at, size_t bytes);
/// Runs a kernel to its end; 0, or 1 with a message.
int emulator_launch(const emulator::Launch* launch);

/// The place of the thread that runs.
emulator::Index emulator_thread();
emulator::Index emulator_block();
emulator::Index emulator_block_dim();
emulator::Index emulator_grid_dim();
/// Checks an access of the thread that runs.
void emulator_access(const void* at, size_t size, size_t alignment, unsigned how);
/// Waits for the block; the number of threads whose predicate holds.
int emulator_barrier(bool predicate, int line);
/// Waits for the lanes of a warp that the mask names, and gives what each has brought. With `orders`, the lanes see
/// each other's writes thereafter.
emulator::Lanes emulator_warp(unsigned mask, uint64_t value, bool orders, const char* what, int line);
/// Ends the launch with a message.
[[noreturn]] void emulator_fail(const char* format, ...) __attribute__((format(printf, 1, 2)));
}
