#include "kernels/grid/uniform_grid.h"

#include <algorithm>
#include <cmath>

#include "kernels/fft/fft.h"

namespace thinwire {

UniformGrid UniformGrid::around(std::span<const Element> elements, double spacing,
                                const GridClass& grid_class) {
  Vec3 low = elements.front().start_m, high = low;
  for (const Element& e : elements)
    for (const Vec3 p : {e.start_m, e.start_m + e.length_m * e.tangent}) {
      low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
      high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
    }
  UniformGrid grid;
  grid.spacing_m = spacing;
  // Half a cell between the edge of the lowest point's window and node 0: which nodes a
  // flat structure takes does not hang on rounding.
  const double reach = (0.5 * grid_class.width - 0.5) * spacing;
  grid.origin_m = low - Vec3{reach, reach, reach};
  const double extent[3] = {high.x - low.x, high.y - low.y, high.z - low.z};
  for (int a = 0; a < 3; ++a) {
    const double last = std::ceil(extent[a] / spacing - 0.5 + 1e-6);
    grid.nodes[a] = static_cast<std::size_t>(std::max(0.0, last)) +
                    static_cast<std::size_t>(grid_class.width);
    grid.size[a] = good_fft_size(2 * (grid.nodes[a] - 1) + margin);
  }
  return grid;
}

}  // namespace thinwire
