#include <gtest/gtest.h>

#include "cg/impedance_matrix.h"
#include "cg/krylov/solver.h"
#include "cg/precondition/overlap.h"
#include "kernels/fill/fill.h"
#include "mom/preconditioners/boxes.h"
#include "tests/mom/wire_grids.h"

namespace thinwire::overlap_iterations_test {
namespace {

using test::plate;
using test::ship;

/// A grid at a wavelength of 1 m, its whip fed.
class Grid {
 public:
  explicit Grid(Structure structure)
      : structure_(std::move(structure)),
        where_(structure_, as_given()),
        z_(where_.unknowns()),
        v_(where_.unknowns()) {
    constexpr double k = 2 * pi;
    constexpr auto kernel = GreensKernel::exact;
    NearPairTable near(where_.elements(), {k, k, 1}, kernel, Medium::free_space());
    near.set_wavenumber(k);
    fill_impedance({where_.elements(), where_.basis().functions(), k, kernel,
                    Medium::free_space(), &near},
                   z_.tiles());
    for (const BasisWeight& weight : where_.mean_current(0, k))
      v_[weight.function] += weight.weight;
  }

  /// Iterations of flexible GMRES to 1e-6.
  int iterations(BoxSize size) const {
    const OverlapPreconditioner m(
        FunctionPlaces(where_).boxes(size),
        [this](std::span<const std::uint32_t> rows,
               std::span<const std::uint32_t> columns, std::span<Complex> entries) {
          for (std::size_t j = 0; j < columns.size(); ++j)
            for (std::size_t i = 0; i < rows.size(); ++i)
              entries[i + j * rows.size()] = z_.at(rows[i], columns[j]);
        });
    SolverControl control;
    control.flexible = true;
    control.max_iterations = 200;
    std::vector<Complex> current(v_.size());
    const SolveResult result = solve(Recurrence::gmres, z_, &m, v_, current, control);
    EXPECT_EQ(result.status, SolveStatus::converged);
    return result.iterations;
  }

 private:
  static MeshOptions as_given() {
    MeshOptions mesh;
    mesh.graded = false;
    return mesh;
  }

  Structure structure_;
  Discretization where_;
  ImpedanceMatrix z_;
  std::vector<Complex> v_;
};

// The bounds are a fifth above what was measured. The full structures (40 x 40 cells, a
// ship of 30 cells) are in docs/theory/preconditioners.md.

TEST(OverlapIterations, OfPlatesAreFewAtAllCellSizes) {
  const Grid large_cells(plate(18, 0.1)), small_cells(plate(18, 0.005));
  EXPECT_LE(large_cells.iterations({6, 2}), 24);
  EXPECT_LE(large_cells.iterations({9, 2}), 16);
  EXPECT_LE(small_cells.iterations({6, 2}), 22);
  EXPECT_LE(small_cells.iterations({9, 2}), 19);
}

TEST(OverlapIterations, OfClosedShipsAreFewWhereBlocksFail) {
  const Grid grid(ship(14, 5, 4, 0.02));
  EXPECT_LE(grid.iterations({4, 2}), 28);
  EXPECT_GE(grid.iterations({4, 0}), 80);
}

}  // namespace
}  // namespace thinwire::overlap_iterations_test
