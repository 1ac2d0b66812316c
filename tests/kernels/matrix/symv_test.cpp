#include "kernels/matrix/symv.h"

#include <algorithm>
#include <cmath>
#include <random>

#include <gtest/gtest.h>
#include <omp.h>

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

/// Sides that share the tiles are those of one at a time, bit for bit.
TEST(Symv, SeveralSidesAreEachAlone) {
  const System s = random_system(200);
  const std::size_t n = s.layout.n, rhs_count = 3;
  std::vector<Complex> x;
  for (std::size_t rhs = 0; rhs < rhs_count; ++rhs)
    for (const Complex& value : s.x) x.push_back(value * Complex(1.0 + rhs, 2.0 - rhs));
  std::vector<Complex> together(rhs_count * n, Complex(NAN, NAN)), alone(n);
  symv(s.layout, s.z, x, together);
  for (std::size_t rhs = 0; rhs < rhs_count; ++rhs) {
    symv(s.layout, s.z, std::span(x).subspan(rhs * n, n), alone);
    EXPECT_TRUE(std::equal(alone.begin(), alone.end(), together.begin() + rhs * n));
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

/// Tiles numbered first .. last - 1 alone: what shares give adds up to the product.
TEST(Symv, SharesOfTheTilesAddUp) {
  for (const std::size_t n : {1, 65, 257, 1000}) {
    const System s = random_system(n);
    const std::size_t tiles = s.layout.tiles();
    std::vector<Complex> right(n);
    symv(s.layout, s.z, s.x, right);
    // One owner, two of equal parts, three with cuts within rows, one of them with none.
    for (const std::vector<std::size_t>& cuts :
         {std::vector<std::size_t>{0, tiles},
          {0, tiles / 2, tiles},
          {0, tiles / 3, tiles / 3, tiles / 3 + tiles / 2, tiles}}) {
      std::vector<Complex> sum(n);
      for (std::size_t part = 0; part + 1 < cuts.size(); ++part) {
        const TileShare share = {cuts[part], cuts[part + 1]};
        std::vector<Complex> y(n, Complex(NAN, NAN));
        symv(s.layout, share,
             std::span(s.z).subspan(share.first * PackedTiles::tile_entries,
                                    share.entries()),
             s.x, y);
        for (std::size_t i = 0; i < n; ++i) sum[i] += y[i];
      }
      double error = 0, size = 0;
      for (std::size_t i = 0; i < n; ++i) {
        error += std::norm(sum[i] - right[i]);
        size += std::norm(right[i]);
      }
      EXPECT_LE(std::sqrt(error / size), cuts.size() == 2 ? 0 : 1e-15) << n;
    }
  }
}

}  // namespace
}  // namespace thinwire
