#pragma once

#include <cstddef>
#include <vector>

#include "bench/line_plot.h"
#include "bench/scaling_model.h"
#include "bench/table.h"

namespace thinwire {

/// Predicts the times of these numbers of GPUs (bench/scaling_model.h), one row each,
/// for the same problem of `unknowns` on all of them (strong scaling); NaN where its
/// matrix does not fit.
Table strong_scaling_forecast(const Cluster& cluster, std::size_t unknowns,
                              const std::vector<std::size_t>& gpus);
/// The largest problems that they hold (weak scaling): with a matrix in complex double,
/// or as large a one in complex single with its factors beside it, and with one in
/// complex single to iterate on.
Table largest_problem_forecast(const Cluster& cluster,
                               const std::vector<std::size_t>& gpus);

/// Efficiency of the first against the number of GPUs; sizes of the second likewise.
std::vector<LinePlot> forecast_plots(const Table& strong, const Table& largest);

}  // namespace thinwire
