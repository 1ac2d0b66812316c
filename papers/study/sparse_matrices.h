#pragma once

#include <string>
#include <vector>

#include "kernels/base/monitor.h"
#include "kernels/spmv/csr.h"

namespace thinwire {

/// A matrix that `thinwire bench sparse` makes by itself.
struct SparseSample {
  const char* name;
  const char* what;   ///< size and shape, at scale 1
  const char* found;  ///< what a paper found on it, or on what it stands in for; or ""
  /// scale: of the rows; at least a few are left.
  /// Throws what the monitor throws when a stop is asked for.
  Csr<double> (*make)(double scale, const Monitor& monitor);
};

/// All of them, in the order of the tables.
const std::vector<SparseSample>& sparse_samples();

/// The sample called so, or a Matrix Market file where the name ends in .mtx. Throws
/// Error{usage} that lists the samples, Error{file}.
Csr<double> sparse_matrix_named(const std::string& name, double scale,
                                const Monitor& monitor = {});

/// The paper's matrices (Ohshima 2011, table 2): bands, and rows of random columns.
/// Random columns of a row are distinct; seeded.
Csr<double> band_matrix(std::size_t rows, std::size_t half_width);
Csr<double> random_matrix(std::size_t rows, std::size_t a_row);
/// A diagonal with a full first row.
Csr<double> diagonal_with_full_row(std::size_t rows);

/// Stand-ins for circuit matrices: `entries` in rows of power-law lengths, the longest of
/// them `longest`, in random order; random distinct columns, the diagonal among them.
Csr<double> power_law_matrix(std::size_t rows, std::size_t entries, std::size_t longest);

/// Rows of geometrically distributed lengths, 1 and more, `mean` on the mean; random
/// distinct columns, the diagonal among them.
Csr<double> geometric_matrix(std::size_t rows, std::size_t mean);

/// 7-point Laplacian of a cube of side^3 points, x fastest.
Csr<double> laplacian_7(std::size_t side);

/// Linear elasticity on a cube of side^3 trilinear hexahedra of side 1, E = 1, nu = 0.3,
/// 2 x 2 x 2 Gauss points (Ohshima et al. 2011): 3 unknowns a node numbered together, 81
/// entries in the rows of inner nodes. Nodes at z = 0 are held: their rows and columns
/// keep their places and are those of the unit matrix.
Csr<double> hexahedra_matrix(std::size_t side);

}  // namespace thinwire
