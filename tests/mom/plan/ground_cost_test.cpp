#include "mom/plan/field_cost.h"

#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "kernels/base/constants.h"
#include "kernels/ground/ground_table.h"
#include "mom/media/real_ground.h"
#include "mom/plan/planner.h"
#include "mom/plan/run_meshes.h"
#include "tests/mom/plan/problem_sizes.h"
#include "tests/mom/wire_antennas.h"

namespace thinwire::ground_cost_test {
namespace {

using namespace test;

constexpr double frequency_hz = 7e6;
constexpr double k_rad_per_m = wavenumber_rad_per_m(frequency_hz);

/// A quarter-wave monopole over radial wires 5 cm in the ground, or 5 cm above it.
Problem monopole(int radials, double height_m) {
  Problem problem = dipole(0.25, 0.001, 21);
  problem.structure = Structure();
  problem.structure.add_wire(1, 15, {0, 0, height_m}, {0, 0, 10}, 0.005);
  for (int i = 0; i < radials; ++i) {
    const double phi = 2 * pi * i / radials;
    problem.structure.add_wire(2 + i, 10, {0, 0, height_m},
                               {5 * std::cos(phi), 5 * std::sin(phi), height_m}, 0.001);
  }
  problem.runs[0].sources = {};
  problem.runs[0].frequency_hz = {frequency_hz};
  problem.runs[0].ground = Ground::sommerfeld(13, 0.005);
  return problem;
}

TEST(GroundCost, OfWiresInTheGroundHoldsTheirTable) {
  const double k = k_rad_per_m;
  for (const int radials : {4, 16, 60}) {
    const Problem problem = monopole(radials, -0.05);
    const RunMeshes meshes(problem, {});
    const auto elements = meshes.largest().elements();
    const Ground& ground = problem.runs[0].ground;
    const BuriedCost cost = buried_cost(elements, ground, k);
    const GroundTable below(ground.permittivity(k),
                            reflection_places(elements, {k, k, 1}, GroundSide::below),
                            GroundSide::below);
    EXPECT_GT(cost.table_bytes, below.bytes()) << radials;
    EXPECT_LT(cost.table_bytes, 4 * below.bytes()) << radials;
    const Plan needed = plan(problem, {});
    EXPECT_GT(needed.ground_table_bytes(), cost.table_bytes) << radials;
    EXPECT_GT(needed.predicted_seconds, needed.ground_table_seconds()) << radials;
  }
}

TEST(GroundCost, OfEntriesGrowsWithTheirNumber) {
  const auto fill_s = [](int radials, int threads) {
    Options options;
    options.threads = threads;
    return plan(monopole(radials, -0.05), options).below.fill_s;
  };
  const double ratio = fill_s(60, 1) / fill_s(30, 1);
  EXPECT_GT(ratio, 2);
  EXPECT_LT(ratio, 4);
  EXPECT_GT(fill_s(30, 1), 1.5 * fill_s(30, 2));
}

// Processor seconds of one thread: the first two are docs/measurements/performance.md's,
// less the rest of the solve, then a volume below the same radials; a dipole 5 m above
// its ground; a dipole over fresh water at 300 MHz with volumes of 10 and 20 points each
// way below it, then a vertical one with 10 and 4.
TEST(GroundCost, NearFieldsAsMeasured) {
  struct Row {
    std::size_t elements;
    GroundPoints points;
    double seconds;
  };
  for (const Row& row :
       {Row{838, {0, 900, false}, 0.50}, Row{838, {0, 1800, false}, 1.08},
        Row{838, {0, 1000, true}, 0.61}, Row{74, {0, 900, false}, 0.065},
        Row{58, {8100, 0, false}, 0.45}, Row{58, {900, 0, false}, 0.05},
        Row{58, {0, 1000, true}, 0.14}, Row{58, {0, 8000, true}, 0.88},
        Row{58, {0, 1000, true}, 0.28}, Row{58, {0, 64, true}, 0.069}})
    expect_within(2, ground_field_seconds(row.elements, row.points, 1), row.seconds,
                  std::to_string(row.elements));
}

TEST(GroundCost, FewPointsTakeIntegralsAndManyTables) {
  const auto seconds = [](std::size_t points, std::size_t solutions) {
    return ground_field_seconds(50, {0, points, false}, solutions);
  };
  EXPECT_DOUBLE_EQ(seconds(4, 1), 4 * seconds(1, 1));
  EXPECT_LT(seconds(4000, 1), 200 * seconds(4, 1));
  EXPECT_DOUBLE_EQ(seconds(4000, 100), 100 * seconds(40, 1));
}

TEST(GroundCost, WiresAboveNeedNoTablesBelow) {
  const Problem problem = monopole(4, 0.05);
  const RunMeshes meshes(problem, {});
  const BuriedCost cost =
      buried_cost(meshes.largest().elements(), problem.runs[0].ground, k_rad_per_m);
  EXPECT_EQ(cost.table_bytes, 0u);
  EXPECT_EQ(cost.table_s + cost.fill_s, 0);
}

}  // namespace
}  // namespace thinwire::ground_cost_test
