#include <cstddef>

#include "cg/direct/device_factors.h"
#include "cg/direct/ldlt_executor.cuh"

namespace thinwire {

using namespace ldlt;

namespace {

constexpr const char* factors_purpose = "LDL^T factors";

/// The factors as they are stored: float2 or double2.
template <class Entry>
class FactorsOf final : public DevicePreconditioner {
 public:
  FactorsOf(const DeviceTiles& z, cublasComputeType_t max_work)
      : layout_{z.layout().n}, executor_{cublas_, stream_, max_work} {
    // Products run over whole diagonal blocks; what they make of the upper triangle is
    // not used, but is to be made of numbers.
    a_.clear(stream_);
    expand(z, a_.data(), layout_, false, stream_);
    ldlt().factor();
    stream_.synchronize();
  }

  std::size_t size() const override { return layout_.n; }
  std::size_t bytes() const override { return a_.bytes() + w_.bytes(); }
  void multiply(const Complex* r, Complex* z, const DeviceStream& stream) const override {
    apply_factors(cublas_, workspace_, layout_, r, z, x_.data(), y_.data(), stream,
                  [&](Entry* x, Entry* y) { ldlt().solve(x, y); });
  }

 private:
  BlockLdlt<Entry, Executor<Entry>> ldlt() const {
    return {layout_, executor_, a_.data(), w_.data()};
  }

  LdltLayout layout_;
  DeviceStream stream_;
  Cublas cublas_{stream_, ldlt_use};
  Executor<Entry> executor_;
  DeviceBuffer<Entry> a_{layout_.entries(), factors_purpose},
      w_{layout_.work(), factors_purpose};
  DeviceBuffer<Entry> x_{layout_.order(), factors_purpose},  // [order]
      y_{layout_.order(), factors_purpose};
  DeviceBuffer<std::byte> workspace_{workspace_bytes, factors_purpose};
};

}  // namespace

DeviceLdlt::DeviceLdlt(const DeviceTiles& z, LdltProducts products)
    : products_(products) {
  const std::size_t n = z.layout().n;
  require_device_memory(bytes(n, products), factors_purpose, n,
                        "Use --solver cocg or --precision mixed.");
  if (products == LdltProducts::complex_double)
    factors_ = std::make_unique<FactorsOf<double2>>(z, CUBLAS_COMPUTE_64F);
  else
    factors_ = std::make_unique<FactorsOf<float2>>(z, products == LdltProducts::tf32
                                                          ? CUBLAS_COMPUTE_32F_FAST_TF32
                                                          : CUBLAS_COMPUTE_32F);
}

DeviceLdlt::~DeviceLdlt() = default;

std::size_t DeviceLdlt::size() const {
  return factors_->size();
}

void DeviceLdlt::multiply(const Complex* r, Complex* z,
                          const DeviceStream& stream) const {
  factors_->multiply(r, z, stream);
}

}  // namespace thinwire
