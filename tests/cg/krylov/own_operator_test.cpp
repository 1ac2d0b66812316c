// Solves with a library user's own operator and preconditioner, on the CPU:
// tests/cg/low_rank_operator.h.
#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "cg/krylov/solver.h"
#include "tests/cg/dense_system.h"
#include "tests/cg/every_recurrence.h"
#include "tests/cg/low_rank_operator.h"

namespace thinwire {
namespace {

using namespace testing;

TEST(OwnOperator, IsSolvedByEveryRecurrence) {
  for (const std::size_t n : {1, 31, 65, 300}) {
    const LowRankOperator z = low_rank(n);
    const testing::DiagonalPreconditioner diagonal(z.diagonal());
    const LowRankReference reference(z);
    for (const auto& [name, recurrence] : testing::every_recurrence)
      for (const Preconditioner* m : {static_cast<const Preconditioner*>(nullptr),
                                      static_cast<const Preconditioner*>(&diagonal)}) {
        std::vector<Complex> current(3 * n);
        for (const SolveResult& result :
             solve_rhs(recurrence, z, m, reference.v, current, precisely()))
          EXPECT_EQ(result.status, SolveStatus::converged) << name << ", n = " << n;
        EXPECT_LE(testing::relative_difference(current, reference.current), 1e-8)
            << name << ", n = " << n;
      }
  }
}

}  // namespace
}  // namespace thinwire
