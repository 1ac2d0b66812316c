#include <gtest/gtest.h>

#include "cg/precondition/two_level.h"
#include "tests/mom/operators/mode_coupling_samples.h"

namespace thinwire {
namespace {

using namespace test;

enum class Beside { couplings, all };

/// Error of the coarse matrix by dipoles relative to its exact off-diagonal part, or to
/// all of it (Frobenius).
double coupling_error(const MeshedStructure& what, Medium medium,
                      Beside beside = Beside::couplings) {
  const CoupledModes modes(what, medium);
  const std::vector<Complex> right = modes.from_all_entries(),
                             got = coarse_matrix(modes.coupling, modes.exact);
  const std::size_t n = modes.modes.size();
  double error2 = 0, all2 = 0;
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = 0; b < n; ++b) {
      const std::size_t at = a + b * n;
      EXPECT_EQ(got[at], got[b + a * n]);
      if (a == b) {
        EXPECT_LE(std::abs(got[at] - right[at]), 1e-9 * std::abs(right[at]));
        if (beside == Beside::couplings) continue;
      }
      error2 += std::norm(got[at] - right[at]);
      all2 += std::norm(right[at]);
    }
  return std::sqrt(error2 / all2);
}

TEST(ModeCoupling, IsThatOfAllEntriesFromAfar) {
  EXPECT_LE(coupling_error({"dipoles", random_dipoles(30, 2.5)}, {}), 0.02);
  EXPECT_LE(coupling_error({"yagis", yagis(3, 4)}, {}), 0.02);
}

TEST(ModeCoupling, OfSmallAntennasTakesTheirSizeForMeasure) {
  // The currents of a small loop cancel nearly, and so do those of its dipoles; beside
  // its own impedance such a coupling is little.
  EXPECT_LE(coupling_error({"loops", small_loops(12)}, {}, Beside::all), 2e-3);
}

TEST(ModeCoupling, HasImages) {
  const MeshedStructure what("yagis", [] {
    Structure s;
    for (int i = 0; i < 6; ++i)
      s.add_wire(i + 1, 21, {0.4 * i, 0.1, 0.1 + 0.02 * i}, {0.4 * i + 0.1, 0.5, 0.2},
                 0.001);
    return s;
  }());
  const CoupledModes free(what, {});
  EXPECT_LE(coupling_error(what, Medium::perfect_ground()), 0.02);
  // The ground matters: without images the same comparison fails.
  const CoupledModes grounded(what, Medium::perfect_ground());
  const auto with = coarse_matrix(grounded.coupling, grounded.exact),
             without = coarse_matrix(free.coupling, free.exact);
  EXPECT_GT(std::abs(with[1] - without[1]), 0.1 * std::abs(without[1]));
}

TEST(ModeCoupling, GivesModesTheirBlocksBack) {
  const MeshedStructure what("dipoles", random_dipoles(5, 2));
  const CoupledModes modes(what, {});
  // P^T Z P of a block from its entries, which BlockModes has from their inverse.
  for (std::size_t b = 0; b < modes.modes.size(); ++b) {
    const auto& set = modes.modes.blocks().set(b);
    std::vector<Complex> entries(set.size() * set.size());
    modes.read(set, set, entries);
    const Complex right = modes.modes.between(b, b, entries)[0];
    EXPECT_LE(std::abs(modes.modes.own(b)[0] - right), 1e-9 * std::abs(right));
  }
}

}  // namespace
}  // namespace thinwire
