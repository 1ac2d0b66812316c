#include "kernels/matrix/symv.h"

#include <cmath>
#include <random>

#include <gtest/gtest.h>
#include <omp.h>

#include "kernels/base/constants.h"
#include "kernels/base/sincos.h"
#include "kernels/fields/far_field.h"

namespace thinwire {
namespace {

struct System {
  PackedTiles layout;
  std::vector<Complex> z, x;
};

System random_system(std::size_t n) {
  std::mt19937 random(static_cast<unsigned>(n));
  std::uniform_real_distribution<double> uniform(-1, 1);
  System s{{n}, {}, {}};
  s.z.assign(s.layout.entries(), Complex{});
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      const Complex value(uniform(random), uniform(random));
      s.z[PackedTiles::offset(i, j)] = value;
      if (i / 64 == j / 64)
        s.z[PackedTiles::tile_offset(i / 64, i / 64) + j % 64 * 64 + i % 64] = value;
    }
  for (std::size_t i = 0; i < n; ++i) s.x.emplace_back(uniform(random), uniform(random));
  return s;
}

TEST(Symv, IsTheDenseProduct) {
  for (const std::size_t n : {1, 31, 33, 63, 64, 65, 257, 1000}) {
    const System s = random_system(n);
    std::vector<Complex> y(n, Complex(NAN, NAN));
    symv(s.layout, s.z, s.x, y);
    double error = 0, size = 0;
    for (std::size_t i = 0; i < n; ++i) {
      std::complex<long double> sum = 0;
      for (std::size_t j = 0; j < n; ++j)
        sum += std::complex<long double>(s.z[PackedTiles::offset(i, j)]) *
               std::complex<long double>(s.x[j]);
      error += std::norm(y[i] - Complex(sum));
      size += std::norm(Complex(sum));
    }
    EXPECT_LT(std::sqrt(error / size), 4e-16 * std::sqrt(static_cast<double>(n) + 10))
        << n;
  }
}

TEST(Symv, HasTheSameBitsOnAnyNumberOfThreads) {
  const System s = random_system(700);
  std::vector<Complex> first(700), other(700);
  const int threads = omp_get_max_threads();
  omp_set_num_threads(1);
  symv(s.layout, s.z, s.x, first);
  for (const int count : {2, 3, 5}) {
    omp_set_num_threads(count);
    symv(s.layout, s.z, s.x, other);
    EXPECT_EQ(first, other);
  }
  omp_set_num_threads(threads);
}

TEST(SincosSimd, IsAccurateOverItsRange) {
  std::mt19937 random(3);
  for (const double range : {1.0, 10.0, 1e3, 1e5}) {
    std::uniform_real_distribution<double> uniform(-range, range);
    for (int i = 0; i < 20000; ++i) {
      const double x = uniform(random);
      double s, c;
      sincos_simd(x, s, c);
      EXPECT_NEAR(s, std::sin(static_cast<long double>(x)), 4e-16) << x;
      EXPECT_NEAR(c, std::cos(static_cast<long double>(x)), 4e-16) << x;
    }
  }
}

/// A sinusoidal half-wave filament: E_theta = j 60 cos((pi/2) cos theta) / sin theta for
/// 1 A (Balanis 2016, eq. 4-84), and J0(ka sin theta) times that on a tube.
TEST(FarField, IsThatOfTheHalfWaveDipole) {
  const double k = 2 * pi, a = 0.02;
  const std::vector<Element> elements = {{{0, 0, -0.25}, {0, 0, 1}, 0.25, a},
                                         {{0, 0, 0}, {0, 0, 1}, 0.25, a}};
  const std::vector<Complex> ends = {0, 1, 1, 0};
  std::vector<Direction> directions;
  for (int t = 1; t < 18; ++t) directions.push_back({t * pi / 18, 0.3 * t});
  for (const GreensKernel kernel : {GreensKernel::reduced, GreensKernel::exact}) {
    std::vector<Complex> theta(directions.size()), phi(directions.size());
    far_field(current_moments(elements, ends, k, kernel, Medium::free_space()),
              directions, k, theta, phi);
    for (std::size_t d = 0; d < directions.size(); ++d) {
      const double st = std::sin(directions[d].theta), ct = std::cos(directions[d].theta);
      const double ring =
          kernel == GreensKernel::exact ? std::cyl_bessel_j(0, k * a * st) : 1.0;
      const Complex right(0, ring * eta0_ohm / (2 * pi) * std::cos(pi / 2 * ct) / st);
      EXPECT_LT(std::abs(theta[d] - right), 1e-7 * eta0_ohm / (2 * pi));
      EXPECT_LT(std::abs(phi[d]), 1e-12);
    }
  }
}

}  // namespace
}  // namespace thinwire
