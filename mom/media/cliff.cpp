#include "mom/media/cliff.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "kernels/base/constants.h"
#include "kernels/fields/far_field_terms.h"
#include "mom/media/real_ground.h"

namespace thinwire {
namespace {

/// Below this cosine a ray meets the ground nowhere.
constexpr double horizon = 1e-9;

enum class Edge { none, line, circle };

Edge edge_of(PatternRequest::Mode mode) {
  switch (mode) {
    case PatternRequest::Mode::line:
    case PatternRequest::Mode::screen_line:
      return Edge::line;
    case PatternRequest::Mode::circle:
    case PatternRequest::Mode::screen_circle:
      return Edge::circle;
    default:
      return Edge::none;
  }
}

}  // namespace

void add_reflected_in_parts(const CurrentMoments& moments,
                            std::span<const Direction> directions, double k,
                            const Ground& ground, const PatternRequest& request,
                            std::span<Complex> e_theta_v, std::span<Complex> e_phi_v) {
  ReflectingSurface near = reflecting_surface(ground, k);
  if (request.mode < PatternRequest::Mode::screen) near.radials = 0;
  const Edge edge = edge_of(request.mode);
  const SecondMedium second = request.second.value_or(SecondMedium{});
  const ReflectingSurface beyond = reflecting_surface(second.ground, k);
  const Complex factor(0, -k * eta0_ohm / (4 * pi));
#pragma omp parallel for schedule(static, 4)
  for (std::int64_t d = 0; d < static_cast<std::int64_t>(directions.size()); ++d) {
    const double st = std::sin(directions[d].theta), ct = std::cos(directions[d].theta);
    const double sp = std::sin(directions[d].phi), cp = std::cos(directions[d].phi);
    if (ct < -horizon) continue;
    const Vec3 mirrored = {st * cp, st * sp, -ct};
    const double tangent = st / std::max(ct, horizon);
    PlaneWaveReflection there = beyond.at(std::max(ct, 0.0), second.edge_m);
    const Complex longer_way = std::polar(1.0, -2 * k * second.drop_m * ct);
    there = {longer_way * there.theta, longer_way * there.phi};
    Complex theta = 0, phi = 0;
    for (std::size_t i = 0; i < moments.size(); ++i) {
      const auto number = [&](int c) { return moments.number[c][i]; };
      constexpr int along = CurrentMoments::tangent;
      const Vec3 t = {number(along), number(along + 1), number(along + 2)};
      const Complex seen = seen_along(mirrored, number, k);
      const double x = number(0) + number(2) * tangent * cp;
      const double from_origin = std::hypot(x, number(1) + number(2) * tangent * sp);
      const bool on_screen = near.radials > 0 && from_origin < near.screen_radius_m;
      const bool outside = edge != Edge::none && !on_screen &&
                           (edge == Edge::line ? x : from_origin) >= second.edge_m;
      const PlaneWaveReflection c =
          outside ? there : near.at(std::max(ct, 0.0), from_origin);
      theta -= c.theta * seen * (ct * cp * t.x + ct * sp * t.y + st * t.z);
      phi += c.phi * seen * (cp * t.y - sp * t.x);
    }
    e_theta_v[d] += factor * theta;
    e_phi_v[d] += factor * phi;
  }
}

}  // namespace thinwire
