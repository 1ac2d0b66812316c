#include <gtest/gtest.h>

#include "tests/kernels/device/device_test_support.h"
#include "tests/mom/operators/fft_structures.h"
#include "tests/mom/systems/two_level_cases.h"

namespace thinwire {
namespace {

using TwoLevelsOnDevice = testing::OnDevice;

void expect_the_cpu_s(const Problem& problem, const char* name) {
  SCOPED_TRACE(name);
  Options options = test::two_levels(OperatorChoice::fft);
  options.operator_tolerance = 1e-6;
  const FrequencyResult expected = solve(problem, options).frequencies[0];
  options.device.kind = DeviceRequest::Kind::cuda;
  // By one owner, and by three that share the GPU.
  for (const std::vector<int>& beside : {std::vector<int>{}, std::vector<int>{0, 0}}) {
    options.device.beside = beside;
    const FrequencyResult got = solve(problem, options).frequencies[0];
    EXPECT_TRUE(got.solver.converged);
    EXPECT_GT(got.solver.coarse_functions, 0u);
    EXPECT_EQ(got.solver.coarse_functions, expected.solver.coarse_functions);
    EXPECT_NEAR(got.solver.iterations, expected.solver.iterations, 3);
    EXPECT_LT(
        test::relative_error(got.ports[0].impedance_ohm, expected.ports[0].impedance_ohm),
        1e-6);
  }
}

TEST_F(TwoLevelsOnDevice, SolveAsOnTheCpu) {
  expect_the_cpu_s(test::fed(test::plate(14, 0.1)), "plate");
  expect_the_cpu_s(test::hull_with_ports(), "hull with ports");
  expect_the_cpu_s(test::loaded_box(), "closed box with a load");
  expect_the_cpu_s(test::fed(test::uneven(), 4), "wires of all lengths");
}

// Each frequency's product goes with the first one's boxes and coarse factors.
TEST_F(TwoLevelsOnDevice, SweepInFewerIterations) {
  Options options = test::two_levels(OperatorChoice::fft);
  options.boxes = {3, 1};
  options.operator_tolerance = 1e-6;
  options.device.kind = DeviceRequest::Kind::cuda;
  Problem problem = test::loaded_box();
  const double last_hz = 1.002 * test::one_metre_wave_hz;
  problem.runs[0].frequency_hz = {last_hz};
  const FrequencyResult alone = solve(problem, options).frequencies[0];
  problem.runs[0].frequency_hz = {test::one_metre_wave_hz,
                                  1.001 * test::one_metre_wave_hz, last_hz};
  const FrequencyResult got = solve(problem, options).frequencies[2];
  EXPECT_TRUE(got.solver.converged);
  EXPECT_EQ(got.solver.coarse_functions, alone.solver.coarse_functions);
  EXPECT_LT(4 * got.solver.iterations, 3 * alone.solver.iterations);
  EXPECT_LT(
      test::relative_error(got.ports[0].impedance_ohm, alone.ports[0].impedance_ohm),
      1e-6);
}

}  // namespace
}  // namespace thinwire
