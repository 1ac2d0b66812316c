#include "mom/operators/toeplitz_operator.h"

#include <algorithm>
#include <cmath>
#include <new>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "kernels/base/bytes_text.h"
#include "kernels/base/error.h"
#include "kernels/element/quadrature_order.h"
#include "kernels/fill/matrix_entries.h"
#include "kernels/matrix/packed_tiles.h"

namespace thinwire {
namespace {

/// Between two looks at the monitor.
constexpr std::size_t displacements_at_once = 4096;
/// Rows of an antenna's own block that a thread computes at a time.
constexpr std::size_t rows_at_once = 8;

std::vector<Complex> allocated(std::size_t count, std::size_t unknowns) {
  try {
    return std::vector<Complex>(count);
  } catch (const std::bad_alloc&) {
    throw Error(
        ErrorKind::memory,
        fmt::format("toeplitz operator needs {}, more than this machine has (N = {}). "
                    "Use fewer segments or --mesh as-given.",
                    bytes_text(static_cast<double>(count * sizeof(Complex))), unknowns));
  }
}

/// Antenna 0 and its copies at some displacements, as a mesh of their own.
struct Copies {
  Copies(const LatticeBasis& basis, std::span<const Vec3> displacements_m)
      : elements(basis.elements), functions(basis.functions) {
    for (const Vec3 by : displacements_m) {
      const auto first = static_cast<std::uint32_t>(elements.size());
      for (Element e : basis.elements) {
        e.start_m = e.start_m + by;
        elements.push_back(e);
      }
      for (BasisFunction f : basis.functions) {
        f.element[0] += first;
        f.element[1] += first;
        functions.push_back(f);
      }
    }
  }
  std::vector<Element> elements;
  std::vector<BasisFunction> functions;
};

FillInput fill_input(const Copies& copies, const ToeplitzInput& input) {
  FillInput fill = {copies.elements, copies.functions, input.k_rad_per_m,
                    input.kernel,    input.medium,     nullptr};
  fill.ground = input.ground;
  fill.surface = input.surface;
  return fill;
}

/// Whether elements of the antenna and of its displaced one are near, to a hair: who
/// decides by the same distances, rounded, finds no more.
bool any_near(const LatticeBasis& basis, const ToeplitzInput& input, int s, Vec3 by) {
  constexpr double to_a_hair = 1 - 1e-6;
  for (const Element& element : basis.elements)
    for (Element q : basis.elements) {
      const Element p = input.medium.source(element, s);
      q.start_m = q.start_m + by;
      const Vec3 between = (p.start_m + 0.5 * p.length_m * p.tangent) -
                           (q.start_m + 0.5 * q.length_m * q.tangent);
      const double radius =
          input.kernel == GreensKernel::exact ? std::max(p.radius_m, q.radius_m) : 0;
      if (far_order(to_a_hair * norm(between), std::max(p.length_m, q.length_m), radius,
                    input.k_rad_per_m) == 0)
        return true;
    }
  return false;
}

/// A ball that holds the antenna.
struct Ball {
  explicit Ball(std::span<const Element> elements) {
    for (const Element& e : elements)
      centre_m = centre_m + 1 / static_cast<double>(elements.size()) * e.start_m;
    for (const Element& e : elements)
      radius_m = std::max(radius_m, norm(e.start_m - centre_m) + e.length_m);
  }
  Vec3 centre_m;
  double radius_m = 0;
};

}  // namespace

std::vector<Complex> own_toeplitz_block(const LatticeBasis& basis,
                                        const ToeplitzInput& input) {
  const std::size_t n = basis.size();
  const Copies antenna(basis, {});
  std::vector<Complex> block(n * n);
  // Most of its pairs of elements are near, and those take long: few rows a thread, each
  // up to the diagonal.
#pragma omp parallel for schedule(dynamic)
  for (std::size_t r = 0; r < n; r += rows_at_once) {
    // The long rows first.
    const std::size_t last = n - r, first = last - std::min(rows_at_once, last);
    std::vector<std::uint32_t> rows(last - first), columns(last);
    std::iota(rows.begin(), rows.end(), static_cast<std::uint32_t>(first));
    std::iota(columns.begin(), columns.end(), 0u);
    std::vector<Complex> entries(rows.size() * last);
    read_entries(fill_input(antenna, input), rows, columns, entries);
    for (std::size_t i = first; i < last; ++i)
      for (std::size_t j = 0; j <= i; ++j)
        block[i * n + j] = block[j * n + i] = entries[i - first + j * rows.size()];
  }
  return block;
}

std::vector<Complex> toeplitz_block(const LatticeBasis& basis, const ToeplitzInput& input,
                                    Vec3 displacement_m) {
  const std::size_t n = basis.size();
  const Copies copies(basis, std::span(&displacement_m, 1));
  std::vector<std::uint32_t> rows(n), columns(n);
  std::iota(rows.begin(), rows.end(), 0u);
  std::iota(columns.begin(), columns.end(), static_cast<std::uint32_t>(n));
  std::vector<Complex> block(n * n), transposed(n * n);
  read_entries(fill_input(copies, input), rows, columns, block);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) transposed[i * n + j] = block[i + j * n];
  return transposed;
}

std::vector<std::uint32_t> near_displacements(const LatticeBasis& basis,
                                              const ToeplitzGrid& grid,
                                              const ToeplitzInput& input) {
  const Ball ball(basis.elements);
  double longest_m = 0, thickest_m = 0;
  for (const Element& e : basis.elements) {
    longest_m = std::max(longest_m, e.length_m);
    thickest_m = std::max(thickest_m, e.radius_m);
  }
  // Beyond this distance nothing is near, unless everything is.
  const double far_m = 2 * longest_m + series_radii * thickest_m,
               apart_m = 2 * ball.radius_m + far_m;
  const double radius = input.kernel == GreensKernel::exact ? thickest_m : 0;
  const bool all = far_order(far_m, longest_m, radius, input.k_rad_per_m) == 0;
  std::vector<char> is_near(grid.displacements(), all ? 1 : 0);
#pragma omp parallel for schedule(static)
  for (std::size_t d = 0; d < is_near.size(); ++d) {
    if (is_near[d]) continue;
    const Vec3 by = grid.displacement_m(d);
    for (int s = 0; s < input.medium.sources() && !is_near[d]; ++s) {
      Element image;
      image.start_m = ball.centre_m;
      image = input.medium.source(image, s);
      is_near[d] = norm(ball.centre_m + by - image.start_m) < apart_m &&
                   any_near(basis, input, s, by);
    }
  }
  std::vector<std::uint32_t> near;
  for (std::size_t d = 1; d < is_near.size(); ++d)
    if (is_near[d]) near.push_back(static_cast<std::uint32_t>(d));
  return near;
}

void fill_toeplitz_blocks(const LatticeBasis& basis, const ToeplitzGrid& grid,
                          const ToeplitzInput& input, std::size_t stride,
                          std::span<Complex> entries, const Monitor& monitor) {
  const std::size_t n = basis.size();
  std::vector<std::uint32_t> rows(n);
  std::iota(rows.begin(), rows.end(), 0u);
  const auto write = [&](std::size_t number, std::span<const Complex> block) {
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        entries[(i * n + j) * stride + number] = block[i + j * n];
  };
  // Symmetric, so that rows and columns may be either.
  write(0, own_toeplitz_block(basis, input));
  // As many copies at a time as fill a tile.
  const std::size_t copies_at_once = std::max<std::size_t>(PackedTiles::tile / n, 1);
  for (std::size_t first = 1; first < grid.displacements();
       first += displacements_at_once) {
    monitor.report(
        "fill", static_cast<double>(first) / static_cast<double>(grid.displacements()));
    const std::size_t last =
        std::min(first + displacements_at_once, grid.displacements());
    const auto groups =
        static_cast<std::int64_t>((last - first + copies_at_once - 1) / copies_at_once);
#pragma omp parallel for schedule(dynamic, 4)
    for (std::int64_t group = 0; group < groups; ++group) {
      const std::size_t begin = first + static_cast<std::size_t>(group) * copies_at_once,
                        some = std::min(copies_at_once, last - begin);
      std::vector<Vec3> displacements_m;
      for (std::size_t c = 0; c < some; ++c)
        displacements_m.push_back(grid.displacement_m(begin + c));
      const Copies copies(basis, displacements_m);
      std::vector<std::uint32_t> columns(some * n);
      std::iota(columns.begin(), columns.end(), static_cast<std::uint32_t>(n));
      std::vector<Complex> blocks(n * columns.size());
      read_entries(fill_input(copies, input), rows, columns, blocks);
      for (std::size_t c = 0; c < some; ++c)
        write(begin + c, std::span(blocks).subspan(c * n * n, n * n));
    }
  }
}

// Block n of the matrix is B(d)_ij = Z(i at 0, j at d). The convolution over places
// s, t has the kernel K_ij(s - t), so K_ij(-d) = B(d)_ij, and K_ij(d) = B(d)_ji by
// reciprocity: entries (i, j) and (j, i) have one array between them, whose transform at
// q belongs to (i, j) and at -q to (j, i).
void transform_toeplitz_blocks(const ToeplitzGrid& grid, std::size_t functions,
                               std::span<Complex> entries, const Monitor& monitor) {
  const HalfSpectra& half = grid.half();
  const std::size_t count = half.count();
  const Fft fft(FftShape{grid.lengths(), {}});
  const double scale = 1 / static_cast<double>(grid.points());
  std::vector<std::uint32_t> ahead(grid.displacements()), behind(grid.displacements());
  for (std::size_t d = 0; d < ahead.size(); ++d) {
    ahead[d] = static_cast<std::uint32_t>(grid.point_of(d, 1));
    behind[d] = static_cast<std::uint32_t>(grid.point_of(d, -1));
  }
  std::vector<Complex> array(grid.points());
  for (std::size_t i = 0; i < functions; ++i) {
    monitor.report("fill", static_cast<double>(i) / static_cast<double>(functions));
    for (std::size_t j = 0; j <= i; ++j) {
      Complex *upper = entries.data() + (i * functions + j) * count,
              *lower = entries.data() + (j * functions + i) * count;
      std::fill(array.begin(), array.end(), Complex{});
#pragma omp parallel for schedule(static)
      for (std::size_t d = 0; d < ahead.size(); ++d) {
        array[behind[d]] = scale * upper[d];
        array[ahead[d]] = scale * lower[d];
      }
      fft.forward(array.data(), 1);
#pragma omp parallel for schedule(static)
      for (std::size_t t = 0; t < count; ++t) {
        upper[t] = array[half.plus[t]];
        lower[t] = array[half.minus[t]];
      }
    }
  }
}

void check_toeplitz_ground(const LatticeBasis& basis, const ToeplitzInput& input) {
  if (input.medium.sources() == 1 && !input.over_real_ground()) return;
  double shortest_m = basis.elements.front().length_m;
  for (const Element& e : basis.elements) shortest_m = std::min(shortest_m, e.length_m);
  const std::string reason = why_no_images(basis.steps_m, basis.places, shortest_m);
  if (!reason.empty())
    throw Error(ErrorKind::geometry,
                fmt::format("toeplitz operator: {}. Use --operator dense.", reason));
}

ToeplitzOperator::ToeplitzOperator(LatticeBasis basis, const ToeplitzInput& input,
                                   std::vector<MatrixUpdate> loads,
                                   const Monitor& monitor)
    : basis_(std::move(basis)),
      grid_(basis_),
      fft_(FftShape{grid_.lengths(), grid_.places()}),
      loads_(std::move(loads)) {
  check_toeplitz_ground(basis_, input);
  const std::size_t n = basis_.size(), count = grid_.half().count();
  spectra_ = allocated(n * n * count, size());
  fill_toeplitz_blocks(basis_, grid_, input, count, spectra_, monitor.part(0, 0.8));
  for (std::size_t entry = 0; entry < n * n; ++entry)
    own_block_.push_back(spectra_[entry * count]);
  transform_toeplitz_blocks(grid_, n, spectra_, monitor.part(0.8, 1));
  array_ = allocated(n * grid_.points(), size());
}

void ToeplitzOperator::apply(std::span<const Complex> x, std::span<Complex> y) const {
  const std::size_t n = basis_.size(), points = grid_.points();
  const auto antennas = static_cast<std::int64_t>(basis_.antennas());
#pragma omp parallel for schedule(static)
  for (std::int64_t p = 0; p < static_cast<std::int64_t>(array_.size()); ++p)
    array_[p] = 0;
#pragma omp parallel for schedule(static)
  for (std::int64_t a = 0; a < antennas; ++a)
    for (std::size_t i = 0; i < n; ++i)
      array_[i * points + grid_.antenna_points()[a]] = x[basis_.number_of[a * n + i]];
  fft_.forward(array_.data(), n);
  multiply_spectra(grid_.half(), n, spectra_, array_);
  fft_.backward(array_.data(), n);
#pragma omp parallel for schedule(static)
  for (std::int64_t a = 0; a < antennas; ++a)
    for (std::size_t i = 0; i < n; ++i)
      y[basis_.number_of[a * n + i]] = array_[i * points + grid_.antenna_points()[a]];
  add_updates(loads_, x, y);
}

std::size_t ToeplitzOperator::bytes(std::size_t functions,
                                    std::array<std::size_t, 3> places,
                                    std::size_t antennas) {
  const std::array<std::size_t, 3> lengths = ToeplitzGrid::lengths_for(places);
  const std::size_t half = HalfSpectra::count(lengths),
                    points = lengths[0] * lengths[1] * lengths[2];
  return sizeof(Complex) * (functions * functions * (half + 1) + functions * points) +
         2 * sizeof(std::uint32_t) * half +
         sizeof(std::uint32_t) * antennas * (functions + 1);
}

}  // namespace thinwire
