/// Memory, and the checks of every access to it.
///
/// - Bounds: a buffer lies alone in 64 GiB of address space, and arrays of shared memory 64 KiB apart
///   (`__shared__` in `cuda_emulator.h`).
/// - Alignment: of an access to its size.
/// - Races: accesses to one element, of which one writes, by threads that nothing orders. Threads of a block are
///   ordered by its barriers, those of a warp also by the warp's; threads of different blocks by nothing. Not a race
///   are accesses that are all atomic, and writes of the value that is there.
/// - Initialisation: shared memory is read where the block has written.
///
/// A call comes before its access: what a write has written is looked at when the next call comes.

#include "machine.h"

#include <mutex>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

namespace emulator {

namespace {

constexpr size_t SLOT = size_t(1) << 36;
constexpr unsigned SLOTS = 512;
constexpr size_t PAGE = 4096;
/// From one array of shared memory to the next, as `__shared__` aligns them.
constexpr size_t SHARED_DISTANCE = 1 << 16;

/// The address space of all buffers, in slots of which each has its buffer in the middle.
struct Arena {
  std::mutex mutex;
  uintptr_t base = 0;
  bool is_used[SLOTS] = {};

  void* allocate(size_t bytes) {
    const std::lock_guard<std::mutex> guard(mutex);
    if (base == 0) {
      void* all = mmap(nullptr, SLOT * SLOTS, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      if (all == MAP_FAILED) return nullptr;
      base = reinterpret_cast<uintptr_t>(all);
    }
    for (unsigned slot = 0; slot < SLOTS; slot++) {
      if (is_used[slot]) continue;
      void* at = reinterpret_cast<void*>(base + slot * SLOT + SLOT / 2);
      if (mprotect(at, bytes + PAGE, PROT_READ | PROT_WRITE) != 0) return nullptr;
      is_used[slot] = true;
      return at;
    }
    return nullptr;
  }

  void release(void* at, size_t bytes) {
    const std::lock_guard<std::mutex> guard(mutex);
    madvise(at, bytes + PAGE, MADV_DONTNEED);
    mprotect(at, bytes + PAGE, PROT_NONE);
    is_used[(reinterpret_cast<uintptr_t>(at) - base) / SLOT] = false;
  }
};

Arena arena;

const char* verb(unsigned how) {
  if ((how & ATOMIC) != 0) return "atomic access";
  return (how & WRITE) != 0 ? "write" : "read";
}

/// The number of an element, which may lie outside; in shared memory elements are what is accessed.
long long index_of(const View& view, uintptr_t at, size_t size) {
  const long long distance = static_cast<long long>(at - view.range.at);
  const long long element = static_cast<long long>(view.is_shared ? size : view.granule);
  return distance >= 0 ? distance / element : -((element - 1 - distance) / element);
}

}  // namespace

unsigned Mark::warp() const { return (thread & OF_WARP) != 0 ? thread & ~OF_WARP : thread / WARP; }

/// True if nothing orders the accesses, and not all of them are atomic.
bool Mark::meets(const Mark& now, bool is_shared) const {
  if (block == 0 || (is_atomic && now.is_atomic)) return false;
  // A block's shared memory is its own.
  if (block != now.block || has_others) return !is_shared;
  if (epoch != now.epoch || thread == now.thread) return false;
  return thread == OF_BLOCK || warp() != now.warp() || warp_epoch == now.warp_epoch;
}

/// Takes in a later access.
void Mark::add(const Mark& now, bool is_shared) {
  const bool others = !is_shared && block != 0 && (has_others || block != now.block);
  const bool is_unordered = block == now.block && epoch == now.epoch;
  const bool atomic = now.is_atomic && (is_atomic || !(others || is_unordered));
  uint16_t who = now.thread;
  if (is_unordered && thread != now.thread) {
    const bool same_warp = thread != OF_BLOCK && warp() == now.warp();
    if (!same_warp)
      who = OF_BLOCK;
    else if (warp_epoch == now.warp_epoch)
      who = static_cast<uint16_t>(OF_WARP | now.warp());
  }
  *this = {now.block, now.epoch, now.warp_epoch, who, atomic, others};
}

void Mark::describe(char* text, size_t bytes) const {
  const unsigned number = block - 1;
  if (has_others)
    snprintf(text, bytes, "several blocks have");
  else if (thread == OF_BLOCK)
    snprintf(text, bytes, "several threads of block %u have", number);
  else if ((thread & OF_WARP) != 0)
    snprintf(text, bytes, "several threads of warp %u of block %u have", warp(), number);
  else
    snprintf(text, bytes, "thread %u of block %u has", thread, number);
}

/// Makes the views of a launch's memory; false with a message where the parameters are not the kernel's.
bool Memory::bind(const Launch& launch) {
  const Kernel& kernel = *launch.kernel;
  view_count = launch.buffer_count + launch.shared_count;
  views = static_cast<View*>(calloc(view_count + 1, sizeof(View)));
  size_t pointers = 0;
  for (size_t i = 0; i < kernel.param_count; i++) pointers += kernel.params[i].size != 0;
  if (kernel.param_count != launch.param_count || pointers != launch.buffer_count) {
    snprintf(launch.message, launch.message_bytes, "kernel %s: %zu parameters and %zu pointers, not %zu and %zu",
             launch.name, kernel.param_count, pointers, launch.param_count, launch.buffer_count);
    release();
    return false;
  }
  for (size_t i = 0; i < kernel.param_count; i++) {
    const Param& param = kernel.params[i];
    if (param.size == 0) continue;
    views[buffer_count] = {launch.buffers[buffer_count], param.size, !param.is_const, false, nullptr};
    buffer_count++;
  }
  for (size_t i = 0; i < launch.shared_count; i++)
    views[buffer_count + i] = {launch.shared[i], 1, true, true, nullptr};
  return true;
}

void Memory::release() {
  for (size_t i = 0; i < view_count; i++) free(views[i].cells);
  free(views);
  views = nullptr;
  buffer_count = view_count = 0;
  pending.size = 0;
}

/// The memory of an address, or that beside which it lies: the buffer of its slot, or the array before it.
View* Memory::find(uintptr_t at) {
  const uintptr_t slot = (at - arena.base) / SLOT;
  if (slot < SLOTS) {
    View* found = nullptr;
    int best = -1;
    for (size_t i = 0; i < buffer_count; i++) {
      const Range& range = views[i].range;
      if ((range.at - arena.base) / SLOT != slot) continue;
      // Of buffers that share memory, one that holds the address; bound twice, it is what it is where it may be written.
      const int rank = 2 * (at - range.at < range.bytes) + views[i].is_writable;
      if (rank > best) best = rank, found = &views[i];
    }
    return found;
  }
  View* found = nullptr;
  for (size_t i = buffer_count; i < view_count && views[i].range.at <= at; i++) found = &views[i];
  return found != nullptr && at - found->range.at < SHARED_DISTANCE ? found : nullptr;
}

void Memory::access(uintptr_t at, size_t size, size_t alignment, unsigned how, Mark now) {
  finish_write();
  View* view = find(at);
  if (view == nullptr)
    emulator_fail("out of bounds: %s of %zu bytes at %#zx, which is no memory of the kernel", verb(how), size, at);
  const Range& range = view->range;
  const long long index = index_of(*view, at, size);
  if (at < range.at || at - range.at + size > range.bytes)
    emulator_fail("out of bounds: %s of %zu bytes at index %lld of %s, which has %zu bytes", verb(how), size, index,
                  range.name, range.bytes);
  if (at % alignment != 0)
    emulator_fail("misaligned: %s of %zu bytes at index %lld of %s", verb(how), size, index, range.name);
  if ((how & WRITE) != 0 && !view->is_writable)
    emulator_fail("const: %s at index %lld of %s", verb(how), index, range.name);
  if (view->cells == nullptr)
    view->cells = static_cast<Cell*>(calloc(range.bytes / view->granule + 1, sizeof(Cell)));
  touch(*view, at, size, how, now);
}

/// Looks for races, and notes who was here.
void Memory::touch(View& view, uintptr_t at, size_t size, unsigned how, Mark now) {
  const size_t first = (at - view.range.at) / view.granule;
  const size_t last = (at - view.range.at + size - 1) / view.granule;
  const bool reads = (how & READ) != 0, writes = (how & WRITE) != 0;
  for (size_t i = first; i <= last; i++) {
    Cell& cell = view.cells[i];
    if (view.is_shared && reads && cell.writer.block != now.block)
      emulator_fail("uninitialised: %s at index %lld of %s", verb(how), index_of(view, at, size), view.range.name);
    if (writes && cell.reader.meets(now, view.is_shared)) race(view, at, size, how, cell.reader, "read");
    if (cell.writer.meets(now, view.is_shared)) {
      if (how != WRITE || size > sizeof pending.before) race(view, at, size, how, cell.writer, "written");
      pending = {&view, at, size, cell.writer, {}};
      memcpy(pending.before, reinterpret_cast<void*>(at), size);
    }
    if (writes) cell.writer.add(now, view.is_shared);
    if (reads) cell.reader.add(now, view.is_shared);
  }
}

void Memory::race(const View& view, uintptr_t at, size_t size, unsigned how, const Mark& other, const char* done) {
  char who[96];
  other.describe(who, sizeof who);
  emulator_fail("race: %s at index %lld of %s, which %s %s", verb(how), index_of(view, at, size), view.range.name, who,
                done);
}

/// Looks at what the last write has written, if it races with another one.
void Memory::finish_write() {
  if (pending.size == 0) return;
  const Pending write = pending;
  pending.size = 0;
  if (memcmp(write.before, reinterpret_cast<void*>(write.at), write.size) == 0) return;
  race(*write.view, write.at, write.size, WRITE, write.other, "written otherwise");
}

}  // namespace emulator

void* emulator_allocate(size_t bytes) { return emulator::arena.allocate(bytes); }
void emulator_free(void* at, size_t bytes) { emulator::arena.release(at, bytes); }

extern "C" {

#define ACCESSES(name, how, n)                                                                    \
  void __tsan_##name##n(void* at) { emulator_access(at, n, n, how); }                             \
  void __tsan_unaligned_##name##n(void* at) { emulator_access(at, n, n, how); }                   \
  void __tsan_volatile_##name##n(void* at) { emulator_access(at, n, n, how | emulator::ATOMIC); } \
  void __tsan_unaligned_volatile_##name##n(void* at) { emulator_access(at, n, n, how | emulator::ATOMIC); }
#define SIZES(name, how) \
  ACCESSES(name, how, 1) ACCESSES(name, how, 2) ACCESSES(name, how, 4) ACCESSES(name, how, 8) ACCESSES(name, how, 16)

SIZES(read, emulator::READ)
SIZES(write, emulator::WRITE)

void __tsan_read_range(void* at, size_t size) { emulator_access(at, size, 1, emulator::READ); }
void __tsan_write_range(void* at, size_t size) { emulator_access(at, size, 1, emulator::WRITE); }
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_init() {}

/// Arithmetic of integers that has no value: where it stands comes first in what the compiler hands over.
struct Place {
  const char* file;
  unsigned line, column;
};

#define UNDEFINED(name, what)                                                          \
  void __ubsan_handle_##name(const Place* place, uintptr_t, uintptr_t) {               \
    emulator_fail("undefined: " what " in line %u", place->line);                      \
  }
UNDEFINED(add_overflow, "a signed sum that overflows")
UNDEFINED(sub_overflow, "a signed difference that overflows")
UNDEFINED(mul_overflow, "a signed product that overflows")
UNDEFINED(negate_overflow, "a negation that overflows")
UNDEFINED(divrem_overflow, "a division by zero, or one that overflows")
UNDEFINED(shift_out_of_bounds, "a shift by the width or more")
UNDEFINED(float_cast_overflow, "a float that no integer of the type is near to")
}
