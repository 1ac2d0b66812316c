#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "kernels/base/host_device.h"
#include "kernels/base/vec3.h"
#include "kernels/element/element.h"
#include "kernels/grid/grid_class.h"

namespace thinwire {

/// The grid of a structure: `nodes` in each direction that hold data, and the periodic
/// box of `size` nodes on which the convolution is an FFT. z runs fastest.
struct UniformGrid {
  /// Cells beyond twice the extents, over which the kernel is blended from one side of
  /// the periodic box to the other so that it is as smooth there as elsewhere.
  static constexpr std::size_t margin = 24;

  Vec3 origin_m;  ///< node 0, 0, 0
  double spacing_m = 0;
  std::array<std::size_t, 3> nodes{}, size{};

  /// Around all elements, wide enough for the class's window.
  static UniformGrid around(std::span<const Element> elements, double spacing_m,
                            const GridClass& grid_class);

  std::size_t data_nodes() const { return nodes[0] * nodes[1] * nodes[2]; }
  std::size_t box_nodes() const { return size[0] * size[1] * size[2]; }

  /// In cells from node 0, 0, 0.
  THINWIRE_HD Vec3 coordinates(Vec3 position_m) const {
    return (1 / spacing_m) * (position_m - origin_m);
  }
};

}  // namespace thinwire
