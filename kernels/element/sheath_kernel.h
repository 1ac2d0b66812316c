#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "kernels/base/quadrature.h"
#include "kernels/element/coaxial_kernel.h"
#include "kernels/element/pair_kernel.h"

namespace thinwire {

/// Potential of the polarisation charges of a sheath, in statics: that of a ring of the
/// wire's radius less that of a ring of the sheath's, at the surface of a wire on the
/// same axis. Its integral over the axis is 2 ln(b / a), outside of neither ring.
struct SheathKernel {
  double wire_radius_m, sheath_radius_m, other_radius_m;

  /// At an axial distance t, in 1/m.
  double operator()(double t_m) const {
    return ring(wire_radius_m, t_m) - ring(sheath_radius_m, t_m);
  }

  /// Integrals of x^i y^j over two elements of lengths p and q along one line, [i][j], in
  /// m. x and y run from -1 to 1; the second starts `offset_m` behind the start of the
  /// first.
  std::array<double, 9> form(double p_m, double q_m, double offset_m) const {
    std::array<double, 9> sum{};
    std::array<double, 5> cuts = {offset_m - p_m, offset_m, offset_m + q_m - p_m,
                                  offset_m + q_m, 0};
    std::sort(cuts.begin(), cuts.end());
    const double gaps[] = {std::fabs(wire_radius_m - other_radius_m),
                           std::fabs(sheath_radius_m - other_radius_m)},
                 min_gap = std::min(gaps[0], gaps[1]),
                 scale = min_gap > 1e-9 * sheath_radius_m ? min_gap : 0,
                 width = std::min(other_radius_m,
                                  scale > 0 ? scale : std::max(gaps[0], gaps[1])),
                 first = offset_m - p_m, last = offset_m + q_m;
    for (std::size_t c = 0; c + 1 < cuts.size(); ++c) {
      const double t0 = std::max(cuts[c], first), t1 = std::min(cuts[c + 1], last);
      if (t1 - t0 <= 1e-13 * (p_m + q_m)) continue;
      const double sign = t0 + t1 < 0 ? -1 : 1, y0 = sign < 0 ? -t1 : t0,
                   y1 = sign < 0 ? -t0 : t1;
      constexpr Accuracy accuracy{8, 10};  // 1e-7
      graded_integral(std::max(0.0, y0), y1, scale, width, 0.0, accuracy,
                      [&](double y, double weight) {
                        add(sign * y, weight * (*this)(y), p_m, q_m, offset_m, sum);
                      });
    }
    return sum;
  }

 private:
  double ring(double radius_m, double t_m) const {
    const double gap = radius_m - other_radius_m, t2 = t_m * t_m;
    return ring_statics(t2 + radius_m * radius_m + other_radius_m * other_radius_m,
                        2 * radius_m * other_radius_m, t2 + gap * gap)
        .inverse;
  }
  /// Adds the integrals over pairs of points at an axial distance t.
  static void add(double t_m, double factor, double p_m, double q_m, double offset_m,
                  std::array<double, 9>& sum) {
    const double s0 = std::max(0.0, offset_m - t_m),
                 s1 = std::min(p_m, offset_m + q_m - t_m), half = 0.5 * (s1 - s0);
    const GaussRule rule = gauss_rule(3);  // exact for the powers
    for (int g = 0; g < rule.points; ++g) {
      const double s = s0 + half * (1 + rule.node[g]), x = 2 * s / p_m - 1,
                   y = 2 * (s + t_m - offset_m) / q_m - 1;
      double of_x = factor * half * rule.weight[g];
      for (std::size_t i = 0; i < 3; ++i, of_x *= x) {
        sum[3 * i] += of_x;
        sum[3 * i + 1] += of_x * y;
        sum[3 * i + 2] += of_x * y * y;
      }
    }
  }
};

}  // namespace thinwire
