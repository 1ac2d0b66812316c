#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace thinwire {

/// Ways to multiply with a sparse matrix: a format and who does what.
enum class SparseFormat {
  csr,             ///< one thread a row: CRS-scalar
  crs_vector,      ///< NT threads a row (Mukunoki and Takahashi 2013)
  row_parallel,    ///< rows over a fixed number of threads (Ohshima 2011)
  in_row,          ///< a block of threads a row (the same)
  segmented_scan,  ///< the same
  ell,
  ell_r,
  rbp_csr,  ///< Kawamura et al. 2020
  rbp_ell,
  rbp_ell_r,
  runs  ///< RunMatrix: symmetric matrices only
};

/// Distribution of rows, or of the entries of a row, over threads: blocks or cyclic.
enum class Distribution { blocks, cyclic };

struct SparseMethod {
  std::string name;
  SparseFormat format = SparseFormat::csr;
  int threads = 0;  ///< crs_vector: NT, 1 .. 32; 0: by the paper's formula
  int version = 4;  ///< crs_vector: 0 .. 4 of the paper
  Distribution rows = Distribution::cyclic;     ///< row_parallel, in_row
  Distribution entries = Distribution::cyclic;  ///< in_row
  int segment = 128;              ///< segmented_scan: 4 .. 256, a power of two
  int piece_rows = 8;             ///< runs: 4, 8, 16
  bool packs_if_it_pays = false;  ///< rbp: by the tests (7), (8), else unpacked
};

/// All of them, by name: csr, crs-vector, crs-vector-8, crs-vector-v0, rows-cyclic, ...
const std::vector<SparseMethod>& sparse_methods();

/// The method called so. Throws Error{usage} that lists those there are.
const SparseMethod& sparse_method_named(std::string_view name);

/// NT by the paper's formula: max(1, min(32, 2^ceil(log2(entries / rows)))).
int threads_per_row(std::size_t entries, std::size_t rows);

}  // namespace thinwire
