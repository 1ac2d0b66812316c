#include "kernels/fields/near_field.h"

#include <gtest/gtest.h>

#include <array>
#include <boost/math/quadrature/gauss_kronrod.hpp>
#include <cmath>

#include "kernels/base/constants.h"
#include "kernels/fields/far_field.h"

namespace thinwire::near_field_test {
namespace {

using Field = std::array<Complex, 3>;

double magnitude(const Field& f) {
  return std::sqrt(std::norm(f[0]) + std::norm(f[1]) + std::norm(f[2]));
}

double difference(const Field& a, const Field& b) {
  return magnitude({a[0] - b[0], a[1] - b[1], a[2] - b[2]});
}

Field electric(const NearFieldSources& sources, Vec3 at, double k) {
  Field e;
  electric_field(sources, {&at, 1}, k, e);
  return e;
}

Field magnetic(const NearFieldSources& sources, Vec3 at, double k) {
  Field h;
  magnetic_field(sources, {&at, 1}, k, h);
  return h;
}

/// An element and its cylindrical coordinates.
struct Wire {
  Element element;
  Vec3 normal, binormal;

  Wire(double length_m, double radius_m) {
    element = {{0.02, -0.03, 0.01}, {2.0 / 3, -1.0 / 3, 2.0 / 3}, length_m, radius_m};
    normal = {1 / std::sqrt(5), 2 / std::sqrt(5), 0};
    binormal = cross(element.tangent, normal);
  }
  Vec3 at(double along, double rho, double angle = 0.4) const {
    return element.start_m + along * element.tangent + (rho * std::cos(angle)) * normal +
           (rho * std::sin(angle)) * binormal;
  }
};

/// Integral of weight(s) times e^{-jkR}/R, or its mean around the wire, by adaptive
/// quadrature split at the observer's foot.
template <class Weight>
Complex potential(const Wire& wire, Vec3 at, double k, bool ring, Weight&& weight) {
  using Rule = boost::math::quadrature::gauss_kronrod<double, 31>;
  const Element& e = wire.element;
  const auto green = [&](Vec3 source) {
    const double r = norm(at - source);
    return Complex(std::cos(k * r) / r, -std::sin(k * r) / r);
  };
  const Vec3 d = at - e.start_m;
  const double foot = std::clamp(dot(d, e.tangent), 0.0, e.length_m);
  const double facing = std::atan2(dot(d, wire.binormal), dot(d, wire.normal));
  const auto mean = [&](double s) {
    if (!ring) return weight(s) * green(wire.at(s, 0));
    return weight(s) / (2 * pi) *
           Rule::integrate(
               [&](double phi) {
                 return green(wire.at(s, e.radius_m, facing + phi)) +
                        green(wire.at(s, e.radius_m, facing - phi));
               },
               0.0, pi, 8, 1e-11);
  };
  Complex sum = 0;
  if (foot > 0) sum += Rule::integrate(mean, 0.0, foot, 10, 1e-11);
  if (foot < e.length_m) sum += Rule::integrate(mean, foot, e.length_m, 10, 1e-11);
  return sum;
}

/// Derivative of f at 0, by central differences of fourth order with steps h.
template <class Function>
auto derivative(Function&& f, double h) {
  return (8.0 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h);
}

constexpr Vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

/// Reference fields from potentials that are integrated and differentiated numerically.
struct Reference {
  Field e, h;
  Reference(const Wire& wire, Complex start, Complex end, Vec3 at, double k, bool ring,
            double step) {
    const double length = wire.element.length_m, scale = 1 / std::sin(k * length);
    const auto current = [&](double s) {
      return scale * (std::sin(k * (length - s)) * start + std::sin(k * s) * end);
    };
    const auto current_derivative = [&](double s) {
      return scale * (std::cos(k * s) * end - std::cos(k * (length - s)) * start);
    };
    const Complex a = potential(wire, at, k, ring, current);
    Complex grad_a[3], grad_phi[3];
    for (int c = 0; c < 3; ++c) {
      const auto moved = [&](double x) { return at + x * axes[c]; };
      grad_a[c] = derivative(
          [&](double x) { return potential(wire, moved(x), k, ring, current); }, step);
      grad_phi[c] = derivative(
          [&](double x) {
            return potential(wire, moved(x), k, ring, current_derivative);
          },
          step);
    }
    const Vec3 t = wire.element.tangent;
    const double along[3] = {t.x, t.y, t.z};
    for (int c = 0; c < 3; ++c) {
      e[c] = Complex(0, -eta0_ohm / (4 * pi)) * (k * along[c] * a + grad_phi[c]);
      const int u = (c + 1) % 3, v = (c + 2) % 3;
      h[c] = (grad_a[u] * along[v] - grad_a[v] * along[u]) / (4 * pi);
    }
  }
};

constexpr double k_1m = 2 * pi;  // wavelength 1 m
const Complex start_a(0.8, -0.3), end_a(0.5, 0.4);

NearFieldSources one(const Wire& wire, GreensKernel kernel, double k = k_1m) {
  const Complex ends[2] = {start_a, end_a};
  return near_field_sources({&wire.element, 1}, ends, k, kernel, Medium::free_space());
}

void check_against_potentials(const Wire& wire, GreensKernel kernel, Vec3 at, double step,
                              double tolerance, const char* where) {
  const NearFieldSources sources = one(wire, kernel);
  const Reference right(wire, start_a, end_a, at, k_1m, kernel == GreensKernel::exact,
                        step);
  EXPECT_LT(difference(electric(sources, at, k_1m), right.e),
            tolerance * magnitude(right.e))
      << where;
  // On the axis H is zero, and its scale that of E.
  EXPECT_LT(
      difference(magnetic(sources, at, k_1m), right.h),
      tolerance * std::max(magnitude(right.h), 0.01 * magnitude(right.e) / eta0_ohm))
      << where;
}

TEST(NearField, ThickElementAgreesWithDifferentiatedPotentials) {
  const Wire wire(0.06, 0.01);
  struct Case {
    double along, rho, step;
    const char* where;
  };
  for (const Case& c :
       {Case{0.02, 0.05, 5e-4, "five radii beside"},
        Case{0.045, 0.02, 2e-4, "two radii beside"},
        Case{0.03, 0.0125, 3e-5, "a quarter of the radius above the surface"},
        Case{0.03, 0.0105, 6e-6, "a twentieth above the surface"},
        Case{0.07, 0.004, 1e-4, "behind the end, within the radius"},
        Case{-0.04, 0.0, 5e-4, "on the axis behind the start"},
        Case{0.05, 0.006, 5e-5, "inside the tube"},
        Case{0.03, 0.3, 3e-3, "near the limit between both formulas, close"},
        Case{0.03, 0.54, 5e-3, "and beyond"}, Case{0.6, 0.3, 5e-3, "far, skew"}})
    check_against_potentials(wire, GreensKernel::exact, wire.at(c.along, c.rho), c.step,
                             2e-6, c.where);
}

TEST(NearField, ThinElementAgreesWithDifferentiatedPotentials) {
  const Wire wire(0.1, 1e-4);
  for (const double rho : {1e-3, 0.31, 0.36, 2.0})
    for (const double along : {-0.02, 0.03})
      check_against_potentials(wire, GreensKernel::exact, wire.at(along, rho),
                               std::min(0.01 * rho, 2e-3), 2e-6, "exact");
}

TEST(NearField, FilamentAgreesWithDifferentiatedPotentials) {
  const Wire wire(0.1, 1e-3);
  for (const double rho : {2e-3, 0.05, 0.31, 0.36, 2.0})
    for (const double along : {-0.02, 0.0, 0.03, 0.1})
      check_against_potentials(wire, GreensKernel::reduced, wire.at(along, rho),
                               std::min(0.01 * rho, 2e-3), 2e-6, "reduced");
}

TEST(NearField, LongElementAgreesWithDifferentiatedPotentials) {
  const Wire wire(0.44, 1e-3);
  for (const double rho : {0.01, 0.3, 1.5, 2.0})
    check_against_potentials(wire, GreensKernel::exact, wire.at(0.3, rho),
                             std::min(0.003 * rho, 2e-3), 2e-6, "0.44 wavelengths");
}

/// z-directed pieces of one straight wire from -half to half with the current I_m sin
/// k(half - |z|).
NearFieldSources half_wave(double half, double radius, int pieces, GreensKernel kernel,
                           double k) {
  std::vector<Element> elements;
  std::vector<Complex> ends;
  const double length = 2 * half / pieces;
  for (int i = 0; i < pieces; ++i) {
    const double z = -half + i * length;
    elements.push_back({{0, 0, z}, {0, 0, 1}, length, radius});
    for (const double at : {z, z + length})
      ends.push_back(std::sin(k * (half - std::abs(at))));
  }
  return near_field_sources(elements, ends, k, kernel, Medium::free_space());
}

/// Closed form of the sinusoidal dipole's field (Balanis 2016, eqs. 8-58 and 8-59): 0.5
/// wavelengths.
TEST(NearField, HalfWaveFilamentHasTheClosedForm) {
  const auto sources = half_wave(0.25, 1e-5, 6, GreensKernel::reduced, k_1m);
  for (const double rho : {1e-3, 0.02, 0.3, 2.0, 40.0})
    for (const double z : {0.0, 0.1, 0.24, 0.3, 3.0}) {
      const double r1 = std::hypot(rho, z - 0.25), r2 = std::hypot(rho, z + 0.25);
      const Complex g1 = std::polar(1 / r1, -k_1m * r1),
                    g2 = std::polar(1 / r2, -k_1m * r2);
      const Complex j30(0, eta0_ohm / (4 * pi));
      const Field e = {j30 / rho * ((z - 0.25) * g1 + (z + 0.25) * g2), 0,
                       -j30 * (g1 + g2)};
      const Field h = {0, Complex(0, 1) / (4 * pi * rho) * (r1 * g1 + r2 * g2), 0};
      EXPECT_LT(difference(electric(sources, {rho, 0, z}, k_1m), e), 1e-6 * magnitude(e))
          << rho << ' ' << z;
      EXPECT_LT(difference(magnetic(sources, {rho, 0, z}, k_1m), h), 1e-6 * magnitude(h))
          << rho << ' ' << z;
    }
}

TEST(NearField, FarAwayItIsTheFarField) {
  const Wire wire(0.2, 0.01);
  Element second = wire.element;
  second.start_m = wire.at(0.2, 0);
  const Element elements[2] = {wire.element, second};
  const Complex ends[4] = {0, end_a, end_a, 0};
  const auto sources = near_field_sources(elements, ends, k_1m, GreensKernel::exact,
                                          Medium::perfect_ground());
  const CurrentMoments moments = current_moments(
      elements, ends, k_1m, GreensKernel::exact, Medium::perfect_ground());
  for (const Direction d : {Direction{0.3, 1.0}, Direction{1.2, -2.0}}) {
    Complex e_theta, e_phi;
    far_field(moments, {&d, 1}, k_1m, {&e_theta, 1}, {&e_phi, 1});
    const Vec3 u{std::sin(d.theta) * std::cos(d.phi), std::sin(d.theta) * std::sin(d.phi),
                 std::cos(d.theta)};
    const Vec3 theta{std::cos(d.theta) * std::cos(d.phi),
                     std::cos(d.theta) * std::sin(d.phi), -std::sin(d.theta)};
    const Vec3 phi{-std::sin(d.phi), std::cos(d.phi), 0};
    const double r = 1000;
    const Complex factor = std::polar(1 / r, -k_1m * r);
    Field e, h;
    const double unit[3][3] = {
        {u.x, u.y, u.z}, {theta.x, theta.y, theta.z}, {phi.x, phi.y, phi.z}};
    for (int c = 0; c < 3; ++c) {
      e[c] = factor * (e_theta * unit[1][c] + e_phi * unit[2][c]);
      h[c] = factor / eta0_ohm * (e_theta * unit[2][c] - e_phi * unit[1][c]);
    }
    // The remainder falls as the current's extent squared times k / r.
    EXPECT_LT(difference(electric(sources, r * u, k_1m), e), 1e-3 * magnitude(e));
    EXPECT_LT(difference(magnetic(sources, r * u, k_1m), h), 1e-3 * magnitude(h));
  }
}

void check_maxwell(const NearFieldSources& sources, const std::vector<Vec3>& points) {
  for (const Vec3 at : points) {
    Field derivative_e[3], derivative_h[3];
    const double step = std::min(1e-3, 0.02 * std::abs(at.y));
    for (int axis = 0; axis < 3; ++axis)
      for (int c = 0; c < 3; ++c) {
        const auto moved = [&](double x) { return at + x * axes[axis]; };
        derivative_e[axis][c] = derivative(
            [&](double x) { return electric(sources, moved(x), k_1m)[c]; }, step);
        derivative_h[axis][c] = derivative(
            [&](double x) { return magnetic(sources, moved(x), k_1m)[c]; }, step);
      }
    const Field e = electric(sources, at, k_1m), h = magnetic(sources, at, k_1m);
    Field curl_e, curl_h, right_e, right_h;
    Complex div_e = 0, div_h = 0;
    for (int c = 0; c < 3; ++c) {
      const int u = (c + 1) % 3, v = (c + 2) % 3;
      curl_e[c] = derivative_e[u][v] - derivative_e[v][u];
      curl_h[c] = derivative_h[u][v] - derivative_h[v][u];
      right_e[c] = Complex(0, -k_1m * eta0_ohm) * h[c];
      right_h[c] = Complex(0, k_1m / eta0_ohm) * e[c];
      div_e += derivative_e[c][c];
      div_h += derivative_h[c][c];
    }
    double steep_e = 0, steep_h = 0;
    for (int axis = 0; axis < 3; ++axis) {
      steep_e = std::max(steep_e, magnitude(derivative_e[axis]));
      steep_h = std::max(steep_h, magnitude(derivative_h[axis]));
    }
    EXPECT_LT(difference(curl_e, right_e), 1e-5 * steep_e);
    EXPECT_LT(difference(curl_h, right_h), 1e-5 * steep_h);
    EXPECT_LT(std::abs(div_e), 1e-5 * steep_e);
    EXPECT_LT(std::abs(div_h), 1e-5 * steep_h);
  }
}

/// A current that is continuous and zero at the free ends obeys Maxwell's equations, near
/// the wires as well, where no charge is left out: that of the annulus between two tubes
/// that meet at an angle or with different radii is, so these are filaments, over ground.
TEST(NearField, BentFilamentObeysMaxwellsEquations) {
  const Element elements[3] = {{{0, 0, 0.1}, {1, 0, 0}, 0.1, 0.002},
                               {{0.1, 0, 0.1}, {0, 0.6, 0.8}, 0.05, 0.004},
                               {{0.1, 0.03, 0.14}, {0, 0, 1}, 0.12, 0.001}};
  const Complex i1(0.7, 0.2), i2(0.4, 0.5);
  const Complex ends[6] = {0, i1, i1, i2, i2, 0};
  check_maxwell(
      near_field_sources(elements, ends, k_1m, GreensKernel::reduced,
                         Medium::perfect_ground()),
      {{0.08, 0.02, 0.12}, {0.11, 0.01, 0.1}, {0.3, 0.2, 0.1}, {-0.5, 1.2, 0.6}});
}

TEST(NearField, StraightTubeObeysMaxwellsEquations) {
  const Element elements[3] = {{{0, 0, 0.1}, {1, 0, 0}, 0.1, 0.004},
                               {{0.1, 0, 0.1}, {1, 0, 0}, 0.05, 0.004},
                               {{0.15, 0, 0.1}, {1, 0, 0}, 0.12, 0.004}};
  const Complex i1(0.7, 0.2), i2(0.4, 0.5);
  const Complex ends[6] = {0, i1, i1, i2, i2, 0};
  check_maxwell(near_field_sources(elements, ends, k_1m, GreensKernel::exact,
                                   Medium::perfect_ground()),
                {{0.08, 0.005, 0.1},
                 {0.1, 0.01, 0.1},
                 {0.3, 0.2, 0.1},
                 {-0.5, 1.2, 0.6},
                 {-0.002, 0.001, 0.1}});
}

TEST(NearField, GroundCarriesNoTangentialEAndNoNormalH) {
  const Wire wire(0.1, 0.002);
  Element element = wire.element;
  element.start_m.z = 0.05;
  const Complex ends[2] = {start_a, end_a};
  const auto sources = near_field_sources({&element, 1}, ends, k_1m, GreensKernel::exact,
                                          Medium::perfect_ground());
  for (const Vec3 at : {Vec3{0.03, 0.01, 0}, Vec3{0.5, -1, 0}}) {
    const Field e = electric(sources, at, k_1m), h = magnetic(sources, at, k_1m);
    EXPECT_LT(std::hypot(std::abs(e[0]), std::abs(e[1])), 1e-9 * magnitude(e));
    EXPECT_LT(std::abs(h[2]), 1e-9 * magnitude(h));
  }
}

/// At low frequency: the line charge's field, and Biot and Savart's.
TEST(NearField, HasTheStaticLimits) {
  const double k = 1e-7, length = 0.3, radius = 1e-4;
  const Element element = {{0, 0, 0}, {0, 0, 1}, length, radius};
  const double charge = 1e-9;  // C/m
  const Complex derivative = Complex(0, -1) * k * speed_of_light_m_per_s * charge;
  const Complex ramp[2] = {0, derivative * length};
  const auto charged = near_field_sources({&element, 1}, ramp, k, GreensKernel::reduced,
                                          Medium::free_space());
  const Complex ends[2] = {2.0, 2.0};
  const auto carrying = near_field_sources({&element, 1}, ends, k, GreensKernel::reduced,
                                           Medium::free_space());
  for (const Vec3 at : {Vec3{0.01, 0, 0.1}, Vec3{0.4, 0.3, 0.5}, Vec3{3, -1, 2}}) {
    const double rho = std::hypot(at.x, at.y), far = length - at.z;
    const double r1 = std::hypot(rho, at.z), r2 = std::hypot(rho, far);
    const double factor = charge / (4 * pi * eps0_f_per_m);
    const double outward = factor / rho * (at.z / r1 + far / r2);
    const Field e = {outward * at.x / rho, outward * at.y / rho,
                     factor * (1 / r2 - 1 / r1)};
    EXPECT_LT(difference(electric(charged, at, k), e), 1e-6 * magnitude(e));
    const double around = 2 / (4 * pi * rho) * (at.z / r1 + far / r2);
    const Field h = {-around * at.y / rho, around * at.x / rho, 0};
    EXPECT_LT(difference(magnetic(carrying, at, k), h), 1e-6 * magnitude(h));
  }
}

/// Charges of neighbours cancel: at low frequency a closed loop of constant current has
/// no electric field but that of induction, however its elements are cut.
TEST(NearField, LoopAtLowFrequencyHasNoChargeField) {
  const double k = 1e-6, side = 0.1;
  const Vec3 corner[5] = {
      {0, 0, 0}, {side, 0, 0}, {side, side, 0}, {0, side, 0}, {0, 0, 0}};
  std::vector<Element> elements;
  std::vector<Complex> ends;
  for (int s = 0; s < 4; ++s) {
    elements.push_back({corner[s], (1 / side) * (corner[s + 1] - corner[s]), side, 1e-3});
    ends.insert(ends.end(), {1.0, 1.0});
  }
  const auto sources =
      near_field_sources(elements, ends, k, GreensKernel::exact, Medium::free_space());
  const Field e = electric(sources, {0.12, 0.05, 0.01}, k);
  // j k eta / (4 pi) times the sum of lengths over distances, about.
  EXPECT_LT(magnitude(e), k * eta0_ohm / (4 * pi) * 0.4 / 0.02);
  EXPECT_GT(magnitude(e), 0.01 * k * eta0_ohm / (4 * pi));
}

/// Ampere's law around and inside a long tube, and Gauss's.
TEST(NearField, TubeIsFieldFreeInside) {
  const double k = 1e-6, radius = 0.01;
  const Element element = {{0, 0, -50}, {0, 0, 1}, 100, radius};
  const Complex ends[2] = {1.0, 1.0};
  const auto sources = near_field_sources({&element, 1}, ends, k, GreensKernel::exact,
                                          Medium::free_space());
  const double outside = 1 / (2 * pi * radius);
  EXPECT_LT(magnitude(magnetic(sources, {0.9 * radius, 0, 0}, k)), 1e-4 * outside);
  EXPECT_LT(magnitude(magnetic(sources, {0, 0, 0}, k)), 1e-12 * outside);
  for (const double ratio : {1.002, 1.1, 3.0})
    EXPECT_NEAR(magnetic(sources, {0, ratio * radius, 0}, k)[0].real(), -outside / ratio,
                1e-5 * outside);
  // On the surface: that of its outside, 1/1000 of the radius off.
  EXPECT_NEAR(magnetic(sources, {radius, 0, 0}, k)[1].real(), outside / 1.001,
              1e-5 * outside);
}

TEST(NearField, IsFiniteEverywhere) {
  for (const GreensKernel kernel : {GreensKernel::exact, GreensKernel::reduced})
    for (const double length : {0.1, 1e-4}) {
      const Wire wire(length, 1e-3);
      const NearFieldSources sources = one(wire, kernel);
      for (const double along : {0.0, 0.5 * length, length, 0.25})
        for (const double rho : {0.0, 1e-12, 5e-4, 1e-3, 1e-3 + 1e-15, 1.001e-3, 2e-3}) {
          const Vec3 at = wire.at(along, rho);
          EXPECT_TRUE(std::isfinite(magnitude(electric(sources, at, k_1m))));
          EXPECT_TRUE(std::isfinite(magnitude(magnetic(sources, at, k_1m))));
        }
    }
}

TEST(NearField, ManyPointsAtOnceAreTheSameAsOneByOne) {
  const auto sources = half_wave(0.25, 0.002, 11, GreensKernel::exact, k_1m);
  std::vector<Vec3> points;
  for (int i = 0; i < 37; ++i) points.push_back({0.01 * i, 0.02, 0.03 * i - 0.5});
  std::vector<Complex> e(3 * points.size(), {NAN, NAN});
  electric_field(sources, points, k_1m, e);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Field alone = electric(sources, points[i], k_1m);
    for (int c = 0; c < 3; ++c) EXPECT_EQ(e[3 * i + c], alone[c]);
  }
}

}  // namespace
}  // namespace thinwire::near_field_test
