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
  add_sums<FieldSum>(kind, points_m, field);
}

void GroundField::add_of_ends(FieldKind kind, std::span<const Vec3> points_m,
                              std::span<Complex> fields) {
  add_sums<FieldSumsOfEnds>(kind, points_m, fields);
}

template <class Sums>
void GroundField::add_sums(FieldKind kind, std::span<const Vec3> points_m,
                           std::span<Complex> fields) {
  FieldTable& table = kind == FieldKind::electric ? electric_ : magnetic_;
  const double k = sources_.k_rad_per_m;
  const auto count = static_cast<std::int64_t>(points_m.size());
  const auto rho_of = [](Vec3 at, const SourcePoint& s) {
    return norm(Vec3{at.x - s.at_m.x, at.y - s.at_m.y, 0});
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
    Sums sums(sources_);
    visit_source_points(sources_, at, [&](const SourcePoint& s) {
      const double rho = rho_of(at, s);
      const double cosine = rho > 0 ? (at.x - s.at_m.x) / rho : 1;
      const double sine = rho > 0 ? (at.y - s.at_m.y) / rho : 0;
      const FieldKernels g = table.at(k * rho, k * (at.z + s.at_m.z));
      sums.add(kind, s, cosine, sine, g);
    });
    sums.visit([&](std::size_t which, const ComplexVector& sum) {
      Complex* to = fields.data() + 3 * (which * points_m.size() + i);
      to[0] += factor * sum.x;
      to[1] += factor * sum.y;
      to[2] += factor * sum.z;
    });
  }
}

}  // namespace thinwire
