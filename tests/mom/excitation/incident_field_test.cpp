#include "mom/excitation/incident_field.h"

#include <cmath>

#include <gtest/gtest.h>

#include "tests/mom/wire_antennas.h"

namespace thinwire {
namespace {

using test::options_for;
using test::volt_on;

/// A network that takes no current: its segment is an open port, whose voltage is told.
Network open_port(std::size_t segment) {
  Network network;
  network.kind = Network::Kind::admittance;
  network.segment[0] = network.segment[1] = segment;
  return network;
}

IncidentWaves waves_from(double theta_deg, double phi_deg, double eta_deg) {
  IncidentWaves waves = {
      .first = {.theta_deg = theta_deg, .phi_deg = phi_deg, .eta_deg = eta_deg}};
  return waves;
}

/// Bent wires, fed on segment 4: above z = 0, or lower.
Problem bent_antenna(Ground ground, double down_m = 0) {
  Problem problem;
  problem.structure.add_wire(1, 9, {0, 0, 0.1 - down_m}, {0, 0.05, 0.35 - down_m}, 0.004);
  problem.structure.add_wire(2, 7, {0, 0.05, 0.35 - down_m}, {0.2, 0, 0.3 - down_m},
                             0.002);
  thinwire::Run run;
  run.frequency_hz = {test::one_metre_wave_hz};
  run.ground = ground;
  Load load = {.first = 12, .last = 12, .value = {30}};
  run.loads = {load};
  problem.runs = {run};
  return problem;
}

/// Expects the open-circuit voltage in a wave to be the field that one ampere sends to
/// where the wave comes from, times 4 pi / (j k eta), by reciprocity (Balanis 2016,
/// section 3.8).
void expect_reciprocal(Ground ground, double down_m, MeshChoice mesh) {
  constexpr double k = 2 * pi;
  Problem sending = bent_antenna(ground, down_m);
  sending.runs[0].sources = {volt_on(4)};
  sending.runs[0].sources[0].current_a = 1;
  PatternRequest request = {.theta_count = 4,
                            .phi_count = 3,
                            .theta_start_deg = 5,
                            .theta_step_deg = 27,
                            .phi_step_deg = 100};
  sending.runs[0].patterns = {request};
  const PatternResult sent =
      solve(sending, options_for(mesh)).frequencies.at(0).patterns.at(0);

  Problem receiving = bent_antenna(ground, down_m);
  receiving.runs[0].networks = {open_port(4)};
  for (const double eta_deg : {0.0, 90.0}) {
    IncidentWaves waves = waves_from(5, 0, eta_deg);
    waves.theta_count = 4;
    waves.phi_count = 3;
    waves.theta_step_deg = 27;
    waves.phi_step_deg = 100;
    receiving.runs[0].waves = waves;
    const auto received = solve(receiving, options_for(mesh)).frequencies;
    ASSERT_EQ(received.size(), 12u);
    for (std::size_t i = 0; i < 12; ++i) {
      const std::size_t at = (i % 4) * 3 + i / 4;
      const Complex field = eta_deg == 0 ? sent.e_theta_v[at] : sent.e_phi_v[at];
      const Complex right = field * 4.0 * pi / Complex(0, k * eta0_ohm);
      EXPECT_LT(std::abs(received[i].network_ports.at(0).voltage_v - right),
                1e-9 * std::abs(sent.e_theta_v[0]) / 30)
          << i << ' ' << eta_deg;
    }
  }
}

TEST(IncidentField, ReceivesWhatItTransmits) {
  for (const Ground ground : {Ground::none, Ground::perfect, Ground::sommerfeld(13, 0.05),
                              Ground::mininec(13, 0.05)})
    for (const MeshChoice mesh : {MeshChoice::graded, MeshChoice::as_given})
      expect_reciprocal(ground, 0, mesh);
}

TEST(IncidentField, ReceivesWhatItTransmitsInTheGroundAndThroughItsSurface) {
  for (const double down_m : {0.2, 0.45})
    expect_reciprocal(Ground::sommerfeld(13, 0.05), down_m, MeshChoice::as_given);
}

TEST(IncidentField, ShortDipoleHasHalfItsLengthForHeight) {
  Problem problem = test::dipole(0.005, 1e-5, 11);
  problem.runs[0].sources.clear();
  problem.runs[0].networks = {open_port(5)};
  problem.runs[0].waves = waves_from(90, 40, 0);
  const Complex voltage = solve(problem, options_for(MeshChoice::graded))
                              .frequencies.at(0)
                              .network_ports.at(0)
                              .voltage_v;
  // E = theta^ = -z^, and a source in its place has the opposite sign. A triangle's mean
  // current is half its peak; the gap in the middle adds a little.
  EXPECT_NEAR(voltage.real(), 0.005, 0.06 * 0.005);
  EXPECT_LT(std::abs(voltage.imag()), 0.01 * 0.005);
}

TEST(IncidentField, ScattersWhatItTakesFromTheWave) {
  // Optical theorem: the power taken out of the wave is Re(2 pi j E_forward / (k eta)),
  // and a lossless wire scatters all of it.
  Problem problem = test::dipole(0.235, 0.002, 11);
  problem.runs[0].sources.clear();
  problem.runs[0].waves = waves_from(60, 0, 0);
  PatternRequest forward = {.theta_start_deg = 120, .phi_start_deg = 180};
  PatternRequest sphere = {.theta_count = 181,
                           .phi_count = 5,
                           .theta_step_deg = 1,
                           .phi_step_deg = 90,
                           .average = 2};
  problem.runs[0].patterns = {forward, sphere};
  const FrequencyResult result =
      solve(problem, options_for(MeshChoice::graded)).frequencies.at(0);
  // theta^ there is theta^ of where the wave comes from.
  const Complex field = result.patterns[0].e_theta_v.at(0);
  const double taken_w = (Complex(0, 2 * pi) * field).real() / (2 * pi * eta0_ohm);
  const double scattered_w =
      result.patterns[1].average_gain.value() * result.patterns[1].reference_power_w;
  EXPECT_GT(scattered_w, 0);
  EXPECT_NEAR(scattered_w / taken_w, 1, 2e-4);
}

TEST(IncidentField, EllipticWavesTurnTheRightWay) {
  // From above, eta = 0: E = x^ in phase. Right-hand, seen along its way down: from x to
  // -y, so that Ey leads Ex by 90 degrees.
  Problem problem;
  problem.structure.add_wire(1, 5, {-0.1, 0, 0}, {0.1, 0, 0}, 1e-3);
  problem.structure.add_wire(2, 5, {0, -0.1, 0.01}, {0, 0.1, 0.01}, 1e-3);
  thinwire::Run run;
  run.frequency_hz = {test::one_metre_wave_hz};
  run.networks = {open_port(2), open_port(7)};
  problem.runs = {run};
  for (const IncidentWave::Kind kind :
       {IncidentWave::Kind::right_elliptic, IncidentWave::Kind::left_elliptic}) {
    IncidentWaves waves = waves_from(0, 0, 0);
    waves.first.kind = kind;
    waves.first.axial_ratio = 0.5;
    problem.runs[0].waves = waves;
    const auto ports =
        solve(problem, options_for(MeshChoice::as_given)).frequencies.at(0).network_ports;
    const double turn = kind == IncidentWave::Kind::right_elliptic ? 1 : -1;
    const Complex at_same_height =
        ports.at(1).voltage_v * std::exp(Complex(0, -2 * pi * 0.01));
    EXPECT_LT(std::abs(at_same_height / ports.at(0).voltage_v - Complex(0, 0.5 * turn)),
              1e-6);
  }
}

TEST(IncidentField, WavesAreCountedWithThetaFirst) {
  IncidentWaves waves = waves_from(10, 20, 30);
  waves.theta_count = 3;
  waves.phi_count = 2;
  waves.theta_step_deg = 5;
  waves.phi_step_deg = 7;
  EXPECT_EQ(waves.count(), 6u);
  EXPECT_EQ(waves.at(2).theta_deg, 20);
  EXPECT_EQ(waves.at(2).phi_deg, 20);
  EXPECT_EQ(waves.at(3).theta_deg, 10);
  EXPECT_EQ(waves.at(3).phi_deg, 27);
  EXPECT_EQ(waves.at(3).eta_deg, 30);
}

}  // namespace
}  // namespace thinwire
