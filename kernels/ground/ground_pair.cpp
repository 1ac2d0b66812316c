#include "kernels/ground/ground_pair.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <vector>

#include "kernels/base/constants.h"
#include "kernels/base/simd_clones.h"
#include "kernels/element/close_pairs.h"
#include "kernels/element/medium.h"
#include "kernels/element/near_pair.h"
#include "kernels/ground/pair_pieces.h"

namespace thinwire {
namespace {

/// Longest piece or panel, in radians of the wave in the ground.
constexpr double longest_phase = 5;
/// Directions closer to the vertical or the horizontal differ by rounding.
constexpr double rounding = 1e-10;
/// A piece next to a point on the ground, over the lengths of both elements: its 1/R
/// integrated gives as much of the whole.
constexpr double smallest_piece = 1e-7;

/// The wave number by which integrands vary at this distance from the image.
double fastest_wavenumber(const GroundAt& ground, double distance_m) {
  return waves_of(ground).fastest(distance_m);
}

/// Kernels at the image.
struct ReflectedAt {
  const GroundTableView& table;
  double k;
  THINWIRE_INLINE ReflectedKernels operator()(double rho, double p_z, double q_z) const {
    return table.at(k * rho, k * (p_z + q_z));
  }
};

/// Adds the product of two Gauss rules over a stretch of each element.
THINWIRE_SIMD_CLONES
void add_product(const Vec3& tp, const Vec3& tq, const PiecePoint* p, int p_count,
                 const PiecePoint* q, int q_count, double k, const GroundTableView& table,
                 PairSums& sums) {
  add_points(tp, tq, p, p_count, q, q_count, ReflectedAt{table, k}, sums);
}

void add_pieces(const Element& p, Stretch on_p, int p_order, const Element& q,
                Stretch on_q, int q_order, const GroundAt& ground, PairSums& sums) {
  PiecePoint p_points[max_gauss_points], q_points[max_gauss_points];
  const double k = ground.k_rad_per_m;
  const int p_count = make_points(p, on_p, p_order, k, p_points);
  const int q_count = make_points(q, on_q, q_order, k, q_points);
  add_product(p.tangent, q.tangent, p_points, p_count, q_points, q_count, k, ground.table,
              sums);
}

/// In pieces: halved until they are short against their distance from the image.
ElementMatrix piecewise_matrix(const Element& p, const Element& q,
                               const GroundAt& ground) {
  struct Pieces {
    Stretch p, q;
  };
  const Element image = Medium::perfect_ground().source(p, 1);
  const double floor_m = smallest_piece * (p.length_m + q.length_m);
  std::vector<Pieces> stack = {{{0, p.length_m}, {0, q.length_m}}};
  PairSums sums;
  while (!stack.empty()) {
    const Pieces now = stack.back();
    stack.pop_back();
    const double longest = std::max(now.p.length(), now.q.length());
    const double distance = axis_distance(part_of(image, now.p), part_of(q, now.q));
    const double k = fastest_wavenumber(ground, distance);
    if ((longest <= 2 * distance && k * longest <= longest_phase) || longest < floor_m) {
      const double clear = std::max(distance, 0.5 * longest);
      add_pieces(p, now.p, piece_points(now.p.length(), clear, k), q, now.q,
                 piece_points(now.q.length(), clear, k), ground, sums);
      continue;
    }
    const auto halves = [longest](Stretch s) {
      const double middle = 0.5 * (s.from_m + s.to_m);
      return s.length() > 0.7 * longest
                 ? std::vector<Stretch>{{s.from_m, middle}, {middle, s.to_m}}
                 : std::vector<Stretch>{s};
    };
    for (const Stretch half_p : halves(now.p))
      for (const Stretch half_q : halves(now.q)) stack.push_back({half_p, half_q});
  }
  return sums.matrix(ground.k_rad_per_m);
}

/// Two elements along one direction t of the plane of the image, so that the kernels
/// depend on one offset alone: q starts `offset` further along t than p, or than p's
/// image where that lies on the line of q.
struct AlignedPair {
  double p_length, q_length, offset_m;
  bool p_backward;  ///< p runs against t
  bool vertical;
  double across_m;  ///< horizontal: from the axis; vertical: rho
  double zeta_m;    ///< horizontal
};

/// Integrates over the offset between the points, graded towards its zero; the product of
/// shape functions that lie so far apart is a smooth one.
class AlignedIntegral {
 public:
  AlignedIntegral(const AlignedPair& pair, const GroundAt& ground)
      : pair_(pair), ground_(ground), k_(ground.k_rad_per_m) {}

  ElementMatrix matrix() {
    const double difference = pair_.q_length - pair_.p_length;
    const double edge[] = {
        pair_.offset_m - pair_.p_length, pair_.offset_m + std::min(0.0, difference),
        pair_.offset_m + std::max(0.0, difference), pair_.offset_m + pair_.q_length};
    for (int i = 0; i < 3; ++i) {
      add(1, std::max(edge[i], 0.0), edge[i + 1]);
      add(-1, std::max(-edge[i + 1], 0.0), -edge[i]);
    }
    return sums_.matrix(k_);
  }

 private:
  /// Offsets sign * y0 .. sign * y1.
  void add(double sign, double y0, double y1) {
    const double sliver = 1e-13 * (pair_.p_length + pair_.q_length);
    if (!(y1 - y0 > sliver)) return;
    const double scale =
        pair_.vertical ? pair_.across_m : std::hypot(pair_.across_m, pair_.zeta_m);
    const double width = 0.01 * std::min(pair_.p_length, pair_.q_length);
    const double k = fastest_wavenumber(ground_, std::hypot(scale, y0));
    const int parts = 1 + static_cast<int>(k * (y1 - y0) / longest_phase);
    for (int i = 0; i < parts; ++i) {
      const double from = y0 + (y1 - y0) * i / parts;
      const double to = y0 + (y1 - y0) * (i + 1) / parts;
      graded_integral(from, to, scale, width, 0.5 * k, Accuracy{9.5, 14},
                      [&](double y, double w) { add_offset(sign * y, w); });
    }
  }

  void add_offset(double offset, double weight) {
    ReflectedKernels g;
    HdComplex vector;
    if (pair_.vertical) {
      g = ground_.table.at(k_ * pair_.across_m, k_ * offset);
      vector = g.zz;
    } else {
      g = ground_.table.at(k_ * std::hypot(offset, pair_.across_m), k_ * pair_.zeta_m);
      vector = g.h;
    }
    // s' = s + offset - offset_m, s along t from the lower end of p.
    const double shift = offset - pair_.offset_m;
    const double low = std::max(0.0, -shift);
    const double high = std::min(pair_.p_length, pair_.q_length - shift);
    const double half = 0.5 * (high - low);
    const double lp = pair_.p_length, lq = pair_.q_length;
    const double over = weight * half / (std::sin(k_ * lp) * std::sin(k_ * lq));
    const GaussRule rule = gauss_rule(4 + static_cast<int>(2 * k_ * (lp + lq)));
    for (int i = 0; i < rule.points; ++i) {
      const double along = low + half * (1 + rule.node[i]), t = along + shift;
      const double s = pair_.p_backward ? lp - along : along;
      const double w = over * rule.weight[i];
      const double u[] = {w * std::sin(k_ * (lp - s)), w * std::sin(k_ * s)};
      const double u_derivative[] = {-w * std::cos(k_ * (lp - s)), w * std::cos(k_ * s)};
      const double v[] = {std::sin(k_ * (lq - t)), std::sin(k_ * t)};
      const double v_derivative[] = {-std::cos(k_ * (lq - t)), std::cos(k_ * t)};
      sums_.add(vector, g.phi, u, u_derivative, v, v_derivative);
    }
  }

  AlignedPair pair_;
  const GroundAt& ground_;
  double k_;
  PairSums sums_;
};

Element turned_round(const Element& e) {
  return {e.start_m + e.length_m * e.tangent, -e.tangent, e.length_m, e.radius_m};
}

/// For elements that both point up.
ElementMatrix upright_matrix(const Element& p, const Element& q, const GroundAt& ground) {
  const Vec3 step = q.start_m - p.start_m;
  // From the lower end of p's image, which is the upper end of p: the image runs down.
  return AlignedIntegral({p.length_m, q.length_m, p.start_m.z + p.length_m + q.start_m.z,
                          true, true, std::hypot(step.x, step.y), 0},
                         ground)
      .matrix();
}

/// For horizontal elements of one direction.
ElementMatrix flat_matrix(const Element& p, const Element& q, const GroundAt& ground) {
  const Vec3 step = q.start_m - p.start_m;
  return AlignedIntegral({p.length_m, q.length_m, dot(step, p.tangent), false, false,
                          std::fabs(step.x * p.tangent.y - step.y * p.tangent.x),
                          p.start_m.z + q.start_m.z},
                         ground)
      .matrix();
}

ElementMatrix ordered_matrix(const Element& p, const Element& q, const GroundAt& ground) {
  const Element image = Medium::perfect_ground().source(p, 1);
  const double distance = norm(centre_of(image) - centre_of(q));
  const double longer = std::max(p.length_m, q.length_m);
  const int order = ground_order(distance, longer, waves_of(ground));
  if (order > 0) {
    PairSums sums;
    add_pieces(p, {0, p.length_m}, order, q, {0, q.length_m}, order, ground, sums);
    return sums.matrix(ground.k_rad_per_m);
  }
  const bool flat = std::fabs(p.tangent.z) < rounding;
  const bool upright = std::hypot(p.tangent.x, p.tangent.y) < rounding;
  if (!elements_parallel(p, q) || !(flat || upright))
    return piecewise_matrix(p, q, ground);
  if (upright && p.tangent.z < 0)
    return first_reversed(ordered_matrix(turned_round(p), q, ground));
  if (dot(p.tangent, q.tangent) < 0)
    return second_reversed(ordered_matrix(p, turned_round(q), ground));
  return flat ? flat_matrix(p, q, ground) : upright_matrix(p, q, ground);
}

/// One order of two elements, whichever comes first.
bool comes_before(const Element& p, const Element& q) {
  const auto key = [](const Element& e) {
    return std::tuple(e.length_m, e.start_m.x, e.start_m.y, e.start_m.z, e.tangent.x,
                      e.tangent.y, e.tangent.z);
  };
  return key(p) < key(q);
}

}  // namespace

ElementMatrix ground_pair(const Element& p, const Element& q, const GroundAt& ground) {
  if (comes_before(p, q)) return transposed(ordered_matrix(q, p, ground));
  return ordered_matrix(p, q, ground);
}

}  // namespace thinwire
