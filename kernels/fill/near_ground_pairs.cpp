#include "kernels/fill/near_ground_pairs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <string_view>
#include <unordered_map>

#include "kernels/element/medium.h"
#include "kernels/element/near_pair.h"

namespace thinwire {
namespace {

/// Positions and directions that differ by less, over the elements' lengths, are equal.
constexpr double equal_shapes = 1e-9;

/// All that the matrix of a pair depends on, rounded.
using PairKey = std::array<std::int64_t, 14>;

struct KeyHash {
  std::size_t operator()(const PairKey& key) const {
    return std::hash<std::string_view>()(
        {reinterpret_cast<const char*>(key.data()), sizeof key});
  }
};

bool is_flat(const Element& e) {
  return std::fabs(e.tangent.z) < equal_shapes;
}

PairKey key_of(const Element& p, const Element& q) {
  const double unit = equal_shapes * (p.length_m + q.length_m);
  const Vec3 step = q.start_m - p.start_m;
  // Turned about the vertical, so that the first of these that is not vertical runs
  // along x.
  double c = 1, s = 0;
  for (const Vec3& v : {p.tangent, q.tangent, (1 / unit * equal_shapes) * step}) {
    const double size = std::hypot(v.x, v.y);
    if (size < 1e-6) continue;
    c = v.x / size;
    s = v.y / size;
    break;
  }
  const auto turned = [c, s](const Vec3& v) {
    return Vec3{c * v.x + s * v.y, c * v.y - s * v.x, v.z};
  };
  const Vec3 tp = turned(p.tangent), tq = turned(q.tangent), d = turned(step);
  const bool flat = is_flat(p) && is_flat(q);
  const double sum = p.start_m.z + q.start_m.z, difference = flat ? 0 : d.z;
  const double of_length[] = {d.x,        d.y,        sum,        difference,
                              p.length_m, q.length_m, p.radius_m, q.radius_m};
  const double of_one[] = {tp.x, tp.y, tp.z, tq.x, tq.y, tq.z};
  PairKey key;
  auto* to = key.data();
  for (const double x : of_length) *to++ = std::llround(x / unit);
  for (const double x : of_one) *to++ = std::llround(x / equal_shapes);
  return key;
}

}  // namespace

ElementMatrix near_reflection(const Element& p, const Element& q, const GroundAt& ground,
                              GreensKernel kernel) {
  const Medium medium = Medium::perfect_ground();
  const ElementMatrix image =
      near_pair(medium.source(p, 1), q, ground.k_rad_per_m, kernel);
  const Complex strength = medium.factor(1) * image_strength(ground.eps);
  const HdComplex c0 = {strength.real(), strength.imag()};
  ElementMatrix m = ground_pair(p, q, ground);
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) m.z[i][j] += c0 * image.z[i][j];
  return m;
}

NearGroundPairs::NearGroundPairs(std::span<const Element> elements,
                                 const GroundAt& ground, GreensKernel kernel,
                                 const Monitor& monitor) {
  const GroundWaves waves = waves_of(ground);
  const bool exact = kernel == GreensKernel::exact;
  std::vector<Vec3> centre, image_centre;
  std::vector<double> reach;
  for (const Element& e : elements) {
    centre.push_back(centre_of(e));
    image_centre.push_back({centre.back().x, centre.back().y, -centre.back().z});
    reach.push_back(
        std::max(near_reach(e.length_m, exact ? e.radius_m : 0, ground.k_rad_per_m),
                 ground_reach(e.length_m, waves)));
  }
  pairs_ =
      close_pairs(image_centre, centre, reach, [&](std::uint32_t p, std::uint32_t q) {
        return !monitor.stopped() &&
               reflection_order(elements[p], elements[q], waves, exact) == 0;
      });
  monitor.check();
  std::unordered_map<PairKey, std::uint32_t, KeyHash> class_of;
  std::vector<std::uint32_t> first, second;
  class_of_pair_.reserve(pairs_.second.size());
  for (std::uint32_t p = 0; p < elements.size(); ++p)
    for (const std::uint32_t q : pairs_.of(p)) {
      const auto number = static_cast<std::uint32_t>(first.size());
      const auto [at, is_new] =
          class_of.emplace(key_of(elements[p], elements[q]), number);
      if (is_new) {
        first.push_back(p);
        second.push_back(q);
      }
      class_of_pair_.push_back(at->second);
    }
  matrices_.resize(first.size());
#pragma omp parallel for schedule(dynamic)
  for (std::size_t i = 0; i < first.size(); ++i)
    if (!monitor.stopped())
      matrices_[i] =
          near_reflection(elements[first[i]], elements[second[i]], ground, kernel);
  monitor.check();
}

ElementMatrix NearGroundPairs::at(std::uint32_t p, std::uint32_t q) const {
  if (q > p) return transposed(at(q, p));
  const std::span<const std::uint32_t> row = pairs_.of(p);
  const auto found = std::lower_bound(row.begin(), row.end(), q);
  return matrices_[class_of_pair_[pairs_.row[p] + (found - row.begin())]];
}

}  // namespace thinwire
