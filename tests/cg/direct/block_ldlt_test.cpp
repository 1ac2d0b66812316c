#include "cg/direct/block_ldlt.h"

#include <gtest/gtest.h>

#include <vector>

#include "cg/krylov/device_direct.h"
#include "tests/cg/dense_system.h"
#include "tests/cg/direct/plain_executor.h"

namespace thinwire {
namespace {

using namespace testing;

/// Lower triangle in the layout, the identity beyond n, numbers that would be seen if
/// they were used above the diagonal.
std::vector<Complex> packed(const DenseOperator& z, const LdltLayout& layout) {
  std::vector<Complex> a(layout.entries(), 1e3);
  for (std::size_t j = 0; j < layout.order(); ++j)
    for (std::size_t i = j; i < layout.order(); ++i)
      a[layout.offset(i, j)] = i < layout.n && j < layout.n ? z.at(i, j)
                               : i == j                     ? Complex(1)
                                                            : Complex(0);
  return a;
}

TEST(LdltLayout, EveryEntryOfTheTriangleHasItsOwnPlace) {
  for (const LdltLayout layout :
       {LdltLayout{1, 2, 4, 8}, LdltLayout{7, 2, 4, 8}, LdltLayout{8, 2, 4, 8},
        LdltLayout{9, 2, 4, 8}, LdltLayout{33, 2, 4, 8}, LdltLayout{40, 4, 4, 16}}) {
    const std::size_t order = layout.order();
    std::vector<int> used(layout.entries(), 0);
    for (std::size_t j = 0; j < order; ++j)
      for (std::size_t i = j; i < order; ++i) {
        const std::size_t at = layout.offset(i, j);
        ASSERT_LT(at, used.size()) << i << " " << j;
        EXPECT_EQ(used[at]++, 0) << i << " " << j;
        // A step down is the next entry; a step right within a block column is leading().
        EXPECT_EQ(at, layout.offset(j, j) + i - j);
        if (j % layout.width != 0) {
          EXPECT_EQ(at, layout.offset(i, j - 1) + layout.leading(j));
        }
      }
    EXPECT_EQ(layout.offset(order - 1, order - 1), layout.entries() - 1);
  }
}

TEST(LdltLayout, TakesHalfAMatrix) {
  // 1 + 2048 / n of n^2 / 2, and no overflow where bytes pass 2^32.
  for (const std::size_t n : {8192, 65536, 131072}) {
    const LdltLayout layout{n};
    EXPECT_EQ(layout.entries(), n * (n + layout.width) / 2);
    EXPECT_EQ(layout.offset(n - 1, n - 1), layout.entries() - 1);
    EXPECT_LT(static_cast<double>(DeviceLdlt::bytes(n)),
              4.0 * static_cast<double>(n) * static_cast<double>(n + 3200));
  }
  // Small ones are padded to 64 rows, not to a panel of 512.
  EXPECT_EQ(LdltLayout{65}.entries(), 128u * 128u);
}

TEST(BlockLdlt, SolvesAtAllBordersOfBlocksPanelsAndBlockColumns) {
  for (std::size_t n = 1; n <= 50; ++n)
    for (const LdltLayout layout :
         {LdltLayout{n, 2, 8, 16}, LdltLayout{n, 3, 12, 12}, LdltLayout{n, 4, 20, 40}}) {
      const DenseOperator z = random_symmetric(n, 11, {1.2, 0.9});
      std::vector<Complex> a = packed(z, layout), w(layout.work());
      const PlainExecutor executor{layout.base};
      const BlockLdlt<Complex, PlainExecutor> ldlt(layout, executor, a.data(), w.data());
      ldlt.factor();
      const std::vector<Complex> v = random_vector(n, 12);
      std::vector<Complex> x(v), y(layout.order());
      x.resize(layout.order());
      ldlt.solve(x.data(), y.data());
      y.resize(n);
      EXPECT_LE(relative_difference(y, lapack_solution(z, v)), 1e-12)
          << n << " " << layout.base;
    }
}

TEST(BlockLdlt, TheRefinementIsGivenUpWhereItIsTooSlow) {
  // Four digits a step, a tenth a step, and none.
  EXPECT_TRUE(refinement_is_on_course(5, 1e-9, 1e-10));
  EXPECT_TRUE(refinement_is_on_course(30, 1e-6, 1e-10));
  EXPECT_FALSE(refinement_is_on_course(30, 1e-4, 1e-10));
  EXPECT_FALSE(refinement_is_on_course(5, 0.9, 1e-10));
  EXPECT_FALSE(refinement_is_on_course(5, std::nan(""), 1e-10));
  // The first steps may be spent on a few directions.
  EXPECT_TRUE(refinement_is_on_course(4, 1.0, 1e-10));
}

}  // namespace
}  // namespace thinwire
