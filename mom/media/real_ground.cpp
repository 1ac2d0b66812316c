#include "mom/media/real_ground.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "geometry/wires_below.h"
#include "kernels/base/error.h"
#include "kernels/element/medium.h"

namespace thinwire {
namespace {

/// Points of quadrature that matter are no nearer to an end on the ground than this much
/// of the element; below its first octave the table goes on.
constexpr double nearest_of_length = 1e-4;

struct Box {
  Vec3 low, high;

  void take_in(const Element& e) {
    for (const Vec3 r : {e.start_m, e.start_m + e.length_m * e.tangent}) {
      low = {std::min(low.x, r.x), std::min(low.y, r.y), std::min(low.z, r.z)};
      high = {std::max(high.x, r.x), std::max(high.y, r.y), std::max(high.z, r.z)};
    }
  }
  void take_in(const Box& box) {
    low = {std::min(low.x, box.low.x), std::min(low.y, box.low.y),
           std::min(low.z, box.low.z)};
    high = {std::max(high.x, box.high.x), std::max(high.y, box.high.y),
            std::max(high.z, box.high.z)};
  }
};

/// Boxes around stretches of the list of elements, which mostly lie side by side.
std::vector<Box> boxes_around(std::span<const Element> elements) {
  constexpr std::size_t max_boxes = 200;
  const std::size_t each = (elements.size() + max_boxes - 1) / max_boxes;
  std::vector<Box> boxes;
  for (std::size_t e = 0; e < elements.size(); ++e) {
    if (e % each == 0) boxes.push_back({elements[e].start_m, elements[e].start_m});
    boxes.back().take_in(elements[e]);
  }
  return boxes;
}

/// From points in one box to images of points in the other, times k.
ReflectionRange range_between(const Box& a, const Box& b, WavenumberRange k) {
  const auto apart = [](double low_a, double high_a, double low_b, double high_b) {
    return std::pair(std::max({0.0, low_a - high_b, low_b - high_a}),
                     std::max(high_a - low_b, high_b - low_a));
  };
  const auto [x_0, x_1] = apart(a.low.x, a.high.x, b.low.x, b.high.x);
  const auto [y_0, y_1] = apart(a.low.y, a.high.y, b.low.y, b.high.y);
  return {k.first * std::hypot(x_0, y_0), k.last * std::hypot(x_1, y_1),
          k.first * (a.low.z + b.low.z), k.last * (a.high.z + b.high.z)};
}

/// The elements above the surface, or those below it, mirrored in it.
std::vector<Element> elements_on(GroundSide side, std::span<const Element> elements) {
  std::vector<Element> there;
  for (const Element& e : elements) {
    if (is_below(e) != (side == GroundSide::below)) continue;
    there.push_back(side == GroundSide::below ? Medium::perfect_ground().source(e, 1)
                                              : e);
  }
  return there;
}

double shortest_of(std::span<const Element> elements) {
  double shortest = elements.front().length_m;
  for (const Element& e : elements) shortest = std::min(shortest, e.length_m);
  return shortest;
}

/// All distances between the elements, which lie at z >= 0, and their images.
ReflectionPlaces places_of(std::span<const Element> elements, WavenumberRange k) {
  // Without elements no table is asked.
  if (elements.empty()) return {k.last, k.last};
  const std::vector<Box> boxes = boxes_around(elements);
  Box all = boxes.front();
  for (const Box& box : boxes) all.take_in(box);
  const Vec3 size = all.high - all.low;
  const double most = norm(Vec3{size.x, size.y, 2 * all.high.z});
  const double least =
      std::clamp(2 * all.low.z, nearest_of_length * shortest_of(elements), most);
  ReflectionPlaces places(k.first * least, k.last * most);
  for (std::size_t i = 0; i < boxes.size(); ++i)
    for (std::size_t j = 0; j <= i; ++j) places.add(range_between(boxes[i], boxes[j], k));
  return places;
}

/// All places of one element above and one below.
TransmissionPlaces places_across(std::span<const Element> elements, double k) {
  const std::vector<Element> above = elements_on(GroundSide::above, elements),
                             below = elements_on(GroundSide::below, elements);
  if (above.empty()) return {k, k};
  const std::vector<Box> boxes = boxes_around(above), depths = boxes_around(below);
  std::vector<TransmissionRange> ranges;
  double least = 1e300, most = 0;
  for (const Box& a : boxes)
    for (const Box& b : depths) {
      const ReflectionRange both = range_between(a, b, {k, k, 1});
      ranges.push_back(
          {both.rho_0, both.rho_1, k * a.low.z, k * a.high.z, k * b.low.z, k * b.high.z});
      least = std::min(least, std::hypot(both.rho_0, both.zeta_0));
      most = std::max(most, std::hypot(both.rho_1, both.zeta_1));
    }
  TransmissionPlaces places(
      std::clamp(least, k * nearest_of_length * shortest_of(elements), most), most);
  for (const TransmissionRange& range : ranges) places.add(range);
  return places;
}

}  // namespace

ReflectionPlaces reflection_places(std::span<const Element> elements, WavenumberRange k,
                                   GroundSide side) {
  return places_of(elements_on(side, elements), k);
}

bool any_below(std::span<const Element> elements) {
  return std::any_of(elements.begin(), elements.end(), is_below);
}

bool any_buried(const Ground& ground, std::span<const Element> elements) {
  return ground.takes_wires() && any_below(elements);
}

RealGround::Buried::Buried(std::span<const Element> elements, Complex eps, double k,
                           GreensKernel kernel, const Monitor& monitor,
                           const TableMaking& making)
    : below(eps, reflection_places(elements, {k, k, 1}, GroundSide::below),
            GroundSide::below, making),
      across(eps, places_across(elements, k), making.error),
      at{eps, {k, eps, below.view(), GroundSide::below}, {k, eps, across.view()}},
      pairs(elements, at, kernel, monitor) {}

RealGround::RealGround(std::span<const Element> elements, const Ground& ground, double k,
                       GreensKernel kernel, const Monitor& monitor,
                       const TableMaking& making)
    : RealGround(elements,
                 std::make_shared<const GroundTable>(
                     ground.permittivity(k), reflection_places(elements, {k, k, 1}),
                     GroundSide::above, making),
                 k, kernel, monitor, making) {}

RealGround::RealGround(std::span<const Element> elements,
                       std::shared_ptr<const GroundTable> table, double k,
                       GreensKernel kernel, const Monitor& monitor,
                       const TableMaking& making, bool near_pairs)
    : table_(std::move(table)), at_{k, table_->eps(), table_->view()} {
  if (near_pairs) near_.emplace(elements, at_, kernel, monitor);
  if (any_below(elements))
    buried_ =
        std::make_unique<Buried>(elements, table_->eps(), k, kernel, monitor, making);
}

void RealGround::put_in(FillInput& fill) const {
  fill.ground = &at_;
  fill.near_ground = near_ ? &*near_ : nullptr;
  fill.buried = buried_ ? &buried_->pairs : nullptr;
}

ReflectingSurface reflecting_surface(const Ground& ground, double k) {
  return {ground.permittivity(k),
          k,
          ground.kind == Ground::Kind::perfect,
          ground.screen.radials,
          ground.screen.radius_m,
          ground.screen.wire_radius_m};
}

std::string why_ground_is_uneven(const Problem& problem) {
  const auto any = [&](auto&& condition) {
    return std::any_of(problem.runs.begin(), problem.runs.end(),
                       [&](const Run& run) { return condition(run.ground); });
  };
  if (any([](const Ground& ground) { return ground.screen.radials > 0; }))
    return "the radial screen of GN 0 does not lie under all wires";
  if (any([](const Ground& ground) { return ground.takes_wires(); }) &&
      has_wires_below(problem.structure))
    return "wires in the ground need the whole matrix";
  return {};
}

void check_real_ground(const Problem& problem, const Options& options) {
  const auto real = [](const Run& run) { return run.ground.is_real(); };
  const auto run = std::find_if(problem.runs.begin(), problem.runs.end(), real);
  if (run == problem.runs.end()) return;
  const bool wires_below = has_wires_below(problem.structure);
  const auto host_fill = [&](const Run& r) {
    return r.ground.kind == Ground::Kind::coefficients ||
           (r.ground.takes_wires() && wires_below);
  };
  if (options.precision != PrecisionChoice::in_double &&
      std::any_of(problem.runs.begin(), problem.runs.end(), host_fill))
    throw Error(
        ErrorKind::usage,
        fmt::format(
            "--precision {}: over GN 0, and with wires in the ground, Z is filled "
            "by the CPU, in double. Use --precision double, or GN 2 with wires "
            "above.",
            name_of(options.precision)));
  const std::string reason = why_ground_is_uneven(problem);
  if (options.operator_choice == OperatorChoice::fft && !reason.empty())
    throw Error(ErrorKind::usage,
                fmt::format("--operator fft: {}. Use --operator dense.", reason));
}

}  // namespace thinwire
