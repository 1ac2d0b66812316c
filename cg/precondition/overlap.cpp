#include "cg/precondition/overlap.h"

#include <cblas.h>
#include <fmt/format.h>
#include <lapacke.h>
#include <omp.h>

#include <algorithm>
#include <new>
#include <numeric>

#include "cg/blas_threads.h"
#include "kernels/base/bytes_text.h"
#include "kernels/base/error.h"
#include "kernels/base/parallel.h"

namespace thinwire {
namespace {

using Single = std::complex<float>;

lapack_complex_float* lapack(Single* a) {
  return reinterpret_cast<lapack_complex_float*>(a);
}

[[noreturn]] void throw_singular(std::size_t m, const std::string& why) {
  throw Error(ErrorKind::numeric,
              fmt::format("overlapping blocks: a block of {} unknowns could not be "
                          "inverted ({}). Use --solver direct.",
                          m, why));
}

/// Columns that are read or factored between two looks at the monitor, and at most as
/// many solved for: less than half a second on one core for blocks of up to 10,000.
constexpr std::size_t panel_rows = 256;
constexpr double solved_flops = 1e10;

/// LU of the m x m matrix, column by column, in place with row pivots. Right-looking in
/// panels, each by LAPACK.
void factor(std::vector<Single>& matrix, std::vector<lapack_int>& pivots, std::size_t m,
            const Monitor& monitor) {
  const auto order = static_cast<int>(m);
  const Single one = 1, minus_one = -1;
  for (std::size_t k = 0; k < m; k += panel_rows) {
    monitor.check();
    const std::size_t width = std::min(panel_rows, m - k), next = k + width;
    const auto rows = static_cast<int>(m - k), columns = static_cast<int>(width),
               right = static_cast<int>(m - next);
    Single* const diagonal = matrix.data() + k * (m + 1);
    const lapack_int info = LAPACKE_cgetrf(LAPACK_COL_MAJOR, rows, columns,
                                           lapack(diagonal), order, pivots.data() + k);
    if (info > 0)
      throw_singular(m,
                     fmt::format("pivot {} is zero", k + static_cast<std::size_t>(info)));
    if (info < 0) throw_singular(m, "an entry is not finite");
    for (std::size_t i = k; i < next; ++i) pivots[i] += static_cast<lapack_int>(k);
    const auto swap = [&](std::size_t first_column, int count) {
      if (count > 0)
        LAPACKE_claswp_work(LAPACK_COL_MAJOR, count,
                            lapack(matrix.data() + first_column * m), order,
                            static_cast<lapack_int>(k + 1), static_cast<lapack_int>(next),
                            pivots.data(), 1);
    };
    swap(0, static_cast<int>(k));
    swap(next, right);
    if (right == 0) continue;
    Single* const beside = diagonal + width * m;
    cblas_ctrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasUnit, columns,
                right, &one, diagonal, order, beside, order);
    for (std::size_t j = 0; j < m - next; j += panel_rows) {
      monitor.check();
      Single* const piece = beside + j * m;
      cblas_cgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, right,
                  static_cast<int>(std::min(panel_rows, m - next - j)), columns,
                  &minus_one, diagonal + width, order, piece, order, &one, piece + width,
                  order);
    }
  }
}

/// The first `own` columns of the inverse of the m x m matrix, column by column.
std::vector<Single> columns_of_inverse(std::vector<Single> matrix, std::size_t m,
                                       std::size_t own, const Monitor& monitor) {
  std::vector<lapack_int> pivots(m);
  factor(matrix, pivots, m, monitor);
  std::vector<Single> columns(m * own);
  for (std::size_t i = 0; i < own; ++i) columns[i + i * m] = 1;
  const auto at_once = static_cast<std::size_t>(std::clamp(
      solved_flops / (8 * static_cast<double>(m * m)), 8.0, double{panel_rows}));
  for (std::size_t first = 0; first < own; first += at_once) {
    monitor.check();
    const lapack_int info =
        LAPACKE_cgetrs(LAPACK_COL_MAJOR, 'N', static_cast<lapack_int>(m),
                       static_cast<lapack_int>(std::min(at_once, own - first)),
                       lapack(matrix.data()), static_cast<lapack_int>(m), pivots.data(),
                       lapack(columns.data() + first * m), static_cast<lapack_int>(m));
    if (info != 0) throw_singular(m, "an entry is not finite");
  }
  return columns;
}

/// The block of these functions in single, [m][m], symmetric; some columns at a time, so
/// that the monitor is asked.
void read_block(const EntryReader& read, std::span<const std::uint32_t> functions,
                std::span<Single> block, const Monitor& monitor) {
  const std::size_t m = functions.size();
  std::vector<Complex> entries(m * std::min(panel_rows, m));
  for (std::size_t first = 0; first < m; first += panel_rows) {
    monitor.check();
    const std::size_t count = std::min(panel_rows, m - first);
    read(functions, functions.subspan(first, count), std::span(entries).first(count * m));
    std::copy_n(entries.begin(), count * m,
                block.begin() + static_cast<std::ptrdiff_t>(first * m));
  }
}

}  // namespace

std::vector<std::vector<std::size_t>> equal_sets(std::span<const OverlappingSet> sets) {
  std::vector<std::vector<std::size_t>> equal;
  std::vector<std::size_t> number(sets.size());
  for (std::size_t b = 0; b < sets.size(); ++b) {
    if (sets[b].same_as == OverlappingSet::none) {
      number[b] = equal.size();
      equal.push_back({b});
    } else {
      equal[number[sets[b].same_as]].push_back(b);
    }
  }
  return equal;
}

void check_sets(std::span<const OverlappingSet> sets) {
  std::size_t n = 0;
  for (const OverlappingSet& set : sets) {
    if (set.own < 1 || set.own > set.functions.size())
      throw Error(ErrorKind::numeric,
                  fmt::format("overlapping blocks: a set of {} unknowns can't have {} of "
                              "its own.",
                              set.functions.size(), set.own));
    n += set.own;
  }
  std::vector<bool> owned(n, false);
  std::vector<std::size_t> seen_in(n, sets.size());
  for (std::size_t b = 0; b < sets.size(); ++b)
    for (std::size_t i = 0; i < sets[b].functions.size(); ++i) {
      const std::uint32_t function = sets[b].functions[i];
      const bool own = i < sets[b].own;
      if (function >= n || seen_in[function] == b || (own && owned[function]))
        throw Error(
            ErrorKind::numeric,
            fmt::format("overlapping blocks: the sets do not partition the "
                        "unknowns 0..{} (got {} {}).",
                        n - 1, function, function < n ? "twice" : "beyond the end"));
      seen_in[function] = b;
      if (own) owned[function] = true;
    }
  for (std::size_t b = 0; b < sets.size(); ++b) {
    const std::size_t first = sets[b].same_as;
    if (first == OverlappingSet::none) continue;
    if (first >= b || sets[first].same_as != OverlappingSet::none ||
        sets[first].own != sets[b].own ||
        sets[first].functions.size() != sets[b].functions.size())
      throw Error(ErrorKind::numeric,
                  fmt::format("overlapping blocks: set {} can't have the matrix of set "
                              "{}, which is no earlier one of its size.",
                              b, first));
  }
}

void OverlapExtent::add(std::size_t own_functions, std::size_t functions, bool again) {
  const auto m = static_cast<double>(functions);
  ++boxes;
  own += own_functions;
  positions += functions;
  products += own_functions * functions;
  if (again) return;
  ++inverses;
  entries += own_functions * functions;
  read += functions * functions;
  largest = std::max(largest, functions);
  flops += m * m * (8.0 / 3 * m + 8 * static_cast<double>(own_functions));
}

OverlapExtent OverlapExtent::of(std::span<const OverlappingSet> sets) {
  OverlapExtent extent;
  for (const OverlappingSet& set : sets)
    extent.add(set.own, set.functions.size(), set.same_as != OverlappingSet::none);
  return extent;
}

std::size_t OverlapExtent::bytes() const {
  constexpr std::size_t inverse_bytes = 32;
  return entries * sizeof(Single) + positions * sizeof(std::uint32_t) +
         inverses * inverse_bytes;
}

std::size_t OverlapExtent::device_bytes() const {
  constexpr std::size_t rows_a_group = 4, group_bytes = 32;
  return entries * sizeof(Single) + positions * (sizeof(std::uint32_t) + sizeof(Single)) +
         (own / rows_a_group + boxes) * group_bytes;
}

std::size_t OverlapExtent::inversion_bytes(int threads) const {
  // A panel of entries in double; all in single, and the own columns of the inverse.
  return std::min(static_cast<std::size_t>(threads), inverses) * largest *
         (panel_rows * sizeof(Complex) + 2 * largest * sizeof(Single));
}

std::size_t OverlapExtent::device_inversion_bytes() const {
  // Entries in single, and all in double. Own ones and those around fill panels of 64;
  // four of these are eliminated at a time.
  constexpr std::size_t narrow = 64, wide = 4 * narrow;
  const std::size_t leading = (largest + 2 * narrow) / narrow * narrow;
  return leading * leading * sizeof(Single) +
         (leading * (leading + 2 * wide + 1) + wide * wide +
          narrow * (2 * wide + narrow)) *
             sizeof(Complex);
}

OverlapPreconditioner::OverlapPreconditioner(std::span<const OverlappingSet> sets,
                                             const EntryReader& read,
                                             const Monitor& monitor) try {
  static_assert(sizeof(Inverse) == 32, "OverlapExtent::bytes counts them so");
  check_sets(sets);
  const OverlapExtent extent = OverlapExtent::of(sets);
  size_ = extent.own;
  functions_.reserve(extent.positions);
  inverses_.reserve(extent.inverses);
  std::size_t entries = 0;
  for (const std::vector<std::size_t>& equal : equal_sets(sets)) {
    const OverlappingSet& first = sets[equal.front()];
    const std::size_t m = first.functions.size();
    inverses_.push_back(
        {entries, functions_.size(), static_cast<std::uint32_t>(first.own),
         static_cast<std::uint32_t>(m), static_cast<std::uint32_t>(equal.size())});
    entries += first.own * m;
    for (const std::size_t b : equal)
      functions_.insert(functions_.end(), sets[b].functions.begin(),
                        sets[b].functions.end());
  }
  rows_.resize(entries);

  // The largest first, so that no thread is left with one at the end.
  std::vector<Inverse> order = inverses_;
  std::stable_sort(order.begin(), order.end(), [](const Inverse& a, const Inverse& b) {
    return a.functions > b.functions;
  });
  // The threads go over sets, so each BLAS call is to stay on its own.
  const BlasThreads one_thread(1);
  require_blas_buffers(omp_get_max_threads());
  for_each_parallel(order.size(), [&](std::size_t b) {
    const std::size_t m = order[b].functions;
    const std::span<const std::uint32_t> functions(functions_.data() + order[b].position,
                                                   m);
    std::vector<Single> matrix(m * m);
    read_block(read, functions, matrix, monitor);
    // Z is symmetric, so columns of the inverse are its rows.
    const std::vector<Single> inverse =
        columns_of_inverse(std::move(matrix), m, order[b].own, monitor);
    std::copy(inverse.begin(), inverse.end(), rows_.begin() + order[b].entry);
  });
} catch (const std::bad_alloc&) {
  throw Error(
      ErrorKind::memory,
      fmt::format(
          "overlapping blocks need {}, more than this machine has. Use --precond block.",
          bytes_text(static_cast<double>(OverlapExtent::of(sets).bytes()))));
}

/// Pieces of fixed size, so that the sums do not depend on the threads: some rows of an
/// inverse, and some of the sets that use it.
void OverlapPreconditioner::apply(std::span<const Complex> r,
                                  std::span<Complex> z) const {
  constexpr std::uint32_t rows_a_piece = 128, sets_a_piece = 32;
  struct Piece {
    const Inverse* inverse;
    std::uint32_t row, set;
  };
  std::vector<Piece> pieces;
  for (const Inverse& inverse : inverses_)
    for (std::uint32_t set = 0; set < inverse.sets; set += sets_a_piece)
      for (std::uint32_t row = 0; row < inverse.own; row += rows_a_piece)
        pieces.push_back({&inverse, row, set});
  std::vector<Single> gathered(functions_.size());
  const BlasThreads one_thread(1);
#pragma omp parallel if (size_ >= 256)
  {
#pragma omp for schedule(static)
    for (std::size_t p = 0; p < gathered.size(); ++p)
      gathered[p] = Single(r[functions_[p]]);
    std::vector<Single> product(rows_a_piece * sets_a_piece);
#pragma omp for schedule(dynamic)
    for (std::size_t p = 0; p < pieces.size(); ++p) {
      const auto& [inverse, row, set] = pieces[p];
      const auto m = static_cast<int>(inverse->functions),
                 rows = static_cast<int>(std::min(rows_a_piece, inverse->own - row)),
                 count = static_cast<int>(std::min(sets_a_piece, inverse->sets - set));
      const std::size_t position = inverse->position + std::size_t{set} * m;
      const Single* a = rows_.data() + inverse->entry + std::size_t{row} * m;
      const Single *x = gathered.data() + position, one = 1, zero = 0;
      if (count == 1)
        cblas_cgemv(CblasColMajor, CblasTrans, m, rows, &one, a, m, x, 1, &zero,
                    product.data(), 1);
      else
        cblas_cgemm(CblasColMajor, CblasTrans, CblasNoTrans, rows, count, m, &one, a, m,
                    x, m, &zero, product.data(), rows);
      for (int s = 0; s < count; ++s)
        for (int i = 0; i < rows; ++i)
          z[functions_[position + std::size_t(s) * m + row + i]] = product[s * rows + i];
    }
  }
}

std::size_t OverlapPreconditioner::bytes() const {
  return rows_.size() * sizeof(Single) + functions_.size() * sizeof(std::uint32_t) +
         inverses_.size() * sizeof(Inverse);
}

}  // namespace thinwire
