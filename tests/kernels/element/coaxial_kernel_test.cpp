#include "kernels/element/coaxial_kernel.h"

#include <gtest/gtest.h>

#include "kernels/element/tube_kernel.h"
#include "tests/kernels/element/reference_integrals.h"

namespace thinwire {
namespace {

double relative_error(HdComplex got, reference::Cplx want) {
  return static_cast<double>(std::abs(reference::Cplx(got.re, got.im) - want) /
                             std::abs(want));
}

TEST(GaussRule, IntegratesPolynomialsOfItsDegree) {
  for (int n = 1; n <= max_gauss_points; ++n) {
    const GaussRule rule = gauss_rule(n);
    ASSERT_EQ(rule.points, n);
    for (int degree = 0; degree < 2 * n; ++degree) {
      double sum = 0;
      for (int i = 0; i < n; ++i) sum += rule.weight[i] * std::pow(rule.node[i], degree);
      EXPECT_NEAR(sum, degree % 2 ? 0.0 : 2.0 / (degree + 1), 1e-15)
          << n << " " << degree;
    }
  }
}

TEST(CoaxialGreen, MatchesTheMeanOverTheAngle) {
  for (double k : {1e-6, 0.01, 0.05, 0.09, 0.12, 0.3, 1.0}) {
    for (double b : {1.0, 0.999, 0.5, 0.02}) {
      for (double t : {1e-6, 1e-3, 0.1, 1.0, 2.5, 20.0, 300.0}) {
        const HdComplex got = coaxial_green(t * t, 1.0, b, k);
        EXPECT_LT(relative_error(got, reference::coaxial_by_angle(t, 1, b, k)), 2e-10)
            << k << " " << b << " " << t;
        EXPECT_LT(relative_error(got, reference::coaxial(t, 1, b, k)), 2e-10)
            << k << " " << b << " " << t;
      }
    }
  }
}

TEST(CoaxialGreen, KeepsTheLogarithmOfEqualRadii) {
  // K(m) -> ln(4 / sqrt(1 - m)): G -> ln(8 a / t) / (pi a) as t -> 0.
  for (double t : {1e-8, 1e-12, 1e-20}) {
    EXPECT_NEAR(coaxial_green(t * t, 1.0, 1.0, 1e-9).re * pi / std::log(8 / t), 1.0,
                1e-14);
  }
}

// Mean over both circumferences by the trapezoid rule on each.
reference::Cplx two_rings(Vec3 r, Vec3 p, Vec3 q, double a, double b, double k) {
  const auto normal = [](Vec3 t) {
    const Vec3 n = cross(t, std::fabs(t.x) < 0.9 ? Vec3{1, 0, 0} : Vec3{0, 1, 0});
    return (1 / norm(n)) * n;
  };
  constexpr int n = 48;
  const Vec3 p1 = normal(p), p2 = cross(p, p1), q1 = normal(q), q2 = cross(q, q1);
  reference::Cplx sum = 0;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      const double x = 2 * pi * i / n, y = 2 * pi * j / n;
      const Vec3 d = r + (b * std::cos(y)) * q1 + (b * std::sin(y)) * q2 -
                     (a * std::cos(x)) * p1 - (a * std::sin(x)) * p2;
      sum += reference::exp_over_r(norm(d), k);
    }
  }
  return sum / static_cast<reference::Real>(n * n);
}

TEST(TubeKernels, MatchTheMeanOverBothCircumferences) {
  const Vec3 p{0, 0, 1};
  const Vec3 directions[] = {{0, 0, 1}, {0.6, 0, 0.8}, {0, 1, 0}, {0.48, 0.6, 0.64}};
  for (double k : {0.0, 0.05, 0.2}) {
    for (double b : {1.0, 0.1}) {
      for (Vec3 q : directions) {
        for (double distance : {4.0, 24.0, 100.0}) {
          const Vec3 r = distance * Vec3{0.36, 0.48, 0.8};
          const Vec3 in_plane{q.x, q.y, 0};
          const Vec3 n1 = norm(in_plane) > 0 ? cross(p, (1 / norm(in_plane)) * in_plane)
                                             : Vec3{1, 0, 0};
          const SkewTubeKernel<double, double> kernel{p, q, n1, cross(q, n1), 1, b, k};
          const reference::Cplx want = two_rings(r, p, q, 1, b, k);
          EXPECT_LT(relative_error(kernel(r, 24), want), 1e-8) << k << " " << distance;
          if (distance < 24) continue;
          EXPECT_LT(relative_error(kernel.far(r), want), 6e-7) << k << " " << distance;
        }
      }
    }
  }
}

TEST(TubeKernels, ParallelTubesMatchTheMeanOverBothCircumferences) {
  for (double k : {0.0, 0.1}) {
    for (double distance : {3.0, 10.0, 40.0}) {
      for (double t : {0.0, 1.0, 30.0}) {
        const ParallelTubeKernel<double, double> kernel(1.0, 0.8, distance, k);
        const reference::Cplx want =
            two_rings({distance, 0, t}, {0, 0, 1}, {0, 0, 1}, 1.0, 0.8, k);
        EXPECT_LT(relative_error(kernel(t * t), want), 3e-7) << distance << " " << t;
      }
    }
  }
}

}  // namespace
}  // namespace thinwire
