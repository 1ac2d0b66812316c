#include "kernels/fill/tile_side.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "kernels/base/simd_clones.h"
#include "kernels/element/shape_point.h"

namespace thinwire {
namespace {

THINWIRE_SIMD_CLONES
void set_points(std::span<const double> length_m, double node, double weight, double k,
                double* __restrict value_0, double* __restrict value_1,
                double* __restrict derivative_0, double* __restrict derivative_1) {
  THINWIRE_INDEPENDENT_STEPS
  for (std::size_t lane = 0; lane < length_m.size(); ++lane) {
    const ShapeValues at = shape_values(length_m[lane], node, weight, k);
    value_0[lane] = at.value[0];
    value_1[lane] = at.value[1];
    derivative_0[lane] = at.derivative[0];
    derivative_1[lane] = at.derivative[1];
  }
}

LanePoints make_points(std::span<const double> length_m, int order, double k) {
  const std::size_t lanes = length_m.size();
  const GaussRule rule = gauss_rule(order);
  LanePoints p;
  for (auto* v : {&p.value[0], &p.value[1], &p.derivative[0], &p.derivative[1]})
    v->resize(lanes * order);
  for (int b = 0; b < order; ++b) {
    const std::size_t at = b * lanes;
    set_points(length_m, rule.node[b], rule.weight[b], k, &p.value[0][at],
               &p.value[1][at], &p.derivative[0][at], &p.derivative[1][at]);
  }
  return p;
}

/// All that a side keeps of its lanes, from element_index and the first of `elements`.
void set_lanes(TileSide& side, double k_rad_per_m) {
  side.used_lanes = side.elements.size();
  side.lanes = (side.used_lanes + TileSide::lane_group - 1) / TileSide::lane_group *
               TileSide::lane_group;
  side.elements.resize(side.lanes, side.elements.front());

  for (const Element& e : side.elements) {
    const Vec3 centre = e.start_m + 0.5 * e.length_m * e.tangent;
    side.centre_x.push_back(centre.x);
    side.centre_y.push_back(centre.y);
    side.centre_z.push_back(centre.z);
    side.tangent_x.push_back(e.tangent.x);
    side.tangent_y.push_back(e.tangent.y);
    side.tangent_z.push_back(e.tangent.z);
    side.radius_m.push_back(e.radius_m);
    side.length_m.push_back(e.length_m);
    side.half_m.push_back(0.5 * e.length_m);
    side.start_x.push_back(e.start_m.x);
    side.start_y.push_back(e.start_m.y);
    side.start_z.push_back(e.start_m.z);
  }
  for (int i = 0; i < 4; ++i)
    side.points[i] = make_points(side.length_m, TileSide::orders[i], k_rad_per_m);
}

}  // namespace

TileSide make_element_side(std::span<const Element> elements, std::uint32_t first,
                           std::uint32_t count, double k_rad_per_m) {
  TileSide side;
  for (std::uint32_t e = first; e < first + count; ++e) {
    side.elements.push_back(elements[e]);
    side.element_index.push_back(e);
  }
  set_lanes(side, k_rad_per_m);
  return side;
}

TileSide make_tile_side(std::span<const Element> elements,
                        std::span<const BasisFunction> basis, std::size_t index,
                        double k_rad_per_m) {
  constexpr std::size_t tile = PackedTiles::tile;
  std::vector<std::uint32_t> functions(
      std::min(tile, basis.size() - std::min(index * tile, basis.size())));
  std::iota(functions.begin(), functions.end(), static_cast<std::uint32_t>(index * tile));
  return make_tile_side(elements, basis, functions, k_rad_per_m);
}

TileSide make_tile_side(std::span<const Element> elements,
                        std::span<const BasisFunction> basis,
                        std::span<const std::uint32_t> functions, double k_rad_per_m) {
  constexpr std::size_t tile = PackedTiles::tile;
  TileSide side;
  std::unordered_map<std::uint32_t, std::int32_t> lane_of;
  for (const std::uint32_t m : functions)
    for (int t = 0; t < 2; ++t)
      if (basis[m].sign[t] != 0 &&
          lane_of
              .emplace(basis[m].element[t],
                       static_cast<std::int32_t>(side.elements.size()))
              .second) {
        side.elements.push_back(elements[basis[m].element[t]]);
        side.element_index.push_back(basis[m].element[t]);
      }
  set_lanes(side, k_rad_per_m);
  std::vector<std::vector<TileSide::RowTerm>> groups(2 * side.lanes);
  for (int t = 0; t < 2; ++t) {
    side.term_index[t].assign(tile, 0);
    side.term_sign[t].assign(tile, 0.0);
    for (std::size_t i = 0; i < functions.size(); ++i) {
      const BasisFunction& f = basis[functions[i]];
      if (f.sign[t] == 0) continue;
      const std::int32_t lane = lane_of.at(f.element[t]);
      const auto row = static_cast<std::int32_t>(i);
      side.term_index[t][row] = f.end[t] * static_cast<std::int32_t>(side.lanes) + lane;
      side.term_sign[t][row] = f.sign[t];
      groups[2 * lane + f.end[t]].push_back({row, static_cast<double>(f.sign[t])});
    }
  }
  side.row_first.push_back(0);
  for (const auto& group : groups) {
    side.row_terms.insert(side.row_terms.end(), group.begin(), group.end());
    side.row_first.push_back(static_cast<std::int32_t>(side.row_terms.size()));
  }
  return side;
}

}  // namespace thinwire
