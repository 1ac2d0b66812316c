#include "mom/near_fields.h"

#include <algorithm>
#include <cmath>

#include "kernels/base/constants.h"
#include "kernels/fields/device_near_field.h"

namespace thinwire {
namespace {

/// Points between two calls of on_progress, for about this many terms of the sum, and at
/// most: a GPU takes 0.1 GB for so many.
constexpr std::size_t terms_at_once = 200'000'000, terms_at_once_on_gpu = 20'000'000'000;
constexpr std::size_t points_at_once = std::size_t{1} << 18;

Vec3 point_at(const NearFieldRequest& request, double x, double y, double z) {
  if (request.grid == NearFieldRequest::Grid::rectangular) return {x, y, z};
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
                       bool on_gpu)
    : k_rad_per_m_(2 * pi * frequency_hz / speed_of_light_m_per_s), on_gpu_(on_gpu) {
  std::vector<Complex> end_current;
  end_current.reserve(2 * where.elements().size());
  for (std::size_t e = 0; e < where.elements().size(); ++e)
    for (int end = 0; end < 2; ++end)
      end_current.push_back(where.basis().end_current(coefficients, e, end));
  sources_ = near_field_sources(where.elements(), end_current, k_rad_per_m_, kernel,
                                ground != Ground::none);
}

NearFieldResult NearFields::field(const NearFieldRequest& request,
                                  const std::function<void(double)>& on_progress) const {
  NearFieldResult result;
  result.request = request;
  const std::vector<Vec3> points = near_field_points(request);
  result.field.resize(3 * points.size());
  const auto field = request.field == NearFieldRequest::Field::electric
                         ? (on_gpu_ ? device_electric_field : electric_field)
                         : (on_gpu_ ? device_magnetic_field : magnetic_field);
  const std::size_t step = std::clamp<std::size_t>(
      (on_gpu_ ? terms_at_once_on_gpu : terms_at_once) / sources_.x.size(), 64,
      points_at_once);
  for (std::size_t first = 0; first < points.size(); first += step) {
    on_progress(static_cast<double>(first) / static_cast<double>(points.size()));
    const std::size_t count = std::min(step, points.size() - first);
    field(sources_, std::span(points).subspan(first, count), k_rad_per_m_,
          std::span(result.field).subspan(3 * first, 3 * count));
  }
  return result;
}

}  // namespace thinwire
