#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/base/quadrature.h"
#include "kernels/element/element.h"
#include "kernels/element/near_bent.h"
#include "kernels/ground/ground_order.h"

namespace thinwire {

/// Elements with their piecewise-sinusoidal currents, over a ground.
struct CurrentSources {
  std::vector<Element> elements;
  std::vector<Complex> end_current_a;  ///< [2 elements], at the start and the end
  double k_rad_per_m = 0;
  /// Wave number in the ground; what it reflects varies by that where its wave lives.
  Complex ground_rad_per_m;
  /// Wave number by which it varies with the depth of currents at any distance; 0 above.
  double depth_rad_per_m = 0;
};

/// A Gauss point of an element as it acts on one observer: I and I'/k times the weight.
struct SourcePoint {
  /// Moment and derivative for 1 A at one end of the element and 0 A at the other.
  struct Shape {
    double moment, derivative;
  };

  Vec3 at_m;
  Vec3 tangent;
  Complex moment, derivative;
  double radius_m = 0;      ///< of the wire
  std::size_t element = 0;  ///< of CurrentSources
  Shape shape[2] = {};      ///< for its start and its end

  SourcePoint for_one_ampere(int end) const {
    SourcePoint point = *this;
    point.moment = shape[end].moment;
    point.derivative = shape[end].derivative;
    return point;
  }
};

/// Distance of a point from a stretch of an element's axis.
inline double distance_from(const Element& e, double from_m, double to_m, Vec3 at) {
  const Vec3 d = at - e.start_m;
  return norm(d - std::clamp(dot(d, e.tangent), from_m, to_m) * e.tangent);
}

/// Calls visit(SourcePoint) with Gauss points of all elements, in pieces that are halved
/// until they are short against their distance from the observer's mirror image, and
/// against the wave in the ground where that has not died out.
template <class Visit>
void visit_source_points(const CurrentSources& sources, Vec3 at_m, const Visit& visit) {
  constexpr double longest_phase = 5;
  /// A piece next to the mirror image, over its element's length.
  constexpr double smallest_piece = 1e-7;
  struct Stretch {
    double from_m, to_m;
  };
  const Vec3 mirrored{at_m.x, at_m.y, -at_m.z};
  const double k = sources.k_rad_per_m;
  const GroundWaves waves = {k, std::abs(sources.ground_rad_per_m),
                             -sources.ground_rad_per_m.imag()};
  std::vector<Stretch> stack;
  for (std::size_t e = 0; e < sources.elements.size(); ++e) {
    const Element& element = sources.elements[e];
    const double length = element.length_m, over = 1 / std::sin(k * length);
    const Complex start = sources.end_current_a[2 * e],
                  end = sources.end_current_a[2 * e + 1];
    stack.assign(1, {0, length});
    while (!stack.empty()) {
      const auto [from, to] = stack.back();
      stack.pop_back();
      const double piece = to - from;
      const double distance = distance_from(element, from, to, mirrored);
      const double fastest =
          std::max(waves.fastest(distance),
                   sources.depth_rad_per_m * std::fabs(element.tangent.z));
      if ((piece > 2 * distance && piece > smallest_piece * length) ||
          fastest * piece > longest_phase) {
        const double middle = 0.5 * (from + to);
        stack.push_back({middle, to});
        stack.push_back({from, middle});
        continue;
      }
      const GaussRule rule =
          gauss_rule(piece_points(piece, std::max(distance, 0.5 * piece), fastest));
      for (int b = 0; b < rule.points; ++b) {
        const double s = from + 0.5 * piece * (1 + rule.node[b]);
        const double weight = 0.5 * piece * rule.weight[b] * over;
        const SourcePoint::Shape of_start = {weight * std::sin(k * (length - s)),
                                             -weight * std::cos(k * (length - s))},
                                 of_end = {weight * std::sin(k * s),
                                           weight * std::cos(k * s)};
        visit(SourcePoint{element.start_m + s * element.tangent,
                          element.tangent,
                          of_start.moment * start + of_end.moment * end,
                          of_start.derivative * start + of_end.derivative * end,
                          element.radius_m,
                          e,
                          {of_start, of_end}});
      }
    }
  }
}

}  // namespace thinwire
