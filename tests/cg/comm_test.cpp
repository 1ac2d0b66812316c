#include "cg/comm.h"

#include <gtest/gtest.h>

#include <vector>

#include "cg/krylov/solver.h"
#include "kernels/matrix/symv.h"
#include "tests/cg/comm_contract.h"
#include "tests/cg/dense_system.h"
#include "tests/cg/every_recurrence.h"
#include "tests/cg/on_ranks.h"

namespace thinwire {
namespace {

using testing::on_ranks;

TEST(Comm, OneRankHasTheWhole) {
  const Comm& comm = serial_comm();
  std::vector<Complex> mine = {{1, 2}, {3, 4}}, whole(2);
  comm.sum(mine);
  comm.gather(mine, whole);
  comm.broadcast(mine, 0);
  EXPECT_EQ(mine, (std::vector<Complex>{{1, 2}, {3, 4}}));
  EXPECT_EQ(whole, mine);
}

TEST(Comm, TwoRanksMeet) {
  on_ranks(2, [](const Comm& comm) {
    const double rank = comm.rank();
    std::vector<Complex> values = {{1 + rank, 5}, {0, 2 * rank}};
    comm.sum(values);
    EXPECT_EQ(values, (std::vector<Complex>{{3, 10}, {0, 2}}));
    // Parts of two lengths.
    const std::vector<Complex> part =
        comm.rank() == 0 ? std::vector<Complex>{{1, 1}} : std::vector<Complex>{2.0, 3.0};
    std::vector<Complex> whole(3);
    comm.gather(part, whole);
    EXPECT_EQ(whole, (std::vector<Complex>{{1, 1}, 2.0, 3.0}));
    std::vector<Complex> said(2, {rank, 7});
    comm.broadcast(said, 1);
    EXPECT_EQ(said, std::vector<Complex>(2, {1, 7}));
  });
}

TEST(Comm, ThreadsKeepItsPromise) {
  testing::expect_comm(serial_comm());
  for (const int ranks : {1, 2, 3, 4, 7}) on_ranks(ranks, testing::expect_comm);
}

/// One rank's part of a matrix whose tiles are distributed: it has all of x gathered,
/// makes what its tiles give, and keeps its own unknowns of the sum.
class DealtMatrix final : public LinearOperator {
 public:
  DealtMatrix(const testing::DenseOperator& z, std::size_t first, std::size_t last,
              const Comm& comm)
      : layout_{z.size()},
        share_(TileShare::part(layout_, comm.rank(), comm.ranks())),
        first_(first),
        last_(last),
        comm_(comm) {
    for (std::size_t t = share_.first; t < share_.last; ++t)
      for (std::size_t e = 0; e < PackedTiles::tile_entries; ++e) {
        const auto [row, column] = PackedTiles::tile_at(t);
        const std::size_t i = row * PackedTiles::tile + e / PackedTiles::tile,
                          j = column * PackedTiles::tile + e % PackedTiles::tile;
        tiles_.push_back(i < z.size() && j < z.size() ? z.at(i, j) : 0);
      }
  }
  std::size_t size() const override { return last_ - first_; }
  void apply(std::span<const Complex> x, std::span<Complex> y) const override {
    std::vector<Complex> all_x(layout_.n), all_y(layout_.n);
    comm_.gather(x, all_x);
    symv(layout_, share_, tiles_, all_x, all_y);
    comm_.sum(all_y);
    std::copy_n(all_y.begin() + static_cast<std::ptrdiff_t>(first_), size(), y.begin());
  }

 private:
  PackedTiles layout_;
  TileShare share_;
  std::size_t first_, last_;
  const Comm& comm_;
  std::vector<Complex> tiles_;
};

TEST(Comm, EverySolverRunsOnTwoRanks) {
  constexpr std::size_t n = 300, cut = 170;
  const testing::DenseOperator z = testing::random_symmetric(n, 31, {2, 1});
  const std::vector<Complex> v = testing::random_vector(n, 32);
  const std::vector<Complex> right = testing::lapack_solution(z, v);
  for (const auto& [name, recurrence] : testing::every_recurrence) {
    SolverControl control;
    control.tolerance = 1e-10;
    std::vector<Complex> alone(n);
    const int iterations = solve(recurrence, z, nullptr, v, alone, control).iterations;
    on_ranks(2, [&, which = recurrence](const Comm& comm) {
      const std::size_t first = comm.rank() == 0 ? 0 : cut,
                        last = comm.rank() == 0 ? cut : n;
      const DealtMatrix part(z, first, last, comm);
      // Only the first rank knows the excitation.
      std::vector<Complex> excitation = comm.rank() == 0 ? v : std::vector<Complex>(n);
      comm.broadcast(excitation, 0);
      std::vector<Complex> current(part.size()), whole(n);
      SolverControl shared = control;
      shared.comm = &comm;
      const SolveResult result =
          solve(which, part, nullptr, std::span(excitation).subspan(first, part.size()),
                current, shared);
      comm.gather(current, whole);
      EXPECT_EQ(result.status, SolveStatus::converged);
      EXPECT_EQ(result.iterations, iterations);
      // The tolerance times the condition, below 4: eigenvalues lie around 2 + j.
      EXPECT_LT(testing::relative_difference(whole, right), 4e-10);
    });
  }
}

}  // namespace
}  // namespace thinwire
