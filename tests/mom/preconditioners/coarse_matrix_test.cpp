#include "mom/preconditioners/coarse_matrix.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "kernels/fill/matrix_entries.h"
#include "mom/preconditioners/boxes.h"
#include "tests/mom/operators/fft_structures.h"

namespace thinwire {
namespace {

using test::MeshedStructure;

constexpr double k = 2 * pi;

/// A structure with its coarse space, and entries of its Z.
struct Case {
  const MeshedStructure& structure;
  Medium medium;
  CoarseSpace space;
  NearPairTable near;
  FillInput exact;
  EntryReader read;

  explicit Case(const MeshedStructure& of, double edge_m)
      : structure(of),
        medium(of.grounded ? Medium::perfect_ground() : Medium::free_space()),
        space(coarse_space(*of.antenna, cluster_nodes(of.antenna->mesh(), edge_m))),
        near(of.antenna->elements(), {k, k, 1}, GreensKernel::exact, medium),
        exact{of.antenna->elements(),
              of.antenna->basis().functions(),
              k,
              GreensKernel::exact,
              medium,
              &near} {
    near.set_wavenumber(k);
    read = [this](std::span<const std::uint32_t> rows,
                  std::span<const std::uint32_t> columns, std::span<Complex> entries) {
      read_entries(exact, rows, columns, entries);
    };
  }
  Case(const Case&) = delete;

  /// P^T Z P from all entries of Z.
  std::vector<Complex> by_dense_matrix() const {
    const std::size_t n = structure.antenna->unknowns(), coarse = space.size();
    std::vector<std::uint32_t> all(n);
    std::iota(all.begin(), all.end(), 0u);
    std::vector<Complex> z(n * n), zp(n * coarse), a(coarse * coarse);
    read(all, all, z);
    const Csr<double>& p = space.prolongation;
    for (std::size_t j = 0; j < n; ++j)
      for (std::int64_t at = p.row_ptr[j]; at < p.row_ptr[j + 1]; ++at)
        for (std::size_t i = 0; i < n; ++i)
          zp[i + p.column[at] * n] += p.value[at] * z[i + j * n];
    for (std::size_t i = 0; i < n; ++i)
      for (std::int64_t at = p.row_ptr[i]; at < p.row_ptr[i + 1]; ++at)
        for (std::size_t c = 0; c < coarse; ++c)
          a[p.column[at] + c * coarse] += p.value[at] * zp[i + c * n];
    return a;
  }

  std::vector<Complex> lumped(const CoarseMatrixRule& rule) const {
    return coarse_matrix(*structure.antenna, space, rule, k, medium, read);
  }
};

double distance(std::span<const Complex> a, std::span<const Complex> b) {
  double off = 0, size = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    off += std::norm(a[i] - b[i]);
    size += std::norm(b[i]);
  }
  return std::sqrt(off / size);
}

void expect_symmetric(std::span<const Complex> a, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < i; ++j) EXPECT_EQ(a[i + j * n], a[j + i * n]);
}

Structure raised(Structure from, double height_m) {
  Structure to;
  for (const Segment& s : from.segments())
    to.add_wire(s.tag, 1, s.start_m + Vec3{0, 0, height_m},
                s.end_m + Vec3{0, 0, height_m}, s.radius_m);
  return to;
}

struct Example {
  MeshedStructure structure;
  double cell_m;
};

TEST(CoarseMatrix, IsTheGalerkinProductWhereAllIsNear) {
  constexpr double everywhere = std::numeric_limits<double>::max();
  for (const bool ground : {false, true}) {
    const MeshedStructure plate("plate", raised(test::plate(6, 0.1), 0.3), ground);
    const Case of(plate, 0.2);
    const std::vector<Complex> a = of.lumped({0.1, everywhere});
    expect_symmetric(a, of.space.size());
    EXPECT_LE(distance(a, of.by_dense_matrix()), 1e-7);
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
    const Case of(example.structure, edge_m);
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
    EXPECT_LT(distance(a, right), 0.01);
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
