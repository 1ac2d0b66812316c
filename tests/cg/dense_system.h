#pragma once

#include <lapacke.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <functional>
#include <numeric>
#include <random>
#include <span>
#include <vector>

#include "cg/linear_operator.h"
#include "cg/vector_ops.h"
#include "tests/vectors.h"

namespace thinwire::testing {

/// A dense complex-symmetric matrix as an operator: plain loops, column-major.
class DenseOperator final : public LinearOperator {
 public:
  DenseOperator(std::size_t n, std::vector<Complex> entries)
      : n_(n), entries_(std::move(entries)) {}
  std::size_t size() const override { return n_; }
  void apply(std::span<const Complex> x, std::span<Complex> y) const override {
    std::fill(y.begin(), y.end(), Complex(0));
    for (std::size_t j = 0; j < n_; ++j) {
      const double xr = x[j].real(), xi = x[j].imag();
      for (std::size_t i = 0; i < n_; ++i) {
        const Complex a = entries_[i + j * n_];
        y[i] += Complex(a.real() * xr - a.imag() * xi, a.real() * xi + a.imag() * xr);
      }
    }
  }
  const std::vector<Complex>& entries() const { return entries_; }
  Complex at(std::size_t i, std::size_t j) const { return entries_[i + j * n_]; }

 private:
  std::size_t n_;
  std::vector<Complex> entries_;
};

/// shift * identity plus a random symmetric matrix of spectral radius about 1.
inline DenseOperator random_symmetric(std::size_t n, unsigned seed, Complex shift) {
  std::vector<Complex> a = random_vector(n * n, seed);
  const double size = 0.35 / std::sqrt(static_cast<double>(n));
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = 0; i < j; ++i) a[j + i * n] = a[i + j * n] *= size;
    a[j + j * n] = size * a[j + j * n] + shift;
  }
  return {n, std::move(a)};
}

/// The solution by LAPACK's LU, which none of the solvers here uses.
inline std::vector<Complex> lapack_solution(const DenseOperator& z,
                                            std::vector<Complex> v) {
  std::vector<Complex> factors = z.entries();
  const auto n = static_cast<lapack_int>(z.size());
  std::vector<lapack_int> pivots(z.size());
  LAPACKE_zgesv(LAPACK_COL_MAJOR, n, 1,
                reinterpret_cast<lapack_complex_double*>(factors.data()), n,
                pivots.data(), reinterpret_cast<lapack_complex_double*>(v.data()), n);
  return v;
}

/// x^H y: the inner product.
inline Complex dotc(std::span<const Complex> x, std::span<const Complex> y) {
  return std::inner_product(x.begin(), x.end(), y.begin(), Complex{}, std::plus<>(),
                            [](Complex a, Complex b) { return std::conj(a) * b; });
}

/// ||v - Z x|| / ||v||
inline double relative_residual(const DenseOperator& z, std::span<const Complex> x,
                                std::span<const Complex> v) {
  std::vector<Complex> zx(v.size());
  z.apply(x, zx);
  return relative_difference(zx, v);
}

/// One product is wrong by a constant: recurrences cannot see it, the true residual does.
class GlitchingOperator final : public LinearOperator {
 public:
  explicit GlitchingOperator(const DenseOperator& z, int at = 6) : z_(z), at_(at) {}
  std::size_t size() const override { return z_.size(); }
  void apply(std::span<const Complex> x, std::span<Complex> y) const override {
    z_.apply(x, y);
    if (++products_ == at_) y[0] += 1e-3 * norm2(x);
  }

 private:
  const DenseOperator& z_;
  int at_;
  mutable int products_ = 0;
};

}  // namespace thinwire::testing
