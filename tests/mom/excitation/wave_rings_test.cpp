#include "mom/excitation/wave_rings.h"

#include <cmath>

#include <gtest/gtest.h>

#include "cg/vector_ops.h"
#include "tests/mom/wire_antennas.h"

namespace thinwire {
namespace {

constexpr double k_rad_per_m = 2 * pi;

IncidentWaves rings(std::int64_t theta_count, std::int64_t phi_count) {
  IncidentWaves waves;
  waves.theta_count = theta_count;
  waves.phi_count = phi_count;
  waves.first.theta_deg = 15;
  waves.first.phi_deg = 7;
  waves.first.eta_deg = 25;
  waves.theta_step_deg = 35;
  waves.phi_step_deg = 2.5;
  return waves;
}

/// Two dipoles far from the origin: one is tilted, the other horizontal.
Structure dipoles(double z_m) {
  Structure structure;
  structure.add_wire(1, 11, {7, -4, z_m}, {7.3, -4.1, z_m + 0.4}, 0.001);
  structure.add_wire(2, 11, {7.6, -3.2, z_m + 0.2}, {8, -3, z_m + 0.2}, 0.001);
  return structure;
}

struct Rings {
  Structure structure;
  IncidentWaves waves;
  Discretization where{structure, {}};
  IncidentField field;
  WaveRings rings;

  Rings(const Structure& wires, const IncidentWaves& grid, Ground ground = Ground::none,
        std::size_t max_samples = 512)
      : structure(wires),
        waves(grid),
        field(where, k_rad_per_m, GreensKernel::exact, ground),
        rings(field, waves, where, k_rad_per_m, max_samples) {}

  std::vector<Complex> samples(std::size_t ring) const {
    std::vector<Complex> v;
    for (std::size_t i = 0; i < rings.sample_count(); ++i) {
      const auto [from, e_theta, e_phi] = rings.sample(ring, i);
      const std::vector<Complex> one = field.excitation(from, e_theta, e_phi);
      v.insert(v.end(), one.begin(), one.end());
    }
    return v;
  }

  /// Returns the right-hand side of a wave by interpolation.
  std::vector<Complex> interpolated(std::size_t ring, std::size_t p,
                                    std::span<const Complex> sampled) const {
    const auto weights = rings.weights(p, 1);
    std::vector<Complex> v(where.unknowns());
    for (std::size_t i = 0; i < weights.size(); ++i)
      for (std::size_t f = 0; f < v.size(); ++f)
        v[f] += weights[i] * sampled[i * v.size() + f];
    for (Complex& entry : v) entry *= rings.phase_factor(ring, p);
    return v;
  }

  std::vector<double> residual_bounds(std::size_t ring, std::span<const Complex> sampled,
                                      double missed, double residual) const {
    const std::vector<double> all_missed(rings.sample_count(), missed),
        residuals(rings.sample_count(), residual);
    return rings.residual_bounds(ring, sampled, {all_missed, residuals});
  }
};

/// Returns the largest error of a ring's interpolated right-hand sides, relative to the
/// largest of them.
double error(const Rings& of, std::size_t ring) {
  const std::vector<Complex> sampled = of.samples(ring);
  double worst = 0, largest = 0;
  for (std::size_t p = 0; p < static_cast<std::size_t>(of.waves.phi_count); ++p) {
    const std::vector<Complex> v = of.interpolated(ring, p, sampled),
                               exact = of.field.excitation(of.waves.at(
                                   ring +
                                   static_cast<std::size_t>(of.waves.theta_count) * p));
    std::vector<Complex> difference;
    for (std::size_t f = 0; f < v.size(); ++f) difference.push_back(v[f] - exact[f]);
    worst = std::max(worst, norm2(difference));
    largest = std::max(largest, norm2(exact));
  }
  return worst / largest;
}

TEST(WaveRings, InterpolateRightHandSides) {
  for (const double z_m : {0.3, -1.5})
    for (const Ground ground :
         {Ground::none, Ground::perfect, Ground::sommerfeld(13, 0.005)}) {
      if (z_m < 0 && ground == Ground::perfect) continue;
      for (const auto kind :
           {IncidentWave::Kind::linear, IncidentWave::Kind::left_elliptic}) {
        IncidentWaves waves = rings(3, 150);
        waves.first.kind = kind;
        waves.first.axial_ratio = 0.4;
        const Rings of(dipoles(z_m), waves, ground);
        ASSERT_GT(of.rings.sample_count(), 0u);
        EXPECT_LT(of.rings.sample_count(), 70u);
        for (std::size_t ring = 0; ring < 3; ++ring)
          EXPECT_LT(error(of, ring), 1e-12) << z_m << ' ' << ring;
      }
    }
}

TEST(WaveRings, SampleWideStructuresInProportionToTheirWidth) {
  std::size_t before = 0;
  for (const double width_m : {1.0, 4.0, 16.0}) {
    Structure structure;
    structure.add_wire(1, 9, {0, 0, 0}, {0.1, 0, 0.4}, 0.001);
    structure.add_wire(2, 9, {width_m, 0, 0}, {width_m, 0.2, 0.3}, 0.001);
    const Rings of(structure, rings(2, 720));
    // 2 k rho, and some.
    const double most = 2 * pi * width_m;
    EXPECT_GT(static_cast<double>(of.rings.sample_count()), most);
    EXPECT_LT(static_cast<double>(of.rings.sample_count()), most + 100);
    EXPECT_GT(of.rings.sample_count(), before);
    before = of.rings.sample_count();
    EXPECT_LT(error(of, 1), 1e-12) << width_m;
  }
}

TEST(WaveRings, AreNotInterpolatedWhereSamplesAreNotFewer) {
  EXPECT_EQ(Rings(dipoles(0), rings(10, 30)).rings.sample_count(), 0u);
  EXPECT_EQ(Rings(dipoles(0), rings(3, 150), Ground::none, 20).rings.sample_count(), 0u);
}

TEST(WaveRings, BoundResidualsByThoseOfSamples) {
  const Rings of(dipoles(0), rings(2, 144));
  const std::vector<Complex> sampled = of.samples(0);
  const std::vector<double> bounds = of.residual_bounds(0, sampled, 1e-13, 1e-8);
  for (const double bound : bounds) {
    EXPECT_GT(bound, 0.9e-8);
    EXPECT_LT(bound, 1e-6);
  }
}

TEST(WaveRings, LeaveOutWavesThatAreWeakBesideOthersOfTheirRing) {
  // A wire along x receives nothing of E_phi from phi = 0.
  Structure structure;
  structure.add_wire(1, 11, {-0.2, 0, 0}, {0.2, 0, 0}, 0.001);
  IncidentWaves waves = rings(1, 180);
  waves.first.phi_deg = 0;
  waves.first.eta_deg = 90;
  waves.phi_step_deg = 2;
  const Rings of(structure, waves);
  const std::vector<double> bounds = of.residual_bounds(0, of.samples(0), 1e-13, 1e-13);
  EXPECT_TRUE(std::isinf(bounds[0]));
  EXPECT_TRUE(std::isinf(bounds[90]));
  EXPECT_LT(bounds[45], 1e-12);
}

}  // namespace
}  // namespace thinwire
