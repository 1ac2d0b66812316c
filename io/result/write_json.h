#pragma once

#include <string>

#include "mom/problem/problem.h"
#include "mom/problem/solution.h"

namespace thinwire {

struct Plan;

/// The document of `thinwire solve --json`: one JSON object, format
/// "thinwire-solution", version 1. Numbers that are not finite become null. full: with
/// the mesh, currents, patterns and near fields.
std::string solution_json(const Problem& problem, const Solution& solution,
                          double reference_ohm = 50, bool full = false);

/// The document of `thinwire solve --dry-run --json`: format "thinwire-plan", version 1.
std::string plan_json(const Problem& problem, const Plan& plan);

}  // namespace thinwire
