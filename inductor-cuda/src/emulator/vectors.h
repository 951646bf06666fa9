/// Vectors: read and written in one access, at a multiple of their alignment.
#pragma once

namespace emulator {

/// Checks an access to the whole of a vector.
template <class T>
EMULATOR void check(const T* at, Access how) {
  emulator_access(at, sizeof(T), alignof(T), how);
}

template <class T, size_t alignment>
struct alignas(alignment) Vector2 {
  T x, y;
  Vector2() = default;
  EMULATOR Vector2(T x, T y) : x(x), y(y) {}
  EMULATOR Vector2(const Vector2& from) {
    check(&from, READ);
    x = from.x, y = from.y;
  }
  EMULATOR Vector2& operator=(const Vector2& from) {
    check(&from, READ);
    check(this, WRITE);
    x = from.x, y = from.y;
    return *this;
  }
};

template <class T, size_t alignment>
struct alignas(alignment) Vector4 {
  T x, y, z, w;
  Vector4() = default;
  EMULATOR Vector4(T x, T y, T z, T w) : x(x), y(y), z(z), w(w) {}
  EMULATOR Vector4(const Vector4& from) {
    check(&from, READ);
    x = from.x, y = from.y, z = from.z, w = from.w;
  }
  EMULATOR Vector4& operator=(const Vector4& from) {
    check(&from, READ);
    check(this, WRITE);
    x = from.x, y = from.y, z = from.z, w = from.w;
    return *this;
  }
};

}  // namespace emulator

/// A row for each type: its name, its element and its alignment.
#define EMULATOR_VECTOR2(name, element, alignment)       \
  typedef emulator::Vector2<element, alignment> name;    \
  EMULATOR name make_##name(element x, element y) { return name(x, y); }
#define EMULATOR_VECTOR4(name, element, alignment)       \
  typedef emulator::Vector4<element, alignment> name;    \
  EMULATOR name make_##name(element x, element y, element z, element w) { return name(x, y, z, w); }

EMULATOR_VECTOR2(char2, signed char, 2)
EMULATOR_VECTOR2(uchar2, unsigned char, 2)
EMULATOR_VECTOR2(short2, short, 4)
EMULATOR_VECTOR2(ushort2, unsigned short, 4)
EMULATOR_VECTOR2(int2, int, 8)
EMULATOR_VECTOR2(uint2, unsigned, 8)
EMULATOR_VECTOR2(longlong2, long long, 16)
EMULATOR_VECTOR2(ulonglong2, unsigned long long, 16)
EMULATOR_VECTOR2(float2, float, 8)
EMULATOR_VECTOR2(double2, double, 16)
EMULATOR_VECTOR4(char4, signed char, 4)
EMULATOR_VECTOR4(uchar4, unsigned char, 4)
EMULATOR_VECTOR4(short4, short, 8)
EMULATOR_VECTOR4(ushort4, unsigned short, 8)
EMULATOR_VECTOR4(int4, int, 16)
EMULATOR_VECTOR4(uint4, unsigned, 16)
EMULATOR_VECTOR4(longlong4, long long, 16)
EMULATOR_VECTOR4(ulonglong4, unsigned long long, 16)
EMULATOR_VECTOR4(float4, float, 16)
EMULATOR_VECTOR4(double4, double, 16)
