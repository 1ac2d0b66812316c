#include "kernels/element/medium_pair.h"

#include <algorithm>
#include <cmath>

#include "kernels/element/close_pairs.h"
#include "kernels/element/complex_wave.h"
#include "kernels/element/near_bent.h"
#include "kernels/element/near_parallel.h"
#include "kernels/element/pair_shape.h"

namespace thinwire {
namespace {

/// Sixteen Gauss points serve pieces this long, in radians of the mean of both waves.
constexpr double longest_phase = 3.5;

/// tube_series leaves 0.01 (k a)^6: 6e-7 here.
constexpr double series_ka = 0.2;

/// Ends that are this close, over both lengths, meet.
constexpr double corner_gap = 1e-9;

/// Integrals of u_i u_j G and of u_i' u_j' G / k^2.
struct PairParts {
  HdComplex value[2][2], derivative[2][2];

  ElementMatrix impedance(double cosine, double k, const PairWave& wave) const {
    const double scale = k * eta0_ohm / (4 * pi);
    ElementMatrix m;
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j) {
        const HdComplex w =
            cosine * (wave.vector * value[i][j]) - wave.scalar * derivative[i][j];
        m.z[i][j] = {-scale * w.im, scale * w.re};
      }
    return m;
  }
};

/// The two wave numbers of a pair, rad/m.
struct PairPace {
  double shape, larger, mean;

  PairPace(double k, HdComplex wave)
      : shape(k), larger(std::max(k, abs(wave))), mean(0.5 * (k + abs(wave))) {}
};

// ---- Parallel elements that are near: one integral over the offset, as near_parallel.h,
// ---- but with the correlations of values and of derivatives apart.

/// Adds for the offset t, which q starts `offset` of further along than p.
void add_offset(double lp, double lq, double offset, double t, HdComplex g, double k,
                PairParts& sums) {
  const double low = std::max(0.0, offset - t), high = std::min(lp, lq + offset - t);
  // u_0 = -sin k(s - L) / sin kL, u_1 = sin ks / sin kL: the integral of a product over
  // the common stretch has half the cosine of the difference times its length, and half
  // that of the sum of the arguments at its middle, times sin(k length) / k.
  const double over = 0.5 / (std::sin(k * lp) * std::sin(k * lq));
  const double length = over * (high - low);
  const double beat = over * std::sin(k * (high - low)) / k;
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) {
      const double a = i == 0 ? lp : 0, b = j == 0 ? lq : 0, sign = i == j ? 1 : -1;
      const double difference = sign * length * std::cos(k * (t - offset - b + a));
      const double sum = sign * beat * std::cos(k * (low + high + t - offset - a - b));
      sums.value[i][j] += (difference - sum) * g;
      sums.derivative[i][j] += (difference + sum) * g;
    }
}

template <class Green>
PairParts parallel_parts(const Green& green, double lp, double lq, double offset,
                         const PairPace& pace) {
  PairParts sums;
  const double sliver = 1e-13 * (lp + lq);
  constexpr Accuracy accuracy{11.5, 14};  // 1e-10
  const auto add = [&](double sign, double y0, double y1) {
    if (!(y1 - y0 > sliver)) return;
    const int parts = 1 + static_cast<int>(pace.mean * (y1 - y0) / longest_phase);
    const double step = (y1 - y0) / parts;
    for (int part = 0; part < parts; ++part)
      graded_integral(y0 + part * step, y0 + (part + 1) * step, green.scale_m,
                      green.width_m, pace.mean, accuracy, [&](double y, double w) {
                        add_offset(lp, lq, offset, sign * y, w * green(y * y), pace.shape,
                                   sums);
                      });
  };
  const double edge[] = {offset - lp, offset + std::min(0.0, lq - lp),
                         offset + std::max(0.0, lq - lp), offset + lq};
  for (int i = 0; i < 3; ++i) {
    add(1, std::max(edge[i], 0.0), edge[i + 1]);
    add(-1, std::max(-edge[i + 1], 0.0), -edge[i]);
  }
  return sums;
}

ElementMatrix parallel_matrix_in(const Element& p, const Element& q, const PairPace& pace,
                                 const PairWave& wave, GreensKernel kernel) {
  const bool opposed = dot(p.tangent, q.tangent) < 0;
  const Vec3 start = opposed ? q.start_m + q.length_m * q.tangent : q.start_m;
  const Vec3 step = start - p.start_m;
  const double offset = dot(step, p.tangent);
  const double distance = norm(cross(step, p.tangent));
  const double a = p.radius_m, b = q.radius_m;
  const auto parts = [&](const auto& green) {
    return parallel_parts(green, p.length_m, q.length_m, offset, pace);
  };
  const PairParts sums =
      kernel == GreensKernel::exact && !tubes_overlap(distance, a + b)
          ? parts(ParallelTubeKernel<double, HdComplex>(a, b, distance, wave.k_rad_per_m))
          : parts(off_axis_kernel(a, b, distance, wave.k_rad_per_m, kernel));
  const ElementMatrix m = sums.impedance(1, pace.shape, wave);
  return opposed ? second_reversed(m) : m;
}

// ---- All others, as near_bent.h.

/// A stretch of an element, from its start.
struct Stretch {
  double from_m, to_m;

  double length() const { return to_m - from_m; }
  double middle() const { return 0.5 * (from_m + to_m); }
};

Element part_of(const Element& e, Stretch s) {
  return {e.start_m + s.from_m * e.tangent, e.tangent, s.length(), e.radius_m};
}

/// A pair in any position: Gauss products over pieces that are short against their
/// distance and against the wavelength.
class MediumPair {
 public:
  MediumPair(const Element& p, const Element& q, const PairPace& pace, HdComplex wave,
             GreensKernel kernel)
      : p_(p),
        q_(q),
        pace_(pace),
        radii_(p.radius_m + q.radius_m),
        distance_(axis_distance(p, q)),
        blended_(kernel == GreensKernel::exact && !depend_on_offset(p, q, kernel) &&
                 BlendZone(p, q).any()),
        tubes_(kernel == GreensKernel::exact && !blended_ &&
               !tubes_overlap(distance_, radii_)),
        axis_(axis_distance_kernel(p.radius_m, q.radius_m, wave, kernel)) {
    Vec3 across = cross(p.tangent, q.tangent);
    if (elements_parallel(p, q))
      across =
          cross(std::fabs(q.tangent.x) < 0.7 ? Vec3{1, 0, 0} : Vec3{0, 1, 0}, q.tangent);
    const Vec3 n = (1 / norm(across)) * across;
    skew_ = {p.tangent, q.tangent, n, cross(q.tangent, n), p.radius_m, q.radius_m, wave};
  }

  /// Whether one product serves the whole pair.
  bool is_one_piece() const {
    return serves(std::max(p_.length_m, q_.length_m), clearance(distance_));
  }

  bool touching() const { return distance_ <= corner_gap * (p_.length_m + q_.length_m); }

  /// Adds for a stretch of each. more_points: each rule is to have beyond those that
  /// serve 1e-7.
  void add(Stretch on_p, Stretch on_q, int more_points) {
    const double longest = std::max(on_p.length(), on_q.length());
    const double distance = axis_distance(part_of(p_, on_p), part_of(q_, on_q));
    const double clear = clearance(distance);
    if (serves(longest, clear)) {
      add_product(on_p, on_q, distance, clear, more_points);
      return;
    }
    const bool cut_p = on_p.length() > 0.7 * longest;
    const bool cut_q = on_q.length() > 0.7 * longest;
    const Stretch ps[] = {{on_p.from_m, cut_p ? on_p.middle() : on_p.to_m},
                          {on_p.middle(), on_p.to_m}};
    const Stretch qs[] = {{on_q.from_m, cut_q ? on_q.middle() : on_q.to_m},
                          {on_q.middle(), on_q.to_m}};
    for (int i = 0; i <= cut_p; ++i)
      for (int j = 0; j <= cut_q; ++j) add(ps[i], qs[j], more_points);
  }

  /// For elements that leave a common point: near it in the corner's own variables.
  void add_corner() {
    const double reach = 2 / pace_.larger;
    const double lp = std::min(p_.length_m, reach), lq = std::min(q_.length_m, reach);
    const double c = dot(p_.tangent, q_.tangent), s = norm(cross(p_.tangent, q_.tangent));
    const double k = pace_.shape;
    for (const CornerTriangle<double> t :
         {CornerTriangle<double>{lp, lq, c, s, k, pace_.larger, false},
          CornerTriangle<double>{lq, lp, c, s, k, pace_.larger, true}})
      add_corner_triangle(axis_, t, Alone(), sums_);
    const Stretch p_rest{lp, p_.length_m}, q_rest{lq, q_.length_m};
    if (p_rest.length() > 0) add(p_rest, {0, lq}, 0);
    if (q_rest.length() > 0) add({0, lp}, q_rest, 0);
    if (p_rest.length() > 0 && q_rest.length() > 0) add(p_rest, q_rest, 0);
    if (blended_) blend().add_corner(Alone(), sums_);
  }

  /// Adds for the whole of both, in any position.
  void add_all(int more_points) {
    add({0, p_.length_m}, {0, q_.length_m}, more_points);
    if (blended_) blend().add(Alone(), sums_);
  }

  PairParts parts() const {
    // u_0 = cos kx - cot kL sin kx, u_1 = sin kx / sin kL and u' / k.
    struct Shape {
      double value[2][2], derivative[2][2];
      explicit Shape(double kl) {
        const double over = 1 / std::sin(kl), cot = std::cos(kl) * over;
        const double v[2][2] = {{1, -cot}, {0, over}}, d[2][2] = {{-cot, -1}, {over, 0}};
        std::copy(&v[0][0], &v[0][0] + 4, &value[0][0]);
        std::copy(&d[0][0], &d[0][0] + 4, &derivative[0][0]);
      }
    };
    const Shape p(pace_.shape * p_.length_m), q(pace_.shape * q_.length_m);
    const HdComplex moment[2][2] = {{sums_.cc, sums_.cs}, {sums_.sc, sums_.ss}};
    PairParts parts;
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j)
        for (int m = 0; m < 2; ++m)
          for (int n = 0; n < 2; ++n) {
            parts.value[i][j] += p.value[i][m] * q.value[j][n] * moment[m][n];
            parts.derivative[i][j] +=
                p.derivative[i][m] * q.derivative[j][n] * moment[m][n];
          }
    return parts;
  }

 private:
  /// Distance, in effect, from the nearest singularity; a logarithm is met at last by
  /// pieces so small that their share is below 1e-8.
  double clearance(double distance) const {
    if (tubes_) return tube_clearance(distance, radii_);
    const double smallest = 1e-3 * std::min(p_.radius_m, q_.radius_m);
    return std::max(std::hypot(distance, axis_.scale_m), smallest);
  }

  bool serves(double longest, double clear) const {
    return longest <= 2 * clear && pace_.mean * longest <= longest_phase;
  }

  TubeBlend<double, HdComplex> blend() const {
    return {p_, q_, axis_, skew_, pace_.shape, pace_.larger};
  }

  struct Points {
    int count;
    double at_m[max_gauss_points], cosine[max_gauss_points], sine[max_gauss_points];

    Points(Stretch s, int order, double k) {
      const GaussRule rule = gauss_rule(order);
      const double half = 0.5 * s.length();
      count = rule.points;
      for (int i = 0; i < count; ++i) {
        at_m[i] = s.from_m + half * (1 + rule.node[i]);
        cosine[i] = half * rule.weight[i] * std::cos(k * at_m[i]);
        sine[i] = half * rule.weight[i] * std::sin(k * at_m[i]);
      }
    }
  };

  void add_product(Stretch on_p, Stretch on_q, double distance, double clear,
                   int more_points) {
    const auto order = [&](Stretch s) {
      return more_points + piece_points(s.length(), clear, pace_.mean);
    };
    const Points p(on_p, order(on_p), pace_.shape), q(on_q, order(on_q), pace_.shape);
    const double a = p_.radius_m, b = q_.radius_m;
    const bool far = distance > series_radii * a && pace_.larger * a < series_ka;
    const int around =
        far || !tubes_ ? 0 : ring_points(b, distance - a, skew_.k_rad_per_m);
    for (int i = 0; i < p.count; ++i) {
      const Vec3 to_p = q_.start_m - (p_.start_m + p.at_m[i] * p_.tangent);
      HdComplex c, s;
      for (int j = 0; j < q.count; ++j) {
        const Vec3 r = to_p + q.at_m[j] * q_.tangent;
        const HdComplex g = !tubes_ ? axis_(dot(r, r))
                            : far   ? skew_.far(r)
                                    : skew_(r, around);
        c += q.cosine[j] * g;
        s += q.sine[j] * g;
      }
      sums_.cc += p.cosine[i] * c;
      sums_.cs += p.cosine[i] * s;
      sums_.sc += p.sine[i] * c;
      sums_.ss += p.sine[i] * s;
    }
  }

  const Element &p_, &q_;
  PairPace pace_;
  double radii_, distance_;
  bool blended_;  ///< the means over the circumferences and of the axis distance, blended
  bool tubes_;    ///< mean over both circumferences; else a function of the axis distance
  AxisDistanceKernel<double, HdComplex> axis_;
  SkewTubeKernel<double, HdComplex> skew_;
  TrigMoments<double> sums_;
};

/// For elements that are not parallel and meet at an end of each; false: they do not.
bool corner_matrix_in(const Element& p, const Element& q, const PairPace& pace,
                      const PairWave& wave, GreensKernel kernel, ElementMatrix& matrix) {
  for (int ends = 0; ends < 4; ++ends) {
    const bool p_end = ends & 1, q_end = ends & 2;
    const Element from_p = p_end ? turned_round(p) : p;
    const Element from_q = q_end ? turned_round(q) : q;
    if (norm(from_q.start_m - from_p.start_m) > corner_gap * (p.length_m + q.length_m))
      continue;
    MediumPair pair(from_p, from_q, pace, wave.k_rad_per_m, kernel);
    pair.add_corner();
    matrix =
        pair.parts().impedance(dot(from_p.tangent, from_q.tangent), pace.shape, wave);
    if (q_end) matrix = second_reversed(matrix);
    if (p_end) matrix = first_reversed(matrix);
    return true;
  }
  return false;
}

ElementMatrix ordered_matrix(const Element& p, const Element& q, double k,
                             const PairWave& wave, GreensKernel kernel) {
  const PairPace pace(k, wave.k_rad_per_m);
  MediumPair pair(p, q, pace, wave.k_rad_per_m, kernel);
  const bool parallel = elements_parallel(p, q);
  if (!pair.is_one_piece() && depend_on_offset(p, q, kernel))
    return parallel_matrix_in(p, q, pace, wave, kernel);
  ElementMatrix corner;
  if (!parallel && pair.touching() && corner_matrix_in(p, q, pace, wave, kernel, corner))
    return corner;
  constexpr int for_parallel = 3;  // 1e-9
  pair.add_all(parallel ? for_parallel : 0);
  return pair.parts().impedance(dot(p.tangent, q.tangent), k, wave);
}

/// One pair for all of a shape, so that exchanging the two transposes to the last bit.
ElementMatrix turned_matrix(Element p, Element q, double k, const PairWave& wave,
                            GreensKernel kernel) {
  const PairSymmetry symmetry = shaped_pair(p, q).symmetry;
  symmetry.apply(p, q);
  return symmetry.undo(ordered_matrix(p, q, k, wave, kernel));
}

}  // namespace

ElementMatrix pair_in_medium(const Element& p, const Element& q, double k_rad_per_m,
                             const PairWave& wave, GreensKernel kernel) {
  ElementMatrix m = turned_matrix(p, q, k_rad_per_m, wave, kernel);
  if (norm(centre_of(p) - centre_of(q)) > 0) return m;
  // Elements at the same place have no order: the mean of both orders is taken.
  const ElementMatrix other = transposed(turned_matrix(q, p, k_rad_per_m, wave, kernel));
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) m.z[i][j] = 0.5 * (m.z[i][j] + other.z[i][j]);
  return m;
}

}  // namespace thinwire
