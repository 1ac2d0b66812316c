#include "kernels/grid/split_kernel.h"

#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include "kernels/base/constants.h"
#include "kernels/base/error.h"
#include "kernels/base/quadrature.h"
#include "kernels/grid/bessel_i.h"

namespace thinwire {
namespace {

struct Case {
  double k, cut, beta;
};
constexpr Case cases[] = {{2 * pi, 0.5, 10}, {2 * pi, 1.2, 14}, {0.3, 0.08, 18}};

double integral(double from, double to, const std::function<double(double)>& f) {
  constexpr int panels = 60;
  const GaussRule gauss = gauss_rule(16);
  double sum = 0;
  for (int p = 0; p < panels; ++p)
    for (int b = 0; b < gauss.points; ++b) {
      const double half = 0.5 * (to - from) / panels;
      sum += half * gauss.weight[b] * f(from + half * (2 * p + 1 + gauss.node[b]));
    }
  return sum;
}

/// G * w at a distance r as an integral over spheres: the mean of e^{-jkR}/R over a
/// sphere of radius y is sin(ky)/(ky) e^{-jkr}/r outside it, sin(kr)/(kr) e^{-jky}/y
/// inside. The shells weigh 4 pi y^2 w(y) = -2 y phi'(y), with a jump of phi at the end.
Complex convolution(const Case& c, double r) {
  const double norm = 2 * c.cut * sinh_ratio(c.beta * c.beta - c.k * c.k * c.cut * c.cut);
  const auto shell = [&](double y) {
    const double x = y / c.cut, s = c.beta * std::sqrt(std::max(0.0, 1 - x * x));
    const double ratio = s < 1e-6 ? 0.5 : std::cyl_bessel_i(1.0, s) / s;
    return 2 * y * c.beta * c.beta * x / c.cut * ratio / norm;
  };
  const auto mean = [&](double y) {
    const double inner = std::min(r, y), outer = std::max(r, y);
    const double bounded = c.k * inner < 1e-8 ? 1 : std::sin(c.k * inner) / (c.k * inner);
    return bounded * std::polar(1 / outer, -c.k * outer);
  };
  Complex sum = 2 * c.cut / norm * mean(c.cut);
  const double kink = std::min(r, c.cut);
  for (const auto& [from, to] : {std::pair{0.0, kink}, std::pair{kink, c.cut}})
    if (to > from)
      sum += Complex(
          integral(from, to, [&](double y) { return shell(y) * mean(y).real(); }),
          integral(from, to, [&](double y) { return shell(y) * mean(y).imag(); }));
  return sum;
}

TEST(SplitKernel, IsTheConvolutionOfGreensFunctionWithTheWindow) {
  for (const Case& c : cases) {
    const SplitKernel kernel(c.k, c.cut, c.beta);
    const double largest = std::abs(kernel.at(0));
    for (int i = 0; i <= 40; ++i) {
      const double r = (i + 0.3 * (i % 3)) * c.cut / 30;
      EXPECT_LT(std::abs(kernel.at(r) - convolution(c, r)), 1e-12 * largest)
          << "beta " << c.beta << " r " << r;
    }
  }
}

TEST(SplitKernel, IsGreensFunctionBeyondTheNearRadius) {
  for (const Case& c : cases)
    for (const double r : {1.0001 * c.cut, 1.5 * c.cut, 7 * c.cut})
      EXPECT_LT(std::abs(convolution(c, r) - std::polar(1 / r, -c.k * r)), 1e-12 / r);
}

TEST(SplitKernel, TransformIsOneAtTheWaveNumberAndThatOfTheProjection) {
  for (const Case& c : cases) {
    const SplitKernel kernel(c.k, c.cut, c.beta);
    EXPECT_NEAR(kernel.transform(c.k), 1, 1e-14);
    for (const double q : {0.0, 0.6 * c.beta / c.cut, 1.7 * c.beta / c.cut}) {
      const auto projection = [&](double y) {
        return std::cyl_bessel_i(
            0.0, c.beta * std::sqrt(std::max(0.0, 1 - y * y / (c.cut * c.cut))));
      };
      const double norm = integral(
          -c.cut, c.cut, [&](double y) { return projection(y) * std::cos(c.k * y); });
      const double expected = integral(-c.cut, c.cut, [&](double y) {
        return projection(y) * std::cos(q * y) / norm;
      });
      EXPECT_NEAR(kernel.transform(q), expected, 1e-12);
    }
  }
}

// (laplacian + k^2) G_s = -4 pi w becomes, D^n of it taken,
// (2 n + 3) D^(n+1) G_s + r^2 D^(n+2) G_s + k^2 D^n G_s = 2 D^(n+1) phi.
TEST(SplitKernel, DerivativesSatisfyTheHelmholtzEquation) {
  for (const Case& c : cases) {
    const SplitKernel kernel(c.k, c.cut, c.beta);
    const double norm =
        2 * c.cut * sinh_ratio(c.beta * c.beta - c.k * c.k * c.cut * c.cut);
    const double b2 = c.beta * c.beta / (c.cut * c.cut);
    for (const double x : {0.01, 0.2, 0.51, 0.77, 0.95, 1.3}) {
      const double r = x * c.cut, s = c.beta * std::sqrt(std::max(0.0, 1 - x * x));
      const RadialDerivatives g = kernel.view().at<4>(r * r);
      for (int n = 0; n <= 2; ++n) {
        const double projection = x < 1 ? std::pow(-b2, n + 1) *
                                              std::cyl_bessel_i(n + 1.0, s) /
                                              std::pow(s, n + 1) / norm
                                        : 0;
        // Upper bound of the right-hand side.
        const double scale = std::pow(b2, n + 1) * std::cyl_bessel_i(n + 1.0, c.beta) /
                             std::pow(c.beta, n + 1) / norm;
        EXPECT_NEAR((2 * n + 3) * g.d[n + 1] + r * r * g.d[n + 2] + c.k * c.k * g.d[n],
                    2 * projection, std::pow(10, 2 * n - 10) * scale)
            << "beta " << c.beta << " x " << x << " n " << n;
      }
    }
  }
}

TEST(BoundedWave, DerivativesJoinWhereSeriesAndRecurrenceMeet) {
  constexpr double k = 3;
  const BoundedWave wave{k};
  // j_0, j_1 / x and j_2 / x^2 in closed form, on both sides of k r = 5.
  for (const double r : {0.4, 1.6, 1.7, 4.0}) {
    const double x = k * r, j0 = std::sin(x) / x, j1 = (j0 - std::cos(x)) / x,
                 j2 = 3 * j1 / x - j0, j3 = 5 * j2 / x - j1, j4 = 7 * j3 / x - j2;
    const double j[] = {j0, j1, j2, j3, j4};
    const RadialDerivatives g = wave.at<4>(r * r);
    for (int n = 0; n < 5; ++n)
      EXPECT_NEAR(g.d[n],
                  (n % 2 == 0 ? 1 : -1) * std::pow(k, 2 * n + 1) * j[n] / std::pow(x, n),
                  1e-11 * std::pow(k, 2 * n + 1))
          << r << " " << n;
  }
}

/// The mean over both circumferences by 16 points on each.
double ring_mean(const SplitKernelView& kernel, Vec3 r, Vec3 t_p, Vec3 t_q, double a,
                 double b) {
  const auto normals = [](Vec3 t) {
    Vec3 n = cross(t, std::fabs(t.x) < 0.9 ? Vec3{1, 0, 0} : Vec3{0, 1, 0});
    n = (1 / norm(n)) * n;
    return std::pair{n, cross(t, n)};
  };
  const auto [p1, p2] = normals(t_p);
  const auto [q1, q2] = normals(t_q);
  double sum = 0;
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 16; ++j) {
      const double f = 2 * pi * i / 16, g = 2 * pi * j / 16;
      const Vec3 d = r + a * (std::cos(f) * p1 + std::sin(f) * p2) -
                     b * (std::cos(g) * q1 + std::sin(g) * q2);
      sum += kernel.at<0>(dot(d, d)).d[0] / 256;
    }
  return sum;
}

TEST(SplitKernel, BentIsTheMeanOverBothCircumferencesBeyondTheNearRadius) {
  const double k = 2 * pi;
  const SplitKernel kernel(k, 0.5, 10);
  const Vec3 t_p{0.6, 0, 0.8}, t_q{0, 0.28, -0.96};
  for (const Vec3 r : {Vec3{0.6, 0.2, 0}, Vec3{0.3, -0.2, 0.5}, Vec3{0.1, 0.1, -0.7}}) {
    const auto error = [&](double a) {
      const TubeMean p(k, a), q(k, 0.7 * a);
      return std::fabs(
          p.on_axis * q.on_axis *
              bent(kernel.view().at<4>(dot(r, r)), r, t_p, t_q, p.bend_m2, q.bend_m2) -
          ring_mean(kernel.view(), r, t_p, t_q, a, 0.7 * a));
    };
    // The error is of fourth order in radius over distance.
    EXPECT_LT(error(0.01), error(0.02) / 14);
    EXPECT_LT(error(0.02), 4 * std::pow(0.02 / norm(r), 4) / norm(r));
  }
}

TEST(SplitKernel, BentIsThatOfDifferencesAlongBothTubes) {
  const SplitKernel kernel(2 * pi, 0.5, 10);
  const SplitKernelView view = kernel.view();
  const Vec3 t_p{0.6, 0, 0.8}, t_q{0, 0.28, -0.96}, r{0.1, -0.02, 0.07};
  const double p = 0.001, q = 0.002, step = 0.004;
  // (1 - p d^2/ds^2) (1 - q d^2/dt^2) by three points each.
  const double of_p[] = {-p / (step * step), 1 + 2 * p / (step * step),
                         -p / (step * step)},
               of_q[] = {-q / (step * step), 1 + 2 * q / (step * step),
                         -q / (step * step)};
  double by_differences = 0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      const Vec3 d = r + (i - 1) * step * t_p + (j - 1) * step * t_q;
      by_differences += of_p[i] * of_q[j] * view.at<0>(dot(d, d)).d[0];
    }
  const double axes = view.at<0>(dot(r, r)).d[0],
               by_formula = bent(view.at<4>(dot(r, r)), r, t_p, t_q, p, q);
  EXPECT_GT(std::fabs(by_formula - axes), 0.01 * axes);
  EXPECT_NEAR(by_formula, by_differences, 1e-3 * std::fabs(by_formula - axes));
}

TEST(SplitKernel, RefusesANearRadiusTooLongForTheWave) {
  EXPECT_THROW(SplitKernel(2 * pi, 2, 10), Error);
}

}  // namespace
}  // namespace thinwire
