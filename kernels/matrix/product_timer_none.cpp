// What stands in for device_product_bench.cu in a build without CUDA.
#if !defined(THINWIRE_WITH_CUDA)

#include "kernels/matrix/product_timer.h"

#include "kernels/device/no_cuda.h"

namespace thinwire {

struct DeviceProductBench::Parts {};

DeviceProductBench::DeviceProductBench(std::size_t, int) {
  throw_no_cuda();
}
DeviceProductBench::~DeviceProductBench() = default;
std::size_t DeviceProductBench::size() const {
  throw_no_cuda();
}
RunTimes DeviceProductBench::row(int, bool, bool) {
  throw_no_cuda();
}
RunTimes DeviceProductBench::cublas_gemv(bool) {
  throw_no_cuda();
}
RunTimes DeviceProductBench::cublas_symv(bool) {
  throw_no_cuda();
}
RunTimes DeviceProductBench::symmetric(Storage, int, SymvSetting) {
  throw_no_cuda();
}
RunTimes DeviceProductBench::vector_round_trip() {
  throw_no_cuda();
}
RunTimes DeviceProductBench::matrix_upload() {
  throw_no_cuda();
}

}  // namespace thinwire

#endif
