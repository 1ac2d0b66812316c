#include "kernels/device/check.cuh"
#include "kernels/device/pass.cuh"
#include "kernels/grid/grid_spectrum.h"

namespace thinwire {
namespace {

using namespace device;

/// SpectrumAxes on the GPU.
struct AxesView {
  const SpectrumAxes::Sample* sample[3];
  const double *inverse_window2[3], *q2[3];
  unsigned size[3], stored[3];
  double largest_q2, normalise;
};

/// A block has a row along z.
__global__ void __launch_bounds__(pass_threads)
    sample_kernel(AxesView axes, SplitKernelView kernel, double2* box) {
  const unsigned i = blockIdx.x / axes.size[1], j = blockIdx.x % axes.size[1];
  double2* row = box + std::size_t{blockIdx.x} * axes.size[2];
  for (unsigned l = threadIdx.x; l < axes.size[2]; l += pass_threads) {
    const HdComplex value =
        blended_kernel(kernel, axes.sample[0][i], axes.sample[1][j], axes.sample[2][l]);
    row[l] = {value.re, value.im};
  }
}

template <class Number>
__global__ void __launch_bounds__(pass_threads)
    divide_spectrum(AxesView axes, const double2* box, Number* spectrum) {
  const unsigned i = blockIdx.x / axes.stored[1], j = blockIdx.x % axes.stored[1];
  const double2* row = box + (std::size_t{i} * axes.size[1] + j) * axes.size[2];
  Number* to = spectrum + std::size_t{blockIdx.x} * axes.stored[2];
  for (unsigned l = threadIdx.x; l < axes.stored[2]; l += pass_threads) {
    const bool kept = axes.q2[0][i] + axes.q2[1][j] + axes.q2[2][l] <= axes.largest_q2;
    const double factor = kept ? axes.normalise * axes.inverse_window2[0][i] *
                                     axes.inverse_window2[1][j] *
                                     axes.inverse_window2[2][l]
                               : 0;
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
  const char* what = "grid's spectrum";
  const SpectrumAxes axes(grid, kernel, window, source);
  AxesView view{};
  view.largest_q2 = axes.largest_q2;
  view.normalise = axes.normalise;
  std::vector<DeviceBuffer<SpectrumAxes::Sample>> samples;
  std::vector<DeviceBuffer<double>> numbers_of_axes;
  const auto on_device = [&](const std::vector<double>& values) {
    return numbers_of_axes.emplace_back(uploaded(values, what, stream)).data();
  };
  for (int a = 0; a < 3; ++a) {
    const SpectrumAxes::Axis& axis = axes.axis[a];
    view.sample[a] = samples.emplace_back(uploaded(axis.sample, what, stream)).data();
    view.inverse_window2[a] = on_device(axis.inverse_window2);
    view.q2[a] = on_device(axis.q2);
    view.size[a] = static_cast<unsigned>(grid.size[a]);
    view.stored[a] = static_cast<unsigned>(axes.stored[a]);
  }
  SplitKernelView kernel_view = kernel.view();
  const auto coefficient =
      uploaded(std::span<const double>(kernel_view.coefficient,
                                       SplitKernelView::panels * SplitKernelView::terms),
               what, stream);
  kernel_view.coefficient = coefficient.data();
  auto* work = static_cast<double2*>(box);
  sample_kernel<<<view.size[0] * view.size[1], pass_threads, 0, stream.get()>>>(
      view, kernel_view, work);
  check_launch("grid's spectrum, samples");
  const DeviceFft fft({grid.size, {}}, 1);
  fft.forward(work, stream);
  const bool single = numbers == DeviceFft::Numbers::complex_single;
  DeviceBuffer<char> spectrum(axes.stored[0] * axes.stored[1] * axes.stored[2] *
                                  (single ? sizeof(float2) : sizeof(double2)),
                              what);
  const unsigned rows = view.stored[0] * view.stored[1];
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
