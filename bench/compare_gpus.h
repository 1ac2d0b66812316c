#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "bench/line_plot.h"
#include "bench/table.h"
#include "cg/multi_gpu_product_timer.h"
#include "kernels/base/monitor.h"

namespace thinwire {

/// How products scale over GPUs that share the matrix.
struct GpuScaling {
  struct Row {
    std::size_t gpus = 1, unknowns = 0;
    MultiGpuProductTimes times;
  };
  std::vector<Row> strong;  ///< the same matrix on all
  std::vector<Row> weak;    ///< the same bytes of it on each
};

/// Times of n x n products by the first so many GPUs.
using MeasureGpus =
    std::function<MultiGpuProductTimes(std::size_t unknowns, std::size_t gpus)>;

/// gpus: numbers of them, ascending, at least one. unknowns: of the strong rows, and of
/// the weak row of the first number. Asks the monitor before each measurement.
GpuScaling compare_gpus(const std::vector<std::size_t>& gpus, std::size_t unknowns,
                        const MeasureGpus& measure, const Monitor& monitor = {});

/// "strong" and "weak": times, speed-up over the first row in entries a second, and
/// efficiency, that over the number of GPUs.
std::vector<Table> gpu_scaling_tables(const GpuScaling& scaling);
/// Efficiency against the number of GPUs.
std::vector<LinePlot> gpu_scaling_plots(const GpuScaling& scaling);

}  // namespace thinwire
