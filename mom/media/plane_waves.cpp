#include "mom/media/plane_waves.h"

#include <cmath>

#include "kernels/element/shape_point.h"

namespace thinwire {
namespace {

/// A direction's sines and cosines.
struct Angles {
  double st, ct, sp, cp;

  explicit Angles(Direction way)
      : st(std::sin(way.theta)),
        ct(std::cos(way.theta)),
        sp(std::sin(way.phi)),
        cp(std::cos(way.phi)) {}

  /// The wave with `across` and `up` for the horizontal and the vertical part of u, and
  /// amplitudes `tm` along u's own theta^ (times |u|), `te` along phi^.
  SideWave wave(Complex across, Complex up, Complex tm, Complex te) const {
    return {{across * cp, across * sp, up},
            {tm * up * cp, tm * up * sp, -tm * across},
            {-te * sp, te * cp, 0}};
  }
};

/// sqrt(x) on the side on which waves die away from the surface.
Complex decaying_sqrt(Complex x) {
  const Complex root = std::sqrt(x);
  return root.imag() > 0 ? -root : root;
}

}  // namespace

std::vector<SideWave> waves_met(Complex eps, Direction way, GroundSide side) {
  const Angles angles(way);
  const bool from_above = angles.ct >= 0;
  if (from_above) {
    const double c = angles.ct, s = angles.st;
    const Complex below = decaying_sqrt(eps - s * s);
    const Complex te = c + below, tm = eps * c + below;
    if (side == GroundSide::below) return {angles.wave(s, below, 2 * c / tm, 2 * c / te)};
    return {angles.wave(s, c, 1, 1),
            angles.wave(s, -c, (eps * c - below) / tm, (c - below) / te)};
  }
  const Complex n = std::sqrt(eps);
  const double c = -angles.ct;
  const Complex across = n * angles.st, above = decaying_sqrt(1.0 - across * across);
  const Complex te = n * c + above, tm = c + n * above;
  if (side == GroundSide::above)
    return {angles.wave(across, -above, 2.0 * n * c / tm, 2.0 * n * c / te)};
  return {angles.wave(across, -n * c, 1.0 / n, 1),
          angles.wave(across, n * c, (c - n * above) / (n * tm), (n * c - above) / te)};
}

WaveMoments::WaveMoments(std::span<const Element> elements,
                         std::span<const Complex> end_current_a, GreensKernel kernel,
                         double k, double refraction)
    : k_rad_per_m_(k) {
  for (std::size_t e = 0; e < elements.size(); ++e) {
    const Element& element = elements[e];
    const double ka = kernel == GreensKernel::exact ? k * element.radius_m : 0;
    const GaussRule rule =
        gauss_rule(3 + static_cast<int>((1 + refraction) * k * element.length_m));
    for (int b = 0; b < rule.points; ++b) {
      const ShapePoint point = shape_point(element, rule, b, k);
      moments_.push_back({point.position_m, element.tangent,
                          point.value[0] * end_current_a[2 * e] +
                              point.value[1] * end_current_a[2 * e + 1],
                          ka * ka});
    }
  }
}

ComplexVec3 WaveMoments::met_by(const ComplexVec3& u) const {
  ComplexVec3 sum;
  const Complex u2 = u.x * u.x + u.y * u.y + u.z * u.z;
  for (const Moment& m : moments_) {
    const Complex along = m.tangent * u;
    const Complex q = 0.25 * m.ka2 * (u2 - along * along);
    const Complex j0 = 1.0 - q * (1.0 - q * (0.25 - q / 36.0));
    const Complex seen = j0 * std::exp(Complex(0, k_rad_per_m_) * (m.at_m * u)) * m.a_m;
    sum.x += m.tangent.x * seen;
    sum.y += m.tangent.y * seen;
    sum.z += m.tangent.z * seen;
  }
  return sum;
}

}  // namespace thinwire
