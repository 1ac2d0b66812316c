#include "mom/discretization/loops.h"

#include <algorithm>
#include <limits>

#include "kernels/base/constants.h"

namespace thinwire {
namespace {

constexpr std::size_t nothing = std::numeric_limits<std::size_t>::max();

/// The graph of independent_loops, and trees in it that span its parts, breadth first, so
/// that loops are short.
class ChargeGraph {
 public:
  ChargeGraph(const Basis& basis, std::size_t elements, bool over_perfect_ground)
      : functions_(basis.functions()),
        ground_(elements),
        grounded_counts_(over_perfect_ground),
        edges_(elements + 1),
        parent_(elements + 1, nothing),
        depth_(elements + 1, nothing) {
    for (std::size_t f = 0; f < functions_.size(); ++f)
      if (counts(f)) {
        edges_[from(f)].push_back(f);
        edges_[to(f)].push_back(f);
      }
    for (std::size_t node = 0; node <= elements; ++node)
      if (depth_[node] == nothing) grow_from(node);
  }

  std::vector<Loop> loops() const {
    std::vector<Loop> loops;
    for (std::size_t f = 0; f < functions_.size(); ++f)
      if (counts(f) && parent_[from(f)] != f && parent_[to(f)] != f)
        loops.push_back(around(f));
    return loops;
  }

 private:
  bool is_grounded(std::size_t f) const { return functions_[f].sign[1] == 0; }
  bool counts(std::size_t f) const { return grounded_counts_ || !is_grounded(f); }
  // A function leads from its first element to its second, or to the ground.
  std::size_t from(std::size_t f) const { return functions_[f].element[0]; }
  std::size_t to(std::size_t f) const {
    return is_grounded(f) ? ground_ : functions_[f].element[1];
  }

  void grow_from(std::size_t root) {
    std::vector<std::size_t> queue = {root};
    depth_[root] = 0;
    for (std::size_t i = 0; i < queue.size(); ++i) {
      const std::size_t node = queue[i];
      for (const std::size_t f : edges_[node]) {
        const std::size_t next = from(f) == node ? to(f) : from(f);
        if (depth_[next] != nothing) continue;
        depth_[next] = depth_[node] + 1;
        parent_[next] = f;
        queue.push_back(next);
      }
    }
  }

  /// Along f, and back through the tree.
  Loop around(std::size_t f) const {
    Loop loop = {{f, 1.0}};
    // From the end of f up to where the ways meet, and down from there to its start.
    std::size_t ahead = to(f), behind = from(f);
    while (ahead != behind) {
      const bool up = depth_[ahead] >= depth_[behind];
      std::size_t& node = up ? ahead : behind;
      const std::size_t edge = parent_[node];
      const bool leaves_node = from(edge) == node;
      loop.push_back({edge, leaves_node == up ? 1.0 : -1.0});
      node = leaves_node ? to(edge) : from(edge);
    }
    return loop;
  }

  const LargeVector<BasisFunction>& functions_;
  std::size_t ground_;
  bool grounded_counts_;
  std::vector<std::vector<std::size_t>> edges_;  ///< at each node
  std::vector<std::size_t> parent_;              ///< the edge to it; none at a root
  std::vector<std::size_t> depth_;
};

}  // namespace

std::vector<Loop> independent_loops(const Basis& basis, std::size_t elements,
                                    bool over_perfect_ground) {
  return ChargeGraph(basis, elements, over_perfect_ground).loops();
}

bool is_small_for_loops(std::span<const Element> elements, Medium medium, double k) {
  double longest_m = 0;
  Vec3 low{1e300, 1e300, 1e300}, high{-1e300, -1e300, -1e300};
  for (const Element& e : elements) {
    longest_m = std::max(longest_m, e.length_m);
    for (const double along : {0.0, e.length_m}) {
      const Vec3 end = e.start_m + along * e.tangent;
      low = {std::min(low.x, end.x), std::min(low.y, end.y), std::min(low.z, end.z)};
      high = {std::max(high.x, end.x), std::max(high.y, end.y), std::max(high.z, end.z)};
    }
  }
  if (medium.sources() > 1) low.z = std::min(low.z, -high.z);
  return k * norm(high - low) < 2 * pi * loops_below_wavelengths &&
         k * longest_m < longest_straight_rad;
}

}  // namespace thinwire
