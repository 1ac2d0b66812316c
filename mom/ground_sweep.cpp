#include "mom/ground_sweep.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "kernels/base/constants.h"
#include "kernels/fill/fill.h"
#include "mom/kept_ground.h"

namespace thinwire {
namespace {

constexpr std::size_t first_nodes = 9, most_nodes = 33;
/// Of the last three coefficients, over the largest entry.
constexpr double tolerance = 1e-6;

/// The ground's part of Z at one wave number.
std::vector<Complex> reflected_matrix(const Discretisation& antenna, const Ground& ground,
                                      double k, GreensKernel kernel, KeptGround& kept,
                                      const Monitor& monitor) {
  FillInput input = {antenna.elements(), antenna.basis().functions(), k, kernel,
                     Medium::free_space()};
  kept.at(ground, k, monitor).put_in(input);
  input.ground_alone = true;
  std::vector<Complex> z(PackedTiles{antenna.unknowns()}.entries());
  fill_impedance(input, z);
  return z;
}

}  // namespace

GroundSweep::GroundSweep(const Discretisation& antenna, const Ground& ground)
    : ground_(ground) {
  for (const BasisFunction& f : antenna.basis().functions())
    place_m_.push_back(place_of(f, antenna.elements()));
}

double GroundSweep::node_k(double cosine) const {
  return k_middle_ + k_half_ * cosine;
}

std::optional<GroundSweep> GroundSweep::make(const Discretisation& antenna,
                                             const Ground& ground, WavenumberRange range,
                                             GreensKernel kernel, std::size_t most_bytes,
                                             const Monitor& monitor, double table_error) {
  if (any_below(antenna.elements())) return std::nullopt;
  const std::size_t bytes = PackedTiles{antenna.unknowns()}.entries() * sizeof(Complex);
  const auto pays = [&](std::size_t nodes) {
    return 3 * nodes <= range.count && nodes * bytes <= most_bytes;
  };
  if (!pays(first_nodes) || !(range.first < range.last)) return std::nullopt;
  GroundSweep sweep(antenna, ground);
  KeptGround kept(antenna.elements(), range, kernel, {table_error});
  sweep.k_middle_ = 0.5 * (range.first + range.last);
  sweep.k_half_ = 0.5 * (range.last - range.first);
  for (std::size_t nodes = first_nodes; nodes <= most_nodes && pays(nodes);
       nodes = 2 * nodes - 1) {
    // Every second point is one of those before.
    std::vector<std::vector<Complex>> before = std::exchange(sweep.node_, {});
    for (std::size_t n = 0; n < nodes; ++n) {
      if (!before.empty() && n % 2 == 0) {
        sweep.node_.push_back(std::move(before[n / 2]));
        continue;
      }
      const double angle = pi * static_cast<double>(n) / static_cast<double>(nodes - 1);
      const double k = sweep.node_k(std::cos(angle));
      std::vector<Complex> z =
          reflected_matrix(antenna, ground, k, kernel, kept, monitor);
      sweep.for_entries([&](std::size_t at, double distance) {
        z[at] *= k * std::polar(1.0, k * distance);
      });
      sweep.node_.push_back(std::move(z));
    }
    if (sweep.holds()) return sweep;
  }
  return std::nullopt;
}

/// Calls body(offset, distance from the one function's place to the other's image) for
/// every entry of the tiles.
template <class Body>
void GroundSweep::for_entries(const Body& body) const {
  const PackedTiles layout{place_m_.size()};
  constexpr std::size_t tile = PackedTiles::tile;
#pragma omp parallel for schedule(dynamic)
  for (std::size_t number = 0; number < layout.tiles(); ++number) {
    const auto [row, column] = PackedTiles::tile_at(number);
    for (std::size_t i = row * tile; i < std::min((row + 1) * tile, layout.n); ++i)
      for (std::size_t j = column * tile; j < std::min((column + 1) * tile, layout.n);
           ++j) {
        const Vec3 &a = place_m_[i], &b = place_m_[j];
        body(number * PackedTiles::tile_entries + (i % tile) * tile + j % tile,
             norm(Vec3{a.x - b.x, a.y - b.y, a.z + b.z}));
      }
  }
}

/// Whether the last Chebyshev coefficients of all entries are small.
bool GroundSweep::holds() const {
  const std::size_t last = node_.size() - 1;
  std::vector<std::array<double, 3>> transform(node_.size());
  for (std::size_t n = 0; n <= last; ++n)
    for (std::size_t m = 0; m < 3; ++m)
      transform[n][m] =
          (n == 0 || n == last ? 1.0 : 2.0) / static_cast<double>(last) *
          std::cos(pi * static_cast<double>(n * (last - m)) / static_cast<double>(last));
  double largest2 = 0, left2 = 0;
  for (std::size_t at = 0; at < node_.front().size(); ++at) {
    Complex c[3] = {};
    for (std::size_t n = 0; n <= last; ++n) {
      largest2 = std::max(largest2, std::norm(node_[n][at]));
      for (std::size_t m = 0; m < 3; ++m) c[m] += transform[n][m] * node_[n][at];
    }
    for (const Complex& x : c) left2 = std::max(left2, std::norm(x));
  }
  return std::sqrt(left2) <= tolerance * std::sqrt(largest2);
}

void GroundSweep::add_to(std::span<Complex> z, double k) const {
  // The barycentric formula (Berrut and Trefethen 2004, 5.4).
  const std::size_t last = node_.size() - 1;
  std::vector<double> weight(node_.size());
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
  for_entries([&](std::size_t at, double distance) {
    Complex smooth = 0;
    for (std::size_t n = 0; n <= last; ++n) smooth += weight[n] * node_[n][at];
    z[at] += smooth * std::polar(1.0, -k * distance);
  });
}

}  // namespace thinwire
