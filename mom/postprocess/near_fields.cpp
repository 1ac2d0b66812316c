#include "mom/postprocess/near_fields.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "kernels/base/constants.h"
#include "kernels/fields/medium_field.h"
#include "mom/media/medium.h"
#include "mom/media/real_ground.h"

namespace thinwire {
namespace {

/// Points between two looks at the monitor, at most: a GPU takes 0.1 GB for so many.
constexpr double points_at_once = 1 << 18;

}  // namespace

NearFields::NearFields(const Discretization& discretization,
                       std::span<const Complex> coefficients, double frequency_hz,
                       GreensKernel kernel, Ground ground, const Backend& backend)
    : k_rad_per_m_(2 * pi * frequency_hz / speed_of_light_m_per_s),
      kernel_(kernel),
      backend_(backend),
      eps_(ground.permittivity(k_rad_per_m_)) {
  std::vector<Complex> end_current;
  end_current.reserve(2 * discretization.elements().size());
  for (std::size_t e = 0; e < discretization.elements().size(); ++e)
    for (int end = 0; end < 2; ++end)
      end_current.push_back(discretization.basis().end_current(coefficients, e, end));
  if (ground.kind == Ground::Kind::sommerfeld) {
    below_ = currents_on(GroundSide::below, discretization.elements(), end_current);
    const SideCurrents above =
        currents_on(GroundSide::above, discretization.elements(), end_current);
    sources_ = near_field_sources(above.elements, above.end_current_a, k_rad_per_m_,
                                  kernel, Medium::perfect_ground(), image_strength(eps_));
    ground_field_ = std::make_unique<GroundField>(above.elements, above.end_current_a,
                                                  k_rad_per_m_, eps_);
    buried_field_ = std::make_unique<BuriedField>(discretization.elements(), end_current,
                                                  k_rad_per_m_, eps_, kernel);
  } else {
    sources_ = near_field_sources(discretization.elements(), end_current, k_rad_per_m_,
                                  kernel, medium_of(ground));
  }
  if (ground.kind == Ground::Kind::coefficients) {
    surface_ = reflecting_surface(ground, k_rad_per_m_);
    over_surface_ = CurrentSources{
        {discretization.elements().begin(), discretization.elements().end()},
        std::move(end_current),
        k_rad_per_m_,
        0};
  }
}

void NearFields::air_field(FieldKind kind, std::span<const Vec3> points_m,
                           std::span<Complex> field) const {
  if (sources_.x.empty() || points_m.empty()) return;  // all is in the ground
  if (kind == FieldKind::electric)
    backend_.electric_field(sources_, points_m, k_rad_per_m_, field);
  else
    backend_.magnetic_field(sources_, points_m, k_rad_per_m_, field);
  if (ground_field_) ground_field_->add(kind, points_m, field);
}

void NearFields::two_sided_field(FieldKind kind, std::span<const Vec3> points_m,
                                 std::span<Complex> field) const {
  std::vector<Vec3> side_points[2];
  for (const Vec3 at : points_m) side_points[at.z < 0].push_back(at);
  std::vector<Complex> above(3 * side_points[0].size()), below(3 * side_points[1].size());
  air_field(kind, side_points[0], above);
  (kind == FieldKind::electric ? add_electric_field_in : add_magnetic_field_in)(
      eps_, below_.elements, below_.end_current_a, k_rad_per_m_, kernel_, side_points[1],
      below);
  const Complex* next[] = {above.data(), below.data()};
  for (std::size_t i = 0; i < points_m.size(); ++i) {
    const Complex*& from = next[points_m[i].z < 0];
    std::copy(from, from + 3, field.begin() + static_cast<std::ptrdiff_t>(3 * i));
    from += 3;
  }
}

NearFieldResult NearFields::field(const NearFieldRequest& request,
                                  const Monitor& monitor) const {
  return {request, field(request.field, near_field_points(request), monitor)};
}

std::vector<Complex> NearFields::field(NearFieldRequest::Field which,
                                       std::span<const Vec3> points_m,
                                       const Monitor& monitor) const {
  std::vector<Complex> all(3 * points_m.size());
  const FieldKind kind = which == NearFieldRequest::Field::electric ? FieldKind::electric
                                                                    : FieldKind::magnetic;
  // The CPU computes the reflection of a surface.
  const double terms = static_cast<double>(sources_.x.size()),
               at_once = (over_surface_ ? cpu_backend() : backend_).terms_at_once();
  const auto step = static_cast<std::size_t>(
      buried_field_ ? 256.0 : std::clamp(at_once / terms, 64.0, points_at_once));
  const Monitor direct = buried_field_ ? monitor.part(0, 0.5) : monitor;
  for (std::size_t first = 0; first < points_m.size(); first += step) {
    direct.report("near field",
                  static_cast<double>(first) / static_cast<double>(points_m.size()));
    const std::size_t count = std::min(step, points_m.size() - first);
    const auto some = points_m.subspan(first, count);
    const auto field = std::span(all).subspan(3 * first, 3 * count);
    if (buried_field_)
      two_sided_field(kind, some, field);
    else
      air_field(kind, some, field);
    if (over_surface_) add_coefficient_field(kind, *over_surface_, surface_, some, field);
  }
  if (buried_field_) buried_field_->add(kind, points_m, all, monitor.part(0.5, 1));
  return all;
}

}  // namespace thinwire
