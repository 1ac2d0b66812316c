#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/base/host_device.h"
#include "kernels/base/vec3.h"
#include "kernels/element/element.h"
#include "kernels/grid/grid_class.h"

namespace thinwire {

/// The axes in the order in which stencils and tiles take them. Where a structure is
/// flat, the axis across it is the first.
struct AxisOrder {
  bool flat = false;
  int axis[3] = {0, 1, 2};

  THINWIRE_HD Vec3 of(Vec3 v) const { return {part(v, 0), part(v, 1), part(v, 2)}; }

 private:
  THINWIRE_HD double part(Vec3 v, int i) const {
    return axis[i] == 0 ? v.x : axis[i] == 1 ? v.y : v.z;
  }
};

/// Where a structure lies, whatever the grid: the box around it, and the plane in which
/// it is flat but for the elements `off_plane`, a whip on a plate, say.
struct StructureExtents {
  /// How far elements in a plane are from it, at most, in parts of the structure's size:
  /// rounding.
  static constexpr double flat_share = 1e-10;
  /// Elements off the plane of a flat structure, and their share of all, at most: their
  /// sums with all others are taken directly (OffPlane).
  static constexpr std::size_t max_off_plane = 32;
  static constexpr double off_plane_share = 0.01;

  Vec3 low_m, high_m;
  AxisOrder order;
  double plane_m = 0;
  std::vector<std::uint32_t> off_plane;  ///< elements, rising

  explicit StructureExtents(std::span<const Element> elements);
};

/// The grid of a structure: `nodes` in each direction that hold data, and the periodic
/// box of `size` nodes on which the convolution is an FFT. z runs fastest. Across a flat
/// structure it has one node, in its plane.
struct UniformGrid {
  /// Cells beyond twice the extents, over which the kernel is blended from one side of
  /// the periodic box to the other so that it is as smooth there as elsewhere.
  static constexpr std::size_t margin = 24;

  Vec3 origin_m;  ///< node 0, 0, 0
  double spacing_m = 0;
  std::array<std::size_t, 3> nodes{}, size{};
  AxisOrder order;
  std::vector<std::uint32_t> off_plane;  ///< of StructureExtents

  /// Around all elements, wide enough for the class's window.
  static UniformGrid around(const StructureExtents& structure, double spacing_m,
                            const GridClass& grid_class);

  std::size_t data_nodes() const { return nodes[0] * nodes[1] * nodes[2]; }
  std::size_t box_nodes() const { return size[0] * size[1] * size[2]; }

  /// In cells from node 0, 0, 0.
  Vec3 coordinates(Vec3 position_m) const {
    return (1 / spacing_m) * (position_m - origin_m);
  }
  bool is_across(int axis) const { return order.flat && axis == order.axis[0]; }
  /// How far apart data nodes are stored along the axes in their order: 1 along the last.
  std::array<std::size_t, 3> strides() const {
    const std::size_t by_axis[] = {nodes[1] * nodes[2], nodes[2], 1};
    return {by_axis[order.axis[0]], by_axis[order.axis[1]], by_axis[order.axis[2]]};
  }
};

}  // namespace thinwire
