#include "mom/plan/near_pair_cost.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "kernels/element/close_pairs.h"
#include "kernels/element/near_pair.h"
#include "kernels/element/pair_shape.h"
#include "kernels/element/quadrature_order.h"

namespace thinwire {
namespace {

/// Means over pairs of fans, radials and clouds of wires, where the walk over pieces does
/// not count them: elements on one line, whose evaluations are vectors; tubes side by
/// side; tubes that run into one another, at a corner and elsewhere.
constexpr double on_line = 7, beside = 110, at_corner = 10000, blended = 6500;
/// An evaluation of tube_series, in those of two rings.
constexpr double series_share = 0.3;
/// Comparisons of two elements' places that a sample takes at most.
constexpr std::size_t max_comparisons = std::size_t{1} << 24;

bool all_parallel(std::span<const Element> elements) {
  return std::all_of(elements.begin(), elements.end(), [&](const Element& e) {
    return elements_parallel(elements.front(), e);
  });
}

/// Evaluations of the double integral over pieces.
double evaluations_of_pieces(const Element& p, const Element& q, double k,
                             GreensKernel kernel) {
  const BentPair<double> pair(p, q, k, kernel, near_pair_nats);
  PieceWalk walk(pair);
  PiecePair piece;
  double distance, clearance, sum = 0;
  const auto points = [&](double length_m) {
    return std::min(max_gauss_points, piece_points(length_m, clearance, k));
  };
  while (walk.next(piece, distance, clearance)) {
    const bool far =
        distance > series_radii * p.radius_m && k * p.radius_m < series_electrical_radius;
    const double each = !pair.tubes || far
                            ? series_share
                            : ring_points(q.radius_m, distance - p.radius_m, k);
    sum += each * points(piece.p1 - piece.p0) * points(piece.q1 - piece.q0);
  }
  return sum;
}

/// A sample of pairs: all of the first, then every second, every fourth and so on.
class PairSample {
 public:
  explicit PairSample(std::size_t max_pairs) : max_pairs_(max_pairs) {}

  void add(std::uint32_t p, std::uint32_t q, int s) {
    if (seen_++ % stride_ != 0) return;
    kept_.push_back({p, q, s});
    if (kept_.size() < 2 * max_pairs_) return;
    for (std::size_t i = 0; i < max_pairs_; ++i) kept_[i] = kept_[2 * i];
    kept_.resize(max_pairs_);
    stride_ *= 2;
  }

  struct Pair {
    std::uint32_t p, q;
    int source;
  };
  std::span<const Pair> kept() const { return kept_; }
  double seen() const { return static_cast<double>(seen_); }

 private:
  std::size_t max_pairs_, seen_ = 0, stride_ = 1;
  std::vector<Pair> kept_;
};

/// Adds the near pairs (p, q), q <= p, of sampled elements p. Returns the elements over
/// those sampled.
double sample_pairs(std::span<const Element> elements, double k, GreensKernel kernel,
                    Medium medium, PairSample& sample) {
  const std::size_t n = elements.size();
  const auto radius_of = [&](const Element& e) {
    return kernel == GreensKernel::exact ? e.radius_m : 0;
  };
  std::vector<Vec3> centre(n);
  std::vector<double> reach_m(n);
  for (std::size_t i = 0; i < n; ++i) {
    centre[i] = centre_of(elements[i]);
    reach_m[i] = near_reach(elements[i].length_m, radius_of(elements[i]), k);
  }
  const std::size_t count = std::min(n, std::max<std::size_t>(1, max_comparisons / n));
  constexpr double golden = 0.6180339887498949;
  for (std::size_t i = 0; i < count; ++i) {
    const double place = static_cast<double>(i) * golden;
    const auto p = static_cast<std::uint32_t>(
        count == n ? i
                   : static_cast<std::size_t>((place - std::floor(place)) *
                                              static_cast<double>(n)));
    for (int s = 0; s < medium.sources(); ++s) {
      const Vec3 at = centre_of(medium.source(elements[p], s));
      for (std::uint32_t q = 0; q <= p; ++q) {
        const Vec3 step = centre[q] - at;
        const double reach = reach_m[p] + reach_m[q], distance2 = dot(step, step);
        if (distance2 > reach * reach) continue;
        const Element &one = elements[p], &other = elements[q];
        if (far_order(std::sqrt(distance2), std::max(one.length_m, other.length_m),
                      std::max(radius_of(one), radius_of(other)), k) == 0)
          sample.add(p, q, s);
      }
    }
  }
  return static_cast<double>(n) / static_cast<double>(count);
}

/// Classes that `more` pairs have beyond those of the sample, in which `once` and `twice`
/// were seen so often (Chao and others 2014, equation 9): of a grid few, of wires at
/// random as many as pairs.
double unseen_classes(double once, double twice, double sampled, double more) {
  if (!(once > 0 && more > 0)) return 0;
  const double rate = once / sampled;
  if (twice == 0) return more * rate;
  const double unseen = once * once / (2 * twice);
  return unseen * -std::expm1(more * std::log1p(-rate / (unseen + rate)));
}

}  // namespace

double near_pair_evaluations(const Element& p, const Element& q, double k,
                             GreensKernel kernel) {
  if (depend_on_offset(p, q, kernel)) {
    const double distance = ParallelPlace<double>(p, q).distance;
    return kernel != GreensKernel::exact ||
                   tubes_overlap(distance, p.radius_m + q.radius_m)
               ? on_line
               : beside;
  }
  if (kernel == GreensKernel::exact && BlendZone(p, q).any())
    return common_end(p, q) >= 0 ? at_corner : blended;
  return evaluations_of_pieces(p, q, k, kernel);
}

NearPairCost near_pair_cost(std::span<const Element> elements, double k,
                            GreensKernel kernel, Medium medium, std::size_t max_pairs) {
  if (elements.empty() || all_parallel(elements)) return {};
  PairSample sample(max_pairs);
  NearPairCost cost;
  cost.pairs = sample_pairs(elements, k, kernel, medium, sample);
  cost.pairs *= sample.seen();
  struct Class {
    int times = 0;
    double evaluations = 0;
  };
  std::unordered_map<std::uint64_t, Class> known;
  for (const auto& [p, q, s] : sample.kept()) {
    Element first = medium.source(elements[p], s), second = elements[q];
    const ShapedPair pair = shaped_pair(first, second);
    // Sources are integrated apart.
    Class& seen = known[pair.shape.hash() + static_cast<std::uint64_t>(s)];
    if (seen.times++ > 0) continue;
    pair.symmetry.apply(first, second);
    seen.evaluations = near_pair_evaluations(first, second, k, kernel);
    cost.evaluations += seen.evaluations;
  }
  // Classes that are seen once stand for those not seen yet.
  double once = 0, twice = 0, evaluations_of_once = 0;
  for (const auto& [hash, seen] : known) {
    if (seen.times == 1) evaluations_of_once += seen.evaluations;
    once += seen.times == 1 ? 1 : 0;
    twice += seen.times == 2 ? 1 : 0;
  }
  const auto sampled = static_cast<double>(sample.kept().size());
  const double unseen = unseen_classes(once, twice, sampled, cost.pairs - sampled);
  cost.classes = static_cast<double>(known.size()) + unseen;
  if (once > 0) cost.evaluations += unseen / once * evaluations_of_once;
  return cost;
}

}  // namespace thinwire
