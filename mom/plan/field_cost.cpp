#include "mom/plan/field_cost.h"

#include <algorithm>

#include "kernels/fields/far_field.h"
#include "kernels/ground/ground_table_size.h"
#include "mom/media/cliff.h"
#include "mom/media/real_ground.h"
#include "mom/plan/cost_model.h"
#include "mom/problem/gpu_rates.h"

namespace thinwire {
namespace {

/// A reflected term of a pattern in parts likewise: 12 over an edge, 21 over a radial
/// screen too, 40 wires of 147 pieces and 16,200 directions on one thread.
constexpr double cpu_reflected_in_far = 15;

/// Work beside the terms, in terms of the far field: for a wave, for each element of a
/// wave, of a pattern and of a near field, for a direction. Dipoles and arrays, one
/// thread.
constexpr double wave_in_far = 1000, wave_element_in_far = 6, pattern_element_in_far = 75,
                 near_element_in_far = 100, direction_in_far = 25;

/// A term of a near field in those of the far field on a GPU.
constexpr double gpu_near_in_far = 3.6;

// Work over a real ground, in the entries of a fill that one thread has in the same time.

/// Every box of a table that is fitted and every cell: 55 tables over soil, dry ground,
/// fresh water and the sea.
constexpr double box_fills = 1800, cell_fills = 46;
/// Below the surface likewise, 51 tables of dipoles, rods and radial wires over the same
/// grounds, 0.5 to 28 MHz. Across it they take twice the time and about half the bytes.
constexpr double below_box_fills = 9000, below_cell_fills = 84, across_in_below = 2;
/// A pair of elements, or of a point of a near field and an element, by tables; of a
/// point through the ground by integrals; an element's near pairs in the ground. The
/// tables of one solution for points at one height and for a volume. Dipoles and radials
/// of 58 to 5,200 elements in soil and water, 8 to 8,100 points.
constexpr double pair_fills = 17, integral_fills = 140, near_pair_fills = 1300,
                 level_fills = 2.8e5, volume_fills = 1.4e6;

double seconds_of_fills(double entries) {
  return entries / CpuRates().fill_entries_per_s;
}

}  // namespace

FieldTerms field_terms(std::span<const Element> elements, double k_rad_per_m,
                       const FieldPlaces& places) {
  const auto pieces_times = [&](std::size_t directions, double longest_rad) {
    if (directions == 0) return 0.0;
    return static_cast<double>(piece_count(elements, k_rad_per_m, longest_rad)) *
           static_cast<double>(directions);
  };
  FieldTerms terms;
  terms.reflected = pieces_times(places.directions_in_parts, piece_in_parts_rad);
  terms.far = pieces_times(places.directions, 1) + terms.reflected;
  const auto count = static_cast<double>(elements.size());
  terms.near = count * static_cast<double>(places.points);
  terms.beside = wave_in_far * static_cast<double>(places.waves) +
                 wave_element_in_far * count * static_cast<double>(places.formed_waves) +
                 pattern_element_in_far * count * static_cast<double>(places.patterns) +
                 near_element_in_far * count * static_cast<double>(places.near_fields) +
                 direction_in_far *
                     static_cast<double>(places.directions + places.directions_in_parts);
  terms.sum_flops = places.sum_flops;
  terms.beside += direction_in_far * 0.5 * static_cast<double>(places.summed);
  return terms;
}

double field_seconds_on_cpu(FieldTerms terms, const CpuRates& rates, int threads) {
  return (terms.far + cpu_near_in_far * terms.near + terms.beside) /
             (rates.field_terms_per_s * rates.computing_of(threads)) +
         sum_seconds(terms, rates, threads) + reflected_seconds(terms, rates, threads);
}

double sum_seconds(FieldTerms terms, const CpuRates& rates, int threads) {
  return terms.sum_flops /
         (cpu_many_rhs_share * rates.factor_flops_per_s * rates.computing_of(threads));
}

double reflected_seconds(FieldTerms terms, const CpuRates& rates, int threads) {
  return cpu_reflected_in_far * terms.reflected /
         (rates.field_terms_per_s * rates.computing_of(threads));
}

double field_seconds_on_gpu(FieldTerms terms, double share) {
  return (terms.far + gpu_near_in_far * terms.near) / (h200.field_terms_per_s * share);
}

double table_seconds_on_gpu(std::size_t bytes) {
  return bytes == 0 ? 0
                    : h200.stage_s + static_cast<double>(bytes) / h200.copied_bytes_per_s;
}

double share_of_one_thread(const CpuRates& rates, int threads) {
  return CpuRates().fill_entries_per_s /
         (rates.fill_entries_per_s * rates.computing_of(threads));
}

GroundCost ground_cost(std::span<const Element> elements, const Ground& ground,
                       double k_rad_per_m) {
  const GroundTableSize size =
      ground_table_size(ground.permittivity(k_rad_per_m),
                        reflection_places(elements, {k_rad_per_m, k_rad_per_m, 1}));
  return {size.bytes(), seconds_of_fills(box_fills * static_cast<double>(size.boxes) +
                                         cell_fills * static_cast<double>(size.cells))};
}

BuriedCost buried_cost(std::span<const Element> elements, const Ground& ground,
                       double k_rad_per_m) {
  const auto below =
      static_cast<double>(std::count_if(elements.begin(), elements.end(), is_below));
  if (below == 0) return {};
  const double above = static_cast<double>(elements.size()) - below;
  const GroundTableSize size = ground_table_size(
      ground.permittivity(k_rad_per_m),
      reflection_places(elements, {k_rad_per_m, k_rad_per_m, 1}, GroundSide::below));
  const double fills = below_box_fills * static_cast<double>(size.boxes) +
                       below_cell_fills * static_cast<double>(size.cells);
  return {
      above > 0 ? size.bytes() * 3 / 2 : size.bytes(),
      seconds_of_fills(fills * (above > 0 ? 1 + across_in_below : 1)),
      seconds_of_fills(below * (near_pair_fills + pair_fills * (0.5 * below + above)))};
}

double ground_field_seconds(std::size_t elements, const GroundPoints& points,
                            std::size_t solutions) {
  const double count = std::max<double>(1, static_cast<double>(solutions)),
               each = static_cast<double>(elements) / count,
               through = each * static_cast<double>(points.through),
               tables = points.in_volumes ? volume_fills : level_fills;
  return count * seconds_of_fills(
                     pair_fills * each * static_cast<double>(points.in_air) +
                     std::min(integral_fills * through, tables + pair_fills * through));
}

}  // namespace thinwire
