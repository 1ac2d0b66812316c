#include "cg/direct/shared_ldlt.h"

#include <gtest/gtest.h>

#include "kernels/base/error.h"
#include "tests/cg/on_ranks.h"
#include "tests/cg/shared_system.h"

namespace thinwire {
namespace {

using namespace testing;

TEST(SharedLdlt, SolvesAsLapackDoesOnAnyRanks) {
  for (const std::size_t n : {1, 63, 64, 65, 200, 333}) {
    const testing::DenseOperator z = testing::random_symmetric(n, 7, {2, 1});
    const std::vector<Complex> v = random_vector(3 * n, 8);
    for (const int ranks : {1, 2, 3, 4, 7})
      for (const std::size_t width : {64, 128})
        on_ranks(ranks, [&](const Comm& comm) {
          const SharedMatrix shared = share_of(z, comm, {1, 3});
          const SharedLdlt factors(shared, {}, width);
          std::vector<Complex> x = v;
          factors.solve(x);
          for (std::size_t s = 0; s < 3; ++s) {
            const auto of_side = std::span(v).subspan(s * n, n);
            EXPECT_LT(
                testing::relative_residual(z, std::span(x).subspan(s * n, n), of_side),
                1e-13)
                << n << " " << ranks;
          }
        });
  }
}

TEST(SharedLdlt, NeedsNoLargeDiagonalWithinABlock) {
  // Zero on the diagonal: only pivots inside the blocks get through.
  constexpr std::size_t n = 150;
  testing::DenseOperator random = testing::random_symmetric(n, 9, 0);
  std::vector<Complex> entries = random.entries();
  for (std::size_t i = 0; i < n; ++i) entries[i + i * n] = 0;
  const testing::DenseOperator z(n, entries);
  const std::vector<Complex> v = random_vector(n, 10);
  on_ranks(2, [&](const Comm& comm) {
    const SharedMatrix shared = share_of(z, comm);
    std::vector<Complex> x = v;
    SharedLdlt(shared, {}, 64).solve(x);
    EXPECT_LT(testing::relative_residual(z, x, v), 1e-9);
  });
}

TEST(SharedLdlt, SaysOnAllRanksWhatIsWrong) {
  constexpr std::size_t n = 200;
  for (const Complex entry : {Complex(0), Complex(NAN)}) {
    const testing::DenseOperator z(n, std::vector<Complex>(n * n, entry));
    int told = 0;
    on_ranks(1, [&](const Comm& comm) {
      const SharedMatrix shared = share_of(z, comm);
      try {
        const SharedLdlt factors(shared);
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::numeric);
        ++told;
      }
    });
    EXPECT_EQ(told, 1);
  }
  const testing::DenseOperator zero(n, std::vector<Complex>(n * n));
  std::atomic<int> told = 0;
  on_ranks(3, [&](const Comm& comm) {
    const SharedMatrix shared = share_of(zero, comm);
    EXPECT_THROW(SharedLdlt(shared, {}, 64), Error);
    ++told;
  });
  EXPECT_EQ(told, 3);
}

TEST(SharedLdlt, RanksShareTheMemory) {
  const double n = 20000, one = static_cast<double>(SharedLdlt::bytes(20000, 1));
  EXPECT_NEAR(one, 8 * n * n, 0.05 * 8 * n * n);
  EXPECT_NEAR(static_cast<double>(SharedLdlt::bytes(20000, 4)), 2 * n * n + 32 * n * 128,
              0.05 * 2 * n * n);
}

}  // namespace
}  // namespace thinwire
