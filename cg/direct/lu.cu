#include <vector>

#include "cg/direct/device_factors.h"
#include "cg/direct/expand.cuh"
#include "kernels/device/libraries.cuh"

namespace thinwire {
namespace {
constexpr LibraryUse lu_use = {"direct solver", "Use an iterative solver."};
}

struct DeviceLu::Parts {
  std::size_t n;
  DeviceStream stream;
  Cusolver cusolver{stream, lu_use};
  DeviceBuffer<Complex> factors;
  DeviceBuffer<std::int64_t> pivots;
  DeviceBuffer<Complex> v;
  DeviceBuffer<int> info;
};

DeviceLu::DeviceLu(const DeviceTiles& z, DeviceExchange* others) {
  const char *what = "LU in complex double", *ways_out = "Use --solver cocg.";
  const std::size_t n = z.layout().n;
  const auto order = static_cast<std::int64_t>(n);
  require_device_memory(bytes(n), what, n, ways_out);
  parts_ = std::make_unique<Parts>();
  Parts& p = *parts_;
  p.n = n;
  p.factors = {n * n, what};
  p.pivots = {n, what};
  p.v = {n, what};
  p.info = {1, what};
  std::size_t device_bytes = 0, host_bytes = 0;
  check_cusolver(lu_use,
                 cusolverDnXgetrf_bufferSize(p.cusolver.get(), p.cusolver.params(), order,
                                             order, CUDA_C_64F, p.factors.data(), order,
                                             CUDA_C_64F, &device_bytes, &host_bytes),
                 "cusolverDnXgetrf_bufferSize");
  require_device_memory(device_bytes, "LU workspace", n, ways_out);
  const DeviceBuffer<std::byte> workspace(device_bytes, "LU workspace");
  std::vector<std::byte> host_workspace(host_bytes);

  if (others != nullptr) p.factors.clear(p.stream);
  device::expand(z, thinwire::parts(p.factors.data()), device::SquareLayout{n}, true,
                 p.stream);
  if (others != nullptr) others->sum(p.factors.data(), p.factors.size(), p.stream);
  check_cusolver(lu_use,
                 cusolverDnXgetrf(p.cusolver.get(), p.cusolver.params(), order, order,
                                  CUDA_C_64F, p.factors.data(), order, p.pivots.data(),
                                  CUDA_C_64F, workspace.data(), device_bytes,
                                  host_workspace.data(), host_bytes, p.info.data()),
                 "cusolverDnXgetrf");
  int info = 0;
  p.info.download({&info, 1}, p.stream);
  if (info > 0)
    throw Error(ErrorKind::numeric, "direct solver: the matrix is singular (pivot " +
                                        std::to_string(info) + " of " +
                                        std::to_string(n) +
                                        " is zero). Check the geometry for wires given "
                                        "twice.");
}

DeviceLu::~DeviceLu() = default;

void DeviceLu::solve(std::span<Complex> v) const {
  Parts& p = *parts_;
  const auto order = static_cast<std::int64_t>(p.n);
  p.v.upload(v, p.stream);
  check_cusolver(
      lu_use,
      cusolverDnXgetrs(p.cusolver.get(), p.cusolver.params(), CUBLAS_OP_N, order, 1,
                       CUDA_C_64F, p.factors.data(), order, p.pivots.data(), CUDA_C_64F,
                       p.v.data(), order, p.info.data()),
      "cusolverDnXgetrs");
  p.v.download(v, p.stream);
}

}  // namespace thinwire
