#include "cg/rhs_span.h"

#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "cg/many_rhs.h"
#include "cg/vector_ops.h"

namespace thinwire {
namespace {

/// Right-hand sides of plane waves along a line of n points, `length` wavelengths long.
std::vector<Complex> waves_on_a_line(std::size_t n, std::size_t count, double length) {
  std::vector<Complex> v;
  for (std::size_t j = 0; j < count; ++j)
    for (std::size_t i = 0; i < n; ++i) {
      const double cosine = std::cos(3.1 * static_cast<double>(j) /
                                     static_cast<double>(count)),
                   at = length * static_cast<double>(i) / static_cast<double>(n);
      v.push_back(std::polar(1.0, 2 * M_PI * cosine * at));
    }
  return v;
}

/// Solves D X = V, D being a diagonal matrix.
Complex diagonal(std::size_t i) {
  return {2.0 + static_cast<double>(i % 7), 0.5};
}
std::vector<Complex> solved(std::span<const Complex> v, std::size_t n) {
  std::vector<Complex> x(v.begin(), v.end());
  for (std::size_t i = 0; i < x.size(); ++i) x[i] /= diagonal(i % n);
  return x;
}

RhsSums expanded(const RhsSpan& span, std::span<const Complex> v) {
  RhsSums sums;
  span.expand(v, sums);
  return sums;
}

std::vector<Complex> solutions(const RhsSpan& span, const RhsSums& sums, std::size_t n) {
  std::vector<Complex> x(sums.norm.size() * n);
  add_sums(span.basis_solutions(), sums.coefficients, x, sums.norm.size());
  return x;
}

/// Extends the span by what it misses of v. Returns how many vectors joined.
std::size_t extend(RhsSpan& span, std::span<const Complex> v, std::size_t n,
                   double tolerance) {
  const RhsSpanGrowth growth = span.growth(v, expanded(span, v), tolerance);
  span.add(growth, solved(growth.vectors, n), std::vector<double>(growth.rows.size()));
  return growth.rows.size();
}

TEST(RhsSpan, OfPlaneWavesOnAShortLineIsSmall) {
  constexpr std::size_t n = 200, count = 300;
  const std::vector<Complex> v = waves_on_a_line(n, count, 2);
  RhsSpan span(n);
  extend(span, v, n, 1e-12);
  // Slepian: 2 length, and a term for each digit or so.
  EXPECT_LT(span.rank(), 30u);
  EXPECT_GT(span.rank(), 8u);
  const RhsSums sums = expanded(span, v);
  for (const double missed : sums.missed) EXPECT_LT(missed, 1e-12);
  const std::vector<Complex> x = solutions(span, sums, n), exact = solved(v, n);
  for (std::size_t j = 0; j < count; ++j) {
    std::vector<Complex> difference(n);
    for (std::size_t i = 0; i < n; ++i) difference[i] = x[j * n + i] - exact[j * n + i];
    EXPECT_LT(norm2(difference), 1e-11 * norm2(std::span(exact).subspan(j * n, n)));
  }
}

TEST(RhsSpan, MeasuresWhatItMisses) {
  constexpr std::size_t n = 65, count = 40;
  const std::vector<Complex> v = waves_on_a_line(n, count, 2);
  RhsSpan span(n);
  extend(span, v, n, 1e-3);
  // The basis' solutions put into the equations again: what is left is the residual.
  const RhsSums sums = expanded(span, v);
  const std::vector<Complex> x = solutions(span, sums, n);
  const std::vector<double> bounds = span.residual_bounds(sums);
  double largest = 0;
  for (std::size_t j = 0; j < count; ++j) {
    std::vector<Complex> residual(n);
    for (std::size_t i = 0; i < n; ++i)
      residual[i] = v[j * n + i] - diagonal(i) * x[j * n + i];
    const double relative = norm2(residual) / norm2(std::span(v).subspan(j * n, n));
    // Three times an estimate by 16 sums.
    EXPECT_GT(sums.missed[j], relative);
    EXPECT_LT(sums.missed[j], 6 * relative + 1e-13);
    EXPECT_EQ(bounds[j], sums.missed[j]);
    largest = std::max(largest, relative);
  }
  EXPECT_GT(largest, 1e-8);
  EXPECT_LT(largest, 1e-3);
}

TEST(RhsSpan, BoundsTheResidualsOfInexactSolutions) {
  constexpr std::size_t n = 65, count = 40;
  const std::vector<Complex> v = waves_on_a_line(n, count, 2);
  RhsSpan span(n);
  const RhsSpanGrowth growth = span.growth(v, expanded(span, v), 1e-12);
  std::vector<Complex> inexact = solved(growth.vectors, n);
  std::mt19937 generator(1);
  std::uniform_real_distribution<double> uniform(-1e-6, 1e-6);
  for (Complex& entry : inexact) entry += Complex(uniform(generator), uniform(generator));
  std::vector<double> residuals;
  for (std::size_t r = 0; r < growth.rows.size(); ++r) {
    std::vector<Complex> residual(n);
    for (std::size_t i = 0; i < n; ++i)
      residual[i] = growth.vectors[r * n + i] - diagonal(i) * inexact[r * n + i];
    residuals.push_back(norm2(residual));
  }
  span.add(growth, inexact, residuals);
  const RhsSums sums = expanded(span, v);
  const std::vector<Complex> x = solutions(span, sums, n);
  const std::vector<double> bounds = span.residual_bounds(sums);
  for (std::size_t j = 0; j < count; ++j) {
    std::vector<Complex> residual(n);
    for (std::size_t i = 0; i < n; ++i)
      residual[i] = v[j * n + i] - diagonal(i) * x[j * n + i];
    const double relative = norm2(residual) / norm2(std::span(v).subspan(j * n, n));
    EXPECT_LT(relative, bounds[j]);
    EXPECT_GT(relative, 1e-3 * bounds[j]);
  }
}

TEST(RhsSpan, GrowsByWhatIsNewOnly) {
  constexpr std::size_t n = 200;
  const std::vector<Complex> few = waves_on_a_line(n, 3, 2),
                             many = waves_on_a_line(n, 100, 2);
  RhsSpan span(n), at_once(n);
  EXPECT_EQ(extend(span, few, n, 1e-12), 3u);
  EXPECT_EQ(extend(span, few, n, 1e-12), 0u);
  extend(span, many, n, 1e-12);
  EXPECT_EQ(extend(span, many, n, 1e-12), 0u);
  extend(at_once, many, n, 1e-12);
  EXPECT_LE(span.rank(), at_once.rank() + 3);
}

TEST(RhsSpan, HoldsWhatHasFullRankToo) {
  for (const std::size_t n : {1, 2, 31, 33, 65}) {
    const std::size_t count = 2 * n;
    std::mt19937 generator(2);
    std::uniform_real_distribution<double> uniform(-1, 1);
    std::vector<Complex> v(count * n);
    for (Complex& entry : v) entry = {uniform(generator), uniform(generator)};
    // A zero, and one by itself that is tiny.
    std::fill_n(v.begin(), n, Complex(0));
    for (std::size_t i = n; i < 2 * n; ++i) v[i] *= 1e-30;
    RhsSpan span(n);
    extend(span, v, n, 1e-12);
    EXPECT_EQ(span.rank(), std::min(n, count - 1));
    const RhsSums sums = expanded(span, v);
    for (const double missed : sums.missed) EXPECT_LT(missed, 1e-12) << n;
    const std::vector<Complex> x = solutions(span, sums, n), exact = solved(v, n);
    for (std::size_t i = 0; i < x.size(); ++i)
      EXPECT_LT(std::abs(x[i] - exact[i]),
                i < 2 * n ? 1e-41 + 1e-9 * std::abs(exact[i]) : 1e-11)
          << n;
    span.clear();
    EXPECT_EQ(span.rank(), 0u);
    EXPECT_EQ(span.restarts(), 1);
    EXPECT_EQ(extend(span, v, n, 1e-12), std::min(n, count - 1));
  }
}

}  // namespace
}  // namespace thinwire
