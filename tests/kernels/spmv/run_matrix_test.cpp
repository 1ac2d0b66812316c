#include "kernels/spmv/run_matrix.h"

#include <gtest/gtest.h>

#include "kernels/base/error.h"
#include "tests/kernels/spmv/sparse_samples.h"

namespace thinwire {
namespace {

using namespace testing;

/// Rows of a wire of 40 functions, each near to all others: one run a row.
void whole_wire(std::size_t row, std::vector<ColumnRun>& runs) {
  runs.push_back({static_cast<std::uint32_t>(row / 40 * 40), 40});
}

TEST(RunMatrix, StoresHalfAndSaysTheFill) {
  // Pieces of 8 rows never cross a wire of 40 rows. Below the diagonal of a wire: pieces
  // of 8, 16, .. 40 columns by 8 rows.
  const RunPattern<> pattern = make_run_pattern(400, whole_wire, {8, 4});
  EXPECT_EQ(pattern.entries, 10u * 40 * 41 / 2);
  EXPECT_EQ(pattern.values, 10u * 8 * (8 + 16 + 24 + 32 + 40));
  EXPECT_DOUBLE_EQ(pattern.fill(), 9600.0 / 8200);
}

TEST(RunMatrix, EveryEntryHasItsOwnPlace) {
  const Csr<double> matrix = symmetric_matrix<double>(500);
  for (const int piece_rows : {4, 8, 16}) {
    RunMatrix<double> runs = make_run_matrix(matrix, piece_rows);
    const RunView<double> view = runs.view();
    std::set<std::int64_t> places;
    std::size_t in_matrix = 0;
    for (std::size_t i = 0; i < 500; ++i)
      for (std::size_t j = 0; j <= i; ++j) {
        const std::int64_t at = view.place(i, j);
        EXPECT_EQ(at, view.place(j, i));
        const auto row = matrix.column.begin() + matrix.row_ptr[i],
                   end = matrix.column.begin() + matrix.row_ptr[i + 1];
        const auto found = std::lower_bound(row, end, j);
        const bool is_entry = found != end && *found == j;
        if (is_entry) {
          ++in_matrix;
          ASSERT_GE(at, 0);
          EXPECT_EQ(view.value[at] * (i == j ? 2 : 1),
                    matrix.value[found - matrix.column.begin()]);
        }
        if (at < 0) continue;
        ASSERT_LT(at, static_cast<std::int64_t>(runs.value.size()));
        EXPECT_TRUE(places.insert(at).second);
        if (!is_entry) {
          EXPECT_EQ(view.value[at], 0.0);
        }
      }
    EXPECT_EQ(runs.pattern.entries, in_matrix);
  }
}

TEST(RunMatrix, IgnoresWhatIsBeyondTheDiagonal) {
  const auto all = [](std::size_t, std::vector<ColumnRun>& runs) {
    runs = {{0, 10}, {20, 77}};
  };
  const auto half = [](std::size_t row, std::vector<ColumnRun>& runs) {
    const auto end = static_cast<std::uint32_t>(row + 1);
    runs.push_back({0, std::min(10u, end)});
    if (end > 20) runs.push_back({20, end - 20});
  };
  const RunPattern<> a = make_run_pattern(97, all), b = make_run_pattern(97, half);
  EXPECT_EQ(a.mask, b.mask);
  EXPECT_EQ(a.column, b.column);
  EXPECT_EQ(a.values, b.values);
}

TEST(RunMatrix, BytesAreThoseOfItsParts) {
  const RunPattern<> p = make_run_pattern(400, whole_wire, {8, 4});
  // 13 blocks of 32 rows; a block's columns: of the wires that it lies in, up to its end.
  std::size_t columns = 0, chunks = 0, tasks = 0;
  for (std::size_t first = 0; first < 400; first += 32) {
    const std::size_t last = std::min<std::size_t>(400, first + 32),
                      count = last - first / 40 * 40;
    columns += count;
    chunks += (count + 31) / 32;
    tasks += ((count + 31) / 32 + 5) / 6;
  }
  EXPECT_EQ(p.bytes(), 24 * (tasks + 1) + 4 * 14 + 4 * 32 * chunks + 4 * 4 * chunks +
                           4 * 4 * tasks + 4 * 401 + 4 * columns);
}

TEST(RunMatrix, RealSingleOnComplexDouble) {
  const Csr<float> matrix = symmetric_matrix<float>(300);
  const RunMatrix<float> runs = make_run_matrix(matrix, 8);
  using Complex = std::complex<double>;
  const std::vector<Complex> x = random_vector<Complex>(300, 1);
  std::vector<Complex> y(300);
  run_multiply<float, Complex>(runs, Complex(2), x, Complex(0), y);
  EXPECT_LT(
      error_in_epsilons(matrix, y, exact_product(matrix, Complex(2), x, Complex(0), y)),
      8);
}

TEST(RunMatrix, OfTheLowerHalf) {
  const Csr<double> whole = symmetric_matrix<double>(200);
  std::vector<std::uint64_t> row_ptr = {0};
  std::vector<std::uint32_t> column;
  std::vector<double> value;
  for (std::size_t i = 0; i < 200; ++i) {
    for (std::int64_t k = whole.row_ptr[i]; k < whole.row_ptr[i + 1]; ++k)
      if (whole.column[k] <= i) {
        column.push_back(whole.column[k]);
        value.push_back(whole.value[k]);
      }
    row_ptr.push_back(column.size());
  }
  const RunMatrix<double> half =
      make_run_matrix_of_half<double>(row_ptr, column, value, {8, 4, 2});
  EXPECT_EQ(half.pattern.entries, column.size());
  // y += j A x, as a near field is added to the rest of an operator.
  using Complex = std::complex<double>;
  const std::vector<Complex> x = random_vector<Complex>(200, 1);
  std::vector<Complex> y = random_vector<Complex>(200, 2);
  const auto expected = exact_product(whole, Complex(0, 1), x, Complex(1), y);
  run_multiply<double, Complex>(half, Complex(0, 1), x, Complex(1), y);
  EXPECT_LT(error_in_epsilons(whole, y, expected), 2);
}

TEST(RunMatrix, RefusesRunsOutOfOrder) {
  const auto back = [](std::size_t, std::vector<ColumnRun>& runs) {
    runs = {{4, 3}, {6, 2}};
  };
  EXPECT_THROW(make_run_pattern(97, back), Error);
  EXPECT_THROW(make_run_pattern(97, whole_wire, {5, 0}), Error);
}

}  // namespace
}  // namespace thinwire
