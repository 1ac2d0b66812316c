#include "mom/preconditioners/boxes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <unordered_set>
#include <utility>

#include "kernels/base/morton.h"
#include "kernels/base/parallel.h"

namespace thinwire {
namespace {

Vec3 smaller(Vec3 a, Vec3 b) {
  return {std::min(a.x, b.x), std::min(a.y, b.y), std::min(a.z, b.z)};
}
Vec3 larger(Vec3 a, Vec3 b) {
  return {std::max(a.x, b.x), std::max(a.y, b.y), std::max(a.z, b.z)};
}
bool below(Vec3 a, Vec3 b) {
  return a.x <= b.x && a.y <= b.y && a.z <= b.z;
}

/// A function, and the term by which one leaves it.
struct Step {
  std::uint32_t function;
  int leaving;
};

/// Walks along wires through functions that have not been seen.
class Walk {
 public:
  explicit Walk(const Discretization& where)
      : where_(where), seen_(where.unknowns(), false) {}

  /// Appends what one meets when one leaves `from`, until no new function follows.
  void follow(Step from, std::vector<std::uint32_t>& met) {
    while (const std::optional<Step> next = next_of(from)) {
      seen_[next->function] = true;
      met.push_back(next->function);
      from = *next;
    }
  }
  bool start(std::uint32_t function) {
    if (seen_[function]) return false;
    seen_[function] = true;
    return true;
  }

 private:
  /// Along the element of the term, and straight on at its other end.
  std::optional<Step> next_of(Step from) const {
    const auto& functions = where_.basis().functions();
    const BasisFunction& f = functions[from.function];
    if (f.sign[from.leaving] == 0) return std::nullopt;
    const std::uint32_t element = f.element[from.leaving];
    const int end = 1 - f.end[from.leaving];
    const Vec3 along = away_from(element, 1 - end);
    std::optional<Step> best;
    double straightest = -std::numeric_limits<double>::infinity();
    for (const BasisWeight& weight : where_.basis().at(element, end)) {
      const auto number = static_cast<std::uint32_t>(weight.function);
      const BasisFunction& g = functions[number];
      if (seen_[number]) continue;
      const int leaving = g.element[0] == element && g.end[0] == end ? 1 : 0;
      const double straight =
          g.sign[leaving] == 0
              ? -2
              : dot(along, away_from(g.element[leaving], g.end[leaving]));
      if (straight <= straightest) continue;
      straightest = straight;
      best = {number, leaving};
    }
    return best;
  }
  /// The direction in which an element leaves the node at its `end`.
  Vec3 away_from(std::uint32_t element, int end) const {
    const Vec3 tangent = where_.elements()[element].tangent;
    return end == 0 ? tangent : -tangent;
  }

  const Discretization& where_;
  std::vector<bool> seen_;
};

std::uint64_t morton_of(const std::array<std::int64_t, 3>& key) {
  const auto bits = [&key](int axis) { return static_cast<std::uint64_t>(key[axis]); };
  return morton_code(bits(0), bits(1), bits(2));
}

}  // namespace

double cell_length_m(const Discretization& where) {
  std::vector<double> lengths;
  for (const Element& element : where.elements()) lengths.push_back(element.length_m);
  if (lengths.empty()) return 0;
  double rest = 0.5 * std::accumulate(lengths.begin(), lengths.end(), 0.0);
  // The one sought is among those from first to last; all before are longer.
  auto first = lengths.begin(), last = lengths.end();
  while (last - first > 1) {
    const auto middle = first + (last - first) / 2;
    std::nth_element(first, middle, last, std::greater<>());
    const double longer = std::accumulate(first, middle, 0.0);
    if (longer >= rest) {
      last = middle;
    } else {
      rest -= longer;
      first = middle;
    }
  }
  return *first;
}

std::vector<std::uint32_t> functions_along_wires(const Discretization& where) {
  Walk walk(where);
  std::vector<std::uint32_t> order, behind;
  for (std::uint32_t m = 0; m < where.unknowns(); ++m) {
    if (!walk.start(m)) continue;
    behind.clear();
    walk.follow({m, 0}, behind);
    order.insert(order.end(), behind.rbegin(), behind.rend());
    order.push_back(m);
    walk.follow({m, 1}, order);
  }
  return order;
}

FunctionPlaces::FunctionPlaces(const Discretization& where)
    : where_(where),
      cell_m_(cell_length_m(where)),
      shapes_(where, {}, cell_m_),
      antennas_(antennas_of_basis(where)) {
  for (const Antenna& antenna : antennas_) {
    const std::vector<std::uint32_t>& functions = antenna.functions;
    const auto first = static_cast<std::uint32_t>(functions_.size()),
               count = static_cast<std::uint32_t>(functions.size());
    functions_.insert(functions_.end(), functions.begin(), functions.end());
    if (count > largest_whole_antenna) {
      const std::size_t before = units_.size();
      units_.resize(before + count);
      for_each_cheap(count, [&](std::size_t i) {
        units_[before + i] = {shapes_.place_m(functions[i]),
                              first + static_cast<std::uint32_t>(i), 1};
      });
      continue;
    }
    Vec3 sum;
    for (const std::uint32_t m : functions) sum = sum + shapes_.place_m(m);
    units_.push_back({(1 / static_cast<double>(count)) * sum, first, count});
  }
  if (!units_.empty()) low_m_ = high_m_ = units_.front().place_m;
  for (const Unit& unit : units_) {
    low_m_ = smaller(low_m_, unit.place_m);
    high_m_ = larger(high_m_, unit.place_m);
  }
}

/// Sorts functions along the wires.
class FunctionPlaces::WireOrder {
 public:
  explicit WireOrder(const Discretization& where) : rank_(where.unknowns()) {
    const std::vector<std::uint32_t> order = functions_along_wires(where);
    for (std::uint32_t i = 0; i < order.size(); ++i) rank_[order[i]] = i;
  }
  void sort(std::span<std::uint32_t> functions) const {
    std::ranges::sort(functions, {}, [this](std::uint32_t m) { return rank_[m]; });
  }

 private:
  std::vector<std::uint32_t> rank_;  // [functions]
};

/// The units sorted into cubes.
class FunctionPlaces::Grid {
 public:
  Grid(const FunctionPlaces& places, BoxSize size)
      : places_(places), overlap_m_(size.overlap * places.cell_m_) {
    // As many boxes along each axis as cubes would be, all alike, so that no sliver is
    // left at an end.
    const Vec3 edges = places.edges_m();
    const double all[] = {edges.x, edges.y, edges.z};
    for (int axis = 0; axis < 3; ++axis) {
      const double cubes = std::ceil(all[axis] / (size.box * places.cell_m_) - 1e-6);
      count_[axis] = static_cast<std::int64_t>(
          std::clamp(cubes, 1.0, static_cast<double>(1 << morton_bits)));
      edge_m_[axis] = all[axis] / static_cast<double>(count_[axis]);
    }
    const auto count = static_cast<std::uint32_t>(places.units_.size());
    LargeVector<std::uint64_t> code_of(count);
    for_each_cheap(count, [&](std::size_t u) {
      code_of[u] = morton_of(key_of(places.units_[u].place_m));
    });
    // Units stand along the wires, so that many neighbours are in one box.
    std::vector<std::pair<std::uint64_t, std::uint32_t>> runs;  // by their first unit
    for (std::uint32_t u = 0; u < count; ++u)
      if (u == 0 || code_of[u] != code_of[u - 1]) runs.emplace_back(code_of[u], u);
    std::sort(runs.begin(), runs.end());
    order_.reserve(count);
    for (const auto& [code, first] : runs) {
      if (code_.empty() || code != code_.back()) {
        code_.push_back(code);
        first_.push_back(static_cast<std::uint32_t>(order_.size()));
      }
      for (std::uint32_t u = first; u < count && code_of[u] == code; ++u)
        order_.push_back(u);
    }
    first_.push_back(count);
  }

  std::size_t boxes() const { return code_.size(); }

  template <class Visit>
  void for_own(std::size_t box, const Visit& visit) const {
    for (std::uint32_t i = first_[box]; i < first_[box + 1]; ++i)
      visit(places_.units_[order_[i]]);
  }

  /// visit(unit) for those of other boxes that the overlap holds.
  template <class Visit>
  void for_neighbours(std::size_t box, const Visit& visit) const {
    Vec3 low = places_.high_m_, high = places_.low_m_;
    for_own(box, [&](const Unit& unit) {
      low = smaller(low, unit.place_m);
      high = larger(high, unit.place_m);
    });
    // Places on the border count, whatever their rounding.
    const double reach = overlap_m_ + 1e-6 * places_.cell_m_;
    low = low - Vec3{reach, reach, reach};
    high = high + Vec3{reach, reach, reach};
    const auto from = key_of(larger(low, places_.low_m_)),
               to = key_of(smaller(high, places_.high_m_));
    std::array<std::int64_t, 3> key;
    for (key[0] = from[0]; key[0] <= to[0]; ++key[0])
      for (key[1] = from[1]; key[1] <= to[1]; ++key[1])
        for (key[2] = from[2]; key[2] <= to[2]; ++key[2]) {
          const auto at = std::lower_bound(code_.begin(), code_.end(), morton_of(key));
          const auto other = static_cast<std::size_t>(at - code_.begin());
          if (at == code_.end() || *at != morton_of(key) || other == box) continue;
          for_own(other, [&](const Unit& unit) {
            if (below(low, unit.place_m) && below(unit.place_m, high)) visit(unit);
          });
        }
  }

 private:
  std::array<std::int64_t, 3> key_of(Vec3 place_m) const {
    const Vec3 from = place_m - places_.low_m_;
    const double along[] = {from.x, from.y, from.z};
    std::array<std::int64_t, 3> key = {0, 0, 0};
    for (int axis = 0; axis < 3; ++axis)
      if (edge_m_[axis] > 0)
        key[axis] = std::min(
            static_cast<std::int64_t>(std::floor(along[axis] / edge_m_[axis] + 1e-6)),
            count_[axis] - 1);
    return key;
  }

  const FunctionPlaces& places_;
  double overlap_m_;
  std::array<std::int64_t, 3> count_;  ///< boxes along each axis
  std::array<double, 3> edge_m_;       ///< of a box
  LargeVector<std::uint32_t> order_;   ///< units, box by box
  std::vector<std::uint64_t> code_;    ///< of each box, ascending
  std::vector<std::uint32_t> first_;   ///< [boxes + 1] in order_
};

std::vector<OverlappingSet> FunctionPlaces::boxes(BoxSize size) const {
  const Grid grid(*this, size);
  const WireOrder along_wires(where_);
  std::vector<OverlappingSet> sets(grid.boxes());
#pragma omp parallel for schedule(dynamic)
  for (std::size_t box = 0; box < sets.size(); ++box) {
    std::vector<std::uint32_t>& functions = sets[box].functions;
    const auto add = [&](const Unit& unit) {
      const auto more = functions_of(unit);
      functions.insert(functions.end(), more.begin(), more.end());
    };
    grid.for_own(box, add);
    along_wires.sort(functions);
    sets[box].own = functions.size();
    grid.for_neighbours(box, add);
    along_wires.sort(std::span(functions).subspan(sets[box].own));
  }
  return sets;
}

std::vector<OverlapExtent> FunctionPlaces::extents(std::span<const BoxSize> sizes,
                                                   bool over_ground) const {
  std::vector<std::unique_ptr<Grid>> grids(sizes.size());
  for_each_parallel(sizes.size(), [&](std::size_t s) {
    grids[s] = std::make_unique<Grid>(*this, sizes[s]);
  });
  std::vector<std::size_t> first = {0};  // of each size's boxes
  for (const auto& grid : grids) first.push_back(first.back() + grid->boxes());
  struct Box {
    std::size_t own, all;
    std::uint64_t key;
  };
  std::vector<Box> boxes(first.back());
  // All sizes together: the work of one is too uneven for a thread.
  for_each_parallel(boxes.size(), [&](std::size_t b) {
    const auto size = std::upper_bound(first.begin(), first.end(), b) - first.begin() - 1;
    const Grid& grid = *grids[static_cast<std::size_t>(size)];
    const std::size_t box = b - first[static_cast<std::size_t>(size)];
    std::vector<std::uint32_t> own, around;
    const auto add_to = [this](std::vector<std::uint32_t>& functions) {
      return [this, &functions](const Unit& unit) {
        const auto more = functions_of(unit);
        functions.insert(functions.end(), more.begin(), more.end());
      };
    };
    grid.for_own(box, add_to(own));
    grid.for_neighbours(box, add_to(around));
    boxes[b] = {own.size(), own.size() + around.size(),
                shapes_.set_key(own, around, over_ground)};
  });
  std::vector<OverlapExtent> extents(sizes.size());
  for (std::size_t s = 0; s < sizes.size(); ++s) {
    std::unordered_set<std::uint64_t> seen;
    for (std::size_t b = first[s]; b < first[s + 1]; ++b)
      extents[s].add(boxes[b].own, boxes[b].all, !seen.insert(boxes[b].key).second);
  }
  return extents;
}

std::vector<std::size_t> FunctionPlaces::block_sizes() const {
  std::vector<std::size_t> sizes;
  const auto halve = [&](auto&& again, std::size_t size) -> void {
    if (size <= largest_whole_antenna) {
      sizes.push_back(size);
      return;
    }
    again(again, size / 2);
    again(again, size - size / 2);
  };
  for (const Antenna& antenna : antennas_) halve(halve, antenna.functions.size());
  return sizes;
}

bool FunctionPlaces::encloses() const {
  // Directions by the squares of a cube around the middle, large enough for hulls of a
  // few cells. A dish whose depth is a fifth of its diameter is in two thirds of them.
  constexpr int squares = 3;
  constexpr double nearly_all = 0.9;
  std::array<bool, 6 * squares* squares> seen = {};
  Vec3 sum;
  for (const Unit& unit : units_) sum = sum + unit.place_m;
  const Vec3 middle = (1 / static_cast<double>(units_.size())) * sum;
  for (const Unit& unit : units_) {
    const Vec3 v = unit.place_m - middle;
    const double along[] = {v.x, v.y, v.z};
    int axis = 0;
    for (int i = 1; i < 3; ++i)
      if (std::abs(along[i]) > std::abs(along[axis])) axis = i;
    if (along[axis] == 0) continue;
    int square = 2 * axis + (along[axis] > 0 ? 1 : 0);
    for (int i = 0; i < 3; ++i)
      if (i != axis) {
        const double at = 0.5 * squares * (along[i] / std::abs(along[axis]) + 1);
        square = squares * square + std::clamp(static_cast<int>(at), 0, squares - 1);
      }
    seen[static_cast<std::size_t>(square)] = true;
  }
  const auto count = std::count(seen.begin(), seen.end(), true);
  return static_cast<double>(count) >= nearly_all * static_cast<double>(seen.size());
}

std::vector<std::vector<std::uint32_t>> FunctionPlaces::blocks() const {
  const WireOrder along_wires(where_);
  std::vector<std::vector<std::uint32_t>> blocks;
  // Units of one function each, of one antenna.
  const auto cut = [&](auto&& again, std::span<Unit> units) -> void {
    if (units.size() <= largest_whole_antenna) {
      std::vector<std::uint32_t>& block = blocks.emplace_back();
      for (const Unit& unit : units) block.push_back(functions_of(unit).front());
      along_wires.sort(block);
      return;
    }
    Vec3 low = units.front().place_m, high = low;
    for (const Unit& unit : units) {
      low = smaller(low, unit.place_m);
      high = larger(high, unit.place_m);
    }
    const Vec3 edges = high - low;
    double Vec3::*axis = &Vec3::x;
    if (edges.y > edges.*axis) axis = &Vec3::y;
    if (edges.z > edges.*axis) axis = &Vec3::z;
    const std::size_t half = units.size() / 2;
    std::nth_element(units.begin(), units.begin() + static_cast<std::ptrdiff_t>(half),
                     units.end(), [axis](const Unit& u, const Unit& v) {
                       return u.place_m.*axis != v.place_m.*axis
                                  ? u.place_m.*axis < v.place_m.*axis
                                  : u.first < v.first;
                     });
    again(again, units.first(half));
    again(again, units.subspan(half));
  };
  std::size_t next = 0;
  for (const Antenna& antenna : antennas_) {
    if (antenna.functions.size() <= largest_whole_antenna) {
      const auto functions = functions_of(units_[next++]);
      along_wires.sort(blocks.emplace_back(functions.begin(), functions.end()));
      continue;
    }
    std::vector<Unit> units(
        units_.begin() + static_cast<std::ptrdiff_t>(next),
        units_.begin() + static_cast<std::ptrdiff_t>(next + antenna.functions.size()));
    next += antenna.functions.size();
    cut(cut, units);
  }
  return blocks;
}

}  // namespace thinwire
