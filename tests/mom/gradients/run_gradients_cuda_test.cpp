#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <memory>

#include "tests/mom/wire_antennas.h"
#include "tests/on_device.h"

namespace thinwire::run_gradients_cuda_test {
namespace {

using RunGradientsOnDevice = testing::OnDevice;

/// Three dipoles, the middle one fed, the distance of the last to be differentiated.
Problem yagi(double distance_m, bool over_ground) {
  Problem problem;
  const double y[] = {-0.2, 0, distance_m}, half[] = {0.25, 0.24, 0.22};
  for (int i = 0; i < 3; ++i)
    problem.structure.add_wire(1 + i, 41, {-half[i], y[i], 0.4}, {half[i], y[i], 0.4},
                               2e-3);
  test::feed(problem, 61).ground = over_ground ? Ground::perfect : Ground::none;
  problem.runs[0].patterns = {{.theta_count = 19,
                               .phi_count = 36,
                               .theta_start_deg = 0,
                               .phi_start_deg = 0,
                               .theta_step_deg = 5,
                               .phi_step_deg = 10}};
  return problem;
}

/// The currents and adjoint currents are those of the GPU, whatever solver is used.
TEST_F(RunGradientsOnDevice, OfImpedancesAndGainsAreThoseOfTheCpu) {
  constexpr double distance_m = 0.15, step_m = 1e-6;
  for (const bool over_ground : {false, true}) {
    Problem problem = yagi(distance_m, over_ground);
    problem.parameters.push_back(
        {"distance", distance_m, step_m,
         std::make_shared<Problem>(yagi(distance_m - step_m, over_ground)),
         std::make_shared<Problem>(yagi(distance_m + step_m, over_ground))});
    for (const SolverChoice solver : {SolverChoice::direct, SolverChoice::cocg}) {
      Options options;
      options.solver = solver;
      options.tolerance = 1e-11;
      options.device = {DeviceRequest::Kind::cpu};
      const FrequencyResult right = solve(problem, options).frequencies.at(0);
      options.device = {DeviceRequest::Kind::cuda};
      const Solution on_device = solve(problem, options);
      ASSERT_TRUE(on_device.device.starts_with("cuda")) << on_device.device;
      const FrequencyResult& got = on_device.frequencies.at(0);
      const Complex dz = right.impedance_derivative_ohm.at(0);
      EXPECT_LT(std::abs(got.impedance_derivative_ohm.at(0) - dz), 1e-8 * std::abs(dz));
      ASSERT_EQ(got.gain_derivatives.size(), 1u);
      const GainDerivatives &ours = got.gain_derivatives[0],
                            &theirs = right.gain_derivatives.at(0);
      const double gain = theirs.gain_derivative_db.at(0),
                   ratio = theirs.front_to_back_derivative_db.at(0);
      EXPECT_GT(std::abs(gain), 0.1);
      EXPECT_NEAR(ours.gain_derivative_db.at(0), gain, 1e-7 * std::abs(gain));
      EXPECT_NEAR(ours.front_to_back_derivative_db.at(0), ratio,
                  1e-7 * (std::abs(ratio) + std::abs(gain)));
    }
  }
}

}  // namespace
}  // namespace thinwire::run_gradients_cuda_test
