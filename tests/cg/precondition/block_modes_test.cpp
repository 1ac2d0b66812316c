#include "cg/precondition/block_modes.h"

#include <gtest/gtest.h>

#include <random>

#include "cg/direct/inverse.h"
#include "cg/precondition/two_level.h"

namespace thinwire::block_modes_test {
namespace {

using IndexSet = BlockModes::IndexSet;

constexpr std::size_t n = 13;

/// Complex symmetric, [n * n], with a strong diagonal.
std::vector<Complex> symmetric_matrix() {
  std::mt19937 random(17);
  std::normal_distribution<double> normal;
  std::vector<Complex> z(n * n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j)
      z[i + j * n] = z[j + i * n] =
          Complex(normal(random), normal(random)) + (i == j ? 8.0 : 0.0);
  return z;
}

/// One block has fewer unknowns than modes are asked for.
const std::vector<IndexSet> sets = {{0, 2, 4, 6, 8, 10}, {1, 3, 5, 7, 9}, {11}, {12}};

/// Both ways to write the two-level preconditioner: B + P (Zc^-1 - D^-1) P^T, and with D
/// taken out of the blocks, (B - P D^-1 P^T) + P Zc^-1 P^T.
TEST(BlockModes, TakenOutOfTheBlocksLeaveThePreconditionerTheSame) {
  const std::vector<Complex> z = symmetric_matrix();
  const auto read = [&](std::span<const std::uint32_t> rows,
                        std::span<const std::uint32_t> columns,
                        std::span<Complex> entries) {
    for (std::size_t c = 0; c < columns.size(); ++c)
      for (std::size_t r = 0; r < rows.size(); ++r)
        entries[r + c * rows.size()] = z[rows[r] + columns[c] * n];
  };
  const BlockModes modes(
      sets,
      [&](std::span<const std::uint32_t> set, std::span<Complex> block) {
        read(set, set, block);
      },
      2);
  ASSERT_EQ(modes.size(), 6u);
  std::vector<Complex> coarse(modes.size() * modes.size());
  for (std::size_t a = 0; a < sets.size(); ++a)
    for (std::size_t b = 0; b < sets.size(); ++b) {
      std::vector<Complex> entries(sets[a].size() * sets[b].size());
      read(sets[a], sets[b], entries);
      const std::vector<Complex> coupling = modes.between(a, b, entries);
      auto value = coupling.begin();
      for (std::size_t j = modes.first_mode(b); j < modes.first_mode(b + 1); ++j)
        for (std::size_t i = modes.first_mode(a); i < modes.first_mode(a + 1); ++i)
          coarse[i + j * modes.size()] = *value++;
    }
  invert_symmetric(coarse, modes.size(), "coarse");

  std::vector<Complex> r(n);
  for (std::size_t i = 0; i < n; ++i) r[i] = Complex(1.0 + static_cast<double>(i), -0.5);
  std::vector<Complex> moments(modes.size()), amplitudes(modes.size()), got(n), want(n);
  modes.project(r, moments);
  for (std::size_t i = 0; i < modes.size(); ++i)
    for (std::size_t j = 0; j < modes.size(); ++j)
      amplitudes[i] += coarse[i + j * modes.size()] * moments[j];
  modes.add(amplitudes, got);
  const std::vector<Complex> rest = modes.inverses_without_modes();
  auto value = rest.begin();
  for (const IndexSet& set : sets)
    for (const std::uint32_t j : set)
      for (const std::uint32_t i : set) got[i] += *value++ * r[j];

  TwoLevelPreconditioner(sets, read, 2).apply(r, want);
  double difference2 = 0, size2 = 0;
  for (std::size_t i = 0; i < n; ++i) {
    difference2 += std::norm(got[i] - want[i]);
    size2 += std::norm(want[i]);
  }
  EXPECT_LE(std::sqrt(difference2 / size2), 1e-13);
}

}  // namespace
}  // namespace thinwire::block_modes_test
