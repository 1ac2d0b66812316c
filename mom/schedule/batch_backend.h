#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mom/schedule/batch_solver.h"
#include "mom/schedule/solve_context.h"
#include "mom/systems/cpu_system.h"

namespace thinwire {

/// The solve of one problem whose matrices are solved in batches with those of others:
///
///     collect()     the systems of all its runs and frequencies, on any thread
///     take()        their solutions, from a BatchSolver
///     make_system() a System that knows them, so that all else of the solve, fields
///                   included, runs as on the CPU
///
/// What the batch did not solve well, and right-hand sides that it did not have, are
/// solved on the CPU alone; a warning says so.
class BatchBackend final : public CpuBackend {
 public:
  /// Throws as Ports and LoadModel do.
  static std::unique_ptr<BatchBackend> collect(const SolveContext& context);

  const std::vector<BatchSystem>& systems() const { return systems_; }
  /// solver: Backend::name() of who solved. solutions: of systems(), in their order.
  void take(std::string solver, std::vector<BatchSolution>&& solutions);

  std::string name() const override { return name_; }
  std::unique_ptr<System> make_system(const SystemInput& input) const override;

  /// Numbers of the systems of this mesh and wave number with these loads.
  std::vector<std::size_t> matching(const Discretization& discretization,
                                    const FillParameters& parameters) const;
  const BatchSolution& solution(std::size_t number) const { return solutions_[number]; }

 private:
  /// Distinguishes systems, apart from their loads and right-hand sides.
  struct Place {
    const Discretization* discretization;
    double k_rad_per_m;
  };

  std::string name_;
  std::vector<Place> places_;  // of the systems, which stand by runs and frequencies
  std::vector<BatchSystem> systems_;
  std::vector<BatchSolution> solutions_;
};

}  // namespace thinwire
