#include "cg/precondition/block_modes.h"

#include <algorithm>
#include <cmath>

#include <omp.h>

#include "cg/blas_threads.h"
#include "cg/direct/inverse.h"
#include "kernels/base/constants.h"
#include "kernels/base/parallel.h"

namespace thinwire {
namespace {

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

}  // namespace

BlockModes::BlockModes(std::vector<IndexSet> sets,
                       const BlockPreconditioner::BlockWriter& write, int modes,
                       std::vector<std::size_t> same_as)
    : blocks_(std::move(sets), write, std::move(same_as)),
      modes_(blocks_.blocks()),
      own_(blocks_.blocks()),
      first_mode_(1) {
  // The threads go over blocks, so each BLAS call is to stay on its own.
  const BlasThreads one_thread(1);
  require_blas_buffers(omp_get_max_threads());
  for_each_parallel(blocks_.blocks(), [&](std::size_t b) {
    if (blocks_.owner(b) != b) return;
    find(b, modes);
    // Back again: reading entries may cost more.
    const std::span<const Complex> inverse = blocks_.inverse(b);
    std::vector<Complex> entries(inverse.begin(), inverse.end());
    invert_symmetric(entries, blocks_.set(b).size(), "two-level preconditioner: a block");
    own_[b] = between(b, b, entries);
  });
  for (std::size_t b = 0; b < blocks_.blocks(); ++b) {
    const std::size_t owner = blocks_.owner(b);
    if (owner == b) continue;
    modes_[b] = modes_[owner];
    own_[b] = own_[owner];
  }
  for (std::size_t b = 0; b < blocks_.blocks(); ++b)
    first_mode_.push_back(first_mode_.back() + modes_[b].size() / blocks_.set(b).size());
}

/// Largest left singular vectors of the inverse A by subspace iteration with A A^H = A
/// conj(A).
void BlockModes::find(std::size_t block, int modes) {
  constexpr int sweeps = 6;
  const std::size_t m = blocks_.set(block).size();
  const std::size_t count = std::min<std::size_t>(modes, m);
  std::vector<Complex>& v = modes_[block];
  v.resize(m * count);
  // Smooth starting vectors: 1, cos, cos 2, ... along the wire.
  for (std::size_t c = 0; c < count; ++c)
    for (std::size_t i = 0; i < m; ++i)
      v[i + c * m] = std::cos(pi * static_cast<double>(c) *
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

void BlockModes::project(std::span<const Complex> r, std::span<Complex> moments) const {
#pragma omp parallel for schedule(static)
  for (std::size_t b = 0; b < blocks_.blocks(); ++b) {
    const IndexSet& set = blocks_.set(b);
    const Complex* mode = modes_[b].data();
    for (std::size_t c = first_mode_[b]; c < first_mode_[b + 1]; ++c) {
      Complex sum = 0;
      for (const std::uint32_t unknown : set) sum += *mode++ * r[unknown];
      moments[c] = sum;
    }
  }
}

void BlockModes::add(std::span<const Complex> amplitudes, std::span<Complex> z) const {
#pragma omp parallel for schedule(static)
  for (std::size_t b = 0; b < blocks_.blocks(); ++b) {
    const Complex* mode = modes_[b].data();
    for (std::size_t c = first_mode_[b]; c < first_mode_[b + 1]; ++c)
      for (const std::uint32_t unknown : blocks_.set(b))
        z[unknown] += amplitudes[c] * *mode++;
  }
}

std::vector<Complex> BlockModes::between(std::size_t a, std::size_t b,
                                         std::span<const Complex> entries) const {
  const std::size_t rows = blocks_.set(a).size(), columns = blocks_.set(b).size();
  const std::size_t modes_a = modes_[a].size() / rows,
                    modes_b = modes_[b].size() / columns;
  std::vector<Complex> coupling(modes_a * modes_b), projected(rows);
  for (std::size_t j = 0; j < modes_b; ++j) {
    std::fill(projected.begin(), projected.end(), Complex{});
    const Complex* right = modes_[b].data() + j * columns;
    for (std::size_t c = 0; c < columns; ++c)
      for (std::size_t r = 0; r < rows; ++r)
        projected[r] += entries[r + c * rows] * right[c];
    for (std::size_t i = 0; i < modes_a; ++i) {
      const Complex* left = modes_[a].data() + i * rows;
      for (std::size_t r = 0; r < rows; ++r)
        coupling[i + j * modes_a] += left[r] * projected[r];
    }
  }
  return coupling;
}

std::vector<Complex> BlockModes::inverses_without_modes() const {
  std::vector<std::size_t> first = {0};
  for (const IndexSet& set : blocks_.sets())
    first.push_back(first.back() + set.size() * set.size());
  std::vector<Complex> rest(first.back());
  const BlasThreads one_thread(1);
  require_blas_buffers(omp_get_max_threads());
  for_each_parallel(blocks_.blocks(), [&](std::size_t b) {
    const std::size_t m = blocks_.set(b).size(), count = modes_[b].size() / m;
    std::vector<Complex> own = own_[b];
    invert_symmetric(own, count, "two-level preconditioner: a block's modes");
    const Complex* mode = modes_[b].data();
    Complex* to = rest.data() + first[b];
    std::ranges::copy(blocks_.inverse(b), to);
    for (std::size_t c = 0; c < count; ++c)
      for (std::size_t d = 0; d < count; ++d)
        for (std::size_t j = 0; j < m; ++j)
          for (std::size_t i = 0; i < m; ++i)
            to[i + j * m] -= mode[i + c * m] * own[c + d * count] * mode[j + d * m];
  });
  return rest;
}

}  // namespace thinwire
