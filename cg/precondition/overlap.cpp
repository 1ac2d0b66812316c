#include "cg/precondition/overlap.h"

#include <fmt/format.h>
#include <lapacke.h>
#include <omp.h>

#include <algorithm>
#include <exception>
#include <new>
#include <numeric>

#include "cg/blas_threads.h"
#include "kernels/base/error.h"

namespace thinwire {
namespace {

using Single = std::complex<float>;

lapack_complex_float* lapack(std::vector<Single>& a) {
  return reinterpret_cast<lapack_complex_float*>(a.data());
}

[[noreturn]] void throw_singular(std::size_t m, const std::string& why) {
  throw Error(ErrorKind::numeric,
              fmt::format("overlapping blocks: a block of {} unknowns could not be "
                          "inverted ({}). Use --solver direct.",
                          m, why));
}

/// The first `own` columns of the inverse of the m x m matrix, column by column.
std::vector<Single> columns_of_inverse(std::vector<Single> matrix, std::size_t m,
                                       std::size_t own) {
  const auto order = static_cast<lapack_int>(m);
  std::vector<lapack_int> pivots(m);
  lapack_int info = LAPACKE_cgetrf(LAPACK_COL_MAJOR, order, order, lapack(matrix), order,
                                   pivots.data());
  if (info > 0) throw_singular(m, fmt::format("pivot {} is zero", info));
  std::vector<Single> columns(m * own);
  for (std::size_t i = 0; i < own; ++i) columns[i + i * m] = 1;
  if (info == 0)
    info = LAPACKE_cgetrs(LAPACK_COL_MAJOR, 'N', order, static_cast<lapack_int>(own),
                          lapack(matrix), order, pivots.data(), lapack(columns), order);
  if (info != 0) throw_singular(m, "an entry is not finite");
  return columns;
}

}  // namespace

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
}

void OverlapExtent::add(std::size_t own_functions, std::size_t functions) {
  const auto m = static_cast<double>(functions);
  ++boxes;
  own += own_functions;
  positions += functions;
  entries += own_functions * functions;
  largest = std::max(largest, functions);
  flops += m * m * (8.0 / 3 * m + 8 * static_cast<double>(own_functions));
}

OverlapExtent OverlapExtent::of(std::span<const OverlappingSet> sets) {
  OverlapExtent extent;
  for (const OverlappingSet& set : sets) extent.add(set.own, set.functions.size());
  return extent;
}

std::size_t OverlapExtent::bytes() const {
  return entries * sizeof(Single) + (positions + own) * sizeof(std::uint32_t) +
         3 * (boxes + 1) * sizeof(std::size_t);
}

std::size_t OverlapExtent::device_bytes() const {
  constexpr std::size_t rows_a_group = 4, group_bytes = 32;
  return entries * sizeof(Single) + positions * (sizeof(std::uint32_t) + sizeof(Single)) +
         (own / rows_a_group + boxes) * group_bytes;
}

std::size_t OverlapExtent::inversion_bytes(int threads) const {
  // Entries in double, then in single, and the own columns of the inverse.
  return std::min(static_cast<std::size_t>(threads), boxes) * largest * largest *
         (sizeof(Complex) + sizeof(Single));
}

std::size_t OverlapExtent::device_inversion_bytes() const {
  // Own ones and those around fill panels of 64.
  constexpr std::size_t panel = 64;
  const std::size_t leading = (largest + 2 * panel) / panel * panel;
  return leading * (leading + 2 * panel + 1) * sizeof(Single) +
         panel * panel * sizeof(Single);
}

OverlapPreconditioner::OverlapPreconditioner(std::span<const OverlappingSet> sets,
                                             const EntryReader& read) try {
  check_sets(sets);
  const OverlapExtent extent = OverlapExtent::of(sets);
  functions_.reserve(extent.positions);
  row_set_.reserve(extent.own);
  for (auto* first : {&first_, &first_entry_, &first_row_}) {
    first->reserve(extent.boxes + 1);
    first->push_back(0);
  }
  for (const OverlappingSet& set : sets) {
    const std::size_t m = set.functions.size();
    row_set_.insert(row_set_.end(), set.own,
                    static_cast<std::uint32_t>(first_.size() - 1));
    functions_.insert(functions_.end(), set.functions.begin(), set.functions.end());
    first_.push_back(functions_.size());
    first_entry_.push_back(first_entry_.back() + 2 * set.own * m);
    first_row_.push_back(row_set_.size());
  }
  rows_.resize(2 * extent.entries);

  // The largest first, so that no thread is left with one at the end.
  std::vector<std::size_t> order(sets.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return sets[a].functions.size() > sets[b].functions.size();
  });
  // The threads go over sets, so each BLAS call is to stay on its own.
  const BlasThreads one_thread(1);
  require_blas_buffers(omp_get_max_threads());
  std::exception_ptr failure;
#pragma omp parallel for schedule(dynamic)
  for (std::size_t b = 0; b < order.size(); ++b) {
    // An exception may not leave the parallel region.
    try {
      invert(order[b], sets[order[b]].own, read);
    } catch (...) {
#pragma omp critical(thinwire_overlap)
      failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
} catch (const std::bad_alloc&) {
  throw Error(
      ErrorKind::memory,
      fmt::format("overlapping blocks need {:.1f} GiB, more than this machine "
                  "gives. Use --precond block.",
                  static_cast<double>(OverlapExtent::of(sets).bytes()) / (1u << 30)));
}

void OverlapPreconditioner::invert(std::size_t set, std::size_t own,
                                   const EntryReader& read) {
  const std::span<const std::uint32_t> functions(functions_.data() + first_[set],
                                                 first_[set + 1] - first_[set]);
  const std::size_t m = functions.size();
  std::vector<Single> matrix(m * m);
  {
    std::vector<Complex> entries(m * m);
    read(functions, functions, entries);
    std::copy(entries.begin(), entries.end(), matrix.begin());
  }
  // Z is symmetric, so columns of the inverse are its rows.
  const std::vector<Single> inverse = columns_of_inverse(std::move(matrix), m, own);
  float* row = rows_.data() + first_entry_[set];
  for (std::size_t i = 0; i < own; ++i, row += 2 * m)
    for (std::size_t j = 0; j < m; ++j) {
      row[j] = inverse[i * m + j].real();
      row[m + j] = inverse[i * m + j].imag();
    }
}

void OverlapPreconditioner::apply(std::span<const Complex> r,
                                  std::span<Complex> z) const {
  const auto positions = static_cast<std::ptrdiff_t>(functions_.size()),
             n = static_cast<std::ptrdiff_t>(size());
  std::vector<float> gathered_re(functions_.size()), gathered_im(functions_.size());
#pragma omp parallel if (n >= 256)
  {
#pragma omp for schedule(static)
    for (std::ptrdiff_t p = 0; p < positions; ++p) {
      const std::complex<float> value(r[functions_[p]]);
      gathered_re[p] = value.real();
      gathered_im[p] = value.imag();
    }
#pragma omp for schedule(static)
    for (std::ptrdiff_t row = 0; row < n; ++row) {
      const std::size_t set = row_set_[row], first = first_[set],
                        m = first_[set + 1] - first,
                        own = static_cast<std::size_t>(row) - first_row_[set];
      const float* a = rows_.data() + first_entry_[set] + 2 * own * m;
      const float *b = a + m, *x = gathered_re.data() + first,
                  *y = gathered_im.data() + first;
      float re = 0, im = 0;
#pragma omp simd reduction(+ : re, im)
      for (std::size_t j = 0; j < m; ++j) {
        re += a[j] * x[j] - b[j] * y[j];
        im += a[j] * y[j] + b[j] * x[j];
      }
      z[functions_[first + own]] = {re, im};
    }
  }
}

std::size_t OverlapPreconditioner::bytes() const {
  return rows_.size() * sizeof(float) +
         (functions_.size() + row_set_.size()) * sizeof(std::uint32_t) +
         (first_.size() + first_entry_.size() + first_row_.size()) * sizeof(std::size_t);
}

}  // namespace thinwire
