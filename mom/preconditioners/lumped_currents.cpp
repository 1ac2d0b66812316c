#include "mom/preconditioners/lumped_currents.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "kernels/base/parallel.h"

namespace thinwire {
namespace {

/// A node of the lattice, below 2^20 in each direction, as one number. The blocks of
/// 4 x 4 x 4 nodes come first in the order, so that nodes that follow each other are
/// near.
using LatticeNode = std::array<std::int64_t, 3>;
std::uint64_t key_of(const LatticeNode& node) {
  std::uint64_t block = 0, within = 0;
  for (const std::int64_t i : node) {
    block = block << 18 | static_cast<std::uint64_t>(i >> 2);
    within = within << 2 | static_cast<std::uint64_t>(i & 3);
  }
  return block << 6 | within;
}
LatticeNode node_of(std::uint64_t key) {
  LatticeNode node;
  for (int axis = 0; axis < 3; ++axis) {
    const std::uint64_t block = key >> (42 - 18 * axis) & 0x3ffff,
                        within = key >> (4 - 2 * axis) & 3;
    node[axis] = static_cast<std::int64_t>(block << 2 | within);
  }
  return node;
}

struct NodeLump {
  std::uint64_t key;
  LumpedCurrents::Lump lump;
};

class LumpLattice {
 public:
  LumpLattice(std::span<const Element> elements, double spacing_m)
      : spacing_m_(spacing_m), low_m_{0, 0, 0} {
    if (elements.empty()) return;
    low_m_ = elements.front().start_m;
    for (const Element& e : elements)
      for (const Vec3 at : {e.start_m, e.start_m + e.length_m * e.tangent})
        low_m_ = {std::min(low_m_.x, at.x), std::min(low_m_.y, at.y),
                  std::min(low_m_.z, at.z)};
  }

  Vec3 place_m(const LatticeNode& node) const {
    return low_m_ + spacing_m_ * Vec3{static_cast<double>(node[0]),
                                      static_cast<double>(node[1]),
                                      static_cast<double>(node[2])};
  }

  /// put(node, weight) for the nodes around a place, with trilinear weights.
  template <class Put>
  void around(Vec3 at_m, const Put& put) const {
    // Places on nodes take one of them, whatever their rounding.
    constexpr double rounding = 1e-6;
    const Vec3 from = (1 / spacing_m_) * (at_m - low_m_);
    const double along[3] = {from.x, from.y, from.z};
    LatticeNode node;
    double share[3];
    for (int axis = 0; axis < 3; ++axis) {
      const double whole = std::floor(along[axis] + rounding);
      node[axis] = static_cast<std::int64_t>(whole);
      share[axis] = along[axis] - whole < rounding ? 0 : along[axis] - whole;
    }
    for (int corner = 0; corner < 8; ++corner) {
      LatticeNode at = node;
      double weight = 1;
      for (int axis = 0; axis < 3; ++axis) {
        const int up = corner >> axis & 1;
        at[axis] += up;
        weight *= up == 1 ? share[axis] : 1 - share[axis];
      }
      if (weight > 0) put(at, weight);
    }
  }

 private:
  double spacing_m_;
  Vec3 low_m_;
};

/// Appends the lumps of one coarse function, one for each node.
void append_lumps(const Discretization& where, const CoarseSpace& space,
                  const LumpLattice& lattice, double spacing_m, double k, std::uint32_t c,
                  std::vector<NodeLump>& lumps) {
  std::unordered_map<std::uint64_t, LumpedCurrents::Moment> sums;
  const auto functions = space.restriction.columns_of(c);
  const auto values = space.restriction.values_of(c);
  for (std::size_t i = 0; i < functions.size(); ++i) {
    const BasisFunction& f = where.basis().functions()[functions[i]];
    for (int t = 0; t < 2; ++t) {
      if (f.sign[t] == 0) continue;
      const Element& element = where.elements()[f.element[t]];
      const bool rises = f.end[t] == 1;
      const double kl = k * element.length_m, at_node = f.sign[t] * values[i],
                   scale = at_node / std::sin(kl);
      // Pieces, so that what a sinusoid and its charge have at either end is told apart.
      const auto pieces =
          static_cast<int>(std::max(2.0, std::ceil(element.length_m / spacing_m - 1e-6)));
      for (int piece = 0; piece < pieces; ++piece) {
        // In radians from the end where the current is zero.
        const double near = kl * (rises ? piece : pieces - piece - 1) / pieces,
                     far = near + kl / pieces,
                     integral = scale * (std::cos(near) - std::cos(far)) / k,
                     gain = scale * (std::sin(far) - std::sin(near)) / k;
        const Vec3 m = integral * element.tangent;
        const double s = (piece + 0.5) / pieces * element.length_m;
        const LumpedCurrents::Moment of_piece = {m.x, m.y, m.z, rises ? gain : -gain};
        lattice.around(element.start_m + s * element.tangent,
                       [&](const LatticeNode& node, double weight) {
                         auto& sum = sums[key_of(node)];
                         for (std::size_t j = 0; j < 4; ++j)
                           sum[j] += weight * of_piece[j];
                       });
      }
    }
  }
  const std::size_t begin = lumps.size();
  for (const auto& [key, sum] : sums) lumps.push_back({key, {c, sum}});
  std::sort(lumps.begin() + static_cast<std::ptrdiff_t>(begin), lumps.end(),
            [](const NodeLump& x, const NodeLump& y) { return x.key < y.key; });
}

}  // namespace

LumpedCurrents lumped_currents(const Discretization& where, const CoarseSpace& space,
                               double spacing_m, double k_rad_per_m) {
  const LumpLattice lattice(where.elements(), spacing_m);
  constexpr std::size_t together = 64;
  const std::size_t n = space.size(), chunks = (n + together - 1) / together;
  std::vector<std::vector<NodeLump>> parts(chunks);
  for_each_parallel(chunks, [&](std::size_t c) {
    for (std::size_t f = c * together; f < std::min(n, (c + 1) * together); ++f)
      append_lumps(where, space, lattice, spacing_m, k_rad_per_m,
                   static_cast<std::uint32_t>(f), parts[c]);
  });
  std::vector<NodeLump> all;
  for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
  std::stable_sort(all.begin(), all.end(),
                   [](const NodeLump& a, const NodeLump& b) { return a.key < b.key; });
  LumpedCurrents lumps;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i == 0 || all[i].key != all[i - 1].key) {
      lumps.node_m.push_back(lattice.place_m(node_of(all[i].key)));
      lumps.first.push_back(i);
    }
    lumps.lump.push_back(all[i].lump);
  }
  lumps.first.push_back(all.size());
  return lumps;
}

}  // namespace thinwire
