/// What the lanes of a warp do together: shuffles, votes, reductions. The mask names those that take part, all of which
/// have to come to the same line.
#pragma once

namespace emulator {

/// What the lane of this number has brought.
template <class T>
EMULATOR T shuffle(unsigned mask, T value, unsigned source, const char* what, int line) {
  static_assert(sizeof(T) <= 8, "shuffles are of 64 bits at most");
  uint64_t word = 0;
  __builtin_memcpy(&word, &value, sizeof value);
  const Lanes lanes = emulator_warp(mask, word, false, what, line);
  if ((lanes.mask >> source & 1) == 0)
    emulator_fail("%s in line %d reads lane %u, which does not take part", what, line, source);
  T result;
  __builtin_memcpy(&result, &lanes.values[source], sizeof result);
  return result;
}

EMULATOR unsigned lane() { return emulator_thread().x % 32; }

/// The first lane of the segment that a lane is of.
EMULATOR unsigned first(int width) { return lane() & ~((unsigned)width - 1); }

/// Folds what the lanes have brought.
template <class T, class Fold>
EMULATOR T reduce(unsigned mask, T value, const char* what, int line, Fold fold) {
  const Lanes lanes = emulator_warp(mask, (uint64_t)value, false, what, line);
  bool is_first = true;
  T total = 0;
  for (unsigned lane = 0; lane < 32; lane++) {
    if ((lanes.mask >> lane & 1) == 0) continue;
    total = is_first ? (T)lanes.values[lane] : fold(total, (T)lanes.values[lane]);
    is_first = false;
  }
  return total;
}

/// The lanes whose operand is this.
EMULATOR unsigned matching(Lanes lanes, uint64_t value) {
  unsigned mask = 0;
  for (unsigned lane = 0; lane < 32; lane++)
    if ((lanes.mask >> lane & 1) != 0 && lanes.values[lane] == value) mask |= 1u << lane;
  return mask;
}

}  // namespace emulator

EMULATOR void __syncwarp(unsigned mask = 0xffffffffu, int line = __builtin_LINE()) {
  emulator_warp(mask, 0, true, "__syncwarp", line);
}

/// A shuffle: the lane that is read, which is the own one where `is_inside` does not hold.
#define EMULATOR_SHUFFLE(name, source, is_inside)                                                          \
  template <class T>                                                                                       \
  EMULATOR T name(unsigned mask, T value, int by, int width = 32, int line = __builtin_LINE()) {           \
    const unsigned lane = emulator::lane(), first = emulator::first(width), end = first + (unsigned)width; \
    const unsigned from = source;                                                                          \
    return emulator::shuffle(mask, value, (is_inside) ? from : lane, #name, line);                         \
  }
EMULATOR_SHUFFLE(__shfl_sync, first + ((unsigned)by & (unsigned)(width - 1)), from < end)
EMULATOR_SHUFFLE(__shfl_xor_sync, lane ^ (unsigned)by, from < end)
EMULATOR_SHUFFLE(__shfl_up_sync, lane - (unsigned)by, (int)from >= (int)first)
EMULATOR_SHUFFLE(__shfl_down_sync, lane + (unsigned)by, from < end)

#define EMULATOR_VOTE(name, result, expression)                                                \
  EMULATOR result name(unsigned mask, int predicate, int line = __builtin_LINE()) {            \
    const emulator::Lanes lanes = emulator_warp(mask, predicate != 0, false, #name, line);     \
    const unsigned votes = emulator::matching(lanes, 1);                                       \
    return expression;                                                                         \
  }
EMULATOR_VOTE(__ballot_sync, unsigned, votes)
EMULATOR_VOTE(__any_sync, int, votes != 0)
EMULATOR_VOTE(__all_sync, int, votes == lanes.mask)

#define EMULATOR_REDUCE(name, type, expression)                                                                 \
  EMULATOR type name(unsigned mask, type value, int line = __builtin_LINE()) {                                  \
    return emulator::reduce(mask, value, #name, line, [](type a, type b) -> type { return expression; });       \
  }
EMULATOR_REDUCE(__reduce_add_sync, int, (int)((unsigned)a + (unsigned)b))
EMULATOR_REDUCE(__reduce_add_sync, unsigned, a + b)
EMULATOR_REDUCE(__reduce_min_sync, int, min(a, b))
EMULATOR_REDUCE(__reduce_min_sync, unsigned, min(a, b))
EMULATOR_REDUCE(__reduce_max_sync, int, max(a, b))
EMULATOR_REDUCE(__reduce_max_sync, unsigned, max(a, b))
EMULATOR_REDUCE(__reduce_and_sync, unsigned, a & b)
EMULATOR_REDUCE(__reduce_or_sync, unsigned, a | b)
EMULATOR_REDUCE(__reduce_xor_sync, unsigned, a ^ b)

template <class T>
EMULATOR unsigned __match_any_sync(unsigned mask, T value, int line = __builtin_LINE()) {
  uint64_t word = 0;
  __builtin_memcpy(&word, &value, sizeof value);
  return emulator::matching(emulator_warp(mask, word, false, "__match_any_sync", line), word);
}
