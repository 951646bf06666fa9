/// Functions of numbers: C's own, and CUDA's intrinsics.
#pragma once

#define EMULATOR_FUNCTION(name, doubles, floats)         \
  extern "C" double name doubles noexcept;               \
  extern "C" float name##f floats noexcept;
#define EMULATOR_UNARY(name) EMULATOR_FUNCTION(name, (double), (float))
#define EMULATOR_BINARY(name) EMULATOR_FUNCTION(name, (double, double), (float, float))

EMULATOR_UNARY(sqrt)
EMULATOR_UNARY(cbrt)
EMULATOR_UNARY(fabs)
EMULATOR_UNARY(floor)
EMULATOR_UNARY(ceil)
EMULATOR_UNARY(trunc)
EMULATOR_UNARY(rint)
EMULATOR_UNARY(nearbyint)
EMULATOR_UNARY(round)
EMULATOR_UNARY(exp)
EMULATOR_UNARY(exp2)
EMULATOR_UNARY(expm1)
EMULATOR_UNARY(log)
EMULATOR_UNARY(log2)
EMULATOR_UNARY(log10)
EMULATOR_UNARY(log1p)
EMULATOR_UNARY(sin)
EMULATOR_UNARY(cos)
EMULATOR_UNARY(tan)
EMULATOR_UNARY(asin)
EMULATOR_UNARY(acos)
EMULATOR_UNARY(atan)
EMULATOR_UNARY(sinh)
EMULATOR_UNARY(cosh)
EMULATOR_UNARY(tanh)
EMULATOR_UNARY(asinh)
EMULATOR_UNARY(acosh)
EMULATOR_UNARY(atanh)
EMULATOR_UNARY(erf)
EMULATOR_UNARY(erfc)
EMULATOR_UNARY(lgamma)
EMULATOR_UNARY(tgamma)
EMULATOR_BINARY(atan2)
EMULATOR_BINARY(pow)
EMULATOR_BINARY(fmod)
EMULATOR_BINARY(fmin)
EMULATOR_BINARY(fmax)
EMULATOR_BINARY(hypot)
EMULATOR_BINARY(copysign)
EMULATOR_BINARY(nextafter)
EMULATOR_FUNCTION(fma, (double, double, double), (float, float, float))
EMULATOR_FUNCTION(ldexp, (double, int), (float, int))

EMULATOR float rsqrtf(float x) { return 1.0f / sqrtf(x); }
EMULATOR double rsqrt(double x) { return 1.0 / sqrt(x); }

/// A row for each type: the least and the greatest, which of floats are those that are numbers.
#define EMULATOR_LEAST(type)                                      \
  EMULATOR type min(type a, type b) { return a < b ? a : b; }     \
  EMULATOR type max(type a, type b) { return a > b ? a : b; }
EMULATOR_LEAST(int)
EMULATOR_LEAST(unsigned)
EMULATOR_LEAST(long long)
EMULATOR_LEAST(unsigned long long)
EMULATOR float min(float a, float b) { return fminf(a, b); }
EMULATOR float max(float a, float b) { return fmaxf(a, b); }
EMULATOR double min(double a, double b) { return fmin(a, b); }
EMULATOR double max(double a, double b) { return fmax(a, b); }

#define EMULATOR_CLASS(type)                                            \
  EMULATOR bool isnan(type x) { return __builtin_isnan(x); }            \
  EMULATOR bool isinf(type x) { return __builtin_isinf(x); }            \
  EMULATOR bool isfinite(type x) { return __builtin_isfinite(x); }      \
  EMULATOR bool signbit(type x) { return __builtin_signbit(x) != 0; }
EMULATOR_CLASS(float)
EMULATOR_CLASS(double)

namespace emulator {
/// The bits as another type.
template <class To, class From>
EMULATOR To bits(From from) {
  static_assert(sizeof(To) == sizeof(From), "bits are cast to a type of the same width");
  To to;
  __builtin_memcpy(&to, &from, sizeof to);
  return to;
}
}  // namespace emulator

#define EMULATOR_BITS(name, to, from) \
  EMULATOR to name(from x) { return emulator::bits<to>(x); }
EMULATOR_BITS(__float_as_int, int, float)
EMULATOR_BITS(__float_as_uint, unsigned, float)
EMULATOR_BITS(__int_as_float, float, int)
EMULATOR_BITS(__uint_as_float, float, unsigned)
EMULATOR_BITS(__double_as_longlong, long long, double)
EMULATOR_BITS(__longlong_as_double, double, long long)

/// An intrinsic as an expression of its operands.
#define EMULATOR_OF1(name, type, result, expression) \
  EMULATOR result name(type a) { return expression; }
#define EMULATOR_OF2(name, type, result, expression) \
  EMULATOR result name(type a, type b) { return expression; }
#define EMULATOR_OF3(name, type, result, expression) \
  EMULATOR result name(type a, type b, type c) { return expression; }

EMULATOR_OF2(__fadd_rn, float, float, a + b)
EMULATOR_OF2(__fsub_rn, float, float, a - b)
EMULATOR_OF2(__fmul_rn, float, float, a * b)
EMULATOR_OF2(__fdiv_rn, float, float, a / b)
EMULATOR_OF3(__fmaf_rn, float, float, fmaf(a, b, c))
EMULATOR_OF1(__fsqrt_rn, float, float, sqrtf(a))
EMULATOR_OF1(__frcp_rn, float, float, 1.0f / a)
EMULATOR_OF2(__dadd_rn, double, double, a + b)
EMULATOR_OF2(__dsub_rn, double, double, a - b)
EMULATOR_OF2(__dmul_rn, double, double, a * b)
EMULATOR_OF2(__ddiv_rn, double, double, a / b)
EMULATOR_OF3(__fma_rn, double, double, fma(a, b, c))
EMULATOR_OF1(__dsqrt_rn, double, double, sqrt(a))

EMULATOR_OF1(__expf, float, float, expf(a))
EMULATOR_OF1(__exp10f, float, float, powf(10.0f, a))
EMULATOR_OF1(__logf, float, float, logf(a))
EMULATOR_OF1(__log2f, float, float, log2f(a))
EMULATOR_OF1(__log10f, float, float, log10f(a))
EMULATOR_OF1(__sinf, float, float, sinf(a))
EMULATOR_OF1(__cosf, float, float, cosf(a))
EMULATOR_OF1(__tanf, float, float, tanf(a))
EMULATOR_OF2(__powf, float, float, powf(a, b))
EMULATOR_OF2(__fdividef, float, float, a / b)
EMULATOR_OF1(__saturatef, float, float, fminf(fmaxf(a, 0.0f), 1.0f))

/// Conversions of floats to integers saturate.
#define EMULATOR_TO_INT(name, from, to, round, low, high, of_nan)                \
  EMULATOR to name(from x) {                                                     \
    const from rounded = round(x);                                               \
    if (rounded != rounded) return of_nan;                                       \
    if (rounded <= (from)low) return low;                                        \
    return rounded >= (from)high ? high : (to)rounded;                           \
  }
#define EMULATOR_LEAST_INT (-2147483647 - 1)
#define EMULATOR_LEAST_LONG (-9223372036854775807LL - 1)
EMULATOR_TO_INT(__float2int_rn, float, int, rintf, EMULATOR_LEAST_INT, 2147483647, 0)
EMULATOR_TO_INT(__float2int_rz, float, int, truncf, EMULATOR_LEAST_INT, 2147483647, 0)
EMULATOR_TO_INT(__float2int_rd, float, int, floorf, EMULATOR_LEAST_INT, 2147483647, 0)
EMULATOR_TO_INT(__float2int_ru, float, int, ceilf, EMULATOR_LEAST_INT, 2147483647, 0)
EMULATOR_TO_INT(__float2uint_rz, float, unsigned, truncf, 0u, 4294967295u, 0u)
EMULATOR_TO_INT(__double2int_rz, double, int, trunc, EMULATOR_LEAST_INT, 2147483647, EMULATOR_LEAST_INT)
EMULATOR_TO_INT(__double2uint_rz, double, unsigned, trunc, 0u, 4294967295u, 2147483648u)
EMULATOR_TO_INT(__float2ll_rz, float, long long, truncf, EMULATOR_LEAST_LONG, 9223372036854775807LL, EMULATOR_LEAST_LONG)
EMULATOR_TO_INT(__double2ll_rz, double, long long, trunc, EMULATOR_LEAST_LONG, 9223372036854775807LL, EMULATOR_LEAST_LONG)
EMULATOR_OF1(__int2float_rn, int, float, (float)a)
EMULATOR_OF1(__uint2float_rn, unsigned, float, (float)a)
EMULATOR_OF1(__ll2float_rn, long long, float, (float)a)
EMULATOR_OF1(__double2float_rn, double, float, (float)a)

EMULATOR_OF1(__popc, unsigned, int, __builtin_popcount(a))
EMULATOR_OF1(__popcll, unsigned long long, int, __builtin_popcountll(a))
EMULATOR_OF1(__clz, int, int, a == 0 ? 32 : __builtin_clz((unsigned)a))
EMULATOR_OF1(__clzll, long long, int, a == 0 ? 64 : __builtin_clzll((unsigned long long)a))
EMULATOR_OF1(__ffs, int, int, __builtin_ffs(a))
EMULATOR_OF1(__ffsll, long long, int, __builtin_ffsll(a))
EMULATOR unsigned __brev(unsigned a) {
  unsigned reversed = 0;
  for (int i = 0; i < 32; i++) reversed |= (a >> i & 1) << (31 - i);
  return reversed;
}
/// Bytes of two words, each chosen by four bits of a third.
EMULATOR unsigned __byte_perm(unsigned a, unsigned b, unsigned selectors) {
  const unsigned long long both = (unsigned long long)b << 32 | a;
  unsigned chosen = 0;
  for (int i = 0; i < 4; i++) chosen |= (unsigned)(both >> 8 * (selectors >> 4 * i & 7) & 0xff) << 8 * i;
  return chosen;
}
EMULATOR_OF2(__mulhi, int, int, (int)((long long)a * b >> 32))
EMULATOR_OF2(__umulhi, unsigned, unsigned, (unsigned)((unsigned long long)a * b >> 32))
EMULATOR_OF2(__mul64hi, long long, long long, (long long)((__int128)a * b >> 64))
EMULATOR_OF2(__umul64hi, unsigned long long, unsigned long long, (unsigned long long)((unsigned __int128)a * b >> 64))

/// Extremes that are NaN where an operand is: the functions that the backend's prelude has for a GPU.
EMULATOR float maximumf(float a, float b) { return a != a || b != b ? __builtin_nanf("") : fmaxf(a, b); }
EMULATOR float minimumf(float a, float b) { return a != a || b != b ? __builtin_nanf("") : fminf(a, b); }

/// Loads and stores with a hint to the cache: instrumented as any.
#define EMULATOR_LOAD(name) \
  template <class T>        \
  inline T name(const T* at) { return *at; }
#define EMULATOR_STORE(name) \
  template <class T>         \
  inline void name(T* at, T value) { *at = value; }
EMULATOR_LOAD(__ldg)
EMULATOR_LOAD(__ldca)
EMULATOR_LOAD(__ldcg)
EMULATOR_LOAD(__ldcs)
EMULATOR_LOAD(__ldlu)
EMULATOR_STORE(__stwb)
EMULATOR_STORE(__stcg)
EMULATOR_STORE(__stcs)
EMULATOR_STORE(__stwt)
