#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "cg/precondition/two_level.h"
#include "tests/cg/blocks_of_20.h"
#include "tests/cg/dense_system.h"
#include "tests/cg/packed_system.h"

namespace thinwire {
namespace {

using namespace testing;

using DeviceTwoLevel = testing::OnDevice;

/// Returns the difference of M r on the GPU from that on the CPU.
double difference_from_cpu(const DenseOperator& z, int modes) {
  const std::size_t n = z.size();
  const auto read = [&](std::span<const std::uint32_t> rows,
                        std::span<const std::uint32_t> columns,
                        std::span<Complex> entries) {
    for (std::size_t j = 0; j < columns.size(); ++j)
      for (std::size_t i = 0; i < rows.size(); ++i)
        entries[i + j * rows.size()] = z.at(rows[i], columns[j]);
  };
  const std::vector<Complex> r = random_vector(n, 41);
  std::vector<Complex> expected(n), got(n), again(n);
  TwoLevelPreconditioner(sets_of_20(n), read, modes).apply(r, expected);
  const OnGpu gpu(z);
  DeviceTwoLevelPreconditioner(gpu.tiles, sets_of_20(n), modes).apply(r, got);
  DeviceTwoLevelPreconditioner(gpu.tiles, sets_of_20(n), modes).apply(r, again);
  EXPECT_EQ(got, again);
  return relative_difference(got, expected);
}

TEST_F(DeviceTwoLevel, AppliesWhatTheCpuDoes) {
  // Coarse matrices of 2 to 600 rows, in panels of 64, and of 256 from 512 rows on.
  for (const auto& [n, modes] :
       {std::pair(7, 2), {630, 2}, {1290, 2}, {2560, 4}, {3000, 4}}) {
    const double difference = difference_from_cpu(
        random_symmetric(static_cast<std::size_t>(n), 40, {1.2, 0.9}), modes);
    EXPECT_LT(difference, 1e-5) << n;
    EXPECT_GT(difference, 1e-12) << n << ": not in complex single";
  }
}

/// The weakest unknown of each set is a mode, and they all are nearly alike: a coarse
/// matrix that complex single cannot invert.
TEST_F(DeviceTwoLevel, InvertsInDoubleWhatSingleCannot) {
  const std::size_t n = 300, set = 20;
  for (const double own : {1e-4, 1e-6, 1e-8}) {
    std::vector<Complex> entries(n * n);
    for (std::size_t i = 0; i < n; ++i) entries[i + i * n] = 10;
    for (std::size_t i = 0; i < n; i += set)
      for (std::size_t j = 0; j < n; j += set)
        entries[i + j * n] = Complex(1, 0.5) + (i == j ? Complex(own, own) : 0);
    EXPECT_LT(difference_from_cpu(DenseOperator(n, std::move(entries)), 1), 1e-6) << own;
  }
}

}  // namespace
}  // namespace thinwire
