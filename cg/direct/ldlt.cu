#include <cstddef>

#include "cg/direct/device_factors.h"
#include "cg/direct/ldlt_executor.cuh"

namespace thinwire {

using namespace ldlt;

struct DeviceLdlt::Parts {
  explicit Parts(std::size_t n, LdltProducts products)
      : layout{n},
        executor{cublas, stream,
                 products == LdltProducts::tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32
                                                : CUBLAS_COMPUTE_32F},
        a(layout.entries(), what),
        w(layout.work(), what),
        x(layout.order(), what),
        y(layout.order(), what),
        workspace(workspace_bytes, what) {}

  BlockLdlt<float2, Executor> ldlt() const {
    return {layout, executor, a.data(), w.data()};
  }

  static constexpr const char* what = "LDL^T factors";
  LdltLayout layout;
  DeviceStream stream;
  Cublas cublas{stream, ldlt_use};
  Executor executor;
  DeviceBuffer<float2> a, w;
  DeviceBuffer<float2> x, y;  // [order]
  DeviceBuffer<std::byte> workspace;
};

DeviceLdlt::DeviceLdlt(const DeviceTiles& z, LdltProducts products) {
  const std::size_t n = z.layout().n;
  require_device_memory(bytes(n), Parts::what, n,
                        "Use --solver cocg or --precision mixed.");
  parts_ = std::make_unique<Parts>(n, products);
  Parts& p = *parts_;
  // Products run over whole diagonal blocks; what they make of the upper triangle is not
  // used, but is to be made of numbers.
  p.a.clear(p.stream);
  expand(z, p.a.data(), p.layout, false, p.stream);
  p.ldlt().factor();
  p.stream.synchronize();
}

DeviceLdlt::~DeviceLdlt() = default;

std::size_t DeviceLdlt::size() const {
  return parts_->layout.n;
}

void DeviceLdlt::multiply(const Complex* r, Complex* z,
                          const DeviceStream& stream) const {
  Parts& p = *parts_;
  apply_in_single(p.cublas, p.workspace, p.layout, r, z, p.x.data(), p.y.data(), stream,
                  [&](float2* x, float2* y) { p.ldlt().solve(x, y); });
}

}  // namespace thinwire
