#include "cg/direct/block_ldlt.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "cg/krylov/device_direct.h"
#include "tests/cg/dense_system.h"
#include "tests/cg/direct/plain_executor.h"
#include "tests/cg/on_ranks.h"

namespace thinwire {
namespace {

using namespace testing;

/// This owner's block columns of the lower triangle, the identity beyond n, numbers that
/// would be seen if they were used above the diagonal.
std::vector<Complex> packed(const DenseOperator& z, const LdltLayout& layout) {
  std::vector<Complex> a(layout.entries(), 1e3);
  for (std::size_t j = 0; j < layout.order(); ++j)
    for (std::size_t i = j; i < layout.order() && layout.holds(j); ++i)
      a[layout.offset(i, j)] = i < layout.n && j < layout.n ? z.at(i, j)
                               : i == j                     ? Complex(1)
                                                            : Complex(0);
  return a;
}

/// Threads that hand values on at once.
template <bool ahead>
struct PlainOwners {
  static constexpr bool looks_ahead = ahead;
  const Comm& comm;
  void begin_aside() const {}
  void wait_for_sent() const {}
  void made(std::size_t) const {}
  void send(std::size_t owner, Complex* values, std::size_t count) const {
    comm.broadcast(std::span(values, count), static_cast<int>(owner));
  }
  void hand_down(std::size_t owner, Block<Complex> x, std::size_t, std::size_t rows,
                 std::size_t rhs_count) const {
    hand_up(owner, x, rows, rhs_count);
  }
  void hand_up(std::size_t owner, Block<Complex> y, std::size_t rows,
               std::size_t rhs_count) const {
    for (std::size_t s = 0; s < rhs_count; ++s) send(owner, y.at(0, s).first, rows);
  }
};

/// Solves for two right-hand sides on one of the owners.
template <bool ahead>
void expect_solution(const DenseOperator& z, const LdltLayout& layout, const Comm& comm) {
  const std::size_t n = z.size(), order = layout.order();
  std::vector<Complex> a = packed(z, layout),
                       panels(layout.panels(ahead) * layout.work()), x(2 * order),
                       y(2 * order);
  const PlainExecutor executor{layout.base};
  const PlainOwners<ahead> owners{comm};
  const BlockLdlt<Complex, PlainExecutor, PlainOwners<ahead>> ldlt(
      layout, executor, executor, owners, a.data(), panels.data());
  ldlt.factor();
  for (unsigned s = 0; s < 2; ++s)
    std::ranges::copy(random_vector(n, 12 + s), x.begin() + s * order);
  ldlt.solve(x.data(), y.data(), 2);
  for (unsigned s = 0; s < 2; ++s)
    EXPECT_LE(relative_difference(std::span<const Complex>(&y[s * order], n),
                                  lapack_solution(z, random_vector(n, 12 + s))),
              1e-12)
        << n << " " << layout.base << ", owner " << comm.rank() << " of "
        << layout.owners;
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

TEST(LdltLayout, OwnersStoreEachColumnOnceAndNoMore) {
  for (const std::size_t n : {1, 8, 9, 33, 40, 65})
    for (const std::size_t owners : {1, 2, 3, 7}) {
      std::size_t all = 0;
      for (std::size_t owner = 0; owner < owners; ++owner) {
        const LdltLayout layout{n, 2, 4, 8, owners, owner};
        std::vector<int> used(layout.entries(), 0);
        for (std::size_t j = 0; j < layout.order(); ++j)
          for (std::size_t i = j; i < layout.order() && layout.holds(j); ++i) {
            ASSERT_LT(layout.offset(i, j), used.size()) << i << " " << j;
            EXPECT_EQ(used[layout.offset(i, j)]++, 0) << i << " " << j;
          }
        all += layout.entries();
      }
      EXPECT_EQ(all, (LdltLayout{n, 2, 4, 8}.entries())) << n << " " << owners;
    }
}

TEST(BlockLdlt, SolvesAtAllBordersOfBlocksPanelsAndBlockColumns) {
  for (std::size_t n = 1; n <= 50; ++n)
    for (const LdltLayout layout :
         {LdltLayout{n, 2, 8, 16}, LdltLayout{n, 3, 12, 12}, LdltLayout{n, 4, 20, 40}})
      expect_solution<true>(random_symmetric(n, 11, {1.2, 0.9}), layout, serial_comm());
}

TEST(BlockLdlt, SolvesWithEachNumberOfOwners) {
  for (const int owners : {1, 2, 3, 7})
    for (const std::size_t n : {1, 9, 17, 33, 50})
      for (LdltLayout layout : {LdltLayout{n, 2, 8, 16}, LdltLayout{n, 4, 4, 12}}) {
        const DenseOperator z = random_symmetric(n, 11, {1.2, 0.9});
        layout.owners = static_cast<std::size_t>(owners);
        on_ranks(owners, [&](const Comm& comm) {
          LdltLayout own = layout;
          own.owner = static_cast<std::size_t>(comm.rank());
          expect_solution<true>(z, own, comm);
          expect_solution<false>(z, own, comm);
        });
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
