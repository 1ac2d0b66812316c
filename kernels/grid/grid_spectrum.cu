#include "kernels/device/check.cuh"
#include "kernels/device/pass.cuh"
#include "kernels/grid/device_axes.cuh"

namespace thinwire {
namespace {

using namespace device;

/// A block has a row along z.
__global__ void __launch_bounds__(pass_threads)
    sample_kernel(SpectrumAxesView axes, SplitKernelView kernel, double2* box) {
  const std::size_t i = blockIdx.x / axes.size[1], j = blockIdx.x % axes.size[1];
  double2* row = box + std::size_t{blockIdx.x} * axes.size[2];
  for (unsigned l = threadIdx.x; l < axes.size[2]; l += pass_threads) {
    const HdComplex value =
        blended_kernel(kernel, axes.sample[0][i], axes.sample[1][j], axes.sample[2][l]);
    row[l] = {value.re, value.im};
  }
}

template <class Number>
__global__ void __launch_bounds__(pass_threads)
    divide_spectrum(SpectrumAxesView axes, const double2* box, Number* spectrum) {
  const std::size_t i = blockIdx.x / axes.stored[1], j = blockIdx.x % axes.stored[1];
  const double2* row = box + (std::size_t{i} * axes.size[1] + j) * axes.size[2];
  Number* to = spectrum + std::size_t{blockIdx.x} * axes.stored[2];
  for (unsigned l = threadIdx.x; l < axes.stored[2]; l += pass_threads) {
    const double factor = axes.factor(i, j, l);
    to[l].x = static_cast<decltype(to->x)>(factor * row[l].x);
    to[l].y = static_cast<decltype(to->y)>(factor * row[l].y);
  }
}

}  // namespace

DeviceBuffer<char> make_device_spectrum(const UniformGrid& grid,
                                        const SplitKernel& kernel,
                                        const SpreadingWindow& window, GridSource source,
                                        DeviceFft::Numbers numbers, void* box,
                                        const DeviceStream& stream) {
  const SpectrumAxes axes(grid, kernel, window, source);
  const DeviceAxes on_gpu(axes, stream);
  const SpectrumAxesView& view = on_gpu.view();
  SplitKernelView kernel_view = kernel.view();
  const DeviceBuffer<double> coefficient = on_device(kernel_view, stream);
  auto* work = static_cast<double2*>(box);
  sample_kernel<<<static_cast<unsigned>(view.size[0] * view.size[1]), pass_threads, 0,
                  stream.get()>>>(view, kernel_view, work);
  check_launch("grid's spectrum, samples");
  const DeviceFft fft({grid.size, {}}, 1);
  fft.forward(work, stream);
  const bool single = numbers == DeviceFft::Numbers::complex_single;
  DeviceBuffer<char> spectrum(axes.stored[0] * axes.stored[1] * axes.stored[2] *
                                  (single ? sizeof(float2) : sizeof(double2)),
                              "grid's spectrum");
  const auto rows = static_cast<unsigned>(view.stored[0] * view.stored[1]);
  if (single)
    divide_spectrum<<<rows, pass_threads, 0, stream.get()>>>(
        view, work, reinterpret_cast<float2*>(spectrum.data()));
  else
    divide_spectrum<<<rows, pass_threads, 0, stream.get()>>>(
        view, work, reinterpret_cast<double2*>(spectrum.data()));
  check_launch("grid's spectrum");
  stream.synchronize();
  return spectrum;
}

}  // namespace thinwire
