#include "mom/excitation/circuit.h"

#include <cmath>

#include <gtest/gtest.h>

#include "kernels/base/constants.h"
#include "kernels/base/error.h"

namespace thinwire::circuit_test {
namespace {

using Drive = Circuit::Drive;

/// A reciprocal two-port antenna, siemens, row-major.
const std::vector<Complex> antenna = {
    {9e-3, -4e-3}, {-2e-3, 1e-3}, {-2e-3, 1e-3}, {6e-3, 5e-3}};
constexpr double k = 2 * pi;  // a wavelength of 1 m

Network line(double impedance_ohm, double length_m, bool crossed = false) {
  Network network;
  network.impedance_ohm = impedance_ohm;
  network.length_m = length_m;
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
  EXPECT_NEAR(circuit.loss_w(state.voltage_v), flows_in, 1e-13 * std::abs(flows_in));
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
  try {
    circuit.solve(drives, {});
    FAIL() << "two voltages on one node were taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::numeric);
    EXPECT_NE(std::string(error.what()).find("contradict each other"), std::string::npos);
  }
}

}  // namespace
}  // namespace thinwire::circuit_test
