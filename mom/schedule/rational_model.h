#pragma once

#include <complex>
#include <cstddef>
#include <span>
#include <vector>

namespace thinwire {

/// Rational interpolation of a vector-valued function F of one real variable, all of
/// whose components share their poles, in barycentric form over some of its samples:
///
///     F(x) = sum_j b_j(x) F(x_j),   b_j(x) = w_j / (x - x_j) / sum_i w_i / (x - x_i)
///
/// It meets F exactly at these support points; the weights w make it fit best at the
/// other samples (set-valued AAA: Nakatsukasa, Sete, Trefethen 2018, SIAM J. Sci. Comput.
/// 40; Lietaert, Meerbergen, Perez, Vandereycken 2022, IMA J. Numer. Anal. 42). Samples
/// become support points, the worst fitted first, until the others fit.
class RationalModel {
 public:
  using Complex = std::complex<double>;

  /// fit: largest relative misfit that asks for no further support point, above what
  /// errors the samples have.
  explicit RationalModel(double fit) : fit_(fit) {}

  /// F(x), and [components] beside what errors of each component are small, above zero.
  /// No x may come twice.
  void add(double x, std::vector<Complex> values, std::vector<double> scale);

  /// Finds support points and weights for the samples so far, at least two.
  void fit();

  /// The samples that are support points, by the order in which they were added.
  std::span<const std::size_t> support() const { return support_; }
  /// b_j(x) for each of these.
  std::vector<Complex> coefficients(double x) const;
  /// F(x).
  std::vector<Complex> values(double x) const;

 private:
  struct Sample {
    double x;
    std::vector<Complex> values;
    std::vector<double> scale;
  };

  bool is_support(std::size_t sample) const;
  bool may_grow() const;
  void find_weights();
  /// The sample that is fitted worst, and by how much.
  std::pair<std::size_t, double> worst() const;

  double fit_;
  std::vector<Sample> samples_;
  std::vector<std::size_t> support_;
  std::vector<Complex> weights_;
};

/// Largest difference of any component beside its scale.
double relative_difference(std::span<const std::complex<double>> a,
                           std::span<const std::complex<double>> b,
                           std::span<const double> scale);

}  // namespace thinwire
