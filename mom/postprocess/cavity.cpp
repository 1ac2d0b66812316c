#include "mom/postprocess/cavity.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

#include "kernels/base/constants.h"

namespace thinwire {
namespace {

/// Cubes are so many typical segments wide at first, so that each that a wall of square
/// cells crosses has a wire.
constexpr double cube_segments = 1.5;
/// Walls of wider cells than this, in wavelengths, do not shield.
constexpr double max_cube_wavelengths = 0.25;
constexpr std::size_t max_cubes = std::size_t{1} << 22, max_samples = 32;
/// Few segments enclose nothing.
constexpr std::size_t min_segments = 50;

double typical_length_m(const Structure& structure) {
  std::vector<double> lengths;
  for (const Segment& s : structure.segments())
    lengths.push_back(norm(s.end_m - s.start_m));
  const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2);
  std::nth_element(lengths.begin(), middle, lengths.end());
  return *middle;
}

/// Cubes around a structure, one more than it needs on each side.
class Cubes {
 public:
  Cubes(Vec3 least, Vec3 extent, double edge_m)
      : origin_(least - edge_m * Vec3{1, 1, 1}), edge_(edge_m) {
    const double extents[] = {extent.x, extent.y, extent.z};
    for (int i = 0; i < 3; ++i) {
      count_[i] = static_cast<std::size_t>(std::min(extents[i] / edge_m, 1e9)) + 3;
      total_ *= static_cast<double>(count_[i]);
    }
  }

  bool fits() const { return total_ < static_cast<double>(max_cubes); }

  void flood(const Structure& structure) {
    state_.assign(static_cast<std::size_t>(total_), free);
    for (const Segment& s : structure.segments()) {
      const Vec3 along = s.end_m - s.start_m;
      const int steps = static_cast<int>(std::min(4 * norm(along) / edge_, 1e6)) + 1;
      for (int i = 0; i <= steps; ++i)
        state_[at(s.start_m + (static_cast<double>(i) / steps) * along)] = wire;
    }
    std::vector<std::size_t> reached = {0};
    state_[0] = outside;
    while (!reached.empty()) {
      const std::size_t here = reached.back();
      reached.pop_back();
      for_neighbours(here, [&](std::size_t there) {
        if (state_[there] != free) return;
        state_[there] = outside;
        reached.push_back(there);
      });
    }
  }

  /// After flood().
  std::optional<Cavity> inside() const {
    std::vector<std::size_t> all, clear;
    double volume = 0;
    for (std::size_t i = 0; i < state_.size(); ++i) {
      bool beside = false, walls = false;
      for_neighbours(i, [&](std::size_t there) {
        beside = beside || state_[there] == free;
        walls = walls || state_[there] == wire;
      });
      if (state_[i] == wire && beside) volume += 0.5;  // about half of it is inside
      if (state_[i] != free) continue;
      volume += 1;
      all.push_back(i);
      if (!walls) clear.push_back(i);
    }
    if (all.empty()) return std::nullopt;
    const std::vector<std::size_t>& from = clear.empty() ? all : clear;
    Cavity cavity;
    cavity.volume_m3 = volume * edge_ * edge_ * edge_;
    const std::size_t count = std::min(max_samples, from.size());
    for (std::size_t i = 0; i < count; ++i)
      cavity.samples_m.push_back(middle(from[(2 * i + 1) * from.size() / (2 * count)]));
    return cavity;
  }

 private:
  enum State : char { free, wire, outside };

  std::size_t at(Vec3 p) const {
    const Vec3 d = p - origin_;
    const auto index = [this](double x) { return static_cast<std::size_t>(x / edge_); };
    return (index(d.x) * count_[1] + index(d.y)) * count_[2] + index(d.z);
  }
  Vec3 middle(std::size_t i) const {
    const auto place = [](std::size_t n) { return static_cast<double>(n) + 0.5; };
    return origin_ + edge_ * Vec3{place(i / count_[2] / count_[1]),
                                  place(i / count_[2] % count_[1]), place(i % count_[2])};
  }
  template <class Visit>
  void for_neighbours(std::size_t i, const Visit& visit) const {
    const std::size_t step[] = {count_[1] * count_[2], count_[2], 1},
                      place[] = {i / step[0], i / step[1] % count_[1], i % count_[2]};
    for (int axis = 0; axis < 3; ++axis) {
      if (place[axis] > 0) visit(i - step[axis]);
      if (place[axis] + 1 < count_[axis]) visit(i + step[axis]);
    }
  }

  Vec3 origin_;
  double edge_, total_ = 1;
  std::array<std::size_t, 3> count_;
  std::vector<State> state_;
};

}  // namespace

std::optional<Cavity> find_cavity(const Structure& structure, double wavelength_m) {
  const auto& segments = structure.segments();
  if (segments.size() < min_segments) return std::nullopt;
  constexpr double far = std::numeric_limits<double>::infinity();
  Vec3 least{far, far, far}, most{-far, -far, -far};
  for (const Segment& s : segments)
    for (const Vec3 p : {s.start_m, s.end_m}) {
      least = {std::min(least.x, p.x), std::min(least.y, p.y), std::min(least.z, p.z)};
      most = {std::max(most.x, p.x), std::max(most.y, p.y), std::max(most.z, p.z)};
    }
  const Vec3 extent = most - least;
  // The lowest resonance of a box as large as the structure.
  double sides[] = {extent.x, extent.y, extent.z};
  std::sort(sides, sides + 3);
  if (!(sides[0] > 0) || std::hypot(1 / sides[1], 1 / sides[2]) > 2 / wavelength_m)
    return std::nullopt;
  for (double edge_m = cube_segments * typical_length_m(structure);
       edge_m < max_cube_wavelengths * wavelength_m; edge_m *= 2) {
    Cubes cubes(least, extent, edge_m);
    if (!cubes.fits()) continue;
    cubes.flood(structure);
    if (std::optional<Cavity> cavity = cubes.inside()) return cavity;
  }
  return std::nullopt;
}

double stored_radians(const Cavity& cavity, std::span<const Complex> field,
                      double input_power_w, double wavelength_m) {
  double mean = 0;
  for (const Complex value : field)
    mean += std::norm(value) / static_cast<double>(cavity.samples_m.size());
  // omega eps0 |E|^2 / 2, which is k |E|^2 / (2 eta0).
  return 2 * pi / wavelength_m * mean / (2 * eta0_ohm) * cavity.volume_m3 / input_power_w;
}

}  // namespace thinwire
