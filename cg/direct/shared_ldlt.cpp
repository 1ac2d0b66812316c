#include "cg/direct/shared_ldlt.h"

#include <algorithm>
#include <limits>

#include <cblas.h>
#include <fmt/format.h>
#include <lapacke.h>
#include <omp.h>

#include "cg/blas_threads.h"
#include "cg/direct/block_ldlt.h"
#include "kernels/base/error.h"

namespace thinwire {
namespace {

constexpr std::size_t tile = PackedTiles::tile;
using ComplexBlock = Block<Complex>;

lapack_int size(std::size_t count) {
  return static_cast<lapack_int>(count);
}

/// The arithmetic of BlockLdlt by LAPACK and BLAS.
struct CpuExecutor {
  static constexpr std::size_t base = std::numeric_limits<std::size_t>::max();
  mutable lapack_int failed = 0;  ///< what LAPACK returned of the last inversion

  void invert_base(ComplexBlock a, std::size_t n) const {
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t i = 0; i < j; ++i) *a.at(i, j).first = *a.at(j, i).first;
    auto* entries = reinterpret_cast<lapack_complex_double*>(a.first);
    std::vector<lapack_int> pivots(n);
    failed = LAPACKE_zgetrf(LAPACK_COL_MAJOR, size(n), size(n), entries, size(a.leading),
                            pivots.data());
    if (failed == 0)
      failed = LAPACKE_zgetri(LAPACK_COL_MAJOR, size(n), entries, size(a.leading),
                              pivots.data());
  }
  void copy(std::size_t rows, std::size_t columns, ComplexBlock a,
            ComplexBlock to) const {
    for (std::size_t j = 0; j < columns; ++j)
      std::copy_n(a.at(0, j).first, rows, to.at(0, j).first);
  }
  // Only larger blocks than `base` are cut in two.
  void transpose(std::size_t, std::size_t, ComplexBlock, ComplexBlock) const {}
  void multiply(const Product& p, ComplexBlock a, ComplexBlock b, ComplexBlock c) const {
    const auto operation = [](bool transposed) {
      return transposed ? CblasTrans : CblasNoTrans;
    };
    const Complex alpha = p.alpha, beta = p.beta;
    cblas_zgemm(CblasColMajor, operation(p.transposed_a), operation(p.transposed_b),
                size(p.rows), size(p.columns), size(p.depth), &alpha, a.first,
                size(a.leading), b.first, size(b.leading), &beta, c.first,
                size(c.leading));
  }
};

/// The ranks as BlockLdlt's owners.
struct RankOwners {
  static constexpr bool looks_ahead = false;
  const LdltLayout& layout;
  const Comm& comm;
  const CpuExecutor& executor;
  const Monitor& monitor;

  void made(std::size_t k) const {
    const auto n = static_cast<double>(layout.n);
    monitor.report("factor", static_cast<double>(k) / n);
    double failed = executor.failed;
    comm.broadcast(std::span<double>(&failed, 1), rank(layout.owner_of(k)));
    if (failed != 0)
      throw Error(ErrorKind::numeric,
                  failed > 0
                      ? fmt::format("direct solver over ranks: the matrix is singular "
                                    "without pivots (unknown {} of {}). Use --solver "
                                    "gmres, or one rank.",
                                    k + static_cast<std::size_t>(failed), layout.n)
                      : fmt::format("direct solver: the matrix has an entry that is not "
                                    "finite (N = {}). Check the geometry for degenerate "
                                    "wires.",
                                    layout.n));
  }
  void send(std::size_t owner, Complex* values, std::size_t count) const {
    comm.broadcast(std::span(values, count), rank(owner));
  }
  /// Each rank has of x what its own columns took away: only their sum counts.
  void hand_down(std::size_t, ComplexBlock x, std::size_t next, std::size_t,
                 std::size_t rhs_count) const {
    exchange(x, next, rhs_count, [&](std::span<Complex> rows) { comm.sum(rows); });
  }
  void hand_up(std::size_t owner, ComplexBlock y, std::size_t rows,
               std::size_t rhs_count) const {
    exchange(y, rows, rhs_count,
             [&](std::span<Complex> all) { comm.broadcast(all, rank(owner)); });
  }

 private:
  static int rank(std::size_t owner) { return static_cast<int>(owner); }
  template <class Call>
  void exchange(ComplexBlock v, std::size_t rows, std::size_t rhs_count,
                const Call& call) const {
    std::vector<Complex> piece(rows * rhs_count);
    const ComplexBlock packed = {piece.data(), rows};
    executor.copy(rows, rhs_count, v, packed);
    call(std::span(piece));
    executor.copy(rows, rhs_count, packed, v);
  }
};

using RankLdlt = BlockLdlt<Complex, CpuExecutor, RankOwners>;

}  // namespace

LdltLayout SharedLdlt::layout_of(std::size_t n, int ranks, int rank, std::size_t width) {
  return {n,
          1,
          width,
          width,
          static_cast<std::size_t>(ranks),
          static_cast<std::size_t>(rank)};
}

SharedLdlt::SharedLdlt(const SharedMatrix& z, const Monitor& monitor, std::size_t width)
    : comm_(z.comm()),
      layout_(layout_of(z.size(), comm_.ranks(), comm_.rank(), width)),
      a_(std::make_unique<Complex[]>(layout_.entries())) {
  require_blas_buffers(omp_get_max_threads());
  take(z);
  const BlasThreads threads(omp_get_max_threads());
  std::vector<Complex> panels(layout_.panels(RankOwners::looks_ahead) * layout_.work());
  const CpuExecutor executor;
  const RankOwners owners{layout_, comm_, executor, monitor};
  RankLdlt(layout_, executor, executor, owners, a_.get(), panels.data()).factor();
}

/// Distributes the lower triangle, a column of tiles at a time.
void SharedLdlt::take(const SharedMatrix& z) {
  const std::size_t n = layout_.n, tile_rows = z.layout().rows();
  std::vector<Complex> tiles(tile_rows * PackedTiles::tile_entries);
  for (std::size_t first = 0; first < n; first += tile) {
    const std::size_t rows = tile_rows - first / tile;
    z.gather_column(first / tile,
                    std::span(tiles).first(rows * PackedTiles::tile_entries));
    if (!layout_.holds(first)) continue;
    for (std::size_t j = first; j < std::min(n, first + tile); ++j)
      for (std::size_t i = j; i < n; ++i)
        a_[layout_.offset(i, j)] = tiles[(i - first) * tile + j - first];
  }
}

void SharedLdlt::apply(std::span<const Complex> r, std::span<Complex> z) const {
  std::copy(r.begin(), r.end(), z.begin());
  solve(z);
}

void SharedLdlt::solve(std::span<Complex> v) const {
  const BlasThreads threads(omp_get_max_threads());
  const CpuExecutor executor;
  const Monitor none;
  const RankOwners owners{layout_, comm_, executor, none};
  std::vector<Complex> x(v.size());
  if (comm_.rank() == 0) std::copy(v.begin(), v.end(), x.begin());
  RankLdlt(layout_, executor, executor, owners, a_.get(), nullptr)
      .solve(x.data(), v.data(), v.size() / layout_.n);
}

std::size_t SharedLdlt::bytes(std::size_t n, int ranks, std::size_t width) {
  // The first rank has the longest columns.
  const LdltLayout layout = layout_of(n, ranks, 0, width);
  return sizeof(Complex) *
         (layout.entries() + layout.panels(RankOwners::looks_ahead) * layout.work());
}

}  // namespace thinwire
