#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "kernels/fill/matrix_entries.h"
#include "mom/preconditioners/coarse_matrix.h"
#include "tests/mom/operators/fft_structures.h"
#include "tests/vectors.h"

namespace thinwire::test {

/// A structure with its coarse space, and entries of its Z.
struct CoarseCase {
  static constexpr double k = 2 * pi;
  const MeshedStructure& structure;
  Medium medium;
  CoarseSpace space;
  NearPairTable near;
  FillInput exact;
  EntryReader read;

  explicit CoarseCase(const MeshedStructure& of, double edge_m)
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
  CoarseCase(const CoarseCase&) = delete;

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
    return coarse_matrix(space, {*structure.antenna, space, rule, k}, k, medium, read);
  }
};

inline void expect_symmetric(std::span<const Complex> a, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < i; ++j) EXPECT_EQ(a[i + j * n], a[j + i * n]);
}

}  // namespace thinwire::test
