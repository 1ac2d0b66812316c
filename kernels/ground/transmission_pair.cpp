#include "kernels/ground/transmission_pair.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "kernels/base/simd_clones.h"
#include "kernels/element/close_pairs.h"
#include "kernels/element/near_pair.h"
#include "kernels/ground/ground_order.h"
#include "kernels/ground/pair_pieces.h"

namespace thinwire {
namespace {

/// Longest piece, in radians of the fastest wave on its side.
constexpr double longest_phase = 5;
/// A piece next to a point that both share, over the lengths of both: its 1/R integrated
/// gives as much of the whole.
constexpr double smallest_piece = 1e-7;

/// Kernels between a point above and one below.
struct TransmissionAt {
  const TransmissionTableView& table;
  double k;
  THINWIRE_INLINE ReflectedKernels operator()(double rho, double p_z, double q_z) const {
    return table.at(k * rho, k * std::fmax(p_z, 0.0), -k * std::fmin(q_z, 0.0));
  }
};

/// Adds the product of two Gauss rules: p above, q below.
THINWIRE_SIMD_CLONES
void add_product(const Vec3& tp, const Vec3& tq, const PiecePoint* p, int p_count,
                 const PiecePoint* q, int q_count, double k,
                 const TransmissionTableView& table, PairSums& sums) {
  add_points(tp, tq, p, p_count, q, q_count, TransmissionAt{table, k}, sums);
}

class TransmissionPair {
 public:
  TransmissionPair(const Element& above, const Element& below,
                   const TransmissionGroundAt& ground)
      : p_(above),
        q_(below),
        ground_(ground),
        up_(GroundWaves::of(ground.k_rad_per_m, ground.eps, GroundSide::above)),
        down_(GroundWaves::of(ground.k_rad_per_m, ground.eps, GroundSide::below)) {
    // Until it dies the wave in the ground is as strong here as below.
    up_.side = GroundSide::below;
  }

  ElementMatrix matrix() {
    const Stretch p = {0, p_.length_m}, q = {0, q_.length_m};
    const double distance = norm(centre_of(p_) - centre_of(q_));
    const double longer = std::max(p_.length_m, q_.length_m);
    const int p_order = ground_order(distance, p_.length_m, longer, up_);
    const int q_order = ground_order(distance, q_.length_m, longer, down_);
    if (p_order > 0 && q_order > 0)
      add(p, p_order, q, q_order);
    else
      add_pieces(p, q);
    return sums_.matrix(ground_.k_rad_per_m);
  }

 private:
  /// Halves what is long against the distance or the waves.
  void add_pieces(Stretch p, Stretch q) {
    const double distance = axis_distance(part_of(p_, p), part_of(q_, q));
    const double p_wave = up_.fastest(distance), q_wave = down_.fastest(distance);
    const auto is_short = [&](Stretch s, double wave) {
      return s.length() <= 2 * distance && wave * s.length() <= longest_phase;
    };
    const bool p_short = is_short(p, p_wave), q_short = is_short(q, q_wave);
    const double longest = std::max(p.length(), q.length());
    if ((p_short && q_short) || longest < smallest_piece * (p_.length_m + q_.length_m)) {
      const double clear = std::max(distance, 0.5 * longest);
      add(p, piece_points(p.length(), clear, p_wave), q,
          piece_points(q.length(), clear, q_wave));
      return;
    }
    const double p_middle = p_short ? p.to_m : 0.5 * (p.from_m + p.to_m),
                 q_middle = q_short ? q.to_m : 0.5 * (q.from_m + q.to_m);
    for (const Stretch p_part : {Stretch{p.from_m, p_middle}, Stretch{p_middle, p.to_m}})
      for (const Stretch q_part :
           {Stretch{q.from_m, q_middle}, Stretch{q_middle, q.to_m}})
        if (p_part.length() > 0 && q_part.length() > 0) add_pieces(p_part, q_part);
  }

  void add(Stretch p, int p_order, Stretch q, int q_order) {
    PiecePoint p_points[max_gauss_points], q_points[max_gauss_points];
    const double k = ground_.k_rad_per_m;
    const int p_count = make_points(p_, p, p_order, k, p_points);
    const int q_count = make_points(q_, q, q_order, k, q_points);
    add_product(p_.tangent, q_.tangent, p_points, p_count, q_points, q_count, k,
                ground_.table, sums_);
  }

  const Element &p_, &q_;
  const TransmissionGroundAt& ground_;
  GroundWaves up_, down_;
  PairSums sums_;
};

}  // namespace

ElementMatrix transmission_pair(const Element& above, const Element& below,
                                const TransmissionGroundAt& ground) {
  return TransmissionPair(above, below, ground).matrix();
}

}  // namespace thinwire
