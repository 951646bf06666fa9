/// The machine that runs a launch: one thread of the host, on which the threads of a block are fibres.
#pragma once

#include "runtime.h"

#include <setjmp.h>
#include <ucontext.h>

namespace emulator {

constexpr unsigned WARP = 32;
constexpr unsigned MAX_THREADS = 1024;

/// Who has accessed an element, since the launch began: the last one, or several that nothing orders.
struct Mark {
  /// `thread` of several threads of one warp is this and the warp's number; of several warps, `OF_BLOCK`.
  static constexpr uint16_t OF_WARP = 0x8000, OF_BLOCK = 0xffff;

  /// The block's number and 1; 0 for nobody.
  uint32_t block;
  /// The barriers that the block had passed.
  uint32_t epoch;
  /// The barriers that the warp had passed.
  uint16_t warp_epoch;
  uint16_t thread;
  /// True if every access was atomic.
  bool is_atomic;
  /// True if threads of other blocks have been there, too.
  bool has_others;

  unsigned warp() const;
  bool meets(const Mark& now, bool is_shared) const;
  void add(const Mark& now, bool is_shared);
  void describe(char* text, size_t bytes) const;
};

/// What is known of an element.
struct Cell {
  Mark writer, reader;
};

/// Memory that a kernel may access, with the history of its elements.
struct View {
  Range range;
  /// Bytes of an element.
  size_t granule;
  bool is_writable, is_shared;
  /// One for each element, once there was an access.
  Cell* cells;
};

/// A write that races unless it writes what is there.
struct Pending {
  const View* view;
  uintptr_t at;
  size_t size;
  Mark other;
  unsigned char before[32];
};

/// The memory of a launch.
class Memory {
 public:
  bool bind(const Launch& launch);
  void release();
  void access(uintptr_t at, size_t size, size_t alignment, unsigned how, Mark now);
  void finish_write();

 private:
  View* find(uintptr_t at);
  void touch(View& view, uintptr_t at, size_t size, unsigned how, Mark now);
  [[noreturn]] static void race(const View& view, uintptr_t at, size_t size, unsigned how, const Mark& other,
                                const char* done);

  View* views = nullptr;
  size_t buffer_count = 0, view_count = 0;
  Pending pending = {};
};

enum class State : uint8_t { Ready, AtBarrier, InWarp, Ended };

/// A thread of a block.
struct Fibre {
  jmp_buf at;
  char* stack;
  bool is_started;
  State state;
  /// Where it waits: the line of the program, and for a warp's operation the name, the lanes and the operand.
  int line;
  const char* what;
  unsigned mask;
  bool orders;
  uint64_t value;
  /// The operands of the warp's last operation.
  uint64_t lanes[WARP];
};

/// A warp of a block.
struct Warp {
  /// The lanes that exist, and those that wait for others.
  unsigned existing, waiting;
  uint16_t epoch;
};

/// One thread of the host, and what it runs.
class Machine {
 public:
  ~Machine();
  int run(const Launch& launch);
  void access(uintptr_t at, size_t size, size_t alignment, unsigned how);
  int barrier(bool predicate, int line);
  Lanes warp(unsigned mask, uint64_t value, bool orders, const char* what, int line);
  [[noreturn]] void fail(const char* text);

  const Launch* launch = nullptr;
  unsigned thread = 0;
  Index block = {};

 private:
  bool run_block();
  bool diagnose();
  bool misses(unsigned waiting, unsigned other) const;
  void describe(unsigned t, char* text, size_t bytes) const;
  bool prepare(unsigned threads);
  void resume(unsigned t);
  void yield();
  void entry();
  void complete(unsigned mask);
  void report(unsigned t, const char* text);
  static void enter();

  Memory memory;
  Fibre* fibres = nullptr;
  ucontext_t start = {};
  jmp_buf scheduler;
  Warp warps[MAX_THREADS / WARP] = {};
  uint32_t block_number = 0, epoch = 0;
  unsigned arrived = 0, ended = 0;
  int holding = 0, held = 0, barrier_line = 0;
  bool has_failed = false;
};

/// The machine of this thread of the host, once it has launched; `thread_local` would test for that at every access.
extern __thread Machine* machine;

}  // namespace emulator
