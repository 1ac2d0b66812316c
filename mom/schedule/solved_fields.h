#pragma once

#include <span>
#include <vector>

#include "kernels/base/monitor.h"
#include "kernels/base/vec3.h"
#include "mom/plan/run_meshes.h"
#include "mom/problem/options.h"
#include "mom/problem/problem.h"
#include "mom/problem/solution.h"

namespace thinwire {

/// Fields of a problem that is solved, asked for afterwards: they follow from the
/// coefficients (Options::keep_coefficients) without solving again. Computed on the CPU.
///
/// `result` is always one of the problem's own, solved with the same options. All
/// functions throw Error{usage} where it has no coefficients, and Error{interrupted}.
class SolvedFields {
 public:
  /// problem must outlive this. Throws what solve() throws for the mesh.
  SolvedFields(const Problem& problem, const Options& options);

  /// As FrequencyResult::patterns has them.
  PatternResult pattern(const FrequencyResult& result, const PatternRequest& request,
                        const Monitor& monitor = {}) const;
  /// V/m or A/m, x y z of every point, [3 points].
  std::vector<Complex> near_field(const FrequencyResult& result,
                                  NearFieldRequest::Field which,
                                  std::span<const Vec3> points_m,
                                  const Monitor& monitor = {}) const;
  /// Currents at the centres of the deck's segments, A, of any coefficients of the mesh.
  std::vector<Complex> segment_currents(const FrequencyResult& result,
                                        std::span<const Complex> coefficients_a) const;
  /// V of Z I = V, volt, [unknowns]: what sources, networks and an incident wave apply.
  std::vector<Complex> excitation(const FrequencyResult& result) const;

 private:
  const Discretization& mesh_of(const FrequencyResult& result) const;
  const Ground& ground_of(const FrequencyResult& result) const {
    return problem_.runs[result.run].ground;
  }

  const Problem& problem_;
  GreensKernel kernel_;
  RunMeshes meshes_;
};

}  // namespace thinwire
