#include "cg/krylov/previous_solutions.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace thinwire::previous_solutions_test {
namespace {

constexpr std::size_t n = 40;

/// diag(d) + t ones, whose products are counted.
class Matrix final : public LinearOperator {
 public:
  explicit Matrix(double t) : t_(t) {}
  std::size_t size() const override { return n; }
  void apply(std::span<const Complex> x, std::span<Complex> y) const override {
    ++products;
    Complex sum = 0;
    for (const Complex value : x) sum += value;
    for (std::size_t i = 0; i < n; ++i) y[i] = diagonal(i) * x[i] + t_ * sum;
  }
  /// By Sherman and Morrison's formula.
  std::vector<Complex> solution(std::span<const Complex> v) const {
    Complex above = 0, below = 1;
    for (std::size_t i = 0; i < n; ++i) {
      above += v[i] / diagonal(i);
      below += t_ / diagonal(i);
    }
    std::vector<Complex> x(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = (v[i] - t_ * above / below) / diagonal(i);
    return x;
  }
  double residual(std::span<const Complex> v, std::span<const Complex> x) const {
    std::vector<Complex> y(n);
    apply(x, y);
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += std::norm(v[i] - y[i]);
    return std::sqrt(sum);
  }
  mutable int products = 0;

 private:
  static Complex diagonal(std::size_t i) { return {1.0 + static_cast<double>(i), 2}; }
  double t_;
};

std::vector<Complex> rhs() {
  std::vector<Complex> v(n);
  for (std::size_t i = 0; i < n; ++i) v[i] = {std::cos(1.0 * i), std::sin(2.0 * i)};
  return v;
}

TEST(PreviousSolutions, StartFromNothingWhereNoneIsKept) {
  std::vector<Complex> x(n, 1.0);
  const Matrix z(0.1);
  PreviousSolutions().combine(z, rhs(), 0.1, 4, 1e-12, x);
  EXPECT_EQ(x, std::vector<Complex>(n));
  EXPECT_EQ(z.products, 0);
}

// x(t) = a + s(t) b: two solutions span it, and a third one adds nothing.
TEST(PreviousSolutions, CombineToTheSolutionThatTheySpan) {
  const std::vector<Complex> v = rhs();
  PreviousSolutions previous;
  const Matrix z(0.2);
  std::vector<Complex> x(n);
  previous.keep(Matrix(0.1).solution(v), 0.1);
  previous.combine(z, v, 0.2, 4, 1e-12, x);
  EXPECT_GT(z.residual(v, x), 1e-2);
  for (const double t : {0.12, 0.15}) previous.keep(Matrix(t).solution(v), t);
  z.products = 0;
  previous.combine(z, v, 0.2, 4, 1e-12, x);
  EXPECT_EQ(z.products, 3);
  EXPECT_LT(z.residual(v, x), 1e-11);
  std::vector<Complex> twice(v), both(2 * n);
  for (const Complex value : v) twice.push_back(2.0 * value);
  previous.combine(z, twice, 0.2, 2, 1e-12, both);
  for (std::size_t i = 0; i < n; ++i) {
    EXPECT_NEAR(std::abs(both[i] - x[i]), 0, 1e-12);
    EXPECT_NEAR(std::abs(both[n + i] - 2.0 * x[i]), 0, 1e-12);
  }
}

TEST(PreviousSolutions, KeepThoseOfTheNearestParameters) {
  PreviousSolutions previous;
  const std::vector<Complex> zero(n);
  std::vector<Complex> one(n, 1.0), x(n);
  previous.keep(one, 1);
  for (const double t : {2, 3, 4, 5}) previous.keep(zero, t);
  const Matrix z(0);
  previous.combine(z, rhs(), 1, 4, 1e-12, x);
  EXPECT_EQ(x, zero);
  previous.keep(one, 6);
  previous.combine(z, rhs(), 2, 3, 1e-12, x);  // not that of 6, the farthest
  EXPECT_EQ(x, zero);
  previous.combine(z, rhs(), 6, 1, 1e-12, x);
  EXPECT_NE(x, zero);
}

}  // namespace
}  // namespace thinwire::previous_solutions_test
