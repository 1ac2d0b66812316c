#include "cg/rhs_span.h"

#include <cblas.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "cg/many_rhs.h"
#include "kernels/base/simd_clones.h"

namespace thinwire {
namespace {

constexpr std::size_t probes = 16;
/// A vector's norm over the root mean square of so many sums is larger with a probability
/// of 1e-10: that of a gamma variable of shape 16 below 16 / 9.
constexpr double safety = 3;

/// Returns |x|^2 of n complex numbers, two doubles each.
THINWIRE_SIMD_CLONES
double norm_squared(std::size_t n, const double* x) {
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::size_t i = 0; i < 2 * n; ++i) sum += x[i] * x[i];
  return sum;
}

/// Subtracts a multiple of l from e; returns |e|^2.
THINWIRE_SIMD_CLONES
double subtract(std::size_t n, double re, double im, const double* __restrict l,
                double* __restrict e) {
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::size_t i = 0; i < n; ++i) {
    const double a = e[2 * i] - (re * l[2 * i] - im * l[2 * i + 1]),
                 b = e[2 * i + 1] - (re * l[2 * i + 1] + im * l[2 * i]);
    e[2 * i] = a;
    e[2 * i + 1] = b;
    sum += a * a + b * b;
  }
  return sum;
}

double* doubles(Complex* x) {
  return reinterpret_cast<double*>(x);
}
const double* doubles(const Complex* x) {
  return reinterpret_cast<const double*>(x);
}

std::size_t largest_entry(std::span<const Complex> x) {
  return static_cast<std::size_t>(
      std::ranges::max_element(x, {},
                               [](const Complex& entry) { return std::norm(entry); }) -
      x.begin());
}

/// Y -= A X or Y = A X, column-major. a: [inner][rows], x: [count][inner].
void multiply(bool subtracts, std::size_t rows, std::span<const Complex> a,
              std::span<const Complex> x, std::size_t count, std::span<Complex> y) {
  const std::size_t inner = a.size() / rows;
  if (inner == 0 || count == 0) return;
  const Complex factor = subtracts ? -1 : 1, kept = subtracts ? 1 : 0;
  cblas_zgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, static_cast<int>(rows),
              static_cast<int>(count), static_cast<int>(inner), &factor, a.data(),
              static_cast<int>(rows), x.data(), static_cast<int>(inner), &kept, y.data(),
              static_cast<int>(rows));
}

}  // namespace

RhsSpan::RhsSpan(std::size_t unknowns) : n_(unknowns) {
  std::mt19937_64 generator(1);
  std::normal_distribution<double> normal(0, std::sqrt(0.5));
  for (std::size_t i = 0; i < probes * n_; ++i) {
    const double re = normal(generator);
    probes_.emplace_back(re, normal(generator));
  }
}

/// Computes C, [count][rank]. For one thread.
void RhsSpan::coefficients(std::span<const Complex> v, std::span<Complex> c) const {
  if (rank() == 0) return;
  const std::size_t count = v.size() / n_;
  for (std::size_t j = 0; j < count; ++j)
    for (std::size_t i = 0; i < rank(); ++i)
      c[j * rank() + i] = v[j * n_ + pivot_rows_[i]];
  const auto order = static_cast<int>(rank());
  const Complex one = 1;
  cblas_ztrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, order,
              static_cast<int>(count), &one, in_pivots_.data(), order, c.data(), order);
}

void RhsSpan::expand(std::span<const Complex> v, RhsSums& sums) const {
  const std::size_t count = v.size() / n_;
  sums.coefficients.resize(count * rank());
  sums.norm.resize(count);
  sums.missed.assign(count, 0);
  for_chunks_of_rhs(
      count,
      [&](std::size_t first, std::size_t some) {
        const auto from = v.subspan(first * n_, some * n_);
        const auto c =
            std::span(sums.coefficients).subspan(first * rank(), some * rank());
        coefficients(from, c);
        std::vector<Complex> seen(some * probes);
        multiply(false, probes, probes_, from, some, seen);
        multiply(true, probes, probed_, c, some, seen);
        for (std::size_t j = 0; j < some; ++j) {
          const double size = std::sqrt(norm_squared(n_, doubles(from.data() + j * n_)));
          sums.norm[first + j] = size;
          if (size != 0)
            sums.missed[first + j] =
                safety *
                std::sqrt(norm_squared(probes, doubles(seen.data() + j * probes)) /
                          probes) /
                size;
        }
      },
      sums_at_once);
}

RhsSpanGrowth RhsSpan::growth(std::span<const Complex> v, const RhsSums& sums,
                              double tolerance) const {
  std::vector<Complex> missed;  // E, [count][n]
  std::vector<double> norm, left;
  for (std::size_t j = 0; j < sums.missed.size(); ++j) {
    if (!(sums.missed[j] > tolerance)) continue;
    const auto from = v.subspan(j * n_, n_);
    missed.insert(missed.end(), from.begin(), from.end());
    norm.push_back(sums.norm[j]);
  }
  const std::size_t count = norm.size();
  left.resize(count);
  for_chunks_of_rhs(count, [&](std::size_t first, std::size_t some) {
    const auto e = std::span(missed).subspan(first * n_, some * n_);
    std::vector<Complex> c(some * rank());
    coefficients(e, c);
    multiply(true, n_, vectors_, c, some, e);
    for (std::size_t j = 0; j < some; ++j) {
      for (const std::size_t row : pivot_rows_) e[j * n_ + row] = 0;
      left[first + j] = std::sqrt(norm_squared(n_, doubles(e.data() + j * n_)));
    }
  });

  // The bound, with what rounding adds to e, is to pass the tolerance for no v like
  // these.
  const double goal = tolerance / (3 * safety);
  RhsSpanGrowth growth;
  while (count > 0 && rank() + growth.rows.size() < n_) {
    std::size_t worst = 0;
    for (std::size_t j = 1; j < count; ++j)
      if (left[j] * norm[worst] > left[worst] * norm[j]) worst = j;
    if (!(left[worst] > goal * norm[worst])) break;
    const auto column = missed.begin() + static_cast<std::ptrdiff_t>(worst * n_);
    std::vector<Complex> l(column, column + static_cast<std::ptrdiff_t>(n_));
    for (Complex& entry : l) entry /= left[worst];
    const std::size_t pivot = largest_entry(l);
#pragma omp parallel for schedule(static)
    for (std::size_t j = 0; j < count; ++j) {
      Complex* const e = missed.data() + j * n_;
      const Complex factor = e[pivot] / l[pivot];
      left[j] = std::sqrt(
          subtract(n_, factor.real(), factor.imag(), doubles(l.data()), doubles(e)));
      e[pivot] = 0;
    }
    growth.rows.push_back(pivot);
    growth.vectors.insert(growth.vectors.end(), l.begin(), l.end());
  }
  return growth;
}

void RhsSpan::add(const RhsSpanGrowth& growth, std::span<const Complex> solutions,
                  std::span<const double> residuals) {
  pivot_rows_.insert(pivot_rows_.end(), growth.rows.begin(), growth.rows.end());
  vectors_.insert(vectors_.end(), growth.vectors.begin(), growth.vectors.end());
  solutions_.insert(solutions_.end(), solutions.begin(), solutions.end());
  residuals_.insert(residuals_.end(), residuals.begin(), residuals.end());
  in_pivots_.clear();
  for (std::size_t i = 0; i < rank(); ++i)
    for (const std::size_t row : pivot_rows_)
      in_pivots_.push_back(vectors_[i * n_ + row]);
  probed_.resize(rank() * probes);
  multiply(false, probes, probes_, vectors_, rank(), probed_);
}

void RhsSpan::clear() {
  const int restarts = restarts_ + 1;
  *this = RhsSpan(n_);
  restarts_ = restarts;
}

std::vector<double> RhsSpan::residual_bounds(const RhsSums& sums) const {
  std::vector<double> bounds = sums.missed;
  for (std::size_t j = 0; j < bounds.size(); ++j) {
    if (sums.norm[j] == 0) continue;
    double of_solutions = 0;
    for (std::size_t i = 0; i < rank(); ++i)
      of_solutions +=
          std::sqrt(std::norm(sums.coefficients[j * rank() + i])) * residuals_[i];
    bounds[j] += of_solutions / sums.norm[j];
  }
  return bounds;
}

}  // namespace thinwire
