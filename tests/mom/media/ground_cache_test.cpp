#include "mom/media/ground_cache.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "mom/discretization/discretization.h"

namespace thinwire::ground_cache_test {
namespace {

constexpr auto exact = GreensKernel::exact;
constexpr WavenumberRange octave = {pi, 2 * pi, 5};

/// Two wires above the ground, wavelength 1 m at k = 2 pi.
Discretization two_wires() {
  Structure structure;
  structure.add_wire(1, 5, {0, 0, 0.02}, {0, 0, 0.2}, 1e-3);
  structure.add_wire(2, 5, {0.3, 0, 0.01}, {0.3, 0.4, 0.05}, 1e-3);
  return Discretization(structure, {});
}

TEST(GroundCache, ServesAllWaveNumbersByOneTableWherePermittivityStays) {
  const Discretization antenna = two_wires();
  for (const Ground& ground : {Ground::sommerfeld(80, 0), Ground::sommerfeld(13, -2)}) {
    GroundCache kept(antenna.elements(), octave, exact);
    const GroundTable* table = &kept.at(ground, octave.first).table();
    for (const double k : {4.1, 5.3, octave.last, 3.3}) {
      const RealGround& shared = kept.at(ground, k);
      EXPECT_EQ(&shared.table(), table);
      EXPECT_EQ(shared.at().k_rad_per_m, k);
      const RealGround own(antenna.elements(), ground, k, exact);
      double largest = 0, worst = 0;
      const auto &got = shared.near().matrices(), &want = own.near().matrices();
      ASSERT_EQ(got.size(), want.size());
      for (std::size_t n = 0; n < want.size(); ++n)
        for (int i = 0; i < 2; ++i)
          for (int j = 0; j < 2; ++j) {
            largest = std::max(largest, abs(want[n].z[i][j]));
            worst = std::max(worst, abs(got[n].z[i][j] - want[n].z[i][j]));
          }
      // Both tables are good to 1e-7.
      EXPECT_LT(worst, 2e-7 * largest) << k;
      for (const Element& p : antenna.elements())
        for (const Element& q : antenna.elements()) {
          const Vec3 d = centre_of(p) - centre_of(q);
          const double rho = k * std::hypot(d.x, d.y),
                       zeta = k * (centre_of(p).z + centre_of(q).z);
          const ReflectedKernels a = shared.at().table.at(rho, zeta),
                                 b = own.at().table.at(rho, zeta);
          EXPECT_LT(std::max({abs(a.h - b.h), abs(a.phi - b.phi), abs(a.zz - b.zz),
                              abs(a.q - b.q)}),
                    2e-7 / std::hypot(rho, zeta));
        }
    }
  }
}

TEST(GroundCache, MakesAnotherTableWherePermittivityChanges) {
  const Discretization antenna = two_wires();
  const Ground soil = Ground::sommerfeld(13, 0.005), wet = Ground::sommerfeld(20, 0.02);
  GroundCache kept(antenna.elements(), octave, exact);
  EXPECT_EQ(kept.at(soil, 4).table().eps(), soil.permittivity(4));
  EXPECT_EQ(kept.at(soil, 5).table().eps(), soil.permittivity(5));
  EXPECT_EQ(kept.at(wet, 5).table().eps(), wet.permittivity(5));
  const Ground dry = Ground::sommerfeld(3, 0);
  EXPECT_EQ(kept.at(dry, 5).table().eps(), dry.permittivity(5));
}

TEST(GroundCache, KeepsAllOfOneFill) {
  const Discretization antenna = two_wires();
  const Ground soil = Ground::sommerfeld(13, 0.005);
  GroundCache kept(antenna.elements(), octave, exact);
  const ElementMatrix* matrices = kept.at(soil, 4).near().matrices().data();
  EXPECT_EQ(kept.at(soil, 4).near().matrices().data(), matrices);
}

// Far away the distances of many wave numbers cover what none of them needs.
TEST(GroundCache, SharesNoTableThatReachesFar) {
  Structure structure;
  structure.add_wire(1, 5, {0, 0, 30}, {0, 0.3, 30}, 1e-3);
  const Discretization antenna(structure, {});
  GroundCache kept(antenna.elements(), octave, exact);
  const Ground ground = Ground::sommerfeld(80, 0);
  (void)kept.at(ground, octave.first);
  const std::size_t one = kept.at(ground, octave.last).table().bytes();
  EXPECT_EQ(RealGround(antenna.elements(), ground, octave.last, exact).table().bytes(),
            one);
}

}  // namespace
}  // namespace thinwire::ground_cache_test
