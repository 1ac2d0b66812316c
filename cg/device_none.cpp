// What stands in for the GPU's solvers in a build without CUDA.
#if !defined(THINWIRE_WITH_CUDA)

#include "cg/krylov/device_solver.h"
#include "cg/krylov/refined_direct.h"
#include "kernels/device/no_cuda.h"

namespace thinwire {

DeviceOperator::DeviceOperator(const DeviceTiles& z)
    : z_(z), symv_(z.layout(), z.storage()) {
  throw_no_cuda();
}
void DeviceOperator::apply(std::span<const Complex>, std::span<Complex>) const {
  throw_no_cuda();
}

DeviceBlockPreconditioner::DeviceBlockPreconditioner(const DeviceTiles& z,
                                                     std::span<const IndexSet>)
    : size_(z.layout().n) {
  throw_no_cuda();
}
void DeviceBlockPreconditioner::apply(std::span<const Complex>,
                                      std::span<Complex>) const {
  throw_no_cuda();
}
DeviceBlockPreconditioner::View DeviceBlockPreconditioner::view() const {
  throw_no_cuda();
}
std::size_t DeviceBlockPreconditioner::bytes() const {
  throw_no_cuda();
}

SolveResult solve_cg(const DeviceOperator&, const DeviceBlockPreconditioner*,
                     std::span<const Complex>, std::span<Complex>, const SolverControl&,
                     Placement) {
  throw_no_cuda();
}
SolveResult solve_cocg(const DeviceOperator&, const DeviceBlockPreconditioner*,
                       std::span<const Complex>, std::span<Complex>, const SolverControl&,
                       Placement) {
  throw_no_cuda();
}
SolveResult solve_gmres(const DeviceOperator&, const DeviceBlockPreconditioner*,
                        std::span<const Complex>, std::span<Complex>,
                        const SolverControl&, Placement) {
  throw_no_cuda();
}

struct DeviceLu::Parts {};
DeviceLu::DeviceLu(const DeviceTiles&) {
  throw_no_cuda();
}
DeviceLu::~DeviceLu() = default;
void DeviceLu::solve(std::span<Complex>) const {
  throw_no_cuda();
}

struct DeviceLdlt::Parts {};
DeviceLdlt::DeviceLdlt(const DeviceTiles&, LdltProducts) {
  throw_no_cuda();
}
DeviceLdlt::~DeviceLdlt() = default;
std::size_t DeviceLdlt::size() const {
  throw_no_cuda();
}
void DeviceLdlt::apply(std::span<const Complex>, std::span<Complex>) const {
  throw_no_cuda();
}

}  // namespace thinwire

#endif
