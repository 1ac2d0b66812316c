#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "cg/comm.h"

namespace thinwire::testing {

/// Returns a number that each rank can compute for any other rank, and whose sums round.
inline double number_of(int rank, std::size_t i) {
  return std::sin(1.0 + 3.7 * rank + 0.11 * static_cast<double>(i)) *
         std::pow(10.0, static_cast<double>((i + rank) % 7) - 3);
}

inline std::vector<double> numbers_of(int rank, std::size_t count) {
  std::vector<double> numbers(count);
  for (std::size_t i = 0; i < count; ++i) numbers[i] = number_of(rank, i);
  return numbers;
}

/// Checks the contract of Comm; called on all ranks.
inline void expect_comm(const Comm& comm) {
  for (const std::size_t n : {0, 1, 2, 7, 511, 513, 1000}) {
    SCOPED_TRACE(n);
    std::vector<double> values = numbers_of(comm.rank(), n), right(n);
    for (int r = 0; r < comm.ranks(); ++r)
      for (std::size_t i = 0; i < n; ++i) right[i] += number_of(r, i);
    comm.sum(values);
    // To the bit: summed in the order of the ranks.
    EXPECT_EQ(values, right);
  }
  for (const std::size_t longest : {1, 5, 200}) {
    SCOPED_TRACE(longest);
    const auto length = [&](int rank) { return 3 * rank % longest; };
    std::vector<double> right;
    for (int r = 0; r < comm.ranks(); ++r)
      for (std::size_t i = 0; i < length(r); ++i) right.push_back(number_of(r, i));
    std::vector<double> whole(right.size());
    comm.gather(numbers_of(comm.rank(), length(comm.rank())), whole);
    EXPECT_EQ(whole, right);
    for (int root = 0; root < comm.ranks(); ++root) {
      std::vector<double> there(comm.rank() == root ? right.size() : 0);
      comm.gather(numbers_of(comm.rank(), length(comm.rank())), there, root);
      EXPECT_EQ(there, comm.rank() == root ? right : std::vector<double>());
    }
  }
  for (int root = 0; root < comm.ranks(); ++root) {
    std::vector<double> values = numbers_of(comm.rank(), 13);
    comm.broadcast(values, root);
    EXPECT_EQ(values, numbers_of(root, 13));
  }
}

}  // namespace thinwire::testing
