#include "mom/preconditioners/coarse_matrix.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "mom/preconditioners/boxes.h"
#include "mom/preconditioners/lumped_currents.h"
#include "tests/mom/preconditioners/coarse_samples.h"

namespace thinwire {
namespace {

using test::CoarseCase;
using test::expect_symmetric;
using test::MeshedStructure;
using test::raised;

constexpr double k = CoarseCase::k;

struct Example {
  MeshedStructure structure;
  double cell_m;
};

TEST(CoarseMatrix, IsTheGalerkinProductWhereAllIsNear) {
  constexpr double everywhere = std::numeric_limits<double>::max();
  for (const bool ground : {false, true}) {
    const MeshedStructure plate("plate", raised(test::plate(6, 0.1), 0.3), ground);
    const CoarseCase of(plate, 0.2);
    const std::vector<Complex> a = of.lumped({0.1, everywhere});
    expect_symmetric(a, of.space.size());
    EXPECT_LE(testing::relative_difference(a, of.by_dense_matrix()), 1e-7);
  }
}

// Far functions alone: the error of those that are more than two clusters apart, over the
// norm of theirs.
TEST(CoarseMatrix, LumpsFarFunctions) {
  std::vector<Example> cases;
  cases.push_back({{"plate", test::plate(14, 0.1)}, 0.1});
  cases.push_back({{"fine plate", test::plate(18, 0.05)}, 0.05});
  cases.push_back({{"ship", test::ship(10, 5, 4, 0.1)}, 0.1});
  cases.push_back({{"helices", test::helices(6, 120)}, 0.03});
  cases.push_back({{"over ground", raised(test::plate(10, 0.1), 0.15), true}, 0.1});
  for (const Example& example : cases) {
    SCOPED_TRACE(example.structure.name);
    const double edge_m = cluster_edge_m(k, example.cell_m);
    const CoarseCase of(example.structure, edge_m);
    const CoarseMatrixRule rule = CoarseMatrixRule::of(edge_m, example.cell_m);
    const std::size_t n = of.space.size();
    std::vector<Complex> a = of.lumped(rule), right = of.by_dense_matrix();
    expect_symmetric(a, n);
    double off = 0, size = 0;
    std::size_t far = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      // Exact entries agree to the rounding of two fills.
      if (std::abs(a[i] - right[i]) < 1e-7 * std::abs(right[0])) continue;
      ++far;
      off += std::norm(a[i] - right[i]);
      size += std::norm(right[i]);
    }
    EXPECT_GT(far, n * n / 10);
    EXPECT_LT(std::sqrt(off / size), 0.04);
    EXPECT_LT(testing::relative_difference(a, right), 0.01);
  }
}

TEST(LumpedCurrents, KeepChargeAndDipoleMoment) {
  const MeshedStructure ship("ship", test::ship(8, 4, 4, 0.1));
  const Discretization& where = *ship.antenna;
  const CoarseSpace space = coarse_space(where, cluster_nodes(where.mesh(), 0.2));
  const LumpedCurrents lumps = lumped_currents(where, space, 0.07, k);
  std::vector<double> charge(space.size(), 0);
  std::vector<Vec3> of_charge(space.size()), current(space.size());
  for (std::size_t i = 0; i < lumps.node_m.size(); ++i)
    for (std::uint64_t l = lumps.first[i]; l < lumps.first[i + 1]; ++l) {
      const auto& [function, m] = lumps.lump[l];
      charge[function] += m[3];
      of_charge[function] = of_charge[function] + m[3] * lumps.node_m[i];
      current[function] = current[function] + Vec3{m[0], m[1], m[2]};
    }
  for (std::size_t c = 0; c < space.size(); ++c) {
    EXPECT_NEAR(charge[c], 0, 1e-12);
    // The continuity equation: the current's integral is the charge's dipole moment; to
    // (k l)^2 / 12 for pieces of length l with their charge in the middle.
    EXPECT_LT(norm(current[c] + k * of_charge[c]), 0.01 * norm(current[c]));
    EXPECT_GT(norm(current[c]), 0.01);
  }
}

}  // namespace
}  // namespace thinwire
