#include "cg/precondition/block_preconditioner.h"

#include <gtest/gtest.h>
#include <omp.h>

#include <atomic>
#include <stdexcept>

#include "cg/vector_ops.h"
#include "kernels/base/error.h"
#include "tests/cg/dense_system.h"
#include "tests/messages.h"

namespace thinwire::block_preconditioner_test {
namespace {

using namespace testing;
using IndexSet = BlockPreconditioner::IndexSet;

BlockPreconditioner::BlockWriter entries_of(const DenseOperator& z) {
  return [&z](std::span<const std::uint32_t> indices, std::span<Complex> block) {
    for (std::size_t j = 0; j < indices.size(); ++j)
      for (std::size_t i = 0; i < indices.size(); ++i)
        block[i + j * indices.size()] = z.at(indices[i], indices[j]);
  };
}

// Deals 0..n-1 out to sets like cards, so that no set is contiguous.
std::vector<IndexSet> dealt(std::size_t n, std::size_t count) {
  std::vector<IndexSet> sets(count);
  for (std::uint32_t i = 0; i < n; ++i) sets[i % count].push_back(i);
  return sets;
}

TEST(BlockPreconditioner, OneBlockIsTheInverse) {
  for (const std::size_t n : {1, 31, 33, 63, 65, 257}) {
    const DenseOperator z = random_symmetric(n, 5, {1, 1});
    const BlockPreconditioner m(dealt(n, 1), entries_of(z));
    const std::vector<Complex> x = random_vector(n, 6);
    std::vector<Complex> zx(n), back(n, {1e300, 1e300});
    z.apply(x, zx);
    m.apply(zx, back);
    EXPECT_LE(testing::relative_difference(back, x), 1e-13) << n;
  }
}

TEST(BlockPreconditioner, EachSetIsSolvedOnItsOwn) {
  const std::size_t n = 100;
  const DenseOperator z = random_symmetric(n, 5, {1, 1});
  const std::vector<IndexSet> sets = dealt(n, 7);
  const BlockPreconditioner m(sets, entries_of(z));
  const std::vector<Complex> r = random_vector(n, 6);
  std::vector<Complex> result(n);
  m.apply(r, result);
  for (const IndexSet& set : sets) {
    std::vector<Complex> block(set.size() * set.size()), part;
    entries_of(z)(set, block);
    for (const std::uint32_t index : set) part.push_back(r[index]);
    part = testing::lapack_solution({set.size(), block}, part);
    for (std::size_t i = 0; i < set.size(); ++i)
      EXPECT_LE(std::abs(result[set[i]] - part[i]), 1e-13);
  }
}

TEST(BlockPreconditioner, EqualSetsShareAnInverse) {
  // Block diagonal: the first two sets have one matrix, in another order, the third its
  // own.
  const std::size_t m = 40;
  const DenseOperator a = random_symmetric(m, 5, {1, 1}),
                      b = random_symmetric(m, 6, {1, 1});
  std::vector<IndexSet> sets(3);
  for (std::uint32_t i = 0; i < m; ++i) {
    sets[0].push_back(i);
    sets[1].push_back(static_cast<std::uint32_t>(2 * m - 1 - i));
    sets[2].push_back(static_cast<std::uint32_t>(2 * m + i));
  }
  std::atomic<int> written = 0;
  const auto writer = [&](std::span<const std::uint32_t> set, std::span<Complex> block) {
    ++written;
    const DenseOperator& of = set[0] < 2 * m ? a : b;
    for (std::uint32_t j = 0; j < m; ++j)
      for (std::uint32_t i = 0; i < m; ++i) block[i + j * m] = of.at(i, j);
  };
  const BlockPreconditioner alone(sets, writer), shared(sets, writer, {0, 0, 2});
  EXPECT_EQ(written, 3 + 2);
  EXPECT_EQ(shared.inverse(1).data(), shared.inverse(0).data());
  const std::vector<Complex> r = random_vector(3 * m, 7);
  std::vector<Complex> of_alone(3 * m), of_shared(3 * m);
  alone.apply(r, of_alone);
  shared.apply(r, of_shared);
  EXPECT_EQ(of_shared, of_alone);

  for (const std::vector<std::size_t>& none :
       {std::vector<std::size_t>{0, 0}, {0, 2, 2}, {0, 0, 1}})
    EXPECT_THROW(BlockPreconditioner(sets, writer, none), Error);
  sets[2].pop_back();
  EXPECT_THROW(BlockPreconditioner(sets, writer, {0, 0, 0}), Error) << "of another size";
}

TEST(BlockPreconditioner, IsComplexSymmetric) {
  const std::size_t n = 300;
  const DenseOperator z = random_symmetric(n, 7, {0.2, 0.1});
  const BlockPreconditioner m(dealt(n, 4), entries_of(z));
  const std::vector<Complex> x = random_vector(n, 8), y = random_vector(n, 9);
  std::vector<Complex> mx(n), my(n);
  m.apply(x, mx);
  m.apply(y, my);
  EXPECT_LE(std::abs(dotu(y, mx) - dotu(x, my)), 1e-13 * norm2(mx) * norm2(y));
}

TEST(BlockPreconditioner, HasTheSameBitsForAnyNumberOfThreads) {
  const std::size_t n = 1500;
  const DenseOperator z = random_symmetric(n, 7, {1, 1});
  const std::vector<Complex> r = random_vector(n, 8);
  const int before = omp_get_max_threads();
  std::vector<std::vector<Complex>> results;
  for (const int threads : {1, 2, 5}) {
    omp_set_num_threads(threads);
    const BlockPreconditioner m(dealt(n, 40), entries_of(z));
    results.emplace_back(n);
    m.apply(r, results.back());
  }
  omp_set_num_threads(before);
  EXPECT_EQ(results[1], results[0]);
  EXPECT_EQ(results[2], results[0]);
}

TEST(BlockPreconditioner, CountsItsBytes) {
  const DenseOperator z = random_symmetric(10, 7, {1, 1});
  const BlockPreconditioner m(dealt(10, 2), entries_of(z));
  EXPECT_EQ(BlockPreconditioner::bytes(m.sets()), 2 * 25 * 16 + 10 * 4u);
  EXPECT_EQ(m.blocks(), 2u);
  EXPECT_EQ(m.size(), 10u);
}

// The message of the Error{numeric} that building on these sets throws.
std::string refusal(std::vector<IndexSet> sets,
                    const BlockPreconditioner::BlockWriter& write) {
  return test::error_message(ErrorKind::numeric,
                             [&] { BlockPreconditioner m(std::move(sets), write); });
}

TEST(BlockPreconditioner, RefusesSetsThatAreNoPartition) {
  const DenseOperator z = random_symmetric(9, 7, {1, 1});
  const auto write = entries_of(z);
  EXPECT_TRUE(contains(refusal({{0, 1}, {1, 2}}, write), "got 1 twice"));
  EXPECT_TRUE(contains(refusal({{0, 1}, {7}}, write), "got 7 beyond"));
  EXPECT_TRUE(contains(refusal({{0, 1}, {}}, write), "empty"));
}

TEST(BlockPreconditioner, RefusesSingularAndNonFiniteBlocks) {
  const auto fill_with = [](Complex value) {
    return [value](std::span<const std::uint32_t>, std::span<Complex> block) {
      std::fill(block.begin(), block.end(), value);
    };
  };
  EXPECT_TRUE(contains(refusal({{0, 1}, {2}}, fill_with(1)), "singular"));
  EXPECT_TRUE(contains(refusal({{0, 1}, {2}}, fill_with(NAN)), "not finite"));
}

TEST(BlockPreconditioner, PassesOnWhatTheWriterThrows) {
  const auto write = [](std::span<const std::uint32_t>, std::span<Complex>) {
    throw std::runtime_error("no entries");
  };
  EXPECT_THROW(BlockPreconditioner({{0}, {1}}, write), std::runtime_error);
}

}  // namespace
}  // namespace thinwire::block_preconditioner_test
