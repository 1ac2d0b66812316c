#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
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

  /// Wave number where the currents are.
  Complex wave_rad_per_m() const {
    return depth_rad_per_m > 0 ? ground_rad_per_m : k_rad_per_m;
  }
};

/// A Gauss point of an element as it acts on one observer: I and I'/k times the weight.
struct SourcePoint {
  /// Moment and derivative for 1 A at one end of the element and 0 A at the other.
  struct Shape {
    Complex moment, derivative;
  };

  Vec3 at_m;
  Vec3 tangent;
  Complex moment, derivative;
  double radius_m = 0;      ///< of the wire; 0: the point stands for the circumference
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

/// Returns the second derivatives at the points of a Gauss rule of the polynomials that
/// are 1 at one of them and 0 at the others: [point][polynomial].
const std::vector<double>& second_derivatives(int points);

/// From this many radii on a piece's points stand for its wire's circumference: the
/// series leaves (a/R)^6 and (|k| a)^6 / 2304. From axis_radii on the axis does: (a/2R)^2
/// is 1e-8.
inline constexpr double tube_series_radii = 100, axis_radii = 5000;
/// On pieces of fewer radii derivatives would multiply errors of what is derived.
inline constexpr double tube_series_piece = 4;

/// Points beside those of the axis for second derivatives, which lose half the digits.
/// across: the radius over the length that the field varies by.
inline int more_points_for(double across) {
  return across > 1e-2 ? 2 : across > 2e-3 ? 1 : 0;
}

/// Weights of a piece's points in the integral of a current's moment and derivative for
/// 1 A at the start of its element, then at the end.
using PieceWeights = std::array<std::array<double, max_gauss_points>, 4>;

/// Returns the weights for the mean over the circumference of a wire instead of its axis.
/// Whatever the ground makes of a current obeys the Helmholtz equation at the current's
/// place, so that the mean is J0(a q) of that on the axis, q^2 = k^2 + d^2/ds^2, k being
/// the wave number there: 1 - A + A^2/4, A = (a q)^2/4, with the derivatives of the
/// polynomial through the piece's points.
inline std::array<std::array<Complex, max_gauss_points>, 4> mean_over_tube(
    const PieceWeights& weights, int points, double piece_m, double radius_m, Complex k) {
  const double* d = second_derivatives(points).data();
  const double across = 0.25 * radius_m * radius_m,
               curved = across * 4 / (piece_m * piece_m);
  const Complex wave = across * k * k;
  const auto derived = [&](const auto& of) {
    std::array<double, max_gauss_points> sums{};
    for (int a = 0; a < points; ++a)
      for (int b = 0; b < points; ++b) sums[b] += curved * d[a * points + b] * of[a];
    return sums;
  };
  std::array<std::array<Complex, max_gauss_points>, 4> mean;
  for (std::size_t row = 0; row < weights.size(); ++row) {
    const auto once = derived(weights[row]), twice = derived(once);
    for (int b = 0; b < points; ++b)
      mean[row][b] = (1.0 - wave + 0.25 * wave * wave) * weights[row][b] -
                     (1.0 - 0.5 * wave) * once[b] + 0.25 * twice[b];
  }
  return mean;
}

/// Calls visit(SourcePoint) with Gauss points of all elements, in pieces that are halved
/// until they are short against their distance from the observer's mirror image, and
/// against the wave in the ground where that has not died out. tubes: points stand for
/// the circumference of their wire where that is far from the image.
template <class Visit>
void visit_source_points(const CurrentSources& sources, Vec3 at_m, const Visit& visit,
                         bool tubes = false) {
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
    const double length = element.length_m, sine_of_length = std::sin(k * length),
                 cosine_of_length = std::cos(k * length), over = 1 / sine_of_length;
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
      // The radius over the length that the field varies by.
      const double across = element.radius_m * std::max(1 / distance, fastest);
      const bool series = tubes && distance > tube_series_radii * element.radius_m &&
                          piece > tube_series_piece * element.radius_m &&
                          distance < axis_radii * element.radius_m;
      const int points = piece_points(piece, std::max(distance, 0.5 * piece), fastest);
      const GaussRule rule =
          gauss_rule(series ? std::max(points, 3) + more_points_for(across) : points);
      const auto place = [&, from = from](int b) {
        return from + 0.5 * piece * (1 + rule.node[b]);
      };
      PieceWeights weights;
      for (int b = 0; b < rule.points; ++b) {
        const double weight = 0.5 * piece * rule.weight[b] * over,
                     sine = weight * std::sin(k * place(b)),
                     cosine = weight * std::cos(k * place(b));
        weights[0][b] = sine_of_length * cosine - cosine_of_length * sine;
        weights[1][b] = -(cosine_of_length * cosine + sine_of_length * sine);
        weights[2][b] = sine;
        weights[3][b] = cosine;
      }
      const auto send = [&](const auto& by) {
        for (int b = 0; b < rule.points; ++b)
          visit(SourcePoint{element.start_m + place(b) * element.tangent,
                            element.tangent,
                            by[0][b] * start + by[2][b] * end,
                            by[1][b] * start + by[3][b] * end,
                            series ? 0 : element.radius_m,
                            e,
                            {{by[0][b], by[1][b]}, {by[2][b], by[3][b]}}});
      };
      if (series)
        send(mean_over_tube(weights, rule.points, piece, element.radius_m,
                            sources.wave_rad_per_m()));
      else
        send(weights);
    }
  }
}

}  // namespace thinwire
