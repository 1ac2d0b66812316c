#include "cg/krylov/device_solver.h"
#include "papers/sparse/sparse_gmres.h"
#include "papers/sparse/sparse_operator.h"

namespace thinwire {

SparseGmresResult device_sparse_gmres(const SparseMethod& method,
                                      const Csr<double>& matrix, SparseType type,
                                      std::span<const Complex> b,
                                      const SolverControl& control) {
  return timed_gmres<DeviceSparseOperator>(method, matrix, type, b, control,
                                           Placement::resident);
}

}  // namespace thinwire
