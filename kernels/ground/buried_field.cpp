#include "kernels/ground/buried_field.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "kernels/ground/buried_field_kernels.h"
#include "kernels/ground/field_terms.h"

namespace thinwire {
namespace {

/// Points between two looks at the monitor.
constexpr std::size_t points_at_once = 64;
/// With fewer of them no table is worth its making.
constexpr double fewest_places = 100;

/// Calls visit(points, number of the first) for all points, some at a time.
template <class Visit>
void for_points(std::span<const Vec3> points_m, const Monitor& monitor,
                const Visit& visit) {
  for (std::size_t first = 0; first < points_m.size(); first += points_at_once) {
    monitor.report("near field",
                   static_cast<double>(first) / static_cast<double>(points_m.size()));
    visit(points_m.subspan(first, std::min(points_at_once, points_m.size() - first)),
          first);
  }
}

SourcePoint::Shape quarter(const SourcePoint::Shape& shape) {
  return {0.25 * shape.moment, 0.25 * shape.derivative};
}

Vec3 mirrored(Vec3 r) {
  return {r.x, r.y, -r.z};
}

/// Calls visit(SourcePoint) with points of the currents as they act on an observer: of
/// the axes, or, near a wire, four around it, which leave 2 (a/R)^4. tubes: points on the
/// axes stand for the circumference.
template <class Visit>
void visit_wire_points(const CurrentSources& sources, Vec3 at_m, bool tubes,
                       const Visit& visit) {
  // visit_source_points goes by the distance from the observer's image.
  const auto around_axis = [&](const SourcePoint& s) {
    if (!tubes || norm(at_m - s.at_m) > axis_radii * s.radius_m) {
      visit(s);
      return;
    }
    const Vec3& t = s.tangent;
    const Vec3 across = cross(std::fabs(t.z) < 0.7 ? Vec3{0, 0, 1} : Vec3{1, 0, 0}, t);
    const Vec3 e = (s.radius_m / norm(across)) * across, f = cross(t, e);
    for (const Vec3 around : {e, f, -e, -f})
      visit(SourcePoint{s.at_m + around,
                        t,
                        0.25 * s.moment,
                        0.25 * s.derivative,
                        0,
                        s.element,
                        {quarter(s.shape[0]), quarter(s.shape[1])}});
  };
  visit_source_points(sources, mirrored(at_m), around_axis, tubes);
}

/// Calls visit(SourcePoint, BuriedPlace) with points of the currents that send that way,
/// as one observer has them.
template <class Visit>
void visit_places(BuriedWay way, const CurrentSources& sources, Vec3 at_m, bool tubes,
                  const Visit& visit) {
  const double k = sources.k_rad_per_m;
  visit_wire_points(sources, at_m, tubes, [&](const SourcePoint& s) {
    const double rho = k * norm(Vec3{at_m.x - s.at_m.x, at_m.y - s.at_m.y, 0});
    const double here = k * std::fabs(at_m.z), there = k * s.at_m.z;
    // Points of the circumference that reach through the surface count as being on it.
    if (way == BuriedWay::up)
      visit(s, BuriedPlace{rho, here, std::max(-there, 0.0)});
    else if (way == BuriedWay::down)
      visit(s, BuriedPlace{rho, std::max(there, 0.0), here});
    else  // of the mirrored currents
      visit(s, BuriedPlace{rho, 0, here + std::max(there, 0.0)});
  });
}

/// Returns the sums of the currents' terms at one observer, by that way through the
/// surface. table: null, or made for it.
template <class Sums>
Sums sent(FieldKind kind, BuriedWay way, const CurrentSources& sources, Vec3 at_m,
          Complex eps, bool tubes, const BuriedFieldTable* table) {
  Sums sums(sources);
  std::vector<SourcePoint> points;
  std::vector<BuriedPlace> places, left;
  visit_places(way, sources, at_m, tubes,
               [&](const SourcePoint& s, const BuriedPlace& place) {
                 points.push_back(s);
                 places.push_back(place);
               });
  std::vector<FieldKernels> kernels(places.size());
  std::vector<std::size_t> missing;
  if (table) {
    table->at(places, kernels, missing, sources.k_rad_per_m * std::fabs(at_m.z));
    for (const std::size_t i : missing) left.push_back(places[i]);
    std::vector<FieldKernels> found(left.size());
    buried_field_kernels(kind, way, eps, left, found);
    for (std::size_t i = 0; i < missing.size(); ++i) kernels[missing[i]] = found[i];
  } else {
    buried_field_kernels(kind, way, eps, places, kernels);
  }
  for (std::size_t i = 0; i < points.size(); ++i) {
    const SourcePoint& s = points[i];
    const double x = at_m.x - s.at_m.x, y = at_m.y - s.at_m.y, rho = norm(Vec3{x, y, 0});
    sums.add(kind, s, rho > 0 ? x / rho : 1, rho > 0 ? y / rho : 0, kernels[i]);
  }
  return sums;
}

}  // namespace

BuriedField::BuriedField(std::span<const Element> elements,
                         std::span<const Complex> end_current_a, double k, Complex eps,
                         GreensKernel kernel)
    : above_{{}, {}, k, k * std::sqrt(eps)}, below_(above_), eps_(eps), kernel_(kernel) {
  below_.depth_rad_per_m = std::abs(below_.ground_rad_per_m);
  for (std::size_t e = 0; e < elements.size(); ++e) {
    CurrentSources& side = is_below(elements[e]) ? below_ : above_;
    (is_below(elements[e]) ? number_below_ : number_above_).push_back(e);
    side.elements.push_back(elements[e]);
    side.end_current_a.push_back(end_current_a[2 * e]);
    side.end_current_a.push_back(end_current_a[2 * e + 1]);
  }
  // The world mirrored in z = 0 has the currents of the ground in the air.
  mirrored_ = below_;
  for (Element& e : mirrored_.elements) {
    e.start_m = mirrored(e.start_m);
    e.tangent = mirrored(e.tangent);
  }
}

const CurrentSources& BuriedField::sources_of(BuriedWay way) const {
  return way == BuriedWay::up ? below_ : way == BuriedWay::down ? above_ : mirrored_;
}

std::unique_ptr<const BuriedFieldTable> BuriedField::table_of(
    FieldKind kind, BuriedWay way, std::span<const Vec3> points_m,
    const Monitor& monitor) const {
  const CurrentSources& sources = sources_of(way);
  if (sources.elements.empty()) return nullptr;
  const double k = sources.k_rad_per_m;
  const auto observed = [&](Vec3 at) { return (at.z >= 0) == (way == BuriedWay::up); };
  std::vector<double> distances;
  for (const Vec3 at : points_m)
    if (observed(at)) distances.push_back(k * std::fabs(at.z));
  if (distances.empty()) return nullptr;
  double deepest = 0;
  for (const Element& e : sources.elements)
    deepest = std::max({deepest, std::fabs(e.start_m.z),
                        std::fabs(e.start_m.z + e.length_m * e.tangent.z)});
  BuriedPlaces places(eps_,
                      BuriedLevels::of(way, eps_, std::move(distances), k * deepest));
  for_points(points_m, monitor, [&](std::span<const Vec3> part, std::size_t) {
#pragma omp parallel
    {
      BuriedPlaces some(eps_, places.levels());
#pragma omp for schedule(dynamic)
      for (std::int64_t i = 0; i < static_cast<std::int64_t>(part.size()); ++i)
        if (observed(part[i]))
          visit_places(way, sources, part[i], kernel_ == GreensKernel::exact,
                       [&](const SourcePoint&, const BuriedPlace& place) {
                         some.add(place, k * std::fabs(part[i].z));
                       });
#pragma omp critical
      places.add(some);
    }
  });
  if (places.count() < fewest_places) return nullptr;
  return std::make_unique<const BuriedFieldTable>(kind, way, eps_, places);
}

void BuriedField::add(FieldKind kind, std::span<const Vec3> points_m,
                      std::span<Complex> field, const Monitor& monitor) const {
  add_sums<FieldSum>(kind, points_m, field, monitor);
}

void BuriedField::add_of_ends(FieldKind kind, std::span<const Vec3> points_m,
                              std::span<Complex> fields, const Monitor& monitor) const {
  add_sums<FieldSumsOfEnds>(kind, points_m, fields, monitor);
}

template <class Sums>
void BuriedField::add_sums(FieldKind kind, std::span<const Vec3> points_m,
                           std::span<Complex> fields, const Monitor& monitor) const {
  const Complex factor = field_factor(kind, above_.k_rad_per_m);
  const auto table = [&](BuriedWay way, double from, double to) {
    return table_of(kind, way, points_m, monitor.part(from, to));
  };
  const auto reflected = table(BuriedWay::reflected, 0, 0.1),
             up = table(BuriedWay::up, 0.1, 0.2), down = table(BuriedWay::down, 0.2, 0.3);
  for_points(
      points_m, monitor.part(0.3, 1), [&](std::span<const Vec3> part, std::size_t first) {
#pragma omp parallel for schedule(dynamic)
        for (std::int64_t i = 0; i < static_cast<std::int64_t>(part.size()); ++i) {
          const auto add = [&](BuriedWay way, const auto& by, Vec3 sign) {
            const std::vector<std::size_t>& numbers =
                way == BuriedWay::down ? number_above_ : number_below_;
            sent<Sums>(kind, way, sources_of(way), part[i], eps_,
                       kernel_ == GreensKernel::exact, by.get())
                .visit([&](std::size_t which, const ComplexVector& sum) {
                  const std::size_t row = Sums::place(which, numbers);
                  Complex* to = fields.data() + 3 * (row * points_m.size() + first + i);
                  to[0] += sign.x * factor * sum.x;
                  to[1] += sign.y * factor * sum.y;
                  to[2] += sign.z * factor * sum.z;
                });
          };
          if (part[i].z >= 0) {
            add(BuriedWay::up, up, {1, 1, 1});
          } else {
            add(BuriedWay::down, down, {1, 1, 1});
            // From the mirrored currents to the point itself, which lies on their other
            // side. A mirrored vector: E turns its vertical part round, H the others.
            const double sign = kind == FieldKind::electric ? 1 : -1;
            add(BuriedWay::reflected, reflected, {sign, sign, -sign});
          }
        }
      });
}

}  // namespace thinwire
