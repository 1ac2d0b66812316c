#include "papers/sparse/packed_rows.h"

#include <algorithm>
#include <complex>

namespace thinwire {
namespace {

/// Calls run(row, first, last) for every maximal run of consecutive columns of a row,
/// entries first .. last - 1; a single entry is a run of one.
template <class A, class Run>
void for_each_run(const Csr<A>& matrix, std::size_t row, Run&& run) {
  for (std::int64_t first = matrix.row_ptr[row]; first < matrix.row_ptr[row + 1];) {
    std::int64_t last = first + 1;
    while (last < matrix.row_ptr[row + 1] &&
           matrix.column[last] == matrix.column[last - 1] + 1)
      ++last;
    run(first, last);
    first = last;
  }
}

}  // namespace

template <class A>
Ell<A> make_ell(const Csr<A>& matrix, bool lengths) {
  Ell<A> ell;
  ell.rows = matrix.rows;
  for (std::size_t row = 0; row < matrix.rows; ++row) {
    const auto length =
        static_cast<std::size_t>(matrix.row_ptr[row + 1] - matrix.row_ptr[row]);
    ell.width = std::max(ell.width, length);
    if (lengths) ell.length.push_back(static_cast<std::uint32_t>(length));
  }
  ell.value.assign(ell.width * ell.rows, A(0));
  ell.column.assign(ell.width * ell.rows, 0);
  for (std::size_t row = 0; row < matrix.rows; ++row)
    for (std::int64_t k = matrix.row_ptr[row]; k < matrix.row_ptr[row + 1]; ++k) {
      const std::size_t at =
          static_cast<std::size_t>(k - matrix.row_ptr[row]) * ell.rows + row;
      ell.value[at] = matrix.value[k];
      ell.column[at] = matrix.column[k];
    }
  return ell;
}

template <class A>
RbpCsr<A> make_rbp_csr(const Csr<A>& matrix) {
  RbpCsr<A> packed;
  packed.rows = packed.singles.rows = matrix.rows;
  packed.singles.columns = matrix.columns;
  const auto end_row = [&] {
    packed.value_ptr.push_back(static_cast<std::int64_t>(packed.value.size()));
    packed.column_ptr.push_back(static_cast<std::int64_t>(packed.column.size()));
    packed.singles.row_ptr.push_back(
        static_cast<std::int64_t>(packed.singles.value.size()));
  };
  end_row();
  for (std::size_t row = 0; row < matrix.rows; ++row) {
    for_each_run(matrix, row, [&](std::int64_t first, std::int64_t last) {
      if (last - first == 1) {
        packed.singles.value.push_back(matrix.value[first]);
        packed.singles.column.push_back(matrix.column[first]);
        return;
      }
      packed.column.push_back(matrix.column[first]);
      packed.column.push_back(matrix.column[last - 1]);
      packed.value.insert(packed.value.end(), matrix.value.begin() + first,
                          matrix.value.begin() + last);
    });
    end_row();
  }
  return packed;
}

template <class A>
RbpEll<A> make_rbp_ell(const Csr<A>& matrix, bool lengths) {
  RbpCsr<A> packed = make_rbp_csr(matrix);
  const PatternCounts counts = count_pattern(matrix);
  RbpEll<A> ell;
  ell.runs.rows = matrix.rows;
  ell.runs.width = counts.Kv;
  ell.column_width = counts.Kc;
  ell.runs.value.assign(counts.Kv * matrix.rows, A(0));
  ell.runs.column.assign(counts.Kc * matrix.rows, 0);
  for (std::size_t row = 0; row < matrix.rows; ++row) {
    const auto lay_out = [&](const auto& ptr, const auto& from, auto& to) {
      for (std::int64_t k = ptr[row]; k < ptr[row + 1]; ++k)
        to[static_cast<std::size_t>(k - ptr[row]) * matrix.rows + row] = from[k];
    };
    lay_out(packed.value_ptr, packed.value, ell.runs.value);
    lay_out(packed.column_ptr, packed.column, ell.runs.column);
    if (lengths)
      ell.runs.length.push_back(
          static_cast<std::uint32_t>(packed.value_ptr[row + 1] - packed.value_ptr[row]));
  }
  ell.singles = std::move(packed.singles);
  return ell;
}

template <class A>
PatternCounts count_pattern(const Csr<A>& matrix) {
  PatternCounts counts;
  counts.N = matrix.rows;
  counts.Nz = matrix.entries();
  for (std::size_t row = 0; row < matrix.rows; ++row) {
    std::size_t in_runs = 0, ends = 0;
    for_each_run(matrix, row, [&](std::int64_t first, std::int64_t last) {
      if (last - first == 1) {
        ++counts.Nnon;
        return;
      }
      in_runs += static_cast<std::size_t>(last - first);
      ends += 2;
    });
    counts.Nval += in_runs;
    counts.Ncol += ends;
    counts.K = std::max(counts.K, static_cast<std::size_t>(matrix.row_ptr[row + 1] -
                                                           matrix.row_ptr[row]));
    counts.Kv = std::max(counts.Kv, in_runs);
    counts.Kc = std::max(counts.Kc, ends);
  }
  return counts;
}

std::size_t csr_bytes(const PatternCounts& c, EntrySizes s) {
  return (s.value + s.column) * c.Nz + s.pointer * (c.N + 1);
}
std::size_t ell_bytes(const PatternCounts& c, EntrySizes s) {
  return (s.value + s.column) * c.N * c.K;
}
std::size_t ell_r_bytes(const PatternCounts& c, EntrySizes s) {
  return ell_bytes(c, s) + 4 * c.N;
}
std::size_t rbp_csr_bytes(const PatternCounts& c, EntrySizes s) {
  return 3 * s.pointer * (c.N + 1) + s.column * c.Ncol + s.value * c.Nval +
         (s.column + s.value) * c.Nnon;
}
std::size_t rbp_ell_bytes(const PatternCounts& c, EntrySizes s) {
  return s.value * c.N * c.Kv + s.column * c.N * c.Kc + (s.value + s.column) * c.Nnon +
         s.pointer * (c.N + 1);
}
std::size_t rbp_ell_r_bytes(const PatternCounts& c, EntrySizes s) {
  return rbp_ell_bytes(c, s) + 4 * c.N;
}

bool rbp_csr_pays(const PatternCounts& counts, EntrySizes sizes) {
  return rbp_csr_bytes(counts, sizes) < csr_bytes(counts, sizes);
}
bool rbp_ell_pays(const PatternCounts& counts, EntrySizes sizes) {
  return rbp_ell_bytes(counts, sizes) < ell_bytes(counts, sizes);
}

template Ell<double> make_ell(const Csr<double>&, bool);
template Ell<float> make_ell(const Csr<float>&, bool);
template Ell<std::complex<double>> make_ell(const Csr<std::complex<double>>&, bool);
template Ell<std::complex<float>> make_ell(const Csr<std::complex<float>>&, bool);
template RbpCsr<double> make_rbp_csr(const Csr<double>&);
template RbpCsr<float> make_rbp_csr(const Csr<float>&);
template RbpCsr<std::complex<double>> make_rbp_csr(const Csr<std::complex<double>>&);
template RbpCsr<std::complex<float>> make_rbp_csr(const Csr<std::complex<float>>&);
template RbpEll<double> make_rbp_ell(const Csr<double>&, bool);
template RbpEll<float> make_rbp_ell(const Csr<float>&, bool);
template RbpEll<std::complex<double>> make_rbp_ell(const Csr<std::complex<double>>&,
                                                   bool);
template RbpEll<std::complex<float>> make_rbp_ell(const Csr<std::complex<float>>&, bool);
template PatternCounts count_pattern(const Csr<double>&);
template PatternCounts count_pattern(const Csr<float>&);
template PatternCounts count_pattern(const Csr<std::complex<double>>&);
template PatternCounts count_pattern(const Csr<std::complex<float>>&);

}  // namespace thinwire
