/// Floats of 16 bits. `cuda_fp16.h` and `cuda_bf16.h` are there for programs that include them, and hold nothing else.
#pragma once

namespace emulator {

/// A float of 16 bits, as its bits. `Format` tells half from bfloat16.
template <class Format>
struct Half {
  unsigned short bits;
  Half() = default;
  EMULATOR explicit Half(float x) : bits(Format::from_float(x)) {}
  EMULATOR operator float() const { return Format::to_float(bits); }
  EMULATOR static Half of_bits(unsigned short bits) {
    Half half;
    half.bits = bits;
    return half;
  }
};

struct Binary16 {
  EMULATOR static float to_float(unsigned short half) {
    const unsigned magnitude = half & 0x7fffu, sign = (half & 0x8000u) << 16;
    if (magnitude < 0x400u) return emulator::bits<float>(emulator::bits<unsigned>((float)magnitude * 0x1p-24f) | sign);
    const unsigned special = magnitude >= 0x7c00u ? 112u << 23 : 0u;
    return emulator::bits<float>(((magnitude << 13) + (112u << 23) + special) | sign);
  }
  /// To nearest, ties to even. Below the least normal number, adding 1/2 leaves the units in the low bits.
  EMULATOR static unsigned short from_float(float x) {
    const unsigned all = emulator::bits<unsigned>(x), sign = all >> 16 & 0x8000u, magnitude = all & 0x7fffffffu;
    if (magnitude > 0x7f800000u) return 0x7fffu;
    if (magnitude >= 0x477ff000u) return (unsigned short)(sign | 0x7c00u);
    if (magnitude < 0x38800000u)
      return (unsigned short)(sign | (emulator::bits<unsigned>(emulator::bits<float>(magnitude) + 0.5f) - 0x3f000000u));
    return (unsigned short)(sign | (((magnitude + 0xfffu + (magnitude >> 13 & 1u)) >> 13) - (112u << 10)));
  }
};

struct Bfloat16 {
  EMULATOR static float to_float(unsigned short half) { return emulator::bits<float>((unsigned)half << 16); }
  EMULATOR static unsigned short from_float(float x) {
    const unsigned all = emulator::bits<unsigned>(x);
    if ((all & 0x7fffffffu) > 0x7f800000u) return 0x7fffu;
    return (unsigned short)((all + 0x7fffu + (all >> 16 & 1u)) >> 16);
  }
};

}  // namespace emulator

typedef emulator::Half<emulator::Binary16> __half;
typedef emulator::Half<emulator::Bfloat16> __nv_bfloat16;
typedef __half half;

EMULATOR_VECTOR2(__half2, __half, 4)
EMULATOR_VECTOR2(__nv_bfloat162, __nv_bfloat16, 4)
typedef __half2 half2;

/// The conversions of a type, by the names that CUDA gives them.
#define EMULATOR_HALF(type, of_float, to_float, of_short, to_short)    \
  EMULATOR type of_float(float x) { return type(x); }                  \
  EMULATOR type of_float##_rn(float x) { return type(x); }             \
  EMULATOR float to_float(type x) { return x; }                        \
  EMULATOR type of_short(unsigned short x) { return type::of_bits(x); }\
  EMULATOR unsigned short to_short(type x) { return x.bits; }
EMULATOR_HALF(__half, __float2half, __half2float, __ushort_as_half, __half_as_ushort)
EMULATOR_HALF(__nv_bfloat16, __float2bfloat16, __bfloat162float, __ushort_as_bfloat16, __bfloat16_as_ushort)

EMULATOR __half __low2half(__half2 x) { return x.x; }
EMULATOR __half __high2half(__half2 x) { return x.y; }
EMULATOR float __low2float(__half2 x) { return x.x; }
EMULATOR float __high2float(__half2 x) { return x.y; }
EMULATOR float2 __half22float2(__half2 x) { return {x.x, x.y}; }
EMULATOR float2 __bfloat1622float2(__nv_bfloat162 x) { return {x.x, x.y}; }
EMULATOR __half2 __floats2half2_rn(float x, float y) { return {__half(x), __half(y)}; }
EMULATOR __half2 __float22half2_rn(float2 x) { return {__half(x.x), __half(x.y)}; }
EMULATOR __nv_bfloat162 __floats2bfloat162_rn(float x, float y) { return {__nv_bfloat16(x), __nv_bfloat16(y)}; }
EMULATOR __nv_bfloat162 __float22bfloat162_rn(float2 x) { return {__nv_bfloat16(x.x), __nv_bfloat16(x.y)}; }

/// The functions that the backend's prelude has for a GPU.
EMULATOR unsigned f16_bits(float x) { return emulator::Binary16::from_float(x); }
EMULATOR unsigned bf16_bits(float x) { return emulator::Bfloat16::from_float(x); }
EMULATOR float f16_value(unsigned bits) { return emulator::Binary16::to_float((unsigned short)bits); }
EMULATOR float bf16_value(unsigned bits) { return emulator::Bfloat16::to_float((unsigned short)bits); }
