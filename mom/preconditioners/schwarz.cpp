#include "mom/preconditioners/schwarz.h"

#include <new>
#include <utility>

#include <fmt/format.h>

#include "cg/precondition/two_level_schwarz.h"
#include "kernels/base/bytes_text.h"
#include "kernels/base/error.h"
#include "mom/preconditioners/boxes.h"
#include "mom/preconditioners/coarse_matrix.h"

namespace thinwire {

std::size_t coarse_functions(const Discretization& where, double k_rad_per_m) {
  return coarse_size(
      cluster_nodes(where.mesh(), cluster_edge_m(k_rad_per_m, cell_length_m(where))));
}

std::unique_ptr<Preconditioner> make_schwarz(const SchwarzInput& input,
                                             SchwarzLevels levels,
                                             const Monitor& monitor) {
  const Discretization& where = input.discretization;
  auto boxes = std::make_unique<OverlapPreconditioner>(
      overlapping_sets(where, levels.boxes, input.medium, input.loads, monitor),
      input.read, monitor);
  if (!levels.coarse) return boxes;
  const double cell_m = cell_length_m(where),
               edge_m = cluster_edge_m(input.k_rad_per_m, cell_m);
  CoarseSpace space = coarse_space(where, cluster_nodes(where.mesh(), edge_m));
  if (space.size() == 0) return boxes;
  const auto n = static_cast<double>(space.size());
  try {
    std::vector<Complex> coarse =
        coarse_matrix(where, space, CoarseMatrixRule::of(edge_m, cell_m),
                      input.k_rad_per_m, input.medium, input.read, monitor);
    return std::make_unique<TwoLevelSchwarz>(
        input.z, std::move(boxes), std::move(space.prolongation), std::move(coarse));
  } catch (const std::bad_alloc&) {
    throw Error(ErrorKind::memory,
                fmt::format("coarse level: its {:.0f} functions need {}, more than this "
                            "machine gives. Use --precond overlap --coarse off.",
                            n, bytes_text(sizeof(Complex) * n * n)));
  }
}

}  // namespace thinwire
