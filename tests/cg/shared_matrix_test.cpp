#include "cg/shared_matrix.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "cg/krylov/solver.h"
#include "tests/cg/every_recurrence.h"
#include "tests/cg/on_ranks.h"
#include "tests/cg/shared_system.h"

namespace thinwire::shared_matrix_test {
namespace {

using namespace testing;

constexpr std::size_t n = 300;

TEST(SharedMatrix, MultipliesAndGathersOnAnyRanks) {
  const testing::DenseOperator z = testing::random_symmetric(n, 3, {2, 1});
  const std::vector<Complex> x = random_vector(2 * n, 4);
  std::vector<Complex> right(2 * n);
  z.apply_many(x, right);
  for (const int ranks : {1, 2, 3, 7, 20})
    on_ranks(ranks, [&](const Comm& comm) {
      const SharedMatrix shared = share_of(z, comm, {3, 0.2, 0, 5});
      std::vector<Complex> y(2 * n);
      shared.apply_many(x, y);
      EXPECT_LT(relative_difference(y, right), 1e-14);
      // All have the same bits.
      std::vector<Complex> of_first = y;
      comm.broadcast(of_first, 0);
      EXPECT_EQ(y, of_first);
      const std::vector<Complex> whole = shared.dense();
      if (comm.rank() == 0)
        EXPECT_EQ(whole, z.entries());
      else
        EXPECT_TRUE(whole.empty());
      std::size_t rows = 0;
      shared.gather_rows([&](std::size_t of, std::size_t first, auto some) {
        EXPECT_EQ(comm.rank(), 0);
        EXPECT_EQ(first, rows);
        EXPECT_EQ(some.size(), std::min<std::size_t>(64, n - rows) * of);
        rows += some.size() / of;
      });
      EXPECT_EQ(rows, comm.rank() == 0 ? n : 0);
      double norm = 0;
      for (std::size_t j = 0; j < n; ++j) {
        double sum = 0;
        for (std::size_t i = 0; i < n; ++i) sum += std::abs(z.at(i, j));
        norm = std::max(norm, sum);
      }
      EXPECT_NEAR(shared.norm1(), norm, 1e-13 * norm);
    });
}

TEST(SharedMatrix, DealsItsBandsToTheRanksInTurn) {
  const testing::DenseOperator z = testing::random_symmetric(n, 3, {2, 1});
  for (const int ranks : {1, 2, 3, 7})
    on_ranks(ranks, [&](const Comm& comm) {
      const SharedMatrix shared = share_of(z, comm, {3, 0.2, 0, 5});
      std::vector<double> taken(n);
      shared.scatter_rows([&](std::size_t of, std::size_t first, auto rows) {
        EXPECT_EQ(of, n);
        EXPECT_EQ(first / 64 % static_cast<std::size_t>(ranks),
                  static_cast<std::size_t>(comm.rank()));
        EXPECT_TRUE(std::ranges::equal(
            rows, std::span(z.entries()).subspan(first * n, rows.size())));
        for (std::size_t i = 0; i < rows.size() / n; ++i) taken[first + i] += 1;
      });
      comm.sum(taken);
      EXPECT_EQ(taken, std::vector<double>(n, 1));
    });
}

TEST(SharedMatrix, RanksHaveEveryEntryOnce) {
  const testing::DenseOperator z = testing::random_symmetric(n, 5, {2, 1});
  const std::vector<std::uint32_t> rows = {0, 63, 64, 130, 299}, columns = {299, 1, 128};
  on_ranks(3, [&](const Comm& comm) {
    SharedMatrix shared = share_of(z, comm);
    const std::vector<MatrixUpdate> updates = {
        {130, 128, {1, 2}}, {64, 1, {3, 4}}, {299, 299, {5, 6}}};
    shared.add(updates);
    std::vector<Complex> entries(rows.size() * columns.size());
    shared.read_own(rows, columns, entries);
    for (std::size_t j = 0; j < columns.size(); ++j)
      for (std::size_t i = 0; i < rows.size(); ++i)
        if (entries[i + j * rows.size()] != 0.0) {
          const auto [low, high] = std::minmax(rows[i], columns[j]);
          EXPECT_TRUE(shared.may_have(low, low, high, high));
        }
    comm.sum(entries);
    for (std::size_t j = 0; j < columns.size(); ++j)
      for (std::size_t i = 0; i < rows.size(); ++i) {
        Complex right = z.at(rows[i], columns[j]);
        for (const MatrixUpdate& u : updates)
          if (std::minmax(rows[i], columns[j]) == std::minmax(u.row, u.column))
            right += u.value;
        EXPECT_EQ(entries[i + j * rows.size()], right) << rows[i] << " " << columns[j];
      }
    // Both triangles of a diagonal tile.
    const std::vector<Complex> whole = shared.dense();
    if (comm.rank() == 0) {
      EXPECT_EQ(whole[130 + 128 * n], whole[128 + 130 * n]);
    }
  });
}

TEST(SharedMatrix, SolversTakeTheSameStepsOnAnyRanks) {
  const testing::DenseOperator z = testing::random_symmetric(n, 31, {2, 1});
  const std::vector<Complex> v = random_vector(2 * n, 32);
  for (const auto& [name, recurrence] : testing::every_recurrence) {
    SolverControl control;
    control.tolerance = 1e-10;
    std::vector<Complex> alone(2 * n);
    const auto results = solve_rhs(recurrence, z, nullptr, v, alone, control);
    for (const int ranks : {2, 3, 4, 7})
      on_ranks(ranks, [&, which = recurrence](const Comm& comm) {
        const SharedMatrix shared = share_of(z, comm);
        const WholeVectors vectors(comm);
        SolverControl together = control;
        together.comm = &vectors;
        std::vector<Complex> current(2 * n);
        const auto got = solve_rhs(which, shared, nullptr, v, current, together);
        for (std::size_t s = 0; s < 2; ++s) {
          EXPECT_EQ(got[s].status, SolveStatus::converged);
          EXPECT_EQ(got[s].iterations, results[s].iterations);
        }
        EXPECT_LT(relative_difference(current, alone), 1e-12);
      });
  }
}

}  // namespace
}  // namespace thinwire::shared_matrix_test
