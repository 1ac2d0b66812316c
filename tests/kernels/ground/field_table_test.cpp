#include "kernels/ground/field_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "kernels/base/constants.h"
#include "kernels/ground/half_space.h"

namespace thinwire::field_table_test {
namespace {

constexpr Complex grounds[] = {
    {13, -6.4}, {3, -0.06}, {10, -1e-3}, {81, -9e5}, {1.0001, 0}};

/// f'(0) by six places h apart: h^6 of the scale on which f changes.
template <class F>
Complex derivative_of(const F& f, double h) {
  return (45.0 * (f(h) - f(-h)) - 9.0 * (f(2 * h) - f(-2 * h)) + f(3 * h) - f(-3 * h)) /
         (60 * h);
}

double image_size(double rho, double zeta) {
  const double r = std::hypot(rho, zeta);
  return (1 + r) / (r * r);
}

double difference(const FieldKernels& a, const FieldKernels& b) {
  double largest = 0;
  for (std::size_t n = 0; n < a.size(); ++n)
    largest = std::max(largest, std::abs(a[n] - b[n]));
  return largest;
}

FieldKernels at_point(FieldKind kind, Complex eps, double rho, double zeta) {
  FieldKernels kernels;
  field_kernels_grid(kind, eps, {rho, rho, zeta, zeta}, {&rho, 1}, {&zeta, 1},
                     {&kernels, 1});
  return kernels;
}

// half_space.h's kernels are good to 1e-11; their derivatives are taken by differences.
// V has no kernel there: its derivative follows from the curl of Kzz z^ - Q r^.
TEST(FieldKernels, AreTheDerivativesOfTheReflectedKernels) {
  for (const Complex eps : grounds)
    for (const auto& [rho, zeta] :
         {std::pair{1e-3, 2e-3}, {0.3, 0.05}, {0.2, 1.5}, {9.0, 0.8}}) {
      const double h = 0.02 * std::min(rho, zeta);
      const auto kernel = [&](HdComplex ReflectedKernels::*which, double r, double z) {
        return Complex(reflected_kernels(eps, r, z).*which);
      };
      const auto out = [&](HdComplex ReflectedKernels::*which) {
        return derivative_of([&](double d) { return kernel(which, rho + d, zeta); }, h);
      };
      const auto up = [&](HdComplex ReflectedKernels::*which) {
        return derivative_of([&](double d) { return kernel(which, rho, zeta + d); }, h);
      };
      using K = ReflectedKernels;
      const FieldKernels electric = {kernel(&K::h, rho, zeta), kernel(&K::zz, rho, zeta),
                                     kernel(&K::q, rho, zeta), out(&K::phi), up(&K::phi)};
      const FieldKernels magnetic = {out(&K::h), up(&K::h), up(&K::q) + out(&K::zz),
                                     out(&K::q), kernel(&K::q, rho, zeta) / rho};
      const double scale = image_size(rho, zeta);
      EXPECT_LT(difference(at_point(FieldKind::electric, eps, rho, zeta), electric),
                1e-7 * scale)
          << eps << ' ' << rho << ' ' << zeta;
      EXPECT_LT(difference(at_point(FieldKind::magnetic, eps, rho, zeta), magnetic),
                1e-7 * scale)
          << eps << ' ' << rho << ' ' << zeta;
    }
}

// 50 and 500 wavelengths away, low above soil: Gh, Kzz, Q and dV/drho by the integral
// along the real axis of kr, in 16-point panels (kr = 1 -+ t^2).
TEST(FieldKernels, MatchQuadratureAlongTheRealAxisFarAway) {
  constexpr struct {
    double rho, zeta;
    Complex h, zz, q, v_out;
  } golden[] = {
      {314,
       1,
       {-0.00314196930349, -0.000497774076092},
       {-0.00356085111315, -0.00118190437391},
       {-9.37657523438e-06, 0.000143346947416},
       {-0.00119227855367, 0.00355612598852}},
      {3140,
       3,
       {6.44449030406e-06, -0.000318311477239},
       {1.1250949329e-05, -0.00032147344971},
       {-1.04121413896e-06, -3.42675290967e-08},
       {-0.000321470106153, -1.13532496675e-05}},
  };
  for (const auto& g : golden) {
    const FieldKernels e = at_point(FieldKind::electric, {13, -30}, g.rho, g.zeta);
    const FieldKernels m = at_point(FieldKind::magnetic, {13, -30}, g.rho, g.zeta);
    const double tolerance = 1e-9 * image_size(g.rho, g.zeta);
    EXPECT_LT(std::abs(e[0] - g.h), tolerance);
    EXPECT_LT(std::abs(e[1] - g.zz), tolerance);
    EXPECT_LT(std::abs(e[2] - g.q), tolerance);
    EXPECT_LT(std::abs(m[2] - g.v_out), tolerance);
  }
}

// From 1e-6 to 100 wavelengths, a third of the places near grazing.
TEST(FieldTable, HoldsTheKernelsBesideTheImage) {
  for (const FieldKind kind : {FieldKind::electric, FieldKind::magnetic})
    for (const Complex eps : grounds) {
      std::mt19937 generator(5);
      std::uniform_real_distribution<double> uniform(0, 1);
      std::vector<std::pair<double, double>> places;
      for (int i = 0; i < 12; ++i) {
        const double r = 2 * pi * 1e-6 * std::pow(1e8, uniform(generator));
        const double angle = 0.5 * pi * uniform(generator) * (i % 3 == 0 ? 1e-3 : 1);
        places.emplace_back(r * std::cos(angle), r * std::sin(angle));
      }
      FieldTable table(kind, eps);
      table.cover([&](const FieldTable::Mark& mark) {
        for (const auto& [rho, zeta] : places) mark(rho, zeta);
      });
      double worst = 0;
      for (const auto& [rho, zeta] : places) {
        FieldKernels want = at_point(kind, eps, rho, zeta);
        const FieldKernels image = image_field_kernels(kind, rho, zeta);
        for (std::size_t n = 0; n < want.size(); ++n)
          want[n] -= image_strength(eps) * image[n];
        worst = std::max(worst,
                         difference(table.at(rho, zeta), want) / image_size(rho, zeta));
      }
      EXPECT_LT(worst, 3e-8) << eps;
      EXPECT_GT(worst, 1e-13) << "no table is that good: it was not looked into";
    }
}

// The result at a place does not depend on what else was asked for, and before.
TEST(FieldTable, IsTheSameInWhateverOrderItGrows) {
  const auto cover = [](FieldTable& table, double rho) {
    table.cover([&](const FieldTable::Mark& mark) { mark(rho, 0.3); });
  };
  FieldTable one(FieldKind::electric, {13, -6.4}), other(FieldKind::electric, {13, -6.4});
  for (const double rho : {0.1, 1.0, 40.0}) cover(one, rho);
  for (const double rho : {40.0, 0.1, 1.0}) cover(other, rho);
  EXPECT_EQ(one.at(1.0, 0.3), other.at(1.0, 0.3));
  EXPECT_EQ(one.at(40.0, 0.3), other.at(40.0, 0.3));
  EXPECT_EQ(one.leaves(), 3u);
}

}  // namespace
}  // namespace thinwire::field_table_test
