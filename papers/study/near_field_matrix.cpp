#include "papers/study/near_field_matrix.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "geometry/wire_mesh.h"
#include "kernels/base/morton.h"
#include "kernels/base/point_index.h"
#include "mom/discretization/basis.h"

namespace thinwire {
namespace {

constexpr double cell_m = 0.1;
constexpr double grid_radius_m = cell_m / (2 * std::numbers::pi);

/// Where a function's elements meet.
Vec3 place_of(const BasisFunction& function, const WireMesh& mesh) {
  const MeshElement& element = mesh.elements()[function.element[0]];
  return function.end[0] == 0 ? element.start_m : element.end_m;
}

/// Old numbers of the functions in their new order: by boxes on a Morton curve.
std::vector<std::uint32_t> box_order(const std::vector<Vec3>& places, double side_m) {
  Vec3 low = places.empty() ? Vec3{} : places[0];
  for (const Vec3& p : places)
    low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
  const auto number = [&](double at, double from) {
    return static_cast<std::uint64_t>((at - from) / side_m + 1e-9 + 1);
  };
  std::vector<std::pair<std::uint64_t, std::uint32_t>> keys;
  for (const Vec3& p : places)
    keys.emplace_back(
        morton_code(number(p.x, low.x), number(p.y, low.y), number(p.z, low.z)),
        static_cast<std::uint32_t>(keys.size()));
  std::sort(keys.begin(), keys.end());
  std::vector<std::uint32_t> order;
  for (const auto& [key, function] : keys) order.push_back(function);
  return order;
}

}  // namespace

Csr<double> near_field_matrix(const Structure& structure, double near_radius_m,
                              const Monitor& monitor) {
  MeshOptions as_given;
  as_given.graded = false;
  const WireMesh mesh(structure, as_given);
  monitor.check();
  const Basis basis(mesh);
  std::vector<Vec3> centres, places;
  for (const MeshElement& element : mesh.elements())
    centres.push_back(0.5 * (element.start_m + element.end_m));
  for (const BasisFunction& function : basis.functions())
    places.push_back(place_of(function, mesh));
  const std::vector<std::uint32_t> order = box_order(places, 0.4 * near_radius_m);
  std::vector<std::uint32_t> number(order.size());
  for (std::size_t k = 0; k < order.size(); ++k)
    number[order[k]] = static_cast<std::uint32_t>(k);

  const PointIndex index(centres);
  const double reach_m = near_radius_m * (1 + 1e-9);
  const Vec3 reach = {reach_m, reach_m, reach_m};
  std::vector<std::vector<std::uint32_t>> rows(order.size());
#pragma omp parallel for schedule(dynamic, 64)
  for (std::int64_t k = 0; k < static_cast<std::int64_t>(rows.size()); ++k) {
    if (monitor.stopped()) continue;
    const BasisFunction& function = basis.functions()[order[k]];
    std::vector<std::uint32_t>& row = rows[k];
    for (int term = 0; term < 2; ++term)
      if (function.sign[term] != 0) {
        const Vec3 centre = centres[function.element[term]];
        index.visit(centre - reach, centre + reach, [&](std::size_t element) {
          if (norm(centres[element] - centre) > reach_m) return;
          for (const int end : {0, 1})
            for (const BasisWeight& weight : basis.at(element, end))
              row.push_back(number[weight.function]);
        });
      }
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
    row.shrink_to_fit();
  }
  monitor.check();

  Csr<double> matrix{order.size(), order.size(), {0}, {}, {}};
  for (const auto& row : rows)
    matrix.row_ptr.push_back(matrix.row_ptr.back() +
                             static_cast<std::int64_t>(row.size()));
  matrix.column.resize(static_cast<std::size_t>(matrix.row_ptr.back()));
  matrix.value.resize(matrix.column.size());
#pragma omp parallel for schedule(dynamic, 64)
  for (std::int64_t k = 0; k < static_cast<std::int64_t>(rows.size()); ++k) {
    std::int64_t at = matrix.row_ptr[k];
    const auto diagonal = static_cast<double>(rows[k].size());
    for (const std::uint32_t column : rows[k]) {
      const double distance =
          norm(places[order[k]] - places[order[column]]) / near_radius_m;
      matrix.column[at] = column;
      matrix.value[at++] = column == k ? diagonal : 1 / (1 + 20 * distance * distance);
    }
    rows[k] = {};
  }
  return matrix;
}

Csr<double> plate_near_field(std::size_t cells, double near_cells,
                             const Monitor& monitor) {
  Structure structure;
  const double side = cell_m * static_cast<double>(cells);
  const auto count = static_cast<std::int64_t>(cells);
  for (std::size_t line = 0; line <= cells; ++line) {
    const double at = cell_m * static_cast<double>(line);
    structure.add_wire(1, count, {0, at, 0}, {side, at, 0}, grid_radius_m);
    structure.add_wire(2, count, {at, 0, 0}, {at, side, 0}, grid_radius_m);
  }
  return near_field_matrix(structure, cell_m * near_cells, monitor);
}

Csr<double> hull_near_field(std::size_t cells, double near_cells,
                            const Monitor& monitor) {
  Structure structure;
  const std::size_t size[3] = {5 * cells, cells, cells};
  const auto line = [&](std::size_t axis, std::size_t b, std::size_t c) {
    double start[3], end[3];
    start[axis] = 0;
    end[axis] = cell_m * static_cast<double>(size[axis]);
    start[(axis + 1) % 3] = end[(axis + 1) % 3] = cell_m * static_cast<double>(b);
    start[(axis + 2) % 3] = end[(axis + 2) % 3] = cell_m * static_cast<double>(c);
    structure.add_wire(1, static_cast<std::int64_t>(size[axis]),
                       {start[0], start[1], start[2]}, {end[0], end[1], end[2]},
                       grid_radius_m);
  };
  // Along each axis: every line of the grid that lies in the surface, once.
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::size_t last_b = size[(axis + 1) % 3], last_c = size[(axis + 2) % 3];
    for (std::size_t b = 0; b <= last_b; ++b)
      for (std::size_t c = 0; c <= last_c; ++c)
        if (b == 0 || b == last_b || c == 0 || c == last_c) line(axis, b, c);
  }
  return near_field_matrix(structure, cell_m * near_cells, monitor);
}

Csr<double> array_near_field(std::size_t side, double near_radius_m,
                             const Monitor& monitor) {
  Structure structure;
  for (std::size_t i = 0; i < side; ++i)
    for (std::size_t j = 0; j < side; ++j) {
      const double x = 0.5 * static_cast<double>(i), y = 0.5 * static_cast<double>(j);
      structure.add_wire(1, 21, {x, y, -0.25}, {x, y, 0.25}, 0.001);
    }
  return near_field_matrix(structure, near_radius_m, monitor);
}

}  // namespace thinwire
