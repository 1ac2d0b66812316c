#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <string>

#include "kernels/base/error.h"
#include "kernels/device/device.h"
#include "mom/plan/choose_solver.h"
#include "mom/plan/planner.h"
#include "tests/messages.h"
#include "tests/mom/matrix_keeper.h"
#include "tests/mom/shared_array.h"
#include "tests/mom/wire_antennas.h"
#include "tests/on_device.h"

namespace thinwire {
namespace {

using namespace test;

using SolveOnDevice = testing::OnDevice;

Problem array_of_dipoles(int count) {
  Problem problem;
  for (int i = 0; i < count; ++i)
    problem.structure.add_wire(1 + i, 21, {0.5 * (i % 4), 0.5 * (i / 4), -0.25},
                               {0.5 * (i % 4), 0.5 * (i / 4), 0.25}, 0.001);
  feed(problem, 10).sources.push_back(volt_on(31, {0, 1}));
  return problem;
}

/// A bent monopole with a top of two arms over perfect ground, a driven loop beside it,
/// lumped and distributed loads, two frequencies, then other sources, other loads.
Problem loaded_over_ground() {
  Problem problem;
  Structure& s = problem.structure;
  s.add_wire(1, 11, {0, 0, 0}, {0, 0, 0.2}, 0.002);
  s.add_wire(2, 7, {0, 0, 0.2}, {0.12, 0, 0.25}, 0.001);
  s.add_wire(3, 7, {0, 0, 0.2}, {-0.1, 0.05, 0.2}, 0.001);
  s.add_wire(4, 5, {0.3, 0, 0.1}, {0.3, 0.1, 0.1}, 0.001);
  s.add_wire(4, 5, {0.3, 0.1, 0.1}, {0.3, 0.1, 0.2}, 0.001);
  s.add_wire(4, 5, {0.3, 0.1, 0.2}, {0.3, 0, 0.2}, 0.001);
  s.add_wire(4, 5, {0.3, 0, 0.2}, {0.3, 0, 0.1}, 0.001);
  problem.ground_contact = true;
  thinwire::Run run = feed(problem, 0, one_metre_wave_hz, Ground::perfect);
  run.frequency_hz = {one_metre_wave_hz, 1.1 * one_metre_wave_hz};
  run.sources.push_back(volt_on(27));
  Load lumped = {
      .kind = Load::Kind::series_rlc, .first = 4, .last = 4, .value = {12, 1e-8}};
  Load metal = {.kind = Load::Kind::conductivity, .first = 0, .last = 24, .value = {1e6}};
  run.loads = {lumped, metal};
  problem.runs = {run};
  run.frequency_hz = {one_metre_wave_hz};
  run.loads.pop_back();
  run.sources.pop_back();
  problem.runs.push_back(run);
  return problem;
}

Options on(const char* device, SolverChoice solver = SolverChoice::automatic,
           const char* placement = "resident", const char* precision = "double") {
  Options options;
  options.device = device_named("device", device);
  options.solver = solver;
  options.placement = choice_named<PlacementChoice>("placement", placement);
  options.precision = choice_named<PrecisionChoice>("precision", precision);
  options.tolerance = 1e-8;
  return options;
}

/// The largest difference of a segment's current, relative to the largest current.
double difference(const Solution& a, const Solution& b) {
  EXPECT_EQ(a.frequencies.size(), b.frequencies.size());
  double worst = 0;
  for (std::size_t f = 0; f < a.frequencies.size(); ++f) {
    const auto &x = a.frequencies[f].segment_current_a,
               &y = b.frequencies[f].segment_current_a;
    double largest = 0, here = 0;
    for (std::size_t s = 0; s < x.size(); ++s) {
      largest = std::max(largest, std::abs(y[s]));
      here = std::max(here, std::abs(x[s] - y[s]));
    }
    worst = std::max(worst, here / largest);
  }
  return worst;
}

TEST_F(SolveOnDevice, CurrentsAreThoseOfTheCpu) {
  for (const Problem& problem : {array_of_dipoles(10), loaded_over_ground()}) {
    const Solution cpu = solve(problem, on("cpu", SolverChoice::direct));
    for (const SolverChoice solver : {SolverChoice::direct, SolverChoice::cg,
                                      SolverChoice::cocg, SolverChoice::gmres}) {
      for (const char* placement : {"product", "resident", "graph"}) {
        const Solution gpu = solve(problem, on("cuda", solver, placement));
        EXPECT_LT(difference(gpu, cpu), 1e-6)
            << gpu.frequencies[0].solver.name << " " << placement;
        for (const FrequencyResult& f : gpu.frequencies)
          EXPECT_TRUE(f.solver.converged) << f.solver.name << " " << placement;
      }
    }
  }
}

/// Two owners on one GPU, and on two where there are two.
std::vector<DeviceRequest> pairs_of_gpus() {
  std::vector<DeviceRequest> requests = {{DeviceRequest::Kind::cuda, 0, {0}},
                                         {DeviceRequest::Kind::cuda, 0, {0, 0}}};
  if (device_report().devices.size() > 1)
    requests.push_back({DeviceRequest::Kind::cuda, 0, {1}});
  return requests;
}

TEST_F(SolveOnDevice, GpusThatShareTheMatrixGiveTheCurrentsOfTheCpu) {
  for (const Problem& problem : {array_of_dipoles(10), loaded_over_ground()}) {
    const Solution cpu = solve(problem, on("cpu", SolverChoice::direct));
    for (const DeviceRequest& device : pairs_of_gpus())
      for (const SolverChoice solver : {SolverChoice::direct, SolverChoice::cg,
                                        SolverChoice::cocg, SolverChoice::gmres})
        for (const char* placement : {"product", "resident", "graph"})
          for (const char* precision : {"double", "mixed"}) {
            Options options = on("cuda", solver, placement, precision);
            options.device = device;
            const Solution gpus = solve(problem, options),
                           again = solve(problem, options);
            EXPECT_LT(difference(gpus, cpu), 1e-6)
                << gpus.device << " " << gpus.frequencies[0].solver.name << " "
                << placement << " " << precision;
            EXPECT_EQ(difference(gpus, again), 0) << gpus.device;
          }
  }
}

/// But for rounding: pairs that lie alike are integrated in the place of the first of
/// those that a GPU has.
TEST_F(SolveOnDevice, GpusThatShareTheMatrixSaveItWhole) {
  Options options = on("cuda");
  options.save_matrix = true;
  const Solution one = solve(array_of_dipoles(10), options);
  for (const DeviceRequest& device : pairs_of_gpus()) {
    options.device = device;
    expect_near(solve(array_of_dipoles(10), options).impedance_matrix_ohm,
                one.impedance_matrix_ohm, 1e-14);
  }
}

TEST_F(SolveOnDevice, BandsOfRowsAreThoseOfTheWholeMatrix) {
  const Problem problem = array_of_dipoles(20);
  std::vector<DeviceRequest> requests = pairs_of_gpus();
  requests.push_back(device_named("device", "cuda"));
  for (const DeviceRequest& device : requests)
    for (const char* precision : {"double", "mixed", "single"}) {
      Options options = on("cuda", SolverChoice::cocg, "resident", precision);
      options.tolerance = 1e-5;
      options.save_matrix = true;
      options.device = device;
      const std::vector<Complex> whole = solve(problem, options).impedance_matrix_ohm;
      MatrixKeeper keeper;
      options.matrix_sink = &keeper;
      const Solution solution = solve(problem, options);
      ASSERT_GT(solution.unknowns, 256u);
      EXPECT_TRUE(solution.impedance_matrix_ohm.empty());
      EXPECT_EQ(static_cast<std::size_t>(keeper.bands), (solution.unknowns + 63) / 64);
      EXPECT_EQ(keeper.rows, whole) << solution.device << " " << precision;
      MatrixKeeper full;
      full.failing = 2;
      options.matrix_sink = &full;
      EXPECT_THROW((void)solve(problem, options), Error);
    }
}

TEST_F(SolveOnDevice, AnInterruptEndsAllGpus) {
  for (const DeviceRequest& device : pairs_of_gpus()) {
    Options options = on("cuda", SolverChoice::cg);
    options.device = device;
    options.preconditioner = PreconditionerChoice::none;
    options.tolerance = 1e-14;
    options.monitor = Monitor([](const Progress& progress) {
      if (std::string(progress.step) == "solve" && progress.fraction > 0.55)
        throw Error(ErrorKind::interrupted, "enough");
    });
    EXPECT_EQ(test::error_message([&] { solve(array_of_dipoles(10), options); }),
              "enough");
  }
}

/// E and H in a plane through the structure.
Problem with_near_fields() {
  Problem problem = loaded_over_ground();
  for (thinwire::Run& run : problem.runs)
    for (const auto field :
         {NearFieldRequest::Field::electric, NearFieldRequest::Field::magnetic}) {
      NearFieldRequest request = {.field = field,
                                  .count = {23, 1, 17},
                                  .start = {-0.2, 0.01},
                                  .step = {0.03, 0, 0.05}};
      run.near_fields.push_back(request);
    }
  return problem;
}

TEST_F(SolveOnDevice, NearFieldsAreThoseOfTheCpu) {
  const Problem problem = with_near_fields();
  const Solution cpu = solve(problem, on("cpu", SolverChoice::direct)),
                 gpu = solve(problem, on("cuda", SolverChoice::direct));
  for (std::size_t f = 0; f < cpu.frequencies.size(); ++f) {
    const auto &right = cpu.frequencies[f].near_fields,
               &got = gpu.frequencies[f].near_fields;
    ASSERT_EQ(got.size(), right.size());
    for (std::size_t i = 0; i < right.size(); ++i) {
      double largest = 0, worst = 0;
      for (std::size_t j = 0; j < right[i].field.size(); ++j) {
        largest = std::max(largest, std::abs(right[i].field[j]));
        worst = std::max(worst, std::abs(got[i].field[j] - right[i].field[j]));
      }
      // As far as the currents agree.
      EXPECT_LT(worst, 1e-6 * largest);
    }
  }
}

TEST_F(SolveOnDevice, StopsBetweenNearFields) {
  const Problem problem = with_near_fields();
  Options options = on("cuda");
  std::atomic<bool> stop{false};
  options.monitor = Monitor(
      [&](const Progress& progress) { stop = stop || progress.step == "near field"; },
      &stop);
  EXPECT_THROW((void)solve(problem, options), Error);
}

TEST_F(SolveOnDevice, TheReducedKernelAgreesToo) {
  Options cpu = on("cpu"), gpu = on("cuda");
  cpu.kernel = gpu.kernel = GreensKernel::reduced;
  cpu.mesh = gpu.mesh = MeshChoice::as_given;
  const Problem problem = array_of_dipoles(6);
  EXPECT_LT(difference(solve(problem, gpu), solve(problem, cpu)), 1e-7);
}

TEST_F(SolveOnDevice, MixedPrecisionReachesTheDoubleResidual) {
  const Problem problem = loaded_over_ground();
  const Solution cpu = solve(problem, on("cpu", SolverChoice::direct));
  for (const SolverChoice solver : {SolverChoice::direct, SolverChoice::cocg}) {
    Options options = on("cuda", solver, "resident", "mixed");
    options.tolerance = 1e-10;
    const Solution mixed = solve(problem, options);
    for (const FrequencyResult& f : mixed.frequencies) {
      EXPECT_TRUE(f.solver.converged);
      EXPECT_LE(f.solver.relative_residual, 1e-10);
    }
    EXPECT_LT(difference(mixed, cpu), 1e-7);
    options.tolerance = 1e-5;
    options.precision = PrecisionChoice::in_single;
    EXPECT_LT(difference(solve(problem, options), cpu), 1e-2);
  }
}

TEST_F(SolveOnDevice, EveryPrecisionAgreesOverRealGround) {
  Problem problem = array_of_dipoles(10);
  problem.structure.move(0, 0, {}, {0, 0, 0.3}, 0);
  problem.runs[0].ground = Ground::sommerfeld(13, 0.005);
  const Solution cpu = solve(problem, on("cpu", SolverChoice::direct));
  for (const SolverChoice solver : {SolverChoice::direct, SolverChoice::cocg}) {
    Options options = on("cuda", solver);
    EXPECT_LT(difference(solve(problem, options), cpu), 1e-6);
    options.precision = PrecisionChoice::mixed;
    options.tolerance = 1e-10;
    const Solution mixed = solve(problem, options);
    EXPECT_LE(mixed.frequencies[0].solver.relative_residual, 1e-10);
    EXPECT_LT(difference(mixed, cpu), 1e-6);  // the table's 1e-7
    options.precision = PrecisionChoice::in_single;
    options.tolerance = 1e-5;
    EXPECT_LT(difference(solve(problem, options), cpu), 1e-2);
  }
}

TEST_F(SolveOnDevice, GpusThatShareTheMatrixAgreeOverRealGround) {
  Problem problem = array_of_dipoles(10);
  problem.structure.move(0, 0, {}, {0, 0, 0.3}, 0);
  // The second is filled on the host.
  for (const Ground& ground :
       {Ground::sommerfeld(13, 0.005), Ground::coefficients(13, 0.005)}) {
    problem.runs[0].ground = ground;
    const Solution cpu = solve(problem, on("cpu", SolverChoice::direct));
    for (const DeviceRequest& device : pairs_of_gpus()) {
      Options options = on("cuda", SolverChoice::cocg);
      options.device = device;
      EXPECT_LT(difference(solve(problem, options), cpu), 1e-6);
      if (ground.kind == Ground::Kind::coefficients) continue;
      options.precision = PrecisionChoice::mixed;
      EXPECT_LT(difference(solve(problem, options), cpu), 1e-6);
    }
  }
}

TEST_F(SolveOnDevice, RefinementsShareTheIterationLimit) {
  Options options = on("cuda", SolverChoice::cocg, "resident", "mixed");
  options.preconditioner = PreconditionerChoice::none;
  options.tolerance = 1e-10;
  options.max_iterations = 3;
  const SolverReport report = solve(array_of_dipoles(4), options).frequencies[0].solver;
  EXPECT_FALSE(report.converged);
  EXPECT_EQ(report.iterations, 3);
}

TEST_F(SolveOnDevice, ThePreconditionerIsThatOfTheCpu) {
  const Problem problem = array_of_dipoles(16);
  Options options = on("cpu", SolverChoice::cocg);
  // On a graded mesh, without a preconditioner, rounding decides on every tenth
  // iteration. With blocks the array's few distinct modes are done after 14 iterations,
  // where the residual falls by five digits at once to 5e-7; rounding alone decides how
  // many more an even smaller one takes.
  options.mesh = MeshChoice::as_given;
  options.tolerance = 1e-6;
  for (const auto preconditioner :
       {PreconditionerChoice::none, PreconditionerChoice::block,
        PreconditionerChoice::two_level}) {
    options.preconditioner = preconditioner;
    options.device = device_named("device", "cpu");
    const int cpu = solve(problem, options).frequencies[0].solver.iterations;
    options.device = device_named("device", "cuda");
    const Solution gpu = solve(problem, options);
    EXPECT_NEAR(gpu.frequencies[0].solver.iterations, cpu, 1 + cpu / 20);
    EXPECT_EQ(gpu.device.find("cuda:0 "), 0u) << gpu.device;
  }
}

/// A grid of wires with cells of 0.005 wavelengths: charges dominate, and three digits
/// are too few for the currents.
Problem fine_grid() {
  constexpr int cells = 14;
  constexpr double cell_m = 0.005;
  Problem problem;
  int tag = 0;
  for (int i = 0; i <= cells; ++i)
    for (int j = 0; j < cells; ++j) {
      const double at = cell_m * i, from = cell_m * j, to = cell_m * (j + 1);
      problem.structure.add_wire(++tag, 2, {at, from, 0}, {at, to, 0}, cell_m / 20);
      problem.structure.add_wire(++tag, 2, {from, at, 0}, {to, at, 0}, cell_m / 20);
    }
  feed(problem, 10);
  return problem;
}

TEST_F(SolveOnDevice, AFallBackOfTheDirectSolverIsSaid) {
  Options options = on("cuda", SolverChoice::direct);
  options.mesh = MeshChoice::as_given;
  const Solution solution = solve(fine_grid(), options);
  const SolverReport& report = solution.frequencies[0].solver;
  EXPECT_TRUE(report.converged);
  EXPECT_EQ(report.name, "direct");
  EXPECT_NE(report.why.find("so LDL^T in complex single"), std::string::npos)
      << report.why;
  ASSERT_EQ(solution.warnings.size(), 1u);
  EXPECT_NE(solution.warnings[0].find("direct solver: LDL^T in TF32 left"),
            std::string::npos)
      << solution.warnings[0];
  options.device = device_named("device", "cpu");
  EXPECT_LT(difference(solution, solve(fine_grid(), options)), 1e-5);
}

TEST_F(SolveOnDevice, TheSameBitsEveryTime) {
  const Problem problem = loaded_over_ground();
  const Solution once = solve(problem, on("cuda")), again = solve(problem, on("cuda"));
  for (std::size_t f = 0; f < once.frequencies.size(); ++f)
    EXPECT_EQ(once.frequencies[f].segment_current_a,
              again.frequencies[f].segment_current_a);
}

TEST_F(SolveOnDevice, TheMatrixCanBeKept) {
  const Problem problem = array_of_dipoles(3);
  Options options = on("cpu");
  options.save_matrix = true;
  const std::vector<Complex> cpu = solve(problem, options).impedance_matrix_ohm;
  options.device = device_named("device", "cuda");
  const std::vector<Complex> gpu = solve(problem, options).impedance_matrix_ohm;
  ASSERT_EQ(cpu.size(), gpu.size());
  double largest = 0, worst = 0;
  for (std::size_t i = 0; i < cpu.size(); ++i) {
    largest = std::max(largest, std::abs(cpu[i]));
    worst = std::max(worst, std::abs(cpu[i] - gpu[i]));
  }
  EXPECT_LT(worst, 1e-11 * largest);
}

TEST_F(SolveOnDevice, TooLargeAMatrixSaysWhatIsNeededAndWhatIsFree) {
  Problem problem;
  problem.structure.add_wire(1, 400000, {0, 0, 0}, {0, 0, 4000}, 0.001);
  feed(problem, 0);
  Options options = on("cuda", SolverChoice::cocg);
  options.mesh = MeshChoice::as_given;
  options.operator_choice = OperatorChoice::dense;
  EXPECT_GT(plan(problem, options).device_bytes, std::size_t{1} << 40);
  EXPECT_FALSE(plan(problem, options).shortage.empty());
  try {
    (void)solve(problem, options);
    ADD_FAILURE() << "1.3 TB were accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::memory);
    const std::string text = error.what();
    for (const char* part : {"GiB", "cuda:0 has", "free", "N = 399999", "--precision"})
      EXPECT_NE(text.find(part), std::string::npos) << text;
  }
}

/// A case of everything that runs on the GPU, so small that compute-sanitizer gets
/// through with it: `tests/bench/gpu BUILD sanitize`.
struct SmallCase {
  SolverChoice solver;
  PreconditionerChoice preconditioner;
  const char *placement, *precision;
};

class SmallSolveOnDevice : public SolveOnDevice,
                           public ::testing::WithParamInterface<SmallCase> {};

/// Two tiles: two dipoles and a loaded, bent one over ground, with fields.
Problem two_tiles() {
  Problem problem;
  for (int i = 0; i < 2; ++i)
    problem.structure.add_wire(1 + i, 21, {0.5 * i, 0, 0.1}, {0.5 * i, 0, 0.6}, 0.001);
  for (int end : {-1, 1})
    problem.structure.add_wire(3, 14, {0.25, 0.3, 0.1},
                               {0.25 + 0.1 * end, 0.3 + 0.15 * end, 0.3}, 0.001);
  thinwire::Run run;
  run.frequency_hz = {one_metre_wave_hz};
  run.sources = {volt_on(10), volt_on(31, {0, 1})};
  run.ground = Ground::perfect;
  Load load = {.kind = Load::Kind::impedance, .first = 48, .last = 48, .value = {50}};
  run.loads = {load};
  run.patterns.push_back(broadside());
  NearFieldRequest request = {.count = {5, 1, 1}, .start = {0.1, 0, 0.2}, .step = {0.05}};
  run.near_fields.push_back(request);
  problem.runs.push_back(run);
  return problem;
}

TEST_P(SmallSolveOnDevice, IsThatOfTheCpu) {
  Options options =
      on("cuda", GetParam().solver, GetParam().placement, GetParam().precision);
  options.mesh = MeshChoice::as_given;
  options.preconditioner = GetParam().preconditioner;
  const Problem problem = two_tiles();
  const Solution gpu = solve(problem, options);
  EXPECT_TRUE(gpu.frequencies[0].solver.converged);
  Options on_cpu = on("cpu", SolverChoice::direct);
  on_cpu.mesh = MeshChoice::as_given;
  const Solution cpu = solve(problem, on_cpu);
  EXPECT_GT(cpu.unknowns, 64u);
  EXPECT_LT(difference(gpu, cpu), 1e-6);
  const auto &got = gpu.frequencies[0], &right = cpu.frequencies[0];
  EXPECT_LT(std::abs(got.patterns[0].e_theta_v[0] - right.patterns[0].e_theta_v[0]),
            1e-6 * std::abs(right.patterns[0].e_theta_v[0]));
  EXPECT_LT(std::abs(got.near_fields[0].field[2] - right.near_fields[0].field[2]),
            1e-6 * std::abs(right.near_fields[0].field[2]));
}

std::string test_name(const ::testing::TestParamInfo<SmallCase>& test) {
  const SmallCase& c = test.param;
  std::string name(name_of(c.solver));
  for (const std::string_view word :
       {name_of(c.preconditioner), std::string_view(c.placement),
        std::string_view(c.precision)})
    name.append("_").append(word);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

using S = SolverChoice;
using P = PreconditionerChoice;
INSTANTIATE_TEST_SUITE_P(
    Cases, SmallSolveOnDevice,
    ::testing::Values(SmallCase{S::direct, P::none, "resident", "double"},
                      SmallCase{S::direct, P::none, "resident", "mixed"},
                      SmallCase{S::cocg, P::two_level, "resident", "double"},
                      SmallCase{S::cocg, P::block, "graph", "mixed"},
                      SmallCase{S::cocg, P::none, "product", "double"},
                      SmallCase{S::cg, P::block, "graph", "double"},
                      SmallCase{S::gmres, P::block, "resident", "double"}),
    test_name);

}  // namespace
}  // namespace thinwire
