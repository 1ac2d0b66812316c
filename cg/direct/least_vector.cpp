#include "cg/direct/least_vector.h"

#include <fmt/format.h>
#include <lapacke.h>

#include "kernels/base/error.h"

namespace thinwire {

std::vector<std::complex<double>> least_vector(std::size_t rows, std::size_t columns,
                                               std::vector<std::complex<double>> a) {
  using Complex = std::complex<double>;
  const auto lapack = [](Complex* p) {
    return reinterpret_cast<lapack_complex_double*>(p);
  };
  const auto m = static_cast<lapack_int>(rows), n = static_cast<lapack_int>(columns);
  // One column longer than LAPACK asks for: OpenBLAS 0.3.21's zgemv reads one stride
  // behind the end of x (direct.cpp), and zgesvd's x is a row of these.
  const std::size_t padded = columns * (columns + 1);
  std::vector<Complex> reflectors(columns), triangle(padded), right(padded);
  lapack_int info = LAPACKE_zgeqrf(LAPACK_COL_MAJOR, m, n, lapack(a.data()), m,
                                   lapack(reflectors.data()));
  for (std::size_t j = 0; j < columns; ++j)
    for (std::size_t i = 0; i <= j; ++i) triangle[i + j * columns] = a[i + j * rows];
  std::vector<double> singular(columns), superdiagonal(columns);
  Complex unused;
  if (info == 0)
    info = LAPACKE_zgesvd(LAPACK_COL_MAJOR, 'N', 'A', n, n, lapack(triangle.data()), n,
                          singular.data(), lapack(&unused), 1, lapack(right.data()), n,
                          superdiagonal.data());
  if (info != 0)
    throw Error(ErrorKind::numeric,
                fmt::format("the smallest singular value of {} equations in {} unknowns "
                            "was not found (an entry is not finite). Solve the sweep in "
                            "full.",
                            rows, columns));
  // Its rows are the conjugates of the singular vectors.
  std::vector<Complex> x(columns);
  for (std::size_t j = 0; j < columns; ++j)
    x[j] = std::conj(right[columns - 1 + j * columns]);
  return x;
}

}  // namespace thinwire
