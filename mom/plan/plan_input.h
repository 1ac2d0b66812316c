#pragma once

#include <map>
#include <optional>
#include <utility>

#include "mom/plan/near_pair_cost.h"
#include "mom/plan/plan.h"
#include "mom/plan/workload.h"

namespace thinwire {

/// A mesh, and what plans count on it: each number once, when first needed, whatever
/// threads, rates and devices the plans are made for.
class CountedMesh {
 public:
  /// The arguments must outlive this.
  CountedMesh(const Discretization& where, const Options& options, const Workload& work)
      : where_(where), options_(options), work_(work) {}

  const Discretization& where() const { return where_; }
  std::size_t unknowns() const { return where_.unknowns(); }
  std::span<const Element> elements() const { return where_.elements(); }
  /// Blocks, boxes and coarse functions (size_of); of a lattice none.
  const ProblemSize& size() const;
  /// Near pairs of the run that has most: its waves the shortest, and images.
  const NearPairCost& near_pairs() const;
  /// Costs of the tables of GN 2 at the highest frequency, on one thread of a CPU with
  /// the default rates.
  const GroundCost& ground() const;
  const BuriedCost& below() const;
  /// The grid of the fft operator at the shortest wave for so much memory, over a real
  /// ground by these rates. Throws as plan_fft.
  const FftPlan& grid(double free_bytes, const GridRates& rates = {}) const;

 private:
  const Discretization& where_;
  const Options& options_;
  const Workload& work_;
  mutable std::optional<ProblemSize> size_;
  mutable std::optional<NearPairCost> near_pairs_;
  mutable std::optional<GroundCost> ground_;
  mutable std::optional<BuriedCost> below_;
  mutable std::map<std::pair<double, GridRates>, FftPlan> grids_;  ///< free bytes, rates
};

/// The input of a choice of where and how to solve.
struct PlanInput {
  const CountedMesh& mesh;
  ProblemSize
      size;  ///< as the choice may use it: without a coarse level, where it may not
  Options options;
  const Workload& work;
  int threads;
  /// False: `auto` keeps to the CPU where it would have to look for a GPU.
  bool looks_for_gpus = true;

  std::size_t unknowns() const { return mesh.unknowns(); }
  /// Memory of each of the ranks of a host: all ranks are to choose the same.
  std::size_t host_free() const { return work.ranks.tightest(0, false).free_bytes; }
  /// These with other options.
  PlanInput with(const Options& other) const {
    PlanInput changed = *this;
    changed.options = other;
    return changed;
  }
};

}  // namespace thinwire
