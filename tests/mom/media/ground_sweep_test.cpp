#include "mom/media/ground_sweep.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "kernels/fill/fill.h"
#include "mom/media/real_ground.h"

namespace thinwire {
namespace {

constexpr auto exact = GreensKernel::exact;

/// A monopole on the ground beside a low wire, wavelength 1 m at k = 2 pi.
Discretization low_antennas() {
  Structure structure;
  structure.add_wire(1, 5, {0, 0, 0}, {0, 0, 0.2}, 1e-3);
  structure.add_wire(2, 5, {0.3, 0, 0.01}, {0.3, 0.2, 0.05}, 1e-3);
  MeshOptions mesh;
  mesh.graded = false;
  mesh.ground_contact = true;
  return Discretization(structure, mesh);
}

double largest_difference(const std::vector<Complex>& a, const std::vector<Complex>& b) {
  double difference = 0, largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference = std::max(difference, std::abs(a[i] - b[i]));
    largest = std::max(largest, std::abs(b[i]));
  }
  return difference / largest;
}

TEST(GroundSweep, InterpolatesTheGroundsPartOfZ) {
  const Discretization antenna = low_antennas();
  const auto elements = antenna.elements();
  const auto basis = antenna.basis().functions();
  const Ground soil = Ground::sommerfeld(13, 0.005);
  const WavenumberRange octave = {pi, 2 * pi, 100};
  const auto sweep = GroundSweep::make(antenna, soil, octave, exact, 1 << 26);
  ASSERT_TRUE(sweep);
  EXPECT_LE(sweep->nodes(), 17u);
  for (const double k : {3.15, 4.4, 5.02, 2 * pi}) {
    std::vector<Complex> got(PackedTiles{antenna.unknowns()}.entries()), want(got);
    sweep->add_to(got, k);
    const RealGround ground(elements, soil, k, exact);
    FillInput input = {
        elements,     basis,         k, exact, Medium::free_space(), nullptr,
        &ground.at(), &ground.near()};
    input.ground_alone = true;
    fill_impedance(input, want);
    EXPECT_LT(largest_difference(got, want), 2e-6) << k;
  }
}

TEST(GroundSweep, IsLeftOutWhereItDoesNotPay) {
  const Discretization antenna = low_antennas();
  const Ground soil = Ground::sommerfeld(13, 0.005);
  EXPECT_FALSE(GroundSweep::make(antenna, soil, {pi, 2 * pi, 20}, exact, 1 << 26));
  EXPECT_FALSE(GroundSweep::make(antenna, soil, {pi, 2 * pi, 100}, exact, 1000));
  EXPECT_FALSE(GroundSweep::make(antenna, soil, {pi, pi, 100}, exact, 1 << 26));
}

}  // namespace
}  // namespace thinwire
