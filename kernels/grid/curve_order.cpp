#include "kernels/grid/curve_order.h"

#include <algorithm>
#include <cstddef>

#include "kernels/base/morton.h"

namespace thinwire {
namespace {

/// A function and its cube on the curve.
struct Place {
  std::uint64_t key;
  std::uint32_t function;
  bool operator<(const Place& b) const {
    return key != b.key ? key < b.key : function < b.function;
  }
};

/// Parts on all threads, which are then merged.
void sort_places(LargeVector<Place>& places) {
  constexpr int parts = 16;
  const auto border = [&](int part) {
    return places.begin() + static_cast<std::ptrdiff_t>(places.size() * part / parts);
  };
#pragma omp parallel for schedule(dynamic)
  for (int part = 0; part < parts; ++part) std::sort(border(part), border(part + 1));
  for (int width = 1; width < parts; width *= 2)
#pragma omp parallel for schedule(dynamic)
    for (int part = 0; part < parts; part += 2 * width)
      std::inplace_merge(border(part), border(part + width), border(part + 2 * width));
}

}  // namespace

CurveOrder::CurveOrder(std::span<const Element> old_elements,
                       std::span<const BasisFunction> old_basis, double cube) {
  const std::size_t count = old_basis.size();
  const auto place_of = [&](std::size_t m) {
    const BasisFunction& f = old_basis[m];
    const Element& e = old_elements[f.element[0]];
    return e.start_m + (f.end[0] * e.length_m) * e.tangent;
  };
  const Vec3 some = count == 0 ? Vec3{} : place_of(0);
  double low_x = some.x, low_y = some.y, low_z = some.z, high_x = some.x, high_y = some.y,
         high_z = some.z;
#pragma omp parallel for schedule(static) reduction(min                    \
                                                    : low_x, low_y, low_z) \
    reduction(max                                                          \
              : high_x, high_y, high_z)
  for (std::size_t m = 0; m < count; ++m) {
    const Vec3 p = place_of(m);
    low_x = std::min(low_x, p.x);
    low_y = std::min(low_y, p.y);
    low_z = std::min(low_z, p.z);
    high_x = std::max(high_x, p.x);
    high_y = std::max(high_y, p.y);
    high_z = std::max(high_z, p.z);
  }
  const Vec3 low = {low_x, low_y, low_z}, high = {high_x, high_y, high_z};
  const Vec3 extent = high - low;
  const double widest = std::max({extent.x, extent.y, extent.z});
  const double side = std::max(cube, widest / ((1 << morton_bits) - 2));
  LargeVector<Place> places(count);
#pragma omp parallel for schedule(static)
  for (std::size_t m = 0; m < count; ++m) {
    const Vec3 r = (1 / side) * (place_of(m) - low);
    places[m] = {
        morton_code(static_cast<std::uint64_t>(r.z), static_cast<std::uint64_t>(r.y),
                    static_cast<std::uint64_t>(r.x)),
        static_cast<std::uint32_t>(m)};
  }
  sort_places(places);
  function.resize(count);
  basis.resize(count);
  // All threads fetch the scattered data; one assigns the numbers.
#pragma omp parallel for schedule(static)
  for (std::size_t m = 0; m < count; ++m) {
    function[m] = places[m].function;
    basis[m] = old_basis[function[m]];
  }
  constexpr std::uint32_t none = UINT32_MAX;
  std::vector<std::uint32_t> new_number(old_elements.size(), none), old_number;
  old_number.reserve(old_elements.size());
  const auto number = [&](std::uint32_t old) {
    if (new_number[old] == none) {
      new_number[old] = static_cast<std::uint32_t>(old_number.size());
      old_number.push_back(old);
    }
    return new_number[old];
  };
  for (BasisFunction& f : basis) {
    f.element[0] = number(f.element[0]);
    f.element[1] = f.sign[1] != 0 ? number(f.element[1]) : f.element[0];
  }
  elements.resize(old_number.size());
#pragma omp parallel for schedule(static)
  for (std::size_t e = 0; e < elements.size(); ++e)
    elements[e] = old_elements[old_number[e]];
  // Elements without a function carry no current and have no place here.
}

}  // namespace thinwire
