#include <gtest/gtest.h>

#include "cg/krylov/device_solver.h"
#include "cg/precondition/device_overlap.h"
#include "cg/tiled_operator.h"
#include "mom/preconditioners/boxes.h"
#include "tests/cg/packed_system.h"
#include "tests/mom/wire_grids.h"

namespace thinwire {
namespace {

using OverlapOnDevice = testing::OnDevice;

TEST_F(OverlapOnDevice, TakesTheSameFewIterationsFromTheMatrixAndFromComputedEntries) {
  constexpr double k = 2 * pi;
  const Structure structure = test::plate(18, 0.02);
  MeshOptions mesh;
  mesh.graded = false;
  const Discretization where(structure, mesh);
  DeviceFill fill(where.elements(), where.basis().functions(), GreensKernel::exact,
                  Medium::free_space(), k);
  fill.set_wavenumber(k);
  const DeviceStream stream;
  DeviceTiles tiles(PackedTiles{where.unknowns()}, Storage::complex_double);
  fill.fill(tiles, Medium::free_space(), stream);
  stream.synchronize();
  const TiledOperator product(tiles);
  std::vector<Complex> v(where.unknowns());
  for (const BasisWeight& weight : where.mean_current(0, k))
    v[weight.function] += weight.weight;

  const std::vector<OverlappingSet> sets = FunctionPlaces(where).boxes({6, 2});
  const DeviceOverlapPreconditioner of_matrix(sets, block_reader(tiles)),
      of_entries(sets, block_reader(fill, Medium::free_space()));
  std::vector<Complex> a(v.size()), b(v.size());
  SolverControl control;
  control.flexible = true;
  const SolveResult with_matrix = solve(Recurrence::gmres, product, &of_matrix, v, a,
                                        control, Placement::resident),
                    with_entries = solve(Recurrence::gmres, product, &of_entries, v, b,
                                         control, Placement::resident);
  EXPECT_EQ(with_matrix.status, SolveStatus::converged);
  // The CPU takes 14 with a box of this size on a plate like this.
  EXPECT_LE(with_matrix.iterations, 18);
  EXPECT_NEAR(with_matrix.iterations, with_entries.iterations, 1);
}

}  // namespace
}  // namespace thinwire
