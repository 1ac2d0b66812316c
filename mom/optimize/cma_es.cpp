#include "mom/optimize/cma_es.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

namespace thinwire {
namespace {

/// Initial step as a fraction of the cube's edge: the minimum is expected within a few
/// steps.
constexpr double first_sigma = 0.3;
/// Beyond, reflected points are spread evenly over the cube whatever the step.
constexpr double largest_sigma = 1;
/// Smallest pivot as a fraction of the largest variance; below it rounding makes another
/// one negative.
constexpr double min_pivot = 1e-14;

/// Into 0..1, as between two mirrors.
double reflected(double u) {
  const double folded = std::fmod(std::abs(u), 2.0);
  return folded > 1 ? 2 - folded : folded;
}

/// Between 0 and 1, neither included.
double uniform(std::mt19937_64& random) {
  return (static_cast<double>(random() >> 11) + 0.5) * 0x1p-53;
}

double norm_of(std::span<const double> v) {
  return std::sqrt(std::inner_product(v.begin(), v.end(), v.begin(), 0.0));
}

}  // namespace

CmaEs::Point random_point(std::size_t variables, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  CmaEs::Point point(variables);
  for (double& u : point) u = uniform(random);
  return point;
}

std::size_t default_population(std::size_t variables) {
  return 4 + static_cast<std::size_t>(3 * std::log(static_cast<double>(variables)));
}

CmaEs::CmaEs(Point start, std::size_t population, std::uint64_t seed)
    : n_(start.size()),
      random_(seed),
      mean_(std::move(start)),
      sigma_(first_sigma),
      covariance_(n_ * n_, 0.0),
      factor_(n_ * n_, 0.0),
      path_sigma_(n_, 0.0),
      path_c_(n_, 0.0),
      z_(population, std::vector<double>(n_)),
      y_(z_) {
  for (std::size_t i = 0; i < n_; ++i) covariance_[i * n_ + i] = 1;
  // Table 1 of the tutorial.
  const auto n = static_cast<double>(n_), lambda = static_cast<double>(population);
  double sum = 0, squares = 0;
  for (std::size_t i = 0; i < population / 2; ++i) {
    weights_.push_back(std::log((lambda + 1) / 2) - std::log(static_cast<double>(i) + 1));
    sum += weights_.back();
  }
  for (double& w : weights_) {
    w /= sum;
    squares += w * w;
  }
  mu_eff_ = 1 / squares;
  c_sigma_ = (mu_eff_ + 2) / (n + mu_eff_ + 5);
  d_sigma_ = 1 + 2 * std::max(0.0, std::sqrt((mu_eff_ - 1) / (n + 1)) - 1) + c_sigma_;
  c_c_ = (4 + mu_eff_ / n) / (n + 4 + 2 * mu_eff_ / n);
  c_1_ = 2 / ((n + 1.3) * (n + 1.3) + mu_eff_);
  c_mu_ = std::min(
      1 - c_1_, 2 * (0.25 + mu_eff_ + 1 / mu_eff_ - 2) / ((n + 2) * (n + 2) + mu_eff_));
  chi_n_ = std::sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n * n));
}

/// By Box and Muller: what std::normal_distribution gives differs between libraries.
double CmaEs::normal() {
  const double radius = std::sqrt(-2 * std::log(uniform(random_)));
  return radius * std::cos(2 * std::numbers::pi * uniform(random_));
}

void CmaEs::factor() {
  double largest = 0;
  for (std::size_t i = 0; i < n_; ++i)
    largest = std::max(largest, covariance_[i * n_ + i]);
  for (std::size_t i = 0; i < n_; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = covariance_[i * n_ + j];
      for (std::size_t k = 0; k < j; ++k)
        sum -= factor_[i * n_ + k] * factor_[j * n_ + k];
      factor_[i * n_ + j] = i == j ? std::sqrt(std::max(sum, min_pivot * largest))
                                   : sum / factor_[j * n_ + j];
    }
}

std::vector<CmaEs::Point> CmaEs::ask() {
  factor();
  std::vector<Point> points(z_.size(), Point(n_));
  for (std::size_t k = 0; k < z_.size(); ++k) {
    for (double& z : z_[k]) z = normal();
    for (std::size_t i = 0; i < n_; ++i) {
      y_[k][i] = 0;
      for (std::size_t j = 0; j <= i; ++j) y_[k][i] += factor_[i * n_ + j] * z_[k][j];
      points[k][i] = reflected(mean_[i] + sigma_ * y_[k][i]);
    }
  }
  return points;
}

void CmaEs::tell(std::span<const double> merits) {
  std::vector<std::size_t> order(merits.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](auto a, auto b) { return merits[a] < merits[b]; });
  std::vector<double> z(n_, 0.0), y(n_, 0.0);  // weighted means of the better half
  for (std::size_t k = 0; k < weights_.size(); ++k)
    for (std::size_t i = 0; i < n_; ++i) {
      z[i] += weights_[k] * z_[order[k]][i];
      y[i] += weights_[k] * y_[order[k]][i];
    }
  ++generation_;
  const double step_sigma = std::sqrt(c_sigma_ * (2 - c_sigma_) * mu_eff_);
  for (std::size_t i = 0; i < n_; ++i) {
    mean_[i] += sigma_ * y[i];
    path_sigma_[i] = (1 - c_sigma_) * path_sigma_[i] + step_sigma * z[i];
  }
  const double length = norm_of(path_sigma_),
               grown = std::sqrt(
                   1 - std::pow(1 - c_sigma_, 2.0 * static_cast<double>(generation_)));
  // Where sigma is still growing fast the path of C waits.
  const bool waits = length / grown >= (1.4 + 2 / (static_cast<double>(n_) + 1)) * chi_n_;
  const double step_c = waits ? 0 : std::sqrt(c_c_ * (2 - c_c_) * mu_eff_);
  for (std::size_t i = 0; i < n_; ++i)
    path_c_[i] = (1 - c_c_) * path_c_[i] + step_c * y[i];
  const double kept = 1 - c_1_ - c_mu_ + (waits ? c_1_ * c_c_ * (2 - c_c_) : 0);
  for (std::size_t i = 0; i < n_; ++i)
    for (std::size_t j = 0; j < n_; ++j) {
      double rank_mu = 0;
      for (std::size_t k = 0; k < weights_.size(); ++k)
        rank_mu += weights_[k] * y_[order[k]][i] * y_[order[k]][j];
      double& c = covariance_[i * n_ + j];
      c = kept * c + c_1_ * path_c_[i] * path_c_[j] + c_mu_ * rank_mu;
    }
  sigma_ *= std::exp(c_sigma_ / d_sigma_ * (length / chi_n_ - 1));
  sigma_ = std::min(sigma_, largest_sigma);
}

double CmaEs::spread() const {
  double largest = 0;
  for (std::size_t i = 0; i < n_; ++i)
    largest = std::max(largest, covariance_[i * n_ + i]);
  return sigma_ * std::sqrt(largest);
}

}  // namespace thinwire
