#pragma once

#include <memory>
#include <vector>

#include "mom/media/medium.h"
#include "mom/plan/choose_device.h"
#include "mom/plan/run_meshes.h"
#include "mom/plan/varied_structures.h"
#include "mom/problem/gain_derivatives_of.h"
#include "mom/systems/backend.h"

namespace thinwire {

/// 2 pi f / c.
double wavenumber_rad_per_m(double frequency_hz);

/// State that all frequencies of a problem share: its meshes, and where and how it is
/// solved. Several threads may read it at once.
class SolveContext {
 public:
  /// Chooses the device. The arguments must outlive this. Throws as choose_device
  /// and VariedStructures do, and Error{memory} where nothing fits.
  SolveContext(const Problem& problem, const Options& options, const RunMeshes& meshes,
               GainDerivativesOf derivatives_of);

  const Problem& problem() const { return problem_; }
  const Options& options() const { return options_; }
  const Run& run(std::size_t index) const { return problem_.runs[index]; }
  /// Returns the discretization of a run.
  const Discretization& discretization(std::size_t run) const { return meshes_.of(run); }
  const RunMeshes& meshes() const { return meshes_; }
  /// Returns the meshes of Problem::parameters.
  const VariedStructures& varied() const { return varied_; }
  GainDerivativesOf derivatives_of() const { return derivatives_of_; }
  GreensKernel kernel() const;

  const Backend& backend() const;
  /// From here on that one instead, which must outlive this.
  void use(const Backend& backend) { other_backend_ = &backend; }
  /// How to solve a run there.
  const SolverPlan& plan_for(std::size_t run) const { return plans_[run]; }
  /// Returns the input of a System that serves all frequencies of a run.
  SystemInput system_input(std::size_t run) const;

 private:
  std::unique_ptr<Backend> gpu_backend() const;
  void make_plans();
  Medium widest_medium(std::size_t run) const;

  const Problem& problem_;
  const Options& options_;
  const RunMeshes& meshes_;
  VariedStructures varied_;
  GainDerivativesOf derivatives_of_;
  Workload work_;
  /// Made once: what is free on a GPU is less when a matrix is there.
  DeviceChoice place_;
  std::unique_ptr<Backend> gpu_backend_;
  std::unique_ptr<Backend> shared_backend_;  ///< of several ranks
  const Backend* other_backend_ = nullptr;
  std::vector<SolverPlan> plans_;  ///< of the runs
};

}  // namespace thinwire
