#include "mom/media/ground_sweep.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "kernels/base/constants.h"
#include "kernels/base/simd_clones.h"
#include "kernels/base/sincos.h"
#include "kernels/fill/fill.h"
#include "mom/media/ground_cache.h"

namespace thinwire {
namespace {

constexpr std::size_t tile = PackedTiles::tile;
constexpr std::size_t first_nodes = 9, default_nodes = 17, max_nodes = 33;
/// Limit of the last three coefficients relative to the largest entry.
constexpr double series_tolerance = 1e-6;

/// Whether the frequencies pay for so many points.
bool pays_for(std::size_t nodes, std::size_t frequencies) {
  return 3 * nodes <= frequencies;
}

/// The ground's part of Z at one wave number.
std::vector<Complex> reflected_matrix(const Discretization& discretization,
                                      const Ground& ground, double k, GreensKernel kernel,
                                      GroundCache& kept, const Monitor& monitor) {
  FillInput input = {discretization.elements(), discretization.basis().functions(), k,
                     kernel, Medium::free_space()};
  kept.at(ground, k, monitor).put_in(input);
  input.ground_alone = true;
  std::vector<Complex> z(PackedTiles{discretization.unknowns()}.entries());
  fill_impedance(input, z, monitor);
  return z;
}

/// Turns entries, real and imaginary part by turns, by k times the distance of a point
/// from the images of others.
THINWIRE_SIMD_CLONES
void turn_line(double k, Vec3 point, const double* __restrict x,
               const double* __restrict y, const double* __restrict z,
               double* __restrict line) {
#pragma omp simd
  for (std::size_t c = 0; c < tile; ++c) {
    const double dx = point.x - x[c], dy = point.y - y[c], dz = point.z + z[c];
    double sine, cosine;
    sincos_simd(k * std::sqrt(dx * dx + dy * dy + dz * dz), sine, cosine);
    const double re = line[2 * c], im = line[2 * c + 1];
    line[2 * c] = re * cosine - im * sine;
    line[2 * c + 1] = re * sine + im * cosine;
  }
}

}  // namespace

GroundSweep::GroundSweep(const Discretization& discretization, const Ground& ground)
    : ground_(ground), layout_{discretization.unknowns()} {
  for (std::size_t m = 0; m < layout_.padded(); ++m) {
    const Vec3 place = m < layout_.n ? place_of(discretization.basis().functions()[m],
                                                discretization.elements())
                                     : Vec3{};
    x_m_.push_back(place.x);
    y_m_.push_back(place.y);
    z_m_.push_back(place.z);
  }
}

double GroundSweep::node_k(double cosine) const {
  return k_middle_ + k_half_ * cosine;
}

std::shared_ptr<const GroundSweep> GroundSweep::make(
    const Discretization& discretization, const Ground& ground, WavenumberRange range,
    GreensKernel kernel, std::size_t max_bytes, const Monitor& monitor,
    double table_error) {
  if (any_below(discretization.elements())) return nullptr;
  const std::size_t bytes =
      PackedTiles{discretization.unknowns()}.entries() * sizeof(Complex);
  const auto pays = [&](std::size_t nodes) {
    return pays_for(nodes, range.count) && nodes * bytes <= max_bytes;
  };
  if (!pays(first_nodes) || !(range.first < range.last)) return nullptr;
  std::shared_ptr<GroundSweep> sweep(new GroundSweep(discretization, ground));
  GroundCache kept(discretization.elements(), range, kernel, {table_error});
  sweep->k_middle_ = 0.5 * (range.first + range.last);
  sweep->k_half_ = 0.5 * (range.last - range.first);
  // Where more points than usual are needed, the progress waits for them.
  const auto progress = [](std::size_t points) {
    return std::min(1.0, static_cast<double>(points) / default_nodes);
  };
  std::size_t done = 0;
  std::vector<std::vector<Complex>> matrices;
  for (std::size_t nodes = first_nodes; nodes <= max_nodes && pays(nodes);
       nodes = 2 * nodes - 1) {
    // Every second point is one of those before.
    std::vector<std::vector<Complex>> before = std::exchange(matrices, {});
    for (std::size_t n = 0; n < nodes; ++n) {
      if (!before.empty() && n % 2 == 0) {
        matrices.push_back(std::move(before[n / 2]));
        continue;
      }
      const double angle = pi * static_cast<double>(n) / static_cast<double>(nodes - 1);
      const double k = sweep->node_k(std::cos(angle));
      std::vector<Complex> z =
          reflected_matrix(discretization, ground, k, kernel, kept,
                           monitor.part(progress(done), progress(done + 1)));
      ++done;
      for (Complex& entry : z) entry *= k;
      sweep->turn(k, z);
      matrices.push_back(std::move(z));
    }
    if (!holds(matrices)) continue;
    sweep->table_ = LineTable(sweep->layout_, nodes);
    for (std::size_t n = 0; n < nodes; ++n)
      for (std::size_t line = 0; line < sweep->layout_.tiles() * tile; ++line) {
        const auto* from = reinterpret_cast<const double*>(&matrices[n][line * tile]);
        std::copy_n(from, 2 * tile, sweep->table_.at(line, n).begin());
      }
    return sweep;
  }
  return nullptr;
}

std::size_t GroundSweep::default_table_bytes(std::size_t functions,
                                             std::size_t frequencies) {
  if (!pays_for(first_nodes, frequencies)) return 0;
  const std::size_t nodes =
      pays_for(default_nodes, frequencies) ? default_nodes : first_nodes;
  return nodes * PackedTiles{functions}.entries() * sizeof(Complex);
}

/// Multiplies every entry of the tiles by e^{jkR}, R from one function's place to the
/// other's image.
void GroundSweep::turn(double k, std::span<Complex> z) const {
#pragma omp parallel for schedule(static)
  for (std::size_t line = 0; line < layout_.tiles() * tile; ++line)
    turn_line_of(line, k, reinterpret_cast<double*>(&z[line * tile]));
}

void GroundSweep::turn_line_of(std::size_t line, double k, double* entries) const {
  const auto [row, column] = PackedTiles::tile_at(line / tile);
  const std::size_t m = row * tile + line % tile, n = column * tile;
  turn_line(k, {x_m_[m], y_m_[m], z_m_[m]}, &x_m_[n], &y_m_[n], &z_m_[n], entries);
}

/// Whether the last Chebyshev coefficients of all entries are small.
bool GroundSweep::holds(const std::vector<std::vector<Complex>>& nodes) {
  const std::size_t last = nodes.size() - 1;
  std::vector<std::array<double, 3>> transform(nodes.size());
  for (std::size_t n = 0; n <= last; ++n)
    for (std::size_t m = 0; m < 3; ++m)
      transform[n][m] =
          (n == 0 || n == last ? 1.0 : 2.0) / static_cast<double>(last) *
          std::cos(pi * static_cast<double>(n * (last - m)) / static_cast<double>(last));
  double largest2 = 0, left2 = 0;
  for (std::size_t at = 0; at < nodes.front().size(); ++at) {
    Complex c[3] = {};
    for (std::size_t n = 0; n <= last; ++n) {
      largest2 = std::max(largest2, std::norm(nodes[n][at]));
      for (std::size_t m = 0; m < 3; ++m) c[m] += transform[n][m] * nodes[n][at];
    }
    for (const Complex& x : c) left2 = std::max(left2, std::norm(x));
  }
  return std::sqrt(left2) <= series_tolerance * std::sqrt(largest2);
}

void GroundSweep::add_to(std::span<Complex> z, double k) const {
  // The barycentric formula (Berrut and Trefethen 2004, 5.4).
  const std::size_t last = nodes() - 1;
  std::vector<double> weight(nodes());
  double sum = 0;
  for (std::size_t n = 0; n <= last; ++n) {
    const double at =
        node_k(std::cos(pi * static_cast<double>(n) / static_cast<double>(last)));
    const double step = k - at;
    if (std::fabs(step) < 1e-14 * k) {
      std::fill(weight.begin(), weight.end(), 0.0);
      weight[n] = sum = 1;
      break;
    }
    weight[n] = (n % 2 == 0 ? 1.0 : -1.0) * (n == 0 || n == last ? 0.5 : 1.0) / step;
    sum += weight[n];
  }
  for (double& w : weight) w /= sum * k;
#pragma omp parallel for schedule(static)
  for (std::size_t line = 0; line < layout_.tiles() * tile; ++line) {
    double values[2 * tile];
    table_.interpolate(line, weight, values);
    turn_line_of(line, -k, values);
    auto* to = reinterpret_cast<double*>(&z[line * tile]);
    for (std::size_t c = 0; c < 2 * tile; ++c) to[c] += values[c];
  }
}

}  // namespace thinwire
