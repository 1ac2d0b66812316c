#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

namespace thinwire {

/// The evolution strategy with covariance matrix adaptation in the unit cube, with an
/// ask-and-tell interface for generations of points (N. Hansen, The CMA Evolution
/// Strategy: A Tutorial, arXiv:1604.00772, 2016, figure 6, with positive weights only). A
/// Cholesky factor stands for the root of the covariance (O. Krause, D. Arbones, C. Igel,
/// NIPS 2016). Only the order of the merits counts.
///
/// A point outside the cube is reflected at its faces, so that a minimum at a face is one
/// inside to the strategy.
class CmaEs {
 public:
  using Point = std::vector<double>;

  /// start: the first mean. population: points of a generation, 4 or more. seed: of the
  /// random numbers, which are the same on every machine.
  CmaEs(Point start, std::size_t population, std::uint64_t seed);

  /// The next generation, in the unit cube.
  std::vector<Point> ask();
  /// The merits of what ask() gave, in its order: the smaller the better.
  void tell(std::span<const double> merits);

  /// The largest standard deviation of a coordinate.
  double spread() const;

 private:
  using Matrix = std::vector<double>;  ///< [n][n], row after row

  double normal();
  /// The lower triangle A of C = A A'.
  void factor();

  std::size_t n_;
  std::vector<double> weights_;  ///< of the better half
  double mu_eff_, c_sigma_, d_sigma_, c_c_, c_1_, c_mu_, chi_n_;
  std::mt19937_64 random_;

  Point mean_;
  double sigma_;
  Matrix covariance_, factor_;
  std::vector<double> path_sigma_, path_c_;
  std::vector<std::vector<double>> z_, y_;  ///< [population][n]: N(0, 1), and N(0, C)
  std::size_t generation_ = 0;
};

/// Evenly distributed in the unit cube; the same for a seed on every machine.
CmaEs::Point random_point(std::size_t variables, std::uint64_t seed);

/// Points of a generation for so many variables (tutorial, equation 48).
std::size_t default_population(std::size_t variables);

}  // namespace thinwire
