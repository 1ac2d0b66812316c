#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "cg/device_operator.h"
#include "cg/device_preconditioner.h"
#include "cg/krylov/solver.h"
#include "tests/cg/dense_system.h"

namespace thinwire::testing {

/// Operators as a user may write them: a diagonal plus u_1 u_1^T + u_2 u_2^T + ..., never
/// stored as a matrix. 16 n (rank + 1) bytes and flops for each product.
class LowRankOperator final : public LinearOperator {
 public:
  /// diagonal: [n]; u: [rank][n].
  LowRankOperator(std::vector<Complex> diagonal, std::vector<Complex> u)
      : diagonal_(std::move(diagonal)), u_(std::move(u)) {}
  std::size_t size() const override { return diagonal_.size(); }
  void apply(std::span<const Complex> x, std::span<Complex> y) const override {
    const std::size_t n = size();
    for (std::size_t i = 0; i < n; ++i) y[i] = diagonal_[i] * x[i];
    for (std::size_t first = 0; first < u_.size(); first += n) {
      Complex dot = 0;
      for (std::size_t i = 0; i < n; ++i) dot += u_[first + i] * x[i];
      for (std::size_t i = 0; i < n; ++i) y[i] += dot * u_[first + i];
    }
  }
  const std::vector<Complex>& diagonal() const { return diagonal_; }
  const std::vector<Complex>& u() const { return u_; }

 private:
  std::vector<Complex> diagonal_, u_;
};

/// One over a diagonal.
class DiagonalPreconditioner final : public Preconditioner {
 public:
  explicit DiagonalPreconditioner(const std::vector<Complex>& diagonal)
      : diagonal_(diagonal) {}
  std::size_t size() const override { return diagonal_.size(); }
  void apply(std::span<const Complex> r, std::span<Complex> z) const override {
    for (std::size_t i = 0; i < size(); ++i) z[i] = r[i] / diagonal_[i];
  }

 private:
  const std::vector<Complex>& diagonal_;
};

inline constexpr std::size_t test_rank = 5;

/// A diagonal of widely different entries.
inline LowRankOperator low_rank(std::size_t n) {
  std::vector<Complex> diagonal = random_vector(n, 51),
                       u = random_vector(test_rank * n, 52);
  for (std::size_t i = 0; i < n; ++i)
    diagonal[i] = std::polar(1 + 0.2 * std::abs(diagonal[i]), 0.5) *
                  std::pow(3.0, static_cast<double>(i % 7));
  for (Complex& value : u) value *= 0.5 / std::sqrt(static_cast<double>(n));
  return {std::move(diagonal), std::move(u)};
}

inline DenseOperator dense(const LowRankOperator& z) {
  const std::size_t n = z.size();
  std::vector<Complex> a(n * n);
  for (std::size_t j = 0; j < n; ++j) {
    a[j + j * n] = z.diagonal()[j];
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t k = 0; k < test_rank; ++k)
        a[i + j * n] += z.u()[k * n + i] * z.u()[k * n + j];
  }
  return {n, std::move(a)};
}

/// Three sides, and what LAPACK makes of them.
struct LowRankReference {
  explicit LowRankReference(const LowRankOperator& z)
      : v(random_vector(3 * z.size(), 53)) {
    const DenseOperator matrix = dense(z);
    for (std::size_t s = 0; s < 3; ++s) {
      const auto first = v.begin() + static_cast<std::ptrdiff_t>(s * z.size());
      const std::vector<Complex> own =
          lapack_solution(matrix, {first, first + static_cast<std::ptrdiff_t>(z.size())});
      current.insert(current.end(), own.begin(), own.end());
    }
  }
  std::vector<Complex> v, current;  // [3][n]
};

/// Operator and preconditioner with their vectors on the GPU; low_rank_on_device.cu has
/// their kernels.
class DeviceLowRankOperator final : public DeviceOperator {
 public:
  explicit DeviceLowRankOperator(const LowRankOperator& z)
      : n_(z.size()),
        rank_(z.u().size() / n_),
        diagonal_(n_, "test operator"),
        u_(z.u().size(), "test operator"),
        dots_(rank_, "test operator") {
    diagonal_.upload(z.diagonal(), stream());
    u_.upload(z.u(), stream());
    stream().synchronize();
  }
  std::size_t size() const override { return n_; }
  void multiply(const Complex* x, Complex* y, int sides,
                const DeviceStream& stream) const override;

 private:
  std::size_t n_, rank_;
  DeviceBuffer<Complex> diagonal_, u_, dots_;
};

class DeviceDiagonalPreconditioner final : public DevicePreconditioner {
 public:
  explicit DeviceDiagonalPreconditioner(const std::vector<Complex>& diagonal)
      : diagonal_(diagonal.size(), "test preconditioner") {
    const DeviceStream stream;
    diagonal_.upload(diagonal, stream);
    stream.synchronize();
  }
  std::size_t size() const override { return diagonal_.size(); }
  void multiply(const Complex* r, Complex* z, const DeviceStream& stream) const override;
  std::size_t bytes() const override { return diagonal_.bytes(); }

 private:
  DeviceBuffer<Complex> diagonal_;
};

inline SolverControl precisely() {
  SolverControl control;
  control.tolerance = 1e-11;
  return control;
}

}  // namespace thinwire::testing
