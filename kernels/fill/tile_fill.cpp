#include "kernels/fill/tile_fill.h"

#include <algorithm>
#include <vector>

#include "kernels/element/near_pair.h"
#include "kernels/element/quadrature_order.h"
#include "kernels/fill/buried_pairs.h"
#include "kernels/fill/near_ground_pairs.h"
#include "kernels/ground/coefficient_ground.h"

namespace thinwire {
namespace {

constexpr std::size_t tile = PackedTiles::tile;

/// Returns the number of lanes, in whole groups, that hold the elements of all functions
/// up to the last one with a term on lane p: the part of a diagonal tile's lower half
/// that p needs.
std::size_t lanes_below(const TileSide& side, std::size_t p) {
  std::int32_t last_row = 0;
  for (std::int32_t t = side.row_first[2 * p]; t < side.row_first[2 * p + 2]; ++t)
    last_row = std::max(last_row, side.row_terms[t].row);
  std::size_t last_lane = 0;
  for (std::int32_t row = 0; row <= last_row; ++row)
    for (const auto& index : side.term_index)
      last_lane = std::max(last_lane, static_cast<std::size_t>(index[row]) % side.lanes);
  return (last_lane / TileSide::lane_group + 1) * TileSide::lane_group;
}

}  // namespace

ElementMatrix FillInput::near_pair(std::uint32_t p, std::uint32_t q, int s) const {
  if (near) return near->at(p, q, s);
  // As the table does: the source is that of the later element.
  if (q > p) return transposed(near_pair(q, p, s));
  return thinwire::near_pair(medium.source(elements[p], s), elements[q], k_rad_per_m,
                             kernel);
}

ElementMatrix FillInput::near_reflection(std::uint32_t p, std::uint32_t q) const {
  if (near_ground) return near_ground->at(p, q);
  if (q > p) return transposed(near_reflection(q, p));
  return thinwire::near_reflection(elements[p], elements[q], *ground, kernel);
}

void TileFill::choose_rules(const Element& p, const TileSide& q, LaneChoice choice) {
  const Vec3 c = p.start_m + 0.5 * p.length_m * p.tangent;
  const bool exact = input_.kernel == GreensKernel::exact;
  const PairLimit limit = input_.limit();
  near_lanes_.clear();
  rules_.assign(choice.lanes / TileSide::lane_group, {2, false});
  // A group of near lanes alone needs no far rule.
  group_wanted_.assign(rules_.size(), 0);
  for (std::size_t l = 0; l < choice.lanes; ++l) {
    if (!choice.wanted.empty() && !choice.wanted[l]) continue;
    FarRuleChoice& rule = rules_[l / TileSide::lane_group];
    const double distance = norm(c - Vec3{q.centre_x[l], q.centre_y[l], q.centre_z[l]});
    const double length = std::max(p.length_m, q.length_m[l]);
    const double radius = exact ? std::max(p.radius_m, q.radius_m[l]) : 0;
    const int order = far_order(distance, length, radius, limit);
    if (order == 0) {
      if (l < q.used_lanes) near_lanes_.push_back(static_cast<std::int32_t>(l));
      continue;
    }
    if (l < q.used_lanes) group_wanted_[l / TileSide::lane_group] = 1;
    rule.order = std::max(rule.order, order);
    rule.series |= exact && wants_series(distance, length, radius, limit);
  }
}

const LaneMatrices& TileFill::element_matrices(std::uint32_t p_index, int s,
                                               const TileSide& q,
                                               std::span<const std::uint8_t> wanted) {
  lane_matrices_.reset(q.lanes);
  add_element(p_index, {input_.elements[p_index]}, s, q, {q.lanes, wanted});
  return lane_matrices_;
}

/// Adds what source s of p (medium.h) and the chosen lanes of q give to lane_matrices_.
/// Sources have the shape values of p.
void TileFill::add_element(std::uint32_t p_index, SideElement p, int s, const TileSide& q,
                           LaneChoice choice) {
  p.element = input_.medium.source(p.element, s);
  const double scale = input_.medium.factor(s);
  choose_rules(p.element, q, choice);
  // The far rule also runs over lanes that are near, so what stood there is put back
  // below.
  ElementMatrix before[2 * tile];
  for (std::size_t i = 0; i < near_lanes_.size(); ++i)
    for (int e = 0; e < 2; ++e)
      for (int f = 0; f < 2; ++f) {
        const std::size_t at = f * q.lanes + near_lanes_[i];
        before[i].z[e][f] = {lane_matrices_.re[e][at], lane_matrices_.im[e][at]};
      }
  for (std::size_t group = 0; group < rules_.size();) {
    std::size_t end = group + 1;
    while (end < rules_.size() && rules_[end] == rules_[group] &&
           group_wanted_[end] == group_wanted_[group])
      ++end;
    if (group_wanted_[group])
      add_far_lanes(rules_[group], p, q, group * TileSide::lane_group,
                    end * TileSide::lane_group, input_.k_rad_per_m, input_.kernel, scale,
                    lane_matrices_);
    group = end;
  }
  for (std::size_t i = 0; i < near_lanes_.size(); ++i) {
    const auto lane = static_cast<std::size_t>(near_lanes_[i]);
    const ElementMatrix m = input_.near_pair(p_index, q.element_index[lane], s);
    for (int e = 0; e < 2; ++e)
      for (int f = 0; f < 2; ++f) {
        const HdComplex sum = before[i].z[e][f] + scale * m.z[e][f];
        lane_matrices_.re[e][f * q.lanes + lane] = sum.re;
        lane_matrices_.im[e][f * q.lanes + lane] = sum.im;
      }
  }
}

/// Adds what a ground reflects by reflection coefficients.
void TileFill::add_surface(std::uint32_t p_index, const TileSide& q, std::size_t lanes) {
  for (std::size_t l = 0; l < std::min(lanes, q.used_lanes); ++l) {
    const ElementMatrix m = coefficient_pair(
        input_.elements[p_index], input_.elements[q.element_index[l]], *input_.surface);
    for (int e = 0; e < 2; ++e)
      for (int f = 0; f < 2; ++f) {
        lane_matrices_.re[e][f * q.lanes + l] += m.z[e][f].re;
        lane_matrices_.im[e][f * q.lanes + l] += m.z[e][f].im;
      }
  }
}

/// Adds what the sources of p in the medium give; of elements in the ground any numbers.
void TileFill::add_direct(const TileSide& rows, std::size_t p_lane, const TileSide& q,
                          std::size_t lanes) {
  const std::uint32_t p_index = rows.element_index[p_lane];
  LaneChoice choice = {lanes};
  if (input_.buried) {
    if (is_below(input_.elements[p_index])) return;
    above_.assign(lanes, 0);
    for (std::size_t l = 0; l < std::min(lanes, q.used_lanes); ++l)
      above_[l] = !is_below(q.elements[l]);
    choice.wanted = above_;
  }
  for (int s = 0; s < input_.medium.sources(); ++s)
    add_element(p_index, {input_.elements[p_index], &rows, p_lane}, s, q, choice);
}

/// Sets what p has with elements in the ground, or all where it lies there itself.
void TileFill::set_buried(std::uint32_t p_index, const TileSide& q, std::size_t lanes) {
  const bool p_below = is_below(input_.elements[p_index]);
  for (std::size_t l = 0; l < std::min(lanes, q.used_lanes); ++l) {
    if (!p_below && !is_below(q.elements[l])) continue;
    const ElementMatrix m = input_.buried->at(p_index, q.element_index[l]);
    for (int e = 0; e < 2; ++e)
      for (int f = 0; f < 2; ++f) {
        lane_matrices_.re[e][f * q.lanes + l] = m.z[e][f].re;
        lane_matrices_.im[e][f * q.lanes + l] = m.z[e][f].im;
      }
  }
}

void TileFill::fill(const TileSide& rows, const TileSide& columns, bool diagonal,
                    Complex* out) {
  std::fill_n(out, PackedTiles::tile_entries, Complex{});
  std::vector<std::size_t> lanes_of(rows.used_lanes, columns.lanes);
  if (diagonal)
    for (std::size_t p = 0; p < rows.used_lanes; ++p) lanes_of[p] = lanes_below(rows, p);
  if (input_.ground) ground_.compute(rows, columns, lanes_of);
  for (std::size_t p = 0; p < rows.used_lanes; ++p) {
    const std::size_t lanes = lanes_of[p];
    lane_matrices_.reset(columns.lanes);
    if (!input_.ground_alone) add_direct(rows, p, columns, lanes);
    if (input_.ground) ground_.add_to(p, lane_matrices_);
    if (input_.surface) add_surface(rows.element_index[p], columns, lanes);
    if (input_.buried) set_buried(rows.element_index[p], columns, lanes);
    for (int end = 0; end < 2; ++end) add_rows(rows, 2 * p + end, end, columns, out);
  }
  if (diagonal)
    for (std::size_t i = 0; i < tile; ++i)
      for (std::size_t j = i + 1; j < tile; ++j) out[i * tile + j] = out[j * tile + i];
}

/// Adds the lane matrices' row `end` to the rows of the tile whose functions have that
/// term.
void TileFill::add_rows(const TileSide& rows, std::size_t group, int end,
                        const TileSide& columns, Complex* out) const {
  const std::int32_t first = rows.row_first[group], last = rows.row_first[group + 1];
  if (first == last) return;
  double re[tile], im[tile];
  const double *z_re = lane_matrices_.re[end].data(),
               *z_im = lane_matrices_.im[end].data();
  for (std::size_t n = 0; n < tile; ++n) {
    const std::int32_t i = columns.term_index[0][n], j = columns.term_index[1][n];
    const double s = columns.term_sign[0][n], t = columns.term_sign[1][n];
    re[n] = s * z_re[i] + t * z_re[j];
    im[n] = s * z_im[i] + t * z_im[j];
  }
  for (std::int32_t term = first; term < last; ++term) {
    const TileSide::RowTerm& row = rows.row_terms[term];
    auto* line = reinterpret_cast<double*>(out + row.row * tile);
    for (std::size_t n = 0; n < tile; ++n) {
      line[2 * n] += row.sign * re[n];
      line[2 * n + 1] += row.sign * im[n];
    }
  }
}

}  // namespace thinwire
