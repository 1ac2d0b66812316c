#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace thinwire {

// Common parts of the ground's dyadic tables: boxes next to the corner at 0, one octave
// each, every one the root of a tree of halved boxes.

/// Places are computed in several ways, which differ by rounding.
inline constexpr double place_slack = 1e-9;

inline int octave_of(double x) {
  int exponent = 0;
  std::frexp(x, &exponent);
  return exponent - 1;
}

/// Puts trees one behind the other: box 0 of each to its root's place, in front, the
/// others to the end. numbers: of a cell's polynomial, counting which `next` names it.
template <class Tree, class Box>
void join_trees(const std::vector<std::vector<Tree>>& trees, std::size_t numbers,
                std::vector<Box>& boxes, std::vector<double>& coefficients) {
  boxes.resize(trees.size());
  for (std::size_t root = 0; root < trees.size(); ++root) {
    const Tree& tree = trees[root].front();
    const auto leaves = static_cast<std::uint32_t>(coefficients.size() / numbers);
    const auto shift = static_cast<std::uint32_t>(boxes.size()) - 1;
    for (std::size_t b = 0; b < tree.boxes().size(); ++b) {
      Box box = tree.boxes()[b];
      box.next += box.cut < 0 ? leaves : shift;
      if (b == 0)
        boxes[root] = box;
      else
        boxes.push_back(box);
    }
    coefficients.insert(coefficients.end(), tree.coefficients().begin(),
                        tree.coefficients().end());
  }
}

}  // namespace thinwire
