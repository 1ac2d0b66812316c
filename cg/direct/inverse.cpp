#include "cg/direct/inverse.h"

#include <fmt/format.h>
#include <lapacke.h>

#include <vector>

#include "kernels/base/error.h"

namespace thinwire {

void invert_symmetric(std::span<Complex> matrix, std::size_t n, std::string_view what) {
  auto* entries = reinterpret_cast<lapack_complex_double*>(matrix.data());
  const auto order = static_cast<lapack_int>(n);
  std::vector<lapack_int> pivots(n);
  lapack_int info =
      LAPACKE_zgetrf(LAPACK_COL_MAJOR, order, order, entries, order, pivots.data());
  if (info == 0)
    info = LAPACKE_zgetri(LAPACK_COL_MAJOR, order, entries, order, pivots.data());
  if (info > 0)
    throw Error(ErrorKind::numeric,
                fmt::format("{} of {} unknowns is singular (pivot {} is zero). Solve "
                            "without the preconditioner.",
                            what, n, info));
  if (info < 0)
    throw Error(ErrorKind::numeric,
                fmt::format("{} of {} unknowns could not be inverted (an entry is not "
                            "finite). Check the impedance matrix.",
                            what, n));
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t i = 0; i < j; ++i)
      matrix[i + j * n] = matrix[j + i * n] =
          0.5 * (matrix[i + j * n] + matrix[j + i * n]);
}

}  // namespace thinwire
