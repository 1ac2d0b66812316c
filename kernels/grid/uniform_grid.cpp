#include "kernels/grid/uniform_grid.h"

#include <algorithm>
#include <cmath>

#include "kernels/base/parallel.h"
#include "kernels/fft/fft.h"

namespace thinwire {
namespace {

struct Corners {
  Vec3 low, high;
};

Corners box_around(std::span<const Element> elements) {
  const auto joined = [](const Corners& a, const Corners& b) -> Corners {
    return {{std::min(a.low.x, b.low.x), std::min(a.low.y, b.low.y),
             std::min(a.low.z, b.low.z)},
            {std::max(a.high.x, b.high.x), std::max(a.high.y, b.high.y),
             std::max(a.high.z, b.high.z)}};
  };
  const auto of = [&](std::size_t i) {
    const Element& e = elements[i];
    const Vec3 end = e.start_m + e.length_m * e.tangent;
    return joined({e.start_m, e.start_m}, {end, end});
  };
  return joined_cheap(elements.size(), of(0), joined, of);
}

}  // namespace

UniformGrid UniformGrid::around(std::span<const Element> elements, double spacing,
                                const GridClass& grid_class) {
  const auto [low, high] = box_around(elements);
  UniformGrid grid;
  grid.spacing_m = spacing;
  const double extent[3] = {high.x - low.x, high.y - low.y, high.z - low.z};
  // Layers of a real ground want z.
  for (const AxisOrder& flat : {AxisOrder{true, {0, 1, 2}}, AxisOrder{true, {1, 0, 2}},
                                AxisOrder{true, {2, 0, 1}}})
    if (extent[flat.axis[0]] <= flat_cells * spacing) grid.order = flat;
  // Half a cell between the edge of the lowest point's window and node 0: which nodes a
  // flat structure takes does not hang on rounding.
  const double reach = (0.5 * grid_class.width - 0.5) * spacing;
  const auto reach_along = [&](int axis) { return grid.is_across(axis) ? 0 : reach; };
  grid.origin_m = low - Vec3{reach_along(0), reach_along(1), reach_along(2)};
  for (int a = 0; a < 3; ++a) {
    if (grid.is_across(a)) {
      grid.nodes[a] = grid.size[a] = 1;
      continue;
    }
    const double last = std::ceil(extent[a] / spacing - 0.5 + 1e-6);
    grid.nodes[a] = static_cast<std::size_t>(std::max(0.0, last)) +
                    static_cast<std::size_t>(grid_class.width);
    grid.size[a] = good_fft_size(2 * (grid.nodes[a] - 1) + margin);
  }
  return grid;
}

}  // namespace thinwire
