#pragma once

#include "kernels/spmv/csr.h"

namespace thinwire {

/// ELLPACK (ELL, ELL-R) and Row Block Packing (RBP) of CSR and ELL: Kawamura, Yoneda,
/// Iwamura, Watanabe, Inoguchi 2020. A run is two or more consecutive columns of a row;
/// RBP keeps its first and last column only, and single entries in CSR apart, so that
/// every access to columns of the packed part reads exactly two numbers.

/// View of an ELL matrix for products: entry k of row i at [i + k rows].
template <class A>
struct EllView {
  std::size_t rows, width;
  const A* value;
  const std::uint32_t* column;
  const std::uint32_t* length;  ///< [rows], of ELL-R; else null
};

/// Rows padded to the longest of them, with zeros in column 0, stored column by column so
/// that neighbouring threads read neighbours.
template <class A, template <class> class Array = HostArray>
struct Ell {
  std::size_t rows = 0, width = 0;
  Array<A> value;               ///< [width][rows]
  Array<std::uint32_t> column;  ///< [width][rows]
  Array<std::uint32_t> length;  ///< [rows], of ELL-R; else empty

  std::size_t bytes() const {
    return array_bytes(value) + array_bytes(column) + array_bytes(length);
  }
  EllView<Plain<A>> view() const {
    return {rows, width, plain(value.data()), column.data(),
            length.size() > 0 ? length.data() : nullptr};
  }
};

/// View of an RBP-CSR matrix for products.
template <class A>
struct RbpCsrView {
  std::size_t rows;
  const std::int64_t *value_ptr, *column_ptr;
  const std::uint32_t* column;
  const A* value;
  CsrView<A> singles;
};

/// Runs of row i: values at value_ptr[i] .. value_ptr[i + 1] - 1, first and last columns
/// at column_ptr[i] .. column_ptr[i + 1] - 1. Pointers: [rows + 1].
template <class A, template <class> class Array = HostArray>
struct RbpCsr {
  std::size_t rows = 0;
  Array<std::int64_t> value_ptr, column_ptr;
  Array<std::uint32_t> column;
  Array<A> value;
  Csr<A, Array> singles;

  std::size_t bytes() const {
    return array_bytes(value_ptr) + array_bytes(column_ptr) + array_bytes(column) +
           array_bytes(value) + singles.bytes();
  }
  RbpCsrView<Plain<A>> view() const {
    return {rows,          value_ptr.data(),    column_ptr.data(),
            column.data(), plain(value.data()), singles.view()};
  }
};

/// View of an RBP-ELL matrix for products.
template <class A>
struct RbpEllView {
  EllView<A> runs;  ///< width: of the values; its columns are firsts and lasts
  std::size_t column_width;
  CsrView<A> singles;
};

/// The runs as ELL: values [value_width][rows], firsts and lasts [column_width][rows],
/// padded with zeros: a pair of equal columns is no run and ends the row.
template <class A, template <class> class Array = HostArray>
struct RbpEll {
  Ell<A, Array> runs;  ///< runs.length, of RBP-ELL-R: values of the row in runs
  std::size_t column_width = 0;
  Csr<A, Array> singles;

  std::size_t bytes() const { return runs.bytes() + singles.bytes(); }
  RbpEllView<Plain<A>> view() const {
    return {runs.view(), column_width, singles.view()};
  }
};

/// lengths: ELL-R.
template <class A>
Ell<A> make_ell(const Csr<A>& matrix, bool lengths);
template <class A>
RbpCsr<A> make_rbp_csr(const Csr<A>& matrix);
/// lengths: RBP-ELL-R.
template <class A>
RbpEll<A> make_rbp_ell(const Csr<A>& matrix, bool lengths);

/// Sizes of a pattern, in the paper's letters.
struct PatternCounts {
  std::size_t N = 0;     ///< rows
  std::size_t Nz = 0;    ///< entries
  std::size_t Nval = 0;  ///< entries in runs
  std::size_t Ncol = 0;  ///< firsts and lasts of the runs
  std::size_t Nnon = 0;  ///< single entries
  std::size_t K = 0;     ///< longest row
  std::size_t Kv = 0;    ///< most entries in runs of a row
  std::size_t Kc = 0;    ///< most firsts and lasts of a row
};

template <class A>
PatternCounts count_pattern(const Csr<A>& matrix);

/// Bytes of a value, a column and a row pointer; the paper has 8, 4 and 4.
struct EntrySizes {
  std::size_t value = 8, column = 4, pointer = 8;
};

/// Equations (1) to (6) of the paper, for entries of any size: bytes of each format.
std::size_t csr_bytes(const PatternCounts& counts, EntrySizes sizes);
std::size_t ell_bytes(const PatternCounts& counts, EntrySizes sizes);
std::size_t ell_r_bytes(const PatternCounts& counts, EntrySizes sizes);
std::size_t rbp_csr_bytes(const PatternCounts& counts, EntrySizes sizes);
std::size_t rbp_ell_bytes(const PatternCounts& counts, EntrySizes sizes);
std::size_t rbp_ell_r_bytes(const PatternCounts& counts, EntrySizes sizes);

/// The paper's tests (7) and (8): whether RBP-CSR is smaller than CSR, RBP-ELL than ELL.
/// With its sizes, 2 (Nz - Nval) + (Nz - Ncol) > 3 Nnon + 2 (N + 1) and
/// N (3 K - 2 Kv - Kc) > 3 Nnon + (N + 1).
bool rbp_csr_pays(const PatternCounts& counts, EntrySizes sizes);
bool rbp_ell_pays(const PatternCounts& counts, EntrySizes sizes);

}  // namespace thinwire
