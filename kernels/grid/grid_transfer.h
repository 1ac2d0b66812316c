#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "kernels/base/complex.h"
#include "kernels/element/element.h"
#include "kernels/grid/grid_points.h"
#include "kernels/grid/point_stencil.h"
#include "kernels/grid/uniform_grid.h"
#include "kernels/grid/window.h"

namespace thinwire {

/// Quantities on the grid: the current's components and the charge.
enum class GridChannel { x, y, z, charge };

/// The channels that are not empty for these elements; the charge comes last.
std::vector<GridChannel> grid_channels(std::span<const Element> elements);

/// Channels side by side at the nodes from which DeviceGridOperator interpolates: a power
/// of two, those beyond `channels` zero.
inline std::size_t interleaved_channels(std::size_t channels) {
  return std::bit_ceil(channels);
}

/// Boxes of the grid's data nodes, each with the points whose stencils reach into it:
/// what lets every node be summed by one thread, over its points in ascending order. Axes
/// in the grid's order.
struct GridTiles {
  std::array<int, 3> side;  ///< nodes
  std::array<std::size_t, 3> count{};
  std::vector<std::uint64_t> first;  ///< [tiles + 1]
  std::vector<std::uint32_t> point;

  GridTiles(const UniformGrid& grid, int width, const GridPoints& points,
            std::array<int, 3> side);
  std::size_t bytes() const {
    return first.size() * sizeof(first[0]) + point.size() * sizeof(point[0]);
  }
};

/// P and P^T of the sum on a grid: from currents on the elements to the grid's data
/// nodes, and from the potentials there back to the elements.
class GridTransfer {
 public:
  /// tubes: with the second order in the wires' radii. spreads: whether spread() will be
  /// called. `elements` must outlive this.
  GridTransfer(const UniformGrid& grid, const SpreadingWindow& window,
               std::span<const Element> elements, double k_rad_per_m, GridPoints points,
               bool tubes, bool spreads = true);

  const std::vector<GridChannel>& channels() const { return channels_; }
  const GridPoints& points() const { return points_; }
  bool tubes() const { return tubes_; }
  std::span<const Element> elements() const { return elements_; }

  /// end_current: the coefficients of u_0 and u_1 of each element, [elements][2].
  /// data: [channels][data nodes], overwritten.
  void spread(std::span<const Complex> end_current, std::span<Complex> data) const;

  /// end_field[e][j] = int u_j t . A - int (u_j' / k) phi over element e, with A and phi
  /// what `data` holds in its channels; [elements][2], overwritten. Nothing of use where
  /// the element is off the grid's plane.
  void interpolate(std::span<const Complex> data, std::span<Complex> end_field) const;

  std::size_t bytes() const;

 private:
  template <bool tube>
  PointStencil<tube> stencil_of(const GridPoint& p) const;
  template <bool tube>
  void spread_tile(std::size_t tile, std::span<const Complex> end_current,
                   std::span<Complex> data) const;
  template <bool tube>
  void interpolate_element(std::size_t element, std::span<const Complex> data,
                           Complex* end_field) const;

  UniformGrid grid_;
  SpreadingWindow window_;
  double k_;
  std::span<const Element> elements_;
  GridPoints points_;
  bool tubes_;
  std::vector<GridChannel> channels_;
  std::optional<GridTiles> tiles_;
};

/// The component of the tangent that a channel carries; 0 for the charge.
THINWIRE_HD inline double component(Vec3 t, GridChannel channel) {
  return channel == GridChannel::x   ? t.x
         : channel == GridChannel::y ? t.y
         : channel == GridChannel::z ? t.z
                                     : 0;
}

}  // namespace thinwire
