#include "kernels/element/quadrature_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "kernels/element/near_pair.h"

namespace thinwire {
namespace {

/// Element matrix of two filaments by n Gauss points on each.
ElementMatrix gauss_product(const Element& p, const Element& q, double k, int n) {
  const GaussRule rule = gauss_rule(n);
  TrigMoments<double> sum;
  for (int i = 0; i < n; ++i) {
    const double x = 0.5 * p.length_m * (1 + rule.node[i]);
    for (int j = 0; j < n; ++j) {
      const double y = 0.5 * q.length_m * (1 + rule.node[j]);
      const Vec3 r = (q.start_m + y * q.tangent) - (p.start_m + x * p.tangent);
      const HdComplex g =
          (0.25 * p.length_m * q.length_m * rule.weight[i] * rule.weight[j]) *
          filament_green(dot(r, r), k);
      sum.cc += (std::cos(k * x) * std::cos(k * y)) * g;
      sum.cs += (std::cos(k * x) * std::sin(k * y)) * g;
      sum.sc += (std::sin(k * x) * std::cos(k * y)) * g;
      sum.ss += (std::sin(k * x) * std::sin(k * y)) * g;
    }
  }
  return matrix_from_moments(sum, p.length_m, q.length_m, dot(p.tangent, q.tangent), k);
}

/// With the rules for pairs that are far from so many radii on.
void expect_far_rules_hold(double radii) {
  const double tolerance = 1e-7 * std::pow(series_radii / radii, 6);
  std::mt19937 generator(11);
  std::uniform_real_distribution<double> uniform(0, 1);
  const auto direction = [&] {
    const double z = 2 * uniform(generator) - 1, phi = 2 * pi * uniform(generator);
    const double rho = std::sqrt(1 - z * z);
    return Vec3{rho * std::cos(phi), rho * std::sin(phi), z};
  };
  int met[7] = {};
  for (int i = 0; i < 4000; ++i) {
    const Vec3 t = direction();
    const Vec3 d = i % 2 ? t : direction();
    const double distance = 1.4 * std::pow(25.0, uniform(generator));
    const double lq = i % 3 ? 1 : 0.1 + 0.9 * uniform(generator);
    const double k = 2.0 * std::pow(1e-3, uniform(generator));
    const Vec3 u = i % 4 == 1 ? t : i % 4 == 3 ? -t : direction();
    const Element p{-0.5 * t, t, 1, 1e-6};
    const Element q{distance * d - 0.5 * lq * u, u, lq, 1e-6};
    const int n = far_order(distance, 1, 1e-6, PairLimit(k, radii));
    if (n == 0) continue;
    ++met[n];
    const ElementMatrix got = gauss_product(p, q, k, n);
    const ElementMatrix want = near_pair(p, q, k, GreensKernel::exact);
    double error = 0, largest = 0;
    for (int e = 0; e < 4; ++e) {
      const Complex exact = want.z[e / 2][e % 2];
      error = std::max(error, std::abs(Complex(got.z[e / 2][e % 2]) - exact));
      largest = std::max(largest, std::abs(exact));
    }
    EXPECT_LT(error, tolerance * largest) << n << " points, " << distance << ", k " << k;
  }
  for (int n : {2, 3, 4}) EXPECT_GT(met[n], 50) << n;
  EXPECT_TRUE(met[6] > 50 || radii < 20) << met[6];
}

TEST(FarOrder, ReachesOneInTenMillion) {
  expect_far_rules_hold(series_radii);
}

TEST(FarOrder, ReachesWhatAClassOfTheGridNeeds) {
  for (const double radii : {12, 26}) expect_far_rules_hold(radii);
}

TEST(FarOrder, RefusesWhatIsNear) {
  EXPECT_EQ(far_order(1.6, 1.0, 1e-6, 0.1), 0);    // close
  EXPECT_EQ(far_order(20.0, 1.0, 1.0, 1e-3), 0);   // within 30 radii
  EXPECT_EQ(far_order(100.0, 1.0, 1e-3, 2.5), 0);  // electrically long
  EXPECT_EQ(far_order(100.0, 1.0, 1e-3, 0.05), 2);
  EXPECT_EQ(far_order(100.0, 1.0, 1e-3, 0.3), 3);
}

}  // namespace
}  // namespace thinwire
