#include "cg/precondition/overlap.h"

#include <gtest/gtest.h>
#include <omp.h>

#include <atomic>
#include <limits>

#include "cg/krylov/solver.h"
#include "kernels/base/error.h"
#include "tests/cg/dense_system.h"
#include "tests/cg/overlapping_sets.h"
#include "tests/messages.h"

namespace thinwire {
namespace {

using namespace testing;

TEST(Overlap, AppliesTheOwnRowsOfTheInverses) {
  for (const std::uint32_t n : {3, 31, 65, 257}) {
    const DenseOperator z = random_symmetric(n, 70, {1.2, 0.9});
    const std::vector<OverlappingSet> sets = interleaved(n, 10);
    const OverlapPreconditioner m(sets, reader_of(z));
    ASSERT_EQ(m.size(), n);
    const std::vector<Complex> r = random_vector(n, 71);
    std::vector<Complex> got(n, Complex(7, 7)), expected(n);
    m.apply(r, got);
    for (const OverlappingSet& set : sets) {
      const std::size_t size = set.functions.size();
      std::vector<Complex> block(size * size), part(size);
      reader_of(z)(set.functions, set.functions, block);
      for (std::size_t i = 0; i < size; ++i) part[i] = r[set.functions[i]];
      part = lapack_solution({size, std::move(block)}, part);
      for (std::size_t i = 0; i < set.own; ++i) expected[set.functions[i]] = part[i];
    }
    EXPECT_LT(relative_difference(got, expected), 1e-6) << n;  // complex single
    EXPECT_GT(relative_difference(got, expected), 1e-12) << n;
    EXPECT_FALSE(m.symmetric());
  }
}

TEST(Overlap, TakesTheBytesThatArePredicted) {
  const DenseOperator z = random_symmetric(65, 72, {1.2, 0.9});
  const std::vector<OverlappingSet> sets = interleaved(65, 10);
  const OverlapExtent extent = OverlapExtent::of(sets);
  EXPECT_EQ(extent.boxes, 3u);
  EXPECT_EQ(extent.own, 65u);
  EXPECT_EQ(extent.positions, 65u + 30);
  EXPECT_EQ(extent.largest, 32u);
  EXPECT_EQ(extent.entries, 22u * 32 + 22 * 32 + 21 * 31);
  // Entries of 8 bytes; numbers of 4 of each position; 32 of each inverse.
  EXPECT_EQ(extent.bytes(), 8 * extent.entries + 4 * (65 + 30) + 3 * 32);
  EXPECT_EQ(OverlapPreconditioner(sets, reader_of(z)).bytes(), extent.bytes());
}

TEST(Overlap, InvertsOnceWhatIsTheSameAndMultipliesAllSetsByIt) {
  // 41 sets, so that the last piece of them is not full.
  const DenseOperator z = repeated(41, 20, 90);
  const std::vector<OverlappingSet> equal = of_repeated(41, 20, true),
                                    different = of_repeated(41, 20, false);
  const OverlapExtent extent = OverlapExtent::of(equal),
                      all = OverlapExtent::of(different);
  EXPECT_EQ(extent.boxes, 41u);
  EXPECT_EQ(extent.inverses, 2u);
  EXPECT_EQ(extent.entries, 2u * 14 * 20);
  EXPECT_EQ(extent.products, all.entries);
  EXPECT_LT(extent.flops, all.flops / 20);
  std::atomic<int> blocks_read = 0;
  const OverlapPreconditioner m(
      equal, [&](std::span<const std::uint32_t> rows,
                 std::span<const std::uint32_t> columns, std::span<Complex> entries) {
        ++blocks_read;
        reader_of(z)(rows, columns, entries);
      });
  EXPECT_EQ(blocks_read, 2);
  EXPECT_EQ(m.bytes(), extent.bytes());
  const std::vector<Complex> r = random_vector(z.size(), 91);
  std::vector<Complex> got(z.size(), Complex(7, 7)), expected(z.size());
  m.apply(r, got);
  OverlapPreconditioner(different, reader_of(z)).apply(r, expected);
  EXPECT_LT(relative_difference(got, expected), 1e-6);
}

TEST(Overlap, FactorsBlocksOfSeveralPanels) {
  const DenseOperator z = random_symmetric(700, 92, {1.2, 0.9});
  OverlappingSet all;
  for (std::uint32_t m = 0; m < 700; ++m) all.functions.push_back(699 - m);
  all.own = 700;
  const std::vector<Complex> r = random_vector(700, 93);
  std::vector<Complex> got(700);
  OverlapPreconditioner(std::vector{all}, reader_of(z)).apply(r, got);
  // Complex single, of a random matrix.
  EXPECT_LT(relative_difference(got, lapack_solution(z, r)), 1e-4);
}

TEST(Overlap, StopsBetweenPanels) {
  const DenseOperator z = random_symmetric(700, 94, {1.2, 0.9});
  std::atomic<bool> stop = false;
  int read = 0;
  const auto stopping = [&](std::span<const std::uint32_t> rows,
                            std::span<const std::uint32_t> columns,
                            std::span<Complex> entries) {
    reader_of(z)(rows, columns, entries);
    ++read;
    stop = true;
  };
  OverlappingSet all;
  for (std::uint32_t m = 0; m < 700; ++m) all.functions.push_back(m);
  all.own = 700;
  EXPECT_EQ(test::error_kind([&] {
              const OverlapPreconditioner m(std::vector{all}, stopping,
                                            Monitor({}, &stop));
            }),
            ErrorKind::interrupted);
  EXPECT_EQ(read, 1);
}

TEST(Overlap, HasTheSameBitsForAnyNumberOfThreads) {
  const DenseOperator z = random_symmetric(600, 73, {1.2, 0.9});
  const std::vector<OverlappingSet> sets = interleaved(600, 100);
  const std::vector<Complex> r = random_vector(600, 74);
  std::vector<Complex> one(600), several(600);
  const int threads = omp_get_max_threads();
  omp_set_num_threads(1);
  OverlapPreconditioner(sets, reader_of(z)).apply(r, one);
  omp_set_num_threads(5);
  OverlapPreconditioner(sets, reader_of(z)).apply(r, several);
  omp_set_num_threads(threads);
  EXPECT_EQ(one, several);
}

TEST(Overlap, MakesFlexibleGmresConvergeToWhatSingleCouldNotGive) {
  const DenseOperator z = random_symmetric(300, 75, {1.2, 0.9});
  const OverlapPreconditioner m(interleaved(300, 100), reader_of(z));
  const std::vector<Complex> v = random_vector(300, 76);
  std::vector<Complex> current(300);
  SolverControl control;
  control.tolerance = 1e-12;
  control.flexible = true;
  const SolveResult result = solve(Recurrence::gmres, z, &m, v, current, control);
  EXPECT_EQ(result.status, SolveStatus::converged);
  EXPECT_LT(relative_difference(current, lapack_solution(z, v)), 1e-10);
}

TEST(Overlap, RefusesSetsThatAreNone) {
  const DenseOperator z = random_symmetric(9, 77, {1.2, 0.9});
  const auto refused = [&](std::vector<OverlappingSet> sets) {
    EXPECT_THROW(OverlapPreconditioner(sets, reader_of(z)), Error);
  };
  refused({{{0, 1}, 2}, {{2, 0}, 2}});            // 0 is owned twice
  refused({{{0, 1}, 2}, {{2, 4}, 1}});            // 4 is nobody's
  refused({{{0, 1}, 2}, {{2, 1, 1}, 1}});         // 1 twice in a set
  refused({{{0, 1}, 2}, {{2, 1}, 0}});            // none of its own
  refused({{{0, 1}, 2}, {{2}, 2}});               // more of its own than it has
  refused({{{0, 1}, 2, 1}, {{2, 3}, 2}});         // the same as a later one
  refused({{{0, 1}, 2}, {{2}, 1, 0}});            // as one of another size
  refused({{{0}, 1}, {{1}, 1, 0}, {{2}, 1, 1}});  // as one that has none of its own
  EXPECT_NO_THROW(OverlapPreconditioner(
      std::vector<OverlappingSet>{{{0, 1}, 2}, {{2, 1}, 1}}, reader_of(z)));
}

TEST(Overlap, NamesABlockThatHasNoInverse) {
  const std::vector<OverlappingSet> sets = {{{0, 1}, 1}, {{1}, 1}};
  const auto message = [&](const DenseOperator& z) {
    return test::error_message(ErrorKind::numeric,
                               [&] { OverlapPreconditioner(sets, reader_of(z)); });
  };
  EXPECT_EQ(message({2, {1, 2, 2, 4}}),
            "overlapping blocks: a block of 2 unknowns could not be inverted (pivot 2 is "
            "zero). Use --solver direct.");
  const double none = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(
      message({2, {1, none, none, 4}}),
      "overlapping blocks: a block of 2 unknowns could not be inverted (an entry is "
      "not finite). Use --solver direct.");
}

}  // namespace
}  // namespace thinwire
