#include <algorithm>
#include <vector>

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

/// A plan of cuFFT, executed for each of several arrays that begin `distance` points
/// apart.
struct DeviceFft::Pass {
  cufftHandle plan = 0;
  std::size_t executions, distance;

  Pass(std::size_t executions_, std::size_t distance_)
      : executions(executions_), distance(distance_) {
    check_cufft(cufftCreate(&plan), "cufftCreate");
  }
  ~Pass() { (void)cufftDestroy(plan); }
  Pass(const Pass&) = delete;
  Pass& operator=(const Pass&) = delete;

  /// Plans `batch` transforms, points `stride` apart, that begin `distance` apart.
  /// Returns the bytes of their workspace.
  std::size_t make(std::vector<long long> lengths, std::size_t stride,
                   std::size_t distance_of_batch, std::size_t batch, Numbers numbers) {
    // The workspace is ours, so that it counts in bytes().
    check_cufft(cufftSetAutoAllocation(plan, 0), "cufftSetAutoAllocation");
    std::size_t bytes = 0;
    long long* const embedding = stride == 1 ? nullptr : lengths.data();
    const auto apart = static_cast<long long>(distance_of_batch),
               step = static_cast<long long>(stride);
    check_cufft(
        cufftMakePlanMany64(plan, static_cast<int>(lengths.size()), lengths.data(),
                            embedding, step, apart, embedding, step, apart,
                            numbers == Numbers::complex_double ? CUFFT_Z2Z : CUFFT_C2C,
                            static_cast<long long>(batch), &bytes),
        "cufftMakePlanMany64");
    return bytes;
  }
};

DeviceFft::DeviceFft(const FftShape& shape, std::size_t count, Numbers numbers)
    : numbers_(numbers) {
  // The axes with more than one point.
  std::vector<long long> lengths;
  for (const std::size_t length : shape.lengths)
    if (length > 1) lengths.push_back(static_cast<long long>(length));
  const std::size_t size = shape.size(), along = shape.lengths[0], used = shape.used[0],
                    plane = size / std::max<std::size_t>(1, along);
  std::size_t bytes = 0;
  if (used > 0 && used < along && plane > 1 && is_one_pass(along)) {
    lengths.erase(lengths.begin());
    passes_.push_back(std::make_unique<Pass>(count, size));
    bytes = passes_.back()->make(lengths, 1, plane, used, numbers);
    passes_.push_back(std::make_unique<Pass>(count, size));
    bytes = std::max(bytes, passes_.back()->make({static_cast<long long>(along)}, plane,
                                                 1, plane, numbers));
  } else {
    if (lengths.empty()) lengths.push_back(1);
    passes_.push_back(std::make_unique<Pass>(1, size));
    bytes = passes_.back()->make(lengths, 1, size, count, numbers);
  }
  work_ = DeviceBuffer<char>(bytes, "workspace of the Fourier transform");
  for (const auto& pass : passes_)
    check_cufft(cufftSetWorkArea(pass->plan, work_.data()), "cufftSetWorkArea");
}

DeviceFft::~DeviceFft() = default;

void DeviceFft::forward(void* x, const DeviceStream& stream) const {
  for (const auto& pass : passes_) transform(*pass, x, CUFFT_FORWARD, stream);
}

void DeviceFft::backward(void* x, const DeviceStream& stream) const {
  for (auto pass = passes_.rbegin(); pass != passes_.rend(); ++pass)
    transform(**pass, x, CUFFT_INVERSE, stream);
}

void DeviceFft::transform(const Pass& pass, void* x, int direction,
                          const DeviceStream& stream) const {
  check_cufft(cufftSetStream(pass.plan, stream.get()), "cufftSetStream");
  for (std::size_t i = 0; i < pass.executions; ++i)
    if (numbers_ == Numbers::complex_double) {
      auto* values = static_cast<cufftDoubleComplex*>(x) + i * pass.distance;
      check_cufft(cufftExecZ2Z(pass.plan, values, values, direction), "cufftExecZ2Z");
    } else {
      auto* values = static_cast<cufftComplex*>(x) + i * pass.distance;
      check_cufft(cufftExecC2C(pass.plan, values, values, direction), "cufftExecC2C");
    }
}

}  // namespace thinwire
