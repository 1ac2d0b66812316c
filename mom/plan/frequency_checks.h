#pragma once

#include <string>
#include <vector>

#include "mom/plan/run_meshes.h"
#include "mom/problem/problem.h"

namespace thinwire {

/// Frequencies that can be solved for. Far below them powers of k underflow.
inline constexpr double lowest_frequency_hz = 1e-6, highest_frequency_hz = 1e18;

/// Throws Error{usage} for frequencies out of range, and Error{geometry} where a run's
/// highest frequency is too high for its mesh or its wires, and gives the warnings of
/// those that are nearly so. For every run before the first is solved.
std::vector<std::string> check_frequencies(const Problem& problem,
                                           const RunMeshes& meshes);

}  // namespace thinwire
