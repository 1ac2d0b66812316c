#pragma once

#include <cstddef>

#include "mom/plan/rank_cost.h"

namespace thinwire {

/// H200s, eight a host joined by NVLink as measured on four
/// (docs/measurements/scaling.md), each with its own adapter of 400 Gbit/s between hosts,
/// as its maker states: 50 GB/s and 5 us.
Cluster h200_cluster();

/// Predictions for a dense problem whose tiles `owners` GPUs share evenly, each with
/// whole vectors (docs/measurements/scaling.md), with the rates of cost_model.h for the
/// work of each owner; owners >= 1.

double shared_fill_seconds(const Cluster& cluster, std::size_t owners,
                           std::size_t unknowns);
/// One product with one right-hand side, and the sum of what the owners have of it.
double shared_product_seconds(const Cluster& cluster, std::size_t owners,
                              std::size_t unknowns, bool in_double_precision);
/// Time of LDL^T with cyclically distributed block columns, panel after panel: a panel is
/// factored and sent while the one before it is subtracted from what is left, and the
/// longer of the two counts.
double shared_factor_seconds(const Cluster& cluster, std::size_t owners,
                             std::size_t unknowns, LdltProducts products);
/// Fill, factors in TF32, and their refinement to 1e-10 with one right-hand side.
double shared_direct_seconds(const Cluster& cluster, std::size_t owners,
                             std::size_t unknowns);

/// The most unknowns whose matrix the owners hold, and nothing else of its size: at 16
/// bytes a stored entry in complex double, 8 in complex single or for factors.
std::size_t max_shared_unknowns(const Cluster& cluster, std::size_t owners,
                                double bytes_an_entry);

}  // namespace thinwire
