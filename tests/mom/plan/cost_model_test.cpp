#include "mom/plan/cost_model.h"

#include <gtest/gtest.h>

#include <cmath>

#include "mom/plan/solver_choice.h"
#include "tests/mom/wire_antennas.h"

namespace thinwire {
namespace {

using namespace test;

/// An array of half-wave dipoles of 21 segments, as the tables of docs/performance.md
/// have them: 20 unknowns each.
ProblemSize array_of(std::size_t dipoles) {
  ProblemSize size;
  size.unknowns = 20 * dipoles;
  size.blocks = dipoles;
  size.largest_block = 20;
  size.block_entries = dipoles * 400;
  size.whole_antennas = true;
  return size;
}
/// n unknowns without structure: for direct solvers.
ProblemSize matrix_of(std::size_t n) {
  ProblemSize size;
  size.unknowns = n;
  return size;
}

constexpr std::size_t all_memory = ~std::size_t{0};
constexpr Method direct = {SolverChoice::direct, PreconditionerChoice::none};
constexpr Method two_level = {SolverChoice::cocg, PreconditionerChoice::two_level};
constexpr Method paper = {SolverChoice::cg, PreconditionerChoice::block};

/// The tables' meshes are those of the decks.
Options as_given() {
  return options_for(MeshChoice::as_given);
}

void expect_within(double factor, double predicted, double measured, std::string what) {
  EXPECT_LE(predicted, factor * measured) << what;
  EXPECT_GE(predicted, measured / factor) << what;
}

// The measured seconds below are those of the tables in docs/performance.md.

TEST(CostModel, ProductsOnTheGpuAsMeasured) {
  struct Row {
    std::size_t n;
    double double_us, single_us;
  };
  for (const Row& row :
       {Row{4096, 44.4, 33.1}, Row{8192, 129.7, 74.5}, Row{16384, 481.8, 255.9},
        Row{32768, 1886.8, 986.2}, Row{65536, 7511.8, 3897}, Row{131072, 29936, 15461}}) {
    expect_within(1.1, 1e6 * product_seconds_on_gpu(row.n, true, 1), row.double_us,
                  std::to_string(row.n) + " double");
    expect_within(1.2, 1e6 * product_seconds_on_gpu(row.n, false, 1), row.single_us,
                  std::to_string(row.n) + " single");
  }
}

TEST(CostModel, DirectSolutionsOnTheGpuAsMeasured) {
  struct Row {
    std::size_t n;
    double factor_s, refinement_s;
  };
  for (const Row& row : {Row{8192, 0.027, 0.003}, Row{16384, 0.088, 0.007},
                         Row{32768, 0.427, 0.023}, Row{65536, 2.878, 0.075}}) {
    const PredictedCost cost = cost_on_gpu(matrix_of(row.n), direct, as_given(), 1, 1);
    expect_within(1.3, cost.factor_s, row.factor_s, std::to_string(row.n) + " factors");
    expect_within(1.3, cost.solve_s, row.refinement_s,
                  std::to_string(row.n) + " refinement");
  }
  constexpr Method in_single = {SolverChoice::direct, PreconditionerChoice::none,
                                LdltProducts::single};
  for (const Row& row : {Row{8192, 0.041, 0}, Row{16384, 0.179, 0}, Row{32768, 1.074, 0}})
    expect_within(1.3,
                  cost_on_gpu(matrix_of(row.n), in_single, as_given(), 1, 1).factor_s,
                  row.factor_s, std::to_string(row.n) + " factors in single");
}

TEST(CostModel, WholeSolvesOnTheGpuAsMeasured) {
  struct Row {
    int side;
    const char* precision;
    double fill_s, factor_s, solve_s, mesh_s;
  };
  for (const Row& row : {Row{20, "double", 0.0055, 0.0038, 0.0025, 0.005},
                         Row{40, "double", 0.065, 0.0113, 0.0192, 0.026},
                         Row{68, "double", 0.509, 0.0786, 0.142, 0.075},
                         Row{81, "double", 1.204, 0.157, 0.282, 0.118},
                         Row{90, "mixed", 1.604, 0.219, 3.447, 0.151},
                         Row{96, "mixed", 2.069, 0.291, 4.456, 0.171}}) {
    const std::string what = std::to_string(row.side) + " x " + std::to_string(row.side);
    const ProblemSize size = array_of(static_cast<std::size_t>(row.side * row.side));
    Options options = as_given();
    options.precision = choice_named<PrecisionChoice>("precision", row.precision);
    const PredictedCost cost = cost_on_gpu(size, two_level, options, 1, 1);
    expect_within(1.5, cost.fill_s, row.fill_s, what + " fill");
    expect_within(1.5, cost.factor_s, row.factor_s, what + " preconditioner");
    expect_within(1.5, cost.solve_s, row.solve_s, what + " solve");
    expect_within(1.5, cost.all_s(), row.fill_s + row.factor_s + row.solve_s, what);
    expect_within(1.5, mesh_seconds(size.unknowns), row.mesh_s, what + " mesh");
  }
}

TEST(CostModel, ThePapersIterationOnTheGpuAsMeasured) {
  struct Row {
    std::size_t n;
    double product_s, resident_s, graph_s, direct_s;
  };
  for (const Row& row : {Row{2000, 0.0215, 0.0144, 0.0132, 0.0141},
                         Row{4000, 0.0366, 0.0202, 0.0188, 0.022},
                         Row{8000, 0.0793, 0.0496, 0.0478, 0.0503},
                         Row{16000, 0.247, 0.181, 0.179, 0.148}}) {
    const ProblemSize size = array_of(row.n / 20);
    const double mesh_s = mesh_seconds(row.n);
    Options options = as_given();
    const auto seconds = [&](const char* placement) {
      options.placement = choice_named<PlacementChoice>("placement", placement);
      return mesh_s + cost_on_gpu(size, paper, options, 1, 1).all_s();
    };
    const std::string what = std::to_string(row.n) + " ";
    expect_within(1.5, seconds("product"), row.product_s, what + "product");
    expect_within(1.5, seconds("resident"), row.resident_s, what + "resident");
    expect_within(1.5, seconds("graph"), row.graph_s, what + "graph");
    expect_within(1.5, mesh_s + cost_on_gpu(size, direct, options, 1, 1).all_s(),
                  row.direct_s, what + "direct");
  }
}

TEST(CostModel, WholeSolvesOnTheCpuAsMeasured) {
  struct Row {
    std::size_t n;
    double fill_s, solve_s, lapack_s;  // LAPACK's factors alone
  };
  for (const Row& row : {Row{2000, 0.075, 0.15, 0.19}, Row{3900, 0.26, 0.57, 1.02},
                         Row{8000, 1.04, 1.71, 0}}) {
    const std::string what = std::to_string(row.n) + " ";
    const ProblemSize size = array_of(row.n / 20);
    const PredictedCost cost = cost_on_cpu(size, two_level, as_given(), 1, 2);
    expect_within(1.5, cost.fill_s, row.fill_s, what + "fill");
    expect_within(1.5, mesh_seconds(row.n) + cost.all_s(), row.solve_s, what + "solve()");
    if (row.lapack_s == 0) continue;
    const PredictedCost lapack = cost_on_cpu(size, direct, as_given(), 1, 2);
    // The prediction has the estimate of the condition too.
    expect_within(1.5, lapack.factor_s, row.lapack_s, what + "LDL^T");
  }
}

// The slower of the two machines in docs/performance.md.
TEST(CostModel, SolvesOnOneAndSixteenThreadsAsMeasured) {
  struct Row {
    std::size_t n;
    int threads;
    Method method;
    double measured_s;
  };
  for (const Row& row : {Row{2000, 1, paper, 0.635}, Row{4000, 1, paper, 4.99},
                         Row{2000, 16, paper, 0.070}, Row{4000, 16, paper, 0.354},
                         Row{8000, 16, paper, 1.68}, Row{2000, 16, direct, 0.242},
                         Row{4000, 16, direct, 0.826}}) {
    const double predicted_s =
        mesh_seconds(row.n) +
        cost_on_cpu(array_of(row.n / 20), row.method, as_given(), 1, row.threads).all_s();
    expect_within(1.5, predicted_s, row.measured_s,
                  std::to_string(row.n) + ", " + std::to_string(row.threads) +
                      " threads, " + std::string(name_of(row.method.solver)));
  }
}

TEST(CostModel, FourRightHandSidesShareTheProductOnTheGpu) {
  // The product is nearly all: 32,768 unknowns without a preconditioner, whose product
  // takes 1.09 and 1.48 times as long for four sides (docs/performance.md).
  const ProblemSize size = matrix_of(32768);
  constexpr Method plain = {SolverChoice::cocg, PreconditionerChoice::none};
  Options options = as_given();
  const auto seconds = [&](double sides) {
    return cost_on_gpu(size, plain, options, sides, 1).solve_s;
  };
  expect_within(1.05, seconds(4) / seconds(1), 1.09, "double");
  EXPECT_DOUBLE_EQ(seconds(8), 2 * seconds(4));
  EXPECT_DOUBLE_EQ(seconds(5), seconds(4) + seconds(1));
  options.precision = PrecisionChoice::in_single;
  expect_within(1.05, seconds(4) / seconds(1), 1.48, "single");
  options.precision = PrecisionChoice::mixed;  // one after another
  EXPECT_DOUBLE_EQ(seconds(4), 4 * seconds(1));
}

TEST(CostModel, ACpuTwiceAsFastTakesHalfAsLong) {
  Options fast = options_for(MeshChoice::graded);
  const Options standard = fast;
  CpuRates& rates = fast.cpu_rates;
  rates.fill_entries_per_s *= 2;
  rates.product_bytes_per_s *= 2;
  rates.factor_flops_per_s *= 2;
  rates.field_terms_per_s *= 2;
  const ProblemSize size = array_of(400);
  for (const Method method : {direct, two_level, paper}) {
    const PredictedCost half = cost_on_cpu(size, method, fast, 3, 4),
                        whole = cost_on_cpu(size, method, standard, 3, 4);
    EXPECT_DOUBLE_EQ(2 * half.fill_s, whole.fill_s);
    EXPECT_DOUBLE_EQ(2 * half.factor_s, whole.factor_s);
    // An iteration's own 50 us stay.
    EXPECT_NEAR(2 * half.solve_s, whole.solve_s + 3 * 50e-6 * whole.iterations,
                1e-9 * whole.solve_s);
  }
  EXPECT_DOUBLE_EQ(2 * field_seconds_on_cpu(100, 50, 20, rates, 4),
                   field_seconds_on_cpu(100, 50, 20, {}, 4));
}

TEST(CostModel, ThreadsBeyondTheMeasuredAddNothing) {
  Options options = as_given();
  options.cpu_rates.computing_threads = 6;
  options.cpu_rates.reading_threads = 3;
  const ProblemSize size = array_of(400);
  const PredictedCost eight = cost_on_cpu(size, two_level, options, 1, 8),
                      sixteen = cost_on_cpu(size, two_level, options, 1, 16),
                      three = cost_on_cpu(size, two_level, options, 1, 3);
  EXPECT_EQ(eight.all_s(), sixteen.all_s());
  EXPECT_EQ(three.solve_s, eight.solve_s);
  EXPECT_DOUBLE_EQ(three.fill_s, 2 * eight.fill_s);
}

TEST(CostModel, AGpuHalfAsWideTakesUpToTwiceAsLong) {
  const ProblemSize size = array_of(4624);
  for (const Method method : {direct, two_level}) {
    const double whole = cost_on_gpu(size, method, as_given(), 1, 1).all_s(),
                 half = cost_on_gpu(size, method, as_given(), 1, 0.5).all_s();
    EXPECT_GT(half, 1.8 * whole);
    EXPECT_LT(half, 2 * whole);
  }
}

TEST(VectorBytes, CountTheBasisOfGmresAndSidesInStep) {
  const ProblemSize size = matrix_of(1000);
  Options options;
  const auto vectors = [&](SolverChoice solver, double iterations, std::size_t sides) {
    return static_cast<double>(vector_bytes(size, {solver, PreconditionerChoice::block},
                                            options, iterations, sides)) /
           (16 * 1000);
  };
  EXPECT_EQ(vectors(SolverChoice::cocg, 500, 1), 16);
  EXPECT_EQ(vectors(SolverChoice::cocr, 500, 3), 3 * 16);
  EXPECT_EQ(vectors(SolverChoice::cocr, 500, 9), 4 * 16);
  // 300 + 1 vectors in chunks of 32: 320, and half of 320^2 coefficients.
  const double basis = 320 + 0.5 * 320 * 320 / 1000;
  EXPECT_DOUBLE_EQ(vectors(SolverChoice::gmres, 200, 1), 16 + basis);
  EXPECT_DOUBLE_EQ(vectors(SolverChoice::gmres, 200, 2), 2 * (16 + basis));
  // No more than there are unknowns, whatever is expected, and than the user allows.
  EXPECT_DOUBLE_EQ(vectors(SolverChoice::gmres, 1e6, 1), 16 + 1024 + 0.5 * 1024 * 1.024);
  options.max_iterations = 31;
  EXPECT_DOUBLE_EQ(vectors(SolverChoice::gmres, 1e6, 1), 16 + 32 + 0.5 * 32 * 0.032);
  options.precision = PrecisionChoice::mixed;
  EXPECT_EQ(vectors(SolverChoice::cocg, 500, 4), 16) << "one after another";
}

TEST(ChooseSolver, TheDryRunCountsWhatSolversKeep) {
  Problem problem = dipole(10, 0.001, 2001);
  Options options = options_for(MeshChoice::as_given);
  options.device = device_named("device", "cpu");
  options.preconditioner = PreconditionerChoice::block;
  const auto bytes = [&](SolverChoice solver, int max_iterations) {
    options.solver = solver;
    options.max_iterations = max_iterations;
    return static_cast<double>(plan(problem, options).total_bytes);
  };
  const double few = bytes(SolverChoice::cocg, 0);
  // 1.5 sqrt(2000) = 67 iterations, 100 with the reserve, 128 vectors.
  EXPECT_NEAR(bytes(SolverChoice::gmres, 0) - few, 16.0 * 128 * (2000 + 64), 1);
  EXPECT_NEAR(bytes(SolverChoice::gmres, 40) - few, 16.0 * 64 * (2000 + 32), 1);
  // The port matrix solves for two sides in step.
  options.port_matrix = true;
  EXPECT_NEAR(bytes(SolverChoice::cocg, 0) - few, 16.0 * 2000 * (16 + 4), 1);
}

TEST(ChooseSolver, TakesWhatIsPredictedFaster) {
  ProblemSize size = array_of(100);
  double direct_s = 1, iterative_s = 2;
  const auto cost = [&](Method method) {
    const bool is_direct = method.solver == SolverChoice::direct;
    SolverCost result;
    result.time.factor_s = is_direct ? direct_s : iterative_s;
    result.time.iterations = is_direct ? 4 : 8;
    result.bytes = is_direct ? 1000 : 10;
    return result;
  };
  Options options;
  SolverPlan plan = choose_solver(size, options, all_memory, cost);
  EXPECT_EQ(plan.solver, SolverChoice::direct);
  EXPECT_EQ(plan.preconditioner, PreconditionerChoice::none);
  EXPECT_EQ(plan.bytes, 1000u);
  EXPECT_EQ(plan.why,
            "predicted 1 s for direct, 2 s for cocg with a two-level preconditioner (8 "
            "iterations)");

  iterative_s = 0.5;
  plan = choose_solver(size, options, all_memory, cost);
  EXPECT_EQ(plan.solver, SolverChoice::cocg);
  EXPECT_EQ(plan.preconditioner, PreconditionerChoice::two_level);
  EXPECT_EQ(plan.bytes, 10u);
  EXPECT_EQ(plan.seconds, 0.5);
  EXPECT_EQ(plan.iterations, 8);

  // Within a hundredth of a second, direct is preferred: it is good to rounding.
  direct_s = 0.509;
  plan = choose_solver(size, options, all_memory, cost);
  EXPECT_EQ(plan.solver, SolverChoice::direct);
  EXPECT_NE(plan.why.find("; direct is the more accurate"), std::string::npos);

  // What the user says counts, fast or not.
  options.solver = SolverChoice::direct;
  plan = choose_solver(size, options, all_memory, cost);
  EXPECT_EQ(plan.solver, SolverChoice::direct);
  EXPECT_EQ(plan.why, "");
  options.solver = SolverChoice::gmres;
  options.preconditioner = PreconditionerChoice::block;
  plan = choose_solver(size, options, all_memory, cost);
  EXPECT_EQ(plan.solver, SolverChoice::gmres);
  EXPECT_EQ(plan.preconditioner, PreconditionerChoice::block);
}

/// A square plate of wire grid with two segments a cell's side, every side a wire and a
/// tag of its own, and a monopole of 9 segments on its middle.
Structure plate(int cells, double cell_m) {
  Structure structure;
  const double radius_m = cell_m / 50, half_m = 0.5 * cells * cell_m;
  int tag = 1;
  for (int i = 0; i <= cells; ++i)
    for (int j = 0; j < cells; ++j) {
      const double across = i * cell_m - half_m, from = j * cell_m - half_m,
                   to = from + cell_m;
      structure.add_wire(tag++, 2, {across, from, 0}, {across, to, 0}, radius_m);
      structure.add_wire(tag++, 2, {from, across, 0}, {to, across, 0}, radius_m);
    }
  structure.add_wire(tag, 9, {0, 0, 0}, {0, 0, 0.25}, radius_m);
  return structure;
}

SolverPlan plan_on_a_gpu(const ProblemSize& size, const Options& options) {
  return choose_solver(size, options, all_memory, [&](Method method) {
    return SolverCost{cost_on_gpu(size, method, options, 1, 1), 0};
  });
}

TEST(ChooseSolver, AGridCutIntoWiresIsNoArrayOfAntennas) {
  MeshOptions mesh;
  mesh.graded = false;
  const Structure grid = plate(80, 0.1);
  const Discretisation where(grid, mesh);
  const ProblemSize size = size_of(where, as_given(), 2 * pi);
  // At a node where M ends meet there are M - 1 functions: twice the elements less nodes.
  ASSERT_EQ(size.unknowns, 2u * (25920 + 9) - (81 * 81 + 12960 + 9));
  EXPECT_FALSE(size.whole_antennas);
  EXPECT_EQ(size.loops, 6400u);
  const SolverPlan chosen = plan_on_a_gpu(size, as_given());
  EXPECT_EQ(chosen.solver, SolverChoice::gmres);
  EXPECT_EQ(chosen.preconditioner, PreconditionerChoice::overlap);
  EXPECT_GE(chosen.boxes.overlap, 2);
  EXPECT_EQ(chosen.block_count, size.overlap(chosen.boxes).boxes);
  EXPECT_EQ(chosen.block_bytes, size.overlap(chosen.boxes).bytes());

  Options direct_alone = as_given();
  direct_alone.solver = SolverChoice::direct;
  const SolverPlan by_factors = plan_on_a_gpu(size, direct_alone);
  EXPECT_EQ(by_factors.products, LdltProducts::single);
  // A second of products in complex single (docs/performance.md, 32,768 unknowns).
  expect_within(1.3, by_factors.seconds, 1.1, "plate");

  // Where another iteration is asked for, the factors that may follow are still these.
  Options iterative = as_given();
  iterative.solver = SolverChoice::cocg;
  EXPECT_EQ(plan_on_a_gpu(size, iterative).products, LdltProducts::single);
  EXPECT_EQ(plan_on_a_gpu(size, iterative).preconditioner,
            PreconditionerChoice::two_level);
}

/// A grid as the fit of iterations sees it.
ProblemSize grid_of(double cells_across, double thickness, double cell) {
  ProblemSize size = matrix_of(30000);
  size.blocks = 60;
  size.cells_across = cells_across;
  size.thickness = thickness;
  size.cell = cell;
  for (const BoxSize boxes :
       {BoxSize{8, 1}, {8, 2}, {16, 2}, {16, 4}, {24, 4}, {32, 2}}) {
    OverlapExtent extent;
    const auto own = static_cast<std::size_t>(3 * boxes.box * boxes.box);
    for (std::size_t left = size.unknowns; left > 0; left -= std::min(left, own))
      extent.add(std::min(left, own),
                 own + static_cast<std::size_t>(12 * boxes.box * boxes.overlap));
    size.overlaps.push_back({boxes, extent});
  }
  return size;
}

TEST(CostModel, IterationsWithOverlappingBlocksAsCounted) {
  struct Row {
    double cells, thickness, cell;
    BoxSize boxes;
    int iterations;
  };
  // docs/preconditioners.md; plates of 255 and 511 cells by a lattice prototype.
  for (const Row& row :
       {Row{40, 0.2, 0.1, {8, 1}, 41},    Row{40, 0.2, 0.1, {8, 2}, 32},
        Row{40, 0.2, 0.1, {16, 2}, 15},   Row{80, 0.2, 0.1, {8, 1}, 71},
        Row{80, 0.2, 0.1, {16, 2}, 38},   Row{80, 0.2, 0.1, {24, 4}, 21},
        Row{80, 0.2, 0.1, {32, 2}, 22},   Row{40, 0.2, 0.02, {8, 2}, 29},
        Row{40, 0.2, 0.02, {16, 2}, 17},  Row{80, 0.2, 0.02, {8, 2}, 79},
        Row{80, 0.2, 0.02, {16, 2}, 41},  Row{80, 0.2, 0.02, {24, 4}, 32},
        Row{40, 0.2, 0.005, {16, 2}, 15}, Row{255, 0.2, 0.1, {16, 2}, 61},
        Row{511, 0.2, 0.1, {16, 2}, 91},  Row{255, 0.2, 0.1, {24, 4}, 35},
        Row{511, 0.2, 0.1, {24, 4}, 54},  Row{255, 0.2, 0.02, {16, 2}, 87},
        Row{511, 0.2, 0.02, {24, 4}, 86}, Row{30, 0.8, 0.1, {8, 1}, 40},
        Row{30, 0.8, 0.1, {8, 2}, 33},    Row{30, 0.16, 0.02, {8, 2}, 18},
        Row{96, 0.52, 0.02, {16, 2}, 71}, Row{96, 0.52, 0.02, {32, 2}, 32},
        Row{64, 1.7, 0.1, {32, 2}, 36},   Row{96, 2.6, 0.1, {32, 2}, 140}}) {
    const Method method = {SolverChoice::gmres, PreconditionerChoice::overlap,
                           LdltProducts::tf32, row.boxes};
    const PredictedCost cost = cost_on_gpu(grid_of(row.cells, row.thickness, row.cell),
                                           method, as_given(), 1, 1);
    expect_within(
        1.65, cost.iterations, row.iterations,
        std::to_string(row.cells) + " cells, box " + std::to_string(row.boxes.box));
  }
}

TEST(ChooseSolver, TakesTheBoxesThatFit) {
  const ProblemSize size = grid_of(80, 0.2, 0.1);
  Options options = as_given();
  options.preconditioner = PreconditionerChoice::overlap;
  const auto cost = [&](Method method) {
    SolverCost result = {cost_on_gpu(size, method, options, 1, 1), 0};
    if (method.preconditioner == PreconditionerChoice::overlap)
      result.bytes = size.overlap(method.boxes).device_bytes();
    return result;
  };
  const SolverPlan free = choose_solver(size, options, all_memory, cost);
  EXPECT_EQ(free.solver, SolverChoice::gmres);
  const SolverPlan bounded = choose_solver(size, options, free.bytes - 1, cost);
  EXPECT_LT(bounded.bytes, free.bytes);
  EXPECT_GE(bounded.seconds, free.seconds);
  // Where none fits, the smallest: its shortage is then stated.
  const SolverPlan none = choose_solver(size, options, 1, cost);
  for (const auto& overlap : size.overlaps)
    EXPECT_LE(none.bytes, overlap.extent.device_bytes());

  options.solver = SolverChoice::cocg;
  try {
    (void)choose_solver(size, options, all_memory, cost);
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_EQ(std::string(error.what()),
              "--precond overlap is not symmetric, which --solver cocg needs. Use "
              "--solver gmres, or another --precond.");
  }
}

TEST(ChooseSolver, KeepsCocgForAntennasThatStandApart) {
  Structure array;
  for (int i = 0; i < 40; ++i)
    array.add_wire(1, 21, {0.5 * i, 0, -0.25}, {0.5 * i, 0, 0.25}, 0.001);
  MeshOptions mesh;
  mesh.graded = false;
  const Discretisation where(array, mesh);
  Options options = as_given();
  EXPECT_TRUE(size_of(where, options, 2 * pi).overlaps.empty());
  EXPECT_EQ(iterative_solver(size_of(where, options, 2 * pi), options),
            SolverChoice::cocg);
  options.preconditioner = PreconditionerChoice::overlap;
  const ProblemSize size = size_of(where, options, 2 * pi);
  EXPECT_EQ(iterative_solver(size, options), SolverChoice::gmres);
  // A dipole is 21 cells long and never cut: boxes of 128 cells hold five or six.
  EXPECT_EQ(size.overlap({8, 1}).boxes, 40u);
  EXPECT_EQ(size.overlap({128, 64}).boxes, 7u);
}

TEST(ChooseSolver, WiresWithoutManyLoopsStartInTf32) {
  MeshOptions mesh;
  mesh.graded = false;
  Structure structure;
  structure.add_wire(1, 2000, {0, 0, 0}, {0, 0, 100}, 0.001);
  for (int i = 0; i < 300; ++i) {  // as many triangles, each an antenna
    const Vec3 a = {1.0 + i, 0, 0}, b = {1.5 + i, 0, 0}, c = {1.2 + i, 0.5, 0};
    structure.add_wire(2 + i, 2, a, b, 0.001);
    structure.add_wire(2 + i, 2, b, c, 0.001);
    structure.add_wire(2 + i, 2, c, a, 0.001);
  }
  const Discretisation where(structure, mesh);
  const ProblemSize size = size_of(where, as_given(), 2 * pi);
  EXPECT_EQ(size.unknowns, 1999u + 300 * 6);
  EXPECT_EQ(size.loops, 1u);
  EXPECT_FALSE(size.whole_antennas);  // the wire is cut
  EXPECT_EQ(plan_on_a_gpu(size, as_given()).products, LdltProducts::tf32);

  const Structure small = plate(10, 0.1);
  EXPECT_EQ(
      plan_on_a_gpu(size_of(Discretisation(small, mesh), as_given(), 2 * pi), as_given())
          .products,
      LdltProducts::tf32);
}

TEST(ChooseSolver, TheDryRunStatesThePrediction) {
  Problem problem;
  for (int i = 0; i < 25; ++i)
    problem.structure.add_wire(1 + i, 21, {0.5 * (i % 5), 0.5 * (i / 5), -0.25},
                               {0.5 * (i % 5), 0.5 * (i / 5), 0.25}, 0.001);
  thinwire::Run run;
  run.frequency_hz = {one_metre_wave_hz, 1.01 * one_metre_wave_hz};
  run.sources.push_back(volt_on(10));
  problem.runs.push_back(run);
  Options options = options_for(MeshChoice::as_given);
  options.device = device_named("device", "cpu");
  options.threads = 2;
  options.solver = SolverChoice::cocg;
  const Plan stated = plan(problem, options);
  EXPECT_EQ(stated.unknowns, 500u);
  const PredictedCost cost = cost_on_cpu(array_of(25), two_level, options, 1, 2);
  EXPECT_DOUBLE_EQ(stated.predicted_seconds, mesh_seconds(500) + 2 * cost.all_s());
}

}  // namespace
}  // namespace thinwire
