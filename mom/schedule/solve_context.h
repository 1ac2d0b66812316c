#pragma once

#include <memory>
#include <vector>

#include "kernels/base/constants.h"
#include "mom/media/medium.h"
#include "mom/plan/planner.h"
#include "mom/problem/gain_derivatives_of.h"
#include "mom/systems/backend.h"

namespace thinwire {

/// State that all frequencies of a problem share: its plan, with its meshes, and the
/// backend that this names. Several threads may read it at once.
class SolveContext {
 public:
  /// options: those of the plan, with the progress that is left. The arguments must
  /// outlive this. Throws Error{device}, and Error{memory} where nothing fits.
  SolveContext(const Planner& planner, const Options& options,
               GainDerivativesOf derivatives_of);

  const Problem& problem() const { return planner_.problem(); }
  const Options& options() const { return options_; }
  const Run& run(std::size_t index) const { return problem().runs[index]; }
  /// Returns the discretization of a run.
  const Discretization& discretization(std::size_t run) const { return meshes().of(run); }
  const RunMeshes& meshes() const { return planner_.meshes(); }
  /// Returns the meshes of Problem::parameters.
  const VariedStructures& varied() const { return planner_.varied(); }
  GainDerivativesOf derivatives_of() const { return derivatives_of_; }

  const Backend& backend() const;
  /// From here on that one instead, which must outlive this.
  void use(const Backend& backend) { other_backend_ = &backend; }
  /// How to solve a run there.
  const SolverPlan& plan_for(std::size_t run) const { return plans_[run]; }
  /// Returns the input of a System that serves all frequencies of a run.
  SystemInput system_input(std::size_t run) const;

 private:
  std::unique_ptr<Backend> gpu_backend() const;
  Medium widest_medium(std::size_t run) const;

  const Planner& planner_;
  const Options& options_;
  GainDerivativesOf derivatives_of_;
  std::unique_ptr<Backend> gpu_backend_;
  std::unique_ptr<Backend> shared_backend_;  ///< of several ranks
  const Backend* other_backend_ = nullptr;
  std::vector<SolverPlan> plans_;  ///< of the runs
};

}  // namespace thinwire
