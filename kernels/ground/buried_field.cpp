#include "kernels/ground/buried_field.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "kernels/ground/buried_field_kernels.h"
#include "kernels/ground/field_terms.h"

namespace thinwire {
namespace {

/// An axis stands for the circumference from this many radii on: (a/2R)^2 is 1e-8.
constexpr double axis_radii = 5000;

Vec3 mirrored(Vec3 r) {
  return {r.x, r.y, -r.z};
}

/// Calls visit(SourcePoint) with points of the currents as they act on an observer: of
/// the axes, or, near a wire, four around it, which leave 2 (a/R)^4.
template <class Visit>
void visit_wire_points(const CurrentSources& sources, Vec3 at_m, bool tubes,
                       const Visit& visit) {
  // visit_source_points goes by the distance from the observer's image.
  visit_source_points(sources, mirrored(at_m), [&](const SourcePoint& s) {
    if (!tubes || norm(at_m - s.at_m) > axis_radii * s.radius_m) {
      visit(s);
      return;
    }
    const Vec3& t = s.tangent;
    const Vec3 across = cross(std::fabs(t.z) < 0.7 ? Vec3{0, 0, 1} : Vec3{1, 0, 0}, t);
    const Vec3 e = (s.radius_m / norm(across)) * across, f = cross(t, e);
    for (const Vec3 around : {e, f, -e, -f})
      visit(SourcePoint{s.at_m + around, t, 0.25 * s.moment, 0.25 * s.derivative, 0});
  });
}

/// Adds what the currents send to one observer that way.
void add_way(FieldKind kind, BuriedWay way, const CurrentSources& sources, Vec3 at_m,
             Complex eps, bool tubes, ComplexVector& sum) {
  if (sources.elements.empty()) return;
  const double k = sources.k_rad_per_m;
  std::vector<SourcePoint> points;
  std::vector<BuriedPlace> places;
  visit_wire_points(sources, at_m, tubes, [&](const SourcePoint& s) {
    const double rho = k * std::hypot(at_m.x - s.at_m.x, at_m.y - s.at_m.y);
    const double here = k * std::fabs(at_m.z), there = k * s.at_m.z;
    points.push_back(s);
    // Points of the circumference that reach through the surface count as being on it.
    if (way == BuriedWay::up)
      places.push_back({rho, here, std::max(-there, 0.0)});
    else if (way == BuriedWay::down)
      places.push_back({rho, std::max(there, 0.0), here});
    else  // of the mirrored currents
      places.push_back({rho, 0, here + std::max(there, 0.0)});
  });
  std::vector<FieldKernels> kernels(places.size());
  buried_field_kernels(kind, way, eps, places, kernels);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const SourcePoint& s = points[i];
    const double x = at_m.x - s.at_m.x, y = at_m.y - s.at_m.y, rho = std::hypot(x, y);
    sum += field_terms(kind, s, rho > 0 ? x / rho : 1, rho > 0 ? y / rho : 0, kernels[i]);
  }
}

}  // namespace

BuriedField::BuriedField(std::span<const Element> elements,
                         std::span<const Complex> end_current_a, double k, Complex eps,
                         GreensKernel kernel)
    : above_{{}, {}, k, k * std::sqrt(eps)}, below_(above_), eps_(eps), kernel_(kernel) {
  below_.depth_rad_per_m = std::abs(below_.ground_rad_per_m);
  for (std::size_t e = 0; e < elements.size(); ++e) {
    CurrentSources& side = is_below(elements[e]) ? below_ : above_;
    side.elements.push_back(elements[e]);
    side.end_current_a.push_back(end_current_a[2 * e]);
    side.end_current_a.push_back(end_current_a[2 * e + 1]);
  }
}

void BuriedField::add(FieldKind kind, std::span<const Vec3> points_m,
                      std::span<Complex> field) const {
  const Complex factor = field_factor(kind, above_.k_rad_per_m);
  const bool tubes = kernel_ == GreensKernel::exact;
  // The world mirrored in z = 0 has the currents of the ground in the air.
  CurrentSources turned = below_;
  for (Element& e : turned.elements) {
    e.start_m = mirrored(e.start_m);
    e.tangent = mirrored(e.tangent);
  }
#pragma omp parallel for schedule(dynamic)
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(points_m.size()); ++i) {
    const Vec3 at = points_m[i];
    ComplexVector sum;
    if (at.z >= 0) {
      add_way(kind, BuriedWay::up, below_, at, eps_, tubes, sum);
    } else {
      add_way(kind, BuriedWay::down, above_, at, eps_, tubes, sum);
      ComplexVector reflected;
      // From the mirrored currents to the point itself, which lies on their other side.
      add_way(kind, BuriedWay::reflected, turned, at, eps_, tubes, reflected);
      // A mirrored vector: E turns its vertical part round, H the others.
      const double sign = kind == FieldKind::electric ? 1 : -1;
      sum += {sign * reflected.x, sign * reflected.y, -sign * reflected.z};
    }
    field[3 * i] += factor * sum.x;
    field[3 * i + 1] += factor * sum.y;
    field[3 * i + 2] += factor * sum.z;
  }
}

}  // namespace thinwire
