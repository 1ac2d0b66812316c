#include "kernels/fill/wavenumber_nodes.h"

#include <algorithm>

#include "kernels/base/constants.h"

namespace thinwire {
namespace {

/// Widest range of wave numbers, last to first, that is interpolated. Around a loop the
/// static part of the matrices cancels; what is left for its reactance is of order k^2
/// and for its radiation k^4, and rounding in the interpolation would drown it.
constexpr double widest_range = 100;

/// Interpolation error aimed at, relative to the static part, for the same reason.
double interpolation_error(WavenumberRange range) {
  return std::max(1e-9 * std::pow(range.first / range.last, 4), 1e-15);
}

/// Chebyshev nodes for functions like e^{-jkr}, r <= reach, on first .. last: n nodes
/// leave 2 (x/2)^n / n!, x being half of the range of the phase. One for one frequency;
/// range.count or more where as many would not do.
std::size_t node_count(WavenumberRange range, double reach_m) {
  const double x = 0.5 * (range.last - range.first) * reach_m;
  if (x == 0) return 1;
  const double allowed = interpolation_error(range);
  std::size_t n = 1;
  for (double error = x; error > allowed && n < range.count; ++n)
    error *= 0.5 * x / static_cast<double>(n + 1);
  return n + 1;
}

/// Node i of n, as an angle.
double angle(std::size_t i, std::size_t n) {
  return pi * (static_cast<double>(i) + 0.5) / static_cast<double>(n);
}

}  // namespace

WavenumberNodes::WavenumberNodes(WavenumberRange range, double reach_m) {
  const std::size_t nodes = node_count(range, reach_m);
  if (nodes >= range.count || range.last > widest_range * range.first) return;
  for (std::size_t i = 0; i < nodes; ++i)
    k_.push_back(0.5 * (range.first + range.last) +
                 0.5 * (range.first - range.last) * std::cos(angle(i, nodes)));
}

/// Lagrange's polynomials at k by the barycentric formula for Chebyshev nodes (Berrut and
/// Trefethen 2004).
std::vector<double> WavenumberNodes::weights(double k) const {
  const std::size_t nodes = k_.size();
  std::vector<double> weight(nodes, 0.0);
  double sum = 0;
  for (std::size_t n = 0; n < nodes; ++n) {
    const double distance = k - k_[n];
    if (std::abs(distance) < 1e-14 * k) {
      std::fill(weight.begin(), weight.end(), 0.0);
      weight[n] = 1;
      return weight;
    }
    weight[n] = (n % 2 == 0 ? 1 : -1) * std::sin(angle(n, nodes)) / distance;
    sum += weight[n];
  }
  for (double& w : weight) w /= sum;
  return weight;
}

}  // namespace thinwire
