#include "kernels/ground/buried_kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "kernels/base/vec3.h"

namespace thinwire {
namespace {

struct BelowValues {
  double eps_r, loss;  ///< eps = eps_r - j loss
  double rho, depths;
  double value[8];
};
constexpr BelowValues below_values[] = {
#include "below_values.h"
};
struct TransmissionValues {
  double eps_r, loss;
  double rho, z, depth;
  double value[8];
};
constexpr TransmissionValues transmission_values[] = {
#include "transmission_values.h"
};

/// Largest difference of the four from values, of 1/r, that of charges of charge/r.
double difference(const ReflectedKernels& got, const double* v, double r, double charge) {
  const ReflectedKernels want = {{v[0], v[1]}, {v[2], v[3]}, {v[4], v[5]}, {v[6], v[7]}};
  return r * std::max({abs(got.h - want.h), abs(got.phi - want.phi) / charge,
                       abs(got.zz - want.zz), abs(got.q - want.q)});
}

// Adaptive quadrature in 80-bit numbers on another path, tests/golden/half_space.py.
TEST(BuriedKernels, BelowMatchesQuadratureOfHigherPrecision) {
  for (const BelowValues& g : below_values) {
    const Complex eps = {g.eps_r, -g.loss};
    EXPECT_LT(difference(below_kernels(eps, g.rho, g.depths), g.value,
                         std::hypot(g.rho, g.depths), 1 / std::abs(eps)),
              1e-11)
        << "eps " << eps << " at " << g.rho << ", " << g.depths;
  }
}

TEST(BuriedKernels, TransmissionMatchesQuadratureOfHigherPrecision) {
  for (const TransmissionValues& g : transmission_values) {
    const Complex eps = {g.eps_r, -g.loss};
    EXPECT_LT(difference(transmission_kernels(eps, g.rho, g.z, g.depth), g.value,
                         std::hypot(g.rho, g.z + g.depth), 2 / std::abs(eps + 1.0)),
              1e-11)
        << "eps " << eps << " at " << g.rho << ", " << g.z << ", " << g.depth;
  }
}

TEST(BuriedKernels, AirIsFreeSpace) {
  for (const double rho : {0.0, 0.01, 1.0, 20.0})
    for (const double z : {0.0, 0.2, 4.0})
      for (const double depth : {0.001, 0.5}) {
        const double r = std::hypot(rho, z + depth);
        const double g[8] = {std::cos(r) / r,  -std::sin(r) / r, std::cos(r) / r,
                             -std::sin(r) / r, std::cos(r) / r,  -std::sin(r) / r};
        EXPECT_LT(difference(transmission_kernels(1.0, rho, z, depth), g, r, 1), 1e-11);
        const double none[8] = {};
        EXPECT_EQ(difference(below_kernels(1.0, rho, z + depth), none, 1, 1), 0);
      }
}

/// The kernels between a point and a source, each above or below the surface.
ReflectedKernels all_kernels(Complex eps, Vec3 at, Vec3 source, bool at_below,
                             bool source_below) {
  const double rho = std::hypot(at.x - source.x, at.y - source.y);
  if (at_below != source_below)
    return at_below ? transmission_kernels(eps, rho, source.z, -at.z)
                    : transmission_kernels(eps, rho, at.z, -source.z);
  const double r = norm(at - source);
  const Complex k = at_below ? std::sqrt(eps) : 1.0;
  const Complex direct = std::exp(Complex(0, -1) * k * r) / r;
  const Complex charges = at_below ? direct / eps : direct;
  ReflectedKernels g = at_below ? below_kernels(eps, rho, -at.z - source.z)
                                : reflected_kernels(eps, rho, at.z + source.z);
  g.h += {direct.real(), direct.imag()};
  g.zz += {direct.real(), direct.imag()};
  g.phi += {charges.real(), charges.imag()};
  return g;
}

/// The field of a Hertzian dipole, k = 1, of the strength that makes E = -j A - grad Phi.
/// The bracket for Z is the same whichever end is the source, so r may lead from there.
class DipoleField {
 public:
  DipoleField(Complex eps, Vec3 source, Vec3 direction, bool at_below)
      : eps_(eps),
        source_(source),
        direction_(direction),
        at_below_(at_below),
        source_below_(source.z < 0) {}

  std::array<Complex, 3> potential(Vec3 at) const {
    const ReflectedKernels g = kernels(at, source_);
    const double x = at.x - source_.x, y = at.y - source_.y, rho = std::hypot(x, y);
    const Vec3 r = {x / rho, y / rho, 0}, t = direction_;
    // Mirrored in z = 0 where both are below: Q is then that of the mirrored vectors.
    const double turned = at_below_ && source_below_ ? -1 : 1;
    const Complex q = turned * Complex(g.q);
    return {t.x * Complex(g.h) - r.x * t.z * q, t.y * Complex(g.h) - r.y * t.z * q,
            t.z * Complex(g.zz) + (t.x * r.x + t.y * r.y) * q};
  }
  std::array<Complex, 3> electric(Vec3 at) const {
    const std::array<Complex, 3> a = potential(at);
    std::array<Complex, 3> e;
    for (int i = 0; i < 3; ++i) {
      const Complex along =
          derivative(i, at, [&](Vec3 r) { return potential_of_charges(r); });
      e[i] = Complex(0, -1) * a[i] - along;
    }
    return e;
  }
  std::array<Complex, 3> magnetic(Vec3 at) const {
    const auto d = [&](int i, int of) {
      return derivative(i, at, [&](Vec3 r) { return potential(r)[of]; });
    };
    return {d(1, 2) - d(2, 1), d(2, 0) - d(0, 2), d(0, 1) - d(1, 0)};
  }

 private:
  static constexpr double step = 0.02;

  ReflectedKernels kernels(Vec3 at, Vec3 source) const {
    return all_kernels(eps_, at, source, at_below_, source_below_);
  }
  /// (1 / j) t' . grad' of the charges' kernel.
  Complex potential_of_charges(Vec3 at) const {
    const auto phi = [&](double s) {
      return Complex(kernels(at, source_ + s * direction_).phi);
    };
    const Complex along =
        (8.0 * (phi(step) - phi(-step)) - phi(2 * step) + phi(-2 * step)) / (12 * step);
    return Complex(0, -1) * along;
  }
  /// Along x, y and, from the surface away, z.
  template <class F>
  Complex derivative(int i, Vec3 at, const F& f) const {
    const Vec3 way[] = {{step, 0, 0}, {0, step, 0}, {0, 0, at_below_ ? -step : step}};
    if (i < 2)
      return (8.0 * (f(at + way[i]) - f(at - way[i])) - f(at + 2 * way[i]) +
              f(at - 2 * way[i])) /
             (12 * step);
    const Complex up =
        (-25.0 * f(at) + 48.0 * f(at + way[2]) - 36.0 * f(at + 2 * way[2]) +
         16.0 * f(at + 3 * way[2]) - 3.0 * f(at + 4 * way[2])) /
        (12 * step);
    return at_below_ ? -up : up;
  }

  Complex eps_;
  Vec3 source_, direction_;
  bool at_below_, source_below_;
};

// Maxwell's equations at the surface, and so signs, factors and the direction of r:
// tangential E and H of dipoles of any direction are continuous, E_z steps by eps. Since
// the case of one side is checked elsewhere, this also shows reciprocity.
TEST(BuriedKernels, FieldsOfDipolesGoThroughTheSurface) {
  const Complex eps = {5, -2};
  const Vec3 at = {0.8, 0.5, 0};
  for (const double z : {0.6, -0.7})
    for (const Vec3 t : {Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}}) {
      const DipoleField above(eps, {0, 0, z}, t, false), below(eps, {0, 0, z}, t, true);
      const auto e = above.electric(at), e_below = below.electric(at);
      const auto h = above.magnetic(at), h_below = below.magnetic(at);
      for (int i = 0; i < 2; ++i) {
        EXPECT_LT(std::abs(e[i] - e_below[i]), 1e-5) << z << ' ' << t.x << t.y << t.z;
        EXPECT_LT(std::abs(h[i] - h_below[i]), 1e-5) << z << ' ' << t.x << t.y << t.z;
      }
      EXPECT_LT(std::abs(e[2] - eps * e_below[2]), 1e-5) << z << ' ' << t.x << t.y << t.z;
      EXPECT_LT(std::abs(h[2] - h_below[2]), 1e-5);
    }
}

}  // namespace
}  // namespace thinwire
