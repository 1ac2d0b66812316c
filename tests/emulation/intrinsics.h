#pragma once

#include <driver_types.h>

#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <numbers>
#include <thread>
#include <type_traits>

#include "tests/emulation/stop.h"

/// Functions that kernels call on numbers and addresses.

// Bits.
inline int __popc(unsigned x) {
  return std::popcount(x);
}
inline int __popcll(unsigned long long x) {
  return std::popcount(x);
}
inline int __ffs(int x) {
  return x == 0 ? 0 : std::countr_zero(static_cast<unsigned>(x)) + 1;
}
inline int __ffsll(long long x) {
  return x == 0 ? 0 : std::countr_zero(static_cast<unsigned long long>(x)) + 1;
}
inline int __clz(int x) {
  return std::countl_zero(static_cast<unsigned>(x));
}
inline int __clzll(long long x) {
  return std::countl_zero(static_cast<unsigned long long>(x));
}
inline unsigned __brev(unsigned x) {
  unsigned reversed = 0;
  for (int i = 0; i < 32; ++i) reversed |= (x >> i & 1) << (31 - i);
  return reversed;
}
inline long long __double_as_longlong(double x) {
  return std::bit_cast<long long>(x);
}
inline double __longlong_as_double(long long x) {
  return std::bit_cast<double>(x);
}
inline float __int_as_float(int x) {
  return std::bit_cast<float>(x);
}
inline int __float_as_int(float x) {
  return std::bit_cast<int>(x);
}
inline double __hiloint2double(int high, int low) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(static_cast<unsigned>(high))
                                   << 32 |
                               static_cast<unsigned>(low));
}

// Arithmetic.
template <class A, class B>
requires(std::is_arithmetic_v<A>&&
             std::is_arithmetic_v<B>) constexpr std::common_type_t<A, B> min(A a, B b) {
  using T = std::common_type_t<A, B>;
  return static_cast<T>(b) < static_cast<T>(a) ? static_cast<T>(b) : static_cast<T>(a);
}
template <class A, class B>
requires(std::is_arithmetic_v<A>&&
             std::is_arithmetic_v<B>) constexpr std::common_type_t<A, B> max(A a, B b) {
  using T = std::common_type_t<A, B>;
  return static_cast<T>(a) < static_cast<T>(b) ? static_cast<T>(b) : static_cast<T>(a);
}
inline double rsqrt(double x) {
  return 1 / std::sqrt(x);
}
inline float rsqrtf(float x) {
  return 1 / std::sqrt(x);
}
inline double __drcp_rn(double x) {
  return 1 / x;
}
inline double __dsqrt_rn(double x) {
  return std::sqrt(x);
}
inline float __fsqrt_rn(float x) {
  return std::sqrt(x);
}
inline double __fma_rn(double a, double b, double c) {
  return std::fma(a, b, c);
}
inline double __dmul_rn(double a, double b) {
  return a * b;
}
inline double __dadd_rn(double a, double b) {
  return a + b;
}
inline float __fdividef(float a, float b) {
  return a / b;
}
inline float __saturatef(float x) {
  return x < 0 ? 0 : x > 1 ? 1 : x;
}
inline double cospi(double x) {
  return std::cos(std::numbers::pi * x);
}
inline double sinpi(double x) {
  return std::sin(std::numbers::pi * x);
}
inline void sincospif(float x, float* sine, float* cosine) {
  *sine = std::sin(std::numbers::pi_v<float> * x);
  *cosine = std::cos(std::numbers::pi_v<float> * x);
}
inline int __double2int_rn(double x) {
  return static_cast<int>(std::nearbyint(x));
}
inline long long __double2ll_rn(double x) {
  return static_cast<long long>(std::nearbyint(x));
}
inline float __double2float_rn(double x) {
  return static_cast<float>(x);
}

// Memory.
template <class T>
T __ldg(const T* at) {
  return *at;
}
template <class T>
T __ldcg(const T* at) {
  return *at;
}
template <class T>
T __ldcs(const T* at) {
  return *at;
}
template <class T>
void __stcs(T* at, T value) {
  *at = value;
}
template <class T>
T tex1Dfetch(cudaTextureObject_t texture, int i) {
  return reinterpret_cast<const T*>(texture)[i];
}
inline std::size_t __cvta_generic_to_shared(const void*) {
  emulation::stop("an address in shared memory as a number is not emulated");
}
inline void __nanosleep(unsigned) {
  std::this_thread::yield();
}

/// Replacements of inline PTX (translate.py).
namespace emulation {

/// cp.async: 16 bytes, of which those after the first `bytes` are zero.
inline void copy_to_shared(void* to, const void* from, unsigned bytes = 16) {
  std::memset(to, 0, 16);
  std::memcpy(to, from, bytes);
}

/// st.v2.b32: both at once, as one number.
inline void store_pair(void* to, int first, int second) {
  const auto both = std::bit_cast<std::uint64_t>(std::array<int, 2>{first, second});
  std::atomic_ref<std::uint64_t>(*static_cast<std::uint64_t*>(to)).store(both);
}
/// st.v2.b64: nobody sees the second number and not the first.
inline void store_pair(void* to, long long first, long long second) {
  auto* const pair = static_cast<long long*>(to);
  std::atomic_ref<long long>(pair[0]).store(first);
  std::atomic_ref<long long>(pair[1]).store(second);
}

}  // namespace emulation
