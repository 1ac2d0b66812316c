#include "mom/plan/ground_cost.h"

#include <algorithm>

#include "kernels/ground/ground_table_size.h"
#include "mom/real_ground.h"

namespace thinwire {
namespace {

/// Of one thread, for every box that is fitted and for every cell: the CPU that CpuRates'
/// defaults are of, 55 tables over soil, dry ground, fresh water and the sea.
constexpr double box_s = 1.3e-4, cell_s = 3.3e-6;
/// A point of a near field and an element: 0.17 to 0.9 ms of a dipole of 21 to 75
/// elements, as given and graded, in soil and in fresh water, from beside it to 20 m
/// away.
constexpr double buried_point_s = 4e-4;

double speed_of(const CpuRates& rates) {
  return rates.fill_entries_per_s / CpuRates().fill_entries_per_s;
}

}  // namespace

GroundCost ground_cost(std::span<const Element> elements, const Ground& ground,
                       double k_rad_per_m, const CpuRates& rates, int threads) {
  const GroundTableSize size =
      ground_table_size(ground.permittivity(k_rad_per_m),
                        reflection_places(elements, {k_rad_per_m, k_rad_per_m, 1}));
  const double used = std::min(static_cast<double>(threads), rates.computing_threads);
  return {size.bytes(), (box_s * static_cast<double>(size.boxes) +
                         cell_s * static_cast<double>(size.cells)) /
                            (speed_of(rates) * used)};
}

double buried_field_seconds(std::size_t elements, std::size_t points,
                            const CpuRates& rates, int threads) {
  return buried_point_s * static_cast<double>(elements) * static_cast<double>(points) /
         (speed_of(rates) * std::min<double>(threads, rates.computing_threads));
}

}  // namespace thinwire
