#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "kernels/element/close_pairs.h"
#include "kernels/element/quadrature_order.h"
#include "mom/systems/operator_system.h"
#include "tests/mom/operators/fft_structures.h"
#include "tests/mom/operators/lattice_antennas.h"
#include "tests/mom/wire_antennas.h"

namespace thinwire::operator_error_test {
namespace {

using namespace test;

Options by(OperatorChoice choice, double tolerance = 1e-5) {
  Options options = options_for(MeshChoice::as_given);
  options.operator_choice = choice;
  options.operator_tolerance = tolerance;
  options.device.kind = DeviceRequest::Kind::cpu;
  options.tolerance = 1e-11;
  return options;
}

Structure wire(double length_m, int segments, double radius_m) {
  Structure s;
  s.add_wire(1, segments, {0, 0, 0}, {0, 0, length_m}, radius_m);
  return s;
}

Structure loop(double around_m, int segments, double radius_m) {
  Structure s;
  const double r = around_m / (2 * pi);
  const auto at = [&](int i) {
    const double angle = 2 * pi * (i % segments) / segments;
    return Vec3{r * std::cos(angle), r * std::sin(angle), 0};
  };
  for (int i = 0; i < segments; ++i) s.add_wire(i + 1, 1, at(i), at(i + 1), radius_m);
  return s;
}

Structure monopoles() {
  Structure s;
  for (int i = 0; i < 12; ++i) {
    const Vec3 foot{0.4 * (i % 4), 0.3 * (i / 4), 0};
    s.add_wire(i + 1, 12, foot, foot + Vec3{0.02 * i, 0, 0.25}, 0.002);
  }
  return s;
}

struct Case {
  std::string name;
  Problem problem;
  std::vector<double> tolerances = {1e-5};
  OperatorChoice operator_choice = OperatorChoice::fft;
};

std::vector<Case> cases() {
  const Ground ground = Ground::perfect;
  std::vector<Case> all;
  all.push_back({"dipole", fed(wire(0.47, 41, 0.001), 20), {1e-4, 1e-5}});
  all.push_back({"wire of 8", fed(wire(8, 240, 0.001), 70), {1e-4, 1e-5}});
  all.push_back({"thick wire", fed(wire(2.3, 80, 0.005), 11)});
  all.push_back({"loop", fed(loop(1.07, 60, 0.001))});
  all.push_back({"large loop", fed(loop(5, 200, 0.002))});
  all.push_back({"helices", fed(helices(4, 160)), {1e-4, 1e-6}});
  all.push_back({"Yagis", fed(yagis(2, 6), 31), {1e-4, 1e-5}});
  all.push_back({"random dipoles", fed(random_dipoles(20, 2), 10), {1e-4, 1e-5}});
  all.push_back({"array", fed(array(4, 5), 10), {1e-4, 1e-5}});
  all.push_back({"array over ground", fed(array(3, 4, 0.4), 10, ground), {1e-4, 1e-5}});
  all.push_back({"monopoles", fed(monopoles(), 0, ground), {1e-4, 1e-5}});
  all.back().problem.ground_contact = true;
  all.push_back({"uneven", fed(uneven(), 4), {1e-4, 1e-5}});
  all.push_back({"plate", fed(plate(10, 0.1)), {1e-4, 1e-5, 1e-7}});
  all.push_back({"fine plate", fed(plate(10, 0.03)), {1e-5}});
  all.push_back({"plate over ground", fed(raised(plate(8, 0.1), 0.3), 0, ground)});
  all.push_back({"larger plate", fed(plate(20, 0.1)), {1e-4, 1e-5}});
  all.push_back({"hull", fed(ship(9, 3, 2, 0.1)), {1e-4, 1e-5}});
  all.push_back({"fine hull", fed(ship(9, 4, 3, 0.05)), {1e-4, 1e-5}});
  all.push_back({"lattice", fed(array(4, 4), 10), {1e-5}, OperatorChoice::toeplitz});
  all.push_back({"lattice over ground",
                 fed(array(3, 3, 0.4), 10, ground),
                 {1e-5},
                 OperatorChoice::toeplitz});
  return all;
}

// Dense solutions are the reference. All rows are taken below 257 unknowns, 52 of 1244.
TEST(OperatorError, IsThatOfTheImpedanceOnThirtyStructures) {
  int compared = 0;
  for (const Case& c : cases()) {
    const Complex right = port_impedance(c.problem, by(OperatorChoice::dense));
    for (const double tolerance : c.tolerances) {
      const Solution solution = solve(c.problem, by(c.operator_choice, tolerance));
      const FrequencyResult& got = solution.frequencies[0];
      const double error = relative_error(got.ports[0].impedance_ohm, right);
      ASSERT_TRUE(got.solver.operator_error);
      const double estimate = *got.solver.operator_error,
                   spread = *got.solver.operator_error_spread;
      const std::string line = fmt::format(
          "{}, N = {}, {:g}: error {:.1e}, estimate {:.1e} +- {:.1e}, ratio {:.2f}",
          c.name, solution.unknowns, tolerance, error, estimate, spread,
          estimate / error);
      ++compared;
      EXPECT_LT(estimate, 5 * error) << line;
      EXPECT_GT(estimate, error / 5) << line;
    }
  }
  EXPECT_GE(compared, 30);
}

Complex backscatter(const FrequencyResult& result) {
  return result.patterns.at(0).e_theta_v.at(0);
}

TEST(OperatorError, OfAWaveIsThatOfTheFieldScatteredBack) {
  Problem problem = fed(plate(8, 0.1));
  thinwire::Run& run = problem.runs[0];
  run.sources.clear();
  run.waves.emplace();
  run.waves->first.theta_deg = 40;
  run.waves->first.phi_deg = 20;
  PatternRequest& back = run.patterns.emplace_back();
  back.theta_start_deg = 40;
  back.phi_start_deg = 20;
  const FrequencyResult got = solve(problem, by(OperatorChoice::fft)).frequencies[0];
  const double error = relative_error(
      backscatter(got),
      backscatter(solve(problem, by(OperatorChoice::dense)).frequencies[0]));
  EXPECT_LT(*got.solver.operator_error, 5 * error);
  EXPECT_GT(*got.solver.operator_error, error / 5);
}

double worst_port(const FrequencyResult& got, const FrequencyResult& right) {
  double worst = 0;
  for (std::size_t p = 0; p < got.ports.size(); ++p)
    worst = std::max(
        worst, relative_error(got.ports[p].impedance_ohm, right.ports[p].impedance_ohm));
  return worst;
}

// V^T I vanishes here, and with it the error of its one number.
TEST(OperatorError, IsNotLostOfFeedsInQuadrature) {
  Problem problem = fed(array(2, 2));
  problem.runs[0].sources = {volt_on(10), volt_on(31, {0, 1}), volt_on(52, -1.0),
                             volt_on(73, {0, -1})};
  const FrequencyResult got = solve(problem, by(OperatorChoice::fft)).frequencies[0];
  const double error =
      worst_port(got, solve(problem, by(OperatorChoice::dense)).frequencies[0]);
  EXPECT_LT(*got.solver.operator_error, 5 * error);
  EXPECT_GT(*got.solver.operator_error, error / 5);
}

TEST(OperatorError, IsTheLargestOfThePortsSolvedFor) {
  const auto error_of = [](std::vector<Source> sources) {
    Problem problem = fed(yagis(2, 6));
    problem.runs[0].sources = std::move(sources);
    Options options = by(OperatorChoice::fft);
    options.port_matrix = true;
    return *solve(problem, options).frequencies[0].solver.operator_error;
  };
  const double first = error_of({volt_on(10)}), second = error_of({volt_on(31)}),
               both = error_of({volt_on(10), volt_on(31)});
  EXPECT_GT(std::abs(first / second - 1), 0.01);
  EXPECT_NEAR(both, std::max(first, second), 1e-3 * both);
}

bool warns_of_operator(const Solution& solution) {
  return std::ranges::any_of(solution.warnings, [](const std::string& warning) {
    return warning.find("operator is expected to cause an error") != std::string::npos;
  });
}

// Its residual is off by more than 1e-4 of the excitation, its impedance by 3e-5.
TEST(OperatorError, WarnsWhereTheImpedanceIsOff) {
  const Problem problem = fed(plate(10, 0.1));
  EXPECT_FALSE(warns_of_operator(solve(problem, by(OperatorChoice::fft, 1e-4))));
  EXPECT_TRUE(warns_of_operator(solve(problem, by(OperatorChoice::fft, 1e-9))));
}

TEST(OperatorError, WeighsDifferencesFromExactRowsByTheCurrent) {
  const LatticeAntennas antennas({3, 2, 1}, {Vec3{0.5, 0, 0}, Vec3{0, 0.4, 0}, Vec3{}});
  const std::vector<Complex> z = antennas.dense(one_metre_waves()),
                             current = random_vector(36, 1), v = random_vector(36, 2);
  const FillInput exact = {antennas.where().elements(),
                           antennas.where().basis().functions(),
                           2 * pi,
                           GreensKernel::exact,
                           {},
                           nullptr};
  const std::vector<MatrixUpdate> loads = {{7, 7, 3.0}, {9, 4, {0, 2}}};
  std::vector<Complex> product = dense_product(z, current);
  add_updates(loads, current, product);
  const RowSample sample = {{4, 7, 9, 30}, {1, 1, 2, 3}};
  std::vector<Complex> of_rows;
  for (const std::uint32_t row : sample.rows) of_rows.push_back(product[row]);
  const auto error = [&] {
    return operator_error(exact_rows(exact, sample.rows, current), loads, sample, of_rows,
                          v, current);
  };
  EXPECT_LE(error().estimate, 1e-7);
  double size = 0;
  for (std::size_t i = 0; i < 36; ++i) size += std::abs(v[i] * current[i]);
  of_rows[2] += Complex(0, 5);
  const double expected = 2 * std::abs(current[9]) * 5 / size;
  EXPECT_NEAR(error().estimate, expected, 1e-6);
  EXPECT_NEAR(error().spread, expected, 1e-6);  // the other drawn row is right
  of_rows[2] = std::nan("");
  EXPECT_TRUE(std::isnan(error().estimate));
}

TEST(OperatorError, KnowsTheFunctionsNearItsRows) {
  Structure structure = wire(3, 60, 0.002);
  structure.add_wire(2, 60, {0.1, 0, 0}, {0.1, 0, 3}, 0.002);
  MeshOptions as_given;
  as_given.graded = false;
  const Discretization where(structure, as_given);
  const Medium ground = Medium::perfect_ground();
  const FillInput exact = {where.elements(), where.basis().functions(), 2 * pi,
                           GreensKernel::exact, ground};
  const std::vector<std::uint32_t> rows = {3, 90},
                                   functions = functions_near(exact, rows);
  EXPECT_LT(functions.size(), where.unknowns() / 2);
  for (std::uint32_t m = 0; m < where.unknowns(); ++m) {
    if (std::ranges::binary_search(functions, m)) continue;
    for (const std::uint32_t row : rows)
      for (const std::uint32_t p : exact.basis[row].element)
        for (const std::uint32_t q : exact.basis[m].element)
          for (int s = 0; s < ground.sources(); ++s) {
            const Element a = ground.source(exact.elements[p], s), b = exact.elements[q];
            EXPECT_NE(far_order(norm(centre_of(a) - centre_of(b)),
                                std::max(a.length_m, b.length_m),
                                std::max(a.radius_m, b.radius_m), exact.limit()),
                      0)
                << row << " " << m;
          }
  }
}

TEST(OperatorError, DrawsRowsInProportionToTheCurrent) {
  std::vector<Complex> current = random_vector(5000, 3);
  current[1234] = {3000, 4000};
  const RowSample sample = sampled_rows(current);
  EXPECT_EQ(sample.rows, sampled_rows(current).rows);
  EXPECT_TRUE(std::ranges::is_sorted(sample.rows));
  EXPECT_EQ(sample.rows.size(), 32u);
  double sum = 0, all = 0;
  for (const Complex value : current) all += std::abs(value);
  for (std::size_t i = 0; i < 32; ++i) {
    sum += sample.weight[i] * std::abs(current[sample.rows[i]]);
    EXPECT_EQ(sample.weight[i] == 1, sample.rows[i] == 1234);
  }
  EXPECT_NEAR(sum, all, 1e-9 * all);
}

TEST(OperatorError, TakesAllRowsOfFewUnknowns) {
  EXPECT_EQ(sampled_rows(random_vector(256, 1)).weight, std::vector<double>(256, 1));
  EXPECT_EQ(sampled_rows(random_vector(300'000, 1)).rows.size(), 8u);
  EXPECT_TRUE(sampled_rows(std::vector<Complex>(9)).rows.empty());
}

}  // namespace
}  // namespace thinwire::operator_error_test
