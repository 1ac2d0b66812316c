#include "cg/direct/multi_gpu_ldlt.h"

#include <gtest/gtest.h>

#include <vector>

#include "cg/rank_threads.h"
#include "tests/cg/dense_system.h"
#include "tests/cg/direct/plain_executor.h"

namespace thinwire {
namespace {

using namespace testing;

/// Threads that hand values on at once.
struct PlainPeers {
  const Comm& comm;
  void begin_aside() const {}
  void wait_for_sent() const {}
  void send(std::size_t owner, Complex* values, std::size_t count) const {
    comm.broadcast(std::span(values, count), static_cast<int>(owner));
  }
  void hand_on(std::size_t owner, Complex* values, std::size_t count) const {
    send(owner, values, count);
  }
};

/// This owner's block columns; numbers that would be seen if they were used elsewhere.
std::vector<Complex> own_columns(const DenseOperator& z, const LdltLayout& layout) {
  std::vector<Complex> a(layout.entries(), 1e3);
  for (std::size_t j = 0; j < layout.order(); ++j)
    for (std::size_t i = j; i < layout.order() && layout.holds(j); ++i)
      a[layout.offset(i, j)] = i < layout.n && j < layout.n ? z.at(i, j)
                               : i == j                     ? Complex(1)
                                                            : Complex(0);
  return a;
}

TEST(MultiGpuLdlt, OwnersStoreEachColumnOnceAndNoMore) {
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

TEST(MultiGpuLdlt, SolvesWithEachNumberOfOwners) {
  for (const int owners : {1, 2, 3, 7})
    for (const std::size_t n : {1, 9, 17, 33, 50})
      for (const LdltLayout whole : {LdltLayout{n, 2, 8, 16}, LdltLayout{n, 4, 4, 12}}) {
        const DenseOperator z = random_symmetric(n, 11, {1.2, 0.9});
        const std::vector<Complex> v = random_vector(n, 12);
        const std::vector<Complex> expected = lapack_solution(z, v);
        RankThreads threads(owners);
        threads.run([&](const Comm& comm) {
          LdltLayout layout = whole;
          layout.owners = static_cast<std::size_t>(owners);
          layout.owner = static_cast<std::size_t>(comm.rank());
          std::vector<Complex> a = own_columns(z, layout), panels(4 * layout.work());
          const PlainExecutor executor{layout.base};
          const PlainPeers peers{comm};
          const MultiGpuLdlt<Complex, PlainExecutor, PlainPeers> ldlt(
              layout, executor, executor, peers, a.data(), panels.data());
          ldlt.factor();
          std::vector<Complex> x(v), y(layout.order());
          x.resize(layout.order());
          ldlt.solve(x.data(), y.data());
          y.resize(n);
          EXPECT_LE(relative_difference(y, expected), 1e-12)
              << n << ", owner " << comm.rank() << " of " << owners;
        });
      }
}

}  // namespace
}  // namespace thinwire
