#include <algorithm>
#include <random>

#include "kernels/spmv/run_matrix.h"
#include "tests/kernels/device/device_test_support.h"

namespace thinwire {
namespace {

using namespace testing;
using RunPatternOnDevice = OnDevice;

/// Lower half of a matrix by rows: some rows empty, some full, most with runs near the
/// diagonal and far from it.
struct Half {
  std::vector<std::uint64_t> row = {0};
  std::vector<std::uint32_t> column;
};

Half random_half(std::size_t rows) {
  std::mt19937 random(7);
  const auto below = [&](std::size_t n) { return random() % (n + 1); };
  Half half;
  for (std::size_t i = 0; i < rows; ++i) {
    std::vector<bool> here(i + 1, i % 97 == 13);
    for (int run = 0; i % 11 != 3 && run < 4; ++run) {
      const std::size_t start = run < 2 ? i - std::min(i, below(60)) : below(i),
                        end = std::min(i, start + below(run % 2 == 0 ? 3 : 40));
      std::fill(here.begin() + start, here.begin() + end + 1, true);
    }
    for (std::size_t j = 0; j <= i; ++j)
      if (here[j]) half.column.push_back(static_cast<std::uint32_t>(j));
    half.row.push_back(half.column.size());
  }
  return half;
}

template <class T>
std::vector<T> on_host(const DeviceBuffer<T>& from) {
  const DeviceStream stream;
  std::vector<T> to(from.size());
  from.download(to, stream);
  return to;
}

TEST_F(RunPatternOnDevice, IsThatOfTheCpu) {
  const DeviceStream stream;
  for (const std::size_t rows : {0u, 1u, 31u, 33u, 63u, 65u, 257u, 1000u, 9001u})
    for (const RunShape shape : {RunShape{}, RunShape{4, 1, 1}, RunShape{4, 3, 8},
                                 RunShape{8, 16, 6}, RunShape{16, 32, 5}}) {
      SCOPED_TRACE(std::to_string(rows) + " rows, " + std::to_string(shape.piece_rows) +
                   " x " + std::to_string(shape.slices));
      const Half half = random_half(rows);
      const std::vector<double> value(half.column.size(), 1.0);
      const RunPattern<> right =
          make_run_matrix_of_half<double>(half.row, half.column, value, shape).pattern;
      const RunPattern<DeviceBuffer> made =
          make_device_run_pattern(uploaded(half.row, "row", stream),
                                  uploaded(half.column, "column", stream), stream, shape);
      EXPECT_EQ(made.rows, right.rows);
      EXPECT_EQ(made.slices, right.slices);
      EXPECT_EQ(made.values, right.values);
      EXPECT_EQ(made.entries, right.entries);
      EXPECT_EQ(on_host(made.block_task), right.block_task);
      EXPECT_EQ(on_host(made.column), right.column);
      EXPECT_EQ(on_host(made.mask), right.mask);
      EXPECT_EQ(on_host(made.slice_first), right.slice_first);
      EXPECT_EQ(on_host(made.column_first), right.column_first);
      EXPECT_EQ(on_host(made.appearance), right.appearance);
      const std::vector<RunTask> tasks = on_host(made.tasks);
      ASSERT_EQ(tasks.size(), right.tasks.size());
      for (std::size_t t = 0; t < tasks.size(); ++t) {
        EXPECT_EQ(tasks[t].first_value, right.tasks[t].first_value) << t;
        EXPECT_EQ(tasks[t].first_chunk, right.tasks[t].first_chunk) << t;
        EXPECT_EQ(tasks[t].chunks, right.tasks[t].chunks) << t;
        EXPECT_EQ(tasks[t].block, right.tasks[t].block) << t;
      }
    }
}

}  // namespace
}  // namespace thinwire
