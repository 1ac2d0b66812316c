#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "kernels/element/basis_function.h"
#include "kernels/element/element.h"

namespace thinwire {

/// A chain of elements with bends and steps of radius, a function on every inner node.
struct Chain {
  std::vector<Element> elements;
  std::vector<BasisFunction> basis;
};

inline Chain chain_of(std::size_t count, double length_m, double height_m) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> turn(-0.4, 0.4);
  Chain chain;
  Vec3 at{0, 0, height_m};
  double heading = 0;
  for (std::size_t e = 0; e < count; ++e) {
    if (e % 5 == 4) heading += turn(random);
    const Vec3 t{std::cos(heading), std::sin(heading) * 0.8, std::sin(heading) * 0.6};
    chain.elements.push_back({at, t, length_m, e % 11 < 6 ? 0.001 : 0.0005});
    at = at + length_m * t;
    if (e > 0) {
      const auto n = static_cast<std::uint32_t>(e);
      chain.basis.push_back({{n - 1, n}, {1, 0}, {1, 1}});
    }
  }
  return chain;
}

}  // namespace thinwire
