#include "io/result/write_vtk.h"

#include <fmt/format.h>

#include <thinwire_version.h>
#include <cmath>
#include <iterator>
#include <numbers>

#include "io/result/output_file.h"
#include "kernels/base/error.h"

namespace thinwire {
namespace {

using Points = std::array<std::size_t, 3>;

/// A DataArray of `count` numbers.
template <class Value>
std::string array(std::string_view type, std::string_view name, int components,
                  std::size_t count, const Value& value) {
  std::string out = fmt::format(
      "<DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" "
      "format=\"ascii\">\n",
      type, name, components);
  for (std::size_t i = 0; i < count; ++i) {
    const auto number = value(i);
    if constexpr (std::is_floating_point_v<decltype(value(i))>)
      fmt::format_to(std::back_inserter(out), "{:.9g}", number);
    else
      fmt::format_to(std::back_inserter(out), "{}", number);
    out +=
        (i + 1) % static_cast<std::size_t>(6 / components * components) == 0 ? '\n' : ' ';
  }
  return out + "</DataArray>\n";
}

std::string document(std::string_view kind, const std::string& body) {
  return fmt::format(
      "<?xml version=\"1.0\"?>\n<!-- {} {} -->\n<VTKFile type=\"{}\" version=\"1.0\" "
      "byte_order=\"LittleEndian\">\n{}</VTKFile>\n",
      text_signature, THINWIRE_VERSION, kind, body);
}

std::string extent_of(const Points& points) {
  return fmt::format("0 {} 0 {} 0 {}", points[0] - 1, points[1] - 1, points[2] - 1);
}

std::string point_data(std::span<const GridField> fields) {
  std::string out = "<PointData>\n";
  for (const auto& [name, unit, f] : fields) {
    out += array("Float64", fmt::format("{}_real_{}", name, unit), 3, f.size(),
                 [&, f = f](std::size_t i) { return f[i].real(); });
    out += array("Float64", fmt::format("{}_imag_{}", name, unit), 3, f.size(),
                 [&, f = f](std::size_t i) { return f[i].imag(); });
    out += array("Float64", fmt::format("{}_peak_{}", name, unit), 1, f.size() / 3,
                 [&, f = f](std::size_t i) {
                   return std::sqrt(std::norm(f[3 * i]) + std::norm(f[3 * i + 1]) +
                                    std::norm(f[3 * i + 2]));
                 });
  }
  return out + "</PointData>\n";
}

}  // namespace

std::string wires_vtp(std::span<const double> start_m, std::span<const double> end_m,
                      std::span<const double> radius_m, std::span<const double> tag,
                      std::span<const Complex> current_a) {
  const std::size_t count = tag.size();
  const auto copy = [](std::span<const double> values) {
    return [values](std::size_t i) { return values[i]; };
  };
  return document(
      "PolyData",
      fmt::format("<PolyData>\n<Piece NumberOfPoints=\"{}\" NumberOfLines=\"{}\">\n",
                  2 * count, count) +
          "<Points>\n" +
          array("Float64", "points_m", 3, 6 * count,
                [&](std::size_t i) {
                  const std::size_t from = i / 6 * 3 + i % 3;
                  return i % 6 < 3 ? start_m[from] : end_m[from];
                }) +
          "</Points>\n<Lines>\n" +
          array("Int64", "connectivity", 1, 2 * count, [](std::size_t i) { return i; }) +
          array("Int64", "offsets", 1, count, [](std::size_t i) { return 2 * i + 2; }) +
          "</Lines>\n<CellData>\n" + array("Float64", "tag", 1, count, copy(tag)) +
          array("Float64", "radius_m", 1, count, copy(radius_m)) +
          array("Float64", "current_peak_a", 1, count,
                [&](std::size_t i) { return std::abs(current_a[i]); }) +
          array("Float64", "current_phase_deg", 1, count,
                [&](std::size_t i) {
                  return std::arg(current_a[i]) * 180 / std::numbers::pi;
                }) +
          "</CellData>\n</Piece>\n</PolyData>\n");
}

std::string fields_vts(std::span<const double> position_m, const Points& points,
                       std::span<const GridField> fields) {
  const std::string extent = extent_of(points);
  return document("StructuredGrid",
                  fmt::format("<StructuredGrid WholeExtent=\"{0}\">\n<Piece "
                              "Extent=\"{0}\">\n<Points>\n",
                              extent) +
                      array("Float64", "points_m", 3, position_m.size(),
                            [&](std::size_t i) { return position_m[i]; }) +
                      "</Points>\n" + point_data(fields) +
                      "</Piece>\n</StructuredGrid>\n");
}

std::string fields_vti(std::span<const double> position_m, const Points& points,
                       std::span<const GridField> fields) {
  std::array<double, 3> step = {1, 1, 1};
  double size = 0;
  for (std::size_t axis = 0, stride = 3; axis < 3; stride *= points[axis++]) {
    if (points[axis] > 1) step[axis] = position_m[stride + axis] - position_m[axis];
    size += static_cast<double>(points[axis]) * std::abs(step[axis]);
  }
  for (std::size_t i = 0; i < position_m.size(); ++i) {
    const std::size_t axis = i % 3, point = i / 3;
    const std::size_t stride = axis == 0   ? 1
                               : axis == 1 ? points[0]
                                           : points[0] * points[1];
    const double expected =
        position_m[axis] +
        step[axis] * static_cast<double>(point / stride % points[axis]);
    if (step[axis] <= 0 || std::abs(position_m[i] - expected) > 1e-9 * size)
      throw Error(ErrorKind::usage,
                  "the near field's grid has no equal steps along x, y and z, which .vti "
                  "needs. Write it as .vts.");
  }
  const std::string extent = extent_of(points);
  return document(
      "ImageData",
      fmt::format("<ImageData WholeExtent=\"{0}\" Origin=\"{1} {2} {3}\" Spacing=\"{4} "
                  "{5} {6}\">\n<Piece Extent=\"{0}\">\n",
                  extent, position_m[0], position_m[1], position_m[2], step[0], step[1],
                  step[2]) +
          point_data(fields) + "</Piece>\n</ImageData>\n");
}

}  // namespace thinwire
