#include "mom/plan/plan_input.h"

#include <algorithm>
#include <limits>

namespace thinwire {
const ProblemSize& CountedMesh::size() const {
  if (size_) return *size_;
  // A lattice's cost is that of its places: its antennas need not be told apart.
  if (where_.lattice()) return size_.emplace();
  size_ = size_of(where_, options_, work_.largest_k_rad_per_m, work_.ground);
  // Real ground takes up the waves between it and a structure: a plate of 150 x 150 cells
  // half a wavelength over soil takes 22 iterations with boxes of 32 cells, in free space
  // 25.
  if (work_.ground_of_largest_k.is_real())
    size_->height = std::numeric_limits<double>::infinity();
  return *size_;
}

const NearPairCost& CountedMesh::near_pairs() const {
  if (near_pairs_) return *near_pairs_;
  near_pairs_.emplace();
  if (work_.sweeps.empty()) return *near_pairs_;
  double k = 0;
  Medium medium;
  for (const Workload::Sweep& sweep : work_.sweeps) {
    k = std::max(k, sweep.range.last);
    if (sweep.medium.sources() > medium.sources()) medium = sweep.medium;
  }
  near_pairs_ = near_pair_cost(elements(), k, options_.kernel, medium);
  return *near_pairs_;
}

const GroundCost& CountedMesh::ground() const {
  if (!ground_)
    ground_ = work_.table_k_rad_per_m == 0
                  ? GroundCost()
                  : ground_cost(elements(), work_.table_ground, work_.table_k_rad_per_m);
  return *ground_;
}

const BuriedCost& CountedMesh::below() const {
  if (!below_)
    below_ = work_.table_k_rad_per_m == 0
                 ? BuriedCost()
                 : buried_cost(elements(), work_.table_ground, work_.table_k_rad_per_m);
  return *below_;
}

const FftPlan& CountedMesh::grid(double free_bytes, const GridRates& rates) const {
  const Ground& ground = work_.ground_of_largest_k;
  // Without a real ground there is nothing that a GPU leaves to the CPU.
  const GridRates used = ground.is_real() ? rates : GridRates();
  FftPlan& grid = grids_[{free_bytes, used}];
  if (grid.elements > 0) return grid;
  const bool images = work_.ground && !work_.real_ground;
  const double k = work_.largest_k_rad_per_m > 0 ? work_.largest_k_rad_per_m : 1;
  grid =
      plan_fft({elements(), where_.basis().functions(), k,
                images ? Medium::perfect_ground() : Medium(), options_.operator_tolerance,
                free_bytes, ground.is_real() ? ground.permittivity(k) : 0, used});
  return grid;
}

}  // namespace thinwire
