// Solves with a library user's own operator and preconditioner, on the GPU:
// tests/cg/low_rank_operator.h.
#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "cg/krylov/device_solver.h"
#include "tests/cg/dense_system.h"
#include "tests/cg/every_recurrence.h"
#include "tests/cg/low_rank_operator.h"
#include "tests/cg/packed_system.h"

namespace thinwire {
namespace {

using namespace testing;

using OwnOperatorOnDevice = testing::OnDevice;

TEST_F(OwnOperatorOnDevice, IsSolvedInEveryPlacement) {
  for (const std::size_t n : {1, 31, 65, 300}) {
    const LowRankOperator z = low_rank(n);
    const testing::DeviceLowRankOperator on_gpu(z);
    const testing::DeviceDiagonalPreconditioner diagonal(z.diagonal());
    const LowRankReference reference(z);
    for (const auto& [name, recurrence] : testing::every_recurrence)
      for (const auto& [where, placement] : testing::every_placement)
        for (const DevicePreconditioner* m :
             {static_cast<const DevicePreconditioner*>(nullptr),
              static_cast<const DevicePreconditioner*>(&diagonal)})
          for (const std::size_t rhs_count : {1, 3}) {
            std::vector<Complex> current(rhs_count * n);
            const auto v = std::span(reference.v).first(rhs_count * n);
            for (const SolveResult& result :
                 solve_rhs(recurrence, on_gpu, m, v, current, precisely(), placement))
              EXPECT_EQ(result.status, SolveStatus::converged)
                  << name << ", " << where << ", n = " << n;
            EXPECT_LE(testing::relative_difference(
                          current, std::span(reference.current).first(rhs_count * n)),
                      1e-8)
                << name << ", " << where << ", n = " << n;
          }
  }
}

}  // namespace
}  // namespace thinwire
