#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "kernels/run_times.h"

namespace thinwire {

/// What `thinwire tune` sweeps.
struct TuneOptions {
  std::size_t n = 4095;  ///< unknowns; not a multiple of 8, so that padding shows
  int repeats = 7;       ///< of each product
  std::function<void(double fraction)> on_progress;  ///< may be empty
  const std::atomic<bool>* stop = nullptr;           ///< set: throws Error{interrupted}
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
  double bytes = 0;        ///< of matrix that it reads
  int runs_per_block = 0;  ///< ours only, else 0
  bool tunable = false;    ///< of the variants that the choice of runs is made from
  RunTimes times;
};

/// A setting that a sweep speaks about.
struct TuneChoice {
  std::string setting;
  int standard = 0;       ///< what the program uses without a stored choice
  int best = 0;           ///< what the sweep found fastest
  double standard_s = 0;  ///< median
  double best_s = 0;
  /// Whether the best is faster by more than the measurements scatter (2 % at least).
  bool change = false;
};

struct TuneReport {
  std::size_t n = 0;
  std::size_t padded_n = 0;
  int repeats = 0;
  std::vector<RowTiming> rows;
  std::vector<ProductTiming> products;
  TuneChoice row_threads;  ///< of the paper's kernel, normal access, padded;
                           ///< among multiples of 8
  TuneChoice symv_runs;    ///< of the symmetric product in double
};

/// Numbers of threads a block that are swept: every multiple of 8 up to 1024, and some
/// that are not, in rising order.
std::vector<int> swept_threads();

/// Sweeps on the current GPU. Throws Error{device}, Error{memory}, Error{usage}.
TuneReport tune_products(const TuneOptions& options);

/// The choice among measurements of one setting: setting[i] took times[i]. `standard`
/// must be among them.
TuneChoice choose_setting(std::string name, int standard, const std::vector<int>& setting,
                          const std::vector<RunTimes>& times);

/// Standard threads a block of the paper's kernel: the paper's own choice.
inline constexpr int standard_row_threads = 64;

}  // namespace thinwire
