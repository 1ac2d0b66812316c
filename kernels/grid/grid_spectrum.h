#pragma once

#include <array>
#include <vector>

#include "kernels/base/complex.h"
#include "kernels/base/monitor.h"
#include "kernels/device/device.h"
#include "kernels/fft/fft.h"
#include "kernels/grid/split_kernel.h"
#include "kernels/grid/uniform_grid.h"
#include "kernels/grid/window.h"

namespace thinwire {

/// Which spectrum: of r_p - r_q, or of r_p - (r_q mirrored in z = 0).
enum class GridSource { direct, image };

/// View of SpectrumAxes for CPU or GPU.
struct SpectrumAxesView {
  /// Where the kernel is sampled for an index of the box, and the weight that it has
  /// there: two samples blend where the box wraps round.
  struct Sample {
    double at_m[2], weight[2];
  };

  const Sample* sample[3];
  const double *inverse_window2[3], *q2[3];
  std::size_t size[3], stored[3];
  double largest_q2;

  /// The factor by which the transform of the samples becomes the spectrum.
  THINWIRE_HD double factor(std::size_t i, std::size_t j, std::size_t l) const {
    if (q2[0][i] + q2[1][j] + q2[2][l] > largest_q2) return 0;
    return inverse_window2[0][i] * inverse_window2[1][j] * inverse_window2[2][l] /
           (static_cast<double>(size[0]) * size[1] * size[2]);
  }
  /// Returns factor() for samples in a plane.
  THINWIRE_HD double plane_factor(std::size_t i, std::size_t j) const {
    if (q2[0][i] + q2[1][j] > largest_q2) return 0;
    return inverse_window2[0][i] * inverse_window2[1][j] /
           (static_cast<double>(size[0]) * size[1]);
  }
};

/// Factors of a spectrum, axis by axis: the same for CPU and GPU.
struct SpectrumAxes {
  using Sample = SpectrumAxesView::Sample;
  struct Axis {
    std::vector<Sample> sample;
    /// The window's transform squared, inverted, and the square of the wave number.
    std::vector<double> inverse_window2, q2;
  };
  std::array<Axis, 3> axis;
  std::array<std::size_t, 3> stored{};
  double largest_q2;

  SpectrumAxes(const UniformGrid& grid, const SplitKernel& kernel,
               const SpreadingWindow& window, GridSource source);
  SpectrumAxesView view() const;
};

/// The kernel at a node of the box, of the samples along its axes.
THINWIRE_HD inline HdComplex blended_kernel(const SplitKernelView& kernel,
                                            const SpectrumAxes::Sample& x,
                                            const SpectrumAxes::Sample& y,
                                            const SpectrumAxes::Sample& z) {
  HdComplex sum;
  for (int corner = 0; corner < 8; ++corner) {
    const int a = corner & 1, b = corner >> 1 & 1, c = corner >> 2;
    const double weight = x.weight[a] * y.weight[b] * z.weight[c];
    if (weight > 0)
      sum += weight * kernel.value(norm(Vec3{x.at_m[a], y.at_m[b], z.at_m[c]}));
  }
  return sum;
}

/// The convolution's multipliers on a grid: the transform of G_s, divided by the window's
/// squared (once for spreading, once for interpolation) and by the number of nodes, zero
/// above beta / r_c. G_s is sampled in real space, blended over the wrap: what a
/// truncated transform would ring with does not arise.
///
/// It is even in x and y, the direct one in z too: half of these axes is stored.
/// [stored[0]][stored[1]][stored[2]], z fastest; entry (i, j, l) of the box is at
/// (min(i, n - i), ...).
struct GridSpectrum {
  std::array<std::size_t, 3> stored{};
  std::vector<Complex> value;

  /// Throws Error{interrupted} where the monitor requests a stop; reports no progress.
  GridSpectrum(const UniformGrid& grid, const SplitKernel& kernel,
               const SpreadingWindow& window, GridSource source,
               const Monitor& monitor = {});
  std::size_t bytes() const { return value.size() * sizeof(Complex); }
};

/// Makes the spectrum on the current GPU, as complex doubles or singles. box: workspace
/// there of grid.box_nodes() complex doubles. Waits. Throws Error{memory}.
DeviceBuffer<char> make_device_spectrum(const UniformGrid& grid,
                                        const SplitKernel& kernel,
                                        const SpreadingWindow& window, GridSource source,
                                        DeviceFft::Numbers numbers, void* box,
                                        const DeviceStream& stream);

}  // namespace thinwire
