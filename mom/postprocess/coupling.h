#pragma once

#include <span>
#include <vector>

#include "mom/problem/problem.h"
#include "mom/problem/solution.h"

namespace thinwire {

/// The runs that excite each of a run's coupling segments alone, in their order, the last
/// of them being `run`; empty where it is not the last one of such a group.
std::vector<std::size_t> coupling_runs(const Problem& problem, std::size_t run);

/// The maximum coupling of every pair of coupling segments at the frequency of `last`, a
/// result of the last run of a group, from the short-circuit admittances that the results
/// before it hold; empty where they do not have that frequency. With Y12 the mean of both
/// directions,
///
///     L = |Y12^2| / (2 Re Y11 Re Y22 - Re Y12^2),   G = (1 - sqrt(1 - L^2)) / L
///
/// (Linville and Gibbons 1961; NEC-2's card CP).
std::vector<CouplingResult> couplings(const Problem& problem,
                                      std::span<const FrequencyResult> before,
                                      const FrequencyResult& last);

}  // namespace thinwire
