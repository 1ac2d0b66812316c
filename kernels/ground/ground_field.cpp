#include "kernels/ground/ground_field.h"

#include <cmath>
#include <cstdint>

#include "kernels/base/constants.h"
#include "kernels/ground/source_points.h"

namespace thinwire {
namespace {

struct ComplexVector {
  Complex x, y, z;
};

/// What one source point gives: the brackets of ground_field.h, by wave number.
ComplexVector electric_terms(const SourcePoint& s, double cosine, double sine,
                             const FieldKernels& g) {
  const auto& [h, zz, q, charge_out, charge_up] = g;
  const double along_r = s.tangent.x * cosine + s.tangent.y * sine;
  const Complex out = s.slope * charge_out - s.moment * s.tangent.z * q;
  return {s.moment * s.tangent.x * h + out * cosine,
          s.moment * s.tangent.y * h + out * sine,
          s.moment * (s.tangent.z * zz + along_r * q) + s.slope * charge_up};
}

ComplexVector magnetic_terms(const SourcePoint& s, double cosine, double sine,
                             const FieldKernels& g) {
  const auto& [h_out, h_up, v_out, q_out, q_over_rho] = g;
  const double along_r = s.tangent.x * cosine + s.tangent.y * sine;
  const double along_phi = s.tangent.y * cosine - s.tangent.x * sine;
  // grad Gh x t_h, and the curl of the vertical components.
  const Complex around = -s.tangent.z * v_out - along_r * q_out;
  const Complex out = along_phi * q_over_rho;
  return {s.moment * (-s.tangent.y * h_up + out * cosine - around * sine),
          s.moment * (s.tangent.x * h_up + out * sine + around * cosine),
          s.moment * (along_phi * h_out)};
}

}  // namespace

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
  // The kernels are times 1/k, or 1/k^2 where they stand without k in the sum.
  const Complex factor = kind == FieldKind::electric
                             ? Complex(0, -k * k * eta0_ohm / (4 * pi))
                             : Complex(k * k / (4 * pi));
#pragma omp parallel for schedule(dynamic, 4)
  for (std::int64_t i = 0; i < count; ++i) {
    const Vec3 at = points_m[i];
    ComplexVector sum;
    visit_source_points(sources_, at, [&](const SourcePoint& s) {
      const double rho = rho_of(at, s);
      const double cosine = rho > 0 ? (at.x - s.at_m.x) / rho : 1;
      const double sine = rho > 0 ? (at.y - s.at_m.y) / rho : 0;
      const FieldKernels g = table.at(k * rho, k * (at.z + s.at_m.z));
      const ComplexVector terms = kind == FieldKind::electric
                                      ? electric_terms(s, cosine, sine, g)
                                      : magnetic_terms(s, cosine, sine, g);
      sum.x += terms.x;
      sum.y += terms.y;
      sum.z += terms.z;
    });
    field[3 * i] += factor * sum.x;
    field[3 * i + 1] += factor * sum.y;
    field[3 * i + 2] += factor * sum.z;
  }
}

}  // namespace thinwire
