#pragma once

#include <string>
#include <vector>

#include "bench/line_plot.h"
#include "bench/table.h"
#include "kernels/base/monitor.h"
#include "papers/sparse/sparse_bench.h"

namespace thinwire {

/// Settings of `thinwire bench sparse`.
struct SparseBenchOptions {
  std::vector<std::string> matrices;  ///< sparse_samples() or files; empty: all samples
  std::vector<std::string> formats;   ///< empty: default_sparse_formats()
  SparseType type = SparseType::real_double;
  double scale = 1;  ///< of the samples' rows
  int repeats = 20;  ///< of each product
  int gmres = 0;     ///< most iterations of GMRES around each format; 0: none
  bool gpu = false;  ///< True for the GPU, else the CPU products
  int gpu_index = 0;
  Monitor monitor;  ///< stopped: the comparison ends there
};

/// One product with one matrix.
struct SparseRow {
  std::string matrix, format;
  std::size_t rows = 0, entries = 0;
  double formula_bytes = 0;      ///< of the matrix by its paper's equation; NaN: none
  double formula_csr_bytes = 0;  ///< of the same matrix in CSR by the paper's
  double bytes = 0;              ///< of the matrix as allocated
  double csr_bytes = 0;          ///< of the same matrix in CSR
  double work_bytes = 0;         ///< beside the matrix
  double fill = 0;               ///< of runs: stored values for each entry; else NaN
  double prepare_s = 0;
  double moved_bytes = 0;  ///< matrix once, x once, y once
  RunTimes times;
  double ratio = 0;  ///< time of cusparse-csr, on a CPU of csr, over this one's
  double error = 0;  ///< relative 2-norm of the difference from exact_product()
};

/// GMRES around one format, to 1e-6, b = A (1, .., 1), at most SparseBenchOptions::gmres
/// iterations.
struct SparseGmresRow {
  std::string matrix, format;
  int iterations = 0;
  double residual = 0, seconds = 0;
};

/// Something that was not measured.
struct SparseGap {
  std::string matrix, format, why;
};

/// A format that is another's product on the CPU, which is measured in its stead.
struct SharedProduct {
  std::string product, format;
  std::vector<std::string> matrices;
};

struct SparseReport {
  std::vector<SparseRow> rows;
  std::vector<SharedProduct> shared;
  std::vector<SparseGmresRow> gmres;
  std::vector<SparseGap> gaps;
  bool gpu = false;
  bool interrupted = false;
};

/// Formats that are measured where none is named.
std::vector<std::string> default_sparse_formats(SparseType type, bool gpu);

/// Measures every format on every matrix, on the CPU every product once. What does not
/// fit, or has no meaning for a matrix, becomes a gap. Throws Error{usage} for unknown
/// names before it measures anything, Error{file} for files.
SparseReport compare_sparse(const SparseBenchOptions& options);

/// "sparse", "gmres" where it ran, and "absent" where something was not measured.
std::vector<Table> sparse_tables(const SparseReport& report);

/// GB/s against entries a row, a series for each format; none for fewer than three
/// matrices.
std::vector<LinePlot> sparse_plots(const SparseReport& report);

/// On a GPU, for each matrix the fastest format beside what its paper found, and how
/// CRS-vector and the segmented scan fare over all of them. On a CPU, which cannot
/// compare the formats, those that share a product. What packing saves.
std::vector<std::string> sparse_findings(const SparseReport& report);

}  // namespace thinwire
