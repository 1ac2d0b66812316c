#include "kernels/ground/ground_field.h"

#include <cmath>
#include <cstdint>

#include "kernels/ground/field_terms.h"

namespace thinwire {

GroundField::GroundField(std::span<const Element> elements,
                         std::span<const Complex> end_current_a, double k, Complex eps)
    : sources_{{elements.begin(), elements.end()},
               {end_current_a.begin(), end_current_a.end()},
               k,
               k * std::sqrt(eps)},
      electric_(FieldKind::electric, eps),
      magnetic_(FieldKind::magnetic, eps) {}

void GroundField::add(FieldKind kind, std::span<const Vec3> points_m,
                      std::span<Complex> field) {
  FieldTable& table = kind == FieldKind::electric ? electric_ : magnetic_;
  const double k = sources_.k_rad_per_m;
  const auto count = static_cast<std::int64_t>(points_m.size());
  const auto rho_of = [](Vec3 at, const SourcePoint& s) {
    return std::hypot(at.x - s.at_m.x, at.y - s.at_m.y);
  };
  table.cover([&](const FieldTable::Mark& mark) {
#pragma omp parallel for schedule(dynamic, 4)
    for (std::int64_t i = 0; i < count; ++i) {
      const Vec3 at = points_m[i];
      visit_source_points(sources_, at, [&](const SourcePoint& s) {
        mark(k * rho_of(at, s), k * (at.z + s.at_m.z));
      });
    }
  });
  const Complex factor = field_factor(kind, k);
#pragma omp parallel for schedule(dynamic, 4)
  for (std::int64_t i = 0; i < count; ++i) {
    const Vec3 at = points_m[i];
    ComplexVector sum;
    visit_source_points(sources_, at, [&](const SourcePoint& s) {
      const double rho = rho_of(at, s);
      const double cosine = rho > 0 ? (at.x - s.at_m.x) / rho : 1;
      const double sine = rho > 0 ? (at.y - s.at_m.y) / rho : 0;
      const FieldKernels g = table.at(k * rho, k * (at.z + s.at_m.z));
      sum += field_terms(kind, s, cosine, sine, g);
    });
    field[3 * i] += factor * sum.x;
    field[3 * i + 1] += factor * sum.y;
    field[3 * i + 2] += factor * sum.z;
  }
}

}  // namespace thinwire
