#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "kernels/base/monitor.h"
#include "kernels/base/run_times.h"

namespace thinwire {

class ProductBench;

/// Settings of `thinwire tune`.
struct TuneOptions {
  std::size_t n = 8191;  ///< unknowns; not a multiple of 8, so that padding shows
  int repeats = 7;       ///< of each product
  Monitor monitor;       ///< stopped: the sweep ends there
};

/// The paper's kernel, one thread a row, with one number of threads a block.
struct RowTiming {
  int threads = 0;  ///< a block, N_T in the paper
  bool padded = false;
  bool transposed = false;
  RunTimes times;
};

/// Another product, ours or cuBLAS's.
struct ProductTiming {
  std::string product;
  double bytes = 0;  ///< of matrix that it reads
  int shape = -1;    ///< index into symv_shapes (kernels/matrix/symv_shapes.h), or -1
  int runs_per_block = 0;  ///< ours only, else 0
  RunTimes times;
};

/// A setting that a sweep speaks about.
struct TuneChoice {
  std::string setting;         ///< empty: nothing to say, the sweep was interrupted
  std::string standard, best;  ///< without a stored choice, and what was found fastest
  std::size_t best_index = 0;  ///< into what choose_setting was given
  double standard_s = 0;       ///< median
  double best_s = 0;
  /// Whether the best is faster by more than the measurements scatter (2 % at least).
  bool change = false;
};

struct TuneReport {
  std::size_t n = 0;
  std::size_t padded_n = 0;
  int repeats = 0;
  bool interrupted = false;  ///< then there are no choices
  std::vector<RowTiming> rows;
  std::vector<ProductTiming> products;
  TuneChoice row_threads;  ///< of the paper's kernel, normal access, padded;
                           ///< among multiples of 8
  TuneChoice symv;         ///< shape and runs of the symmetric product in double
  int best_row_threads = 0, best_symv_shape = 0, best_symv_runs = 0;
};

/// Numbers of threads a block that are swept: every multiple of 8 up to 1024, and some
/// that are not, in rising order.
std::vector<int> swept_threads();

/// Sweeps the paper's kernel over swept_threads(), cuBLAS, and the symmetric product over
/// its compiled shapes and runs a block. An interrupted sweep gives what it has. The size
/// is that of `bench`, not options.n.
TuneReport sweep_products(ProductBench& bench, const TuneOptions& options);

/// The choice among measurements of one setting: with value[i] it took times[i].
/// standard: index of what is used without a stored choice.
TuneChoice choose_setting(std::string name, std::size_t standard,
                          const std::vector<std::string>& value,
                          const std::vector<RunTimes>& times);

/// "shape r16-b1-s3-q16, 1 run a block".
std::string symv_setting_text(int shape, int runs_per_block);

/// Standard threads a block of the paper's kernel: the paper's own choice.
inline constexpr int standard_row_threads = 64;

}  // namespace thinwire
