#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <string>
#include <vector>

#include "cg/direct/device_factors.h"
#include "cg/krylov/device_direct.h"
#include "cg/krylov/device_solver.h"
#include "cg/precondition/block_preconditioner.h"
#include "cg/precondition/two_level.h"
#include "kernels/base/error.h"
#include "tests/cg/device_owners.h"
#include "tests/cg/every_recurrence.h"
#include "tests/messages.h"

namespace thinwire {
namespace {

using namespace testing;

/// Rows of tiles shared in the ratio 1 : 2 : 3 ..., so that no share is like another.
TileShare share_of(PackedTiles layout, int owner, int owners) {
  const auto cut = [&](int parts) {
    const int all = owners * (owners + 1) / 2, before = parts * (parts + 1) / 2;
    return layout.rows() * static_cast<std::size_t>(before) /
           static_cast<std::size_t>(all);
  };
  return TileShare::of_rows(cut(owner), cut(owner + 1));
}

/// An owner's part of a matrix on its GPU.
struct Part {
  Part(const std::vector<Complex>& z, std::size_t n, Storage storage,
       DeviceExchange& exchange)
      : tiles(PackedTiles{n}, storage,
              share_of(PackedTiles{n}, exchange.owner(), exchange.owners())),
        product(tiles, {}, &exchange) {
    const DeviceStream stream;
    tiles.upload(std::span(z).subspan(tiles.share().first * PackedTiles::tile_entries,
                                      tiles.share().entries()),
                 stream);
  }
  DeviceTiles tiles;
  TiledOperator product;
};

/// Calls work(part, exchange) for each owner, and gathers what it returns.
template <class Work>
auto of_owners(const std::vector<int>& devices, Joined joined, const DenseOperator& z,
               const Work& work, Storage storage = Storage::complex_double) {
  using Result = std::vector<Complex>;
  const std::vector<Complex> tiles = packed(z);
  std::vector<Result> results(devices.size());
  on_multi_gpu(devices, joined, TiledOperator::window_bytes(PackedTiles{z.size()}),
               [&](DeviceExchange& exchange) {
                 Part part(tiles, z.size(), storage, exchange);
                 results[static_cast<std::size_t>(exchange.owner())] =
                     work(part, exchange);
               });
  return results;
}

using SharedTiles = testing::OnMultiGpu;

/// Ranks have no graphs.
bool fits_graph(Joined joined) {
  return joined == Joined::peers || joined == Joined::host;
}

TEST_F(SharedTiles, TheProductIsThatOfAllTilesWithTheSameBitsOnAllOwners) {
  for_teams([](std::vector<int> devices, Joined joined) {
    for (const std::size_t n : {1, 65, 257, 1000, 2500}) {
      const DenseOperator z = random_symmetric(n, 3, {1.2, 0.9});
      for (const std::size_t sides : {1, 4}) {
        const std::vector<Complex> x = random_vector(n * sides, 4);
        const auto multiply = [&] {
          return of_owners(devices, joined, z, [&](Part& part, DeviceExchange&) {
            std::vector<Complex> y(x.size());
            part.product.apply_many(x, y);
            return y;
          });
        };
        const auto y = multiply(), again = multiply();
        for (std::size_t side = 0; side < sides; ++side) {
          std::vector<Complex> expected(n);
          z.apply(std::span(x).subspan(side * n, n), expected);
          EXPECT_LE(relative_difference(std::span(y[0]).subspan(side * n, n), expected),
                    1e-14 * std::sqrt(static_cast<double>(n)) + 1e-15)
              << n;
        }
        for (const auto& of_owner : y) EXPECT_EQ(of_owner, y[0]) << n;
        EXPECT_EQ(again, y) << n;
      }
    }
  });
}

TEST_F(SharedTiles, EveryRecurrenceTakesTheStepsOfOneGpu) {
  const std::size_t n = 1000;
  const DenseOperator z = random_symmetric(n, 5, {1.2, 0.9});
  const std::vector<Complex> v = random_vector(n, 6);
  SolverControl control;
  control.tolerance = 1e-9;
  for (const Placement placement :
       {Placement::resident, Placement::product, Placement::graph})
    for (const auto& [name, recurrence] : every_recurrence) {
      SCOPED_TRACE(name);
      const OnGpu one(z);
      std::vector<Complex> alone(n);
      const SolveResult by_one =
          solve(recurrence, one.product, nullptr, v, alone, control, placement);
      for_teams([&](std::vector<int> devices, Joined joined) {
        if (placement == Placement::graph && !fits_graph(joined)) return;
        std::atomic<int> alike = 0;
        const auto run = [&] {
          return of_owners(devices, joined, z, [&](Part& part, DeviceExchange&) {
            std::vector<Complex> current(n);
            const SolveResult result =
                solve(recurrence, part.product, nullptr, v, current, control, placement);
            alike += result.status == SolveStatus::converged &&
                     std::abs(result.iterations - by_one.iterations) <= 1;
            return current;
          });
        };
        const auto current = run(), again = run();
        EXPECT_EQ(alike, 2 * static_cast<int>(devices.size()));
        EXPECT_LE(relative_residual(z, current[0], v), 2e-9);
        for (const auto& of_owner : current) EXPECT_EQ(of_owner, current[0]);
        EXPECT_EQ(again, current);
      });
    }
}

TEST_F(SharedTiles, FourSidesInStep) {
  const std::size_t n = 700;
  const DenseOperator z = random_symmetric(n, 5, {1.2, 0.9});
  const std::vector<Complex> v = random_vector(4 * n, 6);
  SolverControl control;
  control.tolerance = 1e-9;
  for_teams([&](std::vector<int> devices, Joined joined) {
    const auto current = of_owners(devices, joined, z, [&](Part& part, DeviceExchange&) {
      std::vector<Complex> x(4 * n);
      for (const SolveResult& result : solve_rhs(Recurrence::gmres, part.product, nullptr,
                                                 v, x, control, Placement::resident))
        EXPECT_EQ(result.status, SolveStatus::converged);
      return x;
    });
    for (const auto& of_owner : current) EXPECT_EQ(of_owner, current[0]);
    for (std::size_t side = 0; side < 4; ++side)
      EXPECT_LE(relative_residual(z, std::span(current[0]).subspan(side * n, n),
                                  std::span(v).subspan(side * n, n)),
                2e-9);
  });
}

/// Sets of 40 unknowns, each with neighbours and ones from afar.
std::vector<BlockPreconditioner::IndexSet> sets_of(std::size_t n) {
  const std::size_t count = n / 40;
  std::vector<BlockPreconditioner::IndexSet> sets(count);
  for (std::uint32_t i = 0; i < n; ++i) sets[(i / 8) % count].push_back(i);
  return sets;
}

TEST_F(SharedTiles, BlockAndTwoLevelPreconditionersAreThoseOfAllTiles) {
  const std::size_t n = 1000;
  const DenseOperator z = random_symmetric(n, 5, {1.2, 0.9});
  const std::vector<Complex> r = random_vector(n, 6);
  const auto sets = sets_of(n);
  const OnGpu one(z);
  std::vector<Complex> by_blocks(n), by_levels(n);
  DeviceBlockPreconditioner(one.tiles, sets).apply(r, by_blocks);
  DeviceTwoLevelPreconditioner(one.tiles, sets, 2).apply(r, by_levels);
  for_teams([&](std::vector<int> devices, Joined joined) {
    for (const auto& of_owner :
         of_owners(devices, joined, z, [&](Part&part, DeviceExchange&exchange) {
           std::vector<Complex> result(n);
           DeviceBlockPreconditioner(part.tiles, sets, &exchange).apply(r, result);
           return result;
         }))
      EXPECT_EQ(of_owner, by_blocks);
    for (const auto& of_owner :
         of_owners(devices, joined, z, [&](Part&part, DeviceExchange&exchange) {
           std::vector<Complex> result(n);
           DeviceTwoLevelPreconditioner(part.tiles, sets, 2, &exchange).apply(r, result);
           return result;
         }))
      EXPECT_LE(relative_difference(of_owner, by_levels), 1e-12);
  });
}

TEST_F(SharedTiles, LdltSolvesAsOnOneGpu) {
  // Around panels of 512 and block columns of 2048.
  for (const std::size_t n : {1, 65, 577, 1100, 2049, 2625, 4500})
    for (const LdltProducts products : {LdltProducts::tf32, LdltProducts::single}) {
      const DenseOperator z = random_symmetric(n, 11, {1.2, 0.9});
      const std::vector<Complex> v = random_vector(n, 12);
      for_teams([&](std::vector<int> devices, Joined joined) {
        const auto solve = [&] {
          return of_owners(devices, joined, z, [&](Part& part, DeviceExchange& exchange) {
            std::vector<Complex> current(n);
            DeviceLdlt(part.tiles, products, &exchange).apply(v, current);
            return current;
          });
        };
        const auto current = solve(), again = solve();
        EXPECT_LE(relative_residual(z, current[0], v),
                  products == LdltProducts::tf32 ? 3e-3 : 3e-6)
            << n;
        for (const auto& of_owner : current) EXPECT_EQ(of_owner, current[0]) << n;
        EXPECT_EQ(again, current) << n;
      });
    }
}

TEST_F(SharedTiles, TheDirectSolverRefinesAndFallsBack) {
  const std::size_t n = 1100;
  SolverControl control;
  control.tolerance = 1e-12;
  // The second has a leading block that is singular without pivots from others.
  for (const bool singular_block : {false, true}) {
    std::vector<Complex> entries = random_symmetric(n, 11, {1.2, 0.9}).entries();
    if (singular_block)
      for (std::size_t j = 0; j < 64; ++j)
        for (std::size_t i = 0; i < 64; ++i) entries[i + j * n] = 0;
    const DenseOperator z(n, entries);
    const std::vector<Complex> v = random_vector(n, 12);
    for_teams([&](std::vector<int> devices, Joined joined) {
      const auto current =
          of_owners(devices, joined, z, [&](Part& part, DeviceExchange&) {
            std::vector<Complex> x(n);
            DeviceDirectSolver solver(part.product);
            solver.solve(v, x, control);
            EXPECT_EQ(solver.fallback().empty(), !singular_block);
            return x;
          });
      EXPECT_LE(relative_residual(z, current[0], v), singular_block ? 1e-9 : 1.01e-12);
      for (const auto& of_owner : current) EXPECT_EQ(of_owner, current[0]);
    });
  }
}

/// Every owner gives up where one is stopped in the middle of a graph, and the next
/// solve of the same owners is right.
TEST_F(SharedTiles, AGraphEndsOnAllOwnersWhereOneIsStopped) {
  const std::size_t n = 500;
  const DenseOperator z = random_symmetric(n, 5, {1.2, 0.9});
  const std::vector<Complex> v = random_vector(n, 6);
  for_teams([&](std::vector<int> devices, Joined joined) {
    if (!fits_graph(joined)) return;
    const std::vector<Complex> tiles = packed(z);
    const auto last = static_cast<int>(devices.size()) - 1;
    RankThreads threads(last + 1);
    MultiGpu team(devices, joined == Joined::host);
    std::vector<std::unique_ptr<DeviceExchange>> exchanges(devices.size());
    std::vector<std::unique_ptr<Part>> parts(devices.size());
    const auto on_each = [&](const SolverControl& of_first,
                             const SolverControl& of_others, std::vector<Complex>& x) {
      threads.run([&](const Comm& comm) {
        const auto rank = static_cast<std::size_t>(comm.rank());
        exchanges[rank]->start_anew();
        std::vector<Complex> current(n);
        solve(Recurrence::cocg, parts[rank]->product, nullptr, v, current,
              rank == 0 ? of_first : of_others, Placement::graph);
        if (comm.rank() == last) x = current;
      });
    };
    threads.run([&](const Comm& comm) {
      const auto rank = static_cast<std::size_t>(comm.rank());
      exchanges[rank] = team.join(
          comm.rank(), TiledOperator::window_bytes(PackedTiles{n}), threads.failed());
      parts[rank] =
          std::make_unique<Part>(tiles, n, Storage::complex_double, *exchanges[rank]);
    });
    SolverControl control, endless, stopped;
    control.tolerance = 1e-9;
    endless.tolerance = stopped.tolerance = 1e-300;
    endless.max_iterations = stopped.max_iterations = 1'000'000'000;
    stopped.on_iteration = [](int iteration, double, Complex) {
      if (iteration >= 20) throw Error(ErrorKind::interrupted, "enough");
    };
    std::vector<Complex> x;
    for (const bool first : {true, false}) {
      EXPECT_THROW(on_each(first ? stopped : endless, first ? endless : stopped, x),
                   Error);
      on_each(control, control, x);
      EXPECT_LE(relative_residual(z, x, v), 2e-9);
    }
    threads.run([&](const Comm& comm) {
      parts[static_cast<std::size_t>(comm.rank())].reset();
      exchanges[static_cast<std::size_t>(comm.rank())].reset();
    });
  });
}

TEST_F(SharedTiles, RanksRefuseAGraphByName) {
  const DenseOperator z = random_symmetric(100, 5, {1.2, 0.9});
  const std::vector<Complex> v = random_vector(100, 6);
  EXPECT_TRUE(contains(test::error_message([&] {
                         of_owners({0, 0}, Joined::ranks_by_host, z,
                                   [&](Part& part, DeviceExchange&) {
                                     std::vector<Complex> current(100);
                                     solve(Recurrence::cocg, part.product, nullptr, v,
                                           current, {}, Placement::graph);
                                     return current;
                                   });
                       }),
                       "placement graph"));
}

}  // namespace
}  // namespace thinwire
