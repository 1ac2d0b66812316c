#include "kernels/fill/matrix_sweep.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "kernels/base/simd_clones.h"
#include "kernels/fill/fill.h"
#include "kernels/matrix/packed_tiles.h"

namespace thinwire {
namespace {

constexpr std::size_t tile = PackedTiles::tile, line_numbers = 2 * tile;

/// Last over first.
constexpr double widest_range = 10;
/// Share of a node's progress that its near pairs take.
constexpr double near_share = 0.5;

double sinc(double x) {
  return x == 0 ? 1 : std::sin(x) / x;
}

/// The longest distance in the mesh, images included.
double diagonal_m(std::span<const Element> elements, Medium medium) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Vec3 low = {infinity, infinity, infinity}, high = {-infinity, -infinity, -infinity};
  for (const Element& element : elements)
    for (int s = 0; s < medium.sources(); ++s) {
      const Element e = medium.source(element, s);
      for (const Vec3 r : {e.start_m, e.start_m + e.length_m * e.tangent}) {
        low = {std::min(low.x, r.x), std::min(low.y, r.y), std::min(low.z, r.z)};
        high = {std::max(high.x, r.x), std::max(high.y, r.y), std::max(high.z, r.z)};
      }
    }
  return norm(high - low);
}

/// None where they would be too many, or the range is too wide.
WavenumberNodes nodes_for(std::span<const Element> elements, WavenumberRange range,
                          Medium medium) {
  if (range.last > widest_range * range.first) return {};
  // Both functions' shapes run along with the phase of the Green's function.
  double longest_m = 0;
  for (const Element& e : elements) longest_m = std::max(longest_m, e.length_m);
  WavenumberNodes nodes(range, diagonal_m(elements, medium) + 4 * longest_m);
  return 2 * nodes.size() > range.count ? WavenumberNodes() : nodes;
}

/// Multiplies a line by row_scale and each number by that of its column.
THINWIRE_SIMD_CLONES
void scale_line(double row_scale, const double* __restrict column_scale,
                double* __restrict line) {
#pragma omp simd
  for (std::size_t c = 0; c < line_numbers; ++c) line[c] *= row_scale * column_scale[c];
}

}  // namespace

MatrixSweep::MatrixSweep(std::span<const Element> elements,
                         std::span<const BasisFunction> basis, Medium medium,
                         WavenumberNodes nodes)
    : medium_(medium), nodes_(std::move(nodes)) {
  for (const BasisFunction& f : basis) {
    Lengths lengths = {};
    for (int t = 0; t < 2; ++t)
      if (f.sign[t] != 0) lengths.m[t] = elements[f.element[t]].length_m;
    lengths_.push_back(lengths);
  }
}

std::shared_ptr<const MatrixSweep> MatrixSweep::make(std::span<const Element> elements,
                                                     std::span<const BasisFunction> basis,
                                                     WavenumberRange range,
                                                     GreensKernel kernel, Medium medium,
                                                     std::size_t max_bytes,
                                                     const Monitor& monitor) {
  WavenumberNodes nodes = nodes_for(elements, range, medium);
  const PackedTiles layout{basis.size()};
  if (nodes.empty() || nodes.size() * layout.entries() * sizeof(Complex) > max_bytes)
    return nullptr;
  std::shared_ptr<MatrixSweep> sweep(
      new MatrixSweep(elements, basis, medium, std::move(nodes)));
  sweep->table_ = LineTable(layout, sweep->nodes());
  // Near pairs are those of the shortest wave at every node, and integrated there.
  NearPairTable near(elements, {range.first, range.last, 1}, kernel, medium, 0, monitor);
  std::vector<Complex> z(layout.entries());
  const auto count = static_cast<double>(sweep->nodes());
  for (std::size_t n = 0; n < sweep->nodes(); ++n) {
    const double k = sweep->nodes_.k_rad_per_m()[n], done = static_cast<double>(n);
    const Monitor node = monitor.part(done / count, (done + 1) / count);
    near.set_wavenumber(k, node.part(0, near_share));
    fill_impedance({elements, basis, k, kernel, medium, &near}, z,
                   node.part(near_share, 1));
    sweep->take_node(n, z);
  }
  return sweep;
}

std::size_t MatrixSweep::table_bytes(std::span<const Element> elements,
                                     std::size_t functions, WavenumberRange range,
                                     Medium medium) {
  return nodes_for(elements, range, medium).size() * PackedTiles{functions}.entries() *
         sizeof(Complex);
}

/// s_m of every function; 1 in the padding.
std::vector<double> MatrixSweep::smoothing(double k) const {
  std::vector<double> s(PackedTiles{lengths_.size()}.padded(), 1.0);
  for (std::size_t m = 0; m < lengths_.size(); ++m)
    s[m] = sinc(k * lengths_[m].m[0]) * sinc(k * lengths_[m].m[1]);
  return s;
}

void MatrixSweep::take_node(std::size_t node, std::span<const Complex> z) {
  const PackedTiles layout{lengths_.size()};
  const double k = nodes_.k_rad_per_m()[node];
  const std::vector<double> s = smoothing(k);
#pragma omp parallel for schedule(static)
  for (std::size_t line = 0; line < layout.tiles() * tile; ++line) {
    const auto [row, column] = PackedTiles::tile_at(line / tile);
    const double scale = k * s[row * tile + line % tile];
    const std::span<double> to = table_.at(line, node);
    for (std::size_t c = 0; c < tile; ++c) {
      const Complex smooth = scale * s[column * tile + c] * z[line * tile + c];
      to[2 * c] = smooth.real();
      to[2 * c + 1] = smooth.imag();
    }
  }
}

/// Factors of an interpolated line.
struct MatrixSweep::Scales {
  std::vector<double> row;     ///< 1 / s_m
  std::vector<double> column;  ///< 1 / (k s_n), each twice

  /// Line r of the tile at (row, column).
  void apply(PackedTiles::TileAt at, std::size_t r, double* line) const {
    scale_line(row[at.row * tile + r], &column[at.column * line_numbers], line);
  }
};

MatrixSweep::Scales MatrixSweep::scales_at(double k) const {
  Scales scales = {smoothing(k), {}};
  for (double& s : scales.row) {
    s = 1 / s;
    scales.column.insert(scales.column.end(), 2, s / k);
  }
  return scales;
}

void MatrixSweep::fill(double k, std::span<Complex> z) const {
  const PackedTiles layout{lengths_.size()};
  const std::vector<double> weight = nodes_.weights(k);
  const Scales scales = scales_at(k);
#pragma omp parallel for schedule(static)
  for (std::size_t number = 0; number < layout.tiles(); ++number)
    for (std::size_t r = 0; r < tile; ++r) {
      auto* line = reinterpret_cast<double*>(&z[(number * tile + r) * tile]);
      table_.interpolate(number * tile + r, weight, line);
      scales.apply(PackedTiles::tile_at(number), r, line);
    }
}

void MatrixSweep::fill_at_once(std::span<const double> k, std::span<Complex> z) const {
  constexpr std::size_t count = LineTable::at_once;
  const PackedTiles layout{lengths_.size()};
  std::vector<std::vector<double>> weight;
  std::vector<Scales> scales;
  for (const double one : k) {
    weight.push_back(nodes_.weights(one));
    scales.push_back(scales_at(one));
  }
  const double* weights[count];
  for (std::size_t i = 0; i < count; ++i) weights[i] = weight[i].data();
#pragma omp parallel for schedule(static)
  for (std::size_t number = 0; number < layout.tiles(); ++number)
    for (std::size_t r = 0; r < tile; ++r) {
      double* line[count];
      for (std::size_t i = 0; i < count; ++i)
        line[i] = reinterpret_cast<double*>(
            &z[i * layout.entries() + (number * tile + r) * tile]);
      table_.interpolate(number * tile + r, weights, line);
      for (std::size_t i = 0; i < count; ++i)
        scales[i].apply(PackedTiles::tile_at(number), r, line[i]);
    }
}

}  // namespace thinwire
