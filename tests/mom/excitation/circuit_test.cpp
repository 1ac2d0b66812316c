#include "mom/excitation/circuit.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include "kernels/base/constants.h"
#include "kernels/base/error.h"
#include "tests/messages.h"

namespace thinwire::circuit_test {
namespace {

using Drive = Circuit::Drive;

/// A reciprocal two-port antenna, siemens, row-major.
const std::vector<Complex> antenna = {
    {9e-3, -4e-3}, {-2e-3, 1e-3}, {-2e-3, 1e-3}, {6e-3, 5e-3}};
constexpr double k = 2 * pi;  // a wavelength of 1 m

Network line(double impedance_ohm, double length_m, bool crossed = false) {
  Network network = {.impedance_ohm = impedance_ohm, .length_m = length_m};
  network.crossed = crossed;
  return network;
}

Network two_port(Complex y11, Complex y12, Complex y22) {
  Network network;
  network.kind = Network::Kind::admittance;
  network.y11_s = y11;
  network.y12_s = y12;
  network.y22_s = y22;
  return network;
}

LadderBranch branch(LadderBranch::Place place, Load::Kind kind,
                    std::array<double, 3> value) {
  LadderBranch made;
  made.place = place;
  made.part.kind = kind;
  std::copy(value.begin(), value.end(), made.part.value);
  return made;
}
LadderBranch series(Complex z) {
  return branch(LadderBranch::Place::series, Load::Kind::impedance,
                {z.real(), z.imag(), 0});
}
LadderBranch shunt(Complex z) {
  return branch(LadderBranch::Place::shunt, Load::Kind::impedance,
                {z.real(), z.imag(), 0});
}
LadderBranch turns(double ratio) {
  return branch(LadderBranch::Place::transformer, Load::Kind::impedance, {ratio, 0, 0});
}

Network ladder(std::vector<LadderBranch> branches) {
  Network network;
  network.kind = Network::Kind::ladder;
  network.branches = std::move(branches);
  return network;
}

/// Returns the current of a volt at port 0 of the antenna, with networks between ports 0
/// and 1, or on the ports that are given.
Complex drawn(const std::vector<Network>& networks,
              std::vector<std::array<std::size_t, 2>> ends = {}) {
  ends.resize(networks.size(), {0, 1});
  const Circuit circuit(2, antenna, networks, ends, k);
  const std::vector<Drive> drives = {{Drive::Kind::voltage, 1}, {}};
  const Circuit::State state = circuit.solve(drives, {});
  return antenna[0] * state.voltage_v[0] + antenna[1] * state.voltage_v[1] +
         state.network_current_a[0];
}

/// Returns the current with an admittance matrix added to the antenna's.
Complex drawn_with(Complex y11, Complex y12, Complex y22) {
  const Complex a = antenna[0] + y11, b = antenna[1] + y12, d = antenna[3] + y22;
  return a - b * b / d;
}

double error(Complex got, Complex right) {
  return std::abs(got - right) / std::abs(right);
}

TEST(Circuit, LineOfAnyLengthIsItsAdmittanceMatrix) {
  for (const double kl : {1e-6, 0.1, 1.0, 1.5707963, 2.9, 3.3, 6.0, 9.0, 31.0})
    for (const bool crossed : {false, true}) {
      const double turn = crossed ? -1 : 1;
      const Complex y11(0, -1 / (75 * std::tan(kl)));
      const Complex y12(0, turn / (75 * std::sin(kl)));
      EXPECT_LT(error(drawn({line(75, kl / k, crossed)}), drawn_with(y11, y12, y11)),
                1e-11 + 1e-15 / std::abs(std::sin(kl)))
          << kl << crossed;
    }
}

TEST(Circuit, LinesOfHalfWavesJoinTheirPorts) {
  for (int halves = 0; halves < 6; ++halves)
    for (const bool crossed : {false, true}) {
      // V2 = +-V1: both ports in parallel.
      const double sign = (halves % 2 == 0) != crossed ? 1 : -1;
      const Complex right = antenna[0] + sign * 2.0 * antenna[1] + antenna[3];
      EXPECT_LT(error(drawn({line(300, 0.5 * halves, crossed)}), right), 1e-12);
      // A nearby length differs by no more than it must.
      EXPECT_LT(error(drawn({line(300, 0.5 * halves + 1e-12, crossed)}), right), 1e-10);
    }
}

TEST(Circuit, ParallelHalfWaveLinesShareTheCurrent) {
  // Both are one connection: what circles between them is undetermined and has no effect.
  EXPECT_LT(error(drawn({line(50, 0.5), line(200, 0.5)}), drawn({line(50, 0.5)})), 1e-12);
  EXPECT_LT(error(drawn({line(50, 0), line(50, 0)}), drawn({line(50, 0)})), 1e-12);
}

TEST(Circuit, BothEndsOnOneSegment) {
  // A loop of line has the admittance 2 (Y11 + Y12) = 2j tan(kl/2) / Z0.
  const double kl = 0.7;
  const Complex loop(0, 2 * std::tan(0.5 * kl) / 50);
  EXPECT_LT(error(drawn({line(50, kl / k)}, {{1, 1}}), drawn_with(0, 0, loop)), 1e-12);
  // A line of length zero has no effect; crossed, it is a short.
  EXPECT_LT(error(drawn({line(50, 0)}, {{1, 1}}), drawn_with(0, 0, 0)), 1e-12);
  EXPECT_LT(error(drawn({line(50, 0, true)}, {{1, 1}}), antenna[0]), 1e-12);
}

TEST(Circuit, HugeShuntsShortWithoutLossOfDigits) {
  // A stub: 1e10 S at its far end, which is a pin of its own (port 2, no antenna there).
  std::vector<Complex> y(9);
  y[0] = antenna[0], y[1] = y[3] = antenna[1], y[4] = antenna[3];
  Network stub = line(60, 0.11);
  stub.y22_s = 1e10;
  const std::vector<Network> networks = {stub};
  const Circuit circuit(3, y, networks, {{1, 2}}, k);
  const std::vector<Drive> drives = {{Drive::Kind::voltage, 1}, {}, {}};
  const Circuit::State state = circuit.solve(drives, {});
  const Complex shorted(0, -1 / (60 * std::tan(k * 0.11)));
  const Complex right = drawn_with(0, 0, shorted);
  const Complex got = y[0] * state.voltage_v[0] + y[1] * state.voltage_v[1];
  EXPECT_LT(error(got, right), 1e-10);
  // The current into the short keeps its digits though its voltage is 1e-10 of the
  // others.
  const Complex into_stub = shorted * state.voltage_v[1],
                into_short = 1e10 * state.voltage_v[2];
  EXPECT_LT(error(into_short, into_stub / std::cos(k * 0.11)), 1e-9);
}

TEST(Circuit, TwoPortsAddTheirAdmittances) {
  const Complex y11(1e-3, 2e-3), y12(-3e-3, 1e-4), y22(4e-3, -5e-3);
  EXPECT_LT(error(drawn({two_port(y11, y12, y22)}), drawn_with(y11, y12, y22)), 1e-13);
  EXPECT_LT(error(drawn({two_port(0, 0, 0)}), drawn_with(0, 0, 0)), 1e-13);
}

TEST(Circuit, LossIsWhatTheShuntsTake) {
  Network lossy = line(50, 0.2);
  lossy.y11_s = {2e-3, 1e-2};
  lossy.y22_s = {5e-4, -1e-3};
  const std::vector<Network> networks = {lossy,
                                         two_port({1e-3, 0}, {4e-4, 1e-3}, {2e-3, 1e-3})};
  const Circuit circuit(2, antenna, networks, {{0, 1}, {0, 1}}, k);
  const std::vector<Drive> drives = {{Drive::Kind::current, {0.1, 0.2}}, {}};
  const Circuit::State state = circuit.solve(drives, {});
  double flows_in = 0;
  for (std::size_t p = 0; p < 2; ++p)
    flows_in += 0.5 * (state.voltage_v[p] * std::conj(state.network_current_a[p])).real();
  EXPECT_NEAR(circuit.loss_w(state), flows_in, 1e-13 * std::abs(flows_in));
}

/// The power that flows into networks is their loss.
void expect_loss(const Network& network) {
  const std::vector<Network> networks = {network};
  const Circuit circuit(2, antenna, networks, {{0, 1}}, k);
  const std::vector<Drive> drives = {{Drive::Kind::current, {0.1, 0.2}}, {}};
  const Circuit::State state = circuit.solve(drives, {});
  double flows_in = 0;
  for (std::size_t p = 0; p < 2; ++p)
    flows_in += 0.5 * (state.voltage_v[p] * std::conj(state.network_current_a[p])).real();
  EXPECT_GT(flows_in, 0);
  EXPECT_NEAR(circuit.loss_w(state), flows_in, 1e-13 * flows_in);
}

/// Pozar 2012, equations 2.5 to 2.7, from R, L, G and C a metre.
TEST(Circuit, LossyLineIsTheTelegraphersSolution) {
  const double f = speed_of_light_m_per_s, w = 2 * pi * f, z0 = 50,
               v = speed_of_light_m_per_s;
  for (const double r : {0.1, 3.0, 200.0})
    for (const double g : {0.0, 2e-4, 0.2})
      for (const double length : {0.001, 0.25, 0.5, 2.3}) {
        Network lossy = line(z0, length);
        lossy.loss_np_per_m[0] = r / (2 * z0) / std::sqrt(f * 1e-6);
        lossy.loss_np_per_m[1] = g * z0 / 2 / (f * 1e-6);
        const Complex of_r(r, w * z0 / v), of_g(g, w / (z0 * v)),
            gamma = std::sqrt(of_r * of_g), z = std::sqrt(of_r / of_g),
            y11 = 1.0 / (z * std::tanh(gamma * length)),
            y12 = -1.0 / (z * std::sinh(gamma * length));
        EXPECT_LT(error(drawn({lossy}), drawn_with(y11, y12, y11)), 1e-10) << r << g;
        expect_loss(lossy);
      }
  // Where nothing comes back, a line is its impedance at either end.
  Network endless = line(z0, 1e6);
  endless.loss_np_per_m[0] = 1e-3;
  const Complex p(2e-3 * std::sqrt(f * 1e-6), k),
      y = 1.0 / (z0 * std::sqrt(p / Complex(0, k)));
  EXPECT_LT(error(drawn({endless}), drawn_with(y, 0, y)), 1e-12);
}

TEST(Circuit, TransformerIsItsRatioOfTurns) {
  for (const double n : {1.0, 7.0, 0.3, -2.0})
    EXPECT_LT(error(drawn({ladder({turns(n)})}),
                    antenna[0] + 2 * n * antenna[1] + n * n * antenna[3]),
              1e-12)
        << n;
}

TEST(Circuit, LaddersAreTheirAdmittanceMatrices) {
  const Complex a(3, 40), b(1, -90), c(0, 25);
  const Complex ya = 1.0 / a, yb = 1.0 / b, yc = 1.0 / c;
  // L: in series at end 1, across end 2.
  EXPECT_LT(error(drawn({ladder({series(a), shunt(b)})}), drawn_with(ya, -ya, ya + yb)),
            1e-12);
  EXPECT_LT(error(drawn({ladder({shunt(a), series(b), shunt(c)})}),
                  drawn_with(ya + yb, -yb, yc + yb)),
            1e-12);
  const Complex det = a * b + b * c + c * a;
  EXPECT_LT(error(drawn({ladder({series(a), shunt(b), series(c)})}),
                  drawn_with((b + c) / det, -b / det, (a + b) / det)),
            1e-12);
  EXPECT_LT(
      error(drawn({ladder({series(a), turns(3)})}), drawn_with(ya, -ya / 3.0, ya / 9.0)),
      1e-12);
  expect_loss(ladder({series(a), shunt(b), series(c)}));
  expect_loss(ladder({shunt(b), turns(0.5)}));
}

TEST(Circuit, LosslessNetworksLoseNothing) {
  const Network network =
      ladder({series({0, 40}), shunt({0, -90}), turns(3), series({0, 70})});
  const Circuit circuit(2, antenna, std::vector{network}, {{0, 1}}, k);
  const std::vector<Drive> drives = {{Drive::Kind::voltage, {0.3, 0.7}}, {}};
  EXPECT_EQ(circuit.loss_w(circuit.solve(drives, {})), 0);
}

TEST(Circuit, TrapsInLaddersResonate) {
  const double w = k * speed_of_light_m_per_s, l = 1e-9;
  const auto trap = [&](LadderBranch::Place place, double farad) {
    return ladder({branch(place, Load::Kind::parallel_rlc, {0, l, farad})});
  };
  const double at_resonance = 1 / (w * w * l);
  // Open in series, absent as a shunt (behind which end 2 is the same as end 1).
  EXPECT_LT(error(drawn({trap(LadderBranch::Place::series, at_resonance)}),
                  drawn_with(0, 0, 0)),
            1e-7);
  EXPECT_LT(error(drawn({trap(LadderBranch::Place::shunt, at_resonance)}),
                  drawn({ladder({turns(1)})})),
            1e-7);
  const Complex y(0, w * 2 * at_resonance - 1 / (w * l));
  EXPECT_LT(error(drawn({trap(LadderBranch::Place::series, 2 * at_resonance)}),
                  drawn_with(y, -y, y)),
            1e-12);
}

TEST(Circuit, CurrentSourceFeedsAntennaAndNetworks) {
  const Circuit circuit(2, antenna, {}, {}, k);
  const std::vector<Drive> drives = {{Drive::Kind::current, {1, 2}}, {}};
  const Circuit::State state = circuit.solve(drives, {});
  const Complex seen = antenna[0] - antenna[1] * antenna[1] / antenna[3];
  EXPECT_LT(error(state.voltage_v[0], Complex(1, 2) / seen), 1e-13);
}

TEST(Circuit, ReceivedCurrentsDriveOpenPorts) {
  const Circuit circuit(2, antenna, {}, {}, k);
  const std::vector<Complex> received = {{1e-3, 2e-3}, {-3e-3, 0}};
  const Circuit::State state = circuit.solve(std::vector<Drive>(2), received);
  for (std::size_t p = 0; p < 2; ++p)
    EXPECT_LT(std::abs(antenna[2 * p] * state.voltage_v[0] +
                       antenna[2 * p + 1] * state.voltage_v[1] + received[p]),
              1e-17);
}

TEST(Circuit, ContradictionsAreToldAsSuch) {
  const std::vector<Network> networks = {line(50, 0)};
  const Circuit circuit(2, antenna, networks, {{0, 1}}, k);
  const std::vector<Drive> drives = {{Drive::Kind::voltage, 1},
                                     {Drive::Kind::voltage, 2}};
  EXPECT_TRUE(contains(
      test::error_message(ErrorKind::numeric, [&] { circuit.solve(drives, {}); }),
      "contradict each other"));
}

}  // namespace
}  // namespace thinwire::circuit_test
