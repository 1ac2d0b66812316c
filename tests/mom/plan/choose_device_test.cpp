#include "mom/plan/choose_device.h"

#include <gtest/gtest.h>

#include "kernels/base/error.h"
#include "kernels/fill/matrix_sweep.h"
#include "kernels/matrix/packed_tiles.h"
#include "mom/gpu/gpu.h"
#include "mom/plan/choices.h"
#include "mom/plan/planner.h"
#include "tests/messages.h"
#include "tests/mom/wire_antennas.h"
#include "tests/mom/wire_grids.h"

namespace thinwire {
namespace {

using namespace test;

Problem two_dipoles() {
  Problem problem = dipole(0.25, 0.001, 21);
  problem.structure.add_wire(2, 21, {0.5, 0, -0.25}, {0.5, 0, 0.25}, 0.001);
  return problem;
}

Options on(const char* device, PrecisionChoice precision = PrecisionChoice::in_double) {
  Options options;
  options.device = device_named("device", device);
  options.precision = precision;
  return options;
}

/// The input of plans of a mesh.
struct Counted {
  Counted(const Problem& problem, const MeshOptions& mesh, const Options& wanted)
      : where(problem.structure, mesh),
        options(wanted),
        work(workload(problem, wanted)) {}

  PlanInput input(int threads = 1) const {
    return {counts, counts.size(), options, work, threads};
  }

  Discretization where;
  Options options;
  Workload work;
  CountedMesh counts{where, options, work};
};

ErrorKind kind_of_failure(const Options& options) {
  return test::error_kind([&] { (void)solve(two_dipoles(), options); });
}

TEST(ChooseDevice, WhatIsNotThereIsAnErrorAndNeverTheCpu) {
  EXPECT_EQ(kind_of_failure(on("cuda:999")), ErrorKind::device);
  EXPECT_EQ(kind_of_failure(on("cpu", PrecisionChoice::mixed)), ErrorKind::device);
  if (gpu_report().problem.empty()) return;
  EXPECT_EQ(kind_of_failure(on("cuda")), ErrorKind::device);
  EXPECT_EQ(kind_of_failure(on("auto", PrecisionChoice::in_single)), ErrorKind::device);
}

TEST(ChooseDevice, AutomaticTakesTheCpuForWhatIsSmall) {
  EXPECT_EQ(plan(two_dipoles(), on("auto")).device, "cpu");
}

TEST(ChooseDevice, SmallLoopsAreSolvedOnTheCpu) {
  Problem problem = dipole(0.25, 0.001, 9);
  for (int i = 0; i < 3; ++i)
    problem.structure.add_wire(2 + i, 9,
                               Vec3{i == 0 ? 0.0 : 0.2, 0, i == 2 ? 0.25 : -0.25},
                               Vec3{i == 2 ? 0.0 : 0.2, 0, i == 0 ? -0.25 : 0.25}, 0.001);
  Options options = on("auto");
  SolverChoice solver = SolverChoice::direct;
  const auto why = [&](double wavelengths, const Ground& ground) {
    problem.runs[0].frequency_hz = {wavelengths * one_metre_wave_hz};
    problem.runs[0].ground = ground;
    const Plan choice = choose_device(Counted(problem, {}, options).input());
    EXPECT_EQ(choice.device, "cpu");
    EXPECT_EQ(choice.solver.solver, solver);
    EXPECT_EQ(choice.solver.operator_choice, OperatorChoice::dense);
    return choice.solver.why;
  };
  EXPECT_NE(why(1e-4, Ground::none).find("small closed loops"), std::string::npos);
  EXPECT_EQ(why(1e-1, Ground::none).find("small closed loops"), std::string::npos);
  problem.structure.move(0, 0, {}, {0, 0, 1}, 0);
  EXPECT_NE(why(1e-4, Ground::sommerfeld(13, 0.005)).find("small closed loops"),
            std::string::npos);
  EXPECT_NE(why(1e-4, Ground::coefficients(13, 0.005)).find("small closed loops"),
            std::string::npos);
  for (const SolverChoice asked : {SolverChoice::cocg, SolverChoice::gmres}) {
    options.solver = solver = asked;
    EXPECT_NE(why(1e-4, Ground::none).find("small closed loops"), std::string::npos);
  }
  // A CPU takes the place of the GPU with a warning; without a GPU, asking is an error.
  options = on("cuda", PrecisionChoice::mixed);
  solver = SolverChoice::direct;
  if (!gpu_report().problem.empty()) {
    EXPECT_THROW((void)choose_device(Counted(problem, {}, options).input()), Error);
    return;
  }
  EXPECT_NE(why(1e-4, Ground::none).find("small closed loops"), std::string::npos);
  const Solution solution = solve(problem, options);
  EXPECT_TRUE(
      solution.warnings.at(0).starts_with("solved by the CPU in double precision"));
}

// Each takes up to 0.01 ms for each element, on one thread (mom/plan/field_cost.h).
TEST(ChooseDevice, NearFieldsInTheGroundCountInThePrediction) {
  Problem problem = dipole(0.25, 0.001, 21);
  problem.structure.move(0, 0, {}, {0, 0, 1}, 0);
  problem.runs[0].ground = Ground::sommerfeld(13, 0.005);
  NearFieldRequest request = {.count = {1, 1, 100}, .step = {0, 0, 0.1}};
  const auto seconds = [&](double lowest_z_m) {
    request.start[2] = lowest_z_m;
    problem.runs[0].near_fields = {request};
    Options options = on("cpu");
    options.mesh = MeshChoice::as_given;
    options.threads = 1;
    return plan(problem, options).predicted_seconds;
  };
  EXPECT_LT(seconds(0), 0.1);
  const double of_half = seconds(-4.95) - seconds(0),
               of_all = seconds(-9.95) - seconds(0);
  EXPECT_GT(of_half, 0.005);
  EXPECT_NEAR(of_all / of_half, 2, 0.1);
  // With wires there all points are.
  problem.structure.move(0, 0, {}, {0, 0, -2}, 0);
  EXPECT_NEAR(seconds(0) / seconds(-9.95), 1, 0.1);
}

TEST(ChooseDevice, AShortageNamesTheBoxesThatWereAskedFor) {
  constexpr std::size_t gibibyte = std::size_t{1} << 30;
  Options options = on("cpu");
  options.mesh = MeshChoice::as_given;
  options.preconditioner = PreconditionerChoice::overlap;
  options.boxes = {48, 4};
  const Problem problem = two_dipoles();
  const Counted counted(problem, {}, options);
  Plan choice;
  choice.solver.solver = SolverChoice::gmres;
  choice.solver.operator_choice = OperatorChoice::fft;
  choice.solver.block_bytes = 20 * gibibyte;
  choice.host_bytes = 24 * gibibyte;
  state_shortage(choice, 0, 16 * gibibyte, counted.input());
  EXPECT_EQ(choice.shortage,
            "operator and solver (blocks of --boxes 48,4: 20 GiB) need 24 GiB but "
            "this machine has 16 GiB free (N = " +
                std::to_string(counted.where.unknowns()) +
                "). Use smaller --boxes, fewer segments or a machine with more memory.");
}

TEST(ChooseDevice, AShortageIsTheGpusBeforeItsHosts) {
  const Problem problem = two_dipoles();
  const Counted counted(problem, {}, on("cuda"));
  const auto short_of = [&](std::size_t device_free, std::size_t host_free) {
    Plan choice;
    choice.gpu = true;
    choice.index = 1;
    choice.device_bytes = choice.host_bytes = 100;
    state_shortage(choice, device_free, host_free, counted.input());
    return choice.shortage;
  };
  EXPECT_NE(short_of(99, 99).find("but cuda:1 has"), std::string::npos);
  EXPECT_NE(short_of(100, 99).find("but the host has"), std::string::npos);
  EXPECT_EQ(short_of(100, 100), "");
}

TEST(ChooseDevice, SeparateAntennasHaveTheirModesCoupledOnAGpuWhileThatFits) {
  // 5,000 dipoles on no lattice; the coarse matrix has a row for each.
  constexpr std::size_t dipoles = 5000;
  Problem problem = dipole(0.25, 0.001, 3);
  for (int i = 1; i < static_cast<int>(dipoles); ++i) {
    const double x = 0.5 * (i % 70) + 0.01 * (i % 7), y = 0.5 * (i / 70);
    problem.structure.add_wire(1 + i, 3, {x, y, -0.25}, {x, y, 0.25}, 0.001);
  }
  MeshOptions mesh;
  mesh.graded = false;
  Options options = on("cuda");
  options.mesh = MeshChoice::as_given;
  const Counted counted(problem, mesh, options);
  const PlanInput input = counted.input(thread_count(options));
  ASSERT_EQ(input.size.coarse(), dipoles);
  const auto with = [&](std::size_t free_bytes) {
    DeviceInfo gpu;
    gpu.multiprocessors = 132;
    gpu.free_bytes = free_bytes;
    return on_gpu_by_grid(input, {&gpu, 1});
  };
  const Plan large = with(std::size_t{100} << 30);
  EXPECT_EQ(large.solver.preconditioner, PreconditionerChoice::two_level);
  EXPECT_EQ(large.solver.solver, SolverChoice::cocg);
  EXPECT_LE(large.solver.iterations, 13);
  // The coarse matrix and its factors, half of each stored, in complex single.
  EXPECT_GE(large.solver.bytes, 8 * dipoles * dipoles);
  EXPECT_LE(large.solver.bytes, 12 * dipoles * dipoles);
  const Plan small = with(large.device_bytes - (std::size_t{1} << 20));
  EXPECT_EQ(small.solver.preconditioner, PreconditionerChoice::overlap);
  EXPECT_EQ(small.solver.solver, SolverChoice::gmres);
  EXPECT_TRUE(small.shortage.empty()) << small.shortage;
}

TEST(ChooseDevice, AGpuOverSoilTakesAFinerGridWithoutNearImages) {
  Problem problem = dipole(0.25, 0.001, 21);
  problem.structure = plate(30, 0.1);
  problem.structure.move(0, 0, {2, 0, 0}, {0, 0, 0.3}, 0);  // no plane of the grid's
  problem.runs[0].ground = Ground::sommerfeld(13, 0.005);
  Options options = on("cuda");
  options.mesh = MeshChoice::as_given;
  options.operator_tolerance = 1e-4;
  MeshOptions mesh;
  mesh.graded = false;
  const Counted counted(problem, mesh, options);
  const PlanInput input = counted.input(16);
  DeviceInfo info;
  info.multiprocessors = 132;
  info.free_bytes = std::size_t{100} << 30;
  const Plan gpu = on_gpu_by_grid(input, {&info, 1}), cpu = on_cpu_by_grid(input);
  EXPECT_EQ(gpu.grid->work.image_entries, 0) << gpu.grid->text();
  EXPECT_GT(cpu.grid->work.image_entries, 0) << cpu.grid->text();
}

TEST(ChooseDevice, RanksThatHaveNoSharedMatrixPlanByTheMemoryOfTheTightest) {
  const Problem problem = two_dipoles();
  Counted counted(problem, {}, on("cpu"));
  const PlanInput input = counted.input();
  const Plan alone = on_cpu_by_grid(input);
  ASSERT_TRUE(alone.shortage.empty()) << alone.shortage;
  counted.work.ranks = {{0.5, 0.5}, {std::size_t{100} << 30, alone.host_bytes - 1}};
  EXPECT_FALSE(on_cpu_by_grid(input).shortage.empty());
  counted.work.ranks.free_bytes.back() = alone.host_bytes;
  EXPECT_TRUE(on_cpu_by_grid(input).shortage.empty());
}

TEST(ChooseDevice, WithoutAGpuAPrecisionThatWantsOneIsRefusedWithAWayOut) {
  if (gpu_report().problem.empty()) GTEST_SKIP() << "there is a GPU";
  Options options = on("auto");
  options.precision = PrecisionChoice::mixed;
  try {
    plan(two_dipoles(), options);
    FAIL() << "not refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::device);
    const std::string text = error.what();
    EXPECT_NE(text.find("precision mixed: cuda: "), std::string::npos) << text;
    EXPECT_NE(text.find(" or use --precision double."), std::string::npos) << text;
    EXPECT_EQ(text.find("--device cpu"), std::string::npos) << text;
  }
}

TEST(ChooseDevice, AFillByReflectionCoefficientsIsPredictedToTakeLonger) {
  Problem problem = two_dipoles();
  problem.structure.move(0, 0, {}, {0, 0, 10}, 0);
  const Options options = on("cpu");
  const auto fill_seconds = [&](const Ground& ground) {
    problem.runs[0].ground = ground;
    return choose_device(Counted(problem, {}, options).input()).fill_seconds;
  };
  const double above_soil = fill_seconds({Ground::Kind::sommerfeld, 13, 0.005});
  // Measured: 2.1 s where free space takes 0.2 s and GN 2 0.3 s.
  EXPECT_GT(fill_seconds({Ground::Kind::coefficients, 13, 0.005}), 5 * above_soil);
  EXPECT_LT(fill_seconds(Ground::none), above_soil);
}

TEST(ChooseDevice, ASweepsNearPairsCountInTheMemory) {
  Problem problem = two_dipoles();
  // On one thread: others would hold matrices of their own.
  const auto plan = [&] {
    return choose_device(Counted(problem, {}, on("cpu")).input());
  };
  const Plan one = plan();
  std::vector<double>& frequencies = problem.runs[0].frequency_hz;
  while (frequencies.size() < 100) frequencies.push_back(1.001 * frequencies.back());
  const Plan sweep = plan();
  // As measured on dipoles: four pairs an element on a graded mesh, 64 bytes each at 7
  // nodes or more. The most that is ever free for it is far more. Besides, a matrix at
  // each node.
  EXPECT_GE(sweep.host_bytes, one.host_bytes + 4 * 64 * 7 * sweep.mesh_elements);
  EXPECT_LE(sweep.host_bytes,
            one.host_bytes + 8 * 64 * 20 * sweep.mesh_elements + 16 * sweep.matrix_bytes);
  EXPECT_EQ(max_near_pair_bytes(1000, 600), 100u);
  EXPECT_EQ(max_near_pair_bytes(1000, 2000), 0u);
}

TEST(ChooseDevice, ASweepsInterpolatedMatrixCountsInTheMemory) {
  // So thin that there are few near pairs.
  Problem problem = dipole(0.25, 1e-5, 1001);
  const Plan one = plan(problem, on("cpu"));
  std::vector<double>& frequencies = problem.runs[0].frequency_hz;
  while (frequencies.size() < 100) frequencies.push_back(1.001 * frequencies.back());
  // A matrix at each of a few nodes.
  EXPECT_GE(plan(problem, on("cpu")).host_bytes, one.host_bytes + 5 * one.matrix_bytes);
  // Over more than a decade it is filled at every frequency.
  frequencies.back() *= 20;
  EXPECT_LT(plan(problem, on("cpu")).host_bytes, one.host_bytes + one.matrix_bytes);
}

/// Fills at the nodes of MatrixSweep: the predicted ones against those that it counts.
TEST(ChooseDevice, PredictsHowOftenASweepFillsItsMatrix) {
  for (const double band : {0.02, 0.1, 0.3, 1.0}) {
    Problem problem = two_dipoles();
    std::vector<double>& frequencies = problem.runs[0].frequency_hz;
    const double lowest_hz = frequencies.front();
    const auto sweep = [&](int count) {
      frequencies.clear();
      for (int i = 0; i < count; ++i)
        frequencies.push_back(lowest_hz * (1 + band * i / (count - 1)));
    };
    const auto fills = [&](int count) {
      sweep(count);
      const Plan plan = thinwire::plan(problem, on("cpu"));
      return (predicted_seconds(plan, workload(problem, on("cpu"))) - plan.mesh_seconds -
              plan.field_seconds - count * plan.solver.seconds) /
             plan.fill_seconds;
    };
    // Without what each frequency adds.
    const double predicted = 2 * fills(60) - fills(120);
    const Counted mesh(problem, {}, on("cpu"));
    const std::size_t n = mesh.where.unknowns();
    const Workload::Sweep& range = mesh.work.sweeps.at(0);
    const double counted =
        static_cast<double>(MatrixSweep::table_bytes(mesh.where.elements(), n,
                                                     range.range, range.medium)) /
        static_cast<double>(PackedTiles{n}.entries() * sizeof(Complex));
    ASSERT_GT(counted, 0);
    EXPECT_LT(predicted, 2 * counted) << band;
    EXPECT_GT(predicted, counted / 2) << band;
  }
}

TEST(ChooseDevice, ASweepOverSoilCountsItsGroundsTableToo) {
  Problem problem = dipole(0.25, 0.001, 21);
  problem.structure = Structure();
  problem.structure.add_wire(1, 1001, {0, 0, 1}, {0, 0.5, 1}, 1e-4);
  problem.runs[0].ground = Ground::sommerfeld(13, 0.005);
  const Plan one = plan(problem, on("cpu"));
  std::vector<double>& frequencies = problem.runs[0].frequency_hz;
  const auto sweep_bytes = [&](std::size_t count) {
    while (frequencies.size() < count) frequencies.push_back(1.001 * frequencies.back());
    return plan(problem, on("cpu")).host_bytes - one.host_bytes;
  };
  // Too few for the ground's nine points; nine of them, twice; seventeen.
  EXPECT_LT(sweep_bytes(26), one.matrix_bytes);
  EXPECT_GE(sweep_bytes(50), 18 * one.matrix_bytes);
  EXPECT_LT(sweep_bytes(50), 30 * one.matrix_bytes);
  EXPECT_GE(sweep_bytes(100), 34 * one.matrix_bytes);
  // Also where another run sweeps more frequencies, without that ground.
  auto longer = problem.runs[0];
  longer.ground = Ground::none;
  longer.frequency_hz.push_back(1.001 * longer.frequency_hz.back());
  problem.runs.push_back(longer);
  EXPECT_GE(plan(problem, on("cpu")).host_bytes, one.host_bytes + 34 * one.matrix_bytes);
}

TEST(ChooseDevice, AMatrixThatIsWrittenCountsInTheMemory) {
  Problem problem = dipole(0.25, 0.001, 501);
  const Plan without = plan(problem, on("cpu"));
  problem.runs[0].matrix_file = "matrix.wg";
  EXPECT_EQ(plan(problem, on("cpu")).host_bytes,
            without.host_bytes + sizeof(Complex) * without.unknowns * without.unknowns);
}

TEST(ChooseDevice, PatternsAndNearFieldsCountInThePrediction) {
  Problem problem = two_dipoles();
  const double without = plan(problem, on("cpu")).predicted_seconds;
  PatternRequest pattern = {.theta_count = 181, .phi_count = 360};
  problem.runs[0].patterns = {pattern};
  const double with_pattern = plan(problem, on("cpu")).predicted_seconds;
  EXPECT_GT(with_pattern, without);
  // Directions beyond the first ones take as long as each other.
  const auto seconds = [&](std::int64_t phi_count) {
    problem.runs[0].patterns[0].phi_count = phi_count;
    return plan(problem, on("cpu")).predicted_seconds;
  };
  EXPECT_NEAR(seconds(1080) - seconds(720), seconds(720) - with_pattern, 1e-9);
  NearFieldRequest points;
  points.count[0] = points.count[1] = 100;
  problem.runs[0].near_fields = {points};
  EXPECT_GT(plan(problem, on("cpu")).predicted_seconds, with_pattern);
}

TEST(ChooseDevice, APatternInPartsCountsItsShortPieces) {
  Problem problem = dipole(0.25, 0.001, 21);
  problem.structure = Structure();
  problem.structure.add_wire(1, 21, {0, 0, 1}, {0, 0.5, 1}, 1e-4);
  problem.runs[0].ground = Ground::coefficients(13, 0.005);
  const double without = plan(problem, on("cpu")).predicted_seconds;
  PatternRequest pattern = {.theta_count = 90, .phi_count = 360};
  problem.runs[0].patterns = {pattern};
  const double plain_s = plan(problem, on("cpu")).predicted_seconds - without;
  problem.runs[0].patterns[0].mode = PatternRequest::Mode::line;
  problem.runs[0].patterns[0].second = SecondMedium{};
  // 25 pieces a radian or more where a plain one has one, and each is reflected alone.
  EXPECT_GT(plan(problem, on("cpu")).predicted_seconds - without, 25 * plain_s);
}

}  // namespace
}  // namespace thinwire
