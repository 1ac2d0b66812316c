// The fill over real ground against its element matrices one by one.
#include <gtest/gtest.h>

#include <algorithm>

#include "kernels/element/near_pair.h"
#include "kernels/fill/fill.h"
#include "tests/kernels/fill/ground_cases.h"

namespace thinwire {
namespace {

using namespace testing;

std::vector<Complex> filled(const GroundCase& c, const GroundAt* ground,
                            const NearGroundPairs* near_ground) {
  std::vector<Complex> z(PackedTiles{c.mesh.basis.size()}.entries());
  const double k = c.at.k_rad_per_m;
  NearPairTable near(c.mesh.elements, {k, k, 1}, c.kernel, Medium::free_space());
  near.set_wavenumber(k);
  fill_impedance({c.mesh.elements, c.mesh.basis, k, c.kernel, Medium::free_space(), &near,
                  ground, near_ground},
                 z);
  return z;
}

/// All that the ground reflects between two elements, by the integrals that follow the
/// distance, whatever it is.
ElementMatrix reflected(const GroundCase& c, std::uint32_t p, std::uint32_t q) {
  return near_reflection(c.mesh.elements[p], c.mesh.elements[q], c.at, c.kernel);
}

TEST(FillOverGround, IsTheSumOfElementMatrices) {
  for (const auto& c : ground_cases()) {
    const auto over = filled(*c, &c->at, &c->near), free = filled(*c, nullptr, nullptr);
    const auto& basis = c->mesh.basis;
    double largest = 0, worst = 0;
    // Every seventh entry, those beside the diagonal among them.
    for (std::size_t m = 0; m < basis.size(); ++m)
      for (std::size_t n = m % 7; n <= m; n += 7) {
        Complex want = 0;
        for (int s = 0; s < 2; ++s)
          for (int t = 0; t < 2; ++t) {
            const BasisFunction &f = basis[m], &g = basis[n];
            if (f.sign[s] == 0 || g.sign[t] == 0) continue;
            const HdComplex z =
                reflected(*c, f.element[s], g.element[t]).z[f.end[s]][g.end[t]];
            want += static_cast<double>(f.sign[s] * g.sign[t]) * Complex(z);
          }
        const std::size_t at = PackedTiles::offset(m, n);
        largest = std::max(largest, std::abs(want));
        worst = std::max(worst, std::abs(over[at] - free[at] - want));
      }
    EXPECT_LT(worst, 1e-6 * largest) << c->name;
    EXPECT_GT(worst, 0) << c->name;
  }
}

// Pairs near each other's image may be integrated before or where they are met.
TEST(FillOverGround, TakesNearPairsFromTheTableOrNot) {
  const auto cases = ground_cases();
  const GroundCase& c = *cases.front();
  ASSERT_GT(c.near.pairs().second.size(), 0u);
  const auto from_table = filled(c, &c.at, &c.near), met = filled(c, &c.at, nullptr);
  double largest = 0, worst = 0;
  for (std::size_t i = 0; i < met.size(); ++i) {
    largest = std::max(largest, std::abs(met[i]));
    worst = std::max(worst, std::abs(met[i] - from_table[i]));
  }
  EXPECT_LT(worst, 1e-11 * largest);
}

TEST(NearGroundPairs, IntegratesPairsThatLieAlikeOnce) {
  const GroundCase c("", flat_array(3, 3, 11, 0.02), GreensKernel::exact, {13, -0.3});
  // An element with itself and with its neighbour, forward and backward.
  EXPECT_LE(c.near.matrices().size(), 4u);
  EXPECT_GE(c.near.pairs().second.size(), 9u * 21u);
}

}  // namespace
}  // namespace thinwire
