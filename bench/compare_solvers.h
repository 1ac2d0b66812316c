#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "kernels/base/run_times.h"
#include "mom/problem/options.h"
#include "mom/problem/problem.h"

namespace thinwire {

/// Settings of `thinwire bench`.
struct BenchOptions {
  std::size_t max_n = 4000;  ///< unknowns, about
  int repeats = 3;           ///< of each solve; of each product, ten times that
  SolverChoice solver = SolverChoice::cg;
  PreconditionerChoice preconditioner = PreconditionerChoice::block;
  double tolerance = 1e-6;
  double time_limit_s = 60;     ///< what is predicted to take longer is left out
  bool cpu = true, gpu = true;  ///< what to measure
  int gpu_index = 0;            ///< N of cuda:N
  int row_threads = 64;         ///< threads a block of the paper's kernel
  SymvSetting symv;             ///< of the symmetric product on a GPU
  Monitor monitor;              ///< stopped: the comparison ends there
};

/// One way to solve, at one size.
struct SolveTiming {
  std::size_t n = 0;
  std::string method;  ///< "CPU, 1 thread", "GPU, resident", ...
  bool on_gpu = false;
  std::string solver;
  int iterations = 0;
  double residual = 0;
  bool converged = true;
  /// Medians of the repeats; fill: with the near pairs and loads; solve: without factor.
  double fill_s = 0, factor_s = 0, solve_s = 0;
  RunTimes total;
  /// Largest difference of a segment current from the reference's, relative to the
  /// largest current. Reference of an iteration: that of the CPU with all threads; of a
  /// direct solver on the GPU: the CPU's; of the CPU's direct solver: its iteration. NaN:
  /// none to compare.
  double difference = 0;
};

/// One product or transfer, at one size.
struct BenchProduct {
  std::size_t n = 0;
  std::string what;
  bool on_gpu = false;
  double bytes = 0;  ///< that it reads or moves; NaN where that says nothing
  RunTimes times;
};

/// Something that was not measured.
struct BenchGap {
  std::size_t n = 0;  ///< 0: at any size
  std::string what, why;
};

struct BenchReport {
  std::vector<SolveTiming> solves;
  std::vector<BenchProduct> products;
  std::vector<BenchGap> gaps;
  std::string gpu_problem;  ///< why there are no figures of a GPU; empty where there are
  bool interrupted = false;
};

/// Names of the products, for those who look for them in a report.
inline constexpr const char* row_product = "GPU, one thread a row";
inline constexpr const char* row_product_transposed =
    "GPU, one thread a row, transposed access";

/// columns x rows half-wave dipoles of 21 segments, 0.6 wavelengths apart, one of them
/// fed; 20 unknowns each with --mesh as-given.
Problem dipole_array(int columns, int rows);

/// Sizes from about 1,000 unknowns, doubling, up to max_n; at least one.
std::vector<std::size_t> bench_sizes(std::size_t max_n);

/// Solves arrays of dipoles in every way that there is here, and times products and
/// transfers. A way that fails for want of a device or of memory becomes a gap. An
/// interrupted comparison gives what it has. Throws Error{numeric}, Error{usage}.
BenchReport compare_solvers(const BenchOptions& options);

}  // namespace thinwire
