#include <gtest/gtest.h>

#include <atomic>
#include <limits>
#include <string>
#include <utility>

#include "cg/krylov/device_solver.h"
#include "cg/precondition/device_overlap.h"
#include "kernels/base/error.h"
#include "tests/cg/dense_system.h"
#include "tests/cg/device_owners.h"
#include "tests/cg/every_recurrence.h"
#include "tests/cg/overlapping_sets.h"
#include "tests/cg/packed_system.h"
#include "tests/messages.h"

namespace thinwire {
namespace {

using namespace testing;

using DeviceOverlap = testing::OnDevice;

std::vector<Complex> applied(const Preconditioner& m, std::span<const Complex> r) {
  std::vector<Complex> z(r.size(), Complex(7, -7));
  m.apply(r, z);
  return z;
}

TEST_F(DeviceOverlap, AppliesWhatTheCpuDoes) {
  for (const std::uint32_t n : {3, 31, 33, 63, 65, 257, 1000}) {
    const DenseOperator z = random_symmetric(n, 80, {1.2, 0.9});
    const std::vector<OverlappingSet> sets = interleaved(n, n / 5);
    const OverlapPreconditioner cpu(sets, reader_of(z));
    const std::vector<Complex> r = random_vector(n, 81), expected = applied(cpu, r);
    for (const Storage storage : {Storage::complex_double, Storage::complex_single}) {
      const OnGpu on_gpu(z, storage);
      const DeviceOverlapPreconditioner gpu(sets, block_reader(on_gpu.tiles));
      EXPECT_FALSE(gpu.symmetric());
      ASSERT_EQ(gpu.size(), n);
      const std::vector<Complex> got = applied(gpu, r);
      // Complex single, inverted in another order.
      EXPECT_LT(relative_difference(got, expected), 1e-5) << n;
      EXPECT_EQ(got, applied(gpu, r)) << n;
      EXPECT_EQ(got,
                applied(DeviceOverlapPreconditioner(sets, block_reader(on_gpu.tiles)), r))
          << n;
    }
  }
}

TEST_F(DeviceOverlap, InvertsSetsOfManySizes) {
  // From one unknown to 300, so that batches of different sizes follow one another.
  constexpr std::uint32_t n = 1000;
  const DenseOperator z = random_symmetric(n, 82, {1.2, 0.9});
  std::vector<OverlappingSet> sets;
  std::uint32_t next = 0;
  for (std::uint32_t own = 1; next < n; own = 2 * own + 3) {
    OverlappingSet set;
    for (; set.functions.size() < own && next < n; ++next) set.functions.push_back(next);
    set.own = set.functions.size();
    for (std::uint32_t i = 0; i < own / 3 && next + i < n; ++i)
      set.functions.push_back(next + i);
    sets.push_back(set);
  }
  const OnGpu on_gpu(z);
  const DeviceOverlapPreconditioner gpu(sets, block_reader(on_gpu.tiles));
  const std::vector<Complex> r = random_vector(n, 83);
  EXPECT_LT(relative_difference(applied(gpu, r),
                                applied(OverlapPreconditioner(sets, reader_of(z)), r)),
            1e-5);
  const OverlapExtent extent = OverlapExtent::of(sets);
  const auto predicted = static_cast<double>(extent.device_bytes());
  EXPECT_NEAR(static_cast<double>(gpu.bytes()), predicted, 0.02 * predicted);
}

TEST_F(DeviceOverlap, MultipliesSetsThatShareAnInverseTogether) {
  // Tiles of 64 rows and 32 sets, full and not; three sets are too few to share.
  for (const auto& [blocks, each] :
       {std::pair{41u, 20u}, {10u, 210u}, {34u, 96u}, {5u, 31u}}) {
    const DenseOperator z = testing::repeated(blocks, each, 86);
    const std::vector<OverlappingSet> sets = testing::of_repeated(blocks, each, true);
    const OnGpu on_gpu(z);
    const std::vector<Complex> r = random_vector(z.size(), 87),
                               expected =
                                   applied(OverlapPreconditioner(sets, reader_of(z)), r);
    using Sharing = DeviceOverlapPreconditioner::Sharing;
    for (const Sharing sharing : {Sharing::always, Sharing::never}) {
      const DeviceOverlapPreconditioner gpu(sets, block_reader(on_gpu.tiles), {},
                                            sharing);
      const std::vector<Complex> got = applied(gpu, r);
      EXPECT_LT(relative_difference(got, expected), 1e-5) << blocks;
      EXPECT_EQ(got, applied(gpu, r)) << blocks;
    }
  }
}

using SharedBlocks = testing::OnMultiGpu;

// Each owner inverts some sets, and the first of those whose matrices are equal anew. Of
// three sets, the third of three owners has one, or none.
TEST_F(SharedBlocks, GiveWhatOneOwnerDoes) {
  for (const auto& [z, sets] :
       {std::pair{random_symmetric(257, 80, {1.2, 0.9}), interleaved(257, 50)},
        std::pair{testing::repeated(41, 20, 86), testing::of_repeated(41, 20, true)}}) {
    const OnGpu on_gpu(z);
    const std::vector<Complex> r = random_vector(z.size(), 87),
                               expected =
                                   applied(OverlapPreconditioner(sets, reader_of(z)), r);
    for_teams([&](const std::vector<int>& devices, testing::Joined joined) {
      if (devices.back() != 0) return;  // the matrix is on the first GPU
      std::vector<std::vector<Complex>> got(devices.size());
      on_multi_gpu(devices, joined, DeviceOperator::window_bytes({z.size()}),
                   [&](DeviceExchange& exchange) {
                     const DeviceOverlapPreconditioner m(
                         sets, block_reader(on_gpu.tiles), {},
                         DeviceOverlapPreconditioner::Sharing::where_faster,
                         {.sharing = &exchange});
                     got[exchange.share().owner] = applied(m, r);
                   });
      for (const std::vector<Complex>& of_owner : got) {
        EXPECT_LT(relative_difference(of_owner, expected), 1e-5);
        EXPECT_EQ(of_owner, got[0]);
      }
    });
  }
}

TEST_F(DeviceOverlap, AddsLoadsToTheBlocks) {
  constexpr std::uint32_t n = 257;
  const DenseOperator z = random_symmetric(n, 88, {1.2, 0.9});
  // On the diagonal, between two unknowns, twice at one place.
  const std::vector<MatrixUpdate> loads = {
      {5, 5, {3, 1}}, {200, 7, {0.5, -2}}, {5, 5, {1, 0}}, {256, 4, {0, 1}}};
  std::vector<Complex> with = z.entries();
  for (const MatrixUpdate& load : loads) {
    with[load.row + load.column * n] += load.value;
    if (load.row != load.column) with[load.column + load.row * n] += load.value;
  }
  const std::vector<OverlappingSet> sets = interleaved(n, 50);
  const std::vector<Complex> r = random_vector(n, 89);
  const OnGpu on_gpu(z), loaded(DenseOperator(n, with));
  const DeviceOverlapPreconditioner added(sets,
                                          with_loads(block_reader(on_gpu.tiles), loads)),
      expected(sets, block_reader(loaded.tiles)),
      without(sets, block_reader(on_gpu.tiles));
  EXPECT_LT(relative_difference(applied(added, r), applied(expected, r)), 1e-5);
  EXPECT_GT(relative_difference(applied(without, r), applied(expected, r)), 1e-3);
}

TEST_F(DeviceOverlap, StopsWhereTheMonitorSays) {
  const DenseOperator z = random_symmetric(65, 90, {1.2, 0.9});
  const OnGpu on_gpu(z);
  const std::atomic<bool> stop = true;
  EXPECT_THROW(DeviceOverlapPreconditioner(
                   interleaved(65, 10), block_reader(on_gpu.tiles), Monitor({}, &stop)),
               Error);
}

TEST_F(DeviceOverlap, ServesFlexibleGmresInAllPlacements) {
  constexpr std::uint32_t n = 600;
  const DenseOperator z = random_symmetric(n, 84, {1.2, 0.9});
  const std::vector<OverlappingSet> sets = interleaved(n, 100);
  const OverlapPreconditioner on_cpu(sets, reader_of(z));
  const OnGpu on_gpu(z);
  const DeviceOverlapPreconditioner m(sets, block_reader(on_gpu.tiles));
  const std::vector<Complex> v = random_vector(n, 85);
  SolverControl control;
  control.tolerance = 1e-12;
  control.flexible = true;
  std::vector<Complex> expected(n);
  const SolveResult cpu = solve(Recurrence::gmres, z, &on_cpu, v, expected, control);
  for (const auto& placement : testing::every_placement) {
    std::vector<Complex> current(n);
    const SolveResult gpu = solve(Recurrence::gmres, on_gpu.product, &m, v, current,
                                  control, placement.placement);
    EXPECT_EQ(gpu.status, SolveStatus::converged) << placement.name;
    EXPECT_NEAR(gpu.iterations, cpu.iterations, 1) << placement.name;
    EXPECT_LT(relative_difference(current, expected), 1e-10) << placement.name;
    for (const Recurrence other : {Recurrence::cg, Recurrence::cocg, Recurrence::cocr})
      EXPECT_THROW((void)solve(other, on_gpu.product, &m, v, current, control,
                               placement.placement),
                   Error)
          << placement.name;
  }
}

TEST_F(DeviceOverlap, NamesABlockThatHasNoInverse) {
  const std::vector<OverlappingSet> sets = {{{0, 1}, 1}, {{1}, 1}};
  const double none = std::numeric_limits<double>::quiet_NaN();
  for (const DenseOperator& z :
       {DenseOperator(2, {1, 2, 2, 4}), DenseOperator(2, {1, none, none, 4})}) {
    const OnGpu on_gpu(z);
    EXPECT_EQ(test::error_message(ErrorKind::numeric,
                                  [&] {
                                    const DeviceOverlapPreconditioner m(
                                        sets, block_reader(on_gpu.tiles));
                                  }),
              "overlapping blocks: a block of 2 unknowns could not be inverted (a pivot "
              "is zero or not finite). Use --solver direct.");
  }
}

}  // namespace
}  // namespace thinwire
