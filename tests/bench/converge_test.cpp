#include "bench/converge.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "bench/mesh_costs.h"
#include "io/deck/deck.h"
#include "kernels/base/constants.h"
#include "mom/problem/stored_matrix.h"
#include "mom/solve.h"
#include "tests/messages.h"
#include "tests/mom/surface_tubes_values.h"
#include "tests/mom/wire_antennas.h"

namespace thinwire {
namespace {

using test::dipole;

TEST(SequenceLimit, OfAPowerIsExact) {
  const Complex limit(85, 49), first(0.3, -0.2);
  for (const double q : {0.3, 0.5, 0.65}) {
    const SequenceLimit found =
        sequence_limit({limit + first, limit + q * first, limit + q * q * first});
    EXPECT_NEAR(std::abs(found.value - limit), 0, 1e-12);
    EXPECT_GE(found.bar, 0.5 * q * q * std::abs(first));
  }
}

/// A last change that is small by accident does not make the bar small.
TEST(SequenceLimit, OfAnErraticSequence) {
  EXPECT_GE(sequence_limit({{1, 0}, {1.1, 0}, {1.101, 0}}).bar, 0.05);
  EXPECT_GE(sequence_limit({{1, 0}, {1.1, 0}, {1.3, 0}}).bar, 0.2);
}

TEST(SequenceLimit, OfTwoOrOne) {
  // Halved errors: 1, 1/2, so 0.
  EXPECT_NEAR(std::abs(sequence_limit({{1, 0}, {0.5, 0}}).value), 0, 1e-12);
  EXPECT_TRUE(std::isinf(sequence_limit({{1, 0}}).bar));
}

/// Z of a centre-fed tube from Hallen's equation with the exact kernel by graded
/// collocation of high order, uniform field over 1/21 of its length
/// (tests/golden/tube_impedance.py).
TEST(Converge, TheBarHoldsTheExactTube) {
  const std::pair<double, Complex> tubes[] = {{0.001, {85.02035, 49.38155}},
                                              {0.005, {95.16088, 48.51754}}};
  for (const auto& [radius_m, right] : tubes) {
    const ConvergeReport report = converge(dipole(0.25, radius_m, 21), {});
    ASSERT_EQ(report.ports.size(), 1u);
    const PortLimit& port = report.ports[0];
    EXPECT_LT(std::abs(port.impedance_ohm - right), port.bar_ohm);
    EXPECT_LT(port.bar_ohm, 0.002 * std::abs(right));
    ASSERT_EQ(report.meshes.size(), 7u);
    // The extrapolated value is better than those that it is extrapolated from.
    EXPECT_LT(std::abs(port.impedance_ohm - right),
              std::abs(report.meshes[5].impedance_ohm[0] - right));
  }
}

/// Bends, open ends beside each other and a J-pole, which the meshes alone would take for
/// right to 0.04 %.
TEST(Converge, TheBarHoldsSurfaceMeshesOfCloseAndBentWires) {
  int cases = 0;
  for (const SurfaceTubes& tubes : surface_tubes) {
    const std::string name = tubes.name;
    if (name != "two dipoles of 0.4, D/a = 4, opposite" &&
        name != "folded dipole of 0.46, D/a = 5" &&
        name != "J-pole fed at its base, D/a = 5" &&
        name != "triangle of sides of 20 radii" &&
        name != "dipole with ends of 20 radii bent by 90 degrees")
      continue;
    ++cases;
    std::vector<std::string> warnings;
    const ConvergeReport report = converge(read_deck(tubes.deck, "t.nec", warnings), {});
    const PortLimit& port = report.ports.at(0);
    const double error = std::abs(port.impedance_ohm - Complex(tubes.r_ohm, tubes.x_ohm));
    EXPECT_LT(error, port.bar_ohm) << name;
    EXPECT_GT(error, port.bar_ohm - port.model_ohm + tubes.uncertainty_ohm / 2) << name;
    EXPECT_LT(port.bar_ohm, 6 * error) << name;
  }
  EXPECT_EQ(cases, 5);
}

/// Two tubes that nearly touch: acosh(D/2a) of their line, computed, is 2.9 times too
/// high, because the proximity effect fades.
TEST(Converge, TheBarHoldsALineOfTubesThatNearlyTouch) {
  constexpr double radius_m = 1e-3, across_m = 2.05 * radius_m, frequency_hz = 1e5;
  Complex z[2];
  double bar_ohm = 0;
  for (const int longer : {0, 1}) {
    const double end_m = 20 * (1 + longer) * across_m;
    Problem problem;
    Structure& s = problem.structure;
    s.add_wire(1, 8, {0, 0, 0}, {end_m, 0, 0}, radius_m);
    s.add_wire(2, 8, {0, across_m, 0}, {end_m, across_m, 0}, radius_m);
    s.add_wire(3, 3, {0, 0, 0}, {0, across_m, 0}, radius_m);
    s.add_wire(4, 1, {end_m, 0, 0}, {end_m, across_m, 0}, radius_m);
    test::feed(problem, 17, frequency_hz);
    const PortLimit port = converge(problem, {}).ports.at(0);
    z[longer] = port.impedance_ohm;
    bar_ohm += port.bar_ohm;
  }
  const double right = 2 * mu0_h_per_m * frequency_hz *
                       std::acosh(across_m / radius_m / 2) * 20 * across_m,
               error = std::abs((z[1] - z[0]).imag() - right);
  EXPECT_GT(error, right);
  EXPECT_LT(error, bar_ohm);
  // Bars of lines of 1 and 2, for an error of one length.
  EXPECT_LT(bar_ohm, 5 * error);
}

TEST(Converge, TheModelHoldsWhereNothingIsCloseOrBent) {
  Problem yagi = dipole(0.25, 0.004, 15);
  for (const double x : {-0.2, 0.15})
    yagi.structure.add_wire(2, 15, {x, 0, -0.24}, {x, 0, 0.24}, 0.004);
  for (const Problem& problem : {dipole(0.25, 0.005, 11), yagi})
    EXPECT_EQ(converge(problem, {}).ports.at(0).model_ohm, 0);
}

/// Two ports: the change of each is that of the same wires with one port, driven
/// likewise.
TEST(Converge, ModelErrorsOfTwoPortsAreThoseOfOne) {
  const auto model_ohm = [](bool both) {
    Problem problem = dipole(0.2, 0.004, 11);
    problem.structure.add_wire(2, 11, {0.016, 0, -0.2}, {0.016, 0, 0.2}, 0.004);
    if (both) {
      Source second = problem.runs[0].sources.at(0);
      second.segment += 11;
      second.voltage_v = 1e-9;
      problem.runs[0].sources.push_back(second);
    }
    return converge(problem, {}).ports.at(0).model_ohm;
  };
  // The mesh is finer at the second source.
  EXPECT_NEAR(model_ohm(true), model_ohm(false), 1e-4 * model_ohm(false));
}

/// P^T Z P of the halves is the matrix of the whole elements, which quadrature of its own
/// gives to 1e-7 where nothing is bent; over real ground with its tables' error.
TEST(Converge, RefusesADeckWhoseDefaultMeshDoesNotFit) {
  Problem problem = test::dipole(5000, 1e-4, 400'001);
  ConvergeOptions options;
  options.solve.operator_choice = OperatorChoice::dense;
  options.solve.solver = SolverChoice::direct;
  options.solve.device.kind = DeviceRequest::Kind::cpu;
  EXPECT_EQ(test::error_kind([&] { (void)converge(problem, options); }),
            ErrorKind::memory);
}

TEST(HalvedMesh, HasTheMatrixOfWholeElements) {
  for (const Ground& ground : {Ground::none, Ground::sommerfeld(13, 0.005)}) {
    Problem problem = dipole(0.25, 0.001, 11);
    problem.structure.move(0, 0, {}, {0, 0, 0.3}, 0);
    problem.runs[0].ground = ground;
    Options options;
    options.save_matrix = true;
    const std::vector<Complex> own = solve(problem, options).impedance_matrix_ohm,
                               of_halves = HalvedMesh(problem, {}).matrix_on_whole();
    ASSERT_EQ(of_halves.size(), own.size());
    double largest = 0, error = 0;
    for (std::size_t i = 0; i < own.size(); ++i) {
      largest = std::max(largest, std::abs(own[i]));
      error = std::max(error, std::abs(own[i] - of_halves[i]));
    }
    EXPECT_LT(error, 1e-6 * largest);
    EXPECT_GT(error, 0);
  }
}

/// Bends of wires that are thick against the wavelength, or against their segments: a
/// square loop, a V of 30 degrees, and half a turn of a helix of 12 mm segments with 20
/// mm radius, at half its wavelength of 2.1 m, with legs.
std::vector<Problem> thick_bends() {
  Structure square, vee, helix;
  const Vec3 corners[] = {{0, 0, 0}, {0.25, 0, 0}, {0.25, 0.25, 0}, {0, 0.25, 0}};
  for (int i = 0; i < 4; ++i)
    square.add_wire(i + 1, 5, corners[i], corners[(i + 1) % 4], 0.012);
  vee.add_wire(1, 11, {0.24, 0, 0}, {0, 0, 0}, 0.012);
  vee.add_wire(2, 11, {0, 0, 0}, {0.24 * std::cos(pi / 6), 0.12, 0}, 0.012);
  helix.add_helix(1, 25, 0.2333, 0.1167, 0.06, 0.06, 0.06, 0.06, 0.01);
  helix.add_wire(2, 2, {0.06, 0, 0}, {0.06, 0, -0.02}, 0.005);
  return {test::fed(square, 2), test::fed(vee, 10), test::fed(helix, 12)};
}

TEST(HalvedMesh, LeavesZOfThickBends) {
  for (const Problem& problem : thick_bends()) {
    const Complex usual = test::port_impedance(problem, {}),
                  finer = solve_with_finer_integrals(problem, {}, HalvedMesh(problem, {}))
                              .ports[0]
                              .impedance_ohm;
    EXPECT_LT(test::relative_error(finer, usual), 2e-5) << usual;
  }
}

TEST(Converge, MeshesOfThickBendsApproachTheirLimit) {
  for (const Problem& problem : thick_bends()) {
    const auto impedance = [&](int refinement) {
      Options options;
      options.refinement = refinement;
      return test::port_impedance(problem, options);
    };
    const Complex fine = impedance(8);
    double before = 0.01;
    for (int refinement : {1, 2, 4}) {
      const double error = test::relative_error(impedance(refinement), fine);
      EXPECT_LT(error, before) << refinement << ", Z " << fine;
      before = error;
    }
  }
}

/// Towards the rims of thick wires the mesh is graded: 1.9 % without it.
TEST(Converge, TheQuadrifilarIsNearItsLimit) {
  const ConvergeReport report = converge(test::quadrifilar(), {});
  const PortLimit& port = report.ports.at(0);
  EXPECT_LT(
      test::relative_error(report.meshes.at(3).impedance_ohm.at(0), port.impedance_ohm),
      0.005);
  EXPECT_LT(port.bar_ohm - port.model_ohm, 0.005 * std::abs(port.impedance_ohm));
}

/// Four radials and a feed: functions that share both their ends with others.
TEST(HalvedMesh, HasTheSameCurrentsAtJunctions) {
  Problem problem = dipole(0.25, 0.001, 5);
  for (int i = 0; i < 4; ++i)
    problem.structure.add_wire(2 + i, 3, {0, 0, -0.25},
                               {i % 2 ? 0.2 : -0.2, i < 2 ? 0.2 : -0.2, -0.3}, 0.001);
  const HalvedMesh halved(problem, {});
  std::vector<Complex> currents;
  for (std::size_t n = 0; n < halved.whole().unknowns(); ++n)
    currents.emplace_back(std::cos(1.0 * static_cast<double>(n)),
                          std::sin(2.0 * static_cast<double>(n)));
  const std::vector<Complex> carried = halved.in_halves(currents);
  for (std::size_t e = 0; e < halved.whole().elements().size(); ++e)
    for (const int end : {0, 1}) {
      const Complex here = halved.whole().basis().end_current(currents, e, end);
      EXPECT_LT(
          std::abs(halved.halves().basis().end_current(carried, 2 * e + end, end) - here),
          1e-12);
    }
  EXPECT_LT(test::relative_error(
                solve_with_finer_integrals(problem, {}, halved).ports[0].impedance_ohm,
                test::port_impedance(problem, {})),
            1e-4);
}

/// The bar includes the small change from finer integrals.
TEST(Converge, TellsWhatIntegralsChange) {
  Problem problem = dipole(0.25, 0.001, 11);
  problem.structure.move(0, 0, {}, {0, 0, 0.3}, 0);
  problem.runs[0].ground = Ground::sommerfeld(13, 0.005);
  const ConvergeReport report = converge(problem, {});
  const MeshStudy &usual = report.meshes.at(3), &finer = report.meshes.at(6);
  EXPECT_TRUE(finer.finer_integrals);
  EXPECT_EQ(finer.unknowns, usual.unknowns);
  const PortLimit& port = report.ports.at(0);
  EXPECT_EQ(port.integrals_ohm,
            std::abs(finer.impedance_ohm[0] - usual.impedance_ohm[0]));
  EXPECT_GT(port.integrals_ohm, 0);
  EXPECT_LT(port.integrals_ohm, 1e-5 * std::abs(port.impedance_ohm));
  EXPECT_GT(port.bar_ohm, port.integrals_ohm);
}

/// A dipole with a stub: junction, open ends and source. Over ground too.
Problem branched(bool grounded) {
  Problem problem = dipole(0.25, 0.002, 11);
  problem.structure.add_wire(2, 4, {0, 0, 0.25}, {0.1, 0, 0.3}, 0.001);
  problem.structure.add_wire(3, 3, {0, 0, 0.25}, {0, 0.1, 0.28}, 0.001);
  problem.structure.move(0, 0, {}, {0, 0, 0.25}, 0);
  if (grounded) problem.runs[0].ground = Ground::perfect;
  problem.ground_contact = grounded;
  return problem;
}

/// Returns the difference between the sum of all places' contributions to the change of
/// the admittance, from the graded mesh to one twice as fine, and that change.
double error_of_the_sum(const Problem& problem, const std::vector<MeshChange>& changes) {
  const auto admittance = [&](int refinement) {
    Options options;
    options.refinement = refinement;
    return solve(problem, options).frequencies.at(0).ports.at(0).current_a;
  };
  Complex sum = 0;
  for (const MeshChange& part : changes) sum += part.change_va;
  return test::relative_error(sum, admittance(2) - admittance(1));
}

TEST(MeshCosts, SumUpToTheChangeOfTheAdmittance) {
  for (const bool grounded : {false, true}) {
    const Problem problem = branched(grounded);
    const std::vector<MeshChange> changes =
        mesh_changes(problem, HalvedMesh(problem, {}));
    // The change is 1e-3 of the admittance; integrals of bent pairs are good to 1e-5.
    EXPECT_LT(error_of_the_sum(problem, changes), 0.03) << grounded;
    for (const char* place : {"source at tag 1 segment 6", "junction at tag 1 segment 11",
                              "open end of tag 2"})
      EXPECT_TRUE(std::any_of(changes.begin(), changes.end(), [&](const MeshChange& c) {
        return c.place == place;
      })) << place;
  }
}

TEST(MeshCosts, OfAStraightDipoleToRounding) {
  const Problem problem = dipole(0.25, 0.001, 11);
  EXPECT_LT(error_of_the_sum(problem, mesh_changes(problem, HalvedMesh(problem, {}))),
            1e-3);
}

/// Two dipoles fed in quadrature: the sum of V^T I over their ports vanishes.
TEST(MeshCosts, AreSharesAlsoWhereFeedsAreInQuadrature) {
  Problem problem = dipole(0.25, 0.001, 5);
  problem.structure.add_wire(2, 5, {100, 0, -0.25}, {100, 0, 0.25}, 0.001);
  Source second = problem.runs[0].sources.at(0);
  second.segment += 5;
  second.voltage_v *= Complex(0, 1);
  problem.runs[0].sources.push_back(second);
  const std::vector<MeshCost> costs = mesh_costs(problem, HalvedMesh(problem, {}));
  double sum = 0, of_second = 0;
  for (const MeshCost& cost : costs) {
    EXPECT_GE(cost.share, 0) << cost.place;
    sum += cost.share;
    if (cost.place.find("tag 2") != std::string::npos) of_second += cost.share;
  }
  EXPECT_NEAR(sum, 1, 1e-9);
  EXPECT_NEAR(of_second, 0.5, 0.01);
}

TEST(Converge, NeitherTakesNorKeepsAMatrix) {
  Problem problem = dipole(0.25, 0.001, 5);
  // Keeping one wants the whole matrix on the CPU, which contradicts this operator.
  problem.runs[0].matrix_file = "kept.h5";
  ConvergeOptions options;
  options.max_seconds = 1e-9;
  options.solve.operator_choice = OperatorChoice::fft;
  EXPECT_NO_THROW(converge(problem, options));
  problem.stored = std::make_shared<StoredMatrix>();
  EXPECT_EQ(test::error_kind([&] { converge(problem, {}); }), ErrorKind::deck);
}

TEST(Converge, RefusesWavesAndLeavesOutWhatTakesLong) {
  Problem problem = dipole(0.25, 0.001, 21);
  ConvergeOptions options;
  options.max_seconds = 1e-9;
  const ConvergeReport report = converge(problem, options);
  EXPECT_FALSE(report.meshes[3].left_out);
  EXPECT_TRUE(report.meshes[5].left_out);
  EXPECT_TRUE(std::isinf(report.ports.at(0).bar_ohm));
  problem.runs[0].sources.clear();
  EXPECT_THROW(converge(problem, {}), Error);
}

}  // namespace
}  // namespace thinwire
