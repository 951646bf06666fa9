/// Atomic instructions: one fibre runs at a time, so that any sequence is atomic. All give the value from before.
#pragma once

/// A row: the function, its type, and the new value in terms of `old` and the operand `b`.
#define EMULATOR_ATOMIC(name, type, value)                                                                \
  EMULATOR type name(type* at, type b) {                                                                  \
    emulator_access(at, sizeof *at, sizeof *at, emulator::READ | emulator::WRITE | emulator::ATOMIC);     \
    const type old = *at;                                                                                 \
    *at = value;                                                                                          \
    return old;                                                                                           \
  }                                                                                                       \
  EMULATOR type name##_block(type* at, type b) { return name(at, b); }

typedef unsigned long long emulator_wide;

EMULATOR_ATOMIC(atomicAdd, int, (int)((unsigned)old + (unsigned)b))
EMULATOR_ATOMIC(atomicAdd, unsigned, old + b)
EMULATOR_ATOMIC(atomicAdd, emulator_wide, old + b)
EMULATOR_ATOMIC(atomicAdd, float, old + b)
EMULATOR_ATOMIC(atomicAdd, double, old + b)
EMULATOR_ATOMIC(atomicSub, int, (int)((unsigned)old - (unsigned)b))
EMULATOR_ATOMIC(atomicSub, unsigned, old - b)
EMULATOR_ATOMIC(atomicExch, int, b)
EMULATOR_ATOMIC(atomicExch, unsigned, b)
EMULATOR_ATOMIC(atomicExch, emulator_wide, b)
EMULATOR_ATOMIC(atomicExch, float, b)

#define EMULATOR_ATOMIC_LEAST(type)                    \
  EMULATOR_ATOMIC(atomicMin, type, b < old ? b : old)  \
  EMULATOR_ATOMIC(atomicMax, type, b > old ? b : old)
EMULATOR_ATOMIC_LEAST(int)
EMULATOR_ATOMIC_LEAST(unsigned)
EMULATOR_ATOMIC_LEAST(long long)
EMULATOR_ATOMIC_LEAST(emulator_wide)

#define EMULATOR_ATOMIC_BITS(type)          \
  EMULATOR_ATOMIC(atomicAnd, type, old & b) \
  EMULATOR_ATOMIC(atomicOr, type, old | b)  \
  EMULATOR_ATOMIC(atomicXor, type, old ^ b)
EMULATOR_ATOMIC_BITS(int)
EMULATOR_ATOMIC_BITS(unsigned)
EMULATOR_ATOMIC_BITS(emulator_wide)

#define EMULATOR_ATOMIC_CAS(type)                                                                         \
  EMULATOR type atomicCAS(type* at, type compare, type value) {                                           \
    emulator_access(at, sizeof *at, sizeof *at, emulator::READ | emulator::WRITE | emulator::ATOMIC);     \
    const type old = *at;                                                                                 \
    if (old == compare) *at = value;                                                                      \
    return old;                                                                                           \
  }
EMULATOR_ATOMIC_CAS(int)
EMULATOR_ATOMIC_CAS(unsigned)
EMULATOR_ATOMIC_CAS(emulator_wide)
EMULATOR_ATOMIC_CAS(unsigned short)
