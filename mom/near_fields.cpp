#include "mom/near_fields.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "kernels/base/constants.h"
#include "mom/medium.h"
#include "mom/real_ground.h"

namespace thinwire {
namespace {

/// Points between two looks at the monitor, at most: a GPU takes 0.1 GB for so many.
constexpr double points_at_once = 1 << 18;

Vec3 point_at(const NearFieldRequest& request, double x, double y, double z) {
  if (request.grid == NearFieldRequest::Grid::rectangular) return {x, y, z};
  if (request.grid == NearFieldRequest::Grid::near_ground)
    return {z * std::cos(y * (pi / 180)), z * std::sin(y * (pi / 180)), x};
  const double phi = y * (pi / 180), theta = z * (pi / 180);
  return {x * std::sin(theta) * std::cos(phi), x * std::sin(theta) * std::sin(phi),
          x * std::cos(theta)};
}

}  // namespace

std::vector<Vec3> near_field_points(const NearFieldRequest& request) {
  const auto coordinate = [&](int axis, std::int64_t i) {
    return request.start[axis] + request.step[axis] * static_cast<double>(i);
  };
  std::vector<Vec3> points;
  for (std::int64_t c = 0; c < request.count[2]; ++c)
    for (std::int64_t b = 0; b < request.count[1]; ++b)
      for (std::int64_t a = 0; a < request.count[0]; ++a)
        points.push_back(
            point_at(request, coordinate(0, a), coordinate(1, b), coordinate(2, c)));
  return points;
}

NearFields::NearFields(const Discretisation& where, std::span<const Complex> coefficients,
                       double frequency_hz, GreensKernel kernel, Ground ground,
                       const Backend& backend)
    : k_rad_per_m_(2 * pi * frequency_hz / speed_of_light_m_per_s), backend_(backend) {
  std::vector<Complex> end_current;
  end_current.reserve(2 * where.elements().size());
  for (std::size_t e = 0; e < where.elements().size(); ++e)
    for (int end = 0; end < 2; ++end)
      end_current.push_back(where.basis().end_current(coefficients, e, end));
  const Complex eps = ground.permittivity(k_rad_per_m_);
  const bool sommerfeld = ground.kind == Ground::Kind::sommerfeld;
  sources_ = near_field_sources(where.elements(), end_current, k_rad_per_m_, kernel,
                                sommerfeld ? Medium::perfect_ground() : medium_of(ground),
                                sommerfeld ? image_strength(eps) : 1);
  if (sommerfeld)
    ground_field_ =
        std::make_unique<GroundField>(where.elements(), end_current, k_rad_per_m_, eps);
  if (ground.kind == Ground::Kind::coefficients) {
    surface_ = reflecting_surface(ground, k_rad_per_m_);
    over_surface_ = CurrentSources{{where.elements().begin(), where.elements().end()},
                                   std::move(end_current),
                                   k_rad_per_m_,
                                   0};
  }
}

NearFieldResult NearFields::field(const NearFieldRequest& request,
                                  const Monitor& monitor) const {
  NearFieldResult result;
  result.request = request;
  const std::vector<Vec3> points = near_field_points(request);
  result.field.resize(3 * points.size());
  const bool electric = request.field == NearFieldRequest::Field::electric;
  const auto step = static_cast<std::size_t>(
      std::clamp(backend_.terms_at_once() / static_cast<double>(sources_.x.size()), 64.0,
                 points_at_once));
  for (std::size_t first = 0; first < points.size(); first += step) {
    monitor.tell("near field",
                 static_cast<double>(first) / static_cast<double>(points.size()));
    const std::size_t count = std::min(step, points.size() - first);
    const auto some = std::span(points).subspan(first, count);
    const auto field = std::span(result.field).subspan(3 * first, 3 * count);
    if (electric)
      backend_.electric_field(sources_, some, k_rad_per_m_, field);
    else
      backend_.magnetic_field(sources_, some, k_rad_per_m_, field);
    const FieldKind kind = electric ? FieldKind::electric : FieldKind::magnetic;
    if (ground_field_) ground_field_->add(kind, some, field);
    if (over_surface_) add_coefficient_field(kind, *over_surface_, surface_, some, field);
  }
  return result;
}

}  // namespace thinwire
