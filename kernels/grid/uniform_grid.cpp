#include "kernels/grid/uniform_grid.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <utility>

#include "kernels/base/parallel.h"
#include "kernels/fft/fft.h"

namespace thinwire {
namespace {

constexpr double Vec3::*axes[] = {&Vec3::x, &Vec3::y, &Vec3::z};

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

/// The elements that are not in the plane in which most lie across this axis, at most
/// `most` of them; none: more are not.
struct Plane {
  double at_m;
  std::optional<std::vector<std::uint32_t>> off;

  Plane(std::span<const Element> elements, double Vec3::*axis, double tolerance_m,
        std::size_t most) {
    std::array<double, 5> samples;
    for (std::size_t i = 0; i < samples.size(); ++i)
      samples[i] = elements[elements.size() * (2 * i + 1) / 10].start_m.*axis;
    std::nth_element(samples.begin(), samples.begin() + 2, samples.end());
    at_m = samples[2];
    const auto is_off = [&](std::size_t i) {
      const Element& e = elements[i];
      const double from = e.start_m.*axis - at_m;
      return std::max(std::fabs(from), std::fabs(from + e.length_m * e.tangent.*axis)) >
             tolerance_m;
    };
    if (joined_cheap(elements.size(), std::size_t{0}, std::plus<>(), is_off) > most)
      return;
    off.emplace();
    for (std::size_t i = 0; i < elements.size(); ++i)
      if (is_off(i)) off->push_back(static_cast<std::uint32_t>(i));
  }
};

}  // namespace

StructureExtents::StructureExtents(std::span<const Element> elements) {
  const auto [low, high] = box_around(elements);
  low_m = low;
  high_m = high;
  const Vec3 size = high - low;
  const double tolerance = flat_share * std::max({size.x, size.y, size.z});
  const auto most = std::min(
      max_off_plane,
      static_cast<std::size_t>(off_plane_share * static_cast<double>(elements.size())));
  // Layers of a real ground want z, which is tried last.
  for (const AxisOrder& flat : {AxisOrder{true, {0, 1, 2}}, AxisOrder{true, {1, 0, 2}},
                                AxisOrder{true, {2, 0, 1}}}) {
    Plane plane(elements, axes[flat.axis[0]], tolerance, most);
    if (!plane.off) continue;
    order = flat;
    plane_m = plane.at_m;
    off_plane = std::move(*plane.off);
  }
}

UniformGrid UniformGrid::around(const StructureExtents& structure, double spacing,
                                const GridClass& grid_class) {
  UniformGrid grid;
  grid.spacing_m = spacing;
  grid.order = structure.order;
  grid.off_plane = structure.off_plane;
  // Half a cell between the edge of the lowest point's window and node 0: which nodes a
  // structure takes does not hang on rounding.
  const double reach = (0.5 * grid_class.width - 0.5) * spacing;
  grid.origin_m = structure.low_m - Vec3{reach, reach, reach};
  for (int a = 0; a < 3; ++a) {
    double Vec3::*const axis = axes[a];
    if (grid.is_across(a)) {
      grid.origin_m.*axis = structure.plane_m;
      grid.nodes[a] = grid.size[a] = 1;
      continue;
    }
    const double extent = structure.high_m.*axis - structure.low_m.*axis,
                 last = std::ceil(extent / spacing - 0.5 + 1e-6);
    grid.nodes[a] = static_cast<std::size_t>(std::max(0.0, last)) +
                    static_cast<std::size_t>(grid_class.width);
    grid.size[a] = good_fft_size(2 * (grid.nodes[a] - 1) + margin);
  }
  return grid;
}

}  // namespace thinwire
