#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "kernels/base/host_device.h"

namespace thinwire {

/// Wave numbers that will be asked for: from first to last, rad/m, `count` of them.
struct WavenumberRange {
  double first = 0, last = 0;
  std::size_t count = 1;

  bool operator==(const WavenumberRange&) const = default;
};

/// The wave numbers at which the element matrices of near pairs are integrated, so that
/// those between are interpolated: Chebyshev nodes for z(k) times near_pair_smoothing, to
/// 1e-9 of the largest entry or, over a wide range, better. None where they would not be
/// fewer than what is asked for, or would not leave enough digits (over more than 1:100).
///
/// On a CPU and a GPU alike a table costs one integration for each node and next to
/// nothing for a frequency, so it pays where frequencies outnumber nodes. H200,
/// 2026-11-21, `gpu_solve sweep 2 2 10 10 30 30`, an octave, 8 nodes: 12,200 near pairs
/// take 1.9 ms a frequency against 14.9 ms for the table and 0.02 ms a frequency.
class WavenumberNodes {
 public:
  WavenumberNodes() = default;
  /// reach_m: longest distance between points of a near pair, and 1.5 times the sum of
  /// both lengths, as near_pair_reach has it.
  WavenumberNodes(WavenumberRange range, double reach_m);

  bool empty() const { return k_.empty(); }
  std::size_t size() const { return k_.size(); }
  std::span<const double> k_rad_per_m() const { return k_; }

  /// Returns the weights of the values at the nodes for interpolation at k: [size()].
  std::vector<double> weights(double k_rad_per_m) const;

 private:
  std::vector<double> k_;
};

/// Returns the distance that governs the oscillation of a pair's entries with k: the
/// distance of the elements and their lengths, as the phases of both shape functions add
/// to that of the Green's function.
THINWIRE_HD inline double near_pair_reach(double centre_distance, double length_p,
                                          double length_q) {
  return centre_distance + 1.5 * (length_p + length_q);
}

/// Factor that makes k -> z(k) an entire function: it cancels the shape functions'
/// denominators.
THINWIRE_HD inline double near_pair_smoothing(double length_p, double length_q,
                                              double k) {
  return std::sin(k * length_p) * std::sin(k * length_q) / k;
}

}  // namespace thinwire
