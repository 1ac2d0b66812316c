#include "cg/direct/batched_ldlt.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <span>

#include "cg/direct/split_ldlt.h"
#include "kernels/base/error.h"
#include "tests/kernels/device/device_test_support.h"

namespace thinwire {
namespace {

using namespace testing;

struct Case {
  std::size_t n, sides;
  Complex shift = 2.0;
};

/// Random symmetric matrices and right-hand sides, one behind the other, with gaps.
struct Systems {
  std::vector<std::vector<Complex>> tiles, v;
  std::vector<Complex> all_z, all_v;
  std::vector<BatchedMatrix> matrices;
  std::size_t largest = 0, rows = 0, sides = 0;

  explicit Systems(std::span<const Case> cases) {
    for (const Case& c : cases) {
      const auto seed = static_cast<unsigned>(tiles.size());
      tiles.push_back(random_tiles({c.n}, seed, c.shift));
      v.push_back(random_vector(c.n * c.sides, seed + 100));
      matrices.push_back({static_cast<std::uint32_t>(c.n),
                          static_cast<std::uint32_t>(c.sides), all_z.size(), all_v.size(),
                          rows, sides});
      for (std::size_t i = 0; i < c.n; ++i)
        for (std::size_t j = 0; j < c.n; ++j)
          all_z.push_back(tiles.back()[PackedTiles::offset(i, j)]);
      all_v.insert(all_v.end(), v.back().begin(), v.back().end());
      all_z.resize(all_z.size() + 3, 7.0);
      largest = std::max(largest, c.n + c.sides);
      rows += c.n;
      sides += c.sides;
    }
  }
};

struct Results {
  std::vector<Complex> z, x;
  std::vector<double> residuals;
  std::vector<EliminationReport> reports;
};

Results solved_on_gpu(const Systems& systems) {
  const DeviceStream stream;
  const char* what = "test";
  DeviceBuffer<Complex> z = uploaded(systems.all_z, what, stream);
  const auto v = uploaded(systems.all_v, what, stream);
  const auto matrices = uploaded(systems.matrices, what, stream);
  DeviceBuffer<Complex> x(systems.all_v.size(), what), diagonal(systems.rows, what);
  DeviceBuffer<double> residuals(systems.sides, what);
  DeviceBuffer<EliminationReport> reports(systems.matrices.size(), what);
  set_bytes(x.data(), poison, x.bytes(), stream);
  set_bytes(residuals.data(), poison, residuals.bytes(), stream);
  solve_batch({matrices.data(), systems.matrices.size(), systems.largest, z.data(),
               v.data(), x.data(), diagonal.data(), residuals.data(), reports.data()},
              stream);
  Results results{std::vector<Complex>(systems.all_z.size()),
                  std::vector<Complex>(systems.all_v.size()),
                  std::vector<double>(systems.sides),
                  std::vector<EliminationReport>(systems.matrices.size())};
  z.download(results.z, stream);
  x.download(results.x, stream);
  residuals.download(results.residuals, stream);
  reports.download(results.reports, stream);
  return results;
}

using BatchedLdltOnDevice = OnDevice;

TEST_F(BatchedLdltOnDevice, IsSplitLdltOfEachMatrix) {
  const Case cases[] = {{1, 1},   {2, 3},   {15, 1},  {16, 1},  {17, 2},  {31, 1},
                        {33, 4},  {63, 1},  {64, 1},  {65, 1},  {257, 2}, {303, 1},
                        {500, 3}, {791, 1}, {100, 0}, {303, 17}};
  const Systems systems(cases);
  const Results results = solved_on_gpu(systems);
  for (std::size_t i = 0; i < std::size(cases); ++i) {
    const auto [n, sides, shift] = cases[i];
    const SplitLdlt right({n}, systems.tiles[i]);
    std::vector<Complex> expected = systems.v[i];
    right.solve(expected);
    const BatchedMatrix& m = systems.matrices[i];
    if (sides > 0) {
      EXPECT_LT(
          relative_difference(std::span(results.x).subspan(m.v, n * sides), expected),
          200 * sum_tolerance(n))
          << n;
    }
    for (std::size_t side = 0; side < sides; ++side)
      EXPECT_LT(results.residuals[m.rhs + side], 100 * sum_tolerance(n)) << n;
    // The order of elimination is another one: growth and pivots differ a little.
    EXPECT_GE(results.reports[i].growth, 0.1) << n;
    EXPECT_LE(results.reports[i].growth, 8) << n;
    EXPECT_GT(results.reports[i].smallest_pivot, 0.05) << n;
    // One triangle stays, and what is between matrices.
    for (std::size_t row = 0; row < n; ++row)
      for (std::size_t column = 0; column < row; ++column)
        ASSERT_EQ(results.z[m.z + row * n + column],
                  systems.all_z[m.z + row * n + column]);
    EXPECT_EQ(results.z[m.z + n * n], Complex(7.0));
  }
}

TEST_F(BatchedLdltOnDevice, TheSameBitsAloneAndTogether) {
  const Case together[] = {{65, 2}, {303, 1}, {17, 1}}, alone[] = {{65, 2}};
  const Results some = solved_on_gpu(Systems(together)),
                one = solved_on_gpu(Systems(alone));
  for (std::size_t i = 0; i < one.x.size(); ++i) EXPECT_EQ(one.x[i], some.x[i]);
  EXPECT_EQ(one.residuals[0], some.residuals[0]);
}

TEST_F(BatchedLdltOnDevice, WhereEliminationWithoutPivotsFailsItShows) {
  const Case cases[] = {{40, 1}, {40, 1}, {40, 1}, {40, 1}};
  Systems systems(cases);
  const auto entry = [&](std::size_t matrix, std::size_t i, std::size_t j) -> Complex& {
    return systems.all_z[systems.matrices[matrix].z + i * 40 + j];
  };
  entry(1, 0, 0) = 0;  // a pivot that is zero
  entry(2, 20, 20) = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t i = 0; i < 40; ++i)  // twice the same row and column
    entry(3, i, 39) = entry(3, 39, i) = i < 38 ? entry(3, i, 38) : entry(3, 38, 38);
  const Results results = solved_on_gpu(systems);
  EXPECT_LT(results.reports[0].growth, 8);
  EXPECT_FALSE(results.reports[1].growth <= 64);
  EXPECT_FALSE(results.reports[2].growth <= 64 && results.residuals[2] < 1);
  EXPECT_FALSE(results.reports[3].growth <= 64 &&
               results.reports[3].smallest_pivot > 1e-8);
}

TEST_F(BatchedLdltOnDevice, RefusesMatricesThatAreTooLarge) {
  LdltBatch batch;
  batch.count = 1;
  batch.largest = max_batched_rows() + 1;
  const DeviceStream stream;
  EXPECT_THROW(solve_batch(batch, stream), Error);
}

TEST_F(BatchedLdltOnDevice, AddsEntries) {
  const DeviceStream stream;
  DeviceBuffer<Complex> z = uploaded(std::vector<Complex>{1, 2, 3}, "test", stream);
  const auto place = uploaded(std::vector<std::uint64_t>{2, 0}, "test", stream);
  const auto value = uploaded(std::vector<Complex>{{0, 1}, {0.5, 0}}, "test", stream);
  add_to_batch(place.data(), value.data(), 2, z.data(), stream);
  std::vector<Complex> sum(3);
  z.download(sum, stream);
  EXPECT_EQ(sum, (std::vector<Complex>{1.5, 2, {3, 1}}));
}

}  // namespace
}  // namespace thinwire
