#include <cufft.h>

#include "kernels/base/error.h"
#include "kernels/fft/fft.h"

namespace thinwire {
namespace {

void check_cufft(cufftResult status, const char* call) {
  if (status == CUFFT_SUCCESS) return;
  throw Error(
      status == CUFFT_ALLOC_FAILED ? ErrorKind::memory : ErrorKind::device,
      std::string("Fourier transform: ") + call + " failed (cuFFT's status " +
          std::to_string(static_cast<int>(status)) +
          "). Use --device cpu, or run `thinwire devices` to see what the GPU reports.");
}

}  // namespace

DeviceFft::DeviceFft(const FftShape& shape, std::size_t count, Numbers numbers)
    : numbers_(numbers) {
  long long lengths[3];
  int rank = 0;
  for (const std::size_t length : shape.lengths)
    if (length > 1) lengths[rank++] = static_cast<long long>(length);
  if (rank == 0) lengths[rank++] = 1;
  const auto distance = static_cast<long long>(shape.size());
  std::size_t bytes = 0;
  check_cufft(cufftCreate(&plan_), "cufftCreate");
  try {
    // The workspace is ours, so that it counts in bytes().
    check_cufft(cufftSetAutoAllocation(plan_, 0), "cufftSetAutoAllocation");
    check_cufft(cufftMakePlanMany64(
                    plan_, rank, lengths, nullptr, 1, distance, nullptr, 1, distance,
                    numbers == Numbers::complex_double ? CUFFT_Z2Z : CUFFT_C2C,
                    static_cast<long long>(count), &bytes),
                "cufftMakePlanMany64");
    work_ = DeviceBuffer<char>(bytes, "workspace of the Fourier transform");
    check_cufft(cufftSetWorkArea(plan_, work_.data()), "cufftSetWorkArea");
  } catch (...) {
    (void)cufftDestroy(plan_);
    throw;
  }
}

DeviceFft::~DeviceFft() {
  (void)cufftDestroy(plan_);
}

void DeviceFft::forward(void* x, const DeviceStream& stream) const {
  transform(x, CUFFT_FORWARD, stream);
}

void DeviceFft::backward(void* x, const DeviceStream& stream) const {
  transform(x, CUFFT_INVERSE, stream);
}

void DeviceFft::transform(void* x, int direction, const DeviceStream& stream) const {
  check_cufft(cufftSetStream(plan_, stream.get()), "cufftSetStream");
  if (numbers_ == Numbers::complex_double) {
    auto* values = static_cast<cufftDoubleComplex*>(x);
    check_cufft(cufftExecZ2Z(plan_, values, values, direction), "cufftExecZ2Z");
  } else {
    auto* values = static_cast<cufftComplex*>(x);
    check_cufft(cufftExecC2C(plan_, values, values, direction), "cufftExecC2C");
  }
}

}  // namespace thinwire
