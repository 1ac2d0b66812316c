#include "geometry/lattice_steps.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "kernels/base/parallel.h"

namespace thinwire {
namespace {

/// While the steps are sought they are known to the rounding of one point, which grows
/// with the number of steps to the others: so many times `within_m` is still on a place.
/// The steps found are fitted to all points, and these then held against `within_m`.
constexpr double loosely = 1e4;
constexpr int max_turns = 200;
/// Coordinates beyond are no lattice of so many places.
constexpr double farthest_place = 1e12;

using Coordinates = std::array<double, 3>;

double determinant(Vec3 a, Vec3 b, Vec3 c) {
  return dot(a, cross(b, c));
}

/// The component of v across the first `dimensions` steps.
Vec3 across(Vec3 v, std::span<const Vec3> steps) {
  if (steps.size() == 1) return v - dot(v, steps[0]) / dot(steps[0], steps[0]) * steps[0];
  if (steps.size() == 2) {
    const Vec3 normal = cross(steps[0], steps[1]);
    return dot(v, normal) / dot(normal, normal) * normal;
  }
  return steps.empty() ? v : Vec3{};
}

/// v in units of the steps, its part across them left out.
Coordinates in_steps(Vec3 v, std::span<const Vec3> steps) {
  if (steps.empty()) return {};
  if (steps.size() == 1) return {dot(v, steps[0]) / dot(steps[0], steps[0]), 0, 0};
  const Vec3 a = steps[0], b = steps[1],
             c = steps.size() == 3 ? steps[2] : cross(steps[0], steps[1]);
  const double volume = determinant(a, b, c);
  return {determinant(v, b, c) / volume, determinant(a, v, c) / volume,
          steps.size() == 3 ? determinant(a, b, v) / volume : 0};
}

/// A lattice that grows by the points that are not on it yet, as Euclid's algorithm finds
/// the common measure of lengths.
class Euclid {
 public:
  explicit Euclid(double within_m) : within_m_(loosely * within_m) {}

  /// Makes v a place. Returns how many times smaller that made the cell of the lattice,
  /// 1 where v was a place before or is the first in its direction.
  double add(Vec3 v) {
    double smaller = 1;
    // Each turn at least halves the cell: numbers end before the turns do.
    for (int turn = 0; turn < max_turns; ++turn) {
      if (steps_.size() < 3 && norm(across(v, steps_)) > within_m_) {
        steps_.push_back(v);
        return smaller;
      }
      // The remainder of v lies in the cell around a place.
      const Coordinates c = in_steps(v, steps_);
      Coordinates left{};
      std::size_t largest = 0;
      for (std::size_t i = 0; i < steps_.size(); ++i) {
        left[i] = c[i] - std::round(c[i]);
        v = v - std::round(c[i]) * steps_[i];
        if (std::abs(left[i]) > std::abs(left[largest])) largest = i;
      }
      if (norm(v) <= within_m_ || left[largest] == 0) return smaller;
      // It takes the place of the step of which it has most, at most half: the cell gets
      // smaller by that, and that step is to be reached from the others.
      smaller /= std::abs(left[largest]);
      std::swap(v, steps_[largest]);
    }
    return smaller;
  }

  std::vector<Vec3>& steps() { return steps_; }

 private:
  double within_m_;
  std::vector<Vec3> steps_;
};

using Places = std::vector<std::array<std::int64_t, 3>>;

Places places_of(std::span<const Vec3> points, std::span<const Vec3> steps) {
  Places places(points.size());
#pragma omp parallel for schedule(static) if (points.size() >= worth_threads)
  for (std::size_t p = 0; p < points.size(); ++p) {
    const Coordinates c = in_steps(points[p], steps);
    for (std::size_t i = 0; i < 3; ++i) places[p][i] = std::llround(c[i]);
  }
  return places;
}

/// Least and greatest of coordinate i - times * coordinate j.
std::pair<std::int64_t, std::int64_t> range_of(const Places& places, std::size_t i,
                                               std::size_t j, std::int64_t times) {
  std::int64_t low = 0, high = 0;
  for (const auto& place : places) {
    const std::int64_t at = place[i] - times * place[j];
    low = std::min(low, at);
    high = std::max(high, at);
  }
  return {low, high};
}

/// The `times` for which the range of coordinate i - times * coordinate j is shortest: a
/// convex function of times, which doubles while that helps and is then halved.
std::int64_t best_times(const Places& places, std::size_t i, std::size_t j) {
  const auto length = [&](std::int64_t times) {
    const auto [low, high] = range_of(places, i, j, times);
    return high - low;
  };
  std::int64_t best = 0, shortest = length(0);
  const auto try_times = [&](std::int64_t times) {
    const std::int64_t now = length(times);
    if (now >= shortest) return false;
    best = times;
    shortest = now;
    return true;
  };
  const std::int64_t way = try_times(1) ? 1 : -1;
  if (way < 0 && !try_times(-1)) return 0;
  std::int64_t step = way;
  while (try_times(best + 2 * step)) step *= 2;
  for (; step != 0; step /= 2)
    if (!try_times(best + step)) (void)try_times(best - step);
  return best;
}

/// Adds steps to steps while that makes the box of all places smaller: with
/// s_j' = s_j + t s_i a point's coordinate along s_i falls by t of those along s_j.
void shrink_box(std::vector<Vec3>& steps, Places& places) {
  for (bool better = true; better;) {
    better = false;
    for (std::size_t i = 0; i < steps.size(); ++i)
      for (std::size_t j = 0; j < steps.size(); ++j) {
        const std::int64_t times = i == j ? 0 : best_times(places, i, j);
        if (times == 0) continue;
        steps[j] = steps[j] + static_cast<double>(times) * steps[i];
        for (auto& place : places) place[i] -= times * place[j];
        better = true;
      }
  }
}

Vec3 numbers(const std::array<std::int64_t, 3>& place) {
  return {static_cast<double>(place[0]), static_cast<double>(place[1]),
          static_cast<double>(place[2])};
}

/// Places fitted to points by least squares.
struct Fit {
  Vec3 origin_m;  ///< of place 0
  Vec3 mean_place;
  Vec3 inverse[3];  ///< of the sum of n n^T over places n from their mean
  double points = 0;

  /// Which part of its own distance from the places of the others the point of this
  /// place keeps from the fit to all: 1 - h, h its leverage (Cook 1977).
  double kept(Vec3 place) const {
    const Vec3 n = place - mean_place,
               m = {dot(inverse[0], n), dot(inverse[1], n), dot(inverse[2], n)};
    return 1 - 1 / points - dot(n, m);
  }
};

/// Makes the steps those that fit all points best.
Fit fit(std::span<const Vec3> points, const Places& places, std::vector<Vec3>& steps) {
  Vec3 mean_place, mean_point;
  for (std::size_t p = 0; p < points.size(); ++p) {
    mean_place = mean_place + numbers(places[p]);
    mean_point = mean_point + points[p];
  }
  mean_place = 1 / static_cast<double>(points.size()) * mean_place;
  mean_point = 1 / static_cast<double>(points.size()) * mean_point;
  // The sums over points of n n^T, [3][3], and of n p, from their means.
  Vec3 squares[3] = {}, right[3] = {};
  for (std::size_t p = 0; p < points.size(); ++p) {
    const Vec3 n = numbers(places[p]) - mean_place;
    const double at[3] = {n.x, n.y, n.z};
    for (int i = 0; i < 3; ++i) {
      squares[i] = squares[i] + at[i] * n;
      right[i] = right[i] + at[i] * (points[p] - mean_point);
    }
  }
  // Steps that are not there: 1 on the diagonal, and 0 comes out.
  if (steps.size() < 2) squares[1].y = 1;
  if (steps.size() < 3) squares[2].z = 1;
  const double all = determinant(squares[0], squares[1], squares[2]);
  // The inverse of a symmetric matrix by its cofactors.
  Fit fitted = {
      mean_point,
      mean_place,
      {1 / all * cross(squares[1], squares[2]), 1 / all * cross(squares[2], squares[0]),
       1 / all * cross(squares[0], squares[1])},
      static_cast<double>(points.size())};
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Vec3 row = fitted.inverse[i];
    steps[i] = row.x * right[0] + row.y * right[1] + row.z * right[2];
  }
  const double means[3] = {mean_place.x, mean_place.y, mean_place.z};
  for (std::size_t i = 0; i < steps.size(); ++i)
    fitted.origin_m = fitted.origin_m - means[i] * steps[i];
  return fitted;
}

/// How far each point lies off its place.
std::vector<Vec3> distances_off(std::span<const Vec3> points, const Places& places,
                                std::span<const Vec3> steps, const Fit& fitted) {
  std::vector<Vec3> off(points.size());
  for (std::size_t p = 0; p < points.size(); ++p) {
    off[p] = points[p] - fitted.origin_m;
    for (std::size_t i = 0; i < steps.size(); ++i)
      off[p] = off[p] - static_cast<double>(places[p][i]) * steps[i];
  }
  return off;
}

/// The point that spoils the fit. It draws the places along, the more the farther out it
/// lies, so that others may be farther off them: each distance is weighed by its standard
/// deviation, with which one point alone that is off is always the one (Cook 1977).
NoLattice farthest_off(std::span<const Vec3> off, const Places& places,
                       const Fit& fitted) {
  // Points without which there were a step less keep nothing, to rounding.
  constexpr double min_kept = 1e-9;
  // The last of several equal ones: the first ones are where the lattice begins.
  constexpr double as_good = 1 - 1e-6;
  NoLattice broken;
  double most = 0;
  for (std::size_t p = 0; p < off.size(); ++p) {
    const double kept = std::max(fitted.kept(numbers(places[p])), min_kept),
                 weighed = norm(off[p]) / std::sqrt(kept);
    if (weighed < as_good * most) continue;
    most = std::max(weighed, most);
    broken = {p, norm(off[p]) / kept, 0};
  }
  return broken;
}

/// The lattice that points span, as they come.
struct Grown {
  Grown(std::span<const Vec3> points, double within_m) {
    Euclid euclid(within_m);
    // Gaps, too, make a cell smaller once they are met, but by little.
    double smallest = 1;
    for (std::size_t p = 0; p < points.size(); ++p) {
      const std::size_t dimensions = euclid.steps().size();
      const double smaller = euclid.add(points[p]);
      if (smaller > smallest) {
        worst = p;
        smallest = smaller;
      }
      if (smaller > 1 || euclid.steps().size() > dimensions) changed_by.push_back(p);
      // New steps have the rounding of few points, some times over.
      if (smaller > 1) {
        const auto so_far = points.first(p + 1);
        (void)fit(so_far, places_of(so_far, euclid.steps()), euclid.steps());
      }
    }
    // Points mostly come along the first step, whose places are to be neighbours.
    steps.assign(euclid.steps().rbegin(), euclid.steps().rend());
  }
  std::vector<Vec3> steps;
  std::size_t worst = 0;                ///< that made the cell the most smaller
  std::vector<std::size_t> changed_by;  ///< all that changed the steps
};

/// Points on their places, and the box of all of them.
struct Box {
  Box(std::span<const Vec3> points, std::vector<Vec3> from) : steps(std::move(from)) {
    for (const Vec3 point : points)
      for (const double c : in_steps(point, steps))
        if (!(std::abs(c) < farthest_place)) {
          count = std::numeric_limits<double>::infinity();
          return;
        }
    places = places_of(points, steps);
    shrink_box(steps, places);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const auto [first, last] = range_of(places, i, i, 0);
      low[i] = first;
      length[i] = static_cast<std::size_t>(last - first + 1);
      count *= static_cast<double>(length[i]);
    }
  }
  std::vector<Vec3> steps;
  Places places;
  std::array<std::int64_t, 3> low{};
  std::array<std::size_t, 3> length = {1, 1, 1};
  double count = 1;  ///< of places; infinite where there are more than can be counted
};

/// Points without those of the ascending numbers `out`, seen from the first that is left.
std::vector<Vec3> without(std::span<const Vec3> points,
                          std::span<const std::size_t> out) {
  std::vector<Vec3> rest;
  rest.reserve(points.size());
  for (std::size_t p = 0; p < points.size(); ++p)
    if (!std::binary_search(out.begin(), out.end(), p)) rest.push_back(points[p]);
  for (std::size_t p = rest.size(); p-- > 0;) rest[p] = rest[p] - rest[0];
  return rest;
}

/// The first point off the lattice of most others, where leaving out those that changed
/// the steps, again and again, leaves one; the number of points where it does not.
std::size_t first_off_most(std::span<const Vec3> points, double within_m,
                           double max_places) {
  constexpr int max_rounds = 8;
  constexpr std::size_t fewest = 64;  // of fewer too much is left out
  std::vector<std::size_t> out;
  for (int round = 0; round < max_rounds; ++round) {
    const std::vector<Vec3> rest = without(points, out);
    if (rest.size() < std::max(fewest, 3 * points.size() / 4)) break;
    const Grown grown(rest, within_m);
    Box box(rest, grown.steps);
    if (box.count <= max_places) {
      std::size_t origin = 0;
      while (std::binary_search(out.begin(), out.end(), origin)) ++origin;
      (void)fit(rest, box.places, box.steps);
      std::size_t off = 0, first = points.size();
      for (std::size_t p = points.size(); p-- > 0;) {
        const Coordinates c = in_steps(points[p] - points[origin], box.steps);
        Vec3 from_place = points[p] - points[origin];
        for (std::size_t i = 0; i < box.steps.size(); ++i)
          from_place = from_place - std::round(c[i]) * box.steps[i];
        if (norm(from_place) <= loosely * within_m) continue;
        ++off;
        first = p;
      }
      return 4 * off < points.size() ? first : points.size();
    }
    std::vector<std::size_t> left;  // of the rest their numbers among all
    for (std::size_t p = 0; p < points.size(); ++p)
      if (!std::binary_search(out.begin(), out.end(), p)) left.push_back(p);
    out.push_back(left[0]);
    for (const std::size_t p : grown.changed_by) out.push_back(left[p]);
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
  }
  return points.size();
}

/// The point that breaks the lattice of the others: the one without which it has few
/// enough places, or the first of several; 0 where points have none anyway.
std::size_t breaker(std::span<const Vec3> points, double within_m, double max_places,
                    const Grown& grown) {
  // With so few points, any of them might be the one.
  constexpr std::size_t few = 8;
  if (points.size() < few) return grown.worst;
  std::vector<std::size_t> suspects = {grown.worst};
  suspects.insert(suspects.end(), grown.changed_by.begin(), grown.changed_by.end());
  for (const std::size_t p : suspects) {
    if (p == 0) continue;
    const std::vector<Vec3> rest = without(points, std::span(&p, 1));
    if (Box(rest, Grown(rest, within_m).steps).count <= max_places) return p;
  }
  const std::size_t first = first_off_most(points, within_m, max_places);
  return first < points.size() ? first : grown.worst;
}

/// Returns the first point off the places of the others, if those off are few enough to
/// be told apart.
NoLattice first_off(std::span<const Vec3> points, double within_m, Box box) {
  constexpr int max_off = 20;
  std::vector<std::size_t> number(points.size());
  std::iota(number.begin(), number.end(), std::size_t{0});
  std::vector<Vec3> rest(points.begin(), points.end());
  NoLattice first;
  first.broken_by = points.size();
  for (int turn = 0; turn < max_off; ++turn) {
    const Fit fitted = fit(rest, box.places, box.steps);
    const std::vector<Vec3> off = distances_off(rest, box.places, box.steps, fitted);
    if (std::all_of(off.begin(), off.end(), [&](Vec3 v) { return norm(v) <= within_m; }))
      break;
    const NoLattice worst = farthest_off(off, box.places, fitted);
    const auto at = static_cast<std::ptrdiff_t>(worst.broken_by);
    if (number[at] < first.broken_by) first = {number[at], worst.off_m, 0};
    number.erase(number.begin() + at);
    rest.erase(rest.begin() + at);
    box.places.erase(box.places.begin() + at);
    if (rest.size() <= box.steps.size() + 1) break;
  }
  return first;
}

}  // namespace

std::variant<LatticeSteps, NoLattice> find_steps(std::span<const Vec3> points_m,
                                                 double within_m,
                                                 std::size_t max_places) {
  const Grown grown(points_m, within_m);
  Box box(points_m, grown.steps);
  const auto most = static_cast<double>(max_places);
  if (box.count > most)
    return NoLattice{breaker(points_m, within_m, most, grown), 0, box.count};
  std::vector<Vec3> steps = box.steps;
  const Fit fitted = fit(points_m, box.places, steps);
  const std::vector<Vec3> off = distances_off(points_m, box.places, steps, fitted);
  if (!std::all_of(off.begin(), off.end(), [&](Vec3 v) { return norm(v) <= within_m; }))
    return first_off(points_m, within_m, std::move(box));
  LatticeSteps found;
  found.steps_m = steps;
  found.places = box.length;
  for (const auto& at : box.places) {
    std::uint64_t place = 0;
    for (std::size_t i = 0; i < 3; ++i)
      place = place * box.length[i] + static_cast<std::uint64_t>(at[i] - box.low[i]);
    found.place_of.push_back(place);
  }
  return found;
}

}  // namespace thinwire
