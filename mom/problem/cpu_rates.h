#pragma once

#include <algorithm>

namespace thinwire {

/// How fast a CPU is: what times there are predicted from. The defaults are those of two
/// Xeons of 2025 (docs/measurements/performance.md); measured_cpu_rates() has those of
/// this machine.
struct CpuRates {
  // Rates of one thread.
  double fill_entries_per_s = 1.4e7;   ///< of the matrix, far pairs
  double product_bytes_per_s = 6e9;    ///< of a matrix too large for the caches
  double factor_flops_per_s = 4.5e10;  ///< LAPACK's zsytrf, its products
  double field_terms_per_s = 1.5e8;    ///< of the far field, pieces times directions
  /// Threads beyond these add nothing: where computing is what takes the time, and where
  /// the memory that all share is.
  double computing_threads = 4096, reading_threads = 12;

  /// Returns how many times faster than one thread this number of threads computes.
  double computing_of(int threads) const {
    return std::min<double>(threads, computing_threads);
  }
  double reading_of(int threads) const {
    return std::min<double>(threads, reading_threads);
  }

  bool operator==(const CpuRates&) const = default;
};

}  // namespace thinwire
