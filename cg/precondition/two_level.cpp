#include "cg/precondition/two_level.h"

#include <algorithm>
#include <cmath>
#include <exception>

#include <omp.h>

#include "cg/blas_threads.h"
#include "cg/direct/inverse.h"

namespace thinwire {
namespace {

using IndexSet = BlockPreconditioner::IndexSet;

/// The inverse of a matrix of the coarse level.
std::vector<Complex> inverse_of(std::vector<Complex> matrix, std::size_t n) {
  // Below, threads wait for each other longer than they work.
  constexpr std::size_t worth_sharing = 300;
  const BlasThreads threads(n < worth_sharing ? 1 : omp_get_max_threads());
  invert_symmetric(matrix, n, "two-level preconditioner: the coarse matrix");
  return matrix;
}

/// y = A x or, conjugated, conj(A) x, A [n * n] symmetric.
void multiply(std::span<const Complex> a, bool conjugated, std::span<const Complex> x,
              std::span<Complex> y) {
  const std::size_t n = x.size();
  std::fill(y.begin(), y.end(), Complex{});
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t i = 0; i < n; ++i)
      y[i] += (conjugated ? std::conj(a[i + j * n]) : a[i + j * n]) * x[j];
}

/// Modified Gram-Schmidt on the columns, [m * count].
void orthonormalise(std::vector<Complex>& columns, std::size_t m) {
  const std::size_t count = columns.size() / m;
  for (std::size_t c = 0; c < count; ++c) {
    Complex* v = columns.data() + c * m;
    for (std::size_t b = 0; b < c; ++b) {
      const Complex* u = columns.data() + b * m;
      Complex overlap = 0;
      for (std::size_t i = 0; i < m; ++i) overlap += std::conj(u[i]) * v[i];
      for (std::size_t i = 0; i < m; ++i) v[i] -= overlap * u[i];
    }
    double norm2 = 0;
    for (std::size_t i = 0; i < m; ++i) norm2 += std::norm(v[i]);
    const double scale = norm2 > 0 ? 1 / std::sqrt(norm2) : 0;
    for (std::size_t i = 0; i < m; ++i) v[i] *= scale;
  }
}

/// Runs body(i) for i in 0 .. count - 1 on all threads and rethrows what one of them
/// threw.
template <class Body>
void parallel_blocks(std::size_t count, const Body& body) {
  std::exception_ptr failure;
#pragma omp parallel for schedule(dynamic)
  for (std::size_t i = 0; i < count; ++i) {
    try {
      body(i);
    } catch (...) {
#pragma omp critical(thinwire_two_level)
      failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace

int TwoLevelPreconditioner::modes_for(std::size_t blocks) {
  constexpr std::size_t largest_coarse = 1000, most_modes = 4;
  return static_cast<int>(std::clamp(largest_coarse / std::max<std::size_t>(blocks, 1),
                                     std::size_t{1}, most_modes));
}

TwoLevelPreconditioner::TwoLevelPreconditioner(std::vector<IndexSet> sets,
                                               const EntryReader& read, int modes)
    : blocks_(std::move(sets),
              [&read](std::span<const std::uint32_t> set, std::span<Complex> block) {
                read(set, set, block);
              }) {
  modes_.resize(blocks_.blocks());
  parallel_blocks(blocks_.blocks(), [&](std::size_t b) { find_modes(b, modes); });
  first_mode_.push_back(0);
  for (std::size_t b = 0; b < blocks_.blocks(); ++b)
    first_mode_.push_back(first_mode_.back() + modes_[b].size() / blocks_.set(b).size());

  // Zc and, in D, its diagonal blocks.
  const std::vector<Complex> coarse = coarse_matrix(read);
  const std::size_t n = first_mode_.back();
  correction_ = inverse_of(coarse, n);
  for (std::size_t b = 0; b < blocks_.blocks(); ++b) {
    const std::size_t first = first_mode_[b], count = first_mode_[b + 1] - first;
    std::vector<Complex> own(count * count);
    for (std::size_t j = 0; j < count; ++j)
      for (std::size_t i = 0; i < count; ++i)
        own[i + j * count] = coarse[first + i + (first + j) * n];
    own = inverse_of(std::move(own), count);
    for (std::size_t j = 0; j < count; ++j)
      for (std::size_t i = 0; i < count; ++i)
        correction_[first + i + (first + j) * n] -= own[i + j * count];
  }
}

/// Largest left singular vectors of the inverse A by subspace iteration with A A^H = A
/// conj(A).
void TwoLevelPreconditioner::find_modes(std::size_t block, int modes) {
  constexpr int sweeps = 6;
  const std::size_t m = blocks_.set(block).size();
  const std::size_t count = std::min<std::size_t>(modes, m);
  std::vector<Complex>& v = modes_[block];
  v.resize(m * count);
  // Smooth starting vectors: 1, cos, cos 2, ... along the wire.
  for (std::size_t c = 0; c < count; ++c)
    for (std::size_t i = 0; i < m; ++i)
      v[i + c * m] = std::cos(3.14159265358979323846 * static_cast<double>(c) *
                              (static_cast<double>(i) + 0.5) / static_cast<double>(m));
  std::vector<Complex> half(m);
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    orthonormalise(v, m);
    for (std::size_t c = 0; c < count; ++c) {
      const std::span<Complex> column(v.data() + c * m, m);
      multiply(blocks_.inverse(block), true, column, half);
      multiply(blocks_.inverse(block), false, half, column);
    }
  }
  orthonormalise(v, m);
}

/// Zc = P^T Z P, [coarse * coarse].
std::vector<Complex> TwoLevelPreconditioner::coarse_matrix(
    const EntryReader& read) const {
  const std::size_t n = first_mode_.back();
  std::vector<Complex> coarse(n * n);
  // Row block b has b + 1 pairs: the longest first.
  parallel_blocks(blocks_.blocks(), [&](std::size_t step) {
    const std::size_t a = blocks_.blocks() - 1 - step;
    const IndexSet& rows = blocks_.set(a);
    const std::size_t rows_modes = first_mode_[a + 1] - first_mode_[a];
    std::vector<Complex> entries;
    std::vector<Complex> projected(rows.size());
    for (std::size_t b = 0; b <= a; ++b) {
      const IndexSet& columns = blocks_.set(b);
      entries.resize(rows.size() * columns.size());
      read(rows, columns, entries);
      for (std::size_t j = 0; j + first_mode_[b] < first_mode_[b + 1]; ++j) {
        std::fill(projected.begin(), projected.end(), Complex{});
        const Complex* right = modes_[b].data() + j * columns.size();
        for (std::size_t c = 0; c < columns.size(); ++c)
          for (std::size_t r = 0; r < rows.size(); ++r)
            projected[r] += entries[r + c * rows.size()] * right[c];
        for (std::size_t i = 0; i < rows_modes; ++i) {
          const Complex* left = modes_[a].data() + i * rows.size();
          Complex sum = 0;
          for (std::size_t r = 0; r < rows.size(); ++r) sum += left[r] * projected[r];
          const std::size_t row = first_mode_[a] + i, column = first_mode_[b] + j;
          coarse[row + column * n] = coarse[column + row * n] = sum;
        }
      }
    }
  });
  return coarse;
}

void TwoLevelPreconditioner::apply(std::span<const Complex> r,
                                   std::span<Complex> z) const {
  blocks_.apply(r, z);
  const std::size_t n = first_mode_.back();
  std::vector<Complex> moments(n), amplitudes(n);
  for (std::size_t b = 0; b < blocks_.blocks(); ++b) {
    const IndexSet& set = blocks_.set(b);
    for (std::size_t c = first_mode_[b]; c < first_mode_[b + 1]; ++c) {
      const Complex* mode = modes_[b].data() + (c - first_mode_[b]) * set.size();
      for (std::size_t i = 0; i < set.size(); ++i) moments[c] += mode[i] * r[set[i]];
    }
  }
#pragma omp parallel for schedule(static) if (n >= 256)
  for (std::size_t i = 0; i < n; ++i) {
    Complex sum = 0;
    for (std::size_t j = 0; j < n; ++j) sum += correction_[j + i * n] * moments[j];
    amplitudes[i] = sum;
  }
  for (std::size_t b = 0; b < blocks_.blocks(); ++b) {
    const IndexSet& set = blocks_.set(b);
    for (std::size_t c = first_mode_[b]; c < first_mode_[b + 1]; ++c) {
      const Complex* mode = modes_[b].data() + (c - first_mode_[b]) * set.size();
      for (std::size_t i = 0; i < set.size(); ++i) z[set[i]] += amplitudes[c] * mode[i];
    }
  }
}

std::size_t TwoLevelPreconditioner::bytes() const {
  std::size_t entries = correction_.size();
  for (const auto& mode : modes_) entries += mode.size();
  return blocks_.bytes() + entries * sizeof(Complex);
}

}  // namespace thinwire
