#include "bench/scaling_model.h"

#include <algorithm>
#include <cmath>

#include "kernels/device/tuning.h"

namespace thinwire {
namespace {

double as_double(std::size_t count) {
  return static_cast<double>(count);
}

/// Steps of refinement with factors in TF32, and products beside them.
constexpr double steps = 3, products_beside_refinement = 2;

/// Part of a GPU's memory that a matrix may take; the rest is for vectors and workspace.
constexpr double memory_used = 0.95;

}  // namespace

Cluster h200_cluster() {
  return {.gpus_a_host = 8,
          .inside = {2.5e-6, 336e9},
          .between = {5e-6, 50e9},
          .call_s = 12e-6,
          .memory_bytes = 149e9};
}

double shared_fill_seconds(const Cluster& cluster, std::size_t owners,
                           std::size_t unknowns) {
  // Each owner does all the work that does not grow with the square of the unknowns.
  const double one = fill_seconds_on_gpu(unknowns, cluster.share),
               twice = fill_seconds_on_gpu(2 * unknowns, cluster.share),
               alone = fill_seconds_on_gpu(0, cluster.share),
               entries_s = (twice - 2 * one + alone) / 2;
  return one - entries_s + entries_s / as_double(owners);
}

double shared_product_seconds(const Cluster& cluster, std::size_t owners,
                              std::size_t unknowns, bool in_double_precision) {
  const double launch_s = product_seconds_on_gpu(0, in_double_precision, cluster.share),
               one = product_seconds_on_gpu(unknowns, in_double_precision, cluster.share);
  return launch_s + (one - launch_s) / as_double(owners) +
         all_reduce_seconds(cluster, owners, 16 * as_double(unknowns));
}

double shared_factor_seconds(const Cluster& cluster, std::size_t owners,
                             std::size_t unknowns, LdltProducts products) {
  const LdltRates rates = ldlt_rates_on_gpu(products, cluster.share);
  constexpr double entry_bytes = 8;
  const auto order = as_double(unknowns), panel = as_double(tuning::ldlt_panel);
  double seconds = 0;
  // Rows below the panel in work, whose factors are there.
  for (double below = order - panel; below > 0; below -= panel) {
    const double update_s =
        4 * below * below * panel / (rates.flops_per_s * as_double(owners));
    const double next_s =
        rates.panel_s + 16 * below * panel * panel / rates.flops_per_s +
        broadcast_seconds(cluster, owners, 2 * entry_bytes * below * panel);
    seconds += owners == 1 ? update_s + rates.panel_s : std::max(update_s, next_s);
  }
  return seconds;
}

double shared_direct_seconds(const Cluster& cluster, std::size_t owners,
                             std::size_t unknowns) {
  return shared_fill_seconds(cluster, owners, unknowns) +
         shared_factor_seconds(cluster, owners, unknowns, LdltProducts::tf32) +
         (steps + products_beside_refinement) *
             shared_product_seconds(cluster, owners, unknowns, true) +
         steps * 2 * shared_product_seconds(cluster, owners, unknowns, false);
}

std::size_t max_shared_unknowns(const Cluster& cluster, std::size_t owners,
                                double bytes_an_entry) {
  return static_cast<std::size_t>(std::sqrt(2 * memory_used * cluster.memory_bytes *
                                            as_double(owners) / bytes_an_entry));
}

}  // namespace thinwire
