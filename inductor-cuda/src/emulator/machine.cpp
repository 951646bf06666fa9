/// Blocks, warps and fibres.
///
/// The threads of a block are fibres that switch where they wait: at barriers and at operations of warps. Blocks run
/// one after another. A fibre's stack is made once and runs thread after thread.
///
/// Invariant: no fibre holds what would have to be freed, so that one may be abandoned where it stands.

#include "machine.h"

#include <memory>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

namespace emulator {

namespace {
constexpr size_t STACK = 256 << 10;
/// Below each stack, so that an overflow is a fault.
constexpr size_t GUARD = 4 << 10;
}  // namespace

__thread Machine* machine;

Machine::~Machine() {
  for (unsigned t = 0; fibres != nullptr && t < MAX_THREADS; t++)
    if (fibres[t].stack != nullptr) munmap(fibres[t].stack, STACK);
  delete[] fibres;
}

int Machine::run(const Launch& what) {
  launch = &what;
  has_failed = false;
  block_number = 0;
  if (!prepare(what.threads)) {
    snprintf(what.message, what.message_bytes, "kernel %s: no stacks for %u threads", what.name, what.threads);
    return 1;
  }
  if (!memory.bind(what)) return 1;
  for (block.z = 0; block.z < what.grid[2] && !has_failed; block.z++)
    for (block.y = 0; block.y < what.grid[1] && !has_failed; block.y++)
      for (block.x = 0; block.x < what.grid[0] && !has_failed; block.x++)
        if (!run_block()) has_failed = true;
  // Where a fibre was abandoned, it begins anew.
  for (unsigned t = 0; has_failed && t < what.threads; t++) fibres[t].is_started = false;
  memory.release();
  return has_failed;
}

/// Makes the stacks that are not there yet; false where they cannot be had.
bool Machine::prepare(unsigned threads) {
  if (fibres == nullptr) fibres = new Fibre[MAX_THREADS]();
  if (threads > MAX_THREADS) return false;
  for (unsigned t = 0; t < threads; t++) {
    if (fibres[t].stack != nullptr) continue;
    void* stack = mmap(nullptr, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (stack == MAP_FAILED) return false;
    mprotect(stack, GUARD, PROT_NONE);
    fibres[t].stack = static_cast<char*>(stack);
  }
  return true;
}

/// Runs each warp until all of its lanes wait or have ended, again and again; false after an error.
bool Machine::run_block() {
  const unsigned threads = launch->threads;
  block_number++;
  epoch = arrived = ended = holding = 0;
  for (unsigned t = 0; t < threads; t++) {
    fibres[t].state = State::Ready;
    if (t % WARP == 0) warps[t / WARP] = {};
    warps[t / WARP].existing |= 1u << t % WARP;
  }
  while (ended < threads) {
    bool has_run = false;
    for (unsigned first = 0; first < threads; first += WARP) {
      const unsigned end = first + WARP < threads ? first + WARP : threads;
      for (bool again = true; again;) {
        again = false;
        for (unsigned t = first; t < end; t++) {
          if (fibres[t].state != State::Ready) continue;
          resume(t);
          if (has_failed) return false;
          again = has_run = true;
        }
      }
    }
    if (!has_run) return diagnose();
  }
  return true;
}

/// Runs a thread until it waits, ends or fails.
void Machine::resume(unsigned t) {
  thread = t;
  Fibre& fibre = fibres[t];
  if (_setjmp(scheduler) != 0) return;
  if (fibre.is_started) _longjmp(fibre.at, 1);
  fibre.is_started = true;
  getcontext(&start);
  start.uc_stack.ss_sp = fibre.stack;
  start.uc_stack.ss_size = STACK;
  start.uc_link = nullptr;
  makecontext(&start, &Machine::enter, 0);
  setcontext(&start);
}

/// Lets others run until this thread is ready.
void Machine::yield() {
  if (_setjmp(fibres[thread].at) == 0) _longjmp(scheduler, 1);
}

void Machine::enter() { machine->entry(); }

void Machine::entry() {
  for (;;) {
    launch->kernel->call(launch->params);
    memory.finish_write();
    fibres[thread].state = State::Ended;
    ended++;
    yield();
  }
}

void Machine::access(uintptr_t at, size_t size, size_t alignment, unsigned how) {
  const uintptr_t stack = reinterpret_cast<uintptr_t>(fibres[thread].stack);
  // What stands in a thread's own stack are its variables.
  if (at - stack < STACK) return memory.finish_write();
  const Mark now = {block_number, epoch, warps[thread / WARP].epoch, static_cast<uint16_t>(thread),
                    (how & ATOMIC) != 0, false};
  memory.access(at, size, alignment, how, now);
}

int Machine::barrier(bool predicate, int line) {
  memory.finish_write();
  Fibre& fibre = fibres[thread];
  if (arrived > 0 && line != barrier_line)
    emulator_fail("divergent barrier: it waits in line %d, others in line %d", line, barrier_line);
  barrier_line = line;
  holding += predicate;
  if (++arrived < launch->threads) {
    fibre.state = State::AtBarrier;
    fibre.line = line;
    yield();
    return held;
  }
  for (unsigned t = 0; t < launch->threads; t++) fibres[t].state = State::Ready;
  held = holding;
  arrived = 0;
  holding = 0;
  epoch++;
  return held;
}

Lanes Machine::warp(unsigned mask, uint64_t value, bool orders, const char* what, int line) {
  memory.finish_write();
  Fibre& fibre = fibres[thread];
  Warp& warp = warps[thread / WARP];
  const unsigned lane = 1u << thread % WARP;
  mask &= warp.existing;
  if ((mask & lane) == 0) emulator_fail("%s in line %d: the mask lacks the thread's own lane", what, line);
  fibre.state = State::InWarp;
  fibre.line = line;
  fibre.what = what;
  fibre.mask = mask;
  fibre.orders = orders;
  fibre.value = value;
  warp.waiting |= lane;
  complete(mask);
  if (fibre.state != State::Ready) yield();
  return {fibre.lanes, mask};
}

/// Ends an operation of the current warp if all of its lanes are there.
void Machine::complete(unsigned mask) {
  Warp& warp = warps[thread / WARP];
  if ((warp.waiting & mask) != mask) return;
  Fibre* lanes = fibres + thread / WARP * WARP;
  uint64_t values[WARP] = {};
  for (unsigned lane = 0; lane < WARP; lane++) {
    if ((mask >> lane & 1) == 0) continue;
    if (misses(thread, thread / WARP * WARP + lane)) return;
    values[lane] = lanes[lane].value;
  }
  for (unsigned lane = 0; lane < WARP; lane++) {
    if ((mask >> lane & 1) == 0) continue;
    memcpy(lanes[lane].lanes, values, sizeof values);
    lanes[lane].state = State::Ready;
  }
  warp.waiting &= ~mask;
  // A barrier of some lanes orders these alone, which marks cannot say: it counts for nothing.
  if (fibres[thread].orders && mask == warp.existing) warp.epoch++;
}

/// True if a thread is not where another one waits for it.
bool Machine::misses(unsigned waiting, unsigned other) const {
  const Fibre &a = fibres[waiting], &b = fibres[other];
  if (a.state == State::AtBarrier) return b.state != State::AtBarrier;
  const bool is_named = waiting / WARP == other / WARP && (a.mask >> other % WARP & 1) != 0;
  return is_named && (b.state != State::InWarp || b.line != a.line || b.mask != a.mask || strcmp(a.what, b.what) != 0);
}

/// Says which thread waits in vain for which; false.
bool Machine::diagnose() {
  for (unsigned t = 0; t < launch->threads; t++) {
    if (fibres[t].state == State::Ended) continue;
    for (unsigned other = 0; other < launch->threads; other++) {
      if (!misses(t, other)) continue;
      char here[96], there[96], text[256];
      describe(t, here, sizeof here);
      describe(other, there, sizeof there);
      snprintf(text, sizeof text, "divergent barrier: it %s, thread %u %s", here, other, there);
      report(t, text);
      return false;
    }
  }
  report(0, "it waits for nobody");
  return false;
}

void Machine::describe(unsigned t, char* text, size_t bytes) const {
  const Fibre& fibre = fibres[t];
  switch (fibre.state) {
    case State::Ready: snprintf(text, bytes, "runs"); break;
    case State::Ended: snprintf(text, bytes, "has ended"); break;
    case State::AtBarrier: snprintf(text, bytes, "waits at the barrier in line %d", fibre.line); break;
    case State::InWarp:
      snprintf(text, bytes, "waits in %s of lanes %#x in line %d", fibre.what, fibre.mask, fibre.line);
      break;
  }
}

void Machine::report(unsigned t, const char* text) {
  snprintf(launch->message, launch->message_bytes, "kernel %s, block (%u, %u, %u), thread %u: %s", launch->name,
           block.x, block.y, block.z, t, text);
  has_failed = true;
}

void Machine::fail(const char* text) {
  report(thread, text);
  _longjmp(scheduler, 1);
}

}  // namespace emulator

using emulator::Index;
using emulator::machine;

int emulator_launch(const emulator::Launch* launch) {
  // A pointer, for libraries that are loaded late have little room beside it.
  static thread_local std::unique_ptr<emulator::Machine> own;
  if (own == nullptr) own.reset(new emulator::Machine());
  machine = own.get();
  return machine->run(*launch);
}

Index emulator_thread() { return {machine->thread, 0, 0}; }
Index emulator_block() { return machine->block; }
Index emulator_block_dim() { return {machine->launch->threads, 1, 1}; }
Index emulator_grid_dim() { return {machine->launch->grid[0], machine->launch->grid[1], machine->launch->grid[2]}; }
int emulator_barrier(bool predicate, int line) { return machine->barrier(predicate, line); }

void emulator_access(const void* at, size_t size, size_t alignment, unsigned how) {
  machine->access(reinterpret_cast<uintptr_t>(at), size, alignment, how);
}

emulator::Lanes emulator_warp(unsigned mask, uint64_t value, bool orders, const char* what, int line) {
  return machine->warp(mask, value, orders, what, line);
}

void emulator_fail(const char* format, ...) {
  char text[256];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  machine->fail(text);
}
