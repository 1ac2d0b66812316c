#include "kernels/fill/ground_pair_classes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <unordered_map>

namespace thinwire {
namespace {

/// Positions and directions that differ by less, over the elements' lengths, are equal.
constexpr double equal_shapes = 1e-9;

/// All that the matrix of a pair depends on, rounded.
using PairKey = std::array<std::int64_t, 15>;

struct KeyHash {
  std::size_t operator()(const PairKey& key) const {
    return std::hash<std::string_view>()(
        {reinterpret_cast<const char*>(key.data()), sizeof key});
  }
};

bool is_flat(const Element& e) {
  return std::fabs(e.tangent.z) < equal_shapes;
}

/// Turned about the vertical so that the first direction that is not vertical runs along
/// x, and mirrored so that the next points to y > 0.
PairKey key_of(const Element& p, const Element& q, AlikeOverGround alike) {
  const double unit = equal_shapes * (p.length_m + q.length_m);
  const Vec3 step = q.start_m - p.start_m;
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
  const Vec3 tp = turned(p.tangent);
  Vec3 tq = turned(q.tangent), d = turned(step);
  const double side = std::fabs(tq.y) > 1e-6 ? tq.y : d.y;
  if (side < 0) {
    tq.y = -tq.y;
    d.y = -d.y;
  }
  const bool flat = alike == AlikeOverGround::in_reflection && is_flat(p) && is_flat(q);
  const double sum = p.start_m.z + q.start_m.z, difference = flat ? 0 : d.z;
  const double of_length[] = {d.x,        d.y,        sum,        difference,
                              p.length_m, q.length_m, p.radius_m, q.radius_m};
  const double of_one[] = {tp.x, tp.y, tp.z, tq.x, tq.y, tq.z};
  PairKey key;
  auto* to = key.data();
  for (const double x : of_length) *to++ = std::llround(x / unit);
  for (const double x : of_one) *to++ = std::llround(x / equal_shapes);
  // Else pairs and their scaled copies would be alike.
  *to++ = std::llround(std::log(p.length_m + q.length_m) / equal_shapes);
  return key;
}

}  // namespace

std::vector<GroundPairMatrices::Pair> GroundPairMatrices::classify(
    std::span<const Element> elements, AlikeOverGround alike) {
  std::unordered_map<PairKey, std::uint32_t, KeyHash> class_of;
  std::vector<Pair> first;
  class_of_pair_.reserve(pairs_.second.size());
  for (std::uint32_t p = 0; p < elements.size(); ++p)
    for (const std::uint32_t q : pairs_.of(p)) {
      const auto number = static_cast<std::uint32_t>(first.size());
      const auto [at, is_new] =
          class_of.emplace(key_of(elements[p], elements[q], alike), number);
      if (is_new) first.push_back({p, q});
      class_of_pair_.push_back(at->second);
    }
  return first;
}

const ElementMatrix* GroundPairMatrices::find(std::uint32_t p, std::uint32_t q) const {
  const std::span<const std::uint32_t> row = pairs_.of(p);
  const auto found = std::lower_bound(row.begin(), row.end(), q);
  if (found == row.end() || *found != q) return nullptr;
  return &matrices_[class_of_pair_[pairs_.row[p] + (found - row.begin())]];
}

}  // namespace thinwire
