#pragma once

#include <string>
#include <vector>

#include "bench/compare_solvers.h"
#include "bench/line_plot.h"
#include "bench/table.h"
#include "bench/tune_products.h"

namespace thinwire {

/// "row_kernel" (threads a block, padding, access, times) and "product".
std::vector<Table> tune_tables(const TuneReport& report);

/// Time of the paper's kernel against threads a block, padded and not, rings where the
/// number of threads is not a multiple of 8: normal access, figure 4 of Katsuda et al.
/// 2012, and transposed access.
std::vector<LinePlot> tune_plots(const TuneReport& report);

/// A line for each setting: the standard, what was found fastest, and whether to change.
/// Of an interrupted sweep, that there is nothing to say.
std::vector<std::string> tune_findings(const TuneReport& report);

/// "solve", "product", and "absent" where something was not measured.
std::vector<Table> bench_tables(const BenchReport& report);

/// Against the unknowns: time of each way to solve, in all and without the fill (figure 8
/// of the paper), time of the products, and normal against transposed access (figure 5).
/// Plots without data are left out.
std::vector<LinePlot> bench_plots(const BenchReport& report);

/// Summarises the figures in a few sentences: speed-ups over one CPU thread, Case 1
/// against Case 2, transposed against normal access, the largest difference.
std::vector<std::string> bench_findings(const BenchReport& report);

}  // namespace thinwire
