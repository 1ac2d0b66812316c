#pragma once

#include <complex>
#include <cstddef>

#include "kernels/base/host_device.h"

namespace thinwire {

/// The numbers of sparse products, for code that is compiled for the GPU too: real or
/// complex, double or single, a real matrix on complex vectors included.

/// A complex number laid out as std::complex<R>.
template <class R>
struct PlainComplex {
  R re, im;
};

template <class T>
struct NumberOf {
  using Plain = T;
  using Real = T;
  static constexpr int parts = 1;
};
template <class R>
struct NumberOf<std::complex<R>> {
  using Plain = PlainComplex<R>;
  using Real = R;
  static constexpr int parts = 2;
};
template <class R>
struct NumberOf<PlainComplex<R>> : NumberOf<std::complex<R>> {};

template <class T>
using Plain = typename NumberOf<T>::Plain;
template <class T>
using RealOf = typename NumberOf<T>::Real;

/// Returns the same numbers in plain form.
template <class T>
const Plain<T>* plain(const T* x) {
  return reinterpret_cast<const Plain<T>*>(x);
}
template <class T>
Plain<T>* plain(T* x) {
  return reinterpret_cast<Plain<T>*>(x);
}
template <class T>
Plain<T> plain_value(const T& x) {
  return *plain(&x);
}

/// *from, on the GPU in one load through the read-only cache.
template <class T>
THINWIRE_HD inline T read(const T* from) {
#if defined(__CUDA_ARCH__)
  return __ldg(from);
#else
  return *from;
#endif
}
THINWIRE_HD inline PlainComplex<double> read(const PlainComplex<double>* from) {
#if defined(__CUDA_ARCH__)
  const double2 two = __ldg(reinterpret_cast<const double2*>(from));
  return {two.x, two.y};
#else
  return *from;
#endif
}
THINWIRE_HD inline PlainComplex<float> read(const PlainComplex<float>* from) {
#if defined(__CUDA_ARCH__)
  const float2 two = __ldg(reinterpret_cast<const float2*>(from));
  return {two.x, two.y};
#else
  return *from;
#endif
}

/// sum += a x, in the precision of the sum.
template <class S, class A>
THINWIRE_HD inline void add_product(S& sum, A a, S x) {
  sum += static_cast<S>(a) * x;
}
template <class R, class A>
THINWIRE_HD inline void add_product(PlainComplex<R>& sum, A a, PlainComplex<R> x) {
  sum.re += static_cast<R>(a) * x.re;
  sum.im += static_cast<R>(a) * x.im;
}
template <class R, class Q>
THINWIRE_HD inline void add_product(PlainComplex<R>& sum, PlainComplex<Q> a,
                                    PlainComplex<R> x) {
  const R re = static_cast<R>(a.re), im = static_cast<R>(a.im);
  sum.re += re * x.re;
  sum.re -= im * x.im;
  sum.im += re * x.im;
  sum.im += im * x.re;
}

template <class R>
THINWIRE_HD inline PlainComplex<R> operator+(PlainComplex<R> a, PlainComplex<R> b) {
  return {a.re + b.re, a.im + b.im};
}

template <class T>
THINWIRE_HD inline bool is_zero(T a) {
  return a == T(0);
}
template <class R>
THINWIRE_HD inline bool is_zero(PlainComplex<R> a) {
  return a.re == R(0) && a.im == R(0);
}

/// y = alpha sum + beta y; with beta = 0 what y holds is never read.
template <class V>
THINWIRE_HD inline void store_result(V alpha, V sum, V beta, V* y) {
  V result{};
  add_product(result, alpha, sum);
  if (!is_zero(beta)) add_product(result, beta, *y);
  *y = result;
}

}  // namespace thinwire
