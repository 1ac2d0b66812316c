#include "kernels/grid/grid_points.h"

#include <algorithm>
#include <cmath>

#include "kernels/base/grouped.h"
#include "kernels/base/quadrature.h"
#include "kernels/grid/split_kernel.h"

namespace thinwire {

PieceRule grid_piece_rule(double length, double k, double spacing,
                          const GridClass& grid_class) {
  // n points carry 2 n radians or so of an oscillation: 1.25 points for each further cell
  // keep what the class's points give on the first.
  constexpr double longest_piece = 6, points_per_cell = 1.25;
  const double cells = length / spacing;
  const int pieces = 1 + static_cast<int>(cells / longest_piece);
  const double more = std::max(0.0, cells / pieces - 1 - 1e-6);
  int points = grid_class.points + static_cast<int>(std::ceil(points_per_cell * more));
  // n points leave (n!)^4 / ((2n + 1) (2n)!^3) (k l)^(2n) of an oscillation e^{jks}: that
  // of the shape functions.
  const double phase = k * length / pieces;
  double left = 1;
  for (int n = 1; n <= points || left > 0.1 * grid_class.tolerance; ++n) {
    left *= n * phase * phase / (8.0 * (2 * n + 1) * (2 * n - 1) * (2 * n - 1));
    points = std::max(points, n);
  }
  return {pieces, points};
}

GridPoints::GridPoints(std::span<const Element> elements, double k, double spacing,
                       const GridClass& grid_class) {
  first = running_sum(elements.size(), [&](std::size_t e) {
    const PieceRule rule = grid_piece_rule(elements[e].length_m, k, spacing, grid_class);
    return static_cast<std::size_t>(rule.pieces) * rule.points;
  });
  point.resize(first.back());
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(elements.size()); ++i) {
    const Element& e = elements[i];
    const PieceRule rule = grid_piece_rule(e.length_m, k, spacing, grid_class);
    const GaussRule gauss = gauss_rule(rule.points);
    const double half = 0.5 * e.length_m / rule.pieces,
                 scale =
                     TubeMean(k, e.radius_m).on_axis * half / std::sin(k * e.length_m);
    GridPoint* to = point.data() + first[i];
    for (int piece = 0; piece < rule.pieces; ++piece)
      for (int b = 0; b < gauss.points; ++b, ++to) {
        const double s = half * (2 * piece + 1 + gauss.node[b]),
                     weight = scale * gauss.weight[b];
        *to = {e.start_m + s * e.tangent,
               {weight * std::sin(k * (e.length_m - s)), weight * std::sin(k * s)},
               {-weight * std::cos(k * (e.length_m - s)), weight * std::cos(k * s)},
               static_cast<std::uint32_t>(i)};
      }
  }
}

}  // namespace thinwire
