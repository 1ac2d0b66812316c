#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <vector>

#include "kernels/base/complex.h"
#include "kernels/base/error.h"
#include "mom/problem/matrix_sink.h"
#include "mom/solve.h"
#include "tests/cg/on_ranks.h"

namespace thinwire::test {

/// Keeps what it is handed, and in which order.
class MatrixKeeper final : public MatrixSink {
 public:
  void expect(std::size_t n) override {
    EXPECT_TRUE(rows.empty());
    expected = n;
  }
  bool share(std::size_t n) override {
    expected = shares ? n : expected;
    return shares;
  }
  void end_shared() override { ended = true; }
  void take(std::size_t n, std::size_t first, std::span<const Complex> some) override {
    EXPECT_EQ(n, expected);
    EXPECT_FALSE(ended);
    EXPECT_TRUE(shares || first * n == rows.size());
    firsts.push_back(first);
    EXPECT_EQ(some.size() % n, 0u);
    ++bands;
    rows.insert(rows.end(), some.begin(), some.end());
    if (bands == failing) throw Error(ErrorKind::file, "the disk is full");
  }

  std::size_t expected = 0;
  int bands = 0, failing = 0;
  bool shares = false, ended = false;
  std::vector<std::size_t> firsts;
  std::vector<Complex> rows;
};

/// Checks that each rank gets its bands of 64 rows of the shared matrix `right`.
inline void expect_dealt(const Problem& problem, const Options& options, int ranks,
                         std::span<const Complex> right) {
  testing::on_ranks(ranks, [&](const Comm& comm) {
    MatrixKeeper keeper;
    keeper.shares = true;
    Options shared = options;
    shared.ranks = &comm;
    shared.matrix_sink = &keeper;
    (void)solve(problem, shared);
    EXPECT_TRUE(keeper.ended);
    std::size_t at = 0;
    for (const std::size_t first : keeper.firsts) {
      const std::size_t n = keeper.expected, size = std::min<std::size_t>(64, n - first);
      EXPECT_EQ(first / 64 % static_cast<std::size_t>(ranks),
                static_cast<std::size_t>(comm.rank()));
      EXPECT_TRUE(std::ranges::equal(std::span(keeper.rows).subspan(at, size * n),
                                     right.subspan(first * n, size * n)));
      at += size * n;
    }
    auto all = static_cast<double>(keeper.rows.size());
    comm.sum(all);
    EXPECT_EQ(all, static_cast<double>(right.size()));
  });
}

}  // namespace thinwire::test
