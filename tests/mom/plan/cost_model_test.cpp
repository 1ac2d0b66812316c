#include "mom/plan/cost_model.h"
#include "mom/plan/field_cost.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/mom/plan/problem_sizes.h"

namespace thinwire {
namespace {

using namespace test;

// The measured seconds below are those of the tables in docs/measurements/performance.md.

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
    double fill_s, factor_s, solve_s,
        mesh_s;  // mesh: 0 where it searched for close wires
  };
  for (const Row& row : {Row{20, "double", 0.0055, 0.0038, 0.0025, 0},
                         Row{40, "double", 0.065, 0.0113, 0.0192, 0},
                         Row{68, "double", 0.509, 0.0786, 0.142, 0},
                         Row{81, "double", 1.204, 0.157, 0.282, 0.034},
                         Row{90, "mixed", 1.604, 0.219, 3.447, 0},
                         Row{96, "mixed", 2.127, 0.251, 4.158, 0.028}}) {
    const std::string what = std::to_string(row.side) + " x " + std::to_string(row.side);
    const ProblemSize size = array_of(static_cast<std::size_t>(row.side * row.side));
    Options options = as_given();
    options.precision = choice_named<PrecisionChoice>("precision", row.precision);
    const PredictedCost cost = cost_on_gpu(size, two_level, options, 1, 1);
    expect_within(1.5, cost.fill_s, row.fill_s, what + " fill");
    expect_within(1.5, cost.factor_s, row.factor_s, what + " preconditioner");
    expect_within(1.5, cost.solve_s, row.solve_s, what + " solve");
    expect_within(1.5, cost.all_s(), row.fill_s + row.factor_s + row.solve_s, what);
    if (row.mesh_s > 0)
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

// The slower of the two machines in docs/measurements/performance.md.
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
  // takes 1.09 and 1.48 times as long for four sides (docs/measurements/performance.md).
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
    EXPECT_NEAR(2 * half.solve_s, whole.solve_s, 1e-9 * whole.solve_s);
  }
  EXPECT_DOUBLE_EQ(2 * preparation_seconds(8000, rates, 4),
                   preparation_seconds(8000, {}, 4));
  EXPECT_DOUBLE_EQ(2 * field_seconds_on_cpu({5000, 2000}, rates, 4),
                   field_seconds_on_cpu({5000, 2000}, {}, 4));
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

double overlap_iterations_of(const ProblemSize& size, BoxSize boxes) {
  const Method method = {SolverChoice::gmres, PreconditionerChoice::overlap,
                         LdltProducts::tf32, boxes};
  return overlap_cost_on_gpu(size, method, as_given(), 1).iterations;
}

TEST(CostModel, IterationsWithOverlappingBlocksAsCounted) {
  struct Row {
    double cells, thickness, cell;
    BoxSize boxes;
    int iterations;
    double elements_a_side = 1, thinness = 1;
    double volume = std::numeric_limits<double>::infinity();
  };
  // docs/theory/preconditioners.md; plates of 255 and 511 cells by a lattice prototype.
  // The last are of wires of a fiftieth of a cell, or of two elements a side, or both.
  for (const Row& row :
       {Row{40, 0.2, 0.1, {8, 1}, 41}, Row{40, 0.2, 0.1, {8, 2}, 32},
        Row{40, 0.2, 0.1, {16, 2}, 15}, Row{80, 0.2, 0.1, {8, 1}, 71},
        Row{80, 0.2, 0.1, {16, 2}, 38}, Row{80, 0.2, 0.1, {24, 4}, 21},
        Row{80, 0.2, 0.1, {32, 2}, 22}, Row{40, 0.2, 0.02, {8, 2}, 29},
        Row{40, 0.2, 0.02, {16, 2}, 17}, Row{80, 0.2, 0.02, {8, 2}, 79},
        Row{80, 0.2, 0.02, {16, 2}, 41}, Row{80, 0.2, 0.02, {24, 4}, 32},
        Row{40, 0.2, 0.005, {16, 2}, 15}, Row{80, 0.2, 0.005, {16, 2}, 47},
        Row{80, 0.2, 0.005, {24, 4}, 26}, Row{255, 0.2, 0.1, {16, 2}, 61},
        Row{511, 0.2, 0.1, {16, 2}, 91}, Row{255, 0.2, 0.1, {24, 4}, 35},
        Row{511, 0.2, 0.1, {24, 4}, 54}, Row{255, 0.2, 0.02, {16, 2}, 87},
        Row{511, 0.2, 0.02, {24, 4}, 86}, Row{30, 0.8, 0.1, {8, 1}, 40},
        Row{30, 0.8, 0.1, {8, 2}, 33}, Row{30, 0.16, 0.02, {8, 2}, 18},
        Row{96, 0.52, 0.02, {16, 2}, 71}, Row{96, 0.52, 0.02, {32, 2}, 32},
        Row{64, 1.7, 0.1, {32, 2}, 36}, Row{96, 2.6, 0.1, {32, 4}, 179},
        Row{255, 0.2, 0.1, {24, 4}, 42}, Row{255, 0.2, 0.02, {24, 4}, 68},
        Row{96, 2.6, 0.1, {24, 4}, 371}, Row{64, 1.7, 0.1, {16, 2}, 234},
        Row{96, 0.52, 0.02, {12, 2}, 102}, Row{719, 0.2, 0.1, {32, 4}, 74},
        Row{64, 1.7, 0.1, {16, 4}, 177}, Row{64, 1.7, 0.1, {32, 4}, 33},
        Row{96, 2.6, 0.1, {16, 4}, 476}, Row{96, 2.6, 0.1, {32, 8}, 163},
        Row{96, 2.6, 0.1, {48, 4}, 74}, Row{96, 2.6, 0.1, {48, 8}, 68},
        Row{96, 0.52, 0.02, {32, 4}, 29}, Row{255, 0.2, 0.1, {16, 4}, 52},
        Row{255, 0.2, 0.02, {16, 4}, 96}, Row{511, 0.2, 0.1, {24, 6}, 54},
        Row{511, 0.2, 0.02, {24, 6}, 77}, Row{719, 0.2, 0.1, {24, 6}, 70},
        Row{30, 0.2, 0.1, {8, 2}, 25}, Row{30, 0.2, 0.1, {8, 2}, 37, 1, 8},
        Row{60, 0.2, 0.05, {16, 4}, 25, 2}, Row{60, 0.2, 0.05, {24, 4}, 22, 2},
        Row{60, 0.2, 0.05, {8, 2}, 88, 2, 8}, Row{60, 0.2, 0.05, {16, 2}, 51, 2, 8},
        Row{60, 0.2, 0.05, {16, 4}, 36, 2, 8}, Row{160, 0.2, 0.05, {16, 4}, 97, 2, 8},
        // Closed ships of 12.7 wavelengths; a dish.
        Row{127, 3.4, 0.1, {16, 2}, 734, 1, 1, 194},
        Row{127, 3.4, 0.1, {32, 4}, 626, 1, 1, 194},
        Row{127, 3.4, 0.1, {48, 6}, 231, 1, 1, 194}, Row{775, 0, 0.052, {16, 4}, 104},
        Row{255, 0, 0.1, {32, 4}, 37}, Row{255, 0, 0.02, {32, 4}, 54},
        Row{255, 0, 0.05, {24, 4}, 45}, Row{96, 2.6, 0.1, {48, 4}, 79}}) {
    ProblemSize size = grid_of(row.cells, row.thickness, row.cell);
    size.elements_a_side = row.elements_a_side;
    size.thinness = row.thinness;
    size.volume = row.volume;
    const std::string what =
        std::to_string(row.cells) + " cells, box " + std::to_string(row.boxes.box);
    expect_within(1.8, overlap_iterations_of(size, row.boxes), row.iterations, what);
  }
}

TEST(CostModel, IterationsWithACoarseLevelAsCounted) {
  // Closed ships of docs/theory/preconditioners.md, with the box around mast and whip.
  struct Row {
    double cells, thickness, cell, volume;
    BoxSize boxes;
    int iterations;
  };
  for (const Row& row :
       {Row{40, 1.1, 0.1, 6.6, {8, 1}, 15}, Row{96, 1.3, 0.05, 10.6, {8, 2}, 11},
        Row{96, 1.3, 0.05, 10.6, {8, 1}, 17}, Row{96, 1.3, 0.05, 10.6, {16, 2}, 12},
        Row{96, 1.3, 0.05, 10.6, {16, 4}, 10}, Row{96, 2.6, 0.1, 84, {8, 1}, 54},
        Row{96, 2.6, 0.1, 84, {8, 2}, 49}, Row{96, 0.52, 0.02, 0.9, {16, 2}, 17}}) {
    ProblemSize size = grid_of(row.cells, row.thickness, row.cell);
    size.volume = row.volume;
    Method method = {SolverChoice::gmres, PreconditionerChoice::overlap,
                     LdltProducts::tf32, row.boxes};
    const auto iterations = [&] {
      return cost_on_cpu(size, method, as_given(), 1, 2).iterations;
    };
    const double alone = iterations();
    method.coarse = true;
    expect_within(2, iterations(), row.iterations, std::to_string(row.cells) + " cells");
    EXPECT_LT(iterations(), alone);
  }
}

TEST(CostModel, IterationsOfDipolesAtRandomAsCounted) {
  // examples/large/decks.py plane and volume; 42 cells a wavelength.
  struct Row {
    double cells;
    BoxSize boxes;
    int iterations;
  };
  for (const Row& row :
       {Row{751, {42, 21}, 46}, Row{751, {64, 32}, 26}, Row{751, {84, 42}, 18},
        Row{751, {128, 42}, 15}, Row{287, {42, 21}, 41}, Row{287, {64, 21}, 37},
        Row{287, {64, 32}, 33}, Row{5185, {84, 42}, 32}}) {
    ProblemSize size = grid_of(row.cells, 0, 1.0 / 42);
    size.overlaps.push_back({row.boxes, {}});
    size.whole_antennas = true;
    expect_within(
        1.8, overlap_iterations_of(size, row.boxes), row.iterations,
        std::to_string(row.cells) + " cells, box " + std::to_string(row.boxes.box));
  }
}

TEST(CostModel, IterationsOverGroundAsCounted) {
  // Plates of cells of 0.1 wavelengths, heights in wavelengths.
  struct Row {
    double cells, height;
    BoxSize boxes;
    int iterations;
  };
  for (const Row& row :
       {Row{60, 0.1, {16, 2}, 142}, Row{60, 0.1, {16, 4}, 92}, Row{60, 0.1, {24, 4}, 69},
        Row{60, 0.25, {16, 2}, 71}, Row{60, 0.25, {16, 4}, 47},
        Row{60, 0.25, {24, 4}, 36}, Row{60, 0.5, {16, 2}, 37}, Row{60, 0.5, {16, 4}, 26},
        Row{719, 0.5, {32, 4}, 192}, Row{719, 0.5, {16, 4}, 284},
        Row{719, 0.5, {24, 4}, 204}, Row{719, 0.5, {32, 8}, 136},
        Row{719, 0.5, {40, 6}, 133}, Row{719, 0.5, {48, 8}, 103}}) {
    ProblemSize size = grid_of(row.cells, 0, 0.1);
    size.height = row.height;
    expect_within(
        1.8, overlap_iterations_of(size, row.boxes), row.iterations,
        std::to_string(row.cells) + " cells, height " + std::to_string(row.height));
  }
}

}  // namespace
}  // namespace thinwire
