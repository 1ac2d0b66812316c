#pragma once

#include <memory>
#include <vector>

#include "kernels/gradient/form_gradient.h"
#include "mom/plan/run_meshes.h"

namespace thinwire {

/// Problem::parameters as meshes: each a little on either side, element for element the
/// same as the mesh of the problem.
class VariedStructures {
 public:
  /// The structures below and above a value of a parameter, for one run.
  struct Pair {
    const Discretization &less, &more;
    const Run &run_less, &run_more;
    double step;
  };

  /// Throws Error{usage} where impedances cannot be differentiated: over the edge of a
  /// radial screen, with wires in the ground, a stored matrix or incident waves, or where
  /// a parameter changes frequencies, ground or sources; Error{geometry} where it changes
  /// how the mesh is connected.
  VariedStructures(const Problem& problem, const Options& options,
                   const RunMeshes& meshes);

  bool empty() const { return meshes_.empty(); }
  std::size_t size() const { return meshes_.size(); }
  Pair of(std::size_t parameter, std::size_t run) const;
  /// How the elements of a run's mesh move: [parameters][elements].
  const std::vector<std::vector<ElementMotion>>& motions(std::size_t run) const {
    return motions_[run];
  }

 private:
  struct Meshes {
    const Parameter* parameter;
    std::unique_ptr<RunMeshes> less, more;
  };
  std::vector<Meshes> meshes_;
  std::vector<std::vector<std::vector<ElementMotion>>> motions_;  // of the runs
};

}  // namespace thinwire
