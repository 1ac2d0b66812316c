#include "kernels/grid/curve_order.h"

#include <algorithm>
#include <numeric>

namespace thinwire {
namespace {

constexpr int bits = 21;

/// The bits of x, two zeros after each.
std::uint64_t spread_bits(std::uint64_t x) {
  std::uint64_t spread = 0;
  for (int i = 0; i < bits; ++i) spread |= (x >> i & 1) << 3 * i;
  return spread;
}

}  // namespace

CurveOrder::CurveOrder(std::span<const Element> old_elements,
                       std::span<const BasisFunction> old_basis, double cube) {
  std::vector<Vec3> place;
  for (const BasisFunction& f : old_basis) {
    const Element& e = old_elements[f.element[0]];
    place.push_back(e.start_m + (f.end[0] * e.length_m) * e.tangent);
  }
  Vec3 low = place.empty() ? Vec3{} : place.front(), high = low;
  for (const Vec3& p : place) {
    low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
    high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
  }
  const Vec3 extent = high - low;
  const double widest = std::max({extent.x, extent.y, extent.z});
  const double side = std::max(cube, widest / ((1 << bits) - 2));
  std::vector<std::uint64_t> key;
  for (const Vec3& p : place) {
    const Vec3 r = (1 / side) * (p - low);
    key.push_back(spread_bits(static_cast<std::uint64_t>(r.x)) << 2 |
                  spread_bits(static_cast<std::uint64_t>(r.y)) << 1 |
                  spread_bits(static_cast<std::uint64_t>(r.z)));
  }
  function.resize(old_basis.size());
  std::iota(function.begin(), function.end(), 0u);
  std::stable_sort(function.begin(), function.end(),
                   [&](std::uint32_t m, std::uint32_t n) { return key[m] < key[n]; });
  constexpr std::uint32_t none = UINT32_MAX;
  std::vector<std::uint32_t> new_number(old_elements.size(), none);
  const auto number = [&](std::uint32_t old) {
    if (new_number[old] == none) {
      new_number[old] = static_cast<std::uint32_t>(elements.size());
      elements.push_back(old_elements[old]);
    }
    return new_number[old];
  };
  for (const std::uint32_t m : function) {
    BasisFunction f = old_basis[m];
    f.element[0] = number(f.element[0]);
    f.element[1] = f.sign[1] != 0 ? number(f.element[1]) : f.element[0];
    basis.push_back(f);
  }
  // Elements without a function carry no current and have no place here.
}

}  // namespace thinwire
