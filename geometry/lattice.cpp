#include "geometry/lattice.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "geometry/end_clusters.h"
#include "geometry/lattice_steps.h"
#include "kernels/base/counted.h"
#include "kernels/base/disjoint_sets.h"
#include "kernels/base/grouped.h"
#include "kernels/base/large_vector.h"
#include "kernels/base/parallel.h"

namespace thinwire {
namespace {

/// Equal antennas and places agree to this fraction of a segment.
constexpr double equal_within = 1e-6;
/// Emptier lattices cost more than they save.
constexpr std::size_t max_places_each = 8;

/// The connected antennas: their segments one antenna after another, each in ascending
/// order, the antennas in the order of their first segments.
using Antennas = Grouped;

Antennas antennas_of_wires(std::span<const Segment> segments, const Monitor& monitor) {
  DisjointSets wires(segments.size());
  {
    const EndClusters clusters(segments, monitor.silent());
#pragma omp parallel for schedule(static) if (segments.size() >= worth_threads)
    for (std::size_t i = 0; i < 2 * segments.size(); ++i)
      wires.unite(i / 2, clusters.root(i) / 2);
  }
  // The root of an antenna's segments is the first of them.
  const LargeVector<std::size_t> before = running_sum(
      segments.size(), [&](std::size_t s) { return std::size_t{wires.root(s) == s}; });
  LargeVector<std::uint32_t> antenna_of(segments.size());
#pragma omp parallel for schedule(static) if (segments.size() >= worth_threads)
  for (std::size_t s = 0; s < segments.size(); ++s)
    antenna_of[s] = static_cast<std::uint32_t>(before[wires.root(s)]);
  return Grouped(antenna_of, before.back());
}

class LatticeFinder {
 public:
  LatticeFinder(const Structure& structure, const Monitor& monitor)
      : structure_(structure),
        monitor_(monitor),
        segments_(structure.segments()),
        antennas_(antennas_of_wires(segments_, monitor)) {}

  LatticeSearch run() {
    if (antennas_.groups() < 2) return {nullptr, "there is one connected antenna alone"};
    monitor_.check();
    shortest_m_ = std::numeric_limits<double>::max();
    for (std::size_t i = 0; i < antennas_.size(0); ++i) {
      const Segment& s = segment(0, i);
      shortest_m_ = std::min(shortest_m_, norm(s.end_m - s.start_m));
    }
    if (std::string reason = first_foreigner(); !reason.empty())
      return {nullptr, std::move(reason)};
    monitor_.check();
    return on_lattice();
  }

 private:
  const Segment& segment(std::size_t antenna, std::size_t i) const {
    return segments_[antennas_.of(antenna)[i]];
  }
  Vec3 shift(std::size_t antenna) const {
    return segment(antenna, 0).start_m - segment(0, 0).start_m;
  }
  /// "antenna 3 (tag 3, from segment 43 on)"
  std::string name_of(std::size_t antenna) const {
    const std::uint32_t first = antennas_.of(antenna).front();
    return fmt::format("antenna {} (tag {}, from segment {} on)", antenna + 1,
                       segments_[first].tag, first + 1);
  }

  bool equal(std::size_t antenna, std::size_t other) const {
    if (antennas_.size(antenna) != antennas_.size(other)) return false;
    const Vec3 by = shift(antenna) - shift(other);
    const double within = equal_within * shortest_m_;
    for (std::size_t i = 0; i < antennas_.size(other); ++i) {
      const Segment &s = segment(antenna, i), &t = segment(other, i);
      // Written so that what is no number is not equal.
      if (!(norm(s.start_m - t.start_m - by) <= within &&
            norm(s.end_m - t.end_m - by) <= within &&
            std::abs(s.radius_m - t.radius_m) <= equal_within * t.radius_m))
        return false;
    }
    return true;
  }
  /// Returns how many are equal to one, and the first that is not.
  std::pair<std::size_t, std::size_t> equal_to(std::size_t one) const {
    const bool many = segments_.size() >= worth_threads;
    std::size_t first = antennas_.groups(), count = 0;
#pragma omp parallel for schedule(static) if (many) reduction(min : first) \
    reduction(+ : count)
    for (std::size_t a = 0; a < antennas_.groups(); ++a)
      if (equal(a, one))
        ++count;
      else
        first = std::min(first, a);
    return {count, first};
  }

  /// How the first antenna that differs from most does, or, where most differ, from
  /// antenna 1; empty where none does.
  std::string first_foreigner() const {
    const auto [like_first, foreigner] = equal_to(0);
    if (foreigner == antennas_.groups()) return {};
    if (like_first < equal_to(foreigner).first) return difference(0, foreigner);
    return difference(foreigner, 0);
  }

  std::string difference(std::size_t antenna, std::size_t right) const {
    const std::size_t here = antennas_.size(antenna), there = antennas_.size(right);
    if (here != there)
      return fmt::format("{} has {}, antenna {} has {}", name_of(antenna),
                         counted(here, "segment"), right + 1, there);
    for (std::size_t i = 0; i < there; ++i) {
      const double radius = segment(antenna, i).radius_m,
                   wanted = segment(right, i).radius_m;
      if (!(std::abs(radius - wanted) <= equal_within * wanted))
        return fmt::format(
            "{} has a radius of {:g} m at its segment {}, antenna {} {:g} m",
            name_of(antenna), radius, i + 1, right + 1, wanted);
    }
    const Vec3 by = shift(antenna) - shift(right);
    for (std::size_t i = 0; i < there; ++i) {
      const Segment &s = segment(antenna, i), &t = segment(right, i);
      const double off =
          std::max(norm(s.start_m - t.start_m - by), norm(s.end_m - t.end_m - by));
      if (!(off <= equal_within * shortest_m_))
        return fmt::format(
            "{} is not a shifted copy of antenna {}: its segment {} is off by {:.3g} m, "
            "turned, of "
            "another length, or in another order",
            name_of(antenna), right + 1, i + 1, off);
    }
    return {};
  }

  std::string reason_of(const NoLattice& none) const {
    if (none.off_m > 0)
      return fmt::format("{} is {:.3g} m off the lattice of the others",
                         name_of(none.broken_by), none.off_m);
    // Larger numbers say only that the antenna stands anywhere.
    constexpr double max_told = 1e6;
    const std::string too_many =
        fmt::format("{} places for {} antennas, more than {} each",
                    none.place_count < max_told ? fmt::format("{:.0f}", none.place_count)
                                                : "millions of",
                    antennas_.groups(), max_places_each);
    if (none.broken_by == 0) return "it would be too empty: " + too_many;
    return fmt::format("{} stands off the places of the others: with it there are {}",
                       name_of(none.broken_by), too_many);
  }

  LatticeSearch on_lattice() {
    const std::size_t count = antennas_.groups();
    LargeVector<Vec3> shifts(count);
#pragma omp parallel for schedule(static) if (count >= worth_threads)
    for (std::size_t a = 0; a < count; ++a) shifts[a] = shift(a);
    auto found = find_steps(shifts, equal_within * shortest_m_, max_places_each * count);
    if (const auto* none = std::get_if<NoLattice>(&found))
      return {nullptr, reason_of(*none)};
    auto& steps = std::get<LatticeSteps>(found);
    auto lattice = std::make_shared<Lattice>();
    lattice->steps_m = std::move(steps.steps_m);
    lattice->places = steps.places;
    lattice->place_of = std::move(steps.place_of);
    lattice->segments_each = antennas_.size(0);
    lattice->segments = std::move(antennas_.members);
    return {std::move(lattice), {}};
  }

  const Structure& structure_;
  const Monitor& monitor_;
  std::span<const Segment> segments_;
  Antennas antennas_;
  double shortest_m_ = 0;
};

}  // namespace

std::vector<std::uint32_t> Lattice::within_antenna() const {
  std::vector<std::uint32_t> within(segments.size());
#pragma omp parallel for schedule(static) if (segments.size() >= worth_threads)
  for (std::size_t i = 0; i < segments.size(); ++i)
    within[segments[i]] = static_cast<std::uint32_t>(i % segments_each);
  return within;
}

LatticeSearch find_lattice(const Structure& structure, const Monitor& monitor) {
  if (structure.segments().empty()) return {nullptr, "there is no wire"};
  return LatticeFinder(structure, monitor).run();
}

std::string why_no_images(std::span<const Vec3> steps_m,
                          const std::array<std::size_t, 3>& places, double shortest_m) {
  for (std::size_t i = 0; i < steps_m.size(); ++i)
    if (std::abs(steps_m[i].z) * static_cast<double>(places[i] - 1) >
        equal_within * shortest_m)
      return fmt::format(
          "antennas stand at different heights over the ground, a step of the lattice "
          "rising by {:g} m, so that their images form no lattice",
          steps_m[i].z);
  return {};
}

}  // namespace thinwire
