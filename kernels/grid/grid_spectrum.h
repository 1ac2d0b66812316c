#pragma once

#include <vector>

#include "kernels/base/complex.h"
#include "kernels/base/monitor.h"
#include "kernels/grid/split_kernel.h"
#include "kernels/grid/uniform_grid.h"
#include "kernels/grid/window.h"

namespace thinwire {

/// Which spectrum: of r_p - r_q, or of r_p - (r_q mirrored in z = 0).
enum class GridSource { direct, image };

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

  /// Throws Error{interrupted} where the monitor asks for a stop; it is told nothing.
  GridSpectrum(const UniformGrid& grid, const SplitKernel& kernel,
               const SpreadingWindow& window, GridSource source,
               const Monitor& monitor = {});
  std::size_t bytes() const { return value.size() * sizeof(Complex); }
};

}  // namespace thinwire
