#include "mom/preconditioners/schwarz.h"

#include <new>
#include <utility>

#include <fmt/format.h>

#include "cg/precondition/two_level_schwarz.h"
#include "kernels/base/bytes_text.h"
#include "kernels/base/error.h"
#include "mom/preconditioners/boxes.h"

namespace thinwire {

std::size_t coarse_functions(const Discretization& where, double k_rad_per_m) {
  return coarse_size(
      cluster_nodes(where.mesh(), cluster_edge_m(k_rad_per_m, cell_length_m(where))));
}

SchwarzGeometry schwarz_geometry(const Discretization& where, SchwarzLevels levels,
                                 double k_rad_per_m, Medium medium,
                                 std::span<const MatrixUpdate> loads,
                                 const Monitor& monitor) {
  SchwarzGeometry geometry;
  geometry.boxes = overlapping_sets(where, levels.boxes, medium, loads, monitor);
  if (levels.coarse) {
    const double cell_m = cell_length_m(where),
                 edge_m = cluster_edge_m(k_rad_per_m, cell_m);
    geometry.space = coarse_space(where, cluster_nodes(where.mesh(), edge_m));
    if (geometry.space.size() > 0)
      geometry.couplings.emplace(where, geometry.space,
                                 CoarseMatrixRule::of(edge_m, cell_m), k_rad_per_m);
  }
  return geometry;
}

std::unique_ptr<Preconditioner> make_schwarz(const SchwarzInput& input,
                                             SchwarzLevels levels,
                                             const Monitor& monitor) {
  SchwarzGeometry geometry =
      schwarz_geometry(input.discretization, levels, input.k_rad_per_m, input.medium,
                       input.loads, monitor);
  auto boxes = std::make_unique<OverlapPreconditioner>(std::move(geometry.boxes),
                                                       input.read, monitor);
  if (!geometry.couplings) return boxes;
  const auto n = static_cast<double>(geometry.space.size());
  try {
    std::vector<Complex> coarse =
        coarse_matrix(geometry.space, *geometry.couplings, input.k_rad_per_m,
                      input.medium, input.read, monitor);
    return std::make_unique<TwoLevelSchwarz>(input.z, std::move(boxes),
                                             std::move(geometry.space.prolongation),
                                             std::move(coarse));
  } catch (const std::bad_alloc&) {
    throw Error(ErrorKind::memory,
                fmt::format("coarse level: its {:.0f} functions need {}, more than this "
                            "machine gives. Use --precond overlap --coarse off.",
                            n, bytes_text(sizeof(Complex) * n * n)));
  }
}

}  // namespace thinwire
