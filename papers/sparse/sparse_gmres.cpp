#include "papers/sparse/sparse_gmres.h"

#include "kernels/base/error.h"
#include "papers/sparse/sparse_operator.h"

namespace thinwire {

void check_gmres_type(SparseType type) {
  if (type != SparseType::real_double && type != SparseType::complex_double)
    throw Error(ErrorKind::usage,
                "GMRES around sparse formats runs in double. Use type d or z.");
}

SparseGmresResult sparse_gmres(const SparseMethod& method, const Csr<double>& matrix,
                               SparseType type, std::span<const Complex> b,
                               const SolverControl& control) {
  return timed_gmres<SparseOperator>(method, matrix, type, b, control);
}

}  // namespace thinwire
