#include "mom/preconditioners/equal_sets.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <unordered_map>
#include <utility>

#include "kernels/base/parallel.h"
#include "mom/preconditioners/boxes.h"

namespace thinwire {
namespace {

/// Lengths are rounded to this part of a cell, or of a unit vector, before they are
/// compared as keys. Ten times what may differ, so that hardly any pair within the
/// tolerance falls to two sides of a step; one that does is only not found.
constexpr double key_step = 1e-4, shape_tolerance = 1e-5;

/// splitmix64 (G. L. Steele, D. Lea, C. H. Flood, OOPSLA 2014).
std::uint64_t mixed(std::uint64_t key, std::uint64_t with) {
  std::uint64_t z = key + 0x9e3779b97f4a7c15u + with;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}
std::uint64_t mixed(std::uint64_t key, Vec3 v, double step) {
  // All positive, so that what the conversion cuts off rounds to the nearest.
  constexpr double rounding = 0x1p40 + 0.5;
  const double steps_a_metre = 1 / step;
  for (const double x : {v.x, v.y, v.z})
    key = mixed(key, static_cast<std::uint64_t>(x * steps_a_metre + rounding));
  return key;
}
/// To 16 bits of its mantissa.
std::uint64_t rounded(double value) {
  return (std::bit_cast<std::uint32_t>(static_cast<float>(value)) + (1u << 6)) >> 7;
}

bool near(Vec3 a, Vec3 b, double most) {
  return std::abs(a.x - b.x) <= most && std::abs(a.y - b.y) <= most &&
         std::abs(a.z - b.z) <= most;
}

}  // namespace

FunctionShapes::FunctionShapes(const Discretization& where,
                               std::span<const MatrixUpdate> loads, double cell_m)
    : where_(where),
      cell_m_(cell_m),
      place_m_(where.unknowns()),
      shape_(where.unknowns()) {
  const auto& functions = where.basis().functions();
  const double step_m = key_step * cell_m_;
  for_each_cheap(functions.size(), [&](std::size_t m) {
    const BasisFunction& f = functions[m];
    std::uint64_t key = 0;
    for (int t = 0; t < 2 && f.sign[t] != 0; ++t) {
      const Element& element = where.elements()[f.element[t]];
      key = mixed(key, static_cast<std::uint64_t>(2 * f.end[t] + (f.sign[t] > 0)));
      key = mixed(key, element.tangent, key_step);
      key = mixed(key, {element.length_m, element.radius_m, 0}, step_m);
    }
    shape_[m] = key;
    place_m_[m] = place_of(f, where.elements());
  });
  // Each function's part of the loads' matrix: its columns by their place beside it.
  std::vector<std::uint64_t> loaded;
  if (!loads.empty()) loaded.resize(functions.size());
  const auto add = [&](std::uint32_t row, std::uint32_t column, Complex value) {
    const std::uint64_t of_column = key(column, place_m(row));
    loaded[row] += mixed(mixed(of_column, rounded(value.real())), rounded(value.imag()));
  };
  for (const MatrixUpdate& load : loads) {
    add(load.row, load.column, load.value);
    if (load.row != load.column) add(load.column, load.row, load.value);
  }
  for (std::size_t m = 0; m < loaded.size(); ++m)
    if (loaded[m] != 0) shape_[m] = mixed(shape_[m], loaded[m]);
}

double FunctionShapes::tolerance_m() const {
  return shape_tolerance * cell_m_;
}

std::uint64_t FunctionShapes::key(std::uint32_t m, Vec3 from_m) const {
  return mixed(shape_[m], place_m(m) - from_m, key_step * cell_m_);
}

bool FunctionShapes::shifted(std::uint32_t a, std::uint32_t b, Vec3 shift_m) const {
  if (shape_[a] != shape_[b]) return false;
  const BasisFunction &f = where_.basis().functions()[a],
                      &g = where_.basis().functions()[b];
  for (int t = 0; t < 2; ++t) {
    if (f.sign[t] != g.sign[t] || f.end[t] != g.end[t]) return false;
    if (f.sign[t] == 0) continue;
    const Element &of_a = where_.elements()[f.element[t]],
                  &of_b = where_.elements()[g.element[t]];
    if (!near(of_a.start_m + shift_m, of_b.start_m, tolerance_m()) ||
        !near(of_a.tangent, of_b.tangent, shape_tolerance) ||
        std::abs(of_a.length_m - of_b.length_m) > tolerance_m() ||
        std::abs(of_a.radius_m - of_b.radius_m) > shape_tolerance * of_a.radius_m)
      return false;
  }
  return true;
}

Vec3 FunctionShapes::low_corner_m(std::span<const std::uint32_t> functions) const {
  Vec3 low = place_m(functions.front());
  for (const std::uint32_t m : functions) {
    const Vec3 place = place_m(m);
    low = {std::min(low.x, place.x), std::min(low.y, place.y), std::min(low.z, place.z)};
  }
  return low;
}

std::uint64_t FunctionShapes::set_key(std::span<const std::uint32_t> own,
                                      std::span<const std::uint32_t> around,
                                      bool over_ground) const {
  const Vec3 low_m = low_corner_m(own);
  std::uint64_t of_own = own.size(), of_around = around.size();
  for (const std::uint32_t m : own) of_own += key(m, low_m);
  for (const std::uint32_t m : around) of_around += key(m, low_m);
  const std::uint64_t both = mixed(of_own, of_around);
  return over_ground ? mixed(both, {0, 0, low_m.z}, key_step * cell_m_) : both;
}

namespace {

/// Functions of a set in an order that sets that are alike share: by their keys, the own
/// ones first.
struct Keyed {
  std::uint64_t key;
  std::uint32_t function, position;
};
std::vector<Keyed> keyed(const FunctionShapes& shapes, const OverlappingSet& set) {
  const Vec3 low_m = shapes.low_corner_m(std::span(set.functions).first(set.own));
  std::vector<Keyed> all(set.functions.size());
  for (std::uint32_t i = 0; i < all.size(); ++i)
    all[i] = {shapes.key(set.functions[i], low_m), set.functions[i], i};
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>(set.own);
  const auto by_key = [](const Keyed& a, const Keyed& b) {
    return std::pair(a.key, a.position) < std::pair(b.key, b.position);
  };
  std::sort(all.begin(), middle, by_key);
  std::sort(middle, all.end(), by_key);
  return all;
}

/// The functions of `set` in the order of `first`; empty where it is not that, shifted.
std::vector<std::uint32_t> in_order_of(const FunctionShapes& shapes,
                                       const OverlappingSet& first,
                                       const OverlappingSet& set, bool over_ground) {
  if (set.own != first.own || set.functions.size() != first.functions.size()) return {};
  const Vec3 shift_m = shapes.low_corner_m(std::span(set.functions).first(set.own)) -
                       shapes.low_corner_m(std::span(first.functions).first(first.own));
  if (over_ground && std::abs(shift_m.z) > shapes.tolerance_m()) return {};
  const std::vector<Keyed> a = keyed(shapes, first), b = keyed(shapes, set);
  std::vector<std::uint32_t> functions(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!shapes.shifted(a[i].function, b[i].function, shift_m)) return {};
    functions[a[i].position] = b[i].function;
  }
  return functions;
}

}  // namespace

void mark_equal_sets(const FunctionShapes& shapes, bool over_ground,
                     std::span<OverlappingSet> sets) {
  std::vector<std::uint64_t> keys(sets.size());
#pragma omp parallel for schedule(dynamic)
  for (std::size_t b = 0; b < sets.size(); ++b) {
    const std::span<const std::uint32_t> all = sets[b].functions;
    keys[b] =
        shapes.set_key(all.first(sets[b].own), all.subspan(sets[b].own), over_ground);
  }
  std::unordered_map<std::uint64_t, std::size_t> first_with;
  std::vector<std::size_t> first(sets.size());
  for (std::size_t b = 0; b < sets.size(); ++b)
    first[b] = first_with.emplace(keys[b], b).first->second;
#pragma omp parallel for schedule(dynamic)
  for (std::size_t b = 0; b < sets.size(); ++b) {
    if (first[b] == b) continue;
    std::vector<std::uint32_t> functions =
        in_order_of(shapes, sets[first[b]], sets[b], over_ground);
    if (functions.empty()) continue;
    sets[b].functions = std::move(functions);
    sets[b].same_as = first[b];
  }
}

std::vector<std::size_t> owners(std::span<const OverlappingSet> sets) {
  std::vector<std::size_t> owner(sets.size());
  for (std::size_t b = 0; b < sets.size(); ++b)
    owner[b] = sets[b].same_as == OverlappingSet::none ? b : sets[b].same_as;
  return owner;
}

std::vector<OverlappingSet> marked_blocks(const Discretization& where, Medium medium,
                                          std::span<const MatrixUpdate> loads) {
  const FunctionPlaces places(where);
  std::vector<OverlappingSet> sets;
  for (std::vector<std::uint32_t>& block : places.blocks()) {
    const std::size_t own = block.size();
    sets.push_back({std::move(block), own});
  }
  mark_equal_sets(FunctionShapes(where, loads, places.cell_m()), medium.sources() > 1,
                  sets);
  return sets;
}

std::vector<OverlappingSet> overlapping_sets(const Discretization& where, BoxSize size,
                                             Medium medium,
                                             std::span<const MatrixUpdate> loads,
                                             const Monitor& monitor) {
  const FunctionPlaces places(where);
  monitor.check();
  std::vector<OverlappingSet> sets = places.boxes(size);
  monitor.check();
  const FunctionShapes shapes(where, loads, places.cell_m());
  monitor.check();
  mark_equal_sets(shapes, medium.sources() > 1, sets);
  return sets;
}

}  // namespace thinwire
