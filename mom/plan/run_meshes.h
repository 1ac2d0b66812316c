#pragma once

#include <memory>
#include <vector>

#include "mom/discretization/discretization.h"
#include "mom/plan/choose_operator.h"
#include "mom/problem/options.h"
#include "mom/problem/problem.h"

namespace thinwire {

/// Segments towards whose edges a graded mesh of this run is fine: with sources by NEC's
/// EX 0, networks and lumped loads; ascending.
std::vector<std::size_t> gap_segments(const Run& run);

/// Elements longer than this fraction of the wavelength resolve the current poorly.
inline constexpr double coarse_wavelengths = 0.2;

/// Longest segments that are cut: longer ones are mistaken units.
inline constexpr double max_cut_wavelengths = 100;

/// Returns the length of the longest segment in wavelengths at the run's highest
/// frequency where its elements must be cut: sin kL nears its zero at 1/2. They get
/// coarse_wavelengths then. 0: none is too long.
double wavelengths_of_too_long(const Structure& structure, const Run& run);

/// Returns why the proximity effect of a run is not known; null where it is.
const char* why_no_proximity(const Problem& problem, const Run& run,
                             const Options& options);

/// True if the mesh and the matrix of a run include the proximity effect.
bool includes_proximity(const Problem& problem, const Run& run, const Options& options);

/// The meshes of a problem's runs. What a run brings with it shapes its mesh: sources and
/// lumped loads, towards which it is graded, and the ground, to which it connects and in
/// which its elements are short against the waves there. So each run gives what it would
/// give alone; runs that agree in these share one mesh.
class RunMeshes {
 public:
  /// problem must outlive this. Throws Error{geometry}: what WireMesh throws, for a mesh
  /// on which no current can flow, and what choose_operator throws.
  RunMeshes(const Problem& problem, const Options& options);

  const Discretization& of(std::size_t run) const { return *meshes_[of_run_[run]]; }
  /// Whether both runs have the same.
  bool same(std::size_t run, std::size_t other) const {
    return of_run_[run] == of_run_[other];
  }
  /// The one with the most unknowns; of the structure alone where there is no run.
  const Discretization& largest() const;
  /// As Discretization's, of all of them.
  void prepare_proximity(const Monitor& monitor) const;
  double proximity_multiplications() const;
  /// How Z will be kept, on all of them.
  const OperatorPlan& operator_plan() const { return operator_; }

 private:
  OperatorPlan operator_;
  std::vector<std::unique_ptr<Discretization>> meshes_;
  std::vector<std::size_t> of_run_;  ///< index into meshes_
};

}  // namespace thinwire
