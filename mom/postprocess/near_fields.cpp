#include "mom/postprocess/near_fields.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "cg/many_rhs.h"
#include "kernels/base/constants.h"
#include "kernels/fields/medium_field.h"
#include "mom/media/medium.h"
#include "mom/media/real_ground.h"

namespace thinwire {
namespace {

/// Points between two looks at the monitor, at most: a GPU takes 0.1 GB for so many.
constexpr double points_at_once = 1 << 18;

/// Numbers of fields of one ampere that are kept at a time: 16 MiB.
constexpr std::size_t entries_at_once = std::size_t{1} << 20;

/// Adds what work(points, part) computes for the points on one side of the surface.
/// part: [rows][3 of these points], zero at first; fields: [rows][3 points].
template <class Work>
void add_on(GroundSide side, std::span<const Vec3> points_m, std::span<Complex> fields,
            const Work& work) {
  std::vector<std::size_t> numbers;
  std::vector<Vec3> some;
  for (std::size_t i = 0; i < points_m.size(); ++i) {
    if ((points_m[i].z < 0) != (side == GroundSide::below)) continue;
    numbers.push_back(i);
    some.push_back(points_m[i]);
  }
  if (some.empty()) return;
  const std::size_t rows = fields.size() / (3 * points_m.size());
  std::vector<Complex> part(rows * 3 * some.size());
  work(std::span<const Vec3>(some), std::span(part));
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t i = 0; i < some.size(); ++i)
      for (std::size_t c = 0; c < 3; ++c)
        fields[3 * (row * points_m.size() + numbers[i]) + c] +=
            part[3 * (row * some.size() + i) + c];
}

}  // namespace

NearFields::NearFields(const Discretization& discretization,
                       std::span<const Complex> coefficients, double frequency_hz,
                       GreensKernel kernel, Ground ground, const Backend& backend)
    : discretization_(discretization),
      coefficients_(coefficients),
      k_rad_per_m_(wavenumber_rad_per_m(frequency_hz)),
      kernel_(kernel),
      ground_(ground),
      backend_(backend),
      eps_(ground.permittivity(k_rad_per_m_)),
      first_(currents_of(0)) {
  const std::span<const Element> elements = discretization.elements();
  if (ground.kind == Ground::Kind::sommerfeld) {
    const LargeVector<Complex> end_current = end_currents(0);
    const SideCurrents above = currents_on(GroundSide::above, elements, end_current);
    ground_field_ = std::make_unique<GroundField>(above.elements, above.end_current_a,
                                                  k_rad_per_m_, eps_);
    buried_field_ =
        std::make_unique<BuriedField>(elements, end_current, k_rad_per_m_, eps_, kernel);
  }
  if (ground.kind == Ground::Kind::coefficients)
    surface_ = reflecting_surface(ground, k_rad_per_m_);
}

std::size_t NearFields::solutions() const {
  return coefficients_.size() / discretization_.unknowns();
}

/// Returns the currents at the start and the end of each element, [2 elements].
LargeVector<Complex> NearFields::end_currents(std::size_t solution) const {
  const std::size_t n = discretization_.unknowns();
  return discretization_.basis().end_currents(coefficients_.subspan(solution * n, n));
}

NearFields::Currents NearFields::currents_of(std::size_t solution) const {
  const std::span<const Element> elements = discretization_.elements();
  const LargeVector<Complex> end_current = end_currents(solution);
  Currents currents;
  if (ground_.kind == Ground::Kind::sommerfeld) {
    currents.below = currents_on(GroundSide::below, elements, end_current);
    const SideCurrents above = currents_on(GroundSide::above, elements, end_current);
    currents.sources =
        near_field_sources(above.elements, above.end_current_a, k_rad_per_m_, kernel_,
                           Medium::perfect_ground(), image_strength(eps_));
  } else {
    currents.sources = near_field_sources(elements, end_current, k_rad_per_m_, kernel_,
                                          medium_of(ground_));
  }
  if (ground_.kind == Ground::Kind::coefficients)
    currents.over_surface = CurrentSources{{elements.begin(), elements.end()},
                                           {end_current.begin(), end_current.end()},
                                           k_rad_per_m_,
                                           0};
  return currents;
}

void NearFields::add_in_air(FieldKind kind, const Currents& currents,
                            std::span<const Vec3> points_m,
                            std::span<Complex> field) const {
  if (currents.sources.x.empty() || points_m.empty()) return;  // all is in the ground
  if (kind == FieldKind::electric)
    backend_.electric_field(currents.sources, points_m, k_rad_per_m_, field);
  else
    backend_.magnetic_field(currents.sources, points_m, k_rad_per_m_, field);
}

void NearFields::add_direct(FieldKind kind, const Currents& currents,
                            std::span<const Vec3> points_m, std::span<Complex> all,
                            const Monitor& monitor) const {
  // The CPU computes the reflection of a surface.
  const double terms = static_cast<double>(currents.sources.x.size()),
               at_once =
                   (currents.over_surface ? cpu_backend() : backend_).terms_at_once();
  const auto step = static_cast<std::size_t>(
      buried_field_ ? 256.0 : std::clamp(at_once / terms, 64.0, points_at_once));
  for (std::size_t first = 0; first < points_m.size(); first += step) {
    monitor.report("near field",
                   static_cast<double>(first) / static_cast<double>(points_m.size()));
    const std::size_t count = std::min(step, points_m.size() - first);
    const auto some = points_m.subspan(first, count);
    const auto field = all.subspan(3 * first, 3 * count);
    if (buried_field_) {
      add_on(GroundSide::above, some, field,
             [&](auto points, auto to) { add_in_air(kind, currents, points, to); });
      add_on(GroundSide::below, some, field, [&](auto points, auto to) {
        (kind == FieldKind::electric ? add_electric_field_in : add_magnetic_field_in)(
            eps_, currents.below.elements, currents.below.end_current_a, k_rad_per_m_,
            kernel_, points, to);
      });
    } else {
      add_in_air(kind, currents, some, field);
    }
    if (currents.over_surface)
      add_coefficient_field(kind, *currents.over_surface, surface_, some, field);
  }
}

void NearFields::add_by_ground(FieldKind kind, std::span<const Vec3> points_m,
                               std::span<Complex> fields, const Monitor& monitor) const {
  if (solutions() == 1) {
    add_on(GroundSide::above, points_m, fields,
           [&](auto points, auto to) { ground_field_->add(kind, points, to); });
    buried_field_->add(kind, points_m, fields, monitor);
    return;
  }
  // Each kernel is computed once, for one ampere at each end of each element.
  const std::span<const Element> elements = discretization_.elements();
  std::vector<Complex> currents, above;
  for (std::size_t s = 0; s < solutions(); ++s) {
    const LargeVector<Complex> one = end_currents(s);
    const SideCurrents side = currents_on(GroundSide::above, elements, one);
    currents.insert(currents.end(), one.begin(), one.end());
    above.insert(above.end(), side.end_current_a.begin(), side.end_current_a.end());
  }
  const std::size_t ends = 2 * elements.size(), ends_above = above.size() / solutions(),
                    step = std::max<std::size_t>(entries_at_once / (3 * ends), 64);
  for (std::size_t first = 0; first < points_m.size(); first += step) {
    const auto some = points_m.subspan(first, std::min(step, points_m.size() - first));
    std::vector<Complex> of_ends(ends * 3 * some.size()),
        sums(solutions() * 3 * some.size());
    const auto share = [&](std::size_t done) {
      return static_cast<double>(done) / static_cast<double>(points_m.size());
    };
    buried_field_->add_of_ends(kind, some, of_ends,
                               monitor.part(share(first), share(first + some.size())));
    add_sums(of_ends, currents, sums, solutions());
    of_ends.assign(ends_above * 3 * some.size(), 0);
    add_on(GroundSide::above, some, of_ends,
           [&](auto points, auto to) { ground_field_->add_of_ends(kind, points, to); });
    add_sums(of_ends, above, sums, solutions());
    for (std::size_t s = 0; s < solutions(); ++s)
      for (std::size_t i = 0; i < 3 * some.size(); ++i)
        fields[3 * (s * points_m.size() + first) + i] += sums[3 * s * some.size() + i];
  }
}

NearFieldResult NearFields::field(const NearFieldRequest& request,
                                  const Monitor& monitor) const {
  return {request, field(request.field, near_field_points(request), monitor)};
}

std::vector<Complex> NearFields::field(NearFieldRequest::Field which,
                                       std::span<const Vec3> points_m,
                                       const Monitor& monitor) const {
  const std::size_t count = 3 * points_m.size();
  std::vector<Complex> all(solutions() * count);
  const FieldKind kind = which == NearFieldRequest::Field::electric ? FieldKind::electric
                                                                    : FieldKind::magnetic;
  const double share = (buried_field_ ? 0.5 : 1) / static_cast<double>(solutions());
  for (std::size_t s = 0; s < solutions(); ++s) {
    const auto done = static_cast<double>(s);
    std::optional<Currents> other;
    if (s > 0) other = currents_of(s);
    add_direct(kind, other ? *other : first_, points_m,
               std::span(all).subspan(s * count, count),
               monitor.part(done * share, (done + 1) * share));
  }
  if (buried_field_) add_by_ground(kind, points_m, all, monitor.part(0.5, 1));
  return all;
}

}  // namespace thinwire
