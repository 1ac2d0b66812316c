#include "kernels/gradient/ground_gradient.h"

#include <algorithm>
#include <cmath>

#include "kernels/base/constants.h"
#include "kernels/base/parallel.h"
#include "kernels/element/close_pairs.h"
#include "kernels/element/near_bent.h"
#include "kernels/ground/coefficient_ground.h"
#include "kernels/ground/pair_pieces.h"

namespace thinwire {
namespace {

/// The coordinates of a pair: start and end of the first element, then of the second.
constexpr int coordinates = 12;
using Moved = Dual<coordinates>;
using MovedVec3 = BasicVec3<Moved>;
using MovedComplex = BasicComplex<Moved>;

/// Longest piece, in radians of the wave in the ground, and shortest one, over the
/// lengths of both elements.
constexpr double longest_phase = 3, smallest_piece = 1e-6;

/// The element, its ends being coordinates from `first` on.
BasicElement<Moved> moved_element(const Element& e, int first) {
  const auto moved_point = [](Vec3 at, int coordinate) {
    MovedVec3 point = {at.x, at.y, at.z};
    point.x.derivative[coordinate] = point.y.derivative[coordinate + 1] =
        point.z.derivative[coordinate + 2] = 1;
    return point;
  };
  const MovedVec3 start = moved_point(e.start_m, first),
                  end = moved_point(e.start_m + e.length_m * e.tangent, first + 3),
                  along = end - start;
  const Moved length = norm(along);
  return {start, (1 / length) * along, length, {}};
}

/// The tangents of a pair with the products that its kernels are multiplied by.
struct MovedTangents {
  MovedVec3 p, q;
  Moved horizontal = p.x * q.x + p.y * q.y, vertical = p.z * q.z,
        across_x = p.z * q.x - q.z * p.x, across_y = p.z * q.y - q.z * p.y;
};

/// A kernel as both elements move, from its derivatives by two numbers.
MovedComplex moved_kernel(HdComplex value, HdComplex by_a, const Moved& a, HdComplex by_b,
                          const Moved& b) {
  MovedComplex moved = {value.re, value.im};
  for (int d = 0; d < coordinates; ++d) {
    moved.re.derivative[d] = a.derivative[d] * by_a.re + b.derivative[d] * by_b.re;
    moved.im.derivative[d] = a.derivative[d] * by_a.im + b.derivative[d] * by_b.im;
  }
  return moved;
}

/// Kernels of the vector and the scalar potential between two points, 1/m.
struct MovedCoupling {
  MovedComplex vector, scalar;
};

/// A Gauss point with shape functions and derivatives over k, the weight in both.
struct MovedPoint {
  MovedVec3 at_m;
  Moved value[2], derivative[2];
};

/// The points of a stretch, in parts of the length.
std::vector<MovedPoint> moved_points(const BasicElement<Moved>& e, Stretch part,
                                     int order, double k) {
  const GaussRule rule = gauss_rule(order);
  const double half = 0.5 * part.length();
  const Moved kl = k * e.length_m, over = e.length_m / sin(kl);
  std::vector<MovedPoint> points;
  for (int i = 0; i < rule.points; ++i) {
    const double s = part.from_m + half * (1 + rule.node[i]);
    const Moved w = (half * rule.weight[i]) * over, start = s * kl, end = (1 - s) * kl;
    points.push_back({e.start_m + (s * e.length_m) * e.tangent,
                      {w * sin(end), w * sin(start)},
                      {-(w * cos(end)), w * cos(start)}});
  }
  return points;
}

/// Kernels of ground_table.h times 1/k with their derivatives by rho and zeta, times k.
struct KernelDerivatives {
  HdComplex value[4], by_rho[4], by_zeta[4];  // Gh, Kphi, Kzz, Q

  KernelDerivatives(const GroundTableView& table, double rho, double zeta) {
    const GroundTableView::Spot at = table.find(rho, zeta);
    EightSums sum{}, by_x{}, by_y{};
    const double* c = table.coefficients + at.cell * (8 * GroundTableView::terms);
    for (int j = GroundTableView::degree; j >= 0; --j) {
      EightSums row{}, row_by_x{};
      for (int i = GroundTableView::degree - j; i >= 0; --i, c += 8) {
        horner_step(at.x, row, row_by_x);
        horner_step(at.x, c, row);
      }
      horner_step(at.y, sum, by_y);
      horner_step(at.y, row, sum);
      horner_step(at.y, row_by_x, by_x);
    }
    const double step = 1e-6 * std::max(rho, zeta);
    const double x_per_rho = slope(at, step, &GroundTableView::Spot::x,
                                   [&](double d) { return table.find(rho + d, zeta); }),
                 y_per_zeta = slope(at, step, &GroundTableView::Spot::y,
                                    [&](double d) { return table.find(rho, zeta + d); });
    const double r = std::hypot(rho, zeta);
    const HdComplex g = {std::cos(r) / r, -std::sin(r) / r},
                    g_by_r = HdComplex{-1 / r, -1} * g;
    for (int n = 0; n < 4; ++n) {
      const HdComplex over_g = {sum[2 * n], sum[2 * n + 1]};
      value[n] = g * over_g;
      by_rho[n] = (rho / r) * (g_by_r * over_g) +
                  x_per_rho * (g * HdComplex{by_x[2 * n], by_x[2 * n + 1]});
      by_zeta[n] = (zeta / r) * (g_by_r * over_g) +
                   y_per_zeta * (g * HdComplex{by_y[2 * n], by_y[2 * n + 1]});
    }
  }

 private:
  /// A coordinate within a cell grows evenly: from two places in the same one.
  template <class Find>
  static double slope(const GroundTableView::Spot& at, double step,
                      double GroundTableView::Spot::*coordinate, const Find& find) {
    const GroundTableView::Spot more = find(step);
    if (more.cell == at.cell) return (more.*coordinate - at.*coordinate) / step;
    return (at.*coordinate - find(-step).*coordinate) / step;
  }
};

/// The reflection of a ground beside its image, by its table (ground_pair.h).
class TableReflection {
 public:
  static constexpr bool has_charges = true;
  static constexpr int min_points = 0;

  explicit TableReflection(const GroundAt& ground)
      : ground_(ground), waves_(waves_of(ground)) {}

  double k_rad_per_m() const { return ground_.k_rad_per_m; }
  /// The wave number by which the field varies at this distance from the image.
  double fastest(double distance_m) const { return waves_.fastest(distance_m); }
  /// Points for each of two elements as a whole, or 0: in pieces.
  int whole_order(double distance_m, double longer_length_m) const {
    const int order = ground_order(distance_m, longer_length_m, waves_);
    return order > 0 ? order + 1 : 0;
  }
  MovedCoupling between(const MovedTangents& t, const MovedVec3& a,
                        const MovedVec3& b) const {
    const double k = ground_.k_rad_per_m;
    const Moved x = a.x - b.x, y = a.y - b.y, rho = sqrt(x * x + y * y), zeta = a.z + b.z;
    const KernelDerivatives g(ground_.table, k * rho.value, k * zeta.value);
    const auto kernel = [&](int n) {
      return moved_kernel(k * g.value[n], k * k * g.by_rho[n], rho, k * k * g.by_zeta[n],
                          zeta);
    };
    const Moved mixed =
        rho.value > 0 ? (t.across_x * x + t.across_y * y) / rho : Moved(0);
    return {t.horizontal * kernel(0) + t.vertical * kernel(2) + mixed * kernel(3),
            kernel(1)};
  }

 private:
  const GroundAt& ground_;
  GroundWaves waves_;
};

/// The reflection of a ground by reflection coefficients (coefficient_pair).
class CoefficientReflection {
 public:
  static constexpr bool has_charges = false;
  static constexpr int min_points = 3;

  explicit CoefficientReflection(const ReflectingSurface& surface) : surface_(surface) {}

  double k_rad_per_m() const { return surface_.k_rad_per_m; }
  double fastest(double) const { return surface_.k_rad_per_m; }
  int whole_order(double, double) const { return 0; }
  MovedCoupling between(const MovedTangents& t, const MovedVec3& a,
                        const MovedVec3& b) const {
    const Moved x = a.x - b.x, y = a.y - b.y, zeta = a.z + b.z, rho2 = x * x + y * y,
                rho = sqrt(rho2), cosine = zeta / sqrt(rho2 + zeta * zeta),
                distance = surface_.radials > 0 ? specular_distance(b, a) : Moved(0);
    const PlaneWaveReflection c = surface_.at(cosine.value, distance.value);
    const auto [by_cosine, by_distance] =
        surface_.derivatives(cosine.value, distance.value);
    const MovedComplex rv = moved_kernel(to_hd(c.theta), to_hd(by_cosine.theta), cosine,
                                         to_hd(by_distance.theta), distance),
                       rh = moved_kernel(to_hd(-c.phi), to_hd(-by_cosine.phi), cosine,
                                         to_hd(-by_distance.phi), distance);
    const auto g = coefficient_kernels(surface_.k_rad_per_m, rho, zeta, rv, rh);
    MovedComplex vector = t.horizontal * g.transverse + t.vertical * g.vertical;
    // Above each other, where what is left out vanishes as rho does, the direction from
    // one to the other is rounding.
    if (rho.value > 1e-8 * zeta.value) {
      vector += ((t.across_x * x + t.across_y * y) / rho) * g.mixed;
      vector += ((t.p.x * x + t.p.y * y) * (t.q.x * x + t.q.y * y) / rho2) *
                (g.radial - g.transverse);
    }
    return {vector, {}};
  }

 private:
  const ReflectingSurface& surface_;
};

/// The reflection between two elements and its derivatives.
template <class Reflection>
class PairDerivatives {
 public:
  PairDerivatives(const Element& p, const Element& q, const Reflection& reflection)
      : p_(p),
        q_(q),
        image_(Medium::perfect_ground().source(p, 1)),
        reflection_(reflection),
        moved_p_(moved_element(p, 0)),
        moved_q_(moved_element(q, 6)),
        tangents_{moved_p_.tangent, moved_q_.tangent} {
    const int order = reflection.whole_order(norm(centre_of(image_) - centre_of(q)),
                                             std::max(p.length_m, q.length_m));
    if (order > 0)
      add_product({0, 1}, order, {0, 1}, order);
    else
      add({0, 1}, {0, 1});
  }

  /// The derivatives of sum_ab w_ab z_ab, by coordinate.
  std::vector<Complex> of(const Complex (&w)[2][2]) const {
    const Complex scale(0, reflection_.k_rad_per_m() * eta0_ohm / (4 * pi));
    std::vector<Complex> derivatives(coordinates);
    for (int d = 0; d < coordinates; ++d)
      for (int a = 0; a < 2; ++a)
        for (int b = 0; b < 2; ++b)
          derivatives[d] += scale * w[a][b] *
                            Complex(z_[a][b].re.derivative[d], z_[a][b].im.derivative[d]);
    return derivatives;
  }

 private:
  static Element part(const Element& e, Stretch s) {
    return part_of(e, {s.from_m * e.length_m, s.to_m * e.length_m});
  }

  /// Pieces that are short against their distance from the image, else their halves.
  void add(Stretch on_p, Stretch on_q) {
    const double length_p = on_p.length() * p_.length_m,
                 length_q = on_q.length() * q_.length_m,
                 longest = std::max(length_p, length_q),
                 distance = axis_distance(part(image_, on_p), part(q_, on_q)),
                 k = reflection_.fastest(distance);
    if ((longest <= distance && k * longest <= longest_phase) ||
        longest < smallest_piece * (p_.length_m + q_.length_m)) {
      const double clear = std::max(distance, 0.5 * longest);
      const auto points = [&](double length) {
        return std::max(Reflection::min_points, piece_points(length, clear, k));
      };
      add_product(on_p, points(length_p), on_q, points(length_q));
      return;
    }
    const auto halves = [&](Stretch s, double length) {
      const double middle = 0.5 * (s.from_m + s.to_m);
      return length > 0.7 * longest
                 ? std::vector<Stretch>{{s.from_m, middle}, {middle, s.to_m}}
                 : std::vector<Stretch>{s};
    };
    for (const Stretch half_p : halves(on_p, length_p))
      for (const Stretch half_q : halves(on_q, length_q)) add(half_p, half_q);
  }

  void add_product(Stretch on_p, int p_order, Stretch on_q, int q_order) {
    const double k = reflection_.k_rad_per_m();
    const std::vector<MovedPoint> of_q = moved_points(moved_q_, on_q, q_order, k);
    for (const MovedPoint& a : moved_points(moved_p_, on_p, p_order, k))
      for (const MovedPoint& b : of_q) {
        const MovedCoupling g = reflection_.between(tangents_, a.at_m, b.at_m);
        for (int i = 0; i < 2; ++i)
          for (int j = 0; j < 2; ++j) {
            z_[i][j] += (a.value[i] * b.value[j]) * g.vector;
            if constexpr (Reflection::has_charges)
              z_[i][j] += -(a.derivative[i] * b.derivative[j]) * g.scalar;
          }
      }
  }

  const Element &p_, &q_;
  Element image_;
  const Reflection& reflection_;
  BasicElement<Moved> moved_p_, moved_q_;
  MovedTangents tangents_;
  MovedComplex z_[2][2];
};

/// How a pair moves with a parameter, by coordinate.
Complex along(const std::vector<Complex>& derivatives, const ElementMotion& p,
              const ElementMotion& q) {
  Complex sum = 0;
  int d = 0;
  for (const Vec3& motion : {p.start_m, p.end_m, q.start_m, q.end_m})
    for (const double x : {motion.x, motion.y, motion.z}) sum += x * derivatives[d++];
  return sum;
}

template <class Reflection>
std::vector<std::vector<Complex>> gradients_of(
    const ImpedanceForms& forms, const Reflection& reflection,
    std::span<const std::vector<ElementMotion>> motions) {
  const std::size_t elements = forms.elements.size();
  std::vector<char> moves(elements, 0);
  for (const std::vector<ElementMotion>& of_parameter : motions)
    for (std::size_t e = 0; e < elements; ++e)
      if (!(of_parameter[e] == ElementMotion{})) moves[e] = 1;
  using Sums = std::vector<std::vector<Complex>>;
  const Sums zero(forms.i.size(), std::vector<Complex>(motions.size()));
  // Parts of a fixed number, so that sums do not depend on threads.
  constexpr std::size_t parts = 32;
  std::vector<Sums> of_part(parts, zero);
  for_each_parallel(parts, [&](std::size_t part) {
    for (std::size_t p = part; p < elements; p += parts)
      for (std::size_t q = 0; q <= p; ++q) {
        if (moves[p] == 0 && moves[q] == 0) continue;
        const PairDerivatives pair(forms.elements[p], forms.elements[q], reflection);
        for (std::size_t f = 0; f < forms.i.size(); ++f) {
          const EndCurrents &ip = forms.i[f][p], &iq = forms.i[f][q], &jp = forms.j[p],
                            &jq = forms.j[q];
          const double share = p == q ? 0.5 : 1;
          Complex w[2][2];
          for (int a = 0; a < 2; ++a)
            for (int b = 0; b < 2; ++b)
              w[a][b] = share * (ip.at[a] * jq.at[b] + jp.at[a] * iq.at[b]);
          const std::vector<Complex> derivatives = pair.of(w);
          for (std::size_t v = 0; v < motions.size(); ++v)
            of_part[part][f][v] += along(derivatives, motions[v][p], motions[v][q]);
        }
      }
  });
  Sums sum = zero;
  for (const Sums& some : of_part)
    for (std::size_t f = 0; f < sum.size(); ++f)
      for (std::size_t v = 0; v < motions.size(); ++v) sum[f][v] += some[f][v];
  return sum;
}

}  // namespace

std::vector<std::vector<Complex>> reflection_gradients(
    const ImpedanceForms& forms, const GroundAt& ground,
    std::span<const std::vector<ElementMotion>> motions) {
  return gradients_of(forms, TableReflection(ground), motions);
}

std::vector<std::vector<Complex>> reflection_gradients(
    const ImpedanceForms& forms, const ReflectingSurface& surface,
    std::span<const std::vector<ElementMotion>> motions) {
  return gradients_of(forms, CoefficientReflection(surface), motions);
}

}  // namespace thinwire
