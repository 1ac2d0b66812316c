#include "mom/transmitted.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "kernels/base/constants.h"
#include "kernels/element/shape_point.h"

namespace thinwire {
namespace {

/// A Gauss point of the currents.
struct Moment {
  Vec3 at_m, tangent;
  Complex a_m;
  double ka2;  ///< (k a)^2; 0 for a filament
};

/// Points enough for waves of the wave number n k along the elements.
std::vector<Moment> moments_of(std::span<const Element> elements,
                               std::span<const Complex> end_current_a,
                               GreensKernel kernel, double k, double n) {
  std::vector<Moment> moments;
  for (std::size_t e = 0; e < elements.size(); ++e) {
    const Element& element = elements[e];
    const double ka = kernel == GreensKernel::exact ? k * element.radius_m : 0;
    const GaussRule rule =
        gauss_rule(3 + static_cast<int>((1 + n) * k * element.length_m));
    for (int b = 0; b < rule.points; ++b) {
      const ShapePoint point = shape_point(element, rule, b, k);
      moments.push_back({point.position_m, element.tangent,
                         point.value[0] * end_current_a[2 * e] +
                             point.value[1] * end_current_a[2 * e + 1],
                         ka * ka});
    }
  }
  return moments;
}

struct MomentSums {
  Complex x, y, z;
};

/// The sum of J0(k a sin psi) e^{jk u . r} I t dl, u being complex.
MomentSums sum_along(const std::vector<Moment>& moments, double ux, double uy, Complex uz,
                     double k) {
  MomentSums sum;
  for (const Moment& m : moments) {
    const Vec3 &t = m.tangent, &r = m.at_m;
    const Complex along = ux * t.x + uy * t.y + uz * t.z;
    const Complex q = 0.25 * m.ka2 * (1.0 - along * along);
    const Complex j0 = 1.0 - q * (1.0 - q * (0.25 - q / 36.0));
    const Complex way = k * (ux * r.x + uy * r.y + uz * r.z);
    const Complex seen = j0 * std::exp(Complex(0, 1) * way) * m.a_m;
    sum.x += t.x * seen;
    sum.y += t.y * seen;
    sum.z += t.z * seen;
  }
  return sum;
}

}  // namespace

void transmitted_field(std::span<const Element> elements,
                       std::span<const Complex> end_current_a, GreensKernel kernel,
                       std::span<const Direction> directions, double k,
                       double permittivity, std::span<Complex> e_theta_v,
                       std::span<Complex> e_phi_v) {
  if (std::none_of(directions.begin(), directions.end(),
                   [](const Direction& way) { return std::cos(way.theta) < 0; }))
    return;
  const double n = std::sqrt(permittivity);
  const std::vector<Moment> moments = moments_of(elements, end_current_a, kernel, k, n);
  const Complex factor(0, -k * eta0_ohm / (4 * pi) * std::sqrt(n));
#pragma omp parallel for schedule(static, 4)
  for (std::int64_t d = 0; d < static_cast<std::int64_t>(directions.size()); ++d) {
    const double below = -std::cos(directions[d].theta);
    if (!(below > 0)) continue;
    const double cp = std::cos(directions[d].phi), sp = std::sin(directions[d].phi);
    // In the air; the wave dies away upward beyond the critical angle.
    const double sine = n * std::sin(directions[d].theta);
    const Complex cosine = sine < 1 ? Complex(std::sqrt(1 - sine * sine))
                                    : Complex(0, -std::sqrt(sine * sine - 1));
    const Complex te = 2 * n * below / (n * below + cosine);
    const Complex tm = 2 * n * below / (below + n * cosine);
    const MomentSums m = sum_along(moments, sine * cp, sine * sp, -cosine, k);
    e_theta_v[d] = factor * tm * (-cosine * (cp * m.x + sp * m.y) - sine * m.z);
    e_phi_v[d] = factor * te * (cp * m.y - sp * m.x);
  }
}

}  // namespace thinwire
