#include "cg/direct/shared_ldlt.h"

#include <algorithm>
#include <new>

#include <cblas.h>
#include <fmt/format.h>
#include <lapacke.h>
#include <omp.h>

#include "cg/blas_threads.h"
#include "kernels/base/error.h"

namespace thinwire {
namespace {

constexpr std::size_t tile = PackedTiles::tile;

/// c = alpha a op(b) + beta c; matrices column-major, c rows x columns, a rows x depth.
struct Matrix {
  Complex* first;
  std::size_t leading;
};
struct ConstMatrix {
  const Complex* first;
  std::size_t leading;
};
struct Shape {
  std::size_t rows, columns, depth;
  CBLAS_TRANSPOSE a = CblasNoTrans, b = CblasNoTrans;
};
void multiply(Shape shape, double alpha, ConstMatrix a, ConstMatrix b, double beta,
              Matrix c) {
  const Complex alpha_c = alpha, beta_c = beta;
  const auto size = [](std::size_t n) { return static_cast<blasint>(n); };
  cblas_zgemm(CblasColMajor, shape.a, shape.b, size(shape.rows), size(shape.columns),
              size(shape.depth), &alpha_c, a.first, size(a.leading), b.first,
              size(b.leading), &beta_c, c.first, size(c.leading));
}

/// Replaces a symmetric block, whose lower triangle counts, by its inverse; what LAPACK
/// returns.
int invert(std::size_t n, Matrix block) {
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t i = 0; i < j; ++i)
      block.first[i + j * block.leading] = block.first[j + i * block.leading];
  auto* entries = reinterpret_cast<lapack_complex_double*>(block.first);
  const auto order = static_cast<lapack_int>(n),
             leading = static_cast<lapack_int>(block.leading);
  std::vector<lapack_int> pivots(n);
  lapack_int info =
      LAPACKE_zgetrf(LAPACK_COL_MAJOR, order, order, entries, leading, pivots.data());
  if (info == 0)
    info = LAPACKE_zgetri(LAPACK_COL_MAJOR, order, entries, leading, pivots.data());
  return static_cast<int>(info);
}

}  // namespace

SharedLdlt::SharedLdlt(const SharedMatrix& z, const Monitor& monitor, std::size_t width)
    : n_(z.size()), width_(width), blocks_((n_ + width - 1) / width), comm_(z.comm()) {
  require_blas_buffers(omp_get_max_threads());
  take(z);
  factor(monitor);
}

std::size_t SharedLdlt::columns_of(std::size_t block) const {
  return std::min(width_, rows_of(block));
}

int SharedLdlt::owner(std::size_t block) const {
  return static_cast<int>(block % static_cast<std::size_t>(comm_.ranks()));
}

std::vector<Complex>& SharedLdlt::column(std::size_t block) {
  return columns_[block / static_cast<std::size_t>(comm_.ranks())];
}
const std::vector<Complex>& SharedLdlt::column(std::size_t block) const {
  return columns_[block / static_cast<std::size_t>(comm_.ranks())];
}

/// Deals out the lower triangle, a column of tiles at a time.
void SharedLdlt::take(const SharedMatrix& z) {
  const std::size_t tile_rows = z.layout().rows();
  std::vector<Complex> tiles(tile_rows * PackedTiles::tile_entries);
  for (std::size_t c = 0; c < tile_rows; ++c) {
    z.gather_column(c,
                    std::span(tiles).first((tile_rows - c) * PackedTiles::tile_entries));
    const std::size_t block = c * tile / width_;
    if (!is_own(block)) continue;
    if (c * tile % width_ == 0) columns_.emplace_back(rows_of(block) * columns_of(block));
    std::vector<Complex>& entries = column(block);
    for (std::size_t j = c * tile; j < std::min(n_, (c + 1) * tile); ++j)
      for (std::size_t i = j; i < n_; ++i)
        entries[(j - first(block)) * rows_of(block) + i - first(block)] =
            tiles[(i - c * tile) * tile + j - c * tile];
  }
}

void SharedLdlt::factor(const Monitor& monitor) {
  const BlasThreads threads(omp_get_max_threads());
  std::vector<Complex> w_space(n_ * width_), l_space(n_ * width_);
  for (std::size_t k = 0; k < blocks_; ++k) {
    monitor.report("factor", static_cast<double>(k) / static_cast<double>(blocks_));
    const std::size_t panel = below(k) * columns_of(k);
    const std::span<Complex> w = std::span(w_space).first(panel),
                             l = std::span(l_space).first(panel);
    double failed = is_own(k) ? eliminate(k, w, l) : 0;
    comm_.broadcast(std::span<double>(&failed, 1), owner(k));
    if (failed != 0)
      throw Error(ErrorKind::numeric,
                  failed > 0
                      ? fmt::format("direct solver over ranks: the matrix is singular "
                                    "without pivots (unknown {} of {}). Use --solver "
                                    "gmres, or one rank.",
                                    first(k) + static_cast<std::size_t>(failed), n_)
                      : fmt::format("direct solver: the matrix has an entry that is not "
                                    "finite (N = {}). Check the geometry for degenerate "
                                    "wires.",
                                    n_));
    if (panel == 0) break;
    comm_.broadcast(w, owner(k));
    comm_.broadcast(l, owner(k));
    update(k, w, l);
  }
}

/// Puts X and L in the place of a block column; copies what the others need of it.
/// Returns what is wrong with its diagonal block, 0: nothing.
int SharedLdlt::eliminate(std::size_t block, std::span<Complex> w, std::span<Complex> l) {
  const std::size_t size = columns_of(block), rows = rows_of(block), left = below(block);
  Complex* const a = column(block).data();
  if (const int failed = invert(size, {a, rows}); failed != 0) return failed;
  for (std::size_t j = 0; j < size; ++j)
    std::copy_n(a + j * rows + size, left, w.data() + j * left);
  if (left == 0) return 0;
  multiply({left, size, size}, 1, {w.data(), left}, {a, rows}, 0, {l.data(), left});
  for (std::size_t j = 0; j < size; ++j)
    std::copy_n(l.data() + j * left, left, a + j * rows + size);
  return 0;
}

/// A_ij -= L_i W_j^T in this rank's columns.
void SharedLdlt::update(std::size_t by, std::span<const Complex> w,
                        std::span<const Complex> l) {
  const std::size_t left = below(by), depth = columns_of(by);
  for (std::size_t j = by + 1; j < blocks_; ++j) {
    if (!is_own(j)) continue;
    const std::size_t down = first(j) - first(by + 1);
    multiply({rows_of(j), columns_of(j), depth, CblasNoTrans, CblasTrans}, -1,
             {l.data() + down, left}, {w.data() + down, left}, 1,
             {column(j).data(), rows_of(j)});
  }
}

void SharedLdlt::apply(std::span<const Complex> r, std::span<Complex> z) const {
  std::copy(r.begin(), r.end(), z.begin());
  solve(z);
}

void SharedLdlt::solve(std::span<Complex> v) const {
  const BlasThreads threads(omp_get_max_threads());
  const std::size_t rhs_count = v.size() / n_;
  // L u = v, u in v: what this rank's columns take away is kept apart until it is needed.
  std::vector<Complex> taken(v.size()), piece;
  for (std::size_t k = 0; k < blocks_; ++k) {
    const std::size_t size = columns_of(k);
    piece.resize(size * rhs_count);
    for (std::size_t s = 0; s < rhs_count; ++s)
      std::copy_n(&taken[s * n_ + first(k)], size, &piece[s * size]);
    comm_.sum(piece);
    for (std::size_t s = 0; s < rhs_count; ++s)
      for (std::size_t i = 0; i < size; ++i)
        v[s * n_ + first(k) + i] -= piece[s * size + i];
    if (is_own(k) && below(k) > 0)
      multiply({below(k), rhs_count, size}, 1, {column(k).data() + size, rows_of(k)},
               {&v[first(k)], n_}, 1, {&taken[first(k + 1)], n_});
  }
  // L^T z = D^-1 u
  for (std::size_t k = blocks_; k-- > 0;) {
    const std::size_t size = columns_of(k);
    piece.resize(size * rhs_count);
    if (is_own(k)) {
      const Complex* a = column(k).data();
      multiply({size, rhs_count, size}, 1, {a, rows_of(k)}, {&v[first(k)], n_}, 0,
               {piece.data(), size});
      if (below(k) > 0)
        multiply({size, rhs_count, below(k), CblasTrans}, -1, {a + size, rows_of(k)},
                 {&v[first(k + 1)], n_}, 1, {piece.data(), size});
    }
    comm_.broadcast(piece, owner(k));
    for (std::size_t s = 0; s < rhs_count; ++s)
      std::copy_n(&piece[s * size], size, &v[s * n_ + first(k)]);
  }
}

std::size_t SharedLdlt::bytes(std::size_t n, int ranks, std::size_t width) {
  const std::size_t every = width * static_cast<std::size_t>(ranks);
  std::size_t entries = 0;
  // The first rank has the longest columns.
  for (std::size_t first = 0; first < n; first += every)
    entries += (n - first) * std::min(width, n - first);
  return sizeof(Complex) * (entries + 2 * n * width);
}

}  // namespace thinwire
